//! How likely two mentions are of one thing: the signs that speak for it and against it, and what each of them counts.
//!
//! Owns the weighing of one pair. It must not know which pairs are told. What the signs count is fitted to folders whose
//! contradictions are known: the test below `fitting` prints the weights and holds them to what stands here.

use std::collections::{BTreeMap, BTreeSet};

use super::claims::Said;
use super::contradictions::{self, Contradiction};
use super::dates::{NO_YEAR, Period};
use super::limits;
use super::mentions::{Mention, Token};
use super::units;
use super::words::Language;

#[cfg(test)]
mod fitting;

/// Values further apart than this are hardly of one thing, unless one of them is miswritten.
const NEAR: f64 = 0.3;

/// What speaks for two mentions being of one thing, and how much of it there is.
#[derive(Clone, Debug)]
pub(crate) struct Likeness {
    pub(crate) features: [f64; FEATURES],
    /// What they have in common, to be shown.
    pub(crate) about: Vec<String>,
    /// Whether something that is said tells them apart, so that only a person can decide.
    pub(crate) is_spoken_against: bool,
    /// Whether the strict rule could read both.
    pub(crate) is_judged: bool,
    /// Why they are believed to be of one thing, the words in common apart.
    pub(crate) signs: Vec<Sign>,
}

/// Something besides words that speaks for one thing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Sign {
    Near,
    Slip,
    Year(u16),
}

impl Likeness {
    /// Above nought it is likelier than not that they are of one thing.
    pub(crate) fn weight(&self) -> f64 {
        self.features.iter().zip(FITTED).map(|(feature, weight)| feature * weight).sum()
    }
}

/// How alike two mentions of one group are; nothing where they agree, or cannot be of one thing.
pub(crate) fn likeness(
    first: &Mention,
    second: &Mention,
    group: &Group<'_>,
    weights: &Weights,
    found: &[Contradiction],
) -> Option<Likeness> {
    if first.taxed.is_some() && second.taxed.is_some() && first.taxed != second.taxed {
        return None;
    }
    if first.path == second.path || !are_apart(first, second) || (first.is_row && second.is_row) {
        return None;
    }
    if !first.years.is_empty() && !second.years.is_empty() && first.years.is_disjoint(&second.years) {
        return None;
    }
    // What is said without a year is of the last one that a table has.
    let is_old = |row: &Mention, other: &Mention| row.is_row && !row.is_newest && other.years.is_empty();
    if is_old(first, second) || is_old(second, first) {
        return None;
    }
    let (near, slip) = (nearness(first, second), slip(first, second));
    if near < NEAR && slip == Slip::None {
        return None;
    }
    let shared = weights.shared(first, second)?;
    // Who says the other's figure, too, means two things.
    let says = |path: &str, other: &Mention| {
        group
            .mentions
            .iter()
            .filter(|one| one.path == path && agree(one, other))
            .map(|one| weights.weight(one, other))
            .fold(None, |most: Option<f64>, one| Some(most.map_or(one, |most| most.max(one))))
    };
    let said_too = [says(&first.path, second), says(&second.path, first)];
    let others = |one: &Mention| {
        let is_same =
            |other: &&&Mention| agree(other, one) && weights.shared(other, one).is_some_and(|s| s.alike > 0.3);
        group.mentions.iter().filter(is_same).map(|other| other.path.as_str()).collect::<BTreeSet<&str>>().len()
    };
    let is_agreed = others(first).max(others(second)) > 1;
    let is_used = found.iter().any(|one| is_among(one, first) || is_among(one, second));
    let is_said_too = said_too.iter().flatten().any(|one| *one >= shared.weight / 2.0);
    let is_said_elsewhere = said_too.iter().any(Option::is_some);
    let rivals = group.rivals(first, second, shared.weight);
    let features =
        features(first, second, &shared, near, slip, [is_agreed, is_used, is_said_too, is_said_elsewhere], rivals);
    let year = first.years.intersection(&second.years).last();
    let signs = [
        (near > VERY_NEAR && !matches!(first.said, Said::Name(_)) && slip == Slip::None).then_some(Sign::Near),
        (slip != Slip::None).then_some(Sign::Slip),
        year.map(|year| Sign::Year(*year)),
    ];
    // What the strict rule could read on both sides it has judged: other words beside one measure are other things to it.
    let is_judged = first.claim.is_some() && second.claim.is_some() && !is_foreign(first, second);
    let is_spoken_against = AGAINST.iter().any(|index| features[*index] > 0.0);
    Some(Likeness {
        features,
        is_spoken_against,
        is_judged,
        about: shared.about,
        signs: signs.into_iter().flatten().collect(),
    })
}

