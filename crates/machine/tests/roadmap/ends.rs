//! How sessions begin and end: 100 %, deadlock with its reasons, periods, quotas.

use machine::roadmap::{Beginning, Fact, Last, Over, Period, ReadItem, Reading, Status, Verdict};

use crate::driver::{Universe, after, beginning, done, misaligned, read, with_status, work};

/// Progress is computed from effective leaves, and is 100 only when all are completed.
#[test]
fn progress() {
    let mut universe = Universe::with(vec![read("1"), read("2"), read("3"), with_status("4", Status::Cancelled)]);
    let mut seen = vec![universe.session().progress()];
    while universe.session().over.is_none() {
        universe.report(done());
        seen.push(universe.session().progress());
    }
    assert_eq!(seen, [0, 33, 66, 100]);
    let Some(Fact::Over { reason, .. }) = universe.facts.last() else { panic!("it is over") };
    assert_eq!(reason, "all 3 effective items are completed");
}

/// A log that is done and planned for its goal is over at once; for another goal it is planned first.
#[test]
fn done_from_the_start() {
    let universe = Universe::with(vec![with_status("1", Status::Completed), with_status("2", Status::Cancelled)]);
    assert_eq!(universe.session().over, Some(Over::Done));
    let universe = Universe::with(vec![with_status("1", Status::Cancelled)]);
    assert_eq!((universe.session().over, universe.session().progress()), (Some(Over::Done), 100));
    let mut universe = Universe::new();
    universe.start(&Beginning { planned: "older".into(), ..beginning(vec![with_status("1", Status::Completed)]) });
    assert_eq!((universe.session().over, universe.works()), (None, vec![misaligned()]));
}

/// A lock in a log is of nobody who is at work, whether or not there was such an executor; a state that cannot be told is
/// Pending; a newest entry that is a blocker is one.
#[test]
fn a_log_of_others() {
    let locked = ReadItem { executor: "ghost-1234".into(), ..with_status("1", Status::Locked) };
    let unclear = ReadItem { status: None, ..read("2") };
    let last = Last { verdict: Verdict::Pending, is_blocker: true, summary: "no key".into(), log: 7 };
    let blocked = ReadItem { last: Some(last), ..read("3") };
    let mut universe = Universe::new();
    let log = Reading { items: vec![locked, unclear, blocked], log_number: 9, ..Reading::default() };
    universe.start(&Beginning { log, ..beginning(vec![]) });
    assert_eq!(universe.works(), [machine::roadmap::Work::Plan(machine::roadmap::Why::Blocked("3".into()))]);
    assert_eq!(universe.statuses(), "1 Pending, 2 Pending, 3 Pending");
    universe.report(crate::driver::planned(crate::driver::adds(&[])));
    assert_eq!(universe.last_entry().number, 10, "entries go on from the log's own");
}

/// Items that can never be free, as a person's edit may bring them in: a deadlock says what each waits for.
#[test]
fn deadlock_with_reasons() {
    let mut universe = Universe::with(vec![
        read("1"),
        after("2", &["2"]),
        after("3", &["99"]),
        after("4", &["9"]),
        after("5", &["6"]),
        after("6", &["7"]),
        after("7", &["5", "1"]),
        after("8", &["5"]),
        with_status("9", Status::Cancelled),
    ]);
    assert_eq!(universe.works(), [work("1")]);
    assert_eq!(universe.waits("7"), "waits for 1, which is Locked; waits in a circle: 7 → 5 → 6 → 7");
    universe.report(done());
    assert_eq!(universe.session().over, Some(Over::Deadlock));
    let waiting: Vec<String> = universe
        .session()
        .waiting(&universe.limits)
        .into_iter()
        .map(|(item, waits)| {
            let waits: Vec<String> = waits.iter().map(ToString::to_string).collect();
            format!("{}: {}", item.key, waits.join("; "))
        })
        .collect();
    assert_eq!(
        waiting,
        [
            "2: waits for itself",
            "3: waits for 99, which does not exist",
            "4: waits for 9, which is Cancelled",
            "5: waits in a circle: 5 → 6 → 7 → 5",
            "6: waits in a circle: 6 → 7 → 5 → 6",
            "7: waits in a circle: 7 → 5 → 6 → 7",
            "8: waits for 5, which is Pending",
        ]
    );
    let Some(Fact::Over { reason, .. }) = universe.facts.last() else { panic!("it is over") };
    assert_eq!(reason, "7 of 8 effective items wait for something that will not come");
}

