//! The proposal at a terminal: shown and asked for, until it is answered here, elsewhere, or left for later.
//! What an answer does is the engine's business.

use std::io::{BufRead as _, IsTerminal as _, Write as _};
use std::path::Path;

use engine::{Service, Verdict};
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::carry::waits_for_confirmation;
use super::failure::Failure;
use super::live::keys::Keys;
use super::live::prompt::{Pressed, Prompt};
use super::live::{self, Live};
use super::output::{HINT, Output};
use super::signals;

/// How often it is looked whether somebody else has answered.
const LOOK: Timespec = Timespec { tv_sec: 0, tv_nsec: 300_000_000 };

/// How long a key waits for what may follow it.
const HELD: Timespec = Timespec { tv_sec: 0, tv_nsec: 700_000_000 };

/// The words that answer a proposal.
pub(crate) const VALID: &str = "CONFIRM, MODIFY with what to change, CANCEL, NEW_REQUEST with the request";

/// What came of asking.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Asked {
    /// This.
    Answer(Verdict),
    /// Somebody else answered meanwhile.
    Elsewhere,
    /// Not now.
    Later,
}

/// Whether somebody is there to be asked.
pub(crate) fn is_possible() -> bool {
    std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
}

/// Asks in the view that is shown, until there is an answer.
pub(crate) fn in_view(service: &mut Service, run: &str, live: &Live, text: &str) -> Result<Asked, Failure> {
    let (mut prompt, mut keys) = (Prompt::new(), Keys::default());
    live.ask(Some(prompt.clone()));
    let asked = signals::while_idle(|| {
        loop {
            let bytes = match wait_for_bytes(service, run)? {
                Bytes::Some(bytes) => bytes,
                Bytes::Elsewhere => return Ok(Asked::Elsewhere),
                Bytes::Nothing => return Ok(Asked::Later),
            };
            let mut pressed: Vec<Pressed> = keys.of(&bytes).iter().filter_map(|key| prompt.press(key)).collect();
            live.ask(Some(prompt.clone()));
            if prompt.is_held() && nothing_follows() {
                pressed.extend(prompt.settle());
                live.ask(Some(prompt.clone()));
            }
            for one in pressed {
                match one {
                    Pressed::Answer(verdict) => return Ok(Asked::Answer(verdict)),
                    Pressed::Later => return Ok(Asked::Later),
                    Pressed::Show => drop(live::say(text)),
                }
            }
        }
    });
    live.ask(None);
    if matches!(asked, Ok(Asked::Answer(Verdict::Confirm))) {
        swallow_rest_of_yes();
    }
    asked
}

/// Asks until there is an answer.
pub(crate) fn proposal(service: &mut Service, run: &str, output: &mut Output) -> Result<Asked, Failure> {
    loop {
        prompt(output, "[y]es, [m]odify, [x] cancel, [n]ew request (Ctrl-D: later)? ")?;
        let line = match heard(service, run)? {
            Heard::Line(line) => line,
            Heard::Elsewhere => return Ok(Asked::Elsewhere),
            Heard::Nothing => return Ok(Asked::Later),
        };
        let verdict = match understood(&line) {
            Some(Understood::Verdict(verdict)) => verdict,
            Some(Understood::WordsOf(needs)) => {
                prompt(output, needs.question())?;
                match heard(service, run)? {
                    Heard::Line(words) if words.trim().is_empty() => continue,
                    Heard::Line(words) => needs.verdict(words.trim()),
                    Heard::Elsewhere => return Ok(Asked::Elsewhere),
                    Heard::Nothing => return Ok(Asked::Later),
                }
            }
            None => {
                output.warn(&format!("{HINT}valid answers{HINT:#}: y, m, x, n; or {VALID}"))?;
                continue;
            }
        };
        return Ok(Asked::Answer(verdict));
    }
}

/// An answer in words, as it may come from a terminal or a command line.
pub(crate) fn verdict(text: &str) -> Option<Verdict> {
    match understood(text)? {
        Understood::Verdict(verdict) => Some(verdict),
        Understood::WordsOf(_) => None,
    }
}

pub(crate) enum Understood {
    Verdict(Verdict),
    /// The answer is clear; its words are still to come.
    WordsOf(Needs),
}

/// An answer that needs words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Needs {
    Modify,
    NewRequest,
}

impl Needs {
    /// Who types the whole word has the rest of it behind the key: that is not meant.
    pub(crate) fn without_rest_of_its_word(self, words: &str) -> &str {
        let rest = match self {
            Self::Modify => "odify ",
            Self::NewRequest => "equest ",
        };
        words.strip_prefix(rest).unwrap_or(words).trim_start()
    }

