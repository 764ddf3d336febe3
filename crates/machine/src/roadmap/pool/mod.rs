//! The items of a roadmap in their order, and all that follows from them: what is free, what waits for what, what is
//! blocked, what is claimed, how many there are of each. Kept up to date with every change, so that no decision looks at
//! all items. Decides nothing.

mod audit;

use alloc::collections::BTreeSet;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::roadmap::claims::{self, InUse};
use crate::roadmap::item::{Group, Item, Rest, Spot};
use crate::roadmap::label::Label;
use crate::roadmap::tree::Tree;
use crate::roadmap::words::Status;

/// Items and groups.
#[derive(Debug, Clone, Default)]
pub struct Pool {
    slots: Tree<Key, Arc<Slot>>,
    order: Tree<Label, Key>,
    groups: Tree<Key, Arc<Held>>,
    group_order: Tree<u64, Key>,
    /// The items of each group, those of groups in it included.
    members: Tree<(Key, Label), Key>,
    /// Who depends on what: on a key, whether or not it is there.
    dependents: Tree<(Key, Key), ()>,
    /// What can be taken, in order; of those that claim the same files, the first.
    free: Tree<Label, Key>,
    /// What can be taken and claims files, by these.
    claimants: Tree<(Key, Label), Key>,
    /// What failed or is blocked: those that were planned around least come first.
    troubled: Tree<(u32, Label), Key>,
    /// What may not be tried yet, by when it may.
    resting: Tree<(Key, Key), ()>,
    in_use: InUse,
    counts: Counts,
}

pub(in crate::roadmap) type Key = Arc<str>;

#[derive(Debug, Clone)]
struct Slot {
    item: Item,
    label: Label,
    /// The claims as they are compared, and all of them in one text.
    claims: Vec<String>,
    signature: Key,
    /// How many of its dependencies are not completed.
    open: usize,
}

#[derive(Debug, Clone)]
struct Held {
    group: Group,
    sequence: u64,
    counts: Counts,
}

/// How many items there are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Nobody has them.
    pub pending: usize,
    /// Somebody has them.
    pub locked: usize,
    /// Done.
    pub completed: usize,
    /// Failed.
    pub failed: usize,
    /// Taken out.
    pub cancelled: usize,
}

/// How deep groups may stand in each other; what is deeper counts for the first ones.
const DEEPEST: usize = 64;

impl Counts {
    /// All.
    pub fn all(&self) -> usize {
        self.effective() + self.cancelled
    }

    /// Those that are not taken out.
    pub fn effective(&self) -> usize {
        self.pending + self.locked + self.completed + self.failed
    }

    /// Whether all effective ones are completed.
    pub fn is_complete(&self) -> bool {
        self.effective() == self.completed
    }

    /// From 0 to 100; 100 only when all is completed, and never without an item.
    pub fn progress(&self) -> u8 {
        if self.all() == 0 {
            return 0;
        }
        match self.effective() {
            0 => 100,
            effective => u8::try_from(self.completed * 100 / effective).unwrap_or(100),
        }
    }

    fn of(&mut self, status: Status) -> &mut usize {
        match status {
            Status::Pending => &mut self.pending,
            Status::Locked => &mut self.locked,
            Status::Completed => &mut self.completed,
            Status::Failed => &mut self.failed,
            Status::Cancelled => &mut self.cancelled,
        }
    }
}

/// Looking.
impl Pool {
    /// How many items there are.
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Whether there is no item.
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// An item.
    pub fn item(&self, key: &str) -> Option<&Item> {
        Some(&self.slots.get(key)?.item)
    }

    /// All items, in order.
    pub fn items(&self) -> impl Iterator<Item = &Item> {
        self.order.iter().filter_map(|(_, key)| self.item(key))
    }

    /// The item before another in the order.
    pub fn before(&self, key: &str) -> Option<&Item> {
        let slot = self.slots.get(key)?;
        self.item(self.order.before(&slot.label)?.1)
    }

    /// The item after another in the order.
    pub fn after(&self, key: &str) -> Option<&Item> {
        let slot = self.slots.get(key)?;
        self.item(self.order.from(&slot.label).nth(1)?.1)
    }

