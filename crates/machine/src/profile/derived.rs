//! What follows from a run and is never kept: whether it is blocked and by what, what is missing until it is done, and
//! the words of its status document (PF-08, PF-13, guard rule 9).

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use super::run::{Course, GateStatus, Question, QuestionKind, Run, StepState};
use super::workflow::{Mode, RELEASE_APPROVAL, StepKind};

/// What a run waits for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Blocking {
    /// A required question without an answer, by its id.
    Question(String),
    /// A gate that a person is to decide.
    GatePending(String),
    /// A gate that a person has rejected.
    GateRejected(String),
    /// A failure that is neither passed nor accepted: the step's id, and what failed.
    Failure(String, String),
    /// All steps are done, and this is missing all the same.
    Evidence(Missing),
}

/// Why a run is not done yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Missing {
    /// A step that is not completed, by its id.
    Step(String),
    /// A gate that is not approved.
    Gate(String),
    /// A required output: the step's id, the name.
    Output(String, String),
    /// The commit of a step, by its id.
    Commit(String),
    /// A failure that is neither passed nor accepted: the step's id, and what failed.
    Failure(String, String),
}

/// How a phase stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PhaseStatus {
    /// Nothing has begun.
    NotStarted,
    /// It is being worked on.
    InProgress,
    /// A person is asked.
    Waiting,
    /// A reviewer is on.
    AwaitingReview,
    /// All is done.
    Completed,
    /// A person has said no, or must decide.
    Blocked,
}

/// How the last review stands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReviewStatus {
    /// There was none.
    #[default]
    NotStarted,
    /// Somebody looks at it.
    InReview,
    /// It was good.
    Approved,
    /// It was not.
    ChangesRequested,
}

/// How a realization stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RealizationStatus {
    /// There is none, or it has not begun.
    NotStarted,
    /// Under way.
    Executing,
    /// A gate waits.
    WaitingApproval,
    /// The last gate that was decided was approved, and all steps are done.
    Approved,
    /// A gate was rejected.
    Rejected,
    /// Done.
    Completed,
}

impl Run {
    /// What it waits for: unanswered required questions, gate decisions, open failures.
    pub fn blocking(&self) -> Vec<Blocking> {
        let mut blocking = Vec::new();
        if self.is_over() {
            return blocking;
        }
        match &self.course {
            Course::Gate(gate) => blocking.push(Blocking::GatePending(gate.clone())),
            Course::Rejected(gate) => blocking.push(Blocking::GateRejected(gate.clone())),
            Course::Working | Course::Undecided(_) | Course::Done | Course::Cancelled => {}
        }
        let is_gate = |question: &&&Question| !matches!(question.kind, QuestionKind::Gate(_));
        blocking.extend(
            self.pending_required_questions().iter().filter(is_gate).map(|one| Blocking::Question(one.id.clone())),
        );
        // A failure blocks while nobody is at work on mending it.
        if matches!(self.course, Course::Undecided(_)) {
            blocking.extend(self.open_failures().map(|(step, error)| Blocking::Failure(step, error)));
        }
        if self.is_at_its_end() {
            blocking.extend(self.missing().into_iter().map(Blocking::Evidence));
        }
        blocking
    }

    /// Whether all steps are behind it.
    pub fn is_at_its_end(&self) -> bool {
        self.current >= self.plan.len()
    }

    /// Whether nothing goes on without a person.
    pub fn is_blocked(&self) -> bool {
        !self.blocking().is_empty()
    }

    /// The required outputs of the step that is on that are not there.
    pub fn missing_outputs(&self) -> Vec<String> {
        self.step().map(|step| self.missing_outputs_of(step)).unwrap_or_default()
    }

    /// Required questions that wait for an answer.
    pub fn pending_required_questions(&self) -> Vec<&Question> {
        self.questions.iter().filter(|question| question.required && question.is_open()).collect()
    }

    /// The gate that waits for a person.
    pub fn human_gate_waiting(&self) -> Option<&str> {
        match &self.course {
            Course::Gate(gate) => Some(gate),
            _ => None,
        }
    }

    /// Whether only a person opens a gate.
    pub fn is_human_gate(&self, gate: &str) -> bool {
        gate == RELEASE_APPROVAL || self.human_gates.contains(gate)
    }

