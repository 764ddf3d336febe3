//! Files: reading, writing and changing what is not its own.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{OpenOptionsExt, symlink};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crate::calls::{at, call, done, nothing_gained, text};
use crate::linux::{Attempt, World};

fn read(path: impl AsRef<std::path::Path>) -> io::Result<()> {
    // What is covered can be opened, and is empty.
    if File::open(path)?.read(&mut [0; 1])? == 0 { nothing_gained() } else { Ok(()) }
}

fn write(path: impl AsRef<std::path::Path>) -> io::Result<()> {
    OpenOptions::new().append(true).open(path)?.write_all(b"x")
}

fn create(path: impl AsRef<std::path::Path>) -> io::Result<()> {
    OpenOptions::new().write(true).create_new(true).open(path).map(drop)
}

fn list(path: impl AsRef<std::path::Path>) -> io::Result<()> {
    fs::read_dir(path).map(drop)
}

/// A name in its own folder that is not used yet.
fn own(name: &str) -> String {
    let path = format!("own-{name}");
    let _ = fs::remove_file(&path);
    path
}

pub(crate) const ATTEMPTS: &[Attempt] = &[
    ("read-by-dot-dot", |_| read("../../../../db/process_runs.md")),
    ("read-by-absolute-path", |world| read(world.path("db/process_runs.md"))),
    ("read-journal", |world| read(world.path(".multiverse/journal/1"))),
    ("read-procedures", |world| read(world.path("guidelines/mcp_list.md"))),
    ("read-other-run", |world| read(world.path(&format!("runs/{}/workspace/other.md", world.other_run)))),
    ("list-runs", |world| list(world.path("runs"))),
    ("list-other-run", |world| list(world.path(&format!("runs/{}", world.other_run)))),
    ("list-project", |world| list(&world.project)),
    ("list-scratch-of-others", |_| list("../..")),
    ("read-passwords", |_| read("/etc/shadow").or_else(|_| read("/etc/passwd"))),
    ("read-home", |_| list("/root").or_else(|_| list("/home"))),
    ("read-kernel-memory", |_| read("/dev/mem").or_else(|_| read("/proc/kcore"))),
    ("read-kernel-tables", |_| read("/proc/kallsyms").or_else(|_| read("/proc/interrupts"))),
    ("write-assets", |world| write(world.path("assets/notes.md"))),
    ("write-guidelines", |world| write(world.path("guidelines/style.md"))),
    ("write-database", |world| write(world.path("db/process_runs.md"))),
    ("write-journal", |world| write(world.path(".multiverse/journal/1"))),
    ("write-other-run", |world| write(world.path(&format!("runs/{}/workspace/other.md", world.other_run)))),
    ("write-own-run", |world| write(world.path(&format!("runs/{}/workspace/plan.md", world.run)))),
    ("create-in-assets", |world| create(world.path("assets/new"))),
    ("create-in-tmp", |_| create("/tmp/made-by-hostile")),
    ("truncate-assets", |world| {
        let path = text(&world.path("assets/notes.md"))?;
        // SAFETY: the path ends in a zero byte.
        done(unsafe { libc::truncate(path.as_ptr(), 0) }).map(drop)
    }),
    ("open-to-truncate", |world| {
        OpenOptions::new().read(true).custom_flags(libc::O_TRUNC).open(world.path("assets/notes.md")).map(drop)
    }),
    ("symlink-read", |world| {
        symlink(world.path("db/process_runs.md"), own("link-read"))?;
        read("own-link-read")
    }),
    ("symlink-write", |world| {
        symlink(world.path("assets/notes.md"), own("link-write"))?;
        write("own-link-write")
    }),
    ("symlink-race", race),
    ("hard-link-in", |world| {
        fs::hard_link(world.path("assets/notes.md"), own("hard"))?;
        write("own-hard")
    }),
    ("hard-link-out", |world| {
        create(own("to-link"))?;
        fs::hard_link("own-to-link", world.path("assets/linked"))
    }),
    ("through-proc-root", |world| read(format!("/proc/self/root{}", world.path("db/process_runs.md")))),
    ("through-proc-cwd", |_| read("/proc/self/cwd/../../../../db/process_runs.md")),
    ("through-path-descriptor", |world| {
        let folder = OpenOptions::new().read(true).custom_flags(libc::O_PATH).open(&world.project)?;
        read(format!("/proc/self/fd/{}/db/process_runs.md", folder.as_raw_fd()))
    }),
    ("open-by-handle", by_handle),
];

