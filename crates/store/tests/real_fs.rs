//! The real file system, with all that people and machines put in its way: links that lead out, things that are no
//! files, full and read-only disks, missing permissions, too few handles (QL-24, QL-30). What every `Fs` must do on a
//! disk in order is checked by `sim::contract`, for this one too.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, reason = "tests only")]

use std::ffi::OsStr;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use rustix::fs::{CWD, FileType, Mode as Bits, makedev, mknodat};
use rustix::process::{Pid, Resource, Rlimit, Signal, WaitOptions};
use store::{Fault, FaultKind, Fs, Mode, ProcessState, ProjectPath, Reach, RealFs};
use tempfile::TempDir;

/// Set in a process that a test starts from its own binary: the folder to work in.
const CHILD: &str = "REAL_FS_CHILD";

fn path(text: &str) -> ProjectPath {
    ProjectPath::any(text).unwrap()
}

fn project() -> (TempDir, RealFs) {
    let folder = tempfile::tempdir().unwrap();
    let fs = RealFs::open(folder.path()).unwrap();
    (folder, fs)
}

#[track_caller]
fn fails<T>(result: Result<T, Fault>, kind: FaultKind, named: &str, because: &str) {
    let fault = result.err().expect("a fault");
    assert_eq!((fault.kind, fault.path.as_str()), (kind, named), "{fault}");
    assert!(fault.to_string().contains(because), "{fault}, but expected: {because}");
}

/// One call that must not get past something odd at a path.
type Call = fn(&RealFs, &ProjectPath) -> Result<(), Fault>;

/// Every call that takes the path of a file, as far as it does not make a new one.
const CALLS: [(&str, Call); 11] = [
    ("read", |fs, path| fs.open(path, Mode::Read).map(drop)),
    ("write", |fs, path| fs.open(path, Mode::Write).map(drop)),
    ("create", |fs, path| fs.open(path, Mode::Create).map(drop)),
    ("look", |fs, path| fs.look(path).map(drop)),
    ("rename from", |fs, odd| fs.rename(odd, &path("new.md"))),
    ("rename to", |fs, odd| fs.rename(&path("file.md"), odd)),
    ("rename new from", |fs, odd| fs.rename_new(odd, &path("new.md"))),
    ("exchange", |fs, odd| fs.exchange(&path("file.md"), odd)),
    ("link", |fs, odd| fs.link(odd, &path("new.md"))),
    ("remove", |fs, odd| fs.remove(odd)),
    ("has writer", |fs, odd| fs.has_writer(odd).map(drop)),
];

#[test]
fn what_is_no_regular_file_is_left_alone() {
    let (folder, fs) = project();
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("secret.md"), "secret").unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("file.md"), "file").unwrap();
    symlink("file.md", at("inside")).unwrap();
    symlink(outside.path().join("secret.md"), at("outside")).unwrap();
    symlink("nowhere", at("dangling")).unwrap();
    symlink(outside.path().join("new.md"), at("dangling-outside")).unwrap();
    symlink(outside.path(), at("folder-outside")).unwrap();
    symlink("circle", at("circle")).unwrap();
    fs::create_dir(at("folder")).unwrap();
    mknodat(CWD, at("pipe"), FileType::Fifo, Bits::from_raw_mode(0o644), 0).unwrap();
    let _listener = UnixListener::bind(at("socket")).unwrap();
    let mut odd = vec![
        ("inside", "it is a symbolic link"),
        ("outside", "it is a symbolic link"),
        ("dangling", "it is a symbolic link"),
        ("dangling-outside", "it is a symbolic link"),
        ("folder-outside", "it is a symbolic link"),
        ("circle", "it is a symbolic link"),
        ("folder", "it is a folder"),
        ("pipe", "it is a named pipe"),
        ("socket", "it is a socket"),
    ];
    match mknodat(CWD, at("device"), FileType::CharacterDevice, Bits::from_raw_mode(0o644), makedev(1, 3)) {
        Ok(()) => odd.push(("device", "it is a device")),
        Err(error) => println!("no device is tried, for making one is not permitted: {error}"),
    }
    for (name, because) in odd {
        for (call_name, call) in CALLS {
            let result = call(&fs, &path(name));
            assert!(result.is_err(), "{call_name} of {name}");
            fails(result, FaultKind::NotAFile, name, because);
        }
        fails(fs.open(&path(name), Mode::CreateNew), FaultKind::Exists, name, "exists");
        fails(fs.rename_new(&path("file.md"), &path(name)), FaultKind::Exists, name, "exists");
        fails(fs.link(&path("file.md"), &path(name)), FaultKind::Exists, name, "exists");
    }
    assert_eq!(fs::read_to_string(at("file.md")).unwrap(), "file");
    assert_eq!(fs::read_to_string(outside.path().join("secret.md")).unwrap(), "secret");
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 1);
}

