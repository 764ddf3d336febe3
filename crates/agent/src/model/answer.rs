//! Owns the form of the answer that is asked for: the report's schema with the brief's own expectations in it; for a small
//! model only what it must say, as narrow as the brief lets it be. Must not read answers.

use serde_json::{Map, Value, json};

use crate::contract::Brief;
use crate::prompt::Form;
use crate::roadmap;

/// The most rows of a plan that a small model is asked for.
const FEW_ROWS: usize = 2;
/// The most inputs of a row.
const FEW_INPUTS: usize = 4;
/// The most files that a row may choose from.
const CHOICES: usize = 60;
/// The longest text in a row, in characters.
const SHORT: usize = 240;

/// The columns of a plan's rows that hold paths.
const INPUTS: &str = "related_references";
const OUTPUT: &str = "output_path";

/// The schema of the answer; nothing if any text will do.
pub(super) fn answer_schema(brief: &Brief, form: Form) -> Option<Value> {
    let result = &brief.expects.result;
    match form {
        Form::Report => Some(report(brief)),
        // Whoever owes files beside a result answers with both.
        Form::Simple if result.is_object() && !brief.expects.outputs.is_empty() => Some(report(brief)),
        Form::Simple if result.is_object() => Some(narrowed(brief)),
        Form::Simple => None,
    }
}

/// A whole report, without what the engine knows better.
fn report(brief: &Brief) -> Value {
    let mut properties = Map::new();
    let mut required = vec!["status"];
    properties.insert("status".into(), json!({"type": "string", "enum": roadmap::statuses(brief)}));
    if brief.expects.result.is_object() {
        // Whoever cannot do it has no result.
        properties.insert("result".into(), json!({"anyOf": [brief.expects.result, {"type": "null"}]}));
        required.push("result");
    }
    if !brief.expects.outputs.is_empty() {
        let path = json!({"type": "string", "enum": brief.expects.outputs});
        let one = json!({"type": "object", "properties": {"path": path, "content": {"type": ["string", "null"]}}, "required": ["path"]});
        properties.insert("outputs".into(), json!({"type": "array", "items": one}));
        required.push("outputs");
    } else if brief.action == roadmap::DO {
        let one = json!({"type": "object", "properties": {"path": {"type": "string"}, "content": {"type": ["string", "null"]}}, "required": ["path"]});
        properties.insert("outputs".into(), json!({"type": "array", "items": one}));
    } else if !brief.expects.result.is_object() {
        let answer = json!({"type": "object", "properties": {"answer": {"type": "string"}}, "required": ["answer"]});
        properties.insert("result".into(), json!({"anyOf": [answer, {"type": "null"}]}));
        required.push("result");
    }
    properties.insert("summary".into(), json!({"type": "string"}));
    required.push("summary");
    for name in ["question", "error"] {
        properties.insert(name.into(), json!({"type": ["string", "null"]}));
    }
    json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
}

/// The result alone, with only the fields that it must have, each as narrow as can be.
fn narrowed(brief: &Brief) -> Value {
    let schema = &brief.expects.result;
    let required = names(&schema["required"]);
    let mut properties = Map::new();
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        if required.contains(&name.as_str()) {
            let is_rows = property["items"]["properties"].is_object();
            properties.insert(name.clone(), if is_rows { rows(brief, property) } else { short(property) });
        }
    }
    if properties.is_empty() {
        return (**schema).clone();
    }
    json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
}

fn short(property: &Value) -> Value {
    let mut property = property.clone();
    if property["type"] == "array" && property["items"]["type"] == "string" {
        property["items"] = json!({"type": "string", "minLength": 1, "maxLength": SHORT});
        property["maxItems"] = json!(8);
    }
    property
}

/// Rows of a plan.
fn rows(brief: &Brief, property: &Value) -> Value {
    let of_prelude = brief.plan_target.as_deref() == Some("phase:0");
    if of_prelude {
        let mut row = row(brief, &property["items"], &places(brief));
        let columns = row["properties"].as_object().cloned().unwrap_or_default();
        let first = ("task_id".to_string(), json!({"enum": ["T00", "T02", "T03", "T04"]}));
        row["properties"] = Value::Object(std::iter::once(first).chain(columns).collect());
        let required: Vec<String> =
            std::iter::once("task_id").chain(names(&row["required"])).map(String::from).collect();
        row["required"] = json!(required);
        return json!({"type": "array", "items": row, "minItems": 1, "maxItems": 4});
    }
    let of_tasks = property["items"]["properties"].get(INPUTS).is_some()
        && property["items"]["properties"].get("tool_type").is_none();
    if of_tasks && phase(brief) == "GENERATING_OUTPUT" {
        return published(brief, &property["items"]);
    }
    if !property["items"]["properties"][OUTPUT].is_object() {
        let row = row(brief, &property["items"], &Value::Null);
        return json!({"type": "array", "items": row, "minItems": 1, "maxItems": FEW_ROWS});
    }
    // A small model writes over what others have left if it may: each row has names of its own to choose from.
    let free = free_numbers(brief).map(|number| row(brief, &property["items"], &numbered(brief, number)));
    let rows: Vec<Value> = free.take(FEW_ROWS).collect();
    let some = (1..=rows.len())
        .map(|count| json!({"type": "array", "prefixItems": rows[..count], "minItems": count, "maxItems": count}));
    json!({"anyOf": some.collect::<Vec<_>>()})
}

