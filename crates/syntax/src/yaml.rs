//! Owns reading YAML for `check`, front matter and editing: a tree with spans, and problems with places.
//! Must not change documents (`data_edit` does), and expands aliases only where that is asked for, within a bound: nothing
//! grows without end.

mod explain;
pub(crate) mod scalar;

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use granit_parser::{Event, Parser, ScalarStyle, Span, StructureStyle};

use crate::data::{self, Entry, Kind, Node, Parsed};
use crate::limits::{MAX_DEPTH, MAX_EXPANDED, MAX_NODES};
use crate::problem::{Code, Findings};

/// Reads a YAML stream. This never fails.
pub fn parse(bytes: &[u8]) -> Parsed {
    let (nodes, findings) = read(bytes);
    let mut nodes = nodes.into_iter();
    Parsed { root: nodes.next(), more: nodes.collect(), problems: findings.place(bytes) }
}

/// Reads a YAML stream with its aliases written out, and the mappings that `<<` brings in. What an alias repeats has the
/// alias's place. Repetitions that grow beyond a bound are a problem. This never fails.
pub fn parse_expanded(bytes: &[u8]) -> Parsed {
    let reader = read_all(bytes, Aliases::WrittenOut);
    let mut nodes = reader.done.into_iter();
    Parsed { root: nodes.next(), more: nodes.collect(), problems: reader.findings.place(bytes) }
}

/// Reads a YAML stream into its documents.
pub(crate) fn read(bytes: &[u8]) -> (Vec<Node>, Findings) {
    let reader = read_all(bytes, Aliases::Kept);
    (reader.done, reader.findings)
}

/// The values that carry an anchor which an alias repeats: a change of one is a change of all its repetitions.
pub(crate) fn repeated(bytes: &[u8]) -> Vec<Range<usize>> {
    let reader = read_all(bytes, Aliases::Kept);
    let repeated = reader.anchored.into_iter().filter(|(anchor, _)| reader.aliases.contains(anchor));
    repeated.map(|(_, span)| span).collect()
}

fn read_all(bytes: &[u8], how: Aliases) -> Reader<'_> {
    let mut reader = Reader { how, ..Reader::default() };
    let source = match std::str::from_utf8(bytes) {
        Ok(source) => source,
        Err(error) => {
            let at = error.valid_up_to();
            let hint = "save the document as UTF-8";
            reader.findings.add(Code::InvalidUtf8, at..at + 1, "a byte that is not UTF-8", hint);
            return reader;
        }
    };
    reader.source = source;
    let options = granit_parser::options! {
        emit_unresolved_aliases: true,
        emit_comments: false,
        flow_nesting_limit: MAX_DEPTH,
        block_nesting_limit: MAX_DEPTH,
    };
    for next in Parser::new_from_str_with_options(source, options) {
        match next {
            Ok((event, span)) => {
                if !reader.event(event, &span) {
                    break;
                }
            }
            Err(error) => {
                reader.error(&error);
                break;
            }
        }
    }
    while !reader.open.is_empty() {
        reader.close(source.len());
    }
    reader
}

/// The mappings that `<<` brings in: their keys, where the mapping has none of its own; of several the first counts.
fn merge(entries: &mut Vec<Entry>) {
    let is_merge = |entry: &Entry| match &entry.value.kind {
        Kind::Map(_) => entry.key == "<<",
        Kind::List(items) => entry.key == "<<" && items.iter().all(|item| matches!(item.kind, Kind::Map(_))),
        _ => false,
    };
    let Some(at) = entries.iter().position(is_merge) else { return };
    let brought = match entries.remove(at).value.kind {
        Kind::List(items) => items,
        kind => vec![Node { span: 0..0, kind }],
    };
    for node in brought {
        let Kind::Map(brought) = node.kind else { continue };
        for entry in brought {
            if !entries.iter().any(|own| own.key == entry.key) {
                entries.push(entry);
            }
        }
    }
}

