//! What a person changed in the status document by hand. A legal move is taken (a gate decided, a question answered);
//! whatever else differs is put back, with the reason (guard rule 3).

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::decide::Step;
use super::fact::Fact;
use super::input::PutBack;
use super::run::{Course, GateStatus};

/// Who an edit by hand counts as.
const BY_HAND: &str = "an edit of status.json";

/// What a status document says of what the machine owns.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Seen {
    /// `current_step_index`.
    pub step_index: Option<usize>,
    /// `current_phase`.
    pub phase: Option<String>,
    /// `current_role`.
    pub role: Option<String>,
    /// `review_cycles`.
    pub review_cycles: BTreeMap<String, u32>,
    /// `governance_gates`: status and reason by id.
    pub gates: BTreeMap<String, (GateStatus, String)>,
    /// `answers`: question, answer and source, in order.
    pub answers: Vec<(String, String, String)>,
    /// Files that steps left, by name, with the digest of what is in them; nothing for one that is empty or gone. The
    /// document says nothing of it: the files themselves do.
    pub artifacts: BTreeMap<String, String>,
}

/// Takes what may be taken, and complains of the rest.
pub(super) fn take(step: &mut Step<'_>, seen: &Seen) {
    check_place(step, seen);
    check_cycles(step, seen);
    find_artifacts(step, seen);
    // Both are looked at before anything is taken: what is taken moves the run on.
    let gates: Vec<(String, GateStatus, String)> = seen
        .gates
        .iter()
        .filter(|(id, (status, _))| step.run.gates.get(*id).is_none_or(|state| state.status != *status))
        .map(|(id, (status, reason))| (id.clone(), *status, reason.clone()))
        .collect();
    let is_known = |question: &str| step.run.answers.iter().any(|answer| answer.question == question);
    let answers: Vec<(String, String, String)> =
        seen.answers.iter().filter(|(question, ..)| !is_known(question)).cloned().collect();
    for (question, answer, source) in answers {
        let source = if source.trim().is_empty() { BY_HAND } else { source.trim() };
        if let Err(refusal) = step.answer(Some(&question), &answer, source) {
            put_back(step, format!("answers ({question})"), format!("{} ({})", refusal.reason, refusal.hint));
        }
    }
    for (id, status, reason) in gates {
        let is_decided_now = step.run.gates.get(&id).is_some_and(|state| state.status == status);
        if is_decided_now {
            continue;
        }
        let reply = match status {
            GateStatus::Approved => "approve",
            GateStatus::Rejected => "reject",
            GateStatus::Pending => "pending",
        };
        let taken = match step.run.course.clone() {
            Course::Gate(waits) | Course::Rejected(waits) if waits == id => {
                step.answer_gate(&waits, None, reply, &reason, BY_HAND)
            }
            _ => Err(step.no_gate_waits(Some(&id))),
        };
        if let Err(refusal) = taken {
            let field = format!("governance_gates ({id})");
            put_back(step, field, format!("{} ({})", refusal.reason, refusal.hint));
        }
    }
}

/// What people did to files counts as it is: a name proves nothing, and what is not there is missing (PF-13, PF-19).
fn find_artifacts(step: &mut Step<'_>, seen: &Seen) {
    let changed = seen
        .artifacts
        .iter()
        .filter(|(name, digest)| step.run.artifacts.get(*name).is_some_and(|artifact| artifact.digest != **digest));
    let changed: Vec<Fact> =
        changed.map(|(name, digest)| Fact::Found { name: name.clone(), digest: digest.clone() }).collect();
    changed.into_iter().for_each(|fact| step.fact(fact));
}

/// The place of the run is the compiled step's, and nobody moves it by hand.
fn check_place(step: &mut Step<'_>, seen: &Seen) {
    let (index, phase, role) = match step.run.step() {
        Some(on) => (step.run.current, on.phase.clone(), on.step.role.clone()),
        None => return,
    };
    let why = format!("step {index} of the plan is phase {phase}, role {role}; a run moves only by its steps");
    if seen.step_index.is_some_and(|there| there != index) {
        put_back(step, "current_step_index".into(), why.clone());
    }
    if seen.phase.as_ref().is_some_and(|there| *there != phase) {
        put_back(step, "current_phase".into(), why.clone());
    }
    if seen.role.as_ref().is_some_and(|there| *there != role) {
        put_back(step, "current_role".into(), why);
    }
}

fn check_cycles(step: &mut Step<'_>, seen: &Seen) {
    let own = step.run.review_cycles.clone();
    for phase in own.keys().chain(seen.review_cycles.keys().filter(|phase| !own.contains_key(*phase))) {
        let (is, was) = (seen.review_cycles.get(phase).copied(), own.get(phase).copied());
        if is.unwrap_or_default() != was.unwrap_or_default() {
            let counted = was.unwrap_or_default();
            let reason = format!("counted so far: {counted}; to allow more, answer `more` when it asks");
            put_back(step, format!("review_cycles.{phase}"), reason);
        }
    }
}

fn put_back(step: &mut Step<'_>, field: String, reason: String) {
    step.decision.refused.push(PutBack { field, reason });
}
