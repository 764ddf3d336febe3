//! RM-04: Protocol 0 in order: stale locks, blocked items, replies, alignment, selection; each goes before the next.

use machine::roadmap::{Fact, Input, Outcome, ReadQuestion, Status, TaskReading, Why, Work};

use crate::driver::{
    GOAL, Universe, add, adds, after, beginning, blocked, change, claiming, done, failed, misaligned, planned, read,
    work,
};

fn reply(id: &str) -> TaskReading {
    let question = ReadQuestion { id: id.into(), question: "which?".into(), answer: Some("the red one".into()) };
    TaskReading { goal: GOAL.into(), questions: vec![question] }
}

fn assigned(facts: &[Fact]) -> Vec<Work> {
    let all = facts.iter().filter_map(|fact| match fact {
        Fact::Assigned(attempt) => Some(attempt.work.clone()),
        _ => None,
    });
    all.collect()
}

/// All five have something to do; each time one is done, the next one in the order is.
#[test]
fn the_whole_order() {
    let mut universe = Universe::with(vec![read("1"), read("2"), read("3"), read("4")]);
    // 1 fails; 2 is held by an opening that will be gone.
    universe.report(failed());
    assert_eq!(universe.works(), [Work::Plan(Why::Failed("1".into()))]);
    universe.join("p2");
    assert_eq!(universe.works(), [Work::Plan(Why::Failed("1".into())), work("2")]);
    universe.must(&Input::Pause { reason: "nothing is to be taken".into() });
    universe.at("p1").report(Outcome::Lost("gone".into()));
    universe.must(&Input::TaskEdited(TaskReading { goal: "goal-2".into(), ..reply("q") }));
    universe.alive.remove("p2");

    let facts = universe.must(&Input::Resume);
    let released =
        facts.iter().position(|fact| matches!(fact, Fact::Moved { item, to: Status::Pending, .. } if item == "2"));
    let plans = facts.iter().position(|fact| matches!(fact, Fact::Assigned(_)));
    assert!(released.expect("stale lock") < plans.expect("a plan"), "stale locks go first: {facts:?}");
    assert_eq!(assigned(&facts), [Work::Plan(Why::Failed("1".into()))], "then blocked items, failed ones, too");

    let cancel = machine::roadmap::CancelItem { item: "1".into(), reason: "no".into(), instead: vec![] };
    let changes = machine::roadmap::PlanChanges { cancel: vec![cancel], ..Default::default() };
    let facts = universe.report(planned(changes));
    assert_eq!(assigned(&facts), [Work::Plan(Why::Reply("q".into()))], "then replies");
    let facts = universe.report(planned(adds(&[add("5", &[])])));
    assert_eq!(assigned(&facts), [misaligned()], "then the goal");
    let facts = universe.report(planned(adds(&[add("6", &[])])));
    assert_eq!(assigned(&facts), [work("2")], "then what is free, in order");
}

/// Stale locks go before everything: what a dead one had is the first to be taken again, in the same step.
#[test]
fn stale_locks_before_selection() {
    let mut universe = Universe::with(vec![read("1"), read("2"), read("3")]);
    universe.join("p2");
    assert_eq!(universe.works(), [work("1"), work("2")]);
    universe.alive.remove("p1");
    let facts = universe.at("p2").report(done());
    assert_eq!(assigned(&facts), [work("1")], "1 comes before 3");
}

/// Blocked items go before replies, and others go on meanwhile; while a reply waits, nothing new is begun.
#[test]
fn blocked_before_replies() {
    let mut universe = Universe::with(vec![read("1"), read("2"), read("3")]);
    universe.report(blocked());
    assert_eq!(universe.works(), [Work::Plan(Why::Blocked("1".into()))]);
    universe.join("p2");
    assert_eq!(universe.works().len(), 2, "others go on: {:?}", universe.works());
    universe.must(&Input::TaskEdited(reply("q")));
    universe.join("p3");
    assert_eq!(universe.works().len(), 2, "there is one planner at a time, and nothing new before the reply");
    universe.at("p2").report(done());
    assert_eq!(universe.works(), [Work::Plan(Why::Blocked("1".into()))]);
    universe.at("p1").report(planned(adds(&[])));
    assert_eq!(universe.works(), [Work::Plan(Why::Blocked("1".into()))], "still blocked: it goes first again");
    let changes = machine::roadmap::PlanChanges { change: vec![change("1")], ..Default::default() };
    universe.report(planned(changes));
    assert_eq!(universe.works(), [Work::Plan(Why::Reply("q".into()))]);
}

