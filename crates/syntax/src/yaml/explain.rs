//! Owns how a mistake in YAML is told to a person: where it is, and what to write instead. The reader underneath says
//! where it could not go on, which is often behind the mistake. Must not know values.

use std::ops::Range;

use crate::limits::MAX_DEPTH;
use crate::problem::{Code, Findings};

/// Characters that a key may have at most, the colon not counted.
const LONGEST_KEY: usize = 1024;

/// Reports that the reader could not go on at this byte, with its own words for it.
pub(super) fn report(source: &str, at: usize, words: &str, findings: &mut Findings) {
    let told = Place::new(source, at).explain(words);
    findings.add(told.code, told.span, told.message, told.hint);
}

struct Told {
    code: Code,
    span: Range<usize>,
    message: String,
    hint: String,
}

/// The place of a mistake.
struct Place<'a> {
    source: &'a str,
    at: usize,
    /// Where the line begins.
    line: usize,
    /// The line up to the mistake.
    before: &'a str,
}

impl<'a> Place<'a> {
    fn new(source: &'a str, at: usize) -> Self {
        let at = (0..=at.min(source.len())).rev().find(|at| source.is_char_boundary(*at)).unwrap_or(0);
        let line = source[..at].rfind('\n').map_or(0, |feed| feed + 1);
        Place { source, at, line, before: &source[line..at] }
    }

    fn explain(&self, words: &str) -> Told {
        if let Some(tab) = self.tab(words) {
            return told(tab..tab + 1, words, "indent with blanks: YAML does not allow tabs");
        }
        match words {
            _ if words.contains("recursion limit") => Told {
                code: Code::TooLarge,
                span: self.here(),
                message: format!("nested deeper than {MAX_DEPTH} levels, the rest is not read"),
                hint: "nest less, or split the document".to_owned(),
            },
            _ if words.contains("escape") || words.contains("hexadecimal") => self.escape(words),
            _ if words.contains("surrogate") => {
                told(self.here(), words, "write the character itself, or both halves of it (`\\ud83d\\ude80`)")
            }
            _ if words.contains("after single-quoted") => {
                let hint = "double a `'` that belongs to the text (`''`): behind the closing one nothing may follow";
                told(self.here(), words, hint)
            }
            _ if words.contains("after double-quoted") => {
                let hint = "write a `\"` that belongs to the text as `\\\"`: behind the closing one nothing may follow";
                told(self.here(), words, hint)
            }
            _ if words.contains("quoted") => {
                told(self.here(), words, "close the quote that was opened above, or indent the lines within it")
            }
            _ if words.contains("mapping values are not allowed") => self.colon(words),
            _ if words.contains("did not find expected key") => self.key(words),
            _ if words.contains("block sequence entries are not allowed") => {
                let hint = "put the list below its key, one `- item` to a line, or the value between quotes";
                told(self.here(), words, hint)
            }
            _ if words.contains("simple key expected") => {
                told(self.here(), words, "write `key: value`, or indent the line if it continues the value above")
            }
            _ if words.contains("unexpected character") => told(self.here(), words, "put the value between quotes"),
            _ if words.contains("flow") || words.contains("illegal placement of ':'") => told(
                self.here(),
                words,
                "close the `[` or `{` that was opened above, and put commas between its values",
            ),
            _ => told(self.here(), words, "check the indentation, colons and quotes of this line and the one above"),
        }
    }

    /// The character at the mistake.
    fn here(&self) -> Range<usize> {
        self.at..self.at + self.source[self.at..].chars().next().map_or(0, char::len_utf8)
    }

    /// The tab that is in the way: in the indent of this line, or the next one if the reader speaks of one.
    fn tab(&self, words: &str) -> Option<usize> {
        let line = &self.source[self.line..];
        let indent = line.len() - line.trim_start_matches([' ', '\t']).len();
        let in_indent = line[..indent].find('\t').map(|tab| self.line + tab);
        let is_about_tabs = words.contains("a tab") || words.contains("tabs");
        in_indent.or_else(|| self.source[self.at..].find('\t').filter(|_| is_about_tabs).map(|tab| self.at + tab))
    }

