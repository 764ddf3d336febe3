//! What is made to go wrong, and when: processes that stop in the middle of a call, calls that fail.

use store::FaultKind;

use crate::call::Operation;
use crate::failure::Failure;
use crate::random::Random;

/// A call, counted from the machine's beginning over all programs (people's calls do not count); the first is 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moment {
    /// The n-th call.
    Call(u64),
    /// The n-th call that can change something.
    Change(u64),
}

/// Where in a call a process stops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// Before it has any effect.
    Before,
    /// After its effect, before it returns.
    After,
    /// A write stops after some of its bytes, the making of folders after some of them; other calls, by chance, before
    /// or after.
    Torn,
}

impl Stop {
    /// Every kind, for drivers that try them all.
    pub const ALL: [Self; 3] = [Self::Before, Self::After, Self::Torn];
}

/// Who stops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Victim {
    /// Whoever makes the call.
    Caller,
    /// One process, by its place in the run; it stops wherever it is.
    Process(usize),
    /// All processes at once: the machine loses power. What is left of the disk says `Machine::power_loss`.
    Machine,
}

/// Calls that fail with a given kind.
#[derive(Debug, Clone)]
pub struct Injection {
    kind: FaultKind,
    operations: Vec<Operation>,
    below: String,
    process: Option<usize>,
    moment: Option<Moment>,
    skip: u64,
    times: u64,
}

impl Injection {
    /// Every call fails with this kind, until narrowed.
    pub fn new(kind: FaultKind) -> Self {
        Self { kind, operations: vec![], below: String::new(), process: None, moment: None, skip: 0, times: u64::MAX }
    }

    /// Only this operation; called again, that one too.
    #[must_use]
    pub fn on(mut self, operation: Operation) -> Self {
        self.operations.push(operation);
        self
    }

    /// Only paths that begin like this.
    #[must_use]
    pub fn below(mut self, prefix: &str) -> Self {
        self.below = prefix.into();
        self
    }

    /// Only one process, by its place in the run.
    #[must_use]
    pub fn of_process(mut self, place: usize) -> Self {
        self.process = Some(place);
        self
    }

    /// Only that very call.
    #[must_use]
    pub fn at(mut self, moment: Moment) -> Self {
        self.moment = Some(moment);
        self
    }

    /// The first `count` calls that match go well.
    #[must_use]
    pub fn after(mut self, count: u64) -> Self {
        self.skip = count;
        self
    }

    /// No more than `count` calls fail.
    #[must_use]
    pub fn times(mut self, count: u64) -> Self {
        self.times = count;
        self
    }

    fn strikes(&mut self, call: &Caller<'_>, counts: Counts) -> bool {
        let matches = (self.operations.is_empty() || self.operations.contains(&call.operation))
            && call.path.starts_with(&self.below)
            && self.process.is_none_or(|place| call.place == Some(place))
            && self.moment.is_none_or(|moment| counts.reached(moment, call.operation));
        if !matches || self.times == 0 {
            return false;
        }
        if self.skip > 0 {
            self.skip -= 1;
            return false;
        }
        self.times -= 1;
        true
    }
}

/// Calls so far.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Counts {
    pub(crate) calls: u64,
    pub(crate) changes: u64,
}

impl Counts {
    fn reached(self, moment: Moment, operation: Operation) -> bool {
        match moment {
            Moment::Call(number) => self.calls == number,
            Moment::Change(number) => self.changes == number && operation.is_change(),
        }
    }
}

/// Who calls what.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Caller<'a> {
    /// Its place in the run; none for a process outside.
    pub(crate) place: Option<usize>,
    pub(crate) operation: Operation,
    pub(crate) path: &'a str,
}

/// Everything planned to go wrong.
#[derive(Debug, Default)]
pub(crate) struct Faults {
    stops: Vec<(Moment, Stop, Victim)>,
    injections: Vec<Injection>,
    counts: Counts,
}

impl Faults {
    pub(crate) fn stop_at(&mut self, moment: Moment, stop: Stop, victim: Victim) {
        self.stops.push((moment, stop, victim));
    }

    pub(crate) fn inject(&mut self, injection: Injection) {
        self.injections.push(injection);
    }

    pub(crate) fn mend(&mut self) {
        self.stops.clear();
        self.injections.clear();
    }

    pub(crate) fn counts(&self) -> Counts {
        self.counts
    }

    pub(crate) fn count(&mut self, operation: Operation) {
        self.counts.calls += 1;
        self.counts.changes += u64::from(operation.is_change());
    }

    /// The stops that are due with this call; each happens once.
    pub(crate) fn stops(&mut self, operation: Operation, random: &mut Random) -> Vec<(Stop, Victim)> {
        let counts = self.counts;
        let due = |stop: &mut (Moment, Stop, Victim)| counts.reached(stop.0, operation);
        let settle = |stop| match stop {
            Stop::Torn if !operation.can_be_partial() => [Stop::Before, Stop::After][random.below(2)],
            stop => stop,
        };
        let mut settle = settle;
        self.stops.extract_if(.., due).map(|(_, stop, victim)| (settle(stop), victim)).collect()
    }

    pub(crate) fn failure(&mut self, call: &Caller<'_>) -> Option<Failure> {
        let counts = self.counts;
        let strikes = self.injections.iter_mut().find_map(|one| one.strikes(call, counts).then_some(one.kind));
        strikes.map(Failure::plain)
    }
}
