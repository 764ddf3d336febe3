//! A run carried on in this process: opened, driven until nothing can go on without a person, asked about at a terminal,
//! and its end told. What all commands share that begin or answer something.

mod wanted;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use engine::{Drove, EngineError, Input, RunView, Service, Settings, Verdict, Waiting};
use serde::Serialize;
use store::Missing;

use super::agents::Choice;
use super::ask::{self, Asked};
use super::exit::Exit;
use super::failure::{Failure, Kind};
use super::live::Live;
use super::output::{BAD, Form, GOOD, HINT, Output};
use super::progress::{Progress, Shown};
use super::project::{self, Left, Start};
use super::request::user;
use super::{signals, visible, workflow};

/// How a run is carried on.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct Driving {
    #[command(flatten)]
    pub(crate) choice: Choice,

    /// Confirm the proposal without asking; it is recorded who did so
    #[arg(long)]
    yes: bool,
}

/// What follows an answer.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct Afterwards {
    #[command(flatten)]
    pub(crate) driving: Driving,

    /// Only answer: `multiverse resume` carries the run on later
    #[arg(long)]
    no_run: bool,
}

/// A project, opened for a command.
pub(crate) struct Opened {
    pub(crate) service: Service,
    pub(crate) progress: Arc<Progress>,
    /// The view, while one is shown.
    live: Option<Live>,
    /// The project, if it began with this.
    begun: Option<PathBuf>,
    /// What a person does not want to answer now, by attempt or by the id of the question.
    put_off: BTreeSet<String>,
    /// What is asked at the terminal just now.
    open: Option<wanted::Open>,
    /// The agents that were said to work as before.
    told_agents: Option<String>,
}

/// How a run ended, or where it stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Outcome {
    run: String,
    status: String,
    /// What it waits for.
    waits: Vec<Waiting>,
    /// The files it left.
    outputs: Vec<String>,
    /// The digest of the last record.
    head: String,
    #[serde(skip)]
    end: End,
    /// Whether it is a session of a roadmap.
    #[serde(skip)]
    is_roadmap: bool,
    /// Whether it is of a protocol with a machine of its own.
    #[serde(skip)]
    is_hosted: bool,
}

/// Whether the view said already how a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Told {
    Not,
    InView,
}

/// Where a run stands when its process ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Done,
    Failed,
    Waits,
    /// It could go on.
    Open,
    /// Others go on with it, and there was nothing more for this process.
    WithOthers,
    /// Another process carries it on.
    Elsewhere,
}

impl Opened {
    /// Opens the project that a command is about, to look at it: nobody is kept waiting and nothing is changed. One that
    /// has no journal yet gets it.
    pub(crate) fn to_look(start: &Start, output: &mut Output, shown: Shown) -> Result<Self, Failure> {
        let project = start.project_of_runs()?;
        if !project.join(store::OWN).join("journal").is_dir() {
            return Self::to_tell(start, output, shown);
        }
        start.say_project(&project, output)?;
        project::local_files(&project)?;
        output.finish()?;
        let progress = Progress::new(output, shown);
        let service = Service::open_to_look(&Settings::new(project), &progress.listener())?;
        Ok(Self { service, progress, live: None, begun: None, put_off: BTreeSet::new(), open: None, told_agents: None })
    }

    /// Opens it to give a run a word.
    pub(crate) fn to_tell(start: &Start, output: &mut Output, shown: Shown) -> Result<Self, Failure> {
        let project = start.project_of_runs()?;
        start.say_project(&project, output)?;
        Self::with(Settings::new(project), missing_of, output, shown)
    }

    /// Opens it with agents, to carry something on.
    pub(crate) fn to_work(start: &Start, choice: &Choice, output: &mut Output) -> Result<Self, Failure> {
        let project = start.project_of_runs()?;
        start.say_project(&project, output)?;
        let settings = choice.settings(start, &project, None, output)?;
        Self::with(settings, missing_of, output, Shown::All)
    }

