//! What a fact changes in a run of a profile. It decides nothing, refuses nothing and never panics: what makes no sense
//! is ignored, so that a replay of any journal ends in a state.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

use super::derived::ReviewStatus;
use super::fact::{Fact, Move, MoveOutcome};
use super::input::{IntegrationResult, Reply, ReviewVerdict};
use super::run::{
    Answer, Artifact, Course, CriticalFailure, FailureKind, GateState, GateStatus, Integration, IntegrationStatus,
    Matter, QuestionKind, QuestionStatus, Run, StepState, Tries,
};
use super::workflow::{StepKind, compile};
use crate::budget::{Budget, Used};
use crate::run::Cast;

/// Takes a fact into a run. Nothing but `Started` and `TakenOver` makes a run, and nothing changes one that is over.
pub fn apply(run: &mut Option<Run>, run_id: &str, fact: &Fact) {
    match (run.as_mut(), fact) {
        (None, Fact::Started { .. }) => *run = begin(run_id, fact),
        (None, Fact::TakenOver { run: known, .. }) => *run = Some(Run { id: run_id.into(), ..(**known).clone() }),
        (None, _) | (Some(_), Fact::Started { .. } | Fact::TakenOver { .. }) => {}
        (Some(run), fact) => take(run, fact),
    }
}

/// Takes a fact into a run that has begun.
pub(super) fn take(run: &mut Run, fact: &Fact) {
    if !run.is_over() {
        run.take(fact);
    }
}

fn begin(run_id: &str, fact: &Fact) -> Option<Run> {
    let Fact::Started { profile, definition, idea, human_gates, seed, at } = fact else { return None };
    let plan = compile(profile);
    let pending = |gate: &super::workflow::Gate| {
        let owner = gate.owner.clone();
        let state =
            GateState { status: GateStatus::Pending, owner, reason: String::new(), by: String::new(), at: at.clone() };
        (gate.id.clone(), state)
    };
    Some(Run {
        id: run_id.into(),
        gates: profile.gates.iter().map(pending).collect(),
        profile: profile.clone(),
        definition: definition.clone(),
        idea: idea.clone(),
        human_gates: human_gates.clone(),
        seed: *seed,
        states: plan.iter().map(|_| StepState::NotStarted).collect(),
        plan,
        current: 0,
        course: Course::Working,
        driver: None,
        cast: Cast::default(),
        paused: None,
        attempts: BTreeMap::new(),
        fence: 0,
        role_attempts: BTreeMap::new(),
        tries: Tries::default(),
        rest: None,
        budget: Budget::default(),
        used: Used::default(),
        exhausted: None,
        questions: Vec::new(),
        answers: Vec::new(),
        review_cycles: BTreeMap::new(),
        allowed_cycles: BTreeMap::new(),
        review: ReviewStatus::NotStarted,
        remarks: BTreeMap::new(),
        integration: Integration::default(),
        failures: Vec::new(),
        last_failed_role: None,
        artifacts: BTreeMap::new(),
        commits: Vec::new(),
        handoff: None,
        started_at: at.clone(),
        moved_at: at.clone(),
        cancelled_by: None,
    })
}

