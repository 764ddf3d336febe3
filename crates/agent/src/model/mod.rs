//! Owns the backend that is a model behind an HTTP wire: OpenAI (chat and responses), Anthropic, Gemini, and all that speak
//! OpenAI's chat wire. Must not know the engine, nor read keys or settings from anywhere.
//!
//! From the outside in: [`Model`] is the backend; `attempt` is one brief's conversation, with `calls` for its tools, `answer`
//! for the form that is asked for, `extract` and `mend` for what comes instead; `select` chooses what is read, `room` how much;
//! `client` talks to a server in the words of a `wire`, of which there is one module for each provider; `tape` keeps what was
//! said and says it again.

mod answer;
mod anthropic;
mod attempt;
mod calls;
mod client;
mod extract;
mod fault;
mod gemini;
mod guided;
mod judged;
mod mend;
mod message;
mod name;
mod openai_chat;
mod openai_responses;
mod patience;
mod price;
mod room;
mod select;
mod settings;
mod sse;
mod steps;
mod strict;
mod tape;
mod tokens;
mod wire;

use std::sync::{Arc, OnceLock};

use tools::{Stop, Toolbox};

use crate::backend::{Backend, Ending, Job};
use crate::prompt::Prompts;
use attempt::Attempt;
pub use client::Exchange;
use client::Served;
pub use name::{ModelName, Provider, Service};
pub use price::{Price, PriceTable};
pub use settings::{ModelSettings, Retries, Stream, Style, Timeouts};
use tape::Tape;
pub use tape::{Began, Called, Kept, Recorded, rehearse};

/// Gives the tools for a job.
pub type Toolboxes = Arc<dyn Fn(&Job) -> Result<Box<dyn Toolbox>, String> + Send + Sync>;

/// Is told how a model is asked, of every exchange with its provider, byte for byte, and of every call, keys taken out.
pub type Recorder = Arc<dyn Fn(&Job, &Kept) + Send + Sync>;

/// A model as an agent.
pub struct Model {
    settings: ModelSettings,
    prompts: Arc<Prompts>,
    toolboxes: Toolboxes,
    recorder: Option<Recorder>,
    /// What the server says of the model; asked once.
    served: OnceLock<Served>,
    /// Who answers instead of the server.
    tape: Option<Arc<Tape>>,
}

impl Model {
    pub fn new(settings: ModelSettings, prompts: Arc<Prompts>, toolboxes: Toolboxes) -> Self {
        Self { settings, prompts, toolboxes, recorder: None, served: OnceLock::new(), tape: None }
    }

    /// The same, with somebody who records.
    pub fn with_recorder(mut self, recorder: Recorder) -> Self {
        self.recorder = Some(recorder);
        self
    }

    /// Tools for an agent that has none.
    pub fn no_tools() -> Toolboxes {
        Arc::new(|_| Ok(Box::new(NoTools)))
    }
}

impl std::fmt::Debug for Model {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Model").field("settings", &self.settings).finish_non_exhaustive()
    }
}

impl Backend for Model {
    fn name(&self) -> String {
        let settings = &self.settings;
        let base_url = (settings.service.base_url() != Some(&settings.base_url)).then(|| settings.base_url.clone());
        let name = ModelName { service: settings.service, name: settings.name.clone(), base_url };
        format!("model:{}", name.shown())
    }

    fn work(&self, job: &Job, stop: &Stop, say: &dyn Fn(&str)) -> Ending {
        if stop.is_stopped() {
            return Ending::Stopped;
        }
        let failed = |error: String| Ending::Failed { error, log: String::new() };
        let toolbox = match (self.toolboxes)(job) {
            Ok(toolbox) => toolbox,
            Err(problem) => return failed(format!("there are no tools for the model: {problem}")),
        };
        match Attempt::new(self, job, stop, say, &*toolbox) {
            Ok(attempt) => attempt.run(),
            Err(problem) => failed(problem),
        }
    }
}

/// An empty box.
struct NoTools;

impl Toolbox for NoTools {
    fn tools(&self) -> Vec<tools::Tool> {
        Vec::new()
    }

    fn call(&self, call: &tools::ToolCall, _: &Stop) -> tools::ToolAnswer {
        tools::ToolAnswer::wrong(format!("there is no tool `{}`; there are none", call.name))
    }
}
