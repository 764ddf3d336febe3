//! What an agent writes into the log through its tools: valid as a whole, or refused as a whole; its own item waits for its
//! report (RM-09).

use machine::roadmap::{Editor, Fact, Input, Noted, ReadItem, Reading, Status, Verdict};

use crate::driver::{Universe, after, done, failed, group, read, with_status, work};

fn edit(universe: &Universe, change: impl FnOnce(&mut Reading)) -> Input {
    edit_with(universe, None, change)
}

fn edit_with(universe: &Universe, noted: Option<Noted>, change: impl FnOnce(&mut Reading)) -> Input {
    let mut reading = universe.reading();
    change(&mut reading);
    Input::Edited { reading, by: Editor::Agent { fence: universe.attempt().fence, noted } }
}

fn session() -> Universe {
    Universe::with(vec![read("1"), read("2"), after("3", &["2"]), with_status("4", Status::Completed)])
}

/// Protocol 3 by hand: its own item Completed, with an entry. Noted, and its report completes it.
#[test]
fn its_own_item() {
    let mut universe = session();
    let noted = Noted {
        status: Status::Completed,
        result: Some(Verdict::Succeeded),
        is_blocker: false,
        summary: "I did it".into(),
    };
    let input = edit_with(&universe, Some(noted.clone()), |reading| reading.items[0].status = Some(Status::Completed));
    let facts = universe.must(&input);
    assert_eq!(facts, [Fact::Noted { fence: 1, said: noted.clone() }]);
    assert_eq!((universe.status("1"), universe.attempt().noted), (Status::Locked, Some(noted)));
    universe.report(done());
    assert_eq!(universe.status("1"), Status::Completed);
}

/// Protocol 5 by hand: a plan that is valid is taken.
#[test]
fn a_plan() {
    let mut universe = session();
    let input = edit(&universe, |reading| {
        reading.groups.push(group("g", None));
        reading.items.insert(1, after("1.1", &["1"]));
        reading.items[2].title = "better words".into();
        reading.items[3].status = Some(Status::Cancelled);
        reading.items.push(ReadItem { group: Some("g".into()), ..read("5") });
    });
    universe.must(&input);
    assert_eq!(universe.statuses(), "1 Locked, 1.1 Pending, 2 Pending, 3 Cancelled, 4 Completed, 5 Pending");
    assert_eq!(
        (universe.item("2").title.as_str(), universe.item("5").group.as_deref()),
        ("better words", Some("group-g"))
    );
    assert_eq!(universe.last_entry().result, Verdict::Cancelled, "RM-18: with its entry");
    universe.session().pool.audit().unwrap();
}

/// What an agent does to the log, and all that is said of it.
type Case = (fn(&mut Reading), &'static [&'static str]);

/// Nonsense is refused whole, with every reason, and changes nothing.
#[test]
fn nonsense() {
    let universe = session();
    let cases: Vec<Case> = vec![
        (|reading| drop(reading.items.remove(1)), &["item 2 is gone"]),
        (|reading| reading.items.clear(), &["item 1 is gone", "item 4 is gone"]),
        (|reading| reading.items[1].status = Some(Status::Completed), &["item 2 cannot go from Pending to Completed"]),
        (|reading| reading.items[1].status = Some(Status::Locked), &["item 2 cannot go from Pending to Locked"]),
        (|reading| reading.items[3].status = Some(Status::Pending), &["item 4 cannot go from Completed to Pending"]),
        (|reading| reading.items[1].status = None, &["the state of item 2 cannot be told"]),
        (|reading| reading.items.swap(1, 2), &["stands elsewhere in the order"]),
        (|reading| reading.items[1].key = "7".into(), &["item 2 cannot become 7"]),
        (|reading| reading.items[1].depends_on = vec!["2".into()], &["item 2 depends on itself"]),
        (|reading| reading.items[1].depends_on = vec!["3".into()], &["items wait for each other"]),
        (|reading| reading.items[1].status = Some(Status::Cancelled), &["item 3 depends on 2, which the plan cancels"]),
        (|reading| reading.items.push(after("9", &["77"])), &["item 9 depends on 77, which does not exist"]),
        (
            |reading| reading.items.push(with_status("9", Status::Completed)),
            &["item 9 is new, and can only be Pending"],
        ),
        (
            |reading| {
                reading.groups.push(group("g", None));
                reading.items[1].group = Some("g".into());
            },
            &["item 2 stands in another group"],
        ),
    ];
    for (change, reasons) in cases {
        let words = universe.refused(&edit(&universe, change));
        for reason in reasons {
            assert!(words.contains(reason), "{words} does not say {reason}");
        }
        assert!(words.contains("nothing was changed"), "{words}");
    }
}

/// An executor whose item is another's by now has nothing to say; a planner opens a failed item again.
#[test]
fn whose_edit_it_is() {
    let mut universe = session();
    let stale = edit(&universe, |reading| reading.items[0].status = Some(Status::Completed));
    universe.stopped.insert("p1".into());
    universe.join("p2");
    assert!(universe.refused(&stale).contains("attempt 1 of session"));

    let mut universe = session();
    universe.report(failed());
    universe.hands = 0;
    let input = edit(&universe, |reading| reading.items[0].status = Some(Status::Pending));
    universe.must(&input);
    assert_eq!(universe.status("1"), Status::Pending);
    universe.hands = 2;
    universe.wake();
    assert_eq!(universe.works()[1..], [work("1")], "others may take it while the planner goes on");
}