/// The signs that speak against one thing however much else is alike.
const AGAINST: [usize; 4] = [17, 26, 27, 28];

/// Values that are as near as this are told to be near.
const VERY_NEAR: f64 = 0.8;

/// Whether a mention stands where a contradiction cites.
pub(crate) fn is_among(one: &Contradiction, mention: &Mention) -> bool {
    [&one.first, &one.second]
        .into_iter()
        .chain(&one.also)
        .any(|claim| claim.path == mention.path && claim.lines.0 <= mention.lines.1 && mention.lines.0 <= claim.lines.1)
}

pub(crate) const FEATURES: usize = 29;
/// What each of these is worth, fitted to folders whose contradictions are known (crates/agent/tests/offline/folders).
pub(crate) const FITTED: [f64; FEATURES] = [
    -2.52, // nothing else
    -0.05, // how much of what is said is the same
    1.09,  // how much it is altogether
    0.27,  // how much of what stands right beside the figures
    -0.47, // one thing is named by both
    -0.58, // each names another thing
    0.98,  // how near the values are
    2.65,  // the same, where they are very near
    1.55,  // one looks like the other with a slip of the pen
    0.93,  // and surely so
    -1.51, // days
    0.25,  // years
    -0.34, // figures without a unit
    -0.10, // money
    0.22,  // two languages
    -0.72, // one of them is a row of a table
    0.81,  // both say the same year
    -0.62, // only one is planned
    -1.20, // others say it, too
    -0.59, // each names somebody else
    -1.58, // one of them contradicts something already
    -1.00, // one source says both, of what may be the same
    -0.70, // one source says both
    -2.51, // another figure of these sources has more in common with one of them
    -0.21, // names
    -1.42, // one is without the unit of the other
    -0.87, // the strict rule knows what tells them apart
    -0.85, // each is of another thing with a name
    -0.08, // one denies, asks or doubts
];

fn features(
    first: &Mention,
    second: &Mention,
    shared: &Shared,
    near: f64,
    slip: Slip,
    [is_agreed, is_used, is_said_too, is_said_elsewhere]: [bool; 4],
    rivals: f64,
) -> [f64; FEATURES] {
    let is = <f64 as From<bool>>::from;
    let unit = |mention: &Mention| match &mention.said {
        Said::Value(figure) => figure.unit.clone(),
        Said::Date(_) | Said::Name(_) => String::new(),
    };
    let is_name = matches!(first.said, Said::Name(_));
    let is_year = matches!(first.said, Said::Date(Period::Year(_)));
    let is_day = matches!(first.said, Said::Date(_)) && !is_year;
    let is_value = !is_year && !is_day && !is_name;
    let is_half_bare = is_value && unit(first) != unit(second) && (unit(first).is_empty() || unit(second).is_empty());
    let is_money = units::is_currency(&unit(first).split('/').next().unwrap_or_default().to_lowercase());
    let both = first.claim.as_deref().zip(second.claim.as_deref());
    let is_told_apart = both.is_some_and(|(one, other)| contradictions::are_told_apart(one, other));
    let are_others = both.is_some_and(|(one, other)| contradictions::are_of_others(one, other));
    let is_foreign = is_foreign(first, second);
    [
        1.0,
        shared.alike,
        shared.weight,
        shared.head,
        is(shared.has_thing),
        is(shared.has_other_thing),
        near,
        near * near * near * near,
        is(slip == Slip::Likely),
        is(slip == Slip::Sure),
        is(is_day),
        is(is_year),
        is(is_value && unit(first).is_empty() && unit(second).is_empty()),
        is(is_money),
        is(is_foreign),
        is(first.is_row || second.is_row),
        is(!first.years.is_disjoint(&second.years)),
        is(first.is_plan != second.is_plan),
        is(is_agreed),
        is(shared.has_other_name),
        is(is_used),
        is(is_said_too),
        is(is_said_elsewhere),
        rivals,
        is(is_name),
        is(is_half_bare),
        is(is_told_apart),
        is(are_others),
        is(first.is_open || second.is_open),
    ]
}

