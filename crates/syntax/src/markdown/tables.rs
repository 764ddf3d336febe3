//! Owns the view of a document's tables: columns by name, rows and cells by number, values decoded.
//! Must not know how tables are changed (`edit_rows`).

use std::borrow::Cow;
use std::cell::OnceCell;
use std::ops::Range;

use super::blocks::Kind;
use super::{Document, Refusal, cells, row};

/// Which table of a document, counted from 0. Edits of cells and rows leave it valid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TableId(pub usize);

/// A table of a document.
#[derive(Debug, Clone)]
pub struct Table<'a> {
    document: &'a Document,
    id: TableId,
    block: usize,
    lines: Range<usize>,
    /// Read from the header when somebody asks for names: an edit by numbers does not.
    columns: OnceCell<Vec<Column>>,
}

/// A column as its header cell describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// The first word of the header, without emphasis and backticks: `status` for `**status** (ACTIVE, DONE)`.
    pub name: String,
    /// The whole header cell, decoded.
    pub header: String,
    /// The bytes of the header cell, without the blanks around it.
    pub span: Range<usize>,
}

/// A row of a table.
#[derive(Debug, Clone)]
pub struct Row<'a> {
    number: usize,
    line: usize,
    start: usize,
    content: Cow<'a, [u8]>,
    row: row::Row,
}

/// A cell of a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cell {
    /// The bytes between the pipes.
    pub span: Range<usize>,
    /// The bytes without the blanks around them.
    pub trimmed: Range<usize>,
    /// What they stand for.
    pub value: String,
}

/// What a table must have to be the one that is looked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Wanted<'a> {
    /// Columns by name; others may be there too.
    pub columns: &'a [&'a str],
    /// Title of a heading above the table, at any level.
    pub heading: Option<&'a str>,
}

impl Document {
    /// The tables in the order of the document.
    pub fn tables(&self) -> impl Iterator<Item = Table<'_>> {
        (0..self.tree.tables.len()).filter_map(|number| self.table(TableId(number)).ok())
    }

    /// One table by its number.
    pub fn table(&self, id: TableId) -> Result<Table<'_>, Refusal> {
        let tables = self.tree.tables.len();
        let block = *self.tree.tables.get(id.0).ok_or(Refusal::NoSuchTable { number: id.0, tables })?;
        let lines = self.tree.blocks[block].lines.clone();
        Ok(Table { document: self, id, block, lines, columns: OnceCell::new() })
    }

    /// The first table that has what is wanted.
    pub fn find_table(&self, wanted: &Wanted<'_>) -> Option<Table<'_>> {
        self.tables().find(|table| table.fits(wanted))
    }
}

impl<'a> Table<'a> {
    /// Its number, for edits.
    pub fn id(&self) -> TableId {
        self.id
    }

    /// Its bytes, from the header to the last row.
    pub fn span(&self) -> Range<usize> {
        self.document.span(&self.lines)
    }

    /// The line of its header, from 1.
    pub fn line(&self) -> usize {
        self.lines.start + 1
    }

    /// Its columns from left to right.
    pub fn columns(&self) -> &[Column] {
        self.columns.get_or_init(|| {
            let header = Row::read(self.document, 0, self.lines.start);
            (0..header.cell_count()).filter_map(|column| header.cell(column)).map(Column::new).collect()
        })
    }

    /// How many columns it has.
    pub fn column_count(&self) -> usize {
        match self.document.tree.blocks[self.block].kind {
            Kind::Table { columns } => columns,
            _ => self.columns().len(),
        }
    }

    /// The number of a column, in any case: the one with this whole header, or else the first one whose header begins
    /// with this word.
    pub fn column(&self, name: &str) -> Option<usize> {
        let wanted = plain_header(name);
        let columns = self.columns();
        let by_header = columns.iter().position(|column| plain_header(&column.header) == wanted);
        by_header.or_else(|| columns.iter().position(|column| column.name.eq_ignore_ascii_case(name)))
    }

    /// Titles of the headings above it, from the top level down.
    pub fn headings(&self) -> Vec<String> {
        let mut titles = Vec::new();
        let mut below = u8::MAX;
        for block in self.document.tree.blocks[..self.block].iter().rev() {
            if let Kind::Heading { level, .. } = block.kind
                && level < below
            {
                titles.push(self.document.title(block));
                below = level;
            }
        }
        titles.reverse();
        titles
    }

