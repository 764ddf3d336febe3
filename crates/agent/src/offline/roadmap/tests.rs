//! An Executor at work on real files, and a Planner with a whole brief.

use std::fs;
use std::path::Path;

use serde_json::json;

use crate::backend::{Backend as _, Ending, Job, Meter};
use crate::contract::{Brief, Report, ReportStatus};
use crate::roadmap::{Asked, Context, DO, PLAN, Task, Why};

fn work(folder: &Path, role: &str, action: &str, title: &str, context: &Context) -> Report {
    let mut brief = Brief::new("run-1", "roadmap", role, action);
    brief.context = serde_json::to_value(context).unwrap();
    brief.item.insert("title".into(), json!(title));
    let (project, workdir) = (folder.to_path_buf(), folder.to_path_buf());
    let job = Job { brief, project, workdir, readable: Vec::new(), meter: Meter::default() };
    match super::super::Offline.work(&job, &tools::Stop::new(), &|_| {}) {
        Ending::Report { report, .. } => report,
        other => panic!("{other:?}"),
    }
}

fn project() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in [
        (
            "data/crane.md",
            "# Crane\n\nThe crane lifts 40 tonnes. It was built in 1962. Gulls nest on it every spring.\n",
        ),
        ("data/tides.md", "# Tides\n\nHigh water comes twice a day at the quay. The mole keeps the swell out.\n"),
        ("docs/a.md", "# Notes on the Harbour\n\nThe warf is old.\n"),
        (".jixo/t.task.md", "- do it\n"),
    ] {
        let place = folder.path().join(path);
        fs::create_dir_all(place.parent().unwrap()).unwrap();
        fs::write(place, text).unwrap();
    }
    folder
}

fn context(dirs: &[&str]) -> Context {
    let dirs = dirs.iter().map(|dir| (*dir).to_string()).collect();
    Context { quota: 10, task: Task { dirs, ..Task::default() }, ..Context::default() }
}

/// RM-17: what an item says is done to the files, and nothing outside the folders of the task.
#[test]
fn items_are_done_to_real_files() {
    let folder = project();
    let context = context(&["docs", "data"]);
    let does = |title: &str| work(folder.path(), "executor", DO, title, &context);
    let check = |title: &str, file: &str, expected: &str| {
        let report = does(title);
        assert_eq!(report.status, ReportStatus::Done, "{title}: {:?}", report.error);
        let text = fs::read_to_string(folder.path().join(file)).unwrap();
        assert!(text.contains(expected), "{title}: {text}");
        // What is done again is the same.
        assert_eq!(does(title).status, ReportStatus::Done, "{title}, again");
        assert_eq!(fs::read_to_string(folder.path().join(file)).unwrap(), text, "{title}, again");
    };
    check("Write \"Hello\" to docs/new/h.md", "docs/new/h.md", "Hello\n");
    check("Append \"One more\" to docs/new/h.md", "docs/new/h.md", "Hello\nOne more\n");
    check("Replace \"warf\" with \"wharf\" in docs/", "docs/a.md", "The wharf is old.");
    check("Copy data/crane.md to docs/crane.md", "docs/crane.md", "40 tonnes");
    check("Summarise the crane from data/ in docs/s.md", "docs/s.md", "- The crane lifts 40 tonnes. (data/crane.md:3)");
    check("Add a section \"Tides\" to docs/s.md from data/tides.md", "docs/s.md", "\n\n## Tides\n\nMade by extraction");
    check("Join docs/a.md and docs/s.md into docs/all.md", "docs/all.md", "The wharf is old.\n\n# Crane");
    check("Count the words of data/ in docs/count.md", "docs/count.md", "| data/tides.md | ");
    check("List the headings of data/ in docs/contents.md", "docs/contents.md", "- Crane (data/crane.md:1)");
    check("Compare data/crane.md and data/tides.md in docs/diff.md", "docs/diff.md", "Comparison of the sources");
    check("Write a report on the harbour from data/ to docs/report.html", "docs/report.html", "<html");
    check("Headings in docs/a.md are in sentence case", "docs/a.md", "# Notes on the harbour");
    check("Check that docs/a.md contains \"wharf\"", "docs/a.md", "wharf");
}

#[test]
fn what_cannot_be_done_is_said_with_the_reason() {
    let folder = project();
    let context = context(&["docs"]);
    for (title, reason) in [
        ("Copy data/none.md to docs/x.md", "`data/none.md` is not there"),
        ("Write \"x\" to src/x.md", "`src/x.md` lies outside the folders of the task: docs"),
        ("Write \"x\" to docs/other.task.md", "is a task or log file"),
        ("Check that docs/none.md exists", "`docs/none.md` is not there"),
        ("Replace \"nowhere\" with \"x\" in docs/", "\"nowhere\" stands nowhere in docs/"),
        ("Summarise the moon from data/ in docs/moon.md", "nothing in the files speaks of `the moon`"),
        ("Negotiate with the harbour master", "without a model an item is done by rule"),
    ] {
        let report = work(folder.path(), "executor", DO, title, &context);
        assert_eq!(report.status, ReportStatus::Failed, "{title}");
        let error = report.error.unwrap();
        assert!(error.contains(reason), "{title}: {error}");
    }
    assert!(!folder.path().join("src").exists());
}

/// RM-08: a question comes with what is done until somebody answers; the default is done, and so is the answer.
#[test]
fn rm08_a_question_has_a_default() {
    let folder = project();
    let title = "Ask \"Which colour?\" (else \"red\") and write the answer to docs/c.md";
    let mut context = context(&["docs"]);
    let asked = work(folder.path(), "executor", DO, title, &context);
    assert_eq!((asked.status, asked.question.as_deref()), (ReportStatus::Question, Some("Which colour?")));
    assert_eq!(asked.result["default"], "red");
    context.asked = vec![Asked { question: "Which colour?".into(), default: "red".into(), answer: None }];
    let colour = || fs::read_to_string(folder.path().join("docs/c.md")).unwrap();
    assert_eq!(work(folder.path(), "executor", DO, title, &context).status, ReportStatus::Done);
    assert_eq!(colour(), "red\n");
    context.asked[0].answer = Some("blue".into());
    work(folder.path(), "executor", DO, title, &context);
    assert_eq!(colour(), "blue\n");
}

#[test]
fn a_planner_answers_by_the_schema() {
    let folder = project();
    let mut context = context(&["docs"]);
    context.task.goal =
        "## One\n- Copy data/crane.md to docs/crane.md\n- Check that docs/crane.md exists (after 1.1)\n".into();
    let report = work(folder.path(), "planner", PLAN, "", &context);
    assert_eq!(report.status, ReportStatus::Done);
    assert_eq!(crate::validate(&crate::roadmap::plan_schema(), &report.result), Vec::<String>::new());
    assert_eq!(report.result["add"].as_array().unwrap().len(), 2, "{}", report.result);
    context.why = Some(Why::Failed { item: "9".into(), summary: "x".into() });
    assert_eq!(work(folder.path(), "planner", PLAN, "", &context).result, json!({}));
    context.why = None;
    context.task.goal.clear();
    assert!(work(folder.path(), "planner", PLAN, "", &context).error.unwrap().contains("the goal is empty"));
}
