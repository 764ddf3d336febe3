//! `multiverse undo`: takes one step back, as a new step. Shows what was undone.

use serde::Serialize;

use super::exit::Exit;
use super::failure::Failure;
use super::output::{Form, Output};
use super::visible;

/// Take back what one record changed
///
/// Puts back what record N changed in the documents, and leaves alone what was
/// changed since elsewhere in them. Undoing is a record of its own and can be undone;
/// the history keeps both. If the same rows were changed since, nothing is done and
/// they are named.
///
/// With --json, one object: {"undone": …}.
///
/// Exit codes: 0 done, 1 error or the same rows were changed since, 2 usage,
/// 5 there was nothing to undo
///
/// Examples:
///   multiverse undo 1
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    /// The number of the record, as `multiverse history` shows it
    #[arg(value_name = "N")]
    pub(crate) record: u64,
}

/// What was done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Undone {
    /// The record that was undone.
    pub(crate) undone: u64,
    /// The record that undid it; none if it had changed nothing.
    pub(crate) record: Option<u64>,
    /// The documents that changed.
    pub(crate) paths: Vec<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Line<'a> {
    Undone(&'a Undone),
}

pub(crate) fn show(undone: &Undone, output: &mut Output) -> Result<Exit, Failure> {
    match output.form() {
        Form::Json => output.json(&Line::Undone(undone))?,
        Form::Text => output.say(&rendered(undone))?,
    }
    Ok(if undone.record.is_some() { Exit::Done } else { Exit::NothingToDo })
}

fn rendered(undone: &Undone) -> String {
    match undone.record {
        None => format!("record {} changed no document: nothing to undo", undone.undone),
        Some(record) => {
            let paths: Vec<String> = undone.paths.iter().map(|path| visible::text(path)).collect();
            format!("undid record {} in {} (record {record})", undone.undone, paths.join(", "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_undone_is_said() {
        let undone = |record, paths: &[&str]| {
            rendered(&Undone { undone: 7, record, paths: paths.iter().map(|path| (*path).into()).collect() })
        };
        assert_eq!(undone(Some(9), &["a.md", "b\u{1b}.md"]), "undid record 7 in a.md, b␛.md (record 9)");
        assert_eq!(undone(None, &[]), "record 7 changed no document: nothing to undo");
    }
}
