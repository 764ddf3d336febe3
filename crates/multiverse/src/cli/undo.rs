//! `multiverse undo`: takes one step back, as a new step. Shows what was undone.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Serialize;
use store::{HistoryError, Missing, RealFs, Store};

use super::exit::Exit;
use super::failure::Failure;
use super::output::{Output, listed};
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
/// 5 there was nothing to undo, or it was taken back already
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
    /// The record that had undone it before, and stands.
    #[serde(skip_serializing_if = "Option::is_none")]
    taken_back_by: Option<u64>,
    /// The documents that changed.
    paths: Vec<String>,
    /// Whether the files are what the record says.
    in_place: bool,
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
        let start = Start::of_process(given)?;
        let project = start.project()?;
        start.say_project(&project, output)?;
        let mut store = project::open(&project, Missing::Refuse, output)?;
        // What stands in the files counts: an edit that was not taken over yet is a record before this one.
        store.settle()?;
        let taken_back_by = taken_back_by(&store, self.record)?;
        let record = match taken_back_by {
            Some(_) => None,
            None => match store.undo(self.record) {
                Err(HistoryError::NothingToUndo(_)) => None,
                other => Some(other?),
            },
        };
        let paths = record.map_or(Ok(Vec::new()), |record| paths_of(&store, record))?;
        let left = project::close(store, record)?;
        let (in_place, head) = (left.trouble.is_none(), left.head.clone());
        let undone = Undone { undone: self.record, record, taken_back_by, paths, in_place, head };
        output.outcome(&Line::Undone(&undone), &[rendered(&undone)], &left)?;
        Ok(left.exit(record))
    }
}

/// The record that took another back and was not taken back itself.
fn taken_back_by(store: &Store<RealFs>, number: u64) -> Result<Option<u64>, Failure> {
    let mut undone = Vec::new();
    store::records(store.fs(), |record| {
        // The cause is the only place where a record of this kind says what it took back.
        let target = record.cause.strip_prefix("record ").and_then(|rest| rest.strip_suffix(" taken back"));
        if let (store::Kind::Undo, Some(target)) = (record.kind, target.and_then(|number| number.parse().ok())) {
            undone.push((record.number, target));
        }
    })?;
    Ok(standing(&undone).remove(&number))
}

/// Which records are taken back, and by which, of pairs in the order they were recorded.
fn standing(undone: &[(u64, u64)]) -> BTreeMap<u64, u64> {
    let mut by = BTreeMap::new();
    // Whatever takes a record back comes after it, so the newest are known to stand.
    for (record, target) in undone.iter().rev() {
        if !by.contains_key(record) {
            by.entry(*target).or_insert(*record);
        }
    }
    by
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

fn rendered(undone: &Undone) -> String {
    let number = undone.undone;
    match (undone.record, undone.taken_back_by) {
        (Some(record), _) => format!("undid record {number} in {} (record {record})", listed(&undone.paths)),
        (None, Some(other)) => format!("record {number} was taken back by record {other} already"),
        (None, None) => format!("record {number} changed no document: nothing to undo"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_undone_is_said() {
        let undone = |record, taken_back_by, paths: &[&str]| {
            let paths = paths.iter().map(|path| (*path).into()).collect();
            rendered(&Undone { undone: 7, record, taken_back_by, paths, in_place: true, head: String::new() })
        };
        assert_eq!(undone(Some(9), None, &["a.md", "b\u{1b}.md"]), "undid record 7 in a.md, b␛.md (record 9)");
        assert_eq!(undone(None, None, &[]), "record 7 changed no document: nothing to undo");
        assert_eq!(undone(None, Some(8), &[]), "record 7 was taken back by record 8 already");
    }

    #[test]
    fn what_took_a_record_back_may_be_taken_back_itself() {
        let check = |undone: &[(u64, u64)], expected: &[(u64, u64)]| {
            assert_eq!(standing(undone).into_iter().collect::<Vec<_>>(), expected, "{undone:?}");
        };
        check(&[], &[]);
        check(&[(3, 2)], &[(2, 3)]);
        check(&[(3, 2), (4, 3)], &[(3, 4)]);
        check(&[(3, 2), (4, 3), (5, 4)], &[(2, 3), (4, 5)]);
        check(&[(3, 2), (4, 3), (5, 2)], &[(2, 5), (3, 4)]);
    }
}
