//! `multiverse resume`: carries runs on that stopped, for whatever reason. Shows how they go.

use std::path::Path;

use engine::Input;

use super::carry::{Driving, Opened};
use super::exit::Exit;
use super::failure::{Failure, Kind};
use super::output::Output;
use super::project::Start;
use super::{completions, visible, workflow};

/// Go on with runs that stopped
///
/// Whatever stopped them: a pause, an interruption, a crash, a question that is answered
/// meanwhile. What was committed is not done again. Without RUN it is the only run that
/// is open. A run that another process drives is left to it.
///
/// Exit codes: 0 done, 1 error or interrupted, 2 usage, 3 it waits for you, 4 a run
/// failed, 5 no run is open
///
/// Examples:
///   multiverse resume --yes
///   multiverse resume --all --yes
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    /// The run
    #[arg(value_name = "RUN", conflicts_with = "all", add = completions::runs())]
    run: Option<String>,

    /// All runs that are open
    #[arg(long)]
    all: bool,

    #[command(flatten)]
    driving: Driving,
}

impl Arguments {
    pub(crate) fn run(&self, given: Option<&Path>, output: &mut Output) -> Result<Exit, Failure> {
        let (start, choice) = (Start::of_process(given)?, &self.driving.choice);
        let mut opened = Opened::to_work(&start, choice, output)?;
        workflow::take_up(&mut opened, &start, self.run.as_deref(), output)?;
        let runs = match &self.run {
            Some(name) => vec![opened.run(name)?],
            None => match opened.service.open_runs().into_iter().map(|view| view.run).collect::<Vec<_>>() {
                // A project that came without its journal has runs all the same.
                none if none.is_empty() => opened.service.stranded(),
                open => open,
            },
        };
        let is_clear = self.all || runs.len() == 1;
        for run in runs.iter().filter(|run| is_clear && opened.is_open(run)).cloned().collect::<Vec<_>>() {
            opened.recall(&run, &start, choice, output)?;
        }
        match runs.as_slice() {
            [] => {
                output.say("no run is open; `multiverse run \"…\"` starts one")?;
                opened.close().show(output)?;
                return Ok(Exit::NothingToDo);
            }
            [run] if !self.all => {
                // Whoever names a run wants to know when it cannot go on here.
                opened.service.send(run, Input::Claim)?;
            }
            several if !self.all => {
                let names: Vec<String> = several.iter().take(5).map(|run| visible::text(run)).collect();
                let message = format!("{} runs are open: {}", several.len(), names.join(", "));
                return Err(Failure::new(Kind::Usage, message).hint("say which, or --all"));
            }
            _ => {}
        }
        for run in &runs {
            if opened.service.view(run).is_some_and(|view| view.paused.is_some()) {
                opened.service.send(run, Input::Resume)?;
            }
        }
        opened.carry_on(&runs, &self.driving, output)
    }
}
