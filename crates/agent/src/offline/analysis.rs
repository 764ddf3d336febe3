//! What sources say, file by file, and where they contradict each other.
//!
//! Owns the two papers of the first phase. It must not know plans or the engine.

use std::collections::BTreeSet;

use super::claims::claims;
use super::contradictions::{self, Contradiction, contradictions};
use super::dates::{dates, plain_digits};
use super::figures::{Decimal, figures};
use super::limits;
use super::names::Names;
use super::paper::{Cite, Kind, Paper, Row, Section, Statement};
use super::rank::{Candidate, rank};
use super::read::{Block, Document, Extent};
use super::sentences::{Sentence, sentences};
use super::tables;
use super::words;

/// A file that was given and could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unread {
    pub(crate) path: String,
    pub(crate) why: String,
}

pub(crate) const FIGURES_HEADER: [&str; 2] = ["figure", "in the words of the source"];
pub(crate) const DATES_HEADER: [&str; 2] = ["date", "in the words of the source"];

/// The analysis of one or several files.
pub(crate) fn analysis(documents: &[Document], unread: &[Unread], request: &BTreeSet<String>) -> Paper {
    let names: Vec<&str> = documents.iter().map(|document| document.path.as_str()).collect();
    let title = match names.as_slice() {
        [] => "Analysis: nothing to read".to_owned(),
        [one] => format!("Analysis of {one}"),
        many => format!("Analysis of {} files", many.len()),
    };
    let mut sections = sections(documents, request);
    sections.extend(unread_section(unread));
    Paper { title, sections }
}

/// The comparison of all sources.
pub(crate) fn comparison(documents: &[Document], unread: &[Unread]) -> Paper {
    let (section, claims) = contradiction_section(documents);
    let note = format!(
        "{claims} of {} sources were compared: same subject, unit and period. {}",
        documents.len(),
        if section.len() == 0 { "No two of them contradict each other." } else { "These cannot both be true." }
    );
    let mut sections = vec![section.with_note(&note)];
    sections.extend(unread_section(unread));
    sections.push(Section::statements(Kind::Sources, documents.iter().map(source).collect()));
    Paper { title: "Comparison of the sources".to_owned(), sections }
}

fn contradiction_section(documents: &[Document]) -> (Section, String) {
    let names = Names::of(documents);
    let all: Vec<_> = documents.iter().flat_map(|document| claims(document, &names)).collect();
    let compared = contradictions(&all);
    let found = compared.found.iter().map(contradiction).collect();
    let claims = match compared.extent {
        contradictions::Extent::All => format!("{} claims", all.len()),
        contradictions::Extent::Part => format!("Of {} claims, those most alike", all.len()),
    };
    (Section::statements(Kind::Contradictions, found), claims)
}

fn contradiction(found: &Contradiction) -> Statement {
    let (first, second) = (&found.first, &found.second);
    Statement {
        text: format!(
            "{}: {} against {}. “{}” – “{}”",
            found.about(),
            first.written,
            second.written,
            first.quote,
            second.quote
        ),
        why: String::new(),
        cites: vec![Cite::new(&first.path, first.line), Cite::new(&second.path, second.line)],
    }
}

fn sections(documents: &[Document], request: &BTreeSet<String>) -> Vec<Section> {
    let mut key_sentences = Vec::new();
    let mut figure_rows = Vec::new();
    let mut date_rows = Vec::new();
    let mut table_rows = Vec::new();
    for document in documents {
        let all = all_sentences(document);
        key_sentences.extend(key_sentences_of(document, &all, request));
        let decimal = decimal(document);
        figure_rows.extend(figures_of(document, &all, decimal));
        date_rows.extend(dates_of(document, &all));
        let tables =
            document.blocks.iter().filter_map(|block| if let Block::Table(table) = block { Some(table) } else { None });
        for table in tables.take(limits::TABLES) {
            table_rows.extend(tables::statistics(&document.path, table, decimal));
        }
    }
    let mut sections = vec![Section::statements(Kind::Sources, documents.iter().map(source).collect())];
    sections.push(Section::statements(Kind::KeySentences, key_sentences));
    for section in [
        Section::rows(Kind::Figures, &FIGURES_HEADER, figure_rows),
        Section::rows(Kind::Dates, &DATES_HEADER, date_rows),
        Section::rows(Kind::Tables, &tables::HEADER, table_rows),
    ] {
        if section.len() > 0 {
            sections.push(section);
        }
    }
    sections
}

