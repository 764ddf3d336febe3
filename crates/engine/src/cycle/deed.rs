//! What is done for a piece of work of a cycle: agents take their turns in copies, code does the rest.

use std::path::Path;

use dialect::cycle::{ARCHIVE, Archived, archive_name};
use machine::Role;
use machine::cycle::{Attempt, Cycle, Ground, Party, Stage, Work};
use serde_json::{Value, json};
use tools::Stop;

use super::brief::{brief, role};
use super::place::TurnPlace;
use super::settings::CycleSettings;
use super::{battery, offer, repository};
use crate::hosted::{Came, Code, Deed, Site, Workplace as _};

/// What is to be done for an attempt.
pub(super) fn deed(cycle: &Cycle, attempt: &Attempt, site: &Site<'_>) -> Deed {
    if let Some(party) = attempt.work.party() {
        return turn(cycle, attempt, party, site);
    }
    let (project, cycle, since) = (site.settings.project.clone(), cycle.clone(), attempt.since.clone());
    let settings = site.settings.cycle.clone();
    let is_files = cycle.ground == Ground::Files;
    match attempt.work {
        Work::Checkpoint if is_files => done(json!({"branch": "", "base": "", "commit": ""})),
        Work::Checkpoint => code(move || repository::checkpoint(&project, &cycle)),
        Work::Check(_) => {
            let place = place(&cycle, attempt, Party::Judge, &project);
            let within = project.join(".multiverse/scratch").join(&cycle.id).join(attempt.fence.to_string());
            Deed::Code(Box::new(move |stop, say| {
                let checked = check(&cycle, place, &within, &settings, stop, say);
                if stop.is_stopped() { Came::Lost("stopped".into()) } else { answered(checked) }
            }))
        }
        Work::Offer => {
            let within = project.join(".multiverse/scratch").join(&cycle.id).join(attempt.fence.to_string());
            Deed::Code(Box::new(move |stop, say| {
                let offered = offer::offer(&project, &cycle, &within, &settings, stop, say);
                if stop.is_stopped() { Came::Lost("stopped".into()) } else { answered(offered) }
            }))
        }
        Work::Merge => code(move || repository::merge(&project, &cycle, &since)),
        Work::Delete => code(move || repository::delete(&project, &cycle)),
        Work::Archive(ending) => {
            let taken = |name: &str| (site.read)(&format!("{ARCHIVE}/{name}")).is_some();
            let title: String = cycle.goal.lines().next().unwrap_or_default().to_string();
            let by = cycle.pull_request.map_or(Archived::At(since), Archived::PullRequest);
            let name = archive_name(&by, &title, ending, &taken);
            done(json!({"path": format!("{ARCHIVE}/{name}")}))
        }
        Work::Outline | Work::Plan(_) | Work::Act(_) | Work::Judge(_) => done(Value::Null),
    }
}

fn done(value: Value) -> Deed {
    Deed::AtOnce(Came::Done(value))
}

fn code(work: impl FnOnce() -> Result<Value, String> + Send + 'static) -> Deed {
    let code: Code = Box::new(move |_, _| answered(work()));
    Deed::Code(code)
}

fn answered(worked: Result<Value, String>) -> Came {
    match worked {
        Ok(value) => Came::Done(value),
        Err(error) => Came::Failed { error, said: String::new() },
    }
}

/// An agent takes its turn.
fn turn(cycle: &Cycle, attempt: &Attempt, party: Party, site: &Site<'_>) -> Deed {
    let casting = site.settings.casting_of(&cycle.id);
    let usual = if party == Party::Planner { Role::Planner } else { Role::Executor };
    let backend = casting.part(role(party)).or_else(|| casting.crew.get(&usual).cloned());
    let Some(backend) = backend else {
        let error = format!("nobody plays the {}", role(party));
        return Deed::AtOnce(Came::Failed { error, said: String::new() });
    };
    let brief = brief(cycle, attempt, party, site.settings);
    let place = place(cycle, attempt, party, &site.settings.project);
    Deed::At(Box::new(brief), backend, Box::new(place))
}

/// The copy for an attempt: of what stood before the loop, or of what the Actor left.
fn place(cycle: &Cycle, attempt: &Attempt, party: Party, project: &Path) -> TurnPlace {
    let before = cycle.checkpoints.back().map(|(_, commit)| commit.clone()).unwrap_or_default();
    let left = cycle.measured.as_ref().map(|measured| measured.commit.clone()).filter(|commit| !commit.is_empty());
    let is_before = matches!(attempt.work, Work::Outline | Work::Plan(Stage::Loop) | Work::Act(Stage::Loop));
    TurnPlace {
        project: project.into(),
        ground: cycle.ground,
        party,
        branch: cycle.branch.clone(),
        commit: left.filter(|_| !is_before).unwrap_or(before),
        since: attempt.since.clone(),
        signature: attempt.signature.to_string(),
        lent: None,
    }
}

/// The branch goes to what the Actor left, and the battery runs on a copy of it.
fn check(
    cycle: &Cycle,
    mut place: TurnPlace,
    within: &Path,
    settings: &CycleSettings,
    stop: &Stop,
    say: &dyn Fn(&str),
) -> Result<Value, String> {
    let commit = place.commit.clone();
    if cycle.ground == Ground::Repository {
        repository::advance(&place.project, cycle, &commit)?;
    }
    if settings.battery.is_empty() {
        return Ok(json!({"commit": commit, "checks": []}));
    }
    std::fs::create_dir_all(within).map_err(|error| format!("{}: {error}", within.display()))?;
    let folder = place.make(within)?;
    let checks = battery::run(settings, &folder, stop, say);
    // What cannot be removed now is swept up by the next opening.
    let _ = std::fs::remove_dir_all(within);
    Ok(json!({"commit": commit, "checks": checks}))
}
