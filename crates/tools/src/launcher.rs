//! The launcher: the process between engine and program. Starts the program confined, waits for it, for a word from the
//! engine, for the engine's death or for the end of its time, then ends all that is left, reports and exits.
//!
//! It has one thread, which is why it may prepare the program's process between fork and exec with ordinary code. It
//! must not read or write what the program says: those pipes belong to the engine.

use std::io::{self, Read};
use std::os::fd::{AsFd, IntoRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Signal, WaitOptions, WaitStatus, getpid, setsid, waitpid};

use crate::cage::{Cage, Counted, Proc};
#[cfg(target_os = "linux")]
use crate::group::Group;
use crate::growth::{Growth, Members};
#[cfg(target_os = "linux")]
use crate::namespaces::{self, Kind, Owner, Wanted};
use crate::tree;
use crate::wire::{self, ASK, By, END_NOW, Policy, Report};
#[cfg(target_os = "linux")]
use crate::{Bound, Bounds, Network};

/// To be called first in `main`: if this process was started as the launcher, it becomes it, and what is returned is
/// its exit code.
pub fn be_launcher_if_asked() -> Option<ExitCode> {
    let mut arguments = std::env::args_os().skip(1);
    if arguments.next()? != wire::LAUNCH {
        return None;
    }
    if arguments.next().is_some_and(|what| what == wire::LOOK) {
        return Some(ExitCode::from(look()));
    }
    // The engine hears from the closed socket what the exit code cannot say.
    Some(if serve().is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// What the system does not let its users have, as an exit code: it takes a process of one thread to try.
#[cfg(target_os = "linux")]
fn look() -> u8 {
    let wanted = Wanted::new(Vec::new(), Network::Closed, 1);
    let spaces = wanted.possible();
    let missing = match spaces.map(|spaces| (spaces.kind, spaces.network)) {
        Some((Kind::Processes, Network::Closed)) => 0,
        Some((Kind::Processes, Network::Open)) => wire::NO_NETWORK,
        Some((Kind::Mounts, Network::Closed)) => wire::NO_PROCESSES,
        Some((Kind::Mounts, Network::Open)) => wire::NO_NETWORK | wire::NO_PROCESSES,
        None => wire::NO_NETWORK | wire::NO_PROCESSES | wire::NO_MOUNTS,
    };
    let group = Group::new(&Bounds::default());
    let is_counted = group.bounds_processes() || spaces.is_some_and(|spaces| wanted.is_counted(spaces));
    let no_group = if group.bounds_memory() { 0 } else { wire::NO_GROUP };
    group.remove();
    missing | no_group | if is_counted { 0 } else { wire::NO_COUNT }
}

#[cfg(not(target_os = "linux"))]
fn look() -> u8 {
    wire::NO_NETWORK | wire::NO_PROCESSES | wire::NO_MOUNTS | wire::NO_COUNT | wire::NO_GROUP
}

fn serve() -> io::Result<()> {
    // The socket is passed on as standard input, which takes no code between fork and exec of the engine.
    let control = UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?);
    let (policy, input) = wire::receive_policy(&control)?;
    // If it already leads a group, it was started by hand, and stays where it is.
    let _ = setsid();
    let report = run(&policy, input, &control)?;
    wire::send_report(&control, &report)
}

/// Where the program is run, and what the kernel does for it there.
struct Ground {
    rest: Rest,
    opened: Proc,
    counted: Counted,
    #[cfg(target_os = "linux")]
    group: Group,
}

/// Runs the program in a control group and in namespaces of its own, as far as the system has them.
#[cfg(target_os = "linux")]
fn run(policy: &Policy, input: OwnedFd, control: &UnixStream) -> io::Result<Report> {
    // Elsewhere groups cannot be written.
    let group = Group::new(&policy.bounds);
    let mut ground = Ground { rest: Rest::Swept, opened: Proc::First, counted: Counted::WithOthers, group };
    let report = run_on(&mut ground, policy, input, control);
    ground.group.remove();
    report
}

#[cfg(target_os = "linux")]
fn run_on(ground: &mut Ground, policy: &Policy, input: OwnedFd, control: &UnixStream) -> io::Result<Report> {
    let write = policy.write.iter().map(wire::Name::path).collect();
    let wanted = Wanted::new(write, policy.network, policy.bounds.processes);
    // It was possible a moment ago: what fails now would leave the program with less than it is thought to have.
    let fault = |error: io::Error| Ok(Report::CannotConfine(format!("its namespaces cannot be made: {error}")));
    let Some(spaces) = wanted.possible() else {
        return start_and_watch(policy, input, control, ground);
    };
    match namespaces::leave(spaces) {
        Err(error) => return fault(error),
        Ok(Owner::System) => {}
        Ok(Owner::Own) => ground.counted = Counted::Apart { launchers: spaces.kind.launchers() },
    }
    if spaces.kind == Kind::Processes {
        return run_as_first(policy, input, control, &wanted, ground);
    }
    match wanted.arrange(spaces.kind) {
        Err(error) => fault(error),
        Ok(_) => start_and_watch(policy, input, control, ground),
    }
}

#[cfg(not(target_os = "linux"))]
fn run(policy: &Policy, input: OwnedFd, control: &UnixStream) -> io::Result<Report> {
    let ground = Ground { rest: Rest::Swept, opened: Proc::First, counted: Counted::WithOthers };
    start_and_watch(policy, input, control, &ground)
}

/// Lets a second launcher do it, the first process of the namespace. When that is gone, so is everything else there.
#[cfg(target_os = "linux")]
fn run_as_first(
    policy: &Policy,
    input: OwnedFd,
    control: &UnixStream,
    wanted: &Wanted,
    ground: &mut Ground,
) -> io::Result<Report> {
    let (mut heard, told) = UnixStream::pair()?;
    let first = namespaces::fork(|| {
        let report = rustix::process::set_parent_process_death_signal(Some(Signal::KILL))
            .map_err(io::Error::from)
            .and_then(|()| wanted.arrange(Kind::Processes))
            .and_then(|opened| {
                (ground.rest, ground.opened) = (Rest::EndsWithUs, opened);
                start_and_watch(policy, input, control, ground)
            });
        let report = report.unwrap_or_else(|error| Report::CannotSpawn(error.to_string()));
        i32::from(wire::send_report(&told, &report).is_err())
    })?;
    drop(told);
    FIRST.store(first.as_raw_pid(), Ordering::SeqCst);
    for signal in ENDING_SIGNALS {
        listen(signal, pass_on);
    }
    let mut report = Vec::new();
    heard.read_to_end(&mut report)?;
    while matches!(waitpid(Some(first), WaitOptions::empty()), Err(rustix::io::Errno::INTR)) {}
    Ok(serde_json::from_slice(&report)?)
}

fn start_and_watch(policy: &Policy, input: OwnedFd, control: &UnixStream, ground: &Ground) -> io::Result<Report> {
    let bell = prepare()?;
    Ok(match start(policy, input, ground) {
        Ok(main) => watch(policy, main, control, &bell, ground),
        Err(report) => report,
    })
}

impl Ground {
    /// What the kernel has already ended somebody for.
    #[cfg(target_os = "linux")]
    fn outgrown(&self) -> Option<Bound> {
        self.group.was_full().then_some(Bound::Memory)
    }

    #[cfg(not(target_os = "linux"))]
    fn outgrown(&self) -> Option<crate::Bound> {
        None
    }
}

/// What becomes of the processes that are left when the program has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rest {
    /// They are looked for and ended.
    Swept,
    /// The kernel ends them when this process ends.
    EndsWithUs,
}

