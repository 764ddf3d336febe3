//! What every interface asks of the engine, in its own words: begin, answer, pause, go on, show. One file and one
//! façade, so that the terminal, the web page and other programs can do the same things.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::Path;

use dialect::RunIds;
use machine::{Input, Mode, Verdict};
use store::{Commit, CommitError, Fs, Head, Missing, ProjectPath, RealFs, What};

use crate::crew::{Crew, Listener};
use crate::engine::Engine;
use crate::fault::EngineError;
use crate::hosted::Deed;
use crate::mode::{Chosen, Earlier, choose};
use crate::settings::{Casting, Settings};
use crate::step::Order;
use crate::views::{CatalogView, Driver, RunView, Waiting, run_view, waits};
use crate::watch::Watch;

/// The longest request, in bytes.
const REQUEST_BYTES: usize = 4 * 1024 * 1024;
/// How often somebody who looks tries again while others write.
const LOOKS: usize = 5;
/// The most runs that begin in one second.
const RUNS_A_SECOND: u32 = 100_000;

/// A project, its runs and its agents.
pub struct Service<F: Fs = RealFs> {
    pub(crate) engine: Engine<F>,
    pub(crate) crew: Crew,
    pub(crate) queue: VecDeque<Order>,
    /// Reports that wait for a document to be mended, by run.
    pub(crate) held: BTreeMap<String, Vec<Order>>,
    /// Briefs that were made before they are due: by run and attempt.
    pub(crate) prepared: VecDeque<(String, u64, agent::Brief)>,
    /// The same of hosted runs: what is to be done, by run and attempt.
    pub(crate) deeds: Vec<(String, u64, Deed)>,
    pub(crate) messengers: Vec<std::thread::JoinHandle<()>>,
    /// News of files, once somebody waited; nothing where there is none to be had.
    pub(crate) watch: Option<Watch>,
    /// Whether it was tried to get them.
    pub(crate) watched: bool,
    /// Whether what dead processes left was removed.
    pub(crate) swept: bool,
    /// Runs that this process carries on together with others.
    pub(crate) joined: BTreeSet<String>,
    /// When it was last looked who of those still goes on.
    pub(crate) members_seen: Option<std::time::Instant>,
    /// The newest run that was begun here: the beginning of its id, and its number.
    begun: Option<(String, u32)>,
}

impl<F: Fs> std::fmt::Debug for Service<F> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Service").field("engine", &self.engine).finish_non_exhaustive()
    }
}

/// A run that has begun.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Begun {
    /// Its id.
    pub run: String,
    /// How it is carried out, and why.
    pub chosen: Chosen,
}

impl Service {
    /// Opens a project.
    pub fn open(settings: Settings, missing: Missing, listener: Listener) -> Result<Self, EngineError> {
        let fs = RealFs::open(&settings.project)?;
        Self::on(fs, settings, missing, listener)
    }
}

impl Service {
    /// Opens a project to look at it: nobody who works in it is kept waiting, and nothing is changed. What people edited
    /// and nobody has taken over is not seen.
    pub fn open_to_look(settings: &Settings, listener: &Listener) -> Result<Self, EngineError> {
        let look = || {
            let fs = RealFs::open_to_look(&settings.project)?;
            Engine::open_to_look(fs, settings.clone(), listener.clone())
        };
        // Somebody may write a checkpoint just then.
        let is_torn = |engine: &Result<_, EngineError>| matches!(engine, Err(EngineError::Fault(fault)) if fault.kind == store::FaultKind::Damaged);
        let mut engine = look();
        for _ in 0..LOOKS {
            if is_torn(&engine) {
                engine = look();
            }
        }
        let crew = Crew::new(settings.project.clone(), listener.clone());
        engine.map(|engine| Self::of(engine, crew))
    }
}

impl<F: Fs> Service<F> {
    /// Opens a project on any world; agents that need a folder of their own need the real one.
    pub fn on(fs: F, settings: Settings, missing: Missing, listener: Listener) -> Result<Self, EngineError> {
        let crew = Crew::new(settings.project.clone(), listener.clone());
        let engine = Engine::open(fs, missing, settings, listener)?;
        Ok(Self::of(engine, crew))
    }

    fn of(engine: Engine<F>, crew: Crew) -> Self {
        let (queue, held, messengers) = (VecDeque::new(), BTreeMap::new(), Vec::new());
        let prepared = VecDeque::new();
        Self {
            engine,
            crew,
            queue,
            held,
            prepared,
            deeds: Vec::new(),
            messengers,
            watch: None,
            watched: false,
            swept: false,
            joined: BTreeSet::new(),
            members_seen: None,
            begun: None,
        }
    }

