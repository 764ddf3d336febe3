//! A paper in the forms that programs read: CSV, JSON, plain text.

use serde_json::{Value, json};

use super::paper::{Body, Cite, Kind, NOTE, Paper};

/// One line for each statement or row: section, text, sources.
fn entries(paper: &Paper) -> Vec<(String, String, Vec<String>)> {
    let shown = |cites: &[Cite]| cites.iter().map(Cite::shown).collect();
    let mut found = Vec::new();
    for section in &paper.sections {
        // What is said of the whole paper stands under its summary.
        if section.kind == Kind::Summary && !section.note.is_empty() {
            found.push((section.title(), section.note.clone(), Vec::new()));
        }
        match &section.body {
            Body::Statements(statements) => {
                for one in statements {
                    let places: Vec<Cite> = one.places().cloned().collect();
                    let quotes = one.quotes.iter().map(|quote| format!(" “{}” ({})", quote.text, quote.cite.shown()));
                    let text = format!("{}{}", one.text, quotes.collect::<String>());
                    found.push((section.title(), text, shown(&places)));
                }
            }
            Body::Rows { header, rows } => found.extend(rows.iter().map(|row| {
                let cells: Vec<String> = header
                    .iter()
                    .zip(&row.cells)
                    .filter(|(_, cell)| !cell.is_empty())
                    .map(|(head, cell)| format!("{head}: {cell}"))
                    .collect();
                (section.title(), cells.join("; "), shown(row.cites.as_slice()))
            })),
        }
    }
    found
}

pub(crate) fn csv(paper: &Paper) -> String {
    // A cell that begins like a formula would be one in a spreadsheet.
    let cell = |text: &str| {
        let guard = if text.starts_with(['=', '+', '-', '@']) { "'" } else { "" };
        format!("\"{guard}{}\"", text.replace('"', "\"\"").replace(['\n', '\r'], " "))
    };
    let mut out = "section,statement,source\n".to_owned();
    out.push_str(&format!("{},{},\"\"\n", cell("Note"), cell(NOTE)));
    for (section, text, cites) in entries(paper) {
        out.push_str(&format!("{},{},{}\n", cell(&section), cell(&text), cell(&cites.join("; "))));
    }
    out
}

pub(crate) fn json(paper: &Paper) -> String {
    let statements: Vec<Value> = entries(paper)
        .into_iter()
        .map(|(section, text, cites)| json!({"section": section, "statement": text, "sources": cites}))
        .collect();
    let value = json!({"title": paper.title, "note": NOTE, "statements": statements});
    format!("{value:#}\n")
}

pub(crate) fn text(paper: &Paper) -> String {
    let mut out = format!("{}\n\n{NOTE}\n", paper.title);
    let mut last = String::new();
    for (section, text, cites) in entries(paper) {
        if section != last {
            out.push_str(&format!("\n{section}\n\n"));
            last = section;
        }
        let places = if cites.is_empty() { String::new() } else { format!(" ({})", cites.join(", ")) };
        out.push_str(&format!("- {text}{places}\n"));
    }
    out
}
