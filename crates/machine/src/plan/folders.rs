//! Files of plans that name folders (LN-08, LN-16 to LN-18): what a task does to its file, where that lies, what code
//! calls it, and which rules it goes by.

use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::paths::{OUTPUT, Spot};
use super::rows::Draft;
use super::{Check, rows};
use crate::hierarchy::{Hierarchy, Placing};
use crate::index::Index;
use crate::input::World;
use crate::item::{Action, Item, Planned, State, Target};
use crate::limits::Limits;
use crate::names::{normal_path, workspace_of};
use crate::run::{Cast, Run};

const FOLDER: &str = "output_folder";
const GUIDELINES: &str = "related_guidelines";

/// Every path that the files of a plan will have: what exists there must be known before it is checked.
pub(crate) fn files_of_plan(hierarchy: &Hierarchy, run: &Run, target: &Target, rows: &[Planned]) -> BTreeSet<String> {
    let (Target::Children(parent) | Target::Tools(parent, _)) = target else { return BTreeSet::new() };
    let Some(parent) = run.item(parent).filter(|_| hierarchy.placing == Placing::ByFolder) else {
        return BTreeSet::new();
    };
    let level = parent.level + 1;
    let Some(of) = hierarchy.levels.get(level).filter(|_| level >= hierarchy.task_level()) else {
        return BTreeSet::new();
    };
    let (nothing, names, cast, limits) = (BTreeSet::new(), BTreeSet::new(), Cast::default(), Limits::default());
    let owners = alloc::collections::BTreeMap::new();
    let world = World {
        now: "",
        me: "",
        cast: &cast,
        alive: &nothing,
        exists: &nothing,
        free: 0,
        people: &names,
        tools: &nothing,
        published: &nothing,
        template: &[],
        template_below: &[],
        owners: &owners,
        procedures: &nothing,
        active: &nothing,
        past: &[],
        budget: crate::Budget::default(),
        used: crate::Metered::default(),
    };
    let made;
    let index = if run.index.fits(&run.items) {
        &run.index
    } else {
        made = Index::of(&run.items);
        &made
    };
    let mut check = Check { hierarchy, run, index, world: &world, limits: &limits, complaints: Vec::new() };
    let mut draft = rows::Draft::of(rows);
    check.ids(of, level, Some(parent), &mut draft);
    let place = check.place_below(&parent.id);
    check.name_files(level, &place, Some(parent), &mut draft);
    let paths = draft.rows.iter().flat_map(|row| row.guidelines.iter().chain([&row.output]));
    paths.filter_map(|path| normal_path(path, &run.id).ok()).collect()
}

