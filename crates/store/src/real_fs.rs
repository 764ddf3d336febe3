//! The world for real: files below one folder of one machine. No symbolic link below that folder is followed, and
//! nothing but regular files is opened, so that no path leads out of the project whatever somebody puts into it.

mod early;
mod file_system;
mod lease;
mod system;
mod walk;

use std::fs::{File, TryLockError};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::{FileExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};
use std::{fs, io};

use rustix::fs::{AtFlags, FileType, OFlags, RenameFlags, Stat};
use rustix::io::Errno;

use self::walk::{Folder, Trouble};
use crate::fault::{Fault, FaultKind};
use crate::fs::{Errand, Fs, Mode, Now, ProcessState, Stamp};
use crate::path::{ProjectPath, folder_of};

pub use self::file_system::{FileSystem, Reach};

/// The clock that all processes share and that never goes back, and the name of the boot that it counts from.
pub fn since_boot() -> (Duration, String) {
    (system::since_boot(), system::boot_id())
}

/// Permissions of new files, before the umask.
const NEW_FILE: u32 = 0o644;
/// How often opening a file for writing is tried while another process looks whether it has writers.
const LEASE_TRIES: u32 = 1000;
/// Between two such tries; a look takes microseconds.
const LEASE_PAUSE: Duration = Duration::from_millis(1);

/// How many files are made durable at the same time, at most.
const SYNCED_AT_ONCE: usize = 16;
/// So few are not worth a thread.
const LEAST_SHARE: usize = 4;

/// The files of one project on this machine.
#[derive(Debug)]
pub struct RealFs {
    root: File,
    path: PathBuf,
    /// Whether calls that change something do nothing.
    only_looks: bool,
}

/// An open regular file.
#[derive(Debug)]
pub struct RealFile {
    file: File,
    path: ProjectPath,
}

impl RealFs {
    /// The project below an existing folder. The way to that folder may lead over symbolic links.
    pub fn open(root: &Path) -> Result<Self, Fault> {
        let fault = |error: &io::Error| at_root("open the project", root, error);
        let path = fs::canonicalize(root).map_err(|error| fault(&error))?;
        let folder = rustix::fs::open(&path, walk::FOLDER_FLAGS, rustix::fs::Mode::empty());
        let root = folder.map_err(|errno| fault(&errno.into()))?;
        Ok(Self { root: File::from(root), path, only_looks: false })
    }

    /// The same for somebody who only looks: what would change something, a lock included, is not done, and nobody else
    /// notices. What was written in vain is not there when it is read.
    pub fn open_to_look(root: &Path) -> Result<Self, Fault> {
        Ok(Self { only_looks: true, ..Self::open(root)? })
    }

    /// The project's folder, absolute.
    pub fn root(&self) -> &Path {
        &self.path
    }

    /// The file system that the project's folder lies on.
    pub fn file_system(&self) -> Result<FileSystem, Fault> {
        FileSystem::of(&self.root).map_err(|error| at_root("look at the file system of", &self.path, &error))
    }

