//! The guard rules of the seed (PF-04), each by what it refuses, and when a run is done. Rules 1 and 2 are about
//! documents and stand in the crate that reads them.

use machine::Holder;
use machine::profile::{
    Course, FailureKind, GateStatus, Input, IntegrationStatus, Missing, Mode, MoveOutcome, Outcome, PhaseStatus,
    ReviewStatus, Seen, StepState,
};

use crate::driver::{Team, artifact, gate, profile};

/// A whole run: every step completed, gates approved, evidence there (PF-13).
#[test]
fn a_run_goes_through_all_steps() {
    for mode in [Mode::Simulation, Mode::Realization] {
        let mut team = Team::started(profile(mode), &[]);
        assert_eq!((team.on(), team.run().phase_status()), ("write", PhaseStatus::InProgress));
        team.do_well();
        assert_eq!((team.on(), team.run().phase_status()), ("check", PhaseStatus::AwaitingReview));
        team.do_well();
        assert_eq!(team.on(), "code", "the gate in the middle is approved by the engine");
        team.until("release");
        assert_eq!(team.run().human_gate_waiting(), Some("RELEASE_APPROVAL"));
        team.gate("yes").unwrap();
        assert_eq!(team.run().course, Course::Done);
        assert_eq!(team.run().phase_status(), PhaseStatus::Completed);
        let outcomes: Vec<MoveOutcome> = team.moves().iter().map(|moved| moved.outcome).collect();
        use MoveOutcome::{Advanced, Waiting};
        assert_eq!(outcomes, [Advanced, Advanced, Advanced, Advanced, Advanced, Waiting, Advanced]);
    }
}

/// PF-04 rule 3: the place of a run is the compiled step's; an edit of it is put back, and a report of another's work is
/// outdated.
#[test]
fn rule_3_the_place_must_be_the_compiled_step() {
    let mut team = Team::started(profile(Mode::Simulation), &[]);
    let seen =
        Seen { step_index: Some(3), phase: Some("build".into()), role: Some("developer".into()), ..Seen::default() };
    team.must(&Input::Edited(seen));
    let fields: Vec<&str> = team.last.refused.iter().map(|one| one.field.as_str()).collect();
    assert_eq!(fields, ["current_step_index", "current_phase", "current_role"]);
    assert!(team.last.refused[1].reason.contains("phase plan, role author"), "{:?}", team.last.refused);
    assert_eq!((team.on(), team.last.facts.len()), ("write", 0));
    let fence = team.fence();
    team.do_well();
    team.refused(&Input::Report { fence, outcome: Outcome::Lost("late".into()) }, &["outdated"]);
    team.refused(&Input::Report { fence: 99, outcome: Outcome::Lost("x".into()) }, &["knows no attempt 99"]);
}

/// PF-04 rule 4: no completion without the required outputs; the report goes back, and then a person decides.
#[test]
fn rule_4_required_outputs_must_be_there() {
    let mut team = Team::started(profile(Mode::Simulation), &[]);
    let bare = Outcome::Done {
        outputs: vec![artifact("other.md", "x")],
        review: None,
        integration: None,
        commit: None,
        question: None,
    };
    for _ in 0..2 {
        team.report(bare.clone());
        assert_eq!((team.on(), team.run().missing_outputs()), ("write", vec!["plan.md".to_string()]));
        let attempt = team.run().attempts.values().next().unwrap();
        assert!(attempt.problems[0].contains("required outputs are missing: plan.md"), "{:?}", attempt.problems);
    }
    team.report(bare);
    assert!(matches!(team.run().course, Course::Undecided(_)), "{:?}", team.run().course);
    assert!(team.run().is_blocked());
    let refusal = team.answer("accept").unwrap_err();
    assert!(refusal.reason.contains("plan.md is missing"), "{refusal}");
    team.answer("more").unwrap();
    team.do_well();
    assert_eq!(team.on(), "check");
    assert_eq!(team.run().failures[0].settled.as_deref(), Some("passed"));
}

