//! The simulated disk: files, names, handles and locks, as the kernel of one machine has them. Every call here
//! happens at once and without faults of its own, but for those that a disk in order gives, such as being full.
//! Who calls, when, and what is made to fail is decided elsewhere.

use std::collections::{BTreeMap, BTreeSet};

use store::{FaultKind, Mode, ProjectPath, Stamp};

use crate::content::Content;
use crate::failure::Failure;
use crate::loss::LossMode;
use crate::names::{FileId, Names, Node, Place, Special};
use crate::random::Random;

/// Unreachable files are looked for when this many more exist than after the last search.
const SWEEP_AFTER: usize = 256;

/// An open file of some process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct HandleId(u64);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Access {
    Read,
    Write,
}

#[derive(Debug, Clone)]
struct Handle {
    file: FileId,
    access: Access,
    process: usize,
    /// How many failed syncs of the file it knows of.
    failures_seen: u32,
}

/// What a file has besides its bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Attributes {
    modified: i128,
    permissions: u32,
}

#[derive(Debug, Clone)]
struct File {
    content: Content,
    /// The inode's number; free for others once no name and no handle is left.
    number: u64,
    names: usize,
    attributes: Attributes,
    durable_attributes: Attributes,
    lock: Option<HandleId>,
    /// How many syncs of it have failed.
    failures: u32,
}

#[derive(Debug, Clone)]
pub(crate) struct Disk {
    names: Names,
    files: BTreeMap<FileId, File>,
    handles: BTreeMap<HandleId, Handle>,
    issued: u64,
    numbers_in_use: BTreeSet<u64>,
    swept: usize,
    /// Bytes that all files together may have.
    pub(crate) capacity: usize,
}

impl Disk {
    pub(crate) fn new() -> Self {
        Self {
            names: Names::new(),
            files: BTreeMap::new(),
            handles: BTreeMap::new(),
            issued: 0,
            numbers_in_use: BTreeSet::new(),
            swept: 0,
            capacity: usize::MAX,
        }
    }

    pub(crate) fn open(
        &mut self,
        path: &ProjectPath,
        mode: Mode,
        process: usize,
        time: i128,
    ) -> Result<HandleId, Failure> {
        let file = match (self.names.node(path)?, mode) {
            (Some(_), Mode::CreateNew) => return Err(Failure::plain(FaultKind::Exists)),
            (Some(node), _) => node.file()?,
            (None, Mode::Read | Mode::Write) => return Err(Failure::missing()),
            (None, Mode::Create | Mode::CreateNew) => self.create(path, time),
        };
        let access = if mode == Mode::Read { Access::Read } else { Access::Write };
        let handle = HandleId(self.issue());
        let failures_seen = self.files[&file].failures;
        self.handles.insert(handle, Handle { file, access, process, failures_seen });
        Ok(handle)
    }

    pub(crate) fn close(&mut self, handle: HandleId) {
        if let Some(closed) = self.handles.remove(&handle) {
            if let Some(file) = self.files.get_mut(&closed.file)
                && file.lock == Some(handle)
            {
                file.lock = None;
            }
            self.free_number(closed.file);
        }
    }

    /// The process is gone: its handles close, and with them go its locks.
    pub(crate) fn close_all(&mut self, process: usize) {
        let of_process = |(id, handle): (&HandleId, &Handle)| (handle.process == process).then_some(*id);
        for handle in self.handles.iter().filter_map(of_process).collect::<Vec<_>>() {
            self.close(handle);
        }
    }

    /// Every process is gone.
    pub(crate) fn close_everything(&mut self) {
        for handle in self.handles.keys().copied().collect::<Vec<_>>() {
            self.close(handle);
        }
    }

    pub(crate) fn read(&self, handle: HandleId, offset: u64, buffer: &mut [u8]) -> Result<usize, Failure> {
        Ok(self.file(handle)?.content.read(position(offset)?, buffer))
    }

