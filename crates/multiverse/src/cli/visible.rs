//! Foreign text made fit for a terminal: nothing that a file holds or is called can move the cursor, change colours
//! or turn the direction of writing (QL-34). Knows nothing of what the text means.

use std::fmt::Write as _;
use std::path::Path;

/// Tabs are shown as blanks up to the next multiple of this.
const TAB: usize = 4;

/// Text in one line, every control character made visible.
pub(crate) fn text(text: &str) -> String {
    bytes(text.as_bytes())
}

/// Text in its own lines, every other control character made visible.
pub(crate) fn lines(text: &str) -> String {
    text.lines().map(self::text).collect::<Vec<_>>().join("\n")
}

/// The beginning of a text in one line, blanks and line breaks run together, no wider than so many columns.
pub(crate) fn short(text: &str, columns: usize) -> String {
    // A character takes few bytes; whatever is longer than this is cut anyway.
    let words = text.split_whitespace().take(columns + 1).collect::<Vec<_>>().join(" ");
    let shown = self::text(&words.chars().take(columns + 1).collect::<String>());
    if unicode_width::UnicodeWidthStr::width(shown.as_str()) <= columns {
        return shown;
    }
    let mut kept = String::new();
    let mut used = 0;
    for character in shown.chars() {
        used += unicode_width::UnicodeWidthChar::width(character).unwrap_or(0);
        if used + 1 > columns {
            break;
        }
        kept.push(character);
    }
    format!("{kept}…")
}

/// One visible line as several that are no wider than so many columns, broken at blanks where there are any; what goes
/// on is indented like the words of its beginning.
pub(crate) fn wrapped(line: &str, columns: usize) -> Vec<String> {
    use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};
    let text = line.trim_start_matches(' ');
    let number = text.trim_start_matches(|letter: char| letter.is_ascii_digit());
    let marker = match text.split_once(' ') {
        Some(("-" | "*", _)) => 2,
        _ if number.len() < text.len() && number.starts_with(". ") => text.len() - number.len() + 2,
        _ => 0,
    };
    let indent = line.len() - text.len() + marker;
    let indent = " ".repeat(if indent < columns / 2 { indent } else { 0 });
    let (mut lines, mut rest) = (Vec::new(), line.to_string());
    while rest.width() > columns.max(1) {
        let mut used = 0;
        let fits = |character: &char| {
            used += character.width().unwrap_or(0);
            used <= columns.max(1)
        };
        let most: usize = rest.chars().take_while(fits).map(char::len_utf8).sum();
        let most = most.max(rest.chars().next().map_or(0, char::len_utf8));
        let kept = rest.len() - rest.trim_start_matches(' ').len();
        // A blank right behind what fits is as good as one in it.
        let blank = rest[..most].rfind(' ').filter(|at| *at > kept && !rest[most..].starts_with(' '));
        let end = blank.unwrap_or(most);
        lines.push(rest[..end].trim_end().to_string());
        rest = format!("{indent}{}", rest[end..].trim_start_matches(' '));
        if rest.len() >= line.len() + indent.len() {
            break;
        }
    }
    lines.push(rest);
    lines
}

/// The same for bytes that may not be UTF-8.
pub(crate) fn bytes(bytes: &[u8]) -> String {
    let mut shown = String::with_capacity(bytes.len());
    push_bytes(&mut shown, bytes);
    shown
}

/// A path as it was given.
pub(crate) fn path(path: &Path) -> String {
    bytes(path.as_os_str().as_encoded_bytes())
}

/// Appends bytes in their visible form. A tab is as wide as its place in `shown` makes it.
pub(crate) fn push_bytes(shown: &mut String, bytes: &[u8]) {
    for chunk in bytes.utf8_chunks() {
        for character in chunk.valid().chars() {
            push(shown, character);
        }
        for byte in chunk.invalid() {
            let _ = write!(shown, "\\x{byte:02x}");
        }
    }
}

