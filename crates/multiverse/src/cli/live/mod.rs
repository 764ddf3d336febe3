//! The live view: what the engine's notices say, drawn at the bottom of the terminal a few times a second by a thread of
//! its own. The engine only leaves word and never waits for the terminal. One view at a time.

pub(crate) mod keys;
pub(crate) mod model;
pub(crate) mod prompt;
mod render;
mod rows;
mod screen;
#[cfg(test)]
mod tests;
pub(crate) mod tty;
pub(crate) mod words;

use std::io::IsTerminal as _;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anstream::ColorChoice;
use engine::{Notice, RunView};
use signal_hook::consts::SIGTSTP;

use super::output::{Form, Loudness, Output};
use model::{Model, Moment};
use render::{Kind, Look, Signs, Size, frame};
use screen::Screen;

/// How often it is drawn at most, unless somebody types.
const PACE: Duration = Duration::from_millis(100);
/// With less room than this a question stands alone.
const LEAST_ROOM: usize = 5;
/// Where the size cannot be asked for.
const USUAL: Size = Size { columns: 80, lines: 24 };

/// The view that is shown, if one is.
static ACTIVE: Mutex<Option<Arc<Shared>>> = Mutex::new(None);

struct Shared {
    state: Mutex<State>,
    bell: Condvar,
    screen: Mutex<Screen>,
    color: ColorChoice,
    look: Look,
}

#[derive(Default)]
struct State {
    model: Model,
    /// What stays above the view, to be written.
    above: Vec<String>,
    /// What is asked instead of the tree.
    asking: Option<Asking>,
    is_over: bool,
    /// Somebody types: it is drawn at once.
    hurries: bool,
}

/// A question that is shown instead of the tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Asking {
    Proposal(prompt::Prompt),
    Words(words::Words),
}

/// A view that is shown until this is ended or dropped.
pub(crate) struct Live {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

/// Whether a view can be shown: on a terminal that can move its cursor, for a person who wants neither silence nor
/// every step.
pub(crate) fn is_possible(output: &Output) -> bool {
    let can_move = std::env::var_os("TERM").is_some_and(|name| !name.is_empty() && name != "dumb");
    output.form() == Form::Text
        && output.loudness() == Loudness::Normal
        && std::io::stderr().is_terminal()
        && can_move
        && tty::is_ours()
        && tty::size().is_some()
}

impl Live {
    /// Shows these runs from here on.
    pub(crate) fn begin(output: &Output, views: &[RunView], leaving: &'static str) -> Option<Self> {
        if !is_possible(output) || !tty::enter() {
            return None;
        }
        let mut state = State::default();
        views.iter().for_each(|view| state.model.seed(view, now()));
        let shared = Arc::new(Shared {
            state: Mutex::new(state),
            bell: Condvar::new(),
            screen: Mutex::default(),
            color: output.talk_color(),
            look: Look { signs: signs(), leaving },
        });
        let drawn = shared.clone();
        let thread = std::thread::Builder::new().name("view".into()).spawn(move || drawn.draw_on()).ok();
        if thread.is_none() {
            tty::leave();
            return None;
        }
        stop_properly();
        *active_slot() = Some(shared.clone());
        Some(Self { shared, thread })
    }

    /// Takes over what is known of a run.
    pub(crate) fn seed(&self, view: &RunView) {
        self.shared.state().model.seed(view, now());
    }

    /// When a run began, if that was before this process looked: its time is counted from there.
    pub(crate) fn began(&self, run: &str, moment: Moment) {
        let mut state = self.shared.state();
        state.model.runs.iter_mut().filter(|one| one.run == run).for_each(|one| one.began = moment);
    }

    /// Shows a question, or the tree again.
    pub(crate) fn ask(&self, asking: Option<Asking>) {
        let mut state = self.shared.state();
        state.asking = asking;
        state.hurries = true;
        drop(state);
        self.shared.bell.notify_all();
    }

