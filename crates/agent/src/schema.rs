//! Owns the published JSON Schemas of brief and report, each with an example. Must not know the types' insides beyond
//! their fields: a test keeps both in step.

use serde_json::{Value, json};

use crate::contract::CONTRACT;

/// Which object of the contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Which {
    /// What goes in.
    Brief,
    /// What comes out.
    Report,
}

/// The JSON Schema (2020-12) of one of them, with descriptions and an example.
pub fn schema(which: Which) -> Value {
    match which {
        Which::Brief => brief(),
        Which::Report => report(),
    }
}

const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

fn brief() -> Value {
    json!({
        "$schema": DIALECT,
        "title": "brief",
        "description": "What an agent is given: on standard input, and as the file named by MULTIVERSE_BRIEF.",
        "type": "object",
        "required": ["contract", "run_id", "protocol", "role", "action"],
        "properties": {
            "contract": {"const": CONTRACT, "description": "The version of this contract."},
            "run_id": text("The run this belongs to."),
            "protocol": text("The protocol of the run: multiverse, lineage, profile, cycle or roadmap."),
            "role": text("The part to play: planner, executor, communicator, judge, …"),
            "action": text("What to do: plan_stages, plan_tasks, plan_tools, propose, execute, judge, review, …"),
            "plan_target": optional_text("What a planner plans: phase:0, proposal, phase:ID, stage:ID, pre_tool:ID, post_tool:ID."),
            "item": {"type": "object", "description": "The row of the item to work on, column by column."},
            "attempt": number("The number of this attempt on the item, from 1."),
            "prompt": text("The same in words, for a model."),
            "files": {"type": "array", "description": "The files to work with.", "items": brief_file()},
            "context": {"description": "What else is of use: rows of the plan, instructions, past runs."},
            "expects": expects(),
            "limits": brief_limits(),
            "workdir": text("The folder to work in, the only one that can be written to. It is the current folder, too."),
            "problems": {
                "type": "array",
                "description": "What was wrong with your report before this one; empty the first time.",
                "items": {"type": "string"}
            },
            "answers": {
                "type": "array",
                "description": "What a person answered to your questions.",
                "items": {
                    "type": "object",
                    "required": ["question", "answer"],
                    "properties": {"question": text("As you asked."), "answer": text("As it was answered.")}
                }
            }
        },
        "examples": [example_brief()]
    })
}

fn brief_file() -> Value {
    json!({
        "type": "object",
        "required": ["path"],
        "properties": {
            "path": text("From the project's folder; the same path leads to it from the workdir."),
            "why": text("Why you are given it."),
            "access": {
                "enum": ["read", "write"],
                "description": "write: the workdir has a copy of your own to change."
            }
        }
    })
}

fn expects() -> Value {
    json!({
        "type": "object",
        "description": "What the report must hold to be taken.",
        "properties": {
            "result": {"description": "The JSON Schema of the report's result; null if any will do."},
            "outputs": {
                "type": "array",
                "description": "The files that must be there afterwards, and no others; empty if you are free.",
                "items": {"type": "string"}
            }
        }
    })
}

fn brief_limits() -> Value {
    json!({
        "type": "object",
        "description": "How much may be spent; 0 stands for the engine's own limit.",
        "properties": {
            "steps": number("Turns of a model, calls of tools."),
            "tokens": number("Tokens in and out."),
            "seconds": number("Seconds on the clock.")
        }
    })
}

fn report() -> Value {
    json!({
        "$schema": DIALECT,
        "title": "report",
        "description": "What an agent gives back on standard output: one JSON object. Other fields are ignored.",
        "type": "object",
        "required": ["status"],
        "properties": {
            "status": {
                "enum": ["done", "failed", "paused", "question"],
                "description": "done: all that was asked for is there. failed: with error. question: with question."
            },
            "result": {"description": "By the schema in the brief's expects.result."},
            "outputs": {
                "type": ["array", "null"],
                "maxItems": crate::limits::MAX_OUTPUTS,
                "description": "The files you made.",
                "items": {
                    "type": "object",
                    "required": ["path"],
                    "properties": {
                        "path": text("From the project's folder, as the brief's expects.outputs names it."),
                        "content": optional_text("What is in it. Without it, write the file into the workdir under this path.")
                    }
                }
            },
            "summary": optional_text("What you did, in a sentence or two."),
            "confidence": {
                "type": ["number", "null"], "minimum": 0, "maximum": 10,
                "description": "How sure you are, from 0 to 10."
            },
            "question": optional_text("With the status question: what a person must say. With the status done, from a role of a workflow: what a person may say; nothing waits for it."),
            "error": optional_text("With the status failed: what went wrong."),
            "usage": usage()
        },
        "examples": [example_report()]
    })
}

fn usage() -> Value {
    let tokens = |what: &str| json!({"type": ["integer", "null"], "minimum": 0, "description": what});
    json!({
        "type": ["object", "null"],
        "description": "What it cost.",
        "properties": {
            "input_tokens": tokens("Tokens that went in."),
            "output_tokens": tokens("Tokens that came out."),
            "cached_tokens": tokens("Of those that went in: read from a cache."),
            "cost_usd": {"type": ["number", "null"], "minimum": 0, "description": "In US dollars; null if unknown."}
        }
    })
}

