//! What follows from an input: its own facts, and then, for the process that drives the cycle, whatever can go on. It
//! looks and changes nothing.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;

use super::apply::{apply, take};
use super::fact::Fact;
use super::input::{Decision, Effect, Goal, Input, Told, Verdict, World};
use super::limits::{Limits, Silence};
use super::state::{Asks, Cycle, Ending, Gate, Place, Upfront, Work};
use super::turn::Turn;
use super::words::{Lap, Party, Signature, Word};
use crate::input::Refusal;
use crate::moment::seconds_between;
use crate::run::{Cast, Holder};

/// Why a cycle is paused whose question was not answered in time: an answer ends that pause.
pub const NOBODY_ANSWERED: &str = "nobody answered";

/// The longest goal, in bytes.
const GOAL_BYTES: usize = 64 * 1024;

/// What follows from an input to a cycle. For a process that does not drive it these are the input's own facts.
pub fn decide(
    cycle: Option<&Cycle>,
    run_id: &str,
    input: &Input,
    world: &World<'_>,
    limits: &Limits,
) -> Result<Decision, Refusal> {
    let Some(cycle) = cycle else {
        return Err(Refusal::new(format!("there is no cycle {run_id}"), "`status` lists what there is"));
    };
    let mut step = Step::new(cycle.clone(), world, limits);
    step.take_in(input)?;
    step.advance();
    Ok(step.decision)
}

/// What follows from a goal: a cycle begins with the Human's first block, driven by this process (CY-01).
pub fn start(run_id: &str, goal: &Goal, world: &World<'_>, limits: &Limits) -> Result<Decision, Refusal> {
    may_be_goal(&goal.text)?;
    let started = Fact::Started {
        cycle_id: goal.cycle_id.clone(),
        goal_number: goal.number.max(1),
        goal: goal.text.clone(),
        current_state: goal.current_state.clone(),
        context_docs: goal.context_docs.clone(),
        ground: goal.ground,
        upfront: goal.upfront,
        loops: limits.loops,
        seconds: limits.seconds,
        at: world.now.into(),
        definition: goal.definition.clone(),
    };
    let mut cycle = None;
    apply(&mut cycle, run_id, &started);
    let Some(cycle) = cycle else { return Ok(Decision::default()) };
    let mut step = Step::new(cycle, world, limits);
    step.decision.facts.push(started);
    step.fact(Fact::Driven { by: Some(world.me.into()), cast: world.cast.clone() });
    let turn = Turn {
        signature: Signature { goal: goal.number.max(1), lap: Lap::Loop(0), step: 0 },
        party: Party::Human,
        word: Word::Init,
        summary: super::digest::cut(&goal.text, limits.field_bytes).into(),
        confidence: None,
        next: Some(Party::Planner),
        context: goal.context_docs.join(", "),
        fields: vec![],
        standing: None,
        response: goal.text.clone(),
        at: world.now.into(),
    };
    step.fact(Fact::Turned { fence: None, turn, avoid: vec![] });
    if goal.upfront == Upfront::NotAsked {
        step.next_loop();
    }
    step.advance();
    Ok(step.decision)
}

fn may_be_goal(goal: &str) -> Result<(), Refusal> {
    if goal.trim().is_empty() {
        return Err(Refusal::new("the goal is empty", "say in one to three sentences what is to be reached"));
    }
    if goal.len() > GOAL_BYTES {
        let reason = format!("the goal has {} bytes, more than {GOAL_BYTES}", goal.len());
        return Err(Refusal::new(reason, "give it in one to three sentences, and name documents with the rest"));
    }
    Ok(())
}

/// A decision in the making.
#[derive(Debug)]
pub(super) struct Step<'a> {
    pub(super) cycle: Cycle,
    pub(super) world: &'a World<'a>,
    pub(super) limits: &'a Limits,
    pub(super) decision: Decision,
}

impl<'a> Step<'a> {
    /// The cycle is copied: it is small however long it goes on.
    fn new(cycle: Cycle, world: &'a World<'a>, limits: &'a Limits) -> Self {
        Self { cycle, world, limits, decision: Decision::default() }
    }

    /// Makes something true, and sees the cycle with it from here on.
    pub(super) fn fact(&mut self, fact: Fact) {
        if !matches!(self.cycle.place, Place::Over(_)) {
            take(&mut self.cycle, &fact);
        }
        self.decision.facts.push(fact);
    }

    pub(super) fn effect(&mut self, effect: Effect) {
        self.decision.effects.push(effect);
    }

