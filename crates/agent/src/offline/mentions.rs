//! Mentions: every figure and date of the sources with the words around it, whatever the sentence claims.
//!
//! Owns the step from sentences and rows to words that can be weighed. Unlike a claim, a mention leaves nothing out that a
//! person would compare: plans, what somebody is said to have said, figures whose subject is told only by the text around.

use std::collections::BTreeSet;

use super::claims::{Claim, Said};
use super::dates::{Dated, Period, dates, plain_digits};
use super::figures::{Figure, figures};
use super::limits;
use super::number_words;
use super::read::{Block, Document, is_record};
use super::sentences::{Sentence, sentences};
use super::vocabulary::{self, Part};
use super::words::{self, Language, Word};

/// How many words behind a figure still tell what it is of.
const BEHIND: usize = 6;
/// How near a word must be to say that a figure is a share or a change.
const BESIDE: usize = 3;

/// A figure or a date, and what stands around it.
#[derive(Clone, Debug)]
pub(crate) struct Mention {
    pub(crate) path: String,
    pub(crate) lines: (usize, usize),
    pub(crate) quote: String,
    pub(crate) written: String,
    pub(crate) said: Said,
    /// The words of its sentence that may say what it is of, in the form in which words are compared.
    pub(crate) words: BTreeSet<String>,
    /// Those of them that mean the same in every language: measures, events, what is done.
    pub(crate) known: BTreeSet<String>,
    /// Words of the headings above it.
    pub(crate) above: BTreeSet<String>,
    /// The years that its sentence or row names.
    pub(crate) years: BTreeSet<u16>,
    pub(crate) language: Language,
    pub(crate) is_row: bool,
}

/// All mentions of the sources; rows of tables as the claims have read them.
pub(crate) fn mentions(documents: &[Document], claims: &[Claim]) -> Vec<Mention> {
    let prose = documents.iter().flat_map(of_document);
    let rows = claims.iter().filter(|claim| claim.is_row).map(of_row);
    prose.chain(rows).take(limits::MENTIONS).collect()
}

fn of_row(claim: &Claim) -> Mention {
    let words: BTreeSet<String> = claim.subject.words.union(&claim.subject.names).cloned().collect();
    let mut known: BTreeSet<String> = words.iter().filter(|word| vocabulary::is_measure(word)).cloned().collect();
    known.extend(claim.subject.action.map(str::to_owned));
    Mention {
        path: claim.path.clone(),
        lines: claim.lines,
        quote: claim.quote.clone(),
        written: claim.written.clone(),
        said: claim.said.clone(),
        words,
        known,
        above: claim.place.words.clone(),
        years: claim.period.iter().map(|period| period.year()).collect(),
        language: claim.language,
        is_row: true,
    }
}

fn of_document(document: &Document) -> Vec<Mention> {
    let mut headings: Vec<(usize, BTreeSet<String>, BTreeSet<u16>)> = Vec::new();
    let mut found = Vec::new();
    for block in &document.blocks {
        match block {
            Block::Heading { level, text, .. } => {
                headings.retain(|(above, ..)| above < level);
                let is_year = |date: &&Dated| matches!(date.period, Period::Year(_));
                let dated = dates(&plain_digits(text));
                // A letter of April may well speak of the year before.
                let years = dated.iter().filter(is_year).map(|date| date.period.year()).collect();
                headings.push((*level, words::content(text).into_iter().collect(), years));
            }
            Block::Prose(pieces) => {
                let above: BTreeSet<String> = headings.iter().flat_map(|(_, words, _)| words).cloned().collect();
                // What a paper of 2025 says without a year is of 2025.
                let nearest = headings.iter().rev().map(|(.., years)| years).find(|years| !years.is_empty());
                let around = Around { words: above, years: nearest.cloned().unwrap_or_default() };
                for sentence in sentences(pieces).iter().filter(|one| one.text.len() <= limits::CLAIM_BYTES) {
                    of_sentence(document, sentence, &around, &mut found);
                }
            }
            Block::Table(_) => {}
        }
    }
    found
}

/// What the headings above a sentence say.
struct Around {
    words: BTreeSet<String>,
    years: BTreeSet<u16>,
}

