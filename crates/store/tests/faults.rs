//! QL-24: a store on a disk that is full, read-only, closed to this user, or short of handles; QL-30: links that lead out
//! of the project. Each gives a typed fault that names the path; nothing is lost or half done; and when it is mended, the
//! same store goes on.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout, reason = "tests only")]

mod desk;

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Write;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use desk::{Desk, ROWS, open, path, records, settle};
use rustix::process::{Resource, Rlimit};
use store::{Commit, CommitError, Due, FaultKind, Fs, Kind, Missing, RealFs, Store, What, document_at, verify};
use tempfile::TempDir;
use text::{Change, Text};

/// Set in a process that a test starts from its own binary: the folder to work in.
const CHILD: &str = "FAULTS_CHILD";

/// A file system of its own, in memory, of 1 MiB; nothing where the system does not permit it.
struct Mounted(TempDir);

impl Mounted {
    fn new() -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        mount(&["-t", "tmpfs", "-o", "size=1m", "tmpfs"], folder.path()).then_some(Self(folder))
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(self.0.path()).status();
    }
}

fn mount(arguments: &[&str], folder: &Path) -> bool {
    let done = Command::new("mount").args(arguments).arg(folder).output();
    let done = done.is_ok_and(|output| output.status.success());
    if !done {
        println!("nothing is mounted, for it is not permitted: `mount {}` failed", arguments.join(" "));
    }
    done
}

/// Takes all the space that is left; gives the file that holds it.
fn fill(folder: &Path) -> PathBuf {
    let filler = folder.join("filler");
    let mut file = File::create(&filler).unwrap();
    for size in [4096, 1] {
        while file.write_all(&vec![b'x'; size]).is_ok() {}
    }
    filler
}

fn desk_in(folder: &Path) -> Desk {
    let (store, heard) = open(folder);
    Desk { store, heard, folder: tempfile::tempdir().unwrap() }
}

#[track_caller]
fn named<T: std::fmt::Debug>(result: Result<T, impl Into<CommitError>>, kind: FaultKind, place: &str) {
    let CommitError::Fault(fault) = result.unwrap_err().into() else { panic!("no fault") };
    assert_eq!(fault.kind, kind, "{fault}");
    assert!(fault.path.starts_with(place), "{fault}, but expected one of {place}");
}

fn create(name: &str, content: impl Into<bytes::Bytes>) -> Commit {
    Commit::new("a test", 0, vec![(path(name), What::Create(content.into()))])
}

fn append(store: &Store<RealFs>, name: &str, row: &str) -> Commit {
    let end = store.read(&path(name)).map_or(0, Text::len);
    let change = Change::one(end, "", row.to_owned());
    Commit::new("a row", store.head().number, vec![(path(name), What::Edit(change))])
}

fn content(store: &Store<RealFs>, name: &str) -> String {
    String::from_utf8(store.read(&path(name)).map(Text::to_vec).unwrap_or_default()).unwrap()
}

/// After everything: opened by the next process, whole, and every file as the journal has it.
#[track_caller]
fn prove(folder: &Path, expected: &[(&str, &str)]) {
    let (mut store, _) = open(folder);
    assert_eq!(settle(&mut store), None, "an edit that nobody made");
    store.finish().unwrap();
    let head = store.close().unwrap();
    let found = verify(&RealFs::open(folder).unwrap(), Some(head.sum)).unwrap();
    assert!(found.problems.is_empty() && found.differing.is_empty(), "{found:?}");
    for (name, content) in expected {
        assert_eq!(fs::read_to_string(folder.join(name)).unwrap_or_default(), *content, "{name}");
    }
    assert_eq!(fs::read_dir(folder.join(".multiverse/placing")).unwrap().count(), 0, "something is left in placing");
}

