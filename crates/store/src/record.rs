//! A record of the journal and the line it is written as: numbered, checksummed, chained to the one before.
//! docs/formats/journal.md describes every field.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::path::ProjectPath;

/// The checksum of a line: the first 16 bytes of BLAKE3, as 32 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(try_from = "String")]
pub struct Sum([u8; 16]);

/// One thing that happened, all or nothing.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Record {
    /// Its place in the journal, from 1 without gaps.
    #[serde(rename = "n")]
    pub number: u64,
    /// The sum of the record before.
    pub prev: Sum,
    /// When, by the clock of the machine that wrote it.
    pub at: String,
    /// The highest number that its writer knew to be on the disk.
    pub durable: u64,
    /// What kind of deed.
    pub kind: Kind,
    /// Why, in words for people.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub cause: String,
    /// What it did to documents.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub docs: Vec<DocumentRecord>,
    /// Documents that are not looked at any more when a project is opened.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub retire: Vec<ProjectPath>,
    /// Bytes put aside by a recovery.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub found: Vec<Found>,
    /// Facts and effects; the store does not look into it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<Box<RawValue>>,
}

/// The kinds of deed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A step of the engine.
    Commit,
    /// A person or another program changed documents.
    Edit,
    /// Documents that were there came under the journal.
    Adopt,
    /// An earlier record was taken back.
    Undo,
    /// A document was put back to an earlier version.
    Restore,
    /// After a crash, bytes were found that nobody had committed.
    Recovery,
}

/// What a record did to one document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DocumentRecord {
    /// Which.
    pub path: ProjectPath,
    /// Whether it was there before.
    #[serde(default, skip_serializing_if = "Presence::is_present")]
    pub was: Presence,
    /// Whether it is there after.
    #[serde(default, skip_serializing_if = "Presence::is_present")]
    pub now: Presence,
    /// For an edit by hand: the record whose version it started from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<u64>,
    /// For an edit by hand: how many places the engine had changed meanwhile, too. The person's text stands there.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub clashes: usize,
    /// For an edit by hand that was merged: the whole file as it was found, so that it is known when met again, and
    /// the edit that is made in it next.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<Piece>,
    /// The places, in order, counted in the document before.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub edits: Vec<Edit>,
}

/// Whether a document exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Presence {
    /// It does.
    #[default]
    Present,
    /// It does not.
    Absent,
}

/// One place of a document that changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Edit {
    /// Where, in bytes.
    pub at: usize,
    /// What went.
    #[serde(default, skip_serializing_if = "Piece::is_empty")]
    pub cut: Piece,
    /// What came.
    #[serde(default, skip_serializing_if = "Piece::is_empty")]
    pub put: Piece,
}

/// Bytes in a record: as text, or as the name of a blob when they are long or not UTF-8.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Piece {
    /// The text itself.
    Text(String),
    /// A file in `.multiverse/blobs/`.
    Blob {
        /// Its name: the BLAKE3 digest of its content.
        blob: String,
        /// Its size in bytes.
        size: usize,
    },
}

/// Bytes that a recovery put aside.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Found {
    /// The document they were found in the place of.
    pub path: ProjectPath,
    /// Where they are now.
    pub kept: ProjectPath,
}

/// Why a line is not a record.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotARecord {
    /// It does not end as records do.
    #[error("it is cut short or overwritten: the checksum at its end is missing")]
    NoSum,
    /// A whole record, and then something else.
    #[error("the line feed at its end was changed")]
    NoFeed,
    /// The checksum is of other bytes.
    #[error("its content does not match its checksum")]
    WrongSum,
    /// The checksum is right, but the content is not understood.
    #[error("its fields are not those of a record: {0}")]
    Fields(String),
}

/// About how long lines are: room for one is made at once.
const LINE_GUESS: usize = 2048;
const SUM_FIELD: &str = ",\"sum\":\"";
const SUM_TAIL: usize = SUM_FIELD.len() + 32 + 2;

impl Record {
    /// The line that stands for this record, its line feed included, and its sum.
    pub fn to_line(&self) -> Result<(Vec<u8>, Sum), serde_json::Error> {
        let mut json = Vec::with_capacity(LINE_GUESS);
        serde_json::to_writer(&mut json, self)?;
        seal_line(json)
    }