    pub(crate) fn write(&mut self, handle: HandleId, offset: u64, bytes: &[u8], time: i128) -> Result<(), Failure> {
        let free = self.free_bytes();
        let offset = position(offset)?;
        let file = self.file_to_write(handle)?;
        let room = (file.content.size() + free).saturating_sub(offset);
        let fits = &bytes[..bytes.len().min(room)];
        file.content.write(offset, fits);
        file.attributes.modified = time;
        if fits.len() < bytes.len() { Err(Failure::plain(FaultKind::DiskFull)) } else { Ok(()) }
    }

    pub(crate) fn truncate(&mut self, handle: HandleId, length: u64, time: i128) -> Result<(), Failure> {
        let free = self.free_bytes();
        let length = position(length)?;
        let file = self.file_to_write(handle)?;
        if length > file.content.size() + free {
            return Err(Failure::plain(FaultKind::DiskFull));
        }
        file.content.truncate(length);
        file.attributes.modified = time;
        Ok(())
    }

    pub(crate) fn set_modified(&mut self, handle: HandleId, modified: i128) -> Result<(), Failure> {
        self.file_mut(handle)?.attributes.modified = modified;
        Ok(())
    }

    pub(crate) fn set_permissions(&mut self, handle: HandleId, permissions: u32) -> Result<(), Failure> {
        self.file_mut(handle)?.attributes.permissions = permissions & 0o7777;
        Ok(())
    }

    /// A sync that works, unless the handle has not yet heard of an earlier one that failed.
    pub(crate) fn sync(&mut self, handle: HandleId) -> Result<(), Failure> {
        let file = self.file_mut(handle)?;
        file.content.sync();
        file.durable_attributes = file.attributes;
        self.report_failures(handle)
    }

    /// A sync that fails. Every handle open now hears of it once; one opened later does not.
    pub(crate) fn fail_sync(&mut self, handle: HandleId, random: &mut Random) {
        if let Ok(file) = self.file_mut(handle) {
            file.content.fail_sync(random);
            file.failures += 1;
        }
        // The caller is told by the fault that it gets.
        let _ = self.report_failures(handle);
    }

    pub(crate) fn stamp(&self, handle: HandleId) -> Result<Stamp, Failure> {
        Ok(stamp_of(self.file(handle)?))
    }

    pub(crate) fn look(&self, path: &ProjectPath) -> Result<Option<Stamp>, Failure> {
        match self.names.node(path) {
            Ok(None) => Ok(None),
            Ok(Some(node)) => Ok(Some(stamp_of(&self.files[&node.file()?]))),
            Err(failure) if failure.kind == FaultKind::Missing => Ok(None),
            Err(failure) => Err(failure),
        }
    }

    pub(crate) fn rename(&mut self, from: &ProjectPath, to: &ProjectPath) -> Result<(), Failure> {
        let moved = self.existing(from)?;
        let replaced = self.names.node(to)?.map(Node::file).transpose()?;
        if replaced == Some(moved) {
            // Two names of one file: rename(2) does nothing and says that all is well.
            return Ok(());
        }
        self.names.change(vec![(Place::of(from), None), (Place::of(to), Some(Node::File(moved)))], vec![]);
        if let Some(replaced) = replaced {
            self.drop_name(replaced);
        }
        Ok(())
    }

    pub(crate) fn rename_new(&mut self, from: &ProjectPath, to: &ProjectPath) -> Result<(), Failure> {
        self.existing(from)?;
        match self.names.node(to)? {
            Some(_) => Err(Failure::plain(FaultKind::Exists)),
            None => self.rename(from, to),
        }
    }

    pub(crate) fn exchange(&mut self, one: &ProjectPath, other: &ProjectPath) -> Result<(), Failure> {
        let (first, second) = (Node::File(self.existing(one)?), Node::File(self.existing(other)?));
        self.names.change(vec![(Place::of(one), Some(second)), (Place::of(other), Some(first))], vec![]);
        Ok(())
    }

    pub(crate) fn link(&mut self, from: &ProjectPath, to: &ProjectPath) -> Result<(), Failure> {
        let file = self.existing(from)?;
        if self.names.node(to)?.is_some() {
            return Err(Failure::plain(FaultKind::Exists));
        }
        self.names.change(vec![(Place::of(to), Some(Node::File(file)))], vec![Place::of(from)]);
        if let Some(file) = self.files.get_mut(&file) {
            file.names += 1;
        }
        Ok(())
    }