    /// The last item.
    pub fn last(&self) -> Option<&Item> {
        self.item(self.order.last()?.1)
    }

    /// The last item of a group and of those in it.
    pub fn last_of(&self, group: &str) -> Option<&Item> {
        let end = (Key::from(group), Label::highest());
        let ((found, _), key) = self.members.before(&end)?;
        (&**found == group).then(|| self.item(key)).flatten()
    }

    /// A group.
    pub fn group(&self, key: &str) -> Option<&Group> {
        Some(&self.groups.get(key)?.group)
    }

    /// All groups, in order; each after the one it stands in.
    pub fn groups(&self) -> impl Iterator<Item = &Group> {
        self.group_order.iter().filter_map(|(_, key)| self.group(key))
    }

    /// The items of a group and of those in it.
    pub fn counts_of(&self, group: &str) -> Option<Counts> {
        Some(self.groups.get(group)?.counts)
    }

    /// Whether a group's box is ticked: it has effective items, and all of them are completed (RM-19).
    pub fn is_ticked(&self, group: &str) -> bool {
        self.counts_of(group).is_some_and(|counts| counts.effective() > 0 && counts.is_complete())
    }

    /// A group and those that it stands in, the nearest first.
    pub fn ancestors<'p>(&'p self, group: Option<&'p str>) -> impl Iterator<Item = &'p Group> {
        let first = group.and_then(|group| self.group(group));
        core::iter::successors(first, |group| self.group(group.parent.as_deref()?)).take(DEEPEST)
    }

    /// How many items there are.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// Items that depend on a key, whether or not it is there.
    pub fn dependents<'p>(&'p self, key: &str) -> impl Iterator<Item = &'p Item> {
        let start = (Key::from(key), Key::from(""));
        let on = start.0.clone();
        let all = self.dependents.from(&start).take_while(move |((key, _), ())| *key == on);
        all.filter_map(|((_, dependent), ())| self.item(dependent))
    }

    /// Whether something can be taken, looking at so many.
    pub fn selected(&self, looked_at: usize) -> Option<&Item> {
        let slots = self.free.iter().take(looked_at).filter_map(|(_, key)| self.slots.get(key));
        slots.into_iter().find(|slot| claims::clash(&self.in_use, &slot.claims).is_none()).map(|slot| &slot.item)
    }

    /// The claim that keeps an item from being taken now: somebody has a file that it wants.
    pub fn clash_of(&self, key: &str) -> Option<&str> {
        claims::clash(&self.in_use, &self.slots.get(key)?.claims)
    }

    /// Whether an item could be taken if nobody had the files it claims.
    pub fn is_ready(&self, key: &str) -> bool {
        self.slots.get(key).is_some_and(|slot| slot.is_ready())
    }

    /// What failed or is blocked and was planned around least.
    pub fn troubled(&self) -> Option<&Item> {
        self.item(self.troubled.first()?.1)
    }

    /// The rest that ends first.
    pub fn first_rest(&self) -> Option<&Rest> {
        self.item(self.first_resting()?)?.rest.as_ref()
    }

    pub(in crate::roadmap) fn first_resting(&self) -> Option<&str> {
        let ((_, key), ()) = self.resting.first()?;
        Some(key)
    }
}

/// Changing.
impl Pool {
    /// Puts an item in; one with the same key is replaced. A group that is not there is none.
    pub(in crate::roadmap) fn add(&mut self, mut item: Item, spot: &Spot) {
        self.drop_item(&item.key);
        item.group = item.group.filter(|group| self.groups.contains(group.as_str()));
        let label = self.label_at(spot);
        let key: Key = item.key.as_str().into();
        self.order.insert(label.clone(), key.clone());
        self.place_in_groups(item.group.as_deref(), &label, &key);
        self.depend(&item.depends_on, &key);
        let slot = Slot::new(item, label);
        self.slots.insert(key.clone(), Arc::new(slot));
        self.list(&key);
        self.relist_dependents(&key);
    }