    pub(super) fn go(&mut self, to: Place) {
        if matches!(to, Place::Gate(_)) {
            self.effect(Effect::Tell(Told::Gate));
        }
        if matches!(to, Place::Over(_)) {
            self.effect(Effect::Tell(Told::Over));
        }
        self.fact(Fact::Moved { to });
    }

    pub(super) fn ask(&mut self, asks: Asks, question: String, then: Work) {
        let gate = Gate {
            asks,
            question,
            then,
            since: self.world.now.to_string(),
            number: self.cycle.gates.saturating_add(1),
        };
        self.go(Place::Gate(gate));
    }

    /// The table of inputs: the facts of the input itself.
    fn take_in(&mut self, input: &Input) -> Result<(), Refusal> {
        match (&self.cycle.place, input) {
            (Place::Over(_), Input::Wake | Input::Release | Input::Restate(_)) => Ok(()),
            (_, Input::Report { fence, outcome }) => {
                match self.cycle.attempt.clone().filter(|attempt| attempt.fence == *fence) {
                    Some(attempt) => {
                        self.settle(&attempt, outcome);
                        Ok(())
                    }
                    None => Err(outdated(&self.cycle, *fence)),
                }
            }
            (
                Place::Over(_),
                Input::Claim | Input::Answer { .. } | Input::Pause { .. } | Input::Resume | Input::Cancel { .. },
            ) => Err(not_now(&self.cycle, "is over")),
            (_, Input::Wake) => {
                self.wake();
                Ok(())
            }
            (_, Input::Claim) => self.claim(),
            (_, Input::Release) => self.release(),
            (Place::Gate(gate), Input::Answer { verdict, by, shown }) => {
                let gate = gate.clone();
                self.answer(&gate, verdict, by, *shown)
            }
            (Place::Due(_), Input::Answer { .. }) => Err(not_now(&self.cycle, "does not wait for an answer")),
            (_, Input::Restate(stated)) => {
                may_be_goal(&stated.goal)?;
                self.fact(Fact::Restated(stated.clone()));
                Ok(())
            }
            (_, Input::Pause { reason }) => match &self.cycle.paused {
                Some(_) => Err(not_now(&self.cycle, "is paused already")),
                None => {
                    self.fact(Fact::Paused { reason: reason.clone() });
                    Ok(())
                }
            },
            (_, Input::Resume) => match &self.cycle.paused {
                Some(_) => {
                    self.fact(Fact::Resumed);
                    Ok(())
                }
                None => Err(not_now(&self.cycle, "is not paused")),
            },
            (Place::Due(Work::Archive(_)), Input::Cancel { .. }) => {
                Err(not_now(&self.cycle, "is ending already, and its record is being put into the archive"))
            }
            (_, Input::Cancel { by }) => {
                self.stop(by, "");
                Ok(())
            }
        }
    }

    fn claim(&mut self) -> Result<(), Refusal> {
        match self.cycle.driver.as_deref() {
            Some(driver) if driver == self.world.me => {}
            Some(driver) if self.world.alive.contains(driver) => {
                // The name of an opening begins with the number that people know a process by.
                let driver = driver.split('.').next().unwrap_or(driver);
                let reason = format!("cycle {} is driven by process {driver}", self.cycle.id);
                return Err(Refusal::new(reason, format!("end process {driver}, or let it go on; it can be watched")));
            }
            _ => {
                self.fact(Fact::Driven { by: Some(self.world.me.into()), cast: self.world.cast.clone() });
                if self.cycle.gate().is_some() {
                    self.effect(Effect::Tell(Told::Gate));
                }
            }
        }
        self.wake();
        Ok(())
    }

    fn release(&mut self) -> Result<(), Refusal> {
        if self.cycle.driver.as_deref() != Some(self.world.me) {
            let driver = self.cycle.driver.as_deref().unwrap_or("nobody");
            let reason = format!("cycle {} is driven by {driver}, not by this process", self.cycle.id);
            return Err(Refusal::new(reason, "only the process that drives a cycle can let go of it"));
        }
        let mine = Holder::Process(self.world.me.into());
        if let Some(fence) = self.cycle.attempt.as_ref().filter(|one| one.holder == mine).map(|one| one.fence) {
            self.fact(Fact::Lost { fence, reason: "the process let go".into() });
            self.effect(Effect::Stop(fence));
        }
        self.fact(Fact::Driven { by: None, cast: Cast::default() });
        Ok(())
    }

