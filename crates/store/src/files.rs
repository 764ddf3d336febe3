//! Whole files over the `Fs` trait: read one, make one, read the text at a path.

use text::Text;

use crate::fault::{Fault, FaultKind};
use crate::fs::{Fs, Mode, Stamp};
use crate::limits;
use crate::path::ProjectPath;

/// All bytes of a document's file.
pub(crate) fn read<F: Fs>(fs: &F, file: &F::File, path: &ProjectPath) -> Result<Vec<u8>, Fault> {
    let size = fs.stamp(file)?.size;
    if size > limits::DOCUMENT_BYTES {
        let reason = format!("it has {size} bytes; {} is the most", limits::DOCUMENT_BYTES);
        return Err(Fault::new("read", path, FaultKind::Other, reason));
    }
    read_all(fs, file)
}

/// All bytes of an open file, however many.
pub(crate) fn read_all<F: Fs>(fs: &F, file: &F::File) -> Result<Vec<u8>, Fault> {
    let size = fs.stamp(file)?.size;
    let mut content = vec![0; usize::try_from(size).unwrap_or_default()];
    let mut filled = 0;
    while filled < content.len() {
        match fs.read_at(file, filled as u64, &mut content[filled..])? {
            0 => break,
            count => filled += count,
        }
    }
    content.truncate(filled);
    Ok(content)
}

/// The text at a path with the stamp it has before and after the reading; nothing when there is no file, or when
/// it changes under the reader.
pub(crate) fn read_text<F: Fs>(fs: &F, path: &ProjectPath) -> Result<Option<(Text, Stamp)>, Fault> {
    let file = match fs.open(path, Mode::Read) {
        Ok(file) => file,
        Err(fault) if fault.kind == FaultKind::Missing => return Ok(None),
        Err(fault) => return Err(fault),
    };
    let before = fs.stamp(&file)?;
    let content = read(fs, &file, path)?;
    let same = fs.stamp(&file)? == before && content.len() as u64 == before.size;
    Ok(same.then(|| (content.into(), before)))
}

/// A new, empty file; one that is left from before is removed.
pub(crate) fn create<F: Fs>(fs: &F, path: &ProjectPath) -> Result<F::File, Fault> {
    match fs.open(path, Mode::CreateNew) {
        Err(fault) if fault.kind == FaultKind::Exists => {
            fs.remove(path)?;
            fs.open(path, Mode::CreateNew)
        }
        other => other,
    }
}

/// Writes a text into a file that is empty.
pub(crate) fn write<F: Fs>(fs: &F, file: &F::File, text: &Text) -> Result<(), Fault> {
    // One large write is cheaper than one for each small piece.
    let mut offset = 0;
    let mut buffer = Vec::with_capacity(text.len().min(1 << 20));
    for chunk in text.chunks() {
        buffer.extend_from_slice(chunk);
        if buffer.len() >= 1 << 20 {
            fs.write_at(file, offset, &buffer)?;
            offset += buffer.len() as u64;
            buffer.clear();
        }
    }
    if !buffer.is_empty() {
        fs.write_at(file, offset, &buffer)?;
    }
    Ok(())
}

/// Removes a file that may be gone already: another process clears up too.
pub(crate) fn discard<F: Fs>(fs: &F, path: &ProjectPath) -> Result<(), Fault> {
    match fs.remove(path) {
        Err(fault) if fault.kind == FaultKind::Missing => Ok(()),
        other => other,
    }
}

/// The numbers that the files `<number>.jsonl` of a folder are named by, in order. There is none of number 0.
pub(crate) fn numbers<F: Fs>(fs: &F, folder: &ProjectPath) -> Result<Vec<u64>, Fault> {
    let names = fs.list(folder)?.unwrap_or_default();
    let named = names.iter().filter_map(|name| name.strip_suffix(".jsonl")?.parse().ok());
    let mut numbers: Vec<u64> = named.filter(|number| *number > 0).collect();
    numbers.sort_unstable();
    Ok(numbers)
}
