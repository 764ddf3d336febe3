//! A run as the machine knows it: all that decisions rest on, and nothing else. What has a column of its own and no
//! say in a decision (names, purposes) stays in the documents.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::budget::{Budget, Measure, Used};
use crate::fact::FileNote;
use crate::index::Index;
use crate::input::Proposal;
use crate::item::{Item, Target};
use crate::learning::PastRun;

/// One request carried through a protocol.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Run {
    /// Its id.
    pub id: String,
    /// The protocol's name.
    pub protocol: String,
    /// The user's own words, as of the last NEW_REQUEST.
    pub request: String,
    /// How it began.
    pub mode: Mode,
    /// As the table of runs spells it.
    pub status: Status,
    /// Where in the protocol it stands.
    pub course: Course,
    /// The process that drives it, by the name of its opening.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub driver: Option<String>,
    /// Who works for that process, or did for the last one.
    #[serde(default, skip_serializing_if = "Cast::is_empty")]
    pub cast: Cast,
    /// Why it was paused, if it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paused: Option<String>,
    /// All items, in the order in which they were planned; the tasks of the preparation first.
    pub items: Vec<Item>,
    /// What agents are at work on, by fence.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub attempts: BTreeMap<u64, Attempt>,
    /// The newest fence.
    pub fence: u64,
    /// How often what is being asked for was sent back, or lost, so far; cleared when it is done. Key: `Work::key`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub tries: BTreeMap<String, Tries>,
    /// The files of core work that is done, by task, while its tool tasks are still to come: they enter the catalog
    /// when the task is completed.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub worked: BTreeMap<String, Vec<FileNote>>,
    /// What was proposed and waits for a verdict, or was agreed and waits to become law; while another draft is made,
    /// the one before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proposal: Option<Proposal>,
    /// The user's words on earlier drafts of the proposal, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub wishes: Vec<String>,
    /// Questions of agents that wait for a person, by fence of the attempt that asked.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub questions: BTreeMap<u64, Question>,
    /// Work that waits for a time, by fence of the attempt that was put off.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub rests: BTreeMap<u64, Rest>,
    /// What it may use.
    #[serde(default, skip_serializing_if = "Budget::is_empty")]
    pub budget: Budget,
    /// What it has used.
    #[serde(default, skip_serializing_if = "Used::is_nothing")]
    pub used: Used,
    /// What of its budget is used up: then no work is handed out until a person raises it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exhausted: Option<Measure>,
    /// How it failed, if it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<Failure>,
    /// Formats that the agreed constitution asks for, as file extensions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub formats: Vec<String>,
    /// The run that this one took over from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_of: Option<String>,
    /// The past runs that it can learn from, best first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub learned: Vec<PastRun>,
    /// The digest of the workflow's definition at the start (QL-27).
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub definition: String,
    /// When it began.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub started: String,
    /// What makes looking things up cheap. It follows from the items, and is kept by `apply`.
    #[serde(skip)]
    pub index: Index,
}

/// How a request is carried out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Mode {
    /// At once, without a run.
    SimpleTask,
    /// The first run of the project.
    InitialRun,
    /// A run that can learn from others.
    ContinuousRun,
}

/// A run's status.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Under way.
    Pending,
    /// A person is to say yes, no or otherwise.
    AwaitingConfirmation,
    /// Done, for good.
    Completed,
    /// Failed or cancelled, for good.
    Failed,
}

/// Where a run stands in its protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Course {
    /// The preparation is being planned (`phase:0`).
    Planning,
    /// Folders are being made: the first task of the preparation.
    SettingUp,
    /// The proposal is being drafted.
    Proposing,
    /// A person is to answer it.
    Gate,
    /// The other tasks of the preparation, in order.
    Preparing,
    /// The loop over phases.
    Working,
    /// Nothing more will happen.
    Over,
}

/// A part played by an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Makes plans and proposals.
    Planner,
    /// Does the work.
    Executor,
    /// Speaks to the user.
    Communicator,
}

/// Who works for the process that drives a run. Nothing is decided by it: it is kept for those who look, and for whoever
/// takes the run up again.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cast {
    /// The names of the agents, by role.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub names: BTreeMap<Role, String>,
    /// The same of roles that only a protocol knows, by their names.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub parts: BTreeMap<String, String>,
    /// Those that were asked for when the run was taken up, and not by the project's own file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub asked: Vec<AskedAgent>,
}

/// An agent that was asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AskedAgent {
    /// In the words of the command line: `executor=command:./work`.
    pub agent: String,
    /// The folder in which relative paths begin, from the project's root; empty for the root itself.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub folder: String,
}

impl Cast {
    /// Whether there is nothing to keep.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty() && self.parts.is_empty() && self.asked.is_empty()
    }
}

/// What an agent is asked to do.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Work {
    /// Make a plan.
    Plan(Target),
    /// Do a task or tool task, by id.
    Execute(String),
    /// Make the run's folders (the engine itself does it), by task id.
    SetUp(String),
    /// Catalog the inputs (the engine itself does it), by task id.
    Catalog(String),
}

/// One agent's life on one piece of work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attempt {
    /// The number that outdates every older holder.
    pub fence: u64,
    /// What it is about.
    pub work: Work,
    /// The how-many-eth attempt at this work it is, from 1.
    pub number: u32,
    /// Who has it.
    pub holder: Holder,
    /// When it began.
    pub since: String,
    /// What was wrong with the report before, if it was sent back.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<String>,
    /// Questions that the agent asked, each with its answer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub answers: Vec<(String, String)>,
    /// What is set aside for it of the run's budget.
    #[serde(default, skip_serializing_if = "Used::is_nothing")]
    pub reserved: Used,
}

/// Who has an attempt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Holder {
    /// A process, by the name of its opening: the attempt dies with it.
    Process(String),
    /// A person, who may take a year.
    Person,
}

/// How often something did not succeed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tries {
    /// Attempts so far.
    pub attempts: u32,
    /// How often it was sent back.
    #[serde(default)]
    pub sent_back: u32,
    /// How often it was lost.
    #[serde(default)]
    pub lost: u32,
    /// How often it was put off.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub rests: u32,
    /// The problems of the last report.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<String>,
    /// Questions and their answers so far.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub answers: Vec<(String, String)>,
}

/// What an agent wants to know from a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Question {
    /// The work it belongs to.
    pub work: Work,
    /// The question.
    pub text: String,
}

/// Work whose agent may not work yet: a rate limit, a quota. It goes on by itself (BY-09).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rest {
    /// The work that is put off.
    pub work: Work,
    /// When it was.
    pub since: String,
    /// Until when.
    pub until: String,
    /// Why, in the agent's words.
    pub reason: String,
}

impl Rest {
    /// Whether its time has come. A clock that was set back ends it, too: nobody knows how long it would be.
    pub fn is_over(&self, now: &str) -> bool {
        now < self.since.as_str() || now >= self.until.as_str()
    }
}

/// How a run failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// The items that failed, the innermost first; empty when it was cancelled or failed before any.
    pub items: Vec<String>,
    /// What was being done: a plan target or an item.
    pub doing: String,
    /// The original error.
    pub error: String,
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}
