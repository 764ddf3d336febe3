//! A box of tools as a server of the Model Context Protocol: requests as lines on one side, answers as lines on the other.
//! Owns the words of the protocol, what is answered to what is none, and that a call can be cancelled. Must not know any one
//! tool, nor where lines come from.
//!
//! Written here and not with the makers' crate: that has its server for macros, sessions and HTTP, and wants a runtime; what is
//! offered here are tools alone, and a tool may wait.

#![allow(clippy::needless_pass_by_value, reason = "messages are taken apart where they end")]

use std::collections::HashMap;
use std::io::{self, BufRead, Write};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use serde_json::{Map, Value, json};

use crate::{Stop, ToolCall, Toolbox, Went};

/// The revisions of the protocol that are spoken, the newest last. All have the same words for what is offered here.
const REVISIONS: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

/// The longest message, the most messages that come as one, and the most calls that run at the same time.
const MESSAGE_BYTES: u64 = 8 << 20;
const MOST_TOGETHER: usize = 100;
const MOST_CALLS: usize = 16;

/// How long calls are waited for when the input has ended, before they are told to stop.
const GRACE: Duration = Duration::from_secs(2);

/// The codes of JSON-RPC.
const NO_JSON: i64 = -32700;
const NO_REQUEST: i64 = -32600;
const NO_METHOD: i64 = -32601;
const WRONG_PARAMETERS: i64 = -32602;
const BUSY: i64 = -32000;

/// Who serves, as clients are told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct About {
    pub name: String,
    pub version: String,
    /// What the tools are for, in words for a model.
    pub instructions: String,
}

/// Serves until the input ends. Calls that are still under way then have a moment to end; then they are told to stop, and
/// waited for.
pub fn serve(
    toolbox: &dyn Toolbox,
    about: &About,
    mut input: impl BufRead,
    output: impl Write + Send,
) -> io::Result<()> {
    let (output, running, ended) = (Mutex::new(output), Mutex::default(), Condvar::new());
    let serving = Serving { toolbox, about, output, running, ended };
    thread::scope(|scope| {
        let mut line = Vec::new();
        let served = loop {
            line.clear();
            match read_line(&mut input, &mut line) {
                Ok(Read::End) => break Ok(()),
                Ok(Read::TooLong) => {
                    let reason = format!("a message may have {MESSAGE_BYTES} bytes");
                    if let Err(fault) = serving.send(&error(&Value::Null, NO_REQUEST, &reason)) {
                        break Err(fault);
                    }
                }
                Ok(Read::Line) => {
                    if let Err(fault) = serving.hear(scope, &line) {
                        break Err(fault);
                    }
                }
                Err(fault) => break Err(fault),
            }
        };
        let waited = serving.ended.wait_timeout_while(serving.running(), GRACE, |running| !running.is_empty());
        waited.unwrap_or_else(PoisonError::into_inner).0.values().for_each(|call| call.stop.stop());
        served
    })
}

struct Serving<'a, W> {
    toolbox: &'a dyn Toolbox,
    about: &'a About,
    output: Mutex<W>,
    /// The calls under way, by the id of their request.
    running: Mutex<HashMap<String, Underway>>,
    /// Told when a call has ended.
    ended: Condvar,
}

#[derive(Clone)]
struct Underway {
    stop: Stop,
    /// Whoever cancelled a call wants no answer.
    is_cancelled: bool,
}

enum Read {
    Line,
    TooLong,
    End,
}

