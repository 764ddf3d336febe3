//! What a run's documents say of it: its items, read as people write them. What is odd is a problem with a place, and
//! the rest is read all the same. Must not judge whether what is written may be so.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use machine::{Action, Ids, Item, Placing, PreludeBy, State, Timing};
use syntax::Document;
use syntax::markdown::paths;
use text::Text;

use crate::layout::{Field, LevelDocument, OneFor, Protocol};
use crate::plan_order::countable;
use crate::sheet::{columns_of, find_table};
use crate::spelling::{bare, read_state, read_timing};
use crate::tables::Cells;
use crate::trouble::Problem;

/// The items of a run as its documents have them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lifted {
    /// The preparation first, then level by level, each in the order of its rows.
    pub items: Vec<Item>,
    /// Items whose status cannot be read: their state here is a guess (`Pending`).
    pub unclear: Vec<String>,
    /// What is odd.
    pub problems: Vec<Problem>,
}

pub(crate) fn lift(protocol: &'static Protocol, read: &dyn Fn(&str) -> Option<Text>, run_id: &str) -> Lifted {
    let mut lifted = Lifted::default();
    let mut known = HashMap::new();
    for (level, document) in protocol.levels.iter().enumerate() {
        let parents: Vec<Option<String>> = match document.one_for {
            OneFor::Run => vec![None],
            OneFor::Parent => {
                let above = lifted.items.iter().filter(|item| item.level + 1 == level);
                above.map(|item| Some(item.id.clone())).collect()
            }
        };
        for holder in parents {
            let Some(path) = protocol.document_below(run_id, level, holder.as_deref()) else { continue };
            if let Some(text) = read(&path) {
                let (lifted, known, holder) = (&mut lifted, &mut known, holder.as_deref());
                Reading { protocol, document, level, run_id, path: &path, holder, lifted, known }.read(&text);
            }
        }
        let is_by_id = document.layout.place_of(Field::Order).is_none();
        if is_by_id && protocol.hierarchy.ids == Ids::InRun {
            order_by_id(&mut lifted.items, level);
        }
    }
    note_plans(protocol, &mut lifted.items);
    if protocol.hierarchy.placing == Placing::ByFolder {
        place_phases(protocol, read, &mut lifted.items);
    }
    if protocol.hierarchy.prelude_by == PreludeBy::Code && !lifted.items.is_empty() {
        let is_law = |text: Text| protocol.instructions(&text).iter().any(|row| row.run_id == run_id);
        let is_done = read(protocol.instructions.path).is_some_and(is_law);
        lifted.items.extend(preparation(protocol, if is_done { State::Completed } else { State::Pending }));
    }
    let prelude = protocol.hierarchy.prelude_parent;
    lifted.items.sort_by_key(|item| item.parent.as_deref() != Some(prelude));
    lifted
}

/// A path as it is meant: from the project's root; `workspace/…` alone is the run's own.
pub(crate) fn own_path(run_id: &str, path: &str) -> String {
    let path = bare(path);
    let path = path.strip_prefix("./").unwrap_or(path);
    match path.starts_with("workspace/") {
        true => format!("runs/{run_id}/{path}"),
        false => path.to_owned(),
    }
}

/// The same for a folder, without what ends it.
pub(crate) fn own_folder(run_id: &str, folder: &str) -> String {
    let folder = bare(folder).trim_end_matches('/');
    own_path(run_id, &format!("{folder}/")).trim_end_matches('/').to_owned()
}

/// One document that is being read.
struct Reading<'a> {
    protocol: &'a Protocol,
    document: &'a LevelDocument,
    level: usize,
    run_id: &'a str,
    path: &'a str,
    /// The item that all rows of the document stand below, where it is one for each.
    holder: Option<&'a str>,
    lifted: &'a mut Lifted,
    /// The level of each id so far.
    known: &'a mut HashMap<String, usize>,
}

