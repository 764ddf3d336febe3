//! What people do by command: add, move, cancel, pause, end; and what an agent may end (RM-09).

use machine::AskedAgent;
use machine::roadmap::{
    Beginning, Effect, Exit, Fact, Input, NewItem, Over, Part, Period, ReadItem, Reading, Status, Told, Verdict,
};

use crate::driver::{Universe, add, after, beginning, done, failed, group, is_entry, read, work};

fn move_to(item: &str, after: Option<&str>, group: Option<&str>) -> Input {
    Input::Move { item: item.into(), after: after.map(String::from), group: group.map(String::from), by: "me".into() }
}

fn cancel(item: &str) -> Input {
    Input::CancelItem { item: item.into(), reason: "not needed".into(), by: "ada".into() }
}

#[test]
fn add_an_item() {
    let mut universe = Universe::with(vec![read("1")]);
    let new = NewItem { after: Some("1".into()), ..add("", &["1"]) };
    universe.must(&Input::Add { item: new, by: "me".into() });
    assert_eq!(universe.statuses(), "1 Locked, 2 Pending");
    assert!(universe.refused(&Input::Add { item: add("2", &[]), by: "me".into() }).contains("number 2 is taken"));
    assert!(universe.refused(&Input::Add { item: add("3", &["3"]), by: "me".into() }).contains("depends on itself"));
    universe.report(done());
    assert_eq!(universe.works(), [work("2")]);
}

#[test]
fn move_an_item() {
    let mut universe = Universe::new();
    let within = |key: &str, group: &str| ReadItem { group: Some(group.into()), ..read(key) };
    let log = Reading {
        groups: vec![group("a", None), group("b", None)],
        items: vec![within("1", "a"), within("2", "a"), within("3", "b"), read("4")],
        ..Reading::default()
    };
    universe.start(&Beginning { log, ..beginning(vec![]) });
    let shown = |universe: &Universe| {
        universe.session().pool.audit().unwrap();
        let all =
            universe.session().pool.items().map(|item| format!("{}{}", item.key, item.group.as_deref().unwrap_or("-")));
        all.collect::<Vec<_>>().join(" ")
    };
    universe.must(&move_to("4", Some("1"), None));
    assert_eq!(shown(&universe), "1a 4a 2a 3b", "into the group of the one it comes after");
    universe.must(&move_to("2", None, None));
    assert_eq!(shown(&universe), "2a 1a 4a 3b", "before all others");
    universe.must(&move_to("4", None, Some("b")));
    assert_eq!(shown(&universe), "2a 1a 3b 4b", "behind all others of a group");
    universe.must(&move_to("4", None, Some("b")));
    universe.must(&move_to("3", None, None));
    assert_eq!(shown(&universe), "3- 2a 1a 4b", "before all groups");
    assert_eq!(universe.works(), [work("1")], "who is at work goes on");
    for (input, reason) in [
        (move_to("9", None, None), "has no item 9"),
        (move_to("1", Some("9"), None), "has no item 9"),
        (move_to("1", Some("1"), None), "after itself"),
        (move_to("1", None, Some("x")), "cannot stand in group `x`"),
        (move_to("1", Some("4"), Some("a")), "cannot stand in group `a`"),
    ] {
        assert!(universe.refused(&input).contains(reason), "{input:?}");
    }
    universe.report(done());
    assert_eq!(universe.works(), [work("3")], "the order is the order of selection");
}

#[test]
fn cancel_an_item() {
    let mut universe = Universe::with(vec![read("1"), read("2"), after("3", &["1"])]);
    let fence = universe.attempt().fence;
    universe.must(&cancel("1"));
    assert_eq!(universe.status("1"), Status::Cancelled);
    is_entry(&universe.last_entry(), Part::Planner, Verdict::Cancelled, "1. do 1");
    assert_eq!(
        (universe.last_entry().executor_name.as_str(), universe.last_entry().summary.as_str()),
        ("ada", "not needed")
    );
    assert!(universe.effects.contains(&Effect::Stop(fence)));
    assert!(
        universe.told().iter().any(|told| matches!(told, Told::Problem(words) if words.contains("3 waited for 1")))
    );
    assert_eq!(universe.works(), [work("2")]);
    assert!(universe.refused(&cancel("1")).contains("it is Cancelled"));
    universe.report(done());
    assert_eq!(universe.session().over, Some(Over::Deadlock));
    assert_eq!(universe.waits("3"), "waits for 1, which is Cancelled");
    assert!(universe.refused(&cancel("3")).contains("is over: nothing in it could go on"));
}

