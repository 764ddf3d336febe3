//! Owns what a template can name: the fields of a brief by simple names, lists bounded in length (BY-17). Must not know
//! the templates.

use serde_json::{Map, Value, json};

use super::template::Known;
use super::{Form, Tools};
use super::{cycle, profile, roadmap};
use crate::contract::Brief;

/// The most entries of a list that a prompt tells.
const ENTRIES: usize = 60;
/// The most characters of a cell in a list.
const CELL: usize = 240;
/// The most characters of a long text.
const LONG: usize = 8000;

pub(super) const fn text(name: &'static str) -> Known {
    Known { name, entries: None }
}

pub(super) const fn list(name: &'static str, entries: &'static [&'static str]) -> Known {
    Known { name, entries: Some(entries) }
}

/// All fields that there are.
pub(super) fn known() -> Vec<Known> {
    KNOWN.iter().chain(&roadmap::KNOWN).chain(&cycle::KNOWN).chain(&profile::KNOWN).copied().collect()
}

/// The fields of any brief, for templates and for docs/prompts.md.
const KNOWN: [Known; 39] = [
    text("run_id"),
    text("protocol"),
    text("role"),
    text("action"),
    text("attempt"),
    text("plan_target"),
    text("request"),
    text("mode"),
    text("phase_id"),
    text("phase_name"),
    text("phase_purpose"),
    text("is_last_phase"),
    text("stage_id"),
    text("stage_name"),
    text("stage_goal"),
    text("item_id"),
    text("item_name"),
    text("item_purpose"),
    text("pre_tool_purpose"),
    text("post_tool_purpose"),
    text("tool_type"),
    text("output"),
    text("output_kind"),
    text("output_folder"),
    text("publish_folder"),
    text("procedures"),
    text("message_kind"),
    text("package"),
    text("simple"),
    text("has_tools"),
    list("instructions", &["instruction_id", "content"]),
    list("catalog", &["file_path", "asset_type", "summary"]),
    list("past_runs", &["run_id", "status", "request", "failure_report"]),
    list("wishes", &["."]),
    list("tool_types", &["."]),
    list("files", &["path", "why"]),
    list("outputs", &["."]),
    list("problems", &["."]),
    list("answers", &["question", "answer"]),
];

/// The fields of a brief.
pub(super) fn view(brief: &Brief, form: Form, tools: Tools) -> Value {
    let context = &brief.context;
    let of = |pointer: &str| context.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    let item = |name: &str| brief.item.get(name).and_then(Value::as_str).unwrap_or_default();
    let first = |names: &[&str]| names.iter().map(|name| item(name)).find(|text| !text.is_empty()).unwrap_or_default();
    // A plan for a phase has the phase as its item; one for a stage has the stage.
    let placed = |field: &str, pointer: &str| match item(field) {
        "" => of(pointer).to_string(),
        own => own.into(),
    };
    let run_id = &brief.run_id;
    let phase_name = placed("phase_name", "/phase/phase_name");
    let is_last_phase = phase_name == "GENERATING_OUTPUT";
    let output = brief.expects.outputs.first().map(String::as_str).unwrap_or_default();
    let request = if of("/request").is_empty() { brief.prompt.as_str() } else { of("/request") };
    let texts: [(&str, Value); 30] = [
        ("run_id", json!(run_id)),
        ("protocol", json!(brief.protocol)),
        ("role", json!(brief.role)),
        ("action", json!(brief.action)),
        ("attempt", json!(brief.attempt)),
        ("plan_target", json!(brief.plan_target)),
        ("request", json!(shortened(request, LONG))),
        ("mode", json!(of("/mode"))),
        ("phase_id", json!(placed("phase_id", "/phase/phase_id"))),
        ("phase_purpose", json!(placed("phase_purpose", "/phase/phase_purpose"))),
        ("is_last_phase", json!(is_last_phase)),
        ("stage_id", json!(placed("stage_id", "/stage/stage_id"))),
        ("stage_name", json!(placed("stage_name", "/stage/stage_name"))),
        ("stage_goal", json!(placed("stage_goal", "/stage/stage_goal"))),
        ("item_id", json!(brief.item_id().unwrap_or_default())),
        ("item_name", json!(first(&["tool_task_name", "task_name", "stage_name", "phase_name"]))),
        ("item_purpose", json!(first(&["tool_task_purpose", "task_purpose", "stage_goal", "phase_purpose"]))),
        ("pre_tool_purpose", json!(item("pre_tool_purpose"))),
        ("post_tool_purpose", json!(item("post_tool_purpose"))),
        ("tool_type", json!(item("tool_type"))),
        ("output", json!(output)),
        ("output_kind", json!(kind_of(output))),
        ("output_folder", json!(format!("runs/{run_id}/workspace/{phase_name}/"))),
        ("publish_folder", json!(format!("outputs/{run_id}/"))),
        ("procedures", json!(shortened(of("/procedures"), LONG))),
        ("message_kind", json!(of("/kind"))),
        ("package", json!(shortened(of("/package/text"), LONG))),
        ("simple", json!(form == Form::Simple)),
        ("has_tools", json!(tools == Tools::Offered)),
        ("phase_name", json!(phase_name)),
    ];
    let mut view: Map<String, Value> = texts.into_iter().map(|(name, value)| (name.into(), value)).collect();
    let rows = |pointer: &str, name: &str| entries(context.pointer(pointer), name);
    view.insert("instructions".into(), rows("/instructions", "instructions"));
    view.insert("catalog".into(), rows("/catalog", "catalog"));
    view.insert("past_runs".into(), rows("/past_runs", "past_runs"));
    view.insert("wishes".into(), rows("/wishes", "wishes"));
    view.insert("tool_types".into(), rows("/tool_types", "tool_types"));
    let own = |value: Value, name: &str| entries(Some(&value), name);
    view.insert("files".into(), own(json!(brief.files), "files"));
    view.insert("outputs".into(), own(json!(brief.expects.outputs), "outputs"));
    view.insert("problems".into(), own(json!(brief.problems), "problems"));
    view.insert("answers".into(), own(json!(brief.answers), "answers"));
    roadmap::add(&mut view, brief);
    cycle::add(&mut view, brief);
    profile::add(&mut view, brief, form);
    Value::Object(view)
}

/// The entries of a list, so many and so long as a prompt can hold; of too many the last ones, which are the newest.
pub(super) fn entries(list: Option<&Value>, name: &str) -> Value {
    let known =
        known().into_iter().find(|known| known.name == name).and_then(|known| known.entries).unwrap_or_default();
    let all = list.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let kept = &all[all.len().saturating_sub(ENTRIES)..];
    let cell = |value: &Value| match value {
        Value::String(text) => json!(shortened(text, CELL)),
        other => other.clone(),
    };
    let kept = kept.iter().map(|entry| match entry {
        Value::Object(fields) => {
            let own = known.iter().filter_map(|name| Some(((*name).to_string(), cell(fields.get(*name)?))));
            Value::Object(own.collect())
        }
        other => cell(other),
    });
    Value::Array(kept.collect())
}

pub(super) fn shortened(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.into(),
    }
}

/// What a file is, by its ending.
fn kind_of(path: &str) -> &'static str {
    match path.rsplit('/').next().and_then(|name| name.rsplit_once('.')).map(|(_, ending)| ending) {
        Some("html" | "htm") => "one self-contained HTML page",
        Some("csv") => "CSV with a first line of column names",
        Some("json") => "JSON",
        Some("yaml" | "yml") => "YAML",
        Some("txt") => "plain text",
        _ => "Markdown",
    }
}
