//! `multiverse catalog`: the files that runs know of, and what is in them. Shows what the engine says.

use std::path::Path;

use engine::CatalogView;
use serde::Serialize;
use unicode_width::UnicodeWidthStr as _;

use super::carry::Opened;
use super::exit::Exit;
use super::failure::Failure;
use super::output::{FRAME, Form, HINT, Output, PLACE, counted};
use super::progress::Shown;
use super::project::Start;
use super::{completions, visible};

/// The room for a line where no terminal breaks it.
const USUAL_COLUMNS: usize = 120;

/// List the files that runs know of
///
/// The catalog has one row a file: your material in assets/ and guidelines/, and all that
/// runs made of it, with what is in each. With WORDS only those that have all of them in
/// their path, kind, task or summary; case does not matter. What is listed here a later
/// run can use.
///
/// With --json, one object a line: {"file": …}.
///
/// Exit codes: 0 done, 1 error, 2 usage, 5 nothing is listed
///
/// Examples:
///   multiverse catalog
///   multiverse catalog sales csv
///   multiverse catalog --run last
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    /// Only files that have all of these words
    #[arg(value_name = "WORDS")]
    words: Vec<String>,

    /// Only files of this run
    #[arg(long, value_name = "RUN", add = completions::runs())]
    run: Option<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Line<'a> {
    File(&'a CatalogView),
}

impl Arguments {
    pub(crate) fn run(&self, given: Option<&Path>, output: &mut Output) -> Result<Exit, Failure> {
        let opened = Opened::to_look(&Start::of_process(given)?, output, Shown::Oddities)?;
        let run = self.run.as_ref().map(|name| opened.run(name)).transpose()?;
        let mut rows = opened.service.catalog_rows();
        if let Some(trouble) = opened.close().trouble {
            return Err(trouble);
        }
        let words: Vec<String> =
            self.words.iter().flat_map(|word| word.split_whitespace()).map(str::to_lowercase).collect();
        let all = rows.len();
        rows.retain(|row| run.as_ref().is_none_or(|run| row.run == *run) && has_all(row, &words));
        let columns = output.columns().unwrap_or(USUAL_COLUMNS);
        for row in &rows {
            match output.form() {
                Form::Json => output.json(&Line::File(row))?,
                Form::Text => output.data(&rendered(row, columns))?,
            }
        }
        if rows.is_empty() {
            output.say(match all {
                0 => "the catalog is empty; a run lists what is in assets/ and guidelines/, and what it makes",
                _ => "no file of the catalog fits; `multiverse catalog` lists all",
            })?;
            return Ok(Exit::NothingToDo);
        }
        output.say(&counted(rows.len(), "file"))?;
        Ok(Exit::Done)
    }
}

fn has_all(row: &CatalogView, words: &[String]) -> bool {
    let text = [&row.path, &row.kind, &row.task, &row.run, &row.summary].map(|text| text.to_lowercase()).join("\n");
    words.iter().all(|word| text.contains(word.as_str()))
}

/// The file and what it is, and below that what is in it.
fn rendered(row: &CatalogView, columns: usize) -> String {
    let from = [row.run.as_str(), row.task.as_str()].map(visible::text).join(" ");
    let path = visible::text(&row.path);
    // What a path says of its run need not be said again.
    let from = if row.path.contains(&row.run) { visible::text(&row.task) } else { from };
    let kind = visible::text(&row.kind);
    let mut shown = format!("{PLACE}{path}{PLACE:#}");
    let beside = format!("{kind} {}", from.trim());
    if path.width() + beside.trim_end().width() + 2 <= columns {
        shown.push_str(&format!("  {HINT}{}{HINT:#}\n", beside.trim_end()));
    } else {
        shown.push_str(&format!("\n  {HINT}{}{HINT:#}\n", visible::short(&beside, columns.saturating_sub(2))));
    }
    if !row.summary.trim().is_empty() {
        shown.push_str(&format!("  {FRAME}{}{FRAME:#}\n", visible::short(&row.summary, columns.saturating_sub(2))));
    }
    shown
}
