//! Mentions: every figure and date of the sources with the words around it, whatever the sentence claims.
//!
//! Owns what a mention is, and the walk through a source. Unlike a claim, a mention leaves nothing out that a person would
//! compare: plans, what somebody is said to have said, figures whose subject is told only by the text around.

mod rows;
mod sentence;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use super::claims::{Claim, Said};
use super::dates::{Dated, Period, bare_days, dates, plain_digits};
use super::limits;
use super::read::{Block, Document};
use super::sentences::{Sentence, sentences};
use super::things::things;
use super::words::{self, Language, Script, Word};
pub(crate) use sentence::PHONE;

/// Sentences at the beginning of a source that may say when it was written.
const HEAD: usize = 3;
/// A month is one in any language, and in figures.
const MONTHS: [&str; 12] = [
    "month-1", "month-2", "month-3", "month-4", "month-5", "month-6", "month-7", "month-8", "month-9", "month-10",
    "month-11", "month-12",
];

/// A word beside a figure.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Token {
    /// The form in which words are compared.
    pub(crate) word: String,
    /// As it is written.
    pub(crate) shown: String,
    /// What it may stand for in any language.
    pub(crate) things: Vec<&'static str>,
    /// How near the figure it stands: 1 right beside it.
    pub(crate) near: f64,
    pub(crate) is_name: bool,
}

/// A figure or a date, and what stands around it.
#[derive(Clone, Debug)]
pub(crate) struct Mention {
    pub(crate) path: String,
    pub(crate) lines: (usize, usize),
    pub(crate) quote: String,
    pub(crate) written: String,
    pub(crate) said: Said,
    /// What the figure may be of, the nearest first.
    pub(crate) tokens: Vec<Token>,
    /// What the headings above it and the name of the file say.
    pub(crate) above: Vec<Token>,
    /// The years that its sentence or row names, or what stands around it.
    pub(crate) years: BTreeSet<u16>,
    /// Whether its sentence or row says them itself.
    pub(crate) has_own_years: bool,
    pub(crate) language: Language,
    pub(crate) is_row: bool,
    /// Whether no row of its source is of a later year.
    pub(crate) is_newest: bool,
    pub(crate) is_plan: bool,
    /// Whether an amount is told to be with the tax or without it.
    pub(crate) taxed: Option<Taxed>,
    /// Whether its sentence denies, asks or doubts, so that it claims nothing.
    pub(crate) is_open: bool,
    /// What the strict rule read of it.
    pub(crate) claim: Option<Box<Claim>>,
    /// Names in two scripts that stand side by side anywhere in the source.
    pub(crate) glossed: Vec<BTreeSet<String>>,
    /// Whether it is told to be a share of something, and whether to be how much something changed.
    pub(crate) is_share: bool,
    pub(crate) is_change: bool,
    /// Other figures and days of its sentence or row.
    pub(crate) beside: BTreeSet<String>,
    /// The paragraph or the row that it stands in.
    pub(crate) passage: Arc<Passage>,
}

/// A paragraph or a row: its words, and the figures and days that are said in it.
#[derive(Debug, Default)]
pub(crate) struct Passage {
    pub(crate) tokens: Vec<Token>,
    pub(crate) values: BTreeSet<String>,
}

/// With the tax, or without it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Taxed {
    Net,
    Gross,
}

/// All mentions of the sources; numbers of tables as the claims have read them.
pub(crate) fn mentions(documents: &[Document], claims: &[Claim]) -> Vec<Mention> {
    let mut passages: Passages = BTreeMap::new();
    let prose: Vec<Mention> = documents.iter().flat_map(|one| of_document(one, &mut passages)).collect();
    let titles: BTreeMap<&str, Vec<Token>> =
        documents.iter().map(|document| (document.path.as_str(), file_tokens(&document.path))).collect();
    let newest = rows::newest_rows(claims);
    let rows = claims.iter().filter(|claim| claim.is_row).map(|claim| rows::of_row(claim, &titles, &newest, &passages));
    let read: HashMap<Spot<'_>, &Claim> = claims.iter().map(|claim| (spot(claim), claim)).collect();
    let claimed = |mention: Mention| {
        let claim = read.get(&(mention.path.as_str(), mention.quote.as_str(), mention.written.as_str()));
        Mention { claim: claim.map(|claim| Box::new((*claim).clone())), ..mention }
    };
    prose.into_iter().map(claimed).chain(rows).take(limits::MENTIONS).collect()
}

