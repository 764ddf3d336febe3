//! CSV and its kin: the separator is found out, quotes and line breaks inside them are kept.

use super::{Block, Cell, Table};

pub(super) fn blocks(text: &str) -> Vec<Block> {
    let mut records = records(text, separator(text));
    records.retain(|record| record.iter().any(|cell| !cell.text.is_empty()));
    if records.is_empty() {
        return Vec::new();
    }
    let line = records[0].first().map_or(1, |cell| cell.line);
    let title = take_title(&mut records);
    let header = if is_header(&records[0]) {
        records.remove(0).into_iter().map(|cell| cell.text).collect()
    } else {
        (1..=records[0].len()).map(|number| format!("column {number}")).collect()
    };
    let heading = (!title.is_empty()).then(|| Block::Heading { line, level: 1, text: title.clone() });
    let line = line + usize::from(heading.is_some());
    let table = super::table(line, header, records).map(|table| Block::Table(Table { title, ..table }));
    heading.into_iter().chain(table).collect()
}

/// A first line of one cell above a line of heads is the title of the table.
fn take_title(records: &mut Vec<Vec<Cell>>) -> String {
    let filled = |record: &[Cell]| record.iter().filter(|cell| !cell.text.is_empty()).count();
    let is_title = records.len() > 2
        && filled(&records[0]) == 1
        && filled(&records[1]) > 1
        && filled(&records[2]) > 1
        && is_header(&records[1]);
    match is_title {
        true => records.remove(0).into_iter().map(|cell| cell.text).collect(),
        false => String::new(),
    }
}

/// The sign that stands most evenly in the first lines.
fn separator(text: &str) -> char {
    let counts = |sign: char| -> Vec<usize> {
        text.lines().filter(|line| !line.trim().is_empty()).take(20).map(|line| outside_quotes(line, sign)).collect()
    };
    let mut best = (0, ',');
    for sign in ['\t', ';', '|', ','] {
        let counts = counts(sign);
        let first = counts.first().copied().unwrap_or(0);
        let even = counts.iter().filter(|count| **count == first).count();
        let score = if first == 0 { 0 } else { even * 100 + first };
        if score > best.0 {
            best = (score, sign);
        }
    }
    best.1
}

fn outside_quotes(line: &str, sign: char) -> usize {
    let mut quoted = false;
    line.chars()
        .filter(|c| {
            quoted ^= *c == '"';
            *c == sign && !quoted
        })
        .count()
}

fn records(text: &str, separator: char) -> Vec<Vec<Cell>> {
    let mut records = Vec::new();
    let mut record: Vec<Cell> = Vec::new();
    let mut cell = Cell { line: 1, text: String::new() };
    let mut line = 1;
    let mut quoted = false;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' if quoted && chars.peek() == Some(&'"') => {
                chars.next();
                cell.text.push('"');
            }
            '"' if quoted || cell.text.trim().is_empty() => quoted = !quoted,
            '\r' => {}
            '\n' => {
                line += 1;
                if quoted {
                    cell.text.push(' ');
                    continue;
                }
                end_cell(&mut record, &mut cell, line);
                records.push(std::mem::take(&mut record));
            }
            c if c == separator && !quoted => end_cell(&mut record, &mut cell, line),
            c => cell.text.push(c),
        }
    }
    if quoted {
        // A quote that is never closed would swallow the rest: then quotes are signs like any other.
        return unquoted(text, separator);
    }
    end_cell(&mut record, &mut cell, line);
    records.push(record);
    records
}

fn unquoted(text: &str, separator: char) -> Vec<Vec<Cell>> {
    let cells = |(index, line): (usize, &str)| {
        let cell = |text: &str| Cell { line: index + 1, text: text.trim().trim_matches('"').to_owned() };
        line.split(separator).map(cell).collect()
    };
    text.lines().enumerate().map(cells).collect()
}

fn end_cell(record: &mut Vec<Cell>, cell: &mut Cell, next_line: usize) {
    let done = std::mem::replace(cell, Cell { line: next_line, text: String::new() });
    record.push(Cell { line: done.line, text: done.text.trim().to_owned() });
}

/// A first row with only names, each once, is the header.
fn is_header(record: &[Cell]) -> bool {
    let mut names: Vec<&str> = record.iter().map(|cell| cell.text.as_str()).filter(|name| !name.is_empty()).collect();
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    let has_plain_number = names.iter().any(|name| {
        let is_year = name.len() == 4 && name.chars().all(|c| c.is_ascii_digit());
        !is_year && name.parse::<f64>().is_ok()
    });
    count > 0 && names.len() == count && !has_plain_number
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quote_that_is_never_closed_swallows_nothing() {
        let found = blocks("a,b\n\"x,1\ny,2\n");
        let Some(Block::Table(table)) = found.first() else { panic!("{found:?}") };
        assert_eq!(table.rows.len(), 2);
        assert_eq!((table.rows[1][1].line, table.rows[1][1].text.as_str()), (3, "2"));
    }

    #[test]
    fn a_title_above_the_heads_is_no_head() {
        let found = blocks("\"Budget 2025 (unit: k€)\",,\nitem,planned,spent\nroof,12,3\npaths,4,4\n");
        let [Block::Heading { line: 1, text, .. }, Block::Table(table)] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!(text, "Budget 2025 (unit: k€)");
        assert_eq!((table.line, &table.header[..]), (2, &["item".to_owned(), "planned".into(), "spent".into()][..]));
        assert_eq!(table.rows[0][1].line, 3);
        let one_column = blocks("name\nA\nB\n");
        assert!(matches!(one_column.as_slice(), [Block::Table(_)]), "{one_column:?}");
    }

    #[test]
    fn quotes_separators_and_lines() {
        let found = blocks("name;note\nA;\"x; \"\"y\"\"\nz\"\n\nB;w\n");
        let Some(Block::Table(table)) = found.first() else { panic!("{found:?}") };
        assert_eq!(table.header, ["name", "note"]);
        let rows: Vec<Vec<(usize, &str)>> =
            table.rows.iter().map(|row| row.iter().map(|cell| (cell.line, cell.text.as_str())).collect()).collect();
        assert_eq!(rows, vec![vec![(2, "A"), (2, "x; \"y\" z")], vec![(5, "B"), (5, "w")]]);
    }
}