/// While somebody works, or waits for a time, it is no deadlock.
#[test]
fn no_deadlock_while_somebody_works() {
    let mut universe = Universe::with(vec![read("1"), after("2", &["1"])]);
    universe.join("p2");
    assert_eq!((universe.works(), universe.session().over), (vec![work("1")], None));
    assert_eq!(universe.session().held_by("p2"), 0, "it waits");
    universe.at("p1").report(done());
    assert_eq!(universe.works(), [work("2")]);
}

/// RM-13: due again in the next period, with the same items; not before.
#[test]
fn periods() {
    let daily = |period_key: &str, items: Vec<ReadItem>| Beginning {
        period: Some(Period::Daily),
        period_key: period_key.into(),
        ..beginning(items)
    };
    let all_done = || vec![with_status("1", Status::Completed), with_status("2", Status::Cancelled)];
    let mut universe = Universe::new();
    universe.start(&daily("2026-11-17", all_done()));
    assert_eq!(universe.session().over, Some(Over::Done));
    let Some(Fact::Over { reason, .. }) = universe.facts.last() else { panic!("it is over") };
    assert!(reason.ends_with("the work of 2026-11-17 is done, and due again at 2026-11-18T00:00:00Z"), "{reason}");

    for older in ["2026-11-16", ""] {
        let mut universe = Universe::new();
        universe.start(&daily(older, all_done()));
        assert!(universe.facts.contains(&Fact::Renewed { period: "2026-11-17".into() }), "{older}");
        assert_eq!(universe.statuses(), "1 Locked, 2 Cancelled", "{older}");
        assert_eq!(universe.session().period_key, "2026-11-17");
        universe.session().pool.audit().unwrap();
    }

    // Half done in this period, or in one that nobody knows: it goes on.
    for same in ["2026-11-17", ""] {
        let mut universe = Universe::new();
        universe.start(&daily(same, vec![with_status("1", Status::Completed), read("2")]));
        assert_eq!(universe.statuses(), "1 Completed, 2 Locked", "{same}");
    }

    let mut universe = Universe::new();
    let hourly = Beginning { period: Some(Period::Hourly), ..daily("2026-11-17T02", all_done()) };
    universe.start(&hourly);
    assert_eq!((universe.session().period_key.as_str(), universe.works()), ("2026-11-17T03", vec![work("1")]));
    assert_eq!(Period::Hourly.next_after("2026-12-31T23:59:59Z"), "2027-01-01T00:00:00Z");
}

/// A blocker of a period before says nothing of this one, even if somebody edits the log.
#[test]
fn entries_of_periods_before() {
    let last = Last { verdict: Verdict::Pending, is_blocker: true, summary: "no key".into(), log: 7 };
    let mut universe = Universe::new();
    let items = vec![ReadItem { last: Some(last.clone()), ..read("1") }];
    let log = Reading { items, log_number: 7, ..Reading::default() };
    let period = Some(Period::Daily);
    universe.start(&Beginning { period, period_key: "2026-11-16".into(), log, ..beginning(vec![]) });
    assert_eq!(universe.works(), [work("1")]);
    universe.edit(|reading| reading.items[0].last = Some(last));
    assert_eq!(universe.item("1").last, None);
}

/// Bad beginnings change nothing and say why.
#[test]
fn bad_beginnings() {
    let universe = Universe::new();
    let refused = |beginning: Beginning| universe.try_start(&beginning).expect_err("refused").to_string();
    assert!(refused(Beginning { quota: 0, ..beginning(vec![]) }).contains("a quota of 0 steps"));
    assert!(
        refused(Beginning { executor: " ".into(), ..beginning(vec![]) }).contains("cannot be the name of an executor")
    );
}
