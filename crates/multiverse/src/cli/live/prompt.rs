//! The question below a proposal, answered by a key or by typed words. Pure: keys in, an answer or another question
//! out; and the lines that show it.

use anstyle::{AnsiColor, Style};
use engine::Verdict;
use unicode_width::UnicodeWidthChar as _;

use super::super::ask::{Needs, Understood, understood};
use super::super::output::{HINT, PLACE};
use super::super::visible;
use super::keys::Key;

const ASKS: Style = AnsiColor::Yellow.on_default().bold();
/// The most that can be typed, in bytes; longer words come from a file.
const MOST_BYTES: usize = 64 * 1024;
/// Of what is being typed so many lines are shown.
const MOST_LINES: usize = 6;

/// What is being asked just now, and what was typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// Shall it be so?
    Menu,
    /// It shall not: what then?
    No,
    /// The words of an answer.
    Words(Needs),
    /// Whether what was typed is a change of the proposal.
    Sure,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Prompt {
    stage: Stage,
    typed: String,
}

/// What came of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Pressed {
    Answer(Verdict),
    /// Not now.
    Later,
    /// The proposal shall be shown once more.
    Show,
}

impl Prompt {
    pub(crate) fn new() -> Self {
        Self { stage: Stage::Menu, typed: String::new() }
    }

    /// Takes a key; gives what is clear with it.
    pub(crate) fn press(&mut self, key: &Key) -> Option<Pressed> {
        let is_empty = self.typed.is_empty();
        match (self.stage, key) {
            (Stage::Menu, Key::Letter(letter @ ('y' | 'm' | 'n' | 'r' | 'l' | 'q' | 'p'))) if is_empty => {
                return self.choose(*letter);
            }
            (Stage::Menu, Key::EndOfInput) if is_empty => return Some(Pressed::Later),
            (Stage::Menu, Key::Enter) => return self.understand(),
            (Stage::No, Key::Letter('x')) => return Some(Pressed::Answer(Verdict::Cancel)),
            (Stage::No, Key::Letter(letter @ ('m' | 'r' | 'l'))) => return self.choose(*letter),
            (Stage::No, Key::Enter | Key::Escape | Key::Letter('b')) => self.stage = Stage::Menu,
            (Stage::No, _) => {}
            (Stage::Words(needs), Key::Enter) if !self.typed.trim().is_empty() => {
                let words = needs.without_rest_of_its_word(self.typed.trim());
                return Some(Pressed::Answer(needs.verdict(words)));
            }
            (Stage::Words(_), Key::Enter | Key::Escape | Key::EndOfInput) => *self = Self::new(),
            (Stage::Sure, Key::Letter('y')) => {
                return Some(Pressed::Answer(Verdict::Modify(self.typed.trim().to_string())));
            }
            (Stage::Sure, Key::Letter('n') | Key::Escape) => self.stage = Stage::Menu,
            (Stage::Sure, _) => {}
            (_, key) => self.edit(key),
        }
        None
    }

    fn choose(&mut self, letter: char) -> Option<Pressed> {
        match letter {
            'y' => return Some(Pressed::Answer(Verdict::Confirm)),
            'l' | 'q' => return Some(Pressed::Later),
            'p' => return Some(Pressed::Show),
            'm' => self.stage = Stage::Words(Needs::Modify),
            'r' => self.stage = Stage::Words(Needs::NewRequest),
            _ => self.stage = Stage::No,
        }
        None
    }

    /// What was typed may be an answer in the protocol's words. Anything else changes nothing unasked (MV-10).
    fn understand(&mut self) -> Option<Pressed> {
        match understood(&self.typed) {
            Some(Understood::Verdict(verdict)) => return Some(Pressed::Answer(verdict)),
            Some(Understood::WordsOf(needs)) => *self = Self { stage: Stage::Words(needs), typed: String::new() },
            None if self.typed.trim().is_empty() => self.typed.clear(),
            None => self.stage = Stage::Sure,
        }
        None
    }

    fn edit(&mut self, key: &Key) {
        match key {
            Key::Letter(letter) if self.typed.len() < MOST_BYTES => self.typed.push(*letter),
            Key::Pasted(text) if self.typed.len() + text.len() <= MOST_BYTES => self.typed.push_str(text.trim_end()),
            Key::Backspace => drop(self.typed.pop()),
            Key::EraseAll | Key::Escape => self.typed.clear(),
            Key::EraseWord => {
                let kept = self.typed.trim_end().rfind(char::is_whitespace).map_or(0, |at| at + 1);
                self.typed.truncate(kept);
            }
            _ => {}
        }
    }

    /// What is shown; the cursor belongs behind the last line.
    pub(crate) fn lines(&self, columns: usize) -> Vec<String> {
        let columns = columns.saturating_sub(1).max(10);
        let mut lines = Vec::new();
        let mut asked = |question: &str, keys: &[(&str, &str)]| {
            lines.push(format!("{ASKS}{}{ASKS:#}", visible::short(question, columns)));
            lines.extend(choices(keys, columns));
        };
        let lead = match self.stage {
            Stage::Menu => {
                asked(
                    "Shall it be so?",
                    &[
                        ("y", "yes, go on"),
                        ("m", "change it"),
                        ("n", "no"),
                        ("r", "another request"),
                        ("l", "later"),
                        ("p", "show again"),
                    ],
                );
                "or type what shall be otherwise: "
            }
            Stage::No => {
                asked(
                    "No. What then?",
                    &[
                        ("m", "change it"),
                        ("r", "another request"),
                        ("x", "end the run for good"),
                        ("l", "leave it for later"),
                        ("b", "back"),
                    ],
                );
                "> "
            }
            Stage::Words(needs) => {
                asked(needs.question().trim_end(), &[("Enter", "send"), ("Esc", "back")]);
                "> "
            }
            Stage::Sure => {
                asked("Have the proposal changed like this?", &[("y", "yes"), ("n", "no, type on")]);
                "> "
            }
        };
        // A question that is answered by a key has nothing to type.
        let typed = typed_lines(lead, &self.typed, columns);
        if self.stage != Stage::No {
            lines.extend(typed);
        }
        lines
    }
}

