//! Whoever only looks at a project keeps nobody waiting and changes nothing: no lock, no recovery, no trace.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests only")]

mod desk;

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::Path;
use std::time::SystemTime;

use desk::{Desk, ROWS, path};
use store::{Commit, CommitError, FaultKind, RealFs, Store, What};

fn look_at(folder: &Path) -> Store<RealFs> {
    Store::open_to_look(RealFs::open_to_look(folder).unwrap(), Box::new(|_| {})).unwrap()
}

/// Every file and folder, with its content and when it changed.
fn all_below(folder: &Path) -> BTreeMap<String, (SystemTime, Vec<u8>)> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let path = entry.path();
        let changed = entry.metadata().unwrap().modified().unwrap();
        let content = if path.is_file() { fs::read(&path).unwrap() } else { Vec::new() };
        found.insert(path.display().to_string(), (changed, content));
        if path.is_dir() {
            found.extend(all_below(&path));
        }
    }
    found
}

#[test]
fn who_looks_sees_what_is_committed_and_leaves_no_trace() {
    let mut desk = Desk::new();
    desk.create("tasks.md", ROWS).unwrap();
    // Another process holds the project's lock, and does not let go.
    let lock = File::open(desk.folder.path().join(".multiverse/lock")).unwrap();
    lock.lock().unwrap();
    let before = all_below(desk.folder.path());
    let mut looker = look_at(desk.folder.path());
    assert_eq!(looker.read(&path("tasks.md")).unwrap().to_vec(), ROWS.as_bytes());
    lock.unlock().unwrap();
    // Who is alive can be told, too.
    assert!(looker.openings().unwrap().contains(desk.store.opening()));
    let seen = looker.head().number;
    drop(looker);
    assert!(before == all_below(desk.folder.path()), "somebody who looked left a trace");

    looker = look_at(desk.folder.path());
    desk.create("more.md", "more\n").unwrap();
    looker.catch_up().unwrap();
    assert_eq!(looker.head().number, seen + 1);
    assert_eq!(looker.read(&path("more.md")).unwrap().to_vec(), b"more\n");
    looker.close().unwrap();
}

#[test]
fn who_looks_takes_no_edit_over_and_commits_nothing() {
    let mut desk = Desk::new();
    desk.create("tasks.md", ROWS).unwrap();
    desk.store.finish().unwrap();
    fs::write(desk.folder.path().join("tasks.md"), "something else\n").unwrap();
    let mut looker = look_at(desk.folder.path());
    assert_eq!(looker.look().unwrap().record, None);
    let commit = Commit::new("in vain", looker.head().number, vec![(path("new.md"), What::Create("x".into()))]);
    match looker.commit(commit) {
        Err(CommitError::Fault(fault)) => assert_eq!(fault.kind, FaultKind::Unsupported, "{fault}"),
        other => panic!("{other:?}"),
    }
    assert!(looker.read(&path("new.md")).is_none());
    assert!(!desk.folder.path().join("new.md").exists());
}

#[test]
fn where_there_is_no_project_there_is_nothing_to_look_at() {
    let folder = tempfile::tempdir().unwrap();
    let fs = RealFs::open_to_look(folder.path()).unwrap();
    let fault = Store::open_to_look(fs, Box::new(|_| {})).unwrap_err();
    assert_eq!(fault.kind, FaultKind::Missing);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}
