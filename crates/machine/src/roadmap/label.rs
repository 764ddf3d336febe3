//! Places in an order: between any two there is room for another, so that an item can come anywhere without any other
//! being touched. Labels are not kept: an order that is read again gets new ones.

use alloc::sync::Arc;
use alloc::vec::Vec;

/// A place in an order. Bytes, compared as texts are; the last one is never 0, so there is always room before one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Label(Arc<[u8]>);

/// The first label of an order: as much room before it as behind it.
const MIDDLE: u32 = 1 << 31;
/// What ends a label that counts on.
const END: u8 = 0x80;

impl Label {
    /// Before every label.
    pub(super) fn lowest() -> Self {
        Self(Arc::new([]))
    }

    /// Behind every label that has no bytes but the greatest before its end: every one there is.
    pub(super) fn highest() -> Self {
        Self(Arc::new([u8::MAX; 64]))
    }

    /// A place between two others; nothing stands for the ends of the order.
    pub(super) fn between(before: Option<&Self>, after: Option<&Self>) -> Self {
        match (before, after) {
            (None, None) => Self::counted(MIDDLE),
            (Some(before), None) => match before.count().checked_add(1) {
                Some(count) => Self::counted(count),
                None => Self(middle(&before.0, None).into()),
            },
            (None, Some(after)) => match after.count().checked_sub(1) {
                Some(count) => Self::counted(count),
                None => Self(middle(&[], Some(&after.0)).into()),
            },
            (Some(before), Some(after)) => Self(middle(&before.0, Some(&after.0)).into()),
        }
    }

    fn counted(count: u32) -> Self {
        let mut bytes = count.to_be_bytes().to_vec();
        bytes.push(END);
        Self(bytes.into())
    }

    /// The first bytes as a number.
    fn count(&self) -> u32 {
        let byte = |index: usize| u32::from(self.0.get(index).copied().unwrap_or(0));
        (byte(0) << 24) | (byte(1) << 16) | (byte(2) << 8) | byte(3)
    }
}

/// Halfway between two fractions, as short as can be; without an upper one, halfway to 1.
fn middle(low: &[u8], high: Option<&[u8]>) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut high = high;
    for index in 0.. {
        let below = u16::from(low.get(index).copied().unwrap_or(0));
        let above = high.map_or(256, |high| u16::from(high.get(index).copied().unwrap_or(0)));
        let half = u8::try_from(below.midpoint(above)).unwrap_or(u8::MAX);
        if above > below + 1 {
            bytes.push(half);
            break;
        }
        bytes.push(u8::try_from(below).unwrap_or(u8::MAX));
        if above > below {
            // Whatever follows is below `high` already.
            high = None;
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Anywhere, again and again, in any pattern: always strictly between.
    #[test]
    fn there_is_always_room() {
        for seed in 0..40_u64 {
            let (mut state, mut order) = (seed, Vec::<Label>::new());
            for step in 0..400_usize {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let at = match seed % 5 {
                    0 => 0,
                    1 => order.len(),
                    2 => order.len() / 2,
                    3 => step.min(order.len()).min(3),
                    _ => usize::try_from(state >> 33).unwrap() % (order.len() + 1),
                };
                let before = at.checked_sub(1).map(|index| order[index].clone());
                let label = Label::between(before.as_ref(), order.get(at));
                assert!(before.is_none_or(|before| before < label), "seed {seed}");
                assert!(order.get(at).is_none_or(|after| label < *after), "seed {seed}");
                assert_ne!(label.0.last(), Some(&0), "seed {seed}: there is room before it");
                order.insert(at, label);
            }
        }
    }

    /// Counting on, as a roadmap is read, stays short.
    #[test]
    fn counting_on_is_short() {
        let mut label = Label::between(None, None);
        for _ in 0..100_000 {
            label = Label::between(Some(&label), None);
        }
        assert_eq!(label.0.len(), 5);
    }

    /// The ends of what can be counted are not the end.
    #[test]
    fn beyond_what_can_be_counted() {
        let last = Label::counted(u32::MAX);
        assert!(Label::between(Some(&last), None) > last);
        let first = Label::counted(0);
        assert!(Label::between(None, Some(&first)) < first);
    }
}
