//! Where known pairs get lost on their way into a report: which stage has to be mended.

#![allow(clippy::print_stdout, reason = "a test prints its figures")]

use std::collections::BTreeMap;

use super::known::{Known, Side, folders};
use crate::offline::claims::Said;
use crate::offline::doubts::{candidates, doubts};
use crate::offline::mentions::Mention;

/// The stages, the earliest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Stage {
    /// A figure, date or name was not read at all.
    NotRead,
    /// Both were read, but as what cannot be compared.
    NotOfOneKind,
    /// Something forbids that they are compared.
    NotPaired,
    WeighedTooLow,
    OverTheCap,
    Told,
    Strict,
}

fn of(known: &Known, (one, other): &(Side, Side)) -> (Stage, String) {
    let is_strict = known.found.iter().any(|found| {
        let is = |side: &Side| {
            [&found.first, &found.second]
                .into_iter()
                .chain(&found.also)
                .any(|claim| side.is_cited(&claim.path, claim.lines))
        };
        is(one) && is(other)
    });
    if is_strict {
        return (Stage::Strict, String::new());
    }
    let read = |side: &Side| -> Vec<&Mention> {
        let is_meant = |mention: &&Mention| side.is_of(mention, &known.mentions);
        known.mentions.iter().filter(is_meant).collect()
    };
    let is_in = |side: &Side, mention: &&Mention| side.words.contains(mention.written.as_str());
    let (mine, theirs) = (read(one), read(other));
    let said = |all: &[&Mention]| {
        all.iter().map(|one| format!("{:?}", short(&one.said, &one.written))).collect::<Vec<_>>().join(", ")
    };
    let both = format!("[{}] [{}]", said(&mine), said(&theirs));
    if !mine.iter().any(|m| is_in(one, m)) || !theirs.iter().any(|m| is_in(other, m)) {
        let is_any = !mine.is_empty() && !theirs.is_empty();
        if !is_any {
            return (Stage::NotRead, both);
        }
    }
    let told = doubts(&known.mentions, &known.found);
    let is_told = told.iter().any(|doubt| {
        let all: Vec<&Mention> = [&doubt.first, &doubt.second].into_iter().chain(&doubt.also).collect();
        let has = |side: &Side| all.iter().any(|m| side.is_cited(&m.path, m.lines));
        has(one) && has(other)
    });
    let pairs = candidates(&known.mentions, &known.found);
    let index = known.pairs.iter().position(|(mine, _)| std::ptr::eq(mine, one));
    let best = pairs
        .iter()
        .filter(|(first, second, _)| known.pair(first, second) == index)
        .max_by(|one, other| one.2.weight().total_cmp(&other.2.weight()));
    let weight = best.map_or(String::new(), |(first, second, like)| {
        let rank = pairs.iter().filter(|(.., other)| other.weight() > like.weight()).count() + 1;
        format!("{} / {}: weight {:.2}, rank {rank} of {}", first.written, second.written, like.weight(), pairs.len())
    });
    if is_told {
        return (Stage::Told, weight);
    }
    if best.is_some() {
        let is_low = best.is_some_and(|(.., like)| like.weight() < -0.5);
        return (if is_low { Stage::WeighedTooLow } else { Stage::OverTheCap }, weight);
    }
    let kind = |mention: &&Mention| match &mention.said {
        Said::Value(figure) => figure.unit.clone(),
        Said::Date(_) => "date".to_owned(),
        Said::Name(_) => "name".to_owned(),
    };
    let is_one_kind = mine.iter().map(kind).any(|one| theirs.iter().map(kind).any(|other| one == other));
    (if is_one_kind { Stage::NotPaired } else { Stage::NotOfOneKind }, both)
}

/// Known pairs, those told, entries of both lists, right ones, and wrong ones among those of the strict rule.
fn counted(known: &Known) -> [usize; 5] {
    type Places<'a> = Vec<(&'a str, (usize, usize))>;
    let told = doubts(&known.mentions, &known.found);
    let strict = known.found.iter().map(|one| -> Places<'_> {
        [&one.first, &one.second].into_iter().chain(&one.also).map(|one| (one.path.as_str(), one.lines)).collect()
    });
    let weighed = told.iter().map(|one| -> Places<'_> {
        [&one.first, &one.second].into_iter().chain(&one.also).map(|one| (one.path.as_str(), one.lines)).collect()
    });
    let entries: Vec<Places<'_>> = strict.chain(weighed).collect();
    let cites = |entry: &Places<'_>, (one, other): &(Side, Side)| {
        let has = |side: &Side| entry.iter().any(|(path, lines)| side.is_cited(path, *lines));
        has(one) && has(other)
    };
    let is_right = |entry: &Places<'_>| known.pairs.iter().any(|pair| cites(entry, pair));
    [
        known.pairs.len(),
        known.pairs.iter().filter(|pair| entries.iter().any(|entry| cites(entry, pair))).count(),
        entries.len(),
        entries.iter().filter(|entry| is_right(entry)).count(),
        entries[..known.found.len()].iter().filter(|entry| !is_right(entry)).count(),
    ]
}

fn short(said: &Said, written: &str) -> String {
    match said {
        Said::Value(figure) => format!("{written} = {}..{} {}", figure.low, figure.high, figure.unit),
        Said::Date(period) => format!("{written} = {period}"),
        Said::Name(_) => format!("{written} = name"),
    }
}

/// `MULTIVERSE_FOLDERS=/place cargo nextest run -p agent --lib --no-capture -E 'test(where_known_pairs_get_lost)'`
#[test]
fn where_known_pairs_get_lost() {
    let mut all: BTreeMap<Stage, usize> = BTreeMap::new();
    let mut sums = [0; 5];
    for folder in folders() {
        let known = Known::read(&folder);
        let made = counted(&known);
        println!("{}: {made:?} (pairs, told, entries, right entries, wrong contradictions)", known.name);
        sums.iter_mut().zip(made).for_each(|(sum, more)| *sum += more);
        for pair in &known.pairs {
            let (stage, why) = of(&known, pair);
            *all.entry(stage).or_default() += 1;
            println!("{}: {stage:?}: {} | {} {why}", known.name, pair.0.words, pair.1.words);
        }
    }
    println!("all: {sums:?} (pairs, told, entries, right entries, wrong contradictions)");
    for (stage, count) in all {
        println!("{stage:?}: {count}");
    }
}
