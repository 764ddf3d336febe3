//! `multiverse answer`: what a run waits for from a person: an answer to a question or a proposal, or a person's work.
//! Carries the run on.

use std::path::{Path, PathBuf};

use engine::{HandedIn, Input};

use super::ask;
use super::carry::{Afterwards, Opened, waits_for_confirmation};
use super::exit::Exit;
use super::failure::{Failure, Kind};
use super::output::Output;
use super::project::Start;
use super::request::{read_bytes, read_text, user};
use super::{completions, visible};

/// Answer what a run asks, or hand in your work
///
/// `multiverse inbox` shows what waits, with the command that answers it. To an agent's
/// question, answer in your own words. To a proposal, answer CONFIRM, MODIFY and what to
/// change, CANCEL, or NEW_REQUEST and the request. Work that is yours is handed in with
/// --file, if it is one file that is asked for, or with --report; `multiverse schema
/// report` describes a report.
///
/// Exit codes: 0 done, 1 error or nothing waits for this, 2 usage, 3 it waits for you
/// again, 4 the run failed
///
/// Examples:
///   multiverse answer last CONFIRM
///   multiverse answer last MODIFY "Only the second quarter." --no-run
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    /// The run
    #[arg(value_name = "RUN", add = completions::runs())]
    run: String,

    /// The answer
    #[arg(value_name = "TEXT", conflicts_with_all = ["from", "report", "file"])]
    words: Vec<String>,

    /// Read the answer from a file; `-` is stdin
    #[arg(short = 'f', long, value_name = "FILE", conflicts_with_all = ["report", "file"])]
    from: Option<PathBuf>,

    /// Which question or work it is for, where there are several
    #[arg(long, value_name = "N")]
    attempt: Option<u64>,

    /// Which question it is for, by its id: Q-…
    #[arg(long, value_name = "ID", conflicts_with_all = ["attempt", "report", "file"])]
    question: Option<String>,

    /// Hand in a report, written as JSON
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,

    /// Hand in the file that was asked for: this file's content is put where it belongs
    #[arg(long, value_name = "PATH")]
    file: Option<PathBuf>,

    #[command(flatten)]
    afterwards: Afterwards,
}

/// What a person says.
enum Said {
    Words(String),
    Work(HandedIn),
}

impl Arguments {
    pub(crate) fn run(&self, given: Option<&Path>, output: &mut Output) -> Result<Exit, Failure> {
        let start = Start::of_process(given)?;
        let said = self.said(&start)?;
        let (mut opened, run) = self.afterwards.open_run(&start, &self.run, output)?;
        match said {
            Said::Work(handed) => opened.service.hand_in(&run, self.attempt, handed)?,
            Said::Words(words) => self.tell(&mut opened, &run, words)?,
        }
        self.afterwards.follow(opened, run, output)
    }

    fn said(&self, start: &Start) -> Result<Said, Failure> {
        if self.report.is_some() || self.file.is_some() {
            let read = |path: &Option<PathBuf>| path.as_ref().map(|path| read_bytes(start, path)).transpose();
            return Ok(Said::Work(HandedIn { report: read(&self.report)?, file: read(&self.file)? }));
        }
        let words = match &self.from {
            Some(path) => read_text(start, path)?,
            None => self.words.join(" "),
        };
        if words.trim().is_empty() {
            return Err(Failure::new(Kind::Usage, "the answer is empty")
                .hint("give it in words, with -f FILE, or hand in work with --file or --report"));
        }
        Ok(Said::Words(words))
    }

    fn tell(&self, opened: &mut Opened, run: &str, words: String) -> Result<(), Failure> {
        if opened.service.is_hosted(run) {
            return Ok(opened.service.answer_question(run, self.question.as_deref(), &words, &user())?);
        }
        let view = opened.service.view(run);
        if view.as_ref().is_some_and(waits_for_confirmation) {
            let verdict = ask::verdict(&words).ok_or_else(|| {
                let message = format!("{:?} is no answer to a proposal", visible::short(&words, 40));
                Failure::new(Kind::Refused, message).hint(format!("valid answers: {}", ask::VALID))
            })?;
            return Ok(opened.service.answer(run, verdict, &user())?);
        }
        let kinds = |kind: &str| view.iter().flat_map(|view| &view.waits).any(|waiting| waiting.kind == kind);
        if !kinds("question") && kinds("work") {
            return Err(Failure::new(Kind::Refused, format!("{run} waits for work, not for words"))
                .hint("hand it in with --file PATH or --report FILE; `multiverse inbox` shows what it is"));
        }
        Ok(opened.service.send(run, Input::Tell { fence: self.attempt, answer: words, by: user() })?)
    }
}
