//! Every pair of course and input: what may come, and what is refused with which words.

use machine::profile::{Course, Input, Mode, Outcome, Seen};

use crate::driver::{Team, gate, profile};

const COURSES: [&str; 6] = ["working", "gate", "rejected", "undecided", "done", "cancelled"];

fn team_in(course: &str) -> Team {
    let mut team = Team::started(profile(Mode::Simulation), &["MID"]);
    match course {
        "working" => {}
        "gate" => team.until("mid"),
        "rejected" => {
            team.until("mid");
            team.gate("no").unwrap();
        }
        "undecided" => team.report(Outcome::Failed("x".into())),
        "done" => {
            team.until("mid");
            team.gate("yes").unwrap();
            team.until("release");
            team.gate("yes").unwrap();
        }
        _ => team.must(&Input::Cancel { by: "ann".into() }),
    }
    let is_so = match &team.run().course {
        Course::Working => "working",
        Course::Gate(_) => "gate",
        Course::Rejected(_) => "rejected",
        Course::Undecided(_) => "undecided",
        Course::Done => "done",
        Course::Cancelled => "cancelled",
    };
    assert_eq!(is_so, course);
    team
}

fn inputs() -> Vec<(&'static str, Input)> {
    let answer = |text: &str| Input::Answer { question: None, answer: text.into(), by: "ann".into() };
    vec![
        ("wake", Input::Wake),
        ("claim", Input::Claim),
        ("release", Input::Release),
        ("report", Input::Report { fence: 1, outcome: Outcome::Lost("x".into()) }),
        ("approve", gate(None, "yes")),
        ("reject", gate(None, "no")),
        ("reopen", Input::Reopen { gate: "MID".into(), reason: "x".into(), by: "ann".into() }),
        ("answer yes", answer("yes")),
        ("answer accept", answer("more")),
        ("delivered", Input::Delivered { question: "Q-NONE".into() }),
        ("pause", Input::Pause { reason: "x".into() }),
        ("resume", Input::Resume),
        ("cancel", Input::Cancel { by: "ann".into() }),
        ("edited", Input::Edited(Seen::default())),
    ]
}

/// Which inputs each course takes; all others are refused, and change nothing.
#[test]
fn every_arrow() {
    let taken: [(&str, &[&str]); 6] = [
        ("working", &["wake", "claim", "release", "report", "pause", "cancel", "edited"]),
        ("gate", &["wake", "claim", "release", "approve", "reject", "answer yes", "pause", "cancel", "edited"]),
        ("rejected", &["wake", "claim", "release", "approve", "answer yes", "reopen", "pause", "cancel", "edited"]),
        ("undecided", &["wake", "claim", "release", "answer accept", "pause", "cancel", "edited"]),
        ("done", &["wake", "release", "delivered", "edited"]),
        ("cancelled", &["wake", "release", "delivered", "edited"]),
    ];
    for course in COURSES {
        let allowed = taken.iter().find(|(name, _)| *name == course).unwrap().1;
        for (name, input) in inputs() {
            let mut team = team_in(course);
            let before = team.run.clone();
            match (allowed.contains(&name), team.give(&input)) {
                (true, Ok(())) => {}
                (false, Err(refusal)) => {
                    assert!(!refusal.reason.is_empty() && !refusal.hint.is_empty(), "{course} {name}: {refusal:?}");
                    assert_eq!(team.run, before, "{course} {name}");
                }
                (allowed, result) => panic!("{course}, {name}: allowed {allowed}, and yet {result:?}"),
            }
        }
    }
}

/// Every kind of outcome at every kind of step ends the attempt and leaves a run that can go on or says why not.
#[test]
fn every_outcome() {
    let outcomes = [
        Outcome::Question("?".into()),
        Outcome::Question(" ".into()),
        Outcome::Paused("x".into()),
        Outcome::Later { seconds: 5, reason: String::new() },
        Outcome::Broken(Vec::new()),
        Outcome::Failed(String::new()),
        Outcome::Lost("x".into()),
        Outcome::Done { outputs: Vec::new(), review: None, integration: None, commit: None, question: None },
    ];
    for step in ["write", "check", "code", "test"] {
        for outcome in &outcomes {
            let mut team = Team::started(profile(Mode::Simulation), &[]);
            team.until(step);
            let fence = team.fence();
            team.report(outcome.clone());
            let run = team.run();
            assert!(!run.attempts.contains_key(&fence), "{step} {outcome:?}");
            let goes_on = !run.attempts.is_empty() || run.rest.is_some() || run.paused.is_some() || run.is_blocked();
            assert!(goes_on && team.on() == step, "{step} {outcome:?}: {run:?}");
        }
    }
}
