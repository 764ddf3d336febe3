//! Owns how a step of a model is said in the words of providers: OpenAI's chat completions and responses, Anthropic's
//! messages, Gemini's contents. Must not know what the step is for.

use serde_json::{Value, json};

use crate::endpoint::Step;

pub(crate) struct Answer {
    pub(crate) kind: &'static str,
    pub(crate) body: String,
}

/// A tool in use: its name and arguments.
struct Call {
    name: String,
    arguments: Value,
}

/// Tools that write a file, and those that run a command; the first that is offered is used.
const WRITERS: [&str; 6] = ["Write", "write", "write_file", "create_file", "developer__write", "WriteFile"];
const SHELLS: [&str; 6] = ["exec_command", "shell", "bash", "Bash", "developer__shell", "run_shell_command"];

impl Answer {
    pub(crate) fn json(value: &Value) -> Self {
        Self { kind: "application/json", body: value.to_string() }
    }

    fn events(events: &[(&str, Value)], last: &str) -> Self {
        let mut body = String::new();
        for (name, data) in events {
            if !name.is_empty() {
                body += &format!("event: {name}\n");
            }
            body += &format!("data: {data}\n\n");
        }
        Self { kind: "text/event-stream", body: body + last }
    }
}

pub(crate) fn answer(path: &str, body: &Value, step: &Step) -> Answer {
    let path = path.split('?').next().unwrap_or_default();
    let is_stream = body["stream"] == true;
    if path.contains(":countTokens") {
        Answer::json(&json!({"totalTokens": 42}))
    } else if path.contains("enerateContent") {
        gemini(body, step, path.contains(":stream"))
    } else if path.ends_with("/responses") {
        responses(call(step, &names(body, "/name")), step)
    } else if path.ends_with("/count_tokens") {
        Answer::json(&json!({"input_tokens": 42}))
    } else if path.ends_with("/messages") {
        messages(call(step, &names(body, "/name")), step, body, is_stream)
    } else {
        chat(call(step, &names(body, "/function/name")), step, is_stream)
    }
}

fn names(body: &Value, pointer: &str) -> Vec<String> {
    let tools = body["tools"].as_array().into_iter().flatten();
    tools.filter_map(|tool| Some(tool.pointer(pointer)?.as_str()?.to_string())).collect()
}

/// How a file is written with the tools that are there.
fn call(step: &Step, tools: &[String]) -> Option<Call> {
    let Step::Write { path, content } = step else { return None };
    let offered = |names: &[&str]| tools.iter().find(|tool| names.contains(&tool.as_str())).cloned();
    if let Some(name) = offered(&WRITERS) {
        let arguments = match name.as_str() {
            "Write" | "write_file" => json!({"file_path": path, "content": content}),
            // One CLI calls it so, others call it `path`: what is not known is passed over.
            "write" => json!({"path": path, "filePath": path, "content": content}),
            _ => json!({"path": path, "content": content}),
        };
        return Some(Call { name, arguments });
    }
    let name = offered(&SHELLS)?;
    let quoted = content.replace('\'', "'\\''");
    let command = format!("printf '%s' '{quoted}' > '{path}'");
    let arguments = if name == "exec_command" { json!({"cmd": command}) } else { json!({"command": command}) };
    Some(Call { name, arguments })
}

fn text(step: &Step) -> String {
    match step {
        Step::Say(text) => text.clone(),
        Step::Write { path, .. } => format!("There is no tool to write {path} with."),
    }
}

