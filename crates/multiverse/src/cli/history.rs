//! `multiverse history`: every step with its cause. Shows what the journal says.

use std::fmt::Write as _;

use serde::Serialize;

use super::failure::Failure;
use super::output::{Form, Output, PLACE};
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
    pub(crate) files: Vec<std::path::PathBuf>,

    /// At most so many records
    #[arg(short = 'n', long = "limit", value_name = "COUNT")]
    pub(crate) limit: Option<usize>,
}

/// One record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Record {
    pub(crate) number: u64,
    /// RFC 3339, in UTC.
    pub(crate) time: String,
    /// What kind of step it was: `commit`, `edit`, `adopt`, `undo`, …
    pub(crate) kind: String,
    /// The documents it changed.
    pub(crate) paths: Vec<String>,
    /// Why, where the record says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) cause: Option<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Line<'a> {
    Record(&'a Record),
}

/// Shows the records in the order given.
pub(crate) fn show(records: &[Record], output: &mut Output) -> Result<(), Failure> {
    for record in records {
        match output.form() {
            Form::Json => output.json(&Line::Record(record))?,
            Form::Text => output.data(&rendered(record))?,
        }
    }
    if records.is_empty() {
        output.say("nothing has been recorded yet")?;
    }
    Ok(())
}

/// How many documents are named in a line; the rest is counted.
const PATHS_SHOWN: usize = 3;

fn rendered(record: &Record) -> String {
    let mut shown = format!(
        "{PLACE}{:>6}{PLACE:#}  {}  {:<7}",
        record.number,
        visible::text(&record.time),
        visible::text(&record.kind)
    );
    let paths: Vec<String> = record.paths.iter().take(PATHS_SHOWN).map(|path| visible::text(path)).collect();
    if !paths.is_empty() {
        let _ = write!(shown, "  {}", paths.join(", "));
    }
    if record.paths.len() > PATHS_SHOWN {
        let _ = write!(shown, " and {} more", record.paths.len() - PATHS_SHOWN);
    }
    if let Some(cause) = &record.cause {
        let _ = write!(shown, "  ({})", visible::text(cause));
    }
    format!("{}\n", shown.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(number: u64, paths: &[&str], cause: Option<&str>) -> String {
        let record = Record {
            number,
            time: "2026-11-15T22:40:11Z".into(),
            kind: "edit".into(),
            paths: paths.iter().map(|path| (*path).into()).collect(),
            cause: cause.map(String::from),
        };
        anstream::adapter::strip_str(&rendered(&record)).to_string()
    }

    #[test]
    fn a_record_is_one_line() {
        for (number, paths, cause, expected) in [
            (7, &["plan.md"][..], None, "     7  2026-11-15T22:40:11Z  edit     plan.md\n"),
            (7, &[], None, "     7  2026-11-15T22:40:11Z  edit\n"),
            (1234567, &["a", "b", "c", "d", "e"], None, "1234567  2026-11-15T22:40:11Z  edit     a, b, c and 2 more\n"),
            (8, &["a\u{1b}\n"], Some("by\nhand"), "     8  2026-11-15T22:40:11Z  edit     a␛␊  (by␊hand)\n"),
        ] {
            assert_eq!(shown(number, paths, cause), expected);
        }
    }
}
