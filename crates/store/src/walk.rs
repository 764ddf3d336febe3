//! The whole journal from its first record, read without a lock and without changing anything: what `verify`,
//! `history`, `undo` and `restore` stand on.

use text::Text;

use crate::blobs;
use crate::documents::Past;
use crate::fault::{Fault, FaultKind};
use crate::fs::{Fs, Mode};
use crate::journal::Head;
use crate::limits;
use crate::path::ProjectPath;
use crate::record::{DocumentRecord, Kind, Presence, Record, Sum};
use crate::segment::{self, Line, Until};

/// What is met on the way through the journal.
pub(crate) enum Step {
    /// A record in its place.
    Record(Box<Record>, Sum),
    /// Something that should not be so.
    Problem(Problem),
}

/// Something wrong with the journal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The file.
    pub path: ProjectPath,
    /// The line, from 1; 0 for the file as a whole.
    pub line: u64,
    /// The record concerned, as far as it can be told.
    pub record: Option<u64>,
    /// What is wrong.
    pub message: String,
}

/// Goes through the journal in order; a torn end, which any crash may leave, is passed over.
pub(crate) fn walk<F: Fs>(fs: &F, take: &mut dyn FnMut(Step) -> Result<(), Fault>) -> Result<Head, Fault> {
    let numbers = segment::numbers(fs)?;
    let mut walker = Walker { take, head: Head::default(), chained: true };
    let headers = walker.headers(fs, &numbers)?;
    for (index, (number, header)) in headers.iter().enumerate() {
        let file = &fs.open(&segment::path(*number), Mode::Read)?;
        let bound = headers[index + 1..].iter().find_map(|(_, header)| header.as_ref()).map(|(header, _)| header.first);
        let start = match header {
            Some((header, start)) => {
                walker.begin(*number, header)?;
                *start
            }
            None => 0,
        };
        walker.segment(fs, file, *number, start, bound)?;
    }
    Ok(walker.head)
}

struct Walker<'a> {
    take: &'a mut dyn FnMut(Step) -> Result<(), Fault>,
    head: Head,
    /// Whether the sum of the head is known, so that the next record can be held against it.
    chained: bool,
}

/// A segment's number, and its header with the offset of what follows, if it can be read.
type Headed = (u64, Option<(segment::Header, u64)>);