    /// Makes what a project needs and does not have (MV-01); gives the documents that were made.
    pub fn init(&mut self) -> Result<Vec<String>, EngineError> {
        loop {
            let head = self.engine.store.head();
            match self.make_project() {
                // Another process made it at the same moment: then there is less to make.
                Err(EngineError::Commit(CommitError::Exists(_) | CommitError::Conflict { .. }))
                    if self.engine.store.head() != head =>
                {
                    self.engine.follow()?;
                }
                made => return made,
            }
        }
    }

    fn make_project(&mut self) -> Result<Vec<String>, EngineError> {
        for folder in self.engine.protocol().folders {
            let path = ProjectPath::any(folder).map_err(|refusal| EngineError::refused(refusal.to_string(), ""))?;
            self.engine.store.fs().make_folder(&path)?;
        }
        let (mut made, mut there, mut changes) = (Vec::new(), Vec::new(), Vec::new());
        for (path, content) in self.engine.protocol().initial_documents() {
            // The seed's own spelling of a document is kept.
            let path = match self.engine.protocol().also(path) {
                Some(also) if self.engine.content_of(also).is_some() => also,
                _ => path,
            };
            let path = ProjectPath::document(path).map_err(|refusal| EngineError::refused(refusal.to_string(), ""))?;
            if self.engine.store.read(&path).is_some() {
                continue;
            }
            match self.engine.store.fs().look(&path)? {
                Some(_) => there.push(path),
                None => {
                    made.push(path.to_string());
                    changes.push((path, What::Create(content.into())));
                }
            }
        }
        if there.is_empty() && changes.is_empty() {
            return Ok(made);
        }
        if !there.is_empty() {
            self.engine.store.adopt(&there)?;
        }
        if !changes.is_empty() {
            let base = self.engine.store.head().number;
            self.engine.store.commit(Commit::new("project made", base, changes))?;
        }
        self.engine.settle_head()?;
        Ok(made)
    }

