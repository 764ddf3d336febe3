//! Words that say the same though they are written otherwise: joined or apart, with another ending, in another script.
//!
//! Owns the comparison of single words. It must not know claims: it is given words and the words around them.

use std::collections::BTreeSet;

use super::words::{self, Script, Word};

/// Whether a word of one claim stands in another in another form, given the words of both.
pub(crate) fn is_said_otherwise(word: &str, own: &BTreeSet<String>, other: &BTreeSet<String>) -> bool {
    is_joined_or_apart(word, own, other) || other.iter().any(|known| is_one_stem(word, known))
}

/// `이용건수` and `이용 건수`: where words may be written together they are the same either way.
fn is_joined_or_apart(word: &str, own: &BTreeSet<String>, other: &BTreeSet<String>) -> bool {
    if !word.chars().all(is_joining) {
        return false;
    }
    let is_both = |rest: &str, parts: &BTreeSet<String>| !rest.is_empty() && parts.contains(rest);
    let stands_apart =
        other.iter().any(|part| word.strip_prefix(part.as_str()).is_some_and(|rest| is_both(rest, other)));
    let stands_together = other.iter().filter(|whole| *whole != word).any(|whole| {
        whole.strip_prefix(word).is_some_and(|rest| is_both(rest, own))
            || whole.strip_suffix(word).is_some_and(|rest| is_both(rest, own))
    });
    stands_apart || stands_together
}

fn is_joining(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}')
}

/// `behandelt` and `behandelte`: a long word with another ending.
fn is_one_stem(one: &str, other: &str) -> bool {
    const LEAST: usize = 5;
    let is_plain = |word: &str| word.chars().all(|c| c.is_lowercase() && !is_joining(c));
    if !is_plain(one) || !is_plain(other) {
        return false;
    }
    let shared = one.chars().zip(other.chars()).take_while(|(one, other)| one == other).count();
    let longest = one.chars().count().max(other.chars().count());
    shared >= LEAST && longest - shared <= 3 && shared * 5 >= longest * 4
}

/// Whether a word is written in a script that a text of another language has no names in.
pub(crate) fn is_of_other_script(word: &str, other: &str) -> bool {
    let latin = |word: &str| word.chars().any(|c| c.is_ascii_alphabetic() || matches!(c, '\u{c0}'..='\u{24f}'));
    latin(word) != latin(other)
}

/// The words of a name that stands in two scripts, the second in brackets: `Matsukaze-so (松風荘)`.
pub(crate) fn glossed(chars: &[char], words: &[Word]) -> BTreeSet<String> {
    const LONGEST: usize = 3;
    let mut found = BTreeSet::new();
    for open in (0..chars.len()).filter(|at| matches!(chars[*at], '(' | '（')) {
        let Some(close) = (open..chars.len()).find(|at| matches!(chars[*at], ')' | '）')) else { break };
        let inside: Vec<&Word> = words.iter().filter(|word| open < word.start && word.end <= close).collect();
        let is_named = |word: &&Word| word.script != Script::Spaced || words::is_capitalised(&word.text);
        let before: Vec<&Word> =
            words.iter().rev().skip_while(|word| word.start > open).take_while(is_named).take(LONGEST).collect();
        let touches = before.first().is_some_and(|word| word.end + 1 >= open);
        let (Some(first), Some(last)) = (inside.first(), before.first()) else { continue };
        if touches && inside.len() <= LONGEST && is_of_other_script(&first.text, &last.text) {
            // In a script without spaces only the word right before it is meant.
            let own = if last.script == Script::Spaced { &before[..] } else { &before[..1] };
            // 2024年蒙特酒庄: a year may stand before it in one run of signs.
            let plain = |key: String| key.trim_start_matches(['年', '月', '日']).to_owned();
            found.extend(inside.iter().chain(own).filter_map(|word| words::key(word)).map(plain));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(words: &str) -> BTreeSet<String> {
        words.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn words_are_the_same_in_another_form() {
        let check = |word: &str, own: &str, other: &str, expected: bool| {
            assert_eq!(is_said_otherwise(word, &set(own), &set(other)), expected, "{word} / {own} / {other}");
        };
        check("이용건수", "이용건수", "이용 건수", true);
        check("건수", "이용 건수", "이용건수", true);
        check("건수", "대여 건수", "이용건수", false);
        check("behandelt", "behandelt", "behandelte", true);
        check("steinach", "steinach", "steinau", false);
        check("plant1", "plant1", "plant2", false);
        check("berlin", "berlin", "bremen", false);
    }

    #[test]
    fn a_name_in_two_scripts_is_one() {
        let glossed = |text: &str| {
            let chars: Vec<char> = text.chars().collect();
            glossed(&chars, &words::words(&chars)).into_iter().collect::<Vec<_>>().join(" ")
        };
        assert_eq!(glossed("Matsukaze-so (松風荘) has a staff of 41."), "matsukaze-so 松風荘");
        assert_eq!(glossed("한별사이클(Hanbyeol Cycle)은 프레임 710개를 납품했다."), "cycle hanbyeol 한별사이클");
        assert_eq!(glossed("The yard (built in 1923) has 40 workers."), "");
    }
}
