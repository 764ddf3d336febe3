//! `multiverse pause`: a run hands out no more work. Shows that it is paused.

use std::path::Path;

use engine::Input;

use super::carry::Opened;
use super::completions;
use super::exit::Exit;
use super::failure::Failure;
use super::output::Output;
use super::progress::Shown;
use super::project::Start;
use super::request::user;

/// Hand out no more work of a run
///
/// Agents at work finish what they have; nobody begins anything new until `multiverse
/// resume`. A process that drives the run notices it within a second.
///
/// With --json, one object: {"run", "status", …}.
///
/// Exit codes: 0 done, 1 error, or it is paused or over already, 2 usage
///
/// Examples:
///   multiverse pause last
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    /// The run
    #[arg(value_name = "RUN", add = completions::runs())]
    run: String,
}

impl Arguments {
    pub(crate) fn run(&self, given: Option<&Path>, output: &mut Output) -> Result<Exit, Failure> {
        let mut opened = Opened::to_tell(&Start::of_process(given)?, output, Shown::Oddities)?;
        let run = opened.run(&self.run)?;
        opened.service.send(&run, Input::Pause { reason: format!("paused by {}", user()) })?;
        opened.told(&run, &format!("paused {run}; `multiverse resume {run}` goes on with it"), output)
    }
}
