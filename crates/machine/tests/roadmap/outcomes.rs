//! Every kind of work with every outcome: states, metadata and entries in one decision (RM-06, RM-07, RM-18).

use machine::roadmap::{
    Beginning, Check, Ended, Fact, Ground, Input, Outcome, Over, Part, PlanChanges, Status, Told, Verdict, Why, Work,
};

use crate::driver::{
    Universe, add, adds, after, beginning, blocked, change, claiming, committed, done, failed, is_entry, misaligned,
    paused, planned, read, work,
};

fn repository(items: Vec<machine::roadmap::ReadItem>) -> Universe {
    let mut universe = Universe::new();
    universe.start(&Beginning { ground: Ground::Repository, ..beginning(items) });
    universe
}

/// RM-07: state, metadata and entry are one decision, and the next item is taken in it.
#[test]
fn done_without_a_repository() {
    let mut universe = Universe::with(vec![read("1"), read("2")]);
    assert_eq!(universe.item("1").executor, "runner-p1-p1-0001");
    let facts = universe.report(done());
    assert_eq!(universe.status("1"), Status::Completed);
    assert_eq!((universe.item("1").holder, universe.item("1").executor.as_str()), (None, ""));
    is_entry(&universe.last_entry(), Part::Executor, Verdict::Succeeded, "1. do 1");
    assert_eq!(universe.last_entry().number, 1);
    assert!(matches!(facts.last(), Some(Fact::Assigned(attempt)) if attempt.work == work("2")), "{facts:?}");
    assert_eq!(universe.session().progress(), 50);
    universe.report(done());
    assert_eq!((universe.session().over, universe.session().progress()), (Some(Over::Done), 100));
    assert_eq!(universe.told(), [Told::Over]);
}

/// RM-11: with a repository the commit is integrated by code, one at a time, in the order of reports.
#[test]
fn done_with_a_repository() {
    let mut universe = repository(vec![read("1"), read("2"), after("3", &["1"])]);
    universe.join("p2");
    universe.report(committed("c2"));
    assert_eq!(universe.works(), [work("1"), Work::Integrate("2".into())]);
    assert_eq!(universe.status("2"), Status::Locked);
    assert!(universe.entries().is_empty(), "nothing is said before it is there");
    universe.at("p1").report(committed("c1"));
    assert_eq!(universe.works(), [Work::Integrate("2".into())], "one at a time; 3 waits for 1");
    assert_eq!(universe.waits("1"), "it is being integrated");
    let integrated = |commit: &str| Outcome::Integrated {
        commit: commit.into(),
        checks: vec![Check { name: "tests".into(), exit: Some(0), tail: String::new() }],
    };
    universe.at("p2").report(integrated("m2"));
    assert_eq!(universe.status("2"), Status::Completed);
    is_entry(&universe.last_entry(), Part::Executor, Verdict::Succeeded, "2. do 2");
    assert_eq!(universe.last_entry().executor_name, "runner-p2");
    assert_eq!(universe.works(), [Work::Integrate("1".into())]);
    universe.report(integrated("m1"));
    assert_eq!(
        universe.last_entry().executor_name,
        "runner-p1",
        "the entry is of whoever did it, not of who integrates"
    );
    assert_eq!(universe.works(), [work("3")]);
}

/// The one that integrates dies: whoever comes next does it again, and nobody does the item again.
#[test]
fn an_integration_is_taken_over() {
    let mut universe = repository(vec![read("1"), read("2")]);
    universe.join("p2");
    universe.at("p1").report(committed("c1"));
    assert_eq!(universe.works(), [work("2"), Work::Integrate("1".into())]);
    universe.alive.remove("p1");
    universe.at("p2").wake();
    assert_eq!(universe.works(), [work("2"), Work::Integrate("1".into())]);
    assert_eq!(universe.attempt().opening, "p2");
    assert_eq!(universe.status("1"), Status::Locked, "its work is a commit that is not lost");
}

/// RM-11, bad luck: both sides become one item, in the place of the one it comes from, for its dependents, too.
#[test]
fn a_conflict_becomes_an_item() {
    let mut universe = repository(vec![claiming("1", &["a.rs"]), after("2", &["1"])]);
    universe.report(committed("c1"));
    let fence = universe.attempt().fence;
    universe.must(&Input::Report {
        fence,
        outcome: Outcome::Conflicted {
            with: "m7".into(),
            item: Some("7".into()),
            files: vec!["a.rs".into(), "b.rs".into()],
            kept: "refs/multiverse/kept/c1".into(),
        },
    });
    assert_eq!(universe.statuses(), "1 Cancelled, 1.1 Locked, 2 Pending");
    let new = universe.item("1.1");
    assert_eq!(new.title, "Bring together 1 (refs/multiverse/kept/c1) and 7 (commit m7) in a.rs, b.rs");
    assert_eq!(new.partial.as_deref(), Some("refs/multiverse/kept/c1"));
    assert_eq!(new.claims, ["a.rs", "b.rs"]);
    assert_eq!(universe.item("2").depends_on, ["1.1"]);
    is_entry(&universe.last_entry(), Part::Executor, Verdict::Cancelled, "1. do 1");
    assert!(universe.session().integrations.is_empty());
    universe.report(done());
    assert_eq!(universe.works(), [work("2")]);
}

