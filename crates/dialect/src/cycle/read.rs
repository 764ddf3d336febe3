//! Any file into its header and its blocks. Reading never fails: what is odd is told with its place. Must not know what
//! a block means (`block`), nor how blocks follow each other (`sequence`).

use std::ops::Range;

use syntax::markdown::fields::{Field, Marker, readable};

use super::block::{Block, Deviation, Placed, Source, Weight, read_block};
use super::header::{self, Header};
use super::lines::{Key, Kind, Line, lines};
use super::sequence;

/// The most blocks and deviations that are told; a file with more is no record of a cycle.
const MOST_BLOCKS: usize = 20_000;

/// A file, read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading {
    /// The goal and what belongs to it.
    pub header: Header,
    /// The blocks in the order of their turns.
    pub blocks: Vec<Block>,
    /// In which order the file has them.
    pub order: Order,
    /// What is odd about the file as a whole; each block has its own.
    pub deviations: Vec<Deviation>,
}

/// In which order a file has its blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// As it should be.
    OldestFirst,
    /// The other way round.
    NewestFirst,
}

impl Reading {
    /// Every deviation, in the order of the file.
    pub fn all_deviations(&self) -> Vec<&Deviation> {
        let own = self.blocks.iter().flat_map(|block| &block.deviations);
        let mut all: Vec<&Deviation> = self.deviations.iter().chain(own).collect();
        all.sort_by_key(|one| (one.line, one.column));
        all
    }

    /// How many INSUFFICIENT in a row the record ends with.
    pub fn insufficient_in_a_row(&self) -> usize {
        sequence::insufficient_in_a_row(&self.blocks)
    }
}

/// Reads a file.
pub fn read(bytes: &[u8]) -> Reading {
    let text = readable(bytes);
    let lines = lines(&text);
    let mut deviations = Vec::new();
    if std::str::from_utf8(bytes).is_err() {
        let at = text.find('\u{1A}').unwrap_or(0);
        let line = lines.iter().rev().find(|line| line.start <= at).map_or(1, |line| line.number);
        let reason = "the file is not UTF-8".into();
        deviations.push(deviation(line, at..at + 1, Weight::Form, reason, "save it as UTF-8".into()));
    }
    let sources = sources(&lines, &mut deviations);
    let header = header::read_header(&lines, sources.first().map(|source| source.first_line), &mut deviations);
    let mut blocks: Vec<Block> = sources.iter().take(MOST_BLOCKS).map(read_block).collect();
    if sources.len() > MOST_BLOCKS {
        let reason = format!("there are more than {MOST_BLOCKS} blocks, the rest is not told");
        deviations.push(deviation(1, 0..0, Weight::Rule, reason, "archive cycles that are over".into()));
    }
    let order = sequence::put_in_order(&mut blocks, &mut deviations);
    sequence::check(&mut blocks);
    let mut place = |one: &mut Deviation| one.column = column(&text, &lines, one);
    deviations.iter_mut().for_each(&mut place);
    blocks.iter_mut().flat_map(|block| &mut block.deviations).for_each(&mut place);
    Reading { header, blocks, order, deviations }
}

pub(super) fn deviation(line: usize, span: Range<usize>, weight: Weight, reason: String, mend: String) -> Deviation {
    Deviation { span, line, column: 0, weight, reason, mend }
}

fn column(text: &str, lines: &[Line<'_>], one: &Deviation) -> usize {
    let Some(line) = lines.get(one.line.saturating_sub(1)) else { return 1 };
    text.get(line.start..one.span.start).map_or(1, |before| before.chars().count() + 1)
}

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
        self.is_signed && self.source.fields.len() > 2
    }
}

fn sources<'a>(lines: &'a [Line<'a>], deviations: &mut Vec<Deviation>) -> Vec<Source<'a>> {
    let mut collector = Collector { sources: Vec::new(), open: None };
    for (at, line) in lines.iter().enumerate() {
        match &line.kind {
            Kind::Blank => {
                if let Some(open) = &mut collector.open {
                    open.after_blank = true;
                }
            }
            Kind::Title { is_strict, fields } => {
                collector.close();
                collector.begin(line, Some(line), *is_strict);
                collector.add(line, fields);
                if let Some(open) = collector.open.as_mut().filter(|_| !fields.is_empty()) {
                    open.is_line = true;
                }
            }
            Kind::TitleEnd | Kind::Heading { .. } | Kind::Break => collector.close(),
            // Dashes between the title and the first field belong to nobody.
            Kind::Fence => {
                if collector.open.as_ref().is_some_and(|open| !open.source.fields.is_empty()) {
                    collector.close();
                }
            }
            Kind::Comment => {}
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
    collector.sources
}

impl<'a> Collector<'a> {
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
            self.sources.push(open.source);
        }
    }

    /// A line of fields: the open block's, the first of a new one, or nobody's.
    fn fields(&mut self, line: &'a Line<'a>, fields: &[Field], below: &[Line<'_>]) {
        let keys: Vec<Option<Key>> = fields.iter().map(|field| Key::of(&field.key)).collect();
        let begins = keys.first() == Some(&Some(Key::Agent));
        let is_whole = keys.iter().flatten().count() >= 3;
        let follows = || {
            let next = below.iter().find(|line| line.kind != Kind::Blank);
            let Some(Kind::Fields(fields)) = next.map(|line| &line.kind) else { return false };
            fields.iter().any(|field| matches!(Key::of(&field.key), Some(Key::Result | Key::Confidence | Key::Next)))
        };
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
            open.source.fields.push(Placed { field: field.clone(), line, more: Vec::new(), is_nested });
        }
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
        let Some(last) = open.source.fields.last_mut() else { return };
        open.is_loose |= !is_inner;
        if open.is_loose {
            return;
        }
        last.more.push(line.text);
        open.after_blank = false;
        open.end = line.span().end;
    }
}
