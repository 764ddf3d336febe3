//! How far a program may reach and how large it may grow. Plain data: says what is wanted, enforces nothing.

use serde::{Deserialize, Serialize};

/// Whether a program may reach anything but its own files and processes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Network {
    /// The internet, loopback and sockets that are files.
    Open,
    /// Nothing: no address of any kind can be connected to, not even a socket that is a file.
    #[default]
    Closed,
}

/// How large a program may grow, with all that it starts. Whoever outgrows it is ended as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Bounds {
    /// Memory of the whole tree; what several processes share counts once. One process cannot allocate more either.
    pub memory_bytes: u64,
    /// Processes and threads of the whole tree; one that has come to as many is ended.
    pub processes: u32,
    /// One file.
    pub file_bytes: u64,
    /// All files together in the folders that may be written, and those that are open but have no name any more.
    pub disk_bytes: u64,
}

impl Default for Bounds {
    /// Roomy enough for a compiler or a coding agent, small enough for the machine to stay usable.
    fn default() -> Self {
        Self { memory_bytes: 8 << 30, processes: 1024, file_bytes: 16 << 30, disk_bytes: 32 << 30 }
    }
}

/// Which of the bounds a tree was ended for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Bound {
    Memory,
    Processes,
    Disk,
}

impl Bound {
    /// As a message names it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::Processes => "processes",
            Self::Disk => "disk space",
        }
    }
}
