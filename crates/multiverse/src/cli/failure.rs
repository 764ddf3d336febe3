//! Why a command could not do what was asked: what, where, why, and what to do about it.
//! Knows nothing of streams and colours; [`super::output`] shows it.

use std::io;
use std::path::Path;

use serde::Serialize;

use super::exit::Exit;
use super::visible;

/// What a hint says where it does not know which record to go back to.
const AT: &str = " --at N";

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
    /// A document is not what the protocol needs.
    Document,
    /// `multiverse.toml` is not right.
    Configuration,
    /// What a project's files name was not said to be trusted.
    Untrusted,
    /// The output could not be written.
    Output,
    /// There is no project.
    NoProject,
    /// Not allowed; the user can act.
    Refused,
    /// The world failed.
    Fault,
    /// The journal is not what was written.
    Damaged,
    /// It is recorded, and the files are not there yet.
    NotPlaced,
}

impl Kind {
    /// All of them.
    pub(crate) const ALL: [Kind; 13] = [
        Kind::Usage,
        Kind::Missing,
        Kind::Unreadable,
        Kind::NotADocument,
        Kind::Document,
        Kind::Configuration,
        Kind::Untrusted,
        Kind::Output,
        Kind::NoProject,
        Kind::Refused,
        Kind::Fault,
        Kind::Damaged,
        Kind::NotPlaced,
    ];

    /// Its code, as programs and people know it.
    pub(crate) fn code(self) -> &'static str {
        match self {
            Self::Usage => "usage",
            Self::Missing => "missing",
            Self::Unreadable => "unreadable",
            Self::NotADocument => "not_a_document",
            Self::Document => "document",
            Self::Configuration => "configuration",
            Self::Untrusted => "untrusted",
            Self::Output => "output",
            Self::NoProject => "no_project",
            Self::Refused => "refused",
            Self::Fault => "fault",
            Self::Damaged => "damaged",
            Self::NotPlaced => "not_placed",
        }
    }

    /// The page that says what it means and what to do.
    pub(crate) fn page(self) -> &'static str {
        match self {
            Self::Usage => include_str!("../../../../docs/errors/usage.md"),
            Self::Missing => include_str!("../../../../docs/errors/missing.md"),
            Self::Unreadable => include_str!("../../../../docs/errors/unreadable.md"),
            Self::NotADocument => include_str!("../../../../docs/errors/not_a_document.md"),
            Self::Document => include_str!("../../../../docs/errors/document.md"),
            Self::Configuration => include_str!("../../../../docs/errors/configuration.md"),
            Self::Untrusted => include_str!("../../../../docs/errors/untrusted.md"),
            Self::Output => include_str!("../../../../docs/errors/output.md"),
            Self::NoProject => include_str!("../../../../docs/errors/no_project.md"),
            Self::Refused => include_str!("../../../../docs/errors/refused.md"),
            Self::Fault => include_str!("../../../../docs/errors/fault.md"),
            Self::Damaged => include_str!("../../../../docs/errors/damaged.md"),
            Self::NotPlaced => include_str!("../../../../docs/errors/not_placed.md"),
        }
    }
}

