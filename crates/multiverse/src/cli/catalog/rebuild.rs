//! `multiverse catalog rebuild`: the index of catalogs made anew from the documents.

use std::path::Path;

use serde::Serialize;

use super::super::carry::Opened;
use super::super::exit::Exit;
use super::super::failure::Failure;
use super::super::output::{Form, Output, counted};
use super::super::progress::Shown;
use super::super::project::Start;
use super::say_problems;

/// Make the index of the catalog anew
///
/// The index behind `catalog` and `lineage` is made of the documents and follows them
/// by itself; it can be deleted without loss. This reads all of them again.
///
/// With --json, one object: {"rebuilt": {"catalogs", "rows"}}.
///
/// Exit codes: 0 done, 1 error, 2 usage
///
/// Examples:
///   multiverse catalog rebuild
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Arguments {}

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Line {
    Rebuilt { catalogs: usize, rows: usize },
}

impl Arguments {
    pub(super) fn run(&self, given: Option<&Path>, output: &mut Output) -> Result<Exit, Failure> {
        let opened = Opened::to_look(&Start::of_process(given)?, output, Shown::Oddities)?;
        let shelves = opened.service.rebuild_shelves()?;
        if let Some(trouble) = opened.close().trouble {
            return Err(trouble);
        }
        say_problems(&shelves, output)?;
        let (catalogs, rows) = (shelves.library.documents().count(), shelves.library.entries().count());
        match output.form() {
            Form::Json => output.json(&Line::Rebuilt { catalogs, rows })?,
            Form::Text => output.say(&format!(
                "{} of {} in {}",
                counted(rows, "row"),
                counted(catalogs, "catalog"),
                engine::INDEX
            ))?,
        }
        Ok(Exit::Done)
    }
}
