//! Asking at a terminal: shall it be so, what an agent wants to know, and work that is left to a person. In the view, or
//! line by line where there is none. While nobody answers, it is looked whether somebody answers elsewhere.

mod input;

use std::io::{IsTerminal as _, Write as _};

use engine::{Service, Verdict};

use super::carry::waits_for_confirmation;
use super::failure::Failure;
use super::live::keys::{Key, Keys};
use super::live::prompt::{Pressed, Prompt};
use super::live::words::{Typed, Words};
use super::live::{self, Asking, Live};
use super::output::Output;
use super::signals;
use input::{Bytes, Heard, Wanted};

/// The words that answer a proposal.
pub(crate) const VALID: &str = "CONFIRM, MODIFY with what to change, CANCEL, NEW_REQUEST with the request";

/// What came of asking.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Asked<T> {
    /// This.
    Answer(T),
    /// Somebody else answered meanwhile.
    Elsewhere,
    /// Not now.
    Later,
}

/// Whether somebody is there to be asked.
pub(crate) fn is_possible() -> bool {
    std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
}

/// Asks for a yes; all else is a no.
pub(crate) fn yes(question: &str, output: &mut Output) -> Result<bool, Failure> {
    input::forget_typed_before();
    show_lines(&[question.into()], output)?;
    match input::line(&mut || Ok(true))? {
        Heard::Line(line) => Ok(matches!(line.trim().to_lowercase().as_str(), "y" | "yes")),
        Heard::Elsewhere | Heard::Nothing => Ok(false),
    }
}

/// Asks for an answer to a proposal, in the view that is shown or line by line.
pub(crate) fn proposal(
    service: &mut Service,
    run: &str,
    live: Option<&Live>,
    text: &str,
    output: &mut Output,
) -> Result<Asked<Verdict>, Failure> {
    let wanted = &mut || {
        service.refresh()?;
        Ok(service.view(run).is_some_and(|view| waits_for_confirmation(&view)))
    };
    match live {
        Some(live) => {
            let asked = proposal_in_view(wanted, live, text);
            live.ask(None);
            if matches!(asked, Ok(Asked::Answer(Verdict::Confirm))) {
                input::swallow_rest_of_yes();
            }
            asked
        }
        None => proposal_by_line(wanted, text, output),
    }
}

fn proposal_in_view(wanted: Wanted<'_>, live: &Live, text: &str) -> Result<Asked<Verdict>, Failure> {
    let (mut prompt, mut keys) = (Prompt::new(), Keys::default());
    let shown = |prompt: &Prompt| live.ask(Some(Asking::Proposal(prompt.clone())));
    input::forget_typed_before();
    shown(&prompt);
    signals::while_idle(|| {
        loop {
            let bytes = match input::bytes(wanted)? {
                Bytes::Some(bytes) => bytes,
                Bytes::Elsewhere => return Ok(Asked::Elsewhere),
                Bytes::Nothing => return Ok(Asked::Later),
            };
            let mut pressed: Vec<Pressed> = keys.of(&bytes).iter().filter_map(|key| prompt.press(key)).collect();
            shown(&prompt);
            if prompt.is_held() && input::nothing_follows() {
                pressed.extend(prompt.settle());
                shown(&prompt);
            }
            for one in pressed {
                match one {
                    Pressed::Answer(verdict) => return Ok(Asked::Answer(verdict)),
                    Pressed::Later => return Ok(Asked::Later),
                    Pressed::Show => drop(live::say(text)),
                }
            }
        }
    })
}

/// The same question with the same keys, each with Enter behind it.
fn proposal_by_line(wanted: Wanted<'_>, text: &str, output: &mut Output) -> Result<Asked<Verdict>, Failure> {
    let mut prompt = Prompt::new();
    loop {
        let mut lines = prompt.lines(output.talk_columns().unwrap_or(input::USUAL_COLUMNS));
        let is_by_key = prompt.is_answered_by_key();
        lines.extend(is_by_key.then(|| "> ".to_string()));
        show_lines(&lines, output)?;
        let line = match input::line(wanted)? {
            Heard::Line(line) => line,
            Heard::Elsewhere => return Ok(Asked::Elsewhere),
            Heard::Nothing => return Ok(Asked::Later),
        };
        let letters = line.trim_end_matches(['\r', '\n']).chars().map(Key::Letter);
        // Where a key alone is an answer, Enter only ends its line.
        let most = if is_by_key { 1 } else { usize::MAX };
        for key in letters.chain([Key::Enter]).take(most).collect::<Vec<_>>() {
            match prompt.press(&key) {
                None => {}
                Some(Pressed::Answer(verdict)) => return Ok(Asked::Answer(verdict)),
                Some(Pressed::Later) => return Ok(Asked::Later),
                Some(Pressed::Show) => output.warn(text)?,
            }
        }
        if is_by_key {
            // Whoever types on begins a new line.
            prompt.forget_typed();
        }
    }
}

