//! What a project begins with: its folders, its documents, the template of phases, and whether that is still the same.
//! Must not make anything itself.

use machine::Planned;
use syntax::Document;
use syntax::markdown::cells;
use text::Text;

use crate::layout::{Field, Layout, Protocol, SettingsDocument};
use crate::sheet::{columns_of, find_table};

/// The documents of a new project.
pub(crate) fn documents(protocol: &'static Protocol) -> Vec<(&'static str, String)> {
    let settings = std::iter::once(&protocol.template).chain(&protocol.template_below);
    let settings: Vec<&SettingsDocument> = settings.collect();
    let rows = |path: &str| {
        let fitting = settings.iter().find(|one| one.document.path == path);
        fitting.map(|settings| rows_of(settings)).unwrap_or_default()
    };
    let catalog = Some(&protocol.catalog).filter(|_| !protocol.has_catalogs());
    let global = protocol.global().into_iter().chain(catalog);
    let mut all: Vec<(&'static str, String)> =
        global.map(|document| (document.path, document.layout.new_document() + &rows(document.path))).collect();
    let procedures = protocol.procedures.layout.as_ref();
    all.extend(procedures.map(|layout| (protocol.procedures.path, layout.new_document())));
    all
}

/// The rows of the template if it is the one the protocol began with, else the difference, line by line. Blanks,
/// padding and the text around the table do not matter.
pub(crate) fn check_template(protocol: &Protocol, text: &Text) -> Result<Vec<Planned>, String> {
    let SettingsDocument { document, rows } = &protocol.template;
    let expected = rows.iter().map(|row| row.iter().map(|cell| normal(cell)).collect());
    let expected: Vec<Vec<String>> = expected.collect();
    let headers = document.layout.columns.iter().map(|column| normal(column.header)).collect();
    let found = template_table(&document.layout, text);
    let wanted: Vec<Vec<String>> = [vec![headers], expected].concat();
    if found != wanted {
        return Err(difference(&wanted, &found));
    }
    let mut phases = Vec::with_capacity(rows.len());
    for (order, row) in (1..).zip(*rows) {
        let mut planned = Planned { order: Some(order), ..Planned::default() };
        for (column, cell) in document.layout.columns.iter().zip(*row) {
            match column.field {
                Field::Id => planned.id = Some((*cell).to_owned()),
                Field::Name => planned.name = (*cell).to_owned(),
                Field::Purpose => planned.purpose = (*cell).to_owned(),
                _ => {}
            }
        }
        phases.push(planned);
    }
    Ok(phases)
}

/// The rows that a document of settings begins with.
fn rows_of(settings: &SettingsDocument) -> String {
    let write = |cell: &&str| cells::encode(cell).map(std::borrow::Cow::into_owned).unwrap_or_default();
    let row = |row: &&[&str]| format!("| {} |\n", row.iter().map(write).collect::<Vec<_>>().join(" | "));
    settings.rows.iter().map(row).collect()
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
