//! What the commands on a journal say and how they end when something is not well.

use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::process::Command;

use crate::place::{Place, Ran};

/// A project in `proj/` with two documents, each edited once: records 1 to 3.
fn project() -> Place {
    let place = Place::with(&[("proj/a.md", b"# A\n"), ("proj/sub/b.md", b"# B\n"), ("proj/sub/new.md", b"# New\n")]);
    ok(&place, &["adopt", "a.md", "sub/b.md"]);
    for path in ["proj/a.md", "proj/sub/b.md"] {
        let text = fs::read_to_string(place.path(path)).unwrap();
        fs::write(place.path(path), format!("{text}\nmore\n")).unwrap();
        // A command that changes something takes the edit over, even if it then finds nothing to undo.
        let ran = run(&place, &["undo", "1"]);
        assert_eq!(ran.code, 5, "{}", ran.shown());
    }
    place
}

fn run(place: &Place, arguments: &[&str]) -> Ran {
    let mut command = place.command(arguments);
    Ran::of(command.current_dir(place.path("proj")).output().unwrap())
}

fn ok(place: &Place, arguments: &[&str]) {
    let ran = run(place, arguments);
    assert_eq!(ran.code, 0, "{arguments:?}\n{}", ran.shown());
}

fn damage_record_2(place: &Place) {
    let journal = place.path("proj/.multiverse/journal");
    let mut segments: Vec<_> = fs::read_dir(journal).unwrap().map(|entry| entry.unwrap().path()).collect();
    segments.sort();
    let found = segments.iter().find_map(|path| {
        let text = fs::read_to_string(path).unwrap();
        let line = text.lines().find(|line| line.contains("edited by hand"))?;
        Some((path, text.replace(line, &line.replacen("more", "less", 1))))
    });
    let (path, text) = found.unwrap();
    fs::write(path, text).unwrap();
}

/// QL-26: what cannot be read is not passed over in silence.
#[test]
fn history_tells_of_damage_and_shows_the_rest() {
    let place = project();
    damage_record_2(&place);
    for arguments in [&["history"][..], &["history", "-q"]] {
        let ran = run(&place, arguments);
        assert_eq!(ran.code, 1, "{}", ran.shown());
        assert!(ran.stdout.contains("  adopt  "), "{}", ran.shown());
        assert!(ran.stderr.contains(".multiverse/journal/") && ran.stderr.contains("record 2"), "{}", ran.shown());
        assert!(ran.stderr.contains("hint: `multiverse verify` tells more"), "{}", ran.shown());
    }
    let lines = run(&place, &["history", "--json"]).json();
    assert!(lines.iter().any(|line| line["damage"]["record"] == 2), "{lines:?}");
    assert_eq!(lines.last().unwrap()["error"]["kind"], "damaged");
    assert!(lines.iter().any(|line| line["record"]["number"] == 1), "{lines:?}");
}

#[test]
fn a_journal_that_is_gone_is_missed() {
    let place = project();
    fs::remove_dir_all(place.path("proj/.multiverse/journal")).unwrap();
    for command in ["history", "doctor", "verify"] {
        let ran = run(&place, &[command]);
        let told =
            format!("{}{}", ran.stdout, ran.stderr).contains(".multiverse/journal: the journal that was here is gone");
        assert!(ran.code == 1 && told, "{}", ran.shown());
    }
}

