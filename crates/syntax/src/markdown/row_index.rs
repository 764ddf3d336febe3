//! Owns the way from a key to its row in a large table without reading the table each time.
//! Must not trust itself: each answer is read again in the document, and a wrong one makes it start anew.

use std::collections::HashMap;
use std::sync::Arc;

use super::{Document, Edit, Table, TableId};

/// Rows of one table by the value of one column. Of several rows with one key the first one counts.
#[derive(Debug, Clone)]
pub struct RowIndex {
    table: TableId,
    column: usize,
    rows: HashMap<String, usize>,
    /// How many rows the table had.
    count: usize,
    /// Which state of the document the rows describe.
    stamp: Arc<()>,
}

impl RowIndex {
    /// Reads the whole column once.
    pub fn new(document: &Document, table: TableId, column: usize) -> Self {
        let stamp = document.edits.stamp();
        let mut index = RowIndex { table, column, rows: HashMap::new(), count: 0, stamp };
        index.read(document);
        index
    }

    /// The row whose key column has this value. Takes the same time for any number of rows, unless rows were
    /// inserted, removed or given other keys in a way that the document does not remember.
    pub fn find(&mut self, document: &Document, key: &str) -> Option<usize> {
        let followed = self.follow(document);
        if !followed {
            self.read(document);
        }
        let row = *self.rows.get(key)?;
        if self.is_at(document, key, row) {
            return Some(row);
        }
        self.read(document);
        self.rows.get(key).copied()
    }

    /// Takes over what happened since the last look. False if that is not known.
    fn follow(&mut self, document: &Document) -> bool {
        let Some(edits) = document.edits.since(&self.stamp) else { return false };
        let Ok(table) = document.table(self.table) else { return false };
        for edit in edits {
            match edit {
                Edit::Cell { table: number, row, column } => {
                    if number == self.table.0 && column == self.column {
                        self.note(&table, row);
                    }
                }
                Edit::Row { table: number, row } => {
                    if number == self.table.0 {
                        self.note(&table, row);
                    }
                }
                Edit::RowInserted { table: number, row } if number == self.table.0 => {
                    // Only a row at the end leaves the others where they are.
                    if row != self.count {
                        return false;
                    }
                    self.count += 1;
                    self.note(&table, row);
                }
                Edit::RowRemoved { table: number, row } if number == self.table.0 => {
                    if row + 1 != self.count {
                        return false;
                    }
                    self.count -= 1;
                }
                Edit::RowInserted { .. } | Edit::RowRemoved { .. } => {}
                Edit::Other => return false,
            }
        }
        self.stamp = document.edits.stamp();
        true
    }

    fn note(&mut self, table: &Table<'_>, row: usize) {
        if let Some(row) = table.row(row) {
            let known = self.rows.entry(row.value(self.column)).or_insert(row.number());
            *known = (*known).min(row.number());
        }
    }

    fn is_at(&self, document: &Document, key: &str, row: usize) -> bool {
        let Ok(table) = document.table(self.table) else { return false };
        match self.column {
            0 => table.begins_with(row, key),
            column => table.row(row).is_some_and(|row| row.value(column) == key),
        }
    }

    fn read(&mut self, document: &Document) {
        self.rows.clear();
        self.count = 0;
        self.stamp = document.edits.stamp();
        let Ok(table) = document.table(self.table) else { return };
        self.count = table.row_count();
        for row in table.rows() {
            self.rows.entry(row.value(self.column)).or_insert(row.number());
        }
    }
}
