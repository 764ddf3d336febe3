//! BY-09: a rate limit or a quota is a state with a time to wake, not an error.

use machine::{Course, Fact, Holder, Input, Limits, MULTIVERSE, Outcome, Status, Work, later, seconds_between};

use crate::driver::{Universe, at_first_task, at_gate, kinds, words};

const NOON: &str = "2026-01-01T00:00:00Z";

fn not_now(seconds: u64) -> Outcome {
    Outcome::Later { seconds, reason: "rate limit of X".into() }
}

/// A run whose first task was put off for a minute.
fn resting() -> Universe {
    let mut universe = at_first_task();
    let fence = universe.only().fence;
    universe.report(fence, not_now(60));
    universe
}

/// BY-09: the work keeps its place, goes on when the time has come, and the attempt counts as none.
#[test]
fn work_that_is_put_off_goes_on_by_itself() {
    let mut universe = resting();
    let rest = universe.run().rests.values().next().expect("it rests").clone();
    assert_eq!((rest.since.as_str(), rest.until.as_str()), (NOON, "2026-01-01T00:01:00Z"));
    assert_eq!(rest.reason, "rate limit of X");
    assert!(universe.attempts().is_empty());
    assert_eq!(universe.run().current(&MULTIVERSE).tasks, ["T05"], "it keeps its place");
    assert_eq!(universe.run().status, Status::Pending);

    for now in [NOON, "2026-01-01T00:00:59Z"] {
        universe.now = now.into();
        assert_eq!(universe.must(&Input::Wake).facts, [], "not yet");
    }
    universe.now = "2026-01-01T00:01:00Z".into();
    assert_eq!(kinds(&universe.must(&Input::Wake).facts), ["Woke", "Assigned execute T05"]);
    assert_eq!(universe.only().number, 1, "it is the first attempt still");
    universe.until(|universe| universe.run().course == Course::Over);
    assert_eq!(universe.run().status, Status::Completed);
}

/// BY-09: whoever takes the run up later waits until the same time; nobody else wakes it.
#[test]
fn a_restart_keeps_the_time() {
    let mut universe = resting();
    universe.me = "p2".into();
    universe.alive = words(&["p2"]);
    assert_eq!(universe.must(&Input::Wake).facts, [], "who does not drive it wakes nothing");
    universe.now = "2026-01-01T00:00:30Z".into();
    assert_eq!(kinds(&universe.must(&Input::Claim).facts), ["Driven"]);
    universe.now = "2026-01-01T00:01:30Z".into();
    universe.must(&Input::Wake);
    assert_eq!(universe.only().holder, Holder::Process("p2".into()));
}

/// BY-09: what holds one agent of a role back holds back the others: nothing more is handed out to that role. Those who
/// are at work go on.
#[test]
fn nobody_else_runs_into_the_same_limit() {
    let mut universe = at_gate();
    (universe.jobs, universe.tasks) = (2, 7);
    universe.until(Universe::at_work(&Work::Execute("T05".into())));
    let [first, second] = universe.attempts().try_into().expect("two are at work");
    universe.report(first.fence, not_now(60));
    let outcome = universe.outcome(&second.work);
    let done = universe.report(second.fence, outcome);
    assert!(!kinds(&done.facts).iter().any(|kind| kind.starts_with("Assigned execute")), "{done:?}");
    universe.now = "2026-01-01T00:01:00Z".into();
    universe.must(&Input::Wake);
    assert_eq!(universe.attempts().len(), 2);
}

/// BY-09: it is not put off for ever: after so many times a person is to look at it, and may have it go on.
#[test]
fn what_is_put_off_too_often_pauses() {
    let mut universe = at_first_task();
    universe.limits = Limits { rests: 2, rest_seconds: 3600, ..Limits::default() };
    for _ in 0..2 {
        let fence = universe.only().fence;
        universe.report(fence, not_now(1));
        universe.now = later(&universe.now, 1);
        universe.must(&Input::Wake);
    }
    let fence = universe.only().fence;
    universe.report(fence, not_now(u64::MAX));
    let rest = universe.run().rests.values().next().expect("it rests");
    assert_eq!(seconds_between(&rest.since, &rest.until), 3600, "no longer than the limit");
    let paused = universe.run().paused.clone().unwrap_or_default();
    assert_eq!(paused, "execute T05 was put off 3 times, the last time: rate limit of X");
    universe.must(&Input::Resume);
    assert_eq!(universe.only().number, 1);
    assert!(universe.run().rests.is_empty(), "who has it go on wants it now");
}

/// QL-24: a clock that was set back does not put anything off for longer.
#[test]
fn a_clock_that_jumps_back_ends_a_rest() {
    let mut universe = resting();
    universe.now = "2025-06-01T00:00:00Z".into();
    assert_eq!(kinds(&universe.must(&Input::Wake).facts), ["Woke", "Assigned execute T05"]);
}

/// A run that ends has nothing that rests.
#[test]
fn a_cancelled_run_wakes_no_more() {
    let mut universe = resting();
    universe.must(&Input::Cancel { by: "me".into() });
    assert!(universe.run().rests.is_empty());
    assert!(universe.facts.iter().any(|fact| matches!(fact, Fact::Rested { .. })));
}

#[test]
fn moments_are_reckoned_by_the_calendar() {
    let check = |moment: &str, seconds: u64, expected: &str| {
        assert_eq!(later(moment, seconds), expected);
        if expected != moment && !expected.starts_with("9999") {
            assert_eq!(seconds_between(moment, expected), seconds, "{moment} to {expected}");
        }
    };
    check("2026-12-31T23:59:59Z", 1, "2027-01-01T00:00:00Z");
    check("2028-02-28T12:00:00Z", 86_400, "2028-02-29T12:00:00Z");
    check("2100-02-28T12:00:00Z", 86_400, "2100-03-01T12:00:00Z");
    check("1970-01-01T00:00:00Z", 1_000_000_000, "2001-09-09T01:46:40Z");
    check("2000-03-01T00:00:00Z", 400 * 31_556_952, "2400-03-01T00:00:00Z");
    check("2026-01-01T00:00:00Z", u64::MAX, "9999-12-31T23:59:59Z");
    for nothing in ["", "now", "2026-13-01T00:00:00Z", "2026-01-01T00:00:00+01:00", "2026-01-01 00:00:00Z"] {
        assert_eq!(later(nothing, 5), nothing);
        assert_eq!(seconds_between(nothing, NOON), 0);
    }
    assert_eq!(seconds_between("2027-01-01T00:00:00Z", NOON), 0, "time does not go back");
}
