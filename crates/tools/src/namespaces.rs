//! Namespaces, where the system lets its users have them: the program's own processes, which end in one stroke, and its
//! own view of the mounts, in which all but what it may write is read-only (QL-30, QL-31, MV-32).
//!
//! The first makes an end of those that multiply faster than they can be found, and bounds how many there are. The
//! second closes what Landlock leaves open: the mode, owner, times and extended attributes of files outside, and sockets
//! that are files. Where the network is closed, the program also gets an empty one of its own. Knows no rules of
//! Landlock; once those are entered, none of this can be changed any more.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

use rustix::fs::{StatVfsMountFlags, statvfs};
use rustix::mount::{MountFlags, MountPropagationFlags, mount, mount_bind, mount_bind_recursive, mount_change};
use rustix::process::{Pid, Resource, Rlimit, WaitOptions, getgid, getuid, setrlimit, waitpid};
use rustix::thread::{CapabilitySet, UnshareFlags};

use crate::Network;
use crate::cage::Proc;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Processes and mounts: whoever is forked after [`leave`] is the first of the new processes, and with its end
    /// the kernel ends all of them.
    Processes,
    /// Mounts alone, as in containers that hide a part of `/proc`.
    Mounts,
}

/// What namespaces are to be for.
#[derive(Debug)]
pub(crate) struct Wanted {
    write: Vec<PathBuf>,
    /// Sockets that are files and belong to others.
    sockets: Vec<PathBuf>,
    network: Network,
    processes: u32,
}

/// What the system lets its users have of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Spaces {
    pub(crate) kind: Kind,
    /// Closed: a network of its own, with nobody in it.
    pub(crate) network: Network,
}

/// The most sockets that are hidden.
const SOCKETS: usize = 1024;

/// The kernel gives the first numbers of processes only once.
const FIRST_NUMBERS: u32 = 300;

/// Since then the highest number is a matter of each namespace; before, of the whole machine.
const NUMBERS_OF_ITS_OWN: (u32, u32) = (6, 14);

/// Who owns the namespaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Owner {
    /// Nobody new: the root user had them without.
    System,
    /// A user namespace of their own, for which the kernel counts processes apart (Linux 5.14; Landlock is younger).
    Own,
}

impl Wanted {
    pub(crate) fn new(write: Vec<PathBuf>, network: Network, processes: u32) -> Self {
        let sockets = sockets_outside(&write);
        Self { write, sockets, network, processes }
    }

    /// The most that the kernel lets this user have. Tried out in a process that is thrown away, since half of it would
    /// be worse than none: some systems allow the first step and forbid the second.
    pub(crate) fn possible(&self) -> Option<Spaces> {
        let networks: &[Network] = match self.network {
            Network::Closed => &[Network::Closed, Network::Open],
            Network::Open => &[Network::Open],
        };
        let all = [Kind::Processes, Kind::Mounts].into_iter();
        let mut all = all.flat_map(|kind| networks.iter().map(move |network| Spaces { kind, network: *network }));
        all.find(|spaces| {
            succeeds(|| {
                leave(*spaces).is_ok()
                    && match spaces.kind {
                        Kind::Processes => succeeds(|| self.arrange(spaces.kind).is_ok()),
                        Kind::Mounts => self.arrange(spaces.kind).is_ok(),
                    }
            })
        })
    }

    /// Makes the view of the mounts, in the process that will start the program. Says what of `/proc` can be opened to it.
    pub(crate) fn arrange(&self, kind: Kind) -> io::Result<Proc> {
        mount_change("/", MountPropagationFlags::PRIVATE | MountPropagationFlags::REC)?;
        let mut opened = Proc::First;
        if kind == Kind::Processes {
            opened = show_own_processes()?;
            self.bound_numbers();
        }
        for socket in &self.sockets {
            // Whoever cannot get there to hide it, cannot get there to speak to it.
            let _ = mount_bind("/dev/null", socket.as_path());
        }
        // Devices are written through any mount; what is read-only already stays so.
        let writable = |path: &&PathBuf| {
            let found = statvfs(path.as_path());
            let is_read_only = found.is_ok_and(|found| found.f_flag.contains(StatVfsMountFlags::RDONLY));
            (path.is_dir() || path.is_file()) && !is_read_only
        };
        let writable: Vec<&PathBuf> = self.write.iter().filter(writable).collect();
        for path in &writable {
            mount_bind_recursive(path.as_path(), path.as_path())?;
        }
        set_read_only(Path::new("/"), Reach::All, ReadOnly::Yes)?;
        writable.into_iter().try_for_each(|path| set_read_only(path, Reach::This, ReadOnly::No))?;
        Ok(opened)
    }
}

