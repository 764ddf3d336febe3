//! Owns edits between brackets: all of JSON, and the flow style of YAML. Must not know indentation as structure.

use std::ops::Range;

use text::Splice;

use super::place::Place;
use super::style::{Quotes, Style, indent_of, line_start};
use super::{Edit, Format, splice};
use crate::data::{Kind, Node, Parsed, Value};

/// The splices that may make an edit, the best first; each is tried by reading it back.
pub(super) fn splices(format: Format, source: &str, parsed: &Parsed, place: &Place<'_>, edit: Edit<'_>) -> Vec<Splice> {
    let style = Style::of(format, source, parsed.root.as_ref());
    let flow = Flow { source, style: &style };
    let made = match (place, edit) {
        (Place::Root(node), Edit::Set(value)) => Some(flow.replace(node, value)),
        (Place::List(list), Edit::Append(value) | Edit::Insert(value)) => {
            flow.add(list, &|indent| vec![style.flow(value, indent)])
        }
        (Place::Entry { entries, number: Some(number), .. }, Edit::Set(value)) => {
            let entry = &entries[*number];
            match source.get(entry.value.span.clone()).is_some_and(|text| !text.trim().is_empty()) {
                true => Some(flow.replace(&entry.value, value)),
                // A key of YAML that has no value.
                false => Some(flow.give(entry.key_span.end, value)),
            }
        }
        (Place::Entry { map, number: None, key, .. }, Edit::Set(value)) => {
            flow.add(map, &|indent| vec![style.flow_entry(key, value, indent)])
        }
        (Place::Entry { map, number: Some(number), .. }, Edit::Remove) => flow.remove(map, *number),
        (Place::Item { items, number, .. }, Edit::Set(value)) => Some(flow.replace(&items[*number], value)),
        (Place::Item { list, items, number }, Edit::Insert(value)) => {
            Some(flow.put_before(list, &items[*number], value))
        }
        (Place::Item { list, number, .. }, Edit::Remove) => flow.remove(list, *number),
        _ => None,
    };
    made.into_iter().collect()
}

/// A document and its style.
pub(super) struct Flow<'a> {
    pub(super) source: &'a str,
    pub(super) style: &'a Style,
}

impl Flow<'_> {
    /// Another value in the place of one.
    pub(super) fn replace(&self, node: &Node, value: &Value) -> Splice {
        let indent = indent_of(self.source, node.span.start);
        let quotes = match self.source.as_bytes().get(node.span.start) {
            Some(b'"') => Quotes::Double,
            Some(b'\'') => Quotes::Single,
            _ => Quotes::Flow,
        };
        let put = match value {
            Value::Text(_) => self.style.scalar(value, quotes),
            _ => self.style.flow(value, &indent),
        };
        splice(self.source, node.span.clone(), put)
    }

    /// A value for a key that has none.
    fn give(&self, key_end: usize, value: &Value) -> Splice {
        let rest = &self.source[key_end..];
        let value = self.style.flow(value, "");
        match rest.trim_start().starts_with(':') {
            true => {
                let at = key_end + rest.find(':').unwrap_or(0) + 1;
                splice(self.source, at..at, format!(" {value}"))
            }
            false => splice(self.source, key_end..key_end, format!(": {value}")),
        }
    }

    /// More entries or items at the end of a collection. They are written for the indent that they get.
    pub(super) fn add(&self, node: &Node, write: &dyn Fn(&str) -> Vec<String>) -> Option<Splice> {
        let (source, style) = (self.source, self.style);
        let parts = parts_of(node)?;
        let own = indent_of(source, node.span.start);
        let Some(last) = parts.last() else {
            let inner = node.span.start + 1..node.span.end.checked_sub(1)?;
            let is_blank = source.get(inner.clone())?.trim().is_empty();
            if style.format == Format::Json && style.is_broken && is_blank {
                let indent = format!("{own}{}", style.unit);
                let lines = write(&indent).join(&format!(",{}{indent}", style.newline));
                return Some(splice(source, inner, format!("{0}{indent}{lines}{0}{own}", style.newline)));
            }
            let text = write(&own).join(style.comma);
            return Some(splice(source, inner.start..if is_blank { inner.end } else { inner.start }, text));
        };
        let (between, indent) = self.between(node, &parts)?;
        let text: String = write(&indent).iter().map(|part| format!("{between}{part}")).collect();
        Some(splice(source, last.end..last.end, text))
    }

    /// An item before another.
    fn put_before(&self, list: &Node, item: &Node, value: &Value) -> Splice {
        let parts = parts_of(list).unwrap_or_default();
        let (between, indent) = self.between(list, &parts).unwrap_or_else(|| (", ".to_owned(), String::new()));
        let at = item.span.start;
        splice(self.source, at..at, format!("{}{between}", self.style.flow(value, &indent)))
    }

    /// What goes between two parts of a collection, and how far in its parts are.
    fn between(&self, node: &Node, parts: &[Range<usize>]) -> Option<(String, String)> {
        // As the last one stands: a collection may begin on the line of its bracket.
        let last = parts.last()?;
        let is_broken = self.source.get(node.span.start + 1..last.start)?.contains('\n');
        let indent = indent_of(self.source, last.start);
        let is_own = self.source[line_start(self.source, last.start)..last.start].trim().is_empty();
        match is_broken && is_own {
            true => Some((format!(",{}{indent}", self.style.newline), indent)),
            false => Some((self.style.comma.to_owned(), indent)),
        }
    }

    /// Takes a part out, with one comma.
    pub(super) fn remove(&self, node: &Node, number: usize) -> Option<Splice> {
        let parts = parts_of(node)?;
        let part = parts.get(number)?;
        let has_comment = |range: Range<usize>| self.source.get(range).is_some_and(|text| text.contains('#'));
        let is_yaml = self.style.format == Format::Yaml;
        let cut = match (number.checked_sub(1), parts.get(number + 1)) {
            (None, None) => {
                let inner = node.span.start + 1..node.span.end.checked_sub(1)?;
                if is_yaml && has_comment(inner.clone()) { part.clone() } else { inner }
            }
            (None, Some(next)) => part.start..next.start,
            (Some(before), next) => {
                let before = parts.get(before)?.end;
                match (is_yaml && has_comment(before..part.start), next) {
                    (false, _) => before..part.end,
                    // A comment about the one before stays; the comma before it may stay, too.
                    (true, None) => part.clone(),
                    (true, Some(next)) => {
                        let comma = self.source.get(part.end..next.start)?.find(',')?;
                        part.start..part.end + comma + 1
                    }
                }
            }
        };
        Some(splice(self.source, cut, ""))
    }
}

/// Where the entries or items of a collection stand.
pub(super) fn parts_of(node: &Node) -> Option<Vec<Range<usize>>> {
    Some(match &node.kind {
        Kind::List(items) => items.iter().map(|item| item.span.clone()).collect(),
        Kind::Map(entries) => {
            let part = |entry: &crate::data::Entry| entry.key_span.start..entry.value.span.end.max(entry.key_span.end);
            entries.iter().map(part).collect()
        }
        _ => return None,
    })
}
