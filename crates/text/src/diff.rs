//! The change between two texts as a person would see it: line by line, and within a changed line by table cells
//! or words, so that two changes of one row in different cells do not clash. Bounded: where two stretches are too
//! large to compare line by line and share no line of their own, one replaces the other whole.

use std::collections::HashMap;
use std::ops::Range;

use bytes::Bytes;

use crate::lines::{Names, first_cell, key, split_lines};
use crate::{Change, Splice, Text};

/// The most pairs that are compared one by one in a stretch without an anchor.
const PAIRS: usize = 250_000;

/// A stretch of both sides, by line or token number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Stretch {
    pub(crate) old: Range<usize>,
    pub(crate) new: Range<usize>,
}

/// The change that turns `old` into `new`.
pub fn diff(old: &Text, new: &Text) -> Change {
    compare(old, new, |old, new, at, splices| {
        let (one, other) = (old.concat(), new.concat());
        match old.len() == 1 && new.len() == 1 {
            true => within_line(at, &one, &other, splices),
            false => splices.push(Splice { at, cut: one.into(), put: other.into() }),
        }
    })
}

/// The same without taking out lines that `new` does not have: it may be older than `old`.
pub fn additions(old: &Text, new: &Text) -> Change {
    compare(old, new, |old_lines, new_lines, at, splices| {
        let is_ended = |lines: &[&[u8]]| lines.last().is_none_or(|line| line.ends_with(b"\n"));
        let (one, mut other) = (old_lines.concat(), new_lines.concat());
        let end = at + one.len();
        if !is_ended(new_lines) && end < old.len() {
            other.push(b'\n');
        }
        if old_lines.len() == 1 && new_lines.len() == 1 && key(&one) == key(&other) {
            return within_line(at, &one, &other, splices);
        }
        if !is_ended(old_lines) && !other.is_empty() {
            other.insert(0, b'\n');
        }
        splices.push(Splice { at: end, cut: Bytes::new(), put: other.into() });
    })
}

/// Gives every stretch of lines that differs to `splice`, with its place in `old`.
fn compare(old: &Text, new: &Text, splice: impl Fn(&[&[u8]], &[&[u8]], usize, &mut Vec<Splice>)) -> Change {
    if old == new {
        return Change::default();
    }
    let (old_bytes, new_bytes) = (old.to_vec(), new.to_vec());
    let (old_lines, new_lines) = (split_lines(&old_bytes), split_lines(&new_bytes));
    let mut names = Names::default();
    let mut named = |lines: &[&[u8]]| lines.iter().map(|line| names.of(line)).collect::<Vec<_>>();
    let (old_names, new_names) = (named(&old_lines), named(&new_lines));
    let mut keys = Names::default();
    let mut keyed = |lines: &[&[u8]]| lines.iter().map(|line| keys.of(&key(line))).collect::<Vec<_>>();
    let (old_keys, new_keys) = (keyed(&old_lines), keyed(&new_lines));
    let offsets: Vec<usize> = starts(&old_lines);
    let mut splices = Vec::new();
    for stretch in different(&old_names, &new_names) {
        for pair in paired(&old_lines, &new_lines, (&old_keys, &new_keys), &stretch) {
            splice(&old_lines[pair.old.clone()], &new_lines[pair.new], offsets[pair.old.start], &mut splices);
        }
    }
    Change::from_splices(splices)
}

/// Where each piece starts, and where the last one ends.
fn starts(pieces: &[&[u8]]) -> Vec<usize> {
    let mut at = 0;
    let mut all = vec![0];
    all.extend(pieces.iter().map(|piece| {
        at += piece.len();
        at
    }));
    all
}

