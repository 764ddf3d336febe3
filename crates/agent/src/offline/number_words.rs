//! Numbers that are written in words: `twenty-four beds`, `vierundzwanzig Mitglieder`, `二十四人`.
//!
//! Owns the reading of such words, language by language: what is a number in one is often another word in the next. It
//! must not know what is counted. A small number in words often only leads a sentence along (`the two yards`), so it
//! counts only where what it counts, or a unit, stands right behind it.

use std::collections::HashMap;
use std::sync::OnceLock;

use super::dates::Dated;
use super::figures::{self, Figure};
use super::units;
use super::vocabulary;
use super::words::{self, Language};

/// From here on a number in words is one wherever it stands.
const SURE: u64 = 13;
/// The most that is read: beyond it, digits are used.
const MOST: u64 = 1_000_000_000_000;

/// How sure it must be that a word counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reading {
    /// What it counts must be known.
    Strict,
    /// Any number from two on, for weighing.
    Generous,
}

/// All figures that a text says in words; dates are none.
pub(crate) fn figures(chars: &[char], dates: &[Dated], language: Language, reading: Reading) -> Vec<Figure> {
    let Some(numbers) = numbers(language) else { return Vec::new() };
    let mut found = Vec::new();
    let mut at = 0;
    while at < chars.len() {
        let is_start = at == 0 || !chars[at - 1].is_alphanumeric() || words::unspaced(chars[at]);
        let in_date = dates.iter().any(|date| date.start <= at && at < date.end);
        if is_start
            && !in_date
            && let Some(figure) = rounded(chars, at)
        {
            at = figure.end.max(at + 1);
            found.push(figure);
            continue;
        }
        let read = if is_start && !in_date { numbers.read(chars, at) } else { None };
        match read.and_then(|(value, end)| figure(chars, at, end, value, numbers, reading)) {
            Some(figure) => {
                at = figure.end.max(at + 1);
                found.push(figure);
            }
            None => at += 1,
        }
    }
    found
}

/// `half a million`: a round number, and so never meant to the last digit.
fn rounded(chars: &[char], at: usize) -> Option<Figure> {
    const ROUND: [(&str, f64); 14] = [
        ("half a million", 5e5),
        ("half a billion", 5e8),
        ("a quarter of a million", 2.5e5),
        ("one and a half million", 1.5e6),
        ("eine halbe million", 5e5),
        ("anderthalb millionen", 1.5e6),
        ("un demi-million", 5e5),
        ("medio millón", 5e5),
        ("mezzo milione", 5e5),
        ("meio milhão", 5e5),
        ("een half miljoen", 5e5),
        ("pół miliona", 5e5),
        ("yarım milyon", 5e5),
        ("полмиллиона", 5e5),
    ];
    let ahead: String = chars[at..chars.len().min(at + 24)].iter().collect::<String>().to_lowercase();
    let (words, value) = ROUND.iter().find(|(words, _)| ahead.starts_with(words))?;
    let mut figure = figures::spelled(chars, at, at + words.chars().count(), *value)?;
    (figure.low, figure.high) = (figure.low.min(value * 0.95), figure.high.max(value * 1.05));
    Some(figure)
}

/// What stands behind a whole number in words: `four and a half`, `tres y medio`, and where it ends.
fn and_half(chars: &[char], end: usize) -> Option<usize> {
    const HALVES: [&str; 12] = [
        " and a half",
        " et demi",
        " et demie",
        " y medio",
        " y media",
        " e mezzo",
        " e mezza",
        " e meio",
        " e meia",
        " en een half",
        " en een halve",
        " с половиной",
    ];
    let ahead: String = chars[end..chars.len().min(end + 16)].iter().collect::<String>().to_lowercase();
    let half = HALVES.iter().filter(|half| ahead.starts_with(**half)).max_by_key(|half| half.len())?;
    Some(end + half.chars().count())
}

fn figure(chars: &[char], start: usize, end: usize, value: u64, numbers: &Numbers, reading: Reading) -> Option<Figure> {
    let (whole, whole_end) = (value, end);
    let (value, end) = match and_half(chars, end) {
        Some(half_end) => (value as f64 + 0.5, half_end),
        None => (value as f64, end),
    };
    let (next, behind) = figures::next_word(chars, end);
    let is_counted = |word: &str| vocabulary::is_measure(&words::stem(word)) || vocabulary::is_measure(word);
    // "nine reportable accidents": a word may stand between.
    let is_measured = units::unit(&next).is_some()
        || units::scale(&next).is_some()
        || is_counted(&next)
        || matches!(
            figures::word_before(chars, start).as_str(),
            "has" | "have" | "had" | "hat" | "hatte" | "tiene" | "compte"
        )
        || !words::is_stop(&next) && is_counted(&figures::next_word(chars, behind).0);
    if whole < SURE && !is_measured && reading == Reading::Strict {
        return None;
    }
    // Signs of numbers stand in many names: only what counts something is a number.
    let is_sure = reading == Reading::Generous && (whole >= 1000 && whole_end - start > 2);
    let is_counter = |c: &char| COUNTERS.contains(*c) || reading == Reading::Generous && MORE_COUNTERS.contains(*c);
    if numbers.is_unspaced && !is_sure && !chars.get(end).is_some_and(is_counter) {
        return None;
    }
    let mut figure = figures::spelled(chars, start, end, value)?;
    if whole_end < end && figure.low.is_finite() && figure.high.is_finite() {
        // Four and a half is no four and no five.
        let (middle, half) = (f64::midpoint(figure.low, figure.high), (figure.high - figure.low) / 4.0);
        (figure.low, figure.high) = (middle - half, middle + half);
    }
    Some(figure)
}

