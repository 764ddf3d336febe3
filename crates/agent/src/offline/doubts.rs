//! Figures that may not agree: same unit, no other year, words in common, another value. Weaker than a contradiction, and
//! told apart from one: the sources may speak of different things, and a person has to look.
//!
//! Owns the weighing. It must not know where mentions come from. Whoever reads a pile of papers for mistakes looks for
//! exactly this: the one figure that is written otherwise.

use std::collections::{BTreeMap, BTreeSet};

use super::claims::Said;
use super::contradictions::Contradiction;
use super::dates::{NO_YEAR, Period};
use super::limits;
use super::mentions::{Mention, Token};
use super::units;
use super::words::Language;

/// Values further apart than this are hardly of one thing, unless one of them is miswritten.
const NEAR: f64 = 0.3;
/// What a pair must weigh to be told.
const LEAST: f64 = -0.30;

/// Two mentions that may be of one thing, and cannot both be right if they are.
#[derive(Clone, Debug)]
pub(crate) struct Doubt {
    pub(crate) first: Mention,
    pub(crate) second: Mention,
    /// Further places that say the one or the other.
    pub(crate) also: Vec<Mention>,
    /// What they have in common, to be shown.
    pub(crate) about: String,
    weight: f64,
}

/// The pairs that are most worth a look, the likeliest first; none that is among the contradictions already.
pub(crate) fn doubts(mentions: &[Mention], found: &[Contradiction]) -> Vec<Doubt> {
    let weights = Weights::of(mentions);
    let mut all: Vec<Doubt> = Vec::new();
    for group in groups(mentions) {
        let mut left = limits::COMPARISONS;
        for (position, first) in group.iter().enumerate() {
            let others = &group[position + 1..];
            if others.len() > left {
                break;
            }
            left -= others.len();
            let pairs = others.iter().filter_map(|second| doubt(first, second, &group, &weights, found));
            all.extend(pairs.filter(|pair| !is_told(pair, found)));
        }
    }
    let mut all = without_whole_tables(all);
    all.sort_by(|one, other| other.weight.total_cmp(&one.weight).then_with(|| place(one).cmp(&place(other))));
    let mut chosen: Vec<Doubt> = Vec::new();
    for one in all {
        match chosen.iter().position(|known| is_same_pair(known, &one)) {
            Some(known) => chosen[known].add(one),
            None if chosen.len() < limits::DOUBTS => chosen.push(one),
            None => {}
        }
    }
    chosen
}

/// A figure that could be of several rows of one table is of the likeliest of them.
fn without_whole_tables(mut all: Vec<Doubt>) -> Vec<Doubt> {
    let row_of = |doubt: &Doubt| -> Option<(Spot, String)> {
        let (row, prose) = match (doubt.first.is_row, doubt.second.is_row) {
            (true, false) => (&doubt.first, &doubt.second),
            (false, true) => (&doubt.second, &doubt.first),
            _ => return None,
        };
        Some((spot(prose), row.path.clone()))
    };
    all.sort_by(|one, other| other.weight.total_cmp(&one.weight).then_with(|| place(one).cmp(&place(other))));
    let mut known: BTreeSet<(Spot, String)> = BTreeSet::new();
    all.retain(|doubt| row_of(doubt).is_none_or(|key| known.insert(key)));
    all
}

/// A place in a source, and what is written there.
type Spot = (String, usize, String);

fn spot(mention: &Mention) -> Spot {
    (mention.path.clone(), mention.lines.0, mention.written.clone())
}

impl Doubt {
    /// Takes in further places that say the one or the other.
    fn add(&mut self, other: Self) {
        for mention in [other.first, other.second] {
            let known = [&self.first, &self.second].into_iter().chain(&self.also);
            let is_known = known.into_iter().any(|known| spot(known) == spot(&mention));
            if !is_known && self.also.len() < limits::ALSO {
                self.also.push(mention);
            }
        }
    }
}

fn place(doubt: &Doubt) -> (&str, usize, &str, usize) {
    let (first, second) = (&doubt.first, &doubt.second);
    (&first.path, first.lines.0, &second.path, second.lines.0)
}

/// Mentions that can be compared at all: of one unit, days, or years.
fn groups(mentions: &[Mention]) -> Vec<Vec<&Mention>> {
    let mut groups: BTreeMap<&str, Vec<&Mention>> = BTreeMap::new();
    for mention in mentions {
        let unit = match &mention.said {
            // A price may be said with what it is for, or without.
            Said::Value(figure) => figure.unit.split('/').next().unwrap_or_default(),
            Said::Date(Period::Year(_)) => "(year)",
            Said::Date(_) => "(date)",
        };
        groups.entry(unit).or_default().push(mention);
    }
    groups.into_values().collect()
}

fn doubt(
    first: &Mention,
    second: &Mention,
    group: &[&Mention],
    weights: &Weights,
    found: &[Contradiction],
) -> Option<Doubt> {
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
    let says = |path: &str, other: &Mention| group.iter().any(|one| one.path == path && agree(one, other));
    if says(&first.path, second) || says(&second.path, first) {
        return None;
    }
    let others = |one: &Mention| {
        let is_same =
            |other: &&&Mention| agree(other, one) && weights.shared(other, one).is_some_and(|s| s.alike > 0.3);
        group.iter().filter(is_same).map(|other| other.path.as_str()).collect::<BTreeSet<&str>>().len()
    };
    let is_agreed = others(first).max(others(second)) > 1;
    let is_used = found.iter().any(|one| is_among(one, first) || is_among(one, second));
    let features = features(first, second, &shared, near, slip, [is_agreed, is_used]);
    let weight: f64 = features.iter().zip(FITTED).map(|(feature, weight)| feature * weight).sum();
    (weight >= LEAST).then(|| Doubt {
        first: first.clone(),
        second: second.clone(),
        also: Vec::new(),
        about: shared.about,
        weight,
    })
}

