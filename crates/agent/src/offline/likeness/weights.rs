//! What words weigh and which are the same: by their letters, by what they mean in several languages, by a part of them.
//!
//! Owns the comparison of what stands around two figures. It must not know what that counts. Words are compared once for all
//! figures: only those are looked at that begin alike, have signs in common, or mean one thing.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use super::is_foreign;
use crate::offline::mentions::{Mention, Passage, Token};

/// How much a match counts that is no word for word one.
const ONE_THING: f64 = 0.9;
const ONE_STEM: f64 = 0.7;
const ONE_PART: f64 = 0.6;
/// How near a word must stand to say what a figure is of.
const HEAD: f64 = 0.75;
/// How much two paragraphs must have in common where the words beside the figures have nothing.
const ALONE: f64 = 0.25;
/// Words with the same beginning or sign that are compared with each other: a sign that stands everywhere says nothing.
const ALIKE: usize = 400;

/// A word of a mention: which it is, how near, and whether it is a name.
#[derive(Clone, Copy, Debug)]
struct Near {
    word: u32,
    near: f64,
    is_name: bool,
    /// Its place among the tokens of the mention.
    at: usize,
}

/// The words of one mention.
#[derive(Debug)]
struct Read {
    tokens: Vec<Near>,
    above: Vec<Near>,
    passage: Arc<Vec<u32>>,
}

/// What a word weighs: one that stands beside many figures tells little of one.
pub(crate) struct Weights {
    worth: Vec<f64>,
    /// What a word that stands in many passages tells of one.
    rare: Vec<f64>,
    things: Vec<Vec<&'static str>>,
    /// For each word those that are the same, in their order, and how much.
    same: Vec<Vec<(u32, f64)>>,
    read: HashMap<usize, Read>,
    /// What passages have in common, once worked out.
    passages: RefCell<HashMap<(usize, usize), (f64, f64)>>,
}

/// What two mentions have in common.
pub(super) struct Shared {
    /// How much of what the one says with fewer words the other says, too.
    pub(super) alike: f64,
    /// How much it is altogether, however much else they say.
    pub(super) weight: f64,
    /// How much of the words right beside the figures.
    pub(super) head: f64,
    /// Whether both name one thing, or each names another right beside its figure.
    pub(super) has_thing: bool,
    pub(super) has_other_thing: bool,
    /// Whether each has a name, and none is the other's.
    pub(super) has_other_name: bool,
    /// How much the names are that both have.
    pub(super) names: f64,
    /// How much the paragraphs or rows have in common: of the shorter, and altogether.
    pub(super) passage: f64,
    pub(super) passages: f64,
    /// How rare the rarest word is that both have.
    pub(super) rarest: f64,
    /// Whether the nearest words of both are one.
    pub(super) is_one_noun: bool,
    pub(super) about: Vec<String>,
}

/// A mention is told from others by where it lies.
pub(super) fn key(mention: &Mention) -> usize {
    std::ptr::from_ref(mention).addr()
}

/// Words under numbers.
#[derive(Default)]
struct Lexicon {
    numbers: HashMap<String, u32>,
    words: Vec<String>,
    things: Vec<Vec<&'static str>>,
}

impl Lexicon {
    fn number(&mut self, token: &Token) -> u32 {
        if let Some(known) = self.numbers.get(&token.word) {
            let things = &mut self.things[*known as usize];
            for thing in &token.things {
                if !things.contains(thing) {
                    things.push(thing);
                }
            }
            return *known;
        }
        let number = u32::try_from(self.words.len()).unwrap_or(u32::MAX);
        self.numbers.insert(token.word.clone(), number);
        self.words.push(token.word.clone());
        self.things.push(token.things.clone());
        number
    }

