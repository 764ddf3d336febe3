//! QL-24: calls fail: disk full, device errors, no permission, no handles, read-only; once or for a while. Whoever met
//! a fault goes on with the store, or opens it again when told to; nothing acknowledged is lost, nothing is half
//! there, and when the world is mended work goes on. Counts: see `store.rs`.

use sim::driver::{Event, Failing, Plan, Tally, Who, Work, any_call, calls, count};
use sim::{LossMode, Operation, Random, Stop};

/// Every call fails once, and once together with the nine after it.
#[test]
fn every_call_fails_once() {
    let mut tally = Tally::default();
    for seed in 0..count("MULTIVERSE_SIM_STOPS", 1) {
        let plan = Plan::new(Work::Rows, seed, 1, 8, 0);
        // Three calls in five change nothing.
        for skip in 0..calls(&plan) * 5 / 2 {
            let kind = Failing::KINDS[usize::try_from((skip + seed) % 5).unwrap()];
            for times in [1, 10] {
                let failing = Failing { kind, operation: None, below: None, process: None, skip, times };
                tally.check(&plan.clone().with(Event::Fail(failing)).then(Who::Everyone));
            }
        }
    }
    tally.tell("every call fails once");
}

/// Some calls fail for some process, among several and a person.
#[test]
fn calls_fail_among_many() {
    let mut tally = Tally::default();
    let mut random = Random::new(24);
    for seed in 2000..2000 + count("MULTIVERSE_SIM_SEEDS", 100) {
        let plan = Plan::new(Work::ALL[random.below(Work::ALL.len())], seed, 3, 7, 2);
        let plan = (0..=random.below(3)).fold(plan, |plan, _| plan.with(Event::Fail(failing(&mut random))));
        tally.check(&plan.then(Who::Everyone));
    }
    tally.tell("calls fail among many");
}

/// Syncs of the journal fail, which makes the system forget what it could not write; then something stops.
#[test]
fn failed_syncs_of_the_journal_and_then_an_accident() {
    let mut tally = Tally::default();
    let mut random = Random::new(25);
    for seed in 3000..3000 + count("MULTIVERSE_SIM_SEEDS", 100) {
        let plan = Plan::new(Work::Rows, seed, 1 + random.below(3), 7, 0);
        let failing = Failing {
            kind: Failing::KINDS[random.below(Failing::KINDS.len())],
            operation: Some([Operation::Sync, Operation::SyncFolder][usize::from(random.one_in(5))]),
            below: Some(".multiverse/journal"),
            process: None,
            skip: random.below(12) as u64,
            times: 1 + random.below(3) as u64,
        };
        let call = any_call(&plan, &mut random);
        let plan = plan.with(Event::Fail(failing));
        let stop = Stop::ALL[random.below(3)];
        let mode = LossMode::ALL[random.below(4)];
        tally.check(&plan.clone().with(Event::Kill(call, stop)).with(Event::DropCaches).then(Who::Everyone));
        tally.check(&plan.clone().with(Event::DropCaches).then(Who::Everyone));
        tally.check(&plan.with(Event::Loss(call, stop, mode)).then(Who::Everyone));
    }
    tally.tell("failed syncs of the journal and then an accident");
}

/// Commits that are written together: when a call of the journal fails none of them is there, unless the store says
/// that it does not know; with an accident on top, too.
#[test]
fn batches_fail_as_a_whole() {
    let mut tally = Tally::default();
    let mut random = Random::new(27);
    for seed in 3500..3500 + count("MULTIVERSE_SIM_SEEDS", 60) {
        let plan = Plan::new(Work::Batches, seed, 1 + random.below(3), 7, 0);
        let failing = Failing {
            kind: Failing::KINDS[random.below(Failing::KINDS.len())],
            operation: random
                .pick(&[Operation::Write, Operation::Truncate, Operation::Sync, Operation::Unlock])
                .copied(),
            below: Some([".multiverse/journal", ".multiverse"][random.below(2)]),
            process: None,
            skip: random.below(20) as u64,
            times: 1 + random.below(3) as u64,
        };
        let call = any_call(&plan, &mut random);
        let plan = plan.with(Event::Fail(failing));
        let stop = Stop::ALL[random.below(3)];
        tally.check(&plan.clone().then(Who::Everyone));
        tally.check(&plan.clone().with(Event::Kill(call, stop)).then(Who::Everyone));
        tally.check(&plan.with(Event::Loss(call, stop, LossMode::ALL[random.below(4)])).then(Who::Everyone));
    }
    tally.tell("batches fail as a whole");
}

/// Opening after an accident fails at every call once, and works the next time.
#[test]
fn recovery_fails_at_every_call() {
    let mut tally = Tally::default();
    let mut random = Random::new(26);
    for seed in 0..count("MULTIVERSE_SIM_STOPS", 2) {
        let plan = Plan::new(Work::Rows, seed, 1, 8, 0);
        let call = any_call(&plan, &mut random);
        for accident in [Event::Kill(call, Stop::Torn), Event::Loss(call, Stop::Torn, LossMode::Mixed)] {
            for skip in 0..70 {
                let kind = Failing::KINDS[usize::try_from(skip % 5).unwrap()];
                let failing = Failing { kind, operation: None, below: None, process: None, skip, times: 1 };
                let plan = plan.clone().with(accident).then(Who::Opener).with(Event::Fail(failing));
                tally.check(&plan.then(Who::Everyone));
            }
        }
    }
    tally.tell("recovery fails at every call");
}

fn failing(random: &mut Random) -> Failing {
    let below = if random.one_in(2) { random.pick(&Failing::PLACES).copied() } else { None };
    let operation = if random.one_in(4) { None } else { random.pick(&Failing::OPERATIONS).copied() };
    Failing {
        kind: Failing::KINDS[random.below(Failing::KINDS.len())],
        operation,
        below,
        process: if random.one_in(2) { Some(random.below(3)) } else { None },
        skip: random.below(if operation.is_some() { 20 } else { 200 }) as u64,
        times: [1, 1, 2, 5, 40][random.below(5)],
    }
}