/// Without a repository: files that changed meanwhile, told the same way.
#[test]
fn a_clash_becomes_an_item() {
    for (with, named) in [("", "what changed meanwhile in notes.md"), ("7 (record 9)", "7 (record 9) in notes.md")] {
        let mut universe = Universe::with(vec![read("1")]);
        universe.report(Outcome::Clashed {
            files: vec!["notes.md".into()],
            with: with.into(),
            kept: ".multiverse/aside/1".into(),
            summary: "wrote it".into(),
        });
        assert_eq!(universe.statuses(), "1 Cancelled, 1.1 Locked");
        let title = universe.item("1.1").title.clone();
        assert!(title.contains(named) && title.contains("1 (.multiverse/aside/1)"), "both sides: {title}");
        universe.report(done());
        assert_eq!(universe.session().over, Some(Over::Done));
    }
}

/// Checks that fail, or a repository that is broken: the item failed, and its commit is kept.
#[test]
fn an_integration_that_fails() {
    let mut universe = repository(vec![read("1")]);
    universe.report(committed("c1"));
    universe.report(Outcome::Failed { summary: "the tests do not pass".into() });
    assert_eq!(universe.status("1"), Status::Failed);
    assert_eq!(universe.item("1").partial.as_deref(), Some("c1"));
    assert!(universe.last_entry().summary.contains("the tests do not pass"));
    assert_eq!(universe.works(), [Work::Plan(Why::Failed("1".into()))]);
    assert!(universe.session().integrations.is_empty());
}

/// RM-06: a pause goes on, with what is kept; after so many it is too large, and is planned around.
#[test]
fn a_pause_goes_on() {
    let mut universe = Universe::new();
    universe.limits.pauses = 2;
    universe.start(&beginning(vec![read("1")]));
    universe.report(paused());
    assert_eq!(universe.works(), [work("1")]);
    assert_eq!(universe.item("1").partial.as_deref(), Some("kept/1"));
    let entry = universe.last_entry();
    is_entry(&entry, Part::Executor, Verdict::Pending, "1. do 1");
    assert!(!entry.is_blocker);
    universe.report(paused());
    universe.report(paused());
    assert!(universe.last_entry().is_blocker);
    assert_eq!(universe.works(), [Work::Plan(Why::Blocked("1".into()))]);
}

/// A blocker is planned around; a change of the item by the plan makes it Pending without anything in its way.
#[test]
fn a_blocker_is_planned_around() {
    let mut universe = Universe::with(vec![read("1"), after("2", &["1"])]);
    universe.report(blocked());
    assert!(universe.item("1").is_blocked());
    assert_eq!(universe.waits("1"), "is to be planned around: it is blocked: the service is down");
    let changes = PlanChanges {
        add: vec![add("3", &[])],
        change: vec![machine::roadmap::ChangeItem { depends_on: Some(vec!["3".into()]), ..change("1") }],
        ..PlanChanges::default()
    };
    universe.report(planned(changes));
    is_entry(&universe.last_entry(), Part::Planner, Verdict::Succeeded, "1. do 1");
    assert_eq!(universe.works(), [work("3")]);
    universe.report(done());
    assert_eq!(universe.works(), [work("1")]);
}

/// Failed is no dead end. A plan that leaves the item as it is counts, and after three it is left alone.
#[test]
fn planned_around_three_times() {
    let mut universe = Universe::with(vec![read("1"), after("2", &["1"])]);
    universe.report(failed());
    is_entry(&universe.last_entry(), Part::Executor, Verdict::Failed, "1. do 1");
    for count in 1..=3 {
        assert_eq!(universe.works(), [Work::Plan(Why::Failed("1".into()))]);
        universe.report(planned(adds(&[])));
        is_entry(&universe.last_entry(), Part::Planner, Verdict::Succeeded, "Plan around 1. do 1");
        assert_eq!(universe.item("1").replanned, count);
    }
    assert_eq!(universe.session().over, Some(Over::Deadlock));
    assert_eq!(
        universe.waits("1"),
        "it failed: it does not compile; it was planned around 3 times, and is left to you"
    );
    assert_eq!(universe.waits("2"), "waits for 1, which is Failed");
}

