//! All live documents as of one record, in one file: where a recovery starts. docs/formats/journal.md has its form.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::blobs::{self, Blobs};
use crate::documents::{Document, Documents};
use crate::fault::{Fault, FaultKind};
use crate::files;
use crate::fs::{Fs, Mode};
use crate::journal::Head;
use crate::path::ProjectPath;
use crate::record::{Piece, Sum, open_line, seal_line};
use crate::segment::{FORMAT, refuse_newer};

/// What a checkpoint holds.
#[derive(Debug, Default)]
pub(crate) struct Checkpoint {
    pub head: Head,
    pub documents: Documents,
    /// What the caller folded of the records up to here.
    pub fold: Option<Box<RawValue>>,
    /// The size of its file.
    pub size: u64,
}

#[derive(Serialize, Deserialize)]
struct Header {
    multiverse: String,
    version: u32,
    number: u64,
    head: Sum,
    documents: usize,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    fold: Option<Box<RawValue>>,
}

#[derive(Serialize, Deserialize)]
struct Entry {
    path: ProjectPath,
    version: u64,
    content: Piece,
}

fn folder() -> ProjectPath {
    ProjectPath::own("checkpoints")
}

fn path(number: u64) -> ProjectPath {
    ProjectPath::own(&format!("checkpoints/{number:012}.jsonl"))
}

/// The numbers of the records that there are checkpoints of, in order.
pub(crate) fn numbers<F: Fs>(fs: &F) -> Result<Vec<u64>, Fault> {
    files::numbers(fs, &folder())
}

/// The record that a checkpoint is of, as its first line says.
pub(crate) fn head<F: Fs>(fs: &F, number: u64) -> Result<Head, Fault> {
    let path = path(number);
    let content = files::read_all(fs, &fs.open(&path, Mode::Read)?)?;
    let header = read_header(&path, content.split_inclusive(|byte| *byte == b'\n').next().unwrap_or_default())?;
    Ok(Head { number: header.number, sum: header.head })
}

/// Reads a checkpoint.
pub(crate) fn load<F: Fs>(fs: &F, number: u64) -> Result<Checkpoint, Fault> {
    let path = &path(number);
    let damaged = |reason: String| Fault::new("read", path, FaultKind::Damaged, reason);
    let file = fs.open(path, Mode::Read)?;
    let content = files::read_all(fs, &file)?;
    let mut lines = content.split_inclusive(|byte| *byte == b'\n');
    let header = read_header(path, lines.next().unwrap_or_default())?;
    let json = |line: &[u8]| open_line(line).map(|(json, _)| json).map_err(|reason| damaged(reason.to_string()));
    let mut documents = Documents::default();
    for line in lines {
        let entry: Entry = serde_json::from_slice(&json(line)?).map_err(|error| damaged(error.to_string()))?;
        documents.insert(entry.path, Document::at(entry.version, blobs::text(fs, &entry.content)?));
    }
    if documents.len() != header.documents {
        return Err(damaged(format!("it has {} of {} documents", documents.len(), header.documents)));
    }
    let head = Head { number: header.number, sum: header.head };
    Ok(Checkpoint { head, documents, fold: header.fold, size: content.len() as u64 })
}

fn read_header(path: &ProjectPath, line: &[u8]) -> Result<Header, Fault> {
    refuse_newer(line, path)?;
    let damaged = |reason: String| Fault::new("read", path, FaultKind::Damaged, reason);
    let (json, _) = open_line(line).map_err(|reason| damaged(reason.to_string()))?;
    serde_json::from_slice(&json).map_err(|error| damaged(error.to_string()))
}

/// Writes the checkpoint of `head`, durable before this returns; gives its size.
pub(crate) fn write<F: Fs>(
    fs: &F,
    blobs: &mut Blobs,
    head: Head,
    documents: &Documents,
    fold: Option<&RawValue>,
) -> Result<u64, Fault> {
    let path = path(head.number);
    let live: Vec<_> =
        documents.iter().filter_map(|(path, doc)| Some((path, doc.version, doc.text.as_ref()?))).collect();
    let header = Header {
        multiverse: "checkpoint".into(),
        version: FORMAT,
        number: head.number,
        head: head.sum,
        documents: live.len(),
        fold: fold.map(ToOwned::to_owned),
    };
    let line = |value: serde_json::Result<Vec<u8>>| {
        let sealed = value.and_then(seal_line);
        sealed.map(|(line, _)| line).map_err(|error| Fault::new("write", &path, FaultKind::Other, error.to_string()))
    };
    let mut content = line(serde_json::to_vec(&header))?;
    for (path, version, text) in live {
        let entry = Entry { path: path.clone(), version, content: blobs.piece(fs, &text.to_vec())? };
        content.extend(line(serde_json::to_vec(&entry))?);
    }
    fs.make_folder(&folder())?;
    let part = ProjectPath::own(&format!("checkpoints/{:012}.part", head.number));
    let file = files::create(fs, &part)?;
    fs.write_at(&file, 0, &content)?;
    fs.sync(&file)?;
    fs.rename(&part, &path)?;
    fs.sync_folder(Some(&folder()))?;
    fs.sync_folder(Some(&ProjectPath::own("")))?;
    Ok(content.len() as u64)
}
