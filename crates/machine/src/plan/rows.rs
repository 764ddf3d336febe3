//! Ids, order and the cells of words.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::{Check, label};
use crate::hierarchy::{Hierarchy, Ids, Level, Placing};
use crate::index::split_id;
use crate::item::{Action, Item, Planned, Timing};

/// The longest id.
const ID_BYTES: usize = 80;

/// Rows in the making, each with what it is called in a complaint.
#[derive(Debug)]
pub(crate) struct Draft {
    pub(crate) rows: Vec<Planned>,
    pub(crate) labels: Vec<String>,
}

impl Draft {
    pub(crate) fn of(rows: &[Planned]) -> Self {
        let labels = rows.iter().enumerate().map(|(place, row)| label(row, place)).collect();
        let mut rows = rows.to_vec();
        for row in &mut rows {
            row.id = row.id.take().filter(|id| !id.trim().is_empty());
        }
        Self { rows, labels }
    }
}

impl Check<'_> {
    /// Names and purposes, the sizes of cells, and the parent where a row names it.
    pub(super) fn cells(&mut self, level: &Level, parent: Option<&str>, draft: &Draft) {
        let columns = &level.columns;
        let is_task = self.hierarchy.levels.get(self.hierarchy.task_level()) == Some(level);
        for (row, label) in draft.rows.iter().zip(&draft.labels) {
            if row.name.trim().is_empty() {
                self.complain(label, columns.name, "is empty; a name is needed");
            }
            let purpose = match self.hierarchy.placing {
                Placing::ByFolder if is_task => Action::split(&row.purpose).1,
                _ => row.purpose.as_str(),
            };
            if purpose.trim().is_empty() {
                self.complain(label, columns.purpose, "is empty; say what for");
            } else if is_task && has_several_actions(purpose) {
                self.complain(
                    label,
                    columns.purpose,
                    "lists several actions; a task has one action, so make a task of each",
                );
            }
            if !columns.reason.is_empty() && row.more.get(columns.reason).is_none_or(|cell| cell.trim().is_empty()) {
                self.complain(label, columns.reason, "is empty; say why it is needed");
            }
            self.sizes_of_cells(level, row, label);
            if let (Some(given), Some(parent)) = (row.more.get(columns.parent), parent)
                && !given.trim().is_empty()
                && given.trim() != parent
            {
                self.complain(label, columns.parent, format!("is {}; this plan is for {parent}", given.trim()));
            }
        }
    }

    fn sizes_of_cells(&mut self, level: &Level, row: &Planned, label: &str) {
        let most = self.limits.cell_bytes;
        let cells = [
            (level.columns.name, &row.name),
            (level.columns.purpose, &row.purpose),
            ("output_path", &row.output),
            ("pre_tool_purpose", &row.pre),
            ("post_tool_purpose", &row.post),
            ("tool_type", &row.tool),
            ("output_folder", &row.folder),
            ("mcp_id", &row.procedure),
        ];
        let inputs = row.inputs.iter().map(|input| ("related_references", input));
        let inputs = inputs.chain(row.guidelines.iter().map(|guideline| ("related_guidelines", guideline)));
        let more = row.more.values().map(|cell| ("more", cell));
        for (column, cell) in cells.into_iter().chain(inputs).chain(more) {
            if cell.len() > most {
                self.complain(label, column, format!("has {} bytes; at most {most} are allowed", cell.len()));
            }
        }
        for (column, count) in [("related_references", row.inputs.len()), ("related_guidelines", row.guidelines.len())]
        {
            if count > self.limits.inputs {
                let reason = format!("has {count} files; at most {} are allowed", self.limits.inputs);
                self.complain(label, column, reason);
            }
        }
    }

    /// Ids that were given are checked; those that are missing are numbered on.
    pub(super) fn ids(&mut self, level: &Level, place: usize, parent: Option<&Item>, draft: &mut Draft) {
        let column = level.columns.id;
        let mut taken: BTreeSet<String> = BTreeSet::new();
        if self.hierarchy.ids == Ids::InParent {
            lengthen(self.hierarchy, level, parent, draft);
        }
        for (row, label) in draft.rows.iter().zip(&draft.labels) {
            let Some(id) = row.id.as_deref() else { continue };
            if let Some(reason) = self.wrong_id(id, level, place) {
                self.complain(label, column, reason);
            } else if self.run.item(id).is_some() || id == self.hierarchy.prelude_parent {
                self.complain(label, column, format!("{id} is in the run already; leave it empty, or take another"));
            } else if !taken.insert(id.into()) {
                self.complain(label, column, format!("{id} is in the plan twice; leave it empty, or take another"));
            }
        }
        let stem = match parent {
            _ if self.hierarchy.ids == Ids::InParent => {
                self.hierarchy.full_id(parent.map(|parent| parent.id.as_str()), level.letter)
            }
            Some(parent) if place == self.hierarchy.tool_level() => self.tool_stem(level, parent),
            _ => String::from(level.letter),
        };
        let mut number = self.highest(&stem, parent, place, &taken);
        for row in draft.rows.iter_mut().filter(|row| row.id.is_none()) {
            let id = loop {
                number = number.saturating_add(1);
                let id = format!("{stem}{number:0width$}", width = level.digits);
                if number == u64::MAX || (self.run.item(&id).is_none() && !taken.contains(&id)) {
                    break id;
                }
            };
            taken.insert(id.clone());
            row.id = Some(id);
        }
    }

    /// How the tool tasks of a task begin: `TT05_` for T05.
    fn tool_stem(&self, level: &Level, parent: &Item) -> String {
        let letter = self.hierarchy.levels.get(parent.level).map_or("", |level| level.letter);
        format!("{}{}_", level.letter, parent.id.strip_prefix(letter).unwrap_or(&parent.id))
    }

    fn highest(&self, stem: &str, parent: Option<&Item>, level: usize, taken: &BTreeSet<String>) -> u64 {
        let number_of = |id: &str| match split_id(id.strip_prefix(stem)?)? {
            ("", number) => Some(number),
            _ => None,
        };
        let given = taken.iter().filter_map(|id| number_of(id)).max().unwrap_or(0);
        let is_below = level == self.hierarchy.tool_level() || self.hierarchy.ids == Ids::InParent;
        let known = match parent {
            Some(parent) if is_below => {
                let siblings = self.run.children(&parent.id).into_iter();
                siblings.filter_map(|item| number_of(&item.id)).max().unwrap_or(0)
            }
            _ => self.index.highest(stem),
        };
        given.max(known)
    }

    pub(crate) fn wrong_id(&self, id: &str, level: &Level, place: usize) -> Option<String> {
        let fits = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
        if id.len() > ID_BYTES || !id.bytes().all(fits) {
            return Some(format!("{id:?} is not an id: letters, digits, `.`, `_` and `-`, at most {ID_BYTES}"));
        }
        let (name, letter) = (level.name, level.letter);
        let short = self.hierarchy.short_id(id);
        if self.hierarchy.ids == Ids::InParent && level.number_of(short).is_none() {
            let example = level.id_of(1);
            return Some(format!("{short} is not the id of a {name}, such as {example}; leave it empty, or mend it"));
        }
        (self.hierarchy.level_of_id(id) != Some(place))
            .then(|| format!("{id} does not begin as the id of a {name} does ({letter}); leave it empty, or mend it"))
    }

    /// Either every row has an order of its own, or none has one; where ids order, they do.
    pub(super) fn order(&mut self, level: usize, parent: &str, draft: &mut Draft) {
        if self.hierarchy.ids == Ids::InParent {
            for row in &mut draft.rows {
                row.order = row.id.as_deref().and_then(|id| self.hierarchy.order_of_id(level, id));
            }
            return;
        }
        let siblings = self.run.children(parent);
        if draft.rows.iter().all(|row| row.order.is_none()) {
            let last = siblings.iter().map(|item| item.order).max().unwrap_or(0);
            for (row, number) in draft.rows.iter_mut().zip(1_u32..) {
                row.order = Some(last.saturating_add(number));
            }
            return;
        }
        // Tool tasks before and after the core work are numbered apart.
        let mut seen: BTreeMap<u32, String> = BTreeMap::new();
        if draft.rows.iter().all(|row| row.tool.is_empty()) {
            seen.extend(siblings.iter().map(|item| (item.order, item.id.clone())));
        }
        for (row, label) in draft.rows.iter().zip(&draft.labels) {
            let Some(order) = row.order else {
                self.complain(
                    label,
                    "execution_order",
                    "is empty, while other rows have one; number all rows, or none",
                );
                continue;
            };
            match seen.get(&order) {
                Some(other) => {
                    self.complain(
                        label,
                        "execution_order",
                        format!("{order} is that of {other}; each row has its own"),
                    );
                }
                None => drop(seen.insert(order, label.clone())),
            }
        }
    }

    /// Timing and type of tool tasks.
    pub(super) fn tools(&mut self, timing: Timing, draft: &mut Draft) {
        let due = if timing == Timing::Pre { "PRE" } else { "POST" };
        let valid = self.world.tools.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
        for (row, label) in draft.rows.iter_mut().zip(&draft.labels) {
            if row.timing.is_some_and(|given| given != timing) {
                self.complain(label, "timing", format!("is not {due}, for which this plan is"));
            }
            row.timing = Some(timing);
            let tool = row.tool.trim();
            if !self.world.tools.contains(tool) {
                let what = if tool.is_empty() { "is empty".into() } else { format!("{tool} is not known") };
                self.complain(label, "tool_type", format!("{what}; valid: {valid}"));
            } else if tool.len() != row.tool.len() {
                row.tool = tool.into();
            }
        }
    }
}

