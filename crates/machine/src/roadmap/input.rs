//! What comes to a session from outside, what is known of the world beside it, and what a decision is.

use alloc::collections::BTreeSet;
use alloc::string::String;
use alloc::vec::Vec;

use super::changes::{NewItem, PlanChanges};
use super::fact::{Fact, Noted};
use super::item::{Group, Last};
use super::state::{Check, Question, Session};
use super::words::{Ground, Part, Period, Status, Verdict};
use crate::run::Cast;

/// What comes from outside.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(clippy::large_enum_variant, reason = "an input lives for one decision, and there is one at a time")]
pub enum Input {
    /// Look what can go on, and whose time is up.
    Wake,
    /// This opening takes work from here on.
    Join {
        /// The name of its executors.
        name: String,
    },
    /// This opening takes no more work, and what it has is given back.
    Leave,
    /// An attempt ended.
    Report {
        /// Which.
        fence: u64,
        /// How.
        outcome: Outcome,
    },
    /// The log was edited: it reads like this now.
    Edited {
        /// The log.
        reading: Reading,
        /// By whom.
        by: Editor,
    },
    /// The task file reads like this now.
    TaskEdited(TaskReading),
    /// A person adds an item.
    Add {
        /// It.
        item: NewItem,
        /// Who.
        by: String,
    },
    /// A person moves an item in the order, or into another group.
    Move {
        /// Which.
        item: String,
        /// After this item, and into its group; nothing for the first place.
        after: Option<String>,
        /// Into this group, if it is another.
        group: Option<String>,
        /// Who.
        by: String,
    },
    /// A person takes an item out.
    CancelItem {
        /// Which.
        item: String,
        /// Why.
        reason: String,
        /// Who.
        by: String,
    },
    /// A person answers a question; without an id, the only one there is.
    Answer {
        /// Its id.
        question: Option<String>,
        /// The answer.
        answer: String,
        /// Who.
        by: String,
    },
    /// An agent wants to end its executor, or the session (`jixo_task_exit`).
    ExitAsked {
        /// Its attempt.
        fence: u64,
        /// Why.
        reason: String,
    },
    /// Hand out no more work.
    Pause {
        /// Why.
        reason: String,
    },
    /// Go on.
    Resume,
    /// A person ends the session.
    Cancel {
        /// Who.
        by: String,
    },
}

/// Who edited a log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Editor {
    /// A person: what can be taken is, the rest is put back with a problem.
    Person,
    /// An agent, through its tools: refused whole where it is not valid. The log is written from what is decided, never
    /// from its text.
    Agent {
        /// Its attempt.
        fence: u64,
        /// What its newest entry in the work log says of its own item, if it wrote one.
        noted: Option<Noted>,
    },
}

/// How an attempt ended, as code sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The planner's changes.
    Planned {
        /// What is to change; nothing changes the roadmap if it is empty.
        changes: PlanChanges,
        /// In words.
        summary: String,
    },
    /// The item is done. With a repository its commit is integrated first.
    Done {
        /// In words.
        summary: String,
        /// The commit, as an object; nothing where nothing changed, or without a repository.
        commit: Option<String>,
        /// The files that it changes.
        files: Vec<String>,
    },
    /// It could not be done.
    Failed {
        /// In the original words.
        summary: String,
    },
    /// It was begun: the steps ran out, or something is in the way.
    Pending {
        /// In words.
        summary: String,
        /// Whether something is in the way.
        is_blocker: bool,
        /// Where the unfinished work is kept.
        partial: Option<String>,
    },
    /// It needs to know more; this is done meanwhile.
    Asked {
        /// The question.
        question: String,
        /// The default path.
        default: PlanChanges,
        /// It in words.
        summary: String,
        /// Where the unfinished work is kept.
        partial: Option<String>,
    },
    /// Code brought the commit where everybody's work is.
    Integrated {
        /// The commit that holds it.
        commit: String,
        /// The checks that ran on it.
        checks: Vec<Check>,
    },
    /// Code could not: it conflicts with what others did.
    Conflicted {
        /// The commit on the other side.
        with: String,
        /// The item that made it, if that is known.
        item: Option<String>,
        /// Where.
        files: Vec<String>,
        /// Where the work is kept.
        kept: String,
    },
    /// Files changed since they were given out, without a repository.
    Clashed {
        /// They.
        files: Vec<String>,
        /// Who changed them, in words; empty where nobody knows.
        with: String,
        /// Where the work is kept.
        kept: String,
        /// What the executor says.
        summary: String,
    },
    /// Not now: a rate limit or a quota.
    Later {
        /// How long to wait.
        seconds: u64,
        /// Why.
        reason: String,
    },
    /// The agent asks for a pause of the session.
    Paused(String),
    /// The report breaks the contract: exactly how.
    Broken(Vec<String>),
    /// Its process is gone, without a word.
    Lost(String),
}

