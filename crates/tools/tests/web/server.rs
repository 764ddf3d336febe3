//! A web server inside the test: one thread for each connection, replies as they are written, and what it was asked.
#![allow(dead_code, reason = "each test binary uses a part of it")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// What a client sent.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(crate) method: String,
    pub(crate) path: String,
    /// In lower case, as `name: value`.
    pub(crate) headers: Vec<String>,
    pub(crate) body: String,
}

/// What a client gets.
pub(crate) enum Reply {
    /// A whole reply, its length counted here.
    Of { status: u16, headers: Vec<(&'static str, String)>, body: Vec<u8> },
    /// These bytes and then the end.
    Raw(Vec<u8>),
    /// These bytes and then silence, until the client goes.
    Silence(Vec<u8>),
    /// These bytes again and again, until the client goes.
    Flood(Vec<u8>, Vec<u8>),
}

pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    asked: Arc<Mutex<Vec<Request>>>,
}

impl Reply {
    pub(crate) fn of(content_type: &str, body: impl Into<Vec<u8>>) -> Self {
        Self::Of { status: 200, headers: vec![("content-type", content_type.into())], body: body.into() }
    }

    pub(crate) fn html(body: &str) -> Self {
        Self::of("text/html; charset=utf-8", body)
    }

    pub(crate) fn redirect(place: &str) -> Self {
        Self::Of { status: 302, headers: vec![("location", place.into())], body: Vec::new() }
    }

    fn write(self, stream: &mut TcpStream) -> std::io::Result<()> {
        match self {
            Self::Of { status, headers, body } => {
                let mut head =
                    format!("HTTP/1.1 {status} X\r\nconnection: close\r\ncontent-length: {}\r\n", body.len());
                for (name, value) in headers {
                    head.push_str(&format!("{name}: {value}\r\n"));
                }
                stream.write_all(format!("{head}\r\n").as_bytes())?;
                stream.write_all(&body)
            }
            Self::Raw(bytes) => stream.write_all(&bytes),
            Self::Silence(bytes) => {
                stream.write_all(&bytes)?;
                stream.read(&mut [0]).map(drop)
            }
            Self::Flood(first, then) => {
                stream.write_all(&first)?;
                loop {
                    stream.write_all(&then)?;
                }
            }
        }
    }
}

impl Server {
    pub(crate) fn start(reply: impl Fn(&Request) -> Reply + Send + Sync + 'static) -> Self {
        Self::start_on("127.0.0.1:0", reply)
    }

    pub(crate) fn start_on(place: &str, reply: impl Fn(&Request) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind(place).unwrap();
        let address = listener.local_addr().unwrap();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let (log, reply) = (Arc::clone(&asked), Arc::new(reply));
        // It ends with the test's process.
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (log, reply) = (Arc::clone(&log), Arc::clone(&reply));
                std::thread::spawn(move || serve(stream, &log, &*reply));
            }
        });
        Self { address, asked }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Everything that was asked so far.
    pub(crate) fn asked(&self) -> Vec<Request> {
        self.asked.lock().unwrap().clone()
    }

    pub(crate) fn paths(&self) -> Vec<String> {
        self.asked().into_iter().map(|request| request.path).collect()
    }
}

fn serve(mut stream: TcpStream, log: &Mutex<Vec<Request>>, reply: &dyn Fn(&Request) -> Reply) {
    let Some(request) = read(&stream) else { return };
    log.lock().unwrap().push(request.clone());
    // A client that goes away early is the test's own doing.
    let _ = reply(&request).write(&mut stream);
}

fn read(stream: &TcpStream) -> Option<Request> {
    let mut lines = BufReader::new(stream);
    let mut line = String::new();
    lines.read_line(&mut line).ok().filter(|count| *count > 0)?;
    let mut words = line.split_whitespace();
    let (method, path) = (words.next()?.to_owned(), words.next()?.to_owned());
    let mut headers = Vec::new();
    loop {
        let mut header = String::new();
        lines.read_line(&mut header).ok()?;
        if header.trim().is_empty() {
            break;
        }
        let (name, value) = header.trim().split_once(':')?;
        headers.push(format!("{}: {}", name.to_lowercase(), value.trim()));
    }
    let length = headers.iter().find_map(|header| header.strip_prefix("content-length: ")?.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    lines.read_exact(&mut body).ok()?;
    Some(Request { method, path, headers, body: String::from_utf8_lossy(&body).into_owned() })
}