#[test]
fn a_document_that_the_journal_never_had_has_no_history() {
    let place = project();
    let ran = run(&place, &["history", "typo.md"]);
    insta::assert_snapshot!(ran.shown(), @"
    exit code 1
    --- stderr
    error: typo.md is not in the journal
    hint: `multiverse history` lists what is
    ");
    let ran = run(&place, &["history", "typo.md", "a.md", "--json"]);
    assert_eq!((ran.code, ran.json().len()), (1, 3), "{}", ran.shown());
}

/// The findings that are not well, as `state subject: message`.
fn findings(ran: &Ran) -> Vec<String> {
    let text = |value: &serde_json::Value| value.as_str().unwrap().to_string();
    let lines = ran.json();
    let findings = lines.iter().map(|line| &line["finding"]).filter(|finding| finding["state"] != "well");
    findings
        .map(|finding| {
            assert!(finding["hint"].is_string(), "nothing to do about {finding}");
            format!("{} {}: {}", text(&finding["state"]), text(&finding["subject"]), text(&finding["message"]))
        })
        .collect()
}

#[test]
fn doctor_finds_what_keeps_commands_from_working() {
    let check = |spoil: &dyn Fn(&Place), code: i32, expected: &str| {
        let place = project();
        assert_eq!(findings(&run(&place, &["doctor", "--json"])), [""; 0]);
        spoil(&place);
        let ran = run(&place, &["doctor", "--json"]);
        let findings = findings(&ran);
        assert!(findings.iter().any(|finding| finding.starts_with(expected)), "{expected}: {findings:?}");
        assert_eq!((ran.code, findings.len()), (code, 1), "{findings:?}");
    };
    let in_place_of_a = |place: &Place| {
        fs::remove_file(place.path("proj/a.md")).unwrap();
        place.path("proj/a.md")
    };
    check(&|place| damage_record_2(place), 1, "bad journal: .multiverse/journal/");
    check(
        &|place| fs::create_dir(in_place_of_a(place)).unwrap(),
        1,
        "bad documents: a folder stands in the place of a.md",
    );
    check(
        &|place| symlink("sub/b.md", in_place_of_a(place)).unwrap(),
        1,
        "bad documents: a symbolic link stands in the place of a.md",
    );
    check(&|place| drop(in_place_of_a(place)), 0, "note documents: a.md differs from the journal");
    check(
        &|place| fs::write(place.path("proj/a.md"), "# Edited\n").unwrap(),
        0,
        "note documents: a.md differs from the journal",
    );
    check(
        &|place| {
            fs::create_dir_all(place.path("proj/.multiverse/placing")).unwrap();
            fs::write(place.path("proj/.multiverse/placing/x.part"), "").unwrap();
        },
        0,
        "note left half done: 1 file in .multiverse/blobs/ and .multiverse/placing/",
    );
}

#[test]
fn doctor_says_who_holds_the_lock() {
    let place = project();
    let path = place.path("proj/.multiverse/lock");
    fs::write(&path, format!("pid {} segment 1\n", std::process::id())).unwrap();
    let lock = File::open(&path).unwrap();
    lock.lock().unwrap();
    let expected = format!("note lock: process {} holds it", std::process::id());
    assert_eq!(findings(&run(&place, &["doctor", "--json"])), [expected]);
    lock.unlock().unwrap();
    assert_eq!(findings(&run(&place, &["doctor", "--json"])), [""; 0]);
}

/// Runs the program where no file may become as large as the document of the next test.
fn run_with_small_files(place: &Place, arguments: &str) -> Ran {
    let script = format!("trap '' XFSZ; ulimit -f 1024; {} {arguments}", env!("CARGO_BIN_EXE_multiverse"));
    Ran::of(Command::new("/bin/sh").args(["-c", &script]).current_dir(place.path("proj")).output().unwrap())
}

/// QL-24: the record is small and is written; the file is large and cannot be.
#[test]
fn what_is_recorded_and_not_in_place_is_said() {
    let large = "a line of text\n".repeat(160_000);
    let place = Place::with(&[("proj/a.md", large.as_bytes())]);
    ok(&place, &["adopt", "a.md"]);
    fs::write(place.path("proj/a.md"), format!("{large}more\n")).unwrap();
    assert_eq!(run(&place, &["undo", "1"]).code, 5, "the edit is taken over");
    let ran = run_with_small_files(&place, "undo 2");
    let said = "error: recorded as 3, but not in place yet: cannot place a.md: ";
    assert!(ran.code == 1 && ran.stderr.contains(said) && !ran.stderr.contains("undid"), "{}", ran.shown());
    let lines = run_with_small_files(&place, "undo 3 --json").json();
    let undone = lines.iter().find(|line| !line["undone"].is_null()).unwrap();
    assert_eq!((&undone["undone"]["record"], &undone["undone"]["in_place"]), (&4.into(), &false.into()));
    assert_eq!(lines.last().unwrap()["error"]["kind"], "not_placed");
    ok(&place, &["undo", "4"]);
    assert_eq!(fs::read_to_string(place.path("proj/a.md")).unwrap(), large, "the next command places it");
}

#[test]
fn one_odd_name_keeps_no_other_out() {
    let place = project();
    for name in ["CON.md", "a\nb.md"] {
        fs::write(place.path("proj/sub").join(name), "# Odd\n").unwrap();
    }
    let ran = run(&place, &["adopt", "."]);
    insta::assert_snapshot!(ran.shown(), @r#"
    exit code 1
    --- stderr
    error: sub/CON.md is refused: "CON.md" is the name of a device on some systems
    hint: rename it, or leave it out
    error: sub/a␊b.md is refused: it holds the control character \u{a}
    hint: rename it, or leave it out
    under the journal now: sub/new.md (record 4)
    under the journal before: a.md, sub/b.md
    head DIGEST
    "#);
    let lines = run(&place, &["adopt", "sub", "--json"]).json();
    let kinds: Vec<bool> = lines.iter().map(|line| line["error"]["kind"] == "refused").collect();
    assert_eq!(kinds, [true, true, false], "{lines:?}");
    let ran = run(&place, &["adopt", "../outside.md", "gone.md"]);
    assert_eq!(ran.stderr.matches("error: ").count(), 2, "{}", ran.shown());
}

#[test]
fn documents_are_found_through_symbolic_links() {
    let place = project();
    symlink("proj", place.path("link")).unwrap();
    let (real, linked) = (place.path("proj/a.md"), place.path("link/a.md"));
    for arguments in [
        &["-C", "proj", "history", linked.to_str().unwrap()][..],
        &["-C", "link", "history", real.to_str().unwrap()],
        &["-C", "link", "history", linked.to_str().unwrap()],
        &["-C", "link", "history", "a.md"],
    ] {
        let ran = place.run(arguments);
        assert_eq!((ran.code, ran.stdout.lines().count()), (0, 2), "{arguments:?}\n{}", ran.shown());
    }
}

#[test]
fn no_project_begins_inside_another() {
    let place = project();
    let ran = place.run(&["-C", "proj/sub", "adopt", "new.md"]);
    assert!(ran.code == 0 && ran.stderr.contains("sub/new.md"), "{}", ran.shown());
    let project = place.path("proj").canonicalize().unwrap();
    assert!(ran.stderr.starts_with(&format!("in the project {}\n", project.display())), "{}", ran.shown());
    assert!(!place.path("proj/sub/.multiverse").exists());
}

#[test]
fn a_file_is_no_folder_to_work_in() {
    let place = project();
    for command in [&["history"][..], &["check", "a.md"], &["doctor"]] {
        let ran = place.run(&[&["-C", "proj/a.md"], command].concat());
        assert!(ran.code == 1 && ran.stderr.contains("it is a file, not a folder"), "{}", ran.shown());
    }
}

#[test]
fn what_was_taken_back_is_not_taken_back_twice() {
    let place = project();
    ok(&place, &["undo", "2"]);
    let again = run(&place, &["undo", "2"]);
    assert!(
        again.code == 5 && again.stderr.contains("record 2 was taken back by record 4 already"),
        "{}",
        again.shown()
    );
    assert_eq!(run(&place, &["undo", "2", "--json"]).json()[0]["undone"]["taken_back_by"], 4);
    ok(&place, &["undo", "4"]);
    ok(&place, &["undo", "2"]);
}

#[test]
fn errors_have_their_hint_in_a_field() {
    let place = project();
    for (arguments, hint) in [
        (&["undo", "9"][..], "the journal has records 1 to 3"),
        (&["restore", "gone.md", "--at", "1"], "`multiverse history` lists what is"),
        (&["history", "gone.md"], "`multiverse history` lists what is"),
        (&["history", "../x.md"], "give a file below the project's folder"),
    ] {
        let line = &run(&place, &[arguments, &["--json"]].concat()).json()[0]["error"];
        assert_eq!(line["hint"], hint, "{line}");
        assert!(!line["message"].as_str().unwrap().contains(';'), "{line}");
    }
}

const PLAN: &str = "# Plan\n\n| id | status |\n|---|---|\n| 1 | OPEN |\n| 2 | OPEN |\n";

/// A project whose `a.md` is a plan in which row 1 was done (record 2) and opened again by an undo (record 3).
fn undone() -> (Place, String) {
    let place = Place::with(&[("proj/a.md", PLAN.as_bytes())]);
    ok(&place, &["adopt", "a.md"]);
    let done = PLAN.replace("| 1 | OPEN", "| 1 | DONE");
    fs::write(place.path("proj/a.md"), &done).unwrap();
    ok(&place, &["undo", "2"]);
    (place, done)
}

/// QL-23: whoever edited an older version is told what became of it, and can have it back.
#[test]
fn a_merged_edit_can_be_had_as_it_was_written() {
    let (place, done) = undone();
    let written = done.replace("| 2 | OPEN", "| 2 | LATE");
    fs::write(place.path("proj/a.md"), &written).unwrap();
    let ran = run(&place, &["undo", "1", "-q"]);
    insta::assert_snapshot!(ran.shown(), @"
    exit code 5
    --- stderr
    a.md: merged with what was recorded since record 2; as it was written: multiverse restore a.md --at 4 --as-written
    ");
    assert_eq!(fs::read_to_string(place.path("proj/a.md")).unwrap(), PLAN.replace("| 2 | OPEN", "| 2 | LATE"));
    insta::assert_snapshot!(run(&place, &["restore", "a.md", "--at", "4", "--as-written"]).shown(), @"
    exit code 0
    --- stderr
    a.md is as it was written at record 4 (record 5)
    head DIGEST
    ");
    assert_eq!(fs::read_to_string(place.path("proj/a.md")).unwrap(), written);
    let ran = run(&place, &["restore", "a.md", "--at", "2", "--as-written"]);
    assert!(ran.code == 1 && ran.stderr.contains("record 2 did not merge a.md"), "{}", ran.shown());
}

#[test]
fn what_is_put_back_is_told_to_everyone() {
    let check = |option: &str, told: &dyn Fn(&Ran) -> bool| {
        let (place, done) = undone();
        fs::write(place.path("proj/a.md"), done).unwrap();
        let ran = run(&place, &["undo", "1", option]);
        assert!(told(&ran), "{}", ran.shown());
    };
    let words = "a.md was put back to what it was at record 2; it is brought up to date again";
    check("-v", &|ran| ran.stderr.contains(words));
    check("-q", &|ran| ran.stderr.trim_end() == words);
    check("--json", &|ran| ran.json()[0]["notice"]["message"] == words && ran.json()[0]["notice"]["kind"] == "stale");
}
