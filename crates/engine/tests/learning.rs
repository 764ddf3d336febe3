//! What runs learn from those before them: which ones, what the Planner is told, and that it stays so.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test ends where it fails")]

mod puppets;

use std::sync::{Arc, Mutex};

use engine::agent::{Brief, Ending};
use engine::{Learning, Mode, Role, Service, Settings, Verdict};
use puppets::{Project, Puppet, drive, says, task_row};
use serde_json::{Value, json};
use store::Missing;

const BOATS: &str = "Make a report of the boats and their prices";

type Briefs = Arc<Mutex<Vec<Brief>>>;

/// A service whose agents keep their briefs.
fn open(project: &Project) -> (Service, Briefs) {
    let puppet = Puppet::default();
    let briefs = puppet.briefs.clone();
    (project.open(puppet, 4), briefs)
}

/// The same, with other rules for what is alike.
fn open_choosy(project: &Project, learning: Learning) -> (Service, Briefs) {
    let puppet = Arc::new(Puppet::default());
    let briefs = puppet.briefs.clone();
    let mut settings = Settings::new(project.folder.path().canonicalize().unwrap());
    settings.learning = learning;
    settings.play(Role::Planner, puppet.clone());
    settings.play(Role::Executor, puppet);
    (Service::open(settings, Missing::Create, Arc::new(|_| {})).unwrap(), briefs)
}

/// Begins a run and drives it to its proposal.
fn begin(service: &mut Service, request: &str) -> String {
    let run = service.start(request, None).unwrap().run;
    drive(service, &run);
    run
}

/// A run from its request to its end.
fn complete(service: &mut Service, request: &str) -> String {
    let run = begin(service, request);
    service.answer(&run, Verdict::Confirm, "a test").unwrap();
    drive(service, &run);
    run
}

fn learned(service: &Service, run: &str) -> Vec<(String, u16, &'static str)> {
    let view = service.view(run).unwrap();
    view.learned.iter().map(|past| (past.run.clone(), past.score, past.status)).collect()
}

fn told(briefs: &Briefs, run: &str, target: &str) -> Value {
    let briefs = briefs.lock().unwrap();
    let brief = briefs.iter().rev().find(|brief| brief.run_id == run && brief.plan_target.as_deref() == Some(target));
    brief.unwrap_or_else(|| panic!("nobody was asked for {target}")).context["past_runs"].clone()
}

/// MV-05, MV-08: a second run knows the first one, its score and its end; its Planner gets instructions, catalog rows and
/// files; the proposal names it.
#[test]
fn a_second_run_learns_from_the_first() {
    let project = Project::new();
    let (mut service, briefs) = open(&project);
    let first = complete(&mut service, BOATS);
    assert_eq!(told(&briefs, &first, "proposal"), Value::Null, "a first run has nothing to learn from");
    assert!(!project.folder.path().join(format!("runs/{first}/learning_context.md")).exists());

    let second = begin(&mut service, "Make a report of the prices of boats in spring");
    let past = learned(&service, &second);
    assert_eq!(past.iter().map(|(run, _, status)| (run, *status)).collect::<Vec<_>>(), [(&first, "COMPLETED")]);
    assert!(past[0].1 > 400 && past[0].1 < 1000, "{past:?}");

    let told = told(&briefs, &second, "proposal");
    assert_eq!(told[0]["run_id"], first.as_str());
    assert_eq!(told[0]["status"], "COMPLETED");
    assert_eq!(told[0]["request"], BOATS);
    assert_eq!(told[0]["instructions"][0]["content"], "tell it in Markdown");
    assert_eq!(told[0]["instructions"][0]["status"], "ACTIVE");
    let rows = told[0]["catalog"].as_array().unwrap();
    assert_eq!(rows[0]["file_path"], format!("outputs/{first}/report.md"), "deliverables come first: {told:#}");
    assert!(
        rows.iter().any(|row| row["asset_type"] == "ANALYSIS_REPORT" && row["source_task_id"] == "T04"),
        "{told:#}"
    );

    let given = |target: &str| {
        let briefs = briefs.lock().unwrap();
        let brief = briefs.iter().find(|brief| brief.run_id == second && brief.plan_target.as_deref() == Some(target));
        let files = brief.unwrap().files.iter().filter(|file| file.why.contains(&first));
        files.map(|file| format!("{}: {}", file.path, file.why)).collect::<Vec<_>>()
    };
    assert!(
        given("proposal")[0].starts_with(&format!("outputs/{first}/report.md: made by past run")),
        "{:?}",
        given("proposal")
    );

    let shown = format!("`{first}`: score 0.");
    let proposal = project.read(&format!("runs/{second}/feedback_for_user.md"));
    assert!(proposal.contains("## Past runs that are like this one") && proposal.contains(&shown), "{proposal}");
    assert!(proposal.contains("in both requests: ") && proposal.contains("boat"), "{proposal}");
    let kept = project.read(&format!("runs/{second}/learning_context.md"));
    assert!(kept.contains(&shown) && kept.contains(BOATS), "{kept}");
    let story = service.story(&second).unwrap();
    let event = story.events.iter().find(|event| event.text == "learns from 1 past run").unwrap();
    assert!(event.more[0].starts_with(&format!("{first} 0.")), "{:?}", event.more);
}

