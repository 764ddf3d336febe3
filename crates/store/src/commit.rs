//! What a caller wants committed, and why it may be refused.

use std::ops::Range;

use bytes::Bytes;
use serde_json::value::RawValue;
use text::{Change, Text};

use crate::fault::Fault;
use crate::path::{PathRefusal, ProjectPath};
use crate::record::Kind;

/// Changes of documents with a record of why: all of it happens, or nothing.
#[derive(Debug, Clone)]
pub struct Commit {
    /// What kind of deed.
    pub kind: Kind,
    /// Why, in words for people.
    pub cause: String,
    /// The number of the newest record that the decision knew of.
    pub base: u64,
    /// What happens to documents; one entry a path.
    pub changes: Vec<(ProjectPath, What)>,
    /// What must still be as it was at `base`, beside the places that are changed.
    pub needs: Vec<Need>,
    /// Documents that need not be looked at any more when the project is opened.
    pub retire: Vec<ProjectPath>,
    /// Facts and effects.
    pub body: Option<Box<RawValue>>,
}

/// What happens to a document.
#[derive(Debug, Clone)]
pub enum What {
    /// Places of it change; others may change others at the same time.
    Edit(Change),
    /// The same by one who has made the new text already: it is taken as it is while the document is still `before`.
    Made {
        /// What changes.
        change: Change,
        /// The text that the change was made for.
        before: Text,
        /// The text that it leads to.
        after: Text,
    },
    /// It comes into being. There must be none.
    Create(Bytes),
    /// Its whole content is replaced; nobody may have changed it meanwhile.
    Write(Bytes),
    /// It is removed; nobody may have changed it meanwhile.
    Delete,
}

/// What a decision rests on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Need {
    /// These bytes of a document, a row or a section, are as they were.
    Span(ProjectPath, Range<usize>),
    /// The whole document is as it was.
    Whole(ProjectPath),
}

/// Why a commit did not happen. Nothing was changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CommitError {
    /// Someone else changed what the decision rests on: decide again.
    #[error("{path} was changed by record {record} in the meantime")]
    Conflict {
        /// The document.
        path: ProjectPath,
        /// The record that changed it.
        record: u64,
    },
    /// The document is not under the journal.
    #[error("{0} is not under the journal; `multiverse adopt {0}` takes it there")]
    Unknown(ProjectPath),
    /// There is one already.
    #[error("{0} exists already")]
    Exists(ProjectPath),
    /// The change was made for another text.
    #[error("the change of {path} does not fit: at byte {at} the document has other content")]
    Mismatch {
        /// The document.
        path: ProjectPath,
        /// Where.
        at: usize,
    },
    /// A document stands twice in one commit.
    #[error("{0} stands twice in one commit")]
    Twice(ProjectPath),
    /// The document would be too large.
    #[error("{path} would have {size} bytes; {max} is the most", max = crate::limits::DOCUMENT_BYTES)]
    TooLarge {
        /// The document.
        path: ProjectPath,
        /// How many bytes it would have.
        size: usize,
    },
    /// A document stands where a folder would have to be, or the other way round.
    #[error("{path} cannot be where {other} is: one would have to be a folder of the other")]
    InTheWay {
        /// The document.
        path: ProjectPath,
        /// The one that is there.
        other: ProjectPath,
    },
    /// The record would be too long.
    #[error("the record has {0} bytes; {max} is the most", max = crate::limits::RECORD_BYTES)]
    TooLong(usize),
    /// The path is none that a document can have.
    #[error(transparent)]
    Path(#[from] PathRefusal),
    /// The world failed.
    #[error(transparent)]
    Fault(#[from] Fault),
}

impl Commit {
    /// A commit of the given changes, decided on what was known at `base`.
    pub fn new(cause: impl Into<String>, base: u64, changes: Vec<(ProjectPath, What)>) -> Self {
        Self {
            kind: Kind::Commit,
            cause: cause.into(),
            base,
            changes,
            needs: Vec::new(),
            retire: Vec::new(),
            body: None,
        }
    }

    /// The same with facts and effects.
    pub fn with_body(self, body: Box<RawValue>) -> Self {
        Self { body: Some(body), ..self }
    }

    /// The same as another kind of deed.
    pub fn of_kind(self, kind: Kind) -> Self {
        Self { kind, ..self }
    }
}
