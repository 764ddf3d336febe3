//! What makes looking up items cheap: by id, by parent and place, by output, and which tasks wait for which. All of it
//! follows from the items, so it is neither stored nor compared. It decides nothing.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;
use alloc::vec::Vec;
use core::cmp::Ordering;

use crate::item::{Item, State};

/// What `apply` keeps beside the items of a run.
#[derive(Debug, Clone, Default)]
pub struct Index {
    /// How many items it is about.
    count: usize,
    /// Set when an item was changed in a way that only a new index takes in.
    is_stale: bool,
    /// By the [`digest`] of their ids: every step asks for dozens.
    ids: BTreeMap<u64, usize>,
    /// Whether two ids have one digest: then one that is not found by it is looked for one by one.
    is_ambiguous: bool,
    families: BTreeMap<String, Family>,
    /// Those that leave a file there, in the order of the items.
    makers: BTreeMap<String, Vec<usize>>,
    /// For an item that is not done: those that wait for its output, each with the input at which it waits.
    watchers: BTreeMap<usize, Vec<(usize, usize)>>,
    /// The highest number of ids that begin alike.
    highest: BTreeMap<String, u64>,
}

/// The items below one.
#[derive(Debug, Clone, Default)]
pub(crate) struct Family {
    pub(crate) all: BTreeSet<Place>,
    pub(crate) pending: BTreeSet<Place>,
    /// Pending, and no earlier sibling that is pending makes one of its inputs.
    pub(crate) ready: BTreeSet<Place>,
}

/// An item's place among its siblings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) order: u32,
    pub(crate) id: String,
    pub(crate) at: usize,
}