/// QL-24
#[test]
fn a_full_disk_loses_nothing_and_the_same_store_goes_on() {
    let Some(mounted) = Mounted::new() else { return };
    let folder = mounted.0.path();
    let mut store = desk_in(folder).store;
    store.commit(create("db/a.md", ROWS)).unwrap();
    store.commit(create("db/b.md", "b\n")).unwrap();
    store.place(Due::All).unwrap();
    let filler = fill(folder);
    // What is padded already still takes commits; the first that does not fit is refused, and so are all after it.
    let mut rows = 0;
    let row =
        |number: usize| format!("| row {number} of many words, so that space runs out soon {} |\n", "x".repeat(3000));
    let refused = loop {
        match store.commit(append(&store, "db/b.md", &row(rows))) {
            Ok(_) => rows += 1,
            Err(error) => break error,
        }
        assert!(rows < 1000, "the disk is not full");
    };
    named::<()>(Err(refused), FaultKind::DiskFull, ".multiverse/journal/");
    let head = store.head();
    let expected = format!("b\n{}", (0..rows).map(row).collect::<String>());
    for _ in 0..3 {
        let long = "y".repeat(60_000);
        named(store.commit(append(&store, "db/b.md", &long)), FaultKind::DiskFull, ".multiverse/journal/");
        named(store.commit(create("big.bin", vec![b'y'; 100_000])), FaultKind::DiskFull, ".multiverse/blobs/");
        named(store.place(Due::All), FaultKind::DiskFull, "db/b.md");
        named(store.checkpoint(|_| None), FaultKind::DiskFull, "");
        assert_eq!((store.head(), content(&store, "db/b.md")), (head, expected.clone()), "half a commit is in memory");
    }
    let left: Vec<_> = ["placing", "blobs", "checkpoints"]
        .iter()
        .flat_map(|name| fs::read_dir(folder.join(".multiverse").join(name)).into_iter().flatten())
        .map(|entry| entry.unwrap().path())
        .collect();
    assert!(left.is_empty(), "a full disk is left with {left:?}");
    assert_eq!(fs::read_to_string(folder.join("db/b.md")).unwrap(), "b\n", "half a file");
    fs::remove_file(filler).unwrap();
    store.commit(append(&store, "db/b.md", "last\n")).unwrap();
    store.commit(create("big.bin", vec![b'y'; 100_000])).unwrap();
    store.place(Due::All).unwrap();
    store.checkpoint(|_| None).unwrap().expect("a checkpoint");
    store.close().unwrap();
    prove(folder, &[("db/a.md", ROWS), ("db/b.md", &format!("{expected}last\n")), ("big.bin", &"y".repeat(100_000))]);
}

/// QL-24: documents that cannot all be placed take no space for ever, however often it is tried.
#[test]
fn placing_in_vain_fills_no_disk() {
    let Some(mounted) = Mounted::new() else { return };
    let folder = mounted.0.path();
    let mut store = desk_in(folder).store;
    for name in ["1.md", "2.md", "3.md"] {
        store.commit(create(name, ROWS)).unwrap();
    }
    store.place(Due::All).unwrap();
    for name in ["1.md", "2.md", "3.md"] {
        store.commit(append(&store, name, &"long\n".repeat(4000))).unwrap();
    }
    let filler = fill(folder);
    File::options()
        .write(true)
        .open(&filler)
        .unwrap()
        .set_len(fs::metadata(&filler).unwrap().len() - 48 * 1024)
        .unwrap();
    for _ in 0..4 {
        named(store.place(Due::All), FaultKind::DiskFull, "");
    }
    // What came out of its place is looked at once more, when nobody can be writing to it any more.
    let since = store.fs().now().steady;
    while store.look().unwrap().unsettled > 0 || fs::read_dir(folder.join(".multiverse/placing")).unwrap().count() > 0 {
        store.fs().pause(Duration::from_millis(10));
        let waited = store.fs().now().steady.saturating_sub(since);
        assert!(waited < Duration::from_secs(20), "files left by placings that failed");
    }
    fs::remove_file(filler).unwrap();
    store.close().unwrap();
    let long = format!("{ROWS}{}", "long\n".repeat(4000));
    prove(folder, &[("1.md", &long), ("2.md", &long), ("3.md", &long)]);
}

/// QL-23, QL-24: an edit that cannot be recorded now stays where it is and is recorded later.
#[test]
fn an_edit_waits_for_space() {
    let Some(mounted) = Mounted::new() else { return };
    let folder = mounted.0.path();
    let mut store = desk_in(folder).store;
    for name in ["a.md", "b.md", "c.md"] {
        store.commit(create(name, ROWS)).unwrap();
    }
    store.place(Due::All).unwrap();
    let long = format!("{ROWS}{}", "z".repeat(100_000));
    for (name, text) in [("a.md", "mine\n"), ("b.md", &long), ("c.md", "mine too\n")] {
        fs::write(folder.join(name), text).unwrap();
    }
    let filler = fill(folder);
    let fault = loop {
        match store.look() {
            Ok(look) => assert_eq!(look.record, None),
            Err(fault) => break fault,
        }
        store.fs().pause(Duration::from_millis(10));
    };
    named::<()>(Err(fault), FaultKind::DiskFull, ".multiverse/blobs/");
    for name in ["a.md", "b.md", "c.md"] {
        assert_eq!(content(&store, name), ROWS, "{name} is half taken over");
    }
    // Whatever fits into the padding is still committed, on what is true.
    store.commit(append(&store, "a.md", "| engine |\n")).unwrap();
    fs::remove_file(filler).unwrap();
    assert_eq!(settle(&mut store), Some(5));
    let last = records(store.fs()).pop().unwrap();
    assert_eq!((last.kind, last.docs.len()), (Kind::Edit, 3));
    assert!(content(&store, "a.md").contains("mine\n"));
    assert_eq!(content(&store, "b.md"), long);
    store.close().unwrap();
    prove(folder, &[("b.md", &long), ("c.md", "mine too\n")]);
}

