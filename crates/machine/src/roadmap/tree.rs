//! An ordered map whose versions share what they have in common: a copy costs nothing, a change costs the way from the
//! root. So a decision can see the session with its own facts in it, however many items there are, and leave the session
//! that it was made on as it was. Knows nothing of roadmaps.

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::borrow::Borrow;
use core::cmp::Ordering;
use core::fmt;
use core::marker::PhantomData;

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// An ordered map. Two are equal when they hold the same, whatever their shape.
pub struct Tree<K, V> {
    root: Link<K, V>,
}

type Link<K, V> = Option<Arc<Node<K, V>>>;

#[derive(Clone)]
struct Node<K, V> {
    key: K,
    value: V,
    size: usize,
    left: Link<K, V>,
    right: Link<K, V>,
}

/// How much heavier one side may be than the other, and when a single turn is enough to mend it. With these two, trees
/// stay balanced under any insertions and removals.
const DELTA: usize = 3;
const RATIO: usize = 2;

impl<K, V> Tree<K, V> {
    /// An empty one.
    pub const fn new() -> Self {
        Self { root: None }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        size(&self.root)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.root.is_none()
    }

    /// All, in order.
    pub fn iter(&self) -> Iter<'_, K, V> {
        let mut iter = Iter { path: Vec::new() };
        iter.descend(&self.root);
        iter
    }

    /// The first.
    pub fn first(&self) -> Option<(&K, &V)> {
        let mut node = self.root.as_deref()?;
        while let Some(left) = node.left.as_deref() {
            visited();
            node = left;
        }
        visited();
        Some((&node.key, &node.value))
    }

    /// The last.
    pub fn last(&self) -> Option<(&K, &V)> {
        let mut node = self.root.as_deref()?;
        while let Some(right) = node.right.as_deref() {
            visited();
            node = right;
        }
        visited();
        Some((&node.key, &node.value))
    }
}

impl<K: Ord, V> Tree<K, V> {
    /// What stands under a key.
    pub fn get<Q: Ord + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        let mut next = self.root.as_deref();
        while let Some(node) = next {
            visited();
            next = match key.cmp(node.key.borrow()) {
                Ordering::Less => node.left.as_deref(),
                Ordering::Greater => node.right.as_deref(),
                Ordering::Equal => return Some(&node.value),
            };
        }
        None
    }

    /// Whether there is something under a key.
    pub fn contains<Q: Ord + ?Sized>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.get(key).is_some()
    }

    /// All from a key on, in order: it and those behind it.
    pub fn from<Q: Ord + ?Sized>(&self, key: &Q) -> Iter<'_, K, V>
    where
        K: Borrow<Q>,
    {
        let mut path = Vec::new();
        let mut next = self.root.as_deref();
        while let Some(node) = next {
            visited();
            next = match key.cmp(node.key.borrow()) {
                Ordering::Greater => node.right.as_deref(),
                Ordering::Less => {
                    path.push(node);
                    node.left.as_deref()
                }
                Ordering::Equal => {
                    path.push(node);
                    None
                }
            };
        }
        Iter { path }
    }

    /// The nearest before a key.
    pub fn before<Q: Ord + ?Sized>(&self, key: &Q) -> Option<(&K, &V)>
    where
        K: Borrow<Q>,
    {
        let (mut next, mut best) = (self.root.as_deref(), None);
        while let Some(node) = next {
            visited();
            if node.key.borrow() < key {
                best = Some((&node.key, &node.value));
                next = node.right.as_deref();
            } else {
                next = node.left.as_deref();
            }
        }
        best
    }
}

impl<K: Ord + Clone, V: Clone> Tree<K, V> {
    /// Puts something under a key; gives what was there.
    pub(super) fn insert(&mut self, key: K, value: V) -> Option<V> {
        insert(&mut self.root, key, value)
    }

    /// Takes away what is under a key.
    pub(super) fn remove<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        // A copy of the way is made only if there is something at its end.
        if !self.contains(key) {
            return None;
        }
        remove(&mut self.root, key)
    }

    /// What stands under a key, to be changed in this version.
    pub(super) fn at_mut<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
    {
        if !self.contains(key) {
            return None;
        }
        let mut link = &mut self.root;
        while let Some(node) = link {
            visited();
            let node = Arc::make_mut(node);
            link = match key.cmp(node.key.borrow()) {
                Ordering::Less => &mut node.left,
                Ordering::Greater => &mut node.right,
                Ordering::Equal => return Some(&mut node.value),
            };
        }
        None
    }
}

fn size<K, V>(link: &Link<K, V>) -> usize {
    link.as_ref().map_or(0, |node| node.size)
}

fn insert<K: Ord + Clone, V: Clone>(link: &mut Link<K, V>, key: K, value: V) -> Option<V> {
    let Some(node) = link else {
        *link = Some(Arc::new(Node { key, value, size: 1, left: None, right: None }));
        return None;
    };
    visited();
    let node = Arc::make_mut(node);
    let old = match key.cmp(&node.key) {
        Ordering::Less => insert(&mut node.left, key, value),
        Ordering::Greater => insert(&mut node.right, key, value),
        Ordering::Equal => return Some(core::mem::replace(&mut node.value, value)),
    };
    settle(link);
    old
}

