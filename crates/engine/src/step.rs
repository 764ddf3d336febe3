//! One step: an order is decided on the newest state, lowered to changes of documents, and committed with its facts.
//! Pure but for the batch it is written to; what must be done afterwards is given back, not done.

use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;
use dialect::{Before, OwnRow, Phases, Protocol, PutBack, Sheets};
use machine::{
    Decision, Effect, Fact, FileNote, Hierarchy, Holder, Input, Metered, PastRun, Planned, Run, Work, World,
};
use store::{Batch, Commit, Fs, ProjectPath, What};
use text::Text;

use crate::arrive::Words;
use crate::body::{Body, Given, NewBody};
use crate::brief;
use crate::cause::cause;
use crate::families::Owner;
use crate::fault::EngineError;
use crate::hosted;
use crate::learning::Memory;
use crate::notice::{Notice, notice_of};
use crate::retry::Legacy;
use crate::settings::Settings;

/// What the engine knows beside the documents. All of it follows from facts.
#[derive(Debug)]
pub(crate) struct State {
    /// Runs that are not over.
    pub runs: BTreeMap<String, Run>,
    /// What each of them has in the catalog.
    pub files: BTreeMap<String, Vec<FileNote>>,
    /// What is in the catalog of `assets/` and `guidelines/`.
    pub inputs: BTreeMap<String, FileNote>,
    /// The protocol of the project.
    pub protocol: &'static Protocol,
    /// What lives on in `outputs/`, where runs share it.
    pub owners: BTreeMap<String, Owner>,
    /// Documents, parsed.
    pub sheets: Sheets,
    /// The instructions that agents of a run are told, while it works.
    pub instructions: BTreeMap<String, serde_json::Value>,
    /// What a run's last instant executor was told besides its task, below which item: the next one's, if nobody edits.
    pub contexts: BTreeMap<String, (String, serde_json::Value)>,
    /// What the Planner of a run is told of past runs.
    pub told: BTreeMap<String, serde_json::Value>,
    /// What is remembered of runs that are over.
    pub memory: Memory,
    /// The phases that every run has.
    pub template: Vec<Planned>,
    /// How many agents this process has at work.
    pub busy: usize,
    /// Runs that would go on if there were room for more agents.
    pub hungry: BTreeSet<String>,
    /// Runs of which something waits for a time.
    pub resting: BTreeSet<String>,
    /// The name of this opening.
    pub me: String,
    /// Runs whose memory is ahead of the journal, because a step could not be committed.
    pub unsure: BTreeSet<String>,
    /// Runs that other machines carry.
    pub hosted: hosted::Runs,
    /// Them, in the order in which they began.
    pub begun: Vec<String>,
    /// Who of those that share runs was seen to go on no more.
    pub seen: hosted::Seen,
    /// A protocol that the journal has runs of, and nobody here knows.
    pub unknown: Option<String>,
    /// The recorded run that is carried out again.
    pub repeats: Option<String>,
}

/// Something to be done, with what is known of the world.
#[derive(Debug)]
pub(crate) struct Ready {
    pub order: Order,
    /// Paths named by the order that exist.
    pub exists: BTreeSet<String>,
    pub alive: BTreeSet<String>,
    /// Instructions that are ACTIVE, where the order needs to know.
    pub active: BTreeSet<String>,
    /// Past runs that are like the request, where the order brings one.
    pub past: Vec<PastRun>,
    /// What a run that begins is made of, where people say so.
    pub phases: Option<Phases>,
    /// Which runs have made the paths that exist.
    pub owners: BTreeMap<String, String>,
    /// Procedures that a plan may name.
    pub procedures: BTreeSet<String>,
    pub now: String,
    /// Whether it was looked just now who of those that share the run goes on.
    pub has_looked: bool,
}