/// QL-24: what only reads works on a read-only disk; what writes says so.
#[test]
fn a_read_only_disk_can_be_read() {
    let Some(mounted) = Mounted::new() else { return };
    let folder = mounted.0.path();
    let mut store = desk_in(folder).store;
    store.commit(create("db/a.md", ROWS)).unwrap();
    store.commit(append(&store, "db/a.md", "more\n")).unwrap();
    // Killed here, so there is something to recover.
    drop(store);
    assert!(mount(&["-o", "remount,ro"], folder));
    let fs = RealFs::open(folder).unwrap();
    let fault = Store::open(RealFs::open(folder).unwrap(), Missing::Create, Box::new(|_| {})).unwrap_err();
    named::<()>(Err(fault), FaultKind::ReadOnly, ".multiverse/");
    assert_eq!(records(&fs).len(), 2);
    assert_eq!(document_at(&fs, &path("db/a.md"), 1).unwrap().unwrap().to_vec(), ROWS.as_bytes());
    assert_eq!(verify(&fs, None).unwrap().problems, []);
    assert!(mount(&["-o", "remount,rw"], folder));
    prove(folder, &[("db/a.md", &format!("{ROWS}more\n"))]);
}

/// QL-24: an unprivileged user who loses the permission to one folder after the other, and gets it back.
#[test]
fn what_is_not_permitted_is_named_and_goes_on_when_it_is() {
    let Ok(folder) = std::env::var(CHILD) else {
        let folder = tempfile::tempdir().unwrap();
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o777)).unwrap();
        return again("what_is_not_permitted_is_named_and_goes_on_when_it_is", folder.path());
    };
    become_nobody();
    let folder = Path::new(&folder);
    let set = |name: &str, bits| fs::set_permissions(folder.join(name), fs::Permissions::from_mode(bits)).unwrap();
    let mut store = desk_in(folder).store;
    store.commit(create("db/a.md", ROWS)).unwrap();
    store.commit(create("big.bin", vec![b'y'; 100_000])).unwrap();
    store.place(Due::All).unwrap();
    store.checkpoint(|_| None).unwrap();
    store.commit(append(&store, "db/a.md", "one\n")).unwrap();
    type Deed = fn(&mut Store<RealFs>) -> Result<(), CommitError>;
    let place: Deed = |store| Ok(store.place(Due::All).map(drop)?);
    let look: Deed = |store| Ok(store.look().map(drop)?);
    let checkpoint: Deed = |store| Ok(store.checkpoint(|_| None).map(drop)?);
    let blob: Deed = |store| store.commit(create("new.bin", vec![b'z'; 100_000])).map(drop);
    let new: Deed = |store| store.commit(create("db/deep/new.md", "new\n")).map(drop);
    let cases = [
        ("db", 0o555, 0o755, place, "db/a.md"),
        ("db", 0o555, 0o755, new, "db/deep"),
        (".multiverse/placing", 0o555, 0o755, place, "db/a.md"),
        ("db/a.md", 0, 0o644, look, "db/a.md"),
        (".multiverse/blobs", 0o555, 0o755, blob, ".multiverse/blobs/"),
        (".multiverse/journal", 0o555, 0o755, checkpoint, ".multiverse/journal/"),
        (".multiverse/checkpoints", 0o555, 0o755, checkpoint, ".multiverse/checkpoints/"),
    ];
    for (number, (name, closed, opened, deed, place)) in cases.into_iter().enumerate() {
        store.commit(append(&store, "db/a.md", &format!("case {number}\n"))).unwrap();
        set(name, closed);
        named(deed(&mut store), FaultKind::Denied, place);
        named(deed(&mut store), FaultKind::Denied, place);
        set(name, opened);
        deed(&mut store).unwrap_or_else(|error| panic!("mended, and yet: {error}"));
    }
    store.close().unwrap();
    let all: String = (0..cases.len()).map(|number| format!("case {number}\n")).collect();
    prove(folder, &[("db/a.md", &format!("{ROWS}one\n{all}")), ("db/deep/new.md", "new\n")]);
    println!("{CHILD} done");
}

