//! Which lines make a block: from its title or its agent to its signature, a heading or a line. What stands in quotations,
//! comparisons and templates is told, and is none. Must not know what a block means.

use syntax::markdown::fields::{Field, Marker};

use super::block::{Deviation, Placed, Source, Weight};
use super::forms::WHOLE;
use super::lines::{Key, Kind, Line};
use super::read::deviation;

/// Collects the lines of each block.
struct Collector<'a> {
    sources: Vec<Source<'a>>,
    open: Option<Open<'a>>,
}

/// A block whose end is not seen yet.
struct Open<'a> {
    source: Source<'a>,
    /// The indent of its first field.
    indent: usize,
    /// Whether all of it stands on one line.
    is_line: bool,
    is_signed: bool,
    after_blank: bool,
    /// Text without a key came after a blank line: only a signature still belongs to the block.
    is_loose: bool,
    end: usize,
}

impl Open<'_> {
    /// A signature ends a block that has something above it.
    fn is_over(&self) -> bool {
        self.is_signed && self.source.fields.len() > 2 && !self.awaits_signature()
    }

    /// `# Signature`, with the signature on the line below.
    fn awaits_signature(&self) -> bool {
        self.source.fields.last().is_some_and(|placed| {
            Key::of(&placed.field.key) == Some(Key::Signature)
                && placed.field.value.is_empty()
                && placed.more.is_empty()
        })
    }
}