    fn folder_of(&self, path: &ProjectPath) -> Result<Folder<'_>, Trouble> {
        walk::open_folder(self.root.as_fd(), path.parent().as_ref())
    }

    fn open_regular(&self, path: &ProjectPath, mode: Mode) -> Result<File, Trouble> {
        let folder = self.folder_of(path)?;
        let access = match mode {
            Mode::Read => OFlags::RDONLY,
            Mode::Write => OFlags::RDWR,
            Mode::CreateNew => OFlags::RDWR | OFlags::CREATE | OFlags::EXCL,
            Mode::Create => OFlags::RDWR | OFlags::CREATE,
        };
        // Without NONBLOCK, opening a named pipe would wait for its other end.
        let flags = access | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC | OFlags::NOCTTY;
        let file = match open_patiently(&folder, path.name(), flags) {
            Ok(file) => file,
            Err(errno @ (Errno::NOENT | Errno::EXIST)) => return Err(errno.into()),
            // What the system says of links, folders and sockets differs; what it is, is the better reason.
            Err(errno) => return Err(not_regular(&folder, path.name()).unwrap_or(errno.into())),
        };
        // What was made just now is a regular file.
        if mode != Mode::CreateNew {
            walk::require_regular(FileType::from_raw_mode(rustix::fs::fstat(&file)?.st_mode))?;
        }
        Ok(File::from(file))
    }

    /// The folder of a path at which there must be a regular file. In our own folder nobody else puts things.
    fn folder_with_file(&self, path: &ProjectPath) -> Result<Folder<'_>, Trouble> {
        let folder = self.folder_of(path)?;
        if !path.is_own() {
            regular_at(&folder, path.name())?;
        }
        Ok(folder)
    }

    fn rename_by(&self, from: &ProjectPath, to: &ProjectPath, how: How) -> Result<(), Fault> {
        let source = self.folder_with_file(from).map_err(|trouble| trouble.fault(how.verb(), from))?;
        let is_beside = folder_of(from.as_str()) == folder_of(to.as_str());
        let other = match how {
            How::Exchange => self.folder_with_file(to).map(Some),
            // One folder is opened once: so it is for each file that is written aside.
            How::Replace | How::New if is_beside => Ok(None),
            How::Replace | How::New => self.folder_of(to).map(Some),
        };
        other
            .and_then(|other| {
                let target = other.as_ref().unwrap_or(&source);
                if how == How::Replace && !to.is_own() {
                    match regular_at(target, to.name()) {
                        Ok(_) | Err(Trouble::System(Errno::NOENT)) => {}
                        Err(trouble) => return Err(trouble),
                    }
                }
                Ok(rustix::fs::renameat_with(&source, from.name(), target, to.name(), how.flags())?)
            })
            .map_err(|trouble| trouble.fault(how.verb(), to))
    }
}

/// The three ways to move a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum How {
    Replace,
    New,
    Exchange,
}

impl How {
    fn verb(self) -> &'static str {
        match self {
            Self::Replace | Self::New => "rename",
            Self::Exchange => "exchange",
        }
    }

    fn flags(self) -> RenameFlags {
        match self {
            Self::Replace => RenameFlags::empty(),
            Self::New => RenameFlags::NOREPLACE,
            Self::Exchange => RenameFlags::EXCHANGE,
        }
    }
}

impl Fs for RealFs {
    type File = RealFile;

    fn open(&self, path: &ProjectPath, mode: Mode) -> Result<RealFile, Fault> {
        let verb = match mode {
            Mode::Read | Mode::Write => "open",
            Mode::Create | Mode::CreateNew => "create",
        };
        let file = match (self.only_looks, mode) {
            (false, _) => self.open_regular(path, mode),
            (true, Mode::CreateNew) => nothing(),
            (true, _) => self.open_regular(path, Mode::Read),
        };
        let file = file.map_err(|trouble| trouble.fault(verb, path))?;
        Ok(RealFile { file, path: path.clone() })
    }

