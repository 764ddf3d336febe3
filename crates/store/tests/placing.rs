//! What placing leaves behind, and what becomes of it.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests only")]

mod desk;

use desk::{Desk, ROWS, path, records, settle};
use store::{Commit, Due, Fs, Kind, What, limits};
use text::Change;

/// Appends a line to a document, many times, in one batch.
fn append_lines(desk: &mut Desk, name: &str, count: usize) {
    desk.store
        .batch(|batch| {
            for line in 0..count {
                let end = batch.read(&path(name)).unwrap().len();
                let change = Change::one(end, "", format!("line {line}\n"));
                let commit = Commit::new("a test", batch.head().number, vec![(path(name), What::Edit(change))]);
                batch.append(&commit).unwrap();
            }
        })
        .unwrap();
}

fn left_in_placing(desk: &Desk) -> usize {
    std::fs::read_dir(desk.at(".multiverse/placing")).unwrap().count()
}

/// QL-02, QL-23: a file of ours that came out of its place is no edit, even when memory does not reach back to it: else
/// all that was committed since would be taken back.
#[test]
fn what_came_out_long_ago_is_no_edit() {
    let mut desk = Desk::new();
    // Adopted right after it was written, so that its stamp says nothing yet.
    std::fs::write(desk.at("a.md"), "first\n").unwrap();
    desk.store.adopt(&[path("a.md")]).unwrap();
    desk.store.fs().pause(limits::RACY);
    append_lines(&mut desk, "a.md", 1);
    desk.store.place(Due::All).unwrap();
    append_lines(&mut desk, "a.md", 3 * limits::REMEMBERED_CHANGES);
    assert_eq!(settle(&mut desk.store), None);
    desk.store.finish().unwrap();
    assert!(records(desk.store.fs()).iter().all(|record| record.kind != Kind::Edit));
    assert_eq!(std::fs::read_to_string(desk.at("a.md")).unwrap().lines().count(), 2 + 3 * limits::REMEMBERED_CHANGES);
}

/// QL-02: whoever places again and again and never looks for edits leaves no heap of old files.
#[test]
fn what_came_out_is_cleared_by_later_placings() {
    let mut desk = Desk::with("a.md", ROWS);
    for _ in 0..5 {
        append_lines(&mut desk, "a.md", 1);
        desk.store.place(Due::All).unwrap();
        desk.store.fs().pause(limits::EDIT_SETTLES);
    }
    assert_eq!(left_in_placing(&desk), 1);
}