fn of_sentence(document: &Document, sentence: &Sentence, above: &Around, found: &mut Vec<Mention>) {
    if is_record(&sentence.text) || sentence.text.ends_with(['?', '？', '؟']) {
        return;
    }
    let chars = plain_digits(&sentence.text);
    let dated = dates(&chars);
    let mut counted = figures(&chars, &dated, document.decimal());
    let spelled = number_words::figures(&chars, &dated, document.language);
    let is_new = |one: &Figure, known: &[Figure]| !known.iter().any(|two| two.start < one.end && one.start < two.end);
    let spelled: Vec<Figure> = spelled.into_iter().filter(|one| is_new(one, &counted)).collect();
    counted.extend(spelled);
    counted.sort_by_key(|figure| figure.start);
    let all = words::words(&chars);
    let own: BTreeSet<u16> = dated.iter().map(|date| date.period.year()).collect();
    let years = if own.is_empty() { above.years.clone() } else { own };
    let spots: Vec<(usize, usize)> = counted.iter().map(|one| (one.start, one.end)).collect();
    let made = |said: Said, (start, end): (usize, usize), years: BTreeSet<u16>| {
        let around = around(&all, &spots, (start, end), &dated)?;
        let line = (sentence.line, sentence.last);
        Some(Mention {
            path: document.path.clone(),
            lines: line,
            quote: sentence.text.clone(),
            written: sentence.text.chars().skip(start).take(end - start).collect(),
            said,
            words: around.0,
            known: around.1,
            above: above.words.clone(),
            years,
            language: document.language,
            is_row: false,
        })
    };
    for figure in &counted {
        found.extend(made(Said::Value(figure.clone()), (figure.start, figure.end), years.clone()));
    }
    // Only a day tells an event; a year alone is more often the time of something else.
    for date in dated.iter().filter(|date| matches!(date.period, Period::Day(..))) {
        found.extend(made(Said::Date(date.period), (date.start, date.end), BTreeSet::new()));
    }
}

/// The words that may say what a figure is of: what leads the sentence, what stands between it and its neighbours, and a
/// few words behind it. Nothing if it is a share, an average, or how much something changed.
fn around(
    all: &[Word],
    spots: &[(usize, usize)],
    (start, end): (usize, usize),
    dated: &[Dated],
) -> Option<(BTreeSet<String>, BTreeSet<String>)> {
    let first = spots.first().map_or(start, |(first, _)| (*first).min(start));
    let before = spots.iter().filter(|(_, end)| *end <= start).map(|(_, end)| *end).max().unwrap_or(0);
    let next = spots.iter().filter(|(from, _)| *from >= end).map(|(from, _)| *from).min().unwrap_or(usize::MAX);
    let behind =
        all.iter().filter(|word| word.start >= end && word.end <= next).take(BEHIND).map(|word| word.end).max();
    let is_near = |word: &&Word| {
        let leads = word.end <= first;
        let is_between = word.start >= before && word.end <= start;
        let is_behind = word.start >= end && behind.is_some_and(|last| word.end <= last);
        (leads || is_between || is_behind) && !dated.iter().any(|date| word.start < date.end && date.start < word.end)
    };
    // "grew by 4", "4 a day": what stands right beside it says so.
    let ahead = all.iter().filter(|word| word.start >= before && word.end <= start).rev().take(BESIDE);
    let after = all.iter().filter(|word| word.start >= end && word.end <= next).take(BESIDE - 1);
    let beside: BTreeSet<usize> = ahead.chain(after).map(|word| word.start).collect();
    let (mut words, mut known) = (BTreeSet::new(), BTreeSet::new());
    for word in all.iter().filter(is_near) {
        let lower = word.text.to_lowercase();
        let is_beside = beside.contains(&word.start);
        let Some(key) = words::key(word) else {
            if is_beside && matches!(vocabulary::part(&lower, &lower), Part::Share | Part::Change(_)) {
                return None;
            }
            continue;
        };
        match vocabulary::part(&key, &lower) {
            Part::Share | Part::Change(_) if is_beside => return None,
            Part::Subject(one) => {
                if vocabulary::is_measure(&one) {
                    known.insert(one.clone());
                }
                words.insert(one);
            }
            Part::Event(one) | Part::Action(one) => {
                known.insert(one.to_owned());
                words.insert(one.to_owned());
            }
            Part::Plan | Part::Doubt | Part::Share | Part::Change(_) | Part::Nothing => {}
        }
    }
    Some((words, known))
}