impl Check<'_> {
    /// What decides where files below an item may lie: its layer, or the folder of its phase.
    pub(crate) fn place_below(&self, id: &str) -> String {
        match self.hierarchy.placing {
            Placing::ByPath => self.run.layer_of(id).unwrap_or("").into(),
            Placing::ByFolder => self.run.outermost_of(id).map(|phase| phase.folder.clone()).unwrap_or_default(),
        }
    }

    /// Gives each row the file that it leaves.
    pub(super) fn name_files(&mut self, level: usize, place: &str, parent: Option<&Item>, draft: &mut Draft) {
        let last = draft.rows.len().saturating_sub(1);
        let Draft { rows, labels } = draft;
        for (number, (row, label)) in rows.iter_mut().zip(labels.iter()).enumerate() {
            match parent.filter(|_| level == self.hierarchy.tool_level()) {
                Some(task) => self.name_tool(row, label, task, number == last),
                None => self.name_task(row, label, place),
            }
        }
    }

    fn name_task(&mut self, row: &mut Planned, label: &str, place: &str) {
        let (action, purpose) = Action::split(&row.purpose);
        let action = action.unwrap_or(Action::Add);
        if !purpose.is_empty() {
            row.purpose = format!("[{}] {purpose}", action.word());
        }
        let folder = self.folder(label, &row.folder, place);
        row.folder = folder.clone().unwrap_or_default();
        match (action, row.output.trim().is_empty()) {
            (_, false) => {}
            (Action::Add, true) => {
                let id = row.id.as_deref().unwrap_or(label);
                row.output = folder.map(|folder| self.hierarchy.file_of(&folder, id, &row.name)).unwrap_or_default();
            }
            (Action::Modify | Action::Delete, true) => {
                let reason = format!("is empty; [{}] needs the file that it is about", action.word());
                self.complain(label, OUTPUT, reason);
            }
        }
        let mut guidelines = Vec::with_capacity(row.guidelines.len());
        for path in core::mem::take(&mut row.guidelines) {
            match normal_path(&path, &self.run.id) {
                Ok(path) if guidelines.contains(&path) => {}
                Ok(path) => {
                    if !self.world.exists.contains(&path) {
                        self.complain(label, GUIDELINES, format!("there is no file {path}"));
                    }
                    guidelines.push(path);
                }
                Err(reason) => self.complain(label, GUIDELINES, format!("{path:?} {reason}")),
            }
        }
        row.guidelines = guidelines;
        self.procedure(row, label);
    }

    /// A procedure must be known (LN-11), and research must have an aim.
    fn procedure(&mut self, row: &mut Planned, label: &str) {
        let id: String = row.procedure.trim().into();
        if !id.is_empty() && !self.world.procedures.contains(&id) {
            let known = self.world.procedures.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
            let known = if known.is_empty() { "there are none".into() } else { format!("valid: {known}") };
            self.complain(label, "mcp_id", format!("{id} is not in settings/mcp_list.md; {known}"));
        }
        row.procedure = id;
        let has_reason = row.more.get("pre_tool_reason").is_some_and(|reason| !reason.trim().is_empty());
        if has_reason && row.pre.trim().is_empty() {
            self.complain(label, "pre_tool_purpose", "is empty, while pre_tool_reason is not; say what to look for");
        }
    }

    fn name_tool(&mut self, row: &mut Planned, label: &str, task: &Item, is_last: bool) {
        let yields = task.by_tools && is_last;
        if row.output.trim().is_empty() {
            row.output = match (yields, row.id.as_deref()) {
                (true, _) => task.output.clone(),
                (false, id) => self.hierarchy.file_of(&workspace_of(&self.run.id), id.unwrap_or(label), &row.name),
            };
        }
        let is_its = normal_path(&row.output, &self.run.id).is_ok_and(|path| path == task.output);
        if yields && !is_its {
            let reason = format!("is {}; the last tool task leaves the file of its task, {}", row.output, task.output);
            self.complain(label, OUTPUT, reason);
        }
    }

    /// A folder that a task may leave its file in, or nothing and a complaint.
    fn folder(&mut self, label: &str, folder: &str, place: &str) -> Option<String> {
        let workspace = workspace_of(&self.run.id);
        let allowed = [place, workspace.trim_end_matches('/')];
        let expected = format!("{}/ for what the phase leaves, else {}/", allowed[0], allowed[1]);
        if folder.trim().is_empty() {
            self.complain(label, FOLDER, format!("is empty; name {expected}"));
            return None;
        }
        let inside = format!("{}/_", folder.trim().trim_end_matches('/'));
        match normal_path(&inside, &self.run.id) {
            Ok(path) => match path.strip_suffix("/_").filter(|path| allowed.contains(path)) {
                Some(path) => Some(path.into()),
                None => {
                    self.complain(label, FOLDER, format!("{} is not allowed; valid: {expected}", folder.trim()));
                    None
                }
            },
            Err(reason) => {
                self.complain(label, FOLDER, format!("{folder:?} {reason}"));
                None
            }
        }
    }

    /// A path that an item may leave its file at, where folders are planned; or nothing and a complaint.
    pub(super) fn placed(&mut self, label: &str, path: &str, spot: &Spot<'_>) -> Option<String> {
        let path = match normal_path(path, &self.run.id) {
            Ok(path) => path,
            // What is empty was complained of, with the reason.
            Err(_) if path.trim().is_empty() && spot.of.is_none() => return None,
            Err(reason) => {
                self.complain(label, OUTPUT, format!("{path:?} {reason}"));
                return None;
            }
        };
        if spot.yields == Some(path.as_str()) {
            return Some(path);
        }
        let workspace = workspace_of(&self.run.id);
        let is_task = spot.level == self.hierarchy.task_level();
        let reason = match spot.action {
            Some(Action::Modify | Action::Delete) if is_task => self.unchangeable(&path, &workspace, spot),
            _ => self.unaddable(&path, &workspace, spot),
        };
        match reason {
            Some(reason) => {
                self.complain(label, OUTPUT, reason);
                None
            }
            None => Some(path),
        }
    }

    /// Why a file cannot be changed.
    fn unchangeable(&self, path: &str, workspace: &str, spot: &Spot<'_>) -> Option<String> {
        if !path.starts_with("outputs/") && !path.starts_with(workspace) {
            return Some(format!("{path} is neither below outputs/ nor below {workspace}"));
        }
        let mut makers = self.index.makers(path).iter().filter_map(|at| self.run.items.get(*at));
        let open = makers.clone().find(|maker| Some(maker.id.as_str()) != spot.of && !is_done(maker));
        if let Some(open) = open {
            return Some(format!("{path} is the output of {}, which is not done before", open.id));
        }
        let is_there = self.world.exists.contains(path) || makers.any(is_done);
        (!is_there).then(|| format!("there is no file {path}; [Add] makes one"))
    }

    /// Why a file cannot be made (LN-17).
    fn unaddable(&self, path: &str, workspace: &str, spot: &Spot<'_>) -> Option<String> {
        let is_task = spot.level == self.hierarchy.task_level();
        let folder = format!("{}/", spot.folder.unwrap_or(spot.place).trim_end_matches('/'));
        let is_inside = path.starts_with(workspace) && (!is_task || spot.folder.is_none() || folder == workspace);
        if !(is_inside || is_task && path.starts_with(&folder)) {
            let expected = if is_task { folder } else { workspace.into() };
            return Some(format!("{path} is not below {expected}"));
        }
        let mut makers = self.index.makers(path).iter().filter_map(|at| self.run.items.get(*at));
        if let Some(other) = makers.find(|maker| Some(maker.id.as_str()) != spot.of) {
            return Some(format!("{path} is the output of {} already", other.id));
        }
        if spot.of.is_none() && self.world.exists.contains(path) {
            let owner = match self.world.owners.get(path) {
                Some(run) => format!("made by {run}"),
                None => "made by no run".into(),
            };
            return Some(format!("{path} exists already, {owner}; [Modify] with this output_path changes it"));
        }
        self.in_the_way(path)
    }

    /// Who changes a file does not do so while an earlier task of the plan may be reading it.
    pub(super) fn changes_wait(&mut self, edges: &[Vec<usize>], draft: &Draft) {
        for (place, row) in draft.rows.iter().enumerate() {
            if !matches!(Action::split(&row.purpose).0, Some(Action::Modify | Action::Delete)) {
                continue;
            }
            let needed = all_before(edges, place);
            let is_reader = |other: &usize| {
                *other != place && !needed.contains(other) && draft.rows[*other].inputs.contains(&row.output)
            };
            let is_before = |other: &usize| draft.rows[*other].order < row.order;
            if let Some(reader) = (0..draft.rows.len()).filter(is_before).find(is_reader) {
                let reason = format!(
                    "{} is read by {}, which may be at it just then; read what that leaves, or plan the change in a sub-stage of its own",
                    row.output, draft.labels[reader]
                );
                self.complain(&draft.labels[place], OUTPUT, reason);
            }
        }
    }
}

fn is_done(item: &Item) -> bool {
    item.state == State::Completed || item.core_done
}

/// All rows that one needs, directly or through others.
fn all_before(edges: &[Vec<usize>], place: usize) -> BTreeSet<usize> {
    let mut seen = BTreeSet::new();
    let mut open: Vec<usize> = edges.get(place).cloned().unwrap_or_default();
    while let Some(next) = open.pop() {
        if seen.insert(next) {
            open.extend(edges.get(next).into_iter().flatten());
        }
    }
    seen
}