/// The last phase says first how the parts fit together, and then writes the file for the user.
fn published(brief: &Brief, items: &Value) -> Value {
    let run = &brief.run_id;
    let plan = format!("runs/{run}/workspace/GENERATING_OUTPUT/assembly_plan.md");
    let mut inputs = inputs(brief);
    let mut last = row(brief, items, &places(brief));
    last["properties"][OUTPUT] = unpublished(brief);
    if inputs.contains(&plan) {
        last["properties"][INPUTS] = chosen(&inputs);
        return json!({"type": "array", "items": last, "minItems": 1, "maxItems": 1});
    }
    let mut first = row(brief, items, &places(brief));
    first["properties"][OUTPUT] = json!({"const": plan});
    inputs.insert(0, plan);
    last["properties"][INPUTS] = chosen(&inputs);
    json!({"type": "array", "prefixItems": [first, last], "minItems": 2, "maxItems": 2})
}

/// One row with the columns it must have.
fn row(brief: &Brief, items: &Value, output: &Value) -> Value {
    let required = names(&items["required"]);
    let columns = items["properties"].as_object().into_iter().flatten();
    let columns = columns.filter(|(name, _)| required.contains(&name.as_str())).map(|(name, column)| {
        let narrow = match name.as_str() {
            INPUTS => chosen(&inputs(brief)),
            OUTPUT => output.clone(),
            "tool_type" => json!({"enum": brief.context["tool_types"]}),
            _ if column["type"] == "string" => json!({"type": "string", "minLength": 3, "maxLength": SHORT}),
            _ => column.clone(),
        };
        (name.clone(), narrow)
    });
    let columns: Map<String, Value> = columns.collect();
    json!({"type": "object", "properties": columns, "required": required, "additionalProperties": false})
}

/// The files that a task may read: those there are.
fn inputs(brief: &Brief) -> Vec<String> {
    let rows = brief.context["catalog"].as_array().map(Vec::as_slice).unwrap_or_default();
    let own = |row: &&Value| row["asset_type"] != "GUIDELINE_DOC" && row["asset_type"] != "USER_INSTRUCTIONS";
    let paths = rows.iter().filter(own).filter_map(|row| row["file_path"].as_str().map(String::from));
    let paths: Vec<String> = paths.collect();
    paths[paths.len().saturating_sub(CHOICES)..].to_vec()
}

fn chosen(paths: &[String]) -> Value {
    let path = if paths.is_empty() { json!({"type": "string", "minLength": 1}) } else { json!({"enum": paths}) };
    json!({"type": "array", "items": path, "minItems": 1, "maxItems": FEW_INPUTS})
}

/// Where a row may leave its file.
fn places(brief: &Brief) -> Value {
    path_in(&format!("runs/{}/workspace/{}", brief.run_id, phase(brief)))
}

/// The file of a row of a stage: its name begins with the stage and a number that no file has yet.
fn numbered(brief: &Brief, number: usize) -> Value {
    let folder = format!("runs/{}/workspace/{}", brief.run_id, phase(brief));
    pattern(&folder, &beginning(brief, number), "")
}

/// The numbers that no file of the stage has yet.
fn free_numbers(brief: &Brief) -> impl Iterator<Item = usize> + '_ {
    let taken = inputs(brief);
    let folder = format!("runs/{}/workspace/{}/", brief.run_id, phase(brief));
    (1..).filter(move |number| {
        let begins = format!("{folder}{}", beginning(brief, *number));
        !taken.iter().any(|path| path.starts_with(&begins))
    })
}

/// How the name of a stage's file begins: `s04_1_`.
fn beginning(brief: &Brief, number: usize) -> String {
    let stage = brief.item.get("stage_id").and_then(Value::as_str).unwrap_or("s");
    let stage: String = stage.chars().filter(char::is_ascii_alphanumeric).collect();
    format!("{}_{number}_", stage.to_ascii_lowercase())
}

/// A file for the user. One that is there already is not made again: then names end with a number.
fn unpublished(brief: &Brief) -> Value {
    let folder = format!("outputs/{}", brief.run_id);
    let there = inputs(brief).iter().filter(|path| path.starts_with(&format!("{folder}/"))).count();
    match there {
        0 => path_in(&folder),
        some => pattern(&folder, "", &format!("_{}", some + 1)),
    }
}

fn path_in(folder: &str) -> Value {
    pattern(folder, "", "")
}

fn pattern(folder: &str, begins: &str, ends: &str) -> Value {
    let folder: String =
        folder.chars().flat_map(|letter| if letter == '.' { vec!['\\', '.'] } else { vec![letter] }).collect();
    json!({"type": "string", "pattern": format!("^{folder}/{begins}[a-z0-9_]{{3,40}}{ends}\\.md$")})
}

