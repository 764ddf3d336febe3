//! Owns reading JSON for `check` and editing: a tree with spans, and problems with places. Strict about what JSON is, lenient in
//! going on behind a mistake, so that one look shows more than the first. Must not change documents: `data_edit` does.

mod reader;

use crate::data::Parsed;

/// Reads a JSON document. This never fails.
pub fn parse(bytes: &[u8]) -> Parsed {
    let (root, findings) = reader::read(bytes);
    Parsed { root, more: Vec::new(), problems: findings.place(bytes) }
}

/// Writes text as a JSON string, quotes included.
pub fn write_string(out: &mut String, text: &str) {
    out.reserve(text.len() + 2);
    out.push('"');
    let is_plain =
        text.bytes().fold(true, |plain, byte| plain & matches!(byte, b' '..=b'~') & !matches!(byte, b'"' | b'\\'));
    if is_plain {
        out.push_str(text);
        return out.push('"');
    }
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            character if character.is_control() => out.push_str(&format!("\\u{:04x}", u32::from(character))),
            character => out.push(character),
        }
    }
    out.push('"');
}
