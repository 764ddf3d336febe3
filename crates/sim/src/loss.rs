//! What a power loss leaves of that which was not synced: the modes, and the odds they stand for.

use crate::random::Random;

/// How much of what was not synced is still there after a power loss.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LossMode {
    /// Nothing.
    Strict,
    /// Everything: what most crashes look like, and why bugs stay hidden.
    Kind,
    /// Any subset; how likely names, sizes and sectors survive is drawn anew for each loss.
    Mixed,
    /// All names and sizes, but only some sectors: renamed files full of holes.
    Torn,
}

impl LossMode {
    /// Every mode, for drivers that try them all.
    pub const ALL: [Self; 4] = [Self::Strict, Self::Kind, Self::Mixed, Self::Torn];

    pub(crate) fn odds(self, random: &mut Random) -> Odds {
        let mut draw = || [Odd(0), Odd(1), Odd(2), Odd(3), Odd::ALWAYS][random.below(5)];
        match self {
            Self::Strict => Odds { names: Odd::NEVER, sizes: Odd::NEVER, sectors: Odd::NEVER },
            Self::Kind => Odds { names: Odd::ALWAYS, sizes: Odd::ALWAYS, sectors: Odd::ALWAYS },
            Self::Mixed => Odds { names: draw(), sizes: draw(), sectors: draw() },
            Self::Torn => Odds { names: Odd::ALWAYS, sizes: Odd::ALWAYS, sectors: Odd(2) },
        }
    }
}

/// How likely each unsynced thing survives.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Odds {
    pub(crate) names: Odd,
    pub(crate) sizes: Odd,
    pub(crate) sectors: Odd,
}

/// So many quarters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Odd(usize);

impl Odd {
    pub(crate) const NEVER: Self = Self(0);
    pub(crate) const ALWAYS: Self = Self(4);

    pub(crate) fn draw(self, random: &mut Random) -> bool {
        random.below(4) < self.0
    }

    /// Which of `count` versions since the last sync survives, the oldest first; `None` for the synced one.
    pub(crate) fn version(self, count: usize, random: &mut Random) -> Option<usize> {
        if count == 0 || !self.draw(random) {
            return None;
        }
        let latest = count - 1;
        Some(if self == Self::ALWAYS || !random.one_in(4) { latest } else { random.below(count) })
    }
}
