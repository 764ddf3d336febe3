//! The engine's side: starts a launcher, feeds the program, keeps what it says within limits, and waits until all of it
//! is gone. One thread, one loop; nothing in it can wait longer than the launch's time, grace and a bound. What is fed
//! and heard may be somebody else's part: [`converse`](crate::converse) gives those pipes away.
//!
//! The calling thread must stay until the end, as it does here: the launcher is told when the thread that started it
//! dies.

use std::fs::File;
use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};

use crate::lines::Lines;
use crate::sandbox::no_confinement_is_accepted;
use crate::stop::{Stop, Urgency, Waiting};
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
    run_to_end(launch, stop, None)
}

/// The same, but every line of standard output goes to `watch` as it comes, without its end of line, and is not kept; a
/// line longer than [`LINE_BYTES`](crate::LINE_BYTES) is cut there. The limit of output holds for all of them together.
/// What `watch` takes long for, the program waits for.
pub fn launch_watched(launch: &Launch, stop: &Stop, watch: &mut dyn FnMut(&[u8])) -> Result<Ended, LaunchFault> {
    run_to_end(launch, stop, Some(Watched::Lines(Lines::new(watch))))
}

/// The same with pieces as they come, however they are cut: for whoever keeps but a little of a flood.
pub fn launch_heard(launch: &Launch, stop: &Stop, hear: &mut dyn FnMut(&[u8])) -> Result<Ended, LaunchFault> {
    run_to_end(launch, stop, Some(Watched::Pieces(hear)))
}

/// Where what the program says goes, if it is not kept.
enum Watched<'watch> {
    Lines(Lines<'watch>),
    Pieces(&'watch mut dyn FnMut(&[u8])),
}

fn run_to_end<'a>(launch: &'a Launch, stop: &Stop, watched: Option<Watched<'a>>) -> Result<Ended, LaunchFault> {
    let prepared = Prepared::new(launch)?;
    let pipes = || -> io::Result<(Theirs, Ours<'a>)> {
        let (input_read, input_write) = io::pipe()?;
        let (output_read, output_write) = io::pipe()?;
        let input = Some(without_blocking(input_write.into())?);
        let output = Some(without_blocking(output_read.into())?);
        let theirs = Theirs { input: input_read, output: output_write };
        Ok((theirs, Ours { input, unsent: &launch.input, output, watched }))
    };
    let (theirs, ours) = pipes().map_err(|error| prepared.cannot_spawn(&error))?;
    prepared.run(theirs, ours, &[stop])
}

/// A launch whose program is found and whose folder is there.
pub(crate) struct Prepared {
    program: PathBuf,
    policy: Policy,
    limits: LaunchLimits,
}

/// The program's ends of the two pipes.
pub(crate) struct Theirs {
    pub(crate) input: PipeReader,
    pub(crate) output: PipeWriter,
}

/// Our ends, as far as they are not given away.
#[derive(Default)]
pub(crate) struct Ours<'launch> {
    input: Option<File>,
    unsent: &'launch [u8],
    output: Option<File>,
    watched: Option<Watched<'launch>>,
}

impl Prepared {
    pub(crate) fn new(launch: &Launch) -> Result<Self, LaunchFault> {
        let path = launch.environment.iter().rfind(|(name, _)| name == "PATH").map(|(_, value)| value.as_os_str());
        let folder = std::path::absolute(&launch.folder).unwrap_or_else(|_| launch.folder.clone());
        if !folder.is_dir() {
            let why = "the folder to start it in does not exist: make it first".into();
            return Err(LaunchFault::CannotSpawn { path: folder, why });
        }
        let program = find::program(&launch.program, path, &folder)?;
        let policy = policy(launch, &program, &folder);
        Ok(Self { program, policy, limits: launch.limits })
    }

    /// Starts it and stays until all of it is gone; any of the stops ends it.
    pub(crate) fn run(&self, theirs: Theirs, ours: Ours<'_>, stops: &[&Stop]) -> Result<Ended, LaunchFault> {
        let ring = || -> io::Result<(UnixStream, Vec<Waiting<'_>>)> {
            let (bell, rope) = UnixStream::pair()?;
            bell.set_nonblocking(true)?;
            rope.set_nonblocking(true)?;
            let waiting = stops.iter().map(|stop| Ok(stop.wake(rope.try_clone()?))).collect::<io::Result<_>>()?;
            Ok((bell, waiting))
        };
        let (bell, _waiting) = ring().map_err(|error| self.cannot_spawn(&error))?;
        if stops.iter().any(|stop| stop.is_stopped()) {
            return Ok(Ended { how: How::Stopped, output: Vec::new(), log: Vec::new(), log_cut: false });
        }
        let mut run = Run::start(self, theirs, ours, bell).map_err(|error| self.cannot_spawn(&error))?;
        run.carry(stops);
        run.finish(&self.program)
    }

    pub(crate) fn cannot_spawn(&self, error: &io::Error) -> LaunchFault {
        LaunchFault::CannotSpawn { path: self.program.clone(), why: error.to_string() }
    }
}