impl Wanted {
    /// There are as many numbers as there may be processes, which binds the root user too. The first ones are skipped, so
    /// that this is exact.
    fn bound_numbers(&self) {
        if kernel() >= NUMBERS_OF_ITS_OWN {
            let most = FIRST_NUMBERS.saturating_add(self.processes);
            let _ = fs::write("/proc/sys/kernel/pid_max", most.to_string());
            let _ = fs::write("/proc/sys/kernel/ns_last_pid", FIRST_NUMBERS.to_string());
        }
    }

    /// Whether the kernel refuses to make more processes than wanted; tried by one more, so few should be wanted.
    pub(crate) fn is_counted(&self, spaces: Spaces) -> bool {
        let one_too_many = |launchers: u32| {
            let most = u64::from(self.processes + launchers);
            let limit = Rlimit { current: Some(most), maximum: Some(most) };
            let _ = setrlimit(Resource::Nproc, limit);
            (0..self.processes).all(|_| fork(|| 0).is_ok())
        };
        succeeds(|| {
            leave(spaces).is_ok()
                && match spaces.kind {
                    Kind::Processes => succeeds(|| {
                        self.arrange(spaces.kind).is_ok() && succeeds(|| !one_too_many(spaces.kind.launchers()))
                    }),
                    Kind::Mounts => succeeds(|| !one_too_many(spaces.kind.launchers())),
                }
        })
    }
}

impl Kind {
    /// Those of ours that are counted along with the program.
    pub(crate) fn launchers(self) -> u32 {
        match self {
            Self::Processes => 2,
            Self::Mounts => 1,
        }
    }
}

/// Of the kernel's version the first two numbers.
fn kernel() -> (u32, u32) {
    let release = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let mut numbers = release.split(|letter: char| !letter.is_ascii_digit()).map(|number| number.parse().unwrap_or(0));
    (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0))
}

/// What stays of `/proc` beside the folders of processes and links into them.
const SHOWN: [&str; 8] = ["cpuinfo", "meminfo", "stat", "loadavg", "uptime", "version", "filesystems", "sys"];

/// Mounts a `/proc` of the new processes: the old one shows some that are not ours, under numbers that are not theirs here.
/// A process sees those that it could trace, which by Landlock are those that are confined like it: not the launcher. What
/// else the kernel tells there is covered.
fn show_own_processes() -> io::Result<Proc> {
    let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    if mount("proc", "/proc", "proc", flags, Some(c"hidepid=4")).is_err() {
        // Linux before 5.8 shows all or nothing.
        mount("proc", "/proc", "proc", flags, None)?;
        return Ok(Proc::First);
    }
    for entry in fs::read_dir("/proc")? {
        let (path, kind) = entry.and_then(|entry| Ok((entry.path(), entry.file_type()?)))?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if kind.is_symlink() || SHOWN.contains(&&*name) || name.bytes().all(|byte| byte.is_ascii_digit()) {
            continue;
        }
        let covered = match kind.is_dir() {
            true => mount("none", path.as_path(), "tmpfs", flags | MountFlags::RDONLY, None),
            false => mount_bind("/dev/null", path.as_path()),
        };
        if covered.is_err() {
            return Ok(Proc::First);
        }
    }
    Ok(Proc::Own)
}

/// Leaves the namespaces of the system: as the root user directly, else as the owner of a user namespace in which the
/// user is who it was.
pub(crate) fn leave(spaces: Spaces) -> io::Result<Owner> {
    let mut wanted = match spaces.kind {
        Kind::Processes => UnshareFlags::NEWNS | UnshareFlags::NEWPID,
        Kind::Mounts => UnshareFlags::NEWNS,
    };
    if spaces.network == Network::Closed {
        wanted |= UnshareFlags::NEWNET;
    }
    let (user, group) = (getuid().as_raw(), getgid().as_raw());
    if unshare(wanted).is_ok() {
        return Ok(Owner::System);
    }
    unshare(UnshareFlags::NEWUSER | wanted)?;
    fs::write("/proc/self/setgroups", "deny")?;
    fs::write("/proc/self/uid_map", format!("{user} {user} 1"))?;
    fs::write("/proc/self/gid_map", format!("{group} {group} 1"))?;
    Ok(Owner::Own)
}

