//! What goes on by itself: work that is due is handed out, one piece at a time, by the process that drives the cycle; a
//! new loop begins only within the limits.

use alloc::format;
use alloc::string::ToString;

use super::decide::Step;
use super::fact::Fact;
use super::input::Effect;
use super::state::{Asks, Attempt, Place, Stage, Work};
use crate::moment::seconds_between;
use crate::run::Holder;

impl Step<'_> {
    /// Hands out what is due.
    pub(super) fn advance(&mut self) {
        let cycle = &self.cycle;
        let is_free = cycle.driver.as_deref() == Some(self.world.me)
            && cycle.paused.is_none()
            && cycle.attempt.is_none()
            && cycle.rest.is_none();
        let Place::Due(work) = &cycle.place else { return };
        if !is_free {
            return;
        }
        let work = *work;
        let fence = cycle.fence.saturating_add(1);
        let is_person = work.party().is_some_and(|party| self.world.people.contains(&party));
        let holder = if is_person { Holder::Person } else { Holder::Process(self.world.me.into()) };
        let attempt = Attempt {
            fence,
            work,
            signature: cycle.signature_of(work),
            number: cycle.tries.attempts.saturating_add(1),
            holder,
            since: self.world.now.to_string(),
            problems: cycle.tries.problems.clone(),
        };
        self.fact(Fact::Assigned(attempt));
        self.effect(Effect::Start(fence));
    }

    /// The next loop, unless the limits want the Human's word first (CY-12). Each begins with a checkpoint.
    pub(super) fn next_loop(&mut self) {
        let (used, allowed) = (self.cycle.loop_number, self.cycle.loops_allowed);
        if used >= allowed {
            let question = format!("all {allowed} loops that are allowed are done: as many again, or stop");
            return self.ask(Asks::LoopLimit, question, Work::Checkpoint);
        }
        let seconds = seconds_between(&self.cycle.since, self.world.now);
        if let Some(most) = self.cycle.seconds_allowed.filter(|most| seconds >= *most) {
            let question = format!("the cycle takes {seconds} seconds, and {most} are allowed: as many again, or stop");
            return self.ask(Asks::TimeLimit, question, Work::Checkpoint);
        }
        self.fact(Fact::Looped { number: used.saturating_add(1) });
        self.go(Place::Due(Work::Checkpoint));
    }

    /// Goes on with work; what belongs to the Planner begins a loop of its own, so that no signature comes twice.
    pub(super) fn go_on(&mut self, work: Work) {
        match work {
            Work::Checkpoint | Work::Plan(Stage::Loop) | Work::Outline => self.next_loop(),
            other => self.go(Place::Due(other)),
        }
    }
}
