//! A step of a simulation, played by code (PF-09): made from the idea's text and the artifacts before it, the same bytes
//! every time. Hands what is known to [`agent::simulation`], and its answer back as a report like any agent's.

use std::collections::BTreeSet;

use agent::simulation::{self, Artifact, Part, Scene, Verdict};
use agent::{Report, ReportOutput};
use dialect::profile::artifact_path;
use machine::profile::{Attempt, PlannedStep, Run, StepKind};
use serde_json::json;
use store::ProjectPath;

use super::deed::idea_text;
use crate::hosted::{Came, Site};
use crate::step::Output;

/// What the engine leaves when it plays a step itself.
pub(super) fn played(run: &Run, attempt: &Attempt, step: &PlannedStep, site: &Site<'_>) -> Came {
    let Some(part) = part_of(step.step.kind) else {
        return Came::Failed { error: "a gate is nobody's to play".into(), said: String::new() };
    };
    let before = before(run, step, site);
    let idea = idea_text(run, site);
    let producer = step.producer.and_then(|at| run.plan.get(at)).map(|step| step.step.role.as_str());
    // An attempt that was lost is no draft: what is played does not depend on who was killed when.
    let cycles = run.review_cycles.get(&step.phase).copied().unwrap_or_default();
    let draft = cycles.saturating_add(run.integration.attempts).saturating_add(1);
    let outputs = outputs(run, step, draft);
    let scene = Scene {
        headline: &run.idea.headline,
        idea: &idea,
        phase: &step.phase,
        role: &step.step.role,
        step: &step.step.id,
        part,
        outputs: &outputs,
        before: &before,
        review_of: producer.unwrap_or_default(),
        remarks: &attempt.remarks,
        attempt: draft,
        seed: run.seed,
    };
    let played = simulation::play(&scene);
    let result = match played.verdict {
        Verdict::Produced => json!(null),
        Verdict::Approved if part == Part::Validator => json!({"integration_loop_status": "passed"}),
        Verdict::Approved => json!({"review_status": "approved"}),
        Verdict::ChangesRequested(remarks) => json!({"review_status": "changes_requested", "remarks": remarks}),
        Verdict::Failed { target, error } => {
            json!({"integration_loop_status": "failed", "integration_failure_target": target, "error": error})
        }
    };
    let (mut report, mut outputs) = (Report { result, ..Report::done("played by the engine") }, Vec::new());
    for (name, content) in played.outputs {
        let path = artifact_path(&run.idea.headline, &run.idea.id, &name);
        match ProjectPath::document(&path) {
            Ok(path) => outputs.push(Output { path, content: content.into_bytes().into() }),
            Err(refusal) => return Came::Broken { problems: vec![refusal.to_string()], said: String::new() },
        }
        report.outputs.push(ReportOutput { path, content: None });
    }
    Came::Report { report: Box::new(report), outputs }
}

/// The files that a step leaves. A producer that mends its work mends all of it: what its role left in steps before is not
/// handed out again, and a reviewer reads it, too.
fn outputs(run: &Run, step: &PlannedStep, draft: u32) -> Vec<String> {
    let mut outputs = step.step.required_outputs.clone();
    if draft > 1 && step.step.kind == StepKind::Owner {
        let is_own = |other: &&PlannedStep| other.step.role == step.step.role && other.step.kind == StepKind::Owner;
        let own = run.plan.iter().take(step.index).filter(is_own).flat_map(|other| &other.step.required_outputs);
        for name in own.filter(|name| run.artifacts.contains_key(*name)) {
            if !outputs.contains(name) {
                outputs.push(name.clone());
            }
        }
    }
    outputs
}

fn part_of(kind: StepKind) -> Option<Part> {
    match kind {
        StepKind::Owner => Some(Part::Owner),
        StepKind::Reviewer => Some(Part::Reviewer),
        StepKind::Validator => Some(Part::Validator),
        StepKind::Gate => None,
    }
}

/// What the steps before left, oldest first, each file once: as it is now.
fn before(run: &Run, step: &PlannedStep, site: &Site<'_>) -> Vec<Artifact> {
    let mut seen = BTreeSet::new();
    let mut before = Vec::new();
    for earlier in run.plan.iter().take(step.index) {
        let Some(part) = part_of(earlier.step.kind) else { continue };
        for name in &earlier.step.required_outputs {
            let Some(artifact) = run.artifacts.get(name).filter(|_| seen.insert(name)) else { continue };
            let Some(content) = (site.read)(&artifact.path) else { continue };
            before.push(Artifact {
                name: name.clone(),
                role: earlier.step.role.clone(),
                part,
                content: String::from_utf8_lossy(&content.to_vec()).into_owned(),
            });
        }
    }
    before
}
