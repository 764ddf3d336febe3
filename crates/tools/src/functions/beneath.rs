//! Owns the way from a folder to what lies beneath it: whatever a path or a link in it says, nothing outside is opened,
//! and nothing that waits. The kernel keeps it (`openat2`); where it does not know how, every part is opened on its own
//! and no link is followed. Must not know what the files are for.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};

use rustix::fs::{AtFlags, FileType, Mode, OFlags, Stat};
use rustix::io::Errno;

/// How often a path is walked again that somebody renames meanwhile.
const MAX_TRIES: usize = 16;

const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

/// Neither a pipe nor a terminal may hold us up or become ours.
const FILE: OFlags = OFlags::RDONLY.union(OFlags::NONBLOCK).union(OFlags::NOCTTY).union(OFlags::CLOEXEC);

/// What a name stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Folder,
    File,
    Link,
    /// A pipe, a socket, a device.
    Other,
}

/// What is known of a name without opening it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct About {
    pub(crate) kind: Kind,
    pub(crate) bytes: u64,
    /// When it was changed last, in nanoseconds since 1970.
    pub(crate) changed: i128,
}

/// A folder that stays the same one, whatever becomes of its name.
#[derive(Debug)]
pub(crate) struct Folder(OwnedFd);

impl Folder {
    /// Opens a folder by its path, which may lead through links: whoever names it vouches for it.
    pub(crate) fn open(path: &std::path::Path) -> io::Result<Self> {
        Ok(Self(rustix::fs::open(path, FOLDER, Mode::empty())?))
    }

    /// The folder at a path from here; this one if the path is empty.
    pub(crate) fn folder(&self, path: &str) -> io::Result<Self> {
        Ok(Self(self.opened(if path.is_empty() { "." } else { path }, FOLDER)?))
    }

    /// Opens what is at a path from here for reading. It may turn out to be anything: look before reading.
    pub(crate) fn file(&self, path: &str) -> io::Result<File> {
        Ok(self.opened(path, FILE)?.into())
    }

    /// What a name in this folder stands for; a link stands for itself.
    pub(crate) fn about(&self, name: &str) -> io::Result<About> {
        Ok(about(&rustix::fs::statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW)?))
    }

    /// What is at a path from here, links followed as far as they stay beneath.
    pub(crate) fn about_path(&self, path: &str) -> io::Result<About> {
        let flags = OFlags::CLOEXEC | path_only();
        Ok(about(&rustix::fs::fstat(self.opened(if path.is_empty() { "." } else { path }, flags)?)?))
    }

    /// The names in this folder that are text, in their order, and how many there are besides: not text, or beyond
    /// `most`.
    pub(crate) fn names(&self, most: usize) -> io::Result<(Vec<String>, usize)> {
        let (mut names, mut others) = (Vec::new(), 0);
        for entry in rustix::fs::Dir::read_from(&self.0)? {
            match entry?.file_name().to_str() {
                Ok("." | "..") => {}
                Ok(name) if names.len() < most => names.push(name.to_string()),
                _ => others += 1,
            }
        }
        names.sort();
        Ok((names, others))
    }

    /// The folder at the end of a path from here, made part by part. A link in the way is replaced by a folder: what
    /// it leads to is not ours to write.
    pub(crate) fn made(&self, path: &str) -> io::Result<Self> {
        let mut folder = Self(rustix::io::dup(&self.0)?);
        for part in path.split('/').filter(|part| !part.is_empty()) {
            if folder.about(part).is_ok_and(|about| about.kind == Kind::Link) {
                rustix::fs::unlinkat(&folder.0, part, AtFlags::empty())?;
            }
            match rustix::fs::mkdirat(&folder.0, part, Mode::RWXU) {
                Ok(()) | Err(Errno::EXIST) => {}
                Err(fault) => return Err(fault.into()),
            }
            let next = rustix::fs::openat(&folder.0, part, FOLDER | OFlags::NOFOLLOW, Mode::empty())?;
            folder = Self(next);
        }
        Ok(folder)
    }

    /// Puts a new file in the place of a name, whatever was there but a folder. What other names the old file has, as
    /// by a hard link, they keep it as it was.
    pub(crate) fn put(&self, name: &str, content: &[u8]) -> io::Result<()> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        for number in 0..MAX_TRIES {
            let temporary = format!(".{}-{number}.new", std::process::id());
            let mut file = match rustix::fs::openat(&self.0, &temporary, flags, Mode::RUSR | Mode::WUSR) {
                Err(Errno::EXIST) => continue,
                file => File::from(file?),
            };
            let written = io::Write::write_all(&mut file, content)
                .and_then(|()| Ok(rustix::fs::renameat(&self.0, &temporary, &self.0, name)?));
            if written.is_err() {
                let _ = rustix::fs::unlinkat(&self.0, &temporary, AtFlags::empty());
            }
            return written;
        }
        Err(io::Error::other("no free name for a new file"))
    }

    #[cfg(target_os = "linux")]
    fn opened(&self, path: &str, flags: OFlags) -> io::Result<OwnedFd> {
        use rustix::fs::ResolveFlags;
        let stay = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
        for _ in 0..MAX_TRIES {
            match rustix::fs::openat2(&self.0, path, flags, Mode::empty(), stay) {
                Err(Errno::AGAIN | Errno::INTR) => {}
                // An old kernel, or a container that does not know the call.
                Err(Errno::NOSYS | Errno::PERM) => return self.opened_by_parts(path, flags),
                opened => return Ok(opened?),
            }
        }
        Err(Errno::AGAIN.into())
    }

    #[cfg(not(target_os = "linux"))]
    fn opened(&self, path: &str, flags: OFlags) -> io::Result<OwnedFd> {
        self.opened_by_parts(path, flags)
    }

    fn opened_by_parts(&self, path: &str, flags: OFlags) -> io::Result<OwnedFd> {
        let (parents, name) = path.rsplit_once('/').unwrap_or(("", path));
        let mut folder = rustix::io::dup(&self.0)?;
        for part in parents.split('/').chain([name]).filter(|part| !part.is_empty()) {
            if part == ".." {
                return Err(Errno::XDEV.into());
            }
        }
        for part in parents.split('/').filter(|part| !part.is_empty()) {
            folder = rustix::fs::openat(&folder, part, FOLDER | OFlags::NOFOLLOW, Mode::empty())?;
        }
        Ok(rustix::fs::openat(&folder, name, flags | OFlags::NOFOLLOW, Mode::empty())?)
    }
}

impl AsFd for Folder {
    fn as_fd(&self) -> std::os::fd::BorrowedFd<'_> {
        self.0.as_fd()
    }
}

#[cfg(target_os = "linux")]
fn path_only() -> OFlags {
    OFlags::PATH
}

#[cfg(not(target_os = "linux"))]
fn path_only() -> OFlags {
    OFlags::RDONLY | OFlags::NONBLOCK
}

/// What an open file is.
pub(crate) fn about_open(file: &File) -> io::Result<About> {
    Ok(about(&rustix::fs::fstat(file)?))
}

fn about(stat: &Stat) -> About {
    let kind = match FileType::from_raw_mode(stat.st_mode) {
        FileType::Directory => Kind::Folder,
        FileType::RegularFile => Kind::File,
        FileType::Symlink => Kind::Link,
        _ => Kind::Other,
    };
    let changed = i128::from(stat.st_mtime) * 1_000_000_000 + i128::from(stat.st_mtime_nsec);
    About { kind, bytes: u64::try_from(stat.st_size).unwrap_or(0), changed }
}
