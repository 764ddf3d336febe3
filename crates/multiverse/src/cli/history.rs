//! `multiverse history`: every step with its cause. Shows what the journal says.

use std::collections::VecDeque;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde::Serialize;
use store::{Kind, ProjectPath};
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use super::damage::Damage;
use super::exit::Exit;
use super::failure::{self, Failure};
use super::output::{Form, Output, PLACE, counted, listed};
use super::project::{self, Start};
use super::visible;

/// Show what happened, newest first
///
/// Every record of the journal: its number, when, what kind of step it was, and the
/// documents it changed. The number is what `undo` and `restore --at` take. Takes no
/// lock.
///
/// With --json, one object a line: {"record": …}, and {"damage": …} for what cannot
/// be read.
///
/// Exit codes: 0 done, 1 error, or the journal is damaged: what can be read is shown,
/// 2 usage
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
    Damage(&'a Damage),
}

impl Arguments {
    pub(crate) fn run(&self, given: Option<&Path>, output: &mut Output) -> Result<Exit, Failure> {
        let start = Start::of_process(given)?;
        let project = start.project()?;
        let wanted: Vec<ProjectPath> =
            self.files.iter().map(|file| start.document(&project, file)).collect::<Result<_, _>>()?;
        let limit = self.limit.unwrap_or(usize::MAX);
        let mut steps = VecDeque::new();
        let mut unknown = wanted.clone();
        let files = project::files(&project)?;
        let mut walked = store::records(&files, |record| {
            unknown.retain(|path| record.docs.iter().all(|entry| entry.path != *path));
            if wanted.is_empty() || record.docs.iter().any(|entry| wanted.contains(&entry.path)) {
                steps.push_front(Step::from(record));
                steps.truncate(limit);
            }
        })?;
        if walked.head == store::Head::default() && walked.problems.is_empty() {
            // Perhaps there was a journal: only a verification knows.
            walked.problems = store::verify(&files, None)?.problems;
        }
        let columns = output.columns();
        for step in &steps {
            match output.form() {
                Form::Json => output.json(&Line::Record(step))?,
                Form::Text => output.data(&rendered(step, columns))?,
            }
        }
        if steps.is_empty() && unknown.is_empty() && walked.problems.is_empty() {
            output.say("nothing is recorded")?;
        }
        let damage: Vec<Damage> = walked.problems.into_iter().map(Damage::from).collect();
        show_damage(&damage, output)?;
        for path in &unknown {
            let failure = Failure::new(failure::Kind::Missing, format!("{path} is not in the journal"));
            output.failure(&failure.at(Path::new(path.as_str())).hint("`multiverse history` lists what is"))?;
        }
        Ok(if damage.is_empty() && unknown.is_empty() { Exit::Done } else { Exit::Error })
    }
}

