//! `status.json`: what it says of a run, and reading it. Everything in it follows from the run; fields that nobody here
//! knows are kept as they are. A document of wrong shape is refused with the field and the way out (guard rule 2).

use std::collections::BTreeMap;

use machine::profile::{
    GateStatus, IntegrationStatus, Matter, Missing, PhaseStatus, QuestionKind, QuestionStatus, RealizationStatus,
    ReviewStatus, Run, Seen, StepState,
};
use syntax::data::{Kind, Node, Value};
use syntax::data_edit::write_json;
use syntax::json;

use super::read::placed;
use super::schema::{Complaint, MOST, Schema};

/// What stands in a status beside what the run says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Beside {
    /// The digest of the role prompts.
    pub charter_version: String,
    /// The folder of the realization, from the tree's root.
    pub workspace_dir: Option<String>,
    /// Whether it is a repository.
    pub workspace_git_initialized: bool,
}

/// What was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadStatus {
    /// What it says of what the machine owns.
    pub seen: Seen,
    /// The run that it is of.
    pub run_id: Option<String>,
    /// The profile that it names.
    pub profile: String,
    /// Whether all steps of the run are behind it.
    pub is_over: bool,
    /// What is wrong: then it is not touched.
    pub complaints: Vec<Complaint>,
}

/// Reads a status and checks its shape.
pub fn read_status(bytes: &[u8], schema: &Schema) -> ReadStatus {
    let parsed = json::parse(bytes);
    let mut complaints: Vec<Complaint> = parsed
        .problems
        .iter()
        .map(|problem| Complaint {
            line: problem.line,
            column: problem.column,
            field: "the document".into(),
            reason: problem.message.clone(),
            hint: problem.hint.clone(),
        })
        .collect();
    let Some(root) = parsed.root.filter(|_| complaints.is_empty()) else {
        return ReadStatus { seen: Seen::default(), run_id: None, profile: String::new(), is_over: false, complaints };
    };
    complaints.extend(placed(bytes, schema.check(&root)));
    complaints.truncate(MOST);
    let run_id = root.value("active_run_id").and_then(text).filter(|id| !id.is_empty());
    let profile = root.value("active_profile").and_then(text).unwrap_or_default();
    let (seen, steps) = (seen(&root), items(&root, "phase_plan").len());
    let is_completed = root.value("phase_status").and_then(text).is_some_and(|word| word == "completed");
    let is_over = is_completed && seen.step_index.is_none_or(|index| index >= steps);
    ReadStatus { seen, run_id, profile, is_over, complaints }
}

fn text(node: &Node) -> Option<String> {
    match &node.kind {
        Kind::Text(text) => Some(text.clone()),
        _ => None,
    }
}

fn items<'a>(root: &'a Node, key: &str) -> &'a [Node] {
    match root.value(key).map(|node| &node.kind) {
        Some(Kind::List(items)) => items,
        _ => &[],
    }
}

pub(super) fn seen(root: &Node) -> Seen {
    let number = |node: &Node| node.as_text().and_then(|text| text.parse::<u32>().ok());
    let mut seen = Seen {
        step_index: root.value("current_step_index").and_then(number).and_then(|index| usize::try_from(index).ok()),
        phase: root.value("current_phase").and_then(text),
        role: root.value("current_role").and_then(text),
        ..Seen::default()
    };
    if let Some(Kind::Map(entries)) = root.value("review_cycles").map(|node| &node.kind) {
        let counted = entries.iter().filter_map(|entry| Some((entry.key.clone(), number(&entry.value)?)));
        seen.review_cycles = counted.collect();
    }
    for gate in items(root, "governance_gates") {
        let statuses = [GateStatus::Pending, GateStatus::Approved, GateStatus::Rejected];
        let status = gate.value("status").and_then(Node::as_text);
        let status = statuses.into_iter().find(|known| Some(gate_word(*known)) == status);
        if let (Some(id), Some(status)) = (gate.value("id").and_then(text), status) {
            seen.gates.insert(id, (status, gate.value("reason").and_then(text).unwrap_or_default()));
        }
    }
    for answer in items(root, "answers") {
        let of = |key: &str| answer.value(key).and_then(text);
        if let (Some(question), Some(answer)) = (of("question_id"), of("answer")) {
            seen.answers.push((question, answer, of("source").unwrap_or_default()));
        }
    }
    seen
}