/// The stretches in which two sequences differ: patience first (lines that stand once on each side), then the
/// longest common subsequence of what is left between them.
pub(crate) fn different(old: &[u32], new: &[u32]) -> Vec<Stretch> {
    let mut open = vec![Stretch { old: 0..old.len(), new: 0..new.len() }];
    let mut found = Vec::new();
    while let Some(stretch) = open.pop() {
        let stretch = trimmed(old, new, stretch);
        if stretch.old.is_empty() && stretch.new.is_empty() {
            continue;
        }
        if stretch.old.is_empty() || stretch.new.is_empty() {
            found.push(stretch);
            continue;
        }
        let mut anchors = anchors(old, new, &stretch);
        if anchors.is_empty() {
            anchors = common_subsequence(&old[stretch.old.clone()], &new[stretch.new.clone()], &stretch);
        }
        if anchors.is_empty() {
            found.push(stretch);
            continue;
        }
        let mut from = (stretch.old.start, stretch.new.start);
        for (one, other) in anchors {
            open.push(Stretch { old: from.0..one, new: from.1..other });
            from = (one + 1, other + 1);
        }
        open.push(Stretch { old: from.0..stretch.old.end, new: from.1..stretch.new.end });
    }
    found.sort_by_key(|stretch| (stretch.old.start, stretch.new.start));
    slide(old, new, &mut found);
    found
}

/// Lines that only came, or only went, may be told in several ways where some of them repeat: `x, end, y, end` is `y, end`
/// behind the first `end`, or `end, y` before it. They are told as far down as can be, so that what begins with a line of its
/// own stays together, and what others change above stays above.
fn slide(old: &[u32], new: &[u32], found: &mut [Stretch]) {
    for at in (0..found.len()).rev() {
        // A line in common stays between two stretches.
        let limit = found.get(at + 1).map_or(old.len() + 1, |next| next.old.start);
        let stretch = &mut found[at];
        let (lines, moves) = match (stretch.old.is_empty(), stretch.new.is_empty()) {
            (true, false) => (new, &stretch.new),
            (false, true) => (old, &stretch.old),
            _ => continue,
        };
        let (start, end, room) = (moves.start, moves.end, limit.saturating_sub(stretch.old.end + 1));
        let steps = (0..room).take_while(|step| lines.get(end + step) == lines.get(start + step)).count();
        for range in [&mut stretch.old, &mut stretch.new] {
            (range.start, range.end) = (range.start + steps, range.end + steps);
        }
    }
}

fn trimmed(old: &[u32], new: &[u32], mut stretch: Stretch) -> Stretch {
    while !stretch.old.is_empty() && !stretch.new.is_empty() && old[stretch.old.start] == new[stretch.new.start] {
        stretch.old.start += 1;
        stretch.new.start += 1;
    }
    while !stretch.old.is_empty() && !stretch.new.is_empty() && old[stretch.old.end - 1] == new[stretch.new.end - 1] {
        stretch.old.end -= 1;
        stretch.new.end -= 1;
    }
    stretch
}

/// Pairs of lines that stand once on each side, as many as keep their order.
fn anchors(old: &[u32], new: &[u32], stretch: &Stretch) -> Vec<(usize, usize)> {
    #[derive(Default)]
    struct Seen {
        old: usize,
        new: usize,
        at: usize,
    }
    let mut seen: HashMap<u32, Seen> = HashMap::new();
    for line in stretch.old.clone() {
        seen.entry(old[line]).or_default().old += 1;
    }
    for line in stretch.new.clone() {
        if let Some(entry) = seen.get_mut(&new[line]) {
            entry.new += 1;
            entry.at = line;
        }
    }
    let unique: Vec<(usize, usize)> = stretch
        .old
        .clone()
        .filter_map(|line| {
            seen.get(&old[line]).filter(|entry| entry.old == 1 && entry.new == 1).map(|entry| (line, entry.at))
        })
        .collect();
    longest_rising(&unique)
}

/// The longest run of pairs whose second numbers rise (patience sorting).
fn longest_rising(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    let mut tops: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = vec![None; pairs.len()];
    for (index, pair) in pairs.iter().enumerate() {
        let pile = tops.partition_point(|top| pairs[*top].1 < pair.1);
        before[index] = pile.checked_sub(1).map(|left| tops[left]);
        match tops.get_mut(pile) {
            Some(top) => *top = index,
            None => tops.push(index),
        }
    }
    let mut chain = Vec::with_capacity(tops.len());
    let mut at = tops.last().copied();
    while let Some(index) = at {
        chain.push(pairs[index]);
        at = before[index];
    }
    chain.reverse();
    chain
}

