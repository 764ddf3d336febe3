//! Things by path: found at once, as every step looks for several of thousands, and told in order. Must not know what
//! the things are.

use std::collections::{BTreeSet, HashMap};
use std::ops::Index;

use crate::path::ProjectPath;

/// One thing for each path.
#[derive(Debug)]
pub(crate) struct ByPath<T> {
    things: HashMap<ProjectPath, T, foldhash::fast::RandomState>,
    /// The same paths.
    order: BTreeSet<ProjectPath>,
}

impl<T> Default for ByPath<T> {
    fn default() -> Self {
        Self { things: HashMap::default(), order: BTreeSet::new() }
    }
}

impl<T> ByPath<T> {
    pub(crate) fn len(&self) -> usize {
        self.things.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.things.is_empty()
    }

    pub(crate) fn contains_key(&self, path: &ProjectPath) -> bool {
        self.things.contains_key(path)
    }

    pub(crate) fn get(&self, path: &ProjectPath) -> Option<&T> {
        self.things.get(path)
    }

    /// The same by the text of a path, which is given as it is kept.
    pub(crate) fn named(&self, path: &str) -> Option<(&ProjectPath, &T)> {
        self.things.get_key_value(path)
    }

    pub(crate) fn one_mut(&mut self, path: &ProjectPath) -> Option<&mut T> {
        self.things.get_mut(path)
    }

    /// The thing of a path, made if there is none.
    pub(crate) fn one_or_default(&mut self, path: &ProjectPath) -> &mut T
    where
        T: Default,
    {
        if !self.things.contains_key(path) {
            self.order.insert(path.clone());
        }
        self.things.entry(path.clone()).or_default()
    }

    pub(crate) fn insert(&mut self, path: ProjectPath, thing: T) {
        if self.things.insert(path.clone(), thing).is_none() {
            self.order.insert(path);
        }
    }

    pub(crate) fn remove(&mut self, path: &ProjectPath) {
        if self.things.remove(path).is_some() {
            self.order.remove(path);
        }
    }

    /// Keeps those for which `keep` says so; it is asked in no order.
    pub(crate) fn retain(&mut self, mut keep: impl FnMut(&ProjectPath, &mut T) -> bool) {
        let order = &mut self.order;
        self.things.retain(|path, thing| {
            let kept = keep(path, thing);
            if !kept {
                order.remove(path);
            }
            kept
        });
    }

    /// All things, in no order.
    pub(crate) fn values_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.things.values_mut()
    }

    /// The paths, in order.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &ProjectPath> {
        self.order.iter()
    }

    /// All of them, in the order of their paths.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&ProjectPath, &T)> {
        self.order.iter().filter_map(|path| Some((path, self.things.get(path)?)))
    }

    /// The paths from one on, in order.
    pub(crate) fn keys_from(&self, path: &ProjectPath) -> impl Iterator<Item = &ProjectPath> {
        self.order.range(path.clone()..)
    }
}

impl<T> Index<&ProjectPath> for ByPath<T> {
    type Output = T;

    fn index(&self, path: &ProjectPath) -> &T {
        &self.things[path]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(name: &str) -> ProjectPath {
        ProjectPath::any(name).unwrap()
    }

    #[test]
    fn what_is_found_is_told_in_order() {
        let mut all: ByPath<u32> = ByPath::default();
        for (number, name) in ["c", "a", "b/x", "b", "d"].into_iter().enumerate() {
            all.insert(path(name), u32::try_from(number).unwrap());
        }
        all.insert(path("a"), 7);
        *all.one_or_default(&path("e")) += 5;
        *all.one_or_default(&path("c")) += 10;
        all.remove(&path("d"));
        all.remove(&path("never"));
        let told: Vec<(&str, u32)> = all.iter().map(|(path, number)| (path.as_str(), *number)).collect();
        assert_eq!(told, [("a", 7), ("b", 3), ("b/x", 2), ("c", 10), ("e", 5)]);
        let later: Vec<&str> = all.keys_from(&path("b/a")).map(ProjectPath::as_str).collect();
        assert_eq!(later, ["b/x", "c", "e"]);
        all.retain(|path, number| path.as_str() != "b" && *number != 5);
        assert_eq!(all.keys().map(ProjectPath::as_str).collect::<Vec<_>>(), ["a", "b/x", "c"]);
        assert_eq!((all.len(), all.get(&path("e")), all.is_empty()), (3, None, false));
    }
}
