//! QL-20: several accidents in one history. Counts: see `store.rs`.

use sim::driver::{Event, Plan, Tally, Who, Work, any_call, calls, count, run};
use sim::{LossMode, Random, Stop};

/// After an accident, whoever opens the project is stopped at every call of the recovery, in the same boot and by
/// another power loss.
#[test]
fn recovery_is_stopped_at_every_call() {
    let mut tally = Tally::default();
    let mut random = Random::new(3);
    for seed in 0..count("MULTIVERSE_SIM_STOPS", 2) {
        let plan = Plan::new(Work::Rows, seed, 2, 6, 0);
        let call = any_call(&plan, &mut random);
        let mode = LossMode::ALL[random.below(4)];
        for accident in [Event::Kill(call, Stop::Torn), Event::Loss(call, Stop::Torn, mode)] {
            let crashed = plan.clone().with(accident).then(Who::Opener);
            let recovery = run(&crashed).calls[1];
            for call in 1..=recovery {
                let stop = Stop::ALL[random.below(3)];
                let mode = LossMode::ALL[random.below(4)];
                tally.check(&crashed.clone().with(Event::Kill(call, stop)));
                tally.check(&crashed.clone().with(Event::Loss(call, stop, mode)));
            }
        }
    }
    tally.tell("recovery is stopped at every call");
}

/// Work, accident, work, accident, recovery, accident, work; the clock goes back now and then.
#[test]
fn accidents_one_after_the_other() {
    let mut tally = Tally::default();
    let mut random = Random::new(4);
    for seed in 4000..4000 + count("MULTIVERSE_SIM_SEEDS", 100) {
        let mut plan = Plan::new(Work::Rows, seed, 2, 5, 2);
        let most = usize::try_from(calls(&plan)).unwrap();
        for round in 0..3 + random.below(3) {
            if round > 0 {
                plan = plan.then(if random.one_in(3) { Who::Opener } else { Who::Everyone });
            }
            if random.one_in(4) {
                plan = plan.with(Event::ClockBack([1, 60, 86_400][random.below(3)]));
            }
            let within = if random.one_in(2) { most } else { 30 };
            let call = 1 + random.below(within) as u64;
            let stop = Stop::ALL[random.below(3)];
            plan = match random.below(5) {
                0 | 1 => plan.with(Event::Loss(call, stop, LossMode::ALL[random.below(4)])),
                2 => plan.with(Event::Kill(call, stop)).with(Event::Kill(call + 9, stop)),
                3 => plan.with(Event::Kill(call, stop)),
                _ => plan,
            };
        }
        tally.check(&plan.then(Who::Everyone));
    }
    tally.tell("accidents one after the other");
}

/// The same without a power loss, so that no edit may be lost either.
#[test]
fn kills_one_after_the_other_lose_no_edit() {
    let mut tally = Tally::default();
    let mut random = Random::new(5);
    for seed in 5000..5000 + count("MULTIVERSE_SIM_SEEDS", 100) {
        let mut plan = Plan::new(Work::Rows, seed, 2, 5, 3);
        let most = usize::try_from(calls(&plan)).unwrap();
        for _ in 0..3 {
            for _ in 0..random.below(3) {
                plan = plan.with(Event::Kill(1 + random.below(most) as u64, Stop::ALL[random.below(3)]));
            }
            if random.one_in(4) {
                plan = plan.with(Event::ClockBack([1, 60, 86_400][random.below(3)]));
            }
            plan = plan.then(if random.one_in(4) { Who::Opener } else { Who::Everyone });
        }
        tally.check(&plan);
    }
    tally.tell("kills one after the other lose no edit");
}

/// QL-23: where nobody can tell who has a file open, half a save may be taken for a whole one; what it takes out stays
/// in the history.
#[test]
fn where_writers_cannot_be_seen_nothing_is_lost_for_good() {
    let mut tally = Tally::default();
    let mut random = Random::new(6);
    for seed in 6000..6000 + count("MULTIVERSE_SIM_SEEDS", 60) {
        let plan = Plan::new(Work::Rows, seed, 2, 8, 3).with(Event::HideWriters);
        let call = any_call(&plan, &mut random);
        tally.check(&plan);
        tally.check(&plan.with(Event::Kill(call, Stop::ALL[random.below(3)])).then(Who::Everyone));
    }
    tally.tell("where writers cannot be seen nothing is lost for good");
}

/// QL-20, QL-23: where the file system cannot swap two files, nothing is lost either, except what is renamed into place
/// at the wrong moment: nobody here saves like that.
#[test]
fn without_exchange_nothing_is_lost() {
    let mut tally = Tally::default();
    let mut random = Random::new(7);
    for seed in 6500..6500 + count("MULTIVERSE_SIM_SEEDS", 60) {
        let work = [Work::Rows, Work::Crlf, Work::Counter, Work::Files, Work::Batches][random.below(5)];
        let plan = Plan::new(work, seed, 1 + random.below(3), 8, 3).with(Event::NoExchange);
        let call = any_call(&plan, &mut random);
        let stop = Stop::ALL[random.below(3)];
        tally.check(&plan);
        tally.check(&plan.clone().with(Event::Kill(call, stop)).then(Who::Everyone));
        tally.check(&plan.with(Event::Loss(call, stop, LossMode::ALL[random.below(4)])).then(Who::Everyone));
    }
    tally.tell("without exchange nothing is lost");
}
