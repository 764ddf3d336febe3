//! What each sign counts, worked out from folders whose contradictions are known.
//!
//! A logistic regression: among all pairs of figures that can be compared at all, those that contradict each other are to
//! weigh more than nought. The same folders make the same weights; the test prints them, with what they are worth when
//! each folder is judged by weights that were fitted without it.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test ends where it fails, and prints its figures"
)]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::known::{Known, Side, folders};
use super::{ALIGNED, FEATURES, FITTED, Likeness, NOT_AROUND};
use crate::offline::analysis::all_claims;
use crate::offline::doubts::{Doubt, candidates, chosen};
use crate::offline::mentions::{Mention, mentions};
use crate::offline::read::{Extent, document};

/// One pair of a folder: its signs, and whether it is a contradiction.
struct Example {
    features: [f64; FEATURES],
    is_true: bool,
    /// How much it counts: a small case says less of the world than a whole folder.
    counts: f64,
    shown: String,
}

/// Folders by somebody who knows nothing of the program: what unseen ones are like.
const STRANGE: [&str; 15] = [
    "baustelle-kita",
    "charity-annual-papers",
    "compras-hospital",
    "dental-practice",
    "domaine-viticole",
    "fishing-cooperative",
    "kyoiku-iinkai",
    "museo-civico",
    "regional-railway",
    "startup-mixed",
    "allotments",
    "city-library",
    "bee-school",
    "hospital-kitchen",
    "coffee-exporter",
];

fn is_strange(name: &str) -> bool {
    STRANGE.iter().any(|one| name.starts_with(one))
}

/// How much a pair of another folder counts beside one of these.
const OWN: f64 = 0.35;

fn examples(known: &Known) -> Vec<Example> {
    let all = candidates(&known.mentions, &known.found);
    // Of several figures that the words of a pair hold, that with most in common is meant; the others teach nothing.
    let mut meant: BTreeMap<usize, (f64, usize)> = BTreeMap::new();
    let pairs: Vec<Option<usize>> = all.iter().map(|(first, second, _)| known.pair(first, second)).collect();
    for (index, pair) in pairs.iter().enumerate() {
        let Some(pair) = pair else { continue };
        let like = &all[index].2.features;
        let most = like[1] + like[2] + like[6];
        let best = meant.entry(*pair).or_insert((f64::MIN, index));
        if most > best.0 {
            *best = (most, index);
        }
    }
    let made = all.iter().enumerate().filter_map(|(index, (first, second, like))| {
        let is_true = pairs[index].is_some_and(|pair| meant[&pair].1 == index);
        (is_true || pairs[index].is_none()).then(|| Example {
            features: like.features,
            is_true,
            counts: if is_strange(&known.name) { 1.0 } else { OWN },
            shown: format!(
                "{}:{} {} / {}:{} {}",
                first.path, first.lines.0, first.written, second.path, second.lines.0, second.written
            ),
        })
    });
    made.collect()
}

/// How much a small case counts beside a pair of a folder.
const CASE: f64 = 0.08;

/// The small cases: two texts that contradict each other, and traps that only look like it.
fn cases(file: &str, is_true: bool) -> Vec<Example> {
    let place = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/offline/contradictions").join(file);
    let text = fs::read_to_string(place).unwrap();
    let mut made = Vec::new();
    for case in text.split("\n== ") {
        let files = case.split("\n-- ").skip(1).filter_map(|one| one.split_once('\n'));
        let documents: Vec<_> =
            files.filter_map(|(name, text)| document(name, text.as_bytes(), Extent::Whole).ok()).collect();
        let claims = all_claims(&documents);
        let all = mentions(&documents, &claims);
        let pairs = candidates(&all, &[]);
        // Of several pairs of a case the one with most in common and the nearest values is meant.
        let meant = |like: &Likeness| like.features[2] + like.features[7];
        let best = pairs.iter().map(|(.., like)| meant(like)).fold(f64::MIN, f64::max);
        made.extend(pairs.iter().map(|(first, second, like)| Example {
            features: like.features,
            is_true: is_true && meant(like) >= best,
            counts: CASE,
            shown: format!("{} / {}", first.written, second.written),
        }));
    }
    made
}