    /// Takes an item out.
    pub(in crate::roadmap) fn drop_item(&mut self, key: &str) {
        self.unlist(key);
        let Some(slot) = self.slots.remove(key) else { return };
        let key: Key = key.into();
        self.order.remove(&slot.label);
        self.remove_from_groups(&slot);
        self.undepend(&slot.item.depends_on, &key);
        self.relist_dependents(&key);
    }

    /// Changes an item in place; its key, its group and its dependencies stay.
    pub(in crate::roadmap) fn change(&mut self, key: &str, change: impl FnOnce(&mut Item)) {
        let Some(was) = self.item(key).map(|item| item.status) else { return };
        self.unlist(key);
        if let Some(slot) = self.slots.at_mut(key) {
            let slot = Arc::make_mut(slot);
            change(&mut slot.item);
        }
        self.list(key);
        let is = self.item(key).map_or(was, |item| item.status);
        if (was == Status::Completed) != (is == Status::Completed) {
            self.relist_dependents(key);
        }
    }

    pub(in crate::roadmap) fn set_dependencies(&mut self, key: &str, depends_on: &[String]) {
        let Some(slot) = self.slots.get(key).cloned() else { return };
        let own: Key = key.into();
        self.undepend(&slot.item.depends_on, &own);
        self.depend(depends_on, &own);
        self.change(key, |item| item.depends_on = depends_on.to_vec());
    }

    pub(in crate::roadmap) fn set_claims(&mut self, key: &str, claims: &[String]) {
        self.unlist(key);
        if let Some(slot) = self.slots.at_mut(key) {
            let slot = Arc::make_mut(slot);
            slot.item.claims = claims.to_vec();
            *slot = Slot::new(slot.item.clone(), slot.label.clone());
        }
        self.list(key);
    }

    /// Another place in the order, and another group.
    pub(in crate::roadmap) fn reorder(&mut self, key: &str, spot: &Spot, group: Option<String>) {
        if matches!(spot, Spot::After(other) if other == key) {
            return;
        }
        let Some(slot) = self.slots.get(key).cloned() else { return };
        let group = group.filter(|group| self.groups.contains(group.as_str()));
        self.unlist(key);
        self.order.remove(&slot.label);
        self.remove_from_groups(&slot);
        let (label, key) = (self.label_at(spot), Key::from(key));
        self.order.insert(label.clone(), key.clone());
        self.place_in_groups(group.as_deref(), &label, &key);
        if let Some(slot) = self.slots.at_mut(&*key) {
            let slot = Arc::make_mut(slot);
            slot.label = label;
            slot.item.group = group;
        }
        self.list(&key);
    }

    /// A group is there, or is different. One that stands elsewhere moves all that it holds.
    pub(in crate::roadmap) fn set_group(&mut self, group: &Group) {
        let Some(held) = self.groups.at_mut(group.key.as_str()) else {
            let parent = group.parent.clone().filter(|parent| self.groups.contains(parent.as_str()));
            return self.add_group(Group { parent, ..group.clone() });
        };
        let held = Arc::make_mut(held);
        let is_moved = held.group.parent != group.parent;
        held.group = group.clone();
        if is_moved {
            self.rebuild_with(|_| {});
        }
    }

    fn add_group(&mut self, group: Group) {
        let key: Key = group.key.as_str().into();
        let sequence = self.group_order.last().map_or(0, |(last, _)| last.saturating_add(1));
        self.group_order.insert(sequence, key.clone());
        self.groups.insert(key, Arc::new(Held { group, sequence, counts: Counts::default() }));
    }

    /// A group is gone; what it held stands where it stood.
    pub(in crate::roadmap) fn drop_group(&mut self, key: &str) {
        let Some(held) = self.groups.remove(key) else { return };
        self.group_order.remove(&held.sequence);
        let parent = &held.group.parent;
        let within: Vec<Key> =
            self.groups().filter(|one| one.parent.as_deref() == Some(key)).map(|one| one.key.as_str().into()).collect();
        for group in within {
            if let Some(held) = self.groups.at_mut(&*group) {
                Arc::make_mut(held).group.parent.clone_from(parent);
            }
        }
        self.rebuild_with(|item| {
            if item.group.as_deref() == Some(key) {
                item.group.clone_from(parent);
            }
        });
    }