/// Whether a question was shown before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SoFar {
    New,
    Shown,
}

/// Asks for words, as many lines as one likes. `is_open` says whether they are still wanted.
pub(crate) fn words(
    service: &mut Service,
    live: Option<&Live>,
    words: &mut Words,
    so_far: SoFar,
    mut is_open: impl FnMut(&mut Service) -> Result<bool, Failure>,
    output: &mut Output,
) -> Result<Asked<String>, Failure> {
    if so_far == SoFar::New {
        begin_words(live, words, output)?;
    }
    let wanted: Wanted<'_> = &mut || {
        service.refresh()?;
        is_open(service)
    };
    match live {
        Some(live) => {
            let asked = words_in_view(wanted, live, words);
            live.ask(None);
            asked
        }
        None => words_by_line(wanted, words, output),
    }
}

/// Shows that words are asked for; what was typed before answers nothing.
pub(crate) fn begin_words(live: Option<&Live>, words: &mut Words, output: &mut Output) -> Result<(), Failure> {
    match live {
        Some(live) => {
            input::forget_typed_before();
            live.ask(Some(Asking::Words(words.clone())));
            Ok(())
        }
        None => show_lines(&words.lines(output.talk_columns().unwrap_or(input::USUAL_COLUMNS)), output),
    }
}

/// Takes what was typed meanwhile, and waits for nothing.
pub(crate) fn words_so_far(
    live: Option<&Live>,
    words: &mut Words,
    keys: &mut Keys,
    output: &mut Output,
) -> Result<Option<Asked<String>>, Failure> {
    if !input::is_ready() {
        return Ok(None);
    }
    let pressed = match live {
        Some(live) => {
            let pressed = match input::bytes(&mut || Ok(true))? {
                Bytes::Some(bytes) => keys.of(&bytes).iter().find_map(|key| words.press(key)),
                Bytes::Elsewhere | Bytes::Nothing => Some(Typed::Later),
            };
            live.ask(Some(Asking::Words(words.clone())));
            pressed
        }
        None => match input::line(&mut || Ok(true))? {
            Heard::Line(line) => {
                let pressed = press_line(words, &line);
                if pressed.is_none() {
                    show_lines(&["> ".into()], output)?;
                }
                pressed
            }
            Heard::Elsewhere | Heard::Nothing => Some(Typed::Later),
        },
    };
    Ok(pressed.map(|typed| match typed {
        Typed::Send(text) => Asked::Answer(text),
        Typed::Later => Asked::Later,
    }))
}

fn words_in_view(wanted: Wanted<'_>, live: &Live, words: &mut Words) -> Result<Asked<String>, Failure> {
    let mut keys = Keys::default();
    signals::while_idle(|| {
        loop {
            live.ask(Some(Asking::Words(words.clone())));
            let bytes = match input::bytes(wanted)? {
                Bytes::Some(bytes) => bytes,
                Bytes::Elsewhere => return Ok(Asked::Elsewhere),
                Bytes::Nothing => return Ok(Asked::Later),
            };
            for key in keys.of(&bytes) {
                match words.press(&key) {
                    None => {}
                    Some(Typed::Send(text)) => return Ok(Asked::Answer(text)),
                    Some(Typed::Later) => return Ok(Asked::Later),
                }
            }
        }
    })
}

fn words_by_line(wanted: Wanted<'_>, words: &mut Words, output: &mut Output) -> Result<Asked<String>, Failure> {
    loop {
        let line = match input::line(wanted)? {
            Heard::Line(line) => line,
            Heard::Elsewhere => return Ok(Asked::Elsewhere),
            Heard::Nothing => return Ok(Asked::Later),
        };
        match press_line(words, &line) {
            None => {}
            Some(Typed::Send(text)) => return Ok(Asked::Answer(text)),
            Some(Typed::Later) => return Ok(Asked::Later),
        }
        show_lines(&["> ".into()], output)?;
    }
}

/// A line is its letters, and Enter.
fn press_line(words: &mut Words, line: &str) -> Option<Typed> {
    let letters = line.trim_end_matches(['\r', '\n']).chars().map(Key::Letter);
    letters.chain([Key::Enter]).find_map(|key| words.press(&key))
}

/// Shows lines, and leaves the cursor behind the last.
fn show_lines(lines: &[String], output: &mut Output) -> Result<(), Failure> {
    output.finish()?;
    let text = lines.join("\n");
    let text = match output.talk_color() {
        anstream::ColorChoice::Never => anstream::adapter::strip_str(&text).to_string(),
        _ => text,
    };
    let mut stderr = std::io::stderr();
    let _ = stderr.write_all(text.as_bytes()).and_then(|()| stderr.flush());
    Ok(())
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
