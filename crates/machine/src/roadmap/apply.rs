//! What a fact changes. It decides nothing, refuses nothing and never panics: what makes no sense is ignored, so that a
//! replay of any journal ends in a state.

use alloc::collections::BTreeMap;
use alloc::string::String;

use super::fact::{Ended, Entry, Exit, Fact};
use super::item::{Item, Last, Tries};
use super::pool::Pool;
use super::state::{Attempt, Integration, Member, OUTDATED, Outdated, Question, Session};
use super::tree::Tree;
use super::words::{Part, Status, Verdict, Why, Work};

/// How much of a summary stays with its item; all of it stands in the log.
const LAST_BYTES: usize = 2048;

/// Takes a fact into a session. Nothing but `Started` makes one, and nothing but a late report changes one that is over.
pub fn apply(session: &mut Option<Session>, run_id: &str, fact: &Fact) {
    match (session.as_mut(), fact) {
        (None, Fact::Started { .. }) => *session = begin(run_id, fact),
        (None, _) | (Some(_), Fact::Started { .. }) => {}
        (Some(session), fact) => take(session, fact),
    }
}

/// The table of facts.
// tidy: transition table
pub(super) fn take(session: &mut Session, fact: &Fact) {
    if session.over.is_some() && !matches!(fact, Fact::Refused { .. }) {
        return;
    }
    match fact {
        Fact::Started { .. } | Fact::PutBack { .. } => {}
        Fact::Renewed { period } => renew(session, period),
        Fact::Joined { opening, name, at, cast } => {
            let member = Member { name: name.clone(), since: at.clone(), cast: cast.clone(), is_leaving: false };
            session.members.insert(opening.clone(), member);
            if !cast.asked.is_empty() {
                session.asked.clone_from(&cast.asked);
            }
        }
        Fact::Left { opening, .. } => {
            session.members.remove(opening);
        }
        Fact::Assigned(attempt) => assign(session, attempt),
        Fact::Ended { fence, how } => end(session, *fence, how),
        Fact::Moved { item, to, .. } => move_item(session, item, *to),
        Fact::Logged(entry) => log(session, entry),
        Fact::Kept { item, partial } => session.pool.change(item, |item| item.partial = Some(partial.clone())),
        Fact::Replanned { item, count } => session.pool.change(item, |item| item.replanned = *count),
        Fact::Woke { item: None } => session.planning_rest = None,
        Fact::Woke { item: Some(item) } => {
            session.pool.change(item, |item| item.rest = None);
            if let Some(integration) = integration_of(session, item) {
                integration.rest = None;
            }
        }
        Fact::Queued(integration) => {
            let number = session.integrations.last().map_or(0, |(last, _)| last.saturating_add(1));
            session.integrations.insert(number, integration.clone());
            session.pool.change(&integration.item, |item| item.queued = Some(number));
        }
        Fact::Integrated { item, .. } | Fact::Conflicted { item, .. } => dequeue(session, item),
        Fact::Grouped(group) => session.pool.set_group(group),
        Fact::Ungrouped { group } => session.pool.drop_group(group),
        Fact::Added { item, spot } => session.pool.add(item.clone(), spot),
        Fact::Changed { item, title, depends_on, claims } => {
            if let Some(title) = title {
                session.pool.change(item, |item| item.title.clone_from(title));
            }
            if let Some(depends_on) = depends_on {
                session.pool.set_dependencies(item, depends_on);
            }
            if let Some(claims) = claims {
                session.pool.set_claims(item, claims);
            }
        }
        Fact::Reordered { item, spot, group } => session.pool.reorder(item, spot, group.clone()),
        Fact::Renumbered { items } => renumber(session, items),
        Fact::Dropped { item } => {
            dequeue(session, item);
            session.pool.drop_item(item);
        }
        Fact::Numbered { log_number } => session.log_number = session.log_number.max(*log_number),
        Fact::Recalled { item, last } => session.pool.change(item, |item| item.last.clone_from(last)),
        Fact::GoalChanged { goal } => session.goal.clone_from(goal),
        Fact::Aligned { goal } => session.planned.clone_from(goal),
        Fact::Asked(question) => {
            if let Some(item) = &question.item {
                session.pool.change(item, |item| {
                    item.asked = item.asked.saturating_add(1);
                    item.questions.push(question.id.clone());
                });
            }
            session.questions.insert(question.id.clone(), question.clone());
        }
        Fact::Replied { question, asked, answer, by, at } => reply(session, question, asked, answer, by, at),
        Fact::Settled { question, .. } => settle(session, question),
        Fact::Refused { fence, .. } => {
            session.outdated.remove(fence);
        }
        Fact::Noted { fence, said } => {
            if let Some(attempt) = session.attempts.at_mut(fence) {
                attempt.noted = Some(said.clone());
            }
        }
        Fact::Exited { fence, case, .. } => {
            let opening = session.attempts.get(fence).map(|attempt| attempt.opening.clone());
            if let (Exit::NothingParallel, Some(opening)) = (case, opening)
                && let Some(member) = session.members.at_mut(&opening)
            {
                member.is_leaving = true;
            }
        }
        Fact::Paused { reason } => session.paused = Some(reason.clone()),
        Fact::Resumed => {
            session.paused = None;
            // Whoever goes on has mended what stood in the way.
            session.planning = Tries { attempts: session.planning.attempts, ..Tries::default() };
        }
        Fact::Over { how, .. } => session.over = Some(*how),
    }
}