/// What a status says before any run: the shape, and nothing in it.
pub fn idle_status(profile: &str) -> Value {
    let empty = || Value::List(Vec::new());
    let nothing = || Value::Map(Vec::new());
    Value::map([
        ("active_profile", Value::text(profile)),
        ("phase_plan", empty()),
        ("current_step_index", Value::count(0)),
        ("current_phase", Value::Null),
        ("current_role", Value::Null),
        ("phase_status", Value::text("not_started")),
        ("role_status", Value::text("not_started")),
        ("review_status", Value::text("not_started")),
        ("realization_status", Value::text("not_started")),
        ("pending_human_gate_id", Value::Null),
        ("pending_human_question_id", Value::Null),
        ("execution_mode", Value::text("simulation")),
        ("workspace_dir", Value::Null),
        ("workspace_git_initialized", Value::Bool(false)),
        ("active_run_id", Value::Null),
        ("last_failed_role", Value::Null),
        ("integration_loop_status", Value::text("idle")),
        ("commit_evidence", empty()),
        ("role_attempts", nothing()),
        ("questions", empty()),
        ("answers", empty()),
        ("governance_gates", empty()),
        ("review_cycles", nothing()),
        ("blocking_reasons", empty()),
        ("handoff_packet", Value::Null),
        ("artifacts", nothing()),
        ("evidence", nothing()),
        ("charter_version", Value::Null),
        ("score_run_id", Value::Null),
        ("timestamps", Value::map([("workflow_started_at", Value::Null), ("last_transition_at", Value::Null)])),
    ])
}

/// The same as a document.
pub fn idle_document(profile: &str) -> String {
    write_json(&idle_status(profile))
}

/// What a status says of a run.
pub fn status(run: &Run, beside: &Beside) -> Value {
    let on = run.step();
    let question = run.pending_required_questions().first().map(|question| question.id.clone());
    let blocking = run.blocking().iter().map(|one| Value::Text(one.in_words())).collect();
    let idea = &run.idea;
    Value::map([
        ("active_profile", Value::text(&run.profile.name)),
        ("phase_plan", Value::List(run.plan.iter().map(plan_row).collect())),
        ("current_step_index", number(run.current)),
        ("current_phase", optional(on.map(|step| step.phase.as_str()))),
        ("current_role", optional(on.map(|step| step.step.role.as_str()))),
        ("phase_status", Value::text(phase_word(run.phase_status()))),
        ("role_status", Value::text(state_word(run.role_status()))),
        ("review_status", Value::text(review_word(run.review))),
        ("realization_status", Value::text(realization_word(run.realization_status()))),
        ("pending_human_gate_id", optional(run.human_gate_waiting())),
        ("pending_human_question_id", optional(question.as_deref())),
        ("execution_mode", Value::text(run.profile.mode.word())),
        ("workspace_dir", optional(beside.workspace_dir.as_deref())),
        ("workspace_git_initialized", Value::Bool(beside.workspace_git_initialized)),
        ("active_run_id", Value::text(&run.id)),
        ("active_idea_id", Value::text(&idea.id)),
        ("active_idea_headline", Value::text(&idea.headline)),
        (
            "active_idea",
            Value::map([
                ("id", Value::text(&idea.id)),
                ("headline", Value::text(&idea.headline)),
                ("owner", Value::text(&idea.owner)),
                ("context", Value::text(&idea.context)),
                ("profile", Value::text(&run.profile.name)),
                ("timestamp", Value::text(&run.started_at)),
            ]),
        ),
        ("last_failed_role", optional(run.last_failed_role.as_deref())),
        ("integration_loop_status", Value::text(integration_word(run.integration.status))),
        ("commit_evidence", Value::List(run.commits.iter().map(commit).collect())),
        ("role_attempts", counts(&run.role_attempts)),
        ("questions", Value::List(run.questions.iter().map(asked).collect())),
        ("answers", Value::List(run.answers.iter().map(answered).collect())),
        ("governance_gates", Value::List(gates(run))),
        ("review_cycles", counts(&run.review_cycles)),
        ("blocking_reasons", Value::List(blocking)),
        ("handoff_packet", handoff(run)),
        ("artifacts", artifacts(run)),
        ("evidence", evidence(run)),
        ("charter_version", Value::text(&beside.charter_version)),
        ("score_run_id", Value::text(&run.id)),
        (
            "timestamps",
            Value::map([
                ("workflow_started_at", Value::text(&run.started_at)),
                ("last_transition_at", Value::text(&run.moved_at)),
            ]),
        ),
    ])
}