    /// The most bytes that its line can have: every byte of a text may become six (`\u0000`).
    pub(crate) fn longest(&self) -> usize {
        const FRAME: usize = 512;
        let piece = |piece: &Piece| match piece {
            Piece::Text(text) => text.len(),
            Piece::Blob { blob, .. } => blob.len(),
        };
        let edits =
            |edits: &[Edit]| -> usize { edits.iter().map(|edit| piece(&edit.cut) + piece(&edit.put) + FRAME).sum() };
        let docs = self
            .docs
            .iter()
            .map(|doc| doc.path.as_str().len() + doc.file.as_ref().map_or(0, piece) + edits(&doc.edits) + FRAME);
        let retired = self.retire.iter().map(|path| path.as_str().len() + FRAME);
        let found = self.found.iter().map(|found| found.path.as_str().len() + found.kept.as_str().len() + FRAME);
        let texts: usize = self.cause.len() + docs.chain(retired).chain(found).sum::<usize>();
        FRAME + 6 * texts + self.body.as_ref().map_or(0, |body| body.get().len())
    }

    /// Reads a line, with or without its line feed.
    pub fn from_line(line: &[u8]) -> Result<(Self, Sum), NotARecord> {
        let (content, sum) = open_line(line)?;
        let record = serde_json::from_slice(&content).map_err(|error| NotARecord::Fields(error.to_string()))?;
        Ok((record, sum))
    }
}

/// Ends a JSON object with its checksum and a line feed.
pub(crate) fn seal_line(mut json: Vec<u8>) -> Result<(Vec<u8>, Sum), serde_json::Error> {
    // Raw values may hold line feeds between their tokens, never within: a blank means the same.
    while let Some(at) = memchr::memchr2(b'\n', b'\r', &json) {
        json[at] = b' ';
    }
    json.pop();
    let sum = Sum::of(&json);
    json.extend_from_slice(SUM_FIELD.as_bytes());
    json.extend_from_slice(&sum.digits());
    json.extend_from_slice(b"\"}\n");
    Ok((json, sum))
}

/// Checks a line's checksum and gives back the JSON object without it.
pub(crate) fn open_line(line: &[u8]) -> Result<(Vec<u8>, Sum), NotARecord> {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let split = line.len().checked_sub(SUM_TAIL).ok_or(NotARecord::NoSum)?;
    let (content, tail) = line.split_at(split);
    let tail = std::str::from_utf8(tail).map_err(|_| NotARecord::NoSum)?;
    let digits = tail.strip_prefix(SUM_FIELD).and_then(|rest| rest.strip_suffix("\"}")).ok_or(NotARecord::NoSum)?;
    let sum: Sum = digits.parse().map_err(|_| NotARecord::NoSum)?;
    if Sum::of(content) != sum {
        return Err(NotARecord::WrongSum);
    }
    let mut json = content.to_vec();
    json.push(b'}');
    Ok((json, sum))
}

/// Where a whole record ends that a line begins with but does not end with.
pub(crate) fn end_of_record(line: &[u8]) -> Option<usize> {
    let ends = memchr::memmem::find_iter(line, SUM_FIELD).map(|at| at + SUM_TAIL);
    ends.filter(|end| *end < line.len()).find(|end| open_line(&line[..*end]).is_ok())
}

impl Sum {
    /// The sum of some bytes.
    pub fn of(bytes: &[u8]) -> Self {
        let mut sum = [0; 16];
        sum.copy_from_slice(&blake3::hash(bytes).as_bytes()[..16]);
        Self(sum)
    }

    fn digits(self) -> [u8; 32] {
        let mut digits = [0; 32];
        for (pair, byte) in digits.chunks_exact_mut(2).zip(self.0) {
            pair[0] = b"0123456789abcdef"[usize::from(byte >> 4)];
            pair[1] = b"0123456789abcdef"[usize::from(byte & 15)];
        }
        digits
    }
}

impl fmt::Display for Sum {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(std::str::from_utf8(&self.digits()).map_err(|_| fmt::Error)?)
    }
}

