//! The commands on a journal: adopt, history, undo, restore, verify, doctor.

use std::fs;

use crate::place::Place;

const PLAN: &str = "# Plan\n\n| id | status |\n|---|---|\n| 1 | OPEN |\n| 2 | OPEN |\n";

/// A project with `plan.md` under the journal (record 1) and an edit by hand that is still to be taken over.
fn edited() -> Place {
    let place = Place::with(&[("plan.md", PLAN.as_bytes()), ("docs/other.md", b"# Other\n")]);
    let adopted = place.run(&["adopt", "plan.md"]);
    assert_eq!(adopted.code, 0, "{}", adopted.shown());
    fs::write(place.path("plan.md"), PLAN.replace("| 1 | OPEN", "| 1 | DONE")).unwrap();
    place
}

fn plan(place: &Place) -> String {
    fs::read_to_string(place.path("plan.md")).unwrap()
}

/// The kinds and documents in the history, newest first.
fn history(place: &Place) -> Vec<String> {
    let lines = place.run(&["history", "--json"]).json();
    lines
        .iter()
        .map(|line| format!("{} {} {}", line["record"]["number"], line["record"]["kind"], line["record"]["paths"]))
        .collect()
}

#[test]
fn documents_come_under_the_journal_once() {
    let place =
        Place::with(&[("plan.md", PLAN.as_bytes()), ("docs/other.md", b"# Other\n"), ("docs/a.bin", b"\xff\0")]);
    insta::assert_snapshot!(place.run(&["adopt", "plan.md", "docs"]).shown(), @"
    exit code 0
    --- stderr
    under the journal now: docs/other.md, plan.md (record 1)
    head DIGEST
    ");
    insta::assert_snapshot!(place.run(&["adopt", "docs/other.md", "docs/a.bin"]).shown(), @"
    exit code 0
    --- stderr
    under the journal now: docs/a.bin (record 2)
    under the journal before: docs/other.md
    head DIGEST
    ");
    insta::assert_snapshot!(place.run(&["adopt", "docs/other.md"]).shown(), @"
    exit code 5
    --- stderr
    under the journal before: docs/other.md
    head DIGEST
    ");
    assert_eq!(history(&place), [r#"2 "adopt" ["docs/a.bin"]"#, r#"1 "adopt" ["docs/other.md","plan.md"]"#]);
    assert_eq!(plan(&place), PLAN, "adopting changes nothing");
}

#[test]
fn what_cannot_be_adopted_begins_no_project() {
    let place = Place::with(&[("plan.md", PLAN.as_bytes())]);
    for (path, reason) in [
        ("gone.md", "there is no such file"),
        ("/etc/hostname", "it is not in the project"),
        (".git/config", "there is no such file"),
    ] {
        let ran = place.run(&["adopt", "plan.md", path]);
        assert!(ran.code == 1 && ran.stderr.contains(reason), "{}", ran.shown());
        assert!(!place.path(".multiverse").exists());
    }
}

/// QL-23: an edit by hand is a record before anything else is done.
#[test]
fn an_edit_by_hand_is_recorded_and_can_be_undone() {
    let place = edited();
    insta::assert_snapshot!(place.run(&["undo", "2"]).shown(), @"
    exit code 0
    --- stderr
    edited by hand, now record 2: plan.md
    undid record 2 in plan.md (record 3)
    head DIGEST
    ");
    assert_eq!(plan(&place), PLAN);
    assert_eq!(history(&place), [r#"3 "undo" ["plan.md"]"#, r#"2 "edit" ["plan.md"]"#, r#"1 "adopt" ["plan.md"]"#]);
    assert_eq!(place.run(&["undo", "3"]).code, 0, "undoing can be undone");
    assert!(plan(&place).contains("| 1 | DONE |"));
}

#[test]
fn a_later_change_elsewhere_survives_an_undo() {
    let place = edited();
    assert_eq!(place.run(&["adopt", "docs"]).code, 0);
    fs::write(place.path("plan.md"), plan(&place).replace("| 2 | OPEN", "| 2 | DONE")).unwrap();
    assert_eq!(place.run(&["undo", "2"]).code, 0);
    assert_eq!(plan(&place), PLAN.replace("| 2 | OPEN", "| 2 | DONE"));
}

#[test]
fn restore_brings_back_the_whole_and_keeps_what_was() {
    let place = edited();
    insta::assert_snapshot!(place.run(&["restore", "plan.md", "--at", "1"]).shown(), @"
    exit code 0
    --- stderr
    edited by hand, now record 2: plan.md
    plan.md is as it was at record 1 (record 3)
    head DIGEST
    ");
    assert_eq!(plan(&place), PLAN);
    insta::assert_snapshot!(place.run(&["restore", "plan.md", "--at", "1"]).shown(), @"
    exit code 5
    --- stderr
    plan.md is as it was at record 1 already
    head DIGEST
    ");
    assert_eq!(place.run(&["restore", "plan.md", "--at", "2"]).code, 0);
    assert!(plan(&place).contains("| 1 | DONE |"));
}

#[test]
fn going_back_says_why_it_cannot() {
    let place = edited();
    for (arguments, code, reason) in [
        (&["undo", "1"][..], 5, "nothing to undo"),
        (&["undo", "9"], 1, "there is no record 9\nhint: the journal has records 1 to 2"),
        (&["undo", "x"], 2, "invalid value 'x'"),
        (&["restore", "gone.md", "--at", "1"], 1, "gone.md is not in the journal"),
        (&["restore", "../x.md", "--at", "1"], 1, "it is not in the project"),
        (&["restore", "plan.md", "--as-written"], 2, "--at <N>"),
    ] {
        let ran = place.run(arguments);
        assert!(ran.code == code && ran.stderr.contains(reason), "{arguments:?}\n{}", ran.shown());
    }
}

#[test]
fn history_is_newest_first_and_can_be_narrowed() {
    let place = edited();
    assert_eq!(place.run(&["adopt", "docs"]).code, 0);
    let numbers = |arguments: &[&str]| {
        let lines = place.run(&[&["history"], arguments].concat()).stdout;
        lines.lines().map(|line| line.split_whitespace().next().unwrap().to_string()).collect::<Vec<_>>()
    };
    assert_eq!(numbers(&[]).len(), 3);
    assert_eq!(numbers(&["docs/other.md"]).len(), 1);
    assert_eq!(numbers(&["-n", "1"]), ["3"]);
    assert_eq!(numbers(&["-n", "1", "plan.md"]).len(), 1);
}

/// QL-26: a changed record is found and named.
#[test]
fn verify_finds_what_was_altered() {
    let place = edited();
    assert_eq!(place.run(&["undo", "2"]).code, 0);
    let good = place.run(&["verify"]);
    assert_eq!(good.code, 0, "{}", good.shown());
    let head = good.stdout.lines().find_map(|line| line.strip_prefix("head ")).unwrap().to_string();
    assert_eq!(place.run(&["verify", "--head", &head]).code, 0);
    let unknown = "0123456789abcdef0123456789abcdef";
    assert_eq!(place.run(&["verify", "--head", unknown]).code, 1);
    assert_eq!(place.run(&["verify", "--head", "abc"]).code, 2);

    let segment = fs::read_dir(place.path(".multiverse/journal")).unwrap().next().unwrap().unwrap().path();
    let text = fs::read_to_string(&segment).unwrap();
    fs::write(&segment, text.replacen("OPEN", "DONE", 1)).unwrap();
    let bad = place.run(&["verify"]);
    assert_eq!(bad.code, 1);
    assert!(bad.stdout.contains(".multiverse/journal/00000001.jsonl:2"), "{}", bad.shown());
    let damage = &place.run(&["verify", "--json"]).json()[0]["damage"];
    assert_eq!(damage["place"], ".multiverse/journal/00000001.jsonl:2");
}

#[test]
fn verify_names_documents_that_differ() {
    let place = edited();
    let ran = place.run(&["verify"]);
    assert!(ran.code == 0 && ran.stdout.contains("plan.md: differs from the journal"), "{}", ran.shown());
    assert_eq!(place.run(&["verify", "--json"]).json()[0]["verified"]["differing"][0], "plan.md");
}

#[test]
fn commands_find_the_project_above() {
    let place = edited();
    let inside = |arguments: &[&str]| {
        let mut command = place.command(arguments);
        command.current_dir(place.path("docs")).output().unwrap().status.code()
    };
    assert_eq!(inside(&["history"]), Some(0));
    assert_eq!(inside(&["history", "../plan.md"]), Some(0));
    assert_eq!(inside(&["adopt", "other.md"]), Some(0));
    assert_eq!(history(&place)[0].split(' ').next_back(), Some(r#"["docs/other.md"]"#));
    assert_eq!(inside(&["-C", "..", "restore", "plan.md", "--at", "1"]), Some(0));
}

#[test]
fn without_a_project_there_is_a_way_to_begin() {
    let place = Place::with(&[]);
    for arguments in [&["history"][..], &["undo", "1"], &["verify"], &["restore", "a.md", "--at", "1"]] {
        let ran = place.run(arguments);
        assert_eq!(ran.code, 1);
        assert!(ran.stderr.contains("no project here") && ran.stderr.contains("multiverse adopt"), "{}", ran.shown());
        assert_eq!(place.run(&[&["--json"], arguments].concat()).json()[0]["error"]["kind"], "no_project");
    }
    assert!(place.run(&["-C", "gone", "history"]).stderr.contains("there is no such folder"));
}

#[test]
fn doctor_tells_what_it_sees() {
    let place = edited();
    let ran = place.run(&["doctor", "--json"]);
    let subjects: Vec<String> = ran.json().iter().map(|line| line["finding"]["subject"].to_string()).collect();
    let expected = [
        "file system",
        "free space",
        "project",
        "exchange of files",
        "news of files",
        "lock",
        "journal",
        "documents",
        "left half done",
        "found after crashes",
        "confinement of programs",
        "agents",
        "coding CLIs",
    ];
    assert_eq!(subjects, expected.map(|subject| format!("{subject:?}")));
    fs::create_dir_all(place.path(".multiverse/found")).unwrap();
    fs::write(place.path(".multiverse/found/1-1-plan.md"), "x").unwrap();
    let ran = place.run(&["doctor"]);
    assert!(ran.stdout.contains("note  found after crashes: 1 file in .multiverse/found/"), "{}", ran.shown());
    let left: Vec<_> =
        fs::read_dir(place.path(".multiverse")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(!left.iter().any(|name| name.to_string_lossy().contains("doctor")), "{left:?}");
    assert!(Place::with(&[]).run(&["doctor"]).stdout.contains("note  project: no project here"));
}
