//! Claims: what a sentence says about something, with its unit, its period and its value.
//!
//! Owns the step from words to comparable claims. It must not know how claims are compared. It prefers silence: a
//! sentence that is a question, a condition or a denial, or whose figures cannot be told apart, makes no claim.

use std::collections::BTreeSet;

use super::asides;
use super::clauses::{Clause, carry, clauses, sort_word};
use super::dates::{Dated, Period, dates, plain_digits};
use super::figures::{self, Figure, figures};
use super::limits;
use super::names::{Names, named_in};
use super::number_words;
use super::place::{Place, Surroundings};
use super::read::{Block, Document};
use super::sentences::{Sentence, sentences};
use super::speech;
use super::table_claims;
use super::vocabulary;
use super::words::{self, Language, Word};

/// What is said to be so.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Said {
    Value(Figure),
    Date(Period),
    /// Who it is: the words of a name.
    Name(BTreeSet<String>),
}

/// What a claim is about, in the form in which words are compared.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Subject {
    /// Measure and entity together.
    pub(crate) words: BTreeSet<String>,
    /// Those of them that may be missing in another claim about the same.
    pub(crate) loose: BTreeSet<String>,
    /// Those of them that are names.
    pub(crate) names: BTreeSet<String>,
    /// What is done with the thing that is counted.
    pub(crate) action: Option<&'static str>,
    /// The words as they are written, in their order.
    pub(crate) shown: Vec<String>,
    /// Small words that say which of several figures of the thing this is.
    pub(crate) marks: BTreeSet<String>,
    /// The names in the order in which they stand.
    pub(crate) order: Vec<String>,
    /// What was done, where no list knows the verb.
    pub(crate) verbs: BTreeSet<String>,
    /// Whether it is said that something has what is counted.
    pub(crate) has_possession: bool,
    /// Names that stand in two scripts side by side.
    pub(crate) glossed: BTreeSet<String>,
    /// Where the last name ends.
    pub(crate) last_name: Option<usize>,
    /// Languages whose sources have a word for its kind of thing, and have this one.
    pub(crate) tongues: Vec<Language>,
}

impl Subject {
    /// Whether a word stands right behind a name.
    pub(crate) fn is_behind_name(&self, word: &Word) -> bool {
        self.last_name.is_some_and(|end| end + 1 == word.start)
    }
}

/// One comparable statement.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Claim {
    pub(crate) path: String,
    /// The line on which the figure stands, and those that the quote takes up.
    pub(crate) line: usize,
    pub(crate) lines: (usize, usize),
    pub(crate) subject: Subject,
    pub(crate) place: Surroundings,
    pub(crate) language: Language,
    pub(crate) period: Option<Period>,
    /// Whether the period stands in the sentence or the row itself.
    pub(crate) origin: Origin,
    pub(crate) said: Said,
    /// The sentence or the row, to be shown.
    pub(crate) quote: String,
    /// The figure or date as it is written.
    pub(crate) written: String,
    /// Whether it is a cell of a table.
    pub(crate) is_row: bool,
}

impl Claim {
    /// Whether it is a row of a table that says of which time it is.
    pub(crate) fn is_dated_row(&self) -> bool {
        self.is_row && self.period.is_some() && self.origin == Origin::Own
    }
}

/// Where the period of a claim is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    Own,
    /// By a heading, the name of the file, or the sentence before.
    Around,
}

/// All claims of a document, in the order of its lines.
pub(crate) fn claims(document: &Document, names: &Names) -> Vec<Claim> {
    let mut place = Place::new(document, names);
    let mut before = Before::default();
    let mut found = Vec::new();
    for block in &document.blocks {
        match block {
            Block::Heading { level, text, .. } => {
                place.enter(*level, text);
                before = Before::default();
            }
            Block::Prose(pieces) => from_paragraph(&place, &sentences(pieces), &mut before, &mut found),
            Block::Table(table) => found.extend(table_claims::from_table(&place, table)),
        }
    }
    for subject in found.iter_mut().map(|claim| &mut claim.subject) {
        subject.tongues = subject.words.iter().flat_map(|word| names.tongues_of(word)).copied().collect();
    }
    found
}