/// MV-05: a FAILED one with its failure report.
#[test]
fn what_failed_is_learned_from_with_its_report() {
    let project = Project::new();
    let fails = Puppet::with(|brief| {
        let is_work = brief.action == "execute" && brief.item_id().is_some_and(|id| id == "T05");
        is_work.then(|| Ending::Failed { error: "the price list is torn".into(), log: String::new() })
    });
    let mut service = project.open(fails, 1);
    let first = complete(&mut service, BOATS);
    service.close().unwrap();

    let (mut service, briefs) = open(&project);
    let second = begin(&mut service, BOATS);
    assert_eq!(learned(&service, &second), [(first.clone(), 1000, "FAILED")]);
    let report = &told(&briefs, &second, "proposal")[0]["failure_report"];
    assert_eq!(report["path"], format!("runs/{first}/failure_report.md"));
    assert!(report["text"].as_str().unwrap().contains("the price list is torn"), "{report}");
    let briefs = briefs.lock().unwrap();
    let proposal = briefs.iter().find(|brief| brief.action == "propose").unwrap();
    let why = proposal.files.iter().find(|file| file.path == report["path"].as_str().unwrap()).unwrap();
    assert!(why.why.starts_with("failure report of past run"), "{why:?}");
    let shown = project.read(&format!("runs/{second}/feedback_for_user.md"));
    assert!(shown.contains("score 1.00, FAILED") && shown.contains("it failed: the price list is torn"), "{shown}");
}

/// MV-05: at or above a configured score, at most N, best first, equal ones newest first.
#[test]
fn the_least_score_and_the_number_are_settings() {
    let project = Project::new();
    let (mut service, _) = open(&project);
    let first = complete(&mut service, BOATS);
    let second = complete(&mut service, BOATS);
    let other = complete(&mut service, "Write a guide to the pond");
    service.close().unwrap();
    let ids = |learning| {
        let (mut service, _) = open_choosy(&project, learning);
        let run = begin(&mut service, BOATS);
        let ids: Vec<String> = learned(&service, &run).into_iter().map(|(id, ..)| id).collect();
        service.answer(&run, Verdict::Cancel, "a test").unwrap();
        service.close().unwrap();
        ids
    };
    assert_eq!(ids(Learning { least: 1000, most: 2 }), [second.clone(), first.clone()]);
    assert!(!ids(Learning { least: 200, most: 9 }).contains(&other));
    assert_eq!(ids(Learning { least: 0, most: 0 }), Vec::<String>::new());
    assert_eq!(ids(Learning { least: 1000, most: 1 }).len(), 1);
}

