//! What the agents of a cycle are told: the goal with its state and documents, the newest turns and a digest of the older
//! ones, however long the cycle is (CY-11); and what a report must say.

use agent::{Access, Brief, BriefFile, BriefLimits, Expects};
use machine::cycle::words::field;
use machine::cycle::{Attempt, Check, CheckEnd, Cycle, Party, Stage, Turn, Word, Work};
use serde_json::{Map, Value, json};

use super::PROTOCOL;
use crate::settings::Settings;

/// The name that settings and agents know a party by.
pub(super) fn role(party: Party) -> &'static str {
    match party {
        Party::Human => "human",
        Party::Planner => "planner",
        Party::Actor => "actor",
        Party::Judge => "judge",
    }
}

/// The brief of an attempt.
pub(super) fn brief(cycle: &Cycle, attempt: &Attempt, party: Party, settings: &Settings) -> Brief {
    let mut brief = Brief::new(&cycle.id, PROTOCOL, role(party), attempt.work.action());
    brief.attempt = attempt.number;
    brief.problems.clone_from(&attempt.problems);
    brief.limits = BriefLimits { steps: 100, tokens: 0, seconds: settings.seconds };
    let readable = |path: &String| BriefFile {
        path: path.clone(),
        why: "a context document of the goal".into(),
        access: Access::Read,
    };
    brief.files = cycle.context_docs.iter().map(readable).collect();
    brief.item = Map::from_iter([("id".to_string(), json!(attempt.signature.to_string()))]);
    brief.context = context(cycle, attempt, settings);
    brief.expects = Expects { result: schema(attempt.work), outputs: Vec::new() };
    brief
}

fn context(cycle: &Cycle, attempt: &Attempt, settings: &Settings) -> Value {
    let (digest, recent) = cycle.told();
    let limits = &settings.cycle.limits;
    let mut context = json!({
        "goal": cycle.goal,
        "current_state": cycle.current_state,
        "context_docs": cycle.context_docs,
        "loop": cycle.loop_number,
        "stage": if is_closing(attempt.work) { "closing" } else { "loop" },
        "earlier_loops": digest,
        "turns": recent.iter().map(|turn| told(turn)).collect::<Vec<_>>(),
        "human_said": cycle.words,
        "limits": {"lines": limits.lines, "files": limits.files},
    });
    let mut add = |name: &str, value: Value| {
        context.as_object_mut().map(|context| context.insert(name.into(), value));
    };
    if !cycle.outline.is_empty() {
        add("outline", json!(cycle.outline));
    }
    let plan = cycle.recent.iter().rev().find(|turn| turn.word == Word::PlanCreated);
    if let (Some(plan), Work::Act(_) | Work::Judge(_)) = (plan, attempt.work) {
        let value = |name: &str| plan.field(name).unwrap_or_default();
        add(
            "plan",
            json!({
                "summary": plan.summary,
                "locations": value(field::LOCATIONS),
                "change": value(field::CHANGE),
                "avoid": value(field::AVOID),
                "win_state": value(field::WIN_STATE),
                "subjects": value(SUBJECTS),
            }),
        );
    }
    if let (Some(measured), Work::Judge(_)) = (&cycle.measured, attempt.work) {
        add("changed", json!({"lines": measured.lines, "files": measured.files, "commit": measured.commit}));
    }
    if let (Some((_, checks)), Work::Judge(_)) = (&cycle.checks, attempt.work) {
        add("checks", checks.iter().map(checked).collect());
    }
    context
}

/// The field of a plan that names what it is about.
pub(super) const SUBJECTS: &str = "Subjects";

fn is_closing(work: Work) -> bool {
    matches!(work, Work::Plan(Stage::Closing) | Work::Act(Stage::Closing) | Work::Judge(Stage::Closing))
}

fn told(turn: &Turn) -> Value {
    let fields: Map<String, Value> = turn.fields.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
    json!({
        "signature": turn.signature.to_string(),
        "agent": turn.party.name(),
        "result": turn.word.name(),
        "summary": turn.summary,
        "confidence": turn.confidence,
        "context": turn.context,
        "fields": fields,
    })
}

fn checked(check: &Check) -> Value {
    let end = match &check.end {
        CheckEnd::Exit(code) => format!("exit code {code}"),
        CheckEnd::TimedOut => "ran over its time".into(),
        CheckEnd::NotRun(reason) => format!("did not run: {reason}"),
    };
    json!({"name": check.name, "good": check.end.is_good(), "end": end, "output": check.tail})
}

/// What a report must say in `result`.
fn schema(work: Work) -> Value {
    let text = || json!({"type": "string"});
    let object = |words: &[&str], fields: &[&str], more: &[(&str, Value)], required: &[&str]| {
        let mut properties: Map<String, Value> = fields.iter().map(|name| ((*name).to_string(), text())).collect();
        properties.insert("result".into(), json!({"enum": words}));
        properties.insert("context".into(), text());
        properties.insert("response".into(), text());
        properties.extend(more.iter().map(|(name, value)| ((*name).to_string(), value.clone())));
        let required: Vec<&str> = ["result"].iter().chain(required).copied().collect();
        json!({"type": "object", "properties": properties, "required": required})
    };
    let list = || json!({"type": "array", "items": {"type": "string"}});
    match work {
        Work::Outline | Work::Plan(_) => object(
            &["PLAN_CREATED", "CLARIFICATION_NEEDED"],
            &["change", "avoid", "win_state", "question", "subjects"],
            &[("locations", list()), ("avoid_paths", list())],
            &[],
        ),
        Work::Act(_) => {
            object(&["SUCCESS", "FAIL"], &["where_to_look", "what_changed", "why", "testing_notes"], &[], &[])
        }
        Work::Judge(_) => object(
            &["PASS", "INSUFFICIENT"],
            &["subordinate", "discrepancy", "main_source", "recommended", "next_steps"],
            &[("superordinate", json!({"enum": ["SUFFICIENT", "PROGRESSING"]}))],
            &["superordinate"],
        ),
        Work::Checkpoint | Work::Check(_) | Work::Merge | Work::Delete | Work::Archive(_) => Value::Null,
    }
}
