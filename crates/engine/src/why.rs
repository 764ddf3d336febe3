//! Why a run or one of its items is where it is, and what can be done about it: in plain words, with the commands. Reads
//! what the journal and the state say, and changes nothing.

use std::collections::BTreeSet;

use dialect::Protocol;
use machine::{Attempt, Course, Holder, Item, PreludeTask, Role, Run, State, Status, Work};
use serde::Serialize;
use store::Fs;

use crate::clock::clock;
use crate::fault::EngineError;
use crate::notice::{item_of_work, work_in_words};
use crate::service::Service;
use crate::story::Event;
use crate::views::{agent_of, waits};

/// How a cancelled run's failure reads.
const CANCELLED: &str = "cancelled by the user";

/// Why something is where it is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Why {
    /// The run.
    pub run: String,
    /// The item, if it is about one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub item: Option<String>,
    /// `done`, `failed`, `cancelled`, `confirmation`, `question`, `budget`, `work`, `paused`, `running`, `resting`, `blocked`,
    /// `ready` or `stopped`.
    pub state: &'static str,
    /// Where it stands, in a sentence.
    pub what: String,
    /// Since when.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub since: String,
    /// The reasons, a sentence each.
    pub because: Vec<String>,
    /// What was said about it, as it was said.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<String>,
    /// The files it left.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// What can be done: the command, and what it does.
    pub can: Vec<Can>,
}

/// Something that can be done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Can {
    /// The command.
    pub command: String,
    /// What it does.
    pub does: &'static str,
}

impl<F: Fs> Service<F> {
    /// Why a run, or one item of it, is where it is.
    pub fn why(&mut self, run: &str, item: Option<&str>) -> Result<Why, EngineError> {
        let alive = self.engine.store.openings()?;
        self.engine.follow()?;
        if let Some(why) = self.hosted_why(run, item) {
            return why;
        }
        let (told, events) = self.tale(run)?;
        let found = self.engine.run(run).cloned().or(told);
        let Some(found) = found else { return self.only_a_row(run) };
        let files = if item.is_none() { self.outputs(run) } else { Vec::new() };
        let asked = Asked { run: &found, events: &events, alive: &alive, hierarchy: self.engine.hierarchy, files };
        match item {
            None => Ok(asked.of_run()),
            Some(id) => {
                let item = found.item(id).ok_or_else(|| {
                    let hint = format!("`multiverse status {run}` shows its items");
                    EngineError::refused(format!("{run} has no item {id:?}"), hint)
                })?;
                Ok(asked.of_item(item))
            }
        }
    }

    /// Whether a process that lives carries a run on.
    pub fn is_driven(&mut self, run: &str) -> Result<bool, EngineError> {
        let alive = self.engine.store.openings()?;
        self.engine.follow()?;
        if let Some(hosted) = self.engine.state.hosted.get(run) {
            return Ok(hosted.standing().drivers().any(|driver| alive.contains(driver)));
        }
        let driver = self.engine.run(run).and_then(|run| run.driver.as_ref());
        Ok(driver.is_some_and(|driver| alive.contains(driver)))
    }

    fn only_a_row(&self, run: &str) -> Result<Why, EngineError> {
        let view = self.view(run).ok_or_else(|| crate::step::unknown_run(run))?;
        Ok(Why {
            run: run.into(),
            state: "stopped",
            what: format!("it is {} in db/process_runs.md, and the journal knows nothing of it", view.status),
            because: vec!["the project came without its .multiverse/ folder, or another program wrote the row".into()],
            can: vec![can(format!("multiverse resume {run}"), "goes on with what its documents say")],
            ..Why::default()
        })
    }
}

struct Asked<'a> {
    run: &'a Run,
    events: &'a [Event],
    /// The processes that live.
    alive: &'a BTreeSet<String>,
    hierarchy: &'static machine::Hierarchy,
    files: Vec<String>,
}

