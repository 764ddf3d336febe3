//! `multiverse catalog`: the files that runs know of, and what is in them: listed, searched, one of them shown. Shows what
//! the engine says.

mod rebuild;
mod search;
mod show;

use std::path::Path;

use engine::knowledge::Entry;
use engine::{Depth, Shelves};
use serde::Serialize;
use unicode_width::UnicodeWidthStr as _;

use super::carry::Opened;
use super::exit::Exit;
use super::failure::Failure;
use super::output::{FRAME, Form, HINT, Output, PLACE, counted};
use super::progress::Shown;
use super::project::Start;
use super::{completions, visible};
pub(super) use show::{names, not_listed};

/// The room for a line where no terminal breaks it.
const USUAL_COLUMNS: usize = 120;

/// List, search and show the files that runs know of
///
/// The catalog has one row a file: your material, and all that runs made of it, with
/// what is in each. What is listed here a later run can use. Without a further command
/// all files are listed; with WORDS only those that have all of them in their path,
/// kind, task or summary, case left aside.
///
/// `search` ranks by how well the words fit, in any script; `type:…`, `run:…`,
/// `phase:…`, `task:…`, `lineage:…`, `path:…`, `summary:…` and `source:…` narrow it.
/// `show` tells all that is known of one file. The index behind it follows the
/// documents by itself; `rebuild` makes it anew.
///
/// With --json, one object a line: {"file": …}, with `search` {"hit": …}.
///
/// Exit codes: 0 done, 1 error, 2 usage, 5 nothing is listed
///
/// Examples:
///   multiverse catalog
///   multiverse catalog sales csv
///   multiverse catalog --run last
///   multiverse catalog search sales type:ORIGINAL_INPUT
///   multiverse catalog show assets/sales.csv
///   multiverse catalog rebuild
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment, args_conflicts_with_subcommands = true, disable_help_subcommand = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    action: Option<Action>,

    /// Only files that have all of these words
    #[arg(value_name = "WORDS")]
    words: Vec<String>,

    /// Only files of this run
    #[arg(long, value_name = "RUN", add = completions::runs())]
    run: Option<String>,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    Search(search::Arguments),
    Show(show::Arguments),
    Rebuild(rebuild::Arguments),
}

/// A row of a catalog, for programs.
#[derive(Debug, Serialize)]
pub(super) struct FileRow<'a> {
    path: &'a str,
    run: &'a str,
    kind: &'a str,
    task: &'a str,
    summary: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    phase: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    lineage: &'a str,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    sources: &'a [String],
    /// The catalog it stands in, and the line there.
    catalog: &'a str,
    line: usize,
}

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Line<'a> {
    File(FileRow<'a>),
}

impl<'a> FileRow<'a> {
    pub(super) fn new(entry: &'a Entry, catalog: &'a str, line: usize) -> Self {
        let Entry { path, summary, kind, run, phase, lineage, task, sources } = entry;
        Self { path, run, kind, task, summary, phase, lineage, sources, catalog, line }
    }
}

impl Arguments {
    pub(crate) fn run(&self, given: Option<&Path>, output: &mut Output) -> Result<Exit, Failure> {
        match &self.action {
            Some(Action::Search(arguments)) => arguments.run(given, output),
            Some(Action::Show(arguments)) => arguments.run(given, output),
            Some(Action::Rebuild(arguments)) => arguments.run(given, output),
            None => self.list(given, output),
        }
    }

    fn list(&self, given: Option<&Path>, output: &mut Output) -> Result<Exit, Failure> {
        let opened = Opened::to_look(&Start::of_process(given)?, output, Shown::Oddities)?;
        let run = self.run.as_ref().map(|name| opened.run(name)).transpose()?;
        let shelves = opened.service.shelves(Depth::Catalogs);
        if let Some(trouble) = opened.close().trouble {
            return Err(trouble);
        }
        say_problems(&shelves, output)?;
        let words: Vec<String> =
            self.words.iter().flat_map(|word| word.split_whitespace()).map(str::to_lowercase).collect();
        let (mut all, mut listed) = (0, 0);
        let columns = output.columns().unwrap_or(USUAL_COLUMNS);
        for (catalog, line, entry) in shelves.library.entries() {
            all += 1;
            if run.as_ref().is_some_and(|run| entry.run != *run) || !has_all(&entry, &words) {
                continue;
            }
            listed += 1;
            match output.form() {
                Form::Json => output.json(&Line::File(FileRow::new(&entry, catalog, line)))?,
                Form::Text => output.data(&rendered(&entry, columns))?,
            }
        }
        if listed == 0 {
            output.say(match all {
                0 => "the catalog is empty; a run lists what it is given, and what it makes",
                _ => "no file of the catalog fits; `multiverse catalog` lists all",
            })?;
            return Ok(Exit::NothingToDo);
        }
        output.say(&counted(listed, "file"))?;
        Ok(Exit::Done)
    }
}

/// What could not be read is no reason to be silent about the rest.
pub(super) fn say_problems(shelves: &Shelves, output: &mut Output) -> Result<(), Failure> {
    if shelves.was == engine::IndexWas::Broken {
        output.say(&format!("{} was broken, and is made again", engine::INDEX))?;
    }
    for problem in &shelves.problems {
        output.warn(&visible::text(problem))?;
    }
    Ok(())
}

fn has_all(row: &Entry, words: &[String]) -> bool {
    let text = [&row.path, &row.kind, &row.task, &row.run, &row.summary].map(|text| text.to_lowercase()).join("\n");
    words.iter().all(|word| text.contains(word.as_str()))
}

/// The file and what it is, and below that what is in it.
fn rendered(row: &Entry, columns: usize) -> String {
    let mut shown = head(row, columns);
    if !row.summary.trim().is_empty() {
        shown.push_str(&format!("  {FRAME}{}{FRAME:#}\n", visible::short(&row.summary, columns.saturating_sub(2))));
    }
    shown
}

/// The file and what it is.
fn head(row: &Entry, columns: usize) -> String {
    let from = [row.run.as_str(), row.task.as_str()].map(visible::text).join(" ");
    let path = visible::text(&row.path);
    // What a path says of its run need not be said again.
    let from = if row.path.contains(&row.run) { visible::text(&row.task) } else { from };
    let kind = visible::text(&row.kind);
    let mut shown = format!("{PLACE}{path}{PLACE:#}");
    let beside = format!("{kind} {}", from.trim());
    if path.width() + beside.trim_end().width() + 2 <= columns {
        shown.push_str(&format!("  {HINT}{}{HINT:#}\n", beside.trim()));
    } else {
        shown.push_str(&format!("\n  {HINT}{}{HINT:#}\n", visible::short(&beside, columns.saturating_sub(2))));
    }
    shown
}
