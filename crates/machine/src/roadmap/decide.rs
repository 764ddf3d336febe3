//! What follows from an input: its own facts, and then, for an opening that takes work, whatever it can take. It looks and
//! changes nothing: the session it works on is a version of its own, which shares all but what changes.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::apply::{apply, cut, take};
use super::fact::{Ended, Entry, Fact};
use super::input::{Beginning, Decision, Effect, Input, Outcome, Reading, Told, World};
use super::item::{Item, Spot};
use super::limits::Limits;
use super::moves::{Move, moved};
use super::state::{Attempt, Question, Session};
use super::words::{Over, Part, Status, Verdict, Work};
use crate::input::Refusal;
use crate::run::Holder;

/// What follows from an input to a session. For an opening that takes no work these are the input's own facts.
pub fn decide(
    session: Option<&Session>,
    run_id: &str,
    input: &Input,
    world: &World<'_>,
    limits: &Limits,
) -> Result<Decision, Refusal> {
    let Some(session) = session else {
        return Err(Refusal::new(format!("there is no session {run_id}"), "`status` lists what there is"));
    };
    let mut step = Step::new(session.clone(), world, limits);
    step.take_in(input)?;
    step.advance();
    Ok(step.into_decision())
}

/// What follows from a task that is run and has no open session: one begins with the log as it is, and this opening takes
/// work from it. One whose work is done is over at once.
pub fn start(run_id: &str, beginning: &Beginning, world: &World<'_>, limits: &Limits) -> Result<Decision, Refusal> {
    if beginning.quota == 0 {
        let reason = format!("task {} has a quota of 0 steps, with which nobody can work", beginning.name);
        return Err(Refusal::new(reason, "set a quota of at least 1, or none for the usual one"));
    }
    let name = valid_name(&beginning.executor)?;
    if beginning.log.items.len() > limits.items {
        let (count, most) = (beginning.log.items.len(), limits.items);
        let reason = format!("{} has {count} items, more than {most}", beginning.log_file);
        return Err(Refusal::new(reason, "move what is done into another file"));
    }
    let key = beginning.period.map(|period| period.key_of(world.now)).unwrap_or_default();
    let started = Fact::Started {
        name: beginning.name.clone(),
        task_file: beginning.task_file.clone(),
        log_file: beginning.log_file.clone(),
        dirs: beginning.dirs.clone(),
        ground: beginning.ground,
        quota: beginning.quota,
        period: beginning.period,
        period_key: key.clone(),
        goal: beginning.task.goal.clone(),
        planned: beginning.planned.clone(),
        log_number: beginning.log.log_number,
        at: world.now.into(),
        definition: beginning.definition.clone(),
    };
    let mut session = None;
    apply(&mut session, run_id, &started);
    let Some(session) = session else {
        return Err(Refusal::new(format!("session {run_id} cannot begin"), "try it again"));
    };
    let mut step = Step::new(session, world, limits);
    step.facts.push(started);
    step.read_first(&beginning.log);
    let is_older = !beginning.period_key.is_empty() && beginning.period_key != key;
    let is_unknown = beginning.period_key.is_empty() && step.session.pool.counts().is_complete();
    if beginning.period.is_some() && !step.session.pool.is_empty() && (is_older || is_unknown) {
        step.fact(Fact::Renewed { period: key });
    }
    step.ask_on(beginning);
    step.read_task(&beginning.task);
    step.join(name);
    step.advance();
    Ok(step.into_decision())
}

/// A decision in the making.
#[derive(Debug)]
pub(super) struct Step<'a> {
    pub(super) session: Session,
    pub(super) world: &'a World<'a>,
    pub(super) limits: &'a Limits,
    pub(super) facts: Vec<Fact>,
    pub(super) effects: Vec<Effect>,
    /// How many more attempts this opening may have.
    pub(super) free: usize,
    /// The attempt whose report the input is: its hand is counted as free already.
    reported: Option<u64>,
    /// The number of the newest entry of the work log before the input came.
    pub(super) log_before: u64,
}

impl<'a> Step<'a> {
    fn new(session: Session, world: &'a World<'a>, limits: &'a Limits) -> Self {
        let log_before = session.log_number;
        Self {
            session,
            world,
            limits,
            facts: Vec::new(),
            effects: Vec::new(),
            free: world.free,
            reported: None,
            log_before,
        }
    }

