//! Figures that may not agree: same unit, no other year, words in common, another value. Weaker than a contradiction, and
//! told apart from one: the sources may speak of different things, and a person has to look.
//!
//! Owns the weighing. It must not know where mentions come from. Whoever reads a pile of papers for mistakes looks for
//! exactly this: the one figure that is written otherwise.

use std::collections::{BTreeMap, BTreeSet};

use super::claims::Said;
use super::contradictions::Contradiction;
use super::dates::Period;
use super::limits;
use super::mentions::Mention;
use super::words::Language;

/// How much of what two mentions say must be the same, where nothing else speaks for it.
const ALIKE: f64 = 0.45;
/// The same where values look like one that was miswritten, or where several sources agree on one of them.
const ALIKE_IF_MISWRITTEN: f64 = 0.2;
const ALIKE_IF_OTHERS_AGREE: f64 = 0.3;
/// Values further apart than this are hardly of one thing.
const NEAR: f64 = 0.5;

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
            let pairs = others.iter().filter_map(|second| doubt(first, second, &group, &weights));
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

/// A figure that could be of several rows of one table is of none of them.
fn without_whole_tables(all: Vec<Doubt>) -> Vec<Doubt> {
    let rows_of = |doubt: &Doubt| -> Option<(Spot, Spot)> {
        let (row, prose) = match (doubt.first.is_row, doubt.second.is_row) {
            (true, false) => (&doubt.first, &doubt.second),
            (false, true) => (&doubt.second, &doubt.first),
            _ => return None,
        };
        Some((spot(prose), (row.path.clone(), 0, String::new())))
    };
    let mut counts: BTreeMap<(Spot, Spot), usize> = BTreeMap::new();
    for key in all.iter().filter_map(rows_of) {
        *counts.entry(key).or_default() += 1;
    }
    all.into_iter().filter(|doubt| rows_of(doubt).is_none_or(|key| counts.get(&key) == Some(&1))).collect()
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

/// Mentions that can be compared at all: of one unit, or dates.
fn groups(mentions: &[Mention]) -> Vec<Vec<&Mention>> {
    let mut groups: BTreeMap<&str, Vec<&Mention>> = BTreeMap::new();
    for mention in mentions {
        let unit = match &mention.said {
            Said::Value(figure) => figure.unit.as_str(),
            Said::Date(_) => "(date)",
        };
        groups.entry(unit).or_default().push(mention);
    }
    groups.into_values().collect()
}

fn doubt(first: &Mention, second: &Mention, group: &[&Mention], weights: &Weights) -> Option<Doubt> {
    if first.path == second.path || !are_apart(first, second) || (first.is_row && second.is_row) {
        return None;
    }
    if !first.years.is_empty() && !second.years.is_empty() && first.years.is_disjoint(&second.years) {
        return None;
    }
    // Who says the other's figure, too, means two things.
    let says = |path: &str, other: &Mention| group.iter().any(|one| one.path == path && agree(one, other));
    if says(&first.path, second) || says(&second.path, first) {
        return None;
    }
    let near = nearness(first, second);
    let slip = slip(first, second);
    let alike = match slip {
        // Two such values that have nothing to do with each other would be a strange accident.
        Slip::Sure => weights.alike(first, second).unwrap_or(ALIKE_IF_MISWRITTEN).max(ALIKE_IF_MISWRITTEN),
        Slip::Likely | Slip::None => weights.alike(first, second)?,
    };
    let is_miswritten = slip != Slip::None;
    let others = |one: &Mention| {
        let paths: BTreeSet<&str> = group
            .iter()
            .filter(|other| {
                agree(other, one) && weights.alike(other, one).is_some_and(|alike| alike >= ALIKE_IF_MISWRITTEN)
            })
            .map(|other| other.path.as_str())
            .collect();
        paths.len()
    };
    let agreed = others(first).max(others(second));
    let least = match (is_miswritten, agreed > 1) {
        (true, _) => ALIKE_IF_MISWRITTEN,
        (false, true) => ALIKE_IF_OTHERS_AGREE,
        (false, false) => ALIKE,
    };
    if alike < least || (near < NEAR && !is_miswritten) {
        return None;
    }
    let weight = alike + near * 0.5 + if is_miswritten { 0.5 } else { 0.0 } + if agreed > 1 { 0.3 } else { 0.0 };
    let about = weights.shared(first, second);
    Some(Doubt { first: first.clone(), second: second.clone(), also: Vec::new(), about, weight })
}

/// Whether two cannot both be right, if they are of one thing.
fn are_apart(first: &Mention, second: &Mention) -> bool {
    match (&first.said, &second.said) {
        (Said::Value(one), Said::Value(other)) => one.disagrees(other),
        (Said::Date(one), Said::Date(other)) => !one.agrees(*other),
        _ => false,
    }
}

fn agree(first: &Mention, second: &Mention) -> bool {
    match (&first.said, &second.said) {
        (Said::Value(one), Said::Value(other)) => one.unit == other.unit && !one.disagrees(other),
        (Said::Date(one), Said::Date(other)) => one.agrees(*other),
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
            let days = f64::from(one.ordinal().abs_diff(other.ordinal()));
            (1.0 - days / 372.0).max(0.0)
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
    if let (Said::Date(Period::Day(year, month, day)), Said::Date(Period::Day(other_year, other_month, other_day))) =
        (&first.said, &second.said)
    {
        return match [year == other_year, month == other_month, day == other_day] {
            [false, true, true] if year.abs_diff(*other_year) == 1 => Slip::Sure,
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
    found.iter().any(|one| {
        let claims: Vec<_> = [&one.first, &one.second].into_iter().chain(&one.also).collect();
        let is_at = |mention: &Mention| {
            claims.iter().any(|claim| {
                claim.path == mention.path && claim.lines.0 <= mention.lines.1 && mention.lines.0 <= claim.lines.1
            })
        };
        is_at(&doubt.first) && is_at(&doubt.second)
    })
}

/// Whether two pairs say the same: the same two values, or the same place against the same value.
fn is_same_pair(known: &Doubt, other: &Doubt) -> bool {
    let both = |one: &Mention, two: &Mention, three: &Mention, four: &Mention| agree(one, three) && agree(two, four);
    both(&known.first, &known.second, &other.first, &other.second)
        || both(&known.first, &known.second, &other.second, &other.first)
}

/// What a word weighs: one that stands beside many figures tells little of one.
struct Weights {
    counts: BTreeMap<String, usize>,
    mentions: usize,
}

impl Weights {
    fn of(mentions: &[Mention]) -> Self {
        let mut counts = BTreeMap::new();
        for word in mentions.iter().flat_map(|mention| &mention.words) {
            *counts.entry(word.clone()).or_default() += 1;
        }
        Self { counts, mentions: mentions.len() }
    }

    fn of_word(&self, word: &str) -> f64 {
        let count = self.counts.get(word).copied().unwrap_or(1);
        (1.0 + self.mentions as f64 / count as f64).ln()
    }

    /// How much of what the one says with fewer words the other says, too; nothing where no word is common to both.
    fn alike(&self, first: &Mention, second: &Mention) -> Option<f64> {
        let is_foreign = first.language != second.language
            && first.language != Language::Unknown
            && second.language != Language::Unknown;
        // Of another language only what means the same in all of them can be compared, and names.
        let said = |mention: &Mention, other: &Mention| -> f64 {
            let counts = |word: &&String| !is_foreign || mention.known.contains(*word) || other.words.contains(*word);
            mention.words.iter().filter(counts).map(|word| self.of_word(word)).sum()
        };
        let mut shared: f64 = first.words.intersection(&second.words).map(|word| self.of_word(word)).sum();
        if shared == 0.0 {
            return None;
        }
        // What one says and the heading above the other says counts half.
        let half = |one: &Mention, other: &Mention| -> f64 {
            let only = one.words.difference(&other.words).filter(|word| other.above.contains(*word));
            only.map(|word| self.of_word(word) / 2.0).sum()
        };
        shared += half(first, second).max(half(second, first));
        let (one, other) = (said(first, second), said(second, first));
        let (less, more) = (one.min(other), one.max(other));
        if less <= 0.0 {
            return None;
        }
        Some((shared / (less * 0.7 + more * 0.3)).min(1.0))
    }

    /// The words that both have, or else those of the first, the heaviest first.
    fn shared(&self, first: &Mention, second: &Mention) -> String {
        let mut words: Vec<&String> = first.words.intersection(&second.words).collect();
        if words.is_empty() {
            words = first.words.iter().collect();
        }
        words.sort_by(|one, other| self.of_word(other).total_cmp(&self.of_word(one)).then_with(|| one.cmp(other)));
        words.into_iter().take(3).map(String::as_str).collect::<Vec<_>>().join(", ")
    }
}
