//! Claims of tables: each number is one, about what its row and its column are called.
//!
//! Owns the reading of heads and labels. It must not know how claims are compared.

use std::collections::BTreeSet;

use super::cells;
use super::claims::{Claim, Origin, Said, Subject};
use super::columns::{self, Column, ColumnKind};
use super::dates::{Period, plain_digits};
use super::figures::Decimal;
use super::place::{Place, Surroundings};
use super::read::{Cell, Table};
use super::tables;
use super::units;
use super::vocabulary::{self, Part};
use super::words::{self, Script};

/// What the rows of a table have in common.
struct Sheet<'a> {
    table: &'a Table,
    decimal: Decimal,
    columns: Vec<Column>,
    labels: Vec<usize>,
    /// The column that says the unit of the others.
    unit: Option<usize>,
    place: Surroundings,
    /// Whether every day that is named is the first of one of several months.
    is_monthly: bool,
}

pub(crate) fn from_table(place: &Place<'_>, table: &Table) -> Vec<Claim> {
    let decimal = table.decimal(place.decimal);
    let columns = columns::columns(table, decimal);
    let labels = label_columns(table, &columns);
    if is_log(table, &columns, &labels) {
        return Vec::new();
    }
    let mut surroundings = place.surroundings();
    for index in &labels {
        surroundings.words.extend(columns[*index].words.iter().cloned());
    }
    let is_unit = |index: &usize| {
        let head = table.header[*index].to_lowercase();
        ["unit", "units", "einheit", "unité", "unidad", "единица", "단위", "単位", "单位"].contains(&head.as_str())
    };
    let unit = (0..columns.len()).find(is_unit);
    let days: BTreeSet<Period> =
        table.rows.iter().flatten().filter_map(|cell| columns::lone_period(&cell.text)).collect();
    let is_monthly = days.len() > 1 && days.iter().all(|day| matches!(day, Period::Day(_, _, 1)));
    let sheet = Sheet { table, decimal, columns, labels, unit, place: surroundings, is_monthly };
    table.rows.iter().flat_map(|row| from_row(place, &sheet, row)).collect()
}

fn from_row(place: &Place<'_>, sheet: &Sheet<'_>, row: &[Cell]) -> Vec<Claim> {
    let columns = &sheet.columns;
    let row_period = (0..columns.len())
        .filter(|index| columns[*index].kind == ColumnKind::Period)
        // When a ship was built does not say when it was measured.
        .filter(|index| tables::is_course(sheet.table, *index, &sheet.labels))
        .find_map(|index| columns::period_in(sheet.table, index, &row[index].text))
        .map(|period| match period {
            // Rows that are all of the first of a month are of months.
            Period::Day(year, month, 1) if sheet.is_monthly => Period::Month(year, month),
            period => period,
        });
    let mut subject = Subject::default();
    let mut is_plan = place.is_plan();
    for index in sheet.labels.iter().filter(|index| Some(**index) != sheet.unit) {
        label(&row[*index].text, &mut subject, &mut is_plan);
    }
    let mut found = Vec::new();
    for (index, column) in columns.iter().enumerate().filter(|(_, column)| column.kind == ColumnKind::Number) {
        let period = row_period.or(column.period).or(place.period());
        let mut own = subject.clone();
        if column.words.is_empty() && !own.words.iter().any(|word| vocabulary::is_measure(word)) {
            own.words.extend(place.nearest_heading());
        }
        own.words.extend(column.words.iter().cloned());
        own.shown.extend(column.shown.iter().cloned());
        own.action = column.action;
        if is_plan || column.is_plan {
            own.words.insert("(planned)".to_owned());
        }
        found.extend(from_cell(place, sheet, row, index, own, period));
    }
    found
}

