//! Owns lines that give a key a value: `**Key:** value`, `- **Key**: value`, `Key = value | Key = value`, `| Key | value |`.
//! Any line is read, and most hold no field. Must not know which keys there are (the caller says), nor blocks: a line is
//! looked at alone.

use std::borrow::Cow;
use std::ops::Range;

use super::line;

/// The longest key, in characters, and the most words of one: more is a sentence with a colon in it.
const KEY_CHARACTERS: usize = 60;
const KEY_WORDS: usize = 6;

/// A key and its value on one line. Spans are bytes within that line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// The key as it is meant: without emphasis and blanks around it.
    pub key: String,
    /// The value as it is meant: without blanks around it, `\|` being `|`. Emphasis stays.
    pub value: String,
    /// The key without its marks.
    pub key_span: Range<usize>,
    /// The value; empty, at the place where it would stand, if there is none.
    pub value_span: Range<usize>,
    /// What it looks like.
    pub look: Look,
}

/// How a field is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Look {
    /// Columns of blanks in front of the line's first mark.
    pub indent: usize,
    /// What introduces the line.
    pub marker: Marker,
    /// Whether the key is in bold.
    pub is_bold: bool,
    /// Between key and value.
    pub separator: Separator,
}

/// What stands in front of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Marker {
    /// Nothing.
    None,
    /// A bullet or a number.
    Bullet,
    /// The line is a quotation.
    Quote,
    /// Another field of the same line.
    Pipe,
}

/// What stands between key and value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Separator {
    /// `:`, also the wide one.
    Colon,
    /// `=`.
    Equals,
    /// The line of a table with two cells.
    Cell,
}

/// The fields of one line, without its line ending. Behind a `|` another field begins only if its key is `known`; pipes
/// around the whole line are a frame.
pub fn read_line(line: &str, known: &dyn Fn(&str) -> bool) -> Vec<Field> {
    let (start, indent, marker) = introduction(line);
    if let Some(field) = table_line(line, start, indent) {
        return vec![field];
    }
    let parts = match framed(line, start) {
        Some(inner) => parts(&line[..inner.end], inner.start),
        None => parts(line, start),
    };
    let mut fields: Vec<Field> = Vec::new();
    for (number, part) in parts.into_iter().enumerate() {
        let marker = if number == 0 { marker } else { Marker::Pipe };
        let field = field_in(line, part.clone(), indent, marker);
        match (field, fields.last_mut()) {
            (Some(field), None) => fields.push(field),
            (Some(field), Some(_)) if known(&field.key) => fields.push(field),
            // A pipe within a value.
            (_, Some(last)) => last.reach(line, part.end),
            (None, None) => return fields,
        }
    }
    fields
}

/// A value as it can stand on a line of fields; nothing if it cannot, because it has more than one line.
pub fn write_value(value: &str) -> Option<String> {
    let value = value.trim();
    (!value.contains(['\n', '\r', '\0'])).then(|| value.replace('|', "\\|"))
}

/// Whether a line is a thematic break: `---`, `* * *`.
pub fn is_break(line: &str) -> bool {
    let rest = line::without_blanks(line.as_bytes());
    line.len() - rest.len() < 4 && line::is_thematic_break(rest)
}

/// Bytes as text of the same length: what is no UTF-8 becomes one substitute for each byte, so that spans stay true.
pub fn readable(bytes: &[u8]) -> Cow<'_, str> {
    const SUBSTITUTE: char = '\u{1A}';
    let Err(mut error) = std::str::from_utf8(bytes) else { return String::from_utf8_lossy(bytes) };
    let (mut rest, mut text) = (bytes, String::with_capacity(bytes.len()));
    loop {
        let (valid, after) = rest.split_at(error.valid_up_to());
        text.push_str(&String::from_utf8_lossy(valid));
        let bad = error.error_len().unwrap_or(after.len()).max(1).min(after.len());
        text.extend(std::iter::repeat_n(SUBSTITUTE, bad));
        rest = &after[bad..];
        match std::str::from_utf8(rest) {
            Ok(valid) => {
                text.push_str(valid);
                return Cow::Owned(text);
            }
            Err(next) => error = next,
        }
    }
}

