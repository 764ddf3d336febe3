//! Whole runs through the engine, with agents that answer at once: what a request leads to, in the documents.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test ends where it fails")]

mod puppets;

use std::time::Duration;

use engine::agent::{Ending, Report, ReportStatus};
use engine::{Input, Mode, Notice, Verdict};
use puppets::{Project, Puppet, carry_through, drive, outputs, propose, says, task_row};
use serde_json::json;

/// MV-04, MV-06, MV-07, MV-09, MV-11, MV-12, MV-13, MV-24, MV-27, MV-43
#[test]
fn a_request_becomes_a_run_that_waits_for_the_user_and_then_ends_with_its_deliverables() {
    let project = Project::new();
    let mut service = project.open(Puppet::default(), 4);
    let begun = service.start("Make a report | of the\nboats", None).unwrap();
    assert_eq!(begun.chosen.mode, Mode::InitialRun);
    let run = begun.run;
    drive(&mut service, &run);
    let runs = project.read("db/process_runs.md");
    let row = format!("| {run} | Make a report \\| of the<br>boats | AWAITING_CONFIRMATION |");
    assert!(runs.contains(&row), "{runs}\n{}", project.told());
    assert!(project.read(&format!("runs/{run}/feedback_for_user.md")).contains("tell it in Markdown"));

    service.answer(&run, Verdict::Confirm, "a test").unwrap();
    drive(&mut service, &run);
    let runs = project.read("db/process_runs.md");
    assert!(runs.contains("| COMPLETED |  |  |  |"), "{runs}\n{}", project.told());
    assert!(project.read(&format!("outputs/{run}/report.md")).contains("work of"));
    let catalog = project.read("db/knowledge_base_catalog.md");
    for row in [
        "| assets/sales.md | ".to_string(),
        "initial_analysis.md | RUN | ANALYSIS_REPORT | T04 |".replace("RUN", &run),
        "report.md | RUN | FINAL_OUTPUT |".replace("RUN", &run),
        "feedback_for_user.md | RUN | USER_INSTRUCTIONS | T02 |".replace("RUN", &run),
    ] {
        assert!(catalog.contains(&row), "{row} in {catalog}");
    }
    assert!(project.read("db/user_instructions.md").contains("| ACTIVE |"));
    let is_said = |notice: &Notice| matches!(notice, Notice::Message { kind: "completion", text, .. } if text.starts_with("[Job Completed]"));
    assert!(project.notices.lock().unwrap().iter().any(is_said), "{}", project.told());
    let error = service.answer(&run, Verdict::Confirm, "a test").unwrap_err();
    assert!(error.to_string().contains("COMPLETED"), "{error}");
    service.close().unwrap();
}

/// MV-10
#[test]
fn the_user_may_want_it_otherwise_want_something_else_or_not_want_it_at_all() {
    let project = Project::new();
    let puppet = Puppet::default();
    let briefs = puppet.briefs.clone();
    let mut service = project.open(puppet, 4);
    let run = propose(&mut service);
    service.answer(&run, Verdict::Modify("shorter".into()), "a test").unwrap();
    drive(&mut service, &run);
    let drafts =
        |words: &str| briefs.lock().unwrap().iter().filter(|brief| brief.context["wishes"][0] == words).count();
    assert_eq!(drafts("shorter"), 1);
    service.answer(&run, Verdict::NewRequest("Make a list of the boats".into()), "a test").unwrap();
    drive(&mut service, &run);
    let runs = project.read("db/process_runs.md");
    assert!(runs.contains(&format!("| {run} | Make a list of the boats | AWAITING_CONFIRMATION |")), "{runs}");
    service.answer(&run, Verdict::Cancel, "a test").unwrap();
    drive_is_over(&project, &run);
}

fn drive_is_over(project: &Project, run: &str) {
    let mut service = project.open(Puppet::default(), 1);
    let error = service.send(run, Input::Resume).unwrap_err();
    assert!(error.to_string().contains("FAILED"), "{error}");
    service.close().unwrap();
    assert!(project.read(&format!("runs/{run}/failure_report.md")).contains("cancelled by the user"));
}

