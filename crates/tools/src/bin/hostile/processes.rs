//! Processes, powers and limits: reaching into others, and growing beyond what was given.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read};
use std::os::fd::AsRawFd;

use crate::calls::{at, call, done, nothing_gained, text};
use crate::linux::{Attempt, World};

/// The process that makes the attempts.
fn parent() -> i64 {
    // SAFETY: asks, and changes nothing.
    i64::from(unsafe { libc::getppid() })
}

/// The one that watches over it.
fn launcher() -> i64 {
    let status = fs::read_to_string(format!("/proc/{}/status", parent())).unwrap_or_default();
    let found = status.lines().find_map(|line| line.strip_prefix("PPid:"));
    found.and_then(|pid| pid.trim().parse().ok()).unwrap_or(1)
}

fn of_engine(world: &World, what: &str) -> io::Result<()> {
    File::open(format!("/proc/{}/{what}", world.engine))?.read(&mut [0; 1]).map(drop)
}

/// Whether the hard limit of something can be raised.
fn raised(resource: libc::__rlimit_resource_t) -> io::Result<()> {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the kernel writes one limit.
    done(unsafe { libc::getrlimit(resource, &raw mut limit) })?;
    let more = libc::rlimit { rlim_cur: limit.rlim_max.saturating_add(1), rlim_max: limit.rlim_max.saturating_add(1) };
    // SAFETY: the kernel reads one limit.
    done(unsafe { libc::setrlimit(resource, &raw const more) }).map(drop)
}

