//! Documents without loss: Markdown, YAML and JSON as trees with byte spans, edits that splice, and problems.
//!
//! Parsing never fails: any bytes give a document and a list of [`Problem`]s, and the document gives back the same
//! bytes. An edit replaces the bytes of its span and nothing else, and hands back the [`text::Change`] it made, so
//! that the store can commit exactly that. The crate does no I/O and does not know what a task is.
//!
//! Start at [`Document`] (Markdown), [`yaml::parse`] or [`json::parse`]; [`data_edit`] changes the latter two.

pub mod data;
pub mod data_edit;
#[doc(hidden)]
pub mod fuzz;
pub mod json;
pub mod limits;
pub mod markdown;
mod problem;
pub mod yaml;

pub use markdown::{
    Cell, Document, Fence, FrontMatter, Heading, Refusal, Row, RowIndex, Scalar, Section, Table, TableId, Wanted,
};
pub use problem::{Code, Problem, line_and_column};
