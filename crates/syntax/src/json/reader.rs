//! Owns the walk over the bytes of a JSON document. Must not be left in a loop: each step takes a byte or ends.

use crate::data::{self, Entry, Kind, Node};
use crate::limits::{MAX_DEPTH, MAX_NODES};
use crate::problem::{Code, Findings};

/// Reads a document as far as it makes sense.
pub(super) fn read(bytes: &[u8]) -> (Option<Node>, Findings) {
    let mut findings = Findings::default();
    let source = match std::str::from_utf8(bytes) {
        Ok(source) => source,
        Err(error) => {
            let at = error.valid_up_to();
            findings.add(Code::InvalidUtf8, at..at + 1, "a byte that is not UTF-8", "save the document as UTF-8");
            return (None, findings);
        }
    };
    let start = if source.starts_with('\u{FEFF}') { 3 } else { 0 };
    let mut reader = Reader { source, at: start, findings, nodes: 0, stopped: false, odd_blanks: Vec::new() };
    let root = reader.value(0);
    reader.skip_blanks();
    if !reader.stopped && reader.at < source.len() {
        let hint = "a JSON document is one value; put several into a list";
        reader.syntax(reader.at..source.len(), "something follows the end of the document", hint);
    }
    (root, reader.findings)
}

struct Reader<'a> {
    source: &'a str,
    at: usize,
    findings: Findings,
    nodes: usize,
    /// A mistake that cannot be read past.
    stopped: bool,
    /// Blanks of other kinds that were met: each kind is told once, for where there is one there are many.
    odd_blanks: Vec<char>,
}

impl<'a> Reader<'a> {
    fn value(&mut self, depth: usize) -> Option<Node> {
        self.skip_blanks();
        if self.stopped {
            return None;
        }
        self.nodes += 1;
        if depth > MAX_DEPTH || self.nodes > MAX_NODES {
            let message = format!("nested deeper than {MAX_DEPTH} levels or more than {MAX_NODES} values");
            self.findings.add(Code::TooLarge, self.at..self.at, message, "split the document");
            self.stopped = true;
            return None;
        }
        let start = self.at;
        let kind = match self.peek() {
            None => {
                self.stop(start..start, "the document ends where a value is expected", "add the value");
                return None;
            }
            Some(b'{') => self.object(depth),
            Some(b'[') => self.array(depth),
            Some(b'"') => Kind::Text(self.string()),
            Some(b'\'') => self.single_quoted(),
            Some(_) if self.next().is_some_and(is_curly_quote) => Kind::Text(self.curly_quoted()),
            Some(b'-' | b'+' | b'.' | b'0'..=b'9') => self.number(),
            Some(b',' | b':' | b']' | b'}') => {
                self.syntax(start..start + 1, "a value is missing here", "add the value, or remove the comma before");
                Kind::Null
            }
            Some(_) => self.word(),
        };
        Some(Node { span: start..self.at, kind })
    }

    fn object(&mut self, depth: usize) -> Kind {
        let start = self.at;
        self.at += 1;
        let mut entries = Vec::new();
        let mut comma = None;
        loop {
            self.skip_blanks();
            match self.peek() {
                _ if self.stopped => break,
                Some(b'}') => {
                    self.report_trailing_comma(comma);
                    self.at += 1;
                    break;
                }
                None => {
                    let hint = "add the closing brace, and look for a quote that is not closed";
                    self.stop(start..start + 1, "this object is never closed", hint);
                    break;
                }
                Some(_) => {}
            }
            if comma.is_none() && !entries.is_empty() {
                self.syntax(
                    self.at..self.at,
                    "a comma is missing before this key",
                    "put a comma after the value above",
                );
            }
            let key_start = self.at;
            let Some(key) = self.key() else { break };
            let key_span = key_start..self.at;
            if self.stopped {
                break;
            }
            self.skip_blanks();
            if self.peek() == Some(b':') {
                self.at += 1;
            } else {
                self.syntax(key_span.clone(), "a colon is missing after this key", "write `\"key\": value`");
            }
            let Some(value) = self.value(depth + 1) else { break };
            entries.push(Entry { key, key_span, value });
            comma = self.comma();
        }
        data::report_duplicates(&entries, Code::JsonDuplicateKey, &mut self.findings);
        Kind::Map(entries)
    }