pub(crate) const ATTEMPTS: &[Attempt] = &[
    ("environment-of-engine", |world| of_engine(world, "environ")),
    ("memory-of-engine", |world| of_engine(world, "mem").or_else(|_| of_engine(world, "maps"))),
    ("descriptors-of-engine", |world| fs::read_dir(format!("/proc/{}/fd", world.engine)).map(drop)),
    ("files-through-engine", |world| {
        let path = format!("/proc/{}/root{}", world.engine, world.path("db/process_runs.md"));
        File::open(path)?.read(&mut [0; 1]).map(drop)
    }),
    ("environment-of-launcher", |_| File::open(format!("/proc/{}/environ", launcher()))?.read(&mut [0; 1]).map(drop)),
    ("list-processes", |_| {
        let own = [std::process::id().to_string(), parent().to_string()];
        let is_other = |name: &String| name.bytes().all(|byte| byte.is_ascii_digit()) && !own.contains(name);
        let names = fs::read_dir("/proc")?.flatten().filter_map(|entry| entry.file_name().into_string().ok());
        names.filter(is_other).map(drop).next().ok_or_else(|| ErrorKind::NotFound.into())
    }),
    ("trace-engine", |world| call(libc::SYS_ptrace, &[16, world.engine.into(), 0, 0]).map(drop)),
    ("trace-launcher", |_| call(libc::SYS_ptrace, &[16, launcher(), 0, 0]).map(drop)),
    ("trace-self", |_| call(libc::SYS_ptrace, &[0, 0, 0, 0]).map(drop)),
    ("read-memory-of-launcher", |_| {
        let mut bytes = [0_u8; 8];
        let ours = [std::ptr::from_mut(&mut bytes) as i64, 8];
        let theirs = [0x1000_i64, 8];
        call(libc::SYS_process_vm_readv, &[launcher(), at(&ours), 1, at(&theirs), 1, 0]).map(drop)
    }),
    ("kill-engine", |world| call(libc::SYS_kill, &[world.engine.into(), libc::SIGCONT.into()]).map(drop)),
    ("kill-launcher", |_| call(libc::SYS_kill, &[launcher(), libc::SIGTERM.into()]).map(drop)),
    ("kill-by-descriptor", |world| {
        let engine = call(libc::SYS_pidfd_open, &[world.engine.into(), 0])?;
        call(libc::SYS_pidfd_send_signal, &[engine, libc::SIGCONT.into(), 0, 0]).map(drop)
    }),
    ("take-descriptor", |_| {
        let launcher = call(libc::SYS_pidfd_open, &[launcher(), 0])?;
        call(libc::SYS_pidfd_getfd, &[launcher, 0, 0]).map(drop)
    }),
    ("compare-processes", |_| call(libc::SYS_kcmp, &[launcher(), parent(), 0, 0, 0]).map(drop)),
    ("inherited-descriptors", |_| {
        let inherited = (3..256).find(|descriptor| fs::metadata(format!("/proc/self/fd/{descriptor}")).is_ok());
        inherited.map(drop).ok_or_else(|| io::Error::from_raw_os_error(libc::EBADF))
    }),
    ("inherited-secrets", |_| {
        let known = [
            "PROJECT",
            "RUN",
            "OTHER_RUN",
            "ENGINE",
            "PORT",
            "SOCKET",
            "DATAGRAMS",
            "ABSTRACT",
            "PATH",
            "HOME",
            "OUTSIDE",
        ];
        let is_known = |name: &String| known.contains(&name.as_str()) || name.starts_with("MARK_");
        let other = std::env::vars().map(|(name, _)| name).find(|name| !is_known(name));
        other.map(drop).ok_or_else(|| io::Error::from_raw_os_error(libc::ENOENT))
    }),
    ("open-terminal", |_| OpenOptions::new().write(true).open("/dev/tty").map(drop)),
    ("type-into-terminal", |_| {
        let letter = b'x';
        // SAFETY: the kernel reads one byte.
        done(unsafe { libc::ioctl(0, libc::TIOCSTI, &raw const letter) }).map(drop)
    }),
    ("outlive-the-launcher", |_| call(libc::SYS_prctl, &[libc::PR_SET_PDEATHSIG.into(), 0, 0, 0, 0]).map(drop)),
    ("new-privileges", |_| {
        // SAFETY: asks, and changes nothing.
        match unsafe { libc::prctl(libc::PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) } {
            1 => call(libc::SYS_prctl, &[libc::PR_SET_NO_NEW_PRIVS.into(), 0, 0, 0, 0]).map(drop),
            _ => Ok(()),
        }
    }),
    ("powers-of-root", |_| {
        let (header, mut powers) = ([0x2008_0522_u32, 0], [0_u32; 6]);
        call(libc::SYS_capget, &[at(&header), std::ptr::from_mut(&mut powers) as i64])?;
        let powers = u64::from(powers[0]) | u64::from(powers[3]) << 32;
        if powers & !0b1_1011 == 0 { nothing_gained() } else { Ok(()) }
    }),
    ("raise-open-files", |_| raised(libc::RLIMIT_NOFILE)),
    ("raise-file-size", |_| raised(libc::RLIMIT_FSIZE)),
    ("raise-memory", |_| raised(libc::RLIMIT_DATA)),
    ("raise-core-size", |_| raised(libc::RLIMIT_CORE)),
    ("raise-time", |_| raised(libc::RLIMIT_CPU)),
    ("raise-processes", |_| OpenOptions::new().write(true).open("/proc/sys/kernel/pid_max").map(drop)),
    ("limits-of-engine", |world| {
        let none = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        call(libc::SYS_prlimit64, &[world.engine.into(), libc::RLIMIT_NOFILE.into(), at(&none), 0]).map(drop)
    }),
    ("priority-of-others", |_| call(libc::SYS_setpriority, &[libc::PRIO_USER.into(), 0, 19]).map(drop)),
    ("control-group", |_| {
        let files =
            ["/sys/fs/cgroup/cgroup.procs", "/sys/fs/cgroup/pids/cgroup.procs", "/sys/fs/cgroup/unified/cgroup.procs"];
        let opened = files.iter().map(|file| OpenOptions::new().write(true).open(file));
        opened.reduce(|one, other| one.or(other)).unwrap_or_else(nothing_gained).map(drop)
    }),
    ("new-user-namespace", |_| {
        call(libc::SYS_unshare, &[i64::from(libc::CLONE_NEWUSER | libc::CLONE_NEWNS)]).map(drop)
    }),
    ("clone-into-namespace", |_| {
        let flags = i64::from(libc::CLONE_NEWUSER | libc::SIGCHLD);
        match call(libc::SYS_clone, &[flags, 0, 0, 0, 0])? {
            // SAFETY: ends the copy.
            0 => unsafe { libc::_exit(0) },
            _ => Ok(()),
        }
    }),
    ("clone-by-structure", |_| {
        let arguments: [u64; 11] = [libc::CLONE_NEWUSER as u64, 0, 0, 0, 17, 0, 0, 0, 0, 0, 0];
        match call(libc::SYS_clone3, &[at(&arguments), 88])? {
            // SAFETY: ends the copy.
            0 => unsafe { libc::_exit(0) },
            _ => Ok(()),
        }
    }),
    ("enter-namespace", |_| {
        let own = File::open(format!("/proc/{}/ns/mnt", parent()))?;
        call(libc::SYS_setns, &[own.as_raw_fd().into(), 0]).map(drop)
    }),
    ("kernel-programs", |_| call(libc::SYS_bpf, &[5, at(&[0_u64; 16]), 128]).map(drop)),
    ("key-ring", |_| {
        let (kind, name) = (text("user")?, text("hostile")?);
        call(libc::SYS_add_key, &[kind.as_ptr() as i64, name.as_ptr() as i64, name.as_ptr() as i64, 1, -3]).map(drop)
    }),
    ("performance-counters", |_| call(libc::SYS_perf_event_open, &[at(&[0_u64; 16]), 0, -1, -1, 0]).map(drop)),
    ("page-faults", |_| call(libc::SYS_userfaultfd, &[1]).map(drop)),
    ("watch-all-files", |_| call(libc::SYS_fanotify_init, &[0, 0]).map(drop)),
    ("kernel-module", |_| call(libc::SYS_init_module, &[at(&[0_u8; 8]), 8, at(c"")]).map(drop)),
    ("other-kernel", |_| call(libc::SYS_kexec_load, &[0, 0, 0, 0]).map(drop)),
    ("reboot", |_| call(libc::SYS_reboot, &[0xfee1_dead, 672_274_793, 0, 0]).map(drop)),
    ("swap", |_| call(libc::SYS_swapoff, &[at(c"/nothing")]).map(drop)),
    ("clock", |_| call(libc::SYS_clock_settime, &[0, at(&[0_i64; 2])]).map(drop)),
    ("personality", |_| call(libc::SYS_personality, &[0x0040_0000]).map(drop)),
    ("memory-without-owner", |_| call(libc::SYS_memfd_create, &[at(c"x"), 0]).map(drop)),
    ("shared-memory-that-stays", |_| call(libc::SYS_shmget, &[0x4d56, 4096, 0o1666]).map(drop)),
    ("queue-that-stays", |_| call(libc::SYS_mq_open, &[at(c"hostile"), 0o102, 0o600, 0]).map(drop)),
    ("unknown-call", |_| call(600, &[]).map(drop)),
];

/// Runs a program for which there are no namespaces, and becomes it.
pub(crate) fn without_namespaces(program: &str, arguments: &[String]) -> ! {
    use seccompiler::{BpfProgram, SeccompAction, SeccompFilter};
    use std::os::unix::process::CommandExt;
    let refused = SeccompAction::Errno(libc::EPERM.unsigned_abs());
    let filter = std::env::consts::ARCH.try_into().and_then(|architecture| {
        let rules = [(libc::SYS_unshare, Vec::new())].into_iter().collect();
        SeccompFilter::new(rules, SeccompAction::Allow, refused, architecture)?.try_into()
    });
    let entered = filter.is_ok_and(|filter: BpfProgram| seccompiler::apply_filter(&filter).is_ok());
    if entered {
        // Only comes back if there is no such program.
        let _ = std::process::Command::new(program).args(arguments).exec();
    }
    std::process::exit(126)
}
