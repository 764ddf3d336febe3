//! One document's table with its rows found by key: read once, then kept in step. Must not know what the rows are about.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use syntax::{Document, Refusal, Table, TableId, Wanted};
use text::{Change, Text};

use crate::keys::Keys;
use crate::layout::{Column, Field, Layout};
use crate::spelling::bare;
use crate::trouble::Trouble;

/// The table of one document. Changes that are being made can be taken back at once, as if they had never been.
#[derive(Debug)]
pub struct Sheet {
    path: String,
    layout: &'static Layout,
    document: Document,
    table: TableId,
    /// For each column of the layout, which one of the table it is.
    columns: Vec<Option<usize>>,
    keys: Keys,
    draft: Option<Draft>,
    /// How many rows were looked at so far: what a step costs is shown by counting.
    looked: u64,
}

/// What was done to a sheet since it was as the project has it.
#[derive(Debug)]
struct Draft {
    before: Document,
    changes: Vec<Change>,
    keys: Vec<KeyEdit>,
    /// All changes as one, once it is complete.
    whole: Option<Change>,
}

/// What a draft did to a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Revision {
    /// Where it changes.
    pub change: Change,
    /// The text before.
    pub before: Text,
    /// The text after: what the change makes of the one before.
    pub after: Text,
}

#[derive(Debug)]
enum KeyEdit {
    Inserted(usize),
    Removed(usize, Arc<str>),
    /// They were all read again.
    Read,
}

/// A change after which a sheet has to be read again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LostTrack;

impl Sheet {
    /// Reads a document. One without the table is refused.
    pub(crate) fn read(path: &str, layout: &'static Layout, text: &Text) -> Result<Self, Trouble> {
        let document = Document::parse(text.clone());
        let Some((table, columns)) =
            find_table(&document, layout).map(|table| (table.id(), columns_of(&table, layout)))
        else {
            let headers: Vec<&str> = layout.columns.iter().map(|column| column.header).collect();
            return Err(Trouble {
                path: path.to_owned(),
                line: 0,
                reason: format!("there is no table with the column `{}`", layout.key()),
                hint: format!(
                    "put the header back: | {} |, or bring the document back with `multiverse restore {path} --at N`",
                    headers.join(" | ")
                ),
            });
        };
        // A column that is gone would silently read as empty; the two that older tables lack may be missing.
        let may_lack = |field: Field| layout.lacks_in_old_tables(field);
        let gone =
            layout.columns.iter().zip(&columns).find(|(column, found)| found.is_none() && !may_lack(column.field));
        // What is not UTF-8 is said when it is to be written.
        if let Some((column, _)) = gone.filter(|_| !document.is_read_only()) {
            let line = document.table(table).map_or(0, |table| table.line());
            return Err(Trouble {
                path: path.to_owned(),
                line,
                reason: format!("the column `{}` is not in the table any more", column.name()),
                hint: format!("put `{}` back into the header", column.header),
            });
        }
        let path = path.to_owned();
        let mut sheet = Self { path, layout, document, table, columns, keys: Keys::default(), draft: None, looked: 0 };
        sheet.read_keys();
        Ok(sheet)
    }

    /// The document as it is now.
    pub fn document(&self) -> &Document {
        &self.document
    }

