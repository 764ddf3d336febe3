//! The documents that are in use, parsed once and kept in step, and what is remembered of open runs beside them. Must
//! not do I/O: texts are handed in.

use std::collections::HashMap;
use std::sync::Arc;

use machine::Run;
use text::{Change, Text};

use crate::desk::{Edit, Lowered};
use crate::layout::{Field, Protocol};
use crate::places::{Places, Spot, Undo};
use crate::plan_order::{Position, position, position_of_input};
use crate::sheet::Sheet;
use crate::trouble::Trouble;

/// By path, or by run: asked for many times in every step.
type Quick<T> = HashMap<String, T, foldhash::fast::RandomState>;

/// Parsed documents by path. Whoever holds them sees to it that each is as the project has it: what happens to a
/// document is told by [`Sheets::accept`], [`Sheets::follow`] or [`Sheets::forget`].
#[derive(Debug)]
pub struct Sheets {
    protocol: &'static Protocol,
    sheets: Quick<Sheet>,
    /// By path, and by run.
    places: Quick<Quick<Places>>,
    /// Rows looked at in documents that are not held any more.
    looked: u64,
    /// The last step that was written down, while it is not known to be committed.
    pending: Option<Pending>,
}

/// A step that the sheets show already. It is accepted next, or else taken back by whatever comes next.
#[derive(Debug, Default)]
pub(crate) struct Pending {
    /// The sheets that have a draft.
    pub(crate) paths: Vec<String>,
    /// The rows that were noted, and how to forget them.
    pub(crate) notes: Vec<(Arc<Placed>, Vec<Undo>)>,
}

/// A row that a step puts somewhere, to be noted when the step is committed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Placed {
    pub(crate) path: String,
    pub(crate) run: String,
    pub(crate) position: Position,
    pub(crate) key: String,
}

impl Sheets {
    /// None yet.
    pub fn new(protocol: &'static Protocol) -> Self {
        Self { protocol, sheets: Quick::default(), places: Quick::default(), looked: 0, pending: None }
    }