    /// Whether it is one that is looked for.
    pub fn fits(&self, wanted: &Wanted<'_>) -> bool {
        wanted.columns.iter().all(|name| self.column(name).is_some())
            && wanted
                .heading
                .is_none_or(|wanted| self.headings().iter().any(|title| super::sections::same_title(title, wanted)))
    }

    /// How many rows it has, header and delimiter row not counted.
    pub fn row_count(&self) -> usize {
        self.lines.len() - 2
    }

    /// A row, counted from 0.
    pub fn row(&self, number: usize) -> Option<Row<'a>> {
        (number < self.row_count()).then(|| Row::read(self.document, number, self.lines.start + 2 + number))
    }

    /// Whether the first cell of a row has this value: what a key costs to be looked up should not depend on how many
    /// columns there are.
    pub fn begins_with(&self, number: usize, value: &str) -> bool {
        if number >= self.row_count() {
            return false;
        }
        let (_, content) = self.document.content(self.lines.start + 2 + number);
        let start = content.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        let plain = content.get(start) == Some(&b'|') && !value.bytes().any(|byte| matches!(byte, b'\\' | b'&' | b'<'));
        match memchr::memchr2(b'|', b'\\', &content[(start + 1).min(content.len())..]) {
            Some(end) if plain && content[start + 1 + end] == b'|' => {
                content[row::trimmed(&content, start + 1..start + 1 + end)] == *value.as_bytes()
            }
            _ => self.row(number).is_some_and(|row| row.value(0) == value),
        }
    }

    /// Its rows from top to bottom.
    pub fn rows(&self) -> impl Iterator<Item = Row<'a>> {
        let table = self.clone();
        (0..self.row_count()).filter_map(move |number| table.row(number))
    }

    pub(super) fn lines(&self) -> &Range<usize> {
        &self.lines
    }

    pub(super) fn block(&self) -> usize {
        self.block
    }
}

impl<'a> Row<'a> {
    pub(super) fn read(document: &'a Document, number: usize, line: usize) -> Self {
        let (start, content) = document.content(line);
        let row = row::split(&content);
        Row { number, line, start, content, row }
    }

    /// Its number in the table, from 0.
    pub fn number(&self) -> usize {
        self.number
    }

    /// Its line in the document, from 1.
    pub fn line(&self) -> usize {
        self.line + 1
    }

    /// Its bytes without the line ending.
    pub fn span(&self) -> Range<usize> {
        self.start..self.start + self.content.len()
    }

    /// How many cells are written, be they more or fewer than the table has columns.
    pub fn cell_count(&self) -> usize {
        self.row.cells.len()
    }

    /// Whether every cell is empty, as in the placeholder row of a table without content.
    pub fn is_empty(&self) -> bool {
        self.row.cells.iter().all(|cell| row::trimmed(&self.content, cell.clone()).is_empty())
    }

    /// A cell, if it is written.
    pub fn cell(&self, column: usize) -> Option<Cell> {
        let span = self.row.cells.get(column)?.clone();
        let trimmed = row::trimmed(&self.content, span.clone());
        let value = value_of(&self.content[trimmed.clone()]);
        let placed = |range: Range<usize>| range.start + self.start..range.end + self.start;
        Some(Cell { span: placed(span), trimmed: placed(trimmed), value })
    }

    /// The value of a cell; a cell that is not written is empty.
    pub fn value(&self, column: usize) -> String {
        let Some(span) = self.row.cells.get(column) else { return String::new() };
        value_of(&self.content[row::trimmed(&self.content, span.clone())])
    }

    /// Whether a cell has this value, without making one where the bytes are the same; a cell that is not written is
    /// empty.
    pub(super) fn says(&self, column: usize, value: &str) -> bool {
        let Some(span) = self.row.cells.get(column) else { return value.is_empty() };
        let written = &self.content[row::trimmed(&self.content, span.clone())];
        let is_plain = written.iter().all(|byte| matches!(byte, b' '..=b'~') && !matches!(byte, b'\\' | b'&' | b'<'));
        match is_plain {
            true => written == value.as_bytes(),
            false => self.value(column) == value,
        }
    }

    pub(super) fn parts(&self) -> (&[u8], &row::Row) {
        (&self.content, &self.row)
    }
}