fn is_foreign(first: &Mention, second: &Mention) -> bool {
    first.language != second.language && first.language != Language::Unknown && second.language != Language::Unknown
}

/// Whether two cannot both be right, if they are of one thing.
fn are_apart(first: &Mention, second: &Mention) -> bool {
    match (&first.said, &second.said) {
        // A bare figure may be of money; two bare ones are compared as such.
        (Said::Value(one), Said::Value(other)) => one.disagrees(other),
        (Said::Date(one), Said::Date(other)) => {
            let (one, other) = aligned(*one, *other);
            !one.agrees(other)
        }
        (Said::Name(one), Said::Name(other)) => are_others(one, other),
        _ => false,
    }
}

/// Whether two names are of two people: no word in common, and written in one script.
fn are_others(one: &BTreeSet<String>, other: &BTreeSet<String>) -> bool {
    let is_latin = |name: &BTreeSet<String>| name.iter().any(|word| word.chars().any(|c| c < '\u{0250}'));
    one.is_disjoint(other) && is_latin(one) == is_latin(other)
}

/// Two dates, where one is written without its year as if it were of the other's.
fn aligned(one: Period, other: Period) -> (Period, Period) {
    match (one, other) {
        (Period::Day(NO_YEAR, month, day), Period::Day(year, ..)) => (Period::Day(year, month, day), other),
        (Period::Day(year, ..), Period::Day(NO_YEAR, month, day)) => (one, Period::Day(year, month, day)),
        _ => (one, other),
    }
}

pub(crate) fn agree(first: &Mention, second: &Mention) -> bool {
    match (&first.said, &second.said) {
        (Said::Value(one), Said::Value(other)) => one.unit == other.unit && !one.disagrees(other),
        (Said::Name(one), Said::Name(other)) => !one.is_disjoint(other),
        (Said::Date(one), Said::Date(other)) => {
            let (one, other) = aligned(*one, *other);
            one.agrees(other)
        }
        _ => false,
    }
}

/// Names are neither near nor far.
const NAMES: f64 = 0.5;

/// How near two values are: 1 for equal ones, 0 for those that have nothing to do with each other.
fn nearness(first: &Mention, second: &Mention) -> f64 {
    match (&first.said, &second.said) {
        (Said::Value(one), Said::Value(other)) => {
            let middle = |low: f64, high: f64| match (low.is_finite(), high.is_finite()) {
                (true, true) => f64::midpoint(low, high),
                (true, false) => low,
                _ => high,
            };
            let (one, other) = (middle(one.low, one.high), middle(other.low, other.high));
            let (less, more) = (one.min(other), one.max(other));
            if less > 0.0 { less / more } else { 0.0 }
        }
        (Said::Date(one), Said::Date(other)) => {
            let (one, other) = aligned(*one, *other);
            let days = f64::from(one.ordinal().abs_diff(other.ordinal()));
            // A generation is to a founding what a year is to a feast.
            let scale = if matches!(one, Period::Year(_)) { 372.0 * 30.0 } else { 372.0 / 2.0 };
            (1.0 - days / scale).max(0.0)
        }
        (Said::Name(_), Said::Name(_)) => NAMES,
        _ => 0.0,
    }
}

/// Whether one value looks like the other with a slip of the pen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Slip {
    None,
    /// One digit of several is another, two of a short figure changed places, one part of a date is another.
    Likely,
    /// Two digits of a long figure with a unit changed places; the same day of another year.
    Sure,
}

fn slip(first: &Mention, second: &Mention) -> Slip {
    if let (Said::Date(one), Said::Date(other)) = (&first.said, &second.said)
        && let (Period::Day(year, month, day), Period::Day(other_year, other_month, other_day)) = aligned(*one, *other)
    {
        return match [year == other_year, month == other_month, day == other_day] {
            [false, true, true] if year.abs_diff(other_year) == 1 => Slip::Sure,
            [true, true, false] | [true, false, true] | [false, true, true] => Slip::Likely,
            _ => Slip::None,
        };
    }
    if matches!(first.said, Said::Name(_)) {
        return Slip::None;
    }
    let digits = |mention: &Mention| -> Vec<char> { mention.written.chars().filter(char::is_ascii_digit).collect() };
    let (one, other) = (digits(first), digits(second));
    if one.len() != other.len() || one.len() < 2 {
        return Slip::None;
    }
    let differ = one.iter().zip(&other).filter(|(one, other)| one != other).count();
    let sorted = |mut digits: Vec<char>| {
        digits.sort_unstable();
        digits
    };
    let is_turned = differ == 2 && sorted(one.clone()) == sorted(other.clone());
    let has_unit = matches!(&first.said, Said::Value(figure) if !figure.unit.is_empty());
    match (is_turned, one.len()) {
        (true, 4..) if has_unit => Slip::Sure,
        (true, _) => Slip::Likely,
        (false, 4..) if differ == 1 && one.first() == other.first() => Slip::Likely,
        _ => Slip::None,
    }
}

