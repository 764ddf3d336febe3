//! Many runs in one process: commits of many threads share a sync, and a batch is written under one lock.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
use std::sync::Arc;

use store::{Commit, CommitError, Due, Missing, ProjectPath, RealFs, Shared, Store, What, verify};
use text::Change;

fn path() -> ProjectPath {
    ProjectPath::document("db/process_runs.md").unwrap()
}

fn open(folder: &std::path::Path) -> Store<Arc<RealFs>> {
    let fs = Arc::new(RealFs::open(folder).unwrap());
    Store::open(fs, Missing::Create, Box::new(|_| {})).unwrap()
}

/// A row at the end of the table, decided on the newest state.
fn row(store: &Store<Arc<RealFs>>, name: &str) -> Commit {
    let end = store.read(&path()).unwrap().len();
    let change = Change::one(end, "", format!("| {name} |\n"));
    Commit::new(name, store.head().number, vec![(path(), What::Edit(change))])
}

/// QL-02, QL-22: no commit of any thread is lost, doubled, or acknowledged before it is durable.
#[test]
fn threads_share_one_store() {
    const THREADS: usize = 8;
    const STEPS: usize = 50;
    let folder = tempfile::tempdir().unwrap();
    let mut store = open(folder.path());
    store.commit(Commit::new("begin", 0, vec![(path(), What::Create("| id |\n| --- |\n".into()))])).unwrap();
    let shared = Shared::new(store);
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let shared = &shared;
            scope.spawn(move || {
                for step in 0..STEPS {
                    let commit = shared.with(|store| row(store, &format!("t{thread}-{step}.")));
                    let number = shared.commit(commit).unwrap();
                    assert!(shared.with(|store| store.durable()) >= number, "acknowledged before it is durable");
                    if step % 10 == 0 {
                        shared.with(|store| store.place(Due::Now)).unwrap();
                    }
                }
            });
        }
    });
    let head = shared.into_store().close().unwrap();
    assert_eq!(head.number, (THREADS * STEPS) as u64 + 1);
    let content = std::fs::read_to_string(folder.path().join("db/process_runs.md")).unwrap();
    for thread in 0..THREADS {
        for step in 0..STEPS {
            assert_eq!(content.matches(&format!("| t{thread}-{step}. |")).count(), 1, "t{thread}-{step}");
        }
    }
    let found = verify(&RealFs::open(folder.path()).unwrap(), Some(head.sum)).unwrap();
    assert_eq!((found.problems, found.differing), (vec![], vec![]));
}

/// QL-26: the records of a long batch, which another thread spells, are chained as if each had been written alone.
#[test]
fn a_long_batch_is_a_chain() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = open(folder.path());
    store.commit(Commit::new("begin", 0, vec![(path(), What::Create("| id |\n| --- |\n".into()))])).unwrap();
    let mut expected = 1;
    for length in [1, 7, 8, 9, 40, 3] {
        store
            .batch(|batch| {
                for number in 0..length {
                    let end = batch.read(&path()).unwrap().len();
                    let change = Change::one(end, "", format!("| {number} |\n"));
                    let commit = Commit::new("a row", batch.number(), vec![(path(), What::Edit(change))]);
                    expected += 1;
                    assert_eq!(batch.append(&commit).unwrap(), expected);
                }
            })
            .unwrap();
        assert_eq!(store.head().number, expected);
    }
    store.sync().unwrap();
    let head = store.head().sum;
    store.close().unwrap();
    let found = verify(&RealFs::open(folder.path()).unwrap(), Some(head)).unwrap();
    assert_eq!((found.records, found.problems, found.differing), (expected, vec![], vec![]));
}

/// A panic in the middle of a batch leaves nothing of it behind, neither in memory nor in the journal.
#[test]
fn a_batch_that_panics_did_not_happen() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = open(folder.path());
    store.commit(Commit::new("begin", 0, vec![(path(), What::Create("| id |\n| --- |\n".into()))])).unwrap();
    let before = store.read(&path()).unwrap().clone();
    let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        store.batch(|batch| {
            // So many that others have begun to spell them.
            for _ in 0..20 {
                let end = batch.read(&path()).unwrap().len();
                let change = Change::one(end, "", "| lost |\n");
                batch.append(&Commit::new("a row", batch.number(), vec![(path(), What::Edit(change))])).unwrap();
            }
            std::panic::resume_unwind(Box::new("a bug in whoever decides"));
        })
    }));
    assert!(panicked.is_err());
    assert_eq!((store.head().number, store.read(&path())), (1, Some(&before)));
    let commit = row(&store, "kept");
    store.commit(commit).unwrap();
    store.close().unwrap();
    let found = verify(&RealFs::open(folder.path()).unwrap(), None).unwrap();
    assert_eq!((found.records, found.problems), (2, vec![]));
}

/// In a batch every decision sees the commits before it, and one that is refused takes none with it.
#[test]
fn a_batch_decides_on_the_newest_state() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = open(folder.path());
    let numbers = store
        .batch(|batch| {
            let create = |base| Commit::new("create", base, vec![(path(), What::Create("one\n".into()))]);
            let first = batch.append(&create(batch.number())).unwrap();
            let twice = batch.append(&create(batch.number())).unwrap_err();
            assert_eq!(twice, CommitError::Exists(path()));
            let end = batch.read(&path()).unwrap().len();
            let change = Change::one(end, "", "two\n");
            let second = batch.append(&Commit::new("add", first, vec![(path(), What::Edit(change))])).unwrap();
            (first, second)
        })
        .unwrap();
    assert_eq!(numbers, (1, 2));
    store.sync().unwrap();
    assert_eq!(store.read(&path()).unwrap().to_vec(), b"one\ntwo\n");
}
