//! The control group of a program's tree, where this user may make one: the kernel itself then bounds memory and processes
//! of all of it together, also between two looks of the launcher (QL-31). Knows both kinds of hierarchies; knows neither
//! namespaces nor rules, and ends nothing.
//!
//! A group is a folder that somebody has to remove. Its launcher does, and holds a lock on it as long as it lives; what a
//! launcher that was killed has left is removed by the next one that makes a group at the same place.

mod places;

use std::fs::{self, File};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::Path;
use std::time::Duration;

use rustix::fs::{AtFlags, FlockOperation, Mode, OFlags, flock, open, unlinkat};

use crate::Bounds;
use crate::namespaces::succeeds;
use places::{Kind, Place};

/// How the folders of our groups begin.
const OURS: &str = "multiverse-";

/// Names that are tried for one group.
const NAMES: u32 = 100;

/// Killed processes may take a moment to leave their group.
const REMOVALS: u32 = 200;
const BREATH: Duration = Duration::from_millis(5);

/// The groups of one tree: one folder, or one in each hierarchy.
#[derive(Debug, Default)]
pub(crate) struct Group {
    folders: Vec<Folder>,
}

/// Descriptors are all opened before the launcher leaves the namespaces of the system: later nothing can be written there.
#[derive(Debug)]
struct Folder {
    kind: Kind,
    parent: OwnedFd,
    name: String,
    /// Locked while somebody needs it.
    _lock: File,
    /// Who writes a zero here is in the group.
    door: File,
    /// Tells whether the kernel had to end somebody for memory.
    killed: Option<File>,
}

impl Group {
    /// The most that this user may have; nothing, in the worst case. Each place is tried with a process that is thrown away.
    pub(crate) fn new(bounds: &Bounds) -> Self {
        let mut group = Self::default();
        for place in places::found() {
            // A process is in one group of a hierarchy.
            let is_news = !group.folders.iter().any(|folder| folder.kind.is_newer() && place.kind.is_newer())
                && (place.kind.bounds_memory() && !group.bounds_memory()
                    || place.kind.bounds_processes() && !group.bounds_processes());
            if is_news && let Ok(folder) = Folder::new(&place, bounds) {
                group.folders.push(folder);
            }
        }
        group
    }

    pub(crate) fn bounds_memory(&self) -> bool {
        self.folders.iter().any(|folder| folder.kind.bounds_memory())
    }

    pub(crate) fn bounds_processes(&self) -> bool {
        self.folders.iter().any(|folder| folder.kind.bounds_processes())
    }

    /// What a process needs to enter, wherever it is by then.
    pub(crate) fn doors(&self) -> io::Result<Vec<File>> {
        self.folders.iter().map(|folder| folder.door.try_clone()).collect()
    }

    /// Whether the kernel ended one of the tree because all of it had no more memory.
    pub(crate) fn was_full(&self) -> bool {
        self.folders.iter().filter_map(|folder| folder.killed.as_ref()).any(|list| killed(list) > 0)
    }

    /// When the tree is gone.
    pub(crate) fn remove(self) {
        for folder in &self.folders {
            folder.remove();
        }
    }
}

/// Takes this process into the group. All that it will ever start is there, too.
pub(crate) fn enter(doors: &[File]) -> io::Result<()> {
    doors.iter().try_for_each(|door| door.write_at(b"0", 0).map(drop))
}

impl Folder {
    fn new(place: &Place, bounds: &Bounds) -> io::Result<Self> {
        let parent = folder(&place.path)?;
        remove_what_others_left(&place.path, &parent);
        let (name, lock) = make(&place.path)?;
        let path = place.path.join(&name);
        // Whatever fails from here on must not leave the folder.
        let made = place.kind.set(&path, bounds).and_then(|()| {
            let door = File::options().write(true).open(path.join("cgroup.procs"))?;
            let killed = place.kind.tells_killed().and_then(|file| File::open(path.join(file)).ok());
            Ok((door, killed))
        });
        let (door, killed) = made.inspect_err(|_| drop(fs::remove_dir(&path)))?;
        let made = Self { kind: place.kind, parent, name, _lock: lock, door, killed };
        let entered = made.door.try_clone().is_ok_and(|door| succeeds(|| enter(&[door]).is_ok()));
        if !entered {
            made.remove();
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        Ok(made)
    }

    fn remove(&self) {
        for _ in 0..REMOVALS {
            match unlinkat(&self.parent, self.name.as_str(), AtFlags::REMOVEDIR) {
                Err(rustix::io::Errno::BUSY) => std::thread::sleep(BREATH),
                _ => return,
            }
        }
    }
}

fn folder(path: &Path) -> io::Result<OwnedFd> {
    Ok(open(path, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?)
}

/// A folder of a new name that is ours: whoever removes what others left can come between making and locking it.
fn make(place: &Path) -> io::Result<(String, File)> {
    let own = std::process::id();
    for number in 0..NAMES {
        let name = format!("{OURS}{own}-{number}");
        let path = place.join(&name);
        match fs::create_dir(&path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
            made => made?,
        }
        let Ok(lock) = folder(&path).map(File::from) else { continue };
        flock(&lock, FlockOperation::LockExclusive)?;
        let is_there = |found: fs::Metadata| lock.metadata().is_ok_and(|own| own.ino() == found.ino());
        if fs::metadata(&path).is_ok_and(is_there) {
            return Ok((name, lock));
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

/// Groups whose launcher is gone. One with processes in it cannot be removed, whoever tries.
fn remove_what_others_left(place: &Path, parent: &OwnedFd) {
    for entry in fs::read_dir(place).into_iter().flatten().flatten() {
        let name = entry.file_name();
        if name.as_encoded_bytes().starts_with(OURS.as_bytes())
            && let Ok(lock) = folder(&entry.path())
            && flock(&lock, FlockOperation::NonBlockingLockExclusive).is_ok()
        {
            let _ = unlinkat(parent, name.as_os_str(), AtFlags::REMOVEDIR);
        }
    }
}

/// The number after `oom_kill` in one of the kernel's lists.
fn killed(list: &File) -> u64 {
    let mut text = [0; 4096];
    let length = list.read_at(&mut text, 0).unwrap_or(0);
    let text = String::from_utf8_lossy(&text[..length]);
    let mut numbers = text.lines().filter_map(|line| line.strip_prefix("oom_kill ")?.trim().parse().ok());
    numbers.next().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// QL-31: what a launcher left that was killed goes; what one holds that lives stays.
    #[test]
    fn ql31_only_groups_of_the_dead_are_removed() {
        let place = tempfile::tempdir().unwrap();
        let (living, _lock) = make(place.path()).unwrap();
        let (dead, lock) = make(place.path()).unwrap();
        drop(lock);
        fs::create_dir(place.path().join("of-somebody-else")).unwrap();
        remove_what_others_left(place.path(), &folder(place.path()).unwrap());
        let left = |name: &str| place.path().join(name).exists();
        assert_eq!((left(&living), left(&dead), left("of-somebody-else")), (true, false, true));
    }
}
