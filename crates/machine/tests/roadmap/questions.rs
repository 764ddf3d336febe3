//! RM-08: a question with its default planned already, at most two for an item, work that goes on, and answers.

use machine::roadmap::{
    CancelItem, Fact, Input, Outcome, Part, PlanChanges, ReadQuestion, Status, TaskReading, Told, Verdict, Why, Work,
};

use crate::driver::{GOAL, Universe, add, adds, is_entry, planned, read, work};

fn asks(default: PlanChanges) -> Outcome {
    Outcome::Asked {
        question: "red or blue?".into(),
        default,
        summary: "red for now".into(),
        partial: Some("kept/red".into()),
    }
}

fn answered(id: &str, answer: Option<&str>) -> Input {
    let question = ReadQuestion { id: id.into(), question: "red or blue?".into(), answer: answer.map(String::from) };
    Input::TaskEdited(TaskReading { goal: GOAL.into(), questions: vec![question] })
}

/// The default is committed with the question, the item is Pending and not blocked, and its next executor goes on with it.
#[test]
fn asked_with_a_default() {
    let mut universe = Universe::with(vec![read("1")]);
    let facts = universe.report(asks(adds(&[add("2", &["1"])])));
    let added = facts.iter().position(|fact| matches!(fact, Fact::Added { .. })).expect("the default is planned");
    let asked = facts.iter().position(|fact| matches!(fact, Fact::Asked(_))).expect("and the question is asked");
    assert!(added < asked);
    let entry = universe.last_entry();
    is_entry(&entry, Part::Executor, Verdict::Pending, "1. do 1");
    assert!(!entry.is_blocker);
    assert_eq!(universe.works(), [work("1")], "work goes on");
    let question = universe.session().question_of("1").expect("the next one is told").clone();
    assert_eq!((question.id.as_str(), question.default.as_str()), ("q-p1-0001", "red for now"));
    assert_eq!(universe.item("1").partial.as_deref(), Some("kept/red"));
    assert_eq!(universe.told(), [Told::Question("q-p1-0001".into())]);
    assert!(universe.restored() == *universe.session());
}

/// The same item may ask twice; the third time goes back. So does a default that cannot be, and a question without words.
#[test]
fn asked_at_most_twice() {
    let mut universe = Universe::with(vec![read("1")]);
    for _ in 0..2 {
        universe.report(asks(adds(&[])));
    }
    assert_eq!((universe.item("1").asked, universe.session().questions.len()), (2, 2));
    universe.report(asks(adds(&[])));
    assert_eq!(universe.attempt().problems, ["item 1 asked 2 times already: go on with the default path"]);

    let mut universe = Universe::with(vec![read("1")]);
    universe.report(asks(adds(&[add("2", &["9"])])));
    assert_eq!(universe.attempt().problems, ["the default path: item 2 depends on 9, which does not exist"]);
    assert!(universe.session().questions.is_empty() && universe.session().pool.len() == 1, "nothing of it counts");
    let silent = Outcome::Asked { question: " ".into(), default: adds(&[]), summary: String::new(), partial: None };
    universe.report(silent);
    assert_eq!(universe.attempt().problems, ["the question is empty"]);
}

/// A default may put something else in the place of the item that asks.
#[test]
fn a_default_without_the_item() {
    let mut universe = Universe::with(vec![read("1")]);
    let cancel = CancelItem { item: "1".into(), reason: "simpler".into(), instead: vec![] };
    universe.report(asks(PlanChanges { add: vec![add("2", &[])], cancel: vec![cancel], ..PlanChanges::default() }));
    assert_eq!(universe.statuses(), "1 Cancelled, 2 Locked");
}

/// An answer in the task file is taken up first, by a planner, and then its block goes.
#[test]
fn answered_in_the_task_file() {
    let mut universe = Universe::with(vec![read("1"), read("2")]);
    universe.report(asks(adds(&[])));
    let facts = universe.must(&answered("q-p1-0001", None));
    assert!(facts.is_empty(), "no answer yet: {facts:?}");
    universe.must(&answered("q-p1-0001", Some("blue")));
    universe.report(crate::driver::done());
    assert_eq!(universe.works(), [Work::Plan(Why::Reply("q-p1-0001".into()))], "2 is free, and the answer goes first");
    assert_eq!(universe.attempt().basis, "blue");
    let facts = universe.must(&answered("q-p1-0001", Some("blue")));
    assert!(facts.is_empty(), "the same answer is no news: {facts:?}");
    let facts = universe.report(planned(adds(&[add("3", &[])])));
    assert!(facts.iter().any(|fact| matches!(fact, Fact::Settled { question, .. } if question == "q-p1-0001")));
    is_entry(&universe.last_entry(), Part::Planner, Verdict::Succeeded, "Plan with the answer to q-p1-0001");
    assert!(universe.session().questions.is_empty());
    assert_eq!(universe.works(), [work("2")]);
}