impl Walker<'_> {
    fn problem(&mut self, path: ProjectPath, line: u64, record: Option<u64>, message: String) -> Result<(), Fault> {
        (self.take)(Step::Problem(Problem { path, line, record, message }))
    }

    fn headers<F: Fs>(&mut self, fs: &F, numbers: &[u64]) -> Result<Vec<Headed>, Fault> {
        let mut headers: Vec<Headed> = Vec::with_capacity(numbers.len());
        for (index, number) in numbers.iter().enumerate() {
            if *number != index as u64 + 1 && (index == 0 || numbers[index - 1] + 1 != *number) {
                let message = format!("segment {} is missing", number - 1);
                self.problem(segment::path(number - 1), 0, None, message)?;
            }
            let file = fs.open(&segment::path(*number), Mode::Read)?;
            let header = match segment::header(fs, &file, *number) {
                Ok(header) => Some(header),
                Err(fault) if fault.kind == FaultKind::Damaged => {
                    self.problem(segment::path(*number), 1, None, fault.reason)?;
                    None
                }
                Err(fault) => return Err(fault),
            };
            headers.push((*number, header));
        }
        Ok(headers)
    }

    fn begin(&mut self, number: u64, header: &segment::Header) -> Result<(), Fault> {
        let expected = self.head.number + 1;
        if header.first > expected {
            let message = format!("{} before this segment", missing(expected, header.first));
            self.problem(segment::path(number), 1, Some(expected), message)?;
            self.chained = false;
        } else if header.first == expected && self.chained && header.prev != self.head.sum {
            let message =
                format!("the segment does not follow record {}: it was made for another journal", self.head.number);
            self.problem(segment::path(number), 1, Some(expected), message)?;
        }
        if !self.chained {
            self.head = Head { number: header.first - 1, sum: header.prev };
            self.chained = true;
        }
        Ok(())
    }

    fn segment<F: Fs>(
        &mut self,
        fs: &F,
        file: &F::File,
        number: u64,
        start: u64,
        bound: Option<u64>,
    ) -> Result<(), Fault> {
        let path = segment::path(number);
        let mut line_number = u64::from(start > 0);
        // Broken lines at the very end are what a crash leaves: they are told only when something follows.
        let mut held: Vec<(u64, String)> = Vec::new();
        segment::lines(fs, file, start, Until::End, |_, line| {
            line_number += 1;
            let expected = self.head.number + 1;
            if bound.is_some_and(|bound| expected >= bound) {
                return Ok(());
            }
            let entry = match line {
                Line::Broken(reason) => {
                    held.push((line_number, reason.to_string()));
                    return Ok(());
                }
                Line::Whole(entry) => entry,
            };
            // After a tear, whole records that were never acknowledged may stand behind it.
            if !held.is_empty() && bound.is_none() && entry.record.durable < expected {
                held.push((line_number, "it follows a torn record".into()));
                return Ok(());
            }
            for (line, reason) in held.drain(..) {
                let message = format!("record {} was changed: {reason}", self.head.number + 1);
                (self.take)(Step::Problem(Problem {
                    path: path.clone(),
                    line,
                    record: Some(self.head.number + 1),
                    message,
                }))?;
                self.head.number += 1;
                self.chained = false;
            }
            self.whole(&path, line_number, entry.record, entry.sum)
        })?;
        // Whoever is killed while writing leaves padding behind the torn end: without it, nobody was writing.
        let promised = match bound {
            Some(bound) => self.head.number + 1 < bound,
            None => !held.is_empty() && !segment::is_padded(fs, file)?,
        };
        if promised {
            for (line, reason) in held {
                let message = format!("record {} was changed: {reason}", self.head.number + 1);
                self.problem(path.clone(), line, Some(self.head.number + 1), message)?;
                self.head.number += 1;
                self.chained = false;
            }
        }
        Ok(())
    }

    fn whole(&mut self, path: &ProjectPath, line: u64, record: Record, sum: Sum) -> Result<(), Fault> {
        let expected = self.head.number + 1;
        let number = record.number;
        if number > expected {
            let message = format!("{} before it", missing(expected, number));
            self.problem(path.clone(), line, Some(expected), message)?;
        } else if number < expected {
            let message = format!("record {number} stands after record {}", self.head.number);
            return self.problem(path.clone(), line, Some(number), message);
        } else if self.chained && record.prev != self.head.sum {
            let message = format!("record {number} does not follow record {}: one of them was replaced", number - 1);
            self.problem(path.clone(), line, Some(number), message)?;
        }
        self.head = Head { number, sum };
        self.chained = true;
        (self.take)(Step::Record(Box::new(record), sum))
    }
}

fn missing(from: u64, before: u64) -> String {
    match before - from {
        1 => format!("record {from} is missing"),
        _ => format!("records {from} to {} are missing", before - 1),
    }
}

