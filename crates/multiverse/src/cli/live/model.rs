//! What the live view knows: the runs it shows, their items, who is at work and what waits. Fed by notices and by views;
//! draws nothing and asks no clock.

use std::borrow::Cow;
use std::collections::BTreeMap;

use engine::{AttemptView, ItemView, Notice, RunView, Waiting};

/// A moment, in milliseconds of the wall clock.
pub(crate) type Moment = u64;

/// The id of the group that holds the tasks of the preparation: no item bears it.
pub(crate) const PREPARATION: &str = "";

/// A protocol whose items are all planned at once.
const ROADMAP: &str = "roadmap";
/// Who works where no agent does.
const A_PERSON: &str = "a person";
/// An id tells the second: what lies so near together is the same.
const MOMENT: Moment = 2_000;

/// All that is shown.
#[derive(Debug, Clone, Default)]
pub(crate) struct Model {
    pub(crate) runs: Vec<RunModel>,
    /// How often somebody asked to stop.
    pub(crate) interrupted: u8,
}

/// One run.
#[derive(Debug, Clone)]
pub(crate) struct RunModel {
    pub(crate) run: String,
    pub(crate) request: String,
    pub(crate) standing: Standing,
    /// Since when it is looked at here.
    pub(crate) began: Moment,
    pub(crate) ended: Option<Moment>,
    /// Tasks that are done and planned, where more are planned than are shown.
    counted: Option<(usize, usize)>,
    /// The outermost items, in order.
    pub(crate) roots: Vec<String>,
    pub(crate) items: BTreeMap<String, Item>,
    /// Who is at work, by fence.
    pub(crate) works: BTreeMap<u64, Working>,
    pub(crate) waits: Vec<Waiting>,
    /// What is put off until a time, in words, by fence.
    pub(crate) rests: BTreeMap<u64, String>,
    /// Why it is paused, or what it failed at.
    pub(crate) reason: Option<String>,
}

/// Where a run stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Standing {
    Working,
    Waits,
    Paused,
    Done,
    Failed,
    /// Nobody carries it on.
    Rests,
}

/// Where an item stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    Pending,
    Done,
    Failed,
}

/// How an item is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Level {
    /// It holds others.
    Group,
    Task,
    /// It belongs to a task.
    Tool,
}

#[derive(Debug, Clone)]
pub(crate) struct Item {
    pub(crate) id: String,
    /// Whether people know it by its id.
    pub(crate) has_number: bool,
    pub(crate) level: Level,
    pub(crate) name: String,
    pub(crate) state: State,
    pub(crate) parent: Option<String>,
    pub(crate) children: Vec<String>,
    pub(crate) began: Option<Moment>,
    /// How long it took, in milliseconds, where that was seen.
    pub(crate) took: Option<u64>,
}

/// Somebody at work.
#[derive(Debug, Clone)]
pub(crate) struct Working {
    pub(crate) role: Cow<'static, str>,
    pub(crate) agent: String,
    pub(crate) what: String,
    pub(crate) item: Option<String>,
    pub(crate) attempt: u32,
    pub(crate) since: Moment,
    /// What it said last.
    pub(crate) line: String,
}

impl Model {
    /// Takes over what is known of a run. What was seen on the way (durations, agents) stays.
    pub(crate) fn seed(&mut self, view: &RunView, now: Moment) {
        let place = self.runs.iter().position(|run| run.run == view.run).unwrap_or_else(|| {
            self.runs.push(RunModel::new(&view.run, now));
            self.runs.len() - 1
        });
        self.runs[place].seed(view, now);
    }

    /// Whether anybody works, as far as is known.
    pub(crate) fn is_at_work(&self) -> bool {
        self.runs.iter().any(|run| run.works.values().any(|working| working.agent != A_PERSON))
    }

    /// Takes in what happened; says whether there is anything new to see.
    pub(crate) fn hear(&mut self, notice: &Notice, now: Moment) -> bool {
        let Some(name) = super::super::progress::run_of(notice) else { return false };
        match self.runs.iter_mut().find(|run| run.run == name) {
            Some(run) => run.hear(notice, now),
            None => return false,
        }
        true
    }
}

impl RunModel {
    /// How long ago it began, where that was before it was looked at here: whoever resumes a run wants to know both.
    pub(crate) fn in_all(&self, now: Moment) -> Option<u64> {
        let first = moment_in_id(&self.run).filter(|first| first + MOMENT < self.began)?;
        Some(self.ended.unwrap_or(now).saturating_sub(first))
    }

