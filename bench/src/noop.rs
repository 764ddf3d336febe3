//! Agents that do nothing, at once: plans of the shape that a measurement needs, and a short file for each task.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use ::engine::agent::{Backend, Ending, Job, Pace, Report, ReportOutput};
use serde_json::{Value, json};

use crate::times::at_work;

/// How many tasks lie between two looks at how much the engine has worked.
pub(crate) const EVERY: usize = 100;

/// How the tasks of the first stage hang together; the other phases have one task each.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shape {
    /// How many tasks.
    pub tasks: usize,
    /// How many chains they make: tasks of one chain wait for each other.
    pub chains: usize,
    /// How long an agent takes for a task; nothing for at once.
    pub pause: Option<Duration>,
}

/// The agent.
#[derive(Debug)]
pub(crate) struct Noop {
    shape: Shape,
    /// When each task of the first stage was begun.
    pub begun: Mutex<Vec<Instant>>,
    /// When each proposal was asked for.
    pub asked: Mutex<Vec<Instant>>,
    /// What the engine's thread had worked by then, for the first task and every hundredth.
    pub work: Mutex<Vec<Duration>>,
}

impl Noop {
    pub(crate) fn new(shape: Shape) -> Self {
        Self { shape, begun: Mutex::default(), asked: Mutex::default(), work: Mutex::default() }
    }

    fn plan(&self, job: &Job) -> Value {
        let brief = &job.brief;
        match brief.action.as_str() {
            "propose" => {
                if let Ok(mut asked) = self.asked.lock() {
                    asked.push(Instant::now());
                }
                json!({"instructions": ["do nothing, quickly"]})
            }
            "plan_stages" => {
                json!({"stages": [{"stage_name": "only", "stage_goal": "notes, used by the next phase"}]})
            }
            "plan_tasks" if brief.plan_target.as_deref() != Some("phase:0") => self.tasks(job),
            _ => json!({"tasks": []}),
        }
    }

    fn tasks(&self, job: &Job) -> Value {
        let run = &job.brief.run_id;
        let layer = job.brief.context["phase"]["phase_name"].as_str().unwrap_or_default();
        let first = format!("runs/{run}/workspace/ANALYZING/initial_analysis.md");
        if layer != "ANALYZING" {
            let path = match layer {
                "GENERATING_OUTPUT" => format!("outputs/{run}/report.md"),
                _ => format!("runs/{run}/workspace/{layer}/note.md"),
            };
            return json!({"tasks": [{"task_name": "one", "task_purpose": "Note nothing.", "related_references": [first], "output_path": path}]});
        }
        let path = |task: usize| format!("runs/{run}/workspace/ANALYZING/{task:04}.md");
        let tasks: Vec<Value> = (0..self.shape.tasks)
            .map(|task| {
                let input = task.checked_sub(self.shape.chains).map_or(first.clone(), path);
                json!({"task_name": "one of many", "task_purpose": "Note nothing.", "related_references": [input], "output_path": path(task)})
            })
            .collect();
        json!({"tasks": tasks})
    }
}

impl Backend for Noop {
    fn name(&self) -> String {
        "noop".into()
    }

    fn pace(&self) -> Pace {
        if self.shape.pause.is_some() { Pace::Slow } else { Pace::Instant }
    }

    fn is_recorded(&self) -> bool {
        // At once it stands for no agent at all: the engine's own steps are measured.
        self.pace() == Pace::Slow
    }

    fn work(&self, job: &Job, _: &::engine::Stop, _: &dyn Fn(&str)) -> Ending {
        let mut report = Report::done("nothing, as asked");
        match job.brief.role.as_str() {
            "planner" => report.result = self.plan(job),
            _ => {
                if job.brief.item.get("task_name").and_then(Value::as_str) == Some("one of many") {
                    if let (Ok(mut begun), Ok(mut work)) = (self.begun.lock(), self.work.lock()) {
                        if begun.len() % EVERY == 0 {
                            work.extend(at_work());
                        }
                        begun.push(Instant::now());
                    }
                    if let Some(pause) = self.shape.pause {
                        std::thread::sleep(pause);
                    }
                }
                let content = Some("Nothing was to be noted, and it was noted.\n".into());
                report.outputs = job
                    .brief
                    .expects
                    .outputs
                    .iter()
                    .map(|path| ReportOutput { path: path.clone(), content: content.clone() })
                    .collect();
            }
        }
        Ending::Report { report, log: String::new() }
    }
}
