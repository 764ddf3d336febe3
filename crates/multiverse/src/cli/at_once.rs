//! `multiverse do`: a request done at once, by the executor, without a run (MV-03). Shows what it says.

use std::path::Path;

use engine::agent::Report;
use serde::Serialize;

use super::agents::Choice;
use super::carry::Opened;
use super::exit::Exit;
use super::failure::Failure;
use super::output::{Form, Output};
use super::project::Start;
use super::request::Words;
use super::{signals, visible};

/// Have something done at once, without a run
///
/// The executor gets the request and what is in assets/ and guidelines/, and its
/// answer is printed. No run begins, nothing is proposed, and no table and no file of
/// yours changes.
///
/// With --json, one object: {"answer": …}.
///
/// Exit codes: 0 done, 1 error, 2 usage
///
/// Examples:
///   multiverse do "How many boats were built in 2025?"
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    #[command(flatten)]
    words: Words,

    #[command(flatten)]
    choice: Choice,
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct Said {
    text: String,
    agent: String,
    report: Report,
}

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Line<'a> {
    Answer(&'a Said),
}

impl Arguments {
    pub(crate) fn run(&self, given: Option<&Path>, output: &mut Output) -> Result<Exit, Failure> {
        let start = Start::of_process(given)?;
        let request = self.words.request(&start)?;
        let opened = Opened::to_begin(&start, &self.choice, output)?;
        answer(opened, &request, output)
    }
}

/// Has a request done and shows the answer.
pub(crate) fn answer(mut opened: Opened, request: &str, output: &mut Output) -> Result<Exit, Failure> {
    signals::listen(output)?;
    let asked = opened.service.simple_task(request, signals::interrupt());
    let left = opened.close_without_trace();
    let answer = asked?;
    match output.form() {
        Form::Json => {
            output.json(&Line::Answer(&Said { text: answer.text, agent: answer.agent, report: answer.report }))?;
        }
        Form::Text => output.data(&format!("{}\n", visible::lines(answer.text.trim_end())))?,
    }
    Ok(if left.trouble.is_some() { Exit::Error } else { Exit::Done })
}
