//! From how an attempt ended to what the machine of profiles hears: files become artifacts with their digests, and what the
//! report says of a review or an integration is read strictly.

use agent::Report;
use dialect::profile::artifact_folder;
use machine::profile::{
    Artifact, CommitNote, IntegrationResult, Outcome, PlannedStep, Review, ReviewVerdict, Run, StepKind,
};
use serde_json::{Value, json};

use crate::files::digest_of;
use crate::hosted::Came;
use crate::step::Output;

/// The longest remark of a reviewer, in characters, and the most of them.
const REMARK: usize = 2000;
const REMARKS: usize = 100;

/// What an attempt's end is to the machine.
pub(super) fn outcome(run: &Run, fence: u64, came: &Came) -> Outcome {
    let step = run.attempts.get(&fence).and_then(|attempt| run.plan.get(attempt.step));
    match came {
        Came::Question(text) => Outcome::Question(text.clone()),
        Came::Paused(reason) => Outcome::Paused(reason.clone()),
        Came::Later { seconds, reason } => Outcome::Later { seconds: *seconds, reason: reason.clone() },
        Came::Broken { problems, .. } => Outcome::Broken(problems.clone()),
        Came::Failed { error, .. } => Outcome::Failed(error.clone()),
        Came::Lost(reason) => Outcome::Lost(reason.clone()),
        Came::Done(_) => Outcome::Failed("code answered where an agent was asked".into()),
        Came::Report { report, outputs } => {
            let Some(step) = step else { return Outcome::Lost("its step is not in the plan".into()) };
            let commit = super::realized::commit_of(run, step, &report.result);
            match done(run, step, report, outputs, commit) {
                Ok(outcome) => outcome,
                Err(problems) => Outcome::Broken(problems),
            }
        }
    }
}

/// The schema of what a step's report says in `result`.
pub(super) fn result_schema(kind: StepKind) -> Value {
    let review = json!({"enum": ["approved", "changes_requested"]});
    let remarks = json!({"type": "array", "items": {"type": "string", "minLength": 1}});
    match kind {
        StepKind::Owner | StepKind::Gate => Value::Null,
        StepKind::Reviewer => json!({
            "type": "object",
            "properties": {"review_status": review, "remarks": remarks},
            "required": ["review_status"],
        }),
        StepKind::Validator => json!({
            "type": "object",
            "properties": {
                "review_status": review,
                "remarks": remarks,
                "integration_loop_status": {"enum": ["passed", "failed"]},
                "integration_failure_target": {"type": "string"},
                "error": {"type": "string"},
            },
        }),
    }
}

fn done(
    run: &Run,
    step: &PlannedStep,
    report: &Report,
    outputs: &[Output],
    commit: Option<CommitNote>,
) -> Result<Outcome, Vec<String>> {
    let result = &report.result;
    let folder = format!("{}/", artifact_folder(&run.idea.headline, &run.idea.id));
    let mut problems = Vec::new();
    let mut artifacts = Vec::new();
    for Output { path, content } in outputs {
        match path.as_str().strip_prefix(&folder) {
            Some(name) => artifacts.push(Artifact {
                name: name.into(),
                path: path.to_string(),
                digest: digest_of(&content.clone().into()),
                owner: step.step.role.clone(),
                at: String::new(),
            }),
            None => problems.push(format!("{path}: artifacts are written below {folder} only")),
        }
    }
    let review = review(result).map_err(|problem| problems.push(problem)).unwrap_or_default();
    let integration = integration(result).map_err(|problem| problems.push(problem)).unwrap_or_default();
    match problems.is_empty() {
        true => {
            let question = report.question.as_deref().map(shortened).filter(|question| !question.is_empty());
            Ok(Outcome::Done { outputs: artifacts, review, integration, commit, question })
        }
        false => Err(problems),
    }
}

fn review(result: &Value) -> Result<Option<Review>, String> {
    let word = match result.get("review_status") {
        None | Some(Value::Null) => return Ok(None),
        Some(word) => word.as_str().unwrap_or_default(),
    };
    let verdict = match word {
        "approved" => ReviewVerdict::Approved,
        "changes_requested" => ReviewVerdict::ChangesRequested,
        // What the seed's status says before a review is no verdict.
        "not_started" | "in_review" => return Ok(None),
        other => return Err(format!("review_status {other:?} is unknown; valid: approved, changes_requested")),
    };
    let remarks = match result.get("remarks") {
        Some(Value::Array(remarks)) => remarks.iter().filter_map(Value::as_str).collect(),
        Some(Value::String(remark)) => vec![remark.as_str()],
        _ => Vec::new(),
    };
    let remarks = remarks.into_iter().map(shortened).filter(|remark| !remark.is_empty()).take(REMARKS);
    Ok(Some(Review { verdict, remarks: remarks.collect() }))
}

fn integration(result: &Value) -> Result<Option<IntegrationResult>, String> {
    let text = |key: &str| result.get(key).and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty());
    match result.get("integration_loop_status").and_then(Value::as_str) {
        None | Some("idle" | "running") => Ok(None),
        Some("passed") => Ok(Some(IntegrationResult::Passed)),
        Some("failed") => {
            let target = text("integration_failure_target").or_else(|| text("last_failed_role"));
            let target =
                target.ok_or("integration_loop_status is failed: integration_failure_target says whose it is")?;
            let error = text("error").or_else(|| text("message")).unwrap_or("the integration failed");
            Ok(Some(IntegrationResult::Failed { target: target.into(), error: shortened(error) }))
        }
        Some(other) => Err(format!("integration_loop_status {other:?} is unknown; valid: passed, failed")),
    }
}

fn shortened(text: &str) -> String {
    text.trim().chars().take(REMARK).collect()
}