/// Logistic regression, shrunk a little so that what one pair says by chance counts less; by Newton's steps.
fn fit(examples: &[&Example], from: [f64; FEATURES], steps: usize) -> [f64; FEATURES] {
    const SHRINK: f64 = 1.0;
    let mut weights = from;
    for _ in 0..steps {
        let mut slope = weights.map(|weight: f64| -SHRINK * weight);
        let mut bend = [[0.0; FEATURES]; FEATURES];
        for (index, row) in bend.iter_mut().enumerate() {
            row[index] = SHRINK;
        }
        for one in examples {
            let likely = 1.0 / (1.0 + (-weigh(one, &weights)).exp());
            let miss = one.counts * (f64::from(u8::from(one.is_true)) - likely);
            for row in (0..FEATURES).filter(|row| one.features[*row] != 0.0) {
                slope[row] += miss * one.features[row];
                let worth = one.counts * likely * (1.0 - likely) * one.features[row];
                for (bent, feature) in bend[row].iter_mut().zip(one.features) {
                    *bent += worth * feature;
                }
            }
        }
        let step = solved(bend, slope);
        weights.iter_mut().zip(step).for_each(|(weight, step)| *weight += step);
    }
    weights
}

/// The solution of linear equations by elimination; the shrinking keeps the diagonal from nought.
fn solved(mut left: [[f64; FEATURES]; FEATURES], mut right: [f64; FEATURES]) -> [f64; FEATURES] {
    for at in 0..FEATURES {
        let row = left[at];
        for below in at + 1..FEATURES {
            let factor = left[below][at] / row[at];
            for column in at..FEATURES {
                left[below][column] -= factor * row[column];
            }
            right[below] -= factor * right[at];
        }
    }
    for at in (0..FEATURES).rev() {
        let known: f64 = (at + 1..FEATURES).map(|column| left[at][column] * right[column]).sum();
        right[at] = (right[at] - known) / left[at][at];
    }
    right
}

fn weigh(one: &Example, weights: &[f64; FEATURES]) -> f64 {
    one.features.iter().zip(weights).map(|(feature, weight)| feature * weight).sum()
}

/// Two figures that can be compared, and what speaks for it.
type Pair<'m> = (&'m Mention, &'m Mention, Likeness);

