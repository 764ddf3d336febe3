//! The question below a proposal, answered by a key or by typed words. Pure: keys in, an answer or another question
//! out; and the lines that show it.

use anstyle::{AnsiColor, Style};
use engine::Verdict;
use unicode_width::UnicodeWidthChar as _;

use super::super::ask::{Needs, Understood, understood};
use super::super::output::{HINT, PLACE};
use super::super::visible;
use super::keys::Key;

pub(super) const ASKS: Style = AnsiColor::Yellow.on_default().bold();
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
    /// What was typed is one key, which may be an answer or the beginning of words: what follows, or that nothing does,
    /// will tell.
    held: bool,
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
        Self { stage: Stage::Menu, typed: String::new(), held: false }
    }

    /// Whether it must be waited for what follows.
    pub(crate) fn is_held(&self) -> bool {
        self.held
    }

    /// Whether a single key is an answer to what is asked now, and no words are.
    pub(crate) fn is_answered_by_key(&self) -> bool {
        matches!(self.stage, Stage::No | Stage::Sure)
    }

    /// What was typed counts no more, unless it is what is asked about.
    pub(crate) fn forget_typed(&mut self) {
        if self.stage != Stage::Sure {
            self.typed.clear();
        }
    }

    /// Nothing follows: the key was an answer.
    pub(crate) fn settle(&mut self) -> Option<Pressed> {
        if !std::mem::take(&mut self.held) {
            return None;
        }
        let letter = self.typed.pop()?;
        self.choose(letter)
    }

    /// Takes a key; gives what is clear with it.
    pub(crate) fn press(&mut self, key: &Key) -> Option<Pressed> {
        let is_empty = self.typed.is_empty();
        if self.held && *key == Key::Enter {
            return self.settle();
        }
        self.held = false;
        match (self.stage, key) {
            (Stage::Menu, Key::Letter(letter @ ('y' | 'm' | 'n' | 'r' | 'l' | 'q' | 'p'))) if is_empty => {
                self.typed.push(*letter);
                self.held = true;
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
        let typed = self.typed.trim().to_lowercase();
        match understood(&self.typed) {
            _ if typed == "no" => *self = Self { stage: Stage::No, ..Self::new() },
            // In this question the letter stands for no, and nothing is asked anew by a slip.
            _ if typed.starts_with("n ") => self.stage = Stage::Sure,
            Some(Understood::Verdict(verdict)) => return Some(Pressed::Answer(verdict)),
            Some(Understood::WordsOf(needs)) => *self = Self { stage: Stage::Words(needs), ..Self::new() },
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
pub(super) fn choices(keys: &[(&str, &str)], columns: usize) -> Vec<String> {
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
pub(super) fn typed_lines(lead: &str, typed: &str, columns: usize) -> Vec<String> {
    let is_blank = |letter: char| letter.is_whitespace() && letter != '\n';
    let typed: String = typed.chars().map(|letter| if is_blank(letter) { ' ' } else { letter }).collect();
    let text = format!("{lead}{typed}");
    let mut lines = Vec::new();
    for own in text.split('\n').map(visible::text) {
        let (mut line, mut used) = (String::new(), 0);
        for letter in own.chars() {
            let width = letter.width().unwrap_or(0);
            if used + width > columns {
                lines.push(std::mem::take(&mut line));
                used = 0;
            }
            used += width;
            line.push(letter);
        }
        lines.push(line);
    }
    let skipped = lines.len().saturating_sub(MOST_LINES);
    lines.split_off(skipped)
}

#[cfg(test)]
mod tests {
    use super::super::keys::Keys;
    use super::*;

    /// What comes of keys; a bar stands for a pause, and there is one at the end.
    fn pressed(bytes: &str) -> (Option<Pressed>, Prompt) {
        let mut prompt = Prompt::new();
        for burst in bytes.split('|') {
            let found = Keys::default().of(burst.as_bytes()).iter().find_map(|key| prompt.press(key));
            let found = found.or_else(|| if prompt.is_held() { prompt.settle() } else { None });
            if found.is_some() {
                return (found, prompt);
            }
        }
        (None, prompt)
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
        check("m|only Q2\r", modify("only Q2"));
        check("m\r|only Q2\r", modify("only Q2"));
        check("modify only Q2\r", modify("only Q2"));
        check("m|두 번째\x7f\r", modify("두 번"));
        check("m|one two\x17three\r", modify("one three"));
        check("r|a new one\r", Some(Pressed::Answer(Verdict::NewRequest("a new one".into()))));
        check("MODIFY only Q2\r", modify("only Q2"));
        check("CONFIRM\r", Some(Pressed::Answer(Verdict::Confirm)));
        check("n|x", Some(Pressed::Answer(Verdict::Cancel)));
        check("yes\r", Some(Pressed::Answer(Verdict::Confirm)));
        check("y\r", Some(Pressed::Answer(Verdict::Confirm)));
        check("Only Q2\ry", modify("Only Q2"));
        // Words that begin with the letter of a key are words.
        check("year 2024 only please\ry", modify("year 2024 only please"));
        check("please only Kyoto\ry", modify("please only Kyoto"));
        check("nur Kyoto, bitte\ry", modify("nur Kyoto, bitte"));
        check("more of it\ry", modify("more of it"));
        check("\x1b[200~yes and\nmore\x1b[201~\ry", modify("yes and\nmore"));
    }

    /// MV-10: what is no answer changes nothing.
    #[test]
    fn nothing_happens_unasked() {
        for bytes in [
            "n", "no", "no\r", "x", "Foo\r", "Foo\rn", "m\r", "m|\x1b", "\r", " \r", "\x1b", "Foo\r\r", "n|z\x1b",
            "year", "n new\r",
        ] {
            assert_eq!(pressed(bytes).0, None, "{bytes:?}");
        }
        // Who went back can answer as before.
        assert_eq!(pressed("no\r|\r|y").0, Some(Pressed::Answer(Verdict::Confirm)));
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
        insta::assert_snapshot!(shown("m|only the second quarter, and 한국어로 please", 30), @"
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
