//! The journal of one project as one process has it open: where it ends, what of it is durable. Everything here
//! but `sync` happens under the project's lock.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::fault::{Fault, FaultKind};
use crate::fs::{Fs, Mode};
use crate::limits;
use crate::record::{NotARecord, Sum};
use crate::segment::{self, Entry, Header, Line, Until};

/// The last record of a journal, or of a checkpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Head {
    /// Its number; 0 before the first.
    pub number: u64,
    /// Its sum, which proves all before it.
    pub sum: Sum,
}

pub(crate) struct Journal<F: Fs> {
    /// Shared with those who sync it while others append.
    file: Arc<F::File>,
    pub(crate) header: Header,
    /// The offset behind the last record.
    end: u64,
    /// How long the file was when it was last looked at.
    length: u64,
    pub(crate) head: Head,
    /// All records up to this one are on the disk.
    pub(crate) durable: u64,
    /// The lines after that one, to write them anew should a sync fail.
    unsynced: VecDeque<Vec<u8>>,
    pub(crate) bytes_since_checkpoint: u64,
    /// Whether it had been closed when it was opened here, so that nobody else was at work.
    pub(crate) was_closed: bool,
    /// What was cut off its end when it was opened after a restart of the machine.
    pub(crate) cut: Option<Vec<u8>>,
    /// A sync of this file failed, so another one would prove nothing.
    failed: Option<Fault>,
}

/// A sync of the journal that is under way.
pub(crate) struct Syncing<F: Fs> {
    pub file: Arc<F::File>,
    segment: u64,
    number: u64,
}

/// What reading a stretch of the journal brought.
#[derive(Debug)]
struct Stretch {
    entries: Vec<Entry>,
    end: u64,
    head: Head,
    /// Bytes behind the end that belong to no record.
    torn: bool,
}

/// A journal, its records after some head, and how it was left.
pub(crate) type Opened<F> = (Journal<F>, Vec<Entry>, Boot);

/// How the journal was left by those before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Boot {
    /// By a process of this boot: what it wrote is all there.
    Same,
    /// Before the machine was started anew, by processes that had closed it: nothing was under way.
    Restarted,
    /// By processes that were still at work when the machine stopped: only what was synced is there.
    Crashed,
}

impl<F: Fs> Journal<F> {
    /// Begins the journal of a new project.
    pub(crate) fn begin(fs: &F) -> Result<Self, Fault> {
        Self::begin_segment(fs, 1, Head::default(), &[])
    }

    /// Opens the journal, mends its end, and gives the records after `from`.
    pub(crate) fn open(fs: &F, segments: &[u64], from: Head) -> Result<Opened<F>, Fault> {
        let mut opened = Vec::new();
        for number in segments.iter().rev() {
            let file = fs.open(&segment::path(*number), Mode::Write)?;
            let (header, end) = segment::header(fs, &file, *number)?;
            let reaches_back = header.first <= from.number + 1;
            opened.push((file, header, end));
            if reaches_back {
                break;
            }
        }
        opened.reverse();
        // Whoever made the newest segment may not have lived to make its name durable.
        segment::sync_names(fs)?;
        let mut head = opened.first().map_or(Head::default(), |(_, header, _)| before(header));
        let mut entries = Vec::new();
        let bounds: Vec<u64> = opened.iter().skip(1).map(|(_, header, _)| header.first).chain([u64::MAX]).collect();
        let mut last = None;
        let mut met = head == from;
        for ((file, header, start), bound) in opened.into_iter().zip(bounds) {
            follows(&header, head)?;
            let stretch = read(fs, &file, &header, start, head, Until::End, bound)?;
            head = stretch.head;
            met |= stretch.entries.iter().any(|entry| entry.record.number == from.number && entry.sum == from.sum);
            entries.extend(stretch.entries.into_iter().filter(|entry| entry.record.number > from.number));
            last = Some((file, header, stretch.end, stretch.torn));
        }
        let Some((file, header, end, torn)) = last else {
            let reason = "the segment that follows the checkpoint is missing";
            return Err(Fault::new("read", &segment::folder(), FaultKind::Damaged, reason));
        };
        if !met {
            let reason = format!("record {} is not the one that the checkpoint was made of", from.number);
            return Err(Fault::new("read", &segment::folder(), FaultKind::Damaged, reason));
        }
        let length = fs.stamp(&file)?.size;
        // Whoever closes the journal takes the padding off.
        let boot = match header.boot == fs.boot_id() {
            true => Boot::Same,
            false if length == end => Boot::Restarted,
            false => Boot::Crashed,
        };
        let bytes_since_checkpoint = entries.iter().map(|entry| entry.line.len() as u64).sum();
        let mut journal = Self {
            file: Arc::new(file),
            header,
            end,
            length,
            head,
            durable: 0,
            unsynced: VecDeque::new(),
            bytes_since_checkpoint,
            was_closed: length == end,
            cut: None,
            failed: None,
        };
        if torn {
            journal.mend_tail(fs, boot)?;
        }
        journal.make_durable(fs, &entries)?;
        Ok((journal, entries, boot))
    }

