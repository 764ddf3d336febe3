//! `multiverse adopt`: documents come under the journal. Shows which.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde::Serialize;
use store::{Missing, ProjectPath};

use super::documents;
use super::exit::Exit;
use super::failure::Failure;
use super::output::{Form, Output, listed};
use super::project::{self, Start};

/// Put documents under the journal
///
/// From here on every change of these documents is recorded, whoever makes it, and
/// can be shown, undone and restored. The files themselves are not changed. A folder
/// stands for the documents below it. Where there is no project yet, one begins in
/// this folder, or in that given with -C.
///
/// With --json, one object: {"adopted": …}.
///
/// Exit codes: 0 done, 1 error, 2 usage, 5 all of them were under the journal already
///
/// Examples:
///   multiverse adopt README.md
///   multiverse adopt README.md docs/
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    /// Documents or folders
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
}

/// What was done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct Adopted {
    /// The record that did it; none if there was nothing to do.
    record: Option<u64>,
    paths: Vec<String>,
    /// Those that were under the journal before.
    already: Vec<String>,
    /// The digest of the last record.
    head: String,
}

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Line<'a> {
    Adopted(&'a Adopted),
}

impl Arguments {
    pub(crate) fn run(&self, given: Option<&Path>, output: &mut Output) -> Result<Exit, Failure> {
        let start = Start::of_process(given)?;
        let project = start.project_or_new();
        // All names are understood before a project is begun for them.
        let documents = self.documents(&start, &project)?;
        let mut store = project::open(&project, Missing::Create, output)?;
        // An edit that was not taken over yet came before this.
        store.settle()?;
        let (already, new): (Vec<_>, Vec<_>) = documents.into_iter().partition(|path| store.read(path).is_some());
        let record = store.adopt(&new)?;
        let head = store.close()?.sum.to_string();
        let names = |paths: &[ProjectPath]| paths.iter().map(ToString::to_string).collect();
        show(&Adopted { record, paths: names(&new), already: names(&already), head }, output)
    }

    fn documents(&self, start: &Start, project: &Path) -> Result<Vec<ProjectPath>, Failure> {
        let mut all = BTreeSet::new();
        for file in &self.files {
            let place = start.place_of(file);
            let metadata = std::fs::metadata(&place).map_err(|error| Failure::reading(file, &error))?;
            if !metadata.is_dir() {
                all.insert(start.document(project, file)?);
                continue;
            }
            let (found, failures) = documents::find(&place, None);
            if let Some(failure) = failures.into_iter().next() {
                return Err(failure);
            }
            for document in found {
                all.insert(start.document(project, &document.path)?);
            }
        }
        Ok(all.into_iter().collect())
    }
}

fn show(adopted: &Adopted, output: &mut Output) -> Result<Exit, Failure> {
    match output.form() {
        Form::Json => output.json(&Line::Adopted(adopted))?,
        Form::Text => {
            for line in rendered(adopted) {
                output.say(&line)?;
            }
            output.say(&format!("head {}", adopted.head))?;
        }
    }
    Ok(if adopted.record.is_some() { Exit::Done } else { Exit::NothingToDo })
}

fn rendered(adopted: &Adopted) -> Vec<String> {
    let new =
        adopted.record.map(|record| format!("under the journal now: {} (record {record})", listed(&adopted.paths)));
    let old = (!adopted.already.is_empty()).then(|| format!("under the journal before: {}", listed(&adopted.already)));
    new.into_iter().chain(old).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_adopted_is_said() {
        let adopted = |record, paths: &[&str], already: &[&str]| {
            let owned = |paths: &[&str]| paths.iter().map(|path| (*path).into()).collect();
            rendered(&Adopted { record, paths: owned(paths), already: owned(already), head: String::new() })
        };
        let both = ["under the journal now: a␛.md, b.md (record 4)", "under the journal before: c.md"];
        assert_eq!(adopted(Some(4), &["a\u{1b}.md", "b.md"], &["c.md"]), both);
        assert_eq!(adopted(Some(4), &["a\u{1b}.md", "b.md"], &[]), both[..1]);
        assert_eq!(adopted(None, &[], &["c.md"]), both[1..]);
    }
}
