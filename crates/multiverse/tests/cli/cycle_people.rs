//! What a cycle asks of the Human and tells them: at a terminal, by command, and when nobody answers (CY-05, CY-07 to CY-09,
//! CY-12).

use std::fs;

use crate::cycle_ground::{MET, NOT_MET, PLAN, archived, place_of, run};
use crate::cycles::{answer, begin, git, repository, status};
use crate::place::Place;
use crate::pty::Terminal;

const DOES: &str = "echo line >> docs/a.md";
const RUN: [&str; 6] = ["run", "--protocol", "cycle", "Make it so.", "--agent", "command:./agent"];

fn question(place: &Place) -> String {
    let view = status(place);
    view["details"]["question"]["text"].as_str().unwrap_or_else(|| panic!("no question: {view:#}")).to_string()
}

/// CY-07, CY-09: at a terminal the words that answer are shown, each step is answered there, and words of one's own go into
/// the record as they are.
#[test]
fn cy07_the_human_answers_at_a_terminal() {
    let place = place_of(PLAN, DOES, MET, "");
    let terminal = Terminal::with(&place, &RUN, 110, 40);
    terminal.until_shown("One of: APPROVED, REVISION_REQUESTED: your words, STOPPED");
    terminal.types("REVISION_REQUESTED: the *second* | list\r");
    terminal.until("second question", |screen| {
        let text = screen.text();
        text.matches("│ the goal is met").count() == 2 && text.contains("One of: APPROVED")
    });
    terminal.types("APPROVED\r").until_shown("One of: MERGE_APPROVED");
    terminal.types("MERGE_APPROVED\r").until_shown("One of: DELETE_APPROVED");
    terminal.types("DELETE_APPROVED\r");
    let (code, screen) = terminal.end();
    assert_eq!(code, 0, "{}", screen.text());
    let record = fs::read_to_string(place.path("docs/context/archive").join(&archived(&place)[0])).unwrap();
    assert!(record.contains("\nthe *second* | list\n") && record.contains("1:FINAL:7"), "{record}");
    assert_eq!(git(&place, &["branch", "--format=%(refname:short)"]), "main\n");
}

/// CY-12: a question that waited too long at a terminal has its end there: the cycle is paused, or it ends. Nothing is
/// approved.
#[test]
fn cy12_nobody_answers_at_a_terminal() {
    for (silence, shown, code) in
        [("pause", "nobody answered within 1 seconds", 3), ("stop", "answered STOPPED (nobody)", 4)]
    {
        let settings = format!("[cycle]\nanswer_seconds = 1\nsilence = \"{silence}\"\n");
        let place = place_of(PLAN, DOES, MET, &settings);
        let terminal = Terminal::with(&place, &RUN, 110, 40);
        terminal.until_shown(shown);
        let (ended, screen) = terminal.end();
        assert_eq!(ended, code, "{silence}: {}", screen.text());
        assert!(!screen.text().contains("answered elsewhere"), "{silence}: {}", screen.text());
        let view = status(&place);
        match silence {
            "pause" => {
                assert!(view["paused"].as_str().unwrap().starts_with("nobody answered"), "{view:#}");
                assert_eq!(answer(&place, "APPROVED").code, 3, "an answer still counts, and ends the pause");
                assert!(question(&place).starts_with("the merge waits for approval"), "{}", question(&place));
            }
            _ => assert!(archived(&place)[0].ends_with("_incomplete.md"), "{:?}", archived(&place)),
        }
    }
}

