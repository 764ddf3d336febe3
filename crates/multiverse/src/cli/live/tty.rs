//! The terminal's own state: no echo while the view is shown, everything as it was before whenever this process ends,
//! stops or breaks; and what one that was killed left is mended. Knows nothing of what is shown.

use std::io::Write as _;
use std::sync::{Mutex, Once, PoisonError};

use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcgetpgrp, tcgetwinsize, tcsetattr};

use super::render::Size;

/// Pasted text comes marked.
const ENTER: &str = "\x1b[?2004h";
const LEAVE: &str = "\x1b[?2004l\x1b[?7h\x1b[?2026l\x1b[?25h";

/// How the terminal was before; something while the view has it.
static BEFORE: Mutex<Option<Termios>> = Mutex::new(None);

/// Takes the terminal. Says whether it could.
pub(crate) fn enter() -> bool {
    let mut before = BEFORE.lock().unwrap_or_else(PoisonError::into_inner);
    if before.is_some() {
        return true;
    }
    let stderr = std::io::stderr();
    let Ok(mut found) = tcgetattr(&stderr) else { return false };
    let taken = LocalModes::ECHO | LocalModes::ICANON;
    if !found.local_modes.intersects(taken) {
        // No shell leaves it so: a view was killed here.
        found.local_modes.insert(taken);
    }
    let mut quiet = found.clone();
    quiet.local_modes.remove(taken);
    if tcsetattr(&stderr, OptionalActions::Now, &quiet).is_err() {
        return false;
    }
    *before = Some(found);
    restore_on_panic();
    send(ENTER);
    true
}

/// Gives the terminal back as it was; does nothing if that was done.
pub(crate) fn leave() {
    let before = BEFORE.lock().unwrap_or_else(PoisonError::into_inner).take();
    if let Some(before) = before {
        send(LEAVE);
        let _ = tcsetattr(std::io::stderr(), OptionalActions::Drain, &before);
    }
}

/// Whether this process may use the terminal: whoever is in the background would be stopped for it.
pub(crate) fn is_ours() -> bool {
    match tcgetpgrp(std::io::stderr()) {
        Ok(group) => group == rustix::process::getpgrp(),
        // It is nobody's controlling terminal.
        Err(_) => true,
    }
}

/// How large it is now.
pub(crate) fn size() -> Option<Size> {
    let size = tcgetwinsize(std::io::stderr()).ok()?;
    let (columns, lines) = (usize::from(size.ws_col), usize::from(size.ws_row));
    (columns > 0 && lines > 0).then_some(Size { columns, lines })
}

/// Writes in one piece. Nobody is left to tell when the terminal is gone.
pub(crate) fn send(text: &str) {
    let mut stderr = std::io::stderr().lock();
    let _ = stderr.write_all(text.as_bytes()).and_then(|()| stderr.flush());
}

fn restore_on_panic() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            // What an agent's thread breaks down with is caught and told: only the main thread's end is the program's.
            if std::thread::current().name() == Some("main") {
                leave();
                send("\r\n");
            }
            before(panic);
        }));
    });
}