impl Field {
    /// Takes more of the line into the value.
    fn reach(&mut self, line: &str, end: usize) {
        self.value_span = trimmed(line, self.value_span.start..end);
        self.value = decode(&line[self.value_span.clone()]);
    }
}

/// What stands in front of the first key: where it ends, how many columns of blanks begin it, and what it is.
fn introduction(line: &str) -> (usize, usize, Marker) {
    let (mut at, mut indent, mut marker) = (0, 0, Marker::None);
    for byte in line.bytes() {
        match byte {
            b' ' => indent += 1,
            b'\t' => indent += 4 - indent % 4,
            _ => break,
        }
        at += 1;
    }
    while let Some(rest) = line[at..].strip_prefix('>') {
        marker = Marker::Quote;
        at = line.len() - rest.trim_start().len();
    }
    let rest = &line[at..];
    let number = rest.bytes().take_while(u8::is_ascii_digit).count();
    let width = match rest.chars().next() {
        Some(bullet @ ('-' | '*' | '+' | '•' | '–' | '—' | '▪' | '◦' | '·')) => bullet.len_utf8(),
        Some('0'..='9') if number < 4 && matches!(rest.as_bytes().get(number), Some(b'.' | b')')) => number + 1,
        _ => 0,
    };
    let after = &rest[width..];
    if width > 0 && after.starts_with([' ', '\t']) {
        let inner = after.trim_start();
        let boxes = ["[ ]", "[x]", "[X]"];
        let inner = boxes.iter().find_map(|mark| inner.strip_prefix(mark)).map_or(inner, str::trim_start);
        marker = if marker == Marker::Quote { marker } else { Marker::Bullet };
        at = line.len() - inner.len();
    }
    (at, indent, marker)
}

/// What stands between the first and the last pipe of a line that both begins and ends with one.
fn framed(line: &str, start: usize) -> Option<Range<usize>> {
    let inner = line[start..].trim_end().strip_prefix('|')?.strip_suffix('|').filter(|inner| !inner.ends_with('\\'))?;
    Some(start + 1..start + 1 + inner.len())
}

/// The cells of a line of a table, trimmed; nothing if it is none.
pub fn cells(line: &str) -> Option<Vec<Range<usize>>> {
    let start = line.len() - line.trim_start().len();
    let inner = framed(line, start)?;
    Some(parts(&line[..inner.end], inner.start).into_iter().map(|cell| trimmed(line, cell)).collect())
}

/// `| Key | value |`: a line of a table with two cells, of which the first can be a key.
fn table_line(line: &str, start: usize, indent: usize) -> Option<Field> {
    let inner = framed(line, start)?;
    let cells = parts(&line[..inner.end], inner.start);
    let [key, value] = cells.as_slice() else { return None };
    let (plain, key_span, is_bold) = key_in(line, trimmed(line, key.clone()))?;
    let value_span = trimmed(line, value.clone());
    let look = Look { indent, marker: Marker::None, is_bold, separator: Separator::Cell };
    Some(Field { key: plain, value: decode(&line[value_span.clone()]), key_span, value_span, look })
}

/// The parts of a line between pipes that are neither escaped nor in code.
fn parts(line: &str, start: usize) -> Vec<Range<usize>> {
    let (mut parts, mut from, mut in_code, mut is_escaped) = (Vec::new(), start, false, false);
    // A backtick without a partner does not begin code.
    let mut marks = line[start..].matches('`').count();
    for (offset, character) in line[start..].char_indices() {
        match character {
            '`' if !is_escaped => {
                in_code = !in_code && marks > 1;
                marks -= 1;
            }
            '|' if !is_escaped && !in_code => {
                parts.push(from..start + offset);
                from = start + offset + 1;
            }
            _ => {}
        }
        is_escaped = character == '\\' && !is_escaped;
    }
    parts.push(from..line.len());
    parts
}