/// PF-04 rule 5, PF-05: changes requested go to the producer with the reviewer's words, and count a cycle of the phase.
#[test]
fn rule_5_changes_go_back_to_the_producer() {
    let mut team = Team::started(profile(Mode::Simulation), &[]);
    team.until("check");
    assert_eq!(team.run().review, ReviewStatus::InReview);
    team.ask_for_changes("the scope is missing");
    assert_eq!((team.on(), team.run().review), ("write", ReviewStatus::ChangesRequested));
    assert_eq!(team.run().review_cycles["plan"], 1);
    let attempt = team.run().attempts.values().next().unwrap();
    assert_eq!((attempt.remarks[0].as_str(), attempt.number), ("the scope is missing", 2));
    assert_eq!(team.moves().last().unwrap().outcome, MoveOutcome::Rerouted);
    assert_eq!(team.run().states[1], StepState::NotStarted, "the review is done again");
    team.do_well();
    team.do_well();
    assert_eq!(team.run().review, ReviewStatus::Approved);
    assert!(team.run().remarks.is_empty());
}

/// PF-04 rule 6, PF-05: past the maximum a person decides: more, accept, or reject.
#[test]
fn rule_6_past_the_maximum_a_person_decides() {
    for reply in ["more", "accept", "reject"] {
        let mut team = Team::started(profile(Mode::Simulation), &[]);
        for _ in 0..3 {
            team.until("check");
            team.ask_for_changes("again");
        }
        assert_eq!((team.run().review_cycles["plan"], team.on()), (3, "check"));
        assert!(matches!(team.run().course, Course::Undecided(_)));
        assert_eq!(team.run().phase_status(), PhaseStatus::Blocked);
        assert_eq!(team.run().failures[0].kind, FailureKind::Check);
        assert!(team.answer("yes please").unwrap_err().hint.contains("`accept`"));
        team.answer(reply).unwrap();
        match reply {
            "more" => {
                assert_eq!(team.on(), "write");
                team.until("check");
                team.ask_for_changes("again");
                assert!(matches!(team.run().course, Course::Undecided(_)), "one more was one more");
                assert_eq!(team.run().failures.len(), 1, "it is the same failure");
                team.answer("more 2").unwrap();
                team.until("code");
                assert_eq!(team.run().failures[0].settled.as_deref(), Some("passed"));
            }
            "accept" => {
                assert_eq!(team.on(), "code");
                assert_eq!(team.run().failures[0].settled.as_deref(), Some("accepted by ann"));
            }
            _ => {
                assert!(team.run().is_blocked());
                team.must(&Input::Answer { question: None, answer: "accept".into(), by: "bob".into() });
                assert_eq!(team.on(), "code", "a rejection is not a dead end");
            }
        }
    }
}

/// PF-04 rule 7, PF-06, PF-07: a human gate waits for its approval; the words are strict.
#[test]
fn rule_7_a_human_gate_needs_a_person() {
    let mut team = Team::started(profile(Mode::Simulation), &["MID"]);
    team.until("mid");
    assert_eq!(team.run().questions[0].id, "Q-GATE-MID-20260208144605");
    assert_eq!(
        (team.run().gates["MID"].status, team.run().phase_status()),
        (GateStatus::Pending, PhaseStatus::Waiting)
    );
    for odd in ["yes please", "", "ok", "3", "approve reject", "y"] {
        team.refused(&gate(None, odd), &["neither yes nor no", "approve, approved, yes, 1"]);
    }
    team.refused(&gate(Some("OTHER"), "yes"), &["no gate OTHER", "MID, RELEASE_APPROVAL"]);
    team.refused(&gate(Some("RELEASE_APPROVAL"), "yes"), &["does not wait at gate RELEASE_APPROVAL"]);
    team.must(&Input::Wake);
    assert_eq!(team.on(), "mid", "nothing passes it");
    for (reply, status) in [(" Approve ", GateStatus::Approved), ("2", GateStatus::Rejected)] {
        let mut team = Team::started(profile(Mode::Simulation), &["MID"]);
        team.until("mid");
        team.gate(reply).unwrap();
        assert_eq!((team.run().gates["MID"].status, team.run().gates["MID"].by.as_str()), (status, "ann"));
        assert_eq!(team.on(), if status == GateStatus::Approved { "code" } else { "mid" });
    }
}

