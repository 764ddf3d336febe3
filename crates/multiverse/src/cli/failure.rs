//! Why a command could not do what was asked: what, where, why, and what to do about it.
//! Knows nothing of streams and colours; [`super::output`] shows it.

use std::io;
use std::path::Path;

use serde::Serialize;

use super::exit::Exit;
use super::visible;

/// A command, or a part of it, that failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Failure {
    kind: Kind,
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
}

/// The kinds that a program reading `--json` can tell apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Kind {
    /// The command line is not right.
    Usage,
    /// There is no such file.
    Missing,
    /// It is there and cannot be read.
    Unreadable,
    /// It is no document of a known kind.
    NotADocument,
    /// The output could not be written.
    Output,
    /// There is no project.
    NoProject,
    /// Not allowed; the user can act.
    Refused,
    /// The world failed.
    Fault,
}

impl Failure {
    pub(crate) fn new(kind: Kind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), hint: None, path: None }
    }

    /// A file that could not be read, with what the system says.
    pub(crate) fn reading(path: &Path, error: &io::Error) -> Self {
        let shown = visible::path(path);
        let (kind, reason, hint) = match error.kind() {
            io::ErrorKind::NotFound => {
                (Kind::Missing, "there is no such file".into(), "look at the spelling, and at the folder you are in")
            }
            io::ErrorKind::PermissionDenied => {
                (Kind::Unreadable, "permission denied".into(), "change its owner or permissions, then try again")
            }
            _ => (Kind::Unreadable, plain(error), ""),
        };
        let failure = Self::new(kind, format!("cannot read {shown}: {reason}")).at(path);
        if hint.is_empty() { failure } else { failure.hint(hint) }
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    pub(crate) fn at(mut self, path: &Path) -> Self {
        self.path = Some(path.to_string_lossy().into_owned());
        self
    }

    /// How the program ends when this is what ended it.
    pub(crate) fn exit(&self) -> Exit {
        match self.kind {
            Kind::Usage => Exit::Usage,
            _ => Exit::Error,
        }
    }

    pub(crate) fn kind(&self) -> Kind {
        self.kind
    }

    pub(crate) fn message(&self) -> &str {
        &self.message
    }

    pub(crate) fn hint_text(&self) -> Option<&str> {
        self.hint.as_deref()
    }
}

impl From<store::Fault> for Failure {
    fn from(fault: store::Fault) -> Self {
        Self { path: Some(fault.path.clone()), ..Self::new(Kind::Fault, fault.to_string()) }
    }
}

impl From<store::CommitError> for Failure {
    fn from(error: store::CommitError) -> Self {
        match error {
            store::CommitError::Fault(fault) => fault.into(),
            refused => Self::new(Kind::Refused, refused.to_string()),
        }
    }
}

impl From<store::HistoryError> for Failure {
    fn from(error: store::HistoryError) -> Self {
        match error {
            store::HistoryError::Fault(fault) => fault.into(),
            store::HistoryError::Commit(error) => error.into(),
            refused => Self::new(Kind::Refused, refused.to_string()),
        }
    }
}

impl From<io::Error> for Failure {
    /// Files are read with their paths at hand, so what comes here without one is the output.
    fn from(error: io::Error) -> Self {
        Self::new(Kind::Output, format!("cannot write the output: {}", plain(&error)))
            .hint("look at where the output goes: is the disk full?")
    }
}

/// The system's words without its error number.
fn plain(error: &io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or(&text).to_lowercase()
}