fn remove<K: Ord + Clone + Borrow<Q>, V: Clone, Q: Ord + ?Sized>(link: &mut Link<K, V>, key: &Q) -> Option<V> {
    visited();
    let node = Arc::make_mut(link.as_mut()?);
    let old = match key.cmp(node.key.borrow()) {
        Ordering::Less => remove(&mut node.left, key),
        Ordering::Greater => remove(&mut node.right, key),
        Ordering::Equal => {
            let (left, right) = (node.left.take(), node.right.take());
            let (joined, old) = match (left, right) {
                (None, other) | (other, None) => (other, node.value.clone()),
                (left, mut right) => {
                    let old = node.value.clone();
                    let first = take_first(&mut right);
                    (first.map(|(key, value)| Arc::new(Node { key, value, size: 0, left, right })), old)
                }
            };
            *link = joined;
            Some(old)
        }
    };
    settle(link);
    old
}

/// Takes the first of a tree away.
fn take_first<K: Ord + Clone, V: Clone>(link: &mut Link<K, V>) -> Option<(K, V)> {
    visited();
    let node = Arc::make_mut(link.as_mut()?);
    if node.left.is_some() {
        let first = take_first(&mut node.left);
        settle(link);
        return first;
    }
    let first = (node.key.clone(), node.value.clone());
    let right = node.right.take();
    *link = right;
    Some(first)
}

/// Counts again, and turns what became too heavy on one side.
fn settle<K: Clone, V: Clone>(link: &mut Link<K, V>) {
    let Some(node) = link else { return };
    let node = Arc::make_mut(node);
    let (left, right) = (size(&node.left), size(&node.right));
    node.size = left + right + 1;
    if left + right < 2 {
        return;
    }
    if right > DELTA * left {
        if node.right.as_ref().is_some_and(|right| size(&right.left) >= RATIO * size(&right.right)) {
            turn_right(&mut node.right);
        }
        turn_left(link);
    } else if left > DELTA * right {
        if node.left.as_ref().is_some_and(|left| size(&left.right) >= RATIO * size(&left.left)) {
            turn_left(&mut node.left);
        }
        turn_right(link);
    }
}

/// The right child becomes the parent.
fn turn_left<K: Clone, V: Clone>(link: &mut Link<K, V>) {
    let Some(mut low) = link.take() else { return };
    let node = Arc::make_mut(&mut low);
    let Some(mut high) = node.right.take() else {
        *link = Some(low);
        return;
    };
    let top = Arc::make_mut(&mut high);
    node.right = top.left.take();
    node.size = size(&node.left) + size(&node.right) + 1;
    top.left = Some(low);
    top.size = size(&top.left) + size(&top.right) + 1;
    *link = Some(high);
}

/// The left child becomes the parent.
fn turn_right<K: Clone, V: Clone>(link: &mut Link<K, V>) {
    let Some(mut low) = link.take() else { return };
    let node = Arc::make_mut(&mut low);
    let Some(mut high) = node.left.take() else {
        *link = Some(low);
        return;
    };
    let top = Arc::make_mut(&mut high);
    node.left = top.right.take();
    node.size = size(&node.left) + size(&node.right) + 1;
    top.right = Some(low);
    top.size = size(&top.left) + size(&top.right) + 1;
    *link = Some(high);
}

/// What is in a tree, in order.
pub struct Iter<'t, K, V> {
    /// Nodes that are to come, the next one last; what is right of them comes after them.
    path: Vec<&'t Node<K, V>>,
}

impl<'t, K, V> Iter<'t, K, V> {
    fn descend(&mut self, link: &'t Link<K, V>) {
        let mut next = link.as_deref();
        while let Some(node) = next {
            self.path.push(node);
            next = node.left.as_deref();
        }
    }
}

impl<'t, K, V> Iterator for Iter<'t, K, V> {
    type Item = (&'t K, &'t V);

    fn next(&mut self) -> Option<Self::Item> {
        visited();
        let node = self.path.pop()?;
        self.descend(&node.right);
        Some((&node.key, &node.value))
    }
}

impl<K, V> Clone for Tree<K, V> {
    fn clone(&self) -> Self {
        Self { root: self.root.clone() }
    }
}

impl<K, V> Default for Tree<K, V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K: PartialEq, V: PartialEq> PartialEq for Tree<K, V> {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().eq(other.iter())
    }
}

impl<K: Eq, V: Eq> Eq for Tree<K, V> {}

impl<K: fmt::Debug, V: fmt::Debug> fmt::Debug for Tree<K, V> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_map().entries(self.iter()).finish()
    }
}

impl<K, V> fmt::Debug for Iter<'_, K, V> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Iter").finish_non_exhaustive()
    }
}