/// Gives up being root, if this process is.
#[allow(unsafe_code, reason = "no safe call changes the user of all threads")]
fn become_nobody() {
    const NOBODY: libc::uid_t = 65534;
    if rustix::process::getuid().is_root() {
        // SAFETY: both calls take plain numbers, and the C library applies them to every thread.
        let done = unsafe { libc::setgid(NOBODY) == 0 && libc::setuid(NOBODY) == 0 };
        assert!(done, "root can become nobody");
    }
}

/// QL-24: a process without a handle left; what others committed meanwhile is not lost on it.
#[test]
fn too_few_handles_lose_nothing_and_the_same_store_goes_on() {
    let Ok(folder) = std::env::var(CHILD) else {
        let folder = tempfile::tempdir().unwrap();
        return again("too_few_handles_lose_nothing_and_the_same_store_goes_on", folder.path());
    };
    let folder = Path::new(&folder);
    let mut store = desk_in(folder).store;
    store.commit(create("db/a.md", ROWS)).unwrap();
    store.commit(create("c.md", ROWS)).unwrap();
    store.place(Due::All).unwrap();
    let limit = Rlimit { current: Some(64), maximum: rustix::process::getrlimit(Resource::Nofile).maximum };
    rustix::process::setrlimit(Resource::Nofile, limit).unwrap();
    // Another process commits, goes on to a new segment, and commits again.
    let mut other = desk_in(folder).store;
    other.commit(append(&other, "db/a.md", "other 1\n")).unwrap();
    other.checkpoint(|_| None).unwrap().expect("a checkpoint");
    other.commit(append(&other, "db/a.md", "other 2\n")).unwrap();
    drop(other);
    let mut open = exhaust();
    named(store.catch_up(), FaultKind::NoHandles, ".multiverse/");
    named(store.commit(append(&store, "db/a.md", "mine\n")), FaultKind::NoHandles, ".multiverse/");
    named(store.commit(create("db/b.md", "b")), FaultKind::NoHandles, ".multiverse/");
    named(store.look(), FaultKind::NoHandles, "");
    named(store.checkpoint(|_| None), FaultKind::NoHandles, "");
    open.clear();
    store.commit(append(&store, "db/a.md", "mine\n")).unwrap();
    let expected = format!("{ROWS}other 1\nother 2\nmine\n");
    assert_eq!(content(&store, "db/a.md"), expected, "what another process committed is not in memory");
    let news: Vec<u64> = store.take_news().unwrap().iter().map(|record| record.number).collect();
    assert_eq!(news, [3, 4], "records that nobody was told of");
    // An edit in a file that was replaced just then.
    let mut late = fs::OpenOptions::new().append(true).open(folder.join("c.md")).unwrap();
    store.commit(append(&store, "c.md", "engine\n")).unwrap();
    store.place(Due::All).unwrap();
    late.write_all(b"late\n").unwrap();
    drop(late);
    open = exhaust();
    for _ in 0..10 {
        named(store.look(), FaultKind::NoHandles, "");
        store.fs().pause(Duration::from_millis(10));
    }
    open.clear();
    assert_eq!(settle(&mut store), Some(7), "the late edit");
    store.commit(create("db/b.md", "b")).unwrap();
    store.close().unwrap();
    let late = format!("{ROWS}engine\nlate\n");
    prove(folder, &[("db/a.md", &expected), ("db/b.md", "b"), ("c.md", &late)]);
    println!("{CHILD} done");
}

/// Opens files until no handle is left.
fn exhaust() -> Vec<File> {
    std::iter::from_fn(|| File::open("/dev/null").ok()).collect()
}

/// Starts one test of this binary again, in a process of its own that knows the folder.
fn again(test: &str, folder: &Path) {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", test, "--nocapture"])
        .env(CHILD, folder)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    std::io::stderr().write_all(&output.stderr).unwrap();
    assert!(output.status.success() && text.contains(&format!("{CHILD} done")), "{text}");
}

