//! What a new run learns from (MV-05): which past runs are like its request, and what the Planner is told of them. The
//! choice is made once, when the request comes, and becomes a fact; nothing here is asked again when a run goes on.

use std::collections::HashSet;

use agent::BriefFile;
use dialect::{Field, Protocol};
use knowledge::{Choice, Index, Past, Score};
use machine::{Input, Mode, PastRun, Run, State as ItemState, Status, Target, Verdict, Work};
use serde_json::{Map, Value, json};
use store::{Fs, ProjectPath, Store};
use text::Text;

use crate::brief::{is_replaced_by, readable};
use crate::engine::Engine;
use crate::files::beginning;
use crate::step::{Order, State};

/// The most of a past request, or of its error, that is kept with a run, in characters.
const KEPT_CHARACTERS: usize = 240;
/// How many runs beyond those that are told are looked at more closely.
const LOOKED_AT: usize = 20;
/// The most files of a past run that the Planner is given.
const FILES_GIVEN: usize = 6;
/// The most catalog rows of a past run that the Planner is told.
const FILES_TOLD: usize = 60;
/// The most instructions of a past run that the Planner is told.
const INSTRUCTIONS_TOLD: usize = 50;
/// The most of a document of a past run that is read, in bytes.
const DOCUMENT_BYTES: u64 = 4 * 1024 * 1024;
/// The most of a failure report that the Planner is told, in bytes.
const FAILURE_BYTES: u64 = 8 * 1024;

/// Which past runs count as alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Learning {
    /// The least score, in thousandths.
    pub least: u16,
    /// How many at most.
    pub most: usize,
}

impl Default for Learning {
    fn default() -> Self {
        Self { least: 150, most: 5 }
    }
}

/// What is remembered of runs that are over. It follows from the table of runs, and is made when it is first needed.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    past: Option<Index>,
    failed: HashSet<Box<str>>,
}

impl Memory {
    /// A run is over: it can be learned from.
    pub(crate) fn ended(&mut self, run: &Run) {
        if let Some(index) = &mut self.past {
            index.add(Past { run_id: &run.id, request: &run.request });
            if run.status == Status::Failed {
                self.failed.insert(run.id.as_str().into());
            }
        }
    }

    /// The table of runs was changed by others than runs.
    pub(crate) fn forget(&mut self) {
        *self = Self::default();
    }

    fn load(&mut self, protocol: &Protocol, runs: impl FnOnce() -> Text) -> &Index {
        let Self { past, failed } = self;
        past.get_or_insert_with(|| {
            let mut index = Index::default();
            for row in protocol.runs(&runs()) {
                let is_failed = row.status == Some(Status::Failed);
                if is_failed || row.status == Some(Status::Completed) {
                    index.add(Past { run_id: &row.run_id, request: &row.user_request });
                }
                if is_failed {
                    failed.insert(row.run_id.into());
                }
            }
            index
        })
    }
}

impl<F: Fs> Engine<F> {
    /// The past runs that an order brings into its run.
    pub(crate) fn past_for(&mut self, order: &Order) -> Vec<PastRun> {
        match order {
            Order::Start { mode: Mode::ContinuousRun, request, .. } => self.past_like(request),
            Order::Retry { legacy, .. } if legacy.old.mode == Mode::ContinuousRun => {
                self.past_like(&legacy.old.request)
            }
            Order::To { run, input: Input::Answer { verdict: Verdict::NewRequest(request), .. }, .. } => {
                match self.run(run).is_some_and(|run| run.mode == Mode::ContinuousRun) {
                    true => self.past_like(request),
                    false => Vec::new(),
                }
            }
            _ => Vec::new(),
        }
    }

    /// The past runs that are like a request, best first.
    pub(crate) fn past_like(&mut self, request: &str) -> Vec<PastRun> {
        let Learning { least, most } = self.settings.learning;
        if most == 0 {
            return Vec::new();
        }
        let protocol = self.state.protocol;
        let runs = || self.store.read(&ProjectPath::any(protocol.runs.path).ok()?).cloned();
        let index = self.state.memory.load(protocol, || runs().unwrap_or_default());
        // Those that come near by their requests are looked at more closely: at what they were agreed to do, and left.
        let near = Choice { least: Score(least / 3), most: most.saturating_add(LOOKED_AT) };
        let mut found = index.rank(request, near, |_| true);
        for ranked in &mut found {
            let context = self.context_of(&ranked.run_id);
            ranked.score = knowledge::with_context(ranked.score, request, &self.request_of(&ranked.run_id), &context);
        }
        found.retain(|ranked| ranked.score >= Score(least));
        found.sort_by(|one, other| other.score.cmp(&one.score).then_with(|| other.run_id.cmp(&one.run_id)));
        found.truncate(most);
        let mut past = Vec::with_capacity(found.len());
        for ranked in found {
            let id = ranked.run_id;
            let is_failed = self.state.memory.failed.contains(id.as_str());
            let failure = if is_failed { error_of(&self.store, &id) } else { String::new() };
            let files = files_of(&mut self.state, &self.store, &id).into_iter().map(|file| file.path);
            past.push(PastRun {
                score: ranked.score.0,
                status: if is_failed { Status::Failed } else { Status::Completed },
                shared: ranked.why,
                request: short(&self.request_of(&id)),
                failure: short(&failure),
                files: files.take(FILES_GIVEN).collect(),
                run_id: id,
            });
        }
        past
    }

