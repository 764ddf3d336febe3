//! What people do: gates rejected and reopened, questions answered, edits by hand, budgets, pauses.

use std::collections::BTreeMap;

use machine::profile::{Course, GateStatus, Input, Mode, Outcome, QuestionStatus, Seen};
use machine::{Effect, Measure, Metered, Said};

use crate::driver::{RUN, Team, gate, profile};

fn at_mid() -> Team {
    let mut team = Team::started(profile(Mode::Simulation), &["MID"]);
    team.until("mid");
    team
}

fn reopen(id: &str, reason: &str) -> Input {
    Input::Reopen { gate: id.into(), reason: reason.into(), by: "bob".into() }
}

/// PF-07: a rejected gate blocks, and is no dead end.
#[test]
fn a_rejected_gate_is_reopened_or_approved_later() {
    let mut team = at_mid();
    team.refused(&reopen("MID", "x"), &["was not stopped at gate MID by a rejection"]);
    team.gate("no").unwrap();
    assert_eq!(team.run().course, Course::Rejected("MID".into()));
    team.refused(&gate(None, "no"), &["rejected already", "gate reopen MID"]);
    team.refused(&reopen("MID", " "), &["without a reason"]);
    team.refused(&reopen("RELEASE_APPROVAL", "x"), &["was not stopped"]);
    team.now = "2026-02-08T14:46:05Z".into();
    team.must(&reopen("MID", "mended"));
    assert_eq!(team.run().questions[1].id, "Q-GATE-MID-20260208144605-2", "an id of its own");
    assert_eq!(team.run().gates["MID"].status, GateStatus::Pending);
    team.gate("1").unwrap();
    assert_eq!(team.on(), "code");
    team.refused(&gate(Some("MID"), "yes"), &["approved already, by ann"]);
    let mut team = at_mid();
    team.gate("reject").unwrap();
    team.gate("approve").unwrap();
    assert_eq!(team.on(), "code", "approved after all");
    let said: Vec<&str> = team.run().answers.iter().map(|answer| answer.answer.as_str()).collect();
    assert_eq!(said, ["rejected", "approved"]);
}

/// PF-07: `delivered` once shown.
#[test]
fn a_question_is_delivered_once_shown() {
    let mut team = at_mid();
    let question = team.run().questions[0].id.clone();
    assert_eq!(team.run().questions[0].status, QuestionStatus::PendingDelivery);
    for _ in 0..2 {
        team.must(&Input::Delivered { question: question.clone() });
        assert_eq!(team.run().questions[0].status, QuestionStatus::Delivered);
    }
    team.refused(&Input::Delivered { question: "Q-9".into() }, &["no question Q-9", &question]);
    team.must(&Input::Answer { question: Some(question.clone()), answer: "yes".into(), by: "ann".into() });
    assert_eq!(team.on(), "code", "an answer to the gate's question is a reply at the gate");
    team.refused(
        &Input::Answer { question: Some(question), answer: "no".into(), by: "bob".into() },
        &["approved already"],
    );
}

/// PF-18: a required question blocks until it is answered; the answer goes to the role word by word.
#[test]
fn a_role_may_ask() {
    let mut team = Team::started(profile(Mode::Simulation), &[]);
    team.report(Outcome::Question("which?".into()));
    assert!(team.run().attempts.is_empty() && team.run().is_blocked());
    team.must(&Input::Wake);
    assert!(team.run().attempts.is_empty(), "nobody works meanwhile");
    assert!(team.answer("  ").unwrap_err().reason.contains("is empty"));
    team.answer("the *second*, please\n").unwrap();
    let attempt = team.run().attempts.values().next().unwrap();
    assert_eq!(attempt.answers, [("which?".to_string(), "the *second*, please\n".to_string())]);
    team.limits.questions = 1;
    team.report(Outcome::Question("and?".into()));
    assert!(matches!(team.run().course, Course::Undecided(_)), "no role asks for ever");
}

