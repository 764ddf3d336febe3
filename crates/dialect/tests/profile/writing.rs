//! What a run writes: a status that fits its schema after every transition, the trace, the ledger, gate decisions; and
//! whatever others wrote stays.

use std::collections::{BTreeMap, BTreeSet};

use dialect::Edit;
use dialect::profile::{
    Beside, LEDGER, STATUS, STATUS_SCHEMA, Schema, TRACE, artifact_path, gate_document, lower, read_profile,
    read_status,
};
use machine::profile::{
    Artifact, CommitNote, Course, GateRecord, Idea, Input, Mode, Outcome, Profile, Review, ReviewVerdict, Run, Start,
    StepKind, World, apply, decide, start,
};
use machine::{Budget, Cast, Limits, Metered};
use syntax::json;
use text::Text;

const RUN: &str = "run-small-20260208T144605Z";

pub(crate) struct Project {
    pub(crate) documents: BTreeMap<String, Text>,
    pub(crate) run: Option<Run>,
    now: String,
    commits: u32,
}

fn artifact(name: &str, content: &str) -> Artifact {
    let (path, digest) = (artifact_path("A parser", "idea-1", name), format!("{:x}", content.len()));
    Artifact { name: name.into(), path, digest, owner: String::new(), at: String::new() }
}

impl Project {
    pub(crate) fn new() -> Self {
        Self { documents: BTreeMap::new(), run: None, now: "2026-02-08T14:46:05Z".into(), commits: 0 }
    }

    pub(crate) fn profile(mode: Mode) -> Profile {
        let text = crate::reading::SMALL
            .replace("id: OK", "id: RELEASE_APPROVAL")
            .replace("gate: OK", "gate: RELEASE_APPROVAL");
        let text = text.replace("required_outputs: []", "required_outputs: [decision.md]");
        let text = text.replace("simulation", mode.word());
        read_profile(text.as_bytes(), &crate::reading::schema()).profile.unwrap()
    }

    pub(crate) fn step(&mut self, input: Option<&Input>, mode: Mode) {
        let record = |record: &GateRecord<'_>| {
            let content = gate_document(mode, record.gate, record.status, record.by, record.reason, record.at);
            record.outputs.iter().map(|name| artifact(name, &content)).collect::<Vec<_>>()
        };
        let world = World {
            now: &self.now,
            me: "p1",
            cast: &Cast::default(),
            alive: &BTreeSet::from(["p1".to_string()]),
            free: 1,
            people: &BTreeSet::new(),
            budget: Budget::default(),
            used: Metered::default(),
            record: &record,
        };
        let decision = match input {
            Some(input) => decide(self.run.as_ref(), RUN, input, &world, &Limits::default()).unwrap(),
            None => {
                let idea = Idea { id: "idea-1".into(), headline: "A parser".into(), ..Idea::default() };
                let (profile, human_gates) = (Self::profile(mode), BTreeSet::new());
                let begin = Start { profile, definition: String::new(), idea, human_gates, seed: 0 };
                start(RUN, &begin, &world, &Limits::default()).unwrap()
            }
        };
        for fact in &decision.facts {
            apply(&mut self.run, RUN, fact);
        }
        let read = |path: &str| self.documents.get(path).cloned();
        let edits = lower(self.run.as_ref().unwrap(), &decision.facts, &Beside::default(), &read).unwrap();
        for (path, edit) in edits {
            let after = match edit {
                Edit::Change(revision) => {
                    assert_eq!(revision.change.apply(&revision.before).unwrap().to_vec(), revision.after.to_vec());
                    revision.after
                }
                Edit::Create(content) | Edit::Write(content) => Text::from(content),
            };
            self.documents.insert(path, after);
        }
        let complaints = read_status(self.text(STATUS).as_bytes(), &Schema::read(STATUS_SCHEMA).unwrap()).complaints;
        assert_eq!(complaints, [], "PF-03: the status fits its schema after every transition");
        self.now = machine::later(&self.now, 1);
    }

    pub(crate) fn report(&mut self, verdict: ReviewVerdict) {
        let run = self.run.as_ref().unwrap();
        let step = run.step().unwrap().clone();
        self.commits += 1;
        let commit = CommitNote {
            step_id: step.step.id.clone(),
            role: step.step.role.clone(),
            sha: format!("{:040x}", self.commits),
            message: format!("docs({}): a | b", step.step.role),
            at: self.now.clone(),
        };
        let outcome = Outcome::Done {
            outputs: step.step.required_outputs.iter().map(|name| artifact(name, "x")).collect(),
            review: (step.step.kind == StepKind::Reviewer)
                .then(|| Review { verdict, remarks: vec!["say \"why\", and\nhow".into()] }),
            integration: None,
            commit: (run.profile.mode == Mode::Realization).then_some(commit),
            question: None,
        };
        let fence = *run.attempts.keys().next().unwrap();
        let mode = run.profile.mode;
        self.step(Some(&Input::Report { fence, outcome }), mode);
    }

    pub(crate) fn text(&self, path: &str) -> String {
        String::from_utf8(self.documents.get(path).unwrap_or_else(|| panic!("there is no {path}")).to_vec()).unwrap()
    }

    fn artifact(&self, name: &str) -> String {
        self.text(&artifact_path("A parser", "idea-1", name))
    }

    fn field(&self, pointer: &str) -> String {
        let root = json::parse(self.text(STATUS).as_bytes()).root.unwrap();
        root.pointer(pointer).unwrap_or_else(|| panic!("{pointer}")).as_text().unwrap().to_owned()
    }
}

