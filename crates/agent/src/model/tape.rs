//! Owns what is kept of an attempt beside its report, line by line, and the attempt carried out again from it (BY-19): how the
//! model was asked, every exchange with its provider, every call of a tool with its answer. Must not know who keeps the lines,
//! nor where.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tools::{Stop, Tool, ToolAnswer, ToolCall, Toolbox};

use super::client::{Exchange, Served};
use super::name::ModelName;
use super::settings::{ModelSettings, Retries, Stream, Style};
use super::{Model, Toolboxes};
use crate::apart::differences;
use crate::backend::{Backend, Ending, Job};
use crate::contract::Report;
use crate::prompt::Prompts;
use crate::words::quote;

/// One line of what is kept.
#[derive(Debug, Clone, PartialEq)]
pub enum Kept {
    /// How the model is asked; the first line.
    Began(Began),
    Exchange(Exchange),
    Called(Called),
}

/// What of the settings and of the server decides how a model is asked.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Began {
    /// Whether it is asked in the simple form.
    pub simple: bool,
    pub stream: bool,
    pub temperature: Option<f64>,
    pub max_output_tokens: u32,
    /// As set, and as the server said.
    pub context_tokens: u64,
    pub served_tokens: Option<u64>,
    pub files_tokens: u64,
    /// The tools that it was offered.
    pub tools: Vec<Tool>,
}

/// A call of a tool, and what came of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Called {
    pub name: String,
    pub arguments: Value,
    /// Nothing: a person is asked first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<ToolAnswer>,
    /// The call written out, as a person is asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked: Option<String>,
}

impl Kept {
    /// As it is written: one JSON object.
    pub fn line(&self) -> Value {
        match self {
            Self::Began(began) => json!({"began": began}),
            Self::Exchange(exchange) => {
                let request: Value = serde_json::from_slice(&exchange.request).unwrap_or_default();
                let reply = String::from_utf8_lossy(&exchange.reply);
                json!({"url": exchange.url, "status": exchange.status, "request": request, "reply": reply})
            }
            Self::Called(called) => json!({"called": called}),
        }
    }

    /// What a line says; nothing if it is none of ours.
    pub fn of_line(line: &str) -> Option<Self> {
        let mut value: Value = serde_json::from_str(line).ok()?;
        if let Some(began) = value.get_mut("began") {
            return Some(Self::Began(serde_json::from_value(began.take()).ok()?));
        }
        if let Some(called) = value.get_mut("called") {
            return Some(Self::Called(serde_json::from_value(called.take()).ok()?));
        }
        Some(Self::Exchange(Exchange {
            url: value["url"].as_str()?.into(),
            request: value.get("request")?.to_string().into_bytes(),
            status: value["status"].as_u64()?.try_into().ok()?,
            reply: value["reply"].as_str()?.into(),
        }))
    }
}

impl Began {
    pub(super) fn of(settings: &ModelSettings, is_simple: bool, served: Option<&Served>, tools: &[Tool]) -> Self {
        Self {
            simple: is_simple,
            stream: settings.stream == Stream::Live,
            temperature: settings.temperature,
            max_output_tokens: settings.max_output_tokens,
            context_tokens: settings.context_tokens,
            served_tokens: served.and_then(|served| served.context_tokens),
            files_tokens: settings.files_tokens,
            tools: tools.to_vec(),
        }
    }

    fn settings(&self, name: &ModelName) -> ModelSettings {
        ModelSettings {
            style: if self.simple { Style::Simple } else { Style::Full },
            stream: if self.stream { Stream::Live } else { Stream::Whole },
            temperature: self.temperature,
            max_output_tokens: self.max_output_tokens,
            context_tokens: self.context_tokens,
            files_tokens: self.files_tokens,
            // Nobody waits for a provider that is not asked.
            retries: Retries { first_wait: Duration::ZERO, ..Retries::default() },
            ..ModelSettings::of(name)
        }
    }
}

/// A recorded attempt of a model.
#[derive(Debug)]
pub struct Recorded<'a> {
    /// The agent, as it was named: `model:…`.
    pub agent: &'a str,
    pub kept: Vec<Kept>,
    pub ending: &'a Ending,
    /// Files that its tools left: where each goes from the working folder, and where its content is.
    pub left: Vec<(PathBuf, PathBuf)>,
}