    /// Reads what other processes appended, and cuts what one of them left unfinished. After a fault `entries` holds
    /// what was read before it.
    pub(crate) fn catch_up(&mut self, fs: &F, current: u64, entries: &mut Vec<Entry>) -> Result<(), Fault> {
        let first = self.header.segment;
        loop {
            // Whoever closed the journal meanwhile took the padding off.
            self.length = self.length.min(fs.stamp(&self.file)?.size);
            let stretch = read(fs, &self.file, &self.header, self.end, self.head, Until::Padding, u64::MAX)?;
            self.head = stretch.head;
            self.end = stretch.end;
            for entry in &stretch.entries {
                self.unsynced.push_back(entry.line.clone());
                self.bytes_since_checkpoint += entry.line.len() as u64;
            }
            entries.extend(stretch.entries);
            // The lock may announce a segment that its holder did not live to make.
            let next = segment::path(self.header.segment + 1);
            if self.header.segment >= current || fs.look(&next)?.is_none() {
                if stretch.torn {
                    self.cut_tail(fs)?;
                }
                // Whoever opens a file late does not hear of the syncs of it that failed before.
                if self.header.segment > first {
                    self.write_again(fs, entries).map_err(|fault| Fault { kind: FaultKind::Reopen, ..fault })?;
                }
                return Ok(());
            }
            self.move_on(fs)?;
        }
    }

    /// Whether somebody seems to have written behind what is known here. Looked at without the lock: a hint.
    pub(crate) fn looks_grown(&self, fs: &F) -> Result<bool, Fault> {
        let mut next = [b'\n'];
        let count = fs.read_at(&self.file, self.end, &mut next)?;
        Ok((count == 1 && next != [b'\n']) || fs.look(&segment::path(self.header.segment + 1))?.is_some())
    }

    /// Writes whole lines at the end, and keeps them until they are durable. After a fault none of them counts, and they
    /// are left where they were.
    pub(crate) fn append(&mut self, fs: &F, lines: &mut Vec<(Vec<u8>, Sum)>) -> Result<(), Fault> {
        if fs.only_looks() {
            let reason = "the project was opened to look at it; nothing can be changed";
            return Err(Fault::new("write", &segment::folder(), FaultKind::Unsupported, reason));
        }
        let mut bytes = Vec::with_capacity(lines.iter().map(|(line, _)| line.len()).sum());
        lines.iter().for_each(|(line, _)| bytes.extend_from_slice(line));
        let after = self.end + bytes.len() as u64;
        self.pad(fs, after)?;
        if let Err(fault) = fs.write_at(&self.file, self.end, &bytes) {
            self.blank(fs, after)?;
            return Err(fault);
        }
        self.end = after;
        self.bytes_since_checkpoint += bytes.len() as u64;
        for (line, sum) in lines.drain(..) {
            self.head = Head { number: self.head.number + 1, sum };
            self.unsynced.push_back(line);
        }
        Ok(())
    }

    /// Makes everything up to the head durable. Needs no lock: a sync covers all that was written before it began.
    pub(crate) fn sync(&mut self, fs: &F) -> Result<(), Fault> {
        if self.durable == self.head.number {
            return Ok(());
        }
        let syncing = self.to_sync();
        let result = self.failed.clone().map_or_else(|| fs.sync(&syncing.file), Err);
        self.synced(&syncing, result)
    }