/// MV-16, MV-18, MV-40: what is wrong with a plan is said by row and column, and the next draft counts.
#[test]
fn a_bad_plan_is_sent_back_with_every_mistake_named() {
    let check = |mistake: fn(&mut serde_json::Value), expected: &str| {
        let project = Project::new();
        let puppet = Puppet::with(move |brief| {
            let first = brief.plan_target.as_deref() == Some("stage:S01") && brief.attempt == 1;
            first.then(|| {
                let mut plan = json!({"tasks": [task_row(brief, 0, 2), task_row(brief, 1, 2)]});
                mistake(&mut plan);
                says(plan)
            })?
        });
        let mut service = project.open(puppet, 4);
        let run = carry_through(&mut service);
        let problems = project.problems();
        assert!(problems.iter().any(|problem| problem.contains(expected)), "{expected:?} in {problems:#?}");
        assert_eq!(service.view(&run).unwrap().status, "COMPLETED", "{}", project.told());
    };
    check(|plan| plan["tasks"] = json!([]), "empty");
    check(|plan| plan["tasks"][0]["related_references"] = json!(["assets/nothing.md"]), "column related_references");
    check(|plan| plan["tasks"][0]["output_path"] = json!("db/process_runs.md"), "column output_path");
    check(|plan| plan["tasks"][0]["output_path"] = json!("../out.md"), "column output_path");
    check(|plan| plan["tasks"][1]["output_path"] = plan["tasks"][0]["output_path"].clone(), "column output_path");
    check(|plan| plan["tasks"][0]["task_purpose"] = json!(""), "task_purpose");
    check(
        |plan| {
            plan["tasks"][0]["task_id"] = json!("T05");
            plan["tasks"][1]["task_id"] = json!("T05");
        },
        "column task_id",
    );
    check(
        |plan| {
            plan["tasks"][0]["related_references"] = json!([plan["tasks"][1]["output_path"]]);
            plan["tasks"][1]["related_references"] = json!([plan["tasks"][0]["output_path"]]);
        },
        "cycle",
    );
}

/// MV-25, MV-26, MV-38, and that a failure is never a dead end: `retry` takes over what was done.
#[test]
fn a_failure_is_recorded_on_every_level_and_a_retry_goes_on_from_there() {
    let project = Project::new();
    let fails = |brief: &engine::agent::Brief| {
        let here = brief.item.get("output_path").and_then(|path| path.as_str());
        let report = Report::failed("the printer is on fire");
        here.is_some_and(|path| path.contains("STRATEGIZING/note-1"))
            .then_some(Ending::Report { report, log: "smoke".into() })
    };
    let mut service = project.open(Puppet::with(fails), 1);
    let run = carry_through(&mut service);
    let left = project.left(&run);
    assert!(left["runs/RUN/failure_report.md"].contains("the printer is on fire"), "{left:#?}");
    assert!(left["db/process_runs.md"].contains("| FAILED | P02 | S02 | T08 |"), "{left:#?}");
    assert!(left["runs/RUN/db/phases.md"].contains("P02 | RUN | STRATEGIZING"), "{left:#?}");
    for (table, failed, pending) in [("phases", 1, 2), ("major_stages", 1, 0), ("tasks", 1, 0)] {
        let text = &left[&format!("runs/RUN/db/{table}.md")];
        assert_eq!(text.matches("| FAILED |").count(), failed, "{text}");
        assert_eq!(text.matches("| PENDING |").count(), pending, "{text}");
    }
    service.close().unwrap();

    let puppet = Puppet::default();
    let briefs = puppet.briefs.clone();
    let mut service = project.open(puppet, 1);
    let next = service.retry(&run).unwrap().run;
    drive(&mut service, &next);
    assert_eq!(service.view(&next).unwrap().status, "COMPLETED", "{}", project.told());
    let redone: Vec<String> =
        briefs.lock().unwrap().iter().filter_map(|brief| brief.item_id().map(String::from)).collect();
    assert!(!redone.contains(&"T05".to_string()), "done work is not done again: {redone:?}");
    assert!(redone.contains(&"T08".to_string()), "{redone:?}");
    assert!(project.read(&format!("runs/{next}/workspace/ANALYZING/note-0.md")).contains("T05"));
    assert!(project.read("db/knowledge_base_catalog.md").contains(&format!("taken over from runs/{run}/")));
    let error = service.retry(&next).unwrap_err();
    assert!(error.to_string().contains("only a FAILED run"), "{error}");
    service.close().unwrap();
}

