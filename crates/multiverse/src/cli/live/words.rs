//! Words that are asked for: typed, as many lines as one likes. Pure: keys in, words out; and the lines that show it.

use super::super::visible;
use super::keys::Key;
use super::prompt::{ASKS, choices, typed_lines};

/// The most that can be typed, in bytes; longer words come from a file.
const MOST_BYTES: usize = 64 * 1024;

/// What is asked, and what was typed so far.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Words {
    question: String,
    typed: String,
}

/// What came of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Typed {
    Send(String),
    /// Not now.
    Later,
}

impl Words {
    pub(crate) fn new(question: &str) -> Self {
        Self { question: question.into(), typed: String::new() }
    }

    /// Takes a key; gives what is clear with it.
    pub(crate) fn press(&mut self, key: &Key) -> Option<Typed> {
        let is_empty = self.typed.trim().is_empty();
        match key {
            Key::Enter if self.typed.ends_with('\\') => {
                self.typed.pop();
                self.typed.push('\n');
            }
            Key::Enter | Key::EndOfInput | Key::Escape if is_empty => return Some(Typed::Later),
            Key::Enter | Key::EndOfInput => return Some(Typed::Send(self.typed.trim().to_string())),
            Key::NewLine => self.typed.push('\n'),
            Key::Letter(letter) if self.typed.len() < MOST_BYTES => self.typed.push(*letter),
            Key::Pasted(text) if self.typed.len() + text.len() <= MOST_BYTES => {
                self.typed.push_str(&text.replace("\r\n", "\n").replace('\r', "\n"));
            }
            Key::Backspace => drop(self.typed.pop()),
            Key::EraseAll | Key::Escape => self.typed.clear(),
            Key::EraseWord => {
                let kept = self.typed.trim_end().rfind(char::is_whitespace).map_or(0, |at| at + 1);
                self.typed.truncate(kept);
            }
            Key::Letter(_) | Key::Pasted(_) => {}
        }
        None
    }

    /// What is shown; the cursor belongs behind the last line.
    pub(crate) fn lines(&self, columns: usize) -> Vec<String> {
        let columns = columns.saturating_sub(1).max(10);
        let mut lines: Vec<String> = visible::wrapped(&visible::text(&self.question), columns)
            .into_iter()
            .map(|line| format!("{ASKS}{line}{ASKS:#}"))
            .collect();
        let leave = if self.typed.is_empty() { "later" } else { "start over" };
        lines.extend(choices(&[("Enter", "send"), ("\\ Enter", "another line"), ("Esc", leave)], columns));
        lines.extend(typed_lines("> ", &self.typed, columns));
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::super::keys::Keys;
    use super::*;

    fn typed(bytes: &str) -> (Option<Typed>, Words) {
        let mut words = Words::new("What year is meant?");
        for key in Keys::default().of(bytes.as_bytes()) {
            if let Some(typed) = words.press(&key) {
                return (Some(typed), words);
            }
        }
        (None, words)
    }

    #[test]
    fn words_are_sent_when_they_are_whole() {
        let check = |bytes: &str, expected: &str| {
            assert_eq!(typed(bytes).0, Some(Typed::Send(expected.into())), "{bytes:?}");
        };
        check("2024\r", "2024");
        check("  2024 \r", "2024");
        check("one\\\rtwo\r", "one\ntwo");
        check("one\x1b\rtwo\r", "one\ntwo");
        check("\x1b[200~one\r\ntwo\n\x1b[201~\r", "one\ntwo");
        check("nein\x15두 번째\x7f\r", "두 번");
        check("one two\x17three\x04", "one three");
        for bytes in ["\r", " \r", "\x1b", "\x04", "x\x1b\x1b"] {
            assert_eq!(typed(bytes).0, Some(Typed::Later), "{bytes:?}");
        }
        assert_eq!(typed("not yet").0, None);
    }

    #[test]
    fn what_is_typed_is_shown_in_its_lines() {
        let shown = |bytes: &str, columns: usize| {
            anstream::adapter::strip_str(&typed(bytes).1.lines(columns).join("\n")).to_string()
        };
        insta::assert_snapshot!(shown("", 80), @"
        What year is meant?
        Enter send   \\ Enter another line   Esc later
        >
        ");
        insta::assert_snapshot!(shown("the first\\\rand 두 번째", 40), @"
        What year is meant?
        Enter send   \\ Enter another line
        Esc start over
        > the first
        and 두 번째
        ");
    }
}
