//! A run that is taken over from its status alone: what the status says comes back as it was, and what a guard rule would
//! have refused is refused with its place.

use std::collections::BTreeSet;

use dialect::profile::{Around, Beside, STATUS, differing, idea_of, taken_over};
use machine::profile::{Course, GateStatus, Input, Mode, ReviewVerdict, Run, Seen, StepState};

use crate::writing::Project;

fn over(project: &Project, text: &str, mode: Mode) -> Result<(Run, Seen), String> {
    let known = project.run.as_ref().unwrap();
    let digest = |path: &str| {
        let artifact = known.artifacts.values().find(|artifact| artifact.path == path)?;
        Some(artifact.digest.clone()).filter(|digest| !digest.is_empty())
    };
    let around = Around {
        profile: &Project::profile(mode),
        definition: "",
        human_gates: &BTreeSet::new(),
        context: "ideas/idea-1.md",
        now: "2026-02-09T00:00:00Z",
        digest: &digest,
    };
    taken_over(text.as_bytes(), &around).map_err(|complaints| complaints.iter().map(|one| format!("{one}\n")).collect())
}

/// What counts is what it was, at every stop of a run.
fn assert_taken_over(project: &Project, mode: Mode) {
    let known = project.run.as_ref().unwrap();
    let (run, _) = over(project, &project.text(STATUS), mode).unwrap();
    assert_eq!(
        (&run.id, run.current, &run.profile, &run.plan),
        (&known.id, known.current, &known.profile, &known.plan)
    );
    assert_eq!((&run.idea.id, &run.idea.headline), (&known.idea.id, &known.idea.headline));
    assert_eq!((&run.artifacts, &run.commits), (&known.artifacts, &known.commits));
    assert_eq!((&run.questions, &run.answers), (&known.questions, &known.answers));
    assert_eq!((&run.review_cycles, &run.role_attempts), (&known.review_cycles, &known.role_attempts));
    assert_eq!((&run.course, &run.started_at, &run.moved_at), (&known.course, &known.started_at, &known.moved_at));
    let settled = |run: &Run| run.states.iter().filter(|state| **state == StepState::Completed).count();
    assert_eq!(settled(&run), settled(known));
    let gates = |run: &Run| run.gates.iter().map(|(id, state)| (id.clone(), state.status)).collect::<Vec<_>>();
    assert_eq!(gates(&run), gates(known));
}

/// PF-03, PF-13: a status is enough to go on from.
#[test]
fn a_run_is_what_its_status_says() {
    for mode in [Mode::Simulation, Mode::Realization] {
        let mut project = Project::new();
        project.step(None, mode);
        assert_taken_over(&project, mode);
        let verdicts = [ReviewVerdict::Approved, ReviewVerdict::ChangesRequested, ReviewVerdict::Approved];
        for verdict in verdicts.into_iter().chain([ReviewVerdict::Approved]) {
            project.report(verdict);
            assert_taken_over(&project, mode);
        }
        assert_eq!(project.run.as_ref().unwrap().course, Course::Gate("RELEASE_APPROVAL".into()));
        let no = Input::Gate { gate: None, reply: "no".into(), reason: "not yet".into(), by: "ann".into() };
        project.step(Some(&no), mode);
        assert_taken_over(&project, mode);
    }
}

/// What was approved or answered there and not heard yet is still to be heard.
#[test]
fn what_nobody_has_heard_yet_is_a_wish() {
    let mut project = Project::new();
    project.step(None, Mode::Simulation);
    project.report(ReviewVerdict::Approved);
    project.report(ReviewVerdict::Approved);
    let approved = project.text(STATUS).replacen("\"status\": \"pending\"", "\"status\": \"approved\"", 1);
    let without = approved.replace("\"status\": \"pending_delivery\"", "\"status\": \"closed\"");
    for text in [&approved, &without] {
        let (run, seen) = over(&project, text, Mode::Simulation).unwrap();
        assert_eq!(run.course, Course::Gate("RELEASE_APPROVAL".into()));
        assert_eq!(run.gates["RELEASE_APPROVAL"].status, GateStatus::Pending, "the run has not gone on yet");
        assert_eq!(seen.gates["RELEASE_APPROVAL"].0, GateStatus::Approved);
    }
    assert_eq!(idea_of(approved.as_bytes()).headline, "A parser");
}

