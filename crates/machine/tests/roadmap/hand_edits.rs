//! RM-12: a log that a person edited is taken as it is; only states against the diagram are put back.

use machine::roadmap::{Editor, Effect, Ended, Fact, Input, Last, ReadEntry, ReadItem, Status, Verdict};

use crate::driver::{Universe, after, blocked, claiming, done, failed, group, read, with_status, work};

fn keys(universe: &Universe) -> Vec<String> {
    universe.session().pool.audit().unwrap();
    universe.session().pool.items().map(|item| item.key.clone()).collect()
}

fn kinds(facts: &[Fact]) -> Vec<String> {
    let kind =
        |fact: &Fact| serde_json::to_value(fact).unwrap().as_object().map(|map| map.keys().next().unwrap().clone());
    facts.iter().map(|fact| kind(fact).unwrap_or_default()).collect()
}

/// A log that says what is known is no news.
#[test]
fn nothing_changed() {
    let mut universe = Universe::with(vec![read("1"), after("2", &["1"]), claiming("3", &["x"])]);
    assert!(universe.edit(|_| {}).is_empty());
}

#[test]
fn added_renamed_removed_reordered() {
    let mut universe = Universe::with(vec![read("1"), read("2"), read("3"), read("4"), read("5")]);
    let facts = universe.edit(|reading| {
        let moved = reading.items.remove(1);
        reading.items.push(moved);
        reading.items[1].title = "something else".into();
        reading.items.remove(2);
        reading.items.insert(1, read("9"));
    });
    assert_eq!(keys(&universe), ["1", "9", "3", "5", "2"]);
    assert_eq!(kinds(&facts), ["dropped", "added", "reordered", "changed"], "no more than changed");
    assert_eq!(universe.item("3").title, "something else");
    let before = universe.session().clone();
    assert!(universe.edit(|_| {}).is_empty());
    assert_eq!(*universe.session(), before);
}

/// A new item in the middle, and all behind it renumbered: each is still the same item, with its state and history.
#[test]
fn renumbered() {
    let mut universe = Universe::with(vec![read("1"), read("2"), after("3", &["2"])]);
    universe.report(done());
    assert_eq!(universe.works(), [work("2")]);
    let facts = universe.edit(|reading| {
        for (item, key) in reading.items.iter_mut().zip(["1", "3", "4"]) {
            (item.key, item.number) = (key.into(), key.into());
        }
        reading.items[2].depends_on = vec!["3".into()];
        reading.items.insert(1, ReadItem { title: "between".into(), ..read("2") });
    });
    assert_eq!(universe.statuses(), "1 Completed, 2 Pending, 3 Locked, 4 Pending");
    assert_eq!(kinds(&facts), ["renumbered", "added", "changed"]);
    assert_eq!(universe.works(), [work("3")], "who works on it knows it by its new number");
    assert_eq!(universe.item("3").title, "do 2");
    universe.session().pool.audit().unwrap();
    universe.report(done());
    assert_eq!(universe.status("3"), Status::Completed);
}

/// Two items that change places by their numbers alone.
#[test]
fn swapped() {
    let mut universe = Universe::with(vec![with_status("1", Status::Completed), read("2"), read("3")]);
    universe.edit(|reading| {
        for (item, key) in reading.items.iter_mut().zip(["2", "1"]) {
            (item.key, item.number) = (key.into(), key.into());
        }
    });
    assert_eq!(universe.statuses(), "2 Completed, 1 Locked, 3 Pending");
}

/// What a person does to the item somebody works on, and how the roadmap stands then.
type Case = (&'static str, fn(&mut machine::roadmap::Reading), &'static str);

