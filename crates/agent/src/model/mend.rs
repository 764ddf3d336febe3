//! Owns the tolerance towards the shape of an answer: what is clearly meant as a report is made one, and what was done to
//! it is told. Must not judge: the contract's own check comes after.

use serde_json::{Map, Value, json};

use super::strict::without_nulls;
use crate::contract::Brief;
use crate::validate::validate;

/// Words that stand around a report instead of being one.
const WRAPPERS: [&str; 5] = ["report", "answer", "response", "output", "arguments"];

/// A report from a JSON value, and notes on what had to be mended.
pub(super) fn report_of(brief: &Brief, value: Value) -> (Value, Vec<String>) {
    let mut notes = Vec::new();
    let value = unwrapped(value, &mut notes);
    let mut fields = match value {
        Value::Object(fields) if fields.contains_key("status") => fields,
        other => as_result(brief, other, &mut notes),
    };
    status(&mut fields, &mut notes);
    result(brief, &mut fields, &mut notes);
    outputs(brief, &mut fields, &mut notes);
    // What it cost is counted here; how sure it is may be said in any form.
    fields.remove("usage");
    if fields.get("confidence").is_some_and(|sure| !sure.as_f64().is_some_and(|sure| (0.0..=10.0).contains(&sure))) {
        fields.remove("confidence");
    }
    for name in ["summary", "question", "error"] {
        if fields.get(name).is_some_and(|text| !text.is_string()) {
            fields.remove(name);
        }
    }
    (Value::Object(fields), notes)
}

/// `{"report": {…}}` is the report.
fn unwrapped(value: Value, notes: &mut Vec<String>) -> Value {
    let Value::Object(fields) = &value else { return value };
    let inner = WRAPPERS.iter().find_map(|name| fields.get(*name).map(|inner| (*name, inner)));
    match inner {
        Some((name, inner)) if inner.get("status").is_some() && !fields.contains_key("status") => {
            notes.push(format!("the report stood under `{name}`"));
            inner.clone()
        }
        _ => value,
    }
}

/// What is no report is taken for the result, or for the file.
fn as_result(brief: &Brief, value: Value, notes: &mut Vec<String>) -> Map<String, Value> {
    let mut fields = Map::new();
    fields.insert("status".into(), json!("done"));
    let has_result = brief.expects.result.is_object();
    match value {
        Value::Object(mut own) if !has_result && !brief.expects.outputs.is_empty() => {
            let known = ["outputs", "path", "content", "text", "file"].iter().any(|name| own.contains_key(*name));
            if known {
                notes.push("the report had no status; it has outputs, so it is taken as done".into());
                fields.extend(own.clone());
                if !own.contains_key("outputs") {
                    let content = ["content", "text", "file"].iter().find_map(|name| own.remove(*name));
                    fields.insert("outputs".into(), json!([{"content": content}]));
                }
            } else {
                let text = serde_json::to_string_pretty(&Value::Object(own)).unwrap_or_default();
                notes.push("the answer was JSON, but no report; it is taken as the content of the file".into());
                fields.insert("outputs".into(), json!([{"content": text}]));
            }
        }
        Value::Object(own) if own.get("result").is_some() => {
            notes.push("the report had no status; it has a result, so it is taken as done".into());
            fields.extend(own);
        }
        other => {
            if has_result {
                notes.push("the answer was the result alone".into());
            }
            fields.insert("result".into(), other);
        }
    }
    fields
}

fn status(fields: &mut Map<String, Value>, notes: &mut Vec<String>) {
    let said = fields.get("status").and_then(Value::as_str).unwrap_or_default().trim().to_lowercase();
    let meant = match said.as_str() {
        "done" | "failed" | "question" | "paused" => said.as_str(),
        "completed" | "complete" | "success" | "successful" | "succeeded" | "ok" | "finished" => "done",
        "failure" | "error" | "fail" => "failed",
        _ => return,
    };
    if fields.get("status").and_then(Value::as_str) != Some(meant) {
        notes.push(format!("the status `{said}` is taken as `{meant}`"));
    }
    fields.insert("status".into(), json!(meant));
}

fn result(brief: &Brief, fields: &mut Map<String, Value>, notes: &mut Vec<String>) {
    let schema = &brief.expects.result;
    let Some(mut result) = fields.remove("result").filter(|result| !result.is_null()) else { return };
    if !schema.is_object() {
        fields.insert("result".into(), result);
        return;
    }
    if let Value::String(text) = &result
        && let Ok(inner @ (Value::Object(_) | Value::Array(_))) = serde_json::from_str::<Value>(text)
    {
        notes.push("the result was JSON in a string".into());
        result = inner;
    }
    let required: Vec<&str> = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    if let (Value::Array(_), [only]) = (&result, &required[..])
        && schema["properties"][only]["type"] == "array"
    {
        notes.push(format!("the result was the list of `{only}` alone"));
        result = json!({(*only): result});
    }
    if let (Value::Object(own), [only]) = (&result, &required[..])
        && !own.contains_key(*only)
        && schema["properties"][only]["type"] == "array"
        && validate(&schema["properties"][only]["items"], &result).is_empty()
    {
        notes.push(format!("the result was one entry of `{only}`"));
        result = json!({(*only): [result]});
    }
    without_nulls(schema, &mut result, 0);
    numbers_of_texts(schema, &mut result, 0);
    fields.insert("result".into(), result);
}

