//! The documents of `lineage`: their names and columns, the way to and from them, settings, and what people write.
#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on says why")]

mod support;

use dialect::Protocol;
use dialect::lineage::{PHASES, PROTOCOL, STAGES};
use machine::{Action, Fact, FileNote, LINEAGE, Mode, Planned, Proposal, State, Target, Timing, Verdict};
use serde_json::json;
use support::{Project, planned};
use text::Text;

const RUN: &str = "run-001";
const SUB: &str = "ph-1_stg-1_sub-01";

fn row(name: &str, more: &[(&str, &str)]) -> Planned {
    let more = more.iter().map(|(column, cell)| ((*column).to_owned(), (*cell).to_owned())).collect();
    Planned { name: name.into(), purpose: format!("what {name} is for"), more, ..Planned::default() }
}

fn with_id(id: &str, row: Planned) -> Planned {
    let order = LINEAGE.level_of_id(id).and_then(|level| LINEAGE.order_of_id(level, id));
    Planned { id: Some(id.into()), order, ..row }
}

fn task(id: &str, name: &str) -> Planned {
    let folder = format!("runs/{RUN}/workspace");
    let id = format!("{SUB}_{id}");
    let output = LINEAGE.file_of(&folder, &id, name);
    let inputs = vec!["data/a.md".into()];
    let row = Planned {
        folder,
        output,
        inputs,
        guidelines: vec!["guidelines/s.md".into()],
        ..row(name, &[("task_reason", "so")])
    };
    with_id(&id, Planned { purpose: "[Add] Do it.".into(), ..row })
}

/// A project whose run has one task of its first sub-stage planned.
fn begun() -> Project {
    let mut project = Project::of(&PROTOCOL);
    project.documents.insert("data/a.md".into(), "a".into());
    let started = Fact::Started {
        protocol: "lineage".into(),
        request: "쓰기 | write\nit".into(),
        mode: Mode::InitialRun,
        retry_of: None,
        definition: String::new(),
        at: "2026-11-17T03:00:00Z".into(),
    };
    project.step(RUN, &[started, planned(Target::Prelude, machine::prelude_rows(&LINEAGE, RUN))]);
    let phase = |id: &str, name: &str| {
        let folder = machine::folder_of("", id, name);
        with_id(id, Planned { folder, ..row(name, &[("phase_reason", "why")]) })
    };
    let phases = vec![phase("ph-1", "Plan|ning"), phase("ph-2", "글쓰기")];
    let stages = vec![
        with_id("ph-1_stg-1", row("ANALYZING", &[("stage_reason", "why")])),
        with_id("ph-1_stg-2", row("DRAFTING", &[("stage_reason", "why")])),
    ];
    project.step(
        RUN,
        &[planned(Target::Children(String::new()), phases), planned(Target::Children("ph-1".into()), stages)],
    );
    let proposal =
        Proposal { instructions: vec!["be brief".into()], reasons: vec!["time".into()], ..Proposal::default() };
    let done = |item: &str| Fact::Completed { item: item.into(), files: Vec::new() };
    project.step(RUN, &[done("set-up"), done("archive"), Fact::Proposed { fence: 0, proposal }]);
    project.step(RUN, &[Fact::Answered { verdict: Verdict::Confirm, by: "me".into(), at: "now".into() }]);
    project.step(
        RUN,
        &[Fact::Constituted { item: "constitution".into(), ids: vec!["I-run-001-01".into()] }, done("constitution")],
    );
    let sub = with_id(SUB, row("Read", &[("sub_stage_reason", "why")]));
    project.step(RUN, &[planned(Target::Children("ph-1_stg-1".into()), vec![sub])]);
    project.step(
        RUN,
        &[planned(
            Target::Children(SUB.into()),
            vec![task("tsk-01", "Read it"), task("tsk-10", "열"), task("tsk-02", "둘")],
        )],
    );
    project
}

