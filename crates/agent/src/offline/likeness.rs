//! How likely two mentions are of one thing: the signs that speak for it and against it, and what each of them counts.
//!
//! Owns the weighing of one pair. It must not know which pairs are told. What the signs count is fitted to folders whose
//! contradictions are known: the test below `fitting` prints the weights and holds them to what stands here.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::claims::Said;
use super::clock;
use super::contradictions::{self, Contradiction};
use super::dates::{NO_YEAR, Period};
use super::figures::Figure;
use super::limits;
use super::mentions::{Mention, PHONE};
use super::units;
use super::words::Language;

#[cfg(test)]
mod fitting;
#[cfg(test)]
mod known;
#[cfg(test)]
mod stages;
mod weights;

pub(crate) use weights::Weights;
use weights::{Shared, key};

/// Values further apart than this are hardly of one thing, unless one of them is miswritten.
const NEAR: f64 = 0.3;
/// And further apart than this never.
const FAR: f64 = 0.1;

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
    if first.path == second.path
        || !are_apart(first, second)
        || (first.is_row && second.is_row && !is_pair_of_rows(first, second))
    {
        return None;
    }
    if is_taxed(first, second) {
        return None;
    }
    // What only stands around a sentence need not be its time.
    if are_years_apart(first, second) && first.has_own_years && second.has_own_years {
        return None;
    }
    // What is said without a year is of the last one that a table has.
    let is_old = |row: &Mention, other: &Mention| row.is_row && !row.is_newest && other.years.is_empty();
    if is_old(first, second) || is_old(second, first) {
        return None;
    }
    let (near, slip) = (nearness(first, second), slip(first, second));
    if near < FAR && slip == Slip::None {
        return None;
    }
    let shared = weights.shared(first, second)?;
    let is_used = found.iter().any(|one| is_among(one, first) || is_among(one, second));
    let mut features = features(first, second, &shared, near, slip);
    features[20] = f64::from(u8::from(is_used));
    group.compete(first, second, &mut features);
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

/// Whether each is of years, and none is of both.
fn are_years_apart(first: &Mention, second: &Mention) -> bool {
    !first.years.is_empty() && !second.years.is_empty() && first.years.is_disjoint(&second.years)
}

/// Whether one amount is the other with a usual tax on it, to the last digit.
fn is_taxed(first: &Mention, second: &Mention) -> bool {
    const RATES: [f64; 17] =
        [1.05, 1.055, 1.07, 1.075, 1.08, 1.081, 1.1, 1.13, 1.15, 1.16, 1.18, 1.19, 1.2, 1.21, 1.22, 1.23, 1.25];
    let (Said::Value(one), Said::Value(other)) = (&first.said, &second.said) else { return false };
    let is_money =
        |figure: &Figure| units::is_currency(&figure.unit.split('/').next().unwrap_or_default().to_lowercase());
    let (one_value, other_value) = (middle(one), middle(other));
    let ratio = one_value.max(other_value) / one_value.min(other_value).max(f64::MIN_POSITIVE);
    // Of small round amounts many stand in such a ratio.
    (is_money(one) || is_money(other))
        && one_value.max(other_value) >= 10.0
        && RATES.iter().any(|rate| (ratio / rate - 1.0).abs() < 1e-4)
}

