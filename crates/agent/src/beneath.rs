//! Owns the way from a folder to what lies beneath it, without ever following a symbolic link: every part of a path is
//! opened on its own, by the handle of the folder before. Must not know what the files are for.

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use rustix::fs::{AtFlags, FileType, Mode, OFlags};
use rustix::io::Errno;

use crate::limits::MAX_ENTRIES;

/// A folder that stays the same one, whatever becomes of its name.
#[derive(Debug)]
pub(crate) struct Folder(OwnedFd);

/// What is in a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Entry {
    Folder,
    File,
    Link,
    /// A pipe, a socket, a device.
    Other,
}

impl Entry {
    fn of(kind: FileType) -> Self {
        match kind {
            FileType::Directory => Self::Folder,
            FileType::RegularFile => Self::File,
            FileType::Symlink => Self::Link,
            _ => Self::Other,
        }
    }
}

/// How often a folder is looked at again while it is emptied: one level of depth takes one pass.
const MAX_PASSES: usize = 1 << 20;

const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

impl Folder {
    /// Opens a folder by its path, which may lead through links: whoever names it vouches for it.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        Ok(Self(rustix::fs::open(path, FOLDER, Mode::empty())?))
    }

    /// A folder of this one.
    pub(crate) fn folder(&self, name: &OsStr) -> io::Result<Self> {
        Ok(Self(rustix::fs::openat(&self.0, name, FOLDER.union(OFlags::NOFOLLOW), Mode::empty())?))
    }

    /// A folder of this one, made if it is not there.
    pub(crate) fn made_folder(&self, name: &OsStr) -> io::Result<Self> {
        match rustix::fs::mkdirat(&self.0, name, Mode::RWXU) {
            Ok(()) | Err(Errno::EXIST) => self.folder(name),
            Err(fault) => Err(fault.into()),
        }
    }

    /// The folder at the end of a path from here, made part by part.
    pub(crate) fn made_path<'a>(&self, parts: impl Iterator<Item = &'a str>) -> io::Result<Self> {
        let mut folder = None;
        for part in parts {
            folder = Some(folder.as_ref().unwrap_or(self).made_folder(OsStr::new(part))?);
        }
        folder.map_or_else(|| Ok(Self(rustix::io::dup(&self.0)?)), Ok)
    }

    /// Opens a file for reading. It may turn out to be anything: look before reading. A pipe does not hold it up.
    pub(crate) fn file(&self, name: &OsStr) -> io::Result<File> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        Ok(rustix::fs::openat(&self.0, name, flags, Mode::empty())?.into())
    }

    /// Makes a file that is not there yet.
    pub(crate) fn new_file(&self, name: &OsStr) -> io::Result<File> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(rustix::fs::openat(&self.0, name, flags, Mode::RUSR | Mode::WUSR)?.into())
    }

    /// Makes a link to anywhere.
    pub(crate) fn link(&self, name: &OsStr, target: &Path) -> io::Result<()> {
        Ok(rustix::fs::symlinkat(target, &self.0, name)?)
    }

    /// What a name stands for; a link stands for itself.
    pub(crate) fn entry(&self, name: &OsStr) -> io::Result<Entry> {
        let stat = rustix::fs::statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW)?;
        Ok(Entry::of(FileType::from_raw_mode(stat.st_mode)))
    }

    /// What is in it, in the order of the names' bytes; of too much, the first that comes.
    pub(crate) fn entries(&self) -> io::Result<Vec<(Box<OsStr>, Entry)>> {
        let mut all = Vec::new();
        self.read(&mut |name, kind| {
            let name = OsStr::from_bytes(name);
            if name != "." && name != ".." {
                all.push((Box::<OsStr>::from(name), kind));
            }
            all.len() < MAX_ENTRIES
        })?;
        all.sort_unstable_by(|one, other| one.0.cmp(&other.0));
        // Some file systems do not say what their entries are.
        let entry = |name: &OsStr, kind| match kind {
            FileType::Unknown => self.entry(name).unwrap_or(Entry::Other),
            known => Entry::of(known),
        };
        Ok(all.into_iter().map(|(name, kind)| (entry(&name, kind), name)).map(|(entry, name)| (name, entry)).collect())
    }

    /// The names alone.
    pub(crate) fn names(&self) -> io::Result<Vec<Box<OsStr>>> {
        Ok(self.entries()?.into_iter().map(|(name, _)| name).collect())
    }

    /// Tells of each entry, until the answer is no. The handle itself is read: another one would take three calls more.
    #[cfg(target_os = "linux")]
    fn read(&self, found: &mut dyn FnMut(&[u8], FileType) -> bool) -> io::Result<()> {
        rustix::fs::seek(&self.0, rustix::fs::SeekFrom::Start(0))?;
        let mut space = [const { std::mem::MaybeUninit::uninit() }; 4096];
        let mut entries = rustix::fs::RawDir::new(&self.0, &mut space);
        while let Some(entry) = entries.next() {
            let entry = entry?;
            if !found(entry.file_name().to_bytes(), entry.file_type()) {
                break;
            }
        }
        Ok(())
    }

    #[cfg(not(target_os = "linux"))]
    fn read(&self, found: &mut dyn FnMut(&[u8], FileType) -> bool) -> io::Result<()> {
        for entry in rustix::fs::Dir::read_from(&self.0)? {
            let entry = entry?;
            if !found(entry.file_name().to_bytes(), entry.file_type()) {
                break;
            }
        }
        Ok(())
    }

    /// Removes a folder of this one and all that is in it. Links are removed, never followed; folders that lie deep
    /// are moved up first, so that no depth uses up the stack or the handles.
    pub(crate) fn remove_folder(&self, name: &OsStr) -> io::Result<()> {
        let root = match self.folder(name) {
            Ok(root) => root,
            Err(fault) if fault.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(fault) => return Err(fault),
        };
        let mut moved = 0_u64;
        for _ in 0..MAX_PASSES {
            let entries = root.entries()?;
            if entries.is_empty() {
                break;
            }
            for (name, entry) in entries {
                if entry == Entry::Folder {
                    root.empty_into_self(&name, &mut moved)?;
                    rustix::fs::unlinkat(&root.0, &*name, AtFlags::REMOVEDIR)?;
                } else {
                    rustix::fs::unlinkat(&root.0, &*name, AtFlags::empty())?;
                }
            }
        }
        Ok(rustix::fs::unlinkat(&self.0, name, AtFlags::REMOVEDIR)?)
    }

    /// Removes the files of a folder of this one and moves its folders up here, under names nobody uses.
    fn empty_into_self(&self, name: &OsStr, moved: &mut u64) -> io::Result<()> {
        // A folder that its owner may not list can be hidden in, but not from us.
        let mode = Mode::RWXU;
        let folder = match self.folder(name) {
            Err(fault) if fault.kind() == io::ErrorKind::PermissionDenied => {
                rustix::fs::chmodat(&self.0, name, mode, AtFlags::empty())?;
                self.folder(name)?
            }
            other => other?,
        };
        rustix::fs::fchmod(&folder.0, mode)?;
        for _ in 0..MAX_PASSES {
            let entries = folder.entries()?;
            if entries.is_empty() {
                return Ok(());
            }
            for (name, entry) in entries {
                if entry != Entry::Folder {
                    rustix::fs::unlinkat(&folder.0, &*name, AtFlags::empty())?;
                    continue;
                }
                match rustix::fs::unlinkat(&folder.0, &*name, AtFlags::REMOVEDIR) {
                    Ok(()) => {}
                    Err(Errno::NOTEMPTY | Errno::EXIST) => {
                        // A folder cannot be moved unless it may be written: its entry `..` changes.
                        rustix::fs::chmodat(&folder.0, &*name, mode, AtFlags::empty())?;
                        self.take_in(&folder, &name, moved)?;
                    }
                    Err(fault) => return Err(fault.into()),
                }
            }
        }
        Err(io::Error::other("a folder that is being removed fills again"))
    }

    fn take_in(&self, from: &Self, name: &OsStr, moved: &mut u64) -> io::Result<()> {
        for _ in 0..MAX_ENTRIES {
            *moved += 1;
            let free = format!("gone-{moved}");
            if matches!(self.entry(OsStr::new(&free)), Err(fault) if fault.kind() == io::ErrorKind::NotFound) {
                return Ok(rustix::fs::renameat(&from.0, name, &self.0, &*free)?);
            }
        }
        Err(io::Error::other("no free name to move a folder to"))
    }
}