/// A place in a source: its path, its sentence, and what is written there.
type Spot<'c> = (&'c str, &'c str, &'c str);

fn spot(claim: &Claim) -> Spot<'_> {
    (&claim.path, &claim.quote, &claim.written)
}

/// The passages that rows are, by path and words.
type Passages = BTreeMap<(String, String), Arc<Passage>>;

fn file_tokens(path: &str) -> Vec<Token> {
    let name = path.rsplit('/').next().unwrap_or(path);
    tokens_of(name.rsplit_once('.').map_or(name, |(name, _)| name), 0.3)
}

/// The words of a text that stands above a figure, or in the head or the label of its row.
fn tokens_of(text: &str, near: f64) -> Vec<Token> {
    let chars = plain_digits(&text.replace('_', " "));
    words::words(&chars).iter().filter_map(|word| token(word, near)).collect()
}

fn token(word: &Word, near: f64) -> Option<Token> {
    let lower = word.text.to_lowercase();
    let things = things(&lower);
    // A lone sign that means something is a word, too.
    let key = words::key(word).or_else(|| {
        let is_since = things.contains(&"began");
        (!things.is_empty() && (is_since || !words::is_stop(&lower))).then(|| lower.clone())
    })?;
    let is_name = words::is_capitalised(&word.text) && things.is_empty();
    let things = match super::dates::month(&lower).filter(|_| lower.chars().count() > 3) {
        Some(month) => vec![MONTHS[usize::from(month).saturating_sub(1) % MONTHS.len()]],
        None => things,
    };
    // A particle belongs to the sentence.
    let shown = if word.script == Script::Hangul { key.clone() } else { words::bare(&word.text) };
    Some(Token { word: key, shown, things, near, is_name })
}

/// A figure or a day in the form in which it is looked for elsewhere; a small bare number is everywhere.
fn value_key(said: &Said) -> Option<String> {
    match said {
        Said::Value(figure) => {
            let middle = f64::midpoint(figure.low, figure.high);
            let is_telling = !figure.unit.is_empty() || middle >= 13.0;
            (middle.is_finite() && is_telling).then(|| format!("{middle:.4} {}", figure.unit))
        }
        Said::Date(Period::Day(_, month, day)) => Some(format!("{month}-{day}")),
        Said::Date(_) | Said::Name(_) => None,
    }
}

fn without(values: &BTreeSet<String>, own: &Said) -> BTreeSet<String> {
    let own = value_key(own);
    values.iter().filter(|value| Some(*value) != own.as_ref()).cloned().collect()
}

/// The words of a passage, each once.
fn passage(texts: &[&str]) -> Vec<Token> {
    const MOST: usize = 160;
    let mut tokens: Vec<Token> = Vec::new();
    let mut known: BTreeSet<String> = BTreeSet::new();
    for one in texts.iter().flat_map(|text| tokens_of(text, 0.3)) {
        if tokens.len() < MOST && known.insert(one.word.clone()) {
            tokens.push(one);
        }
    }
    tokens
}

/// What stands around a sentence.
#[derive(Clone, Default)]
struct Around {
    tokens: Vec<Token>,
    years: BTreeSet<u16>,
    /// The year in which the source was written.
    written: Option<u16>,
    glossed: Vec<BTreeSet<String>>,
    passage: Arc<Passage>,
}

