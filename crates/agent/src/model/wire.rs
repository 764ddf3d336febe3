//! Owns what every wire does: a request in our form becomes a body, a reply becomes a turn, a stream becomes the reply it
//! would have been. Must not know any provider, nor how bytes travel.

use serde_json::{Map, Value};

use super::message::{Request, Turn};
use super::name::Provider;
use super::settings::ModelSettings;
use super::sse::Event;
use super::{anthropic, gemini, openai_chat, openai_responses};

/// One provider's way to say all this.
pub(super) trait Wire: Sync {
    /// Where a request goes.
    fn url(&self, settings: &ModelSettings, request: &Request) -> String;

    /// Its headers beside the usual ones; the key is among them.
    fn headers(&self, settings: &ModelSettings) -> Vec<(&'static str, String)>;

    fn body(&self, settings: &ModelSettings, request: &Request) -> Value;

    /// A whole reply.
    fn read(&self, reply: &Value) -> Result<Turn, String>;

    /// A stream.
    fn assembly(&self) -> Box<dyn Assembly>;

    /// Whether a schema and tools may be asked for in one request.
    fn binds_with_tools(&self) -> bool;
}

/// A reply that arrives in pieces.
pub(super) trait Assembly {
    /// Takes the next event.
    fn take(&mut self, event: &Event) -> Result<Heard, StreamFault>;

    /// The reply as it would have come in one piece; nothing if the stream was cut before its end.
    fn reply(&mut self) -> Option<Value>;
}

/// What an event told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Heard {
    /// So many bytes of what the model says.
    Bytes(usize),
    /// That nothing more comes.
    End,
}

/// What can be wrong inside a stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum StreamFault {
    /// It is not what this wire sends.
    Odd(String),
    /// The provider says that it cannot go on, with a status and its words.
    Provider(u16, String),
}

pub(super) fn wire(provider: Provider) -> &'static dyn Wire {
    match provider {
        Provider::OpenAiChat => &openai_chat::OpenAiChat,
        Provider::OpenAiResponses => &openai_responses::OpenAiResponses,
        Provider::Anthropic => &anthropic::Anthropic,
        Provider::Gemini => &gemini::Gemini,
    }
}

/// The data of an event as JSON.
pub(super) fn json_of(event: &Event) -> Result<Value, StreamFault> {
    serde_json::from_str(&event.data)
        .map_err(|fault| StreamFault::Odd(format!("an event of the stream is not JSON: {fault}")))
}

/// A text at a JSON pointer; empty if it is not there.
pub(super) fn text_at<'v>(value: &'v Value, pointer: &str) -> &'v str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

/// A count at a JSON pointer; 0 if it is not there.
pub(super) fn count_at(value: &Value, pointer: &str) -> u64 {
    value.pointer(pointer).and_then(Value::as_u64).unwrap_or_default()
}

/// Takes what is at a JSON pointer; null if it is not there.
pub(super) fn taken(value: &mut Value, pointer: &str) -> Value {
    value.pointer_mut(pointer).map(Value::take).unwrap_or_default()
}

/// Appends to a text in an object.
pub(super) fn append(object: &mut Map<String, Value>, field: &str, more: &str) {
    match object.get_mut(field) {
        Some(Value::String(text)) => text.push_str(more),
        _ => drop(object.insert(field.into(), Value::String(more.into()))),
    }
}

/// A key in a header of the usual kind.
pub(super) fn bearer(settings: &ModelSettings) -> Vec<(&'static str, String)> {
    settings.key.iter().map(|key| ("authorization", format!("Bearer {}", key.reveal()))).collect()
}
