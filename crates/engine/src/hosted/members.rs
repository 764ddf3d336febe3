//! Runs that many openings carry on at once: who of them still goes on, when there is something for this one, and when it
//! waits for the others. Looks cost a little, so they are taken now and then; what is decided on them is decided under the
//! project's lock. Knows no machine.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use machine::Input as Common;
use store::{Fs, Liveness};

use super::Input;
use crate::engine::Engine;
use crate::fault::EngineError;
use crate::notice::Notice;
use crate::service::Service;
use crate::step::{Order, Ready, State, Taken};

/// How often it is looked whether the others still go on: whoever is gone is noticed well within a lease.
const LOOKED_AT: Duration = Duration::from_millis(200);

/// How often files are looked at that seem to have changed, while all hands are full and every run is shared.
const HINTED: Duration = Duration::from_millis(500);

/// How many of them are looked at each time, in turn: each of them looks at some, too, and a look is a dozen calls of the
/// system. One that is left alone has seen twenty others within a second.
const AT_ONCE: usize = 4;

/// Who of those that share runs was seen to go on no more.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    /// Openings that are over: they never come back.
    gone: BTreeSet<String>,
    /// Openings that were stopped, or silent, when it was last looked.
    stopped: BTreeSet<String>,
    /// How many were looked at in turn.
    turn: usize,
}

impl State {
    /// Who lives and who was stopped, for a decision on a run. Where many share it, whoever is not known to be gone lives: one
    /// that joined a moment ago was not looked at yet. And only a look that was taken just now says that somebody was stopped.
    pub(super) fn around(&self, id: &str, ready: &Ready) -> (BTreeSet<String>, BTreeSet<String>) {
        let standing = self.hosted.get(id).map(|run| run.standing()).filter(|run| run.is_shared());
        let Some(standing) = standing else { return (ready.alive.clone(), BTreeSet::new()) };
        let mut alive = standing.members();
        alive.retain(|name| !self.seen.gone.contains(name));
        alive.insert(self.me.clone());
        let stopped = if ready.has_looked { self.seen.stopped.clone() } else { BTreeSet::new() };
        (alive, stopped)
    }
}

impl<F: Fs> Engine<F> {
    /// Whether any number of openings carries a run on.
    pub(crate) fn is_shared(&self, id: &str) -> bool {
        self.state.hosted.get(id).is_some_and(|run| run.standing().is_shared())
    }

    /// Looks who of those that share a run still goes on.
    pub(crate) fn look_at_members(&mut self, id: &str) {
        let others = self.others(id);
        self.look_at(others);
    }

    /// The same of some of them, of all in their turn; gives whether somebody does not.
    fn look_at_some_members(&mut self, id: &str) -> bool {
        let others = self.others(id);
        let from = self.state.seen.turn.checked_rem(others.len()).unwrap_or_default();
        self.state.seen.turn = from + AT_ONCE;
        let chosen = others[from..].iter().chain(&others[..from]).take(AT_ONCE).cloned().collect();
        self.look_at(chosen)
    }

    /// The same of those who did not go on when they were last looked at.
    pub(crate) fn look_at_lost_members(&mut self, id: &str) {
        let mut lost = self.others(id);
        lost.retain(|name| self.state.seen.stopped.contains(name));
        self.look_at(lost);
    }

    /// Those who have to do with a run, but for this opening. Who has not any more is forgotten.
    fn others(&mut self, id: &str) -> Vec<String> {
        let Some(run) = self.state.hosted.get(id) else { return Vec::new() };
        let members = run.standing().members();
        self.state.seen.gone.retain(|name| members.contains(name));
        members.into_iter().filter(|name| *name != self.state.me).collect()
    }

    fn look_at(&mut self, openings: Vec<String>) -> bool {
        let mut is_lost = false;
        for name in openings {
            // Whoever cannot be looked at is left alone.
            let found = self.store.liveness(&name).unwrap_or(Liveness::Alive);
            is_lost |= found != Liveness::Alive;
            match found {
                Liveness::Alive => drop(self.state.seen.stopped.remove(&name)),
                Liveness::Stopped => drop(self.state.seen.stopped.insert(name)),
                Liveness::Gone => {
                    self.state.seen.stopped.remove(&name);
                    self.state.seen.gone.insert(name);
                }
            }
        }
        is_lost
    }