fn number(number: usize) -> Value {
    Value::Number(number.to_string())
}

fn optional(text: Option<&str>) -> Value {
    text.map_or(Value::Null, Value::text)
}

fn counts(counted: &BTreeMap<String, u32>) -> Value {
    Value::map(counted.iter().map(|(key, count)| (key.clone(), Value::count(u64::from(*count)))))
}

fn texts(texts: &[String]) -> Value {
    Value::List(texts.iter().map(Value::text).collect())
}

fn plan_row(step: &machine::profile::PlannedStep) -> Value {
    let mut row = vec![
        ("index".to_owned(), number(step.index)),
        ("phase".to_owned(), Value::text(&step.phase)),
        ("role".to_owned(), Value::text(&step.step.role)),
        ("step_id".to_owned(), Value::text(&step.step.id)),
        ("step_type".to_owned(), Value::text(step.step.kind.word())),
        ("required_outputs".to_owned(), texts(&step.step.required_outputs)),
    ];
    for (key, value) in [("review_of", &step.step.review_of), ("gate", &step.step.gate), ("notes", &step.step.notes)] {
        row.extend(value.as_ref().map(|value| (key.to_owned(), Value::text(value))));
    }
    Value::Map(row)
}

fn commit(note: &machine::profile::CommitNote) -> Value {
    Value::map([
        ("step_id", Value::text(&note.step_id)),
        ("role", Value::text(&note.role)),
        ("commit_sha", Value::text(&note.sha)),
        ("message", Value::text(&note.message)),
        ("created_at", Value::text(&note.at)),
    ])
}

fn asked(question: &machine::profile::Question) -> Value {
    let (kind, gate) = match &question.kind {
        QuestionKind::Gate(gate) => ("gate_approval", Some(gate)),
        QuestionKind::Role => ("role_question", None),
        QuestionKind::Decision(Matter::ReviewCycles) => ("review_cycles", None),
        QuestionKind::Decision(Matter::Integration) => ("integration", None),
        QuestionKind::Decision(Matter::StepFailed) => ("step_failed", None),
    };
    let status = match question.status {
        QuestionStatus::PendingDelivery => "pending_delivery",
        QuestionStatus::Delivered => "delivered",
        QuestionStatus::Answered => "answered",
        QuestionStatus::Closed => "closed",
    };
    let mut row = vec![
        ("id".to_owned(), Value::text(&question.id)),
        ("from_role".to_owned(), Value::text(&question.from_role)),
        ("to_human".to_owned(), Value::Bool(true)),
        ("required".to_owned(), Value::Bool(question.required)),
        ("status".to_owned(), Value::text(status)),
        ("created_at".to_owned(), Value::text(&question.created_at)),
        ("question".to_owned(), Value::text(&question.text)),
        ("kind".to_owned(), Value::text(kind)),
    ];
    row.extend(gate.map(|gate| ("gate_id".to_owned(), Value::text(gate))));
    Value::Map(row)
}

fn answered(answer: &machine::profile::Answer) -> Value {
    Value::map([
        ("question_id", Value::text(&answer.question)),
        ("answer", Value::text(&answer.answer)),
        ("source", Value::text(&answer.source)),
        ("answered_at", Value::text(&answer.at)),
    ])
}

/// In the order of the profile.
fn gates(run: &Run) -> Vec<Value> {
    let states = run.profile.gates.iter().filter_map(|gate| Some((gate, run.gates.get(&gate.id)?)));
    let row = states.map(|(gate, state)| {
        Value::map([
            ("id", Value::text(&gate.id)),
            ("status", Value::text(gate_word(state.status))),
            ("owner", Value::text(&state.owner)),
            ("reason", Value::text(&state.reason)),
            ("updated_at", Value::text(&state.at)),
        ])
    });
    row.collect()
}

