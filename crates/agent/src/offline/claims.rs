//! Claims: what a sentence or a cell says about something, with its unit, its period and its value.
//!
//! Owns the step from words to comparable claims. It must not know how claims are compared. It prefers silence: a
//! sentence that is a question, a condition or a denial, or whose figures cannot be told apart, makes no claim.

use std::collections::BTreeSet;

use super::dates::{Dated, Period, dates, plain_digits};
use super::figures::{self, Decimal, Figure, figures};
use super::read::{Block, Cell, Document, Table};
use super::sentences::sentences;
use super::vocabulary::{self, Part};
use super::words::{self, Script};

/// What is said to be so.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Said {
    Value(Figure),
    Date(Period),
}

/// One comparable statement.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Claim {
    pub(crate) path: String,
    pub(crate) line: usize,
    /// The words it is about, measure and entity together, in the form in which they are compared.
    pub(crate) subject: BTreeSet<String>,
    /// Words of headings, title and file name: what the subject may leave unsaid.
    pub(crate) context: BTreeSet<String>,
    pub(crate) named: Named,
    pub(crate) period: Option<Period>,
    pub(crate) said: Said,
    /// The sentence or the row, to be shown.
    pub(crate) quote: String,
    /// The figure or date as it is written.
    pub(crate) written: String,
}

/// Whether the subject itself names somebody or something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Named {
    Yes,
    No,
}

/// All claims of a document, in the order of its lines.
pub(crate) fn claims(document: &Document) -> Vec<Claim> {
    let decimal = if words::language(&document.sample()).has_decimal_comma() { Decimal::Comma } else { Decimal::Point };
    let mut place = Place::new(document, decimal);
    let mut found = Vec::new();
    for block in &document.blocks {
        match block {
            Block::Heading { level, text, .. } => place.enter(*level, text),
            Block::Prose(pieces) => {
                let mut before = BTreeSet::new();
                for sentence in sentences(pieces) {
                    let made = from_sentence(&place, sentence.line, &sentence.text, &before);
                    if let Some(first) = made.first().filter(|claim| claim.named == Named::Yes) {
                        before = first.subject.clone();
                    }
                    found.extend(made);
                }
            }
            Block::Table(table) => found.extend(from_table(&place, table)),
        }
    }
    found
}

/// Where in a document a claim stands.
struct Place<'a> {
    path: &'a str,
    decimal: Decimal,
    file: BTreeSet<String>,
    file_period: Option<Period>,
    headings: Vec<(usize, BTreeSet<String>, Option<Period>)>,
}

impl<'a> Place<'a> {
    fn new(document: &'a Document, decimal: Decimal) -> Self {
        let name = document.path.rsplit('/').next().unwrap_or_default();
        let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem).replace(['_', '-', '.'], " ");
        let (file, file_period) = context_words(&stem);
        Self { path: &document.path, decimal, file, file_period, headings: Vec::new() }
    }

    fn enter(&mut self, level: usize, heading: &str) {
        self.headings.retain(|(above, _, _)| *above < level);
        let (words, period) = context_words(heading);
        self.headings.push((level, words, period));
    }

    fn context(&self) -> BTreeSet<String> {
        self.headings.iter().flat_map(|(_, words, _)| words).chain(&self.file).cloned().collect()
    }

    fn period(&self) -> Option<Period> {
        self.headings.iter().rev().find_map(|(_, _, period)| *period).or(self.file_period)
    }
}

fn context_words(text: &str) -> (BTreeSet<String>, Option<Period>) {
    let chars = plain_digits(text);
    let dates = dates(&chars);
    let period = if dates.len() == 1 { dates.first().map(|date| date.period) } else { None };
    let words = words::words(&chars)
        .iter()
        .filter_map(|word| subject_word(&words::key(word)?, &word.text))
        .filter(|word| !vocabulary::is_common(word))
        .collect();
    (words, period)
}

