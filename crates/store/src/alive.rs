//! Which openings of the project are alive: each holds a lock on a file of its own below `executors/` for as long as it
//! lives. Process numbers alone would not do: they are used again, and differ between containers. The file says which
//! process it is, where such numbers mean the same, and when it was last heard of: a lock tells the living from the dead, but
//! not whoever goes on from whoever was stopped.

use std::collections::BTreeSet;
use std::time::Duration;

use crate::fault::{Fault, FaultKind};
use crate::files;
use crate::fs::{Fs, Mode, ProcessState};
use crate::limits;
use crate::path::ProjectPath;
use crate::store::Store;

/// How much of the file is used; the rest of the line is blank.
const WIDTH: usize = 192;

/// This opening, as others see it.
pub(crate) struct Alive<F: Fs> {
    /// Its name, unlike that of any other: process and moment.
    pub name: String,
    /// Held open: the lock goes with it.
    file: F::File,
    /// When it was last said that it lives.
    heard: Duration,
}

/// What an opening is doing, as far as others can see.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Liveness {
    /// It lives, however slow it may be.
    Alive,
    /// It lives and does not go on: its process was stopped, or nobody has heard of it for three lease times where its
    /// process cannot be seen.
    Stopped,
    /// It is over.
    Gone,
}

/// What the file of an opening says.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Card {
    process: u32,
    /// When the process began, in the machine's own count: another of the same number began at another time.
    start: u64,
    /// Where numbers of processes mean the same.
    host: String,
    /// When it was last heard of, on the clock that never goes back.
    heard: Duration,
}

fn folder() -> ProjectPath {
    ProjectPath::own("executors")
}

fn path(name: &str) -> ProjectPath {
    ProjectPath::own(&format!("executors/{name}"))
}

impl<F: Fs> Alive<F> {
    /// Says that this opening lives, under the project's lock.
    pub(crate) fn announce(fs: &F) -> Result<Self, Fault> {
        fs.make_folder(&folder())?;
        let moment = fs.now().wall;
        for attempt in 0.. {
            let name = format!("{}.{:x}", fs.process(), moment + attempt);
            match fs.open(&path(&name), Mode::CreateNew) {
                Err(fault) if fault.kind == FaultKind::Exists => {}
                Err(fault) => return Err(fault),
                Ok(file) => {
                    // Somebody who only looks may be trying it at this moment.
                    while !fs.try_lock(&file)? {
                        fs.pause(limits::LOCK_PAUSE);
                    }
                    let mut alive = Self { name, file, heard: Duration::ZERO };
                    alive.say(fs);
                    return Ok(alive);
                }
            }
        }
        Err(Fault::new("fill", &folder(), FaultKind::Other, "it is full"))
    }

    /// Says that it lives, and which process it is. Not made durable: what is heard counts in this boot alone. Where it
    /// cannot be written, as on a full disk, the lock speaks for it.
    fn say(&mut self, fs: &F) {
        let (process, heard) = (fs.process(), fs.now().steady);
        let start = fs.process_start(process).unwrap_or_default();
        let card = Card { process, start, host: fs.host(), heard };
        let _ = fs.write_at(&self.file, 0, &card.to_line());
        self.heard = heard;
    }

    /// Says that it does not live any more.
    pub(crate) fn leave(&self, fs: &F) -> Result<(), Fault> {
        files::discard(fs, &path(&self.name))
    }
}

/// Whether an opening lives; under the project's lock, since one that is just being opened takes its lock there.
pub(crate) fn lives<F: Fs>(fs: &F, name: &str) -> Result<bool, Fault> {
    if name.is_empty() {
        return Ok(false);
    }
    let file = match fs.open(&path(name), Mode::Write) {
        Err(fault) if fault.kind == FaultKind::Missing => return Ok(false),
        other => other?,
    };
    let free = fs.try_lock(&file)?;
    if free {
        fs.unlock(&file)?;
    }
    Ok(!free)
}

impl Card {
    fn to_line(&self) -> Vec<u8> {
        let Self { process, start, host, heard } = self;
        let text = format!("pid {process} start {start} host {host} heard {}", heard.as_nanos());
        format!("{text:<width$}\n", width = WIDTH - 1).into_bytes()
    }

