//! Two changes of one text that bring the same: what the second repeats of the first, said once.

use crate::diff::different;
use crate::lines::{Names, normal, split_lines};
use crate::{Change, Splice};

impl Change {
    /// This change without the lines that `theirs` inserts at the same places, too. Somebody who saves a buffer a
    /// second time has the lines of the first in it; they are not written twice for that.
    pub fn without_repeats(&self, theirs: &Change) -> Change {
        let same_place = |ours: &Splice| {
            let at = theirs.splices().partition_point(|splice| splice.at < ours.at);
            let inserted = theirs.splices().get(at).filter(|splice| splice.at == ours.at && splice.cut.is_empty());
            inserted.filter(|_| ours.cut.is_empty())
        };
        let once = |ours: &Splice| match same_place(ours) {
            Some(theirs) => Splice { put: news(&ours.put, &theirs.put).into(), ..ours.clone() },
            None => ours.clone(),
        };
        match self.splices().iter().any(|ours| same_place(ours).is_some()) {
            true => Change::from_splices(self.splices().iter().map(once).collect()),
            false => self.clone(),
        }
    }
}

/// What one insertion says that the other does not. Blank lines repeat nothing: they hold apart what stays.
fn news(ours: &[u8], theirs: &[u8]) -> Vec<u8> {
    let mut names = Names::default();
    let mut named = |lines: &[&[u8]]| lines.iter().map(|line| names.of(&normal(line))).collect::<Vec<_>>();
    let (our_lines, their_lines) = (split_lines(ours), split_lines(theirs));
    let (our_names, their_names) = (named(&our_lines), named(&their_lines));
    let mut fresh = vec![false; our_lines.len()];
    for stretch in different(&their_names, &our_names) {
        fresh[stretch.new].fill(true);
    }
    let says = |line: &[u8]| !line.trim_ascii().is_empty();
    let numbered = || our_lines.iter().zip(&fresh);
    let repeats = numbered().any(|(line, fresh)| says(line) && !fresh);
    let brings = numbered().any(|(line, fresh)| says(line) && *fresh);
    match (repeats, brings) {
        (false, _) => ours.to_vec(),
        (true, false) => Vec::new(),
        (true, true) => {
            numbered().filter(|(line, fresh)| **fresh || !says(line)).flat_map(|(line, _)| *line).copied().collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::{Change, Text};

    /// Both insert something after `base`.
    fn check(base: &str, theirs: &str, ours: &str, expected: &str) {
        let [theirs, ours] = [theirs, ours].map(|put| Change::one(base.len(), "", put.to_owned()));
        let after = theirs.apply(&base.into()).unwrap();
        let both = ours.without_repeats(&theirs).rebase(&theirs).unwrap();
        assert_eq!(both.apply(&after), Ok(Text::from(expected)));
    }

    #[test]
    fn a_line_that_both_bring_comes_once() {
        check("a\n", "1\n2\n", "1\n", "a\n1\n2\n");
        check("a\n", "1\n2\n", "1\nmine\n", "a\n1\n2\nmine\n");
        check("a\n", "| 1 | x |\n", "| 1  | x |\r\n", "a\n| 1 | x |\n");
        check("| a | ", "done ", "done ", "| a | done ");
        check("a", "\n1\n2", "\n1", "a\n1\n2");
        check("a", "\n1\n2", "\n1\nmine", "a\n1\n2\nmine");
    }

    #[test]
    fn what_is_not_the_same_stays() {
        check("a\n", "1\n", "mine\n", "a\n1\nmine\n");
        check("a\n", "\nhers\n", "\nmine\n", "a\n\nhers\n\nmine\n");
        check("a\n", "\n# Notes\nhers\n", "\n# Notes\nmine\n", "a\n\n# Notes\nhers\n\nmine\n");
        check("a\n", "\n", "\n", "a\n\n\n");
    }

    #[test]
    fn at_other_places_nothing_repeats() {
        let [theirs, ours] = [0, 2].map(|at| Change::one(at, "", "1\n"));
        assert_eq!(ours.without_repeats(&theirs), ours);
        let replaced = Change::one(0, "a", "1\n");
        assert_eq!(replaced.without_repeats(&theirs), replaced);
    }

    proptest! {
        #[test]
        fn what_is_left_still_fits(base in "[ab\n]{0,6}", at in 0usize..6, theirs in "([ab]?\n){0,4}", ours in "([ab]?\n){0,4}") {
            let base = Text::from(base);
            let at = at.min(base.len());
            let [theirs, ours] = [theirs, ours].map(|put| Change::one(at, "", put));
            let after = theirs.apply(&base).unwrap();
            let once = ours.without_repeats(&theirs);
            prop_assert!(once.weight() <= ours.weight());
            prop_assert!(once.rebase(&theirs).unwrap().apply(&after).is_ok());
        }
    }
}
