//! What comes from outside, what is known of the world beside it, and what a decision is.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::budget::{Budget, Metered};
use crate::fact::{Fact, FileNote};
use crate::item::{Item, Planned};
use crate::learning::PastRun;
use crate::run::{Cast, Role};

/// What comes from outside to one run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    /// Look what can go on: after an opening, when there is room for more agents, after news from other processes.
    Wake,
    /// A process wants to drive the run.
    Claim,
    /// The driving process lets go of the run.
    Release,
    /// An attempt ended.
    Report {
        /// Which.
        fence: u64,
        /// How.
        outcome: Outcome,
    },
    /// The user's answer to the proposal.
    Answer {
        /// It.
        verdict: Verdict,
        /// Who, or by which flag.
        by: String,
    },
    /// A person's answer to an agent's question; without a fence, to the only one there is.
    Tell {
        /// The attempt that had asked.
        fence: Option<u64>,
        /// The answer.
        answer: String,
        /// Who.
        by: String,
    },
    /// Hand out no more work.
    Pause {
        /// Why.
        reason: String,
    },
    /// Go on.
    Resume,
    /// End it.
    Cancel {
        /// Who.
        by: String,
    },
    /// Documents were edited by hand: all of the run's items as they say now, with the status as spelled there. One
    /// that is missing counts as taken out.
    Edited {
        /// The items as the documents have them, every one of the run.
        items: Vec<Item>,
    },
}

/// How an attempt ended, as code sees it: what an agent said was checked against the schema and the disk before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// A plan.
    Plan(Vec<Planned>),
    /// A proposal.
    Proposal(Proposal),
    /// Work, with the files it left.
    Done {
        /// The files, checked: they exist, are not empty, are where they may be.
        files: Vec<FileNote>,
    },
    /// The inputs, catalogued.
    Catalog {
        /// New or changed.
        files: Vec<FileNote>,
        /// No longer there.
        gone: Vec<String>,
    },
    /// A question for a person.
    Question(String),
    /// The agent asks for a pause, for this reason.
    Paused(String),
    /// Not now: a rate limit or a quota.
    Later {
        /// How long to wait.
        seconds: u64,
        /// Why, in the agent's words.
        reason: String,
    },
    /// The report breaks the contract: exactly how.
    Broken(Vec<String>),
    /// It did not succeed, in the original words.
    Failed(String),
    /// Its process is gone, without a word.
    Lost(String),
}

/// What the Planner proposes to the user.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Proposal {
    /// What the draft says beside the lists, if anything.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub introduction: String,
    /// The instructions that shall hold.
    pub instructions: Vec<String>,
    /// Why, for each of them, where that is told.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<String>,
    /// Earlier instructions that shall hold no more.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub superseded: Vec<Superseded>,
    /// Earlier instructions that are in conflict and yet stay.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kept: Vec<Kept>,
    /// Formats that are asked for, as file extensions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub formats: Vec<String>,
}

/// An instruction that is replaced.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Superseded {
    /// Which.
    pub instruction_id: String,
    /// By which of the proposed ones, from 1.
    pub by: usize,
    /// Why.
    pub justification: String,
}

/// An instruction that stays in spite of a conflict.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kept {
    /// Which.
    pub instruction_id: String,
    /// Why.
    pub justification: String,
}

/// The user's answer to a proposal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Verdict {
    /// Yes.
    Confirm,
    /// Otherwise, with the user's words.
    Modify(String),
    /// No.
    Cancel,
    /// Something else altogether.
    NewRequest(String),
}

/// What is known of the world when a decision is made. Nothing is asked meanwhile.
#[derive(Debug, Clone)]
pub struct World<'a> {
    /// The time, as it is written into facts.
    pub now: &'a str,
    /// The name of this process's opening.
    pub me: &'a str,
    /// Who works for it.
    pub cast: &'a Cast,
    /// Those openings that are alive, this one included.
    pub alive: &'a BTreeSet<String>,
    /// Of the paths that the input names, those that exist as files.
    pub exists: &'a BTreeSet<String>,
    /// How many more attempts this process may have, counted before the input: one that the input ends leaves its
    /// place within the same decision. People take no place.
    pub free: usize,
    /// Roles that people play.
    pub people: &'a BTreeSet<Role>,
    /// Tool types that can be used.
    pub tools: &'a BTreeSet<String>,
    /// Files in `outputs/{run}/` so far, from the project's root.
    pub published: &'a BTreeSet<String>,
    /// The rows of the protocol's template for its outermost level.
    pub template: &'a [Planned],
    /// And those for the level below it, where that has some, too: the same for each outermost item.
    pub template_below: &'a [Planned],
    /// Of the paths that the input names, those that a run has made, with that run.
    pub owners: &'a BTreeMap<String, String>,
    /// The procedures that a task may name; nothing where a protocol has no such column.
    pub procedures: &'a BTreeSet<String>,
    /// Instructions that are ACTIVE now, by id: a proposal may replace these.
    pub active: &'a BTreeSet<String>,
    /// Past runs that are like the request, best first, where a run begins or gets another request.
    pub past: &'a [PastRun],
    /// What a run that begins may use.
    pub budget: Budget,
    /// What the attempt used whose end the input is.
    pub used: Metered,
}

/// What follows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Decision {
    /// What becomes true, in order.
    pub facts: Vec<Fact>,
    /// What must be done after the commit.
    pub effects: Vec<Effect>,
    /// What a person did by hand and is put back, and why.
    pub refused: Vec<Complaint>,
}

/// What must be done after the commit. Each carries its key (the fence, or the run and the word), and is safe to repeat.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// Set an agent to the attempt of this fence.
    Start(u64),
    /// End the agent of this fence.
    Stop(u64),
    /// Tell the user.
    Say(Said),
}

/// What the Communicator tells the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Said {
    /// The proposal waits.
    Proposal,
    /// The run failed.
    Failure,
    /// The run is done.
    Completion,
    /// An agent's question waits.
    Question,
}

/// Why something is not allowed now. The user can act.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// What is wrong, as a fragment.
    pub reason: String,
    /// What to do, and the valid options.
    pub hint: String,
}

/// What is wrong with a draft, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Complaint {
    /// The row: its id, or its number from 1.
    pub row: String,
    /// The column, as the protocol spells it.
    pub column: &'static str,
    /// Why.
    pub reason: String,
}