    /// Lets the disk begin with what was written since the last sync.
    pub(crate) fn begin_sync(&self, fs: &F) {
        let length: usize = self.unsynced.iter().map(Vec::len).sum();
        if length > 0 && self.failed.is_none() {
            fs.begin_sync(&self.file, self.end.saturating_sub(length as u64), length as u64);
        }
    }

    /// What a sync that begins now will make durable.
    pub(crate) fn to_sync(&self) -> Syncing<F> {
        Syncing { file: self.file.clone(), segment: self.header.segment, number: self.head.number }
    }

    /// Takes in how a sync ended.
    pub(crate) fn synced(&mut self, syncing: &Syncing<F>, result: Result<(), Fault>) -> Result<(), Fault> {
        match result {
            Ok(()) => {
                while self.durable < syncing.number {
                    self.durable += 1;
                    self.unsynced.pop_front();
                }
                Ok(())
            }
            // By now another segment may have taken this one's place, with all that was in it.
            Err(_) if self.header.segment != syncing.segment => Ok(()),
            Err(fault) => {
                self.failed = Some(fault.clone());
                Err(fault)
            }
        }
    }

    /// After a failed sync this file is never synced again, since the system may have dropped what it could not
    /// write: the lines not known to be durable are written anew, into a new segment.
    pub(crate) fn replace_segment(&mut self, fs: &F) -> Result<(), Fault> {
        let lines: Vec<u8> = self.unsynced.iter().flatten().copied().collect();
        let prev = self.header.prev;
        let first = self.durable + 1;
        let prev = if first == self.header.first { prev } else { self.sum_of(fs, self.durable)? };
        let start = Head { number: self.durable, sum: prev };
        let bytes = self.bytes_since_checkpoint;
        let head = self.head;
        *self = Self::begin_segment(fs, self.header.segment + 1, start, &lines)?;
        self.head = head;
        self.durable = head.number;
        self.bytes_since_checkpoint = bytes;
        Ok(())
    }

    /// Ends this segment, all of it durable, and begins the next.
    pub(crate) fn next_segment(&mut self, fs: &F) -> Result<(), Fault> {
        self.sync(fs)?;
        let mut next = Self::begin_segment(fs, self.header.segment + 1, self.head, &[])?;
        self.trim(fs)?;
        next.bytes_since_checkpoint = self.bytes_since_checkpoint;
        *self = next;
        Ok(())
    }

    /// Takes the padding off, for those who open the file with other programs.
    pub(crate) fn trim(&mut self, fs: &F) -> Result<(), Fault> {
        fs.truncate(&self.file, self.end)?;
        self.length = self.end;
        Ok(())
    }

    fn begin_segment(fs: &F, number: u64, start: Head, lines: &[u8]) -> Result<Self, Fault> {
        let header = Header::new(number, start.number + 1, start.sum, fs.boot_id());
        let (file, end) = segment::create(fs, &header, lines)?;
        let length = end + limits::PADDING_BYTES as u64;
        Ok(Self {
            file: Arc::new(file),
            header,
            end,
            length,
            head: start,
            durable: start.number,
            unsynced: VecDeque::new(),
            bytes_since_checkpoint: 0,
            was_closed: false,
            cut: None,
            failed: None,
        })
    }

    /// Opens the segment after this one, which another process began.
    fn move_on(&mut self, fs: &F) -> Result<(), Fault> {
        let number = self.header.segment + 1;
        let file = fs.open(&segment::path(number), Mode::Write)?;
        let (header, start) = segment::header(fs, &file, number)?;
        if header.first > self.head.number + 1 {
            let reason = format!("it begins with record {}, {} is the last known", header.first, self.head.number);
            return Err(Fault::new("read", &segment::path(number), FaultKind::Reopen, reason));
        }
        // What was not durable may stand here once more, word for word.
        let known = self.head.number;
        let mut end = start;
        let mut same = header.first == known + 1;
        let mut durable = self.durable;
        let mut found = Vec::new();
        segment::lines(fs, &file, start, Until::Padding, |offset, line| {
            let Line::Whole(entry) = line else { return Ok(()) };
            if entry.record.number <= known {
                end = offset + entry.line.len() as u64;
                same |= entry.record.number == known && entry.sum == self.head.sum;
            }
            durable = durable.max(entry.record.durable);
            found.push((offset, entry));
            Ok(())
        })?;
        if !same {
            let reason = format!("record {known} is not the one that this process knows");
            return Err(Fault::new("read", &segment::path(number), FaultKind::Reopen, reason));
        }
        // A sync of it may have failed before it was opened here: then one of ours would not be told.
        for (offset, entry) in found.iter().filter(|(_, entry)| entry.record.number > durable) {
            fs.write_at(&file, *offset, &entry.line)?;
        }
        // Nor may the one who made it have lived to make its name durable.
        segment::sync_names(fs)?;
        let length = fs.stamp(&file)?.size;
        (self.file, self.header, self.end, self.length, self.failed) = (Arc::new(file), header, end, length, None);
        Ok(())
    }

