//! The past of real projects: going back in it, and QL-26, what `verify` and the next opening say of a journal that
//! somebody changed.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests only")]

mod desk;

use std::fs;
use std::path::Path;

use desk::{Desk, ROWS, open, path, records, settle};
use store::{
    Commit, CommitError, Due, Fault, FaultKind, HistoryError, Kind, Missing, Presence, RealFs, Store, Sum, What,
    document_at, verify,
};

/// The text of a document as of a record.
fn then(desk: &Desk, name: &str, number: u64) -> Option<String> {
    let text = document_at(desk.store.fs(), &path(name), number).unwrap();
    text.map(|text| String::from_utf8(text.to_vec()).unwrap())
}

#[test]
fn every_version_can_be_read_and_put_back() {
    let versions = [ROWS.to_owned(), ROWS.replace("T1", "T9"), String::new(), "x".repeat(100_000), "end".to_owned()];
    let mut desk = Desk::with("a.md", &versions[0]);
    for version in &versions[1..] {
        desk.write("a.md", version).unwrap();
    }
    let count = versions.len() as u64;
    desk.commit("a.md", What::Delete).unwrap();
    for (version, number) in versions.iter().zip(1..) {
        assert_eq!(then(&desk, "a.md", number).as_ref(), Some(version));
    }
    assert_eq!((then(&desk, "a.md", 0), then(&desk, "a.md", count + 1)), (None, None));
    for (version, number) in versions.iter().zip(1..) {
        desk.store.restore(&path("a.md"), number).unwrap();
        desk.is("a.md", Some(version.as_bytes()));
    }
    // Going back to where there was none would take a person's file away.
    let refused = desk.store.restore(&path("a.md"), count + 1).unwrap_err();
    assert_eq!(refused, HistoryError::NotThen { path: path("a.md"), number: count + 1 });
    desk.commit("a.md", What::Delete).unwrap();
    desk.is("a.md", None);
    desk.store.checkpoint(|_| None).unwrap().expect("a checkpoint");
    desk.store.restore(&path("a.md"), 2).unwrap();
    desk.is("a.md", Some(versions[1].as_bytes()));
    desk.prove();
}

/// Whatever a record did is taken back, and that again, also across a checkpoint.
#[test]
fn every_kind_of_change_can_be_taken_back_and_forth() {
    let deeds: [(Option<&str>, Option<What>, Option<&str>); 4] = [
        (None, Some(What::Create("new\n".into())), Some("new\n")),
        (Some("one\ntwo\n"), Some(What::Write("one\n2\n".into())), Some("one\n2\n")),
        (Some("one\ntwo\n"), Some(What::Delete), None),
        (Some("one\ntwo\n"), Some(What::Write(vec![0xff; 70_000].into())), None),
    ];
    for (before, what, _) in deeds {
        for checkpoint in [false, true] {
            let mut desk = Desk::with("other.md", "other\n");
            if let Some(before) = before {
                desk.create("a.md", before).unwrap();
            }
            let number = desk.commit("a.md", what.clone().unwrap()).unwrap();
            let after = desk.in_store("a.md");
            desk.is("a.md", after.as_deref());
            if checkpoint {
                desk.store.checkpoint(|_| None).unwrap().expect("a checkpoint");
            }
            let undo = desk.store.undo(number).unwrap();
            desk.is("a.md", before.map(str::as_bytes));
            let redo = desk.store.undo(undo).unwrap();
            desk.is("a.md", after.as_deref());
            desk.store.undo(redo).unwrap();
            desk.is("a.md", before.map(str::as_bytes));
            desk.prove();
        }
    }
}

