//! QL-24 on a device that fails for real: an ext4 in a file, shut down under the store as the kernel does after an error,
//! and one whose device has no room for what was promised. Where nothing may be mounted, nothing is tried.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout, reason = "tests only")]

mod desk;

use std::fs::{self, File};
use std::io::Write;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use std::process::Command;

use desk::{ROWS, open, path, records};
use store::{Commit, CommitError, FaultKind, RealFs, Store, What, verify};
use tempfile::TempDir;
use text::{Change, Text};

/// An ext4 in a sparse file, which lies in a file system of its own, in memory, of 8 MiB.
struct Device {
    folder: TempDir,
}

impl Device {
    fn new(journal: [&str; 2]) -> Option<Self> {
        let device = Self { folder: tempfile::tempdir().unwrap() };
        run("mount", &["-t", "tmpfs", "-o", "size=8m", "tmpfs"], device.folder.path())?;
        fs::create_dir(device.project()).unwrap();
        File::create(device.image()).unwrap().set_len(32 << 20).unwrap();
        run("mkfs.ext4", &["-q", journal[0], journal[1]], &device.image())?;
        device.mount()?;
        Some(device)
    }

    fn image(&self) -> PathBuf {
        self.folder.path().join("image")
    }

    fn project(&self) -> PathBuf {
        self.folder.path().join("project")
    }

    fn mount(&self) -> Option<()> {
        run("mount", &["-o", "loop", self.image().to_str().unwrap()], &self.project())
    }

    /// Every call fails from now on, and nothing that was not synced is there afterwards.
    #[allow(unsafe_code, reason = "no safe call shuts a file system down")]
    fn shut_down(&self) {
        // linux/fs.h: EXT4_IOC_SHUTDOWN, without writing the log.
        const SHUTDOWN: libc::Ioctl = 0x8004_587d;
        let without_log: u32 = 2;
        let folder = File::open(self.project()).unwrap();
        // SAFETY: the call reads one number behind the pointer, which lives until it returns.
        let done = unsafe { libc::ioctl(folder.as_raw_fd(), SHUTDOWN, &raw const without_log) };
        assert_eq!(done, 0, "{}", std::io::Error::last_os_error());
    }

    fn unmount(&self) {
        run("umount", &[], &self.project()).expect("nobody uses it any more");
    }
}

impl Drop for Device {
    fn drop(&mut self) {
        for folder in [self.project().as_path(), self.folder.path()] {
            let _ = Command::new("umount").arg("-l").arg(folder).stderr(std::process::Stdio::null()).status();
        }
    }
}

fn run(program: &str, arguments: &[&str], last: &Path) -> Option<()> {
    let done = Command::new(program).args(arguments).arg(last).output();
    let done = done.is_ok_and(|output| output.status.success());
    if !done {
        println!("nothing is tried here: `{program} {}` is not permitted or not there", arguments.join(" "));
    }
    done.then_some(())
}

fn append(store: &Store<RealFs>, row: &str) -> Commit {
    let end = store.read(&path("a.md")).map_or(0, Text::len);
    let change = Change::one(end, "", row.to_owned());
    Commit::new("a row", store.head().number, vec![(path("a.md"), What::Edit(change))])
}

/// A project on the device with a document that is durable in its place.
fn begin(device: &Device) -> Store<RealFs> {
    let (mut store, _) = open(&device.project());
    let create = vec![(path("a.md"), What::Create(ROWS.into()))];
    store.commit(Commit::new("a test", 0, create)).unwrap();
    store.checkpoint(|_| None).unwrap().expect("a checkpoint");
    store
}

/// QL-24: EIO from every call; what was acknowledged is there when the device is.
#[test]
fn a_device_that_fails_loses_nothing_acknowledged() {
    let Some(device) = Device::new(["-J", "size=1"]) else { return };
    let mut store = begin(&device);
    for number in 0..20 {
        store.commit(append(&store, &format!("row {number}\n"))).unwrap();
    }
    device.shut_down();
    for _ in 0..3 {
        let CommitError::Fault(fault) = store.commit(append(&store, "too late\n")).unwrap_err() else { panic!() };
        assert!([FaultKind::Device, FaultKind::Reopen].contains(&fault.kind), "{fault}");
        assert!(fault.path.starts_with(".multiverse"), "{fault}");
        assert!(store.place(store::Due::All).is_err() && store.checkpoint(|_| None).is_err());
    }
    drop(store);
    device.unmount();
    device.mount().unwrap();
    check(&device, 20);
}

/// QL-24: a sync of the journal fails, since the device has no room for what its file system promised: what is not
/// durable is not acknowledged; when there is room, the same store goes on or asks to be opened again.
#[test]
fn a_sync_that_fails_acknowledges_nothing() {
    // With a journal, the file system would give up for good when that cannot be written.
    let Some(device) = Device::new(["-O", "^has_journal"]) else { return };
    let mut store = begin(&device);
    let filler = device.folder.path().join("filler");
    let mut file = File::create(&filler).unwrap();
    while file.write_all(&[0x55; 4096]).is_ok() {}
    let (mut rows, mut refused) = (0, 0);
    while refused < 3 && rows < 2000 {
        match store.commit(append(&store, &format!("row {rows}\n{}\n", "x".repeat(3000)))) {
            Ok(_) => rows += 1,
            Err(CommitError::Fault(fault)) => {
                println!("after {rows} rows: {fault}");
                refused += 1;
            }
            Err(error) => panic!("{error}"),
        }
    }
    assert_eq!(refused, 3, "the device has room for everything");
    fs::remove_file(filler).unwrap();
    let mended = store.commit(append(&store, &format!("row {rows}\n")));
    println!("mended: {mended:?}");
    match mended {
        Ok(_) => rows += 1,
        Err(CommitError::Fault(fault)) => assert_eq!(fault.kind, FaultKind::Reopen, "{fault}"),
        Err(error) => panic!("{error}"),
    }
    drop(store);
    check(&device, rows);
}

/// Every acknowledged row is there once, in order; one that was refused may be there, whole, or not.
fn check(device: &Device, rows: usize) {
    let (mut store, _) = open(&device.project());
    store.finish().unwrap();
    let head = store.close().unwrap();
    let found = verify(&RealFs::open(&device.project()).unwrap(), Some(head.sum)).unwrap();
    assert!(found.problems.is_empty() && found.differing.is_empty(), "{found:?}");
    let text = fs::read_to_string(device.project().join("a.md")).unwrap();
    let there: Vec<&str> = text.lines().filter(|line| line.starts_with("row ")).collect();
    let expected: Vec<String> = (0..rows).map(|number| format!("row {number}")).collect();
    assert!(there.len() >= rows, "{} of {rows} rows are there", there.len());
    assert_eq!(there[..rows], expected);
    let kinds = records(&RealFs::open(&device.project()).unwrap());
    assert!(kinds.iter().all(|record| record.kind == store::Kind::Commit), "an edit that nobody made");
}
