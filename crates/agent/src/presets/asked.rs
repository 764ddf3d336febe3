//! Owns what a coding CLI is asked in words, and the schema that its report is held to. Must not know which CLI it is,
//! nor how it is started.

use std::fmt::Write as _;

use serde_json::{Map, Value, json};

use crate::contract::Brief;
use crate::limits::MAX_SCHEMA_DEPTH;
use crate::roadmap;
use crate::scratch::BRIEF_FILE;

/// The file in the working folder in which an agent may leave its report.
pub(crate) const REPORT_FILE: &str = "report.json";

/// Whether a role changes files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Doing {
    Reads,
    Writes,
}

impl Doing {
    /// A role writes if its brief asks for files, or leaves it free to make some.
    pub(crate) fn of(brief: &Brief) -> Self {
        match brief.standing() {
            "executor" => Self::Writes,
            _ if !brief.expects.outputs.is_empty() => Self::Writes,
            _ => Self::Reads,
        }
    }
}

/// The whole prompt: the brief in words, the rules of the place, and the report that is wanted.
pub(crate) fn prompt(brief: &Brief) -> String {
    let mut text = brief.prompt.trim().to_string();
    text.push_str("\n\n# Where you work\n\n");
    let _ = writeln!(
        text,
        "- Your working folder is {}. Write nowhere else; nobody can answer questions while you work.",
        brief.workdir
    );
    let _ = writeln!(text, "- {BRIEF_FILE} in it holds all of this as one JSON object, with more context.");
    text.push_str("- The files that are named lie below it, at the paths given. Read them; do not guess.\n");
    for path in &brief.expects.outputs {
        let _ = writeln!(text, "- Write {path}, whole and not empty, at exactly this path below your working folder.");
    }
    text.push_str("\n# Your report\n\n");
    text.push_str("When you are done, your last answer is one JSON object and nothing else, no prose around it:\n\n");
    let result = if brief.expects.result.is_null() { "null" } else { "as the schema below says" };
    let _ = writeln!(
        text,
        "{{\"status\": \"done\", \"summary\": \"what was done, in a sentence\", \"outputs\": [{{\"path\": \"…\"}}], \
         \"result\": {result}}}"
    );
    text.push_str(
        "\n`status` is `done`, or `failed` with `error` saying why, or `question` with `question` for a person. \
         `outputs` names the files that you wrote, none that you did not.\n",
    );
    if let Some(quota) = roadmap::quota(brief) {
        let _ = writeln!(
            text,
            "\nYou have {quota} steps, each a turn of yours. When {} are left, or if something stands in your way, leave what \
             you have in the files and report `paused`, with a `summary` of what is done and what is left.",
            roadmap::LAST_STEPS
        );
    }
    if !brief.expects.result.is_null() {
        let _ = writeln!(text, "\n`result` must keep this JSON Schema:\n\n{}", brief.expects.result);
    }
    if Doing::of(brief) == Doing::Writes {
        let _ = writeln!(text, "\nIf you cannot answer so, write the same object into {REPORT_FILE} instead.");
    }
    text
}

