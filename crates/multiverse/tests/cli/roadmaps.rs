//! `multiverse run --protocol roadmap` and what belongs to it: a task carried to 100% by agents without a model, joined by
//! several processes, asked and answered, changed by people while it runs (RM-01, RM-06, RM-08, RM-13, RM-14).

use std::fs;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::place::{Place, Ran};

/// How long is waited for something that must become so.
const PATIENCE: Duration = Duration::from_secs(120);

/// A task with items that depend on each other, and files that they read.
pub(crate) const TASK: &str = "---\nname: harbour\ndirs: [docs, data]\n---\n\n# The harbour\n\n## Phase 1: Notes\n- Summarise data/crane.md in docs/crane.md\n- Copy data/tides.md to docs/tides.md\n\n## Phase 2: The book\n- Join docs/crane.md and docs/tides.md into docs/book.md (after Phase 1)\n- Check that docs/book.md contains \"tonnes\" (after 2.1)\n";

pub(crate) fn place(task: &str) -> Place {
    Place::with(&[
        (".jixo/harbour.task.md", task.as_bytes()),
        ("data/crane.md", b"# Crane\n\nThe crane lifts 40 tonnes. It was built in 1962.\n"),
        ("data/tides.md", b"# Tides\n\nHigh water comes twice a day.\n"),
    ])
}

pub(crate) fn run(place: &Place, more: &[&str]) -> Ran {
    place.run(&[&["run", "--protocol", "roadmap"], more].concat())
}

pub(crate) fn status(place: &Place) -> Value {
    let ran = place.run(&["roadmap", "status", "--json"]);
    serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{}", ran.shown()))
}

pub(crate) fn log(place: &Place) -> String {
    fs::read_to_string(place.path(".jixo/harbour.log.md")).unwrap()
}

/// The words of items, in order.
pub(crate) fn items(view: &Value) -> Vec<String> {
    let item = |item: &Value| format!("{} {}", item["number"].as_str().unwrap(), item["status"].as_str().unwrap());
    view["items"].as_array().unwrap().iter().map(item).collect()
}

/// Waits until something is so.
pub(crate) fn until(what: &str, is_so: impl Fn() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < PATIENCE, "{what}: it did not become so");
        std::thread::yield_now();
    }
}

/// RM-01, RM-02, RM-07, RM-18, RM-19: a task from its file to 100%: items with groups, the log in the seed's form, the files.
#[test]
fn rm01_a_task_is_carried_to_its_end() {
    let place = place(TASK);
    let ran = run(&place, &["--jobs", "4"]);
    assert_eq!(ran.code, 0, "{}\n{}", ran.shown(), log(&place));
    assert!(
        fs::read_to_string(place.path("docs/book.md"))
            .unwrap()
            .contains("The crane lifts 40 tonnes. (data/crane.md:3)")
    );
    let log = log(&place);
    for words in
        ["progress: \"100%\"", "- [x] **Phase 1: Notes**", "  - [x] 1.1. Summarise data/crane.md", "status: Completed"]
    {
        assert!(log.contains(words), "{words}:\n{log}");
    }
    let entries = log.matches("\n### Log ").count();
    assert_eq!(entries, 5, "a plan and four items:\n{log}");
    for words in ["- **Role**: Planner", "- **Role**: Executor", "- **Result**: Succeeded", "- **Summary**: "] {
        assert!(log.contains(words), "{words}:\n{log}");
    }
    let newest = log.split("\n### Log ").nth(1).unwrap();
    assert!(newest.starts_with("5 @") && newest.contains("2.2. Check"), "newest first:\n{log}");
    let view = status(&place);
    assert_eq!((&view["progress"], &view["state"]), (&Value::from(100), &Value::from("done")), "{view:#}");
    let again = run(&place, &[]);
    assert_eq!(again.code, 5, "nothing is left to do: {}", again.shown());
    let verified = place.run(&["verify"]);
    assert_eq!(verified.code, 0, "{}", verified.shown());
}

