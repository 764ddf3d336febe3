//! `multiverse cancel`: ends a run. Shows that it is ended.

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
use super::signals;

/// End a run for good
///
/// The run is FAILED, with the cause that you cancelled it; what it made so far stays.
/// Agents at work on it are ended, also those of another process. `multiverse retry`
/// takes it up again in a new run.
///
/// With --json, one object: {"run", "status", …}.
///
/// Exit codes: 0 done, 1 error or it was over already, 2 usage
///
/// Examples:
///   multiverse cancel last
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
        opened.service.send(&run, Input::Cancel { by: user() })?;
        let hosted = opened.service.view(&run).filter(|view| view.protocol.is_some());
        let is_hosted = hosted.is_some();
        // What ends a cycle needs no agent: its record goes to the archive, unless another process sees to it.
        if hosted.is_some_and(|view| view.state == "stopped") {
            opened.service.drive(std::slice::from_ref(&run), signals::interrupt())?;
        }
        let next = if is_hosted { "`multiverse explain" } else { "`multiverse retry" };
        let does = if is_hosted { "says where it stands" } else { "takes it up again in a new run" };
        opened.told(&run, &format!("cancelled {run}; {next} {run}` {does}"), output)
    }
}
