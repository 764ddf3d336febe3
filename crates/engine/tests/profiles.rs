//! Runs of the protocol `profile` in the engine: played by code, by agents and by people, with gates, reviews, edits by hand
//! and dead processes in between.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test ends where it fails")]

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Arc, Mutex};

use engine::agent::{Backend, Brief, Ending, Job, Pace, Report, ReportOutput, ReportStatus};
use engine::workflows::{PROFILE_SCHEMA, Profile, SHIPPED, STATUS_SCHEMA, Schema, read_profile, read_status};
use engine::{Drove, EngineError, IdeaText, Input, Interrupt, Notice, ProfileStart, Service, Settings, Stop};
use serde_json::{Value, json};
use store::Missing;

const IDEA: &str = "# A parser\n\nPeople lose their notes.\n\n## Acceptance criteria\n\n- It reads a file of 10 MB in a second\n- No byte is lost\n";
const FOLDER: &str = "agent_runtime/artifacts/a_parser";

/// A project with an idea.
struct Project {
    folder: tempfile::TempDir,
    notices: Arc<Mutex<Vec<Notice>>>,
}

impl Project {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("ideas")).unwrap();
        std::fs::write(folder.path().join("ideas/parser.md"), IDEA).unwrap();
        Self { folder, notices: Arc::default() }
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn open_with(&self, cast: impl FnOnce(&mut Settings)) -> Service {
        let mut settings = Settings::new(self.path().canonicalize().unwrap());
        cast(&mut settings);
        let notices = self.notices.clone();
        Service::open(settings, Missing::Create, Arc::new(move |notice| notices.lock().unwrap().push(notice))).unwrap()
    }

    fn open(&self) -> Service {
        self.open_with(|_| {})
    }

    fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.path().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    fn status(&self) -> Value {
        let text = self.read("agent_runtime/status.json");
        let schema = Schema::read(STATUS_SCHEMA).unwrap();
        let complaints = read_status(text.as_bytes(), &schema).complaints;
        assert!(complaints.is_empty(), "PF-03: {complaints:?}\n{text}");
        serde_json::from_str(&text).unwrap()
    }

    fn told(&self) -> String {
        format!("{:#?}", self.notices.lock().unwrap())
    }

    fn edit(&self, change: impl FnOnce(String) -> String) {
        let path = self.path().join("agent_runtime/status.json");
        std::fs::write(&path, change(std::fs::read_to_string(&path).unwrap())).unwrap();
    }
}

fn shipped(name: &str) -> Profile {
    let (_, text) = SHIPPED.iter().find(|(file, _)| file.starts_with(name)).unwrap();
    profile(text)
}

fn profile(text: &str) -> Profile {
    let read = read_profile(text.as_bytes(), &Schema::read(PROFILE_SCHEMA).unwrap());
    read.profile.unwrap_or_else(|| panic!("{:?}", read.complaints))
}

fn start(profile: Profile, seed: u64) -> ProfileStart {
    let idea = IdeaText {
        id: "parser".into(),
        headline: "A parser".into(),
        owner: "somebody".into(),
        path: "ideas/parser.md".into(),
    };
    ProfileStart { profile, definition: String::new(), idea, human_gates: BTreeSet::new(), seed }
}

fn drive(service: &mut Service, run: &str) {
    assert_eq!(service.drive(&[run.to_string()], &Interrupt::new()).unwrap(), Drove::ToRest);
}