    pub(crate) fn new(run: &str, now: Moment) -> Self {
        Self {
            run: run.into(),
            request: String::new(),
            standing: Standing::Working,
            began: now,
            ended: None,
            counted: None,
            roots: Vec::new(),
            items: BTreeMap::new(),
            works: BTreeMap::new(),
            waits: Vec::new(),
            rests: BTreeMap::new(),
            reason: None,
        }
    }

    fn seed(&mut self, view: &RunView, now: Moment) {
        self.request.clone_from(&view.request);
        self.waits.clone_from(&view.waits);
        let rests = view.resting.iter();
        self.rests = rests.map(|rest| (rest.fence, format!("{}: {}", rest.what, rest.in_words()))).collect();
        self.standing = match (view.status, &view.paused) {
            ("COMPLETED", _) => Standing::Done,
            ("FAILED", _) => Standing::Failed,
            (_, Some(_)) => Standing::Paused,
            _ if !view.waits.is_empty() && view.attempts.iter().all(|one| one.holder == "a person") => Standing::Waits,
            _ if view.driver.is_none() => Standing::Rests,
            _ => Standing::Working,
        };
        if let Some(reason) = &view.paused {
            self.reason = Some(reason.clone());
        }
        if matches!(self.standing, Standing::Done | Standing::Failed) {
            self.ended.get_or_insert(now);
        }
        self.seed_items(&view.items, now);
        self.counted = (view.protocol == Some(ROADMAP)).then_some((view.done, view.planned));
        let old = std::mem::take(&mut self.works);
        for attempt in &view.attempts {
            let known = old.get(&attempt.fence);
            let working = Working {
                role: executor_name(view, attempt).map_or_else(|| attempt.role.clone(), Cow::Owned),
                agent: known.map_or_else(|| who(attempt), |known| known.agent.clone()),
                what: attempt.what.clone(),
                item: attempt.item.clone(),
                attempt: attempt.attempt,
                since: moment_of(&attempt.since).unwrap_or(now).min(now),
                line: known.map_or_else(String::new, |known| known.line.clone()),
            };
            self.mark_begun(working.item.as_deref(), working.since);
            self.works.insert(attempt.fence, working);
        }
    }

    fn seed_items(&mut self, views: &[ItemView], now: Moment) {
        let old = std::mem::take(&mut self.items);
        self.roots.clear();
        let mut above: Vec<String> = Vec::new();
        for view in views {
            above.truncate(view.depth);
            let parent = match above.last() {
                Some(parent) => Some(parent.clone()),
                None if view.level == "task" => Some(PREPARATION.to_string()),
                None => None,
            };
            let state = match view.status {
                "COMPLETED" => State::Done,
                "FAILED" => State::Failed,
                _ => State::Pending,
            };
            let level = match view.level {
                "task" | "item" => Level::Task,
                "tool task" => Level::Tool,
                _ => Level::Group,
            };
            self.add(&view.id, &view.name, level, parent.as_deref());
            let known = old.get(&view.id);
            if let Some(item) = self.items.get_mut(&view.id) {
                item.has_number = view.level != "group";
                item.state = state;
                item.began = known.and_then(|known| known.began);
                let is_new = state == State::Done && known.is_some_and(|known| known.state == State::Pending);
                let took = item.began.filter(|_| is_new).map(|began| now.saturating_sub(began));
                item.took = known.and_then(|known| known.took).or(took);
            }
            above.push(view.id.clone());
        }
        if let (Some(item), Some(known)) = (self.items.get_mut(PREPARATION), old.get(PREPARATION)) {
            (item.state, item.began, item.took) = (known.state, known.began, known.took);
        }
        self.complete_preparation(now);
    }

    fn add(&mut self, id: &str, name: &str, level: Level, parent: Option<&str>) {
        if self.items.contains_key(id) {
            return;
        }
        if parent == Some(PREPARATION) && !self.items.contains_key(PREPARATION) {
            self.add(PREPARATION, "Preparation", Level::Group, None);
        }
        match parent.and_then(|parent| self.items.get_mut(parent)) {
            Some(parent) => parent.children.push(id.into()),
            None => self.roots.push(id.into()),
        }
        let item = Item {
            id: id.into(),
            has_number: id != PREPARATION,
            level,
            name: name.into(),
            state: State::Pending,
            parent: parent.map(String::from),
            children: Vec::new(),
            began: None,
            took: None,
        };
        self.items.insert(id.into(), item);
    }