/// What comes to the engine.
// Nearly every order is of the largest kind: a box around it would only be one more allocation for each step.
#[allow(clippy::large_enum_variant)]
#[derive(Debug)]
pub(crate) enum Order {
    /// A new run.
    Start { id: String, request: String, mode: machine::Mode, definition: String },
    /// A new run that takes over from a failed one.
    Retry { id: String, legacy: Box<Legacy> },
    /// A run of which only the documents are left.
    Adopt { id: String, legacy: Box<Legacy> },
    /// A new run that another machine carries.
    Begin { id: String, beginning: Box<dyn hosted::Beginning> },
    /// Something for such a run.
    Hosted { run: String, input: hosted::Input, used: Metered },
    /// A word to such a run that only its own protocol knows.
    Own { run: String, word: Box<dyn std::any::Any + Send + Sync> },
    /// Something for a run.
    To {
        run: String,
        input: Input,
        outputs: Vec<Output>,
        said: Option<Words>,
        /// What the attempt used whose end it is.
        used: Metered,
        /// How its documents were before people edited them, if that is what it is about.
        edited: Option<Edited>,
    },
}

/// What is needed to put an edit back.
#[derive(Debug)]
pub(crate) struct Edited {
    /// The rows that stand in the documents, and those of the run.
    pub rows: BTreeSet<String>,
    /// The documents before the edit.
    pub before: BTreeMap<String, Text>,
}

/// A file to be committed.
#[derive(Debug, Clone)]
pub(crate) struct Output {
    pub path: ProjectPath,
    pub content: Bytes,
}

/// What a step did.
#[derive(Debug)]
pub(crate) struct Taken {
    pub run: String,
    /// Its record; nothing when there was nothing to commit.
    pub record: Option<u64>,
    pub facts: Vec<Fact>,
    pub effects: Vec<Effect>,
    /// What there is to tell people.
    pub notices: Vec<Notice>,
    /// Whether what waited for a document to be mended is to be tried again.
    pub is_resumed: bool,
    /// Whether it was a report that came too late.
    pub is_late: bool,
}

impl Taken {
    /// Nothing was done yet.
    pub(crate) fn of(run: &str) -> Self {
        let (facts, effects, notices) = (Vec::new(), Vec::new(), Vec::new());
        Self { run: run.into(), record: None, facts, effects, notices, is_resumed: false, is_late: false }
    }
}

impl Order {
    /// Something for a run, with nothing beside it.
    pub(crate) fn to(run: &str, input: Input) -> Self {
        Self::To { run: run.into(), input, outputs: Vec::new(), said: None, used: Metered::default(), edited: None }
    }

    pub(crate) fn run(&self) -> &str {
        match self {
            Self::Start { id, .. } | Self::Retry { id, .. } | Self::Adopt { id, .. } | Self::Begin { id, .. } => id,
            Self::To { run, .. } | Self::Hosted { run, .. } | Self::Own { run, .. } => run,
        }
    }

    fn outputs(&self) -> Vec<Output> {
        match self {
            Self::Start { .. } | Self::Adopt { .. } | Self::Begin { .. } => Vec::new(),
            Self::Hosted { .. } | Self::Own { .. } => Vec::new(),
            Self::Retry { id, legacy } => legacy.outputs(id),
            Self::To { outputs, .. } => outputs.clone(),
        }
    }
}

impl State {
    /// Nothing is known yet.
    pub(crate) fn new(me: &str, protocol: &'static Protocol) -> Self {
        let (runs, files, inputs) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        let initial = protocol.initial_documents();
        let template = initial.iter().find(|(path, _)| *path == protocol.template.document.path);
        let template = template.and_then(|(_, text)| protocol.check_template(&Text::from(text.clone())).ok());
        Self {
            protocol,
            owners: BTreeMap::new(),
            runs,
            files,
            inputs,
            sheets: protocol.sheets(),
            instructions: BTreeMap::new(),
            contexts: BTreeMap::new(),
            told: BTreeMap::new(),
            memory: Memory::default(),
            template: template.unwrap_or_default(),
            busy: 0,
            hungry: BTreeSet::new(),
            resting: BTreeSet::new(),
            me: me.into(),
            unsure: BTreeSet::new(),
            hosted: BTreeMap::new(),
            begun: Vec::new(),
            seen: hosted::Seen::default(),
            unknown: None,
            repeats: None,
        }
    }

