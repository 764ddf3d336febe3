//! Files of the project that are no documents, or not any more: their beginning, as far as it is wanted, and the digest of
//! their content.

use store::{Fault, FaultKind, Fs, Mode, ProjectPath};

/// The first bytes of a file, at most so many; nothing when there is none.
pub(crate) fn beginning<F: Fs>(fs: &F, path: &ProjectPath, most: u64) -> Result<Option<Vec<u8>>, Fault> {
    let file = match fs.open(path, Mode::Read) {
        Err(fault) if fault.kind == FaultKind::Missing => return Ok(None),
        file => file?,
    };
    let wanted = fs.stamp(&file)?.size.min(most);
    let mut content = vec![0; usize::try_from(wanted).unwrap_or_default()];
    let mut filled = 0;
    while filled < content.len() {
        match fs.read_at(&file, filled as u64, &mut content[filled..])? {
            0 => break,
            count => filled += count,
        }
    }
    content.truncate(filled);
    Ok(Some(content))
}

/// How much of a file is read at once.
const CHUNK: usize = 256 * 1024;

/// The digest of a file's content; nothing when it cannot be read, or is larger than that.
pub(crate) fn digest<F: Fs>(fs: &F, path: &str, most: u64) -> Option<String> {
    let path = ProjectPath::any(path).ok()?;
    let file = fs.open(&path, Mode::Read).ok()?;
    let size = fs.stamp(&file).ok()?.size;
    if size > most {
        return None;
    }
    let mut chunk = vec![0; usize::try_from(size).unwrap_or(CHUNK).clamp(1, CHUNK)];
    let (mut hasher, mut at) = (blake3::Hasher::new(), 0);
    loop {
        match fs.read_at(&file, at, &mut chunk).ok()? {
            0 => return Some(short_digest(&hasher)),
            count => {
                hasher.update(&chunk[..count]);
                at += count as u64;
            }
        }
    }
}

/// The digest of a text, as [`digest`] has it for a file.
pub(crate) fn digest_of(text: &text::Text) -> String {
    let mut hasher = blake3::Hasher::new();
    for chunk in text.chunks() {
        hasher.update(chunk);
    }
    short_digest(&hasher)
}

fn short_digest(hasher: &blake3::Hasher) -> String {
    hasher.finalize().to_hex()[..32].to_string()
}