fn from_paragraph(place: &Place<'_>, sentences: &[Sentence], before: &mut Before, found: &mut Vec<Claim>) {
    before.period = None;
    for sentence in sentences.iter().filter(|sentence| sentence.text.len() <= limits::CLAIM_BYTES) {
        let goes_on = speech::goes_on(&sentence.text);
        let named = named_in(&sentence.text);
        // "The budget was 2.4 million": whose it is was said before.
        // So it was if it names only again what was named: "the school" behind "Hazelgrove School".
        let is_again = named.iter().all(|word| before.words.contains(word) && vocabulary::is_kind(word));
        let known = match (goes_on, is_again) {
            (true, _) => before.clone(),
            (false, true) => Before { words: before.words.clone(), period: None },
            (false, false) => Before::default(),
        };
        let made = from_sentence(place, sentence, &known);
        if !goes_on && !is_again {
            before.words = named;
        }
        if let Some(first) = made.first() {
            before.period = first.period;
        }
        found.extend(made);
    }
}

/// What the sentence before was about, and when.
#[derive(Clone, Default)]
struct Before {
    words: BTreeSet<String>,
    period: Option<Period>,
}

fn from_sentence(place: &Place<'_>, sentence: &Sentence, before: &Before) -> Vec<Claim> {
    let mut chars = plain_digits(&sentence.text);
    let mut dates = dates(&chars);
    let mut figures = figures(&chars, &dates, place.decimal);
    // What is said in words counts beside digits only if it is of another kind: "the fourteen yards built 40 boats".
    let spelled = number_words::figures(&chars, &dates, place.language, number_words::Reading::Strict);
    let is_other = |one: &Figure| {
        let is_joined =
            matches!(figures::word_before(&chars, one.start).as_str(), "and" | "und" | "et" | "y" | "e" | "и");
        let is_apart = |known: &Figure| !(known.start < one.end && one.start < known.end);
        figures.iter().all(|known| is_apart(known) && (is_joined || known.unit != one.unit))
    };
    let spelled: Vec<Figure> = spelled.into_iter().filter(is_other).collect();
    figures.extend(spelled);
    figures.sort_by_key(|one| one.start);
    if figures.is_empty() && dates.is_empty() {
        return Vec::new();
    }
    chars.truncate(speech::main_part(&chars, &dates, &figures));
    dates.retain(|one| one.end <= chars.len());
    figures.retain(|one| one.end <= chars.len());
    let text: String = chars.iter().collect();
    let words = words::words(&chars);
    let outside: Vec<Word> = claimed(&chars, &words, &dates, &figures)
        .iter()
        .filter(|word| !figures.iter().any(|one| one.start <= word.start && word.end <= one.end))
        .cloned()
        .collect();
    if sentence.text.ends_with(['?', '？', '؟']) || speech::is_open(&text, &outside, place.language) {
        return Vec::new();
    }
    let said = speech::without_speaker(&chars, words, &dates, &figures);
    let (mut found, said) = beginnings(place, sentence, before, said, &mut dates, &figures);
    let clauses = clauses(place, &chars, &said, &dates, &figures);
    let shared = if dates.len() == 1 { dates.first().map(|date| date.period) } else { None };
    let mut last: Option<Clause> = None;
    for mut clause in clauses {
        carry(&mut clause, last.as_ref());
        last = Some(clause.clone());
        let mut surroundings = place.surroundings();
        surroundings.words.extend(before.words.iter().cloned());
        if clause.subject.names.is_empty() {
            surroundings.words.extend(place.names.implied(&clause.subject.words));
        }
        let around = before.period.or(place.period());
        // What stands behind a semicolon has a time of its own.
        let is_apart =
            |date: &Dated| clause.figures.first().is_some_and(|figure| is_cut(&chars, figure.start, date.start));
        let shared = shared.filter(|_| !dates.first().is_some_and(is_apart));
        let origin = if shared.is_some() { Origin::Own } else { Origin::Around };
        let mut maker = Maker { place, sentence, chars: &chars, surroundings, period: shared.or(around), origin };
        found.extend(maker.claims(clause));
    }
    found
}

