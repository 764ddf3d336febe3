//! `multiverse retry`: a new run that goes on where a failed one ended. Carries it on.

use std::path::Path;

use super::carry::{Driving, Opened};
use super::completions;
use super::exit::Exit;
use super::failure::Failure;
use super::output::Output;
use super::project::Start;
use super::run::say_begun;

/// Go on where a failed run ended, in a new run
///
/// A new run takes over everything that the failed one planned and completed, and
/// begins with what had failed. The failed run stays as it is.
///
/// Exit codes: 0 done, 1 error or the run has not failed, 2 usage, 3 it waits for you,
/// 4 the new run failed
///
/// Examples:
///   multiverse retry last --yes
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    /// The run that failed
    #[arg(value_name = "RUN", add = completions::runs())]
    run: String,

    #[command(flatten)]
    driving: Driving,
}

impl Arguments {
    pub(crate) fn run(&self, given: Option<&Path>, output: &mut Output) -> Result<Exit, Failure> {
        let (start, choice) = (Start::of_process(given)?, &self.driving.choice);
        let mut opened = Opened::to_work(&start, choice, output)?;
        let failed = opened.run(&self.run)?;
        if opened.service.view(&failed).is_some_and(|view| view.status != "COMPLETED") {
            opened.recall(&failed, &start, choice, output)?;
        }
        let begun = opened.service.retry(&failed)?;
        say_begun(&begun, output)?;
        opened.carry_on(&[begun.run], &self.driving, output)
    }
}
