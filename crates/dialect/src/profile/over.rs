//! A run of which only the status is left: begun by another program, or come without its journal, as a clone does. What the
//! status says is held against the workflow and against the files that are there; nothing is believed that a guard rule
//! would have refused. Must not read files itself, and must not decide how the run goes on.

use std::collections::{BTreeMap, BTreeSet};

use machine::profile::{
    Answer, Artifact, CommitNote, Course, CriticalFailure, Fact, FailureKind, GateStatus, Idea, IntegrationStatus,
    Matter, Mode, Profile, Question, QuestionKind, QuestionStatus, ReviewStatus, Run, Seen, StepKind, StepState, apply,
};
use syntax::data::{Kind, Node};
use syntax::json;

use super::paths::artifact_path;
use super::read::placed;
use super::schema::{Complaint, Finding};
use super::status::{gate_word, seen};

/// What is known beside the status.
pub struct Around<'a> {
    /// The workflow that it names.
    pub profile: &'a Profile,
    /// The digest of its file.
    pub definition: &'a str,
    /// Gates in the middle that people decide.
    pub human_gates: &'a BTreeSet<String>,
    /// The file of its idea; nothing where there is none.
    pub context: &'a str,
    /// When, for what the status does not date.
    pub now: &'a str,
    /// The digest of a file of the project; nothing for one that is not there, or is empty.
    pub digest: &'a dyn Fn(&str) -> Option<String>,
}

impl std::fmt::Debug for Around<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Around").field("profile", &self.profile.name).finish_non_exhaustive()
    }
}

/// The run that a status tells of, and what it says that the run has not done yet; else what does not hold. The status is
/// of its schema.
pub fn taken_over(bytes: &[u8], around: &Around<'_>) -> Result<(Run, Seen), Vec<Complaint>> {
    let Some(root) = json::parse(bytes).root else { return Err(Vec::new()) };
    let mut reading = Reading { root: &root, around, found: Vec::new() };
    let run = reading.run();
    match run {
        Some(run) if reading.found.is_empty() => Ok((run, seen(&root))),
        _ => Err(placed(bytes, reading.found)),
    }
}

/// The idea that a status names, as it says it.
pub fn idea_of(bytes: &[u8]) -> Idea {
    json::parse(bytes).root.as_ref().map(named_idea).unwrap_or_default()
}

fn named_idea(root: &Node) -> Idea {
    let of = |key: &str| text(root, &format!("active_idea/{key}"));
    Idea {
        id: of("id").or_else(|| text(root, "active_idea_id")).unwrap_or_default(),
        headline: of("headline").or_else(|| text(root, "active_idea_headline")).unwrap_or_default(),
        owner: of("owner").unwrap_or_default(),
        context: of("context").unwrap_or_default(),
    }
}

struct Reading<'a> {
    root: &'a Node,
    around: &'a Around<'a>,
    found: Vec<Finding>,
}

