//! The facts of a session in words: for the history of a run, for the cause of a record, and for people as they happen.

use dialect::roadmap::{Deviation, Weight};
use machine::roadmap::{Ended, Exit, Fact, Item, Over, Session, Status, Verdict, Work};

use crate::clock::clock;
use crate::notice::Notice;
use crate::story::Event;

/// The most oddities that are told of one document; `multiverse check` tells all.
const TOLD: usize = 10;

/// What is odd in a document, for people: what is against the protocol, and what cannot be understood. What is only written
/// otherwise is read all the same; whoever wants to know asks `check`.
pub(super) fn oddities(run: &str, path: &str, problems: &[Deviation]) -> Vec<Notice> {
    let notice = |path: String, reason: String| Notice::Problem { run: Some(run.into()), path: Some(path), reason };
    let all: Vec<&Deviation> = problems.iter().filter(|one| one.weight != Weight::Form).collect();
    let place = |one: &Deviation| format!("{path}:{}:{}", one.line.max(1), one.column.max(1));
    let told = all.iter().take(TOLD).map(|one| notice(place(one), format!("{}; {}", one.reason, one.mend)));
    let mut notices: Vec<Notice> = told.collect();
    if all.len() > TOLD {
        notices.push(notice(path.into(), format!("{} more; `multiverse check {path}` shows them", all.len() - TOLD)));
    }
    notices
}

/// A piece of work, in words.
pub(super) fn work_in_words(session: &Session, work: &Work) -> String {
    match work {
        Work::Do(item) => named(session, item),
        Work::Integrate(item) => format!("the integration of {}", named(session, item)),
        Work::Plan(why) => why.to_string(),
    }
}

/// An item as people know it.
pub(super) fn named(session: &Session, key: &str) -> String {
    session.pool.item(key).map_or_else(|| format!("item {key}"), Item::objective)
}

/// A process, by the name of its opening.
pub(super) fn process(opening: &str) -> &str {
    opening.split('.').next().unwrap_or(opening)
}

/// A fact in words; those that are told by others stay without.
pub(super) fn tell(session: &Session, fact: &Fact, event: &mut Event) {
    event.fence = fact.ended();
    let attempt = event.fence.and_then(|fence| session.attempts.get(&fence));
    event.item = attempt.and_then(|attempt| attempt.work.item()).map(String::from);
    let what = || attempt.map_or_else(|| "the work".into(), |attempt| work_in_words(session, &attempt.work));
    event.text = match fact {
        Fact::Started { name, .. } => format!("began: {name}"),
        Fact::Renewed { period } => format!("the work of {period} begins"),
        Fact::Joined { opening, name, .. } => format!("process {} joins as {name}", process(opening)),
        Fact::Left { opening, reason } => format!("process {} leaves: {reason}", process(opening)),
        Fact::Assigned(attempt) => {
            event.fence = Some(attempt.fence);
            event.item = attempt.work.item().map(String::from);
            event.more.clone_from(&attempt.problems);
            format!("{} is handed out to {}", work_in_words(session, &attempt.work), attempt.executor)
        }
        Fact::Ended { how, .. } => {
            event.said = matches!(how, Ended::SentBack(_) | Ended::Faltered(_)).then(String::new);
            if let Ended::SentBack(problems) = how {
                event.more.clone_from(problems);
            }
            ended(&what(), how)
        }
        Fact::Kept { item, partial } => format!("what there is so far of {} is kept: {partial}", named(session, item)),
        Fact::Queued(integration) => {
            event.item = Some(integration.item.clone());
            event.more.clone_from(&integration.files);
            format!(
                "{} is done as {} and waits for its integration",
                named(session, &integration.item),
                integration.commit
            )
        }
        Fact::Asked(question) => {
            event.item.clone_from(&question.item);
            format!("asked ({}): {}", question.id, question.question)
        }
        Fact::Refused { fence, executor, reason, summary, .. } => {
            event.fence = Some(*fence);
            event.more = vec![summary.clone()];
            format!("a report of {executor} came too late ({reason}); what came with it is kept aside")
        }
        _ => told(session, fact, event),
    };
}

fn told(session: &Session, fact: &Fact, event: &mut Event) -> String {
    match fact {
        Fact::Logged(entry) => {
            event.item.clone_from(&entry.item);
            event.more = vec![entry.summary.clone()];
            format!("log {}: {} {}", entry.number, entry.objective, entry.result)
        }
        Fact::Moved { item, to, .. } => {
            event.item = Some(item.clone());
            format!("{} is {to}", named(session, item))
        }
        Fact::Integrated { item, commit, checks } => {
            event.item = Some(item.clone());
            event.more = checks.iter().map(|check| format!("{}: exit code {:?}", check.name, check.exit)).collect();
            format!("{} is integrated as {commit}", named(session, item))
        }
        Fact::Conflicted { item, by, with, files, kept } => {
            event.item = Some(item.clone());
            event.more.clone_from(files);
            let with = if with.is_empty() { "what others did meanwhile" } else { with };
            format!(
                "{} conflicts with {with}; item {by} takes both sides, the work is kept as {kept}",
                named(session, item)
            )
        }
        Fact::Added { item, .. } => {
            event.item = Some(item.key.clone());
            format!("added: {}", item.objective())
        }
        Fact::Dropped { item } => format!("{} is gone from the roadmap", named(session, item)),
        Fact::Changed { item, .. } => format!("{} is changed", named(session, item)),
        Fact::PutBack { item, problem } => {
            event.item = Some(item.clone());
            format!("an edit of {} was put back: {problem}", named(session, item))
        }
        Fact::GoalChanged { .. } => "the goal is another".into(),
        Fact::Aligned { .. } => "the roadmap is planned for the goal".into(),
        Fact::Replied { question, answer, .. } => format!("{question} is answered: {answer}"),
        Fact::Settled { question, reason } => format!("{question} is done with: {reason}"),
        Fact::Exited { case, reason, .. } => {
            let case = match case {
                Exit::Complete => "all is completed",
                Exit::NothingParallel => "nothing can be done beside the others",
                Exit::PeriodComplete => "the work of the period is done",
            };
            format!("an executor ends: {case} ({reason})")
        }
        Fact::Paused { reason } => format!("paused: {reason}"),
        Fact::Resumed => "resumed".into(),
        Fact::Over { how, reason, .. } => {
            event.more = reason.lines().map(String::from).collect();
            over(*how).into()
        }
        _ => String::new(),
    }
}