#[test]
fn no_link_on_the_way_is_followed() {
    let (folder, fs) = project();
    let outside = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    for place in [outside.path(), &at("real")] {
        fs::create_dir_all(place).unwrap();
        fs::write(place.join("a.md"), "kept").unwrap();
    }
    fs::write(at("file.md"), "file").unwrap();
    fs::create_dir(at("deep")).unwrap();
    symlink(outside.path(), at("out")).unwrap();
    symlink("real", at("in")).unwrap();
    symlink("../real", at("deep/in")).unwrap();
    symlink("..", at("up")).unwrap();
    symlink("/", at("root")).unwrap();
    symlink("nowhere", at("dangling")).unwrap();
    for link in ["out", "in", "deep/in", "up", "root", "dangling", "file.md"] {
        let below = format!("{link}/a.md");
        let because = if link == "file.md" { "is a file, not a folder" } else { "is a symbolic link, not a folder" };
        for (call_name, call) in CALLS {
            let result = call(&fs, &path(&below));
            assert!(result.is_err(), "{call_name} of {below}");
            fails(result, FaultKind::NotAFile, &below, because);
        }
        let not_a_file = FaultKind::NotAFile;
        fails(fs.open(&path(&below), Mode::CreateNew), not_a_file, &below, because);
        fails(fs.rename_new(&path("file.md"), &path(&below)), not_a_file, &below, because);
        fails(fs.link(&path("file.md"), &path(&below)), not_a_file, &below, because);
        fails(fs.make_folder(&path(&below)), not_a_file, &below, because);
        fails(fs.make_folder(&path(link)), not_a_file, link, because);
        fails(fs.list(&path(link)), not_a_file, link, because);
        fails(fs.list(&path(&below)), not_a_file, &below, because);
        fails(fs.sync_folder(Some(&path(link))), not_a_file, link, because);
    }
    for kept in [outside.path().join("a.md"), at("real/a.md")] {
        assert_eq!(fs::read_to_string(kept).unwrap(), "kept");
    }
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 1);
}

#[test]
fn the_project_is_a_folder_that_exists() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let shown = |name: &str| at(name).display().to_string();
    fs::write(at("file"), "").unwrap();
    fails(RealFs::open(&at("missing")), FaultKind::Missing, &shown("missing"), "cannot open the project");
    fails(RealFs::open(&at("file")), FaultKind::NotAFile, &shown("file"), "not a directory");
    fs::create_dir(at("real")).unwrap();
    symlink("real", at("link")).unwrap();
    let fs = RealFs::open(&at("link")).unwrap();
    assert_eq!(fs.root(), fs::canonicalize(at("real")).unwrap());
    assert_eq!(fs.file_system().unwrap().reach, Reach::Local);

    fs::rename(at("real"), at("moved")).unwrap();
    fs.open(&path("a.md"), Mode::CreateNew).unwrap();
    assert!(at("moved/a.md").exists(), "a project that is moved while it is open stays the same project");
}

#[test]
fn names_that_are_not_utf8_are_given_as_far_as_they_can_be_read() {
    let (folder, fs) = project();
    fs::create_dir(folder.path().join("names")).unwrap();
    for name in [&b"good.md"[..], b"bad-\xFF.md", b"\xC3\x28"] {
        fs::write(folder.path().join("names").join(OsStr::from_bytes(name)), "").unwrap();
    }
    let names = ["bad-\u{FFFD}.md", "good.md", "\u{FFFD}("].map(String::from);
    assert_eq!(fs.list(&path("names")), Ok(Some(names.into())));
    assert_eq!(fs.look(&path("names/bad-\u{FFFD}.md")), Ok(None), "nothing is found under such a name");
}

#[test]
fn new_files_and_folders_have_plain_permissions() {
    let (folder, fs) = project();
    let mask = rustix::process::umask(Bits::from_raw_mode(0o022));
    fs.open(&path("a.md"), Mode::CreateNew).unwrap();
    fs.make_folder(&path("folder/in")).unwrap();
    rustix::process::umask(mask);
    for (name, expected) in [("a.md", 0o644), ("folder", 0o755), ("folder/in", 0o755)] {
        let permissions = fs::metadata(folder.path().join(name)).unwrap().permissions().mode();
        assert_eq!(permissions & 0o7777, expected, "{name}");
    }
}

