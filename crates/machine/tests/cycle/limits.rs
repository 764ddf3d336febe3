//! What an Actor may change, what a Judge may pass, how long a cycle goes on, and what becomes of attempts.

use std::collections::BTreeSet;

use machine::cycle::{
    Asks, Check, CheckEnd, Deed, Effect, Ending, Input, Measured, Outcome, Party, Place, Silence, Stage, Standing,
    Word, Work,
};

use crate::driver::{Universe, check, judged, measured, plan, said, unsure};

fn acting() -> Universe {
    let mut universe = Universe::started();
    universe.until(Work::Act(Stage::Loop));
    universe
}

fn succeeded(measured: Measured) -> Outcome {
    Outcome::Succeeded { said: said("done"), deed: Deed::default(), measured }
}

/// CY-04: what an Actor may not do is sent back with the measure; after the last time it is a FAIL, and nothing is kept.
#[test]
fn cy04_an_actor_is_measured() {
    let good = measured("c1");
    let cases = [
        (Measured { lines: 900, ..good.clone() }, "900 lines were changed, 150 is the most"),
        (
            Measured { files: vec!["a".into(), "b".into(), "c".into()], ..good.clone() },
            "3 files were changed (a, b, c), 2 is the most",
        ),
        (
            Measured { files: vec!["docs/generated/x.md".into()], ..good.clone() },
            "the plan says to leave docs/generated alone",
        ),
        (
            Measured { strayed: vec!["refs/heads/main".into()], ..good.clone() },
            "refs/heads/main was moved: work on cycle/1",
        ),
        (Measured { lines: 0, files: vec![], ..good.clone() }, "no file differs"),
    ];
    for (wrong, problem) in cases {
        let mut universe = acting();
        for number in 1..=3 {
            assert_eq!(universe.attempt().number, number);
            universe.report(succeeded(wrong.clone()));
            if number < 3 {
                assert!(universe.attempt().problems[0].contains(problem), "{:?}", universe.attempt().problems);
            }
        }
        let turn = universe.last_turn();
        assert_eq!((turn.party, turn.word, turn.next), (Party::Actor, Word::Fail, Some(Party::Planner)));
        assert!(turn.summary.contains(problem), "{}", turn.summary);
        assert_eq!(universe.cycle().measured, None, "nothing of it counts");
        assert_eq!(universe.cycle().loop_number, 2);
    }
    let mut universe = acting();
    let near = Measured { files: vec!["docs/generated.md".into()], lines: 150, ..good };
    universe.report(succeeded(near));
    assert_eq!(universe.last_turn().word, Word::Success, "a name that only begins alike is another");
}

/// CY-05: PASS is refused when a required check did not run, failed, hung, or ran on something else.
#[test]
fn cy05_no_pass_without_checks() {
    let cases: [(&str, Vec<Check>, &str); 5] = [
        ("c1", vec![], "`tests` did not run"),
        ("c1", vec![check("tests", CheckEnd::Exit(1))], "`tests` failed with code 1"),
        ("c1", vec![check("tests", CheckEnd::TimedOut)], "`tests` ran over its time"),
        ("c1", vec![check("tests", CheckEnd::NotRun("no such program".into()))], "did not run: no such program"),
        ("c0", vec![check("tests", CheckEnd::Exit(0))], "ran on something else"),
    ];
    for (commit, checks, problem) in cases {
        let mut universe = Universe::started();
        universe.until(Work::Check(Stage::Loop));
        universe.report(Outcome::Checked { commit: commit.into(), checks });
        for _ in 0..2 {
            universe.report(judged(Word::Pass, Standing::Sufficient));
            assert!(universe.attempt().problems[0].contains(problem), "{:?}", universe.attempt().problems);
        }
        universe.report(judged(Word::Pass, Standing::Sufficient));
        assert_eq!(universe.asks(), Some(Asks::Escalation(Party::Judge)), "a Judge that insists is not followed");
        assert!(universe.turns().iter().all(|turn| turn.word != Word::Pass));
        universe.answer(Word::Approved, "");
        assert_eq!(universe.cycle().place, Place::Due(Work::Check(Stage::Loop)), "the checks run again");
    }
    let mut universe = Universe::started();
    universe.until(Work::Check(Stage::Loop));
    universe.report(Outcome::Checked { commit: "c1".into(), checks: vec![check("tests", CheckEnd::Exit(1))] });
    universe.report(judged(Word::Insufficient, Standing::Progressing));
    assert_eq!(universe.last_turn().word, Word::Insufficient, "INSUFFICIENT can always be said");
}

