//! Owns changes to the rows of a table: set a cell, insert, append, remove a row. Each costs the same in a table of
//! any length, because blocks keep line numbers and only later ones move. Must not touch bytes outside its span.

use std::ops::Range;
use std::sync::Arc;

use text::{Change, Splice};

use super::blocks::Block;
use super::row::{self, Row as Cells};
use super::{Document, Edit, Refusal, Row, Table, TableId, cells};

impl Document {
    /// Sets the value of one cell, if it says something else. The blanks around it stay as they are; a cell that the row
    /// lacks is added.
    pub fn set_cell(&mut self, table: TableId, row: usize, column: usize, value: &str) -> Result<Change, Refusal> {
        self.check_editable()?;
        let found = self.table(table)?;
        check_column(&found, column)?;
        let target = existing_row(&found, row)?;
        if target.says(column, value) {
            return Ok(Change::default());
        }
        let encoded = cells::encode(value)?;
        let change = set_cell_in(&target, column, &encoded).ok_or(Refusal::Unreadable { line: target.line() })?;
        drop(target);
        self.commit_in_place(&change, Edit::Cell { table: table.0, row, column });
        Ok(change)
    }

    /// Adds a row below the last one. Values stand in the order of the columns; missing ones are empty.
    pub fn append_row<V: AsRef<str>>(&mut self, table: TableId, values: &[V]) -> Result<Change, Refusal> {
        let rows = self.table(table)?.row_count();
        self.insert_row(table, rows, values)
    }

    /// Adds a row that then has the number `row`.
    pub fn insert_row<V: AsRef<str>>(&mut self, table: TableId, row: usize, values: &[V]) -> Result<Change, Refusal> {
        self.check_editable()?;
        let found = self.table(table)?;
        let rows = found.row_count();
        if row > rows {
            return Err(Refusal::NoSuchRow { line: found.line(), row, rows });
        }
        let columns = found.column_count();
        if values.len() > columns {
            return Err(Refusal::TooManyValues { line: found.line(), values: values.len(), columns });
        }
        let model = found.row(row.saturating_sub(1)).unwrap_or_else(|| Row::read(self, 0, found.lines().start));
        let written = write_row(&model, values, columns)?;
        let line = found.lines().start + 2 + row;
        let above = self.text.line(line - 1);
        let put = match &self.text.slice(above.clone())[..] {
            [.., b'\r', b'\n'] => [&written, &b"\r\n"[..]].concat(),
            [.., b'\n'] => [&written, &b"\n"[..]].concat(),
            // A line feed alone would make the carriage return a part of the line ending.
            [.., b'\r'] => [&b"\r\n"[..], &written].concat(),
            _ => [self.line_ending(found.lines().start), &written].concat(),
        };
        let change = Change::one(above.end, Vec::new(), put);
        let block = found.block();
        drop(model);
        self.commit_in_place(&change, Edit::RowInserted { table: table.0, row });
        self.move_lines(block, Lines::Inserted);
        Ok(change)
    }

    /// Removes a row with its line ending.
    pub fn remove_row(&mut self, table: TableId, row: usize) -> Result<Change, Refusal> {
        self.check_editable()?;
        let found = self.table(table)?;
        existing_row(&found, row)?;
        let line = found.lines().start + 2 + row;
        let mut span = self.text.line(line);
        // At the end of a document without a final line ending the one above goes, so that there is still none.
        if !self.text.slice(span.clone()).ends_with(b"\n") {
            let above = self.text.line(line - 1);
            span.start = above.start + super::line::content_length(&self.text.slice(above.clone()));
        }
        let change = Change::replace(&self.text, span, Vec::new());
        let block = found.block();
        self.commit_in_place(&change, Edit::RowRemoved { table: table.0, row });
        self.move_lines(block, Lines::Removed);
        Ok(change)
    }

    /// Makes a table one line longer or shorter, and moves the blocks below it.
    fn move_lines(&mut self, table: usize, lines: Lines) {
        let moved = |line: &mut usize| match lines {
            Lines::Inserted => *line += 1,
            Lines::Removed => *line -= 1,
        };
        let blocks: &mut [Block] = &mut Arc::make_mut(&mut self.tree).blocks[table..];
        if let Some((table, below)) = blocks.split_first_mut() {
            moved(&mut table.lines.end);
            for block in below {
                moved(&mut block.lines.start);
                moved(&mut block.lines.end);
            }
        }
    }
}

#[derive(Clone, Copy)]
enum Lines {
    Inserted,
    Removed,
}

fn existing_row<'a>(table: &Table<'a>, row: usize) -> Result<Row<'a>, Refusal> {
    let rows = table.row_count();
    table.row(row).ok_or(Refusal::NoSuchRow { line: table.line(), row, rows })
}

fn check_column(table: &Table<'_>, column: usize) -> Result<(), Refusal> {
    let columns = table.column_count();
    match column < columns {
        true => Ok(()),
        false => Err(Refusal::NoSuchColumn { line: table.line(), column, columns }),
    }
}