/// A log as it reads, whole.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reading {
    /// Groups, in order; each after the one it stands in.
    pub groups: Vec<Group>,
    /// Items, in order, with unique keys.
    pub items: Vec<ReadItem>,
    /// The greatest number of an entry of the work log; 0 without one.
    pub log_number: u64,
    /// The entries of the work log that have a number, in any order. Empty where they are not told: then what is known of
    /// them stays.
    pub entries: Vec<ReadEntry>,
}

/// An entry of the work log as it reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadEntry {
    /// Its number.
    pub number: u64,
    /// Its result.
    pub result: Verdict,
    /// Whether a Pending result is something in the way.
    pub is_blocker: bool,
}

/// An item as it reads.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReadItem {
    /// Its number, made unique; without a number, something made of its title.
    pub key: String,
    /// Its number as written.
    pub number: String,
    /// Its title.
    pub title: String,
    /// Its group, by key.
    pub group: Option<String>,
    /// What must be completed first, by key.
    pub depends_on: Vec<String>,
    /// What it will change.
    pub claims: Vec<String>,
    /// Its state; nothing where that cannot be told.
    pub status: Option<Status>,
    /// Its executor.
    pub executor: String,
    /// Its newest entry in the work log, by the entry's objective. Counts where a session begins, and for entries that a
    /// person added.
    pub last: Option<Last>,
}

/// A task file as it reads.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TaskReading {
    /// The digest of the goal, without questions.
    pub goal: String,
    /// The blocks of questions.
    pub questions: Vec<ReadQuestion>,
}

/// A question as it reads.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReadQuestion {
    /// Its id.
    pub id: String,
    /// What is asked.
    pub question: String,
    /// The answer, once there is one.
    pub answer: Option<String>,
}

/// What a session begins with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Beginning {
    /// The task's name.
    pub name: String,
    /// Its file.
    pub task_file: String,
    /// Its log.
    pub log_file: String,
    /// Folders that belong to it.
    pub dirs: Vec<String>,
    /// What the work stands on.
    pub ground: Ground,
    /// How many steps an executor has for one item.
    pub quota: u32,
    /// How often the task is due.
    pub period: Option<Period>,
    /// The period that the log names; empty without one.
    pub period_key: String,
    /// The task file.
    pub task: TaskReading,
    /// What the session before asked, and did not hear of any more: the task file may have the answers.
    pub asked: Vec<Question>,
    /// The log; empty if there was none.
    pub log: Reading,
    /// The digest of the goal that the log was planned for; empty without one.
    pub planned: String,
    /// The digest of the configuration.
    pub definition: String,
    /// The name of this opening's executors.
    pub executor: String,
}

/// What is known of the world when a decision is made.
#[derive(Debug, Clone)]
pub struct World<'a> {
    /// The time, as it is written into facts.
    pub now: &'a str,
    /// The name of this process's opening.
    pub me: &'a str,
    /// Who works for it.
    pub cast: &'a Cast,
    /// Those openings that are alive, this one included: their process exists.
    pub alive: &'a BTreeSet<String>,
    /// Those that are alive and stopped, or unheard for three lease times.
    pub stopped: &'a BTreeSet<String>,
    /// How many more attempts this process may have. The hand of an attempt whose report the input is counts as free; of
    /// those that end in other ways the machine knows by itself. Code that integrates takes no hand.
    pub free: usize,
    /// Parts that people play.
    pub people: &'a BTreeSet<Part>,
    /// What makes the identity of a step unlike any other: a UUID made of opening and fence, the same each time.
    pub uuid: fn(&str, u64) -> String,
}

/// What follows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// The session with the facts taken in.
    pub session: Session,
    /// What becomes true, in order.
    pub facts: Vec<Fact>,
    /// What must be done after the commit.
    pub effects: Vec<Effect>,
}

/// What must be done after the commit. Each is safe to repeat.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// Set whoever it is for to the attempt of this fence. Attempts of this opening only.
    Start(u64),
    /// End the attempt of this fence, if it is one of this opening; others see in the journal that theirs is over.
    Stop(u64),
    /// Keep the files of the attempt aside for a person: its report was refused.
    KeepAside(u64),
    /// Tell people.
    Tell(Told),
}

/// What people are told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Told {
    /// A question waits; work goes on.
    Question(String),
    /// A part of an edit was put back, or a report refused: in words.
    Problem(String),
    /// The session is paused by itself.
    Paused,
    /// It is over.
    Over,
}

impl Outcome {
    /// What it says, for a report that is refused.
    pub fn summary(&self) -> String {
        match self {
            Self::Planned { summary, .. }
            | Self::Done { summary, .. }
            | Self::Failed { summary }
            | Self::Pending { summary, .. }
            | Self::Asked { summary, .. }
            | Self::Clashed { summary, .. } => summary.clone(),
            Self::Integrated { commit, .. } => alloc::format!("integrated as {commit}"),
            Self::Conflicted { with, files, .. } => alloc::format!("conflicts with {with} in {}", files.join(", ")),
            Self::Later { reason, .. } | Self::Paused(reason) | Self::Lost(reason) => reason.clone(),
            Self::Broken(problems) => problems.join("; "),
        }
    }
}
