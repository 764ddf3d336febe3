//! A run of a profile as the machine knows it: all that decisions rest on. Whether it is blocked is not kept: it follows.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use super::derived::ReviewStatus;
use super::fact::Handoff;
use super::workflow::{PlannedStep, Profile, StepKind};
use crate::budget::{Budget, Measure, Used};
use crate::run::{Cast, Holder};

/// One idea carried through a profile.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Run {
    /// Its id.
    pub id: String,
    /// The workflow that it began with, and keeps (QL-27).
    pub profile: Profile,
    /// The digest of the workflow's file at the start.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub definition: String,
    /// What it is about.
    pub idea: Idea,
    /// Gates that people decide.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub human_gates: BTreeSet<String>,
    /// What varies a simulation.
    #[serde(default)]
    pub seed: u64,
    /// The steps, in one row.
    pub plan: Vec<PlannedStep>,
    /// How far each step is.
    pub states: Vec<StepState>,
    /// The step that is on; behind the last when all are done.
    pub current: usize,
    /// What is going on there.
    pub course: Course,
    /// The process that drives it, by the name of its opening.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub driver: Option<String>,
    /// Who works for that process.
    #[serde(default, skip_serializing_if = "Cast::is_empty")]
    pub cast: Cast,
    /// Why it was paused, if it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paused: Option<String>,
    /// What an agent is at work on, by fence: one at most.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub attempts: BTreeMap<u64, Attempt>,
    /// The newest fence.
    pub fence: u64,
    /// Attempts of each step so far, by step id.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub role_attempts: BTreeMap<String, u32>,
    /// What went wrong with the step that is on, so far.
    #[serde(default)]
    pub tries: Tries,
    /// Work that waits for a time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rest: Option<Rest>,
    /// What it may use.
    #[serde(default, skip_serializing_if = "Budget::is_empty")]
    pub budget: Budget,
    /// What it has used.
    #[serde(default, skip_serializing_if = "Used::is_nothing")]
    pub used: Used,
    /// What of its budget is used up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exhausted: Option<Measure>,
    /// Every gate of the profile.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub gates: BTreeMap<String, GateState>,
    /// What people were asked, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub questions: Vec<Question>,
    /// What they answered, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub answers: Vec<Answer>,
    /// How often each phase's work was sent back.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub review_cycles: BTreeMap<String, u32>,
    /// How many more times a person has allowed it, by phase.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub allowed_cycles: BTreeMap<String, u32>,
    /// The last review.
    #[serde(default)]
    pub review: ReviewStatus,
    /// What a step is told that its work was sent back for, by the step's place.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub remarks: BTreeMap<usize, Vec<String>>,
    /// The loop around a failing integration.
    #[serde(default)]
    pub integration: Integration,
    /// What failed, oldest first, mended or not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failures: Vec<CriticalFailure>,
    /// Whose step failed last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_failed_role: Option<String>,
    /// Files that steps left, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub artifacts: BTreeMap<String, Artifact>,
    /// Commits of the workspace's repository, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub commits: Vec<CommitNote>,
    /// What the step before handed on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handoff: Option<Handoff>,
    /// When it began.
    pub started_at: String,
    /// When it last moved from step to step.
    pub moved_at: String,
    /// Who cancelled it, if somebody did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cancelled_by: Option<String>,
}

/// What a run is about.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Idea {
    /// `idea-7`.
    pub id: String,
    /// In a line.
    pub headline: String,
    /// Whose it is.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub owner: String,
    /// The file that says more.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub context: String,
}

/// How far a step is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepState {
    /// Nobody has begun, or it is to be done again.
    NotStarted,
    /// Somebody is at work, or a decision is awaited.
    InProgress,
    /// Done.
    Completed,
}

/// What is going on at the step that is on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Course {
    /// It is being worked on, or can be.
    Working,
    /// A person is to decide the gate.
    Gate(String),
    /// A person has rejected the gate.
    Rejected(String),
    /// A person is to decide what becomes of something that does not go on by itself, by the question's id.
    Undecided(String),
    /// All steps are done.
    Done,
    /// It was cancelled.
    Cancelled,
}

/// One agent's life on one step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attempt {
    /// The number that outdates every older holder.
    pub fence: u64,
    /// The step, by its place.
    pub step: usize,
    /// The how-many-eth attempt at this step it is, from 1.
    pub number: u32,
    /// Who has it.
    pub holder: Holder,
    /// When it began.
    pub since: String,
    /// What was wrong with the report before, if it was sent back.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<String>,
    /// The reviewer's words, if the work was sent back.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<String>,
    /// Questions that the role asked, each with its answer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub answers: Vec<(String, String)>,
    /// What is set aside for it of the run's budget.
    #[serde(default, skip_serializing_if = "Used::is_nothing")]
    pub reserved: Used,
}

/// How often the step that is on did not succeed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tries {
    /// How often a report was sent back.
    #[serde(default)]
    pub sent_back: u32,
    /// How often an attempt was lost.
    #[serde(default)]
    pub lost: u32,
    /// How often it was put off.
    #[serde(default)]
    pub rests: u32,
    /// How often it asked something.
    #[serde(default)]
    pub asked: u32,
    /// The problems of the last report.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<String>,
}

/// Work whose agent may not work yet (BY-09).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rest {
    /// When it was put off.
    pub since: String,
    /// Until when.
    pub until: String,
    /// Why, in the agent's words.
    pub reason: String,
}

