//! CY-06, CY-07: the routing table, every row, and every escalation: as a table, and as the machine goes.

use machine::cycle::{
    Asks, Lap, Outcome, Party, Place, Reason, Route, Routed, Signature, Stage, Standing, Word, Work, route,
};

use crate::driver::{Universe, judged, plan, said, unsure};

fn routed(word: Word, lap: Lap, step: u32) -> Routed {
    Routed {
        party: word.party(),
        word,
        confidence: (word.party() != Party::Human).then_some(8),
        standing: None,
        signature: Signature { goal: 1, lap, step },
        wish: None,
    }
}

/// CY-06: every row of the table.
#[test]
fn cy06_every_row() {
    use Party::{Actor, Judge, Planner};
    let (first, third, last) = (Lap::Loop(0), Lap::Loop(3), Lap::Final);
    let rows = [
        (Word::Init, first, 0, None, Route::To(Planner)),
        (Word::PlanCreated, first, 1, None, Route::Human(Reason::Plan)),
        (Word::PlanCreated, third, 1, None, Route::To(Actor)),
        (Word::PlanCreated, last, 1, None, Route::To(Actor)),
        (Word::ClarificationNeeded, third, 1, None, Route::Human(Reason::Clarification)),
        (Word::Success, third, 2, None, Route::To(Judge)),
        (Word::Success, last, 2, None, Route::To(Judge)),
        (Word::Success, last, 5, None, Route::Human(Reason::Delete)),
        (Word::Success, last, 7, None, Route::End),
        (Word::Fail, third, 2, None, Route::To(Planner)),
        (Word::Fail, last, 2, None, Route::Human(Reason::Closing)),
        (Word::Pass, third, 3, Some(Standing::Sufficient), Route::Human(Reason::Sufficient)),
        (Word::Pass, third, 3, Some(Standing::Progressing), Route::To(Planner)),
        (Word::Pass, last, 3, Some(Standing::Sufficient), Route::Human(Reason::Merge)),
        (Word::Insufficient, third, 3, Some(Standing::Progressing), Route::To(Planner)),
        (Word::Insufficient, third, 3, None, Route::To(Planner)),
        (Word::Insufficient, last, 3, None, Route::Human(Reason::Closing)),
        (Word::Approved, third, 4, None, Route::To(Planner)),
        (Word::RevisionRequested, third, 4, None, Route::To(Planner)),
        (Word::Answered, third, 4, None, Route::To(Planner)),
        (Word::MergeApproved, last, 4, None, Route::To(Actor)),
        (Word::DeleteApproved, last, 6, None, Route::To(Actor)),
        (Word::Stopped, third, 4, None, Route::End),
    ];
    for (word, lap, step, standing, expected) in rows {
        let turn = Routed { standing, ..routed(word, lap, step) };
        assert_eq!(route(&turn), Ok(expected), "{word} at {}", turn.signature);
    }
    for word in Word::ALL {
        assert!(rows.iter().any(|row| row.0 == word), "{word} has a row");
    }
}

/// CY-07: below 5 everything of an agent goes to the Human, whatever it says; from 5 on nothing does for that.
#[test]
fn cy07_every_word_of_an_agent_escalates_below_five() {
    for word in Word::ALL.into_iter().filter(|word| word.party() != Party::Human) {
        for lap in [Lap::Loop(0), Lap::Loop(2), Lap::Final] {
            for confidence in 0..=10 {
                let standing = Some(Standing::Progressing);
                let turn = Routed { confidence: Some(confidence), standing, ..routed(word, lap, word.party().step()) };
                let is_unsure = route(&turn) == Ok(Route::Human(Reason::Unsure(confidence)));
                assert_eq!(is_unsure, confidence < 5, "{word} with {confidence}");
            }
        }
    }
}

/// What cannot be routed is not guessed.
#[test]
fn cy06_what_leads_nowhere_is_said() {
    let lap = Lap::Loop(1);
    let cases = [
        (Routed { party: Party::Actor, ..routed(Word::Pass, lap, 2) }, "PASS is said by the Judge, not by the Actor"),
        (Routed { confidence: None, ..routed(Word::Success, lap, 2) }, "does not say how sure"),
        (Routed { confidence: Some(11), ..routed(Word::Success, lap, 2) }, "11 is not from 0 to 10"),
        (routed(Word::Pass, lap, 3), "PASS without the status of the superordinate goal"),
    ];
    for (turn, expected) in cases {
        let unroutable = route(&turn).expect_err("it leads nowhere");
        assert!(unroutable.reason.contains(expected), "{}", unroutable.reason);
    }
}

