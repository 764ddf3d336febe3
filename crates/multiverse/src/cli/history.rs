//! `multiverse history`: every step with its cause. Shows what the journal says.

use std::collections::VecDeque;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde::Serialize;
use store::{Kind, ProjectPath};

use super::exit::Exit;
use super::failure::Failure;
use super::output::{Form, Output, PLACE, listed};
use super::project::{self, Start};
use super::visible;

/// Show what happened, newest first
///
/// Every record of the journal: its number, when, what kind of step it was, and the
/// documents it changed. The number is what `undo` and `restore --at` take. Takes no
/// lock.
///
/// With --json, one object a line: {"record": …}.
///
/// Examples:
///   multiverse history
///   multiverse history -n 5 README.md
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    /// Only records that changed one of these documents
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,

    /// At most so many records
    #[arg(short = 'n', long = "limit", value_name = "COUNT")]
    limit: Option<usize>,
}

/// One record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct Step {
    number: u64,
    /// When, by the clock of the machine that wrote it.
    time: String,
    /// What kind of step it was.
    kind: Kind,
    /// The documents it changed.
    paths: Vec<String>,
    /// Why.
    #[serde(skip_serializing_if = "String::is_empty")]
    cause: String,
}

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Line<'a> {
    Record(&'a Step),
}

impl Arguments {
    pub(crate) fn run(&self, given: Option<&Path>, output: &mut Output) -> Result<Exit, Failure> {
        let start = Start::of_process(given)?;
        let project = start.project()?;
        let wanted: Vec<ProjectPath> =
            self.files.iter().map(|file| start.document(&project, file)).collect::<Result<_, _>>()?;
        let limit = self.limit.unwrap_or(usize::MAX);
        let mut steps = VecDeque::new();
        store::records(&project::files(&project)?, |record| {
            if wanted.is_empty() || record.docs.iter().any(|entry| wanted.contains(&entry.path)) {
                steps.push_front(Step::from(record));
                steps.truncate(limit);
            }
        })?;
        for step in &steps {
            match output.form() {
                Form::Json => output.json(&Line::Record(step))?,
                Form::Text => output.data(&rendered(step))?,
            }
        }
        if steps.is_empty() {
            output.say("nothing is recorded")?;
        }
        Ok(Exit::Done)
    }
}

impl From<store::Record> for Step {
    fn from(record: store::Record) -> Self {
        Self {
            number: record.number,
            time: record.at,
            kind: record.kind,
            paths: record.docs.iter().map(|entry| entry.path.to_string()).collect(),
            cause: record.cause,
        }
    }
}

fn word(kind: Kind) -> &'static str {
    match kind {
        Kind::Commit => "commit",
        Kind::Edit => "edit",
        Kind::Adopt => "adopt",
        Kind::Undo => "undo",
        Kind::Restore => "restore",
        Kind::Recovery => "recovery",
    }
}

/// How many documents are named in a line; the rest is counted.
const PATHS_SHOWN: usize = 3;

fn rendered(step: &Step) -> String {
    // Fractions of a second are for programs.
    let whole = step.time.split_once('.').map_or(step.time.clone(), |(whole, _)| format!("{whole}Z"));
    let (time, kind) = (visible::text(&whole), word(step.kind));
    let mut shown = format!("{PLACE}{:>6}{PLACE:#}  {time}  {kind:<8}", step.number);
    if !step.paths.is_empty() {
        let _ = write!(shown, "  {}", listed(&step.paths[..step.paths.len().min(PATHS_SHOWN)]));
    }
    if step.paths.len() > PATHS_SHOWN {
        let _ = write!(shown, " and {} more", step.paths.len() - PATHS_SHOWN);
    }
    if !step.cause.is_empty() {
        let _ = write!(shown, "  ({})", visible::text(&step.cause));
    }
    format!("{}\n", shown.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(number: u64, paths: &[&str], cause: &str) -> String {
        let paths = paths.iter().map(|path| (*path).into()).collect();
        let step =
            Step { number, time: "2026-11-15T22:40:11.5055Z".into(), kind: Kind::Edit, paths, cause: cause.into() };
        anstream::adapter::strip_str(&rendered(&step)).to_string()
    }

    #[test]
    fn a_record_is_one_line() {
        for (number, paths, cause, expected) in [
            (7, &["plan.md"][..], "", "     7  2026-11-15T22:40:11Z  edit      plan.md\n"),
            (7, &[], "", "     7  2026-11-15T22:40:11Z  edit\n"),
            (1234567, &["a", "b", "c", "d", "e"], "", "1234567  2026-11-15T22:40:11Z  edit      a, b, c and 2 more\n"),
            (8, &["a\u{1b}\n"], "by\nhand", "     8  2026-11-15T22:40:11Z  edit      a␛␊  (by␊hand)\n"),
        ] {
            assert_eq!(shown(number, paths, cause), expected);
        }
    }
}
