//! A cell of a table as a figure: nothing may stand in it besides.
//!
//! Owns what is a number in a cell and would be none, or another, in a sentence. It must not know tables.

use super::dates::plain_digits;
use super::figures::{Decimal, Figure, figure};

/// A cell that holds nothing but a figure.
pub(crate) fn cell(text: &str, decimal: Decimal) -> Option<Figure> {
    let trimmed = text.trim();
    let negative = trimmed.strip_prefix('(').and_then(|inner| inner.strip_suffix(')'));
    let chars = with_groups(plain_digits(negative.unwrap_or(trimmed)));
    if is_numbered_version(&chars) {
        return None;
    }
    let first = chars.iter().position(char::is_ascii_digit)?;
    let mut figure = figure(&chars, first, decimal)?;
    let outside = chars[..figure.start].iter().chain(&chars[figure.end.min(chars.len())..]);
    if outside.into_iter().any(|c| !matches!(c, ' ' | '+' | '~' | '*')) {
        return None;
    }
    if negative.is_some() && figure.low > 0.0 {
        (figure.low, figure.high) = (-figure.high, -figure.low);
    }
    Some(figure)
}

/// `2.4.1` names a version: groups of thousands have three digits.
fn is_numbered_version(chars: &[char]) -> bool {
    let parts: Vec<&[char]> = chars.split(|c| *c == '.').collect();
    let are_digits = parts.iter().all(|part| !part.is_empty() && part.iter().all(char::is_ascii_digit));
    parts.len() > 2 && are_digits && parts[1..].iter().any(|part| part.len() != 3)
}

/// In a cell of its own, `46 100` is one number in any language.
fn with_groups(mut chars: Vec<char>) -> Vec<char> {
    let digits = |chars: &[char], from: usize, to: usize| {
        chars.get(from..to).is_some_and(|part| part.iter().all(char::is_ascii_digit))
    };
    for at in 1..chars.len() {
        let is_gap = chars[at] == ' ' && digits(&chars, at - 1, at) && digits(&chars, at + 1, at + 4);
        if is_gap && !digits(&chars, at + 4, at + 5) && !(at >= 4 && digits(&chars, at - 4, at)) {
            chars[at] = '’';
        }
    }
    chars
}
