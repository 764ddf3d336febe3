//! Two processes in one project: one drives, the other comes and goes with a user's commands. The seed says who is when
//! at which call, what the user fancies, and who is stopped on the way.

use engine::{EngineError, Input, Interrupt, Mode, Service};
use sim::{LossMode, Machine, Moment, Outcome, Program, Random, SimFs, Stop, Victim};
use std::time::Duration;
use store::Fs;

use crate::examine::examine_end;
use crate::history::{base, undisturbed_documents};
use crate::log::SharedLog;
use crate::scenario::{self, BOATS, PRICES, Scenario, answer};
use crate::tables::{cell, left, rows};

/// More turns than this mean that nothing goes on.
const TURNS: usize = 400;

/// Whether somebody may be stopped in a round: then whoever is left need not see the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Round {
    Disturbed,
    Last,
}

/// One history.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Duet {
    pub seed: u64,
    /// How often somebody is stopped.
    pub accidents: usize,
}

impl Duet {
    /// Carries it out; gives how many stops there were.
    ///
    /// # Panics
    /// When anything that was promised is not so.
    pub(crate) fn check(&self) -> u64 {
        let machine = base().fork(self.seed);
        let mut random = Random::new(self.seed);
        machine.switch_one_in([2, 6, 30][random.below(3)]);
        let log = SharedLog::default();
        let mut stops = 0;
        for number in 0..=self.accidents {
            let mut loss = None;
            let round = if number < self.accidents { Round::Disturbed } else { Round::Last };
            if round == Round::Disturbed {
                let within = if random.one_in(3) { 60 } else { 900 };
                let moment = Moment::Change(machine.changes() + 1 + random.below(within) as u64);
                let victim = [Victim::Process(0), Victim::Process(1), Victim::Machine][random.below(3)];
                machine.stop_at(moment, Stop::ALL[random.below(3)], victim);
                loss = (victim == Victim::Machine && random.one_in(2)).then(|| LossMode::ALL[random.below(4)]);
            }
            let seed = random.number();
            let stopped = carry_on(&machine, &log, seed, round);
            machine.mend();
            stops += stopped;
            if let Some(mode) = loss.filter(|_| stopped > 0) {
                machine.power_loss(mode);
            }
        }
        examine_end(&machine, &log);
        self.compare(&machine, &log);
        let found = std::mem::take(&mut log.lock().findings);
        assert!(found.is_empty(), "keep this in kept.rs: {self:?}\n{found:#?}");
        stops
    }

    /// The run that was not cancelled left what it leaves when it is alone; the other one is over.
    fn compare(&self, machine: &Machine, log: &SharedLog) {
        let files = machine.files();
        let mut found = Vec::new();
        for row in rows(&files, "db/process_runs.md") {
            let wanted = if cell(&row, "user_request") == BOATS { "COMPLETED" } else { "FAILED" };
            if cell(&row, "status") != wanted {
                found.push(format!("{row:?} should be {wanted}"));
            }
        }
        let documents = left(&files);
        let own = |path: &str| path.starts_with("runs/RUN-0/") || path.starts_with("outputs/RUN-0/");
        for (path, content) in undisturbed_documents(Scenario::Single).iter().filter(|(path, _)| own(path)) {
            if documents.get(path) != Some(content) {
                found.push(format!("{path} is not what it is when nothing goes wrong"));
            }
        }
        log.lock().findings.extend(found);
    }
}

/// Both at once; gives how many were stopped.
fn carry_on(machine: &Machine, log: &SharedLog, seed: u64, round: Round) -> u64 {
    let programs: Vec<Program<'_, Result<(), EngineError>>> = vec![
        Box::new(move |fs| drive(&fs, log, round)),
        Box::new(move |fs| command(&fs, log, &mut Random::new(seed), round)),
    ];
    let mut stops = 0;
    for outcome in machine.run(programs) {
        match outcome {
            Outcome::Killed => stops += 1,
            Outcome::Finished(Ok(())) => {}
            Outcome::Finished(Err(error)) => log.lock().findings.push(format!("it ended with an error: {error}")),
            Outcome::Panicked(message) => log.lock().findings.push(message),
        }
    }
    stops
}

/// Begins both runs, and drives whatever can go on, until both are over.
fn drive(fs: &SimFs, log: &SharedLog, round: Round) -> Result<(), EngineError> {
    let mut service = scenario::open(fs.clone(), log)?;
    for _ in 0..TURNS {
        let runs = service.all_runs();
        match [BOATS, PRICES].iter().find(|request| runs.iter().all(|run| run.request != **request)) {
            Some(request) => {
                let begun = service.start(request, Some(Mode::ContinuousRun))?;
                log.lock().begun.insert(begun.run);
            }
            None if service.open_runs().is_empty() => return service.close().map(|_| ()),
            None => {
                let open: Vec<String> = service.open_runs().into_iter().map(|run| run.run).collect();
                tolerate(service.drive(&open, &Interrupt::new()))?;
            }
        }
        fs.pause(Duration::from_millis(20));
    }
    if round == Round::Last {
        log.lock().findings.push(format!("the runs never end: {:?}", service.waiting()));
    }
    Ok(())
}

/// A user's commands, each a process of its own as far as anyone can see, until there is nothing more to say.
fn command(fs: &SimFs, log: &SharedLog, random: &mut Random, round: Round) -> Result<(), EngineError> {
    for _ in 0..TURNS {
        fs.pause(Duration::from_millis(1 + random.below(60) as u64));
        let mut service = scenario::open(fs.clone(), log)?;
        let over = |request: &str| {
            let runs = service.all_runs();
            runs.iter().any(|run| run.request == request && matches!(run.status, "COMPLETED" | "FAILED"))
        };
        let is_over = over(BOATS) && over(PRICES);
        if !is_over {
            tolerate(say_something(&mut service, log, random))?;
        }
        service.close()?;
        if is_over {
            return Ok(());
        }
    }
    if round == Round::Last {
        log.lock().findings.push("the user never saw the runs end".into());
    }
    Ok(())
}

/// Goes on with what is paused, answers what waits, or fancies something.
fn say_something(service: &mut Service<SimFs>, log: &SharedLog, random: &mut Random) -> Result<(), EngineError> {
    if let Some(paused) = service.waiting().into_iter().find(|one| one.kind == "paused") {
        return service.send(&paused.run, Input::Resume);
    }
    let open = service.open_runs();
    let Some(run) = random.pick(&open) else { return Ok(()) };
    match (random.below(4), run.request.as_str()) {
        (0, _) => service.send(&run.run, Input::Pause { reason: "a whim".into() }),
        (1, PRICES) => service.send(&run.run, Input::Cancel { by: "a test".into() }),
        _ if service.waiting().iter().any(|one| one.run == run.run) && run.request == BOATS => {
            answer(service, log).map(|_| ())
        }
        _ => Ok(()),
    }
}

/// What the other process did meanwhile may stand in the way: a person reads it and tries again.
fn tolerate<T>(result: Result<T, EngineError>) -> Result<(), EngineError> {
    match result {
        Ok(_) | Err(EngineError::Refused { .. }) => Ok(()),
        Err(error) => Err(error),
    }
}