/// QL-36: a question waits, whoever asks it, and the answer reaches the agent.
#[test]
fn an_agents_question_waits_for_a_person() {
    let project = Project::new();
    let asks = |brief: &engine::agent::Brief| {
        let asked = brief.item_id() == Some("T04") && brief.answers.is_empty();
        let report =
            Report { status: ReportStatus::Question, question: Some("blue or red?".into()), ..Report::done("") };
        asked.then_some(Ending::Report { report, log: String::new() })
    };
    let puppet = Puppet::with(asks);
    let briefs = puppet.briefs.clone();
    let mut service = project.open(puppet, 4);
    let run = carry_through(&mut service);
    let waiting = service.waiting();
    assert_eq!(waiting.len(), 1, "{}", project.told());
    assert!(waiting[0].text.contains("blue or red?"));
    service.send(&run, Input::Tell { fence: None, answer: "blue".into(), by: "a test".into() }).unwrap();
    drive(&mut service, &run);
    assert_eq!(service.view(&run).unwrap().status, "COMPLETED", "{}", project.told());
    let told = briefs.lock().unwrap().iter().any(|brief| brief.answers.iter().any(|one| one.answer == "blue"));
    assert!(told);
}

/// MV-20, MV-22, MV-35, MV-42: tools before and after the core work, each planned when it is due.
#[test]
fn tools_run_before_and_after_the_core_work() {
    let project = Project::new();
    let tools = |brief: &engine::agent::Brief| {
        let tool = |timing: &str| {
            let path = format!("runs/{}/workspace/ANALYZING/{timing}.md", brief.run_id);
            says(
                json!({"tool_tasks": [{"tool_type": "read_file", "tool_task_name": timing, "tool_task_purpose": "Look.", "output_path": path}]}),
            )
        };
        match brief.plan_target.as_deref() {
            Some("stage:S01") => {
                let mut row = task_row(brief, 0, 2);
                row["pre_tool_purpose"] = json!("look around");
                row["post_tool_purpose"] = json!("draw it");
                says(json!({"tasks": [row]}))
            }
            Some("pre_tool:T05") => tool("before"),
            Some("post_tool:T05") => tool("after"),
            _ => None,
        }
    };
    let puppet = Puppet::with(tools);
    let briefs = puppet.briefs.clone();
    let mut service = project.open(puppet, 4);
    let run = carry_through(&mut service);
    assert_eq!(service.view(&run).unwrap().status, "COMPLETED", "{}", project.told());
    let order: Vec<String> = briefs
        .lock()
        .unwrap()
        .iter()
        .filter_map(|brief| brief.item_id().map(String::from))
        .filter(|id| id == "T05" || id.starts_with("TT05"))
        .collect();
    assert_eq!(order, ["T05", "TT05_01", "T05", "T05", "TT05_02"], "plan, tool, core, plan, tool");
    let left = project.left(&run);
    let table = &left["runs/RUN/db/tool_tasks.md"];
    assert!(
        table.contains("| TT05_01 | RUN | T05 | PRE |") && table.contains("| TT05_02 | RUN | T05 | POST |"),
        "{table}"
    );
    assert_eq!(left["db/knowledge_base_catalog.md"].matches("| TOOL_OUTPUT |").count(), 2);
    let core = briefs
        .lock()
        .unwrap()
        .iter()
        .find(|brief| brief.action == "execute" && brief.item_id() == Some("T05"))
        .cloned();
    let given: Vec<String> = core.unwrap().files.iter().map(|file| file.path.clone()).collect();
    assert!(given.iter().any(|path| path.ends_with("before.md")), "{given:?}");
}