/// PF-05, PF-06, PF-07, PF-08, PF-09, PF-11, PF-13: the shipped workflow, played by the engine to its last gate, approved by
/// a person, and done; the status is of its schema at every stop.
#[test]
fn the_shipped_workflow_goes_to_its_last_gate_and_through_it() {
    let project = Project::new();
    let mut service = project.open();
    let run = service.start_profile(start(shipped("default_fallback"), 7)).unwrap();
    assert!(run.starts_with("run-default_fallback_profile-20"), "{run}");
    drive(&mut service, &run);
    let status = project.status();
    assert_eq!(status["pending_human_gate_id"], "RELEASE_APPROVAL", "{}", project.told());
    assert_eq!(status["questions"][0]["status"], "pending_delivery");
    assert_eq!(status["phase_status"], "waiting");
    let waiting = service.waiting();
    assert_eq!((waiting.len(), waiting[0].kind), (1, "gate"), "{waiting:?}");
    let id = waiting[0].question.clone().unwrap();
    service.deliver(&run, &id).unwrap();
    let view = service.view(&run).unwrap();
    let details = view.details.unwrap();
    assert_eq!((view.status, view.state, &details["is_blocked"]), ("AWAITING_CONFIRMATION", "waiting", &json!(true)));
    let why = service.why(&run, None).unwrap();
    assert!(why.because.iter().any(|one| one.contains("gate RELEASE_APPROVAL is not approved")), "{why:?}");
    let odd = service.reply_at_gate(&run, None, "yes please", "", "a test").unwrap_err();
    assert!(odd.to_string().contains("neither yes nor no"), "{odd}");
    service.reply_at_gate(&run, Some("RELEASE_APPROVAL"), "approve", "it is good", "a test").unwrap();
    service.drive(&[], &Interrupt::new()).unwrap();
    let status = project.status();
    assert_eq!((&status["phase_status"], &status["blocking_reasons"]), (&json!("completed"), &json!([])));
    assert_eq!(status["evidence"]["missing"], json!([]));
    assert_eq!(service.view(&run).unwrap().status, "COMPLETED");
    let twice = service.reply_at_gate(&run, None, "approve", "", "a test").unwrap_err();
    assert!(twice.to_string().contains("cannot be changed again"), "{twice}");
    assert!(project.read(&format!("{FOLDER}/01_requirements.md")).contains("No byte is lost"), "made of the idea");
    let trace = project.read(&format!("{FOLDER}/03_transition_trace.csv"));
    assert!(trace.lines().count() > 10, "{trace}");
    let story = service.story(&run).unwrap();
    assert!(story.events.iter().any(|event| event.text.contains("RELEASE_APPROVAL was approved by a test")));
    assert_eq!(story.view.unwrap().status, "COMPLETED");
    service.close().unwrap();
    let service = project.open();
    assert_eq!(service.view(&run).unwrap().status, "COMPLETED", "it is remembered");
}

fn artifacts(project: &Project) -> Vec<(String, String)> {
    let mut all: Vec<(String, String)> = std::fs::read_dir(project.path().join(FOLDER))
        .unwrap()
        .flatten()
        .map(|entry| entry.file_name().into_string().unwrap())
        .filter(|name| name.starts_with(char::is_numeric) && !name.ends_with(".csv"))
        .map(|name| (name.clone(), project.read(&format!("{FOLDER}/{name}"))))
        .collect();
    all.sort();
    all
}

/// PF-09: the same idea, profile and seed leave the same bytes; another seed may not.
#[test]
fn the_same_run_twice_leaves_the_same_bytes() {
    let one = |seed| {
        let project = Project::new();
        let mut service = project.open();
        let run = service.start_profile(start(shipped("default_fallback"), seed)).unwrap();
        drive(&mut service, &run);
        artifacts(&project)
    };
    let first = one(3);
    assert!(first.len() > 6, "{first:?}");
    assert_eq!(first, one(3));
    assert!((4..12).any(|seed| one(seed) != first), "a seed varies it");
}

/// A run goes on from its journal, whichever process took it up, and from a checkpoint as well.
#[test]
fn a_run_is_taken_up_by_another_process() {
    let project = Project::new();
    let mut service = project.open();
    let run = service.start_profile(start(shipped("default_fallback"), 7)).unwrap();
    // Nobody let go of it: the process is gone.
    drop(service);
    let mut service = project.open();
    assert_eq!(service.open_runs().len(), 1);
    drive(&mut service, &run);
    assert_eq!(project.status()["pending_human_gate_id"], "RELEASE_APPROVAL", "{}", project.told());
    let second = service.start_profile(start(shipped("default_fallback"), 7)).unwrap_err();
    assert!(second.to_string().contains("is not over"), "{second}");
    service.send(&run, Input::Cancel { by: "a test".into() }).unwrap();
    let again = service.start_profile(start(shipped("default_fallback"), 7)).unwrap();
    assert_ne!(run, again);
    drive(&mut service, &again);
    service.close().unwrap();
    let archive: Vec<_> = std::fs::read_dir(project.path().join("agent_runtime/archive")).unwrap().flatten().collect();
    assert_eq!(archive.len(), 1, "the old status is kept whole: {archive:?}");
}

