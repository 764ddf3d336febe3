//! Owns what templates can name of a workflow's step: the fields of its briefs by simple names, bounded. What people and
//! reviewers say to a role stands there whole (PF-18). Must not know the templates, and tells nothing of what comes after
//! a step (PF-20).

use serde_json::{Map, Value, json};

use super::Form;
use super::template::Known;
use super::view::{list, shortened, text};
use crate::contract::Brief;

/// The protocol that has these fields.
pub(super) const PROTOCOL: &str = "profile";

/// The most characters of the idea, and of what somebody said.
const IDEA: usize = 24_000;
const SAID: usize = 8_000;
/// The most things that somebody said, the newest ones.
const MOST: usize = 100;

/// The fields, for templates and for docs/prompts.md; `files`, `outputs`, `answers` and `problems` are those of any brief.
pub(super) const KNOWN: [Known; 10] = [
    text("idea_headline"),
    text("idea"),
    text("phase"),
    text("phase_description"),
    text("notes"),
    text("review_of"),
    text("commit_form"),
    text("answers_with_text"),
    list("remarks", &["."]),
    list("missing_outputs", &["."]),
];

/// The name of the template for a step: by what is done, whatever the role is called (PF-15).
pub(super) fn template_for(brief: &Brief) -> Option<String> {
    (brief.protocol == PROTOCOL).then(|| format!("role.{}", brief.action))
}

/// Adds the fields of a step's brief; another has none of them.
pub(super) fn add(view: &mut Map<String, Value>, brief: &Brief, form: Form) {
    if brief.protocol != PROTOCOL {
        return;
    }
    let of = |pointer: &str| brief.context.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    let item = |name: &str| brief.item.get(name).and_then(Value::as_str).unwrap_or_default();
    let texts = |pointer: &str| -> Value {
        let all = brief.context.pointer(pointer).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let newest = &all[all.len().saturating_sub(MOST)..];
        newest.iter().filter_map(Value::as_str).map(|one| json!(shortened(one, SAID))).collect()
    };
    // A small model that owes nothing but one file answers with it.
    let is_text = form == Form::Simple && brief.expects.outputs.len() == 1 && !brief.expects.result.is_object();
    let said = |one: &crate::contract::Answered| json!({"question": shortened(&one.question, SAID), "answer": shortened(&one.answer, SAID)});
    let fields: [(&str, Value); 12] = [
        ("idea_headline", json!(shortened(of("/idea/headline"), SAID))),
        ("idea", json!(shortened(of("/idea/text"), IDEA))),
        ("phase", json!(item("phase"))),
        ("phase_description", json!(shortened(of("/phase_description"), SAID))),
        ("notes", json!(shortened(item("notes"), SAID))),
        ("review_of", json!(item("review_of"))),
        ("commit_form", json!(of("/commit_message"))),
        ("answers_with_text", json!(is_text)),
        ("remarks", texts("/remarks")),
        ("missing_outputs", texts("/handoff_packet/missing")),
        ("answers", brief.answers.iter().map(said).collect()),
        ("problems", brief.problems.iter().map(|problem| json!(shortened(problem, SAID))).collect()),
    ];
    view.extend(fields.into_iter().map(|(name, value)| (name.to_string(), value)));
}