/// MV-33: however many agents work at once and whoever is faster, the documents are the same, byte by byte.
#[test]
fn the_number_of_jobs_leaves_no_trace() {
    let left = |jobs: usize| {
        let project = Project::new();
        // Later tasks are faster, so that they overtake the earlier ones.
        let pause = |brief: &engine::agent::Brief| {
            let number: u64 = brief.item_id().and_then(|id| id[1..].parse().ok()).unwrap_or(0);
            Duration::from_millis(if number > 4 { 40_u64.saturating_sub(number * 2) } else { 0 })
        };
        let puppet = Puppet { tasks: 6, pause: Some(pause), ..Puppet::default() };
        let mut service = project.open(puppet, jobs);
        let run = carry_through(&mut service);
        assert_eq!(service.view(&run).unwrap().status, "COMPLETED", "{}", project.told());
        service.close().unwrap();
        project.left(&run)
    };
    let (one, eight) = (left(1), left(8));
    for (name, content) in &one {
        assert_eq!(eight.get(name), Some(content), "{name}");
    }
    assert_eq!(one.len(), eight.len());
}

/// MV-21: a report that claims what is not there is sent back, and counts as a failure when it never gets better.
#[test]
fn a_claim_is_not_a_file() {
    let project = Project::new();
    let lies = |brief: &engine::agent::Brief| {
        (brief.item_id() == Some("T04"))
            .then(|| Ending::Report { report: Report::done("all done"), log: String::new() })
    };
    let mut service = project.open(Puppet::with(lies), 1);
    let run = carry_through(&mut service);
    assert_eq!(service.view(&run).unwrap().status, "FAILED");
    assert_eq!(project.problems().len(), 2 + 1, "{:?}", project.problems());
    assert!(project.read(&format!("runs/{run}/failure_report.md")).contains("initial_analysis.md"));
}

/// MV-32: a file that nobody asked for is refused.
#[test]
fn an_agent_cannot_hand_in_a_file_of_another_place() {
    let project = Project::new();
    let sly = |brief: &engine::agent::Brief| {
        let first = brief.item_id() == Some("T04") && brief.attempt == 1;
        first.then(|| {
            let mut report = Report { outputs: outputs(brief), ..Report::done("more than asked") };
            let mut more = report.outputs[0].clone();
            more.path = "db/process_runs.md".into();
            report.outputs.push(more);
            Ending::Report { report, log: String::new() }
        })
    };
    let mut service = project.open(Puppet::with(sly), 1);
    let run = carry_through(&mut service);
    assert!(project.problems().iter().any(|problem| problem.contains("db/process_runs.md")), "{}", project.told());
    assert_eq!(service.view(&run).unwrap().status, "COMPLETED");
}

/// MV-41: the Communicator's words are shown; if it fails, code shows the package, and the run is none the worse.
#[test]
fn the_communicator_speaks_and_if_it_cannot_code_does() {
    let check = |speaker: fn(&engine::agent::Brief) -> Option<Ending>, expected: &str| {
        let project = Project::new();
        let mut service = project.open_with(Puppet::default(), 1, Some(Puppet::with(speaker)));
        let run = carry_through(&mut service);
        assert_eq!(service.view(&run).unwrap().status, "COMPLETED", "{}", project.told());
        let notices = project.notices.lock().unwrap();
        let said: Vec<&str> = notices
            .iter()
            .filter_map(|notice| match notice {
                Notice::Message { kind: "completion", text, .. } => Some(text.as_str()),
                _ => None,
            })
            .collect();
        assert!(said.len() == 1 && said[0].contains(expected), "{said:?}");
    };
    check(|_| says(json!({"message": "Here it is, captain."})), "captain");
    check(|_| Some(Ending::Failed { error: "lost my voice".into(), log: String::new() }), "[Job Completed]");
    check(|_| says(json!({"message": 7})), "[Job Completed]");
}
