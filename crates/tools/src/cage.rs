//! What the program's process takes on between fork and exec, and never gets rid of: session, death with the launcher,
//! limits of the kernel, closed descriptors, no powers, and then the rules of files and of system calls (QL-30, QL-31).
//! Knows no program; must not start anything.

#[cfg(target_os = "linux")]
use std::fs;
use std::io;

use rustix::fs::Mode;
#[cfg(target_os = "linux")]
use rustix::process::Signal;
use rustix::process::{Pid, Resource, Rlimit, getrlimit, setrlimit, setsid, umask};

#[cfg(target_os = "linux")]
use crate::calls::Calls;
#[cfg(target_os = "linux")]
use crate::group::{self, Group};
#[cfg(target_os = "linux")]
use crate::namespaces;
use crate::sandbox::{self, Sandbox};
use crate::wire::{Confined, Policy, Report};
#[cfg(target_os = "linux")]
use crate::{Bounds, Network};

/// Files made by a program belong to the user alone.
const PRIVATE: Mode = Mode::RWXG.union(Mode::RWXO);

/// Descriptors of one process: those that it starts with, and those that it may ask for.
const OPEN_FILES: u64 = 1024;
const MOST_OPEN_FILES: u64 = 16 << 10;

/// What of `/proc` a program may read: processes that it starts read about themselves there when they begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Proc {
    /// What is of its first process.
    First,
    /// All that is there: it shows the program's own processes, and nothing of others or of the system that matters.
    Own,
}

/// How the kernel counts processes for its limit of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Counted {
    /// All of the user, whoever started them.
    WithOthers,
    /// The program's own, and as many of ours.
    Apart { launchers: u32 },
}

/// What the program's process takes on; no rules only where the kernel has no means and the user accepted that.
#[cfg(target_os = "linux")]
pub(crate) struct Cage {
    rules: Option<(sandbox::Rules, Option<Calls>)>,
    limits: Limits,
    doors: Vec<fs::File>,
}

#[cfg(target_os = "linux")]
impl Cage {
    pub(crate) fn new(policy: &Policy, opened: Proc, counted: Counted, group: &Group) -> Result<Self, Report> {
        let limits = Limits::new(policy, counted);
        let doors = group.doors().map_err(|error| Report::CannotSpawn(error.to_string()))?;
        match sandbox::probe() {
            Sandbox::None { .. } if policy.confined == Confined::IfPossible => Ok(Self { rules: None, limits, doors }),
            Sandbox::None { why } => Err(Report::CannotConfine(why.into())),
            _ => {
                let rules = sandbox::Rules::new(policy, opened).map_err(Report::CannotConfine)?;
                let calls = match (Calls::new(policy.network), policy.network) {
                    (Ok(calls), _) => Some(calls),
                    // What is said of an open network holds without them, by Landlock alone.
                    (Err(_), Network::Open) => None,
                    (Err(why), Network::Closed) => return Err(Report::CannotConfine(why)),
                };
                Ok(Self { rules: Some((rules, calls)), limits, doors })
            }
        }
    }

    /// The rules come last: they allow none of the rest.
    pub(crate) fn enter(self, launcher: Pid) -> io::Result<()> {
        group::enter(&self.doors)?;
        become_the_program(launcher, &self.limits)?;
        namespaces::drop_powers();
        rustix::thread::set_no_new_privs(true)?;
        let refused = |()| io::Error::from_raw_os_error(libc::EPERM);
        if let Some((rules, calls)) = self.rules {
            rules.enter().map_err(refused)?;
            calls.map_or(Ok(()), |calls| calls.enter()).map_err(refused)?;
        }
        Ok(())
    }
}

#[cfg(not(target_os = "linux"))]
pub(crate) struct Cage {
    limits: Limits,
}