impl Column {
    fn new(cell: Cell) -> Self {
        Column { name: first_word(&cell.value).to_owned(), header: cell.value, span: cell.trimmed }
    }

    /// Whether the column is one that programs look for by its first word: the word has an underscore, or nothing but
    /// a remark in parentheses follows it. In `Start date` the word is only a part of the name.
    pub(super) fn is_identifier(&self) -> bool {
        let is_mark = |character: char| character.is_whitespace() || matches!(character, '*' | '`' | '~' | '_');
        let behind = self.header.split_once(self.name.as_str()).map_or("", |(_, rest)| rest).trim_matches(is_mark);
        let is_remark = behind.starts_with(['(', '（']) && behind.ends_with([')', '）']);
        !self.name.is_empty() && (self.name.contains('_') || is_remark || behind.is_empty())
    }

    /// The whole header without emphasis and case, for comparisons.
    pub(super) fn plain_header(&self) -> String {
        plain_header(&self.header)
    }
}

/// What the bytes of a cell stand for, without the blanks around them.
fn value_of(written: &[u8]) -> String {
    // Without a way out of the loop, so that many bytes are looked at at once.
    let is_plain = written
        .iter()
        .fold(true, |plain, byte| plain & (*byte >= b' ') & (*byte <= b'~') & !matches!(byte, b'\\' | b'&' | b'<'));
    match std::str::from_utf8(written) {
        Ok(text) if is_plain => text.to_owned(),
        _ => cells::decode(&String::from_utf8_lossy(written)),
    }
}

/// A header without emphasis, backticks and case, and with single blanks.
fn plain_header(header: &str) -> String {
    let plain: String = header.chars().filter(|character| !matches!(character, '*' | '`' | '~')).collect();
    let words: Vec<&str> = plain.split_whitespace().collect();
    let joined = words.join(" ").to_lowercase();
    match joined.strip_prefix('_').and_then(|inner| inner.strip_suffix('_')) {
        Some(inner) => inner.trim_matches('_').to_owned(),
        None => joined,
    }
}

/// The first word of a header, without the emphasis, backticks or brackets around it.
fn first_word(header: &str) -> &str {
    let is_mark = |character: char| matches!(character, '*' | '`' | '~' | '[' | ']');
    let start = header.trim_start().trim_start_matches(is_mark).trim_start();
    let underscores = start.len() - start.trim_start_matches('_').len();
    let end = start.find(|character: char| character.is_whitespace() || "(（,:：;/]`*".contains(character));
    let word = start[..end.unwrap_or(start.len())].trim_end_matches(is_mark);
    // Underscores around the word are emphasis, one in front alone is part of a name.
    match underscores > 0 && word.len() > 2 * underscores && word.ends_with(&start[..underscores]) {
        true => &word[underscores..word.len() - underscores],
        false => word,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on says why")]
mod tests {
    use super::*;

    #[test]
    fn a_column_is_named_by_the_first_word_of_its_header() {
        for (header, name) in [
            ("run_id", "run_id"),
            ("run_id (PK)", "run_id"),
            ("run_id(PK)", "run_id"),
            ("status (ACTIVE, SUPERSEDED)", "status"),
            ("**status**", "status"),
            ("**status (A, B)**", "status"),
            ("`mcp_id` (FK, Optional)", "mcp_id"),
            ("__status__", "status"),
            ("_id", "_id"),
            ("[summary](#s)", "summary"),
            ("timing (PRE/POST)", "timing"),
            ("Status Code", "Status"),
            ("상태 (x)", "상태"),
            ("", ""),
            ("**", ""),
        ] {
            assert_eq!(first_word(header), name, "{header:?}");
        }
    }

    #[test]
    fn a_column_is_found_by_its_whole_header_or_else_by_its_first_word() {
        let document = Document::parse("| Start time | Start | **End** (x) | `end`  Date |\n|-|-|-|-|\n");
        let table = document.table(TableId(0)).unwrap();
        for (name, column) in [
            ("start", Some(1)),
            ("Start time", Some(0)),
            ("end", Some(2)),
            ("END date", Some(3)),
            ("**end** (X)", Some(2)),
            ("date", None),
        ] {
            assert_eq!(table.column(name), column, "{name:?}");
        }
    }
}