/// Mentions that can be compared, and how much each has in common with the best of every source.
pub(crate) struct Group<'m> {
    pub(crate) mentions: Vec<&'m Mention>,
    best: BTreeMap<(usize, &'m str), f64>,
}

impl<'m> Group<'m> {
    pub(crate) fn of(mentions: Vec<&'m Mention>, weights: &Weights) -> Self {
        let mut best = BTreeMap::new();
        // Among very many nobody can look at all pairs twice.
        if mentions.len() <= limits::RIVALS {
            for (index, first) in mentions.iter().enumerate() {
                for second in mentions[index + 1..].iter().filter(|second| second.path != first.path) {
                    let weight = weights.weight(first, second);
                    for (one, other) in [(first, second), (second, first)] {
                        let known: &mut f64 = best.entry((key(one), other.path.as_str())).or_default();
                        *known = known.max(weight);
                    }
                }
            }
        }
        Self { mentions, best }
    }

    /// How much more one of two has in common with another figure of the other's source.
    fn rivals(&self, first: &Mention, second: &Mention, weight: f64) -> f64 {
        let best = |one: &Mention, other: &Mention| {
            self.best.get(&(key(one), other.path.as_str())).copied().unwrap_or_default()
        };
        (best(first, second) - weight).max(0.0) + (best(second, first) - weight).max(0.0)
    }
}

/// A mention is told from others by where it lies.
fn key(mention: &Mention) -> usize {
    std::ptr::from_ref(mention).addr()
}

/// What two mentions have in common.
struct Shared {
    /// How much of what the one says with fewer words the other says, too.
    alike: f64,
    /// How much it is altogether, however much else they say.
    weight: f64,
    /// How much of the words right beside the figures.
    head: f64,
    /// Whether both name one thing, or each names another right beside its figure.
    has_thing: bool,
    has_other_thing: bool,
    /// Whether each has a name, and none is the other's.
    has_other_name: bool,
    about: Vec<String>,
}

/// What a word weighs: one that stands beside many figures tells little of one.
pub(crate) struct Weights {
    counts: BTreeMap<String, usize>,
    mentions: usize,
    /// Names that stand in two scripts side by side.
    glossed: Vec<BTreeSet<String>>,
}

/// How much a match counts that is no word for word one.
const ONE_THING: f64 = 0.9;
const ONE_STEM: f64 = 0.7;
/// How near a word must stand to say what a figure is of.
const HEAD: f64 = 0.75;

impl Weights {
    pub(crate) fn of(mentions: &[Mention]) -> Self {
        let mut counts = BTreeMap::new();
        for mention in mentions {
            for token in &mention.tokens {
                *counts.entry(token.word.clone()).or_default() += 1;
            }
        }
        let mut glossed: Vec<BTreeSet<String>> = mentions.iter().flat_map(|one| one.glossed.clone()).collect();
        glossed.sort();
        glossed.dedup();
        Self { counts, mentions: mentions.len(), glossed }
    }

    fn of_word(&self, word: &str) -> f64 {
        let count = self.counts.get(word).copied().unwrap_or(1);
        (1.0 + self.mentions as f64 / count as f64).ln() / (1.0 + self.mentions as f64).ln()
    }

    /// How much one word is the other.
    fn is_one(&self, one: &Token, other: &Token) -> f64 {
        let is_gloss = || self.glossed.iter().any(|both| both.contains(&one.word) && both.contains(&other.word));
        if one.word == other.word || is_gloss() {
            1.0
        } else if one.things.iter().any(|thing| other.things.contains(thing)) {
            ONE_THING
        } else if is_one_stem(&one.word, &other.word) {
            ONE_STEM
        } else {
            0.0
        }
    }

    fn weight(&self, first: &Mention, second: &Mention) -> f64 {
        self.shared(first, second).map_or(0.0, |shared| shared.weight)
    }

