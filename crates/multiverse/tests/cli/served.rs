//! A model on loopback whose replies a test decides on, one request at a time, byte by byte if it likes.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use serde_json::{Value, json};

pub(crate) struct Served {
    address: SocketAddr,
    asked: Arc<Mutex<Vec<Value>>>,
    /// The key that each request brought, as its header has it.
    keys: Arc<Mutex<Vec<Option<String>>>>,
    is_over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Served {
    /// Answers each request with what `reply` says to its body and to how many were before it: a whole HTTP response.
    pub(crate) fn with(reply: impl Fn(&Value, usize) -> Vec<u8> + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (asked, is_over) = (Arc::new(Mutex::new(Vec::new())), Arc::new(AtomicBool::new(false)));
        let keys = Arc::new(Mutex::new(Vec::new()));
        let (kept, brought, over) = (asked.clone(), keys.clone(), is_over.clone());
        let thread = std::thread::spawn(move || {
            for stream in listener.incoming() {
                if over.load(Ordering::SeqCst) {
                    return;
                }
                let Some((stream, body, key)) = stream.ok().and_then(heard) else { continue };
                brought.lock().unwrap().push(key);
                let before = {
                    let mut kept = kept.lock().unwrap();
                    kept.push(body.clone());
                    kept.len() - 1
                };
                answer(stream, &reply(&body, before));
            }
        });
        Self { address, asked, keys, is_over, thread: Some(thread) }
    }

    /// As `--agent` names it. Its name says that it is small: it is asked for the text of a file alone.
    pub(crate) fn agent(&self) -> String {
        format!("model:compatible/small-1b@http://{}/v1", self.address)
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    pub(crate) fn keys(&self) -> Vec<Option<String>> {
        self.keys.lock().unwrap().clone()
    }

    pub(crate) fn asked(&self) -> Vec<Value> {
        self.asked.lock().unwrap().clone()
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::SeqCst);
        // The door is opened once more, for the server to see that it is over.
        drop(TcpStream::connect(self.address));
        drop(self.thread.take().map(JoinHandle::join));
    }
}

fn heard(stream: TcpStream) -> Option<(TcpStream, Value, Option<String>)> {
    let mut reader = BufReader::new(stream);
    let (mut length, mut key) = (0, None);
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        if line.trim().is_empty() {
            break;
        }
        let Some((name, value)) = line.split_once(':') else { continue };
        match name.to_lowercase().as_str() {
            "content-length" => length = value.trim().parse().ok()?,
            "authorization" => key = Some(value.trim().to_string()),
            _ => {}
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some((reader.into_inner(), serde_json::from_slice(&body).unwrap_or_default(), key))
}

fn answer(mut stream: TcpStream, reply: &[u8]) {
    // Whoever asked may be gone already.
    let _ = stream.write_all(reply);
    let _ = stream.shutdown(Shutdown::Write);
    let _ = stream.read_to_end(&mut Vec::new());
}

/// A response with a status, further headers and a body.
pub(crate) fn http(status: u16, headers: &str, body: &str) -> Vec<u8> {
    format!("HTTP/1.1 {status} X\r\nconnection: close\r\n{headers}\r\n{body}").into_bytes()
}

/// The model says something.
pub(crate) fn says(text: &str) -> Vec<u8> {
    message(&json!({"role": "assistant", "content": text}), "stop")
}

/// The model calls a tool.
pub(crate) fn calls(name: &str, arguments: &Value) -> Vec<u8> {
    let function = json!({"name": name, "arguments": arguments.to_string()});
    let call = json!({"id": "c1", "type": "function", "function": function});
    message(&json!({"role": "assistant", "content": null, "tool_calls": [call]}), "tool_calls")
}

fn message(message: &Value, finish: &str) -> Vec<u8> {
    let body = json!({"choices": [{"index": 0, "message": message, "finish_reason": finish}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 10}});
    http(200, "content-type: application/json\r\n", &body.to_string())
}
