//! What planners hand in.
#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on says why")]

mod support;

use dialect::multiverse::PROTOCOL;
use dialect::{item_object, proposal_of};
use machine::{Kept, Planned, Superseded, Target, Timing};
use serde_json::{Value, json};
use support::{Project, RUN, planned};

fn stages() -> Target {
    Target::Children("P01".into())
}

fn tasks() -> Target {
    Target::Children("S01".into())
}

fn tools() -> Target {
    Target::Tools("T05".into(), Timing::Post)
}

fn check_problems(target: &Target, result: &Value, expected: &[&str]) {
    let problems = PROTOCOL.draft_of(target, "r", result).expect_err("problems");
    assert_eq!(problems.len(), expected.len(), "{problems:#?}");
    for (problem, expected) in problems.iter().zip(expected) {
        assert!(problem.starts_with(expected), "{problem:?} begins with {expected:?}");
    }
}

#[test]
fn plans_are_read_by_the_protocols_column_names() {
    let result = json!({"stages": [
        {"stage_name": "Read", "stage_goal": "facts", "execution_order": 2, "mood": "unknown keys do not matter"},
        {"stage_id": "S07", "stage_name": "Sort", "stage_goal": "order", "phase_id": "P01", "status": 5},
    ]});
    let rows = PROTOCOL.draft_of(&stages(), "r", &result).unwrap();
    assert_eq!((rows[0].id.as_deref(), rows[0].order, rows[0].purpose.as_str()), (None, Some(2), "facts"));
    assert_eq!((rows[1].id.as_deref(), rows[1].order, rows[1].name.as_str()), (Some("S07"), None, "Sort"));
    // The rows alone will do.
    assert_eq!(PROTOCOL.draft_of(&stages(), "r", &result["stages"]).unwrap(), rows);

    let task = json!([{
        "task_name": "Count", "task_purpose": "count words", "output_path": "workspace/ANALYZING/count.md",
        "related_references": ["assets/a.md", "./assets/b.md"], "pre_tool_purpose": null, "post_tool_purpose": "draw",
    }]);
    let rows = PROTOCOL.draft_of(&tasks(), "r", &task).unwrap();
    let expected = Planned {
        name: "Count".into(),
        purpose: "count words".into(),
        inputs: vec!["assets/a.md".into(), "assets/b.md".into()],
        output: "runs/r/workspace/ANALYZING/count.md".into(),
        post: "draw".into(),
        ..Planned::default()
    };
    assert_eq!(rows, [expected]);

    let tool = json!({"tool_tasks": [{
        "tool_type": "DataVisualization", "tool_task_name": "Draw", "tool_task_purpose": "a chart",
        "related_references": "a.csv, b.csv", "output_path": "runs/r/workspace/c.html", "parent_task_id": "T05",
    }]});
    let rows = PROTOCOL.draft_of(&tools(), "r", &tool).unwrap();
    assert_eq!((rows[0].timing, rows[0].tool.as_str()), (Some(Timing::Post), "DataVisualization"));
    assert_eq!(rows[0].inputs, ["a.csv", "b.csv"]);
    let prelude = json!({"tasks": [{"task_id": "T00", "task_name": "Set up", "task_purpose": "folders"}]});
    assert_eq!(PROTOCOL.draft_of(&Target::Prelude, "r", &prelude).unwrap()[0].id.as_deref(), Some("T00"));
}

#[test]
fn wrong_types_are_problems_with_their_place() {
    check_problems(&stages(), &json!("text"), &["/: an object with `stages` is expected, not a string"]);
    check_problems(&stages(), &json!({"tasks": []}), &["/: `stages` is missing"]);
    check_problems(&stages(), &json!({"stages": {}}), &["/stages: an array is expected, not an object"]);
    check_problems(&stages(), &json!({"stages": []}), &["/stages: the plan is empty"]);
    check_problems(
        &stages(),
        &json!({"stages": [7, {"stage_name": 5, "stage_goal": " ", "execution_order": -1, "phase_id": "P02"}]}),
        &[
            "/stages/0: an object is expected",
            "/stages/1/phase_id: `P01` is what is planned for",
            "/stages/1/stage_name: a string is expected",
            "/stages/1/stage_goal: it is empty",
            "/stages/1/execution_order: a whole number",
        ],
    );
    check_problems(
        &tasks(),
        &json!([{"task_name": "a", "related_references": ["x", 1]}]),
        &[
            "/0: `task_purpose` is missing",
            "/0/related_references/1: a path is expected",
            "/0: `output_path` is missing",
        ],
    );
    check_problems(
        &tools(),
        &json!([{"tool_type": "x", "tool_task_name": "x", "tool_task_purpose": "x", "output_path": "x", "timing": "LATER"}]),
        &["/0/timing: PRE or POST"],
    );
}

