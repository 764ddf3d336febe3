//! A run that takes over what another one planned and did: its rows are made from the other's, and what is done is in
//! the catalog under its own paths. Must not copy files: it names them.

use machine::{FileNote, Item, Run, State};
use syntax::markdown::paths;

use crate::desk::Desk;
use crate::item_row;
use crate::layout::Field;
use crate::lower::{FAMILIES, put_item, register};
use crate::trouble::Trouble;

pub(crate) fn take_over(desk: &mut Desk<'_>, run: &Run, from: &str, items: &[Item]) -> Result<(), Trouble> {
    for taken in items {
        // The state after the step counts: what was taken over may have moved on in it.
        let Some(item) = run.item(&taken.id) else { continue };
        let row = old_row(desk, from, item)?;
        put_item(desk, run, item, &row)?;
        // A run that takes up what it did itself is in the catalog already.
        let is_known = from == run.id && is_registered(desk, run, &item.output)?;
        if item.state == State::Completed && !item.output.is_empty() && !is_known {
            let file = old_file(desk, run, from, item)?;
            register(desk, run, &item.id, &file)?;
        }
    }
    Ok(())
}

fn is_registered(desk: &mut Desk<'_>, run: &Run, path: &str) -> Result<bool, Trouble> {
    let catalog = desk.protocol().catalog_path(&run.id);
    Ok(desk.look(&catalog)?.is_some_and(|sheet| sheet.find(path).is_some()))
}

/// The item with what its row in the other run says of it; without that row, with what the state knows.
fn old_row(desk: &mut Desk<'_>, from: &str, item: &Item) -> Result<machine::Planned, Trouble> {
    let protocol = desk.protocol();
    let Some((path, level)) = protocol.document_of(from, item).zip(protocol.levels.get(item.level)) else {
        return Ok(item_row::of_item(item));
    };
    let Some(sheet) = desk.look(&path)? else { return Ok(item_row::of_item(item)) };
    Ok(match sheet.find(protocol.hierarchy.short_id(&item.id)) {
        Some(row) => item_row::planned(sheet, &level.layout, row, item),
        None => item_row::of_item(item),
    })
}

/// The output of an item as the catalog knows it from the other run.
fn old_file(desk: &mut Desk<'_>, run: &Run, from: &str, item: &Item) -> Result<FileNote, Trouble> {
    let old = ["runs", "outputs"].iter().find_map(|folder| {
        let rest = item.output.strip_prefix(&format!("{folder}/{}/", run.id))?;
        Some(format!("{folder}/{from}/{rest}"))
    });
    let old = old.unwrap_or_else(|| item.output.clone());
    let catalog = desk.protocol().catalog_path(from);
    let mut sheet = desk.look(&catalog)?;
    let row = sheet.as_mut().and_then(|sheet| sheet.find(&old));
    let mut cell =
        |field: Field| sheet.as_mut().zip(row).map(|(sheet, row)| sheet.value(row, field)).unwrap_or_default();
    let (asset_type, summary) = (cell(Field::AssetType), cell(Field::Summary));
    let (lineage, sources) = (cell(Field::Lineage), cell(Field::SourceFiles));
    let lineage = lineage.split(FAMILIES).map(str::to_owned).filter(|family| !family.is_empty()).collect();
    let sources = paths::read_paths(&sources).into_iter().map(|entry| entry.path).collect();
    let summary = if summary.is_empty() { item.name.clone() } else { summary };
    let summary = if from == run.id { summary } else { format!("{summary} (taken over from {old})") };
    Ok(FileNote { path: item.output.clone(), asset_type, summary, lineage, sources, digest: String::new() })
}
