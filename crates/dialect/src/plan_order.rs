//! The place of an item in its run's plan, as a value that can be compared. Must not know documents.

use machine::{Run, Timing};

/// Where something stands in a plan: order and id on each level, from the outside in, spelled so that bytes compare as
/// people count.
pub(crate) type Position = Vec<u8>;

/// Where an item stands in the plan: tool tasks before and after their task's core work, the preparation first.
pub(crate) fn position(run: &Run, id: &str) -> Option<Position> {
    // From the inside out: each parent is of an outer level, so this ends.
    let mut chain = vec![run.item(id)?];
    while let Some(parent) = chain.last().and_then(|item| run.item(item.parent.as_deref()?))
        && chain.last().is_some_and(|item| parent.level < item.level)
    {
        chain.push(parent);
    }
    let mut position = Position::with_capacity(32 * (chain.len() + 2));
    let outermost = chain.last().is_some_and(|item| item.level == 0);
    put(&mut position, u32::from(outermost), "");
    for (depth, item) in chain.iter().enumerate().rev() {
        // Before what is done with tools, or after it, or in between: the core work of the task itself.
        match (item.timing, depth) {
            (Some(_), depth) if depth + 1 == chain.len() => {}
            (Some(Timing::Pre), _) => put(&mut position, 0, ""),
            (Some(Timing::Post), _) => put(&mut position, 2, ""),
            (None, _) => {}
        }
        put(&mut position, item.order, &item.id);
        if depth == 0 && item.timing.is_none() {
            put(&mut position, 1, "");
        }
    }
    Some(position)
}

/// Where a file that a run used stands: before all that it made, by path.
pub(crate) fn position_of_input(path: &str) -> Position {
    let mut position = Position::new();
    put(&mut position, 0, "");
    put(&mut position, 0, path);
    position
}

/// The end of an id is less than anything in one.
fn put(position: &mut Position, order: u32, id: &str) {
    position.extend_from_slice(&order.to_be_bytes());
    spell(position, id);
    position.push(0);
}

/// An id spelled so that numbers in it compare by value: `T9` before `T10`.
fn spell(spelled: &mut Vec<u8>, id: &str) {
    let mut rest = id.as_bytes();
    while let Some(start) = rest.iter().position(u8::is_ascii_digit) {
        let digits = &rest[start..];
        let end = digits.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(digits.len());
        let zeros = digits[..end].iter().take_while(|digit| **digit == b'0').count();
        let number = &digits[zeros..end];
        spelled.extend_from_slice(&rest[..start]);
        // A longer number is a larger one; the zero keeps numbers apart from other characters as they are.
        spelled.push(b'0');
        for place in [100, 10, 1] {
            spelled.push(b'0' + u8::try_from(number.len() / place % 10).unwrap_or_default());
        }
        spelled.extend_from_slice(number);
        rest = &digits[end..];
    }
    spelled.extend_from_slice(rest);
    // `T5` and `T05` are two ids.
    if !id.is_empty() {
        spelled.push(0);
        spelled.extend_from_slice(id.as_bytes());
    }
}

/// The same alone.
pub(crate) fn countable(id: &str) -> Vec<u8> {
    let mut spelled = Vec::with_capacity(2 * id.len() + 8);
    spell(&mut spelled, id);
    spelled
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_compare_as_people_count() {
        for (one, other) in
            [("T9", "T10"), ("T09", "T10"), ("S2-10", "S10-2"), ("T05", "T5"), ("T05", "T05a"), ("", "a")]
        {
            assert!(countable(one) < countable(other), "{one} before {other}");
        }
    }
}