fn field_in(line: &str, part: Range<usize>, indent: usize, marker: Marker) -> Option<Field> {
    let text = &line[part.clone()];
    let (at, width, separator) = separator_in(text)?;
    let (key, key_span, is_bold) = key_in(line, trimmed(line, part.start..part.start + at))?;
    let after = part.start + at + width;
    let mut value_span = trimmed(line, after..part.end);
    // `**Key:** value`: the marks close behind the colon.
    let opened = &line[part.start..key_span.start];
    let closed = &line[key_span.end..part.start + at];
    let open: String = opened.chars().filter(|mark| is_mark(*mark)).collect();
    if !open.is_empty() && !closed.contains(is_mark) {
        let reversed: String = open.chars().rev().collect();
        let rest = line[after..value_span.end].strip_prefix(reversed.as_str())?;
        value_span = trimmed(line, value_span.end - rest.len()..value_span.end);
    }
    let look = Look { indent, marker, is_bold, separator };
    Some(Field { key, value: decode(&line[value_span.clone()]), key_span, value_span, look })
}

/// The first `:` or `=` that can stand between a key and a value: where, how wide, and which.
fn separator_in(text: &str) -> Option<(usize, usize, Separator)> {
    let (at, character) = text.char_indices().find(|(_, character)| matches!(character, ':' | '：' | '='))?;
    let after = &text[at + character.len_utf8()..];
    let is_other = match character {
        '=' => after.starts_with(['=', '>']) || text[..at].ends_with(['!', '<', '>', '+', '-', '=']),
        _ => after.starts_with("//") || after.starts_with(':'),
    };
    let separator = if character == '=' { Separator::Equals } else { Separator::Colon };
    (!is_other).then_some((at, character.len_utf8(), separator))
}

/// The key in some bytes of a line: as it is meant, its bytes without marks, and whether it is bold.
fn key_in(line: &str, span: Range<usize>) -> Option<(String, Range<usize>, bool)> {
    let raw = &line[span.clone()];
    // Signs in front, as people put them to catch the eye.
    let inner = raw.trim_start_matches(|mark: char| {
        is_mark(mark) || mark.is_whitespace() || (!mark.is_ascii() && !mark.is_alphanumeric())
    });
    let start = span.end - inner.len();
    let inner = inner.trim_end_matches(|mark: char| is_mark(mark) || mark.is_whitespace());
    let is_part = |character: char| {
        character.is_alphanumeric() || matches!(character, ' ' | '-' | '_' | '/' | '(' | ')' | '\'' | '&' | '.' | '→')
    };
    let is_key = inner.chars().count() <= KEY_CHARACTERS
        && inner.split_whitespace().count() <= KEY_WORDS
        && inner.starts_with(char::is_alphanumeric)
        && inner.contains(char::is_alphabetic)
        && inner.chars().all(is_part);
    let words: Vec<&str> = inner.split_whitespace().collect();
    let marks = &line[span.start..start];
    let is_bold = marks.contains("**") || marks.contains("__");
    is_key.then(|| (words.join(" "), start..start + inner.len(), is_bold))
}

fn is_mark(character: char) -> bool {
    matches!(character, '*' | '_' | '`')
}

fn trimmed(line: &str, span: Range<usize>) -> Range<usize> {
    let text = &line[span.clone()];
    let start = span.end - text.trim_start().len();
    if start >= span.end {
        return span.start..span.start;
    }
    // A backslash at the end of a line breaks it; it is no part of the value.
    let text = text.trim();
    let text = text.strip_suffix('\\').filter(|rest| span.end == line.len() && !rest.ends_with('\\')).unwrap_or(text);
    start..start + text.trim_end().len()
}

