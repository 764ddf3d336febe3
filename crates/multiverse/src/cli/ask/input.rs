//! What is typed at the terminal, as bytes or as lines, while it is looked whether an answer is still wanted. Knows
//! nothing of what is asked.

use std::io::{BufRead as _, Write as _};
use std::path::Path;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::termios::{QueueSelector, tcflush};

use super::super::failure::Failure;
use super::super::signals;

/// How often it is looked whether somebody else has answered.
const LOOK: Timespec = Timespec { tv_sec: 0, tv_nsec: 300_000_000 };
/// How long a key waits for what may follow it.
const HELD: Timespec = Timespec { tv_sec: 0, tv_nsec: 700_000_000 };
/// How wide a terminal is that does not say.
pub(super) const USUAL_COLUMNS: usize = 80;

/// Says whether an answer is still wanted.
pub(super) type Wanted<'a> = &'a mut dyn FnMut() -> Result<bool, Failure>;

/// A line from the terminal.
pub(super) enum Heard {
    Line(String),
    /// Somebody else answered meanwhile.
    Elsewhere,
    Nothing,
}

/// What came from the terminal, line or not.
pub(super) enum Bytes {
    Some(Vec<u8>),
    Elsewhere,
    Nothing,
}

enum Input {
    Ready,
    Elsewhere,
    Nothing,
}

/// A line from the terminal, unless somebody else answers meanwhile.
pub(super) fn line(wanted: Wanted<'_>) -> Result<Heard, Failure> {
    let heard = signals::while_idle(|| wait_for_line(wanted))?;
    if !matches!(heard, Heard::Line(_)) {
        // What is said next begins a line of its own.
        let _ = writeln!(std::io::stderr());
    }
    Ok(heard)
}

fn wait_for_line(wanted: Wanted<'_>) -> Result<Heard, Failure> {
    Ok(match wait(wanted)? {
        Input::Elsewhere => Heard::Elsewhere,
        Input::Nothing => Heard::Nothing,
        Input::Ready => {
            let mut line = String::new();
            match std::io::stdin().lock().read_line(&mut line).map_err(|error| unreadable(&error))? {
                0 => Heard::Nothing,
                _ => Heard::Line(line),
            }
        }
    })
}

/// Bytes from the terminal, as soon as there are any.
pub(super) fn bytes(wanted: Wanted<'_>) -> Result<Bytes, Failure> {
    match wait(wanted)? {
        Input::Elsewhere => return Ok(Bytes::Elsewhere),
        Input::Nothing => return Ok(Bytes::Nothing),
        Input::Ready => {}
    }
    let mut bytes = vec![0; 4096];
    match rustix::io::read(std::io::stdin(), &mut bytes) {
        Ok(0) => Ok(Bytes::Nothing),
        Ok(count) => {
            bytes.truncate(count);
            Ok(Bytes::Some(bytes))
        }
        Err(rustix::io::Errno::INTR | rustix::io::Errno::AGAIN) => Ok(Bytes::Some(Vec::new())),
        // The terminal is gone.
        Err(rustix::io::Errno::IO) => Ok(Bytes::Nothing),
        Err(error) => Err(unreadable(&error.into())),
    }
}

/// Whether there is something to read just now.
pub(super) fn is_ready() -> bool {
    let stdin = std::io::stdin();
    let mut waited = [PollFd::new(&stdin, PollFlags::IN)];
    matches!(poll(&mut waited, Some(&Timespec { tv_sec: 0, tv_nsec: 0 })), Ok(1..))
}

/// Keys that were pressed before there was a question answer nothing.
pub(super) fn forget_typed_before() {
    let _ = tcflush(std::io::stdin(), QueueSelector::IFlush);
}

/// Whether no further key comes for a moment: then a letter was an answer, and not the beginning of words.
pub(super) fn nothing_follows() -> bool {
    let stdin = std::io::stdin();
    let mut waited = [PollFd::new(&stdin, PollFlags::IN)];
    matches!(poll(&mut waited, Some(&HELD)), Ok(0))
}

/// Who types `yes` has answered with its first letter; the others are not meant for anybody.
pub(super) fn swallow_rest_of_yes() {
    let stdin = std::io::stdin();
    let pause = Timespec { tv_sec: 0, tv_nsec: 250_000_000 };
    let mut letter = [0];
    for expected in [&b"e"[..], b"s", b"\r\n"] {
        let mut waited = [PollFd::new(&stdin, PollFlags::IN)];
        let is_ready = matches!(poll(&mut waited, Some(&pause)), Ok(1..));
        if !is_ready || rustix::io::read(&stdin, &mut letter).is_err() || !expected.contains(&letter[0]) {
            return;
        }
    }
}

/// Waits until there is something to read, somebody else answered, or nobody wants an answer any more.
fn wait(wanted: Wanted<'_>) -> Result<Input, Failure> {
    let stdin = std::io::stdin();
    while signals::interrupt().asked() == 0 {
        let mut waited = [PollFd::new(&stdin, PollFlags::IN)];
        match poll(&mut waited, Some(&LOOK)) {
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(unreadable(&error.into())),
            Ok(0) if !wanted()? => return Ok(Input::Elsewhere),
            Ok(0) => {}
            Ok(_) => return Ok(Input::Ready),
        }
    }
    Ok(Input::Nothing)
}

fn unreadable(error: &std::io::Error) -> Failure {
    Failure::reading(Path::new("stdin"), error)
}
