//! Owns the wire of Anthropic's messages. Must not know what is talked about.

use serde_json::{Map, Value, json};

use super::message::{Answer, Call, Finish, Message, REPORT_TOOL, Request, Said, Turn, TurnUsage};
use super::settings::{ModelSettings, Stream};
use super::sse::Event;
use super::strict::{Dialect, bound};
use super::wire::{Assembly, Heard, StreamFault, Wire, append, count_at, json_of, taken, text_at};

const VERSION: &str = "2023-06-01";

/// The most pieces of content that one reply may have.
const MAX_BLOCKS: usize = 256;

pub(super) struct Anthropic;

impl Wire for Anthropic {
    fn url(&self, settings: &ModelSettings, _: &Request) -> String {
        format!("{}/messages", settings.base_url)
    }

    fn headers(&self, settings: &ModelSettings) -> Vec<(&'static str, String)> {
        let key = settings.key.iter().map(|key| ("x-api-key", key.reveal().to_string()));
        std::iter::once(("anthropic-version", VERSION.to_string())).chain(key).collect()
    }

    fn body(&self, settings: &ModelSettings, request: &Request) -> Value {
        let mut body = Map::new();
        body.insert("model".into(), json!(settings.name));
        body.insert("max_tokens".into(), json!(request.max_output_tokens));
        if !request.system.is_empty() {
            body.insert("system".into(), json!([cached(&request.system)]));
        }
        body.insert("messages".into(), Value::Array(messages(request)));
        if let Some(temperature) = request.temperature {
            body.insert("temperature".into(), json!(temperature));
        }
        let tool = |name: &str, description: &str, schema: &Value| json!({"name": name, "description": description, "input_schema": schema});
        let mut tools: Vec<Value> =
            request.tools.iter().map(|one| tool(&one.name, &one.description, &one.parameters)).collect();
        match &request.answer {
            Answer::Free => {}
            Answer::Schema(schema) => {
                let (schema, _) = bound(schema, Dialect::Anthropic);
                body.insert("output_config".into(), json!({"format": {"type": "json_schema", "schema": schema}}));
            }
            Answer::Call(schema) => {
                if tools.is_empty() {
                    body.insert("tool_choice".into(), json!({"type": "tool", "name": REPORT_TOOL}));
                }
                tools.push(tool(REPORT_TOOL, "Hand in your report. This ends your work.", schema));
            }
        }
        if !tools.is_empty() {
            body.insert("tools".into(), Value::Array(tools));
        }
        if request.stream == Stream::Live {
            body.insert("stream".into(), json!(true));
        }
        Value::Object(body)
    }

    fn read(&self, reply: &Value) -> Result<Turn, String> {
        let Some(content) = reply["content"].as_array() else { return Err("the reply has no content".into()) };
        let mut said = Said { own: reply["content"].clone(), ..Said::default() };
        for block in content {
            match text_at(block, "/type") {
                "text" => said.text.push_str(text_at(block, "/text")),
                "tool_use" => {
                    let arguments = match &block["input"] {
                        input @ Value::Object(_) => Ok(input.clone()),
                        Value::Null => Ok(Value::Object(Map::new())),
                        _ => Err("the arguments are no JSON object".into()),
                    };
                    let (id, name) = (text_at(block, "/id").into(), text_at(block, "/name").into());
                    // A stream may bring arguments that are no JSON: the assembly keeps them here.
                    let arguments = match block.get("unread").and_then(Value::as_str) {
                        Some(text) => Call::of_text("", "", text).arguments,
                        None => arguments,
                    };
                    said.calls.push(Call { id, name, arguments });
                }
                _ => {}
            }
        }
        let finish = match text_at(reply, "/stop_reason") {
            "max_tokens" | "model_context_window_exceeded" => Finish::Length,
            "refusal" => Finish::Refused("it would not answer".into()),
            _ => Finish::Done,
        };
        let usage = &reply["usage"];
        let (cached, stored) =
            (count_at(usage, "/cache_read_input_tokens"), count_at(usage, "/cache_creation_input_tokens"));
        // The provider counts here what was in no cache.
        let input = count_at(usage, "/input_tokens") + cached + stored;
        let usage = TurnUsage { input, cached, stored, output: count_at(usage, "/output_tokens") };
        Ok(Turn { said, finish, usage })
    }

    fn assembly(&self) -> Box<dyn Assembly> {
        Box::new(Blocks::default())
    }

    fn binds_with_tools(&self) -> bool {
        true
    }
}

/// A text up to which the provider keeps what it has read.
fn cached(text: &str) -> Value {
    json!({"type": "text", "text": text, "cache_control": {"type": "ephemeral"}})
}

