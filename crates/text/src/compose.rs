//! Two changes in a row as one: the second speaks of the text that the first one leads to.

use bytes::Bytes;

use crate::change::Shift;
use crate::{Change, Splice};

impl Change {
    /// The change that does what this one and then `later` do. `later` speaks of the text after this one. Takes time
    /// in proportion to what both cut and put, whatever the length of the text.
    pub fn then(&self, later: &Change) -> Change {
        // Both sides in the words of the text between them: how to go back from it, and how to go on.
        let back = self.inverse();
        let (mut back, mut on) = (back.splices(), later.splices());
        let mut splices = Vec::with_capacity(back.len() + on.len());
        let mut moved = Shift::default();
        while let Some(knot) = next_knot(&mut back, &mut on) {
            let between = knot.between();
            let at = moved.of(knot.start);
            splices.push(Splice { at, cut: knot.side(&between, knot.back), put: knot.side(&between, knot.on) });
            knot.back.iter().for_each(|splice| moved.pass(splice));
        }
        Change::from_splices(splices)
    }

    /// All changes in a row as one, each speaking of the text after those before it.
    pub fn in_a_row(mut changes: Vec<Change>) -> Change {
        // In pairs, so that what grows is not copied once for each change.
        while changes.len() > 1 {
            changes = changes
                .chunks(2)
                .map(|pair| match pair {
                    [one, other] => one.then(other),
                    rest => rest.first().cloned().unwrap_or_default(),
                })
                .collect();
        }
        changes.pop().unwrap_or_default()
    }
}

/// Splices of both sides that touch each other in the text between.
struct Knot<'a> {
    start: usize,
    end: usize,
    back: &'a [Splice],
    on: &'a [Splice],
}

/// Takes the next splices from the front that hang together.
fn next_knot<'a>(back: &mut &'a [Splice], on: &mut &'a [Splice]) -> Option<Knot<'a>> {
    let start = match (back.first(), on.first()) {
        (None, None) => return None,
        (Some(splice), None) | (None, Some(splice)) => splice.at,
        (Some(one), Some(other)) => one.at.min(other.at),
    };
    let (mut taken_back, mut taken_on, mut end) = (0, 0, start);
    loop {
        if let Some(splice) = back.get(taken_back).filter(|splice| splice.at <= end) {
            end = end.max(splice.end());
            taken_back += 1;
        } else if let Some(splice) = on.get(taken_on).filter(|splice| splice.at <= end) {
            end = end.max(splice.end());
            taken_on += 1;
        } else {
            break;
        }
    }
    let knot = Knot { start, end, back: &back[..taken_back], on: &on[..taken_on] };
    (*back, *on) = (&back[taken_back..], &on[taken_on..]);
    Some(knot)
}

impl Knot<'_> {
    /// The text between, here: the cuts of both sides cover it without a gap.
    fn between(&self) -> Vec<u8> {
        let mut between = vec![0; self.end - self.start];
        for splice in self.on.iter().chain(self.back) {
            let from = splice.at - self.start;
            between[from..from + splice.cut.len()].copy_from_slice(&splice.cut);
        }
        between
    }

    /// The text that one side makes of it.
    fn side(&self, between: &[u8], splices: &[Splice]) -> Bytes {
        let mut text = Vec::with_capacity(between.len());
        let mut reached = 0;
        for splice in splices {
            text.extend_from_slice(&between[reached..splice.at - self.start]);
            text.extend_from_slice(&splice.put);
            reached = splice.end() - self.start;
        }
        text.extend_from_slice(&between[reached..]);
        text.into()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::Text;

    fn check(base: &str, first: (usize, &str, &str), second: (usize, &str, &str), splices: usize, expected: &str) {
        let change =
            |(at, cut, put): (usize, &str, &str)| Change::one(at, cut.as_bytes().to_vec(), put.as_bytes().to_vec());
        let composed = change(first).then(&change(second));
        assert_eq!(composed.apply(&base.into()), Ok(Text::from(expected)));
        assert_eq!(composed.splices().len(), splices, "{composed:?}");
    }

    #[test]
    fn the_second_change_sees_what_the_first_one_left() {
        check("abc", (1, "b", "xyz"), (2, "y", ""), 1, "axzc");
        check("abc", (1, "b", ""), (1, "", "q"), 1, "aqc");
        check("abc", (0, "", "1"), (4, "", "2"), 2, "1abc2");
        check("abc", (1, "b", "x"), (0, "axc", "abc"), 0, "abc");
        check("abcdef", (2, "c", "xx"), (1, "bxxd", "-"), 1, "a-ef");
    }

    #[test]
    fn many_in_a_row_are_one() {
        let mut text = Text::from("|\n");
        let mut changes = Vec::new();
        for number in 0..1000 {
            let change = Change::one(text.len(), "", format!("{number}\n"));
            text = change.apply(&text).unwrap();
            changes.push(change);
        }
        let change = Change::in_a_row(changes);
        assert_eq!((change.splices().len(), change.apply(&"|\n".into())), (1, Ok(text)));
        assert_eq!(Change::in_a_row(Vec::new()), Change::default());
    }

    fn change_of(text: &[u8], places: &[(usize, usize, Vec<u8>)]) -> Change {
        let mut splices = Vec::new();
        let mut at = 0;
        for (skip, cut, put) in places {
            let start = (at + skip + 1).min(text.len());
            let end = (start + cut).min(text.len());
            splices.push(Splice { at: start, cut: text[start..end].to_vec().into(), put: put.clone().into() });
            at = end;
        }
        Change::from_splices(splices)
    }

    fn places() -> impl Strategy<Value = Vec<(usize, usize, Vec<u8>)>> {
        let put = proptest::collection::vec(prop_oneof![Just(b'a'), Just(b'b')], 0..4);
        proptest::collection::vec((0usize..5, 0usize..5, put), 0..5)
    }

    proptest! {
        #[test]
        fn one_after_the_other_is_the_same_as_both_at_once(
            text in proptest::collection::vec(prop_oneof![Just(b'a'), Just(b'b'), Just(b'c')], 0..30),
            first in places(),
            second in places(),
        ) {
            let first = change_of(&text, &first);
            let text = Text::from(text);
            let between = first.apply(&text).unwrap();
            let second = change_of(&between.to_vec(), &second);
            let after = second.apply(&between).unwrap();
            let both = first.then(&second);
            prop_assert!(both.is_sound());
            prop_assert_eq!(both.apply(&text), Ok(after.clone()));
            prop_assert_eq!(both.inverse().apply(&after), Ok(text));
        }
    }
}