/// Looking whether a file has writers holds a lease for a moment; others who open the file then must not notice.
#[test]
fn looking_for_writers_disturbs_no_writer() {
    let (folder, fs) = project();
    fs.open(&path("a.md"), Mode::CreateNew).unwrap();
    let looker = RealFs::open(folder.path()).unwrap();
    std::thread::scope(|scope| {
        let look = scope.spawn(|| (0..3000).try_for_each(|_| looker.has_writer(&path("a.md")).map(drop)));
        for _ in 0..3000 {
            fs.open(&path("a.md"), Mode::Write).unwrap();
        }
        look.join().unwrap().unwrap();
    });
}

/// A file system of its own, in memory, of 64 KiB; nothing where the system does not permit it.
struct Mounted {
    folder: TempDir,
}

impl Mounted {
    fn new() -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        mount(&["-t", "tmpfs", "-o", "size=64k", "tmpfs"], folder.path()).then_some(Self { folder })
    }

    fn remount(&self, option: &str) {
        assert!(mount(&["-o", &format!("remount,{option}")], self.folder.path()));
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(self.folder.path()).status();
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

/// QL-24
#[test]
fn a_full_disk_is_named_and_goes_on_when_there_is_space() {
    let no_space = std::io::Error::from_raw_os_error(libc::ENOSPC);
    assert_eq!(Fault::from_io("write", &path("a.md"), &no_space).kind, FaultKind::DiskFull);
    let Some(mounted) = Mounted::new() else { return };
    let fs = RealFs::open(mounted.folder.path()).unwrap();
    assert_eq!(fs.file_system().unwrap().name, "tmpfs");
    let file = fs.open(&path("a.md"), Mode::CreateNew).unwrap();
    fails(
        fs.write_at(&file, 0, &[1; 100_000]),
        FaultKind::DiskFull,
        "a.md",
        "no space left on device; free some space",
    );
    fs.remove(&path("a.md")).unwrap();
    drop(file);
    let file = fs.open(&path("b.md"), Mode::CreateNew).unwrap();
    fs.write_at(&file, 0, &[1; 30_000]).unwrap();
    fs.sync(&file).unwrap();
}

/// QL-24
#[test]
fn a_read_only_disk_is_named_and_goes_on_when_it_is_mended() {
    let Some(mounted) = Mounted::new() else { return };
    let fs = RealFs::open(mounted.folder.path()).unwrap();
    for name in ["a.md", "b.md"] {
        fs.open(&path(name), Mode::CreateNew).unwrap();
    }
    mounted.remount("ro");
    let (a, b, new) = (path("a.md"), path("b.md"), path("new.md"));
    let faults = [
        fs.open(&new, Mode::CreateNew).map(drop),
        fs.open(&new, Mode::Create).map(drop),
        fs.open(&a, Mode::Write).map(drop),
        fs.rename(&a, &b),
        fs.rename_new(&a, &new),
        fs.exchange(&a, &b),
        fs.link(&a, &new),
        fs.remove(&a),
        fs.make_folder(&path("folder")),
    ];
    for result in faults {
        let fault = result.unwrap_err();
        assert_eq!(fault.kind, FaultKind::ReadOnly, "{fault}");
        assert!([a.as_str(), b.as_str(), new.as_str(), "folder"].contains(&fault.path.as_str()), "{fault}");
        assert!(fault.to_string().contains("read-only file system; mount it for writing"), "{fault}");
    }
    fs.open(&a, Mode::Read).unwrap();
    assert!(fs.look(&a).unwrap().is_some());
    mounted.remount("rw");
    fs.rename(&a, &b).unwrap();
}

/// QL-24
#[test]
fn what_is_not_permitted_is_named() {
    let Ok(folder) = std::env::var(CHILD) else {
        let folder = tempfile::tempdir().unwrap();
        let set = |name: &str, bits| {
            fs::set_permissions(folder.path().join(name), fs::Permissions::from_mode(bits)).unwrap();
        };
        fs::create_dir(folder.path().join("closed")).unwrap();
        fs::create_dir(folder.path().join("hidden")).unwrap();
        fs::write(folder.path().join("closed/public.md"), "text").unwrap();
        fs::write(folder.path().join("closed/secret.md"), "text").unwrap();
        for (name, bits) in [("", 0o755), ("closed/public.md", 0o444), ("closed/secret.md", 0), ("closed", 0o555)] {
            set(name, bits);
        }
        set("hidden", 0);
        finish(again("what_is_not_permitted_is_named", folder.path()));
        set("closed", 0o755);
        set("hidden", 0o755);
        return;
    };
    become_nobody();
    let fs = RealFs::open(Path::new(&folder)).unwrap();
    let (public, secret, new) = (path("closed/public.md"), path("closed/secret.md"), path("closed/new.md"));
    let because = "permission denied; change its owner or permissions";
    fails(fs.open(&secret, Mode::Read), FaultKind::Denied, "closed/secret.md", because);
    fails(fs.open(&public, Mode::Write), FaultKind::Denied, "closed/public.md", because);
    fails(fs.open(&new, Mode::Create), FaultKind::Denied, "closed/new.md", because);
    fails(fs.rename(&public, &secret), FaultKind::Denied, "closed/secret.md", because);
    fails(fs.remove(&public), FaultKind::Denied, "closed/public.md", because);
    fails(fs.make_folder(&path("closed/folder")), FaultKind::Denied, "closed/folder", because);
    fails(fs.list(&path("hidden")), FaultKind::Denied, "hidden", because);
    fails(fs.look(&path("hidden/a.md")), FaultKind::Denied, "hidden/a.md", because);
    fs.open(&public, Mode::Read).unwrap();
    if fs::metadata(&folder).unwrap().uid() != rustix::process::getuid().as_raw() {
        assert_eq!(fs.has_writer(&public), Ok(None), "only the owner may ask for a lease");
    }
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

/// QL-24
#[test]
fn too_few_handles_are_named_and_it_goes_on_when_there_are_more() {
    let Ok(folder) = std::env::var(CHILD) else {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("db")).unwrap();
        fs::write(folder.path().join("db/a.md"), "text").unwrap();
        return finish(again("too_few_handles_are_named_and_it_goes_on_when_there_are_more", folder.path()));
    };
    let fs = RealFs::open(Path::new(&folder)).unwrap();
    let limit = Rlimit { current: Some(40), maximum: rustix::process::getrlimit(Resource::Nofile).maximum };
    rustix::process::setrlimit(Resource::Nofile, limit).unwrap();
    let document = path("db/a.md");
    let mut open = Vec::new();
    let fault = loop {
        match fs.open(&document, Mode::Read) {
            Ok(file) => open.push(file),
            Err(fault) => break fault,
        }
        assert!(open.len() < 40);
    };
    fails::<()>(Err(fault), FaultKind::NoHandles, "db/a.md", "too many open files");
    // One handle is left over from the file that did not fit: the folder on the way to it.
    open.push(fs.open(&path("filler.md"), Mode::Create).unwrap());
    fails(fs.look(&document), FaultKind::NoHandles, "db/a.md", "raise `ulimit -n`");
    fails(fs.list(&path("db")), FaultKind::NoHandles, "db", "too many open files");
    fails(fs.sync_folder(Some(&path("db"))), FaultKind::NoHandles, "db", "too many open files");
    let mut byte = [0];
    assert_eq!(fs.read_at(&open[0], 0, &mut byte), Ok(1), "what is open stays usable");
    open.clear();
    fs.open(&document, Mode::Write).unwrap();
    println!("{CHILD} done");
}

/// QL-22: the system gives a killed process's lock back, and shows a stopped one.
#[test]
fn a_lock_ends_with_its_process() {
    if let Ok(folder) = std::env::var(CHILD) {
        let fs = RealFs::open(Path::new(&folder)).unwrap();
        let file = fs.open(&path("lock"), Mode::Create).unwrap();
        assert_eq!(fs.try_lock(&file), Ok(true));
        println!("\n{CHILD} locked");
        // Until the parent closes its end, which it never does.
        let _ = std::io::stdin().lock().read_line(&mut String::new());
        return;
    }
    let (folder, fs) = project();
    let file = fs.open(&path("lock"), Mode::Create).unwrap();
    let mut child = again("a_lock_ends_with_its_process", folder.path());
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap() == format!("{CHILD} locked")));
    assert_eq!(fs.try_lock(&file), Ok(false));
    assert_eq!(fs.process_state(child.id()), ProcessState::Running);

    let process = Pid::from_child(&child);
    rustix::process::kill_process(process, Signal::STOP).unwrap();
    rustix::process::waitpid(Some(process), WaitOptions::UNTRACED).unwrap();
    assert_eq!(fs.process_state(child.id()), ProcessState::Stopped);
    assert_eq!(fs.try_lock(&file), Ok(false));

    child.kill().unwrap();
    let number = child.id();
    child.wait().unwrap();
    assert_eq!(fs.process_state(number), ProcessState::Gone);
    assert_eq!(fs.try_lock(&file), Ok(true));
}

/// Starts one test of this binary again, in a process of its own that knows the folder.
fn again(test: &str, folder: &Path) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", test, "--nocapture"])
        .env(CHILD, folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

fn finish(child: Child) {
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    std::io::stderr().write_all(&output.stderr).unwrap();
    assert!(output.status.success() && text.contains(&format!("{CHILD} done")), "{text}");
}
