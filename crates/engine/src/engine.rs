//! The engine on a store: opening, taking orders in one commit each and one sync for all, following what other
//! processes and people did. No threads and no agents here, so that a simulator can drive it call by call.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use dialect::{Protocol, lineage, multiverse};
use machine::{FileNote, Hierarchy, Input, Outcome, Run};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use store::{CommitError, Fs, Kind, Missing, ProjectPath, Record, Store};
use text::Text;

use crate::body::Body;
use crate::crew::Listener;
use crate::families::Owner;
use crate::fault::EngineError;
use crate::hosted;
use crate::notice::Notice;
use crate::settings::Settings;
use crate::step::{Order, Output, Ready, State, Taken};

/// How often a batch is decided again because others committed meanwhile, before that is a fault.
const ROUNDS: usize = 100;

/// How long a look at all documents counts for those who begin runs.
const SETTLED: Duration = Duration::from_secs(1);

/// A project with its runs.
pub struct Engine<F: Fs> {
    pub(crate) store: Store<F>,
    pub(crate) state: State,
    pub(crate) settings: Settings,
    pub(crate) hierarchy: &'static Hierarchy,
    pub(crate) listener: Listener,
    /// The newest record that is in `state`.
    head: u64,
    /// Whether others did something since that was last asked.
    heard: bool,
    /// Runs whose documents were edited by hand since they were last compared, with the record before the first edit.
    pub(crate) edited: BTreeMap<String, u64>,
    /// When it was last waited for files to be quiet.
    settled: Option<Duration>,
    /// The last second in which an order came, and how facts spell it.
    second: Option<(i128, String)>,
    /// Whether the table of runs is among what was edited.
    pub(crate) runs_edited: bool,
}

impl<F: Fs> std::fmt::Debug for Engine<F> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Engine").field("store", &self.store).field("runs", &self.state.runs.len()).finish()
    }
}

/// What of the state is in no document; it is kept with a checkpoint.
#[derive(Serialize, Deserialize)]
struct Fold {
    format: u32,
    runs: BTreeMap<String, Run>,
    files: BTreeMap<String, Vec<FileNote>>,
    inputs: BTreeMap<String, FileNote>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    owners: BTreeMap<String, Owner>,
    /// Runs that other machines carry: the protocol of each, and what that keeps of it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    hosted: BTreeMap<String, (String, Box<RawValue>)>,
    /// Them, in the order in which they began.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    begun: Vec<String>,
}

const FOLD_FORMAT: u32 = 1;

/// Orders, and what became of each.
pub(crate) type Steps = Vec<(Order, Result<Taken, EngineError>)>;

/// Steps that are in the journal and not durable yet: nothing may be done for them.
#[derive(Debug)]
pub(crate) struct Written(Steps);

impl Written {
    /// What will have to be done, for those who prepare for it.
    pub(crate) fn taken(&self) -> impl Iterator<Item = &Taken> {
        self.0.iter().filter_map(|(_, result)| result.as_ref().ok())
    }
}

impl<F: Fs> Engine<F> {
    /// Opens a project and takes in all that its journal says.
    pub fn open(fs: F, missing: Missing, settings: Settings, listener: Listener) -> Result<Self, EngineError> {
        let heard = listener.clone();
        let store = Store::open(fs, missing, Box::new(move |notice| heard(Notice::Store(notice.clone()))))?;
        Self::on(store, settings, listener)
    }

    /// Opens a project to look at it, in a world where nothing can be changed.
    pub fn open_to_look(fs: F, settings: Settings, listener: Listener) -> Result<Self, EngineError> {
        Self::on(Store::open_to_look(fs, Box::new(|_| {}))?, settings, listener)
    }

    fn on(store: Store<F>, settings: Settings, listener: Listener) -> Result<Self, EngineError> {
        let protocol = protocol_of(&store, &settings)?;
        let mut state = State::new(store.opening(), protocol);
        state.repeats.clone_from(&settings.repeats);
        if let Some(raw) = store.fold() {
            let fold: Fold = serde_json::from_str(raw.get()).map_err(|error| {
                let hint = "a newer version of this program may have written it: use that one";
                EngineError::refused(format!("the checkpoint's fold cannot be read: {error}"), hint)
            })?;
            if fold.format > FOLD_FORMAT {
                let reason =
                    format!("the checkpoint's fold has format {}; this program reads {FOLD_FORMAT}", fold.format);
                return Err(EngineError::refused(reason, "use the newer version of this program"));
            }
            (state.runs, state.files, state.inputs) = (fold.runs, fold.files, fold.inputs);
            state.owners = fold.owners;
            state.restore_hosted(fold.hosted, fold.begun);
            let resting = state.runs.values().filter(|run| !run.rests.is_empty());
            state.resting = resting.map(|run| run.id.clone()).collect();
        }
        let mut engine = Self {
            store,
            state,
            settings,
            hierarchy: protocol.hierarchy,
            listener,
            head: 0,
            heard: false,
            edited: BTreeMap::new(),
            settled: None,
            second: None,
            runs_edited: false,
        };
        engine.follow()?;
        Ok(engine)
    }

