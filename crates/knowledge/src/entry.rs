//! A row of a catalog, whatever the protocol. Must not know how tables are written.

/// A file that a catalog lists, and what the row says of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Entry {
    /// From the project's root.
    pub path: String,
    /// What is in it.
    pub summary: String,
    /// `ORIGINAL_INPUT`, `ANALYSIS_REPORT`, …
    pub kind: String,
    /// The run that the row is of; empty where it is of none.
    pub run: String,
    /// The phase that it was made in.
    pub phase: String,
    /// The family that it belongs to.
    pub lineage: String,
    /// The task that it came from.
    pub task: String,
    /// The files that it was made from.
    pub sources: Vec<String>,
}

impl Entry {
    /// What it is looked for by, beside the fields.
    pub(crate) fn text(&self) -> String {
        [&self.path, &self.kind, &self.summary, &self.task, &self.lineage].map(String::as_str).join("\n")
    }

    /// Whether a row names a file at all.
    pub(crate) fn is_listed(&self) -> bool {
        !self.path.is_empty()
    }
}
