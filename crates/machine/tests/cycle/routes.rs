//! CY-06, CY-07: the routing table, every row, and every escalation: as a table, and as the machine goes.

use machine::cycle::{
    Asks, Ground, Lap, Outcome, Party, Place, Reason, Route, Routed, Signature, Stage, Standing, Upfront, Word, Work,
    route,
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
        let (begins, ends) = (format!("the {party} is not sure (confidence "), " is below 5): not sure");
        assert!(gate.question.starts_with(&begins) && gate.question.ends_with(ends), "{}", gate.question);
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

/// How a cycle comes to a gate.
type Way = fn(&mut Universe);

/// CY-06, CY-07, CY-08, CY-12: every way to the Human: what leads there, and what is asked.
#[test]
fn cy07_every_escalation() {
    let rows: [(&str, Way, Asks); 15] = [
        ("a plan of the whole", |one| outlined(one), Asks::Plan),
        ("a question of the Planner", |one| begun(one).until(PLAN).report(question()), Asks::Clarification),
        (
            "a Planner that is not sure",
            |one| begun(one).until(PLAN).report(planned(4)),
            Asks::Escalation(Party::Planner),
        ),
        ("an Actor that is not sure", |one| begun(one).until(ACT).report(blocked(4)), Asks::Escalation(Party::Actor)),
        ("a Judge that is not sure", |one| verdict(one, Word::Insufficient, 4), Asks::Escalation(Party::Judge)),
        ("a goal that is met", |one| verdict(one, Word::Pass, 8), Asks::Sufficient),
        ("a goal that may be met", |one| verdict(one, Word::Pass, 4), Asks::Sufficient),
        ("five times INSUFFICIENT", |one| (0..5).for_each(|_| verdict(one, Word::Insufficient, 8)), Asks::Insufficient),
        ("no loops left", |one| used_up(one, 1, None), Asks::LoopLimit),
        ("no time left", |one| used_up(one, 50, Some(1)), Asks::TimeLimit),
        ("closing steps that fail", |one| closing(one, ACT_LAST, blocked(9)), Asks::Escalation(Party::Actor)),
        ("a merge", |one| closing(one, JUDGE_LAST, judged(Word::Pass, Standing::Sufficient)), Asks::Merge),
        ("a conflict", |one| merged(one, Outcome::Conflicted { files: vec!["a".into()] }), Asks::Conflict),
        ("a deletion", |one| merged(one, done()), Asks::Delete),
        ("a Judge against the checks", insistent, Asks::Escalation(Party::Judge)),
    ];
    for (what, way, asks) in rows {
        let mut universe = Universe::new();
        way(&mut universe);
        assert_eq!(universe.asks(), Some(asks), "{what}: {:?}", universe.cycle().place);
        assert_eq!(universe.replayed(), universe.cycle, "{what}");
    }
    let mut files = Universe::new();
    files.ground = Ground::Files;
    closing(&mut files, JUDGE_LAST, judged(Word::Pass, Standing::Sufficient));
    assert_eq!(files.asks(), Some(Asks::Close), "an end without a merge");
}

const PLAN: Work = Work::Plan(Stage::Loop);
const ACT: Work = Work::Act(Stage::Loop);
const ACT_LAST: Work = Work::Act(Stage::Closing);
const JUDGE_LAST: Work = Work::Judge(Stage::Closing);

fn begun(universe: &mut Universe) -> &mut Universe {
    if universe.cycle.is_none() {
        universe.start();
    }
    universe
}

fn outlined(universe: &mut Universe) {
    universe.upfront = Upfront::Asked;
    universe.start();
    universe.until(Work::Outline);
    universe.report(universe.outcome(Standing::Progressing));
}

fn question() -> Outcome {
    Outcome::Clarify { said: said("which list?"), question: "which list?\nthe old one, or the new one?".into() }
}

fn planned(confidence: u8) -> Outcome {
    Outcome::Planned { said: unsure("planned", confidence), plan: plan() }
}

fn blocked(confidence: u8) -> Outcome {
    Outcome::Blocked { said: unsure("no access", confidence) }
}

fn verdict(universe: &mut Universe, word: Word, confidence: u8) {
    let standing = if word == Word::Pass { Standing::Sufficient } else { Standing::Progressing };
    begun(universe).until(Work::Judge(Stage::Loop));
    match judged(word, standing) {
        Outcome::Judged { word, standing, findings, .. } => {
            universe.report(Outcome::Judged { said: unsure("judged", confidence), word, standing, findings });
        }
        other => panic!("{other:?}"),
    }
}

fn used_up(universe: &mut Universe, loops: u32, seconds: Option<u64>) {
    (universe.limits.loops, universe.limits.seconds) = (loops, seconds);
    begun(universe).until(Work::Judge(Stage::Loop));
    universe.now = "2026-11-17T04:15:00Z".into();
    universe.report(judged(Word::Insufficient, Standing::Progressing));
}

fn closing(universe: &mut Universe, work: Work, outcome: Outcome) {
    verdict(universe, Word::Pass, 8);
    universe.answer(Word::Approved, "");
    universe.until(work).report(outcome);
}

fn merged(universe: &mut Universe, outcome: Outcome) {
    closing(universe, JUDGE_LAST, judged(Word::Pass, Standing::Sufficient));
    universe.answer(Word::MergeApproved, "");
    universe.report(outcome);
}

fn done() -> Outcome {
    Outcome::Merged { commit: "m1".into(), note: String::new() }
}

fn insistent(universe: &mut Universe) {
    begun(universe).until(Work::Check(Stage::Loop));
    let commit = universe.cycle().measured.as_ref().map(|measured| measured.commit.clone()).unwrap_or_default();
    universe.report(Outcome::Checked { commit, checks: Vec::new() });
    for _ in 0..3 {
        universe.report(judged(Word::Pass, Standing::Sufficient));
    }
}

/// CY-03: a question is asked in all its words.
#[test]
fn cy03_a_question_is_asked_whole() {
    let mut universe = Universe::started();
    universe.until(PLAN).report(question());
    let asked = universe.cycle().gate().expect("a gate").question.clone();
    assert!(asked.ends_with("which list?\nthe old one, or the new one?"), "{asked}");
}
