//! One store for all runs of a process: commits of many threads share one sync. Whoever comes first syncs, outside
//! every lock, for all who have appended by then; the others append for the next one meanwhile.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use crate::commit::{Commit, CommitError};
use crate::fault::{Fault, FaultKind};
use crate::fs::Fs;
use crate::path::ProjectPath;
use crate::store::Store;

/// A store that threads share.
#[derive(Debug)]
pub struct Shared<F: Fs> {
    state: Mutex<State<F>>,
    synced: Condvar,
    fs: Arc<F>,
}

#[derive(Debug)]
struct State<F: Fs> {
    store: Store<Arc<F>>,
    syncing: bool,
}

impl<F: Fs> Shared<F> {
    /// Shares a store that was opened on a shared world.
    pub fn new(store: Store<Arc<F>>) -> Self {
        let fs = store.fs().clone();
        Self { state: Mutex::new(State { store, syncing: false }), synced: Condvar::new(), fs }
    }

    /// One commit, durable when this returns.
    pub fn commit(&self, commit: Commit) -> Result<u64, CommitError> {
        let mut state = self.lock();
        let number = state.store.append(&[commit]).pop().transpose()?.unwrap_or_default();
        loop {
            state.store.usable()?;
            if state.store.durable() >= number {
                return Ok(number);
            }
            state = if state.syncing { self.wait(state) } else { self.sync(state)? };
        }
    }

    /// Work on the store itself: reading, placing, looking for edits.
    pub fn with<T>(&self, work: impl FnOnce(&mut Store<Arc<F>>) -> T) -> T {
        work(&mut self.lock().store)
    }

    /// The store again, when nobody shares it any more.
    pub fn into_store(self) -> Store<Arc<F>> {
        self.state.into_inner().unwrap_or_else(PoisonError::into_inner).store
    }

    fn sync<'a>(&'a self, mut state: MutexGuard<'a, State<F>>) -> Result<MutexGuard<'a, State<F>>, CommitError> {
        state.syncing = true;
        let syncing = state.store.to_sync();
        drop(state);
        let result = self.fs.sync(&syncing.file);
        let mut state = self.lock();
        state.syncing = false;
        let healed = state.store.synced(&syncing, result);
        self.synced.notify_all();
        healed?;
        Ok(state)
    }

    fn wait<'a>(&self, state: MutexGuard<'a, State<F>>) -> MutexGuard<'a, State<F>> {
        self.synced.wait(state).unwrap_or_else(PoisonError::into_inner)
    }

    /// After a panic of another thread nobody knows what is in memory and what in the journal.
    fn lock(&self) -> MutexGuard<'_, State<F>> {
        self.state.lock().unwrap_or_else(|poisoned| {
            let mut state = poisoned.into_inner();
            let reason = "a thread panicked while it worked on it";
            let fault = Fault::new("use", &ProjectPath::own(""), FaultKind::Reopen, reason);
            state.store.break_with(fault);
            state
        })
    }
}