fn begin(run_id: &str, fact: &Fact) -> Option<Session> {
    let Fact::Started {
        name,
        task_file,
        log_file,
        dirs,
        ground,
        quota,
        period,
        period_key,
        goal,
        planned,
        log_number,
        at,
        definition,
    } = fact
    else {
        return None;
    };
    Some(Session {
        id: run_id.into(),
        name: name.clone(),
        task_file: task_file.clone(),
        log_file: log_file.clone(),
        dirs: dirs.clone(),
        ground: *ground,
        quota: *quota,
        period: *period,
        period_key: period_key.clone(),
        period_log: 0,
        since: at.clone(),
        definition: definition.clone(),
        goal: goal.clone(),
        planned: planned.clone(),
        pool: Pool::default(),
        members: Tree::new(),
        asked: Default::default(),
        attempts: Tree::new(),
        outdated: Tree::new(),
        integrations: Tree::new(),
        questions: Tree::new(),
        replies: Tree::new(),
        planning: Tries::default(),
        planning_rest: None,
        log_number: *log_number,
        fence: 0,
        paused: None,
        over: None,
    })
}

/// Everything that is not taken out begins anew; what was logged before says nothing of it.
fn renew(session: &mut Session, period: &str) {
    session.period_key = period.into();
    session.period_log = session.log_number;
    session.pool.rebuild_with(|item| {
        let fresh = Item::new("", "");
        if item.status != Status::Cancelled {
            *item = Item {
                key: core::mem::take(&mut item.key),
                number: core::mem::take(&mut item.number),
                title: core::mem::take(&mut item.title),
                group: item.group.take(),
                depends_on: core::mem::take(&mut item.depends_on),
                claims: core::mem::take(&mut item.claims),
                ..fresh
            };
        }
    });
}

fn assign(session: &mut Session, attempt: &Attempt) {
    let fence = attempt.fence;
    session.fence = session.fence.max(fence);
    session.attempts.insert(fence, attempt.clone());
    match &attempt.work {
        Work::Plan(_) => session.planning.attempts = session.planning.attempts.saturating_add(1),
        Work::Do(item) => session.pool.change(item, |item| {
            item.status = Status::Locked;
            item.holder = Some(fence);
            item.executor.clone_from(&attempt.executor);
            item.tries.attempts = item.tries.attempts.saturating_add(1);
        }),
        Work::Integrate(item) => {
            session.pool.change(item, |item| item.holder = Some(fence));
            if let Some(integration) = integration_of(session, item) {
                integration.tries.attempts = integration.tries.attempts.saturating_add(1);
            }
        }
    }
}

fn end(session: &mut Session, fence: u64, how: &Ended) {
    let Some(attempt) = session.attempts.remove(&fence) else { return };
    match &attempt.work {
        Work::Plan(_) => {
            count(&mut session.planning, how);
            match how {
                Ended::Reported => session.planning = Tries::default(),
                Ended::Rested(rest) => session.planning_rest = Some(rest.clone()),
                Ended::Faltered(_) => (session.planning.sent_back, session.planning.problems) = (0, Default::default()),
                Ended::Lost(_) | Ended::TakenOver(_) | Ended::SentBack(_) => {}
            }
        }
        Work::Do(item) => session.pool.change(item, |item| {
            item.holder = None;
            count(&mut item.tries, how);
            if let Ended::Rested(rest) = how {
                item.rest = Some(rest.clone());
            }
        }),
        Work::Integrate(item) => {
            session.pool.change(item, |item| item.holder = None);
            if let Some(integration) = integration_of(session, item) {
                count(&mut integration.tries, how);
                if let Ended::Rested(rest) = how {
                    integration.rest = Some(rest.clone());
                }
            }
        }
    }
    if let Ended::TakenOver(reason) = how {
        let Attempt { work, executor, opening, .. } = attempt;
        session.outdated.insert(fence, Outdated { work, executor, opening, reason: reason.clone() });
        while session.outdated.len() > OUTDATED
            && let Some((oldest, _)) = session.outdated.first()
        {
            let oldest = *oldest;
            session.outdated.remove(&oldest);
        }
    }
}

