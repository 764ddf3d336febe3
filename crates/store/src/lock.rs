//! The project's lock: one holder at a time, for the time of an append or an exchange. The file says who holds it
//! and which segment of the journal is the current one. It is never removed: another process may hold it open. Whoever
//! takes the lock signs before it writes anything else, so one who finds its own signature knows that nothing happened.

use crate::fault::{Fault, FaultKind};
use crate::fs::{Fs, Mode, ProcessState};
use crate::limits;
use crate::path::ProjectPath;

/// How much of the file is used; the rest of the line is blank.
const WIDTH: usize = 128;

pub(crate) struct Lock<F: Fs> {
    file: F::File,
    inode: u64,
    /// What this opening wrote last.
    signed: Option<Signature>,
}

/// What stands in the file, and what it says.
struct Signature {
    segment: u64,
    placed: u64,
    bytes: Vec<u8>,
}

/// What the lock's file says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Holder {
    /// The process that took the lock last.
    pub process: u32,
    /// The current segment of the journal.
    pub segment: u64,
    /// The newest record at which every file was known to be in its place.
    pub placed: u64,
}

pub(crate) fn path() -> ProjectPath {
    ProjectPath::own("lock")
}

impl<F: Fs> Lock<F> {
    pub(crate) fn open(fs: &F) -> Result<Self, Fault> {
        let file = fs.open(&path(), Mode::Create)?;
        let inode = fs.stamp(&file)?.inode;
        Ok(Self { file, inode, signed: None })
    }

    /// Waits for the lock. `named` is told once who holds it, when that takes long and nobody else had it meanwhile: many
    /// who take turns are no reason to worry.
    pub(crate) fn take(&self, fs: &F, named: &dyn Fn(Holder, ProcessState)) -> Result<(), Fault> {
        let start = fs.now().steady;
        let mut told = false;
        let mut watched: Option<Holder> = None;
        let (mut since, mut next) = (start, start);
        while !fs.try_lock(&self.file)? {
            let now = fs.now().steady;
            if now >= next && !told {
                next = now + limits::LOCK_WATCHED;
                let holder = self.read(fs)?;
                if holder != watched {
                    (watched, since) = (holder, now);
                }
                if let (Some(holder), true) = (holder, now.saturating_sub(since) > limits::LOCK_NAMED) {
                    told = true;
                    named(holder, fs.process_state(holder.process));
                }
            }
            if now.saturating_sub(start) > limits::LOCK_PATIENCE {
                return Err(self.given_up(fs));
            }
            fs.pause(limits::LOCK_PAUSE);
        }
        Ok(())
    }

    /// Somebody may have removed the whole folder, as `git clean` does: then others begin a journal of their own, and
    /// what is written here is lost.
    pub(crate) fn check_in_place(&self, fs: &F) -> Result<(), Fault> {
        match fs.look(&path())? {
            Some(stamp) if stamp.inode == self.inode => Ok(()),
            _ => Err(Fault::new("use", &path(), FaultKind::Reopen, "somebody removed it")),
        }
    }

    pub(crate) fn give_up(&self, fs: &F) -> Result<(), Fault> {
        fs.unlock(&self.file)
    }

    /// Who took it last; nothing when the file says nothing sensible, as after a power loss.
    pub(crate) fn read(&self, fs: &F) -> Result<Option<Holder>, Fault> {
        let mut buffer = [0; WIDTH];
        let count = fs.read_at(&self.file, 0, &mut buffer)?;
        Ok(parse(&buffer[..count]))
    }

    /// Says that this process holds the lock, which segment is current, and up to where all files are in place: one who
    /// is killed while taking over what people did meanwhile leaves the next one as wise.
    /// Its name tells its signature from that of every other opening.
    pub(crate) fn sign(&mut self, fs: &F, opening: &str, segment: u64, placed: u64) -> Result<(), Fault> {
        let text = format!("pid {} segment {segment} placed {placed} opening {opening}", fs.process());
        let bytes = format!("{text:<width$}\n", width = WIDTH - 1).into_bytes();
        self.signed = None;
        fs.write_at(&self.file, 0, &bytes)?;
        self.signed = Some(Signature { segment, placed, bytes }).filter(|signature| signature.bytes.len() == WIDTH);
        Ok(())
    }

    /// Whether nobody has held the lock since this opening signed just this: then nobody has written anything either.
    pub(crate) fn is_as_signed(&self, fs: &F, segment: u64, placed: u64) -> Result<bool, Fault> {
        let Some(signed) = self.signed.as_ref().filter(|last| (last.segment, last.placed) == (segment, placed)) else {
            return Ok(false);
        };
        let mut buffer = [0; WIDTH];
        let count = fs.read_at(&self.file, 0, &mut buffer)?;
        Ok(buffer[..count] == signed.bytes[..])
    }

    fn given_up(&self, fs: &F) -> Fault {
        let reason = match self.read(fs) {
            Ok(Some(holder)) => advice(holder.process, fs.process_state(holder.process)),
            _ => "another process holds it".into(),
        };
        Fault::new("lock", &path(), FaultKind::Locked, reason)
    }
}

/// Who holds the lock and what a person can do about it.
pub(crate) fn advice(process: u32, state: ProcessState) -> String {
    match state {
        ProcessState::Stopped => format!(
            "process {process} holds it and is stopped; let it go on with `kill -CONT {process}`, or end it with `kill -KILL {process}`"
        ),
        _ => format!("process {process} holds it; wait for it, or end it with `kill {process}`"),
    }
}

/// Reads the content of the lock's file.
pub(crate) fn parse(content: &[u8]) -> Option<Holder> {
    let text = std::str::from_utf8(content).ok()?;
    let mut words = text.split_whitespace();
    let (Some("pid"), Some(process)) = (words.next(), words.next()) else { return None };
    let (Some("segment"), Some(segment)) = (words.next(), words.next()) else { return None };
    let placed = words.skip_while(|word| *word != "placed").nth(1).and_then(|number| number.parse().ok());
    Some(Holder { process: process.parse().ok()?, segment: segment.parse().ok()?, placed: placed.unwrap_or_default() })
}

/// Whether somebody has held the lock of a project, and so begun a journal; without taking it.
pub(crate) fn was_signed<F: Fs>(fs: &F) -> Result<bool, Fault> {
    let file = match fs.open(&path(), Mode::Read) {
        Err(fault) if fault.kind == FaultKind::Missing => return Ok(false),
        other => other?,
    };
    let mut buffer = [0; WIDTH];
    let count = fs.read_at(&file, 0, &mut buffer)?;
    Ok(parse(&buffer[..count]).is_some())
}