/// PF-03, PF-08, PF-11, PF-16: a whole run, with a review that sends work back, and a gate.
#[test]
fn a_run_and_its_documents() {
    for mode in [Mode::Simulation, Mode::Realization] {
        let mut project = Project::new();
        project.step(None, mode);
        assert_eq!(
            (project.field("/current_role"), project.field("/active_idea/headline")),
            ("author".into(), "A parser".into())
        );
        project.report(ReviewVerdict::Approved);
        assert_eq!(
            (project.field("/phase_status"), project.field("/review_status")),
            ("awaiting_review".into(), "in_review".into())
        );
        project.report(ReviewVerdict::ChangesRequested);
        assert_eq!(
            (project.field("/review_cycles/plan"), project.field("/current_role")),
            ("1".into(), "author".into())
        );
        project.report(ReviewVerdict::Approved);
        project.report(ReviewVerdict::Approved);
        assert_eq!(project.field("/pending_human_gate_id"), "RELEASE_APPROVAL");
        assert_eq!(project.field("/questions/0/status"), "pending_delivery");
        assert!(project.field("/questions/0/id").starts_with("Q-GATE-RELEASE_APPROVAL-202602081446"));
        assert_eq!(project.field("/blocking_reasons/0"), "gate RELEASE_APPROVAL waits for a person");
        let input = Input::Gate { gate: None, reply: "yes".into(), reason: "it is good".into(), by: "ann".into() };
        project.step(Some(&input), mode);
        assert_eq!(project.run.as_ref().unwrap().course, Course::Done);
        assert_eq!(
            (project.field("/phase_status"), project.field("/governance_gates/0/status")),
            ("completed".into(), "approved".into())
        );
        let decision = project.artifact("decision.md");
        assert!(
            decision.contains("Decision: approved")
                && decision.contains("By: ann")
                && decision.contains("> it is good")
        );
        let trace = project.artifact(TRACE);
        let rows: Vec<&str> = trace.lines().collect();
        assert!(rows[0].starts_with("timestamp,profile,from_step_index") && rows.len() == 7, "{trace}");
        assert!(rows[2].contains(",1,plan,critic,0,plan,author,rerouted,\"changes requested"), "{}", rows[2]);
        assert!(rows[2].ends_with("say \"\"why\"\", and how\""), "one line each: {}", rows[2]);
        let inside = |path: &String| path == STATUS || path.starts_with("agent_runtime/artifacts/a_parser/");
        assert!(project.documents.keys().all(inside), "PF-11: {:?}", project.documents.keys());
        if mode == Mode::Realization {
            let ledger = project.artifact(LEDGER);
            assert_eq!(ledger.lines().filter(|line| line.contains("docs(")).count(), 4, "{ledger}");
            assert!(ledger.contains("| Timestamp | Role | Step | Commit | Message |") && ledger.contains("a \\| b"));
            assert_eq!(project.field("/commit_evidence/3/role"), "critic");
        }
    }
}

/// What others wrote into the status, and how they wrote it, stays.
#[test]
fn a_status_of_others_is_revised_without_loss() {
    let mut project = Project::new();
    project.step(None, Mode::Simulation);
    let odd = project
        .text(STATUS)
        .replacen('{', "{ \"own\" :\t[1,\t2 ],", 1)
        .replace("\"review_cycles\": {}", "\"review_cycles\":{ }");
    project.documents.insert(STATUS.into(), Text::from(odd.replace('\n', "\r\n")));
    project.report(ReviewVerdict::Approved);
    let after = project.text(STATUS);
    assert!(after.starts_with("{ \"own\" :\t[1,\t2 ],\r\n") && after.contains("\"review_cycles\":{ }"), "{after}");
    assert_eq!(after.matches('\n').count(), after.matches("\r\n").count(), "line endings are as they were");
}

/// A status that was there before a run is archived whole, and nothing of it is mixed in.
#[test]
fn a_new_run_starts_clean_and_archives_the_old_status() {
    let mut project = Project::new();
    let old = "{\"active_run_id\": \"run-old-1\", \"own\": true}";
    project.documents.insert(STATUS.into(), Text::from(old.to_owned()));
    project.documents.insert(artifact_path("A parser", "idea-1", TRACE), Text::from("old\n".to_owned()));
    project.step(None, Mode::Simulation);
    let archived = project.documents.keys().find(|path| path.starts_with("agent_runtime/archive/")).unwrap().clone();
    assert_eq!(project.text(&archived), old);
    assert!(archived.contains("run_old_1"), "{archived}");
    assert!(!project.text(STATUS).contains("\"own\""));
    assert!(!project.artifact(TRACE).contains("old"), "the trace is this run's");
}

/// PF-03: a status that cannot be read is not touched: the step is refused with the line.
#[test]
fn a_broken_status_is_not_touched() {
    let mut project = Project::new();
    project.step(None, Mode::Simulation);
    let run = project.run.clone().unwrap();
    for (broken, words) in
        [("{\"a\": 1,\n", "never closed"), ("{\"active_profile\": 1, \"active_profile\": 2}", "twice"), ("", "line 1")]
    {
        let read = |path: &str| (path == STATUS).then(|| Text::from(broken.to_owned()));
        let trouble = lower(&run, &[], &Beside::default(), &read).unwrap_err();
        assert!(trouble.to_string().contains(words) && trouble.path == STATUS, "{trouble}");
    }
}