impl Failure {
    pub(crate) fn new(kind: Kind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), hint: None, path: None }
    }

    /// A file that could not be written, with what the system says.
    pub(crate) fn writing(path: &Path, error: &io::Error) -> Self {
        let message = format!("cannot write {}: {}", visible::path(path), plain(error));
        Self::new(Kind::Fault, message).at(path).hint("look whether the folder is there, and yours to write to")
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

    /// A step that is in the journal, and whose documents could not be put into their places.
    pub(crate) fn not_placed(record: u64, fault: store::Fault) -> Self {
        let because = Self::from(fault);
        let message = format!("recorded as {record}, but not in place yet: {}", because.message);
        let again = Some("the next command that changes something tries again".into());
        Self { kind: Kind::NotPlaced, message, hint: because.hint.or(again), path: because.path }
    }

    /// A refusal of the store, in its words.
    fn refused(text: &str, path: &str) -> Self {
        // A name may look like the border between what is wrong and what to do.
        let (message, hint) = if path.contains("; ") { (text, None) } else { split_hint(text) };
        let path = (!path.is_empty()).then(|| path.to_string());
        Self { hint, path, ..Self::new(Kind::Refused, message) }
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

    /// A hint that says `--at N` with the number of the newest record that a step of the program, and nobody's hand,
    /// wrote of that document.
    pub(crate) fn with_number(mut self, project: &Path) -> Self {
        let Some(hint) = self.hint.as_ref().filter(|hint| hint.contains(AT)) else { return self };
        let path = hint.split(AT).next().and_then(|before| before.rsplit_once(' ')).map(|(_, path)| path.to_string());
        if let Some(number) = path.and_then(|path| newest_step(project, &path)) {
            self.hint = Some(hint.replace(AT, &format!(" --at {number}")));
        }
        self
    }

    pub(crate) fn hint_text(&self) -> Option<&str> {
        self.hint.as_deref()
    }
}

/// The newest record of a document that a step of the program, and nobody's hand, wrote.
pub(crate) fn newest_step(project: &Path, path: &str) -> Option<u64> {
    let files = store::RealFs::open(project).ok()?;
    let mut number = None;
    let read = store::records(&files, |record| {
        let is_meant = record.kind != store::Kind::Edit && record.docs.iter().any(|entry| entry.path.as_str() == path);
        number = if is_meant { Some(record.number) } else { number };
    });
    read.ok().and(number)
}

impl From<store::Fault> for Failure {
    fn from(fault: store::Fault) -> Self {
        let text = fault.to_string();
        // The path may hold anything, so what to do is looked for behind it.
        let front = format!("cannot {} {}: ", fault.doing, fault.path);
        let failure = match text.strip_prefix(&front) {
            Some(rest) => {
                let (reason, hint) = split_hint(rest);
                Self { hint, ..Self::new(Kind::Fault, format!("{front}{reason}")) }
            }
            None => Self::new(Kind::Fault, text),
        };
        Self { path: Some(fault.path), ..failure }
    }
}

impl From<store::CommitError> for Failure {
    fn from(error: store::CommitError) -> Self {
        use store::CommitError as Error;
        let text = error.to_string();
        match error {
            Error::Fault(fault) => fault.into(),
            Error::Path(refusal) => {
                let (reason, hint) = split_hint(&refusal.reason);
                let message = format!("{} is refused: {reason}", refusal.path);
                Self { hint, path: Some(refusal.path), ..Self::new(Kind::Refused, message) }
            }
            Error::Conflict { path, .. }
            | Error::Unknown(path)
            | Error::Exists(path)
            | Error::Mismatch { path, .. }
            | Error::Twice(path)
            | Error::TooLarge { path, .. }
            | Error::InTheWay { path, .. } => Self::refused(&text, path.as_str()),
            Error::TooLong(_) => Self::refused(&text, ""),
        }
    }
}

impl From<store::HistoryError> for Failure {
    fn from(error: store::HistoryError) -> Self {
        use store::HistoryError as Error;
        let text = error.to_string();
        match error {
            Error::Fault(fault) => fault.into(),
            Error::Commit(error) => error.into(),
            Error::NoRecord { .. } | Error::NothingToUndo(_) => Self::refused(&text, ""),
            Error::Overtaken { path, .. }
            | Error::NoDocument { path }
            | Error::NotThen { path, .. }
            | Error::NotMerged { path, .. }
            | Error::Same { path, .. } => Self::refused(&text, path.as_str()),
        }
    }
}

impl From<engine::EngineError> for Failure {
    fn from(error: engine::EngineError) -> Self {
        use engine::EngineError as Error;
        let text = error.to_string();
        let hinted = |failure: Self, hint: String| if hint.is_empty() { failure } else { failure.hint(hint) };
        match error {
            Error::Fault(fault) => fault.into(),
            Error::Commit(error) => error.into(),
            Error::Again => Self::new(Kind::Refused, text).hint("try again: everything that was committed is there"),
            Error::Refused { reason, hint } => hinted(Self::new(Kind::Refused, reason), hint),
            Error::Document { path, hint, .. } => hinted(Self::new(Kind::Document, text).at(Path::new(&path)), hint),
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

/// What is wrong, and what to do about it.
fn split_hint(text: &str) -> (&str, Option<String>) {
    text.split_once("; ").map_or((text, None), |(message, hint)| (message, Some(hint.into())))
}

/// The system's words without its error number.
fn plain(error: &io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or(&text).to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// QL-42: each code has a page, under the name that programs read.
    #[test]
    fn every_code_has_a_page() {
        for kind in Kind::ALL {
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.code());
            assert!(kind.page().starts_with(&format!("# `{}`: ", kind.code())), "{kind:?}");
            assert!(kind.page().contains("## What to do"), "{kind:?}");
        }
    }

    #[test]
    fn what_to_do_is_a_field_of_its_own() {
        let check = |failure: Failure, message: &str, hint: Option<&str>| {
            assert_eq!((failure.message(), failure.hint_text()), (message, hint));
        };
        let path = |path: &str| store::ProjectPath::document(path).unwrap();
        let fault = |name: &str, kind| store::Fault::new("read", &path(name), kind, "it is so");
        let (message, hint) = ("cannot read a; b.md: it is so", "free some space, then try again");
        check(fault("a; b.md", store::FaultKind::DiskFull).into(), message, Some(hint));
        check(fault("a; b.md", store::FaultKind::Other).into(), message, None);
        check(
            Failure::not_placed(3, fault("a.md", store::FaultKind::DiskFull)),
            "recorded as 3, but not in place yet: cannot read a.md: it is so",
            Some(hint),
        );
        let unknown = |name: &str| store::CommitError::Unknown(path(name)).into();
        check(unknown("a.md"), "a.md is not under the journal", Some("`multiverse adopt a.md` takes it there"));
        check(unknown("a; b.md"), "a; b.md is not under the journal; `multiverse adopt a; b.md` takes it there", None);
        let error = store::HistoryError::NoRecord { number: 9, newest: 2 };
        check(error.into(), "there is no record 9", Some("the journal has records 1 to 2"));
    }
}