    /// Which words are how much the same.
    fn same(&self, glossed: &[BTreeSet<String>]) -> Vec<Vec<(u32, f64)>> {
        let mut groups: BTreeMap<String, Vec<u32>> = BTreeMap::new();
        for (index, word) in self.words.iter().enumerate() {
            let index = u32::try_from(index).unwrap_or(u32::MAX);
            let chars: Vec<char> = word.chars().collect();
            for thing in &self.things[index as usize] {
                groups.entry(format!("={thing}")).or_default().push(index);
            }
            if chars.iter().any(|c| *c >= '\u{2e80}') {
                for pair in chars.windows(2) {
                    groups.entry(pair.iter().collect()).or_default().push(index);
                }
            } else if chars.len() >= 4 {
                groups.entry(format!("^{}", chars[..4].iter().collect::<String>())).or_default().push(index);
                groups
                    .entry(format!("{}$", chars[chars.len() - 4..].iter().collect::<String>()))
                    .or_default()
                    .push(index);
            }
        }
        let mut same: HashMap<(u32, u32), f64> = HashMap::new();
        for (name, group) in &groups {
            let is_thing = name.starts_with('=');
            if group.len() > ALIKE && !is_thing {
                continue;
            }
            for (place, one) in group.iter().enumerate() {
                for other in &group[place + 1..] {
                    let how = match is_thing {
                        true => ONE_THING,
                        false => alike(&self.words[*one as usize], &self.words[*other as usize]),
                    };
                    if how > 0.0 {
                        let known: &mut f64 = same.entry((*one.min(other), *one.max(other))).or_default();
                        *known = known.max(how);
                    }
                }
            }
        }
        for both in glossed {
            let numbers: Vec<u32> = both.iter().filter_map(|word| self.numbers.get(word).copied()).collect();
            for (place, one) in numbers.iter().enumerate() {
                for other in &numbers[place + 1..] {
                    same.insert((*one.min(other), *one.max(other)), 1.0);
                }
            }
        }
        let mut lists = vec![Vec::new(); self.words.len()];
        for ((one, other), how) in same {
            lists[one as usize].push((other, how));
            lists[other as usize].push((one, how));
        }
        lists.iter_mut().for_each(|list| list.sort_by_key(|(word, _)| *word));
        lists
    }
}

/// How much two different words are one by their letters: another ending, a part of a compound, signs in common.
fn alike(one: &str, other: &str) -> f64 {
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    let is_joined = |word: &[char]| word.iter().any(|c| *c >= '\u{2e80}');
    let least = one.len().min(other.len());
    if is_joined(&one) || is_joined(&other) {
        let pairs =
            |word: &[char]| -> BTreeSet<(char, char)> { word.windows(2).map(|pair| (pair[0], pair[1])).collect() };
        let (mine, theirs) = (pairs(&one), pairs(&other));
        let shared = mine.intersection(&theirs).count();
        return if shared * 2 >= mine.len().min(theirs.len()).max(1) { ONE_STEM } else { 0.0 };
    }
    let is_plain = |word: &[char]| word.iter().all(|c| c.is_alphabetic());
    if !is_plain(&one) || !is_plain(&other) {
        return 0.0;
    }
    let shared = one.iter().zip(&other).take_while(|(one, other)| one == other).count();
    if shared >= 4 && one.len().max(other.len()) <= shared + 3 {
        return ONE_STEM;
    }
    let ending = one.iter().rev().zip(other.iter().rev()).take_while(|(one, other)| one == other).count();
    let is_part = least >= 5 && (shared == least || ending == least);
    if is_part || shared >= 6 && shared * 3 >= least * 2 { ONE_PART } else { 0.0 }
}

