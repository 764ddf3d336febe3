//! Why the engine did not do what it was asked: a refusal the user can act on, or a fault of the world.

use machine::Refusal;

/// Why something did not happen.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EngineError {
    /// Not allowed now.
    #[error("{reason}")]
    Refused {
        /// What is wrong.
        reason: String,
        /// What to do.
        hint: String,
    },
    /// A document is not what the protocol needs.
    #[error("{path}:{line}{}: {reason}", Column(*column))]
    Document {
        /// The document.
        path: String,
        /// The line, from 1; 0 for the whole.
        line: usize,
        /// The column in characters, from 1; 0 for the whole line.
        column: usize,
        /// What is wrong.
        reason: String,
        /// What to do.
        hint: String,
    },
    /// Something before it in the same batch must be undone first.
    #[error("it must be decided again")]
    Again,
    /// The world failed.
    #[error(transparent)]
    Fault(#[from] store::Fault),
    /// A commit failed.
    #[error(transparent)]
    Commit(#[from] store::CommitError),
}

/// A column behind a line, if there is one.
struct Column(usize);

impl std::fmt::Display for Column {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            0 => Ok(()),
            column => write!(out, ":{column}"),
        }
    }
}

impl From<Refusal> for EngineError {
    fn from(refusal: Refusal) -> Self {
        Self::Refused { reason: refusal.reason, hint: refusal.hint }
    }
}

impl From<dialect::Trouble> for EngineError {
    fn from(trouble: dialect::Trouble) -> Self {
        let dialect::Trouble { path, line, reason, hint } = trouble;
        Self::Document { path, line, column: 0, reason, hint }
    }
}

impl EngineError {
    /// A refusal.
    pub fn refused(reason: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Refused { reason: reason.into(), hint: hint.into() }
    }
}
