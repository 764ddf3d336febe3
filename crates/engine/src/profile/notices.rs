//! What the facts of a profile's run are to people, as they happen.

use machine::profile::{Fact, MoveOutcome, Run};

use crate::notice::Notice;

/// What a fact is to people; nothing for those that only the engine cares for.
pub(super) fn notice_of(before: &Run, after: &Run, fact: &Fact) -> Option<Notice> {
    let id = after.id.clone();
    let step_of = |run: &Run, index: usize| run.plan.get(index).map(|step| step.step.id.clone()).unwrap_or_default();
    let what =
        |fence: u64| before.attempts.get(&fence).map(|attempt| step_of(before, attempt.step)).unwrap_or_default();
    Some(match fact {
        Fact::Started { profile, idea, .. } => Notice::Began {
            run: id,
            protocol: super::PROTOCOL,
            what: format!("{} with the profile {}", idea.headline, profile.name),
        },
        Fact::TakenOver { run, .. } => Notice::Began {
            run: id,
            protocol: super::PROTOCOL,
            what: format!("{} with the profile {}, from its status", run.idea.headline, run.profile.name),
        },
        Fact::Found { name, digest } if digest.is_empty() => {
            let path = after.artifacts.get(name).map(|artifact| artifact.path.clone());
            let reason = "it is gone, or empty, and the run cannot be done without it: put it back".into();
            Notice::Problem { run: Some(id), path, reason }
        }
        Fact::SentBack { fence, problems } => {
            Notice::SentBack { run: id, fence: *fence, what: what(*fence), problems: problems.clone() }
        }
        Fact::Lost { fence, reason } => {
            Notice::Lost { run: id, fence: *fence, what: what(*fence), reason: reason.clone() }
        }
        Fact::Rested { fence, rest } => Notice::Resting {
            run: id,
            fence: *fence,
            what: what(*fence),
            item: Some(what(*fence)),
            until: rest.until.clone(),
            reason: rest.reason.clone(),
        },
        Fact::Failed { fence, failure } => {
            Notice::Lost { run: id, fence: *fence, what: what(*fence), reason: failure.error.clone() }
        }
        Fact::Worked { fence, .. } => Notice::Worked { run: id, fence: *fence, item: what(*fence) },
        Fact::Asked { fence, question } => {
            Notice::Asked { run: id, fence: *fence, what: what(*fence), question: question.text.clone() }
        }
        Fact::Wondered { question } => wondered(id, step_of(after, question.step), &question.text),
        Fact::Completed { step } => {
            let outputs = after.plan.get(*step).map(|step| step.step.required_outputs.clone()).unwrap_or_default();
            let files = outputs.iter().filter_map(|name| after.artifacts.get(name)).map(|one| one.path.clone());
            let name = after.plan.get(*step).map(|step| step.step.role.clone()).unwrap_or_default();
            Notice::Completed { run: id, item: step_of(after, *step), level: "step", name, files: files.collect() }
        }
        // That a step is done and another is next is told already.
        Fact::Moved(moved) if moved.outcome == MoveOutcome::Advanced => return None,
        Fact::Moved(moved) => Notice::Moved {
            run: id,
            step: step_of(after, moved.to),
            outcome: super::tell::move_word(moved.outcome),
            message: moved.message.clone(),
        },
        Fact::Exhausted { .. } => Notice::Paused { run: id, reason: "its budget is used up".into() },
        Fact::Budgeted { by: Some(_), .. } | Fact::Resumed => Notice::Resumed { run: id },
        Fact::Paused { reason } => Notice::Paused { run: id, reason: reason.clone() },
        Fact::Cancelled { by, .. } => Notice::Failed {
            run: id,
            items: Vec::new(),
            doing: step_of(before, before.current),
            error: format!("cancelled by {by}"),
        },
        Fact::Finished { .. } => Notice::Finished { run: id },
        _ => return None,
    })
}

/// A question beside the work, of no attempt that is still under way.
fn wondered(run: String, what: String, text: &str) -> Notice {
    Notice::Asked { run, fence: 0, what, question: format!("{text} (nothing waits for the answer)") }
}
