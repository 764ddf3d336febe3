//! The rows of tables as mentions: their numbers, their dates, who holds an office, and what else a cell says.
//!
//! Owns the step from a cell to what it may be of. It must not know how mentions are weighed.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::sentence::{of_sentence, taxed};
use super::{Around, MONTHS, Mention, Passage, Passages, Token, passage, tokens_of, values_of, without};
use crate::offline::cells;
use crate::offline::claims::{Claim, Origin, Said};
use crate::offline::columns::{self, ColumnKind};
use crate::offline::dates::{Period, plain_digits};
use crate::offline::figures::Decimal;
use crate::offline::limits;
use crate::offline::read::{Cell, Document, Table};
use crate::offline::roles;
use crate::offline::sentences::Sentence;
use crate::offline::table_claims;
use crate::offline::tables;
use crate::offline::words;

/// The last year of the rows of each source.
pub(super) fn newest_rows(claims: &[Claim]) -> BTreeMap<String, u16> {
    let mut newest = BTreeMap::new();
    for claim in claims.iter().filter(|claim| claim.is_row) {
        if let Some(period) = claim.period {
            let known = newest.entry(claim.path.clone()).or_insert(0);
            *known = period.year().max(*known);
        }
    }
    newest
}

pub(super) fn of_row(
    claim: &Claim,
    titles: &BTreeMap<&str, Vec<Token>>,
    newest: &BTreeMap<String, u16>,
    passages: &Passages,
) -> Mention {
    let passage = passages.get(&(claim.path.clone(), claim.quote.clone())).cloned().unwrap_or_default();
    let shown = claim.subject.shown.iter().flat_map(|text| tokens_of(text, 0.9));
    let mut tokens: Vec<Token> = Vec::new();
    for token in shown {
        if !tokens.iter().any(|known| known.word == token.word) {
            tokens.push(token);
        }
    }
    if let Some(Period::Month(_, month)) = claim.period {
        let name = MONTHS[usize::from(month).saturating_sub(1) % MONTHS.len()];
        tokens.push(Token {
            word: name.to_owned(),
            shown: String::new(),
            things: vec![name],
            near: 0.9,
            is_name: false,
        });
    }
    let mut above = titles.get(claim.path.as_str()).cloned().unwrap_or_default();
    above.extend(claim.place.words.iter().flat_map(|word| tokens_of(word, 0.3)));
    Mention {
        path: claim.path.clone(),
        lines: claim.lines,
        quote: claim.quote.clone(),
        written: claim.written.clone(),
        said: claim.said.clone(),
        tokens,
        above,
        years: claim.period.iter().map(|period| period.year()).collect(),
        has_own_years: claim.origin == Origin::Own,
        language: claim.language,
        is_row: true,
        is_newest: claim.period.is_none_or(|period| newest.get(&claim.path) == Some(&period.year())),
        is_plan: claim.subject.words.contains("(planned)"),
        taxed: taxed(&claim.quote),
        is_open: false,
        claim: Some(Box::new(claim.clone())),
        glossed: Vec::new(),
        is_share: false,
        is_change: false,
        beside: without(&passage.values, &claim.said),
        passage,
    }
}

/// Dates in cells: when something is, or when it was built. A column that only counts the years is none.
pub(super) fn of_table(
    document: &Document,
    table: &Table,
    around: &mut Around,
    passages: &mut Passages,
    found: &mut Vec<Mention>,
) {
    // Found out from all cells: once, not for each.
    let decimal = table.decimal(document.decimal());
    let columns = columns::columns(table, decimal);
    let labels = table_claims::label_columns(table, &columns);
    for row in &table.rows {
        let texts: Vec<&str> =
            table.header.iter().map(String::as_str).chain(row.iter().map(|c| c.text.as_str())).collect();
        let values = row.iter().flat_map(|cell| values_of(document, &cell.text)).collect();
        let mut words = passage(&texts);
        words.extend(around.tokens.iter().cloned());
        around.passage = Arc::new(Passage { tokens: words, values });
        passages.insert((document.path.clone(), table_claims::quote(table, row)), around.passage.clone());
        of_holders(document, table, row, &labels, around, found);
        of_cells(document, table, row, (&columns, decimal), around, found);
        for (index, column) in columns.iter().enumerate().filter(|(_, column)| column.kind != ColumnKind::Number) {
            let Some(period) = columns::period_in(table, index, &row[index].text) else { continue };
            let is_time =
                table.rows.len() > 1 && column.kind == ColumnKind::Period && tables::is_course(table, index, &labels);
            if is_time || !matches!(period, Period::Day(..) | Period::Year(_)) {
                continue;
            }
            let mut tokens = tokens_of(&table.header[index], 0.7);
            let is_beginning =
                columns::is_origin(&table.header[index]) || tokens.iter().any(|token| token.things.contains(&"began"));
            if matches!(period, Period::Year(_)) && !is_beginning {
                continue;
            }
            if is_beginning {
                tokens.push(Token {
                    word: "(began)".to_owned(),
                    shown: String::new(),
                    things: vec!["began"],
                    near: 0.9,
                    is_name: false,
                });
            }
            tokens.extend(labels.iter().filter(|label| **label != index).flat_map(|l| tokens_of(&row[*l].text, 1.0)));
            found.push(Mention {
                path: document.path.clone(),
                lines: (row[index].line, row[index].line),
                quote: table_claims::quote(table, row),
                written: row[index].text.trim().to_owned(),
                said: Said::Date(period),
                tokens,
                above: around.tokens.clone(),
                years: BTreeSet::new(),
                has_own_years: false,
                language: document.language,
                is_row: true,
                is_newest: true,
                is_plan: false,
                taxed: None,
                is_open: false,
                claim: None,
                glossed: around.glossed.clone(),
                is_share: false,
                is_change: false,
                beside: without(&around.passage.values, &Said::Date(period)),
                passage: around.passage.clone(),
            });
        }
    }
}

