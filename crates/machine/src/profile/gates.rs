//! Where people have a say: gates, questions, and what does not go on by itself. Replies are read strictly: what is not
//! understood changes nothing and says so.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::decide::Step;
use super::fact::{Fact, Move, MoveOutcome};
use super::input::{GateRecord, Reply};
use super::names::{not_now, question_id};
use super::run::{Course, GateStatus, Matter, Question, QuestionKind, QuestionStatus};
use super::workflow::{Mode, PlannedStep, RELEASE_APPROVAL};
use crate::input::{Effect, Refusal, Said};

/// Guard rule of the seed: these words and no others (PF-07).
const YES: [&str; 4] = ["approve", "approved", "yes", "1"];
const NO: [&str; 4] = ["reject", "rejected", "no", "2"];

/// Who approves the gates that people need not decide.
pub const ENGINE: &str = "engine";

/// What a reply at a gate means.
fn read_reply(reply: &str) -> Option<GateStatus> {
    let reply = reply.trim().to_ascii_lowercase();
    match (YES.contains(&reply.as_str()), NO.contains(&reply.as_str())) {
        (true, _) => Some(GateStatus::Approved),
        (_, true) => Some(GateStatus::Rejected),
        _ => None,
    }
}

/// What a reply about something that does not go on means: `more`, `more 3`, `accept`, `reject`.
fn read_decision(reply: &str) -> Option<Reply> {
    const MOST: u32 = 100;
    let reply = reply.trim().to_ascii_lowercase();
    let words: Vec<&str> = reply.split_ascii_whitespace().collect();
    match words.as_slice() {
        ["more" | "retry"] => Some(Reply::More(1)),
        ["more" | "retry", times] => times.parse().ok().filter(|times| (1..=MOST).contains(times)).map(Reply::More),
        ["accept" | "accepted"] => Some(Reply::Accept),
        ["reject" | "rejected"] => Some(Reply::Reject),
        _ => None,
    }
}

