//! Plans count whole or not at all: every problem is named exactly. And what a good one comes to.

use machine::roadmap::{
    Beginning, CancelItem, ChangeItem, Fact, NewGroup, NewItem, PlanChanges, ReadItem, Reading, Status, Verdict,
    problems_of,
};

use crate::driver::{Universe, add, adds, after, beginning, change, claiming, group, planned, read, with_status, work};

fn cancel(item: &str, instead: &[&str]) -> CancelItem {
    CancelItem {
        item: item.into(),
        reason: "no".into(),
        instead: instead.iter().map(|one| (*one).to_string()).collect(),
    }
}

/// 1 is done, 2 is at work, 3 waits for 2, 4 is out, 5 failed (left alone), 6 is free; group g holds 6.
fn session() -> Universe {
    let mut universe = Universe::new();
    let mut items = vec![
        with_status("1", Status::Completed),
        read("2"),
        after("3", &["2"]),
        with_status("4", Status::Cancelled),
        with_status("5", Status::Failed),
    ];
    items.push(ReadItem { group: Some("g".into()), ..read("6") });
    universe.limits.replanned = 0;
    let log = Reading { groups: vec![group("g", None)], items, ..Reading::default() };
    universe.start(&Beginning { log, ..beginning(vec![]) });
    assert_eq!(universe.works(), [work("2")]);
    universe.hands = 0;
    universe
}

fn check(changes: &PlanChanges, expected: &[&str]) {
    let universe = session();
    let problems = problems_of(universe.session(), changes, None, &universe.limits);
    assert_eq!(problems.len(), expected.len(), "{problems:#?} for {changes:?}");
    for (problem, expected) in problems.iter().zip(expected) {
        assert!(problem.contains(expected), "{problem} is not {expected}");
    }
}

fn new(item: NewItem) -> PlanChanges {
    adds(&[item])
}

fn changes(items: &[ChangeItem]) -> PlanChanges {
    PlanChanges { change: items.to_vec(), ..PlanChanges::default() }
}

fn cancels(items: &[CancelItem]) -> PlanChanges {
    PlanChanges { cancel: items.to_vec(), ..PlanChanges::default() }
}

fn on(key: &str, on: &[&str]) -> ChangeItem {
    ChangeItem { depends_on: Some(on.iter().map(|on| (*on).into()).collect()), ..change(key) }
}

fn all(cases: &[(PlanChanges, &[&str])]) {
    for (changes, expected) in cases {
        check(changes, expected);
    }
}

/// Titles, numbers, places, claims and groups of new items.
#[test]
fn what_is_wrong_with_new_items() {
    let titled = |title: &str| NewItem { title: title.into(), ..NewItem::default() };
    let groups = |groups: &[NewGroup]| PlanChanges { groups: groups.to_vec(), ..PlanChanges::default() };
    let named = |key: &str, parent: Option<&str>| NewGroup {
        key: key.into(),
        title: format!("Phase {key}"),
        parent: parent.map(String::from),
    };
    all(&[
        (new(add("7", &["1", "2", "5"])), &[]),
        (new(titled(" ")), &["its title is empty"]),
        (new(titled("a\nb")), &["has more than one line"]),
        (new(titled(&"x".repeat(3000))), &["has 3000 bytes, more than 2048"]),
        (new(add("2", &[])), &["number 2 is taken already"]),
        (new(add("2.", &[])), &["number 2 is taken already"]),
        (new(add("4", &[])), &["number 4 is taken already"]),
        (new(add("seven", &[])), &["`seven` is no number"]),
        (adds(&[add("7", &[]), add("7", &[])]), &["number 7 comes twice"]),
        (new(NewItem { group: Some("6".into()), ..add("7", &[]) }), &["6 is an item, not a group"]),
        (new(NewItem { group: Some("x".into()), ..add("7", &[]) }), &["there is no group `x`"]),
        (new(NewItem { after: Some("99".into()), ..add("7", &[]) }), &["there is no item 99 that it could come after"]),
        (
            new(NewItem { after: Some("2".into()), group: Some("g".into()), ..add("7", &[]) }),
            &["item 2 does not stand in group `g`"],
        ),
        (
            new(NewItem { claims: vec!["/etc/passwd".into()], ..add("7", &[]) }),
            &["its claim `/etc/passwd` is absolute"],
        ),
        (new(NewItem { claims: vec!["../x".into()], ..add("7", &[]) }), &["has `..`"]),
        (groups(&[named("g", None)]), &["group `g` is there already"]),
        (groups(&[named("h", Some("x"))]), &["there is no group `x` that it could stand in"]),
        (groups(&[NewGroup { key: "h".into(), ..NewGroup::default() }]), &["its title is empty"]),
        (groups(&[named("h", None), named("i", Some("h"))]), &[]),
        (adds(&vec![add("", &[]); 501]), &["the plan adds 501 items and groups, and at most 500"]),
    ]);
}

