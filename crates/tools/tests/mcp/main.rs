//! The MCP box: servers that behave, servers that do not, by pipes and by HTTP, and two that others wrote.
#![cfg(test)]

mod http;
mod real;
#[path = "../web/server.rs"]
mod server;
#[path = "../stage/mod.rs"]
mod stage;
mod stdio;

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};
use stage::Stage;
use tools::mcp::{Mcp, McpLimits, McpServer, McpSettings, McpTransport, ToolFilter};
use tools::{Network, Secret, Stop, ToolAnswer, ToolCall, Toolbox, Went};

fn settings(stage: &Stage) -> McpSettings {
    let like = stage.sh("");
    McpSettings::new(stage.scratch(), like.environment)
}

fn stdio(name: &str, command: impl AsRef<Path>, arguments: &[&str]) -> McpServer {
    let transport = McpTransport::Stdio {
        command: command.as_ref().to_str().unwrap().into(),
        args: arguments.iter().map(ToString::to_string).collect(),
        env: vec![("KEY".into(), Secret::new("key-12345"))],
        network: Network::Closed,
        read: Vec::new(),
        write: Vec::new(),
    };
    McpServer { name: name.into(), transport, tools: ToolFilter::default(), roles: Vec::new() }
}

fn pretender(name: &str, arguments: &[&str]) -> McpServer {
    stdio(name, env!("CARGO_BIN_EXE_pretend-mcp"), arguments)
}

fn by_http(name: &str, url: &str) -> McpServer {
    let headers = vec![("Authorization".into(), Secret::new("Bearer key-12345"))];
    let transport = McpTransport::Http { url: url.into(), headers };
    McpServer { name: name.into(), transport, tools: ToolFilter::default(), roles: Vec::new() }
}

fn start(stage: &Stage, servers: &[McpServer], limits: McpLimits) -> Mcp {
    let mut settings = settings(stage);
    settings.limits = limits;
    Mcp::start(servers, settings, &Stop::new()).unwrap()
}

fn names(mcp: &Mcp) -> Vec<String> {
    mcp.tools().into_iter().map(|tool| tool.name).collect()
}

fn call(mcp: &Mcp, name: &str, arguments: Value) -> ToolAnswer {
    mcp.call(&ToolCall { id: "1".into(), name: name.into(), arguments }, &Stop::new())
}

#[track_caller]
fn assert_says(answer: &ToolAnswer, went: Went, parts: &[&str]) {
    assert_eq!(answer.went, went, "{}", answer.text);
    for part in parts {
        assert!(answer.text.contains(part), "{:?} does not say {part:?}", answer.text);
    }
}

fn quick() -> McpLimits {
    McpLimits { initialize: Duration::from_secs(1), call: Duration::from_millis(500), ..McpLimits::default() }
}
