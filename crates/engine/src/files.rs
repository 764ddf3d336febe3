//! Files of the project that are no documents, or not any more: their beginning, as far as it is wanted.

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
