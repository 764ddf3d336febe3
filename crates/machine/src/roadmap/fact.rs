//! What is now true of a session. Facts stand in the journal for ever, so their spelling does not change; new ones may be
//! added. Work-log entries and states are facts, so that whoever writes the log decides nothing. Facts that follow from a
//! log as somebody wrote it say what it says already: only what it does not say yet is to be written.

use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use super::item::{Group, Item, Rest, Spot};
use super::state::{Attempt, Check, Integration, Question};
use super::words::{Ground, Over, Part, Period, Status, Verdict, Work};
use crate::run::Cast;

/// One thing that became true.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(clippy::large_enum_variant, reason = "a fact lives for one decision, and most of them are as large")]
pub enum Fact {
    /// The session began.
    Started {
        /// The task's name.
        name: String,
        /// Its file.
        task_file: String,
        /// Its log.
        log_file: String,
        /// Folders that belong to it.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        dirs: Vec<String>,
        /// What the work stands on.
        ground: Ground,
        /// How many steps an executor has for one item.
        quota: u32,
        /// How often the task is due.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        period: Option<Period>,
        /// The period that the log is of; empty without one.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        period_key: String,
        /// The digest of the goal.
        goal: String,
        /// The digest of the goal that the roadmap was planned for; empty if it never was.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        planned: String,
        /// The number of the newest entry of the work log.
        #[serde(default)]
        log_number: u64,
        /// When.
        at: String,
        /// The digest of the configuration.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        definition: String,
    },
    /// The work of a period begins: every item that is not cancelled is Pending (RM-13).
    Renewed {
        /// The name of the period.
        period: String,
    },
    /// An opening takes work from here on.
    Joined {
        /// Its name.
        opening: String,
        /// The name of its executors.
        name: String,
        /// When.
        at: String,
        /// Who works for it.
        #[serde(default, skip_serializing_if = "Cast::is_empty")]
        cast: Cast,
    },
    /// An opening takes no more work.
    Left {
        /// Its name.
        opening: String,
        /// Why.
        reason: String,
    },
    /// Somebody was given work; its item is Locked by it (RM-05).
    Assigned(Attempt),
    /// An attempt is over. What follows for its item is a fact of its own.
    Ended {
        /// Which.
        fence: u64,
        /// How.
        how: Ended,
    },
    /// An item stands elsewhere: one arrow of the diagram (RM-03).
    Moved {
        /// Which.
        item: String,
        /// Where it stood.
        from: Status,
        /// Where it stands.
        to: Status,
    },
    /// An entry of the work log.
    Logged(Entry),
    /// The unfinished work of an item is kept there (RM-06).
    Kept {
        /// The item.
        item: String,
        /// Where.
        partial: String,
    },
    /// An item is planned around.
    Replanned {
        /// Which.
        item: String,
        /// How often, those it came from included.
        count: u32,
    },
    /// The time has come for what was put off.
    Woke {
        /// The item; nothing for planning.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        item: Option<String>,
    },
    /// What was done for an item is a commit, and waits for its integration. The item stays Locked.
    Queued(Integration),
    /// It is where everybody's work is.
    Integrated {
        /// The item.
        item: String,
        /// The commit that holds it.
        commit: String,
        /// The checks that ran on it (BY-12).
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        checks: Vec<Check>,
    },
    /// It could not be brought together with what others did; nothing was changed, and it is kept.
    Conflicted {
        /// The item.
        item: String,
        /// The item that takes both sides.
        by: String,
        /// What it conflicts with: a commit.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        with: String,
        /// Where.
        files: Vec<String>,
        /// Where the work is kept.
        kept: String,
    },
    /// A group is there, or is different.
    Grouped(Group),
    /// A group is gone.
    Ungrouped {
        /// Which.
        group: String,
    },
    /// An item is there.
    Added {
        /// It.
        item: Item,
        /// Where.
        spot: Spot,
    },
    /// An item is different; what is not said stays.
    Changed {
        /// Which.
        item: String,
        /// Its title.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        title: Option<String>,
        /// What must be completed first.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        depends_on: Option<Vec<String>>,
        /// What it will change.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        claims: Option<Vec<String>>,
    },
    /// An item stands elsewhere in the order, or in another group.
    Reordered {
        /// Which.
        item: String,
        /// Where.
        spot: Spot,
        /// Its group now.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        group: Option<String>,
    },
    /// Items have other keys, all at once: old key, new key, new number.
    Renumbered {
        /// They.
        items: Vec<(String, String, String)>,
    },
    /// An item is gone from the roadmap.
    Dropped {
        /// Which.
        item: String,
    },
    /// A person's edit of an item is not along the diagram: the log shows it as it is known (RM-03).
    PutBack {
        /// Which.
        item: String,
        /// What is wrong with the edit, and what to do.
        problem: String,
    },
    /// The work log of a document goes up to this number.
    Numbered {
        /// The newest number.
        log_number: u64,
    },
    /// What a person's edit says of an item's newest entry.
    Recalled {
        /// The item.
        item: String,
        /// What the entry says; nothing if there is none any more.
        last: Option<super::item::Last>,
    },
    /// The goal is another.
    GoalChanged {
        /// Its digest.
        goal: String,
    },
    /// The roadmap was planned for this goal.
    Aligned {
        /// The goal's digest.
        goal: String,
    },
    /// Somebody asks; the default is planned already (RM-08).
    Asked(Question),
    /// A person answered.
    Replied {
        /// The question.
        question: String,
        /// What was asked, for a question that this session did not ask.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        asked: String,
        /// The answer.
        answer: String,
        /// Who; empty for somebody who wrote into the task file.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        by: String,
        /// When.
        at: String,
    },
    /// A question is done with: its block goes.
    Settled {
        /// Which.
        question: String,
        /// Why.
        reason: String,
    },
    /// A report came from an attempt that had been taken over: it changes nothing, and its files are kept aside.
    Refused {
        /// The attempt.
        fence: u64,
        /// What it was about.
        work: Work,
        /// Who worked.
        executor: String,
        /// Why it was taken over.
        reason: String,
        /// What the report says.
        summary: String,
        /// When it came.
        at: String,
    },
    /// An agent wrote into the log what it says of its own item; its report counts.
    Noted {
        /// The attempt.
        fence: u64,
        /// What it says.
        said: Noted,
    },
    /// An agent ended its executor, as it may.
    Exited {
        /// The attempt.
        fence: u64,
        /// Which of the authorised cases it is.
        case: Exit,
        /// In its words.
        reason: String,
    },
    /// The session is paused.
    Paused {
        /// Why.
        reason: String,
    },
    /// It goes on.
    Resumed,
    /// It is over.
    Over {
        /// How.
        how: Over,
        /// In words.
        reason: String,
        /// When.
        at: String,
    },
}

