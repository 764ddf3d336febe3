//! Owns what `check` says about a Markdown document. Problems are looked for when they are asked for, so that edits
//! of a large document need not keep them up to date. Must not change anything.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::blocks::{Block, Kind};
use super::line::{self, HtmlEnd};
use super::near::{self, NearTable};
use super::{Document, row};
use crate::problem::{Code, Findings, Problem};

impl Document {
    /// What is odd about the document, in its order.
    pub fn problems(&self) -> Vec<Problem> {
        let bytes = self.text.slice(0..self.text.len());
        let mut findings = Findings::default();
        self.report_bytes(&bytes, &mut findings);
        for index in 0..self.tree.blocks.len() {
            if findings.is_full() {
                break;
            }
            self.report_block(index, &mut findings);
        }
        findings.place(&bytes)
    }

    fn report_bytes(&self, bytes: &[u8], findings: &mut Findings) {
        if let Some(at) = self.invalid_at {
            findings.add(
                Code::InvalidUtf8,
                at..at + 1,
                format!("byte 0x{:02X} is not UTF-8", bytes.get(at).copied().unwrap_or_default()),
                "save the document as UTF-8; until then it can be read but not changed",
            );
        }
        if let Some(at) = memchr::memchr(0, bytes) {
            findings.add(Code::NulByte, at..at + 1, "a NUL byte", "remove it: this may be a binary file");
        }
        let lone = memchr::memchr_iter(b'\r', bytes).find(|at| bytes.get(at + 1) != Some(&b'\n'));
        if let Some(at) = lone {
            findings.add(
                Code::LoneCarriageReturn,
                at..at + 1,
                "a carriage return without a line feed is not read as the end of a line",
                "end lines with a line feed, or with both",
            );
        }
    }

    fn report_block(&self, index: usize, findings: &mut Findings) {
        let block = &self.tree.blocks[index];
        let (start, first) = self.content(block.lines.start);
        let first_line = start..start + first.len();
        match block.kind {
            Kind::Heading { .. } | Kind::Fence { closed: true } => {}
            Kind::FrontMatter => self.report_front_matter(findings),
            Kind::OpenFrontMatter => findings.add(
                Code::FrontMatterUnclosed,
                first_line,
                "front matter begins here and is never closed, so it is read as text",
                "put a line `---` below its last key",
            ),
            Kind::Fence { closed: false } => findings.add(
                Code::FenceUnclosed,
                first_line,
                "a fenced block begins here and is never closed, so the rest of the document belongs to it",
                "put a line with the same marks below the block",
            ),
            Kind::OpenHtml => findings.add(
                Code::HtmlUnclosed,
                first_line,
                "an HTML block begins here and is never closed, so the rest of the document belongs to it",
                close_html(&first),
            ),
            Kind::NearTable(reason) => {
                let (_, last) = self.content(block.lines.end - 1);
                report_near_table(reason, first_line, &last, findings);
            }
            Kind::Table { columns } => {
                self.report_columns(index, findings);
                self.report_rows(block, columns, findings);
            }
        }
    }

    fn report_front_matter(&self, findings: &mut Findings) {
        if let Some(matter) = self.front_matter() {
            findings.take_over(matter.into_findings(), 0);
        }
    }

    fn report_rows(&self, block: &Block, columns: usize, findings: &mut Findings) {
        let span = self.span(&(block.lines.start + 2..block.lines.end));
        let bytes = self.text.slice(span.clone());
        let mut at = 0;
        // One pass over the bytes: asking the rope for each line would cost more.
        while at < bytes.len() && !findings.is_full() {
            let length = memchr::memchr(b'\n', &bytes[at..]).map_or(bytes.len() - at, |end| end + 1);
            let content = &bytes[at..at + line::content_length(&bytes[at..at + length])];
            let cells = row::count(content);
            let place = span.start + at..span.start + at + content.len();
            at += length;
            if line::delimiter_columns(content).is_some() {
                findings.add(
                    Code::DelimiterInTable,
                    place.clone(),
                    "a row of dashes within a table is read as an ordinary row",
                    "put a blank line above the header of the second table, or remove this row",
                );
            }
            if cells < columns {
                report_cells(cells, columns, place, findings);
            } else if cells > columns {
                let split = row::split(content);
                let extra = split.cells.get(columns).map_or(0, |cell| row::trimmed(content, cell.clone()).start);
                report_cells(cells, columns, place.start + extra..place.end, findings);
            }
        }
    }

    fn report_columns(&self, block: usize, findings: &mut Findings) {
        let Ok(number) = self.tree.tables.binary_search(&block) else { return };
        let Ok(table) = self.table(super::TableId(number)) else { return };
        let mut headers = HashSet::new();
        // First words that name columns, and whether one of them is written in small letters like an identifier.
        let mut names: HashMap<String, bool> = HashMap::new();
        for column in table.columns() {
            let header = column.plain_header();
            if header.is_empty() {
                continue;
            }
            let name = column.name.to_lowercase();
            let is_small = name == column.name || name.contains('_');
            let is_known = match column.is_identifier().then(|| names.get_mut(&name)).flatten() {
                // `Cost (USD)` and `Cost (EUR)` are what they say; `status` and `status (A, B)` are one column twice.
                Some(small) => std::mem::replace(small, *small || is_small) || is_small,
                None => false,
            };
            if !headers.insert(header) {
                findings.add(
                    Code::ColumnDuplicate,
                    column.span.clone(),
                    format!("there is a column `{}` already, and only the first one is found by name", column.header),
                    "give one of them another name",
                );
            } else if is_known {
                findings.add(
                    Code::ColumnDuplicate,
                    column.span.clone(),
                    format!("there is a column `{}` already, and only the first one is found by name", column.name),
                    "give one of them another first word",
                );
            }
            if column.is_identifier() {
                names.entry(name).or_insert(is_small);
            }
        }
    }
}