impl Run {
    // tidy: transition table
    fn take(&mut self, fact: &Fact) {
        if let Some(fence) = fact.ended()
            && self.attempts.remove(&fence).is_none()
        {
            return;
        }
        match fact {
            Fact::Started { .. } | Fact::TakenOver { .. } => {}
            Fact::Found { name, digest } => {
                if let Some(artifact) = self.artifacts.get_mut(name) {
                    artifact.digest.clone_from(digest);
                }
            }
            Fact::Driven { by, cast } => {
                self.driver.clone_from(by);
                if by.is_some() {
                    self.cast.clone_from(cast);
                }
            }
            Fact::Assigned(attempt) => {
                self.fence = self.fence.max(attempt.fence);
                self.set_state(attempt.step, StepState::InProgress);
                if let Some(step) = self.plan.get(attempt.step) {
                    *self.role_attempts.entry(step.step.id.clone()).or_default() += 1;
                    if step.step.kind == StepKind::Reviewer {
                        self.review = ReviewStatus::InReview;
                    }
                }
                self.attempts.insert(attempt.fence, attempt.clone());
            }
            Fact::SentBack { problems, .. } => {
                self.tries.sent_back = self.tries.sent_back.saturating_add(1);
                self.tries.problems.clone_from(problems);
            }
            Fact::Lost { .. } => self.tries.lost = self.tries.lost.saturating_add(1),
            Fact::Rested { rest, .. } => {
                self.tries.rests = self.tries.rests.saturating_add(1);
                self.rest = Some(rest.clone());
            }
            Fact::Woke => self.rest = None,
            Fact::Budgeted { budget, .. } => {
                self.budget = *budget;
                self.exhausted = None;
            }
            Fact::Spent { used, .. } => self.used.add(used),
            Fact::Exhausted { measure } => self.exhausted = Some(*measure),
            Fact::Worked { outputs, commit, .. } => {
                self.put(outputs);
                self.commits.extend(commit.clone());
            }
            Fact::Failed { failure, .. } => {
                self.last_failed_role = self.plan.get(failure.step).map(|step| step.step.role.clone());
                self.take_failure(failure);
            }
            Fact::Reviewed { step, review } => self.take_review(*step, review.verdict, &review.remarks),
            Fact::Integrated { step, result, at } => self.take_integration(*step, result, at),
            Fact::Completed { step } => {
                self.set_state(*step, StepState::Completed);
                self.remarks.remove(step);
                self.tries = Tries::default();
                self.settle(*step, FailureKind::Step, "passed");
            }
            Fact::HandedOver(handoff) => self.handoff = Some(handoff.clone()),
            Fact::Moved(moved) => self.take_move(moved),
            Fact::GateOpened { gate, question } | Fact::GateReopened { gate, question, .. } => {
                self.set_state(question.step, StepState::InProgress);
                if let Some(state) = self.gates.get_mut(gate) {
                    state.status = GateStatus::Pending;
                    state.at.clone_from(&question.created_at);
                    if let Fact::GateReopened { by, reason, .. } = fact {
                        (state.by, state.reason) = (by.clone(), reason.clone());
                    }
                }
                self.questions.push(question.clone());
                self.course = Course::Gate(gate.clone());
            }
            Fact::GateDecided { gate, status, by, reason, outputs, at } => {
                if let Some(state) = self.gates.get_mut(gate) {
                    let owner = core::mem::take(&mut state.owner);
                    *state =
                        GateState { status: *status, owner, reason: reason.clone(), by: by.clone(), at: at.clone() };
                }
                self.put(outputs);
                let answer = match status {
                    GateStatus::Approved => "approved",
                    GateStatus::Rejected => "rejected",
                    GateStatus::Pending => return,
                };
                self.close_question(|kind| *kind == QuestionKind::Gate(gate.clone()), answer, by, at);
                self.course = match status {
                    GateStatus::Rejected => Course::Rejected(gate.clone()),
                    GateStatus::Approved | GateStatus::Pending => Course::Working,
                };
            }
            Fact::Asked { question, .. } => {
                self.tries.asked = self.tries.asked.saturating_add(1);
                self.questions.push(question.clone());
            }
            Fact::Wondered { question } => self.questions.push(question.clone()),
            Fact::Delivered { question } => self.mark(question, QuestionStatus::Delivered),
            Fact::Answered { question, answer, source, at } => {
                self.mark(question, QuestionStatus::Answered);
                let (question, answer) = (question.clone(), answer.clone());
                self.answers.push(Answer { question, answer, source: source.clone(), at: at.clone() });
            }
            Fact::Escalated { question, failure } => {
                self.course = Course::Undecided(question.id.clone());
                failure.iter().for_each(|failure| self.take_failure(failure));
                self.questions.push(question.clone());
            }
            Fact::Decided { question, reply, by, at } => self.take_decision(question, *reply, by, at),
            Fact::Paused { reason } => self.paused = Some(reason.clone()),
            Fact::Resumed => self.paused = None,
            Fact::Cancelled { by, .. } => {
                self.cancelled_by = Some(by.clone());
                self.end(Course::Cancelled);
            }
            Fact::Finished { .. } => self.end(Course::Done),
        }
    }