    /// The runs that are not over.
    pub fn runs(&self) -> impl Iterator<Item = &Run> {
        self.state.runs.values()
    }

    /// A run that is not over.
    pub fn run(&self, id: &str) -> Option<&Run> {
        self.state.runs.get(id)
    }

    /// The project's protocol.
    pub fn protocol(&self) -> &'static Protocol {
        self.state.protocol
    }

    /// The name of this opening.
    pub fn me(&self) -> &str {
        &self.state.me
    }

    /// Whether a run of this id exists or existed.
    pub(crate) fn knows_run(&mut self, id: &str) -> bool {
        let runs = self.protocol().runs.path;
        let Some(text) = self.read(runs).cloned() else { return false };
        let found = self.state.sheets.sheet(runs, &text).is_ok_and(|sheet| sheet.find(id).is_some());
        found || self.state.runs.contains_key(id)
    }

    /// Takes note that this process itself committed something that is in no run.
    pub(crate) fn settle_head(&mut self) -> Result<(), EngineError> {
        self.state.sheets = self.protocol().sheets();
        self.state.contexts.clear();
        // Others may have committed as well meanwhile.
        self.follow()
    }

    /// A document as of the head.
    pub fn read(&self, path: &str) -> Option<&Text> {
        self.store.read(&ProjectPath::any(path).ok()?)
    }

    /// Takes in what other processes committed and what people edited.
    pub fn follow(&mut self) -> Result<(), EngineError> {
        for record in self.store.take_news()? {
            self.follow_record(&record);
        }
        self.head = self.store.head().number;
        Ok(())
    }

    /// Whether other processes or people did something since this was last asked.
    pub(crate) fn has_heard(&mut self) -> bool {
        std::mem::take(&mut self.heard)
    }

    fn follow_record(&mut self, record: &Record) {
        self.heard = true;
        if let Some(body) = record.body.as_deref().and_then(Body::of) {
            return self.state.follow_step(self.hierarchy, record, &body);
        }
        self.state.follow_documents(record);
        self.state.memory.forget();
        if record.kind != Kind::Commit && record.kind != Kind::Adopt {
            for entry in &record.docs {
                self.note_edit(entry.path.as_str(), record.number - 1);
            }
        }
    }

    /// Waits until no file is being written, and takes in what was edited: nothing is decided on what a person has just
    /// changed.
    pub fn settle(&mut self) -> Result<(), EngineError> {
        self.store.settle()?;
        self.settled = Some(self.store.fs().now().steady);
        self.follow()
    }

    /// The same, unless it was done a moment ago: whoever begins many runs does not look at all documents for each.
    pub(crate) fn settle_now_and_then(&mut self) -> Result<(), EngineError> {
        let now = self.store.fs().now().steady;
        match self.settled.is_some_and(|then| now.saturating_sub(then) < SETTLED) {
            true => Ok(()),
            false => self.settle(),
        }
    }

    /// Looks for edits by hand; gives whether some file is still being written.
    pub fn look(&mut self) -> Result<bool, EngineError> {
        let looked = self.store.look()?;
        self.follow()?;
        Ok(looked.unsettled > 0)
    }

    /// Decides and commits orders: one commit each, one sync for all. What must be done afterwards is given back.
    pub(crate) fn take(&mut self, orders: Vec<Order>) -> Result<Steps, EngineError> {
        let written = self.write(orders)?;
        self.make_durable(written)
    }

    /// The first half: decides orders and writes them. The disk begins with it, and there is something else to do until
    /// [`Engine::make_durable`].
    pub(crate) fn write(&mut self, orders: Vec<Order>) -> Result<Written, EngineError> {
        if orders.is_empty() {
            return Ok(Written(Vec::new()));
        }
        let mut ready: Vec<Ready> = orders.into_iter().map(|order| self.ready(order)).collect::<Result<_, _>>()?;
        let mut taken = None;
        for _ in 0..ROUNDS {
            self.edits_first(&mut ready)?;
            let Self { store, state, settings, hierarchy, head, heard, .. } = self;
            let decided = store.batch(|batch| {
                // What others did is taken in here, under the one lock, where it is nothing but steps: to come back for it
                // would let them commit again meanwhile. Nothing is done for it before all of this is durable.
                if batch.head().number != *head {
                    let news = Body::all_of(batch.news())?;
                    let records = batch.take_news();
                    records.iter().zip(news).for_each(|(record, body)| state.follow_step(hierarchy, record, &body));
                    *heard = true;
                }
                let steps = ready.iter().map(|one| state.step(batch, one, hierarchy, settings));
                let steps: Vec<_> = steps.collect();
                *head = batch.head().number;
                Some(steps)
            })?;
            taken = decided;
            if taken.is_some() {
                break;
            }
            self.follow()?;
        }
        let taken = taken.ok_or_else(|| {
            EngineError::refused("other processes commit faster than this one can decide", "try again in a while")
        })?;
        self.store.begin_sync();
        Ok(Written(ready.into_iter().map(|ready| ready.order).zip(taken).collect()))
    }

    /// The second half: what was written counts.
    pub(crate) fn make_durable(&mut self, Written(mut steps): Written) -> Result<Steps, EngineError> {
        if steps.is_empty() {
            return Ok(steps);
        }
        self.store.sync()?;
        self.rebuild_unsure()?;
        let taken = steps.iter_mut().filter_map(|(_, result)| result.as_mut().ok());
        for notice in taken.flat_map(|step| std::mem::take(&mut step.notices)) {
            (self.listener)(notice);
        }
        self.checkpoint_if_due()?;
        Ok(steps)
    }

    /// A run of which a step was applied and not committed is made anew of what the journal says.
    fn rebuild_unsure(&mut self) -> Result<(), EngineError> {
        let unsure = std::mem::take(&mut self.state.unsure);
        if unsure.is_empty() {
            return Ok(());
        }
        for id in &unsure {
            self.state.forget_run(id);
        }
        let mut bodies: Vec<Body> = Vec::new();
        store::records(self.store.fs(), |record| {
            bodies.extend(record.body.as_deref().and_then(Body::of).filter(|body| unsure.contains(&body.run)));
        })?;
        for body in bodies {
            self.state.apply_body(self.hierarchy, &body);
        }
        self.state.count_busy();
        Ok(())
    }

    /// What an order needs to know of the world, asked before the lock is taken; files are made durable there, too.
    pub(crate) fn ready(&mut self, order: Order) -> Result<Ready, EngineError> {
        let mut ready = Ready {
            exists: BTreeSet::new(),
            alive: BTreeSet::from([self.state.me.clone()]),
            active: BTreeSet::new(),
            past: self.past_for(&order),
            phases: self.phases_for(&order),
            owners: BTreeMap::new(),
            procedures: BTreeSet::new(),
            now: self.now_of_order(),
            has_looked: false,
            order,
        };
        self.check_outputs(&mut ready.order)?;
        self.add_families(&mut ready.order);
        self.ready_hosted(&mut ready)?;
        let Order::To { input, .. } = &ready.order else { return Ok(ready) };
        if matches!(input, Input::Wake | Input::Claim | Input::Resume) {
            if self.is_shared(ready.order.run()) {
                let run = ready.order.run().to_string();
                match input {
                    // Many are woken by one commit: all of them are looked at now and then, and those who may be lost now.
                    Input::Wake => self.look_at_lost_members(&run),
                    _ => {
                        self.look_at_members(&run);
                    }
                }
                ready.has_looked = true;
                return Ok(ready);
            }
            ready.alive = self.store.openings()?;
            self.follow()?;
        }
        if let Input::Report { outcome: Outcome::Proposal(_), .. } = input {
            let text = self.read(self.protocol().instructions.path).cloned().unwrap_or_default();
            let all = self.protocol().instructions(&text).into_iter();
            let active = all.filter(|row| row.active || self.state.found_active(&row.superseded_by_id));
            ready.active = active.map(|instruction| instruction.instruction_id).collect();
        }
        if let Input::Report { outcome: Outcome::Plan(_), .. } = input {
            ready.procedures = self.procedure_ids();
        }
        let run = self.state.runs.get(ready.order.run());
        for path in input.named_paths(self.hierarchy, ready.order.run(), run) {
            // The list of procedures is for the Planner alone, and so is what the catalog does not list of other runs: to
            // a plan they are not there (MV-30, MV-36).
            let is_withheld = path == self.protocol().procedures.path || self.is_withheld(ready.order.run(), &path);
            if !is_withheld && self.file_exists(&path) {
                ready.owners.extend(self.owner_of(&path).map(|owner| (path.clone(), owner)));
                ready.exists.insert(path);
            }
        }
        Ok(ready)
    }

    /// The time as facts spell it.
    pub(crate) fn now(&self) -> String {
        spelled(self.store.fs().now().wall)
    }

    /// The same for an order, of which there are many in a second: it is spelled once.
    fn now_of_order(&mut self) -> String {
        let wall = self.store.fs().now().wall;
        let second = wall.div_euclid(1_000_000_000);
        if self.second.as_ref().is_none_or(|(known, _)| *known != second) {
            self.second = Some((second, spelled(wall)));
        }
        self.second.as_ref().map(|(_, spelled)| spelled.clone()).unwrap_or_default()
    }

    /// Files that could not be placed are the agent's mistake, told before anything is decided on them.
    fn check_outputs(&mut self, order: &mut Order) -> Result<(), EngineError> {
        let Order::To { input: Input::Report { outcome, .. }, outputs, .. } = order else { return Ok(()) };
        let mut problems = Vec::new();
        // A file that lived on without this journal is taken under it before it is changed.
        let foreign: Vec<ProjectPath> = match self.state.protocol.has_catalogs() {
            true => outputs
                .iter()
                .map(|output| output.path.clone())
                .filter(|path| self.store.read(path).is_none())
                .collect(),
            false => Vec::new(),
        };
        let mut there = Vec::new();
        for path in foreign {
            if matches!(self.store.fs().look(&path), Ok(Some(_))) {
                there.push(path);
            }
        }
        if !there.is_empty() && self.store.adopt(&there)?.is_some() {
            self.follow()?;
        }
        problems.extend(self.unplaceable(outputs)?);
        if !problems.is_empty() {
            *outcome = Outcome::Broken(problems);
            outputs.clear();
        }
        Ok(())
    }

    /// Why files cannot be placed; those that can are made durable where they are large.
    pub(crate) fn unplaceable(&mut self, outputs: &[Output]) -> Result<Vec<String>, EngineError> {
        let mut problems = Vec::new();
        for Output { path, content } in outputs {
            let what = match self.store.read(path) {
                Some(_) => store::What::Write(content.clone()),
                None => store::What::Create(content.clone()),
            };
            let commit = store::Commit::new("", 0, vec![(path.clone(), what)]);
            match self.store.prepare(&commit) {
                Ok(()) => {}
                Err(CommitError::Fault(fault)) if fault.kind != store::FaultKind::NotAFile => return Err(fault.into()),
                Err(error) => problems.push(error.to_string()),
            }
        }
        Ok(problems)
    }

    fn file_exists(&self, path: &str) -> bool {
        let Ok(path) = ProjectPath::any(path) else { return false };
        self.store.read(&path).is_some() || matches!(self.store.fs().look(&path), Ok(Some(_)))
    }

    fn checkpoint_if_due(&mut self) -> Result<(), EngineError> {
        if !self.store.checkpoint_is_due() {
            return Ok(());
        }
        let Self { store, state, hierarchy, edited, heard, .. } = self;
        store.checkpoint(|news| {
            *heard |= !news.is_empty();
            for record in news {
                match record.body.as_deref().and_then(Body::of) {
                    Some(body) => state.follow_step(hierarchy, &record, &body),
                    None => {
                        state.follow_documents(&record);
                        state.memory.forget();
                        for run in state.runs.keys().chain(state.hosted.keys()) {
                            edited.entry(run.clone()).or_insert(record.number - 1);
                        }
                    }
                }
            }
            let fold = Fold {
                format: FOLD_FORMAT,
                runs: state.runs.clone(),
                files: state.files.clone(),
                inputs: state.inputs.clone(),
                owners: state.owners.clone(),
                hosted: hosted::kept(&state.hosted),
                begun: state.begun.clone(),
            };
            serde_json::value::to_raw_value(&fold).ok()
        })?;
        self.head = self.store.head().number;
        Ok(())
    }

    /// Which run is meant by a prefix of its id, or `last`.
    pub fn find_run(&self, name: &str) -> Result<String, EngineError> {
        let known = self.run_ids();
        if name.is_empty() {
            return Err(EngineError::refused("no run is named", "give the beginning of its id, or `last`"));
        }
        if name == "last" {
            return self
                .newest_run(&known)
                .ok_or_else(|| EngineError::refused("there is no run yet", "`multiverse run \"…\"` starts one"));
        }
        if known.contains(name) {
            return Ok(name.into());
        }
        let fitting: Vec<&String> = known.iter().filter(|id| id.starts_with(name)).collect();
        match fitting.as_slice() {
            [one] => Ok((*one).clone()),
            [] => {
                let hint = "give the beginning of its id, or `last`; `multiverse status --all` lists the runs";
                Err(EngineError::refused(format!("there is no run {name:?}"), hint))
            }
            several => {
                let shown: Vec<&str> = several.iter().take(5).map(|id| id.as_str()).collect();
                Err(EngineError::refused(
                    format!("{name:?} can be {} runs: {}", several.len(), shown.join(", ")),
                    "give more of the id",
                ))
            }
        }
    }

    /// The run that began last.
    fn newest_run(&self, known: &BTreeSet<String>) -> Option<String> {
        let hosted = self.state.begun.last().and_then(|id| self.state.hosted.get_key_value(id));
        let own = known.iter().filter(|id| !self.is_hosted(id)).max_by_key(|id| dialect::countable(id)).cloned();
        let (Some((id, run)), Some(own)) = (hosted, &own) else { return hosted.map(|(id, _)| id.clone()).or(own) };
        let digits = |text: &str| text.chars().filter(char::is_ascii_digit).take(14).collect::<String>();
        let is_newer = match digits(own) {
            began if began.len() == 14 => digits(run.standing().began_at) >= began,
            // A number says nothing of the time: what is under way is meant.
            _ => !run.standing().is_over,
        };
        Some(if is_newer { id.clone() } else { own.clone() })
    }

    /// All runs, whether they are over or not.
    pub(crate) fn run_ids(&self) -> BTreeSet<String> {
        let text = self.read(self.protocol().runs.path).cloned().unwrap_or_default();
        let rows = self.protocol().runs(&text).into_iter().map(|row| row.run_id);
        rows.chain(self.state.runs.keys().chain(self.state.hosted.keys()).cloned()).collect()
    }
}

