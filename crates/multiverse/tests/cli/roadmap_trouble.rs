//! Logs and task files as people and other programs leave them, and what is done to them while executors work: read as far as
//! they can be, mended or told with the place and the way out, never overwritten, never a crash (RM-02, RM-12, RM-17, QL-23).

use std::fs;
use std::process::{Child, Stdio};

use crate::place::{Place, Ran};
use crate::roadmaps::{items, log, place, run, status, until};

/// The goal of all of these: what their logs have.
const GOAL: &str =
    "---\ndirs: [docs]\n---\n## Phase 1\n- Write \"one\" to docs/one.md\n- Write \"two\" to docs/two.md\n";

/// A log that somebody wrote, carried to its end.
fn carried(roadmap: &str) -> (Place, Ran) {
    let place = place(GOAL);
    fs::write(place.path(".jixo/harbour.log.md"), roadmap).unwrap();
    let ran = run(&place, &[]);
    (place, ran)
}

fn check_done(roadmap: &str, has: &[&str]) {
    let (place, ran) = carried(roadmap);
    let log = log(&place);
    assert_eq!(ran.code, 0, "{}\n{log}", ran.shown());
    assert_eq!(status(&place)["progress"], 100, "{log}");
    assert!(place.path("docs/one.md").exists() && place.path("docs/two.md").exists(), "{log}");
    for words in has.iter().chain(&["100%"]) {
        assert!(log.contains(words), "{words}:\n{log}");
    }
    assert!(!log.contains("status: Locked") && !log.contains("status: Pending"), "{log}");
}

/// Two items of one number are two items.
#[test]
fn two_items_of_one_number() {
    check_done(
        "---\ntitle: x\nprogress: \"0%\"\n---\n\n## Roadmap\n\n- [ ] 1.1. Write \"one\" to docs/one.md\n  - status: Pending\n- [ ] 1.1. Write \"two\" to docs/two.md\n  - status: Pending\n\n## Work Log\n",
        &["1.1. Write \"one\"", "1.1. Write \"two\""],
    );
}

/// States spelled in three ways, boxes that say something else than the status, an executor that never existed, too much
/// progress: what can be told is told, and the rest is done.
#[test]
fn sloppy_states_boxes_and_executors() {
    check_done(
        "---\ntitle: x\nprogress: \"250%\"\n---\n\n## Roadmap\n\n- [ ] **Phase 1**\n  - [x] 1.1. Write \"one\" to docs/one.md\n    - status: pending\n  - [ ] 1.2. Write \"two\" to docs/two.md\n    - **Status**: `LOCKED`\n    - executor: nobody-00000000-0000-4000-8000-000000000000\n  - [X] 1.3. An old one\n    - Status : done\n\n## Work Log\n",
        &["1.3. An old one", "- [x] **Phase 1**"],
    );
}

/// RM-02: what is odd is told with its place and the way out: all of it by `check`, what matters when the task is run.
#[test]
fn rm02_oddities_are_told_with_their_places() {
    let place = place(GOAL);
    let text = "---\ntitle: x\nprogress: \"250%\"\n---\n\n## Roadmap\n\n- [ ] 1.1. Write \"one\" to docs/one.md\n  - status: pending\n- [ ] 1.1. Write \"two\" to docs/two.md\n  - status: Pending\n\n## Work Log\n";
    fs::write(place.path(".jixo/harbour.log.md"), text).unwrap();
    let checked = place.run(&["check", ".jixo"]);
    assert_eq!(checked.code, 1, "{}", checked.shown());
    let twice = ".jixo/harbour.log.md:10:7: the number 1.1 is there twice";
    for words in [".jixo/harbour.log.md:3:11: `250%`", ".jixo/harbour.log.md:9:13: the state is written as", twice] {
        assert!(checked.stdout.contains(words), "{words}: {}", checked.shown());
    }
    let ran = run(&place, &[]);
    assert_eq!(ran.code, 0, "{}", ran.shown());
    assert!(ran.stderr.contains(twice) && !ran.stderr.contains("is written as"), "{}", ran.shown());
}

/// RM-02: headings in another language are known by their structure, and stay as they are.
#[test]
fn rm02_headings_in_chinese() {
    check_done(
        "---\ntitle: 港口\nprogress: \"0%\"\n---\n\n## 路线图\n\n- [ ] **第一阶段**\n  - [ ] 1.1. Write \"one\" to docs/one.md\n    - status: Pending\n  - [ ] 1.2. Write \"two\" to docs/two.md\n    - status: Pending\n\n## 工作日志\n",
        &["## 路线图", "## 工作日志", "title: 港口"],
    );
}