/// The change of one cell. Without outer pipes a value can look like another block or vanish at the row's end; the
/// pipes that prevent it are added then, and only then. Nothing if even so the value would not be read back.
fn set_cell_in(target: &Row<'_>, column: usize, encoded: &str) -> Option<Change> {
    let (content, written) = target.parts();
    let mut splices = match written.cells.get(column) {
        Some(cell) => vec![replace_cell(content, cell.clone(), encoded)],
        None if encoded.is_empty() => return Some(Change::default()),
        None => vec![add_cells(written, content, column, encoded)],
    };
    let reads_well = |splices: &[Splice]| {
        let line = spliced(content, splices);
        let cells = row::split(&line).cells;
        row::is_row(&line)
            && cells.len() == written.cells.len().max(column + 1)
            && cells.get(column).is_some_and(|cell| line[row::trimmed(&line, cell.clone())] == *encoded.as_bytes())
    };
    let is_sure = is_framed(written) && column < written.cells.len() && !encoded.is_empty() && cannot_cut(encoded);
    debug_assert!(!is_sure || reads_well(&splices), "{encoded:?}");
    let mut is_well = is_sure || reads_well(&splices);
    if !is_well && !written.trailing_pipe && column + 1 >= written.cells.len() {
        splices.push(Splice { at: content.len(), cut: Vec::new().into(), put: "|".into() });
        is_well = reads_well(&splices);
    }
    if !is_well && !written.leading_pipe {
        let indent = content.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        splices.insert(0, Splice { at: indent, cut: Vec::new().into(), put: "| ".into() });
        is_well = reads_well(&splices);
    }
    if !is_well {
        return None;
    }
    let start = target.span().start;
    for splice in &mut splices {
        splice.at += start;
    }
    Some(Change::from_splices(splices))
}

/// Whether pipes stand at both ends, so that no cell can be taken for another block or vanish.
fn is_framed(written: &Cells) -> bool {
    written.leading_pipe && written.trailing_pipe
}

/// Whether it is seen at a glance that a cell stays one, as it is, between any two pipes.
fn cannot_cut(encoded: &str) -> bool {
    let bytes = encoded.as_bytes();
    let is_plain = |byte: &u8| matches!(byte, b' '..=b'~') && !matches!(byte, b'\\' | b'|');
    bytes.iter().all(is_plain) && bytes.first() != Some(&b' ') && bytes.last() != Some(&b' ')
}

fn replace_cell(content: &[u8], cell: Range<usize>, encoded: &str) -> Splice {
    let trimmed = row::trimmed(content, cell.clone());
    match trimmed.is_empty() && !encoded.is_empty() {
        true => splice(content, cell, format!(" {encoded} ")),
        false => splice(content, trimmed, encoded.to_owned()),
    }
}

/// Adds the cells that a short row lacks, up to `column`.
fn add_cells(written: &Cells, content: &[u8], column: usize, encoded: &str) -> Splice {
    let between = "| ".repeat(column - written.cells.len());
    let mut put = String::new();
    if !written.trailing_pipe && !written.cells.is_empty() {
        put.push_str(if content.ends_with(b" ") { "|" } else { " |" });
    }
    // Each missing cell is a blank and a pipe.
    put.push_str(&between.replace("| ", " |"));
    put.push(' ');
    put.push_str(encoded);
    if written.trailing_pipe {
        put.push_str(" |");
    }
    splice(content, written.end..written.end, put)
}

fn splice(content: &[u8], range: Range<usize>, put: String) -> Splice {
    Splice { at: range.start, cut: content[range].to_vec().into(), put: put.into() }
}

fn spliced(content: &[u8], splices: &[Splice]) -> Vec<u8> {
    let mut line = Vec::with_capacity(content.len() + 16);
    let mut at = 0;
    for splice in splices {
        line.extend_from_slice(&content[at..splice.at]);
        line.extend_from_slice(&splice.put);
        at = splice.end();
    }
    line.extend_from_slice(&content[at..]);
    line
}

/// A new row with the pipes, blanks and indent of `model`.
fn write_row<V: AsRef<str>>(model: &Row<'_>, values: &[V], columns: usize) -> Result<Vec<u8>, Refusal> {
    let mut encoded = Vec::with_capacity(columns);
    for value in values {
        encoded.push(cells::encode(value.as_ref())?);
    }
    encoded.resize(columns, "".into());
    let (content, written) = model.parts();
    let first = written.cells.first().map_or(&b" "[..], |cell| &content[cell.clone()]);
    let is_padded = !written.leading_pipe || first.is_empty() || first.starts_with(b" ");
    let indent = content.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    let length = indent + 1 + encoded.iter().map(|cell| cell.len() + 3).sum::<usize>();
    let plain = |leading: bool, trailing: bool| {
        let mut row = Vec::with_capacity(length);
        row.extend_from_slice(&content[..indent]);
        if leading {
            row.push(b'|');
        }
        for (number, cell) in encoded.iter().enumerate() {
            let is_last = number + 1 == columns;
            if is_padded && (leading || number > 0) {
                row.push(b' ');
            }
            row.extend_from_slice(cell.as_bytes());
            if is_padded && (trailing || !is_last) && !(cell.is_empty() && (leading || number > 0)) {
                row.push(b' ');
            }
            if trailing || !is_last {
                row.push(b'|');
            }
        }
        row
    };
    let row = plain(written.leading_pipe, written.trailing_pipe);
    let is_sure = is_framed(written) && encoded.iter().all(|cell| cannot_cut(cell));
    if is_sure && !cfg!(debug_assertions) {
        return Ok(row);
    }
    let cells = row::split(&row).cells;
    let same = |(cell, encoded): (&Range<usize>, &std::borrow::Cow<'_, str>)| {
        row[row::trimmed(&row, cell.clone())] == *encoded.as_bytes()
    };
    let is_well = row::is_row(&row) && cells.len() == columns && cells.iter().zip(&encoded).all(same);
    debug_assert!(!is_sure || is_well, "{encoded:?}");
    match is_well {
        true => Ok(row),
        false => Ok(plain(true, true)),
    }
}
