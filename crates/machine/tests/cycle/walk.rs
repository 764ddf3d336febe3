//! Whole cycles.

use machine::cycle::{
    Asks, Ending, Fact, Ground, Input, Lap, Outcome, Place, Stage, Standing, Stated, Upfront, Word, Work,
};

use crate::driver::{Universe, judged, said};

/// CY-01, CY-03, CY-09, CY-10: from the goal to the archive, with a plan of the whole, two loops and the closing steps.
#[test]
fn cy09_a_whole_cycle() {
    let mut universe = Universe::new();
    universe.upfront = Upfront::Asked;
    universe.start();
    universe.until(Work::Outline);
    universe.report(universe.outcome(Standing::Progressing));
    assert_eq!(universe.asks(), Some(Asks::Plan));
    universe.answer(Word::Approved, "");
    universe.until(Work::Judge(Stage::Loop));
    universe.report(judged(Word::Insufficient, Standing::Progressing));
    universe.until(Work::Judge(Stage::Loop)).report(judged(Word::Pass, Standing::Sufficient));
    universe.answer(Word::Approved, "");
    universe.until(Work::Judge(Stage::Closing)).report(judged(Word::Pass, Standing::Sufficient));
    assert_eq!(universe.asks(), Some(Asks::Merge));
    universe.answer(Word::MergeApproved, "");
    universe.report(universe.outcome(Standing::Sufficient));
    assert_eq!(universe.asks(), Some(Asks::Delete));
    universe.answer(Word::DeleteApproved, "");
    universe.report(universe.outcome(Standing::Sufficient));
    universe.report(universe.outcome(Standing::Sufficient));
    assert_eq!(universe.cycle().ending(), Some(Ending::Complete));
    let expected = [
        "1:0:0 Human INIT",
        "1:0:1 Planner PLAN_CREATED",
        "1:0:4 Human APPROVED",
        "1:1:1 Planner PLAN_CREATED",
        "1:1:2 Actor SUCCESS",
        "1:1:3 Judge INSUFFICIENT",
        "1:2:1 Planner PLAN_CREATED",
        "1:2:2 Actor SUCCESS",
        "1:2:3 Judge PASS",
        "1:2:4 Human APPROVED",
        "1:FINAL:1 Planner PLAN_CREATED",
        "1:FINAL:2 Actor SUCCESS",
        "1:FINAL:3 Judge PASS",
        "1:FINAL:4 Human MERGE_APPROVED",
        "1:FINAL:5 Actor SUCCESS",
        "1:FINAL:6 Human DELETE_APPROVED",
        "1:FINAL:7 Actor SUCCESS",
    ];
    assert_eq!(universe.signatures(), expected);
    let order = |wanted: fn(&Fact) -> bool| universe.facts.iter().position(wanted).expect("it came");
    let merged = order(|fact| matches!(fact, Fact::Merged { .. }));
    let deleted = order(|fact| matches!(fact, Fact::Deleted { .. }));
    let archived = order(|fact| matches!(fact, Fact::Archived { .. }));
    assert!(merged < deleted && deleted < archived, "merge, then deletion, then the archive");
    assert_eq!(universe.replayed(), universe.cycle);
}

/// CY-09: where there is no repository there is nothing to merge or to delete, and the Human still has the last word.
#[test]
fn cy09_without_a_repository() {
    let mut universe = Universe::new();
    universe.ground = Ground::Files;
    universe.start();
    universe.until(Work::Judge(Stage::Loop)).report(judged(Word::Pass, Standing::Sufficient));
    universe.answer(Word::Approved, "");
    universe.until(Work::Judge(Stage::Closing)).report(judged(Word::Pass, Standing::Sufficient));
    assert_eq!(universe.asks(), Some(Asks::Close));
    universe.answer(Word::Approved, "");
    universe.report(universe.outcome(Standing::Sufficient));
    assert_eq!(universe.cycle().ending(), Some(Ending::Complete));
    assert_eq!(universe.signatures().last().map(String::as_str), Some("1:FINAL:7 Actor SUCCESS"));
}

/// CY-03: a question of the Planner goes to the Human and comes back to the Planner, in a loop of its own.
#[test]
fn cy03_clarification() {
    let mut universe = Universe::started();
    universe.until(Work::Plan(Stage::Loop));
    universe.report(Outcome::Clarify { said: said("unclear"), question: "which glossary?".into() });
    assert_eq!(universe.asks(), Some(Asks::Clarification));
    assert!(universe.cycle().gate().is_some_and(|gate| gate.question.contains("which glossary?")));
    assert_eq!(universe.last_turn().context, "which glossary?");
    universe.answer(Word::Answered, "the one in docs");
    assert_eq!(universe.signatures()[1..], ["1:1:1 Planner CLARIFICATION_NEEDED", "1:1:4 Human ANSWERED"]);
    assert_eq!(
        (universe.cycle().loop_number, universe.cycle().words.as_slice()),
        (2, &["the one in docs".to_string()][..])
    );
}