/// Signs that count, where a figure is only weighed.
const MORE_COUNTERS: &str =
    "冊点食基日か箇ヶ年週分時回件円倍割度歳才頭羽匹着足戸店館室階箱袋杯皿字万億世号条번권마리살점곳층배";
const COUNTERS: &str = "人名隻艘台件回个個棟床席票軒社校本枚位户间所辆명척개대곳건표석";

/// The words of one language.
struct Numbers {
    values: HashMap<&'static str, u64>,
    /// Words are written together, or without spaces at all.
    is_joined: bool,
    is_unspaced: bool,
}

impl Numbers {
    /// The number whose words begin at a place, and where they end.
    fn read(&self, chars: &[char], at: usize) -> Option<(u64, usize)> {
        if self.is_unspaced {
            return self.read_signs(chars, at);
        }
        let mut sum = Sum::default();
        let mut end = None;
        let mut from = at;
        loop {
            let until = (from..chars.len()).find(|index| !chars[*index].is_alphabetic()).unwrap_or(chars.len());
            let word = chars[from..until].iter().collect::<String>().to_lowercase();
            let Some(values) = self.values_of(&word) else { break };
            // A binding word is a part only between two others.
            if values.iter().any(|value| !sum.add(*value)) || (sum.is_empty() && values == [0]) {
                break;
            }
            if values != [0] {
                end = Some((sum.value(), until));
            }
            match chars.get(until) {
                Some(' ' | '-' | '\u{a0}') if chars.get(until + 1).is_some_and(|c| c.is_alphabetic()) => {
                    from = until + 1;
                }
                _ => break,
            }
        }
        // One is an article in most languages.
        end.filter(|(value, _)| (2..=MOST).contains(value))
    }

    fn read_signs(&self, chars: &[char], at: usize) -> Option<(u64, usize)> {
        if at
            .checked_sub(1)
            .is_some_and(|before| matches!(chars[before], '第' | '제') || chars[before].is_ascii_digit())
        {
            return None;
        }
        let mut sum = Sum::default();
        let mut end = at;
        while end < chars.len() {
            let known = (1..=2).rev().find_map(|length| {
                let part: String = chars.get(end..end + length)?.iter().collect();
                self.values.get(part.as_str()).map(|value| (*value, length))
            });
            let Some((value, length)) = known else { break };
            if !sum.add(value) {
                return None;
            }
            end += length;
        }
        let end = if chars.get(end) == Some(&' ') { end + 1 } else { end };
        (end > at && sum.value() >= 2).then(|| (sum.value(), end))
    }

    /// The values of a word, of its parts if words are written together.
    fn values_of(&self, word: &str) -> Option<Vec<u64>> {
        if let Some(value) = self.values.get(word) {
            return Some(vec![*value]);
        }
        if !self.is_joined || word.is_empty() {
            return None;
        }
        let mut ways: Vec<Option<Vec<u64>>> = vec![None; word.len() + 1];
        ways[0] = Some(Vec::new());
        for end in 1..=word.len() {
            let parts = (0..end).filter(|start| word.is_char_boundary(*start) && word.is_char_boundary(end));
            // The longest last part first: `sechzehn` is no `sech` and `zehn` where it is known as a whole.
            for start in parts {
                if let (Some(value), Some(before)) = (self.values.get(&word[start..end]), &ways[start]) {
                    let made = before.iter().copied().chain([*value]).collect();
                    ways[end] = Some(made);
                    break;
                }
            }
        }
        ways.pop().flatten().filter(|values: &Vec<u64>| values.first() != Some(&0) && values.last() != Some(&0))
    }
}

/// A number as its words add up.
#[derive(Default)]
struct Sum {
    total: u64,
    current: u64,
    last: u64,
    is_begun: bool,
    /// Whether the last word only bound two others.
    is_bound: bool,
}

impl Sum {
    fn is_empty(&self) -> bool {
        !self.is_begun
    }