/// LN-01, LN-02: the headers are the seed's and the specification's, word for word.
#[test]
fn ln02_headers() {
    let header =
        |layout: &dialect::Layout| layout.columns.iter().map(|column| column.header).collect::<Vec<_>>().join(" | ");
    let levels: Vec<String> = PROTOCOL.levels.iter().map(|level| header(&level.layout)).collect();
    assert_eq!(
        levels,
        [
            "phase_id (PK) | run_id (FK) | phase_name | phase_reason | phase_purpose | status",
            "stage_id (PK) | run_id (FK) | phase_id (FK) | stage_name | stage_reason | stage_purpose | status",
            "sub_stage_id (PK) | run_id (FK) | stage_id (FK) | sub_stage_name | sub_stage_reason | sub_stage_purpose | status",
            "task_id (PK) | run_id (FK) | sub_stage_id (FK) | task_name | task_reason | task_purpose | mcp_id (FK, Optional) | related_references (FK) | related_guidelines (FK, Optional) | output_folder | output_path | pre_tool_reason (Optional) | pre_tool_purpose (Optional) | status",
            "tool_task_id (PK) | run_id (FK) | parent_task_id (FK) | timing | tool_type | tool_task_name | tool_task_purpose | related_references | output_path | status",
        ]
    );
    assert_eq!(
        header(&PROTOCOL.catalog.layout),
        "file_path (PK) | lineage_id | data_type | source_task_id | source_files | run_id | summary"
    );
    for (path, columns) in [
        (
            "db/process_runs.md",
            "run_id (PK) | creation_timestamp | user_request | status | current_phase_id | current_stage_id | current_sub_stage_id | current_task_id",
        ),
        (
            "db/user_instructions.md",
            "instruction_id (PK) | run_id (FK) | instruction_type | content_reason | content_purpose | status | superseded_by_id | justification",
        ),
        ("db/data_base_catalog.md", "file_path | summary"),
        ("db/guidelines_base_catalog.md", "file_path | summary"),
        (PHASES, "phase_name | phase_purpose | output | output_location_rule"),
        (STAGES, "stage_name | stage_reason | stage_purpose | analogy"),
        ("settings/mcp_list.md", "mcp_id (PK) | mcp_name | description | steps | expected_input | expected_output"),
    ] {
        let documents = PROTOCOL.initial_documents();
        let (_, text) = documents.iter().find(|(known, _)| *known == path).unwrap_or_else(|| panic!("no {path}"));
        assert!(text.contains(&format!("| {columns} |\n")), "{path}:\n{text}");
    }
}

/// LN-02, LN-03, LN-04: one document for each parent, short ids in it; where the run stands follows.
#[test]
fn ln03_one_document_for_each_parent() {
    let project = begun();
    let paths: Vec<&str> =
        project.documents.keys().map(String::as_str).filter(|path| path.starts_with("runs/")).collect();
    assert_eq!(
        paths,
        [
            "runs/run-001/db/ph-1_stages.md",
            "runs/run-001/db/ph-1_stg-1_sub-01_tasks.md",
            "runs/run-001/db/ph-1_stg-1_sub_stages.md",
            "runs/run-001/db/phases.md",
        ]
    );
    let tasks = project.rows("runs/run-001/db/ph-1_stg-1_sub-01_tasks.md");
    assert_eq!(
        tasks[0],
        "| tsk-01 | run-001 | sub-01 | Read it | so | [Add] Do it. | | [\"data/a.md\"] | [\"guidelines/s.md\"] | runs/run-001/workspace | runs/run-001/workspace/ph-1_stg-1_sub-01_tsk-01_Read_it.md | | | PENDING |"
    );
    assert_eq!(project.keys("runs/run-001/db/ph-1_stg-1_sub-01_tasks.md"), ["tsk-01", "tsk-02", "tsk-10"], "by number");
    assert_eq!(
        project.rows("db/process_runs.md"),
        ["| run-001 | 2026-11-17T03:00:00Z | 쓰기 \\| write<br>it | PENDING | ph-1 | stg-1 | sub-01 | |"]
    );
    assert_eq!(
        project.rows("db/user_instructions.md"),
        ["| I-run-001-01 | run-001 | INITIAL | time | be brief | ACTIVE | | |"]
    );
    assert!(project.documents.contains_key("data/run-001_feedback_for_user.md"));
}