impl<'t, K, V> IntoIterator for &'t Tree<K, V> {
    type Item = (&'t K, &'t V);
    type IntoIter = Iter<'t, K, V>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<K: Ord + Clone, V: Clone> FromIterator<(K, V)> for Tree<K, V> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Self {
        let mut tree = Self::new();
        for (key, value) in entries {
            tree.insert(key, value);
        }
        tree
    }
}

impl<K: Serialize, V: Serialize> Serialize for Tree<K, V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

impl<'de, K: Ord + Clone + Deserialize<'de>, V: Clone + Deserialize<'de>> Deserialize<'de> for Tree<K, V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Entries<K, V>(PhantomData<(K, V)>);
        impl<'de, K: Ord + Clone + Deserialize<'de>, V: Clone + Deserialize<'de>> Visitor<'de> for Entries<K, V> {
            type Value = Tree<K, V>;

            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("a map")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
                let mut tree = Tree::new();
                while let Some((key, value)) = map.next_entry()? {
                    tree.insert(key, value);
                }
                Ok(tree)
            }
        }
        deserializer.deserialize_map(Entries(PhantomData))
    }
}

/// Counts the nodes that were looked at, for tests that show what a step costs.
#[cfg(test)]
fn visited() {
    count::visited();
}

#[cfg(not(test))]
#[inline(always)]
fn visited() {}

#[cfg(test)]
pub(super) mod count {
    extern crate std;
    use core::cell::Cell;

    std::thread_local! {
        static VISITED: Cell<u64> = const { Cell::new(0) };
    }

    pub(in crate::roadmap) fn visited() {
        VISITED.with(|count| count.set(count.get() + 1));
    }

    /// How many nodes this thread looked at so far.
    pub(in crate::roadmap) fn so_far() -> u64 {
        VISITED.with(Cell::get)
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use std::collections::BTreeMap;
    use std::vec::Vec;

    fn depth<K, V>(link: &Link<K, V>) -> usize {
        link.as_ref().map_or(0, |node| 1 + depth(&node.left).max(depth(&node.right)))
    }

    fn check<K: Ord + Clone + fmt::Debug, V: Clone + PartialEq + fmt::Debug>(
        tree: &Tree<K, V>,
        model: &BTreeMap<K, V>,
    ) {
        assert!(tree.iter().eq(model.iter()), "{tree:?} is not {model:?}");
        assert_eq!(tree.len(), model.len());
        assert_eq!(tree.first(), model.iter().next());
        assert_eq!(tree.last(), model.iter().next_back());
        let most = 2 * (usize::BITS - tree.len().leading_zeros()) as usize + 1;
        assert!(depth(&tree.root) <= most, "{} deep with {} entries", depth(&tree.root), tree.len());
    }

    /// Against a map that is known to be right, with every version kept and looked at again.
    #[test]
    fn as_a_map_and_versions_stay() {
        for seed in 1..20_u64 {
            let (mut state, mut tree, mut model) = (seed, Tree::new(), BTreeMap::new());
            let mut versions = Vec::new();
            for step in 0..600 {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let key = u32::try_from((state >> 33) % 200).unwrap();
                match state >> 61 {
                    0..3 => assert_eq!(tree.remove(&key), model.remove(&key)),
                    3 => assert_eq!(
                        tree.at_mut(&key).map(|value| *value += 1),
                        model.get_mut(&key).map(|value| *value += 1)
                    ),
                    _ => assert_eq!(tree.insert(key, step), model.insert(key, step)),
                }
                assert_eq!(tree.get(&key), model.get(&key));
                assert_eq!(tree.before(&key), model.range(..key).next_back());
                assert!(tree.from(&key).eq(model.range(key..)));
                if step % 50 == 0 {
                    versions.push((tree.clone(), model.clone()));
                }
            }
            check(&tree, &model);
            for (tree, model) in &versions {
                check(tree, model);
            }
        }
    }

    /// In order, the worst there is for a tree that is not balanced.
    #[test]
    fn in_order_and_backwards() {
        let mut tree: Tree<u32, ()> = (0..10_000).map(|key| (key, ())).collect();
        assert!(depth(&tree.root) < 30);
        for key in 0..9_990 {
            tree.remove(&key);
        }
        check(&tree, &(9_990..10_000).map(|key| (key, ())).collect());
    }

    /// A change looks at the way from the root, and at nothing else.
    #[test]
    fn a_change_costs_its_way() {
        let tree: Tree<u32, u32> = (0..100_000).map(|key| (key, key)).collect();
        let before = count::so_far();
        let mut next = tree.clone();
        next.insert(5, 0);
        next.remove(&70_000);
        let _ = (next.get(&6), next.from(&99_000).next(), next.before(&50), next.first(), next.last());
        assert!(count::so_far() - before < 400, "{} nodes", count::so_far() - before);
        assert_eq!(tree.get(&5), Some(&5), "the version before is as it was");
    }
}
