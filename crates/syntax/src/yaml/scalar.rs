//! Owns how one text is written in YAML: plain where every reader takes it for that text, else between quotes.
//! Must not know where it stands.

use super::plain_kind;
use crate::data::Kind;

/// Whether text can stand without quotes and is read as that text by any YAML reader.
pub(crate) fn is_plain(text: &str) -> bool {
    let legacy_word = ["y", "n", "yes", "no", "on", "off", "true", "false", "null"];
    let edge = |character: Option<char>| character.is_some_and(|character| character.is_whitespace());
    matches!(plain_kind(text), Kind::Text(_))
        && !text.is_empty()
        && !text.contains(is_special)
        && !text.starts_with(|first: char| "-?:,[]{}#&*!|>'\"%@`=<.".contains(first))
        && !edge(text.chars().next())
        && !edge(text.chars().next_back())
        && !text.contains(": ")
        && !text.contains(" #")
        && !text.ends_with(':')
        && !legacy_word.iter().any(|word| text.eq_ignore_ascii_case(word))
}

/// Characters that only a double-quoted text can hold.
pub(crate) fn is_special(character: char) -> bool {
    character.is_control() || matches!(character, '\u{2028}' | '\u{2029}' | '\u{FEFF}' | '\u{FFFE}' | '\u{FFFF}')
}

/// Text between double quotes.
pub(crate) fn quoted(text: &str) -> String {
    let mut written = String::from("\"");
    for character in text.chars() {
        match character {
            '"' => written.push_str("\\\""),
            '\\' => written.push_str("\\\\"),
            '\n' => written.push_str("\\n"),
            '\r' => written.push_str("\\r"),
            '\t' => written.push_str("\\t"),
            character if is_special(character) => written.push_str(&format!("\\u{:04X}", u32::from(character))),
            character => written.push(character),
        }
    }
    written.push('"');
    written
}
