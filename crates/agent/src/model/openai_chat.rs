//! Owns the wire of OpenAI's chat completions, which Ollama, llama.cpp, vLLM and LM Studio speak as well. Must not know
//! what is talked about.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::message::{Answer, Call, Finish, Message, REPORT_TOOL, Request, Said, Turn, TurnUsage};
use super::name::Service;
use super::settings::{ModelSettings, Stream};
use super::sse::Event;
use super::strict::{Dialect, bound};
use super::wire::{Assembly, Heard, StreamFault, Wire, append, bearer, count_at, json_of, text_at};

/// The most calls that one reply may make.
const MAX_CALLS: usize = 128;

pub(super) struct OpenAiChat;

impl Wire for OpenAiChat {
    fn url(&self, settings: &ModelSettings, _: &Request) -> String {
        format!("{}/chat/completions", settings.base_url)
    }

    fn headers(&self, settings: &ModelSettings) -> Vec<(&'static str, String)> {
        bearer(settings)
    }

    fn body(&self, settings: &ModelSettings, request: &Request) -> Value {
        let mut body = Map::new();
        body.insert("model".into(), json!(settings.name));
        body.insert("messages".into(), Value::Array(messages(request)));
        // Reasoning models of OpenAI refuse the old name, most others do not know the new one.
        let limit = if settings.service == Service::OpenAi { "max_completion_tokens" } else { "max_tokens" };
        body.insert(limit.into(), json!(request.max_output_tokens));
        if let Some(temperature) = request.temperature {
            body.insert("temperature".into(), json!(temperature));
        }
        let mut tools: Vec<Value> =
            request.tools.iter().map(|tool| function(&tool.name, &tool.description, &tool.parameters)).collect();
        match &request.answer {
            Answer::Free => {}
            Answer::Schema(schema) => {
                let (schema, is_strict) = match settings.service {
                    Service::OpenAi => bound(schema, Dialect::OpenAi),
                    _ => (schema.clone(), true),
                };
                let format = json!({"name": REPORT_TOOL, "strict": is_strict, "schema": schema});
                body.insert("response_format".into(), json!({"type": "json_schema", "json_schema": format}));
            }
            Answer::Call(schema) => {
                if tools.is_empty() {
                    let choice = json!({"type": "function", "function": {"name": REPORT_TOOL}});
                    body.insert("tool_choice".into(), choice);
                }
                tools.push(function(REPORT_TOOL, "Hand in your report. This ends your work.", schema));
            }
        }
        if !tools.is_empty() {
            body.insert("tools".into(), Value::Array(tools));
        }
        if request.stream == Stream::Live {
            body.insert("stream".into(), json!(true));
            body.insert("stream_options".into(), json!({"include_usage": true}));
        }
        Value::Object(body)
    }

    fn read(&self, reply: &Value) -> Result<Turn, String> {
        let Some(choice) = reply.pointer("/choices/0") else { return Err("the reply has no choices".into()) };
        let message = &choice["message"];
        let calls = message["tool_calls"].as_array().into_iter().flatten();
        let calls = calls.map(|call| {
            let arguments = &call["function"]["arguments"];
            // Some servers give an object where the wire has a string.
            let text = arguments.as_str().map_or_else(|| arguments.to_string(), String::from);
            Call::of_text(text_at(call, "/id"), text_at(call, "/function/name"), &text)
        });
        let calls: Vec<Call> = calls.take(MAX_CALLS).collect();
        let refusal = text_at(message, "/refusal");
        let finish = match text_at(choice, "/finish_reason") {
            _ if !refusal.is_empty() => Finish::Refused(refusal.into()),
            "length" => Finish::Length,
            "content_filter" => Finish::Refused("its filter kept the answer back".into()),
            _ => Finish::Done,
        };
        let usage = &reply["usage"];
        let usage = TurnUsage {
            input: count_at(usage, "/prompt_tokens"),
            cached: count_at(usage, "/prompt_tokens_details/cached_tokens"),
            stored: 0,
            output: count_at(usage, "/completion_tokens"),
        };
        let said = Said { text: text_at(message, "/content").into(), calls, own: Value::Null };
        Ok(Turn { said, finish, usage })
    }

    fn assembly(&self) -> Box<dyn Assembly> {
        Box::new(Chunks::default())
    }

