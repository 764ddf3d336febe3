//! A session for whoever looks: at a glance, who is at work on what and since when, what is blocked and by what.

use machine::roadmap::{Attempt, Item, Over, Question, Session, Status, Work};
use machine::{Holder, Said};
use serde::Serialize;
use serde_json::{Value, json};

use super::brief::role;
use super::tell::{over, process, work_in_words};
use crate::clock::clock;
use crate::settings::{A_PERSON, THE_ENGINE};
use crate::views::{AttemptView, Driver, ItemView, RestView, RunView, Waiting};

/// A session with all of its roadmap.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct RoadmapView {
    /// The run.
    pub run: String,
    /// The task's name.
    pub task: String,
    pub task_file: String,
    pub log_file: String,
    /// From 0 to 100.
    pub progress: u8,
    /// `working`, `waiting` (for a person), `resting`, `paused`, `stopped` (nobody carries it on), `done` or `failed`.
    pub state: &'static str,
    /// The same in words.
    pub state_in_words: String,
    pub counts: CountsView,
    /// Who is at work.
    pub executors: Vec<ExecutorView>,
    /// The processes that take work.
    pub members: Vec<MemberView>,
    /// In the order of the log.
    pub items: Vec<RoadmapItemView>,
    pub groups: Vec<RoadmapGroupView>,
    pub questions: Vec<QuestionView>,
    /// What waits for its integration, by item, in order.
    pub integrations: Vec<String>,
}

/// How many items there are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct CountsView {
    pub pending: usize,
    pub locked: usize,
    pub completed: usize,
    pub failed: usize,
    pub cancelled: usize,
}

/// An executor at work.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ExecutorView {
    /// `<name>-<uuid>`.
    pub identity: String,
    /// The process; nothing where a person works.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pid: Option<u32>,
    /// `planner`, `executor`, or `engine` for an integration.
    pub role: &'static str,
    /// The item, if it is about one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub item: Option<String>,
    /// In words.
    pub what: String,
    pub since: String,
    /// `working`, `stopped` or `gone`; `waiting` where a person has it.
    pub state: &'static str,
    pub fence: u64,
}

/// A process that takes work.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct MemberView {
    /// `Executor_Name`.
    pub name: String,
    pub pid: Option<u32>,
    pub since: String,
    /// `alive`, `stopped` or `gone`.
    pub state: &'static str,
}

/// An item.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct RoadmapItemView {
    pub key: String,
    pub number: String,
    pub title: String,
    /// By key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    pub status: &'static str,
    /// Who has it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub executor: String,
    /// What it waits for, each in words; empty for one that could be taken, is done or at work.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub waits_for: Vec<String>,
    /// The newest result, and its summary.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub result: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub summary: String,
}

/// A group of items.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct RoadmapGroupView {
    pub key: String,
    pub title: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// Whether all its effective items are completed.
    pub is_done: bool,
}

/// A question that is not done with.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct QuestionView {
    pub id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub item: Option<String>,
    pub question: String,
    /// What is done if nobody answers.
    pub default: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
    pub since: String,
    /// How it is answered.
    pub how: String,
}

/// What another opening is seen to be doing.
pub(super) type SeenAs<'a> = &'a dyn Fn(&str) -> store::Liveness;

/// All of a session.
pub(super) fn whole(session: &Session, driver: Driver, seen: SeenAs<'_>) -> RoadmapView {
    let (state, state_in_words) = going_on(session, driver);
    let counts = session.pool.counts();
    let group = |group: &machine::roadmap::Group| RoadmapGroupView {
        key: group.key.clone(),
        title: group.title.clone(),
        parent: group.parent.clone(),
        is_done: session.pool.is_ticked(&group.key),
    };
    let member = |(opening, member): (&String, &machine::roadmap::Member)| MemberView {
        name: member.name.clone(),
        pid: process(opening).parse().ok(),
        since: member.since.clone(),
        state: seen_in_words(seen(opening), "alive"),
    };
    RoadmapView {
        run: session.id.clone(),
        task: session.name.clone(),
        task_file: session.task_file.clone(),
        log_file: session.log_file.clone(),
        progress: session.progress(),
        state,
        state_in_words,
        counts: CountsView {
            pending: counts.pending,
            locked: counts.locked,
            completed: counts.completed,
            failed: counts.failed,
            cancelled: counts.cancelled,
        },
        executors: session.attempts.iter().map(|(_, attempt)| executor(session, attempt, seen)).collect(),
        members: session.members.iter().filter(|_| session.over.is_none()).map(member).collect(),
        items: session.pool.items().map(|item| item_view(session, item)).collect(),
        groups: session.pool.groups().map(group).collect(),
        questions: session.questions.iter().map(|(_, one)| question(session, one)).collect(),
        integrations: session.integrations.iter().map(|(_, one)| one.item.clone()).collect(),
    }
}

