//! What agents were asked and what a user was promised, over all openings of a history. It outlives the simulated
//! processes, as people do. Knows nothing of documents.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::journal::Facts;

/// What happened so far.
#[derive(Debug, Default)]
pub(crate) struct Log {
    /// What the journal had when the project was last opened: all of it is durable.
    pub known: Facts,
    /// Attempts that somebody was set to work on, by run and fence.
    pub started: BTreeSet<(String, u64)>,
    /// What the user was told is done: runs that began.
    pub begun: BTreeSet<String>,
    /// Verdicts and answers that were taken, by run.
    pub answered: BTreeMap<String, usize>,
    /// The run that is to fail.
    pub failing: Option<String>,
    /// Work that an agent put off, once: by run and file.
    pub put_off: BTreeSet<(String, String)>,
    /// How many briefs agents got.
    pub briefs: u64,
    /// What was promised and is not so.
    pub findings: Vec<String>,
}

/// Shared by the user, the agents and whoever examines.
#[derive(Debug, Clone, Default)]
pub(crate) struct SharedLog(Arc<Mutex<Log>>);

impl SharedLog {
    /// A process that was stopped while it held it leaves it as it should be.
    pub(crate) fn lock(&self) -> MutexGuard<'_, Log> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