/// Makes this process the one that takes in orphans. Gives what becomes readable on a signal.
fn prepare() -> io::Result<UnixStream> {
    #[cfg(target_os = "linux")]
    {
        rustix::process::set_child_subreaper(Some(getpid()))?;
        // The first of a namespace has been told to die with the other launcher, which hears of the engine's death.
        if rustix::process::getppid().is_some() {
            rustix::process::set_parent_process_death_signal(Some(Signal::TERM))?;
        }
    }
    let (bell, rope) = UnixStream::pair()?;
    bell.set_nonblocking(true)?;
    rope.set_nonblocking(true)?;
    ROPE.store(rope.into_raw_fd(), Ordering::SeqCst);
    listen(libc::SIGCHLD, ring);
    for signal in ENDING_SIGNALS {
        listen(signal, ring);
    }
    Ok(bell)
}

const ENDING_SIGNALS: [libc::c_int; 3] = [libc::SIGTERM, libc::SIGINT, libc::SIGHUP];

/// The end of a socket that a signal writes to; kept open for the life of the launcher.
static ROPE: AtomicI32 = AtomicI32::new(-1);
static ASKED_BY_SIGNAL: AtomicBool = AtomicBool::new(false);

/// The launcher in the namespace.
static FIRST: AtomicI32 = AtomicI32::new(0);

