//! The row of an item: from the plan to its cells, and from its cells to an object for a brief. Must not know where the
//! row stands.

use machine::{Hierarchy, Item, Planned, Run};
use serde_json::{Map, Value};
use syntax::markdown::paths;
use text::Text;

use crate::layout::{Field, Layout};
use crate::sheet::Sheet;
use crate::sheets::Sheets;
use crate::spelling::{state_word, timing_word};
use crate::trouble::Trouble;

/// The cells of a planned item.
pub(crate) fn cells(
    hierarchy: &Hierarchy,
    layout: &Layout,
    run_id: &str,
    item: &Item,
    row: &Planned,
) -> Vec<(Field, String)> {
    let short = |id: &str| hierarchy.short_id(id).to_owned();
    let value = |name: &str, field: Field| match field {
        Field::Id => short(&item.id),
        Field::Run => run_id.to_owned(),
        Field::Parent => item.parent.as_deref().map(short).unwrap_or_default(),
        Field::Name => row.name.clone(),
        Field::Purpose => row.purpose.clone(),
        Field::Inputs => paths::write_paths(&row.inputs),
        Field::Output => row.output.clone(),
        Field::Guidelines => paths::write_paths(&row.guidelines),
        Field::Folder => row.folder.clone(),
        Field::Procedure => row.procedure.clone(),
        Field::PreTool => row.pre.clone(),
        Field::PostTool => row.post.clone(),
        Field::Timing => item.timing.map(timing_word).unwrap_or_default().to_owned(),
        Field::Tool => row.tool.clone(),
        Field::Order => item.order.to_string(),
        Field::Status => state_word(item.state).to_owned(),
        _ => row.more.get(name).cloned().unwrap_or_default(),
    };
    layout.columns.iter().map(|column| (column.field, value(column.name(), column.field))).collect()
}

/// What a row says of an item beyond what the state knows: purposes, the tool, columns of one protocol's own.
pub(crate) fn planned(sheet: &mut Sheet, layout: &Layout, row: usize, item: &Item) -> Planned {
    let mut planned = of_item(item);
    for column in layout.columns {
        let text = sheet.value(row, column.field);
        match column.field {
            Field::Purpose => planned.purpose = text,
            Field::PreTool => planned.pre = text,
            Field::PostTool => planned.post = text,
            Field::Tool => planned.tool = text,
            Field::Procedure => planned.procedure = text,
            Field::More(_) => {
                planned.more.insert(column.name().to_owned(), text);
            }
            _ => {}
        }
    }
    planned
}

/// All that the state knows of an item.
pub(crate) fn of_item(item: &Item) -> Planned {
    // That tools are wanted is known, what for is not.
    let wanted = |wanted: bool| if wanted { item.name.clone() } else { String::new() };
    Planned {
        id: Some(item.id.clone()),
        name: item.name.clone(),
        order: Some(item.order),
        inputs: item.inputs.clone(),
        output: item.output.clone(),
        guidelines: item.guidelines.clone(),
        folder: item.folder.clone(),
        procedure: wanted(item.by_tools),
        pre: wanted(item.pre),
        post: wanted(item.post),
        timing: item.timing,
        ..Planned::default()
    }
}

/// The row of an item as an object with the protocol's column names; nothing if no document of the run has it.
pub(crate) fn object(
    sheets: &mut Sheets,
    read: &dyn Fn(&str) -> Option<Text>,
    run: &Run,
    id: &str,
) -> Result<Option<Map<String, Value>>, Trouble> {
    let protocol = sheets.protocol();
    let paths = match run.item(id) {
        Some(item) => protocol.document_of(&run.id, item).into_iter().collect(),
        None => protocol.documents_of_id(&run.id, id),
    };
    for path in paths {
        let Some(sheet) = sheets.load(&path, || read(&path))? else { continue };
        if let Some(row) = sheet.find(protocol.hierarchy.short_id(id)) {
            return Ok(Some(row_object(sheet, row)));
        }
    }
    Ok(None)
}

fn row_object(sheet: &mut Sheet, row: usize) -> Map<String, Value> {
    let mut object = Map::with_capacity(sheet.layout().columns.len());
    for (column, text) in sheet.values(row) {
        let value = match column.field {
            Field::Inputs | Field::Guidelines => {
                paths::read_paths(&text).into_iter().map(|entry| Value::from(entry.path)).collect()
            }
            Field::Order => text.parse::<u32>().map_or_else(|_| Value::from(text), Value::from),
            _ => Value::from(text),
        };
        object.insert(column.name().to_owned(), value);
    }
    object
}
