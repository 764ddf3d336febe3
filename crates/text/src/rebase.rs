//! Two changes of one text, made without knowledge of each other: the second, said again on top of the first.

use std::ops::Range;

use bytes::Bytes;

use crate::change::{Shift, overlap};
use crate::{Change, Splice};

/// Both changes touch the same bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Overlap {
    /// Where, in the text that both started from.
    pub range: Range<usize>,
}

/// Splices of both sides that cannot be told apart, or a single one of ours.
struct Cluster<'a> {
    range: Range<usize>,
    ours: &'a [Splice],
    theirs: &'a [Splice],
}

impl Change {
    /// This change for the text after `theirs`. Insertions at one place stand in the order of their changes. Even
    /// the same splice on both sides is an overlap: two that claim one thing cannot both have it.
    pub fn rebase(&self, theirs: &Change) -> Result<Change, Overlap> {
        let (change, mut overlaps) = self.rebase_winning(theirs);
        match overlaps.is_empty() {
            true => Ok(change),
            false => Err(overlaps.swap_remove(0)),
        }
    }

    /// As [`Change::rebase`], but where both touch the same bytes this one wins; the places are named.
    pub fn rebase_winning(&self, theirs: &Change) -> (Change, Vec<Overlap>) {
        let mut splices = Vec::with_capacity(self.splices().len());
        let mut overlaps = Vec::new();
        let mut moved = Shift::default();
        let (mut ours, mut theirs) = (self.splices(), theirs.splices());
        while let Some(cluster) = next_cluster(&mut ours, &mut theirs, &mut moved) {
            let at = moved.of(cluster.range.start);
            if cluster.theirs.is_empty() {
                splices.extend(cluster.ours.iter().map(|splice| Splice { at, ..splice.clone() }));
            } else {
                let base = cluster.base();
                let cut = side(&base, cluster.range.start, cluster.theirs);
                let put = side(&base, cluster.range.start, cluster.ours);
                splices.push(Splice { at, cut, put });
                overlaps.push(Overlap { range: cluster.range.clone() });
            }
            cluster.theirs.iter().for_each(|splice| moved.pass(splice));
        }
        (Change::from_splices(splices), overlaps)
    }
}

/// Takes the next of our splices from the front, with all of both sides that hang together with it.
fn next_cluster<'a>(ours: &mut &'a [Splice], theirs: &mut &'a [Splice], moved: &mut Shift) -> Option<Cluster<'a>> {
    let mut range = ours.first()?.range();
    while let Some((splice, rest)) = theirs.split_first() {
        if splice.end() > range.start || overlap(&splice.range(), &range) {
            break;
        }
        moved.pass(splice);
        *theirs = rest;
    }
    let (mut taken_ours, mut taken_theirs) = (1, 0);
    // Whatever overlaps the cluster joins it and may widen it; the ranges only grow, so this ends.
    loop {
        if let Some(splice) = theirs.get(taken_theirs).filter(|splice| overlap(&splice.range(), &range)) {
            range = range.start.min(splice.at)..range.end.max(splice.end());
            taken_theirs += 1;
        } else if let Some(splice) =
            ours.get(taken_ours).filter(|splice| taken_theirs > 0 && overlap(&splice.range(), &range))
        {
            range = range.start.min(splice.at)..range.end.max(splice.end());
            taken_ours += 1;
        } else {
            break;
        }
    }
    let cluster = Cluster { range, ours: &ours[..taken_ours], theirs: &theirs[..taken_theirs] };
    (*ours, *theirs) = (&ours[taken_ours..], &theirs[taken_theirs..]);
    Some(cluster)
}

impl Cluster<'_> {
    /// The text that both sides started from: what overlaps is covered by the cuts without a gap.
    fn base(&self) -> Vec<u8> {
        let mut base = vec![0; self.range.len()];
        for splice in self.ours.iter().chain(self.theirs) {
            let from = splice.at - self.range.start;
            base[from..from + splice.cut.len()].copy_from_slice(&splice.cut);
        }
        base
    }
}