/// CY-03: a plan of the whole is made again until it is approved.
#[test]
fn cy03_an_outline_is_revised() {
    let mut universe = Universe::new();
    universe.upfront = Upfront::Asked;
    universe.start();
    for words in ["smaller", "smaller still"] {
        universe.until(Work::Outline);
        universe.report(universe.outcome(Standing::Progressing));
        assert_eq!(universe.asks(), Some(Asks::Plan));
        universe.answer(Word::RevisionRequested, words);
        assert_eq!(universe.cycle().words, [words]);
    }
    universe.until(Work::Outline);
    universe.report(universe.outcome(Standing::Progressing));
    universe.answer(Word::Approved, "");
    universe.until(Work::Act(Stage::Loop));
    assert_eq!((universe.cycle().loop_number, universe.cycle().outline.as_str()), (3, "add what is missing"));
}

/// A loop begins with a checkpoint that can be gone back to.
#[test]
fn every_loop_has_a_checkpoint() {
    let mut universe = Universe::started();
    for _ in 0..3 {
        universe.until(Work::Judge(Stage::Loop)).report(judged(Word::Insufficient, Standing::Progressing));
    }
    universe.until(Work::Plan(Stage::Loop));
    let loops: Vec<u32> = universe.cycle().checkpoints.iter().map(|(number, _)| *number).collect();
    assert_eq!(loops, [1, 2, 3, 4]);
}

/// CY-09: closing steps that do not end well go back to loops with the Human's word; a conflict changes nothing.
#[test]
fn cy09_closing_that_fails() {
    let mut universe = Universe::started();
    universe.until(Work::Judge(Stage::Loop)).report(judged(Word::Pass, Standing::Sufficient));
    universe.answer(Word::Approved, "");
    universe.until(Work::Judge(Stage::Closing)).report(judged(Word::Pass, Standing::Sufficient));
    universe.answer(Word::MergeApproved, "");
    universe.report(Outcome::Conflicted { files: vec!["a.md".into()] });
    assert_eq!(universe.asks(), Some(Asks::Conflict));
    assert!(universe.cycle().gate().is_some_and(|gate| gate.question.contains("a.md")));
    universe.answer(Word::Answered, "resolved");
    assert_eq!(universe.cycle().place, Place::Due(Work::Merge), "it is tried again");
    universe.report(Outcome::Conflicted { files: vec!["a.md".into()] });
    universe.answer(Word::RevisionRequested, "rebase it");
    assert_eq!(universe.cycle().loop_number, 2);
    assert!(universe.turns().iter().any(|turn| turn.signature.lap == Lap::Final));
    universe.until(Work::Judge(Stage::Loop)).report(judged(Word::Pass, Standing::Sufficient));
    universe.answer(Word::Approved, "");
    universe.until(Work::Judge(Stage::Closing));
    universe.report(judged(Word::Insufficient, Standing::Progressing));
    assert_eq!(universe.asks(), Some(Asks::Escalation(machine::cycle::Party::Judge)));
}

/// CY-08: the Human ends a cycle at any time; its record is archived as incomplete.
#[test]
fn cy08_cancelled_anywhere() {
    for work in [Work::Checkpoint, Work::Plan(Stage::Loop), Work::Act(Stage::Loop), Work::Judge(Stage::Loop)] {
        let mut universe = Universe::started();
        universe.until(work);
        let fence = universe.attempt().fence;
        universe.must(&Input::Cancel { by: "me".into() });
        assert!(universe.effects.contains(&machine::cycle::Effect::Stop(fence)), "who is at work is stopped");
        assert_eq!(universe.last_turn().word, Word::Stopped);
        assert_eq!(universe.cycle().place, Place::Due(Work::Archive(Ending::Incomplete)));
        let refusal = universe.try_decide(&Input::Cancel { by: "me".into() }).expect_err("it is ending");
        assert!(refusal.reason.contains("is ending already"), "{refusal}");
        universe.report(universe.outcome(Standing::Progressing));
        assert_eq!(universe.cycle().ending(), Some(Ending::Incomplete));
    }
}

