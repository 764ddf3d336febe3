//! What is not allowed, and what the refusal says.

use machine::{Course, Input, MULTIVERSE, Mode, Outcome, Planned, Verdict, Work};

use crate::driver::{RUN, Universe, at_first_task, at_gate, started, words};

fn check(universe: &Universe, input: &Input, reason: &str, hint: &str) {
    let refusal = universe.try_decide(input).expect_err("it is refused");
    assert!(refusal.reason.contains(reason), "{refusal} says: {reason}");
    assert!(refusal.hint.contains(hint), "{refusal} says: {hint}");
}

fn confirm() -> Input {
    Input::Answer { verdict: Verdict::Confirm, by: "me".into() }
}

fn tell(fence: Option<u64>, answer: &str) -> Input {
    Input::Tell { fence, answer: answer.into(), by: "me".into() }
}

/// MV-10: an answer when none is waited for, also a second one, names the state and what is valid.
#[test]
fn an_answer_that_nobody_waits_for() {
    check(&started(&MULTIVERSE), &confirm(), "does not wait for an answer", "`pause`, `cancel`");
    let mut universe = at_gate();
    universe.confirm();
    check(&universe, &confirm(), "does not wait for an answer to a proposal: it is PENDING", "valid now");
}

/// MV-10: words are needed where words count.
#[test]
fn an_answer_without_words() {
    let universe = at_gate();
    for verdict in [Verdict::Modify(" ".into()), Verdict::NewRequest("\n".into())] {
        check(&universe, &Input::Answer { verdict, by: "me".into() }, "without words", "CONFIRM or CANCEL");
    }
}

/// MV-27: nothing changes a run that is over; what failed can be retried.
#[test]
fn a_run_that_is_over() {
    let mut failed = at_gate();
    failed.must(&Input::Cancel { by: "me".into() });
    let mut completed = started(&MULTIVERSE);
    while completed.run().course != Course::Over {
        let course = completed.run().course;
        drop(if course == Course::Gate { completed.confirm() } else { completed.next() });
    }
    let pause = Input::Pause { reason: "x".into() };
    let cancel = Input::Cancel { by: "me".into() };
    for input in [confirm(), Input::Claim, pause, Input::Resume, cancel, tell(None, "x")] {
        check(&failed, &input, "is over: it is FAILED", "`retry`");
        check(&completed, &input, "is over: it is COMPLETED", "`run`");
    }
    let report = Input::Report { fence: 1, outcome: Outcome::Plan(Vec::new()) };
    check(&completed, &report, "outdated", "not needed");
    for input in [Input::Wake, Input::Release, Input::Edited { items: completed.run().items.clone() }] {
        assert_eq!(completed.must(&input).facts, []);
    }
}

/// Fences: unknown and outdated reports change nothing.
#[test]
fn fences() {
    let universe = at_first_task();
    let fence = universe.only().fence;
    let report = |fence| Input::Report { fence, outcome: Outcome::Lost("x".into()) };
    check(&universe, &report(fence + 1), "knows no attempt", "");
    check(&universe, &report(0), "knows no attempt", "");
    check(&universe, &report(fence - 1), "outdated", "");
}

#[test]
fn pause_resume_and_release_out_of_place() {
    let mut universe = at_first_task();
    check(&universe, &Input::Resume, "is not paused", "`pause`");
    universe.must(&Input::Pause { reason: "lunch".into() });
    check(&universe, &Input::Pause { reason: "x".into() }, "is paused already", "`resume`");
    universe.me = "p2".into();
    check(&universe, &Input::Release, "driven by p1", "only the process that drives");
    universe.alive = words(&["p1", "p2"]);
    check(&universe, &Input::Claim, "driven by process p1", "p1");
}

#[test]
fn answers_to_questions_out_of_place() {
    let mut universe = at_gate();
    check(&universe, &tell(None, "x"), "no question", "`confirm`");
    universe.jobs = 8;
    universe.until(Universe::at_work(&Work::Execute("T05".into())));
    let fences: Vec<u64> = universe.attempts().iter().map(|attempt| attempt.fence).collect();
    for fence in &fences {
        universe.report(*fence, Outcome::Question("?".into()));
    }
    assert_eq!(fences.len(), 2);
    check(&universe, &tell(None, "x"), "several questions", &format!("{}, {}", fences[0], fences[1]));
    check(&universe, &tell(Some(1), "x"), "no question 1", &fences[0].to_string());
    check(&universe, &tell(Some(fences[0]), " "), "is empty", "words");
}

/// MV-14: a template that was changed is refused with the difference; a run needs a request and a mode that has runs.
#[test]
fn a_run_that_does_not_start() {
    let mut universe = Universe::new(&MULTIVERSE);
    let start = |universe: &Universe, request: &str, mode| {
        machine::start(&MULTIVERSE, RUN, request, mode, "", &universe.world(), &universe.limits)
            .map_err(|refusal| refusal.reason)
    };
    assert!(start(&universe, " ", Mode::InitialRun).is_err_and(|reason| reason.contains("empty")));
    assert!(start(&universe, "x", Mode::SimpleTask).is_err_and(|reason| reason.contains("no run")));
    universe.template.push(Planned { name: "SELLING".into(), ..Planned::default() });
    let reason = start(&universe, "x", Mode::InitialRun).expect_err("the template differs");
    assert!(
        reason.contains("GENERATING_OUTPUT, SELLING;") && reason.contains("the protocol has ANALYZING"),
        "{reason}"
    );
    let refusal = universe.try_decide(&Input::Wake).expect_err("there is no run");
    assert!(refusal.reason.contains(RUN));
}
