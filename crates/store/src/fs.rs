//! The world as the store sees it: files, locks and the clock. The real one is [`RealFs`](crate::RealFs); the
//! simulator has another that loses unsynced bytes. Every call is a point where a simulated process may stop.
//!
//! An implementation follows no symbolic link below the project's root and opens regular files only, so that no
//! call reaches out of the project.

use std::time::Duration;

use crate::fault::{Fault, FaultKind};
use crate::path::ProjectPath;

/// How a file is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// It must exist; reading only.
    Read,
    /// It must exist; reading and writing.
    Write,
    /// It must not exist; reading and writing.
    CreateNew,
    /// Made if it does not exist; reading and writing; its content stays.
    Create,
}

/// What tells one state of a file from another without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp {
    /// The inode's number.
    pub inode: u64,
    /// Its size in bytes.
    pub size: u64,
    /// When its content last changed, in nanoseconds since 1970.
    pub modified: i128,
    /// Permission bits, kept when a file is placed anew.
    pub permissions: u32,
}

/// Two clocks: the one people read, which may jump, and one that never goes back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Now {
    /// Nanoseconds since 1970.
    pub wall: i128,
    /// Time since some fixed moment of this boot, the same for all processes of it.
    pub steady: Duration,
}

/// What a process that holds something is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProcessState {
    /// It exists and may go on at any time.
    Running,
    /// It exists and was stopped by a signal.
    Stopped,
    /// There is no such process.
    Gone,
    /// Nothing is known of it.
    Unknown,
}

/// Something that is done with a world, by whoever it is given to.
pub type Errand<F> = Box<dyn FnOnce(&F) + Send>;

/// Files, locks and clock of one project, as one process has them.
pub trait Fs {
    /// An open file. Dropping it closes it and gives up its lock.
    type File;

    /// Opens a regular file. Its folder must exist.
    fn open(&self, path: &ProjectPath, mode: Mode) -> Result<Self::File, Fault>;
    /// Reads up to `buffer.len()` bytes; 0 at the end of the file.
    fn read_at(&self, file: &Self::File, offset: u64, buffer: &mut [u8]) -> Result<usize, Fault>;
    /// Writes all of `bytes`; after a fault any part of them may have been written.
    fn write_at(&self, file: &Self::File, offset: u64, bytes: &[u8]) -> Result<(), Fault>;
    /// Cuts or extends the file to `length`.
    fn truncate(&self, file: &Self::File, length: u64) -> Result<(), Fault>;
    /// Sets the permission bits.
    fn set_permissions(&self, file: &Self::File, permissions: u32) -> Result<(), Fault>;
    /// Sets the time at which its content last changed, to the nanosecond.
    fn set_modified(&self, file: &Self::File, modified: i128) -> Result<(), Fault>;
    /// Makes content and size of the file durable (fdatasync).
    fn sync(&self, file: &Self::File) -> Result<(), Fault>;
    /// Lets the disk begin to write a part of the file, so that a later sync has less to wait for. Promises nothing.
    fn begin_sync(&self, _file: &Self::File, _offset: u64, _length: u64) {}
    /// Makes content and size of many files durable; those that are gone are left out. A world that can wait for
    /// several at once does.
    fn sync_files(&self, paths: &[ProjectPath]) -> Result<(), Fault> {
        paths.iter().try_for_each(|path| match self.open(path, Mode::Read) {
            Err(fault) if fault.kind == FaultKind::Missing => Ok(()),
            file => self.sync(&file?),
        })
    }
    /// The stamp of an open file.
    fn stamp(&self, file: &Self::File) -> Result<Stamp, Fault>;

    /// The stamp of the file at `path`; `None` when there is none. Anything but a regular file is a fault.
    fn look(&self, path: &ProjectPath) -> Result<Option<Stamp>, Fault>;
    /// Moves `from` to `to`, replacing what is there.
    fn rename(&self, from: &ProjectPath, to: &ProjectPath) -> Result<(), Fault>;
    /// Moves `from` to `to`; a fault of kind `Exists` when something is there.
    fn rename_new(&self, from: &ProjectPath, to: &ProjectPath) -> Result<(), Fault>;
    /// Swaps two files in one step; a fault of kind `Unsupported` where the file system cannot.
    fn exchange(&self, one: &ProjectPath, other: &ProjectPath) -> Result<(), Fault>;
    /// Gives the file at `from` a second name.
    fn link(&self, from: &ProjectPath, to: &ProjectPath) -> Result<(), Fault>;
    /// Removes a file.
    fn remove(&self, path: &ProjectPath) -> Result<(), Fault>;
    /// Makes a folder and those above it; nothing happens to those that exist.
    fn make_folder(&self, path: &ProjectPath) -> Result<(), Fault>;
    /// The names in a folder, sorted; `None` when the folder does not exist.
    fn list(&self, folder: &ProjectPath) -> Result<Option<Vec<String>>, Fault>;
    /// Makes the names in a folder durable; `None` is the project's root.
    fn sync_folder(&self, folder: Option<&ProjectPath>) -> Result<(), Fault>;

    /// Takes the exclusive lock on an open file, if it is free. It ends with [`Fs::unlock`], or with the file.
    fn try_lock(&self, file: &Self::File) -> Result<bool, Fault>;
    /// Gives the lock up.
    fn unlock(&self, file: &Self::File) -> Result<(), Fault>;
    /// Whether some process has the file open for writing; `None` when that cannot be known.
    fn has_writer(&self, path: &ProjectPath) -> Result<Option<bool>, Fault>;