fn count(tries: &mut Tries, how: &Ended) {
    let one_more = |count: &mut u32| *count = count.saturating_add(1);
    match how {
        Ended::Reported => tries.problems.clear(),
        Ended::Lost(_) | Ended::TakenOver(_) => one_more(&mut tries.lost),
        Ended::SentBack(problems) => {
            one_more(&mut tries.sent_back);
            tries.problems.clone_from(problems);
        }
        Ended::Faltered(_) => one_more(&mut tries.failed),
        Ended::Rested(_) => one_more(&mut tries.rests),
    }
}

fn move_item(session: &mut Session, item: &str, to: Status) {
    session.pool.change(item, |item| {
        // What is tried again has all its tries again.
        if item.status == Status::Failed && to == Status::Pending {
            item.tries = Tries { attempts: item.tries.attempts, ..Tries::default() };
        }
        item.status = to;
        if to != Status::Locked {
            item.holder = None;
            item.executor.clear();
        }
        if matches!(to, Status::Completed | Status::Cancelled) {
            item.rest = None;
        }
        if to == Status::Completed {
            item.partial = None;
        }
    });
    if to != Status::Locked {
        dequeue(session, item);
    }
}

fn log(session: &mut Session, entry: &Entry) {
    session.log_number = session.log_number.max(entry.number);
    let Some(item) = &entry.item else { return };
    session.pool.change(item, |item| {
        if entry.role == Part::Executor && entry.result == Verdict::Pending && !entry.is_blocker {
            item.tries.pauses = item.tries.pauses.saturating_add(1);
        }
        item.last = Some(Last {
            verdict: entry.result,
            is_blocker: entry.is_blocker,
            summary: cut(&entry.summary, LAST_BYTES).into(),
            log: entry.number,
        });
    });
}

/// Items have other keys: whoever speaks of them does so by the new ones. Dependencies stay as written.
fn renumber(session: &mut Session, items: &[(String, String, String)]) {
    let new: BTreeMap<&str, (&String, &String)> =
        items.iter().map(|(old, key, number)| (old.as_str(), (key, number))).collect();
    session.pool.rebuild_with(|item| {
        if let Some((key, number)) = new.get(item.key.as_str()) {
            item.key.clone_from(key);
            item.number.clone_from(number);
        }
    });
    let follow = |key: &mut String| {
        if let Some((new, _)) = new.get(key.as_str()) {
            key.clone_from(new);
        }
    };
    let attempts = session.attempts.iter().map(|(fence, attempt)| {
        let mut attempt = attempt.clone();
        match &mut attempt.work {
            Work::Do(item) | Work::Integrate(item) => follow(item),
            Work::Plan(Why::Blocked(item) | Why::Failed(item)) => follow(item),
            Work::Plan(Why::Reply(_) | Why::Misaligned) => {}
        }
        (*fence, attempt)
    });
    session.attempts = attempts.collect();
    let integrations = session.integrations.iter().map(|(number, integration)| {
        let mut integration = integration.clone();
        follow(&mut integration.item);
        (*number, integration)
    });
    session.integrations = integrations.collect();
    let questions = session.questions.iter().map(|(id, question)| {
        let mut question = question.clone();
        question.item.iter_mut().for_each(follow);
        (id.clone(), question)
    });
    session.questions = questions.collect();
}

fn reply(session: &mut Session, id: &str, asked: &str, answer: &str, by: &str, at: &str) {
    let mut question = session.questions.get(id).cloned().unwrap_or_else(|| Question {
        id: id.into(),
        item: None,
        question: asked.into(),
        default: String::new(),
        since: at.into(),
        answer: None,
        by: String::new(),
        reply: None,
    });
    question.answer = Some(answer.into());
    question.by = by.into();
    // An answer that is changed keeps its place.
    let number = question.reply.unwrap_or_else(|| session.replies.last().map_or(0, |(last, _)| last.saturating_add(1)));
    question.reply = Some(number);
    session.replies.insert(number, id.into());
    session.questions.insert(id.into(), question);
}

fn settle(session: &mut Session, id: &str) {
    let Some(question) = session.questions.remove(id) else { return };
    if let Some(number) = question.reply {
        session.replies.remove(&number);
    }
    if let Some(item) = &question.item {
        session.pool.change(item, |item| item.questions.retain(|one| one != id));
    }
}

fn integration_of<'s>(session: &'s mut Session, item: &str) -> Option<&'s mut Integration> {
    let number = session.pool.item(item)?.queued?;
    session.integrations.at_mut(&number)
}

fn dequeue(session: &mut Session, item: &str) {
    if let Some(number) = session.pool.item(item).and_then(|item| item.queued) {
        session.integrations.remove(&number);
        session.pool.change(item, |item| item.queued = None);
    }
}

/// So many bytes of a text at most, whole characters.
pub(super) fn cut(text: &str, bytes: usize) -> &str {
    let end = (0..=bytes.min(text.len())).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    &text[..end]
}
