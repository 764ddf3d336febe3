//! How an attempt at a step ends: what its outcome makes true. One arm for each kind of step and outcome.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::decide::Step;
use super::fact::{Fact, Move, MoveOutcome};
use super::input::{IntegrationResult, Outcome, Review, ReviewVerdict};
use super::names::question_id;
use super::run::{
    Artifact, Attempt, CommitNote, CriticalFailure, FailureKind, Matter, Question, QuestionKind, QuestionStatus, Rest,
};
use super::workflow::{Mode, PlannedStep, StepKind};
use crate::budget::{Metered, Used};
use crate::input::{Effect, Said};
use crate::moment::{later, seconds_between};
use crate::run::Holder;

impl Step<'_> {
    /// The table of outcomes.
    pub(super) fn settle(&mut self, attempt: &Attempt, outcome: &Outcome) {
        let fence = attempt.fence;
        let used = self.charge(attempt);
        let cut = used.cut_short(&attempt.reserved, &self.most());
        let Some(step) = self.run.plan.get(attempt.step).cloned() else {
            self.fact(Fact::Lost { fence, reason: "its step is not in the plan".into() });
            return;
        };
        match outcome {
            Outcome::Lost(reason) => self.lose(attempt, reason),
            Outcome::Failed(error) if let Some(measure) = cut => {
                // BY-08: the step did not fail, it had too little; a person is asked when it is handed out next.
                let share = measure.in_words(attempt.reserved.of(measure));
                self.fact(Fact::Lost {
                    fence,
                    reason: format!("its share of the budget, {share}, is used up: {error}"),
                });
            }
            Outcome::Failed(error) => {
                let error = if error.trim().is_empty() { "it failed without a word" } else { error };
                self.fail(attempt, &step, error);
            }
            Outcome::Broken(problems) => self.send_back(attempt, &step, problems.clone()),
            Outcome::Paused(reason) => {
                self.fact(Fact::Lost { fence, reason: format!("it was put aside: {reason}") });
                if self.run.paused.is_none() {
                    self.fact(Fact::Paused { reason: reason.clone() });
                }
            }
            Outcome::Later { seconds, reason } => self.put_off(attempt, *seconds, reason),
            Outcome::Question(text) if text.trim().is_empty() => {
                self.send_back(attempt, &step, ["a question without words came".to_string()].into());
            }
            Outcome::Question(text) => self.ask(attempt, &step, text),
            Outcome::Done { outputs, review, integration, commit, question } => {
                let problems = self.problems(&step, outputs, review.as_ref(), integration.as_ref(), commit.as_ref());
                if problems.is_empty() {
                    self.wonder(&step, question.as_deref());
                    self.take_work(attempt, &step, outputs, review.as_ref(), integration.as_ref(), commit.as_ref());
                } else {
                    self.send_back(attempt, &step, problems);
                }
            }
        }
    }

    /// Why work is not taken: the guard rules for what a step must bring.
    fn problems(
        &self,
        step: &PlannedStep,
        outputs: &[Artifact],
        review: Option<&Review>,
        integration: Option<&IntegrationResult>,
        commit: Option<&CommitNote>,
    ) -> Vec<String> {
        let mut problems = Vec::new();
        let is_there = |name: &String| outputs.iter().any(|output| output.name == *name) || self.run.has_output(name);
        let missing: Vec<&str> =
            step.step.required_outputs.iter().filter(|name| !is_there(name)).map(String::as_str).collect();
        if !missing.is_empty() {
            let names = missing.join(", ");
            problems.push(format!(
                "step {}: required outputs are missing: {names}; write each into the artifact folder, not empty",
                step.step.id
            ));
        }
        if step.step.kind == StepKind::Reviewer && review.is_none() {
            problems
                .push(format!("step {}: a reviewer says `review_status`: approved or changes_requested", step.step.id));
        }
        if let Some(Review { verdict: ReviewVerdict::ChangesRequested, .. }) = review
            && step.step.kind != StepKind::Owner
            && step.producer.is_none()
        {
            problems.push(format!("step {}: nobody before it has produced anything to send back to", step.step.id));
        }
        if let Some(IntegrationResult::Failed { target, .. }) = integration
            && self.run.target_of(step.index, target).is_none()
        {
            let roles = self.roles_before(step.index).join(", ");
            problems.push(format!(
                "step {}: integration_failure_target `{target}` is no role of an earlier step; valid: {roles}",
                step.step.id
            ));
        }
        let is_failing = |failure: &CriticalFailure| {
            failure.kind == FailureKind::Integration && failure.settled.is_none() && failure.step == step.index
        };
        if integration.is_none() && self.run.failures.iter().any(is_failing) {
            problems.push(format!(
                "step {}: the integration had failed; say `integration_loop_status`: passed or failed",
                step.step.id
            ));
        }
        if self.run.profile.mode == Mode::Realization {
            problems.extend(self.commit_problem(step, commit));
        }
        problems
    }

    /// One commit by the role for each step.
    fn commit_problem(&self, step: &PlannedStep, commit: Option<&CommitNote>) -> Option<String> {
        let (id, role) = (&step.step.id, &step.step.role);
        match commit {
            None => Some(format!("step {id}: there is no commit; a step that changed nothing is not done")),
            Some(commit) if commit.role != *role => {
                Some(format!("step {id}: the commit is by role {}, and the step is {role}'s", commit.role))
            }
            Some(commit) if commit.sha.trim().is_empty() => Some(format!("step {id}: the commit has no id")),
            Some(commit) if self.run.commits.iter().any(|other| other.sha == commit.sha) => {
                Some(format!("step {id}: commit {} was another step's; make one of its own", commit.sha))
            }
            Some(_) => None,
        }
    }

    fn take_work(
        &mut self,
        attempt: &Attempt,
        step: &PlannedStep,
        outputs: &[Artifact],
        review: Option<&Review>,
        integration: Option<&IntegrationResult>,
        commit: Option<&CommitNote>,
    ) {
        let at = self.world.now.to_string();
        let owned =
            outputs.iter().map(|output| Artifact { owner: step.step.role.clone(), at: at.clone(), ..output.clone() });
        let outputs: Vec<Artifact> = owned.collect();
        self.fact(Fact::Worked { fence: attempt.fence, outputs, commit: commit.cloned() });
        // What an owner says of its own work is no review.
        let review = review.filter(|_| step.step.kind != StepKind::Owner);
        if let Some(review) = review {
            self.fact(Fact::Reviewed { step: step.index, review: review.clone() });
        }
        if let Some(result) = integration {
            self.fact(Fact::Integrated { step: step.index, result: result.clone(), at });
        }
        match (review, integration) {
            (_, Some(IntegrationResult::Failed { target, error })) => self.integrate_again(step, target, error),
            (Some(Review { verdict: ReviewVerdict::ChangesRequested, remarks }), _) => {
                self.send_to_producer(step, remarks);
            }
            _ => self.finish_step(step),
        }
    }

    /// Guard rules 5 and 6: back to the producer, and past the maximum to a person.
    fn send_to_producer(&mut self, step: &PlannedStep, remarks: &[String]) {
        let cycles = self.run.review_cycles.get(&step.phase).copied().unwrap_or_default();
        let allowed = self.run.allowed_cycles.get(&step.phase).copied().unwrap_or_default();
        let most = self.run.profile.review_cycles().saturating_add(allowed);
        let words = if remarks.is_empty() { "no words".to_string() } else { remarks.join("; ") };
        if cycles > most {
            let error =
                format!("the work of phase {} was sent back {cycles} times, {most} at most: {words}", step.phase);
            let failure = self.failure(step, FailureKind::Check, &error);
            self.escalate(step, Matter::ReviewCycles, &error, Some(failure));
        } else if let Some(producer) = step.producer {
            self.reroute(step.index, producer, format!("changes requested (cycle {cycles} of {most}): {words}"));
        }
    }

    /// PF-12: to the role that is to mend it, three times; then to a person.
    fn integrate_again(&mut self, step: &PlannedStep, target: &str, error: &str) {
        let most = self.limits.integrations.saturating_add(self.run.integration.allowed);
        let attempts = self.run.integration.attempts;
        match self.run.target_of(step.index, target) {
            Some(to) if attempts <= most => {
                let message = format!("integration failed (attempt {attempts} of {most}), to {target}: {error}");
                self.reroute(step.index, to, message);
            }
            _ => {
                let error = format!("the integration failed {attempts} times, the last time: {error}");
                self.escalate(step, Matter::Integration, &error, None);
            }
        }
    }

    fn roles_before(&self, before: usize) -> Vec<String> {
        let mut roles: Vec<String> = Vec::new();
        for step in self.run.plan.get(..before).unwrap_or_default() {
            if step.step.kind != StepKind::Gate && !roles.contains(&step.step.role) {
                roles.push(step.step.role.clone());
            }
        }
        roles
    }

    pub(super) fn reroute(&mut self, from: usize, to: usize, message: String) {
        let at = self.world.now.to_string();
        self.fact(Fact::Moved(Move { from, to, outcome: MoveOutcome::Rerouted, message, at }));
    }

    /// A person decides what becomes of a step.
    pub(super) fn escalate(
        &mut self,
        step: &PlannedStep,
        matter: Matter,
        error: &str,
        failure: Option<CriticalFailure>,
    ) {
        let at = self.world.now.to_string();
        let text = match matter {
            Matter::ReviewCycles => {
                format!(
                    "{error}. Answer `more` (or `more N`) to allow more cycles, `accept` to take the work as it is, or `reject`"
                )
            }
            Matter::Integration => {
                format!("{error}. Answer `more` (or `more N`) to try again, `accept` to go on as it is, or `reject`")
            }
            Matter::StepFailed => {
                format!(
                    "step {} of {} failed: {error}. Answer `more` to try again, `accept` to go on with what is there, or `reject`",
                    step.step.id, step.step.role
                )
            }
        };
        let question = Question {
            id: question_id(&self.run, &format!("DECISION-{}", step.step.id), self.world.now),
            from_role: step.step.role.clone(),
            kind: QuestionKind::Decision(matter),
            required: true,
            status: QuestionStatus::PendingDelivery,
            created_at: at.clone(),
            text,
            step: step.index,
        };
        self.fact(Fact::Escalated { question, failure });
        let message = format!("a person is to decide: {error}");
        self.fact(Fact::Moved(Move { from: step.index, to: step.index, outcome: MoveOutcome::Blocked, message, at }));
        self.effect(Effect::Say(Said::Question));
    }

    fn failure(&self, step: &PlannedStep, kind: FailureKind, error: &str) -> CriticalFailure {
        CriticalFailure { step: step.index, kind, error: error.into(), at: self.world.now.into(), settled: None }
    }

    fn fail(&mut self, attempt: &Attempt, step: &PlannedStep, error: &str) {
        let failure = self.failure(step, FailureKind::Step, error);
        self.fact(Fact::Failed { fence: attempt.fence, failure });
        self.escalate(step, Matter::StepFailed, error, None);
    }

    /// What an attempt used counts, however it ended. A price that nobody knows is taken to be what was set aside.
    fn charge(&mut self, attempt: &Attempt) -> Used {
        let Metered { tokens, micro_dollars } = self.world.used;
        let micro_dollars = micro_dollars.unwrap_or(if tokens > 0 { attempt.reserved.micro_dollars } else { 0 });
        let seconds = seconds_between(&attempt.since, self.world.now);
        let is_timed = self.run.budget.seconds.is_some() && matches!(attempt.holder, Holder::Process(_));
        let used = Used { tokens, micro_dollars, seconds: if is_timed || tokens > 0 { seconds } else { 0 } };
        if !used.is_nothing() {
            self.fact(Fact::Spent { fence: attempt.fence, used });
        }
        used
    }

    fn send_back(&mut self, attempt: &Attempt, step: &PlannedStep, mut problems: Vec<String>) {
        if problems.is_empty() {
            problems.push("the report breaks the contract".into());
        }
        let error = problems.join("\n");
        self.fact(Fact::SentBack { fence: attempt.fence, problems });
        if self.run.tries.sent_back > self.limits.sent_back {
            let failure = self.failure(step, FailureKind::Step, &error);
            self.escalate(step, Matter::StepFailed, &error, Some(failure));
        }
    }

    /// Counts an attempt as lost; the step is handed out again unless that happened too often.
    pub(super) fn lose(&mut self, attempt: &Attempt, reason: &str) {
        self.fact(Fact::Lost { fence: attempt.fence, reason: reason.into() });
        let lost = self.run.tries.lost;
        if lost > self.limits.lost
            && let Some(step) = self.run.plan.get(attempt.step).cloned()
        {
            let error = format!("lost {lost} times, the last time because {reason}");
            let failure = self.failure(&step, FailureKind::Step, &error);
            self.escalate(&step, Matter::StepFailed, &error, Some(failure));
        }
    }

    fn put_off(&mut self, attempt: &Attempt, seconds: u64, reason: &str) {
        let since = self.world.now.to_string();
        let until = later(&since, seconds.clamp(1, self.limits.rest_seconds.max(1)));
        let reason = if reason.trim().is_empty() { "it gave no reason" } else { reason };
        self.fact(Fact::Rested { fence: attempt.fence, rest: Rest { since, until, reason: reason.into() } });
        let rests = self.run.tries.rests;
        if rests > self.limits.rests && self.run.paused.is_none() {
            self.fact(Fact::Paused { reason: format!("the step was put off {rests} times, the last time: {reason}") });
        }
    }

    /// A question that nothing waits for is put once, however often the work is done again.
    fn wonder(&mut self, step: &PlannedStep, text: Option<&str>) {
        let is_known =
            |text: &&str| self.run.questions.iter().any(|one| one.from_role == step.step.role && one.text == **text);
        let Some(text) = text.map(str::trim).filter(|text| !text.is_empty() && !is_known(text)) else { return };
        let question = self.role_question(step, text, false);
        self.fact(Fact::Wondered { question });
        self.effect(Effect::Say(Said::Question));
    }

    fn ask(&mut self, attempt: &Attempt, step: &PlannedStep, text: &str) {
        if self.run.tries.asked >= self.limits.questions {
            let error = format!("the role has asked {} questions at this step already", self.run.tries.asked);
            self.fail(attempt, step, &error);
            return;
        }
        let question = self.role_question(step, text, true);
        let message = format!("{} asks: {text}", step.step.role);
        self.fact(Fact::Asked { fence: attempt.fence, question });
        let (from, to, at) = (step.index, step.index, self.world.now.to_string());
        self.fact(Fact::Moved(Move { from, to, outcome: MoveOutcome::Waiting, message, at }));
        self.effect(Effect::Say(Said::Question));
    }

    fn role_question(&self, step: &PlannedStep, text: &str, required: bool) -> Question {
        Question {
            id: question_id(&self.run, &step.step.role.to_uppercase(), self.world.now),
            from_role: step.step.role.clone(),
            kind: QuestionKind::Role,
            required,
            status: QuestionStatus::PendingDelivery,
            created_at: self.world.now.into(),
            text: text.into(),
            step: step.index,
        }
    }
}