    fn array(&mut self, depth: usize) -> Kind {
        let start = self.at;
        self.at += 1;
        let mut items: Vec<Node> = Vec::new();
        let mut comma = None;
        loop {
            self.skip_blanks();
            match self.peek() {
                _ if self.stopped => break,
                Some(b']') => {
                    self.report_trailing_comma(comma);
                    self.at += 1;
                    break;
                }
                None => {
                    let hint = "add the closing bracket, and look for a quote that is not closed";
                    self.stop(start..start + 1, "this list is never closed", hint);
                    break;
                }
                Some(b'}') => {
                    self.stop(self.at..self.at + 1, "a brace closes a list", "write `]` here");
                    break;
                }
                Some(_) => {}
            }
            if comma.is_none() && !items.is_empty() {
                self.syntax(self.at..self.at, "a comma is missing before this value", "put a comma between values");
            }
            let before = self.at;
            let Some(value) = self.value(depth + 1) else { break };
            items.push(value);
            comma = self.comma();
            if self.at == before {
                // A colon, for instance: nothing was taken, so it would be met again for ever.
                self.stop(before..before + 1, "this does not belong into a list", "remove it");
                break;
            }
        }
        Kind::List(items)
    }

    fn key(&mut self) -> Option<String> {
        match self.peek()? {
            b'"' => Some(self.string()),
            b'\'' => match self.single_quoted() {
                Kind::Text(key) => Some(key),
                _ => None,
            },
            _ if self.next().is_some_and(is_curly_quote) => Some(self.curly_quoted()),
            byte if is_word(byte) => {
                let start = self.at;
                let word = self.take_word().to_owned();
                self.syntax(start..self.at, "a key stands between double quotes", format!("write `\"{word}\"`"));
                Some(word)
            }
            _ => {
                let end = self.at + self.next_length();
                self.stop(self.at..end, "a key or a closing brace is expected here", "write `\"key\": value` or `}`");
                None
            }
        }
    }

    fn comma(&mut self) -> Option<usize> {
        self.skip_blanks();
        (self.peek() == Some(b',')).then(|| {
            self.at += 1;
            self.at - 1
        })
    }