/// Somebody changes the answer while it is taken up: it is taken up again.
#[test]
fn an_answer_that_changes() {
    let mut universe = Universe::with(vec![read("1")]);
    universe.report(asks(adds(&[])));
    universe.must(&answered("q-p1-0001", Some("blue")));
    universe.report(crate::driver::done());
    universe.must(&answered("q-p1-0001", Some("green")));
    universe.report(planned(adds(&[])));
    assert_eq!((universe.works().len(), universe.attempt().basis.as_str()), (1, "green"));
    universe.report(planned(adds(&[])));
    assert!(universe.session().questions.is_empty());
}

/// An answer to a question of an earlier session counts; a block that somebody removed is done with.
#[test]
fn questions_of_others() {
    let mut universe = Universe::with(vec![read("1")]);
    universe.hands = 0;
    universe.must(&answered("old-7", Some("yes")));
    let question = universe.session().reply().expect("it waits").clone();
    assert_eq!((question.question.as_str(), question.item), ("red or blue?", None));
    let gone = Input::TaskEdited(TaskReading { goal: GOAL.into(), questions: vec![] });
    let facts = universe.must(&gone);
    assert!(matches!(facts.as_slice(), [Fact::Settled { .. }]), "{facts:?}");

    let mut universe = Universe::new();
    let task = TaskReading {
        goal: GOAL.into(),
        questions: vec![ReadQuestion { id: "old-7".into(), question: "?".into(), answer: Some("yes".into()) }],
    };
    universe.start(&machine::roadmap::Beginning { task, ..crate::driver::beginning(vec![read("1")]) });
    assert_eq!(universe.works(), [Work::Plan(Why::Reply("old-7".into()))], "at the start, too");
}

/// RM-08: an answer that comes after all was done is taken up by the next session, for the item that asked; a question whose
/// block is gone is not asked again.
#[test]
fn an_answer_after_the_end() {
    let mut universe = Universe::with(vec![read("1")]);
    universe.report(asks(adds(&[])));
    universe.report(crate::driver::done());
    assert_eq!(universe.session().over, Some(machine::roadmap::Over::Done), "nobody waits for an answer");
    let asked: Vec<_> = universe.session().questions.iter().map(|(_, question)| question.clone()).collect();
    let Input::TaskEdited(task) = answered("q-p1-0001", Some("blue")) else { unreachable!() };
    let done = || vec![crate::driver::with_status("1", Status::Completed)];
    let begins = |task: TaskReading, items| machine::roadmap::Beginning {
        task,
        asked: asked.clone(),
        ..crate::driver::beginning(items)
    };

    let mut next = Universe::new();
    next.start(&begins(task.clone(), done()));
    assert_eq!(next.works(), [Work::Plan(Why::Reply("q-p1-0001".into()))]);
    let question = next.session().reply().expect("it waits").clone();
    assert_eq!((question.item.as_deref(), question.default.as_str()), (Some("1"), "red for now"));
    next.report(planned(adds(&[add("2", &[])])));
    assert_eq!((next.session().questions.len(), next.works()), (0, vec![work("2")]));

    let mut next = Universe::new();
    next.start(&begins(task, vec![read("9")]));
    assert_eq!(next.session().reply().map(|one| one.item.clone()), Some(None), "its item is gone from the log");

    let mut next = Universe::new();
    next.start(&begins(TaskReading { goal: GOAL.into(), questions: vec![] }, done()));
    assert!(next.session().questions.is_empty() && next.session().over.is_some());
}

/// An answer by a command: to the only question, by its id, or refused with what there is.
#[test]
fn answered_by_a_command() {
    let answer = |question: Option<&str>, answer: &str| Input::Answer {
        question: question.map(String::from),
        answer: answer.into(),
        by: "me".into(),
    };
    let mut universe = Universe::with(vec![read("1")]);
    assert!(universe.refused(&answer(None, "blue")).contains("has no open question"));
    universe.report(asks(adds(&[])));
    assert!(universe.refused(&answer(None, "  ")).contains("the answer is empty"));
    assert!(universe.refused(&answer(Some("q-9"), "blue")).contains("open questions: q-p1-0001"));
    universe.report(asks(adds(&[])));
    assert!(universe.refused(&answer(None, "blue")).contains("has 2 open questions"));
    universe.must(&answer(Some("q-p1-0002"), "blue"));
    universe.report(crate::driver::done());
    assert_eq!(universe.works(), [Work::Plan(Why::Reply("q-p1-0002".into()))]);
    let question = universe.session().questions.get("q-p1-0002").expect("it is there");
    assert_eq!(question.by, "me");
}

/// A planner may ask, too: its default is the plan.
#[test]
fn a_planner_asks() {
    let mut universe = Universe::new();
    universe.start(&machine::roadmap::Beginning { planned: String::new(), ..crate::driver::beginning(vec![]) });
    universe.report(asks(adds(&[add("1", &[])])));
    assert_eq!((universe.session().planned.as_str(), universe.works()), (GOAL, vec![work("1")]));
    assert_eq!(universe.session().questions.len(), 1);
    assert_eq!(universe.status("1"), Status::Locked);
}
