//! The world failed: what, where and of which kind. A fault always names the path.

use std::io;

use crate::path::ProjectPath;

/// Why a call on the world failed, as far as the store treats kinds differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaultKind {
    /// No space, or a quota is used up.
    DiskFull,
    /// The file system is mounted read-only.
    ReadOnly,
    /// The permissions do not allow it.
    Denied,
    /// The process or the system has too many open files.
    NoHandles,
    /// The device failed.
    Device,
    /// There is no such file or folder.
    Missing,
    /// There is one already.
    Exists,
    /// It is a symbolic link, a folder, a device: not a file that the store touches.
    NotAFile,
    /// The file system lacks the operation.
    Unsupported,
    /// Another process holds the lock.
    Locked,
    /// The bytes are not what was written: damage or a foreign hand.
    Damaged,
    /// The store saw an earlier fault after which its memory cannot be trusted.
    Reopen,
    /// Anything else; the text of the system says what.
    Other,
}

/// A call on the world that failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("cannot {doing} {path}: {reason}{}", hint(*kind))]
pub struct Fault {
    /// What was tried, as a verb: "read", "sync".
    pub doing: &'static str,
    /// The path, relative to the project.
    pub path: String,
    /// The kind.
    pub kind: FaultKind,
    /// What the system said.
    pub reason: String,
}

impl Fault {
    /// A fault of a given kind.
    pub fn new(doing: &'static str, path: &ProjectPath, kind: FaultKind, reason: impl Into<String>) -> Self {
        Self { doing, path: path.to_string(), kind, reason: reason.into() }
    }

    /// A fault from what the operating system said.
    pub fn from_io(doing: &'static str, path: &ProjectPath, error: &io::Error) -> Self {
        Self::new(doing, path, kind_of(error), plain(error))
    }
}

fn kind_of(error: &io::Error) -> FaultKind {
    match error.raw_os_error() {
        Some(libc::ENOSPC | libc::EDQUOT | libc::EFBIG) => FaultKind::DiskFull,
        Some(libc::EROFS) => FaultKind::ReadOnly,
        Some(libc::EACCES | libc::EPERM) => FaultKind::Denied,
        Some(libc::EMFILE | libc::ENFILE) => FaultKind::NoHandles,
        Some(libc::EIO) => FaultKind::Device,
        Some(libc::ENOENT) => FaultKind::Missing,
        Some(libc::EEXIST) => FaultKind::Exists,
        Some(libc::ELOOP | libc::ENOTDIR | libc::EISDIR | libc::ENXIO) => FaultKind::NotAFile,
        Some(libc::ENOSYS | libc::EINVAL | libc::EOPNOTSUPP | libc::EXDEV) => FaultKind::Unsupported,
        _ => FaultKind::Other,
    }
}

/// The system's words without its error number.
fn plain(error: &io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or(&text).to_lowercase()
}

fn hint(kind: FaultKind) -> &'static str {
    match kind {
        FaultKind::DiskFull => "; free some space, then try again",
        FaultKind::ReadOnly => "; mount it for writing, then try again",
        FaultKind::Denied => "; change its owner or permissions, then try again",
        FaultKind::NoHandles => "; close some programs or raise `ulimit -n`, then try again",
        FaultKind::Device => "; the disk failed: look at the system's log before going on",
        FaultKind::NotAFile => "; put a regular file or a folder there, or move away what is there",
        FaultKind::Damaged => {
            "; bring `.multiverse` back from a copy, or move it away and adopt the documents anew: they are as they are"
        }
        FaultKind::Reopen => "; open the project again",
        _ => "",
    }
}