/// CY-03, CY-05, CY-16: reports that leave out what they must say are sent back.
#[test]
fn cy16_reports_that_leave_things_out() {
    let no_win = machine::cycle::Plan { win_state: " ".into(), ..plan() };
    let no_place = machine::cycle::Plan { locations: vec![], ..plan() };
    let vague = Outcome::Judged {
        said: said("no"),
        word: Word::Insufficient,
        standing: Standing::Progressing,
        findings: machine::cycle::Findings::default(),
    };
    let cases = [
        (Work::Plan(Stage::Loop), Outcome::Planned { said: said("x"), plan: no_win }, "by what it is known"),
        (Work::Plan(Stage::Loop), Outcome::Planned { said: said("x"), plan: no_place }, "names no file"),
        (Work::Plan(Stage::Loop), Outcome::Planned { said: said(" "), plan: plan() }, "the summary is empty"),
        (Work::Plan(Stage::Loop), Outcome::Planned { said: unsure("x", 11), plan: plan() }, "11 is not from 0 to 10"),
        (Work::Plan(Stage::Loop), Outcome::Clarify { said: said("x"), question: " ".into() }, "without a question"),
        (Work::Judge(Stage::Loop), vague, "INSUFFICIENT came without Discrepancy Diagnosis"),
        (Work::Judge(Stage::Loop), judged(Word::Success, Standing::Progressing), "PASS or INSUFFICIENT, not SUCCESS"),
        (Work::Act(Stage::Loop), Outcome::Deleted, "`act` was asked for"),
    ];
    for (work, outcome, problem) in cases {
        let mut universe = Universe::started();
        universe.until(work).report(outcome);
        let problems = universe.attempt().problems.join("; ");
        assert!(problems.contains(problem), "{problems} says: {problem}");
    }
}

/// CY-08: five INSUFFICIENT in a row pause the cycle; a PASS or the Human's word begins the count anew.
#[test]
fn cy08_five_in_a_row() {
    let insufficient = |universe: &mut Universe, times: usize| {
        for _ in 0..times {
            universe.until(Work::Judge(Stage::Loop)).report(judged(Word::Insufficient, Standing::Progressing));
        }
    };
    let mut universe = Universe::started();
    insufficient(&mut universe, 4);
    universe.until(Work::Judge(Stage::Loop)).report(judged(Word::Pass, Standing::Progressing));
    insufficient(&mut universe, 4);
    assert_eq!((universe.asks(), universe.cycle().insufficient), (None, 4));
    insufficient(&mut universe, 1);
    assert_eq!(universe.asks(), Some(Asks::Insufficient));
    assert_eq!(universe.last_turn().next, Some(Party::Human));
    universe.answer(Word::Approved, "go on");
    assert_eq!((universe.cycle().insufficient, universe.cycle().words.as_slice()), (0, &["go on".to_string()][..]));
    insufficient(&mut universe, 5);
    universe.answer(Word::RevisionRequested, "only the first ten terms");
    assert_eq!(universe.cycle().goal, "only the first ten terms", "the goal is another one");
    insufficient(&mut universe, 5);
    universe.answer(Word::Stopped, "enough");
    assert_eq!(universe.cycle().place, Place::Due(Work::Archive(Ending::Incomplete)));
}

/// CY-08: a Planner that goes on failing is a critical error.
#[test]
fn cy08_a_critical_error() {
    let mut universe = Universe::started();
    universe.until(Work::Plan(Stage::Loop));
    for _ in 0..3 {
        universe.report(Outcome::Failed("no model".into()));
    }
    assert_eq!(universe.cycle().place, Place::Due(Work::Archive(Ending::Failed)));
    universe.report(universe.outcome(Standing::Progressing));
    assert_eq!(universe.cycle().ending(), Some(Ending::Failed));
}

/// CY-12: loops and time have an end that the Human can move.
#[test]
fn cy12_loops_and_time() {
    let mut universe = Universe::new();
    universe.limits.loops = 2;
    universe.start();
    for _ in 0..2 {
        universe.until(Work::Judge(Stage::Loop)).report(judged(Word::Pass, Standing::Progressing));
    }
    assert_eq!(universe.asks(), Some(Asks::LoopLimit));
    universe.answer(Word::Approved, "");
    assert_eq!((universe.cycle().loop_number, universe.cycle().loops_allowed), (3, 4));

    let mut universe = Universe::new();
    universe.limits.seconds = Some(60);
    universe.start();
    universe.until(Work::Judge(Stage::Loop));
    universe.now = "2026-11-17T03:16:00Z".into();
    universe.report(judged(Word::Pass, Standing::Progressing));
    assert_eq!(universe.asks(), Some(Asks::TimeLimit));
    universe.answer(Word::Approved, "");
    assert_eq!((universe.asks(), universe.cycle().seconds_allowed), (None, Some(120)));
}

