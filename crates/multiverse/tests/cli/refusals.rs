//! Requests, answers and options that cannot be: each is refused with what to do, and nothing is begun or changed.

use std::fs;

use crate::place::Place;
use crate::scripted::{REQUEST, last, place, records, scripted, status, waiting};

/// Nothing is begun for what is not understood: not even the project's own folder.
fn check(place: &Place, arguments: &[&str], code: i32, expected: &str) {
    let ran = place.run(arguments);
    assert_eq!(ran.code, code, "{arguments:?}\n{}", ran.shown());
    assert!(ran.stderr.contains(expected), "{arguments:?}: {expected}\n{}", ran.shown());
    assert!(!place.path(".multiverse").exists() && !place.path("db").exists(), "{arguments:?}");
}

#[test]
fn what_is_no_request_begins_nothing() {
    let place = Place::with(&[("binary", b"\xff\xfe\x00"), ("empty.md", b" \n"), ("script.yaml", b"- {nothing: 1}\n")]);
    for arguments in
        [&["run", ""][..], &["run", " \t\n"], &["run"], &["run", "-"], &["do", ""], &["run", "-f", "empty.md"]]
    {
        check(&place, arguments, 2, "the request is empty");
    }
    check(&place, &["run", "sales"], 2, "\"sales\" is one word, and one word is never a request");
    check(&place, &["run", "-f", "gone.md"], 1, "cannot read gone.md: there is no such file");
    check(&place, &["run", "-f", "binary"], 1, "cannot use binary: it is not text in UTF-8");
    check(&place, &["run", "-f", "."], 1, "cannot use .: it is not a file");
    check(&place, &["run", REQUEST, "-f", "empty.md"], 2, "cannot be used with");
    check(&place, &["run", REQUEST, "--jobs", "0"], 2, "0 is not in 1..=1000");
    check(&place, &["run", REQUEST, "--jobs", "many"], 2, "invalid value 'many'");
    check(&place, &["run", REQUEST, "--mode", "fast"], 2, "[possible values: simple, initial, continuous, structured]");
    check(
        &place,
        &["run", REQUEST, "--agent", "codx"],
        2,
        "there is no kind of agent `codx`; valid: offline, auto, script:FILE",
    );
    check(
        &place,
        &["run", REQUEST, "--agent", "boss=offline"],
        2,
        "`boss` is no role; valid: planner, executor, communicator",
    );
    check(&place, &["run", REQUEST, "--agent", "script:gone.yaml"], 1, "cannot read gone.yaml: there is no such file");
    check(&place, &["run", REQUEST, "--agent", "script:script.yaml"], 1, "cannot use the script: ");
    check(&place, &["run", REQUEST, "--agent", "command:./gone"], 1, "there is no program");
    check(&place, &["run", REQUEST, "--dry-run", "--mode", "simple"], 2, "no proposal");
    check(&place, &["status"], 1, "no project here");
    check(&place, &["inbox"], 1, "no project here");
    check(&place, &["confirm", "last"], 1, "no project here");
}

/// One word is never a request: near a command it is a typo, and nothing is started.
#[test]
fn a_word_that_is_no_command_starts_nothing() {
    let place = Place::with(&[]);
    check(&place, &["statsu"], 2, "tip: a similar subcommand exists: 'status'");
    check(&place, &["reume", "--all"], 2, "tip: a similar subcommand exists: 'resume'");
    check(&place, &["banana"], 2, "tip: a request is a sentence in quotes: multiverse \"Make a report of …\"");
    check(&place, &["make", "a", "report"], 2, "unrecognized subcommand 'make'");
    check(&place, &["chekc", "what is odd in it"], 2, "unrecognized subcommand 'chekc'");
    check(&place, &["--fast"], 2, "unexpected argument '--fast'");
    check(&place, &["--agent", "offline"], 2, "unexpected argument '--agent'");
    check(&place, &["check", "--fast", "what is odd"], 2, "unexpected argument '--fast'");
}

/// MV-04: whatever characters a request has, the table holds them and stays a table.
#[test]
fn a_request_may_hold_anything() {
    let place = place("");
    let row = "| a | b \\| c |\n|---|---|\n| 1 | `x|y` |\n\n<!-- -->\t\"'\\ 보고서 \u{1f600} \u{1b}[2J\n";
    let request = format!("Make a report.\n\n{}", row.repeat(100 * 1024 / row.len()));
    let ran = place.run_with_input(&["run", "-", "--agent", "script:script.yaml"], request.as_bytes());
    assert_eq!(ran.code, 3, "{}", ran.shown());
    let run = last(&place);
    assert_eq!(place.run(&["status", &run, "--json"]).json()[0]["request"], request);
    assert_eq!(place.run(&["check", "db/process_runs.md"]).code, 0);
    let table = place.run(&["status"]);
    assert_eq!(table.stdout.lines().count(), 2, "{}", table.shown());
    assert!(!table.stdout.contains('\u{1b}'));
    assert_eq!(scripted(&place, &["confirm", &run]).code, 0);
}

#[test]
fn runs_are_named_by_what_is_unique() {
    let place = place("");
    let one = waiting(&place);
    let other = waiting(&place);
    let before = records(&place);
    let refused = |arguments: &[&str], expected: &str| {
        let ran = scripted(&place, arguments);
        assert_eq!(ran.code, 1, "{arguments:?}\n{}", ran.shown());
        assert!(ran.stderr.contains(expected), "{arguments:?}: {expected}\n{}", ran.shown());
    };
    refused(&["confirm", "run-"], &format!("\"run-\" can be 2 runs: {one}, {other}"));
    refused(&["confirm", "nobody"], "no run \"nobody\"");
    refused(&["retry", &one], "only a FAILED run can be retried");
    refused(&["resume", "nobody"], "no run \"nobody\"");
    assert_eq!(scripted(&place, &["resume"]).code, 2);
    assert_eq!(records(&place), before);
    assert_eq!(scripted(&place, &["resume", "--all", "--yes"]).code, 0);
    assert_eq!((status(&place, &one).as_str(), status(&place, &other).as_str()), ("COMPLETED", "COMPLETED"));
}

/// MV-10: a run that does not wait for an answer takes none.
#[test]
fn what_does_not_wait_is_not_answered() {
    let place = place("");
    let run = waiting(&place);
    assert_eq!(place.run(&["confirm", &run, "--no-run"]).code, 0);
    let before = records(&place);
    for arguments in [
        &["confirm", &run][..],
        &["modify", &run, "Otherwise."],
        &["answer", &run, "CONFIRM"],
        &["answer", &run, "--file", "script.yaml"],
    ] {
        let ran = place.run(&[arguments, &["--no-run"]].concat());
        assert_eq!(ran.code, 1, "{arguments:?}\n{}", ran.shown());
        assert!(ran.stderr.contains("hint: "), "{}", ran.shown());
    }
    assert_eq!(place.run(&["modify", &run, " "]).code, 2);
    assert_eq!(place.run(&["answer", &run]).code, 2);
    assert_eq!(records(&place), before);
    fs::remove_file(place.path("script.yaml")).unwrap();
    assert_eq!(scripted(&place, &["resume"]).code, 1);
    assert_eq!(records(&place), before);
}
