//! The facts of a cycle in words: for the history of a run, for the cause of a record, and for people as they happen.

use machine::cycle::{Cycle, Ending, Fact, NOBODY_ANSWERED, Party, Place, Word};

use super::view::work_in_words;
use crate::notice::Notice;
use crate::story::Event;

/// A fact in words; those that are told by others stay without.
pub(super) fn tell(cycle: &Cycle, fact: &Fact, event: &mut Event) {
    event.fence = fact.ended();
    let of_attempt = || cycle.attempt.as_ref().map(|attempt| work_in_words(attempt.work)).unwrap_or("the work");
    event.item = cycle.attempt.as_ref().filter(|_| event.fence.is_some()).map(|one| one.signature.to_string());
    event.text = match fact {
        Fact::Started { goal, .. } => format!("began: {}", goal.lines().next().unwrap_or_default()),
        Fact::Driven { by: Some(by), .. } => format!("process {} drives it", by.split('.').next().unwrap_or(by)),
        Fact::Driven { by: None, .. } => "its process let go of it".into(),
        Fact::Assigned(attempt) => {
            event.fence = Some(attempt.fence);
            event.item = Some(attempt.signature.to_string());
            event.more.clone_from(&attempt.problems);
            format!("{} is handed out (attempt {})", work_in_words(attempt.work), attempt.number)
        }
        Fact::SentBack { problems, .. } => {
            event.more.clone_from(problems);
            event.said = Some(String::new());
            format!("{} was sent back", of_attempt())
        }
        Fact::Lost { reason, .. } => format!("{} was lost: {reason}", of_attempt()),
        Fact::Faltered { error, .. } => {
            event.said = Some(String::new());
            format!("{} did not succeed: {error}", of_attempt())
        }
        Fact::Rested { rest, .. } => format!("{} rests until {}: {}", of_attempt(), rest.until, rest.reason),
        Fact::Woke => "what was put off goes on".into(),
        Fact::Checkpointed { commit, .. } if commit.is_empty() => String::new(),
        Fact::Checkpointed { branch, commit, .. } => format!("before the loop, {branch} is at {commit}"),
        Fact::Changed { measured } => {
            event.more.clone_from(&measured.files);
            format!("{} lines changed in {} files", measured.lines, measured.files.len())
        }
        Fact::Checked { checks, .. } if checks.is_empty() => String::new(),
        Fact::Checked { checks, .. } => {
            event.more = checks.iter().map(|check| format!("{}: {}", check.name, check.end)).collect();
            let bad = checks.iter().filter(|check| !check.end.is_good()).count();
            format!("{} checks ran, {bad} of them not good", checks.len())
        }
        Fact::Turned { turn, .. } => {
            event.item = Some(turn.signature.to_string());
            event.more = turn.fields.iter().map(|(name, value)| format!("{name}: {value}")).collect();
            format!("{} {}: {}", turn.party, turn.word, turn.summary)
        }
        Fact::Looped { number } => format!("loop {number} begins"),
        Fact::Moved { to: Place::Gate(gate) } => format!("the Human is asked: {}", gate.question),
        Fact::Moved { to: Place::Over(ending) } => ended(*ending).into(),
        Fact::Moved { .. } => String::new(),
        Fact::Agreed => "the plan of the whole is agreed".into(),
        Fact::Restated(stated) => {
            format!("the head of the record says now: {}", stated.goal.lines().next().unwrap_or_default())
        }
        Fact::GoalChanged { goal } => format!("the goal is now: {goal}"),
        Fact::Allowed { loops, .. } => format!("{loops} loops are allowed in all"),
        Fact::Offered { number: Some(number), said, .. } => format!("pull request {number}: {said}"),
        Fact::Offered { number: None, said, .. } => format!("there is no pull request: {said}"),
        Fact::WentBack { number, commit } => format!("back to what stood before loop {number}: {commit}"),
        Fact::Merged { commit, .. } => format!("{} is merged as {commit}", cycle.branch),
        Fact::Conflicted { files, .. } => {
            event.more.clone_from(files);
            "the merge conflicts".into()
        }
        Fact::Deleted { .. } => format!("{} is deleted", cycle.branch),
        Fact::Archived { path, .. } => format!("the record is {path}"),
        Fact::Paused { reason } => format!("paused: {reason}"),
        Fact::Resumed => "resumed".into(),
    };
}