    /// Has an errand done on a thread of its own, where the world has threads; else it is given back.
    fn apart(&self, errand: Errand<Self>) -> Result<(), Errand<Self>>
    where
        Self: Sized,
    {
        Err(errand)
    }

    /// Names this boot of this machine: after a change of it, only what was synced is there.
    fn boot_id(&self) -> String;
    /// Both clocks.
    fn now(&self) -> Now;
    /// Lets time pass.
    fn pause(&self, time: Duration);
    /// This process, as a person would name it, and as `ps` does.
    fn process(&self) -> u32;
    /// Why a project cannot be kept here, if it cannot: locks do not hold on a network file system.
    fn unfit(&self) -> Option<String> {
        None
    }
    /// Whether nothing can be changed here: calls that would do so do nothing.
    fn only_looks(&self) -> bool {
        false
    }
    /// What another process of this machine is doing.
    fn process_state(&self, _process: u32) -> ProcessState {
        ProcessState::Unknown
    }
    /// When a process of this machine began, in the machine's own count; `None` when that is not known.
    fn process_start(&self, _process: u32) -> Option<u64> {
        None
    }
    /// Where numbers of processes mean the same: the boot, and within it behind a `/` the container, if there are any. One
    /// word.
    fn host(&self) -> String {
        self.boot_id()
    }
}

/// A world that several parts of a process share.
impl<F: Fs> Fs for std::sync::Arc<F> {
    type File = F::File;
    fn open(&self, path: &ProjectPath, mode: Mode) -> Result<Self::File, Fault> {
        (**self).open(path, mode)
    }
    fn read_at(&self, file: &Self::File, offset: u64, buffer: &mut [u8]) -> Result<usize, Fault> {
        (**self).read_at(file, offset, buffer)
    }
    fn write_at(&self, file: &Self::File, offset: u64, bytes: &[u8]) -> Result<(), Fault> {
        (**self).write_at(file, offset, bytes)
    }
    fn truncate(&self, file: &Self::File, length: u64) -> Result<(), Fault> {
        (**self).truncate(file, length)
    }
    fn set_permissions(&self, file: &Self::File, permissions: u32) -> Result<(), Fault> {
        (**self).set_permissions(file, permissions)
    }
    fn set_modified(&self, file: &Self::File, modified: i128) -> Result<(), Fault> {
        (**self).set_modified(file, modified)
    }
    fn sync(&self, file: &Self::File) -> Result<(), Fault> {
        (**self).sync(file)
    }
    fn begin_sync(&self, file: &Self::File, offset: u64, length: u64) {
        (**self).begin_sync(file, offset, length);
    }
    fn sync_files(&self, paths: &[ProjectPath]) -> Result<(), Fault> {
        (**self).sync_files(paths)
    }
    fn stamp(&self, file: &Self::File) -> Result<Stamp, Fault> {
        (**self).stamp(file)
    }
    fn look(&self, path: &ProjectPath) -> Result<Option<Stamp>, Fault> {
        (**self).look(path)
    }
    fn rename(&self, from: &ProjectPath, to: &ProjectPath) -> Result<(), Fault> {
        (**self).rename(from, to)
    }
    fn rename_new(&self, from: &ProjectPath, to: &ProjectPath) -> Result<(), Fault> {
        (**self).rename_new(from, to)
    }
    fn exchange(&self, one: &ProjectPath, other: &ProjectPath) -> Result<(), Fault> {
        (**self).exchange(one, other)
    }
    fn link(&self, from: &ProjectPath, to: &ProjectPath) -> Result<(), Fault> {
        (**self).link(from, to)
    }
    fn remove(&self, path: &ProjectPath) -> Result<(), Fault> {
        (**self).remove(path)
    }
    fn make_folder(&self, path: &ProjectPath) -> Result<(), Fault> {
        (**self).make_folder(path)
    }
    fn list(&self, folder: &ProjectPath) -> Result<Option<Vec<String>>, Fault> {
        (**self).list(folder)
    }
    fn sync_folder(&self, folder: Option<&ProjectPath>) -> Result<(), Fault> {
        (**self).sync_folder(folder)
    }
    fn try_lock(&self, file: &Self::File) -> Result<bool, Fault> {
        (**self).try_lock(file)
    }
    fn unlock(&self, file: &Self::File) -> Result<(), Fault> {
        (**self).unlock(file)
    }
    fn has_writer(&self, path: &ProjectPath) -> Result<Option<bool>, Fault> {
        (**self).has_writer(path)
    }
    fn boot_id(&self) -> String {
        (**self).boot_id()
    }
    fn now(&self) -> Now {
        (**self).now()
    }
    fn pause(&self, time: Duration) {
        (**self).pause(time);
    }
    fn process(&self) -> u32 {
        (**self).process()
    }
    fn unfit(&self) -> Option<String> {
        (**self).unfit()
    }
    fn only_looks(&self) -> bool {
        (**self).only_looks()
    }
    fn process_state(&self, process: u32) -> ProcessState {
        (**self).process_state(process)
    }
    fn process_start(&self, process: u32) -> Option<u64> {
        (**self).process_start(process)
    }
    fn host(&self) -> String {
        (**self).host()
    }
}