/// The longest common subsequence of two short stretches, in numbers of the whole.
fn common_subsequence(old: &[u32], new: &[u32], stretch: &Stretch) -> Vec<(usize, usize)> {
    best_pairs(old.len(), new.len(), |one, other| u32::from(old[one] == new[other]))
        .into_iter()
        .map(|(one, other)| (stretch.old.start + one, stretch.new.start + other))
        .collect()
}

/// The pairs in order whose scores add up to the most; none of score 0; nothing when there are too many to compare.
fn best_pairs(old: usize, new: usize, score: impl Fn(usize, usize) -> u32) -> Vec<(usize, usize)> {
    if old.saturating_mul(new) > PAIRS {
        return Vec::new();
    }
    let width = new + 1;
    let mut best = vec![0u32; (old + 1) * width];
    for one in (0..old).rev() {
        for other in (0..new).rev() {
            let here = score(one, other);
            let paired = if here > 0 { here + best[(one + 1) * width + other + 1] } else { 0 };
            best[one * width + other] = paired.max(best[(one + 1) * width + other]).max(best[one * width + other + 1]);
        }
    }
    let (mut one, mut other) = (0, 0);
    let mut pairs = Vec::new();
    while one < old && other < new {
        let here = best[one * width + other];
        if here == best[(one + 1) * width + other] {
            one += 1;
        } else if here == best[one * width + other + 1] {
            other += 1;
        } else {
            pairs.push((one, other));
            (one, other) = (one + 1, other + 1);
        }
    }
    pairs
}

/// Splits a differing stretch into pairs of lines with one key, which stand once on each side, and, between them, of
/// similar lines.
fn paired(old: &[&[u8]], new: &[&[u8]], keys: (&[u32], &[u32]), stretch: &Stretch) -> Vec<Stretch> {
    let mut parts = Vec::new();
    let mut from = (stretch.old.start, stretch.new.start);
    for pair in anchors(keys.0, keys.1, stretch) {
        parts.extend(aligned(old, new, &Stretch { old: from.0..pair.0, new: from.1..pair.1 }));
        parts.push(Stretch { old: pair.0..pair.0 + 1, new: pair.1..pair.1 + 1 });
        from = (pair.0 + 1, pair.1 + 1);
    }
    parts.extend(aligned(old, new, &Stretch { old: from.0..stretch.old.end, new: from.1..stretch.new.end }));
    parts
}

/// Splits a differing stretch into pairs of similar lines and what is left between them.
fn aligned(old: &[&[u8]], new: &[&[u8]], stretch: &Stretch) -> Vec<Stretch> {
    let pairs = best_pairs(stretch.old.len(), stretch.new.len(), |one, other| {
        likeness(old[stretch.old.start + one], new[stretch.new.start + other])
    });
    let mut parts = Vec::new();
    let mut from = (stretch.old.start, stretch.new.start);
    for (one, other) in pairs {
        let pair = (stretch.old.start + one, stretch.new.start + other);
        parts.push(Stretch { old: from.0..pair.0, new: from.1..pair.1 });
        parts.push(Stretch { old: pair.0..pair.0 + 1, new: pair.1..pair.1 + 1 });
        from = (pair.0 + 1, pair.1 + 1);
    }
    parts.push(Stretch { old: from.0..stretch.old.end, new: from.1..stretch.new.end });
    parts.retain(|part| !(part.old.is_empty() && part.new.is_empty()));
    parts
}

/// How alike two lines are, from 0 (not at all) to 100: rows by their first cell, which names them, then by what they
/// share at both ends.
fn likeness(one: &[u8], other: &[u8]) -> u32 {
    match (first_cell(one), first_cell(other)) {
        (Some(name), Some(other_name)) if name != other_name => return 0,
        (Some(name), Some(_)) if !name.is_empty() => return 40 + shared_ends(one, other) / 2,
        _ => {}
    }
    match shared_ends(one, other) {
        0..40 => 0,
        percent => percent,
    }
}

