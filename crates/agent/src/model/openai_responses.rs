//! Owns the wire of OpenAI's responses. Must not know what is talked about.

use serde_json::{Map, Value, json};

use super::message::{Answer, Call, Finish, Message, REPORT_TOOL, Request, Said, Turn, TurnUsage};
use super::name::Service;
use super::settings::{ModelSettings, Stream};
use super::sse::Event;
use super::strict::{Dialect, bound};
use super::wire::{Assembly, Heard, StreamFault, Wire, bearer, count_at, json_of, taken, text_at};

pub(super) struct OpenAiResponses;

impl Wire for OpenAiResponses {
    fn url(&self, settings: &ModelSettings, _: &Request) -> String {
        format!("{}/responses", settings.base_url)
    }

    fn headers(&self, settings: &ModelSettings) -> Vec<(&'static str, String)> {
        bearer(settings)
    }

    fn body(&self, settings: &ModelSettings, request: &Request) -> Value {
        let mut body = Map::new();
        body.insert("model".into(), json!(settings.name));
        body.insert("instructions".into(), json!(request.system));
        body.insert("input".into(), Value::Array(input(request)));
        body.insert("max_output_tokens".into(), json!(request.max_output_tokens));
        // Nothing of ours is kept there; thoughts come back to us, sealed.
        body.insert("store".into(), json!(false));
        if settings.service == Service::OpenAiResponses && settings.service.base_url() == Some(&settings.base_url) {
            body.insert("include".into(), json!(["reasoning.encrypted_content"]));
        }
        if let Some(temperature) = request.temperature {
            body.insert("temperature".into(), json!(temperature));
        }
        let mut tools: Vec<Value> =
            request.tools.iter().map(|tool| function(&tool.name, &tool.description, &tool.parameters)).collect();
        match &request.answer {
            Answer::Free => {}
            Answer::Schema(schema) => {
                let (schema, is_strict) = bound(schema, Dialect::OpenAi);
                let format = json!({"type": "json_schema", "name": REPORT_TOOL, "strict": is_strict, "schema": schema});
                body.insert("text".into(), json!({"format": format}));
            }
            Answer::Call(schema) => {
                if tools.is_empty() {
                    body.insert("tool_choice".into(), json!({"type": "function", "name": REPORT_TOOL}));
                }
                tools.push(function(REPORT_TOOL, "Hand in your report. This ends your work.", schema));
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
        let Some(output) = reply["output"].as_array() else { return Err("the reply has no output".into()) };
        let mut said = Said::default();
        let mut own = Vec::new();
        let mut finish = match (text_at(reply, "/status"), text_at(reply, "/incomplete_details/reason")) {
            ("incomplete", "max_output_tokens") => Finish::Length,
            ("incomplete", reason) => Finish::Refused(format!("it did not end: {reason}")),
            _ => Finish::Done,
        };
        for item in output {
            match text_at(item, "/type") {
                "message" => {
                    for part in item["content"].as_array().into_iter().flatten() {
                        said.text.push_str(text_at(part, "/text"));
                        let refusal = text_at(part, "/refusal");
                        if !refusal.is_empty() {
                            finish = Finish::Refused(refusal.into());
                        }
                    }
                    own.push(item.clone());
                }
                "function_call" => {
                    let (id, name) = (text_at(item, "/call_id"), text_at(item, "/name"));
                    said.calls.push(Call::of_text(id, name, text_at(item, "/arguments")));
                    own.push(item.clone());
                }
                "reasoning" if !text_at(item, "/encrypted_content").is_empty() => own.push(item.clone()),
                _ => {}
            }
        }
        said.own = Value::Array(own);
        let usage = &reply["usage"];
        let usage = TurnUsage {
            input: count_at(usage, "/input_tokens"),
            cached: count_at(usage, "/input_tokens_details/cached_tokens"),
            stored: 0,
            output: count_at(usage, "/output_tokens"),
        };
        Ok(Turn { said, finish, usage })
    }

    fn assembly(&self) -> Box<dyn Assembly> {
        Box::new(Events::default())
    }

    fn binds_with_tools(&self) -> bool {
        true
    }
}

fn function(name: &str, description: &str, parameters: &Value) -> Value {
    json!({"type": "function", "name": name, "description": description, "parameters": parameters, "strict": false})
}

fn input(request: &Request) -> Vec<Value> {
    let mut input = Vec::new();
    for message in &request.messages {
        match message {
            Message::User(text) => {
                input.push(json!({"role": "user", "content": [{"type": "input_text", "text": text}]}));
            }
            Message::Model(said) => match &said.own {
                Value::Array(own) => input.extend(own.iter().cloned()),
                _ => {
                    input.push(json!({"role": "assistant", "content": [{"type": "output_text", "text": said.text}]}));
                }
            },
            Message::Answers(answers) => input.extend(
                answers
                    .iter()
                    .map(|one| json!({"type": "function_call_output", "call_id": one.id, "output": one.text})),
            ),
        }
    }
    input
}

/// The last event brings the whole reply.
#[derive(Debug, Default)]
struct Events {
    reply: Option<Value>,
}

impl Assembly for Events {
    fn take(&mut self, event: &Event) -> Result<Heard, StreamFault> {
        if event.data.trim() == "[DONE]" {
            return Ok(Heard::End);
        }
        let mut data = json_of(event)?;
        let kind = if event.name.is_empty() { text_at(&data, "/type").to_string() } else { event.name.clone() };
        match kind.as_str() {
            "response.completed" | "response.incomplete" => {
                self.reply = Some(taken(&mut data, "/response"));
                Ok(Heard::End)
            }
            "response.failed" => {
                let error = taken(&mut data, "/response/error");
                let status = if text_at(&error, "/code") == "rate_limit_exceeded" { 429 } else { 500 };
                Err(StreamFault::Provider(status, json!({"error": error}).to_string()))
            }
            "error" => Err(StreamFault::Provider(500, json!({"error": data}).to_string())),
            kind if kind.ends_with(".delta") => Ok(Heard::Bytes(text_at(&data, "/delta").len())),
            _ => Ok(Heard::Bytes(0)),
        }
    }

    fn reply(&mut self) -> Option<Value> {
        self.reply.take()
    }
}
