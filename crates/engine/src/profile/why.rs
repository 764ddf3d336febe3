//! Why a profile's run, or one of its steps, is where it is: what it waits for, what is missing until it is done (PF-13),
//! and what can be done now.

use machine::profile::{Course, Run, StepState};

use super::view::{OPTIONAL, missing_in_short, waits};
use crate::fault::EngineError;
use crate::views::{Driver, Waiting};
use crate::why::{Can, Why};

/// The most missing things that are told.
const TOLD: usize = 40;

pub(super) fn why(run: &Run, item: Option<&str>, driver: Driver) -> Result<Why, EngineError> {
    match item {
        None => Ok(of_run(run, driver)),
        Some(id) => of_step(run, id, driver),
    }
}

fn can(command: impl Into<String>, does: &'static str) -> Can {
    Can { command: command.into(), does }
}

fn of_run(run: &Run, driver: Driver) -> Why {
    let id = &run.id;
    let mut why = Why { run: id.clone(), since: run.moved_at.clone(), ..Why::default() };
    match &run.course {
        Course::Done => {
            why.state = "done";
            why.what = "it is done, and cannot be changed again".into();
            why.because = vec!["all steps are completed, all gates approved, all evidence is there".into()];
            why.files = run.artifacts.values().map(|artifact| artifact.path.clone()).collect();
            why.can = vec![can(format!("multiverse logs {id}"), "shows what happened, step by step")];
            return why;
        }
        Course::Cancelled => {
            why.state = "cancelled";
            why.what = format!("it was cancelled by {}", run.cancelled_by.as_deref().unwrap_or("somebody"));
            why.can = vec![can("multiverse run --profile NAME", "begins another")];
            return why;
        }
        Course::Working | Course::Gate(_) | Course::Rejected(_) | Course::Undecided(_) => {}
    }
    let waits: Vec<Waiting> = waits(run).into_iter().filter(|one| one.kind != OPTIONAL).collect();
    // A pause stops everything, whatever else is waited for.
    match waits.iter().find(|one| one.kind == "paused").or(waits.first()) {
        Some(waiting) => tell_waiting(&mut why, run, waiting),
        None => tell_working(&mut why, run, driver),
    }
    why.because.extend(missing(run));
    why.can.push(can(format!("multiverse cancel {id}"), "ends it for good"));
    why
}

fn tell_waiting(why: &mut Why, run: &Run, waiting: &Waiting) {
    let (state, what) = match waiting.kind {
        "gate" => ("confirmation", format!("it waits at gate {}", run.human_gate_waiting().unwrap_or_default())),
        "rejected" => ("blocked", "a gate was rejected".into()),
        "decision" => ("question", "it waits for your decision".into()),
        "question" => ("question", "it waits for your answer to a question".into()),
        "budget" => ("budget", "its budget is used up".into()),
        "evidence" => ("blocked", "all its steps are done, and evidence is missing".into()),
        "work" => ("work", "it waits for work that is yours".into()),
        _ => ("paused", "it is paused".into()),
    };
    why.state = state;
    why.what = what;
    why.because.push(waiting.text.clone());
    why.because.extend(run.blocking().iter().map(machine::profile::Blocking::in_words));
    let does = |command: &str| match command {
        _ if command.contains("approve") => "yes: it goes on",
        _ if command.contains(" reject") => "no: it is blocked until somebody says otherwise",
        _ if command.contains("reopen") => "asks again",
        _ if command.ends_with(" more") => "tries again",
        _ if command.ends_with(" accept") => "goes on with what is there",
        _ if command.contains("resume") && waiting.kind == "evidence" => "looks again, once it is back in its place",
        _ if command.contains("resume") => "goes on where it stopped",
        _ if command.contains("--file") => "hands in the file",
        _ if command.contains("--report") => "hands in a report",
        _ => "answers it",
    };
    let is_other = |command: &&String| !command.contains("cancel") && !command.contains("explain");
    let commands = waiting.commands.iter().filter(is_other);
    why.can.extend(commands.map(|command| can(command.clone(), does(command))));
}

fn tell_working(why: &mut Why, run: &Run, driver: Driver) {
    let id = &run.id;
    let place = run.step().map(|step| format!("step {} of {}", step.step.id, step.step.role)).unwrap_or_default();
    match (driver, &run.rest) {
        (Driver::Alive, Some(rest)) => {
            why.state = "resting";
            why.what = format!("it is resting until {}, and goes on by itself", crate::clock::clock(&rest.until));
            why.because.push(rest.reason.clone());
        }
        (Driver::Alive, None) => {
            why.state = "running";
            why.what = format!("it is under way: {place}");
        }
        (Driver::Gone, _) => {
            why.state = "stopped";
            why.what = format!("it is at {place}, and nobody carries it on");
            why.because.push("nothing is lost: what was recorded is not done again".into());
            why.can.push(can(format!("multiverse resume {id}"), "goes on where it stopped"));
            return;
        }
    }
    why.can.push(can(format!("multiverse watch {id}"), "shows how it goes"));
    why.can.push(can(format!("multiverse pause {id}"), "lets those at work finish, and hands out no more"));
}

/// Which condition of being done is not met yet (PF-13).
fn missing(run: &Run) -> Vec<String> {
    let missing = missing_in_short(run);
    let mut told: Vec<String> =
        missing.iter().take(TOLD).map(|one| format!("missing until it is done: {one}")).collect();
    if missing.len() > TOLD {
        told.push(format!("… and {} more", missing.len() - TOLD));
    }
    told
}

fn of_step(run: &Run, id: &str, driver: Driver) -> Result<Why, EngineError> {
    let found = run.plan.iter().zip(&run.states).find(|(step, _)| step.step.id == id);
    let Some((step, state)) = found else {
        let steps: Vec<&str> = run.plan.iter().map(|step| step.step.id.as_str()).collect();
        let hint = format!("its steps are: {}", steps.join(", "));
        return Err(EngineError::refused(format!("{} has no step {id:?}", run.id), hint));
    };
    if step.index == run.current && !run.is_over() {
        return Ok(Why { item: Some(id.into()), ..of_run(run, driver) });
    }
    let mut why = Why { run: run.id.clone(), item: Some(id.into()), since: run.moved_at.clone(), ..Why::default() };
    let outputs = step.step.required_outputs.iter().filter_map(|name| run.artifacts.get(name));
    why.files = outputs.map(|artifact| artifact.path.clone()).collect();
    match state {
        StepState::Completed => {
            why.state = "done";
            why.what = "it is done".into();
        }
        StepState::NotStarted | StepState::InProgress => {
            why.state = "blocked";
            why.what = "it is not its turn yet".into();
            let on = run.step().map(|on| on.step.id.clone()).unwrap_or_default();
            why.because.push(format!("steps are done in their order, and {on} is on"));
        }
    }
    why.can.push(can(format!("multiverse explain {}", run.id), "says what the run waits for"));
    Ok(why)
}
