//! A person who does more to documents than edit them: removes them, moves them away and back, puts one or all back to
//! what they were at some moment; with processes at work, or alone.

use std::collections::BTreeMap;
use std::time::Duration;

use store::{Fault, FaultKind, Fs, ProjectPath};

use super::Editing;
use crate::driver::ledger::Meant;
use crate::driver::{Who, shared_documents};

impl Editing<'_> {
    /// Some deed of the hands.
    pub(super) fn handle_once(&mut self, save: usize) -> Result<(), Fault> {
        let documents = shared_documents();
        let path = &documents[self.random.below(documents.len())];
        self.think();
        self.remember()?;
        match self.random.below(8) {
            0..3 => self.edit_once(save),
            3 => self.remove(path),
            4 if self.can_rename() => self.move_away_and_back(path),
            4 | 5 => self.put_back(std::slice::from_ref(path)),
            _ => self.put_back(&documents),
        }
    }

    /// What is in the documents when nobody but the person was there since the journal was closed.
    pub(super) fn note_what_is_meant(&self, absent: &[ProjectPath]) -> Result<(), Fault> {
        let before = &self.plan.rounds[..self.round];
        let closed = before.last().is_some_and(|round| round.who == Who::Opener && round.events.is_empty());
        let mut all = BTreeMap::new();
        for path in shared_documents() {
            // One that was not there is nobody's until it is adopted.
            if !absent.contains(&path) {
                let content = self.person.read(&path)?;
                let put_back = self.put_back.contains(&path);
                all.insert(path, Meant { content, put_back });
            }
        }
        if closed {
            self.ledger.deeds().meant = all;
        }
        Ok(())
    }

    /// The shared documents that have no file.
    pub(super) fn absent(&self) -> Result<Vec<ProjectPath>, Fault> {
        let mut absent = Vec::new();
        for path in shared_documents() {
            if self.person.read(&path)?.is_none() {
                absent.push(path);
            }
        }
        Ok(absent)
    }

    /// Keeps the documents as they are now, as one would with `git commit`.
    fn remember(&self) -> Result<(), Fault> {
        let mut moment = BTreeMap::new();
        for path in shared_documents() {
            let content = self.person.read(&path)?;
            moment.insert(path, content);
        }
        self.ledger.deeds().moments.push(moment);
        Ok(())
    }

    fn remove(&mut self, path: &ProjectPath) -> Result<(), Fault> {
        self.ledger.give_up(path);
        unless_missing(self.person.remove(path))
    }

    fn move_away_and_back(&mut self, path: &ProjectPath) -> Result<(), Fault> {
        let Ok(away) = ProjectPath::document("away.md") else { return Ok(()) };
        self.ledger.give_up(path);
        match self.person.rename(path, &away) {
            Err(fault) if fault.kind == FaultKind::Missing => return Ok(()),
            other => other?,
        }
        self.think();
        self.put_back.insert(path.clone());
        self.person.rename(&away, path)
    }

    /// Some documents as they were at some moment, as one would with `git checkout`.
    fn put_back(&mut self, paths: &[ProjectPath]) -> Result<(), Fault> {
        let moment = {
            let deeds = self.ledger.deeds();
            deeds.moments[self.random.below(deeds.moments.len())].clone()
        };
        for path in paths {
            let now = self.person.read(path)?;
            let then = moment.get(path).cloned().flatten();
            if now == then {
                continue;
            }
            self.ledger.give_up(path);
            self.put_back.insert(path.clone());
            match then {
                None => unless_missing(self.person.remove(path))?,
                Some(content) if self.can_rename() && self.random.one_in(2) => {
                    self.person.save_by_rename(path, &content)?;
                }
                Some(content) => self.person.save_in_place(path, &content, 4096)?,
            }
        }
        self.person.fs().pause(Duration::from_millis(1));
        Ok(())
    }
}

fn unless_missing(done: Result<(), Fault>) -> Result<(), Fault> {
    match done {
        Err(fault) if fault.kind == FaultKind::Missing => Ok(()),
        other => other,
    }
}