    /// What a past run was agreed to do, and the summaries of what it left, as one text.
    fn context_of(&mut self, run: &str) -> String {
        let told = instructions_of(&mut self.state, &self.store, run);
        let agreed = told.as_array().into_iter().flatten().filter_map(|one| one["content"].as_str());
        let mut texts: Vec<String> = agreed.map(str::to_owned).collect();
        let left = files_of(&mut self.state, &self.store, run).into_iter().take(FILES_TOLD);
        texts.extend(left.map(|file| file.summary));
        texts.join("\n")
    }

    fn request_of(&mut self, run: &str) -> String {
        let runs = self.protocol().runs.path;
        let Some(text) = self.read(runs).cloned() else { return String::new() };
        let Ok(sheet) = self.state.sheets.sheet(runs, &text) else { return String::new() };
        sheet.find(run).map(|row| sheet.value(row, Field::Request)).unwrap_or_default()
    }

    /// Whether a file of another run stands in the catalog: others may not be read (MV-36).
    pub(crate) fn is_withheld(&mut self, run: &str, path: &str) -> bool {
        let is_foreign = |folder: &str| {
            let inside = path.strip_prefix(folder).and_then(|rest| rest.split_once('/'));
            inside.is_some_and(|(owner, _)| owner != run)
        };
        let shares = self.protocol().has_catalogs();
        if !is_foreign("runs/") && (shares || !is_foreign("outputs/")) {
            return false;
        }
        if shares {
            let owner = path.split('/').nth(1).unwrap_or_default();
            let Some(text) = self.content_of(&self.protocol().catalog_path(owner)) else { return true };
            return !self.protocol().catalog(&text).iter().any(|row| row.file_path == path);
        }
        let catalog = self.protocol().catalog.path;
        let Some(text) = self.read(catalog).cloned() else { return true };
        !self.state.sheets.sheet(catalog, &text).is_ok_and(|sheet| sheet.find(path).is_some())
    }
}

/// The files of past runs that the Planner is given for a plan or a proposal, and why.
pub(crate) fn files(run: &Run, work: &Work) -> Vec<BriefFile> {
    if !matches!(work, Work::Plan(Target::Proposal | Target::Children(_))) {
        return Vec::new();
    }
    let mut files = Vec::new();
    for past in &run.learned {
        let alike = format!("past run {} (score {})", past.run_id, Protocol::score_text(past.score));
        if past.status == Status::Failed {
            files.push(readable(&Protocol::failure_report(&past.run_id), format!("failure report of {alike}")));
        }
        files.extend(past.files.iter().map(|path| readable(path, format!("made by {alike}"))));
    }
    files
}

/// What the Planner is told of past runs: each with its score, its end, its instructions and its catalog rows.
pub(crate) fn told<F: Fs>(state: &mut State, store: &Store<F>, run: &Run) -> Value {
    if let Some(known) = state.told.get(&run.id) {
        return known.clone();
    }
    let told = run.learned.iter().map(|past| told_of(state, store, past)).collect();
    let told = Value::Array(told);
    state.told.insert(run.id.clone(), told.clone());
    told
}

fn told_of<F: Fs>(state: &mut State, store: &Store<F>, past: &PastRun) -> Value {
    let id = past.run_id.as_str();
    let rows: Vec<Value> = files_of(state, store, id).into_iter().take(FILES_TOLD).map(|file| file.row(id)).collect();
    let mut told = Map::new();
    told.insert("run_id".into(), json!(id));
    told.insert("score".into(), json!(f64::from(past.score) / 1000.0));
    told.insert("status".into(), json!(crate::views::status_word(past.status)));
    told.insert("shared_words".into(), json!(past.shared));
    told.insert("request".into(), json!(past.request));
    told.insert("instructions".into(), instructions_of(state, store, id));
    told.insert("catalog".into(), Value::Array(rows));
    if past.status == Status::Failed {
        let path = Protocol::failure_report(id);
        let report = content(store, &path, FAILURE_BYTES);
        let report = report.map(|report| String::from_utf8_lossy(&report).into_owned()).unwrap_or_default();
        told.insert("failure_report".into(), json!({"path": path, "text": report}));
    }
    Value::Object(told)
}

