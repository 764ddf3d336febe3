//! A cycle as the machine knows it: all that decisions and briefs rest on, bounded however long it goes on. The whole
//! record stands in the journal and in its document.

use alloc::collections::VecDeque;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use super::digest::Digest;
use super::turn::{Check, Measured, Turn};
use super::words::{Lap, Party, Signature};
use crate::run::{Cast, Holder};

/// One goal carried through loops.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cycle {
    /// The run's id.
    pub id: String,
    /// `YYYY-MM-DD-NNN`.
    pub cycle_id: String,
    /// The goal's number, from 1.
    pub goal_number: u32,
    /// The goal, in the Human's words.
    pub goal: String,
    /// The goal that the head of the record names, where it is another.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub headed: Option<String>,
    /// What is so at the beginning, line by line.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub current_state: Vec<String>,
    /// Documents that agents are to know.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub context_docs: Vec<String>,
    /// What the work stands on.
    pub ground: Ground,
    /// Whether there is a plan of the whole to approve first.
    pub upfront: Upfront,
    /// When it began.
    pub since: String,
    /// The digest of the configuration it began with (QL-27).
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub definition: String,
    /// Where it stands.
    pub place: Place,
    /// The loop that is under way, or was last.
    pub loop_number: u32,
    /// How many loops there may be until the Human is asked.
    pub loops_allowed: u32,
    /// How many seconds it may take until the Human is asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds_allowed: Option<u64>,
    /// INSUFFICIENT in a row, as the record has them.
    #[serde(default)]
    pub insufficient: u32,
    /// The process that drives it, by the name of its opening.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub driver: Option<String>,
    /// Who works for that process.
    #[serde(default, skip_serializing_if = "Cast::is_empty")]
    pub cast: Cast,
    /// Why it was paused, if it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paused: Option<String>,
    /// The attempt that is under way: there is one at a time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attempt: Option<Attempt>,
    /// The newest fence.
    pub fence: u64,
    /// How many gates there were.
    #[serde(default)]
    pub gates: u64,
    /// How often the work that is due did not succeed.
    #[serde(default)]
    pub tries: Tries,
    /// Work that waits for a time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rest: Option<Rest>,
    /// The Human's words that the Planner has not taken in yet, verbatim, oldest first (CY-07).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub words: Vec<String>,
    /// The turns of the newest loops, oldest first.
    #[serde(default, skip_serializing_if = "VecDeque::is_empty")]
    pub recent: VecDeque<Turn>,
    /// What is left of older ones.
    #[serde(default)]
    pub digest: Digest,
    /// The plan of the whole, as it was approved.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub outline: String,
    /// Paths that the plan in force tells the Actor to leave alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub avoid: Vec<String>,
    /// The branch of the goal.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub branch: String,
    /// The branch that it came from, and goes back into.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub base: String,
    /// What stood before each loop, the newest last: the loop and the commit.
    #[serde(default, skip_serializing_if = "VecDeque::is_empty")]
    pub checkpoints: VecDeque<(u32, String)>,
    /// What the branch goes back to before the next loop, if the Human said so.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub back: String,
    /// What the Actor changed last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measured: Option<Measured>,
    /// The checks, and the commit they were run on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checks: Option<(String, Vec<Check>)>,
    /// The number of the pull request, if one was asked for and told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pull_request: Option<u64>,
    /// What went wrong last, in the original words; nothing since the last turn.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub trouble: String,
    /// Where the record was put when the cycle was over.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub archive: String,
}

/// The most checkpoints that are kept in mind; older ones are in the journal.
pub(super) const CHECKPOINTS: usize = 16;

/// What a cycle works on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ground {
    /// A repository: a branch for the goal, merged on approval.
    Repository,
    /// Files without one: nothing to merge or to delete.
    Files,
}

