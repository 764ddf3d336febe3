//! What follows from an input to a run of a profile: its own facts, and then, for the process that drives the run,
//! whatever can go on. It looks and changes nothing.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::ToString;
use alloc::vec::Vec;

use super::apply::{apply, take};
use super::edit::{self, Seen};
use super::fact::Fact;
use super::input::{Decision, Input, Start, World};
use super::names::{not_now, outdated};
use super::run::{Course, Run};
use super::workflow::compile;
use crate::input::{Effect, Refusal, Said};
use crate::limits::Limits;
use crate::run::{Cast, Holder};

/// What follows from an input to a run.
pub fn decide(
    run: Option<&Run>,
    run_id: &str,
    input: &Input,
    world: &World<'_>,
    limits: &Limits,
) -> Result<Decision, Refusal> {
    let Some(run) = run else {
        return Err(Refusal::new(format!("there is no run {run_id}"), "`status` lists the runs there are"));
    };
    let mut step = Step::new(run.clone(), world, limits);
    step.take_in(input)?;
    step.advance();
    Ok(step.decision)
}

/// What follows when an idea is to be carried through a profile: a run begins, driven by this process.
pub fn start(run_id: &str, start: &Start, world: &World<'_>, limits: &Limits) -> Result<Decision, Refusal> {
    let Start { profile, definition, idea, human_gates, seed } = start;
    let steps = compile(profile);
    if steps.is_empty() {
        let hint = "give a phase at least one role";
        return Err(Refusal::new(format!("the profile {} has no steps", profile.name), hint));
    }
    if steps.len() > limits.plan_items {
        let reason = format!(
            "the profile {} has {} steps, and {} at most are taken",
            profile.name,
            steps.len(),
            limits.plan_items
        );
        return Err(Refusal::new(reason, "split it into several profiles"));
    }
    if idea.id.trim().is_empty() && idea.headline.trim().is_empty() {
        return Err(Refusal::new("there is no idea to work on", "write `ideas/<id>.md`, or say what is to be done"));
    }
    let started = Fact::Started {
        profile: profile.clone(),
        definition: definition.clone(),
        idea: idea.clone(),
        human_gates: human_gates.clone(),
        seed: *seed,
        at: world.now.into(),
    };
    Ok(begin(run_id, started, &Seen::default(), world, limits))
}

/// What follows when a run goes on that was begun without this journal: it is as its documents say, driven by this
/// process. What they say that the run has not done yet is a wish, as if somebody had just written it.
pub fn take_over(run_id: &str, known: Run, seen: &Seen, world: &World<'_>, limits: &Limits) -> Decision {
    begin(run_id, Fact::TakenOver { run: Box::new(known), at: world.now.into() }, seen, world, limits)
}

fn begin(run_id: &str, first: Fact, seen: &Seen, world: &World<'_>, limits: &Limits) -> Decision {
    let mut run = None;
    apply(&mut run, run_id, &first);
    let Some(run) = run else { return Decision::default() };
    let is_asked = run.questions.iter().any(super::run::Question::is_open);
    let mut step = Step::new(run, world, limits);
    step.decision.facts.push(first);
    step.fact(Fact::Driven { by: Some(world.me.into()), cast: world.cast.clone() });
    if !world.budget.is_empty() {
        step.fact(Fact::Budgeted { budget: world.budget, by: None });
    }
    edit::take(&mut step, seen);
    if is_asked && step.run.questions.iter().any(super::run::Question::is_open) {
        step.effect(Effect::Say(Said::Question));
    }
    step.advance();
    step.decision
}

/// A decision in the making.
pub(super) struct Step<'a> {
    pub(super) world: &'a World<'a>,
    pub(super) limits: &'a Limits,
    /// The run as it would be with the facts so far.
    pub(super) run: Run,
    pub(super) decision: Decision,
    /// How many more agents may be started.
    pub(super) free: usize,
}

impl<'a> Step<'a> {
    fn new(run: Run, world: &'a World<'a>, limits: &'a Limits) -> Self {
        Self { world, limits, run, decision: Decision::default(), free: world.free }
    }

    /// Makes something true, and sees the run with it from here on.
    pub(super) fn fact(&mut self, fact: Fact) {
        let ended = fact.ended().and_then(|fence| self.run.attempts.get(&fence));
        if ended.is_some_and(|attempt| matches!(&attempt.holder, Holder::Process(name) if name == self.world.me)) {
            self.free = self.free.saturating_add(1);
        }
        take(&mut self.run, &fact);
        self.decision.facts.push(fact);
    }

    pub(super) fn effect(&mut self, effect: Effect) {
        self.decision.effects.push(effect);
    }

