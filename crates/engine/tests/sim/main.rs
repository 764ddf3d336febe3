//! QL-20, QL-21 for the engine: whole runs on the faulty disk, stopped at every call, opened again and carried on. Must
//! not know how the engine does it: only what its documents, its journal and its agents see.
//!
//! Counts come from the environment, small by default: `MULTIVERSE_SIM_STOPS` is how many of the calls of a scenario are
//! stopped at (0 for every one), `MULTIVERSE_SIM_SEEDS` how many random histories there are. By hand:
//! `MULTIVERSE_SIM_STOPS=0 MULTIVERSE_SIM_SEEDS=2000 cargo nextest run --no-capture -p engine --test sim`.
//! A failure prints its history; such histories are kept in `kept.rs` and run for ever.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test ends where it fails")]

mod duet;
mod examine;
mod history;
mod journal;
mod kept;
mod log;
mod puppet;
mod scenario;
mod tables;

use duet::Duet;
use history::{Accident, History, Tally, changes, count};
use scenario::Scenario;
use sim::{LossMode, Random, Stop};

/// The calls of a scenario at which it is stopped: all of them, or some that are spread over it.
fn stops(scenario: Scenario, otherwise: u64) -> Vec<u64> {
    let all = changes(scenario);
    let wanted = match count("MULTIVERSE_SIM_STOPS", otherwise) {
        0 => all,
        wanted => wanted.min(all),
    };
    (0..wanted).map(|number| 1 + number * all / wanted).collect()
}

fn kill_everywhere(scenario: Scenario, otherwise: u64) {
    let mut tally = Tally::default();
    for call in stops(scenario, otherwise) {
        let stop = [Stop::After, Stop::Torn][usize::try_from(call % 2).unwrap()];
        tally.check(&History::new(scenario, call, vec![Accident::Kill(call, stop)]));
    }
    tally.tell(&format!("{scenario:?} killed at every call"));
}

fn lose_power_everywhere(scenario: Scenario, otherwise: u64) {
    let mut tally = Tally::default();
    for call in stops(scenario, otherwise) {
        let number = usize::try_from(call).unwrap();
        let stop = Stop::ALL[number % 3];
        let every = count("MULTIVERSE_SIM_STOPS", otherwise) == 0;
        let modes = if every { &LossMode::ALL[..] } else { &LossMode::ALL[number % 4..=number % 4] };
        for mode in modes {
            tally.check(&History::new(scenario, call, vec![Accident::Loss(call, stop, *mode)]));
        }
    }
    tally.tell(&format!("{scenario:?} without power at every call"));
}

/// QL-20, QL-21, MV-23, MV-25, MV-35: two stages, parallel tasks, tools before and after, a MODIFY, a plan sent back.
#[test]
fn a_run_killed_at_any_call_ends_as_if_nothing_had_happened() {
    kill_everywhere(Scenario::Single, 60);
}

/// The same with what was not synced lost, kept, torn, mixed.
#[test]
fn a_run_that_lost_its_power_at_any_call_ends_as_if_nothing_had_happened() {
    lose_power_everywhere(Scenario::Single, 60);
}

/// QL-20, MV-23, MV-25: two runs at once, of which one asks a question and one fails and is retried.
#[test]
fn two_runs_killed_at_any_call_end_as_if_nothing_had_happened() {
    kill_everywhere(Scenario::Pair, 60);
}

/// The same with what was not synced lost, kept, torn, mixed.
#[test]
fn two_runs_that_lost_their_power_at_any_call_end_as_if_nothing_had_happened() {
    lose_power_everywhere(Scenario::Pair, 60);
}

/// QL-20, BY-08: a run that uses up its budget, asks, and is given more: no question is lost, nothing is counted twice.
#[test]
fn a_run_with_a_budget_stopped_at_any_call_ends_as_if_nothing_had_happened() {
    kill_everywhere(Scenario::Thrifty, 40);
    lose_power_everywhere(Scenario::Thrifty, 40);
}

/// QL-20, QL-21: what the engine knows beside the documents is in the checkpoint, too.
#[test]
fn a_run_that_goes_on_from_a_checkpoint_ends_as_if_nothing_had_happened() {
    let mut tally = Tally::default();
    let calls = changes(Scenario::Long);
    let stops = count("MULTIVERSE_SIM_STOPS", 3);
    let stops = if stops == 0 { calls } else { stops.min(calls) };
    for number in 0..stops {
        let call = 1 + number * calls / stops;
        let accident = match number % 2 {
            0 => Accident::Kill(call, Stop::Torn),
            _ => Accident::Loss(call, Stop::After, LossMode::ALL[usize::try_from(number / 2 % 4).unwrap()]),
        };
        // Opened once more in the end, from what the last one left.
        tally.check(&History::new(Scenario::Long, call, vec![accident, Accident::Kill(40, Stop::Before)]));
    }
    tally.tell("a run goes on from a checkpoint");
}

/// QL-20: accident after accident, some of them while the last one is being recovered from.
#[test]
fn accidents_one_after_the_other_change_nothing_either() {
    let mut tally = Tally::default();
    let mut random = Random::new(51);
    for seed in 0..count("MULTIVERSE_SIM_SEEDS", 40) {
        let scenario = [Scenario::Single, Scenario::Pair, Scenario::Thrifty][random.below(3)];
        let most = usize::try_from(changes(scenario)).unwrap();
        let mut accidents = Vec::new();
        for _ in 0..2 + random.below(6) {
            let within = if random.one_in(2) { most } else { 40 };
            let (call, stop) = (1 + random.below(within) as u64, Stop::ALL[random.below(3)]);
            accidents.push(match random.below(3) {
                0 => Accident::Loss(call, stop, LossMode::ALL[random.below(4)]),
                _ => Accident::Kill(call, stop),
            });
        }
        tally.check(&History::new(scenario, seed, accidents));
    }
    tally.tell("accidents one after the other");
}

/// QL-20, QL-22: one process drives two runs, another confirms, pauses, goes on and cancels; nobody is stopped.
#[test]
fn one_drives_and_one_commands() {
    let mut tally = Tally::default();
    for seed in 0..count("MULTIVERSE_SIM_SEEDS", 8) {
        tally.add(Duet { seed, accidents: 0 }.check());
    }
    tally.tell("one drives and one commands");
}

/// QL-20, QL-22: the same while one of them is stopped, or both, or the machine.
#[test]
fn one_drives_and_one_commands_among_accidents() {
    let mut tally = Tally::default();
    for seed in 1000..1000 + count("MULTIVERSE_SIM_SEEDS", 16) {
        let accidents = 1 + usize::try_from(seed % 4).unwrap();
        tally.add(Duet { seed, accidents }.check());
    }
    tally.tell("one drives and one commands among accidents");
}