    /// Changes every item, and derives everything anew. For what happens once in a period, or by a person's hand.
    pub(in crate::roadmap) fn rebuild_with(&mut self, mut change: impl FnMut(&mut Item)) {
        let mut items: Vec<Item> = self.items().cloned().collect();
        items.iter_mut().for_each(&mut change);
        let groups: Vec<Group> = self.groups().cloned().collect();
        *self = Self::of(groups, items);
    }

    fn of(groups: Vec<Group>, items: Vec<Item>) -> Self {
        let mut pool = Self::default();
        for group in arranged(groups) {
            pool.add_group(group);
        }
        for item in items {
            pool.add(item, &Spot::Last);
        }
        pool
    }

    fn label_at(&self, spot: &Spot) -> Label {
        let after = match spot {
            Spot::First => return Label::between(None, self.order.first().map(|(label, _)| label)),
            Spot::After(key) => self.slots.get(key.as_str()).map(|slot| &slot.label),
            Spot::Last => None,
        };
        match after {
            Some(label) => Label::between(Some(label), self.order.from(label).nth(1).map(|(next, _)| next)),
            None => Label::between(self.order.last().map(|(label, _)| label), None),
        }
    }

    fn place_in_groups(&mut self, group: Option<&str>, label: &Label, key: &Key) {
        let groups: Vec<Key> = self.ancestors(group).map(|group| group.key.as_str().into()).collect();
        for group in groups {
            self.members.insert((group, label.clone()), key.clone());
        }
    }

    fn remove_from_groups(&mut self, slot: &Slot) {
        let groups: Vec<Key> =
            self.ancestors(slot.item.group.as_deref()).map(|group| group.key.as_str().into()).collect();
        for group in groups {
            self.members.remove(&(group, slot.label.clone()));
        }
    }

    fn depend(&mut self, depends_on: &[String], key: &Key) {
        for on in depends_on {
            self.dependents.insert((on.as_str().into(), key.clone()), ());
        }
    }

    fn undepend(&mut self, depends_on: &[String], key: &Key) {
        for on in depends_on {
            self.dependents.remove(&(on.as_str().into(), key.clone()));
        }
    }

    /// What depends on a key that came, went, or was completed is looked at again.
    fn relist_dependents(&mut self, key: &str) {
        let dependents: Vec<String> = self.dependents(key).map(|item| item.key.clone()).collect();
        for dependent in dependents {
            self.unlist(&dependent);
            self.list(&dependent);
        }
    }

    /// Takes an item out of all that follows from it.
    fn unlist(&mut self, key: &str) {
        let Some(slot) = self.slots.get(key).cloned() else { return };
        self.count(&slot, |count| *count = count.saturating_sub(1));
        if slot.is_ready() {
            self.unready(&slot);
        }
        if slot.is_troubled() {
            self.troubled.remove(&(slot.item.replanned, slot.label.clone()));
        }
        if let Some(rest) = &slot.item.rest {
            self.resting.remove(&(Key::from(rest.until.as_str()), Key::from(key)));
        }
        if slot.item.status == Status::Locked {
            claims::give_back(&mut self.in_use, &slot.claims);
        }
    }

    /// Enters an item into all that follows from it.
    fn list(&mut self, key: &str) {
        let Some(found) = self.slots.get(key) else { return };
        let mut slot = found.clone();
        let open = slot.item.depends_on.iter().filter(|on| !self.is_completed(on)).count();
        if open != slot.open {
            Arc::make_mut(&mut slot).open = open;
            self.slots.insert(key.into(), slot.clone());
        }
        self.count(&slot, |count| *count += 1);
        if slot.is_ready() {
            self.ready(&slot);
        }
        if slot.is_troubled() {
            self.troubled.insert((slot.item.replanned, slot.label.clone()), key.into());
        }
        if let Some(rest) = &slot.item.rest {
            self.resting.insert((rest.until.as_str().into(), key.into()), ());
        }
        if slot.item.status == Status::Locked {
            claims::take(&mut self.in_use, &slot.claims);
        }
    }