    /// Takes one more word; false if it cannot follow what was before.
    fn add(&mut self, value: u64) -> bool {
        if value == 0 {
            self.is_bound = true;
            return self.is_begun;
        }
        self.is_begun = true;
        let is_bound = std::mem::take(&mut self.is_bound);
        let fits = match value {
            1000.. => {
                let times = if self.current == 0 { 1 } else { self.current };
                self.total += times.saturating_mul(value);
                self.current = 0;
                true
            }
            100 | 10 if self.last != 0 && self.last < 10 => {
                let (rest, times) = (self.current - self.last, self.last);
                self.current = rest + times * value;
                true
            }
            // `quatre-vingt` is four times twenty.
            20 if self.last == 4 && self.current == 4 && !is_bound => {
                self.current = 80;
                true
            }
            _ => {
                // "fourteen two-car units" are two numbers.
                let is_whole = (11..20).contains(&self.last) && value < 10;
                let has_room = !is_whole && (self.last == 0 || value < self.last)
                    || (self.last < 10 && (20..100).contains(&value));
                self.current += value;
                has_room
            }
        };
        self.last = value;
        fits && self.total < MOST
    }

    fn value(&self) -> u64 {
        self.total + self.current
    }
}

/// A number up to twenty by its word in any of the languages, as lengths are asked for.
pub(crate) fn small(word: &str) -> Option<usize> {
    const CODES: [Language; 11] = [
        Language::English,
        Language::German,
        Language::French,
        Language::Spanish,
        Language::Italian,
        Language::Portuguese,
        Language::Dutch,
        Language::Polish,
        Language::Turkish,
        Language::Russian,
        Language::Korean,
    ];
    let value = |language: Language| numbers(language)?.values.get(word).copied();
    let found =
        CODES.into_iter().find_map(value).or_else(|| matches!(word, "eine" | "einer" | "einen").then_some(1))?;
    (1..=20).contains(&found).then(|| usize::try_from(found).ok()).flatten()
}

fn numbers(language: Language) -> Option<&'static Numbers> {
    static ALL: OnceLock<HashMap<&'static str, Numbers>> = OnceLock::new();
    let all = ALL.get_or_init(|| {
        let lines = include_str!("vocabulary/numbers.txt").lines().filter(|line| !line.starts_with('#'));
        lines.filter_map(|line| line.split_once(' ')).map(|(code, list)| (code, read(code, list))).collect()
    });
    all.get(language.code())
}

fn read(code: &str, list: &'static str) -> Numbers {
    let mut values = HashMap::new();
    for (value, words) in list.split_whitespace().filter_map(|one| one.split_once('=')) {
        let Ok(value) = value.parse() else { continue };
        values.extend(words.split('/').map(|word| (word, value)));
    }
    Numbers { values, is_joined: matches!(code, "de" | "nl" | "it"), is_unspaced: matches!(code, "zh" | "ja" | "ko") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(language: Language, text: &str, expected: &[f64]) {
        let chars: Vec<char> = text.chars().collect();
        let found: Vec<f64> = figures(&chars, &[], language, Reading::Strict)
            .iter()
            .map(|one| f64::midpoint(one.low, one.high))
            .collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn numbers_in_words_are_read_in_each_language() {
        check(Language::English, "has twenty-four beds and one hundred and twelve rooms", &[24.0, 112.0]);
        check(Language::English, "sold three thousand five hundred tickets, a crew of eighteen", &[3500.0, 18.0]);
        check(Language::English, "two million euros", &[2e6]);
        check(
            Language::German,
            "vierundzwanzig Mitglieder, zweihundertdreißig Plätze, sechzehn Boote",
            &[24.0, 230.0, 16.0],
        );
        check(Language::Dutch, "vierentwintig leden en honderdtwintig boten", &[24.0, 120.0]);
        check(
            Language::French,
            "quatre-vingt-dix-sept lits, deux cents élèves, soixante et onze",
            &[97.0, 200.0, 71.0],
        );
        check(Language::Spanish, "treinta y dos barcos y doscientos cincuenta socios", &[32.0, 250.0]);
        check(Language::Italian, "ventiquattro barche, trentuno camere", &[24.0, 31.0]);
        check(Language::Portuguese, "quarenta e dois barcos", &[42.0]);
        check(Language::Polish, "dwadzieścia cztery łodzie", &[24.0]);
        check(Language::Turkish, "kırk iki üye", &[42.0]);
        check(Language::Russian, "двадцать четыре лодки", &[24.0]);
        check(Language::Japanese, "会員は二十四人で、三百五十台", &[24.0, 350.0]);
        check(Language::Chinese, "共有三十二艘船", &[32.0]);
        check(Language::Korean, "배 스물네 척, 이백삼십 명", &[24.0, 230.0]);
    }

    #[test]
    fn words_that_only_look_like_numbers_are_none() {
        check(Language::English, "one of the two yards, once, at ten past four, often, tent", &[]);
        check(Language::German, "Er hat achtgegeben, ein Boot, die zwei Werften", &[]);
        check(Language::Japanese, "三菱の四国、百貨店は十分", &[]);
        check(Language::Unknown, "twenty-four beds", &[]);
    }
}
