//! Decisions made ahead, before the lock is taken, by as many threads as share the work: they are pure, so who makes them
//! changes nothing. Each is taken only if what it was made on still holds when its turn comes; else it is made again.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use dialect::Before;
use machine::{Decision, Hierarchy};
use serde_json::value::RawValue;

use crate::fault::EngineError;
use crate::settings::Settings;
use crate::step::{Order, Ready, State};

/// So few are decided sooner than another thread begins.
const FEW: usize = 8;

/// A decision made ahead.
#[derive(Debug)]
pub(crate) struct Foreseen {
    /// How many agents could be started then: a step before it may have changed that.
    pub free: usize,
    pub decided: Decided,
}

/// What an order to a run comes to, with all that follows from it and the run as it is.
#[derive(Debug)]
pub(crate) struct Decided {
    pub decision: Decision,
    /// What the documents need to know of the run before it; nothing for one that begins.
    pub before: Option<Before>,
    /// The facts as the record has them.
    pub facts: Box<RawValue>,
}

/// What each order comes to, as far as that can be told before those before it are taken.
pub(crate) fn foresee(
    state: &State,
    ready: &[Ready],
    hierarchy: &Hierarchy,
    settings: &Settings,
) -> Vec<Option<Foreseen>> {
    if ready.len() < FEW {
        return Vec::new();
    }
    let mut seen = HashSet::new();
    // What comes after another order to the same run rests on that one.
    let first = ready.iter().map(|ready| Some(ready).filter(|ready| seen.insert(ready.order.run())));
    let first: Vec<Option<&Ready>> = first.collect();
    shared(first, |ready| state.foresee_one(ready?, hierarchy, settings))
}

impl State {
    /// How many more agents may be started.
    pub(crate) fn free(&self, settings: &Settings) -> usize {
        settings.jobs.saturating_sub(self.busy)
    }

    /// What an order comes to, with what is made of it before anything is changed.
    pub(crate) fn decided(
        &self,
        ready: &Ready,
        hierarchy: &Hierarchy,
        settings: &Settings,
    ) -> Result<Decided, EngineError> {
        let decision = self.decide(ready, hierarchy, settings)?;
        let run = self.runs.get(ready.order.run());
        let before = run.map(|run| Before::of(run, hierarchy, &decision.facts));
        let facts = serde_json::value::to_raw_value(&decision.facts);
        let facts = facts.map_err(|error| EngineError::refused(error.to_string(), ""))?;
        Ok(Decided { decision, before, facts })
    }

    fn foresee_one(&self, ready: &Ready, hierarchy: &Hierarchy, settings: &Settings) -> Option<Foreseen> {
        let id = ready.order.run();
        let is_plain = matches!(ready.order, Order::To { edited: None, .. });
        if !is_plain || self.unsure.contains(id) || !self.runs.contains_key(id) {
            return None;
        }
        // A refusal is told when its turn comes.
        let decided = self.decided(ready, hierarchy, settings).ok()?;
        Some(Foreseen { free: self.free(settings), decided })
    }
}

/// What `work` makes of each, in order, by two threads.
pub(crate) fn shared<T: Send, R: Send>(mut all: Vec<T>, work: impl Fn(T) -> R + Sync) -> Vec<R> {
    if all.len() < FEW {
        return all.into_iter().map(work).collect();
    }
    let others = Mutex::new(all.split_off(all.len() / 2));
    let rest = || {
        let others = std::mem::take(&mut *others.lock().unwrap_or_else(PoisonError::into_inner));
        others.into_iter().map(&work).collect::<Vec<R>>()
    };
    std::thread::scope(|scope| {
        let begun = std::thread::Builder::new().spawn_scoped(scope, rest);
        let mut done: Vec<R> = all.into_iter().map(&work).collect();
        done.extend(match begun {
            Ok(thread) => thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            // There is no room for another thread.
            Err(_) => rest(),
        });
        done
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shared_comes_back_in_order() {
        for count in [0, 1, FEW - 1, FEW, FEW + 1, 1000] {
            let all: Vec<usize> = (0..count).collect();
            assert_eq!(shared(all, |number| number * 2), (0..count).map(|number| number * 2).collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_mistake_of_the_other_thread_is_no_secret() {
        let told = std::panic::catch_unwind(|| {
            shared((0..100).collect(), |number| match number {
                99 => std::panic::resume_unwind(Box::new("a bug")),
                number => number,
            })
        });
        assert_eq!(told.unwrap_err().downcast_ref::<&str>(), Some(&"a bug"));
    }
}
