//! What the Human may say, where, and what is refused (CY-07, CY-08, CY-09).

use machine::cycle::{
    Asks, Fact, Input, Outcome, Party, Place, Stage, Standing, Verdict, Word, Work, read_answer, valid_words,
};

use crate::driver::{Universe, judged, plan, unsure};

fn at(asks: Asks) -> Universe {
    let mut universe = Universe::started();
    match asks {
        Asks::Sufficient => {
            universe.until(Work::Judge(Stage::Loop)).report(judged(Word::Pass, Standing::Sufficient));
        }
        Asks::Merge => {
            universe = at(Asks::Sufficient);
            universe.answer(Word::Approved, "");
            universe.until(Work::Judge(Stage::Closing)).report(judged(Word::Pass, Standing::Sufficient));
        }
        Asks::Delete => {
            universe = at(Asks::Merge);
            universe.answer(Word::MergeApproved, "");
            universe.report(universe.outcome(Standing::Sufficient));
        }
        _ => {
            universe.until(Work::Plan(Stage::Loop)).report(Outcome::Planned { said: unsure("?", 1), plan: plan() });
        }
    }
    universe
}

fn answer(word: Word, words: &str, shown: Option<u64>) -> Input {
    Input::Answer { verdict: Verdict { word, words: words.into() }, by: "me".into(), shown }
}

/// Every word at every gate: taken if it is valid there, refused with what is valid if not. Words are wanted where they count.
#[test]
fn every_word_at_every_gate() {
    for asks in [Asks::Sufficient, Asks::Merge, Asks::Delete, Asks::Escalation(Party::Planner)] {
        let universe = at(asks);
        assert_eq!(universe.asks(), Some(asks));
        for word in Word::ALL {
            let decided = universe.try_decide(&answer(word, "these words", None));
            assert_eq!(decided.is_ok(), valid_words(asks).contains(&word), "{word} at {asks:?}");
            if let Err(refusal) = decided {
                assert!(refusal.hint.contains(valid_words(asks)[0].name()), "{refusal}");
            }
            let silent = universe.try_decide(&answer(word, " ", None));
            let is_wordy = matches!(word, Word::RevisionRequested | Word::Answered);
            assert_eq!(silent.is_ok(), valid_words(asks).contains(&word) && !is_wordy, "{word} without words");
        }
    }
}

/// Nothing is merged or deleted without the Human's own word for it.
#[test]
fn cy09_nothing_is_deleted_without_a_verdict() {
    let mut universe = at(Asks::Merge);
    assert!(!universe.facts.iter().any(|fact| matches!(fact, Fact::Merged { .. })));
    assert!(universe.try_decide(&answer(Word::Approved, "", None)).is_err(), "a plain yes does not merge");
    universe.answer(Word::RevisionRequested, "not yet");
    assert_eq!(universe.cycle().loop_number, 2);
    let mut universe = at(Asks::Delete);
    universe.answer(Word::Answered, "keep the branch");
    assert_eq!(universe.attempt().work, Work::Archive(machine::cycle::Ending::Complete));
    assert!(!universe.facts.iter().any(|fact| matches!(fact, Fact::Deleted { .. })));
    assert_eq!(universe.cycle().branch, "cycle/1");
}

/// BY-02: an answer is to what was shown.
#[test]
fn by02_an_answer_to_another_question_is_void() {
    let mut universe = at(Asks::Sufficient);
    let shown = universe.cycle().gate().map(|gate| gate.number);
    universe.answer(Word::RevisionRequested, "more");
    universe.until(Work::Judge(Stage::Loop)).report(judged(Word::Pass, Standing::Sufficient));
    let refusal = universe.try_decide(&answer(Word::Approved, "", shown)).expect_err("another question waits");
    assert!(refusal.reason.contains("another waits"), "{refusal}");
    assert!(universe.try_decide(&answer(Word::Approved, "", None)).is_ok());
    assert!(matches!(universe.cycle().place, Place::Gate(_)));
}

#[test]
fn an_answer_that_nobody_waits_for() {
    let universe = Universe::started();
    let refusal = universe.try_decide(&answer(Word::Approved, "", None)).expect_err("nobody asked");
    assert!(refusal.reason.contains("does not wait for an answer") && refusal.hint.contains("`cancel`"), "{refusal}");
}

/// Words as they are typed.
#[test]
fn typed_words() {
    let read = |asks, text: &str| read_answer(asks, text).map(|verdict| (verdict.word, verdict.words));
    let plan = Asks::Plan;
    assert_eq!(read(plan, "approved"), Ok((Word::Approved, String::new())));
    assert_eq!(read(plan, "Revision-requested: in two steps"), Ok((Word::RevisionRequested, "in two steps".into())));
    assert_eq!(read(plan, "STOPPED, no time"), Ok((Word::Stopped, "no time".into())));
    assert_eq!(read(Asks::Clarification, "the second one"), Ok((Word::Answered, "the second one".into())));
    assert_eq!(read(Asks::Merge, "MERGE_APPROVED"), Ok((Word::MergeApproved, String::new())));
    for (asks, text, reason) in [
        (Asks::Merge, "merge_approved", "`merge_approved` is not `MERGE_APPROVED`"),
        (Asks::Delete, "Delete_Approved", "is not `DELETE_APPROVED`"),
        (Asks::Merge, "yes", "`yes` is no answer"),
        (plan, "PASS", "`PASS` is no answer"),
        (plan, " ", "the answer is empty"),
        (Asks::Clarification, "", "the answer is empty"),
    ] {
        let refusal = read_answer(asks, text).expect_err("it is refused");
        assert!(refusal.reason.contains(reason), "{refusal}");
        assert!(!refusal.hint.is_empty());
    }
}
