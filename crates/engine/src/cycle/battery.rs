//! The test battery of a cycle (CY-05): what the settings name, run by [`tools::battery`] on a copy of what the Actor left.
//! Must not judge.

use std::path::Path;

use machine::cycle::{Check, CheckEnd};
use tools::Stop;
use tools::battery::{self, Ran, RanEnd, Surroundings};

use super::settings::CycleSettings;

/// Runs the battery in a folder that is its own.
pub(super) fn run(settings: &CycleSettings, folder: &Path, stop: &Stop, say: &dyn Fn(&str)) -> Vec<Check> {
    let checks: Vec<battery::Check> = settings
        .battery
        .iter()
        .map(|check| battery::Check {
            name: check.name.clone(),
            command: check.command.clone(),
            seconds: check.seconds,
        })
        .collect();
    let surroundings = Surroundings { readable: settings.read.clone(), ..Surroundings::default() };
    battery::run(&checks, folder, &surroundings, stop, say).into_iter().map(kept).collect()
}

fn kept(Ran { name, end, tail }: Ran) -> Check {
    let end = match end {
        RanEnd::Exit(code) => CheckEnd::Exit(code),
        RanEnd::TimedOut => CheckEnd::TimedOut,
        RanEnd::NotRun(reason) => CheckEnd::NotRun(reason),
    };
    Check { name, end, tail }
}
