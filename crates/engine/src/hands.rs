//! The threads of the crew: those that work, each used again when its work is done, and the one that tidies up after all
//! of them. Knows nothing of runs and agents.

use std::collections::VecDeque;
use std::io;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Something to be done by another thread.
pub(crate) type Piece = Box<dyn FnOnce() + Send>;

/// It is tidied up when nothing was sent for so long: many that end at once are followed by others first (QL-07).
const QUIET: Duration = Duration::from_millis(5);
/// At most so many wait to be tidied up.
const MOST_WAITING: usize = 64;

/// What is sent to the one that tidies up.
pub(crate) enum Tidying {
    /// Something to be done when there is time.
    Later(Piece),
    /// Everything that waits, and then this.
    Now(Piece),
}

impl Tidying {
    /// Does it here, where there is nobody who tidies up.
    pub(crate) fn carry_out(self) {
        match self {
            Self::Later(piece) | Self::Now(piece) => piece(),
        }
    }
}

/// Where each thread that waits for work is to be given some; nothing once nobody gives any.
type Waiting = Arc<Mutex<Option<Vec<Sender<Piece>>>>>;

/// Threads that work. To begin one takes as long as a short step of a run, so one that is done waits for more (QL-07).
pub(crate) struct Hands {
    waiting: Waiting,
    /// To the one that tidies up, once there is something to tidy.
    tidier: Option<Sender<Tidying>>,
}

impl Hands {
    pub(crate) fn new() -> Self {
        Self { waiting: Arc::new(Mutex::new(Some(Vec::new()))), tidier: None }
    }

    /// Has a thread do something, all in its own time.
    pub(crate) fn give(&self, mut piece: Piece) -> io::Result<()> {
        while let Some(hand) = lock(&self.waiting).as_mut().and_then(Vec::pop) {
            match hand.send(piece) {
                Ok(()) => return Ok(()),
                Err(unsent) => piece = unsent.0,
            }
        }
        let waiting = Arc::clone(&self.waiting);
        std::thread::Builder::new().name("agent".into()).spawn(move || work(piece, &waiting)).map(drop)
    }

    /// Where to send what is in nobody's way and can wait until all others had their turn. Where no thread can be had for
    /// it, whoever sends does it.
    pub(crate) fn tidier(&mut self) -> Option<Sender<Tidying>> {
        if self.tidier.is_none() {
            let (sender, sent) = channel::<Tidying>();
            let tidy = move || {
                be_modest();
                tidy(&sent);
            };
            let begun = std::thread::Builder::new().name("tidier".into()).spawn(tidy);
            self.tidier = begun.ok().map(|_| sender);
        }
        self.tidier.clone()
    }

    /// Waits until everything is tidied up that was sent before.
    pub(crate) fn tidy_up(&mut self) {
        let (sender, done) = channel::<()>();
        if let Some(tidier) = &self.tidier
            && tidier.send(Tidying::Now(Box::new(move || drop(sender)))).is_ok()
        {
            // It answers by letting go.
            let _ = done.recv();
        }
    }
}

impl Drop for Hands {
    /// Those that wait for work end.
    fn drop(&mut self) {
        *lock(&self.waiting) = None;
    }
}

fn work(mut piece: Piece, waiting: &Waiting) {
    loop {
        piece();
        let (sender, next) = channel();
        match lock(waiting).as_mut() {
            Some(waiting) => waiting.push(sender),
            None => return,
        }
        match next.recv() {
            Ok(given) => piece = given,
            Err(_) => return,
        }
    }
}

/// Does what was sent, in order: when nothing more came for a while, and then one after another until something does.
fn tidy(sent: &Receiver<Tidying>) {
    let mut waiting: VecDeque<Piece> = VecDeque::new();
    let mut patience = QUIET;
    loop {
        let next = match waiting.is_empty() {
            true => sent.recv().map_err(|_| RecvTimeoutError::Disconnected),
            false => sent.recv_timeout(patience),
        };
        match next {
            Ok(Tidying::Later(piece)) => {
                waiting.push_back(piece);
                patience = QUIET;
            }
            Ok(Tidying::Now(piece)) => {
                waiting.drain(..).for_each(|piece| piece());
                piece();
            }
            Err(RecvTimeoutError::Timeout) => {
                waiting.pop_front().into_iter().for_each(|piece| piece());
                patience = Duration::ZERO;
            }
            Err(RecvTimeoutError::Disconnected) => return waiting.drain(..).for_each(|piece| piece()),
        }
        while waiting.len() > MOST_WAITING {
            waiting.pop_front().into_iter().for_each(|piece| piece());
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What this thread does is in nobody's way: others go first where processors are few (QL-07).
#[cfg(target_os = "linux")]
fn be_modest() {
    // For Linux a thread is a process of its own here; elsewhere this would slow all threads.
    let _ = rustix::process::setpriority_process(None, 10);
}

#[cfg(not(target_os = "linux"))]
fn be_modest() {}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::thread::ThreadId;

    use super::*;

    #[test]
    fn a_thread_that_is_done_is_used_again() {
        let hands = Hands::new();
        let mut threads: BTreeSet<String> = BTreeSet::new();
        for _ in 0..10 {
            let (sender, told) = channel::<ThreadId>();
            hands.give(Box::new(move || sender.send(std::thread::current().id()).unwrap())).unwrap();
            threads.insert(format!("{:?}", told.recv().unwrap()));
            while lock(&hands.waiting).as_ref().is_some_and(Vec::is_empty) {
                std::thread::yield_now();
            }
        }
        assert_eq!(threads.len(), 1);
    }

    #[test]
    fn what_is_under_way_holds_up_nothing_else() {
        let hands = Hands::new();
        let (first, second) = (channel::<()>(), channel::<()>());
        hands.give(Box::new(move || assert!(first.1.recv().is_err()))).unwrap();
        hands.give(Box::new(move || second.0.send(()).unwrap())).unwrap();
        assert_eq!(second.1.recv(), Ok(()));
        drop(first.0);
    }

    #[test]
    fn all_that_was_sent_is_tidied_up() {
        let mut hands = Hands::new();
        hands.tidy_up();
        let told = Arc::new(Mutex::new(Vec::new()));
        for number in 0..100 {
            let told = Arc::clone(&told);
            let piece = Box::new(move || lock(&told).push(number));
            hands.tidier().unwrap().send(Tidying::Later(piece)).unwrap();
        }
        hands.tidy_up();
        assert_eq!(*lock(&told), (0..100).collect::<Vec<_>>());
    }
}