    pub(crate) fn question(self) -> &'static str {
        match self {
            Self::Modify => "what shall be otherwise? ",
            Self::NewRequest => "the new request: ",
        }
    }

    pub(crate) fn verdict(self, words: &str) -> Verdict {
        match self {
            Self::Modify => Verdict::Modify(words.into()),
            Self::NewRequest => Verdict::NewRequest(words.into()),
        }
    }
}

/// What an answer means, as far as it is clear.
pub(crate) fn understood(text: &str) -> Option<Understood> {
    let text = text.trim();
    let (first, words) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let words = words.trim();
    let with_words = |needs: Needs| match words {
        "" => Understood::WordsOf(needs),
        words => Understood::Verdict(needs.verdict(words)),
    };
    let first = first.trim_end_matches([':', ',']).to_lowercase();
    Some(match (first.as_str(), words) {
        ("y" | "yes" | "c" | "confirm", "") => Understood::Verdict(Verdict::Confirm),
        ("x" | "cancel", "") => Understood::Verdict(Verdict::Cancel),
        ("m" | "modify", _) => with_words(Needs::Modify),
        ("n" | "new_request" | "new-request", _) => with_words(Needs::NewRequest),
        _ => return None,
    })
}

enum Heard {
    Line(String),
    Elsewhere,
    Nothing,
}

/// A line from the terminal, unless somebody else answers meanwhile.
fn heard(service: &mut Service, run: &str) -> Result<Heard, Failure> {
    let heard = signals::while_idle(|| wait_for_line(service, run))?;
    if !matches!(heard, Heard::Line(_)) {
        // What is said next begins a line of its own.
        let _ = writeln!(std::io::stderr());
    }
    Ok(heard)
}

fn wait_for_line(service: &mut Service, run: &str) -> Result<Heard, Failure> {
    Ok(match wait_for_input(service, run)? {
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

enum Bytes {
    Some(Vec<u8>),
    Elsewhere,
    Nothing,
}

fn wait_for_bytes(service: &mut Service, run: &str) -> Result<Bytes, Failure> {
    match wait_for_input(service, run)? {
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

/// Whether no further key comes for a moment: then a letter was an answer, and not the beginning of words.
fn nothing_follows() -> bool {
    let stdin = std::io::stdin();
    let mut waited = [PollFd::new(&stdin, PollFlags::IN)];
    matches!(poll(&mut waited, Some(&HELD)), Ok(0))
}

/// Who types `yes` has answered with its first letter; the others are not meant for anybody.
fn swallow_rest_of_yes() {
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

enum Input {
    Ready,
    Elsewhere,
    Nothing,
}

/// Waits until there is something to read, somebody else answered, or nobody wants an answer any more.
fn wait_for_input(service: &mut Service, run: &str) -> Result<Input, Failure> {
    let stdin = std::io::stdin();
    while signals::interrupt().asked() == 0 {
        let mut waited = [PollFd::new(&stdin, PollFlags::IN)];
        match poll(&mut waited, Some(&LOOK)) {
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(unreadable(&error.into())),
            Ok(0) => {
                service.refresh()?;
                if !service.view(run).is_some_and(|view| waits_for_confirmation(&view)) {
                    return Ok(Input::Elsewhere);
                }
            }
            Ok(_) => return Ok(Input::Ready),
        }
    }
    Ok(Input::Nothing)
}

fn unreadable(error: &std::io::Error) -> Failure {
    Failure::reading(Path::new("stdin"), error)
}

fn prompt(output: &mut Output, text: &str) -> Result<(), Failure> {
    output.finish()?;
    let mut stderr = std::io::stderr();
    let _ = stderr.write_all(text.as_bytes()).and_then(|()| stderr.flush());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// MV-10
    #[test]
    fn answers_are_words_or_letters() {
        let check = |text: &str, expected: Option<Verdict>| assert_eq!(verdict(text), expected, "{text}");
        check("CONFIRM", Some(Verdict::Confirm));
        check(" c\n", Some(Verdict::Confirm));
        check("Cancel", Some(Verdict::Cancel));
        check("MODIFY: in Korean | please", Some(Verdict::Modify("in Korean | please".into())));
        check("NEW_REQUEST\nMake\na list", Some(Verdict::NewRequest("Make\na list".into())));
        check("new-request Make a list", Some(Verdict::NewRequest("Make a list".into())));
        check("MODIFY", None);
        check("confirm everything", None);
        check("yes", Some(Verdict::Confirm));
        check("ja", None);
        check("", None);
    }
}