const FEATURES: usize = 21;
/// What each of these is worth, fitted to folders whose contradictions are known (crates/agent/tests/offline/folders).
const FITTED: [f64; FEATURES] = [
    -2.64, // nothing else
    0.87,  // how much of what is said is the same
    1.15,  // how much it is altogether
    0.93,  // how much of what stands right beside the figures
    -0.48, // one thing is named by both
    -0.37, // each names another thing
    1.16,  // how near the values are
    1.79,  // the same, where they are very near
    0.50,  // one looks like the other with a slip of the pen
    0.35,  // and surely so
    0.00,  // days
    0.57,  // years
    -0.23, // figures without a unit
    -0.01, // money
    -0.51, // two languages
    -1.30, // one of them is a row of a table
    0.72,  // both say the same year
    -0.78, // only one is planned
    -0.58, // others say it, too
    -0.65, // each names somebody else
    -2.83, // one of them contradicts something already
];

fn features(
    first: &Mention,
    second: &Mention,
    shared: &Shared,
    near: f64,
    slip: Slip,
    [is_agreed, is_used]: [bool; 2],
) -> [f64; FEATURES] {
    let is = <f64 as From<bool>>::from;
    let unit = |mention: &Mention| match &mention.said {
        Said::Value(figure) => figure.unit.clone(),
        Said::Date(_) => String::new(),
    };
    let is_year = matches!(first.said, Said::Date(Period::Year(_)));
    let is_day = matches!(first.said, Said::Date(_)) && !is_year;
    let is_value = !is_year && !is_day;
    let is_money = units::is_currency(&unit(first).split('/').next().unwrap_or_default().to_lowercase());
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
        is(is_value && unit(first).is_empty()),
        is(is_money),
        is(is_foreign),
        is(first.is_row || second.is_row),
        is(!first.years.is_disjoint(&second.years)),
        is(first.is_plan != second.is_plan),
        is(is_agreed),
        is(shared.has_other_name),
        is(is_used),
    ]
}

fn is_foreign(first: &Mention, second: &Mention) -> bool {
    first.language != second.language && first.language != Language::Unknown && second.language != Language::Unknown
}

/// Whether two cannot both be right, if they are of one thing.
fn are_apart(first: &Mention, second: &Mention) -> bool {
    match (&first.said, &second.said) {
        (Said::Value(one), Said::Value(other)) => one.disagrees(other),
        (Said::Date(one), Said::Date(other)) => {
            let (one, other) = aligned(*one, *other);
            !one.agrees(other)
        }
        _ => false,
    }
}

/// Two dates, where one is written without its year as if it were of the other's.
fn aligned(one: Period, other: Period) -> (Period, Period) {
    match (one, other) {
        (Period::Day(NO_YEAR, month, day), Period::Day(year, ..)) => (Period::Day(year, month, day), other),
        (Period::Day(year, ..), Period::Day(NO_YEAR, month, day)) => (one, Period::Day(year, month, day)),
        _ => (one, other),
    }
}

fn agree(first: &Mention, second: &Mention) -> bool {
    match (&first.said, &second.said) {
        (Said::Value(one), Said::Value(other)) => one.unit == other.unit && !one.disagrees(other),
        (Said::Date(one), Said::Date(other)) => {
            let (one, other) = aligned(*one, *other);
            one.agrees(other)
        }
        _ => false,
    }
}

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

fn is_told(doubt: &Doubt, found: &[Contradiction]) -> bool {
    found.iter().any(|one| is_among(one, &doubt.first) && is_among(one, &doubt.second))
}

/// Whether a mention stands where a contradiction cites.
fn is_among(one: &Contradiction, mention: &Mention) -> bool {
    [&one.first, &one.second]
        .into_iter()
        .chain(&one.also)
        .any(|claim| claim.path == mention.path && claim.lines.0 <= mention.lines.1 && mention.lines.0 <= claim.lines.1)
}

/// Whether two pairs say the same: the same two values, or the same place against the same value.
fn is_same_pair(known: &Doubt, other: &Doubt) -> bool {
    let both = |one: &Mention, two: &Mention, three: &Mention, four: &Mention| agree(one, three) && agree(two, four);
    both(&known.first, &known.second, &other.first, &other.second)
        || both(&known.first, &known.second, &other.second, &other.first)
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
    about: String,
}

/// What a word weighs: one that stands beside many figures tells little of one.
struct Weights {
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
    fn of(mentions: &[Mention]) -> Self {
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
        let words: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).take(3).collect();
        Some(Shared {
            alike,
            weight: (weight + around).min(3.0),
            head,
            has_thing,
            has_other_thing: !mine.is_empty() && !theirs.is_empty() && mine.is_disjoint(&theirs),
            has_other_name: self.has_name(&unmatched, second) && self.has_name(&others, first),
            about: words.join(", "),
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
