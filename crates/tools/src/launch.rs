//! The engine's side: starts a launcher, feeds the program, keeps what it says within limits, and waits until all of it
//! is gone. One thread, one loop; nothing in it can wait longer than the launch's time, grace and a bound.
//!
//! The calling thread must stay until the end, as it does here: the launcher is told when the thread that started it
//! dies.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};

use crate::sandbox::no_confinement_is_accepted;
use crate::stop::{Stop, Urgency};
use crate::tree::END_BOUND;
use crate::wire::{self, ASK, By, Confined, END_NOW, LAUNCH, Name, Policy, Report};
use crate::{Ended, How, Launch, LaunchFault, LaunchLimits, find};

/// What the launcher may need beyond time, grace and the ending of the tree, on a machine that is very busy.
const ANSWER_BOUND: Duration = Duration::from_secs(5);

/// How long the launcher may take to accept its policy.
const POLICY_BOUND: Duration = Duration::from_secs(30);

/// One read or write; the size of a pipe.
const CHUNK: usize = 64 << 10;

/// The longest wait without looking round.
const LONGEST_WAIT: Duration = Duration::from_secs(60);

#[cfg(target_os = "linux")]
const OWN_BINARY: &str = "/proc/self/exe";

static LAUNCHER: Mutex<Option<PathBuf>> = Mutex::new(None);

/// Starts launchers from another binary than this process's own, one that calls
/// [`be_launcher_if_asked`](crate::be_launcher_if_asked) first in its `main`. For tests, whose binary does not.
pub fn launch_through(binary: impl Into<PathBuf>) {
    *LAUNCHER.lock().unwrap_or_else(PoisonError::into_inner) = Some(binary.into());
}

/// Runs a program to its end and gives what it said. Blocks until the program and all that it started are gone.
pub fn launch(launch: &Launch, stop: &Stop) -> Result<Ended, LaunchFault> {
    let path = launch.environment.iter().rfind(|(name, _)| name == "PATH").map(|(_, value)| value.as_os_str());
    let folder = std::path::absolute(&launch.folder).unwrap_or_else(|_| launch.folder.clone());
    if !folder.is_dir() {
        let why = "the folder to start it in does not exist: make it first".into();
        return Err(LaunchFault::CannotSpawn { path: folder, why });
    }
    let program = find::program(&launch.program, path, &folder)?;
    let (bell, rope) = UnixStream::pair().map_err(|error| cannot_spawn(&program, &error))?;
    let quiet = [&bell, &rope].iter().try_for_each(|end| end.set_nonblocking(true));
    quiet.map_err(|error| cannot_spawn(&program, &error))?;
    let _waiting = stop.wake(rope);
    if stop.is_stopped() {
        return Ok(Ended { how: How::Stopped, output: Vec::new(), log: Vec::new(), log_cut: false });
    }
    let policy = policy(launch, &program, &folder);
    let mut run = Run::start(launch, &policy, bell).map_err(|error| cannot_spawn(&program, &error))?;
    run.carry(stop);
    run.finish(&program)
}

fn cannot_spawn(program: &Path, error: &io::Error) -> LaunchFault {
    LaunchFault::CannotSpawn { path: program.into(), why: error.to_string() }
}

fn policy(launch: &Launch, program: &Path, folder: &Path) -> Policy {
    let milliseconds = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
    let absolute = |paths: &[PathBuf]| Name::all(&paths.iter().map(|path| folder.join(path)).collect::<Vec<_>>());
    let confined = if no_confinement_is_accepted() { Confined::IfPossible } else { Confined::Always };
    Policy {
        program: Name::of(program),
        called: Name::of(&launch.program),
        arguments: launch.arguments.iter().map(Name::of).collect(),
        environment: launch.environment.iter().map(|(name, value)| (Name::of(name), Name::of(value))).collect(),
        folder: Name::of(folder),
        read: absolute(&launch.confinement.read),
        execute: absolute(&launch.confinement.execute),
        write: absolute(&launch.confinement.write),
        milliseconds: milliseconds(launch.limits.time),
        grace_milliseconds: milliseconds(launch.limits.grace),
        network: launch.network,
        bounds: launch.bounds,
        confined,
    }
}

/// A launch under way.
struct Run<'launch> {
    launcher: Launcher,
    control: UnixStream,
    bell: UnixStream,
    input: Option<File>,
    unsent: &'launch [u8],
    output: Option<File>,
    said: Kept,
    log: Option<File>,
    logged: Kept,
    report: Vec<u8>,
    told: Urgency,
    flooded: bool,
    limits: LaunchLimits,
    /// When to give the launcher up.
    patience: Option<Instant>,
}