/// A work log in the wrong order is not turned round, and new entries stand on top.
#[test]
fn a_work_log_in_the_wrong_order() {
    let old = "### Log 1 @ann (2026-01-01 10:00:00)\n\n- **Role**: Planner\n- **Objective**: plan\n- **Result**: Succeeded\n- **Summary**: planned\n\n### Log 2 @ann (2026-01-01 11:00:00)\n\n- **Role**: Executor\n- **Objective**: 1.3. An old one\n- **Result**: Succeeded\n- **Summary**: done\n";
    let roadmap = format!(
        "---\ntitle: x\nprogress: \"33%\"\n---\n\n## Roadmap\n\n- [ ] 1.1. Write \"one\" to docs/one.md\n  - status: Pending\n- [ ] 1.2. Write \"two\" to docs/two.md\n  - status: Pending\n- [x] 1.3. An old one\n  - status: Completed\n\n## Work Log\n\n{old}"
    );
    let (place, ran) = carried(&roadmap);
    let log = log(&place);
    assert_eq!(ran.code, 0, "{}\n{log}", ran.shown());
    let at = |words: &str| log.find(words).unwrap_or_else(|| panic!("{words}:\n{log}"));
    assert!(at("### Log 3 @") < at("### Log 1 @ann") && at("### Log 1 @ann") < at("### Log 2 @ann"), "{log}");
    assert!(log.contains(old.trim_end()), "what was there stays:\n{log}");
}

/// A log without front matter, and one that is empty, are begun with what is there.
#[test]
fn no_front_matter_and_nothing_at_all() {
    check_done(
        "## Roadmap\n\n- [ ] 1.1. Write \"one\" to docs/one.md\n  - status: Pending\n- [ ] 1.2. Write \"two\" to docs/two.md\n\n## Work Log\n",
        &["1.2. Write"],
    );
    check_done("", &["## Roadmap", "## Work Log"]);
    check_done("Some words that somebody left here.\n", &["Some words that somebody left here."]);
}

/// Items that depend on themselves, on a cancelled one, on nothing that exists: told, with what each waits for.
#[test]
fn dependencies_that_cannot_be() {
    let task = "- 1.1. Write \"one\" to docs/one.md\n- 1.2. Write \"two\" to docs/two.md\n- 1.3. Write \"three\" to docs/three.md\n- 1.4. Write \"four\" to docs/four.md\n";
    let place = place(task);
    let roadmap = "---\ntitle: x\nprogress: \"0%\"\n---\n\n## Roadmap\n\n- [ ] 1.1. Write \"one\" to docs/one.md\n  - status: Pending\n  - dependsOn: 1.1\n- [ ] 1.2. Write \"two\" to docs/two.md\n  - status: Pending\n  - dependsOn: 1.5\n- [ ] 1.3. Write \"three\" to docs/three.md\n  - status: Pending\n  - dependsOn: 9.9\n- [ ] 1.4. Write \"four\" to docs/four.md\n  - status: Pending\n- [ ] 1.5. Gone\n  - status: Cancelled\n\n## Work Log\n";
    fs::write(place.path(".jixo/harbour.log.md"), roadmap).unwrap();
    let ran = run(&place, &[]);
    assert_eq!(ran.code, 4, "{}\n{}", ran.shown(), log(&place));
    for words in ["1.1", "itself", "1.5", "9.9"] {
        assert!(ran.stderr.contains(words), "{words}: {}", ran.shown());
    }
    assert!(place.path("docs/four.md").exists(), "what can be done is done");
    let view = status(&place);
    assert_eq!(
        items(&view),
        ["1.1 Pending", "1.2 Pending", "1.3 Pending", "1.4 Completed", "1.5 Cancelled"],
        "{view:#}"
    );
    // The way out: the log is mended, and the task run again.
    let mended = log(&place)
        .replace("  - dependsOn: 1.1\n", "")
        .replace("  - dependsOn: 1.5\n", "")
        .replace("  - dependsOn: 9.9\n", "");
    fs::write(place.path(".jixo/harbour.log.md"), mended).unwrap();
    let again = run(&place, &[]);
    assert_eq!(again.code, 0, "{}\n{}", again.shown(), log(&place));
}

/// A quota of zero is told with its place, in a task and in the settings.
#[test]
fn a_quota_of_zero() {
    let place = place("---\nquota: 0\n---\n- Write \"one\" to docs/one.md\n");
    let ran = run(&place, &[]);
    assert!(ran.stderr.contains(".jixo/harbour.task.md:2") && ran.stderr.contains("quota"), "{}", ran.shown());
    fs::write(place.path("multiverse.toml"), "[roadmap]\nquota = 0\n").unwrap();
    let refused = run(&place, &[]);
    assert_eq!(refused.code, 1, "{}", refused.shown());
    assert!(refused.stderr.contains("quota"), "{}", refused.shown());
}

