//! Owns the two objects of the agent contract: the brief that goes in and the report that comes out. Must not know
//! who works on a brief, nor where a report comes from.

use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

/// The version of the contract that these types are.
pub const CONTRACT: u32 = 1;

/// The fields of an item's row that can be its own id, the most particular first: a task's row names its stage, too.
const ID_FIELDS: [&str; 7] = ["tool_task_id", "task_id", "stage_id", "phase_id", "instruction_id", "step_id", "id"];

/// What an agent is given: all it needs to know, and nothing that it may not see.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Brief {
    /// The version of the contract, see [`CONTRACT`].
    pub contract: u32,
    /// The run it belongs to.
    pub run_id: String,
    /// The protocol of that run.
    pub protocol: String,
    /// The part to play: planner, executor, communicator, judge, …
    pub role: String,
    /// What to do: `plan_stages`, `plan_tasks`, `propose`, `execute`, …
    pub action: String,
    /// What a planner plans (MV-42): `phase:0`, `proposal`, `phase:P2`, `stage:S04`, `pre_tool:T05`, …
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan_target: Option<String>,
    /// The item's row as an object.
    #[serde(default)]
    pub item: Map<String, Value>,
    /// The number of this attempt on the item, from 1.
    #[serde(default = "first_attempt")]
    pub attempt: u32,
    /// The same in words, rendered for a model.
    #[serde(default)]
    pub prompt: String,
    /// The files to work with, and why each is given (MV-31).
    #[serde(default)]
    pub files: Vec<BriefFile>,
    /// What else is of use: rows of the plan, instructions, past runs.
    #[serde(default)]
    pub context: Value,
    /// What the report must hold.
    #[serde(default)]
    pub expects: Expects,
    /// How much may be spent.
    #[serde(default)]
    pub limits: BriefLimits,
    /// The attempt's own folder: the only place to write to.
    #[serde(default)]
    pub workdir: String,
    /// What was wrong with the report before this one; empty the first time.
    #[serde(default)]
    pub problems: Vec<String>,
    /// What a person answered to this agent's questions.
    #[serde(default)]
    pub answers: Vec<Answered>,
}

/// A file that the agent may use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BriefFile {
    /// From the project's folder; the same path leads to it from the workdir.
    pub path: String,
    /// Why it is given.
    #[serde(default)]
    pub why: String,
    /// What may be done with it.
    #[serde(default)]
    pub access: Access,
}

/// What an agent may do with a file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Access {
    /// Look at it.
    #[default]
    Read,
    /// Change it: the workdir has a copy of its own.
    Write,
}

/// What a report must hold to be taken.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Expects {
    /// The JSON Schema of `result`; null if any will do. The same for many briefs: it is shared.
    #[serde(default)]
    pub result: Arc<Value>,
    /// The files that must be there afterwards; empty if the agent is free.
    #[serde(default)]
    pub outputs: Vec<String>,
}

/// How much one attempt may spend. 0 stands for the engine's own limit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BriefLimits {
    /// Turns of a model, calls of tools.
    #[serde(default)]
    pub steps: u32,
    /// Tokens in and out.
    #[serde(default)]
    pub tokens: u64,
    /// Seconds on the clock.
    #[serde(default)]
    pub seconds: u64,
}

/// A question of this agent, and what a person said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answered {
    /// As it was asked.
    pub question: String,
    /// As it was answered.
    pub answer: String,
}

/// What an agent gives back. Fields that are not known are ignored; null stands for "not there".
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// How it went.
    pub status: ReportStatus,
    /// By the schema of the brief.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub result: Value,
    /// Files that were made.
    #[serde(default, deserialize_with = "null_is_default")]
    pub outputs: Vec<ReportOutput>,
    /// What was done, in a sentence or two.
    #[serde(default, deserialize_with = "null_is_default")]
    pub summary: String,
    /// How sure the agent is, from 0 to 10.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
    /// With the status `question`: what a person must say. With `done`, from a role of a workflow: what a person may say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<String>,
    /// With the status `failed`: what went wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// What it cost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
}

/// How an attempt went, in the agent's own eyes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ReportStatus {
    /// All that was asked for is there.
    #[default]
    Done,
    /// It cannot be done, and `error` says why.
    Failed,
    /// Not finished, to be taken up later.
    Paused,
    /// A person must answer `question` first.
    Question,
}

/// A file that was made.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReportOutput {
    /// From the project's folder.
    pub path: String,
    /// What is in it; without it, the file was written into the workdir under the same path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
}

/// What an attempt cost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Usage {
    /// Tokens that went in.
    #[serde(default, deserialize_with = "null_is_default")]
    pub input_tokens: u64,
    /// Tokens that came out.
    #[serde(default, deserialize_with = "null_is_default")]
    pub output_tokens: u64,
    /// Of those that went in: read from a cache.
    #[serde(default, deserialize_with = "null_is_default")]
    pub cached_tokens: u64,
    /// In US dollars; nothing if nobody knows the price, which is not the same as 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
}

impl Brief {
    /// A brief with nothing in it but what every brief has.
    pub fn new(run_id: &str, protocol: &str, role: &str, action: &str) -> Self {
        Self {
            contract: CONTRACT,
            run_id: run_id.into(),
            protocol: protocol.into(),
            role: role.into(),
            action: action.into(),
            plan_target: None,
            item: Map::new(),
            attempt: first_attempt(),
            prompt: String::new(),
            files: Vec::new(),
            context: Value::Null,
            expects: Expects::default(),
            limits: BriefLimits::default(),
            workdir: String::new(),
            problems: Vec::new(),
            answers: Vec::new(),
        }
    }

    /// Which of the three roles that settings know it is held to, whatever its protocol calls it: a judge looks on as a
    /// planner does, everybody else works.
    pub fn standing(&self) -> &'static str {
        match self.role.as_str() {
            "planner" | "judge" => "planner",
            "communicator" => "communicator",
            _ => "executor",
        }
    }

    /// Whether a person can be asked to allow something, and the work waits for it. Who judges a loop gives a verdict and
    /// has no other word; the work of a roadmap waits for nobody.
    pub fn may_ask(&self) -> bool {
        !matches!((self.protocol.as_str(), self.role.as_str()), ("cycle", "judge") | ("roadmap", _))
    }

    /// The id of the item in its row; nothing if the row has none.
    pub fn item_id(&self) -> Option<&str> {
        ID_FIELDS.iter().find_map(|field| self.item.get(*field)?.as_str())
    }
}

impl Report {
    /// A report that all is done.
    pub fn done(summary: &str) -> Self {
        Self { status: ReportStatus::Done, summary: summary.into(), ..Self::default() }
    }

    /// A report that it cannot be done.
    pub fn failed(error: &str) -> Self {
        Self { status: ReportStatus::Failed, error: Some(error.into()), ..Self::default() }
    }

    /// A report that a person must answer first.
    pub fn question(question: &str) -> Self {
        Self { status: ReportStatus::Question, question: Some(question.into()), ..Self::default() }
    }
}

impl Brief {
    /// Questions and answers as pairs.
    pub(crate) fn answered(&self) -> Vec<(String, String)> {
        self.answers.iter().map(|one| (one.question.clone(), one.answer.clone())).collect()
    }
}

impl ReportStatus {
    /// The word that stands in a report.
    pub fn word(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Paused => "paused",
            Self::Question => "question",
        }
    }
}

fn first_attempt() -> u32 {
    1
}

fn null_is_default<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Default + Deserialize<'de>,
{
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}
