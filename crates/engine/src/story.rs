//! What happened in a run, from the journal: every fact in words, with what agents were given and said. Also a run that
//! is over, as it was at its end, and what it left. Nothing here can change anything.

use std::path::Path;

use machine::{Attempt, Fact, Hierarchy, Holder, Role, Run, Target, Work};
use serde::Serialize;
use store::Fs;

use crate::body::{Body, Given};
use crate::fault::EngineError;
use crate::notice::{item_of_work, verdict_word, work_in_words};
use crate::service::Service;
use crate::step::Order;
use crate::views::{PastView, RunView, used_in_words};

/// The most files that are listed below `outputs/{run}/`.
const OUTPUTS: usize = 10_000;

/// What happened in a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Story {
    /// The run as it is now, or was at its end; nothing if it left no facts.
    pub view: Option<RunView>,
    /// What happened, oldest first.
    pub events: Vec<Event>,
}

/// One thing that happened.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Event {
    /// The record that says so.
    pub record: u64,
    /// When.
    pub at: String,
    /// It in words.
    pub text: String,
    /// The item it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub item: Option<String>,
    /// The attempt it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fence: Option<u64>,
    /// More of it, a line each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub more: Vec<String>,
    /// Files that an agent was given, and why.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub given: Vec<Given>,
    /// What the agent of a refused report said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub said: Option<String>,
}

impl<F: Fs> Service<F> {
    /// What happened in a run.
    pub fn story(&self, run: &str) -> Result<Story, EngineError> {
        if let Some(story) = self.hosted_story(run)? {
            return Ok(story);
        }
        let (state, events) = self.tale(run)?;
        Ok(Story { view: state.map(|state| self.view_of(&state)), events })
    }

    /// A run as the journal makes it, and what happened.
    pub(crate) fn tale(&self, run: &str) -> Result<(Option<Run>, Vec<Event>), EngineError> {
        let hierarchy = self.engine.hierarchy;
        let empty = crate::engine::named_run(run, hierarchy);
        let mut state: Option<Run> = None;
        let mut events = Vec::new();
        store::records(self.engine.store.fs(), |record| {
            let Some(mut body) = record.body.as_deref().and_then(Body::of).filter(|body| body.run == run) else {
                return;
            };
            for fact in &body.facts {
                let mut event = Event { record: record.number, at: record.at.clone(), ..Event::default() };
                tell(hierarchy, state.as_ref().unwrap_or(&empty), fact, &mut event);
                if let Fact::Assigned(attempt) = fact {
                    event.given = body.given.remove(&attempt.fence).unwrap_or_default();
                }
                if matches!(fact, Fact::SentBack { .. } | Fact::Failed(_)) {
                    event.said = body.said.take();
                }
                events.push(event);
                machine::apply(hierarchy, &mut state, run, fact);
            }
        })?;
        Ok((state, events))
    }

    /// What people said to a run, in order, to be said again to another.
    pub fn said_to(&self, run: &str) -> Result<Vec<machine::Input>, EngineError> {
        let mut said = Vec::new();
        let mut before = machine::Budget::default();
        store::records(self.engine.store.fs(), |record| {
            let body = record.body.as_deref().and_then(Body::of).filter(|body| body.run == run);
            said.extend(body.into_iter().flat_map(|body| body.facts).filter_map(|fact| match fact {
                Fact::Answered { verdict, by, .. } => Some(machine::Input::Answer { verdict, by }),
                Fact::Told { answer, by, .. } => Some(machine::Input::Tell { fence: None, answer, by }),
                Fact::Budgeted { budget, by } => {
                    let answer = raised(&std::mem::replace(&mut before, budget), &budget);
                    answer.zip(by).map(|(answer, by)| machine::Input::Tell { fence: None, answer, by })
                }
                _ => None,
            }));
        })?;
        Ok(said)
    }

