//! The log of a session as it was last read, kept from one step to the next: so a step costs what it changes, and not what the
//! log holds (RM-15). Steps of other processes are followed by the same operations; a text that is another than expected is
//! read anew. Must not decide anything.

use std::sync::{Arc, Mutex, PoisonError};

use dialect::roadmap::Log;
use dialect::{Edit, Trouble};
use machine::roadmap::{Fact, Session};
use text::Text;

use super::spelled::{Step, lower};

/// The log, where it was read. All versions of a session share it: whoever finds another text reads again.
#[derive(Debug, Clone, Default)]
pub(super) struct Shelf(Arc<Mutex<Option<Log>>>);

impl Shelf {
    /// What facts change in log and task file. `read` gives documents as they are before the step.
    pub(super) fn edits(
        &self,
        after: &Session,
        facts: &[Fact],
        read: &dyn Fn(&str) -> Option<Text>,
    ) -> Result<Vec<(String, Edit)>, Trouble> {
        // A log that is gone is no reason to forget what became true: whoever restores it finds it behind.
        let Some(text) = read(&after.log_file) else { return Ok(Vec::new()) };
        let step = Step { after, facts, now: moment(facts) };
        self.with(&after.log_file, &text, |log| {
            log.take_back();
            let edits = lower(log, read, &step)?;
            log.accept();
            Ok(edits)
        })
    }

    /// The same for a step that another process took: the log is what it will be found to be.
    pub(super) fn follow(&self, after: &Session, facts: &[Fact]) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(log) = kept.as_mut() else { return };
        match lower(log, &|_| None, &Step { after, facts, now: moment(facts) }) {
            Ok(_) => log.accept(),
            Err(_) => *kept = None,
        }
    }

    /// The log as it reads now.
    pub(super) fn with<T>(&self, path: &str, text: &Text, work: impl FnOnce(&mut Log) -> T) -> T {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_known = kept.as_ref().is_some_and(|log| log.text().is_same(text) || log.text() == text);
        if !is_known {
            *kept = None;
        }
        work(kept.get_or_insert_with(|| Log::read(path, text.clone())))
    }
}

/// When a step was taken, as its own facts say it: so it is the same for whoever follows. Empty if they do not.
fn moment(facts: &[Fact]) -> &str {
    fn of(fact: &Fact) -> &str {
        match fact {
            Fact::Assigned(attempt) => &attempt.since,
            Fact::Started { at, .. } | Fact::Joined { at, .. } | Fact::Over { at, .. } => at,
            Fact::Refused { at, .. } | Fact::Replied { at, .. } => at,
            Fact::Asked(question) => &question.since,
            _ => "",
        }
    }
    facts.iter().map(of).max().unwrap_or_default()
}