    fn hear(&mut self, notice: &Notice, now: Moment) {
        match notice {
            Notice::Assigned { fence, role, what, item, attempt, agent, .. } => {
                self.standing = Standing::Working;
                self.mark_begun(item.as_deref(), now);
                let (role, agent, what) = (role.clone(), agent.clone(), what.clone());
                let (item, attempt) = (item.clone(), *attempt);
                let working = Working { role, agent, what, item, attempt, since: now, line: String::new() };
                self.works.insert(*fence, working);
            }
            Notice::Progress { fence, line, .. } => {
                // That an agent was started is to be seen anyway.
                if let Some(working) = self.works.get_mut(fence).filter(|_| !line.starts_with("started ")) {
                    working.line.clone_from(line);
                }
            }
            Notice::SentBack { fence, .. }
            | Notice::Lost { fence, .. }
            | Notice::Catalogued { fence, .. }
            | Notice::Worked { fence, .. } => drop(self.works.remove(fence)),
            Notice::Resting { fence, what, until, reason, .. } => {
                self.works.remove(fence);
                self.rests.insert(*fence, format!("{what} rests until {}: {reason}", engine::clock(until)));
            }
            Notice::Woke { fence, .. } => drop(self.rests.remove(fence)),
            Notice::Asked { run, fence, what, question } => {
                self.works.remove(fence);
                let (run, text) = (run.clone(), format!("{what}: {question}"));
                let (fence, question, commands) = (Some(*fence), None, Vec::new());
                self.waits.push(Waiting { run, kind: "question", fence, question, text, commands });
            }
            Notice::Told { fence, .. } => {
                self.standing = Standing::Working;
                self.waits.retain(|waiting| waiting.fence != Some(*fence));
            }
            Notice::Proposed { fence, .. } => {
                self.works.remove(fence);
                self.standing = Standing::Waits;
            }
            Notice::Planned { fence, target, rows, .. } => {
                self.works.remove(fence);
                self.plan(target, rows);
            }
            Notice::Completed { item, .. } => self.complete(item, now),
            Notice::Paused { reason, .. } => {
                self.standing = Standing::Paused;
                self.reason = Some(reason.clone());
            }
            Notice::Answered { .. } | Notice::Resumed { .. } => {
                self.standing = Standing::Working;
                self.reason = None;
                self.waits.clear();
            }
            Notice::Failed { items, doing, error, .. } => {
                self.end(Standing::Failed, now);
                self.fail(items, doing, error);
            }
            Notice::Finished { .. } => self.end(Standing::Done, now),
            Notice::Started { .. }
            | Notice::Began { .. }
            | Notice::Moved { .. }
            | Notice::Message { .. }
            | Notice::Problem { .. }
            | Notice::Store(_) => {}
        }
    }

    fn fail(&mut self, items: &[String], doing: &str, error: &str) {
        let place = if doing.is_empty() { String::new() } else { format!("{doing}: ") };
        self.reason = Some(format!("{place}{}", error.lines().next().unwrap_or_default()));
        for id in items {
            if let Some(item) = self.items.get_mut(id) {
                item.state = State::Failed;
            }
        }
    }

    fn end(&mut self, standing: Standing, now: Moment) {
        self.standing = standing;
        self.ended = Some(now);
        self.works.clear();
        self.waits.clear();
        self.rests.clear();
    }

    fn plan(&mut self, target: &str, rows: &[(String, String)]) {
        let (level, parent) = match target.split_once(':') {
            None => (Level::Group, None),
            Some(("phase", "0")) => (Level::Task, Some(PREPARATION)),
            Some(("stage", id)) => (Level::Task, Some(id)),
            Some(("pre_tool" | "post_tool", id)) => (Level::Tool, Some(id)),
            Some((_, id)) => (Level::Group, Some(id)),
        };
        rows.iter().for_each(|(id, name)| self.add(id, name, level, parent));
    }

    fn complete(&mut self, id: &str, now: Moment) {
        self.works.retain(|_, working| working.item.as_deref() != Some(id));
        if let Some(item) = self.items.get_mut(id) {
            if let Some((done, _)) = self.counted.as_mut().filter(|_| item.state != State::Done) {
                *done += 1;
            }
            item.state = State::Done;
            item.took = item.began.map(|began| now.saturating_sub(began));
        }
        self.complete_preparation(now);
    }

