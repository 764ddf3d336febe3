//! Sources cut to what was asked for: only what a request limits itself to, and nothing of what it leaves out.
//!
//! Owns the cutting, sentence by sentence and row by row, and the count of what went. It must not know how a request is
//! read. What stays keeps its lines, so that citations stay right.

use std::collections::BTreeSet;

use super::analysis::Unread;
use super::columns::{self, ColumnKind, lone_period};
use super::dates::{Period, dates, plain_digits};
use super::read::{Block, Document, Piece, Table};
use super::sentences::{Sentence, sentences};
use super::speech;
use super::vocabulary::{self, Part};
use super::wanted::{Matter, Wanted};
use super::words::{self, Language};

/// The documents as far as they are wanted, and what was left out of which.
pub(crate) fn restrict(documents: Vec<Document>, wanted: &Wanted) -> (Vec<Document>, Vec<Unread>) {
    let mut left = Vec::new();
    let mut kept = Vec::new();
    for document in documents {
        if !document.path.starts_with("assets/") || !wanted.is_scoped() {
            kept.push(document);
            continue;
        }
        if !wanted.reads(&document.path) {
            left.push(Unread { path: document.path, why: "left out, as was asked".to_owned() });
            continue;
        }
        let mut cutter = Cutter::new(&document, wanted);
        let blocks: Vec<Block> = document.blocks.iter().flat_map(|block| cutter.block(block)).collect();
        if cutter.sentences + cutter.rows > 0 {
            let why = format!("sentences left out, as was asked: {}; rows: {}", cutter.sentences, cutter.rows);
            left.push(Unread { path: document.path.clone(), why });
        }
        if blocks.iter().any(|block| !matches!(block, Block::Heading { .. })) || document.blocks.is_empty() {
            kept.push(Document { blocks, ..document });
        }
    }
    (kept, left)
}

/// Whether a sentence of a paper is wanted, where nothing but the sentence is known.
pub(crate) fn keeps(text: &str, wanted: &Wanted) -> bool {
    let said = Said { text, around: String::new(), periods: periods(text), language: words::language(text) };
    said.is_wanted(wanted)
}

struct Cutter<'a> {
    wanted: &'a Wanted,
    language: Language,
    /// The name of the file without its ending, then the headings with their levels.
    name: String,
    headings: Vec<(usize, String)>,
    sentences: usize,
    rows: usize,
}

/// A stretch of text with what stands around it.
struct Said<'a> {
    text: &'a str,
    around: String,
    periods: Vec<Period>,
    language: Language,
}

impl<'a> Cutter<'a> {
    fn new(document: &Document, wanted: &'a Wanted) -> Self {
        let name = document.path.rsplit('/').next().unwrap_or_default();
        let name = name.rsplit_once('.').map_or(name, |(stem, _)| stem).replace(['_', '-', '.'], " ");
        Self { wanted, language: document.language, name, headings: Vec::new(), sentences: 0, rows: 0 }
    }

    fn around(&self) -> String {
        let headings = self.headings.iter().map(|(_, text)| text.as_str());
        std::iter::once(self.name.as_str()).chain(headings).collect::<Vec<_>>().join(" \n ")
    }

    /// The period that the nearest heading names.
    fn period_around(&self) -> Vec<Period> {
        self.headings.iter().rev().map(|(_, text)| periods(text)).find(|found| !found.is_empty()).unwrap_or_default()
    }

    fn block(&mut self, block: &Block) -> Vec<Block> {
        match block {
            Block::Heading { level, text, .. } => {
                self.headings.retain(|(one, _)| one < level);
                self.headings.push((*level, text.clone()));
                vec![block.clone()]
            }
            Block::Prose(pieces) => self.prose(pieces),
            Block::Table(table) => self.table(table).map(Block::Table).into_iter().collect(),
        }
    }

    fn prose(&mut self, pieces: &[Piece]) -> Vec<Block> {
        let all = sentences(pieces);
        let paragraph: String = all.iter().map(|one| one.text.as_str()).collect::<Vec<_>>().join(" ");
        let own = words::language(&paragraph);
        let is_long = paragraph.split_whitespace().count() >= 8 || own != Language::Unknown && !is_latin(own);
        // A few words in Latin letters are not in the language of a document that has others.
        let is_odd = is_latin(own) && !is_latin(self.language);
        let of_paragraph = if is_odd || (is_long && own != Language::Unknown) { own } else { self.language };
        let mut kept: Vec<Block> = Vec::new();
        let mut was_kept = true;
        for (index, sentence) in all.iter().enumerate() {
            let own = words::language(&sentence.text);
            // A script says its language in a few letters, words of the Latin script do not.
            let language = if is_latin(own) || own == Language::Unknown { of_paragraph } else { own };
            let language =
                if own == Language::Chinese && of_paragraph == Language::Japanese { of_paragraph } else { language };
            let mut found = periods(&sentence.text);
            if found.is_empty() {
                found = self.period_around();
            }
            let said = Said { text: &sentence.text, around: self.around(), periods: found, language };
            let goes_on = index > 0 && speech::goes_on(&sentence.text);
            let is_kept = said.is_wanted(self.wanted) || (goes_on && was_kept && said.is_not_banned(self.wanted));
            let is_kept = is_kept && !(goes_on && !was_kept && self.wanted.only.is_empty());
            if is_kept {
                kept.push(Block::Prose(pieces_of(sentence)));
            } else {
                self.sentences += 1;
            }
            was_kept = is_kept;
        }
        // A whole paragraph stays one.
        if kept.len() == all.len() && !all.is_empty() { vec![Block::Prose(pieces.to_vec())] } else { kept }
    }