    /// The folder that people put their material into.
    pub fn input_folder(&self) -> &'static str {
        self.engine.protocol().inputs.first().map_or("", |input| input.folder)
    }

    /// Which way a bare request would go.
    pub fn mode_of(&mut self, request: &str) -> Chosen {
        choose(request, self.earlier())
    }

    fn earlier(&mut self) -> Earlier {
        let runs = self.engine.protocol().runs.path;
        let Some(text) = self.engine.read(runs).cloned() else { return Earlier::None };
        match self.engine.state.sheets.sheet(runs, &text).is_ok_and(|sheet| sheet.row_count() > 0) {
            true => Earlier::Some,
            false => Earlier::None,
        }
    }

    /// Begins a run. It is not driven yet beyond its first commit: [`Service::drive`] does that.
    pub fn start(&mut self, request: &str, mode: Option<Mode>) -> Result<Begun, EngineError> {
        check_request(request)?;
        self.engine.settle_now_and_then()?;
        self.init()?;
        let definition = self.check_definition()?;
        let mut chosen = self.mode_of(request);
        if let Some(mode) = mode {
            chosen = Chosen { mode, reason: "as told".into() };
        } else if chosen.mode == Mode::SimpleTask {
            // Whoever asks for a run gets one.
            let mode = if self.earlier() == Earlier::None { Mode::InitialRun } else { Mode::ContinuousRun };
            chosen = Chosen { mode, reason: "a run was asked for".into() };
        }
        let request = request.to_string();
        let mode = chosen.mode;
        let run =
            self.begin(|id| Order::Start { id, request: request.clone(), mode, definition: definition.clone() })?;
        Ok(Begun { run, chosen })
    }

    /// What runs that begin from here on may use (BY-08).
    pub fn set_budget(&mut self, budget: machine::Budget) {
        self.engine.settings.budget = budget;
    }

    /// Commits the first step of a new run under the first id that is free.
    pub(crate) fn begin(&mut self, order: impl Fn(String) -> Order) -> Result<String, EngineError> {
        let wall = self.engine.store.fs().now().wall;
        let time = jiff::Timestamp::from_nanosecond(wall).unwrap_or_default().to_zoned(jiff::tz::TimeZone::UTC);
        let numbering = self.engine.protocol().run_ids;
        let stem = match numbering {
            RunIds::Dated => time.strftime("run-%Y%m%d-%H%M%S-").to_string(),
            RunIds::Numbered => "run-".into(),
        };
        // Whoever begins many runs does not ask for all those before, each time.
        let first = match (&self.begun, numbering) {
            (Some((known, number)), _) if *known == stem => number + 1,
            (_, RunIds::Dated) => 1,
            (_, RunIds::Numbered) => self.highest_run().saturating_add(1),
        };
        for number in first..RUNS_A_SECOND {
            let id = format!("{stem}{number:03}");
            if self.engine.knows_run(&id) {
                continue;
            }
            let order = order(id.clone());
            if let Order::Retry { legacy, .. } = &order {
                // Who was to play in the run that failed plays in this one.
                self.engine.settings.cast_alike(&legacy.old.id, &id);
            }
            let mut taken = self.engine.take(vec![order])?;
            let Some((_, result)) = taken.pop() else { break };
            match result {
                // Another process was faster.
                Err(EngineError::Refused { .. }) if self.engine.knows_run(&id) => {}
                Err(error) => return Err(error),
                Ok(taken) => {
                    self.perform(taken);
                    self.begun = Some((stem, number));
                    self.engine.store.place_in_passing()?;
                    return Ok(id);
                }
            }
        }
        Err(EngineError::refused("too many runs began in this second", "try again"))
    }

    /// The highest number that a run has.
    fn highest_run(&self) -> u32 {
        let ids = self.engine.run_ids();
        ids.iter().filter_map(|id| id.strip_prefix("run-")?.parse().ok()).max().unwrap_or(0)
    }

    /// The workflow's definition must be the one that the protocol fixes (MV-14), or one that can be followed (LN-13).
    pub(crate) fn check_definition(&self) -> Result<String, EngineError> {
        let protocol = self.engine.protocol();
        let read = |path: &str| self.engine.read(path).cloned();
        let documents = std::iter::once(&protocol.template).chain(&protocol.template_below);
        let texts = documents.map(|settings| read(settings.document.path).unwrap_or_default().to_vec());
        let definition = blake3::hash(&texts.collect::<Vec<_>>().concat()).to_hex()[..32].to_string();
        let problems = match protocol.phases(&read) {
            Ok(_) => return Ok(definition),
            Err(problems) => problems,
        };
        let Some((first, others)) = problems.split_first() else { return Ok(definition) };
        let others: String = others.iter().map(|problem| format!("; {problem}")).collect();
        let path = first.path.clone();
        let (line, column, hint) = match protocol.definition {
            dialect::Definition::Fixed => (0, 0, format!("`multiverse restore {path} --at N` puts it back")),
            dialect::Definition::Users => {
                (first.line, first.column, "mend it and try again; nothing was begun".to_string())
            }
        };
        Err(EngineError::Document { path, line, column, reason: format!("{}{others}", first.reason), hint })
    }

    /// Has a run played by others than the rest.
    pub fn cast(&mut self, run: &str, casting: Casting) {
        self.engine.settings.cast_run(run, casting);
    }

    /// Gives a run an answer to its proposal.
    pub fn answer(&mut self, run: &str, verdict: Verdict, by: &str) -> Result<(), EngineError> {
        self.send(run, Input::Answer { verdict, by: by.into() })
    }

    /// One input for one run; what follows from it is carried out by [`Service::drive`].
    pub fn send(&mut self, run: &str, input: Input) -> Result<(), EngineError> {
        match input {
            // Whoever takes up many runs looks at all documents once; driving does so again before anything is decided.
            Input::Claim => self.engine.settle_now_and_then()?,
            _ => self.engine.settle()?,
        }
        // Whoever takes up a run that came without a journal has it go on from its documents.
        if input == Input::Claim && self.engine.run(run).is_none() && self.stranded().iter().any(|one| one == run) {
            return self.adopt_run(run);
        }
        if self.engine.is_hosted(run) {
            let was_open = self.refuse_if_over(run).is_ok();
            self.take_edits()?;
            // Whoever takes up a run that an edit by hand has just ended has nothing more to do.
            if input == Input::Claim && was_open && self.refuse_if_over(run).is_err() {
                return Ok(());
            }
        }
        self.refuse_if_over(run)?;
        let order = Order::to(run, input);
        self.send_order(order)
    }

    pub(crate) fn send_order(&mut self, order: Order) -> Result<(), EngineError> {
        let mut sent = Ok(());
        // An edit by hand that comes before it counts, whatever becomes of the order itself.
        for (_, result) in self.engine.take(vec![order])? {
            match result {
                Ok(taken) => self.perform(taken),
                Err(error) => sent = sent.and(Err(error)),
            }
        }
        sent
    }

    pub(crate) fn refuse_if_over(&self, run: &str) -> Result<(), EngineError> {
        if self.engine.run(run).is_some() {
            return Ok(());
        }
        if let Some(found) = self.engine.state.hosted.get(run) {
            return match found.standing().is_over {
                false => Ok(()),
                true => Err(self.is_over(run)),
            };
        }
        match self.finished(run) {
            Some(view) if !["COMPLETED", "FAILED"].contains(&view.status) => {
                let reason = format!("{run} is {} in the table, but the journal does not know it", view.status);
                let hint = format!("`multiverse resume {run}` takes it up again from its documents");
                Err(EngineError::refused(reason, hint))
            }
            Some(view) => {
                let hint = match view.status {
                    "FAILED" => format!("`multiverse retry {run}` starts a new run that goes on from there"),
                    _ if self.engine.protocol().has_catalogs() => "its results are in outputs/".into(),
                    _ => format!("its results are in outputs/{run}/"),
                };
                Err(EngineError::refused(format!("{run} is {} and cannot be changed again", view.status), hint))
            }
            None => Err(crate::step::unknown_run(run)),
        }
    }

    /// Which run is meant by a prefix of its id, or `last`.
    pub fn find_run(&self, name: &str) -> Result<String, EngineError> {
        self.engine.find_run(name)
    }

    /// A run, whether it is over or not.
    pub fn view(&self, run: &str) -> Option<RunView> {
        match self.engine.run(run) {
            Some(found) => Some(self.view_of(found)),
            None => self.hosted_view(run).or_else(|| self.finished(run)),
        }
    }

    pub(crate) fn view_of(&self, run: &machine::Run) -> RunView {
        self.view_with(run, &mut BTreeMap::new())
    }

    /// The same for many: each process is looked for once.
    fn view_with(&self, run: &machine::Run, seen: &mut BTreeMap<String, Driver>) -> RunView {
        let driver = match &run.driver {
            None => Driver::Gone,
            Some(name) => *seen.entry(name.clone()).or_insert_with(|| match self.engine.store.is_alive(name) {
                true => Driver::Alive,
                false => Driver::Gone,
            }),
        };
        run_view(self.engine.hierarchy, run, driver)
    }

    /// A run that is over, from its documents.
    fn finished(&self, run: &str) -> Option<RunView> {
        let text = self.engine.read(self.engine.protocol().runs.path)?;
        let row = self.engine.protocol().runs(text).into_iter().find(|row| row.run_id == run)?;
        Some(RunView::of_row(&row))
    }

    /// The runs that are not over.
    pub fn open_runs(&self) -> Vec<RunView> {
        let mut seen = BTreeMap::new();
        let own = self.engine.runs().map(|run| self.view_with(run, &mut seen));
        let mut views: Vec<RunView> = own.collect();
        views.extend(self.hosted_views(true));
        views
    }

    /// All runs, as the table has them; those that are not over with all that is known.
    pub fn all_runs(&self) -> Vec<RunView> {
        let text = self.engine.read(self.engine.protocol().runs.path).cloned().unwrap_or_default();
        let rows = self.engine.protocol().runs(&text).into_iter();
        let mut seen = BTreeMap::new();
        let own = rows.map(|row| match self.engine.run(&row.run_id) {
            Some(run) => self.view_with(run, &mut seen),
            None => RunView::of_row(&row),
        });
        let mut views: Vec<RunView> = own.collect();
        views.extend(self.hosted_views(false));
        views
    }

    /// What waits for a person.
    pub fn waiting(&self) -> Vec<Waiting> {
        let own = self.engine.runs().flat_map(|run| waits(self.engine.hierarchy, run));
        own.chain(self.engine.state.hosted.values().flat_map(|run| run.waits())).collect()
    }

    /// The files that the catalog lists, in its order.
    pub fn catalog_rows(&self) -> Vec<CatalogView> {
        let protocol = self.engine.protocol();
        let runs = match protocol.has_catalogs() {
            true => self.engine.run_ids().into_iter().collect(),
            false => vec![String::new()],
        };
        let texts = runs.iter().filter_map(|run| self.engine.content_of(&protocol.catalog_path(run)));
        texts.flat_map(|text| protocol.catalog(&text)).map(CatalogView::from).collect()
    }

    /// A document as of the head.
    pub fn document(&self, path: &str) -> Option<String> {
        Some(String::from_utf8_lossy(&self.engine.read(path)?.to_vec()).into_owned())
    }

    /// The project's folder.
    pub fn project(&self) -> &Path {
        &self.engine.settings.project
    }

    /// Everything in its place; gives the head.
    pub fn close(mut self) -> Result<Head, EngineError> {
        self.messengers.drain(..).for_each(|thread| drop(thread.join()));
        Ok(self.engine.store.close()?)
    }
}

/// A request is words; what they are is the Planner's business.
pub(crate) fn check_request(request: &str) -> Result<(), EngineError> {
    if request.trim().is_empty() {
        return Err(EngineError::refused(
            "the request is empty",
            "say what you want: `multiverse run \"…\"`, or -f FILE",
        ));
    }
    if request.contains('\0') {
        return Err(EngineError::refused("the request has a NUL character", "give it as plain text"));
    }
    if request.len() > REQUEST_BYTES {
        let reason = format!("the request has {} bytes; {REQUEST_BYTES} is the most", request.len());
        return Err(EngineError::refused(reason, "put the material into assets/ and ask for what to do with it"));
    }
    Ok(())
}