/// RM-01: filters choose among tasks; a configuration of others is read as it is; what is not there is said.
#[test]
fn rm01_tasks_are_chosen_by_filters() {
    let place = place(TASK);
    let other = "---\nname: other\n---\n- Write \"x\" to x.md\n";
    fs::write(place.path(".jixo/other.task.md"), other).unwrap();
    let none = run(&place, &["nothing-like-it"]);
    assert_eq!(none.code, 1, "{}", none.shown());
    assert!(none.stderr.contains("no task fits nothing-like-it"), "{}", none.shown());
    assert!(!place.path(".multiverse").exists(), "nothing was begun");
    let one = run(&place, &["other"]);
    assert_eq!(one.code, 0, "{}", one.shown());
    assert!(place.path("x.md").exists() && !place.path(".jixo/harbour.log.md").exists());
    let wrong = run(&place, &["--context", "data/crane.md"]);
    assert_eq!(wrong.code, 2, "{}", wrong.shown());
    let empty = Place::with(&[("README.md", b"# x\n")]);
    let ran = run(&empty, &[]);
    assert_eq!(ran.code, 1, "{}", ran.shown());
    assert!(ran.stderr.contains("`multiverse init --protocol roadmap` makes a first one"), "{}", ran.shown());
}

/// RM-01: a first task that can be run as it stands; what is there already stays.
#[test]
fn rm01_init_makes_a_first_task() {
    let place = Place::with(&[]);
    let made = place.run(&["init", "--protocol", "roadmap"]);
    assert_eq!(made.code, 0, "{}", made.shown());
    assert!(place.path(".jixo/first.task.md").is_file());
    let ran = run(&place, &[]);
    assert_eq!(ran.code, 0, "{}", ran.shown());
    assert_eq!(fs::read_to_string(place.path("hello.md")).unwrap(), "Hello\n");
    let again = place.run(&["init", "--protocol", "roadmap"]);
    assert!(again.code == 0 && again.stderr.contains("nothing was to do"), "{}", again.shown());
}

/// The example of the documentation: forty items, four executors, 100%.
#[test]
fn the_example_of_forty_items() {
    let example = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/harbour-handbook");
    let place = Place::with(&[]);
    let folder = place.path("handbook");
    let mut script = Command::new("bash");
    script.arg(example.join("run.sh")).arg(&folder).env("MULTIVERSE", env!("CARGO_BIN_EXE_multiverse"));
    let ran = Ran::of(script.stdin(Stdio::null()).output().unwrap());
    assert_eq!(ran.code, 0, "{}", ran.shown());
    let log = fs::read_to_string(folder.join(".jixo/handbook.log.md")).unwrap();
    assert!(log.contains("progress: \"100%\""), "{log}");
    assert_eq!(log.matches("status: Completed").count(), 40, "{log}");
    let book = fs::read_to_string(folder.join("docs/handbook.md")).unwrap();
    assert!(book.contains("17 nautical miles") && book.contains("Printed copies are at the harbour office."), "{book}");
    let task = fs::read_to_string(folder.join(".jixo/handbook.task.md")).unwrap();
    assert!(task.contains("### JIXO: CLARIFICATION REQUEST") && task.contains("Who prints the handbook?"), "{task}");
    assert_eq!(fs::read_to_string(folder.join("docs/printer.md")).unwrap(), "nobody yet\n");
}

/// RM-08: a question stands at the end of the task file, work goes on with the default, an answer is taken up first and its
/// block removed; by the command line, and by editing the file.
#[test]
fn rm08_questions_are_asked_and_answered() {
    let task = "- Ask \"Which colour?\" (else \"red\") and write the answer to docs/colour.md\n";
    let place = place(task);
    let ran = run(&place, &[]);
    assert_eq!(ran.code, 0, "{}\n{}", ran.shown(), log(&place));
    assert_eq!(fs::read_to_string(place.path("docs/colour.md")).unwrap(), "red\n");
    let asked = fs::read_to_string(place.path(".jixo/harbour.task.md")).unwrap();
    assert!(asked.contains("**Question**:\n- Which colour?"), "{asked}");
    let answered = asked.replace("- <!-- Please fill in your answer here. -->", "- blue");
    assert_ne!(asked, answered, "{asked}");
    fs::write(place.path(".jixo/harbour.task.md"), answered).unwrap();
    let ran = run(&place, &[]);
    assert_eq!(ran.code, 0, "{}\n{}", ran.shown(), log(&place));
    assert_eq!(fs::read_to_string(place.path("docs/colour.md")).unwrap(), "blue\n", "{}", log(&place));
    let left = fs::read_to_string(place.path(".jixo/harbour.task.md")).unwrap();
    assert!(!left.contains("CLARIFICATION"), "the block is gone: {left}");
}