    fn table(&mut self, table: &Table) -> Option<Table> {
        let decimal = table.decimal(super::figures::Decimal::Point);
        let kinds: Vec<ColumnKind> = columns::columns(table, decimal).into_iter().map(|column| column.kind).collect();
        let is_named = |text: &str, words: &BTreeSet<String>| says(text, words);
        // A column that is left out, or that is of another year.
        let banned = |index: &usize| {
            let head = &table.header[*index];
            let has_word =
                self.wanted.without.iter().any(|one| matches!(one, Matter::Words(_, words) if is_named(head, words)));
            has_word || !self.in_time(&periods(head))
        };
        let mut columns: Vec<usize> = (0..table.header.len()).filter(|index| !banned(index)).collect();
        let limits: Vec<&BTreeSet<String>> = word_limits(self.wanted);
        let around = self.around();
        let is_around = limits.iter().any(|words| is_named(&around, words));
        let heads: Vec<usize> = (0..table.header.len())
            .filter(|index| limits.iter().any(|words| is_named(&table.header[*index], words)))
            .collect();
        let by_column = !limits.is_empty() && !is_around && !heads.is_empty();
        if by_column {
            columns.retain(|index| heads.contains(index) || kinds[*index] != ColumnKind::Number);
        }
        let mut rows = Vec::new();
        for row in &table.rows {
            let text = row.iter().map(|cell| cell.text.as_str()).collect::<Vec<_>>().join(" | ");
            let own = row.iter().filter_map(|cell| lone_period(&cell.text)).collect::<Vec<_>>();
            let language = script_language(&text).unwrap_or(self.language);
            let found = if own.is_empty() { self.period_around() } else { own };
            let more = if by_column { table.header.join(" ") } else { String::new() };
            let said = Said { text: &text, around: format!("{around} {more}"), periods: found, language };
            if said.is_wanted(self.wanted) {
                rows.push(columns.iter().map(|index| row[*index].clone()).collect());
            } else {
                self.rows += 1;
            }
        }
        let header = columns.iter().map(|index| table.header[*index].clone()).collect();
        (!rows.is_empty() && !columns.is_empty()).then_some(Table {
            line: table.line,
            title: table.title.clone(),
            header,
            rows,
        })
    }

    fn in_time(&self, found: &[Period]) -> bool {
        in_years(found, self.wanted)
    }
}

impl Said<'_> {
    fn is_wanted(&self, wanted: &Wanted) -> bool {
        let limits = word_limits(wanted);
        let is_about = limits.is_empty()
            || limits.iter().any(|words| says(self.text, words) || says(&self.around, words))
            || limits.iter().any(|words| says(&format!("{} {}", self.around, self.text), words));
        let tongues: Vec<Language> = languages(&wanted.only);
        is_about && (tongues.is_empty() || tongues.contains(&self.language)) && self.is_not_banned(wanted)
    }

    fn is_not_banned(&self, wanted: &Wanted) -> bool {
        let has_word = wanted.without.iter().any(|one| match one {
            Matter::Words(_, words) => says(self.text, words) || says(&self.around, words),
            Matter::Years(from, to) => {
                !self.periods.is_empty() && self.periods.iter().all(|one| is_within(*one, *from, *to))
            }
            Matter::Language(name) => name.0 == self.language,
            Matter::File(_) => false,
        });
        !has_word && in_years(&self.periods, wanted)
    }
}

/// Whether periods are in the years that alone are wanted; what names none is.
fn in_years(found: &[Period], wanted: &Wanted) -> bool {
    let mut limits = wanted
        .only
        .iter()
        .filter_map(|one| if let Matter::Years(from, to) = one { Some((*from, *to)) } else { None })
        .peekable();
    if found.is_empty() || limits.peek().is_none() {
        return true;
    }
    limits.any(|(from, to)| found.iter().any(|one| is_within(*one, from, to)))
}

fn is_within(period: Period, from: u16, to: u16) -> bool {
    let (first, last) = match period {
        Period::Year(year)
        | Period::Half(year, _)
        | Period::Quarter(year, _)
        | Period::Month(year, _)
        | Period::Day(year, _, _) => (year, year),
        Period::Years(first, last) => (first, last),
    };
    first <= to && from <= last
}

fn word_limits(wanted: &Wanted) -> Vec<&BTreeSet<String>> {
    wanted.only.iter().filter_map(|one| if let Matter::Words(_, words) = one { Some(words) } else { None }).collect()
}

