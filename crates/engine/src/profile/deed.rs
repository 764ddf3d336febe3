//! What is to be done for an attempt at a step: played by the engine in a simulation, else a brief for whoever plays the role.
//! A brief tells of the step itself and of what came before it, never of what comes next (PF-20).

use std::collections::BTreeSet;

use agent::{Access, Answered, Brief, BriefFile, BriefLimits, Expects};
use dialect::profile::artifact_path;
use machine::profile::{Attempt, Mode, PlannedStep, Run, StepKind};
use serde_json::{Map, json};

use super::outcome::result_schema;
use super::played::played;
use super::realized::is_realized;
use crate::hosted::{Came, Deed, Site};

/// The most of an idea's text that a brief tells, in bytes.
const IDEA_BYTES: usize = 64 * 1024;

/// Who does what for an attempt.
pub(super) fn deed(run: &Run, attempt: &Attempt, site: &Site<'_>) -> Option<Deed> {
    let step = run.plan.get(attempt.step)?;
    if is_realized(run, step) {
        return Some(super::realized::deed(run, attempt, step, site));
    }
    let casting = site.settings.casting_of(&run.id);
    let is_played = run.profile.mode == Mode::Simulation && !casting.is_chosen(&step.step.role);
    if is_played {
        return Some(Deed::AtOnce(played(run, attempt, step, site)));
    }
    Some(match casting.player(&step.step.role) {
        Some(backend) => Deed::Brief(Box::new(brief(run, attempt, step, site)), backend),
        None => {
            let error = format!("nobody plays the {}", step.step.role);
            Deed::AtOnce(Came::Failed { error, said: String::new() })
        }
    })
}

/// The brief of an attempt.
pub(super) fn brief(run: &Run, attempt: &Attempt, step: &PlannedStep, site: &Site<'_>) -> Brief {
    let action = match step.step.kind {
        StepKind::Owner | StepKind::Gate => "produce",
        StepKind::Reviewer => "review",
        StepKind::Validator => "validate",
    };
    let mut brief = Brief::new(&run.id, super::PROTOCOL, &step.step.role, action);
    brief.attempt = attempt.number;
    brief.problems.clone_from(&attempt.problems);
    let answered =
        |(question, answer): &(String, String)| Answered { question: question.clone(), answer: answer.clone() };
    brief.answers = attempt.answers.iter().map(answered).collect();
    let seconds = match attempt.reserved.seconds {
        0 => site.settings.seconds,
        reserved => site.settings.seconds.min(reserved),
    };
    brief.limits = BriefLimits { steps: 100, tokens: attempt.reserved.tokens, seconds };
    brief.files = files(run, attempt);
    let path = |name: &String| artifact_path(&run.idea.headline, &run.idea.id, name);
    brief.expects = Expects {
        result: result_schema(step.step.kind).into(),
        outputs: step.step.required_outputs.iter().map(path).collect(),
    };
    brief.item = item(run, step);
    let idea = json!({
        "id": run.idea.id,
        "headline": run.idea.headline,
        "owner": run.idea.owner,
        "text": idea_text(run, site),
    });
    let mut context = Map::new();
    context.insert("idea".into(), idea);
    context.insert("artifacts_dir".into(), json!(path(&String::new()).trim_end_matches('/')));
    let phase = run.profile.phases.iter().find(|phase| phase.id == step.phase);
    if let Some(phase) = phase.filter(|phase| !phase.description.is_empty()) {
        context.insert("phase_description".into(), json!(phase.description));
    }
    if !attempt.remarks.is_empty() {
        context.insert("remarks".into(), json!(attempt.remarks));
    }
    if let Some(handoff) = &run.handoff {
        let packet = json!({"required": handoff.required, "provided": handoff.provided, "missing": handoff.missing});
        context.insert("handoff_packet".into(), packet);
    }
    brief.context = context.into();
    brief
}

/// The step as a row.
fn item(run: &Run, step: &PlannedStep) -> Map<String, serde_json::Value> {
    let mut item = Map::new();
    item.insert("step_id".into(), json!(step.step.id));
    item.insert("step_type".into(), json!(step.step.kind.word()));
    item.insert("role".into(), json!(step.step.role));
    item.insert("phase".into(), json!(step.phase));
    item.insert("profile".into(), json!(run.profile.name));
    item.insert("required_outputs".into(), json!(step.step.required_outputs));
    for (key, value) in [("review_of", &step.step.review_of), ("notes", &step.step.notes)] {
        if let Some(value) = value {
            item.insert(key.into(), json!(value));
        }
    }
    item
}

/// The files that whoever plays a step is given, and why: the idea, and what the steps before left.
pub(super) fn files(run: &Run, attempt: &Attempt) -> Vec<BriefFile> {
    let readable = |path: &str, why: String| BriefFile { path: path.into(), why, access: Access::Read };
    let mut files = Vec::new();
    if !run.idea.context.is_empty() {
        files.push(readable(&run.idea.context, "the idea".into()));
    }
    let Some(step) = run.plan.get(attempt.step) else { return files };
    let mut seen = BTreeSet::new();
    // What was sent back is given with the rest: it is mended, not made from nothing.
    for earlier in run.plan.iter().take(step.index + 1) {
        for name in &earlier.step.required_outputs {
            if let Some(artifact) = run.artifacts.get(name).filter(|_| seen.insert(name)) {
                let why = match earlier.index == step.index {
                    true => "your work so far".into(),
                    false => format!("artifact of {}", earlier.step.role),
                };
                files.push(readable(&artifact.path, why));
            }
        }
    }
    files
}

/// The text of the idea; its headline where there is no file.
pub(super) fn idea_text(run: &Run, site: &Site<'_>) -> String {
    let text = Some(run.idea.context.as_str()).filter(|path| !path.is_empty()).and_then(|path| (site.read)(path));
    let Some(text) = text else { return run.idea.headline.clone() };
    let mut text = String::from_utf8_lossy(&text.to_vec()).into_owned();
    let end = (0..=text.len().min(IDEA_BYTES)).rev().find(|at| text.is_char_boundary(*at)).unwrap_or_default();
    text.truncate(end);
    text
}
