//! A log, `.jixo/<name>.log.md`: front matter, roadmap, work log. Read whole once, and then kept in step: an operation is
//! some splices of the text, found through an index of pieces, and costs the same in a log of any length (RM-15). Must not
//! decide anything.

use machine::roadmap::{Entry, Status, Verdict};
use text::Text;

use super::problem::{Deviation, Weight, deviation};
use crate::sheet::Revision;
use crate::trouble::Trouble;

/// A log, and what it says.
#[derive(Debug, Clone)]
pub struct Log {
    path: String,
    text: Text,
    front: Front,
    problems: Vec<Deviation>,
}

/// What the front matter of a log says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Front {
    /// What the log is about.
    pub title: String,
    /// How far it is, from 0 to 100, as it says.
    pub progress: Option<u8>,
    /// When it was made.
    pub create_time: String,
    /// When it was last changed.
    pub update_time: String,
    /// The digest of the goal that the roadmap was planned for; empty without one.
    pub goal: String,
    /// The period that its states are of; empty without one.
    pub period: String,
}

/// An item of the roadmap as it reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogItem {
    /// Its number, made unique; without a number, something made of its title.
    pub key: String,
    /// Its number as written; empty without one.
    pub number: String,
    /// What is to be done.
    pub title: String,
    /// The group it stands in, by key.
    pub group: Option<String>,
    /// Its state; nothing where that cannot be told.
    pub status: Option<Status>,
    /// What its box says of it; nothing without one.
    pub is_ticked: Option<bool>,
    /// Who holds it; empty when nobody does.
    pub executor: String,
    /// What must be completed first, by key.
    pub depends_on: Vec<String>,
    /// What it will change.
    pub claims: Vec<String>,
    /// Its line, from 1.
    pub line: usize,
}

/// A group of the roadmap as it reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogGroup {
    /// By what it is known, among items and groups.
    pub key: String,
    /// What it says.
    pub title: String,
    /// The group it stands in, by key.
    pub parent: Option<String>,
    /// What its box says; nothing without one.
    pub is_ticked: Option<bool>,
    /// Its line, from 1.
    pub line: usize,
}

/// An entry of the work log as it reads.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LogEntry {
    /// Its number.
    pub number: Option<u64>,
    /// Who worked.
    pub executor_name: String,
    /// When the step began, as it is written.
    pub at: String,
    /// The part that was played, as it is written.
    pub role: String,
    /// What was to be reached.
    pub objective: String,
    /// The item that the objective names, by key.
    pub item: Option<String>,
    /// What came of it.
    pub result: Option<Verdict>,
    /// Whether a Pending result is something in the way; it is without the line.
    pub is_blocker: bool,
    /// In words.
    pub summary: String,
    /// Its line, from 1.
    pub line: usize,
}

/// What the front matter is to say; what is not given stays.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FrontChange {
    /// How far it is, from 0 to 100.
    pub progress: Option<u8>,
    /// When it was changed.
    pub update_time: Option<String>,
    /// The digest of the goal that the roadmap was planned for.
    pub goal: Option<String>,
    /// The period that its states are of.
    pub period: Option<String>,
}

/// Where an item goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Where {
    /// Behind all others of its group.
    Last,
    /// Before all others of its group.
    First,
    /// Right behind this item.
    After(String),
}

impl Log {
    /// Reads a log. This never fails; what is odd is in [`Log::problems`].
    pub fn read(path: &str, text: impl Into<Text>) -> Self {
        Self { path: path.to_owned(), text: text.into(), front: Front::default(), problems: Vec::new() }
    }

    /// The text as it is now, operations included.
    pub fn text(&self) -> &Text {
        &self.text
    }

    /// What the front matter says.
    pub fn front(&self) -> &Front {
        &self.front
    }

    /// What was odd when it was read.
    pub fn problems(&self) -> &[Deviation] {
        &self.problems
    }

    /// All items, in order.
    pub fn items(&self) -> Vec<LogItem> {
        Vec::new()
    }

    /// All groups, in order; each after the one it stands in.
    pub fn groups(&self) -> Vec<LogGroup> {
        Vec::new()
    }

    /// All entries of the work log, newest first. Reads the whole work log.
    pub fn entries(&self) -> Vec<LogEntry> {
        Vec::new()
    }

    /// Sets an item's state, its box and its executor: a line of its own while it is Locked, none otherwise.
    pub fn set_item(&mut self, _key: &str, _status: Status, _executor: &str) -> Result<(), Trouble> {
        Err(self.trouble("not written yet"))
    }

    /// Ticks a group's box, or not. A group without a box has none to tick.
    pub fn tick_group(&mut self, _key: &str, _is_ticked: bool) -> Result<(), Trouble> {
        Err(self.trouble("not written yet"))
    }

    /// Adds an entry to the work log, above all others (RM-07).
    pub fn add_entry(&mut self, _entry: &Entry) -> Result<(), Trouble> {
        Err(self.trouble("not written yet"))
    }

    /// Sets keys of the front matter.
    pub fn set_front(&mut self, _change: &FrontChange) -> Result<(), Trouble> {
        Err(self.trouble("not written yet"))
    }

    /// What the operations since the last [`Log::accept`] changed; nothing if nothing did.
    pub fn revision(&self) -> Option<Revision> {
        None
    }

    /// The operations are committed.
    pub fn accept(&mut self) {}

    /// The operations have not happened.
    pub fn take_back(&mut self) {}

    fn trouble(&self, reason: &str) -> Trouble {
        Trouble { path: self.path.clone(), line: 0, reason: reason.into(), hint: String::new() }
    }
}

/// Says that a file is not UTF-8, or has bytes that hide what it says.
pub(crate) fn tell_encoding(bytes: &[u8], text: &str, problems: &mut Vec<Deviation>) {
    if std::str::from_utf8(bytes).is_err() {
        let at = text.find('\u{1A}').unwrap_or(0);
        let reason = "the file is not UTF-8".into();
        problems.push(deviation(at..at + 1, Weight::Form, reason, "save it as UTF-8".into()));
    }
}
