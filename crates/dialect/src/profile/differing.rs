//! Where a status does not say what its run says: what somebody wrote there by hand and nobody took. Must not change anything.

use machine::profile::Run;
use syntax::data::{Kind, Node, Value};
use syntax::json;

use super::status::{Beside, status};

/// A field that says something else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Differing {
    /// Its name, at the top of the document.
    pub field: String,
    /// Its line, from 1.
    pub line: usize,
}

/// The fields that differ, in the order of the document. What nobody here knows may say what it likes.
pub fn differing(bytes: &[u8], run: &Run, beside: &Beside) -> Vec<Differing> {
    let (Some(root), Value::Map(wanted)) = (json::parse(bytes).root, status(run, beside)) else { return Vec::new() };
    let Kind::Map(entries) = &root.kind else { return Vec::new() };
    let differs = |entry: &&syntax::data::Entry| {
        let wanted = wanted.iter().find(|(key, _)| *key == entry.key).map(|(_, value)| value);
        wanted.is_some_and(|wanted| {
            !says(&entry.value, wanted) || (entry.key == "artifacts" && claims(&entry.value, run))
        })
    };
    let line = |at: usize| syntax::line_and_column(bytes, at).0;
    let found = entries.iter().filter(differs);
    found.map(|entry| Differing { field: entry.key.clone(), line: line(entry.key_span.start) }).collect()
}

/// Whether a value says at least this: keys that nobody here knows do not count.
fn says(node: &Node, wanted: &Value) -> bool {
    match (&node.kind, wanted) {
        (Kind::Map(_), Value::Map(wanted)) => {
            wanted.iter().all(|(key, value)| node.value(key).is_some_and(|node| says(node, value)))
        }
        (Kind::List(items), Value::List(wanted)) => {
            items.len() == wanted.len() && items.iter().zip(wanted).all(|(item, wanted)| says(item, wanted))
        }
        _ => node.to_value().as_ref() == Some(wanted),
    }
}

/// Whether a list of artifacts names an output that no step of the run has left: a name proves nothing.
fn claims(node: &Node, run: &Run) -> bool {
    let Kind::Map(entries) = &node.kind else { return false };
    let is_required = |name: &str| run.plan.iter().any(|step| step.step.required_outputs.iter().any(|one| one == name));
    entries.iter().any(|entry| is_required(&entry.key) && !run.artifacts.contains_key(&entry.key))
}