fn subject_word(key: &str, text: &str) -> Option<String> {
    match vocabulary::part(key, &text.to_lowercase()) {
        Part::Subject(word) => Some(word),
        _ => None,
    }
}

/// What a clause holds, once its words have been sorted.
#[derive(Default)]
struct Clause {
    subject: BTreeSet<String>,
    is_named: bool,
    event: Option<&'static str>,
    is_plan: bool,
    change: Option<&'static str>,
    is_doubtful: bool,
    dates: Vec<Dated>,
    figures: Vec<Figure>,
}

fn from_sentence(place: &Place<'_>, line: usize, text: &str, before: &BTreeSet<String>) -> Vec<Claim> {
    if text.ends_with(['?', '？', '؟']) {
        return Vec::new();
    }
    let chars = plain_digits(text);
    let dates = dates(&chars);
    let figures = figures(&chars, &dates, place.decimal);
    if figures.is_empty() && dates.is_empty() {
        return Vec::new();
    }
    let clauses = clauses(&chars, &dates, &figures);
    if clauses.iter().any(|clause| clause.is_doubtful) {
        return Vec::new();
    }
    let shared = if dates.len() == 1 { dates.first().map(|date| date.period) } else { None };
    let mut found = Vec::new();
    let mut last: Option<(BTreeSet<String>, bool)> = None;
    for clause in &clauses {
        let (subject, is_named) = with_carried(clause, last.as_ref());
        last = Some((subject.clone(), is_named));
        let mut context = place.context();
        context.extend(before.iter().cloned());
        let mut made = Maker { place, line, text, chars: &chars, subject, context, is_named, shared };
        found.extend(made.claims(clause));
    }
    found
}

/// A later clause without a measure, or without a name, has that of the clause before.
fn with_carried(clause: &Clause, last: Option<&(BTreeSet<String>, bool)>) -> (BTreeSet<String>, bool) {
    let Some((subject, is_named)) = last else { return (clause.subject.clone(), clause.is_named) };
    if clause.subject.is_empty() {
        return (subject.clone(), *is_named);
    }
    let mut own = clause.subject.clone();
    if !clause.is_named {
        own.extend(subject.iter().filter(|word| !vocabulary::is_common(word)).cloned());
    } else if own.iter().all(|word| !vocabulary::is_common(word)) {
        own.extend(subject.iter().filter(|word| vocabulary::is_common(word)).cloned());
    }
    (own, clause.is_named || *is_named)
}

struct Maker<'a> {
    place: &'a Place<'a>,
    line: usize,
    text: &'a str,
    chars: &'a [char],
    subject: BTreeSet<String>,
    context: BTreeSet<String>,
    is_named: bool,
    shared: Option<Period>,
}

impl Maker<'_> {
    fn claims(&mut self, clause: &Clause) -> Vec<Claim> {
        if clause.is_plan {
            self.subject.insert("(planned)".to_owned());
        }
        if clause.figures.is_empty() {
            return match (clause.event, clause.dates.as_slice()) {
                (Some(event), [date]) if clause.change.is_none() => {
                    self.subject.insert(format!("({event})"));
                    vec![self.claim(None, Said::Date(date.period), self.written(date.start, date.end))]
                }
                _ => Vec::new(),
            };
        }
        let period = match clause.dates.as_slice() {
            [] => self.shared.or(self.place.period()),
            [one] => Some(one.period),
            _ => return Vec::new(),
        };
        let mut found = Vec::new();
        for figure in &clause.figures {
            let alike = clause.figures.iter().filter(|other| other.unit == figure.unit).count();
            let before = figures::word_before(self.chars, figure.start);
            let is_target = matches!(before.as_str(), "to" | "auf" | "at");
            if (clause.change.is_some() && matches!(before.as_str(), "from" | "von")) || (alike > 1 && !is_target) {
                continue;
            }
            let mut subject = self.subject.clone();
            if let Some(change) = clause.change
                && !is_target
            {
                subject.insert(format!("({change})"));
            }
            let mut claim = self.claim(period, Said::Value(figure.clone()), self.written(figure.start, figure.end));
            claim.subject = subject;
            found.push(claim);
        }
        found
    }

    fn claim(&self, period: Option<Period>, said: Said, written: String) -> Claim {
        Claim {
            path: self.place.path.to_owned(),
            line: self.line,
            subject: self.subject.clone(),
            context: self.context.clone(),
            named: if self.is_named { Named::Yes } else { Named::No },
            period,
            said,
            quote: self.text.to_owned(),
            written,
        }
    }

    fn written(&self, start: usize, end: usize) -> String {
        self.text.chars().skip(start).take(end - start).collect()
    }
}