    /// The agents that were asked for when a run began work on it, unless others are asked for now; said in a line.
    pub(crate) fn recall(
        &mut self,
        run: &str,
        start: &Start,
        choice: &Choice,
        output: &mut Output,
    ) -> Result<(), Failure> {
        workflow::tell_changed(self, run, start, output)?;
        let roles = workflow::roles_of(self, run);
        choice.refuse_other_roles(&roles.iter().map(String::as_str).collect::<Vec<_>>())?;
        let kept = self.full_view(run).map(|view| view.asked).unwrap_or_default();
        let project = self.service.project().to_path_buf();
        let Some((casting, stays)) = choice.recalled(&kept, start, &project, output)? else {
            // Who works in a workflow its profile says.
            return if self.service.is_hosted(run) { Ok(()) } else { choice.say_who(&project, None, output) };
        };
        self.service.cast(run, casting);
        let words: Vec<String> = stays.iter().map(|one| visible::text(&one.agent)).collect();
        let agents = words.join(", ");
        // Several runs may have the same.
        if self.told_agents.as_ref() != Some(&agents) {
            output.say(&format!("with the agents it began with: {HINT}{agents}{HINT:#}"))?;
        }
        self.told_agents = Some(agents);
        Ok(())
    }

    /// Opens it with agents, to begin something; where there is no project, one begins.
    pub(crate) fn to_begin(start: &Start, choice: &Choice, output: &mut Output) -> Result<Self, Failure> {
        Self::to_begin_with(start, choice, &[], &|_| {}, output)
    }

    /// The same with other roles than the usual ones, and settings that the command line changes.
    pub(crate) fn to_begin_with(
        start: &Start,
        choice: &Choice,
        roles: &[&str],
        change: &dyn Fn(&mut Settings),
        output: &mut Output,
    ) -> Result<Self, Failure> {
        choice.refuse_other_roles(roles)?;
        let project = start.project_of_runs().unwrap_or_else(|_| start.project_or_new());
        start.say_project(&project, output)?;
        let found = choice.found(&project)?;
        let mut settings = choice.settings(start, &project, found.as_ref(), output)?;
        change(&mut settings);
        choice.say_who(&settings.project, found.as_ref(), output)?;
        Self::with(settings, |_| Missing::Create, output, Shown::All)
    }

    /// The same to begin a workflow: who works there the profile says.
    pub(crate) fn to_begin_workflow(start: &Start, choice: &Choice, output: &mut Output) -> Result<Self, Failure> {
        let project = start.project_of_runs().unwrap_or_else(|_| start.project_or_new());
        start.say_project(&project, output)?;
        let settings = choice.settings(start, &project, None, output)?;
        Self::with(settings, |_| Missing::Create, output, Shown::All)
    }

    pub(crate) fn with(
        settings: Settings,
        missing: fn(&Path) -> Missing,
        output: &mut Output,
        shown: Shown,
    ) -> Result<Self, Failure> {
        project::local_files(&settings.project)?;
        output.finish()?;
        let progress = Progress::new(output, shown);
        let missing = missing(&settings.project);
        let begun = Some(settings.project.clone()).filter(|project| !project.join(store::OWN).exists());
        let service = Service::open(settings, missing, progress.listener())?;
        Ok(Self { service, progress, live: None, begun, put_off: BTreeSet::new(), open: None, told_agents: None })
    }

    /// Which run is meant.
    pub(crate) fn run(&self, name: &str) -> Result<String, Failure> {
        self.service.find_run(name).map_err(|error| match self.service.stranded_workflow() {
            Some((run, _)) if name == "last" || run.starts_with(name) => {
                let run = visible::text(&run);
                let message = format!("{run} stands in agent_runtime/status.json, and the journal does not know it");
                Failure::new(Kind::Refused, message).hint("`multiverse resume` takes it up from there")
            }
            _ => error.into(),
        })
    }

    /// Everything in its place; how the project was left.
    pub(crate) fn close(self) -> Left {
        match self.service.close() {
            Ok(head) => Left { head: head.sum.to_string(), trouble: None },
            Err(error) => Left { head: String::new(), trouble: Some(error.into()) },
        }
    }

    /// The same for what is recorded nowhere: if the project began with it, it is none again.
    pub(crate) fn close_without_trace(mut self) -> Left {
        let begun = self.begun.take();
        let left = self.close();
        if let Some(project) = begun.filter(|_| left.trouble.is_none()) {
            project::forget_unused(&project);
        }
        left
    }