/// Rows of two tables may be compared if they have a name or a day in common.
fn is_pair_of_rows(first: &Mention, second: &Mention) -> bool {
    matches!(first.said, Said::Name(_))
        || first.beside.intersection(&second.beside).next().is_some()
        || first.tokens.iter().any(|one| one.is_name && second.tokens.iter().any(|other| other.word == one.word))
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

/// The signs that what stands around two figures gives, without their values and their rivals, weighed by themselves: which
/// of several figures of a source is likeliest meant.
pub(crate) const ALIGNED: [f64; FEATURES] = [
    -4.29, -0.12, 1.60, 0.84, -0.21, -0.32, 0.00, 0.00, 0.00, 0.00, 0.01, 0.29, -1.22, 0.04, 0.91, -0.79, 0.21, 0.00,
    0.00, -0.64, 0.00, 0.00, 0.00, 0.00, -2.04, -1.87, -0.28, -0.17, 0.14, -0.25, 0.78, 1.61, -0.18, 0.60, -0.29,
    -0.64, -0.16, -0.93, 0.00, 0.00, 0.00, 0.77, -0.28, 0.00, -0.17, 0.00, 0.65, 0.44, 0.00, 0.00, 0.38, -0.33, -0.13,
    -0.35,
];
/// The signs of values, and of rivals, that say nothing of that.
#[cfg(test)]
pub(crate) const NOT_AROUND: [usize; 15] = [6, 7, 8, 9, 18, 20, 21, 22, 23, 39, 40, 43, 45, 48, 49];

pub(crate) const FEATURES: usize = 54;
/// What each of these is worth, fitted to folders whose contradictions are known (crates/agent/tests/offline/folders).
pub(crate) const FITTED: [f64; FEATURES] = [
    -4.41, // nothing else
    -0.04, // how much of what is said is the same
    0.82,  // how much it is altogether
    0.49,  // how much of what stands right beside the figures
    -0.29, // one thing is named by both
    -0.02, // each names another thing
    0.50,  // how near the values are
    3.04,  // the same, where they are very near
    0.95,  // one looks like the other with a slip of the pen
    1.43,  // and surely so
    -1.52, // days
    0.25,  // years
    -0.42, // figures without a unit
    -0.19, // money
    0.57,  // two languages
    -0.69, // one of them is a row of a table
    0.20,  // both say the same year
    -0.36, // only one is planned
    0.00,  // others say it, too
    -0.49, // each names somebody else
    -1.11, // one of them contradicts something already
    -0.84, // one source says both, of what may be the same
    -0.27, // one source says both
    -1.59, // another figure of these sources has more in common with one of them
    -1.11, // names
    -1.16, // one is without the unit of the other
    -0.69, // the strict rule knows what tells them apart
    0.09,  // each is of another thing with a name
    0.35,  // one denies, asks or doubts
    0.10,  // how much of the shorter paragraph or row the other has
    0.72,  // how much the paragraphs have in common
    0.82,  // other figures or days of both sentences
    0.34,  // figures or days of both paragraphs
    0.27,  // the rarest word of both
    -0.60, // names of both
    -0.32, // one is a share
    -0.04, // one is a change
    -1.57, // times of the day
    0.00,  // telephone numbers
    0.40,  // each is the best partner of the other
    0.00,  // what says the same has more in common
    0.55,  // the same paragraph-sized sign twice
    -0.23, // both are rows
    -1.44, // far apart
    -0.04, // what stands around them is of other years
    1.00,  // a bound, that the other keeps
    0.41,  // a code of both
    0.24,  // the same word right behind both
    0.22,  // how much likelier they are than either with another
    -0.57, // how much likelier another is, that says the same
    0.64,  // names of one office
    -0.07, // a row, and much of what stands right beside the figures
    -0.22, // both passages have much in common, and both figures count the same
    -0.23, // two languages, and one thing is named
];

fn features(first: &Mention, second: &Mention, shared: &Shared, near: f64, slip: Slip) -> [f64; FEATURES] {
    let is = <f64 as From<bool>>::from;
    let is_name = matches!(first.said, Said::Name(_));
    let is_year = matches!(first.said, Said::Date(Period::Year(_)));
    let is_day = matches!(first.said, Said::Date(_)) && !is_year;
    let is_value = !is_year && !is_day && !is_name;
    let is_half_bare = is_value && unit(first) != unit(second) && (unit(first).is_empty() || unit(second).is_empty());
    let is_money = units::is_currency(&unit(first).split('/').next().unwrap_or_default().to_lowercase());
    let both = first.claim.as_deref().zip(second.claim.as_deref());
    let is_foreign = is_foreign(first, second);
    let has_unit = |name: &str| is_value && unit(first) == name;
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
        0.0,
        is(shared.has_other_name),
        0.0,
        0.0,
        0.0,
        0.0,
        is(is_name),
        is(is_half_bare),
        is(both.is_some_and(|(one, other)| contradictions::are_told_apart(one, other))),
        is(both.is_some_and(|(one, other)| contradictions::are_of_others(one, other))),
        is(first.is_open || second.is_open),
        shared.passage,
        shared.passages,
        in_both(&first.beside, &second.beside),
        in_both(&first.passage.values, &second.passage.values),
        shared.rarest,
        shared.names.min(2.0),
        is(first.is_share != second.is_share),
        is(first.is_change != second.is_change),
        is(has_unit(clock::CLOCK)),
        is(has_unit(PHONE)),
        0.0,
        0.0,
        shared.passage * shared.head,
        is(first.is_row && second.is_row),
        is(near < NEAR),
        is(are_years_apart(first, second)),
        is(is_kept(first, second)),
        is(has_code(first, second)),
        is(shared.is_one_noun),
        0.0,
        0.0,
        is(is_name && shared.has_thing),
        is(first.is_row || second.is_row) * shared.head * shared.alike,
        is(shared.is_one_noun) * shared.passages,
        is(is_foreign && shared.has_thing),
    ]
}

