//! `multiverse run --protocol cycle`: a goal carried through loops on a real repository, by agents without a model (CY-01 to
//! CY-17), and what is refused.

use std::process::Command;

use serde_json::Value;

use crate::place::{Place, Ran};

const GOAL: &str = "Every heading in docs/ is in sentence case.";

/// A repository with headings to mend: more than one loop may change.
pub(crate) fn repository() -> Place {
    let place = Place::with(&[
        ("docs/a.md", b"# The Harbour Guide\n\n## Where Boats Sleep\n"),
        ("docs/b.md", b"# Other Things\n"),
        ("docs/c.md", b"# More Things\n"),
    ]);
    git(&place, &["init", "-q", "-b", "main", "."]);
    git(&place, &["add", "-A"]);
    git(&place, &["commit", "-q", "-m", "first"]);
    place
}

pub(crate) fn git(place: &Place, arguments: &[&str]) -> String {
    let mut command = Command::new("git");
    command.args(["-c", "user.name=ada", "-c", "user.email=ada@example.org"]).args(arguments);
    let output = command.current_dir(place.path("")).output().unwrap();
    assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

pub(crate) fn answer(place: &Place, words: &str) -> Ran {
    place.run(&["answer", "last", words])
}

pub(crate) fn status(place: &Place) -> Value {
    serde_json::from_str(&place.run(&["cycle", "status", "--json"]).stdout).unwrap()
}

pub(crate) fn begin(place: &Place) -> Ran {
    place.run(&["run", "--protocol", "cycle", GOAL])
}

/// CY-01 to CY-10, CY-15, CY-16: loops on a branch, each change measured and a commit; approval, merge, deletion, archive.
#[test]
fn cy09_a_goal_from_its_beginning_to_the_archive() {
    let place = repository();
    let began = begin(&place);
    assert_eq!(began.code, 3, "{}", began.shown());
    let view = status(&place);
    assert_eq!(
        (&view["details"]["loop"], &view["details"]["base"]),
        (&Value::from(2), &Value::from("main")),
        "{view:#}"
    );
    let branch = view["details"]["branch"].as_str().unwrap().to_string();
    assert_eq!(git(&place, &["log", "--format=%an", &format!("main..{branch}")]), "Actor\nActor\n");
    assert!(git(&place, &["show", "main:docs/a.md"]).contains("Harbour Guide"), "nothing is merged yet");
    for (words, code) in [("APPROVED", 3), ("merge_approved", 1), ("yes please", 1), ("MERGE_APPROVED", 3)] {
        let ran = answer(&place, words);
        assert_eq!(ran.code, code, "{words}: {}", ran.shown());
    }
    assert_eq!(
        std::fs::read_to_string(place.path("docs/a.md")).unwrap(),
        "# The harbour guide\n\n## Where boats sleep\n"
    );
    assert!(git(&place, &["branch"]).contains(&branch), "it is deleted on a word of the Human's only");
    let ended = answer(&place, "DELETE_APPROVED");
    assert_eq!(ended.code, 0, "{}", ended.shown());
    assert_eq!(git(&place, &["branch", "--format=%(refname:short)"]), "main\n");
    let archived: Vec<_> = std::fs::read_dir(place.path("docs/context/archive")).unwrap().flatten().collect();
    assert_eq!(archived.len(), 1);
    let record = std::fs::read_to_string(archived[0].path()).unwrap();
    assert!(record.contains("**Signature**: 1:FINAL:7"), "{record}");
    let checked = place.run(&["cycle", "check", archived[0].path().to_str().unwrap()]);
    assert_eq!(checked.code, 0, "CY-02: what is written is strict: {}", checked.shown());
    let listed = place.run(&["cycle", "archive"]);
    assert!(listed.code == 0 && listed.stdout.starts_with("complete   Every heading"), "{}", listed.shown());
    let second = place.run(&["run", "--protocol", "cycle", "Every heading in docs/ ends without punctuation."]);
    assert!(
        std::fs::read_to_string(place.path("docs/context/current_cycle.md")).unwrap().contains("2:0:0"),
        "{}",
        second.shown()
    );
}

/// CY-05: what is required must have run and be good, or no loop passes; five times INSUFFICIENT ask the Human (CY-08).
#[test]
fn cy05_checks_stand_above_the_judge() {
    let place = repository();
    let checks = "[checks.tests]\ncommand = \"echo broken; exit 7\"\n\n[checks.missing]\ncommand = \"no-such-program\"\nrequired = false\n\n[cycle]\ninsufficient = 2\n";
    std::fs::write(place.path("multiverse.toml"), checks).unwrap();
    let began = begin(&place);
    assert_eq!(began.code, 3, "{}", began.shown());
    let view = status(&place);
    assert_eq!(view["details"]["insufficient_in_a_row"], 2, "{view:#}");
    let told = view["details"]["checks"].to_string();
    assert!(told.contains(r#"{"exit":7}"#) && told.contains("broken") && told.contains("not_run"), "{told}");
    assert!(view["waits"][0]["text"].as_str().unwrap().contains("INSUFFICIENT"), "{view:#}");
    let stopped = answer(&place, "STOPPED");
    assert_eq!(stopped.code, 4, "{}", stopped.shown());
    let archived = std::fs::read_dir(place.path("docs/context/archive")).unwrap().flatten().next().unwrap();
    assert!(archived.file_name().to_string_lossy().ends_with("_incomplete.md"));
    assert!(git(&place, &["branch"]).contains("cycle/1"), "nothing is deleted without a verdict");
}

/// CY-07, CY-03: a goal that no rule can reach asks the Human; the Human's words are in the next brief, and in the record.
#[test]
fn cy07_what_cannot_be_done_is_asked() {
    let place = Place::with(&[("docs/a.md", b"See [x](nowhere.md).\n")]);
    let began = place.run(&["run", "--protocol", "cycle", "Every link in docs/ resolves."]);
    assert_eq!(began.code, 3, "{}", began.shown());
    assert!(began.stderr.contains("no rule can mend"), "{}", began.shown());
    std::fs::write(place.path("docs/nowhere.md"), "# Here\n").unwrap();
    let answered = answer(&place, "ANSWERED: I have written the file myself.");
    assert!(answered.stderr.contains("nothing is missing"), "{}", answered.shown());
    let record = std::fs::read_to_string(place.path("docs/context/current_cycle.md")).unwrap();
    assert!(record.contains("I have written the file myself."), "{record}");
}

/// CY-04 without a repository: the change is in the project's own files, and in the journal.
#[test]
fn cy04_without_a_repository() {
    let place = Place::with(&[("docs/a.md", b"# The Harbour Guide\n")]);
    let began = begin(&place);
    assert_eq!(began.code, 3, "{}", began.shown());
    assert_eq!(std::fs::read_to_string(place.path("docs/a.md")).unwrap(), "# The harbour guide\n");
    assert_eq!(answer(&place, "APPROVED").code, 3);
    let ended = answer(&place, "APPROVED");
    assert_eq!(ended.code, 0, "{}", ended.shown());
    assert!(place.run(&["history"]).stdout.contains("Actor SUCCESS"));
}

/// CY-12, and a goal that is another's: what is refused changes nothing.
#[test]
fn cy12_what_is_refused() {
    let place = repository();
    assert_eq!(begin(&place).code, 3);
    let second = begin(&place);
    assert!(second.code == 1 && second.stderr.contains("one goal at a time"), "{}", second.shown());
    let inside = place.run(&["-C", "docs", "run", "--protocol", "cycle", "Every heading here is numbered."]);
    assert!(inside.code == 1, "{}", inside.shown());
    let cancelled = place.run(&["cancel", "last"]);
    assert_eq!(cancelled.code, 0, "{}", cancelled.shown());
    let detached = repository();
    git(&detached, &["checkout", "-q", "--detach"]);
    let ran = begin(&detached);
    assert!(ran.code == 3 && ran.stderr.contains("is on no branch"), "{}", ran.shown());
}

/// CY-09: a merge that conflicts changes nothing, and asks.
#[test]
fn cy09_a_merge_that_conflicts_asks() {
    let place = repository();
    assert_eq!(begin(&place).code, 3);
    assert_eq!(answer(&place, "APPROVED").code, 3);
    std::fs::write(place.path("docs/a.md"), "# Another Title\n").unwrap();
    git(&place, &["commit", "-q", "-a", "-m", "other"]);
    let head = git(&place, &["rev-parse", "main"]);
    let merged = answer(&place, "MERGE_APPROVED");
    assert!(merged.code == 3 && merged.stderr.contains("conflicts in docs/a.md"), "{}", merged.shown());
    assert_eq!(git(&place, &["rev-parse", "main"]), head);
    assert_eq!(std::fs::read_to_string(place.path("docs/a.md")).unwrap(), "# Another Title\n");
}

/// CY-17: what a project begins with; done twice, nothing changes.
#[test]
fn cy17_a_project_of_cycles() {
    let place = Place::with(&[]);
    assert_eq!(place.run(&["init", "--protocol", "cycle"]).code, 0);
    for path in ["docs/context/README.md", "docs/context/archive", "docs/context/assets/README.md"] {
        assert!(place.path(path).exists(), "{path}");
    }
    assert!(place.run(&["init", "--protocol", "cycle"]).stderr.contains("nothing was to do"));
}

/// CY-04: an Actor is measured, not believed: too many lines, files it was told to avoid, nothing at all, other branches.
#[test]
fn cy04_an_actor_that_oversteps() {
    let act = |what: &str| {
        format!(
            "#!/bin/sh\nin=$(cat)\ncase \"$in\" in *'\"action\":\"act\"'*) {what}; r='\"result\":\"SUCCESS\"';; \
             *'\"action\":\"judge\"'*) r='\"result\":\"PASS\",\"superordinate\":\"SUFFICIENT\",\"subordinate\":\"x\"';; \
             *) r='\"result\":\"PLAN_CREATED\",\"change\":\"c\",\"win_state\":\"w\",\"locations\":[\"docs/a.md\"],\"avoid_paths\":[\"docs/b.md\"]';; esac\n\
             echo \"{{\\\"status\\\":\\\"done\\\",\\\"summary\\\":\\\"s\\\",\\\"confidence\\\":9,\\\"result\\\":{{$r}}}}\"\n"
        )
    };
    for (what, said) in [
        ("seq 1 900 > docs/a.md", "903 lines were changed"),
        ("echo x > docs/b.md", "the plan says to leave docs/b.md alone"),
        ("true", "no file differs"),
        ("touch x y z; echo 1 > x; echo 1 > y; echo 1 > z", "3 files were changed"),
        ("git branch other; echo x > docs/a.md", "refs/heads/other was moved"),
    ] {
        let place = repository();
        let agent = place.path("agent");
        std::fs::write(&agent, act(what)).unwrap();
        std::fs::set_permissions(&agent, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        std::fs::write(place.path("multiverse.toml"), "[cycle]\nloops = 1\n").unwrap();
        let ran = place.run(&["run", "--protocol", "cycle", GOAL, "--agent", "command:./agent"]);
        assert_eq!(ran.code, 3, "{what}: {}", ran.shown());
        assert!(ran.stderr.contains(said), "{what}: {}", ran.shown());
        assert_eq!(git(&place, &["log", "--format=%s", "--all", "--not", "main"]), "", "{what}: nothing of it is kept");
        assert!(!git(&place, &["branch"]).contains("other"), "{what}");
    }
}
