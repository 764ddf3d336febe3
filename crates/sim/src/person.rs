//! Somebody who works in the project with an editor, and knows nothing of the store. Made from a program's `SimFs`, the
//! editor is scheduled like a program, so that other things happen between the pieces of a save.

use store::{Fault, FaultKind, Fs, Mode, ProjectPath};

use crate::names::Special;
use crate::sim_fs::{SimFile, SimFs};

/// A person with an editor.
#[derive(Debug)]
pub struct Person {
    fs: SimFs,
}

/// A file that an editor has open for writing; dropping it closes it.
#[derive(Debug)]
pub struct Edit<'a> {
    person: &'a Person,
    file: SimFile,
}

impl Person {
    /// The process becomes a person's: its calls are no longer counted, stopped or failed by plan.
    pub fn new(fs: SimFs) -> Self {
        fs.set_person();
        Self { fs }
    }

    /// A file's bytes; `None` when there is no such file.
    pub fn read(&self, path: &ProjectPath) -> Result<Option<Vec<u8>>, Fault> {
        let file = match self.fs.open(path, Mode::Read) {
            Err(fault) if fault.kind == FaultKind::Missing => return Ok(None),
            other => other?,
        };
        // The size of the file that is open: another may stand in its place by now.
        let mut bytes = vec![0; usize::try_from(self.fs.stamp(&file)?.size).unwrap_or_default()];
        let count = self.fs.read_at(&file, 0, &mut bytes)?;
        bytes.truncate(count);
        Ok(Some(bytes))
    }

    /// Saves as careful editors do: a new file beside it, renamed over it. Nothing is synced.
    pub fn save_by_rename(&self, path: &ProjectPath, bytes: &[u8]) -> Result<(), Fault> {
        self.make_parent(path)?;
        let beside = beside(path)?;
        let file = self.fs.open(&beside, Mode::Create)?;
        self.fs.truncate(&file, 0)?;
        self.fs.write_at(&file, 0, bytes)?;
        drop(file);
        self.fs.rename(&beside, path)
    }

    /// Saves as simple editors do: the file is cut to nothing, then written in pieces of this size.
    pub fn save_in_place(&self, path: &ProjectPath, bytes: &[u8], piece: usize) -> Result<(), Fault> {
        self.make_parent(path)?;
        let edit = self.edit(path)?;
        edit.truncate(0)?;
        for (number, piece_bytes) in bytes.chunks(piece.max(1)).enumerate() {
            edit.write((number * piece.max(1)) as u64, piece_bytes)?;
        }
        Ok(())
    }

    /// Opens a file for writing, or makes it, and leaves the rest to the caller.
    pub fn edit(&self, path: &ProjectPath) -> Result<Edit<'_>, Fault> {
        Ok(Edit { person: self, file: self.fs.open(path, Mode::Create)? })
    }

    /// Overwrites some bytes in the middle.
    pub fn overwrite(&self, path: &ProjectPath, offset: u64, bytes: &[u8]) -> Result<(), Fault> {
        self.edit(path)?.write(offset, bytes)
    }

    /// Deletes a file.
    pub fn remove(&self, path: &ProjectPath) -> Result<(), Fault> {
        self.fs.remove(path)
    }

    /// Moves a file over another.
    pub fn rename(&self, from: &ProjectPath, to: &ProjectPath) -> Result<(), Fault> {
        self.make_parent(to)?;
        self.fs.rename(from, to)
    }

    /// Makes a folder.
    pub fn make_folder(&self, path: &ProjectPath) -> Result<(), Fault> {
        self.fs.make_folder(path)
    }

    /// Puts something at a path that is neither file nor folder.
    pub fn make_special(&self, path: &ProjectPath, special: Special) -> Result<(), Fault> {
        self.make_parent(path)?;
        self.fs.make_special(path, special)
    }

    /// The world as this person's programs see it.
    pub fn fs(&self) -> &SimFs {
        &self.fs
    }

    fn make_parent(&self, path: &ProjectPath) -> Result<(), Fault> {
        path.parent().map_or(Ok(()), |parent| self.fs.make_folder(&parent))
    }
}

impl Edit<'_> {
    /// Cuts or extends the file.
    pub fn truncate(&self, length: u64) -> Result<(), Fault> {
        self.person.fs.truncate(&self.file, length)
    }

    /// Writes some bytes.
    pub fn write(&self, offset: u64, bytes: &[u8]) -> Result<(), Fault> {
        self.person.fs.write_at(&self.file, offset, bytes)
    }
}

fn beside(path: &ProjectPath) -> Result<ProjectPath, Fault> {
    let name = format!(".{}.swp", path.name());
    let beside = path.parent().map_or(name.clone(), |parent| format!("{parent}/{name}"));
    ProjectPath::any(&beside).map_err(|refusal| {
        Fault::new("save", path, store::FaultKind::Other, format!("no name for a file beside it: {}", refusal.reason))
    })
}