impl AsFd for Folder {
    fn as_fd(&self) -> std::os::fd::BorrowedFd<'_> {
        self.0.as_fd()
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    /// QL-30: what a link leads to is not touched, however deep the link lies.
    #[test]
    fn removal_follows_no_link_and_knows_no_depth() {
        let outside = tempfile::tempdir().unwrap();
        std::fs::write(outside.path().join("kept"), "x").unwrap();
        let place = tempfile::tempdir().unwrap();
        let top = Folder::open(place.path()).unwrap();
        let mut folder = top.made_folder(OsStr::new("work")).unwrap();
        for depth in 0..3000 {
            folder.new_file(OsStr::new("file")).unwrap();
            folder.link(OsStr::new("link"), outside.path()).unwrap();
            folder = folder.made_folder(OsStr::new(if depth == 5 { "gone-1" } else { "d" })).unwrap();
        }
        drop(folder);
        top.remove_folder(OsStr::new("work")).unwrap();
        assert!(!place.path().join("work").exists());
        assert!(outside.path().join("kept").exists());
        top.remove_folder(OsStr::new("work")).unwrap();
    }

    /// QL-30: a link in the place of the folder itself is refused.
    #[test]
    fn a_link_is_no_folder() {
        let outside = tempfile::tempdir().unwrap();
        std::fs::write(outside.path().join("kept"), "x").unwrap();
        let place = tempfile::tempdir().unwrap();
        symlink(outside.path(), place.path().join("work")).unwrap();
        let top = Folder::open(place.path()).unwrap();
        assert!(top.folder(OsStr::new("work")).is_err());
        assert!(top.remove_folder(OsStr::new("work")).is_err());
        assert!(top.made_path(["work", "x"].into_iter()).is_err());
        assert!(outside.path().join("kept").exists());
    }
}
