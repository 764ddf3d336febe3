//! What an Actor did against what it may do, and what a Judge may pass. Both are measured, not told (CY-04, CY-05).

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::limits::Limits;
use super::state::{Cycle, Stage};
use super::turn::{CheckEnd, Measured};

/// What is wrong with a change; nothing if it may stay.
pub(super) fn overstepped(cycle: &Cycle, stage: Stage, measured: &Measured, limits: &Limits) -> Vec<String> {
    let mut problems = Vec::new();
    if measured.lines > limits.lines {
        problems
            .push(format!("{} lines were changed, {} is the most: do less in one loop", measured.lines, limits.lines));
    }
    if measured.files.len() > limits.files {
        let files = measured.files.join(", ");
        let (count, most) = (measured.files.len(), limits.files);
        problems.push(format!("{count} files were changed ({files}), {most} is the most: do less in one loop"));
    }
    for file in &measured.files {
        if let Some(avoid) = cycle.avoid.iter().find(|avoid| is_below(file, avoid)) {
            problems.push(format!("{file} was changed, and the plan says to leave {avoid} alone: put it back"));
        }
    }
    for reference in &measured.strayed {
        let branch = if cycle.branch.is_empty() { "its own copy" } else { cycle.branch.as_str() };
        problems.push(format!("{reference} was moved: work on {branch} only, and move nothing else"));
    }
    problems.extend(measured.wrong.iter().cloned());
    let is_nothing = measured.files.is_empty() && measured.lines == 0;
    if is_nothing && stage == Stage::Loop {
        problems.push("SUCCESS was reported, and no file differs: change something, or report FAIL and why".into());
    }
    problems
}

/// Why a loop may not be passed; nothing if it may. The checks must be those of what the Actor left.
pub(super) fn unproven(cycle: &Cycle, limits: &Limits) -> Vec<String> {
    let left = cycle.measured.as_ref().map(|measured| measured.commit.as_str());
    let checks = cycle.checks.as_ref();
    let is_same = checks.is_some_and(|(commit, _)| left.is_none_or(|left| left == commit));
    let of = |name: &String| match checks.and_then(|(_, checks)| checks.iter().find(|check| check.name == *name)) {
        None => Some(format!("the required check `{name}` did not run")),
        Some(_) if !is_same => Some(format!("the required check `{name}` ran on something else than what was changed")),
        Some(check) => match &check.end {
            CheckEnd::Exit(0) => None,
            CheckEnd::Exit(code) => Some(format!("the required check `{name}` failed with code {code}")),
            CheckEnd::TimedOut => Some(format!("the required check `{name}` ran over its time")),
            CheckEnd::NotRun(reason) => Some(format!("the required check `{name}` did not run: {reason}")),
        },
    };
    let found = limits.required.iter().filter_map(of);
    found.map(|problem| format!("{problem}; so PASS cannot be said: report INSUFFICIENT")).collect()
}

/// Whether a path is another one, or below it.
fn is_below(path: &str, folder: &str) -> bool {
    let folder = folder.trim().trim_start_matches("./").trim_end_matches('/');
    // `src/a.rs:10-20` names lines; the file is meant.
    let folder = folder.split(':').next().unwrap_or(folder);
    !folder.is_empty() && path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}