    /// Carries runs on and tells how they end.
    pub(crate) fn carry_on(mut self, runs: &[String], driving: &Driving, output: &mut Output) -> Result<Exit, Failure> {
        signals::listen(output)?;
        if runs.len() > 1 {
            self.progress.name_runs();
        }
        let views: Vec<RunView> = runs.iter().filter_map(|run| self.service.view(run)).collect();
        self.live = Live::begin(output, &views, LEAVING);
        let drove = self.drive(runs, driving, output);
        let is_told = self.live.is_some();
        if let Some(live) = self.live.take() {
            runs.iter().filter_map(|run| self.full_view(run)).for_each(|view| live.seed(&view));
            live.end();
        }
        let elsewhere = drove?;
        self.finish(runs, &elsewhere, if is_told { Told::InView } else { Told::Not }, output)
    }

    /// Drives until nothing is left to do or to ask; gives the runs that other processes drive.
    fn drive(&mut self, runs: &[String], driving: &Driving, output: &mut Output) -> Result<Vec<String>, Failure> {
        let (mut mine, mut elsewhere) = (Vec::new(), Vec::new());
        for run in runs {
            if !self.is_open(run) {
                continue;
            }
            match self.service.send(run, Input::Claim) {
                Ok(()) => mine.push(run.clone()),
                Err(error) => {
                    let driver = self.service.view(run).and_then(|view| view.driver).ok_or(error)?;
                    output.say(&format!("process {} carries {run} on", process(&driver)))?;
                    elsewhere.push(run.clone());
                }
            }
        }
        for _ in 0..ROUNDS {
            mine.retain(|run| self.is_open(run));
            if mine.is_empty() || self.drive_once(&mine, output)? == Drove::Interrupted {
                break;
            }
            if self.service.refresh()? {
                // Somebody answered while this process came to rest.
                continue;
            }
            let gates: Vec<String> = mine.iter().filter(|run| self.is_at_gate(run)).cloned().collect();
            let can_ask = can_ask(&mine, output);
            let is_answered = match gates.as_slice() {
                [] if can_ask => self.ask_for_words(&mine[0].clone(), output)?,
                [] => false,
                gates if driving.yes => {
                    for run in gates {
                        self.service.answer(run, Verdict::Confirm, &format!("by --yes, {}", user()))?;
                    }
                    true
                }
                [run] if can_ask => self.ask(run, output)?,
                _ => false,
            };
            if !is_answered {
                break;
            }
        }
        Ok(elsewhere)
    }

    /// Drives until nothing can go on without a person. Who can be asked here is asked as soon as somebody wants to know
    /// something, while the others work.
    fn drive_once(&mut self, mine: &[String], output: &mut Output) -> Result<Drove, Failure> {
        let [run] = mine else { return Ok(self.service.drive(mine, signals::interrupt())?) };
        if !can_ask(mine, output) {
            return Ok(self.service.drive(mine, signals::interrupt())?);
        }
        let Self { service, live, progress, put_off, open, .. } = self;
        let live = live.as_ref();
        let mut asking = wanted::WhileWorking { run, live, progress, put_off, open, output, trouble: None };
        let drove = service.drive_beside(mine, signals::interrupt(), &mut |service| asking.look(service))?;
        match asking.trouble {
            Some(failure) => Err(failure),
            None => Ok(drove),
        }
    }

    pub(crate) fn is_open(&self, run: &str) -> bool {
        self.service.view(run).is_some_and(|view| !matches!(view.status, "COMPLETED" | "FAILED"))
    }

    /// A run with its items, open or over.
    pub(crate) fn full_view(&self, run: &str) -> Option<RunView> {
        let view = self.service.view(run);
        if view.as_ref().is_some_and(|view| !view.items.is_empty()) {
            return view;
        }
        self.service.story(run).ok().and_then(|story| story.view).or(view)
    }

    fn is_at_gate(&self, run: &str) -> bool {
        self.service.view(run).is_some_and(|view| waits_for_confirmation(&view))
    }

    /// Asks for an answer to the proposal; says whether there is one now.
    fn ask(&mut self, run: &str, output: &mut Output) -> Result<bool, Failure> {
        let text = self.service.document(&format!("runs/{run}/feedback_for_user.md")).unwrap_or_default();
        let shown = self.progress.message("proposal", &text);
        if self.progress.show_proposal_once(run) {
            output.warn(&shown)?;
        }
        if let (Some(live), Some(view)) = (&self.live, self.service.view(run)) {
            live.seed(&view);
        }
        let asked = ask::proposal(&mut self.service, run, self.live.as_ref(), &shown, output)?;
        Ok(match asked {
            Asked::Answer(verdict) => match self.service.answer(run, verdict, &user()) {
                Ok(()) => true,
                Err(error @ EngineError::Refused { .. }) => {
                    output.failure(&error.into())?;
                    true
                }
                Err(error) => return Err(error.into()),
            },
            Asked::Elsewhere => {
                output.say("answered elsewhere")?;
                true
            }
            Asked::Later => false,
        })
    }