/// Every command that a session that is over, paused, or not paused has no use for.
#[test]
fn not_now() {
    let mut universe = Universe::with(vec![read("1"), read("2")]);
    assert!(universe.refused(&Input::Resume).contains("is not paused"));
    universe.must(&Input::Pause { reason: "lunch".into() });
    assert!(universe.refused(&Input::Pause { reason: "x".into() }).contains("is paused already: it is paused (lunch)"));
    universe.report(done());
    assert!(universe.works().is_empty(), "a report counts, and nothing new is begun");
    universe.must(&Input::Resume);
    assert_eq!(universe.works(), [work("2")]);
    universe.must(&Input::Cancel { by: "me".into() });
    assert_eq!(
        (universe.session().over, universe.statuses().as_str()),
        (Some(Over::Cancelled), "1 Completed, 2 Pending")
    );
    let reading = universe.reading();
    for input in [
        Input::Join { name: "x".into() },
        Input::Edited { reading, by: machine::roadmap::Editor::Person },
        Input::TaskEdited(machine::roadmap::TaskReading::default()),
        Input::Add { item: add("9", &[]), by: "me".into() },
        move_to("1", None, None),
        cancel("2"),
        Input::Answer { question: None, answer: "x".into(), by: "me".into() },
        Input::ExitAsked { fence: 1, reason: "x".into() },
        Input::Pause { reason: "x".into() },
        Input::Resume,
        Input::Cancel { by: "me".into() },
    ] {
        assert!(universe.refused(&input).contains("is over: it was ended"), "{input:?}");
    }
    assert!(universe.wake().is_empty() && universe.must(&Input::Leave).is_empty());
}

/// RM-09: an exit in the three authorised cases, and in no other.
#[test]
fn exits() {
    let exit = |universe: &Universe| Input::ExitAsked { fence: universe.attempt().fence, reason: "done here".into() };
    let case = |facts: &[Fact]| {
        facts.iter().find_map(|fact| if let Fact::Exited { case, .. } = fact { Some(*case) } else { None })
    };

    // At work on an item, with others to take: refused.
    let universe = Universe::with(vec![read("1"), read("2")]);
    let words = universe.refused(&exit(&universe));
    assert!(words.contains("item 1 is yours; 0 of 2 effective items are completed"), "{words}");

    // A planner with nothing to take beside what others do: that executor ends, the session goes on.
    let mut universe = Universe::with(vec![read("1"), read("2")]);
    universe.report(failed());
    assert!(universe.refused(&exit(&universe)).contains("does not end here"), "2 could be taken");
    universe.join("p2");
    universe.at("p1");
    let facts = universe.must(&exit(&universe));
    assert_eq!(case(&facts), Some(Exit::NothingParallel));
    let facts = universe.report(crate::driver::planned(crate::driver::adds(&[])));
    assert!(facts.iter().any(|fact| matches!(fact, Fact::Left { opening, .. } if opening == "p1")), "{facts:?}");
    assert_eq!((universe.works(), universe.session().over), (vec![work("2")], None));

    // All is completed.
    let mut universe = Universe::with(vec![read("1")]);
    let mut reading = universe.reading();
    reading.items[0].status = Some(Status::Completed);
    let by = machine::roadmap::Editor::Agent { fence: universe.attempt().fence, noted: None };
    universe.must(&Input::Edited { reading, by });
    let facts = universe.must(&exit(&universe));
    assert_eq!(case(&facts), Some(Exit::Complete));
    assert_eq!(universe.session().over, None, "its report is what counts");
    universe.report(done());
    assert_eq!(universe.session().over, Some(Over::Done));

    // The work of the period is done.
    let mut universe = Universe::new();
    universe.start(&Beginning { period: Some(Period::Daily), ..beginning(vec![read("1")]) });
    let mut reading = universe.reading();
    reading.items[0].status = Some(Status::Completed);
    let by = machine::roadmap::Editor::Agent { fence: universe.attempt().fence, noted: None };
    universe.must(&Input::Edited { reading, by });
    let facts = universe.must(&exit(&universe));
    assert_eq!(case(&facts), Some(Exit::PeriodComplete));
}

/// What was left to a person by a process that is gone goes to agents that are named later; nobody who is named by nobody takes
/// it, and nobody takes it while that process is there.
#[test]
fn whoever_is_named_has_what_waited_for_a_person() {
    let asked = || vec![AskedAgent { agent: "offline".into(), folder: String::new() }];
    for (is_gone, asked, taken) in [(true, asked(), true), (true, vec![], false), (false, asked(), false)] {
        let mut universe = Universe::new();
        universe.people = [Part::Executor].into();
        universe.start(&beginning(vec![read("1")]));
        assert_eq!(universe.attempt().holder, machine::Holder::Person);
        universe.me = "p2".into();
        universe.people.clear();
        universe.cast.asked = asked;
        if is_gone {
            universe.alive.remove("p1");
        }
        universe.must(&Input::Join { name: "runner-p2".into() });
        let holders: Vec<_> = universe.session().attempts.iter().map(|(_, one)| one.holder.clone()).collect();
        let wanted = if taken { machine::Holder::Process("p2".into()) } else { machine::Holder::Person };
        assert_eq!(holders, [wanted], "is gone: {is_gone}");
        let facts = universe.must(&Input::Report { fence: 1, outcome: done() });
        assert_eq!(facts.iter().any(|fact| matches!(fact, Fact::Refused { .. })), taken, "{facts:?}");
    }
}