    /// Leaves a summary where the view was.
    pub(crate) fn end(self) {
        drop(self);
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        self.shared.state().is_over = true;
        self.shared.bell.notify_all();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
        *active_slot() = None;
        self.shared.leave();
        tty::leave();
    }
}

/// Puts a line above the view, if one is shown; says whether it did.
pub(crate) fn say(text: &str) -> bool {
    let Some(shared) = active() else { return false };
    let mut state = shared.state();
    state.above.extend(text.split('\n').map(String::from));
    true
}

/// Takes in what happened, if a view is shown; says whether one is.
pub(crate) fn hear(notice: &Notice) -> bool {
    let Some(shared) = active() else { return false };
    shared.state().model.hear(notice, now());
    true
}

/// Somebody wants this process to end; says whether a view tells so.
pub(crate) fn interrupted(asked: u8) -> bool {
    let Some(shared) = active() else { return false };
    shared.state().model.interrupted = asked;
    true
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn screen(&self) -> MutexGuard<'_, Screen> {
        self.screen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn draw_on(&self) {
        loop {
            self.draw();
            let is_quiet = |state: &mut State| !state.is_over && !state.hurries;
            let waited = self.bell.wait_timeout_while(self.state(), PACE, is_quiet);
            let (mut state, _) = waited.unwrap_or_else(PoisonError::into_inner);
            state.hurries = false;
            if state.is_over {
                return;
            }
        }
    }

    fn draw(&self) {
        // Whoever was sent to the background draws when it is back.
        if !tty::is_ours() || !tty::enter() {
            return;
        }
        let size = tty::size().unwrap_or(USUAL);
        let mut screen = self.screen();
        let mut state = self.state();
        let above = std::mem::take(&mut state.above);
        let lines = match &state.asking {
            Some(Asking::Proposal(prompt)) => prompt.lines(size.columns),
            Some(Asking::Words(words)) => {
                // Whoever is asked while others work sees them.
                let asked = words.lines(size.columns);
                let room = Size { lines: size.lines.saturating_sub(asked.len() + 1), ..size };
                let mut lines = match state.model.is_at_work() && room.lines >= LEAST_ROOM {
                    true => frame(&state.model, room, now(), self.look, Kind::Live),
                    false => Vec::new(),
                };
                lines.extend((!lines.is_empty()).then(String::new));
                lines.extend(asked);
                lines
            }
            None => {
                // The cursor stands below the view: whatever ends this process, the next prompt has a line of its own.
                let room = Size { lines: size.lines.saturating_sub(1).max(1), ..size };
                let mut lines = frame(&state.model, room, now(), self.look, Kind::Live);
                lines.extend((lines.len() < size.lines).then(String::new));
                lines
            }
        };
        drop(state);
        let sent = screen.change(&self.painted(above), self.painted(lines), size.columns);
        if !sent.is_empty() {
            tty::send(&sent);
        }
    }

    /// What stays on the screen when the view is over.
    fn leave(&self) {
        let size = tty::size().unwrap_or(USUAL);
        let mut state = self.state();
        let above = std::mem::take(&mut state.above);
        let lines = match state.model.runs.is_empty() {
            true => Vec::new(),
            // It scrolls: more than a screenful would be no summary.
            false => frame(&state.model, size, now(), self.look, Kind::Last),
        };
        drop(state);
        tty::send(&self.screen().leave(&self.painted(above), &self.painted(lines), size.columns));
    }

    /// Clears the view, gives the terminal back and stops the process; it is drawn anew when that goes on.
    fn suspend(&self) {
        let mut screen = self.screen();
        let columns = tty::size().unwrap_or(USUAL).columns;
        tty::send(&screen.leave(&[], &[], columns));
        tty::leave();
        let _ = signal_hook::low_level::emulate_default_handler(SIGTSTP);
    }

    fn painted(&self, lines: Vec<String>) -> Vec<String> {
        match self.color {
            ColorChoice::Never => lines.iter().map(|line| anstream::adapter::strip_str(line).to_string()).collect(),
            _ => lines,
        }
    }
}

fn active_slot() -> MutexGuard<'static, Option<Arc<Shared>>> {
    ACTIVE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn active() -> Option<Arc<Shared>> {
    active_slot().clone()
}

/// Ctrl-Z gives the terminal back before the process stops.
fn stop_properly() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        let Ok(mut signals) = signal_hook::iterator::Signals::new([SIGTSTP]) else { return };
        let listen = move || {
            for _ in signals.forever() {
                match active() {
                    Some(shared) => shared.suspend(),
                    None => drop(signal_hook::low_level::emulate_default_handler(SIGTSTP)),
                }
            }
        };
        // Without it Ctrl-Z does what it always does, only less tidily.
        drop(std::thread::Builder::new().name("suspend".into()).spawn(listen));
    });
}

/// Signs that every font has, where the terminal does not say that it knows others.
fn signs() -> Signs {
    let named = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().filter_map(std::env::var_os);
    let locale = named.map(|value| value.to_string_lossy().to_lowercase()).find(|value| !value.is_empty());
    let is_plain = std::env::var_os("TERM").is_some_and(|name| name == "linux");
    match locale {
        Some(locale) if !is_plain && (locale.contains("utf-8") || locale.contains("utf8")) => Signs::Unicode,
        _ => Signs::Ascii,
    }
}

/// The wall clock.
pub(crate) fn now() -> Moment {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_millis() as Moment)
}