/// `Founded in 1921, the club has 300 members`: when it began is a claim of its own, and not the time of the figure.
fn beginnings(
    place: &Place<'_>,
    sentence: &Sentence,
    before: &Before,
    mut words: Vec<Word>,
    dates: &mut Vec<Dated>,
    figures: &[Figure],
) -> (Vec<Claim>, Vec<Word>) {
    let mut found = Vec::new();
    let mut told: Vec<std::ops::Range<usize>> = Vec::new();
    let Some(last) = figures.last().map(|figure| figure.end) else { return (found, words) };
    dates.retain(|date| {
        let near = asides::event_before(&words, date);
        let second = near.clone().filter(|(_, event)| asides::is_second_half(&words, event, figures));
        let of = near.filter(|_| date.end < last);
        let behind = asides::event_behind(&words, date).filter(|_| figures.iter().all(|one| one.start > date.end));
        let (event, shown, range) = match (of, behind) {
            (Some((event, word)), _) => {
                let next = figures.iter().map(|figure| figure.start).find(|start| *start >= date.end);
                (event, word, date.end..next.unwrap_or(last))
            }
            (None, Some((event, word))) => (event, word, 0..date.start),
            (None, None) => match (second, figures.first()) {
                (Some((event, word)), Some(figure)) => (event, word, 0..figure.start),
                _ => return true,
            },
        };
        let about: Vec<&Word> =
            words.iter().filter(|word| range.start <= word.start && word.end <= range.end).collect();
        let mut clause = Clause::default();
        about.iter().for_each(|word| sort_word(place, word, false, true, &mut clause));
        let mut subject = clause.subject;
        subject.verbs.clear();
        subject.verbs.insert(event.to_owned());
        subject.words.insert(format!("({event})"));
        // In a script with capitals they say what names the thing.
        let is_small = |word: &String| word.chars().all(|c| c.is_lowercase()) && !subject.names.contains(word);
        let small: Vec<String> = subject.words.iter().filter(|word| is_small(word)).cloned().collect();
        subject.loose.retain(|word| vocabulary::is_common(word) || small.contains(word));
        subject.loose.extend(small);
        subject.shown = about
            .iter()
            .map(|word| words::bare(&word.text))
            .filter(|text| !words::is_stop(&text.to_lowercase()))
            .chain([shown.text.clone()])
            .collect();
        let mut surroundings = place.surroundings();
        surroundings.words.extend(before.words.iter().cloned());
        let maker = Maker { place, sentence, chars: &[], surroundings, period: None, origin: Origin::Own };
        found.push(maker.claim(&subject, (None, Origin::Own), Said::Date(date.period), (date.start, date.end)));
        // What stands behind it with who did it is no claim of the figure's.
        let end = if shown.start > date.start { sentence.text.len() } else { date.end };
        told.push(shown.start.min(date.start)..end);
        false
    });
    words.retain(|word| !told.iter().any(|range| range.contains(&word.start)));
    (found, words)
}

/// Whether a semicolon stands between two places.
fn is_cut(chars: &[char], one: usize, other: usize) -> bool {
    chars[one.min(other)..one.max(other)].iter().any(|c| matches!(c, ';' | '；'))
}