pub(crate) const MORE: &[Attempt] = &[
    ("rename-in", |world| fs::rename(world.path("assets/notes.md"), own("moved"))),
    ("rename-out", |world| {
        create(own("to-move"))?;
        fs::rename("own-to-move", world.path("assets/moved"))
    }),
    ("rename-over", |world| {
        create(own("to-move-over"))?;
        fs::rename("own-to-move-over", world.path("assets/notes.md"))
    }),
    ("rename-exchange", |world| {
        create(own("to-exchange"))?;
        let (one, other) = (text("own-to-exchange")?, text(&world.path("assets/notes.md"))?);
        let here = i64::from(libc::AT_FDCWD);
        call(libc::SYS_renameat2, &[here, one.as_ptr() as i64, here, other.as_ptr() as i64, 2]).map(drop)
    }),
    ("rename-own-folder", |world| fs::rename(std::env::current_dir()?, world.path("assets/scratch"))),
    ("unlink-outside", |world| fs::remove_file(world.path("assets/notes.md"))),
    ("mkdir-outside", |world| fs::create_dir(world.path("assets/folder"))),
    ("fifo-outside", |world| node(&world.path("assets/fifo"), libc::S_IFIFO, 0)),
    ("device-node", |_| {
        node(&own("device"), libc::S_IFBLK, 0xfe00).or_else(|_| node(&own("device"), libc::S_IFCHR, 0x0101))
    }),
    ("chmod-outside", |world| {
        let path = text(&world.path("assets/notes.md"))?;
        // SAFETY: the path ends in a zero byte.
        done(unsafe { libc::chmod(path.as_ptr(), 0o777) }).map(drop)
    }),
    ("chmod-by-descriptor", |world| {
        let file = File::open(world.path("assets/notes.md"))?;
        // SAFETY: the descriptor is open.
        done(unsafe { libc::fchmod(file.as_raw_fd(), 0o777) }).map(drop)
    }),
    ("chown-outside", |world| {
        let path = text(&world.path("assets/notes.md"))?;
        // SAFETY: the path ends in a zero byte; the ids are our own.
        done(unsafe { libc::chown(path.as_ptr(), libc::getuid(), libc::getgid()) }).map(drop)
    }),
    ("times-outside", |world| {
        let file = File::open(world.path("assets/notes.md"))?;
        file.set_modified(std::time::SystemTime::UNIX_EPOCH)
    }),
    ("attribute-outside", |world| {
        let (path, name) = (text(&world.path("assets/notes.md"))?, text("user.hostile")?);
        // SAFETY: all strings end in a zero byte, the value has the length that is told.
        done(unsafe { libc::setxattr(path.as_ptr(), name.as_ptr(), c"x".as_ptr().cast(), 1, 0) }).map(drop)
    }),
    ("flags-outside", |world| {
        let file = File::open(world.path("assets/notes.md"))?;
        let mut flags: libc::c_long = 0;
        // SAFETY: the kernel writes and reads one number.
        done(unsafe { libc::ioctl(file.as_raw_fd(), libc::FS_IOC_GETFLAGS, &raw mut flags) })?;
        flags |= 0x40;
        // SAFETY: as above.
        done(unsafe { libc::ioctl(file.as_raw_fd(), libc::FS_IOC_SETFLAGS, &raw const flags) }).map(drop)
    }),
    ("mount-bind", |world| {
        fs::create_dir_all("own-mount")?;
        let (from, to) = (text(&world.project)?, text("own-mount")?);
        let flags = i64::try_from(libc::MS_BIND).unwrap_or(4096);
        call(libc::SYS_mount, &[from.as_ptr() as i64, to.as_ptr() as i64, 0, flags, 0]).map(drop)
    }),
    ("mount-writable-again", |_| {
        let root = text("/")?;
        let flags = i64::try_from(libc::MS_REMOUNT | libc::MS_BIND).unwrap_or(0);
        call(libc::SYS_mount, &[0, root.as_ptr() as i64, 0, flags, 0]).map(drop)
    }),
    ("mount-new-interface", |_| {
        let kind = text("tmpfs")?;
        call(libc::SYS_fsopen, &[kind.as_ptr() as i64, 0]).map(drop)
    }),
    ("open-tree", |_| {
        let root = text("/")?;
        call(libc::SYS_open_tree, &[i64::from(libc::AT_FDCWD), root.as_ptr() as i64, 1]).map(drop)
    }),
    ("unmount", |_| {
        let path = text("/proc")?;
        call(libc::SYS_umount2, &[path.as_ptr() as i64, i64::from(libc::MNT_DETACH)]).map(drop)
    }),
    ("chroot", |_| {
        let path = text("/")?;
        call(libc::SYS_chroot, &[path.as_ptr() as i64]).map(drop)
    }),
    ("pivot-root", |_| {
        let path = text(".")?;
        call(libc::SYS_pivot_root, &[path.as_ptr() as i64, path.as_ptr() as i64]).map(drop)
    }),
    ("preload-into-others", |_| write("/etc/ld.so.preload").or_else(|_| create("/etc/ld.so.preload"))),
    ("core-pattern", |_| write("/proc/sys/kernel/core_pattern")),
    ("profile-of-the-shell", |_| write("/etc/profile").or_else(|_| write("/root/.bashrc"))),
    ("program-on-path", |_| create("/usr/local/bin/git").or_else(|_| create("/usr/bin/hostile"))),
];

