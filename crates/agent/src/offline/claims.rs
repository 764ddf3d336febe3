//! Claims: what a sentence says about something, with its unit, its period and its value.
//!
//! Owns the step from words to comparable claims. It must not know how claims are compared. It prefers silence: a
//! sentence that is a question, a condition or a denial, or whose figures cannot be told apart, makes no claim.

use std::collections::BTreeSet;

use super::dates::{Dated, Period, dates, plain_digits};
use super::figures::{self, Figure, figures};
use super::limits;
use super::names::{At, Names, named_in};
use super::number_words;
use super::place::{Place, Surroundings};
use super::qualifiers::{self, Stands};
use super::read::{Block, Document};
use super::sentences::{Sentence, sentences};
use super::speech;
use super::table_claims;
use super::turns;
use super::units;
use super::vocabulary::{self, Part};
use super::words::{self, Language, Script, Word};

/// What is said to be so.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Said {
    Value(Figure),
    Date(Period),
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

/// What a clause holds, once its words have been sorted.
#[derive(Clone, Debug, Default)]
struct Clause {
    subject: Subject,
    event: Option<&'static str>,
    /// The event as it is written.
    event_shown: String,
    is_plan: bool,
    change: Option<&'static str>,
    /// Whether something reaches as far as its figure says.
    is_running: bool,
    dates: Vec<Dated>,
    figures: Vec<Figure>,
}

fn from_sentence(place: &Place<'_>, sentence: &Sentence, before: &Before) -> Vec<Claim> {
    let mut chars = plain_digits(&sentence.text);
    let mut dates = dates(&chars);
    let mut figures = figures(&chars, &dates, place.decimal);
    // What is said in words counts beside digits only if it is of another kind: "the fourteen yards built 40 boats".
    let spelled = number_words::figures(&chars, &dates, place.language);
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
    let clauses = clauses(place, &chars, &said, &dates, &figures);
    let shared = if dates.len() == 1 { dates.first().map(|date| date.period) } else { None };
    let mut found = Vec::new();
    let mut last: Option<Clause> = None;
    for mut clause in clauses {
        carry(&mut clause, last.as_ref());
        last = Some(clause.clone());
        let mut surroundings = place.surroundings();
        surroundings.words.extend(before.words.iter().cloned());
        let around = before.period.or(place.period());
        let origin = if shared.is_some() { Origin::Own } else { Origin::Around };
        let mut maker = Maker { place, sentence, chars: &chars, surroundings, period: shared.or(around), origin };
        found.extend(maker.claims(clause));
    }
    found
}

/// The words without those of a tail that has no value: what it denies is something else.
fn claimed<'w>(chars: &[char], words: &'w [Word], dates: &[Dated], figures: &[Figure]) -> &'w [Word] {
    let last = figures.iter().map(|one| one.end).chain(dates.iter().map(|one| one.end)).max().unwrap_or(0);
    let tail =
        (last..chars.len()).find(|at| matches!(chars[*at], ',' | ';' | '，' | '；' | '،' | '—')).unwrap_or(chars.len());
    let count = words.iter().take_while(|word| word.start < tail).count();
    &words[..count]
}

/// A later clause without a measure, or without an entity, has that of the clause before.
fn carry(clause: &mut Clause, last: Option<&Clause>) {
    let Some(last) = last else { return };
    let has_measure = clause.subject.words.iter().any(|word| vocabulary::is_common(word));
    let has_entity = clause.subject.words.iter().any(|word| !vocabulary::is_common(word));
    let is_carried = |word: &&String| match vocabulary::is_common(word) {
        true => !has_measure,
        false => !has_entity,
    };
    let own = &mut clause.subject;
    own.words.extend(last.subject.words.iter().filter(is_carried).cloned());
    own.names.extend(last.subject.names.iter().filter(is_carried).cloned());
    own.loose.extend(last.subject.loose.iter().filter(is_carried).cloned());
    own.action = own.action.or(last.subject.action);
    if own.verbs.is_empty() && own.action.is_none() {
        own.verbs.clone_from(&last.subject.verbs);
    }
    if own.marks.is_empty() {
        own.marks.clone_from(&last.subject.marks);
    }
    if !has_measure || !has_entity {
        let mut shown = last.subject.shown.clone();
        if has_measure {
            shown.retain(|word| !clause_has_measure(word));
        }
        shown.append(&mut own.shown);
        own.shown = shown;
    }
    clause.is_plan |= last.is_plan;
}

