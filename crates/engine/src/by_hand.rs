//! Work that a person has: its brief, and what the person hands in. It goes the way of any agent's report, but what is
//! wrong with it is said to the person at once, and nothing is recorded.

use std::path::Path;

use agent::prompt::{Form, Tools};
use agent::{Brief, Ending, Report, Scratch};
use machine::{Attempt, Holder, Input, Outcome};
use store::Fs;

use crate::arrive::arrive;
use crate::brief;
use crate::calls::{self, Call};
use crate::fault::EngineError;
use crate::service::Service;
use crate::step::{Order, unknown_run};

/// What a person hands in: a report, the file that was asked for, or both.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HandedIn {
    /// A report of the agent contract, as it was written.
    pub report: Option<Vec<u8>>,
    /// The content of the one file that the work leaves.
    pub file: Option<Vec<u8>>,
}

impl<F: Fs> Service<F> {
    /// The brief of an attempt that is under way.
    pub fn brief_of(&mut self, run: &str, fence: u64) -> Option<Brief> {
        if self.engine.is_hosted(run) {
            return self.hosted_brief(run, fence);
        }
        let engine = &mut self.engine;
        let found = engine.state.runs.get(run)?.clone();
        let attempt = found.attempts.get(&fence)?;
        let state = &mut engine.state;
        let mut brief = brief::build(state, &engine.store, engine.hierarchy, &engine.settings, &found, attempt);
        // A person is told what to do, not in which form a program would answer.
        brief.prompt = engine.settings.prompts().render(&brief, Form::Report, Tools::None).user;
        Some(brief)
    }

    /// Takes a person's work. Without a fence it is for the only work that a person of this run has.
    pub fn hand_in(&mut self, run: &str, fence: Option<u64>, handed: HandedIn) -> Result<(), EngineError> {
        self.engine.look()?;
        if self.engine.is_hosted(run) {
            return self.hand_in_hosted(run, fence, handed);
        }
        let attempt = self.attempt_of_person(run, fence)?;
        let Some(brief) = self.brief_of(run, attempt.fence) else { return Err(unknown_run(run)) };
        let project = self.engine.settings.project.clone();
        let scratch = Scratch::make(&project, attempt.fence, &brief)
            .map_err(|fault| EngineError::refused(format!("cannot make a scratch folder: {fault}"), ""))?;
        let arrived = report_of(&brief, &scratch.workdir(), handed).map(|report| {
            let ending = Ending::Report { report, log: String::new() };
            let (project, fence, agent) = (project.as_path(), attempt.fence, "person".to_string());
            let (workdir, meter) = (scratch.workdir(), agent::Meter::default());
            let call = Call { project, workdir: &workdir, fence, agent, brief: &brief, ending: &ending, meter: &meter };
            calls::keep(&call);
            arrive(run, attempt.fence, &attempt.work, &brief, &scratch.workdir(), (ending, &agent::Meter::default()))
        });
        // What is left behind there is swept away by the next process.
        let _ = scratch.remove();
        let Some(arrived) = arrived? else { return Ok(()) };
        if let Outcome::Broken(problems) = arrived.outcome {
            return Err(refused_for(&problems));
        }
        let input = Input::Report { fence: arrived.fence, outcome: arrived.outcome };
        self.send_order(Order::To {
            run: run.into(),
            input,
            outputs: arrived.outputs,
            said: arrived.said,
            used: arrived.used,
            edited: None,
        })
    }

    fn attempt_of_person(&self, run: &str, fence: Option<u64>) -> Result<Attempt, EngineError> {
        let Some(found) = self.engine.run(run) else {
            let over = self.view(run).map(|view| view.status);
            return Err(over.map_or_else(
                || unknown_run(run),
                |status| {
                    EngineError::refused(
                        format!("{run} is {status} and cannot be changed again"),
                        "`multiverse inbox` shows what waits",
                    )
                },
            ));
        };
        let theirs: Vec<&Attempt> =
            found.attempts.values().filter(|attempt| attempt.holder == Holder::Person).collect();
        let numbers: Vec<String> = theirs.iter().map(|attempt| attempt.fence.to_string()).collect();
        let wanted = theirs.iter().filter(|attempt| fence.is_none_or(|fence| attempt.fence == fence));
        match wanted.collect::<Vec<_>>().as_slice() {
            [one] => Ok((**one).clone()),
            [] if theirs.is_empty() => Err(EngineError::refused(
                format!("no work of {run} waits for a person"),
                "`multiverse inbox` shows what does",
            )),
            [] => {
                let reason = format!("attempt {} of {run} is not a person's", fence.unwrap_or_default());
                Err(EngineError::refused(reason, format!("these are: --attempt {}", numbers.join(", "))))
            }
            _ => {
                let reason = format!("several pieces of work of {run} wait for a person");
                Err(EngineError::refused(reason, format!("say which: --attempt {}", numbers.join(", "))))
            }
        }
    }
}

pub(crate) fn report_of(brief: &Brief, folder: &Path, handed: HandedIn) -> Result<Report, EngineError> {
    if let Some(content) = handed.file {
        let [path] = brief.expects.outputs.as_slice() else {
            let reason = match brief.expects.outputs.as_slice() {
                [] => format!("this work ({}) leaves no file", brief.action),
                several => format!("this work leaves several files: {}", several.join(", ")),
            };
            return Err(EngineError::refused(
                reason,
                "hand in a report: --report FILE; `multiverse schema report` describes it",
            ));
        };
        let place = folder.join(path);
        let made = place.parent().map_or(Ok(()), std::fs::create_dir_all);
        made.and_then(|()| std::fs::write(&place, content))
            .map_err(|error| EngineError::refused(format!("cannot write {}: {error}", place.display()), ""))?;
    }
    match handed.report {
        Some(printed) => agent::check_report(brief, &printed).map_err(|problems| refused_for(&problems)),
        None => Ok(Report::done("")),
    }
}

pub(crate) fn refused_for(problems: &[String]) -> EngineError {
    let reason = format!("what was handed in is refused: {}", problems.join("; "));
    EngineError::refused(reason, "mend it and hand it in again; `multiverse schema report` describes a report")
}