fn decode(value: &str) -> String {
    value.replace("\\|", "|")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, expected: &[(&str, &str)]) {
        let fields = read_line(line, &|key| key.len() < 12);
        let read: Vec<(&str, &str)> = fields.iter().map(|field| (field.key.as_str(), field.value.as_str())).collect();
        assert_eq!(read, expected, "{line:?}");
        for field in &fields {
            assert_eq!(decode(&line[field.value_span.clone()]), field.value, "{line:?}");
            let key: Vec<&str> = line[field.key_span.clone()].split_whitespace().collect();
            assert_eq!(key.join(" "), field.key, "{line:?}");
        }
    }

    #[test]
    fn fields_are_read_in_every_form() {
        for line in [
            "Agent: Judge",
            "- Agent: Judge",
            "* Agent : Judge  ",
            "+ **Agent**: Judge",
            "**Agent:** Judge",
            "__Agent__: Judge",
            "*Agent:* Judge",
            "- **Agent:** Judge\\",
            "1. Agent = Judge",
            "- [x] `Agent`: Judge",
            "  • Agent： Judge",
            "| Agent | Judge |",
            "| **Agent** | Judge |",
            "✅ **Agent**: Judge",
            "> - Agent: Judge",
        ] {
            check(line, &[("Agent", "Judge")]);
        }
        check(
            "Agent = Actor | Result = FAIL | Next: Planner",
            &[("Agent", "Actor"), ("Result", "FAIL"), ("Next", "Planner")],
        );
        check(
            "| Agent: Actor | Result: FAIL | Next: a \\| b |",
            &[("Agent", "Actor"), ("Result", "FAIL"), ("Next", "a | b")],
        );
        check("- Context: `a | b` and x \\| y", &[("Context", "`a | b` and x | y")]);
        check("- Context: use a | b here", &[("Context", "use a | b here")]);
        check("- Context: a | Some longer thing: b", &[("Context", "a | Some longer thing: b")]);
        check("- Next:", &[("Next", "")]);
        check("**Signature**: 1:2:3", &[("Signature", "1:2:3")]);
        check("- **Subordinate   Goal Win-State**: all pass", &[("Subordinate Goal Win-State", "all pass")]);
        check("- Result: **PASS**", &[("Result", "**PASS**")]);
    }

    #[test]
    fn what_is_no_field_is_none() {
        for line in [
            "",
            "---",
            "- ",
            "Agent Judge",
            "see https://example.org",
            "10:30",
            ": value",
            "a == b",
            "x => y",
            "**Agent: Judge",
            "|---|---|",
            "This sentence has far too many words before it: a list",
            "std::fmt",
            "# Agent: Judge",
        ] {
            check(line, &[]);
        }
    }

    #[test]
    fn the_look_of_a_field_is_known() {
        let look = |line: &str| read_line(line, &|_| true)[0].look;
        let plain = Look { indent: 0, marker: Marker::None, is_bold: false, separator: Separator::Colon };
        assert_eq!(look("Agent: x"), plain);
        assert_eq!(look("  - **Agent**: x"), Look { indent: 2, marker: Marker::Bullet, is_bold: true, ..plain });
        assert_eq!(look("\tAgent = x"), Look { indent: 4, separator: Separator::Equals, ..plain });
        assert_eq!(look("> Agent: x"), Look { marker: Marker::Quote, ..plain });
        assert_eq!(look("| Agent | x |").separator, Separator::Cell);
    }

    #[test]
    fn bytes_that_are_no_text_keep_their_length() {
        for bytes in [&b"a\xFFb"[..], b"\xF0\x9F", b"\xE2\x82x", b"\xFF\xFE\xFD", b"abc", b""] {
            assert_eq!(readable(bytes).len(), bytes.len(), "{bytes:?}");
        }
    }

    #[test]
    fn breaks() {
        for (line, is) in
            [("---", true), ("* * *", true), ("   ___", true), ("    ---", false), ("--", false), ("- a", false)]
        {
            assert_eq!(is_break(line), is, "{line:?}");
        }
    }
}
