//! Why a cycle is where it is, and what can be done now.

use dialect::cycle::CURRENT;
use machine::cycle::{Cycle, Ending, Place};

use super::view::{waits, work_in_words};
use crate::fault::EngineError;
use crate::views::Driver;
use crate::why::{Can, Why};

pub(super) fn why(cycle: &Cycle, item: Option<&str>, driver: Driver) -> Result<Why, EngineError> {
    let Some(signature) = item else { return Ok(of_cycle(cycle, driver)) };
    let turn = cycle.recent.iter().find(|turn| turn.signature.to_string() == signature);
    let Some(turn) = turn else {
        let known: Vec<String> = cycle.recent.iter().map(|turn| turn.signature.to_string()).collect();
        let hint = format!("its newest turns are: {}; {CURRENT} has all", known.join(", "));
        return Err(EngineError::refused(format!("{} has no turn {signature:?} in mind", cycle.id), hint));
    };
    Ok(Why {
        run: cycle.id.clone(),
        item: Some(signature.into()),
        state: "done",
        what: format!("{} {}: {}", turn.party, turn.word, turn.summary),
        since: turn.at.clone(),
        because: turn.fields.iter().map(|(name, value)| format!("{name}: {value}")).collect(),
        files: vec![CURRENT.into()],
        can: vec![can(format!("multiverse explain {}", cycle.id), "says where the cycle stands")],
        ..Why::default()
    })
}

fn can(command: impl Into<String>, does: &'static str) -> Can {
    Can { command: command.into(), does }
}

fn of_cycle(cycle: &Cycle, driver: Driver) -> Why {
    let id = &cycle.id;
    let last = cycle.recent.back();
    let mut why = Why {
        run: id.clone(),
        since: last.map(|turn| turn.at.clone()).unwrap_or_default(),
        files: vec![CURRENT.into()],
        ..Why::default()
    };
    why.because.extend(last.map(|turn| format!("{} said {}: {}", turn.party, turn.word, turn.summary)));
    match (&cycle.place, &cycle.paused) {
        (Place::Over(ending), _) => {
            why.state = if *ending == Ending::Complete { "done" } else { "failed" };
            why.what = super::tell::ended(*ending).into();
            why.because.extend(cycle.trouble.lines().map(str::to_owned));
            why.files = vec![cycle.archive.clone()];
            why.can.push(can(format!("multiverse logs {id}"), "shows what happened, turn by turn"));
            why.can.push(can("multiverse run --protocol cycle \"another goal\"", "sets another goal"));
            return why;
        }
        (_, Some(reason)) => {
            why.state = "paused";
            why.what = "it is paused".into();
            why.because.push(reason.clone());
        }
        (Place::Gate(gate), None) => {
            why.state = "question";
            why.what = "it waits for the Human".into();
            why.because.push(gate.question.clone());
        }
        (Place::Due(work), None) => tell_due(&mut why, cycle, work_in_words(*work), driver),
    }
    for command in waits(cycle).into_iter().flat_map(|waiting| waiting.commands) {
        let does = match () {
            () if command.ends_with("STOPPED") => "ends it, incomplete",
            () if command.contains("REVISION_REQUESTED") => "asks for something else",
            () if command.contains("resume") => "goes on where it stopped",
            () if command.contains("APPROVED") => "yes: it goes on",
            () if command.contains("--report") => "hands in a report",
            () => "answers it, in your words",
        };
        why.can.push(can(command, does));
    }
    why.can.push(can(format!("multiverse cancel {id}"), "ends it; its record goes to the archive"));
    why
}

fn tell_due(why: &mut Why, cycle: &Cycle, work: &str, driver: Driver) {
    let id = &cycle.id;
    if cycle.insufficient > 0 {
        why.because.push(format!("INSUFFICIENT {} times in a row", cycle.insufficient));
    }
    match (driver, &cycle.rest) {
        (Driver::Alive, Some(rest)) => {
            why.state = "resting";
            why.what = format!("it is resting until {}, and goes on by itself", crate::clock::clock(&rest.until));
            why.because.push(rest.reason.clone());
        }
        (Driver::Alive, None) => {
            why.state = "running";
            why.what = format!("it is under way: {work} of loop {}", cycle.loop_number);
            why.can.push(can(format!("multiverse pause {id}"), "lets who is at work finish, and hands out no more"));
        }
        (Driver::Gone, _) => {
            why.state = "stopped";
            why.what = format!("{work} of loop {} is due, and nobody carries it on", cycle.loop_number);
            why.because.push("nothing is lost: what was recorded is not done again".into());
            why.can.push(can(format!("multiverse resume {id}"), "goes on where it stopped"));
        }
    }
}