pub(super) fn ended(ending: Ending) -> &'static str {
    match ending {
        Ending::Complete => "complete",
        Ending::Incomplete => "ended before the goal was met",
        Ending::Failed => "failed",
    }
}

/// Why a record is there: what weighs most of what became true.
pub(super) fn cause(cycle: &Cycle, facts: &[Fact]) -> String {
    let weight = |fact: &Fact| match fact {
        Fact::Started { .. } => 9,
        Fact::Moved { to: Place::Over(_) } => 8,
        Fact::Turned { .. } => 7,
        Fact::Merged { .. } | Fact::Conflicted { .. } | Fact::Deleted { .. } | Fact::Archived { .. } => 6,
        Fact::Checked { .. } | Fact::Checkpointed { .. } => 5,
        Fact::SentBack { .. } | Fact::Lost { .. } | Fact::Faltered { .. } | Fact::Rested { .. } => 4,
        Fact::Paused { .. } | Fact::Resumed | Fact::Driven { .. } => 3,
        _ => 1,
    };
    let mut told = String::new();
    let mut facts: Vec<&Fact> = facts.iter().collect();
    facts.sort_by_key(|fact| std::cmp::Reverse(weight(fact)));
    for fact in facts {
        let mut event = Event::default();
        tell(cycle, fact, &mut event);
        if !event.text.is_empty() {
            told = event.text;
            break;
        }
    }
    if told.is_empty() { "it goes on".into() } else { told }
}

/// What a fact is to people; nothing for those that only the engine cares for.
pub(super) fn notice_of(before: &Cycle, after: &Cycle, fact: &Fact) -> Option<Notice> {
    let id = after.id.clone();
    let what = || before.attempt.as_ref().map(|attempt| work_in_words(attempt.work).to_string()).unwrap_or_default();
    let item = || before.attempt.as_ref().map(|attempt| attempt.signature.to_string());
    Some(match fact {
        Fact::Started { goal, .. } => {
            Notice::Began { run: id, protocol: super::PROTOCOL, what: goal.lines().next().unwrap_or_default().into() }
        }
        Fact::SentBack { fence, problems } => {
            Notice::SentBack { run: id, fence: *fence, what: what(), problems: problems.clone() }
        }
        Fact::Lost { fence, reason } => Notice::Lost { run: id, fence: *fence, what: what(), reason: reason.clone() },
        Fact::Faltered { fence, error } => Notice::Lost { run: id, fence: *fence, what: what(), reason: error.clone() },
        Fact::Rested { fence, rest } => Notice::Resting {
            run: id,
            fence: *fence,
            what: what(),
            item: item(),
            until: rest.until.clone(),
            reason: rest.reason.clone(),
        },
        Fact::Turned { turn, .. } if turn.party == Party::Human => match turn.word {
            Word::Init => return None,
            word => {
                let by = if turn.summary.starts_with(NOBODY_ANSWERED) { "nobody" } else { "the Human" };
                Notice::Answered { run: id, verdict: word.name().into(), by: by.into() }
            }
        },
        Fact::Turned { turn, .. } => Notice::Completed {
            run: id,
            item: turn.signature.to_string(),
            level: "turn",
            name: format!("{} {}: {}", turn.party, turn.word, turn.summary),
            files: Vec::new(),
        },
        // A gate is told as the question that it is.
        Fact::Moved { to: Place::Over(Ending::Complete) } => Notice::Finished { run: id },
        Fact::Moved { to: Place::Over(ending) } => {
            let error = match before.trouble.as_str() {
                "" => ended(*ending).to_string(),
                trouble => format!("{}: {trouble}", ended(*ending)),
            };
            Notice::Failed { run: id, items: Vec::new(), doing: what(), error }
        }
        Fact::Paused { reason } => Notice::Paused { run: id, reason: reason.clone() },
        Fact::Resumed => Notice::Resumed { run: id },
        _ => return None,
    })
}
