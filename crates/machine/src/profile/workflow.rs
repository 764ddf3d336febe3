//! A workflow profile as data, and the plan that it becomes: steps in one row. How profiles are written is not known.

use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

/// The gate that only a person opens, whatever is configured.
pub const RELEASE_APPROVAL: &str = "RELEASE_APPROVAL";

/// How often a phase's work is sent back before a person decides, where the profile does not say.
const REVIEW_CYCLES: u32 = 3;

/// A workflow.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Profile {
    /// `^[a-z0-9_\-]+$`.
    pub name: String,
    /// From 1.
    pub version: u32,
    /// For people.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// For people.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub friendly_name: String,
    /// Who does the work.
    pub mode: Mode,
    /// Whether what is handed on must be whole, unless `handoff` says otherwise.
    #[serde(default)]
    pub strict: bool,
    /// Where people decide.
    pub gates: Vec<Gate>,
    /// In their order.
    pub phases: Vec<Phase>,
    /// How often a phase's work may be sent back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_review_cycles: Option<u32>,
    /// Whether what is handed on must be whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handoff: Option<bool>,
}

/// Who does the work of roles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// The engine plays the roles, the same way every time.
    Simulation,
    /// Agents work in a repository of the idea's own, one commit for each step.
    Realization,
}

/// A stop for a decision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gate {
    /// `RELEASE_APPROVAL`.
    pub id: String,
    /// The phase it belongs to.
    pub phase: String,
    /// Who decides.
    pub owner: String,
    /// Whether the run can be done without it.
    pub required: bool,
    /// For people.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
}

/// A part of the way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Phase {
    /// Its name.
    pub id: String,
    /// For people.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// Its steps, in order.
    pub steps: Vec<RoleStep>,
}

/// What one role does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoleStep {
    /// Its name.
    pub id: String,
    /// The part that is played.
    pub role: String,
    /// What kind of work it is.
    pub kind: StepKind,
    /// Files that must be there when it is done, by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub required_outputs: Vec<String>,
    /// Whose work a reviewer looks at: a role, or the id of a step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub review_of: Option<String>,
    /// The gate of a gate step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gate: Option<String>,
    /// For whoever plays the role.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notes: Option<String>,
}

/// What kind of work a step is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepKind {
    /// Produces.
    Owner,
    /// Approves, or sends back.
    Reviewer,
    /// Waits for a decision.
    Gate,
    /// Checks.
    Validator,
}

/// A step in the plan of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlannedStep {
    /// Its place, from 0.
    pub index: usize,
    /// The phase it is in.
    pub phase: String,
    /// The step itself.
    #[serde(flatten)]
    pub step: RoleStep,
    /// The step whose work is sent back from here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub producer: Option<usize>,
}

impl StepKind {
    /// As profiles spell it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Owner => "owner",
            Self::Reviewer => "reviewer",
            Self::Gate => "gate",
            Self::Validator => "validator",
        }
    }
}

impl Mode {
    /// As profiles spell it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Simulation => "simulation",
            Self::Realization => "realization",
        }
    }
}

impl Profile {
    /// How often a phase's work may be sent back.
    pub fn review_cycles(&self) -> u32 {
        self.max_review_cycles.unwrap_or(REVIEW_CYCLES)
    }

    /// Whether what is handed on must be whole.
    pub fn enforces_handoff(&self) -> bool {
        self.handoff.unwrap_or(self.strict)
    }

    /// The gate of this id.
    pub fn gate(&self, id: &str) -> Option<&Gate> {
        self.gates.iter().find(|gate| gate.id == id)
    }
}

/// The steps of a profile in one row.
pub fn compile(profile: &Profile) -> Vec<PlannedStep> {
    let mut plan: Vec<PlannedStep> = Vec::new();
    for phase in &profile.phases {
        for step in &phase.steps {
            let producer = producer_of(&plan, step);
            plan.push(PlannedStep { index: plan.len(), phase: phase.id.clone(), step: step.clone(), producer });
        }
    }
    plan
}

/// The step whose work a reviewer or validator sends back: the last one before it of the id that it names, or of the
/// role; for one that names nobody, the last that produced.
fn producer_of(before: &[PlannedStep], step: &RoleStep) -> Option<usize> {
    if !matches!(step.kind, StepKind::Reviewer | StepKind::Validator) {
        return None;
    }
    let last = |is_it: &dyn Fn(&RoleStep) -> bool| before.iter().rev().find(|other| is_it(&other.step));
    let found = match &step.review_of {
        Some(name) => last(&|other| other.id == *name && other.kind != StepKind::Gate)
            .or_else(|| last(&|other| other.role == *name && other.kind == StepKind::Owner))
            .or_else(|| last(&|other| other.role == *name && other.kind != StepKind::Gate)),
        None => last(&|other| other.kind == StepKind::Owner),
    };
    found.map(|other| other.index)
}