    /// Decides and commits one order.
    pub(crate) fn step<F: Fs>(
        &mut self,
        batch: &mut Batch<'_, F>,
        ready: &Ready,
        hierarchy: &Hierarchy,
        settings: &Settings,
    ) -> Result<Taken, EngineError> {
        let id = ready.order.run();
        if self.is_for_hosted(&ready.order) {
            return self.hosted_step(batch, ready, settings);
        }
        if self.unsure.contains(id) {
            return Err(EngineError::Again);
        }
        // The number was free when it was chosen; another process may have taken it since.
        if matches!(ready.order, Order::Start { .. } | Order::Retry { .. }) && self.has_begun(batch, id) {
            return Err(EngineError::refused(format!("{id} was begun by another process"), "try again"));
        }
        let decision = self.decide(ready, hierarchy, settings)?;
        let works = self.works(id, &decision.facts);
        let mut taken = Taken::of(id);
        let is_edit = matches!(ready.order, Order::To { edited: Some(_), .. });
        if is_edit {
            self.contexts.remove(id);
        }
        if decision.facts.is_empty() && !is_edit {
            taken.effects = decision.effects;
            return Ok(taken);
        }
        let was_busy = self.busy_in(id);
        let record = self.commit(batch, ready, hierarchy, settings, &decision);
        // What was applied and not committed is undone after the batch, from the journal.
        taken.record = Some(record.inspect_err(|_| self.unsure.extend([id.to_string()]))?);
        self.busy = self.busy + self.busy_in(id) - was_busy;
        self.note_hunger(id, settings);
        taken.notices = self.notices(id, hierarchy, &decision, &works);
        self.forget_if_over(id);
        taken.is_resumed = decision.facts.iter().any(|fact| matches!(fact, Fact::Resumed));
        (taken.facts, taken.effects) = (decision.facts, decision.effects);
        Ok(taken)
    }

    /// Whether there is a run of this id, as of the head of the journal.
    fn has_begun<F: Fs>(&mut self, batch: &Batch<'_, F>, id: &str) -> bool {
        let path = self.protocol.runs.path;
        let text = ProjectPath::document(path).ok().and_then(|place| batch.read(&place).cloned());
        let is_listed = |text: Text| self.sheets.sheet(path, &text).is_ok_and(|sheet| sheet.find(id).is_some());
        self.runs.contains_key(id) || text.is_some_and(is_listed)
    }

    fn decide(&self, ready: &Ready, hierarchy: &Hierarchy, settings: &Settings) -> Result<Decision, EngineError> {
        let nothing = BTreeSet::new();
        let casting = settings.casting_of(ready.order.run());
        let world = World {
            now: &ready.now,
            me: &self.me,
            cast: casting.cast(),
            alive: &ready.alive,
            exists: &ready.exists,
            free: settings.jobs.saturating_sub(self.busy),
            people: &casting.people,
            tools: settings.tools_of(ready.order.run()),
            published: &nothing,
            template: ready.phases.as_ref().map_or(&self.template, |phases| &phases.phases),
            template_below: ready.phases.as_ref().map_or(&[], |phases| &phases.stages),
            owners: &ready.owners,
            procedures: &ready.procedures,
            active: &ready.active,
            past: &ready.past,
            budget: settings.budget,
            used: match &ready.order {
                Order::To { used, .. } => *used,
                _ => Metered::default(),
            },
        };
        let limits = &settings.limits;
        Ok(match &ready.order {
            Order::Start { id, request, mode, definition } => {
                machine::start(hierarchy, id, request, *mode, definition, &world, limits)?
            }
            Order::Retry { id, legacy } => machine::retry(hierarchy, id, &legacy.old, &world, limits)?,
            Order::Adopt { legacy, .. } => machine::adopt(hierarchy, &legacy.old, &world, limits)?,
            Order::To { run, input, .. } => {
                let known = self.runs.get(run).ok_or_else(|| unknown_run(run))?;
                machine::decide(hierarchy, Some(known), run, input, &world, limits)?
            }
            Order::Begin { id, .. } | Order::Hosted { run: id, .. } | Order::Own { run: id, .. } => {
                return Err(unknown_run(id));
            }
        })
    }

