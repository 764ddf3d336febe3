//! `multiverse undo`: takes one step back, as a new step. Shows what was undone.

use std::path::Path;

use serde::Serialize;
use store::{HistoryError, Missing, RealFs, Store};

use super::exit::Exit;
use super::failure::Failure;
use super::output::{Form, Output, listed};
use super::project::{self, Start};

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
///   multiverse undo 2
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    /// The number of the record, as `multiverse history` shows it
    #[arg(value_name = "N")]
    record: u64,
}

/// What was done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct Undone {
    /// The record that was undone.
    undone: u64,
    /// The record that undid it; none if it had changed nothing.
    record: Option<u64>,
    /// The documents that changed.
    paths: Vec<String>,
    /// The digest of the last record.
    head: String,
}

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Line<'a> {
    Undone(&'a Undone),
}

impl Arguments {
    pub(crate) fn run(&self, given: Option<&Path>, output: &mut Output) -> Result<Exit, Failure> {
        let project = Start::of_process(given)?.project()?;
        let mut store = project::open(&project, Missing::Refuse, output)?;
        // What stands in the files counts: an edit that was not taken over yet is a record before this one.
        store.settle()?;
        let record = match store.undo(self.record) {
            Err(HistoryError::NothingToUndo(_)) => None,
            other => Some(other?),
        };
        let paths = record.map_or(Ok(Vec::new()), |record| paths_of(&store, record))?;
        let head = store.close()?.sum.to_string();
        show(&Undone { undone: self.record, record, paths, head }, output)
    }
}

fn paths_of(store: &Store<RealFs>, number: u64) -> Result<Vec<String>, Failure> {
    let mut paths = Vec::new();
    store::records(store.fs(), |record| {
        if record.number == number {
            paths = record.docs.iter().map(|entry| entry.path.to_string()).collect();
        }
    })?;
    Ok(paths)
}

fn show(undone: &Undone, output: &mut Output) -> Result<Exit, Failure> {
    match output.form() {
        Form::Json => output.json(&Line::Undone(undone))?,
        Form::Text => {
            output.say(&rendered(undone))?;
            output.say(&format!("head {}", undone.head))?;
        }
    }
    Ok(if undone.record.is_some() { Exit::Done } else { Exit::NothingToDo })
}

fn rendered(undone: &Undone) -> String {
    match undone.record {
        None => format!("record {} changed no document: nothing to undo", undone.undone),
        Some(record) => {
            format!("undid record {} in {} (record {record})", undone.undone, listed(&undone.paths))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_undone_is_said() {
        let undone = |record, paths: &[&str]| {
            let paths = paths.iter().map(|path| (*path).into()).collect();
            rendered(&Undone { undone: 7, record, paths, head: String::new() })
        };
        assert_eq!(undone(Some(9), &["a.md", "b\u{1b}.md"]), "undid record 7 in a.md, b␛.md (record 9)");
        assert_eq!(undone(None, &[]), "record 7 changed no document: nothing to undo");
    }
}