    pub(crate) fn remove(&mut self, path: &ProjectPath) -> Result<(), Failure> {
        let file = self.existing(path)?;
        self.names.change(vec![(Place::of(path), None)], vec![]);
        self.drop_name(file);
        Ok(())
    }

    /// Makes one folder, unless it exists; the one above it must.
    pub(crate) fn make_folder(&mut self, path: &ProjectPath) -> Result<(), Failure> {
        match self.names.node(path)? {
            Some(Node::Folder) => Ok(()),
            Some(_) => Err(Failure::new(FaultKind::NotAFile, format!("{path} is not a folder"))),
            None => {
                self.names.change(vec![(Place::of(path), Some(Node::Folder))], vec![]);
                Ok(())
            }
        }
    }

    /// Puts something at a path that is neither file nor folder.
    pub(crate) fn make_special(&mut self, path: &ProjectPath, special: Special) -> Result<(), Failure> {
        match self.names.node(path)? {
            Some(_) => Err(Failure::plain(FaultKind::Exists)),
            None => {
                self.names.change(vec![(Place::of(path), Some(Node::Special(special)))], vec![]);
                Ok(())
            }
        }
    }

    pub(crate) fn list(&self, folder: &ProjectPath) -> Result<Option<Vec<String>>, Failure> {
        match self.names.folder(folder) {
            Ok(names) => Ok(Some(names.keys().cloned().collect())),
            Err(failure) if failure.kind == FaultKind::Missing => Ok(None),
            Err(failure) => Err(failure),
        }
    }

    pub(crate) fn sync_folder(&mut self, folder: Option<&ProjectPath>) -> Result<(), Failure> {
        if let Some(folder) = folder {
            self.names.folder(folder)?;
        }
        self.names.sync(folder.map_or("", ProjectPath::as_str));
        self.sweep();
        Ok(())
    }

    pub(crate) fn try_lock(&mut self, handle: HandleId) -> Result<bool, Failure> {
        let lock = &mut self.file_mut(handle)?.lock;
        Ok(*lock.get_or_insert(handle) == handle)
    }

    pub(crate) fn unlock(&mut self, handle: HandleId) -> Result<(), Failure> {
        let lock = &mut self.file_mut(handle)?.lock;
        if *lock == Some(handle) {
            *lock = None;
        }
        Ok(())
    }

    pub(crate) fn has_writer(&self, path: &ProjectPath) -> Result<bool, Failure> {
        let file = self.existing(path)?;
        Ok(self.handles.values().any(|handle| handle.file == file && handle.access == Access::Write))
    }

    /// Every file with its bytes, by path.
    pub(crate) fn contents(&self) -> BTreeMap<String, Vec<u8>> {
        self.names.files().map(|(path, file)| (path, self.files[&file].content.bytes().to_vec())).collect()
    }

    /// Sectors that failed syncs gave up are no longer in memory.
    pub(crate) fn forget_given_up(&mut self) {
        self.files.values_mut().for_each(|file| file.content.forget_given_up());
    }

    /// The power fails: no handle is left, and of what was not synced only what the mode lets survive.
    pub(crate) fn lose(&mut self, mode: LossMode, random: &mut Random) {
        let odds = mode.odds(random);
        self.handles.clear();
        self.names.lose(odds.names, random);
        let mut names = BTreeMap::<FileId, usize>::new();
        for (_, file) in self.names.files() {
            *names.entry(file).or_default() += 1;
        }
        self.files.retain(|id, _| names.contains_key(id));
        self.numbers_in_use.clear();
        for (id, file) in &mut self.files {
            file.content.lose(odds, random);
            if !odds.sizes.draw(random) {
                file.attributes = file.durable_attributes;
            }
            file.durable_attributes = file.attributes;
            file.lock = None;
            file.failures = 0;
            file.names = names[id];
            if !self.numbers_in_use.insert(file.number) {
                file.number = first_free(&self.numbers_in_use);
                self.numbers_in_use.insert(file.number);
            }
        }
    }