    fn is_completed(&self, key: &str) -> bool {
        self.slots.get(key).is_some_and(|slot| slot.item.status == Status::Completed)
    }

    fn count(&mut self, slot: &Slot, change: impl Fn(&mut usize)) {
        change(self.counts.of(slot.item.status));
        let groups: Vec<Key> =
            self.ancestors(slot.item.group.as_deref()).map(|group| group.key.as_str().into()).collect();
        for group in groups {
            if let Some(held) = self.groups.at_mut(&*group) {
                change(Arc::make_mut(held).counts.of(slot.item.status));
            }
        }
    }

    fn ready(&mut self, slot: &Slot) {
        let key: Key = slot.item.key.as_str().into();
        if slot.claims.is_empty() {
            self.free.insert(slot.label.clone(), key);
            return;
        }
        let first = self.first_claimant(&slot.signature);
        if first.as_ref().is_none_or(|(first, _)| slot.label < *first) {
            if let Some((first, _)) = first {
                self.free.remove(&first);
            }
            self.free.insert(slot.label.clone(), key.clone());
        }
        self.claimants.insert((slot.signature.clone(), slot.label.clone()), key);
    }

    fn unready(&mut self, slot: &Slot) {
        let was_first = self.free.remove(&slot.label).is_some();
        if slot.claims.is_empty() {
            return;
        }
        self.claimants.remove(&(slot.signature.clone(), slot.label.clone()));
        if was_first && let Some((label, key)) = self.first_claimant(&slot.signature) {
            self.free.insert(label, key);
        }
    }

    fn first_claimant(&self, signature: &Key) -> Option<(Label, Key)> {
        let ((found, label), key) = self.claimants.from(&(signature.clone(), Label::lowest())).next()?;
        (found == signature).then(|| (label.clone(), key.clone()))
    }
}

/// Groups in order, each after the one it stands in. One that stands in none that is there, or in itself, stands alone.
fn arranged(mut groups: Vec<Group>) -> Vec<Group> {
    let mut arranged: Vec<Group> = Vec::with_capacity(groups.len());
    let mut placed: BTreeSet<String> = BTreeSet::new();
    while !groups.is_empty() {
        let before = arranged.len();
        let there: BTreeSet<String> = groups.iter().map(|group| group.key.clone()).collect();
        let mut later = Vec::new();
        for mut group in groups {
            let parent = group.parent.take().filter(|parent| there.contains(parent) || placed.contains(parent));
            if parent.as_ref().is_none_or(|parent| placed.contains(parent)) {
                placed.insert(group.key.clone());
                arranged.push(Group { parent, ..group });
            } else {
                later.push(Group { parent, ..group });
            }
        }
        if arranged.len() == before
            && let Some(group) = later.first_mut()
        {
            group.parent = None;
        }
        groups = later;
    }
    arranged
}

impl Slot {
    fn new(item: Item, label: Label) -> Self {
        let claims = claims::all(&item.claims);
        let signature = claims.join("\n").into();
        Self { item, label, claims, signature, open: 0 }
    }

    fn is_ready(&self) -> bool {
        self.item.status == Status::Pending && self.open == 0 && self.item.rest.is_none() && !self.item.is_blocked()
    }

    fn is_troubled(&self) -> bool {
        self.item.status == Status::Failed || self.item.is_blocked()
    }
}

/// Equal when the same items and groups stand in the same order: everything else follows from that.
impl PartialEq for Pool {
    fn eq(&self, other: &Self) -> bool {
        self.items().eq(other.items()) && self.groups().eq(other.groups())
    }
}

impl Eq for Pool {}

/// As a checkpoint keeps it: groups and items in order. What follows from them is derived when it is read.
#[derive(Serialize, Deserialize)]
struct Kept<G, I> {
    groups: G,
    items: I,
}

impl Serialize for Pool {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (groups, items): (Vec<&Group>, Vec<&Item>) = (self.groups().collect(), self.items().collect());
        Kept { groups, items }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Pool {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Kept { groups, items } = Kept::<Vec<Group>, Vec<Item>>::deserialize(deserializer)?;
        Ok(Self::of(groups, items))
    }
}