/// Numbers that were written as texts, and texts as lists of one.
fn numbers_of_texts(schema: &Value, value: &mut Value, depth: usize) {
    if depth > crate::limits::MAX_SCHEMA_DEPTH {
        return;
    }
    match value {
        Value::String(text) if schema["type"] == "integer" => {
            if let Ok(number) = text.trim().parse::<i64>() {
                *value = json!(number);
            }
        }
        Value::String(text) if schema["type"] == "array" && schema["items"]["type"] == "string" => {
            *value = json!([text]);
        }
        Value::Array(entries) => {
            entries.iter_mut().for_each(|entry| numbers_of_texts(&schema["items"], entry, depth + 1));
        }
        Value::Object(fields) => {
            for (name, value) in fields {
                numbers_of_texts(&schema["properties"][name], value, depth + 1);
            }
        }
        _ => {}
    }
}

fn outputs(brief: &Brief, fields: &mut Map<String, Value>, notes: &mut Vec<String>) {
    if let Some(Value::Object(by_path)) = fields.get("outputs") {
        let is_one = by_path.contains_key("path") || by_path.contains_key("content");
        let list = match is_one {
            true => json!([by_path]),
            false => by_path.iter().map(|(path, content)| json!({"path": path, "content": content})).collect(),
        };
        notes.push("the outputs were no list".into());
        fields.insert("outputs".into(), list);
    }
    let Some(Value::Array(outputs)) = fields.get_mut("outputs") else { return };
    for output in outputs.iter_mut() {
        if let Value::String(path) = output {
            *output = json!({"path": path});
        }
    }
    let expected = &brief.expects.outputs;
    if let ([output], [path]) = (&mut outputs[..], &expected[..])
        && let Some(output) = output.as_object_mut()
        && output.get("path").and_then(Value::as_str) != Some(path)
        && output.get("content").is_some_and(Value::is_string)
    {
        notes.push(format!("the one file is taken for {path}"));
        output.insert("path".into(), json!(path));
    }
    for output in outputs.iter_mut().filter_map(Value::as_object_mut) {
        if output.get("content").is_some_and(Value::is_null) {
            output.remove("content");
        }
    }
    // A small model lists its sources among its outputs.
    if !expected.is_empty() {
        let before = outputs.len();
        outputs.retain(|output| {
            output["path"].as_str().is_some_and(|path| expected.iter().any(|one| one == path))
                || output.get("content").is_some()
        });
        if outputs.len() < before {
            notes.push("outputs that nobody asked for, without content, are left out".into());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan() -> Brief {
        let mut brief = Brief::new("r", "multiverse", "planner", "plan_stages");
        brief.expects.result =
            json!({"type": "object", "required": ["stages"], "properties": {"stages": {"type": "array",
            "items": {"type": "object", "required": ["stage_name"], "properties": {"stage_name": {"type": "string"},
                "refs": {"type": "array", "items": {"type": "string"}}, "order": {"type": "integer"}}}}}})
            .into();
        brief
    }

    fn file() -> Brief {
        let mut brief = Brief::new("r", "multiverse", "executor", "execute");
        brief.expects.outputs = vec!["runs/r/a.md".into()];
        brief
    }

    fn check(brief: &Brief, value: Value, expected: &Value) {
        let shown = value.to_string();
        assert_eq!(&report_of(brief, value).0, expected, "{shown}");
    }

    /// QL-32: what is clearly meant is taken, in whatever wrapping it comes.
    #[test]
    fn what_is_clearly_meant_becomes_a_report() {
        let done = json!({"status": "done", "result": {"stages": [{"stage_name": "a"}]}});
        check(&plan(), done.clone(), &done);
        check(&plan(), json!({"stages": [{"stage_name": "a"}]}), &done);
        check(&plan(), json!([{"stage_name": "a"}]), &done);
        check(&plan(), json!({"stage_name": "a"}), &done);
        check(&plan(), json!({"report": done}), &done);
        check(
            &plan(),
            json!({"result": {"stages": [{"stage_name": "a", "order": null}]}, "usage": 3, "confidence": "high"}),
            &done,
        );
        check(&plan(), json!({"status": "Success", "result": "{\"stages\": [{\"stage_name\": \"a\"}]}"}), &done);
        check(
            &plan(),
            json!({"stages": [{"stage_name": "a", "order": "2", "refs": "x.md"}]}),
            &json!({"status": "done", "result": {"stages": [{"stage_name": "a", "order": 2, "refs": ["x.md"]}]}}),
        );
        let failed = json!({"status": "failed", "error": "no data"});
        check(&plan(), failed.clone(), &failed);
        check(&plan(), json!({"status": "perhaps"}), &json!({"status": "perhaps"}));
    }

    #[test]
    fn a_file_may_be_handed_in_simply() {
        let done = json!({"status": "done", "outputs": [{"path": "runs/r/a.md", "content": "x"}]});
        check(&file(), done.clone(), &done);
        check(&file(), json!({"status": "done", "outputs": [{"path": "a.md", "content": "x"}]}), &done);
        check(&file(), json!({"status": "done", "outputs": {"runs/r/a.md": "x"}}), &done);
        check(
            &file(),
            json!({"outputs": [{"content": "x"}]}),
            &json!({"status": "done", "outputs": [{"content": "x", "path": "runs/r/a.md"}]}),
        );
        check(
            &file(),
            json!({"status": "done", "outputs": ["runs/r/a.md", "assets/b.md"]}),
            &json!({"status": "done", "outputs": [{"path": "runs/r/a.md"}]}),
        );
        let (report, notes) = report_of(&file(), json!({"a": 1}));
        assert_eq!(report["outputs"][0]["content"], "{\n  \"a\": 1\n}");
        assert_eq!(notes.len(), 2, "{notes:?}");
    }
}
