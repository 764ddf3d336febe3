//! `multiverse catalog show`: all that is known of one file.

use std::path::{Path, PathBuf};

use engine::Depth;
use engine::knowledge::{Entry, Query};
use serde::Serialize;

use super::super::carry::Opened;
use super::super::exit::Exit;
use super::super::failure::{Failure, Kind};
use super::super::output::{BAD, Form, HINT, Output, PLACE};
use super::super::progress::Shown;
use super::super::project::Start;
use super::super::{completions, visible};
use super::{FileRow, say_problems};

/// Show all that is known of one file
///
/// Every row that catalogs have of FILE: what is in it, which run and task made it, of
/// what, and where the row stands. A file that several runs changed has a row of each.
///
/// With --json, one object a row: {"file": …}.
///
/// Exit codes: 0 done, 1 error or it is in no catalog, 2 usage
///
/// Examples:
///   multiverse catalog show assets/sales.csv
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Arguments {
    /// The file, from here or from the project's root
    #[arg(value_name = "FILE", add = completions::catalogued())]
    file: PathBuf,
}

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Line<'a> {
    File(ShownRow<'a>),
}

#[derive(Serialize)]
struct ShownRow<'a> {
    #[serde(flatten)]
    row: FileRow<'a>,
    /// Whether the file is there.
    exists: bool,
}

impl Arguments {
    pub(super) fn run(&self, given: Option<&Path>, output: &mut Output) -> Result<Exit, Failure> {
        let start = Start::of_process(given)?;
        let opened = Opened::to_look(&start, output, Shown::Oddities)?;
        let project = opened.service.project().to_path_buf();
        let shelves = opened.service.shelves(Depth::Catalogs);
        if let Some(trouble) = opened.close().trouble {
            return Err(trouble);
        }
        say_problems(&shelves, output)?;
        let names = names(&start, &project, &self.file);
        let rows: Vec<(&str, usize, Entry)> =
            shelves.library.entries().filter(|(.., entry)| names.contains(&entry.path)).collect();
        if rows.is_empty() {
            return Err(not_listed(&self.file, &shelves.library));
        }
        for (catalog, line, entry) in &rows {
            let exists = project.join(&entry.path).is_file();
            match output.form() {
                Form::Json => {
                    output.json(&Line::File(ShownRow { row: FileRow::new(entry, catalog, *line), exists }))?;
                }
                Form::Text => output.data(&rendered(entry, catalog, *line, exists))?,
            }
        }
        output.say(&format!("`multiverse lineage {}` shows where it came from", visible::text(&rows[0].2.path)))?;
        Ok(Exit::Done)
    }
}

/// What a file may be called in a catalog: as it was given, or from the project's root.
pub(crate) fn names(start: &Start, project: &Path, file: &Path) -> Vec<String> {
    let given = file.to_str().map(|name| name.trim_start_matches("./").to_owned());
    let from_root = start.document(project, file).ok().map(|path| path.to_string());
    from_root.into_iter().chain(given).collect()
}

/// That no catalog lists a file, with those that are called much the same.
pub(crate) fn not_listed(file: &Path, library: &engine::knowledge::Library) -> Failure {
    let name = file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let near = library.search(&Query { words: vec![name], fields: Vec::new(), limit: 3 });
    let near: Vec<String> = near.hits.iter().map(|hit| visible::text(&hit.entry.path)).collect();
    let hint = match near.is_empty() {
        true => "`multiverse catalog` lists the files that are known".to_owned(),
        false => format!("did you mean {}? `multiverse catalog` lists all", near.join(", or ")),
    };
    let message = format!("no catalog lists {}", visible::path(file));
    Failure::new(Kind::Missing, message).at(file).hint(hint)
}

fn rendered(entry: &Entry, catalog: &str, line: usize, exists: bool) -> String {
    let gone = if exists { String::new() } else { format!("  {BAD}there is no such file{BAD:#}") };
    let mut shown = format!("{PLACE}{}{PLACE:#}{gone}\n", visible::text(&entry.path));
    let fields = [
        ("type", &entry.kind),
        ("run", &entry.run),
        ("phase", &entry.phase),
        ("task", &entry.task),
        ("lineage", &entry.lineage),
        ("summary", &entry.summary),
    ];
    for (name, value) in fields.into_iter().filter(|(_, value)| !value.trim().is_empty()) {
        shown.push_str(&format!("  {HINT}{name:<8}{HINT:#} {}\n", visible::text(value)));
    }
    for (number, source) in entry.sources.iter().enumerate() {
        let name = if number == 0 { "made of" } else { "" };
        shown.push_str(&format!("  {HINT}{name:<8}{HINT:#} {}\n", visible::text(source)));
    }
    shown.push_str(&format!("  {HINT}{:<8}{HINT:#} {}:{line}\n", "listed", visible::text(catalog)));
    shown
}