fn clause_has_measure(shown: &str) -> bool {
    words::content(shown).iter().any(|key| vocabulary::is_measure(key))
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
        }
    }
}

const SIZES: [&str; 6] = ["length", "height", "width", "depth", "distance", "area"];
const MORE: [&str; 9] = ["more", "fewer", "less", "mehr", "weniger", "más", "menos", "больше", "меньше"];

/// Cuts a sentence where one statement with a figure ends and the next begins.
fn clauses(place: &Place<'_>, chars: &[char], words: &[Word], dates: &[Dated], figures: &[Figure]) -> Vec<Clause> {
    let in_value = |index: usize| {
        figures.iter().any(|one| one.start <= index && index < one.end)
            || dates.iter().any(|one| one.start <= index && index < one.end)
    };
    let marks: Vec<usize> = (0..chars.len())
        .filter(|index| {
            matches!(chars[*index], ',' | ';' | '，' | '、' | '；' | '(' | '（' | '،' | '—' | '–') && !in_value(*index)
        })
        .collect();
    const JOINTS: &str = " and while but whereas compared versus vs against after und während aber gegenüber nach et mais contre y pero frente tras а и но против ";
    let mut cuts = vec![0];
    cuts.extend(&marks);
    cuts.extend(
        words.iter().filter(|word| JOINTS.contains(&format!(" {} ", word.text.to_lowercase()))).map(|word| word.start),
    );
    // "rose from 61,000 in 2022 to 70,000 in 2023"
    const TARGETS: &str = " to auf à a до ";
    let is_target = |word: &&Word| {
        TARGETS.contains(&format!(" {} ", word.text.to_lowercase()))
            && figures.iter().any(|one| one.start == word.end + 1)
    };
    cuts.extend(words.iter().filter(is_target).map(|word| word.start));
    cuts.sort_unstable();
    cuts.push(chars.len());
    let has_value = |from: usize, to: usize| {
        figures.iter().any(|one| from <= one.start && one.start < to)
            || (figures.is_empty() && dates.iter().any(|one| from <= one.start && one.start < to))
    };
    let other = turns::goes_on_at(words);
    // A stretch without a figure belongs to the clause before it, or to the one after it at the beginning.
    let mut ranges = Vec::new();
    let mut from = 0;
    for pair in cuts.windows(2) {
        if has_value(from, pair[0]) && has_value(pair[0], pair[1]) {
            ranges.push(from..pair[0]);
            from = pair[0];
        }
    }
    ranges.push(from..chars.len());
    let made = ranges.into_iter().map(|range| {
        // What follows the last value behind a comma tells more, but not what the figure is of.
        let ends = marks.iter().chain(&other).copied();
        let tail = ends.filter(|mark| range.contains(mark) && !has_value(*mark, range.end)).min();
        // What stands before a colon leads up to what is said.
        let head =
            range.clone().find(|at| matches!(chars[*at], ':' | '：') && !in_value(*at) && !has_value(range.start, *at));
        let core = head.unwrap_or(range.start)..tail.unwrap_or(range.end);
        let mut made = clause(place, words, dates, figures, range.clone(), &core);
        made.subject.marks.extend(qualifiers::numbered(chars, &range));
        made
    });
    made.collect()
}