/// Carries a recorded attempt out again in the words and by the rules of today, the provider's replies and the answers of
/// tools as they were; says what of it would be other. Nothing, if it was recorded by a version that kept less.
pub fn rehearse(recorded: Recorded<'_>, job: &Job, prompts: Arc<Prompts>) -> Option<Vec<String>> {
    let name = ModelName::parse(recorded.agent.strip_prefix("model:")?).ok()?;
    let mut kept = recorded.kept.into_iter();
    let Some(Kept::Began(began)) = kept.next() else { return None };
    let tape = Arc::new(Tape::default());
    for line in kept {
        match line {
            Kept::Began(_) => return None,
            Kept::Exchange(exchange) => tape.lock().exchanges.push_back(exchange),
            Kept::Called(called) => tape.lock().calls.push_back(called),
        }
    }
    tape.lock().left = recorded.left;
    let (tools, answers) = (began.tools.clone(), tape.clone());
    let toolboxes: Toolboxes =
        Arc::new(move |job| Ok(Box::new(Answers { tools: tools.clone(), tape: answers.clone(), job: job.clone() })));
    let served = Served { context_tokens: began.served_tokens, billions: None };
    let model = Model {
        settings: began.settings(&name),
        prompts,
        toolboxes,
        recorder: None,
        served: OnceLock::from(served),
        tape: Some(tape.clone()),
    };
    let ending = model.work(job, &Stop::new(), &|_| {});
    let mut state = tape.lock();
    let left = state.exchanges.len();
    if left > 0 && state.differences.is_empty() {
        state.differences.push(format!("it would end {left} exchanges with {} earlier", name.shown()));
    }
    if let Some(difference) = other_ending(&ending, recorded.ending) {
        state.differences.push(difference);
    }
    Some(std::mem::take(&mut state.differences))
}

/// Replies and answers in the order in which they came.
#[derive(Debug, Default)]
pub(super) struct Tape(Mutex<Playing>);

#[derive(Debug, Default)]
struct Playing {
    exchanges: VecDeque<Exchange>,
    played: usize,
    calls: VecDeque<Called>,
    left: Vec<(PathBuf, PathBuf)>,
    differences: Vec<String>,
}

impl Tape {
    fn lock(&self) -> MutexGuard<'_, Playing> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The reply to the next request; nothing if none was recorded.
    pub(super) fn reply(&self, request: &Value) -> Option<Exchange> {
        let mut state = self.lock();
        state.played += 1;
        let played = state.played;
        let Some(exchange) = state.exchanges.pop_front() else {
            state.differences.push(format!("request {played}: there was none"));
            return None;
        };
        let then: Value = serde_json::from_slice(&exchange.request).unwrap_or_default();
        // What follows from a difference is none of its own.
        if state.differences.is_empty() {
            let tell = &mut |place: &str, then: String, now: String| {
                state.differences.push(format!("request {played}, {place}: {now}, recorded {then}"));
            };
            differences("", &then, request, tell);
        }
        Some(exchange)
    }

    fn asked(&self, call: &ToolCall) -> Option<String> {
        let state = self.lock();
        let same = |called: &&Called| called.name == call.name && called.arguments == call.arguments;
        state.calls.iter().find(same)?.asked.clone()
    }

    fn answer(&self, call: &ToolCall, job: &Job) -> ToolAnswer {
        let mut state = self.lock();
        let fits = |called: &Called| called.name == call.name && called.arguments == call.arguments;
        let Some(at) = state.calls.iter().position(fits) else {
            let unknown = format!("the call of {} was not made then", quote(&call.name, 64));
            state.differences.push(unknown.clone());
            return ToolAnswer::wrong(unknown);
        };
        let answer = state.calls.remove(at).and_then(|called| called.answer);
        if state.calls.is_empty() {
            // What tools left is there when the last of them has answered.
            for (to, from) in std::mem::take(&mut state.left) {
                if let Err(fault) = std::fs::copy(&from, job.workdir.join(&to)) {
                    state.differences.push(format!("{}: {fault}", to.display()));
                }
            }
        }
        answer.unwrap_or_else(|| ToolAnswer::wrong(""))
    }
}

/// The tools of a recorded attempt.
struct Answers {
    tools: Vec<Tool>,
    tape: Arc<Tape>,
    job: Job,
}

impl Toolbox for Answers {
    fn tools(&self) -> Vec<Tool> {
        self.tools.clone()
    }

    fn asks(&self, call: &ToolCall) -> Option<String> {
        self.tape.asked(call)
    }

    fn call(&self, call: &ToolCall, _: &Stop) -> ToolAnswer {
        self.tape.answer(call, &self.job)
    }
}

/// What a report says, without what it cost.
fn said(ending: &Ending) -> Value {
    match ending {
        Ending::Report { report, .. } => json!(Report { usage: None, ..report.clone() }),
        Ending::Broken { problems, .. } => json!({"problems": problems}),
        Ending::Failed { error, .. } => json!({"error": error}),
        Ending::Later { reason, .. } => json!({"later": reason}),
        Ending::Waiting | Ending::Stopped => Value::Null,
    }
}

fn other_ending(now: &Ending, then: &Ending) -> Option<String> {
    let (mut now, mut then) = (said(now), said(then));
    for value in [&mut now, &mut then] {
        // The content of large files is kept beside the recording.
        for output in value["outputs"].as_array_mut().into_iter().flatten() {
            output.as_object_mut().and_then(|output| output.remove("content"));
        }
        if value["outputs"].as_array().is_some_and(Vec::is_empty) {
            value.as_object_mut().and_then(|value| value.remove("outputs"));
        }
    }
    let mut found = None;
    differences("report", &then, &now, &mut |place, then, now| {
        found.get_or_insert(format!("{place}: {now}, recorded {then}"));
    });
    found
}