/// How much of two lines is the same at both ends, in percent of the longer one.
fn shared_ends(one: &[u8], other: &[u8]) -> u32 {
    let longer = one.len().max(other.len()).max(1);
    let head = one.iter().zip(other).take_while(|(left, right)| left == right).count();
    let most = one.len().min(other.len()) - head;
    let tail = one.iter().rev().zip(other.iter().rev()).take(most).take_while(|(left, right)| left == right).count();
    u32::try_from((head + tail) * 100 / longer).unwrap_or(100)
}

/// The splices that turn one line into another.
fn within_line(at: usize, old: &[u8], new: &[u8], splices: &mut Vec<Splice>) {
    let (old_tokens, new_tokens) = (tokens(old), tokens(new));
    let mut names = Names::default();
    let mut named = |tokens: &[&[u8]]| tokens.iter().map(|token| names.of(token)).collect::<Vec<_>>();
    let (old_names, new_names) = (named(&old_tokens), named(&new_tokens));
    let offsets = starts(&old_tokens);
    for stretch in different(&old_names, &new_names) {
        splices.push(Splice {
            at: at + offsets[stretch.old.start],
            cut: old_tokens[stretch.old].concat().into(),
            put: new_tokens[stretch.new].concat().into(),
        });
    }
}

/// A row falls into pipes, cells and the blanks around them, any other line into words, blanks and single marks. No
/// character is split.
fn tokens(line: &[u8]) -> Vec<&[u8]> {
    match line.contains(&b'|') {
        true => line.chunk_by(|left, right| *left != b'|' && *right != b'|').flat_map(cell_tokens).collect(),
        false => words(line),
    }
}

fn cell_tokens(cell: &[u8]) -> impl Iterator<Item = &[u8]> {
    let start = cell.len() - cell.trim_ascii_start().len();
    let end = cell.trim_ascii_end().len().max(start);
    [&cell[..start], &cell[start..end], &cell[end..]].into_iter().filter(|token| !token.is_empty())
}

