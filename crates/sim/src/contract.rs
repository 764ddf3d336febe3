//! What every `Fs` must do, checked on an empty project. The real one and the simulated one both pass, so that what is
//! proved on the simulated disk holds on a real one.

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test that several crates run")]

use std::time::Duration;

use store::{Fault, FaultKind, Fs, Mode, ProcessState, ProjectPath};

/// Checks all of the contract that can be seen through `Fs` itself.
///
/// # Panics
/// Where the contract is broken.
pub fn check_contract<F: Fs>(fs: &F) {
    opening(fs);
    reading_and_writing(fs);
    sizes_and_permissions(fs);
    stamps(fs);
    folders(fs);
    renaming(fs);
    exchanging(fs);
    linking_and_removing(fs);
    wrong_kinds(fs);
    locks(fs);
    writers(fs);
    clocks(fs);
}

fn opening<F: Fs>(fs: &F) {
    let new = path("opening.md");
    fails(fs.open(&new, Mode::Read), FaultKind::Missing, "opening.md");
    fails(fs.open(&new, Mode::Write), FaultKind::Missing, "opening.md");
    fails(fs.open(&path("nowhere/a.md"), Mode::Create), FaultKind::Missing, "nowhere/a.md");
    let file = fs.open(&new, Mode::CreateNew).unwrap();
    fs.write_at(&file, 0, b"kept").unwrap();
    fails(fs.open(&new, Mode::CreateNew), FaultKind::Exists, "opening.md");
    for mode in [Mode::Read, Mode::Write, Mode::Create] {
        let again = fs.open(&new, mode).unwrap();
        assert_eq!(content(fs, &again), b"kept", "{mode:?} keeps the content");
    }
    drop(fs.open(&path("made.md"), Mode::Create).unwrap());
    assert_eq!(fs.look(&path("made.md")).unwrap().unwrap().size, 0);
}

fn reading_and_writing<F: Fs>(fs: &F) {
    let file = fs.open(&path("bytes.md"), Mode::CreateNew).unwrap();
    fs.write_at(&file, 0, b"").unwrap();
    assert_eq!(content(fs, &file), b"");
    fs.write_at(&file, 3, b"def").unwrap();
    assert_eq!(content(fs, &file), b"\0\0\0def", "a gap reads as zeros");
    fs.write_at(&file, 0, b"abc").unwrap();
    let mut buffer = [0; 4];
    assert_eq!(fs.read_at(&file, 4, &mut buffer).unwrap(), 2, "reading ends with the file");
    assert_eq!(&buffer[..2], b"ef");
    assert_eq!(fs.read_at(&file, 6, &mut buffer).unwrap(), 0);
    assert_eq!(fs.read_at(&file, 600, &mut buffer).unwrap(), 0);
    let reader = fs.open(&path("bytes.md"), Mode::Read).unwrap();
    fs.write_at(&file, 0, b"A").unwrap();
    assert_eq!(content(fs, &reader), b"Abcdef", "one file, however often it is open");
    assert!(fs.write_at(&reader, 0, b"x").is_err(), "opened for reading");
    let large: Vec<u8> = (0..3_000_000u32).map(|number| (number % 251) as u8).collect();
    fs.write_at(&file, 1000, &large).unwrap();
    assert_eq!(content(fs, &reader)[1000..], large);
    fs.sync(&file).unwrap();
    fs.sync(&reader).unwrap();
}

fn sizes_and_permissions<F: Fs>(fs: &F) {
    let file = fs.open(&path("sizes.md"), Mode::CreateNew).unwrap();
    fs.write_at(&file, 0, b"abcdef").unwrap();
    fs.truncate(&file, 2).unwrap();
    assert_eq!(content(fs, &file), b"ab");
    fs.truncate(&file, 4).unwrap();
    assert_eq!(content(fs, &file), b"ab\0\0", "what was cut off does not come back");
    assert_eq!(fs.stamp(&file).unwrap().permissions & 0o600, 0o600);
    for permissions in [0o600, 0o755, 0o644] {
        fs.set_permissions(&file, permissions).unwrap();
        assert_eq!(fs.stamp(&file).unwrap().permissions, permissions);
    }
}

fn stamps<F: Fs>(fs: &F) {
    let (one, two) = (path("stamp-1.md"), path("stamp-2.md"));
    assert_eq!(fs.look(&one).unwrap(), None);
    assert_eq!(fs.look(&path("nowhere/deep/a.md")).unwrap(), None);
    let file = fs.open(&one, Mode::CreateNew).unwrap();
    let other = fs.open(&two, Mode::CreateNew).unwrap();
    assert_ne!(fs.stamp(&file).unwrap().inode, fs.stamp(&other).unwrap().inode);
    fs.write_at(&file, 0, b"abc").unwrap();
    let stamp = fs.stamp(&file).unwrap();
    assert_eq!((stamp.size, Some(stamp)), (3, fs.look(&one).unwrap()));
    let distance = (fs.now().wall - stamp.modified).abs();
    assert!(distance < 60_000_000_000, "files and clock agree on the time, but for {distance} ns");
    let before = fs.stamp(&file).unwrap();
    fs.pause(Duration::from_millis(30));
    fs.write_at(&file, 0, b"xyz").unwrap();
    assert!(fs.stamp(&file).unwrap().modified > before.modified, "a later write has a later time");
}

