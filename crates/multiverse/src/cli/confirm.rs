//! `multiverse confirm`: yes to a proposal. Carries the run on.

use std::path::Path;

use engine::Verdict;

use super::carry::Afterwards;
use super::completions;
use super::exit::Exit;
use super::failure::Failure;
use super::output::Output;
use super::project::Start;
use super::request::user;

/// Confirm what a run proposes
///
/// The proposed instructions become law, and the run goes on in this process. RUN is
/// any unique beginning of a run's id, or `last`.
///
/// Exit codes: 0 done, 1 error or it does not wait for an answer, 2 usage, 3 it waits
/// for you again, 4 the run failed
///
/// Examples:
///   multiverse confirm last
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    /// The run
    #[arg(value_name = "RUN", add = completions::runs())]
    run: String,

    #[command(flatten)]
    afterwards: Afterwards,
}

impl Arguments {
    pub(crate) fn run(&self, given: Option<&Path>, output: &mut Output) -> Result<Exit, Failure> {
        let (mut opened, run) = self.afterwards.open_run(&Start::of_process(given)?, &self.run, output)?;
        opened.service.answer(&run, Verdict::Confirm, &user())?;
        self.afterwards.follow(opened, run, output)
    }
}