/// PF-04 rules 3, 4 and 7, PF-10: what does not hold is named with its field, and nothing is taken.
#[test]
fn what_a_guard_rule_refuses_is_not_taken_over() {
    let check = |mode: Mode, old: &str, new: &str, words: &[&str]| {
        let mut project = Project::new();
        project.step(None, mode);
        project.report(ReviewVerdict::Approved);
        project.report(ReviewVerdict::Approved);
        let text = project.text(STATUS);
        assert!(text.contains(old), "{old} in {text}");
        let refused = over(&project, &text.replacen(old, new, 1), mode).unwrap_err();
        for word in words {
            assert!(refused.contains(word), "{word:?} in {refused}");
        }
    };
    let simulated = Mode::Simulation;
    check(
        simulated,
        "\"current_role\": \"lead\"",
        "\"current_role\": \"author\"",
        &["current_role", "step 2", "`lead`"],
    );
    check(
        simulated,
        "\"current_phase\": \"plan\"",
        "\"current_phase\": \"build\"",
        &["current_phase: `build`", "`plan`"],
    );
    check(simulated, "\"current_step_index\": 2", "\"current_step_index\": 9", &["current_step_index", "3 steps"]);
    check(simulated, "\"step_id\": \"check\"", "\"step_id\": \"look\"", &["phase_plan[1].step_id", "`check`"]);
    check(simulated, "\"plan.md\": {", "\"plan.txt\": {", &["artifacts: step write", "plan.md is missing"]);
    check(
        Mode::Realization,
        "\"step_id\": \"write\",\n      \"role\"",
        "\"step_id\": \"x\",\n      \"role\"",
        &["commit_evidence: step write", "no commit by author"],
    );
}

/// A name in a list proves nothing: the file must be there, with something in it (PF-19).
#[test]
fn a_name_without_a_file_is_refused() {
    let mut project = Project::new();
    project.step(None, Mode::Simulation);
    project.report(ReviewVerdict::Approved);
    let text = project.text(STATUS);
    for artifact in project.run.as_mut().unwrap().artifacts.values_mut() {
        artifact.digest.clear();
    }
    let refused = over(&project, &text, Mode::Simulation).unwrap_err();
    assert!(refused.contains("artifacts.plan.md: there is no agent_runtime/artifacts/a_parser/plan.md"), "{refused}");
}

/// QL-23: what somebody wrote that does not follow from the run is found, with its line; what nobody knows may stand there.
#[test]
fn what_was_written_by_hand_is_found() {
    let mut project = Project::new();
    project.step(None, Mode::Simulation);
    let check = |old: &str, new: &str, expected: &[&str]| {
        let text = project.text(STATUS);
        assert!(text.contains(old), "{old} in {text}");
        let found = differing(text.replacen(old, new, 1).as_bytes(), project.run.as_ref().unwrap(), &Beside::default());
        let fields: Vec<&str> = found.iter().map(|one| one.field.as_str()).collect();
        assert_eq!(fields, expected, "{new}");
        assert!(found.iter().all(|one| one.line > 1));
    };
    check("{", "{", &[]);
    check("{", "{\"own\": 1,", &[]);
    check("\"active_run_id\": \"run-", "\"active_run_id\": \"other-", &["active_run_id"]);
    check("\"phase_status\": \"in_progress\"", "\"phase_status\": \"completed\"", &["phase_status"]);
    check("\"blocking_reasons\": []", "\"blocking_reasons\": [\"me\"]", &["blocking_reasons"]);
    let claim = "\"artifacts\": {\"plan.md\": {\"path\": \"plan.md\", \"owner\": \"me\", \"updated_at\": \"now\"}}";
    check("\"artifacts\": {}", claim, &["artifacts"]);
    check("\"artifacts\": {}", &claim.replace("\"plan.md\": {", "\"notes.md\": {"), &[]);
}
