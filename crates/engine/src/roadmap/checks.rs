//! The checks that are run on what was done before it counts: those that the settings name, by [`tools::battery`], on a copy.
//! Must not say what follows from them.

use std::path::Path;

use machine::roadmap::Check;
use tools::Stop;
use tools::battery::{self, Ran, RanEnd, Surroundings};

use super::RoadmapSettings;

/// The checks of a project.
#[derive(Debug, Clone, Default)]
pub(super) struct Checks {
    checks: Vec<battery::Check>,
    surroundings: Surroundings,
}

impl Checks {
    pub(super) fn of(settings: &RoadmapSettings) -> Self {
        let checks = settings.checks.iter().map(|check| battery::Check {
            name: check.name.clone(),
            command: check.command.clone(),
            seconds: check.seconds,
        });
        let surroundings = Surroundings { readable: settings.read.clone(), ..Surroundings::default() };
        Self { checks: checks.collect(), surroundings }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.checks.is_empty()
    }

    /// Runs them in a folder that is their own.
    pub(super) fn run(&self, folder: &Path, stop: &Stop, say: &dyn Fn(&str)) -> Vec<Check> {
        battery::run(&self.checks, folder, &self.surroundings, stop, say).into_iter().map(kept).collect()
    }
}

/// What is wrong with what was checked, if anything: which check, how it ended, and the end of what it said.
pub(super) fn complaint(checks: &[Check]) -> Option<String> {
    let bad = checks.iter().find(|check| check.exit != Some(0))?;
    let end = bad.exit.map_or_else(|| "came to no end".to_string(), |code| format!("ended with exit code {code}"));
    Some(format!("the check {} {end}\n{}", bad.name, bad.tail.trim_end()))
}

fn kept(Ran { name, end, tail }: Ran) -> Check {
    match end {
        RanEnd::Exit(code) => Check { name, exit: Some(code), tail },
        RanEnd::TimedOut => Check { name, exit: None, tail: format!("{tail}\nit ran over its time") },
        RanEnd::NotRun(reason) => Check { name, exit: None, tail: format!("{tail}\nit did not run: {reason}") },
    }
}
