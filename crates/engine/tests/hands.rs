//! People change documents while a run rests or goes: what is taken over, what is put back, and what stops it (QL-23).
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test ends where it fails")]

mod puppets;

use engine::agent::{Brief, Ending, Report, ReportStatus};
use engine::{Input, Notice, Service};
use puppets::{Project, Puppet, carry_through, drive, says, task_row};
use serde_json::json;

/// A puppet that asks a question at T05, so that the run rests there with T06, which needs it, still to come.
fn asks_at_t05() -> Puppet {
    Puppet::with(|brief: &Brief| {
        if brief.plan_target.as_deref() == Some("stage:S01") {
            let (first, mut second) = (task_row(brief, 0, 2), task_row(brief, 1, 2));
            second["related_references"] = json!([first["output_path"]]);
            return says(json!({"tasks": [first, second]}));
        }
        let asks = brief.action == "execute" && brief.item_id() == Some("T05") && brief.answers.is_empty();
        let report = Report { status: ReportStatus::Question, question: Some("go on?".into()), ..Report::done("") };
        asks.then_some(Ending::Report { report, log: String::new() })
    })
}

/// A run that rests at T05, nobody at work on it.
fn resting(project: &Project) -> String {
    let mut service = project.open(asks_at_t05(), 1);
    let run = carry_through(&mut service);
    assert_eq!(service.waiting().len(), 1, "{}", project.told());
    service.close().unwrap();
    run
}

fn go_on(service: &mut Service, run: &str) {
    service.send(run, Input::Tell { fence: None, answer: "yes".into(), by: "a test".into() }).unwrap();
    drive(service, run);
}

fn edit(project: &Project, path: &str, change: impl Fn(&str) -> String) {
    let place = project.folder.path().join(path);
    let text = std::fs::read_to_string(&place).unwrap();
    let changed = change(&text);
    assert_ne!(text, changed, "the edit changes something in {text}");
    std::fs::write(place, changed).unwrap();
}

fn problems(project: &Project) -> String {
    let notices = project.notices.lock().unwrap();
    let told = notices.iter().filter_map(|notice| match notice {
        Notice::Problem { path, reason, .. } => Some(format!("{}: {reason}", path.clone().unwrap_or_default())),
        _ => None,
    });
    told.collect::<Vec<_>>().join("\n")
}

/// A purpose that a person changed while nobody was there reaches the agent.
#[test]
fn an_edit_made_while_nobody_drives_is_taken_over_before_anything_else() {
    let project = Project::new();
    let run = resting(&project);
    let tasks = format!("runs/{run}/db/tasks.md");
    edit(&project, &tasks, |text| text.replacen("| note 1 | Write a note.", "| note 1 | Write a HANDMADE note.", 1));
    let puppet = asks_at_t05();
    let briefs = puppet.briefs.clone();
    let mut service = project.open(puppet, 1);
    go_on(&mut service, &run);
    assert_eq!(service.view(&run).unwrap().status, "COMPLETED", "{}", project.told());
    let purpose =
        briefs.lock().unwrap().iter().find(|brief| brief.item_id() == Some("T06")).unwrap().item["task_purpose"]
            .clone();
    assert_eq!(purpose, "Write a HANDMADE note.");
}

/// A run whose table is gone, or cannot be read any more, waits for a person; mended, it goes on.
#[test]
fn a_run_whose_table_is_broken_pauses_and_says_how_to_mend_it() {
    let check = |mischief: &dyn Fn(&Project, &str), expected: &str| {
        let project = Project::new();
        let run = resting(&project);
        let tasks = format!("runs/{run}/db/tasks.md");
        let good = project.read(&tasks);
        mischief(&project, &tasks);
        let mut service = project.open(asks_at_t05(), 1);
        go_on(&mut service, &run);
        let view = service.view(&run).unwrap();
        assert!(
            view.paused.as_deref().is_some_and(|reason| reason.contains(expected)),
            "{expected}: {view:?}\n{}",
            project.told()
        );
        assert!(problems(&project).contains("multiverse restore"), "{}", problems(&project));
        std::fs::write(project.folder.path().join(&tasks), good).unwrap();
        service.send(&run, Input::Resume).unwrap();
        drive(&mut service, &run);
        assert_eq!(service.view(&run).unwrap().status, "COMPLETED", "{}", project.told());
    };
    check(
        &|project, tasks| edit(project, tasks, |text| text.replacen("| task_purpose |", "| tsk_prps |", 1)),
        "`task_purpose`",
    );
    check(&|project, tasks| std::fs::remove_file(project.folder.path().join(tasks)).unwrap(), "is gone");
    check(&|project, tasks| edit(project, tasks, |_| "nothing left\n".into()), "no table");
}

