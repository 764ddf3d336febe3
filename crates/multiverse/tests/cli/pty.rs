//! A real pseudo-terminal with the program on it: what is typed, what the screen shows, how the terminal is left. Waits
//! for what is on the screen, never for time to pass.

use std::fs::File;
use std::io::Read as _;
use std::os::fd::OwnedFd;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, Winsize, tcgetattr, tcsetwinsize};

use crate::place::Place;
use crate::screen::Screen;

/// However busy the machine is, after so long nothing more will come.
const PATIENCE: Duration = Duration::from_secs(120);

/// A terminal, the program on it, and what it shows.
pub(crate) struct Terminal {
    keyboard: OwnedFd,
    child: Child,
    shown: Arc<(Mutex<Shown>, Condvar)>,
}

struct Shown {
    screen: Screen,
    is_over: bool,
}

impl Terminal {
    /// The program with arguments, on a terminal of its own.
    pub(crate) fn with(place: &Place, arguments: &[&str], columns: u16, lines: u16) -> Self {
        Self::of(&place.command(arguments), "xterm-256color", columns, lines)
    }

    /// A command on a terminal of its own, which is its controlling one.
    pub(crate) fn of(command: &Command, kind: &str, columns: u16, lines: u16) -> Self {
        let keyboard = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&keyboard).unwrap();
        unlockpt(&keyboard).unwrap();
        let name = ptsname(&keyboard, Vec::new()).unwrap().into_string().unwrap();
        tcsetwinsize(&keyboard, size(columns, lines)).unwrap();
        let end = || File::options().read(true).write(true).open(&name).unwrap();
        // A session of its own, with this terminal.
        let mut session = Command::new("setsid");
        session.arg("--ctty").arg(command.get_program()).args(command.get_args()).env_clear();
        session.current_dir(command.get_current_dir().unwrap());
        session.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
        session.env("PATH", "/usr/bin:/bin").env("TERM", kind).env("LC_ALL", "C.UTF-8");
        session.stdin(end()).stdout(Stdio::from(end())).stderr(end());
        let child = session.spawn().unwrap();
        let screen = Screen::new(columns.into(), lines.into());
        let shown = Arc::new((Mutex::new(Shown { screen, is_over: false }), Condvar::new()));
        let (mut read, told) = (File::from(keyboard.try_clone().unwrap()), shown.clone());
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            loop {
                let count = read.read(&mut bytes).unwrap_or(0);
                let mut shown = told.0.lock().unwrap();
                shown.is_over = count == 0;
                shown.screen.show(&bytes[..count]);
                told.1.notify_all();
                if count == 0 {
                    return;
                }
            }
        });
        Self { keyboard, child, shown }
    }

    /// Types something.
    pub(crate) fn types(&self, text: &str) -> &Self {
        rustix::io::write(&self.keyboard, text.as_bytes()).unwrap();
        self
    }

    /// Makes the terminal larger or smaller.
    pub(crate) fn resize(&self, columns: u16, lines: u16) -> &Self {
        self.shown.0.lock().unwrap().screen.resize(columns.into(), lines.into());
        tcsetwinsize(&self.keyboard, size(columns, lines)).unwrap();
        self
    }

    /// Waits until the screen, or what scrolled off it, is as wanted; gives it.
    pub(crate) fn until(&self, what: &str, is_wanted: impl Fn(&Screen) -> bool) -> String {
        let (shown, told) = &*self.shown;
        let is_open = |shown: &mut Shown| !is_wanted(&shown.screen) && !shown.is_over;
        let (shown, waited) = told.wait_timeout_while(shown.lock().unwrap(), PATIENCE, is_open).unwrap();
        let text = shown.screen.text();
        assert!(!waited.timed_out() && is_wanted(&shown.screen), "no {what} on the screen:\n{text}");
        text
    }

    /// Waits until these words are to be seen.
    pub(crate) fn until_shown(&self, words: &str) -> String {
        self.until(words, |screen| screen.text().contains(words))
    }

    /// The process itself.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Sends the process a signal.
    pub(crate) fn signal(&self, name: &str) -> &Self {
        assert!(Command::new("kill").args([name, &self.id().to_string()]).status().unwrap().success());
        self
    }

    /// Whether what is typed is echoed, and comes line by line: what a shell expects.
    pub(crate) fn is_ordinary(&self) -> bool {
        let modes = tcgetattr(&self.keyboard).unwrap().local_modes;
        modes.contains(LocalModes::ECHO | LocalModes::ICANON)
    }

    /// Waits until the program has ended: its exit code, or the signal that ended it, and the last screen.
    pub(crate) fn end(mut self) -> (i32, Screen) {
        let status = self.child.wait().unwrap();
        // What it wrote before its end has arrived when the other end of the terminal is closed.
        let (shown, told) = &*self.shown;
        let (shown, waited) = told.wait_timeout_while(shown.lock().unwrap(), PATIENCE, |shown| !shown.is_over).unwrap();
        assert!(!waited.timed_out(), "somebody still has the terminal:\n{}", shown.screen.text());
        let code = status.code().or_else(|| status.signal().map(|signal| -signal)).unwrap();
        (code, shown.screen.clone())
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // A test that failed leaves nobody behind.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn size(columns: u16, lines: u16) -> Winsize {
    Winsize { ws_row: lines, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 }
}