/// How an HTML block that begins with this line is closed.
fn close_html(first: &[u8]) -> String {
    let end = match line::html_start(line::without_blanks(first)) {
        Some(HtmlEnd::Mark(mark)) => mark,
        _ => "-->",
    };
    format!("put `{end}` where it ends")
}

/// Says what is wrong with something like a table; `last` is its last line that matters.
fn report_near_table(reason: NearTable, place: Range<usize>, last: &[u8], findings: &mut Findings) {
    let (code, message, hint) = match reason {
        NearTable::Mismatch { header, delimiter } => (
            Code::TableHeaderMismatch,
            format!(
                "this is no table: the header has {} and the row of dashes below it has {delimiter}",
                count(header, "cell")
            ),
            "give both the same number of cells".to_owned(),
        ),
        NearTable::InContainer => (
            Code::TableInParagraph,
            "this is no table: its rows continue the text of the list item or quote above".to_owned(),
            "put a blank line above the table".to_owned(),
        ),
        NearTable::BelowContainer => (
            Code::TableInParagraph,
            "other programs read this table as text of the list item or quote above".to_owned(),
            "put a blank line above the table".to_owned(),
        ),
        NearTable::Delimiter { columns } => (
            Code::TableDelimiter,
            "this is no table: the row below the header is not read as its row of dashes".to_owned(),
            mend_delimiter(last, columns),
        ),
        NearTable::NoDelimiter { columns } => (
            Code::TableDelimiter,
            "this is no table: there is no row of dashes below the first row".to_owned(),
            format!("put {} below the first row", dashes(columns)),
        ),
        NearTable::NoHeader => (
            Code::TableDelimiter,
            "this row of dashes has no header above it".to_owned(),
            "put a header with as many cells directly above it, or remove it".to_owned(),
        ),
        NearTable::HeaderCutOff => (
            Code::TableDelimiter,
            "this is no table: a blank line stands between the header and this row of dashes".to_owned(),
            "remove the blank line above it".to_owned(),
        ),
        NearTable::CutOff => (
            Code::RowOutsideTable,
            "this looks like a row, but a blank line cuts it off from the table above".to_owned(),
            "remove the blank line above it".to_owned(),
        ),
        NearTable::Indented => (
            Code::RowOutsideTable,
            "this looks like a row, but it is indented so far that it is code and ends the table".to_owned(),
            "indent it like the rows above".to_owned(),
        ),
        NearTable::Tag => (
            Code::RowOutsideTable,
            "this HTML ends the table above, so that the rows below it belong to no table".to_owned(),
            "put it between the pipes of a cell, or below the last row".to_owned(),
        ),
        NearTable::Row { cells, columns, at } => {
            let start = (place.start + at).min(place.end);
            return report_cells(cells, columns, start..place.end, findings);
        }
    };
    findings.add(code, place, message, hint);
}

/// Reports a row with too few or too many cells; `place` is the row, or what is too much of it.
fn report_cells(cells: usize, columns: usize, place: Range<usize>, findings: &mut Findings) {
    let message = format!("{} where the table has {}", count(cells, "cell"), count(columns, "column"));
    let (code, hint) = if cells < columns {
        let hint = "add the missing cells; a line of text directly below a table is read as a row, so put a blank line \
                    between them";
        (Code::RowTooShort, hint)
    } else {
        (Code::RowTooLong, "write a pipe within a cell as `\\|`, also between backticks")
    };
    findings.add(code, place, message, hint);
}

/// What to do about a row that is meant as the delimiter row of a table with so many columns.
fn mend_delimiter(row: &[u8], columns: usize) -> String {
    let odd_blank = String::from_utf8_lossy(row).chars().find(|character| near::is_odd_blank(*character));
    if line::delimiter_columns(line::without_blanks(row)).is_some() {
        return "indent it by less than four blanks".to_owned();
    }
    match odd_blank {
        Some(odd) => {
            format!("replace the blanks U+{:04X} in it by plain ones, or write {}", u32::from(odd), dashes(columns))
        }
        None => format!("write it like {}", dashes(columns)),
    }
}

/// A delimiter row with so many columns.
fn dashes(columns: usize) -> String {
    const LONGEST: usize = 12;
    match columns <= LONGEST {
        true => format!("`|{}`", "---|".repeat(columns.max(1))),
        false => format!("`|---|---|` and so on, with {columns} cells,"),
    }
}

fn count(number: usize, what: &str) -> String {
    match number {
        0 => format!("no {what}s"),
        1 => format!("1 {what}"),
        more => format!("{more} {what}s"),
    }
}