impl Weights {
    pub(crate) fn of(mentions: &[Mention]) -> Self {
        let mut lexicon = Lexicon::default();
        let mut read = HashMap::new();
        let mut passages: HashMap<usize, Arc<Vec<u32>>> = HashMap::new();
        let mut counts: Vec<usize> = Vec::new();
        for mention in mentions {
            let mut near = |all: &[Token]| -> Vec<Near> {
                let made = |(at, token): (usize, &Token)| Near {
                    word: lexicon.number(token),
                    near: token.near,
                    is_name: token.is_name,
                    at,
                };
                all.iter().enumerate().map(made).collect()
            };
            let (tokens, above) = (near(&mention.tokens), near(&mention.above));
            let place = Arc::as_ptr(&mention.passage).addr();
            let passage = match passages.get(&place) {
                Some(known) => known.clone(),
                None => {
                    let made = Arc::new(words_of(&mention.passage, &mut lexicon));
                    passages.insert(place, made.clone());
                    made
                }
            };
            counts.resize(lexicon.words.len(), 0);
            for token in &tokens {
                counts[token.word as usize] += 1;
            }
            read.insert(key(mention), Read { tokens, above, passage });
        }
        let mut spread = vec![0_usize; lexicon.words.len()];
        for word in passages.values().flat_map(|words| words.iter()) {
            spread[*word as usize] += 1;
        }
        let worth = |counts: &[usize], all: usize| -> Vec<f64> {
            let all = all as f64;
            counts.iter().map(|count| (1.0 + all / (*count).max(1) as f64).ln() / (1.0 + all).ln()).collect()
        };
        let mut glossed: Vec<BTreeSet<String>> = mentions.iter().flat_map(|one| one.glossed.clone()).collect();
        glossed.sort();
        glossed.dedup();
        Self {
            worth: worth(&counts, mentions.len()),
            rare: worth(&spread, passages.len()),
            same: lexicon.same(&glossed),
            things: lexicon.things,
            read,
            passages: RefCell::default(),
        }
    }

    /// How much one word is the other.
    fn is_one(&self, one: u32, other: u32) -> f64 {
        if one == other {
            return 1.0;
        }
        let list = &self.same[one as usize];
        list.binary_search_by_key(&other, |(word, _)| *word).map_or(0.0, |at| list[at].1)
    }

    /// The words of a mention, the rarest first, for finding those that have one in common.
    pub(crate) fn rarest(&self, mention: &Mention) -> Vec<u32> {
        let mut words: Vec<u32> = self.read[&key(mention)].tokens.iter().map(|token| token.word).collect();
        words.sort_by(|one, other| {
            self.worth[*other as usize].total_cmp(&self.worth[*one as usize]).then(one.cmp(other))
        });
        words
    }

    /// What two mentions have in common; nothing where no word is.
    pub(super) fn shared(&self, first: &Mention, second: &Mention) -> Option<Shared> {
        let (mine, theirs) = (&self.read[&key(first)], &self.read[&key(second)]);
        let (mut weight, mut head, mut names, mut rarest) = (0.0, 0.0_f64, 0.0, 0.0_f64);
        let mut has_thing = false;
        let mut about: Vec<(f64, &str)> = Vec::new();
        let mut found = vec![false; theirs.tokens.len()];
        let mut unmatched: Vec<Near> = Vec::new();
        for token in &mine.tokens {
            let best = theirs
                .tokens
                .iter()
                .enumerate()
                .map(|(index, other)| (self.is_one(token.word, other.word), index))
                .max_by(|(one, _), (other, _)| one.total_cmp(other))
                .filter(|(how, _)| *how > 0.0);
            let Some((how, index)) = best else {
                unmatched.push(*token);
                continue;
            };
            let other = &theirs.tokens[index];
            found[index] = true;
            let near = (token.near * other.near).sqrt();
            let own = self.worth[token.word as usize].max(self.worth[other.word as usize]);
            let worth = how * near * own;
            weight += worth;
            head = head.max(how * near);
            rarest = rarest.max(how * self.rare[token.word as usize].min(self.rare[other.word as usize]));
            if token.is_name && other.is_name {
                names += how * own;
            }
            let things = &self.things[other.word as usize];
            has_thing |= self.things[token.word as usize].iter().any(|thing| things.contains(thing));
            about.push((worth, first.tokens[token.at].shown.as_str()));
        }
        let others: Vec<Near> =
            theirs.tokens.iter().zip(&found).filter(|(_, found)| !**found).map(|(token, _)| *token).collect();
        // What one says and the heading above the other says counts half.
        let above = |tokens: &[Near], above: &[Near]| -> f64 {
            let best = |token: &Near| above.iter().map(|one| self.is_one(token.word, one.word)).fold(0.0, f64::max);
            tokens.iter().map(|token| best(token) * token.near * self.worth[token.word as usize] / 2.0).sum()
        };
        let around = above(&unmatched, &theirs.above) + above(&others, &mine.above);
        let (passage, passages) = self.passage(&mine.passage, &theirs.passage);
        if weight == 0.0 && around == 0.0 && passages < ALONE {
            return None;
        }
        let is_foreign = is_foreign(first, second);
        let said = |read: &Read| self.said(read, is_foreign).max(weight);
        let (one, other) = (said(mine), said(theirs));
        let alike = ((weight + around) / (one.min(other) * 0.7 + one.max(other) * 0.3).max(0.01)).min(1.0);
        let (beside, others_beside) = (self.things_beside(mine), self.things_beside(theirs));
        Some(Shared {
            alike,
            weight: (weight + around).min(3.0),
            head,
            has_thing,
            has_other_thing: !beside.is_empty() && !others_beside.is_empty() && beside.is_disjoint(&others_beside),
            has_other_name: self.has_name(&unmatched, theirs) && self.has_name(&others, mine),
            names,
            passage,
            passages,
            rarest,
            is_one_noun: matches!((mine.tokens.first(), theirs.tokens.first()), (Some(one), Some(other)) if self.is_one(one.word, other.word) > 0.0),
            about: shown(first, about),
        })
    }

