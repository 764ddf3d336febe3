//! The facts of a profile's run in words: for the history of a run, and for the cause of a record.

use machine::profile::{Fact, GateStatus, IntegrationResult, MoveOutcome, Reply, ReviewVerdict, Run};

use crate::story::Event;
use crate::views::used_in_words;

/// A fact in words; those that are told by others stay without.
pub(super) fn tell(run: &Run, fact: &Fact, event: &mut Event) {
    let step = |index: usize| run.plan.get(index).map(|step| step.step.id.clone()).unwrap_or_default();
    let of_attempt = |fence: u64| run.attempts.get(&fence).map(|attempt| step(attempt.step)).unwrap_or_default();
    event.fence = fact.ended();
    event.item = event.fence.map(of_attempt).filter(|item| !item.is_empty());
    event.text = match fact {
        Fact::Started { profile, idea, .. } => format!("began: {} with the profile {}", idea.headline, profile.name),
        Fact::TakenOver { run, .. } => {
            let place = run.step().map_or_else(|| "its end".into(), |step| format!("step {}", step.step.id));
            format!("taken over from its status, at {place}")
        }
        Fact::Found { name, digest } if digest.is_empty() => format!("{name} is gone, or empty"),
        Fact::Found { name, .. } => format!("{name} was changed by hand"),
        Fact::Driven { by: Some(by), .. } => format!("process {} drives it", by.split('.').next().unwrap_or(by)),
        Fact::Driven { by: None, .. } => "its process let go of it".into(),
        Fact::Assigned(attempt) => {
            event.fence = Some(attempt.fence);
            event.item = Some(step(attempt.step));
            event.more.extend(attempt.remarks.iter().map(|remark| format!("remark: {remark}")));
            format!("{} is handed out (attempt {})", step(attempt.step), attempt.number)
        }
        Fact::SentBack { fence, problems } => {
            event.more.clone_from(problems);
            event.said = Some(String::new());
            format!("the report of {} was sent back", of_attempt(*fence))
        }
        Fact::Lost { fence, reason } => format!("the attempt at {} was lost: {reason}", of_attempt(*fence)),
        Fact::Rested { fence, rest } => format!("{} rests until {}: {}", of_attempt(*fence), rest.until, rest.reason),
        Fact::Woke => "what was put off goes on".into(),
        Fact::Budgeted { by: Some(by), .. } => format!("{by} raised the budget"),
        Fact::Budgeted { by: None, .. } => String::new(),
        Fact::Spent { used, .. } => format!("used {}", used_in_words(used, None)),
        Fact::Exhausted { measure } => format!("its budget of {measure:?} is used up").to_lowercase(),
        Fact::Worked { fence, outputs, commit } => {
            event.more.extend(outputs.iter().map(|output| output.path.clone()));
            event.more.extend(commit.iter().map(|commit| format!("commit {}: {}", commit.sha, commit.message)));
            format!("{} brought its work", of_attempt(*fence))
        }
        Fact::Failed { fence, failure } => {
            event.said = Some(String::new());
            format!("{} failed: {}", of_attempt(*fence), failure.error)
        }
        Fact::Reviewed { step: index, review } => {
            event.item = Some(step(*index));
            event.more.clone_from(&review.remarks);
            match review.verdict {
                ReviewVerdict::Approved => format!("{} approves", step(*index)),
                ReviewVerdict::ChangesRequested => format!("{} requests changes", step(*index)),
            }
        }
        Fact::Integrated { step: index, result, .. } => match result {
            IntegrationResult::Passed => format!("{}: the integration passed", step(*index)),
            IntegrationResult::Failed { target, error } => {
                format!("{}: the integration failed, {target} is to mend it: {error}", step(*index))
            }
        },
        Fact::Completed { step: index } => {
            event.item = Some(step(*index));
            format!("{} is done", step(*index))
        }
        Fact::HandedOver(handoff) if handoff.missing.is_empty() => String::new(),
        Fact::HandedOver(handoff) => format!("{} left out {}", handoff.from_step, handoff.missing.join(", ")),
        Fact::Moved(moved) if moved.outcome == MoveOutcome::Advanced => String::new(),
        Fact::Moved(moved) => {
            event.item = Some(step(moved.to));
            format!("{}: {}", move_word(moved.outcome), moved.message)
        }
        _ => by_people(fact),
    };
}

/// What people did, in words.
fn by_people(fact: &Fact) -> String {
    match fact {
        Fact::GateOpened { gate, question } => format!("gate {gate} asks {} ({})", question.from_role, question.id),
        Fact::GateDecided { gate, status, by, reason, .. } => {
            let word = if *status == GateStatus::Approved { "approved" } else { "rejected" };
            format!("gate {gate} was {word} by {by}: {reason}")
        }
        Fact::GateReopened { gate, by, reason, .. } => format!("gate {gate} was reopened by {by}: {reason}"),
        Fact::Asked { question, .. } => format!("{} asks ({}): {}", question.from_role, question.id, question.text),
        Fact::Wondered { question } => {
            format!("{} asks, and nothing waits for it ({}): {}", question.from_role, question.id, question.text)
        }
        Fact::Delivered { question } => format!("{question} was shown to somebody"),
        Fact::Answered { question, answer, source, .. } => format!("{source} answered {question}: {answer}"),
        Fact::Escalated { question, .. } => format!("a person is to decide ({}): {}", question.id, question.text),
        Fact::Decided { question, reply, by, .. } => {
            let reply = match reply {
                Reply::More(times) => format!("more ({times})"),
                Reply::Accept => "accept".into(),
                Reply::Reject => "reject".into(),
            };
            format!("{by} decided {question}: {reply}")
        }
        Fact::Paused { reason } => format!("paused: {reason}"),
        Fact::Resumed => "resumed".into(),
        Fact::Cancelled { by, .. } => format!("cancelled by {by}"),
        Fact::Finished { .. } => "done".into(),
        _ => String::new(),
    }
}

/// The word of the trace for what a transition came to.
pub(super) fn move_word(outcome: MoveOutcome) -> &'static str {
    match outcome {
        MoveOutcome::Advanced => "advanced",
        MoveOutcome::Rerouted => "rerouted",
        MoveOutcome::Blocked => "blocked",
        MoveOutcome::Waiting => "waiting",
    }
}

/// Why a record is there: what weighs most of what became true.
pub(super) fn cause(run: &Run, facts: &[Fact]) -> String {
    let weight = |fact: &Fact| match fact {
        Fact::Started { .. } | Fact::TakenOver { .. } => 9,
        Fact::Finished { .. } | Fact::Cancelled { .. } => 8,
        Fact::GateDecided { .. } | Fact::GateReopened { .. } | Fact::Answered { .. } | Fact::Decided { .. } => 7,
        Fact::Moved(moved) if moved.outcome != MoveOutcome::Advanced => 6,
        Fact::Completed { .. } => 5,
        Fact::Found { .. }
        | Fact::SentBack { .. }
        | Fact::Lost { .. }
        | Fact::Rested { .. }
        | Fact::Paused { .. }
        | Fact::Resumed => 4,
        Fact::Driven { .. } | Fact::Delivered { .. } | Fact::Exhausted { .. } | Fact::Budgeted { .. } => 3,
        _ => 1,
    };
    let mut event = Event::default();
    // Of two that weigh the same the first is told.
    let told = facts.iter().rev().max_by_key(|fact| weight(fact));
    told.iter().for_each(|fact| tell(run, fact, &mut event));
    if event.text.is_empty() { "the status is put right".into() } else { event.text }
}