    fn set_state(&mut self, step: usize, state: StepState) {
        if let Some(there) = self.states.get_mut(step) {
            *there = state;
        }
    }

    fn put(&mut self, outputs: &[Artifact]) {
        self.artifacts.extend(outputs.iter().map(|output| (output.name.clone(), output.clone())));
    }

    fn mark(&mut self, id: &str, status: QuestionStatus) {
        if let Some(question) = self.questions.iter_mut().find(|question| question.id == id) {
            question.status = status;
        }
    }

    /// The open question of a kind is answered; a rejection may be followed by another answer.
    fn close_question(&mut self, is_it: impl Fn(&QuestionKind) -> bool, answer: &str, by: &str, at: &str) {
        let found = self.questions.iter_mut().rev().find(|question| is_it(&question.kind));
        if let Some(question) = found {
            question.status = QuestionStatus::Answered;
            let question = question.id.clone();
            self.answers.push(Answer { question, answer: answer.into(), source: by.into(), at: at.into() });
        }
    }

    fn take_review(&mut self, step: usize, verdict: ReviewVerdict, remarks: &[String]) {
        let Some(reviewing) = self.plan.get(step) else { return };
        match verdict {
            ReviewVerdict::Approved => {
                self.review = ReviewStatus::Approved;
                self.settle(step, FailureKind::Check, "passed");
            }
            ReviewVerdict::ChangesRequested => {
                let cycles = self.review_cycles.entry(reviewing.phase.clone()).or_default();
                *cycles = cycles.saturating_add(1);
                self.review = ReviewStatus::ChangesRequested;
                if let Some(producer) = reviewing.producer {
                    self.remarks.insert(producer, remarks.to_vec());
                }
            }
        }
    }

    fn take_integration(&mut self, step: usize, result: &IntegrationResult, at: &str) {
        match result {
            IntegrationResult::Passed => {
                self.integration = Integration { status: IntegrationStatus::Passed, ..Integration::default() };
                self.settle(step, FailureKind::Integration, "passed");
            }
            IntegrationResult::Failed { target, error } => {
                self.integration.status = IntegrationStatus::Failed;
                self.integration.attempts = self.integration.attempts.saturating_add(1);
                self.integration.target = Some(target.clone());
                self.last_failed_role = Some(target.clone());
                // Whoever is to mend it is told what failed.
                if let Some(to) = self.target_of(step, target) {
                    self.remarks.insert(to, [error.clone()].into());
                }
                let is_open = |failure: &&mut CriticalFailure| {
                    failure.kind == FailureKind::Integration && failure.settled.is_none()
                };
                match self.failures.iter_mut().find(is_open) {
                    Some(open) => (open.error, open.at) = (error.clone(), at.into()),
                    None => self.failures.push(CriticalFailure {
                        step,
                        kind: FailureKind::Integration,
                        error: error.clone(),
                        at: at.into(),
                        settled: None,
                    }),
                }
            }
        }
    }

    /// What fails again is the same failure, in newer words.
    fn take_failure(&mut self, failure: &CriticalFailure) {
        let is_it = |open: &&mut CriticalFailure| {
            open.settled.is_none() && open.kind == failure.kind && open.step == failure.step
        };
        match self.failures.iter_mut().find(is_it) {
            Some(open) => (open.error, open.at) = (failure.error.clone(), failure.at.clone()),
            None => self.failures.push(failure.clone()),
        }
    }

