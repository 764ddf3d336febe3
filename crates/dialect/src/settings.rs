//! What people say a run is made of: their phases and stages, read row by row. Every mistake is a problem with its line
//! and column, and with one nothing may begin (LN-13). Must not make documents.

use std::collections::HashMap;

use machine::Planned;
use syntax::{Document, Row, Table};
use text::Text;

use crate::layout::{Field, Protocol, SettingsDocument};
use crate::lift::place_of;
use crate::sheet::{columns_of, find_table};
use crate::spelling::bare;
use crate::tables::Cells;
use crate::trouble::Problem;

/// What a run is made of.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Phases {
    /// The outermost items, in order.
    pub phases: Vec<Planned>,
    /// Those below each of them, in order; nothing where these are planned.
    pub stages: Vec<Planned>,
}

/// The column by which a stage can be kept to some phases.
const KEPT_TO: &str = "phase_name";

/// The most rows that settings may have.
const ROWS: usize = 500;

pub(crate) fn read(protocol: &'static Protocol, read: &dyn Fn(&str) -> Option<Text>) -> Result<Phases, Vec<Problem>> {
    let mut phases = Reading::new(&protocol.template);
    phases.read(read(protocol.template.document.path));
    let mut problems = std::mem::take(&mut phases.problems);
    let Some(below) = &protocol.template_below else {
        return done(Phases { phases: phases.rows, stages: Vec::new() }, problems);
    };
    let mut stages = Reading::new(below);
    stages.knows_phases = problems.is_empty();
    stages.phases = phases.rows.iter().map(|row| row.name.clone()).collect();
    stages.read(read(below.document.path));
    problems.append(&mut stages.problems);
    let is_read = problems.is_empty();
    for phase in &phases.rows {
        if is_read && !stages.rows.iter().any(|stage| stage.is_for(&phase.name)) {
            let reason = format!("no stage is for the phase `{}`; every phase needs one", phase.name);
            problems.push(Problem { path: below.document.path.to_owned(), line: 1, column: 1, reason });
        }
    }
    done(Phases { phases: phases.rows, stages: stages.rows }, problems)
}

fn done(phases: Phases, problems: Vec<Problem>) -> Result<Phases, Vec<Problem>> {
    if problems.is_empty() { Ok(phases) } else { Err(problems) }
}

/// One document of settings that is being read.
struct Reading {
    settings: &'static SettingsDocument,
    /// The phases that a stage may be kept to.
    phases: Vec<String>,
    knows_phases: bool,
    rows: Vec<Planned>,
    /// The line of each name.
    names: HashMap<String, usize>,
    problems: Vec<Problem>,
}

impl Reading {
    fn new(settings: &'static SettingsDocument) -> Self {
        Self {
            settings,
            phases: Vec::new(),
            knows_phases: false,
            rows: Vec::new(),
            names: HashMap::new(),
            problems: Vec::new(),
        }
    }

    fn problem(&mut self, (line, column): (usize, usize), reason: impl Into<String>) {
        let path = self.settings.document.path.to_owned();
        self.problems.push(Problem { path, line, column, reason: reason.into() });
    }

    fn read(&mut self, text: Option<Text>) {
        let layout = &self.settings.document.layout;
        let Some(text) = text else {
            return self.problem((1, 1), "the document is missing; `multiverse init` makes one to begin with");
        };
        let document = Document::parse(text);
        if document.is_read_only() {
            return self.problem((1, 1), "the document is not UTF-8; save it as UTF-8");
        }
        let headers: Vec<&str> = layout.columns.iter().map(|column| column.header).collect();
        let Some(table) = find_table(&document, layout) else {
            let headers = headers.join(" | ");
            let reason = format!("there is no table with the column `{}`; its header is | {headers} |", layout.key());
            return self.problem((1, 1), reason);
        };
        let columns = columns_of(&table, layout);
        for (column, _) in layout.columns.iter().zip(&columns).filter(|(_, found)| found.is_none()) {
            let reason =
                format!("the column `{}` is missing; the header is | {} |", column.name(), headers.join(" | "));
            self.problem((table.line(), end_of_header(&document, &table)), reason);
        }
        if !self.problems.is_empty() {
            return;
        }
        let rows = table.rows().filter(|row| !row.is_empty());
        for (number, row) in rows.enumerate() {
            if number == ROWS {
                self.problem((row.line(), 1), format!("there are more than {ROWS} rows"));
                return;
            }
            self.row(&document, &table, &Cells { layout, columns: &columns, row: &row });
        }
        if self.rows.is_empty() && self.problems.is_empty() {
            self.problem((table.line(), 1), "the table has no rows; at least one is needed");
        }
    }