    /// The preparation is no item: nobody says when it is done.
    fn complete_preparation(&mut self, now: Moment) {
        let is_ready = |id: &String| self.items.get(id).is_some_and(|item| item.state == State::Done);
        let preparation = self.items.get(PREPARATION);
        if preparation.is_some_and(|group| group.state != State::Done && group.children.iter().all(is_ready))
            && let Some(group) = self.items.get_mut(PREPARATION)
        {
            group.state = State::Done;
            group.took = group.began.map(|began| now.saturating_sub(began));
        }
    }

    /// An item, and all that it belongs to, has begun.
    fn mark_begun(&mut self, id: Option<&str>, now: Moment) {
        let mut next = Some(id.unwrap_or(PREPARATION).to_string());
        while let Some(item) = next.and_then(|id| self.items.get_mut(&id)) {
            item.began.get_or_insert(now);
            next = item.parent.clone();
        }
    }

    /// Done and planned tasks below an item, itself included if it is one.
    pub(crate) fn tasks_below(&self, id: &str) -> (usize, usize) {
        let Some(item) = self.items.get(id) else { return (0, 0) };
        if item.level == Level::Task {
            return (usize::from(item.state == State::Done), 1);
        }
        item.children
            .iter()
            .map(|child| self.tasks_below(child))
            .fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1))
    }

    /// Done and planned tasks of the run.
    pub(crate) fn tasks(&self) -> (usize, usize) {
        if let Some(counted) = self.counted {
            return counted;
        }
        self.roots.iter().map(|id| self.tasks_below(id)).fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1))
    }

    /// Whether all that is to be done is planned at once, and not part by part.
    pub(crate) fn is_planned_whole(&self) -> bool {
        self.counted.is_some()
    }

    /// How far it is, from 0 to 1: each outermost item counts the same, because what is in the later ones is not known
    /// yet.
    pub(crate) fn progress(&self) -> f64 {
        if self.standing == Standing::Done {
            return 1.0;
        }
        if let Some((done, planned)) = self.counted {
            return done as f64 / planned.max(1) as f64;
        }
        let part = |id: &String| match (self.items.get(id).map(|item| item.state), self.tasks_below(id)) {
            (Some(State::Done), _) => 1.0,
            (_, (_, 0)) => 0.0,
            (_, (done, planned)) => done as f64 / (planned + 1) as f64,
        };
        let sum: f64 = self.roots.iter().map(part).sum();
        // Before the phases are there, only the preparation is known of five parts.
        sum / self.roots.len().max(5) as f64
    }
}

/// Who is at work: the agent, or the process that knows.
pub(crate) fn who(attempt: &AttemptView) -> String {
    if attempt.agent.is_empty() { attempt.holder.clone() } else { attempt.agent.clone() }
}

/// What an executor of a roadmap is called, where many processes work at it.
fn executor_name(view: &RunView, attempt: &AttemptView) -> Option<String> {
    let members = view.details.as_ref()?.get("members")?.as_array()?;
    let process = attempt.holder.strip_prefix("process ").filter(|_| attempt.role == "executor")?;
    let member = members.iter().find(|member| member["pid"] == process)?;
    member["name"].as_str().map(String::from)
}

/// A moment as documents spell it.
pub(crate) fn moment_of(text: &str) -> Option<Moment> {
    let time: jiff::Timestamp = text.parse().ok()?;
    u64::try_from(time.as_millisecond()).ok()
}

/// When a run began, as its id says: `run-20261116-071331-001`, or `run-harbour-20261116-071331`.
pub(crate) fn moment_in_id(run: &str) -> Option<Moment> {
    let parts: Vec<&str> = run.strip_prefix("run-")?.split('-').collect();
    let is_plain = |text: &str, length: usize| text.len() == length && text.bytes().all(|byte| byte.is_ascii_digit());
    let pair = parts.windows(2).rev().find(|pair| is_plain(pair[0], 8) && is_plain(pair[1], 6))?;
    let (date, time) = (pair[0], pair[1]);
    let spelled =
        format!("{}-{}-{}T{}:{}:{}Z", &date[..4], &date[4..6], &date[6..], &time[..2], &time[2..4], &time[4..]);
    moment_of(&spelled)
}