/// The schema of the report for who checks an answer against it and asks again: no more is required than the contract does.
pub(crate) fn open_schema(brief: &Brief) -> Value {
    let text_or_null = json!({"type": ["string", "null"]});
    let path = json!({"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]});
    let mut required = vec!["status", "summary"];
    let result = match &*brief.expects.result {
        Value::Null => json!({}),
        wanted => {
            required.push("result");
            json!({"anyOf": [wanted, {"type": "null"}]})
        }
    };
    json!({
        "type": "object",
        "properties": {
            "status": {"type": "string", "enum": roadmap::statuses(brief)},
            "summary": {"type": "string"},
            "outputs": {"type": "array", "items": path},
            "result": result,
            "question": text_or_null,
            "error": text_or_null,
        },
        "required": required,
    })
}

/// The schema of the report, with nothing left open, as providers want it to hold a model to it; nothing if the brief's
/// own schema cannot be closed.
pub(crate) fn schema(brief: &Brief) -> Option<Value> {
    let result = match &*brief.expects.result {
        Value::Null => json!({"type": "null"}),
        wanted => json!({"anyOf": [closed(wanted, 0)?, {"type": "null"}]}),
    };
    let text_or_null = json!({"type": ["string", "null"]});
    let output = json!({"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"],
        "additionalProperties": false});
    Some(json!({
        "type": "object",
        "properties": {
            "status": {"type": "string", "enum": roadmap::statuses(brief)},
            "summary": {"type": "string"},
            "outputs": {"type": "array", "items": output},
            "result": result,
            "question": text_or_null,
            "error": text_or_null,
        },
        "required": ["status", "summary", "outputs", "result", "question", "error"],
        "additionalProperties": false,
    }))
}

/// The same schema without open objects: every field is required, what could be left out may be null.
fn closed(schema: &Value, depth: usize) -> Option<Value> {
    /// Bounds that not every provider takes; the report is checked against them afterwards.
    const DROPPED: [&str; 6] = ["minLength", "maxLength", "minItems", "maxItems", "minimum", "maximum"];
    let fields = schema.as_object().filter(|_| depth < MAX_SCHEMA_DEPTH)?;
    let mut own = Map::new();
    for (name, value) in fields {
        match name.as_str() {
            "properties" | "required" | "additionalProperties" | "$schema" | "title" => {}
            "items" => drop(own.insert(name.clone(), closed(value, depth + 1)?)),
            "anyOf" | "oneOf" => {
                let choices: Option<Vec<Value>> = value.as_array()?.iter().map(|one| closed(one, depth + 1)).collect();
                own.insert("anyOf".into(), Value::Array(choices?));
            }
            dropped if DROPPED.contains(&dropped) => {}
            "$ref" | "allOf" | "not" | "patternProperties" => return None,
            _ => drop(own.insert(name.clone(), value.clone())),
        }
    }
    if fields.get("type") == Some(&json!("object")) {
        let properties = fields.get("properties")?.as_object()?;
        let required: Vec<&str> =
            fields.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
        let mut all = Map::new();
        for (name, property) in properties {
            let property = closed(property, depth + 1)?;
            let property = match required.contains(&name.as_str()) {
                true => property,
                false => json!({"anyOf": [property, {"type": "null"}]}),
            };
            all.insert(name.clone(), property);
        }
        own.insert("required".into(), all.keys().cloned().collect());
        own.insert("properties".into(), Value::Object(all));
        own.insert("additionalProperties".into(), json!(false));
    }
    Some(Value::Object(own))
}

/// An answer to a closed schema, without what stands there as null for being left out.
pub(crate) fn opened(answer: &Value) -> Value {
    match answer {
        Value::Object(fields) => {
            let kept = fields.iter().filter(|(_, value)| !value.is_null());
            Value::Object(kept.map(|(name, value)| (name.clone(), opened(value))).collect())
        }
        Value::Array(entries) => Value::Array(entries.iter().map(opened).collect()),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn brief(result: Value) -> Brief {
        let mut brief = Brief::new("r", "multiverse", "planner", "plan_tasks");
        brief.prompt = "Plan the tasks.".into();
        brief.expects.result = result.into();
        brief
    }

    /// MV-21: a provider that holds its model to a schema gets one that leaves nothing open, and its answer keeps ours.
    #[test]
    fn schemas_are_closed_and_answers_opened_again() {
        let wanted = json!({"type": "object", "required": ["a"], "properties": {
            "a": {"type": "string", "minLength": 1},
            "b": {"type": "array", "items": {"type": "object", "properties": {"c": {"type": "integer"}}}}}});
        let whole = schema(&brief(wanted.clone())).unwrap();
        let item = json!({"type": "object", "properties": {"c": {"anyOf": [{"type": "integer"}, {"type": "null"}]}},
            "required": ["c"], "additionalProperties": false});
        let expected = json!({"type": "object", "additionalProperties": false, "required": ["a", "b"], "properties": {
            "a": {"type": "string"}, "b": {"anyOf": [{"type": "array", "items": item}, {"type": "null"}]}}});
        assert_eq!(whole["properties"]["result"]["anyOf"][0], expected);
        let answer = json!({"status": "done", "summary": "s", "outputs": [], "question": null, "error": null,
            "result": {"a": "x", "b": null}});
        assert_eq!(crate::validate::validate(&whole, &answer), Vec::<String>::new());
        let opened = opened(&answer);
        assert_eq!(opened, json!({"status": "done", "summary": "s", "outputs": [], "result": {"a": "x"}}));
        assert_eq!(crate::validate::validate(&wanted, &opened["result"]), Vec::<String>::new());
    }

    #[test]
    fn a_schema_that_cannot_be_closed_is_asked_in_words() {
        for open in [json!({"type": "object"}), json!({"$ref": "#/x"}), json!(true)] {
            assert_eq!(schema(&brief(open.clone())), None, "{open}");
            assert!(prompt(&brief(open.clone())).contains(&open.to_string()));
        }
    }

    /// MV-39: the place, the files and the form of the report are told, whatever the brief's own words are.
    #[test]
    fn the_prompt_tells_place_files_and_report() {
        let mut brief = Brief::new("r", "multiverse", "executor", "execute");
        brief.workdir = "/p/w".into();
        brief.expects.outputs = vec!["runs/r/x.md".into()];
        let text = prompt(&brief);
        for part in ["/p/w", "brief.json", "Write runs/r/x.md, whole", "\"status\": \"done\"", "report.json"] {
            assert!(text.contains(part), "{part} in {text}");
        }
        assert_eq!(Doing::of(&brief), Doing::Writes);
        for (role, expected) in [
            ("actor", Doing::Writes),
            ("backend_dev", Doing::Writes),
            ("judge", Doing::Reads),
            ("planner", Doing::Reads),
            ("communicator", Doing::Reads),
        ] {
            assert_eq!(Doing::of(&Brief::new("r", "cycle", role, "act")), expected, "{role}");
        }
    }
}
