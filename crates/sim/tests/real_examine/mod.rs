//! Real writer processes and what must be true of their project afterwards. Knows the tokens of `src/bin/writer.rs`.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

use store::{Due, Missing, RealFs, Store, verify};

/// The shared documents, by the letter that stands for each in a token.
pub(crate) const DOCUMENTS: [(char, &str); 3] =
    [('a', "db/process_runs.md"), ('b', "db/catalog.md"), ('c', "runs/r1/tasks.md")];

/// A writer and what it says.
pub(crate) struct Writer {
    pub(crate) process: Child,
    pub(crate) lines: std::io::Lines<BufReader<ChildStdout>>,
}

/// How much to do, by environment variable.
pub(crate) fn count(name: &str, otherwise: usize) -> usize {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(otherwise)
}

/// Starts a writer.
pub(crate) fn start(project: &Path, name: &str, options: &[&str]) -> Writer {
    let mut process = Command::new(env!("CARGO_BIN_EXE_writer"))
        .arg(project)
        .arg(name)
        .args(options)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(process.stdout.take().unwrap()).lines();
    Writer { process, lines }
}

/// Whether a line is the token of a durable commit.
pub(crate) fn is_token(line: &str) -> bool {
    line.ends_with('.') && !line.contains(' ')
}

/// Opens the project twice, as anyone would (the second time nothing may be left to do), and looks for every promise:
/// an acknowledged token is in all its places once, any other in all or none; a person's line is in its document once;
/// the journal is whole and the documents are what it makes of them.
pub(crate) fn examine(project: &Path, acknowledged: &[String], saved: &[(String, String)]) {
    for _ in 0..2 {
        let mut store = Store::open(RealFs::open(project).unwrap(), Missing::Refuse, Box::new(|_| {})).unwrap();
        store.finish().unwrap();
        assert_eq!(store.place(Due::All).unwrap(), None, "a document cannot be placed");
        store.close().unwrap();
    }
    let left: Vec<_> = std::fs::read_dir(project.join(".multiverse/placing")).unwrap().collect();
    assert!(left.is_empty(), "left in placing: {left:?}");
    let found = verify(&RealFs::open(project).unwrap(), None).unwrap();
    assert!(found.problems.is_empty() && found.differing.is_empty(), "{found:?}");
    check_tokens(project, acknowledged);
    for (path, line) in saved {
        let text = std::fs::read_to_string(project.join(path)).unwrap();
        assert_eq!(text.matches(line.as_str()).count(), 1, "{line} in {path}");
    }
}

fn check_tokens(project: &Path, acknowledged: &[String]) {
    let mut places: BTreeMap<String, Vec<char>> = BTreeMap::new();
    for (letter, path) in DOCUMENTS {
        let text = std::fs::read_to_string(project.join(path)).unwrap_or_default();
        for token in text.lines().filter_map(|line| line.split(' ').nth(1)).filter(|word| is_token(word)) {
            places.entry(token.into()).or_default().push(letter);
        }
    }
    for folder in std::fs::read_dir(project.join("outputs")).into_iter().flatten() {
        let folder = folder.unwrap().path();
        for file in std::fs::read_dir(&folder).unwrap() {
            let file = file.unwrap().path();
            let content = std::fs::read(&file).unwrap();
            let end = content.iter().position(|byte| *byte == b'.').expect("a token in every file") + 1;
            let token = String::from_utf8(content[..end].to_vec()).unwrap();
            let step: usize = file.file_stem().unwrap().to_str().unwrap().parse().unwrap();
            let rest = [70_000, 3, 0][step % 3];
            assert_eq!(content.len() - end, rest, "{} is half there", file.display());
            places.entry(token).or_default().push('f');
        }
    }
    for (token, found) in &places {
        let expected: Vec<char> = token.rsplit('-').next().unwrap().trim_end_matches('.').chars().collect();
        assert_eq!(found, &expected, "{token} is in other places than it should be, or more than once");
    }
    let lost: Vec<_> = acknowledged.iter().filter(|token| !places.contains_key(*token)).collect();
    assert!(lost.is_empty(), "{} of {} acknowledged commits are lost: {lost:?}", lost.len(), acknowledged.len());
    let unique: BTreeSet<_> = acknowledged.iter().collect();
    assert_eq!(unique.len(), acknowledged.len(), "a token was said twice");
}