    /// What a process that is gone had is lost; what was put off goes on when its time has come; a question that waited
    /// too long has its end. Only who drives the cycle says so.
    fn wake(&mut self) {
        if self.cycle.driver.as_deref() != Some(self.world.me) {
            return;
        }
        let gone = self.cycle.attempt.clone().filter(|attempt| match &attempt.holder {
            Holder::Process(name) => name != self.world.me && !self.world.alive.contains(name),
            Holder::Person => false,
        });
        if let Some(attempt) = gone {
            self.lose(&attempt, "its process is gone");
        }
        let now = self.world.now;
        if self.cycle.rest.as_ref().is_some_and(|rest| now < rest.since.as_str() || now >= rest.until.as_str()) {
            self.fact(Fact::Woke);
        }
        self.mind_silence();
    }

    /// CY-12: what happens when nobody answers. Silence approves nothing.
    fn mind_silence(&mut self) {
        let (Some(gate), Some(seconds)) = (self.cycle.gate(), self.limits.answer_seconds) else { return };
        if self.cycle.paused.is_some() || seconds_between(&gate.since, self.world.now) < seconds {
            return;
        }
        let reason = format!("{NOBODY_ANSWERED} within {seconds} seconds");
        match self.limits.silence {
            Silence::Pause => {
                self.fact(Fact::Paused { reason });
                self.effect(Effect::Tell(Told::Paused));
            }
            Silence::Stop => self.stop("nobody", &reason),
        }
    }

    /// The cycle ends incomplete, by the Human or by the Human's silence: the record says so and goes to the archive.
    pub(super) fn stop(&mut self, by: &str, words: &str) {
        let signature = match self.cycle.gate() {
            Some(gate) => self.cycle.signature_at(gate.asks),
            None => {
                let lap = if self.cycle.is_closing() { Lap::Final } else { Lap::Loop(self.cycle.loop_number) };
                Signature { goal: self.cycle.goal_number, lap, step: Signature::HUMAN_STEP }
            }
        };
        if let Some(fence) = self.cycle.attempt.as_ref().map(|attempt| attempt.fence) {
            self.fact(Fact::Lost { fence, reason: "the cycle was ended".into() });
            self.effect(Effect::Stop(fence));
        }
        let verdict = Verdict { word: Word::Stopped, words: words.into() };
        self.human_turn(signature, &verdict, by, None, "");
        if self.cycle.paused.is_some() {
            self.fact(Fact::Resumed);
        }
        self.go(Place::Due(Work::Archive(Ending::Incomplete)));
    }

    /// The Human's turn enters the record.
    pub(super) fn human_turn(
        &mut self,
        signature: Signature,
        verdict: &Verdict,
        by: &str,
        next: Option<Party>,
        context: &str,
    ) {
        let line = super::digest::cut(&verdict.words, self.limits.field_bytes);
        let summary = if line.is_empty() { format!("{} by {by}", verdict.word) } else { line.to_string() };
        let turn = Turn {
            signature,
            party: Party::Human,
            word: verdict.word,
            summary,
            confidence: None,
            next,
            context: context.into(),
            fields: vec![],
            standing: None,
            response: verdict.words.clone(),
            at: self.world.now.into(),
        };
        self.fact(Fact::Turned { fence: None, turn, avoid: vec![] });
    }
}

fn outdated(cycle: &Cycle, fence: u64) -> Refusal {
    let id = &cycle.id;
    if fence == 0 || fence > cycle.fence {
        return Refusal::new(format!("cycle {id} knows no attempt {fence}"), "report the attempt that was given");
    }
    Refusal::new(
        format!("attempt {fence} of cycle {id} is outdated"),
        "its work is not needed any more; nothing was changed",
    )
}

pub(super) fn not_now(cycle: &Cycle, what: &str) -> Refusal {
    let state = match &cycle.place {
        Place::Over(Ending::Complete) => "it is complete".into(),
        Place::Over(Ending::Incomplete) => "it is incomplete, and was ended".into(),
        Place::Over(Ending::Failed) => "it failed".into(),
        Place::Due(work) => match &cycle.paused {
            Some(reason) => format!("it is paused ({reason})"),
            None => format!("what is due is `{}`", work.action()),
        },
        Place::Gate(gate) => format!("it asks: {}", gate.question),
    };
    let valid = match (&cycle.place, &cycle.paused) {
        (Place::Over(_), _) => "`run --protocol cycle` starts another".into(),
        (Place::Gate(gate), paused) => {
            let resume = if paused.is_some() { ", `resume`" } else { ", `pause`" };
            format!("valid now: `answer` with {}{resume}, `cancel`", super::answer::options(gate.asks))
        }
        (Place::Due(_), Some(_)) => "valid now: `resume`, `cancel`".into(),
        (Place::Due(_), None) => "valid now: `pause`, `cancel`".into(),
    };
    Refusal::new(format!("cycle {} {what}: {state}", cycle.id), valid)
}
