//! `multiverse logs`: what happened in a run, from the journal; with what agents were given and said. Changes nothing.

use std::fmt::Write as _;
use std::path::Path;

use engine::Event;
use serde::Serialize;
use serde_json::Value;

use super::carry::Opened;
use super::exit::Exit;
use super::failure::{Failure, Kind};
use super::output::{FRAME, Form, HINT, Loudness, Output, PLACE};
use super::progress::Shown;
use super::project::Start;
use super::{completions, visible};

/// Show what happened in a run
///
/// Every fact, oldest first: what was planned, who was given what to do and which files
/// to do it with, what was sent back and why, what was done, asked and answered. ITEM
/// shows one item alone (T05), with what its agents were asked and said; so does -v for
/// all of them.
///
/// With --json, one object a line: {"event": …}, {"attempt": …}.
///
/// Exit codes: 0 done, 1 error, 2 usage, 5 nothing happened
///
/// Examples:
///   multiverse logs last
///   multiverse logs last T00
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    /// The run
    #[arg(value_name = "RUN", add = completions::runs())]
    run: String,

    /// Only what is about this item
    #[arg(value_name = "ITEM", add = completions::items())]
    item: Option<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Line<'a> {
    Event(&'a Event),
    Attempt(&'a Value),
}

impl Arguments {
    pub(crate) fn run(&self, given: Option<&Path>, output: &mut Output) -> Result<Exit, Failure> {
        let opened = Opened::to_look(&Start::of_process(given)?, output, Shown::Oddities)?;
        let run = opened.run(&self.run)?;
        let story = opened.service.story(&run)?;
        let folder = engine::logs::folder(opened.service.project(), &run);
        if let Some(trouble) = opened.close().trouble {
            return Err(trouble);
        }
        let is_wanted = |event: &&Event| self.item.is_none() || self.item == event.item;
        let events: Vec<&Event> = story.events.iter().filter(is_wanted).collect();
        if let (Some(item), true) = (&self.item, events.is_empty()) {
            let message = format!("{run} has no item {}", visible::text(item));
            return Err(Failure::new(Kind::Missing, message).hint(format!("`multiverse status {run}` shows its items")));
        }
        let is_whole = self.item.is_some() || output.loudness() == Loudness::Verbose || output.form() == Form::Json;
        for event in &events {
            match output.form() {
                Form::Json => output.json(&Line::Event(event))?,
                Form::Text => output.data(&rendered(event))?,
            }
            let begins = event.fence.filter(|_| is_whole && is_beginning(event));
            if let Some(log) = begins.and_then(|fence| attempt_log(&folder, fence)) {
                match output.form() {
                    Form::Json => output.json(&Line::Attempt(&log))?,
                    Form::Text => output.data(&said(&log))?,
                }
            }
        }
        if events.is_empty() {
            output.say("nothing happened")?;
            return Ok(Exit::NothingToDo);
        }
        Ok(Exit::Done)
    }
}

fn is_beginning(event: &Event) -> bool {
    event.text.contains(": attempt ")
}

/// What was asked and said in an attempt, if it was kept.
fn attempt_log(folder: &Path, fence: u64) -> Option<Value> {
    let text = std::fs::read_to_string(folder.join(format!("{fence:06}.json"))).ok()?;
    serde_json::from_str(&text).ok()
}

fn rendered(event: &Event) -> String {
    let time = event.at.split_once('.').map_or(event.at.clone(), |(whole, _)| format!("{whole}Z"));
    let mut shown =
        format!("{PLACE}{:>6}{PLACE:#}  {}  {}\n", event.record, visible::text(&time), visible::text(&event.text));
    let mut below = |text: &str| {
        let _ = writeln!(shown, "          {}", visible::text(text));
    };
    event.given.iter().for_each(|given| below(&format!("given {} ({})", given.path, given.why)));
    event.more.iter().for_each(|line| below(line));
    event.said.iter().flat_map(|said| said.lines()).for_each(|line| below(&format!("said: {line}")));
    shown
}

/// What an agent said in an attempt.
fn said(log: &Value) -> String {
    let mut shown = String::new();
    let ending = log.get("ending").and_then(Value::as_str).unwrap_or_default();
    let _ = writeln!(shown, "          {HINT}it ended: {}{HINT:#}", visible::text(ending));
    let said = log.get("said").filter(|said| !said.is_null()).map(|said| format!("{said:#}")).unwrap_or_default();
    let logged = log.get("log").and_then(Value::as_str).unwrap_or_default();
    for line in said.lines().chain(logged.lines()) {
        let _ = writeln!(shown, "          {FRAME}│{FRAME:#} {}", visible::text(line));
    }
    shown
}