    /// The sum of a record of this segment.
    fn sum_of(&self, fs: &F, number: u64) -> Result<Sum, Fault> {
        let mut found = None;
        let (_, start) = segment::header(fs, &self.file, self.header.segment)?;
        segment::lines(fs, &self.file, start, Until::Padding, |_, line| {
            if let Line::Whole(entry) = line
                && entry.record.number == number
            {
                found = Some(entry.sum);
            }
            Ok(())
        })?;
        found.ok_or_else(|| {
            let reason = format!("record {number} cannot be read back");
            Fault::new("read", &segment::path(self.header.segment), FaultKind::Reopen, reason)
        })
    }

    /// Sees that padding reaches past `after`, so that the record's own write cannot run out of space halfway.
    fn pad(&mut self, fs: &F, after: u64) -> Result<(), Fault> {
        if after < self.length {
            return Ok(());
        }
        self.length = fs.stamp(&self.file)?.size;
        if after < self.length {
            return Ok(());
        }
        let from = self.length.max(self.end);
        // The longer the segment, the more at once: a sync that extends the file waits for everything the file system
        // has to say of other files, too.
        let to = after + self.end.clamp(limits::PADDING_BYTES as u64, limits::MOST_PADDING_BYTES);
        let padding = vec![b'\n'; usize::try_from(to - from).unwrap_or(limits::PADDING_BYTES)];
        fs.write_at(&self.file, from, &padding)?;
        self.length = to;
        Ok(())
    }

    fn blank(&mut self, fs: &F, to: u64) -> Result<(), Fault> {
        let padding = vec![b'\n'; usize::try_from(to - self.end).unwrap_or_default()];
        fs.write_at(&self.file, self.end, &padding).map_err(|fault| Fault { kind: FaultKind::Reopen, ..fault })
    }

    /// Cuts what stands behind the last record, if a crash can have left it there.
    fn mend_tail(&mut self, fs: &F, boot: Boot) -> Result<(), Fault> {
        // Whoever is killed while writing leaves padding behind; a journal without it had been closed.
        if boot == Boot::Same && !segment::is_padded(fs, &self.file)? {
            let reason = format!("record {} is damaged; run `multiverse verify`", self.head.number + 1);
            return Err(Fault::new("read", &segment::path(self.header.segment), FaultKind::Damaged, reason));
        }
        if boot != Boot::Same {
            self.cut = Some(self.tail(fs)?).filter(|tail| !tail.is_empty());
        }
        self.cut_tail(fs)
    }

    /// What stands behind the last record, but for padding and zeros.
    fn tail(&self, fs: &F) -> Result<Vec<u8>, Fault> {
        let size = fs.stamp(&self.file)?.size.saturating_sub(self.end);
        let mut tail = vec![0; usize::try_from(size).unwrap_or_default().min(limits::RECORD_BYTES)];
        let count = fs.read_at(&self.file, self.end, &mut tail)?;
        tail.truncate(count);
        let length = tail.iter().rposition(|byte| !matches!(byte, 0 | b'\n')).map_or(0, |last| last + 1);
        tail.truncate(length);
        Ok(tail)
    }

    /// Makes padding of everything behind the last record.
    fn cut_tail(&mut self, fs: &F) -> Result<(), Fault> {
        self.length = fs.stamp(&self.file)?.size;
        let to = self.length.max(self.end);
        self.blank(fs, to)
    }