/// Takes the words of a label: whatever tells one row from another, also numbers and single letters.
fn label(text: &str, subject: &mut Subject, is_plan: &mut bool) {
    const WITH: [&str; 9] = ["with", "mit", "avec", "con", "com", "met", "including", "inklusive", "incl"];
    let chars = plain_digits(text);
    let mut is_besides = false;
    for word in words::words(&chars) {
        let lower = word.text.to_lowercase();
        // "Auditorium with gallery": what it has besides does not name it.
        is_besides |= !subject.names.is_empty() && WITH.contains(&lower.as_str());
        let made = match words::key(&word) {
            Some(key) => match vocabulary::part(&key, &lower) {
                // Poggio Alto is a name, whatever its second word means.
                Part::Subject(made)
                    if made != key && !subject.names.is_empty() && words::is_capitalised(&word.text) =>
                {
                    Some(key)
                }
                Part::Subject(made) => Some(made),
                Part::Plan => {
                    *is_plan = true;
                    None
                }
                Part::Share | Part::Change(_) | Part::Action(_) | Part::Event(_) => Some(lower),
                _ => None,
            },
            None => {
                let is_letter = word.text.chars().count() == 1 && words::is_capitalised(&word.text);
                (word.script != Script::Hiragana && (is_letter || !words::is_stop(&lower))).then_some(lower)
            }
        };
        if let Some(made) = made {
            // A lone sign is no word of a sentence.
            if is_besides || made.chars().count() == 1 && word.script == Script::Han {
                subject.loose.insert(made.clone());
            } else if !vocabulary::is_common(&made) {
                subject.names.insert(made.clone());
            }
            subject.words.insert(made);
        }
    }
    if !text.trim().is_empty() {
        subject.shown.push(text.trim().to_owned());
    }
}

fn from_cell(
    place: &Place<'_>,
    sheet: &Sheet<'_>,
    row: &[Cell],
    index: usize,
    subject: Subject,
    period: Option<Period>,
) -> Option<Claim> {
    let cell = &row[index];
    let column = &sheet.columns[index];
    let mut figure = cells::cell(&cell.text, sheet.decimal)?;
    if figure.unit.is_empty() {
        figure.unit.clone_from(&column.unit);
        figure.scale(column.factor);
        if let Some(written) = sheet.unit.map(|unit| row[unit].text.trim().to_lowercase()) {
            let mut factor = 1.0;
            for word in written.split_whitespace() {
                if let Some((name, more)) = units::unit(word) {
                    name.clone_into(&mut figure.unit);
                    factor *= more;
                } else if let Some(more) = units::scale(word) {
                    factor *= more;
                }
            }
            figure.scale(factor);
        }
    }
    Some(Claim {
        path: place.path.to_owned(),
        line: cell.line,
        lines: (cell.line, cell.line),
        subject,
        place: sheet.place.clone(),
        language: place.language,
        period,
        origin: Origin::Own,
        said: Said::Value(figure),
        quote: quote(sheet.table, row),
        written: cell.text.trim().to_owned(),
        is_row: true,
    })
}

/// A row in words: each head with its cell.
pub(crate) fn quote(table: &Table, row: &[Cell]) -> String {
    let cells = table.header.iter().zip(row).filter(|(_, cell)| !cell.text.is_empty());
    cells.map(|(head, cell)| format!("{head}: {}", cell.text)).collect::<Vec<_>>().join("; ")
}

/// The first label column, and as many more as it takes to tell the rows apart.
pub(crate) fn label_columns(table: &Table, columns: &[Column]) -> Vec<usize> {
    let of = |kind: ColumnKind| (0..columns.len()).filter(move |index| columns[*index].kind == kind);
    let mut candidates: Vec<usize> = of(ColumnKind::Label).collect();
    // Prose speaks of names, not of numbers with letters.
    candidates.sort_by_key(|label| columns::is_coded(table, *label));
    // When each thing was built does not tell rows apart in time.
    let periods: Vec<usize> = of(ColumnKind::Period).filter(|by| tables::is_course(table, *by, &candidates)).collect();
    for count in 1..candidates.len() {
        let chosen = &candidates[..count];
        if distinct(table, chosen.iter().chain(&periods).copied()) == table.rows.len() {
            return chosen.to_vec();
        }
    }
    candidates
}

fn distinct(table: &Table, columns: impl Iterator<Item = usize>) -> usize {
    let columns: Vec<usize> = columns.collect();
    let rows: BTreeSet<Vec<&str>> =
        table.rows.iter().map(|row| columns.iter().map(|index| row[*index].text.as_str()).collect()).collect();
    rows.len()
}

/// Whether rows are events of which many have the same label: then no two of them need agree.
fn is_log(table: &Table, columns: &[Column], labels: &[usize]) -> bool {
    let periods = (0..columns.len()).filter(|index| columns[*index].kind == ColumnKind::Period);
    let repeated = table.rows.len() - distinct(table, labels.iter().copied().chain(periods));
    repeated > 1 && repeated * 10 > table.rows.len()
}
