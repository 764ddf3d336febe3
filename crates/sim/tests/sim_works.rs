//! QL-20, QL-22, QL-23: other documents and other decisions than rows at the end of a table: CRLF, no final line feed,
//! large tables, a counter, claims, needs, whole files, two editors,
//! several commits at a time. Counts: see `store.rs`.

use sim::driver::{Event, Plan, Tally, Who, Work, any_call, count};
use sim::{LossMode, Random, Stop};

/// One kind of work with several processes and a person: undisturbed, with a kill, with a power loss.
fn check(work: Work, otherwise: u64) {
    let mut tally = Tally::default();
    let mut random = Random::new(work as u64);
    for seed in 7000..7000 + count("MULTIVERSE_SIM_SEEDS", otherwise) {
        let plan = Plan::new(work, seed, 3, 7, if seed % 2 == 0 { 3 } else { 0 });
        let call = any_call(&plan, &mut random);
        let stop = Stop::ALL[random.below(3)];
        tally.check(&plan);
        tally.check(&plan.clone().with(Event::Kill(call, stop)).then(Who::Everyone));
        tally.check(&plan.with(Event::Loss(call, stop, LossMode::ALL[random.below(4)])).then(Who::Everyone));
    }
    tally.tell(&format!("{work:?}"));
}

#[test]
fn documents_with_crlf_keep_every_row() {
    check(Work::Crlf, 30);
}

#[test]
fn documents_without_a_final_line_feed_keep_every_row() {
    check(Work::Unended, 30);
}

#[test]
fn large_tables_keep_every_cell() {
    check(Work::Large, 15);
}

#[test]
fn a_counter_counts_every_acknowledged_step_once() {
    check(Work::Counter, 30);
}

#[test]
fn a_row_is_claimed_by_one_process_only() {
    check(Work::Claims, 30);
}

#[test]
fn no_commit_passes_a_gate_that_was_turned_unseen() {
    check(Work::Gate, 30);
}

#[test]
fn whole_files_are_replaced_only_by_those_who_saw_them() {
    check(Work::Files, 30);
}

#[test]
fn two_editors_on_one_document_keep_the_lines_of_both() {
    check(Work::Editors, 30);
}

#[test]
fn commits_that_are_written_together_count_one_by_one() {
    check(Work::Batches, 30);
}

#[test]
fn going_back_and_retiring_keep_what_is_not_taken_back() {
    check(Work::Past, 30);
}