    /// Whether somebody who does not go on has work of a run, or is gone and still counted among those who do.
    fn has_lost(&self, id: &str) -> bool {
        let Some(run) = self.state.hosted.get(id).map(|run| run.standing()) else { return false };
        run.members().iter().any(|name| self.state.seen.gone.contains(name))
            || self.state.seen.stopped.iter().any(|name| run.held_by(name) > 0)
    }
}

impl<F: Fs> Service<F> {
    /// Lets others know that this process goes on, and looks whether they do. What somebody had who does not is free again.
    pub(crate) fn look_after_members(&mut self) {
        let is_due = self.members_seen.is_none_or(|seen| seen.elapsed() >= LOOKED_AT);
        if self.joined.is_empty() || !is_due {
            return;
        }
        self.members_seen = Some(Instant::now());
        self.engine.store.be_heard();
        let mine: Vec<String> = self.engine.own_hosted().filter(|id| self.engine.is_shared(id)).cloned().collect();
        for id in mine {
            if self.engine.look_at_some_members(&id) && self.engine.has_lost(&id) {
                self.queue.push_back(Order::to(&id, Common::Wake));
            }
        }
    }

    /// Whether others are at work on what this process shares with them, and it is to wait for them.
    pub(crate) fn waits_for_others(&self) -> bool {
        let me = self.engine.me();
        // One that has left, because its agent saw nothing more to do for it, waits for nobody.
        let waits = |id: &String| {
            let standing = self.engine.state.hosted.get(id).map(|run| run.standing());
            standing.is_some_and(|run| run.is_driven_by(me) && run.waits_for_others(me))
        };
        self.engine.settings.roadmap.waits && self.joined.iter().any(waits)
    }

    /// Whether commits of others are worth waking up for: not while all hands are full and every run is shared, where whoever
    /// reports next takes in what the others did.
    pub(crate) fn wants_news(&self) -> bool {
        let engine = &self.engine;
        let (me, is_full) = (engine.me(), engine.state.busy >= engine.settings.jobs);
        let has_levels = || engine.runs().any(|run| run.driver.as_deref() == Some(me));
        !is_full || self.joined.is_empty() || has_levels() || engine.own_hosted().any(|id| !engine.is_shared(id))
    }

    /// How long after the last look one is taken because files seem to have changed: while all hands are full it is mostly
    /// others who placed them.
    pub(crate) fn heeds_hints_after(&self) -> Duration {
        let run = |id: &String| self.engine.state.hosted.get(id).map(|run| run.standing().members().len());
        let is_alone = self.joined.iter().filter_map(run).all(|members| members <= 1);
        if is_alone || self.wants_news() { Duration::ZERO } else { HINTED }
    }

    /// Whoever has nothing more to do leaves what it shares with others to them.
    pub(crate) fn leave_shared(&mut self) -> Result<(), EngineError> {
        if self.joined.is_empty() {
            return Ok(());
        }
        let engine = &self.engine;
        let own = engine.own_hosted().filter(|id| engine.is_shared(id));
        let orders: Vec<Order> = own.map(|id| Order::to(id, Common::Release)).collect();
        self.joined.clear();
        for (_, result) in self.engine.take(orders)? {
            if let Ok(taken) = result {
                self.perform(taken);
            }
        }
        Ok(())
    }

    /// Ends the agent of an attempt that is over. Where many share a run, its work may be another's by now: what it has to
    /// say comes too late, and is kept aside for a person.
    pub(crate) fn end_attempt(&mut self, run: &str, fence: u64) {
        match self.engine.is_shared(run) {
            true => self.crew.dismiss(run, fence),
            false => self.crew.stop(run, fence),
        }
    }

    /// Keeps what came with a report that came too late, for a person.
    pub(crate) fn keep_late(&self, order: &Order, taken: &Taken) {
        let Order::Hosted { run, input: Input::Ended { fence, came }, .. } = order else { return };
        let Some(found) = self.engine.state.hosted.get(run).filter(|_| taken.is_late) else { return };
        if let Some(reason) = found.keep_aside(*fence, came, &self.engine.settings) {
            (self.engine.listener)(Notice::Problem { run: Some(run.clone()), path: None, reason });
        }
    }
}
