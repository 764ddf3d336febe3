//! The files of a plan: what each row reads and leaves.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::Check;
use super::cycle::cycles;
use super::rows::Draft;
use crate::hierarchy::Placing;
use crate::index::natural;
use crate::item::{Action, Item, Planned, State};
use crate::names::{normal_path, outputs_of, workspace_of};

const INPUTS: &str = "related_references";
pub(super) const OUTPUT: &str = "output_path";

/// Whose file it is that a path is for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Spot<'a> {
    /// The level of the item.
    pub(crate) level: usize,
    /// What decides where it may lie: a layer, or the folder of a phase.
    pub(crate) place: &'a str,
    /// The folder that was planned, if one was.
    pub(crate) folder: Option<&'a str>,
    /// What is done to it.
    pub(crate) action: Option<Action>,
    /// The item that has it already.
    pub(crate) of: Option<&'a str>,
    /// The file of the task, where it is a tool task's to leave that.
    pub(crate) yields: Option<&'a str>,
}

impl Check<'_> {
    /// Checks and normalises all paths of a plan.
    pub(super) fn files(&mut self, level: usize, place_of: &str, parent: Option<&Item>, draft: &mut Draft) {
        let mut makers: BTreeMap<String, usize> = BTreeMap::new();
        for place in 0..draft.rows.len() {
            let (label, row) = (&draft.labels[place], &draft.rows[place]);
            let is_planned = self.hierarchy.placing == Placing::ByFolder && level == self.hierarchy.task_level();
            let is_last = place + 1 == draft.rows.len();
            let yields = parent.filter(|task| task.by_tools && is_last).map(|task| task.output.as_str());
            let folder = Some(row.folder.as_str()).filter(|folder| is_planned && !folder.is_empty());
            let action = if is_planned { Action::split(&row.purpose).0 } else { None };
            let spot = Spot { level, place: place_of, folder, action, of: None, yields };
            let Some(output) = self.output(label, &row.output, &spot) else { continue };
            if let Some(other) = makers.get(&output) {
                let free = self.free_name(&output, &makers);
                let reason = format!("{output} is that of {} too; each has its own: take {free}", draft.labels[*other]);
                self.complain(label, OUTPUT, reason);
                continue;
            }
            if let Some(other) = nested(&makers, &output) {
                let reason = format!("{output} and {other} cannot both be files: one is a folder of the other");
                self.complain(label, OUTPUT, reason);
            }
            makers.insert(output.clone(), place);
            draft.rows[place].output = output;
        }
        let is_task = level == self.hierarchy.task_level();
        let mut edges: Vec<Vec<usize>> = Vec::with_capacity(draft.rows.len());
        for place in 0..draft.rows.len() {
            let label = draft.labels[place].clone();
            if is_task && draft.rows[place].inputs.is_empty() {
                self.complain(
                    &label,
                    INPUTS,
                    "is empty; a task needs at least one input file that exists or is planned",
                );
            }
            edges.push(self.inputs_of_row(place, &label, parent, &makers, draft));
        }
        self.order_of_files(&edges, draft);
        if is_task && self.hierarchy.placing == Placing::ByFolder {
            self.changes_wait(&edges, draft);
        }
    }

    /// The rows that a row needs. What nobody makes must exist.
    fn inputs_of_row(
        &mut self,
        place: usize,
        label: &str,
        parent: Option<&Item>,
        makers: &BTreeMap<String, usize>,
        draft: &mut Draft,
    ) -> Vec<usize> {
        let mut needed = Vec::new();
        let mut seen = BTreeSet::new();
        let mut inputs: Vec<String> = Vec::with_capacity(draft.rows[place].inputs.len());
        for input in core::mem::take(&mut draft.rows[place].inputs) {
            let Some(path) = self.input(label, &input) else { continue };
            if !seen.insert(path.clone()) {
                continue;
            }
            match makers.get(&path) {
                Some(maker) if *maker == place && self.is_change(&draft.rows[place]) => {}
                Some(maker) if *maker == place => {
                    self.complain(label, INPUTS, format!("{path} is its own output; it is not there before"));
                }
                Some(maker) => needed.push(*maker),
                None => {
                    if let Some(reason) = self.missing(&path, parent) {
                        self.complain(label, INPUTS, reason);
                    }
                }
            }
            inputs.push(path);
        }
        draft.rows[place].inputs = inputs;
        needed
    }

    /// Whether a row changes a file that is there: it may read it, too.
    fn is_change(&self, row: &Planned) -> bool {
        let action = Action::split(&row.purpose).0.filter(|_| self.hierarchy.placing == Placing::ByFolder);
        matches!(action, Some(Action::Modify | Action::Delete))
    }

    pub(crate) fn input(&mut self, label: &str, path: &str) -> Option<String> {
        match normal_path(path, &self.run.id) {
            Ok(path) => Some(path),
            Err(reason) => {
                self.complain(label, INPUTS, format!("{path:?} {reason}"));
                None
            }
        }
    }

    /// Why a file that the plan does not make will not be there.
    fn missing(&self, path: &str, parent: Option<&Item>) -> Option<String> {
        if self.world.exists.contains(path) {
            return None;
        }
        let mut makers = self.index.makers(path).iter().filter_map(|at| self.run.items.get(*at));
        if makers.clone().any(|maker| maker.state == State::Completed || maker.core_done) {
            return None;
        }
        match makers.next() {
            Some(maker) if parent.is_some_and(|parent| parent.id == maker.id) => {
                Some(format!("{path} is what {} itself makes; it is not there before", maker.id))
            }
            Some(maker) => Some(format!("{path} is the output of {}, which is not done before", maker.id)),
            None => Some(format!("there is no file {path}, and no earlier task makes it")),
        }
    }

    /// A path that may become an item's output, or nothing and a complaint.
    pub(crate) fn output(&mut self, label: &str, path: &str, spot: &Spot<'_>) -> Option<String> {
        if self.hierarchy.placing == Placing::ByFolder {
            return self.placed(label, path, spot);
        }
        let of = spot.of;
        let allowed = self.folders(spot.level, spot.place);
        let expected = allowed.join(" or ");
        if path.trim().is_empty() {
            self.complain(label, OUTPUT, format!("is empty; name a file below {expected}"));
            return None;
        }
        let path = match normal_path(path, &self.run.id) {
            Ok(path) => path,
            Err(reason) => {
                self.complain(label, OUTPUT, format!("{path:?} {reason}"));
                return None;
            }
        };
        if !allowed.iter().any(|folder| path.starts_with(folder.as_str())) {
            self.complain(label, OUTPUT, format!("{path} is not below {expected}"));
            return None;
        }
        let maker = self.index.maker(&path).and_then(|at| self.run.items.get(at));
        let other = maker.filter(|maker| Some(maker.id.as_str()) != of);
        let reason = if let Some(other) = other {
            let free = self.free_name(&path, &BTreeMap::new());
            Some(format!("{path} is the output of {} already; take another name, such as {free}", other.id))
        } else if maker.is_none() && self.world.exists.contains(&path) {
            let free = self.free_name(&path, &BTreeMap::new());
            Some(format!("{path} exists, and this run did not plan it; take another name, such as {free}"))
        } else {
            self.in_the_way(&path)
        };
        if let Some(reason) = reason {
            self.complain(label, OUTPUT, reason);
            return None;
        }
        Some(path)
    }

    /// A name like this one that nobody has: what a planner is told must be something it can do.
    fn free_name(&self, path: &str, planned: &BTreeMap<String, usize>) -> String {
        let file = path.rfind('/').map_or(0, |slash| slash + 1);
        let (stem, ending) = match path[file..].rfind('.') {
            Some(dot) if dot > 0 => path.split_at(file + dot),
            _ => (path, ""),
        };
        let is_taken = |path: &String| {
            planned.contains_key(path) || self.index.maker(path).is_some() || self.world.exists.contains(path)
        };
        // One of so many names is free: there are not that many files.
        let mut names = (2..).map(|number| format!("{stem}_{number}{ending}"));
        names.find(|name| !is_taken(name)).unwrap_or_default()
    }

    /// Why there cannot be a file at a path, because of other files of the run.
    pub(super) fn in_the_way(&self, path: &str) -> Option<String> {
        let is_folder =
            self.index.is_folder(path) || folders_above(path).any(|above| self.index.maker(above).is_some());
        is_folder.then(|| format!("{path} cannot be a file: it is a folder of another output, or another output of it"))
    }

    /// Below which folders an item of a layer may leave its file.
    fn folders(&self, level: usize, layer: &str) -> Vec<String> {
        let workspace = workspace_of(&self.run.id);
        let is_task = level == self.hierarchy.task_level();
        let mut folders = Vec::from([format!("{workspace}{layer}/")]);
        if is_task && self.hierarchy.is_last_layer(layer) {
            folders.push(outputs_of(&self.run.id));
        }
        folders
    }

    /// What a row needs must come before it. What can never come before is named as a cycle.
    fn order_of_files(&mut self, edges: &[Vec<usize>], draft: &Draft) {
        let name = |place: usize| draft.rows[place].id.as_deref().unwrap_or(&draft.labels[place]);
        let key = |place: usize| (draft.rows[place].order.unwrap_or(0), place);
        let is_later = |one: usize, other: usize| {
            let order = key(one).0.cmp(&key(other).0);
            order.then_with(|| natural(name(one), name(other))) == core::cmp::Ordering::Greater
        };
        let mut circular: Vec<(usize, usize)> = Vec::new();
        for cycle in cycles(edges) {
            let Some(&first) = cycle.first() else { continue };
            let mut names: Vec<&str> = cycle.iter().map(|place| name(*place)).collect();
            names.push(name(first));
            let reason = format!("these need each other in a cycle: {}", names.join(" → "));
            self.complain(&draft.labels[first], INPUTS, reason);
            circular.extend(cycle.iter().copied().zip(cycle.iter().copied().cycle().skip(1)));
        }
        circular.sort_unstable();
        for (place, needed) in edges.iter().enumerate() {
            for &maker in needed {
                if is_later(maker, place) && circular.binary_search(&(place, maker)).is_err() {
                    let (path, maker) = (&draft.rows[maker].output, name(maker));
                    let reason = format!("{path} is the output of {maker}, which comes later; give it a lower order");
                    self.complain(&draft.labels[place], INPUTS, reason);
                }
            }
        }
    }
}

/// Another output that this one would be a folder of, or that would be a folder of it.
fn nested<'m>(makers: &'m BTreeMap<String, usize>, path: &str) -> Option<&'m str> {
    let below = format!("{path}/");
    let inside = makers.range(below.clone()..).next().filter(|(other, _)| other.starts_with(&below));
    let around = || folders_above(path).find_map(|above| makers.get_key_value(above));
    inside.or_else(around).map(|(other, _)| other.as_str())
}

fn folders_above(path: &str) -> impl Iterator<Item = &str> {
    path.match_indices('/').map(|(end, _)| &path[..end])
}
