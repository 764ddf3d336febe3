//! Drives the store on the simulated machine: several processes commit, a person edits, something stops at a chosen
//! call; then the project is opened again and everything that was promised is looked for.

mod examine;
mod people;
mod writers;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use store::ProjectPath;

use crate::{LossMode, Machine, Moment, Outcome, Program, Stop, Victim};

pub use examine::{Finding, examine};

/// Who does how much.
#[derive(Debug, Clone, Copy)]
pub struct Plan {
    /// Decides what each one does, and who goes on at each call.
    pub seed: u64,
    /// How many processes commit.
    pub processes: usize,
    /// How many deeds each of them does.
    pub steps: usize,
    /// How many times a person saves a document.
    pub saves: usize,
}

/// What goes wrong.
#[derive(Debug, Clone, Copy)]
pub enum Accident {
    /// Nothing.
    None,
    /// One process is killed at a call; the others go on.
    Kill(Moment, Stop),
    /// The machine loses power at a call.
    PowerLoss(Moment, Stop, LossMode),
}

/// What was done, kept outside the simulated machine.
#[derive(Debug, Clone, Default)]
pub struct Ledger(Arc<Mutex<Deeds>>);

/// The deeds of all.
#[derive(Debug, Default)]
pub struct Deeds {
    /// Commits that were begun: the token each one writes, and the documents it writes it to.
    pub begun: Vec<Deed>,
    /// The tokens of those that were acknowledged.
    pub acknowledged: Vec<String>,
    /// Tokens that a person has saved.
    pub saved: Vec<Deed>,
}

/// A token in some documents: in all of them or in none.
#[derive(Debug, Clone)]
pub struct Deed {
    /// The token, unlike any other.
    pub token: String,
    /// The documents.
    pub documents: Vec<ProjectPath>,
}

impl Ledger {
    /// The deeds so far.
    pub fn deeds(&self) -> MutexGuard<'_, Deeds> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The documents that all write to.
pub(crate) fn shared_documents() -> Vec<ProjectPath> {
    ["db/process_runs.md", "db/catalog.md", "runs/r1/tasks.md"]
        .iter()
        .filter_map(|path| ProjectPath::document(path).ok())
        .collect()
}

/// Runs the plan with its accident, opens the project again, and reports what was promised and is not so.
pub fn run(plan: Plan, accident: Accident) -> Vec<Finding> {
    simulate(plan, accident).1
}

fn simulate(plan: Plan, accident: Accident) -> (Machine, Vec<Finding>) {
    let machine = Machine::new(plan.seed);
    machine.switch_one_in(if plan.seed.is_multiple_of(2) { 3 } else { 12 });
    let ledger = Ledger::default();
    match accident {
        Accident::None => {}
        Accident::Kill(moment, stop) => machine.stop_at(moment, stop, Victim::Caller),
        Accident::PowerLoss(moment, stop, _) => machine.stop_at(moment, stop, Victim::Machine),
    }
    let mut findings = act(&machine, plan, &ledger);
    if let Accident::PowerLoss(_, _, mode) = accident {
        machine.power_loss(mode);
    }
    machine.mend();
    findings.extend(examine(&machine, &ledger, accident));
    (machine, findings)
}

/// The same, told in full: every call, every file that is left, every finding. For looking into a seed.
pub fn show(plan: Plan, accident: Accident) -> String {
    let (machine, findings) = simulate(plan, accident);
    let mut all = machine.trace();
    for (path, content) in machine.files() {
        let text = String::from_utf8_lossy(&content);
        all += &format!("\n=== {path} ({} bytes)\n{}\n", content.len(), text.trim_end());
    }
    all + &format!("\n{findings:#?}")
}

/// How many calls the plan makes when nothing goes wrong.
pub fn calls(plan: Plan) -> u64 {
    let machine = Machine::new(plan.seed);
    machine.switch_one_in(if plan.seed.is_multiple_of(2) { 3 } else { 12 });
    act(&machine, plan, &Ledger::default());
    machine.changes()
}

fn act(machine: &Machine, plan: Plan, ledger: &Ledger) -> Vec<Finding> {
    let mut programs: Vec<Program<'_, ()>> = Vec::new();
    for process in 0..plan.processes {
        let ledger = ledger.clone();
        programs.push(Box::new(move |fs| writers::write(fs, plan, process, &ledger)));
    }
    if plan.saves > 0 {
        let ledger = ledger.clone();
        programs.push(Box::new(move |fs| people::edit(fs, plan, &ledger)));
    }
    let outcomes = machine.run(programs);
    let panics = outcomes.into_iter().filter_map(|outcome| match outcome {
        Outcome::Panicked(message) => Some(Finding(message)),
        _ => None,
    });
    panics.collect()
}
