//! Figures, dates and names that do not agree, where nothing but the words around them says that they are of one thing.
//!
//! Owns which pairs are told and how sure that is. It must not know where mentions come from, nor what a sign counts.
//! Whoever reads a pile of papers for mistakes looks for exactly this: the one figure that is written otherwise.

use std::collections::{BTreeMap, BTreeSet};

use super::claims::Said;
use super::contradictions::Contradiction;
use super::dates::Period;
use super::likeness::{Group, Likeness, Sign, Weights, agree, is_among, likeness};
use super::limits;
use super::mentions::Mention;
use super::units;

/// What a pair must weigh to be a contradiction, and to be worth a look at all.
const LIKELY: f64 = 1.0;
const LEAST: f64 = -0.5;

/// How sure it is that two mentions are of one thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Certainty {
    /// Enough to be called a contradiction.
    Likely,
    /// A person has to look.
    Doubtful,
}

/// Two mentions that may be of one thing, and cannot both be right if they are.
#[derive(Clone, Debug)]
pub(crate) struct Doubt {
    pub(crate) first: Mention,
    pub(crate) second: Mention,
    /// Further places that say the one or the other.
    pub(crate) also: Vec<Mention>,
    /// What they have in common, to be shown.
    pub(crate) about: String,
    pub(crate) signs: Vec<Sign>,
    pub(crate) certainty: Certainty,
    weight: f64,
}

/// The pairs that contradict each other or are most worth a look, the likeliest first; none that is among the
/// contradictions already.
pub(crate) fn doubts(mentions: &[Mention], found: &[Contradiction]) -> Vec<Doubt> {
    chosen(candidates(mentions, found), LEAST, Likeness::weight)
}

/// Of pairs that can be compared those that are told, by what a pair weighs.
pub(crate) fn chosen(
    candidates: Vec<(&Mention, &Mention, Likeness)>,
    least: f64,
    weigh: impl Fn(&Likeness) -> f64,
) -> Vec<Doubt> {
    let mut all = Vec::new();
    for (first, second, likeness) in candidates {
        let weight = weigh(&likeness);
        if weight >= least {
            all.push(Doubt {
                first: first.clone(),
                second: second.clone(),
                also: Vec::new(),
                about: likeness.about.join(", "),
                signs: likeness.signs,
                certainty: if weight >= LIKELY && !likeness.is_judged && !likeness.is_spoken_against {
                    Certainty::Likely
                } else {
                    Certainty::Doubtful
                },
                weight,
            });
        }
    }
    let mut all = without_whole_tables(all);
    all.sort_by(|one, other| other.weight.total_cmp(&one.weight).then_with(|| place(one).cmp(&place(other))));
    let mut chosen: Vec<Doubt> = Vec::new();
    let mut spoken: BTreeSet<(Spot, String)> = BTreeSet::new();
    for one in all {
        // In another document a figure has one partner: the likeliest.
        let partners = [(spot(&one.first), one.second.path.clone()), (spot(&one.second), one.first.path.clone())];
        if partners.iter().any(|partner| spoken.contains(partner)) {
            continue;
        }
        spoken.extend(partners);
        let most = if one.certainty == Certainty::Likely { limits::CONTRADICTIONS } else { limits::DOUBTS };
        let count = chosen.iter().filter(|known| known.certainty == one.certainty).count();
        match chosen.iter().position(|known| is_same_pair(known, &one)) {
            Some(known) => chosen[known].add(one),
            None if count < most => chosen.push(one),
            None => {}
        }
    }
    chosen
}

/// All pairs that can be compared, weighed.
pub(crate) fn candidates<'m>(
    mentions: &'m [Mention],
    found: &[Contradiction],
) -> Vec<(&'m Mention, &'m Mention, Likeness)> {
    let weights = Weights::of(mentions);
    let mut all = Vec::new();
    for group in groups(mentions) {
        let is_money = group.iter().any(|one| !is_bare(one));
        let group = Group::of(group, &weights);
        let is_new = |first: &Mention, second: &Mention| {
            !is_told(first, second, found) && (!is_money || !is_bare(first) || !is_bare(second))
        };
        for (first, second) in pairs(&group.mentions, &weights) {
            if is_new(first, second) {
                all.extend(likeness(first, second, &group, &weights, found).map(|like| (first, second, like)));
            }
        }
    }
    all
}

