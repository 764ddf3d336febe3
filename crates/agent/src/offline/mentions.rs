//! Mentions: every figure and date of the sources with the words around it, whatever the sentence claims.
//!
//! Owns the step from sentences and rows to words that can be weighed. Unlike a claim, a mention leaves nothing out that a
//! person would compare: plans, what somebody is said to have said, figures whose subject is told only by the text around.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use super::cells;
use super::claims::{Claim, Said};
use super::clock;
use super::columns::{self, ColumnKind};
use super::dates::{Dated, Period, bare_days, dates, plain_digits};
use super::figures::{Figure, figures};
use super::limits;
use super::number_words;
use super::read::{Block, Cell, Document, Table, is_record};
use super::roles::{self, Held};
use super::sentences::{Sentence, sentences};
use super::speech;
use super::table_claims;
use super::tables;
use super::things::things;
use super::vocabulary::{self, Part};
use super::words::{self, Language, Script, Word};

/// How near a word must be to say that a figure is a share or a change, or that a year is when something began.
const BESIDE: usize = 3;
const BEGINNING: usize = 6;
/// Sentences at the beginning of a source that may say when it was written.
const HEAD: usize = 3;

/// A month is one in any language, and in figures.
const MONTHS: [&str; 12] =
    ["month-1", "month-2", "month-3", "month-4", "month-5", "month-6", "month-7", "month-8", "month-9", "month-10", "month-11", "month-12"];

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

