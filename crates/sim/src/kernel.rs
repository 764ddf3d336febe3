//! What the simulated processes share: disk, clock, schedule, planned faults; and the way of one call through it:
//! wait for the turn, count, stop or fail as planned, else take effect.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use store::{Fault, FaultKind, ProcessState};

use crate::call::{Operation, Trace};
use crate::clock::Clock;
use crate::disk::Disk;
use crate::failure::Failure;
use crate::faults::{Caller, Faults, Stop, Victim};
use crate::loss::LossMode;
use crate::machine::Outcome;
use crate::random::Random;
use crate::schedule::{Phase, Role, Schedule};
use crate::sim_fs::SimFs;

/// More calls than this mean that somebody waits for what never happens.
const CALL_LIMIT: u64 = 20_000_000;

/// What a stopped process unwinds with. It passes no panic hook, so nothing is printed.
struct Killed;

/// How much of its effect a call has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extent {
    Whole,
    /// The process stops in the middle of it.
    Torn,
    /// The call fails, which does not always mean that nothing happened.
    Failing,
}

/// Whether the file system can swap two files in one step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exchange {
    Supported,
    Unsupported,
}

/// Whether the file system tells if a file is open for writing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Writers {
    Seen,
    Hidden,
}

#[derive(Debug)]
pub(crate) struct Kernel {
    pub(crate) seed: u64,
    pub(crate) disk: Disk,
    pub(crate) clock: Clock,
    pub(crate) random: Random,
    pub(crate) schedule: Schedule,
    pub(crate) faults: Faults,
    pub(crate) trace: Trace,
    pub(crate) boot: u64,
    pub(crate) call_limit: u64,
    pub(crate) writers: Writers,
    pub(crate) exchange: Exchange,
    /// Calls and pauses of everybody.
    calls: u64,
}

/// What the plan says about a call.
enum Fate {
    Succeeds,
    Fails(Failure),
    Stops(Stop, Victim),
    /// The limit is reached.
    Endless,
}

impl Kernel {
    pub(crate) fn new(seed: u64, disk: Disk, clock: Clock) -> Self {
        let mut random = Random::new(seed);
        Self {
            seed,
            disk,
            clock,
            schedule: Schedule::new(random.split()),
            random,
            faults: Faults::default(),
            trace: Trace::new(),
            boot: 1,
            call_limit: CALL_LIMIT,
            writers: Writers::Seen,
            exchange: Exchange::Supported,
            calls: 0,
        }
    }

    /// Stops processes where they are. Their handles close; their threads unwind when it is their turn.
    pub(crate) fn kill(&mut self, victim: Victim, caller: Option<usize>) {
        let victims = match victim {
            Victim::Caller => caller.into_iter().collect(),
            Victim::Process(place) => self.schedule.at(place).into_iter().collect(),
            Victim::Machine => (0..self.schedule.processes.len()).collect::<Vec<_>>(),
        };
        for victim in victims {
            let process = &mut self.schedule.processes[victim];
            process.alive = false;
            process.suspended = false;
            if let Phase::Asleep(_) = process.phase {
                process.phase = Phase::Ready;
            }
            self.disk.close_all(victim);
        }
    }

    /// What a process is doing, as another sees it.
    pub(crate) fn state_of(&self, process: usize) -> ProcessState {
        match self.schedule.processes.get(process) {
            Some(process) if process.alive && process.phase != Phase::Done => {
                if process.suspended {
                    ProcessState::Stopped
                } else {
                    ProcessState::Running
                }
            }
            _ => ProcessState::Gone,
        }
    }

    pub(crate) fn power_loss(&mut self, mode: LossMode) {
        self.kill(Victim::Machine, None);
        self.disk.lose(mode, &mut self.random);
        self.clock.boot();
        self.boot += 1;
    }

    /// How much of so much is done by a call that is not whole.
    pub(crate) fn part_of(&mut self, count: usize, extent: Extent) -> usize {
        if extent == Extent::Whole { count } else { self.random.below(count + 1) }
    }

    fn alive(&self, process: usize) -> bool {
        self.schedule.processes[process].alive
    }

    /// Counts a call and looks up what the plan has for it.
    fn fate(&mut self, process: usize, operation: Operation, path: &str) -> Fate {
        let cost = operation.cost(&mut self.random);
        self.clock.advance(cost);
        if self.is_endless() {
            return Fate::Endless;
        }
        if self.schedule.processes[process].role == Role::Person {
            return Fate::Succeeds;
        }
        self.faults.count(operation);
        let place = self.schedule.place(process);
        for (stop, victim) in self.faults.stops(operation, &mut self.random) {
            let hits_caller = match victim {
                Victim::Caller | Victim::Machine => true,
                Victim::Process(other) => place == Some(other),
            };
            if hits_caller {
                return Fate::Stops(stop, victim);
            }
            self.kill(victim, None);
        }
        match self.faults.failure(&Caller { place, operation, path }) {
            Some(failure) => Fate::Fails(failure),
            None => Fate::Succeeds,
        }
    }

    fn is_endless(&mut self) -> bool {
        self.calls += 1;
        self.calls > self.call_limit
    }
}

/// The kernel behind its lock.
#[derive(Debug)]
pub(crate) struct Shared {
    kernel: Mutex<Kernel>,
}

