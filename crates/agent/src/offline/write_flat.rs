//! A paper in the forms that programs read: CSV, JSON, plain text.

use serde_json::{Value, json};

use super::paper::{Body, Cite, Kind, Paper};
use super::tongue;
use super::words::Language;

/// One line for each statement or row: section, text, sources.
fn entries(paper: &Paper, language: Language) -> Vec<(String, String, Vec<String>)> {
    let shown = |cites: &[Cite]| cites.iter().map(Cite::shown).collect();
    let mut found = Vec::new();
    for section in &paper.sections {
        // What is said of the whole paper stands under its summary.
        if section.kind == Kind::Summary && !section.note.is_empty() {
            found.push((tongue::title(language, section), tongue::note(language, section), Vec::new()));
        }
        match &section.body {
            Body::Statements(statements) => {
                for one in statements {
                    let places: Vec<Cite> = one.places().cloned().collect();
                    let quotes = one.quotes.iter().map(|quote| format!(" “{}” ({})", quote.text, quote.cite.shown()));
                    let said = tongue::statement(language, section.kind, &one.text);
                    let text = format!("{said}{}", quotes.collect::<String>());
                    found.push((tongue::title(language, section), text, shown(&places)));
                }
            }
            Body::Rows { header, rows } => found.extend(rows.iter().map(|row| {
                let cells: Vec<String> = header
                    .iter()
                    .zip(&row.cells)
                    .filter(|(_, cell)| !cell.is_empty())
                    .map(|(head, cell)| format!("{}: {cell}", tongue::head(language, section.kind, head)))
                    .collect();
                (tongue::title(language, section), cells.join("; "), shown(row.cites.as_slice()))
            })),
        }
    }
    found
}

pub(crate) fn csv(paper: &Paper, language: Language) -> String {
    // A cell that begins like a formula would be one in a spreadsheet.
    let cell = |text: &str| {
        let guard = if text.starts_with(['=', '+', '-', '@']) { "'" } else { "" };
        format!("\"{guard}{}\"", text.replace('"', "\"\"").replace(['\n', '\r'], " "))
    };
    let mut out = "section,statement,source\n".to_owned();
    out.push_str(&format!("{},{},\"\"\n", cell("Note"), cell(tongue::phrase(language, "note"))));
    for (section, text, cites) in entries(paper, language) {
        out.push_str(&format!("{},{},{}\n", cell(&section), cell(&text), cell(&cites.join("; "))));
    }
    out
}

pub(crate) fn json(paper: &Paper, language: Language) -> String {
    let statements: Vec<Value> = entries(paper, language)
        .into_iter()
        .map(|(section, text, cites)| json!({"section": section, "statement": text, "sources": cites}))
        .collect();
    let value = json!({"title": paper.title, "note": tongue::phrase(language, "note"), "statements": statements});
    format!("{value:#}\n")
}

pub(crate) fn text(paper: &Paper, language: Language) -> String {
    let mut out = format!("{}\n\n{}\n", paper.title, tongue::phrase(language, "note"));
    let mut last = String::new();
    for (section, text, cites) in entries(paper, language) {
        if section != last {
            out.push_str(&format!("\n{section}\n\n"));
            last = section;
        }
        let places = if cites.is_empty() { String::new() } else { format!(" ({})", cites.join(", ")) };
        out.push_str(&format!("- {text}{places}\n"));
    }
    out
}
