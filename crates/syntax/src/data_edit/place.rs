//! Owns the way to a value: what stands there, what it stands in, and why one cannot get there. Must not know how
//! either syntax is written, but for the sign that a collection begins with.

use std::ops::Range;

use super::{DataRefusal, Edit, Format, Part, line_of, spelled};
use crate::data::{Entry, Kind, Node, Parsed};

/// Where an edit happens.
#[derive(Debug)]
pub(super) enum Place<'a> {
    /// In an empty document.
    Nowhere { key: Option<&'a str> },
    /// The whole document.
    Root(&'a Node),
    /// A list that gets one more item.
    List(&'a Node),
    /// An entry of a mapping, if the mapping has it, by its number.
    Entry { map: &'a Node, entries: &'a [Entry], number: Option<usize>, key: &'a str },
    /// An item of a list; one behind the last if it is to be inserted there.
    Item { list: &'a Node, items: &'a [Node], number: usize },
}

impl Place<'_> {
    /// The bytes that an edit is about, at least.
    pub(super) fn site(&self) -> Range<usize> {
        match self {
            Self::Nowhere { .. } => 0..0,
            Self::Root(node) | Self::List(node) => node.span.clone(),
            Self::Entry { map, entries, number, .. } => match number.and_then(|number| entries.get(number)) {
                Some(entry) => entry.key_span.start..entry.value.span.end.max(entry.key_span.end),
                None => map.span.clone(),
            },
            Self::Item { list, items, number } => {
                items.get(*number).map_or(list.span.clone(), |item| item.span.clone())
            }
        }
    }

    /// Whether what stands there goes, and not only more comes.
    pub(super) fn is_replaced(&self) -> bool {
        match self {
            Self::Root(_) | Self::Item { .. } | Self::Entry { number: Some(_), .. } => true,
            Self::Nowhere { .. } | Self::List(_) | Self::Entry { number: None, .. } => false,
        }
    }

    /// Whether it stands between brackets, as all of JSON does.
    pub(super) fn is_flow(&self, format: Format, source: &str) -> bool {
        let is_flow = |node: &Node| starts_flow(source, node);
        format == Format::Json
            || match self {
                Self::Nowhere { .. } => false,
                Self::Root(node) | Self::List(node) => is_flow(node),
                Self::Entry { map, .. } => is_flow(map),
                Self::Item { list, .. } => is_flow(list),
            }
    }
}

/// Whether a collection is written between brackets.
pub(super) fn starts_flow(source: &str, node: &Node) -> bool {
    matches!(node.kind, Kind::List(_) | Kind::Map(_))
        && source.get(node.span.clone()).is_some_and(|text| text.starts_with(['[', '{']))
}

/// Finds the way to a value.
pub(super) fn find<'a>(
    source: &str,
    parsed: &'a Parsed,
    path: &[Part<'a>],
    edit: Edit<'_>,
) -> Result<Place<'a>, DataRefusal> {
    let Some(root) = parsed.root.as_ref().filter(|root| root.kind != Kind::Null || path.is_empty()) else {
        return match (path, edit) {
            ([Part::Key(key)], Edit::Set(_)) => Ok(Place::Nowhere { key: Some(key) }),
            ([], Edit::Set(_)) => Ok(Place::Nowhere { key: None }),
            _ => Err(DataRefusal::NoSuchPlace { path: spelled(path), line: 1, there: "nothing".into() }),
        };
    };
    let Some((last, way)) = path.split_last() else {
        return match (edit, &root.kind) {
            (Edit::Set(_), _) => Ok(Place::Root(root)),
            (Edit::Append(_), Kind::List(_)) => Ok(Place::List(root)),
            _ => Err(missing(source, path, root)),
        };
    };
    let mut node = root;
    for (depth, part) in way.iter().enumerate() {
        node = step(source, node, *part, &path[..=depth])?;
    }
    match (*last, &node.kind, edit) {
        (_, Kind::Alias, _) => Err(DataRefusal::Alias { path: spelled(way), line: line_of(source, node.span.start) }),
        (_, _, Edit::Append(_)) => {
            let list = step(source, node, *last, path)?;
            match &list.kind {
                Kind::List(_) => Ok(Place::List(list)),
                Kind::Alias => Err(DataRefusal::Alias { path: spelled(path), line: line_of(source, list.span.start) }),
                _ => Err(missing(source, path, list)),
            }
        }
        (Part::Key(key), Kind::Map(entries), Edit::Set(_) | Edit::Remove) => {
            let number = number_of(source, entries, key)?;
            match (number, edit) {
                (None, Edit::Remove) => Err(missing(source, path, node)),
                _ => Ok(Place::Entry { map: node, entries, number, key }),
            }
        }
        (Part::Index(number), Kind::List(items), Edit::Set(_) | Edit::Remove) if number < items.len() => {
            Ok(Place::Item { list: node, items, number })
        }
        (Part::Index(number), Kind::List(items), Edit::Insert(_)) if number < items.len() => {
            Ok(Place::Item { list: node, items, number })
        }
        (Part::Index(number), Kind::List(items), Edit::Insert(_)) if number == items.len() => Ok(Place::List(node)),
        _ => Err(missing(source, path, node)),
    }
}

fn step<'a>(source: &str, node: &'a Node, part: Part<'_>, path: &[Part<'_>]) -> Result<&'a Node, DataRefusal> {
    match (part, &node.kind) {
        (Part::Key(key), Kind::Map(entries)) => match number_of(source, entries, key)? {
            Some(number) => Ok(&entries[number].value),
            None => Err(missing(source, path, node)),
        },
        (Part::Index(index), Kind::List(items)) => items.get(index).ok_or_else(|| missing(source, path, node)),
        (_, Kind::Alias) => Err(DataRefusal::Alias { path: spelled(path), line: line_of(source, node.span.start) }),
        _ => Err(missing(source, path, node)),
    }
}

fn number_of(source: &str, entries: &[Entry], key: &str) -> Result<Option<usize>, DataRefusal> {
    let mut found = entries.iter().enumerate().filter(|(_, entry)| entry.key == key);
    let first = found.next();
    match (first, found.next()) {
        (Some((_, first)), Some((_, again))) => Err(DataRefusal::Twice {
            key: key.to_owned(),
            line: line_of(source, first.key_span.start),
            again: line_of(source, again.key_span.start),
        }),
        (first, _) => Ok(first.map(|(number, _)| number)),
    }
}

fn missing(source: &str, path: &[Part<'_>], node: &Node) -> DataRefusal {
    const SHOWN: usize = 12;
    let there = match &node.kind {
        Kind::Map(entries) if entries.is_empty() => "a mapping without keys".to_owned(),
        Kind::Map(entries) => {
            let keys: Vec<&str> = entries.iter().take(SHOWN).map(|entry| entry.key.as_str()).collect();
            let more = if entries.len() > SHOWN { ", …" } else { "" };
            format!("a mapping with the keys {}{more}", keys.join(", "))
        }
        Kind::List(items) => format!("a list of {} items, counted from 0", items.len()),
        Kind::Alias => "an alias".to_owned(),
        Kind::Null | Kind::Bool(_) | Kind::Number(_) | Kind::Text(_) => "a single value".to_owned(),
    };
    DataRefusal::NoSuchPlace { path: spelled(path), line: line_of(source, node.span.start), there }
}
