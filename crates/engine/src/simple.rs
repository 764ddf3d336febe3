//! A simple task (MV-03): one brief, one report, nothing in the tables. And a rehearsal: what would be proposed,
//! without a run.

use std::sync::Arc;
use std::sync::mpsc::RecvTimeoutError;
use std::time::Duration;

use agent::{Backend, Brief, Ending, Job, Meter, Report, ReportStatus, Scratch};
use dialect::Protocol;
use machine::{Attempt, Holder, Mode, Role, Target, Work};
use serde_json::json;
use store::Fs;
use tools::Stop;

use crate::arrive::arrive;
use crate::brief;
use crate::engine::named_run;
use crate::fault::EngineError;
use crate::interrupt::Interrupt;
use crate::mode::Chosen;
use crate::notice::Notice;
use crate::readable::readable_inputs;
use crate::service::{Service, check_request};

/// What a simple task came to.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// What the agent says.
    pub text: String,
    /// Who said it.
    pub agent: String,
    /// The whole report.
    pub report: Report,
}

/// What would be proposed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rehearsal {
    /// The mode and its reason.
    pub chosen: Chosen,
    /// The proposal as the user would see it.
    pub proposal: String,
}

impl<F: Fs> Service<F> {
    /// Has a request done at once, by the Executor; nothing is recorded.
    pub fn simple_task(&mut self, request: &str, interrupt: &Interrupt) -> Result<Answer, EngineError> {
        check_request(request)?;
        let backend = self.player(Role::Executor)?;
        let mut brief = Brief::new("do", self.engine.hierarchy.protocol, "executor", "execute");
        brief.context = json!({"request": request, "mode": Mode::SimpleTask});
        brief.prompt = request.into();
        brief.limits.seconds = self.engine.settings.seconds;
        brief.files = crate::inputs::names(self.engine.store.fs(), self.engine.protocol())
            .into_iter()
            .filter(|(path, _)| path != self.engine.protocol().procedures.path)
            .map(|(path, asset_type)| agent::BriefFile {
                why: if asset_type == "GUIDELINE_DOC" { "guideline".into() } else { "input".into() },
                path,
                access: agent::Access::Read,
            })
            .collect();
        let name = backend.name();
        match self.ask(&*backend, brief, interrupt)? {
            (Ending::Report { report, .. }, _) if report.status == ReportStatus::Done => {
                Ok(Answer { text: text_of(&report), agent: name, report })
            }
            (Ending::Report { report, .. }, _) if report.status == ReportStatus::Question => {
                let question = report.question.unwrap_or_default();
                let hint = "a simple task cannot wait for an answer: begin a run instead (`multiverse run`), say it in the \
                            request, or grant what is asked for";
                Err(EngineError::refused(format!("{name} asks: {question}"), hint))
            }
            (Ending::Report { report, .. }, _) => {
                let error = report.error.unwrap_or(report.summary);
                Err(EngineError::refused(format!("{name} did not do it: {error}"), ""))
            }
            (other, _) => Err(EngineError::refused(format!("{name} did not do it: {}", words(&other)), "")),
        }
    }

    /// What would be proposed for a request; nothing is recorded.
    pub fn rehearse(&mut self, request: &str, interrupt: &Interrupt) -> Result<Rehearsal, EngineError> {
        check_request(request)?;
        let chosen = self.mode_of(request);
        let backend = self.player(Role::Planner)?;
        let mut run = named_run("run-rehearsal", self.engine.hierarchy);
        run.request = request.into();
        run.mode = chosen.mode;
        if chosen.mode == machine::Mode::ContinuousRun {
            run.learned = self.engine.past_like(request);
        }
        let work = Work::Plan(Target::Proposal);
        let attempt = Attempt {
            fence: 0,
            work: work.clone(),
            number: 1,
            holder: Holder::Person,
            since: String::new(),
            problems: Vec::new(),
            answers: Vec::new(),
            reserved: machine::Used::default(),
        };
        let engine = &mut self.engine;
        let brief = brief::build(&mut engine.state, &engine.store, engine.hierarchy, &engine.settings, &run, &attempt);
        let name = backend.name();
        let (ending, brief) = self.ask(&*backend, brief, interrupt)?;
        let arrived = arrive(&run.id, 0, &work, &brief, std::path::Path::new(""), (ending, &Meter::default()));
        match arrived.map(|arrived| arrived.outcome) {
            Some(machine::Outcome::Proposal(proposal)) => {
                let earlier = self.engine.read(self.engine.protocol().instructions.path);
                let earlier = earlier.map(|text| self.engine.protocol().active_instructions(text));
                let earlier = earlier.unwrap_or_default();
                let content =
                    |id: &str| earlier.iter().find(|row| row.instruction_id == id).map(|row| row.content.clone());
                let proposal = Protocol::feedback_text(&run, &proposal, &mut { content });
                self.engine.state.told.remove(&run.id);
                Ok(Rehearsal { chosen, proposal })
            }
            other => {
                let reason = format!("{name} drafted no proposal: {}", instead(other.as_ref()));
                Err(EngineError::refused(reason, "look at the agent, or use another: --agent planner=KIND"))
            }
        }
    }

