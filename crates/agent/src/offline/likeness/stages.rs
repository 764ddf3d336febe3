//! Where known pairs get lost on their way into a report: which stage has to be mended.

#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a test prints its figures")]

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
    let cited = |side: &Side| {
        known.found.iter().position(|found| {
            let all = [&found.first, &found.second].into_iter().chain(&found.also);
            all.into_iter().any(|claim| side.is_cited(&claim.path, claim.lines))
        })
    };
    let is_strict = known.found.iter().any(|found| {
        let is = |side: &Side| {
            [&found.first, &found.second]
                .into_iter()
                .chain(&found.also)
                .any(|claim| side.is_cited(&claim.path, claim.lines))
        };
        is(one) && is(other)
    });
    if is_strict && cited(one).is_some() {
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

fn short(said: &Said, written: &str) -> String {
    match said {
        Said::Value(figure) => format!("{written} = {}..{} {}", figure.low, figure.high, figure.unit),
        Said::Date(period) => format!("{written} = {period}"),
        Said::Name(_) => format!("{written} = name"),
    }
}

fn dumped(known: &Known) -> serde_json::Value {
    use serde_json::json;
    let token = |one: &crate::offline::mentions::Token| json!([one.word, one.shown, one.things, one.near, one.is_name]);
    let mentions: Vec<serde_json::Value> = known
        .mentions
        .iter()
        .map(|m| {
            let said = match &m.said {
                Said::Value(figure) => json!(["value", figure.unit, figure.low, figure.high]),
                Said::Date(period) => json!(["date", period.to_string()]),
                Said::Name(names) => json!(["name", names.iter().collect::<Vec<_>>()]),
            };
            json!({
                "path": m.path, "lines": [m.lines.0, m.lines.1], "quote": m.quote, "written": m.written, "said": said,
                "tokens": m.tokens.iter().map(token).collect::<Vec<_>>(),
                "above": m.above.iter().map(token).collect::<Vec<_>>(),
                "years": m.years.iter().collect::<Vec<_>>(), "language": format!("{:?}", m.language),
                "row": m.is_row, "newest": m.is_newest, "plan": m.is_plan, "open": m.is_open,
                "claim": m.claim.is_some(), "taxed": format!("{:?}", m.taxed),
            })
        })
        .collect();
    let at = |mention: &Mention| known.mentions.iter().position(|one| std::ptr::eq(one, mention));
    let pairs: Vec<serde_json::Value> = candidates(&known.mentions, &known.found)
        .iter()
        .map(|(first, second, like)| {
            json!([at(first), at(second), like.features.to_vec(), known.pair(first, second)])
        })
        .collect();
    json!({ "mentions": mentions, "pairs": pairs })
}

/// `MULTIVERSE_FOLDERS=/place cargo nextest run -p agent --lib --no-capture -E 'test(where_known_pairs_get_lost)'`
#[test]
fn where_known_pairs_get_lost() {
    let mut all: BTreeMap<Stage, usize> = BTreeMap::new();
    let dump = std::env::var_os("MULTIVERSE_DUMP");
    for folder in folders() {
        let known = Known::read(&folder);
        if let Some(place) = &dump {
            std::fs::write(std::path::Path::new(place).join(&known.name), dumped(&known).to_string()).unwrap();
        }
        for pair in &known.pairs {
            let (stage, why) = of(&known, pair);
            *all.entry(stage).or_default() += 1;
            println!("{}: {stage:?}: {} | {} {why}", known.name, pair.0.words, pair.1.words);
        }
    }
    for (stage, count) in all {
        println!("{stage:?}: {count}");
    }
}
