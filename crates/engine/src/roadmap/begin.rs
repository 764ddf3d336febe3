//! How a task is run: its session begins with the log as it is, or the one that is open is joined (RM-01, RM-11, RM-17).

use dialect::roadmap::{
    CONFIG, Config, FOLDER, Log, Source, TASK_ENDING, TaskFile, initial_config, initial_task, is_wanted, reading,
};
use machine::roadmap::{self as pool, Beginning as Task, Ground};
use store::{Commit, CommitError, Fs, ProjectPath, What};

use super::shelf::Shelf;
use super::{Carried, PROTOCOL, follow, in_world, read_task, repository, tell};
use crate::fault::EngineError;
use crate::hosted::{Beginning, Followed, World};
use crate::service::Service;
use crate::settings::Casting;
use crate::step::Order;

/// How often it is tried again because another process began, or ended, a session of the same task just then.
const TRIES: u32 = 100;
/// The most task files of a project, and how deep folders of tasks are looked into.
const MOST_TASKS: usize = 1000;
const DEPTH: usize = 4;

/// A task that can be run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TaskFound {
    /// Its name.
    pub name: String,
    /// Its file, from the project's root.
    pub path: String,
    /// Who is to work on it, as it says.
    pub agents: Vec<String>,
    /// The model that it names.
    pub model: Option<String>,
    /// What is odd in it: file, line, and in words.
    pub problems: Vec<String>,
}

/// A session that this process takes part in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Joined {
    /// Its run.
    pub run: String,
    /// Whether it began just now.
    pub is_new: bool,
}

/// What a session begins with, beside what its documents say.
#[derive(Debug)]
struct Begins {
    task_file: String,
    ground: Ground,
    definition: String,
}

impl Beginning for Begins {
    fn begin(&self, id: &str, world: &World<'_>) -> Result<Followed, EngineError> {
        let text = (world.read)(&self.task_file).ok_or_else(|| no_task(&self.task_file))?;
        let file = TaskFile::read(&self.task_file, &text.to_vec());
        let log_file = file.log_path();
        for (other, run) in world.runs.iter().filter(|(_, run)| run.protocol() == PROTOCOL && !run.standing().is_over) {
            let Some(known) = session_of(run.as_ref()) else { continue };
            if known.task_file == self.task_file {
                return Err(EngineError::Again);
            }
            if known.log_file == log_file {
                let reason = format!("{log_file} is in use by the task {} ({other})", known.name);
                let hint =
                    format!("wait for it, `multiverse cancel {other}`, or give this task a log of its own (useLog)");
                return Err(EngineError::refused(reason, hint));
            }
        }
        // A missing log is made by code before the first step (RM-17).
        let (log, is_new) = match (world.read)(&log_file) {
            Some(text) => (Log::read(&log_file, text), false),
            None => (Log::create(&log_file, &file.name, world.now), true),
        };
        let task = Task {
            name: file.name.clone(),
            task_file: self.task_file.clone(),
            log_file: log_file.clone(),
            dirs: file.dirs.clone(),
            ground: self.ground,
            quota: file.quota.unwrap_or(world.settings.roadmap.quota),
            period: file.period,
            period_key: log.front().period.clone(),
            task: read_task(&file),
            asked: asked_before(world, &self.task_file),
            log: reading(&log),
            planned: log.front().goal.clone(),
            definition: self.definition.clone(),
            executor: world.settings.roadmap.executor.clone(),
        };
        let decision = in_world(id, world, world.free, |inner, limits| pool::start(id, &task, inner, limits))?;
        let odd = tell::oddities(id, &log_file, log.problems());
        let shelf = if is_new { Shelf::of_new(log) } else { Shelf::of(log) };
        let mut followed = follow(None, shelf, decision, world)?;
        followed.notices.extend(odd);
        Ok(followed)
    }
}

/// What the newest session of a task asked and was not answered.
fn asked_before(world: &World<'_>, task_file: &str) -> Vec<pool::Question> {
    let sessions = world.runs.values().filter_map(|run| session_of(run.as_ref()));
    let last = sessions.filter(|one| one.task_file == task_file).max_by_key(|one| (&one.since, &one.id));
    last.map(|last| last.questions.iter().map(|(_, one)| one.clone()).collect()).unwrap_or_default()
}

