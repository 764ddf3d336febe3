//! Owns the reasons for which an edit is not made. Must not know how edits are made.

use super::cells::NulInValue;

/// An edit that is not made, and why. The document is as it was.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// The bytes are not UTF-8.
    #[error("the document is not UTF-8 (line {line}, byte {at}) and is not edited, save it as UTF-8 first")]
    ReadOnly { line: usize, at: usize },
    /// There is no such table any more.
    #[error("the document has no table {number}, it has {tables}; look the table up again")]
    NoSuchTable { number: usize, tables: usize },
    /// There is no such row.
    #[error("the table at line {line} has no row {row}, it has {rows}, counted from 0")]
    NoSuchRow { line: usize, row: usize, rows: usize },
    /// There is no such column.
    #[error("the table at line {line} has no column {column}, it has {columns}, counted from 0")]
    NoSuchColumn { line: usize, column: usize, columns: usize },
    /// More values than the table has columns.
    #[error("{values} values do not fit into the {columns} columns of the table at line {line}")]
    TooManyValues { line: usize, values: usize, columns: usize },
    /// The value has a character that no cell can hold.
    #[error(transparent)]
    Nul(#[from] NulInValue),
    /// The row is written so oddly that the value could not be read back.
    #[error("the value would not be read back from the row at line {line}, write the row with pipes on both sides")]
    Unreadable { line: usize },
    /// The front matter is not a mapping that can be edited line by line.
    #[error("the front matter cannot be edited: {reason}; mend it by hand")]
    FrontMatter { reason: String },
    /// The key holds more than one value.
    #[error(
        "the front matter key `{key}` at line {line} holds a list, a mapping or text of several lines, edit it by hand"
    )]
    NestedKey { key: String, line: usize },
    /// The key or value cannot be written as front matter.
    #[error("`{text}` cannot be written into the front matter: {reason}")]
    NotWritable { text: String, reason: &'static str },
    /// There is no such field on the line.
    #[error("line {line} has no field `{key}`; its fields are {known}")]
    NoSuchField { line: usize, key: String, known: String },
    /// The value would not be read back, or would change how the rest is read.
    #[error("the value of `{key}` at line {line} would not be read back, give it in one line of plain text")]
    FieldValue { line: usize, key: String },
    /// There is no such section.
    #[error("the document has no section `{title}`; its sections are {known}")]
    NoSuchSection { title: String, known: String },
    /// The text cannot be a heading.
    #[error("`{title}` cannot be the title of a heading: it would be read as `{read}`")]
    Title { title: String, read: String },
    /// A heading has a level from 1 to 6.
    #[error("a heading has a level from 1 to 6, not {level}")]
    Level { level: u8 },
    /// A block above is never closed, so that what is added would become part of it.
    #[error("the block that begins at line {line} is never closed, so nothing can be added below it; close it first")]
    OpenBlock { line: usize },
    /// The added text would change how the text after it is read.
    #[error("the added text would change how the document is read from line {line} on; close its fences and comments")]
    Swallows { line: usize },
}
