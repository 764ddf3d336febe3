//! Owns the one thread on which asynchronous work of a box happens, and waiting for it from a thread that knows nothing of
//! it. Whoever waits can be stopped at any time. Must not know what the work is.

use std::future::Future;
use std::io;
use std::os::unix::net::UnixStream;
use std::sync::mpsc;
use std::thread::JoinHandle;
use std::time::Duration;

use tokio::runtime::{Builder, Handle};
use tokio::sync::oneshot;

use crate::Stop;

/// A thread with a runtime of its own; it ends when this is dropped, and what was under way on it with it.
#[derive(Debug)]
pub(crate) struct Background {
    handle: Handle,
    end: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// Why work has no outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NotDone {
    #[error("it was stopped before it was done")]
    Stopped,
    #[error("it took longer than {} seconds", .0.as_secs())]
    TimedOut(Duration),
    #[error("the thread that did it is gone")]
    Lost,
}

impl Background {
    pub(crate) fn start(name: &str) -> io::Result<Self> {
        let runtime = Builder::new_current_thread().enable_io().enable_time().build()?;
        let handle = runtime.handle().clone();
        let (end, ended) = oneshot::channel::<()>();
        let thread = std::thread::Builder::new().name(name.into()).spawn(move || {
            // Dropping the other end is how it is told.
            let _ = runtime.block_on(ended);
            // A name that is still being looked up is not waited for.
            runtime.shutdown_background();
        })?;
        Ok(Self { handle, end: Some(end), thread: Some(thread) })
    }

    /// Does the work there and waits for it here. When there is no outcome, the work is dropped where it stands.
    pub(crate) fn carry<T, W>(&self, stop: &Stop, within: Duration, work: W) -> Result<T, NotDone>
    where
        T: Send + 'static,
        W: Future<Output = T> + Send + 'static,
    {
        let (Ok((bell, rope)), (send, receive)) = (UnixStream::pair(), mpsc::channel()) else {
            return Err(NotDone::Lost);
        };
        if [&bell, &rope].iter().any(|end| end.set_nonblocking(true).is_err()) {
            return Err(NotDone::Lost);
        }
        let _waiting = stop.wake(rope);
        if stop.is_stopped() {
            return Err(NotDone::Stopped);
        }
        self.handle.spawn(async move {
            let outcome = tokio::select! {
                biased;
                () = rung(bell) => Err(NotDone::Stopped),
                done = tokio::time::timeout(within, work) => done.map_err(|_| NotDone::TimedOut(within)),
            };
            // Nobody waits any more only if the waiting thread is gone with its process.
            let _ = send.send(outcome);
        });
        receive.recv().unwrap_or(Err(NotDone::Lost))
    }
}

/// Resolves when the stop is raised.
async fn rung(bell: UnixStream) {
    let Ok(bell) = tokio::net::UnixStream::from_std(bell) else { return };
    // An error means that the other end is gone, which only its owner does, after the work.
    let _ = bell.readable().await;
}

impl Drop for Background {
    fn drop(&mut self) {
        drop(self.end.take());
        if let Some(thread) = self.thread.take() {
            // It panics with nothing; if it did, there is nothing to mend here.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_done_times_out_or_is_stopped() {
        let background = Background::start("test").unwrap();
        let long = Duration::from_secs(600);
        assert_eq!(background.carry(&Stop::new(), long, async { 7 }), Ok(7));
        let never = std::future::pending::<i32>;
        let short = Duration::from_millis(1);
        assert_eq!(background.carry(&Stop::new(), short, never()), Err(NotDone::TimedOut(short)));
        let stop = Stop::new();
        let clone = stop.clone();
        // Stopped by the work itself, so that it is surely under way.
        let stopping = async move {
            clone.stop();
            never().await
        };
        assert_eq!(background.carry(&stop, long, stopping), Err(NotDone::Stopped));
        assert_eq!(background.carry(&stop, long, async { 7 }), Err(NotDone::Stopped));
    }
}