/// What records before `from` did to one document, oldest first: as many as are worth remembering.
pub(crate) fn past_of<F: Fs>(fs: &F, path: &ProjectPath, from: u64) -> Result<Vec<Past>, Fault> {
    let mut past: Vec<Past> = Vec::new();
    let mut bound = from;
    for number in segment::numbers(fs)?.into_iter().rev().take(limits::REMEMBERED_SEGMENTS) {
        let file = fs.open(&segment::path(number), Mode::Read)?;
        let (header, start) = segment::header(fs, &file, number)?;
        let mut here = Vec::new();
        segment::records_of(fs, &file, start, path, |record| {
            for doc in record.docs.into_iter().filter(|doc| doc.path == *path && record.number < bound) {
                let change = blobs::change(fs, &doc.edits)?;
                let version_before = record.number - 1;
                let found = doc.file.as_ref().map(|file| blobs::text(fs, file)).transpose()?;
                let by_hand = record.kind == Kind::Edit && found.is_none();
                let was = doc.was;
                here.push(Past { number: record.number, version_before, was, change, found, by_hand, retired: None });
            }
            Ok(())
        })?;
        bound = bound.min(header.first);
        here.append(&mut past);
        past = here;
        let bytes: usize = past.iter().map(|past| past.change.weight()).sum();
        if past.len() >= limits::REMEMBERED_CHANGES || bytes >= limits::REMEMBERED_BYTES {
            break;
        }
    }
    let extra = past.len().saturating_sub(limits::REMEMBERED_CHANGES);
    past.drain(..extra);
    Ok(past)
}

/// A version that was found in the journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Met {
    pub version: u64,
    /// The record that changed it; nothing while it is the newest.
    pub changed_by: Option<u64>,
}

/// The newest version of a document that some text is, or was merged into: follows all that the journal says of it, from
/// the first record on.
pub(crate) fn version_in_journal<F: Fs>(fs: &F, path: &ProjectPath, text: &Text) -> Result<Option<Met>, Fault> {
    let mut segments = Vec::new();
    for number in segment::numbers(fs)? {
        let file = fs.open(&segment::path(number), Mode::Read)?;
        let (header, start) = segment::header(fs, &file, number)?;
        segments.push((file, start, header.first));
    }
    let (mut known, mut met) = (None, None::<Met>);
    for (index, (file, start, _)) in segments.iter().enumerate() {
        // What a later segment begins anew does not count.
        let bound = segments[index + 1..].iter().map(|(.., first)| *first).min().unwrap_or(u64::MAX);
        segment::records_of(fs, file, *start, path, |record| {
            let number = record.number;
            for doc in record.docs.iter().filter(|doc| doc.path == *path && number < bound) {
                let before = known.take().filter(|_| record.kind != Kind::Adopt);
                // One that does not fit is damage, which is told of elsewhere.
                known = follow(fs, before.as_ref(), doc)?.flatten();
                met = met.map(|met| Met { changed_by: met.changed_by.or(Some(number)), ..met });
                let found = doc.file.as_ref().map(|file| blobs::text(fs, file)).transpose()?;
                if known.as_ref() == Some(text) {
                    met = Some(Met { version: number, changed_by: None });
                } else if found.as_ref() == Some(text) {
                    met = Some(Met { version: number - 1, changed_by: Some(number) });
                }
            }
            Ok(())
        })?;
    }
    Ok(met)
}

/// Whether people alone, with their own hands, changed a document after a version of it.
pub(crate) fn only_by_hand_since<F: Fs>(fs: &F, path: &ProjectPath, version: u64) -> Result<bool, Fault> {
    let mut only = true;
    for number in segment::numbers(fs)?.into_iter().rev() {
        let file = fs.open(&segment::path(number), Mode::Read)?;
        let (header, start) = segment::header(fs, &file, number)?;
        segment::records_of(fs, &file, start, path, |record| {
            let touched = record.docs.iter().any(|doc| doc.path == *path);
            only &= !(touched && record.number > version && record.kind != Kind::Edit);
            Ok(())
        })?;
        if !only || header.first <= version + 1 {
            break;
        }
    }
    Ok(only)
}

/// A document after what a record did to it; `None` when the record does not fit.
pub(crate) fn follow<F: Fs>(
    fs: &F,
    before: Option<&Text>,
    entry: &DocumentRecord,
) -> Result<Option<Option<Text>>, Fault> {
    let change = blobs::change(fs, &entry.edits)?;
    let text = before.cloned().unwrap_or_default();
    let fits = Presence::of(before) == entry.was;
    let after = change.apply(&text).ok().filter(|_| fits);
    Ok(after.map(|text| entry.now.is_present().then_some(text)))
}
