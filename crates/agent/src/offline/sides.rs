//! Two things side by side: the figures that the sources have of both, and what they say of one of them only.
//!
//! Owns the pairing of claims. It must not know how claims are made, and it judges nothing: what stands in one row is
//! of the same measure, unit and period, as far as the words say.

use std::collections::BTreeSet;

use super::analysis;
use super::claims::{Claim, Said};
use super::limits;
use super::paper::{Cite, Kind, Row, Section, Statement};
use super::rank::{Candidate, rank};
use super::read::{Document, is_record};
use super::restrict;
use super::vocabulary;
use super::wanted::is_file;
use super::wanted_scope::words_of;

/// One of the two: a file, or something that words name.
struct Side {
    shown: String,
    words: BTreeSet<String>,
    is_file: bool,
}

impl Side {
    fn new(shown: &str, documents: &[Document]) -> Self {
        let is_file = documents.iter().any(|one| is_file(&one.path, shown));
        Self { shown: shown.to_owned(), words: words_of(&shown.to_lowercase()), is_file }
    }

    fn has(&self, claim: &Claim) -> bool {
        if self.is_file {
            return is_file(&claim.path, &self.shown);
        }
        let known = |word: &String| claim.subject.words.contains(word) || claim.place.words.contains(word);
        let names_all = self.words.iter().all(known);
        let names_any = self.words.iter().any(|word| claim.subject.words.contains(word));
        // What stands below the name of one thing and names another is of that.
        let is_other = claim
            .subject
            .names
            .iter()
            .any(|name| !self.words.contains(name) && !vocabulary::is_common(name) && !vocabulary::is_kind(name));
        let is_around =
            !is_other && claim.place.headings.iter().any(|words| self.words.iter().all(|word| words.contains(word)));
        names_all && (names_any || is_around) || restrict::says(&claim.subject.shown.join(" "), &self.words)
    }
}

/// The sections that set two things side by side.
pub(crate) fn sections(
    sides: &[String],
    documents: &[Document],
    claims: &[Claim],
    request: &BTreeSet<String>,
) -> Vec<Section> {
    let [one, other] = sides else { return Vec::new() };
    let (one, other) = (Side::new(one, documents), Side::new(other, documents));
    let rows = rows(&one, &other, claims);
    let mut table = Section::rows(Kind::Sides, &["what", &one.shown, &other.shown], rows);
    table.note =
        "What the sources say of each, as far as it can be set side by side; an empty cell: nothing was found."
            .to_owned();
    let mut sections = vec![table];
    for (own, against) in [(&one, &other), (&other, &one)] {
        let found = sentences(own, against, documents, request);
        let mut section = Section::statements(Kind::Side, found);
        section.theme.clone_from(&own.shown);
        if section.len() > 0 {
            sections.push(section.with_note("Sentences that name only this one."));
        }
    }
    sections
}

/// What is measured, without whose it is.
fn measure(claim: &Claim, side: &Side) -> BTreeSet<String> {
    let is_own =
        |word: &String| side.words.contains(word) || vocabulary::is_kind(word) || claim.subject.loose.contains(word);
    claim.subject.words.iter().filter(|word| !is_own(word)).cloned().collect()
}

fn unit(claim: &Claim) -> &str {
    match &claim.said {
        Said::Value(figure) => &figure.unit,
        Said::Date(_) => "(date)",
        Said::Name(_) => "(name)",
    }
}

/// Claims of one measure, unit and period: those of the one side, and those of the other.
struct Measured<'a> {
    first: &'a Claim,
    about: String,
    sides: [Vec<&'a Claim>; 2],
}

fn rows(one: &Side, other: &Side, claims: &[Claim]) -> Vec<Row> {
    let mut found: Vec<Measured<'_>> = Vec::new();
    for claim in claims {
        let (is_one, is_other) = (one.has(claim), other.has(claim));
        if is_one == is_other {
            continue;
        }
        let (side, own) = if is_one { (0, one) } else { (1, other) };
        let known = found.iter_mut().find(|known| {
            let there = if one.has(known.first) { one } else { other };
            is_alike((claim, own), (known.first, there))
        });
        match known {
            Some(known) => known.sides[side].push(claim),
            None => {
                let mut sides = [Vec::new(), Vec::new()];
                sides[side].push(claim);
                found.push(Measured { first: claim, about: about(claim, own), sides });
            }
        }
    }
    // What both have stands first.
    found.sort_by_key(|one| one.sides.iter().any(Vec::is_empty));
    found.iter().take(limits::SIDES).map(row).collect()
}

