//! Which sentences of many say the most: by words that recur, words of the request, figures, and place.
//!
//! Owns the weights. All arithmetic is in whole numbers and ties go to the earlier sentence, so that the order is the
//! same everywhere.

use std::collections::{BTreeMap, BTreeSet};

use super::dates::{dates, plain_digits};
use super::words;

/// A text to be ranked, with what it is known by afterwards.
pub(crate) struct Candidate<'a> {
    pub(crate) text: &'a str,
    /// Where it comes from: words that several sources share count more.
    pub(crate) source: &'a str,
    /// The how-manieth of its source it is: what comes first often says what it is all about.
    pub(crate) position: usize,
}

/// A candidate's number in the list that was given, its weight, and why it has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Ranked {
    pub(crate) index: usize,
    pub(crate) weight: u64,
    pub(crate) why: String,
}

/// Candidates by weight, heaviest first, without those that repeat what a heavier one says.
pub(crate) fn rank(candidates: &[Candidate<'_>], request: &BTreeSet<String>, most: usize) -> Vec<Ranked> {
    let bags: Vec<BTreeSet<String>> =
        candidates.iter().map(|candidate| words::content(candidate.text).into_iter().collect()).collect();
    let mut spread: BTreeMap<&str, (u64, BTreeSet<&str>)> = BTreeMap::new();
    for (bag, candidate) in bags.iter().zip(candidates) {
        for word in bag {
            let entry = spread.entry(word).or_default();
            entry.0 += 1;
            entry.1.insert(candidate.source);
        }
    }
    let mut ranked: Vec<Ranked> = (0..candidates.len())
        .map(|index| weigh(index, candidates, &bags[index], request, &spread))
        .filter(|one| one.weight > 0)
        .collect();
    ranked.sort_by(|one, other| other.weight.cmp(&one.weight).then(one.index.cmp(&other.index)));
    without_repeats(ranked, &bags, most)
}

fn weigh(
    index: usize,
    candidates: &[Candidate<'_>],
    bag: &BTreeSet<String>,
    request: &BTreeSet<String>,
    spread: &BTreeMap<&str, (u64, BTreeSet<&str>)>,
) -> Ranked {
    let words = bag.len() as u64;
    if words < 2 {
        return Ranked { index, weight: 0, why: String::new() };
    }
    let recurring: u64 =
        bag.iter().filter_map(|word| spread.get(word.as_str())).map(|(count, _)| (count - 1).min(8)).sum();
    let shared =
        bag.iter().filter(|word| spread.get(word.as_str()).is_some_and(|(_, sources)| sources.len() > 1)).count();
    let asked: Vec<&str> = bag.intersection(request).map(String::as_str).collect();
    let chars = plain_digits(candidates[index].text);
    let has_date = !dates(&chars).is_empty();
    let has_figure = chars.iter().any(char::is_ascii_digit);
    // Long sentences have more of everything; dividing by the length is fair, but not below a sentence of normal size.
    let weight = recurring * 100 / words.max(8)
        + shared as u64 * 10
        + asked.len() as u64 * 60
        + u64::from(has_figure) * 40
        + u64::from(has_date) * 15
        + 30 / (candidates[index].position as u64 + 1);
    let mut why = Vec::new();
    if !asked.is_empty() {
        why.push(format!("has words of the request ({})", asked.join(", ")));
    }
    if has_figure {
        why.push("has a figure or date".to_owned());
    }
    if shared > 0 {
        why.push(format!("shares {shared} words with other sources"));
    }
    if why.is_empty() {
        why.push("its words recur".to_owned());
    }
    Ranked { index, weight, why: why.join("; ") }
}

fn without_repeats(ranked: Vec<Ranked>, bags: &[BTreeSet<String>], most: usize) -> Vec<Ranked> {
    let mut kept: Vec<Ranked> = Vec::new();
    for one in ranked {
        if kept.len() == most {
            break;
        }
        let bag = &bags[one.index];
        let repeats = kept.iter().any(|other| {
            let other = &bags[other.index];
            bag.intersection(other).count() * 10 > bag.union(other).count() * 8
        });
        if !repeats {
            kept.push(one);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_request_asks_for_comes_first_and_repeats_go() {
        let texts = [
            "The weather was fine that day.",
            "Revenue grew to EUR 4.2 million in 2023.",
            "In 2023 revenue grew to EUR 4.2 million.",
            "The revenue plan was agreed.",
        ];
        let candidates: Vec<Candidate<'_>> =
            texts.iter().map(|text| Candidate { text, source: "a", position: 0 }).collect();
        let request = ["revenue".to_owned()].into_iter().collect();
        let order: Vec<usize> = rank(&candidates, &request, 10).iter().map(|one| one.index).collect();
        assert_eq!(order, [1, 3, 0]);
    }
}