impl<'launch> Run<'launch> {
    fn start(launch: &'launch Launch, policy: &Policy, bell: UnixStream) -> io::Result<Self> {
        let (control, theirs) = UnixStream::pair()?;
        let (input_read, input_write) = io::pipe()?;
        let (output_read, output_write) = io::pipe()?;
        let (log_read, log_write) = io::pipe()?;
        for end in [input_write.as_fd(), output_read.as_fd(), log_read.as_fd()] {
            fcntl_setfl(end, fcntl_getfl(end)? | OFlags::NONBLOCK)?;
        }
        let launcher = Launcher::start(theirs, output_write.into(), log_write.into())?;
        control.set_write_timeout(Some(POLICY_BOUND))?;
        // If it does not take the policy, its silence is reported below with what it logged.
        let _ = wire::send_policy(&control, policy, input_read.as_fd());
        control.set_nonblocking(true)?;
        let limits = launch.limits;
        Ok(Self {
            launcher,
            control,
            bell,
            input: Some(File::from(std::os::fd::OwnedFd::from(input_write))),
            unsent: &launch.input,
            output: Some(File::from(std::os::fd::OwnedFd::from(output_read))),
            said: Kept::new(limits.output_bytes),
            log: Some(File::from(std::os::fd::OwnedFd::from(log_read))),
            logged: Kept::new(limits.log_bytes),
            report: Vec::new(),
            told: Urgency::None,
            flooded: false,
            limits,
            patience: patience(&[POLICY_BOUND, limits.time, limits.grace]),
        })
    }

    /// Moves bytes until the launcher has closed its end, or patience is at its end.
    fn carry(&mut self, stop: &Stop) {
        loop {
            self.tell(stop.urgency());
            let now = Instant::now();
            if self.patience.is_some_and(|patience| patience <= now) {
                return;
            }
            self.wait(now);
            let mut rung = [0; 64];
            while matches!((&self.bell).read(&mut rung), Ok(count) if count > 0) {}
            self.feed();
            self.take_output();
            read_available(&mut self.log, &mut self.logged);
            if self.hear() == Heard::Closed {
                return;
            }
        }
    }