    fn player(&self, role: Role) -> Result<Arc<dyn Backend>, EngineError> {
        self.engine.settings.casting.crew.get(&role).cloned().ok_or_else(|| {
            let reason = format!("the {} is a person here", brief::role_word(role));
            EngineError::refused(reason, "give the role to an agent: --agent KIND")
        })
    }

    fn ask(
        &self,
        backend: &dyn Backend,
        mut brief: Brief,
        interrupt: &Interrupt,
    ) -> Result<(Ending, Brief), EngineError> {
        if backend.pace() == agent::Pace::Slow {
            brief::put_into_words(&mut brief, &self.engine.settings.prompts());
        }
        let project = self.engine.settings.project.clone();
        let unique = u64::from(std::process::id());
        let scratch = Scratch::make(&project, unique, &brief)
            .map_err(|error| EngineError::refused(format!("cannot make a scratch folder: {error}"), ""))?;
        brief.workdir = scratch.workdir().display().to_string();
        let readable = readable_inputs(&project, &brief);
        let job = Job { brief, project, workdir: scratch.workdir(), readable, meter: Meter::default() };
        let listener = self.engine.listener.clone();
        let say = |line: &str| listener(Notice::Progress { run: "do".into(), fence: 0, line: line.into() });
        let ending = until_interrupted(interrupt, |stop| backend.work(&job, stop, &say));
        let _ = scratch.remove();
        // The folder above it is nobody's: it goes if nothing else is in it.
        let _ = job.workdir.parent().map(std::fs::remove_dir);
        Ok((ending, job.brief))
    }
}

/// How often it is looked whether somebody wants it to end.
const LOOK: Duration = Duration::from_millis(50);

/// Has an agent work; whoever interrupts ends it, a second time at once.
fn until_interrupted<T>(interrupt: &Interrupt, work: impl FnOnce(&Stop) -> T) -> T {
    let stop = Stop::new();
    let (done, is_done) = std::sync::mpsc::channel::<()>();
    std::thread::scope(|scope| {
        let told = &stop;
        scope.spawn(move || {
            while let Err(RecvTimeoutError::Timeout) = is_done.recv_timeout(LOOK) {
                match interrupt.asked() {
                    0 => {}
                    1 => told.stop(),
                    _ => told.end_now(),
                }
            }
        });
        let worked = work(&stop);
        drop(done);
        worked
    })
}

/// What a report says to a person.
fn text_of(report: &Report) -> String {
    let contents: Vec<&str> = report.outputs.iter().filter_map(|output| output.content.as_deref()).collect();
    if !contents.is_empty() {
        return contents.join("\n");
    }
    match &report.result {
        serde_json::Value::String(text) => text.clone(),
        serde_json::Value::Null => report.summary.clone(),
        value => match value.get("message").or_else(|| value.get("answer")).and_then(|text| text.as_str()) {
            Some(text) => text.into(),
            None => serde_json::to_string_pretty(value).unwrap_or_default(),
        },
    }
}

fn words(ending: &Ending) -> String {
    match ending {
        Ending::Broken { problems, .. } => problems.join("; "),
        Ending::Failed { error, .. } => error.clone(),
        Ending::Later { seconds, reason } => format!("not now ({reason}); try again in {seconds} s"),
        Ending::Waiting => "it waits for a person".into(),
        Ending::Stopped => "it was stopped; nothing was changed".into(),
        Ending::Report { .. } => String::new(),
    }
}

/// What came where a proposal was asked for.
fn instead(outcome: Option<&machine::Outcome>) -> String {
    use machine::Outcome::{Broken, Catalog, Done, Failed, Later, Lost, Paused, Plan, Proposal, Question};
    match outcome {
        Some(Broken(problems)) => problems.join("; "),
        Some(Failed(reason) | Lost(reason) | Paused(reason)) => reason.clone(),
        Some(Later { seconds, reason }) => format!("not now ({reason}); try again in {seconds} s"),
        Some(Question(question)) => format!("it asks: {question}"),
        Some(Plan(_) | Proposal(_) | Done { .. } | Catalog { .. }) => "it did something else".into(),
        None => "it was stopped; nothing was changed".into(),
    }
}
