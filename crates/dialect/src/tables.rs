//! The tables that all runs share, read row by row as people write them. Must not change them.

use machine::Status;
use syntax::markdown::paths;
use syntax::{Document, Row};
use text::Text;

use crate::layout::{Field, GlobalDocument, Layout, Protocol};
use crate::sheet::{columns_of, find_table};
use crate::spelling::{bare, is_active, read_ids, read_status};

/// A row of the table of runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunRow {
    /// Its line, from 1.
    pub line: usize,
    /// The run.
    pub run_id: String,
    /// The user's words.
    pub user_request: String,
    /// Its status, if the word is a known one.
    pub status: Option<Status>,
    /// The status as it is written.
    pub status_word: String,
    /// What is current, level by level, the outermost first.
    pub current: Vec<Vec<String>>,
}

/// A row of the catalog.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CatalogRow {
    /// Its line, from 1.
    pub line: usize,
    /// The file, from the project's root.
    pub file_path: String,
    /// The run it is of.
    pub run_id: String,
    /// `ORIGINAL_INPUT`, `ANALYSIS_REPORT`, …
    pub asset_type: String,
    /// The task it came from.
    pub source_task_id: String,
    /// What is in it.
    pub summary: String,
    /// The families that it belongs to, where the protocol tells.
    pub lineage: Vec<String>,
    /// The files that it was made from, where the protocol tells.
    pub source_files: Vec<String>,
}

/// A row of the instructions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstructionRow {
    /// Its line, from 1.
    pub line: usize,
    /// Its id.
    pub instruction_id: String,
    /// The run that brought it.
    pub run_id: String,
    /// `INITIAL` or `MODIFICATION`.
    pub instruction_type: String,
    /// What it says.
    pub content: String,
    /// Whether it holds.
    pub active: bool,
    /// How its status is written.
    pub status_word: String,
    /// What replaced it.
    pub superseded_by_id: String,
    /// Why.
    pub justification: String,
}

/// The table of runs.
pub(crate) fn runs(protocol: &Protocol, text: &Text) -> Vec<RunRow> {
    rows(&protocol.runs, text, |cells| {
        let levels = protocol.runs.layout.columns.iter().filter(|column| matches!(column.field, Field::Current(_)));
        let status_word = cells.text(Field::Status);
        RunRow {
            line: cells.row.line(),
            run_id: cells.word(Field::Id),
            user_request: cells.text(Field::Request),
            status: read_status(&status_word),
            status_word,
            current: levels.map(|column| read_ids(&cells.text(column.field))).collect(),
        }
    })
}

/// The catalog.
pub(crate) fn catalog(protocol: &Protocol, text: &Text) -> Vec<CatalogRow> {
    rows(&protocol.catalog, text, |cells| CatalogRow {
        line: cells.row.line(),
        file_path: cells.word(Field::Id),
        run_id: cells.word(Field::Run),
        asset_type: cells.word(Field::AssetType),
        source_task_id: cells.word(Field::Source),
        summary: cells.text(Field::Summary),
        lineage: families(&cells.word(Field::Lineage)),
        source_files: paths::read_paths(&cells.text(Field::SourceFiles)).into_iter().map(|entry| entry.path).collect(),
    })
}

/// The families in a cell.
fn families(cell: &str) -> Vec<String> {
    cell.split(['+', ',', '\n']).map(bare).filter(|family| !family.is_empty()).map(str::to_owned).collect()
}

/// All instructions, those that hold and those that did.
pub(crate) fn instructions(protocol: &Protocol, text: &Text) -> Vec<InstructionRow> {
    rows(&protocol.instructions, text, |cells| InstructionRow {
        line: cells.row.line(),
        instruction_id: cells.word(Field::Id),
        run_id: cells.word(Field::Run),
        instruction_type: cells.word(Field::InstructionType),
        content: cells.text(Field::Content),
        active: is_active(&cells.text(Field::Status)),
        status_word: cells.word(Field::Status),
        superseded_by_id: cells.word(Field::SupersededBy),
        justification: cells.text(Field::Justification),
    })
}

/// The cells of a row by what they stand for.
pub(crate) struct Cells<'a> {
    pub(crate) layout: &'a Layout,
    pub(crate) columns: &'a [Option<usize>],
    pub(crate) row: &'a Row<'a>,
}

impl Cells<'_> {
    pub(crate) fn column(&self, field: Field) -> Option<usize> {
        self.layout.place_of(field).and_then(|place| self.columns.get(place).copied().flatten())
    }

    /// The value of a cell; empty if there is none.
    pub(crate) fn text(&self, field: Field) -> String {
        self.column(field).map(|column| self.row.value(column)).unwrap_or_default()
    }

    /// An id, a path, a word: without what people put around it.
    pub(crate) fn word(&self, field: Field) -> String {
        bare(&self.text(field)).to_owned()
    }
}

/// Every row that has a key, the first of each.
fn rows<R>(document: &GlobalDocument, text: &Text, read: impl Fn(&Cells<'_>) -> R) -> Vec<R> {
    let parsed = Document::parse(text.clone());
    let layout = &document.layout;
    let Some(table) = find_table(&parsed, layout) else { return Vec::new() };
    let columns = columns_of(&table, layout);
    let mut seen = std::collections::HashSet::new();
    let mut all = Vec::new();
    for row in table.rows() {
        let cells = Cells { layout, columns: &columns, row: &row };
        let key = cells.word(Field::Id);
        if !key.is_empty() && seen.insert(key) {
            all.push(read(&cells));
        }
    }
    all
}