/// JSON text with the characters escaped that JSON may hold as they are and a terminal acts on.
/// Outside of strings JSON is plain ASCII, so each of them stands in a string.
pub(crate) fn json(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        if is_harmful(character) {
            let mut units = [0; 2];
            for unit in character.encode_utf16(&mut units) {
                let _ = write!(escaped, "\\u{unit:04x}");
            }
        } else {
            escaped.push(character);
        }
    }
    escaped
}

fn push(shown: &mut String, character: char) {
    match character {
        '\t' => {
            let width = unicode_width::UnicodeWidthStr::width(shown.as_str());
            shown.extend(std::iter::repeat_n(' ', TAB - width % TAB));
        }
        // The pictures of control characters lie in the same order as the characters.
        '\0'..='\u{1f}' => shown.push(char::from_u32(0x2400 + u32::from(character)).unwrap_or('\u{fffd}')),
        '\u{7f}' => shown.push('\u{2421}'),
        _ if is_harmful(character) => {
            let _ = write!(shown, "{}", character.escape_unicode());
        }
        _ => shown.push(character),
    }
}

/// Control characters, and format characters that hide or turn what stands around them. The joiners inside words and
/// emoji are not among them: they are part of ordinary writing.
fn is_harmful(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// QL-34: what a file holds is shown, never acted on.
    #[test]
    fn nothing_reaches_the_terminal_that_it_would_act_on() {
        for (input, expected) in [
            (&b"plain text"[..], "plain text"),
            ("보고서 😀 e\u{301} 👩\u{200d}🔬".as_bytes(), "보고서 😀 e\u{301} 👩\u{200d}🔬"),
            (b"\x1b[31mred\x1b]0;title\x07", "␛[31mred␛]0;title␇"),
            (b"a\0b\x7f\r\n", "a␀b␡␍␊"),
            ("\u{9b}31m".as_bytes(), "\\u{9b}31m"),
            ("a\u{202e}b\u{feff}".as_bytes(), "a\\u{202e}b\\u{feff}"),
            (b"a\xff\xc3b", "a\\xff\\xc3b"),
            (b"a\tb\t\tc", "a   b       c"),
            ("한\tb".as_bytes(), "한  b"),
        ] {
            assert_eq!(bytes(input), expected, "{input:?}");
        }
    }

    #[test]
    fn a_long_text_is_cut_to_its_columns() {
        for (input, columns, expected) in [
            ("short", 10, "short"),
            ("two\n\nlines\tand  more", 30, "two lines and more"),
            ("exactly ten", 11, "exactly ten"),
            ("exactly ten", 10, "exactly t…"),
            ("보고서를 만들어", 7, "보고서…"),
            ("a\u{1b}[2J", 10, "a␛[2J"),
            ("", 5, ""),
            ("abc", 0, "…"),
        ] {
            assert_eq!(short(input, columns), expected, "{input:?}");
        }
        assert_eq!(lines("a\u{1b}\r\nb\n"), "a␛\nb");
    }

    #[test]
    fn a_line_goes_on_below_where_it_is_too_wide() {
        for (line, columns, expected) in [
            ("short", 10, &["short"][..]),
            ("two words here", 9, &["two words", "here"]),
            ("two words here", 8, &["two", "words", "here"]),
            ("12. two words", 10, &["12. two", "    words"]),
            ("    - deep words", 14, &["    - deep", "      words"]),
            ("unbroken", 3, &["unb", "rok", "en"]),
            ("보고서를 만들어", 9, &["보고서를", "만들어"]),
            ("", 5, &[""]),
            ("ab", 0, &["a", "b"]),
        ] {
            assert_eq!(wrapped(line, columns), expected, "{line:?} {columns}");
        }
    }

    #[test]
    fn json_stays_json_and_holds_no_control_character() {
        for foreign in ["\u{9b}31m \u{202e} \u{7f} \u{1b} \u{e0041} 한 😀", "\\u\"\n"] {
            let escaped = json(&serde_json::to_string(foreign).unwrap());
            assert!(!escaped.chars().any(is_harmful), "{escaped:?}");
            assert_eq!(serde_json::from_str::<String>(&escaped).unwrap(), foreign);
        }
    }
}