    /// The table of inputs: the facts of the input itself.
    fn take_in(&mut self, input: &Input) -> Result<(), Refusal> {
        use Course::{Cancelled, Done, Gate, Rejected, Undecided, Working};
        match (self.run.course.clone(), input) {
            (Done | Cancelled, Input::Wake | Input::Release | Input::Delivered { .. } | Input::Edited(_)) => Ok(()),
            (Done | Cancelled, Input::Report { fence, .. }) => Err(outdated(&self.run, *fence)),
            (
                Done | Cancelled,
                Input::Claim
                | Input::Gate { .. }
                | Input::Reopen { .. }
                | Input::Answer { .. }
                | Input::Pause { .. }
                | Input::Resume
                | Input::Cancel { .. },
            ) => Err(not_now(&self.run, "is over")),
            (_, Input::Wake) => {
                self.wake();
                Ok(())
            }
            (_, Input::Claim) => self.claim(),
            (_, Input::Release) => self.release(),
            (_, Input::Report { fence, outcome }) => match self.run.attempts.get(fence).cloned() {
                Some(attempt) => {
                    self.settle(&attempt, outcome);
                    Ok(())
                }
                None => Err(outdated(&self.run, *fence)),
            },
            (Gate(waits) | Rejected(waits), Input::Gate { gate, reply, reason, by }) => {
                self.answer_gate(&waits, gate.as_deref(), reply, reason, by)
            }
            (Working | Undecided(_), Input::Gate { gate, .. }) => Err(self.no_gate_waits(gate.as_deref())),
            (Rejected(rejected), Input::Reopen { gate, reason, by }) if rejected == *gate => {
                self.reopen(gate, reason, by)
            }
            (Working | Gate(_) | Rejected(_) | Undecided(_), Input::Reopen { gate, .. }) => {
                Err(self.not_rejected(gate))
            }
            (_, Input::Answer { question, answer, by }) => self.answer(question.as_deref(), answer, by),
            (_, Input::Delivered { question }) => self.deliver(question),
            (_, Input::Pause { reason }) => match &self.run.paused {
                Some(_) => Err(not_now(&self.run, "is paused already")),
                None => {
                    self.fact(Fact::Paused { reason: reason.clone() });
                    Ok(())
                }
            },
            (_, Input::Resume) => match &self.run.paused {
                Some(_) => {
                    self.fact(Fact::Resumed);
                    Ok(())
                }
                None => Err(not_now(&self.run, "is not paused")),
            },
            (_, Input::Cancel { by }) => {
                self.stop("the run was cancelled", |_| true);
                self.fact(Fact::Cancelled { by: by.clone(), at: self.world.now.into() });
                self.effect(Effect::Say(Said::Failure));
                Ok(())
            }
            (_, Input::Edited(seen)) => {
                edit::take(self, seen);
                Ok(())
            }
        }
    }

    fn claim(&mut self) -> Result<(), Refusal> {
        match self.run.driver.as_deref() {
            Some(driver) if driver == self.world.me => {}
            Some(driver) if self.world.alive.contains(driver) => {
                // The name of an opening begins with the number that people know a process by.
                let driver = driver.split('.').next().unwrap_or(driver);
                let reason = format!("run {} is driven by process {driver}", self.run.id);
                return Err(Refusal::new(reason, format!("end process {driver}, or let it go on; it can be watched")));
            }
            _ => {
                let mut cast = self.world.cast.clone();
                if cast.asked.is_empty() {
                    cast.asked.clone_from(&self.run.cast.asked);
                }
                self.fact(Fact::Driven { by: Some(self.world.me.into()), cast });
                // Whoever drove it before may have died before it said so.
                if self.run.questions.iter().any(super::run::Question::is_open) {
                    self.effect(Effect::Say(Said::Question));
                }
            }
        }
        self.wake();
        Ok(())
    }

    fn release(&mut self) -> Result<(), Refusal> {
        if self.run.driver.as_deref() != Some(self.world.me) {
            let driver = self.run.driver.as_deref().unwrap_or("nobody");
            let reason = format!("run {} is driven by {driver}, not by this process", self.run.id);
            return Err(Refusal::new(reason, "only the process that drives a run can let go of it"));
        }
        let me = Holder::Process(self.world.me.into());
        self.stop("the process let go", |holder| *holder == me);
        self.fact(Fact::Driven { by: None, cast: Cast::default() });
        Ok(())
    }

    /// Ends the attempts of these holders.
    fn stop(&mut self, reason: &str, is_meant: impl Fn(&Holder) -> bool) {
        let meant = self.run.attempts.values().filter(|attempt| is_meant(&attempt.holder));
        let fences: Vec<u64> = meant.map(|attempt| attempt.fence).collect();
        for fence in fences {
            self.fact(Fact::Lost { fence, reason: reason.into() });
            self.effect(Effect::Stop(fence));
        }
    }

    /// The attempts of processes that are gone are lost; what was put off goes on when its time has come.
    fn wake(&mut self) {
        if self.run.driver.as_deref() != Some(self.world.me) {
            return;
        }
        for attempt in self.run.attempts.clone().into_values() {
            let Holder::Process(name) = &attempt.holder else { continue };
            if name != self.world.me && !self.world.alive.contains(name) {
                let process = name.split('.').next().unwrap_or(name).to_string();
                self.lose(&attempt, &format!("process {process} is gone"));
            }
        }
        if self.run.rest.as_ref().is_some_and(|rest| rest.is_over(self.world.now)) {
            self.fact(Fact::Woke);
        }
    }
}