fn ended(what: &str, how: &Ended) -> String {
    match how {
        Ended::Reported => String::new(),
        Ended::Lost(reason) => format!("{what} was lost: {reason}"),
        Ended::TakenOver(reason) => format!("{what} is taken over: {reason}"),
        Ended::SentBack(_) => format!("the report on {what} was sent back"),
        Ended::Faltered(error) => format!("{what} did not succeed: {error}"),
        Ended::Rested(rest) => format!("{what} rests until {}: {}", clock(&rest.until), rest.reason),
    }
}

/// How a session ended.
pub(super) fn over(how: Over) -> &'static str {
    match how {
        Over::Done => "all of it is done",
        Over::Cancelled => "it was cancelled",
        Over::Deadlock => "nothing can go on, and nobody is at work",
    }
}

/// Why a record is there: what weighs most of what became true.
pub(super) fn cause(session: &Session, facts: &[Fact]) -> String {
    let weight = |fact: &Fact| match fact {
        Fact::Started { .. } => 12,
        Fact::Over { .. } => 11,
        Fact::Logged(_) => 10,
        Fact::Queued(_) | Fact::Conflicted { .. } | Fact::Asked(_) | Fact::Refused { .. } => 9,
        Fact::Ended { how: Ended::TakenOver(_) | Ended::Lost(_) | Ended::SentBack(_), .. } => 8,
        Fact::Ended { how: Ended::Faltered(_) | Ended::Rested(_), .. } => 8,
        Fact::Paused { .. } | Fact::Resumed | Fact::Left { .. } | Fact::Joined { .. } => 7,
        Fact::Added { .. } | Fact::Dropped { .. } | Fact::PutBack { .. } | Fact::Moved { .. } => 5,
        Fact::Assigned(_) => 4,
        _ => 1,
    };
    let mut told = String::new();
    let mut facts: Vec<&Fact> = facts.iter().collect();
    facts.sort_by_key(|fact| std::cmp::Reverse(weight(fact)));
    for fact in facts {
        let mut event = Event::default();
        tell(session, fact, &mut event);
        if !event.text.is_empty() {
            told = event.text;
            break;
        }
    }
    if told.is_empty() { "it goes on".into() } else { told.lines().next().unwrap_or_default().into() }
}

/// What a fact is to people; nothing for those that only the engine cares for.
pub(super) fn notice_of(before: &Session, after: &Session, fact: &Fact) -> Option<Notice> {
    let run = after.id.clone();
    let work = |fence: &u64| before.attempts.get(fence).map(|attempt| work_in_words(before, &attempt.work));
    Some(match fact {
        Fact::Started { name, .. } => Notice::Began { run, protocol: super::PROTOCOL, what: name.clone() },
        Fact::Moved { item, to: Status::Completed, .. } => {
            let name = after.pool.item(item).map(|item| item.title.clone()).unwrap_or_default();
            Notice::Completed { run, item: item.clone(), level: "item", name, files: Vec::new() }
        }
        Fact::Logged(entry) if entry.result != Verdict::Succeeded => Notice::Moved {
            run,
            step: entry.item.clone().unwrap_or_default(),
            outcome: match entry.result {
                Verdict::Failed => "failed",
                Verdict::Cancelled => "cancelled",
                Verdict::Pending | Verdict::Succeeded => "pending",
            },
            message: entry.summary.clone(),
        },
        Fact::Ended { fence, how: Ended::SentBack(problems) } => {
            Notice::SentBack { run, fence: *fence, what: work(fence)?, problems: problems.clone() }
        }
        Fact::Ended { fence, how: Ended::Lost(reason) | Ended::TakenOver(reason) } => {
            Notice::Lost { run, fence: *fence, what: work(fence)?, reason: reason.clone() }
        }
        Fact::Ended { fence, how: Ended::Rested(rest) } => {
            let item = before.attempts.get(fence).and_then(|attempt| attempt.work.item()).map(String::from);
            let (until, reason) = (rest.until.clone(), rest.reason.clone());
            Notice::Resting { run, fence: *fence, what: work(fence)?, item, until, reason }
        }
        Fact::Paused { reason } => Notice::Paused { run, reason: reason.clone() },
        Fact::Resumed => Notice::Resumed { run },
        Fact::Over { how: Over::Done, .. } => Notice::Finished { run },
        Fact::Over { how, reason, .. } => {
            Notice::Failed { run, items: Vec::new(), doing: over(*how).into(), error: reason.clone() }
        }
        _ => return None,
    })
}
