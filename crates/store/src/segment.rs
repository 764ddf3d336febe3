//! One file of the journal: a header line, records, padding of line feeds. A record overwrites padding, so that a
//! commit changes no file size and its sync writes data alone.

use serde::{Deserialize, Serialize};

use crate::fault::{Fault, FaultKind};
use crate::files;
use crate::fs::{Fs, Mode};
use crate::limits;
use crate::path::ProjectPath;
use crate::record::{NotARecord, Record, Sum, end_of_record, open_line, seal_line};

/// The version of the journal's format that this program writes. It reads this one and all before it.
pub(crate) const FORMAT: u32 = 1;

/// The first line of a segment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Header {
    multiverse: String,
    version: u32,
    /// The segment's own number, as in its name.
    pub segment: u64,
    /// The number of its first record.
    pub first: u64,
    /// The sum of the record before that.
    pub prev: Sum,
    /// The boot of the machine in which it was begun.
    pub boot: String,
}

/// A whole record as it stands in a segment.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    pub record: Record,
    pub sum: Sum,
    pub line: Vec<u8>,
}

/// What a line of a segment turned out to be.
#[derive(Debug)]
pub(crate) enum Line {
    Whole(Box<Entry>),
    Broken(NotARecord),
}

impl Header {
    pub(crate) fn new(segment: u64, first: u64, prev: Sum, boot: String) -> Self {
        Self { multiverse: "journal".into(), version: FORMAT, segment, first, prev, boot }
    }

    pub(crate) fn to_line(&self) -> Vec<u8> {
        // A header of numbers and short texts cannot fail to be JSON.
        serde_json::to_vec(self).and_then(seal_line).map(|(line, _)| line).unwrap_or_default()
    }
}

/// Where the journal is.
pub(crate) fn folder() -> ProjectPath {
    ProjectPath::own("journal")
}

/// Where a segment is.
pub(crate) fn path(segment: u64) -> ProjectPath {
    ProjectPath::own(&format!("journal/{segment:08}.jsonl"))
}

/// Makes the names of the segments durable, and those of the folders above them.
pub(crate) fn sync_names<F: Fs>(fs: &F) -> Result<(), Fault> {
    fs.sync_folder(Some(&folder()))?;
    fs.sync_folder(Some(&ProjectPath::own("")))?;
    fs.sync_folder(None)
}

/// The numbers of the segments that are there, in order.
pub(crate) fn numbers<F: Fs>(fs: &F) -> Result<Vec<u64>, Fault> {
    files::numbers(fs, &folder())
}

/// Reads the header; a version from the future is refused before anything else of it is looked at.
pub(crate) fn header<F: Fs>(fs: &F, file: &F::File, segment: u64) -> Result<(Header, u64), Fault> {
    let path = path(segment);
    let damaged = |reason: String| Fault::new("read", &path, FaultKind::Damaged, reason);
    let mut buffer = vec![0; 4096];
    let count = fs.read_at(file, 0, &mut buffer)?;
    let end = buffer[..count].iter().position(|byte| *byte == b'\n').map_or(count, |at| at + 1);
    let line = &buffer[..end];
    refuse_newer(line, &path)?;
    let (json, _) = open_line(line).map_err(|reason| damaged(format!("its first line is not a header: {reason}")))?;
    let header: Header =
        serde_json::from_slice(&json).map_err(|error| damaged(format!("its first line is not a header: {error}")))?;
    if header.segment != segment {
        return Err(damaged(format!("its header is that of segment {}", header.segment)));
    }
    Ok((header, end as u64))
}

/// A file of a later version may differ in everything but its first fields.
pub(crate) fn refuse_newer(line: &[u8], path: &ProjectPath) -> Result<(), Fault> {
    #[derive(Deserialize)]
    struct Version {
        version: u32,
    }
    let found = serde_json::from_slice::<Version>(line).map(|found| found.version);
    match found {
        Ok(version) if version > FORMAT => Err(Fault::new(
            "read",
            path,
            FaultKind::Unsupported,
            format!("it has format version {version}, this program knows {FORMAT}; use a newer multiverse"),
        )),
        _ => Ok(()),
    }
}

/// How far a segment is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Until {
    /// To the first stretch of padding: enough for one who knows where the last record ended a moment ago.
    Padding,
    /// To the end of the file, so that nothing can hide behind padding.
    End,
}

