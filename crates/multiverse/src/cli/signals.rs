//! Signals: the first asks the agents to end, the second ends them at once, the third ends this process. SIGTERM and
//! SIGHUP are as good as Ctrl-C. Knows nothing of runs.

use std::io::Write as _;
use std::sync::atomic::{AtomicBool, Ordering};

use engine::Interrupt;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use super::exit::Exit;
use super::failure::{Failure, Kind};
use super::live::{self, tty};
use super::output::{Form, Loudness, Output};

static INTERRUPT: Interrupt = Interrupt::new();
/// Set while no agent is at work: then there is nobody to be asked to end.
static IS_IDLE: AtomicBool = AtomicBool::new(false);

/// Whether, and how often, somebody wants this process to end.
pub(crate) fn interrupt() -> &'static Interrupt {
    &INTERRUPT
}

/// Does something while no agent is at work.
pub(crate) fn while_idle<T>(work: impl FnOnce() -> T) -> T {
    IS_IDLE.store(true, Ordering::SeqCst);
    let done = work();
    IS_IDLE.store(false, Ordering::SeqCst);
    done
}

/// From here on signals are listened to.
pub(crate) fn listen(output: &Output) -> Result<(), Failure> {
    let refused = |error: &std::io::Error| Failure::new(Kind::Fault, format!("cannot listen to signals: {error}"));
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP]).map_err(|error| refused(&error))?;
    let is_told = output.form() == Form::Text && output.loudness() > Loudness::Quiet;
    let listen = move || {
        for _ in signals.forever() {
            INTERRUPT.ask();
            let asked = INTERRUPT.asked();
            if asked > 2 {
                tty::leave();
                std::process::exit(i32::from(Exit::Error.code()));
            }
            if is_told && !IS_IDLE.load(Ordering::SeqCst) && !live::interrupted(asked) {
                let words = match asked {
                    1 => "interrupted: the agents are asked to end; once more ends them at once",
                    _ => "interrupted again: the agents are ended at once",
                };
                let _ = writeln!(std::io::stderr(), "{words}");
            }
        }
    };
    std::thread::Builder::new().name("signals".into()).spawn(listen).map(drop).map_err(|error| refused(&error))
}