/// Dependencies on what is missing, cancelled, itself, or waits in a circle.
#[test]
fn what_is_wrong_with_dependencies() {
    let both = PlanChanges { add: vec![add("7", &["3"])], change: vec![on("3", &["7"])], ..PlanChanges::default() };
    all(&[
        (new(add("7", &["9"])), &["item 7 depends on 9, which does not exist"]),
        (new(add("7", &["7"])), &["item 7 depends on itself"]),
        (new(add("7", &["4"])), &["item 7 depends on 4, which is Cancelled"]),
        (adds(&[add("7", &["8"]), add("8", &["7"])]), &["items wait for each other: 7 → 8 → 7"]),
        (changes(&[on("6", &["6"])]), &["item 6 depends on itself"]),
        (changes(&[on("5", &["3"])]), &[]),
        (changes(&[on("3", &["3"])]), &["item 3 depends on itself"]),
        (both, &["items wait for each other"]),
    ]);
}

/// Items that cannot be changed or cancelled, and those that would wait for ever for what is cancelled.
#[test]
fn what_is_wrong_with_changes() {
    let and = |change: ChangeItem, cancel: CancelItem| PlanChanges {
        change: vec![change],
        cancel: vec![cancel],
        ..PlanChanges::default()
    };
    let anew = PlanChanges { add: vec![add("7", &["2"])], cancel: vec![cancel("2", &["7"])], ..PlanChanges::default() };
    all(&[
        (changes(&[change("2")]), &["item 2 cannot be changed: it is Locked"]),
        (changes(&[change("1")]), &["item 1 cannot be changed: it is Completed"]),
        (changes(&[change("4")]), &["it is Cancelled"]),
        (changes(&[change("99")]), &["there is no item 99 to change"]),
        (changes(&[change("6"), change("6")]), &["item 6 is changed twice"]),
        (and(change("6"), cancel("6", &[])), &["item 6 is changed and cancelled"]),
        (cancels(&[cancel("99", &[])]), &["there is no item 99 to cancel"]),
        (cancels(&[cancel("1", &[])]), &["item 1 cannot be cancelled: it is Completed"]),
        (cancels(&[cancel("6", &[]), cancel("6", &[])]), &["item 6 is cancelled twice"]),
        (cancels(&[cancel("2", &[])]), &["item 3 depends on 2, which the plan cancels"]),
        (cancels(&[cancel("2", &["6"])]), &[]),
        (cancels(&[cancel("2", &["99"])]), &["item 3 depends on 99, which does not exist"]),
        (cancels(&[cancel("2", &["6"]), cancel("6", &[])]), &["item 3 depends on 6, which the plan cancels"]),
        (cancels(&[cancel("2", &[]), cancel("3", &[])]), &[]),
        (and(on("3", &[]), cancel("2", &[])), &[]),
        (anew, &["item 7 depends on 2, which the plan cancels"]),
    ]);
}

/// All problems are told at once, and nothing of the plan counts.
#[test]
fn whole_or_not_at_all() {
    let mut universe = Universe::new();
    universe.start(&Beginning { planned: String::new(), ..beginning(vec![]) });
    universe.report(planned(adds(&[add("1", &[]), add("2", &["2"]), add("3", &["9"])])));
    assert!(universe.session().pool.is_empty(), "nothing counts");
    assert_eq!(
        universe.attempt().problems,
        ["item 2 depends on itself", "item 3 depends on 9, which does not exist"],
        "and whoever plans next is told all of it"
    );
    assert!(universe.entries().is_empty());
}

/// Too many items in all.
#[test]
fn too_many_items() {
    let mut universe = Universe::idle(vec![read("1"), read("2")]);
    universe.limits.items = 3;
    let problems = problems_of(universe.session(), &adds(&[add("", &[]), add("", &[])]), None, &universe.limits);
    assert_eq!(problems, ["the roadmap would have more than 3 items"]);
    let refused = universe.try_start(&beginning(vec![read("1"), read("2"), read("3"), read("4")]));
    assert!(refused.is_err_and(|refusal| refusal.to_string().contains("has 4 items, more than 3")));
}