/// Every file below a folder: what it is, when it changed and what is in it.
fn snapshot(folder: &Path) -> BTreeMap<PathBuf, (u64, i64, i64, Vec<u8>)> {
    let mut all = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap().path();
        let about = fs::symlink_metadata(&entry).unwrap();
        if about.is_dir() {
            all.extend(snapshot(&entry));
        }
        let content = if about.is_file() { fs::read(&entry).unwrap() } else { Vec::new() };
        all.insert(entry, (about.ino(), about.mtime(), about.mtime_nsec(), content));
    }
    all
}

/// QL-30: a folder of the project that was moved out of it, with a link in its place, is not followed by the next
/// process, nor by one that is at work.
#[test]
fn no_link_leads_out_of_the_project() {
    for name in ["journal", "blobs", "placing", "checkpoints", "lock", ".gitignore", "", "../db", "../db/a.md"] {
        for at_work in [false, true] {
            println!("{name:?} is a link, a process is at work: {at_work}");
            check_link(name, at_work);
        }
    }
}

fn check_link(name: &str, at_work: bool) {
    let mut desk = Desk::with("db/a.md", ROWS);
    desk.commit("db/big.bin", What::Create(vec![b'y'; 100_000].into())).unwrap();
    desk.place();
    desk.store.checkpoint(|_| None).unwrap().expect("a checkpoint");
    desk.commit("db/a.md", What::Write("new\n".into())).unwrap();
    let outside = tempfile::tempdir().unwrap();
    let place = desk.folder.path().join(".multiverse").join(name);
    let place = if name.is_empty() { desk.at(".multiverse") } else { place };
    let moved = outside.path().join("moved");
    fs::rename(&place, &moved).unwrap();
    symlink(&moved, &place).unwrap();
    let before = snapshot(outside.path());
    let Desk { mut store, folder, .. } = desk;
    if at_work {
        // Some of these need nothing behind the link, and may well be done.
        let _ = store.commit(append(&store, "db/a.md", "row\n"));
        let _ = store.commit(create("db/more.bin", vec![b'z'; 100_000]));
        let _ = store.place(Due::All);
        let _ = store.look();
        let _ = store.checkpoint(|_| None);
        let files_held_open = ["lock", ""].contains(&name) || name == "journal";
        if !files_held_open {
            assert_eq!(snapshot(outside.path()), before, "something outside of the project was touched");
        }
        assert_eq!(snapshot(outside.path()).keys().collect::<Vec<_>>(), before.keys().collect::<Vec<_>>());
        return;
    }
    drop(store);
    let opened = Store::open(RealFs::open(folder.path()).unwrap(), Missing::Create, Box::new(|_| {}));
    assert_eq!(snapshot(outside.path()), before, "something outside of the project was touched");
    // A document that cannot be placed does not keep the project shut; it is named when somebody looks.
    let opened = if name.starts_with("..") { opened.and_then(|mut store| store.look().map(|_| store)) } else { opened };
    let needed = name != "placing" || opened.is_err();
    if needed {
        named(opened.map(drop), FaultKind::NotAFile, if name.starts_with("..") { "db" } else { ".multiverse" });
    }
}

/// A journal or a checkpoint of a later version is refused, and not a byte of anything is changed.
#[test]
fn a_later_version_is_refused_unread_and_unchanged() {
    for (file, reads) in [("journal/00000002.jsonl", true), ("checkpoints/000000000001.jsonl", false)] {
        let mut desk = Desk::with("a.md", ROWS);
        desk.store.checkpoint(|_| None).unwrap().expect("a checkpoint");
        let Desk { store, folder, .. } = desk;
        store.close().unwrap();
        let file = folder.path().join(".multiverse").join(file);
        let text = fs::read_to_string(&file).unwrap().replacen("\"version\":1", "\"version\":2", 1);
        fs::write(&file, text.replacen("\"boot\"", "\"shoe\"", 1)).unwrap();
        let before = snapshot(folder.path());
        let fault = Store::open(RealFs::open(folder.path()).unwrap(), Missing::Create, Box::new(|_| {})).unwrap_err();
        assert_eq!(fault.kind, FaultKind::Unsupported, "{fault}");
        assert!(fault.reason.contains("format version 2, this program knows 1; use a newer multiverse"), "{fault}");
        if reads {
            assert_eq!(verify(&RealFs::open(folder.path()).unwrap(), None).unwrap_err().kind, FaultKind::Unsupported);
        }
        assert_eq!(snapshot(folder.path()), before);
    }
}