    fn wait(&self, now: Instant) {
        let rest = self.patience.map_or(LONGEST_WAIT, |until| until.saturating_duration_since(now).min(LONGEST_WAIT));
        let timeout = Timespec { tv_sec: rest.as_secs().cast_signed(), tv_nsec: rest.subsec_nanos().into() };
        let always: [(BorrowedFd<'_>, _); 2] =
            [(self.control.as_fd(), PollFlags::IN), (self.bell.as_fd(), PollFlags::IN)];
        let input = self.input.iter().map(|file| (file.as_fd(), PollFlags::OUT));
        let outputs = self.output.iter().chain(&self.log).map(|file| (file.as_fd(), PollFlags::IN));
        let all = always.into_iter().chain(input).chain(outputs);
        let mut ready: Vec<PollFd<'_>> = all.map(|(end, flags)| PollFd::from_borrowed_fd(end, flags)).collect();
        // A signal or a lack of memory: whoever is ready is found out by trying, nothing blocks.
        let _ = poll(&mut ready, Some(&timeout));
    }

    /// Passes on how urgent it is that the program ends; only a rise is news.
    fn tell(&mut self, urgency: Urgency) {
        if urgency <= self.told {
            return;
        }
        self.told = urgency;
        let letter = if urgency == Urgency::Now { END_NOW } else { ASK };
        // If it cannot be told, it is already gone, and its closed end will be seen.
        let _ = (&self.control).write(&[letter]);
        let shorter = patience(if urgency == Urgency::Now { &[] } else { std::slice::from_ref(&self.limits.grace) });
        self.patience = self.patience.into_iter().chain(shorter).min();
    }

    /// Writes as much of the input as the program takes. It may take none, or close its end.
    fn feed(&mut self) {
        while let Some(input) = &mut self.input {
            let chunk = &self.unsent[..self.unsent.len().min(CHUNK)];
            match input.write(chunk) {
                Ok(0) => self.input = None,
                Ok(written) => self.unsent = &self.unsent[written..],
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => self.input = None,
            }
        }
    }

    fn take_output(&mut self) {
        read_available(&mut self.output, &mut self.said);
        if self.said.cut && !self.flooded {
            self.flooded = true;
            self.output = None;
            self.tell(Urgency::Now);
        }
    }

    fn hear(&mut self) -> Heard {
        let mut chunk = [0; 4096];
        loop {
            match (&self.control).read(&mut chunk) {
                Ok(0) => return Heard::Closed,
                Ok(count) => self.report.extend_from_slice(&chunk[..count]),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Heard::NothingYet,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => return Heard::Closed,
            }
        }
    }

    fn finish(mut self, program: &Path) -> Result<Ended, LaunchFault> {
        // Nobody writes any more: what is in the pipes is the rest, and all of it is there.
        for _ in 0..CHUNKS_OF_A_PIPE {
            self.take_output();
            read_available(&mut self.log, &mut self.logged);
        }
        let lost = self.launcher.end();
        let path = PathBuf::from(program);
        let how = match serde_json::from_slice(&self.report) {
            Ok(Report::Ended { left, .. }) if left > 0 => return Err(LaunchFault::NotEnded { path, left }),
            Ok(Report::Ended { .. }) if self.flooded => How::Flooded,
            Ok(Report::Ended { by: By::Time, .. }) => How::TimedOut,
            Ok(Report::Ended { by: By::Request, .. }) => How::Stopped,
            Ok(Report::Ended { by: By::Bound(bound), .. }) => How::Outgrew(bound),
            Ok(Report::Ended { by: By::Itself, exit: Some(code), .. }) => How::Exit(code),
            Ok(Report::Ended { by: By::Itself, signal, .. }) => How::Signal(signal.unwrap_or_default()),
            Ok(Report::CannotConfine(why)) => return Err(LaunchFault::CannotConfine { path, why }),
            Ok(Report::NotExecutable(why)) => return Err(LaunchFault::NotExecutable { path, why }),
            Ok(Report::CannotSpawn(why)) => return Err(LaunchFault::CannotSpawn { path, why }),
            Err(_) => {
                let launcher = self.launcher.binary.clone();
                return Err(LaunchFault::LauncherLost { path, launcher, why: lost });
            }
        };
        Ok(Ended { how, output: self.said.bytes, log: self.logged.bytes, log_cut: self.logged.cut })
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Heard {
    NothingYet,
    Closed,
}

/// From now, as long as these take one after another, and what the launcher may need itself.
fn patience(parts: &[Duration]) -> Option<Instant> {
    let own = [END_BOUND, ANSWER_BOUND];
    parts.iter().chain(&own).try_fold(Instant::now(), |until, part| until.checked_add(*part))
}

/// Bytes up to a limit, and whether there were more.
struct Kept {
    bytes: Vec<u8>,
    most: usize,
    cut: bool,
}

impl Kept {
    fn new(most: usize) -> Self {
        Self { bytes: Vec::new(), most, cut: false }
    }

    fn add(&mut self, bytes: &[u8]) {
        let room = self.most - self.bytes.len();
        self.bytes.extend_from_slice(&bytes[..bytes.len().min(room)]);
        self.cut |= bytes.len() > room;
    }
}

/// The most chunks that are read at once, so that a flood on one pipe does not starve the others.
const CHUNKS_AT_ONCE: usize = 16;

/// How often that is done at the end: a pipe of the largest size, in the smallest pieces that it can hold.
const CHUNKS_OF_A_PIPE: usize = 16;

fn read_available(pipe: &mut Option<File>, kept: &mut Kept) {
    let mut chunk = vec![0; CHUNK];
    for _ in 0..CHUNKS_AT_ONCE {
        let Some(file) = pipe else { return };
        match file.read(&mut chunk) {
            Ok(0) => *pipe = None,
            Ok(count) => kept.add(&chunk[..count]),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => *pipe = None,
        }
    }
}

/// The process between us and the program; it does not outlive this.
struct Launcher {
    child: Child,
    binary: PathBuf,
    /// How it ended, once it was waited for.
    ended: Option<String>,
}

impl Launcher {
    fn start(control: UnixStream, output: Stdio, log: Stdio) -> io::Result<Self> {
        let binary = binary()?;
        let mut command = Command::new(&binary);
        command.arg(LAUNCH).env_clear().current_dir("/");
        command.stdin(std::os::fd::OwnedFd::from(control)).stdout(output).stderr(log);
        Ok(Self { child: command.spawn()?, binary, ended: None })
    }

    /// Waits for it if it is ending, else ends it: the program dies with it.
    fn end(&mut self) -> String {
        if let Some(ended) = &self.ended {
            return ended.clone();
        }
        let status = match self.child.try_wait() {
            Ok(Some(status)) => Ok(status),
            _ => self.child.kill().and_then(|()| self.child.wait()),
        };
        let ended = status.map_or_else(|error| error.to_string(), |status| status.to_string());
        self.ended.insert(ended).clone()
    }
}

impl Drop for Launcher {
    fn drop(&mut self) {
        self.end();
    }
}

fn binary() -> io::Result<PathBuf> {
    if let Some(binary) = &*LAUNCHER.lock().unwrap_or_else(PoisonError::into_inner) {
        return Ok(binary.clone());
    }
    #[cfg(target_os = "linux")]
    return Ok(OWN_BINARY.into());
    #[cfg(not(target_os = "linux"))]
    std::env::current_exe()
}