    /// Applies the facts, says what they change in documents, and commits both.
    fn commit<F: Fs>(
        &mut self,
        batch: &mut Batch<'_, F>,
        ready: &Ready,
        hierarchy: &Hierarchy,
        settings: &Settings,
        decision: &Decision,
    ) -> Result<u64, EngineError> {
        let id = ready.order.run();
        let before = self.runs.get(id).map(|run| Before::of(run, hierarchy, &decision.facts));
        self.apply(hierarchy, id, &decision.facts);
        let run = self.runs.get(id).ok_or_else(|| unknown_run(id))?;
        let lowered = {
            let legacy = match &ready.order {
                Order::Retry { legacy, .. } => Some(&legacy.tables),
                _ => None,
            };
            let read = |path: &str| read(batch, path).or_else(|| legacy?.get(path).cloned());
            let step = dialect::Step { before: before.as_ref(), after: run, facts: &decision.facts };
            match &ready.order {
                Order::To { edited: Some(edited), .. } => {
                    let items: Vec<&str> = edited.rows.iter().map(String::as_str).collect();
                    let was = |path: &str| edited.before.get(path).cloned();
                    let put_back = PutBack { run, items: &items, own_row: OwnRow::PutBack, before: &was };
                    dialect::restore_cells(&mut self.sheets, &read, &put_back)?
                }
                _ => dialect::lower(&mut self.sheets, &read, &step)?,
            }
        };
        let mut changes = Vec::with_capacity(lowered.edits.len() + 1);
        for (path, edit) in &lowered.edits {
            changes.push(change_of(batch, path, edit)?);
        }
        for output in ready.order.outputs().iter().filter(|_| takes_files(&decision.facts)) {
            changes.push((output.path.clone(), whole(batch, &output.path, output.content.clone())));
        }
        let raw = self.body(ready, hierarchy, settings, decision).to_raw();
        let raw = raw.map_err(|error| EngineError::refused(error.to_string(), ""))?;
        let mut commit = Commit::new(cause(id, &decision.facts), batch.head().number, changes).with_body(raw);
        if run.course == machine::Course::Over {
            commit.retire = self.documents_of(id, batch);
        }
        let record = batch.append(&commit)?;
        self.sheets.accept(&lowered);
        Ok(record)
    }

