//! Owns the bound on what an agent says in one line, so that it cannot fill the memory. Must not know what a line means.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use futures_util::io::AsyncRead;

/// The longest line: a file of the largest size, as text in JSON.
const LINE_BYTES: usize = 64 << 20;

/// Reads until a line is too long; that is an error, and the end.
pub(crate) struct Bounded<R> {
    inner: R,
    length: usize,
}

impl<R> Bounded<R> {
    pub(crate) fn new(inner: R) -> Self {
        Self { inner, length: 0 }
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for Bounded<R> {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, into: &mut [u8]) -> Poll<io::Result<usize>> {
        let read = std::task::ready!(Pin::new(&mut self.inner).poll_read(context, into))?;
        match into[..read].iter().rposition(|byte| *byte == b'\n') {
            Some(at) => self.length = read - at - 1,
            None => self.length += read,
        }
        match self.length > LINE_BYTES {
            true => Poll::Ready(Err(io::Error::other("a line of the agent is longer than 64 MiB"))),
            false => Poll::Ready(Ok(read)),
        }
    }
}