impl Reading<'_> {
    fn add(&mut self, node: Option<&Node>, field: impl Into<String>, reason: String, hint: &str) {
        let at = node.unwrap_or(self.root).span.start;
        self.found.push(Finding { at, field: field.into(), reason, hint: hint.into() });
    }

    fn run(&mut self) -> Option<Run> {
        let root = self.root;
        let started = text(root, "timestamps/workflow_started_at").unwrap_or_else(|| self.around.now.to_owned());
        let first = Fact::Started {
            profile: self.around.profile.clone(),
            definition: self.around.definition.to_owned(),
            idea: self.idea()?,
            human_gates: self.around.human_gates.clone(),
            seed: 0,
            at: started,
        };
        let mut run = None;
        apply(&mut run, &text(root, "active_run_id").unwrap_or_default(), &first);
        let mut run = run?;
        self.check_plan(&run);
        self.place(&mut run);
        if !self.found.is_empty() {
            return None;
        }
        self.gates(&mut run);
        self.artifacts(&mut run);
        self.commits(&mut run);
        self.questions(&mut run);
        self.counts(&mut run);
        self.course(&mut run);
        Some(run)
    }

    fn idea(&mut self) -> Option<Idea> {
        let idea = named_idea(self.root);
        if idea.id.trim().is_empty() && idea.headline.trim().is_empty() {
            let reason = "nothing says what the run is about".to_owned();
            self.add(
                self.root.value("active_idea_id"),
                "active_idea_id",
                reason,
                "name the idea: its id, or its headline",
            );
            return None;
        }
        Some(Idea { context: self.around.context.to_owned(), ..idea })
    }

    /// The plan of the status must be the one that the profile becomes.
    fn check_plan(&mut self, run: &Run) {
        const HINT: &str =
            "put the profile back as it was when the run began; or begin anew: the status is archived then";
        let rows = items(self.root, "phase_plan");
        if rows.len() != run.plan.len() {
            let (name, steps) = (&run.profile.name, run.plan.len());
            let reason = format!("it has {} steps, and the profile {name} has {steps}", rows.len());
            self.add(self.root.value("phase_plan"), "phase_plan", reason, HINT);
            return;
        }
        for (number, (row, step)) in rows.iter().zip(&run.plan).enumerate() {
            let kind = step.step.kind.word();
            let said = [("step_id", step.step.id.as_str()), ("phase", &step.phase), ("role", &step.step.role)];
            for (key, expected) in said.into_iter().chain([("step_type", kind)]) {
                let there = row.value(key).and_then(Node::as_text).unwrap_or_default();
                if there != expected {
                    let reason = format!("`{there}` stands where the profile has `{expected}`");
                    self.add(row.value(key), format!("phase_plan[{number}].{key}"), reason, HINT);
                    return;
                }
            }
        }
    }

    /// Guard rule 3: phase and role must be those of the compiled step.
    fn place(&mut self, run: &mut Run) {
        let node = self.root.value("current_step_index");
        let index = node.and_then(Node::as_text).and_then(|text| text.parse::<usize>().ok()).unwrap_or(usize::MAX);
        if index > run.plan.len() {
            let reason = format!("the plan has {} steps", run.plan.len());
            self.add(node, "current_step_index", reason, "write the place of the step that is on, from 0");
            return;
        }
        run.current = index;
        for (number, state) in run.states.iter_mut().enumerate() {
            *state = if number < index { StepState::Completed } else { StepState::NotStarted };
        }
        let Some(step) = run.plan.get(index) else { return };
        for (key, expected) in [("current_phase", &step.phase), ("current_role", &step.step.role)] {
            let there = text(self.root, key).unwrap_or_default();
            if there != *expected {
                let reason = format!("`{there}` does not match step {index} of the plan, which is `{expected}`");
                let hint = "write what the plan says of the step, or the index of the step that is meant";
                self.add(self.root.value(key), key, reason, hint);
            }
        }
    }

    /// Guard rule 7: a gate that is behind the run was approved.
    fn gates(&mut self, run: &mut Run) {
        let words = [GateStatus::Pending, GateStatus::Approved, GateStatus::Rejected];
        for gate in items(self.root, "governance_gates") {
            let of = |key: &str| gate.value(key).and_then(Node::as_text).unwrap_or_default().to_owned();
            let Some(state) = run.gates.get_mut(&of("id")) else { continue };
            state.status =
                words.into_iter().find(|status| gate_word(*status) == of("status")).unwrap_or(GateStatus::Pending);
            (state.reason, state.at) = (of("reason"), of("updated_at"));
            if state.status != GateStatus::Pending {
                state.by.clone_from(&state.owner);
            }
        }
        let behind = run.plan.iter().take(run.current).filter_map(|step| step.step.gate.clone());
        for gate in behind.collect::<BTreeSet<_>>() {
            if run.gates.get(&gate).is_none_or(|state| state.status != GateStatus::Approved) {
                let reason = format!("gate {gate} is behind the step that is on, and is not approved");
                let hint = "approve it there with a reason, or write the index of its step";
                self.add(self.root.value("governance_gates"), "governance_gates", reason, hint);
            }
        }
    }

    /// Guard rule 4: what the steps behind the run had to leave is in the list, and is a file with something in it.
    fn artifacts(&mut self, run: &mut Run) {
        let listed: BTreeMap<String, &Node> = match self.root.value("artifacts").map(|node| &node.kind) {
            Some(Kind::Map(entries)) => entries.iter().map(|entry| (entry.key.clone(), &entry.value)).collect(),
            _ => BTreeMap::new(),
        };
        for (name, node) in &listed {
            let of = |key: &str| node.value(key).and_then(Node::as_text).unwrap_or_default().to_owned();
            let path = artifact_path(&run.idea.headline, &run.idea.id, name);
            if let Some(digest) = (self.around.digest)(&path) {
                let (name, owner, at) = (name.clone(), of("owner"), of("updated_at"));
                run.artifacts.insert(name.clone(), Artifact { name, path, digest, owner, at });
            }
        }
        for step in run.plan.iter().take(run.current) {
            for name in step.step.required_outputs.iter().filter(|name| !run.has_output(name)) {
                let path = artifact_path(&run.idea.headline, &run.idea.id, name);
                let (field, reason) = match listed.get(name) {
                    None => (
                        "artifacts".to_owned(),
                        format!("step {} is behind the run, and {name} is missing", step.step.id),
                    ),
                    Some(_) => (format!("artifacts.{name}"), format!("there is no {path} with something in it")),
                };
                let hint = format!("put the file to {path} and list it, or write the index of step {}", step.step.id);
                self.add(listed.get(name).copied().or(self.root.value("artifacts")), field, reason, &hint);
            }
        }
    }

    /// One commit by its role for each step of a realization.
    fn commits(&mut self, run: &mut Run) {
        for node in items(self.root, "commit_evidence") {
            let of = |key: &str| node.value(key).and_then(Node::as_text).unwrap_or_default().to_owned();
            let (step_id, role, sha) = (of("step_id"), of("role"), of("commit_sha"));
            run.commits.push(CommitNote { step_id, role, sha, message: of("message"), at: of("created_at") });
        }
        if run.profile.mode != Mode::Realization {
            return;
        }
        for step in run.plan.iter().take(run.current).filter(|step| step.step.kind != StepKind::Gate) {
            let is_of = |commit: &CommitNote| commit.step_id == step.step.id && commit.role == step.step.role;
            if !run.commits.iter().any(is_of) {
                let (id, role) = (&step.step.id, &step.step.role);
                let reason = format!("step {id} is behind the run, and has no commit by {role}");
                let hint = "list its commit, or write the index of its step";
                self.add(self.root.value("commit_evidence"), "commit_evidence", reason, hint);
            }
        }
    }

    /// What was asked. What was answered and not heard yet stays a wish.
    fn questions(&mut self, run: &mut Run) {
        let statuses = [
            ("pending_delivery", QuestionStatus::PendingDelivery),
            ("delivered", QuestionStatus::Delivered),
            ("answered", QuestionStatus::Answered),
        ];
        for node in items(self.root, "questions") {
            let of = |key: &str| node.value(key).and_then(Node::as_text).unwrap_or_default().to_owned();
            let status = statuses.iter().find(|(word, _)| *word == of("status")).map(|(_, status)| *status);
            let kind = match (of("kind").as_str(), of("gate_id")) {
                (_, gate) if !gate.is_empty() => QuestionKind::Gate(gate),
                ("review_cycles", _) => QuestionKind::Decision(Matter::ReviewCycles),
                ("integration", _) => QuestionKind::Decision(Matter::Integration),
                ("step_failed", _) => QuestionKind::Decision(Matter::StepFailed),
                _ => QuestionKind::Role,
            };
            let mut question = Question {
                id: of("id"),
                from_role: of("from_role"),
                kind,
                required: node.value("required").is_none_or(|node| node.kind != Kind::Bool(false)),
                status: status.unwrap_or(QuestionStatus::Closed),
                created_at: of("created_at"),
                text: of("question"),
                step: run.current,
            };
            let on = run.plan.get(run.current).and_then(|step| step.step.gate.as_ref());
            if question.is_open() && matches!(&question.kind, QuestionKind::Gate(gate) if Some(gate) != on) {
                question.status = QuestionStatus::Closed;
            }
            run.questions.push(question);
        }
        for node in items(self.root, "answers") {
            let of = |key: &str| node.value(key).and_then(Node::as_text).unwrap_or_default().to_owned();
            let (question, answer, source) = (of("question_id"), of("answer"), of("source"));
            if run.question(&question).is_some_and(|question| !question.is_open()) {
                run.answers.push(Answer { question, answer, source, at: of("answered_at") });
            }
        }
    }

    fn counts(&mut self, run: &mut Run) {
        (run.review_cycles, run.role_attempts) =
            (counted(self.root, "review_cycles"), counted(self.root, "role_attempts"));
        run.last_failed_role = text(self.root, "last_failed_role");
        run.moved_at = text(self.root, "timestamps/last_transition_at").unwrap_or_else(|| run.started_at.clone());
        run.review = match text(self.root, "review_status").as_deref() {
            Some("approved") => ReviewStatus::Approved,
            Some("changes_requested") => ReviewStatus::ChangesRequested,
            _ => ReviewStatus::NotStarted,
        };
        run.integration.status = match text(self.root, "integration_loop_status").as_deref() {
            Some("running") => IntegrationStatus::Running,
            Some("failed") => IntegrationStatus::Failed,
            Some("passed") => IntegrationStatus::Passed,
            _ => IntegrationStatus::Idle,
        };
    }

    /// What is going on at the step that is on.
    fn course(&mut self, run: &mut Run) {
        let on = run.plan.get(run.current).map(|step| (step.step.id.clone(), step.step.gate.clone()));
        let Some((step, gate)) = on else { return };
        let is_asked = |kind: &QuestionKind| run.questions.iter().rev().find(|one| one.kind == *kind && one.is_open());
        if let Some(gate) = gate {
            let status = run.gates.get(&gate).map_or(GateStatus::Pending, |state| state.status);
            let kind = QuestionKind::Gate(gate.clone());
            if status == GateStatus::Rejected {
                run.course = Course::Rejected(gate);
                return;
            }
            if status == GateStatus::Approved && is_asked(&kind).is_none() {
                // It was approved, and the run has not gone on yet: whoever did so is heard as if it were now.
                run.questions.push(Question {
                    id: format!("Q-GATE-{gate}-TAKEN-OVER"),
                    from_role: run.gates.get(&gate).map(|state| state.owner.clone()).unwrap_or_default(),
                    kind: kind.clone(),
                    required: true,
                    status: QuestionStatus::Delivered,
                    created_at: self.around.now.to_owned(),
                    text: format!("gate {gate}: approve or reject?"),
                    step: run.current,
                });
            }
            if run.questions.iter().any(|one| one.kind == kind && one.is_open()) {
                if let Some(state) = run.gates.get_mut(&gate) {
                    state.status = GateStatus::Pending;
                }
                run.course = Course::Gate(gate);
            }
            return;
        }
        let undecided = run.questions.iter().rev().find_map(|one| match one.kind {
            QuestionKind::Decision(matter) if one.is_open() => Some((one.id.clone(), matter, one.text.clone())),
            _ => None,
        });
        if let Some((id, matter, error)) = undecided {
            let kind = match matter {
                Matter::ReviewCycles => FailureKind::Check,
                Matter::Integration => FailureKind::Integration,
                Matter::StepFailed => FailureKind::Step,
            };
            let error = if error.is_empty() { format!("step {step} failed") } else { error };
            let at = self.around.now.to_owned();
            run.failures.push(CriticalFailure { step: run.current, kind, error, at, settled: None });
            run.course = Course::Undecided(id);
        }
    }
}

/// The text at `a/b`.
fn text(root: &Node, path: &str) -> Option<String> {
    let node = root.pointer(&format!("/{path}"))?;
    match &node.kind {
        Kind::Text(text) if !text.is_empty() => Some(text.clone()),
        _ => None,
    }
}

fn items<'a>(root: &'a Node, key: &str) -> &'a [Node] {
    match root.value(key).map(|node| &node.kind) {
        Some(Kind::List(items)) => items,
        _ => &[],
    }
}

fn counted(root: &Node, key: &str) -> BTreeMap<String, u32> {
    let Some(Kind::Map(entries)) = root.value(key).map(|node| &node.kind) else { return BTreeMap::new() };
    let count = |node: &Node| node.as_text().and_then(|text| text.parse::<u32>().ok());
    entries.iter().filter_map(|entry| Some((entry.key.clone(), count(&entry.value)?))).collect()
}