/// Human over Judge over Planner over Actor: a Human's wish counts, an Actor's does not.
#[test]
fn cy06_who_may_overrule() {
    let approved = routed(Word::Approved, Lap::Loop(2), 4);
    assert_eq!(route(&Routed { wish: Some(Party::Judge), ..approved }), Ok(Route::To(Party::Judge)));
    let success = routed(Word::Success, Lap::Loop(2), 2);
    for wish in Party::ALL {
        assert_eq!(
            route(&Routed { wish: Some(wish), ..success }),
            Ok(Route::To(Party::Judge)),
            "no skipping the Judge"
        );
    }
    let outline = Routed { wish: Some(Party::Human), ..routed(Word::PlanCreated, Lap::Loop(1), 1) };
    assert_eq!(route(&outline), Ok(Route::Human(Reason::Plan)), "a plan of the whole that was made again");
}

/// CY-06: the machine goes as the table says, and the block names who is next.
#[test]
fn cy06_the_machine_follows_the_table() {
    let act = Work::Act(Stage::Loop);
    let judge = Work::Judge(Stage::Loop);
    let cases = [
        (act, Outcome::Blocked { said: said("no access") }, "FAIL", Some(Party::Planner), None),
        (judge, judged(Word::Pass, Standing::Progressing), "PASS", Some(Party::Planner), None),
        (judge, judged(Word::Insufficient, Standing::Progressing), "INSUFFICIENT", Some(Party::Planner), None),
        (judge, judged(Word::Pass, Standing::Sufficient), "PASS", Some(Party::Human), Some(Asks::Sufficient)),
    ];
    for (work, outcome, word, next, asks) in cases {
        let mut universe = Universe::started();
        universe.until(work).report(outcome);
        let turn = universe.last_turn();
        assert_eq!((turn.word.name(), turn.next, universe.asks()), (word, next, asks));
        if asks.is_none() {
            assert_eq!(universe.cycle().loop_number, 2, "the Planner begins a loop");
            assert_eq!(universe.cycle().place, Place::Due(Work::Checkpoint), "which begins with a checkpoint");
        }
    }
}

/// CY-07: who is not sure asks the Human with the reason; APPROVED goes on as it would have gone, words go to the Planner
/// verbatim.
#[test]
fn cy07_escalation_of_each_agent() {
    let insufficient = || match judged(Word::Insufficient, Standing::Progressing) {
        Outcome::Judged { word, standing, findings, .. } => {
            Outcome::Judged { said: unsure("not sure", 3), word, standing, findings }
        }
        other => other,
    };
    type Case = (Work, fn(&Universe) -> Outcome, Party, Work);
    let cases: [Case; 2] = [
        (
            Work::Plan(Stage::Loop),
            |_| Outcome::Planned { said: unsure("not sure", 4), plan: plan() },
            Party::Planner,
            Work::Act(Stage::Loop),
        ),
        (
            Work::Act(Stage::Loop),
            |universe| match universe.outcome(Standing::Progressing) {
                Outcome::Succeeded { deed, measured, .. } => {
                    Outcome::Succeeded { said: unsure("not sure", 0), deed, measured }
                }
                other => other,
            },
            Party::Actor,
            Work::Check(Stage::Loop),
        ),
    ];
    for (work, outcome, party, then) in cases {
        let mut universe = Universe::started();
        universe.until(work);
        universe.report(outcome(&universe));
        assert_eq!(universe.asks(), Some(Asks::Escalation(party)));
        let gate = universe.cycle().gate().expect("a gate").clone();
        assert!(gate.question.contains("is below 5: not sure"), "{}", gate.question);
        assert_eq!(universe.last_turn().next, Some(Party::Human));
        universe.answer(Word::Approved, "");
        assert_eq!(universe.cycle().place, Place::Due(then), "{party} goes on");
        assert_eq!(universe.last_turn().signature.to_string(), "1:1:4");
    }
    let mut universe = Universe::started();
    universe.until(Work::Judge(Stage::Loop)).report(insufficient());
    assert_eq!(universe.asks(), Some(Asks::Escalation(Party::Judge)));
    universe.answer(Word::Answered, "use the *old* list,\nline by line | exactly");
    assert_eq!(universe.cycle().words, ["use the *old* list,\nline by line | exactly"], "verbatim");
    universe.until(Work::Plan(Stage::Loop));
    assert_eq!(universe.cycle().words.len(), 1, "the Planner is told");
    universe.until(Work::Act(Stage::Loop));
    assert!(universe.cycle().words.is_empty(), "and has taken it in");
}