fn handoff(run: &Run) -> Value {
    let Some(handoff) = &run.handoff else { return Value::Null };
    Value::map([
        ("from_step", Value::text(&handoff.from_step)),
        ("to_step", optional(handoff.to_step.as_deref())),
        ("required_outputs", texts(&handoff.required)),
        ("provided_outputs", texts(&handoff.provided)),
        ("missing_outputs", texts(&handoff.missing)),
    ])
}

fn artifacts(run: &Run) -> Value {
    Value::map(run.artifacts.iter().map(|(name, artifact)| {
        let entry = Value::map([
            ("path", Value::text(&artifact.path)),
            ("owner", Value::text(&artifact.owner)),
            ("updated_at", Value::text(&artifact.at)),
            ("digest", Value::text(&artifact.digest)),
        ]);
        (name.clone(), entry)
    }))
}

/// What there is to show for it, and what is not there yet (PF-19).
fn evidence(run: &Run) -> Value {
    let outputs = run.plan.iter().flat_map(|step| step.step.required_outputs.iter().map(move |name| (step, name)));
    let there = outputs.filter_map(|(step, name)| {
        let artifact = run.artifacts.get(name).filter(|_| run.has_output(name))?;
        Some(Value::map([
            ("step_id", Value::text(&step.step.id)),
            ("output", Value::text(name)),
            ("path", Value::text(&artifact.path)),
            ("digest", Value::text(&artifact.digest)),
        ]))
    });
    let gates = run.gates.iter().filter(|(_, state)| state.status != GateStatus::Pending).map(|(id, state)| {
        Value::map([
            ("gate", Value::text(id)),
            ("decision", Value::text(gate_word(state.status))),
            ("by", Value::text(&state.by)),
            ("at", Value::text(&state.at)),
        ])
    });
    let failures = run.failures.iter().map(|failure| {
        let step = run.plan.get(failure.step).map(|step| step.step.id.as_str());
        Value::map([
            ("step_id", optional(step)),
            ("error", Value::text(&failure.error)),
            ("settled", optional(failure.settled.as_deref())),
        ])
    });
    Value::map([
        ("outputs", Value::List(there.collect())),
        ("gates", Value::List(gates.collect())),
        ("critical_failures", Value::List(failures.collect())),
        ("missing", Value::List(run.missing().iter().map(Missing::in_words).map(Value::Text).collect())),
    ])
}

fn phase_word(status: PhaseStatus) -> &'static str {
    match status {
        PhaseStatus::NotStarted => "not_started",
        PhaseStatus::InProgress => "in_progress",
        PhaseStatus::Waiting => "waiting",
        PhaseStatus::AwaitingReview => "awaiting_review",
        PhaseStatus::Completed => "completed",
        PhaseStatus::Blocked => "blocked",
    }
}

fn state_word(state: StepState) -> &'static str {
    match state {
        StepState::NotStarted => "not_started",
        StepState::InProgress => "in_progress",
        StepState::Completed => "completed",
    }
}

fn review_word(status: ReviewStatus) -> &'static str {
    match status {
        ReviewStatus::NotStarted => "not_started",
        ReviewStatus::InReview => "in_review",
        ReviewStatus::Approved => "approved",
        ReviewStatus::ChangesRequested => "changes_requested",
    }
}

fn realization_word(status: RealizationStatus) -> &'static str {
    match status {
        RealizationStatus::NotStarted => "not_started",
        RealizationStatus::Executing => "executing",
        RealizationStatus::WaitingApproval => "waiting_approval",
        RealizationStatus::Approved => "approved",
        RealizationStatus::Rejected => "rejected",
        RealizationStatus::Completed => "completed",
    }
}

fn integration_word(status: IntegrationStatus) -> &'static str {
    match status {
        IntegrationStatus::Idle => "idle",
        IntegrationStatus::Running => "running",
        IntegrationStatus::Failed => "failed",
        IntegrationStatus::Passed => "passed",
    }
}

pub(super) fn gate_word(status: GateStatus) -> &'static str {
    match status {
        GateStatus::Pending => "pending",
        GateStatus::Approved => "approved",
        GateStatus::Rejected => "rejected",
    }
}