/// LN-15: what was written is read again, whatever is in it.
#[test]
fn ln15_what_was_written_is_read_again() {
    let mut project = begun();
    let odd = "🚢 | `a` <br> \\| **b**\nc\t한국어";
    project.step(
        RUN,
        &[planned(
            Target::Tools(format!("{SUB}_tsk-01"), Timing::Pre),
            vec![with_id(
                &format!("{SUB}_tsk-01_tool-01"),
                Planned {
                    output: "runs/run-001/workspace/x.md".into(),
                    tool: "WebSearch".into(),
                    timing: Some(Timing::Pre),
                    ..row(odd, &[])
                },
            )],
        )],
    );
    let read = |path: &str| project.documents.get(path).cloned();
    let lifted = PROTOCOL.lift(&read, RUN);
    assert_eq!(lifted.problems, []);
    let run = project.run(RUN);
    for known in &run.items {
        let found = lifted.items.iter().find(|item| item.id == known.id).unwrap_or_else(|| panic!("no {}", known.id));
        let mut known = known.clone();
        known.planned.sort();
        known.core_done = found.core_done;
        assert_eq!(*found, known);
    }
    assert_eq!(lifted.items.len(), run.items.len());
    assert_eq!(lifted.items.iter().find(|item| item.id.ends_with("tool-01")).unwrap().name, odd);
    let mut project = begun();
    project.check_in_step();
}

/// LN-09, LN-19: used files stand first, by path; made ones in plan order, whatever was done first; what is written again
/// renews its row.
#[test]
fn ln09_the_catalog_of_a_run() {
    let mut one = begun();
    let file = |task: &str, path: &str, kind: &str| FileNote {
        path: path.into(),
        asset_type: kind.into(),
        summary: format!("of {task}"),
        sources: if kind == "ORIGINAL_INPUT" { Vec::new() } else { vec!["data/a.md".into()] },
        lineage: vec!["lin-1".into(), "lin-2".into()],
        ..FileNote::default()
    };
    let done = |task: &str, path: &str, used: &[&str]| {
        let used = used.iter().map(|path| file("nobody", path, "ORIGINAL_INPUT"));
        let files = std::iter::once(file(task, path, "ANALYSIS_DATA")).chain(used).collect();
        Fact::Completed { item: format!("{SUB}_{task}"), files }
    };
    let first = done("tsk-01", "runs/run-001/workspace/one.md", &["data/b.md"]);
    let second = done("tsk-02", "runs/run-001/workspace/two.md", &["data/a.md", "data/b.md"]);
    one.step(RUN, std::slice::from_ref(&first));
    one.step(RUN, std::slice::from_ref(&second));
    let mut other = begun();
    other.step(RUN, std::slice::from_ref(&second));
    other.step(RUN, &[first]);
    let catalog = "db/run-001_knowledge_base_catalog.md";
    assert_eq!(one.text(catalog), other.text(catalog));
    assert_eq!(one.rows(catalog)[0], "| data/a.md | lin-1 + lin-2 | ORIGINAL_INPUT | | [] | run-001 | of nobody |");
    assert_eq!(
        one.keys(catalog),
        ["data/a.md", "data/b.md", "runs/run-001/workspace/one.md", "runs/run-001/workspace/two.md"]
    );
    assert_eq!(
        one.rows(catalog)[3],
        "| runs/run-001/workspace/two.md | lin-1 + lin-2 | ANALYSIS_DATA | ph-1_stg-1_sub-01_tsk-02 | [\"data/a.md\"] | run-001 | of tsk-02 |"
    );
    let again = done("tsk-10", "runs/run-001/workspace/one.md", &[]);
    one.step(RUN, &[again]);
    assert_eq!(one.rows(catalog).len(), 4, "a key within the run");
    let rows = PROTOCOL.catalog(&one.documents[catalog]);
    assert_eq!(
        (rows[2].source_task_id.as_str(), rows[2].lineage.as_slice()),
        ("ph-1_stg-1_sub-01_tsk-10", &["lin-1".to_owned(), "lin-2".to_owned()][..])
    );
    one.check_in_step();
}

