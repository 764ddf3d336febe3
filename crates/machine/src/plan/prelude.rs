//! The plan of the preparation: its rows are fixed. What the planner says of them is taken, what it leaves out is
//! filled in.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::{Check, label};
use crate::hierarchy::{Hierarchy, PreludeTask};
use crate::item::Planned;
use crate::names::workspace_of;

impl Check<'_> {
    pub(super) fn prelude(&mut self, rows: &[Planned]) -> Vec<Planned> {
        let hierarchy = self.hierarchy;
        let Some(level) = hierarchy.levels.get(hierarchy.task_level()) else { return Vec::new() };
        let column = level.columns.id;
        let valid = hierarchy.prelude.iter().map(PreludeTask::id).collect::<Vec<_>>().join(", ");
        let mut given: BTreeMap<&str, &Planned> = BTreeMap::new();
        for (place, row) in rows.iter().enumerate() {
            let label = label(row, place);
            let id = row.id.as_deref().map_or("", str::trim);
            if hierarchy.prelude_task(id).is_none() {
                let what = if id.is_empty() { "is empty".into() } else { format!("{id} is not of the preparation") };
                self.complain(&label, column, format!("{what}; its tasks are {valid}"));
            } else if given.insert(id, row).is_some() {
                self.complain(&label, column, format!("{id} is in the plan twice"));
            }
            let most = self.limits.cell_bytes;
            for (column, cell) in [(level.columns.name, &row.name), (level.columns.purpose, &row.purpose)] {
                if cell.len() > most {
                    self.complain(&label, column, format!("has {} bytes; at most {most} are allowed", cell.len()));
                }
            }
        }
        let mut filled = prelude_rows(hierarchy, &self.run.id);
        for row in &mut filled {
            let given = row.id.as_deref().and_then(|id| given.get(id));
            row.name = words(given.map(|row| &row.name), &row.name);
            row.purpose = words(given.map(|row| &row.purpose), &row.purpose);
        }
        filled
    }
}

/// The rows as the protocol has them.
pub fn prelude_rows(hierarchy: &Hierarchy, run_id: &str) -> Vec<Planned> {
    let rows = hierarchy.prelude.iter().zip(1_u32..).map(|(task, number)| {
        let (name, purpose) = task.words();
        let output = match task {
            PreludeTask::Analyse(_, path) => format!("{}{path}", workspace_of(run_id)),
            PreludeTask::SetUp(_) | PreludeTask::Constitute(_) | PreludeTask::Catalog(_) => String::new(),
        };
        Planned {
            id: Some(task.id().into()),
            name: name.into(),
            purpose: purpose.into(),
            order: Some(number),
            output,
            ..Planned::default()
        }
    });
    rows.collect()
}

fn words(given: Option<&String>, otherwise: &str) -> String {
    given.filter(|given| !given.trim().is_empty()).map_or_else(|| otherwise.into(), Clone::clone)
}
