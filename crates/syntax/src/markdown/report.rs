//! Owns what `check` says about a Markdown document. Problems are looked for when they are asked for, so that edits
//! of a large document need not keep them up to date. Must not change anything.

use super::blocks::{Block, Kind, NearTable};
use super::{Document, line, row};
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
                "close it, for example with `-->` for a comment",
            ),
            Kind::NearTable(reason) => report_near_table(reason, first_line, findings),
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
                findings.add(
                    Code::RowTooShort,
                    place,
                    format!("{} where the table has {}", count(cells, "cell"), count(columns, "column")),
                    "add the missing cells; a line of text directly below a table is read as a row, so put a blank \
                     line between them",
                );
            } else if cells > columns {
                let split = row::split(content);
                let extra = split.cells.get(columns).map_or(0, |cell| row::trimmed(content, cell.clone()).start);
                let extra = place.start + extra;
                findings.add(
                    Code::RowTooLong,
                    extra..place.end,
                    format!("{} where the table has {}", count(cells, "cell"), count(columns, "column")),
                    "write a pipe within a cell as `\\|`, also between backticks",
                );
            }
        }
    }

    fn report_columns(&self, block: usize, findings: &mut Findings) {
        let Ok(number) = self.tree.tables.binary_search(&block) else { return };
        let Ok(table) = self.table(super::TableId(number)) else { return };
        let mut seen = std::collections::HashSet::new();
        for column in table.columns() {
            if !column.name.is_empty() && !seen.insert(column.name.to_lowercase()) {
                findings.add(
                    Code::ColumnDuplicate,
                    column.span.clone(),
                    format!("there is a column `{}` already, and only the first one is found by name", column.name),
                    "give one of them another first word",
                );
            }
        }
    }
}

fn report_near_table(reason: NearTable, place: std::ops::Range<usize>, findings: &mut Findings) {
    match reason {
        NearTable::Mismatch { header, delimiter } => findings.add(
            Code::TableHeaderMismatch,
            place,
            format!(
                "this is no table: the header has {} and the row of dashes below it has {delimiter}",
                count(header, "cell")
            ),
            "give both the same number of cells",
        ),
        NearTable::InContainer => findings.add(
            Code::TableInParagraph,
            place,
            "this is no table: its rows continue the text of the list item or quote above",
            "put a blank line above the table",
        ),
        NearTable::BelowContainer => findings.add(
            Code::TableInParagraph,
            place,
            "other programs read this table as text of the list item or quote above",
            "put a blank line above the table",
        ),
        NearTable::Delimiter => findings.add(
            Code::TableDelimiter,
            place,
            "this is no table: not every cell of the row below the header is made of dashes",
            "write it like `| --- | :---: |`",
        ),
        NearTable::CutOff => findings.add(
            Code::RowOutsideTable,
            place,
            "this looks like a row, but a blank line cuts it off from the table above",
            "remove the blank line above it",
        ),
    }
}

fn count(number: usize, what: &str) -> String {
    match number {
        0 => format!("no {what}s"),
        1 => format!("1 {what}"),
        more => format!("{more} {what}s"),
    }
}
