//! Owns the reasons for which a YAML or JSON document is not edited. Must not know how edits are made.

/// An edit that is not made, and why. The document is as it was.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DataRefusal {
    /// The document cannot be read without doubt.
    #[error("line {line}, column {column}: {message}; {hint}, then edit again")]
    Broken { line: usize, column: usize, message: String, hint: String },
    /// There is no such value.
    #[error("there is no `{path}`: line {line} holds {there}")]
    NoSuchPlace { path: String, line: usize, there: String },
    /// A key on the way is there more than once.
    #[error("the key `{key}` is there twice, at lines {line} and {again}; remove one of them, then edit again")]
    Twice { key: String, line: usize, again: usize },
    /// The way leads through an alias.
    #[error("`{path}` is an alias at line {line}: edit the value that it repeats, or write it out")]
    Alias { path: String, line: usize },
    /// The value is repeated elsewhere by an alias.
    #[error("the value at line {line} has an anchor that is repeated elsewhere: write the repetition out first")]
    Anchored { line: usize },
    /// It is written in a way in which the edit would not be read back.
    #[error("`{path}` at line {line} is written in a way that cannot be edited without changing more; edit it by hand")]
    NotWritable { path: String, line: usize },
}