    fn into_decision(self) -> Decision {
        Decision { session: self.session, facts: self.facts, effects: self.effects }
    }

    /// Makes something true, and sees the session with it from here on.
    pub(super) fn fact(&mut self, fact: Fact) {
        if let Some(attempt) = fact.ended().and_then(|fence| self.session.attempts.get(&fence))
            && self.reported != Some(attempt.fence)
            && attempt.work.part().is_some()
            && matches!(&attempt.holder, Holder::Process(opening) if opening == self.world.me)
        {
            self.free = self.free.saturating_add(1);
        }
        take(&mut self.session, &fact);
        self.facts.push(fact);
    }

    pub(super) fn effect(&mut self, effect: Effect) {
        self.effects.push(effect);
    }

    pub(super) fn tell(&mut self, problem: String) {
        self.effect(Effect::Tell(Told::Problem(problem)));
    }

    pub(super) fn end(&mut self, fence: u64, how: Ended) {
        self.fact(Fact::Ended { fence, how });
    }

    /// One arrow of the diagram; what is none does not happen.
    pub(super) fn move_item(&mut self, item: &str, by: Move) {
        let Some(from) = self.session.pool.item(item).map(|item| item.status) else { return };
        if let Some(to) = moved(from, by) {
            self.fact(Fact::Moved { item: item.into(), from, to });
        }
    }

    /// Ends an attempt without a result: what it had can be taken by others.
    pub(super) fn release(&mut self, attempt: &Attempt, how: Ended) {
        self.end(attempt.fence, how);
        if let Work::Do(item) = &attempt.work {
            self.move_item(item, Move::Release);
        }
    }

    /// Takes what an attempt has from it, whoever it is.
    pub(super) fn take_over(&mut self, attempt: &Attempt, reason: &str) {
        self.release(attempt, Ended::TakenOver(reason.into()));
        self.effect(Effect::Stop(attempt.fence));
    }

    /// The attempt that has an item.
    pub(super) fn holder_of(&self, item: &str) -> Option<Attempt> {
        let fence = self.session.pool.item(item)?.holder?;
        self.session.attempts.get(&fence).cloned()
    }

    /// An entry of the work log, about the work of an attempt.
    pub(super) fn log(&mut self, by: (&str, &str, Part), about: About<'_>, result: Verdict, summary: &str) {
        let (executor_name, at, role) = by;
        let (item, objective, is_blocker) = match about {
            About::Item(item) => (Some(item.key.clone()), item.objective(), false),
            About::Blocked(item) => (Some(item.key.clone()), item.objective(), true),
            About::Plan(objective) => (None, objective, false),
        };
        let summary = cut(summary.trim(), self.limits.summary_bytes);
        let entry = Entry {
            number: self.session.log_number.saturating_add(1),
            item,
            executor_name: executor_name.into(),
            at: at.into(),
            role,
            objective,
            result,
            is_blocker,
            summary: if summary.is_empty() { "nothing was said".into() } else { summary.into() },
        };
        self.fact(Fact::Logged(entry));
    }

    pub(super) fn hold(&mut self, reason: String) {
        if self.session.paused.is_none() {
            self.fact(Fact::Paused { reason });
            self.effect(Effect::Tell(Told::Paused));
        }
    }

    pub(super) fn finish(&mut self, how: Over, reason: String) {
        self.fact(Fact::Over { how, reason, at: self.world.now.into() });
        self.effect(Effect::Tell(Told::Over));
    }

