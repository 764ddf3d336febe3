//! Rows that somebody edited, put back to what the state says: status, ids, and whatever else the state knows. What it
//! does not know, purposes and columns of people's own, comes from the documents as they were before the edit.

use std::collections::HashMap;

use machine::{Action, Item, Run};
use syntax::markdown::paths;
use text::Text;

use crate::desk::{Desk, Lowered};
use crate::item_row;
use crate::layout::{Field, Protocol};
use crate::lift::{own_folder, own_path};
use crate::lower::{Standing, put_item, vanished};
use crate::sheet::Sheet;
use crate::sheets::Sheets;
use crate::spelling::{bare, read_ids, read_state, read_status, status_word};
use crate::trouble::Trouble;

/// What is put back.
#[derive(Clone, Copy)]
pub struct PutBack<'a> {
    /// The run as it is.
    pub run: &'a Run,
    /// The rows that shall read as the state says, by id. One that the state does not know is taken out.
    pub items: &'a [&'a str],
    /// Whether the run's own row in the table of runs shall read so, too.
    pub own_row: OwnRow,
    /// The documents as they were before the edit.
    pub before: &'a dyn Fn(&str) -> Option<Text>,
}

/// Whether the run's own row is put back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OwnRow {
    /// It stays as it is.
    Stays,
    /// Its status and what is current are put back.
    PutBack,
}

impl std::fmt::Debug for PutBack<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("PutBack").field("run", &self.run.id).field("items", &self.items).finish_non_exhaustive()
    }
}

pub(crate) fn restore(
    sheets: &mut Sheets,
    read: &dyn Fn(&str) -> Option<Text>,
    put_back: &PutBack<'_>,
) -> Result<Lowered, Trouble> {
    let mut desk = Desk::new(sheets, read);
    let mut before = HashMap::new();
    let items = put_back.items.iter().try_for_each(|id| match put_back.run.item(id) {
        Some(item) => restore_item(&mut desk, put_back, &mut before, item),
        None => take_out(&mut desk, put_back.run, id),
    });
    let outcome = items.and_then(|()| match put_back.own_row {
        OwnRow::PutBack => restore_run(&mut desk, put_back.run),
        OwnRow::Stays => Ok(()),
    });
    desk.close(outcome)
}

fn restore_item(
    desk: &mut Desk<'_>,
    put_back: &PutBack<'_>,
    before: &mut HashMap<String, Option<Sheet>>,
    item: &Item,
) -> Result<(), Trouble> {
    let (run, protocol) = (put_back.run, desk.protocol());
    let Some((path, level)) = protocol.document_of(&run.id, item).zip(protocol.levels.get(item.level)) else {
        return Ok(());
    };
    let short = protocol.hierarchy.short_id(&item.id);
    let old = before
        .entry(path.clone())
        .or_insert_with(|| (put_back.before)(&path).and_then(|text| Sheet::read(&path, &level.layout, &text).ok()));
    let old = old.as_mut().and_then(|old| {
        let row = old.find(short)?;
        Some(item_row::planned(old, &level.layout, row, item))
    });
    let planned = old.unwrap_or_else(|| item_row::of_item(item));
    let sheet = desk.sheet_or_new(&path)?;
    let Some(row) = sheet.find(short) else { return put_item(desk, run, item, &planned) };
    for (field, value) in item_row::cells(protocol.hierarchy, &level.layout, &run.id, item, &planned) {
        if !reads_the_same(sheet, protocol, row, field, item, &run.id) {
            sheet.set(row, field, &value)?;
        }
    }
    Ok(())
}

/// Whether a cell reads as the state says, however it is written. What the state does not know is a person's own.
fn reads_the_same(sheet: &mut Sheet, protocol: &Protocol, row: usize, field: Field, item: &Item, run_id: &str) -> bool {
    let is_key = protocol.levels.get(item.level).is_some_and(|level| level.layout.place_of(field) == Some(0));
    if is_key {
        return true;
    }
    let text = sheet.value(row, field);
    match field {
        Field::Status => read_state(&text) == Some(item.state),
        Field::Run => bare(&text) == run_id,
        Field::Parent => bare(&text) == protocol.hierarchy.short_id(item.parent.as_deref().unwrap_or_default()),
        Field::Guidelines => {
            let read = paths::read_paths(&text);
            read.iter().map(|entry| own_path(run_id, &entry.path)).eq(item.guidelines.iter().cloned())
        }
        Field::Procedure => text.trim().is_empty() != item.by_tools,
        Field::Folder => own_folder(run_id, &text) == item.folder,
        Field::Purpose if item.action.is_some() => Action::split(&text).0.or(Some(Action::Add)) == item.action,
        Field::Name => text == item.name,
        Field::Order => bare(&text).parse() == Ok(item.order),
        Field::Inputs => {
            paths::read_paths(&text).iter().map(|entry| own_path(run_id, &entry.path)).eq(item.inputs.iter().cloned())
        }
        Field::Output => own_path(run_id, &text) == item.output,
        Field::PreTool => text.trim().is_empty() != item.pre,
        Field::PostTool => text.trim().is_empty() != item.post,
        Field::Timing => crate::spelling::read_timing(&text) == item.timing,
        _ => true,
    }
}

/// A row that the state does not know goes, from whichever document of the run has it.
fn take_out(desk: &mut Desk<'_>, run: &Run, id: &str) -> Result<(), Trouble> {
    let short = desk.protocol().hierarchy.short_id(id);
    for path in desk.protocol().documents_of_id(&run.id, id) {
        let row = desk.look(&path)?.and_then(|sheet| sheet.find(short));
        if let Some(row) = row {
            desk.sheet(&path)?.remove(row)?;
        }
    }
    Ok(())
}

fn restore_run(desk: &mut Desk<'_>, run: &Run) -> Result<(), Trouble> {
    let stands = Standing::of(desk.protocol().hierarchy, run);
    let runs = &desk.protocol().runs;
    let sheet = desk.sheet(runs.path)?;
    let row = sheet.find(&run.id).ok_or_else(|| vanished(runs.path, sheet.line(None), &run.id))?;
    for column in runs.layout.columns {
        match column.field {
            Field::Status if read_status(&sheet.value(row, Field::Status)) != Some(stands.status) => {
                sheet.set(row, Field::Status, status_word(stands.status))?;
            }
            Field::Current(level) => {
                let ids = read_ids(&sheet.value(row, column.field));
                if Some(&ids) != stands.current.get(level) {
                    sheet.set(row, column.field, &stands.cell(level))?;
                }
            }
            _ => {}
        }
    }
    Ok(())
}
