//! A process that is talked with: the same launcher, limits and ending as [`launch`](crate::launch), with pipes that
//! belong to whoever talks. Must not know what is said.
//!
//! A thread of its own starts the launcher and stays until all of it is gone, since the launcher is told when the thread
//! that started it dies.

use std::io::{self, PipeReader, PipeWriter};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::Duration;

use crate::launch::{Ours, Prepared, Theirs};
use crate::{Ended, Launch, LaunchFault, Stop};

/// A program that runs while this lives. It ends when its time is over, when the [`Stop`] says so, with [`end`], and at
/// once with all that it started when this is dropped.
///
/// [`end`]: Conversation::end
#[derive(Debug)]
pub struct Conversation {
    writer: Option<PipeWriter>,
    reader: Option<PipeReader>,
    ended: Option<Receiver<Result<Ended, LaunchFault>>>,
    own: Stop,
    grace: Duration,
}

/// Starts a program to talk with. `input` of the launch is not used, nor its limit of output: whoever reads bounds what
/// it takes. What keeps the program from running after it was found shows as an end of its output, and is told by
/// [`Conversation::end`].
pub fn converse(launch: &Launch, stop: &Stop) -> Result<Conversation, LaunchFault> {
    let prepared = Prepared::new(launch)?;
    let pipes = || -> io::Result<_> { Ok((io::pipe()?, io::pipe()?)) };
    let ((input, writer), (reader, output)) = pipes().map_err(|error| prepared.cannot_spawn(&error))?;
    let own = Stop::new();
    let (tell, ended) = mpsc::channel();
    let (outer, inner) = (stop.clone(), own.clone());
    let fault = prepared.cannot_spawn(&io::Error::other("no thread can be made for it: end something else"));
    let watch = move || {
        let end = prepared.run(Theirs { input, output }, Ours::default(), &[&outer, &inner]);
        // If nobody waits for it, it need not be known.
        let _ = tell.send(end);
    };
    std::thread::Builder::new().name("conversation".into()).spawn(watch).map_err(|_| fault)?;
    Ok(Conversation { writer: Some(writer), reader: Some(reader), ended: Some(ended), own, grace: launch.limits.grace })
}

impl Conversation {
    /// The program's standard input, the first time. Dropping it is an end of file for the program. It blocks; for tokio,
    /// make a `tokio::net::unix::pipe::Sender` of it (`from_owned_fd`).
    pub fn take_writer(&mut self) -> Option<PipeWriter> {
        self.writer.take()
    }

    /// The program's standard output, the first time; it blocks likewise (`pipe::Receiver`). Its end of file means that
    /// the program and all that it started are gone, or have closed it.
    pub fn take_reader(&mut self) -> Option<PipeReader> {
        self.reader.take()
    }

    /// Ends it: an end of file (if the writer was taken, whoever has it drops it first), the grace for the program to
    /// end by itself, then the request to end, the grace again, and the end of the whole tree. Gives how it ended and
    /// what it logged; the output belongs to the reader.
    pub fn end(mut self) -> Result<Ended, LaunchFault> {
        self.writer = None;
        self.finish(|conversation, ended| match ended.recv_timeout(conversation.grace) {
            Err(RecvTimeoutError::Timeout) => {
                conversation.own.stop();
                ended.recv().ok()
            }
            heard => heard.ok(),
        })
    }

    /// Ends the whole tree at once.
    pub fn end_now(mut self) -> Result<Ended, LaunchFault> {
        self.own.end_now();
        self.finish(|_, ended| ended.recv().ok())
    }

    fn finish(
        &mut self,
        wait: impl FnOnce(&Self, &Receiver<Result<Ended, LaunchFault>>) -> Option<Result<Ended, LaunchFault>>,
    ) -> Result<Ended, LaunchFault> {
        let heard = self.ended.take().and_then(|ended| wait(self, &ended));
        // Only a thread that panicked says nothing.
        heard.unwrap_or_else(|| {
            let why = "the thread that watched over it is gone".into();
            Err(LaunchFault::LauncherLost { path: "the program".into(), launcher: "its launcher".into(), why })
        })
    }
}

impl Drop for Conversation {
    fn drop(&mut self) {
        self.own.end_now();
        if let Some(ended) = self.ended.take() {
            let _ = ended.recv();
        }
    }
}