    fn row(&mut self, document: &Document, table: &Table<'_>, cells: &Cells<'_>) {
        let layout = cells.layout;
        let mut row = Planned::default();
        for column in layout.columns {
            let text = cells.text(column.field).trim().to_owned();
            let place = place_of(document, cells, column.field);
            if text.is_empty() && column.need == crate::layout::Need::Required {
                self.problem(place, format!("`{}` is empty", column.name()));
            }
            match column.field {
                Field::Name => row.name = bare(&text).to_owned(),
                Field::Purpose => row.purpose = text,
                Field::Folder => row.folder = self.folder(&text, place),
                _ => drop(row.more.insert(column.name().to_owned(), text)),
            }
        }
        let place = place_of(document, cells, Field::Name);
        if let Some(line) = self.names.get(&row.name).filter(|_| !row.name.is_empty()) {
            let reason = format!("`{}` is there already, on line {line}; names are unique", row.name);
            self.problem(place, reason);
        }
        self.names.entry(row.name.clone()).or_insert(cells.row.line());
        if layout.place_of(Field::Folder).is_some() {
            row.more.insert("phase_reason".into(), reason_of(&row));
        }
        self.kept_to(document, table, cells.row, &mut row);
        self.rows.push(row);
    }

    /// The phases that a stage is kept to, where the table has a column for that: each must be there.
    fn kept_to(&mut self, document: &Document, table: &Table<'_>, cells: &Row<'_>, row: &mut Planned) {
        let is_own = self.settings.document.layout.key() == KEPT_TO;
        let Some(column) = table.column(KEPT_TO).filter(|_| !is_own) else { return };
        let text = cells.value(column);
        let names: Vec<String> =
            text.split([',', '\n']).map(|name| bare(name).to_owned()).filter(|name| !name.is_empty()).collect();
        let is_unknown = |name: &&String| self.knows_phases && !self.phases.contains(name);
        for name in names.iter().filter(is_unknown).cloned().collect::<Vec<_>>() {
            let place = place_in(document, cells, column);
            let valid = self.phases.join(", ");
            self.problem(place, format!("there is no phase `{name}` that the stage could be for; valid: {valid}"));
        }
        if !names.is_empty() {
            row.keep_to(&names);
        }
    }

    /// The folder that a rule names: its first word that begins with `outputs/`.
    fn folder(&mut self, rule: &str, place: (usize, usize)) -> String {
        if matches!(rule, "" | "-" | "–" | "—") {
            return String::new();
        }
        let is_edge = |letter: char| {
            letter.is_whitespace() || matches!(letter, '`' | '"' | '\'' | ',' | ';' | '(' | ')' | '<' | '>')
        };
        let Some(folder) = rule.split(is_edge).find(|word| word.starts_with("outputs/")) else {
            self.problem(
                place,
                format!("{rule:?} names no folder below outputs/, such as outputs/{{phase_id}}_{{phase_name}}/"),
            );
            return String::new();
        };
        let folder = folder.trim_end_matches(['/', '.']);
        let plain = folder.replace("{phase_id}", "x").replace("{phase_name}", "x");
        if let Some(unknown) = plain.find(['{', '}']).map(|at| &plain[at..]) {
            let reason =
                format!("`{unknown}` stands for nothing; {{phase_id}} and {{phase_name}} stand for the phase's own");
            self.problem(place, reason);
        } else if plain == "outputs"
            || plain.split('/').any(|part| matches!(part, "" | "." | ".."))
            || plain.contains('\\')
        {
            self.problem(place, format!("`{folder}` is no folder below outputs/"));
        }
        folder.to_owned()
    }
}

/// Why a phase is there: for what it leaves.
fn reason_of(row: &Planned) -> String {
    match row.more.get("output").map(|output| output.trim()).filter(|output| !output.is_empty()) {
        Some(output) => format!("It is to leave: {output}"),
        None => "The settings have it.".into(),
    }
}

/// The ids in the list of procedures.
pub(crate) fn procedure_ids(protocol: &Protocol, text: &Text) -> Vec<String> {
    let Some(layout) = &protocol.procedures.layout else { return Vec::new() };
    let document = Document::parse(text.clone());
    let Some(table) = find_table(&document, layout) else { return Vec::new() };
    let columns = columns_of(&table, layout);
    let ids = table.rows().map(|row| Cells { layout, columns: &columns, row: &row }.word(Field::Id));
    ids.filter(|id| !id.is_empty()).collect()
}

/// Line and column of a cell, from 1.
fn place_in(document: &Document, row: &Row<'_>, column: usize) -> (usize, usize) {
    let start = row.span().start;
    let at = row.cell(column).map_or(start, |cell| cell.trimmed.start);
    (row.line(), column_at(document, start, at))
}

/// Where the header ends: what is missing would follow there.
fn end_of_header(document: &Document, table: &Table<'_>) -> usize {
    let start = table.span().start;
    let at = table.columns().last().map_or(start, |column| column.span.end);
    column_at(document, start, at)
}

fn column_at(document: &Document, row: usize, at: usize) -> usize {
    let start = document.text().line(document.text().line_at(row)).start;
    String::from_utf8_lossy(&document.text().slice(start..at)).chars().count() + 1
}