    fn settle(&mut self, step: usize, kind: FailureKind, how: &str) {
        let open = self.failures.iter_mut().filter(|failure| failure.kind == kind && failure.settled.is_none());
        for failure in open.filter(|failure| failure.step == step || kind == FailureKind::Integration) {
            failure.settled = Some(how.into());
        }
    }

    fn take_move(&mut self, moved: &Move) {
        let Move { from, to, outcome, at, .. } = moved;
        if *from != self.current {
            return;
        }
        self.moved_at.clone_from(at);
        match outcome {
            MoveOutcome::Advanced => {
                self.current = (*to).min(self.plan.len());
                self.tries = Tries::default();
                self.course = Course::Working;
            }
            MoveOutcome::Rerouted if *to <= *from && *to < self.plan.len() => {
                if self.integration.status == IntegrationStatus::Failed {
                    self.integration.status = IntegrationStatus::Running;
                }
                // All that rested on the work is done again; a gate that had seen it is asked again (BY-02).
                for step in *to..=(*from).min(self.plan.len().saturating_sub(1)) {
                    self.set_state(step, StepState::NotStarted);
                    let gate = self.plan.get(step).and_then(|step| step.step.gate.as_ref());
                    if let Some(state) = gate.and_then(|gate| self.gates.get_mut(gate)) {
                        state.status = GateStatus::Pending;
                    }
                }
                self.current = *to;
                self.tries = Tries::default();
                self.course = Course::Working;
            }
            MoveOutcome::Rerouted | MoveOutcome::Blocked | MoveOutcome::Waiting => {}
        }
    }

    fn take_decision(&mut self, id: &str, reply: Reply, by: &str, at: &str) {
        let Some(question) = self.question(id).cloned() else { return };
        let QuestionKind::Decision(matter) = question.kind else { return };
        let answer: String = match reply {
            Reply::More(times) => alloc::format!("more {times}"),
            Reply::Accept => "accept".into(),
            Reply::Reject => "reject".into(),
        };
        self.mark(id, QuestionStatus::Answered);
        self.answers.push(Answer { question: id.into(), answer, source: by.into(), at: at.into() });
        let phase = self.plan.get(question.step).map(|step| step.phase.clone());
        match (reply, matter) {
            (Reply::Reject, _) => {}
            (Reply::More(times), Matter::ReviewCycles) => {
                let allowed = self.allowed_cycles.entry(phase.unwrap_or_default()).or_default();
                *allowed = allowed.saturating_add(times);
                self.course = Course::Working;
            }
            (Reply::More(times), Matter::Integration) => {
                self.integration.allowed = self.integration.allowed.saturating_add(times);
                self.course = Course::Working;
            }
            (Reply::More(_), Matter::StepFailed) => {
                self.tries = Tries::default();
                self.course = Course::Working;
            }
            (Reply::Accept, matter) => {
                let kind = match matter {
                    Matter::ReviewCycles => FailureKind::Check,
                    Matter::Integration => FailureKind::Integration,
                    Matter::StepFailed => FailureKind::Step,
                };
                let how = alloc::format!("accepted by {by}");
                // Whoever accepts a step accepts all that is open about it.
                let is_meant = |failure: &&mut CriticalFailure| failure.kind == kind || failure.step == question.step;
                let open = self.failures.iter_mut().filter(|failure| failure.settled.is_none()).filter(is_meant);
                open.for_each(|failure| failure.settled = Some(how.clone()));
                match matter {
                    Matter::ReviewCycles => self.review = ReviewStatus::Approved,
                    Matter::Integration => self.integration.status = IntegrationStatus::Passed,
                    Matter::StepFailed => {}
                }
                self.course = Course::Working;
            }
        }
    }

    fn end(&mut self, course: Course) {
        self.course = course;
        self.driver = None;
        self.attempts.clear();
        self.rest = None;
        for question in self.questions.iter_mut().filter(|question| question.is_open()) {
            question.status = QuestionStatus::Closed;
        }
    }
}