    fn open_failures(&self) -> impl Iterator<Item = (String, String)> + '_ {
        let open = self.failures.iter().filter(|failure| failure.settled.is_none());
        open.map(|failure| {
            let step = self.plan.get(failure.step).map(|step| step.step.id.clone()).unwrap_or_default();
            (step, failure.error.clone())
        })
    }

    /// Why it is not done: every condition that is not met (PF-13, PF-19).
    pub fn missing(&self) -> Vec<Missing> {
        let mut missing = Vec::new();
        for (step, state) in self.plan.iter().zip(&self.states) {
            let id = &step.step.id;
            if *state != StepState::Completed {
                missing.push(Missing::Step(id.clone()));
            }
            for name in &step.step.required_outputs {
                if !self.has_output(name) {
                    missing.push(Missing::Output(id.clone(), name.clone()));
                }
            }
            let has_commit = self.commits.iter().any(|commit| commit.step_id == *id);
            if self.profile.mode == Mode::Realization && step.step.kind != StepKind::Gate && !has_commit {
                missing.push(Missing::Commit(id.clone()));
            }
        }
        for gate in self.profile.gates.iter().filter(|gate| gate.required || self.has_step_of(&gate.id)) {
            if self.gates.get(&gate.id).is_none_or(|state| state.status != GateStatus::Approved) {
                missing.push(Missing::Gate(gate.id.clone()));
            }
        }
        missing.extend(self.open_failures().map(|(step, error)| Missing::Failure(step, error)));
        missing
    }

    fn has_step_of(&self, gate: &str) -> bool {
        self.plan.iter().any(|step| step.step.gate.as_deref() == Some(gate))
    }

    /// How the phase stands that is on.
    pub fn phase_status(&self) -> PhaseStatus {
        let Some(step) = self.step() else {
            return if self.is_blocked() { PhaseStatus::Blocked } else { PhaseStatus::Completed };
        };
        match &self.course {
            Course::Done => PhaseStatus::Completed,
            Course::Gate(_) => PhaseStatus::Waiting,
            Course::Rejected(_) | Course::Undecided(_) | Course::Cancelled => PhaseStatus::Blocked,
            Course::Working if self.is_blocked() => PhaseStatus::Waiting,
            Course::Working => {
                let of_phase = self.plan.iter().zip(&self.states).filter(|(other, _)| other.phase == step.phase);
                let has_begun = of_phase.map(|(_, state)| *state).any(|state| state != StepState::NotStarted);
                match (step.step.kind, has_begun) {
                    (StepKind::Reviewer, _) => PhaseStatus::AwaitingReview,
                    (_, true) => PhaseStatus::InProgress,
                    (_, false) => PhaseStatus::NotStarted,
                }
            }
        }
    }

    /// How the step stands that is on.
    pub fn role_status(&self) -> StepState {
        self.states.get(self.current).copied().unwrap_or(StepState::Completed)
    }

    /// How the realization stands.
    pub fn realization_status(&self) -> RealizationStatus {
        if self.profile.mode == Mode::Simulation {
            return RealizationStatus::NotStarted;
        }
        match &self.course {
            Course::Done => RealizationStatus::Completed,
            Course::Gate(_) => RealizationStatus::WaitingApproval,
            Course::Rejected(_) | Course::Cancelled => RealizationStatus::Rejected,
            Course::Working | Course::Undecided(_) if self.current >= self.plan.len() => RealizationStatus::Approved,
            Course::Working | Course::Undecided(_) if self.fence == 0 => RealizationStatus::NotStarted,
            Course::Working | Course::Undecided(_) => RealizationStatus::Executing,
        }
    }
}

impl Blocking {
    /// In words, for `blocking_reasons` and for people.
    pub fn in_words(&self) -> String {
        match self {
            Self::Question(id) => format!("question {id} waits for an answer"),
            Self::GatePending(gate) => format!("gate {gate} waits for a person"),
            Self::GateRejected(gate) => format!("gate {gate} was rejected"),
            Self::Failure(step, error) => format!("step {step} failed: {error}"),
            Self::Evidence(missing) => missing.in_words(),
        }
    }
}

impl Missing {
    /// In words, for `explain`.
    pub fn in_words(&self) -> String {
        match self {
            Self::Step(id) => format!("step {id} is not completed"),
            Self::Gate(gate) => format!("gate {gate} is not approved"),
            Self::Output(step, name) => format!("step {step} has not left {name}"),
            Self::Commit(step) => format!("step {step} has no commit"),
            Self::Failure(step, error) => format!("the failure of step {step} is neither passed nor accepted: {error}"),
        }
    }
}
