//! What the facts of a step change in the documents of a cycle: a record that begins, turns added at its end, and the
//! record in the archive. Must not decide: facts are taken as they are.

use std::collections::BTreeMap;

use machine::cycle::{Cycle, Ending, Fact, Place, Turn, Work};
use syntax::{Document, Refusal};
use text::{Change, Text};

use super::start::CURRENT;
use super::write::{failure_text, header_text, turn_text};
use crate::desk::Edit;
use crate::sheet::Revision;
use crate::trouble::Trouble;

/// One step of a cycle.
#[derive(Debug, Clone, Copy)]
pub struct Step<'a> {
    /// The turn before the step, if there was one: the first of a loop has the loop's heading.
    pub before: Option<&'a Turn>,
    /// The cycle after it.
    pub after: &'a Cycle,
    /// What became true.
    pub facts: &'a [Fact],
}

/// What a step changes. `read` gives a document as it is; `is_kept` says whether a record is in the archive already, so
/// that another may begin in its place.
pub fn lower(
    read: &dyn Fn(&str) -> Option<Text>,
    is_kept: &dyn Fn(&Text) -> bool,
    step: &Step<'_>,
) -> Result<Vec<(String, Edit)>, Trouble> {
    let mut edits = BTreeMap::new();
    let mut record = Record { before: read(CURRENT), document: None, is_new: false };
    let mut before = step.before;
    for fact in step.facts {
        match fact {
            Fact::Started { .. } => {
                if let Some(text) = record.before.as_ref().filter(|text| !is_blank(text) && !is_kept(text)) {
                    return Err(Trouble {
                        path: CURRENT.into(),
                        line: 1.min(text.line_count()),
                        reason: "it holds a record that is not in the archive".into(),
                        hint: "move it to docs/context/archive/ first, or go on with it".into(),
                    });
                }
                record.document = Some(Document::parse(header_text(step.after).as_str()));
                record.is_new = true;
            }
            Fact::Turned { turn, .. } => {
                record.append(&turn_text(turn, before))?;
                before = Some(turn);
            }
            // What a critical error was is told in the record: nobody else says it there (CY-08).
            Fact::Moved { to: Place::Due(Work::Archive(Ending::Failed)) } => {
                record.append(&failure_text(&step.after.trouble))?;
            }
            Fact::Archived { path, .. } => {
                edits.insert(path.clone(), Edit::Create(record.text()));
            }
            _ => {}
        }
    }
    edits.extend(record.edit().map(|edit| (CURRENT.to_owned(), edit)));
    Ok(edits.into_iter().collect())
}

fn is_blank(text: &Text) -> bool {
    text.chunks().all(|chunk| chunk.iter().all(u8::is_ascii_whitespace))
}

/// The record while a step is written down.
struct Record {
    before: Option<Text>,
    document: Option<Document>,
    is_new: bool,
}

impl Record {
    fn document(&mut self) -> Result<&mut Document, Trouble> {
        let Some(before) = &self.before else {
            return self.document.as_mut().ok_or_else(|| Trouble {
                path: CURRENT.into(),
                line: 0,
                reason: "the record is gone".into(),
                hint: "`restore` brings it back".into(),
            });
        };
        Ok(self.document.get_or_insert_with(|| Document::parse(before.clone())))
    }

    fn append(&mut self, text: &str) -> Result<(), Trouble> {
        let refused = |refusal: Refusal| {
            let line = match refusal {
                Refusal::OpenBlock { line } | Refusal::Swallows { line } | Refusal::ReadOnly { line, .. } => line,
                _ => 0,
            };
            let hint = "mend the record there; nothing was changed".into();
            Trouble { path: CURRENT.into(), line, reason: refusal.to_string(), hint }
        };
        self.document()?.append_text(text).map(drop).map_err(refused)
    }

    fn text(&self) -> String {
        match (&self.document, &self.before) {
            (Some(document), _) => document.to_string(),
            (None, Some(before)) => String::from_utf8_lossy(&before.slice(0..before.len())).into_owned(),
            (None, None) => String::new(),
        }
    }

    fn edit(self) -> Option<Edit> {
        let document = self.document?;
        match (self.before, self.is_new) {
            (Some(before), false) => {
                let after = document.text().clone();
                // A record only grows at its end.
                let put = after.slice(before.len()..after.len()).into_owned();
                let change = Change::one(before.len(), Vec::new(), put);
                (after.len() > before.len()).then_some(Edit::Change(Revision { change, before, after }))
            }
            (None, true) => Some(Edit::Create(document.to_string())),
            (Some(_), true) | (None, false) => Some(Edit::Write(document.to_string())),
        }
    }
}
