//! The world as one simulated process has it: `Fs` on the shared kernel. Every call but `now`, `boot_id` and `process`
//! is a point where another process may go on, or this one stop.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use store::{Fault, FaultKind, Fs, Mode, Now, ProcessState, ProjectPath, Stamp};

use crate::call::Operation;
use crate::disk::HandleId;
use crate::failure::Failure;
use crate::kernel::{Exchange, Extent, Kernel, Shared, Writers};
use crate::names::Special;
use crate::schedule::Role;

/// The number of the first process.
const FIRST_PROCESS: usize = 1000;
/// What asking for the time costs.
const GLANCE: Duration = Duration::from_nanos(200);

/// One process's view of a simulated machine. A clone is the same process.
#[derive(Clone)]
pub struct SimFs {
    shared: Arc<Shared>,
    process: usize,
}

/// An open file of a simulated process.
pub struct SimFile {
    shared: Arc<Shared>,
    handle: HandleId,
    path: ProjectPath,
}

impl SimFs {
    pub(crate) fn new(shared: Arc<Shared>, process: usize) -> Self {
        Self { shared, process }
    }

    /// From now on this process is a person's editor: its calls are no longer counted, stopped or failed by plan.
    pub(crate) fn set_person(&self) {
        self.shared.lock().schedule.processes[self.process].role = Role::Person;
    }

    pub(crate) fn make_special(&self, path: &ProjectPath, special: Special) -> Result<(), Fault> {
        self.on_path(Operation::Link, path, |kernel| kernel.disk.make_special(path, special))
    }

    fn on_path<T>(
        &self,
        operation: Operation,
        path: &ProjectPath,
        effect: impl FnOnce(&mut Kernel) -> Result<T, crate::failure::Failure>,
    ) -> Result<T, Fault> {
        self.shared.call(self.process, operation, path.as_str(), |kernel, _| effect(kernel))
    }
}

impl Fs for SimFs {
    type File = SimFile;

    fn open(&self, path: &ProjectPath, mode: Mode) -> Result<SimFile, Fault> {
        let operation = match mode {
            Mode::Read | Mode::Write => Operation::Open,
            Mode::Create | Mode::CreateNew => Operation::Create,
        };
        let handle = self.on_path(operation, path, |kernel| {
            let time = kernel.clock.file_time();
            kernel.disk.open(path, mode, self.process, time)
        })?;
        Ok(SimFile { shared: self.shared.clone(), handle, path: path.clone() })
    }

    fn read_at(&self, file: &SimFile, offset: u64, buffer: &mut [u8]) -> Result<usize, Fault> {
        self.on_path(Operation::Read, &file.path, |kernel| kernel.disk.read(file.handle, offset, buffer))
    }

    fn write_at(&self, file: &SimFile, offset: u64, bytes: &[u8]) -> Result<(), Fault> {
        self.shared.call(self.process, Operation::Write, file.path.as_str(), |kernel, extent| {
            let time = kernel.clock.file_time();
            let count = kernel.part_of(bytes.len(), extent);
            kernel.disk.write(file.handle, offset, &bytes[..count], time)
        })
    }

    fn truncate(&self, file: &SimFile, length: u64) -> Result<(), Fault> {
        self.on_path(Operation::Truncate, &file.path, |kernel| {
            let time = kernel.clock.file_time();
            kernel.disk.truncate(file.handle, length, time)
        })
    }

    fn set_modified(&self, file: &SimFile, modified: i128) -> Result<(), Fault> {
        let operation = Operation::SetModified;
        self.on_path(operation, &file.path, |kernel| kernel.disk.set_modified(file.handle, modified))
    }

    fn set_permissions(&self, file: &SimFile, permissions: u32) -> Result<(), Fault> {
        let operation = Operation::SetPermissions;
        self.on_path(operation, &file.path, |kernel| kernel.disk.set_permissions(file.handle, permissions))
    }

    fn sync(&self, file: &SimFile) -> Result<(), Fault> {
        self.shared.call(self.process, Operation::Sync, file.path.as_str(), |kernel, extent| match extent {
            Extent::Whole => kernel.disk.sync(file.handle),
            Extent::Torn => Ok(()),
            Extent::Failing => {
                kernel.disk.fail_sync(file.handle, &mut kernel.random);
                Ok(())
            }
        })
    }

    fn stamp(&self, file: &SimFile) -> Result<Stamp, Fault> {
        self.on_path(Operation::Stamp, &file.path, |kernel| kernel.disk.stamp(file.handle))
    }

