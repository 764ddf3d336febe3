//! When a placing begins: late enough that those who fall behind meanwhile share it, and seldom enough that under load
//! placing takes about a tenth of the time, however many files there are. It knows times and numbers, no files.

use std::time::Duration;

use crate::limits;

/// How long files that fell behind wait for the next placing.
#[derive(Debug)]
pub(crate) struct Pace {
    /// When the first of those that wait fell behind.
    since: Option<Duration>,
    /// What placing one file takes in this process, as a mean that follows.
    cost: Duration,
}

impl Default for Pace {
    fn default() -> Self {
        Self { since: None, cost: limits::PLACE_GUESS }
    }
}

impl Pace {
    /// Another file fell behind.
    pub(crate) fn fell_behind(&mut self, now: Duration) {
        self.since.get_or_insert(now);
    }

    /// When a placing of so many files may begin.
    pub(crate) fn begins(&self, files: usize) -> Duration {
        let files = u32::try_from(files).unwrap_or(u32::MAX);
        let expected = self.cost.saturating_mul(files).saturating_mul(limits::PLACE_SHARE);
        self.since.map_or(Duration::ZERO, |since| since + expected.clamp(limits::PLACE_PAUSE, limits::PLACE_LATEST))
    }

    /// A placing begins: whoever falls behind from here on waits for the next.
    pub(crate) fn begin(&mut self) {
        self.since = None;
    }

    /// So many files were placed in this time.
    pub(crate) fn took(&mut self, files: usize, time: Duration) {
        if let Some(one) = u32::try_from(files).ok().and_then(|files| time.checked_div(files)) {
            self.cost = (self.cost * 3 + one) / 4;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Duration = Duration::from_secs(7);

    fn waits(files: usize, placings: &[(usize, Duration)]) -> Duration {
        let mut pace = Pace::default();
        placings.iter().for_each(|(files, time)| pace.took(*files, *time));
        pace.fell_behind(NOW);
        pace.fell_behind(NOW * 2);
        pace.begins(files) - NOW
    }

    /// QL-02: placing many files takes about a tenth of the time, and few files do not wait for it.
    #[test]
    fn the_more_there_is_to_place_the_longer_it_waits() {
        assert_eq!(waits(3, &[]), limits::PLACE_PAUSE);
        assert_eq!(waits(100, &[]), Duration::from_millis(100));
        let slow = [(100, Duration::from_millis(30)); 40];
        let wait = waits(100, &slow).as_millis();
        assert!((295..=300).contains(&wait), "{wait} ms");
        assert_eq!(waits(100_000, &slow), limits::PLACE_LATEST);
        assert_eq!(waits(3, &[(0, NOW)]), limits::PLACE_PAUSE);
    }

    #[test]
    fn who_falls_behind_during_a_placing_waits_anew() {
        let mut pace = Pace::default();
        pace.fell_behind(NOW);
        pace.begin();
        assert_eq!(pace.begins(1), Duration::ZERO);
        pace.fell_behind(NOW * 2);
        assert_eq!(pace.begins(1), NOW * 2 + limits::PLACE_PAUSE);
    }
}
