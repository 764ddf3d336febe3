//! Owns how new values are written so that they look like the document they go into: line endings, indentation, blanks
//! behind colons and commas, quotes. Must not know where they go.

use super::Format;
use crate::data::{Entry, Kind, Node, Value};
use crate::json;
use crate::yaml::scalar::{is_plain, is_special, quoted};

/// How a document is written.
#[derive(Debug, Clone)]
pub(super) struct Style {
    pub(super) format: Format,
    pub(super) newline: &'static str,
    /// What one level of nesting is further in.
    pub(super) unit: String,
    /// Behind a key: `: ` or `:`.
    pub(super) colon: &'static str,
    /// Between values of one line: `, ` or `,`.
    pub(super) comma: &'static str,
    /// Whether collections are broken over lines.
    pub(super) is_broken: bool,
}

impl Style {
    /// That of a document.
    pub(super) fn of(format: Format, source: &str, root: Option<&Node>) -> Self {
        let newline = match source.find('\n') {
            Some(feed) if source[..feed].ends_with('\r') => "\r\n",
            _ => "\n",
        };
        let (mut unit, mut colon, mut is_broken) = (None, ": ", format == Format::Json);
        if let (Format::Json, Some(root)) = (format, root) {
            is_broken = source.get(root.span.clone()).is_some_and(|text| text.contains('\n'));
            unit = first_start(root).map(|start| indent_of(source, start)).filter(|indent| !indent.is_empty());
            if let Kind::Map(entries) = &root.kind
                && let Some(entry) = entries.first()
                && source.get(entry.key_span.end..entry.value.span.start) == Some(":")
            {
                colon = ":";
            }
            if matches!(&root.kind, Kind::Map(entries) if entries.is_empty())
                || matches!(&root.kind, Kind::List(items) if items.is_empty())
            {
                is_broken = true;
            }
        }
        let comma = if colon == ":" && !is_broken { "," } else { ", " };
        Self { format, newline, unit: unit.unwrap_or_else(|| "  ".to_owned()), colon, comma, is_broken }
    }

    /// A value between brackets or alone; further lines are this far in.
    pub(super) fn flow(&self, value: &Value, indent: &str) -> String {
        let mut out = String::new();
        self.write_flow(&mut out, value, indent);
        out
    }

    /// A key and its value between brackets.
    pub(super) fn flow_entry(&self, key: &str, value: &Value, indent: &str) -> String {
        let mut out = self.key(key);
        out.push_str(self.colon);
        self.write_flow(&mut out, value, indent);
        out
    }

    fn write_flow(&self, out: &mut String, value: &Value, indent: &str) {
        let (open, close, parts): (_, _, Vec<(Option<&String>, &Value)>) = match value {
            Value::List(items) => ('[', ']', items.iter().map(|item| (None, item)).collect()),
            Value::Map(entries) => ('{', '}', entries.iter().map(|(key, value)| (Some(key), value)).collect()),
            _ => return out.push_str(&self.scalar(value, Quotes::Flow)),
        };
        let is_broken = self.is_broken && self.format == Format::Json && !parts.is_empty();
        let deeper = format!("{indent}{}", self.unit);
        out.push(open);
        for (number, (key, value)) in parts.into_iter().enumerate() {
            if number > 0 {
                out.push_str(if is_broken { "," } else { self.comma });
            }
            if is_broken {
                out.push_str(self.newline);
                out.push_str(&deeper);
            }
            if let Some(key) = key {
                out.push_str(&self.key(key));
                out.push_str(self.colon);
            }
            self.write_flow(out, value, &deeper);
        }
        if is_broken {
            out.push_str(self.newline);
            out.push_str(indent);
        }
        out.push(close);
    }

    /// A key as it is written.
    pub(super) fn key(&self, key: &str) -> String {
        match self.format {
            Format::Json => json_text(key),
            Format::Yaml if is_plain(key) && !key.contains(is_flow_sign) => key.to_owned(),
            Format::Yaml => quoted(key),
        }
    }

    /// A single value as it is written; a collection as an empty one.
    pub(super) fn scalar(&self, value: &Value, quotes: Quotes) -> String {
        match (value, self.format) {
            (Value::Null, _) => "null".to_owned(),
            (Value::Bool(true), _) => "true".to_owned(),
            (Value::Bool(false), _) => "false".to_owned(),
            (Value::Number(number), _) => number.clone(),
            (Value::List(_), _) => "[]".to_owned(),
            (Value::Map(_), _) => "{}".to_owned(),
            (Value::Text(text), Format::Json) => json_text(text),
            (Value::Text(text), Format::Yaml) => match quotes {
                Quotes::Single if !text.contains(is_special) => format!("'{}'", text.replace('\'', "''")),
                Quotes::Plain if is_plain(text) => text.clone(),
                Quotes::Flow if is_plain(text) && !text.contains(is_flow_sign) => text.clone(),
                Quotes::Single | Quotes::Double | Quotes::Plain | Quotes::Flow => quoted(text),
            },
        }
    }

    /// The lines of a block value, the first without its indent and the last without its ending; further lines are
    /// this far in.
    pub(super) fn block(&self, value: &Value, indent: &str) -> String {
        let mut lines = Vec::new();
        match value {
            Value::List(items) if !items.is_empty() => {
                for item in items {
                    lines.push(format!("- {}", self.block(item, &format!("{indent}  "))));
                }
            }
            Value::Map(entries) if !entries.is_empty() => {
                for (key, value) in entries {
                    lines.push(self.block_entry(key, value, indent));
                }
            }
            _ => lines.push(self.scalar(value, Quotes::Plain)),
        }
        lines.join(&format!("{}{indent}", self.newline))
    }

    /// A key and its value, the first line without its indent.
    pub(super) fn block_entry(&self, key: &str, value: &Value, indent: &str) -> String {
        let key = self.key(key);
        match value {
            Value::List(items) if items.is_empty() => format!("{key}: []"),
            Value::Map(entries) if entries.is_empty() => format!("{key}: {{}}"),
            Value::List(_) | Value::Map(_) => {
                let deeper = format!("{indent}{}", self.unit);
                format!("{key}:{}{deeper}{}", self.newline, self.block(value, &deeper))
            }
            _ => format!("{key}: {}", self.scalar(value, Quotes::Plain)),
        }
    }
}

/// How a text is quoted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Quotes {
    Single,
    Double,
    /// None where it can do without.
    Plain,
    /// None where it can do without between brackets.
    Flow,
}

fn json_text(text: &str) -> String {
    let mut out = String::new();
    json::write_string(&mut out, text);
    out
}

fn is_flow_sign(character: char) -> bool {
    ",[]{}".contains(character)
}

fn first_start(node: &Node) -> Option<usize> {
    match &node.kind {
        Kind::Map(entries) => entries.first().map(|Entry { key_span, .. }| key_span.start),
        Kind::List(items) => items.first().map(|item| item.span.start),
        _ => None,
    }
}

/// Where the line of a place begins.
pub(super) fn line_start(source: &str, at: usize) -> usize {
    source[..at].rfind('\n').map_or(0, |feed| feed + 1)
}

/// The blanks that a line begins with, up to a place in it.
pub(super) fn indent_of(source: &str, at: usize) -> String {
    let line = &source[line_start(source, at)..at];
    line.chars().take_while(|character| matches!(character, ' ' | '\t')).collect()
}
