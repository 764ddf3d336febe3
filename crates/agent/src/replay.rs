//! Owns recordings of agent calls and the backend that answers from them (BY-19): which recording answers which brief, with
//! the names of one run turned into those of another, and what of a brief is other than it was. Must not know how
//! recordings come to be kept, nor judge what they say.

mod compare;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::backend::{Backend, Ending, Job, Meter};
use crate::contract::{Brief, Usage};
use crate::guidance::guide;
use crate::model::{Kept, Recorded, rehearse};
use crate::prompt::Prompts;
use crate::scratch::Scratch;
use compare::Comparison;

/// The version of recordings that these types are.
pub const RECORDING: u32 = 1;
/// The largest recording that is read, in bytes.
const MAX_RECORDING: u64 = 512 << 20;
/// The largest input whose content is compared: it is held in memory for it.
const MAX_INPUT: u64 = 64 << 20;
/// The most recordings of a run.
const MAX_RECORDINGS: usize = 1_000_000;
/// The most differences that are kept.
const MAX_DIFFERENCES: usize = 1000;

/// One call of an agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Recording {
    /// The version of recordings, see [`RECORDING`].
    pub format: u32,
    /// The attempt.
    pub fence: u64,
    /// The agent, as it was named.
    pub agent: String,
    /// The digest of what a model was told, or of the brief's prompt.
    pub prompt: String,
    /// What it was given; without its working folder.
    pub brief: Brief,
    /// The digests of the files that it was given, the run's name left out of their text.
    #[serde(default)]
    pub files: BTreeMap<String, String>,
    /// How it ended; the content of files that are kept beside it is left out of a report.
    pub ending: Ending,
    /// The files it made: where each goes, and the name of the file beside the recording that has its content.
    #[serde(default)]
    pub outputs: BTreeMap<String, String>,
    /// What it used.
    #[serde(default)]
    pub usage: Usage,
}

/// What to do when a brief is other than the recorded one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Differences {
    /// Say so, and answer all the same.
    Tell,
    /// Stop.
    Refuse,
}

/// Answers briefs from the recordings of another run.
#[derive(Debug)]
pub struct Replay {
    folder: PathBuf,
    /// The recorded run.
    run: String,
    mode: Differences,
    recordings: BTreeMap<Key, Vec<(u32, u64)>>,
    /// What its briefs tell of the whole of it.
    seen: Seen,
    prompts: Arc<Prompts>,
    state: Mutex<State>,
}

/// What the briefs of a recorded run tell of the whole of it.
#[derive(Debug, Default)]
struct Seen {
    /// Every file that was catalogued or made in it, the run's name as it was.
    files: BTreeSet<String>,
    /// The tools that could be planned.
    tools: BTreeSet<String>,
    /// The roles that were given AGENTS.md or skills.
    guided: BTreeSet<String>,
    /// All roles that were played.
    roles: BTreeSet<String>,
}

impl Seen {
    fn add(&mut self, brief: &Brief) {
        let rows = |list: &str| brief.context[list].as_array().cloned().unwrap_or_default();
        let catalog = rows("catalog");
        self.files.extend(catalog.iter().filter_map(|row| Some(row["file_path"].as_str()?.to_string())));
        self.files.extend(brief.expects.outputs.iter().cloned());
        self.tools.extend(rows("tool_types").iter().filter_map(|tool| Some(tool.as_str()?.to_string())));
        self.roles.insert(brief.role.clone());
        if brief.files.iter().any(|file| guide(file).is_some()) {
            self.guided.insert(brief.role.clone());
        }
    }
}

#[derive(Debug, Default)]
struct State {
    /// Recordings that were used.
    used: BTreeSet<u64>,
    /// What was other than recorded.
    differences: Vec<String>,
    /// Whether the time that an attempt was given depended on how long others had taken.
    is_timed: bool,
}

/// What a brief is about.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    role: String,
    action: String,
    plan_target: Option<String>,
    item: Option<String>,
}

