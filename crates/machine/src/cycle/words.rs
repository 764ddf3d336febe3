//! Who takes part in a cycle, what they can say, and how their turns are signed. Nothing is decided here.

use core::fmt;

use serde::{Deserialize, Serialize};

/// The fields that a block has beside those of every block, by what they are for.
pub mod field {
    /// Planner to Actor: where to work,
    pub const LOCATIONS: &str = "Specific File Locations";
    /// what to do there,
    pub const CHANGE: &str = "What to Change";
    /// what to leave alone,
    pub const AVOID: &str = "What to Avoid";
    /// and by what it is known that it is done.
    pub const WIN_STATE: &str = "Subordinate Goal Win-State";
    /// Actor to Judge: where to look,
    pub const WHERE: &str = "Where to Look";
    /// what changed,
    pub const WHAT: &str = "What Changed";
    /// why,
    pub const WHY: &str = "Why";
    /// and what to test.
    pub const TESTING: &str = "Testing Notes";
    /// Judge: how far the goal is,
    pub const SUPERORDINATE: &str = "Superordinate Goal Status";
    /// how far the loop's own goal is,
    pub const SUBORDINATE: &str = "Subordinate Goal Status";
    /// what is missing,
    pub const DISCREPANCY: &str = "Discrepancy Diagnosis";
    /// why,
    pub const SOURCE: &str = "Main Source";
    /// the Human's words,
    pub const FEEDBACK: &str = "Human Feedback";
    /// what to do,
    pub const RECOMMENDED: &str = "Recommended Changes";
    /// what the Human should decide,
    pub const NEXT_STEPS: &str = "Next Steps";
    /// and, by code, how the checks ended.
    pub const CHECKS: &str = "Checks";
}

/// Who takes turns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Party {
    /// Sets the goal, answers, approves.
    Human,
    /// Says what one loop is to reach.
    Planner,
    /// Does it.
    Actor,
    /// Measures how far it is from the goal.
    Judge,
}

impl Party {
    /// All of them, in the order of their steps.
    pub const ALL: [Self; 4] = [Self::Human, Self::Planner, Self::Actor, Self::Judge];

    /// As blocks spell it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Human => "Human",
            Self::Planner => "Planner",
            Self::Actor => "Actor",
            Self::Judge => "Judge",
        }
    }

    /// The step of a loop that is its own; a Human's turns after the first carry [`Signature::HUMAN_STEP`].
    pub fn step(self) -> u32 {
        match self {
            Self::Human => 0,
            Self::Planner => 1,
            Self::Actor => 2,
            Self::Judge => 3,
        }
    }
}

impl fmt::Display for Party {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}

/// What a turn ends with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Word {
    /// A goal is set.
    Init,
    /// The Planner needs to know more.
    ClarificationNeeded,
    /// There is a plan.
    PlanCreated,
    /// The Actor did it.
    Success,
    /// The Actor could not.
    Fail,
    /// What the loop was to reach is reached.
    Pass,
    /// It is not.
    Insufficient,
    /// So it shall be.
    Approved,
    /// Otherwise, in words.
    RevisionRequested,
    /// What was asked, in words.
    Answered,
    /// The branch may be merged.
    MergeApproved,
    /// The branch may be deleted.
    DeleteApproved,
    /// The cycle ends here.
    Stopped,
}

impl Word {
    /// All of them.
    pub const ALL: [Self; 13] = [
        Self::Init,
        Self::ClarificationNeeded,
        Self::PlanCreated,
        Self::Success,
        Self::Fail,
        Self::Pass,
        Self::Insufficient,
        Self::Approved,
        Self::RevisionRequested,
        Self::Answered,
        Self::MergeApproved,
        Self::DeleteApproved,
        Self::Stopped,
    ];

    /// As blocks spell it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Init => "INIT",
            Self::ClarificationNeeded => "CLARIFICATION_NEEDED",
            Self::PlanCreated => "PLAN_CREATED",
            Self::Success => "SUCCESS",
            Self::Fail => "FAIL",
            Self::Pass => "PASS",
            Self::Insufficient => "INSUFFICIENT",
            Self::Approved => "APPROVED",
            Self::RevisionRequested => "REVISION_REQUESTED",
            Self::Answered => "ANSWERED",
            Self::MergeApproved => "MERGE_APPROVED",
            Self::DeleteApproved => "DELETE_APPROVED",
            Self::Stopped => "STOPPED",
        }
    }

    /// Who alone may say it.
    pub fn party(self) -> Party {
        match self {
            Self::ClarificationNeeded | Self::PlanCreated => Party::Planner,
            Self::Success | Self::Fail => Party::Actor,
            Self::Pass | Self::Insufficient => Party::Judge,
            Self::Init
            | Self::Approved
            | Self::RevisionRequested
            | Self::Answered
            | Self::MergeApproved
            | Self::DeleteApproved
            | Self::Stopped => Party::Human,
        }
    }
}

impl fmt::Display for Word {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}

/// How far the goal of the whole cycle is, as the Judge says (CY-16).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Standing {
    /// It is met.
    Sufficient,
    /// Not yet.
    Progressing,
}

impl Standing {
    /// As blocks spell it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sufficient => "SUFFICIENT",
            Self::Progressing => "PROGRESSING",
        }
    }
}

/// Where in a cycle a turn stands: a loop, counted from 0 for the beginning, or the closing steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Lap {
    /// A loop.
    Loop(u32),
    /// The closing steps.
    Final,
}

impl fmt::Display for Lap {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Loop(number) => write!(out, "{number}"),
            Self::Final => out.write_str("FINAL"),
        }
    }
}

/// How a turn is signed: `{goal}:{loop}:{step}`. They compare in the order in which turns come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Signature {
    /// The goal's number, from 1.
    pub goal: u32,
    /// The loop.
    pub lap: Lap,
    /// The step in it.
    pub step: u32,
}

impl Signature {
    /// The step of a Human's turns after the first.
    pub const HUMAN_STEP: u32 = 4;
    /// The last of the closing steps.
    pub const LAST_STEP: u32 = 7;

    /// Who signs so; nobody if there is no such step.
    pub fn party(self) -> Option<Party> {
        match (self.lap, self.step) {
            (Lap::Loop(_), 0 | Self::HUMAN_STEP) | (Lap::Final, 4 | 6) => Some(Party::Human),
            (_, 1) => Some(Party::Planner),
            (_, 2) | (Lap::Final, 5 | 7) => Some(Party::Actor),
            (_, 3) => Some(Party::Judge),
            _ => None,
        }
    }
}

impl fmt::Display for Signature {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}:{}:{}", self.goal, self.lap, self.step)
    }
}
