//! What interfaces show: plain data, made of the machine's state and the documents. Nothing here can change anything.

use std::borrow::Cow;

use machine::{AskedAgent, Attempt, Course, Hierarchy, Holder, Mode, Run, State as ItemState, Status, Work};
use serde::Serialize;

use crate::brief::role_word;
use crate::notice::{item_of_work, work_in_words};
use crate::settings::{A_PERSON, THE_ENGINE};

/// A run at a glance.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct RunView {
    /// Its id.
    pub run: String,
    /// The user's words.
    pub request: String,
    /// The protocol, if it is not the project's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub protocol: Option<&'static str>,
    /// As the table of runs spells it.
    pub status: &'static str,
    /// What is really going on: `working`, `waiting` (for a person), `resting` (until a time), `paused`, `stopped` (nobody
    /// carries it on), `done` or `failed`.
    pub state: &'static str,
    /// The same in words: `resting until 14:05:30: rate limit of X`.
    pub state_in_words: String,
    /// How it is carried out; nothing is known of runs that are over.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<Mode>,
    /// Where it stands.
    pub phase: String,
    /// Where it stands.
    pub stage: String,
    /// What is being worked on.
    pub tasks: String,
    /// Tasks that are done, of those that are planned so far.
    pub done: usize,
    /// Tasks that are planned so far.
    pub planned: usize,
    /// What it waits for, if it waits for a person.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub waits: Vec<Waiting>,
    /// Why it is paused, if it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paused: Option<String>,
    /// The process that drives it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub driver: Option<String>,
    /// The agents that were asked for when it was begun or taken up, in the words of the command line.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub asked: Vec<AskedAgent>,
    /// Who is at work on what.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub attempts: Vec<AttemptView>,
    /// What it has used so far, and what it may use.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<UsageView>,
    /// What is put off until a time, and goes on by itself.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub resting: Vec<RestView>,
    /// Past runs that it learns from, best first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub learned: Vec<PastView>,
    /// Its items, outermost first in depth order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub items: Vec<ItemView>,
    /// What only its protocol has to say of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub details: Option<serde_json::Value>,
}

/// A past run that another one learns from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PastView {
    /// Its id.
    pub run: String,
    /// How alike it is, in thousandths; written as people read it, from 0 to 1.
    #[serde(serialize_with = "as_share")]
    pub score: u16,
    /// How it ended.
    pub status: &'static str,
    /// The words that both requests have.
    pub shared: Vec<String>,
}

impl PastView {
    pub(crate) fn of(past: &machine::PastRun) -> Self {
        let (run, shared) = (past.run_id.clone(), past.shared.clone());
        Self { run, score: past.score, status: status_word(past.status), shared }
    }

    /// In a line: `run-… 0.62 COMPLETED (boats, yards)`.
    pub fn in_words(&self) -> String {
        let score = dialect::Protocol::score_text(self.score);
        format!("{} {score} {} ({})", self.run, self.status, self.shared.join(", "))
    }
}

/// A score with two places, as it stands in texts.
fn as_share<S: serde::Serializer>(score: &u16, out: S) -> Result<S::Ok, S::Error> {
    out.serialize_f64(f64::from(score / 10) / 100.0)
}

/// Something that waits for a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Waiting {
    /// The run.
    pub run: String,
    /// `confirmation`, `question`, `budget`, `work` or `paused`.
    pub kind: &'static str,
    /// The attempt it belongs to, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fence: Option<u64>,
    /// The id of the question, where it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub question: Option<String>,
    /// What is asked.
    pub text: String,
    /// The commands that answer it.
    pub commands: Vec<String>,
}

/// Somebody at work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AttemptView {
    /// The attempt.
    pub fence: u64,
    /// The part played.
    pub role: Cow<'static, str>,
    /// On what.
    pub what: String,
    /// The item that is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub item: Option<String>,
    /// The how-many-eth attempt.
    pub attempt: u32,
    /// Who has it.
    pub holder: String,
    /// Who plays the part: the agent's name, `a person`, `the engine`; empty where nobody wrote it down.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub agent: String,
    /// Since when.
    pub since: String,
}

/// What was used, and what may be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UsageView {
    /// What was used.
    pub used: machine::Used,
    /// What is set aside for those at work.
    #[serde(skip_serializing_if = "machine::Used::is_nothing")]
    pub reserved: machine::Used,
    /// What may be used; nothing where it is not bounded.
    #[serde(skip_serializing_if = "machine::Budget::is_empty")]
    pub budget: machine::Budget,
}

