//! What commands leave behind that record nothing, and what is said about going back.

use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};

use crate::place::{Place, Ran};
use crate::scripted::{REQUEST, place, scripted};

/// MV-03: what is done at once, or only rehearsed, begins no project.
#[test]
fn where_nothing_is_recorded_no_project_begins() {
    let place = Place::with(&[("assets/sales.csv", b"month,units\nJan,3\n")]);
    for arguments in [&["do", "list what is in assets"][..], &["run", REQUEST, "--dry-run"]] {
        let ran = place.run(arguments);
        assert_eq!(ran.code, 0, "{}", ran.shown());
        let left: Vec<_> = std::fs::read_dir(place.path("")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left, ["assets"], "{arguments:?}");
    }
    // Where there is a project, it stays.
    assert_eq!(place.run(&["init"]).code, 0);
    assert_eq!(place.run(&["do", "list what is in assets"]).code, 0);
    assert!(place.path(".multiverse/journal").is_dir());
}

/// Ctrl-C ends the agent of a request that is done at once, and everything it started.
#[test]
fn what_is_done_at_once_can_be_interrupted() {
    let place = Place::with(&[("agent.sh", b"cat > /dev/null\nsleep 1000\n")]);
    let mut command = place.command(&["do", "list what is in assets", "-v", "--agent", "command:sh agent.sh"]);
    let mut running = command.env("PATH", "/usr/bin:/bin").stderr(Stdio::piped()).spawn().unwrap();
    let mut said = BufReader::new(running.stderr.take().unwrap()).lines().map(Result::unwrap);
    said.find(|line| line.contains("started")).unwrap();
    assert!(Command::new("kill").args(["-INT", &running.id().to_string()]).status().unwrap().success());
    let rest: Vec<String> = said.collect();
    assert_eq!(running.wait().unwrap().code(), Some(1), "{rest:?}");
    assert!(rest.iter().any(|line| line.contains("nothing was changed")), "{rest:?}");
}

/// QL-23: the way back names the record to go back to.
#[test]
fn a_hint_to_go_back_names_a_record() {
    let place = place("");
    assert_eq!(place.run(&["init"]).code, 0);
    let template = "db/templates/default_phases.md";
    let text = std::fs::read_to_string(place.path(template)).unwrap();
    std::fs::write(place.path(template), text.replace("ANALYZING", "GUESSING")).unwrap();
    let ran = scripted(&place, &["run", REQUEST]);
    assert_eq!(ran.code, 1, "{}", ran.shown());
    let hint = ran.stderr.lines().find(|line| line.starts_with("hint: ")).unwrap();
    let command = hint.split('`').nth(1).unwrap();
    let words: Vec<&str> = command.split_whitespace().skip(1).collect();
    let restored: Ran = place.run(&words);
    assert_eq!(restored.code, 0, "{command}\n{}", restored.shown());
    assert_eq!(std::fs::read_to_string(place.path(template)).unwrap(), text);
    // Without a number it is what the program wrote last.
    std::fs::write(place.path(template), "gone\n").unwrap();
    assert_eq!(place.run(&["restore", template]).code, 0);
    assert_eq!(std::fs::read_to_string(place.path(template)).unwrap(), text);
    assert_eq!(place.run(&["restore", template, "--as-written"]).code, 2, "there a record must be named");
}