fn seen_in_words(seen: store::Liveness, alive: &'static str) -> &'static str {
    match seen {
        store::Liveness::Alive => alive,
        store::Liveness::Stopped => "stopped",
        store::Liveness::Gone => "gone",
    }
}

fn executor(session: &Session, attempt: &Attempt, seen: SeenAs<'_>) -> ExecutorView {
    let is_person = attempt.holder == Holder::Person;
    ExecutorView {
        identity: attempt.executor.clone(),
        pid: Some(()).filter(|()| !is_person).and_then(|()| process(&attempt.opening).parse().ok()),
        role: role(&attempt.work).unwrap_or("engine"),
        item: attempt.work.item().map(String::from),
        what: work_in_words(session, &attempt.work),
        since: attempt.since.clone(),
        state: if is_person { "waiting" } else { seen_in_words(seen(&attempt.opening), "working") },
        fence: attempt.fence,
    }
}

fn item_view(session: &Session, item: &Item) -> RoadmapItemView {
    let last = item.last.as_ref();
    RoadmapItemView {
        key: item.key.clone(),
        number: item.number.clone(),
        title: item.title.clone(),
        group: item.group.clone(),
        status: item.status.word(),
        executor: item.executor.clone(),
        waits_for: waits_for(session, item),
        result: last.map(|last| last.verdict.word().to_string()).unwrap_or_default(),
        summary: last.map(|last| last.summary.clone()).unwrap_or_default(),
    }
}

/// What an item waits for, in words.
pub(super) fn waits_for(session: &Session, item: &Item) -> Vec<String> {
    let mut waits = Vec::new();
    match item.status {
        Status::Completed | Status::Cancelled => return waits,
        Status::Locked => {
            let position = session.integrations.iter().position(|(_, one)| one.item == item.key);
            let is_under_way = session.attempts.iter().any(|(_, one)| one.work == Work::Integrate(item.key.clone()));
            if let Some(before) = position.filter(|_| !is_under_way) {
                waits.push(match before {
                    0 => "its integration".into(),
                    before => format!("its integration, after {before} others"),
                });
            }
            return waits;
        }
        Status::Failed => waits.push("a plan: it failed".into()),
        Status::Pending => {}
    }
    for key in &item.depends_on {
        match session.pool.item(key) {
            _ if *key == item.key => waits.push("itself: it names itself as what must be done first".into()),
            None => waits.push(format!("{key}, which is not there")),
            Some(other) if other.status == Status::Completed => {}
            Some(other) if other.status == Status::Cancelled => waits.push(format!("{key}, which was cancelled")),
            Some(other) => waits.push(format!("{key}, which is {}", other.status)),
        }
    }
    if item.is_blocked() {
        let summary = item.last.as_ref().map(|last| last.summary.lines().next().unwrap_or_default());
        waits.push(format!("a plan: it is blocked ({})", summary.unwrap_or_default()));
    }
    if let Some(rest) = &item.rest {
        waits.push(format!("{}: {}", clock(&rest.until), rest.reason));
    }
    if waits.is_empty()
        && let Some(claim) = session.pool.clash_of(&item.key)
    {
        waits.push(format!("`{claim}`, which another item is changing"));
    }
    if waits.is_empty()
        && let Some((attempt, _)) = session.planner()
        && !matches!(attempt.work, Work::Plan(machine::roadmap::Why::Blocked(_) | machine::roadmap::Why::Failed(_)))
    {
        waits.push("the plan that is being made".into());
    }
    waits
}

fn question(session: &Session, question: &Question) -> QuestionView {
    let how = match session.over {
        None => format!("multiverse answer {} --question {} \"your words\"", session.id, question.id),
        Some(_) => answer_later(session),
    };
    QuestionView {
        how,
        id: question.id.clone(),
        item: question.item.clone(),
        question: question.question.clone(),
        default: question.default.clone(),
        answer: question.answer.clone(),
        since: question.since.clone(),
    }
}

/// The most items that a run at a glance shows.
const SHOWN: usize = 200;

/// A session at a glance, whether it is over or not.
pub(super) fn view(session: &Session, driver: Driver) -> RunView {
    let (state, state_in_words) = going_on(session, driver);
    let counts = session.pool.counts();
    let at_work: Vec<&str> = session.attempts.iter().filter_map(|(_, attempt)| attempt.work.item()).collect();
    RunView {
        run: session.id.clone(),
        request: session.name.clone(),
        protocol: Some(super::PROTOCOL),
        status: match session.over {
            Some(Over::Done) => "COMPLETED",
            Some(Over::Cancelled | Over::Deadlock) => "FAILED",
            None => "PENDING",
        },
        state,
        state_in_words,
        phase: format!("{}%", session.progress()),
        stage: format!("{} of {} items", counts.completed, counts.effective()),
        tasks: at_work.join(", "),
        done: counts.completed,
        planned: counts.effective(),
        waits: waits(session),
        paused: session.paused.clone(),
        driver: session.members.iter().next().map(|(opening, _)| opening.clone()),
        asked: session.asked.clone(),
        attempts: attempts(session),
        resting: resting(session),
        items: items(session),
        details: Some(details(session)),
        ..RunView::default()
    }
}

/// What only a session has to say.
fn details(session: &Session) -> Value {
    json!({
        "task": session.name,
        "task_file": session.task_file,
        "log_file": session.log_file,
        "progress": session.progress(),
        "members": session.members.iter().map(|(opening, member)| json!({"pid": process(opening), "name": member.name, "since": member.since})).collect::<Vec<_>>(),
        "questions": session.questions.iter().map(|(_, one)| question(session, one)).collect::<Vec<_>>(),
        "period": session.period_key,
    })
}

/// The items, each below the groups that it stands in: all but those that were taken out, or, where these are too many, the
/// first that are not done.
fn items(session: &Session) -> Vec<ItemView> {
    let is_short = session.pool.len() <= SHOWN;
    let is_shown = |item: &&Item| match item.status {
        Status::Cancelled => false,
        Status::Completed => is_short,
        Status::Pending | Status::Locked | Status::Failed => true,
    };
    let mut views = Vec::new();
    let mut within: Vec<&str> = Vec::new();
    for item in session.pool.items().filter(is_shown).take(SHOWN) {
        let mut groups: Vec<&machine::roadmap::Group> = session.pool.ancestors(item.group.as_deref()).collect();
        groups.reverse();
        let same = groups.iter().zip(&within).take_while(|(group, known)| group.key == **known).count();
        within.truncate(same);
        for group in &groups[same..] {
            let status = if session.pool.is_ticked(&group.key) { "COMPLETED" } else { "PENDING" };
            views.push(at_a_glance(&group.key, "group", within.len(), group.title.replace("**", ""), status));
            within.push(&group.key);
        }
        let status = match item.status {
            Status::Completed => "COMPLETED",
            Status::Failed | Status::Cancelled => "FAILED",
            Status::Pending | Status::Locked => "PENDING",
        };
        let view = at_a_glance(&item.key, "item", within.len(), item.title.clone(), status);
        views.push(ItemView { running: item.status == Status::Locked, ..view });
    }
    views
}

fn at_a_glance(key: &str, level: &'static str, depth: usize, name: String, status: &'static str) -> ItemView {
    ItemView { id: key.into(), level, depth, name, status, running: false, output: String::new() }
}

fn resting(session: &Session) -> Vec<RestView> {
    let rested = session.rest().map(|(_, until)| RestView {
        fence: session.fence,
        what: "what was put off".into(),
        item: None,
        until: until.into(),
        reason: "it may not be done before".into(),
    });
    rested.into_iter().collect()
}

fn going_on(session: &Session, driver: Driver) -> (&'static str, String) {
    match (session.over, &session.paused) {
        (Some(Over::Done), _) => return ("done", "done".into()),
        (Some(how), _) => return ("failed", over(how).into()),
        (None, Some(reason)) => return ("paused", format!("paused: {reason}")),
        (None, None) => {}
    }
    let is_persons = |attempt: &Attempt| attempt.holder == Holder::Person;
    let theirs = session.attempts.iter().filter(|(_, attempt)| is_persons(attempt)).count();
    let at_work = session.attempts.len() - theirs;
    match (driver, session.rest()) {
        (Driver::Gone, _) if theirs > 0 => ("waiting", yours(theirs)),
        (Driver::Gone, _) => ("stopped", "stopped: nobody carries it on".into()),
        (Driver::Alive, _) if at_work > 0 => {
            let who = if at_work == 1 { "1 executor is".into() } else { format!("{at_work} executors are") };
            ("working", format!("{}%: {who} at work", session.progress()))
        }
        (Driver::Alive, Some((_, until))) => ("resting", format!("resting until {}", clock(until))),
        (Driver::Alive, None) if theirs > 0 => ("waiting", yours(theirs)),
        (Driver::Alive, None) => ("working", format!("{}%", session.progress())),
    }
}

fn yours(count: usize) -> String {
    match count {
        1 => "waits for work that is yours".into(),
        count => format!("waits for {count} pieces of work, which are yours"),
    }
}

/// Who is at work.
pub(super) fn attempts(session: &Session) -> Vec<AttemptView> {
    session.attempts.iter().map(|(_, attempt)| attempt_view(session, attempt)).collect()
}

fn attempt_view(session: &Session, attempt: &Attempt) -> AttemptView {
    let part = role(&attempt.work);
    let cast = session.members.get(&attempt.opening).map(|member| &member.cast);
    AttemptView {
        fence: attempt.fence,
        role: part.unwrap_or("engine").into(),
        what: work_in_words(session, &attempt.work),
        item: attempt.work.item().map(String::from),
        attempt: attempt.number,
        holder: match &attempt.holder {
            Holder::Process(name) => format!("process {}", process(name)),
            Holder::Person => A_PERSON.into(),
        },
        agent: match (&attempt.holder, part) {
            (Holder::Person, _) => A_PERSON.into(),
            (Holder::Process(_), None) => THE_ENGINE.into(),
            (Holder::Process(_), Some(part)) => {
                let usual = if part == "planner" { machine::Role::Planner } else { machine::Role::Executor };
                let named = cast.and_then(|cast| cast.parts.get(part).or_else(|| cast.names.get(&usual)));
                named.cloned().unwrap_or_default()
            }
        },
        since: attempt.since.clone(),
    }
}

/// What a session wants of people. A question is none of it: work goes on with the default.
pub(super) fn waits(session: &Session) -> Vec<Waiting> {
    let id = &session.id;
    let mut waits = Vec::new();
    if session.over.is_some() {
        return waits;
    }
    for (_, attempt) in session.attempts.iter().filter(|(_, attempt)| attempt.holder == Holder::Person) {
        waits.push(Waiting {
            run: id.clone(),
            kind: "work",
            fence: Some(attempt.fence),
            question: None,
            text: format!("{} is yours to do", work_in_words(session, &attempt.work)),
            commands: vec![format!("multiverse answer {id} --attempt {} --report FILE", attempt.fence)],
        });
    }
    for (_, question) in session.questions.iter().filter(|(_, question)| question.answer.is_none()) {
        waits.push(Waiting {
            run: id.clone(),
            kind: "question",
            fence: None,
            question: Some(question.id.clone()),
            text: format!("{} (meanwhile: {})", question.question, question.default),
            commands: vec![
                format!("multiverse answer {id} --question {} \"your words\"", question.id),
                format!("or write below **Response** in {}", session.task_file),
            ],
        });
    }
    if let Some(reason) = &session.paused {
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

/// How a question is answered when all is done.
pub(super) fn answer_later(session: &Session) -> String {
    format!(
        "write below **Response** in {}, and `multiverse run --protocol roadmap {}` takes it up",
        session.task_file, session.name
    )
}

/// What people are told.
pub(super) fn message(session: &Session, said: Said) -> (&'static str, String) {
    match said {
        Said::Completion => {
            let count = session.pool.counts().completed;
            let items = if count == 1 { "1 item".into() } else { format!("{count} items") };
            let mut text = format!("{} is done: {items}; the log is {}", session.name, session.log_file);
            if session.questions.iter().any(|(_, question)| question.answer.is_none()) {
                text.push_str(&format!(
                    "\nwhat was asked and not answered was done by default; {}",
                    answer_later(session)
                ));
            }
            ("completion", text)
        }
        Said::Failure => {
            let how = session.over.map_or("it is over", over);
            let mut lines = vec![format!("{}: {how}; the log is {}", session.name, session.log_file)];
            let stuck = session.pool.items().filter(|item| item.is_effective() && item.status != Status::Completed);
            lines.extend(stuck.take(SHOWN).map(|item| {
                format!("{} ({}) waits for {}", item.objective(), item.status, waits_for(session, item).join("; "))
            }));
            ("failure", lines.join("\n"))
        }
        Said::Question | Said::Proposal => {
            let open = session.questions.iter().filter(|(_, question)| question.answer.is_none());
            let lines: Vec<String> = open.map(|(_, one)| format!("{}: {}", one.id, one.question)).collect();
            ("question", lines.join("\n"))
        }
    }
}