    fn read_at(&self, file: &RealFile, offset: u64, buffer: &mut [u8]) -> Result<usize, Fault> {
        loop {
            match file.file.read_at(buffer, offset) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                result => return result.map_err(|error| file.fault("read", &error)),
            }
        }
    }

    fn write_at(&self, file: &RealFile, offset: u64, bytes: &[u8]) -> Result<(), Fault> {
        if self.only_looks {
            return Ok(());
        }
        file.file.write_all_at(bytes, offset).map_err(|error| file.fault("write", &error))
    }

    fn truncate(&self, file: &RealFile, length: u64) -> Result<(), Fault> {
        if self.only_looks {
            return Ok(());
        }
        file.file.set_len(length).map_err(|error| file.fault("resize", &error))
    }

    fn set_modified(&self, file: &RealFile, modified: i128) -> Result<(), Fault> {
        if self.only_looks {
            return Ok(());
        }
        let since = Duration::from_nanos(u64::try_from(modified).unwrap_or_default());
        let time = SystemTime::UNIX_EPOCH + since;
        file.file.set_modified(time).map_err(|error| file.fault("set the time of", &error))
    }

    fn set_permissions(&self, file: &RealFile, permissions: u32) -> Result<(), Fault> {
        if self.only_looks {
            return Ok(());
        }
        let permissions = fs::Permissions::from_mode(permissions);
        file.file.set_permissions(permissions).map_err(|error| file.fault("set the permissions of", &error))
    }

    fn sync(&self, file: &RealFile) -> Result<(), Fault> {
        if self.only_looks {
            return Ok(());
        }
        file.file.sync_data().map_err(|error| file.fault("sync", &error))
    }

    fn begin_sync(&self, file: &RealFile, offset: u64, length: u64) {
        if !self.only_looks {
            early::begin_to_write(&file.file, offset, length);
        }
    }

    /// A disk makes many files durable in little more time than one, if it is asked for all of them at once.
    fn sync_files(&self, paths: &[ProjectPath]) -> Result<(), Fault> {
        if self.only_looks {
            return Ok(());
        }
        let sync = |path: &ProjectPath| match self.open(path, Mode::Read) {
            Err(fault) if fault.kind == FaultKind::Missing => Ok(()),
            file => self.sync(&file?),
        };
        let share = paths.len().div_ceil(SYNCED_AT_ONCE).max(LEAST_SHARE);
        std::thread::scope(|scope| {
            let (own, others) = paths.split_at(share.min(paths.len()));
            let threads = others.chunks(share).map(|share| {
                let work = move || share.iter().try_for_each(sync);
                std::thread::Builder::new().spawn_scoped(scope, work).map_err(|_| share)
            });
            let threads: Vec<_> = threads.collect();
            let synced = own.iter().try_for_each(sync);
            let broken = || Fault::new("sync", &ProjectPath::own(""), FaultKind::Other, "a thread of ours broke down");
            threads.into_iter().fold(synced, |synced, thread| {
                synced.and(match thread {
                    Ok(thread) => thread.join().unwrap_or_else(|_| Err(broken())),
                    // There is no room for another thread.
                    Err(share) => share.iter().try_for_each(sync),
                })
            })
        })
    }

    fn stamp(&self, file: &RealFile) -> Result<Stamp, Fault> {
        let metadata = file.file.metadata().map_err(|error| file.fault("look at", &error))?;
        Ok(Stamp {
            inode: metadata.ino(),
            size: metadata.size(),
            modified: nanoseconds(metadata.mtime(), metadata.mtime_nsec()),
            permissions: metadata.mode() & 0o7777,
        })
    }

    fn look(&self, path: &ProjectPath) -> Result<Option<Stamp>, Fault> {
        let stat = match walk::stat_at_once(self.root.as_fd(), path) {
            Some(stat) => stat.map_err(Trouble::from).and_then(regular),
            None => self.folder_of(path).and_then(|folder| regular_at(&folder, path.name())),
        };
        match stat {
            Ok(stat) => Ok(Some(stamp_of(&stat))),
            Err(Trouble::System(Errno::NOENT)) => Ok(None),
            Err(trouble) => Err(trouble.fault("look at", path)),
        }
    }

    fn rename(&self, from: &ProjectPath, to: &ProjectPath) -> Result<(), Fault> {
        if self.only_looks {
            return Ok(());
        }
        self.rename_by(from, to, How::Replace)
    }

    fn rename_new(&self, from: &ProjectPath, to: &ProjectPath) -> Result<(), Fault> {
        if self.only_looks {
            return Ok(());
        }
        self.rename_by(from, to, How::New)
    }

    fn exchange(&self, one: &ProjectPath, other: &ProjectPath) -> Result<(), Fault> {
        if self.only_looks {
            return Ok(());
        }
        self.rename_by(one, other, How::Exchange)
    }

    fn link(&self, from: &ProjectPath, to: &ProjectPath) -> Result<(), Fault> {
        if self.only_looks {
            return Ok(());
        }
        let source = self.folder_with_file(from).map_err(|trouble| trouble.fault("link", from))?;
        self.folder_of(to)
            .and_then(|target| Ok(rustix::fs::linkat(source, from.name(), target, to.name(), AtFlags::empty())?))
            .map_err(|trouble| trouble.fault("link", to))
    }

    fn remove(&self, path: &ProjectPath) -> Result<(), Fault> {
        if self.only_looks {
            return Ok(());
        }
        self.folder_with_file(path)
            .and_then(|folder| Ok(rustix::fs::unlinkat(folder, path.name(), AtFlags::empty())?))
            .map_err(|trouble| trouble.fault("remove", path))
    }

    fn make_folder(&self, path: &ProjectPath) -> Result<(), Fault> {
        if self.only_looks {
            return Ok(());
        }
        walk::make_folder(self.root.as_fd(), path).map_err(|trouble| trouble.fault("make the folder", path))
    }

    /// Names that are not UTF-8 are given as far as they can be read: nothing is found under them.
    fn list(&self, folder: &ProjectPath) -> Result<Option<Vec<String>>, Fault> {
        match walk::open_folder(self.root.as_fd(), Some(folder)).and_then(|open| Ok(walk::names_in(&open)?)) {
            Ok(names) => Ok(Some(names)),
            Err(Trouble::System(Errno::NOENT)) => Ok(None),
            Err(trouble) => Err(trouble.fault("list", folder)),
        }
    }

    fn sync_folder(&self, folder: Option<&ProjectPath>) -> Result<(), Fault> {
        if self.only_looks {
            return Ok(());
        }
        let Some(path) = folder else {
            return self.root.sync_all().map_err(|error| at_root("sync", &self.path, &error));
        };
        match walk::open_folder(self.root.as_fd(), folder) {
            Ok(Folder::Below(open)) => {
                File::from(open).sync_all().map_err(|error| Fault::from_io("sync", path, &error))
            }
            Ok(Folder::Root(_)) => Ok(()),
            Err(trouble) => Err(trouble.fault("sync", path)),
        }
    }

    fn try_lock(&self, file: &RealFile) -> Result<bool, Fault> {
        if self.only_looks {
            // The project's own lock is for those who change something. Of others it can be told whether they are free.
            return Ok(file.path == crate::lock::path() || is_free(file)?);
        }
        match file.file.try_lock() {
            Ok(()) => Ok(true),
            Err(TryLockError::WouldBlock) => Ok(false),
            Err(TryLockError::Error(error)) => Err(file.fault("lock", &error)),
        }
    }

    fn unlock(&self, file: &RealFile) -> Result<(), Fault> {
        if self.only_looks {
            return Ok(());
        }
        file.file.unlock().map_err(|error| file.fault("unlock", &error))
    }

    fn has_writer(&self, path: &ProjectPath) -> Result<Option<bool>, Fault> {
        let file = self.open_regular(path, Mode::Read).map_err(|trouble| trouble.fault("look at", path))?;
        Ok(lease::has_writer(&file))
    }

    fn apart(&self, errand: Errand<Self>) -> Result<(), Errand<Self>> {
        let Ok(root) = self.root.try_clone() else { return Err(errand) };
        let fs = Self { root, path: self.path.clone(), only_looks: self.only_looks };
        // Where there is no room for another thread the errand is dropped, and whoever waits for it hears of that.
        let _ = std::thread::Builder::new().name("errand".into()).spawn(move || errand(&fs));
        Ok(())
    }

    fn boot_id(&self) -> String {
        system::boot_id()
    }

    fn now(&self) -> Now {
        let wall = match SystemTime::now().duration_since(SystemTime::UNIX_EPOCH) {
            Ok(since) => i128::try_from(since.as_nanos()).unwrap_or(i128::MAX),
            Err(before) => -i128::try_from(before.duration().as_nanos()).unwrap_or(i128::MAX),
        };
        Now { wall, steady: system::since_boot() }
    }

    fn pause(&self, time: Duration) {
        std::thread::sleep(time);
    }

    fn process(&self) -> u32 {
        std::process::id()
    }

    fn unfit(&self) -> Option<String> {
        let here = self.file_system().ok().filter(|here| here.reach == Reach::Network)?;
        Some(format!("{} is a network file system, and its locks cannot be trusted; use a local disk", here.name))
    }

    fn only_looks(&self) -> bool {
        self.only_looks
    }

    fn process_state(&self, process: u32) -> ProcessState {
        system::process_state(process)
    }

    fn process_start(&self, process: u32) -> Option<u64> {
        system::process_start(process)
    }

    fn host(&self) -> String {
        system::host()
    }
}

