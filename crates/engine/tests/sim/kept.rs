//! Histories that once failed; they run for ever.

use sim::{LossMode, Stop};

use crate::duet::Duet;
use crate::history::{Accident, History};
use crate::scenario::Scenario;

/// QL-20
#[test]
fn kept_histories_hold() {
    let kept = [
        // The first call of all.
        (Scenario::Single, 1, vec![Accident::Kill(1, Stop::Before)]),
        (Scenario::Pair, 1, vec![Accident::Loss(1, Stop::Torn, LossMode::Strict)]),
        // Of two runs the other one was first to catalog the inputs.
        (Scenario::Pair, 67, vec![Accident::Kill(67, Stop::Torn)]),
    ];
    let long = [
        // A table that was behind by more than is remembered was not brought up to date by the opening.
        (Scenario::Long, 134, vec![Accident::Kill(134, Stop::Torn), Accident::Kill(40, Stop::Before)]),
    ];
    for (scenario, seed, accidents) in kept.into_iter().chain(long) {
        History::new(scenario, seed, accidents).check();
    }
    // A driver that was at rest did not hear that another process had answered for it.
    for (seed, accidents) in [(0, 0), (1000, 1), (1002, 3)] {
        Duet { seed, accidents }.check();
    }
}