fn unit(mention: &Mention) -> &str {
    match &mention.said {
        Said::Value(figure) => &figure.unit,
        Said::Date(_) | Said::Name(_) => "",
    }
}

/// Whether a bound and a figure may both be right.
fn is_kept(first: &Mention, second: &Mention) -> bool {
    matches!((&first.said, &second.said), (Said::Value(one), Said::Value(other)) if one.unit != clock::CLOCK && !one.disagrees(other))
}

/// Whether both name a thing by letters and digits: `CM-2217`.
fn has_code(first: &Mention, second: &Mention) -> bool {
    let is_code = |word: &str| word.chars().any(|c| c.is_ascii_digit()) && word.chars().any(char::is_alphabetic);
    let codes = first.tokens.iter().chain(&first.passage.tokens).filter(|token| is_code(&token.word));
    codes.into_iter().any(|one| second.tokens.iter().chain(&second.passage.tokens).any(|other| other.word == one.word))
}

/// How many figures and days two places have in common, at most two.
fn in_both(one: &BTreeSet<String>, other: &BTreeSet<String>) -> f64 {
    one.intersection(other).take(2).count() as f64
}

fn is_foreign(first: &Mention, second: &Mention) -> bool {
    first.language != second.language && first.language != Language::Unknown && second.language != Language::Unknown
}

/// Whether two cannot both be right, if they are of one thing.
fn are_apart(first: &Mention, second: &Mention) -> bool {
    match (&first.said, &second.said) {
        // A bare figure may be of money; two bare ones are compared as such.
        (Said::Value(one), Said::Value(other)) if one.unit == clock::CLOCK => clock::apart(one, other) > 0.0,
        (Said::Value(one), Said::Value(other)) => one.disagrees(other) || are_bounds_apart(one, other),
        (Said::Date(one), Said::Date(other)) => {
            let (one, other) = aligned(*one, *other);
            !one.agrees(other)
        }
        (Said::Name(one), Said::Name(other)) => are_others(one, other),
        _ => false,
    }
}

/// Whether a bound (`up to 9,500 sacks`) and a figure lie apart: both may be right, but hardly of one thing.
fn are_bounds_apart(one: &Figure, other: &Figure) -> bool {
    const APART: f64 = 0.03;
    let is_bound = |figure: &Figure| !figure.low.is_finite() || !figure.high.is_finite();
    let (mine, theirs) = (middle(one), middle(other));
    (is_bound(one) || is_bound(other)) && (mine - theirs).abs() > APART * mine.abs().max(theirs.abs())
}

