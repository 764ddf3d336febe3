//! Whole runs.

use machine::{Course, FileNote, Hierarchy, Input, Item, LINEAGE, MULTIVERSE, State, Status};

use crate::driver::{Universe, started, states};

fn walk(hierarchy: &'static Hierarchy, jobs: usize, tasks: usize, newest_first: bool) -> Universe {
    let mut universe = Universe::new(hierarchy);
    (universe.jobs, universe.tasks) = (jobs, tasks);
    universe.start();
    while universe.run().course != Course::Over {
        if universe.run().course == Course::Gate {
            universe.confirm();
            continue;
        }
        let attempts = universe.attempts();
        let attempt =
            if newest_first { attempts.last() } else { attempts.first() }.expect("somebody is at work").clone();
        assert!(attempts.len() <= jobs, "no more than {jobs} at once");
        let outcome = universe.outcome(&attempt.work);
        universe.report(attempt.fence, outcome);
    }
    universe
}

fn items(universe: &Universe) -> Vec<Item> {
    universe.run().in_plan_order(universe.hierarchy).into_iter().cloned().collect()
}

fn files(universe: &Universe) -> Vec<FileNote> {
    let mut files: Vec<FileNote> = universe
        .facts
        .iter()
        .flat_map(|fact| match fact {
            machine::Fact::Completed { files, .. } => files.clone(),
            _ => Vec::new(),
        })
        .collect();
    files.sort_by(|one, other| one.path.cmp(&other.path));
    files
}

/// MV-27: a run ends when all its phases are completed; nothing is current any more.
#[test]
fn a_whole_run() {
    for (hierarchy, count) in [(&MULTIVERSE, 4 + 4 + 8 + 8 * 3 + 8 * 4), (&LINEAGE, 3 + 2 + 4 + 8 + 8 * 3 + 8 * 4)] {
        let universe = walk(hierarchy, 1, 3, false);
        assert_eq!(universe.run().failure, None);
        assert_eq!(universe.run().status, Status::Completed);
        assert_eq!(states(&universe).len(), count, "{}", hierarchy.protocol);
        assert!(universe.run().items.iter().all(|item| item.state == State::Completed));
        assert_eq!(universe.run().current(hierarchy), machine::Current::default());
        assert_eq!(
            (universe.run().tries.len(), universe.run().worked.len(), universe.run().driver.clone()),
            (0, 0, None)
        );
    }
}

/// LN-04: with five levels, each holder is planned, and is current while it is open.
#[test]
fn five_levels() {
    let mut universe = started(&LINEAGE);
    universe.until(|universe| {
        universe.run().items.iter().any(|item| item.level == 3 && item.parent.as_deref() == Some("ph-1_stg-1_sub-01"))
    });
    assert_eq!(universe.run().current(&LINEAGE).holders, ["ph-1", "ph-1_stg-1", "ph-1_stg-1_sub-01"]);
}

/// MV-33: whatever the number of jobs and the order in which they end, the items and their files are the same.
#[test]
fn jobs_change_nothing() {
    for hierarchy in [&MULTIVERSE, &LINEAGE] {
        let one = walk(hierarchy, 1, 7, false);
        for (jobs, newest_first) in [(8, false), (8, true), (3, true)] {
            let many = walk(hierarchy, jobs, 7, newest_first);
            assert_eq!(items(&one), items(&many), "{jobs} jobs");
            assert_eq!(files(&one), files(&many), "{jobs} jobs");
        }
    }
}

/// MV-33: no task begins before what it reads is there; the first ones begin first.
#[test]
fn ready_tasks_begin_first_ones_first() {
    let mut universe = Universe::new(&MULTIVERSE);
    (universe.jobs, universe.tasks) = (3, 7);
    universe.start();
    universe.until(|universe| universe.run().item("T05").is_some());
    assert_eq!(universe.run().current(&MULTIVERSE).tasks, ["T05", "T07", "T08"]);
    let fence = universe.attempts()[0].fence;
    let outcome = universe.outcome(&universe.attempts()[0].work);
    universe.report(fence, outcome);
    assert_eq!(universe.run().current(&MULTIVERSE).tasks, ["T06", "T07", "T08"], "T06 is free now, and first");
    universe.jobs = 9;
    universe.must(&Input::Wake);
    assert_eq!(universe.run().current(&MULTIVERSE).tasks, ["T06", "T07", "T08", "T09", "T10", "T11"]);
}
