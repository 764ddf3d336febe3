//! What is odd in a document of a protocol, for whoever asks: the same that the engine tells when it meets it, each with
//! its place. Must not judge whether what is written may be so, nor change anything.

use std::collections::HashMap;

use syntax::Document;
use text::Text;

use crate::layout::{Field, Layout, Protocol};
use crate::lift::place_of;
use crate::sheet::{columns_of, find_table};
use crate::spelling::{bare, is_known_hold, read_status};
use crate::tables::Cells;
use crate::trouble::Problem;

impl Protocol {
    /// What is odd in the document at a path; nothing if the protocol has no such document, or it is not there.
    pub fn odd_in(&'static self, path: &str, read: &dyn Fn(&str) -> Option<Text>) -> Vec<Problem> {
        if let Some((_, run, _)) = self.level_of_path(path) {
            return of_path(self.lift(read, run).problems, path);
        }
        let settings = [Some(&self.template), self.template_below.as_ref()];
        if settings.into_iter().flatten().any(|settings| settings.document.path == path) {
            return of_path(self.phases(read).err().unwrap_or_default(), path);
        }
        match (self.layout_of(path), read(path)) {
            (Some(layout), Some(text)) => self.odd_rows(path, layout, &text),
            _ => Vec::new(),
        }
    }

    /// A table that runs share: rows have keys, keys are there once, statuses are words that are known.
    fn odd_rows(&'static self, path: &str, layout: &'static Layout, text: &Text) -> Vec<Problem> {
        let document = Document::parse(text.clone());
        let mut problems = Vec::new();
        let mut tell = |(line, column): (usize, usize), reason: String| {
            problems.push(Problem { path: path.to_owned(), line, column, reason });
        };
        let Some(table) = find_table(&document, layout) else {
            tell((1, 1), format!("there is no table with the column `{}`; put its header back", layout.key()));
            return problems;
        };
        let columns = columns_of(&table, layout);
        let mut lines: HashMap<String, usize> = HashMap::new();
        for row in table.rows().filter(|row| !row.is_empty()) {
            let cells = Cells { layout, columns: &columns, row: &row };
            let place = |field: Field| place_of(&document, &cells, field);
            let key = cells.word(Field::Id);
            if key.is_empty() {
                tell(place(Field::Id), format!("the row has no {}; give it one", layout.key()));
            } else if let Some(first) = lines.get(&key) {
                let reason = format!(
                    "`{key}` is there twice, first in line {first}, and the first one counts; remove this row, or give it a {} of its own",
                    layout.key()
                );
                tell(place(Field::Id), reason);
            }
            let status = cells.text(Field::Status);
            if let Some(words) = self.unknown_status(path, &status) {
                tell(place(Field::Status), format!("`{}` is no status; use {words}", bare(&status)));
            }
            lines.entry(key).or_insert(place(Field::Id).0);
        }
        problems
    }

    /// The words that are known, if this is none of them.
    fn unknown_status(&self, path: &str, status: &str) -> Option<&'static str> {
        if path == self.runs.path {
            let words = "PENDING, AWAITING_CONFIRMATION, COMPLETED or FAILED";
            return read_status(status).is_none().then_some(words);
        }
        (path == self.instructions.path && !is_known_hold(status)).then_some("ACTIVE or SUPERSEDED")
    }
}

fn of_path(problems: Vec<Problem>, path: &str) -> Vec<Problem> {
    problems.into_iter().filter(|problem| problem.path == path).collect()
}
