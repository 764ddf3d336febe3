//! Why a session, or one item of it, is where it is, and what can be done now.

use machine::roadmap::{Item, Over, Session, Status};

use super::tell::over;
use super::view::{waits, waits_for};
use crate::fault::EngineError;
use crate::views::Driver;
use crate::why::{Can, Why};

/// How many items are named.
const NAMED: usize = 20;

pub(super) fn why(session: &Session, item: Option<&str>, driver: Driver) -> Result<Why, EngineError> {
    let Some(key) = item else { return Ok(of_session(session, driver)) };
    match session.pool.item(key) {
        Some(item) => Ok(of_item(session, item)),
        None => {
            let known: Vec<&str> = session.pool.items().take(NAMED).map(|item| item.key.as_str()).collect();
            let hint = format!(
                "its first items are: {}; `multiverse roadmap status {}` shows all",
                known.join(", "),
                session.id
            );
            Err(EngineError::refused(format!("{} has no item {key:?}", session.id), hint))
        }
    }
}

fn can(command: impl Into<String>, does: &'static str) -> Can {
    Can { command: command.into(), does }
}

fn of_item(session: &Session, item: &Item) -> Why {
    let id = &session.id;
    let attempt = item.holder.and_then(|fence| session.attempts.get(&fence));
    let waits = waits_for(session, item);
    let mut why = Why {
        run: id.clone(),
        item: Some(item.key.clone()),
        state: match item.status {
            Status::Completed => "done",
            Status::Cancelled => "cancelled",
            Status::Failed => "failed",
            Status::Locked => "running",
            Status::Pending if waits.is_empty() => "ready",
            Status::Pending => "blocked",
        },
        what: format!("{} is {}", item.objective(), item.status),
        since: attempt.map(|attempt| attempt.since.clone()).unwrap_or_default(),
        because: waits.iter().map(|one| format!("it waits for {one}")).collect(),
        files: vec![session.log_file.clone()],
        ..Why::default()
    };
    why.because.extend(attempt.map(|attempt| format!("{} has it", attempt.executor)));
    if let Some(last) = &item.last {
        why.evidence.push(format!("log {}: {}: {}", last.log, last.verdict, last.summary));
    }
    if matches!(item.status, Status::Pending | Status::Failed | Status::Locked) {
        why.can.push(can(format!("multiverse roadmap cancel {id} {}", item.key), "takes it out"));
    }
    why.can.push(can(format!("multiverse explain {id}"), "says where the session stands"));
    why
}

fn of_session(session: &Session, driver: Driver) -> Why {
    let id = &session.id;
    let mut why = Why {
        run: id.clone(),
        since: session.since.clone(),
        files: vec![session.log_file.clone(), session.task_file.clone()],
        ..Why::default()
    };
    let counts = session.pool.counts();
    why.because.push(format!("{} of {} items are completed", counts.completed, counts.effective()));
    match (session.over, &session.paused) {
        (Some(how), _) => {
            why.state = if how == Over::Done { "done" } else { "failed" };
            why.what = over(how).into();
            if how == Over::Deadlock {
                why.because.extend(stuck(session));
            }
            why.can.push(can(format!("multiverse logs {id}"), "shows what happened, step by step"));
            why.can.push(can(format!("multiverse run --protocol roadmap {}", session.name), "begins a new session"));
            return why;
        }
        (None, Some(reason)) => {
            why.state = "paused";
            why.what = "it is paused".into();
            why.because.push(reason.clone());
        }
        (None, None) => tell_open(&mut why, session, driver),
    }
    for command in waits(session).into_iter().flat_map(|waiting| waiting.commands) {
        let does = match () {
            () if command.contains("resume") => "goes on where it stopped",
            () if command.contains("--report") => "hands in a report",
            () => "answers it, in your words; work goes on meanwhile",
        };
        why.can.push(can(command, does));
    }
    why.can.push(can(format!("multiverse cancel {id}"), "ends it; its log stays as it is"));
    why
}

fn tell_open(why: &mut Why, session: &Session, driver: Driver) {
    let id = &session.id;
    let at_work = session.attempts.len();
    match driver {
        Driver::Alive if at_work > 0 => {
            why.state = "running";
            why.what = format!("it is under way: {at_work} at work");
            let named = session.attempts.iter().take(NAMED);
            why.because.extend(named.map(|(_, attempt)| format!("{} works on {}", attempt.executor, attempt.work)));
            why.can.push(can(format!("multiverse pause {id}"), "lets who is at work finish, and hands out no more"));
        }
        Driver::Alive => {
            why.state = "resting";
            why.what = "it is open, and nobody is at work just now".into();
            why.because.extend(stuck(session));
        }
        Driver::Gone => {
            why.state = "stopped";
            why.what = "it is open, and nobody carries it on".into();
            why.because.push("nothing is lost: what was recorded is not done again".into());
            why.can.push(can(format!("multiverse resume {id}"), "goes on where it stopped"));
        }
    }
}

/// What the items that are not done wait for.
fn stuck(session: &Session) -> Vec<String> {
    let open = session.pool.items().filter(|item| item.is_effective() && item.status != Status::Completed);
    let told = open.filter_map(|item| {
        let waits = waits_for(session, item);
        (!waits.is_empty()).then(|| format!("{} waits for {}", item.objective(), waits.join("; ")))
    });
    told.take(NAMED).collect()
}