/// What was built upon is not pulled away; what stands beside it stays.
#[test]
fn an_undo_respects_what_came_later() {
    let mut desk = Desk::with("a.md", "one\ntwo\nthree\n");
    desk.write("a.md", "1\ntwo\nthree\n").unwrap();
    desk.write("a.md", "1\ntwo\n3\n").unwrap();
    desk.write("a.md", "I\ntwo\n3\n").unwrap();
    let overtaken = desk.store.undo(2).unwrap_err();
    assert_eq!(overtaken, HistoryError::Overtaken { number: 2, later: 4, path: path("a.md") });
    let shown = overtaken.to_string();
    assert!(shown.contains("undo 4 first, or use `multiverse restore a.md --at 1`"), "{shown}");
    desk.store.undo(3).unwrap();
    desk.is("a.md", Some(b"I\ntwo\nthree\n"));
    desk.store.undo(4).unwrap();
    desk.store.undo(2).unwrap();
    desk.is("a.md", Some(b"one\ntwo\nthree\n"));
    desk.prove();
}

#[test]
fn what_cannot_be_taken_back_is_said() {
    let mut desk = Desk::with("a.md", ROWS);
    fs::write(desk.at("mine.md"), "mine\n").unwrap();
    let adopted = desk.store.adopt(&[path("mine.md")]).unwrap().unwrap();
    assert_eq!(desk.store.adopt(&[path("mine.md")]).unwrap(), None);
    let empty = desk.store.commit(Commit::new("nothing", adopted, Vec::new())).unwrap();
    assert_eq!(desk.store.undo(0), Err(HistoryError::NoRecord { number: 0, newest: 3 }));
    assert_eq!(desk.store.undo(9), Err(HistoryError::NoRecord { number: 9, newest: 3 }));
    assert_eq!(desk.store.undo(adopted), Err(HistoryError::NothingToUndo(adopted)));
    assert_eq!(desk.store.undo(empty), Err(HistoryError::NothingToUndo(empty)));
    let same = HistoryError::Same { path: path("a.md"), number: 1 };
    assert_eq!(desk.store.restore(&path("a.md"), 1), Err(same));
    let unknown = HistoryError::NoDocument { path: path("b.md") };
    assert_eq!(desk.store.restore(&path("b.md"), 1), Err(unknown));
    assert_eq!(desk.store.restore(&path("a.md"), 7), Err(HistoryError::NoRecord { number: 7, newest: 3 }));
    desk.is("mine.md", Some(b"mine\n"));
    desk.prove();
}

/// A document that was retired may be needed again: by its own process, and by another that never noticed.
#[test]
fn a_retired_document_can_come_back() {
    for who in ["the same process", "another process", "one that adopts it"] {
        println!("{who}");
        let mut desk = Desk::with("a.md", ROWS);
        let (mut other, _) = open(desk.folder.path());
        let mut commit = Commit::new("done", 1, Vec::new());
        commit.retire = vec![path("a.md")];
        desk.store.commit(commit).unwrap();
        desk.store.checkpoint(|_| None).unwrap().expect("a checkpoint");
        let again = |store: &mut Store<RealFs>| {
            let what = What::Write("again\n".into());
            store.commit(Commit::new("again", store.head().number, vec![(path("a.md"), what)]))
        };
        match who {
            "the same process" => match again(&mut desk.store) {
                Ok(_) | Err(CommitError::Unknown(_)) => {}
                Err(error) => panic!("{error}"),
            },
            "another process" => {
                other.catch_up().unwrap();
                again(&mut other).unwrap();
                other.place(Due::All).unwrap();
            }
            _ => {
                desk.store.adopt(&[path("a.md")]).unwrap();
            }
        }
        drop(other);
        desk.store.catch_up().unwrap();
        settle(&mut desk.store);
        desk.prove();
    }
}

/// A small project with all that a journal can hold; gives its folder, closed, and the sum of its head.
fn small() -> (tempfile::TempDir, Sum) {
    let mut desk = Desk::with("a.md", ROWS);
    desk.write("a.md", &ROWS.replace("T1 | PENDING", "T1 | DONE")).unwrap();
    desk.commit("b.bin", What::Create(vec![0xff, 0, 0xfe].into())).unwrap();
    desk.place();
    fs::write(desk.at("a.md"), "mine\n").unwrap();
    assert_eq!(settle(&mut desk.store), Some(4));
    desk.store.undo(4).unwrap();
    desk.commit("b.bin", What::Delete).unwrap();
    let Desk { store, folder, .. } = desk;
    let head = store.close().unwrap();
    assert_eq!(head.number, 6);
    (folder, head.sum)
}

