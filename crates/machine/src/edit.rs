//! What a person changed by hand in the documents of a run: what may be taken over, and what is put back and why.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use crate::assets::asset_type;
use crate::fact::{Fact, FileNote};
use crate::hierarchy::{Hierarchy, Level, Source};
use crate::index::{Index, Place, comes_before, family_of};
use crate::input::{Complaint, World};
use crate::item::{Action, Item, State, Target};
use crate::limits::Limits;
use crate::names::normal_path;
use crate::plan::{Check, Spot};
use crate::run::{Course, Run, Work};
use crate::view::View;

/// What came of an edit.
#[derive(Debug, Default)]
pub(crate) struct Edits {
    pub(crate) facts: Vec<Fact>,
    pub(crate) refused: Vec<Complaint>,
}

/// Compares all items of a run with what its documents say.
pub(crate) fn compare(
    hierarchy: &Hierarchy,
    run: &Run,
    index: &Index,
    items: &[Item],
    world: &World<'_>,
    limits: &Limits,
) -> Edits {
    let check = Check { hierarchy, run, index, world, limits, complaints: Vec::new() };
    let makers = run.items.iter().filter(|item| !item.output.is_empty());
    let makers = makers.map(|item| (item.output.clone(), item.clone())).collect();
    let mut editing = Editing { check, busy: busy_ids(run), makers, facts: Vec::new() };
    let mut edited: Vec<(Place, Item)> =
        items.iter().enumerate().map(|(at, item)| (Place::of(item, at), item.clone())).collect();
    // What makes a file comes before what reads it, so the new state grows in the order of the plan.
    edited.sort_by(|one, other| (one.1.level, &one.0).cmp(&(other.1.level, &other.0)));
    editing.take_out(&edited);
    let taken_out = editing.facts.len();
    let before_rows = editing.check.complaints.len();
    let mut seen = BTreeSet::new();
    for (_, item) in &edited {
        if !seen.insert(item.id.as_str()) {
            editing.refuse(item, Column::Id, "is there twice; the second row is put back");
            continue;
        }
        match run.item(&item.id) {
            Some(known) => editing.change(known, item),
            None => editing.insert(item),
        }
    }
    // A row under another id is one taken out and one put in: if the new one cannot stand, the old one stays.
    let is_new = |complaint: &&Complaint| run.item(&complaint.row).is_none();
    if editing.check.complaints[before_rows..].iter().any(|complaint| is_new(&complaint)) {
        for fact in editing.facts.drain(..taken_out).collect::<Vec<_>>() {
            if let Fact::Removed { item } = fact
                && let Some(item) = run.item(&item)
            {
                editing.refuse(
                    item,
                    Column::Id,
                    "the row was taken out, and what stands there now cannot be taken; it is put back",
                );
            }
        }
    }
    Edits { facts: editing.facts, refused: editing.check.complaints }
}

struct Editing<'a> {
    check: Check<'a>,
    /// Those that somebody is at.
    busy: BTreeSet<&'a str>,
    /// Who makes which file, with what was taken over so far.
    makers: BTreeMap<String, Item>,
    facts: Vec<Fact>,
}

/// A column of a row, of whatever level.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Column {
    Id,
    Parent,
    Name,
    Order,
    Inputs,
    Output,
    Guidelines,
    Action,
    Procedure,
    Pre,
    Post,
    Status,
}