impl Key {
    fn of(brief: &Brief) -> Self {
        Self {
            role: brief.role.clone(),
            action: brief.action.clone(),
            plan_target: brief.plan_target.clone(),
            item: brief.item_id().map(String::from),
        }
    }
}

/// The name of a recording.
pub fn recording_name(fence: u64) -> String {
    format!("{fence:06}.json")
}

/// The name of what a model and its provider said to each other in an attempt.
pub fn wire_name(fence: u64) -> String {
    format!("{fence:06}.wire.jsonl")
}

/// What a brief is about, in a word.
fn brief_name(brief: &Brief) -> &str {
    brief.item_id().or(brief.plan_target.as_deref()).unwrap_or(&brief.action)
}

impl Replay {
    /// The recordings of a run; what cannot be read is said, and so is that there are none.
    pub fn open(folder: &Path, run: &str, mode: Differences) -> Result<Self, String> {
        let replay = Self::of_steps(folder, run, mode)?;
        match replay.recordings.is_empty() {
            true => Err(format!("{}: no agent call of this run was recorded", folder.display())),
            false => Ok(replay),
        }
    }

    /// The same of a run in which code may have done everything.
    pub fn of_steps(folder: &Path, run: &str, mode: Differences) -> Result<Self, String> {
        let fault = |error: &dyn std::fmt::Display| format!("{}: {error}", folder.display());
        let mut recordings: BTreeMap<Key, Vec<(u32, u64)>> = BTreeMap::new();
        let mut names: Vec<String> = std::fs::read_dir(folder)
            .map_err(|error| fault(&error))?
            .flatten()
            .filter_map(|entry| entry.file_name().into_string().ok())
            .filter(|name| name.ends_with(".json"))
            .take(MAX_RECORDINGS)
            .collect();
        names.sort();
        let mut seen = Seen::default();
        for name in names {
            let recording = read(&folder.join(&name))?;
            seen.add(&recording.brief);
            let found = recordings.entry(Key::of(&recording.brief)).or_default();
            found.push((recording.brief.attempt, recording.fence));
        }
        recordings.values_mut().for_each(|found| found.sort_by_key(|(_, fence)| *fence));
        let (prompts, state) = (Prompts::built_in(), Mutex::default());
        Ok(Self { folder: folder.to_path_buf(), run: run.into(), mode, recordings, seen, prompts, state })
    }

    /// The words in which agents are asked now, where they are not our own.
    pub fn with_prompts(mut self, prompts: Arc<Prompts>) -> Self {
        self.prompts = prompts;
        self
    }

    /// The tools that could be planned in the recorded run; nothing if none of its briefs tells.
    pub fn tools(&self) -> Option<BTreeSet<String>> {
        (!self.seen.tools.is_empty()).then(|| self.seen.tools.clone())
    }

    /// The roles that were given AGENTS.md or skills in it.
    pub fn guided(&self) -> &BTreeSet<String> {
        &self.seen.guided
    }

    /// All roles that agents played in it.
    pub fn roles(&self) -> &BTreeSet<String> {
        &self.seen.roles
    }

    /// The time that an attempt has is no difference: it was what others had left.
    pub fn leave_time_aside(&self) {
        self.lock().is_timed = true;
    }

    /// Whether to stop where something is other than recorded.
    pub fn mode(&self) -> Differences {
        self.mode
    }

    /// What of this attempt is other than recorded: what its agent would be told, and what a model would be asked; nothing
    /// if it was not recorded. `content` are the files as they were then, where that is known.
    pub fn held_against(
        &self,
        fence: u64,
        brief: Brief,
        project: &Path,
        content: &dyn Fn(&str) -> Option<Vec<u8>>,
    ) -> Result<Option<Vec<String>>, String> {
        let path = self.folder.join(recording_name(fence));
        if !path.exists() {
            return Ok(None);
        }
        let recording = read(&path)?;
        let (project, workdir, meter) = (project.to_path_buf(), PathBuf::new(), Meter::default());
        let job = Job { brief, project, workdir, readable: Vec::new(), meter };
        let comparison = self.comparison(&job.brief.run_id);
        let mut differences = comparison.of_briefs(&recording, &job.brief);
        differences.extend(comparison.of_files(&recording, &digests_of(&job.brief, content)));
        differences.extend(self.rehearsed(&recording, &job));
        Ok(Some(differences))
    }

