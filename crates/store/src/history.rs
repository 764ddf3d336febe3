//! The past: records in order, a document as of any record, and going back to either.

use text::{Change, Text, diff};

use crate::blobs;
use crate::commit::{Commit, CommitError, What};
use crate::fault::Fault;
use crate::fs::Fs;
use crate::journal::Head;
use crate::path::ProjectPath;
use crate::record::{Kind, Record};
use crate::store::Store;
use crate::walk::{Problem, Step, follow, walk};

/// Why it is not possible to go back.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HistoryError {
    /// No such record.
    #[error("there is no record {number}; the journal has records 1 to {newest}")]
    NoRecord {
        /// The one asked for.
        number: u64,
        /// The newest there is.
        newest: u64,
    },
    /// The record changed no document.
    #[error("record {0} changed no document, so there is nothing to take back")]
    NothingToUndo(u64),
    /// A later record changed the same place.
    #[error(
        "record {number} cannot be taken back: record {later} changed the same place of {path}; undo {later} first, or use `multiverse restore {path} --at {before}`",
        before = number - 1
    )]
    Overtaken {
        /// The record to take back.
        number: u64,
        /// The one in the way.
        later: u64,
        /// The document.
        path: ProjectPath,
    },
    /// The document never existed by then.
    #[error("{path} is not in the journal; `multiverse history` lists what is")]
    NoDocument {
        /// The document.
        path: ProjectPath,
    },
    /// The document did not exist then.
    #[error("{path} did not exist at record {number}; if it is to go, remove the file")]
    NotThen {
        /// The document.
        path: ProjectPath,
        /// The record.
        number: u64,
    },
    /// The record did not merge an edit of this document.
    #[error("record {number} did not merge {path} with anything: it is as it was written there")]
    NotMerged {
        /// The document.
        path: ProjectPath,
        /// The record.
        number: u64,
    },
    /// The document is as it was.
    #[error("{path} is already as it was at record {number}")]
    Same {
        /// The document.
        path: ProjectPath,
        /// The record.
        number: u64,
    },
    /// The commit failed.
    #[error(transparent)]
    Commit(#[from] CommitError),
    /// The world failed.
    #[error(transparent)]
    Fault(#[from] Fault),
}

/// What a way through all records brought.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Walked {
    /// The last record.
    pub head: Head,
    /// What is wrong on the way.
    pub problems: Vec<Problem>,
}

/// All records in order. Damage is passed over and named.
pub fn records<F: Fs>(fs: &F, mut take: impl FnMut(Record)) -> Result<Walked, Fault> {
    let mut problems = Vec::new();
    let head = walk(fs, &mut |step| {
        match step {
            Step::Record(record, _) => take(*record),
            Step::Problem(problem) => problems.push(problem),
        }
        Ok(())
    })?;
    Ok(Walked { head, problems })
}

/// A document as of a record: nothing when it did not exist then.
pub fn document_at<F: Fs>(fs: &F, path: &ProjectPath, number: u64) -> Result<Option<Text>, HistoryError> {
    let mut text: Option<Text> = None;
    let mut met = false;
    let mut newest = 0;
    walk(fs, &mut |step| {
        let Step::Record(record, _) = step else { return Ok(()) };
        newest = record.number;
        for entry in record.docs.iter().filter(|entry| entry.path == *path) {
            met = true;
            if record.number <= number {
                let before = text.as_ref().filter(|_| record.kind != Kind::Adopt);
                text = follow(fs, before, entry)?.unwrap_or_default();
            }
        }
        Ok(())
    })?;
    match () {
        () if number > newest => Err(HistoryError::NoRecord { number, newest }),
        () if !met => Err(HistoryError::NoDocument { path: path.clone() }),
        () => Ok(text),
    }
}

/// All records in order, each with what it made of the documents that are wanted: nothing for one that is gone. Damage is
/// passed over and named.
pub fn versions<F: Fs>(
    fs: &F,
    is_wanted: impl Fn(&ProjectPath) -> bool,
    mut take: impl FnMut(&Record, &[(ProjectPath, Option<Text>)]),
) -> Result<Walked, Fault> {
    let (mut problems, mut texts) = (Vec::new(), std::collections::HashMap::<ProjectPath, Text>::new());
    let head = walk(fs, &mut |step| {
        let record = match step {
            Step::Record(record, _) => record,
            Step::Problem(problem) => {
                problems.push(problem);
                return Ok(());
            }
        };
        let mut made = Vec::new();
        for entry in record.docs.iter().filter(|entry| is_wanted(&entry.path)) {
            let before = texts.remove(&entry.path).filter(|_| record.kind != Kind::Adopt);
            let after = follow(fs, before.as_ref(), entry)?.flatten();
            texts.extend(after.clone().map(|text| (entry.path.clone(), text)));
            made.push((entry.path.clone(), after));
        }
        take(&record, &made);
        Ok(())
    })?;
    Ok(Walked { head, problems })
}

