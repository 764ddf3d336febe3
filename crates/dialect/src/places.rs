//! Where the next row of a run goes, so that its rows stand in plan order whatever order the work is done in, without
//! a look at all rows. What is remembered is checked before it is used. Must not know documents.

use std::collections::BTreeMap;
use std::collections::btree_map::Range;
use std::ops::Bound;

use crate::plan_order::Position;

/// The rows of one run in one table, as far as they matter: for each position those that stand below every row of an
/// earlier position. A new row goes below the last of these that is not behind it in the plan.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct Places {
    stairs: BTreeMap<Position, String>,
    /// The topmost row of the run.
    top: Option<String>,
}

/// How to take back what was noted.
#[derive(Debug)]
pub(crate) enum Undo {
    Stair(Position, Option<String>),
    Top(Option<String>),
}

/// Where a row goes, by the key of a row that is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Spot {
    Below(Position, String),
    Above(String),
    AtTheEnd,
}

impl Places {
    /// Where a row with this position goes.
    pub(crate) fn spot(&self, position: &Position) -> Spot {
        let above = self.up_to(position).next_back();
        match (above, &self.top) {
            (Some((position, key)), _) => Spot::Below(position.clone(), key.clone()),
            (None, Some(key)) => Spot::Above(key.clone()),
            (None, None) => Spot::AtTheEnd,
        }
    }

    fn up_to(&self, position: &Position) -> Range<'_, Position, String> {
        self.stairs.range::<[u8], _>((Bound::Unbounded, Bound::Included(position.as_slice())))
    }

    /// Takes note of a row. `row_of` tells where a known one stands now.
    pub(crate) fn note(
        &mut self,
        position: &Position,
        key: &str,
        row: usize,
        mut row_of: impl FnMut(&str) -> Option<usize>,
    ) -> Vec<Undo> {
        let mut undo = Vec::new();
        let topmost = self.top.as_deref().and_then(&mut row_of);
        if topmost.is_none_or(|top| row < top) {
            undo.push(Undo::Top(self.top.replace(key.to_owned())));
        }
        let above = self.up_to(position).next_back().and_then(|(_, key)| row_of(key));
        if above.is_some_and(|above| above > row) {
            return undo;
        }
        undo.push(Undo::Stair(position.clone(), self.stairs.insert(position.clone(), key.to_owned())));
        // Steps further on that now stand above this one are none any more. They rise, so the first that does not ends it.
        loop {
            let behind = (Bound::Excluded(position.as_slice()), Bound::Unbounded);
            let Some((later, known)) = self.stairs.range::<[u8], _>(behind).next() else { return undo };
            if row_of(known).is_some_and(|below| below > row) {
                return undo;
            }
            let later = later.clone();
            undo.push(Undo::Stair(later.clone(), self.stairs.remove(&later)));
        }
    }

    /// Takes back one note.
    pub(crate) fn take_back(&mut self, undo: Undo) {
        match undo {
            Undo::Stair(position, Some(key)) => {
                self.stairs.insert(position, key);
            }
            Undo::Stair(position, None) => {
                self.stairs.remove(&position);
            }
            Undo::Top(key) => self.top = key,
        }
    }
}