    /// What a run might use when it began, before people raised it.
    pub fn budget_of(&self, run: &str) -> Result<machine::Budget, EngineError> {
        let mut found = None;
        store::records(self.engine.store.fs(), |record| {
            if found.is_some() {
                return;
            }
            let body = record.body.as_deref().and_then(Body::of).filter(|body| body.run == run);
            found = body.into_iter().flat_map(|body| body.facts).find_map(|fact| match fact {
                Fact::Budgeted { budget, by: None } => Some(budget),
                _ => None,
            });
        })?;
        Ok(found.unwrap_or_default())
    }

    /// The files that a run left in its `outputs/` folder, by name.
    pub fn outputs(&self, run: &str) -> Vec<String> {
        let protocol = self.engine.protocol();
        if protocol.has_catalogs() {
            let catalog = self.engine.content_of(&protocol.catalog_path(run));
            let rows = catalog.map(|text| protocol.catalog(&text)).unwrap_or_default().into_iter();
            let paths = rows.filter(|row| !row.source_task_id.is_empty()).map(|row| row.file_path);
            return paths.filter(|path| path.starts_with("outputs/")).take(OUTPUTS).collect();
        }
        let root = &self.engine.settings.project;
        let mut found = Vec::new();
        let mut folders = vec![root.join("outputs").join(run)];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
                let Ok(kind) = entry.file_type() else { continue };
                if kind.is_dir() {
                    folders.push(entry.path());
                } else if found.len() < OUTPUTS {
                    found.extend(name_of(root, &entry.path()));
                }
            }
        }
        found.sort();
        found
    }

    /// Where a run's results are: a folder of its own, or the files it left among those of others.
    pub(crate) fn output_location(&self, run: &str) -> String {
        if !self.engine.protocol().has_catalogs() {
            return format!("outputs/{run}/");
        }
        let files = self.outputs(run);
        if files.is_empty() { "outputs/".into() } else { files.join("\n  ") }
    }

    /// Takes in what other processes did; runs of this one go on with it in the next [`Service::drive`]. Gives whether
    /// there was anything.
    pub fn refresh(&mut self) -> Result<bool, EngineError> {
        self.engine.store.catch_up()?;
        self.engine.follow()?;
        if !self.engine.has_heard() {
            return Ok(false);
        }
        let me = self.engine.me().to_string();
        let mine = self.engine.runs().filter(|run| run.driver.as_deref() == Some(me.as_str()));
        let wake = |run: &Run| Order::to(&run.id, machine::Input::Wake);
        let orders: Vec<Order> = mine.map(wake).collect();
        self.queue.extend(orders);
        Ok(true)
    }
}

fn name_of(root: &Path, path: &Path) -> Option<String> {
    Some(path.strip_prefix(root).ok()?.to_string_lossy().into_owned())
}