/// Numbers go on from those before; groups are made; places are as asked for.
#[test]
fn where_new_items_go() {
    let mut universe = Universe::new();
    universe.start(&Beginning { planned: String::new(), ..beginning(vec![]) });
    universe.hands = 0;
    let phase = |number: u32| NewGroup { key: format!("p{number}"), title: format!("Phase {number}: x"), parent: None };
    let within = |group: &str| NewItem { group: Some(group.into()), ..add("", &[]) };
    let changes = PlanChanges {
        groups: vec![phase(1), phase(2)],
        add: vec![
            NewItem { group: Some("p1".into()), ..add("1.1", &[]) },
            within("p1"),
            within("p2"),
            within("Phase 1: x"),
        ],
        ..PlanChanges::default()
    };
    universe.report(planned(changes));
    let shown = |universe: &Universe| {
        let all = universe
            .session()
            .pool
            .items()
            .map(|item| format!("{} {}", item.key, item.group.as_deref().unwrap_or("-")));
        all.collect::<Vec<_>>()
    };
    assert_eq!(shown(&universe), ["1.1 phase-1-x", "1.2 phase-1-x", "1.3 phase-1-x", "2.1 phase-2-x"]);
    universe.session().pool.audit().unwrap();

    universe.hands = 1;
    universe.wake();
    let after_first = NewItem { after: Some("1.1".into()), ..add("", &[]) };
    universe.must(&machine::roadmap::Input::Add { item: after_first, by: "me".into() });
    universe.must(&machine::roadmap::Input::Add { item: add("", &[]), by: "me".into() });
    assert_eq!(
        shown(&universe),
        ["1.1 phase-1-x", "1.4 phase-1-x", "1.2 phase-1-x", "1.3 phase-1-x", "2.1 phase-2-x", "2.2 -"]
    );
}

/// What depended on a cancelled item depends on what comes instead.
#[test]
fn instead() {
    let mut universe = Universe::with(vec![read("1"), after("2", &["1"]), after("3", &["1", "2"])]);
    universe.report(crate::driver::failed());
    let changes = PlanChanges {
        add: vec![NewItem { after: Some("1".into()), ..add("1.1", &[]) }, add("1.2", &["1.1"])],
        cancel: vec![cancel("1", &["1.1", "1.2"])],
        ..PlanChanges::default()
    };
    universe.report(planned(changes));
    assert_eq!(universe.item("2").depends_on, ["1.1", "1.2"]);
    assert_eq!(universe.item("3").depends_on, ["2", "1.1", "1.2"]);
    assert_eq!(universe.statuses(), "1 Cancelled, 1.1 Locked, 2 Pending, 3 Pending, 1.2 Pending");
    assert_eq!(universe.entries().iter().filter(|entry| entry.result == Verdict::Cancelled).count(), 1);
}

/// A failed item, and a blocked one that another plan takes care of, are Pending again by a change.
#[test]
fn reopened() {
    let mut universe = session();
    universe.hands = 1;
    universe.must(&machine::roadmap::Input::TaskEdited(machine::roadmap::TaskReading {
        goal: "g2".into(),
        questions: vec![],
    }));
    universe.at("p2").hands = 1;
    universe.join("p2");
    let changes = PlanChanges { change: vec![change("5")], ..PlanChanges::default() };
    let facts = universe.report(planned(changes));
    assert!(facts.contains(&Fact::Moved { item: "5".into(), from: Status::Failed, to: Status::Pending }));
    assert_eq!(universe.status("5"), Status::Locked, "and taken");

    let mut universe = Universe::with(vec![read("1"), claiming("2", &["x"])]);
    universe.report(crate::driver::blocked());
    universe.limits.replanned = 1;
    universe.must(&machine::roadmap::Input::Pause { reason: "nothing is to be taken".into() });
    universe.report(planned(adds(&[])));
    universe.must(&machine::roadmap::Input::TaskEdited(machine::roadmap::TaskReading {
        goal: "g2".into(),
        questions: vec![],
    }));
    universe.must(&machine::roadmap::Input::Resume);
    assert_eq!(universe.works(), [crate::driver::misaligned()]);
    let changes = PlanChanges {
        change: vec![ChangeItem { claims: Some(vec!["y".into()]), ..change("1") }],
        ..PlanChanges::default()
    };
    universe.report(planned(changes));
    assert!(!universe.item("1").is_blocked());
    assert_eq!((universe.item("1").claims, universe.works()), (vec!["y".to_string()], vec![work("1")]));
}

/// RM-19: only leaves are items; a group is ticked when all its effective items are completed, those in its groups, too.
#[test]
fn groups_are_ticked() {
    let mut universe = Universe::new();
    let within =
        |key: &str, group: &str, status: Status| ReadItem { group: Some(group.into()), ..with_status(key, status) };
    let log = Reading {
        groups: vec![group("a", None), group("b", Some("a")), group("c", None)],
        items: vec![
            within("1", "a", Status::Completed),
            within("2", "b", Status::Pending),
            within("3", "b", Status::Cancelled),
            within("4", "c", Status::Cancelled),
            read("5"),
        ],
        ..Reading::default()
    };
    universe.start(&Beginning { log, ..beginning(vec![]) });
    let ticked = |universe: &Universe| ["a", "b", "c"].map(|group| universe.session().pool.is_ticked(group));
    assert_eq!(ticked(&universe), [false; 3]);
    universe.report(crate::driver::done());
    assert_eq!(ticked(&universe), [true, true, false], "a group without an effective item is not ticked");
    assert_eq!(universe.session().progress(), 66, "two of three effective items");
}
