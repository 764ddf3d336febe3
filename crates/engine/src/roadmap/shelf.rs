//! The log of a session as it was last read, kept from one step to the next: so a step costs what it changes, and not what the
//! log holds (RM-15). What other processes and people change is taken over place by place; a text that is another than expected
//! is read anew. Must not decide anything.

use std::sync::{Arc, Mutex, PoisonError};

use dialect::roadmap::{Followed, Log, Step, lower};
use dialect::{Edit, Trouble};
use text::{Change, Text};

/// So many changes of others are taken over in one go at most.
const MOST_PENDING: usize = 256;

/// The log, where it was read. All versions of a session share it: whoever finds another text reads again.
#[derive(Debug, Clone, Default)]
pub(super) struct Shelf(Arc<Mutex<Kept>>);

#[derive(Debug, Default)]
struct Kept {
    log: Option<Log>,
    /// What others changed since, in order: each of them touches the same few places, and they are read once for all (QL-07).
    pending: Vec<Change>,
    /// Whether there is no such document yet: it is made with the next step.
    is_new: bool,
}

impl Shelf {
    /// One that holds a log which is made with the next step.
    pub(super) fn of_new(log: Log) -> Self {
        Self(Arc::new(Mutex::new(Kept { log: Some(log), is_new: true, ..Kept::default() })))
    }

    /// One that holds a log already.
    pub(super) fn of(log: Log) -> Self {
        Self(Arc::new(Mutex::new(Kept { log: Some(log), ..Kept::default() })))
    }

    /// What a step changes in log and task file. `read` gives documents as they are before it.
    pub(super) fn edits(
        &self,
        step: &Step<'_>,
        read: &dyn Fn(&str) -> Option<Text>,
    ) -> Result<Vec<(String, Edit)>, Trouble> {
        let path = &step.after.log_file;
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.catch_up();
        let Kept { log, is_new, .. } = &mut *kept;
        match read(path) {
            Some(text) => {
                // What was never committed has not happened.
                log.iter_mut().for_each(Log::take_back);
                let is_known = |log: &Log| log.text().is_same(&text) || *log.text() == text;
                if !log.as_ref().is_some_and(is_known) {
                    let mut anew = Log::read(path, text);
                    anew.align(step.after);
                    *log = Some(anew);
                }
            }
            // A log that is gone is no reason to forget what became true: whoever restores it finds it behind.
            None if !*is_new => return Ok(Vec::new()),
            None => {}
        }
        let Some(log) = log.as_mut() else { return Ok(Vec::new()) };
        let edits = lower(log, read, step)?;
        log.accept();
        *is_new = false;
        Ok(edits)
    }

    /// Takes over what somebody else changed in the log.
    pub(super) fn follow(&self, change: &Change) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.log.is_none() {
            return;
        }
        kept.pending.push(change.clone());
        if kept.pending.len() >= MOST_PENDING {
            kept.catch_up();
        }
    }
}

impl Kept {
    /// Takes over what others changed.
    fn catch_up(&mut self) {
        let pending = std::mem::take(&mut self.pending);
        if pending.is_empty() {
            return;
        }
        let change = Change::in_a_row(pending);
        if self.log.as_mut().is_some_and(|log| log.follow(&change) == Followed::Misfit) {
            self.log = None;
        }
    }
}
