//! Why a document cannot be written, and what is odd in one that is read. Must not know documents.

use std::fmt;

/// A document that cannot take what a step changes. Nothing is changed anywhere; a person can mend it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trouble {
    /// Which document.
    pub path: String,
    /// Where, from 1; 0 when the document as a whole is meant.
    pub line: usize,
    /// What is wrong, as a fragment.
    pub reason: String,
    /// The way out.
    pub hint: String,
}

impl fmt::Display for Trouble {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => write!(out, "{}: {}; {}", self.path, self.reason, self.hint),
            line => write!(out, "{}:{line}: {}; {}", self.path, self.reason, self.hint),
        }
    }
}

impl std::error::Error for Trouble {}

/// Something odd in a document that is read all the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Which document.
    pub path: String,
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// What is odd and what to do about it, as a fragment.
    pub reason: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}:{}:{}: {}", self.path, self.line, self.column, self.reason)
    }
}
