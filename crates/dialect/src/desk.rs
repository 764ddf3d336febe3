//! Where the edits of one step are collected: sheets are changed, the changes of each document become one, and the
//! sheets are as they were again, unless the step is committed. Must not know what a fact is.

use std::collections::BTreeMap;
use std::sync::Arc;

use machine::Run;
use text::Text;

use crate::layout::{Field, Protocol};
use crate::places::Undo;
use crate::plan_order::Position;
use crate::sheet::{Revision, Sheet};
use crate::sheets::{Pending, Placed, Sheets, missing};
use crate::trouble::Trouble;

/// What a step changes in the documents, one entry for each path.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lowered {
    /// The documents, by path, and what happens to each.
    pub edits: Vec<(String, Edit)>,
    pub(crate) placed: Vec<Arc<Placed>>,
}

/// What happens to one document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Edit {
    /// It changes in these places.
    Change(Revision),
    /// It is made; there is none yet.
    Create(String),
    /// It is written anew, whether there is one or not.
    Write(String),
}

/// The documents of one step while it is being written down.
pub(crate) struct Desk<'a> {
    sheets: &'a mut Sheets,
    read: &'a dyn Fn(&str) -> Option<Text>,
    /// Documents in use, and whether they are new.
    open: BTreeMap<String, Origin>,
    written: BTreeMap<String, String>,
    /// What was placed, and how to take back what was noted of it.
    placed: Vec<(Arc<Placed>, Vec<Undo>)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Origin {
    Project,
    New,
}

impl<'a> Desk<'a> {
    pub(crate) fn new(sheets: &'a mut Sheets, read: &'a dyn Fn(&str) -> Option<Text>) -> Self {
        sheets.take_back();
        let (open, written) = (BTreeMap::new(), BTreeMap::new());
        Self { sheets, read, open, written, placed: Vec::new() }
    }

    pub(crate) fn protocol(&self) -> &'static Protocol {
        self.sheets.protocol()
    }

    /// What is known of open runs.
    pub(crate) fn sheets(&mut self) -> &mut Sheets {
        self.sheets
    }

    /// A document that must be there, to be changed.
    pub(crate) fn sheet(&mut self, path: &str) -> Result<&mut Sheet, Trouble> {
        let read = self.read;
        let sheet = self.sheets.load(path, || read(path))?.ok_or_else(|| missing(path))?;
        sheet.begin();
        if !self.open.contains_key(path) {
            self.open.insert(path.to_owned(), Origin::Project);
        }
        Ok(sheet)
    }

    /// A document that is only looked at; nothing if there is none.
    pub(crate) fn look(&mut self, path: &str) -> Result<Option<&mut Sheet>, Trouble> {
        let read = self.read;
        self.sheets.load(path, || read(path))
    }

    /// A document that is made if it is not there.
    pub(crate) fn sheet_or_new(&mut self, path: &str) -> Result<&mut Sheet, Trouble> {
        let read = self.read;
        if self.sheets.load(path, || read(path))?.is_none() {
            let layout = self.protocol().layout_of(path).ok_or_else(|| missing(path))?;
            let text = Text::from(layout.new_document());
            self.sheets.load(path, || Some(text))?;
            self.open.insert(path.to_owned(), Origin::New);
        }
        self.sheet(path)
    }

    /// Puts a row of a run in, where its position in the plan is; at the end if it has none.
    pub(crate) fn insert_in_plan_order<V: AsRef<str>>(
        &mut self,
        path: &str,
        run: &Run,
        position: Option<Position>,
        key: &str,
        values: &[(Field, V)],
    ) -> Result<(), Trouble> {
        let Some(position) = position else {
            let sheet = self.sheet(path)?;
            return sheet.insert(sheet.row_count(), values);
        };
        let row = self.sheets.row_for(path, run, &position);
        self.sheet(path)?.insert(row, values)?;
        self.note(path, run, position, key, row);
        Ok(())
    }

    /// Takes note that a row stands for this position of a run now.
    pub(crate) fn note(&mut self, path: &str, run: &Run, position: Position, key: &str, row: usize) {
        let placed = Placed { path: path.to_owned(), run: run.id.clone(), position, key: key.to_owned() };
        let undo = self.sheets.note(&placed, row);
        self.placed.push((Arc::new(placed), undo));
    }

    /// A document of prose, written anew.
    pub(crate) fn write(&mut self, path: String, text: String) {
        self.written.insert(path, text);
    }

    /// Gives what changed; nothing of it when there was trouble. The sheets show it, and are as they were when whatever
    /// comes next is not [`Sheets::accept`].
    pub(crate) fn close(self, outcome: Result<(), Trouble>) -> Result<Lowered, Trouble> {
        let (mut edits, mut paths, mut new) = (BTreeMap::new(), Vec::new(), Vec::new());
        for (path, origin) in self.open {
            let Some(sheet) = self.sheets.held(&path) else { continue };
            match origin {
                Origin::New => {
                    edits.insert(path.clone(), Edit::Create(sheet.document().to_string()));
                    new.push(path);
                }
                Origin::Project => match sheet.complete() {
                    Some(revision) => {
                        edits.insert(path.clone(), Edit::Change(revision));
                        paths.push(path);
                    }
                    None => sheet.take_back(),
                },
            }
        }
        let placed = self.placed.iter().map(|(placed, _)| placed.clone()).collect();
        new.iter().for_each(|path| self.sheets.forget(path));
        self.sheets.wait(Pending { paths, notes: self.placed });
        if let Err(trouble) = outcome {
            self.sheets.take_back();
            return Err(trouble);
        }
        edits.extend(self.written.into_iter().map(|(path, text)| (path, Edit::Write(text))));
        Ok(Lowered { edits: edits.into_iter().collect(), placed })
    }
}