/// What a journal that was changed does to those who look at it.
#[derive(Debug, PartialEq, Eq)]
struct Noticed {
    /// The records that `verify` names without being told the head.
    by_verify: Vec<Option<u64>>,
    /// Whether it does so when it is told the head.
    with_head: bool,
    /// What opening the project says: the number of its newest record, or the kind of its fault.
    by_opening: Result<u64, FaultKind>,
}

/// Copies the project with another journal and looks at that.
fn look_at(project: &Path, journal: &[u8], head: Sum) -> Noticed {
    // In memory where there is such a place: thousands of journals are opened.
    let memory = Path::new("/dev/shm");
    let copy = if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() }.unwrap();
    copy_all(project, copy.path());
    let file = copy.path().join(".multiverse/journal/00000001.jsonl");
    fs::write(&file, journal).unwrap();
    let real = RealFs::open(copy.path()).unwrap();
    let found = verify(&real, None).unwrap();
    let by_verify: Vec<_> = found.problems.iter().map(|problem| problem.record).collect();
    let with_head = !verify(&real, Some(head)).unwrap().problems.is_empty();
    let opened = Store::open(real, Missing::Refuse, Box::new(|_| {}));
    let by_opening = opened.as_ref().map(|store| store.head().number).map_err(|fault: &Fault| fault.kind);
    match opened {
        Err(_) => assert_eq!(fs::read(&file).unwrap(), journal, "a damaged journal was changed"),
        Ok(mut store) => {
            store.commit(Commit::new("it goes on", store.head().number, Vec::new())).unwrap();
            drop(store);
            let found = verify(&RealFs::open(copy.path()).unwrap(), None).unwrap();
            assert_eq!(found.problems, [], "it went on, on something that is not whole");
        }
    }
    Noticed { by_verify, with_head, by_opening }
}

fn copy_all(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            fs::create_dir(&target).unwrap();
            copy_all(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), &target).unwrap();
        }
    }
}

/// QL-26: every single byte, every record.
#[test]
fn no_change_of_a_journal_goes_unnoticed() {
    let (project, head) = small();
    let journal = fs::read(project.path().join(".multiverse/journal/00000001.jsonl")).unwrap();
    let lines: Vec<&[u8]> = journal.split_inclusive(|byte| *byte == b'\n').collect();
    assert_eq!(lines.len(), 7, "a header and six records");
    let whole = look_at(project.path(), &journal, head);
    assert_eq!(whole, Noticed { by_verify: vec![], with_head: false, by_opening: Ok(6) });

    let mut offset = 0;
    for (record, line) in lines.iter().enumerate() {
        for at in offset..offset + line.len() {
            let mut changed = journal.clone();
            changed[at] ^= 1;
            check(&look_at(project.path(), &changed, head), record, &format!("byte {at} of record {record} flipped"));
        }
        offset += line.len();
    }
    for record in 1..lines.len() {
        let without = [&lines[..record], &lines[record + 1..]].concat().concat();
        check(&look_at(project.path(), &without, head), record, &format!("record {record} removed"));
        let twice = [&lines[..=record], &lines[record..]].concat().concat();
        let noticed = look_at(project.path(), &twice, head);
        assert!(!noticed.by_verify.is_empty() || noticed.by_opening == Ok(6), "record {record} twice: {noticed:?}");
        for other in record + 1..lines.len() {
            let mut swapped = lines.clone();
            swapped.swap(record, other);
            let noticed = look_at(project.path(), &swapped.concat(), head);
            check(&noticed, record, &format!("records {record} and {other} swapped"));
        }
    }
    for end in lines[0].len()..journal.len() - 1 {
        let noticed = look_at(project.path(), &journal[..end], head);
        let kept = journal[..end].iter().filter(|byte| **byte == b'\n').count() as u64 - 1;
        assert!(noticed.with_head, "cut at {end}: {noticed:?}");
        // A journal that was closed has no torn end: half a record is damage.
        let whole = journal[..end].ends_with(b"\n");
        let expected = if whole { Ok(kept) } else { Err(FaultKind::Damaged) };
        assert_eq!(noticed.by_opening, expected, "cut at {end}");
    }
}