fn folders<F: Fs>(fs: &F) {
    let deep = path("folder/in/folder");
    assert_eq!(fs.list(&deep).unwrap(), None);
    fails(fs.sync_folder(Some(&deep)), FaultKind::Missing, "folder/in/folder");
    fs.make_folder(&deep).unwrap();
    fs.make_folder(&deep).unwrap();
    fs.make_folder(&path("folder")).unwrap();
    assert_eq!(fs.list(&deep).unwrap(), Some(vec![]));
    for name in ["b.md", "a.md", "é.md", "C.md"] {
        fs.open(&path(&format!("folder/in/folder/{name}")), Mode::CreateNew).unwrap();
    }
    let names = ["C.md", "a.md", "b.md", "é.md"].map(String::from);
    assert_eq!(fs.list(&deep).unwrap(), Some(names.to_vec()));
    assert_eq!(fs.list(&path("folder")).unwrap(), Some(vec!["in".into()]));
    fs.sync_folder(Some(&deep)).unwrap();
    fs.sync_folder(None).unwrap();
}

fn renaming<F: Fs>(fs: &F) {
    let (from, to, inner) = (path("from.md"), path("to.md"), path("folder/from.md"));
    fails(fs.rename(&from, &to), FaultKind::Missing, ".md");
    put(fs, &from, b"one");
    let inode = fs.look(&from).unwrap().unwrap().inode;
    fs.rename(&from, &to).unwrap();
    assert_eq!((texts(fs, &from), texts(fs, &to)), (None, Some("one".into())));
    assert_eq!(fs.look(&to).unwrap().unwrap().inode, inode, "the file moves, nothing is copied");
    put(fs, &from, b"two");
    let old = fs.open(&to, Mode::Read).unwrap();
    fs.rename(&from, &to).unwrap();
    assert_eq!((texts(fs, &from), texts(fs, &to)), (None, Some("two".into())));
    assert_eq!(content(fs, &old), b"one", "a replaced file lives on in its handles");
    put(fs, &from, b"three");
    fails(fs.rename_new(&from, &to), FaultKind::Exists, ".md");
    assert_eq!((texts(fs, &from), texts(fs, &to)), (Some("three".into()), Some("two".into())));
    fs.rename_new(&from, &inner).unwrap();
    assert_eq!((texts(fs, &from), texts(fs, &inner)), (None, Some("three".into())));
    fails(fs.rename_new(&from, &path("other.md")), FaultKind::Missing, ".md");
    fails(fs.rename(&to, &path("nowhere/to.md")), FaultKind::Missing, ".md");
}

fn exchanging<F: Fs>(fs: &F) {
    let (one, other) = (path("one.md"), path("folder/other.md"));
    put(fs, &one, b"one");
    fails(fs.exchange(&one, &other), FaultKind::Missing, ".md");
    put(fs, &other, b"other");
    fs.exchange(&one, &other).unwrap();
    assert_eq!((texts(fs, &one), texts(fs, &other)), (Some("other".into()), Some("one".into())));
}

fn linking_and_removing<F: Fs>(fs: &F) {
    let (one, two) = (path("link-1.md"), path("link-2.md"));
    fails(fs.link(&one, &two), FaultKind::Missing, ".md");
    put(fs, &one, b"both");
    fs.link(&one, &two).unwrap();
    fails(fs.link(&one, &two), FaultKind::Exists, ".md");
    assert_eq!(fs.look(&one).unwrap(), fs.look(&two).unwrap());
    fs.rename(&one, &two).unwrap();
    assert_eq!(
        (texts(fs, &one), texts(fs, &two)),
        (Some("both".into()), Some("both".into())),
        "one file: nothing moves"
    );
    fs.remove(&one).unwrap();
    assert_eq!((texts(fs, &one), texts(fs, &two)), (None, Some("both".into())));
    fails(fs.remove(&one), FaultKind::Missing, "link-1.md");
    let file = fs.open(&two, Mode::Write).unwrap();
    fs.remove(&two).unwrap();
    fs.write_at(&file, 0, b"B").unwrap();
    assert_eq!(content(fs, &file), b"Both", "a removed file lives on in its handles");
}

