//! Content that is too long for a record, or not text: one file each, named by its digest, never changed.

use std::collections::HashSet;

use bytes::Bytes;
use text::{Change, Splice, Text};

use crate::fault::{Fault, FaultKind};
use crate::files;
use crate::fs::{Fs, Mode};
use crate::limits;
use crate::path::ProjectPath;
use crate::record::{Edit, Piece};

/// The blobs that this process knows to be durable.
#[derive(Debug)]
pub(crate) struct Blobs {
    durable: HashSet<String>,
    /// Whose unfinished files are whose.
    owner: String,
    parts: u64,
}

pub(crate) fn folder() -> ProjectPath {
    ProjectPath::own("blobs")
}

pub(crate) fn path(digest: &str) -> ProjectPath {
    ProjectPath::own(&format!("blobs/{digest}"))
}

impl Blobs {
    /// The blobs of an opening of this name.
    pub(crate) fn new(owner: &str) -> Self {
        Self { durable: HashSet::new(), owner: owner.into(), parts: 0 }
    }

    /// The edits of a change, as a record says them. Long pieces become blobs, durable before this returns.
    pub(crate) fn edits<F: Fs>(&mut self, fs: &F, change: &Change) -> Result<Vec<Edit>, Fault> {
        change
            .splices()
            .iter()
            .map(|splice| {
                let (cut, put) = (self.piece(fs, &splice.cut)?, self.piece(fs, &splice.put)?);
                Ok(Edit { at: splice.at, cut, put })
            })
            .collect()
    }

    /// Makes blobs of a change's long pieces.
    pub(crate) fn keep_pieces<F: Fs>(&mut self, fs: &F, change: &Change) -> Result<(), Fault> {
        change
            .splices()
            .iter()
            .flat_map(|splice| [&splice.cut, &splice.put])
            .try_for_each(|bytes| self.keep_piece(fs, bytes))
    }

    /// Makes a blob of bytes that need one.
    pub(crate) fn keep_piece<F: Fs>(&mut self, fs: &F, bytes: &[u8]) -> Result<(), Fault> {
        match fits_inline(bytes) {
            Some(_) => Ok(()),
            None => self.piece(fs, bytes).map(|_| ()),
        }
    }

    /// Bytes as a record or a checkpoint holds them.
    pub(crate) fn piece<F: Fs>(&mut self, fs: &F, bytes: &[u8]) -> Result<Piece, Fault> {
        if let Some(text) = fits_inline(bytes) {
            return Ok(Piece::Text(text.into()));
        }
        let digest = blake3::hash(bytes).to_hex().to_string();
        if !self.durable.contains(&digest) {
            self.keep(fs, &digest, bytes)?;
            self.durable.insert(digest.clone());
        }
        Ok(Piece::Blob { blob: digest, size: bytes.len() })
    }

    fn keep<F: Fs>(&mut self, fs: &F, digest: &str, bytes: &[u8]) -> Result<(), Fault> {
        fs.make_folder(&folder())?;
        self.parts += 1;
        let part = ProjectPath::own(&format!("blobs/{}-{}.part", self.owner, self.parts));
        // It is written even if one of that name is there: that one may not be durable, or not be whole.
        let file = files::create(fs, &part)?;
        let written = fs.write_at(&file, 0, bytes).and_then(|()| fs.sync(&file));
        if let Err(fault) = written {
            // What was begun is of no use to anyone; the fault that matters is the first.
            let _ = fs.remove(&part);
            return Err(fault);
        }
        fs.rename(&part, &path(digest))?;
        fs.sync_folder(Some(&folder()))?;
        fs.sync_folder(Some(&ProjectPath::own("")))
    }
}

fn fits_inline(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes).ok().filter(|text| text.len() <= limits::INLINE_BYTES)
}

/// The change that a record's edits describe.
pub(crate) fn change<F: Fs>(fs: &F, edits: &[Edit]) -> Result<Change, Fault> {
    let splices = edits
        .iter()
        .map(|edit| Ok(Splice { at: edit.at, cut: bytes(fs, &edit.cut)?, put: bytes(fs, &edit.put)? }))
        .collect::<Result<_, Fault>>()?;
    Ok(Change::from_splices(splices))
}

/// The bytes of a piece. A blob whose content is not what its name says is damage.
pub(crate) fn bytes<F: Fs>(fs: &F, piece: &Piece) -> Result<Bytes, Fault> {
    match piece {
        Piece::Text(text) => Ok(Bytes::copy_from_slice(text.as_bytes())),
        Piece::Blob { blob, size } => {
            let path = path(blob);
            let damaged = |reason: &str| Fault::new("read", &path, FaultKind::Damaged, reason);
            if blob.len() != 64 || !blob.bytes().all(|digit| digit.is_ascii_hexdigit()) {
                return Err(damaged("its name is not a digest"));
            }
            let file = fs.open(&path, Mode::Read)?;
            let content = files::read(fs, &file, &path)?;
            if content.len() != *size || blake3::hash(&content).to_hex().as_str() != blob {
                return Err(damaged("its content is not the one that its name says"));
            }
            Ok(content.into())
        }
    }
}

/// The text of a piece.
pub(crate) fn text<F: Fs>(fs: &F, piece: &Piece) -> Result<Text, Fault> {
    Ok(bytes(fs, piece)?.into())
}
