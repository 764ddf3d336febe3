//! A second run with the offline agents, as a user meets it: it knows the first one, says so, and builds on it.

use std::fs;

use crate::place::{Place, Ran};
use crate::scripted::last;

const FIRST: &str = "Make a report of what is said about the yards, as Markdown.";
const SECOND: &str = "Make a report on the prices at the yards, as HTML.";

fn ok(ran: &Ran) {
    assert_eq!(ran.code, 0, "{}", ran.shown());
}

fn place() -> Place {
    let yards = "# Yards\n\nThe Gdansk yard built 40 boats in 2024. Prices at the Gdansk yard rose by 4 percent in 2024.\n\
        The Szczecin yard asks a price of 52,000 EUR for a boat.\n";
    Place::with(&[("assets/yards.md", yards.as_bytes())])
}

fn read(place: &Place, path: &str) -> String {
    fs::read_to_string(place.path(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// MV-05, MV-08, MV-11, MV-19: the proposal names the first run with its score, the conflict and what becomes of it; a task
/// uses a file of the first run, and the deliverable cites its line.
#[test]
fn a_second_run_builds_on_the_first() {
    let place = place();
    ok(&place.run(&["run", FIRST, "--yes", "--agent", "offline"]));
    let first = last(&place);
    // The source changes meanwhile: what the first run wrote is all that is left of a sentence.
    fs::write(place.path("assets/yards.md"), "# Yards\n\nThe Szczecin yard asks a price of 55,000 EUR for a boat.\n")
        .unwrap();

    let rehearsed = place.run(&["run", SECOND, "--dry-run", "--agent", "offline"]);
    ok(&rehearsed);
    assert!(rehearsed.stdout.contains(&format!("`{first}`: score 0.")), "{}", rehearsed.shown());

    let ran = place.run(&["run", SECOND, "--agent", "offline"]);
    assert_eq!(ran.code, 3, "{}", ran.shown());
    let second = last(&place);
    let proposal = read(&place, &format!("runs/{second}/feedback_for_user.md"));
    for part in [
        format!("`{first}`: score 0."),
        format!("“{FIRST}”"),
        "in both requests: yard".to_owned(),
        format!("outputs/{first}/report.md will be read again and cited"),
        format!(
            "`I-{first}-01` “{FIRST}” is superseded by number 1: the newer request decides: other forms (Markdown before, HTML now)"
        ),
        "More earlier instructions stand, because nothing in the new request speaks against them: 2.".to_owned(),
    ] {
        assert!(proposal.contains(&part), "{part}\n{proposal}");
    }
    let status = place.run(&["status", &second]);
    assert!(status.stdout.contains(&format!("learns from {first} 0.")), "{}", status.shown());
    let logs = place.run(&["logs", &second]);
    assert!(logs.stdout.contains("learns from 1 past run"), "{}", logs.shown());

    ok(&place.run(&["confirm", &second]));
    let laws = read(&place, "db/user_instructions.md");
    assert!(laws.contains(&format!("| SUPERSEDED | I-{second}-01 | the newer request decides: other forms")), "{laws}");
    let used = format!("outputs/{first}/report.md");
    let tasks = read(&place, &format!("runs/{second}/db/tasks.md"));
    assert!(tasks.lines().any(|row| row.contains(&used) && row.contains("past_runs.md")), "{tasks}");
    assert!(!place.path(format!("outputs/{second}/report.md")).exists(), "Markdown is not asked for any more");

    let report = read(&place, &format!("outputs/{second}/report.html"));
    let gone = "Prices at the Gdansk yard rose by 4 percent in 2024.";
    let number = read(&place, &used).lines().position(|line| line.contains(gone)).expect("the first run wrote it") + 1;
    let line = report.lines().find(|line| line.contains(gone)).unwrap_or_else(|| panic!("{report}"));
    assert!(line.contains(&format!("{used}:{number}")), "{line}");
}

/// MV-05: the rules are settings; what is wrong with one is said with its place.
#[test]
fn how_much_is_learned_is_a_setting() {
    let place = place();
    ok(&place.run(&["run", FIRST, "--yes", "--agent", "offline"]));
    for (setting, expected) in [("least = 1.0", 0), ("most = 0", 0), ("least = 0.0\nmost = 1", 1)] {
        fs::write(place.path("multiverse.toml"), format!("[learning]\n{setting}\n")).unwrap();
        let ran = place.run(&["run", SECOND, "--agent", "offline"]);
        assert_eq!(ran.code, 3, "{}", ran.shown());
        let status = place.run(&["status", "last", "--json"]);
        let learned = status.json()[0]["learned"].as_array().map_or(0, Vec::len);
        assert_eq!(learned, expected, "{setting}: {}", status.shown());
        place.run(&["cancel", "last"]);
    }
    fs::write(place.path("multiverse.toml"), "[learning]\nleast = 2\n").unwrap();
    let ran = place.run(&["run", SECOND, "--agent", "offline"]);
    assert_eq!(ran.code, 1, "{}", ran.shown());
    assert!(ran.stderr.contains("multiverse.toml:2:9: least must be a number from 0 to 1"), "{}", ran.shown());
}

/// MV-12: a file may be named as people name files; and one that was there for an earlier run may be gone for the next.
#[test]
fn sources_may_have_any_name_and_may_go() {
    let text = b"The bridge at Arno cost 12 million euros in 2019.\n";
    let names = ["assets/my notes.md", "assets/a,b and c.md", "assets/sub folder/x (1).md"];
    let place = Place::with(&names.map(|name| (name, &text[..])));
    ok(&place.run(&["run", FIRST, "--yes", "--agent", "offline"]));
    let first = last(&place);
    let report = read(&place, &format!("outputs/{first}/report.md"));
    assert!(report.contains("assets/my notes.md:1"), "{report}");
    fs::rename(place.path("assets/my notes.md"), place.path("assets/other notes.md")).unwrap();
    ok(&place.run(&["run", SECOND, "--yes", "--agent", "offline"]));
    let report = read(&place, &format!("outputs/{}/report.html", last(&place)));
    assert!(report.contains("assets/other notes.md:1"), "{report}");
}