/// Two indexes of equal items are equal, so that runs compare by what they are.
impl PartialEq for Index {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Index {}

impl Place {
    pub(crate) fn of(item: &Item, at: usize) -> Self {
        Self { order: item.order, id: item.id.clone(), at }
    }
}

impl Ord for Place {
    fn cmp(&self, other: &Self) -> Ordering {
        self.order.cmp(&other.order).then_with(|| natural(&self.id, &other.id)).then(self.at.cmp(&other.at))
    }
}

impl PartialOrd for Place {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Whether one sibling comes before another.
pub(crate) fn comes_before(one: &Item, other: &Item) -> bool {
    one.order.cmp(&other.order).then_with(|| natural(&one.id, &other.id)) == Ordering::Less
}

/// The name of a family: the parent's id, or nothing for the outermost items.
pub(crate) fn family_of(item: &Item) -> &str {
    item.parent.as_deref().unwrap_or("")
}

/// Compares ids as people do: numbers by value (`T9` before `T10`).
pub(crate) fn natural(one: &str, other: &str) -> Ordering {
    let (mut left, mut right) = (one.as_bytes(), other.as_bytes());
    while let (Some(&first), Some(&second)) = (left.first(), right.first()) {
        let order = if first.is_ascii_digit() && second.is_ascii_digit() {
            let (number, left_rest) = split_number(left);
            let (other_number, right_rest) = split_number(right);
            (left, right) = (left_rest, right_rest);
            number.len().cmp(&other_number.len()).then_with(|| number.cmp(other_number))
        } else {
            (left, right) = (&left[1..], &right[1..]);
            first.cmp(&second)
        };
        if order != Ordering::Equal {
            return order;
        }
    }
    left.len().cmp(&right.len()).then_with(|| one.cmp(other))
}

/// The digits at the beginning without leading zeros, and what follows them.
fn split_number(bytes: &[u8]) -> (&[u8], &[u8]) {
    let end = bytes.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(bytes.len());
    let (digits, rest) = bytes.split_at(end);
    let start = digits.iter().position(|byte| *byte != b'0').unwrap_or(digits.len());
    (&digits[start..], rest)
}

/// A short stand-in for an id (FNV-1a).
fn digest(id: &str) -> u64 {
    id.bytes().fold(0xcbf2_9ce4_8422_2325, |digest, byte| (digest ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// What an id begins with, and the number after it.
pub(crate) fn split_id(id: &str) -> Option<(&str, u64)> {
    let start = id.find(|character: char| character.is_ascii_digit())?;
    let (prefix, rest) = id.split_at(start);
    let end = rest.find(|character: char| !character.is_ascii_digit()).unwrap_or(rest.len());
    Some((prefix, rest[..end].parse().ok()?))
}

impl Index {
    pub(crate) fn of(items: &[Item]) -> Self {
        let mut index = Self::default();
        index.add(items);
        index
    }

    pub(crate) fn fits(&self, items: &[Item]) -> bool {
        !self.is_stale && self.count == items.len()
    }

    pub(crate) fn outdate(&mut self) {
        self.is_stale = true;
    }

    /// Where the item of an id is. What the index does not know is looked for one by one.
    pub(crate) fn find(&self, items: &[Item], id: &str) -> Option<usize> {
        match self.ids.get(&digest(id)) {
            Some(&at) if items.get(at).is_some_and(|item| item.id == id) => Some(at),
            _ if self.fits(items) && !self.is_ambiguous => None,
            _ => items.iter().position(|item| item.id == id),
        }
    }

    pub(crate) fn family(&self, parent: &str) -> Option<&Family> {
        self.families.get(parent)
    }

    pub(crate) fn maker(&self, output: &str) -> Option<usize> {
        self.makers(output).first().copied()
    }

    pub(crate) fn makers(&self, output: &str) -> &[usize] {
        self.makers.get(output).map_or(&[], Vec::as_slice)
    }

    /// Whether an item's output is this path or lies below it.
    pub(crate) fn is_folder(&self, path: &str) -> bool {
        let below = alloc::format!("{path}/");
        self.makers.range(below.clone()..).next().is_some_and(|(output, _)| output.starts_with(&below))
    }

    pub(crate) fn watchers(&self, maker: usize) -> &[(usize, usize)] {
        self.watchers.get(&maker).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn highest(&self, letter: &str) -> u64 {
        self.highest.get(letter).copied().unwrap_or(0)
    }

    /// Takes in the items that it does not know yet: those at the end.
    pub(crate) fn add(&mut self, items: &[Item]) {
        let from = self.count;
        for (at, item) in items.iter().enumerate().skip(from) {
            let known = *self.ids.entry(digest(&item.id)).or_insert(at);
            self.is_ambiguous |= items.get(known).is_some_and(|known| known.id != item.id);
            if !item.output.is_empty() {
                self.makers.entry(item.output.clone()).or_default().push(at);
            }
            if let Some((prefix, number)) = split_id(&item.id) {
                let highest = self.highest.entry(prefix.into()).or_default();
                *highest = number.max(*highest);
            }
            let family = self.families.entry(family_of(item).into()).or_default();
            family.all.insert(Place::of(item, at));
            if item.state == State::Pending {
                family.pending.insert(Place::of(item, at));
            }
        }
        self.count = items.len();
        // Siblings may wait for each other in any order of the list, so all of them must be known before.
        for at in from..items.len() {
            self.watch(items, at, 0);
        }
    }

    /// Takes in that an item is no longer pending.
    pub(crate) fn settled(&mut self, items: &[Item], at: usize) {
        let Some(item) = items.get(at) else { return };
        if let Some(family) = self.families.get_mut(family_of(item)) {
            let place = Place::of(item, at);
            family.pending.remove(&place);
            family.ready.remove(&place);
        }
        for (waiting, input) in self.watchers.remove(&at).unwrap_or_default() {
            self.watch(items, waiting, input);
        }
    }

    /// Lets a pending item wait for the first thing that it needs and is not there, or be ready.
    fn watch(&mut self, items: &[Item], at: usize, from: usize) {
        let Some(item) = items.get(at) else { return };
        if item.state != State::Pending {
            return;
        }
        let blocker = item.inputs.iter().enumerate().skip(from).find_map(|(input, path)| {
            let blocks = |maker: &&usize| items.get(**maker).is_some_and(|maker| blocks(maker, item));
            self.makers(path).iter().find(blocks).map(|maker| (*maker, input))
        });
        match blocker {
            Some((maker, input)) => self.watchers.entry(maker).or_default().push((at, input)),
            None => {
                if let Some(family) = self.families.get_mut(family_of(item)) {
                    family.ready.insert(Place::of(item, at));
                }
            }
        }
    }
}

/// Whether an item must be done before another: it makes what the other needs, and is an earlier sibling.
pub(crate) fn blocks(maker: &Item, item: &Item) -> bool {
    maker.state == State::Pending && maker.parent == item.parent && comes_before(maker, item)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_ordered_as_people_count() {
        for (one, other) in [("T9", "T10"), ("T09", "T10"), ("ph-2", "ph-10"), ("TT05_01", "TT05_02"), ("T05", "T05a")]
        {
            assert_eq!(natural(one, other), Ordering::Less, "{one} before {other}");
            assert_eq!(natural(other, one), Ordering::Greater, "{other} after {one}");
        }
        assert_eq!(natural("T05", "T05"), Ordering::Equal);
        assert_ne!(natural("T05", "T5"), Ordering::Equal, "two ids are never one");
    }
}