/// A file that a past run left, as the catalog has it.
struct Left {
    path: String,
    asset_type: String,
    task: String,
    summary: String,
}

impl Left {
    fn row(self, run: &str) -> Value {
        let Self { path, asset_type, task, summary } = self;
        json!({"file_path": path, "run_id": run, "asset_type": asset_type, "source_task_id": task, "summary": summary})
    }
}

/// What a past run left, the deliverables first and then what was made last; only what the catalog lists.
fn files_of<F: Fs>(state: &mut State, store: &Store<F>, run: &str) -> Vec<Left> {
    let read = |path: &str| content(store, path, DOCUMENT_BYTES).map(Text::from);
    let items = state.protocol.lift(&read, run).items;
    let done = items.into_iter().filter(|item| item.state == ItemState::Completed && !item.output.is_empty());
    let mut paths: Vec<String> = done.map(|item| item.output).collect();
    paths.reverse();
    paths.sort_by_key(|path| !path.starts_with("outputs/"));
    if state.protocol.has_catalogs() {
        let rows =
            read(&state.protocol.catalog_path(run)).map(|text| state.protocol.catalog(&text)).unwrap_or_default();
        let left = paths.into_iter().filter_map(|path| {
            let row = rows.iter().find(|row| row.file_path == path)?;
            let (asset_type, task) = (row.asset_type.clone(), row.source_task_id.clone());
            Some(Left { path, asset_type, task, summary: row.summary.clone() })
        });
        return left.collect();
    }
    paths.push(state.protocol.feedback(run));
    let catalog = state.protocol.catalog.path;
    let Some(text) = ProjectPath::any(catalog).ok().and_then(|path| store.read(&path).cloned()) else {
        return Vec::new();
    };
    let Ok(sheet) = state.sheets.sheet(catalog, &text) else { return Vec::new() };
    let mut left = Vec::new();
    for path in paths {
        let Some(row) = sheet.find(&path) else { continue };
        let mut cell = |field| sheet.value(row, field);
        let (asset_type, task, summary) = (cell(Field::AssetType), cell(Field::Source), cell(Field::Summary));
        left.push(Left { path, asset_type, task, summary });
    }
    left
}

/// The instructions that a past run brought, and whether each still holds. Their ids are numbered.
fn instructions_of<F: Fs>(state: &mut State, store: &Store<F>, run: &str) -> Value {
    let mut told = Vec::new();
    let instructions = state.protocol.instructions.path;
    let repeats = state.repeats.clone();
    let text = ProjectPath::any(instructions).ok().and_then(|path| store.read(&path).cloned());
    if let Some(text) = text
        && let Ok(sheet) = state.sheets.sheet(instructions, &text)
    {
        for number in 1..=INSTRUCTIONS_TOLD {
            let id = format!("I-{run}-{number:02}");
            let Some(row) = sheet.find(&id) else { break };
            let mut cell = |field| sheet.value(row, field);
            let (content, status) = (cell(Field::Content), cell(Field::Status));
            let was_active = is_replaced_by(repeats.as_deref(), &sheet.value(row, Field::SupersededBy));
            let status = if was_active { "ACTIVE".into() } else { status.trim_matches(['*', '_', '`']).to_uppercase() };
            told.push(json!({"instruction_id": id, "run_id": run, "content": content, "status": status}));
        }
    }
    Value::Array(told)
}

/// The original error in a failure report.
fn error_of<F: Fs>(store: &Store<F>, run: &str) -> String {
    let report = content(store, &Protocol::failure_report(run), FAILURE_BYTES).unwrap_or_default();
    Protocol::error_in(&String::from_utf8_lossy(&report))
}

/// A document of a past run: it may be in memory no more.
fn content<F: Fs>(store: &Store<F>, path: &str, most: u64) -> Option<Vec<u8>> {
    let path = ProjectPath::any(path).ok()?;
    match store.read(&path) {
        Some(text) => Some(text.to_vec()),
        None => beginning(store.fs(), &path, most).ok()?,
    }
}

fn short(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match text.char_indices().nth(KEPT_CHARACTERS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}
