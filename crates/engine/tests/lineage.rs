//! The protocol `lineage` carried through by puppets: settings, the Archivist, research, procedures, outputs that live on
//! over runs, and what is refused.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test ends where it fails")]

mod puppets;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex};

use engine::agent::{Brief, Ending, Report, ReportOutput};
use engine::{EngineError, Role, Service, Settings, Verdict};
use puppets::{Project, Puppet, drive, says};
use serde_json::{Value, json};
use store::Missing;

/// A plan for one task, with some of its cells otherwise.
fn task(brief: &Brief, more: &Value) -> Value {
    let mut row = json!({
        "task_name": format!("note | {} 쪽지", brief.context["stage"]["stage_name"].as_str().unwrap_or("?")),
        "task_reason": "nobody has it",
        "task_purpose": "[Add] Write a note.",
        "related_references": ["data/일.md"],
        "related_guidelines": ["guidelines/style.md"],
        "output_folder": brief.context["output_folders"][1],
    });
    for (column, cell) in more.as_object().into_iter().flatten() {
        row[column] = cell.clone();
    }
    row
}

/// What a good planner of this protocol says; `change` may say otherwise for tasks.
fn planner(change: impl Fn(&Brief) -> Option<Value> + Send + Sync + 'static) -> Puppet {
    Puppet::with(move |brief| match brief.action.as_str() {
        "propose" => says(json!({"instructions": [{"content_purpose": "be brief", "content_reason": "time"}]})),
        "plan_sub_stages" => {
            let row = json!({"sub_stage_name": "only", "sub_stage_reason": "one is enough", "sub_stage_purpose": "all of it"});
            says(json!({"sub_stages": [row]}))
        }
        "plan_tasks" => {
            let is_last = brief.context["stage"]["stage_name"] == "GENERATING_OUTPUT";
            let usual =
                || if is_last { json!([{"output_folder": brief.context["output_folders"][0]}]) } else { json!([{}]) };
            let rows = change(brief).unwrap_or_else(usual);
            let rows: Vec<Value> = rows.as_array().unwrap().iter().map(|more| task(brief, more)).collect();
            says(json!({"tasks": rows}))
        }
        _ => None,
    })
}

/// A cell of the row that a brief is about.
fn cell<'b>(brief: &'b Brief, column: &str) -> &'b str {
    brief.item.get(column).and_then(Value::as_str).unwrap_or_default()
}

struct Lineage(Project);