fn no_task(path: &str) -> EngineError {
    let hint =
        "`multiverse init --protocol roadmap` makes a first one; `multiverse roadmap status` lists those there are";
    EngineError::refused(format!("there is no task file {path}"), hint)
}

/// The file of a task that stands in the configuration itself.
fn prompt_file(name: &str) -> String {
    let plain = |letter: char| if letter.is_alphanumeric() || "-_ ".contains(letter) { letter } else { '-' };
    format!("{FOLDER}/{}{TASK_ENDING}", name.chars().map(plain).take(100).collect::<String>())
}

/// What the configuration has as the content of a task file.
fn prompted(config: &Config, path: &str) -> Option<Vec<u8>> {
    config.sources.iter().find_map(|source| match source {
        Source::Prompt { content, name } if prompt_file(name) == path => Some(content.clone().into_bytes()),
        _ => None,
    })
}

/// The session of a run, if it is one.
pub(super) fn session_of(run: &dyn crate::hosted::Hosted) -> Option<&pool::Session> {
    run.as_any()?.downcast_ref::<Carried>().map(|carried| &carried.session)
}

impl<F: Fs> Service<F> {
    /// Makes what a project of roadmaps needs and does not have (RM-01): a first task, and the configuration; gives what was
    /// made.
    pub fn init_roadmap(&mut self, name: &str, goal: &str) -> Result<Vec<String>, EngineError> {
        let task = format!("{FOLDER}/{name}{TASK_ENDING}");
        let wanted = [(task, initial_task(goal)), (CONFIG.to_string(), initial_config().to_string())];
        let has_task = !self.roadmap_tasks(&[])?.is_empty();
        self.adopt_if_there(wanted.iter().map(|(path, _)| path.as_str()))?;
        let (mut made, mut changes) = (Vec::new(), Vec::new());
        for (path, content) in wanted {
            let place =
                ProjectPath::document(&path).map_err(|refusal| EngineError::refused(refusal.to_string(), ""))?;
            let is_another = path != CONFIG && has_task;
            if self.engine.store.read(&place).is_none() && !is_another {
                made.push(path);
                changes.push((place, What::Create(content.into())));
            }
        }
        if !changes.is_empty() {
            let base = self.engine.store.head().number;
            match self.engine.store.commit(Commit::new("project of roadmaps made", base, changes)) {
                // Another process was faster.
                Err(CommitError::Exists(_) | CommitError::Conflict { .. }) => made.clear(),
                done => drop(done?),
            }
            self.engine.settle_head()?;
        }
        Ok(made)
    }

    /// The tasks of the project that fit one of the filters, or all without any, by what the configuration says (RM-01).
    pub fn roadmap_tasks(&mut self, filters: &[String]) -> Result<Vec<TaskFound>, EngineError> {
        // What people have just written counts.
        self.engine.settle_now_and_then()?;
        let config = self.engine.content_of(CONFIG).map(|text| text.to_vec()).unwrap_or_default();
        let config = Config::read(&config);
        let mut found: Vec<TaskFound> = Vec::new();
        for source in &config.sources {
            let mut paths = Vec::new();
            match source {
                Source::Folder(folder) => self.task_files(folder, DEPTH, &mut paths),
                Source::File { path, .. } => paths.push(path.clone()),
                Source::Prompt { name, .. } => paths.push(prompt_file(name)),
            }
            for path in paths {
                if found.iter().any(|known| known.path == path) {
                    continue;
                }
                let text = self.engine.content_of(&path).map(|text| text.to_vec());
                let Some(text) = text.or_else(|| prompted(&config, &path)) else { continue };
                let task = TaskFile::read(&path, &text);
                if !is_wanted(filters, &task.name, &path) {
                    continue;
                }
                let told =
                    |one: &dialect::roadmap::Deviation| format!("{path}:{}: {}; {}", one.line, one.reason, one.mend);
                found.push(TaskFound {
                    problems: task.problems.iter().map(told).collect(),
                    name: task.name,
                    path,
                    agents: task.agents,
                    model: task.model,
                });
            }
        }
        found.sort_by(|one, other| one.path.cmp(&other.path));
        Ok(found)
    }

