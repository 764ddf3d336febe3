//! Drives the store on the simulated machine: several processes commit, a person edits, things go wrong as a plan
//! says, round after round; then the project is opened again and everything that was promised is looked for.

mod deeds;
mod examine;
mod history;
mod ledger;
mod people;
mod plan;
mod worker;

use std::time::Duration;

use store::ProjectPath;

use crate::{Machine, Moment, Outcome, Program, Random, Victim};

pub use examine::Finding;
pub use ledger::{Deed, Deeds, Ledger};
pub use plan::{Event, Failing, Plan, Round, Who, Work};

/// What a run of a plan brought.
#[derive(Debug)]
pub struct Report {
    /// What was promised and is not so.
    pub findings: Vec<Finding>,
    /// How many faults processes met.
    pub faults: u64,
    /// How many changing calls each round made.
    pub calls: Vec<u64>,
}

/// Runs a plan, opens the project again, and reports what was promised and is not so.
pub fn run(plan: &Plan) -> Report {
    simulate(plan).1
}

/// Runs a plan and holds everything promised against what is there.
///
/// # Panics
/// When a promise is broken: with the line to keep in `tests/seeds/`.
pub fn check(plan: &Plan) -> Report {
    let report = run(plan);
    assert!(report.findings.is_empty(), "keep this line in tests/seeds/:\n{plan}\n{:#?}", report.findings);
    report
}

/// How much a test did, for the record.
#[derive(Debug, Default)]
pub struct Tally {
    histories: u64,
    stops: u64,
    faults: u64,
}

impl Tally {
    /// Checks a plan and counts what was in it.
    pub fn check(&mut self, plan: &Plan) {
        let report = check(plan);
        self.histories += 1;
        self.faults += report.faults;
        self.stops += plan.events().filter(|event| matches!(event, Event::Kill(..) | Event::Loss(..))).count() as u64;
    }

    /// Says it, for those who run the test with its output shown.
    #[allow(clippy::print_stderr, reason = "figures for whoever asks for them")]
    pub fn tell(&self, test: &str) {
        let Self { histories, stops, faults } = self;
        eprintln!("{test}: {histories} histories, {stops} stops, {faults} faults met by processes");
    }
}

/// How much to do: by environment variable, else a little.
pub fn count(variable: &str, otherwise: u64) -> u64 {
    std::env::var(variable).ok().and_then(|value| value.parse().ok()).unwrap_or(otherwise)
}

/// How many changing calls the first round makes when nothing goes wrong in it.
pub fn calls(plan: &Plan) -> u64 {
    let machine = machine(plan);
    act(&machine, plan, 0, &Ledger::default());
    machine.changes()
}

/// Some call of the first round.
pub fn any_call(plan: &Plan, random: &mut Random) -> u64 {
    1 + random.number() % calls(plan).max(1)
}

/// The same, told in full: every call, every file that is left, every finding. For looking into a line.
pub fn show(plan: &Plan) -> String {
    let (machine, report) = simulate(plan);
    let mut all = machine.trace();
    for (path, content) in machine.files() {
        let text = String::from_utf8_lossy(&content);
        all += &format!("\n=== {path} ({} bytes)\n{}\n", content.len(), text.trim_end());
    }
    all + &format!("\n{:#?}", report.findings)
}

fn machine(plan: &Plan) -> Machine {
    let machine = Machine::new(plan.seed);
    machine.switch_one_in(if plan.seed.is_multiple_of(2) { 3 } else { 12 });
    machine
}

fn simulate(plan: &Plan) -> (Machine, Report) {
    let machine = machine(plan);
    let ledger = Ledger::default();
    let (mut findings, mut calls) = (Vec::new(), Vec::new());
    for (number, round) in plan.rounds.iter().enumerate() {
        let before = machine.changes();
        if round.who == Who::Everyone {
            ledger.deeds().meant.clear();
            ledger.deeds().told.clear();
        }
        for event in &round.events {
            prepare(&machine, event);
        }
        findings.extend(act(&machine, plan, number, &ledger));
        calls.push(machine.changes() - before);
        machine.mend();
        for event in &round.events {
            conclude(&machine, event);
            // Nobody synced what the person saved.
            if matches!(event, Event::Loss(..)) {
                ledger.deeds().meant.clear();
            }
        }
        findings.extend(too_many_faults(plan, round, &ledger));
    }
    findings.extend(examine::examine(&machine, &ledger, plan));
    let faults = ledger.deeds().faults;
    (machine, Report { findings, faults, calls })
}

fn prepare(machine: &Machine, event: &Event) {
    let moment = |call: u64| Moment::Change(machine.changes() + call);
    match event {
        Event::Kill(call, stop) => machine.stop_at(moment(*call), *stop, Victim::Caller),
        Event::Loss(call, stop, _) => machine.stop_at(moment(*call), *stop, Victim::Machine),
        Event::Fail(failing) => machine.inject(failing.injection()),
        Event::ClockBack(seconds) => machine.set_clock_back(Duration::from_secs(*seconds)),
        Event::HideWriters => machine.hide_writers(),
        Event::NoExchange => machine.forbid_exchange(),
        Event::DropCaches => {}
    }
}

fn conclude(machine: &Machine, event: &Event) {
    match event {
        Event::Loss(_, _, mode) => machine.power_loss(*mode),
        Event::DropCaches => machine.drop_caches(),
        _ => {}
    }
}

fn act(machine: &Machine, plan: &Plan, round: usize, ledger: &Ledger) -> Vec<Finding> {
    let mut programs: Vec<Program<'_, ()>> = Vec::new();
    match plan.rounds[round].who {
        Who::Opener => programs.push(Box::new(|fs| worker::open_and_close(fs, plan, round, ledger))),
        Who::Person => programs.push(Box::new(|fs| people::edit(fs, plan, round, ledger))),
        Who::Everyone => {
            for process in 0..plan.processes {
                programs.push(Box::new(move |fs| worker::work(&fs, plan, round, process, ledger)));
            }
            if plan.saves > 0 {
                programs.push(Box::new(|fs| people::edit(fs, plan, round, ledger)));
            }
        }
    }
    let outcomes = machine.run(programs);
    let panics = outcomes.into_iter().filter_map(|outcome| match outcome {
        Outcome::Panicked(message) => Some(Finding(message)),
        _ => None,
    });
    panics.collect()
}

/// A store that was not said to need reopening works again as soon as the world does: every failing call is met at
/// most once, a failed sync at most once by each process that has the file open.
fn too_many_faults(plan: &Plan, round: &Round, ledger: &Ledger) -> Option<Finding> {
    let met = std::mem::take(&mut ledger.deeds().passing_faults);
    let most = round.failures().unwrap_or_default() * plan.processes.max(1) as u64;
    (met > most).then(|| Finding(format!("{met} faults were met, though only {most} can have been")))
}

/// The documents that all write to.
pub(crate) fn shared_documents() -> Vec<ProjectPath> {
    documents(&["db/process_runs.md", "db/catalog.md", "runs/r1/tasks.md"])
}

pub(crate) fn documents(paths: &[&str]) -> Vec<ProjectPath> {
    paths.iter().filter_map(|path| ProjectPath::document(path).ok()).collect()
}
