//! Which of many versions an edited text started from: the one with the fewest different lines. Going from a
//! version to the one before costs what their change touched, not what the text holds.

use std::collections::HashMap;
use std::ops::Range;

use crate::lines::{Names, key, normal};
use crate::{Change, Text};

/// The distance of a version from an edited text, followed from version to version.
#[derive(Debug, Default)]
pub struct Closest {
    lines: Surplus,
    /// Rows by what they are known by: one that was changed is nearer than one that went while another came.
    keys: Surplus,
}

/// For each content: how often the version has it, less how often the edited text does.
#[derive(Debug, Default)]
struct Surplus {
    names: Names,
    counts: HashMap<u32, i64>,
    distance: u64,
}

impl Closest {
    /// Starts at a version.
    pub fn new(version: &Text, edited: &Text) -> Self {
        let mut this = Self::default();
        this.count_lines(version, 0..version.line_count(), 1);
        this.count_lines(edited, 0..edited.line_count(), -1);
        this
    }

    /// How many lines stand in one of the two texts only. A row that stands for none of the other text counts thrice:
    /// it is a lesser thing to change a row and to write another than to write two where one of that name was.
    pub fn distance(&self) -> u64 {
        self.lines.distance + 2 * self.keys.distance
    }

    /// Whether every line of the edited text stands for one of the version.
    pub fn brings_none(&self) -> bool {
        self.keys.counts.values().all(|count| *count >= 0)
    }

    /// Goes from version `from` to version `to`, which `change` made of it.
    pub fn go(&mut self, from: &Text, change: &Change, to: &Text) {
        for lines in touched(from, change.splices().iter().map(|splice| splice.range())) {
            self.count_lines(from, lines, -1);
        }
        let back = change.inverse();
        for lines in touched(to, back.splices().iter().map(|splice| splice.range())) {
            self.count_lines(to, lines, 1);
        }
    }

    fn count_lines(&mut self, text: &Text, lines: Range<usize>, by: i64) {
        for number in lines {
            let line = text.slice(text.line(number));
            // Two who write a paragraph each also write a blank line each: that tells nothing of where they started.
            if line.iter().any(|byte| byte.is_ascii_alphanumeric() || *byte >= 0x80) {
                // An editor that ends lines its own way, or a formatter, started from that version all the same.
                self.lines.count(&normal(&line), by);
                self.keys.count(&key(&line), by);
            }
        }
    }
}

impl Surplus {
    fn count(&mut self, content: &[u8], by: i64) {
        let count = self.counts.entry(self.names.of(content)).or_default();
        self.distance -= count.unsigned_abs();
        *count += by;
        self.distance += count.unsigned_abs();
    }
}

/// The lines that some places touch, each once. A place at the end of a line touches the next one too, since what
/// is inserted there may join them.
fn touched(text: &Text, places: impl Iterator<Item = Range<usize>>) -> Vec<Range<usize>> {
    let mut all: Vec<Range<usize>> = Vec::new();
    for place in places {
        let first = text.line_at(place.start);
        let end = (text.line_at(place.end) + 1).min(text.line_count());
        match all.last_mut() {
            Some(last) if first < last.end => last.end = last.end.max(end),
            _ => all.push(first..end.max(first)),
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// What is nearer to the edited text comes first.
    fn check(edited: &str, versions: &[&str]) {
        let distances: Vec<u64> =
            versions.iter().map(|version| Closest::new(&(*version).into(), &edited.into()).distance()).collect();
        assert!(distances.is_sorted_by(|one, other| one < other), "{distances:?}");
    }

    #[test]
    fn the_fewest_different_lines_are_the_nearest() {
        check("a\n| T3 | changed |\n| T4 | |\n", &["a\n| T3 | |\n", "a\n"]);
        check("a\nb\nmine\n", &["a\nb\n", "a\n", "c\n"]);
        check(
            "| a | DONE |\n| b | x |\n",
            &["| a |  DONE |\r\n| b | x |\r\n", "| a | NEW |\n| b | x |\n", "| b | x |\n| c | |\n"],
        );
    }

    #[test]
    fn blank_lines_and_rules_tell_nothing() {
        check("a\n\n---\nmine\n\n", &["a\n", "a\n\n---\nhers\n\n"]);
    }

    #[test]
    fn a_row_that_was_changed_stands_for_itself() {
        let closest = Closest::new(&"| a | x |\n| b | |\n".into(), &"| a | y |\n".into());
        assert!(closest.brings_none());
        let closest = Closest::new(&"| a | x |\n".into(), &"| a | x |\n| b | |\n".into());
        assert!(!closest.brings_none());
    }

    proptest! {
        #[test]
        fn the_distance_followed_is_the_distance_counted_anew(
            start in "([ab|]{0,3}\n){0,8}[ab]{0,2}",
            edited in "([ab|]{0,3}\n){0,8}[ab]{0,2}",
            steps in proptest::collection::vec((0usize..30, 0usize..5, "[ab|\n]{0,4}"), 1..6),
        ) {
            let edited = Text::from(edited);
            let mut version = Text::from(start);
            let mut followed = Closest::new(&version, &edited);
            for (at, cut, put) in steps {
                let at = at.min(version.len());
                let change = Change::replace(&version, at..(at + cut).min(version.len()), put);
                let next = change.apply(&version).unwrap();
                followed.go(&version, &change, &next);
                version = next;
                prop_assert_eq!(followed.distance(), Closest::new(&version, &edited).distance());
            }
        }
    }
}