/// Ids as they were given, short or whole, become whole ones with as many digits as they have at least.
fn lengthen(hierarchy: &Hierarchy, level: &Level, parent: Option<&Item>, draft: &mut Draft) {
    let parent = parent.map(|parent| parent.id.as_str());
    for row in &mut draft.rows {
        let Some(id) = row.id.as_deref().map(str::trim) else { continue };
        let stem = hierarchy.full_id(parent, "");
        let short = id.strip_prefix(stem.as_str()).unwrap_or(id);
        let short = level.number_of(short).map_or_else(|| short.into(), |number| level.id_of(number));
        row.id = Some(hierarchy.full_id(parent, &short));
    }
}

/// Several paragraphs, or a list, are several actions. A sentence that is wrapped is one.
fn has_several_actions(purpose: &str) -> bool {
    let purpose = purpose.trim();
    let mut lines = purpose.lines().map(str::trim);
    let is_entry = |line: &str| {
        let number = line.trim_start_matches(|character: char| character.is_ascii_digit());
        let is_numbered = number.len() < line.len() && (number.starts_with(". ") || number.starts_with(") "));
        is_numbered || ["- ", "* ", "+ ", "• "].iter().any(|mark| line.starts_with(mark))
    };
    let entries = purpose.lines().map(str::trim).filter(|line| is_entry(line)).count();
    lines.any(str::is_empty) || entries > 1 || (entries == 1 && !purpose.lines().next().is_some_and(is_entry))
}
