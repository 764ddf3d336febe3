//! The bytes of one file: what a process reads now, what is on the platter, and every version in between. It knows
//! nothing of names, handles or who writes.
//!
//! The unit of persistence is the sector of 512 bytes. Each sector written since the last sync survives a power loss
//! or not, by itself, in any of the versions that it had; so does the size. Where a size survives without the bytes,
//! there are zeros.

use std::collections::{BTreeMap, BTreeSet};

use crate::loss::Odds;
use crate::random::Random;

/// What a disk writes all of, or nothing.
pub(crate) const SECTOR: usize = 512;

type Sector = Box<[u8; SECTOR]>;

#[derive(Debug, Clone, Default)]
pub(crate) struct Content {
    current: Vec<u8>,
    durable: Vec<u8>,
    /// Sectors written since the last sync, with the versions between the durable and the current one.
    unsynced: BTreeMap<usize, Vec<Sector>>,
    /// Sizes since the last sync, oldest first; the last is the current one.
    unsynced_sizes: Vec<usize>,
    /// Sectors that a failed sync gave up: clean for the kernel, yet not on the platter.
    given_up: BTreeSet<usize>,
}

impl Content {
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.current
    }

    pub(crate) fn size(&self) -> usize {
        self.current.len()
    }

    pub(crate) fn read(&self, offset: usize, buffer: &mut [u8]) -> usize {
        let rest = self.current.get(offset..).unwrap_or_default();
        let count = rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&rest[..count]);
        count
    }

    pub(crate) fn write(&mut self, offset: usize, bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        let end = offset + bytes.len();
        self.touch(offset.min(self.size())..end);
        if end > self.size() {
            self.current.resize(end, 0);
            self.unsynced_sizes.push(end);
        }
        self.current[offset..end].copy_from_slice(bytes);
    }

    pub(crate) fn truncate(&mut self, length: usize) {
        let size = self.size();
        if length == size {
            return;
        }
        self.touch(length.min(size)..length.max(size));
        self.current.resize(length, 0);
        self.unsynced_sizes.push(length);
    }

    /// Content and size reach the platter; sectors that an earlier failed sync gave up do not.
    pub(crate) fn sync(&mut self) {
        self.durable.resize(self.size(), 0);
        for sector in std::mem::take(&mut self.unsynced).into_keys() {
            self.write_out(sector);
        }
        self.unsynced_sizes.clear();
    }

    /// A sync that fails: some sectors reached the platter, and the kernel takes all of them for clean.
    pub(crate) fn fail_sync(&mut self, random: &mut Random) {
        if random.one_in(2) && !self.unsynced_sizes.is_empty() {
            self.durable.resize(self.size(), 0);
            self.unsynced_sizes.clear();
        }
        for sector in std::mem::take(&mut self.unsynced).into_keys() {
            if random.one_in(2) {
                self.write_out(sector);
            } else {
                self.given_up.insert(sector);
            }
        }
    }

    /// Memory gets short: sectors that a failed sync gave up are read from the platter again, as they were before.
    pub(crate) fn forget_given_up(&mut self) {
        for sector in std::mem::take(&mut self.given_up) {
            let before = sector_of(&self.durable, sector);
            put_sector(&mut self.current, sector, &before);
        }
    }

    /// The power fails.
    pub(crate) fn lose(&mut self, odds: Odds, random: &mut Random) {
        let mut left = std::mem::take(&mut self.durable);
        let size = match odds.sizes.version(self.unsynced_sizes.len(), random) {
            Some(version) => self.unsynced_sizes[version],
            None => left.len(),
        };
        left.resize(size, 0);
        for (sector, between) in std::mem::take(&mut self.unsynced) {
            if let Some(version) = odds.sectors.version(between.len() + 1, random) {
                match between.get(version) {
                    Some(bytes) => put_sector(&mut left, sector, bytes),
                    None => put_sector(&mut left, sector, &sector_of(&self.current, sector)),
                }
            }
        }
        *self = Self { current: left.clone(), durable: left, ..Self::default() };
    }

    /// Remembers that the sectors of a range are about to change.
    fn touch(&mut self, range: std::ops::Range<usize>) {
        for sector in range.start / SECTOR..range.end.div_ceil(SECTOR) {
            self.given_up.remove(&sector);
            if let Some(between) = self.unsynced.get_mut(&sector) {
                between.push(sector_of(&self.current, sector));
            } else {
                self.unsynced.insert(sector, Vec::new());
            }
        }
    }

    fn write_out(&mut self, sector: usize) {
        let bytes = sector_of(&self.current, sector);
        put_sector(&mut self.durable, sector, &bytes);
    }
}