fn clause(
    place: &Place<'_>,
    words: &[Word],
    dates: &[Dated],
    figures: &[Figure],
    range: std::ops::Range<usize>,
    core: &std::ops::Range<usize>,
) -> Clause {
    let mut clause = Clause {
        dates: dates.iter().filter(|one| range.contains(&one.start)).copied().collect(),
        figures: figures.iter().filter(|one| range.contains(&one.start)).cloned().collect(),
        ..Clause::default()
    };
    let inside = |at: usize| {
        dates.iter().any(|one| one.start <= at && at < one.end)
            || figures.iter().any(|one| one.start <= at && at < one.end)
    };
    let stands = |at: usize| match dates.iter().any(|one| one.start <= at && at < one.end) {
        true => Stands::Date,
        false if inside(at) => Stands::Figure,
        false => Stands::Word,
    };
    // ", the other works the rest" is about another thing.
    let is_rest = words.iter().any(|word| {
        core.end <= word.start && word.start < range.end && matches!(word.text.as_str(), "rest" | "remainder" | "Rest")
    });
    clause.subject.marks = qualifiers::marks(words, &range, &stands);
    for (index, word) in words.iter().enumerate().filter(|(_, word)| range.contains(&word.start)) {
        let next = words.get(index + 1).map(|next| next.text.to_lowercase()).unwrap_or_default();
        // "900 kg a week" is a rate, "a week ticket" is none.
        let is_behind = figures.iter().any(|one| one.end <= word.start && word.start < one.end + 30);
        let is_article = matches!(word.text.as_str(), "a" | "an" | "A" | "An");
        if let Some(rate) = speech::rate(&word.text.to_lowercase(), &next).filter(|_| is_behind || !is_article) {
            clause.subject.words.insert(rate.to_owned());
        }
        let end = dates.iter().find(|one| one.start <= word.start && word.start < one.end).map(|one| one.end);
        let behind = end.and_then(|end| speech::behind_date(word, end));
        let word = behind.as_ref().unwrap_or(word);
        if inside(word.start) || (is_rest && word.start >= core.end) {
            continue;
        }
        // "opened in 1998" happens once, "opened three shops in 2023" may happen again.
        let is_once = words.get(index + 1).is_none_or(|next| {
            word.script != Script::Spaced || words::is_stop(&next.text.to_lowercase()) || inside(next.start)
        });
        let counted = figures.iter().any(|one| one.end == word.start);
        if counted && word.script == Script::Hangul {
            continue;
        }
        // "founded in 1967 by Edda Lorne": who did it does not tell what was done.
        let is_by = figures.is_empty()
            && words[..index].iter().any(|by| {
                range.contains(&by.start)
                    && matches!(by.text.as_str(), "by" | "von" | "par" | "por" | "da" | "door" | "przez")
                    && dates.iter().any(|date| date.end <= by.start)
            });
        if is_by {
            continue;
        }
        let word = if counted { speech::without_counter(word) } else { word.clone() };
        sort_word(place, &word, is_once, !core.contains(&word.start), &mut clause);
    }
    let said: Vec<Word> = words.iter().filter(|word| core.contains(&word.start)).cloned().collect();
    deed(place.language, &said, figures, core, &mut clause);
    turn(&said, &mut clause);
    clause
}

/// Whether something is had, or what else is done with what is counted.
fn deed(language: Language, said: &[Word], figures: &[Figure], core: &std::ops::Range<usize>, clause: &mut Clause) {
    let is_possession = |word: &Word| vocabulary::is_possession(&word.text.to_lowercase(), language);
    clause.subject.has_possession = said.iter().any(is_possession);
    match clause.subject.has_possession {
        true => clause.subject.verbs.clear(),
        false => verb_before_figure(said, figures, core, clause),
    }
}

/// `La ferme exploite 74 hectares`: the small word right before what is counted, where no known verb stands, is one.
fn verb_before_figure(inside: &[Word], figures: &[Figure], core: &std::ops::Range<usize>, clause: &mut Clause) {
    let lower = |word: &Word| word.text.to_lowercase();
    let is_known = |word: &Word| vocabulary::is_verb(&words::key(word).unwrap_or_default(), &lower(word));
    let has_verb = clause.subject.action.is_some() || !clause.subject.verbs.is_empty();
    if has_verb || clause.event.is_some() || inside.iter().any(is_known) {
        return;
    }
    let Some(figure) = figures.iter().find(|figure| core.contains(&figure.start)) else { return };
    let Some(at) = inside.iter().position(|word| word.end + 1 == figure.start) else { return };
    let verb = &inside[at];
    // Behind a preposition or an article stands a noun; before a price, whatever is sold.
    let is_behind_noun = at > 0 && !words::is_stop(&lower(&inside[at - 1]));
    let is_counted = !units::is_currency(&figure.unit.to_lowercase());
    let is_verb = is_behind_noun && is_counted && verb.script == Script::Spaced && !words::is_capitalised(&verb.text);
    let Some(key) = words::key(verb).filter(|key| is_verb && !vocabulary::is_common(key)) else { return };
    // What is counted without a unit is told apart by such a word, unless its form says that it is a verb.
    let is_sure = !figure.unit.is_empty() || clause.subject.loose.contains(&key);
    if is_sure && clause.subject.words.remove(&key) {
        clause.subject.loose.remove(&key);
        clause.subject.shown.retain(|shown| *shown != verb.text);
        clause.subject.verbs.insert(key);
    }
}

