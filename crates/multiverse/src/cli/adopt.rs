//! `multiverse adopt`: documents come under the journal. Shows which.

use std::path::PathBuf;

use serde::Serialize;

use super::exit::Exit;
use super::failure::Failure;
use super::output::{Form, Output};
use super::visible;

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
    pub(crate) files: Vec<PathBuf>,
}

/// What was done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Adopted {
    /// The record that did it; none if there was nothing to do.
    pub(crate) record: Option<u64>,
    pub(crate) paths: Vec<String>,
    /// Those that were under the journal before.
    pub(crate) already: Vec<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Line<'a> {
    Adopted(&'a Adopted),
}

pub(crate) fn show(adopted: &Adopted, output: &mut Output) -> Result<Exit, Failure> {
    match output.form() {
        Form::Json => output.json(&Line::Adopted(adopted))?,
        Form::Text => {
            for line in rendered(adopted) {
                output.say(&line)?;
            }
        }
    }
    Ok(if adopted.record.is_some() { Exit::Done } else { Exit::NothingToDo })
}

fn rendered(adopted: &Adopted) -> Vec<String> {
    let names = |paths: &[String]| paths.iter().map(|path| visible::text(path)).collect::<Vec<_>>().join(", ");
    let new =
        adopted.record.map(|record| format!("under the journal now: {} (record {record})", names(&adopted.paths)));
    let old = (!adopted.already.is_empty()).then(|| format!("under the journal before: {}", names(&adopted.already)));
    new.into_iter().chain(old).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_adopted_is_said() {
        let adopted = |record, paths: &[&str], already: &[&str]| {
            let owned = |paths: &[&str]| paths.iter().map(|path| (*path).into()).collect();
            rendered(&Adopted { record, paths: owned(paths), already: owned(already) })
        };
        let both = ["under the journal now: a␛.md, b.md (record 4)", "under the journal before: c.md"];
        assert_eq!(adopted(Some(4), &["a\u{1b}.md", "b.md"], &["c.md"]), both);
        assert_eq!(adopted(Some(4), &["a\u{1b}.md", "b.md"], &[]), both[..1]);
        assert_eq!(adopted(None, &[], &["c.md"]), both[1..]);
    }
}
