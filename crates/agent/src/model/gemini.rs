//! Owns the wire of Gemini's generateContent. Must not know what is talked about.

use serde_json::{Map, Value, json};

use super::message::{Answer, Call, Finish, Message, REPORT_TOOL, Request, Said, Turn, TurnUsage};
use super::settings::{ModelSettings, Stream};
use super::sse::Event;
use super::strict::{Dialect, bound};
use super::wire::{Assembly, Heard, StreamFault, Wire, append, count_at, json_of, text_at};

/// The most parts that one reply may have.
const MAX_PARTS: usize = 100_000;

pub(super) struct Gemini;

impl Wire for Gemini {
    fn url(&self, settings: &ModelSettings, request: &Request) -> String {
        let how = match request.stream {
            Stream::Live => "streamGenerateContent?alt=sse",
            Stream::Whole => "generateContent",
        };
        format!("{}/models/{}:{how}", settings.base_url, settings.name)
    }

    fn headers(&self, settings: &ModelSettings) -> Vec<(&'static str, String)> {
        settings.key.iter().map(|key| ("x-goog-api-key", key.reveal().to_string())).collect()
    }

    fn body(&self, _settings: &ModelSettings, request: &Request) -> Value {
        let mut body = Map::new();
        if !request.system.is_empty() {
            body.insert("systemInstruction".into(), json!({"parts": [{"text": request.system}]}));
        }
        body.insert("contents".into(), Value::Array(contents(request)));
        let mut configuration = json!({"maxOutputTokens": request.max_output_tokens});
        if let Some(temperature) = request.temperature {
            configuration["temperature"] = json!(temperature);
        }
        let function = |name: &str, description: &str, schema: &Value| json!({"name": name, "description": description, "parametersJsonSchema": schema});
        let mut functions: Vec<Value> =
            request.tools.iter().map(|tool| function(&tool.name, &tool.description, &tool.parameters)).collect();
        match &request.answer {
            Answer::Free => {}
            Answer::Schema(schema) => {
                let (schema, _) = bound(schema, Dialect::Gemini);
                configuration["responseMimeType"] = json!("application/json");
                configuration["responseJsonSchema"] = schema;
            }
            Answer::Call(schema) => {
                if functions.is_empty() {
                    let choice = json!({"mode": "ANY", "allowedFunctionNames": [REPORT_TOOL]});
                    body.insert("toolConfig".into(), json!({"functionCallingConfig": choice}));
                }
                functions.push(function(REPORT_TOOL, "Hand in your report. This ends your work.", schema));
            }
        }
        if !functions.is_empty() {
            body.insert("tools".into(), json!([{"functionDeclarations": functions}]));
        }
        body.insert("generationConfig".into(), configuration);
        Value::Object(body)
    }

    fn read(&self, reply: &Value) -> Result<Turn, String> {
        let blocked = text_at(reply, "/promptFeedback/blockReason");
        let Some(candidate) = reply.pointer("/candidates/0") else {
            if blocked.is_empty() {
                return Err("the reply has no candidates".into());
            }
            let finish = Finish::Refused(format!("the request was kept back: {blocked}"));
            return Ok(Turn { finish, ..Turn::default() });
        };
        let mut said = Said { own: candidate["content"]["parts"].clone(), ..Said::default() };
        for part in candidate["content"]["parts"].as_array().into_iter().flatten() {
            if part["thought"] == json!(true) {
                continue;
            }
            said.text.push_str(text_at(part, "/text"));
            if let Some(call) = part.get("functionCall") {
                let arguments = match &call["args"] {
                    arguments @ Value::Object(_) => Ok(arguments.clone()),
                    Value::Null => Ok(Value::Object(Map::new())),
                    _ => Err("the arguments are no JSON object".into()),
                };
                said.calls.push(Call {
                    id: text_at(call, "/id").into(),
                    name: text_at(call, "/name").into(),
                    arguments,
                });
            }
        }
        let finish = match text_at(candidate, "/finishReason") {
            "MAX_TOKENS" => Finish::Length,
            "" | "STOP" | "FINISH_REASON_UNSPECIFIED" | "MALFORMED_FUNCTION_CALL" => Finish::Done,
            reason => Finish::Refused(format!("the answer was kept back: {reason}")),
        };
        let usage = &reply["usageMetadata"];
        let usage = TurnUsage {
            input: count_at(usage, "/promptTokenCount"),
            cached: count_at(usage, "/cachedContentTokenCount"),
            stored: 0,
            output: count_at(usage, "/candidatesTokenCount") + count_at(usage, "/thoughtsTokenCount"),
        };
        Ok(Turn { said, finish, usage })
    }

