//! Which of many versions an edited text started from: the one with the fewest different lines. Going from a
//! version to the one before costs what their change touched, not what the text holds.

use std::collections::HashMap;
use std::ops::Range;

use crate::lines::{Names, normal};
use crate::{Change, Text};

/// The distance of a version from an edited text, followed from version to version.
#[derive(Debug)]
pub struct Closest {
    names: Names,
    /// For each line's content: how often the version has it, less how often the edited text does.
    surplus: HashMap<u32, i64>,
    distance: u64,
}

impl Closest {
    /// Starts at a version.
    pub fn new(version: &Text, edited: &Text) -> Self {
        let mut this = Self { names: Names::default(), surplus: HashMap::new(), distance: 0 };
        this.count_lines(version, 0..version.line_count(), 1);
        this.count_lines(edited, 0..edited.line_count(), -1);
        this
    }

    /// How many lines stand in one of the two texts only.
    pub fn distance(&self) -> u64 {
        self.distance
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
            // An editor that ends lines its own way, or a formatter, started from that version all the same.
            let name = self.names.of(&normal(&line));
            self.count(name, by);
        }
    }

    fn count(&mut self, line: u32, by: i64) {
        let surplus = self.surplus.entry(line).or_default();
        self.distance -= surplus.unsigned_abs();
        *surplus += by;
        self.distance += surplus.unsigned_abs();
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

    proptest! {
        #[test]
        fn the_distance_followed_is_the_distance_counted_anew(
            start in "([ab]{0,2}\n){0,8}[ab]{0,2}",
            edited in "([ab]{0,2}\n){0,8}[ab]{0,2}",
            steps in proptest::collection::vec((0usize..30, 0usize..5, "[ab\n]{0,4}"), 1..6),
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
