//! What is taken up again: a run whose journal is gone, what waits for a person, inputs that are others by now; and what is
//! shown of a run meanwhile.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test ends where it fails")]

mod puppets;

use std::sync::Arc;

use engine::agent::{Brief, Ending, Report};
use engine::{Drove, Input, Interrupt, Notice, Service, Verdict};
use puppets::{Project, Puppet, carry_through, drive, propose};

/// A puppet that ends everything when it comes to an item.
fn interrupted_at(item: &'static str) -> (Puppet, Arc<Interrupt>) {
    let interrupt = Arc::new(Interrupt::new());
    let stops = interrupt.clone();
    let puppet = Puppet::with(move |brief: &Brief| {
        (brief.item_id() == Some(item)).then(|| {
            stops.ask();
            Ending::Stopped
        })
    });
    (puppet, interrupt)
}

fn messages(project: &Project, wanted: &str) -> usize {
    let notices = project.notices.lock().unwrap();
    notices.iter().filter(|notice| matches!(notice, Notice::Message { kind, .. } if *kind == wanted)).count()
}

/// MV-09: a project that lost its journal in the middle of a run, as a clone does, goes on under the same id with what its
/// documents say, and ends as if nothing had happened.
#[test]
fn a_run_without_a_journal_goes_on_from_its_documents() {
    let plain = Project::new();
    let mut service = plain.open(Puppet::default(), 1);
    let undisturbed = carry_through(&mut service);
    service.close().unwrap();
    for item in ["T04", "T05", "T06", "T08"] {
        let project = Project::new();
        let (puppet, interrupt) = interrupted_at(item);
        let mut service = project.open(puppet, 1);
        let run = propose(&mut service);
        service.answer(&run, Verdict::Confirm, "a test").unwrap();
        assert_eq!(service.drive(std::slice::from_ref(&run), &interrupt).unwrap(), Drove::Interrupted, "{item}");
        service.close().unwrap();
        std::fs::remove_dir_all(project.folder.path().join(".multiverse")).unwrap();

        let mut service = project.open(Puppet::default(), 1);
        service.init().unwrap();
        assert_eq!(service.stranded(), std::slice::from_ref(&run));
        let error = service.send(&run, Input::Pause { reason: "x".into() }).unwrap_err();
        assert!(error.to_string().contains("the journal does not know it"), "{error}");
        service.send(&run, Input::Claim).unwrap();
        let told = project.told();
        assert!(told.contains("goes on with what its documents say"), "{told}");
        drive(&mut service, &run);
        assert_eq!(service.view(&run).unwrap().status, "COMPLETED", "{item}: {}", project.told());
        service.close().unwrap();
        assert_eq!(plain.left(&undisturbed), project.left(&run), "{item}");
    }
}

/// MV-09: a run that waited for an answer when its journal was lost is asked about again.
#[test]
fn a_proposal_without_a_journal_is_drafted_anew() {
    let project = Project::new();
    let mut service = project.open(Puppet::default(), 1);
    let run = propose(&mut service);
    service.close().unwrap();
    std::fs::remove_dir_all(project.folder.path().join(".multiverse")).unwrap();
    let mut service = project.open(Puppet::default(), 1);
    service.init().unwrap();
    drive(&mut service, &run);
    let view = service.view(&run).unwrap();
    assert_eq!((view.status, view.state), ("AWAITING_CONFIRMATION", "waiting"), "{}", project.told());
    service.answer(&run, Verdict::Confirm, "a test").unwrap();
    drive(&mut service, &run);
    assert_eq!(service.view(&run).unwrap().status, "COMPLETED", "{}", project.told());
}

/// MV-41: what was committed and never shown is told by whoever takes the run up, once.
#[test]
fn whoever_takes_a_run_up_is_told_what_waits() {
    let project = Project::new();
    let mut service = project.open(Puppet::default(), 1);
    let run = propose(&mut service);
    drive(&mut service, &run);
    drop(service);
    assert_eq!(messages(&project, "proposal"), 1);
    let mut service = project.open(Puppet::default(), 1);
    drive(&mut service, &run);
    drive(&mut service, &run);
    assert_eq!(messages(&project, "proposal"), 2);
}

/// MV-08, MV-12: a later run's proposal is made of the inputs that are there now.
#[test]
fn a_later_proposal_knows_what_was_renamed() {
    let project = Project::new();
    let mut service = project.open(Puppet::default(), 1);
    carry_through(&mut service);
    service.close().unwrap();
    let assets = project.folder.path().join("assets");
    std::fs::rename(assets.join("sales.md"), assets.join("boats.md")).unwrap();
    let puppet = Puppet::default();
    let briefs = puppet.briefs.clone();
    let mut service = project.open(puppet, 1);
    propose(&mut service);
    let briefs = briefs.lock().unwrap();
    let proposal = briefs.iter().find(|brief| brief.action == "propose").unwrap();
    let listed: Vec<&str> =
        proposal.context["catalog"].as_array().unwrap().iter().filter_map(|row| row["file_path"].as_str()).collect();
    assert_eq!(listed, ["assets/boats.md"]);
}

/// MV-34: what is really going on is seen beside the protocol's word.
#[test]
fn a_run_shows_what_is_really_going_on() {
    let project = Project::new();
    let question = Report {
        status: engine::agent::ReportStatus::Question,
        question: Some("red or blue?".into()),
        ..Report::done("")
    };
    let puppet = Puppet::with(move |brief| {
        let asks = brief.item_id() == Some("T05") && brief.answers.is_empty();
        asks.then(|| Ending::Report { report: question.clone(), log: String::new() })
    });
    let mut service = project.open(puppet, 1);
    let state = |service: &Service, run: &str| {
        let view = service.view(run).unwrap();
        (view.status, view.state, view.state_in_words)
    };
    let run = service.start("Make a report of the boats", None).unwrap().run;
    assert_eq!(state(&service, &run), ("PENDING", "working", "working on plan of the preparation".into()));
    drive(&mut service, &run);
    assert_eq!(
        state(&service, &run),
        ("AWAITING_CONFIRMATION", "waiting", "waits for your answer to its proposal".into())
    );
    service.answer(&run, Verdict::Confirm, "a test").unwrap();
    drive(&mut service, &run);
    assert_eq!(state(&service, &run), ("PENDING", "waiting", "waits for your answer to a question".into()));
    service.send(&run, Input::Pause { reason: "lunch".into() }).unwrap();
    assert_eq!(state(&service, &run), ("PENDING", "paused", "paused: lunch".into()));
    service.send(&run, Input::Resume).unwrap();
    service.send(&run, Input::Tell { fence: None, answer: "red".into(), by: "a test".into() }).unwrap();
    drop(service);
    let service = project.open(Puppet::default(), 1);
    assert_eq!(state(&service, &run), ("PENDING", "stopped", "stopped: nobody carries it on".into()));
}