    fn body<'a>(
        &self,
        ready: &'a Ready,
        hierarchy: &Hierarchy,
        settings: &Settings,
        decision: &'a Decision,
    ) -> NewBody<'a> {
        let id = ready.order.run();
        let (mut given, mut prompts) = (BTreeMap::new(), BTreeMap::new());
        for fact in &decision.facts {
            if let (Fact::Assigned(attempt), Some(run)) = (fact, self.runs.get(id)) {
                let files = brief::files(self, hierarchy, run, &attempt.work);
                let files = brief::guided(settings, run, &attempt.work, files);
                if !files.is_empty() {
                    let files = files.into_iter().map(|file| Given { path: file.path, why: file.why });
                    given.insert(attempt.fence, files.collect());
                }
                prompts.extend(brief::prompted(hierarchy, settings, run, attempt));
            }
        }
        let refused = decision.facts.iter().any(|fact| matches!(fact, Fact::SentBack { .. } | Fact::Failed(_)));
        let said = match &ready.order {
            Order::To { said, .. } if refused => said.as_ref().map(Words::spelled),
            _ => None,
        };
        let effects = decision.effects.iter().filter_map(|effect| key(id, effect)).collect();
        NewBody { run: id, facts: &decision.facts, hosted: None, effects, given, prompts, said }
    }

    /// Takes what a record says into memory; decides nothing.
    pub(crate) fn apply_body(&mut self, hierarchy: &Hierarchy, body: &Body) {
        match &body.hosted {
            None => self.apply(hierarchy, &body.run, &body.facts),
            Some(told) => self.apply_hosted(&body.run, told),
        }
    }

    /// Takes facts of a run into memory; decides nothing.
    pub(crate) fn apply(&mut self, hierarchy: &Hierarchy, id: &str, facts: &[Fact]) {
        for fact in facts {
            match self.runs.get_mut(id) {
                Some(run) => machine::apply_to(hierarchy, run, fact),
                None => {
                    let mut begun = None;
                    machine::apply(hierarchy, &mut begun, id, fact);
                    self.runs.extend(begun.map(|run| (id.to_string(), run)));
                }
            }
            match fact {
                Fact::Catalogued { files, gone, .. } => {
                    gone.iter().for_each(|path| drop(self.inputs.remove(path)));
                    self.inputs.extend(files.iter().map(|file| (file.path.clone(), file.clone())));
                }
                Fact::TakenOver { items, .. } => {
                    let done =
                        items.iter().filter(|item| item.state == machine::State::Completed && !item.output.is_empty());
                    let note = |item: &machine::Item| FileNote {
                        path: item.output.clone(),
                        summary: item.name.clone(),
                        ..FileNote::default()
                    };
                    self.files.entry(id.into()).or_default().extend(done.map(note));
                }
                Fact::Learned { .. } => drop(self.told.remove(id)),
                Fact::Completed { files, .. } if !files.is_empty() => {
                    let shared = files.iter().filter(|file| !file.lineage.is_empty());
                    let shared = shared.filter(|file| file.path.starts_with("outputs/"));
                    self.owners.extend(shared.map(|file| (file.path.clone(), Owner::of(id, file))));
                    self.files.entry(id.into()).or_default().extend(files.iter().cloned());
                }
                _ => {}
            }
        }
        if let Some(run) = self.runs.get(id) {
            match (run.rests.is_empty(), self.resting.contains(id)) {
                (false, false) => drop(self.resting.insert(id.into())),
                (true, true) => drop(self.resting.remove(id)),
                (true, false) | (false, true) => {}
            }
        }
    }

    /// A run that is over leaves memory; its documents tell of it.
    pub(crate) fn forget_if_over(&mut self, id: &str) {
        if let Some(run) = self.runs.get(id).filter(|run| run.course == machine::Course::Over) {
            self.memory.ended(run);
            self.forget_run(id);
            self.hungry.remove(id);
        }
    }

    /// Whether an instruction held when the run that is carried out again found it: that run itself replaced it.
    pub(crate) fn found_active(&self, superseded_by: &str) -> bool {
        brief::is_replaced_by(self.repeats.as_deref(), superseded_by)
    }

    /// Lets go of what is remembered of a document: somebody else changed it.
    pub(crate) fn forget_document(&mut self, path: &str) {
        self.sheets.forget(path);
        self.contexts.clear();
    }

    /// Lets go of a run, to make it anew.
    pub(crate) fn forget_run(&mut self, id: &str) {
        self.runs.remove(id);
        self.resting.remove(id);
        self.files.remove(id);
        self.instructions.remove(id);
        self.contexts.remove(id);
        self.told.remove(id);
        self.sheets.forget_run(id);
    }

    /// Counts who is at work, from the beginning.
    pub(crate) fn count_busy(&mut self) {
        let hosted: usize = self.hosted.keys().map(|id| self.hosted_busy(id)).sum();
        self.busy = self.runs.keys().map(|id| self.busy_in(id)).sum::<usize>() + hosted;
    }

    fn busy_in(&self, id: &str) -> usize {
        let mine = |holder: &Holder| matches!(holder, Holder::Process(name) if *name == self.me);
        self.runs.get(id).map_or(0, |run| run.attempts.values().filter(|attempt| mine(&attempt.holder)).count())
    }

    fn note_hunger(&mut self, id: &str, settings: &Settings) {
        match self.busy >= settings.jobs {
            true => drop(self.hungry.insert(id.into())),
            false => drop(self.hungry.remove(id)),
        }
    }

    fn works(&self, id: &str, facts: &[Fact]) -> BTreeMap<u64, Work> {
        let Some(run) = self.runs.get(id) else { return BTreeMap::new() };
        let ended = facts.iter().filter_map(|fact| match fact {
            Fact::SentBack { fence, .. } | Fact::Lost { fence, .. } | Fact::Asked { fence, .. } => Some(*fence),
            _ => None,
        });
        ended.filter_map(|fence| Some((fence, run.attempts.get(&fence)?.work.clone()))).collect()
    }

    fn notices(
        &self,
        id: &str,
        hierarchy: &Hierarchy,
        decision: &Decision,
        works: &BTreeMap<u64, Work>,
    ) -> Vec<Notice> {
        let Some(run) = self.runs.get(id) else { return Vec::new() };
        let works = |fence| works.get(&fence).cloned();
        let told = decision.facts.iter().filter_map(|fact| notice_of(hierarchy, run, fact, &works));
        let put_back = decision.refused.iter().map(|complaint| Notice::Problem {
            run: Some(id.into()),
            path: None,
            reason: format!("an edit by hand was put back: {complaint}"),
        });
        told.chain(put_back).collect()
    }

    /// The documents that belong to a run and to nothing else.
    fn documents_of<F: Fs>(&self, id: &str, batch: &Batch<'_, F>) -> Vec<ProjectPath> {
        let items = self.runs.get(id).map_or(&[][..], |run| &run.items);
        let outputs = items.iter().map(|item| item.output.clone());
        let catalog = Some(self.protocol.catalog_path(id)).filter(|_| self.protocol.has_catalogs());
        let own = self.protocol.run_documents(id, items).into_iter().chain([Protocol::learning_context(id)]);
        // What runs share in `outputs/` lives on.
        let is_own = |output: &String| !(output.is_empty() || catalog.is_some() && output.starts_with("outputs/"));
        let all = own.chain(outputs.filter(is_own)).chain(catalog.clone());
        let paths = all.filter_map(|path| ProjectPath::document(&path).ok());
        paths.filter(|path| batch.read(path).is_some()).collect::<BTreeSet<_>>().into_iter().collect()
    }
}

