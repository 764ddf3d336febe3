//! What is now true. Facts stand in the journal for ever, so their spelling does not change; new ones may be added.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::budget::{Budget, Measure, Used};
use crate::input::{Proposal, Verdict};
use crate::item::{Item, Planned, Target};
use crate::learning::PastRun;
use crate::run::{Attempt, Cast, Failure, Mode, Question, Rest};

/// One thing that became true of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fact {
    /// The run began.
    Started {
        /// The protocol's name.
        protocol: String,
        /// The user's own words.
        request: String,
        /// How it is carried out.
        mode: Mode,
        /// The run that it takes over from.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        retry_of: Option<String>,
        /// The digest of the workflow's definition.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        definition: String,
        /// When.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        at: String,
    },
    /// The run takes over what another one planned and did. Paths are those of this run; what had failed is pending.
    TakenOver {
        /// The other run.
        from: String,
        /// Its items, as they stand here.
        items: Vec<Item>,
        /// The files of core work whose tool tasks are still to come, by task.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        worked: BTreeMap<String, Vec<FileNote>>,
        /// Formats that the agreed constitution asks for.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        formats: Vec<String>,
    },
    /// The past runs that the run can learn from, best first.
    Learned {
        /// They.
        past: Vec<PastRun>,
    },
    /// A process drives the run from here on; nobody when it let go.
    Driven {
        /// The name of its opening.
        by: Option<String>,
        /// Who works for it.
        #[serde(default, skip_serializing_if = "Cast::is_empty")]
        cast: Cast,
    },
    /// An agent was given work.
    Assigned(Attempt),
    /// An attempt's report was sent back: more of the same work follows, or a failure.
    SentBack {
        /// The attempt.
        fence: u64,
        /// What was wrong, exactly.
        problems: Vec<String>,
    },
    /// An attempt ended without a report: its process died, or it was stopped.
    Lost {
        /// The attempt.
        fence: u64,
        /// Why.
        reason: String,
    },
    /// An attempt ended because its agent may not work yet: it is made again, as if it had not been, when the time has
    /// come.
    Rested {
        /// The attempt.
        fence: u64,
        /// Until when, and why.
        rest: Rest,
    },
    /// The time has come for what was put off.
    Woke {
        /// The attempt that was put off.
        fence: u64,
    },
    /// The run may use this much from here on.
    Budgeted {
        /// In all.
        budget: Budget,
        /// Who said so; nobody when it came with the start.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<String>,
    },
    /// An attempt used this much.
    Spent {
        /// The attempt, which ends with the next fact.
        fence: u64,
        /// How much.
        used: Used,
    },
    /// The budget is used up: a person is to raise it, or to end the run.
    Exhausted {
        /// Which part of it.
        measure: Measure,
    },
    /// A plan was accepted. The rows have ids and order.
    Planned {
        /// The attempt that made it; 0 when code did.
        fence: u64,
        /// What was planned.
        target: Target,
        /// Its rows.
        rows: Vec<Planned>,
    },
    /// A proposal waits for the user's verdict.
    Proposed {
        /// The attempt that made it.
        fence: u64,
        /// What it says.
        proposal: Proposal,
    },
    /// The user answered it.
    Answered {
        /// How.
        verdict: Verdict,
        /// Who, or by which flag.
        by: String,
        /// When.
        at: String,
    },
    /// What was agreed is law: the instructions have these ids, in the proposal's order.
    Constituted {
        /// The task that did it.
        item: String,
        /// The ids of the new instructions.
        ids: Vec<String>,
    },
    /// The inputs were catalogued.
    Catalogued {
        /// The attempt.
        fence: u64,
        /// The files that are new or changed.
        files: Vec<FileNote>,
        /// The files whose rows are to go, because they are gone.
        gone: Vec<String>,
    },
    /// The core work of a task is done and its file is there; its tool tasks may still be to come.
    Worked {
        /// The attempt.
        fence: u64,
        /// The task or tool task.
        item: String,
        /// The files it left.
        files: Vec<FileNote>,
    },
    /// An item is done.
    Completed {
        /// Which.
        item: String,
        /// The files that go into the catalog with it.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        files: Vec<FileNote>,
    },
    /// An agent wants to know something from a person.
    Asked {
        /// The attempt, which ends with this.
        fence: u64,
        /// The question.
        question: Question,
    },
    /// A person answered an agent's question.
    Told {
        /// The attempt that had asked.
        fence: u64,
        /// The answer.
        answer: String,
        /// Who.
        by: String,
    },
    /// The run was paused.
    Paused {
        /// Why.
        reason: String,
    },
    /// It goes on.
    Resumed,
    /// The run failed, or was cancelled; with it these items.
    Failed(Failure),
    /// All phases are done.
    Finished,
    /// A person changed an item by hand, in its document.
    Edited {
        /// The item as it is now.
        item: Item,
    },
    /// A person took an item out of its document.
    Removed {
        /// Which.
        item: String,
    },
}

impl Fact {
    /// The attempt that ends with it.
    pub fn ended(&self) -> Option<u64> {
        match self {
            Self::SentBack { fence, .. }
            | Self::Lost { fence, .. }
            | Self::Rested { fence, .. }
            | Self::Planned { fence, .. }
            | Self::Proposed { fence, .. }
            | Self::Catalogued { fence, .. }
            | Self::Worked { fence, .. }
            | Self::Asked { fence, .. } => Some(*fence),
            Self::Started { .. }
            | Self::TakenOver { .. }
            | Self::Learned { .. }
            | Self::Driven { .. }
            | Self::Assigned(_)
            | Self::Woke { .. }
            | Self::Budgeted { .. }
            | Self::Spent { .. }
            | Self::Exhausted { .. }
            | Self::Answered { .. }
            | Self::Constituted { .. }
            | Self::Completed { .. }
            | Self::Told { .. }
            | Self::Paused { .. }
            | Self::Resumed
            | Self::Failed(_)
            | Self::Finished
            | Self::Edited { .. }
            | Self::Removed { .. } => None,
        }
    }
}

/// A file that work left, as the catalog knows it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileNote {
    /// From the project's root.
    pub path: String,
    /// `ANALYSIS_REPORT`, `ORIGINAL_INPUT`, …
    pub asset_type: String,
    /// What is in it, in a line.
    pub summary: String,
    /// The digest of its content, where that is remembered.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub digest: String,
    /// The files that it was made from, where that is told.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<String>,
    /// The families that it belongs to, where that is told.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lineage: Vec<String>,
}