/// Folders where files are expected, and the reverse.
fn wrong_kinds<F: Fs>(fs: &F) {
    let (folder, file, below) = (path("kind"), path("kind.md"), path("kind.md/below.md"));
    fs.make_folder(&folder).unwrap();
    put(fs, &file, b"file");
    let not_a_file = FaultKind::NotAFile;
    for mode in [Mode::Read, Mode::Write, Mode::Create] {
        fails(fs.open(&folder, mode), not_a_file, "kind");
        fails(fs.open(&below, mode), not_a_file, "kind.md/below.md");
    }
    fails(fs.open(&folder, Mode::CreateNew), FaultKind::Exists, "kind");
    fails(fs.look(&folder), not_a_file, "kind");
    fails(fs.look(&below), not_a_file, "kind.md/below.md");
    fails(fs.remove(&folder), not_a_file, "kind");
    fails(fs.list(&file), not_a_file, "kind.md");
    fails(fs.list(&below), not_a_file, "kind.md/below.md");
    fails(fs.make_folder(&file), not_a_file, "kind.md");
    fails(fs.make_folder(&below), not_a_file, "kind.md/below.md");
    fails(fs.rename(&folder, &path("kind-2.md")), not_a_file, "kind");
    fails(fs.rename(&file, &folder), not_a_file, "kind");
    fails(fs.exchange(&file, &folder), not_a_file, "kind");
    fails(fs.link(&folder, &path("kind-2.md")), not_a_file, "kind");
    fails(fs.has_writer(&folder), not_a_file, "kind");
    assert_eq!(texts(fs, &file), Some("file".into()));
}

fn locks<F: Fs>(fs: &F) {
    let lock = path("lock");
    let one = fs.open(&lock, Mode::Create).unwrap();
    let two = fs.open(&lock, Mode::Read).unwrap();
    assert!(fs.try_lock(&one).unwrap());
    assert!(fs.try_lock(&one).unwrap(), "the holder has it");
    assert!(!fs.try_lock(&two).unwrap(), "locks are between handles, not processes");
    fs.unlock(&two).unwrap();
    assert!(!fs.try_lock(&two).unwrap(), "only the holder gives it up");
    fs.unlock(&one).unwrap();
    assert!(fs.try_lock(&two).unwrap());
    assert!(!fs.try_lock(&one).unwrap());
    drop(two);
    assert!(fs.try_lock(&one).unwrap(), "closing gives it up");
}

fn writers<F: Fs>(fs: &F) {
    let watched = path("watched.md");
    fails(fs.has_writer(&watched), FaultKind::Missing, "watched.md");
    put(fs, &watched, b"text");
    let check = |expected: bool, when: &str| {
        let answer = fs.has_writer(&watched).unwrap();
        assert!(answer.is_none_or(|has_writer| has_writer == expected), "{when}: {answer:?}");
    };
    check(false, "closed");
    let reader = fs.open(&watched, Mode::Read).unwrap();
    check(false, "open for reading");
    let writer = fs.open(&watched, Mode::Write).unwrap();
    check(true, "open for writing");
    drop(writer);
    check(false, "closed again");
    drop(reader);
}

fn clocks<F: Fs>(fs: &F) {
    let before = fs.now();
    fs.pause(Duration::from_millis(2));
    let after = fs.now();
    assert!(after.steady >= before.steady + Duration::from_millis(2));
    assert!(before.wall > 1_600_000_000_000_000_000, "the wall clock counts from 1970");
    assert!(!fs.boot_id().is_empty());
    assert_eq!(fs.boot_id(), fs.boot_id());
    assert_eq!(fs.process(), fs.process());
    assert_eq!(fs.process_state(fs.process()), ProcessState::Running);
    assert_eq!(fs.process_state(u32::MAX), ProcessState::Gone);
}

fn path(text: &str) -> ProjectPath {
    ProjectPath::any(text).expect("a path in the project")
}

fn put<F: Fs>(fs: &F, path: &ProjectPath, bytes: &[u8]) {
    let file = fs.open(path, Mode::CreateNew).unwrap();
    fs.write_at(&file, 0, bytes).unwrap();
}

fn content<F: Fs>(fs: &F, file: &F::File) -> Vec<u8> {
    let size = usize::try_from(fs.stamp(file).unwrap().size).unwrap();
    let mut bytes = vec![0; size];
    let mut filled = 0;
    while filled < size {
        let count = fs.read_at(file, filled as u64, &mut bytes[filled..]).unwrap();
        assert_ne!(count, 0, "the file ends before its size");
        filled += count;
    }
    bytes
}

/// A file's text; `None` when there is no file.
fn texts<F: Fs>(fs: &F, path: &ProjectPath) -> Option<String> {
    fs.look(path).unwrap()?;
    let file = fs.open(path, Mode::Read).unwrap();
    Some(String::from_utf8(content(fs, &file)).unwrap())
}

#[track_caller]
fn fails<T>(result: Result<T, Fault>, kind: FaultKind, named: &str) {
    let fault = result.err().expect("a fault");
    assert_eq!(fault.kind, kind, "{fault}");
    assert!(fault.path.ends_with(named), "{fault} does not name {named}");
    assert!(!fault.reason.is_empty(), "{fault}");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Machine;
    use store::RealFs;

    #[test]
    fn the_simulated_disk_keeps_the_contract() {
        check_contract(&Machine::new(1).fs());
    }

    #[test]
    fn a_real_disk_keeps_the_contract() {
        let folder = tempfile::tempdir().unwrap();
        check_contract(&RealFs::open(folder.path()).unwrap());
    }
}