/// An executor that works until a file appears.
fn waiting(place: &Place) -> Child {
    let agent = "#!/bin/sh\nread brief\nwhile [ ! -e \"$MULTIVERSE_PROJECT/go\" ]; do :; done\necho '{\"status\": \"done\", \"summary\": \"done\"}'\n";
    fs::write(place.path("agent.sh"), agent).unwrap();
    let mut command =
        place.command(&["run", "--protocol", "roadmap", "--jobs", "2", "--agent", "executor=command:sh agent.sh"]);
    let child = command.env("PATH", "/usr/bin:/bin").stderr(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    until("an executor is at work", || {
        place.run(&["roadmap", "status", "--json"]).stdout.contains("\"role\":\"executor\"")
    });
    // The journal knows of it a moment before the file is in its place.
    until("the log is there", || place.path(".jixo/harbour.log.md").exists());
    child
}

/// RM-12: what a person writes into the log while executors work is taken over, and theirs is not lost.
#[test]
fn rm12_a_log_edited_while_executors_work() {
    let place = place("- 1.1. Do the first\n- 1.2. Do the second\n");
    let executor = waiting(&place);
    let edited = log(&place)
        .replace("## Work Log", "- [ ] 1.3. Do the third\n  - status: Pending\n\nA word of mine.\n\n## Work Log");
    fs::write(place.path(".jixo/harbour.log.md"), edited).unwrap();
    until("the edit is taken over", || place.run(&["roadmap", "status", "--json"]).stdout.contains("Do the third"));
    fs::write(place.path("go"), "").unwrap();
    let ended = executor.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(0), "{}\n{}", String::from_utf8_lossy(&ended.stderr), log(&place));
    assert_eq!(items(&status(&place)), ["1.1 Completed", "1.2 Completed", "1.3 Completed"], "{}", log(&place));
    assert!(log(&place).contains("A word of mine."), "{}", log(&place));
}

/// A task file that is deleted while it runs pauses the session, and says how it comes back.
#[test]
fn a_task_file_deleted_while_it_runs() {
    let place = place("- 1.1. Do the first\n- 1.2. Do the second (after 1.1)\n");
    let executor = waiting(&place);
    // What is deleted before the documents are in place for the first time comes back with them.
    until("the documents are in place", || place.path(".jixo/harbour.log.md").exists());
    let text = fs::read(place.path(".jixo/harbour.task.md")).unwrap();
    fs::remove_file(place.path(".jixo/harbour.task.md")).unwrap();
    until("it is noticed", || place.run(&["inbox"]).stdout.contains("is gone"));
    fs::write(place.path("go"), "").unwrap();
    let ended = executor.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert_eq!(ended.status.code(), Some(3), "{said}\n{}", log(&place));
    assert!(said.contains("restore .jixo/harbour.task.md"), "{said}");
    fs::write(place.path(".jixo/harbour.task.md"), text).unwrap();
    let mut command = place.command(&["resume", "last"]);
    let resumed = Ran::of(command.env("PATH", "/usr/bin:/bin").output().unwrap());
    assert_eq!(resumed.code, 0, "{}\n{}", resumed.shown(), log(&place));
}

/// RM-17: the folders of a task are there for its executors, even if nothing is in them yet.
#[test]
fn rm17_the_folders_of_a_task_are_there() {
    let place = place("---\ndirs: [docs/new]\n---\n- 1.1. Do the first\n");
    let agent =
        "#!/bin/sh\nread brief\necho made > docs/new/x.md\necho '{\"status\": \"done\", \"summary\": \"done\"}'\n";
    fs::write(place.path("agent.sh"), agent).unwrap();
    let mut command = place.command(&["run", "--protocol", "roadmap", "--agent", "executor=command:sh agent.sh"]);
    let ran = Ran::of(command.env("PATH", "/usr/bin:/bin").output().unwrap());
    assert_eq!(fs::read_to_string(place.path("docs/new/x.md")).ok().as_deref(), Some("made\n"), "{}", ran.shown());
}

/// RM-17: an agent that writes into the log, or makes a task of its own, has its report sent back; the log stays valid.
#[test]
fn rm17_an_agent_that_writes_the_log_itself() {
    let place = place("- 1.1. Do the first\n");
    let agent = "#!/bin/sh\nread brief\nmkdir -p .jixo\ncase \"$brief\" in *'engine'*) rm -f .jixo/harbour.log.md .jixo/mine.task.md; git checkout -q . 2>/dev/null;; *) echo nonsense > .jixo/harbour.log.md; echo mine > .jixo/mine.task.md;; esac\necho '{\"status\": \"done\", \"summary\": \"done\"}'\n";
    fs::write(place.path("agent.sh"), agent).unwrap();
    let mut command = place.command(&["run", "--protocol", "roadmap", "--agent", "executor=command:sh agent.sh"]);
    let ran = Ran::of(command.env("PATH", "/usr/bin:/bin").output().unwrap());
    assert!(
        log(&place).contains("## Roadmap") && !log(&place).contains("nonsense"),
        "{}\n{}",
        ran.shown(),
        log(&place)
    );
    assert!(!place.path(".jixo/mine.task.md").exists(), "{}", ran.shown());
    assert!(place.run(&["history", "--json"]).stdout.contains("harbour.log.md"), "{}", ran.shown());
}
