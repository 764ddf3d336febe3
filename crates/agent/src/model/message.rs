//! Owns a conversation with a model in our own form, the same for every provider. Must not know any wire.

use serde_json::Value;
use tools::Tool;

use super::settings::Stream;

/// All that is asked in one call.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Request {
    /// Who the model is and how it works: the part that stays the same, so that providers find it in their caches.
    pub system: String,
    pub messages: Vec<Message>,
    pub tools: Vec<Tool>,
    /// What the answer must be.
    pub answer: Answer,
    pub max_output_tokens: u32,
    /// Nothing: the provider's own.
    pub temperature: Option<f64>,
    pub stream: Stream,
}

/// How the form of an answer is asked for.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Answer {
    /// Any text.
    Free,
    /// A JSON value by this schema, kept to by the provider.
    Schema(Value),
    /// A call of a tool named [`REPORT_TOOL`] with arguments by this schema.
    Call(Value),
}

/// The tool by which a report is handed in where a provider has no other way to bind its form.
pub(super) const REPORT_TOOL: &str = "report";

/// One message.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Message {
    /// Ours.
    User(String),
    /// The model's.
    Model(Said),
    /// What came of the calls in the message before.
    Answers(Vec<Answered>),
}

/// What a model said in one turn.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Said {
    pub text: String,
    pub calls: Vec<Call>,
    /// The same as the provider wrote it: some want it back as it was, with signatures that only they can read.
    pub own: Value,
}

/// A call that a model wants to be made.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Call {
    /// The provider's; it may be empty, or repeat itself.
    pub id: String,
    pub name: String,
    /// An object; or what is wrong with what was given instead.
    pub arguments: Result<Value, String>,
}

/// What came of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Answered {
    /// The provider's id of the call.
    pub id: String,
    pub name: String,
    pub text: String,
    pub went: tools::Went,
}

/// One reply.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Turn {
    pub said: Said,
    pub finish: Finish,
    pub usage: TurnUsage,
}

/// Why a reply ended.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) enum Finish {
    /// All was said, or calls are to be made.
    #[default]
    Done,
    /// The limit of tokens cut it.
    Length,
    /// The provider or the model would not say it.
    Refused(String),
}

/// What one call cost, in tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct TurnUsage {
    /// All that went in.
    pub input: u64,
    /// Of these: read from a cache.
    pub cached: u64,
    /// Of these: written to a cache, which some bill higher.
    pub stored: u64,
    pub output: u64,
}

impl Call {
    /// A call with arguments as a wire brings them: JSON in a string.
    pub(super) fn of_text(id: &str, name: &str, arguments: &str) -> Self {
        let arguments = match arguments.trim() {
            "" => Ok(Value::Object(serde_json::Map::new())),
            text => match serde_json::from_str::<Value>(text) {
                Ok(value @ Value::Object(_)) => Ok(value),
                Ok(_) => Err("the arguments are no JSON object".into()),
                Err(fault) => Err(format!("the arguments are not JSON: {fault}")),
            },
        };
        Self { id: id.into(), name: name.into(), arguments }
    }
}