    /// A task that stands in the configuration itself gets its file when it is run.
    fn make_prompted(&mut self, task_file: &str) -> Result<(), EngineError> {
        let config = self.engine.content_of(CONFIG).map(|text| text.to_vec()).unwrap_or_default();
        if self.engine.content_of(task_file).is_some() {
            return Ok(());
        }
        let content = prompted(&Config::read(&config), task_file).ok_or_else(|| no_task(task_file))?;
        let place =
            ProjectPath::document(task_file).map_err(|refusal| EngineError::refused(refusal.to_string(), ""))?;
        let base = self.engine.store.head().number;
        let change = vec![(place, What::Create(content.into()))];
        match self.engine.store.commit(Commit::new("task file made", base, change)) {
            Err(CommitError::Exists(_) | CommitError::Conflict { .. }) => {}
            done => drop(done?),
        }
        self.engine.settle_head()
    }

    fn task_files(&self, folder: &str, depth: usize, paths: &mut Vec<String>) {
        let Ok(place) = ProjectPath::any(folder) else { return };
        // What cannot be listed has no tasks.
        let names = self.engine.store.fs().list(&place).unwrap_or_default();
        for name in names.into_iter().flatten() {
            let path = format!("{folder}/{name}");
            if paths.len() >= MOST_TASKS {
                return;
            }
            if name.to_lowercase().ends_with(TASK_ENDING) {
                paths.push(path);
            } else if depth > 0 && !name.contains('.') {
                self.task_files(&path, depth - 1, paths);
            }
        }
    }

    /// Runs a task: joins its session that is open, or begins one. It is not carried on yet beyond that commit:
    /// [`Service::drive`] does that.
    pub fn join_roadmap(&mut self, task_file: &str) -> Result<Joined, EngineError> {
        self.join_roadmap_with(task_file, None)
    }

    /// The same with others at work than in the rest: from the first step on.
    pub fn join_roadmap_with(&mut self, task_file: &str, casting: Option<Casting>) -> Result<Joined, EngineError> {
        self.engine.settle_now_and_then()?;
        let ground = match repository::is_ground(&self.engine.settings.project)? {
            true => Ground::Repository,
            false => Ground::Files,
        };
        for _ in 0..TRIES {
            self.engine.store.catch_up()?;
            self.engine.follow()?;
            if let Some(run) = self.open_roadmap(task_file) {
                casting.into_iter().for_each(|casting| self.cast(&run, casting));
                return Ok(Joined { run, is_new: false });
            }
            self.make_prompted(task_file)?;
            let text = self.engine.content_of(task_file).ok_or_else(|| no_task(task_file))?;
            let file = TaskFile::read(task_file, &text.to_vec());
            self.adopt_if_there([task_file, file.log_path().as_str()].into_iter())?;
            let id = self.free_id(&file.name);
            casting.iter().for_each(|casting| self.cast(&id, casting.clone()));
            let definition = self.engine.settings.roadmap.digest();
            let beginning = Box::new(Begins { task_file: task_file.into(), ground, definition });
            match self.send_order(Order::Begin { id: id.clone(), beginning }) {
                Ok(()) => return Ok(Joined { run: id, is_new: true }),
                // Another process began it, or one with the same id, just then.
                Err(EngineError::Again) => {}
                Err(EngineError::Refused { .. }) if self.engine.is_hosted(&id) => {}
                Err(error) => return Err(error),
            }
        }
        Err(EngineError::refused("other processes begin and end sessions of this task all the time", "try again"))
    }

    /// The session of a task that is open.
    pub fn open_roadmap(&self, task_file: &str) -> Option<String> {
        let sessions = self.engine.state.hosted.values().filter_map(|run| session_of(run.as_ref()));
        let mut open = sessions.filter(|session| session.over.is_none() && session.task_file == task_file);
        open.next().map(|session| session.id.clone())
    }

    fn free_id(&self, name: &str) -> String {
        let plain = |letter: char| if letter.is_ascii_alphanumeric() { letter.to_ascii_lowercase() } else { '-' };
        let slug: String = name.chars().map(plain).take(40).collect();
        let slug = slug.trim_matches('-');
        let slug = if slug.is_empty() { "roadmap" } else { slug };
        let digits: String = self.engine.now().chars().filter(char::is_ascii_digit).collect();
        let (day, time) = digits.split_at(8.min(digits.len()));
        let stem = format!("run-{slug}-{day}-{time}");
        let mut ids = (1..).map(|number| if number == 1 { stem.clone() } else { format!("{stem}-{number}") });
        ids.find(|id| !self.engine.is_hosted(id)).unwrap_or(stem)
    }
}