/// Reads up to the end of a line, or of the input; what is too long is passed over.
fn read_line(input: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<Read> {
    let mut is_long = false;
    loop {
        let available = match input.fill_buf() {
            Err(fault) if fault.kind() == io::ErrorKind::Interrupted => continue,
            available => available?,
        };
        if available.is_empty() {
            return Ok(if line.is_empty() && !is_long { Read::End } else { Read::Line });
        }
        let end = available.iter().position(|byte| *byte == b'\n');
        let count = end.map_or(available.len(), |end| end + 1);
        is_long |= (line.len() + count) as u64 > MESSAGE_BYTES;
        if !is_long {
            line.extend_from_slice(&available[..count]);
        }
        input.consume(count);
        if end.is_some() {
            return Ok(if is_long { Read::TooLong } else { Read::Line });
        }
    }
}

impl<'a, W: Write + Send> Serving<'a, W> {
    fn hear<'scope>(&'scope self, scope: &'scope thread::Scope<'scope, '_>, line: &[u8]) -> io::Result<()> {
        let line = line.trim_ascii();
        if line.is_empty() {
            return Ok(());
        }
        match serde_json::from_slice::<Value>(line) {
            Err(fault) => self.send(&error(&Value::Null, NO_JSON, &format!("this is no JSON: {fault}"))),
            Ok(Value::Array(many)) if many.is_empty() || many.len() > MOST_TOGETHER => {
                let reason = format!("1 to {MOST_TOGETHER} messages may come as one");
                self.send(&error(&Value::Null, NO_REQUEST, &reason))
            }
            Ok(Value::Array(many)) => {
                // Each is answered on its own: whoever sends several at once finds its answers by their ids.
                many.into_iter().try_for_each(|one| self.take(scope, one))
            }
            Ok(one) => self.take(scope, one),
        }
    }

    fn take<'scope>(&'scope self, scope: &'scope thread::Scope<'scope, '_>, message: Value) -> io::Result<()> {
        let id = message.get("id").cloned();
        let Some(method) = message.get("method").and_then(Value::as_str) else {
            // An answer to something that was never asked, or nothing that has a meaning.
            let is_answer = message.get("result").is_some() || message.get("error").is_some();
            let reason = "expected a request of JSON-RPC 2.0 with a method";
            return if is_answer { Ok(()) } else { self.send(&error(&id.unwrap_or_default(), NO_REQUEST, reason)) };
        };
        let parameters = message.get("params").cloned().unwrap_or_default();
        let Some(id) = id else {
            if method == "notifications/cancelled"
                && let Some(call) = self.running().get_mut(&parameters["requestId"].to_string())
            {
                call.is_cancelled = true;
                call.stop.stop();
            }
            return Ok(());
        };
        if !(id.is_string() || id.is_number()) {
            return self.send(&error(&Value::Null, NO_REQUEST, "the id is neither a text nor a number"));
        }
        match method {
            "initialize" => self.send(&result(&id, self.greeting(&parameters))),
            "ping" => self.send(&result(&id, json!({}))),
            "tools/list" => self.send(&result(&id, self.list())),
            "tools/call" => self.call(scope, id, parameters),
            other => {
                let reason = format!("there is no method {other:?}; valid: initialize, ping, tools/list, tools/call");
                self.send(&error(&id, NO_METHOD, &reason))
            }
        }
    }

    /// The revision that is asked for, if it is known; else the newest, and the client says whether it speaks that.
    fn greeting(&self, parameters: &Value) -> Value {
        let asked = parameters["protocolVersion"].as_str().unwrap_or_default();
        let newest = REVISIONS[REVISIONS.len() - 1];
        let revision = REVISIONS.iter().find(|known| **known == asked).copied().unwrap_or(newest);
        json!({
            "protocolVersion": revision,
            "capabilities": {"tools": {"listChanged": false}},
            "serverInfo": {"name": self.about.name, "version": self.about.version},
            "instructions": self.about.instructions,
        })
    }

    fn list(&self) -> Value {
        let tool = |tool: crate::Tool| json!({"name": tool.name, "description": tool.description, "inputSchema": tool.parameters});
        let tools: Vec<Value> = self.toolbox.tools().into_iter().map(tool).collect();
        json!({"tools": tools})
    }

    /// Calls a tool on a thread of its own: it may wait, and others are heard meanwhile.
    fn call<'scope>(
        &'scope self,
        scope: &'scope thread::Scope<'scope, '_>,
        id: Value,
        parameters: Value,
    ) -> io::Result<()> {
        let Some(name) = parameters["name"].as_str().map(String::from) else {
            return self.send(&error(&id, WRONG_PARAMETERS, "`name` is missing: which tool is called"));
        };
        if !self.toolbox.tools().iter().any(|tool| tool.name == name) {
            let names: Vec<String> = self.toolbox.tools().into_iter().map(|tool| tool.name).collect();
            let reason = format!("there is no tool {name:?}; there are: {}", names.join(", "));
            return self.send(&error(&id, WRONG_PARAMETERS, &reason));
        }
        let (key, stop) = (id.to_string(), Stop::new());
        {
            let mut running = self.running();
            if running.len() >= MOST_CALLS || running.contains_key(&key) {
                drop(running);
                let reason = format!("{MOST_CALLS} calls are under way, or one with this id: wait for an answer");
                return self.send(&error(&id, BUSY, &reason));
            }
            running.insert(key.clone(), Underway { stop: stop.clone(), is_cancelled: false });
        }
        let arguments = match parameters.get("arguments") {
            None | Some(Value::Null) => Value::Object(Map::new()),
            Some(arguments) => arguments.clone(),
        };
        scope.spawn(move || {
            let call = ToolCall { id: key.clone(), name, arguments };
            let answer = self.toolbox.call(&call, &stop);
            if !self.running().get(&key).is_some_and(|call| call.is_cancelled) {
                let content = json!([{"type": "text", "text": answer.text}]);
                let _ = self.send(&result(&id, json!({"content": content, "isError": answer.went != Went::Well})));
            }
            self.running().remove(&key);
            self.ended.notify_all();
        });
        Ok(())
    }

    fn send(&self, message: &Value) -> io::Result<()> {
        let mut line = serde_json::to_vec(message)?;
        line.push(b'\n');
        let mut output = self.output.lock().unwrap_or_else(PoisonError::into_inner);
        output.write_all(&line)?;
        output.flush()
    }

    fn running(&self) -> MutexGuard<'_, HashMap<String, Underway>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn result(id: &Value, result: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "result": result})
}