/// Replies go before the goal, and both keep all else from beginning.
#[test]
fn replies_before_alignment() {
    let mut universe = Universe::idle(vec![read("1")]);
    universe.must(&Input::Pause { reason: "x".into() });
    universe.must(&Input::TaskEdited(TaskReading { goal: "goal-2".into(), ..reply("q") }));
    universe.must(&Input::Resume);
    assert_eq!(universe.works(), [Work::Plan(Why::Reply("q".into()))]);
    universe.join("p2");
    assert_eq!(universe.works().len(), 1, "nothing new while a reply is taken up");
    universe.at("p1").report(planned(adds(&[])));
    assert_eq!(universe.works(), [misaligned()]);
    universe.at("p2").wake();
    assert_eq!(universe.works().len(), 1, "nothing new while the goal is planned");
    assert_eq!(universe.waits("1"), "waits for the planner");
    universe.at("p1").report(planned(adds(&[])));
    assert_eq!(universe.works(), [work("1")]);
    assert_eq!(universe.session().planned, "goal-2");
}

/// Alignment goes before selection: with no roadmap, and with one for another goal.
#[test]
fn alignment_before_selection() {
    let mut universe = Universe::new();
    universe.start(&machine::roadmap::Beginning { planned: String::new(), ..beginning(vec![]) });
    assert_eq!(universe.works(), [misaligned()]);
    universe.report(planned(adds(&[add("1", &[]), add("2", &["1"])])));
    assert_eq!(universe.works(), [work("1")]);
    universe.must(&Input::TaskEdited(TaskReading { goal: "goal-2".into(), questions: vec![] }));
    universe.report(done());
    assert_eq!(universe.works(), [misaligned()], "2 is free, and the goal goes first");
    // The goal changes once more while it is planned: what was planned is for the goal before.
    universe.must(&Input::TaskEdited(TaskReading { goal: "goal-3".into(), questions: vec![] }));
    universe.report(planned(adds(&[])));
    assert_eq!((universe.session().planned.as_str(), universe.works()), ("goal-2", vec![misaligned()]));
}

/// Selection takes the first in order that is free: dependencies completed, claims not in use (BY-10).
#[test]
fn selection_in_order() {
    let mut universe = Universe::with(vec![
        after("1", &["4"]),
        claiming("2", &["src/a.rs"]),
        claiming("3", &["src"]),
        read("4"),
        claiming("5", &["docs"]),
    ]);
    universe.hands = 10;
    universe.wake();
    assert_eq!(universe.works(), [work("2"), work("4"), work("5")], "1 waits for 4, 3 clashes with 2");
    assert_eq!(universe.waits("1"), "waits for 4, which is Locked");
    assert_eq!(universe.waits("3"), "somebody has src/a.rs");
    let fence = universe.session().attempts.iter().find(|(_, one)| one.work == work("2")).map(|(fence, _)| *fence);
    universe.must(&Input::Report { fence: fence.expect("2 is at work"), outcome: done() });
    assert_eq!(universe.works(), [work("4"), work("5"), work("3")]);
    universe.report(done());
    let fence = universe.session().attempts.iter().find(|(_, one)| one.work == work("4")).map(|(fence, _)| *fence);
    let facts = universe.must(&Input::Report { fence: fence.expect("4 is at work"), outcome: done() });
    assert_eq!(assigned(&facts), [work("1")], "one commit takes the report and hands out what it makes free");
}

/// As many as there are hands, and none more; two openings never hold one item (RM-05).
#[test]
fn hands() {
    let mut universe = Universe::new();
    universe.hands = 3;
    universe.start(&beginning((1..=8).map(|number| read(&number.to_string())).collect()));
    assert_eq!(universe.works(), ["1", "2", "3"].map(work));
    universe.hands = 2;
    universe.join("p2");
    assert_eq!(universe.works(), ["1", "2", "3", "4", "5"].map(work));
    universe.hands = 0;
    universe.wake();
    assert_eq!(universe.works().len(), 5);
    let executors = universe.session().active_executors();
    assert_eq!(executors[0], "runner-p1-p1-0001");
    assert_eq!(
        executors.iter().collect::<std::collections::BTreeSet<_>>().len(),
        5,
        "each step has an identity of its own"
    );
}