/// PF-18: a question beside the work holds up nothing; its answer goes to the role when it works again, word by word.
#[test]
fn a_role_may_ask_beside_its_work() {
    let mut team = Team::started(profile(Mode::Simulation), &[]);
    let beside = |team: &mut Team| {
        let mut outcome = team.good();
        if let Outcome::Done { question, .. } = &mut outcome {
            *question = Some(" colour? ".into());
        }
        team.report(outcome);
    };
    beside(&mut team);
    assert_eq!((team.on(), team.run().is_blocked()), ("check", false), "it goes on");
    let asked = team.run().questions.last().unwrap().clone();
    assert_eq!((asked.text.as_str(), asked.required, asked.from_role.as_str()), ("colour?", false, "author"));
    assert_eq!(team.run().pending_required_questions().len(), 0);
    team.report(Outcome::Question("which?".into()));
    team.answer("the second").unwrap();
    let told = |team: &Team| team.run().attempts.values().next().unwrap().answers.clone();
    assert_eq!(told(&team), [("which?".to_string(), "the second".to_string())], "what blocks is answered first");
    team.answer("blue\n").unwrap();
    team.ask_for_changes("more colour");
    assert_eq!(told(&team), [("colour?".to_string(), "blue\n".to_string())], "the answer is the asker's own");
    beside(&mut team);
    assert_eq!(team.run().questions.len(), 2, "it is asked once");
    assert_eq!(told(&team), [("which?".to_string(), "the second".to_string())], "a role keeps what it was told");
}

/// BY-05: a gate decided and a question answered by an edit are taken; counts and places are put back.
#[test]
fn edits_by_hand() {
    let mut team = at_mid();
    let gates = BTreeMap::from([("MID".to_string(), (GateStatus::Approved, "looks good".to_string()))]);
    team.must(&Input::Edited(Seen { gates, ..Seen::default() }));
    assert_eq!((team.on(), team.run().gates["MID"].reason.as_str()), ("code", "looks good"));
    let gates = BTreeMap::from([
        ("RELEASE_APPROVAL".to_string(), (GateStatus::Approved, String::new())),
        ("NONE".to_string(), (GateStatus::Approved, String::new())),
    ]);
    let review_cycles = BTreeMap::from([("plan".to_string(), 7)]);
    team.must(&Input::Edited(Seen { gates, review_cycles, ..Seen::default() }));
    let fields: Vec<&str> = team.last.refused.iter().map(|one| one.field.as_str()).collect();
    assert_eq!(fields, ["review_cycles.plan", "governance_gates (NONE)", "governance_gates (RELEASE_APPROVAL)"]);
    team.report(Outcome::Question("which?".into()));
    let question = team.run().questions.last().unwrap().id.clone();
    let answers = vec![
        (question, "this".to_string(), "the bot".to_string()),
        ("Q-NONE".to_string(), "x".to_string(), String::new()),
    ];
    team.must(&Input::Edited(Seen { answers, ..Seen::default() }));
    let taken = team.run().answers.last().unwrap();
    assert_eq!((taken.answer.as_str(), taken.source.as_str()), ("this", "the bot"));
    assert_eq!(team.last.refused.len(), 1);
    assert_eq!(team.run().attempts.len(), 1, "and the role goes on");
}

/// BY-08, BY-09: a budget is raised by a person, a rest ends by itself.
#[test]
fn budgets_and_rests() {
    let mut team = Team::new();
    team.budget.tokens = Some(100);
    team.limits.attempt_tokens = 60;
    team.start(profile(Mode::Simulation), &[]).unwrap();
    team.used = Metered { tokens: 100, micro_dollars: None };
    team.do_well();
    assert_eq!(team.run().exhausted, Some(Measure::Tokens));
    assert!(team.answer("50").unwrap_err().reason.contains("no more than"));
    team.answer("1000").unwrap();
    assert_eq!(team.on(), "check");
    team.report(Outcome::Later { seconds: 60, reason: "rate".into() });
    assert!(team.run().attempts.is_empty());
    team.must(&Input::Wake);
    assert!(team.run().attempts.is_empty(), "not yet");
    team.now = "2026-02-08T14:47:05Z".into();
    team.must(&Input::Wake);
    assert_eq!(team.run().attempts.len(), 1);
}

