//! A small server that answers what it is told, once each, and keeps what it was asked.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use serde_json::Value;

/// One answer.
#[derive(Debug, Clone)]
pub enum Reply {
    /// Status, further headers, body.
    Http(u16, Vec<(String, String)>, Vec<u8>),
    /// Nothing, until whoever asked goes away.
    Silence,
}

impl Reply {
    pub fn json(body: impl ToString) -> Self {
        Self::Http(200, vec![("content-type".into(), "application/json".into())], body.to_string().into_bytes())
    }

    pub fn stream(body: impl Into<Vec<u8>>) -> Self {
        Self::Http(200, vec![("content-type".into(), "text/event-stream".into())], body.into())
    }

    pub fn status(status: u16, headers: &[(&str, &str)], body: &str) -> Self {
        let headers = headers.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
        Self::Http(status, headers, body.into())
    }
}

/// What was asked.
#[derive(Debug, Clone)]
pub struct Asked {
    pub path: String,
    /// In lower case, as they came.
    pub headers: String,
    pub body: Value,
}

pub struct Server {
    address: std::net::SocketAddr,
    asked: Arc<Mutex<Vec<Asked>>>,
    thread: Option<JoinHandle<()>>,
    is_over: Arc<Mutex<bool>>,
}

impl Server {
    /// Answers with these, one after another; the last one again and again.
    pub fn new(replies: Vec<Reply>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let is_over = Arc::new(Mutex::new(false));
        let (kept, over) = (asked.clone(), is_over.clone());
        let thread = std::thread::spawn(move || {
            let mut replies = replies.into_iter().peekable();
            for stream in listener.incoming() {
                if *over.lock().unwrap() {
                    return;
                }
                let Ok(stream) = stream else { continue };
                let Some(reply) = replies.peek().cloned() else { return };
                if serve(stream, &reply, &kept) {
                    let last = replies.next();
                    if replies.peek().is_none() {
                        replies = last.into_iter().collect::<Vec<_>>().into_iter().peekable();
                    }
                }
            }
        });
        Self { address, asked, thread: Some(thread), is_over }
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        *self.is_over.lock().unwrap() = true;
        // The door is opened once more, for the server to see that it is over.
        drop(TcpStream::connect(self.address));
        drop(self.thread.take().map(JoinHandle::join));
    }
}

/// Whether there was a request at all.
fn serve(stream: TcpStream, reply: &Reply, kept: &Mutex<Vec<Asked>>) -> bool {
    let mut reader = BufReader::new(stream);
    let mut first = String::new();
    if reader.read_line(&mut first).unwrap_or(0) == 0 {
        return false;
    }
    let mut headers = String::new();
    let mut length = 0;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).unwrap_or(0) == 0 || line.trim().is_empty() {
            break;
        }
        if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap_or(0);
        }
        let (name, value) = line.split_once(':').unwrap_or((&line, ""));
        headers.push_str(&format!("{}:{}\n", name.to_lowercase(), value.trim_end()));
    }
    let mut body = vec![0; length];
    if reader.read_exact(&mut body).is_err() {
        return false;
    }
    let path = first.split_whitespace().nth(1).unwrap_or_default().to_string();
    let body = serde_json::from_slice(&body).unwrap_or_default();
    kept.lock().unwrap().push(Asked { path, headers, body });
    let mut stream = reader.into_inner();
    match reply {
        Reply::Http(status, more, body) => {
            let mut head = format!("HTTP/1.1 {status} X\r\nconnection: close\r\n");
            more.iter().for_each(|(name, value)| head.push_str(&format!("{name}: {value}\r\n")));
            let _ = stream.write_all(format!("{head}\r\n").as_bytes());
            let _ = stream.write_all(body);
            let _ = stream.shutdown(Shutdown::Write);
        }
        Reply::Silence => drop(stream.read_to_end(&mut Vec::new())),
    }
    true
}