/// Keys and what they do, as many in a line as fit.
fn choices(keys: &[(&str, &str)], columns: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut used = 0;
    for (key, words) in keys {
        let width = key.len() + words.len() + 1;
        if used > 0 && used + 3 + width > columns {
            lines.push(String::new());
            used = 0;
        }
        let gap = if used == 0 { "" } else { "   " };
        used += gap.len() + width;
        if let Some(line) = lines.last_mut() {
            line.push_str(&format!("{gap}{PLACE}{HINT}{key}{HINT:#}{PLACE:#} {words}"));
        }
    }
    lines
}

/// What is being typed, broken where the terminal ends; of much the end is shown.
fn typed_lines(lead: &str, typed: &str, columns: usize) -> Vec<String> {
    let shown: String = typed.chars().map(|letter| if letter.is_whitespace() { ' ' } else { letter }).collect();
    let text = format!("{lead}{}", visible::text(&shown));
    let mut lines = vec![String::new()];
    let mut used = 0;
    for letter in text.chars() {
        let width = letter.width().unwrap_or(0);
        if used + width > columns {
            lines.push(String::new());
            used = 0;
        }
        used += width;
        if let Some(line) = lines.last_mut() {
            line.push(letter);
        }
    }
    let skipped = lines.len().saturating_sub(MOST_LINES);
    lines.split_off(skipped)
}

#[cfg(test)]
mod tests {
    use super::super::keys::Keys;
    use super::*;

    fn pressed(bytes: &str) -> (Option<Pressed>, Prompt) {
        let mut prompt = Prompt::new();
        let found = Keys::default().of(bytes.as_bytes()).iter().find_map(|key| prompt.press(key));
        (found, prompt)
    }

    /// MV-10
    #[test]
    fn a_proposal_is_answered_by_a_key_or_by_words() {
        let check = |bytes: &str, expected: Option<Pressed>| assert_eq!(pressed(bytes).0, expected, "{bytes:?}");
        let modify = |words: &str| Some(Pressed::Answer(Verdict::Modify(words.into())));
        check("y", Some(Pressed::Answer(Verdict::Confirm)));
        check("l", Some(Pressed::Later));
        check("\x04", Some(Pressed::Later));
        check("p", Some(Pressed::Show));
        check("monly Q2\r", modify("only Q2"));
        check("modify only Q2\r", modify("only Q2"));
        check("m두 번째\x7f\r", modify("두 번"));
        check("mone two\x17three\r", modify("one three"));
        check("ra new one\r", Some(Pressed::Answer(Verdict::NewRequest("a new one".into()))));
        check("MODIFY only Q2\r", modify("only Q2"));
        check("CONFIRM\r", Some(Pressed::Answer(Verdict::Confirm)));
        check("nx", Some(Pressed::Answer(Verdict::Cancel)));
        check("Only Q2\ry", modify("Only Q2"));
        check("\x1b[200~yes and\nmore\x1b[201~\ry", modify("yes and\nmore"));
    }

    /// MV-10: what is no answer changes nothing.
    #[test]
    fn nothing_happens_unasked() {
        for bytes in
            ["n", "no", "no\r", "x", "Foo\r", "Foo\rn", "m\r", "m\x1b", "\r", " \r", "\x1b", "Foo\r\r", "nz\x1b"]
        {
            assert_eq!(pressed(bytes).0, None, "{bytes:?}");
        }
        // Who went back can answer as before.
        let (_, mut prompt) = pressed("no\r");
        assert_eq!(prompt.press(&Key::Letter('y')), Some(Pressed::Answer(Verdict::Confirm)));
    }

    #[test]
    fn the_question_fits_the_terminal() {
        let shown = |bytes: &str, columns: usize| {
            let lines = pressed(bytes).1.lines(columns);
            anstream::adapter::strip_str(&lines.join("\n")).to_string()
        };
        insta::assert_snapshot!(shown("", 80), @"
        Shall it be so?
        y yes, go on   m change it   n no   r another request   l later   p show again
        or type what shall be otherwise:
        ");
        insta::assert_snapshot!(shown("", 40), @"
        Shall it be so?
        y yes, go on   m change it   n no
        r another request   l later
        p show again
        or type what shall be otherwise:
        ");
        insta::assert_snapshot!(shown("n", 80), @"
        No. What then?
        m change it   r another request   x end the run for good   l leave it for later
        b back
        ");
        insta::assert_snapshot!(shown("monly the second quarter, and 한국어로 please", 30), @"
        what shall be otherwise?
        Enter send   Esc back
        > only the second quarter, an
        d 한국어로 please
        ");
        insta::assert_snapshot!(shown("Only Q2\r", 60), @"
        Have the proposal changed like this?
        y yes   n no, type on
        > Only Q2
        ");
    }
}