impl UsageView {
    fn of(run: &Run) -> Option<Self> {
        let mut reserved = machine::Used::default();
        run.attempts.values().for_each(|attempt| reserved.add(&attempt.reserved));
        let is_worth_it = !run.used.is_nothing() || !run.budget.is_empty();
        is_worth_it.then_some(Self { used: run.used, reserved, budget: run.budget })
    }

    /// In a line: `used 1,200 tokens of 200,000 tokens, $0.02, 14 s`.
    pub fn in_words(&self) -> String {
        format!("used {}", used_in_words(&self.used, Some(&self.budget)))
    }
}

/// What was used, measure by measure, with the bound of each that has one.
pub(crate) fn used_in_words(used: &machine::Used, budget: Option<&machine::Budget>) -> String {
    let parts = machine::Measure::ALL.into_iter().filter_map(|measure| {
        let (amount, bound) = (used.of(measure), budget.and_then(|budget| budget.of(measure)));
        match bound {
            Some(bound) => Some(format!("{} of {}", measure.in_words(amount), measure.in_words(bound))),
            None => (amount > 0).then(|| measure.in_words(amount)),
        }
    });
    let parts: Vec<String> = parts.collect();
    if parts.is_empty() { "nothing".into() } else { parts.join(", ") }
}

/// Work that is put off until a time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RestView {
    /// The attempt that was put off.
    pub fence: u64,
    /// What was to be done.
    pub what: String,
    /// The item that is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub item: Option<String>,
    /// Until when.
    pub until: String,
    /// Why.
    pub reason: String,
}

impl RestView {
    /// In a line: `resting until 14:05:30: rate limit of X`.
    pub fn in_words(&self) -> String {
        format!("resting until {}: {}", crate::clock::clock(&self.until), self.reason)
    }
}

/// An item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ItemView {
    /// Its id.
    pub id: String,
    /// `phase`, `stage`, `task`, `tool task`; `item` of a roadmap, `group` of such.
    pub level: &'static str,
    /// How deep it stands, from 0.
    pub depth: usize,
    /// What it is called.
    pub name: String,
    /// `PENDING`, `COMPLETED`, `FAILED`.
    pub status: &'static str,
    /// Whether somebody is at work on it.
    pub running: bool,
    /// The file it leaves.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub output: String,
}

/// A file that the catalog lists.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CatalogView {
    /// From the project's root.
    pub path: String,
    /// The run it is of; empty for inputs.
    pub run: String,
    /// `ORIGINAL_INPUT`, `ANALYSIS_REPORT`, …
    pub kind: String,
    /// The task it came from.
    pub task: String,
    /// What is in it.
    pub summary: String,
}

impl From<dialect::CatalogRow> for CatalogView {
    fn from(row: dialect::CatalogRow) -> Self {
        let dialect::CatalogRow { file_path, run_id, asset_type, source_task_id, summary, .. } = row;
        Self { path: file_path, run: run_id, kind: asset_type, task: source_task_id, summary }
    }
}

impl RunView {
    /// A run of which only its row is known.
    pub(crate) fn of_row(row: &dialect::RunRow) -> Self {
        let current = |level: usize| row.current.get(level).map(|ids| ids.join(", ")).unwrap_or_default();
        Self {
            run: row.run_id.clone(),
            request: row.user_request.clone(),
            status: row.status.map_or("?", status_word),
            state: match row.status {
                Some(Status::Completed) => "done",
                Some(Status::Failed) => "failed",
                _ => "stopped",
            },
            state_in_words: match row.status {
                Some(Status::Completed) => "done".into(),
                Some(Status::Failed) => "failed".into(),
                _ => "the journal does not know it; `multiverse resume` takes it up again".into(),
            },
            phase: current(0),
            stage: current(1),
            tasks: current(2),
            ..Self::default()
        }
    }
}

/// The word of the table for a status.
pub(crate) fn status_word(status: Status) -> &'static str {
    match status {
        Status::Pending => "PENDING",
        Status::AwaitingConfirmation => "AWAITING_CONFIRMATION",
        Status::Completed => "COMPLETED",
        Status::Failed => "FAILED",
    }
}

fn state_word(state: ItemState) -> &'static str {
    match state {
        ItemState::Pending => "PENDING",
        ItemState::Completed => "COMPLETED",
        ItemState::Failed => "FAILED",
    }
}

/// Whether the process that drives a run lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Driver {
    Alive,
    Gone,
}

