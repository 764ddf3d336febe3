//! What has a status in a plan, and what a plan is made of.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

/// One item of a run: a phase, a stage, a task, a tool task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Item {
    /// Unique in the run.
    pub id: String,
    /// Its place in the hierarchy's levels.
    pub level: usize,
    /// The item it belongs to; nothing for those of the outermost level.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// Its place among its siblings; ties by id.
    pub order: u32,
    /// What it is called.
    pub name: String,
    /// Files it reads, from the project's root.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inputs: Vec<String>,
    /// The file it leaves; empty for items that only hold others.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub output: String,
    /// Rules that it goes by, where each task names its own: files, from the project's root.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub guidelines: Vec<String>,
    /// Where a phase leaves its final outputs, and a task its file, where folders are planned.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub folder: String,
    /// What a task does to its file, where that is planned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action: Option<Action>,
    /// Whether its work is that of its tool tasks, the last of which leaves its file.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub by_tools: bool,
    /// Whether tool tasks come before its core work.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub pre: bool,
    /// Whether tool tasks come after its core work.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub post: bool,
    /// For a tool task: when it is due.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timing: Option<Timing>,
    /// Where it stands.
    pub state: State,
    /// Whether its core work is committed while tool tasks are still to come.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub core_done: bool,
    /// Whether its children, or its tool tasks of a timing, were planned: `children`, `pre`, `post`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub planned: Vec<String>,
}

/// Where an item stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// Planned, not done.
    Pending,
    /// Done, for good.
    Completed,
    /// Failed, for good.
    Failed,
}

/// When a tool task is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Timing {
    /// Before the core work.
    Pre,
    /// After it.
    Post,
}

/// What a task does to its file. It stands in brackets at the beginning of its purpose.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// Makes a file that is not there.
    Add,
    /// Changes one that is.
    Modify,
    /// Leaves a note in the place of one: what it was, and why it went.
    Delete,
}

/// What a plan is asked for (`plan_target`).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Target {
    /// The preparation: `phase:0`.
    Prelude,
    /// What is proposed to the user: `proposal`.
    Proposal,
    /// The items below one: `phase:P01`, `stage:S02`.
    Children(String),
    /// The tool tasks of one: `pre_tool:T05`, `post_tool:T05`.
    Tools(String, Timing),
}

/// A row of a draft. Ids and order may be left to the engine.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Planned {
    /// The id, if the planner gave one; always there once the draft is accepted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// `stage_name`, `task_name`, `tool_task_name`.
    pub name: String,
    /// `stage_goal`, `task_purpose`, `tool_task_purpose`, `phase_purpose`.
    pub purpose: String,
    /// `execution_order`; always there once the draft is accepted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order: Option<u32>,
    /// `related_references`, globs resolved.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inputs: Vec<String>,
    /// `output_path`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub output: String,
    /// `pre_tool_purpose`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub pre: String,
    /// `post_tool_purpose`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub post: String,
    /// `tool_type`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub tool: String,
    /// `timing`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timing: Option<Timing>,
    /// `related_guidelines`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub guidelines: Vec<String>,
    /// `output_folder`; of a phase, where its final outputs go.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub folder: String,
    /// `mcp_id`: the procedure that the task is done by.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub procedure: String,
    /// Columns that only some protocols have.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub more: BTreeMap<String, String>,
}

/// The column of settings by which a stage is kept to some phases.
const KEPT_TO: &str = "phase_name";

impl Planned {
    /// Keeps a row of settings to phases of these names.
    pub fn keep_to(&mut self, phases: &[String]) {
        self.more.insert(KEPT_TO.into(), phases.join("\n"));
    }

    /// Whether a row of settings is for the phase of this name.
    pub fn is_for(&self, phase: &str) -> bool {
        self.more.get(KEPT_TO).is_none_or(|names| names.split('\n').any(|name| name == phase))
    }
}

impl Action {
    /// How documents spell it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Add => "Add",
            Self::Modify => "Modify",
            Self::Delete => "Delete",
        }
    }

    /// The action that a purpose begins with, if it does, and what follows it.
    pub fn split(purpose: &str) -> (Option<Self>, &str) {
        let purpose = purpose.trim();
        let bracketed = purpose.strip_prefix('[').and_then(|rest| rest.split_once(']'));
        let known = bracketed.and_then(|(word, rest)| {
            let all = [Self::Add, Self::Modify, Self::Delete];
            let action = all.into_iter().find(|action| action.word().eq_ignore_ascii_case(word.trim()))?;
            Some((action, rest.trim_start()))
        });
        known.map_or((None, purpose), |(action, rest)| (Some(action), rest))
    }
}