impl RealFile {
    fn fault(&self, doing: &'static str, error: &io::Error) -> Fault {
        Fault::from_io(doing, &self.path, error)
    }
}

/// Whether nobody has the lock of a file.
fn is_free(file: &RealFile) -> Result<bool, Fault> {
    match file.file.try_lock_shared() {
        Ok(()) => file.file.unlock().map(|()| true).map_err(|error| file.fault("unlock", &error)),
        Err(TryLockError::WouldBlock) => Ok(false),
        Err(TryLockError::Error(error)) => Err(file.fault("lock", &error)),
    }
}

/// A file in which nothing stands and nothing stays.
fn nothing() -> Result<File, Trouble> {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC;
    Ok(File::from(rustix::fs::open("/dev/null", flags, rustix::fs::Mode::empty())?))
}

/// Opens a file. While another process looks for writers by means of a lease, opening for writing fails at once
/// because of NONBLOCK; such a look is over in microseconds.
fn open_patiently(folder: &Folder<'_>, name: &str, flags: OFlags) -> rustix::io::Result<OwnedFd> {
    let mut tries = 0;
    loop {
        let result = rustix::fs::openat(folder, name, flags, rustix::fs::Mode::from_raw_mode(NEW_FILE));
        match result {
            Err(Errno::INTR) => {}
            Err(Errno::AGAIN) if tries < LEASE_TRIES => {
                tries += 1;
                std::thread::sleep(LEASE_PAUSE);
            }
            result => return result,
        }
    }
}