    /// The protocol whose documents these are.
    pub fn protocol(&self) -> &'static Protocol {
        self.protocol
    }

    /// The sheet at a path; `text` is read only if none is held.
    pub fn sheet(&mut self, path: &str, text: &Text) -> Result<&mut Sheet, Trouble> {
        self.load(path, || Some(text.clone()))?.ok_or_else(|| missing(path))
    }

    /// As [`Sheets::sheet`], with the text asked for only if none is held; nothing if there is no such document.
    pub(crate) fn load(
        &mut self,
        path: &str,
        text: impl FnOnce() -> Option<Text>,
    ) -> Result<Option<&mut Sheet>, Trouble> {
        self.take_back();
        if !self.sheets.contains_key(path) {
            let Some(text) = text() else { return Ok(None) };
            let layout = self.protocol.layout_of(path).ok_or_else(|| Trouble {
                path: path.to_owned(),
                line: 0,
                reason: "no document of this protocol has this path".to_owned(),
                hint: "use one of the protocol's own paths".to_owned(),
            })?;
            self.sheets.insert(path.to_owned(), Sheet::read(path, layout, &text)?);
        }
        Ok(self.sheets.get_mut(path))
    }

    /// Lets go of what is known of a document: it is read again when it is next needed.
    pub fn forget(&mut self, path: &str) {
        self.take_back();
        if let Some(sheet) = self.sheets.remove(path) {
            self.looked += sheet.looked();
        }
        self.places.remove(path);
    }

    /// Lets go of all that is held for one run: it is over, or no longer driven from here.
    pub fn forget_run(&mut self, run_id: &str) {
        let folder = format!("runs/{run_id}/db/");
        let catalog = self.protocol.catalog_path(run_id);
        let is_own = |path: &&String| path.starts_with(&folder) || (**path == catalog && self.protocol.has_catalogs());
        let own: Vec<String> = match self.protocol.has_catalogs() {
            true => self.sheets.keys().filter(is_own).cloned().collect(),
            false => self.protocol.run_documents(run_id, &[]),
        };
        for path in own {
            self.forget(&path);
        }
        self.forget_places(run_id);
    }

    /// Takes over a change that somebody else made to a document. Costs what the change is long, unless it touches
    /// more than rows: then the document is read again when it is next needed.
    pub fn follow(&mut self, path: &str, change: &Change) {
        self.take_back();
        let Some(sheet) = self.sheets.get_mut(path) else { return };
        match sheet.follow(change) {
            // Rows of a run from elsewhere: what was remembered of its rows does not hold.
            Ok(runs) => {
                if let Some(places) = self.places.get_mut(path) {
                    runs.iter().for_each(|run| drop(places.remove(run)));
                }
            }
            Err(_) => self.forget(path),
        }
    }

    /// What [`lower`](crate::lower()) gave is committed: the sheets take it over.
    pub fn accept(&mut self, lowered: &Lowered) {
        if !self.accept_pending(lowered) {
            self.take_back();
            self.catch_up(lowered);
        }
        for (path, edit) in &lowered.edits {
            if matches!(edit, Edit::Create(_) | Edit::Write(_)) {
                self.forget(path);
            }
        }
    }

    /// Notes what a step did to the sheets, which show it from now on.
    pub(crate) fn wait(&mut self, pending: Pending) {
        self.pending = Some(pending);
    }

    /// A step that nobody accepted has not happened.
    pub(crate) fn take_back(&mut self) {
        let Some(Pending { paths, notes }) = self.pending.take() else { return };
        for (placed, undo) in notes.into_iter().rev() {
            undo.into_iter().rev().for_each(|undo| self.take_back_note(&placed, undo));
        }
        for path in paths {
            self.sheets.get_mut(&path).into_iter().for_each(Sheet::take_back);
        }
    }

    /// The usual case: the step that was written down last. Whether it was that one.
    fn accept_pending(&mut self, lowered: &Lowered) -> bool {
        let Some(pending) = &self.pending else { return false };
        let changes = lowered.edits.iter().filter_map(|(path, edit)| match edit {
            Edit::Change(revision) => Some((path, &revision.change)),
            Edit::Create(_) | Edit::Write(_) => None,
        });
        let is_draft =
            |(path, change): (&String, &Change)| self.sheets.get(path).is_some_and(|sheet| sheet.is_draft_of(change));
        if changes.clone().count() != pending.paths.len() || !changes.clone().all(is_draft) {
            return false;
        }
        self.pending = None;
        for (path, _) in changes {
            self.sheets.get_mut(path).into_iter().for_each(Sheet::accept);
        }
        true
    }

    /// A step that was taken back meanwhile is committed after all.
    fn catch_up(&mut self, lowered: &Lowered) {
        for (path, edit) in &lowered.edits {
            let Edit::Change(revision) = edit else { continue };
            if self.sheets.get_mut(path).is_some_and(|sheet| sheet.follow(&revision.change).is_err()) {
                self.forget(path);
            }
        }
        for placed in &lowered.placed {
            let row = self.sheets.get(&placed.path).and_then(|sheet| sheet.remembered(&placed.key));
            if let Some(row) = row {
                self.note(placed, row);
            }
        }
    }

    /// How many rows were looked at so far, in all documents: what a step costs is shown by counting, not by the clock.
    pub fn looked(&self) -> u64 {
        self.looked + self.sheets.values().map(Sheet::looked).sum::<u64>()
    }

    /// What is remembered of the order of a run's rows may not hold any more.
    pub(crate) fn forget_places(&mut self, run_id: &str) {
        self.take_back();
        self.places.values_mut().for_each(|places| drop(places.remove(run_id)));
    }

    pub(crate) fn held(&mut self, path: &str) -> Option<&mut Sheet> {
        self.sheets.get_mut(path)
    }

    /// The number that a new row of a run gets in a sheet that is held.
    pub(crate) fn row_for(&mut self, path: &str, run: &Run, position: &Position) -> usize {
        // What is remembered may be out of date once; what was just read is not.
        for _ in 0..2 {
            let spot = match self.places.get(path).and_then(|places| places.get(&run.id)) {
                Some(places) => places.spot(position),
                None => {
                    let places = self.survey(path, run);
                    let spot = places.spot(position);
                    self.places.entry(path.to_owned()).or_default().insert(run.id.clone(), places);
                    spot
                }
            };
            if let Some(row) = self.row_of_spot(path, run, &spot) {
                return row;
            }
            self.places.get_mut(path).and_then(|places| places.remove(&run.id));
        }
        self.sheets.get(path).map_or(0, Sheet::row_count)
    }

    /// Takes note of a row that stands in a sheet now.
    pub(crate) fn note(&mut self, placed: &Placed, row: usize) -> Vec<Undo> {
        let Some(places) = places_of(&mut self.places, placed) else { return Vec::new() };
        let Some(sheet) = self.sheets.get(&placed.path) else { return Vec::new() };
        places.note(&placed.position, &placed.key, row, |key| sheet.remembered(key))
    }

    pub(crate) fn take_back_note(&mut self, placed: &Placed, undo: Undo) {
        if let Some(places) = places_of(&mut self.places, placed) {
            places.take_back(undo);
        }
    }

    /// Nothing if the row that the spot names is not, or no longer, one of the run at that position.
    fn row_of_spot(&mut self, path: &str, run: &Run, spot: &Spot) -> Option<usize> {
        let (key, position) = match spot {
            Spot::AtTheEnd => return Some(self.sheets.get(path)?.row_count()),
            Spot::Above(key) => (key, None),
            Spot::Below(position, key) => (key, Some(position)),
        };
        let row = self.sheets.get_mut(path)?.find(key)?;
        let stands_at = self.position_of_row(path, run, row)?;
        match position {
            None => Some(row),
            Some(position) if *position == stands_at => Some(row + 1),
            Some(_) => None,
        }
    }

    /// Where the item of a row stands in the plan; nothing if the row is not the run's.
    fn position_of_row(&mut self, path: &str, run: &Run, row: usize) -> Option<Position> {
        let is_catalog = self.protocol.run_of_catalog(path).is_some();
        let sheet = self.sheets.get_mut(path)?;
        if !is_catalog {
            let item = sheet.value(row, Field::Id);
            let (_, _, holder) = self.protocol.level_of_path(path)?;
            return position(run, &self.protocol.hierarchy.full_id(holder, crate::spelling::bare(&item)));
        }
        let [of, source] = sheet.both(row, [Field::Run, Field::Source]);
        if crate::spelling::bare(&of) != run.id {
            return None;
        }
        let source = crate::spelling::bare(&source);
        match source.is_empty() && self.protocol.has_catalogs() {
            true => Some(position_of_input(crate::spelling::bare(&sheet.value(row, Field::Id)))),
            false => position(run, source),
        }
    }

    /// Looks at all rows of a sheet: the slow way, taken once for each run that is driven from here.
    fn survey(&mut self, path: &str, run: &Run) -> Places {
        let mut places = Places::default();
        let mut rows: HashMap<String, usize> = HashMap::new();
        for row in 0..self.sheets.get(path).map_or(0, Sheet::row_count) {
            let Some(position) = self.position_of_row(path, run, row) else { continue };
            let key = self.sheets.get_mut(path).map(|sheet| sheet.value(row, Field::Id)).unwrap_or_default();
            let key = crate::spelling::bare(&key).to_owned();
            rows.entry(key.clone()).or_insert(row);
            places.note(&position, &key, row, |known| rows.get(known).copied());
        }
        places
    }
}

fn places_of<'p>(all: &'p mut Quick<Quick<Places>>, placed: &Placed) -> Option<&'p mut Places> {
    all.get_mut(&placed.path)?.get_mut(&placed.run)
}

pub(crate) fn missing(path: &str) -> Trouble {
    Trouble {
        path: path.to_owned(),
        line: 0,
        reason: "the document is missing".to_owned(),
        hint: format!(
            "bring it back with `multiverse restore {path} --at N`, or make an empty one with `multiverse init`"
        ),
    }
}
