//! Proves a journal: every record numbered, whole and chained; every blob what its name says; every document what
//! the records make it.

use std::collections::BTreeMap;

use text::Text;

use crate::checkpoint;
use crate::fault::{Fault, FaultKind};
use crate::files;
use crate::fs::Fs;
use crate::journal::Head;
use crate::path::ProjectPath;
use crate::record::{Kind, Sum};
use crate::recover::journal_is_gone;
use crate::walk::{Problem, Step, follow, walk};

/// What a verification found.
#[derive(Debug, Default)]
pub struct Verification {
    /// The last record.
    pub head: Head,
    /// How many records there are.
    pub records: u64,
    /// What is wrong with the journal; nothing when it is as it was written.
    pub problems: Vec<Problem>,
    /// How many documents the records make.
    pub documents: usize,
    /// Documents whose files differ from what the records make of them: edited and not yet taken over, or not yet placed.
    pub differing: Vec<ProjectPath>,
}

/// Reads everything, changes nothing. With `expected`, that record must be in the journal too: then nothing was cut
/// off before it.
pub fn verify<F: Fs>(fs: &F, expected: Option<Sum>) -> Result<Verification, Fault> {
    let mut found = Verification::default();
    let mut documents: BTreeMap<ProjectPath, Option<Text>> = BTreeMap::new();
    let mut met = expected.is_none_or(|sum| sum == Sum::default());
    let mut follows = true;
    let mut checkpoints = checkpoint_heads(fs, &mut found)?;
    if crate::segment::numbers(fs)?.is_empty() && crate::lock::was_signed(fs)? {
        found.problems.push(about(&crate::segment::folder(), 0, journal_is_gone().reason));
    }
    let head = walk(fs, &mut |step| {
        match step {
            Step::Problem(problem) => {
                found.problems.push(problem);
                // From here on the records have a gap, and documents cannot be followed across it.
                follows = false;
            }
            Step::Record(record, sum) => {
                found.records += 1;
                checkpoints.retain(|head| *head != Head { number: record.number, sum });
                met |= expected == Some(sum);
                for entry in &record.docs {
                    if !follows {
                        break;
                    }
                    // Whoever adopts a document begins anew.
                    let known = documents.get(&entry.path).filter(|_| record.kind != Kind::Adopt);
                    let before = known.and_then(Option::as_ref);
                    match follow(fs, before, entry) {
                        Ok(Some(after)) => {
                            documents.insert(entry.path.clone(), after);
                        }
                        Ok(None) => {
                            let message = format!("record {} does not fit {}", record.number, entry.path);
                            found.problems.push(about(&entry.path, record.number, message));
                            follows = false;
                        }
                        Err(fault) if matches!(fault.kind, FaultKind::Damaged | FaultKind::Missing) => {
                            let message = format!("record {} needs {}: {}", record.number, fault.path, fault.reason);
                            found.problems.push(about(&entry.path, record.number, message));
                            follows = false;
                        }
                        Err(fault) => return Err(fault),
                    }
                }
            }
        }
        Ok(())
    })?;
    found.head = head;
    if !met {
        let sum = expected.unwrap_or_default();
        let message = format!("no record has the digest {sum}: records were cut off the end, or changed");
        found.problems.push(about(&crate::segment::folder(), head.number, message));
    }
    for head in checkpoints {
        let message =
            format!("the checkpoint of record {} is not of this journal, or records were cut off it", head.number);
        found.problems.push(about(&crate::segment::folder(), head.number, message));
    }
    found.documents = documents.values().flatten().count();
    if follows {
        found.differing = differing(fs, &documents)?;
    }
    Ok(found)
}

/// The records that there are checkpoints of. One that is damaged is passed over by everyone, and told here.
fn checkpoint_heads<F: Fs>(fs: &F, found: &mut Verification) -> Result<Vec<Head>, Fault> {
    let mut heads = Vec::new();
    for number in checkpoint::numbers(fs)? {
        match checkpoint::head(fs, number) {
            Ok(head) => heads.push(head),
            Err(fault) if fault.kind == FaultKind::Damaged => {
                let message = format!("the checkpoint of record {number} cannot be read: {}", fault.reason);
                found.problems.push(about(&crate::segment::folder(), number, message));
            }
            Err(fault) => return Err(fault),
        }
    }
    Ok(heads)
}

fn differing<F: Fs>(fs: &F, documents: &BTreeMap<ProjectPath, Option<Text>>) -> Result<Vec<ProjectPath>, Fault> {
    let mut all = Vec::new();
    for (path, expected) in documents {
        let there = match files::read_text(fs, path) {
            Ok(content) => content.map(|(text, _)| text),
            Err(fault) if fault.kind == FaultKind::NotAFile => None,
            Err(fault) => return Err(fault),
        };
        if there != *expected {
            all.push(path.clone());
        }
    }
    Ok(all)
}

fn about(path: &ProjectPath, record: u64, message: String) -> Problem {
    Problem { path: path.clone(), line: 0, record: Some(record), message }
}