/// The stat of a name that must be a regular file.
fn regular_at(folder: &Folder<'_>, name: &str) -> Result<Stat, Trouble> {
    regular(rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)?)
}

fn regular(stat: Stat) -> Result<Stat, Trouble> {
    walk::require_regular(FileType::from_raw_mode(stat.st_mode))?;
    Ok(stat)
}

/// What stands at a name, if it is there and no regular file.
fn not_regular(folder: &Folder<'_>, name: &str) -> Option<Trouble> {
    match regular_at(folder, name) {
        Err(trouble @ Trouble::WrongKind(_)) => Some(trouble),
        _ => None,
    }
}

#[allow(clippy::unnecessary_cast, clippy::useless_conversion, reason = "the types of these fields differ by system")]
fn stamp_of(stat: &Stat) -> Stamp {
    Stamp {
        inode: stat.st_ino as u64,
        size: u64::try_from(stat.st_size).unwrap_or_default(),
        modified: nanoseconds(stat.st_mtime as i64, stat.st_mtime_nsec as i64),
        permissions: u32::from(stat.st_mode) & 0o7777,
    }
}

fn nanoseconds(seconds: i64, rest: i64) -> i128 {
    i128::from(seconds) * 1_000_000_000 + i128::from(rest)
}

fn at_root(doing: &'static str, root: &Path, error: &io::Error) -> Fault {
    let shown = root.display().to_string();
    match ProjectPath::any(".x") {
        Ok(any) => Fault { path: shown, ..Fault::from_io(doing, &any, error) },
        Err(_) => Fault { doing, path: shown, kind: FaultKind::Other, reason: error.to_string() },
    }
}
