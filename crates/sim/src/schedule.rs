//! Who goes on: of several simulated processes exactly one runs, and at each call the seed may choose another. It
//! knows nothing of what the calls do.

use std::sync::{Arc, Condvar};
use std::time::Duration;

use crate::clock::Clock;
use crate::random::Random;

/// With several processes, one call in so many hands over to another.
const SWITCH_ONE_IN: usize = 6;

/// Programs are counted, stopped and failed; people are not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    Program,
    Person,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Phase {
    /// Not scheduled: whoever holds it calls whenever it likes.
    Outside,
    Ready,
    /// Until this time of the steady clock.
    Asleep(Duration),
    Done,
}

#[derive(Debug)]
pub(crate) struct Process {
    pub(crate) alive: bool,
    pub(crate) role: Role,
    pub(crate) phase: Phase,
    pub(crate) turn: Arc<Condvar>,
    /// It must wait for something that another has, so another goes on first.
    pub(crate) gives_way: bool,
    /// Stopped by a signal, to go on by another.
    pub(crate) suspended: bool,
}

#[derive(Debug)]
pub(crate) struct Schedule {
    pub(crate) processes: Vec<Process>,
    /// Where the processes of the present run begin.
    first: usize,
    running: Option<usize>,
    random: Random,
    pub(crate) switch_one_in: usize,
}

impl Schedule {
    pub(crate) fn new(random: Random) -> Self {
        Self { processes: Vec::new(), first: 0, running: None, random, switch_one_in: SWITCH_ONE_IN }
    }

    pub(crate) fn add(&mut self, role: Role, phase: Phase) -> usize {
        self.processes.push(Process {
            alive: true,
            role,
            phase,
            turn: Arc::default(),
            gives_way: false,
            suspended: false,
        });
        self.processes.len() - 1
    }

    /// Adds the processes of a run and chooses which of them begins.
    ///
    /// # Panics
    /// When the run before is not over: only one run at a time has turns to give.
    pub(crate) fn begin(&mut self, count: usize) -> usize {
        let over = |process: &Process| matches!(process.phase, Phase::Done | Phase::Outside);
        assert!(self.processes[self.first..].iter().all(over), "a run begins inside another run of the same machine");
        self.first = self.processes.len();
        for _ in 0..count {
            self.add(Role::Program, Phase::Ready);
        }
        self.running = (count > 0).then(|| self.first + self.random.below(count));
        self.first
    }

    /// A process's place in the present run.
    pub(crate) fn place(&self, process: usize) -> Option<usize> {
        (self.processes[process].phase != Phase::Outside).then(|| process.checked_sub(self.first)).flatten()
    }

    /// The process at a place of the present run.
    pub(crate) fn at(&self, place: usize) -> Option<usize> {
        let process = self.first + place;
        self.processes.get(process).filter(|one| one.phase != Phase::Outside).map(|_| process)
    }

    pub(crate) fn has_turn(&self, process: usize) -> bool {
        self.running == Some(process)
    }

    /// Chooses who goes on after `process` and says so to it. Returns whether `process` must now wait.
    pub(crate) fn hand_over(&mut self, process: usize, clock: &mut Clock) -> bool {
        let next = self.choose(process, clock);
        self.running = next;
        if let Some(next) = next
            && next != process
        {
            self.processes[next].turn.notify_one();
        }
        next != Some(process)
    }

    fn choose(&mut self, process: usize, clock: &mut Clock) -> Option<usize> {
        let gives_way = std::mem::take(&mut self.processes[process].gives_way);
        let goes_on = self.processes[process].phase == Phase::Ready && !self.processes[process].suspended;
        if goes_on && !gives_way && !self.random.one_in(self.switch_one_in) {
            return Some(process);
        }
        let mut ready = self.ready(clock.steady());
        if gives_way && ready.len() > 1 {
            ready.retain(|&other| other != process);
        }
        if ready.is_empty() && self.first_to_wake().is_none() {
            // Only suspended ones are left, and nobody to wake them.
            self.processes[self.first..].iter_mut().for_each(|one| one.suspended = false);
            ready = self.ready(clock.steady());
        }
        if ready.is_empty() {
            // Everybody sleeps: nothing happens until the first of them wakes.
            clock.advance_to(self.first_to_wake()?);
            ready = self.ready(clock.steady());
        }
        let next = self.random.pick(&ready).copied()?;
        self.processes[next].phase = Phase::Ready;
        Some(next)
    }

    fn ready(&self, now: Duration) -> Vec<usize> {
        let awake = |process: &Process| match process.phase {
            Phase::Ready => !process.suspended,
            Phase::Asleep(until) => until <= now && !process.suspended,
            Phase::Outside | Phase::Done => false,
        };
        (self.first..self.processes.len()).filter(|&one| awake(&self.processes[one])).collect()
    }

    fn first_to_wake(&self) -> Option<Duration> {
        let asleep = self.processes[self.first..].iter().filter_map(|process| match process.phase {
            Phase::Asleep(until) if !process.suspended => Some(until),
            _ => None,
        });
        asleep.min()
    }
}
