//! `multiverse doctor`: whether this place is fit to work in. Shows what the store and the system say.

mod agents;
mod looks;

use std::fmt::Write as _;
use std::path::Path;

use engine::agent::Surroundings;
use serde::Serialize;

use super::exit::Exit;
use super::failure::{Failure, Kind};
use super::output::{BAD, Form, GOOD, HINT, Output};
use super::project::{self, Start};
use super::visible;

/// Look whether all is well here
///
/// Looks at the file system and its free space, the lock, the journal, the documents,
/// what a crash may have left behind, how programs are confined, whether the agents that
/// are configured can be found, and which coding CLIs are on the PATH: their versions,
/// and whether a key for each is seen in the environment (they are asked for nothing but
/// their version). Says what is not well and how to mend it. Two small files are
/// exchanged in .multiverse/ to see whether that works, and removed again.
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
struct Finding {
    /// What was looked at.
    subject: &'static str,
    state: State,
    /// What was seen.
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum State {
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

impl Arguments {
    pub(crate) fn run(&self, given: Option<&Path>, output: &mut Output) -> Result<Exit, Failure> {
        let start = Start::of_process(given)?;
        let folder = start.project_or_new();
        let files = project::files(&folder)?;
        let mut findings = vec![looks::file_system(&files)?, looks::free_space(&folder)];
        match start.project() {
            Ok(_) => {
                findings.push(Finding::new("project", State::Well, visible::path(&folder)));
                findings.push(looks::exchange(&files));
                findings.push(looks::watching(&folder));
                findings.push(looks::lock(&folder, &files));
                findings.extend(looks::journal(&files));
                findings.push(looks::leftovers(&files));
                findings.push(looks::found(&files));
            }
            Err(failure) if failure.kind() == Kind::NoProject => {
                let finding = Finding::new("project", State::Note, failure.message());
                findings.push(Finding { hint: failure.hint_text().map(String::from), ..finding });
            }
            Err(failure) => return Err(failure),
        }
        findings.push(agents::confinement(&tools::probe(), &tools::gaps()));
        findings.extend(agents::configured(&folder));
        findings.extend(agents::guidance(&folder));
        findings.extend(agents::coding_clis(&Surroundings::of_process()));
        show(&findings, output)
    }
}

impl Finding {
    fn new(subject: &'static str, state: State, message: impl Into<String>) -> Self {
        Self { subject, state, message: message.into(), hint: None }
    }

    fn hint(self, hint: &str) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }
}

fn show(findings: &[Finding], output: &mut Output) -> Result<Exit, Failure> {
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
