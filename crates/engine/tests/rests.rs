//! BY-09 through the engine: an agent that may not work yet is asked again when the time has come, by whoever drives.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test ends where it fails")]

mod puppets;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use engine::agent::{Brief, Ending};
use engine::{Drove, Interrupt, Notice};
use puppets::{Project, Puppet, carry_through, drive, propose};

fn is_first_task(brief: &Brief) -> bool {
    brief.item_id() == Some("T05")
}

fn not_now(seconds: u64) -> Ending {
    Ending::Later { seconds, reason: "rate limit of X".into() }
}

/// A puppet that may not work on the first task so many times.
fn limited(times: usize, seconds: u64) -> (Puppet, Arc<AtomicUsize>) {
    let asked = Arc::new(AtomicUsize::new(0));
    let counted = asked.clone();
    let puppet = Puppet::with(move |brief| {
        let is_early = is_first_task(brief) && counted.fetch_add(1, Ordering::SeqCst) < times;
        is_early.then(|| not_now(seconds))
    });
    (puppet, asked)
}

/// BY-09: the process stays, goes on by itself, and what is left is what is left without a limit.
#[test]
fn a_run_that_is_put_off_goes_on_by_itself_and_ends_the_same() {
    let plain = Project::new();
    let mut service = plain.open(Puppet::default(), 4);
    let undisturbed = carry_through(&mut service);
    service.close().unwrap();

    let project = Project::new();
    let (puppet, asked) = limited(2, 1);
    let briefs = puppet.briefs.clone();
    let mut service = project.open(puppet, 4);
    let run = carry_through(&mut service);
    service.close().unwrap();
    assert_eq!(asked.load(Ordering::SeqCst), 3);
    let attempts: Vec<u32> =
        briefs.lock().unwrap().iter().filter(|brief| is_first_task(brief)).map(|brief| brief.attempt).collect();
    assert_eq!(attempts, [1, 1, 1], "what was put off counts as no attempt");
    assert_eq!(plain.left(&undisturbed), project.left(&run));
    let notices = project.notices.lock().unwrap();
    let rests = notices.iter().filter(
        |notice| matches!(notice, Notice::Resting { item, reason, .. } if item.as_deref() == Some("T05") && reason == "rate limit of X"),
    );
    assert_eq!(rests.count(), 2);
    assert_eq!(notices.iter().filter(|notice| matches!(notice, Notice::Woke { .. })).count(), 2);
}

/// BY-09: the time to wake is durable: it is shown, whoever looks, and whoever takes the run up waits for it.
#[test]
fn a_restart_keeps_the_time_and_everybody_sees_it() {
    let project = Project::new();
    let interrupt = Arc::new(Interrupt::new());
    let stops = interrupt.clone();
    let puppet = Puppet::with(move |brief| {
        is_first_task(brief).then(|| {
            stops.ask();
            not_now(3600)
        })
    });
    let mut service = project.open(puppet, 4);
    let run = propose(&mut service);
    service.answer(&run, engine::Verdict::Confirm, "a test").unwrap();
    assert_eq!(service.drive(std::slice::from_ref(&run), &interrupt).unwrap(), Drove::Interrupted);
    let until = service.view(&run).unwrap().resting[0].until.clone();
    service.close().unwrap();

    let mut service = project.open(Puppet::default(), 4);
    let view = service.view(&run).unwrap();
    assert_eq!(view.resting[0].until, until);
    assert_eq!(view.tasks, "T05", "it keeps its place");
    let shown = view.resting[0].in_words();
    assert_eq!(shown, format!("resting until {}: rate limit of X", engine::clock(&until)));
    for item in [None, Some("T05")] {
        let why = service.why(&run, item).unwrap();
        assert_eq!(why.state, "stopped", "{why:?}");
        assert!(why.what.contains(&format!("cannot go on before {}", engine::clock(&until))), "{why:?}");
        assert!(why.because[0].contains("rate limit of X"), "{why:?}");
    }
    // Whoever does not want to wait says so.
    service.send(&run, engine::Input::Pause { reason: "a new key".into() }).unwrap();
    service.send(&run, engine::Input::Resume).unwrap();
    drive(&mut service, &run);
    assert_eq!(service.view(&run).unwrap().status, "COMPLETED", "{}", project.told());
}
