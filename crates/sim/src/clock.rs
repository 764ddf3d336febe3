//! Virtual time: nothing here ever waits. The wall clock may jump, the steady one cannot.

use std::time::Duration;

use store::Now;

/// File times move in steps of one tick of the kernel, so two writes can share one.
const TICK: i128 = 4_000_000;
/// Where the wall clock starts: some day in 2027.
const START: i128 = 1_800_000_000_000_000_000;

#[derive(Debug, Clone)]
pub(crate) struct Clock {
    wall: i128,
    steady: Duration,
}

impl Clock {
    pub(crate) fn new() -> Self {
        Self { wall: START, steady: Duration::from_secs(10) }
    }

    pub(crate) fn now(&self) -> Now {
        Now { wall: self.wall, steady: self.steady }
    }

    pub(crate) fn steady(&self) -> Duration {
        self.steady
    }

    pub(crate) fn advance(&mut self, time: Duration) {
        self.wall += nanoseconds(time);
        self.steady += time;
    }

    pub(crate) fn advance_to(&mut self, steady: Duration) {
        self.advance(steady.saturating_sub(self.steady));
    }

    /// Sets the wall clock back; the steady one does not notice.
    pub(crate) fn set_back(&mut self, time: Duration) {
        self.wall -= nanoseconds(time);
    }

    /// The time that a file changed now carries.
    pub(crate) fn file_time(&self) -> i128 {
        self.wall - self.wall.rem_euclid(TICK)
    }

    /// A new boot, half a minute later: the steady clock starts again.
    pub(crate) fn boot(&mut self) {
        self.advance(Duration::from_secs(30));
        self.steady = Duration::from_secs(10);
    }
}

fn nanoseconds(time: Duration) -> i128 {
    i128::try_from(time.as_nanos()).unwrap_or(i128::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wall_may_go_back_and_the_steady_clock_not() {
        let mut clock = Clock::new();
        let before = clock.now();
        clock.advance(Duration::from_micros(10));
        clock.set_back(Duration::from_secs(3600));
        assert!(clock.now().wall < before.wall);
        assert!(clock.now().steady > before.steady);
    }

    #[test]
    fn file_times_are_coarse() {
        let mut clock = Clock::new();
        let before = clock.file_time();
        clock.advance(Duration::from_micros(3999));
        assert_eq!(clock.file_time(), before);
        clock.advance(Duration::from_micros(1));
        assert_eq!(clock.file_time(), before + TICK);
    }
}
