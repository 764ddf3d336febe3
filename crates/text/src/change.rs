//! What turns one text into another: a list of splices, each with what it cuts and what it puts.

use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;

use crate::Text;

/// One place of a change. `at` counts in the text before the change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Splice {
    /// Where the cut begins.
    pub at: usize,
    /// The bytes that go.
    pub cut: Bytes,
    /// The bytes that come.
    pub put: Bytes,
}

/// Splices in order, none touching the next. Cloning it copies nothing: whoever makes one, commits it and remembers it
/// have the same.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Change {
    splices: Arc<[Splice]>,
}

/// A change met a text that it was not made for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mismatch {
    /// Where the text differs from what the change would cut.
    pub at: usize,
}

impl Splice {
    /// The range that is cut, in the text before.
    pub fn range(&self) -> Range<usize> {
        self.at..self.end()
    }

    /// The end of the cut.
    pub fn end(&self) -> usize {
        self.at.saturating_add(self.cut.len())
    }

    fn changes_nothing(&self) -> bool {
        self.cut == self.put
    }
}

impl Change {
    /// The change of one place.
    pub fn one(at: usize, cut: impl Into<Bytes>, put: impl Into<Bytes>) -> Self {
        Self::from_splices(vec![Splice { at, cut: cut.into(), put: put.into() }])
    }

    /// The change that replaces a range of `text`.
    pub fn replace(text: &Text, range: Range<usize>, put: impl Into<Bytes>) -> Self {
        Self::one(range.start, text.slice(range).into_owned(), put)
    }

    /// Puts splices in order; those that touch become one, those that change nothing go.
    pub fn from_splices(mut splices: Vec<Splice>) -> Self {
        if splices.len() <= 1 {
            splices.retain(|splice| !splice.changes_nothing());
            return Self { splices: splices.into() };
        }
        splices.sort_by_key(|splice| (splice.at, splice.end()));
        let mut tidy: Vec<Splice> = Vec::with_capacity(splices.len());
        for splice in splices {
            match tidy.last_mut() {
                Some(last) if last.end() == splice.at => {
                    last.cut = [&last.cut[..], &splice.cut[..]].concat().into();
                    last.put = [&last.put[..], &splice.put[..]].concat().into();
                }
                _ => tidy.push(splice),
            }
        }
        tidy.retain(|splice| !splice.changes_nothing());
        Self { splices: tidy.into() }
    }

    /// Its splices, in order.
    pub fn splices(&self) -> &[Splice] {
        &self.splices
    }

    /// Whether it changes nothing.
    pub fn is_empty(&self) -> bool {
        self.splices.is_empty()
    }

    /// Whether its splices lie apart, as those of a change must: a list of splices from elsewhere may say anything.
    pub fn is_sound(&self) -> bool {
        self.splices.windows(2).all(|pair| pair[0].end() <= pair[1].at)
    }

    /// How many bytes it cuts and puts.
    pub fn weight(&self) -> usize {
        self.splices.iter().map(|splice| splice.cut.len() + splice.put.len()).sum()
    }

    /// The text after the change. A text that does not hold what is cut is left alone.
    pub fn apply(&self, text: &Text) -> Result<Text, Mismatch> {
        if !self.is_sound() {
            return Err(Mismatch { at: self.splices[0].at });
        }
        for splice in self.splices.iter() {
            if splice.end() > text.len() || *text.slice(splice.range()) != splice.cut[..] {
                return Err(Mismatch { at: splice.at });
            }
        }
        let mut after = text.clone();
        // From the end, so that the places before keep their numbers.
        for splice in self.splices.iter().rev() {
            after.splice(splice.range(), &splice.put);
        }
        Ok(after)
    }

    /// The change that takes this one back.
    pub fn inverse(&self) -> Self {
        let mut moved = Shift::default();
        let splices = self
            .splices
            .iter()
            .map(|splice| {
                let at = moved.of(splice.at);
                moved.pass(splice);
                Splice { at, cut: splice.put.clone(), put: splice.cut.clone() }
            })
            .collect();
        Self { splices }
    }

    /// Whether it changes something within a range of the text before: an insertion at the range's edge does not.
    pub fn disturbs(&self, range: &Range<usize>) -> bool {
        self.splices.iter().any(|splice| overlap(&splice.range(), range))
    }

    /// Where an undisturbed range lies after the change. What is inserted at its start stands before it.
    pub fn moved(&self, range: &Range<usize>) -> Range<usize> {
        let mut moved = Shift::default();
        for splice in self.splices.iter().take_while(|splice| splice.end() <= range.start) {
            moved.pass(splice);
        }
        moved.of(range.start)..moved.of(range.end)
    }
}

/// How far places behind some splices have moved.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Shift {
    put: usize,
    cut: usize,
}

impl Shift {
    pub(crate) fn of(self, place: usize) -> usize {
        place + self.put - self.cut
    }

    pub(crate) fn pass(&mut self, splice: &Splice) {
        self.put += splice.put.len();
        self.cut += splice.cut.len();
    }
}

/// Whether two ranges have a byte in common, or one is a place strictly inside the other.
pub(crate) fn overlap(one: &Range<usize>, other: &Range<usize>) -> bool {
    one.start < other.end && other.start < one.end && !(one.is_empty() && other.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_and_its_inverse_cancel() {
        let text = Text::from("one two three");
        let change = Change::from_splices(vec![
            Splice { at: 8, cut: "three".into(), put: "3, and more".into() },
            Splice { at: 0, cut: "one".into(), put: "".into() },
            Splice { at: 4, cut: "".into(), put: "1½ ".into() },
        ]);
        let after = change.apply(&text).unwrap();
        assert_eq!(after, Text::from(" 1½ two 3, and more"));
        assert_eq!(change.inverse().apply(&after), Ok(text));
    }

    #[test]
    fn a_text_that_differs_is_left_alone() {
        let change = Change::one(4, "two", "2");
        assert_eq!(change.apply(&Text::from("one tow")), Err(Mismatch { at: 4 }));
        assert_eq!(change.apply(&Text::from("one tw")), Err(Mismatch { at: 4 }));
    }

    #[test]
    fn only_what_happens_inside_a_range_disturbs_it() {
        for (change, disturbed) in [
            (Change::one(3, "", "x"), false),
            (Change::one(4, "", "x"), true),
            (Change::one(6, "", "x"), false),
            (Change::one(0, "abc", ""), false),
            (Change::one(2, "cd", ""), true),
            (Change::one(6, "g", "x"), false),
        ] {
            assert_eq!(change.disturbs(&(3..6)), disturbed, "{change:?}");
        }
        assert_eq!(Change::one(3, "", "xy").moved(&(3..6)), 5..8);
        assert_eq!(Change::one(0, "abc", "x").moved(&(3..6)), 1..4);
        assert_eq!(Change::one(6, "", "xy").moved(&(3..6)), 3..6);
    }
}
