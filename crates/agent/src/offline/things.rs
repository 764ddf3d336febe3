//! Everyday words that mean one thing in several languages, for weighing figures whose subject is only told in passing.
//!
//! Owns the list and how a word is found in it: whole, by its beginning, or inside a compound. It must not decide anything:
//! what these words say is evidence, never a claim.

use std::collections::HashMap;
use std::sync::OnceLock;

/// Letters that a word of a script with spaces must have to be looked up: shorter ones mean too much in too many languages,
/// but for those that the list marks by a plus.
const LEAST: usize = 4;
/// Letters of a word that may stand inside a compound.
const LEAST_INSIDE: usize = 5;
/// The most things that one word means.
const MOST: usize = 3;

/// The things that a word, in lower case, may stand for.
pub(crate) fn things(lower: &str) -> Vec<&'static str> {
    let list = list();
    let mut found: Vec<&'static str> = Vec::new();
    let mut add = |more: &[&'static str]| {
        for one in more {
            if !found.contains(one) && found.len() < MOST {
                found.push(one);
            }
        }
    };
    if let Some(whole) = list.whole.get(lower) {
        add(whole);
    }
    let starts: Vec<usize> = lower.char_indices().map(|(at, _)| at).chain([lower.len()]).collect();
    for end in starts.iter().rev() {
        if let Some(known) = list.beginnings.get(&lower[..*end]) {
            add(known);
        }
    }
    let is_joined = lower.chars().any(is_joining);
    let least = if is_joined { 2 } else { LEAST_INSIDE };
    for (index, from) in starts.iter().enumerate().skip(1) {
        if is_joined {
            for to in starts.iter().skip(index + least) {
                add(list.whole.get(&lower[*from..*to]).map_or(&[], Vec::as_slice));
            }
            // 端午祭 is a feast, 見学料 a price.
            if index + 2 == starts.len() {
                add(list.whole.get(&lower[*from..]).map_or(&[], Vec::as_slice));
            }
        } else if starts.len() - 1 - index >= least {
            // Blütenhonig is honey.
            add(list.whole.get(&lower[*from..]).map_or(&[], Vec::as_slice));
            add(list.bare.get(&lower[*from..]).map_or(&[], Vec::as_slice));
        }
    }
    found
}

/// Scripts that write words together.
fn is_joining(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}')
}

type Words = HashMap<&'static str, Vec<&'static str>>;

struct List {
    whole: Words,
    beginnings: Words,
    /// Beginnings that are words by themselves.
    bare: Words,
}

fn list() -> &'static List {
    static LIST: OnceLock<List> = OnceLock::new();
    LIST.get_or_init(|| {
        let mut list = List { whole: HashMap::new(), beginnings: HashMap::new(), bare: HashMap::new() };
        let both = include_str!("vocabulary/measures.txt").lines().chain(include_str!("vocabulary/things.txt").lines());
        for line in both.filter(|line| !line.starts_with('#')) {
            let Some(first) = line.split_ascii_whitespace().next() else { continue };
            for word in line.split_ascii_whitespace() {
                let (is_marked, bare) = (word.starts_with('+'), word.trim_start_matches('+').trim_end_matches('*'));
                let count = bare.chars().count();
                if count < LEAST && !is_marked && !bare.chars().any(|c| c >= '\u{0600}') {
                    continue;
                }
                let is_whole = !word.ends_with('*');
                list.whole.entry(bare).or_default().push(first);
                if !is_whole {
                    list.beginnings.entry(bare).or_default().push(first);
                    if count >= LEAST_INSIDE {
                        list.bare.entry(bare).or_default().push(first);
                    }
                }
            }
        }
        list
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_several_languages_mean_one_thing() {
        for (thing, words) in [
            ("employee", "workers mitarbeitende salariés empleados عاملة 従業員 직원은"),
            ("festival", "festival sommerfest fête مهرجان 축제는 端午祭り"),
            ("honey", "honey blütenhonig miel 蜂蜜"),
            ("member", "members mitglieder socios 회원은"),
        ] {
            for word in words.split(' ') {
                assert!(things(word).contains(&thing), "{word}: {:?}", things(word));
            }
        }
        assert!(things("at").is_empty() && things("don").is_empty());
    }
}