    fn look(&self, path: &ProjectPath) -> Result<Option<Stamp>, Fault> {
        self.on_path(Operation::Look, path, |kernel| kernel.disk.look(path))
    }

    fn rename(&self, from: &ProjectPath, to: &ProjectPath) -> Result<(), Fault> {
        self.on_path(Operation::Rename, to, |kernel| kernel.disk.rename(from, to))
    }

    fn rename_new(&self, from: &ProjectPath, to: &ProjectPath) -> Result<(), Fault> {
        self.on_path(Operation::RenameNew, to, |kernel| kernel.disk.rename_new(from, to))
    }

    fn exchange(&self, one: &ProjectPath, other: &ProjectPath) -> Result<(), Fault> {
        self.on_path(Operation::Exchange, other, |kernel| match kernel.exchange {
            Exchange::Supported => kernel.disk.exchange(one, other),
            Exchange::Unsupported => Err(Failure::plain(FaultKind::Unsupported)),
        })
    }

    fn link(&self, from: &ProjectPath, to: &ProjectPath) -> Result<(), Fault> {
        self.on_path(Operation::Link, to, |kernel| kernel.disk.link(from, to))
    }

    fn remove(&self, path: &ProjectPath) -> Result<(), Fault> {
        self.on_path(Operation::Remove, path, |kernel| kernel.disk.remove(path))
    }

    fn make_folder(&self, path: &ProjectPath) -> Result<(), Fault> {
        self.shared.call(self.process, Operation::MakeFolder, path.as_str(), |kernel, extent| {
            let depth = path.names().count();
            let made = kernel.part_of(depth, extent);
            // The folders above may be made when the last one is not.
            let mut folders: Vec<_> = std::iter::successors(Some(path.clone()), ProjectPath::parent).collect();
            folders.reverse();
            folders.iter().take(made).try_for_each(|folder| kernel.disk.make_folder(folder))
        })
    }

    fn list(&self, folder: &ProjectPath) -> Result<Option<Vec<String>>, Fault> {
        self.on_path(Operation::List, folder, |kernel| kernel.disk.list(folder))
    }

    fn sync_folder(&self, folder: Option<&ProjectPath>) -> Result<(), Fault> {
        let path = folder.map_or(".", ProjectPath::as_str);
        self.shared.call(self.process, Operation::SyncFolder, path, |kernel, _| kernel.disk.sync_folder(folder))
    }

    fn try_lock(&self, file: &SimFile) -> Result<bool, Fault> {
        self.on_path(Operation::TryLock, &file.path, |kernel| {
            let locked = kernel.disk.try_lock(file.handle)?;
            kernel.schedule.processes[self.process].gives_way = !locked;
            Ok(locked)
        })
    }

    fn unlock(&self, file: &SimFile) -> Result<(), Fault> {
        self.on_path(Operation::Unlock, &file.path, |kernel| kernel.disk.unlock(file.handle))
    }

    fn has_writer(&self, path: &ProjectPath) -> Result<Option<bool>, Fault> {
        self.on_path(Operation::HasWriter, path, |kernel| {
            let has_writer = kernel.disk.has_writer(path)?;
            Ok((kernel.writers == Writers::Seen).then_some(has_writer))
        })
    }

    fn boot_id(&self) -> String {
        self.shared.glance(self.process, |kernel| format!("simulated-{}", kernel.boot))
    }

    fn now(&self) -> Now {
        self.shared.glance(self.process, |kernel| {
            kernel.clock.advance(GLANCE);
            kernel.clock.now()
        })
    }

    fn pause(&self, time: Duration) {
        self.shared.pause(self.process, time);
    }

    fn process(&self) -> u32 {
        u32::try_from(FIRST_PROCESS + self.process).unwrap_or(u32::MAX)
    }

    fn process_state(&self, process: u32) -> ProcessState {
        let number = usize::try_from(process).ok().and_then(|process| process.checked_sub(FIRST_PROCESS));
        let Some(number) = number else { return ProcessState::Gone };
        self.shared.glance(self.process, |kernel| kernel.state_of(number))
    }
}

impl Drop for SimFile {
    fn drop(&mut self) {
        self.shared.lock().disk.close(self.handle);
    }
}

impl fmt::Debug for SimFs {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("SimFs").field("process", &self.process).finish_non_exhaustive()
    }
}

impl fmt::Debug for SimFile {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("SimFile").field("path", &self.path).finish_non_exhaustive()
    }
}