fn messages(request: &Request) -> Vec<Value> {
    let spoken = request.messages.iter().enumerate().map(|(number, message)| match message {
        // The brief and its files are the same for every turn of an attempt.
        Message::User(text) if number == 0 => json!({"role": "user", "content": [cached(text)]}),
        Message::User(text) => json!({"role": "user", "content": [{"type": "text", "text": text}]}),
        Message::Model(said) => {
            let content = match said.own.as_array() {
                Some(own) if !own.is_empty() => own.iter().map(without_unread).collect(),
                _ => vec![json!({"type": "text", "text": said.text})],
            };
            json!({"role": "assistant", "content": content})
        }
        Message::Answers(answers) => {
            let content = answers.iter().map(|one| {
                let is_error = one.went != tools::Went::Well;
                json!({"type": "tool_result", "tool_use_id": one.id, "content": one.text, "is_error": is_error})
            });
            json!({"role": "user", "content": content.collect::<Vec<_>>()})
        }
    });
    spoken.collect()
}

fn without_unread(block: &Value) -> Value {
    let mut block = block.clone();
    if let Some(fields) = block.as_object_mut()
        && fields.remove("unread").is_some()
    {
        fields.insert("input".into(), json!({}));
    }
    block
}

/// A reply in pieces: one block after another, each in deltas.
#[derive(Debug, Default)]
struct Blocks {
    message: Map<String, Value>,
    blocks: Vec<Map<String, Value>>,
    /// The arguments of calls, as far as they have come.
    inputs: Vec<String>,
    is_over: bool,
}

impl Assembly for Blocks {
    fn take(&mut self, event: &Event) -> Result<Heard, StreamFault> {
        let mut data = json_of(event)?;
        let kind = if event.name.is_empty() { text_at(&data, "/type").to_string() } else { event.name.clone() };
        match kind.as_str() {
            "message_start" => {
                if let Value::Object(message) = taken(&mut data, "/message") {
                    self.message = message;
                }
            }
            "content_block_start" => {
                if self.blocks.len() >= MAX_BLOCKS {
                    return Err(StreamFault::Odd(format!("the reply has more than {MAX_BLOCKS} pieces")));
                }
                self.blocks.push(data["content_block"].as_object().cloned().unwrap_or_default());
                self.inputs.push(String::new());
            }
            "content_block_delta" => return Ok(Heard::Bytes(self.take_delta(&data))),
            "message_delta" => {
                self.message.insert("stop_reason".into(), taken(&mut data, "/delta/stop_reason"));
                let told = data["usage"].as_object().into_iter().flatten().filter(|(_, count)| count.is_u64());
                let usage = self.message.entry("usage").or_insert_with(|| json!({}));
                if let Some(usage) = usage.as_object_mut() {
                    usage.extend(told.map(|(name, count)| (name.clone(), count.clone())));
                }
            }
            "message_stop" => {
                self.is_over = true;
                return Ok(Heard::End);
            }
            "error" => {
                let status = match text_at(&data, "/error/type") {
                    "rate_limit_error" => 429,
                    "overloaded_error" => 529,
                    "invalid_request_error" => 400,
                    "authentication_error" => 401,
                    _ => 500,
                };
                return Err(StreamFault::Provider(status, data.to_string()));
            }
            _ => {}
        }
        Ok(Heard::Bytes(0))
    }

    fn reply(&mut self) -> Option<Value> {
        if !self.is_over {
            return None;
        }
        let inputs = std::mem::take(&mut self.inputs);
        let blocks = std::mem::take(&mut self.blocks).into_iter().zip(inputs).map(|(mut block, input)| {
            if !input.trim().is_empty() {
                match serde_json::from_str::<Value>(&input) {
                    Ok(value @ Value::Object(_)) => drop(block.insert("input".into(), value)),
                    _ => drop(block.insert("unread".into(), Value::String(input))),
                }
            }
            Value::Object(block)
        });
        self.message.insert("content".into(), Value::Array(blocks.collect()));
        Some(Value::Object(std::mem::take(&mut self.message)))
    }
}

impl Blocks {
    fn take_delta(&mut self, data: &Value) -> usize {
        let index = usize::try_from(count_at(data, "/index")).unwrap_or(usize::MAX);
        let delta = &data["delta"];
        let (Some(block), Some(input)) = (self.blocks.get_mut(index), self.inputs.get_mut(index)) else { return 0 };
        for field in ["text", "thinking", "signature"] {
            if let Some(more) = delta[field].as_str() {
                append(block, field, more);
                return more.len();
            }
        }
        let more = text_at(delta, "/partial_json");
        input.push_str(more);
        more.len()
    }
}