fn of_document(document: &Document, passages: &mut Passages) -> Vec<Mention> {
    let mut headings: Vec<(usize, Vec<Token>, BTreeSet<u16>)> = Vec::new();
    let mut found = Vec::new();
    let written = written_in(document);
    let glossed = glosses(document);
    for block in &document.blocks {
        let nearest = headings.iter().rev().map(|(.., years)| years).find(|years| !years.is_empty());
        let mut tokens = file_tokens(&document.path);
        tokens.extend(headings.iter().flat_map(|(_, tokens, _)| tokens).cloned());
        let years = nearest.cloned().unwrap_or_default();
        let mut around = Around { tokens, years, written, glossed: glossed.clone(), passage: Arc::default() };
        match block {
            Block::Heading { level, text, .. } => {
                headings.retain(|(above, ..)| above < level);
                let is_year = |date: &&Dated| matches!(date.period, Period::Year(_));
                let dated = dates(&plain_digits(text));
                // A letter of April may well speak of the year before.
                let years = dated.iter().filter(is_year).map(|date| date.period.year());
                // What came out in spring 2025 tells of the winter before.
                let years = years.flat_map(|year| [year - 1, year]).collect();
                headings.push((*level, tokens_of(text, 0.3), years));
            }
            Block::Prose(pieces) => {
                let all = sentences(pieces);
                let texts: Vec<&str> = all.iter().map(|one| one.text.as_str()).collect();
                let values = all.iter().flat_map(|one| values_of(document, &one.text)).collect();
                let mut words = passage(&texts);
                words.extend(around.tokens.iter().filter(|token| token.near > 0.2).cloned());
                around.passage = Arc::new(Passage { tokens: words, values });
                for (index, one) in all.iter().enumerate() {
                    if one.text.len() > limits::CLAIM_BYTES {
                        continue;
                    }
                    let begin = found.len();
                    sentence::of_sentence(document, one, &around, &mut found);
                    lean(&mut found[begin..], index.checked_sub(1).and_then(|at| all.get(at)), all.get(index + 1));
                    // "Accounts of 2024. The line carried …": what the sentence before is of holds on.
                    let own: BTreeSet<u16> =
                        dates(&plain_digits(&one.text)).iter().map(|date| date.period.year()).collect();
                    if own.len() == 1 {
                        around.years = own;
                    }
                }
            }
            Block::Table(table) => rows::of_table(document, table, &mut around, passages, &mut found),
        }
    }
    found
}

/// A sentence of a word or two (`Monday 4 September.`) is about what the next one says, or the one before.
fn lean(found: &mut [Mention], before: Option<&Sentence>, behind: Option<&Sentence>) {
    const FEW: usize = 3;
    for mention in found.iter_mut().filter(|one| one.tokens.len() <= FEW) {
        for (sentence, near) in [(behind, 0.5), (before, 0.4)] {
            for token in sentence.iter().flat_map(|one| tokens_of(&one.text, near)) {
                if !mention.tokens.iter().any(|known| known.word == token.word) {
                    mention.tokens.push(token);
                }
            }
        }
    }
}

/// The year in which a source was written, as far as its beginning tells.
fn written_in(document: &Document) -> Option<u16> {
    let name = document.path.rsplit('/').next().unwrap_or_default();
    let mut texts: Vec<String> = vec![name.replace(['_', '-', '.'], " ")];
    for block in document.blocks.iter().take(HEAD) {
        match block {
            Block::Heading { text, .. } => texts.push(text.clone()),
            Block::Prose(pieces) => texts.extend(sentences(pieces).into_iter().take(HEAD).map(|one| one.text)),
            Block::Table(_) => {}
        }
    }
    let of = |text: &String| dates(&plain_digits(text)).into_iter().map(|date| date.period);
    let days = texts.iter().flat_map(of).filter(|period| matches!(period, Period::Day(..) | Period::Month(..)));
    days.map(Period::year).max().or_else(|| texts.iter().take(2).flat_map(of).map(Period::year).max())
}

/// Names that stand in two scripts side by side.
fn glosses(document: &Document) -> Vec<BTreeSet<String>> {
    let mut found = Vec::new();
    for block in &document.blocks {
        let text = match block {
            Block::Heading { text, .. } => text.clone(),
            Block::Prose(pieces) => pieces.iter().map(|piece| piece.text.as_str()).collect::<Vec<_>>().join(" "),
            Block::Table(_) => continue,
        };
        let chars = plain_digits(&text);
        let both = super::alike::glossed(&chars, &words::words(&chars));
        if both.len() > 1 {
            found.push(both);
        }
    }
    found
}

/// All figures and days of a text, in the form in which they are looked for elsewhere.
fn values_of(document: &Document, text: &str) -> Vec<String> {
    let chars = plain_digits(text);
    let dated = dates(&chars);
    let days = bare_days(&chars, &dated);
    let counted = sentence::counted(document, &chars, &dated, &days).into_iter().map(Said::Value);
    let dates = dated.iter().chain(&days).map(|date| Said::Date(date.period));
    counted.chain(dates).filter_map(|said| value_key(&said)).collect()
}
