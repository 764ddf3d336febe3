//! Servers that others wrote, as they are, by pipes and by HTTP. They are fetched once into `target/real-parts`; where that
//! cannot be done, the tests say so and pass.

use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use crate::stage::skip;
use crate::*;

const PACKAGES: [&str; 2] =
    ["@modelcontextprotocol/server-everything@2026.8.31", "@modelcontextprotocol/server-filesystem@2026.8.31"];

/// The folder of the packages, fetched if it is not there.
fn fetched() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/real-parts/mcp");
    fs::create_dir_all(&folder).unwrap();
    let folder = folder.canonicalize().unwrap();
    // Several tests may want it at once.
    let lock = File::create(folder.join("lock")).unwrap();
    lock.lock().unwrap();
    let whole = folder.join("whole");
    if !whole.exists() {
        let mut npm = Command::new("npm");
        npm.args([
            "install",
            "--no-audit",
            "--no-fund",
            "--loglevel=error",
            "--fetch-retries=1",
            "--fetch-timeout=20000",
        ]);
        npm.arg("--prefix").arg(&folder).args(PACKAGES).stdin(Stdio::null());
        match npm.output() {
            Ok(output) if output.status.success() => fs::write(&whole, "").unwrap(),
            Ok(output) => {
                skip(&format!(
                    "MCP servers, which npm cannot fetch: {}",
                    String::from_utf8_lossy(&output.stderr).trim()
                ));
                return None;
            }
            Err(error) => {
                skip(&format!("MCP servers: npm cannot be started: {error}"));
                return None;
            }
        }
    }
    Some(folder)
}

fn installed(folder: &Path, program: &str) -> String {
    folder.join("node_modules/.bin").join(program).to_str().unwrap().into()
}

fn confined(stage: &Stage, folder: &Path) -> McpSettings {
    let mut settings = settings(stage);
    settings.confinement.execute.push(folder.into());
    settings
}

/// MV-28: an unmodified server by pipes, in the sandbox: its tools, their schemas, a picture, an error.
#[test]
fn the_everything_server_by_pipes_mv_28() {
    let Some(folder) = fetched() else { return };
    let stage = Stage::new();
    let servers = [stdio("ev", installed(&folder, "mcp-server-everything"), &["stdio"])];
    let mcp = Mcp::start(&servers, confined(&stage, &folder), &Stop::new()).unwrap();
    assert_eq!(mcp.problems(), Vec::<String>::new());
    use_everything(&mcp);
    drop(mcp);
    stage.assert_nothing_left();
}

fn use_everything(mcp: &Mcp) {
    let names = names(mcp);
    assert!(names.len() >= 5 && names.contains(&"mcp__ev__echo".into()), "{names:?}");
    let echo = mcp.tools().into_iter().find(|tool| tool.name == "mcp__ev__echo").unwrap();
    assert_eq!(echo.parameters["properties"]["message"]["type"], "string", "{}", echo.parameters);
    assert!(echo.parameters.get("$schema").is_none());
    assert_says(&call(mcp, "mcp__ev__echo", json!({"message": "hey"})), Went::Well, &["hey"]);
    assert_says(&call(mcp, "mcp__ev__get-sum", json!({"a": 2, "b": 3})), Went::Well, &["5"]);
    assert_says(&call(mcp, "mcp__ev__get-tiny-image", json!({})), Went::Well, &["[an image of image/png, "]);
    assert_eq!(call(mcp, "mcp__ev__echo", json!({"message": 5})).went, Went::Wrong);
}

/// QL-30: the files that it may touch are those of its launch, whatever it was told itself.
#[test]
fn the_filesystem_server_is_confined_ql_30() {
    let Some(folder) = fetched() else { return };
    let stage = Stage::new();
    let (inside, outside) = (stage.scratch(), stage.outside());
    fs::write(inside.join("note.txt"), "a note").unwrap();
    let command = installed(&folder, "mcp-server-filesystem");
    // It is told that it may use both; the sandbox knows better.
    let servers = [stdio("fs", command, &[inside.to_str().unwrap(), outside.to_str().unwrap()])];
    let mcp = Mcp::start(&servers, confined(&stage, &folder), &Stop::new()).unwrap();
    assert_eq!(mcp.problems(), Vec::<String>::new());
    let read = |path: PathBuf| call(&mcp, "mcp__fs__read_text_file", json!({ "path": path }));
    assert_says(&read(inside.join("note.txt")), Went::Well, &["a note"]);
    let write = |path: PathBuf| call(&mcp, "mcp__fs__write_file", json!({"path": path, "content": "new"}));
    assert_says(&write(inside.join("new.txt")), Went::Well, &[]);
    assert_eq!(fs::read_to_string(inside.join("new.txt")).unwrap(), "new");
    assert_eq!(read(PathBuf::from("/etc/passwd")).went, Went::Wrong);
    assert_eq!(read(outside.join("file")).went, Went::Wrong, "the sandbox did not hold");
    assert_eq!(write(outside.join("file")).went, Went::Wrong, "the sandbox did not hold");
    assert_eq!(fs::read_to_string(outside.join("file")).unwrap(), "untouched");
    drop(mcp);
    stage.assert_nothing_left();
}

/// The same server by HTTP. The test starts it, as a person would: such servers are not ours to start.
#[test]
fn the_everything_server_by_http_mv_28() {
    let Some(folder) = fetched() else { return };
    let stage = Stage::new();
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    // It would listen to the whole network; its runtime is told to keep to this machine.
    let loopback = stage.scratch().join("loopback.cjs");
    fs::write(&loopback, LOOPBACK).unwrap();
    let mut command = Command::new(installed(&folder, "mcp-server-everything"));
    command.env("NODE_OPTIONS", format!("--require {}", loopback.display()));
    command.arg("streamableHttp").env("PORT", port.to_string()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut server = Started(command.spawn().unwrap());
    // It says that it listens.
    let mut lines = BufReader::new(server.0.stderr.take().unwrap()).lines();
    let listens = lines.by_ref().map_while(Result::ok).find(|line| line.contains("listening on port"));
    assert!(listens.is_some(), "it does not listen");
    // Its log is read to the end, or it would wait for a reader.
    std::thread::spawn(move || lines.for_each(drop));
    let url = format!("http://127.0.0.1:{port}/mcp");
    let mcp = Mcp::start(&[by_http("ev", &url)], settings(&stage), &Stop::new()).unwrap();
    assert_eq!(mcp.problems(), Vec::<String>::new());
    use_everything(&mcp);
}

const LOOPBACK: &str = "const server = require('net').Server.prototype; const listen = server.listen;
server.listen = function (port, ...rest) { return listen.call(this, Number(port), '127.0.0.1', ...rest.filter((part) => typeof part === 'function')); };
";

/// A process that ends with the test.
struct Started(Child);

impl Drop for Started {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
