//! Carries a scenario through a list of accidents, and holds what is left against a run that had none.

use std::collections::{BTreeMap, HashMap};
use std::sync::{LazyLock, Mutex};

use sim::{LossMode, Machine, Moment, Outcome, Stop, Victim};

use crate::examine::{examine, examine_end};
use crate::log::SharedLog;
use crate::scenario::{self, Scenario, go_on, machine_with_inputs};
use crate::tables::left;

/// Something that ends the process, at the so-many-eth changing call after the last opening.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Accident {
    /// The process is killed; the machine stays.
    Kill(u64, Stop),
    /// The machine loses its power.
    Loss(u64, Stop, LossMode),
}

/// A scenario with its accidents: one of them for each opening, then none.
#[derive(Debug, Clone)]
pub(crate) struct History {
    pub scenario: Scenario,
    pub seed: u64,
    pub accidents: Vec<Accident>,
}

/// What is left when nothing goes wrong.
struct Undisturbed {
    documents: BTreeMap<String, String>,
    changes: u64,
}

static BASE: LazyLock<Machine> = LazyLock::new(machine_with_inputs);
static UNDISTURBED: LazyLock<Mutex<HashMap<Scenario, &'static Undisturbed>>> = LazyLock::new(Mutex::default);

impl std::hash::Hash for Scenario {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        (*self as u8).hash(state);
    }
}

impl History {
    pub(crate) fn new(scenario: Scenario, seed: u64, accidents: Vec<Accident>) -> Self {
        Self { scenario, seed, accidents }
    }

    /// Carries it out.
    ///
    /// # Panics
    /// When anything that was promised is not so.
    pub(crate) fn check(&self) -> u64 {
        let machine = BASE.fork(self.seed);
        let log = SharedLog::default();
        let mut stops = 0;
        for accident in &self.accidents {
            let now = machine.changes();
            match *accident {
                Accident::Kill(call, stop) => machine.stop_at(Moment::Change(now + call), stop, Victim::Caller),
                Accident::Loss(call, stop, _) => machine.stop_at(Moment::Change(now + call), stop, Victim::Machine),
            }
            let over = self.open_once(&machine, &log);
            machine.mend();
            match accident {
                Accident::Loss(_, _, mode) if !over => machine.power_loss(*mode),
                _ => {}
            }
            stops += u64::from(!over);
        }
        if !self.open_once(&machine, &log) {
            log.lock().findings.push("it was stopped though nothing was to stop it".into());
        }
        examine_end(&machine, &log);
        let found = std::mem::take(&mut log.lock().findings);
        assert!(found.is_empty(), "keep this in kept.rs: {self:?}\n{found:#?}");
        let undisturbed = undisturbed(self.scenario);
        let documents = left(&machine.files());
        for (path, content) in &undisturbed.documents {
            assert_eq!(documents.get(path), Some(content), "{path} differs; keep this in kept.rs: {self:?}");
        }
        let more: Vec<_> = documents.keys().filter(|path| !undisturbed.documents.contains_key(*path)).collect();
        assert!(more.is_empty(), "{more:?} should not be there; keep this in kept.rs: {self:?}");
        stops
    }

    /// Opens the project, looks at all of it, and carries on; false when it was stopped on the way.
    fn open_once(&self, machine: &Machine, log: &SharedLog) -> bool {
        let outcome = machine.run_one(|fs| {
            let mut service = scenario::open(fs, log)?;
            examine(machine, &service, log);
            while go_on(self.scenario, &mut service, log)? {}
            service.close().map(|_| ())
        });
        match outcome {
            Outcome::Killed => return false,
            Outcome::Finished(Ok(())) => {}
            Outcome::Finished(Err(error)) => log.lock().findings.push(format!("it ended with an error: {error}")),
            Outcome::Panicked(message) => log.lock().findings.push(message),
        }
        true
    }
}

fn undisturbed(scenario: Scenario) -> &'static Undisturbed {
    let mut all = UNDISTURBED.lock().unwrap();
    all.entry(scenario).or_insert_with(|| {
        let machine = BASE.fork(0);
        let log = SharedLog::default();
        let before = machine.changes();
        assert!(History::new(scenario, 0, Vec::new()).open_once(&machine, &log));
        examine_end(&machine, &log);
        let found = std::mem::take(&mut log.lock().findings);
        assert!(found.is_empty(), "{scenario:?} without an accident: {found:#?}");
        let answers: usize = log.lock().answered.values().sum();
        assert!(
            scenario != Scenario::Thrifty || answers >= 3,
            "it asks for more twice, beside the proposal: {answers}"
        );
        let is_checkpoint = |path: &String| path.starts_with(".multiverse/checkpoints/");
        assert_eq!(machine.files().keys().any(is_checkpoint), scenario == Scenario::Long, "{scenario:?}");
        Box::leak(Box::new(Undisturbed { documents: left(&machine.files()), changes: machine.changes() - before }))
    })
}

/// A project in which nothing has happened yet.
pub(crate) fn base() -> &'static Machine {
    &BASE
}

/// What a scenario leaves when nothing goes wrong.
pub(crate) fn undisturbed_documents(scenario: Scenario) -> &'static BTreeMap<String, String> {
    &undisturbed(scenario).documents
}

/// How many changing calls a scenario makes when nothing goes wrong.
pub(crate) fn changes(scenario: Scenario) -> u64 {
    undisturbed(scenario).changes
}

/// How much to do: by environment variable, else a little.
pub(crate) fn count(variable: &str, otherwise: u64) -> u64 {
    sim::driver::count(variable, otherwise)
}

/// How much a test did, for the record.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    histories: u64,
    stops: u64,
}

impl Tally {
    pub(crate) fn check(&mut self, history: &History) {
        self.add(history.check());
    }

    /// Counts a history that was checked.
    pub(crate) fn add(&mut self, stops: u64) {
        self.stops += stops;
        self.histories += 1;
    }

    #[allow(clippy::print_stderr, reason = "figures for whoever asks for them")]
    pub(crate) fn tell(&self, what: &str) {
        eprintln!("{what}: {} histories, {} stops", self.histories, self.stops);
    }
}
