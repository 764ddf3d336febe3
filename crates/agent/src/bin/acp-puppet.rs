//! An ACP agent for this crate's tests: it behaves well and badly on demand, as its argument says. Speaks lines of JSON
//! and knows no library of the protocol, as most agents out there.

use std::io::{BufRead, Write};
use std::process::ExitCode;

use serde_json::{Value, json};

/// The one output that attempts are asked for.
const OUTPUT: &str = "runs/run-1/workspace/ANALYSIS/x.md";

struct Puppet {
    lines: std::io::Lines<std::io::StdinLock<'static>>,
    manner: String,
    workdir: String,
    next: u32,
}

fn main() -> ExitCode {
    let manner = std::env::args().nth(1).unwrap_or_default();
    let mut puppet = Puppet { lines: std::io::stdin().lock().lines(), manner, workdir: String::new(), next: 0 };
    while let Some(message) = puppet.hear() {
        if puppet.answer(&message).is_none() {
            return ExitCode::from(3);
        }
    }
    if puppet.manner == "stays" {
        std::thread::sleep(std::time::Duration::from_secs(1000));
    }
    ExitCode::SUCCESS
}

impl Puppet {
    fn hear(&mut self) -> Option<Value> {
        serde_json::from_str(&self.lines.next()?.ok()?).ok()
    }

    fn send(&self, message: &Value) -> Option<()> {
        let mut out = std::io::stdout().lock();
        writeln!(out, "{message}").and_then(|()| out.flush()).ok()
    }

    fn answer(&mut self, message: &Value) -> Option<()> {
        let result = match message["method"].as_str().unwrap_or_default() {
            "initialize" => {
                match self.manner.as_str() {
                    "mute" => return Some(()),
                    "garbage" => self.print("Welcome to the agent!\n{\"half\": \n\u{7}\n")?,
                    "dies" => return None,
                    "flood" => loop {
                        self.print(&"x".repeat(1 << 16))?;
                    },
                    _ => {}
                }
                let version = if self.manner == "later" { 2 } else { 1 };
                json!({"protocolVersion": version, "agentCapabilities": {}, "authMethods": []})
            }
            "session/new" if self.manner == "login" => {
                let error = json!({"code": -32000, "message": "Authentication required"});
                return self.send(&json!({"jsonrpc": "2.0", "id": message["id"], "error": error}));
            }
            "session/new" => {
                self.workdir = message["params"]["cwd"].as_str()?.into();
                json!({"sessionId": "s1"})
            }
            "session/prompt" => match self.manner.as_str() {
                "counts" => {
                    let used = json!({"totalTokens": 990, "inputTokens": 100, "outputTokens": 70, "thoughtTokens": 20, "cachedReadTokens": 800});
                    json!({"stopReason": self.turn(message)?, "usage": used})
                }
                "miscounts" => json!({"stopReason": self.turn(message)?, "usage": {"totalTokens": "many"}}),
                _ => json!({"stopReason": self.turn(message)?}),
            },
            "session/cancel" => return Some(()),
            _ => return Some(()),
        };
        self.send(&json!({"jsonrpc": "2.0", "id": message["id"], "result": result}))
    }

    fn print(&self, text: &str) -> Option<()> {
        let mut out = std::io::stdout().lock();
        out.write_all(text.as_bytes()).and_then(|()| out.flush()).ok()
    }

