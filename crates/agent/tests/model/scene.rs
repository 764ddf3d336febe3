//! What the tests share: a brief, a model at a server of ours, and what came of it.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use agent::model::{Exchange, Kept, ModelName, ModelSettings, Retries, Style, Toolboxes};
use agent::{Backend, Brief, Ending, Job, Model, Prompts, Report};
use serde_json::{Value, json};
use tools::{Secret, Stop};

use crate::server::{Asked, Reply, Server};

/// The file that executors are asked for.
pub const OUTPUT: &str = "runs/run-1/workspace/ANALYZING/x.md";

/// The key that nobody may see.
pub const KEY: &str = "sk-open-sesame";

pub struct Scene {
    pub server: Server,
    pub settings: ModelSettings,
    pub brief: Brief,
    pub toolboxes: Toolboxes,
    pub folder: tempfile::TempDir,
}

/// What came of an attempt.
pub struct Played {
    pub ending: Ending,
    pub said: Vec<String>,
    pub asked: Vec<Asked>,
    pub recorded: Vec<Exchange>,
    /// All that is kept, the exchanges among it.
    pub kept: Vec<Kept>,
}

impl Scene {
    /// A model of a service (`openai`, `anthropic`, …) that answers with these.
    pub fn new(service: &str, replies: Vec<Reply>) -> Self {
        let server = Server::new(replies);
        let name = ModelName::parse(&format!("{service}/gpt-5-mini@{}/v1", server.url())).unwrap();
        let mut settings = ModelSettings::of(&name);
        settings.key = Secret::of_text(KEY);
        settings.style = Style::Full;
        settings.retries =
            Retries { most: 2, first_wait: Duration::from_millis(1), longest_wait: Duration::from_secs(60) };
        settings.price = agent::model::PriceTable::built_in().price(&name);
        let folder = tempfile::tempdir().unwrap();
        let brief = Brief::new("run-1", "multiverse", "executor", "execute");
        let mut scene = Self { server, settings, brief, toolboxes: Model::no_tools(), folder };
        scene.brief.context = json!({"request": "What is a table?", "mode": "SIMPLE_TASK"});
        scene
    }

    /// The same, asked for a file.
    pub fn for_a_file(mut self) -> Self {
        self.brief.context = json!({"request": "Write of tables."});
        self.brief.expects.outputs = vec![OUTPUT.into()];
        let parent = self.folder.path().join(OUTPUT);
        std::fs::create_dir_all(parent.parent().unwrap()).unwrap();
        self
    }

    /// The same, asked for a plan.
    pub fn for_a_plan(mut self) -> Self {
        self.brief.role = "planner".into();
        self.brief.action = "plan_stages".into();
        self.brief.context = json!({"request": "Plan the tables."});
        self.brief.expects.result = json!({"type": "object", "required": ["stages"], "properties": {"stages": {"type": "array",
            "minItems": 1, "items": {"type": "object", "required": ["stage_name"],
                "properties": {"stage_name": {"type": "string", "minLength": 1}, "execution_order": {"type": "integer"}}}}}}).into();
        self
    }

    pub fn simple(mut self) -> Self {
        self.settings.style = Style::Simple;
        self
    }

    pub fn play(&self) -> Played {
        self.play_with(&Stop::new(), &|_| {})
    }

    pub fn play_with(&self, stop: &Stop, hear: &dyn Fn(&str)) -> Played {
        let (said, recorded) = (Mutex::new(Vec::new()), Arc::new(Mutex::new(Vec::new())));
        let kept = recorded.clone();
        let model = Model::new(self.settings.clone(), Prompts::built_in(), self.toolboxes.clone())
            .with_recorder(Arc::new(move |_, line| kept.lock().unwrap().push(line.clone())));
        let workdir = self.folder.path().to_path_buf();
        let job = Job {
            brief: self.brief.clone(),
            project: workdir.clone(),
            workdir,
            readable: Vec::new(),
            meter: agent::Meter::default(),
        };
        let ending = model.work(&job, stop, &|line| {
            hear(line);
            said.lock().unwrap().push(line.to_string());
        });
        let kept: Vec<Kept> = recorded.lock().unwrap().clone();
        let exchange = |line: &Kept| match line {
            Kept::Exchange(exchange) => Some(exchange.clone()),
            Kept::Began(_) | Kept::Called(_) => None,
        };
        let recorded = kept.iter().filter_map(exchange).collect();
        Played { ending, said: said.into_inner().unwrap(), asked: self.server.asked(), recorded, kept }
    }
}

impl Played {
    /// The report, whatever it says.
    pub fn report(&self) -> &Report {
        match &self.ending {
            Ending::Report { report, .. } => report,
            other => panic!("no report: {other:?}"),
        }
    }

    pub fn log(&self) -> &str {
        match &self.ending {
            Ending::Report { log, .. } | Ending::Broken { log, .. } | Ending::Failed { log, .. } => log,
            _ => "",
        }
    }

    /// What went wrong.
    pub fn error(&self) -> &str {
        match &self.ending {
            Ending::Report { report, .. } => report.error.as_deref().unwrap_or_default(),
            Ending::Failed { error, .. } => error,
            other => panic!("no failure: {other:?}"),
        }
    }

    /// All that anybody could read.
    pub fn everything(&self) -> String {
        format!("{:?} {:?} {:?}", self.ending, self.said, self.kept)
    }
}

/// A reply of the chat wire.
pub fn chat(text: &str) -> Reply {
    chat_of(json!({"role": "assistant", "content": text}), "stop")
}

pub fn chat_of(message: Value, finish: &str) -> Reply {
    Reply::json(json!({"choices": [{"index": 0, "message": message, "finish_reason": finish}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 10, "prompt_tokens_details": {"cached_tokens": 40}}}))
}

/// A report that brings the file.
pub fn filed(content: &str) -> String {
    json!({"status": "done", "outputs": [{"path": OUTPUT, "content": content}], "summary": "tables"}).to_string()
}
