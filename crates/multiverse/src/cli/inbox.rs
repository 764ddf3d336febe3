//! `multiverse inbox`: what waits for a person, with the command that answers it.

use std::path::Path;

use engine::Waiting;
use serde::Serialize;

use super::carry::{Opened, waiting_lines};
use super::exit::Exit;
use super::failure::Failure;
use super::output::{Form, Loudness, Output, PLACE};
use super::progress::Shown;
use super::project::Start;
use super::{completions, visible};

/// Show what waits for you
///
/// Proposals, questions of agents, work that was left to a person, and runs that are
/// paused; each with the command that answers it. With a run, or with -v, also the whole
/// text: the proposal, or what the work is about.
///
/// With --json, one object a line: {"waiting": …}.
///
/// Exit codes: 0 something waits, 1 error, 2 usage, 5 nothing waits
///
/// Examples:
///   multiverse inbox
///   multiverse inbox last
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    /// Only what this run waits for
    #[arg(value_name = "RUN", add = completions::runs())]
    run: Option<String>,
}

/// Something that waits, with all there is to know of it.
#[derive(Debug, Serialize)]
struct Full<'a> {
    #[serde(flatten)]
    waiting: &'a Waiting,
    /// The proposal, or the brief in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    whole: Option<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Line<'a> {
    Waiting(&'a Full<'a>),
}

impl Arguments {
    pub(crate) fn run(&self, given: Option<&Path>, output: &mut Output) -> Result<Exit, Failure> {
        let start = Start::of_process(given)?;
        let mut opened = Opened::to_look(&start, output, Shown::Oddities)?;
        let run = self.run.as_ref().map(|name| opened.run(name)).transpose()?;
        let waiting = opened.service.waiting();
        let wanted = waiting.iter().filter(|one| run.as_ref().is_none_or(|run| one.run == *run));
        let is_whole = run.is_some() || output.loudness() == Loudness::Verbose || output.form() == Form::Json;
        let mut count = 0;
        for waiting in wanted {
            count += 1;
            let whole = if is_whole { whole_of(&mut opened, waiting) } else { None };
            let full = Full { waiting, whole };
            match output.form() {
                Form::Json => output.json(&Line::Waiting(&full))?,
                Form::Text => output.data(&rendered(&full))?,
            }
        }
        if count == 0 {
            output.say("nothing waits for you")?;
        }
        let shown: Vec<(String, String)> = waiting
            .iter()
            .filter(|one| run.as_ref().is_none_or(|run| one.run == *run))
            .filter_map(|one| Some((one.run.clone(), one.question.clone()?)))
            .collect();
        if let Some(trouble) = opened.close().trouble {
            return Err(trouble);
        }
        deliver(&start, &shown, output);
        Ok(if count == 0 { Exit::NothingToDo } else { Exit::Done })
    }
}

/// Notes that questions were shown (PF-07). Where that cannot be noted, they are shown again another time.
fn deliver(start: &Start, shown: &[(String, String)], output: &mut Output) {
    if shown.is_empty() {
        return;
    }
    let Ok(mut opened) = Opened::to_tell(start, output, Shown::Oddities) else { return };
    for (run, question) in shown.iter().filter(|(_, question)| question.starts_with("Q-")) {
        let _ = opened.service.deliver(run, question);
    }
    drop(opened.close());
}

fn whole_of(opened: &mut Opened, waiting: &Waiting) -> Option<String> {
    match (waiting.kind, waiting.fence) {
        ("confirmation", _) => opened.service.document(&format!("runs/{}/feedback_for_user.md", waiting.run)),
        ("work", Some(fence)) => opened.service.brief_of(&waiting.run, fence).map(|brief| brief.prompt),
        _ => None,
    }
}

fn rendered(full: &Full<'_>) -> String {
    let waiting = full.waiting;
    let mut shown = format!("{PLACE}{}{PLACE:#}  {}\n", visible::text(&waiting.run), waiting.kind);
    if let Some(whole) = &full.whole {
        for line in whole.trim().lines() {
            shown.push_str(format!("  {}", visible::text(line)).trim_end());
            shown.push('\n');
        }
    }
    shown.push_str(&waiting_lines(waiting));
    shown.push('\n');
    shown
}
