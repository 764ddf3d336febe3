//! Owns a model on loopback that answers sensibly: it reads the brief that a prompt points to and lets the offline agent
//! decide what to say. What must be written, it lets the CLI write, with the CLI's own tools.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use engine::agent::offline::Offline;
use engine::agent::{Backend, Brief, Ending, Job, Meter};
use serde_json::{Value, json};

use crate::wires;

/// How often the same is tried.
const MOST_TRIES: usize = 6;

pub(crate) struct Endpoint {
    address: String,
    asked: Arc<Mutex<Vec<String>>>,
}

/// What a model does next.
#[derive(Debug, Clone)]
pub(crate) enum Step {
    /// Lets a file be written, whose path is absolute.
    Write { path: String, content: String },
    /// Answers with this.
    Say(String),
}

impl Endpoint {
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let asked: Arc<Mutex<Vec<String>>> = Arc::default();
        let log = asked.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let log = log.clone();
                // A CLI that goes away in the middle is its own business.
                std::thread::spawn(move || drop(serve(stream, &log)));
            }
        });
        Self { address, asked }
    }

    pub(crate) fn address(&self) -> String {
        self.address.clone()
    }

    /// What was asked and answered, in a line each.
    pub(crate) fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

fn serve(stream: TcpStream, log: &Mutex<Vec<String>>) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let (path, body) = request(&mut reader)?;
    let answer = if path.split('?').next().is_some_and(|path| path.ends_with("/models")) {
        wires::Answer::json(&json!({"object": "list", "data": [{"id": "mock", "object": "model"}], "models": []}))
    } else {
        let mut step = step(&body);
        let shown: String = format!("{path} {step:?}").chars().take(300).collect();
        let mut log = log.lock().unwrap();
        if log.iter().filter(|line| **line == shown).count() >= MOST_TRIES {
            step = Step::Say("I cannot do it.".into());
        }
        log.push(shown);
        drop(log);
        wires::answer(&path, &body, &step)
    };
    let mut stream = stream;
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: {}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        answer.kind,
        answer.body.len()
    );
    stream.write_all(head.as_bytes())?;
    stream.write_all(answer.body.as_bytes())?;
    stream.flush()
}

/// The path of a request, and its body as JSON.
fn request(reader: &mut BufReader<TcpStream>) -> std::io::Result<(String, Value)> {
    let mut line = String::new();
    reader.read_line(&mut line)?;
    let path = line.split_whitespace().nth(1).unwrap_or_default().to_string();
    let (mut length, mut is_chunked) = (0, false);
    loop {
        let mut header = String::new();
        reader.read_line(&mut header)?;
        let header = header.trim().to_ascii_lowercase();
        if header.is_empty() {
            break;
        }
        if let Some(value) = header.strip_prefix("content-length:") {
            length = value.trim().parse().unwrap_or(0);
        }
        is_chunked |= header.starts_with("transfer-encoding:") && header.contains("chunked");
    }
    let mut body = Vec::new();
    if is_chunked {
        loop {
            let mut size = String::new();
            reader.read_line(&mut size)?;
            let size = usize::from_str_radix(size.trim(), 16).unwrap_or(0);
            let from = body.len();
            body.resize(from + size, 0);
            reader.read_exact(&mut body[from..])?;
            reader.read_line(&mut String::new())?;
            if size == 0 {
                break;
            }
        }
    } else {
        body.resize(length, 0);
        reader.read_exact(&mut body)?;
    }
    Ok((path, serde_json::from_slice(&body).unwrap_or(Value::Null)))
}

/// What to do, from the brief that lies where the prompt says.
fn step(body: &Value) -> Step {
    const MARK: &str = "Your working folder is ";
    let text = body.to_string();
    let workdir = text.rfind(MARK).and_then(|at| text[at + MARK.len()..].split(". Write nowhere").next());
    let Some((mut said, workdir)) = workdir.and_then(|workdir| offline(Path::new(workdir))) else {
        return Step::Say("There is nothing to do.".into());
    };
    let mut missing = None;
    for output in said["outputs"].as_array_mut().into_iter().flatten() {
        let content = output.as_object_mut().and_then(|output| output.remove("content"));
        let path = workdir.join(output["path"].as_str().unwrap_or_default());
        let is_there = std::fs::metadata(&path).is_ok_and(|found| found.len() > 0);
        if let (Some(Value::String(content)), false) = (content, is_there) {
            missing = Some(Step::Write { path: path.display().to_string(), content });
        }
    }
    missing.unwrap_or_else(|| Step::Say(said.to_string()))
}

fn offline(workdir: &Path) -> Option<(Value, PathBuf)> {
    let brief: Brief = serde_json::from_slice(&std::fs::read(workdir.join("brief.json")).ok()?).ok()?;
    let project = workdir.ancestors().nth(4)?.to_path_buf();
    let readable = brief.files.iter().map(|file| project.join(&file.path)).collect();
    let job = Job { brief, project, workdir: workdir.into(), readable, meter: Meter::default() };
    match Offline.work(&job, &tools::Stop::new(), &|_| {}) {
        Ending::Report { mut report, .. } => {
            // A schema that the CLI holds its model to has no result where none is asked for.
            if job.brief.expects.result.is_null() {
                report.result = Value::Null;
            }
            Some((serde_json::to_value(report).ok()?, workdir.into()))
        }
        _ => None,
    }
}
