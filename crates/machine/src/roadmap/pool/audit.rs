//! Whether what a pool keeps up to date is what would be derived anew. For tests, and for whoever doubts it.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::{Counts, Pool};

/// Everything that follows from items and groups, in a form that two pools can be compared by.
#[derive(Debug, PartialEq, Eq)]
struct Derived<'p> {
    order: Vec<&'p str>,
    free: Vec<&'p str>,
    claimants: Vec<(&'p str, &'p str)>,
    troubled: Vec<(u32, &'p str)>,
    resting: Vec<(&'p str, &'p str)>,
    dependents: Vec<(&'p str, &'p str)>,
    members: Vec<(&'p str, &'p str)>,
    in_use: Vec<(&'p str, u32)>,
    open: Vec<(&'p str, usize)>,
    groups: Vec<(&'p str, Counts)>,
    counts: Counts,
}

impl Pool {
    /// Derives everything anew and compares; says what differs. Looks at all items.
    pub fn audit(&self) -> Result<(), String> {
        let groups = self.groups().cloned().collect();
        let items = self.items().cloned().collect();
        let anew = Self::of(groups, items);
        let (kept, derived) = (self.derived(), anew.derived());
        if kept == derived { Ok(()) } else { Err(format!("kept: {kept:#?}\nderived: {derived:#?}")) }
    }

    fn derived(&self) -> Derived<'_> {
        Derived {
            order: self.order.iter().map(|(_, key)| &**key).collect(),
            free: self.free.iter().map(|(_, key)| &**key).collect(),
            claimants: self.claimants.iter().map(|((claims, _), key)| (&**claims, &**key)).collect(),
            troubled: self.troubled.iter().map(|((count, _), key)| (*count, &**key)).collect(),
            resting: self.resting.iter().map(|((until, key), ())| (&**until, &**key)).collect(),
            dependents: self.dependents.iter().map(|((on, key), ())| (&**on, &**key)).collect(),
            members: self.members.iter().map(|((group, _), key)| (&**group, &**key)).collect(),
            in_use: self.in_use.iter().map(|(claim, count)| (&**claim, *count)).collect(),
            open: self.slots.iter().map(|(key, slot)| (&**key, slot.open)).collect(),
            groups: self.groups.iter().map(|(key, held)| (&**key, held.counts)).collect(),
            counts: self.counts,
        }
    }
}
