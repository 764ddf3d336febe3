//! A cycle for whoever looks: at a glance, who is at work, what waits for the Human, and what is told.

use dialect::cycle::CURRENT;
use machine::cycle::{Asks, Check, Cycle, Ending, Gate, Lap, Party, Place, Turn, Work, valid_words};
use machine::{Holder, Said};
use serde_json::{Value, json};

use super::gate_name;
use crate::clock::clock;
use crate::settings::{A_PERSON, THE_ENGINE};
use crate::views::{AttemptView, Driver, ItemView, RestView, RunView, Waiting};

/// What a piece of work is.
pub(super) fn work_in_words(work: Work) -> &'static str {
    match work {
        Work::Checkpoint => "the checkpoint",
        Work::Outline => "the plan of the whole",
        Work::Plan(_) => "the plan",
        Work::Act(_) => "the work",
        Work::Check(_) => "the battery",
        Work::Judge(_) => "the judgement",
        Work::Offer => "the pull request",
        Work::Merge => "the merge",
        Work::Delete => "the end of the branch",
        Work::Archive(_) => "the archive",
    }
}

/// A cycle, whether it is over or not.
pub(super) fn view(cycle: &Cycle, driver: Driver) -> RunView {
    let (state, state_in_words) = going_on(cycle, driver);
    let due = match &cycle.place {
        Place::Due(work) => work_in_words(*work),
        Place::Gate(_) => "the Human",
        Place::Over(_) => "",
    };
    RunView {
        run: cycle.id.clone(),
        request: cycle.goal.clone(),
        protocol: Some(super::PROTOCOL),
        status: match &cycle.place {
            Place::Over(Ending::Complete) => "COMPLETED",
            Place::Over(_) => "FAILED",
            Place::Gate(_) => "AWAITING_CONFIRMATION",
            Place::Due(_) => "PENDING",
        },
        state,
        state_in_words,
        phase: if cycle.is_closing() { "closing".into() } else { format!("loop {}", cycle.loop_number) },
        stage: due.into(),
        done: cycle.recent.len(),
        planned: cycle.recent.len(),
        waits: waits(cycle),
        paused: cycle.paused.clone(),
        driver: cycle.driver.clone(),
        asked: cycle.cast.asked.clone(),
        attempts: attempts(cycle),
        resting: resting(cycle),
        items: items(cycle),
        details: Some(details(cycle)),
        ..RunView::default()
    }
}

/// What only a cycle has to say.
fn details(cycle: &Cycle) -> Value {
    json!({
        "cycle": cycle.cycle_id,
        "roles": [super::brief::role(Party::Actor), super::brief::role(Party::Judge)],
        "goal_number": cycle.goal_number,
        "loop": cycle.loop_number,
        "loops_allowed": cycle.loops_allowed,
        "insufficient_in_a_row": cycle.insufficient,
        "branch": cycle.branch,
        "base": cycle.base,
        "checkpoints": cycle.checkpoints.iter().map(|(number, commit)| json!({"loop": number, "commit": commit})).collect::<Vec<_>>(),
        "changed": cycle.measured,
        "pull_request": cycle.pull_request,
        "trouble": cycle.trouble,
        "checks": cycle.checks.as_ref().map(|(_, checks)| checks.iter().map(checked).collect::<Vec<_>>()),
        "question": cycle.gate().map(|gate| json!({"id": gate_name(gate.number), "text": gate.question, "valid": options(gate)})),
        "record": CURRENT,
        "archive": cycle.archive,
    })
}

fn checked(check: &Check) -> Value {
    json!({"name": check.name, "end": check.end, "told": check.end.to_string(), "tail": check.tail})
}

fn options(gate: &Gate) -> Vec<&'static str> {
    valid_words(gate.asks).iter().map(|word| word.name()).collect()
}

fn resting(cycle: &Cycle) -> Vec<RestView> {
    let view = |rest: &machine::cycle::Rest| RestView {
        fence: cycle.fence,
        what: "the turn".into(),
        item: None,
        until: rest.until.clone(),
        reason: rest.reason.clone(),
    };
    cycle.rest.iter().map(view).collect()
}

fn going_on(cycle: &Cycle, driver: Driver) -> (&'static str, String) {
    let work = match (&cycle.place, &cycle.paused) {
        (Place::Over(Ending::Complete), _) => return ("done", "done".into()),
        (Place::Over(ending), _) => return ("failed", super::tell::ended(*ending).into()),
        (_, Some(reason)) => return ("paused", format!("paused: {reason}")),
        (Place::Gate(gate), None) => return ("waiting", format!("waits for you: {}", gate.question)),
        (Place::Due(work), None) => work_in_words(*work),
    };
    let is_theirs = cycle.attempt.as_ref().is_some_and(|attempt| attempt.holder == Holder::Person);
    match (driver, &cycle.rest) {
        _ if is_theirs => ("waiting", format!("waits for {work}, which is yours")),
        (Driver::Alive, Some(rest)) => ("resting", format!("resting until {}: {}", clock(&rest.until), rest.reason)),
        (Driver::Alive, None) => ("working", format!("loop {}: {work}", cycle.loop_number)),
        (Driver::Gone, _) => ("stopped", "stopped: nobody carries it on".into()),
    }
}