impl Editing<'_> {
    fn refuse(&mut self, item: &Item, column: Column, reason: impl Into<String>) {
        let level = self.check.hierarchy.levels.get(item.level);
        let spelled = match (column, level) {
            (Column::Id, Some(Level { columns, .. })) => columns.id,
            (Column::Parent, Some(Level { columns, .. })) => columns.parent,
            (Column::Name, Some(Level { columns, .. })) => columns.name,
            (Column::Id, None) => "id",
            (Column::Parent, None) => "parent",
            (Column::Name, None) => "name",
            (Column::Order, _) => "execution_order",
            (Column::Inputs, _) => "related_references",
            (Column::Output, _) => "output_path",
            (Column::Guidelines, _) => "related_guidelines",
            (Column::Action, _) => "task_purpose",
            (Column::Procedure, _) => "mcp_id",
            (Column::Pre, _) => "pre_tool_purpose",
            (Column::Post, _) => "post_tool_purpose",
            (Column::Status, _) => "status",
        };
        self.check.complain(&item.id, spelled, reason);
    }

    fn is_over(&self) -> bool {
        self.check.run.course == Course::Over
    }

    /// Why an item cannot be changed by hand, if it cannot.
    fn fixed(&self, item: &Item) -> Option<&'static str> {
        let is_held = self.busy.contains(item.id.as_str());
        match item.state {
            _ if self.is_over() => Some("the run is over"),
            State::Completed => Some("it is COMPLETED"),
            State::Failed => Some("it is FAILED"),
            State::Pending if is_held || item.core_done || !item.planned.is_empty() => Some("it has begun"),
            State::Pending => None,
        }
    }

    /// Rows that are gone.
    fn take_out(&mut self, edited: &[(Place, Item)]) {
        let there: BTreeSet<&str> = edited.iter().map(|(_, item)| item.id.as_str()).collect();
        let gone = self.check.run.items.iter().filter(|item| !there.contains(item.id.as_str()));
        let gone: Vec<&Item> = gone.collect();
        if gone.is_empty() {
            return;
        }
        let run_id = &self.check.run.id;
        let pending = edited.iter().filter(|(_, item)| item.state == State::Pending);
        let needed = pending.flat_map(|(_, item)| &item.inputs).filter_map(|path| normal_path(path, run_id).ok());
        let needed: BTreeSet<String> = needed.collect();
        for item in gone {
            let is_fixed = self.is_template(item) || self.is_prelude(item);
            if let Some(reason) = self.fixed(item) {
                self.refuse(item, Column::Id, format!("the row was taken out, but {reason}; it is put back"));
            } else if is_fixed {
                self.refuse(item, Column::Id, "the row was taken out, but the protocol needs it; it is put back");
            } else if needed.contains(&item.output) && !self.check.world.exists.contains(&item.output) {
                let reason = format!("the row was taken out, but others read {}; it is put back", item.output);
                self.refuse(item, Column::Id, reason);
            } else {
                self.makers.remove(&item.output);
                self.facts.push(Fact::Removed { item: item.id.clone() });
            }
        }
    }

    fn is_template(&self, item: &Item) -> bool {
        self.check.hierarchy.levels.get(item.level).is_some_and(|level| level.source == Source::Template)
    }

    fn is_prelude(&self, item: &Item) -> bool {
        self.check.hierarchy.prelude_task(&item.id).is_some()
    }

    /// A row that is there still.
    fn change(&mut self, known: &Item, edited: &Item) {
        let mut new = Item { name: edited.name.clone(), order: edited.order, ..known.clone() };
        (new.pre, new.post, new.by_tools) = (edited.pre, edited.post, edited.by_tools);
        // A phase's folder stands in no document.
        if known.level == self.check.hierarchy.task_level() {
            new.guidelines.clone_from(&edited.guidelines);
            new.action = edited.action;
        }
        let before = self.check.complaints.len();
        let readable: Option<Vec<String>> =
            edited.inputs.iter().map(|path| self.check.input(&known.id, path)).collect();
        new.inputs = readable.unwrap_or_else(|| known.inputs.clone());
        if !edited.output.trim().is_empty() || !known.output.is_empty() {
            new.output = normal_path(&edited.output, &self.check.run.id).unwrap_or_else(|_| edited.output.clone());
        }
        // The table of phases has no such column.
        if self.is_template(known) {
            new.order = known.order;
        }
        let mut changed = changed_columns(known, &new);
        if edited.level != known.level || edited.parent != known.parent {
            changed.push(Column::Parent);
        }
        let is_unreadable = self.check.complaints.len() > before;
        let taken = if changed.is_empty() || is_unreadable { None } else { self.taken(known, new, &changed) };
        if let Some(item) = &taken {
            self.makers.remove(&known.output);
            if !item.output.is_empty() {
                self.makers.insert(item.output.clone(), item.clone());
            }
            self.facts.push(Fact::Edited { item: item.clone() });
        }
        if edited.state != known.state {
            self.change_state(taken.as_ref().unwrap_or(known), edited.state);
        }
    }

    /// The item as it is from now on, if all that changed may change.
    fn taken(&mut self, known: &Item, new: Item, changed: &[Column]) -> Option<Item> {
        let is_bound = self.is_template(known) || self.is_prelude(known);
        let is_free = |column: &Column| *column == Column::Name && self.is_prelude(known);
        let reason = match self.fixed(known) {
            Some(reason) => Some(reason),
            None if changed.contains(&Column::Parent) => Some("an item cannot be moved by hand"),
            None if is_bound && !changed.iter().all(is_free) => Some("the protocol has it so"),
            None => None,
        };
        if let Some(reason) = reason {
            for column in changed {
                self.refuse(known, *column, format!("was changed, but {reason}; it is put back"));
            }
            return None;
        }
        if new.name.trim().is_empty() {
            self.refuse(known, Column::Name, "is empty; it is put back");
            return None;
        }
        let is_file_moved = changed
            .iter()
            .any(|column| matches!(column, Column::Inputs | Column::Output | Column::Order | Column::Action));
        if new.level >= self.check.hierarchy.task_level() && is_file_moved && !is_bound {
            return self.with_files(new, Some(known));
        }
        Some(new)
    }

    /// The item with files that it may read and leave.
    fn with_files(&mut self, mut item: Item, known: Option<&Item>) -> Option<Item> {
        let place = known.map_or(item.parent.as_deref(), |known| Some(known.id.as_str()));
        let place = place.map(|id| self.check.place_below(id)).unwrap_or_default();
        if known.is_none_or(|known| known.output != item.output) {
            let of = known.map(|known| known.id.as_str());
            let spot = Spot { level: item.level, place: &place, folder: None, action: item.action, of, yields: None };
            item.output = self.check.output(&item.id, &item.output, &spot)?;
        }
        let adds = !matches!(item.action, Some(Action::Modify | Action::Delete));
        if let Some(other) = self.makers.get(&item.output).filter(|other| other.id != item.id && adds) {
            let reason = format!("{} is the output of {} already; it is put back", item.output, other.id);
            self.refuse(&item, Column::Output, reason);
            return None;
        }
        let is_task = item.level == self.check.hierarchy.task_level();
        if item.inputs.is_empty() && is_task {
            self.refuse(&item, Column::Inputs, "is empty; a task needs at least one input file; it is put back");
            return None;
        }
        if item.inputs.len() > self.check.limits.inputs {
            self.refuse(&item, Column::Inputs, format!("has more than {} files", self.check.limits.inputs));
            return None;
        }
        let is_there = |path: &String| {
            self.check.world.exists.contains(path)
                || self.makers.get(path).is_some_and(|maker| {
                    let is_before = maker.parent == item.parent && comes_before(maker, &item);
                    maker.state == State::Completed || maker.core_done || is_before
                })
        };
        if let Some(path) = item.inputs.iter().find(|path| !is_there(path)) {
            let reason = format!("there is no file {path}, and no earlier task makes it; it is put back");
            self.refuse(&item, Column::Inputs, reason);
            return None;
        }
        Some(item)
    }

    /// By hand, only a task whose file is there may be called done.
    fn change_state(&mut self, item: &Item, state: State) {
        let is_done_by_hand = item.state == State::Pending && state == State::Completed;
        let is_work = item.level >= self.check.hierarchy.task_level() && !item.output.is_empty();
        let is_waiting = self.check.index.family(&item.id).is_some_and(|family| !family.pending.is_empty());
        let reason = if self.is_over() {
            "the run is over"
        } else if !is_done_by_hand {
            "by hand, only a PENDING task can become COMPLETED"
        } else if !is_work {
            "only a task or tool task that leaves a file can be completed by hand"
        } else if self.busy.contains(item.id.as_str()) {
            "somebody is at it"
        } else if is_waiting {
            "it has tool tasks that are not done"
        } else if !self.check.world.exists.contains(&item.output) {
            "its output file is not there"
        } else {
            let view = View::of(self.check.run, self.check.index);
            let asset_type = asset_type(self.check.hierarchy, &view, item, &item.output).into();
            let summary = format!("completed by hand: {}", item.name);
            let file = FileNote { path: item.output.clone(), asset_type, summary, ..FileNote::default() };
            self.facts.push(Fact::Completed { item: item.id.clone(), files: [file].into() });
            return;
        };
        self.refuse(item, Column::Status, format!("was changed, but {reason}; it is put back"));
    }

    /// A row that is new.
    fn insert(&mut self, item: &Item) {
        let hierarchy = self.check.hierarchy;
        let parent = self.check.run.item(family_of(item));
        let level = hierarchy.levels.get(item.level);
        let is_open = parent.is_some_and(|parent| {
            parent.state == State::Pending && parent.is_planned("children") && parent.level + 1 == item.level
        });
        let (Some(level), true, false) = (level, is_open && item.level <= hierarchy.task_level(), self.is_over())
        else {
            let reason = "a row can only be added where others are planned and not all is done; it is put back";
            self.refuse(item, Column::Parent, reason);
            return;
        };
        if let Some(reason) = self.check.wrong_id(&item.id, level, item.level) {
            self.refuse(item, Column::Id, reason);
            return;
        }
        if item.name.trim().is_empty() {
            self.refuse(item, Column::Name, "is empty; the row is put back");
            return;
        }
        let added = self.facts.iter().filter(|fact| matches!(fact, Fact::Edited { .. })).count();
        if self.check.run.items.len().saturating_add(added) >= self.check.limits.run_items {
            self.refuse(item, Column::Id, format!("a run has at most {} items", self.check.limits.run_items));
            return;
        }
        let (core_done, planned, timing) = (false, Vec::new(), None);
        let mut new = Item { state: State::Pending, core_done, planned, timing, ..item.clone() };
        if new.level == hierarchy.task_level() {
            let readable: Option<Vec<String>> =
                new.inputs.iter().map(|path| self.check.input(&item.id, path)).collect();
            let Some(inputs) = readable else { return };
            new.inputs = inputs;
            let Some(whole) = self.with_files(new, None) else { return };
            new = whole;
            self.makers.insert(new.output.clone(), new.clone());
        } else {
            (new.inputs, new.output, new.pre, new.post) = (Vec::new(), String::new(), false, false);
        }
        self.facts.push(Fact::Edited { item: new });
        if item.state != State::Pending {
            self.refuse(item, Column::Status, "a new row is PENDING");
        }
    }
}