fn chat(call: Option<Call>, step: &Step, is_stream: bool) -> Answer {
    let (message, finish) = match call {
        Some(call) => {
            let function = json!({"name": call.name, "arguments": call.arguments.to_string()});
            let calls = json!([{"index": 0, "id": "call_1", "type": "function", "function": function}]);
            (json!({"role": "assistant", "content": null, "tool_calls": calls}), "tool_calls")
        }
        None => (json!({"role": "assistant", "content": text(step)}), "stop"),
    };
    let usage = json!({"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18});
    if !is_stream {
        let choice = json!({"index": 0, "message": message, "finish_reason": finish});
        return Answer::json(
            &json!({"id": "c1", "object": "chat.completion", "created": 1, "model": "mock", "choices": [choice], "usage": usage}),
        );
    }
    let chunk = |choices: Value| json!({"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "mock", "choices": choices});
    let mut last = chunk(json!([]));
    last["usage"] = usage;
    let events = [
        ("", chunk(json!([{"index": 0, "delta": message, "finish_reason": null}]))),
        ("", chunk(json!([{"index": 0, "delta": {}, "finish_reason": finish}]))),
        ("", last),
    ];
    Answer::events(&events, "data: [DONE]\n\n")
}

fn responses(call: Option<Call>, step: &Step) -> Answer {
    let item = match call {
        Some(call) => {
            json!({"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": call.name, "arguments": call.arguments.to_string(), "status": "completed"})
        }
        None => {
            let content = json!([{"type": "output_text", "text": text(step), "annotations": []}]);
            json!({"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": content})
        }
    };
    let usage = json!({"input_tokens": 11, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": 7, "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 18});
    let response = |status: &str, output: Value| json!({"id": "resp_1", "object": "response", "created_at": 1, "model": "mock", "error": null, "incomplete_details": null, "status": status, "output": output, "usage": usage});
    let event = |name: &'static str, number: u32, mut data: Value| {
        data["type"] = json!(name);
        data["sequence_number"] = json!(number);
        (name, data)
    };
    let events = [
        event("response.created", 0, json!({"response": response("in_progress", json!([]))})),
        event("response.output_item.added", 1, json!({"output_index": 0, "item": item})),
        event("response.output_item.done", 2, json!({"output_index": 0, "item": item})),
        event("response.completed", 3, json!({"response": response("completed", json!([item]))})),
    ];
    Answer::events(&events, "")
}

fn gemini(body: &Value, step: &Step, is_stream: bool) -> Answer {
    let declared = body["tools"].as_array().into_iter().flatten();
    let declared = declared.flat_map(|tool| tool["functionDeclarations"].as_array().cloned().unwrap_or_default());
    let names: Vec<String> = declared.filter_map(|one| Some(one["name"].as_str()?.to_string())).collect();
    // Helper calls want an object of their own.
    let is_helper = body["generationConfig"]["responseMimeType"] == "application/json";
    let part = match call(step, &names) {
        Some(call) => json!({"functionCall": {"name": call.name, "args": call.arguments}}),
        None if is_helper => json!({"text": "{}"}),
        None => json!({"text": text(step)}),
    };
    let candidate = json!({"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0});
    let usage = json!({"promptTokenCount": 11, "candidatesTokenCount": 7, "totalTokenCount": 18});
    let reply = json!({"candidates": [candidate], "usageMetadata": usage, "modelVersion": "mock", "responseId": "r1"});
    if is_stream { Answer::events(&[("", reply)], "") } else { Answer::json(&reply) }
}

fn messages(call: Option<Call>, step: &Step, body: &Value, is_stream: bool) -> Answer {
    let by_schema = || {
        let is_offered = names(body, "/name").iter().any(|name| name == "StructuredOutput");
        let mut report: Value = serde_json::from_str(&text(step)).ok().filter(|_| is_offered)?;
        for field in ["summary", "outputs", "result", "question", "error"] {
            if report[field].is_null() && field == "outputs" {
                report[field] = json!([]);
            } else if report[field].is_null() {
                report[field] = if field == "summary" { json!("") } else { Value::Null };
            }
        }
        let wanted = ["status", "summary", "outputs", "result", "question", "error"];
        let kept = report.as_object()?.iter().filter(|(name, _)| wanted.contains(&name.as_str()));
        let arguments = Value::Object(kept.map(|(name, value)| (name.clone(), value.clone())).collect());
        Some(Call { name: "StructuredOutput".into(), arguments })
    };
    let (block, input, stop) = match call.or_else(by_schema) {
        Some(call) => {
            let block = json!({"type": "tool_use", "id": "toolu_1", "name": call.name, "input": call.arguments});
            let delta = json!({"type": "input_json_delta", "partial_json": call.arguments.to_string()});
            (block, delta, "tool_use")
        }
        None => {
            let text = text(step);
            (json!({"type": "text", "text": text}), json!({"type": "text_delta", "text": text}), "end_turn")
        }
    };
    let usage =
        json!({"input_tokens": 11, "output_tokens": 7, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0});
    let message = json!({"id": "msg_1", "type": "message", "role": "assistant", "model": "mock", "content": [block], "stop_reason": stop, "stop_sequence": null, "usage": usage});
    if !is_stream {
        return Answer::json(&message);
    }
    let (mut begun, mut empty) = (message.clone(), block.clone());
    begun["content"] = json!([]);
    begun["stop_reason"] = Value::Null;
    match stop {
        "tool_use" => empty["input"] = json!({}),
        _ => empty["text"] = json!(""),
    }
    let events = [
        ("message_start", json!({"type": "message_start", "message": begun})),
        ("content_block_start", json!({"type": "content_block_start", "index": 0, "content_block": empty})),
        ("content_block_delta", json!({"type": "content_block_delta", "index": 0, "delta": input})),
        ("content_block_stop", json!({"type": "content_block_stop", "index": 0})),
        (
            "message_delta",
            json!({"type": "message_delta", "delta": {"stop_reason": stop, "stop_sequence": null}, "usage": usage}),
        ),
        ("message_stop", json!({"type": "message_stop"})),
    ];
    Answer::events(&events, "")
}