/// A run, whether it is over or not.
pub(crate) fn run_view(hierarchy: &Hierarchy, run: &Run, driver: Driver) -> RunView {
    let (state, state_in_words) = going_on(hierarchy, run, driver);
    let current = run.current(hierarchy);
    let task_level = hierarchy.levels.len() - 2;
    let tasks = || run.items.iter().filter(|item| item.level == task_level);
    RunView {
        run: run.id.clone(),
        request: run.request.clone(),
        protocol: None,
        status: status_word(run.status),
        state,
        state_in_words,
        mode: Some(run.mode),
        phase: current.phase.unwrap_or_default().into(),
        stage: current.stage.unwrap_or_default().into(),
        tasks: current.tasks.join(", "),
        done: tasks().filter(|item| item.state == ItemState::Completed).count(),
        planned: tasks().count(),
        waits: waits(hierarchy, run),
        paused: run.paused.clone(),
        driver: run.driver.clone(),
        asked: run.cast.asked.clone(),
        attempts: attempts(hierarchy, run),
        usage: UsageView::of(run),
        resting: resting(hierarchy, run),
        learned: run.learned.iter().map(PastView::of).collect(),
        items: items(hierarchy, run),
        details: None,
    }
}

/// What is really going on in a run: the protocol has one word, PENDING, for most of it.
fn going_on(hierarchy: &Hierarchy, run: &Run, driver: Driver) -> (&'static str, String) {
    match (run.status, &run.failure, &run.paused) {
        (Status::Completed, ..) => return ("done", "done".into()),
        (Status::Failed, Some(failure), _) => {
            let first = failure.error.lines().next().unwrap_or_default();
            return ("failed", format!("failed: {first}"));
        }
        (Status::Failed, None, _) => return ("failed", "failed".into()),
        (_, _, Some(reason)) => return ("paused", format!("paused: {reason}")),
        (Status::Pending | Status::AwaitingConfirmation, _, None) => {}
    }
    let waits = waits(hierarchy, run);
    let asks = waits.first().map(|first| match first.kind {
        "confirmation" => "waits for your answer to its proposal",
        "question" => "waits for your answer to a question",
        "budget" => "waits for you: its budget is used up",
        _ => "waits for work that is yours",
    });
    let at_work: Vec<String> = run
        .attempts
        .values()
        .filter(|attempt| attempt.holder != Holder::Person)
        .map(|attempt| work_in_words(hierarchy, run, &attempt.work))
        .collect();
    match (driver, at_work.as_slice(), run.rests.iter().next(), asks) {
        (Driver::Alive, [_, ..], _, None) => ("working", format!("working on {}", at_work.join(", "))),
        (Driver::Alive, [_, ..], _, Some(asks)) => ("working", format!("working on {}; {asks}", at_work.join(", "))),
        (Driver::Alive, [], Some(_), _) => {
            ("resting", resting(hierarchy, run).first().map(RestView::in_words).unwrap_or_default())
        }
        (_, _, _, Some(asks)) => ("waiting", asks.into()),
        (Driver::Alive, [], None, None) => ("working", "working, between two steps".into()),
        (Driver::Gone, ..) => ("stopped", "stopped: nobody carries it on".into()),
    }
}

/// What a run wants of people.
pub(crate) fn waits(hierarchy: &Hierarchy, run: &Run) -> Vec<Waiting> {
    let id = &run.id;
    let mut waits = Vec::new();
    let mut push = |kind, fence, text: String, commands: Vec<String>| {
        waits.push(Waiting { run: id.clone(), kind, fence, question: None, text, commands });
    };
    if run.course == Course::Gate {
        push(
            "confirmation",
            None,
            format!("the proposal in runs/{id}/feedback_for_user.md waits for your answer"),
            vec![
                format!("multiverse confirm {id}"),
                format!("multiverse modify {id} \"what to change\""),
                format!("multiverse cancel {id}"),
            ],
        );
    }
    for (fence, question) in &run.questions {
        let what = work_in_words(hierarchy, run, &question.work);
        push(
            "question",
            Some(*fence),
            format!("{what}: {}", question.text),
            match run.questions.len() {
                1 => vec![format!("multiverse answer {id} \"your answer\"")],
                _ => vec![format!("multiverse answer {id} --attempt {fence} \"your answer\"")],
            },
        );
    }
    if let Some(question) = run.budget_question() {
        let which = if run.questions.is_empty() { "" } else { " --attempt 0" };
        let commands = vec![format!("multiverse answer {id}{which} NUMBER"), format!("multiverse cancel {id}")];
        push("budget", Some(0), question, commands);
    }
    for attempt in run.attempts.values().filter(|attempt| attempt.holder == Holder::Person) {
        let what = work_in_words(hierarchy, run, &attempt.work);
        let fence = attempt.fence;
        push(
            "work",
            Some(fence),
            format!("{what} is yours to do"),
            match &attempt.work {
                machine::Work::Plan(_) => vec![format!("multiverse answer {id} --attempt {fence} --report FILE")],
                _ => vec![
                    format!("multiverse answer {id} --attempt {fence} --file FILE"),
                    format!("multiverse answer {id} --attempt {fence} --report FILE"),
                ],
            },
        );
    }
    if let Some(reason) = &run.paused {
        push("paused", None, reason.clone(), vec![format!("multiverse resume {id}")]);
    }
    waits
}