    fn create(&mut self, path: &ProjectPath, time: i128) -> FileId {
        let id = FileId(self.issue());
        let number = first_free(&self.numbers_in_use);
        self.numbers_in_use.insert(number);
        let attributes = Attributes { modified: time, permissions: 0o644 };
        self.files.insert(
            id,
            File {
                content: Content::default(),
                number,
                names: 1,
                attributes,
                durable_attributes: attributes,
                lock: None,
                failures: 0,
            },
        );
        self.names.change(vec![(Place::of(path), Some(Node::File(id)))], vec![]);
        id
    }

    fn issue(&mut self) -> u64 {
        self.issued += 1;
        self.issued
    }

    fn drop_name(&mut self, id: FileId) {
        if let Some(file) = self.files.get_mut(&id) {
            file.names -= 1;
        }
        self.free_number(id);
    }

    /// A file without names and handles gives its number to the next new one, as on ext4. The bytes stay: on the
    /// platter the name may still be there.
    fn free_number(&mut self, id: FileId) {
        if let Some(file) = self.files.get(&id)
            && file.names == 0
            && !self.handles.values().any(|handle| handle.file == id)
        {
            self.numbers_in_use.remove(&file.number);
        }
    }

    /// Forgets files that nothing leads to any more.
    fn sweep(&mut self) {
        if self.files.len() > self.swept + SWEEP_AFTER {
            let mut reachable = self.names.reachable();
            reachable.extend(self.handles.values().map(|handle| handle.file));
            self.files.retain(|id, _| reachable.contains(id));
            self.swept = self.files.len();
        }
    }

    fn free_bytes(&self) -> usize {
        if self.capacity == usize::MAX {
            return usize::MAX / 2;
        }
        let open: BTreeSet<FileId> = self.handles.values().map(|handle| handle.file).collect();
        let alive = self.files.iter().filter(|(id, file)| file.names > 0 || open.contains(id));
        self.capacity.saturating_sub(alive.map(|(_, file)| file.content.size()).sum())
    }

    fn report_failures(&mut self, handle: HandleId) -> Result<(), Failure> {
        let failures = self.file(handle)?.failures;
        match self.handles.get_mut(&handle) {
            Some(open) if open.failures_seen < failures => {
                open.failures_seen = failures;
                Err(Failure::plain(FaultKind::Device))
            }
            _ => Ok(()),
        }
    }

    fn existing(&self, path: &ProjectPath) -> Result<FileId, Failure> {
        let node = self.names.node(path).and_then(|node| node.ok_or_else(Failure::missing));
        node.and_then(Node::file).map_err(|failure| failure.on(path))
    }

    fn file(&self, handle: HandleId) -> Result<&File, Failure> {
        let file = self.handles.get(&handle).and_then(|handle| self.files.get(&handle.file));
        file.ok_or_else(bad_handle)
    }

    fn file_mut(&mut self, handle: HandleId) -> Result<&mut File, Failure> {
        let file = self.handles.get(&handle).and_then(|handle| self.files.get_mut(&handle.file));
        file.ok_or_else(bad_handle)
    }

    fn file_to_write(&mut self, handle: HandleId) -> Result<&mut File, Failure> {
        match self.handles.get(&handle) {
            Some(open) if open.access == Access::Write => self.file_mut(handle),
            _ => Err(bad_handle()),
        }
    }
}

fn bad_handle() -> Failure {
    Failure::new(FaultKind::Other, "bad file descriptor")
}

fn position(offset: u64) -> Result<usize, Failure> {
    usize::try_from(offset).map_err(|_| Failure::plain(FaultKind::DiskFull))
}

fn stamp_of(file: &File) -> Stamp {
    let Attributes { modified, permissions } = file.attributes;
    Stamp { inode: file.number, size: file.content.size() as u64, modified, permissions }
}

/// The lowest number that is free, so that numbers come back as soon as they can.
fn first_free(in_use: &BTreeSet<u64>) -> u64 {
    let first = 12;
    in_use
        .iter()
        .zip(first..)
        .find_map(|(&used, free)| (used != free).then_some(free))
        .unwrap_or(first + in_use.len() as u64)
}