    /// What it looks like.
    pub(crate) fn layout(&self) -> &'static Layout {
        self.layout
    }

    /// How many rows its table has.
    pub fn row_count(&self) -> usize {
        self.keys.len()
    }

    /// How many rows were looked at so far.
    pub fn looked(&self) -> u64 {
        self.looked
    }

    /// Whether the table has the column of a field.
    pub fn has(&self, field: Field) -> bool {
        self.column(field).is_some()
    }

    /// The row with this key.
    pub fn find(&mut self, key: &str) -> Option<usize> {
        let key = writable(key);
        let key = bare(&key);
        let row = self.keys.find(key)?;
        if self.is_at(row, key) {
            return Some(row);
        }
        // A change that was not followed as it should: what is written counts.
        self.read_keys();
        self.keys.find(key)
    }

    /// The same, as far as it is remembered: for an order of rows, which is checked before anything is done with it.
    pub(crate) fn remembered(&self, key: &str) -> Option<usize> {
        self.keys.find(key)
    }

    /// The values of a row, which is read once, column by column; those that the table lacks are left out.
    pub(crate) fn values(&mut self, row: usize) -> Vec<(&'static Column, String)> {
        self.looked += 1;
        let row = self.document.table(self.table).ok().and_then(|table| table.row(row));
        let Some(row) = row else { return Vec::new() };
        let columns = self.layout.columns.iter().zip(&self.columns);
        columns.filter_map(|(column, place)| Some((column, row.value((*place)?)))).collect()
    }

    /// The value of a cell; empty where the table has no such column.
    pub fn value(&mut self, row: usize, field: Field) -> String {
        self.looked += 1;
        let Some(column) = self.column(field) else { return String::new() };
        self.document
            .table(self.table)
            .ok()
            .and_then(|table| table.row(row))
            .map(|row| row.value(column))
            .unwrap_or_default()
    }

    /// The values of two cells of a row, which is read once.
    pub(crate) fn both(&mut self, row: usize, fields: [Field; 2]) -> [String; 2] {
        self.looked += 1;
        let columns = fields.map(|field| self.column(field));
        let row = self.document.table(self.table).ok().and_then(|table| table.row(row));
        columns.map(|column| row.as_ref().zip(column).map(|(row, column)| row.value(column)).unwrap_or_default())
    }

    /// The line of a row, from 1; that of the header for a row that is not there.
    pub fn line(&self, row: Option<usize>) -> usize {
        let Ok(table) = self.document.table(self.table) else { return 0 };
        row.and_then(|row| table.row(row)).map_or_else(|| table.line(), |row| row.line())
    }

    /// Sets a cell, if it says something else. A column that the table lacks is left out.
    pub(crate) fn set(&mut self, row: usize, field: Field, value: &str) -> Result<(), Trouble> {
        let Some(column) = self.column(field) else { return Ok(()) };
        let change = self.document.set_cell(self.table, row, column, &writable(value));
        let change = change.map_err(|refusal| self.refused(&refusal))?;
        if !change.is_empty() {
            self.remember(change, None);
        }
        Ok(())
    }

    /// Puts a row in, which then has the number `row`.
    pub(crate) fn insert<V: AsRef<str>>(&mut self, row: usize, values: &[(Field, V)]) -> Result<(), Trouble> {
        let width = self.document.table(self.table).map_or(0, |table| table.column_count());
        let mut cells = vec![Cow::Borrowed(""); width];
        let mut key = "";
        for (field, value) in values {
            let place = self.layout.place_of(*field);
            if place == Some(0) {
                key = value.as_ref();
            }
            let column = place.and_then(|place| self.columns.get(place).copied().flatten());
            if let Some(cell) = column.and_then(|column| cells.get_mut(column)) {
                *cell = writable(value.as_ref());
            }
        }
        let change = self.document.insert_row(self.table, row, &cells).map_err(|refusal| self.refused(&refusal))?;
        let key: Arc<str> = bare(&writable(key)).into();
        self.keys.insert(row, key);
        self.remember(change, Some(KeyEdit::Inserted(row)));
        Ok(())
    }

    /// Takes a row out.
    pub(crate) fn remove(&mut self, row: usize) -> Result<(), Trouble> {
        let change = self.document.remove_row(self.table, row).map_err(|refusal| self.refused(&refusal))?;
        let edit = self.keys.remove(row).map(|key| KeyEdit::Removed(row, key));
        self.remember(change, edit);
        Ok(())
    }

    /// From here on changes are collected, and can be taken back.
    pub(crate) fn begin(&mut self) {
        if self.draft.is_none() {
            let before = self.document.clone();
            self.draft = Some(Draft { before, changes: Vec::new(), keys: Vec::new(), whole: None });
        }
    }

    /// All that changed since [`Sheet::begin`], as one; nothing if nothing did. The sheet stays as it is until the draft is
    /// accepted or taken back.
    pub(crate) fn complete(&mut self) -> Option<Revision> {
        let draft = self.draft.as_mut()?;
        let change = Change::in_a_row(std::mem::take(&mut draft.changes));
        draft.whole = Some(change.clone());
        let (before, after) = (draft.before.text().clone(), self.document.text().clone());
        Some(Revision { change, before, after }).filter(|revision| !revision.change.is_empty())
    }

    /// Whether the draft that waits is this change.
    pub(crate) fn is_draft_of(&self, change: &Change) -> bool {
        self.draft.as_ref().and_then(|draft| draft.whole.as_ref()) == Some(change)
    }

    /// The draft is committed.
    pub(crate) fn accept(&mut self) {
        self.draft = None;
    }

    /// The sheet is as it was before the draft.
    pub(crate) fn take_back(&mut self) {
        let Some(draft) = self.draft.take() else { return };
        self.document = draft.before;
        for edit in draft.keys.iter().rev() {
            match edit {
                KeyEdit::Inserted(row) => drop(self.keys.remove(*row)),
                KeyEdit::Removed(row, key) => self.keys.insert(*row, Arc::clone(key)),
                KeyEdit::Read => {}
            }
        }
        if draft.keys.iter().any(|edit| matches!(edit, KeyEdit::Read)) {
            self.read_keys();
        }
    }

    /// Takes over a change that was made to the document, row by row. Tells which runs the new rows are of. A sheet
    /// that lost track is of no use any more.
    pub(crate) fn follow(&mut self, change: &Change) -> Result<Vec<String>, LostTrack> {
        let mut runs = Vec::new();
        // From the end, so that earlier places keep their numbers; one by one, so that only rows are read again.
        for splice in change.splices().iter().rev() {
            let part = Change::from_splices(vec![splice.clone()]);
            for row in self.follow_part(&part)? {
                let run = self.value(row, Field::Run);
                if runs.last() != Some(&run) {
                    runs.push(run);
                }
            }
        }
        Ok(runs)
    }

    fn follow_part(&mut self, part: &Change) -> Result<Range<usize>, LostTrack> {
        let Some(splice) = part.splices().first() else { return Ok(0..0) };
        let text = self.document.text();
        let first_row = self.table_line().ok_or(LostTrack)? + 2;
        let rows_before = self.keys.len();
        let (first, last) = (text.line_at(splice.at), text.line_at(splice.end()));
        let start = first.checked_sub(first_row).ok_or(LostTrack)?.min(rows_before);
        let end = (last + 1 - first_row).min(rows_before);
        self.document.apply(part).map_err(|_| LostTrack)?;
        let table = self.document.table(self.table).map_err(|_| LostTrack)?;
        if table.line() + 1 != first_row || self.document.is_read_only() {
            return Err(LostTrack);
        }
        let rows_after = table.row_count();
        let new_end =
            (end + rows_after).checked_sub(rows_before).filter(|new_end| *new_end >= start).ok_or(LostTrack)?;
        for _ in start..end {
            self.keys.remove(start);
        }
        for row in start..new_end {
            let key = self.key_at(row).unwrap_or_default();
            self.keys.insert(row, key.into());
        }
        Ok(start..new_end)
    }

    /// The line of the header, from 0.
    fn table_line(&self) -> Option<usize> {
        self.document.table(self.table).ok().and_then(|table| table.line().checked_sub(1))
    }

    fn column(&self, field: Field) -> Option<usize> {
        self.layout.place_of(field).and_then(|place| self.columns.get(place).copied().flatten())
    }

    fn key_at(&mut self, row: usize) -> Option<String> {
        self.looked += 1;
        let column = self.columns.first().copied().flatten()?;
        let table = self.document.table(self.table).ok()?;
        table.row(row).map(|row| bare(&row.value(column)).to_owned())
    }

    fn is_at(&mut self, row: usize, key: &str) -> bool {
        let is_first = self.columns.first() == Some(&Some(0));
        if is_first && self.document.table(self.table).is_ok_and(|table| table.begins_with(row, key)) {
            self.looked += 1;
            return true;
        }
        // It may be written with emphasis around it.
        self.key_at(row).as_deref() == Some(key)
    }

    fn read_keys(&mut self) {
        if let Some(draft) = &mut self.draft {
            draft.keys.push(KeyEdit::Read);
        }
        let column = self.columns.first().copied().flatten().unwrap_or_default();
        self.keys = match self.document.table(self.table) {
            Ok(table) => Keys::new(table.rows().map(|row| bare(&row.value(column)).to_owned())),
            Err(_) => Keys::default(),
        };
        self.looked += self.keys.len() as u64;
    }

    fn remember(&mut self, change: Change, edit: Option<KeyEdit>) {
        if let Some(draft) = &mut self.draft {
            draft.changes.push(change);
            draft.keys.extend(edit);
        }
    }

    fn refused(&self, refusal: &Refusal) -> Trouble {
        let line = match refusal {
            Refusal::ReadOnly { line, .. } | Refusal::Unreadable { line } => *line,
            _ => self.line(None),
        };
        Trouble {
            path: self.path.clone(),
            line,
            reason: refusal.to_string(),
            hint: format!("mend it by hand, or bring it back with `multiverse restore {} --at N`", self.path),
        }
    }
}

/// The table that has all columns, or else the first one that has the key column.
pub(crate) fn find_table<'a>(document: &'a Document, layout: &Layout) -> Option<Table<'a>> {
    let all: Vec<&str> = layout.columns.iter().map(|column| column.name()).collect();
    let whole = document.find_table(&Wanted { columns: &all, heading: None });
    whole.or_else(|| document.find_table(&Wanted { columns: &[layout.key()], heading: None }))
}

/// For each column of the layout, which one of the table it is: by its whole header, or else by its name.
pub(crate) fn columns_of(table: &Table<'_>, layout: &Layout) -> Vec<Option<usize>> {
    let find = |header: &str, name: &str| table.column(header).or_else(|| table.column(name));
    layout.columns.iter().map(|column| find(column.header, column.name())).collect()
}

/// No cell can hold a NUL: what stands for a character that cannot be shown takes its place.
pub(crate) fn writable(value: &str) -> Cow<'_, str> {
    match value.contains('\0') {
        true => value.replace('\0', "\u{FFFD}").into(),
        false => value.into(),
    }
}