impl<F: Fs> Store<F> {
    /// Takes the changes of one record back, as a new record, if nothing built on them since.
    pub fn undo(&mut self, number: u64) -> Result<u64, HistoryError> {
        self.catch_up()?;
        let newest = self.head().number;
        if number == 0 || number > newest {
            return Err(HistoryError::NoRecord { number, newest });
        }
        let mut taken_back: Vec<(ProjectPath, What)> = Vec::new();
        let mut later: Vec<(ProjectPath, u64, Change)> = Vec::new();
        walk(&self.fs, &mut |step| {
            let Step::Record(record, _) = step else { return Ok(()) };
            if record.number == number {
                taken_back = inverse(&self.fs, &record)?;
            } else if record.number > number && record.number <= newest {
                for entry in record.docs.iter().filter(|entry| taken_back.iter().any(|(path, _)| *path == entry.path)) {
                    let change = blobs::change(&self.fs, &entry.edits)?;
                    later.push((entry.path.clone(), record.number, change));
                }
            }
            Ok(())
        })?;
        if taken_back.is_empty() {
            return Err(HistoryError::NothingToUndo(number));
        }
        let mut changes = Vec::with_capacity(taken_back.len());
        for (path, what) in taken_back {
            let since: Vec<_> =
                later.iter().filter(|(other, ..)| *other == path).map(|(_, at, by)| (*at, by)).collect();
            let what = carried(what, &since, self.read(&path)).map_err(|later| HistoryError::Overtaken {
                number,
                later,
                path: path.clone(),
            })?;
            changes.push((path, what));
        }
        let commit = Commit::new(format!("record {number} taken back"), newest, changes).of_kind(Kind::Undo);
        Ok(self.commit(commit)?)
    }

    /// Puts a document back to what it was at a record, as a new record.
    pub fn restore(&mut self, path: &ProjectPath, number: u64) -> Result<u64, HistoryError> {
        self.catch_up()?;
        if number == 0 {
            return Err(HistoryError::NoRecord { number, newest: self.head().number });
        }
        let then = document_at(&self.fs, path, number)?;
        let text = then.ok_or_else(|| HistoryError::NotThen { path: path.clone(), number })?;
        self.put_back(path, number, &text, format!("{path} put back to record {number}"))
    }

    /// Puts a document back to what a person had written, before it was merged with what had been committed meanwhile.
    pub fn restore_as_written(&mut self, path: &ProjectPath, number: u64) -> Result<u64, HistoryError> {
        self.catch_up()?;
        let mut written = None;
        walk(&self.fs, &mut |step| {
            if let Step::Record(record, _) = step
                && record.number == number
            {
                written = record.docs.into_iter().find(|entry| entry.path == *path).and_then(|entry| entry.file);
            }
            Ok(())
        })?;
        let piece = written.ok_or_else(|| HistoryError::NotMerged { path: path.clone(), number })?;
        let text = blobs::text(&self.fs, &piece)?;
        self.put_back(path, number, &text, format!("{path} put back to what was written at record {number}"))
    }

    fn put_back(&mut self, path: &ProjectPath, number: u64, text: &Text, cause: String) -> Result<u64, HistoryError> {
        let what = match self.read(path) {
            Some(now) if now == text => return Err(HistoryError::Same { path: path.clone(), number }),
            Some(_) => What::Write(text.to_vec().into()),
            None => What::Create(text.to_vec().into()),
        };
        let commit = Commit::new(cause, self.head().number, vec![(path.clone(), what)]).of_kind(Kind::Restore);
        Ok(self.commit(commit)?)
    }
}

/// What takes a record's changes back, document by document.
fn inverse<F: Fs>(fs: &F, record: &Record) -> Result<Vec<(ProjectPath, What)>, Fault> {
    let mut all = Vec::new();
    // What was adopted was there before: taking that back would remove somebody's own files.
    let docs = if record.kind == Kind::Adopt { &[][..] } else { &record.docs };
    for entry in docs.iter().filter(|entry| !entry.edits.is_empty() || entry.was != entry.now) {
        let change: Change = blobs::change(fs, &entry.edits)?.inverse();
        let what = match (entry.was.is_present(), entry.now.is_present()) {
            (false, _) => What::Delete,
            (true, false) => {
                What::Create(change.splices().first().map(|splice| splice.put.clone()).unwrap_or_default())
            }
            (true, true) => What::Edit(change),
        };
        all.push((entry.path.clone(), what));
    }
    Ok(all)
}

/// The same on top of later changes of the document; the number of the one that is in the way.
fn carried(what: What, since: &[(u64, &Change)], head: Option<&Text>) -> Result<What, u64> {
    let Some((last, _)) = since.last() else { return Ok(what) };
    let text = head.cloned().unwrap_or_default();
    // The version that the record made: later changes may have been taken back themselves.
    let after = since.iter().rev().try_fold(text.clone(), |text, (_, change)| change.inverse().apply(&text));
    let net = diff(&after.map_err(|_| *last)?, &text);
    match what {
        What::Edit(change) => {
            let mut moved = Ok(change.clone());
            for (number, later) in since {
                moved = moved.and_then(|change: Change| change.rebase(later).map_err(|_| *number));
            }
            moved.or_else(|number| change.rebase(&net).map_err(|_| number)).map(What::Edit)
        }
        What::Create(_) if head.is_none() => Ok(what),
        What::Delete if head.is_some() && net.is_empty() => Ok(what),
        _ => Err(*last),
    }
}