impl Lineage {
    /// A project with settings of one phase and two stages, so that a run is short.
    fn new() -> Self {
        let project = Project::new();
        let write = |path: &str, text: &str| {
            let path = project.folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        write("data/일.md", "# 하나\n\n배 40척.\n");
        write("guidelines/style.md", "# Style\n\nShort.\n");
        write(
            "settings/set_phases.md",
            "| phase_name | phase_purpose | output | output_location_rule |\n|---|---|---|---|\n| 계획 a/b | plan | a plan |  |\n",
        );
        write(
            "settings/set_stages.md",
            "| stage_name | stage_reason | stage_purpose | analogy |\n|---|---|---|---|\n| ANALYZING | r | p | a |\n| GENERATING_OUTPUT | r | p | a |\n",
        );
        write(
            "settings/mcp_list.md",
            "| mcp_id (PK) | mcp_name | description | steps | expected_input | expected_output |\n|---|---|---|---|---|---|\n| survey | Survey | d | 1. SECRET-STEP ask<br>2. write | i | o |\n",
        );
        Self(project)
    }

    fn path(&self) -> &Path {
        self.0.folder.path()
    }

    fn open(&self, puppet: Puppet, jobs: usize) -> Service {
        let mut settings = Settings::new(self.path().canonicalize().unwrap());
        (settings.jobs, settings.protocol) = (jobs, Some("lineage".into()));
        let puppet = Arc::new(puppet);
        settings.play(Role::Planner, puppet.clone());
        settings.play(Role::Executor, puppet);
        let notices = self.0.notices.clone();
        Service::open(settings, Missing::Create, Arc::new(move |notice| notices.lock().unwrap().push(notice))).unwrap()
    }

    /// One run from beginning to end; gives its status.
    fn run(&self, puppet: Puppet, jobs: usize) -> (String, &'static str) {
        let mut service = self.open(puppet, jobs);
        let run = service.start("Make a report of the boats", None).unwrap().run;
        drive(&mut service, &run);
        service.answer(&run, Verdict::Confirm, "a test").unwrap();
        drive(&mut service, &run);
        let status = service.view(&run).unwrap().status;
        service.close().unwrap();
        (run, status)
    }

    fn rows(&self, path: &str) -> Vec<String> {
        self.0.read(path).lines().filter(|line| line.starts_with('|')).skip(2).map(str::to_owned).collect()
    }
}

const OUTPUT: &str = "outputs/ph-1_계획_a_b/ph-1_stg-2_sub-01_tsk-01_note___GENERATING_OUTPUT_쪽지.md";

/// LN-01, LN-04, LN-05, LN-08, LN-09, LN-15, LN-16, LN-19: a run from settings to outputs, with Korean names and odd characters.
#[test]
fn ln_a_run_from_settings_to_outputs() {
    let project = Lineage::new();
    let (run, status) = project.run(planner(|_| None), 1);
    assert_eq!((run.as_str(), status), ("run-001", "COMPLETED"), "{}", project.0.told());
    assert!(project.0.read(OUTPUT).contains("The work of"));
    let catalog = project.rows("db/run-001_knowledge_base_catalog.md");
    assert!(
        catalog[0].starts_with("| data/일.md | lin-") && catalog[0].contains("| ORIGINAL_INPUT | | [] | run-001 |"),
        "{catalog:?}"
    );
    let family = catalog[0].split('|').nth(2).unwrap().trim().to_owned();
    let made = catalog.iter().find(|row| row.contains(OUTPUT)).expect("the output is registered");
    assert!(
        made.contains(&format!("| {family} | FINAL_REPORT | ph-1_stg-2_sub-01_tsk-01 | [\"data/일.md\"] | run-001 |")),
        "{made}"
    );
    assert_eq!(project.rows("db/data_base_catalog.md"), ["| data/일.md | 하나 |"], "the proposal in data/ is no input");
    assert_eq!(project.rows("db/guidelines_base_catalog.md"), ["| guidelines/style.md | Style |"]);
    assert!(project.rows("db/process_runs.md")[0].contains("| COMPLETED |"));
    assert!(project.0.read("data/run-001_feedback_for_user.md").contains("be brief"));
    assert!(project.rows("db/user_instructions.md")[0].contains("| time | be brief | ACTIVE |"));
    let before = project.0.left("-");
    let mut service = project.open(Puppet::default(), 1);
    assert_eq!(service.init().unwrap(), Vec::<String>::new(), "doing it again changes nothing");
    service.close().unwrap();
    assert_eq!(project.0.left("-"), before);
}

/// LN-12, LN-17, LN-19: a second run may not add what is there, and changes it where it stands; the version before stays in the journal.
#[test]
fn ln_outputs_live_on() {
    let project = Lineage::new();
    assert_eq!(project.run(planner(|_| None), 1).1, "COMPLETED");
    let (_, status) = project.run(planner(|_| None), 1);
    assert_eq!(status, "FAILED", "an Add on what is there");
    let told = project.0.problems().join("\n");
    assert!(
        told.contains("column output_path") && told.contains("exists already, made by run-001; [Modify]"),
        "{told}"
    );
    std::fs::write(project.path().join("data/change.md"), "Change it.\n").unwrap();
    let modifies = planner(|brief| {
        let folder = &brief.context["output_folders"][0];
        let change = json!([{"task_purpose": "[Modify] Change it.", "output_path": OUTPUT, "output_folder": folder, "related_references": ["data/change.md", OUTPUT]}]);
        (brief.context["stage"]["stage_name"] == "GENERATING_OUTPUT").then_some(change)
    });
    let (run, status) = project.run(modifies, 1);
    assert_eq!((run.as_str(), status), ("run-003", "COMPLETED"), "{}", project.0.told());
    let first = project.rows("db/run-001_knowledge_base_catalog.md");
    let rows = project.rows("db/run-003_knowledge_base_catalog.md");
    let made = rows.iter().find(|row| row.contains(OUTPUT)).unwrap();
    assert!(made.contains("[\"data/change.md\"]") && made.contains(" + "), "two families are joined: {made}");
    let family = first[0].split('|').nth(2).unwrap().trim();
    assert!(made.contains(family), "the family of run-001 is not lost: {made}");
    assert!(first.iter().any(|row| row.contains(OUTPUT)), "the row of run-001 stays");
    let fs = store::RealFs::open(project.path()).unwrap();
    let mut versions = 0;
    let is_it = |record: &store::Record| record.docs.iter().any(|entry| entry.path.as_str() == OUTPUT);
    store::records(&fs, |record| versions += usize::from(is_it(&record))).unwrap();
    assert!(versions >= 2, "both versions are in the journal");
}

/// LN-12: a run takes an output out of use: a note of what and why stands in its place, the version before stays readable, and
/// an Add may not land on either.
#[test]
fn ln_an_output_is_deleted() {
    let project = Lineage::new();
    assert_eq!(project.run(planner(|_| None), 1).1, "COMPLETED");
    let before = std::fs::read(project.path().join(OUTPUT)).unwrap();
    let mut deletes = planner(|brief| {
        let folder = &brief.context["output_folders"][0];
        let gone = json!([{"task_purpose": "[Delete] It is out of date.", "output_path": OUTPUT, "output_folder": folder, "related_references": [OUTPUT]}]);
        (brief.context["stage"]["stage_name"] == "GENERATING_OUTPUT").then_some(gone)
    });
    let plans = deletes.mischief;
    deletes.mischief = Box::new(move |brief| match brief.role.as_str() {
        "executor" if brief.expects.outputs.iter().any(|path| path == OUTPUT) => {
            let content = Some("Deleted: it is out of date.\n".into());
            let outputs = vec![ReportOutput { path: OUTPUT.into(), content }];
            Some(Ending::Report { report: Report { outputs, ..Report::done("as told") }, log: String::new() })
        }
        _ => plans(brief),
    });
    let (run, status) = project.run(deletes, 1);
    assert_eq!((run.as_str(), status), ("run-002", "COMPLETED"), "{}", project.0.told());
    let note = std::fs::read(project.path().join(OUTPUT)).unwrap();
    assert!(!note.is_empty() && note != before, "a note stands in its place");
    let rows = project.rows("db/run-002_knowledge_base_catalog.md");
    assert!(rows.iter().any(|row| row.contains(OUTPUT)), "the note is registered: {rows:?}");
    let fs = store::RealFs::open(project.path()).unwrap();
    let place = store::ProjectPath::any(OUTPUT).unwrap();
    let mut first = 0;
    let is_it = |record: &store::Record| record.docs.iter().any(|entry| entry.path == place);
    store::records(&fs, |record| {
        if first == 0 && is_it(&record) {
            first = record.number;
        }
    })
    .unwrap();
    let kept = store::document_at(&fs, &place, first).unwrap().unwrap();
    assert_eq!(kept.to_vec(), before, "the version before stays readable");
    assert_eq!(project.run(planner(|_| None), 1).1, "FAILED", "an Add on the note");
}

/// LN-06, LN-07, LN-11, LN-20: research is a step of its own and a source; a procedure's steps reach the Planner alone; what briefs say.
#[test]
fn ln_research_procedures_and_briefs() {
    let project = Lineage::new();
    let briefs = Arc::new(Mutex::new(Vec::new()));
    let mut puppet = planner(|brief| {
        let is_first = brief.context["stage"]["stage_name"] == "ANALYZING";
        let researched = json!({"task_name": "one", "pre_tool_reason": "unknown", "pre_tool_purpose": "find it"});
        is_first.then(|| json!([researched, {"task_name": "two", "mcp_id": "survey"}]))
    });
    let plans = puppet.mischief;
    puppet.mischief = Box::new(move |brief| match brief.action.as_str() {
        "plan_tools" => {
            let tool =
                |name: &str| json!({"tool_task_name": name, "tool_task_purpose": "look", "tool_type": "WebSearch"});
            let is_procedure = cell(brief, "mcp_id") == "survey";
            says(
                json!({"tool_tasks": if is_procedure { vec![tool("ask"), tool("write")] } else { vec![tool("find")] }}),
            )
        }
        _ => plans(brief),
    });
    puppet.briefs = briefs.clone();
    let (_, status) = project.run(puppet, 1);
    assert_eq!(status, "COMPLETED", "{}", project.0.told());
    let research = "runs/run-001/workspace/ph-1_stg-1_sub-01_tsk-01_tool-01_find.md";
    let catalog = project.rows("db/run-001_knowledge_base_catalog.md");
    assert!(
        catalog.iter().any(|row| row.contains(&format!("| {research} |")) && row.contains("TOOL_OUTPUT")),
        "{catalog:#?}"
    );
    let one = catalog.iter().find(|row| row.contains("_tsk-01_one.md |")).unwrap();
    assert!(one.contains(research) && one.contains("data/일.md"), "research is among its sources: {one}");
    let two = catalog.iter().find(|row| row.contains("_tsk-02_two.md |")).unwrap();
    assert!(two.contains("| ph-1_stg-1_sub-01_tsk-02 |"), "the last tool task left it: {two}");
    let tools = project.rows("runs/run-001/db/ph-1_stg-1_sub-01_tsk-02_tool_tasks.md");
    assert!(
        tools.len() == 2 && tools[0].starts_with("| tool-01 | run-001 | tsk-02 | PRE | WebSearch | ask |"),
        "{tools:?}"
    );
    let briefs = briefs.lock().unwrap();
    let told = |brief: &Brief| serde_json::to_string(brief).unwrap();
    for brief in briefs.iter().filter(|brief| brief.role == "executor") {
        assert!(!told(brief).contains("SECRET-STEP"), "{brief:?}");
        for column in
            ["run_id", "phase_id", "stage_id", "sub_stage_id", "task_id", "protocol_context", "way_of_working"]
        {
            assert!(brief.context[column].is_string(), "{column}: {}", brief.context);
        }
        let path = brief.files.iter().find(|file| file.why == "guideline").expect("its guideline");
        let absolute = brief.context["absolute_paths"][&path.path].as_str().unwrap();
        assert!(Path::new(absolute).is_absolute() && absolute.ends_with("guidelines/style.md"), "{absolute}");
        assert!(brief.files.iter().any(|file| file.why.starts_with("input") && file.path == "data/일.md"));
    }
    assert!(briefs.iter().any(|brief| brief.role == "planner" && told(brief).contains("SECRET-STEP")));
    let executed = briefs.iter().filter(|brief| brief.role == "executor" && cell(brief, "task_name") == "two").count();
    assert_eq!(executed, 0, "no other core work follows");
}

/// LN-11, LN-16, LN-18: a plan that breaks a rule is sent back with row and column, and may be mended.
#[test]
fn ln_a_bad_plan_is_sent_back() {
    let project = Lineage::new();
    let tries = Mutex::new(0);
    let puppet = planner(move |_| {
        let mut tries = tries.lock().unwrap();
        *tries += 1;
        (*tries == 1).then(|| json!([{"mcp_id": "dance", "output_folder": "data", "related_guidelines": ["guidelines/no.md"], "task_reason": ""}]))
    });
    assert_eq!(project.run(puppet, 1).1, "COMPLETED", "{}", project.0.told());
    let told = project.0.problems().join("\n");
    for expected in [
        "row 1, column mcp_id: dance is not in settings/mcp_list.md; valid: survey",
        "row 1, column output_folder: data is not allowed",
        "row 1, column related_guidelines: there is no file guidelines/no.md",
        "row 1, column task_reason: is empty",
    ] {
        assert!(told.contains(expected), "{expected}\n{told}");
    }
}

/// LN-13: settings that people edit between runs are honoured; with a mistake in them nothing begins.
#[test]
fn ln13_settings_between_runs() {
    let project = Lineage::new();
    assert_eq!(project.run(planner(|_| None), 1).1, "COMPLETED");
    let settings = project.path().join("settings/set_phases.md");
    let header = "| phase_name | phase_purpose | output | output_location_rule |\n|---|---|---|---|\n";
    std::fs::write(&settings, format!("{header}| One | p | o |  |\n| One | p | o |  |\n")).unwrap();
    let mut service = project.open(planner(|_| None), 1);
    let error = service.start("Make a report of the boats", None).unwrap_err();
    assert!(matches!(&error, EngineError::Document { line: 4, column: 3, .. }), "{error:?}");
    assert!(error.to_string().starts_with("settings/set_phases.md:4:3: `One` is there already"), "{error}");
    assert_eq!((service.open_runs().len(), project.rows("db/process_runs.md").len()), (0, 1), "nothing has begun");
    service.close().unwrap();
    std::fs::write(&settings, format!("{header}| One | p | o | outputs/here |\n| Two | p | o |  |\n")).unwrap();
    assert_eq!(project.run(planner(|_| None), 1).1, "COMPLETED", "{}", project.0.told());
    assert!(project.path().join("outputs/here").is_dir() && project.path().join("outputs/ph-2_Two").is_dir());
}

/// LN-04, MV-33: one job and eight leave the same bytes.
#[test]
fn ln_jobs_change_nothing() {
    let left: Vec<BTreeMap<String, String>> = [1, 8]
        .into_iter()
        .map(|jobs| {
            let project = Lineage::new();
            let plan = |_: &Brief| Some(json!([{"task_name": "a"}, {"task_name": "b", "related_references": ["data/일.md", "guidelines/style.md"]}, {"task_name": "c"}, {"task_name": "d"}]));
            let mut puppet = planner(plan);
            // Those that come later in the plan are done first.
            puppet.pause = Some(|brief| std::time::Duration::from_millis(if cell(brief, "task_id") == "tsk-01" { 40 } else { 0 }));
            assert_eq!(project.run(puppet, jobs).1, "COMPLETED", "{}", project.0.told());
            let mut left = project.0.left("-");
            left.remove("db/process_runs.md");
            left
        })
        .collect();
    assert_eq!(left[0], left[1]);
}

/// A run that failed goes on as another; a row that a person writes wrongly is put back; a hand on what was catalogued is no harm.
#[test]
fn ln_retry_and_hand_edits() {
    let project = Lineage::new();
    let fails = planner(|_| None);
    let plans = fails.mischief;
    let failing = Puppet::with(move |brief| match brief.context["stage"]["stage_name"].as_str() {
        Some("GENERATING_OUTPUT") if brief.action == "execute" => {
            says(json!(null)).map(|_| engine::agent::Ending::Failed { error: "no paper".into(), log: String::new() })
        }
        _ => plans(brief),
    });
    assert_eq!(project.run(failing, 1).1, "FAILED");
    assert!(project.rows("db/process_runs.md")[0].contains("| FAILED | ph-1 | stg-2 | sub-01 | tsk-01 |"));
    std::fs::write(project.path().join("data/일.md"), "changed by hand after it was catalogued\n").unwrap();
    let mut service = project.open(planner(|_| None), 1);
    let run = service.retry("run-001").unwrap().run;
    drive(&mut service, &run);
    assert_eq!((run.as_str(), service.view(&run).unwrap().status), ("run-002", "COMPLETED"), "{}", project.0.told());
    service.close().unwrap();
    let rows = project.rows("db/run-002_knowledge_base_catalog.md");
    assert!(
        rows.iter().any(|row| row.contains("runs/run-002/workspace/") && row.contains("taken over from runs/run-001/")),
        "{rows:#?}"
    );
    assert!(rows.iter().any(|row| row.contains(OUTPUT)));
}

/// Numbers are given one after the other, so whoever begins at the same moment as another would take the same one.
#[test]
fn ln_runs_begun_at_the_same_moment_have_their_own_numbers() {
    let project = Lineage::new();
    project.open(planner(|_| None), 1).close().unwrap();
    let (people, rounds) = (4, 4);
    let start = std::sync::Barrier::new(people);
    let begun = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for person in 0..people {
            let (start, project, begun) = (&start, &project, &begun);
            scope.spawn(move || {
                let mut service = project.open(planner(|_| None), 1);
                for round in 0..rounds {
                    start.wait();
                    let request = format!("Make report {round} of person {person}");
                    // Nobody ends here: the others would wait for ever.
                    let run = service.start(&request, None).map(|begun| begun.run);
                    let found = run.as_ref().ok().and_then(|run| service.view(run));
                    begun.lock().unwrap().push((request, run, found.map(|view| view.request)));
                }
                drop(service.close());
            });
        }
    });
    for (request, run, found) in begun.into_inner().unwrap() {
        assert!(run.is_ok(), "{request}: {run:?}");
        assert_eq!(found, Some(request));
    }
    let rows = project.rows("db/process_runs.md");
    for (person, round) in (0..people).flat_map(|person| (0..rounds).map(move |round| (person, round))) {
        let request = format!("Make report {round} of person {person}");
        assert_eq!(rows.iter().filter(|row| row.contains(&request)).count(), 1, "{request}: {rows:#?}");
    }
    let numbers: std::collections::BTreeSet<_> = rows.iter().filter_map(|row| row.split('|').nth(1)).collect();
    assert_eq!(numbers.len(), people * rounds);
}
