//! How things of a profile's run are called: ids of questions, where it stands, what can be done. Nothing is decided here.

use alloc::format;
use alloc::string::String;

use super::run::{Course, Run};
use crate::input::Refusal;

/// `Q-GATE-RELEASE_APPROVAL-20260208144605`; a second one of the same second gets a number.
pub(super) fn question_id(run: &Run, what: &str, now: &str) -> String {
    let letters =
        what.chars().map(|letter| if letter.is_alphanumeric() || "_-".contains(letter) { letter } else { '_' });
    let what: String = letters.collect();
    let stamp: String = now.chars().filter(char::is_ascii_digit).collect();
    let id = format!("Q-{what}-{stamp}");
    let is_taken = |id: &str| run.question(id).is_some();
    if !is_taken(&id) {
        return id;
    }
    let more = 2..=run.questions.len().saturating_add(2);
    more.map(|number| format!("{id}-{number}")).find(|id| !is_taken(id)).unwrap_or(id)
}

pub(super) fn not_now(run: &Run, what: &str) -> Refusal {
    Refusal::new(format!("run {} {what}: it {}", run.id, standing(run)), valid_commands(run))
}

pub(super) fn outdated(run: &Run, fence: u64) -> Refusal {
    let reason = if fence == 0 || fence > run.fence {
        format!("run {} knows no attempt {fence}", run.id)
    } else {
        format!("attempt {fence} of run {} is outdated: it has ended, or another has its work", run.id)
    };
    Refusal::new(reason, "nothing is to be done: the report is not needed")
}

/// Where a run stands, in words.
fn standing(run: &Run) -> String {
    let place = match run.step() {
        Some(step) => format!("step {} of phase {} ({})", step.step.id, step.phase, step.step.role),
        None => "the end".into(),
    };
    let doing = match &run.course {
        Course::Working => format!("is at {place}"),
        Course::Gate(gate) => format!("waits at gate {gate}"),
        Course::Rejected(gate) => format!("is blocked: gate {gate} was rejected"),
        Course::Undecided(question) => format!("waits for the decision {question} at {place}"),
        Course::Done => "is done".into(),
        Course::Cancelled => "was cancelled".into(),
    };
    match &run.paused {
        Some(reason) if !run.is_over() => format!("{doing}, and is paused ({reason})"),
        _ => doing,
    }
}

/// What can be done with a run as it stands.
fn valid_commands(run: &Run) -> String {
    let own = match &run.course {
        Course::Done | Course::Cancelled => return "nothing changes it any more; `run` starts another".into(),
        Course::Gate(gate) => format!("`gate approve {gate}`, `gate reject {gate}`, "),
        Course::Rejected(gate) => format!("`gate approve {gate}`, `gate reopen {gate}`, "),
        Course::Undecided(question) => format!("`answer {} --question {question} more|accept|reject`, ", run.id),
        Course::Working if !run.pending_required_questions().is_empty() => "`answer`, ".into(),
        Course::Working => String::new(),
    };
    let pause = if run.paused.is_some() { "`resume`" } else { "`pause`" };
    format!("valid now: {own}{pause}, `cancel`")
}
