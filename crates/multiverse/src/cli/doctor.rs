//! `multiverse doctor`: whether this place is fit to work in. Shows what the store and the system say.

use std::fmt::Write as _;

use serde::Serialize;

use super::exit::Exit;
use super::failure::Failure;
use super::output::{BAD, Form, GOOD, HINT, Output};
use super::visible;

/// Look whether all is well here
///
/// Looks at the project, its file system and its locks, and says what is missing and
/// how to mend it. Changes nothing.
///
/// With --json, one object a line: {"finding": …}.
///
/// Exit codes: 0 all is well, 1 something must be mended, 2 usage
///
/// Examples:
///   multiverse doctor
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {}

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Finding {
    /// What was looked at.
    pub(crate) subject: &'static str,
    pub(crate) state: State,
    /// What was seen.
    pub(crate) message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) hint: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum State {
    Well,
    /// It works, but not as well as it could.
    Note,
    /// It does not work.
    Bad,
}

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Line<'a> {
    Finding(&'a Finding),
}

pub(crate) fn show(findings: &[Finding], output: &mut Output) -> Result<Exit, Failure> {
    for finding in findings {
        match output.form() {
            Form::Json => output.json(&Line::Finding(finding))?,
            Form::Text => output.data(&rendered(finding))?,
        }
    }
    let is_bad = findings.iter().any(|finding| finding.state == State::Bad);
    Ok(if is_bad { Exit::Error } else { Exit::Done })
}

fn rendered(finding: &Finding) -> String {
    let (style, word) = match finding.state {
        State::Well => (GOOD, "well"),
        State::Note => (HINT, "note"),
        State::Bad => (BAD, "bad "),
    };
    let mut shown = format!("{style}{word}{style:#}  {}: {}\n", finding.subject, visible::text(&finding.message));
    if let Some(hint) = &finding.hint {
        let _ = writeln!(shown, "      {HINT}hint{HINT:#}: {}", visible::text(hint));
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finding_says_what_was_seen_and_what_to_do() {
        let shown = |state, hint: Option<&str>| {
            let message = "ext4\u{1b}".into();
            let finding = Finding { subject: "file system", state, message, hint: hint.map(String::from) };
            anstream::adapter::strip_str(&rendered(&finding)).to_string()
        };
        assert_eq!(shown(State::Well, None), "well  file system: ext4␛\n");
        assert_eq!(shown(State::Note, None), "note  file system: ext4␛\n");
        assert_eq!(shown(State::Bad, Some("move it")), "bad   file system: ext4␛\n      hint: move it\n");
    }
}