fn can(command: impl Into<String>, does: &'static str) -> Can {
    Can { command: command.into(), does }
}

impl Asked<'_> {
    fn why(&self, state: &'static str, what: impl Into<String>) -> Why {
        let since = self.events.last().map(|event| event.at.clone()).unwrap_or_default();
        Why { run: self.run.id.clone(), state, what: what.into(), since, ..Why::default() }
    }

    /// When something was last told whose text has this in it.
    fn told_at(&self, is_meant: impl Fn(&Event) -> bool) -> String {
        self.events.iter().rev().find(|event| is_meant(event)).map(|event| event.at.clone()).unwrap_or_default()
    }

    fn of_run(&self) -> Why {
        let (run, id) = (self.run, &self.run.id);
        match run.status {
            Status::Completed => {
                let mut why = self.why("done", "it is done, and cannot be changed again");
                why.because = vec!["every phase of it is completed".into()];
                why.files.clone_from(&self.files);
                why.can = vec![
                    can(format!("multiverse logs {id}"), "shows what happened, step by step"),
                    can(format!("multiverse catalog --run {id}"), "lists the files it made on the way"),
                    can("multiverse run \"…\"", "begins another run that can use it"),
                ];
                why
            }
            Status::Failed => self.failed(None),
            Status::AwaitingConfirmation | Status::Pending => self.open(),
        }
    }

    fn open(&self) -> Why {
        let (run, id) = (self.run, &self.run.id);
        if let Some(why) = self.waiting(|_| true) {
            return why;
        }
        if !run.attempts.is_empty() && self.has_driver() {
            let mut why = self.why("running", "it is under way");
            why.because = run.attempts.values().map(|attempt| self.attempt(attempt)).collect();
            why.can = self.cans_of_running();
            return why;
        }
        if let Some(why) = self.resting(run.rests.values()) {
            return why;
        }
        if self.has_driver() {
            let mut why = self.why("running", "it is under way, between two steps");
            why.because = vec![self.driver()];
            why.can = self.cans_of_running();
            return why;
        }
        let mut why = self.why("stopped", "it is not finished, and nobody carries it on");
        why.because = vec![self.driver(), "nothing is lost: what was recorded is not done again".into()];
        why.can = vec![
            can(format!("multiverse resume {id}"), "goes on where it stopped"),
            can(format!("multiverse cancel {id}"), "ends it for good"),
        ];
        why
    }

    /// What is put off until a time.
    fn resting<'r>(&self, mut rests: impl Iterator<Item = &'r machine::Rest>) -> Option<Why> {
        let rest = rests.next()?;
        let id = &self.run.id;
        let until = clock(&rest.until);
        let mut why = match self.has_driver() {
            true => self.why("resting", format!("it is resting until {until}, and goes on by itself")),
            false => self.why("stopped", format!("nobody carries it on, and it cannot go on before {until}")),
        };
        why.since.clone_from(&rest.since);
        let what = work_in_words(self.hierarchy, self.run, &rest.work);
        why.because = vec![format!("{what}: {}", rest.reason), self.driver()];
        why.can = match self.has_driver() {
            true => self.cans_of_running(),
            false => vec![can(format!("multiverse resume {id}"), "waits until then, and goes on")],
        };
        let at_once = format!("multiverse pause {id} && multiverse resume {id}");
        why.can.push(can(at_once, "does not wait: it tries again at once"));
        Some(why)
    }

    fn cans_of_running(&self) -> Vec<Can> {
        let id = &self.run.id;
        vec![
            can(format!("multiverse watch {id}"), "shows how it goes"),
            can(format!("multiverse pause {id}"), "lets those at work finish, and hands out no more"),
            can(format!("multiverse cancel {id}"), "ends it for good"),
        ]
    }

    /// What the run waits for from a person, if it is of a kind that is asked about.
    fn waiting(&self, is_meant: impl Fn(Option<u64>) -> bool) -> Option<Why> {
        let (run, id) = (self.run, &self.run.id);
        let waits = waits(self.hierarchy, run);
        let protocol = Protocol::named(&run.protocol).unwrap_or(&dialect::multiverse::PROTOCOL);
        let meant = waits.iter().filter(|waiting| is_meant(waiting.fence));
        // A pause stops everything, whatever else is waited for.
        let first = meant.max_by_key(|waiting| waiting.kind == "paused")?;
        let mut why = match first.kind {
            "confirmation" => {
                let mut why = self.why("confirmation", "it waits for your answer to its proposal");
                why.because = vec![
                    format!("the proposal is in {}", protocol.feedback(id)),
                    "nothing is carried out before it is confirmed".into(),
                ];
                why.can = vec![
                    can(format!("multiverse inbox {id}"), "shows the proposal"),
                    can(format!("multiverse confirm {id}"), "yes: it goes on"),
                    can(format!("multiverse modify {id} \"…\""), "otherwise, in your words: another draft follows"),
                    can(format!("multiverse answer {id} new-request \"…\""), "something else: another draft follows"),
                    can(format!("multiverse cancel {id}"), "no: it ends for good"),
                ];
                why
            }
            "question" => {
                let mut why = self.why("question", "an agent asks you something, and what it does rests until then");
                why.can = vec![can(first.commands.first().cloned().unwrap_or_default(), "answers; the agent goes on")];
                why.evidence = first.text.lines().map(String::from).collect();
                why
            }
            "budget" => {
                let mut why = self.why("budget", "its budget is used up, and no more work is handed out");
                why.because = vec![first.text.clone()];
                why.can = vec![
                    can(first.commands.first().cloned().unwrap_or_default(), "raises it; the run goes on"),
                    can(format!("multiverse cancel {id}"), "ends it for good"),
                ];
                why
            }
            "work" => {
                let mut why = self.why("work", "it waits for work that is yours");
                why.because = vec![first.text.clone()];
                why.can = vec![can(format!("multiverse inbox {id}"), "shows what is asked for")];
                why.can.extend(first.commands.iter().map(|command| can(command.clone(), "hands it in")));
                why
            }
            _ => {
                let mut why = self.why("paused", "it is paused: no more work is handed out");
                why.because = vec![first.text.clone()];
                why.can = vec![
                    can(format!("multiverse resume {id}"), "goes on, when the reason is gone"),
                    can(format!("multiverse cancel {id}"), "ends it for good"),
                ];
                why
            }
        };
        let since = match why.state {
            "confirmation" => self.told_at(|event| event.text.starts_with("proposal: waits")),
            "paused" => self.told_at(|event| event.text.starts_with("paused: ")),
            _ => self.told_at(|event| event.fence.is_some() && event.fence == first.fence),
        };
        why.since = since;
        Some(why)
    }

    /// How the run failed; asked about an item, how that did.
    fn failed(&self, item: Option<&Item>) -> Why {
        let (run, id) = (self.run, &self.run.id);
        let Some(failure) = &run.failure else { return self.why("failed", "it failed") };
        let is_cancelled = failure.error == CANCELLED;
        let mut why = match (is_cancelled, item) {
            (true, _) => self.why("cancelled", "it was cancelled, and is over for good"),
            (false, None) => self.why("failed", "it failed, and is over for good"),
            (false, Some(_)) => self.why("failed", "it failed, and the run with it"),
        };
        why.since = self.told_at(|event| event.text.starts_with("failed"));
        let innermost = failure.items.first().map(String::as_str).unwrap_or_default();
        if !is_cancelled {
            why.because.push(match failure.doing.as_str() {
                "" => "it failed before anything was planned".into(),
                doing => format!("what failed is {doing}"),
            });
            why.because.push(format!("the report of it is {}", Protocol::failure_report(id)));
            why.evidence = failure.error.lines().map(String::from).collect();
            if !innermost.is_empty() {
                why.can
                    .push(can(format!("multiverse logs {id} {innermost}"), "shows what its agent was given and said"));
            }
        }
        if let Some(said) = self.events.iter().rev().find_map(|event| event.said.as_ref()) {
            why.evidence.extend(said.lines().map(|line| format!("it said: {line}")));
        }
        why.can.push(can(format!("multiverse retry {id}"), "goes on from there in a new run; what is done stays done"));
        why
    }

    fn of_item(&self, item: &Item) -> Why {
        let mut why = match item.state {
            State::Completed => self.item_done(item),
            State::Failed => self.failed(Some(item)),
            State::Pending => self.item_pending(item),
        };
        why.item = Some(item.id.clone());
        why
    }

    fn item_done(&self, item: &Item) -> Why {
        let mut why = self.why("done", "it is done");
        let done = format!("{} {}: done", item.id, item.name);
        why.since = self.told_at(|event| event.text.trim() == done || event.text == format!("{}: done", item.id));
        let about = self.events.iter().filter(|event| event.item.as_deref() == Some(item.id.as_str()));
        let attempts = about.filter(|event| event.text.contains(": attempt ")).count();
        let is_group = item.level < self.hierarchy.task_level();
        let is_own = self.hierarchy.prelude.iter().any(|task| match task {
            PreludeTask::SetUp(id) | PreludeTask::Constitute(id) | PreludeTask::Catalog(id) => *id == item.id,
            PreludeTask::Analyse(..) => false,
        });
        why.because = match (is_group, if is_own { 0 } else { attempts }) {
            (true, _) => vec!["all that belongs to it is done".into()],
            (false, 0) => vec!["the program itself did it".into()],
            (false, 1) => vec!["its report was accepted at the first attempt".into()],
            (false, attempts) => vec![format!("its report was accepted at attempt {attempts}")],
        };
        why.files.extend(Some(item.output.clone()).filter(|output| !output.is_empty()));
        why.can = vec![can(format!("multiverse logs {} {}", self.run.id, item.id), "shows what was given and said")];
        why
    }

    fn item_pending(&self, item: &Item) -> Why {
        let run = self.run;
        if run.status == Status::Failed {
            let mut why = self.failed(None);
            why.what = "it was not begun, or not finished, when the run ended".into();
            return why;
        }
        let is_about = |work: &Work| item_of_work(work) == Some(item.id.as_str());
        let of_fence = |fence: Option<u64>| {
            let question = fence.and_then(|fence| run.questions.get(&fence)).map(|question| &question.work);
            let attempt = fence.and_then(|fence| run.attempts.get(&fence));
            let person = attempt.filter(|attempt| attempt.holder == Holder::Person).map(|attempt| &attempt.work);
            question.or(person).is_some_and(is_about)
        };
        if let Some(why) = self.waiting(of_fence) {
            return why;
        }
        let attempts: Vec<&Attempt> = run.attempts.values().filter(|attempt| is_about(&attempt.work)).collect();
        if let Some(attempt) = attempts.first().filter(|_| self.has_driver()) {
            let mut why = self.why("running", "somebody is at work on it");
            why.since.clone_from(&attempt.since);
            why.because = attempts.iter().map(|attempt| self.attempt(attempt)).collect();
            why.evidence = attempts.iter().flat_map(|attempt| &attempt.problems).cloned().collect();
            why.can = self.cans_of_running();
            return why;
        }
        if let Some(why) = self.resting(run.rests.values().filter(|rest| is_about(&rest.work))) {
            return why;
        }
        let blocked = self.blocked_by(item);
        if !blocked.is_empty() {
            let mut why = self.why("blocked", "it waits for something else of this run");
            let run_level = self.open();
            why.because = blocked;
            if run_level.state != "running" {
                why.because.push(format!("and of the run: {}", run_level.what));
            }
            why.can = run_level.can;
            return why;
        }
        let begun = run.children(&item.id);
        if !begun.is_empty() && self.has_driver() {
            let done = begun.iter().filter(|child| child.state == State::Completed).count();
            let mut why = self.why("running", "it is under way");
            why.because = vec![format!("{done} of the {} that belong to it are done", begun.len())];
            why.can = self.cans_of_running();
            return why;
        }
        let mut why = self.open();
        if why.state == "running" {
            why.state = "ready";
            why.what = "it can begin, and gets its turn when an agent is free".into();
            why.because = vec!["`jobs` in multiverse.toml, or --jobs, says how many work at the same time".into()];
        } else {
            why.what = format!("it could go on, but of the run: {}", why.what);
        }
        why
    }

    /// What must be done before an item can begin, a sentence each.
    fn blocked_by(&self, item: &Item) -> Vec<String> {
        let run = self.run;
        let mut reasons = Vec::new();
        let named = |item: &Item| format!("{} {}", item.id, item.name).trim_end().to_string();
        let is_prelude = |item: &Item| item.parent.as_deref() == Some(self.hierarchy.prelude_parent);
        let mut above = Some(item);
        while let Some(one) = above {
            let siblings = run.children(one.parent.as_deref().unwrap_or_default());
            // Tasks of a stage begin together; everything else comes one after the other.
            let is_in_order = one.level != self.hierarchy.task_level() || is_prelude(one);
            let before = siblings.into_iter().filter(|other| other.id != one.id && other.state == State::Pending);
            let mut before = before.filter(|other| (other.order, &other.id) < (one.order, &one.id));
            if let Some(other) = before.next().filter(|_| is_in_order) {
                reasons.push(format!("{} comes first, and is not done", named(other)));
            }
            above = one.parent.as_deref().and_then(|parent| run.item(parent));
        }
        if !is_prelude(item)
            && let Some(first) = run.items.iter().find(|other| is_prelude(other) && other.state == State::Pending)
        {
            reasons.push(format!("the preparation comes first, and {} is not done", named(first)));
        }
        for other in run.items.iter().filter(|other| other.state == State::Pending && other.id != item.id) {
            if !other.output.is_empty() && item.inputs.contains(&other.output) {
                reasons.push(format!("it needs {}, which {} makes", other.output, named(other)));
            }
        }
        reasons
    }

    fn has_driver(&self) -> bool {
        self.run.driver.as_ref().is_some_and(|driver| self.alive.contains(driver))
    }

    fn driver(&self) -> String {
        let number = |name: &str| name.split('.').next().unwrap_or_default().to_string();
        match &self.run.driver {
            Some(name) if self.alive.contains(name) => format!("process {} carries it on", number(name)),
            Some(name) => format!("process {} carried it on, and is gone", number(name)),
            None if self.run.course == Course::Planning => "it was begun, and nobody took it up".into(),
            None => "the process that carried it on let go of it".into(),
        }
    }

    fn attempt(&self, attempt: &Attempt) -> String {
        let role = match attempt.work.role() {
            Role::Planner => "the planner",
            Role::Executor => "the executor",
            Role::Communicator => "the communicator",
        };
        let who = match (&attempt.work, &attempt.holder) {
            (Work::SetUp(_) | Work::Catalog(_), _) => "the program itself".to_string(),
            (_, Holder::Person) => "a person".into(),
            (_, Holder::Process(name)) => {
                let agent = agent_of(self.run, attempt);
                let process = name.split('.').next().unwrap_or_default();
                let agent = if agent.is_empty() { agent } else { format!("{agent}, ") };
                format!("{role} ({agent}process {process})")
            }
        };
        let what = work_in_words(self.hierarchy, self.run, &attempt.work);
        let again = if attempt.number > 1 { format!(", attempt {}", attempt.number) } else { String::new() };
        format!("{who} is at {what} since {}{again}", attempt.since)
    }
}
