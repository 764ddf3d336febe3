//! BY-08 through the engine: what a run may use is told to agents, counted, and asked about when it is used up.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test ends where it fails")]

mod puppets;

use engine::agent::{Brief, Ending, Report, Usage};
use engine::{Budget, Input, Notice, Verdict};
use puppets::{Project, Puppet, drive, outputs, propose};

/// What each call of an executor uses.
const EACH: u64 = 400;

fn thirsty() -> Puppet {
    Puppet::with(|brief: &Brief| {
        let usage =
            Some(Usage { input_tokens: EACH - 100, output_tokens: 100, cached_tokens: 50, cost_usd: Some(0.002) });
        (brief.role == "executor").then(|| Ending::Report {
            report: Report { outputs: outputs(brief), usage, ..Report::done("as told") },
            log: String::new(),
        })
    })
}

/// BY-08: at the limit the run asks, the question survives a restart, a number raises it, and the run ends.
#[test]
fn a_run_asks_when_its_budget_is_used_up() {
    let project = Project::new();
    let puppet = thirsty();
    let briefs = puppet.briefs.clone();
    let mut service = project.open(puppet, 4);
    service.set_budget(Budget { tokens: Some(1200), ..Budget::default() });
    let run = propose(&mut service);
    service.answer(&run, Verdict::Confirm, "a test").unwrap();
    drive(&mut service, &run);
    let told: Vec<u64> = briefs.lock().unwrap().iter().map(|brief| brief.limits.tokens).collect();
    assert!(told.iter().all(|tokens| (1..=1200).contains(tokens)), "{told:?}");
    service.close().unwrap();

    let mut service = project.open(thirsty(), 4);
    let view = service.view(&run).unwrap();
    assert_eq!((view.status, view.state), ("PENDING", "waiting"), "{view:?}");
    assert_eq!(view.waits[0].kind, "budget");
    assert!(view.waits[0].text.starts_with("the budget of 1,200 tokens is used up: 1,200 tokens used"), "{view:?}");
    assert_eq!(view.usage.as_ref().unwrap().in_words(), "used 1,200 tokens of 1,200 tokens, $0.006");
    let why = service.why(&run, None).unwrap();
    assert_eq!(why.state, "budget", "{why:?}");
    drive(&mut service, &run);
    let tell = |answer: &str| Input::Tell { fence: None, answer: answer.into(), by: "a test".into() };
    let refused = service.send(&run, tell("a lot")).unwrap_err();
    assert!(refused.to_string().contains("is no budget"), "{refused}");
    service.send(&run, tell("20k")).unwrap();
    drive(&mut service, &run);
    assert_eq!(service.view(&run).unwrap().status, "COMPLETED", "{}", project.told());
    let story = service.story(&run).unwrap();
    let used = story.view.unwrap().usage.unwrap().used;
    let calls = story.events.iter().filter(|event| event.text.contains(": used 400 tokens, $0.002")).count() as u64;
    assert!(calls > 3, "{:#?}", story.events);
    assert_eq!((used.tokens, used.micro_dollars), (calls * EACH, calls * 2000));
    let messages = project.notices.lock().unwrap();
    let asked = |notice: &&Notice| matches!(notice, Notice::Message { kind: "question", text, .. } if text.contains("is used up"));
    assert!(messages.iter().find(asked).is_some());
}