impl Step<'_> {
    /// Whether only a person opens a gate (guard rule 7).
    fn is_human(&self, gate: &str) -> bool {
        gate == RELEASE_APPROVAL || self.run.human_gates.contains(gate)
    }

    /// The step that is on is a gate: a person is asked, or it is approved with a reason (guard rules 7 and 8).
    pub(super) fn come_to_gate(&mut self, step: &PlannedStep, gate: &str) {
        if self.is_human(gate) {
            let question = self.gate_question(step, gate);
            let at = self.world.now.to_string();
            let message = format!("gate {gate} waits for {}", question.from_role);
            self.fact(Fact::GateOpened { gate: gate.into(), question });
            let (from, to) = (step.index, step.index);
            self.fact(Fact::Moved(Move { from, to, outcome: MoveOutcome::Waiting, message, at }));
            self.effect(Effect::Say(Said::Question));
            return;
        }
        let reason = format!(
            "approved by the engine: {gate} is not among the gates that people decide, and everything before it is done"
        );
        self.decide_gate(step, gate, GateStatus::Approved, ENGINE, &reason);
        self.finish_step(step);
    }

    fn gate_question(&self, step: &PlannedStep, gate: &str) -> Question {
        let (owner, about) = match self.run.profile.gate(gate) {
            Some(gate) => (gate.owner.clone(), gate.description.clone()),
            None => (step.step.role.clone(), String::new()),
        };
        let about = if about.is_empty() { String::new() } else { format!(" ({about})") };
        Question {
            id: question_id(&self.run, &format!("GATE-{gate}"), self.world.now),
            from_role: owner,
            kind: QuestionKind::Gate(gate.into()),
            required: true,
            status: QuestionStatus::PendingDelivery,
            created_at: self.world.now.into(),
            text: format!("gate {gate} of phase {}{about}: approve or reject?", step.phase),
            step: step.index,
        }
    }

    pub(super) fn decide_gate(&mut self, step: &PlannedStep, gate: &str, status: GateStatus, by: &str, reason: &str) {
        let at = self.world.now;
        let record = GateRecord { gate, outputs: &step.step.required_outputs, status, by, reason, at };
        let outputs = (self.world.record)(&record);
        let (gate, by, reason, at) = (gate.into(), by.into(), reason.into(), at.into());
        self.fact(Fact::GateDecided { gate, status, by, reason, outputs, at });
    }

    /// A person's reply at the gate that waits, or was rejected.
    pub(super) fn answer_gate(
        &mut self,
        waits: &str,
        gate: Option<&str>,
        reply: &str,
        reason: &str,
        by: &str,
    ) -> Result<(), Refusal> {
        if let Some(gate) = gate.filter(|gate| *gate != waits) {
            return Err(self.no_gate_waits(Some(gate)));
        }
        let Some(status) = read_reply(reply) else {
            let reason = format!("{reply:?} is neither yes nor no: gate {waits} is as it was");
            let hint = format!("to approve: {}; to reject: {}", YES.join(", "), NO.join(", "));
            return Err(Refusal::new(reason, hint));
        };
        if status == GateStatus::Rejected && matches!(self.run.course, Course::Rejected(_)) {
            let hint = format!("`gate reopen {waits} --reason …` asks again, `gate approve {waits}` approves");
            return Err(Refusal::new(format!("gate {waits} is rejected already"), hint));
        }
        let Some(step) = self.run.step().cloned() else { return Err(self.no_gate_waits(gate)) };
        let reason = if reason.trim().is_empty() { reply.trim() } else { reason };
        self.decide_gate(&step, waits, status, by, reason);
        if status == GateStatus::Approved {
            self.finish_step(&step);
            return Ok(());
        }
        let (from, to, at) = (step.index, step.index, self.world.now.to_string());
        let message = format!("gate {waits} was rejected by {by}: {reason}");
        self.fact(Fact::Moved(Move { from, to, outcome: MoveOutcome::Blocked, message, at }));
        Ok(())
    }

    pub(super) fn reopen(&mut self, gate: &str, reason: &str, by: &str) -> Result<(), Refusal> {
        if reason.trim().is_empty() {
            let hint = format!("`gate reopen {gate} --reason …`");
            return Err(Refusal::new(format!("gate {gate} is not reopened without a reason"), hint));
        }
        let Some(step) = self.run.step().cloned() else { return Err(self.not_rejected(gate)) };
        let question = self.gate_question(&step, gate);
        let at = self.world.now.to_string();
        let (gate, by, reason) = (gate.to_string(), by.to_string(), reason.to_string());
        let message = format!("gate {gate} was reopened by {by}: {reason}");
        self.fact(Fact::GateReopened { gate, by, reason, question, at: at.clone() });
        let (from, to) = (step.index, step.index);
        self.fact(Fact::Moved(Move { from, to, outcome: MoveOutcome::Waiting, message, at }));
        self.effect(Effect::Say(Said::Question));
        Ok(())
    }

    pub(super) fn no_gate_waits(&self, gate: Option<&str>) -> Refusal {
        let known: Vec<&str> = self.run.profile.gates.iter().map(|gate| gate.id.as_str()).collect();
        let known = known.join(", ");
        match gate {
            None => not_now(&self.run, "has no gate that waits"),
            Some(gate) => match self.run.gates.get(gate) {
                None => Refusal::new(format!("there is no gate {gate}"), format!("the gates are: {known}")),
                Some(state) if state.status == GateStatus::Approved => {
                    let reason = format!("gate {gate} is approved already, by {} at {}", state.by, state.at);
                    Refusal::new(reason, "nothing is to be done")
                }
                Some(_) => not_now(&self.run, &format!("does not wait at gate {gate}")),
            },
        }
    }

    pub(super) fn not_rejected(&self, gate: &str) -> Refusal {
        match self.run.gates.contains_key(gate) {
            true => not_now(&self.run, &format!("was not stopped at gate {gate} by a rejection")),
            false => self.no_gate_waits(Some(gate)),
        }
    }

    pub(super) fn deliver(&mut self, id: &str) -> Result<(), Refusal> {
        match self.run.question(id).map(|question| question.status) {
            None => Err(self.no_question(id)),
            Some(QuestionStatus::PendingDelivery) => {
                self.fact(Fact::Delivered { question: id.into() });
                Ok(())
            }
            Some(QuestionStatus::Delivered | QuestionStatus::Answered | QuestionStatus::Closed) => Ok(()),
        }
    }

    fn no_question(&self, id: &str) -> Refusal {
        let open: Vec<&str> =
            self.run.questions.iter().filter(|one| one.is_open()).map(|one| one.id.as_str()).collect();
        let hint =
            if open.is_empty() { "no question waits".into() } else { format!("these wait: {}", open.join(", ")) };
        Refusal::new(format!("run {} has no question {id}", self.run.id), hint)
    }

    /// An answer to any kind of question.
    pub(super) fn answer(&mut self, id: Option<&str>, answer: &str, by: &str) -> Result<(), Refusal> {
        if let Some(measure) = self.run.exhausted.filter(|_| id.is_none() || id == Some("budget")) {
            return self.raise(measure, answer, by);
        }
        let question = match id {
            Some(id) => self.run.question(id).cloned().ok_or_else(|| self.no_question(id))?,
            None => {
                // What the run waits for comes before what a role would only like to know.
                let of = |required: bool| {
                    let open = self.run.questions.iter().filter(move |one| one.is_open() && one.required == required);
                    open.take(2).collect::<Vec<_>>()
                };
                let open = [of(true), of(false)].into_iter().find(|open| !open.is_empty()).unwrap_or_default();
                match (open.first(), open.get(1)) {
                    (Some(only), None) => (*only).clone(),
                    (Some(_), Some(_)) => {
                        let reason = format!("run {} has several questions that wait", self.run.id);
                        return Err(Refusal::new(reason, self.no_question("").hint));
                    }
                    // A no is not the last word: what was rejected may still be answered otherwise.
                    (None, _) => match self.rejected() {
                        Some(question) => question,
                        None => return Err(not_now(&self.run, "has no question that waits for an answer")),
                    },
                }
            }
        };
        if answer.trim().is_empty() {
            return Err(Refusal::new(format!("the answer to {} is empty", question.id), "give it some words"));
        }
        match (&question.kind, self.run.course.clone()) {
            (QuestionKind::Gate(gate), Course::Gate(waits) | Course::Rejected(waits)) if *gate == waits => {
                self.answer_gate(&waits, None, answer, "", by)
            }
            (QuestionKind::Gate(gate), _) => Err(self.no_gate_waits(Some(gate))),
            (QuestionKind::Decision(matter), Course::Undecided(waits)) if waits == question.id => {
                self.decide_matter(&question, *matter, answer, by)
            }
            (QuestionKind::Role, _) if question.is_open() => {
                let (question, answer, source) = (question.id, answer.to_string(), by.to_string());
                self.fact(Fact::Answered { question, answer, source, at: self.world.now.into() });
                Ok(())
            }
            (QuestionKind::Role | QuestionKind::Decision(_), _) => {
                Err(Refusal::new(format!("{} is answered already", question.id), self.no_question("").hint))
            }
        }
    }

    /// The question that a person answered with no, and that the run stands at.
    fn rejected(&self) -> Option<Question> {
        let is_it = |question: &&Question| match &self.run.course {
            Course::Undecided(id) => question.id == *id,
            Course::Rejected(gate) => question.kind == QuestionKind::Gate(gate.clone()),
            Course::Working | Course::Gate(_) | Course::Done | Course::Cancelled => false,
        };
        self.run.questions.iter().rev().find(is_it).cloned()
    }

    fn decide_matter(&mut self, question: &Question, matter: Matter, answer: &str, by: &str) -> Result<(), Refusal> {
        let Some(reply) = read_decision(answer) else {
            let reason = format!("{answer:?} is no decision: {} is as it was", question.id);
            return Err(Refusal::new(reason, "valid: `more`, `more N` (1 to 100), `accept`, `reject`"));
        };
        let Some(step) = self.run.plan.get(question.step).cloned() else { return Ok(()) };
        if reply == Reply::Accept {
            self.check_acceptable(&step)?;
        }
        let at = self.world.now.to_string();
        self.fact(Fact::Decided { question: question.id.clone(), reply, by: by.into(), at: at.clone() });
        match (reply, matter) {
            (Reply::More(_), Matter::ReviewCycles) => {
                if let Some(producer) = step.producer {
                    self.reroute(step.index, producer, format!("{by} allows more cycles"));
                }
            }
            (Reply::More(_), Matter::Integration) => {
                let target = self.run.integration.target.clone().unwrap_or_default();
                if let Some(to) = self.run.target_of(step.index, &target) {
                    self.reroute(step.index, to, format!("{by} allows more attempts, to {target}"));
                }
            }
            (Reply::More(_), Matter::StepFailed) => {}
            (Reply::Accept, _) => self.finish_step(&step),
            (Reply::Reject, _) => {
                let (from, to) = (step.index, step.index);
                let message = format!("rejected by {by}: {}", question.text);
                self.fact(Fact::Moved(Move { from, to, outcome: MoveOutcome::Blocked, message, at }));
            }
        }
        Ok(())
    }

    /// What a person may accept: a shortcoming, but not that the evidence is missing.
    fn check_acceptable(&self, step: &PlannedStep) -> Result<(), Refusal> {
        let missing = self.run.missing_outputs_of(step);
        if !missing.is_empty() {
            let reason = format!("step {} cannot be accepted: {} is missing", step.step.id, missing.join(", "));
            return Err(Refusal::new(reason, "answer `more` to have it done again"));
        }
        let has_commit = self.run.commits.iter().any(|commit| commit.step_id == step.step.id);
        if self.run.profile.mode == Mode::Realization && !has_commit {
            let reason = format!("step {} cannot be accepted: it has no commit", step.step.id);
            return Err(Refusal::new(reason, "answer `more` to have it done again"));
        }
        Ok(())
    }
}
