//! Whether a draft may become a plan: each violation is named with its row and column. What passes has ids and order.
//! Nothing is changed here, and no meaning is judged.

mod cycle;
mod folders;
mod paths;
mod prelude;
mod proposal;
mod rows;

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

pub(crate) use cycle::cycles;
pub(crate) use folders::files_of_plan;
pub(crate) use paths::Spot;
pub use prelude::prelude_rows;
pub use proposal::check_proposal;

use crate::hierarchy::{Hierarchy, Level, Placing};
use crate::index::Index;
use crate::input::{Complaint, World};
use crate::item::{Planned, Target};
use crate::limits::Limits;
use crate::run::Run;

/// Checks a draft of a plan. The rows that come back have ids and order, and paths from the project's root.
pub fn check_plan(
    hierarchy: &Hierarchy,
    run: &Run,
    target: &Target,
    rows: &[Planned],
    world: &World<'_>,
    limits: &Limits,
) -> Result<Vec<Planned>, Vec<Complaint>> {
    let made;
    let index = if run.index.fits(&run.items) {
        &run.index
    } else {
        made = Index::of(&run.items);
        &made
    };
    let mut check = Check { hierarchy, run, index, world, limits, complaints: Vec::new() };
    let rows = check.rows_for(target, rows);
    if check.complaints.is_empty() { Ok(rows) } else { Err(check.complaints) }
}

/// A check under way.
#[derive(Debug)]
pub(crate) struct Check<'a> {
    pub(crate) hierarchy: &'a Hierarchy,
    pub(crate) run: &'a Run,
    pub(crate) index: &'a Index,
    pub(crate) world: &'a World<'a>,
    pub(crate) limits: &'a Limits,
    pub(crate) complaints: Vec<Complaint>,
}

/// What the whole plan, and no row of it, is called in a complaint.
const WHOLE: &str = "-";

impl Check<'_> {
    pub(crate) fn complain(&mut self, row: &str, column: &'static str, reason: impl Into<String>) {
        self.complaints.push(Complaint { row: row.into(), column, reason: reason.into() });
    }

    fn rows_for(&mut self, target: &Target, rows: &[Planned]) -> Vec<Planned> {
        let hierarchy = self.hierarchy;
        let task_level = hierarchy.task_level();
        let (level, parent) = match target {
            Target::Prelude => return self.prelude(rows),
            Target::Proposal => {
                self.complain(WHOLE, "plan_target", "a proposal is not a plan with rows");
                return Vec::new();
            }
            Target::Children(id) if id.is_empty() => (0, None),
            Target::Children(id) => match self.run.item(id) {
                Some(item) if item.level < task_level => (item.level + 1, Some(item)),
                Some(_) | None => {
                    self.complain(WHOLE, "plan_target", format!("{id} is nothing that holds others"));
                    return Vec::new();
                }
            },
            Target::Tools(id, _) => match self.run.item(id) {
                Some(item) if item.level == task_level => (hierarchy.tool_level(), Some(item)),
                Some(_) | None => {
                    self.complain(WHOLE, "plan_target", format!("{id} is not a task"));
                    return Vec::new();
                }
            },
        };
        let Some(of) = hierarchy.levels.get(level) else { return Vec::new() };
        if !self.sizes(of, rows) {
            return Vec::new();
        }
        let mut draft = rows::Draft::of(rows);
        self.cells(of, parent.map(|item| item.id.as_str()), &draft);
        self.ids(of, level, parent, &mut draft);
        self.order(level, parent.map_or("", |item| item.id.as_str()), &mut draft);
        if let Target::Tools(_, timing) = target {
            self.tools(*timing, &mut draft);
        }
        if level >= task_level {
            let place = parent.map(|item| self.place_below(&item.id)).unwrap_or_default();
            if hierarchy.placing == Placing::ByFolder {
                self.name_files(level, &place, parent, &mut draft);
            }
            self.files(level, &place, parent, &mut draft);
        }
        draft.rows
    }

    fn sizes(&mut self, level: &Level, rows: &[Planned]) -> bool {
        let (name, column, most) = (level.name, level.columns.id, self.limits.plan_items);
        if rows.is_empty() {
            self.complain(WHOLE, column, format!("the plan is empty; at least one {name} is needed"));
        }
        if rows.len() > most {
            self.complain(WHOLE, column, format!("the plan has {} rows; at most {most} are allowed", rows.len()));
        }
        let (all, most) = (self.run.items.len().saturating_add(rows.len()), self.limits.run_items);
        if all > most {
            self.complain(WHOLE, column, format!("the run would have {all} items; at most {most} are allowed"));
        }
        self.complaints.is_empty()
    }
}

/// The label of a row in a complaint: its id as it was given, or its number from 1.
pub(crate) fn label(row: &Planned, place: usize) -> String {
    match row.id.as_deref().map(str::trim) {
        Some(id) if !id.is_empty() => id.into(),
        _ => (place + 1).to_string(),
    }
}