/// A deadlock ends with exit code 4 and says of each item what it waits for; the log says why.
#[test]
fn what_cannot_be_done_is_a_deadlock_with_its_reasons() {
    let task = "## A\n- Negotiate with the harbour master\n- Write \"x\" to docs/x.md (after 1.1)\n- Write \"y\" to docs/y.md\n";
    let place = place(task);
    let ran = run(&place, &[]);
    assert_eq!(ran.code, 4, "{}\n{}", ran.shown(), log(&place));
    assert!(ran.stderr.contains("1.2") && ran.stderr.contains("1.1"), "{}", ran.shown());
    assert!(log(&place).contains("without a model an item is done by rule"), "{}", log(&place));
    assert!(place.path("docs/y.md").exists() && !place.path("docs/x.md").exists());
    let view = status(&place);
    assert_eq!(items(&view), ["1.1 Failed", "1.2 Pending", "1.3 Completed"], "{view:#}");
    assert!(view["items"][1]["waits_for"][0].as_str().unwrap().contains("1.1"), "{view:#}");
    let explained = place.run(&["explain", "last"]);
    assert!(explained.code == 0 && explained.stdout.contains("1.1"), "{}", explained.shown());
}

/// People add, move and cancel items; what is not allowed is refused with the reason and changes nothing.
#[test]
fn people_change_a_roadmap_while_nobody_works() {
    let task = "## A\n- Negotiate with the harbour master\n- Write \"y\" to docs/y.md\n";
    let place = place(task);
    let paused = place.run(&["run", "--protocol", "roadmap", "--agent", "executor=person"]);
    assert_eq!(paused.code, 3, "somebody must do it: {}", paused.shown());
    let added = place.run(&["roadmap", "add", "Check that docs/y.md exists", "--needs", "1.2", "--json"]);
    assert_eq!(added.code, 0, "{}", added.shown());
    let number = added.json()[0]["added"]["item"].as_str().unwrap().to_string();
    assert_eq!(number, "1.3", "{}", added.shown());
    for (arguments, reason) in [
        (&["add", "Again", "--number", "1.3"][..], "1.3"),
        (&["add", "Again", "--needs", "9.9"], "9.9"),
        (&["add", "Again", "--group", "Nowhere"], "there is no group `Nowhere`"),
        (&["move", "9.9", "--first"], "9.9"),
        (&["cancel", "9.9"], "9.9"),
    ] {
        let before = log(&place);
        let ran = place.run(&[&["roadmap"], arguments].concat());
        assert_eq!(ran.code, 1, "{arguments:?}: {}", ran.shown());
        assert!(ran.stderr.contains(reason), "{arguments:?}: {}", ran.shown());
        assert_eq!(log(&place), before, "{arguments:?}");
    }
    assert_eq!(place.run(&["roadmap", "move", "1.3", "--first"]).code, 0);
    assert!(items(&status(&place))[0].starts_with("1.3 "), "{}", log(&place));
    let cancelled = place.run(&["roadmap", "cancel", "1.1", "--reason", "he is away"]);
    assert_eq!(cancelled.code, 0, "{}", cancelled.shown());
    assert!(log(&place).contains("he is away"), "{}", log(&place));
    let ran = run(&place, &["--agent", "offline"]);
    assert_eq!(ran.code, 0, "{}\n{}", ran.shown(), log(&place));
    assert_eq!(status(&place)["progress"], 100);
}