pub(crate) fn read<F: Fs>(batch: &Batch<'_, F>, path: &str) -> Option<Text> {
    batch.read(&ProjectPath::any(path).ok()?).cloned()
}

pub(crate) fn change_of<F: Fs>(
    batch: &Batch<'_, F>,
    path: &str,
    edit: &dialect::Edit,
) -> Result<(ProjectPath, What), EngineError> {
    let path = batch.path_of(path).map_or_else(|| ProjectPath::document(path), Ok);
    let path = path.map_err(|refusal| EngineError::refused(refusal.to_string(), "give it another name"))?;
    let what = match edit {
        dialect::Edit::Change(dialect::Revision { change, before, after }) => {
            What::Made { change: change.clone(), before: before.clone(), after: after.clone() }
        }
        dialect::Edit::Create(content) => What::Create(content.clone().into()),
        dialect::Edit::Write(content) => whole(batch, &path, content.clone().into()),
    };
    Ok((path, what))
}

/// A document with this content, whether there is one or not.
pub(crate) fn whole<F: Fs>(batch: &Batch<'_, F>, path: &ProjectPath, content: Bytes) -> What {
    match batch.read(path) {
        Some(_) => What::Write(content),
        None => What::Create(content),
    }
}

/// Whether the files that came with an order are taken.
fn takes_files(facts: &[Fact]) -> bool {
    facts.iter().any(|fact| matches!(fact, Fact::Worked { .. } | Fact::TakenOver { .. }))
}

pub(crate) fn unknown_run(id: &str) -> EngineError {
    EngineError::refused(format!("no run {id} is under way"), "`multiverse status --all` lists the runs")
}

/// The key under which an effect is carried out, once or more often.
pub(crate) fn key(run: &str, effect: &Effect) -> Option<String> {
    match effect {
        Effect::Start(fence) => Some([run, "/", &fence.to_string(), "/start"].concat()),
        Effect::Stop(fence) => Some([run, "/", &fence.to_string(), "/stop"].concat()),
        Effect::Say(_) => None,
    }
}
