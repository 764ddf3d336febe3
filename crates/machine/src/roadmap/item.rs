//! One item of a roadmap, and the groups that hold them. Only leaves are items (RM-19).

use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use super::words::{Status, Verdict};

/// An entry of the roadmap that can be done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Item {
    /// By what it is known: its number as written, made unique; without a number, something made of its title.
    pub key: String,
    /// Its number as written; empty without one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub number: String,
    /// What is to be done.
    pub title: String,
    /// The group it stands in, by key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// Items that must be completed first, by key, as written: they may be missing, cancelled, or itself.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub depends_on: Vec<String>,
    /// Files and folders that it will change, from the project's root (BY-10).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub claims: Vec<String>,
    /// Where it stands.
    pub status: Status,
    /// The attempt that has it; nothing while its work waits for its integration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub holder: Option<u64>,
    /// Who has it, as the log says: `<name>-<uuid>`. Empty when nobody does.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub executor: String,
    /// Its place in the queue, while its work waits for its integration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queued: Option<u64>,
    /// Its newest entry in the work log.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last: Option<Last>,
    /// How often it asked.
    #[serde(default, skip_serializing_if = "is_none")]
    pub asked: u32,
    /// Its questions that are not done with, the newest last.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub questions: Vec<String>,
    /// How often it was planned around, those it came from included.
    #[serde(default, skip_serializing_if = "is_none")]
    pub replanned: u32,
    /// Where the unfinished work of the last attempt is kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partial: Option<String>,
    /// What it took so far.
    #[serde(default, skip_serializing_if = "Tries::is_empty")]
    pub tries: Tries,
    /// It may not be tried before this moment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rest: Option<Rest>,
}

/// What the newest entry of the work log says of an item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Last {
    /// Its result.
    pub verdict: Verdict,
    /// Whether a Pending result is something in the way, and not a pause.
    #[serde(default)]
    pub is_blocker: bool,
    /// Its summary.
    pub summary: String,
    /// The number of the entry.
    pub log: u64,
}

/// How often something did not succeed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tries {
    /// Attempts so far.
    #[serde(default, skip_serializing_if = "is_none")]
    pub attempts: u32,
    /// Reports that were sent back.
    #[serde(default, skip_serializing_if = "is_none")]
    pub sent_back: u32,
    /// Attempts that ended without a report.
    #[serde(default, skip_serializing_if = "is_none")]
    pub lost: u32,
    /// Attempts that failed.
    #[serde(default, skip_serializing_if = "is_none")]
    pub failed: u32,
    /// Times it was put off.
    #[serde(default, skip_serializing_if = "is_none")]
    pub rests: u32,
    /// Pauses: results that are Pending and no blocker.
    #[serde(default, skip_serializing_if = "is_none")]
    pub pauses: u32,
    /// What was wrong with the last report.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<String>,
}

/// Work that may not be done yet (BY-09).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rest {
    /// Since when.
    pub since: String,
    /// Until when.
    pub until: String,
    /// Why, in the agent's words.
    pub reason: String,
}

/// An entry of the roadmap that holds others.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Group {
    /// By what it is known, among items and groups.
    pub key: String,
    /// What it says.
    pub title: String,
    /// The group that it stands in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
}

/// Where something goes among the items.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Spot {
    /// Before all others.
    First,
    /// Right after this item.
    After(String),
    /// Behind all others.
    Last,
}

impl Item {
    /// An item that nobody has touched.
    pub fn new(key: &str, title: &str) -> Self {
        Self {
            key: key.into(),
            number: String::new(),
            title: title.into(),
            group: None,
            depends_on: Vec::new(),
            claims: Vec::new(),
            status: Status::Pending,
            holder: None,
            executor: String::new(),
            queued: None,
            last: None,
            asked: 0,
            questions: Vec::new(),
            replanned: 0,
            partial: None,
            tries: Tries::default(),
            rest: None,
        }
    }

    /// Whether its newest entry says that something is in its way.
    pub fn is_blocked(&self) -> bool {
        self.status == Status::Pending
            && self.last.as_ref().is_some_and(|last| last.verdict == Verdict::Pending && last.is_blocker)
    }

    /// Whether it counts for the progress.
    pub fn is_effective(&self) -> bool {
        self.status != Status::Cancelled
    }

    /// As a work log names it: `1.2. Move shared code`.
    pub fn objective(&self) -> String {
        if self.number.is_empty() {
            return self.title.clone();
        }
        let dot = if self.number.ends_with('.') { "" } else { "." };
        alloc::format!("{}{dot} {}", self.number, self.title)
    }
}

impl Tries {
    /// Whether nothing happened yet.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde hands out references")]
fn is_none(count: &u32) -> bool {
    *count == 0
}
