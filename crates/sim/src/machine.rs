//! The simulated machine: one disk, one clock, several processes, and what is planned to go wrong. A test makes one
//! from a seed, runs programs on it, pulls the plug, and runs programs again.
//!
//! Programs are ordinary blocking code, each on its own thread, of which exactly one runs at a time. They may wait for
//! each other through the world only (locks on files, pauses): a program that blocks on a channel or a mutex
//! held by another never comes back.

use std::collections::BTreeMap;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::time::Duration;

use crate::clock::Clock;
use crate::disk::Disk;
use crate::faults::{Injection, Moment, Stop, Victim};
use crate::kernel::{Exchange, Kernel, Shared, Writers};
use crate::loss::LossMode;
use crate::person::Person;
use crate::schedule::{Phase, Process, Role};
use crate::sim_fs::SimFs;

/// A program to run: it gets the world as its process sees it.
pub type Program<'a, T> = Box<dyn FnOnce(SimFs) -> T + Send + 'a>;

/// How a process ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome<T> {
    /// It returned.
    Finished(T),
    /// It was stopped as planned.
    Killed,
    /// It panicked by itself, with this message, which names the seed.
    Panicked(String),
}

impl<T> Outcome<T> {
    /// What it returned; `None` when it was stopped as planned.
    ///
    /// # Panics
    /// When the program panicked: its assertion is the test's.
    #[allow(clippy::panic, reason = "hands on a panic that happened")]
    pub fn returned(self) -> Option<T> {
        match self {
            Self::Finished(value) => Some(value),
            Self::Killed => None,
            Self::Panicked(message) => panic!("{message}"),
        }
    }
}

/// A simulated machine. A clone is the same machine.
#[derive(Debug, Clone)]
pub struct Machine {
    shared: Arc<Shared>,
}

impl Machine {
    /// A machine with an empty disk. The seed decides all that is left to chance.
    pub fn new(seed: u64) -> Self {
        Self::with_disk(seed, Disk::new(), Clock::new())
    }

    fn with_disk(seed: u64, disk: Disk, clock: Clock) -> Self {
        Self { shared: Arc::new(Shared::new(Kernel::new(seed, disk, clock))) }
    }

    /// Another machine whose disk and clock are as they are here now, with nothing running: for trying several
    /// futures of one moment.
    #[must_use]
    pub fn fork(&self, seed: u64) -> Self {
        let kernel = self.shared.lock();
        let mut disk = kernel.disk.clone();
        disk.close_everything();
        let fork = Self::with_disk(seed, disk, kernel.clock.clone());
        fork.shared.lock().boot = kernel.boot;
        fork
    }

    /// The seed it was made from.
    pub fn seed(&self) -> u64 {
        self.shared.lock().seed
    }

    /// A process outside any run: it is never made to wait for others. When it is stopped, its next call unwinds.
    pub fn fs(&self) -> SimFs {
        let process = self.shared.lock().schedule.add(Role::Program, Phase::Outside);
        SimFs::new(self.shared.clone(), process)
    }

    /// Somebody who edits files, outside any run: the edits happen at once, and never fail by plan.
    pub fn person(&self) -> Person {
        Person::new(self.fs())
    }

    /// Runs one program to its end, on this thread.
    pub fn run_one<T>(&self, program: impl FnOnce(SimFs) -> T) -> Outcome<T> {
        let process = self.shared.lock().schedule.begin(1);
        Shared::live(&self.shared, process, program)
    }

    /// Runs programs to their end, side by side; the seed chooses who goes on at each call. The place of a program in
    /// the list is its name for [`Victim::Process`] and [`Injection::of_process`].
    pub fn run<T: Send>(&self, mut programs: Vec<Program<'_, T>>) -> Vec<Outcome<T>> {
        if programs.len() == 1 {
            return programs.pop().map(|program| self.run_one(program)).into_iter().collect();
        }
        let first = self.shared.lock().schedule.begin(programs.len());
        std::thread::scope(|scope| {
            let live = |(place, program)| scope.spawn(move || Shared::live(&self.shared, first + place, program));
            let threads: Vec<_> = programs.into_iter().enumerate().map(live).collect();
            threads.into_iter().map(|thread| thread.join().unwrap_or_else(|payload| resume_unwind(payload))).collect()
        })
    }