fn phase(brief: &Brief) -> &str {
    let own = brief.item.get("phase_name").and_then(Value::as_str);
    own.or_else(|| brief.context.pointer("/phase/phase_name").and_then(Value::as_str)).unwrap_or_default()
}

fn names(list: &Value) -> Vec<&str> {
    list.as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tasks() -> Value {
        json!({"type": "object", "required": ["tasks"], "properties": {"tasks": {"type": "array", "minItems": 1, "items": {
            "type": "object", "required": ["task_name", "related_references", "output_path"], "properties": {
                "task_id": {"type": "string"}, "task_name": {"type": "string"},
                "related_references": {"type": "array", "items": {"type": "string"}},
                "output_path": {"type": "string"}}}}}})
    }

    fn brief(phase: &str) -> Brief {
        let mut brief = Brief::new("run-1", "multiverse", "planner", "plan_tasks");
        brief.expects.result = tasks().into();
        brief.plan_target = Some("stage:S01".into());
        brief.item.insert("stage_id".into(), json!("S01"));
        brief.context = json!({"phase": {"phase_name": phase}, "catalog": [
            {"file_path": "assets/a.md", "asset_type": "ORIGINAL_INPUT"}, {"file_path": "guidelines/s.md", "asset_type": "GUIDELINE_DOC"}]});
        brief
    }

    /// MV-18: a small model can only name files that exist, and only write where the phase may.
    #[test]
    fn a_small_model_is_asked_as_narrowly_as_can_be() {
        let schema = answer_schema(&brief("ANALYZING"), Form::Simple).unwrap();
        let row = &schema["properties"]["tasks"]["anyOf"][0]["prefixItems"][0]["properties"];
        assert_eq!(row["related_references"]["items"], json!({"enum": ["assets/a.md"]}));
        assert_eq!(row["output_path"]["pattern"], "^runs/run-1/workspace/ANALYZING/s01_1_[a-z0-9_]{3,40}\\.md$");
        assert_eq!(row.get("task_id"), None);
    }

    /// MV-19: no two rows can have the same file, and none that of an earlier plan.
    #[test]
    fn a_small_model_cannot_name_a_file_that_is_another_tasks() {
        let numbers = |catalog: Value| -> Vec<String> {
            let mut brief = brief("ANALYZING");
            brief.context["catalog"] = catalog;
            let schema = answer_schema(&brief, Form::Simple).unwrap();
            let rows = schema["properties"]["tasks"]["anyOf"][1]["prefixItems"].as_array().unwrap().clone();
            let path = |row: &Value| row["properties"]["output_path"]["pattern"].as_str().unwrap()[31..38].to_string();
            rows.iter().map(path).collect()
        };
        assert_eq!(numbers(json!([])), ["/s01_1_", "/s01_2_"]);
        let made = json!([{"file_path": "runs/run-1/workspace/ANALYZING/s01_1_wishes.md", "asset_type": "INTERMEDIATE"},
            {"file_path": "runs/run-1/workspace/ANALYZING/s02_3_other.md", "asset_type": "INTERMEDIATE"}]);
        assert_eq!(numbers(made), ["/s01_2_", "/s01_3_"]);
        let mut brief = brief("GENERATING_OUTPUT");
        brief.context["catalog"][0]["file_path"] = json!("outputs/run-1/report.md");
        let schema = answer_schema(&brief, Form::Simple).unwrap();
        let last = &schema["properties"]["tasks"]["prefixItems"][1]["properties"]["output_path"]["pattern"];
        assert_eq!(last, "^outputs/run-1/[a-z0-9_]{3,40}_2\\.md$");
    }

    /// MV-37: the last phase plans its parts and publishes.
    #[test]
    fn the_last_phase_publishes() {
        let mut brief = brief("GENERATING_OUTPUT");
        let schema = answer_schema(&brief, Form::Simple).unwrap();
        let rows = &schema["properties"]["tasks"]["prefixItems"];
        let plan = "runs/run-1/workspace/GENERATING_OUTPUT/assembly_plan.md";
        assert_eq!(rows[0]["properties"]["output_path"], json!({"const": plan}));
        assert_eq!(rows[1]["properties"]["output_path"]["pattern"], "^outputs/run-1/[a-z0-9_]{3,40}\\.md$");
        assert_eq!(rows[1]["properties"]["related_references"]["items"]["enum"], json!([plan, "assets/a.md"]));
        brief.context["catalog"][0]["file_path"] = json!(plan);
        let schema = answer_schema(&brief, Form::Simple).unwrap();
        assert_eq!(schema["properties"]["tasks"]["maxItems"], 1, "a plan that is there is not made twice");
    }

    #[test]
    fn a_report_asks_for_what_the_brief_expects() {
        let mut brief = Brief::new("r", "multiverse", "executor", "execute");
        assert_eq!(answer_schema(&brief, Form::Simple), None);
        brief.expects.outputs = vec!["runs/r/a.md".into()];
        let schema = answer_schema(&brief, Form::Report).unwrap();
        assert_eq!(schema["required"], json!(["status", "outputs", "summary"]));
        assert_eq!(schema["properties"]["outputs"]["items"]["properties"]["path"]["enum"], json!(["runs/r/a.md"]));
    }
}
