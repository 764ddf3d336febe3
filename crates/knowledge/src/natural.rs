//! The order in which people count: `run-2` before `run-10`, whatever the width of numbers.

use std::cmp::Ordering;
use std::iter::Peekable;
use std::str::Chars;

/// An id that is compared as people count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Natural<'a>(pub &'a str);

impl Ord for Natural<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        natural(self.0, other.0)
    }
}

impl PartialOrd for Natural<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Compares two ids: numbers in them by their value, all else letter by letter.
pub fn natural(one: &str, other: &str) -> Ordering {
    let (mut left, mut right) = (one.chars().peekable(), other.chars().peekable());
    loop {
        let order = match (left.peek().copied(), right.peek().copied()) {
            (None, None) => return one.cmp(other),
            (None, Some(_)) => return Ordering::Less,
            (Some(_), None) => return Ordering::Greater,
            (Some(first), Some(second)) if first.is_ascii_digit() && second.is_ascii_digit() => {
                let (first, second) = (digits(&mut left), digits(&mut right));
                first.len().cmp(&second.len()).then_with(|| first.cmp(&second))
            }
            (Some(first), Some(second)) => {
                left.next();
                right.next();
                first.cmp(&second)
            }
        };
        if order != Ordering::Equal {
            return order;
        }
    }
}

/// The digits that stand here, without zeros at their head.
fn digits(letters: &mut Peekable<Chars<'_>>) -> String {
    let mut digits = String::new();
    while let Some(digit) = letters.next_if(char::is_ascii_digit) {
        if digit != '0' || !digits.is_empty() {
            digits.push(digit);
        }
    }
    digits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_compared_by_value() {
        let mut ids = ["ph-10", "ph-2", "run-1000", "run-999", "run-01", "run-1", "", "가-2", "가-10"];
        ids.sort_by(|one, other| natural(one, other));
        assert_eq!(ids, ["", "ph-2", "ph-10", "run-01", "run-1", "run-999", "run-1000", "가-2", "가-10"]);
    }
}
