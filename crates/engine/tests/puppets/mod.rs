//! Agents that answer at once and do as they are told: a small plan, short files, and mistakes where a test wants them;
//! and the project they work in.
#![allow(dead_code, reason = "not every test needs all of it")]

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use engine::agent::{Backend, Brief, Ending, Job, Pace, Report, ReportOutput};
use engine::{Interrupt, Notice, Role, Service, Settings, Stop, Verdict};
use serde_json::{Value, json};
use store::Missing;

/// What a puppet answers instead of doing its work; nothing when it is to do it.
pub(crate) type Mischief = Box<dyn Fn(&Brief) -> Option<Ending> + Send + Sync>;

/// An agent for tests.
pub(crate) struct Puppet {
    /// How many tasks a stage has.
    pub tasks: usize,
    /// What it does wrong.
    pub mischief: Mischief,
    /// How long it takes for a brief; nothing for at once.
    pub pause: Option<fn(&Brief) -> Duration>,
    /// Every brief it got.
    pub briefs: Arc<Mutex<Vec<Brief>>>,
}

impl Default for Puppet {
    fn default() -> Self {
        Self { tasks: 2, mischief: Box::new(|_| None), pause: None, briefs: Arc::default() }
    }
}

impl Puppet {
    /// One that does something else now and then.
    pub(crate) fn with(mischief: impl Fn(&Brief) -> Option<Ending> + Send + Sync + 'static) -> Self {
        Self { mischief: Box::new(mischief), ..Self::default() }
    }

    fn result(&self, brief: &Brief) -> Value {
        match brief.action.as_str() {
            "propose" => json!({"instructions": ["tell it in Markdown"], "formats": ["md"]}),
            "plan_stages" => json!({"stages": [{"stage_name": "only", "stage_goal": "notes for the next phase"}]}),
            "plan_tasks" if brief.plan_target.as_deref() != Some("phase:0") => {
                let tasks: Vec<Value> = (0..self.tasks).map(|task| task_row(brief, task, self.tasks)).collect();
                json!({"tasks": tasks})
            }
            _ => json!({"tasks": []}),
        }
    }
}

/// A row of a good plan.
pub(crate) fn task_row(brief: &Brief, task: usize, tasks: usize) -> Value {
    let (run, layer) = (&brief.run_id, brief.context["phase"]["phase_name"].as_str().unwrap_or("?"));
    let output = match layer {
        "GENERATING_OUTPUT" if task + 1 == tasks => format!("outputs/{run}/report.md"),
        _ => format!("runs/{run}/workspace/{layer}/note-{task}.md"),
    };
    let input = format!("runs/{run}/workspace/ANALYZING/initial_analysis.md");
    json!({"task_name": format!("note {task}"), "task_purpose": "Write a note.", "related_references": [input], "output_path": output})
}

/// A report with this result.
pub(crate) fn says(result: Value) -> Option<Ending> {
    Some(Ending::Report { report: Report { result, ..Report::done("as told") }, log: String::new() })
}

impl Backend for Puppet {
    fn name(&self) -> String {
        "puppet".into()
    }

    fn pace(&self) -> Pace {
        if self.pause.is_some() { Pace::Slow } else { Pace::Instant }
    }

    fn work(&self, job: &Job, _: &Stop, _: &dyn Fn(&str)) -> Ending {
        let brief = &job.brief;
        self.briefs.lock().unwrap().push(brief.clone());
        if let Some(pause) = self.pause {
            // Nobody will ever send anything: it takes as long as it was told to.
            let (_keeps_open, never) = std::sync::mpsc::channel::<()>();
            let _ = never.recv_timeout(pause(brief));
        }
        if let Some(ending) = (self.mischief)(brief) {
            return ending;
        }
        let mut report = Report::done("as told");
        match brief.role.as_str() {
            "planner" => report.result = self.result(brief),
            _ => report.outputs = outputs(brief),
        }
        Ending::Report { report, log: String::new() }
    }
}

/// What a brief asks for, written.
pub(crate) fn outputs(brief: &Brief) -> Vec<ReportOutput> {
    let content = format!("# The work of {}\n", brief.item_id().unwrap_or("?"));
    let written = brief.expects.outputs.iter();
    written.map(|path| ReportOutput { path: path.clone(), content: Some(content.clone()) }).collect()
}

/// A project with something in `assets/`.
pub(crate) struct Project {
    pub folder: tempfile::TempDir,
    pub notices: Arc<Mutex<Vec<Notice>>>,
}

impl Project {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("assets")).unwrap();
        std::fs::write(folder.path().join("assets/sales.md"), "# Sales\n\nIn 2025 we sold 40 boats.\n").unwrap();
        Self { folder, notices: Arc::default() }
    }

    pub(crate) fn open(&self, puppet: Puppet, jobs: usize) -> Service {
        self.open_with(puppet, jobs, None)
    }

    /// The same with somebody who speaks to the user.
    pub(crate) fn open_with(&self, puppet: Puppet, jobs: usize, speaker: Option<Puppet>) -> Service {
        let mut settings = Settings::new(self.folder.path().canonicalize().unwrap());
        settings.jobs = jobs;
        let puppet = Arc::new(puppet);
        settings.play(Role::Planner, puppet.clone());
        settings.play(Role::Executor, puppet);
        if let Some(speaker) = speaker {
            settings.play(Role::Communicator, Arc::new(speaker));
        }
        let notices = self.notices.clone();
        Service::open(settings, Missing::Create, Arc::new(move |notice| notices.lock().unwrap().push(notice))).unwrap()
    }

    pub(crate) fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.folder.path().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    /// Everything that was told, for when a test fails.
    pub(crate) fn told(&self) -> String {
        format!("{:#?}", self.notices.lock().unwrap())
    }

    /// What was wrong with what was sent back.
    pub(crate) fn problems(&self) -> Vec<String> {
        let notices = self.notices.lock().unwrap();
        let sent_back = notices.iter().filter_map(|notice| match notice {
            Notice::SentBack { problems, .. } => Some(problems.clone()),
            _ => None,
        });
        sent_back.flatten().collect()
    }

    /// All documents, the run's id left out.
    pub(crate) fn left(&self, run: &str) -> BTreeMap<String, String> {
        let mut found = BTreeMap::new();
        let mut folders: Vec<_> = ["db", "runs", "outputs"].iter().map(|name| self.folder.path().join(name)).collect();
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                match path.is_dir() {
                    true => folders.push(path),
                    false => {
                        let name = name_of(self.folder.path(), &path).replace(run, "RUN");
                        found.insert(name, std::fs::read_to_string(&path).unwrap().replace(run, "RUN"));
                    }
                }
            }
        }
        found
    }
}

fn name_of(root: &Path, path: &Path) -> String {
    path.strip_prefix(root).unwrap().to_str().unwrap().into()
}

/// Begins a run and drives it to its proposal.
pub(crate) fn propose(service: &mut Service) -> String {
    let run = service.start("Make a report of the boats", None).unwrap().run;
    drive(service, &run);
    run
}

/// Begins a run, confirms it, and drives it as far as it goes.
pub(crate) fn carry_through(service: &mut Service) -> String {
    let run = propose(service);
    service.answer(&run, Verdict::Confirm, "a test").unwrap();
    drive(service, &run);
    run
}

/// Drives a run as far as it goes.
pub(crate) fn drive(service: &mut Service, run: &str) {
    service.drive(&[run.to_string()], &Interrupt::new()).unwrap();
}