    /// One turn; gives why it ended.
    fn turn(&mut self, _: &Value) -> Option<&'static str> {
        let whole = format!("{}/{OUTPUT}", self.workdir);
        match self.manner.clone().as_str() {
            "cancels" => {
                self.tool("waits", "pending")?;
                while self.hear()?["method"] != "session/cancel" {}
                return Some("cancelled");
            }
            "hangs" => {
                self.tool("waits", "pending")?;
                loop {
                    self.hear()?;
                }
            }
            "refuses" => return Some("refusal"),
            "dies-later" => {
                let _ = writeln!(std::io::stderr(), "out of memory");
                return None;
            }
            "asks" => {
                let answers = [
                    self.permission("edit", &whole)?,
                    self.permission("edit", "/etc/passwd")?,
                    self.permission("fetch", "")?,
                    self.permission("execute", "")?,
                ];
                std::fs::write(format!("{}/answers", self.workdir), answers.join(" ")).ok()?;
                self.write(&whole, "# x\n")?;
            }
            "denied" => {
                self.permission("edit", "/etc/passwd")?;
                self.tool("Write /etc/passwd", "failed")?;
                self.text("Wrote /etc/passwd and x.md successfully.")?;
                return Some("end_turn");
            }
            "reads" => self.reads(&whole)?,
            "by-file" => {
                std::fs::write(&whole, "# x\n").ok()?;
                let report = json!({"status": "done", "summary": "by file"});
                std::fs::write(format!("{}/report.json", self.workdir), report.to_string()).ok()?;
                return Some("end_turn");
            }
            "prose" => {
                std::fs::write(&whole, "# x\n").ok()?;
                self.text("All is well.")?;
                return Some("end_turn");
            }
            _ => {
                let cost = json!({"amount": 0.25, "currency": "USD"});
                self.update(&json!({"sessionUpdate": "usage_update", "used": 1200, "size": 200_000, "cost": cost}))?;
                self.text("I begin.")?;
                self.tool("Write x.md", "pending")?;
                self.write(&whole, "# x\n")?;
            }
        }
        for part in ["{\"status\": \"done\", \"summary\": ", "\"made x\"}"] {
            self.text(part)?;
        }
        Some("end_turn")
    }

    /// Asks for files in and outside its folder, and for things that no client has; writes down what came.
    fn reads(&mut self, whole: &str) -> Option<()> {
        let mut seen = Vec::new();
        for path in ["assets/a.csv", "missing", "../../../../db/table.md", "/etc/hostname"] {
            let path = if path.starts_with('/') { path.into() } else { format!("{}/{path}", self.workdir) };
            let answer = self.ask("fs/read_text_file", json!({"sessionId": "s1", "path": path}))?;
            seen.push(answer["result"]["content"].as_str().unwrap_or("refused").trim().to_string());
        }
        seen.push(self.ask("craft/drainMidTurnQueue", json!({}))?["error"]["code"].to_string());
        seen.push(
            self.ask("terminal/create", json!({"sessionId": "s1", "command": "id"}))?["error"]["code"].to_string(),
        );
        seen.push(self.write("/tmp/puppet-outside", "x")?["error"]["code"].to_string());
        self.send(&json!({"jsonrpc": "2.0", "method": "_auth/status_update", "params": {}}))?;
        self.write(whole, &seen.join("|")).map(drop)
    }

    fn text(&self, text: &str) -> Option<()> {
        self.update(&json!({"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}}))
    }

    fn tool(&self, title: &str, status: &str) -> Option<()> {
        self.update(&json!({"sessionUpdate": "tool_call", "toolCallId": "t1", "title": title, "kind": "edit", "status": "pending"}))?;
        self.update(&json!({"sessionUpdate": "tool_call_update", "toolCallId": "t1", "status": status}))
    }

    fn update(&self, update: &Value) -> Option<()> {
        self.send(
            &json!({"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s1", "update": update}}),
        )
    }

    fn write(&mut self, path: &str, content: &str) -> Option<Value> {
        self.ask("fs/write_text_file", json!({"sessionId": "s1", "path": path, "content": content}))
    }

    fn permission(&mut self, kind: &str, path: &str) -> Option<String> {
        let mut call = json!({"toolCallId": "t2", "title": format!("{kind} {path}"), "kind": kind});
        if !path.is_empty() {
            call["locations"] = json!([{"path": path}]);
        }
        let options = json!([
            {"optionId": "always", "name": "Always", "kind": "allow_always"},
            {"optionId": "once", "name": "Yes", "kind": "allow_once"},
            {"optionId": "no", "name": "No", "kind": "reject_once"},
        ]);
        let asked = json!({"sessionId": "s1", "toolCall": call, "options": options});
        let answer = self.ask("session/request_permission", asked)?;
        Some(answer["result"]["outcome"]["optionId"].as_str().unwrap_or("cancelled").into())
    }

    /// Asks the client, with an id that is a text, and waits for its answer.
    #[allow(clippy::needless_pass_by_value, reason = "what is asked reads best as a value")]
    fn ask(&mut self, method: &str, params: Value) -> Option<Value> {
        self.next += 1;
        let id = format!("a-{}", self.next);
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))?;
        loop {
            let heard = self.hear()?;
            if heard["id"] == id.as_str() {
                return Some(heard);
            }
        }
    }
}