    /// How much two passages have in common, as a part of the shorter one and altogether.
    fn passage(&self, one: &Arc<Vec<u32>>, other: &Arc<Vec<u32>>) -> (f64, f64) {
        let places = (Arc::as_ptr(one).addr(), Arc::as_ptr(other).addr());
        let known = self.passages.borrow().get(&places).copied();
        known.unwrap_or_else(|| {
            let made = self.compared(one, other);
            self.passages.borrow_mut().insert(places, made);
            made
        })
    }

    fn compared(&self, one: &[u32], other: &[u32]) -> (f64, f64) {
        let of = |words: &[u32]| -> f64 { words.iter().map(|word| self.rare[*word as usize]).sum() };
        let (shorter, longer) = if of(one) <= of(other) { (one, other) } else { (other, one) };
        let has = |word: &u32| longer.binary_search(word).is_ok();
        let best = |word: u32| {
            let others = self.same[word as usize].iter().filter(|(other, _)| has(other)).map(|(_, how)| *how);
            if has(&word) { 1.0 } else { others.fold(0.0, f64::max) }
        };
        let shared: f64 = shorter.iter().map(|word| best(*word) * self.rare[*word as usize]).sum();
        (shared / of(shorter).max(2.0), shared.min(6.0) / 3.0)
    }

    /// How much a mention says. In another language only what means the same in all of them can be compared, and names.
    fn said(&self, read: &Read, is_foreign: bool) -> f64 {
        let counts = |token: &&Near| !is_foreign || !self.things[token.word as usize].is_empty() || token.is_name;
        read.tokens.iter().filter(counts).map(|token| token.near * self.worth[token.word as usize]).sum()
    }

    /// Whether a name is among words, that stands above the other mention nowhere.
    fn has_name(&self, tokens: &[Near], other: &Read) -> bool {
        let is_above = |token: &Near| other.above.iter().any(|one| self.is_one(token.word, one.word) > 0.0);
        tokens.iter().any(|token| token.is_name && !is_above(token))
    }

    /// The things that are named right beside a figure.
    fn things_beside(&self, read: &Read) -> BTreeSet<&'static str> {
        let near = read.tokens.iter().filter(|token| token.near >= HEAD);
        near.flat_map(|token| self.things[token.word as usize].iter().copied()).collect()
    }
}

/// The words that weigh most of those in common; without one those of the first.
fn shown(first: &Mention, mut about: Vec<(f64, &str)>) -> Vec<String> {
    about.sort_by(|one, other| other.0.total_cmp(&one.0).then_with(|| one.1.cmp(other.1)));
    let words: Vec<&str> = match about.is_empty() {
        true => first.tokens.iter().map(|token| token.shown.as_str()).collect(),
        false => about.into_iter().map(|(_, word)| word).collect(),
    };
    words.into_iter().filter(|word| !word.is_empty()).take(3).map(str::to_owned).collect()
}

fn words_of(passage: &Passage, lexicon: &mut Lexicon) -> Vec<u32> {
    let mut words: Vec<u32> = passage.tokens.iter().map(|token| lexicon.number(token)).collect();
    words.sort_unstable();
    words.dedup();
    words
}