    /// The table of inputs: the facts of the input itself.
    fn take_in(&mut self, input: &Input) -> Result<(), Refusal> {
        match (self.session.over, input) {
            (Some(_), Input::Wake | Input::Leave) => Ok(()),
            (_, Input::Report { fence, outcome }) => self.report(*fence, outcome),
            (
                Some(_),
                Input::Join { .. }
                | Input::Edited { .. }
                | Input::TaskEdited(_)
                | Input::Add { .. }
                | Input::Move { .. }
                | Input::CancelItem { .. }
                | Input::Answer { .. }
                | Input::ExitAsked { .. }
                | Input::Pause { .. }
                | Input::Resume
                | Input::Cancel { .. },
            ) => Err(not_now(&self.session, "is over")),
            (None, Input::Wake) => Ok(()),
            (None, Input::Join { name }) => {
                let name = valid_name(name)?;
                self.join(name);
                Ok(())
            }
            (None, Input::Leave) => self.leave(),
            (None, Input::Edited { reading, by }) => self.edited(reading, by),
            (None, Input::TaskEdited(task)) => {
                self.read_task(task);
                Ok(())
            }
            (None, Input::Add { item, by }) => self.add_by(item, by),
            (None, Input::Move { item, after, group, by: _ }) => self.move_by(item, after.as_deref(), group.as_deref()),
            (None, Input::CancelItem { item, reason, by }) => self.cancel_by(item, reason, by),
            (None, Input::Answer { question, answer, by }) => self.answer(question.as_deref(), answer, by),
            (None, Input::ExitAsked { fence, reason }) => self.exit(*fence, reason),
            (None, Input::Pause { reason }) => match &self.session.paused {
                Some(_) => Err(not_now(&self.session, "is paused already")),
                None => {
                    self.fact(Fact::Paused { reason: reason.clone() });
                    Ok(())
                }
            },
            (None, Input::Resume) => match &self.session.paused {
                Some(_) => {
                    self.fact(Fact::Resumed);
                    Ok(())
                }
                None => Err(not_now(&self.session, "is not paused")),
            },
            (None, Input::Cancel { by }) => {
                self.cancel(by);
                Ok(())
            }
        }
    }

    /// A report counts if its fence does. One that was taken over is recorded, once, and changes nothing; its files are a
    /// person's to look at.
    fn report(&mut self, fence: u64, outcome: &Outcome) -> Result<(), Refusal> {
        if let Some(attempt) = self.session.attempts.get(&fence).cloned() {
            self.reported = Some(fence);
            self.settle(&attempt, outcome);
            return Ok(());
        }
        let Some(outdated) = self.session.outdated.get(&fence).cloned() else {
            return Err(unknown(&self.session, fence));
        };
        let summary = outcome.summary();
        let words = format!(
            "the report of {} on {} came too late ({}): nothing was changed, and its files are kept aside",
            outdated.executor, outdated.work, outdated.reason
        );
        self.fact(Fact::Refused {
            fence,
            work: outdated.work,
            executor: outdated.executor,
            reason: outdated.reason,
            summary: cut(&summary, self.limits.summary_bytes).into(),
            at: self.world.now.into(),
        });
        self.effect(Effect::KeepAside(fence));
        self.tell(words);
        Ok(())
    }

    fn join(&mut self, name: &str) {
        let known = self.session.members.get(self.world.me);
        let is_same = known.is_some_and(|one| one.name == name && one.cast == *self.world.cast && !one.is_leaving);
        if !is_same {
            self.fact(Fact::Joined {
                opening: self.world.me.into(),
                name: name.into(),
                at: self.world.now.into(),
                cast: self.world.cast.clone(),
            });
        }
        if !self.world.cast.asked.is_empty() {
            self.take_from_people();
        }
    }

    /// What a process left to people that is gone since, goes to whoever is named for it now: else only a person could end
    /// what a command line began.
    fn take_from_people(&mut self) {
        let is_theirs = |one: &&Attempt| {
            one.holder == Holder::Person
                && !self.world.alive.contains(&one.opening)
                && one.work.part().is_some_and(|part| !self.world.people.contains(&part))
        };
        let attempts = self.session.attempts.iter().map(|(_, attempt)| attempt);
        let theirs: Vec<Attempt> = attempts.filter(is_theirs).cloned().collect();
        for attempt in theirs {
            self.take_over(&attempt, "others were named for it when the task was run again");
        }
    }

    fn leave(&mut self) -> Result<(), Refusal> {
        if !self.session.members.contains(self.world.me) {
            let reason = format!("this process takes no work from session {}", self.session.id);
            return Err(Refusal::new(reason, "`run` joins it"));
        }
        for attempt in self.attempts_of(self.world.me) {
            self.release(&attempt, Ended::Lost("the process let go".into()));
            self.effect(Effect::Stop(attempt.fence));
        }
        self.fact(Fact::Left { opening: self.world.me.into(), reason: "it let go".into() });
        Ok(())
    }