    /// What was other than recorded, so far: `T05: context.request: "a", recorded "b"`.
    pub fn differences(&self) -> Vec<String> {
        self.lock().differences.clone()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The first recording of this work that was not used, of this attempt or a later one: what was lost was not recorded.
    fn take(&self, brief: &Brief) -> Option<u64> {
        let mut state = self.lock();
        let found = self.recordings.get(&Key::of(brief))?.iter();
        let mut free = found.filter(|(_, fence)| !state.used.contains(fence)).copied();
        let (_, fence) = free.find(|(attempt, _)| *attempt >= brief.attempt)?;
        state.used.insert(fence);
        Some(fence)
    }

    fn comparison<'a>(&'a self, now: &'a str) -> Comparison<'a> {
        let is_timed = self.lock().is_timed;
        Comparison { run: &self.run, now, known: &self.seen.files, prompts: &self.prompts, is_timed }
    }

    fn answer(&self, job: &Job) -> Result<Ending, String> {
        let brief = &job.brief;
        let fence = self.take(brief).ok_or_else(|| {
            let key = Key::of(brief);
            let what = key.item.or(key.plan_target).unwrap_or_default();
            format!("{} has no recording of {} {what}, attempt {}", self.run, key.action, brief.attempt)
        })?;
        let recording = read(&self.folder.join(recording_name(fence)))?;
        let comparison = self.comparison(&brief.run_id);
        let mut differences = comparison.of(&recording, job);
        differences.extend(self.rehearsed(&recording, job));
        let refused = differences.first().filter(|_| self.mode == Differences::Refuse).cloned();
        let mut state = self.lock();
        let room = MAX_DIFFERENCES.saturating_sub(state.differences.len());
        state.differences.extend(differences.into_iter().take(room));
        drop(state);
        if let Some(first) = refused {
            return Err(format!("the brief is other than the recorded one: {first}"));
        }
        job.meter.add(&recording.usage);
        self.write_outputs(&recording, job)?;
        let renamed = |text: String| text.replace(&self.run, &brief.run_id);
        Ok(match recording.ending {
            Ending::Report { report, log } => {
                let mut value = serde_json::to_value(&report).map_err(|error| error.to_string())?;
                rename(&mut value, &self.run, &brief.run_id);
                let report = serde_json::from_value(value).map_err(|error| error.to_string())?;
                Ending::Report { report, log: renamed(log) }
            }
            Ending::Broken { problems, said, log } => Ending::Broken {
                problems: problems.into_iter().map(renamed).collect(),
                said: said.replace(&self.run, &brief.run_id),
                log: log.replace(&self.run, &brief.run_id),
            },
            Ending::Failed { error, log } => Ending::Failed { error: renamed(error), log: renamed(log) },
            // Those are not recorded; whoever wrote one by hand gets what was meant.
            other @ (Ending::Later { .. } | Ending::Waiting | Ending::Stopped) => other,
        })
    }

    /// What of the exchanges of a model with its provider would be other today, in the words and by the rules of now. The
    /// brief is the recorded one: what is other in that was told already.
    fn rehearsed(&self, recording: &Recording, job: &Job) -> Vec<String> {
        let Ok(text) = std::fs::read_to_string(self.folder.join(wire_name(recording.fence))) else { return Vec::new() };
        let kept = text.lines().filter_map(Kept::of_line).collect();
        let left = recording.outputs.iter().filter(|(path, kept)| {
            crate::check::path_problem(path).is_none() && crate::check::path_problem(kept).is_none()
        });
        let left = left.map(|(path, kept)| (PathBuf::from(path), self.folder.join(kept))).collect();
        let Ok(scratch) = Scratch::make(&job.project, recording.fence, &recording.brief) else { return Vec::new() };
        let workdir = scratch.workdir();
        let brief = Brief { workdir: workdir.display().to_string(), ..recording.brief.clone() };
        let again = Job { brief, project: job.project.clone(), workdir, readable: Vec::new(), meter: Meter::default() };
        let recorded = Recorded { agent: &recording.agent, kept, ending: &recording.ending, left };
        let found = rehearse(recorded, &again, self.prompts.clone()).unwrap_or_default();
        // What cannot be removed now is swept up by the next opening.
        let _ = scratch.remove();
        let what = brief_name(&recording.brief);
        found.into_iter().map(|difference| format!("{what}: {difference}")).collect()
    }

    fn write_outputs(&self, recording: &Recording, job: &Job) -> Result<(), String> {
        for (path, kept) in &recording.outputs {
            let fault = |error: std::io::Error| format!("{path}: {error}");
            if let Some(problem) = crate::check::path_problem(path).or_else(|| crate::check::path_problem(kept)) {
                return Err(format!("{path}: {problem}"));
            }
            let content = std::fs::read(self.folder.join(kept)).map_err(fault)?;
            let content = match String::from_utf8(content) {
                Ok(text) => text.replace(&self.run, &job.brief.run_id).into_bytes(),
                Err(bytes) => bytes.into_bytes(),
            };
            let place = job.workdir.join(path.replace(&self.run, &job.brief.run_id));
            place.parent().map_or(Ok(()), std::fs::create_dir_all).map_err(fault)?;
            std::fs::write(&place, content).map_err(fault)?;
        }
        Ok(())
    }
}

impl Backend for Replay {
    fn name(&self) -> String {
        format!("replay:{}", self.run)
    }