/// What a scalar without quotes is, by the core schema of YAML 1.2.
pub(crate) fn plain_kind(text: &str) -> Kind {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Kind::Null,
        "true" | "True" | "TRUE" => Kind::Bool(true),
        "false" | "False" | "FALSE" => Kind::Bool(false),
        _ if is_number(text) => Kind::Number(text.to_owned()),
        _ => Kind::Text(text.to_owned()),
    }
}

fn is_number(text: &str) -> bool {
    let all = |digits: &str, radix: u32| !digits.is_empty() && digits.chars().all(|digit| digit.is_digit(radix));
    if let Some(digits) = text.strip_prefix("0x") {
        return all(digits, 16);
    }
    if let Some(digits) = text.strip_prefix("0o") {
        return all(digits, 8);
    }
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    if matches!(unsigned, ".inf" | ".Inf" | ".INF") || matches!(text, ".nan" | ".NaN" | ".NAN") {
        return true;
    }
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent.strip_prefix(['+', '-']).unwrap_or(exponent))),
        None => (unsigned, None),
    };
    let is_mantissa = match mantissa.split_once('.') {
        Some((whole, part)) => {
            (all(whole, 10) || whole.is_empty()) && (all(part, 10) || part.is_empty()) && mantissa != "."
        }
        None => all(mantissa, 10),
    };
    is_mantissa && exponent.is_none_or(|exponent| all(exponent, 10))
}

/// What becomes of aliases.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Aliases {
    /// They stay what they are.
    #[default]
    Kept,
    /// The value that they repeat stands in their place.
    WrittenOut,
}

#[derive(Default)]
struct Reader<'a> {
    how: Aliases,
    source: &'a str,
    findings: Findings,
    open: Vec<Open>,
    done: Vec<Node>,
    nodes: usize,
    /// Values with an anchor, by its number.
    anchored: Vec<(usize, Range<usize>)>,
    /// The numbers of the anchors that are repeated.
    aliases: HashSet<usize>,
    /// What has an anchor, where aliases are written out; nothing where it is too large to be repeated.
    repeatable: HashMap<usize, Option<Node>>,
    /// How many values are kept there, and how many were written out.
    kept: usize,
    expanded: usize,
}

/// A collection that is being read.
struct Open {
    start: usize,
    /// End of the last part that was read.
    end: usize,
    style: StructureStyle,
    anchor: usize,
    items: Items,
}

enum Items {
    List(Vec<Node>),
    Map { entries: Vec<Entry>, key: Option<(String, Range<usize>)> },
}