/// What several words together say of a clause.
fn turn(words: &[Word], clause: &mut Clause) {
    let subject = &mut clause.subject;
    let known = subject.action;
    subject.action = turns::action(words, known);
    if subject.action != known {
        subject.verbs.clear();
    }
    clause.is_running = turns::is_running(words);
    if turns::is_there_since(words) && clause.event.is_none() {
        clause.event = Some("founded");
        subject.verbs = ["founded".to_owned()].into();
        subject.marks.remove("time:from");
        subject.words.retain(|word| !turns::is_since(word));
    }
    if let Some((measure, said)) = turns::people(words) {
        subject.words.retain(|word| !said.contains(word));
        match measure {
            "employee" => subject.action = subject.action.or(Some("employ")),
            measure => drop(subject.words.insert(measure.to_owned())),
        }
    }
    for whom in turns::opened_for(words) {
        subject.marks.remove(&format!("way {whom}:to"));
        subject.words.remove(&whom);
        subject.names.remove(&whom);
    }
}

fn sort_word(place: &Place<'_>, word: &Word, is_once: bool, is_aside: bool, clause: &mut Clause) {
    let lower = word.text.to_lowercase();
    // Stop words have no key, but some of them change what is claimed.
    let key = words::key(word).unwrap_or_default();
    let subject = &mut clause.subject;
    match vocabulary::part(&key, &lower) {
        _ if turns::is_spreading(&lower) || turns::is_existing(&lower) => {}
        _ if vocabulary::is_stretch(&lower) => {
            subject.words.insert(lower);
        }
        Part::Plan => clause.is_plan = true,
        Part::Change(direction) => clause.change = clause.change.or(Some(direction)),
        Part::Event(event) => {
            if clause.event.is_none() && is_once {
                clause.event = Some(event);
                clause.event_shown.clone_from(&word.text);
            }
            if !is_aside {
                subject.verbs.insert(event.to_owned());
            }
            subject.action = subject.action.or(vocabulary::action(&key, &lower));
        }
        Part::Action(action) => subject.action = subject.action.or((!is_aside).then_some(action)),
        Part::Nothing if !is_aside => subject.verbs.extend(vocabulary::past_verb(&key, &lower)),
        Part::Doubt | Part::Share | Part::Nothing => {}
        // Plant B, site C12, line 3: what is no word can still be a name.
        Part::Subject(_) if key.is_empty() => {
            let is_letter = word.text.chars().count() == 1 && words::is_capitalised(&word.text) && word.start > 0;
            if (is_letter && lower != "i") || lower.chars().any(|c| c.is_ascii_digit()) {
                subject.words.insert(lower);
                subject.shown.push(word.text.clone());
            }
        }
        Part::Subject(made) => {
            let at = if word.start == 0 { At::Beginning } else { At::Inside };
            let is_name = place.names.is_name(word, &key, at, place.language);
            if is_name {
                subject.names.insert(made.clone());
                if word.script == Script::Spaced && !subject.order.contains(&made) {
                    subject.order.push(made.clone());
                }
            }
            let is_verb = vocabulary::is_loose(&lower, place.language) && !vocabulary::is_measure(&made);
            let is_loose = is_aside || is_verb || vocabulary::is_generic(&made);
            if is_loose && !is_name {
                subject.loose.insert(made.clone());
            }
            if !is_loose {
                let is_hangul = word.script == Script::Hangul;
                subject.shown.push(if is_hangul { key.clone() } else { words::bare(&word.text) });
            }
            subject.words.insert(made);
        }
    }
}