fn decimal(document: &Document) -> Decimal {
    if words::language(&document.sample()).has_decimal_comma() { Decimal::Comma } else { Decimal::Point }
}

pub(crate) fn source(document: &Document) -> Statement {
    let tables = document.blocks.iter().filter(|block| matches!(block, Block::Table(_))).count();
    let extent = match document.extent {
        Extent::Whole => "read whole",
        Extent::Beginning => "long, so that only its beginning was read",
    };
    let sentences = all_sentences(document).len();
    let count = |number: usize, thing: &str| format!("{number} {thing}{}", if number == 1 { "" } else { "s" });
    let text = format!(
        "{}, {}, {}, {}; {extent}.",
        document.form.name(),
        count(document.lines, "line"),
        count(sentences, "sentence"),
        count(tables, "table")
    );
    Statement { text, why: String::new(), cites: vec![Cite::new(&document.path, 1)] }
}

pub(crate) fn unread_section(unread: &[Unread]) -> Option<Section> {
    let statements = unread
        .iter()
        .map(|one| Statement { text: one.why.clone(), why: String::new(), cites: vec![Cite::new(&one.path, 0)] })
        .collect::<Vec<_>>();
    (!statements.is_empty()).then(|| Section::statements(Kind::Unread, statements))
}

pub(crate) fn all_sentences(document: &Document) -> Vec<Sentence> {
    let mut all = Vec::new();
    for block in &document.blocks {
        if let Block::Prose(pieces) = block {
            all.extend(sentences(pieces));
        }
        if all.len() >= limits::SENTENCES {
            all.truncate(limits::SENTENCES);
            break;
        }
    }
    all
}

/// The sentences that say the most, in the order of the file.
fn key_sentences_of(document: &Document, all: &[Sentence], request: &BTreeSet<String>) -> Vec<Statement> {
    let candidates: Vec<Candidate<'_>> =
        all.iter().map(|sentence| Candidate { text: &sentence.text, source: &document.path }).collect();
    let mut chosen = rank(&candidates, request, limits::KEY_SENTENCES);
    chosen.sort_by_key(|one| one.index);
    chosen
        .iter()
        .map(|one| Statement {
            text: all[one.index].text.clone(),
            why: String::new(),
            cites: vec![Cite::new(&document.path, all[one.index].line)],
        })
        .collect()
}

fn figures_of(document: &Document, all: &[Sentence], decimal: Decimal) -> Vec<Row> {
    let mut rows = Vec::new();
    for sentence in all {
        let chars = plain_digits(&sentence.text);
        for figure in figures(&chars, &dates(&chars), decimal) {
            rows.push(row(document, sentence, figure.start, figure.end));
        }
        if rows.len() >= limits::FIGURES {
            rows.truncate(limits::FIGURES);
            break;
        }
    }
    rows
}

fn dates_of(document: &Document, all: &[Sentence]) -> Vec<Row> {
    let mut rows = Vec::new();
    for sentence in all {
        for date in dates(&plain_digits(&sentence.text)) {
            let mut row = row(document, sentence, date.start, date.end);
            row.cells[0] = date.period.to_string();
            if !rows.contains(&row) {
                rows.push(row);
            }
        }
        if rows.len() >= limits::DATES {
            rows.truncate(limits::DATES);
            break;
        }
    }
    rows
}

fn row(document: &Document, sentence: &Sentence, start: usize, end: usize) -> Row {
    let written: String = sentence.text.chars().skip(start).take(end - start).collect();
    Row { cells: vec![written, sentence.text.clone()], cites: vec![Cite::new(&document.path, sentence.line)] }
}
