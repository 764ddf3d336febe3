//! What a process makes of what others did meanwhile: other processes, and people with their editors. Decides nothing.

use std::collections::{BTreeSet, VecDeque};

use machine::Input;
use store::Fs;

use crate::fault::EngineError;
use crate::service::Service;
use crate::step::Order;

impl<F: Fs> Service<F> {
    /// Takes in what other processes committed.
    pub(crate) fn catch_up(&mut self) -> Result<(), EngineError> {
        self.engine.store.catch_up()?;
        self.engine.follow()
    }

    /// Looks for edits by hand; gives whether some file is still being written. What others committed is taken in first: what
    /// they placed is then known, and need not be looked for among all versions.
    pub(crate) fn look(&mut self) -> Result<bool, EngineError> {
        if self.engine.store.has_news() {
            self.catch_up()?;
        }
        let unsettled = self.engine.look()?;
        self.cover();
        Ok(unsettled)
    }

    /// Does what follows from what others did for the runs of this process.
    pub(crate) fn react(&mut self) {
        if self.engine.has_heard() {
            let edits = self.engine.edits();
            self.queue.extend(edits);
            self.reconcile();
        }
    }

    /// Ends agents whose attempts others ended, and looks what can go on.
    fn reconcile(&mut self) {
        let me = self.engine.me().to_string();
        let open: BTreeSet<(String, u64)> = self
            .engine
            .runs()
            .flat_map(|run| run.attempts.keys().map(|fence| (run.id.clone(), *fence)))
            .chain(self.engine.hosted_attempts())
            .collect();
        for (run, fence) in self.crew.all() {
            if !open.contains(&(run.clone(), fence)) {
                self.end_attempt(&run, fence);
            }
        }
        let mine: VecDeque<Order> = self
            .engine
            .runs()
            .filter(|run| run.driver.as_deref() == Some(me.as_str()))
            .map(|run| Order::to(&run.id, Input::Wake))
            .collect();
        self.queue.extend(mine);
        self.queue.extend(self.engine.wake_own_hosted());
    }
}