/// Who is at work.
pub(super) fn attempts(cycle: &Cycle) -> Vec<AttemptView> {
    let view = |attempt: &machine::cycle::Attempt| {
        let party = attempt.work.party().map(super::brief::role);
        AttemptView {
            fence: attempt.fence,
            role: party.unwrap_or("engine").into(),
            what: work_in_words(attempt.work).into(),
            item: Some(attempt.signature.to_string()),
            attempt: attempt.number,
            holder: match &attempt.holder {
                Holder::Process(name) => format!("process {}", name.split('.').next().unwrap_or_default()),
                Holder::Person => A_PERSON.into(),
            },
            agent: match (&attempt.holder, party) {
                (Holder::Person, _) => A_PERSON.into(),
                (Holder::Process(_), None) => THE_ENGINE.into(),
                (Holder::Process(_), Some(role)) => {
                    let usual = if role == "planner" { machine::Role::Planner } else { machine::Role::Executor };
                    let cast = &cycle.cast;
                    cast.parts.get(role).or_else(|| cast.names.get(&usual)).cloned().unwrap_or_default()
                }
            },
            since: attempt.since.clone(),
        }
    };
    cycle.attempt.iter().map(view).collect()
}

/// The newest loops with their turns.
fn items(cycle: &Cycle) -> Vec<ItemView> {
    let mut views: Vec<ItemView> = Vec::new();
    let mut lap = None;
    for turn in &cycle.recent {
        if lap != Some(turn.signature.lap) {
            lap = Some(turn.signature.lap);
            views.push(item(lap_name(turn), "loop", 0, String::new(), "COMPLETED"));
        }
        let name = format!("{} {}: {}", turn.party, turn.word, turn.summary);
        views.push(item(turn.signature.to_string(), "turn", 1, name, "COMPLETED"));
    }
    if let Some(attempt) = &cycle.attempt {
        let mut under_way =
            item(attempt.signature.to_string(), "turn", 1, work_in_words(attempt.work).into(), "PENDING");
        under_way.running = true;
        views.push(under_way);
    }
    views
}

fn lap_name(turn: &Turn) -> String {
    match turn.signature.lap {
        Lap::Loop(0) => "the beginning".into(),
        Lap::Loop(number) => format!("loop {number}"),
        Lap::Final => "closing steps".into(),
    }
}

fn item(id: String, level: &'static str, depth: usize, name: String, status: &'static str) -> ItemView {
    ItemView { id, level, depth, name, status, running: false, output: String::new() }
}

/// What a cycle wants of the Human.
pub(super) fn waits(cycle: &Cycle) -> Vec<Waiting> {
    let id = &cycle.id;
    let mut waits = Vec::new();
    if let Some(gate) = cycle.gate() {
        let needs_words = |word: &str| matches!(word, "REVISION_REQUESTED" | "ANSWERED");
        // After so many INSUFFICIENT another goal may be set.
        let is_goal = |word: &str| gate.asks == Asks::Insufficient && word == "REVISION_REQUESTED";
        let command = |word: &&str| match needs_words(word) {
            true if is_goal(word) => format!("multiverse answer {id} \"{word}: the new goal\""),
            true => format!("multiverse answer {id} \"{word}: your words\""),
            false => format!("multiverse answer {id} {word}"),
        };
        waits.push(Waiting {
            run: id.clone(),
            kind: if gate.asks == Asks::Clarification { "question" } else { "decision" },
            fence: None,
            question: Some(gate_name(gate.number)),
            text: gate.question.clone(),
            commands: options(gate).iter().map(command).collect(),
        });
    }
    for attempt in cycle.attempt.iter().filter(|attempt| attempt.holder == Holder::Person) {
        waits.push(Waiting {
            run: id.clone(),
            kind: "work",
            fence: Some(attempt.fence),
            question: None,
            text: format!("{} is yours to do", work_in_words(attempt.work)),
            commands: vec![format!("multiverse answer {id} --attempt {} --report FILE", attempt.fence)],
        });
    }
    if let Some(reason) = &cycle.paused {
        waits.push(Waiting {
            run: id.clone(),
            kind: "paused",
            fence: None,
            question: None,
            text: reason.clone(),
            commands: vec![format!("multiverse resume {id}")],
        });
    }
    waits
}

/// What the Human is told.
pub(super) fn message(cycle: &Cycle, said: Said) -> (&'static str, String) {
    match said {
        Said::Completion => {
            let loops = cycle.loop_number;
            ("completion", format!("the goal is met after {loops} loops; the record is {}", cycle.archive))
        }
        Said::Failure => {
            let how = cycle.ending().map_or("it is over", super::tell::ended);
            let why = cycle.trouble.lines().next().map(|why| format!(": {why}")).unwrap_or_default();
            ("failure", format!("{}: {how}{why}; the record is {}", cycle.id, cycle.archive))
        }
        Said::Question | Said::Proposal => {
            let asked =
                cycle.gate().map(|gate| format!("{}\nanswer with: {}", gate.question, options(gate).join(", ")));
            ("question", asked.unwrap_or_default())
        }
    }
}