/// Whether the Human wants to see a plan of the whole first (CY-03).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Upfront {
    /// Yes.
    Asked,
    /// Yes, and it is approved.
    Agreed,
    /// The first loop begins at once.
    NotAsked,
}

/// Where a cycle stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Place {
    /// Something is to be done.
    Due(Work),
    /// The Human is to say something.
    Gate(Gate),
    /// Nothing more will happen.
    Over(Ending),
}

/// Something to be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Work {
    /// By code: the goal's branch is there, and what stands before the loop is noted.
    Checkpoint,
    /// By the Planner: a plan of the whole, to be approved.
    Outline,
    /// By the Planner: what this loop is to reach.
    Plan(Stage),
    /// By the Actor.
    Act(Stage),
    /// By code: the test battery.
    Check(Stage),
    /// By the Judge.
    Judge(Stage),
    /// By code: a pull request, as the project says how.
    Offer,
    /// By code: the branch into the one it came from.
    Merge,
    /// By code: the branch is deleted.
    Delete,
    /// By code: the record into the archive.
    Archive(Ending),
}

/// A loop, or the closing steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// A loop.
    Loop,
    /// The closing steps.
    Closing,
}

/// How a cycle ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// The goal is met, and everything closed.
    Complete,
    /// The Human ended it.
    Incomplete,
    /// A critical error did.
    Failed,
}

/// A stop for the Human.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gate {
    /// What kind of answer is wanted.
    pub asks: Asks,
    /// The question, in words.
    pub question: String,
    /// What follows if all shall go on as it would have.
    pub then: Work,
    /// Since when it waits.
    pub since: String,
    /// Which of the cycle's gates it is, from 1: an answer is bound to what was shown (BY-02).
    pub number: u64,
}

/// What the Human is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Asks {
    /// Approval of the plan of the whole.
    Plan,
    /// An answer to a question.
    Clarification,
    /// Guidance: somebody is not sure, or goes on being wrong.
    Escalation(Party),
    /// Approval of what was reached.
    Sufficient,
    /// What to do after so many INSUFFICIENT in a row.
    Insufficient,
    /// More loops, or an end.
    LoopLimit,
    /// More time, or an end.
    TimeLimit,
    /// Approval of the end, where there is nothing to merge.
    Close,
    /// Approval of the merge.
    Merge,
    /// What to do about a merge that conflicts.
    Conflict,
    /// Approval of deleting the branch.
    Delete,
}

/// One agent's life on one piece of work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attempt {
    /// The number that outdates every older holder.
    pub fence: u64,
    /// What it is about.
    pub work: Work,
    /// How it will be signed.
    pub signature: Signature,
    /// The how-many-eth attempt at this work it is, from 1.
    pub number: u32,
    /// Who has it.
    pub holder: Holder,
    /// When it began.
    pub since: String,
    /// What was wrong with the report before, if it was sent back.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<String>,
}

/// How often something did not succeed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tries {
    /// Attempts so far.
    #[serde(default)]
    pub attempts: u32,
    /// Sent back.
    #[serde(default)]
    pub sent_back: u32,
    /// Lost.
    #[serde(default)]
    pub lost: u32,
    /// Failed.
    #[serde(default)]
    pub failed: u32,
    /// Put off.
    #[serde(default)]
    pub rests: u32,
    /// What was wrong with the last report.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<String>,
}

/// Work whose agent may not work yet (BY-09).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rest {
    /// Since when.
    pub since: String,
    /// Until when.
    pub until: String,
    /// Why, in the agent's words.
    pub reason: String,
}

impl Work {
    /// Whose turn it is; nothing where code does it.
    pub fn party(self) -> Option<Party> {
        match self {
            Self::Outline | Self::Plan(_) => Some(Party::Planner),
            Self::Act(_) => Some(Party::Actor),
            Self::Judge(_) => Some(Party::Judge),
            Self::Checkpoint | Self::Check(_) | Self::Offer | Self::Merge | Self::Delete | Self::Archive(_) => None,
        }
    }

