//! RM-10, BY-04: what dead, stopped and silent openings had is taken over, with a fact; a live one is never robbed; a late
//! report changes nothing, and is recorded.

use machine::roadmap::{Editor, Effect, Ended, Fact, Input, Outcome, Part, Status, Told};

use crate::driver::{Universe, done, read, work};

/// What happens to an opening, and whether what it has is taken over.
type Case = (&'static str, fn(&mut Universe), bool);

/// Who loses what it has, and who does not.
#[test]
fn who_is_taken_over() {
    let gone = |universe: &mut Universe| assert!(universe.alive.remove("p1"));
    let stopped = |universe: &mut Universe| assert!(universe.stopped.insert("p1".into()));
    let alive = |_: &mut Universe| {};
    let cases: [Case; 3] = [("gone", gone, true), ("stopped", stopped, true), ("alive", alive, false)];
    for (name, happens, is_taken) in cases {
        let mut universe = Universe::with(vec![read("1"), read("2")]);
        happens(&mut universe);
        // Years pass: a live one is never robbed, however slow it is.
        universe.now = "2031-01-01T00:00:00Z".into();
        let facts = universe.join("p2");
        let taken = facts.iter().filter(|fact| matches!(fact, Fact::Ended { how: Ended::TakenOver(_), .. })).count();
        assert_eq!(taken, usize::from(is_taken), "{name}: {facts:?}");
        let expected = if is_taken { vec![work("1")] } else { vec![work("1"), work("2")] };
        assert_eq!(universe.works(), expected, "{name}");
        assert_eq!(universe.attempt().opening, "p2", "{name}");
        assert_eq!(
            universe.session().members.contains("p1"),
            name != "gone",
            "{name}: one that is stopped may come back"
        );
    }
}

/// What a person has is theirs, whatever process they were given it by.
#[test]
fn people_are_not_taken_over() {
    let mut universe = Universe::new();
    universe.people.insert(Part::Executor);
    universe.start(&crate::driver::beginning(vec![read("1")]));
    universe.alive.remove("p1");
    universe.join("p2");
    assert_eq!(universe.works(), [work("1")]);
    let fence = universe.session().attempts.iter().next().map(|(fence, _)| *fence).unwrap();
    universe.must(&Input::Report { fence, outcome: done() });
    assert_eq!(universe.status("1"), Status::Completed);
}

/// A report that comes after the takeover: refused with its evidence, once; the item is done once, by the other.
#[test]
fn a_late_report() {
    let mut universe = Universe::with(vec![read("1")]);
    let late = universe.attempt().fence;
    universe.stopped.insert("p1".into());
    universe.join("p2");
    universe.stopped.clear();
    let before = universe.session().clone();
    let facts = universe.at("p1").must(&Input::Report { fence: late, outcome: done() });
    let [Fact::Refused { fence, work: about, executor, reason, summary, .. }] = facts.as_slice() else {
        panic!("refused: {facts:?}")
    };
    assert_eq!((*fence, about, executor.as_str()), (late, &work("1"), "runner-p1-p1-0001"));
    assert!(reason.contains("stopped") && summary == "it is done");
    assert_eq!(universe.session().pool, before.pool, "nothing is changed");
    assert!(universe.effects.contains(&Effect::KeepAside(late)));
    assert!(universe.told().iter().any(|told| matches!(told, Told::Problem(words) if words.contains("too late"))));
    let again = universe.refused(&Input::Report { fence: late, outcome: done() });
    assert!(again.contains("is over"), "the second time nothing is recorded: {again}");

    universe.at("p2").report(done());
    let completed = universe.facts.iter().filter(|fact| matches!(fact, Fact::Moved { to: Status::Completed, .. }));
    assert_eq!(completed.count(), 1);
}

/// A report after the session was ended is recorded as well: its files are not lost.
#[test]
fn a_late_report_after_the_end() {
    let mut universe = Universe::with(vec![read("1")]);
    let late = universe.attempt().fence;
    universe.must(&Input::Cancel { by: "me".into() });
    assert!(universe.effects.contains(&Effect::Stop(late)));
    assert_eq!(universe.status("1"), Status::Pending);
    let facts = universe.must(&Input::Report { fence: late, outcome: done() });
    assert!(matches!(facts.as_slice(), [Fact::Refused { .. }]), "{facts:?}");
    assert_eq!(universe.status("1"), Status::Pending);
}

/// Fences that nobody was given, and those whose report was taken.
#[test]
fn other_fences() {
    let mut universe = Universe::with(vec![read("1"), read("2")]);
    let report = |fence: u64| Input::Report { fence, outcome: done() };
    assert!(universe.refused(&report(0)).contains("knows no attempt 0"));
    assert!(universe.refused(&report(99)).contains("knows no attempt 99"));
    universe.must(&report(1));
    assert!(universe.refused(&report(1)).contains("attempt 1 of session"));
    assert!(universe.refused(&Input::ExitAsked { fence: 1, reason: String::new() }).contains("is over"));
    let by = Editor::Agent { fence: 1, noted: None };
    assert!(universe.refused(&Input::Edited { reading: universe.reading(), by }).contains("is over"));
}

/// An opening that comes back after it was stopped goes on with other work; one that leaves gives back what it has.
#[test]
fn coming_and_going() {
    let mut universe = Universe::with(vec![read("1"), read("2"), read("3")]);
    universe.stopped.insert("p1".into());
    universe.join("p2");
    universe.stopped.clear();
    universe.at("p1").wake();
    assert_eq!(universe.works(), [work("1"), work("2")]);
    assert_eq!(universe.attempt().work, work("2"));
    let facts = universe.must(&Input::Leave);
    assert!(facts.iter().any(|fact| matches!(fact, Fact::Left { opening, .. } if opening == "p1")));
    assert_eq!(universe.works(), [work("1")]);
    assert!(universe.effects.contains(&Effect::Stop(3)));
    universe.wake();
    assert_eq!(universe.works(), [work("1")], "one that left takes nothing");
    assert!(universe.refused(&Input::Leave).contains("takes no work"));
    universe.join("p1");
    assert_eq!(universe.works(), [work("1"), work("2")]);
    let facts = universe.join("p1");
    assert!(facts.is_empty(), "joining twice is joining once: {facts:?}");
    let words = universe.refused(&Input::Join { name: "two words".into() });
    assert!(words.contains("cannot be the name"), "{words}");
}

/// The process of an agent is gone, and its opening says so: the item can be taken again, and no entry is written.
#[test]
fn lost() {
    let mut universe = Universe::with(vec![read("1")]);
    universe.report(Outcome::Lost("killed".into()));
    assert_eq!(universe.attempt().number, 2);
    assert!(universe.entries().is_empty());
    assert_eq!(universe.attempt().fence, 2, "with a fence of its own");
}

/// The newest takeovers are kept in mind, however many there are.
#[test]
fn many_takeovers() {
    let mut universe = Universe::with(vec![read("1")]);
    for number in 0..1100 {
        let (from, to) = if number % 2 == 0 { ("p1", "p2") } else { ("p2", "p1") };
        universe.stopped = [from.to_string()].into();
        if universe.session().members.contains(to) {
            universe.at(to).wake();
        } else {
            universe.join(to);
        }
        if universe.item("1").status == Status::Failed {
            break;
        }
    }
    assert!(universe.session().outdated.len() <= 1024);
    assert_eq!(universe.status("1"), Status::Failed, "and an item that is never finished has failed at last");
}