impl Reading<'_> {
    fn read(&mut self, text: &Text) {
        let parsed = Document::parse(text.clone());
        let layout = &self.document.layout;
        if parsed.is_read_only() {
            self.problem(
                1,
                1,
                "the document is not UTF-8 and cannot be changed by the engine; save it as UTF-8".into(),
            );
        }
        let Some(table) = find_table(&parsed, layout) else {
            let reason = format!("there is no table with the column `{}`; put its header back", layout.key());
            return self.problem(1, 1, reason);
        };
        let columns = columns_of(&table, layout);
        for row in table.rows().filter(|row| !row.is_empty()) {
            let cells = Cells { layout, columns: &columns, row: &row };
            self.read_row(&parsed, &cells);
        }
    }

    fn read_row(&mut self, document: &Document, cells: &Cells<'_>) {
        let number = cells.row.number();
        let place = |field: Field| place_of(document, cells, field);
        let short = cells.word(Field::Id);
        let id = self.protocol.hierarchy.full_id(self.holder, &short);
        if short.is_empty() {
            let (line, column) = place(Field::Id);
            return self.problem(line, column, format!("the row has no {}; give it one", self.document.layout.key()));
        }
        if self.known.contains_key(&id) {
            let (line, column) = place(Field::Id);
            let within = if self.holder.is_some() { "below its parent" } else { "in a run" };
            let reason = format!(
                "`{short}` is there twice {within}, and the first one counts; remove this row, or give it an id of its own"
            );
            return self.problem(line, column, reason);
        }
        let run = cells.word(Field::Run);
        if !run.is_empty() && run != self.run_id {
            let (line, column) = place(Field::Run);
            self.problem(line, column, format!("the row names the run `{run}`, but stands with `{}`", self.run_id));
        }
        let state = self.state(cells, &id, place(Field::Status));
        let by_id = self.protocol.hierarchy.order_of_id(self.level, &id);
        let order = by_id.unwrap_or_else(|| self.order(cells, number, place(Field::Order)));
        let timing = self.timing(cells, place(Field::Timing));
        let parent = self.parent(cells, place(Field::Parent));
        let inputs = paths::read_paths(&cells.text(Field::Inputs));
        let guidelines = paths::read_paths(&cells.text(Field::Guidelines));
        let has = |field: Field| !matches!(cells.text(field).trim(), "" | "-" | "–" | "—");
        let acts =
            self.protocol.hierarchy.placing == Placing::ByFolder && self.level == self.protocol.hierarchy.task_level();
        let name = cells.text(Field::Name);
        let folder = own_folder(self.run_id, &cells.text(Field::Folder));
        let mut output = own_path(self.run_id, &cells.text(Field::Output));
        let action = if acts { Action::split(&cells.text(Field::Purpose)).0.or(Some(Action::Add)) } else { None };
        if output.is_empty() && !folder.is_empty() && action == Some(Action::Add) {
            output = self.protocol.hierarchy.file_of(&folder, &id, &name);
        }
        self.known.insert(id.clone(), self.level);
        self.lifted.items.push(Item {
            level: self.level,
            parent,
            order,
            name,
            inputs: inputs.into_iter().map(|entry| own_path(self.run_id, &entry.path)).collect(),
            output,
            guidelines: guidelines.into_iter().map(|entry| own_path(self.run_id, &entry.path)).collect(),
            folder,
            action,
            by_tools: has(Field::Procedure),
            pre: has(Field::PreTool),
            post: has(Field::PostTool),
            timing,
            state,
            core_done: false,
            planned: Vec::new(),
            id,
        });
    }

    fn state(&mut self, cells: &Cells<'_>, id: &str, (line, column): (usize, usize)) -> State {
        let written = cells.text(Field::Status);
        read_state(&written).unwrap_or_else(|| {
            self.lifted.unclear.push(id.to_owned());
            let reason = format!("`{}` is no status; use PENDING, COMPLETED or FAILED", bare(&written));
            self.problem(line, column, reason);
            State::Pending
        })
    }

    /// The order as it is written, or else that of the rows.
    fn order(&mut self, cells: &Cells<'_>, number: usize, (line, column): (usize, usize)) -> u32 {
        let by_row = u32::try_from(number).unwrap_or(u32::MAX).saturating_add(1);
        let written = cells.word(Field::Order);
        if written.is_empty() {
            return by_row;
        }
        written.parse().unwrap_or_else(|_| {
            self.problem(line, column, format!("`{written}` is no place in an order; use a whole number"));
            by_row
        })
    }

    fn timing(&mut self, cells: &Cells<'_>, (line, column): (usize, usize)) -> Option<Timing> {
        self.document.layout.place_of(Field::Timing)?;
        let written = cells.text(Field::Timing);
        Some(read_timing(&written).unwrap_or_else(|| {
            self.problem(
                line,
                column,
                format!("`{}` is no timing and is read as PRE; use PRE or POST", bare(&written)),
            );
            Timing::Pre
        }))
    }

    fn parent(&mut self, cells: &Cells<'_>, (line, column): (usize, usize)) -> Option<String> {
        self.document.layout.place_of(Field::Parent)?;
        let parent = cells.word(Field::Parent);
        if let Some(holder) = self.holder {
            let expected = self.protocol.hierarchy.short_id(holder);
            if parent != expected && parent != holder {
                let reason = format!("`{parent}` is not what this document is for; it is for `{expected}`");
                self.problem(line, column, reason);
            }
            return Some(holder.to_owned());
        }
        let above = self.level.wrapping_sub(1);
        let is_known = parent == self.protocol.hierarchy.prelude_parent
            || self.known.get(&parent).is_some_and(|level| *level == above);
        if !is_known {
            self.problem(
                line,
                column,
                format!("nothing in this run has the id `{parent}`; name the item it belongs to"),
            );
        }
        Some(parent)
    }

    fn problem(&mut self, line: usize, column: usize, reason: String) {
        self.lifted.problems.push(Problem { path: self.path.to_owned(), line, column, reason });
    }
}