/// PF-04 rule 8: other gates are approved with a written reason, and leave their outputs.
#[test]
fn rule_8_other_gates_are_approved_with_a_reason() {
    let mut team = Team::started(profile(Mode::Simulation), &[]);
    team.until("code");
    let state = &team.run().gates["MID"];
    assert_eq!((state.status, state.by.as_str()), (GateStatus::Approved, "engine"));
    assert!(state.reason.contains("not among the gates that people decide"), "{}", state.reason);
    assert!(team.run().artifacts.contains_key("mid.md"), "the decision is a file");
    assert_eq!(team.run().questions.len(), 0);
}

/// PF-04 rule 9, PF-08: blocking follows from questions, gates and failures, and is kept nowhere.
#[test]
fn rule_9_blocking_is_computed() {
    let mut team = Team::started(profile(Mode::Simulation), &["MID"]);
    let kept = serde_json::to_string(team.run()).unwrap();
    assert!(!kept.contains("block"), "{kept}");
    let words = |team: &Team| team.run().blocking().iter().map(|one| one.in_words()).collect::<Vec<_>>();
    assert_eq!(words(&team), [""; 0]);
    team.report(Outcome::Question("which grammar?".into()));
    assert_eq!(words(&team), ["question Q-AUTHOR-20260208144605 waits for an answer"]);
    assert_eq!(team.run().pending_required_questions().len(), 1);
    team.answer("the small one").unwrap();
    assert_eq!(words(&team), [""; 0]);
    team.until("mid");
    assert_eq!(words(&team), ["gate MID waits for a person"]);
    team.gate("no").unwrap();
    assert_eq!(words(&team), ["gate MID was rejected"]);
    team.gate("yes").unwrap();
    team.report(Outcome::Failed("no compiler".into()));
    let found = words(&team);
    assert!(found[0].contains("Q-DECISION-code") && found[1] == "step code failed: no compiler", "{found:?}");
    team.answer("more").unwrap();
    assert_eq!(words(&team), [""; 0], "it is being mended");
    assert!(team.run().missing().contains(&Missing::Failure("code".into(), "no compiler".into())), "but not done");
}

/// PF-12: a failed integration goes to its target across phases, three times; then a person decides.
#[test]
fn a_failed_integration_goes_to_its_target() {
    let mut team = Team::started(profile(Mode::Simulation), &[]);
    for attempt in 1..=3 {
        team.until("test");
        team.fail_integration(if attempt == 2 { "author" } else { "developer" });
        assert_eq!(team.on(), if attempt == 2 { "write" } else { "code" });
        let told = team.run().attempts.values().next().unwrap().remarks.clone();
        assert_eq!(told, ["it broke"], "whoever is to mend it is told what failed");
        assert_eq!(
            (team.run().integration.attempts, team.run().integration.status),
            (attempt, IntegrationStatus::Running)
        );
        assert!(team.run().missing().iter().any(|one| matches!(one, Missing::Failure(..))));
        if attempt == 2 {
            assert_eq!(team.run().gates["MID"].status, GateStatus::Pending, "what it had seen has changed (BY-02)");
        }
    }
    team.until("test");
    team.fail_integration("developer");
    assert!(matches!(team.run().course, Course::Undecided(_)));
    team.answer("more").unwrap();
    assert_eq!(team.on(), "code");
    team.until("test");
    let mut silent = team.good();
    if let Outcome::Done { integration, .. } = &mut silent {
        *integration = None;
    }
    team.report(silent);
    assert!(
        team.run().attempts.values().next().unwrap().problems[0].contains("passed or failed"),
        "silence is no pass"
    );
    team.do_well();
    assert_eq!((team.run().integration.status, team.on()), (IntegrationStatus::Passed, "release"));
    assert!(team.run().failures.iter().all(|failure| failure.settled.is_some()));
    let mut team = Team::started(profile(Mode::Simulation), &[]);
    team.until("test");
    team.fail_integration("nobody");
    let attempt = team.run().attempts.values().next().unwrap();
    assert!(attempt.problems[0].contains("valid: author, critic, developer"), "{:?}", attempt.problems);
}

