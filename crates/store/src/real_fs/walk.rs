//! From the project's root down to a folder, name by name, without following a symbolic link.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, Stat};
use rustix::io::{Errno, retry_on_intr};

use crate::fault::{Fault, FaultKind};
use crate::path::ProjectPath;

pub(super) const FOLDER_FLAGS: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);
/// Permissions of new folders, before the umask.
const NEW_FOLDER: u32 = 0o755;

/// An open folder.
#[derive(Debug)]
pub(super) enum Folder<'a> {
    Root(BorrowedFd<'a>),
    Below(OwnedFd),
}

impl AsFd for Folder<'_> {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Self::Root(folder) => folder.as_fd(),
            Self::Below(folder) => folder.as_fd(),
        }
    }
}

/// Why a path cannot be walked or used, before it is known what for.
#[derive(Debug)]
pub(super) enum Trouble {
    System(Errno),
    /// Something else stands where a file or a folder should; the text says what.
    WrongKind(String),
}

impl Trouble {
    pub(super) fn fault(self, doing: &'static str, path: &ProjectPath) -> Fault {
        match self {
            Self::System(errno) => Fault::from_io(doing, path, &errno.into()),
            Self::WrongKind(reason) => Fault::new(doing, path, FaultKind::NotAFile, reason),
        }
    }
}

impl From<Errno> for Trouble {
    fn from(errno: Errno) -> Self {
        Self::System(errno)
    }
}

/// Opens a folder; nothing is the root.
pub(super) fn open_folder<'a>(root: BorrowedFd<'a>, path: Option<&ProjectPath>) -> Result<Folder<'a>, Trouble> {
    if let Some(folder) = path.and_then(|path| open_at_once(root, path)) {
        return Ok(Folder::Below(folder));
    }
    let mut folder = Folder::Root(root);
    for name in path.iter().flat_map(|path| path.names()) {
        folder = step(&folder, name)?;
    }
    Ok(folder)
}

/// Opens a folder in one call of the system, under the same rules. When that fails the walk finds out why.
#[cfg(target_os = "linux")]
fn open_at_once(root: BorrowedFd<'_>, path: &ProjectPath) -> Option<OwnedFd> {
    use rustix::fs::ResolveFlags;
    let rules = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    rustix::fs::openat2(root, path.as_str(), FOLDER_FLAGS, Mode::empty(), rules).ok()
}

#[cfg(not(target_os = "linux"))]
fn open_at_once(_root: BorrowedFd<'_>, _path: &ProjectPath) -> Option<OwnedFd> {
    None
}

/// What stands at a path, in one call of the system where there is nothing, under the same rules. When it does not know
/// the walk finds out.
#[cfg(target_os = "linux")]
pub(super) fn stat_at_once(root: BorrowedFd<'_>, path: &ProjectPath) -> Option<Result<Stat, Errno>> {
    use rustix::fs::ResolveFlags;
    let rules = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    match rustix::fs::openat2(root, path.as_str(), flags, Mode::empty(), rules) {
        Ok(file) => rustix::fs::fstat(file).ok().map(Ok),
        Err(Errno::NOENT) => Some(Err(Errno::NOENT)),
        Err(_) => None,
    }
}

#[cfg(not(target_os = "linux"))]
pub(super) fn stat_at_once(_root: BorrowedFd<'_>, _path: &ProjectPath) -> Option<Result<Stat, Errno>> {
    None
}

/// Makes a folder and those above it.
pub(super) fn make_folder(root: BorrowedFd<'_>, path: &ProjectPath) -> Result<(), Trouble> {
    let mut folder = Folder::Root(root);
    for name in path.names() {
        folder = match step(&folder, name) {
            Err(Trouble::System(Errno::NOENT)) => {
                match rustix::fs::mkdirat(&folder, name, Mode::from_raw_mode(NEW_FOLDER)) {
                    // Another process was faster.
                    Ok(()) | Err(Errno::EXIST) => step(&folder, name)?,
                    Err(errno) => return Err(errno.into()),
                }
            }
            result => result?,
        };
    }
    Ok(())
}

/// The names in a folder, sorted.
pub(super) fn names_in(folder: &Folder<'_>) -> rustix::io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in Dir::read_from(folder)? {
        match entry?.file_name().to_string_lossy().as_ref() {
            "." | ".." => {}
            name => names.push(name.to_owned()),
        }
    }
    names.sort_unstable();
    Ok(names)
}

/// Refuses anything but a regular file.
pub(super) fn require_regular(kind: FileType) -> Result<(), Trouble> {
    match kind {
        FileType::RegularFile => Ok(()),
        other => Err(Trouble::WrongKind(format!("it is {}, not a regular file", described(other)))),
    }
}

fn step<'a>(folder: &Folder<'_>, name: &str) -> Result<Folder<'a>, Trouble> {
    let flags = FOLDER_FLAGS | OFlags::NOFOLLOW;
    match retry_on_intr(|| rustix::fs::openat(folder, name, flags, Mode::empty())) {
        Ok(below) => Ok(Folder::Below(below)),
        // Linux says NOTDIR of a link that must be a folder, others say LOOP.
        Err(errno @ (Errno::NOTDIR | Errno::LOOP)) => {
            let stat = rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW).map_err(|_| errno)?;
            let kind = described(FileType::from_raw_mode(stat.st_mode));
            Err(Trouble::WrongKind(format!("{name} is {kind}, not a folder")))
        }
        Err(errno) => Err(errno.into()),
    }
}

fn described(kind: FileType) -> &'static str {
    match kind {
        FileType::RegularFile => "a file",
        FileType::Directory => "a folder",
        FileType::Symlink => "a symbolic link",
        FileType::Fifo => "a named pipe",
        FileType::Socket => "a socket",
        FileType::CharacterDevice | FileType::BlockDevice => "a device",
        FileType::Unknown => "of an unknown kind",
    }
}
