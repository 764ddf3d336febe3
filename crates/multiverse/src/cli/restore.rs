//! `multiverse restore`: a document as it was, as a new step. Shows what was restored.

use std::path::{Path, PathBuf};

use serde::Serialize;
use store::{HistoryError, Missing};

use super::exit::Exit;
use super::failure::Failure;
use super::output::{Form, Output};
use super::project::{self, Start};
use super::visible;

/// Bring a document back to what it was
///
/// Puts FILE back to its content right after record N, whole. What it was until now
/// stays in the history, and restoring is a record of its own that can be undone.
///
/// With --json, one object: {"restored": …}.
///
/// Exit codes: 0 done, 1 error, 2 usage, 5 it is so already
///
/// Examples:
///   multiverse restore README.md --at 1
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    /// The document
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// The number of a record, as `multiverse history FILE` shows it
    #[arg(long, value_name = "N")]
    at: u64,
}

/// What was done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct Restored {
    path: String,
    /// The record whose version it has again.
    at: u64,
    /// The record that did it; none if it was so already.
    record: Option<u64>,
    /// The digest of the last record.
    head: String,
}

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Line<'a> {
    Restored(&'a Restored),
}

impl Arguments {
    pub(crate) fn run(&self, given: Option<&Path>, output: &mut Output) -> Result<Exit, Failure> {
        let start = Start::of_process(given)?;
        let project = start.project()?;
        let path = start.document(&project, &self.file)?;
        let mut store = project::open(&project, Missing::Refuse, output)?;
        // What stands in the file until now must not be lost: it becomes a record first.
        store.settle()?;
        let record = match store.restore(&path, self.at) {
            Err(HistoryError::Same { .. }) => None,
            other => Some(other?),
        };
        let head = store.close()?.sum.to_string();
        show(&Restored { path: path.to_string(), at: self.at, record, head }, output)
    }
}

fn show(restored: &Restored, output: &mut Output) -> Result<Exit, Failure> {
    match output.form() {
        Form::Json => output.json(&Line::Restored(restored))?,
        Form::Text => {
            output.say(&rendered(restored))?;
            output.say(&format!("head {}", restored.head))?;
        }
    }
    Ok(if restored.record.is_some() { Exit::Done } else { Exit::NothingToDo })
}

fn rendered(restored: &Restored) -> String {
    let (path, at) = (visible::text(&restored.path), restored.at);
    match restored.record {
        Some(record) => format!("{path} is as it was at record {at} (record {record})"),
        None => format!("{path} is as it was at record {at} already"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_restored_is_said() {
        let restored = |record| rendered(&Restored { path: "a\u{1b}.md".into(), at: 3, record, head: String::new() });
        assert_eq!(restored(Some(9)), "a␛.md is as it was at record 3 (record 9)");
        assert_eq!(restored(None), "a␛.md is as it was at record 3 already");
    }
}
