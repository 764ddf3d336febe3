//! Owns the tree that YAML and JSON documents are read into: values with the bytes they stand at.
//! Must not know either syntax.

use std::collections::HashSet;
use std::ops::Range;

use crate::problem::{Code, Findings, Problem};

/// A document as far as it could be read, and what is odd about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parsed {
    /// The value; of a YAML stream, that of its first document.
    pub root: Option<Node>,
    /// Further documents of a YAML stream.
    pub more: Vec<Node>,
    /// In the order of the document.
    pub problems: Vec<Problem>,
}

/// A value and its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// The bytes it was read from.
    pub span: Range<usize>,
    /// What it is.
    pub kind: Kind,
}

/// What a value is. Numbers stay as they are written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// Nothing.
    Null,
    /// True or false.
    Bool(bool),
    /// A number, as written.
    Number(String),
    /// Text, decoded.
    Text(String),
    /// A sequence.
    List(Vec<Node>),
    /// A mapping, in the order of the document, duplicates included.
    Map(Vec<Entry>),
    /// A YAML alias that is not written out, so that no document grows beyond its own size.
    Alias,
}

/// A key and its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The key as text.
    pub key: String,
    /// Where the key stands.
    pub key_span: Range<usize>,
    /// What it holds.
    pub value: Node,
}

/// A value without a place: what is to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// Nothing.
    Null,
    /// True or false.
    Bool(bool),
    /// A number, as written.
    Number(String),
    /// Text.
    Text(String),
    /// A sequence.
    List(Vec<Value>),
    /// A mapping, in its order.
    Map(Vec<(String, Value)>),
}

impl Value {
    /// A text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    /// A number that counts something.
    pub fn count(number: u64) -> Self {
        Self::Number(number.to_string())
    }

    /// A mapping of these keys.
    pub fn map<K: Into<String>>(entries: impl IntoIterator<Item = (K, Value)>) -> Self {
        Self::Map(entries.into_iter().map(|(key, value)| (key.into(), value)).collect())
    }

    /// The same as it would be read.
    pub(crate) fn to_node(&self) -> Node {
        let kind = match self {
            Self::Null => Kind::Null,
            Self::Bool(is_true) => Kind::Bool(*is_true),
            Self::Number(text) => Kind::Number(text.clone()),
            Self::Text(text) => Kind::Text(text.clone()),
            Self::List(items) => Kind::List(items.iter().map(Self::to_node).collect()),
            Self::Map(entries) => {
                let entry =
                    |(key, value): &(String, Value)| Entry { key: key.clone(), key_span: 0..0, value: value.to_node() };
                Kind::Map(entries.iter().map(entry).collect())
            }
        };
        Node { span: 0..0, kind }
    }
}

impl Node {
    /// What it says, without places; nothing if it holds an alias.
    pub fn to_value(&self) -> Option<Value> {
        Some(match &self.kind {
            Kind::Null => Value::Null,
            Kind::Bool(is_true) => Value::Bool(*is_true),
            Kind::Number(text) => Value::Number(text.clone()),
            Kind::Text(text) => Value::Text(text.clone()),
            Kind::List(items) => Value::List(items.iter().map(Node::to_value).collect::<Option<_>>()?),
            Kind::Map(entries) => {
                let entries = entries.iter().map(|entry| Some((entry.key.clone(), entry.value.to_value()?)));
                Value::Map(entries.collect::<Option<_>>()?)
            }
            Kind::Alias => return None,
        })
    }

    /// The value of a key of this mapping; of several equal keys the first.
    pub fn value(&self, key: &str) -> Option<&Node> {
        match &self.kind {
            Kind::Map(entries) => entries.iter().find(|entry| entry.key == key).map(|entry| &entry.value),
            _ => None,
        }
    }

    /// The value at a JSON pointer (`/tasks/0/name`), so that a schema's complaint finds its place.
    pub fn pointer(&self, pointer: &str) -> Option<&Node> {
        let mut node = self;
        for part in pointer.split('/').skip(1) {
            let part = part.replace("~1", "/").replace("~0", "~");
            node = match &node.kind {
                Kind::List(items) => items.get(part.parse::<usize>().ok()?)?,
                _ => node.value(&part)?,
            };
        }
        Some(node)
    }

    /// Moves every span, for a document that stands within another.
    pub(crate) fn move_by(&mut self, offset: usize) {
        let moved = |span: &mut Range<usize>| *span = span.start + offset..span.end + offset;
        moved(&mut self.span);
        match &mut self.kind {
            Kind::List(items) => items.iter_mut().for_each(|item| item.move_by(offset)),
            Kind::Map(entries) => {
                for entry in entries {
                    moved(&mut entry.key_span);
                    entry.value.move_by(offset);
                }
            }
            Kind::Null | Kind::Bool(_) | Kind::Number(_) | Kind::Text(_) | Kind::Alias => {}
        }
    }

    /// How many values it is.
    pub(crate) fn size(&self) -> usize {
        1 + match &self.kind {
            Kind::List(items) => items.iter().map(Node::size).sum::<usize>(),
            Kind::Map(entries) => entries.iter().map(|entry| entry.value.size()).sum(),
            _ => 0,
        }
    }

    /// The same value as if all of it stood in one place.
    pub(crate) fn placed_at(&self, span: &Range<usize>) -> Node {
        let kind = match &self.kind {
            Kind::List(items) => Kind::List(items.iter().map(|item| item.placed_at(span)).collect()),
            Kind::Map(entries) => {
                let placed = |entry: &Entry| Entry {
                    key: entry.key.clone(),
                    key_span: span.clone(),
                    value: entry.value.placed_at(span),
                };
                Kind::Map(entries.iter().map(placed).collect())
            }
            other => other.clone(),
        };
        Node { span: span.clone(), kind }
    }

    /// The same value with all spans empty, to compare what two documents say.
    pub(crate) fn without_spans(&self) -> Node {
        self.placed_at(&(0..0))
    }

    /// Scalars as text: what stands there, decoded.
    pub fn as_text(&self) -> Option<&str> {
        match &self.kind {
            Kind::Text(text) | Kind::Number(text) => Some(text),
            Kind::Bool(true) => Some("true"),
            Kind::Bool(false) => Some("false"),
            Kind::Null => Some(""),
            Kind::List(_) | Kind::Map(_) | Kind::Alias => None,
        }
    }
}

/// Reports keys that occur more than once in one mapping.
pub(crate) fn report_duplicates(entries: &[Entry], code: Code, findings: &mut Findings) {
    let mut seen = HashSet::new();
    for entry in entries {
        if !seen.insert(entry.key.as_str()) {
            let message = format!("the key `{}` is there already", entry.key);
            let hint = "remove one of them: readers disagree about which one counts";
            findings.add(code, entry.key_span.clone(), message, hint);
        }
    }
}