/// The text of a cluster as one side has it.
fn side(base: &[u8], start: usize, splices: &[Splice]) -> Bytes {
    let mut text = Vec::with_capacity(base.len());
    let mut reached = 0;
    for splice in splices {
        text.extend_from_slice(&base[reached..splice.at - start]);
        text.extend_from_slice(&splice.put);
        reached = splice.end() - start;
    }
    text.extend_from_slice(&base[reached..]);
    text.into()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::Text;

    fn check(
        base: &str,
        theirs: &[(usize, &str, &str)],
        ours: &[(usize, &str, &str)],
        expected: Result<&str, Range<usize>>,
    ) {
        let change = |splices: &[(usize, &str, &str)]| {
            Change::from_splices(
                splices
                    .iter()
                    .map(|(at, cut, put)| Splice { at: *at, cut: cut.to_string().into(), put: put.to_string().into() })
                    .collect(),
            )
        };
        let (theirs, ours) = (change(theirs), change(ours));
        let after = theirs.apply(&base.into()).unwrap();
        let result = ours.rebase(&theirs).map(|change| change.apply(&after).unwrap()).map_err(|overlap| overlap.range);
        assert_eq!(result, expected.map(Text::from));
    }

    #[test]
    fn changes_of_different_places_both_hold() {
        check("a b c", &[(0, "a", "A!")], &[(4, "c", "C!")], Ok("A! b C!"));
        check("a b c", &[(4, "c", "C!")], &[(0, "a", "A!")], Ok("A! b C!"));
        check("abc", &[(1, "b", "")], &[(1, "", "x")], Ok("axc"));
        check("abc", &[(1, "b", "y")], &[(2, "", "x")], Ok("ayxc"));
    }

    #[test]
    fn insertions_at_one_place_stand_in_order() {
        check("a\n", &[(2, "", "b\n")], &[(2, "", "c\n")], Ok("a\nb\nc\n"));
        check("ab", &[(1, "", "x")], &[(1, "b", "y")], Ok("axy"));
    }

    #[test]
    fn the_same_bytes_cannot_be_changed_twice() {
        check("abcdef", &[(1, "bc", "x")], &[(2, "cd", "y")], Err(1..4));
        check("abcdef", &[(1, "bc", "x")], &[(1, "bc", "x")], Err(1..3));
        check("abcdef", &[(1, "bcd", "x")], &[(2, "", "y")], Err(1..4));
        check("abcdef", &[(2, "", "y")], &[(1, "bcd", "x")], Err(1..4));
        check("abcdef", &[(0, "abcd", "x")], &[(1, "b", "y"), (3, "d", "z")], Err(0..4));
    }

    #[test]
    fn the_winner_keeps_its_text_and_names_the_place() {
        let base = Text::from("| r1 | PENDING | |\n| r2 | PENDING | |\n");
        let theirs = Change::one(7, "PENDING", "COMPLETED");
        let ours = Change::from_splices(vec![
            Splice { at: 7, cut: "PENDING".into(), put: "FAILED".into() },
            Splice { at: 26, cut: "PENDING".into(), put: "FAILED".into() },
        ]);
        let (rebased, overlaps) = ours.rebase_winning(&theirs);
        let after = rebased.apply(&theirs.apply(&base).unwrap()).unwrap();
        assert_eq!(after, Text::from("| r1 | FAILED | |\n| r2 | FAILED | |\n"));
        assert_eq!(overlaps, [Overlap { range: 7..14 }]);
    }

    fn changes(length: usize) -> impl Strategy<Value = Vec<(usize, usize, String)>> {
        proptest::collection::vec((0..=length, 0usize..4, "[xyz\n]{0,3}"), 0..6)
    }

    fn change_of(base: &Text, wanted: Vec<(usize, usize, String)>) -> Change {
        let mut splices: Vec<Splice> = Vec::new();
        let mut wanted = wanted;
        wanted.sort();
        let mut reached = 0;
        for (at, cut, put) in wanted {
            if at < reached {
                continue;
            }
            let cut = base.slice(at..(at + cut).min(base.len())).into_owned();
            reached = at + cut.len() + 1;
            splices.push(Splice { at, cut: cut.into(), put: put.into() });
        }
        Change::from_splices(splices)
    }

    proptest! {
        #[test]
        fn a_rebased_change_always_fits(base in "[a-d\n]{0,24}", ours in changes(24), theirs in changes(24)) {
            let base = Text::from(base);
            let ours = change_of(&base, ours.into_iter().filter(|(at, ..)| *at <= base.len()).collect());
            let theirs = change_of(&base, theirs.into_iter().filter(|(at, ..)| *at <= base.len()).collect());
            let after = theirs.apply(&base).unwrap();
            let (rebased, overlaps) = ours.rebase_winning(&theirs);
            let both = rebased.apply(&after).expect("it fits");
            if let Ok(other_way) = theirs.rebase(&ours) {
                prop_assert!(overlaps.is_empty());
                // Without an overlap the lengths add up, whichever side goes first.
                prop_assert_eq!(other_way.apply(&ours.apply(&base).unwrap()).unwrap().len(), both.len());
            }
            prop_assert_eq!(rebased.inverse().apply(&both), Ok(after));
        }
    }
}