#[allow(unsafe_code, reason = "what is called in a signal handler has no safe interface")]
extern "C" fn ring(signal: libc::c_int) {
    if signal != libc::SIGCHLD {
        ASKED_BY_SIGNAL.store(true, Ordering::SeqCst);
    }
    // SAFETY: send is safe in a signal handler; the descriptor is never closed, and a full buffer does not block.
    unsafe { libc::send(ROPE.load(Ordering::SeqCst), [1_u8].as_ptr().cast(), 1, libc::MSG_DONTWAIT) };
}

#[allow(unsafe_code, reason = "what is called in a signal handler has no safe interface")]
extern "C" fn pass_on(_: libc::c_int) {
    let first = FIRST.load(Ordering::SeqCst);
    if first > 1 {
        // SAFETY: kill is safe in a signal handler, and the number is that of our own child, which is not waited for yet.
        unsafe { libc::kill(first, libc::SIGTERM) };
    }
}

#[allow(unsafe_code, reason = "signal handlers have no safe interface")]
fn listen(signal: libc::c_int, handler: extern "C" fn(libc::c_int)) {
    // SAFETY: the handlers only touch atomics and make calls that are allowed there.
    unsafe { libc::signal(signal, handler as libc::sighandler_t) };
}

/// Starts the program. Between fork and exec it takes on what it will never get rid of.
fn start(policy: &Policy, input: OwnedFd, ground: &Ground) -> Result<Pid, Report> {
    let cage = Cage::new(
        policy,
        ground.opened,
        ground.counted,
        #[cfg(target_os = "linux")]
        &ground.group,
    );
    let mut cage = Some(cage?);
    let (told, tell) = UnixStream::pair().map_err(|error| Report::CannotSpawn(error.to_string()))?;
    let launcher = getpid();
    let mut command = Command::new(policy.program.path());
    command
        .arg0(policy.called.os())
        .args(policy.arguments.iter().map(wire::Name::os))
        .env_clear()
        .envs(policy.environment.iter().map(|(name, value)| (name.os(), value.os())))
        .current_dir(policy.folder.path())
        .stdin(input)
        .stdout(Stdio::inherit())
        .stderr(Stdio::inherit());
    let before_exec = move || {
        let done = cage.take().map_or(Ok(()), |cage| cage.enter(launcher));
        if done.is_err() {
            let _ = io::Write::write(&mut &tell, b"!");
        }
        done
    };
    // `before_exec` holds the other end of `told`: it must be gone before that is read.
    let spawned = spawn(command, before_exec);
    match spawned {
        Ok(main) => Ok(main),
        Err(error) => Err(explain(&error, told)),
    }
}

#[allow(unsafe_code, reason = "code between fork and exec has no safe interface")]
fn spawn(mut command: Command, before_exec: impl FnMut() -> io::Result<()> + Send + Sync + 'static) -> io::Result<Pid> {
    // SAFETY: this process has one thread, so nothing can be half done in the copy: allocating is fine there.
    let child = unsafe { command.pre_exec(before_exec) }.spawn()?;
    Ok(Pid::from_child(&child))
}