/// A row under another id is put back whole: nothing that was planned is forgotten.
#[test]
fn a_row_that_was_renamed_is_put_back() {
    let project = Project::new();
    let run = resting(&project);
    let tasks = format!("runs/{run}/db/tasks.md");
    edit(&project, &tasks, |text| text.replacen("| T06 |", "| T66 |", 1));
    let mut service = project.open(asks_at_t05(), 1);
    go_on(&mut service, &run);
    assert_eq!(service.view(&run).unwrap().status, "COMPLETED", "{}", project.told());
    assert!(problems(&project).contains("T06"), "{}", problems(&project));
    let left = project.left(&run);
    assert!(left["runs/RUN/db/tasks.md"].contains("| T06 | RUN |") && !left["runs/RUN/db/tasks.md"].contains("T66"));
    assert!(left.contains_key("runs/RUN/workspace/ANALYZING/note-1.md"));
}

/// A status in the table of runs is put back, and that is said.
#[test]
fn a_status_changed_in_the_table_of_runs_is_put_back_with_a_word() {
    let project = Project::new();
    let run = resting(&project);
    edit(&project, "db/process_runs.md", |text| text.replacen("| PENDING |", "| FAILED |", 1));
    let mut service = project.open(asks_at_t05(), 1);
    go_on(&mut service, &run);
    assert_eq!(service.view(&run).unwrap().status, "COMPLETED", "{}", project.told());
    assert!(problems(&project).contains("changed by hand to \"FAILED\""), "{}", problems(&project));
}

/// An instruction with a status that nobody knows binds nobody, and that is said where it stands.
#[test]
fn an_instruction_with_an_unknown_status_is_told() {
    let project = Project::new();
    let run = resting(&project);
    edit(&project, "db/user_instructions.md", |text| text.replacen("| ACTIVE |", "| PERHAPS |", 1));
    let mut service = project.open(asks_at_t05(), 1);
    go_on(&mut service, &run);
    let told = problems(&project);
    assert!(told.contains("db/user_instructions.md:") && told.contains("\"PERHAPS\""), "{told}");
}

/// MV-12: a file whose name nobody can write down is left out with a word, not in silence.
#[test]
#[cfg(target_os = "linux")]
fn an_input_whose_name_is_not_utf8_is_told() {
    use std::os::unix::ffi::OsStrExt as _;

    let project = Project::new();
    let assets = project.folder.path().join("assets");
    std::fs::create_dir_all(&assets).unwrap();
    std::fs::write(assets.join(std::ffi::OsStr::from_bytes(b"caf\xE9.md")), "x\n").unwrap();
    resting(&project);
    assert!(problems(&project).contains("assets/caf\u{FFFD}.md is left out"), "{}", problems(&project));
}

/// MV-14: a template that was changed is refused with the difference, before anything begins.
#[test]
fn a_changed_template_is_refused() {
    let project = Project::new();
    let mut service = project.open(Puppet::default(), 1);
    service.init().unwrap();
    service.close().unwrap();
    let mut service = project.open(Puppet::default(), 1);
    edit(&project, "db/templates/default_phases.md", |text| text.replacen("STRATEGIZING", "DANCING", 1));
    let error = service.start("Make a report of the boats", None).unwrap_err();
    assert!(error.to_string().contains("DANCING"), "{error}");
    assert!(service.open_runs().is_empty());
}

/// QL-27: a run that has begun keeps the definition it began with.
#[test]
fn a_run_keeps_the_phases_it_began_with() {
    let project = Project::new();
    let run = resting(&project);
    edit(&project, "db/templates/default_phases.md", |text| text.replacen("STRATEGIZING", "DANCING", 1));
    let mut service = project.open(asks_at_t05(), 1);
    go_on(&mut service, &run);
    assert_eq!(service.view(&run).unwrap().status, "COMPLETED", "{}", project.told());
    assert!(!project.read(&format!("runs/{run}/db/phases.md")).contains("DANCING"));
}

/// MV-30: the list of procedures is no input of a task.
#[test]
fn a_plan_cannot_hand_the_list_of_procedures_to_an_executor() {
    let project = Project::new();
    std::fs::create_dir_all(project.folder.path().join("guidelines")).unwrap();
    std::fs::write(project.folder.path().join("guidelines/mcp_list.md"), "# Procedures\n").unwrap();
    let puppet = Puppet::with(|brief: &Brief| {
        let first = brief.plan_target.as_deref() == Some("stage:S01") && brief.attempt == 1;
        let mut row = task_row(brief, 0, 2);
        row["related_references"] = json!(["guidelines/mcp_list.md"]);
        first.then(|| says(json!({"tasks": [row]})))?
    });
    let briefs = puppet.briefs.clone();
    let mut service = project.open(puppet, 1);
    let run = carry_through(&mut service);
    assert_eq!(service.view(&run).unwrap().status, "COMPLETED", "{}", project.told());
    assert!(project.problems().iter().any(|problem| problem.contains("mcp_list.md")), "{:?}", project.problems());
    let sees = |role: &str| {
        briefs
            .lock()
            .unwrap()
            .iter()
            .any(|brief| brief.role == role && brief.files.iter().any(|file| file.path.ends_with("mcp_list.md")))
    };
    assert!(sees("planner") && !sees("executor"));
}