/// How an attempt is over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ended {
    /// It reported, and that counts.
    Reported,
    /// It ended without a report.
    Lost(String),
    /// Its work was taken from it: its process is gone, stopped or silent, or a person or a plan decided so (BY-04).
    TakenOver(String),
    /// Its report was sent back: what was wrong, exactly.
    SentBack(Vec<String>),
    /// It failed, in the original words.
    Faltered(String),
    /// Not now.
    Rested(Rest),
}

/// One entry of the work log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// Its number, one more than that of the newest before.
    pub number: u64,
    /// The item that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub item: Option<String>,
    /// The name of the executor, without what is new for every step.
    pub executor_name: String,
    /// When the step began.
    pub at: String,
    /// The part that was played.
    pub role: Part,
    /// What was to be reached.
    pub objective: String,
    /// What came of it.
    pub result: Verdict,
    /// Whether a Pending result is something in the way.
    #[serde(default)]
    pub is_blocker: bool,
    /// In words.
    pub summary: String,
}

/// What an agent wrote into the log of its own item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Noted {
    /// The state that it wrote.
    pub status: Status,
    /// The entry that it wrote, if it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<Verdict>,
    /// Whether it is a blocker.
    #[serde(default)]
    pub is_blocker: bool,
    /// The summary of that.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub summary: String,
}

/// When an agent may end its executor (RM-09).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Exit {
    /// All is completed: the session ends.
    Complete,
    /// Nothing can be done beside what others do: this executor ends, the session goes on.
    NothingParallel,
    /// The task is periodic, and the work of the period is done: the session ends.
    PeriodComplete,
}

impl Fact {
    /// The attempt that ends with it.
    pub fn ended(&self) -> Option<u64> {
        match self {
            Self::Ended { fence, .. } => Some(*fence),
            _ => None,
        }
    }
}
