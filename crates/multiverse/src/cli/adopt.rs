//! `multiverse adopt`: documents come under the journal. Shows which.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde::Serialize;
use store::{Fault, FaultKind, Fs as _, Missing, Mode, ProjectPath, RealFs};

use super::documents;
use super::exit::Exit;
use super::failure::Failure;
use super::output::{Output, listed};
use super::project::{self, Start};

/// Put documents under the journal
///
/// From here on every change of these documents is recorded, whoever makes it, and
/// can be shown, undone and restored. The files themselves are not changed. A folder
/// stands for the documents below it; one below it that cannot be adopted is named,
/// and the rest is adopted. Where neither this folder, or that given with -C, nor one
/// above it is a project yet, one begins here.
///
/// With --json, one object: {"adopted": …}.
///
/// Exit codes: 0 done, 1 error or some were refused, 2 usage, 5 all of them were under the journal already
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
    /// Whether every file of the project is what the journal says.
    in_place: bool,
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
        start.say_project(&project, output)?;
        let named = self.documents(&start, &project)?;
        for failure in &named.refused {
            output.failure(failure)?;
        }
        // All names are understood before a project is begun for them.
        if named.is_fatal || named.documents.is_empty() {
            return Ok(Exit::Error);
        }
        let mut store = project::open(&project, Missing::Create, output)?;
        // An edit that was not taken over yet came before this.
        store.settle()?;
        let documents = named.documents.into_iter();
        let (already, new): (Vec<_>, Vec<_>) = documents.partition(|path| store.read(path).is_some());
        let record = store.adopt(&new)?;
        let left = project::close(store, record)?;
        let names = |paths: &[ProjectPath]| paths.iter().map(ToString::to_string).collect();
        let (in_place, head) = (left.trouble.is_none(), left.head.clone());
        let adopted = Adopted { record, paths: names(&new), already: names(&already), in_place, head };
        output.outcome(&Line::Adopted(&adopted), &rendered(&adopted), &left)?;
        Ok(if named.refused.is_empty() { left.exit(record) } else { Exit::Error })
    }

    fn documents(&self, start: &Start, project: &Path) -> Result<NamedDocuments, Failure> {
        let files = project::files(project)?;
        let mut all = NamedDocuments::default();
        let understood = |path: &Path| {
            let document = start.document(project, path)?;
            can_be_read(&files, &document)?;
            Ok(document)
        };
        for file in &self.files {
            let place = start.place_of(file);
            match std::fs::metadata(&place) {
                Err(error) => all.refuse_named(Failure::reading(file, &error)),
                Ok(metadata) if !metadata.is_dir() => match understood(file) {
                    Ok(document) => drop(all.documents.insert(document)),
                    Err(failure) => all.refuse_named(failure),
                },
                Ok(_) => {
                    let (found, failures) = documents::find(&place, None);
                    all.refused.extend(failures);
                    for document in found {
                        match understood(start.shown(&document.path)) {
                            Ok(document) => drop(all.documents.insert(document)),
                            Err(failure) => all.refused.push(failure),
                        }
                    }
                }
            }
        }
        Ok(all)
    }
}

/// The documents of a command line.
#[derive(Debug, Default)]
struct NamedDocuments {
    documents: BTreeSet<ProjectPath>,
    refused: Vec<Failure>,
    /// One that was named itself is refused: then the command line is not what was meant, and nothing is done.
    is_fatal: bool,
}

impl NamedDocuments {
    fn refuse_named(&mut self, failure: Failure) {
        self.refused.push(failure);
        self.is_fatal = true;
    }
}

/// Whether the store will be able to read it: one that it cannot read would keep out all others.
fn can_be_read(files: &RealFs, path: &ProjectPath) -> Result<(), Failure> {
    let file = files.open(path, Mode::Read)?;
    let size = files.stamp(&file)?.size;
    if size > store::limits::DOCUMENT_BYTES {
        let reason = format!("it has {size} bytes; {} is the most", store::limits::DOCUMENT_BYTES);
        return Err(Fault::new("adopt", path, FaultKind::Other, reason).into());
    }
    Ok(())
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
            rendered(&Adopted {
                record,
                paths: owned(paths),
                already: owned(already),
                in_place: true,
                head: String::new(),
            })
        };
        let both = ["under the journal now: a␛.md, b.md (record 4)", "under the journal before: c.md"];
        assert_eq!(adopted(Some(4), &["a\u{1b}.md", "b.md"], &["c.md"]), both);
        assert_eq!(adopted(Some(4), &["a\u{1b}.md", "b.md"], &[]), both[..1]);
        assert_eq!(adopted(None, &[], &["c.md"]), both[1..]);
    }
}