/// A gate and its decision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GateState {
    /// What was decided.
    pub status: GateStatus,
    /// Who is to decide.
    pub owner: String,
    /// Why, in the words of whoever decided.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// Who decided.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub by: String,
    /// When that changed.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub at: String,
}

/// What was decided at a gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GateStatus {
    /// Nothing yet.
    Pending,
    /// Yes.
    Approved,
    /// No.
    Rejected,
}

/// What a person is asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Question {
    /// `Q-GATE-RELEASE_APPROVAL-20260208144605`.
    pub id: String,
    /// Whose question it is.
    pub from_role: String,
    /// What it is about.
    pub kind: QuestionKind,
    /// Whether work waits for the answer.
    pub required: bool,
    /// How far it is.
    pub status: QuestionStatus,
    /// When it was asked.
    pub created_at: String,
    /// The words.
    pub text: String,
    /// The step it belongs to.
    pub step: usize,
}

/// What a question is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum QuestionKind {
    /// Approve or reject a gate.
    Gate(String),
    /// A role wants to know something.
    Role,
    /// What becomes of something that does not go on by itself.
    Decision(Matter),
}

/// What does not go on by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Matter {
    /// Work was sent back more often than the profile allows.
    ReviewCycles,
    /// The integration failed more often than it may.
    Integration,
    /// A step failed.
    StepFailed,
}

/// How far a question is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum QuestionStatus {
    /// Nobody has seen it.
    PendingDelivery,
    /// It was shown.
    Delivered,
    /// It was answered.
    Answered,
    /// It is no longer needed.
    Closed,
}

/// What a person answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    /// Which question.
    pub question: String,
    /// The words, verbatim.
    pub answer: String,
    /// Who, and by which way.
    pub source: String,
    /// When.
    pub at: String,
}

/// The loop around a failing integration (PF-12).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Integration {
    /// How it stands.
    #[serde(default)]
    pub status: IntegrationStatus,
    /// How often it was sent to its target.
    #[serde(default)]
    pub attempts: u32,
    /// How many more times a person has allowed it.
    #[serde(default)]
    pub allowed: u32,
    /// The role that is to mend it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
}

/// How the integration stands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum IntegrationStatus {
    /// Not tried yet.
    #[default]
    Idle,
    /// Being mended.
    Running,
    /// Failed.
    Failed,
    /// Passed.
    Passed,
}

/// Something that must be passed or accepted before the run is done (PF-19).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CriticalFailure {
    /// The step that found it, by its place.
    pub step: usize,
    /// What failed.
    pub kind: FailureKind,
    /// The original words.
    pub error: String,
    /// When.
    pub at: String,
    /// How it was settled: passed later, or accepted by somebody.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settled: Option<String>,
}

/// What failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureKind {
    /// The work of a step.
    Step,
    /// A review that still wants changes.
    Check,
    /// The integration.
    Integration,
}

/// A file that a step left in the artifact folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Artifact {
    /// Its name, as the profile spells it.
    pub name: String,
    /// From the project's root.
    pub path: String,
    /// The digest of its content.
    pub digest: String,
    /// The role that left it.
    #[serde(default)]
    pub owner: String,
    /// When.
    #[serde(default)]
    pub at: String,
}

/// A commit of the workspace's repository.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommitNote {
    /// The step that it is for.
    pub step_id: String,
    /// The role that made it.
    pub role: String,
    /// Its id.
    pub sha: String,
    /// `feat(developer): the parser`.
    pub message: String,
    /// When.
    pub at: String,
}

impl Run {
    /// The step that is on; nothing when all are done.
    pub fn step(&self) -> Option<&PlannedStep> {
        self.plan.get(self.current)
    }

    /// Whether nothing more will happen.
    pub fn is_over(&self) -> bool {
        matches!(self.course, Course::Done | Course::Cancelled)
    }

    /// A question by its id.
    pub fn question(&self, id: &str) -> Option<&Question> {
        self.questions.iter().find(|question| question.id == id)
    }

    /// The last step before one that a role produced in.
    pub(super) fn target_of(&self, before: usize, role: &str) -> Option<usize> {
        let steps = self.plan.get(..before)?;
        let of_role = |kinds: &[StepKind]| {
            steps.iter().rev().find(|step| step.step.role == role && kinds.contains(&step.step.kind))
        };
        of_role(&[StepKind::Owner])
            .or_else(|| of_role(&[StepKind::Reviewer, StepKind::Validator]))
            .map(|step| step.index)
    }

    /// What a role has asked, each with its answer: it is told of it whenever it works (PF-18).
    pub fn answered(&self, role: &str) -> Vec<(String, String)> {
        let is_own = |question: &&Question| question.kind == QuestionKind::Role && question.from_role == role;
        let pair = |answer: &Answer| {
            let question = self.question(&answer.question).filter(is_own)?;
            Some((question.text.clone(), answer.answer.clone()))
        };
        self.answers.iter().filter_map(pair).collect()
    }
}

impl Rest {
    /// Whether its time has come. A clock that was set back ends it, too.
    pub fn is_over(&self, now: &str) -> bool {
        now < self.since.as_str() || now >= self.until.as_str()
    }
}

impl Question {
    /// Whether it waits for an answer.
    pub fn is_open(&self) -> bool {
        matches!(self.status, QuestionStatus::PendingDelivery | QuestionStatus::Delivered)
    }
}