impl fmt::Debug for Sum {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, out)
    }
}

/// A text that is not 32 hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a digest has 32 digits 0-9 a-f")]
pub struct NotASum;

impl FromStr for Sum {
    type Err = NotASum;
    fn from_str(text: &str) -> Result<Self, NotASum> {
        let mut sum = [0; 16];
        if text.len() != 32 || !text.bytes().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f')) {
            return Err(NotASum);
        }
        for (index, byte) in sum.iter_mut().enumerate() {
            *byte = u8::from_str_radix(&text[2 * index..2 * index + 2], 16).map_err(|_| NotASum)?;
        }
        Ok(Self(sum))
    }
}

impl TryFrom<String> for Sum {
    type Error = NotASum;
    fn try_from(text: String) -> Result<Self, NotASum> {
        text.parse()
    }
}

impl Serialize for Sum {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(std::str::from_utf8(&self.digits()).map_err(serde::ser::Error::custom)?)
    }
}

impl Presence {
    /// Present when there is something.
    pub fn of<T>(content: Option<&T>) -> Self {
        if content.is_some() { Self::Present } else { Self::Absent }
    }

    /// Whether it is there.
    pub fn is_present(&self) -> bool {
        *self == Self::Present
    }
}

impl Piece {
    /// Whether it stands for no bytes.
    pub fn is_empty(&self) -> bool {
        matches!(self, Self::Text(text) if text.is_empty())
    }

    /// How many bytes it stands for.
    pub fn len(&self) -> usize {
        match self {
            Self::Text(text) => text.len(),
            Self::Blob { size, .. } => *size,
        }
    }
}

impl Default for Piece {
    fn default() -> Self {
        Self::Text(String::new())
    }
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record() -> Record {
        Record {
            number: 7,
            prev: Sum::of(b"before"),
            at: "2026-11-15T12:00:00Z".into(),
            durable: 6,
            kind: Kind::Commit,
            cause: "a \"cause\"\nof two lines".into(),
            docs: vec![DocumentRecord {
                path: ProjectPath::document("db/a.md").unwrap(),
                was: Presence::Absent,
                now: Presence::Present,
                base: None,
                clashes: 0,
                file: None,
                edits: vec![Edit { at: 0, cut: Piece::default(), put: Piece::Text("| é |\r\n".into()) }],
            }],
            retire: vec![],
            found: vec![],
            body: Some(RawValue::from_string("{\"facts\":\n [1]}".into()).unwrap()),
        }
    }

    #[test]
    fn a_line_is_read_back_as_the_record_it_was_made_of() {
        let (line, sum) = record().to_line().unwrap();
        assert_eq!(line.iter().filter(|byte| **byte == b'\n').count(), 1);
        let (read, same) = Record::from_line(&line).unwrap();
        assert_eq!(sum, same);
        assert_eq!(read.docs, record().docs);
        assert_eq!(read.cause, record().cause);
        assert_eq!(read.body.unwrap().get(), "{\"facts\":  [1]}");
    }

    #[test]
    fn no_line_is_longer_than_a_record_says() {
        let mut odd = record();
        let long: String = std::iter::repeat_n('\u{1}', 10_000).collect();
        (odd.cause, odd.retire) = (long.clone(), odd.docs.iter().map(|doc| doc.path.clone()).collect());
        odd.docs[0].edits.push(Edit { at: usize::MAX, cut: Piece::Text(long.clone()), put: Piece::Text(long) });
        for record in [record(), odd] {
            let (line, _) = record.to_line().unwrap();
            assert!(line.len() <= record.longest(), "{} > {}", line.len(), record.longest());
        }
    }

    /// QL-26: any changed byte of a record is noticed.
    #[test]
    fn no_changed_byte_goes_unnoticed() {
        let (line, _) = record().to_line().unwrap();
        for at in 0..line.len() - 1 {
            let mut changed = line.clone();
            changed[at] ^= 1;
            assert!(Record::from_line(&changed).is_err(), "byte {at} was changed unnoticed");
            assert!(Record::from_line(&line[..at]).is_err(), "a cut at {at} went unnoticed");
        }
    }
}
