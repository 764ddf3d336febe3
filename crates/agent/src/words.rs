//! Owns how an agent's own text is quoted in a message. Must not know what it said.

/// The beginning of a text on one line, with control characters shown rather than sent, and cut with `…`.
pub(crate) fn quote(text: &str, most: usize) -> String {
    let mut quoted = String::new();
    for (number, character) in text.chars().enumerate() {
        if number == most {
            quoted.push('…');
            break;
        }
        if character.is_control() { quoted.extend(character.escape_debug()) } else { quoted.push(character) }
    }
    quoted
}

/// The end of a text, from the beginning of a line where there is one, trimmed, control characters other than line
/// breaks and tabs left out.
pub(crate) fn end_of(text: &str, most: usize) -> String {
    let text = text.trim();
    let from = text.char_indices().rev().nth(most.saturating_sub(1)).map_or(0, |(at, _)| at);
    let mut end = &text[from..];
    if from > 0
        && let Some(line) = end.find('\n')
        && line + 1 < end.len()
    {
        end = &end[line + 1..];
    }
    end.chars().filter(|character| !character.is_control() || matches!(character, '\n' | '\t')).collect()
}

/// The beginning of a text, its lines kept.
pub(crate) fn quote_lines(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// QL-34: nothing an agent wrote reaches a terminal as an escape sequence.
    #[test]
    fn quotes_are_short_and_harmless() {
        assert_eq!(quote("ab\n\u{1b}[2Jc", 20), "ab\\n\\u{1b}[2Jc");
        assert_eq!(quote("가나다라", 2), "가나…");
        assert_eq!(end_of("one\ntwo\nthree\n", 7), "three");
        assert_eq!(end_of("\u{1b}[31mred\u{7}", 100), "[31mred");
        assert_eq!(end_of("abcdef", 3), "def");
        assert_eq!(end_of("", 3), "");
    }
}