    /// A backslash within double quotes that begins no escape; the reader points at the opening quote.
    fn escape(&self, words: &str) -> Told {
        let start = if self.source[self.at..].starts_with('"') { self.at + 1 } else { self.at };
        match wrong_escape(&self.source[start..]) {
            Some(span) => {
                let span = span.start + start..span.end + start;
                let message = format!("not valid YAML: `{}` is no escape", &self.source[span.clone()]);
                let hint = "write a backslash as `\\\\`, or put the text between single quotes".to_owned();
                Told { code: Code::YamlSyntax, span, message, hint }
            }
            None => told(self.here(), words, "write a backslash as `\\\\`, or put the text between single quotes"),
        }
    }

    /// A colon where none may stand: a second one in its line, behind a key that is too long, or too far in.
    fn colon(&self, words: &str) -> Told {
        let length = self.before.trim_start().chars().count();
        if self.before.contains(": ") {
            return told(self.here(), words, "put the value between quotes: it holds a colon and a blank");
        }
        if length > LONGEST_KEY {
            let key = self.line + self.before.len() - self.before.trim_start().len()..self.at;
            let message =
                format!("not valid YAML: this key has {length} characters, and at most {LONGEST_KEY} are read");
            return Told { code: Code::TooLarge, span: key, message, hint: "choose a shorter key".to_owned() };
        }
        let hint =
            "indent the line like the key above, which has a value already, or put the value above between quotes";
        told(self.here(), words, hint)
    }

    /// Something else where a key should stand. Of a list item the reader passes the dash.
    fn key(&self, words: &str) -> Told {
        let indent = self.before.len() - self.before.trim_start().len();
        let rest = &self.source[self.line + indent..];
        if (rest.starts_with("- ") || rest.starts_with("-\n")) && self.at <= self.line + indent + 2 {
            let dash = self.line + indent;
            let message = "not valid YAML: a list item where a key is expected";
            let hint = "write `key: value`, or put the list below a key of its own".to_owned();
            return Told { code: Code::YamlSyntax, span: dash..dash + 1, message: message.to_owned(), hint };
        }
        match self.before.trim().is_empty() {
            true => told(self.here(), words, "indent the line like the keys above it that it belongs to"),
            false => told(self.here(), words, "put the value between quotes, or what follows on a line of its own"),
        }
    }
}

fn told(span: Range<usize>, words: &str, hint: &str) -> Told {
    Told { code: Code::YamlSyntax, span, message: format!("not valid YAML: {words}"), hint: hint.to_owned() }
}

/// The first backslash in a double-quoted text, given from behind its opening quote, that begins no escape.
fn wrong_escape(text: &str) -> Option<Range<usize>> {
    let mut characters = text.char_indices();
    while let Some((at, character)) = characters.next() {
        if character == '"' {
            return None;
        }
        if character != '\\' {
            continue;
        }
        let (second, escaped) = characters.next()?;
        let digits = match escaped {
            'x' => 2,
            'u' => 4,
            'U' => 8,
            _ if "0abt\tnvfre \"/\\N_LP\n\r".contains(escaped) => 0,
            _ => return Some(at..second + escaped.len_utf8()),
        };
        let found = text[second + 1..].bytes().take(digits).take_while(u8::is_ascii_hexdigit).count();
        let code = u32::from_str_radix(&text[second + 1..second + 1 + found], 16).unwrap_or(0);
        // Halves of a pair are another mistake, if they are one.
        let is_half = (0xD800..=0xDFFF).contains(&code);
        if found < digits || (char::from_u32(code).is_none() && !is_half) {
            return Some(at..second + 1 + found);
        }
    }
    None
}
