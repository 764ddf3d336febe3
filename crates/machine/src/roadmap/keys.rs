//! By what items and groups are known: their number, or something made of their title; the same for whoever reads a log
//! and for whoever plans.

use alloc::format;
use alloc::string::{String, ToString};

/// The most characters of a key that is made of a title.
const SLUG_CHARACTERS: usize = 48;

/// The key of an entry with this number and title: the number without a dot at its end; without a number, the words of
/// the title. `is_taken` says which keys others have: the second gets `~2`.
pub fn key_of(number: &str, title: &str, is_taken: impl Fn(&str) -> bool) -> String {
    let number = bare_number(number);
    let key = if number.is_empty() { slug(title) } else { number.to_string() };
    if !is_taken(&key) {
        return key;
    }
    let mut others = (2_u32..).map(|count| format!("{key}~{count}"));
    others.find(|other| !is_taken(other)).unwrap_or(key)
}

/// A number without what stands around it: `1.2.` is `1.2`.
pub fn bare_number(number: &str) -> &str {
    number.trim().trim_end_matches('.')
}

/// Whether a plan may give an item this number: figures with dots between them.
pub(super) fn is_number(number: &str) -> bool {
    number.len() <= 64
        && number.split('.').all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The number after another: its last figure one higher.
pub(super) fn next_number(number: &str) -> Option<String> {
    let (before, last) = match number.rsplit_once('.') {
        Some((before, last)) => (format!("{before}."), last),
        None => (String::new(), number),
    };
    let last: u64 = last.parse().ok()?;
    Some(format!("{before}{}", last.checked_add(1)?))
}

fn slug(title: &str) -> String {
    let mut slug = String::new();
    for character in title.chars().flat_map(char::to_lowercase) {
        if slug.chars().count() >= SLUG_CHARACTERS {
            break;
        }
        if character.is_alphanumeric() {
            slug.push(character);
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    let slug = slug.trim_end_matches('-');
    if slug.is_empty() { "item".into() } else { slug.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys() {
        let cases = [
            ("1.2.", "Move code", "1.2"),
            ("", "Phase 1: Core Module", "phase-1-core-module"),
            ("", "第一阶段：核心", "第一阶段-核心"),
            ("", "***", "item"),
            ("7", "taken", "7~2"),
        ];
        for (number, title, key) in cases {
            assert_eq!(key_of(number, title, |key| key == "7"), key, "{number} {title}");
        }
        assert_eq!(next_number("1.9").as_deref(), Some("1.10"));
        assert_eq!(next_number("4").as_deref(), Some("5"));
        assert_eq!(next_number("a"), None);
        assert!(is_number("1.22.3") && !is_number("1..2") && !is_number("") && !is_number("1a"));
    }
}