/// The blocks of a file, as their lines; what looks like one and is none is told.
pub(super) fn sources<'a>(lines: &'a [Line<'a>], deviations: &mut Vec<Deviation>) -> Vec<Source<'a>> {
    let mut collector = Collector { sources: Vec::new(), open: None };
    for (at, line) in lines.iter().enumerate() {
        if collector.is_illustrated_by(line) {
            collector.prose(line);
            continue;
        }
        match &line.kind {
            Kind::Blank => {
                if let Some(open) = &mut collector.open {
                    open.after_blank = true;
                }
            }
            Kind::Title { is_strict, fields, .. } => {
                collector.close();
                collector.begin(line, Some(line), *is_strict);
                collector.add(line, fields);
                if let Some(open) = collector.open.as_mut().filter(|_| !fields.is_empty()) {
                    open.is_line = true;
                }
            }
            Kind::Heading { level, field: Some(field), .. } if collector.takes_heading(*level, field) => {
                collector.fields(line, std::slice::from_ref(&**field), &lines[at + 1..]);
            }
            Kind::TitleEnd | Kind::Heading { .. } => collector.close(),
            // Dashes between the title and the first field belong to nobody.
            Kind::Break | Kind::Fence => {
                if collector.open.as_ref().is_some_and(|open| !open.source.fields.is_empty()) {
                    collector.close();
                }
            }
            Kind::Comment => {}
            Kind::Compared => {
                let reason = "what looks like a block stands in a comparison of files, and is not read".into();
                let mend = "take it out of there if it belongs to the record".into();
                deviations.push(deviation(line.number, line.span(), Weight::Form, reason, mend));
            }
            Kind::Quoted => {
                collector.close();
                let is_told = at.checked_sub(1).is_some_and(|above| lines[above].text.trim_start().starts_with('>'));
                if is_told {
                    continue;
                }
                let reason = "what looks like a block stands in a quotation, and is not read".into();
                let mend = "take the `>` away if it belongs to the record".into();
                deviations.push(deviation(line.number, line.span(), Weight::Form, reason, mend));
            }
            Kind::Fields(fields) => collector.fields(line, fields, &lines[at + 1..]),
            Kind::Prose => collector.prose(line),
        }
    }
    collector.close();
    let (templates, sources): (Vec<_>, Vec<_>) = collector.sources.into_iter().partition(is_template);
    for template in templates {
        let reason = "what looks like a block is a template in a fence, and is not read".into();
        let mend = "take the fence away and fill it in if it belongs to the record".into();
        let span = template.span.start..template.span.start;
        deviations.push(deviation(template.first_line, span, Weight::Form, reason, mend));
    }
    sources
}

/// Whether nobody filled in what a fence shows: `Agent: [Human | Planner | Actor | Judge]`.
fn is_template(source: &Source<'_>) -> bool {
    let is_open =
        |value: &str| value.contains(['[', '{', '<']) && !value.contains(|letter: char| letter.is_ascii_digit());
    let agent = source.fields.iter().find(|placed| Key::of(&placed.field.key) == Some(Key::Agent));
    source.is_fenced && agent.is_some_and(|agent| is_open(&agent.field.value) && agent.field.value.contains('|'))
}

impl<'a> Collector<'a> {
    /// Whether a line stands in a fence within a block that does not: a part of a value, such as a comparison.
    fn is_illustrated_by(&self, line: &Line<'_>) -> bool {
        let Some(open) = &self.open else { return false };
        let is_inside = line.is_fenced && !open.source.is_fenced && !open.source.fields.is_empty();
        is_inside && !open.is_over() && !matches!(line.kind, Kind::Title { .. } | Kind::Blank)
    }

    /// Whether a heading is a field of the open block. One that has its value below it must stand deeper than the title:
    /// `## Context` may begin something else.
    fn takes_heading(&self, level: usize, field: &Field) -> bool {
        let Some(open) = &self.open else { return false };
        let of_title = open.source.title.map_or("", |title| title.text).trim_start();
        let title_level = of_title.len() - of_title.trim_start_matches('#').len();
        let is_deeper = title_level > 0 && level > title_level && !open.is_over();
        !field.value.is_empty() || Key::of(&field.key) == Some(Key::Signature) || is_deeper
    }

    fn begin(&mut self, line: &'a Line<'a>, title: Option<&'a Line<'a>>, is_strict: bool) {
        let source = Source {
            title,
            is_strict_title: is_strict,
            is_fenced: line.is_fenced,
            fields: Vec::new(),
            span: line.span(),
            first_line: line.number,
        };
        self.open = Some(Open {
            source,
            indent: usize::MAX,
            is_line: false,
            is_signed: false,
            after_blank: false,
            is_loose: false,
            end: line.span().end,
        });
    }

    fn close(&mut self) {
        if let Some(mut open) = self.open.take() {
            open.source.span.end = open.end;
            // What stands for a field counts only where that field is missing, and once.
            let has_result = open
                .source
                .fields
                .iter()
                .any(|placed| placed.own_key() == Some(Key::Result) && placed.instead.is_none());
            let count = open.source.fields.iter().filter(|placed| placed.instead.is_some()).count();
            if has_result || count > 1 {
                open.source.fields.iter_mut().for_each(|placed| placed.instead = None);
            }
            self.sources.push(open.source);
        }
    }

    /// A line of fields: the open block's, the first of a new one, or nobody's.
    fn fields(&mut self, line: &'a Line<'a>, fields: &[Field], below: &[Line<'_>]) {
        let keys: Vec<Option<Key>> = fields.iter().map(|field| Key::of(&field.key)).collect();
        let begins = keys.first() == Some(&Some(Key::Agent));
        let is_whole = keys.iter().flatten().count() >= WHOLE;
        let follows = || {
            let next = below.iter().find(|line| line.kind != Kind::Blank);
            let Some(Kind::Fields(fields)) = next.map(|line| &line.kind) else { return false };
            fields.iter().any(|field| matches!(Key::of(&field.key), Some(Key::Result | Key::Confidence | Key::Next)))
        };
        if self.open.as_ref().is_some_and(Open::awaits_signature) && !(begins && (is_whole || follows())) {
            return self.prose(line);
        }
        let belongs = match &self.open {
            None => false,
            Some(open) if open.is_loose => keys.contains(&Some(Key::Signature)) && !open.is_signed,
            Some(open) => {
                let has_agent = open.source.fields.iter().any(|placed| Key::of(&placed.field.key) == Some(Key::Agent));
                let has_more = open.source.fields.len() > 1;
                let is_deeper = fields.first().is_some_and(|field| field.look.indent > open.indent);
                let is_next = begins && has_agent && has_more && !is_deeper && (is_whole || follows());
                let is_over =
                    (open.is_over() && open.after_blank) || (open.is_line && keys.iter().all(Option::is_none));
                !is_next && (!is_over || keys.contains(&Some(Key::Signature)))
            }
        };
        if belongs {
            self.add(line, fields);
        } else if begins && (is_whole || follows()) {
            self.close();
            self.begin(line, None, false);
            self.add(line, fields);
            if let Some(open) = self.open.as_mut().filter(|_| is_whole) {
                open.is_line = true;
            }
        } else {
            self.prose(line);
        }
    }

    fn add(&mut self, line: &'a Line<'a>, fields: &[Field]) {
        let Some(open) = &mut self.open else { return };
        for field in fields {
            if open.indent == usize::MAX {
                open.indent = field.look.indent;
            }
            let is_nested = field.look.indent > open.indent && field.look.marker != Marker::Pipe;
            open.is_signed |= !is_nested && Key::of(&field.key) == Some(Key::Signature);
            let instead = Key::instead(&field.key).filter(|_| !is_nested);
            open.source.fields.push(Placed { field: field.clone(), line, more: Vec::new(), is_nested, instead });
        }
        open.source.is_fenced |= line.is_fenced;
        open.after_blank = false;
        open.end = line.span().end;
    }

    /// Text without a key: part of the value above it, unless the block is over.
    fn prose(&mut self, line: &'a Line<'a>) {
        let Some(open) = &mut self.open else { return };
        let is_inner = line.text.starts_with([' ', '\t']) || !open.after_blank;
        if open.is_over() || (open.is_line && !open.source.fields.is_empty()) {
            self.close();
            return;
        }
        let awaits = open.awaits_signature();
        let Some(last) = open.source.fields.last_mut() else { return };
        open.is_loose |= !is_inner && !awaits && !line.is_fenced;
        if open.is_loose {
            return;
        }
        last.more.push(line.text);
        open.after_blank = false;
        open.end = line.span().end;
    }
}