fn changed_columns(known: &Item, new: &Item) -> Vec<Column> {
    let columns = [
        (Column::Name, known.name != new.name),
        (Column::Order, known.order != new.order),
        (Column::Inputs, known.inputs != new.inputs),
        (Column::Output, known.output != new.output),
        (Column::Guidelines, known.guidelines != new.guidelines),
        (Column::Action, known.action != new.action),
        (Column::Procedure, known.by_tools != new.by_tools),
        (Column::Pre, known.pre != new.pre),
        (Column::Post, known.post != new.post),
    ];
    columns.into_iter().filter(|(_, is_changed)| *is_changed).map(|(column, _)| column).collect()
}

/// The items that somebody is at, or whose plan is being made.
fn busy_ids(run: &Run) -> BTreeSet<&str> {
    let works = run.attempts.values().map(|attempt| &attempt.work);
    let works = works.chain(run.questions.values().map(|question| &question.work));
    let id = |work| match work {
        &Work::Plan(Target::Children(ref id) | Target::Tools(ref id, _))
        | &Work::Execute(ref id)
        | &Work::SetUp(ref id)
        | &Work::Catalog(ref id) => Some(id.as_str()),
        &Work::Plan(Target::Prelude | Target::Proposal) => None,
    };
    works.filter_map(id).collect()
}