/// The pairs of a group that are looked at: all of them, or where these are too many, those with the rarest words in common.
fn pairs<'m>(mentions: &[&'m Mention], weights: &Weights) -> Vec<(&'m Mention, &'m Mention)> {
    let count = mentions.len() * mentions.len().saturating_sub(1) / 2;
    let mut made = Vec::new();
    if count <= limits::WEIGHED {
        for (position, first) in mentions.iter().enumerate() {
            made.extend(mentions[position + 1..].iter().map(|second| (*first, *second)));
        }
        return made;
    }
    // The words that stand beside the fewest figures first; each pair once.
    let mut by_word: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (index, mention) in mentions.iter().enumerate() {
        for word in weights.rarest(mention).into_iter().take(limits::RAREST) {
            by_word.entry(word).or_default().push(index);
        }
    }
    let mut lists: Vec<Vec<usize>> = by_word.into_values().filter(|list| list.len() > 1).collect();
    lists.sort_by_key(Vec::len);
    let mut known = BTreeSet::new();
    for list in lists {
        for (position, first) in list.iter().enumerate() {
            for second in &list[position + 1..] {
                if known.len() == limits::WEIGHED {
                    return made;
                }
                if mentions[*first].path != mentions[*second].path && known.insert((*first, *second)) {
                    made.push((mentions[*first], mentions[*second]));
                }
            }
        }
    }
    made
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

/// Mentions that can be compared at all: of one unit, days, years, or names.
fn groups(mentions: &[Mention]) -> Vec<Vec<&Mention>> {
    let mut groups: BTreeMap<&str, Vec<&Mention>> = BTreeMap::new();
    for mention in mentions {
        let unit = match &mention.said {
            // A price may be said with what it is for, or without.
            Said::Value(figure) => figure.unit.split('/').next().unwrap_or_default(),
            Said::Date(Period::Year(_)) => "(year)",
            Said::Date(_) => "(date)",
            Said::Name(_) => "(name)",
        };
        groups.entry(unit).or_default().push(mention);
    }
    // Who speaks of prices leaves out the currency once in a while: "they pay 2,650".
    let bare: Vec<&Mention> = groups.get("").into_iter().flatten().copied().filter(|one| may_be_money(one)).collect();
    // A row may say its unit in another column, or nowhere.
    let rows: Vec<&Mention> = groups.get("").into_iter().flatten().copied().filter(|one| one.is_row).collect();
    for (unit, group) in &mut groups {
        if units::is_currency(&unit.to_lowercase()) {
            group.extend(&bare);
        }
        if !unit.is_empty() && !unit.starts_with('(') {
            group.extend(&rows);
        }
    }
    groups.into_values().collect()
}

/// Whether a mention is a figure without a unit.
fn is_bare(mention: &Mention) -> bool {
    matches!(&mention.said, Said::Value(figure) if figure.unit.is_empty())
}

fn may_be_money(mention: &Mention) -> bool {
    const LEAST: f64 = -0.5;
    matches!(&mention.said, Said::Value(figure) if figure.low >= LEAST) && !mention.is_row
}

fn is_told(first: &Mention, second: &Mention, found: &[Contradiction]) -> bool {
    found.iter().any(|one| is_among(one, first) && is_among(one, second))
}

/// Whether two pairs say the same: the same two values, or the same place against the same value.
fn is_same_pair(known: &Doubt, other: &Doubt) -> bool {
    let both = |one: &Mention, two: &Mention, three: &Mention, four: &Mention| agree(one, three) && agree(two, four);
    both(&known.first, &known.second, &other.first, &other.second)
        || both(&known.first, &known.second, &other.second, &other.first)
}