fn text(what: &str) -> Value {
    json!({"type": "string", "description": what})
}

fn optional_text(what: &str) -> Value {
    json!({"type": ["string", "null"], "description": what})
}

fn number(what: &str) -> Value {
    json!({"type": "integer", "minimum": 0, "description": what})
}

fn example_brief() -> Value {
    json!({
        "contract": CONTRACT,
        "run_id": "run-20260102-030405-001",
        "protocol": "multiverse",
        "role": "planner",
        "action": "plan_tasks",
        "plan_target": "stage:S04",
        "item": {"stage_id": "S04", "stage_name": "Market", "stage_goal": "a report on the market", "execution_order": 1},
        "attempt": 2,
        "prompt": "Plan the tasks of stage S04 …",
        "files": [{"path": "assets/market.csv", "why": "named by the request", "access": "read"}],
        "context": {"instructions": ["write in plain words"]},
        "expects": {
            "result": {"type": "object", "required": ["tasks"], "properties": {"tasks": {"type": "array", "minItems": 1}}},
            "outputs": []
        },
        "limits": {"steps": 40, "tokens": 200_000, "seconds": 600},
        "workdir": "/project/.multiverse/scratch/run-20260102-030405-001/17",
        "problems": ["/result/tasks: has 0 entries, expected 1 or more"],
        "answers": [{"question": "which year?", "answer": "2025"}]
    })
}

fn example_report() -> Value {
    json!({
        "status": "done",
        "result": {"tasks": [{"task_id": "T05", "task_name": "Read the figures"}]},
        "outputs": [{"path": "runs/run-20260102-030405-001/workspace/ANALYSIS/market.md", "content": "# Market\n"}],
        "summary": "planned one task",
        "confidence": 8.0,
        "usage": {"input_tokens": 1200, "output_tokens": 300, "cached_tokens": 1000, "cost_usd": 0.01}
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::{Brief, Report, ReportOutput, ReportStatus, Usage};
    use crate::validate::validate;

    fn fields_are_described(schema: &Value, example: &Value, place: &str) {
        let Some(fields) = example.as_object() else { return };
        let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
            assert!(["/item", "/context", "/expects/result", "/result"].contains(&place), "{place} has no properties");
            return;
        };
        let names = |map: &serde_json::Map<String, Value>| map.keys().cloned().collect::<Vec<_>>();
        assert_eq!(names(fields), names(properties), "the fields at {place:?}");
        for (name, value) in fields {
            let described = &properties[name];
            let place = format!("{place}/{name}");
            assert!(described.get("description").is_some() || place == "/", "{place} has no description");
            fields_are_described(described, value, &place);
            if let Some(first) = value.get(0) {
                fields_are_described(&described["items"], first, &format!("{place}/0"));
            }
        }
    }

    /// The published schemas are those of the types: same fields, and their own examples keep to them.
    #[test]
    fn schema_and_types_are_in_step() {
        let of_brief = schema(Which::Brief);
        let brief: Brief = serde_json::from_value(of_brief["examples"][0].clone()).unwrap();
        let written = serde_json::to_value(&brief).unwrap();
        assert_eq!(written, of_brief["examples"][0], "nothing is lost or added");
        assert_eq!(validate(&of_brief, &written), [""; 0]);
        fields_are_described(&of_brief, &written, "");

        let of_report = schema(Which::Report);
        let report: Report = serde_json::from_value(of_report["examples"][0].clone()).unwrap();
        assert_eq!(serde_json::to_value(&report).unwrap(), of_report["examples"][0]);
        let full = Report {
            status: ReportStatus::Question,
            result: json!({"a": 1}),
            outputs: vec![ReportOutput { path: "a".into(), content: Some("b".into()) }],
            summary: "s".into(),
            confidence: Some(1.0),
            question: Some("q".into()),
            error: Some("e".into()),
            usage: Some(Usage { cost_usd: Some(0.5), ..Usage::default() }),
        };
        let written = serde_json::to_value(&full).unwrap();
        assert_eq!(validate(&of_report, &written), [""; 0]);
        fields_are_described(&of_report, &written, "");
    }

    /// Every status of the type is in the schema, and no other.
    #[test]
    fn statuses_are_those_of_the_type() {
        let of_report = schema(Which::Report);
        let words = [ReportStatus::Done, ReportStatus::Failed, ReportStatus::Paused, ReportStatus::Question];
        assert_eq!(of_report["properties"]["status"]["enum"], json!(words.map(ReportStatus::word)));
        assert_eq!(of_report["properties"]["status"]["enum"], json!(words));
    }

    /// A report that keeps to the schema is one that can be read, whatever is left out or null.
    #[test]
    fn what_the_schema_allows_can_be_read() {
        let all_null = json!({"status": "done", "result": null, "outputs": null, "summary": null, "confidence": null,
            "question": null, "error": null, "usage": {"input_tokens": null, "cost_usd": null}, "other": [1]});
        for report in [json!({"status": "paused"}), all_null, json!({"status": "done", "usage": null, "confidence": 7})]
        {
            assert_eq!(validate(&schema(Which::Report), &report), [""; 0]);
            serde_json::from_value::<Report>(report).unwrap();
        }
    }
}