/// An item that fails each time it is tried again, and items that come in its place and fail, come to an end, too.
#[test]
fn planned_around_for_ever() {
    let mut universe = Universe::with(vec![read("1")]);
    for _ in 0..3 {
        universe.report(failed());
        let changes = PlanChanges { change: vec![change("1")], ..PlanChanges::default() };
        universe.report(planned(changes));
    }
    universe.report(failed());
    assert_eq!(universe.session().over, Some(Over::Deadlock));

    let mut universe = Universe::with(vec![read("1")]);
    for number in 2..=4 {
        universe.report(failed());
        let Work::Plan(why) = universe.attempt().work else { panic!("a plan") };
        let item = why.item().unwrap().to_string();
        let cancel = machine::roadmap::CancelItem { item, reason: String::new(), instead: vec![] };
        let changes =
            PlanChanges { add: vec![add(&number.to_string(), &[])], cancel: vec![cancel], ..PlanChanges::default() };
        universe.report(planned(changes));
        assert_eq!(universe.item(&number.to_string()).replanned, number - 1);
    }
    universe.report(failed());
    assert_eq!(universe.session().over, Some(Over::Deadlock));
}

/// A report that breaks the contract goes back with its problems; after the last time it is a failure.
#[test]
fn broken_reports() {
    let mut universe = Universe::with(vec![read("1")]);
    for number in 2..=3 {
        universe.report(Outcome::Broken(vec!["no summary".into()]));
        assert_eq!(
            (universe.attempt().number, universe.attempt().problems.clone()),
            (number, vec!["no summary".to_string()])
        );
    }
    universe.report(Outcome::Broken(vec!["no summary".into()]));
    assert_eq!(universe.status("1"), Status::Failed);
    assert!(universe.last_entry().summary.contains("no summary"));
    // The planner of it breaks its contract as well: it counts as one plan around the item.
    for _ in 0..3 {
        universe.report(Outcome::Broken(vec![]));
    }
    assert_eq!(universe.item("1").replanned, 1);
    assert_eq!(universe.attempt().problems, Vec::<String>::new(), "the next planner begins anew");
}

/// What is not an outcome of the work goes back, too, for every pair that makes no sense.
#[test]
fn outcomes_of_other_work() {
    let of_plan = [done(), Outcome::Integrated { commit: "m".into(), checks: vec![] }];
    for outcome in of_plan {
        let mut universe = Universe::new();
        universe.start(&Beginning { planned: String::new(), ..beginning(vec![]) });
        universe.report(outcome);
        assert!(universe.attempt().problems[0].contains("`plan_goal` was asked for"), "{:?}", universe.attempt());
    }
    let of_item = [
        planned(adds(&[])),
        Outcome::Integrated { commit: "m".into(), checks: vec![] },
        Outcome::Conflicted { with: "m".into(), item: None, files: vec![], kept: String::new() },
    ];
    for outcome in of_item {
        let mut universe = Universe::with(vec![read("1")]);
        universe.report(outcome);
        assert!(universe.attempt().problems[0].contains("`do_item` was asked for"), "{:?}", universe.attempt());
        assert_eq!(universe.status("1"), Status::Locked, "taken again");
    }
    for outcome in [done(), paused(), planned(adds(&[]))] {
        let mut universe = repository(vec![read("1")]);
        universe.report(committed("c1"));
        universe.report(outcome);
        assert!(universe.attempt().problems[0].contains("`integrate` was asked for"), "{:?}", universe.attempt());
        assert_eq!(universe.status("1"), Status::Locked);
    }
}

/// BY-09: a quota is a time to wait, not an error; others go on, and it goes on by itself.
#[test]
fn put_off() {
    let mut universe = Universe::with(vec![read("1"), read("2")]);
    universe.report(Outcome::Later { seconds: 60, reason: "too many requests".into() });
    assert_eq!(universe.works(), [work("2")]);
    assert_eq!(universe.waits("1"), "waits until 2026-11-17T03:16:00Z (too many requests)");
    assert_eq!(universe.session().rest(), Some(("2026-11-17T03:15:00Z", "2026-11-17T03:16:00Z")));
    universe.report(done());
    assert_eq!((universe.works(), universe.session().over), (vec![], None), "it rests; that is no deadlock");
    universe.now = "2026-11-17T03:15:59Z".into();
    universe.wake();
    assert!(universe.works().is_empty());
    universe.now = "2026-11-17T03:16:00Z".into();
    universe.wake();
    assert_eq!(universe.works(), [work("1")]);

    // A planner that rests for the goal keeps all waiting; one for a blocked item does not.
    let mut universe = Universe::new();
    universe.start(&Beginning { planned: "another".into(), ..beginning(vec![read("1")]) });
    universe.report(Outcome::Later { seconds: 60, reason: "too many requests".into() });
    assert!(universe.works().is_empty());
    universe.now = "2026-11-17T03:14:00Z".into();
    universe.wake();
    assert_eq!(universe.works(), [misaligned()], "a clock that goes back does not make it longer");

    let mut universe = repository(vec![read("1")]);
    universe.report(committed("c1"));
    universe.report(Outcome::Later { seconds: 60, reason: "index.lock".into() });
    assert_eq!((universe.works(), universe.session().over), (vec![], None));
    universe.now = "2026-11-17T03:16:00Z".into();
    universe.wake();
    assert_eq!(universe.works(), [Work::Integrate("1".into())]);
}

