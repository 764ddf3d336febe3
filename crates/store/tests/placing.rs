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
                let commit = Commit::new("a test", batch.number(), vec![(path(name), What::Edit(change))]);
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
    let mut desk = desk_with_an_old_file_left();
    assert_eq!(settle(&mut desk.store), None);
    check_that_nothing_was_taken_back(&mut desk);
}

/// The same when whoever had placed it ended without looking at what came out; and the file in the document's place, which
/// nobody came to replace for as long, is no edit either.
#[test]
fn what_came_out_before_a_kill_is_no_edit() {
    let Desk { store, folder, .. } = desk_with_an_old_file_left();
    // Ends without closing the journal, as a process that is killed.
    drop(store);
    let (store, heard) = desk::open(folder.path());
    let mut desk = Desk { store, heard, folder };
    let lines = std::fs::read_to_string(desk.at("a.md")).unwrap().lines().count();
    assert_eq!(lines, 2 + 3 * limits::REMEMBERED_CHANGES, "whoever opens a project brings its documents up to date");
    assert_eq!(settle(&mut desk.store), None);
    check_that_nothing_was_taken_back(&mut desk);
}

/// A document whose first version came out of its place, and whose memory no longer reaches back to that.
fn desk_with_an_old_file_left() -> Desk {
    let mut desk = Desk::new();
    std::fs::write(desk.at("a.md"), "first\n").unwrap();
    // A stamp of tomorrow says nothing, so that what comes out can only be told by its content.
    let tomorrow = std::time::SystemTime::now() + std::time::Duration::from_secs(86_400);
    std::fs::File::options().write(true).open(desk.at("a.md")).unwrap().set_modified(tomorrow).unwrap();
    desk.store.adopt(&[path("a.md")]).unwrap();
    append_lines(&mut desk, "a.md", 1);
    desk.store.place(Due::All).unwrap();
    assert_eq!(left_in_placing(&desk), 1);
    append_lines(&mut desk, "a.md", 3 * limits::REMEMBERED_CHANGES);
    desk
}

fn check_that_nothing_was_taken_back(desk: &mut Desk) {
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

/// QL-23: a document that was changed more often than is remembered before anybody came to place it is not one that
/// somebody took away: else all of it would be removed.
#[test]
fn what_nobody_has_placed_yet_was_not_removed() {
    let mut desk = Desk::new();
    desk.create("a.md", "first\n").unwrap();
    append_lines(&mut desk, "a.md", limits::REMEMBERED_CHANGES + 1);
    assert_eq!(settle(&mut desk.store), None);
    desk.place();
    let lines = std::fs::read_to_string(desk.at("a.md")).unwrap().lines().count();
    assert_eq!(lines, 2 + limits::REMEMBERED_CHANGES);
    assert!(records(desk.store.fs()).iter().all(|record| record.kind != Kind::Edit));
    // Once it has been there, it is.
    std::fs::remove_file(desk.at("a.md")).unwrap();
    assert!(settle(&mut desk.store).is_some());
    desk.is("a.md", None);
}

/// QL-02: what is written by somebody else is put into its place by a later call, and what was committed meanwhile by the
/// one after that; nothing unfinished is left.
#[test]
fn what_is_written_meanwhile_is_placed_later() {
    let mut desk = Desk::new();
    let lines = |desk: &Desk| std::fs::read_to_string(desk.at("a.md")).unwrap_or_default().lines().count();
    desk.commit("a.md", What::Create("first\n".into())).unwrap();
    for count in 1..=3 {
        append_lines(&mut desk, "a.md", 10);
        desk.store.sync().unwrap();
        desk.store.fs().pause(limits::PLACE_PAUSE);
        desk.store.place_meanwhile().unwrap();
        // Committed while the version before is on its way.
        append_lines(&mut desk, "a.md", 1);
        desk.store.sync().unwrap();
        while desk.store.place_meanwhile().unwrap().is_some() {
            desk.store.fs().pause(limits::PLACE_POLL);
        }
        assert_eq!(lines(&desk), 1 + 11 * count);
    }
    assert_eq!(settle(&mut desk.store), None);
    let unfinished = |name: &std::ffi::OsString| name.to_string_lossy().ends_with(".part");
    let left = std::fs::read_dir(desk.at(".multiverse/placing")).unwrap();
    assert!(!left.map(|entry| entry.unwrap().file_name()).any(|name| unfinished(&name)));
}

/// QL-23: a file that is edited while a new version of it is on its way keeps the edit.
#[test]
fn an_edit_made_while_a_version_is_on_its_way_stays() {
    let mut desk = Desk::new();
    desk.commit("a.md", What::Create("first\n".into())).unwrap();
    desk.store.place(Due::All).unwrap();
    append_lines(&mut desk, "a.md", 1);
    desk.store.sync().unwrap();
    desk.store.fs().pause(limits::PLACE_PAUSE);
    desk.store.place_meanwhile().unwrap();
    std::fs::write(desk.at("a.md"), "first, changed\n").unwrap();
    desk.store.finish().unwrap();
    assert_eq!(std::fs::read_to_string(desk.at("a.md")).unwrap(), "first, changed\nline 0\n");
}
