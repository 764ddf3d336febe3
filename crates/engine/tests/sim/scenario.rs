//! What a user wants, and what they do about it: look where things stand, say the next thing, let it go on. After an
//! accident the same user opens the project again and looks; nothing but the project tells how far it was.

use std::path::PathBuf;
use std::sync::Arc;

use engine::{Budget, EngineError, Input, Interrupt, Notice, Role, RunView, Service, Settings, Verdict};
use sim::{Machine, SimFs};
use store::{Fs, Missing, Mode, ProjectPath};

use crate::log::SharedLog;
use crate::puppet::{ELABORATE, Puppet};

/// What is carried out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Scenario {
    /// One run with everything in it.
    Single,
    /// Two runs at once; one asks a question, one fails and is retried.
    Pair,
    /// One run whose requests are so long that the journal needs a checkpoint.
    Long,
    /// One run that uses up what it may use, twice, and is given more.
    Thrifty,
}

/// A run with everything in it.
pub(crate) const BOATS: &str = "Make an elaborate report of the boats";
const PAINT: &str = "Make a colourful report of the paint";
/// A run that fails, or is cancelled.
pub(crate) const PRICES: &str = "Make a report of the prices";
/// How long a long request is: the third of them makes a checkpoint due.
const LONG_BYTES: usize = 3_000_000;
/// How often the user thinks better of it.
const LONG_REQUESTS: usize = 3;
/// A run that is asked to mind what it uses.
const SPARING: &str = "Make a thrifty report of the boats";
/// What it may use at first, and what it is given each time it asks.
const FEW_TOKENS: u64 = 2500;
const WISH: &str = "rather shorter";

/// A machine with a project's inputs on its disk, durable.
pub(crate) fn machine_with_inputs() -> Machine {
    let machine = Machine::new(0);
    let person = machine.person();
    let inputs = [
        ("sales.md", "# Sales\n\nIn 2025 we sold 40 boats.\n"),
        ("costs.csv", "boat,1\npaint,2\n"),
        ("a/note.txt", "red\n"),
    ];
    for (name, content) in inputs {
        let path = ProjectPath::any(&format!("assets/{name}")).unwrap();
        person.save_in_place(&path, content.as_bytes(), 4096).unwrap();
        let fs = person.fs();
        fs.sync(&fs.open(&path, Mode::Read).unwrap()).unwrap();
        fs.sync_folder(path.parent().as_ref()).unwrap();
    }
    person.fs().sync_folder(Some(&ProjectPath::any("assets").unwrap())).unwrap();
    person.fs().sync_folder(None).unwrap();
    machine
}

/// Opens the project as a process of its own would.
pub(crate) fn open(fs: SimFs, log: &SharedLog) -> Result<Service<SimFs>, EngineError> {
    let mut settings = Settings::new(PathBuf::from("/nowhere"));
    settings.jobs = 3;
    let puppet = Arc::new(Puppet { log: log.clone() });
    settings.play(Role::Planner, puppet.clone());
    settings.play(Role::Executor, puppet);
    let log = log.clone();
    let listener = move |notice| match notice {
        Notice::Assigned { run, fence, .. } => drop(log.lock().started.insert((run, fence))),
        // The other process ended what this one was at.
        Notice::Problem { reason, .. } if reason.contains("is outdated") || reason.contains("is under way") => {}
        Notice::Problem { reason, .. } => log.lock().findings.push(format!("a problem was told of: {reason}")),
        _ => {}
    };
    Service::on(fs, settings, Missing::Create, Arc::new(listener))
}

/// Does the next thing that the user wants; false when there is nothing left.
pub(crate) fn go_on(scenario: Scenario, service: &mut Service<SimFs>, log: &SharedLog) -> Result<bool, EngineError> {
    let runs = service.all_runs();
    let of = |request: &str| runs.iter().filter(|run| run.request == request).cloned().collect::<Vec<RunView>>();
    let long = long_request(1);
    let wanted: &[&str] = match scenario {
        Scenario::Single => &[BOATS],
        Scenario::Pair => &[PAINT, PRICES],
        Scenario::Thrifty => &[SPARING],
        Scenario::Long if runs.is_empty() => &[&long],
        Scenario::Long => &[],
    };
    if let Some(request) = wanted.iter().find(|request| of(request).is_empty()) {
        let tokens = (scenario == Scenario::Thrifty).then_some(FEW_TOKENS);
        service.set_budget(Budget { tokens, ..Budget::default() });
        let begun = service.start(request, None)?;
        log.lock().begun.insert(begun.run);
        return Ok(true);
    }
    let prices = of(PRICES);
    log.lock().failing = prices.first().map(|run| run.run.clone());
    if let [failed] = prices.as_slice()
        && failed.status == "FAILED"
    {
        let begun = service.retry(&failed.run)?;
        log.lock().begun.insert(begun.run);
        return Ok(true);
    }
    if answer(service, log)? {
        return Ok(true);
    }
    let open: Vec<String> = service.open_runs().into_iter().map(|run| run.run).collect();
    if open.is_empty() {
        return Ok(false);
    }
    let before = service.all_runs();
    service.drive(&open, &Interrupt::new())?;
    if service.all_runs() == before && service.waiting().is_empty() {
        log.lock().findings.push(format!("nothing goes on: {before:#?}"));
        return Ok(false);
    }
    Ok(true)
}

fn long_opening(number: usize) -> String {
    format!("Make report number {number} of ")
}

fn long_request(number: usize) -> String {
    long_opening(number) + &"all the boats, ".repeat(LONG_BYTES / 15)
}

/// Answers the first thing that waits for the user.
pub(crate) fn answer(service: &mut Service<SimFs>, log: &SharedLog) -> Result<bool, EngineError> {
    let Some(waiting) = service.waiting().into_iter().find(|one| one.kind != "paused") else { return Ok(false) };
    let run = waiting.run;
    match waiting.kind {
        "confirmation" => {
            let draft = service.document(&format!("runs/{run}/feedback_for_user.md")).unwrap_or_default();
            let said = (1..LONG_REQUESTS).find(|number| draft.contains(&long_opening(*number)));
            let verdict = match (draft.contains(ELABORATE) && !draft.contains(WISH), said) {
                (true, _) => Verdict::Modify(WISH.into()),
                (false, Some(number)) => Verdict::NewRequest(long_request(number + 1)),
                (false, None) => Verdict::Confirm,
            };
            service.answer(&run, verdict, "a test")?;
        }
        "question" => service.send(&run, Input::Tell { fence: None, answer: "blue".into(), by: "a test".into() })?,
        // BY-08: what it used, and as much again as it had at first.
        "budget" => {
            let used = service.view(&run).and_then(|view| view.usage).map_or(0, |usage| usage.used.tokens);
            let answer = format!("{} tokens", used + FEW_TOKENS);
            service.send(&run, Input::Tell { fence: None, answer, by: "a test".into() })?;
        }
        other => panic!("{run}: nobody expected {other:?}: {}", waiting.text),
    }
    *log.lock().answered.entry(run).or_default() += 1;
    Ok(true)
}
