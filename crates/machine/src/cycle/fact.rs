//! What is now true of a cycle. Facts stand in the journal for ever, so their spelling does not change; new ones may be
//! added. Where a cycle goes is a fact of its own, so that a replay routes nothing.

use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use super::input::Stated;
use super::state::{Attempt, Ground, Place, Rest, Upfront};
use super::turn::{Check, Measured, Turn};
use crate::run::Cast;

/// One thing that became true.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fact {
    /// The cycle began.
    Started {
        /// `YYYY-MM-DD-NNN`.
        cycle_id: String,
        /// From 1.
        goal_number: u32,
        /// The Human's words.
        goal: String,
        /// What is so, line by line.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        current_state: Vec<String>,
        /// Documents to know.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        context_docs: Vec<String>,
        /// What it works on.
        ground: Ground,
        /// Whether a plan of the whole comes first.
        upfront: Upfront,
        /// How many loops until the Human is asked.
        loops: u32,
        /// How many seconds.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        seconds: Option<u64>,
        /// When.
        at: String,
        /// The digest of the configuration.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        definition: String,
    },
    /// A process drives it from here on; nobody when it let go.
    Driven {
        /// The name of its opening.
        by: Option<String>,
        /// Who works for it.
        #[serde(default, skip_serializing_if = "Cast::is_empty")]
        cast: Cast,
    },
    /// Somebody was given work.
    Assigned(Attempt),
    /// A report was sent back.
    SentBack {
        /// The attempt.
        fence: u64,
        /// What was wrong, exactly.
        problems: Vec<String>,
    },
    /// An attempt ended without a report.
    Lost {
        /// The attempt.
        fence: u64,
        /// Why.
        reason: String,
    },
    /// An attempt failed, in the original words.
    Faltered {
        /// The attempt.
        fence: u64,
        /// The words.
        error: String,
    },
    /// Its agent may not work yet.
    Rested {
        /// The attempt.
        fence: u64,
        /// Until when, and why.
        rest: Rest,
    },
    /// The time has come for what was put off.
    Woke,
    /// What stands before the loop is noted.
    Checkpointed {
        /// The attempt.
        fence: u64,
        /// The goal's branch.
        branch: String,
        /// The branch that it goes back into.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        base: String,
        /// What it stands at.
        commit: String,
    },
    /// What an Actor changed, measured.
    Changed {
        /// How much, and where.
        measured: Measured,
    },
    /// The test battery ran.
    Checked {
        /// The attempt.
        fence: u64,
        /// On what.
        commit: String,
        /// How it went.
        checks: Vec<Check>,
    },
    /// Somebody took a turn: an entry of the record.
    Turned {
        /// The attempt; nothing for a Human.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        fence: Option<u64>,
        /// The turn.
        turn: Turn,
        /// Paths that the Actor is to leave alone, where it is a plan.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        avoid: Vec<String>,
    },
    /// A loop begins.
    Looped {
        /// Its number.
        number: u32,
    },
    /// It goes on from here.
    Moved {
        /// Where.
        to: Place,
    },
    /// The Human approved the plan of the whole.
    Agreed,
    /// The Human wrote something else into the head of the record.
    Restated(Stated),
    /// The Human changed the goal.
    GoalChanged {
        /// What it is now.
        goal: String,
    },
    /// The Human allows more.
    Allowed {
        /// Loops in all.
        loops: u32,
        /// Seconds in all.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        seconds: Option<u64>,
    },
    /// A pull request was asked for.
    Offered {
        /// The attempt.
        fence: u64,
        /// Its number, if it was told.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        number: Option<u64>,
        /// What came of it.
        said: String,
    },
    /// The Human wants the branch back where it stood before a loop.
    WentBack {
        /// The loop.
        number: u32,
        /// What it stood at.
        commit: String,
    },
    /// The branch is merged.
    Merged {
        /// The attempt.
        fence: u64,
        /// The commit that holds it.
        commit: String,
    },
    /// The merge conflicts, and nothing was changed.
    Conflicted {
        /// The attempt.
        fence: u64,
        /// Where.
        files: Vec<String>,
    },
    /// The branch is gone.
    Deleted {
        /// The attempt.
        fence: u64,
    },
    /// The record is in the archive.
    Archived {
        /// The attempt.
        fence: u64,
        /// Where.
        path: String,
    },
    /// It was paused.
    Paused {
        /// Why.
        reason: String,
    },
    /// It goes on.
    Resumed,
}

impl Fact {
    /// The attempt that ends with it.
    pub fn ended(&self) -> Option<u64> {
        match self {
            Self::SentBack { fence, .. }
            | Self::Lost { fence, .. }
            | Self::Faltered { fence, .. }
            | Self::Rested { fence, .. }
            | Self::Checkpointed { fence, .. }
            | Self::Checked { fence, .. }
            | Self::Offered { fence, .. }
            | Self::Merged { fence, .. }
            | Self::Conflicted { fence, .. }
            | Self::Deleted { fence }
            | Self::Archived { fence, .. } => Some(*fence),
            Self::Turned { fence, .. } => *fence,
            Self::Started { .. }
            | Self::Driven { .. }
            | Self::Assigned(_)
            | Self::Woke
            | Self::Changed { .. }
            | Self::Looped { .. }
            | Self::Moved { .. }
            | Self::Agreed
            | Self::GoalChanged { .. }
            | Self::Restated(_)
            | Self::Allowed { .. }
            | Self::WentBack { .. }
            | Self::Paused { .. }
            | Self::Resumed => None,
        }
    }
}
