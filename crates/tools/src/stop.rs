//! Asking a launch to end, from another thread. Knows no process: it says how urgent it is and wakes who waits.

use std::io::Write;
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// One stop may serve many launches, one after another or at once; its clones are the same stop.
#[derive(Debug, Clone, Default)]
pub struct Stop {
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    urgency: AtomicU8,
    next: AtomicU64,
    waiting: Mutex<Vec<(u64, UnixStream)>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Urgency {
    None = 0,
    Ask = 1,
    Now = 2,
}

impl Stop {
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks the program to end (SIGTERM); after its grace it is ended (SIGKILL).
    pub fn stop(&self) {
        self.raise(Urgency::Ask);
    }

    /// Ends the program and all that it started, without asking.
    pub fn end_now(&self) {
        self.raise(Urgency::Now);
    }

    pub fn is_stopped(&self) -> bool {
        self.urgency() > Urgency::None
    }

    /// Whether it was asked for without asking the program.
    pub fn is_urgent(&self) -> bool {
        self.urgency() == Urgency::Now
    }

    pub(crate) fn urgency(&self) -> Urgency {
        match self.shared.urgency.load(Ordering::SeqCst) {
            0 => Urgency::None,
            1 => Urgency::Ask,
            _ => Urgency::Now,
        }
    }

    /// The other end becomes readable when the urgency rises, for as long as what is returned lives. Whoever calls
    /// this must look at [`Stop::is_stopped`] after it, or may miss what came before.
    pub fn wake(&self, bell: UnixStream) -> Waiting<'_> {
        let id = self.shared.next.fetch_add(1, Ordering::SeqCst);
        self.shared.waiting.lock().unwrap_or_else(PoisonError::into_inner).push((id, bell));
        Waiting { stop: self, id }
    }

    fn raise(&self, urgency: Urgency) {
        self.shared.urgency.fetch_max(urgency as u8, Ordering::SeqCst);
        for (_, bell) in self.shared.waiting.lock().unwrap_or_else(PoisonError::into_inner).iter() {
            // A full buffer means that enough has been rung.
            let _ = (&*bell).write(&[1]);
        }
    }
}

/// Somebody who is woken when the urgency of a [`Stop`] rises.
#[derive(Debug)]
#[must_use = "nobody is woken any more when it is dropped"]
pub struct Waiting<'stop> {
    stop: &'stop Stop,
    id: u64,
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        let mut waiting = self.stop.shared.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.retain(|(id, _)| *id != self.id);
    }
}
