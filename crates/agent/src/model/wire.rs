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
    json_from(event.data.as_bytes())
        .map_err(|fault| StreamFault::Odd(format!("an event of the stream is not JSON: {fault}")))
}

/// JSON as providers send it: half of a character (`\ud83d` alone), as servers cut text between their tokens, stands for a
/// character that cannot be read.
pub(super) fn json_from(bytes: &[u8]) -> serde_json::Result<Value> {
    serde_json::from_slice(bytes).or_else(|fault| match without_halves(bytes) {
        Some(mended) => serde_json::from_slice(&mended),
        None => Err(fault),
    })
}

/// The same bytes with `\ufffd` for each half of a character; nothing if there is none.
fn without_halves(bytes: &[u8]) -> Option<Vec<u8>> {
    let unit = |at: usize| {
        let digits = bytes.get(at..at + 6)?.strip_prefix(b"\\u")?;
        u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
    };
    let (mut out, mut at, mut is_mended) = (Vec::with_capacity(bytes.len()), 0, false);
    while at < bytes.len() {
        let length = match (bytes[at], unit(at)) {
            (b'\\', Some(0xD800..=0xDBFF)) if matches!(unit(at + 6), Some(0xDC00..=0xDFFF)) => 12,
            (b'\\', Some(0xD800..=0xDFFF)) => {
                is_mended = true;
                out.extend_from_slice(b"\\ufffd");
                at += 6;
                continue;
            }
            (b'\\', Some(_)) => 6,
            (b'\\', None) => 2,
            _ => 1,
        };
        let end = (at + length).min(bytes.len());
        out.extend_from_slice(&bytes[at..end]);
        at = end;
    }
    is_mended.then_some(out)
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn halves_of_characters_do_not_make_a_reply_unreadable() {
        let check = |text: &str, expected: Value| assert_eq!(json_from(text.as_bytes()).unwrap(), expected, "{text}");
        check(r#"["a\ud83d", "\ude00b"]"#, json!(["a\u{fffd}", "\u{fffd}b"]));
        check(r#"["\ud83d\ude00", "\ud83d\ud83d\ude00"]"#, json!(["😀", "\u{fffd}😀"]));
        check(r#"["\\ud83d", "\\\ud83d", "\u00e9\n"]"#, json!(["\\ud83d", "\\\u{fffd}", "é\n"]));
        for odd in [r#"["\ud83d"#, r#"["\ud8"#, "\\", r#"["\u"]"#, ""] {
            assert!(json_from(odd.as_bytes()).is_err(), "{odd}");
        }
    }
}