/// Cuts a sentence where one statement with a figure ends and the next begins.
fn clauses(chars: &[char], dates: &[Dated], figures: &[Figure]) -> Vec<Clause> {
    let words = without_speaker(words::words(chars), dates, figures);
    let mut cuts = vec![0];
    for (index, c) in chars.iter().enumerate() {
        let in_number = figures.iter().any(|one| one.start <= index && index < one.end)
            || dates.iter().any(|one| one.start <= index && index < one.end);
        if !in_number && matches!(c, ',' | ';' | '，' | '、' | '；') {
            cuts.push(index);
        }
    }
    const JOINTS: &str = " and while but whereas und während aber et mais y pero ";
    cuts.extend(
        words.iter().filter(|word| JOINTS.contains(&format!(" {} ", word.text.to_lowercase()))).map(|word| word.start),
    );
    cuts.sort_unstable();
    cuts.push(chars.len());
    let has_value = |from: usize, to: usize| {
        figures.iter().any(|one| from <= one.start && one.start < to)
            || (figures.is_empty() && dates.iter().any(|one| from <= one.start && one.start < to))
    };
    // A stretch without a figure belongs to the clause before it, or to the one after it at the beginning.
    let mut found = Vec::new();
    let mut from = 0;
    for pair in cuts.windows(2) {
        if has_value(from, pair[0]) && has_value(pair[0], pair[1]) {
            found.push(clause(&words, dates, figures, from..pair[0]));
            from = pair[0];
        }
    }
    found.push(clause(&words, dates, figures, from..chars.len()));
    found
}

/// Who says something is not what it is about: `The head of sales said that …`.
fn without_speaker(words: Vec<words::Word>, dates: &[Dated], figures: &[Figure]) -> Vec<words::Word> {
    const SAYING: &str = " said says stated states added adds noted notes reported reports announced announces claimed claims confirmed sagte erklärte ";
    let that = words.windows(2).position(|pair| {
        matches!(pair[1].text.as_str(), "that" | "dass")
            && SAYING.contains(&format!(" {} ", pair[0].text.to_lowercase()))
    });
    match that {
        Some(index) => {
            let from = words[index + 1].start;
            let says_before = figures.iter().any(|one| one.start < from) || dates.iter().any(|one| one.start < from);
            if says_before { words } else { words.into_iter().skip(index + 2).collect() }
        }
        None => words,
    }
}

fn clause(words: &[words::Word], dates: &[Dated], figures: &[Figure], range: std::ops::Range<usize>) -> Clause {
    let mut clause = Clause {
        dates: dates.iter().filter(|one| range.contains(&one.start)).copied().collect(),
        figures: figures.iter().filter(|one| range.contains(&one.start)).cloned().collect(),
        ..Clause::default()
    };
    for word in words.iter().filter(|word| range.contains(&word.start)) {
        let inside = dates.iter().any(|one| one.start <= word.start && word.start < one.end)
            || figures.iter().any(|one| one.start <= word.start && word.start < one.end);
        if inside {
            continue;
        }
        sort_word(word, &mut clause);
    }
    clause
}