    fn string(&mut self) -> String {
        let start = self.at;
        self.at += 1;
        let mut text = String::new();
        loop {
            let plain = self.take_while(|byte| byte >= 0x20 && byte != b'"' && byte != b'\\');
            text.push_str(plain);
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return text;
                }
                Some(b'\\') => self.escape(&mut text),
                Some(b'\n' | b'\r') | None => {
                    let hint = match text.contains(is_double_curly) {
                        true => "replace the curly quotes by `\"`",
                        false => "add the closing quote, and write a line break as `\\n`",
                    };
                    self.stop(start..self.at, "this text is never closed on its line", hint);
                    return text;
                }
                Some(control) => {
                    let message = format!("a control character 0x{control:02X} within text");
                    let hint =
                        if control == b'\t' { "write `\\t`".to_owned() } else { format!("write `\\u{control:04x}`") };
                    self.syntax(self.at..self.at + 1, message, hint);
                    text.push(char::from(control));
                    self.at += 1;
                }
            }
        }
    }

    fn escape(&mut self, text: &mut String) {
        let start = self.at;
        self.at += 1;
        let decoded = match self.peek() {
            Some(byte @ (b'"' | b'\\' | b'/')) => char::from(byte),
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{C}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => {
                self.at += 1;
                return self.unicode(start, text);
            }
            _ => {
                let end = self.at + self.next_length();
                self.syntax(start..end, "this is no escape", "write a backslash as `\\\\`");
                text.push('\\');
                return;
            }
        };
        self.at += 1;
        text.push(decoded);
    }

    /// The four digits behind `\u`, and the second half of a surrogate pair. What is no character stays as it is
    /// written, so that two of them are not taken for the same.
    fn unicode(&mut self, start: usize, text: &mut String) {
        let first = self.four_digits();
        let code = match first {
            Some(high @ 0xD800..=0xDBFF) if self.source[self.at..].starts_with("\\u") => {
                let saved = self.at;
                self.at += 2;
                match self.four_digits() {
                    Some(low @ 0xDC00..=0xDFFF) => Some(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00)),
                    _ => {
                        self.at = saved;
                        first
                    }
                }
            }
            other => other,
        };
        if let Some(character) = code.and_then(char::from_u32) {
            text.push(character);
            return;
        }
        text.push_str(&self.source[start..self.at]);
        match first {
            Some(_) => {
                let hint = "write the character itself, or both halves of it, as in `\\ud83d\\ude80`";
                self.syntax(start..self.at, "this is only one half of a character", hint);
            }
            None => {
                let hint = "write four hexadecimal digits behind `\\u`, or a backslash as `\\\\`";
                self.syntax(start..self.at, "this is no character", hint);
            }
        }
    }

    /// Takes up to four digits; gives their value if there are four.
    fn four_digits(&mut self) -> Option<u32> {
        let rest = &self.source[self.at..];
        let length = rest.bytes().take(4).take_while(u8::is_ascii_hexdigit).count();
        self.at += length;
        u32::from_str_radix(&rest[..length], 16).ok().filter(|_| length == 4)
    }

    /// Text between quotes that a word processor has made nicer.
    fn curly_quoted(&mut self) -> String {
        let start = self.at;
        self.at += self.next_length();
        let rest = &self.source[self.at..];
        let line = &rest[..rest.find('\n').unwrap_or(rest.len())];
        // A curly apostrophe is text between double quotes.
        let is_single = self.source[start..].starts_with(is_single_curly);
        let is_close = |character: char| match is_single {
            true => character == '\'' || is_single_curly(character),
            false => character == '"' || is_double_curly(character),
        };
        let hint = "replace the curly quotes by `\"`";
        let Some(end) = line.find(is_close) else {
            self.stop(start..self.at, "text stands between straight quotes, and this one is never closed", hint);
            return String::new();
        };
        self.at += end;
        self.at += self.next_length();
        self.syntax(start..self.at, "text stands between straight quotes", hint);
        line[..end].to_owned()
    }

    fn single_quoted(&mut self) -> Kind {
        let start = self.at;
        self.at += 1;
        let text = self.take_while(|byte| byte != b'\'' && byte != b'\n').to_owned();
        if self.peek() != Some(b'\'') {
            self.stop(start..self.at, "this text is never closed", "put text between double quotes");
            return Kind::Null;
        }
        self.at += 1;
        self.syntax(start..self.at, "text stands between double quotes", "replace the single quotes");
        Kind::Text(text)
    }

    fn number(&mut self) -> Kind {
        let start = self.at;
        let text = self.take_while(|byte| byte.is_ascii_alphanumeric() || b"+-._".contains(&byte)).to_owned();
        if !is_number(&text) {
            let hint = "JSON numbers look like 0, -1.5 or 2e10; put other things between double quotes";
            self.syntax(start..self.at, format!("`{text}` is no number"), hint);
        }
        Kind::Number(text)
    }

    fn word(&mut self) -> Kind {
        let start = self.at;
        let word = self.take_word();
        match word {
            "true" => return Kind::Bool(true),
            "false" => return Kind::Bool(false),
            "null" => return Kind::Null,
            "" => {
                let end = start + self.next_length();
                self.stop(start..end, "a value is expected here", "remove what does not belong here");
                return Kind::Null;
            }
            _ => {}
        }
        let hint = match word {
            "True" => "write `true`",
            "False" => "write `false`",
            "None" | "undefined" | "NaN" | "Infinity" => "write `null`",
            _ => "put text between double quotes",
        };
        let word = word.to_owned();
        self.syntax(start..self.at, format!("`{word}` is no JSON value"), hint);
        Kind::Text(word)
    }

    /// Skips blanks; other kinds of blanks and comments with a complaint.
    fn skip_blanks(&mut self) {
        loop {
            self.take_while(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r'));
            if let Some(odd) = self.next().filter(|next| is_odd_blank(*next)) {
                self.report_odd_blank(odd);
                self.at += odd.len_utf8();
                continue;
            }
            let rest = &self.source[self.at..];
            let length = if rest.starts_with("//") || rest.starts_with('#') {
                rest.find('\n').unwrap_or(rest.len())
            } else if rest.starts_with("/*") {
                rest.find("*/").map_or(rest.len(), |end| end + 2)
            } else {
                return;
            };
            let span = self.at..self.at + length;
            self.findings.add(Code::JsonComment, span, "JSON has no comments", "remove it, or use YAML");
            self.at += length;
        }
    }

    fn report_odd_blank(&mut self, odd: char) {
        if self.odd_blanks.contains(&odd) {
            return;
        }
        self.odd_blanks.push(odd);
        let name = if odd == '\u{A0}' { "no-break blank" } else { "character" };
        let message = format!("the {name} U+{:04X} is no blank in JSON", u32::from(odd));
        let hint = "replace it by a plain blank, here and wherever else it stands between values";
        self.syntax(self.at..self.at + odd.len_utf8(), message, hint);
    }

    fn report_trailing_comma(&mut self, comma: Option<usize>) {
        if let Some(at) = comma {
            let message = "nothing follows this comma";
            self.findings.add(Code::JsonTrailingComma, at..at + 1, message, "remove the comma");
        }
    }

    fn peek(&self) -> Option<u8> {
        self.source.as_bytes().get(self.at).copied()
    }

    fn take_while(&mut self, wanted: impl Fn(u8) -> bool) -> &'a str {
        let rest = &self.source.as_bytes()[self.at..];
        let length = rest.iter().position(|byte| !wanted(*byte)).unwrap_or(rest.len());
        let start = self.at;
        self.at += length;
        self.source.get(start..self.at).unwrap_or_default()
    }

    fn take_word(&mut self) -> &'a str {
        let rest = &self.source[self.at..];
        let is_end = |character: char| match u8::try_from(character) {
            Ok(byte) if byte < 0x80 => !is_word(byte),
            _ => is_odd_blank(character) || is_curly_quote(character),
        };
        let word = &rest[..rest.find(is_end).unwrap_or(rest.len())];
        self.at += word.len();
        word
    }

    /// The character at this place.
    fn next(&self) -> Option<char> {
        self.source[self.at..].chars().next()
    }

    fn next_length(&self) -> usize {
        self.next().map_or(0, char::len_utf8)
    }

    fn syntax(&mut self, span: std::ops::Range<usize>, message: impl Into<String>, hint: impl Into<String>) {
        self.findings.add(Code::JsonSyntax, span, message, hint);
    }

    fn stop(&mut self, span: std::ops::Range<usize>, message: &str, hint: &str) {
        self.syntax(span, message, hint);
        self.stopped = true;
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80
}

/// Blanks that are none in JSON, seen or unseen.
fn is_odd_blank(character: char) -> bool {
    let is_unseen = matches!(character, '\u{200B}'..='\u{200F}' | '\u{2060}' | '\u{FEFF}');
    is_unseen || (character.is_whitespace() && !matches!(character, ' ' | '\t' | '\n' | '\r'))
}

fn is_curly_quote(character: char) -> bool {
    is_single_curly(character) || is_double_curly(character)
}

fn is_single_curly(character: char) -> bool {
    matches!(character, '\u{2018}'..='\u{201B}')
}

fn is_double_curly(character: char) -> bool {
    matches!(character, '\u{201C}'..='\u{201F}' | '\u{00AB}' | '\u{00BB}' | '\u{FF02}')
}

fn is_number(text: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent.strip_prefix(['+', '-']).unwrap_or(exponent))),
        None => (unsigned, None),
    };
    let (whole, part) = match mantissa.split_once('.') {
        Some((whole, part)) => (whole, Some(part)),
        None => (mantissa, None),
    };
    digits(whole) && (whole == "0" || !whole.starts_with('0')) && part.is_none_or(digits) && exponent.is_none_or(digits)
}
