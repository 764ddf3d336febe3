//! QL-21: a cycle on a real repository that is killed again and again: its record has each block once, its branch each
//! commit once, and both are those of an undisturbed one.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crate::{Dice, kills, multiverse, or_killed};

const GOAL: &str = "Every heading in docs/ is in sentence case.";
const WORDS: [&str; 3] = ["APPROVED", "MERGE_APPROVED", "DELETE_APPROVED"];

fn git(folder: &Path, arguments: &[&str]) -> String {
    let mut command = Command::new("git");
    command.args(["-c", "user.name=ada", "-c", "user.email=ada@example.org"]).args(arguments);
    let output = command.current_dir(folder).output().unwrap();
    assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn project() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("docs")).unwrap();
    for name in ["a", "b", "c", "d", "e"] {
        let text = format!("# Title Of {name}\n\n## Second Title Of {name}\n");
        std::fs::write(folder.path().join(format!("docs/{name}.md")), text).unwrap();
    }
    let checks = "[checks.tests]\ncommand = \"test -f docs/a.md\"\n";
    std::fs::write(folder.path().join("multiverse.toml"), checks).unwrap();
    git(folder.path(), &["init", "-q", "-b", "main", "."]);
    git(folder.path(), &["add", "-A"]);
    git(folder.path(), &["commit", "-q", "-m", "first"]);
    folder
}

/// The history, the branches and the record, without times and the names of commits.
fn left(folder: &Path) -> String {
    let archive = std::fs::read_dir(folder.join("docs/context/archive")).unwrap();
    let mut records: Vec<_> = archive.map(|entry| entry.unwrap().path()).collect();
    records.sort();
    let record: String = records.iter().map(|path| std::fs::read_to_string(path).unwrap()).collect();
    let timeless = |line: &str| match line.contains("merged cycle/") || line.contains("the record is") {
        true => String::new(),
        false => format!("{line}\n"),
    };
    let record: String = record.lines().map(timeless).collect();
    let history = git(folder, &["log", "--topo-order", "--format=%an %s", "--all"]);
    format!("{history}{}{}{record}", git(folder, &["branch"]), git(folder, &["status", "--short", "-uno"]))
}

fn is_said(folder: &Path, word: &str) -> bool {
    let record = std::fs::read_to_string(folder.join("docs/context/current_cycle.md")).unwrap_or_default();
    record.contains(&format!("- Result: {word}\n"))
}

#[test]
fn a_cycle_that_is_killed_again_and_again() {
    let seed = std::env::var("MULTIVERSE_SEED").ok().and_then(|seed| seed.parse().ok());
    let seed: u64 = seed.unwrap_or_else(|| u64::from(std::process::id()));
    let undisturbed = project();
    let run = |arguments: &[&str], code: i32| {
        let output = multiverse(undisturbed.path(), arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    };
    run(&["run", "--protocol", "cycle", GOAL], 3);
    for (word, code) in WORDS.into_iter().zip([3, 3, 0]) {
        run(&["answer", "last", word], code);
    }
    let disturbed = project();
    let (mut dice, mut killed) = (Dice(seed), 0);
    for round in 0.. {
        assert!(round < 2000, "seed {seed}: it never ends");
        let open = WORDS.into_iter().find(|word| !is_said(disturbed.path(), word));
        let arguments: &[&str] = match (is_said(disturbed.path(), "INIT"), round % 2, &open) {
            (false, ..) => &["run", "--protocol", "cycle", GOAL],
            (true, 0, Some(word)) => &["answer", "last", word],
            (true, ..) => &["resume", "last"],
        };
        // In the end it is let alone.
        let time = if killed >= kills() { Duration::from_secs(60) } else { Duration::from_millis(dice.below(700)) };
        match or_killed(multiverse(disturbed.path(), arguments).spawn().unwrap(), time) {
            None => killed += 1,
            Some((_, told)) if open.is_none() && told.contains("COMPLETED") => break,
            Some((status, _)) if status.success() => break,
            Some(_) => {}
        }
    }
    let (found, expected) = (left(disturbed.path()), left(undisturbed.path()));
    for (number, (one, other)) in found.lines().zip(expected.lines()).enumerate() {
        assert_eq!(one, other, "seed {seed}: line {number} of\n{found}");
    }
    assert_eq!(found.lines().count(), expected.lines().count(), "seed {seed}:\n{found}");
    eprintln!("seed {seed}: {killed} kills");
}
