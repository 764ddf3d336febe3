//! Tools of this process for a program that is confined: a socket in the program's own folder, behind which a server listens
//! for as long as the program works; and the other end, which carries lines between a socket and whoever started it. Must not
//! know what is said.

use std::fs::{self, File};
use std::io::{self, BufReader, Read, Write};
use std::net::Shutdown;
use std::os::fd::AsRawFd;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use super::serve::{About, serve};
use crate::Toolbox;

/// The most who are connected at the same time.
const MOST: usize = 8;
/// The most bytes of a path that a socket can have; a longer one is reached by way of its folder.
const PATH_BYTES: usize = 100;

/// A socket behind which tools are served until it is dropped.
#[derive(Debug)]
pub struct Relay {
    path: PathBuf,
    is_over: Arc<AtomicBool>,
    connected: Arc<Mutex<Vec<UnixStream>>>,
    thread: Option<JoinHandle<()>>,
}

impl Relay {
    /// Listens at a socket of this name in a folder.
    pub fn open(folder: &Path, name: &str, toolbox: Arc<dyn Toolbox>, about: About) -> io::Result<Self> {
        let path = folder.join(name);
        let _ = fs::remove_file(&path);
        let listener = reached(&path, |short| UnixListener::bind(short))?;
        let is_over = Arc::new(AtomicBool::new(false));
        let connected: Arc<Mutex<Vec<UnixStream>>> = Arc::default();
        let (over, open) = (is_over.clone(), connected.clone());
        let listen = move || {
            let mut serving: Vec<JoinHandle<()>> = Vec::new();
            for stream in listener.incoming() {
                if over.load(Ordering::SeqCst) {
                    break;
                }
                serving.retain(|thread| !thread.is_finished());
                let Ok(stream) = stream else { continue };
                let Ok(again) = stream.try_clone() else { continue };
                if serving.len() >= MOST {
                    continue;
                }
                open.lock().unwrap_or_else(PoisonError::into_inner).push(again);
                let (toolbox, about) = (toolbox.clone(), about.clone());
                serving.push(thread::spawn(move || served(&*toolbox, &about, &stream)));
            }
            serving.into_iter().for_each(|thread| drop(thread.join()));
        };
        let thread = thread::Builder::new().name("relay".into()).spawn(listen)?;
        Ok(Self { path, is_over, connected, thread: Some(thread) })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }
}

fn served(toolbox: &dyn Toolbox, about: &About, stream: &UnixStream) {
    if let Ok(reading) = stream.try_clone() {
        // Whoever goes away in the middle has no use for an answer.
        let _ = serve(toolbox, about, BufReader::new(reading), stream);
    }
    let _ = stream.shutdown(Shutdown::Both);
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::SeqCst);
        // Who listens is woken by a call of our own; if the socket is gone, nobody can be woken, and nobody is waited for.
        let is_woken = reached(&self.path, |short| UnixStream::connect(short)).is_ok();
        for stream in self.connected.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
            let _ = stream.shutdown(Shutdown::Both);
        }
        if let Some(thread) = self.thread.take().filter(|_| is_woken) {
            let _ = thread.join();
        }
        let _ = fs::remove_file(&self.path);
    }
}

/// Carries lines from an input to a socket and back, until one side ends.
pub fn carry(socket: &Path, mut input: impl Read + Send + 'static, mut output: impl Write) -> io::Result<()> {
    let stream = reached(socket, |short| UnixStream::connect(short))?;
    let mut sending = stream.try_clone()?;
    // Nobody waits for this one: it ends with the process, or with its input.
    thread::Builder::new().name("to the socket".into()).spawn(move || {
        let _ = io::copy(&mut input, &mut sending);
        let _ = sending.shutdown(Shutdown::Write);
    })?;
    let mut receiving = stream;
    let mut buffer = [0; 8192];
    loop {
        match receiving.read(&mut buffer) {
            Ok(0) => return Ok(()),
            Ok(count) => {
                output.write_all(&buffer[..count])?;
                output.flush()?;
            }
            Err(fault) if fault.kind() == io::ErrorKind::Interrupted => {}
            Err(fault) => return Err(fault),
        }
    }
}

/// Does something with the path of a socket, which may have a hundred bytes only: by way of its folder where it is longer.
fn reached<T>(path: &Path, with: impl FnOnce(&Path) -> io::Result<T>) -> io::Result<T> {
    if path.as_os_str().len() <= PATH_BYTES {
        return with(path);
    }
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else { return with(path) };
    let folder = File::open(folder)?;
    with(&Path::new("/proc/self/fd").join(folder.as_raw_fd().to_string()).join(name))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{Stop, Tool, ToolAnswer, ToolCall};

    struct Clock;

    impl Toolbox for Clock {
        fn tools(&self) -> Vec<Tool> {
            vec![Tool { name: "time".into(), description: String::new(), parameters: json!({"type": "object"}) }]
        }

        fn call(&self, _: &ToolCall, _: &Stop) -> ToolAnswer {
            ToolAnswer::well("noon")
        }
    }

    /// RM-09: tools of this process are reached through a socket, however deep its folder lies; it is gone in the end.
    #[test]
    fn rm09_tools_are_reached_through_a_socket() {
        let top = tempfile::tempdir().unwrap();
        let folder = top.path().join("a-long-name-of-a-folder".repeat(6)).join("deeper");
        fs::create_dir_all(&folder).unwrap();
        let about = About { name: "n".into(), version: "1".into(), instructions: String::new() };
        let relay = Relay::open(&folder, "tools.sock", Arc::new(Clock), about).unwrap();
        let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"});
        for _ in 0..3 {
            let mut answer = Vec::new();
            carry(relay.path(), io::Cursor::new(format!("{call}\n")), &mut answer).unwrap();
            assert!(String::from_utf8(answer).unwrap().contains("\"time\""));
        }
        let path = relay.path().to_path_buf();
        // Somebody who stays connected keeps nobody waiting.
        let idle = reached(&path, |short| UnixStream::connect(short)).unwrap();
        drop(relay);
        assert!(!path.exists());
        drop(idle);
    }
}
