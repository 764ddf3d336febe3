//! Owns bringing a JSON document up to date with what it shall say: only what differs is touched, and what is not spoken
//! of stays. Must not know what the values mean.

use text::{Change, Splice};

use super::flow::{Flow, parts_of};
use super::style::Style;
use super::{DataRefusal, Format, check, line_of, reads_as, splice};
use crate::data::{Entry, Kind, Node, Value};
use crate::json;

/// The change after which a JSON document says all of `wanted`. Keys that `wanted` does not name keep their values;
/// lists have the length of the wanted ones.
pub fn revise_json(bytes: &[u8], wanted: &Value) -> Result<Change, DataRefusal> {
    let parsed = json::parse(bytes);
    let source = check(&parsed, bytes)?;
    let Some(root) = &parsed.root else {
        return Err(DataRefusal::NoSuchPlace { path: "the document".into(), line: 1, there: "nothing".into() });
    };
    let style = Style::of(Format::Json, source, Some(root));
    let mut revision = Revision { flow: Flow { source, style: &style }, splices: Vec::new() };
    revision.node(root, wanted)?;
    let mut splices = revision.splices;
    splices.sort_by_key(|splice| splice.at);
    let expected = merged(root, wanted);
    if !reads_as(Format::Json, bytes, &parsed, &splices, Some(&expected)) {
        return Err(DataRefusal::NotWritable { path: "the document".into(), line: 1 });
    }
    Ok(Change::from_splices(splices))
}

struct Revision<'a> {
    flow: Flow<'a>,
    splices: Vec<Splice>,
}

impl Revision<'_> {
    fn node(&mut self, node: &Node, wanted: &Value) -> Result<(), DataRefusal> {
        match (&node.kind, wanted) {
            (Kind::Map(entries), Value::Map(keys)) => self.map(node, entries, keys),
            (Kind::List(items), Value::List(values)) => self.list(node, items, values),
            _ => {
                if node.without_spans() != wanted.to_node() {
                    self.splices.push(self.flow.replace(node, wanted));
                }
                Ok(())
            }
        }
    }

    fn map(&mut self, node: &Node, entries: &[Entry], keys: &[(String, Value)]) -> Result<(), DataRefusal> {
        let mut added = Vec::new();
        for (key, value) in keys {
            let mut found = entries.iter().filter(|entry| entry.key == *key);
            match (found.next(), found.next()) {
                (Some(first), Some(again)) => {
                    let line = |entry: &Entry| line_of(self.flow.source, entry.key_span.start);
                    return Err(DataRefusal::Twice { key: key.clone(), line: line(first), again: line(again) });
                }
                (Some(entry), None) => self.node(&entry.value, value)?,
                (None, _) => added.push((key, value)),
            }
        }
        if !added.is_empty() {
            let style = self.flow.style;
            let write = |indent: &str| added.iter().map(|(key, value)| style.flow_entry(key, value, indent)).collect();
            self.splices.extend(self.flow.add(node, &write));
        }
        Ok(())
    }

    fn list(&mut self, node: &Node, items: &[Node], values: &[Value]) -> Result<(), DataRefusal> {
        for (item, value) in items.iter().zip(values) {
            self.node(item, value)?;
        }
        if values.len() > items.len() {
            let style = self.flow.style;
            let write = |indent: &str| values[items.len()..].iter().map(|value| style.flow(value, indent)).collect();
            self.splices.extend(self.flow.add(node, &write));
        } else if values.len() < items.len() {
            let parts = parts_of(node).unwrap_or_default();
            let cut = match (values.len().checked_sub(1).and_then(|last| parts.get(last)), parts.last()) {
                (Some(kept), Some(last)) => kept.end..last.end,
                _ => node.span.start + 1..node.span.end.saturating_sub(1).max(node.span.start + 1),
            };
            self.splices.push(splice(self.flow.source, cut, ""));
        }
        Ok(())
    }
}

/// What the document says afterwards.
fn merged(node: &Node, wanted: &Value) -> Node {
    match (&node.kind, wanted) {
        (Kind::Map(entries), Value::Map(keys)) => {
            let wanted_of = |key: &str| keys.iter().find(|(other, _)| other == key).map(|(_, value)| value);
            let kept = entries.iter().map(|entry| Entry {
                key: entry.key.clone(),
                key_span: 0..0,
                value: wanted_of(&entry.key)
                    .map_or_else(|| entry.value.without_spans(), |value| merged(&entry.value, value)),
            });
            let is_new = |(key, _): &&(String, Value)| !entries.iter().any(|entry| entry.key == *key);
            let added = keys.iter().filter(is_new).map(|(key, value)| Entry {
                key: key.clone(),
                key_span: 0..0,
                value: value.to_node(),
            });
            Node { span: 0..0, kind: Kind::Map(kept.chain(added).collect()) }
        }
        (Kind::List(items), Value::List(values)) => {
            let item = |(number, value): (usize, &Value)| {
                items.get(number).map_or_else(|| value.to_node(), |item| merged(item, value))
            };
            Node { span: 0..0, kind: Kind::List(values.iter().enumerate().map(item).collect()) }
        }
        _ => wanted.to_node(),
    }
}