/// LN-05: each folder has a catalog of its own; the seed's spelling of one is kept if it is there.
#[test]
fn ln05_catalogs_of_inputs() {
    let mut project = begun();
    let note = |path: &str| FileNote { path: path.into(), summary: "s|s".into(), ..FileNote::default() };
    let text = project.documents.remove("db/guidelines_base_catalog.md").unwrap();
    project.edit("db/guidelins_base_catalog.md", text);
    let files = vec![note("data/b.md"), note("data/a.md"), note("guidelines/항 구.md")];
    project.step(RUN, &[Fact::Catalogued { fence: 0, files, gone: Vec::new() }]);
    assert_eq!(project.rows("db/data_base_catalog.md"), ["| data/a.md | s\\|s |", "| data/b.md | s\\|s |"]);
    assert_eq!(project.keys("db/guidelins_base_catalog.md"), ["guidelines/항 구.md"]);
    assert!(!project.documents.contains_key("db/guidelines_base_catalog.md"));
    project.step(RUN, &[Fact::Catalogued { fence: 0, files: Vec::new(), gone: vec!["data/b.md".into()] }]);
    assert_eq!(project.keys("db/data_base_catalog.md"), ["data/a.md"]);
}

/// LN-02: both forms of headers are read; a column of a person's own stays.
#[test]
fn ln02_plain_headers_are_read_too() {
    let mut project = begun();
    let path = "runs/run-001/db/ph-1_stg-1_sub-01_tasks.md";
    for (annotated, plain) in [
        ("task_id (PK)", "task_id"),
        ("mcp_id (FK, Optional)", "mcp_id"),
        ("related_references (FK)", "**related_references**"),
    ] {
        project.replace(path, annotated, plain);
    }
    let read = |path: &str| project.documents.get(path).cloned();
    let lifted = PROTOCOL.lift(&read, RUN);
    assert_eq!(lifted.problems, []);
    assert_eq!(lifted.items.iter().filter(|item| item.level == 3 && item.inputs == ["data/a.md"]).count(), 3);
    project.step(RUN, &[Fact::Completed { item: format!("{SUB}_tsk-01"), files: Vec::new() }]);
    assert!(project.rows(path)[0].ends_with("| COMPLETED |"));
}

/// What people write into the documents of a run is read, and what is odd has its place.
#[test]
fn hand_written_rows() {
    let mut project = begun();
    let path = "runs/run-001/db/ph-1_stg-1_sub-01_tasks.md";
    let text = project.text(path)
        + "| tsk-11 | run-001 | sub-99 | Mine | so | [modify] x | survey | data/a.md, data/b.md |  | workspace | outputs/x.md |  |  | done |\n";
    project.edit(path, text);
    let read = |path: &str| project.documents.get(path).cloned();
    let lifted = PROTOCOL.lift(&read, RUN);
    let item = lifted.items.iter().find(|item| item.id.ends_with("tsk-11")).expect("it is read");
    assert_eq!((item.action, item.by_tools, item.state), (Some(Action::Modify), true, State::Pending));
    assert_eq!((item.inputs.len(), item.folder.as_str()), (2, "runs/run-001/workspace"));
    let told: Vec<String> = lifted.problems.iter().map(ToString::to_string).collect();
    assert!(told.iter().any(|problem| problem.contains(":10:") && problem.contains("`done` is no status")), "{told:?}");
    assert!(told.iter().any(|problem| problem.contains("`sub-99` is not what this document is for")), "{told:?}");
}

/// A table of phases with these rows.
fn phases(rows: &str) -> String {
    format!("# Phases\n\n| phase_name | phase_purpose | output | output_location_rule |\n|---|---|---|---|\n{rows}")
}

/// Stages, one of which is kept to a phase.
const KEPT: &str = "| stage_name | stage_reason | stage_purpose | analogy | phase_name |\n|---|---|---|---|---|\n| A | b | c | d | One |\n| B | b | c | d |  |\n";
/// Phases without a mistake.
const GOOD: &str = "| One | p | o |  |\n| Two | p |  | Put it into `outputs/{phase_name}/2/`, please. |\n";

