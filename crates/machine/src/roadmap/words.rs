//! The words of a roadmap: states of items, results of steps, parts that are played, and the pieces of work there are.

use alloc::string::String;
use core::fmt;

use serde::{Deserialize, Serialize};

/// Where an item stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Nobody has it.
    Pending,
    /// An executor has it, or its work waits for its integration.
    Locked,
    /// It is done.
    Completed,
    /// It was tried, and could not be done.
    Failed,
    /// A plan or a person took it out.
    Cancelled,
}

/// The result of one step, as the work log says it (RM-18).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The objective was reached.
    Succeeded,
    /// It could not be reached.
    Failed,
    /// It was begun, and is to be gone on with or planned around.
    Pending,
    /// It is not wanted any more.
    Cancelled,
}

/// The part that an executor plays in one step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// Changes the roadmap.
    Planner,
    /// Does one item of it.
    Executor,
}

/// What there is to do.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Work {
    /// By a planner.
    Plan(Why),
    /// By an executor: this item.
    Do(String),
    /// By code: what was done for this item goes where everybody's work is.
    Integrate(String),
}

/// Why there is to be planned.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Why {
    /// This item came back with something in its way.
    Blocked(String),
    /// This item failed.
    Failed(String),
    /// This question was answered.
    Reply(String),
    /// There is no roadmap, or the goal is not the one that it was made for.
    Misaligned,
}

/// What the work stands on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ground {
    /// A repository: a report's commit is integrated by code before its item is completed.
    Repository,
    /// Files without one: they come with the report.
    Files,
}

/// How often a periodic task is due (RM-13). Periods are those of UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Period {
    /// Once an hour.
    Hourly,
    /// Once a day.
    Daily,
}

/// How a session ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Over {
    /// Every effective item is completed.
    Done,
    /// A person ended it.
    Cancelled,
    /// Nothing can run, and nobody works.
    Deadlock,
}

impl Status {
    /// All there are.
    pub const ALL: [Self; 5] = [Self::Pending, Self::Locked, Self::Completed, Self::Failed, Self::Cancelled];

    /// As logs spell it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Pending => "Pending",
            Self::Locked => "Locked",
            Self::Completed => "Completed",
            Self::Failed => "Failed",
            Self::Cancelled => "Cancelled",
        }
    }
}

impl Verdict {
    /// All there are.
    pub const ALL: [Self; 4] = [Self::Succeeded, Self::Failed, Self::Pending, Self::Cancelled];

    /// As logs spell it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Succeeded => "Succeeded",
            Self::Failed => "Failed",
            Self::Pending => "Pending",
            Self::Cancelled => "Cancelled",
        }
    }
}

impl Part {
    /// As logs spell it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Planner => "Planner",
            Self::Executor => "Executor",
        }
    }
}

impl Work {
    /// Whose work it is; nothing where code does it.
    pub fn part(&self) -> Option<Part> {
        match self {
            Self::Plan(_) => Some(Part::Planner),
            Self::Do(_) => Some(Part::Executor),
            Self::Integrate(_) => None,
        }
    }

    /// The item that is locked for it.
    pub fn item(&self) -> Option<&str> {
        match self {
            Self::Do(item) | Self::Integrate(item) => Some(item),
            Self::Plan(_) => None,
        }
    }

    /// The word for it in a brief.
    pub fn action(&self) -> &'static str {
        match self {
            Self::Plan(Why::Blocked(_)) => "plan_around_blocked",
            Self::Plan(Why::Failed(_)) => "plan_around_failed",
            Self::Plan(Why::Reply(_)) => "plan_with_reply",
            Self::Plan(Why::Misaligned) => "plan_goal",
            Self::Do(_) => "do_item",
            Self::Integrate(_) => "integrate",
        }
    }
}

impl Why {
    /// The item that is to be planned around.
    pub fn item(&self) -> Option<&str> {
        match self {
            Self::Blocked(item) | Self::Failed(item) => Some(item),
            Self::Reply(_) | Self::Misaligned => None,
        }
    }
}

impl Period {
    /// As task files spell it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Hourly => "hourly",
            Self::Daily => "daily",
        }
    }

    /// The name of the period in which a moment is: `2026-11-17`, `2026-11-17T03`.
    pub fn key_of(self, moment: &str) -> String {
        let length = match self {
            Self::Hourly => 13,
            Self::Daily => 10,
        };
        moment.get(..length).unwrap_or(moment).into()
    }

    /// When the period after the one of a moment begins.
    pub fn next_after(self, moment: &str) -> String {
        let (rest, seconds) = match self {
            Self::Hourly => (":00:00Z", 3600),
            Self::Daily => ("T00:00:00Z", 86_400),
        };
        let mut begin = self.key_of(moment);
        begin.push_str(rest);
        crate::moment::later(&begin, seconds)
    }
}

impl fmt::Display for Status {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.word())
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.word())
    }
}

impl fmt::Display for Work {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Plan(why) => write!(out, "{why}"),
            Self::Do(item) => write!(out, "item {item}"),
            Self::Integrate(item) => write!(out, "the integration of item {item}"),
        }
    }
}

impl fmt::Display for Why {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Blocked(item) => write!(out, "a plan around item {item}, which is blocked"),
            Self::Failed(item) => write!(out, "a plan around item {item}, which failed"),
            Self::Reply(question) => write!(out, "a plan with the answer to {question}"),
            Self::Misaligned => write!(out, "a plan for the goal"),
        }
    }
}