/// A pause hands out nothing, and what is at work may end; whoever takes a run over from the dead goes on.
#[test]
fn pauses_and_takeovers() {
    let mut team = Team::started(profile(Mode::Simulation), &[]);
    team.must(&Input::Pause { reason: "lunch".into() });
    team.refused(&Input::Pause { reason: "x".into() }, &["paused already", "`resume`"]);
    team.do_well();
    assert!(team.run().attempts.is_empty() && team.on() == "check");
    team.must(&Input::Resume);
    assert_eq!(team.run().attempts.len(), 1);
    team.refused(&Input::Resume, &["is not paused"]);
    team.report(Outcome::Paused("out of words".into()));
    assert_eq!(team.run().paused.as_deref(), Some("out of words"));
    team.must(&Input::Resume);
    team.me = "p2.x".into();
    team.alive.insert(team.me.clone());
    team.refused(&Input::Claim, &["driven by process p1"]);
    team.alive.remove("p1");
    team.must(&Input::Claim);
    assert_eq!((team.run().tries.lost, team.run().attempts.len()), (2, 1), "the attempt of the dead is made again");
    team.must(&Input::Cancel { by: "ann".into() });
    assert_eq!(team.run().course, Course::Cancelled);
}

/// PF-13, PF-19: what a step left and somebody took away is missing; a run is not done without it, and is when it is back.
#[test]
fn evidence_that_is_gone_keeps_a_run_from_being_done() {
    let mut team = at_mid();
    team.gate("yes").unwrap();
    team.until("release");
    let digest = team.run().artifacts["plan.md"].digest.clone();
    let seen = |digest: &str| {
        let artifacts = BTreeMap::from([("plan.md".to_string(), digest.to_string())]);
        Input::Edited(Seen { artifacts, ..Seen::default() })
    };
    team.must(&seen(""));
    team.gate("yes").unwrap();
    assert_eq!((team.run().course.clone(), team.run().is_at_its_end()), (Course::Working, true), "it is not done");
    let missing: Vec<String> = team.run().missing().iter().map(machine::profile::Missing::in_words).collect();
    assert_eq!(missing, ["step write has not left plan.md"]);
    assert!(team.run().is_blocked());
    team.must(&seen("another"));
    assert_eq!(team.run().course, Course::Done, "what a person made of it counts");
    assert_ne!(team.run().artifacts["plan.md"].digest, digest);
}

/// A run that was begun without this journal goes on from what its documents say, and what they say beyond is heard.
#[test]
fn a_run_is_taken_over() {
    let mut before = at_mid();
    before.until("mid");
    let mut known = before.run().clone();
    (known.driver, known.fence) = (None, 0);
    let gates = BTreeMap::from([("MID".to_string(), (GateStatus::Approved, "by the bot".to_string()))]);
    let mut team = Team::new();
    team.take_over(known.clone(), &Seen { gates, ..Seen::default() });
    assert_eq!((team.on(), team.run().gates["MID"].reason.as_str()), ("code", "by the bot"));
    assert_eq!((team.run().id.as_str(), team.run().started_at.as_str()), (RUN, known.started_at.as_str()));
    let mut waiting = Team::new();
    waiting.take_over(known, &Seen::default());
    assert_eq!(waiting.run().course, Course::Gate("MID".into()));
    assert!(waiting.last.effects.contains(&Effect::Say(Said::Question)), "whoever waits is told");
}

/// PF-07: a gate that was rejected may be answered otherwise without naming the question.
#[test]
fn a_no_is_not_the_last_word() {
    let mut team = at_mid();
    team.gate("no").unwrap();
    team.answer("approve").unwrap();
    assert_eq!(team.on(), "code");
}