    /// Plans a stop; several may be planned, each happens once.
    pub fn stop_at(&self, moment: Moment, stop: Stop, victim: Victim) {
        self.shared.lock().faults.stop_at(moment, stop, victim);
    }

    /// Plans failing calls; several may be planned, the earliest that matches wins. A sync that fails also gives up
    /// what it should have written, as Linux does.
    pub fn inject(&self, injection: Injection) {
        self.shared.lock().faults.inject(injection);
    }

    /// Nothing planned goes wrong any more.
    pub fn mend(&self) {
        self.shared.lock().faults.mend();
    }

    /// Stops a process of the present run, by its place, wherever it is: kill -9. Its cache is the machine's and stays.
    pub fn kill(&self, place: usize) {
        self.shared.lock().kill(Victim::Process(place), None);
    }

    /// Suspends a process of the present run, by its place, from its next call on: SIGSTOP. It goes on when resumed, and
    /// when no other process is left that could.
    pub fn suspend(&self, place: usize) {
        self.change_process(place, |process| process.suspended = true);
    }

    /// Lets a suspended process go on: SIGCONT.
    pub fn resume(&self, place: usize) {
        self.change_process(place, |process| process.suspended = false);
    }

    /// Stops every process, those outside a run too; the machine stays up.
    pub fn kill_all(&self) {
        self.shared.lock().kill(Victim::Machine, None);
    }

    /// The machine loses power: every process stops, of what was not synced only a part is left, and the next boot has
    /// another id.
    pub fn power_loss(&self, mode: LossMode) {
        self.shared.lock().power_loss(mode);
    }

    /// Memory gets short: what failed syncs gave up is read from the platter again, as it was before.
    pub fn drop_caches(&self) {
        self.shared.lock().disk.forget_given_up();
    }

    /// How many bytes all files together may have; `None` for no limit.
    pub fn set_capacity(&self, bytes: Option<usize>) {
        self.shared.lock().disk.capacity = bytes.unwrap_or(usize::MAX);
    }

    /// With several processes, one call in so many hands over to another.
    pub fn switch_one_in(&self, calls: usize) {
        self.shared.lock().schedule.switch_one_in = calls;
    }

    /// Calls after which every program panics; the default means that somebody waits for what never happens.
    pub fn limit_calls(&self, calls: u64) {
        self.shared.lock().call_limit = calls;
    }

    /// Nobody can tell any more whether a file is open for writing, as on systems without leases.
    pub fn hide_writers(&self) {
        self.shared.lock().writers = Writers::Hidden;
    }

    /// From now on the file system cannot swap two files in one step.
    pub fn forbid_exchange(&self) {
        self.shared.lock().exchange = Exchange::Unsupported;
    }

    /// Sets the wall clock back.
    pub fn set_clock_back(&self, time: Duration) {
        self.shared.lock().clock.set_back(time);
    }

    /// Lets time pass.
    pub fn pass(&self, time: Duration) {
        self.shared.lock().clock.advance(time);
    }

    /// Calls made by programs so far.
    pub fn operations(&self) -> u64 {
        self.shared.lock().faults.counts().calls
    }

    /// Calls made by programs so far that could change something.
    pub fn changes(&self) -> u64 {
        self.shared.lock().faults.counts().changes
    }

    /// Every file with its bytes, by path, as a process would read them now.
    pub fn files(&self) -> BTreeMap<String, Vec<u8>> {
        self.shared.lock().disk.contents()
    }

    /// A digest of every call so far with its time and result: equal for two runs that went the same way.
    pub fn fingerprint(&self) -> u64 {
        self.shared.lock().trace.digest()
    }

    /// The latest calls, one per line, for the report of a failure.
    pub fn trace(&self) -> String {
        self.shared.lock().trace.text()
    }

    fn change_process(&self, place: usize, change: impl FnOnce(&mut Process)) {
        let schedule = &mut self.shared.lock().schedule;
        if let Some(process) = schedule.at(place) {
            change(&mut schedule.processes[process]);
        }
    }
}