fn words(line: &[u8]) -> Vec<&[u8]> {
    let kind = |byte: u8| match byte {
        b'\r' | b'\n' => 3,
        b' ' | b'\t' => 2,
        b'_' | 0x80.. => 1,
        _ if byte.is_ascii_alphanumeric() => 1,
        _ => 0,
    };
    line.chunk_by(|left, right| kind(*left) == kind(*right) && kind(*left) != 0).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(old: &str, new: &str, expected: &[(&str, &str)]) {
        let change = diff(&old.into(), &new.into());
        let shown: Vec<(String, String)> = change
            .splices()
            .iter()
            .map(|splice| {
                let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("no character is split");
                (text(&splice.cut), text(&splice.put))
            })
            .collect();
        let expected: Vec<_> = expected.iter().map(|(cut, put)| (cut.to_string(), put.to_string())).collect();
        assert_eq!(shown, expected);
        assert_eq!(change.apply(&old.into()), Ok(Text::from(new)));
    }

    #[test]
    fn a_changed_cell_is_one_splice() {
        check(
            "| a | PENDING | x |\n| b | PENDING | y |\n",
            "| a | DONE | x |\n| b | PENDING | z |\n",
            &[("PENDING", "DONE"), ("y", "z")],
        );
    }

    #[test]
    fn a_row_edited_and_a_row_added_are_told_apart() {
        check(
            "| a | PENDING | x |\n| c | PENDING | y |\n",
            "| a | PENDING | xx |\n| b | NEW | |\n| c | PENDING | y |\n",
            &[("x", "xx"), ("", "| b | NEW | |\n")],
        );
    }

    #[test]
    fn a_row_is_known_by_its_first_cell() {
        check(
            "| T2 | PENDING | |\n",
            "| T2 | COMPLETED | |\n| T3 | PENDING | |\n",
            &[("PENDING", "COMPLETED"), ("", "| T3 | PENDING | |\n")],
        );
    }

    #[test]
    fn a_formatter_changes_blanks_alone() {
        check(
            "| a | b |\n| T1 | x |\n",
            "| a  | b |\r\n| T1 | x |\r\n",
            &[(" ", "  "), ("\n", "\r\n"), ("\n", "\r\n")],
        );
        let table = |row: &dyn Fn(usize) -> String| (0..2000).map(row).collect::<String>();
        let old = table(&|row| format!("| T{row} | PENDING |\n"));
        let new = table(&|row| format!("| T{row}  | PENDING   |\n"));
        let change = diff(&old.as_str().into(), &new.as_str().into());
        assert!(change.splices().iter().all(|splice| splice.put.trim_ascii().is_empty()), "only blanks come");
        assert_eq!(change.apply(&old.as_str().into()), Ok(Text::from(new)));
    }

    #[test]
    fn words_change_within_a_line_of_prose() {
        check("the quick brown fox\n", "the slow brown fox!\n", &[("quick", "slow"), ("", "!")]);
        check("한국어 문장 하나", "한국어 글 하나", &[("문장", "글")]);
    }

    /// What is put behind something is not told as put into it, wherever else the text changed: others may have changed what
    /// it was put behind (RM-12).
    #[test]
    fn lines_that_repeat_are_told_as_far_down_as_can_be() {
        check(
            "a\n- 1\n  - pending\n\nend\n",
            "b\n- 1\n  - pending\n\n- 2\n  - pending\n\nend\n",
            &[("a", "b"), ("", "- 2\n  - pending\n\n")],
        );
        check(
            "a\n- 1\n  - pending\n- 2\n  - pending\nend\n",
            "b\n- 1\n  - pending\nend\n",
            &[("a", "b"), ("- 2\n  - pending\n", "")],
        );
    }

    #[test]
    fn what_shares_nothing_is_replaced_whole() {
        let old: String = (0..3000).map(|line| format!("old {line}\n")).collect();
        let new: String = (0..3000).map(|line| format!("{line} new\n")).collect();
        assert_eq!(diff(&old.as_str().into(), &new.as_str().into()).splices().len(), 1);
    }

    #[test]
    fn additions_take_out_no_line() {
        for (old, new, expected) in [
            ("a\nb\n", "a\n", "a\nb\n"),
            ("a\nb\nc\n", "a\nx\n", "a\nb\nc\nx\n"),
            ("a\n| b | |\n", "a\n| b | x |\n", "a\n| b | x |\n"),
            ("a\nb", "a", "a\nb"),
            ("a\nb", "a\nx", "a\nb\nx"),
            ("a\nb\n", "b\nc\n", "a\nb\nc\n"),
            ("a\nb\nc\n", "x", "a\nb\nc\nx"),
        ] {
            assert_eq!(additions(&old.into(), &new.into()).apply(&old.into()), Ok(Text::from(expected)));
        }
    }

    proptest! {
        #[test]
        fn additions_keep_every_line(old in "([ab|]{1,3}\n){0,6}[ab]{0,2}", new in "([ab|]{1,3}\n){0,6}[ab]{0,2}") {
            let change = additions(&Text::from(old.as_str()), &Text::from(new.as_str()));
            let after = change.apply(&old.as_str().into()).unwrap().to_vec();
            let keys = |text: &[u8]| split_lines(text).into_iter().map(key).collect::<Vec<_>>();
            let after = keys(&after);
            for line in keys(old.as_bytes()).into_iter().chain(keys(new.as_bytes())) {
                prop_assert!(after.contains(&line), "{:?} is gone", line);
            }
        }

        #[test]
        fn a_difference_leads_from_one_text_to_the_other(old in "([ab|é ]{0,4}\r?\n?){0,12}", new in "([ab|é ]{0,4}\r?\n?){0,12}") {
            let (old, new) = (Text::from(old), Text::from(new));
            let change = diff(&old, &new);
            prop_assert_eq!(change.apply(&old), Ok(new));
            for splice in change.splices() {
                prop_assert!(std::str::from_utf8(&splice.cut).is_ok() && std::str::from_utf8(&splice.put).is_ok());
            }
        }
    }
}