/// The words of an office, the nearest first; those of the name itself say nothing of it.
fn office_tokens(all: &[Word], held: &Held) -> Vec<Token> {
    let mut tokens = vec![Token {
        word: held.office.to_owned(),
        shown: words::bare(&all[held.at].text),
        things: vec![held.office],
        near: 1.0,
        is_name: false,
    }];
    for (index, word) in all.iter().enumerate() {
        let distance = index.abs_diff(held.at);
        let is_of_name = held.start <= word.start && word.end <= held.end;
        // "Safety lead": what stands right before an office says of what.
        let near = if index + 1 == held.at { 0.95 } else { 1.0 / (1.0 + 0.4 * distance as f64) };
        if distance > 0
            && !is_of_name
            && let Some(made) = token(word, near)
            && !tokens.iter().any(|known| known.word == made.word)
        {
            tokens.push(Token { is_name: false, ..made });
        }
    }
    tokens.sort_by(|one, other| other.near.total_cmp(&one.near));
    tokens
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
    let newest = newest_rows(claims);
    let rows = claims.iter().filter(|claim| claim.is_row).map(|claim| of_row(claim, &titles, &newest, &passages));
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

/// The last year of the rows of each source.
fn newest_rows(claims: &[Claim]) -> BTreeMap<String, u16> {
    let mut newest = BTreeMap::new();
    for claim in claims.iter().filter(|claim| claim.is_row) {
        if let Some(period) = claim.period {
            let known = newest.entry(claim.path.clone()).or_insert(0);
            *known = period.year().max(*known);
        }
    }
    newest
}

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

fn of_row(
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
        tokens.push(Token { word: name.to_owned(), shown: String::new(), things: vec![name], near: 0.9, is_name: false });
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
        has_own_years: claim.origin == super::claims::Origin::Own,
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
                for (index, sentence) in all.iter().enumerate() {
                    if sentence.text.len() > limits::CLAIM_BYTES {
                        continue;
                    }
                    let begin = found.len();
                    of_sentence(document, sentence, &around, &mut found);
                    lean(&mut found[begin..], index.checked_sub(1).and_then(|at| all.get(at)), all.get(index + 1));
                    // "Accounts of 2024. The line carried …": what the sentence before is of holds on.
                    let own: BTreeSet<u16> =
                        dates(&plain_digits(&sentence.text)).iter().map(|date| date.period.year()).collect();
                    if own.len() == 1 {
                        around.years = own;
                    }
                }
            }
            Block::Table(table) => of_table(document, table, &mut around, passages, &mut found),
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

/// Dates in cells: when something is, or when it was built. A column that only counts the years is none.
fn of_table(
    document: &Document,
    table: &Table,
    around: &mut Around,
    passages: &mut Passages,
    found: &mut Vec<Mention>,
) {
    let columns = columns::columns(table, table.decimal(document.decimal()));
    let labels = table_claims::label_columns(table, &columns);
    for row in &table.rows {
        let texts: Vec<&str> = table.header.iter().map(String::as_str).chain(row.iter().map(|c| c.text.as_str())).collect();
        let values = row.iter().flat_map(|cell| values_of(document, &cell.text)).collect();
        let mut words = passage(&texts);
        words.extend(around.tokens.iter().cloned());
        around.passage = Arc::new(Passage { tokens: words, values });
        passages.insert((document.path.clone(), table_claims::quote(table, row)), around.passage.clone());
        of_holders(document, table, row, &labels, around, found);
        of_cells(document, table, row, &columns, around, found);
        for (index, column) in columns.iter().enumerate().filter(|(_, column)| column.kind != ColumnKind::Number) {
            let Some(period) = columns::period_in(table, index, &row[index].text) else { continue };
            let is_time = table.rows.len() > 1 && column.kind == ColumnKind::Period && tables::is_course(table, index, &labels);
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
    columns: &[columns::Column],
    around: &Around,
    found: &mut Vec<Mention>,
) {
    for (index, cell) in row.iter().enumerate() {
        let is_number = columns[index].kind == ColumnKind::Number;
        let is_read = is_number && cells::cell(&cell.text, table.decimal(document.decimal())).is_some()
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

/// All figures and days of a text, in the form in which they are looked for elsewhere.
fn values_of(document: &Document, text: &str) -> Vec<String> {
    let chars = plain_digits(text);
    let dated = dates(&chars);
    let days = bare_days(&chars, &dated);
    let counted = counted(document, &chars, &dated, &days).into_iter().map(Said::Value);
    let dates = dated.iter().chain(&days).map(|date| Said::Date(date.period));
    counted.chain(dates).filter_map(|said| value_key(&said)).collect()
}

fn of_sentence(document: &Document, sentence: &Sentence, above: &Around, found: &mut Vec<Mention>) {
    if !sentence.is_cell && is_record(&sentence.text) || sentence.text.ends_with(['?', '？', '؟']) {
        return;
    }
    let chars = plain_digits(&sentence.text);
    let dated = dates(&chars);
    let days = bare_days(&chars, &dated);
    let counted = counted(document, &chars, &dated, &days);
    let all = words::words(&chars);
    let own: BTreeSet<u16> = dated.iter().map(|date| date.period.year()).collect();
    let years = match (own.is_empty(), above.written) {
        (true, Some(year)) if is_of_last_year(&sentence.text) => BTreeSet::from([year - 1]),
        (true, _) => above.years.clone(),
        (false, _) => own.clone(),
    };
    let times: Vec<Dated> = dated.iter().chain(&days).copied().collect();
    let spots: Vec<(usize, usize)> =
        counted.iter().map(|one| (one.start, one.end)).chain(times.iter().map(|one| (one.start, one.end))).collect();
    let outside: Vec<Word> = all
        .iter()
        .filter(|word| !spots.iter().any(|(from, to)| *from <= word.start && word.end <= *to))
        .cloned()
        .collect();
    let is_open = speech::is_open(&sentence.text, &outside, document.language);
    let made = |said: Said, (start, end): (usize, usize), years: BTreeSet<u16>| {
        let Words { tokens, is_plan, is_share, is_change } =
            around(&chars, &all, &spots, (start, end), matches!(said, Said::Date(_)));
        let is_start = tokens.iter().take(BEGINNING).any(|token| token.things.contains(&"began"));
        if matches!(said, Said::Date(Period::Year(_))) && !is_start {
            return None;
        }
        Some(Mention {
            path: document.path.clone(),
            lines: (sentence.line, sentence.last),
            quote: sentence.text.clone(),
            written: sentence.text.chars().skip(start).take(end - start).collect(),
            said,
            tokens,
            above: above.tokens.clone(),
            has_own_years: !own.is_empty(),
            years,
            language: document.language,
            is_row: false,
            is_newest: true,
            is_plan,
            taxed: taxed(&sentence.text),
            is_open,
            claim: None,
            glossed: above.glossed.clone(),
            is_share,
            is_change,
            beside: BTreeSet::new(),
            passage: above.passage.clone(),
        })
    };
    let begin = found.len();
    for one in roles::held(&chars, &all) {
        let tokens = office_tokens(&all, &one);
        found.extend(
            made(Said::Name(one.name.iter().cloned().collect()), (one.start, one.end), BTreeSet::new())
                .map(|made| Mention { tokens, ..made }),
        );
    }
    // Whoever is named may hold an office that no list knows: what stands around two names decides.
    for (start, end, name) in roles::people(&chars, &all) {
        let is_held = found[begin..].iter().any(|one| matches!(&one.said, Said::Name(known) if !known.is_disjoint(&name.iter().cloned().collect())));
        let is_value = spots.iter().any(|(from, to)| *from < end && start < *to);
        if !is_held && !is_value {
            found.extend(made(Said::Name(name.iter().cloned().collect()), (start, end), BTreeSet::new()));
        }
    }
    for figure in &counted {
        found.extend(made(Said::Value(figure.clone()), (figure.start, figure.end), years.clone()));
    }
    // A day tells an event; a year alone only where something is said to have begun in it.
    for date in times.iter().filter(|date| matches!(date.period, Period::Day(..) | Period::Year(_))) {
        if !sentence.is_cell && (is_of_entry(&chars, &all, date) || is_of_paper(sentence, &chars, date)) {
            continue;
        }
        found.extend(made(Said::Date(date.period), (date.start, date.end), BTreeSet::new()));
    }
    let values: BTreeSet<String> = counted
        .into_iter()
        .map(Said::Value)
        .chain(times.iter().map(|date| Said::Date(date.period)))
        .filter_map(|said| value_key(&said))
        .collect();
    for mention in &mut found[begin..] {
        mention.beside = without(&values, &mention.said);
    }
}

/// The figures of a sentence in digits and in words, in their order; what is part of a date is none.
fn counted(document: &Document, chars: &[char], dated: &[Dated], days: &[Dated]) -> Vec<Figure> {
    let mut counted = clock::clocks(chars);
    counted.extend(phones(chars));
    let is_free = |one: &Figure, known: &[Figure]| !known.iter().any(|two| two.start < one.end && one.start < two.end);
    let written: Vec<Figure> = figures(chars, dated, document.decimal());
    let written: Vec<Figure> = written.into_iter().filter(|one| is_free(one, &counted)).collect();
    counted.extend(written);
    let spelled = number_words::figures(chars, dated, document.language, number_words::Reading::Generous);
    let is_new = |one: &Figure, known: &[Figure]| !known.iter().any(|two| two.start < one.end && one.start < two.end);
    let spelled: Vec<Figure> = spelled.into_iter().filter(|one| is_new(one, &counted)).collect();
    counted.extend(spelled);
    counted.retain(|one| !days.iter().any(|day| day.start < one.end && one.start < day.end));
    counted.sort_by_key(|figure| figure.start);
    counted
}

/// The unit of a telephone number.
pub(crate) const PHONE: &str = "(phone)";

/// Telephone numbers behind a word that says so.
fn phones(chars: &[char]) -> Vec<Figure> {
    const MARKS: [&str; 18] = [
        "phone", "tel", "tel.", "telefon", "téléphone", "tél", "teléfono", "telefono", "telefone", "fax", "mobil", "mobile", "hotline", "call",
        "rufnummer", "電話", "전화", "电话",
    ];
    let mut found: Vec<Figure> = Vec::new();
    for word in words::words(chars) {
        let lower = word.text.to_lowercase();
        if !MARKS.iter().any(|mark| lower == *mark || !mark.is_ascii() && lower.ends_with(mark)) {
            continue;
        }
        let is_part = |c: &char| c.is_ascii_digit() || matches!(c, ' ' | '-' | '/' | '(' | ')' | '+' | '.');
        let is_gap = |c: &char| matches!(c, ' ' | ':' | '.' | '：' | '番' | '号');
        let Some(start) = (word.end..chars.len()).find(|at| !is_gap(&chars[*at])) else { continue };
        let mut end = (start..chars.len()).find(|at| !is_part(&chars[*at])).unwrap_or(chars.len());
        while end > start && !chars[end - 1].is_ascii_digit() {
            end -= 1;
        }
        let digits: String = chars[start..end].iter().filter(|c| c.is_ascii_digit()).collect();
        if let (6..=15, Ok(value)) = (digits.len(), digits.parse::<f64>()) {
            found.push(Figure { start, end, low: value, high: value, unit: PHONE.to_owned() });
        }
    }
    found
}

/// What a sentence or a row says of the tax; nothing where it speaks of both.
fn taxed(text: &str) -> Option<Taxed> {
    const NET: [&str; 12] = [
        "before vat",
        "excluding vat",
        "excl. vat",
        "ex vat",
        "netto",
        "hors taxe",
        " ht",
        "sin iva",
        "iva esclusa",
        "senza iva",
        "sem iva",
        "税抜",
    ];
    const GROSS: [&str; 14] = [
        "including vat",
        "incl. vat",
        "inc vat",
        "with vat",
        "brutto",
        "ttc",
        "toutes taxes",
        "iva incluido",
        "con iva",
        "iva inclusa",
        "iva compresa",
        "com iva",
        "税込",
        "부가세 포함",
    ];
    let lower = text.to_lowercase();
    let has = |marks: &[&str]| marks.iter().any(|mark| lower.contains(mark));
    match (has(&NET), has(&GROSS)) {
        (true, false) => Some(Taxed::Net),
        (false, true) => Some(Taxed::Gross),
        _ => None,
    }
}

/// Whether a sentence speaks of the year before the one it was written in.
fn is_of_last_year(text: &str) -> bool {
    const LAST: [&str; 16] = [
        "last year",
        "letztes jahr",
        "letzten jahr",
        "vergangenen jahr",
        "vorjahr",
        "l'an dernier",
        "l’an dernier",
        "l'année dernière",
        "año pasado",
        "anno scorso",
        "ano passado",
        "прошлом году",
        "العام الماضي",
        "지난해",
        "昨年",
        "去年",
    ];
    let lower = text.to_lowercase();
    LAST.iter().any(|words| lower.contains(words)) || lower.contains("작년")
}

/// Whether a date at the beginning of a source says when it was written, or of which meeting it is.
fn is_of_paper(sentence: &Sentence, chars: &[char], date: &Dated) -> bool {
    let line = sentence.line_at(date.start);
    let is_labelled = chars[..date.start].iter().any(|c| matches!(c, ':' | '：'));
    line == 1 || line <= HEAD && (!is_ended(chars) || is_labelled)
}

fn is_ended(chars: &[char]) -> bool {
    chars.iter().rev().find(|c| !c.is_whitespace()).is_some_and(|c| matches!(c, '.' | '!' | '。' | '।' | '۔' | ';'))
}

/// Whether a date only heads what follows, or says when a paper was written: nothing but a weekday before it and a dash
/// behind, or a line that is no sentence and has little else.
fn is_of_entry(chars: &[char], all: &[Word], date: &Dated) -> bool {
    let before = all.iter().filter(|word| word.end <= date.start).count();
    let behind = chars[date.end..].iter().find(|c| !c.is_whitespace() && **c != '*' && **c != ')');
    let is_head = before <= 1 && behind.is_none_or(|c| matches!(c, '–' | '—' | '-' | ':' | '：'));
    let is_ended = is_ended(chars);
    let is_last = date.end == chars.len();
    let rest = all.iter().filter(|word| word.end <= date.start || word.start >= date.end).count();
    is_head || (is_last && !is_ended && rest <= 5)
}

/// The words around a figure, and what they say of it.
struct Words {
    tokens: Vec<Token>,
    is_plan: bool,
    is_share: bool,
    is_change: bool,
}

/// The words that may say what a figure is of, with their nearness, and whether it is only planned, a share, or how much
/// something changed.
fn around(
    chars: &[char],
    all: &[Word],
    spots: &[(usize, usize)],
    (start, end): (usize, usize),
    is_date: bool,
) -> Words {
    let is_value = |word: &&Word| spots.iter().any(|(from, to)| word.start < *to && *from < word.end);
    let between = |from: usize, to: usize| spots.iter().filter(|(one, two)| *one >= from && *two <= to).count();
    let ahead: Vec<&Word> = all.iter().filter(|word| word.end <= start).rev().filter(|word| !is_value(word)).collect();
    // In 四十一万二千冊 the figure and what it counts are one run of signs.
    let rest = all.iter().find(|word| word.start < end && end < word.end && word.script == Script::Han).map(|word| Word {
        start: end,
        end: word.end,
        text: chars[end..word.end].iter().collect(),
        script: word.script,
    });
    let behind = rest.iter().chain(all.iter().filter(|word| word.start >= end));
    let behind: Vec<&Word> = behind.filter(|word| word.start >= end && !is_part_of(word, spots, end)).collect();
    let (mut is_plan, mut is_share, mut is_change) = (false, false, false);
    let mut tokens: Vec<Token> = Vec::new();
    for (words, is_behind) in [(behind, true), (ahead, false)] {
        let mut distance = 0.0;
        for (index, word) in words.into_iter().enumerate() {
            let lower = word.text.to_lowercase();
            let key = words::key(word);
            let part = vocabulary::part(key.as_deref().unwrap_or(&lower), &lower);
            let is_beside = index < if is_behind { BESIDE - 1 } else { BESIDE };
            // What stands behind a comma is said of something else.
            let gap = if is_behind { end..word.start } else { word.end..start };
            let is_cut =
                chars.get(gap).is_some_and(|gap| gap.iter().any(|c| matches!(c, ',' | ';' | '(' | '、' | '،')));
            let crossed = if is_behind { between(end, word.start) } else { between(word.end, start) };
            match part {
                Part::Share | Part::Change(_)
                    if is_beside && !is_cut && crossed == 0 && !is_date && !is_each(&lower) =>
                {
                    is_share |= matches!(part, Part::Share);
                    is_change |= matches!(part, Part::Change(_));
                }
                Part::Plan => is_plan |= crossed == 0,
                _ => {}
            }
            // What stands beyond another figure is more likely of that one.
            let far = distance + crossed as f64 * if is_behind { 4.0 } else { 1.5 };
            if let Some(made) = token(word, 1.0 / (1.0 + 0.25 * far)) {
                if !tokens.iter().any(|known| known.word == made.word) {
                    tokens.push(made);
                }
                distance += 1.0;
            }
        }
    }
    tokens.sort_by(|one, other| other.near.total_cmp(&one.near));
    Words { tokens, is_plan, is_share, is_change }
}

/// Whether a word is part of a figure that begins behind a place.
fn is_part_of(word: &Word, spots: &[(usize, usize)], from: usize) -> bool {
    spots.iter().any(|(start, end)| *start >= from && word.start < *end && *start < word.end)
}

/// Words that say what a price is for, where the others say that a figure is a share.
fn is_each(lower: &str) -> bool {
    matches!(lower, "per" | "pro" | "par" | "por" | "je" | "each" | "apiece" | "cada" | "chaque" | "every")
}