    /// Tells where runs stand, and leaves the project.
    pub(crate) fn finish(
        self,
        runs: &[String],
        elsewhere: &[String],
        told: Told,
        output: &mut Output,
    ) -> Result<Exit, Failure> {
        let mut outcomes: Vec<Outcome> = runs.iter().map(|run| self.outcome(run, elsewhere)).collect();
        let left = self.close();
        for outcome in &mut outcomes {
            outcome.head.clone_from(&left.head);
            match output.form() {
                Form::Json => output.json(outcome)?,
                Form::Text => outcome.show(told, output)?,
            }
        }
        left.show(output)?;
        let exits = outcomes.iter().map(|outcome| outcome.end.exit());
        let worst = exits.max_by_key(|exit| SEVERITY.iter().position(|other| other == exit));
        Ok(if left.trouble.is_some() { Exit::Error } else { worst.unwrap_or(Exit::NothingToDo) })
    }

    /// What was done to a run, said; and the project left.
    pub(crate) fn told(self, run: &str, words: &str, output: &mut Output) -> Result<Exit, Failure> {
        let outcome = self.outcome(run, &[]);
        let left = self.close();
        match output.form() {
            Form::Json => output.json(&outcome.with_head(&left.head))?,
            Form::Text => output.say(words)?,
        }
        left.show(output)?;
        Ok(if left.trouble.is_some() { Exit::Error } else { Exit::Done })
    }

    fn outcome(&self, run: &str, elsewhere: &[String]) -> Outcome {
        let view = self.service.view(run);
        let status = view.as_ref().map_or("", |view| view.status);
        let waits = view.as_ref().map_or_else(Vec::new, |view| view.waits.clone());
        let end = match status {
            "COMPLETED" => End::Done,
            "FAILED" => End::Failed,
            _ if elsewhere.iter().any(|other| other == run) => End::Elsewhere,
            _ if view.as_ref().is_some_and(is_with_others) => End::WithOthers,
            _ if !waits.is_empty() => End::Waits,
            _ => End::Open,
        };
        let outputs = match (&view, end) {
            (Some(view), End::Done) if view.protocol.is_some() => made(view),
            (_, End::Done) => self.service.outputs(run),
            _ => Vec::new(),
        };
        let is_hosted = view.as_ref().is_some_and(|view| view.protocol.is_some());
        let (run, status) = (run.into(), status.into());
        let is_roadmap = view.is_some_and(|view| view.protocol == Some("roadmap"));
        Outcome { run, status, waits, outputs, head: String::new(), end, is_roadmap, is_hosted }
    }
}

/// Whether executors of others are at work on a roadmap, or take part in it, and nobody's word is missing.
fn is_with_others(view: &RunView) -> bool {
    let is_paused = view.paused.is_some();
    let is_persons = view.attempts.iter().any(|attempt| attempt.holder == "a person");
    view.protocol == Some("roadmap") && !is_paused && !is_persons && !view.attempts.is_empty()
}

/// Whether a person can be asked here for what runs want.
fn can_ask(runs: &[String], output: &Output) -> bool {
    runs.len() == 1 && output.form() == Form::Text && ask::is_possible()
}

/// Of several ends, the last of these counts.
const SEVERITY: [Exit; 5] = [Exit::Done, Exit::NothingToDo, Exit::Waiting, Exit::Error, Exit::Failed];

/// What the foot of the view says.
const LEAVING: &str = "Ctrl-C stops here; nothing is lost, and `multiverse resume` goes on";

/// How often a proposal may be answered in one process.
const ROUNDS: usize = 10_000;

impl End {
    fn exit(self) -> Exit {
        match self {
            Self::Done | Self::Elsewhere => Exit::Done,
            Self::WithOthers => Exit::NothingToDo,
            Self::Failed => Exit::Failed,
            Self::Waits => Exit::Waiting,
            Self::Open => Exit::Error,
        }
    }
}

impl Outcome {
    fn with_head(self, head: &str) -> Self {
        Self { head: head.into(), ..self }
    }

