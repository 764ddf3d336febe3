//! What the tests of roadmaps share: a project with a task, and agents that do as a test says.
#![allow(dead_code, reason = "each test file uses a part of it")]

use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use engine::agent::{Backend, Ending, Job, Pace, Report};
use engine::roadmap::RoadmapView;
use engine::{Notice, Role, Service, Settings, Stop};
use serde_json::{Value, json};
use store::Missing;

pub(crate) const TASK: &str = ".jixo/work.task.md";
pub(crate) const LOG: &str = ".jixo/work.log.md";

type Work = Box<dyn Fn(&Job) -> Ending + Send + Sync>;

/// An agent that plans once and does each item as it is told.
pub(crate) struct Hands {
    plan: Value,
    work: Work,
    worked: Mutex<Vec<String>>,
    at_work: AtomicUsize,
    most: AtomicUsize,
}

impl Hands {
    pub(crate) fn new(plan: Value, work: impl Fn(&Job) -> Ending + Send + Sync + 'static) -> Self {
        let (at_work, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        Self { plan, work: Box::new(work), worked: Mutex::default(), at_work, most }
    }

    /// The items that were worked on, in order.
    pub(crate) fn worked(&self) -> Vec<String> {
        self.worked.lock().unwrap().clone()
    }

    pub(crate) fn most_at_once(&self) -> usize {
        self.most.load(Ordering::SeqCst)
    }
}

impl Backend for Hands {
    fn name(&self) -> String {
        "hands".into()
    }

    fn pace(&self) -> Pace {
        Pace::Slow
    }

    fn work(&self, job: &Job, _: &Stop, _: &dyn Fn(&str)) -> Ending {
        if job.brief.role == "planner" {
            let mut report = Report::done("planned");
            report.result = match job.brief.context["why"]["kind"].as_str() {
                Some("goal") => self.plan.clone(),
                // What failed or is blocked is tried again.
                _ => json!({"change": [{"item": job.brief.item["id"]}]}),
            };
            return Ending::Report { report, log: String::new() };
        }
        self.worked.lock().unwrap().push(job.brief.item["id"].as_str().unwrap().to_string());
        let now = self.at_work.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(now, Ordering::SeqCst);
        let ending = (self.work)(job);
        self.at_work.fetch_sub(1, Ordering::SeqCst);
        ending
    }
}

pub(crate) fn plan(items: Vec<Value>) -> Value {
    json!({"add": items})
}

pub(crate) fn item(number: &str, title: &str, depends_on: &[&str]) -> Value {
    json!({"number": number, "title": title, "depends_on": depends_on})
}

pub(crate) fn done(summary: &str) -> Ending {
    Ending::Report { report: Report::done(summary), log: String::new() }
}

/// Waits for a condition.
pub(crate) fn wait_until(is_so: impl Fn() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < Duration::from_secs(60), "it never came to that");
        std::thread::yield_now();
    }
}

pub(crate) fn settings(folder: &Path, hands: &Arc<Hands>, jobs: usize, name: &str) -> Settings {
    let mut settings = Settings::new(folder.canonicalize().unwrap());
    settings.jobs = jobs;
    settings.roadmap.executor = name.into();
    settings.play(Role::Planner, hands.clone());
    settings.play(Role::Executor, hands.clone());
    settings
}

pub(crate) fn open(folder: &Path, hands: &Arc<Hands>, jobs: usize, name: &str) -> Service {
    open_with(settings(folder, hands, jobs, name))
}

pub(crate) fn open_with(settings: Settings) -> Service {
    let told = told_of(&settings.project);
    let listener = move |notice: Notice| told.lock().unwrap().push(notice);
    Service::open(settings, Missing::Create, Arc::new(listener)).unwrap()
}

/// The newest session of a project.
pub(crate) fn view(folder: &Path) -> RoadmapView {
    let settings = Settings::new(folder.canonicalize().unwrap());
    let listener: engine::Listener = Arc::new(|_| {});
    let service = Service::open_to_look(&settings, &listener).unwrap();
    let (run, ..) = service.roadmaps().pop().unwrap();
    service.roadmap_status(&run).unwrap()
}

type Told = Arc<Mutex<Vec<Notice>>>;

/// What was told in a project.
fn told_of(project: &Path) -> Told {
    static TOLD: Mutex<Vec<(std::path::PathBuf, Told)>> = Mutex::new(Vec::new());
    let project = project.canonicalize().unwrap();
    let mut told = TOLD.lock().unwrap();
    if let Some((_, known)) = told.iter().find(|(path, _)| *path == project) {
        return known.clone();
    }
    let new = Told::default();
    told.push((project, new.clone()));
    new
}

/// A project with one task.
pub(crate) struct Project {
    folder: tempfile::TempDir,
}

impl Project {
    pub(crate) fn new(goal: &str) -> Self {
        Self::with(&format!("---\nname: work\n---\n\n{goal}\n"))
    }

    pub(crate) fn with(task: &str) -> Self {
        let project = Self { folder: tempfile::tempdir().unwrap() };
        project.write(TASK, task);
        project
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let file = self.path().join(path);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    }

    pub(crate) fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.path().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    /// Makes a repository of it, with these files and all that is there.
    pub(crate) fn git_init(&self, files: &[(&str, &str)]) {
        files.iter().for_each(|(path, text)| self.write(path, text));
        self.git(&["init", "-q", "-b", "main", "."]);
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "-m", "first"]);
    }

    pub(crate) fn git(&self, arguments: &[&str]) -> String {
        let mut command = Command::new("git");
        command.args(["-c", "user.name=ada", "-c", "user.email=ada@example.org"]).args(arguments);
        let output = command.current_dir(self.path()).output().unwrap();
        assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().trim_end().into()
    }

    pub(crate) fn view(&self) -> RoadmapView {
        view(self.path())
    }

    pub(crate) fn told(&self) -> String {
        format!("{:#?}", told_of(self.path()).lock().unwrap())
    }

    /// What is told from here on.
    pub(crate) fn notices(&self) -> Vec<Notice> {
        told_of(self.path()).lock().unwrap().clone()
    }
}