/// Phases, stages, and what is wrong with them.
fn mistakes() -> Vec<(String, String, &'static str)> {
    let (stages, good) = (KEPT.to_owned(), phases(GOOD));
    let case = |phases: &str, stages: &str, expected: &'static str| (phases.to_owned(), stages.to_owned(), expected);
    vec![
        case("gone", &stages, "settings/set_phases.md:1:1: the document is missing"),
        case("", &stages, "settings/set_phases.md:1:1: there is no table with the column `phase_name`"),
        case(
            "| phase_name | output |\n|---|---|\n| x | y |\n",
            &stages,
            "settings/set_phases.md:1:22: the column `phase_purpose` is missing",
        ),
        case(&phases(""), &stages, "settings/set_phases.md:3:1: the table has no rows"),
        case(
            &phases("| One | p | o |  |\n|  | p | o |  |\n"),
            &stages,
            "settings/set_phases.md:6:4: `phase_name` is empty",
        ),
        case(&phases("| One |  | o |  |\n"), &stages, "settings/set_phases.md:5:10: `phase_purpose` is empty"),
        case(
            &phases("| 하나 | p | o |  |\n| Two | p | o | |\n| **하나** | p | o |  |\n"),
            "| stage_name | stage_reason | stage_purpose | analogy |\n|---|---|---|---|\n| A | b | c | d |\n",
            "settings/set_phases.md:7:3: `하나` is there already, on line 5",
        ),
        case(
            &phases("| One | p | o | somewhere |\n"),
            &stages,
            "settings/set_phases.md:5:17: \"somewhere\" names no folder below outputs/",
        ),
        case(
            &phases("| One | p | o | outputs/../data/ |\n"),
            &stages,
            "settings/set_phases.md:5:17: `outputs/../data` is no folder below outputs/",
        ),
        case(
            &phases("| One | p | o | outputs/{stage}/ |\n"),
            &stages,
            "settings/set_phases.md:5:17: `{stage}` stands for nothing",
        ),
        case(
            &good,
            &stages.replace("One", "Nine"),
            "settings/set_stages.md:3:19: there is no phase `Nine` that the stage could be for; valid: One, Two",
        ),
        case(
            &good,
            "| stage_name |\n|---|\n| x |\n",
            "settings/set_stages.md:1:13: the column `stage_reason` is missing",
        ),
        case(
            &good,
            "| stage_name | stage_reason | stage_purpose | analogy |\n|---|---|---|---|\n| A | b | c | d |\n| A | b | c | d |\n",
            "settings/set_stages.md:4:3: `A` is there already",
        ),
        case(
            &good,
            "| stage_name | stage_reason | stage_purpose | analogy | phase_name |\n|---|---|---|---|---|\n| A | b | c | d | One |\n",
            "settings/set_stages.md:1:1: no stage is for the phase `Two`",
        ),
    ]
}

/// LN-13: what a mistake in the settings is, with line and column.
#[test]
fn ln13_mistakes_in_settings() {
    let (good, stages) = (phases(GOOD), KEPT);
    let check = |phases: &str, stages: &str| {
        let read = |path: &str| match path {
            PHASES if phases != "gone" => Some(Text::from(phases)),
            STAGES => Some(Text::from(stages)),
            _ => None,
        };
        PROTOCOL.phases(&read).map_err(|problems| problems.iter().map(ToString::to_string).collect::<Vec<_>>())
    };
    let read = check(&good, stages).expect("they are right");
    assert_eq!((read.phases[0].folder.as_str(), read.phases[1].folder.as_str()), ("", "outputs/{phase_name}/2"));
    assert_eq!(
        (read.stages[0].is_for("One"), read.stages[0].is_for("Two"), read.stages[1].is_for("Two")),
        (true, false, true)
    );
    assert_eq!(read.phases[0].more["phase_reason"], "It is to leave: o");
    for (phases, stages, expected) in mistakes() {
        let (phases, stages) = (phases.as_str(), stages.as_str());
        let problems = check(phases, stages).expect_err(expected);
        assert!(problems.iter().any(|problem| problem.starts_with(expected)), "{expected}\n{problems:#?}");
    }
    let initial = PROTOCOL.initial_documents();
    let read = |path: &str| initial.iter().find(|(known, _)| *known == path).map(|(_, text)| Text::from(text.as_str()));
    let default = PROTOCOL.phases(&read).expect("what a project begins with is right (LN-01)");
    let names: Vec<&str> = default.stages.iter().map(|stage| stage.name.as_str()).collect();
    assert_eq!(names, ["ANALYZING", "STRATEGIZING", "DRAFTING", "VALIDATING", "REFINING", "GENERATING_OUTPUT"]);
}