/// Reads the lines from an offset on; gives each that is not empty to `take` with its offset.
pub(crate) fn lines<F: Fs>(
    fs: &F,
    file: &F::File,
    offset: u64,
    until: Until,
    mut take: impl FnMut(u64, Line) -> Result<(), Fault>,
) -> Result<(), Fault> {
    raw_lines(fs, file, offset, until, |offset, line| {
        let (mut offset, mut line) = (offset, line);
        let mut read = read_line(line);
        // A line feed that was changed makes one line of two. No crash does: what is not written yet is line feeds too.
        while let (Line::Broken(_), Some(end)) = (&read, end_of_record(line)) {
            take(offset, Line::Broken(NotARecord::NoFeed))?;
            (offset, line) = (offset + end as u64 + 1, &line[end + 1..]);
            if line.is_empty() {
                return Ok(());
            }
            read = read_line(line);
        }
        take(offset, read)
    })
}

/// Reads the whole records that speak of a document, without taking the others apart.
pub(crate) fn records_of<F: Fs>(
    fs: &F,
    file: &F::File,
    offset: u64,
    path: &ProjectPath,
    mut take: impl FnMut(Record) -> Result<(), Fault>,
) -> Result<(), Fault> {
    let spelled = serde_json::to_string(path).unwrap_or_default();
    let finder = memchr::memmem::Finder::new(&spelled);
    raw_lines(fs, file, offset, Until::End, |_, line| match finder.find(line).map(|_| read_line(line)) {
        Some(Line::Whole(entry)) => take(entry.record),
        _ => Ok(()),
    })
}

/// So many bytes of padding are a stretch of it.
const STRETCH: usize = 64;

fn raw_lines<F: Fs>(
    fs: &F,
    file: &F::File,
    offset: u64,
    until: Until,
    mut take: impl FnMut(u64, &[u8]) -> Result<(), Fault>,
) -> Result<(), Fault> {
    let mut pending: Vec<u8> = Vec::new();
    let mut start = offset;
    // Most of the time there is nothing new, and a few bytes tell.
    let mut size = if until == Until::Padding { STRETCH } else { 4096 };
    loop {
        let mut buffer = vec![0; size];
        let count = fs.read_at(file, start + pending.len() as u64, &mut buffer)?;
        let at_end = count == 0;
        pending.extend_from_slice(&buffer[..count]);
        let mut used = 0;
        while let Some(length) = memchr::memchr(b'\n', &pending[used..]) {
            if length > 0 {
                take(start + used as u64, &pending[used..=used + length])?;
                used += length + 1;
                continue;
            }
            let blank = &pending[used..];
            let blank = blank.iter().position(|byte| *byte != b'\n').unwrap_or(blank.len());
            // There may be a megabyte of it: whoever only wants what is new need not look at all of that each time.
            if until == Until::Padding && blank >= STRETCH {
                return Ok(());
            }
            used += blank;
        }
        if at_end {
            if used < pending.len() {
                take(start + used as u64, &pending[used..])?;
            }
            return Ok(());
        }
        pending.drain(..used);
        start += used as u64;
        if pending.len() > limits::RECORD_BYTES {
            return take(start, &pending);
        }
        size = (size * 16).min(1 << 20);
    }
}

fn read_line(line: &[u8]) -> Line {
    // Without its line feed it cannot stay: the next record would stand on the same line.
    let whole = if line.ends_with(b"\n") { Record::from_line(line) } else { Err(NotARecord::NoSum) };
    match whole {
        Ok((record, sum)) => Line::Whole(Box::new(Entry { record, sum, line: line.to_vec() })),
        Err(reason) => Line::Broken(reason),
    }
}

/// Whether padding stands at the end of the file, as it does while somebody writes; or zeros, where the padding went
/// with a sync that failed. One changed byte makes neither of the end of a record.
pub(crate) fn is_padded<F: Fs>(fs: &F, file: &F::File) -> Result<bool, Fault> {
    let mut end = [0; 2];
    let size = fs.stamp(file)?.size;
    let count = fs.read_at(file, size.saturating_sub(2), &mut end)?;
    Ok(count == 2 && matches!(&end, b"\n\n" | b"\n\0" | b"\0\0"))
}

/// Makes a segment, durable with its name, holding `lines` after the header; gives it and the offset of its end.
pub(crate) fn create<F: Fs>(fs: &F, header: &Header, lines: &[u8]) -> Result<(F::File, u64), Fault> {
    let part = ProjectPath::own(&format!("journal/{:08}.part", header.segment));
    fs.make_folder(&folder())?;
    if fs.look(&part)?.is_some() {
        fs.remove(&part)?;
    }
    let file = fs.open(&part, Mode::CreateNew)?;
    let mut content = header.to_line();
    content.extend_from_slice(lines);
    let end = content.len() as u64;
    content.resize(content.len() + limits::PADDING_BYTES, b'\n');
    fs.write_at(&file, 0, &content)?;
    fs.sync(&file)?;
    fs.rename_new(&part, &path(header.segment))?;
    fs.sync_folder(Some(&folder()))?;
    Ok((file, end))
}