/// The person's edit wins over whoever is at work: the item is gone, taken out, or given back, and the late report is not
/// taken.
#[test]
fn an_edit_wins_over_who_works() {
    let cases: [Case; 5] = [
        ("removed", |reading| drop(reading.items.remove(0)), "2 Pending"),
        ("cancelled", |reading| reading.items[0].status = Some(Status::Cancelled), "1 Cancelled, 2 Pending"),
        ("completed", |reading| reading.items[0].status = Some(Status::Completed), "1 Completed, 2 Pending"),
        ("failed", |reading| reading.items[0].status = Some(Status::Failed), "1 Failed, 2 Pending"),
        ("given back", |reading| reading.items[0].status = Some(Status::Pending), "1 Pending, 2 Pending"),
    ];
    for (name, edit, expected) in cases {
        let mut universe = Universe::with(vec![read("1"), read("2")]);
        let fence = universe.attempt().fence;
        universe.must(&Input::Pause { reason: "nothing is to be taken".into() });
        let facts = universe.edit(edit);
        assert_eq!(universe.statuses(), expected, "{name}");
        assert!(
            facts.iter().any(|fact| matches!(fact, Fact::Ended { how: Ended::TakenOver(_), .. })),
            "{name}: {facts:?}"
        );
        assert!(universe.effects.contains(&Effect::Stop(fence)), "{name}");
        let facts = universe.must(&Input::Report { fence, outcome: done() });
        assert!(matches!(facts.as_slice(), [Fact::Refused { .. }]), "{name}: {facts:?}");
        assert_eq!(universe.statuses(), expected, "{name}");
        assert!(universe.session().attempts.is_empty(), "{name}");
    }
}

/// A title, dependencies and claims of an item that is at work can be changed; whoever works goes on.
#[test]
fn words_of_an_item_at_work() {
    let mut universe = Universe::with(vec![claiming("1", &["a"]), claiming("2", &["b"])]);
    universe.hands = 0;
    universe.edit(|reading| {
        reading.items[0].title = "better words".into();
        reading.items[0].claims = vec!["b".into()];
        reading.items[0].depends_on = vec!["2".into()];
    });
    assert_eq!((universe.works(), universe.status("1")), (vec![work("1")], Status::Locked));
    assert_eq!(universe.waits("2"), "somebody has b", "claims count from now on");
    assert_eq!(keys(&universe), ["1", "2"]);
}

/// What is done and waits for its integration is not moved by hand: the commit would be lost.
#[test]
fn while_it_is_integrated() {
    let mut universe = Universe::new();
    universe.start(&machine::roadmap::Beginning {
        ground: machine::roadmap::Ground::Repository,
        ..crate::driver::beginning(vec![read("1")])
    });
    universe.report(crate::driver::committed("c1"));
    let facts = universe.edit(|reading| reading.items[0].status = Some(Status::Cancelled));
    assert!(
        matches!(facts.as_slice(), [Fact::PutBack { problem, .. }] if problem.contains("being integrated")),
        "{facts:?}"
    );
    assert_eq!(universe.status("1"), Status::Locked);
}

/// Odd states: a lock of nobody, another executor, a state that cannot be told; new items with states of their own.
#[test]
fn odd_states() {
    let mut universe = Universe::with(vec![read("1"), read("2"), read("3")]);
    universe.hands = 0;
    let facts = universe.edit(|reading| {
        reading.items[0].executor = "ghost-1".into();
        reading.items[1].status = Some(Status::Locked);
        reading.items[2].status = None;
        reading.items.push(with_status("4", Status::Locked));
        reading.items.push(with_status("5", Status::Completed));
    });
    assert_eq!(universe.statuses(), "1 Locked, 2 Pending, 3 Pending, 4 Pending, 5 Completed");
    let back: Vec<&str> = facts
        .iter()
        .filter_map(|fact| if let Fact::PutBack { item, .. } = fact { Some(item.as_str()) } else { None })
        .collect();
    assert_eq!(back, ["4", "1", "2", "3"]);
    assert_eq!(universe.item("1").executor, "runner-p1-p1-0001");
}

