//! Many runs at once: what is decided for all of them together is what each of them would have come to alone.

mod puppets;

use std::collections::BTreeMap;

use engine::{Interrupt, Verdict};
use puppets::{Project, Puppet, carry_through};

const RUNS: usize = 20;

/// A run's own documents, its id left out.
fn own(project: &Project, run: &str) -> BTreeMap<String, String> {
    project.left(run).into_iter().filter(|(name, _)| name.contains("RUN")).collect()
}

/// QL-02, MV-33: decisions that are made ahead, by several threads, leave no trace; with less room than runs they are made
/// again when their turn comes.
#[test]
fn runs_at_once_are_as_runs_alone() {
    let alone = {
        let project = Project::new();
        let mut service = project.open(Puppet { tasks: 5, ..Puppet::default() }, 1);
        let run = carry_through(&mut service);
        service.close().unwrap();
        own(&project, &run)
    };
    assert!(alone.len() > 10, "{:?}", alone.keys());
    for jobs in [1, 7, RUNS, 2 * RUNS] {
        let project = Project::new();
        let mut service = project.open(Puppet { tasks: 5, ..Puppet::default() }, jobs);
        let runs: Vec<String> =
            (0..RUNS).map(|_| service.start("Make a report of the boats", None).unwrap().run).collect();
        service.drive(&runs, &Interrupt::new()).unwrap();
        for run in &runs {
            service.answer(run, Verdict::Confirm, "a test").unwrap();
        }
        service.drive(&runs, &Interrupt::new()).unwrap();
        for run in &runs {
            assert_eq!(service.view(run).unwrap().status, "COMPLETED", "{jobs} jobs, {run}");
        }
        service.close().unwrap();
        for run in &runs {
            let left = own(&project, run);
            for (name, content) in &alone {
                assert_eq!(left.get(name), Some(content), "{jobs} jobs, {run}, {name}");
            }
            assert_eq!(left.len(), alone.len(), "{jobs} jobs, {run}");
        }
    }
}
