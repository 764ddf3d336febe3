//! What was begun, promised and met, kept outside the simulated machine: what the examination holds against it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use store::{Fault, FaultKind, Listener, Notice, ProjectPath};

/// The deeds of all, shared by those who do them.
#[derive(Debug, Clone, Default)]
pub struct Ledger(Arc<Mutex<Deeds>>);

/// The deeds of all.
#[derive(Debug, Default)]
pub struct Deeds {
    /// Commits that were begun: the token each one writes, and the documents it writes it to.
    pub begun: Vec<Deed>,
    /// The tokens of those that were acknowledged.
    pub acknowledged: BTreeSet<String>,
    /// Tokens that a person has saved.
    pub saved: Vec<Deed>,
    /// Those that the same person may have taken out again.
    pub given_up: Vec<Deed>,
    /// The tokens of commits that were refused for good: none of them may ever be there.
    pub refused: BTreeSet<String>,
    /// The shared documents as they were at some moments; nothing for those that had no file.
    pub moments: Vec<BTreeMap<ProjectPath, Option<Vec<u8>>>>,
    /// Files that processes made for themselves, to be retired and changed later.
    pub own_files: Vec<ProjectPath>,
    /// Files that a person made, with the token in each, until somebody adopts them.
    pub notes: Vec<Deed>,
    /// What a person who was alone left in the documents.
    pub meant: BTreeMap<ProjectPath, Meant>,
    /// What the store told since then.
    pub told: Vec<Notice>,
    /// Tokens of a person that some process has taken over.
    pub taken: BTreeSet<String>,
    /// How many people are done with their round.
    pub people_done: usize,
    /// How many faults processes met.
    pub faults: u64,
    /// Those of this round after which the store was not said to need reopening.
    pub passing_faults: u64,
}

/// What a person left in a document.
#[derive(Debug, Clone)]
pub struct Meant {
    /// Nothing when it was removed.
    pub content: Option<Vec<u8>>,
    /// Whether it was put back to something older: what is alone in that may be rolled forward, with a word.
    pub put_back: bool,
}

/// A token in some documents: in all of them or in none.
#[derive(Debug, Clone)]
pub struct Deed {
    /// The token, unlike any other.
    pub token: String,
    /// The documents.
    pub documents: Vec<ProjectPath>,
}

impl Ledger {
    /// The deeds so far.
    pub fn deeds(&self) -> MutexGuard<'_, Deeds> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps what a store tells.
    pub(super) fn listener(&self) -> Listener {
        let ledger = self.clone();
        Box::new(move |notice| ledger.deeds().told.push(notice.clone()))
    }

    pub(super) fn begin(&self, token: &str, documents: &[ProjectPath]) {
        self.deeds().begun.push(Deed { token: token.into(), documents: documents.to_vec() });
    }

    pub(super) fn acknowledge(&self, token: &str) {
        self.deeds().acknowledged.insert(token.into());
    }

    pub(super) fn refuse(&self, tokens: impl IntoIterator<Item = String>) {
        self.deeds().refused.extend(tokens);
    }

    pub(super) fn save(&self, token: &str, document: &ProjectPath) {
        self.deeds().saved.push(Deed { token: token.into(), documents: vec![document.clone()] });
    }

    /// What a person saved in a document may be overwritten by the same person before anybody saw it.
    pub(super) fn give_up(&self, document: &ProjectPath) {
        let mut deeds = self.deeds();
        let (given_up, kept) = deeds.saved.drain(..).partition(|deed| deed.documents.contains(document));
        deeds.saved = kept;
        deeds.given_up.extend::<Vec<Deed>>(given_up);
    }

    pub(super) fn meet(&self, fault: &Fault) {
        let mut deeds = self.deeds();
        deeds.faults += 1;
        deeds.passing_faults += u64::from(fault.kind != FaultKind::Reopen);
    }
}
