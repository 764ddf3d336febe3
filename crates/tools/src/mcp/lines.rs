//! Messages as lines over the pipes of a program. Owns what becomes of lines that are no messages: a few are passed over,
//! many are a flood, and a flood is an end. Must not know what the messages mean.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use rmcp::RoleClient;
use rmcp::model::{JsonRpcMessage, ServerJsonRpcMessage};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};

/// The most lines and bytes that are no messages.
const MOST_STRAY_LINES: usize = 1_000;
const MOST_STRAY_BYTES: usize = 1 << 20;

/// The most messages that nobody asked for, one after another.
const MOST_UNASKED: usize = 10_000;

const SHOWN_OF_A_LINE: usize = 200;

/// What was seen beside messages, for whoever has to say why a server cannot be used.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    lines: usize,
    bytes: usize,
    first: String,
    flood: Option<&'static str>,
}

pub(crate) struct Lines<R, W> {
    read: BufReader<R>,
    line: Vec<u8>,
    most: usize,
    unasked: usize,
    write: Arc<tokio::sync::Mutex<Option<W>>>,
    seen: Arc<Mutex<Seen>>,
}

impl<R: AsyncRead, W> Lines<R, W> {
    pub(crate) fn new(read: R, write: W, most: usize, seen: Arc<Mutex<Seen>>) -> Self {
        let write = Arc::new(tokio::sync::Mutex::new(Some(write)));
        Self { read: BufReader::new(read), line: Vec::new(), most, unasked: 0, write, seen }
    }
}

impl Seen {
    /// What a person should know of it.
    pub(crate) fn told(&self) -> Option<String> {
        match self.flood {
            Some(flood) => Some(format!("it floods: {flood}")),
            None if self.lines > 0 => Some(format!(
                "it printed {} lines that are no messages, the first: {:?} (a server prints nothing else to its standard output)",
                self.lines, self.first
            )),
            None => None,
        }
    }

    /// Takes in a line that is no message; too many are too much.
    fn stray(&mut self, line: &[u8]) -> Option<()> {
        if self.lines == 0 {
            let shown = String::from_utf8_lossy(line);
            self.first = shown.chars().filter(|character| !character.is_control()).take(SHOWN_OF_A_LINE).collect();
        }
        self.lines += 1;
        self.bytes += line.len();
        if self.lines > MOST_STRAY_LINES || self.bytes > MOST_STRAY_BYTES {
            self.flood = Some("it prints what is no message, without end");
        }
        self.flood.is_none().then_some(())
    }
}

impl<R: AsyncRead + Unpin + Send, W: AsyncWrite + Unpin + Send + 'static> Lines<R, W> {
    /// Reads up to the end of a line; none at the end of the stream. Whoever drops this halfway loses nothing.
    async fn whole_line(&mut self) -> Option<()> {
        loop {
            let available = self.read.fill_buf().await.ok().filter(|available| !available.is_empty())?;
            let end = available.iter().position(|byte| *byte == b'\n');
            let count = end.map_or(available.len(), |end| end + 1);
            if self.line.len() + count > self.most {
                self.flood("it says more at once than is taken in");
                return None;
            }
            self.line.extend_from_slice(&available[..count]);
            self.read.consume(count);
            if end.is_some() {
                return Some(());
            }
        }
    }

    fn flood(&self, why: &'static str) {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).flood = Some(why);
    }
}

impl<R, W> Transport<RoleClient> for Lines<R, W>
where
    R: AsyncRead + Unpin + Send,
    W: AsyncWrite + Unpin + Send + 'static,
{
    type Error = io::Error;

    fn send(&mut self, item: TxJsonRpcMessage<RoleClient>) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let write = Arc::clone(&self.write);
        async move {
            let mut line = serde_json::to_vec(&item)?;
            line.push(b'\n');
            let mut write = write.lock().await;
            let open = write.as_mut().ok_or_else(|| io::Error::from(io::ErrorKind::NotConnected))?;
            open.write_all(&line).await?;
            open.flush().await
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        loop {
            self.whole_line().await?;
            let line = std::mem::take(&mut self.line);
            let line = line.trim_ascii();
            if line.is_empty() {
                continue;
            }
            let Ok(message) = serde_json::from_slice::<ServerJsonRpcMessage>(line) else {
                self.seen.lock().unwrap_or_else(PoisonError::into_inner).stray(line)?;
                continue;
            };
            self.unasked = match message {
                JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => 0,
                _ => self.unasked + 1,
            };
            if self.unasked > MOST_UNASKED {
                self.flood("it sends messages that nobody asked for, without end");
                return None;
            }
            return Some(message);
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        drop(self.write.lock().await.take());
        Ok(())
    }
}