/// Says a fact in words, of a run as it was just before.
fn tell(hierarchy: &Hierarchy, run: &Run, fact: &Fact, event: &mut Event) {
    let work_of = |fence: u64| run.attempts.get(&fence).map(|attempt| &attempt.work);
    event.fence = fence_of(fact);
    let work = event.fence.and_then(work_of);
    event.item = item_of(fact).or_else(|| work.and_then(item_of_work)).map(String::from);
    let what = work.map_or_else(String::new, |work| work_in_words(hierarchy, run, work));
    let named = |id: &str| match run.item(id) {
        Some(item) if !item.name.is_empty() => format!("{id} {}", item.name),
        _ => id.to_string(),
    };
    event.text = match fact {
        Fact::Started { mode, request, retry_of, .. } => {
            event.more = lines(request);
            let from = retry_of.as_ref().map_or_else(String::new, |old| format!(", taking over from {old}"));
            format!("began as {}{from}", mode_word(*mode))
        }
        Fact::TakenOver { from, items, .. } => format!("took over {} items from {from}", items.len()),
        Fact::Learned { past } => learned(past, event),
        Fact::Driven { by: Some(by), cast } => {
            event
                .more
                .extend(cast.names.iter().map(|(role, name)| format!("{}: {name}", crate::brief::role_word(*role))));
            format!("driven by process {}", process(by))
        }
        Fact::Driven { by: None, .. } => "driven by nobody".into(),
        Fact::Assigned(attempt) => assigned(hierarchy, run, attempt, event),
        Fact::SentBack { problems, .. } => {
            event.more.clone_from(problems);
            format!("{what}: report sent back")
        }
        Fact::Lost { reason, .. } => format!("{what}: lost, {reason}"),
        Fact::Rested { rest, .. } => {
            event.more = lines(&rest.reason);
            format!("{what}: rests until {}", rest.until)
        }
        Fact::Budgeted { budget, by } => budgeted(budget, by.as_deref()),
        Fact::Spent { used, .. } => format!("{what}: used {}", used_in_words(used, None)),
        Fact::Exhausted { measure } => {
            let bound = measure.in_words(run.budget.of(*measure).unwrap_or_default());
            format!("budget of {bound} used up: {} used", measure.in_words(run.used.of(*measure)))
        }
        Fact::Woke { fence } => woke(hierarchy, run, *fence, event),
        Fact::Planned { target, rows, .. } => planned(hierarchy, run, target, rows, event),
        Fact::Constituted { ids, .. } => {
            event.more.clone_from(ids);
            "instructions in force".into()
        }
        Fact::Catalogued { files, gone, .. } => {
            event.more = files.iter().map(|file| file.path.clone()).collect();
            event.more.extend(gone.iter().map(|path| format!("{path} (gone)")));
            "inputs catalogued".into()
        }
        Fact::Worked { item, files, .. } => {
            event.more = files.iter().map(|file| format!("{}: {}", file.path, file.summary)).collect();
            format!("{}: worked", named(item))
        }
        Fact::Completed { item, .. } => format!("{}: done", named(item)),
        Fact::Paused { reason } => format!("paused: {reason}"),
        Fact::Resumed => "goes on".into(),
        Fact::Finished => "done".into(),
        Fact::Edited { item } => format!("{} edited by hand", named(&item.id)),
        Fact::Removed { item } => format!("{} taken out by hand", named(item)),
        Fact::Proposed { .. } | Fact::Answered { .. } | Fact::Asked { .. } | Fact::Told { .. } | Fact::Failed(_) => {
            spoken(fact, &what, event)
        }
    };
}

fn woke(hierarchy: &Hierarchy, run: &Run, fence: u64, event: &mut Event) -> String {
    let rest = run.rests.get(&fence);
    event.item = rest.and_then(|rest| item_of_work(&rest.work)).map(String::from);
    let what = rest.map_or_else(String::new, |rest| work_in_words(hierarchy, run, &rest.work));
    format!("{what}: its rest is over")
}

/// What people and agents said to each other, and the last word.
fn spoken(fact: &Fact, what: &str, event: &mut Event) -> String {
    match fact {
        Fact::Proposed { proposal, .. } => {
            event.more.clone_from(&proposal.instructions);
            "proposal: waits for an answer".into()
        }
        Fact::Answered { verdict, by, .. } => {
            if let machine::Verdict::Modify(words) | machine::Verdict::NewRequest(words) = verdict {
                event.more = lines(words);
            }
            format!("answered {} ({by})", verdict_word(verdict))
        }
        Fact::Asked { question, .. } => {
            event.more = lines(&question.text);
            format!("{what}: asks")
        }
        Fact::Told { answer, by, fence } => {
            event.more = lines(answer);
            format!("question {fence} answered ({by})")
        }
        Fact::Failed(failure) => {
            event.more = lines(&failure.error);
            match failure.doing.as_str() {
                "" => "failed".into(),
                doing => format!("failed at {doing}"),
            }
        }
        _ => String::new(),
    }
}

fn budgeted(budget: &machine::Budget, by: Option<&str>) -> String {
    let parts = machine::Measure::ALL.into_iter().filter_map(|measure| Some(measure.in_words(budget.of(measure)?)));
    let by = by.map_or_else(String::new, |by| format!(" ({by})"));
    format!("budget: {}{by}", parts.collect::<Vec<_>>().join(", "))
}

