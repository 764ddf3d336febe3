//! `multiverse gate`: a person decides at a gate of a workflow. Carries the run on.

use std::path::Path;

use super::carry::{Afterwards, Opened};
use super::exit::Exit;
use super::failure::{Failure, Kind};
use super::output::Output;
use super::project::Start;
use super::request::user;
use super::{completions, visible};

/// Decide at a gate of a workflow
///
/// A gate stops a workflow until a person says yes or no. What was rejected can be
/// approved later, or asked again with `reopen`; all of it is recorded, with who, when
/// and why.
///
/// Exit codes: 0 done, 1 error or no such gate waits, 2 usage, 3 it waits for you again
///
/// Examples:
///   multiverse gate approve RELEASE_APPROVAL --reason "it does what it should"
///   multiverse gate reject RELEASE_APPROVAL --reason "AC-2 is not met" --no-run || true
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// Yes: the workflow goes on
    Approve(Decision),
    /// No: the workflow is blocked until somebody says otherwise
    Reject(Decision),
    /// Ask again at a gate that was rejected
    Reopen(Decision),
}

#[derive(Debug, clap::Args)]
struct Decision {
    /// The gate
    #[arg(value_name = "GATE")]
    gate: String,

    /// Why, in your own words
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,

    /// The run; without it, the one whose gate it is
    #[arg(long, value_name = "RUN", add = completions::runs())]
    run: Option<String>,

    #[command(flatten)]
    afterwards: Afterwards,
}

impl Arguments {
    pub(crate) fn run(&self, given: Option<&Path>, output: &mut Output) -> Result<Exit, Failure> {
        let start = Start::of_process(given)?;
        let (What::Approve(decision) | What::Reject(decision) | What::Reopen(decision)) = &self.what;
        let name = match &decision.run {
            Some(name) => name.clone(),
            None => run_of(&start, &decision.gate, output)?,
        };
        let (mut opened, run) = decision.afterwards.open_run(&start, &name, output)?;
        let (gate, by) = (decision.gate.as_str(), user());
        let reason = decision.reason.as_deref().unwrap_or_default();
        match &self.what {
            What::Approve(_) => opened.service.reply_at_gate(&run, Some(gate), "approve", reason, &by)?,
            What::Reject(_) => opened.service.reply_at_gate(&run, Some(gate), "reject", reason, &by)?,
            What::Reopen(_) => opened.service.reopen_gate(&run, gate, reason, &by)?,
        }
        decision.afterwards.follow(opened, run, output)
    }
}

/// The run that a gate is of: the open one that has gates.
fn run_of(start: &Start, gate: &str, output: &mut Output) -> Result<String, Failure> {
    let opened = Opened::to_look(start, output, super::progress::Shown::Oddities)?;
    let mut views = opened.service.all_runs();
    let stranded = opened.service.stranded_workflow();
    drop(opened.close());
    if let Some((run, _)) = stranded {
        return Ok(run);
    }
    views.retain(|view| view.protocol == Some("profile"));
    let is_open = |view: &&engine::RunView| !matches!(view.status, "COMPLETED" | "FAILED");
    // Of a run that is over the engine says so itself.
    let found = views.iter().rev().find(is_open).or(views.last()).map(|view| view.run.clone());
    found.ok_or_else(|| {
        let message = format!("no workflow is here that could wait at gate {}", visible::text(gate));
        Failure::new(Kind::Refused, message).hint("`multiverse run --profile NAME` begins one")
    })
}