/// Sockets that are files and that somebody listens on, but for those where the program may write: a service of the
/// system or of the user would do for it what it cannot do itself. One that is made later is not among them.
fn sockets_outside(write: &[PathBuf]) -> Vec<PathBuf> {
    let list = fs::read_to_string("/proc/net/unix").unwrap_or_default();
    let named = list.lines().skip(1).filter_map(|line| line.find(" /").map(|at| PathBuf::from(&line[at + 1..])));
    let found: BTreeSet<PathBuf> = named.filter_map(|path| path.canonicalize().ok()).collect();
    let is_socket = |path: &PathBuf| fs::symlink_metadata(path).is_ok_and(|found| found.file_type().is_socket());
    let outside =
        found.into_iter().filter(is_socket).filter(|path| !write.iter().any(|folder| path.starts_with(folder)));
    outside.take(SOCKETS).collect()
}

/// Runs something in a copy of this process, which then ends with the code that it gives.
#[allow(unsafe_code, reason = "a copy of the process has no safe interface")]
pub(crate) fn fork(run: impl FnOnce() -> i32) -> io::Result<Pid> {
    // SAFETY: this process has one thread, so the copy is whole; it leaves without running anything of ours again.
    match unsafe { libc::fork() } {
        0 => {
            let code = run();
            // SAFETY: ends the copy, and nothing else.
            unsafe { libc::_exit(code) }
        }
        pid => Pid::from_raw(pid.max(0)).ok_or_else(io::Error::last_os_error),
    }
}

/// Tries something in a copy of this process, which is thrown away.
pub(crate) fn succeeds(run: impl FnOnce() -> bool) -> bool {
    let tried = fork(|| i32::from(!run())).map(|pid| waitpid(Some(pid), WaitOptions::empty()));
    matches!(tried, Ok(Ok(Some((_, status)))) if status.exit_status() == Some(0))
}

/// Gives up all powers of the root user but those over its files, for all programs to come.
pub(crate) fn drop_powers() {
    let kept = CapabilitySet::CHOWN | CapabilitySet::DAC_OVERRIDE | CapabilitySet::FOWNER | CapabilitySet::FSETID;
    for number in 0..u64::BITS {
        let power = CapabilitySet::from_bits_retain(1 << number);
        if !kept.contains(power) {
            // Refused to whoever has no such powers to pass on.
            let _ = rustix::thread::remove_capability_from_bounding_set(power);
        }
    }
    let _ = rustix::thread::clear_ambient_capability_set();
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reach {
    This,
    All,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ReadOnly {
    Yes,
    No,
}

#[allow(unsafe_code, reason = "the interface is unsafe for the sake of another flag")]
fn unshare(flags: UnshareFlags) -> rustix::io::Result<()> {
    // SAFETY: descriptors stay shared, there is no other thread.
    unsafe { rustix::thread::unshare_unsafe(flags) }
}

#[allow(unsafe_code, reason = "a system call without a function in libc or rustix")]
fn set_read_only(path: &Path, reach: Reach, read_only: ReadOnly) -> io::Result<()> {
    /// As the kernel lays it out: flags to set, to clear, propagation, user namespace.
    #[repr(C)]
    struct Attributes([u64; 4]);
    const READ_ONLY: u64 = 1;
    let path = std::ffi::CString::new(path.as_os_str().as_bytes())?;
    let flags = if reach == Reach::All { libc::AT_RECURSIVE } else { 0 };
    let attributes = match read_only {
        ReadOnly::Yes => Attributes([READ_ONLY, 0, 0, 0]),
        ReadOnly::No => Attributes([0, READ_ONLY, 0, 0]),
    };
    // SAFETY: the path ends in a zero byte, the attributes have the size that is told; both outlive the call.
    let answer = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            libc::AT_FDCWD,
            path.as_ptr(),
            flags,
            &raw const attributes,
            size_of::<Attributes>(),
        )
    };
    if answer == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
