//! A pull request of a goal's branch, where the project says how (CY-09). The project's own command is run, confined like a
//! check but with the network open; what it prints last is taken as the request. Safe to do again as far as that command is.

use std::path::Path;

use machine::cycle::Cycle;
use serde_json::{Value, json};
use tools::battery::{self, RanEnd, Surroundings};
use tools::{Network, Stop};

use super::settings::CycleSettings;
use dialect::cycle::CURRENT;

/// How long it may take.
const SECONDS: u64 = 600;

/// Runs the command in the project, and gives the number that it told.
pub(super) fn offer(
    project: &Path,
    cycle: &Cycle,
    within: &Path,
    settings: &CycleSettings,
    stop: &Stop,
    say: &dyn Fn(&str),
) -> Result<Value, String> {
    let Some(command) = &settings.pull_request else {
        return Ok(json!({"said": "[cycle] pull_request is not set any more"}));
    };
    std::fs::create_dir_all(within).map_err(|error| format!("{}: {error}", within.display()))?;
    let title = cycle.goal.lines().next().unwrap_or_default();
    let record = project.join(CURRENT).to_string_lossy().into_owned();
    let known = [
        ("MULTIVERSE_BRANCH", cycle.branch.as_str()),
        ("MULTIVERSE_BASE", cycle.base.as_str()),
        ("MULTIVERSE_TITLE", title),
        ("MULTIVERSE_RECORD", &record),
    ];
    let known: String = known.iter().map(|(name, value)| format!("export {name}={}\n", quoted(value))).collect();
    let command = format!("{known}cd {} || exit 1\n{command}", quoted(&project.to_string_lossy()));
    let check = battery::Check { name: "pull request".into(), command, seconds: SECONDS };
    let readable = settings.read.iter().cloned().chain([project.to_path_buf()]).collect();
    let surroundings = Surroundings { network: Network::Open, readable, ..Surroundings::default() };
    say("asking for a pull request");
    let ran = battery::run(&[check], within, &surroundings, stop, &|_| {}).into_iter().next();
    let _ = std::fs::remove_dir_all(within);
    let Some(ran) = ran else { return Err("the command did not run".into()) };
    let last = ran.tail.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default().trim();
    Ok(match ran.end {
        RanEnd::Exit(0) => match number_in(last) {
            Some(number) => json!({"number": number, "said": last}),
            None => json!({"said": format!("the command ended well, and told no number: {last}")}),
        },
        RanEnd::Exit(code) => json!({"said": format!("the command ended with code {code}: {last}")}),
        RanEnd::TimedOut => json!({"said": format!("the command took more than {SECONDS} seconds")}),
        RanEnd::NotRun(reason) => json!({"said": format!("the command did not run: {reason}")}),
    })
}

/// The number of a request in what was told of it: `42`, `#42`, `https://example.org/pull/42`.
fn number_in(told: &str) -> Option<u64> {
    let word = told.split_whitespace().next_back()?;
    let digits = word.rsplit(['/', '#']).next()?;
    digits.parse().ok()
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// CY-09: the number of a pull request, as programs tell it.
    #[test]
    fn cy09_numbers_of_requests() {
        for (told, number) in [
            ("https://example.org/o/r/pull/42", Some(42)),
            ("opened #7", Some(7)),
            ("12", Some(12)),
            ("done", None),
            ("https://example.org/o/r/pull/42/files", None),
            ("", None),
        ] {
            assert_eq!(number_in(told), number, "{told}");
        }
        assert_eq!(quoted("it's"), "'it'\\''s'");
    }
}