    fn work(&self, job: &Job, stop: &tools::Stop, _say: &dyn Fn(&str)) -> Ending {
        if stop.is_stopped() {
            return Ending::Stopped;
        }
        self.answer(job).unwrap_or_else(|error| Ending::Failed { error, log: String::new() })
    }
}

fn read(path: &Path) -> Result<Recording, String> {
    let fault = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
    let about = std::fs::metadata(path).map_err(|error| fault(&error))?;
    if !about.is_file() || about.len() > MAX_RECORDING {
        return Err(fault(&"is no recording: too large, or no ordinary file"));
    }
    let bytes = std::fs::read(path).map_err(|error| fault(&error))?;
    let recording: Recording = serde_json::from_slice(&bytes).map_err(|error| fault(&error))?;
    match recording.format > RECORDING {
        true => Err(fault(&format!("has format {}; this program reads {RECORDING}", recording.format))),
        false => Ok(recording),
    }
}

/// The digests of the inputs that a brief names, and of what its own run made. Tables of the whole project change with
/// every run and are left out; in text the run's name is left out.
pub fn digests(brief: &Brief, project: &Path) -> BTreeMap<String, String> {
    digests_of(brief, &|path| {
        let path = project.join(path);
        std::fs::metadata(&path).ok().filter(|about| about.is_file() && about.len() <= MAX_INPUT)?;
        std::fs::read(path).ok()
    })
}

/// The same of files whose content is known some other way.
fn digests_of(brief: &Brief, content: &dyn Fn(&str) -> Option<Vec<u8>>) -> BTreeMap<String, String> {
    let named = brief.files.iter().filter(|file| !file.path.starts_with("db/"));
    let digest = |path: &str| {
        let content = match String::from_utf8(content(path)?) {
            Ok(text) => text.replace(&brief.run_id, "").into_bytes(),
            Err(bytes) => bytes.into_bytes(),
        };
        Some(blake3::hash(&content).to_hex().to_string())
    };
    named.filter_map(|file| Some((file.path.clone(), digest(&file.path)?))).collect()
}

/// Puts one name for another in every text of a value.
fn rename(value: &mut Value, from: &str, to: &str) {
    match value {
        Value::String(text) if text.contains(from) => *text = text.replace(from, to),
        Value::Array(items) => items.iter_mut().for_each(|item| rename(item, from, to)),
        Value::Object(fields) => fields.values_mut().for_each(|field| rename(field, from, to)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