    pub(super) fn attempts_of(&self, opening: &str) -> Vec<Attempt> {
        let mine = Holder::Process(opening.into());
        self.session.attempts.iter().map(|(_, one)| one).filter(|one| one.holder == mine).cloned().collect()
    }

    fn cancel(&mut self, by: &str) {
        let attempts: Vec<Attempt> = self.session.attempts.iter().map(|(_, attempt)| attempt.clone()).collect();
        for attempt in attempts {
            self.take_over(&attempt, "the session was ended");
        }
        let waiting: Vec<String> = self.session.integrations.iter().map(|(_, one)| one.item.clone()).collect();
        for item in waiting {
            let commit = self.session.pool.item(&item).and_then(|item| item.queued);
            let commit = commit.and_then(|number| self.session.integrations.get(&number)).map(|one| one.commit.clone());
            self.fact(Fact::Kept { item: item.clone(), partial: commit.unwrap_or_default() });
            self.move_item(&item, Move::Release);
        }
        self.finish(Over::Cancelled, format!("ended by {by}"));
    }

    /// Questions of the session before that still stand in the task file are open in this one: an answer that comes after
    /// all is done finds the item it is for (RM-08).
    fn ask_on(&mut self, beginning: &Beginning) {
        let is_there = |one: &&Question| beginning.task.questions.iter().any(|read| read.id == one.id);
        for question in beginning.asked.iter().filter(is_there) {
            let item = question.item.clone().filter(|item| self.session.pool.item(item).is_some());
            let (answer, by, reply) = (None, String::new(), None);
            self.fact(Fact::Asked(Question { item, answer, by, reply, ..question.clone() }));
        }
    }

    /// The log as it was when the session began. A lock in it is nobody's: whoever had it is not among those at work.
    fn read_first(&mut self, reading: &Reading) {
        for group in &reading.groups {
            self.fact(Fact::Grouped(group.clone()));
        }
        for read in &reading.items {
            let status = match read.status {
                Some(Status::Locked) | None => Status::Pending,
                Some(status) => status,
            };
            let item = Item {
                number: read.number.clone(),
                group: read.group.clone(),
                depends_on: read.depends_on.clone(),
                claims: read.claims.clone(),
                status,
                last: read.last.clone(),
                ..Item::new(&read.key, &read.title)
            };
            self.fact(Fact::Added { item, spot: Spot::Last });
        }
    }
}

/// What an entry of the work log is about.
#[derive(Debug)]
pub(super) enum About<'i> {
    /// An item.
    Item(&'i Item),
    /// An item that has something in its way.
    Blocked(&'i Item),
    /// The roadmap: in words.
    Plan(String),
}

fn valid_name(name: &str) -> Result<&str, Refusal> {
    let name = name.trim();
    if name.is_empty() || name.len() > 128 || name.contains(char::is_whitespace) {
        let reason = format!("`{name}` cannot be the name of an executor");
        return Err(Refusal::new(reason, "give one word of at most 128 bytes"));
    }
    Ok(name)
}

pub(super) fn unknown(session: &Session, fence: u64) -> Refusal {
    let id = &session.id;
    if fence == 0 || fence > session.fence {
        return Refusal::new(format!("session {id} knows no attempt {fence}"), "report the attempt that was given");
    }
    Refusal::new(format!("attempt {fence} of session {id} is over"), "it was reported already; nothing was changed")
}

pub(super) fn not_now(session: &Session, what: &str) -> Refusal {
    let state: String = match (session.over, &session.paused) {
        (Some(Over::Done), _) => "all of it is done".into(),
        (Some(Over::Cancelled), _) => "it was ended".into(),
        (Some(Over::Deadlock), _) => "nothing in it could go on".into(),
        (None, Some(reason)) => format!("it is paused ({reason})"),
        (None, None) => format!("it is {} % done", session.progress()),
    };
    let valid = match (session.over, &session.paused) {
        (Some(_), _) => "`run --protocol roadmap` begins another with the log as it is",
        (None, Some(_)) => "valid now: `resume`, `roadmap add`, `roadmap move`, `roadmap cancel`, `cancel`",
        (None, None) => "valid now: `pause`, `roadmap add`, `roadmap move`, `roadmap cancel`, `cancel`",
    };
    Refusal::new(format!("session {} {what}: {state}", session.id), valid.to_string())
}
