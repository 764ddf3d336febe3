//! A document of a project with its table, as it is being mended: cells by the names of their columns, every change a
//! splice. Must not know what is right.

use std::collections::{BTreeMap, BTreeSet};

use syntax::{Document, Row, Table, TableId};
use text::{Change, Splice, Text};

use super::Finding;
use super::kinds::{self, Known};
use super::protocol::Kind as ProjectKind;

/// A document that is being mended.
pub(super) struct Paper {
    /// As it is called in the original.
    pub(super) path: String,
    /// As it will be called, as far as its folder goes.
    pub(super) place: String,
    pub(super) known: Known,
    pub(super) document: Document,
    table: TableId,
    columns: BTreeMap<&'static str, usize>,
    before: Text,
    /// Rows that go when all is done, so that lines can be told until then.
    dropped: BTreeSet<usize>,
}

impl Paper {
    /// Reads a document; one without a table that can be read is told of, and left alone.
    pub(super) fn read(
        path: &str,
        place: &str,
        known: Known,
        kind: ProjectKind,
        text: &Text,
        findings: &mut Vec<Finding>,
    ) -> Option<Self> {
        let document = Document::parse(text.clone());
        if document.is_read_only() {
            let hint = "save it as UTF-8; until then it is left alone";
            findings.push(Finding::decide(path, 1, "it is not UTF-8, and cannot be changed", hint));
            return None;
        }
        let bytes = text.to_vec();
        if bytes.starts_with(b"\xef\xbb\xbf") {
            findings.push(Finding::found(path, 1, "it begins with a byte order mark, which stays"));
        }
        if bytes.windows(2).any(|pair| pair == b"\r\n") {
            findings.push(Finding::found(path, 1, "it has the line ends of Windows, which stay"));
        }
        let headers = kinds::headers(kind, known.table);
        let Some((table, columns)) = best_table(&document, headers) else {
            if !bytes.iter().all(u8::is_ascii_whitespace) {
                let what = format!("there is no table with the column `{}`", kinds::name_of(headers[0]));
                findings.push(Finding::decide(
                    path,
                    1,
                    what,
                    format!("put the header in: | {} |", headers.join(" | ")),
                ));
            }
            return None;
        };
        let (path, place) = (path.to_owned(), place.to_owned());
        let mut this =
            Self { path, place, known, document, table, columns, before: text.clone(), dropped: BTreeSet::new() };
        let missing = this.mend_header(headers, findings);
        this.add_columns(&missing, findings);
        Some(this)
    }

    /// Columns by the names that the protocol has for them; those that are not there are told of.
    /// Gives those that can be put in with nothing in them.
    fn mend_header(&mut self, headers: &'static [&'static str], findings: &mut Vec<Finding>) -> Vec<&'static str> {
        let mut missing = Vec::new();
        let Ok(table) = self.document.table(self.table) else { return missing };
        let line = table.line();
        let written: Vec<(String, std::ops::Range<usize>)> =
            table.columns().iter().map(|column| (column.header.clone(), column.span.clone())).collect();
        let mut splices = Vec::new();
        for header in headers {
            let name = kinds::name_of(header);
            match self.columns.get(name) {
                Some(column) if !reads_as(&written[*column].0, name) => {
                    let (old, span) = &written[*column];
                    findings.push(Finding::mended(
                        &self.path,
                        line,
                        format!("the column `{old}` is called `{header}`"),
                    ));
                    let cut = self.document.text().slice(span.clone()).into_owned().into();
                    splices.push(Splice { at: span.start, cut, put: header.as_bytes().to_vec().into() });
                }
                Some(_) => {}
                None if kinds::may_lack(self.known.table, name) => {}
                None if kinds::may_be_empty(name) && !self.has_long_rows() => missing.push(*header),
                None => {
                    let what = format!("the column `{name}` is missing");
                    let hint =
                        format!("add it to the header and to every row; all of them are: {}", headers.join(" | "));
                    findings.push(Finding::decide(&self.path, line, what, hint));
                }
            }
        }
        splices.sort_by_key(|splice| splice.at);
        let _ = self.document.apply(&Change::from_splices(splices));
        missing
    }

    /// Whether a row has cells behind the last column: another column would take them in.
    fn has_long_rows(&self) -> bool {
        let Ok(table) = self.document.table(self.table) else { return true };
        let width = table.columns().len();
        table.rows().any(|row| row.cell_count() > width)
    }

    /// Columns with nothing in them, behind the last one.
    fn add_columns(&mut self, headers: &[&'static str], findings: &mut Vec<Finding>) {
        let Ok(table) = self.document.table(self.table) else { return };
        let (line, width) = (table.line(), table.columns().len());
        if headers.is_empty() {
            return;
        }
        let text = self.document.text();
        let mut splices = Vec::new();
        for at in line - 1..line + 1 + table.row_count() {
            let bytes = text.slice(text.line(at));
            let content = bytes.trim_ascii_end();
            let row = at.checked_sub(line + 1).and_then(|row| table.row(row));
            // A row that is cut has none of its last cells anyway.
            if row.is_some_and(|row| row.is_empty() || row.cell_count() < width) {
                continue;
            }
            let closed = content.ends_with(b"|") && !content.ends_with(b"\\|");
            let mut put = String::from(if closed { "" } else { " |" });
            for header in headers {
                put.push_str(&match at + 1 {
                    at if at == line => format!(" {header} |"),
                    at if at == line + 1 => " --- |".to_owned(),
                    _ => " |".to_owned(),
                });
            }
            splices.push(Splice {
                at: text.line(at).start + content.len(),
                cut: Vec::new().into(),
                put: put.into_bytes().into(),
            });
        }
        for (number, header) in headers.iter().enumerate() {
            let what = format!("the column `{}` is put in, with nothing in it", kinds::name_of(header));
            findings.push(Finding::mended(&self.path, line, what));
            self.columns.insert(kinds::name_of(header), width + number);
        }
        let _ = self.document.apply(&Change::from_splices(splices));
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.columns.contains_key(name)
    }

    /// The rows that say something, by number.
    pub(super) fn rows(&self) -> Vec<usize> {
        let Ok(table) = self.document.table(self.table) else { return Vec::new() };
        table
            .rows()
            .filter(|row| !row.is_empty() && !self.dropped.contains(&row.number()))
            .map(|row| row.number())
            .collect()
    }

    fn row(&self, row: usize) -> Option<Row<'_>> {
        self.document.table(self.table).ok()?.row(row)
    }

    /// The line of a row, from 1, as long as none was dropped.
    pub(super) fn line(&self, row: usize) -> usize {
        self.row(row).map_or(0, |row| row.line())
    }

    /// How many cells a row has, and how many the header.
    pub(super) fn cells(&self, row: usize) -> (usize, usize) {
        let width = self.document.table(self.table).map_or(0, |table| table.columns().len());
        (self.row(row).map_or(0, |row| row.cell_count()), width)
    }

    /// A cell as it is meant: without what stands around it; empty where there is none.
    pub(super) fn value(&self, row: usize, name: &str) -> String {
        let Some(column) = self.columns.get(name) else { return String::new() };
        self.row(row).map(|row| row.value(*column)).unwrap_or_default()
    }

    pub(super) fn word(&self, row: usize, name: &str) -> String {
        crate::spelling::bare(&self.value(row, name)).to_owned()
    }

    /// The run that a row is of.
    pub(super) fn run_of(&self, row: usize) -> String {
        let written = self.word(row, "run_id");
        if self.known.run.is_empty() { written } else { self.known.run.clone() }
    }

    /// All cells of a row, to see whether two say the same.
    pub(super) fn whole(&self, row: usize) -> Vec<String> {
        let Some(row) = self.row(row) else { return Vec::new() };
        (0..row.cell_count()).map(|column| row.value(column).trim().to_owned()).collect()
    }

    /// Sets a cell; says whether it could be.
    pub(super) fn set(&mut self, row: usize, name: &str, value: &str) -> bool {
        let Some(column) = self.columns.get(name).copied() else { return false };
        self.document.set_cell(self.table, row, column, value).is_ok()
    }

    /// The row goes, when all is done.
    pub(super) fn drop_row(&mut self, row: usize) {
        self.dropped.insert(row);
    }

    pub(super) fn drop_rows(&mut self) {
        for row in std::mem::take(&mut self.dropped).into_iter().rev() {
            let _ = self.document.remove_row(self.table, row);
        }
    }

    pub(super) fn is_changed(&self) -> bool {
        *self.document.text() != self.before
    }
}