/// Something that is put off or lost without end is for a person to look at.
#[test]
fn limits_of_patience() {
    let mut universe = Universe::new();
    universe.limits.rests = 1;
    universe.start(&beginning(vec![read("1")]));
    universe.report(Outcome::Later { seconds: 1, reason: "quota".into() });
    universe.now = "2026-11-17T03:16:00Z".into();
    universe.wake();
    universe.report(Outcome::Later { seconds: 1, reason: "quota".into() });
    assert_eq!(universe.session().paused.as_deref(), Some("item 1 was put off 2 times: quota"));
    assert_eq!(universe.status("1"), Status::Pending);

    let mut universe = Universe::new();
    universe.limits.lost = 2;
    universe.start(&beginning(vec![read("1")]));
    for _ in 0..3 {
        universe.report(Outcome::Lost("out of memory".into()));
    }
    assert_eq!(universe.status("1"), Status::Failed, "an item that takes its executors with it");
    assert!(universe.last_entry().summary.contains("out of memory"));
    for _ in 0..3 {
        universe.report(Outcome::Lost("out of memory".into()));
    }
    assert!(universe.session().paused.is_some(), "a planner that is lost");
    assert_eq!(universe.told(), [Told::Paused]);
}

/// A planner for the goal that fails again and again keeps all from going on: a person is to look.
#[test]
fn planning_fails() {
    let mut universe = Universe::new();
    universe.start(&Beginning { planned: String::new(), ..beginning(vec![]) });
    universe.report(planned(adds(&[])));
    assert!(universe.attempt().problems[0].contains("the plan adds no item"), "an empty roadmap is none");
    for _ in 0..2 {
        universe.report(Outcome::Failed { summary: "no key".into() });
        is_entry(&universe.last_entry(), Part::Planner, Verdict::Failed, "Plan the roadmap for the goal");
    }
    universe.report(paused());
    is_entry(&universe.last_entry(), Part::Planner, Verdict::Pending, "Plan the roadmap for the goal");
    assert_eq!(universe.session().paused.as_deref(), Some("a plan for the goal failed 3 times: half of it"));
    universe.must(&Input::Resume);
    assert_eq!(universe.works(), [misaligned()]);
}

/// An agent that asks for a pause pauses the session; what it had can be taken when it goes on.
#[test]
fn an_agent_asks_for_a_pause() {
    let mut universe = Universe::with(vec![read("1"), read("2")]);
    let facts = universe.report(Outcome::Paused("the disk is full".into()));
    assert!(facts.iter().any(|fact| matches!(fact, Fact::Ended { how: Ended::Lost(_), .. })));
    assert_eq!(universe.status("1"), Status::Pending);
    assert_eq!(universe.waits("1"), "the session is paused (the disk is full)");
    assert!(universe.works().is_empty());
    universe.must(&Input::Resume);
    assert_eq!(universe.works(), [work("1")]);
}

/// RM-18: an item that a plan cancels gets an entry of its own, and whoever has it stops.
#[test]
fn cancelled_by_a_plan() {
    let mut universe = Universe::with(vec![read("1"), read("2")]);
    universe.join("p2");
    universe.at("p1").report(failed());
    let cancels = ["1", "2"].map(|item| machine::roadmap::CancelItem {
        item: item.into(),
        reason: format!("{item} is of no use"),
        instead: vec![],
    });
    let changes = PlanChanges { add: vec![add("3", &[])], cancel: cancels.to_vec(), ..PlanChanges::default() };
    let facts = universe.report(planned(changes));
    assert_eq!(universe.statuses(), "1 Cancelled, 2 Cancelled, 3 Locked");
    let entries = universe.entries();
    let cancelled: Vec<_> = entries.iter().filter(|entry| entry.result == Verdict::Cancelled).collect();
    assert_eq!(cancelled.len(), 2);
    is_entry(cancelled[0], Part::Planner, Verdict::Cancelled, "1. do 1");
    assert_eq!(cancelled[1].summary, "2 is of no use");
    assert!(facts.iter().any(|fact| matches!(fact, Fact::Ended { how: Ended::TakenOver(_), .. })));
    assert!(universe.effects.iter().any(|effect| matches!(effect, machine::roadmap::Effect::Stop(_))));
    let numbers: Vec<u64> = entries.iter().map(|entry| entry.number).collect();
    assert_eq!(numbers, [1, 2, 3, 4], "each entry has the next number");
}
