//! What a project begins with: its folders, its documents, the template of phases, and whether that is still the same.
//! Must not make anything itself.

use machine::Planned;
use syntax::Document;
use syntax::markdown::cells;
use text::Text;

use crate::layout::{Layout, Protocol};
use crate::sheet::{columns_of, find_table};

/// The documents of a new project.
pub(crate) fn documents(protocol: &'static Protocol) -> Vec<(&'static str, String)> {
    let global = [&protocol.template, &protocol.runs, &protocol.catalog, &protocol.instructions];
    let text = |path: &str, layout: &Layout| match path == protocol.template.path {
        true => layout.new_document() + &template_rows(protocol).concat(),
        false => layout.new_document(),
    };
    global.into_iter().map(|document| (document.path, text(document.path, &document.layout))).collect()
}

/// The rows of the template if it is the one the protocol began with, else the difference, line by line. Blanks,
/// padding and the text around the table do not matter.
pub(crate) fn check_template(protocol: &Protocol, text: &Text) -> Result<Vec<Planned>, String> {
    let expected: Vec<Vec<String>> = protocol.template_rows.iter().map(|row| row.map(normal).to_vec()).collect();
    let headers = protocol.template.layout.columns.iter().map(|column| normal(column.header)).collect();
    let found = template_table(&protocol.template.layout, text);
    let wanted: Vec<Vec<String>> = [vec![headers], expected].concat();
    if found != wanted {
        return Err(difference(&wanted, &found));
    }
    Ok((1..)
        .zip(protocol.template_rows)
        .map(|(order, [id, name, purpose])| Planned {
            id: Some((*id).to_owned()),
            name: (*name).to_owned(),
            purpose: (*purpose).to_owned(),
            order: Some(order),
            ..Planned::default()
        })
        .collect())
}

fn template_rows(protocol: &Protocol) -> Vec<String> {
    let write = |cell: &&str| cells::encode(cell).map(std::borrow::Cow::into_owned).unwrap_or_default();
    let row = |row: &[&str; 3]| format!("| {} |\n", row.iter().map(write).collect::<Vec<_>>().join(" | "));
    protocol.template_rows.iter().map(row).collect()
}

/// The header and the rows of the table, blanks evened out. Rows that are wholly empty are left out.
fn template_table(layout: &Layout, text: &Text) -> Vec<Vec<String>> {
    let document = Document::parse(text.clone());
    let Some(table) = find_table(&document, layout) else { return Vec::new() };
    // The columns in the order of the protocol, and behind them those that do not belong here.
    let mut order: Vec<usize> = columns_of(&table, layout).into_iter().flatten().collect();
    order.extend((0..table.columns().len()).filter(|column| !order.contains(column)).collect::<Vec<_>>());
    let headers: Vec<String> = table.columns().iter().map(|column| normal(&column.header)).collect();
    let mut rows = vec![order.iter().filter_map(|column| headers.get(*column).cloned()).collect()];
    for row in table.rows().filter(|row| !row.is_empty()) {
        rows.push(order.iter().map(|column| normal(&row.value(*column))).collect());
    }
    rows
}

fn normal(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What is missing with a minus, what is too much with a plus, in the order of the rows.
fn difference(wanted: &[Vec<String>], found: &[Vec<String>]) -> String {
    let line = |sign: char, row: &Vec<String>| format!("{sign}| {} |\n", row.join(" | "));
    let mut lines = String::new();
    let missing = wanted.iter().filter(|row| !found.contains(row));
    let added = found.iter().filter(|row| !wanted.contains(row));
    missing.for_each(|row| lines.push_str(&line('-', row)));
    added.for_each(|row| lines.push_str(&line('+', row)));
    if lines.is_empty() {
        // The same rows, in another order or more than once.
        wanted.iter().for_each(|row| lines.push_str(&line('-', row)));
        found.iter().for_each(|row| lines.push_str(&line('+', row)));
    }
    lines
}
