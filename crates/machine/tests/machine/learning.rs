//! What a run learns from is a fact of it, from its beginning.

use machine::{Fact, Input, MULTIVERSE, Mode, PastRun, Status, Verdict};

use crate::driver::{RUN, Universe, at_gate};

fn past(run_id: &str, score: u16) -> PastRun {
    let status = if score > 500 { Status::Completed } else { Status::Failed };
    let failure = if score > 500 { String::new() } else { "no paper".into() };
    let (shared, files) = (vec!["boats".into()], Vec::new());
    PastRun { run_id: run_id.into(), score, status, shared, request: "boats".into(), failure, files }
}

fn learned(facts: &[Fact]) -> Option<Vec<PastRun>> {
    facts.iter().find_map(|fact| match fact {
        Fact::Learned { past } => Some(past.clone()),
        _ => None,
    })
}

/// MV-05: empty for INITIAL_RUN; for CONTINUOUS_RUN what fits, as a fact of its first step.
#[test]
fn a_run_that_continues_learns_at_its_beginning() {
    let fitting = vec![past("run-a", 900), past("run-b", 300)];
    for (mode, past, expected) in [
        (Mode::InitialRun, fitting.clone(), None),
        (Mode::ContinuousRun, Vec::new(), None),
        (Mode::ContinuousRun, fitting.clone(), Some(fitting.clone())),
    ] {
        let mut universe = Universe::new(&MULTIVERSE);
        universe.past = past;
        let start = machine::start(&MULTIVERSE, RUN, "boats", mode, "", &universe.world(), &universe.limits);
        let decision = start.expect("a run starts");
        assert_eq!(learned(&decision.facts), expected, "{mode:?}");
        universe.take(&decision);
        assert_eq!(universe.run().learned, expected.unwrap_or_default());
    }
}

/// MV-05, MV-10: another request is like other runs; other answers change nothing that was learned.
#[test]
fn what_was_learned_follows_the_request() {
    let answer = |verdict| Input::Answer { verdict, by: "me".into() };
    let mut universe = at_gate();
    universe.run.as_mut().expect("a run").mode = Mode::ContinuousRun;
    universe.replayed.as_mut().expect("a run").mode = Mode::ContinuousRun;
    universe.past = vec![past("run-a", 900)];
    let modified = universe.try_decide(&answer(Verdict::Modify("shorter".into()))).expect("it waits");
    assert_eq!(learned(&modified.facts), None);
    let anew = universe.give(&answer(Verdict::NewRequest("fish".into()))).expect("it waits");
    assert_eq!(learned(&anew.facts), Some(vec![past("run-a", 900)]));
    assert_eq!(universe.run().learned, [past("run-a", 900)]);
}

/// A fact keeps its spelling.
#[test]
fn how_it_is_written() {
    let fact = Fact::Learned { past: vec![past("run-b", 300)] };
    let written = serde_json::to_string(&fact).expect("it can be written");
    assert_eq!(
        written,
        r#"{"learned":{"past":[{"run_id":"run-b","score":300,"status":"failed","shared":["boats"],"request":"boats","failure":"no paper"}]}}"#
    );
    assert_eq!(serde_json::from_str::<Fact>(&written).expect("it can be read"), fact);
}
