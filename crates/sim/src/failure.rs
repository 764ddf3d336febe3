//! Why a call on the simulated disk failed, before it is known who called and for which path.

use store::{Fault, FaultKind, ProjectPath};

/// A kind and the words that the system has for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Failure {
    pub(crate) kind: FaultKind,
    pub(crate) reason: String,
    /// The path at fault, where a call has two.
    path: Option<String>,
}

impl Failure {
    pub(crate) fn new(kind: FaultKind, reason: impl Into<String>) -> Self {
        Self { kind, reason: reason.into(), path: None }
    }

    pub(crate) fn missing() -> Self {
        Self::plain(FaultKind::Missing)
    }

    /// A failure of a kind in the system's own words.
    pub(crate) fn plain(kind: FaultKind) -> Self {
        let reason = match kind {
            FaultKind::DiskFull => "no space left on device",
            FaultKind::ReadOnly => "read-only file system",
            FaultKind::Denied => "permission denied",
            FaultKind::NoHandles => "too many open files",
            FaultKind::Device => "input/output error",
            FaultKind::Missing => "no such file or directory",
            FaultKind::Exists => "file exists",
            FaultKind::NotAFile => "it is not a regular file",
            FaultKind::Unsupported => "operation not supported",
            FaultKind::Locked => "resource temporarily unavailable",
            FaultKind::Damaged | FaultKind::Reopen | FaultKind::Other => "injected failure",
        };
        Self::new(kind, reason)
    }

    #[must_use]
    pub(crate) fn on(self, path: &ProjectPath) -> Self {
        Self { path: Some(path.to_string()), ..self }
    }

    pub(crate) fn at(self, doing: &'static str, path: &str) -> Fault {
        Fault { doing, path: self.path.unwrap_or_else(|| path.into()), kind: self.kind, reason: self.reason }
    }
}