impl Shared {
    pub(crate) fn new(kernel: Kernel) -> Self {
        Self { kernel: Mutex::new(kernel) }
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, Kernel> {
        // A program that panics on an assertion leaves the kernel as it should be.
        self.kernel.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One process from its beginning to its end.
    pub(crate) fn live<T>(this: &Arc<Self>, process: usize, program: impl FnOnce(SimFs) -> T) -> Outcome<T> {
        let fs = SimFs::new(this.clone(), process);
        let result = catch_unwind(AssertUnwindSafe(|| {
            drop(this.wait_for_turn(this.lock(), process));
            program(fs)
        }));
        let mut kernel = this.lock();
        let (seed, place) = (kernel.seed, kernel.schedule.place(process).unwrap_or_default());
        kernel.disk.close_all(process);
        kernel.schedule.processes[process].phase = Phase::Done;
        let Kernel { schedule, clock, .. } = &mut *kernel;
        schedule.hand_over(process, clock);
        drop(kernel);
        match result {
            Ok(value) => Outcome::Finished(value),
            Err(payload) if payload.is::<Killed>() => Outcome::Killed,
            Err(payload) => Outcome::Panicked(format!("{} (seed {seed}, process {place})", message_of(&*payload))),
        }
    }

    /// One call: `effect` happens as far as the plan lets it.
    pub(crate) fn call<T>(
        &self,
        process: usize,
        operation: Operation,
        path: &str,
        effect: impl FnOnce(&mut Kernel, Extent) -> Result<T, Failure>,
    ) -> Result<T, Fault> {
        if std::thread::panicking() {
            // A destructor of a process that is ending: the world no longer hears it.
            return Err(Failure::new(FaultKind::Other, "the process is ending").at(operation.verb(), path));
        }
        let mut kernel = self.enter(process);
        let result = match kernel.fate(process, operation, path) {
            Fate::Succeeds => effect(&mut kernel, Extent::Whole),
            Fate::Fails(failure) => {
                if operation.can_be_partial() || operation == Operation::Sync {
                    let _ = effect(&mut kernel, Extent::Failing);
                }
                Err(failure)
            }
            Fate::Stops(stop, victim) => {
                match stop {
                    Stop::Before => {}
                    Stop::After => drop(effect(&mut kernel, Extent::Whole)),
                    Stop::Torn => drop(effect(&mut kernel, Extent::Torn)),
                }
                kernel.kill(victim, Some(process));
                drop(kernel);
                resume_unwind(Box::new(Killed));
            }
            Fate::Endless => give_up(kernel),
        };
        let (steady, failure) = (kernel.clock.steady(), result.as_ref().err().map(|failure| failure.kind));
        kernel.trace.add(process, operation, path, steady, failure);
        result.map_err(|failure| failure.at(operation.verb(), path))
    }

    /// Sleeps in virtual time, while others go on.
    pub(crate) fn pause(&self, process: usize, time: Duration) {
        if std::thread::panicking() {
            return;
        }
        let mut kernel = self.lock();
        if kernel.is_endless() {
            give_up(kernel);
        }
        let until = kernel.clock.steady() + time;
        match kernel.schedule.processes[process].phase {
            Phase::Outside => kernel.clock.advance(time),
            _ if kernel.alive(process) => kernel.schedule.processes[process].phase = Phase::Asleep(until),
            _ => {}
        }
        drop(self.give_way(kernel, process));
    }

    /// Looks at the kernel in passing: no call that counts, and nobody else gets a turn.
    pub(crate) fn glance<T>(&self, process: usize, look: impl FnOnce(&mut Kernel) -> T) -> T {
        let mut kernel = self.lock();
        if !kernel.alive(process) && !std::thread::panicking() {
            drop(kernel);
            resume_unwind(Box::new(Killed));
        }
        look(&mut kernel)
    }

    fn enter(&self, process: usize) -> MutexGuard<'_, Kernel> {
        self.give_way(self.lock(), process)
    }

    /// Lets others go on if the schedule says so, and comes back with the turn. Unwinds if the process was stopped.
    fn give_way<'a>(&'a self, mut kernel: MutexGuard<'a, Kernel>, process: usize) -> MutexGuard<'a, Kernel> {
        if kernel.alive(process) && kernel.schedule.processes[process].phase != Phase::Outside {
            let Kernel { schedule, clock, .. } = &mut *kernel;
            if schedule.hand_over(process, clock) {
                return self.wait_for_turn(kernel, process);
            }
        }
        unwind_if_dead(kernel, process)
    }

    fn wait_for_turn<'a>(&'a self, mut kernel: MutexGuard<'a, Kernel>, process: usize) -> MutexGuard<'a, Kernel> {
        let turn = kernel.schedule.processes[process].turn.clone();
        while !kernel.schedule.has_turn(process) {
            kernel = turn.wait(kernel).unwrap_or_else(PoisonError::into_inner);
        }
        unwind_if_dead(kernel, process)
    }
}

fn unwind_if_dead(kernel: MutexGuard<'_, Kernel>, process: usize) -> MutexGuard<'_, Kernel> {
    if !kernel.alive(process) {
        drop(kernel);
        resume_unwind(Box::new(Killed));
    }
    kernel
}

#[allow(clippy::panic, reason = "the test that runs this must fail")]
fn give_up(kernel: MutexGuard<'_, Kernel>) -> ! {
    let (seed, limit, trace) = (kernel.seed, kernel.call_limit, kernel.trace.text());
    drop(kernel);
    let latest: Vec<&str> = trace.lines().rev().take(20).collect();
    panic!("no end after {limit} calls: seed {seed}; the latest calls, newest first:\n{}", latest.join("\n"));
}

fn message_of(payload: &(dyn Any + Send)) -> String {
    if let Some(text) = payload.downcast_ref::<&str>() {
        (*text).into()
    } else if let Some(text) = payload.downcast_ref::<String>() {
        text.clone()
    } else {
        "a panic without a message".into()
    }
}
