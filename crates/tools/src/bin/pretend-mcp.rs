//! `pretend-mcp MODE [FILE]`: an MCP server for the tests that behaves as badly as one can. Speaks the protocol by hand, so
//! that no library keeps it from doing wrong.

use std::fs::{self, OpenOptions};
use std::io::{self, BufRead, Write};
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};

/// How often it was asked to count; it begins again with each process.
static COUNTED: AtomicUsize = AtomicUsize::new(0);

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let mode = arguments.next().unwrap_or_default();
    let file = arguments.next().unwrap_or_default();
    // Whoever cannot write or read any more was ended by the test.
    let ended = match mode.as_str() {
        "exit" => {
            let _ = writeln!(io::stderr(), "no license found for key {}", std::env::var("KEY").unwrap_or_default());
            return ExitCode::from(3);
        }
        "garbage" => for_ever(b"this is no message\n"),
        "chatter" => for_ever(
            b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{\"level\":\"info\",\"data\":1}}\n",
        ),
        "long-line" => for_ever(&[b'x'; 1 << 16]),
        "noisy" => write!(io::stdout(), "Starting the server...\n\nReady.\n").and_then(|()| serve(&mode, &file)),
        _ => serve(&mode, &file),
    };
    if ended.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn for_ever(bytes: &[u8]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    loop {
        out.write_all(bytes)?;
    }
}

fn serve(mode: &str, file: &str) -> io::Result<()> {
    for line in io::stdin().lock().lines() {
        let message: Value = serde_json::from_str(&line?)?;
        let Some(id) = message.get("id") else { continue };
        let method = message["method"].as_str().unwrap_or_default();
        if mode == "silent" {
            continue;
        }
        let Some(reply) = reply(mode, file, method, &message["params"]) else { continue };
        let mut whole = json!({"jsonrpc": "2.0", "id": id});
        let (name, value) = reply.map_or_else(|error| ("error", error), |result| ("result", result));
        whole[name] = value;
        writeln!(io::stdout(), "{whole}")?;
    }
    Ok(())
}

/// A result, an error, or nothing at all.
fn reply(mode: &str, file: &str, method: &str, params: &Value) -> Option<Result<Value, Value>> {
    let unknown = || Some(Err(json!({"code": -32601, "message": format!("no method {method}")})));
    let info = json!({"name": "pretender", "version": "1"});
    match (method, mode) {
        ("initialize", "refuse") => Some(Err(json!({"code": -32000, "message": "not today"}))),
        ("initialize", "modern") => unknown(),
        ("initialize", _) => {
            let version = params["protocolVersion"].clone();
            Some(Ok(json!({"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": info})))
        }
        ("server/discover", "modern") => Some(Ok(json!({
            "resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}, "serverInfo": info,
            "ttlMs": 0, "cacheScope": "private"}))),
        ("tools/list", _) => Some(Ok(list(mode, params))),
        ("tools/call", _) => call(file, params["name"].as_str().unwrap_or_default(), &params["arguments"]),
        ("ping", _) => Some(Ok(json!({}))),
        _ => unknown(),
    }
}

fn list(mode: &str, params: &Value) -> Value {
    let tool =
        |name: &str| json!({"name": name, "description": format!("does {name}"), "inputSchema": {"type": "object"}});
    let from: usize = params["cursor"].as_str().and_then(|cursor| cursor.parse().ok()).unwrap_or_default();
    let numbered =
        |count: usize| (from..from + count).map(|number| tool(&format!("tool-{number:05}"))).collect::<Vec<_>>();
    match mode {
        "many" if from + 500 < 5_000 => json!({"tools": numbered(500), "nextCursor": (from + 500).to_string()}),
        "many" => json!({"tools": numbered(500)}),
        "endless" => json!({"tools": numbered(1), "nextCursor": (from + 1).to_string()}),
        "odd" => {
            json!({"tools": [tool("web_fetch"), tool("a b"), tool("a.b"), tool("a/b"), tool(&"long".repeat(50)), tool(""),
            {"name": "schema", "inputSchema": {"$schema": "x", "type": "object", "properties": {"p": {"$ref": "#/$defs/P"}},
             "$defs": {"P": {"type": "integer"}}}}]})
        }
        _ => {
            let names = ["echo", "fail", "error", "picture", "large", "wait", "die", "say", "count", "try", "variable"];
            json!({"tools": names.map(tool)})
        }
    }
}

fn call(file: &str, name: &str, arguments: &Value) -> Option<Result<Value, Value>> {
    let text = |text: String| Some(Ok(json!({"content": [{"type": "text", "text": text}]})));
    let argument = |name: &str| arguments[name].as_str().unwrap_or_default().to_owned();
    match name {
        "echo" => text(arguments.to_string()),
        "fail" => Some(Ok(json!({"content": [{"type": "text", "text": "it did not work"}], "isError": true}))),
        "error" => Some(Err(json!({"code": -32602, "message": "wrong arguments"}))),
        "picture" => Some(Ok(json!({"content": [{"type": "image", "mimeType": "image/png", "data": "AAAA"}]}))),
        "large" => text("x".repeat(10 << 20)),
        "wait" => None,
        // Its death is seen in the file, however often it is started.
        "die" => {
            let noted =
                OpenOptions::new().create(true).append(true).open(file).and_then(|mut file| writeln!(file, "died"));
            std::process::exit(if noted.is_ok() { 7 } else { 8 })
        }
        "say" => {
            let _ = writeln!(io::stdout(), "a line that is no message");
            text("said".into())
        }
        "count" => text((COUNTED.fetch_add(1, Ordering::SeqCst) + 1).to_string()),
        "try" => text(fs::write(argument("path"), "x").map_or_else(|error| error.to_string(), |()| "written".into())),
        "variable" => text(std::env::var(argument("name")).unwrap_or_else(|_| "unset".into())),
        _ => Some(Err(json!({"code": -32602, "message": format!("no tool {name}")}))),
    }
}