/// What a folder's report would be if its pairs weighed this: known pairs, found strictly, told at all, entries, right ones.
fn judged(known: &Known, pairs: &[Pair<'_>], weights: &[f64; FEATURES], least: f64) -> [usize; 6] {
    let told = chosen(pairs.to_vec(), least, |like| {
        like.features.iter().zip(weights).map(|(feature, weight)| feature * weight).sum()
    });
    let places = |doubt: &Doubt| -> Vec<(String, (usize, usize))> {
        [&doubt.first, &doubt.second].into_iter().chain(&doubt.also).map(|one| (one.path.clone(), one.lines)).collect()
    };
    let strict: Vec<Vec<(String, (usize, usize))>> = known
        .found
        .iter()
        .map(|one| {
            [&one.first, &one.second].into_iter().chain(&one.also).map(|one| (one.path.clone(), one.lines)).collect()
        })
        .collect();
    let entries: Vec<Vec<(String, (usize, usize))>> = strict.iter().cloned().chain(told.iter().map(places)).collect();
    let cites = |entry: &[(String, (usize, usize))], (one, other): &(Side, Side)| {
        let has = |side: &Side| entry.iter().any(|(path, lines)| side.is_cited(path, *lines));
        has(one) && has(other)
    };
    let of = |all: &[Vec<(String, (usize, usize))>]| {
        known.pairs.iter().filter(|pair| all.iter().any(|entry| cites(entry, pair))).count()
    };
    let right = entries.iter().filter(|entry| known.pairs.iter().any(|pair| cites(entry, pair))).count();
    let wrong = strict.iter().filter(|entry| !known.pairs.iter().any(|pair| cites(entry, pair))).count();
    [known.pairs.len(), of(&strict), of(&entries), entries.len(), right, wrong]
}

/// The weights of the signs around two figures alone, which `ALIGNED` holds.
fn fitted_around(all: &[(String, Vec<Example>)]) -> [f64; FEATURES] {
    let around = |one: &Example| {
        let mut features = one.features;
        NOT_AROUND.iter().for_each(|index| features[*index] = 0.0);
        Example { features, is_true: one.is_true, counts: one.counts, shown: String::new() }
    };
    let around: Vec<Example> = all.iter().flat_map(|(_, made)| made).map(around).collect();
    fit(&around.iter().collect::<Vec<_>>(), [0.0; FEATURES], 12)
}

fn print_pairs(made: &[Example], weights: &[f64; FEATURES]) {
    const WORTH_A_LOOK: f64 = -1.0;
    let mut shown: Vec<&Example> = made.iter().collect();
    shown.sort_by(|one, other| weigh(other, weights).total_cmp(&weigh(one, weights)));
    for one in shown.iter().filter(|one| one.is_true || weigh(one, weights) > WORTH_A_LOOK) {
        println!("   {} {:6.2} {}", if one.is_true { "TRUE" } else { "    " }, weigh(one, weights), one.shown);
    }
}

/// What the folders would be told if each were judged by weights that were fitted without it, at several bars.
fn print_left_out(known: &[Known], all: &[(String, Vec<Example>)], fitted: [f64; FEATURES]) {
    const BARS: [f64; 9] = [-1.5, -1.2, -0.9, -0.7, -0.5, -0.3, 0.0, 0.3, 0.6];
    let mut sums = [[[0; 6]; 2]; BARS.len()];
    for (name, made) in all {
        let others: Vec<&Example> = all.iter().filter(|(other, _)| other != name).flat_map(|(_, made)| made).collect();
        let without = fit(&others, fitted, 3);
        let right = made.iter().filter(|one| one.is_true).count();
        println!("{name}: {} pairs compared, {right} of them true", made.len());
        if std::env::var_os("FITTING_SHOWN").is_some() {
            print_pairs(made, &without);
        }
        let Some(folder) = known.iter().find(|one| one.name == *name) else { continue };
        let pairs = candidates(&folder.mentions, &folder.found);
        for (bar, sums) in BARS.iter().zip(&mut sums) {
            let made = judged(folder, &pairs, &without, *bar);
            sums[usize::from(is_strange(name))].iter_mut().zip(made).for_each(|(sum, more)| *sum += more);
        }
    }
    for (bar, sums) in BARS.iter().zip(&sums) {
        for (kind, [pairs, strict, told, entries, right, wrong]) in ["own", "strange"].iter().zip(*sums) {
            println!(
                "left out, bar {bar:4.1}, {kind}: {pairs} pairs, {strict} strict ({wrong} wrong), {told} told; {right} of {entries} entries right"
            );
        }
    }
}

#[test]
fn the_weights_are_those_that_the_folders_give() {
    let known: Vec<Known> = folders().iter().map(|folder| Known::read(folder)).collect();
    let mut all: Vec<(String, Vec<Example>)> = known.iter().map(|one| (one.name.clone(), examples(one))).collect();
    for (index, set) in ["", "unseen-", "grown-", "second-blind-", "third-blind-"].iter().enumerate() {
        let mut made = cases(&format!("{set}pairs.txt"), true);
        made.extend(cases(&format!("{set}traps.txt"), false));
        all.push((format!("cases {index}"), made));
    }
    let aligned = fitted_around(&all);
    let fitted = fit(&all.iter().flat_map(|(_, made)| made).collect::<Vec<_>>(), [0.0; FEATURES], 12);
    for (index, weight) in aligned.iter().enumerate() {
        println!("around {index:2} {weight:6.2} (in use: {:.2})", ALIGNED[index]);
    }
    for (index, weight) in fitted.iter().enumerate() {
        println!("{index:2} {weight:6.2} (in use: {:.2})", FITTED[index]);
    }
    print_left_out(&known, &all, fitted);
    for (made, used) in [(aligned, ALIGNED), (fitted, FITTED)] {
        for (weight, used) in made.iter().zip(used) {
            assert!((weight - used).abs() < 0.02, "the folders give {weight:.2}, {used:.2} is in use");
        }
    }
}
