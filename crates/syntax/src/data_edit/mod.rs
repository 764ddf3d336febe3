//! Owns changing YAML and JSON documents without loss: a value at a path is set, inserted, appended or removed by one
//! splice, and nothing outside it moves. Every edit is read back before it is given out: the document then says what it
//! said, but for the value that was asked for, or there is no edit. Must not know what the values mean.

mod block;
mod flow;
mod place;
mod refusal;
mod revise;
mod style;

use std::ops::Range;

use text::{Change, Splice};

use crate::data::{Entry, Kind, Node, Parsed, Value};
use crate::{Code, json, yaml};
pub use refusal::DataRefusal;
pub use revise::revise_json;

/// In which syntax a document is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// YAML 1.2.
    Yaml,
    /// JSON.
    Json,
}

/// One part of the way to a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part<'a> {
    /// The value of a key of a mapping.
    Key(&'a str),
    /// An item of a list, from 0.
    Index(usize),
}

/// What is to be done at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edit<'a> {
    /// The value there is this one; a key that its mapping lacks is added at the end.
    Set(&'a Value),
    /// An item of a list is put before the one that is there, or at the end.
    Insert(&'a Value),
    /// The list there gets one more item.
    Append(&'a Value),
    /// The key or item goes.
    Remove,
}

/// The change that makes an edit. The document is not changed by a refused one.
pub fn edit(format: Format, bytes: &[u8], path: &[Part<'_>], edit: Edit<'_>) -> Result<Change, DataRefusal> {
    let parsed = format.parse(bytes);
    let source = check(&parsed, bytes)?;
    let place = place::find(source, &parsed, path, edit)?;
    if format == Format::Yaml {
        let site = place.site();
        let holds = |outer: &Range<usize>, inner: &Range<usize>| {
            outer.start <= inner.start && inner.end <= outer.end.max(outer.start + 1)
        };
        let is_met = |span: &Range<usize>| holds(span, &site) || (place.is_replaced() && holds(&site, span));
        if let Some(span) = yaml::repeated(bytes).into_iter().find(is_met) {
            return Err(DataRefusal::Anchored { line: line_of(source, span.start) });
        }
    }
    let expected = expected(&parsed, path, edit);
    if parsed.root.as_ref().map(Node::without_spans) == expected {
        return Ok(Change::default());
    }
    let candidates = match place.is_flow(format, source) {
        true => flow::splices(format, source, &parsed, &place, edit),
        false => block::splices(source, &parsed, &place, edit),
    };
    let fits = |splice: &Splice| reads_as(format, bytes, &parsed, std::slice::from_ref(splice), expected.as_ref());
    match candidates.into_iter().find(fits) {
        Some(splice) => Ok(Change::from_splices(vec![splice])),
        None => Err(DataRefusal::NotWritable { path: spelled(path), line: line_of(source, place.site().start) }),
    }
}

/// A whole JSON document that says this, broken over lines.
pub fn write_json(value: &Value) -> String {
    let mut text = style::Style::of(Format::Json, "", None).flow(value, "");
    text.push('\n');
    text
}

impl Format {
    /// Reads a document.
    pub fn parse(self, bytes: &[u8]) -> Parsed {
        match self {
            Self::Yaml => yaml::parse(bytes),
            Self::Json => json::parse(bytes),
        }
    }
}

/// A document that is read without doubt; keys that are there twice are in doubt only where an edit meets them.
fn check<'a>(parsed: &Parsed, bytes: &'a [u8]) -> Result<&'a str, DataRefusal> {
    let is_harmless = |code: Code| matches!(code, Code::YamlDuplicateKey | Code::JsonDuplicateKey);
    if let Some(problem) = parsed.problems.iter().find(|problem| !is_harmless(problem.code)) {
        return Err(DataRefusal::Broken {
            line: problem.line,
            column: problem.column,
            message: problem.message.clone(),
            hint: problem.hint.clone(),
        });
    }
    std::str::from_utf8(bytes).map_err(|error| DataRefusal::Broken {
        line: 1,
        column: error.valid_up_to(),
        message: "a byte that is not UTF-8".into(),
        hint: "save the document as UTF-8".into(),
    })
}

/// What the document should say afterwards.
fn expected(parsed: &Parsed, path: &[Part<'_>], edit: Edit<'_>) -> Option<Node> {
    let mut root = parsed.root.as_ref().map(Node::without_spans);
    let target = root.get_or_insert(Node { span: 0..0, kind: Kind::Map(Vec::new()) });
    // An empty document is a mapping without keys for whoever adds one.
    if target.kind == Kind::Null && !path.is_empty() {
        target.kind = Kind::Map(Vec::new());
    }
    change(target, path, edit);
    root
}

fn change(node: &mut Node, path: &[Part<'_>], edit: Edit<'_>) {
    let Some((part, rest)) = path.split_first() else {
        match (edit, &mut node.kind) {
            (Edit::Set(value), _) => *node = value.to_node(),
            (Edit::Append(value), Kind::List(items)) => items.push(value.to_node()),
            _ => {}
        }
        return;
    };
    let is_last = rest.is_empty();
    match (part, &mut node.kind, edit) {
        (Part::Key(key), Kind::Map(entries), Edit::Remove) if is_last => entries.retain(|entry| entry.key != *key),
        (Part::Key(key), Kind::Map(entries), _) => match (entries.iter_mut().find(|entry| entry.key == *key), edit) {
            (Some(entry), _) => change(&mut entry.value, rest, edit),
            (None, Edit::Set(value)) if is_last => {
                entries.push(Entry { key: (*key).to_owned(), key_span: 0..0, value: value.to_node() });
            }
            (None, _) => {}
        },
        (Part::Index(index), Kind::List(items), Edit::Remove) if is_last && *index < items.len() => {
            items.remove(*index);
        }
        (Part::Index(index), Kind::List(items), Edit::Insert(value)) if is_last && *index <= items.len() => {
            items.insert(*index, value.to_node());
        }
        (Part::Index(index), Kind::List(items), _) => {
            if let Some(item) = items.get_mut(*index) {
                change(item, rest, edit);
            }
        }
        _ => {}
    }
}

/// Whether the document with these splices, in order, says what it should, and nothing new is odd about it.
fn reads_as(format: Format, bytes: &[u8], before: &Parsed, splices: &[Splice], expected: Option<&Node>) -> bool {
    let after = format.parse(&spliced(bytes, splices));
    let plain = |nodes: &[Node]| nodes.iter().map(Node::without_spans).collect::<Vec<_>>();
    after.problems.len() <= before.problems.len()
        && after.root.as_ref().map(Node::without_spans).as_ref() == expected
        && plain(&after.more) == plain(&before.more)
}

fn spliced(bytes: &[u8], splices: &[Splice]) -> Vec<u8> {
    let mut after = Vec::with_capacity(bytes.len() + 64);
    let mut at = 0;
    for splice in splices {
        after.extend_from_slice(&bytes[at..splice.at]);
        after.extend_from_slice(&splice.put);
        at = splice.end();
    }
    after.extend_from_slice(&bytes[at..]);
    after
}

/// One place of a document replaced.
fn splice(source: &str, range: Range<usize>, put: impl Into<String>) -> Splice {
    Splice { at: range.start, cut: source.as_bytes()[range].to_vec().into(), put: put.into().into_bytes().into() }
}

fn line_of(source: &str, at: usize) -> usize {
    source.as_bytes()[..at.min(source.len())].iter().filter(|byte| **byte == b'\n').count() + 1
}

/// A path as people write one: `gates[2].owner`.
fn spelled(path: &[Part<'_>]) -> String {
    let mut text = String::new();
    for part in path {
        match part {
            Part::Key(key) if text.is_empty() => text.push_str(key),
            Part::Key(key) => text.push_str(&format!(".{key}")),
            Part::Index(index) => text.push_str(&format!("[{index}]")),
        }
    }
    if text.is_empty() { "the document".into() } else { text }
}
