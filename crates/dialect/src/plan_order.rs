//! The place of an item in its run's plan, as a value that can be compared. Must not know documents.

use machine::{Run, Timing};

/// Where something stands in a plan: order and id on each level, from the outside in. Ids are spelled so that they
/// compare as people count.
pub(crate) type Position = Vec<(u32, String)>;

/// Where an item stands in the plan: tool tasks before and after their task's core work, the preparation first.
pub(crate) fn position(run: &Run, id: &str) -> Option<Position> {
    let mut item = run.item(id)?;
    let place = |order: u32, id: &str| (order, countable(id));
    let mut position = match item.timing {
        Some(_) => vec![place(item.order, id)],
        None => vec![place(1, ""), place(item.order, id)],
    };
    // Each parent is of an outer level, so this ends.
    while let Some(parent) = item.parent.as_deref().and_then(|parent| run.item(parent))
        && parent.level < item.level
    {
        match item.timing {
            Some(Timing::Pre) => position.push(place(0, "")),
            Some(Timing::Post) => position.push(place(2, "")),
            None => {}
        }
        position.push(place(parent.order, &parent.id));
        item = parent;
    }
    position.push(place(u32::from(item.level == 0), ""));
    position.reverse();
    Some(position)
}

/// An id spelled so that numbers in it compare by value: `T9` before `T10`.
pub(crate) fn countable(id: &str) -> String {
    let mut spelled = String::with_capacity(id.len() + 8);
    let mut rest = id;
    while let Some(start) = rest.find(|character: char| character.is_ascii_digit()) {
        let digits = &rest[start..];
        let end = digits.find(|character: char| !character.is_ascii_digit()).unwrap_or(digits.len());
        let number = digits[..end].trim_start_matches('0');
        spelled.push_str(&rest[..start]);
        // A longer number is a larger one; the zero keeps numbers apart from other characters as they are.
        spelled.push_str(&format!("0{:03}{number}", number.len()));
        rest = &digits[end..];
    }
    spelled.push_str(rest);
    // `T5` and `T05` are two ids.
    if !id.is_empty() {
        spelled.push('\0');
        spelled.push_str(id);
    }
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
