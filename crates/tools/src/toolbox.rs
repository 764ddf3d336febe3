//! Owns what a tool is to a model: a name, a schema, a call, an answer. Must not know any one tool, nor who calls.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Stop;

/// A tool as a model is told of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Tool {
    /// Letters, digits, `_` and `-`, at most 64, as every provider takes them.
    pub name: String,
    pub description: String,
    /// The JSON Schema of its arguments, an object.
    pub parameters: Value,
}

/// One use of a tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolCall {
    /// Ours, not the provider's: those repeat themselves.
    pub id: String,
    pub name: String,
    pub arguments: Value,
}

/// What came of a call. Whatever goes wrong is an answer too: a model can read it and do better.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolAnswer {
    /// For the model, bounded; what was left out is said in it.
    pub text: String,
    pub went: Went,
}

/// How a call went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Went {
    Well,
    /// It was tried and failed, or its arguments were wrong.
    Wrong,
    /// No grant allows it; nothing was tried.
    Denied,
}

/// Tools that belong together: functions of ours, those of an MCP server, or several boxes as one.
pub trait Toolbox: Send + Sync {
    /// The tools in it, always in the same order.
    fn tools(&self) -> Vec<Tool>;

    /// What of it cannot be used, each in one line.
    fn problems(&self) -> Vec<String> {
        Vec::new()
    }

    /// The call written out, if a person must be asked before it is made. It is not made before that.
    fn asks(&self, _call: &ToolCall) -> Option<String> {
        None
    }

    /// Uses one of them. A name that is not in the box is answered as wrong, with the names that are.
    fn call(&self, call: &ToolCall, stop: &Stop) -> ToolAnswer;
}

impl ToolAnswer {
    pub fn well(text: impl Into<String>) -> Self {
        Self { text: text.into(), went: Went::Well }
    }

    pub fn wrong(text: impl Into<String>) -> Self {
        Self { text: text.into(), went: Went::Wrong }
    }

    pub fn denied(text: impl Into<String>) -> Self {
        Self { text: text.into(), went: Went::Denied }
    }
}