/// CY-07: whoever is not sure is named, with what is asked for.
#[test]
fn cy07_who_is_not_sure() {
    for (planner, judge, found, asked) in [
        (2, 9, MET, "the Planner is not sure (confidence 2 is below 5): said"),
        (9, 2, NOT_MET, "the Judge is not sure (confidence 2 is below 5): said"),
        (9, 2, MET, "the goal is met, and the Judge is not sure (confidence 2 is below 5): said"),
    ] {
        let place = place_of(PLAN, DOES, found, "");
        let script = fs::read_to_string(place.path("agent")).unwrap();
        let script = script
            .replace("in=$(cat)", "in=$(cat); sure=9")
            .replace(&format!("r='{PLAN}'"), &format!("r='{PLAN}'; sure={planner}"))
            .replace(&format!("r='{found}'"), &format!("r='{found}'; sure={judge}"))
            .replace(r#""confidence":9,"#, r#""confidence":%s,"#)
            .replace(r#"\n' "$r""#, r#"\n' "$sure" "$r""#);
        fs::write(place.path("agent"), script).unwrap();
        let ran = run(&place);
        assert_eq!(ran.code, 3, "{}", ran.shown());
        assert_eq!(question(&place), asked, "{}", ran.shown());
    }
}

/// CY-09: without a repository there is nothing to merge, and nothing is said of it.
#[test]
fn cy09_without_a_repository_the_end_is_approved() {
    let place = Place::with(&[("docs/a.md", b"# The Harbour Guide\n")]);
    assert_eq!(begin(&place).code, 3);
    let asked = answer(&place, "APPROVED");
    assert_eq!(asked.code, 3, "{}", asked.shown());
    assert_eq!(question(&place), "the end waits for approval: 1 of 1 are as they should be");
}

/// CY-05: how the checks ended stands in the record, and is told in words.
#[test]
fn cy05_checks_are_evidence() {
    let checks = "[checks.tests]\ncommand = \"echo all; echo 12 passed\"\n\n[checks.audit]\ncommand = \"echo a hole; exit 2\"\nrequired = false\n";
    let place = place_of(PLAN, DOES, MET, checks);
    assert_eq!(run(&place).code, 3);
    let told = place.run(&["cycle", "status"]).stdout;
    for line in ["check tests: exit code 0 (12 passed)\n", "check audit: exit code 2 (a hole)\n"] {
        assert!(told.contains(line), "{told}");
    }
    assert_eq!(told.matches("the goal is met").count(), 1, "what is asked is told once: {told}");
    let record = fs::read_to_string(place.path("docs/context/current_cycle.md")).unwrap();
    assert!(record.contains("- Checks: audit: exit code 2 (a hole); tests: exit code 0 (12 passed)\n"), "{record}");
    assert_eq!(place.run(&["cycle", "check", "docs/context/current_cycle.md"]).code, 0);
}

/// CY-08: after five times INSUFFICIENT other words are the new goal, and the record says so.
#[test]
fn cy08_another_goal() {
    let place = place_of(PLAN, DOES, NOT_MET, "[cycle]\ninsufficient = 1\n");
    assert_eq!(run(&place).code, 3);
    assert_eq!(answer(&place, "REVISION_REQUESTED: Make it otherwise.").code, 3);
    assert_eq!(status(&place)["request"], "Make it otherwise.");
    let record = fs::read_to_string(place.path("docs/context/current_cycle.md")).unwrap();
    assert!(record.contains("- Context: these words are the goal from here on\n"), "{record}");
    assert!(record.contains("\n## Goal\n\nMake it so.\n"), "what was written stays: {record}");
}

/// CY-01: where a cycle cannot stand, nothing is made; where none is, looking is no error.
#[test]
fn cy01_nothing_is_made_where_nothing_begins() {
    let place = repository();
    for command in ["status", "archive"] {
        let ran = place.run(&["cycle", command]);
        assert_eq!(ran.code, 5, "{command}: {}", ran.shown());
    }
    let inside = place.run(&["-C", "docs", "run", "--protocol", "cycle", "Every heading here is numbered."]);
    assert!(inside.code == 1 && inside.stderr.contains("is a folder of the repository"), "{}", inside.shown());
    assert_eq!(git(&place, &["status", "--short", "--ignored"]), "", "nothing is left behind");
}

/// What a loop would do is known when the one before it is judged: there is nothing to show beforehand, so nothing begins.
#[test]
fn cy01_a_goal_has_no_dry_run() {
    let place = place_of(PLAN, DOES, MET, "");
    let before = git(&place, &["status", "--short", "--ignored"]);
    let ran = place.run(&["run", "--protocol", "cycle", "Make it so.", "--agent", "command:./agent", "--dry-run"]);
    assert!(ran.code == 2 && ran.stderr.contains("--dry-run"), "{}", ran.shown());
    assert_eq!(git(&place, &["status", "--short", "--ignored"]), before, "nothing begins");
    assert!(!place.path("docs/context/current_cycle.md").exists());
}

/// QL-23: the head of the record is the Human's to change: agents are told it so. What it must not say is told, and changes
/// nothing.
#[test]
fn ql23_the_head_of_the_record_is_edited() {
    let edit = |place: &Place, from: &str, to: &str| {
        let record = fs::read_to_string(place.path("docs/context/current_cycle.md")).unwrap();
        assert!(record.contains(from), "{record}");
        fs::write(place.path("docs/context/current_cycle.md"), record.replacen(from, to, 1)).unwrap();
    };
    let place = place_of(PLAN, DOES, MET, "");
    assert_eq!(run(&place).code, 3);
    edit(&place, "## Goal\n\nMake it so.\n", "## Goal\n\nMake it so,\nand well.\n");
    edit(&place, "## Context Docs\n\n- none\n", "## Context Docs\n\n- docs/b.md\n");
    let told = answer(&place, "REVISION_REQUESTED: more");
    assert!(told.code == 3 && told.stderr.contains("its head was edited; agents are told it so"), "{}", told.shown());
    assert_eq!(status(&place)["request"], "Make it so,\nand well.");
    let calls = fs::read_dir(place.path(".multiverse/calls")).unwrap().next().unwrap().unwrap().path();
    let calls = fs::read_dir(calls).unwrap().flatten().map(|entry| fs::read_to_string(entry.path()).unwrap());
    let told = calls.filter(|call| call.contains("and well") && call.contains("docs/b.md")).count();
    assert!(told >= 3, "a Planner, an Actor and a Judge: {told}");
    for (from, to, said) in [
        ("## Context Docs\n\n- none\n", "## Context Docs\n\n- ../b.md\n", "`../b.md` is no file of the project"),
        ("## Goal\n\nMake it so.\n", "## Goal\n\n", "the goal is empty"),
    ] {
        let place = place_of(PLAN, DOES, MET, "");
        assert_eq!(run(&place).code, 3);
        edit(&place, from, to);
        let told = answer(&place, "nonsense");
        assert!(told.code == 1 && told.stderr.contains(said), "{}", told.shown());
        assert_eq!(status(&place)["request"], "Make it so.");
    }
}

/// CY-03 to CY-05: each part may have another agent; one of them may be a person, who hands in a report.
#[test]
fn cy05_a_person_judges() {
    let place = place_of(PLAN, DOES, MET, "");
    let ran = place.run(&[&RUN[..], &["--agent", "judge=person"]].concat());
    assert!(ran.code == 3 && ran.stderr.contains("the judgement is yours to do"), "{}", ran.shown());
    let report = format!(r#"{{"status":"done","summary":"I looked","confidence":8,"result":{{{MET}}}}}"#);
    fs::write(place.path("report.json"), report).unwrap();
    let handed = place.run(&["answer", "last", "--report", "report.json"]);
    assert_eq!(handed.code, 3, "{}", handed.shown());
    assert_eq!(question(&place), "the goal is met: I looked");
    let unknown = place_of(PLAN, DOES, MET, "").run(&[&RUN[..], &["--agent", "jugde=person"]].concat());
    assert!(unknown.code == 2 && unknown.stderr.contains("actor, judge"), "{}", unknown.shown());
}