    /// Reads a file; nothing when it says nothing sensible, as that of an older program does.
    fn read(content: &[u8]) -> Option<Self> {
        let mut words = std::str::from_utf8(content).ok()?.split_whitespace();
        let mut value = |name: &str| words.next().filter(|word| *word == name).and_then(|_| words.next());
        let (process, start) = (value("pid")?.parse().ok()?, value("start")?.parse().ok()?);
        let (host, heard) = (value("host")?.to_string(), Duration::from_nanos(value("heard")?.parse().ok()?));
        Some(Self { process, start, host, heard })
    }
}

/// What an opening that holds its lock is doing. Whoever can be seen and was not stopped lives, however long nothing was heard.
fn state_of<F: Fs>(fs: &F, name: &str) -> Result<Liveness, Fault> {
    let file = match fs.open(&path(name), Mode::Read) {
        Err(fault) if fault.kind == FaultKind::Missing => return Ok(Liveness::Gone),
        other => other?,
    };
    let mut buffer = [0; WIDTH];
    let count = fs.read_at(&file, 0, &mut buffer)?;
    // One that says nothing of itself is taken at its lock's word.
    let Some(card) = Card::read(&buffer[..count]) else { return Ok(Liveness::Alive) };
    let is_near = card.host == fs.host();
    let is_itself = |fs: &F| fs.process_start(card.process).is_none_or(|start| start == card.start);
    match fs.process_state(card.process) {
        ProcessState::Stopped if is_near && is_itself(fs) => return Ok(Liveness::Stopped),
        ProcessState::Running if is_near && is_itself(fs) => return Ok(Liveness::Alive),
        _ => {}
    }
    // Its process is hidden from us, or in another container. A count of another machine or boot says nothing.
    let is_this_boot = card.host.split('/').next() == fs.host().split('/').next();
    let silent = fs.now().steady.saturating_sub(card.heard);
    match is_this_boot && silent > limits::LEASE * limits::LEASES_OF_SILENCE {
        true => Ok(Liveness::Stopped),
        false => Ok(Liveness::Alive),
    }
}

/// Removes the files of openings that ended without a word.
pub(crate) fn clear<F: Fs>(fs: &F) -> Result<(), Fault> {
    for name in fs.list(&folder())?.unwrap_or_default() {
        if !lives(fs, &name)? {
            files::discard(fs, &path(&name))?;
        }
    }
    Ok(())
}

impl<F: Fs> Store<F> {
    /// The name of this opening, unlike that of any other: whoever holds something names itself by it.
    pub fn opening(&self) -> &str {
        &self.alive.name
    }

    /// Whether an opening lives, as far as that is seen without the project's lock: for those who only look.
    pub fn is_alive(&self, opening: &str) -> bool {
        opening == self.alive.name || lives(&self.fs, opening).unwrap_or(false)
    }

    /// What an opening is doing. It must be one that has announced itself, as those have that the journal names: then this
    /// needs no lock.
    pub fn liveness(&self, opening: &str) -> Result<Liveness, Fault> {
        if opening == self.alive.name {
            return Ok(Liveness::Alive);
        }
        match lives(&self.fs, opening)? {
            false => Ok(Liveness::Gone),
            true => state_of(&self.fs, opening),
        }
    }

    /// Lets others know that this opening goes on; nothing happens if they were told a moment ago.
    pub fn be_heard(&mut self) {
        let silent = self.fs.now().steady.saturating_sub(self.alive.heard);
        if silent >= limits::LEASE / limits::LEASES_OF_SILENCE {
            self.alive.say(&self.fs);
        }
    }

    /// The openings of this project that live, this one included.
    pub fn openings(&mut self) -> Result<BTreeSet<String>, Fault> {
        self.locked(|store| {
            let mut living = BTreeSet::from([store.alive.name.clone()]);
            for name in store.fs.list(&folder())?.unwrap_or_default() {
                if name != store.alive.name && lives(&store.fs, &name)? {
                    living.insert(name);
                }
            }
            Ok(living)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_card_is_read_as_it_was_written() {
        let card = Card { process: 7, start: 1234, host: "boot/40265".into(), heard: Duration::from_millis(1500) };
        let line = card.to_line();
        assert_eq!(line.len(), WIDTH);
        assert_eq!(Card::read(&line), Some(card));
        for odd in ["", "pid", "pid x start 1 host h heard 2", "pid 1 start 1 host h", "start 1 pid 1 host h heard 1"] {
            assert_eq!(Card::read(odd.as_bytes()), None, "{odd}");
        }
    }
}