    /// A record that was found whole counts as committed, so it must be durable before anything builds on it.
    fn make_durable(&mut self, fs: &F, entries: &[Entry]) -> Result<(), Fault> {
        self.write_again(fs, entries)?;
        fs.sync(&self.file)?;
        self.durable = self.head.number;
        Ok(())
    }

    /// Writes the records of this segment that nobody knows to be durable once more: after a sync that failed in
    /// another process, a sync alone might do nothing.
    fn write_again(&self, fs: &F, entries: &[Entry]) -> Result<(), Fault> {
        let known = entries.iter().map(|entry| entry.record.durable).max().unwrap_or(self.header.first - 1);
        let unsure: Vec<u8> = entries
            .iter()
            .filter(|entry| entry.record.number > known && entry.record.number >= self.header.first)
            .flat_map(|entry| entry.line.iter().copied())
            .collect();
        fs.write_at(&self.file, self.end - unsure.len() as u64, &unsure)
    }
}

fn before(header: &Header) -> Head {
    Head { number: header.first - 1, sum: header.prev }
}

/// A segment must begin where the one before it ended, or where that one's durable part did.
fn follows(header: &Header, head: Head) -> Result<(), Fault> {
    if before(header) == head {
        return Ok(());
    }
    let reason = format!(
        "it does not follow what is before it: record {} with sum {} is expected there; run `multiverse verify`",
        header.first - 1,
        header.prev
    );
    Err(Fault::new("read", &segment::path(header.segment), FaultKind::Damaged, reason))
}

/// Reads whole records in their order from an offset on, up to but not including record `bound`.
fn read<F: Fs>(
    fs: &F,
    file: &F::File,
    header: &Header,
    start: u64,
    head: Head,
    until: Until,
    bound: u64,
) -> Result<Stretch, Fault> {
    let mut stretch = Stretch { entries: Vec::new(), end: start, head, torn: false };
    let mut broken: Option<(u64, String)> = None;
    segment::lines(fs, file, start, until, |offset, line| {
        let expected = stretch.head.number + 1;
        if expected >= bound {
            return Ok(());
        }
        match line {
            Line::Whole(entry) if broken.is_none() && fits(&entry, stretch.head) => {
                stretch.end = offset + entry.line.len() as u64;
                stretch.head = Head { number: expected, sum: entry.sum };
                stretch.entries.push(*entry);
            }
            // Its writer knew that the broken one was on the disk: so it was, and something changed it since.
            Line::Whole(entry) if entry.record.durable >= expected => {
                let reason = broken.take().map_or_else(|| misfit(&entry, stretch.head), |(_, reason)| reason);
                let reason = format!("record {expected} is damaged: {reason}; run `multiverse verify`");
                return Err(Fault::new("read", &segment::path(header.segment), FaultKind::Damaged, reason));
            }
            Line::Whole(entry) => note(&mut broken, offset, misfit(&entry, stretch.head)),
            // A tear leaves no checksum that fits: this is a whole record, of a program that knows more.
            Line::Broken(NotARecord::Fields(reason)) => {
                let reason = format!("record {expected} is not understood ({reason}); use a newer multiverse");
                return Err(Fault::new("read", &segment::path(header.segment), FaultKind::Unsupported, reason));
            }
            Line::Broken(reason) => note(&mut broken, offset, reason.to_string()),
        }
        Ok(())
    })?;
    if broken.is_some() && bound != u64::MAX {
        let reason = format!("record {} is damaged; run `multiverse verify`", stretch.head.number + 1);
        return Err(Fault::new("read", &segment::path(header.segment), FaultKind::Damaged, reason));
    }
    stretch.torn = broken.is_some();
    Ok(stretch)
}

fn note(broken: &mut Option<(u64, String)>, offset: u64, reason: String) {
    broken.get_or_insert((offset, reason));
}

fn fits(entry: &Entry, head: Head) -> bool {
    entry.record.number == head.number + 1 && entry.record.prev == head.sum
}

fn misfit(entry: &Entry, head: Head) -> String {
    match entry.record.number == head.number + 1 {
        true => NotARecord::WrongSum.to_string(),
        false => format!("record {} stands in its place", entry.record.number),
    }
}