/// CY-12: silence pauses or stops, and never approves.
#[test]
fn cy12_nobody_answers() {
    for (silence, is_paused) in [(Silence::Pause, true), (Silence::Stop, false)] {
        let mut universe = Universe::new();
        (universe.limits.answer_seconds, universe.limits.silence) = (Some(60), silence);
        universe.start();
        universe.until(Work::Judge(Stage::Loop)).report(judged(Word::Pass, Standing::Sufficient));
        universe.now = "2026-11-17T03:15:59Z".into();
        universe.must(&Input::Wake);
        assert_eq!(universe.asks(), Some(Asks::Sufficient));
        universe.now = "2026-11-17T03:16:00Z".into();
        universe.must(&Input::Wake);
        assert_eq!(universe.cycle().paused.is_some(), is_paused);
        if is_paused {
            universe.must(&Input::Wake);
            universe.answer(Word::Approved, "");
            assert_eq!(universe.cycle().paused, None, "a late answer counts");
        } else {
            assert_eq!(universe.last_turn().word, Word::Stopped);
            assert_eq!(universe.cycle().place, Place::Due(Work::Archive(Ending::Incomplete)));
        }
    }
}

/// Attempts: an outdated one changes nothing, one whose process is gone is made again under a higher fence.
#[test]
fn fences_and_takeovers() {
    let mut universe = acting();
    let old = universe.attempt();
    let report = |fence| Input::Report { fence, outcome: Outcome::Lost("x".into()) };
    for (fence, reason) in [(0, "knows no attempt"), (old.fence + 1, "knows no attempt"), (old.fence - 1, "outdated")] {
        let refusal = universe.try_decide(&report(fence)).expect_err("it is refused");
        assert!(refusal.reason.contains(reason), "{refusal}");
    }
    universe.me = "p2".into();
    universe.alive = BTreeSet::from(["p1".to_string(), "p2".to_string()]);
    let refusal = universe.try_decide(&Input::Claim).expect_err("p1 lives");
    assert!(refusal.reason.contains("driven by process p1"), "{refusal}");
    universe.alive = BTreeSet::from(["p2".to_string()]);
    universe.must(&Input::Claim);
    let new = universe.attempt();
    assert_eq!((new.work, new.fence > old.fence, new.number), (old.work, true, 2));
    assert!(universe.try_decide(&report(old.fence)).is_err(), "the old holder is outdated");
    universe.must(&Input::Release);
    assert_eq!((universe.cycle().attempt.clone(), universe.cycle().driver.clone()), (None, None));
}

/// Pause, resume, a rest until a time, what code cannot do.
#[test]
fn pauses_and_rests() {
    let mut universe = acting();
    universe.must(&Input::Pause { reason: "lunch".into() });
    let outcome = universe.outcome(Standing::Progressing);
    universe.report(outcome);
    assert_eq!(universe.cycle().attempt, None, "no more work while it is paused");
    assert!(universe.try_decide(&Input::Pause { reason: "x".into() }).is_err());
    universe.must(&Input::Resume);
    assert_eq!(universe.attempt().work, Work::Check(Stage::Loop));
    assert!(universe.try_decide(&Input::Resume).is_err());
    universe.report(Outcome::Later { seconds: 60, reason: "quota".into() });
    universe.must(&Input::Wake);
    assert_eq!(universe.cycle().attempt, None, "it rests");
    universe.now = "2026-11-17T03:16:00Z".into();
    universe.must(&Input::Wake);
    assert_eq!(universe.attempt().work, Work::Check(Stage::Loop));
    universe.report(Outcome::Failed("disk full".into()));
    assert!(universe.cycle().paused.as_ref().is_some_and(|reason| reason.contains("disk full")));
    universe.must(&Input::Resume);
    assert_eq!(universe.attempt().work, Work::Check(Stage::Loop), "goes on when mended");
    assert!(universe.effects.contains(&Effect::Tell(machine::cycle::Told::Paused)));
}