/// What somebody said who raised a budget. Time is left out: it does not pass in the same way again.
fn raised(before: &machine::Budget, after: &machine::Budget) -> Option<String> {
    let measures = [machine::Measure::Tokens, machine::Measure::Money].into_iter();
    let mut others = measures.filter(|measure| before.of(*measure) != after.of(*measure));
    others.find_map(|measure| Some(measure.in_words(after.of(measure)?)))
}

fn learned(past: &[machine::PastRun], event: &mut Event) -> String {
    event.more = past.iter().map(|past| PastView::of(past).in_words()).collect();
    match past.len() {
        0 => "no past run is like it".into(),
        1 => "learns from 1 past run".into(),
        many => format!("learns from {many} past runs"),
    }
}

fn lines(text: &str) -> Vec<String> {
    text.lines().map(String::from).collect()
}

fn planned(hierarchy: &Hierarchy, run: &Run, target: &Target, rows: &[machine::Planned], event: &mut Event) -> String {
    let row = |row: &machine::Planned| format!("{} {}", row.id.as_deref().unwrap_or_default(), row.name);
    event.more = rows.iter().map(row).collect();
    match target {
        Target::Children(id) if id.is_empty() => "phases: as the template has them".into(),
        target => format!("{}: accepted", work_in_words(hierarchy, run, &Work::Plan(target.clone()))),
    }
}

fn assigned(hierarchy: &Hierarchy, run: &Run, attempt: &Attempt, event: &mut Event) -> String {
    event.item = item_of_work(&attempt.work).map(String::from);
    let role = match attempt.work.role() {
        Role::Planner => "planner",
        Role::Executor => "executor",
        Role::Communicator => "communicator",
    };
    let holder = match &attempt.holder {
        Holder::Process(name) => format!("process {}", process(name)),
        Holder::Person => "a person".into(),
    };
    event.more.extend(attempt.problems.iter().map(|problem| format!("to mend: {problem}")));
    event.more.extend(attempt.answers.iter().map(|(question, answer)| format!("{question} → {answer}")));
    let what = work_in_words(hierarchy, run, &attempt.work);
    format!("{what}: attempt {} begins ({role}, {holder})", attempt.number)
}

fn fence_of(fact: &Fact) -> Option<u64> {
    match fact {
        Fact::Assigned(attempt) => Some(attempt.fence),
        Fact::SentBack { fence, .. }
        | Fact::Lost { fence, .. }
        | Fact::Rested { fence, .. }
        | Fact::Spent { fence, .. }
        | Fact::Woke { fence }
        | Fact::Planned { fence, .. }
        | Fact::Proposed { fence, .. }
        | Fact::Catalogued { fence, .. }
        | Fact::Worked { fence, .. }
        | Fact::Asked { fence, .. }
        | Fact::Told { fence, .. } => Some(*fence).filter(|fence| *fence > 0),
        _ => None,
    }
}

fn item_of(fact: &Fact) -> Option<&str> {
    match fact {
        Fact::Worked { item, .. }
        | Fact::Completed { item, .. }
        | Fact::Constituted { item, .. }
        | Fact::Removed { item } => Some(item),
        Fact::Edited { item } => Some(&item.id),
        Fact::Planned { target: Target::Children(id) | Target::Tools(id, _), .. } => Some(id),
        Fact::Failed(failure) => failure.items.first().map(String::as_str),
        _ => None,
    }
}

/// The number of a process in the name of its opening.
fn process(name: &str) -> &str {
    name.split('.').next().unwrap_or_default()
}

fn mode_word(mode: machine::Mode) -> &'static str {
    match mode {
        machine::Mode::SimpleTask => "SIMPLE_TASK",
        machine::Mode::InitialRun => "INITIAL_RUN",
        machine::Mode::ContinuousRun => "CONTINUOUS_RUN",
    }
}
