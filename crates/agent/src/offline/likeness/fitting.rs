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

use std::fs;
use std::path::{Path, PathBuf};

use super::{FEATURES, FITTED, Likeness};
use crate::offline::analysis::all_claims;
use crate::offline::contradictions::contradictions;
use crate::offline::doubts::candidates;
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

/// One side of a known pair: file, line, and the words that hold the figure.
struct Side {
    path: String,
    line: usize,
    words: String,
}

impl Side {
    fn is_at(&self, mention: &Mention) -> bool {
        mention.path == self.path && mention.lines.0 <= self.line && self.line <= mention.lines.1
    }

    /// Whether it is this figure: of several in its line the one that stands in the words.
    fn is_of(&self, mention: &Mention, all: &[Mention]) -> bool {
        let is_in = |one: &Mention| self.words.contains(one.written.as_str());
        self.is_at(mention) && (is_in(mention) || !all.iter().any(|one| self.is_at(one) && is_in(one)))
    }
}

/// Folders that were measured once and are to be used for nothing.
const UNSEEN: [&str; 5] = ["domaine-viticole", "compras-hospital", "museo-civico", "kyoiku-iinkai", "startup-mixed"];

fn folders() -> Vec<PathBuf> {
    let place = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/offline/folders");
    let mut found: Vec<PathBuf> = fs::read_dir(place).unwrap().map(|entry| entry.unwrap().path()).collect();
    found.retain(|path| !UNSEEN.iter().any(|name| path.ends_with(name)));
    found.sort();
    found
}

fn examples(folder: &Path) -> (Vec<Example>, usize) {
    let mut paths: Vec<PathBuf> =
        fs::read_dir(folder.join("assets")).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let name = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
    let read = |path: &PathBuf| document(&name(path), &fs::read(path).unwrap(), Extent::Whole).ok();
    let documents: Vec<_> = paths.iter().filter_map(read).collect();
    let side = |file: &str, words: &str| {
        let text = fs::read(folder.join("assets").join(file)).unwrap();
        let text = String::from_utf8_lossy(&text).into_owned();
        let line = text.lines().position(|line| line.contains(words)).unwrap_or_else(|| panic!("{file}: {words}"));
        Side { path: file.to_owned(), line: line + 1, words: words.to_owned() }
    };
    let truth = fs::read_to_string(folder.join("truth.txt")).unwrap();
    let mut pairs = Vec::new();
    for line in truth.lines().filter(|line| line.starts_with("pair")) {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        pairs.push((side(cells[1], cells[2]), side(cells[3], cells[4])));
    }
    let claims = all_claims(&documents);
    let found = contradictions(&claims).found;
    let all = mentions(&documents, &claims);
    let is_pair = |first: &Mention, second: &Mention| {
        let is_of = |one: &Side, other: &Side| one.is_of(first, &all) && other.is_of(second, &all);
        pairs.iter().any(|(one, other)| is_of(one, other) || is_of(other, one))
    };
    let made = candidates(&all, &found).into_iter().map(|(first, second, like)| Example {
        features: like.features,
        is_true: is_pair(first, second),
        counts: 1.0,
        shown: format!(
            "{}:{} {} / {}:{} {}",
            first.path, first.lines.0, first.written, second.path, second.lines.0, second.written
        ),
    });
    (made.collect(), pairs.len())
}

/// How much a small case counts beside a pair of a folder.
const CASE: f64 = 0.15;

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
fn fit(examples: &[&Example]) -> [f64; FEATURES] {
    const STEPS: usize = 12;
    const SHRINK: f64 = 1.0;
    let mut weights = [0.0; FEATURES];
    for _ in 0..STEPS {
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

#[test]
fn the_weights_are_those_that_the_folders_give() {
    let mut all: Vec<(String, Vec<Example>, usize)> = Vec::new();
    for folder in folders() {
        let (made, pairs) = examples(&folder);
        all.push((folder.file_name().unwrap().to_string_lossy().into_owned(), made, pairs));
    }
    for (index, set) in ["", "unseen-", "grown-", "second-blind-", "third-blind-"].iter().enumerate() {
        let mut made = cases(&format!("{set}pairs.txt"), true);
        made.extend(cases(&format!("{set}traps.txt"), false));
        all.push((format!("cases {index}"), made, 0));
    }
    let fitted = fit(&all.iter().flat_map(|(_, made, _)| made).collect::<Vec<_>>());
    for (index, weight) in fitted.iter().enumerate() {
        println!("{index:2} {weight:6.2} (in use: {:.2})", FITTED[index]);
    }
    let mut judged: Vec<(f64, bool)> = Vec::new();
    for (name, made, pairs) in &all {
        let others: Vec<&Example> =
            all.iter().filter(|(other, ..)| other != name).flat_map(|(_, made, _)| made).collect();
        let without = fit(&others);
        let right = made.iter().filter(|one| one.is_true).count();
        println!("{name}: {} pairs compared, {right} of them true; {pairs} known", made.len());
        if std::env::var_os("FITTING_SHOWN").is_some() {
            let mut shown: Vec<&Example> = made.iter().collect();
            shown.sort_by(|one, other| weigh(other, &without).total_cmp(&weigh(one, &without)));
            for one in shown.iter().filter(|one| one.is_true || weigh(one, &without) > -1.0) {
                println!("   {} {:6.2} {}", if one.is_true { "TRUE" } else { "    " }, weigh(one, &without), one.shown);
            }
        }
        judged.extend(made.iter().map(|one| (weigh(one, &without), one.is_true)));
    }
    for least in [-1.5, -1.0, -0.5, 0.0, 0.5, 1.0, 1.5] {
        let told = judged.iter().filter(|(weight, _)| *weight >= least);
        let right = told.clone().filter(|(_, is_true)| *is_true).count();
        println!("at {least:4.1}, with the folder left out of the fitting: {} told, {right} right", told.count());
    }
    for (weight, used) in fitted.iter().zip(FITTED) {
        assert!((weight - used).abs() < 0.02, "the folders give {weight:.2}, {used:.2} is in use");
    }
}