fn sort_word(word: &words::Word, clause: &mut Clause) {
    let lower = word.text.to_lowercase();
    // Stop words have no key, but some of them change what is claimed.
    let key = words::key(word).unwrap_or_default();
    match vocabulary::part(&key, &lower) {
        Part::Doubt => clause.is_doubtful = true,
        Part::Plan => clause.is_plan = true,
        Part::Change(direction) => clause.change = Some(direction),
        Part::Event(event) => clause.event = Some(event),
        Part::Nothing => {}
        // Plant B, site C12, line 3: what is no word can still be a name.
        Part::Subject(_) if key.is_empty() => {
            let is_letter = word.text.chars().count() == 1 && words::is_capitalised(&word.text) && word.start > 0;
            if (is_letter && lower != "i") || lower.chars().any(|c| c.is_ascii_digit()) {
                clause.subject.insert(lower);
            }
        }
        Part::Subject(subject) => {
            let is_name = words::is_capitalised(&word.text) || matches!(word.script, Script::Katakana);
            clause.is_named |= is_name && !vocabulary::is_common(&subject);
            clause.subject.insert(subject);
        }
    }
}

/// What the head of a column says: a measure with unit and scale, or the period, or a name.
struct Column {
    words: BTreeSet<String>,
    unit: String,
    factor: f64,
    period: Option<Period>,
    is_plan: bool,
    kind: ColumnKind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ColumnKind {
    Number,
    Period,
    Label,
    Note,
}

fn from_table(place: &Place<'_>, table: &Table) -> Vec<Claim> {
    let columns: Vec<Column> = (0..table.header.len()).map(|index| column(place, table, index)).collect();
    let labels = label_columns(table, &columns);
    let mut found = Vec::new();
    for row in &table.rows {
        let row_period = (0..columns.len())
            .filter(|index| columns[*index].kind == ColumnKind::Period)
            .find_map(|index| lone_period(&row[index].text));
        let mut subject = BTreeSet::new();
        for index in &labels {
            let chars = plain_digits(&row[*index].text);
            subject.extend(words::words(&chars).iter().filter_map(label_word));
        }
        for (index, column) in columns.iter().enumerate().filter(|(_, column)| column.kind == ColumnKind::Number) {
            let period = row_period.or(column.period).or(place.period());
            found.extend(from_cell(place, table, row, index, column, &subject, period));
        }
    }
    found
}

/// A word of a label: whatever tells one row from another, also numbers and single letters.
fn label_word(word: &words::Word) -> Option<String> {
    match words::key(word) {
        Some(key) => subject_word(&key, &word.text),
        None => {
            let lower = word.text.to_lowercase();
            let is_letter = word.text.chars().count() == 1 && words::is_capitalised(&word.text);
            (word.script != Script::Hiragana && (is_letter || !words::is_stop(&lower))).then_some(lower)
        }
    }
}

fn from_cell(
    place: &Place<'_>,
    table: &Table,
    row: &[Cell],
    index: usize,
    column: &Column,
    labels: &BTreeSet<String>,
    period: Option<Period>,
) -> Option<Claim> {
    let cell = &row[index];
    let mut figure = figures::cell(&cell.text, place.decimal)?;
    if figure.unit.is_empty() {
        figure.unit.clone_from(&column.unit);
        figure.low *= column.factor;
        figure.high *= column.factor;
    }
    let mut subject: BTreeSet<String> = labels.union(&column.words).cloned().collect();
    if column.is_plan {
        subject.insert("(planned)".to_owned());
    }
    let quote = table
        .header
        .iter()
        .zip(row)
        .filter(|(_, cell)| !cell.text.is_empty())
        .map(|(head, cell)| format!("{head}: {}", cell.text))
        .collect::<Vec<_>>()
        .join("; ");
    Some(Claim {
        path: place.path.to_owned(),
        line: cell.line,
        subject,
        context: place.context(),
        named: if labels.is_empty() { Named::No } else { Named::Yes },
        period,
        said: Said::Value(figure),
        quote,
        written: cell.text.trim().to_owned(),
    })
}

fn column(place: &Place<'_>, table: &Table, index: usize) -> Column {
    let head = table.header[index].replace('_', " ");
    let chars = plain_digits(&head);
    let dates = dates(&chars);
    let mut column = Column {
        words: BTreeSet::new(),
        unit: String::new(),
        factor: 1.0,
        period: dates.first().map(|date| date.period),
        is_plan: false,
        kind: ColumnKind::Note,
    };
    for word in head.split(|c: char| c.is_whitespace() || "()[],/".contains(c)).filter(|word| !word.is_empty()) {
        let lower = word.to_lowercase();
        if let Some(factor) = super::units::scale(&lower) {
            column.factor *= factor;
        } else if let Some((unit, factor)) = super::units::unit(&lower).filter(|_| !is_period_head(&lower)) {
            unit.clone_into(&mut column.unit);
            column.factor *= factor;
        } else {
            for word in words::words(&plain_digits(word)) {
                let key = words::key(&word).unwrap_or_default();
                match vocabulary::part(&key, &word.text.to_lowercase()) {
                    Part::Plan => column.is_plan = true,
                    Part::Subject(subject) if !key.is_empty() => {
                        column.words.insert(subject);
                    }
                    _ => {}
                }
            }
        }
    }
    column.kind = kind(place, table, index);
    column
}

fn kind(place: &Place<'_>, table: &Table, index: usize) -> ColumnKind {
    let texts: Vec<&str> =
        table.rows.iter().map(|row| row[index].text.trim()).filter(|text| !text.is_empty()).collect();
    let most = |count: usize| count * 10 >= texts.len() * 8 && count > 0;
    let is_period = most(texts.iter().filter(|text| lone_period(text).is_some()).count());
    let head = table.header[index].to_lowercase();
    let all_numbers = most(texts.iter().filter(|text| figures::cell(text, place.decimal).is_some()).count());
    if is_period && (is_period_head(&head) || !all_numbers || texts.iter().all(|text| text.len() == 4)) {
        return ColumnKind::Period;
    }
    if all_numbers {
        let is_number_of_row = matches!(head.as_str(), "id" | "#" | "nr" | "no" | "no." | "rank");
        return if is_number_of_row { ColumnKind::Note } else { ColumnKind::Number };
    }
    let characters: usize = texts.iter().map(|text| text.chars().count()).sum();
    if !texts.is_empty() && characters <= texts.len() * 40 { ColumnKind::Label } else { ColumnKind::Note }
}

fn is_period_head(lower: &str) -> bool {
    [
        "year", "date", "period", "quarter", "month", "jahr", "datum", "연도", "날짜", "년도", "年", "年度", "日付",
        "日期",
    ]
    .contains(&lower)
}

/// The period of a cell that names nothing but it.
pub(crate) fn lone_period(text: &str) -> Option<Period> {
    let chars = plain_digits(text.trim());
    match dates(&chars).as_slice() {
        [one] if one.start == 0 && one.end == chars.len() => Some(one.period),
        _ => None,
    }
}

/// The first label column, and as many more as it takes to tell the rows apart.
fn label_columns(table: &Table, columns: &[Column]) -> Vec<usize> {
    let candidates: Vec<usize> = (0..columns.len()).filter(|index| columns[*index].kind == ColumnKind::Label).collect();
    let periods: Vec<usize> = (0..columns.len()).filter(|index| columns[*index].kind == ColumnKind::Period).collect();
    for count in 1..candidates.len() {
        let chosen = &candidates[..count];
        let rows: BTreeSet<Vec<&str>> = table
            .rows
            .iter()
            .map(|row| chosen.iter().chain(&periods).map(|index| row[*index].text.as_str()).collect())
            .collect();
        if rows.len() == table.rows.len() {
            return chosen.to_vec();
        }
    }
    candidates
}