/// The words without those of a tail that has no value: what it denies is something else.
fn claimed<'w>(chars: &[char], words: &'w [Word], dates: &[Dated], figures: &[Figure]) -> &'w [Word] {
    let last = figures.iter().map(|one| one.end).chain(dates.iter().map(|one| one.end)).max().unwrap_or(0);
    let tail =
        (last..chars.len()).find(|at| matches!(chars[*at], ',' | ';' | '，' | '；' | '،' | '—')).unwrap_or(chars.len());
    // So is what stands before a colon, if no value does.
    let first = figures.iter().map(|one| one.start).min().unwrap_or(last);
    let head = (0..first.min(chars.len())).rev().find(|at| matches!(chars[*at], ':' | '：')).unwrap_or(0);
    let from = words.iter().take_while(|word| word.start < head).count();
    let count = words.iter().take_while(|word| word.start < tail).count();
    &words[from.min(count)..count]
}

struct Maker<'a> {
    place: &'a Place<'a>,
    sentence: &'a Sentence,
    chars: &'a [char],
    surroundings: Surroundings,
    period: Option<Period>,
    origin: Origin,
}

impl Maker<'_> {
    fn claims(&mut self, mut clause: Clause) -> Vec<Claim> {
        if clause.is_plan || self.place.is_plan() {
            clause.subject.words.insert("(planned)".to_owned());
        }
        if clause.figures.is_empty() {
            return match (clause.event, clause.dates.as_slice()) {
                (Some(event), [date]) if clause.change.is_none() => {
                    clause.subject.words.insert(format!("({event})"));
                    clause.subject.shown.push(clause.event_shown.clone());
                    let period = (None, Origin::Own);
                    vec![self.claim(&clause.subject, period, Said::Date(date.period), (date.start, date.end))]
                }
                _ => Vec::new(),
            };
        }
        // How long a quay is does not depend on the year of the report.
        let is_size = clause.subject.words.iter().any(|word| SIZES.contains(&word.as_str()));
        let is_long = clause.is_running && clause.figures.iter().any(|figure| figure.unit == "m");
        let period = match clause.dates.as_slice() {
            [] if is_size || is_long => (None, Origin::Own),
            [] => (self.period, self.origin),
            [_] if is_size || is_long => (None, Origin::Own),
            [one] => (Some(one.period), Origin::Own),
            _ => return Vec::new(),
        };
        let mut found = Vec::new();
        for figure in &clause.figures {
            let alike = clause.figures.iter().filter(|other| other.unit == figure.unit).count();
            let before = figures::word_before(self.chars, figure.start);
            let is_target = matches!(before.as_str(), "to" | "auf" | "at" | "à" | "a" | "до");
            let is_origin = matches!(before.as_str(), "from" | "von" | "de" | "с");
            // "412 more than a year ago" is a difference.
            let is_difference = MORE.contains(&figures::next_word(self.chars, figure.end).0.as_str());
            if is_difference || (clause.change.is_some() && is_origin) || (alike > 1 && !is_target) {
                continue;
            }
            let mut subject = clause.subject.clone();
            if clause.is_running && figure.unit == "m" && !is_size {
                subject.words.insert("length".to_owned());
            }
            if let Some(change) = clause.change
                && !is_target
            {
                subject.words.insert(format!("({change})"));
            }
            found.push(self.claim(&subject, period, Said::Value(figure.clone()), (figure.start, figure.end)));
        }
        found
    }

    fn claim(
        &self,
        subject: &Subject,
        (period, origin): (Option<Period>, Origin),
        said: Said,
        (start, end): (usize, usize),
    ) -> Claim {
        Claim {
            origin,
            path: self.place.path.to_owned(),
            line: self.sentence.line_at(start),
            lines: (self.sentence.line, self.sentence.last),
            subject: subject.clone(),
            place: self.surroundings.clone(),
            language: self.place.language,
            period,
            said,
            quote: self.sentence.text.clone(),
            written: self.sentence.text.chars().skip(start).take(end - start).collect(),
            is_row: false,
        }
    }
}

const SIZES: [&str; 6] = ["length", "height", "width", "depth", "distance", "area"];
const MORE: [&str; 9] = ["more", "fewer", "less", "mehr", "weniger", "más", "menos", "больше", "меньше"];