#[cfg(not(target_os = "linux"))]
impl Cage {
    pub(crate) fn new(policy: &Policy, _: Proc, counted: Counted) -> Result<Self, Report> {
        match sandbox::probe() {
            Sandbox::None { why } if policy.confined == Confined::Always => Err(Report::CannotConfine(why.into())),
            _ => Ok(Self { limits: Limits::new(policy, counted) }),
        }
    }

    pub(crate) fn enter(self, launcher: Pid) -> io::Result<()> {
        become_the_program(launcher, &self.limits)
    }
}

/// What the kernel holds each process to. Bounds of the whole tree are those of its group, and watched over by the launcher.
struct Limits(Vec<(Resource, u64, u64)>);

impl Limits {
    fn new(policy: &Policy, counted: Counted) -> Self {
        let bounds = &policy.bounds;
        let same = |resource, most| (resource, most, most);
        let seconds = policy.milliseconds.div_ceil(1000).max(1);
        let processors = std::thread::available_parallelism().map_or(1, |count| count.get() as u64);
        let limits = vec![
            same(Resource::Core, 0),
            same(Resource::Fsize, bounds.file_bytes),
            // What it can write without asking; what is only reserved does not count.
            same(Resource::Data, bounds.memory_bytes),
            same(Resource::Cpu, seconds.saturating_mul(processors).saturating_add(1)),
            (Resource::Nofile, OPEN_FILES, MOST_OPEN_FILES),
            #[cfg(target_os = "linux")]
            same(Resource::Nproc, most_processes(bounds, counted)),
        ];
        Self(limits)
    }

    fn enter(&self) -> io::Result<()> {
        for (resource, current, most) in &self.0 {
            let held = getrlimit(*resource).maximum.unwrap_or(u64::MAX);
            let limit = Rlimit { current: Some(held.min(*current)), maximum: Some(held.min(*most)) };
            setrlimit(*resource, limit)?;
        }
        Ok(())
    }
}

/// Where all processes of the user are counted, those that are there already come on top. The root user is not bound by it.
#[cfg(target_os = "linux")]
fn most_processes(bounds: &Bounds, counted: Counted) -> u64 {
    let threads = |entry: fs::DirEntry| fs::read_dir(entry.path().join("task")).map_or(0, |tasks| tasks.count() as u64);
    let others: u64 = match counted {
        Counted::Apart { launchers } => launchers.into(),
        Counted::WithOthers => fs::read_dir("/proc").into_iter().flatten().flatten().map(threads).sum(),
    };
    others.saturating_add(bounds.processes.into())
}

/// All but the confinement itself.
fn become_the_program(launcher: Pid, limits: &Limits) -> io::Result<()> {
    setsid()?;
    #[cfg(target_os = "linux")]
    {
        rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
        // If it died before that took effect, nobody would tell.
        if rustix::process::getppid() != Some(launcher) {
            return Err(io::Error::from_raw_os_error(libc::ESRCH));
        }
    }
    umask(PRIVATE);
    limits.enter()?;
    close_others_on_exec()
}

/// Every descriptor but the standard three is closed by the exec.
#[cfg(target_os = "linux")]
#[allow(unsafe_code, reason = "no safe interface; descriptors are marked, not closed, so no owner is surprised")]
fn close_others_on_exec() -> io::Result<()> {
    const ON_EXEC: libc::c_uint = 4;
    // SAFETY: only the flag of descriptors changes.
    match unsafe { libc::syscall(libc::SYS_close_range, 3_u32, u32::MAX, ON_EXEC) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

#[cfg(not(target_os = "linux"))]
#[allow(unsafe_code, reason = "no safe interface; descriptors are marked, not closed, so no owner is surprised")]
fn close_others_on_exec() -> io::Result<()> {
    const MOST: libc::c_int = 4096;
    for descriptor in 3..MOST {
        // SAFETY: only the flag of a descriptor changes; one that is not open gives an error, which is fine.
        unsafe { libc::fcntl(descriptor, libc::F_SETFD, libc::FD_CLOEXEC) };
    }
    Ok(())
}