fn is_alike((a, side_a): (&Claim, &Side), (b, side_b): (&Claim, &Side)) -> bool {
    let (first, second) = (measure(a, side_a), measure(b, side_b));
    let is_done_alike = a.subject.action.is_some() && a.subject.action == b.subject.action;
    let is_one_measure = first == second && (!first.is_empty() || !unit(a).is_empty() || is_done_alike);
    let is_one_action =
        a.subject.action == b.subject.action || a.subject.action.is_none() || b.subject.action.is_none();
    unit(a) == unit(b) && a.period == b.period && is_one_measure && is_one_action
}

fn row(measured: &Measured<'_>) -> Row {
    let values = |claims: &[&Claim]| {
        let mut values: Vec<&str> = Vec::new();
        for claim in claims {
            if !values.contains(&claim.written.as_str()) {
                values.push(&claim.written);
            }
        }
        values.join(" / ")
    };
    let mut cites: Vec<Cite> = Vec::new();
    for claim in measured.sides.iter().flatten() {
        let cite = Cite::lines(&claim.path, claim.lines.0, claim.lines.1);
        if !cites.contains(&cite) {
            cites.push(cite);
        }
    }
    let [left, right] = &measured.sides;
    Row { cells: vec![measured.about.clone(), values(left), values(right)], cites }
}

/// What a figure is of, in the words of its source, without the name of the side.
fn about(claim: &Claim, side: &Side) -> String {
    let is_side = |word: &String| {
        !side.is_file
            && !side.words.is_empty()
            && restrict::says(&side.shown, &words_of(&word.to_lowercase()))
            && !words_of(&word.to_lowercase()).is_empty()
    };
    let mut shown: Vec<&str> = Vec::new();
    for word in claim.subject.shown.iter().filter(|word| !is_side(word)) {
        if !shown.iter().any(|known| known.eq_ignore_ascii_case(word)) {
            shown.push(word);
        }
    }
    let text = shown.join(" ");
    // "employs 41 persons": without a word of its own it is what is counted.
    let text = if text.is_empty() { counted(claim) } else { text };
    match claim.period {
        Some(period) if !text.is_empty() => format!("{text}, {period}"),
        Some(period) => period.to_string(),
        None => text,
    }
}

/// The word behind a figure in the words of its source.
fn counted(claim: &Claim) -> String {
    let behind = claim.quote.split_once(claim.written.as_str()).map_or("", |(_, behind)| behind);
    let word = behind.trim_start().split(|c: char| !(c.is_alphanumeric() || c == '-')).next().unwrap_or_default();
    if claim.is_row { String::new() } else { word.to_owned() }
}

fn sentences(own: &Side, against: &Side, documents: &[Document], request: &BTreeSet<String>) -> Vec<Statement> {
    const MOST: usize = 6;
    let mut found = Vec::new();
    for document in documents {
        let is_there = |side: &Side, text: &str| match side.is_file {
            true => is_file(&document.path, &side.shown),
            false => restrict::says(text, &side.words),
        };
        let all = analysis::all_sentences(document);
        let fits = (0..all.len()).filter(|index| {
            let text = &all[*index].sentence.text;
            analysis::says_something(text) && !is_record(text) && is_there(own, text) && !is_there(against, text)
        });
        found.extend(fits.map(|index| analysis::statement(document, &all, index)));
    }
    let candidates: Vec<Candidate<'_>> = found
        .iter()
        .map(|one| Candidate { text: &one.text, source: one.cites.first().map_or("", |cite| &cite.path), position: 0 })
        .collect();
    rank(&candidates, request, MOST).iter().map(|one| found[one.index].clone()).collect()
}