/// RM-11: a second process joins the session that is open; with --no-wait it ends with code 5 when there is nothing for it.
#[test]
fn rm11_a_second_process_joins() {
    let place = place("- 1.1. Do the long one\n- 1.2. Do the next (after 1.1)\n");
    // An executor that works until a file appears.
    let agent = "#!/bin/sh\nread brief\nwhile [ ! -e \"$MULTIVERSE_PROJECT/go\" ]; do :; done\necho '{\"status\": \"done\", \"summary\": \"done\"}'\n";
    fs::write(place.path("agent.sh"), agent).unwrap();
    let mut first =
        place.command(&["run", "--protocol", "roadmap", "--name", "ann", "--agent", "executor=command:sh agent.sh"]);
    let mut first: Child =
        first.env("PATH", "/usr/bin:/bin").stderr(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    // The planner has the session first; only then is there an item to be had.
    until("ann has the item", || {
        let ran = place.run(&["roadmap", "status", "--json"]);
        ran.stdout.contains("\"identity\":\"ann-") && items(&status(&place)).contains(&"1.1 Locked".to_string())
    });
    let second = run(&place, &["--no-wait", "--name", "bob"]);
    assert_eq!(second.code, 5, "{}", second.shown());
    assert!(second.stderr.contains("joined") && second.stderr.contains("nothing to do now"), "{}", second.shown());
    fs::write(place.path("go"), "").unwrap();
    let ended = first.wait().unwrap();
    assert_eq!(ended.code(), Some(0), "{}", log(&place));
    assert!(log(&place).contains("@ann"), "{}", log(&place));
}

/// RM-13: a periodic task that is done is due again in its next period, and not before.
#[test]
fn rm13_a_periodic_task_is_due_again() {
    let place = place("---\nperiod: daily\n---\n- Write \"x\" to docs/x.md\n");
    assert_eq!(run(&place, &[]).code, 0, "{}", log(&place));
    let again = run(&place, &[]);
    assert_eq!(again.code, 5, "{}", again.shown());
    // The log of yesterday.
    let text = log(&place);
    let line = text.lines().find(|line| line.starts_with("period")).unwrap_or_else(|| panic!("{text}")).to_string();
    fs::write(place.path(".jixo/harbour.log.md"), text.replace(&line, "period: \"2020-01-01\"")).unwrap();
    fs::remove_file(place.path("docs/x.md")).unwrap();
    let due = run(&place, &[]);
    assert_eq!(due.code, 0, "{}\n{}", due.shown(), log(&place));
    assert!(place.path("docs/x.md").exists(), "{}", log(&place));
}

/// RM-01: whom a task names works from the first step on, so that the plan is theirs, too.
#[test]
fn rm01_the_agents_of_a_task_work_from_the_first_step() {
    let place = place("---\nagents: [person]\n---\n- Write \"x\" to docs/x.md\n");
    let ran = run(&place, &[]);
    assert_eq!(ran.code, 3, "{}", ran.shown());
    let inbox = place.run(&["inbox"]);
    assert!(inbox.stdout.contains("a plan for the goal is yours to do"), "{}", inbox.shown());
}

/// `--dry-run` shows which tasks would be run, and begins nothing; what a roadmap has not is refused before it begins.
#[test]
fn a_rehearsal_begins_nothing() {
    let place = place(TASK);
    let ran = run(&place, &["--dry-run"]);
    assert_eq!(ran.code, 0, "{}", ran.shown());
    assert!(
        ran.stdout.contains(".jixo/harbour.task.md") && ran.stderr.contains("1 task would be run"),
        "{}",
        ran.shown()
    );
    for more in [["--budget", "5k"], ["--mode", "structured"]] {
        let refused = run(&place, &more);
        assert_eq!(refused.code, 2, "{more:?}: {}", refused.shown());
        assert!(refused.stderr.contains("no meaning for a roadmap"), "{more:?}: {}", refused.shown());
    }
    assert!(!place.path(".multiverse").exists() && !place.path(".jixo/harbour.log.md").exists());
}

/// RM-06: an executor that runs out of its steps pauses: Pending with its summary, its work is kept, and the next goes on.
#[test]
fn rm06_a_pause_is_gone_on_with() {
    let place = place("---\nquota: 7\n---\n- 1.1. Do it in two parts\n");
    // Done when the first part is there; else the first part, and a pause.
    let agent = "#!/bin/sh\nread brief\nmkdir -p docs\nif [ -e docs/part.md ]; then echo two >> docs/part.md; echo '{\"status\": \"done\", \"summary\": \"both\"}'; else echo one > docs/part.md; echo '{\"status\": \"paused\", \"result\": {\"blocker\": false}, \"summary\": \"one part is done\"}'; fi\n";
    fs::write(place.path("agent.sh"), agent).unwrap();
    let mut command = place.command(&["run", "--protocol", "roadmap", "--agent", "executor=command:sh agent.sh"]);
    let ran = Ran::of(command.env("PATH", "/usr/bin:/bin").output().unwrap());
    assert_eq!(ran.code, 0, "{}\n{}", ran.shown(), log(&place));
    assert_eq!(fs::read_to_string(place.path("docs/part.md")).unwrap(), "one\ntwo\n");
    let log = log(&place);
    assert!(
        log.contains("- **Result**: Pending") && log.contains("one part is done") && log.contains("**Blocker**: no"),
        "{log}"
    );
}
