//! What the store tells beside its answers; an interface decides how to show it.

use crate::fault::Fault;
use crate::path::ProjectPath;

/// Something a person may want to know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Notice {
    /// The lock has been held for long.
    LockHeld {
        /// By this process.
        process: u32,
        /// Who it is and what can be done.
        advice: String,
    },
    /// Documents were changed by hand; the change is a record now.
    Edited {
        /// Its number.
        record: u64,
        /// The documents.
        paths: Vec<ProjectPath>,
    },
    /// A file was put back by hand to a version that the journal has left behind. It is rolled forward again.
    Stale {
        /// The document.
        path: ProjectPath,
        /// The record whose version it was.
        version: u64,
    },
    /// An edit had started from an older version: it was put on top of what was recorded since.
    Merged {
        /// The document.
        path: ProjectPath,
        /// The record whose version it started from.
        base: u64,
        /// The record that it became; it holds the file as it was written.
        record: u64,
    },
    /// Some program has files open for writing, and may not be done.
    Waiting {
        /// The documents.
        paths: Vec<ProjectPath>,
    },
    /// A document could not be put into its place; it will be tried again.
    NotPlaced {
        /// Why.
        fault: Fault,
    },
    /// After a power loss, bytes that nobody committed were put aside.
    PutAside {
        /// Where they were found.
        path: ProjectPath,
        /// Where they are now.
        kept: ProjectPath,
    },
}
