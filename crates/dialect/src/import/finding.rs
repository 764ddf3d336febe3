//! What is told of a project: found, mended, or to be decided, each with its file and line.

/// What kind of thing is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Weight {
    /// It is so, and stays so.
    Found,
    /// It would be mended, or was.
    Mended,
    /// A person must decide; it stays as it is.
    Decide,
}

/// One thing that is told.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    /// The file, as it is called in the original.
    pub path: String,
    /// The line there, from 1; 0 for the file as a whole.
    pub line: usize,
    /// What kind of thing.
    pub weight: Weight,
    /// What is so, or what is done.
    pub what: String,
    /// What a person can do; empty where nothing is to be done.
    pub hint: String,
}

impl Finding {
    pub(super) fn found(path: &str, line: usize, what: impl Into<String>) -> Self {
        Self { path: path.into(), line, weight: Weight::Found, what: what.into(), hint: String::new() }
    }

    pub(super) fn mended(path: &str, line: usize, what: impl Into<String>) -> Self {
        Self { path: path.into(), line, weight: Weight::Mended, what: what.into(), hint: String::new() }
    }

    pub(super) fn decide(path: &str, line: usize, what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { path: path.into(), line, weight: Weight::Decide, what: what.into(), hint: hint.into() }
    }
}

/// File by file, line by line; the same thing is told once.
pub(super) fn sort(findings: &mut Vec<Finding>) {
    findings.sort();
    findings.dedup();
}
