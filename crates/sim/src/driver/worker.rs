//! A process at work: it opens the project, does its deeds, folds every record once, and opens again when the store
//! says so. What a single deed is, is said elsewhere.

use std::collections::BTreeSet;
use std::time::Duration;

use store::{CommitError, Due, Fault, FaultKind, Fs, Missing, Record, Store};

use super::examine::{Finding, adopt_shared, check_meant};
use super::{Ledger, Plan, Work, deeds, shared_documents};
use crate::{Random, SimFs};

/// How often a process looks for edits before it no longer waits for the person to be done.
const LOOKS: usize = 1000;

/// What a process carries from deed to deed.
pub(super) struct Scope<'a> {
    pub work: Work,
    /// Unlike that of any other process of any round.
    pub name: usize,
    pub step: usize,
    pub random: Random,
    pub ledger: &'a Ledger,
    /// The numbers of the records that this process knows of.
    folded: BTreeSet<u64>,
    /// The numbers of its own commits.
    pub own: Vec<u64>,
}

impl Scope<'_> {
    /// What this step writes, unlike what any other does.
    pub(super) fn token(&self) -> String {
        format!("p{}-{}-", self.name, self.step)
    }

    /// Takes in a record of this process's own.
    #[allow(clippy::panic, reason = "a panic of a simulated process is a finding of the test")]
    pub(super) fn fold(&mut self, number: u64) {
        if !self.folded.insert(number) {
            panic!("process {} was told of record {number} twice", self.name);
        }
    }

    /// Effects follow from records, so none may be missed.
    #[allow(clippy::panic, reason = "a panic of a simulated process is a finding of the test")]
    fn check_fold(&mut self, store: &mut Store<SimFs>) -> Result<(), Fault> {
        store.take_news()?.iter().for_each(|record| self.fold(record.number));
        let head = store.head().number;
        if !self.folded.iter().copied().eq(1..=head) {
            let missed: Vec<u64> = (1..=head).filter(|number| !self.folded.contains(number)).collect();
            panic!("process {}, step {}: of {head} records it was never told of {missed:?}", self.name, self.step);
        }
        Ok(())
    }
}

/// A process that works through its steps.
#[allow(clippy::panic, reason = "a panic of a simulated process is a finding of the test")]
pub(super) fn work(fs: &SimFs, plan: &Plan, round: usize, process: usize, ledger: &Ledger) {
    let name = round * 10 + process;
    let random = Random::new(plan.seed ^ (name as u64 + 1) << 32);
    let mut scope = Scope { work: plan.work, name, step: 0, random, ledger, folded: BTreeSet::new(), own: Vec::new() };
    let faults_are_planned = plan.rounds[round].failures().is_some();
    let mut store = None;
    let meet = |store: &mut Option<Store<SimFs>>, step: usize, error: CommitError| match error {
        CommitError::Fault(fault) if faults_are_planned => {
            ledger.meet(&fault);
            // A fault may be the last that a store has to say: then it says so when it is asked again.
            if store.as_mut().is_some_and(|store| needs_reopening(store, ledger)) {
                *store = None;
            }
        }
        error => panic!("process {name}, step {step}: {error}"),
    };
    for step in 0..plan.steps {
        scope.step = step;
        if let Err(error) = take_step(&mut store, fs, &mut scope) {
            meet(&mut store, step, error);
        }
    }
    if plan.work == Work::Editors
        && let Some(store) = &mut store
        && let Err(fault) = wait_for_the_person(store, round, &mut scope)
    {
        meet(&mut None, plan.steps, fault.into());
    }
    // Not every process ends as it should.
    if scope.random.below(3) > 0
        && let Some(store) = store.take()
        && let Err(fault) = store.close()
    {
        meet(&mut None, plan.steps, fault.into());
    }
}