/// Where phases leave their outputs stands in no table of the run: it is as the settings say, or as it is without any.
fn place_phases(protocol: &'static Protocol, read: &dyn Fn(&str) -> Option<Text>, items: &mut [Item]) {
    let rules = protocol.phases(read).map(|settings| settings.phases).unwrap_or_default();
    for phase in items.iter_mut().filter(|item| item.level == 0) {
        let rule = rules.iter().find(|rule| rule.name == phase.name).map_or("", |rule| rule.folder.as_str());
        phase.folder = machine::folder_of(rule, &phase.id, &phase.name);
    }
}

/// The items of a preparation that has no rows.
fn preparation(protocol: &Protocol, state: State) -> impl Iterator<Item = Item> {
    let hierarchy = protocol.hierarchy;
    let rows = machine::prelude_rows(hierarchy, "").into_iter();
    rows.map(move |row| Item {
        id: row.id.unwrap_or_default(),
        level: hierarchy.task_level(),
        parent: Some(hierarchy.prelude_parent.to_owned()),
        order: row.order.unwrap_or_default(),
        name: row.name,
        inputs: Vec::new(),
        output: String::new(),
        guidelines: Vec::new(),
        folder: String::new(),
        action: None,
        by_tools: false,
        pre: false,
        post: false,
        timing: None,
        state,
        core_done: state == State::Completed,
        planned: Vec::new(),
    })
}

/// A table without a column for it is ordered by id.
fn order_by_id(items: &mut [Item], level: usize) {
    let ids: BTreeSet<Vec<u8>> =
        items.iter().filter(|item| item.level == level).map(|item| countable(&item.id)).collect();
    let places: HashMap<Vec<u8>, u32> = ids.into_iter().zip(1..).collect();
    for item in items.iter_mut().filter(|item| item.level == level) {
        item.order = places.get(&countable(&item.id)).copied().unwrap_or(item.order);
    }
}

/// What has children, or tool tasks of a timing, was planned.
fn note_plans(protocol: &Protocol, items: &mut [Item]) {
    let mut plans: BTreeMap<String, BTreeSet<&'static str>> = BTreeMap::new();
    let tools = protocol.levels.len().saturating_sub(1);
    for item in items.iter() {
        let plan = match item.timing {
            Some(Timing::Pre) if item.level == tools => "pre",
            Some(Timing::Post) if item.level == tools => "post",
            _ => "children",
        };
        if let Some(parent) = &item.parent {
            plans.entry(parent.clone()).or_default().insert(plan);
        }
    }
    for item in items {
        item.planned = plans.get(&item.id).into_iter().flatten().map(|plan| (*plan).to_owned()).collect();
    }
}

/// Line and column of a cell, from 1; of the row where it has no such cell.
pub(crate) fn place_of(document: &Document, cells: &Cells<'_>, field: Field) -> (usize, usize) {
    let row = cells.row.span().start;
    let cell = cells.column(field).and_then(|column| cells.row.cell(column));
    let at = cell.map_or(row, |cell| cell.trimmed.start);
    let start = document.text().line(document.text().line_at(row)).start;
    let before = document.text().slice(start..at);
    (cells.row.line(), String::from_utf8_lossy(&before).chars().count() + 1)
}