/// The middle of what a figure allows, or its one end.
fn middle(figure: &Figure) -> f64 {
    match (figure.low.is_finite(), figure.high.is_finite()) {
        (true, true) => f64::midpoint(figure.low, figure.high),
        (true, false) => figure.low,
        _ => figure.high,
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
        (Said::Value(one), Said::Value(other)) if one.unit == clock::CLOCK && other.unit == clock::CLOCK => {
            clock::apart(one, other) == 0.0
        }
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
        (Said::Value(one), Said::Value(other)) if one.unit == clock::CLOCK => {
            1.0 - clock::apart(one, other) / clock::HALF_DAY
        }
        (Said::Value(one), Said::Value(_)) if one.unit == PHONE => NAMES,
        (Said::Value(one), Said::Value(other)) => {
            let (one, other) = (middle(one), middle(other));
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

/// Mentions that can be compared, and how likely each is of one thing with those of other sources, whatever they say.
pub(crate) struct Group<'m> {
    pub(crate) mentions: Vec<&'m Mention>,
    aligned: HashMap<(usize, usize), f64>,
    /// The two likeliest of each source, and the likeliest of those that say the same.
    best: BTreeMap<(usize, &'m str), [f64; 2]>,
    best_agreeing: BTreeMap<(usize, &'m str), f64>,
}

impl<'m> Group<'m> {
    pub(crate) fn of(mentions: Vec<&'m Mention>, weights: &Weights) -> Self {
        let mut group =
            Self { mentions, aligned: HashMap::new(), best: BTreeMap::new(), best_agreeing: BTreeMap::new() };
        // Among very many nobody can look at all pairs twice.
        if group.mentions.len() > limits::RIVALS {
            return group;
        }
        for (index, first) in group.mentions.iter().enumerate() {
            for second in group.mentions[index + 1..].iter().filter(|second| second.path != first.path) {
                let Some(shared) = weights.shared(first, second) else { continue };
                let around = features(first, second, &shared, 0.0, Slip::None);
                let likely: f64 = around.iter().zip(ALIGNED).map(|(feature, weight)| feature * weight).sum();
                let is_agreed = agree(first, second);
                for (one, other) in [(first, second), (second, first)] {
                    let known = group.best.entry((key(one), other.path.as_str())).or_insert([f64::MIN; 2]);
                    if likely > known[0] {
                        *known = [likely, known[0]];
                    } else if likely > known[1] {
                        known[1] = likely;
                    }
                    if is_agreed {
                        let known = group.best_agreeing.entry((key(one), other.path.as_str())).or_insert(f64::MIN);
                        *known = known.max(likely);
                    }
                    group.aligned.insert((key(one), key(other)), likely);
                }
            }
        }
        group
    }

    /// What speaks for two being partners, and against it: another of the same source that is likelier, or who says the same.
    fn compete(&self, first: &Mention, second: &Mention, features: &mut [f64; FEATURES]) {
        const MOST: f64 = 3.0;
        let Some(own) = self.aligned.get(&(key(first), key(second))).copied() else { return };
        let is = <f64 as From<bool>>::from;
        let (mut least, mut agreeing): (f64, Option<f64>) = (MOST, None);
        for (one, other) in [(first, second), (second, first)] {
            let place = (key(one), other.path.as_str());
            if let Some([best, next]) = self.best.get(&place) {
                let rival = if *best > own { *best } else { *next };
                least = least.min(own - rival);
            }
            if let Some(likely) = self.best_agreeing.get(&place) {
                agreeing = Some(agreeing.map_or(*likely, |most: f64| most.max(*likely)));
            }
        }
        features[18] = is(self.sources(first).max(self.sources(second)) > 1);
        features[21] = is(agreeing.is_some_and(|likely| likely > own - 1.0));
        features[22] = is(agreeing.is_some());
        features[23] = (-least).clamp(0.0, MOST);
        features[39] = is(least >= 0.0);
        features[48] = least.clamp(0.0, MOST);
        features[49] = agreeing.map_or(0.0, |likely| (likely - own).clamp(0.0, MOST));
    }

    /// How many sources say what one says, of what is likely the same.
    fn sources(&self, one: &Mention) -> usize {
        const LIKELY: f64 = -1.0;
        let paths = self.best_agreeing.range((key(one), "")..);
        paths.take_while(|((own, _), _)| *own == key(one)).filter(|(_, likely)| **likely > LIKELY).count()
    }
}