/// A time on the clock that people read, as facts spell it.
fn spelled(wall: i128) -> String {
    let now = jiff::Timestamp::from_nanosecond(wall).unwrap_or_default();
    // Cut, not rounded: nothing is said to be over before it is.
    let now = jiff::Timestamp::from_second(now.as_second()).unwrap_or_default();
    format!("{now:.0}")
}

/// The protocol that a project's documents are of, or that was asked for where there are none.
fn protocol_of<F: Fs>(store: &Store<F>, settings: &Settings) -> Result<&'static Protocol, EngineError> {
    let is_there = |path: &&str| {
        let Ok(path) = ProjectPath::any(path) else { return false };
        store.read(&path).is_some() || matches!(store.fs().look(&path), Ok(Some(_)))
    };
    let found = if is_there(&multiverse::TEMPLATE) {
        Some(&multiverse::PROTOCOL)
    } else if [lineage::PHASES, lineage::STAGES, "db/data_base_catalog.md"].iter().any(is_there) {
        Some(&lineage::PROTOCOL)
    } else {
        None
    };
    let Some(name) = &settings.protocol else { return Ok(found.unwrap_or(&multiverse::PROTOCOL)) };
    let Some(asked) = Protocol::named(name) else {
        let reason = format!("there is no protocol {name:?}");
        return Err(EngineError::refused(reason, "valid: multiverse, lineage"));
    };
    match found {
        Some(found) if found.hierarchy.protocol != asked.hierarchy.protocol => {
            let found = found.hierarchy.protocol;
            let reason = format!("this is a project of the protocol {found}, and {name} was asked for");
            Err(EngineError::refused(reason, format!("use a folder of its own, or ask for {found}")))
        }
        _ => Ok(asked),
    }
}

/// A run of which nothing but its name is known.
pub(crate) fn named_run(id: &str, hierarchy: &Hierarchy) -> Run {
    let mut run = None;
    let started = machine::Fact::Started {
        protocol: hierarchy.protocol.into(),
        request: String::new(),
        mode: machine::Mode::InitialRun,
        retry_of: None,
        definition: String::new(),
        at: String::new(),
    };
    machine::apply(hierarchy, &mut run, id, &started);
    #[expect(clippy::expect_used, reason = "a start makes a run, whatever else it says")]
    run.expect("a start makes a run")
}
