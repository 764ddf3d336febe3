//! QL-20, QL-23: people who do more than edit: remove documents, move them away and back, put one or several back to
//! what they were; while processes work, and while nobody is there. Counts: see `store.rs`.

use sim::driver::{Event, Plan, Tally, Who, Work, any_call, count};
use sim::{LossMode, Random, Stop};

/// While processes work: what is gone was taken out by a record.
#[test]
fn documents_are_removed_and_put_back_among_many() {
    let mut tally = Tally::default();
    let mut random = Random::new(31);
    for seed in 8000..8000 + count("MULTIVERSE_SIM_SEEDS", 60) {
        let mut plan = Plan::new(Work::Hands, seed, 1 + random.below(3), 8, 5);
        if random.one_in(4) {
            plan = plan.with(Event::NoExchange);
        }
        let call = any_call(&plan, &mut random);
        let stop = Stop::ALL[random.below(3)];
        tally.check(&plan);
        tally.check(&plan.clone().with(Event::Kill(call, stop)).then(Who::Everyone));
        tally.check(&plan.with(Event::Loss(call, stop, LossMode::ALL[random.below(4)])).then(Who::Everyone));
    }
    tally.tell("documents are removed and put back among many");
}

/// While nobody is there: what the person left is what is in the documents.
#[test]
fn what_is_done_while_nobody_is_there_stands() {
    let mut tally = Tally::default();
    let mut random = Random::new(32);
    for seed in 8500..8500 + count("MULTIVERSE_SIM_SEEDS", 80) {
        let mut plan = Plan::new(Work::Hands, seed, 1 + random.below(3), 8, 1 + random.below(4));
        for _ in 0..1 + random.below(3) {
            plan = plan.then(Who::Opener).then(Who::Person);
            if random.one_in(3) {
                plan = plan.then(Who::Everyone);
            }
        }
        tally.check(&plan);
        // Whoever comes first is killed before all is taken over.
        let call = 1 + random.below(40) as u64;
        let plan = plan.then(Who::Opener).then(Who::Person).then(Who::Opener);
        tally.check(&plan.with(Event::Kill(call, Stop::ALL[random.below(3)])));
    }
    tally.tell("what is done while nobody is there stands");
}