/// A checkpoint is gone back to by the Human's word: what came after it is not what stands there any more.
#[test]
fn cy04_back_to_an_earlier_loop() {
    let mut universe = Universe::started();
    universe.limits.insufficient = 3;
    for _ in 0..3 {
        universe.until(Work::Judge(Stage::Loop)).report(judged(Word::Insufficient, Standing::Progressing));
    }
    let refuse = |words: &str| {
        let verdict = machine::cycle::Verdict { word: Word::RevisionRequested, words: words.into() };
        universe
            .try_decide(&Input::Answer { verdict, by: "me".into(), shown: None })
            .expect_err("there is no such loop")
    };
    assert!(refuse("back to loop 9").hint.contains("1, 2, 3"), "{}", refuse("back to loop 9"));
    let goal = universe.cycle().goal.clone();
    universe.answer(Word::RevisionRequested, "Back to loop 2, and leave the index alone");
    let cycle = universe.cycle();
    assert_eq!((cycle.back.as_str(), &cycle.measured, &cycle.checks), ("before-c2", &None, &None));
    assert_eq!((cycle.place.clone(), cycle.loop_number), (Place::Due(Work::Checkpoint), 4));
    assert_eq!((&cycle.goal, cycle.words.len()), (&goal, 1), "it is no new goal, and the Planner is told");
    universe.until(Work::Plan(Stage::Loop));
    assert!(universe.cycle().back.is_empty(), "once");
    assert_eq!(universe.replayed(), universe.cycle);
    let mut files = Universe::new();
    files.ground = machine::cycle::Ground::Files;
    files.start();
    files.until(Work::Judge(Stage::Loop)).report(judged(Word::Pass, Standing::Sufficient));
    let verdict = machine::cycle::Verdict { word: Word::RevisionRequested, words: "back to loop 1".into() };
    let refusal = files.try_decide(&Input::Answer { verdict, by: "me".into(), shown: None });
    assert!(refusal.expect_err("nothing is kept").reason.contains("without a repository"));
}

/// CY-09: a pull request is asked for where the project says how, and whatever comes of it, the Human decides on the merge.
#[test]
fn cy09_a_pull_request_before_the_merge() {
    for (outcome, told, number) in [
        (Outcome::Offered { number: Some(42), said: "pull/42".into() }, "pull request 42: pull/42", Some(42)),
        (Outcome::Offered { number: None, said: "no key".into() }, "there is no pull request: no key", None),
        (Outcome::Failed("it broke".into()), "there is no pull request: it broke", None),
    ] {
        let mut universe = Universe::started();
        universe.limits.offers = true;
        universe.until(Work::Judge(Stage::Loop)).report(judged(Word::Pass, Standing::Sufficient));
        universe.answer(Word::Approved, "");
        universe.until(Work::Judge(Stage::Closing)).report(judged(Word::Pass, Standing::Sufficient));
        assert_eq!(universe.cycle().place, Place::Due(Work::Offer));
        universe.report(outcome);
        assert_eq!((universe.asks(), universe.cycle().pull_request), (Some(Asks::Merge), number));
        let question = universe.cycle().gate().map(|gate| gate.question.clone()).unwrap_or_default();
        assert!(question.contains("the merge waits for approval") && question.contains(told), "{question}");
        assert_eq!(universe.replayed(), universe.cycle);
    }
}

/// CY-08: what a critical error was is known when the cycle is over.
#[test]
fn cy08_why_it_failed_is_known() {
    let mut universe = Universe::started();
    universe.until(Work::Plan(Stage::Loop));
    for _ in 0..3 {
        universe.report(Outcome::Failed("the model is gone".into()));
    }
    assert_eq!(universe.cycle().place, Place::Due(Work::Archive(Ending::Failed)));
    assert_eq!(universe.cycle().trouble, "the model is gone");
}

/// QL-23: what the Human writes into the head of the record holds from there on; an empty goal is refused, and a goal that
/// was changed by an answer is still known by what the head says.
#[test]
fn ql23_the_head_is_restated() {
    let mut universe = Universe::started();
    universe.until(Work::Act(Stage::Loop));
    let stated = Stated { goal: "another".into(), current_state: vec!["so".into()], context_docs: vec![] };
    universe.must(&Input::Restate(stated));
    let cycle = universe.cycle();
    assert_eq!((cycle.goal.as_str(), cycle.current_state.len(), &cycle.headed), ("another", 1, &None));
    assert!(cycle.attempt.is_some(), "whoever is at work goes on");
    assert!(universe.try_decide(&Input::Restate(Stated::default())).is_err());
    universe.limits.insufficient = 1;
    universe.until(Work::Judge(Stage::Loop)).report(judged(Word::Insufficient, Standing::Progressing));
    universe.answer(Word::RevisionRequested, "a third");
    assert_eq!((universe.cycle().goal.as_str(), universe.cycle().headed.as_deref()), ("a third", Some("another")));
}