    fn show(&self, told: Told, output: &mut Output) -> Result<(), Failure> {
        let run = visible::text(&self.run);
        match self.end {
            End::Done => {
                if told == Told::Not {
                    output.say(&format!("{GOOD}done{GOOD:#}: {run}"))?;
                }
                for path in &self.outputs {
                    output.data(&format!("{}\n", visible::text(path)))?;
                }
                if told == Told::InView {
                    output.say(&format!(
                        "{HINT}next{HINT:#}: `multiverse logs {run}` shows what happened\n      `multiverse catalog --run {run}` lists all that was made"
                    ))?;
                }
            }
            End::Failed if self.is_roadmap => {
                if told == Told::Not {
                    output.warn(&format!("{BAD}failed{BAD:#}: {run}"))?;
                }
                output.warn(&format!(
                    "{HINT}hint{HINT:#}: `multiverse roadmap status {run}` says what each item waits for; change the task or the log, and run it again"
                ))?;
            }
            End::Failed => {
                if told == Told::Not {
                    output.warn(&format!("{BAD}failed{BAD:#}: {run}"))?;
                }
                // Only runs of levels can be taken up again: those of other protocols begin anew.
                let retry = format!("`multiverse retry {run}` goes on in a new run\n      ");
                let retry = if self.is_hosted { "" } else { retry.as_str() };
                output.warn(&format!("{HINT}hint{HINT:#}: {retry}`multiverse explain {run}` says why"))?;
            }
            End::Waits => {
                output.say(&format!("{HINT}waits for you{HINT:#}: {run}"))?;
                for waiting in &self.waits {
                    output.say(&waiting_lines(waiting))?;
                }
            }
            End::Open => {
                output.warn(&format!("{HINT}not finished{HINT:#}: `multiverse resume {run}` goes on with it"))?;
            }
            End::WithOthers => {
                output.say(&format!("{HINT}nothing to do now{HINT:#}: others go on with {run}"))?;
            }
            End::Elsewhere => {}
        }
        Ok(())
    }
}

impl Afterwards {
    /// Opens the project, with agents if the run is to be carried on.
    fn open(&self, start: &Start, output: &mut Output) -> Result<Opened, Failure> {
        match self.no_run {
            true => Opened::to_tell(start, output, Shown::All),
            false => Opened::to_work(start, &self.driving.choice, output),
        }
    }

    /// Opens the project and finds the run that is meant, with the agents that it keeps.
    pub(crate) fn open_run(&self, start: &Start, name: &str, output: &mut Output) -> Result<(Opened, String), Failure> {
        let mut opened = self.open(start, output)?;
        let run = opened.run(name)?;
        if !self.no_run && opened.is_open(&run) {
            opened.recall(&run, start, &self.driving.choice, output)?;
        }
        Ok((opened, run))
    }

    /// Carries the run on, or leaves it to others.
    pub(crate) fn follow(&self, opened: Opened, run: String, output: &mut Output) -> Result<Exit, Failure> {
        if !self.no_run {
            return opened.carry_on(&[run], &self.driving, output);
        }
        let words = format!("recorded; `multiverse resume {run}` carries it on");
        opened.told(&run, &words, output)
    }
}

/// The files that the items of a run left.
fn made(view: &RunView) -> Vec<String> {
    let outputs = view.items.iter().map(|item| item.output.clone()).filter(|output| !output.is_empty());
    outputs.collect::<BTreeSet<_>>().into_iter().collect()
}

/// What waits for a person, with the commands that answer it.
pub(crate) fn waiting_lines(waiting: &Waiting) -> String {
    let mut lines = vec![format!("  {}", visible::lines(&waiting.text).replace('\n', "\n  "))];
    lines.extend(waiting.commands.iter().map(|command| format!("    {HINT}{}{HINT:#}", visible::text(command))));
    lines.join("\n")
}

pub(crate) fn waits_for_confirmation(view: &RunView) -> bool {
    view.waits.iter().any(|waiting| waiting.kind == "confirmation")
}

/// The number of a process in the name of its opening.
pub(crate) fn process(opening: &str) -> &str {
    opening.split('.').next().unwrap_or_default()
}

pub(crate) fn missing_of(project: &Path) -> Missing {
    // A clone has its documents and not what is the program's own.
    if project.join(store::OWN).is_dir() { Missing::Refuse } else { Missing::Create }
}