    fn binds_with_tools(&self) -> bool {
        true
    }
}

fn function(name: &str, description: &str, parameters: &Value) -> Value {
    json!({"type": "function", "function": {"name": name, "description": description, "parameters": parameters}})
}

fn messages(request: &Request) -> Vec<Value> {
    let mut messages = Vec::new();
    if !request.system.is_empty() {
        messages.push(json!({"role": "system", "content": request.system}));
    }
    for message in &request.messages {
        match message {
            Message::User(text) => messages.push(json!({"role": "user", "content": text})),
            Message::Model(said) => {
                let mut message = json!({"role": "assistant", "content": said.text});
                let calls: Vec<Value> = said.calls.iter().map(spoken).collect();
                if !calls.is_empty() {
                    message["tool_calls"] = Value::Array(calls);
                }
                messages.push(message);
            }
            Message::Answers(answers) => messages
                .extend(answers.iter().map(|one| json!({"role": "tool", "tool_call_id": one.id, "content": one.text}))),
        }
    }
    messages
}

fn spoken(call: &Call) -> Value {
    // What could not be read is not sent back: some servers read it again, and fail.
    let arguments = call.arguments.as_ref().map_or_else(|_| "{}".into(), Value::to_string);
    json!({"id": call.id, "type": "function", "function": {"name": call.name, "arguments": arguments}})
}

/// A reply in pieces: texts are joined, calls are joined by their index.
#[derive(Debug, Default)]
struct Chunks {
    content: String,
    refusal: String,
    calls: BTreeMap<u64, Map<String, Value>>,
    finish: Option<String>,
    usage: Value,
    is_over: bool,
}

impl Assembly for Chunks {
    fn take(&mut self, event: &Event) -> Result<Heard, StreamFault> {
        if event.data.trim() == "[DONE]" {
            self.is_over = true;
            return Ok(Heard::End);
        }
        let chunk = json_of(event)?;
        if let Some(error) = chunk.get("error").filter(|error| !error.is_null()) {
            let status = error["code"].as_u64().or_else(|| error["status"].as_u64()).unwrap_or(500);
            return Err(StreamFault::Provider(u16::try_from(status).unwrap_or(500), chunk.to_string()));
        }
        if chunk["usage"].is_object() {
            self.usage = chunk["usage"].clone();
        }
        let choice = &chunk["choices"][0];
        let delta = &choice["delta"];
        let mut bytes = 0;
        for (field, into) in [("/content", &mut self.content), ("/refusal", &mut self.refusal)] {
            let text = text_at(delta, field);
            into.push_str(text);
            bytes += text.len();
        }
        bytes += text_at(delta, "/reasoning_content").len();
        for (place, piece) in (0_u64..).zip(delta["tool_calls"].as_array().into_iter().flatten()) {
            bytes += self.take_call(place, piece);
        }
        if let Some(finish) = choice["finish_reason"].as_str() {
            self.finish = Some(finish.into());
        }
        Ok(Heard::Bytes(bytes))
    }

    fn reply(&mut self) -> Option<Value> {
        if !self.is_over && self.finish.is_none() {
            return None;
        }
        let calls = std::mem::take(&mut self.calls).into_values().map(|call| {
            let mut call = call;
            let id = call.remove("id").unwrap_or_default();
            json!({"id": id, "type": "function", "function": call})
        });
        let message = json!({"role": "assistant", "content": self.content, "refusal": self.refusal,
            "tool_calls": calls.collect::<Vec<_>>()});
        Some(json!({"choices": [{"message": message, "finish_reason": self.finish}], "usage": self.usage}))
    }
}

impl Chunks {
    fn take_call(&mut self, place: u64, piece: &Value) -> usize {
        let index = piece["index"].as_u64().unwrap_or(place);
        if self.calls.len() >= MAX_CALLS && !self.calls.contains_key(&index) {
            return 0;
        }
        let call = self.calls.entry(index).or_default();
        for (from, into) in [("/id", "id"), ("/function/name", "name")] {
            let text = text_at(piece, from);
            // Some servers repeat id and name in every piece.
            if !text.is_empty() && call.get(into).and_then(Value::as_str) != Some(text) {
                append(call, into, text);
            }
        }
        let arguments = text_at(piece, "/function/arguments");
        append(call, "arguments", arguments);
        arguments.len()
    }
}
