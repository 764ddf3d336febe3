//! The test battery: named commands of the user's configuration, run confined in a folder, each heard to its end. Owns how
//! a check is run and what is kept of it; must not know what is checked, nor what follows from it (CY-05).
//!
//! **How it is called**: [`run`] with the checks and a folder that may be written to: a copy of what is checked (see
//! [`git::Repository::lend`](crate::git::Repository::lend)), never the user's own, because tests leave files behind. One
//! after another, in order; a stop leaves the rest as not run. What comes back is evidence: the exit code, and the end of
//! what was printed, both streams together, however much that was.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::{Bounds, Confinement, How, Launch, LaunchLimits, Network, Stop, launch_heard};

/// A command of the battery.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    /// By what the configuration knows it: `tests`, `linter`, `security`.
    pub name: String,
    /// A line for the shell.
    pub command: String,
    /// The most seconds that it may take.
    pub seconds: u64,
}

/// How a check went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ran {
    pub name: String,
    pub end: RanEnd,
    /// The end of what it printed.
    pub tail: String,
}

/// How a check ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RanEnd {
    /// By itself, with this code: 0 is good.
    Exit(i32),
    /// It ran over its time.
    TimedOut,
    /// It did not run, or not to its end, and why.
    NotRun(String),
}

/// What checks are given beside their folder.
#[derive(Debug, Clone)]
pub struct Surroundings {
    /// Whether they may reach anything but their files; closed unless the user says otherwise.
    pub network: Network,
    pub bounds: Bounds,
    /// What they may read besides: caches of a package manager, a tool chain.
    pub readable: Vec<PathBuf>,
}

impl Default for Surroundings {
    fn default() -> Self {
        Self { network: Network::Closed, bounds: Bounds::default(), readable: Vec::new() }
    }
}

/// The most that a check may print: it is read and dropped but for its end, so only a flood without end is ended by it.
const OUTPUT_BYTES: usize = 16 << 30;

/// What is kept of it: enough to see what failed, little enough for a journal.
const TAIL_BYTES: usize = 8 << 10;

const GRACE: Duration = Duration::from_secs(2);

/// The exit codes with which a shell says that it found no such program, or could not start it.
const NOT_FOUND: i32 = 127;
const NOT_EXECUTABLE: i32 = 126;

/// Runs the checks, one after another.
pub fn run(checks: &[Check], folder: &Path, surroundings: &Surroundings, stop: &Stop, say: &dyn Fn(&str)) -> Vec<Ran> {
    let one = |check: &Check| {
        if stop.is_stopped() {
            return not_run(check, "stopped before it began");
        }
        say(&format!("check {}: {}", check.name, check.command));
        run_one(check, folder, surroundings, stop)
    };
    checks.iter().map(one).collect()
}

fn run_one(check: &Check, folder: &Path, surroundings: &Surroundings, stop: &Stop) -> Ran {
    if check.command.trim().is_empty() || check.command.contains('\0') {
        return not_run(check, "its command is empty, or has a zero byte");
    }
    let (home, temporary) = (folder.join(".home"), folder.join(".tmp"));
    for place in [&home, &temporary] {
        if let Err(error) = std::fs::create_dir_all(place) {
            return not_run(check, &format!("{}: {error}", place.display()));
        }
    }
    let mut confinement = Confinement::system();
    confinement.read.extend(surroundings.readable.iter().cloned());
    confinement.write.push(folder.into());
    let ours = |name: &str, otherwise: &str| std::env::var_os(name).unwrap_or_else(|| otherwise.into());
    let environment: Vec<(OsString, OsString)> = vec![
        ("PATH".into(), ours("PATH", "/usr/local/bin:/usr/bin:/bin")),
        ("LANG".into(), ours("LANG", "C.UTF-8")),
        ("TERM".into(), "dumb".into()),
        ("CI".into(), "1".into()),
        ("HOME".into(), home.into()),
        ("TMPDIR".into(), temporary.into()),
    ];
    let launch = Launch {
        program: "/bin/sh".into(),
        // Both streams in the order in which they were written.
        arguments: vec!["-c".into(), format!("exec 2>&1\n{}", check.command).into()],
        environment,
        folder: folder.into(),
        input: Vec::new(),
        confinement,
        network: surroundings.network,
        bounds: surroundings.bounds,
        limits: LaunchLimits {
            time: Duration::from_secs(check.seconds.max(1)),
            output_bytes: OUTPUT_BYTES,
            log_bytes: TAIL_BYTES,
            grace: GRACE,
        },
    };
    let mut tail = Tail::default();
    let ended = match launch_heard(&launch, stop, &mut |piece| tail.add(piece)) {
        Ok(ended) => ended,
        Err(fault) => return not_run(check, &fault.to_string()),
    };
    let end = match ended.how {
        How::Exit(NOT_FOUND) => RanEnd::NotRun("a program that it needs is not there (exit code 127)".into()),
        How::Exit(NOT_EXECUTABLE) => RanEnd::NotRun("a program that it needs cannot be started (exit code 126)".into()),
        How::Exit(code) => RanEnd::Exit(code),
        // As a shell says it.
        How::Signal(signal) => RanEnd::Exit(128 + signal),
        How::TimedOut => RanEnd::TimedOut,
        How::Stopped => RanEnd::NotRun("stopped in the middle".into()),
        How::Flooded => RanEnd::NotRun(format!("it printed more than {OUTPUT_BYTES} bytes and was ended")),
        How::Outgrew(bound) => RanEnd::NotRun(format!("it outgrew its limit of {} and was ended", bound.word())),
    };
    Ran { name: check.name.clone(), end, tail: tail.text() }
}

fn not_run(check: &Check, why: &str) -> Ran {
    Ran { name: check.name.clone(), end: RanEnd::NotRun(why.into()), tail: String::new() }
}

/// The end of what comes piece by piece, in bounded room.
#[derive(Debug, Default)]
struct Tail {
    bytes: Vec<u8>,
    is_cut: bool,
}

impl Tail {
    fn add(&mut self, piece: &[u8]) {
        let end = &piece[piece.len().saturating_sub(TAIL_BYTES)..];
        self.is_cut |= end.len() < piece.len();
        self.bytes.extend_from_slice(end);
        // Cut seldom, so that a flood costs one copy of each byte and not many.
        if self.bytes.len() > 4 * TAIL_BYTES {
            self.bytes.drain(..self.bytes.len() - TAIL_BYTES);
            self.is_cut = true;
        }
    }

    fn text(mut self) -> String {
        if self.bytes.len() > TAIL_BYTES {
            self.bytes.drain(..self.bytes.len() - TAIL_BYTES);
            self.is_cut = true;
        }
        let text: String = String::from_utf8_lossy(&self.bytes).replace("\r\n", "\n").chars().map(visible).collect();
        let text = text.trim_end();
        if self.is_cut { format!("…{text}") } else { text.to_owned() }
    }
}

/// Without the letters that move a terminal's cursor or hide text.
fn visible(letter: char) -> char {
    match letter {
        '\n' | '\t' => letter,
        '\r' => '\n',
        letter if letter.is_control() => '\u{fffd}',
        letter => letter,
    }
}