fn attempts(hierarchy: &Hierarchy, run: &Run) -> Vec<AttemptView> {
    run.attempts
        .values()
        .map(|attempt| AttemptView {
            fence: attempt.fence,
            role: role_word(attempt.work.role()).into(),
            what: work_in_words(hierarchy, run, &attempt.work),
            item: item_of_work(&attempt.work).map(String::from),
            attempt: attempt.number,
            holder: match &attempt.holder {
                Holder::Process(name) => format!("process {}", name.split('.').next().unwrap_or_default()),
                Holder::Person => A_PERSON.into(),
            },
            agent: agent_of(run, attempt),
            since: attempt.since.clone(),
        })
        .collect()
}

fn resting(hierarchy: &Hierarchy, run: &Run) -> Vec<RestView> {
    let view = |(fence, rest): (&u64, &machine::Rest)| RestView {
        fence: *fence,
        what: work_in_words(hierarchy, run, &rest.work),
        item: item_of_work(&rest.work).map(String::from),
        until: rest.until.clone(),
        reason: rest.reason.clone(),
    };
    run.rests.iter().map(view).collect()
}

/// Who plays the part of an attempt, as far as that was written down.
pub(crate) fn agent_of(run: &Run, attempt: &Attempt) -> String {
    match (&attempt.work, &attempt.holder) {
        (Work::SetUp(_) | Work::Catalog(_), _) => THE_ENGINE.into(),
        (_, Holder::Person) => A_PERSON.into(),
        (work, Holder::Process(name)) if run.driver.as_ref() == Some(name) => {
            run.cast.names.get(&work.role()).cloned().unwrap_or_default()
        }
        _ => String::new(),
    }
}

fn items(hierarchy: &Hierarchy, run: &Run) -> Vec<ItemView> {
    let running = |id: &str| {
        run.attempts.values().any(|attempt| match &attempt.work {
            machine::Work::Execute(work) | machine::Work::SetUp(work) | machine::Work::Catalog(work) => work == id,
            machine::Work::Plan(_) => false,
        })
    };
    let mut children: std::collections::BTreeMap<Option<&str>, Vec<&machine::Item>> = Default::default();
    let ids: std::collections::BTreeSet<&str> = run.items.iter().map(|item| item.id.as_str()).collect();
    for item in &run.items {
        // The tasks of the preparation name a stage that is no item.
        let parent = item.parent.as_deref().filter(|parent| ids.contains(parent));
        children.entry(parent).or_default().push(item);
    }
    let mut views = Vec::with_capacity(run.items.len());
    let mut stack: Vec<(usize, &machine::Item)> = Vec::new();
    let sorted = |parent: Option<&str>| {
        let mut found = children.get(&parent).cloned().unwrap_or_default();
        found.sort_by(|one, other| {
            // The tasks of the preparation stand beside the phases, and come first.
            let place = |item: &machine::Item| (item.level != hierarchy.task_level(), item.order);
            place(one).cmp(&place(other)).then_with(|| one.id.cmp(&other.id))
        });
        found.reverse();
        found
    };
    stack.extend(sorted(None).into_iter().map(|item| (0, item)));
    while let Some((depth, item)) = stack.pop() {
        views.push(ItemView {
            id: item.id.clone(),
            level: hierarchy.levels.get(item.level).map_or("", |level| level.name),
            depth,
            name: item.name.clone(),
            status: state_word(item.state),
            running: running(&item.id),
            output: item.output.clone(),
        });
        stack.extend(sorted(Some(&item.id)).into_iter().map(|item| (depth + 1, item)));
    }
    views
}
