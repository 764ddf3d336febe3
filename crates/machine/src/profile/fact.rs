//! What is now true of a run of a profile. Facts stand in the journal for ever: their spelling does not change.

use alloc::boxed::Box;
use alloc::collections::BTreeSet;
use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use super::input::{IntegrationResult, Reply, Review};
use super::run::{Artifact, Attempt, CommitNote, CriticalFailure, GateStatus, Idea, Question, Rest, Run};
use super::workflow::Profile;
use crate::budget::{Budget, Measure, Used};
use crate::run::Cast;

/// One thing that became true.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fact {
    /// The run began.
    Started {
        /// The workflow, whole.
        profile: Profile,
        /// The digest of its file.
        definition: String,
        /// What it is about.
        idea: Idea,
        /// Gates that people decide.
        human_gates: BTreeSet<String>,
        /// What varies a simulation.
        seed: u64,
        /// When.
        at: String,
    },
    /// The run was begun without this journal: it goes on from what its documents say.
    TakenOver {
        /// It, as they say.
        run: Box<Run>,
        /// When.
        at: String,
    },
    /// A file that a step left was changed by hand.
    Found {
        /// Its name.
        name: String,
        /// The digest of what is in it now; nothing when it is empty or gone.
        digest: String,
    },
    /// A process drives the run from here on; nobody when it let go.
    Driven {
        /// The name of its opening.
        by: Option<String>,
        /// Who works for it.
        #[serde(default, skip_serializing_if = "Cast::is_empty")]
        cast: Cast,
    },
    /// A step was handed out.
    Assigned(Attempt),
    /// An attempt's report was sent back.
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
    /// An attempt ended because its agent may not work yet.
    Rested {
        /// The attempt.
        fence: u64,
        /// Until when, and why.
        rest: Rest,
    },
    /// The time has come for what was put off.
    Woke,
    /// The run may use this much.
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
    /// The budget is used up.
    Exhausted {
        /// Which part of it.
        measure: Measure,
    },
    /// An attempt brought its work.
    Worked {
        /// The attempt.
        fence: u64,
        /// The files it left.
        outputs: Vec<Artifact>,
        /// The commit it made.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        commit: Option<CommitNote>,
    },
    /// An attempt did not succeed.
    Failed {
        /// The attempt.
        fence: u64,
        /// What failed.
        failure: CriticalFailure,
    },
    /// A review came out. One that wants changes counts a cycle of its phase.
    Reviewed {
        /// The step that reviewed.
        step: usize,
        /// How it came out.
        review: Review,
    },
    /// An integration came out.
    Integrated {
        /// The step that tried it.
        step: usize,
        /// How.
        result: IntegrationResult,
        /// When.
        at: String,
    },
    /// A step is done.
    Completed {
        /// Its place.
        step: usize,
    },
    /// What one step leaves to the next.
    HandedOver(Handoff),
    /// The run moved, or could not. One row of the trace.
    Moved(Move),
    /// A gate waits for a person.
    GateOpened {
        /// Which.
        gate: String,
        /// What is asked.
        question: Question,
    },
    /// A gate was decided.
    GateDecided {
        /// Which.
        gate: String,
        /// How.
        status: GateStatus,
        /// Who.
        by: String,
        /// In which words.
        reason: String,
        /// The files that the decision leaves.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        outputs: Vec<Artifact>,
        /// When.
        at: String,
    },
    /// A rejected gate is asked again.
    GateReopened {
        /// Which.
        gate: String,
        /// Who.
        by: String,
        /// Why.
        reason: String,
        /// What is asked.
        question: Question,
        /// When.
        at: String,
    },
    /// A role wants to know something from a person.
    Asked {
        /// The attempt, which ends with this.
        fence: u64,
        /// The question.
        question: Question,
    },
    /// A role would like to know something from a person, and its work is done all the same.
    Wondered {
        /// The question: nothing waits for it.
        question: Question,
    },
    /// A question was shown to somebody.
    Delivered {
        /// Which.
        question: String,
    },
    /// A role's question was answered.
    Answered {
        /// Which.
        question: String,
        /// The answer, verbatim.
        answer: String,
        /// Who.
        source: String,
        /// When.
        at: String,
    },
    /// A person is to decide what becomes of something.
    Escalated {
        /// What is asked.
        question: Question,
        /// What is open until then, if no fact before it said so.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        failure: Option<CriticalFailure>,
    },
    /// A person decided it.
    Decided {
        /// Which question.
        question: String,
        /// How.
        reply: Reply,
        /// Who.
        by: String,
        /// When.
        at: String,
    },
    /// The run was paused.
    Paused {
        /// Why.
        reason: String,
    },
    /// It goes on.
    Resumed,
    /// It was cancelled.
    Cancelled {
        /// Who.
        by: String,
        /// When.
        at: String,
    },
    /// All is done.
    Finished {
        /// When.
        at: String,
    },
}

/// What one step leaves to the next (PF-14).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Handoff {
    /// The step that leaves it, by its id.
    pub from_step: String,
    /// The step that gets it; nothing behind the last.
    pub to_step: Option<String>,
    /// What should be there.
    pub required: Vec<String>,
    /// What is there.
    pub provided: Vec<String>,
    /// What is not.
    pub missing: Vec<String>,
}

/// A row of the trace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Move {
    /// The step that was on.
    pub from: usize,
    /// The step that is on now; behind the last when all are done.
    pub to: usize,
    /// What happened.
    pub outcome: MoveOutcome,
    /// Why, for people.
    pub message: String,
    /// When.
    pub at: String,
}

/// What a transition came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MoveOutcome {
    /// To the next step.
    Advanced,
    /// Back to a step that did not suffice.
    Rerouted,
    /// Nowhere: a person has said no, or must decide.
    Blocked,
    /// Nowhere yet: a person is asked.
    Waiting,
}

impl Fact {
    /// The attempt that ends with it.
    pub fn ended(&self) -> Option<u64> {
        match self {
            Self::SentBack { fence, .. }
            | Self::Lost { fence, .. }
            | Self::Rested { fence, .. }
            | Self::Worked { fence, .. }
            | Self::Failed { fence, .. }
            | Self::Asked { fence, .. } => Some(*fence),
            _ => None,
        }
    }
}
