//! BY-19: every call of an agent is recorded, and a run can be carried out again from the recordings alone.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test ends where it fails")]

mod puppets;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use engine::agent::{Brief, Differences, Ending, Offline, Replay, Report, Usage};
use engine::{Mode, Role, Service, Settings, Verdict};
use puppets::{Project, Puppet, drive, outputs};
use store::Missing;

const REQUEST: &str = "Make a report of the boats";

/// One that works on a thread of its own, as real agents do, and leaves its files in its folder now and then.
fn real() -> Puppet {
    let mischief = |brief: &Brief| {
        let usage = Some(Usage { input_tokens: 10, output_tokens: 1, ..Usage::default() });
        let is_file = brief.item_id() == Some("T05");
        is_file.then(|| {
            let mut outputs = outputs(brief);
            for output in &mut outputs {
                let place = std::path::Path::new(&brief.workdir).join(&output.path);
                std::fs::write(place, format!("written for {}\n", brief.run_id)).unwrap();
                output.content = None;
            }
            Ending::Report { report: Report { outputs, usage, ..Report::done("written") }, log: "a log".into() }
        })
    };
    Puppet { pause: Some(|_| Duration::ZERO), ..Puppet::with(mischief) }
}

fn confirmed(service: &mut Service) -> String {
    let run = service.start(REQUEST, Some(Mode::InitialRun)).unwrap().run;
    drive(service, &run);
    service.answer(&run, Verdict::Modify("shorter".into()), "a test").unwrap();
    drive(service, &run);
    service.answer(&run, Verdict::Confirm, "a test").unwrap();
    drive(service, &run);
    run
}

fn replayed(project: &Project, run: &str, mode: Differences) -> (Service, Arc<Replay>, String) {
    let root = project.folder.path().canonicalize().unwrap();
    let replay = Arc::new(Replay::open(&engine::calls::folder(&root, run), run, mode).unwrap());
    let mut settings = Settings::new(root);
    settings.play(Role::Planner, replay.clone());
    settings.play(Role::Executor, replay.clone());
    let mut service = Service::open(settings, Missing::Create, Arc::new(|_| {})).unwrap();
    let again = service.start(REQUEST, Some(Mode::InitialRun)).unwrap().run;
    for input in service.said_to(run).unwrap() {
        // One that stops where it differs is over by then.
        if service.drive(std::slice::from_ref(&again), &engine::Interrupt::new()).is_err() {
            break;
        }
        if service.send(&again, input).is_err() {
            break;
        }
    }
    if service.view(&again).unwrap().status == "PENDING" {
        drive(&mut service, &again);
    }
    (service, replay, again)
}

/// What a run left, its name left out.
fn left(project: &Project, run: &str) -> BTreeMap<String, String> {
    let own = |(path, content): (String, String)| {
        let is_own = path.starts_with("runs/RUN/") || path.starts_with("outputs/RUN/");
        is_own.then_some((path, content))
    };
    project.left(run).into_iter().filter_map(own).collect()
}

fn check(project: &Project, run: &str) {
    let (service, replay, again) = replayed(project, run, Differences::Tell);
    assert_eq!(service.view(&again).unwrap().status, "COMPLETED", "{:?}", service.story(&again).unwrap().events.last());
    // The first run left its inputs in the catalog and its instructions, which the second is told of: no difference.
    assert_eq!(replay.differences(), Vec::<String>::new());
    let first = left(project, run);
    assert!(first.len() > 8, "{first:?}");
    assert_eq!(first, left(project, &again));
    let used = |run: &str| service.story(run).unwrap().view.unwrap().usage;
    assert_eq!(used(run), used(&again));
}

/// BY-19: the same request again, without any agent, leaves the same, byte for byte but for the run's name.
#[test]
fn a_replayed_run_leaves_the_same() {
    let project = Project::new();
    let mut service = project.open(real(), 2);
    let run = confirmed(&mut service);
    assert_eq!(service.view(&run).unwrap().status, "COMPLETED", "{}", project.told());
    service.close().unwrap();
    check(&project, &run);
    // Nor is what the replayed run left.
    check(&project, &run);
}

/// BY-19: the same with agents that answer at once, as scripts do.
#[test]
fn a_replayed_run_of_instant_agents_leaves_the_same() {
    let project = Project::new();
    let mut service = project.open(Puppet::default(), 2);
    let run = confirmed(&mut service);
    assert_eq!(service.view(&run).unwrap().status, "COMPLETED", "{}", project.told());
    service.close().unwrap();
    check(&project, &run);
}

/// BY-19: the same with the agent that works without a model.
#[test]
fn a_replayed_offline_run_leaves_the_same() {
    let project = Project::new();
    let mut settings = Settings::new(project.folder.path().canonicalize().unwrap());
    let offline = Arc::new(Offline);
    settings.play(Role::Planner, offline.clone());
    settings.play(Role::Executor, offline);
    let mut service = Service::open(settings, Missing::Create, Arc::new(|_| {})).unwrap();
    let run = confirmed(&mut service);
    assert_eq!(service.view(&run).unwrap().status, "COMPLETED");
    service.close().unwrap();
    check(&project, &run);
}

/// BY-19, MV-41: what a communicator was given to say is recorded as well, and is nothing to replay.
#[test]
fn messages_to_the_user_are_recorded() {
    let project = Project::new();
    let root = project.folder.path().canonicalize().unwrap();
    let mut settings = Settings::new(root.clone());
    for role in [Role::Planner, Role::Executor, Role::Communicator] {
        settings.play(role, Arc::new(real()));
    }
    let mut service = Service::open(settings, Missing::Create, Arc::new(|_| {})).unwrap();
    let run = confirmed(&mut service);
    assert_eq!(service.view(&run).unwrap().status, "COMPLETED");
    service.close().unwrap();
    for name in ["proposal-1.message", "proposal-2.message", "completion-1.message"] {
        let kept = std::fs::read(engine::calls::folder(&root, &run).join(name)).expect(name);
        let kept: serde_json::Value = serde_json::from_slice(&kept).unwrap();
        assert_eq!((&kept["brief"]["role"], &kept["agent"]), (&"communicator".into(), &"puppet".into()), "{name}");
    }
    check(&project, &run);
}

/// BY-19: where an agent would be told something else, that is said by file and field; or it stops there.
#[test]
fn what_is_other_than_recorded_is_said() {
    let project = Project::new();
    let mut service = project.open(real(), 2);
    let run = confirmed(&mut service);
    service.close().unwrap();
    std::fs::write(project.folder.path().join("assets/sales.md"), "# Sales\n\nNobody bought anything.\n").unwrap();
    std::fs::write(project.folder.path().join("assets/more.md"), "# More\n").unwrap();
    let (service, replay, again) = replayed(&project, &run, Differences::Tell);
    assert_eq!(service.view(&again).unwrap().status, "COMPLETED");
    service.close().unwrap();
    let differences = replay.differences();
    assert!(differences.iter().any(|one| one.starts_with("proposal: brief context.catalog")), "{differences:#?}");
    let file = "T04: file assets/sales.md: its content is another".to_string();
    assert!(differences.contains(&file), "{differences:#?}");

    let (service, _, again) = replayed(&project, &run, Differences::Refuse);
    assert_eq!(service.view(&again).unwrap().status, "FAILED");
    let report = project.read(&format!("runs/{again}/failure_report.md"));
    assert!(report.contains("the brief is other than the recorded one"), "{report}");
    let unknown = engine::calls::find(project.folder.path(), "nothing").unwrap_err();
    assert!(unknown.to_string().contains("no run \"nothing\" was recorded"), "{unknown}");
}