fn languages(matters: &BTreeSet<Matter>) -> Vec<Language> {
    matters.iter().filter_map(|one| if let Matter::Language(name) = one { Some(name.0) } else { None }).collect()
}

/// Whether a text has all of some words, in whatever form.
pub(crate) fn says(text: &str, words: &BTreeSet<String>) -> bool {
    let lower = text.to_lowercase();
    let keys: BTreeSet<String> = words::content(text)
        .into_iter()
        .flat_map(|key| {
            let made = match vocabulary::part(&key, &key) {
                Part::Subject(made) => made,
                _ => key.clone(),
            };
            [key, made]
        })
        .collect();
    words.iter().all(|word| {
        let is_unspaced =
            word.chars().next().is_some_and(|c| words::unspaced(c) || words::script(c) == words::Script::Hangul);
        keys.contains(word)
            || (is_unspaced && lower.contains(word.as_str()))
            || keys.iter().any(|key| is_form_of(key, word))
    })
}

/// Whether two words are forms of one: they differ in their endings only.
fn is_form_of(one: &str, other: &str) -> bool {
    let (a, b): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    let short = a.len().min(b.len());
    let same = a.iter().zip(&b).take_while(|(x, y)| x == y).count();
    short >= 5 && same + 1 >= short && a.len().abs_diff(b.len()) <= 3 && same >= 4
}

fn periods(text: &str) -> Vec<Period> {
    dates(&plain_digits(text)).into_iter().map(|one| one.period).collect()
}

fn is_latin(language: Language) -> bool {
    !matches!(
        language,
        Language::Japanese
            | Language::Korean
            | Language::Chinese
            | Language::Russian
            | Language::Arabic
            | Language::Devanagari
    )
}

/// The language of a text whose script says it.
fn script_language(text: &str) -> Option<Language> {
    let own = words::language(text);
    (!is_latin(own) && own != Language::Unknown).then_some(own)
}

/// A sentence as the lines it stands on.
fn pieces_of(sentence: &Sentence) -> Vec<Piece> {
    let chars: Vec<char> = sentence.text.chars().collect();
    let mut pieces: Vec<Piece> = Vec::new();
    for (index, c) in chars.iter().enumerate() {
        let line = sentence.line_at(index);
        match pieces.last_mut() {
            Some(piece) if piece.line == line => piece.text.push(*c),
            _ => pieces.push(Piece { line, text: c.to_string() }),
        }
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::offline::read::{Extent, document};
    use crate::offline::request;

    fn check(request: &str, file: &str, text: &str, expected: &[&str]) {
        let document = document(&format!("assets/{file}"), text.as_bytes(), Extent::Whole).unwrap();
        let wanted = Wanted::of(&request::goals(request), &[format!("assets/{file}")], Language::English);
        let (kept, _) = restrict(vec![document], &wanted);
        let found: Vec<String> = kept
            .iter()
            .flat_map(|one| &one.blocks)
            .flat_map(|block| match block {
                Block::Prose(pieces) => {
                    sentences(pieces).into_iter().map(|one| format!("{} {}", one.line, one.text)).collect()
                }
                Block::Table(table) => table
                    .rows
                    .iter()
                    .map(|row| {
                        format!(
                            "{} {}",
                            row[0].line,
                            row.iter().map(|cell| cell.text.as_str()).collect::<Vec<_>>().join("|")
                        )
                    })
                    .collect(),
                Block::Heading { .. } => Vec::new(),
            })
            .collect();
        assert_eq!(found, expected, "{request}");
    }

    #[test]
    fn only_what_is_asked_for_stays_and_what_is_left_out_goes() {
        let text = "# Trip\n\nKyoto has 1.4 million people. It is old. Osaka has\n2.7 million people.\n\n## Kyoto\n\nThe temples are open.\n";
        check(
            "Report only about Kyoto.",
            "a.md",
            text,
            &["3 Kyoto has 1.4 million people.", "3 It is old.", "8 The temples are open."],
        );
        check("Report without Kyoto.", "a.md", text, &["3 Osaka has 2.7 million people."]);
        let table = "city,year,guests\nKyoto,2023,5\nKyoto,2024,6\nOsaka,2024,9\n";
        check("Only about Kyoto.", "a.csv", table, &["2 Kyoto|2023|5", "3 Kyoto|2024|6"]);
        check("Only 2024.", "a.csv", table, &["3 Kyoto|2024|6", "4 Osaka|2024|9"]);
        check("Leave out a.csv.", "a.csv", table, &[]);
        check("Report without guests.", "a.csv", table, &["2 Kyoto|2023", "3 Kyoto|2024", "4 Osaka|2024"]);
        let mixed = "The hall is full.\n\n京都の寺は古い。\n";
        check("Do not quote Japanese.", "a.md", mixed, &["1 The hall is full."]);
        check("Use only Japanese sources.", "a.md", mixed, &["3 京都の寺は古い。"]);
        check(
            "Report on the hall only 2023.",
            "a.md",
            "In 2023 it stood. In 2022 it fell. It is red.",
            &["1 In 2023 it stood.", "1 It is red."],
        );
    }
}