    /// The word for it in a brief.
    pub fn action(self) -> &'static str {
        match self {
            Self::Checkpoint => "checkpoint",
            Self::Outline => "outline",
            Self::Plan(Stage::Loop) => "plan_loop",
            Self::Plan(Stage::Closing) => "plan_closing",
            Self::Act(_) => "act",
            Self::Check(_) => "check",
            Self::Judge(_) => "judge",
            Self::Offer => "offer",
            Self::Merge => "merge",
            Self::Delete => "delete_branch",
            Self::Archive(_) => "archive",
        }
    }

    pub(super) fn stage(self) -> Stage {
        match self {
            Self::Plan(stage) | Self::Act(stage) | Self::Check(stage) | Self::Judge(stage) => stage,
            Self::Checkpoint | Self::Outline => Stage::Loop,
            Self::Offer | Self::Merge | Self::Delete | Self::Archive(_) => Stage::Closing,
        }
    }
}

impl Cycle {
    /// How a turn of this work is signed now.
    pub fn signature_of(&self, work: Work) -> Signature {
        let step = match work {
            Work::Checkpoint | Work::Outline | Work::Plan(_) => 1,
            Work::Act(_) => 2,
            Work::Check(_) | Work::Judge(_) | Work::Offer => 3,
            Work::Merge => 5,
            Work::Delete => 6,
            Work::Archive(_) => Signature::LAST_STEP,
        };
        let lap = match work.stage() {
            Stage::Loop => Lap::Loop(self.loop_number),
            Stage::Closing => Lap::Final,
        };
        Signature { goal: self.goal_number, lap, step }
    }

    /// How the Human's answer to a gate is signed now.
    pub fn signature_at(&self, asks: Asks) -> Signature {
        let lap = if self.is_closing() { Lap::Final } else { Lap::Loop(self.loop_number) };
        let step = if asks == Asks::Delete { 6 } else { Signature::HUMAN_STEP };
        Signature { goal: self.goal_number, lap, step }
    }

    /// Whether it is in its closing steps.
    pub fn is_closing(&self) -> bool {
        match &self.place {
            Place::Due(work) => work.stage() == Stage::Closing,
            // A gate belongs to the turn that led to it.
            Place::Gate(_) => self.recent.back().is_some_and(|turn| turn.signature.lap == Lap::Final),
            Place::Over(_) => false,
        }
    }

    /// The gate that waits.
    pub fn gate(&self) -> Option<&Gate> {
        match &self.place {
            Place::Gate(gate) => Some(gate),
            Place::Due(_) | Place::Over(_) => None,
        }
    }

    /// How it ended, if it did.
    pub fn ending(&self) -> Option<Ending> {
        match self.place {
            Place::Over(ending) => Some(ending),
            Place::Due(_) | Place::Gate(_) => None,
        }
    }

    /// What an agent is told of the record: the turns of the lap under way and of the one before it, and a digest of all
    /// older ones. So the fiftieth loop is told what the second is, and a few lines (CY-11).
    pub fn told(&self) -> (Vec<String>, Vec<&Turn>) {
        let now = if self.is_closing() { Lap::Final } else { Lap::Loop(self.loop_number) };
        let mut laps: Vec<Vec<&Turn>> = Vec::new();
        for turn in &self.recent {
            match laps.last_mut().filter(|lap| lap.last().is_some_and(|last| last.signature.lap == turn.signature.lap))
            {
                Some(lap) => lap.push(turn),
                None => laps.push(vec![turn]),
            }
        }
        let is_begun = laps.last().and_then(|lap| lap.last()).is_some_and(|turn| turn.signature.lap == now);
        let newest = laps.split_off(laps.len().saturating_sub(1 + usize::from(is_begun)));
        let mut digest = self.digest.clone();
        laps.iter().for_each(|lap| digest.take(lap));
        (digest.told(), newest.concat())
    }
}