impl Reader<'_> {
    /// Takes one event; false when enough was read.
    fn event(&mut self, event: Event<'_>, span: &Span) -> bool {
        let span = self.range(span);
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                let kind = match style {
                    ScalarStyle::Plain if tag.is_none() => plain_kind(&text),
                    _ => Kind::Text(text.into_owned()),
                };
                let node = Node { span, kind };
                self.note_anchor(anchor, &node);
                self.add(node);
            }
            Event::SequenceStart(style, anchor, ..) => {
                let items = Items::List(Vec::new());
                self.open.push(Open { start: span.start, end: span.end, style, anchor, items });
            }
            Event::MappingStart(style, anchor, ..) => {
                let items = Items::Map { entries: Vec::new(), key: None };
                self.open.push(Open { start: span.start, end: span.end, style, anchor, items });
            }
            Event::SequenceEnd | Event::MappingEnd => self.close(span.end),
            Event::Alias(anchor) => {
                self.aliases.insert(anchor);
                let node = match self.how {
                    Aliases::Kept => Node { span, kind: Kind::Alias },
                    Aliases::WrittenOut => self.written_out(anchor, span),
                };
                self.add(node);
            }
            Event::UnresolvedAlias(name) => {
                let message = format!("`*{name}` names no anchor above it");
                let hint = "define the anchor first, or put the text between quotes";
                self.findings.add(Code::YamlUnknownAlias, span.clone(), message, hint);
                self.add(Node { span, kind: Kind::Alias });
            }
            _ => {}
        }
        if self.nodes >= MAX_NODES && self.expanded <= MAX_EXPANDED {
            let end = self.source.len();
            let message = format!("more than {MAX_NODES} values, the rest is not read");
            self.findings.add(Code::TooLarge, end..end, message, "split the document");
        }
        self.nodes < MAX_NODES
    }

    fn range(&self, span: &Span) -> Range<usize> {
        let length = self.source.len();
        let range = span.byte_range().unwrap_or(0..0);
        let start = range.start.min(length);
        start..range.end.clamp(start, length)
    }

    fn add(&mut self, node: Node) {
        self.nodes += 1;
        let source = self.source;
        let Some(open) = self.open.last_mut() else {
            self.done.push(node);
            return;
        };
        open.end = open.end.max(node.span.end);
        match &mut open.items {
            Items::List(items) => items.push(node),
            Items::Map { entries, key } => match key.take() {
                Some((key, key_span)) => entries.push(Entry { key, key_span, value: node }),
                None => {
                    let text = match &node.kind {
                        Kind::Text(text) | Kind::Number(text) => text.clone(),
                        _ => source.get(node.span.clone()).unwrap_or_default().trim().to_owned(),
                    };
                    *key = Some((text, node.span));
                }
            },
        }
    }

    fn close(&mut self, end: usize) {
        let Some(open) = self.open.pop() else { return };
        let end = if open.style == StructureStyle::Flow { end.max(open.end) } else { open.end };
        let mut kind = match open.items {
            Items::List(items) => Kind::List(items),
            Items::Map { mut entries, key } => {
                if let Some((key, key_span)) = key {
                    let value = Node { span: key_span.end..key_span.end, kind: Kind::Null };
                    entries.push(Entry { key, key_span, value });
                }
                data::report_duplicates(&entries, Code::YamlDuplicateKey, &mut self.findings);
                Kind::Map(entries)
            }
        };
        if let (Kind::Map(entries), Aliases::WrittenOut) = (&mut kind, self.how) {
            merge(entries);
        }
        let node = Node { span: open.start..end.max(open.start), kind };
        self.note_anchor(open.anchor, &node);
        self.add(node);
    }

    /// Anchors count from 1.
    fn note_anchor(&mut self, anchor: usize, node: &Node) {
        if anchor == 0 {
            return;
        }
        self.anchored.push((anchor, node.span.clone()));
        if self.how == Aliases::WrittenOut {
            let size = node.size();
            let is_kept = size <= MAX_EXPANDED && self.kept + size <= MAX_NODES;
            self.kept += if is_kept { size } else { 0 };
            self.repeatable.insert(anchor, is_kept.then(|| node.clone()));
        }
    }

    /// What an alias repeats, in the alias's place.
    fn written_out(&mut self, anchor: usize, span: Range<usize>) -> Node {
        let alias = Node { span: span.clone(), kind: Kind::Alias };
        let Some(repeated) = self.repeatable.get(&anchor) else {
            let message = "an alias stands within the value that it repeats";
            self.findings.add(Code::YamlUnknownAlias, span, message, "write out what is meant");
            return alias;
        };
        self.expanded += repeated.as_ref().map_or(MAX_EXPANDED + 1, Node::size);
        let Some(node) = repeated.as_ref().filter(|_| self.expanded <= MAX_EXPANDED) else {
            let message = format!("aliases repeat more than {MAX_EXPANDED} values");
            self.findings.add(Code::TooLarge, span, message, "write out what is meant, without aliases");
            // Nothing more is read: what is repeated could be repeated again.
            self.nodes = self.nodes.max(MAX_NODES);
            return alias;
        };
        node.placed_at(&span)
    }

    fn error(&mut self, error: &granit_parser::ScanError) {
        let at = error.marker().byte_offset().unwrap_or(self.source.len());
        explain::report(self.source, at, &error.info(), &mut self.findings);
    }
}