/// The header and every record but the last are proven by what follows them. The last one is proven by the head alone:
/// without it, it looks like what a crash leaves of a commit that nobody was told of.
#[track_caller]
fn check(noticed: &Noticed, record: usize, deed: &str) {
    assert!(noticed.with_head, "{deed}: {noticed:?}");
    match record {
        6 => assert!(noticed.by_opening == Ok(5) || noticed.by_opening.is_err(), "{deed}: {noticed:?}"),
        0 => {
            assert!(!noticed.by_verify.is_empty(), "{deed}: {noticed:?}");
            assert!(noticed.by_opening.is_err(), "{deed}: {noticed:?}");
        }
        _ => {
            let named = noticed.by_verify.iter().flatten().any(|number| *number == record as u64);
            assert!(named, "{deed}: {noticed:?}");
            assert_eq!(noticed.by_opening, Err(FaultKind::Damaged), "{deed}: {noticed:?}");
        }
    }
}

/// QL-26: a blob that was changed or lost is named with the record that needs it; so is a lost segment.
#[test]
fn changed_blobs_and_lost_segments_are_named() {
    let mut desk = Desk::with("a.md", ROWS);
    let number = desk.commit("b.bin", What::Create(vec![0xff; 100_000].into())).unwrap();
    desk.place();
    desk.store.checkpoint(|_| None).unwrap().expect("a checkpoint");
    desk.write("a.md", "after\n").unwrap();
    let Desk { store, folder, .. } = desk;
    let head = store.close().unwrap();
    let real = RealFs::open(folder.path()).unwrap();
    let named = |record: Option<u64>, word: &str| {
        let problems = verify(&real, Some(head.sum)).unwrap().problems;
        let found = problems.iter().any(|problem| problem.record == record && problem.message.contains(word));
        assert!(found, "{problems:?}");
    };
    let blob = fs::read_dir(folder.path().join(".multiverse/blobs")).unwrap().next().unwrap().unwrap().path();
    let content = fs::read(&blob).unwrap();
    fs::write(&blob, &content[1..]).unwrap();
    named(Some(number), "its content is not the one that its name says");
    fs::remove_file(&blob).unwrap();
    named(Some(number), "no such file");
    fs::write(&blob, &content).unwrap();
    assert_eq!(verify(&real, Some(head.sum)).unwrap().problems, []);
    let first = folder.path().join(".multiverse/journal/00000001.jsonl");
    let aside = folder.path().join("aside");
    fs::rename(&first, &aside).unwrap();
    named(Some(1), "records 1 to 2 are missing");
    fs::rename(&aside, &first).unwrap();
    let last = folder.path().join(".multiverse/journal/00000002.jsonl");
    fs::rename(&last, &aside).unwrap();
    named(Some(2), "cut off the end");
}

/// Every record says what it did: history is complete.
#[test]
fn history_tells_every_deed_with_its_kind() {
    let (project, _) = small();
    let all = records(&RealFs::open(project.path()).unwrap());
    let told: Vec<_> = all
        .iter()
        .map(|record| {
            let doc = &record.docs[0];
            (record.number, record.kind, doc.path.to_string(), doc.was, doc.now)
        })
        .collect();
    let (there, gone) = (Presence::Present, Presence::Absent);
    let told_shortly: Vec<_> = told.iter().map(|(number, kind, path, ..)| (*number, *kind, path.as_str())).collect();
    assert_eq!(
        told_shortly,
        [
            (1, Kind::Commit, "a.md"),
            (2, Kind::Commit, "a.md"),
            (3, Kind::Commit, "b.bin"),
            (4, Kind::Edit, "a.md"),
            (5, Kind::Undo, "a.md"),
            (6, Kind::Commit, "b.bin"),
        ]
    );
    let presence: Vec<_> = told.iter().map(|(.., was, now)| (*was, *now)).collect();
    assert_eq!(presence, [(gone, there), (there, there), (gone, there), (there, there), (there, there), (there, gone)]);
}
