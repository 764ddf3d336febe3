//! The store on the faulty disk. Counts come from the environment: small in CI, large by hand. A failure prints its
//! seed; seeds that once failed are kept in `tests/seeds/` and run for ever.

use sim::driver::{Accident, Plan, calls, run};
use sim::{LossMode, Moment, Random, Stop};

/// How much to do, by environment variable.
fn count(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(otherwise)
}

fn check(plan: Plan, accident: Accident) {
    let findings = run(plan, accident);
    assert!(findings.is_empty(), "seed {}, {plan:?}, {accident:?}:\n{findings:#?}", plan.seed);
}

/// QL-20, QL-22, QL-23: several processes and a person, nothing goes wrong.
#[test]
fn all_goes_well() {
    for seed in 0..count("MULTIVERSE_SIM_SEEDS", 60) {
        check(Plan { seed, processes: 3, steps: 8, saves: 4 }, Accident::None);
    }
}

/// QL-20: a single process stops at every call that changes something, in every way; the rest of the disk stays.
#[test]
fn a_process_killed_at_any_call_loses_nothing() {
    for seed in 0..count("MULTIVERSE_SIM_STOPS", 2) {
        let plan = Plan { seed, processes: 1, steps: 8, saves: 0 };
        for call in 1..=calls(plan) {
            for stop in Stop::ALL {
                check(plan, Accident::Kill(Moment::Change(call), stop));
            }
        }
    }
}

/// QL-20: the machine stops at every call that changes something; unsynced bytes are dropped, kept, torn, mixed.
#[test]
fn a_power_loss_at_any_call_loses_nothing_acknowledged() {
    for seed in 0..count("MULTIVERSE_SIM_STOPS", 2) {
        let plan = Plan { seed, processes: 1, steps: 8, saves: 0 };
        for call in 1..=calls(plan) {
            for mode in LossMode::ALL {
                let stop = Stop::ALL[usize::try_from(call % 3).unwrap()];
                check(plan, Accident::PowerLoss(Moment::Change(call), stop, mode));
            }
        }
    }
}

/// QL-20, QL-22, QL-23: several processes and a person, an accident at a random call.
#[test]
fn accidents_among_many() {
    let mut random = Random::new(1);
    for seed in 1000..1000 + count("MULTIVERSE_SIM_SEEDS", 150) {
        let plan = Plan { seed, processes: 3, steps: 7, saves: 3 };
        let moment = Moment::Change(1 + random.below(usize::try_from(calls(plan)).unwrap()) as u64);
        let stop = Stop::ALL[random.below(3)];
        check(plan, Accident::Kill(moment, stop));
        check(plan, Accident::PowerLoss(moment, stop, LossMode::ALL[random.below(4)]));
    }
}
