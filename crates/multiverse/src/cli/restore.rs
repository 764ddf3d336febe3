//! `multiverse restore`: a document as it was, as a new step. Shows what was restored.

use std::path::{Path, PathBuf};

use serde::Serialize;
use store::{HistoryError, Missing};

use super::exit::Exit;
use super::failure::{Failure, Kind, newest_step};
use super::notices::shell_word;
use super::output::Output;
use super::project::{self, Start};
use super::visible;

/// Bring a document back to what it was
///
/// Puts FILE back to its content right after record N, whole; without --at, to what a
/// step of the program, and nobody's hand, made of it last. What it was until now stays
/// in the history, and restoring is a record of its own that can be undone.
///
/// An edit by hand that had started from an older version is merged with what was
/// recorded since. With --as-written, FILE is put back to what was written then, as
/// if nothing had been recorded meanwhile.
///
/// With --json, one object: {"restored": …}.
///
/// Exit codes: 0 done, 1 error, 2 usage, 5 it is so already
///
/// Examples:
///   multiverse restore README.md --at 1
///   multiverse restore README.md
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    /// The document
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// The number of a record, as `multiverse history FILE` shows it; without it, the newest that no hand made
    #[arg(long, value_name = "N", required_if_eq("as_written", "true"))]
    at: Option<u64>,

    /// The file as a person had written it, before record N merged it
    #[arg(long)]
    as_written: bool,
}

/// What was done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct Restored {
    path: String,
    /// The record whose version it has again.
    at: u64,
    /// Whether it is what a person had written, before that record merged it.
    as_written: bool,
    /// The record that did it; none if it was so already.
    record: Option<u64>,
    /// Whether the file is what the record says.
    in_place: bool,
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
        start.say_project(&project, output)?;
        let at = self.at.or_else(|| newest_step(&project, path.as_str())).ok_or_else(|| {
            let message = format!("no step of the program made {path}");
            let hint =
                format!("`multiverse history {}` lists its records: name one with --at N", shell_word(path.as_str()));
            Failure::new(Kind::Refused, message).at(Path::new(path.as_str())).hint(hint)
        })?;
        let mut store = project::open(&project, Missing::Refuse, output)?;
        // What stands in the file until now must not be lost: it becomes a record first.
        store.settle()?;
        let done = match self.as_written {
            true => store.restore_as_written(&path, at),
            false => store.restore(&path, at),
        };
        let record = match done {
            Err(HistoryError::Same { .. }) => None,
            other => Some(other?),
        };
        let left = project::close(store, record)?;
        let (in_place, head) = (left.trouble.is_none(), left.head.clone());
        let (path, as_written) = (path.to_string(), self.as_written);
        let restored = Restored { path, at, as_written, record, in_place, head };
        output.outcome(&Line::Restored(&restored), &[rendered(&restored)], &left)?;
        Ok(left.exit(record))
    }
}

fn rendered(restored: &Restored) -> String {
    let (path, at) = (visible::text(&restored.path), restored.at);
    let was = if restored.as_written { "was written" } else { "was" };
    match restored.record {
        Some(record) => format!("{path} is as it {was} at record {at} (record {record})"),
        None => format!("{path} is as it {was} at record {at} already"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_restored_is_said() {
        let check = |record, as_written, expected: &str| {
            let (path, head) = ("a\u{1b}.md".into(), String::new());
            let restored = Restored { path, at: 3, as_written, record, in_place: true, head };
            assert_eq!(rendered(&restored), expected);
        };
        check(Some(9), false, "a␛.md is as it was at record 3 (record 9)");
        check(None, false, "a␛.md is as it was at record 3 already");
        check(Some(9), true, "a␛.md is as it was written at record 3 (record 9)");
    }
}