#[test]
fn proposals_are_read() {
    let result = json!({
        "introduction": "hello",
        "instructions": ["one", {"content": "two"}],
        "superseded": [{"instruction_id": "I-1", "by": 2, "justification": "newer"}],
        "kept": [{"instruction_id": "I-2", "justification": "true"}],
        "formats": [".PDF", "html"],
    });
    let proposal = proposal_of(&result).unwrap();
    assert_eq!(proposal.instructions, ["one", "two"]);
    let superseded = Superseded { instruction_id: "I-1".into(), by: 2, justification: "newer".into() };
    assert_eq!(proposal.superseded, [superseded]);
    assert_eq!(proposal.kept, [Kept { instruction_id: "I-2".into(), justification: "true".into() }]);
    assert_eq!((proposal.introduction.as_str(), &proposal.formats[..]), ("hello", &["pdf".into(), "html".into()][..]));
    assert_eq!(proposal_of(&json!(["one"])).unwrap().instructions, ["one"]);
    for (result, problem) in [
        (json!({}), "/: `instructions` is missing"),
        (json!({"instructions": []}), "/instructions: at least one"),
        (json!({"instructions": [1]}), "/instructions/0: a string or an object"),
        (json!({"instructions": [{}]}), "/instructions/0: `content` is missing"),
        (
            json!({"instructions": ["a"], "superseded": [{"instruction_id": "I", "by": 2, "justification": "x"}]}),
            "/superseded/0/by",
        ),
        (json!({"instructions": ["a"], "kept": "x"}), "/kept: an array is expected"),
        (json!({"instructions": ["a"], "formats": [1]}), "/formats/0: a file extension"),
    ] {
        let problems = proposal_of(&result).expect_err("problems");
        assert!(problems.iter().any(|found| found.starts_with(problem)), "{problem}: {problems:?}");
    }
}

/// The schema in the brief asks for what is read, in the words that are read.
#[test]
fn schemas_say_what_is_read() {
    for (target, name, required) in [
        (stages(), "stages", &["stage_name", "stage_goal"][..]),
        (tasks(), "tasks", &["task_name", "task_purpose", "related_references", "output_path"]),
        (Target::Prelude, "tasks", &["task_name", "task_purpose"]),
        (tools(), "tool_tasks", &["tool_type", "tool_task_name", "tool_task_purpose", "output_path"]),
    ] {
        let schema = PROTOCOL.result_schema(&target);
        let rows = &schema["properties"][name];
        // The rows of the preparation are fixed, so that code can fill them in.
        let least = if target == Target::Prelude { 0 } else { 1 };
        assert_eq!((&rows["minItems"], &schema["required"]), (&json!(least), &json!([name])));
        assert_eq!(rows["items"]["required"], json!(required));
        // A row made from the schema alone is read.
        let row: serde_json::Map<String, Value> = required
            .iter()
            .map(|name| {
                let property = &rows["items"]["properties"][*name];
                let value = if property["type"] == "array" { json!(["x"]) } else { json!("x") };
                ((*name).to_owned(), value)
            })
            .collect();
        assert!(PROTOCOL.draft_of(&target, "r", &json!({name: [row]})).is_ok());
        assert!(rows["items"]["properties"].get("run_id").is_none(), "the engine's columns are not asked for");
    }
    let schema = PROTOCOL.result_schema(&Target::Proposal);
    assert_eq!(schema["required"], json!(["instructions"]));
    assert!(proposal_of(&json!({"instructions": ["x"]})).is_ok());
}

#[test]
fn an_items_row_is_an_object_for_the_brief() {
    let mut project = Project::prepared();
    project.step(RUN, &[planned(stages(), vec![support::row("S01", 1, "one")])]);
    project.step(RUN, &[planned(tasks(), vec![support::task("T05", 3)])]);
    let documents = project.documents.clone();
    let read = |path: &str| documents.get(path).cloned();
    let run = project.runs[RUN].clone();
    let object = item_object(&mut project.sheets, &read, &run, "T05").unwrap().unwrap();
    assert_eq!(
        Value::Object(object),
        json!({
            "task_id": "T05", "run_id": RUN, "stage_id": "S01", "task_name": "task T05",
            "task_purpose": "what task T05 is for", "related_references": ["assets/a.md"],
            "output_path": format!("runs/{RUN}/workspace/ANALYZING/T05.md"), "pre_tool_purpose": "",
            "post_tool_purpose": "", "execution_order": 3, "status": "PENDING",
        })
    );
    assert_eq!(item_object(&mut project.sheets, &read, &run, "T99").unwrap(), None);
}