/// Names in a column of an office: who is the lead of what the row is about.
fn of_holders(
    document: &Document,
    table: &Table,
    row: &[Cell],
    labels: &[usize],
    around: &Around,
    found: &mut Vec<Mention>,
) {
    for (index, cell) in row.iter().enumerate() {
        let head = table.header.get(index).map_or("", String::as_str);
        let heads = tokens_of(head, 0.9);
        let office = head.split(|c: char| !c.is_alphanumeric()).find_map(|word| roles::office(&word.to_lowercase()));
        // "Amt: Kassiererin; Name: Anke Wiegand": another cell may say of which office it is.
        let other = || {
            let mut all = row.iter().enumerate().filter(|(place, _)| *place != index).filter_map(|(_, cell)| {
                let words = cell.text.split(|c: char| !c.is_alphanumeric());
                let few = cell.text.split_whitespace().count() <= 3;
                words.filter(|_| few).find_map(|word| roles::office(&word.to_lowercase()))
            });
            all.next()
        };
        let Some(office) = office.or_else(other).filter(|_| roles::is_name(&cell.text)) else { continue };
        let name = words::words(&plain_digits(&cell.text)).iter().map(|word| word.text.to_lowercase()).collect();
        let mut tokens = vec![Token {
            word: office.to_owned(),
            shown: head.to_owned(),
            things: vec![office],
            near: 1.0,
            is_name: false,
        }];
        tokens.extend(heads.into_iter().filter(|one| one.word != office));
        tokens
            .extend(labels.iter().filter(|label| **label != index).flat_map(|label| tokens_of(&row[*label].text, 0.9)));
        found.push(Mention {
            path: document.path.clone(),
            lines: (cell.line, cell.line),
            quote: table_claims::quote(table, row),
            written: cell.text.trim().to_owned(),
            said: Said::Name(name),
            tokens,
            above: around.tokens.clone(),
            years: BTreeSet::new(),
            has_own_years: false,
            language: document.language,
            is_row: true,
            is_newest: true,
            is_plan: false,
            taxed: None,
            is_open: false,
            claim: None,
            glossed: around.glossed.clone(),
            is_share: false,
            is_change: false,
            beside: around.passage.values.clone(),
            passage: around.passage.clone(),
        });
    }
}

/// What a cell says that is no bare number and no date alone: times, days without a year, amounts in words.
fn of_cells(
    document: &Document,
    table: &Table,
    row: &[Cell],
    (columns, decimal): (&[columns::Column], Decimal),
    around: &Around,
    found: &mut Vec<Mention>,
) {
    for (index, cell) in row.iter().enumerate() {
        let is_number = columns[index].kind == ColumnKind::Number;
        let is_read = is_number && cells::cell(&cell.text, decimal).is_some()
            || columns::period_in(table, index, &cell.text).is_some()
            || cell.text.len() > limits::CLAIM_BYTES;
        if is_read || !cell.text.chars().any(char::is_alphanumeric) {
            continue;
        }
        let sentence = Sentence::of_cell(cell.line, &cell.text);
        let begin = found.len();
        of_sentence(document, &sentence, around, found);
        let quote = table_claims::quote(table, row);
        let mut others: Vec<Token> = tokens_of(&table.header[index], 0.9);
        for (place, other) in row.iter().enumerate().filter(|(place, _)| *place != index) {
            // A row of a few cells says what each of them is of; one of many cells by its first labels.
            if columns[place].kind != ColumnKind::Number {
                others.extend(tokens_of(&other.text, 0.8));
            }
        }
        for mention in &mut found[begin..] {
            for token in &others {
                if !mention.tokens.iter().any(|known| known.word == token.word) {
                    mention.tokens.push(token.clone());
                }
            }
            mention.quote.clone_from(&quote);
            mention.is_row = true;
            mention.beside.extend(without(&around.passage.values, &mention.said));
        }
    }
}