/// PF-10: in realization each step that is no gate has one commit by its role.
#[test]
fn a_realization_needs_a_commit_for_each_step() {
    let mut team = Team::started(profile(Mode::Realization), &[]);
    type Mend = fn(&mut Option<machine::profile::CommitNote>);
    let cases: [(Mend, &str); 3] = [
        (|commit| *commit = None, "there is no commit"),
        (|commit| commit.as_mut().unwrap().role = "other".into(), "by role other"),
        (|commit| commit.as_mut().unwrap().sha = String::new(), "has no id"),
    ];
    for (mend, words) in cases {
        team.limits.sent_back = 9;
        let mut outcome = team.good();
        if let Outcome::Done { commit, .. } = &mut outcome {
            mend(commit);
        }
        team.report(outcome);
        let attempt = team.run().attempts.values().next().unwrap();
        assert!(attempt.problems[0].contains(words), "{words}: {:?}", attempt.problems);
    }
    team.do_well();
    let mut outcome = team.good();
    if let Outcome::Done { commit: Some(commit), .. } = &mut outcome {
        commit.sha.clone_from(&team.run().commits[0].sha);
    }
    team.report(outcome);
    assert!(team.run().attempts.values().next().unwrap().problems[0].contains("was another step's"));
    team.until("release");
    assert_eq!(team.run().commits.len(), 4);
    let words: Vec<String> = team.run().missing().iter().map(Missing::in_words).collect();
    let expected = [
        "step release is not completed",
        "step release has not left approval.md",
        "gate RELEASE_APPROVAL is not approved",
    ];
    assert_eq!(words, expected, "PF-13: what is missing is said");
}

/// PF-14: the handoff packet lists what was required, provided and missing.
#[test]
fn a_handoff_packet_stands_between_steps() {
    let mut team = Team::started(profile(Mode::Simulation), &[]);
    team.do_well();
    let handoff = team.run().handoff.clone().unwrap();
    assert_eq!((handoff.from_step.as_str(), handoff.to_step.as_deref()), ("write", Some("check")));
    assert_eq!((handoff.required, handoff.provided), (vec!["plan.md".to_string()], vec!["plan.md".to_string()]));
    assert!(handoff.missing.is_empty());
}

/// PF-15: any phases, roles and gates will do.
#[test]
fn nothing_of_a_profile_is_in_the_machine() {
    let mut other = profile(Mode::Simulation);
    other.gates.clear();
    other.phases = vec![machine::profile::Phase {
        id: "요리".into(),
        description: String::new(),
        steps: vec![crate::driver::step("끓이다", "cook", machine::profile::StepKind::Owner, &["soup.md"])],
    }];
    let mut team = Team::started(other.clone(), &[]);
    team.do_well();
    assert_eq!(team.run().course, Course::Done);
    other.phases.clear();
    assert!(Team::new().start(other, &[]).unwrap_err().reason.contains("no steps"));
}

/// A person plays a role where it is told so, and no process has that attempt.
#[test]
fn a_person_may_play_a_role() {
    let mut team = Team::new();
    team.people.insert("author".into());
    team.start(profile(Mode::Simulation), &[]).unwrap();
    assert_eq!(team.run().attempts.values().next().unwrap().holder, Holder::Person);
    team.must(&Input::Release);
    assert_eq!(team.run().attempts.len(), 1, "a person's work is not lost with a process");
}