/// MV-05: what a run learns from is settled when it begins: neither a stop nor what others do meanwhile changes it.
#[test]
fn a_resumed_run_is_told_the_same() {
    let project = Project::new();
    let (mut service, _) = open(&project);
    let first = complete(&mut service, BOATS);
    let run = service.start(BOATS, None).unwrap().run;
    let before = learned(&service, &run);
    assert_eq!(before, [(first, 1000, "COMPLETED")]);
    // No farewell: as if it had been killed.
    drop(service);

    let (mut service, _) = open(&project);
    complete(&mut service, BOATS);
    service.close().unwrap();

    let (mut service, briefs) = open(&project);
    drive(&mut service, &run);
    assert_eq!(learned(&service, &run), before);
    assert_eq!(told(&briefs, &run, "proposal").as_array().unwrap().len(), 1);
    let once = told(&briefs, &run, "proposal");
    service.answer(&run, Verdict::Confirm, "a test").unwrap();
    drive(&mut service, &run);
    assert_eq!(told(&briefs, &run, "phase:P01"), once, "every plan is made with the same past");
}

/// MV-05, MV-10: with another request other runs are alike.
#[test]
fn a_new_request_learns_anew() {
    let project = Project::new();
    let (mut service, briefs) = open(&project);
    let boats = complete(&mut service, BOATS);
    let pond = complete(&mut service, "Write a guide to the pond and its fish");
    let run = begin(&mut service, BOATS);
    assert_eq!(learned(&service, &run)[0].0, boats);
    service.answer(&run, Verdict::NewRequest("A guide to the fish of the pond".into()), "a test").unwrap();
    drive(&mut service, &run);
    assert_eq!(learned(&service, &run)[0].0, pond);
    assert_eq!(told(&briefs, &run, "proposal")[0]["run_id"], pond.as_str());
    assert!(project.read(&format!("runs/{run}/learning_context.md")).contains(&pond));
}

/// MV-05: a run that is told to be the first one learns nothing, and one that goes on learns from the past of its own.
#[test]
fn who_is_told_to_begin_anew_learns_nothing() {
    let project = Project::new();
    let (mut service, _) = open(&project);
    complete(&mut service, BOATS);
    let run = service.start(BOATS, Some(Mode::InitialRun)).unwrap().run;
    drive(&mut service, &run);
    assert_eq!(learned(&service, &run), []);
}

/// MV-19, MV-36: a task may use a past run's file if the catalog lists it, and no other file of that run.
#[test]
fn only_what_the_catalog_lists_of_other_runs_can_be_used() {
    let project = Project::new();
    let (mut service, _) = open(&project);
    let first = complete(&mut service, BOATS);
    service.close().unwrap();
    let used = format!("outputs/{first}/report.md");
    let hidden = format!("runs/{first}/db/tasks.md");
    let (listed, private) = (used.clone(), hidden.clone());
    let puppet = Puppet::with(move |brief| {
        let is_first = brief.plan_target.as_deref() == Some("stage:S01");
        let mut row = task_row(brief, 0, 2);
        let input = if brief.attempt == 1 { &private } else { &listed };
        row["related_references"] = json!([input]);
        is_first.then(|| says(json!({"tasks": [row]})))?
    });
    let briefs = puppet.briefs.clone();
    let mut service = project.open(puppet, 1);
    let second = complete(&mut service, BOATS);
    let problems = project.problems().join("\n");
    assert!(problems.contains(&hidden), "{problems}");
    assert_eq!(service.view(&second).unwrap().status, "COMPLETED", "{}", project.told());
    let briefs = briefs.lock().unwrap();
    let task = briefs.iter().find(|brief| brief.run_id == second && brief.item_id() == Some("T05")).unwrap();
    assert!(task.files.iter().any(|file| file.path == used), "{:?}", task.files);
}