/// The table that has most of the columns, its key or half of them among these.
fn best_table(
    document: &Document,
    headers: &'static [&'static str],
) -> Option<(TableId, BTreeMap<&'static str, usize>)> {
    let all = document.tables().map(|table| (table.id(), columns_of(&table, headers)));
    let fitting = all
        .filter(|(_, columns)| columns.contains_key(kinds::name_of(headers[0])) || columns.len() * 2 >= headers.len());
    // The first of those that have as many.
    fitting.reduce(|best, other| if other.1.len() > best.1.len() { other } else { best })
}

fn columns_of(table: &Table<'_>, headers: &'static [&'static str]) -> BTreeMap<&'static str, usize> {
    let mut columns = BTreeMap::new();
    let mut taken = BTreeSet::new();
    let written: Vec<String> = table.columns().iter().map(|column| column.header.clone()).collect();
    let fits: [fn(&str, &str) -> bool; 3] = [reads_as, |header, name| plain(header) == plain(name), means];
    for fits in fits {
        for name in headers.iter().map(|header| kinds::name_of(header)) {
            let free = (0..written.len()).find(|column| !taken.contains(column) && fits(&written[*column], name));
            if let Some(column) = free.filter(|_| !columns.contains_key(name)) {
                columns.insert(name, column);
                taken.insert(column);
            }
        }
    }
    columns
}

/// Whether the engine reads a header as this column: by its first word, in any case.
fn reads_as(header: &str, name: &str) -> bool {
    let bare = header.trim().trim_matches(['*', '`', ' ']);
    bare.split([' ', '(']).next().unwrap_or_default().trim_matches(['*', '`']).eq_ignore_ascii_case(name)
}

/// Letters and digits alone, without what stands in brackets.
fn plain(header: &str) -> String {
    let header = header.split('(').next().unwrap_or(header);
    header.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Other words for a column.
fn means(header: &str, name: &str) -> bool {
    let words: &[&str] = match name {
        "file_path" => &["file", "path", "filename"],
        "asset_type" | "data_type" => &["type", "kind", "assettype", "datatype"],
        "source_task_id" => &["sourcetask", "task", "taskid"],
        "source_files" => &["sources", "sourcefile", "source", "parents"],
        "related_references" => &["relatedreference", "references", "inputs", "inputfiles", "input"],
        "related_guidelines" => &["relatedguideline", "guidelines", "guideline"],
        "output_path" => &["output", "outputfile", "outputs", "outputpaths"],
        "execution_order" => &["order", "no"],
        "status" => &["state"],
        "summary" => &["description"],
        "user_request" => &["request", "userrequests"],
        "creation_timestamp" => &["created", "createdat", "timestamp"],
        _ => &[],
    };
    words.contains(&plain(header).as_str())
}
