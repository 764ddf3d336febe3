//! What comes from outside to a run of a profile, what is known of the world beside it, and what a decision is.

use alloc::collections::BTreeSet;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use serde::{Deserialize, Serialize};

use super::edit::Seen;
use super::fact::Fact;
use super::run::{Artifact, CommitNote, GateStatus, Idea};
use super::workflow::Profile;
use crate::budget::{Budget, Metered};
use crate::input::Effect;
use crate::run::Cast;

/// What a run begins with. The profile was checked whole before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Start {
    /// The workflow.
    pub profile: Profile,
    /// The digest of its file.
    pub definition: String,
    /// What it is about.
    pub idea: Idea,
    /// Gates in the middle that people decide, beside the one that they always do.
    pub human_gates: BTreeSet<String>,
    /// What varies a simulation.
    pub seed: u64,
}

/// What comes from outside to one run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    /// Look what can go on.
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
    /// A person's reply at a gate, as typed; without a gate, at the one that waits.
    Gate {
        /// Which.
        gate: Option<String>,
        /// `approve`, `no`, `2`, …
        reply: String,
        /// Why, in further words.
        reason: String,
        /// Who.
        by: String,
    },
    /// A rejected gate shall be asked again.
    Reopen {
        /// Which.
        gate: String,
        /// Why.
        reason: String,
        /// Who.
        by: String,
    },
    /// A person's answer to a question; without an id, to the only one there is.
    Answer {
        /// Which.
        question: Option<String>,
        /// The answer.
        answer: String,
        /// Who.
        by: String,
    },
    /// A question was shown to somebody.
    Delivered {
        /// Which.
        question: String,
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
    /// The status document was edited by hand: what it says now of what the machine owns.
    Edited(Seen),
}

/// How an attempt ended, as code sees it: what an agent said was checked against schema and disk before.
#[allow(clippy::large_enum_variant, reason = "an outcome lives for one decision, and there is one at a time")]
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::large_enum_variant, reason = "there is one at a time, for as long as a decision takes")]
pub enum Outcome {
    /// Work.
    Done {
        /// The files, checked: they are in the artifact folder, not empty, and were written by this attempt.
        outputs: Vec<Artifact>,
        /// How a review came out.
        review: Option<Review>,
        /// How an integration came out.
        integration: Option<IntegrationResult>,
        /// The commit of a realization.
        commit: Option<CommitNote>,
        /// What the role would like to know and has not waited for.
        question: Option<String>,
    },
    /// A question for a person: the work cannot go on without an answer.
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

/// How a review came out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Review {
    /// Yes or no.
    pub verdict: ReviewVerdict,
    /// The reviewer's words for the producer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<String>,
}

/// What a reviewer says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReviewVerdict {
    /// It is good.
    Approved,
    /// It is not.
    ChangesRequested,
}

/// How an integration came out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum IntegrationResult {
    /// It is good.
    Passed,
    /// It is not.
    Failed {
        /// The role that is to mend it.
        target: String,
        /// What failed, in the original words.
        error: String,
    },
}

/// What a person decided about something that does not go on by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reply {
    /// Try again, so many more times.
    More(u32),
    /// Take it as it is.
    Accept,
    /// Not like this: it stays blocked until somebody says otherwise.
    Reject,
}

/// What is known of the world when a decision is made.
pub struct World<'a> {
    /// The time, as it is written into facts.
    pub now: &'a str,
    /// The name of this process's opening.
    pub me: &'a str,
    /// Who works for it.
    pub cast: &'a Cast,
    /// Those openings that are alive, this one included.
    pub alive: &'a BTreeSet<String>,
    /// How many more attempts this process may have, counted before the input.
    pub free: usize,
    /// Roles that people play.
    pub people: &'a BTreeSet<String>,
    /// What a run that begins may use.
    pub budget: Budget,
    /// What the attempt used whose end the input is.
    pub used: Metered,
    /// The files that a gate's decision leaves, one for each required output, with digests.
    pub record: &'a dyn Fn(&GateRecord<'_>) -> Vec<Artifact>,
}

impl fmt::Debug for World<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = out.debug_struct("World");
        out.field("now", &self.now).field("me", &self.me).field("alive", &self.alive).field("free", &self.free);
        out.finish_non_exhaustive()
    }
}

/// A decision at a gate, for whoever writes it down.
#[derive(Debug)]
pub struct GateRecord<'a> {
    /// Which gate.
    pub gate: &'a str,
    /// The outputs that its step requires, by name.
    pub outputs: &'a [String],
    /// How it was decided.
    pub status: GateStatus,
    /// Who.
    pub by: &'a str,
    /// Why.
    pub reason: &'a str,
    /// When.
    pub at: &'a str,
}

/// What follows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Decision {
    /// What becomes true, in order.
    pub facts: Vec<Fact>,
    /// What must be done after the commit.
    pub effects: Vec<Effect>,
    /// What a person did by hand and is put back, and why.
    pub refused: Vec<PutBack>,
}

/// A field of the status document that is put back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PutBack {
    /// `review_cycles.architecture`.
    pub field: String,
    /// Why, and what to do instead.
    pub reason: String,
}
