//! What can go on by itself: the step that is on is handed out, a gate is opened, a finished step is followed by the
//! next. It is only for the process that drives the run, but for the end of a step, which follows from its input.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::decide::Step;
use super::fact::{Fact, Handoff, Move, MoveOutcome};
use super::run::{Attempt, Course, Matter, StepState};
use super::workflow::{PlannedStep, StepKind};
use crate::budget::{Measure, Used};
use crate::input::{Effect, Refusal, Said};
use crate::run::Holder;

impl Step<'_> {
    /// Goes on until nothing more follows. Each round but the last completes a step, so it ends.
    pub(super) fn advance(&mut self) {
        for _ in 0..=self.run.plan.len() {
            let before = self.run.current;
            self.advance_once();
            if self.run.current == before || self.run.is_over() {
                return;
            }
        }
    }

    fn advance_once(&mut self) {
        let run = &self.run;
        let is_held = run.paused.is_some() || run.exhausted.is_some() || run.rest.is_some();
        if run.driver.as_deref() != Some(self.world.me) || is_held || run.course != Course::Working {
            return;
        }
        let Some(step) = run.step().cloned() else {
            self.finish();
            return;
        };
        let waits =
            |question: &super::run::Question| question.required && question.is_open() && question.step == step.index;
        if !run.attempts.is_empty() || run.questions.iter().any(waits) {
            return;
        }
        match (step.step.kind, step.step.gate.clone()) {
            (StepKind::Gate, Some(gate)) => self.come_to_gate(&step, &gate),
            (StepKind::Gate, None) => {
                let error = "the gate step names no gate";
                self.escalate(&step, Matter::StepFailed, error, None);
            }
            (StepKind::Owner | StepKind::Reviewer | StepKind::Validator, _) => self.assign(&step),
        }
    }

    fn assign(&mut self, step: &PlannedStep) {
        let mut reserved = Used::default();
        let holder = if self.world.people.contains(&step.step.role) {
            Holder::Person
        } else {
            match self.run.budget.reservation(|measure| self.run.left(measure), &self.most()) {
                Ok(enough) => reserved = enough,
                Err(measure) => {
                    self.fact(Fact::Exhausted { measure });
                    self.effect(Effect::Say(Said::Question));
                    return;
                }
            }
            let Some(free) = self.free.checked_sub(1) else { return };
            self.free = free;
            Holder::Process(self.world.me.into())
        };
        let fence = self.run.fence.saturating_add(1);
        let number = self.run.role_attempts.get(&step.step.id).copied().unwrap_or_default().saturating_add(1);
        self.fact(Fact::Assigned(Attempt {
            fence,
            step: step.index,
            number,
            holder,
            since: self.world.now.into(),
            problems: self.run.tries.problems.clone(),
            remarks: self.run.remarks.get(&step.index).cloned().unwrap_or_default(),
            answers: self.run.answered(&step.step.role),
            reserved,
        }));
        self.effect(Effect::Start(fence));
    }

    pub(super) fn most(&self) -> Used {
        let limits = self.limits;
        Used {
            tokens: limits.attempt_tokens,
            micro_dollars: limits.attempt_micro_dollars,
            seconds: limits.attempt_seconds,
        }
    }

    /// A step is done: what it leaves is listed, and the next one is on (PF-14).
    pub(super) fn finish_step(&mut self, step: &PlannedStep) {
        let missing = self.run.missing_outputs_of(step);
        let next = self.run.plan.get(step.index + 1).map(|next| next.step.id.clone());
        let is_there = |name: &&String| !missing.contains(name);
        let handoff = Handoff {
            from_step: step.step.id.clone(),
            to_step: next.clone(),
            required: step.step.required_outputs.clone(),
            provided: step.step.required_outputs.iter().filter(is_there).cloned().collect(),
            missing: missing.clone(),
        };
        self.fact(Fact::HandedOver(handoff));
        if !missing.is_empty() && self.run.profile.enforces_handoff() {
            let error = format!("the handoff packet lacks {}", missing.join(", "));
            self.escalate(step, Matter::StepFailed, &error, None);
            return;
        }
        self.fact(Fact::Completed { step: step.index });
        let message = match &next {
            Some(next) => format!("step {} is done, {next} is next", step.step.id),
            None => format!("step {} is done, it was the last", step.step.id),
        };
        let at = self.world.now.to_string();
        let (from, to) = (step.index, step.index + 1);
        self.fact(Fact::Moved(Move { from, to, outcome: MoveOutcome::Advanced, message, at }));
        if next.is_none() {
            self.finish();
        }
    }

    /// The run is done only when nothing is missing (PF-13).
    fn finish(&mut self) {
        let is_done = self.run.states.iter().all(|state| *state == StepState::Completed);
        if is_done && self.run.missing().is_empty() {
            self.fact(Fact::Finished { at: self.world.now.into() });
            self.effect(Effect::Say(Said::Completion));
        }
    }

    /// A budget that is used up is raised to what a person says (BY-08).
    pub(super) fn raise(&mut self, measure: Measure, answer: &str, by: &str) -> Result<(), Refusal> {
        let hint = "a number, such as 400000, 400k, $2.50, 90m; or `cancel`";
        let Some((measure, bound)) = measure.read(answer) else {
            return Err(Refusal::new(format!("{answer:?} is no budget"), hint));
        };
        let used = self.run.used.of(measure);
        if bound <= used {
            let (bound, used) = (measure.in_words(bound), measure.in_words(used));
            return Err(Refusal::new(format!("{bound} is no more than the {used} that are used already"), hint));
        }
        self.fact(Fact::Budgeted { budget: self.run.budget.with(measure, bound), by: Some(by.into()) });
        Ok(())
    }
}

impl super::run::Run {
    /// What is left of a measure beside what is used and set aside; nothing if it has no bound.
    pub fn left(&self, measure: Measure) -> Option<u64> {
        let bound = self.budget.of(measure)?;
        let set_aside = self.attempts.values().map(|attempt| attempt.reserved.of(measure));
        Some(bound.saturating_sub(set_aside.fold(self.used.of(measure), u64::saturating_add)))
    }

    /// The outputs that a step requires and that are not there.
    pub fn missing_outputs_of(&self, step: &PlannedStep) -> Vec<String> {
        step.step.required_outputs.iter().filter(|name| !self.has_output(name)).cloned().collect()
    }

    /// Whether a file of this name was left in this run, and is still there with something in it.
    pub fn has_output(&self, name: &str) -> bool {
        self.artifacts.get(name).is_some_and(|artifact| !artifact.digest.is_empty())
    }
}
