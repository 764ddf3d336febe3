//! What the columns of a table add up to: lowest, highest, middle, mean, sum.
//!
//! Owns the arithmetic. It must not know what a table is about. Texts are counted, never interpreted.

use super::columns::lone_period;
use super::figures::{self, Decimal, Figure};
use super::limits;
use super::paper::{Cite, Row};
use super::read::{Cell, Table};

pub(crate) const HEADER: [&str; 7] = ["column", "values", "lowest", "highest", "median", "mean", "sum"];

/// One row for each column of numbers; for other columns, how many different values there are.
pub(crate) fn statistics(path: &str, table: &Table, decimal: Decimal) -> Vec<Row> {
    (0..table.header.len().min(limits::COLUMNS)).filter_map(|index| column(path, table, index, decimal)).collect()
}

fn column(path: &str, table: &Table, index: usize, decimal: Decimal) -> Option<Row> {
    let cells: Vec<(usize, &Cell)> = table
        .rows
        .iter()
        .enumerate()
        .map(|(row, cells)| (row, &cells[index]))
        .filter(|(_, cell)| !cell.text.is_empty())
        .collect();
    if cells.is_empty() {
        return None;
    }
    let name =
        if table.header[index].is_empty() { format!("column {}", index + 1) } else { table.header[index].clone() };
    let cites = vec![Cite::new(path, table.line)];
    let is_time = cells.iter().all(|(_, cell)| lone_period(&cell.text).is_some());
    let mut values: Vec<(f64, usize)> = cells
        .iter()
        .filter_map(|(row, cell)| figures::cell(&cell.text, decimal).map(|figure| (middle(&figure), *row)))
        .collect();
    let blank = String::new;
    if is_time || values.len() * 10 < cells.len() * 8 {
        let mut texts: Vec<&str> = cells.iter().map(|(_, cell)| cell.text.as_str()).collect();
        texts.sort_unstable();
        texts.dedup();
        let count = format!("{} ({} different)", cells.len(), texts.len());
        let (first, last) = if is_time { (texts[0], texts[texts.len() - 1]) } else { ("", "") };
        return Some(Row {
            cells: vec![name, count, first.to_owned(), last.to_owned(), blank(), blank(), blank()],
            cites,
        });
    }
    values.sort_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)));
    let count = values.len();
    let median =
        if count % 2 == 1 { values[count / 2].0 } else { f64::midpoint(values[count / 2 - 1].0, values[count / 2].0) };
    let sum: f64 = values.iter().map(|(value, _)| value).sum();
    let mean = sum / count as f64;
    let named = |(value, row): (f64, usize)| {
        let label = label(table, row, decimal);
        if label.is_empty() { shown(value) } else { format!("{} ({label})", shown(value)) }
    };
    Some(Row {
        cells: vec![
            name,
            count.to_string(),
            named(values[0]),
            named(values[count - 1]),
            shown(median),
            shown(mean),
            shown(sum),
        ],
        cites,
    })
}

fn middle(figure: &Figure) -> f64 {
    if figure.low.is_infinite() {
        figure.high
    } else if figure.high.is_infinite() {
        figure.low
    } else {
        f64::midpoint(figure.low, figure.high)
    }
}

/// What a row is called: its first texts and periods.
fn label(table: &Table, row: usize, decimal: Decimal) -> String {
    table.rows[row]
        .iter()
        .map(|cell| cell.text.as_str())
        .filter(|text| !text.is_empty() && text.chars().count() <= 40)
        .filter(|text| lone_period(text).is_some() || figures::cell(text, decimal).is_none())
        .take(2)
        .collect::<Vec<_>>()
        .join(", ")
}

/// A number with at most two decimals, or four digits for small ones.
pub(crate) fn shown(value: f64) -> String {
    let text = if value != 0.0 && value.abs() < 0.1 { format!("{value:.4}") } else { format!("{value:.2}") };
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::offline::read::{Block, Extent, document};

    #[test]
    fn columns_are_measured() {
        let csv = "city,year,sales\nA,2022,10\nB,2022,\"1,020.5\"\nC,2023,30\nD,2023,n/a\nE,2023,5\n";
        let document = document("a.csv", csv.as_bytes(), Extent::Whole).unwrap();
        let Some(Block::Table(table)) = document.blocks.first() else { panic!() };
        let rows: Vec<String> =
            statistics("a.csv", table, Decimal::Point).iter().map(|row| row.cells.join("|")).collect();
        assert_eq!(
            rows,
            [
                "city|5 (5 different)|||||",
                "year|5 (2 different)|2022|2023|||",
                "sales|4|5 (E, 2023)|1020.5 (B, 2022)|20|266.38|1065.5",
            ]
        );
    }
}