fn without_blocking(end: OwnedFd) -> io::Result<File> {
    fcntl_setfl(&end, fcntl_getfl(&end)? | OFlags::NONBLOCK)?;
    Ok(end.into())
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
    ours: Ours<'launch>,
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
    fn start(prepared: &Prepared, theirs: Theirs, ours: Ours<'launch>, bell: UnixStream) -> io::Result<Self> {
        let (control, far_end) = UnixStream::pair()?;
        let (log_read, log_write) = io::pipe()?;
        let log = without_blocking(log_read.into())?;
        let launcher = Launcher::start(far_end, theirs.output.into(), log_write.into())?;
        control.set_write_timeout(Some(POLICY_BOUND))?;
        // If it does not take the policy, its silence is reported below with what it logged.
        let _ = wire::send_policy(&control, &prepared.policy, theirs.input.as_fd());
        control.set_nonblocking(true)?;
        let limits = prepared.limits;
        Ok(Self {
            launcher,
            control,
            bell,
            ours,
            said: Kept::new(limits.output_bytes),
            log: Some(log),
            logged: Kept::new(limits.log_bytes),
            report: Vec::new(),
            told: Urgency::None,
            flooded: false,
            limits,
            patience: patience(&[POLICY_BOUND, limits.time, limits.grace]),
        })
    }

    /// Moves bytes until the launcher has closed its end, or patience is at its end.
    fn carry(&mut self, stops: &[&Stop]) {
        loop {
            self.tell(stops.iter().map(|stop| stop.urgency()).max().unwrap_or(Urgency::None));
            let now = Instant::now();
            if self.patience.is_some_and(|patience| patience <= now) {
                return;
            }
            self.wait(now);
            let mut rung = [0; 64];
            while matches!((&self.bell).read(&mut rung), Ok(count) if count > 0) {}
            self.feed();
            self.take_output();
            read_available(&mut self.log, &mut |bytes| self.logged.add(bytes));
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
        let input = self.ours.input.iter().map(|file| (file.as_fd(), PollFlags::OUT));
        let outputs = self.ours.output.iter().chain(&self.log).map(|file| (file.as_fd(), PollFlags::IN));
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
        let Ours { input: end, unsent, .. } = &mut self.ours;
        while let Some(input) = end {
            let chunk = &unsent[..unsent.len().min(CHUNK)];
            match input.write(chunk) {
                Ok(0) => *end = None,
                Ok(written) => *unsent = &unsent[written..],
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => *end = None,
            }
        }
    }

    fn take_output(&mut self) {
        let Ours { output, watched, .. } = &mut self.ours;
        read_available(output, &mut |bytes| {
            let within = self.said.count(bytes);
            match watched {
                Some(Watched::Lines(lines)) => lines.add(within),
                Some(Watched::Pieces(hear)) => hear(within),
                None => self.said.bytes.extend_from_slice(within),
            }
        });
        if self.said.cut && !self.flooded {
            self.flooded = true;
            self.ours.output = None;
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
            read_available(&mut self.log, &mut |bytes| self.logged.add(bytes));
        }
        if let Some(Watched::Lines(lines)) = &mut self.ours.watched {
            lines.end();
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
    room: usize,
    cut: bool,
}

impl Kept {
    fn new(most: usize) -> Self {
        Self { bytes: Vec::new(), room: most, cut: false }
    }

    /// Takes them off the room that is left, and gives those for which there was some.
    fn count<'bytes>(&mut self, bytes: &'bytes [u8]) -> &'bytes [u8] {
        let within = &bytes[..bytes.len().min(self.room)];
        self.room -= within.len();
        self.cut |= within.len() < bytes.len();
        within
    }

    fn add(&mut self, bytes: &[u8]) {
        let within = self.count(bytes);
        self.bytes.extend_from_slice(within);
    }
}

/// The most chunks that are read at once, so that a flood on one pipe does not starve the others.
const CHUNKS_AT_ONCE: usize = 16;

/// How often that is done at the end: a pipe of the largest size, in the smallest pieces that it can hold.
const CHUNKS_OF_A_PIPE: usize = 16;

fn read_available(pipe: &mut Option<File>, take: &mut dyn FnMut(&[u8])) {
    let mut chunk = vec![0; CHUNK];
    for _ in 0..CHUNKS_AT_ONCE {
        let Some(file) = pipe else { return };
        match file.read(&mut chunk) {
            Ok(0) => *pipe = None,
            Ok(count) => take(&chunk[..count]),
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
        command.stdin(OwnedFd::from(control)).stdout(output).stderr(log);
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

pub(crate) fn binary() -> io::Result<PathBuf> {
    if let Some(binary) = &*LAUNCHER.lock().unwrap_or_else(PoisonError::into_inner) {
        return Ok(binary.clone());
    }
    #[cfg(target_os = "linux")]
    return Ok(OWN_BINARY.into());
    #[cfg(not(target_os = "linux"))]
    std::env::current_exe()
}
