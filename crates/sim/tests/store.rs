//! The store on the faulty disk: single accidents. The other `sim_*` tests have several accidents, failing calls and
//! other kinds of work.
//!
//! Counts come from the environment, small by default: `MULTIVERSE_SIM_SEEDS` histories of each random kind, and
//! `MULTIVERSE_SIM_STOPS` histories that are stopped at every call. By hand:
//! `MULTIVERSE_SIM_SEEDS=2000 MULTIVERSE_SIM_STOPS=20 cargo nextest run --no-capture -p sim`.
//! A failure prints its history as one line; such lines are kept in `tests/seeds/` and run for ever.

use sim::driver::{Event, Plan, Tally, Work, any_call, calls, count};
use sim::{LossMode, Random, Stop};

/// QL-20, QL-22, QL-23: several processes and a person, nothing goes wrong.
#[test]
fn all_goes_well() {
    let mut tally = Tally::default();
    for seed in 0..count("MULTIVERSE_SIM_SEEDS", 60) {
        tally.check(&Plan::new(Work::Rows, seed, 3, 8, 4));
    }
    tally.tell("all goes well");
}

/// QL-20: a single process stops at every call that changes something, in every way; the rest of the disk stays.
#[test]
fn a_process_killed_at_any_call_loses_nothing() {
    let mut tally = Tally::default();
    for seed in 0..count("MULTIVERSE_SIM_STOPS", 2) {
        let plan = Plan::new(Work::Rows, seed, 1, 8, 0);
        for call in 1..=calls(&plan) {
            for stop in Stop::ALL {
                tally.check(&plan.clone().with(Event::Kill(call, stop)));
            }
        }
    }
    tally.tell("a process killed at any call loses nothing");
}

/// QL-20: the machine stops at every call that changes something; unsynced bytes are dropped, kept, torn, mixed.
#[test]
fn a_power_loss_at_any_call_loses_nothing_acknowledged() {
    let mut tally = Tally::default();
    for seed in 0..count("MULTIVERSE_SIM_STOPS", 2) {
        let plan = Plan::new(Work::Rows, seed, 1, 8, 0);
        for call in 1..=calls(&plan) {
            for mode in LossMode::ALL {
                let stop = Stop::ALL[usize::try_from(call % 3).unwrap()];
                tally.check(&plan.clone().with(Event::Loss(call, stop, mode)));
            }
        }
    }
    tally.tell("a power loss at any call loses nothing acknowledged");
}

/// QL-20, QL-22, QL-23: several processes and a person, an accident at a random call.
#[test]
fn accidents_among_many() {
    let mut tally = Tally::default();
    let mut random = Random::new(1);
    for seed in 1000..1000 + count("MULTIVERSE_SIM_SEEDS", 100) {
        let plan = Plan::new(Work::Rows, seed, 3, 7, 3);
        let call = any_call(&plan, &mut random);
        let stop = Stop::ALL[random.below(3)];
        tally.check(&plan.clone().with(Event::Kill(call, stop)));
        tally.check(&plan.with(Event::Loss(call, stop, LossMode::ALL[random.below(4)])));
    }
    tally.tell("accidents among many");
}