    /// What two mentions have in common; nothing where no word is.
    fn shared(&self, first: &Mention, second: &Mention) -> Option<Shared> {
        let mut weight = 0.0;
        let mut head: f64 = 0.0;
        let mut has_thing = false;
        let mut about: Vec<(f64, &str)> = Vec::new();
        let mut found = vec![false; second.tokens.len()];
        let mut unmatched: Vec<&Token> = Vec::new();
        for token in &first.tokens {
            let best = second
                .tokens
                .iter()
                .enumerate()
                .map(|(index, other)| (self.is_one(token, other), index))
                .max_by(|(one, _), (other, _)| one.total_cmp(other))
                .filter(|(how, _)| *how > 0.0);
            let Some((how, index)) = best else {
                unmatched.push(token);
                continue;
            };
            let other = &second.tokens[index];
            found[index] = true;
            let near = (token.near * other.near).sqrt();
            let worth = how * near * self.of_word(&token.word).max(self.of_word(&other.word));
            weight += worth;
            head = head.max(how * near);
            has_thing |= token.things.iter().any(|thing| other.things.contains(thing));
            about.push((worth, token.shown.as_str()));
        }
        let others: Vec<&Token> =
            second.tokens.iter().zip(&found).filter(|(_, found)| !**found).map(|(token, _)| token).collect();
        // What one says and the heading above the other says counts half.
        let above = |tokens: &[&Token], above: &[Token]| -> f64 {
            let best = |token: &&Token| above.iter().map(|one| self.is_one(token, one)).fold(0.0, f64::max);
            tokens.iter().map(|token| best(token) * token.near * self.of_word(&token.word) / 2.0).sum()
        };
        let around = above(&unmatched, &second.above) + above(&others, &first.above);
        if weight == 0.0 && around == 0.0 {
            return None;
        }
        let is_foreign = is_foreign(first, second);
        let (one, other) = (self.said(first, is_foreign).max(weight), self.said(second, is_foreign).max(weight));
        let alike = ((weight + around) / (one.min(other) * 0.7 + one.max(other) * 0.3).max(0.01)).min(1.0);
        let (mine, theirs) = (things_beside(first), things_beside(second));
        about.sort_by(|one, other| other.0.total_cmp(&one.0).then_with(|| one.1.cmp(other.1)));
        let words: Vec<&str> = match about.is_empty() {
            true => first.tokens.iter().map(|token| token.shown.as_str()).collect(),
            false => about.into_iter().map(|(_, word)| word).collect(),
        };
        let words = words.into_iter().filter(|word| !word.is_empty()).take(3).map(str::to_owned).collect();
        Some(Shared {
            alike,
            weight: (weight + around).min(3.0),
            head,
            has_thing,
            has_other_thing: !mine.is_empty() && !theirs.is_empty() && mine.is_disjoint(&theirs),
            has_other_name: self.has_name(&unmatched, second) && self.has_name(&others, first),
            about: words,
        })
    }

    /// How much a mention says. In another language only what means the same in all of them can be compared, and names.
    fn said(&self, mention: &Mention, is_foreign: bool) -> f64 {
        let counts = |token: &&Token| !is_foreign || !token.things.is_empty() || token.is_name;
        mention.tokens.iter().filter(counts).map(|token| token.near * self.of_word(&token.word)).sum()
    }

    /// Whether a name is among words, that stands above the other mention nowhere.
    fn has_name(&self, tokens: &[&Token], other: &Mention) -> bool {
        let is_above = |token: &Token| other.above.iter().any(|one| self.is_one(token, one) > 0.0);
        tokens.iter().any(|token| token.is_name && !is_above(token))
    }
}

/// The things that are named right beside a figure.
fn things_beside(mention: &Mention) -> BTreeSet<&'static str> {
    mention.tokens.iter().filter(|token| token.near >= HEAD).flat_map(|token| token.things.clone()).collect()
}

/// `singer` and `singing`: a longer word with another ending.
fn is_one_stem(one: &str, other: &str) -> bool {
    let is_plain = |word: &str| word.chars().all(|c| c.is_alphabetic() && c < '\u{0600}');
    let shared = one.chars().zip(other.chars()).take_while(|(one, other)| one == other).count();
    let longest = one.chars().count().max(other.chars().count());
    shared >= 4 && longest <= shared + 3 && is_plain(one) && is_plain(other)
}