    fn assembly(&self) -> Box<dyn Assembly> {
        Box::new(Parts::default())
    }

    fn binds_with_tools(&self) -> bool {
        false
    }
}

fn contents(request: &Request) -> Vec<Value> {
    let spoken = request.messages.iter().map(|message| match message {
        Message::User(text) => json!({"role": "user", "parts": [{"text": text}]}),
        Message::Model(said) => {
            let parts = match said.own.as_array() {
                Some(own) if !own.is_empty() => own.clone(),
                _ => vec![json!({"text": said.text})],
            };
            json!({"role": "model", "parts": parts})
        }
        Message::Answers(answers) => {
            let parts = answers.iter().map(|one| {
                let field = if one.went == tools::Went::Well { "result" } else { "error" };
                let mut answer = json!({"name": one.name, "response": {field: one.text}});
                if !one.id.is_empty() {
                    answer["id"] = json!(one.id);
                }
                json!({"functionResponse": answer})
            });
            json!({"role": "user", "parts": parts.collect::<Vec<_>>()})
        }
    });
    spoken.collect()
}

/// A reply in pieces: each is a reply of its own with some of the parts.
#[derive(Debug, Default)]
struct Parts {
    parts: Vec<Value>,
    finish: Option<Value>,
    last: Map<String, Value>,
}

impl Assembly for Parts {
    fn take(&mut self, event: &Event) -> Result<Heard, StreamFault> {
        let mut data = json_of(event)?;
        if data.get("error").is_some() {
            let status = u16::try_from(count_at(&data, "/error/code")).unwrap_or(500);
            return Err(StreamFault::Provider(status, data.to_string()));
        }
        let mut bytes = 0;
        if let Some(Value::Array(parts)) = data.pointer_mut("/candidates/0/content/parts").map(Value::take) {
            for part in parts {
                bytes += text_at(&part, "/text").len();
                self.add(part);
            }
        }
        if let Some(finish) = data.pointer("/candidates/0/finishReason") {
            self.finish = Some(finish.clone());
        }
        if data.pointer("/promptFeedback/blockReason").is_some() {
            self.finish.get_or_insert(Value::Null);
        }
        for field in ["usageMetadata", "promptFeedback"] {
            if let Some(value) = data.get_mut(field) {
                self.last.insert(field.into(), value.take());
            }
        }
        // What was used is told in the same event as the end, or in one after it: the stream's own end is waited for.
        Ok(Heard::Bytes(bytes))
    }

    fn reply(&mut self) -> Option<Value> {
        let finish = self.finish.take()?;
        let mut reply = std::mem::take(&mut self.last);
        if !(finish.is_null() && self.parts.is_empty()) {
            let parts = std::mem::take(&mut self.parts);
            reply.insert("candidates".into(), json!([{"content": {"parts": parts}, "finishReason": finish}]));
        }
        Some(Value::Object(reply))
    }
}

impl Parts {
    /// Texts of one kind become one part: a signature belongs to the part it came with.
    fn add(&mut self, part: Value) {
        let is_plain = |part: &Value| part.get("text").is_some() && part.get("thoughtSignature").is_none();
        if let Some(last) = self.parts.last_mut()
            && is_plain(last)
            && is_plain(&part)
            && last["thought"] == part["thought"]
            && let Some(fields) = last.as_object_mut()
        {
            append(fields, "text", text_at(&part, "/text"));
        } else if self.parts.len() < MAX_PARTS {
            self.parts.push(part);
        }
    }
}