/// LN-18: a plan's form is read leniently; what is missing is left to the machine, which names row and column.
#[test]
fn drafts() {
    let target = Target::Children(SUB.into());
    let result = json!({"tasks": [{"task_name": "x", "sub_stage_id": "sub-01", "mcp_id": "survey", "related_guidelines": "guidelines/a.md, guidelines/b.md", "output_folder": "workspace/", "pre_tool_reason": "r"}]});
    let rows = PROTOCOL.draft_of(&target, RUN, &result).expect("its form is right");
    assert_eq!(
        (rows[0].procedure.as_str(), rows[0].guidelines.len(), rows[0].folder.as_str()),
        ("survey", 2, "runs/run-001/workspace/")
    );
    assert_eq!(rows[0].more["pre_tool_reason"], "r");
    let problems = PROTOCOL
        .draft_of(&target, RUN, &json!({"tasks": [{"sub_stage_id": "sub-02"}]}))
        .expect_err("it is for another");
    assert!(problems[0].contains("is what is planned for, not `sub-02`"), "{problems:?}");
    let schema = PROTOCOL.result_schema(&target);
    let required = schema["properties"]["tasks"]["items"]["required"].as_array().expect("a list");
    for column in ["task_name", "task_reason", "task_purpose", "related_references", "output_folder"] {
        assert!(required.contains(&json!(column)), "{column}: {required:?}");
    }
    assert!(PROTOCOL.result_schema(&Target::Children("ph-1_stg-1".into()))["properties"]["sub_stages"].is_object());
    let proposal =
        dialect::proposal_of(&json!({"instructions": ["a", {"content_purpose": "b", "content_reason": "why"}]}))
            .unwrap();
    assert_eq!(
        (proposal.instructions, proposal.reasons),
        (vec!["a".to_owned(), "b".into()], vec![String::new(), "why".into()])
    );
}

/// Paths are told apart by how many ids stand in them.
#[test]
fn which_document_a_path_is() {
    for (path, key) in [
        ("runs/r/db/phases.md", Some("phase_id")),
        ("runs/r/db/ph-1_stages.md", Some("stage_id")),
        ("runs/r/db/ph-1_stg-1_sub_stages.md", Some("sub_stage_id")),
        ("runs/r/db/ph-1_stg-1_sub-01_tasks.md", Some("task_id")),
        ("runs/r/db/ph-1_stg-1_sub-01_tsk-01_tool_tasks.md", Some("tool_task_id")),
        ("db/run-1000_knowledge_base_catalog.md", Some("file_path")),
        ("db/guidelins_base_catalog.md", Some("file_path")),
        ("runs/r/db/stages.md", None),
        ("runs/r/db/ph-1_tasks.md", None),
        ("runs/r/db/ph-1_stg-1_stages.md", None),
        ("db/_knowledge_base_catalog.md", None),
    ] {
        assert_eq!(PROTOCOL.layout_of(path).map(dialect::Layout::key), key, "{path}");
    }
    assert!(PROTOCOL.is_feedback("data/run-007_feedback_for_user.md"));
    assert!(!PROTOCOL.is_feedback("data/my_feedback_for_user.md"));
    assert_eq!(Protocol::named("lineage").map(|one| one.hierarchy.protocol), Some("lineage"));
}
