//! The calls that a simulated process makes: their kinds, what each costs in virtual time, and the trace of them.

use std::collections::VecDeque;
use std::collections::hash_map::DefaultHasher;
use std::fmt::Write as _;
use std::hash::{Hash, Hasher};
use std::time::Duration;

use store::FaultKind;

use crate::random::Random;

/// How many of the latest calls the trace shows.
const TRACED: usize = 2000;

/// One kind of call on the world.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Operation {
    /// Opens an existing file.
    Open,
    /// Opens a file and may make it.
    Create,
    /// Reads.
    Read,
    /// Writes.
    Write,
    /// Cuts or extends.
    Truncate,
    /// Sets permission bits.
    SetPermissions,
    /// Setting a file's time.
    SetModified,
    /// Makes content and size durable.
    Sync,
    /// The stamp of an open file.
    Stamp,
    /// The stamp of a path.
    Look,
    /// Moves, replacing.
    Rename,
    /// Moves where nothing is.
    RenameNew,
    /// Swaps two files.
    Exchange,
    /// Gives a second name.
    Link,
    /// Removes.
    Remove,
    /// Makes folders.
    MakeFolder,
    /// Lists names.
    List,
    /// Makes names durable.
    SyncFolder,
    /// Tries for the lock.
    TryLock,
    /// Gives the lock up.
    Unlock,
    /// Asks for writers.
    HasWriter,
}

impl Operation {
    /// Whether it can change what another process, or a later boot, sees.
    pub fn is_change(self) -> bool {
        match self {
            Self::Create
            | Self::Write
            | Self::Truncate
            | Self::SetPermissions
            | Self::SetModified
            | Self::Sync
            | Self::Rename => true,
            Self::RenameNew | Self::Exchange | Self::Link | Self::Remove | Self::MakeFolder | Self::SyncFolder => true,
            Self::Open | Self::Read | Self::Stamp | Self::Look | Self::List => false,
            Self::TryLock | Self::Unlock | Self::HasWriter => false,
        }
    }

    /// Whether it can have a part of its effect and then stop or fail.
    pub(crate) fn can_be_partial(self) -> bool {
        matches!(self, Self::Write | Self::MakeFolder)
    }

    /// The verb for a fault.
    pub(crate) fn verb(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Create => "create",
            Self::Read => "read",
            Self::Write => "write",
            Self::Truncate => "resize",
            Self::SetPermissions => "set the permissions of",
            Self::SetModified => "set the time of",
            Self::Sync | Self::SyncFolder => "sync",
            Self::Stamp | Self::Look | Self::HasWriter => "look at",
            Self::Rename | Self::RenameNew => "rename",
            Self::Exchange => "exchange",
            Self::Link => "link",
            Self::Remove => "remove",
            Self::MakeFolder => "make the folder",
            Self::List => "list",
            Self::TryLock => "lock",
            Self::Unlock => "unlock",
        }
    }

    /// How long it takes, about as on a good disk.
    pub(crate) fn cost(self, random: &mut Random) -> Duration {
        let base = match self {
            Self::Sync | Self::SyncFolder => 100_000,
            _ => 2_000,
        };
        Duration::from_nanos(base + random.number() % base)
    }
}

/// The latest calls for people, and a digest of all of them for comparing two runs.
#[derive(Debug)]
pub(crate) struct Trace {
    latest: VecDeque<Traced>,
    digest: DefaultHasher,
}

#[derive(Debug)]
struct Traced {
    process: usize,
    operation: Operation,
    path: String,
    steady: Duration,
    failure: Option<FaultKind>,
}

impl Trace {
    pub(crate) fn new() -> Self {
        Self { latest: VecDeque::new(), digest: DefaultHasher::new() }
    }

    pub(crate) fn add(
        &mut self,
        process: usize,
        operation: Operation,
        path: &str,
        steady: Duration,
        failure: Option<FaultKind>,
    ) {
        (process, operation, path, steady, failure.is_some()).hash(&mut self.digest);
        if self.latest.len() == TRACED {
            self.latest.pop_front();
        }
        self.latest.push_back(Traced { process, operation, path: path.into(), steady, failure });
    }

    pub(crate) fn digest(&self) -> u64 {
        self.digest.finish()
    }

    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        for call in &self.latest {
            let Traced { process, operation, path, steady, failure } = call;
            let _ = write!(text, "{:>12.6} process {process}: {operation:?} {path}", steady.as_secs_f64());
            match failure {
                Some(kind) => _ = writeln!(text, " → {kind:?}"),
                None => text.push('\n'),
            }
        }
        text
    }
}