/// What a hand changes in the status: a gate that waits is decided, what a run counts is put back, a broken shape pauses it
/// and is not touched.
#[test]
fn an_edit_of_the_status_is_a_wish() {
    let project = Project::new();
    let mut service = project.open();
    let run = service.start_profile(start(shipped("default_fallback"), 7)).unwrap();
    drive(&mut service, &run);
    service.close().unwrap();
    project.edit(|text| text.replacen("\"current_role\": \"", "\"current_role\": \"un", 1));
    let mut service = project.open();
    drive(&mut service, &run);
    assert!(project.told().contains("put back: current_role"), "{}", project.told());
    assert_eq!(project.status()["current_role"], "product_owner");
    service.close().unwrap();
    project.edit(|text| text.replacen("\"phase_plan\": [", "\"phase_plan\": [7,", 1));
    let broken = project.read("agent_runtime/status.json");
    let mut service = project.open();
    drive(&mut service, &run);
    assert!(service.view(&run).unwrap().paused.is_some_and(|reason| reason.contains("phase_plan[0]")));
    let refused = service.reply_at_gate(&run, None, "approve", "", "a test").unwrap_err();
    assert!(matches!(&refused, EngineError::Document { line, .. } if *line > 0), "{refused}");
    service.close().unwrap();
    assert_eq!(project.read("agent_runtime/status.json"), broken, "PF-03: it is not touched");
    project.edit(|text| text.replacen("[7,", "[", 1));
    let mut service = project.open();
    service.send(&run, Input::Resume).unwrap();
    service.close().unwrap();
    project.edit(|text| text.replacen("\"status\": \"pending\"", "\"status\": \"approved\"", 1));
    let mut service = project.open();
    drive(&mut service, &run);
    assert_eq!(service.view(&run).unwrap().status, "COMPLETED", "{}", project.told());
    assert_eq!(project.status()["answers"][0]["source"], "an edit of status.json");
}

/// What a puppet reports instead of doing its work.
type Mischief = Box<dyn Fn(&Brief) -> Option<Report> + Send + Sync>;

/// An agent that does what is asked, and something else where a test wants it.
struct Puppet {
    briefs: Arc<Mutex<Vec<Brief>>>,
    mischief: Mischief,
}

impl Backend for Puppet {
    fn name(&self) -> String {
        "puppet".into()
    }

    fn pace(&self) -> Pace {
        Pace::Instant
    }

    fn work(&self, job: &Job, _: &Stop, _: &dyn Fn(&str)) -> Ending {
        let brief = &job.brief;
        self.briefs.lock().unwrap().push(brief.clone());
        let result = match brief.action.as_str() {
            "review" => json!({"review_status": "approved"}),
            _ => json!(null),
        };
        let outputs = brief.expects.outputs.iter();
        let outputs = outputs.map(|path| ReportOutput { path: path.clone(), content: Some(format!("made {path}\n")) });
        let report = Report { result, outputs: outputs.collect(), ..Report::done("as told") };
        Ending::Report { report: (self.mischief)(brief).unwrap_or(report), log: String::new() }
    }
}

const SMALL: &str = "name: small\nversion: 1\ndescription: two steps\nexecution_mode: simulation\nstrict_mode: true\n\
friendly_name: Small\ngates: []\nphases:\n  - id: make\n    description: making\n    roles:\n      - id: write\n        role: writer\n        \
step_type: owner\n        required_outputs: [text.md]\n      - id: check\n        role: checker\n        step_type: reviewer\n        \
review_of: writer\n        required_outputs: [check.md]\n";

/// PF-05, PF-18, PF-20: agents in place of the engine: what a reviewer says reaches the producer, what a person answers reaches
/// the role that asked, verbatim, and nobody is told who is next.
#[test]
fn agents_take_the_place_of_the_engine() {
    let project = Project::new();
    let briefs: Arc<Mutex<Vec<Brief>>> = Arc::default();
    let seen = briefs.clone();
    let mut service = project.open_with(move |settings| {
        let mischief = |brief: &Brief| match (brief.action.as_str(), brief.attempt, brief.answers.is_empty()) {
            ("produce", 1, true) => Some(Report::question("in which language?")),
            ("review", 1, _) => Some(Report {
                result: json!({"review_status": "changes_requested", "remarks": ["say more"]}),
                outputs: vec![ReportOutput { path: brief.expects.outputs[0].clone(), content: Some("no".into()) }],
                status: ReportStatus::Done,
                ..Report::default()
            }),
            _ => None,
        };
        let puppet = Arc::new(Puppet { briefs: seen, mischief: Box::new(mischief) });
        settings.casting.play_part("writer", "puppet", puppet.clone());
        settings.casting.play_part("checker", "puppet", puppet);
    });
    let run = service.start_profile(start(profile(SMALL), 0)).unwrap();
    drive(&mut service, &run);
    assert_eq!(project.status()["pending_human_question_id"].as_str(), service.waiting()[0].question.as_deref());
    service.answer_question(&run, None, "in plain words", "a test").unwrap();
    drive(&mut service, &run);
    assert_eq!(service.view(&run).unwrap().status, "COMPLETED", "{}", project.told());
    assert_eq!(project.status()["review_cycles"]["make"], 1);
    let briefs = briefs.lock().unwrap();
    let of = |action: &str| briefs.iter().filter(|brief| brief.action == action).cloned().collect::<Vec<_>>();
    assert_eq!(of("produce")[1].answers[0].answer, "in plain words");
    assert_eq!(of("produce")[2].context["remarks"], json!(["say more"]));
    for brief in of("produce") {
        assert!(!serde_json::to_string(&brief).unwrap().contains("checker"), "{brief:?}");
    }
}