/// Records that cannot be read are missing above; whoever reads that must know.
fn show_damage(damage: &[Damage], output: &mut Output) -> Result<(), Failure> {
    if damage.is_empty() {
        return Ok(());
    }
    for one in damage {
        match output.form() {
            Form::Json => output.json(&Line::Damage(one))?,
            Form::Text => output.warn(&one.rendered())?,
        }
    }
    let message = format!("the history is not whole: {} in the journal", counted(damage.len(), "problem"));
    Ok(output.failure(&Failure::new(failure::Kind::Damaged, message).hint("`multiverse verify` tells more"))?)
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

/// What is told of a record goes on below its time.
const INDENT: usize = 8;

/// Below this there is no room for anything beside the indent.
const LEAST_COLUMNS: usize = 24;

/// A record, wrapped where the terminal would break it anyway.
fn rendered(step: &Step, columns: Option<usize>) -> String {
    // Fractions of a second are for programs.
    let whole = step.time.split_once('.').map_or(step.time.clone(), |(whole, _)| format!("{whole}Z"));
    let (time, kind) = (visible::text(&whole), word(step.kind));
    let front = format!("  {time}  {kind:<8}");
    let mut told = String::new();
    if !step.paths.is_empty() {
        let _ = write!(told, "  {}", listed(&step.paths[..step.paths.len().min(PATHS_SHOWN)]));
    }
    if step.paths.len() > PATHS_SHOWN {
        let _ = write!(told, " and {} more", step.paths.len() - PATHS_SHOWN);
    }
    if !step.cause.is_empty() {
        let _ = write!(told, "  ({})", visible::text(&step.cause));
    }
    let number = format!("{:>6}", step.number);
    let rest = match columns {
        Some(columns) => wrapped(&front, &told, number.width(), columns.max(LEAST_COLUMNS)),
        None => format!("{front}{told}"),
    };
    format!("{PLACE}{number}{PLACE:#}{}\n", rest.trim_end())
}

/// The front and the words behind it, in lines that are no longer than `columns`; the first has `used` of them taken.
fn wrapped(front: &str, words: &str, used: usize, columns: usize) -> String {
    let mut shown = front.to_string();
    let mut at = used + front.width();
    let mut blanks = 0;
    for word in words.split(' ') {
        if word.is_empty() {
            blanks += 1;
            continue;
        }
        if at + blanks + word.width() > columns {
            shown.truncate(shown.trim_end().len());
            let _ = write!(shown, "\n{:INDENT$}", "");
            at = INDENT;
        } else {
            let _ = write!(shown, "{:blanks$}", "");
            at += blanks;
        }
        for character in word.chars() {
            let width = character.width().unwrap_or(0);
            // A name that is longer than a line is broken where the line ends.
            if at + width > columns {
                let _ = write!(shown, "\n{:INDENT$}", "");
                at = INDENT;
            }
            shown.push(character);
            at += width;
        }
        blanks = 1;
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(number: u64, paths: &[&str], cause: &str, columns: Option<usize>) -> String {
        let paths = paths.iter().map(|path| (*path).into()).collect();
        let step =
            Step { number, time: "2026-11-15T22:40:11.5055Z".into(), kind: Kind::Edit, paths, cause: cause.into() };
        anstream::adapter::strip_str(&rendered(&step, columns)).to_string()
    }

    #[test]
    fn a_record_is_one_line() {
        for (number, paths, cause, expected) in [
            (7, &["plan.md"][..], "", "     7  2026-11-15T22:40:11Z  edit      plan.md\n"),
            (7, &[], "", "     7  2026-11-15T22:40:11Z  edit\n"),
            (1234567, &["a", "b", "c", "d", "e"], "", "1234567  2026-11-15T22:40:11Z  edit      a, b, c and 2 more\n"),
            (8, &["a\u{1b}\n"], "by\nhand", "     8  2026-11-15T22:40:11Z  edit      a␛␊  (by␊hand)\n"),
        ] {
            assert_eq!(shown(number, paths, cause, None), expected);
        }
    }

    #[test]
    fn on_a_narrow_terminal_a_record_goes_on_below_its_time() {
        let long = "x".repeat(40);
        for (columns, paths, cause, expected) in [
            (80, &["plan.md"][..], "", "     7  2026-11-15T22:40:11Z  edit      plan.md\n".to_string()),
            (
                40,
                &["plan.md", "a.md"],
                "record 12 taken back",
                "     7  2026-11-15T22:40:11Z  edit\n        plan.md, a.md  (record 12 taken\n        back)\n".into(),
            ),
            (40, &["보고서.md"], "", "     7  2026-11-15T22:40:11Z  edit\n        보고서.md\n".into()),
            (
                40,
                &[&long],
                "",
                format!("     7  2026-11-15T22:40:11Z  edit\n        {}\n        {}\n", &long[..32], &long[..8]),
            ),
            (1, &["a.md"], "", "     7  2026-11-15T22:40:11Z  edit\n        a.md\n".into()),
        ] {
            assert_eq!(shown(7, paths, cause, Some(columns)), expected, "{columns} {paths:?}");
        }
    }
}
