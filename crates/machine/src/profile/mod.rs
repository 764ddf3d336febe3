//! The machine of the protocol `profile`: a team of roles works through the steps of a workflow, one after the other.
//! Owners produce, reviewers approve or send back, validators check, gates wait for a person. Beside the machine of
//! levels and not within it: the two share attempts' fences, holders, limits, budgets and rests, and nothing else
//! (docs/adr/0020-profile.md). Nothing of any one workflow is known here (PF-15).

mod advance;
mod apply;
mod decide;
mod derived;
mod edit;
mod fact;
mod gates;
mod input;
mod names;
mod run;
mod settle;
mod workflow;

pub use apply::apply;
pub use decide::{decide, start, take_over};
pub use derived::{Blocking, Missing, PhaseStatus, RealizationStatus, ReviewStatus};
pub use edit::Seen;
pub use fact::{Fact, Handoff, Move, MoveOutcome};
pub use gates::ENGINE;
pub use input::{
    Decision, GateRecord, Input, IntegrationResult, Outcome, PutBack, Reply, Review, ReviewVerdict, Start, World,
};
pub use run::{
    Answer, Artifact, Attempt, CommitNote, Course, CriticalFailure, FailureKind, GateState, GateStatus, Idea,
    Integration, IntegrationStatus, Matter, Question, QuestionKind, QuestionStatus, Rest, Run, StepState, Tries,
};
pub use workflow::{Gate, Mode, Phase, PlannedStep, Profile, RELEASE_APPROVAL, RoleStep, StepKind, compile};