/// Which step failed: the process wrote a byte if it was not the exec itself.
fn explain(error: &io::Error, mut told: UnixStream) -> Report {
    let mut byte = [0];
    let before_exec = matches!(told.read(&mut byte), Ok(1));
    match error.raw_os_error() {
        _ if before_exec => Report::CannotConfine(format!("the kernel refused to enforce the rules ({error})")),
        Some(libc::EACCES | libc::EPERM) => Report::NotExecutable(
            "the confinement or the file's mode forbids it, or its interpreter (the line `#!`): allow the interpreter's \
             folder to be executed"
                .into(),
        ),
        Some(libc::ENOENT) => {
            Report::NotExecutable("its interpreter (the line `#!`, or the loader) does not exist: install it".into())
        }
        Some(libc::E2BIG) => Report::CannotSpawn("arguments and environment are too long: pass less".into()),
        _ => Report::CannotSpawn(error.to_string()),
    }
}

/// Waits for the first of: the program's end, a word from the engine, the engine's death, a signal, the time.
fn watch(policy: &Policy, main: Pid, control: &UnixStream, bell: &UnixStream, ground: &Ground) -> Report {
    let begun = Instant::now();
    let write: Vec<PathBuf> = policy.write.iter().map(wire::Name::path).collect();
    let members = if ground.rest == Rest::EndsWithUs { Members::Everybody } else { Members::Descendants };
    let mut growth = Growth::new(policy.bounds, members, &write);
    let mut time = begun.checked_add(Duration::from_millis(policy.milliseconds));
    let grace = Duration::from_millis(policy.grace_milliseconds);
    let mut by = By::Itself;
    let mut status = None;
    loop {
        tree::reap(main, &mut status);
        if status.is_some() {
            break;
        }
        if time.is_some_and(|time| time <= Instant::now()) {
            if by != By::Itself {
                break;
            }
            by = By::Time;
            tree::ask(main);
            time = Instant::now().checked_add(grace);
        }
        if let Some(bound) = growth.look().or_else(|| ground.outgrown()) {
            by = By::Bound(bound);
            break;
        }
        let until = time.map_or(growth.due(), |time| time.min(growth.due()));
        let word =
            if ASKED_BY_SIGNAL.swap(false, Ordering::SeqCst) { Word::Ask } else { listen_for(control, bell, until) };
        match word {
            Word::None => {}
            Word::Ask if by == By::Itself => {
                by = By::Request;
                tree::ask(main);
                time = Instant::now().checked_add(grace);
            }
            Word::Ask => {}
            Word::EndNow => {
                by = if by == By::Itself { By::Request } else { by };
                break;
            }
        }
    }
    if by == By::Itself {
        by = ground.outgrown().map_or(by, By::Bound);
    }
    let left = match ground.rest {
        Rest::Swept => tree::end_all(main, &mut status),
        Rest::EndsWithUs => 0,
    };
    ended(by, status, left)
}

fn ended(by: By, status: Option<WaitStatus>, left: usize) -> Report {
    let exit = status.and_then(WaitStatus::exit_status);
    let signal = status.and_then(WaitStatus::terminating_signal);
    Report::Ended { by, exit, signal, left }
}

enum Word {
    None,
    Ask,
    /// Asked for, or the engine is gone.
    EndNow,
}

fn listen_for(control: &UnixStream, bell: &UnixStream, until: Instant) -> Word {
    let rest = until.saturating_duration_since(Instant::now());
    let mut ready = [PollFd::new(control, PollFlags::IN), PollFd::new(bell, PollFlags::IN)];
    let timeout = Timespec { tv_sec: rest.as_secs().cast_signed(), tv_nsec: rest.subsec_nanos().into() };
    if poll(&mut ready, Some(&timeout)).is_err() {
        return Word::None;
    }
    let (spoken, rung) = (!ready[0].revents().is_empty(), !ready[1].revents().is_empty());
    if rung {
        let mut drained = [0; 256];
        while matches!((&*bell).read(&mut drained), Ok(count) if count > 0) {}
    }
    if !spoken {
        return Word::None;
    }
    let mut letter = [0];
    match (&*control).read(&mut letter) {
        Ok(1) if letter[0] == ASK => Word::Ask,
        Ok(1) if letter[0] != END_NOW => Word::None,
        Err(error) if error.kind() == io::ErrorKind::Interrupted => Word::None,
        _ => Word::EndNow,
    }
}