fn error(id: &Value, code: i64, message: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}})
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Tool, ToolAnswer};

    struct Echo;

    impl Toolbox for Echo {
        fn tools(&self) -> Vec<Tool> {
            let parameters = json!({"type": "object"});
            ["echo", "wait"]
                .map(|name| Tool { name: name.into(), description: "d".into(), parameters: parameters.clone() })
                .into()
        }

        fn call(&self, call: &ToolCall, stop: &Stop) -> ToolAnswer {
            if call.name == "wait" {
                while !stop.is_stopped() {
                    thread::yield_now();
                }
            }
            match call.arguments.get("bad") {
                None => ToolAnswer::well(call.arguments.to_string()),
                Some(_) => ToolAnswer::wrong("bad"),
            }
        }
    }

    /// The answers to lines, in the order of their ids.
    fn said(input: &str) -> Vec<Value> {
        let mut output = Vec::new();
        let about = About { name: "n".into(), version: "1".into(), instructions: "i".into() };
        serve(&Echo, &about, input.as_bytes(), &mut output).unwrap();
        let text = String::from_utf8(output).unwrap();
        let mut answers: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        answers.sort_by_key(|answer| answer["id"].to_string());
        answers
    }

    fn request(id: u32, method: &str, parameters: Value) -> String {
        format!("{}\n", json!({"jsonrpc": "2.0", "id": id, "method": method, "params": parameters}))
    }

    #[test]
    fn revisions_are_agreed_on_and_tools_listed_and_called() {
        for (asked, expected) in
            [("2025-03-26", "2025-03-26"), ("2024-11-05", "2024-11-05"), ("2099-01-01", "2025-11-25")]
        {
            let answer = &said(&request(1, "initialize", json!({"protocolVersion": asked})))[0];
            assert_eq!(answer["result"]["protocolVersion"], expected);
        }
        let lines = [
            request(1, "tools/list", json!({})),
            request(2, "tools/call", json!({"name": "echo", "arguments": {"a": 1}})),
            request(3, "tools/call", json!({"name": "echo", "arguments": {"bad": 1}})),
            request(4, "ping", Value::Null),
            "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n\n".to_string(),
            request(5, "tools/call", json!({"name": "echo"})),
        ];
        // The last calls are answered, although the input ends with them.
        let answers = said(&lines.concat());
        assert_eq!(answers[0]["result"]["tools"][0]["name"], "echo");
        let called = |at: usize| {
            (answers[at]["result"]["content"][0]["text"].as_str(), answers[at]["result"]["isError"].as_bool())
        };
        assert_eq!(called(1), (Some("{\"a\":1}"), Some(false)));
        assert_eq!(called(2), (Some("bad"), Some(true)));
        assert_eq!(answers[3]["result"], json!({}));
        assert_eq!(called(4), (Some("{}"), Some(false)));
    }

    #[test]
    fn what_is_no_request_is_answered_and_the_next_one_heard() {
        let input = format!(
            "no json\n[]\n{{\"id\":1}}\n{}{}{}{{\"jsonrpc\":\"2.0\",\"id\":9,\"result\":{{}}}}\n{}",
            request(2, "dance", json!({})),
            request(3, "tools/call", json!({"name": "none"})),
            request(4, "tools/call", json!({})),
            request(5, "ping", json!({}))
        );
        let codes: Vec<String> =
            said(&input).iter().map(|answer| format!("{} {}", answer["id"], answer["error"]["code"])).collect();
        assert_eq!(codes, ["1 -32600", "2 -32601", "3 -32602", "4 -32602", "5 null", "null -32700", "null -32600"]);
    }

    /// QL-32: a call that waits keeps nobody from being heard, and ends when it is cancelled or the input ends.
    #[test]
    fn calls_are_cancelled() {
        let cancel =
            |id: u32| json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}});
        let batch =
            json!([{"jsonrpc": "2.0", "id": 7, "method": "ping"}, {"jsonrpc": "2.0", "id": 8, "method": "ping"}]);
        let input = format!(
            "{}{}{}\n{}\n{batch}\n",
            request(1, "tools/call", json!({"name": "wait"})),
            request(2, "tools/call", json!({"name": "wait"})),
            cancel(1),
            cancel(2)
        );
        let answers: Vec<Value> = said(&input).iter().map(|answer| answer["id"].clone()).collect();
        assert_eq!(answers, [json!(7), json!(8)], "what was cancelled is not answered");
    }
}