/// A process that comes, finds everything in order or brings it there, and goes.
#[allow(clippy::panic, reason = "a panic of a simulated process is a finding of the test")]
pub(super) fn open_and_close(fs: SimFs, plan: &Plan, round: usize, ledger: &Ledger) {
    let done = Store::open(fs, Missing::Create, ledger.listener()).and_then(|mut store| {
        store.finish()?;
        let mut findings = check_meant(&store, ledger)?;
        match adopt_shared(&mut store) {
            Err(CommitError::Fault(fault)) => return Err(fault),
            other => findings.extend(other.err().map(|error| Finding(error.to_string()))),
        }
        store.close().map(|_| findings)
    });
    match done {
        Ok(findings) if findings.is_empty() => {}
        Ok(findings) => panic!("{findings:?}"),
        Err(fault) if plan.rounds[round].failures().is_some() => ledger.meet(&fault),
        Err(fault) => panic!("it cannot be opened and closed: {fault}"),
    }
}

fn needs_reopening(store: &mut Store<SimFs>, ledger: &Ledger) -> bool {
    match store.catch_up() {
        Ok(()) => false,
        Err(fault) => {
            ledger.meet(&fault);
            fault.kind == FaultKind::Reopen
        }
    }
}

/// The numbers of the records that a fold covers.
pub(super) fn numbers_of(store: &Store<SimFs>) -> Vec<u64> {
    store.fold().and_then(|fold| serde_json::from_str(fold.get()).ok()).unwrap_or_default()
}

fn take_step(store: &mut Option<Store<SimFs>>, fs: &SimFs, scope: &mut Scope<'_>) -> Result<(), CommitError> {
    let store = match store {
        Some(store) => store,
        None => {
            let mut opened = Store::open(fs.clone(), Missing::Create, Box::new(|_| {}))?;
            scope.folded = numbers_of(&opened).into_iter().collect();
            scope.check_fold(&mut opened)?;
            store.insert(opened)
        }
    };
    match scope.random.below(12) {
        0..3 if scope.work == Work::Past => deeds::other(store, scope)?,
        0..7 => deeds::main(store, scope)?,
        7 => deeds::other(store, scope)?,
        8 => drop(store.look()?),
        9 => drop(store.place_meanwhile()?),
        10 => checkpoint(store, scope)?,
        _ => store.fs().pause(Duration::from_millis(scope.random.below(80) as u64)),
    }
    scope.check_fold(store)?;
    if scope.work == Work::Editors {
        store.look()?;
        tell_what_was_taken(store, scope.ledger);
    }
    Ok(())
}

fn checkpoint(store: &mut Store<SimFs>, scope: &mut Scope<'_>) -> Result<(), Fault> {
    let fold = |news: Vec<Record>| {
        news.iter().for_each(|record| scope.fold(record.number));
        serde_json::value::to_raw_value(&scope.folded.iter().collect::<Vec<_>>()).ok()
    };
    store.checkpoint(fold).map(drop)
}

/// Goes on looking for edits while somebody makes some.
fn wait_for_the_person(store: &mut Store<SimFs>, round: usize, scope: &mut Scope<'_>) -> Result<(), Fault> {
    for _ in 0..LOOKS {
        if scope.ledger.deeds().people_done > round {
            break;
        }
        store.look()?;
        tell_what_was_taken(store, scope.ledger);
        store.place(Due::Now)?;
        store.fs().pause(Duration::from_millis(30));
    }
    Ok(())
}

fn tell_what_was_taken(store: &Store<SimFs>, ledger: &Ledger) {
    let texts: String = shared_documents()
        .iter()
        .filter_map(|path| store.read(path))
        .map(|text| String::from_utf8_lossy(&text.to_vec()).into_owned())
        .collect();
    let mut deeds = ledger.deeds();
    let taken: Vec<String> =
        deeds.saved.iter().map(|deed| deed.token.clone()).filter(|token| texts.contains(token)).collect();
    deeds.taken.extend(taken);
}
