//! What is odd in a document of this protocol: collected by byte, placed by line and column at the end. Must not know what
//! is odd.

use std::ops::Range;

pub use crate::cycle::{Deviation, Weight};

/// The most that one document tells; a last one says that there are more.
pub(crate) const MOST: usize = 1000;

/// A deviation that has no line yet: `place` finds it.
pub(crate) fn deviation(span: Range<usize>, weight: Weight, reason: String, mend: String) -> Deviation {
    Deviation { span, line: 0, column: 0, weight, reason, mend }
}

/// Gives every deviation its line and column, in the order of the document.
pub(crate) fn place(text: &str, mut all: Vec<Deviation>) -> Vec<Deviation> {
    all.sort_by(|one, other| {
        (one.span.start, one.weight, &one.reason).cmp(&(other.span.start, other.weight, &other.reason))
    });
    if all.len() > MOST {
        all.truncate(MOST);
        let span = all.last().map_or(0..0, |last| last.span.clone());
        let reason = format!("there are more than these {MOST} deviations, the rest is not told");
        all.push(deviation(span, Weight::Form, reason, "mend the first ones and look again".into()));
    }
    let (mut at, mut line, mut start) = (0, 1, 0);
    for one in &mut all {
        let place = one.span.start.min(text.len());
        let passed = text.get(at..place).unwrap_or_default();
        line += passed.matches('\n').count();
        start = passed.rfind('\n').map_or(start, |feed| at + feed + 1);
        at = place;
        one.line = line;
        one.column = text.get(start..place).map_or(1, |before| before.chars().count() + 1);
    }
    all
}