/// Groups come, go, get other titles and other places; their items with them.
#[test]
fn groups() {
    let mut universe = Universe::with(vec![read("1"), read("2"), read("3")]);
    universe.edit(|reading| {
        reading.groups = vec![group("a", None), group("b", Some("a"))];
        reading.items[0].group = Some("a".into());
        reading.items[1].group = Some("b".into());
    });
    assert_eq!(universe.item("2").group.as_deref(), Some("b"));
    assert_eq!(universe.session().pool.counts_of("a").map(|counts| counts.all()), Some(2));
    // The same titles with other keys are the same groups.
    let facts = universe.edit(|reading| {
        reading.groups[0].key = "other".into();
        reading.groups[1].parent = Some("other".into());
        reading.items[0].group = Some("other".into());
    });
    assert!(facts.is_empty(), "{facts:?}");
    universe.edit(|reading| {
        reading.groups.remove(0);
        reading.groups[0].parent = None;
        reading.items[0].group = None;
    });
    assert_eq!((universe.item("1").group, universe.item("2").group.as_deref()), (None, Some("b")));
    assert_eq!(universe.session().pool.groups().count(), 1);
    universe.session().pool.audit().unwrap();
}

/// A person opens a failed item again: it has all its tries, and plans, once more.
#[test]
fn opened_again_by_hand() {
    let mut universe = Universe::with(vec![read("1"), after("2", &["1"])]);
    universe.report(failed());
    universe.report(crate::driver::planned(crate::driver::adds(&[])));
    assert_eq!(universe.item("1").replanned, 1);
    universe.must(&Input::Pause { reason: "x".into() });
    universe.edit(|reading| reading.items[0].status = Some(Status::Pending));
    assert_eq!((universe.status("1"), universe.item("1").replanned), (Status::Pending, 0));
}

/// Entries of the work log that a person changes, removes or adds: a blocker is none any more, or one.
#[test]
fn entries() {
    let mut universe = Universe::with(vec![read("1"), read("2")]);
    universe.report(blocked());
    universe.hands = 0;
    let entry = |is_blocker: bool| ReadEntry { number: 1, result: Verdict::Pending, is_blocker };
    let facts = universe.edit(|reading| reading.entries = vec![entry(true)]);
    assert!(facts.is_empty(), "{facts:?}");
    universe.edit(|reading| reading.entries = vec![entry(false)]);
    assert!(!universe.item("1").is_blocked());
    universe
        .edit(|reading| reading.entries = vec![ReadEntry { number: 9, result: Verdict::Succeeded, is_blocker: false }]);
    assert_eq!(universe.item("1").last, None, "its entry is gone");
    universe.edit(|reading| {
        reading.log_number = 12;
        let last = Last { verdict: Verdict::Pending, is_blocker: true, summary: "no".into(), log: 12 };
        reading.items[1].last = Some(last);
    });
    assert!(universe.item("2").is_blocked(), "a person says so");
    assert_eq!(universe.session().log_number, 12);
    universe.hands = 1;
    universe.report(crate::driver::planned(crate::driver::adds(&[])));
    assert_eq!(universe.last_entry().number, 13, "numbers go on from the person's");
}

/// A stranger's edit of everything at once: nothing is left of the old roadmap, and it goes on with the new one.
#[test]
fn another_roadmap() {
    let mut universe = Universe::with(vec![read("1"), read("2")]);
    let items = vec![read("7"), after("8", &["7"])];
    let reading = machine::roadmap::Reading { items, ..universe.reading() };
    universe.must(&Input::Edited { reading, by: Editor::Person });
    assert_eq!(keys(&universe), ["7", "8"]);
    assert_eq!(universe.works(), [work("7")]);
    let reading = machine::roadmap::Reading { items: vec![], ..universe.reading() };
    universe.must(&Input::Edited { reading, by: Editor::Person });
    assert_eq!(universe.works(), [crate::driver::misaligned()], "no roadmap: there is to be planned");
}