/// A sector's bytes, zeros past the end.
fn sector_of(bytes: &[u8], sector: usize) -> Sector {
    let mut copy = Box::new([0; SECTOR]);
    let rest = bytes.get(sector * SECTOR..).unwrap_or_default();
    let count = rest.len().min(SECTOR);
    copy[..count].copy_from_slice(&rest[..count]);
    copy
}

/// Overwrites a sector as far as the bytes reach.
fn put_sector(bytes: &mut [u8], sector: usize, new: &[u8; SECTOR]) {
    if let Some(rest) = bytes.get_mut(sector * SECTOR..) {
        let count = rest.len().min(SECTOR);
        rest[..count].copy_from_slice(&new[..count]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loss::LossMode;

    /// All different outcomes of 500 power losses.
    fn outcomes(content: &Content, mode: LossMode) -> BTreeSet<Vec<u8>> {
        (0..500)
            .map(|seed| {
                let (mut content, mut random) = (content.clone(), Random::new(seed));
                let odds = mode.odds(&mut random);
                content.lose(odds, &mut random);
                content.bytes().to_vec()
            })
            .collect()
    }

    fn synced(bytes: &[u8]) -> Content {
        let mut content = Content::default();
        content.write(0, bytes);
        content.sync();
        content
    }

    fn blocks(letters: &str) -> Vec<u8> {
        letters.bytes().flat_map(|letter| [letter; SECTOR]).collect()
    }

    #[test]
    fn strict_loses_all_and_kind_nothing() {
        let mut content = synced(&blocks("ab"));
        content.write(SECTOR, &blocks("cd"));
        assert_eq!(outcomes(&content, LossMode::Strict), BTreeSet::from([blocks("ab")]));
        assert_eq!(outcomes(&content, LossMode::Kind), BTreeSet::from([blocks("acd")]));
    }

    #[test]
    fn sectors_survive_in_any_subset_and_version() {
        let mut content = synced(&blocks("ab"));
        content.write(0, &blocks("xy"));
        content.write(0, &blocks("z"));
        let all = ["ab", "xb", "zb", "ay", "xy", "zy"].map(blocks);
        assert_eq!(outcomes(&content, LossMode::Mixed), BTreeSet::from(all));
    }

    #[test]
    fn the_size_survives_without_the_data_and_the_reverse() {
        let mut content = synced(&blocks("a"));
        content.write(SECTOR, &blocks("b"));
        let all = [blocks("a"), blocks("ab"), blocks("a\0")];
        assert_eq!(outcomes(&content, LossMode::Mixed), BTreeSet::from(all));
    }

    #[test]
    fn truncate_and_write_may_leave_old_zero_or_new() {
        let mut content = synced(&blocks("a"));
        content.truncate(0);
        content.write(0, &blocks("b"));
        let all = [blocks("a"), blocks("\0"), blocks("b"), Vec::new()];
        assert_eq!(outcomes(&content, LossMode::Mixed), BTreeSet::from(all));
    }

    #[test]
    fn a_failed_sync_gives_sectors_up_until_they_are_written_again() {
        let mut lost_something = false;
        for seed in 0..20 {
            let mut content = synced(&blocks("abcd"));
            content.write(0, &blocks("wxyz"));
            content.fail_sync(&mut Random::new(seed));
            assert_eq!(content.bytes(), blocks("wxyz"), "the cache still shows what was written");
            content.sync();
            lost_something |= outcomes(&content, LossMode::Kind) != BTreeSet::from([blocks("wxyz")]);

            let mut evicted = content.clone();
            evicted.forget_given_up();
            assert_eq!(BTreeSet::from([evicted.bytes().to_vec()]), outcomes(&content, LossMode::Kind));

            content.write(0, &blocks("wxyz"));
            content.sync();
            assert_eq!(outcomes(&content, LossMode::Strict), BTreeSet::from([blocks("wxyz")]));
        }
        assert!(lost_something);
    }
}
