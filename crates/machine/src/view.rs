//! A run seen through the facts that a decision has come to so far. Only what they change is copied, so that a
//! decision costs as much as it changes, whatever the size of the run. It decides nothing.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;
use alloc::vec::Vec;

use crate::apply::Board;
use crate::index::{Index, Place, blocks, family_of};
use crate::item::{Item, State};
use crate::run::{Cast, Run};

/// The run, and what became different.
#[derive(Debug)]
pub(crate) struct View<'a> {
    base: &'a Run,
    index: &'a Index,
    /// Everything but the items; the request, who works, what was learned and the definition, on which nothing
    /// rests, are left out.
    head: Run,
    changed: BTreeMap<usize, Item>,
    added: Vec<Item>,
    added_ids: BTreeMap<String, usize>,
    added_makers: BTreeMap<String, Vec<usize>>,
}

impl<'a> View<'a> {
    /// The index is the run's own, or a newer one where that does not fit.
    pub(crate) fn of(base: &'a Run, index: &'a Index) -> Self {
        let head = Run {
            id: base.id.clone(),
            protocol: String::new(),
            request: String::new(),
            mode: base.mode,
            status: base.status,
            course: base.course,
            driver: base.driver.clone(),
            cast: Cast::default(),
            paused: base.paused.clone(),
            items: Vec::new(),
            attempts: base.attempts.clone(),
            fence: base.fence,
            tries: base.tries.clone(),
            worked: base.worked.clone(),
            proposal: base.proposal.clone(),
            wishes: Vec::new(),
            questions: base.questions.clone(),
            rests: base.rests.clone(),
            budget: base.budget,
            used: base.used,
            exhausted: base.exhausted,
            failure: None,
            formats: base.formats.clone(),
            retry_of: None,
            learned: Vec::new(),
            definition: String::new(),
            started: String::new(),
            index: Index::default(),
        };
        let (changed, added) = (BTreeMap::new(), Vec::new());
        Self { base, index, head, changed, added, added_ids: BTreeMap::new(), added_makers: BTreeMap::new() }
    }

    /// The first item below another that is not done.
    pub(crate) fn first_pending(&self, parent: &str) -> Option<usize> {
        self.first_pending_where(parent, |_| true)
    }

    pub(crate) fn first_pending_where(&self, parent: &str, fits: impl Fn(&Item) -> bool) -> Option<usize> {
        let fits = |place: &&Place| self.at(place.at).is_some_and(|item| item.state == State::Pending && fits(item));
        let known = self.index.family(parent).and_then(|family| family.pending.iter().find(fits));
        let added = self.added_below(parent).map(|(at, item)| Place::of(item, at)).filter(|place| fits(&place)).min();
        known.into_iter().chain(&added).min().map(|place| place.at)
    }

    /// Those below one that could begin, the first ones first, without those that are `busy`: at most so many.
    pub(crate) fn ready(&self, parent: &str, most: usize, busy: &BTreeSet<String>) -> Vec<usize> {
        let is_idle = |at: usize| {
            self.at(at).is_some_and(|item| item.state == State::Pending && !busy.contains(item.id.as_str()))
        };
        let known = self.index.family(parent).into_iter().flat_map(|family| &family.ready);
        let mut places: Vec<Place> = known.filter(|place| is_idle(place.at)).take(most).cloned().collect();
        let released = self.released().filter(|(_, item)| family_of(item) == parent);
        let added = self.added_below(parent).filter(|(_, item)| !self.is_blocked(item, 0));
        let fresh = released.chain(added).filter(|(at, _)| is_idle(*at)).map(|(at, item)| Place::of(item, at));
        places.extend(fresh);
        places.sort_unstable();
        places.dedup_by_key(|place| place.at);
        places.truncate(most);
        places.into_iter().map(|place| place.at).collect()
    }

    /// All items below one, in order.
    pub(crate) fn children(&self, parent: &str) -> impl Iterator<Item = &Item> {
        let known = self.index.family(parent).into_iter().flat_map(|family| &family.all);
        let mut added: Vec<(usize, &Item)> = self.added_below(parent).collect();
        added.sort_by(|one, other| Place::of(one.1, one.0).cmp(&Place::of(other.1, other.0)));
        known.filter_map(|place| self.at(place.at)).chain(added.into_iter().map(|(_, item)| item))
    }

    /// Every item.
    pub(crate) fn items(&self) -> impl Iterator<Item = &Item> {
        (0..self.base.items.len() + self.added.len()).filter_map(|at| self.at(at))
    }

    fn added_below(&self, parent: &str) -> impl Iterator<Item = (usize, &Item)> {
        let from = self.base.items.len();
        let numbered = self.added.iter().enumerate().map(move |(place, item)| (from + place, item));
        numbered.filter(move |(_, item)| family_of(item) == parent)
    }

    /// Those that waited for nothing but what was done in this decision.
    fn released(&self) -> impl Iterator<Item = (usize, &Item)> {
        let done = self.changed.iter().filter(|(_, item)| item.state != State::Pending);
        let waiting = done.flat_map(|(at, _)| self.index.watchers(*at));
        let free = waiting.filter(|(at, input)| self.at(*at).is_some_and(|item| !self.is_blocked(item, *input)));
        free.filter_map(|(at, _)| Some((*at, self.at(*at)?)))
    }

    fn is_blocked(&self, item: &Item, from: usize) -> bool {
        item.inputs.iter().skip(from).any(|path| {
            let added = self.added_makers.get(path);
            let mut makers = self.index.makers(path).iter().chain(added.into_iter().flatten());
            makers.any(|maker| self.at(*maker).is_some_and(|maker| blocks(maker, item)))
        })
    }

    fn changeable(&mut self, at: usize) -> Option<&mut Item> {
        let known = self.base.items.len();
        if at >= known {
            return self.added.get_mut(at - known);
        }
        let base = self.base.items.get(at)?;
        Some(self.changed.entry(at).or_insert_with(|| base.clone()))
    }
}

impl Board for View<'_> {
    fn head(&self) -> &Run {
        &self.head
    }

    fn head_mut(&mut self) -> &mut Run {
        &mut self.head
    }

    fn find(&self, id: &str) -> Option<usize> {
        self.index.find(&self.base.items, id).or_else(|| self.added_ids.get(id).copied())
    }

    fn at(&self, at: usize) -> Option<&Item> {
        match at.checked_sub(self.base.items.len()) {
            Some(place) => self.added.get(place),
            None => self.changed.get(&at).or_else(|| self.base.items.get(at)),
        }
    }

    fn mark(&mut self, at: usize, mark: impl FnOnce(&mut Item)) {
        if let Some(item) = self.changeable(at) {
            mark(item);
        }
    }

    fn settle(&mut self, at: usize, state: State) {
        if self.at(at).is_some_and(|item| item.state == State::Pending)
            && let Some(item) = self.changeable(at)
        {
            item.state = state;
        }
    }

    fn add(&mut self, items: Vec<Item>) {
        for item in items {
            let at = self.base.items.len() + self.added.len();
            self.added_ids.insert(item.id.clone(), at);
            if !item.output.is_empty() {
                self.added_makers.entry(item.output.clone()).or_default().push(at);
            }
            self.added.push(item);
        }
    }

    fn has_outermost(&self) -> bool {
        self.index.family("").is_some() || self.added_below("").next().is_some()
    }
}
