//! What comes to a cycle from outside, what is known of the world beside it, and what a decision is.

use alloc::collections::BTreeSet;
use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use super::fact::Fact;
use super::state::{Ground, Upfront};
use super::turn::{Check, Measured};
use super::words::{Party, Standing, Word};
use crate::run::Cast;

/// What comes from outside.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(clippy::large_enum_variant, reason = "an input lives for one decision, and there is one at a time")]
pub enum Input {
    /// Look what can go on, and whose time is up.
    Wake,
    /// A process wants to drive the cycle.
    Claim,
    /// The driving process lets go.
    Release,
    /// An attempt ended.
    Report {
        /// Which.
        fence: u64,
        /// How.
        outcome: Outcome,
    },
    /// The Human's answer to a gate.
    Answer {
        /// It.
        verdict: Verdict,
        /// Who.
        by: String,
        /// The number of the gate that was shown; nothing where no other can be meant.
        shown: Option<u64>,
    },
    /// The Human edited what the record begins with; an attempt that is under way goes on with what it was told.
    Restate(Stated),
    /// Hand out no more work.
    Pause {
        /// Why.
        reason: String,
    },
    /// Go on.
    Resume,
    /// The Human ends it.
    Cancel {
        /// Who.
        by: String,
    },
}

/// What a record begins with.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stated {
    /// What is to be reached.
    pub goal: String,
    /// What is so, line by line.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub current_state: Vec<String>,
    /// Documents to know.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub context_docs: Vec<String>,
}

/// What the Human says to a gate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// One of a Human's words.
    pub word: Word,
    /// And in words of their own.
    pub words: String,
}

/// What every agent says of its turn.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Said {
    /// One line of what happened.
    pub summary: String,
    /// From 0 to 10.
    pub confidence: u8,
    /// What the next one must know.
    pub context: String,
    /// The whole response.
    pub response: String,
    /// Further fields.
    pub more: Vec<(String, String)>,
}

/// What a loop is to reach.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Plan {
    /// Files and lines to work at.
    pub locations: Vec<String>,
    /// What to change.
    pub change: String,
    /// What to leave alone, in words.
    pub avoid: String,
    /// Of that, what is a path: nothing below it may be touched.
    pub avoid_paths: Vec<String>,
    /// By what it is known that the loop reached it.
    pub win_state: String,
}

/// What an Actor tells the Judge.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Deed {
    /// Files and lines.
    pub where_to_look: String,
    /// What changed.
    pub what_changed: String,
    /// And why.
    pub why: String,
    /// Edge cases, and what wants a test.
    pub testing_notes: String,
}

/// What a Judge found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Findings {
    /// How far what the loop was to reach is.
    pub subordinate: String,
    /// What lies between the goal and what is.
    pub discrepancy: String,
    /// Where that comes from.
    pub main_source: String,
    /// What to do about it.
    pub recommended: String,
    /// What the Human should decide.
    pub next_steps: String,
}

/// How an attempt ended, as code sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// A plan, of a loop, of the whole, or of the closing steps.
    Planned {
        /// What the Planner says.
        said: Said,
        /// The plan.
        plan: Plan,
    },
    /// The Planner needs to know more.
    Clarify {
        /// What the Planner says.
        said: Said,
        /// The question.
        question: String,
    },
    /// The Actor did it, or says so.
    Succeeded {
        /// What the Actor says.
        said: Said,
        /// Where to look, what and why.
        deed: Deed,
        /// What it changed.
        measured: Measured,
    },
    /// The Actor could not; nothing of it is kept.
    Blocked {
        /// What the Actor says.
        said: Said,
    },
    /// The Judge's measure.
    Judged {
        /// What the Judge says.
        said: Said,
        /// PASS or INSUFFICIENT.
        word: Word,
        /// How far the whole goal is.
        standing: Standing,
        /// What it found.
        findings: Findings,
    },
    /// Code noted what stands before the loop.
    Checkpointed {
        /// The goal's branch; empty without a repository.
        branch: String,
        /// The branch that it goes back into.
        base: String,
        /// The commit.
        commit: String,
    },
    /// Code ran the test battery.
    Checked {
        /// On what.
        commit: String,
        /// How it went.
        checks: Vec<Check>,
    },
    /// Code asked for a pull request, as the project says how.
    Offered {
        /// Its number, if it was told.
        number: Option<u64>,
        /// What came of it, in a line.
        said: String,
    },
    /// Code merged.
    Merged {
        /// The commit.
        commit: String,
        /// What became of working trees, where there is something to say.
        note: String,
    },
    /// Code could not merge: these files conflict.
    Conflicted {
        /// They.
        files: Vec<String>,
    },
    /// Code deleted the branch.
    Deleted,
    /// Code put the record into the archive.
    Archived {
        /// Where.
        path: String,
    },
    /// The agent asks for a pause, for this reason.
    Paused(String),
    /// Not now: a rate limit or a quota.
    Later {
        /// How long to wait.
        seconds: u64,
        /// Why.
        reason: String,
    },
    /// The report breaks the contract: exactly how.
    Broken(Vec<String>),
    /// It did not succeed, in the original words.
    Failed(String),
    /// Its process is gone, without a word.
    Lost(String),
}

/// A goal as it is set (CY-01).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Goal {
    /// `YYYY-MM-DD-NNN`.
    pub cycle_id: String,
    /// The count of archived cycles and one.
    pub number: u32,
    /// What is to be reached.
    pub text: String,
    /// What is so, line by line.
    pub current_state: Vec<String>,
    /// Documents to know.
    pub context_docs: Vec<String>,
    /// What it works on.
    pub ground: Ground,
    /// Whether a plan of the whole comes first.
    pub upfront: Upfront,
    /// The digest of the configuration.
    pub definition: String,
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
    /// Those openings that are alive, this one included.
    pub alive: &'a BTreeSet<String>,
    /// Parts of agents that people play.
    pub people: &'a BTreeSet<Party>,
}

/// What follows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Decision {
    /// What becomes true, in order.
    pub facts: Vec<Fact>,
    /// What must be done after the commit.
    pub effects: Vec<Effect>,
}

/// What must be done after the commit. Each is safe to repeat.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// Set whoever it is for to the attempt of this fence.
    Start(u64),
    /// End the attempt of this fence.
    Stop(u64),
    /// Tell the Human.
    Tell(Told),
}

/// What the Human is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Told {
    /// A gate waits.
    Gate,
    /// The cycle is over.
    Over,
    /// It is paused by itself.
    Paused,
}