/// Opens a name that somebody exchanges all the time, in the hope that one look is at one file and the open at another.
fn race(world: &World) -> io::Result<()> {
    const TRIES: usize = 20_000;
    fs::write("own-decoy", "decoy")?;
    let target = world.path("db/process_runs.md");
    let (over, swaps) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
    let (watched, counted) = (Arc::clone(&over), Arc::clone(&swaps));
    let swapping = std::thread::spawn(move || {
        while !watched.load(Ordering::Relaxed) {
            for to in ["own-decoy", target.as_str()] {
                let _ = fs::remove_file("own-swapped.new");
                let _ = symlink(to, "own-swapped.new");
                let _ = fs::rename("own-swapped.new", "own-swapped");
            }
            counted.fetch_add(1, Ordering::Relaxed);
        }
    });
    let (mut got, mut tries) = (false, 0);
    // On a machine that is busy one of both may not have begun yet.
    while !got && (tries < TRIES || swaps.load(Ordering::Relaxed) < TRIES) {
        got = fs::read("own-swapped").is_ok_and(|content| content != b"decoy");
        tries += 1;
        if tries % 16 == 0 {
            std::thread::yield_now();
        }
    }
    over.store(true, Ordering::Relaxed);
    let _ = swapping.join();
    if got { Ok(()) } else { Err(io::Error::from_raw_os_error(libc::EACCES)) }
}

fn node(path: &str, kind: libc::mode_t, device: libc::dev_t) -> io::Result<()> {
    let path = text(path)?;
    // SAFETY: the path ends in a zero byte.
    done(unsafe { libc::mknod(path.as_ptr(), kind | 0o600, device) }).map(drop)
}

/// A handle names a file without a path, so no rule for paths sees it.
fn by_handle(world: &World) -> io::Result<()> {
    #[repr(C)]
    struct Handle {
        bytes: u32,
        kind: i32,
        name: [u8; 128],
    }
    let mut handle = Handle { bytes: 128, kind: 0, name: [0; 128] };
    let mut mount: libc::c_int = 0;
    let path = text(&world.path("db/process_runs.md"))?;
    let here = i64::from(libc::AT_FDCWD);
    let place = std::ptr::from_mut(&mut handle) as i64;
    call(libc::SYS_name_to_handle_at, &[here, path.as_ptr() as i64, place, std::ptr::from_mut(&mut mount) as i64, 0])?;
    let root = File::open(".")?;
    let file = call(libc::SYS_open_by_handle_at, &[i64::from(root.as_raw_fd()), at(&handle), 0])?;
    if file >= 0 { Ok(()) } else { nothing_gained() }
}
