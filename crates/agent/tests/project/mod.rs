//! A project for the offline agent, driven as the engine would drive it: proposal, four phases, messages.

#![allow(dead_code, clippy::unwrap_used, clippy::panic, reason = "a test ends where it fails, and uses what it needs")]

use std::collections::BTreeMap;
use std::fs;
use std::sync::Arc;

use agent::{Backend, Brief, BriefFile, Ending, Expects, Job, Meter, Offline, Report, ReportStatus};
use serde_json::{Value, json};

pub(crate) const RUN: &str = "run-20250101-000000-001";
pub(crate) const PHASES: [&str; 4] = ["ANALYZING", "STRATEGIZING", "REFINING_CONTENT", "GENERATING_OUTPUT"];

/// A project with the files of a folder as its assets.
pub(crate) struct Project {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) catalog: Vec<Value>,
    pub(crate) instructions: Vec<Value>,
    pub(crate) request: String,
}

impl Project {
    pub(crate) fn new(assets: &[(&str, Vec<u8>)], request: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut catalog = Vec::new();
        fs::create_dir(folder.path().join("assets")).unwrap();
        for (name, bytes) in assets {
            fs::write(folder.path().join("assets").join(name), bytes).unwrap();
            catalog.push(row(&format!("assets/{name}"), "ORIGINAL_INPUT"));
        }
        Self { folder, catalog, instructions: Vec::new(), request: request.to_owned() }
    }

    pub(crate) fn ask(&self, role: &str, action: &str, change: impl FnOnce(&mut Brief)) -> Report {
        let mut brief = Brief::new(RUN, "multiverse", role, action);
        brief.context = json!({
            "request": self.request,
            "catalog": self.catalog,
            "instructions": self.instructions,
        });
        change(&mut brief);
        let path = self.folder.path().to_owned();
        let job = Job {
            brief,
            project: path.clone(),
            workdir: path.join("none"),
            readable: Vec::new(),
            meter: Meter::default(),
        };
        match Offline.work(&job, &tools::Stop::new(), &|_| {}) {
            Ending::Report { report, .. } => report,
            other => panic!("{action}: {other:?}"),
        }
    }

    /// Executes one task and keeps its output, as the engine does.
    pub(crate) fn execute(&mut self, phase: &str, task: &Value) {
        let output = task["output_path"].as_str().unwrap().to_owned();
        let references: Vec<String> = serde_json::from_value(task["related_references"].clone()).unwrap();
        for path in &references {
            assert!(self.folder.path().join(path).is_file(), "{path} of {task} does not exist (MV-18)");
        }
        let report = self.ask("executor", "execute", |brief| {
            brief.item = task.as_object().unwrap().clone();
            brief.files = references.into_iter().map(file).collect();
            brief.expects = Expects { result: Arc::default(), outputs: vec![output.clone()] };
            brief.context["phase"] = json!({ "phase_name": phase });
        });
        assert_eq!(report.status, ReportStatus::Done, "{report:?}");
        assert_eq!(report.outputs.len(), 1);
        assert_eq!(report.outputs[0].path, output);
        self.keep(&output, report.outputs[0].content.as_deref().unwrap());
    }

    pub(crate) fn keep(&mut self, path: &str, content: &str) {
        let place = self.folder.path().join(path);
        fs::create_dir_all(place.parent().unwrap()).unwrap();
        fs::write(place, content).unwrap();
        self.catalog.push(row(path, "ANALYSIS_REPORT"));
    }

    /// The whole run; gives back all files that it made.
    pub(crate) fn run(&mut self) -> BTreeMap<String, String> {
        let proposal = self.ask("planner", "propose", |brief| brief.plan_target = Some("proposal".into())).result;
        for (index, content) in proposal["instructions"].as_array().unwrap().iter().enumerate() {
            let id = format!("I-{RUN}-{:02}", index + 1);
            self.instructions.push(json!({"instruction_id": id, "run_id": RUN, "content": content}));
        }
        let initial = format!("runs/{RUN}/workspace/ANALYZING/initial_analysis.md");
        let report = self.ask("executor", "execute", |brief| brief.expects.outputs = vec![initial.clone()]);
        self.keep(&initial, report.outputs[0].content.as_deref().unwrap());
        for phase in PHASES {
            let at = |brief: &mut Brief| brief.context["phase"] = json!({ "phase_name": phase });
            let stages = self.ask("planner", "plan_stages", at).result["stages"].as_array().unwrap().clone();
            assert!((1..=2).contains(&stages.len()), "{phase}: {stages:?}");
            for stage in stages {
                let plan = self.ask("planner", "plan_tasks", |brief| {
                    at(brief);
                    brief.context["stage"] = stage.clone();
                });
                for task in plan.result["tasks"].as_array().unwrap() {
                    self.check_task(phase, task);
                    self.execute(phase, task);
                }
            }
        }
        self.catalog
            .iter()
            .map(|row| row["file_path"].as_str().unwrap().to_owned())
            .filter(|path| !path.starts_with("assets/"))
            .map(|path| (path.clone(), fs::read_to_string(self.folder.path().join(&path)).unwrap()))
            .collect()
    }

    /// MV-18: inputs, one purpose, an output of its own in the right place.
    pub(crate) fn check_task(&self, phase: &str, task: &Value) {
        let output = task["output_path"].as_str().unwrap();
        let workspace = format!("runs/{RUN}/workspace/{phase}/");
        let published = format!("outputs/{RUN}/");
        let allowed =
            output.starts_with(&workspace) || (phase == "GENERATING_OUTPUT" && output.starts_with(&published));
        assert!(allowed, "{task}");
        assert!(!task["related_references"].as_array().unwrap().is_empty(), "{task}");
        assert_eq!(task["task_purpose"].as_str().unwrap().matches('.').count(), 1, "{task}");
        assert!(self.catalog.iter().all(|row| row["file_path"] != output), "{task}");
    }
}

pub(crate) fn row(path: &str, asset_type: &str) -> Value {
    json!({"file_path": path, "run_id": RUN, "asset_type": asset_type, "source_task_id": "", "summary": ""})
}

pub(crate) fn file(path: String) -> BriefFile {
    BriefFile { path, why: "input".into(), access: agent::Access::Read }
}

/// The paper that one task makes of files.
pub(crate) fn paper_of(project: &Project, name: &str) -> String {
    let sources = project.catalog.iter().map(|row| row["file_path"].as_str().unwrap().to_owned());
    let files: Vec<BriefFile> = sources.map(file).collect();
    let report = project.ask("executor", "execute", |brief| {
        brief.files = files;
        brief.expects.outputs = vec![format!("runs/{RUN}/workspace/ANALYZING/{name}")];
    });
    assert_eq!(report.status, ReportStatus::Done, "{report:?}");
    report.outputs[0].content.clone().unwrap()
}

/// The places that a line of Markdown cites: path, first and last line.
pub(crate) fn cites(line: &str) -> Vec<(String, usize, usize)> {
    let mut found = Vec::new();
    for span in line.split('`').skip(1).step_by(2) {
        let Some((path, lines)) = span.rsplit_once(':') else { continue };
        let (first, last) = lines.split_once('-').unwrap_or((lines, lines));
        found.push((path.replace("%60", "`").replace("%7C", "|"), first.parse().unwrap(), last.parse().unwrap()));
    }
    found
}
