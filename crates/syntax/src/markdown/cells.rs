//! Owns the codec between the text of a table cell and the value it stands for.
//! Must not know rows or documents: text in, text out.
//!
//! A cell is read in two passes, as the GFM specification has it: first every `\|` becomes `|`, also within code
//! spans; then, outside code spans, backslash escapes, character references and `<br>` are decoded. Emphasis and
//! backticks stay as they are written.

use std::borrow::Cow;

/// A value cannot be written into a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a cell cannot hold a NUL character (character {at} of the value), remove it")]
pub struct NulInValue {
    /// Which character of the value it is, from 1.
    pub at: usize,
}

/// The value of a cell. The blanks around it do not count.
pub fn decode(cell: &str) -> String {
    let cell = cell.trim_matches(is_edge_blank);
    if !cell.bytes().any(|byte| matches!(byte, b'\\' | b'&' | b'<')) {
        return cell.to_owned();
    }
    decode_inline(&cell.replace("\\|", "|"))
}

/// Writes a value as the text of a cell, with as few escapes as will do: `decode` gives back the same value, and the
/// text stays one cell of one row wherever it is put.
pub fn encode(value: &str) -> Result<Cow<'_, str>, NulInValue> {
    if is_plain(value) {
        return Ok(Cow::Borrowed(value));
    }
    if let Some(at) = value.chars().position(|character| character == '\0') {
        return Err(NulInValue { at: at + 1 });
    }
    if !needs_care(value) {
        return Ok(Cow::Borrowed(value));
    }
    let mut cell = write(value, Backticks::AsTheyAre);
    // Escapes between backticks can turn what was text into a code span and the other way round. That is rare enough
    // to be tried out rather than foreseen.
    if value.contains('`') && decode(&cell) != value {
        cell = write(value, Backticks::Escaped);
    }
    Ok(Cow::Owned(cell))
}

/// A status as people write it, without the emphasis, backticks and blanks around it.
pub fn status_word(value: &str) -> &str {
    value.trim_matches(|character: char| character.is_whitespace() || matches!(character, '*' | '_' | '`'))
}

fn is_edge_blank(character: char) -> bool {
    matches!(character, ' ' | '\t' | '\n' | '\r' | '\u{B}' | '\u{C}')
}

fn decode_inline(cell: &str) -> String {
    let mut value = String::with_capacity(cell.len());
    let mut spans = CodeSpans::default();
    let mut rest = cell;
    while let Some(at) = rest.find(['\\', '&', '<', '`']) {
        value.push_str(&rest[..at]);
        rest = &rest[at..];
        let taken = match rest.as_bytes()[0] {
            b'`' => {
                let length = spans.length(cell, cell.len() - rest.len());
                value.push_str(&rest[..length]);
                length
            }
            b'\\' => match rest[1..].chars().next().filter(char::is_ascii_punctuation) {
                Some(escaped) => {
                    value.push(escaped);
                    2
                }
                None => {
                    value.push('\\');
                    1
                }
            },
            b'&' => match reference(rest) {
                Some((character, length)) => {
                    value.push(character);
                    length
                }
                None => {
                    value.push('&');
                    1
                }
            },
            _ => match line_break(rest) {
                Some(length) => {
                    value.push('\n');
                    length
                }
                None => {
                    value.push('<');
                    1
                }
            },
        };
        rest = &rest[taken..];
    }
    value.push_str(rest);
    value
}

/// Finds code spans in time proportional to the text, even where no run of backticks has a partner.
#[derive(Default)]
struct CodeSpans {
    /// Run lengths that are known to have no partner behind the place where they were looked for.
    without_partner: Vec<usize>,
}

impl CodeSpans {
    /// Length of the code span that begins with the backtick at `at`, or of its run if none does.
    fn length(&mut self, text: &str, at: usize) -> usize {
        let rest = &text[at..];
        let run = run_of_backticks(rest);
        if self.without_partner.contains(&run) {
            return run;
        }
        let mut seen = run;
        while let Some(next) = rest[seen..].find('`') {
            seen += next;
            let closing = run_of_backticks(&rest[seen..]);
            seen += closing;
            if closing == run {
                return seen;
            }
        }
        self.without_partner.push(run);
        run
    }
}

fn run_of_backticks(text: &str) -> usize {
    text.bytes().take_while(|byte| *byte == b'`').count()
}

/// `<br>`, `<br/>`, `<br />` in any case: its length.
fn line_break(text: &str) -> Option<usize> {
    let name = text.get(1..3)?;
    if !name.eq_ignore_ascii_case("br") {
        return None;
    }
    let rest = text[3..].trim_start_matches([' ', '\t']);
    let rest = rest.strip_prefix('/').unwrap_or(rest).strip_prefix('>')?;
    Some(text.len() - rest.len())
}

/// A character reference that is decoded: the character and the length of the reference.
fn reference(text: &str) -> Option<(char, usize)> {
    let end = text.bytes().take(LONGEST_REFERENCE).position(|byte| byte == b';')?;
    let name = &text[1..end];
    let character = match name.strip_prefix('#') {
        Some(number) => numbered(number)?,
        None => NAMED.iter().find(|(known, _)| *known == name)?.1,
    };
    Some((character, end + 1))
}

fn numbered(number: &str) -> Option<char> {
    let code = match number.strip_prefix(['x', 'X']) {
        Some(digits) if (1..=6).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_hexdigit()) => {
            u32::from_str_radix(digits, 16).ok()?
        }
        None if (1..=7).contains(&number.len()) && number.bytes().all(|byte| byte.is_ascii_digit()) => {
            number.parse().ok()?
        }
        _ => return None,
    };
    Some(char::from_u32(code).filter(|character| *character != '\0').unwrap_or(char::REPLACEMENT_CHARACTER))
}

/// Longer names are not among the known ones.
const LONGEST_REFERENCE: usize = 16;

/// Named references that occur in tables in practice. Others stay as they are written.
const NAMED: &[(&str, char)] = &[
    ("amp", '&'),
    ("lt", '<'),
    ("gt", '>'),
    ("quot", '"'),
    ("apos", '\''),
    ("nbsp", '\u{A0}'),
    ("vert", '|'),
    ("verbar", '|'),
    ("VerticalLine", '|'),
    ("bsol", '\\'),
    ("grave", '`'),
    ("ast", '*'),
    ("lowbar", '_'),
    ("num", '#'),
    ("Tab", '\t'),
    ("NewLine", '\n'),
    ("hellip", '…'),
    ("mdash", '—'),
    ("ndash", '–'),
    ("copy", '©'),
    ("middot", '·'),
    ("bull", '•'),
    ("rarr", '→'),
    ("larr", '←'),
];

/// Whether it is seen at a glance that a value needs no escape.
fn is_plain(value: &str) -> bool {
    let bytes = value.as_bytes();
    // Without a way out of the loop, so that many bytes are looked at at once.
    let plain = bytes.iter().fold(true, |plain, byte| {
        plain & (*byte >= b' ') & (*byte <= b'~') & !matches!(byte, b'\\' | b'&' | b'<' | b'|')
    });
    plain && bytes.first() != Some(&b' ') && bytes.last() != Some(&b' ')
}

/// Whether any character of the value could need an escape.
fn needs_care(value: &str) -> bool {
    let special = |character: char| matches!(character, '\\' | '&' | '<' | '|') || must_be_numbered(character);
    value.contains(special) || value.starts_with(is_edge_blank) || value.ends_with(is_edge_blank)
}

/// Characters that would break the line or the terminal if they were written as they are.
fn must_be_numbered(character: char) -> bool {
    (character.is_control() && character != '\t') || matches!(character, '\u{2028}' | '\u{2029}')
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Backticks {
    AsTheyAre,
    Escaped,
}

fn write(value: &str, backticks: Backticks) -> String {
    let mut cell = String::with_capacity(value.len() + 8);
    let mut spans = CodeSpans::default();
    let mut rest = value;
    while let Some(character) = rest.chars().next() {
        let at = value.len() - rest.len();
        let after = &rest[character.len_utf8()..];
        if character == '`' {
            rest = write_backticks(&mut cell, value, at, backticks, &mut spans);
            continue;
        }
        let at_edge = at == 0 || after.is_empty();
        match character {
            '|' => cell.push_str("\\|"),
            '\n' => cell.push_str("<br>"),
            // In front of a pipe without blanks even an escaped backslash would escape the pipe.
            '\\' if after.is_empty() => cell.push_str("&#92;"),
            '\\' if after.starts_with(|next: char| next.is_ascii_punctuation() || must_be_numbered(next)) => {
                cell.push_str("\\\\");
            }
            '\\' if after.len() == 1 && after.starts_with(is_edge_blank) => cell.push_str("\\\\"),
            '<' if line_break(rest).is_some() => cell.push_str("&lt;"),
            '&' if reference(rest).is_some() => cell.push_str("&amp;"),
            _ if must_be_numbered(character) || (at_edge && is_edge_blank(character)) => {
                cell.push_str(&format!("&#{};", u32::from(character)));
            }
            _ => cell.push(character),
        }
        rest = after;
    }
    cell
}

/// Writes a code span or a run of backticks, and gives what is left of the value.
fn write_backticks<'a>(
    cell: &mut String,
    value: &'a str,
    at: usize,
    backticks: Backticks,
    spans: &mut CodeSpans,
) -> &'a str {
    let rest = &value[at..];
    let run = run_of_backticks(rest);
    if backticks == Backticks::Escaped {
        cell.push_str(&"\\`".repeat(run));
        return &rest[run..];
    }
    let length = spans.length(value, at);
    let span = &rest[..length];
    if length > run && span.contains(must_be_numbered) {
        // Nothing is decoded within a code span, so this one cannot be one.
        cell.push_str(&"\\`".repeat(run));
        return &rest[run..];
    }
    cell.push_str(&span.replace('|', "\\|"));
    &rest[length..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_decode(cell: &str, value: &str) {
        assert_eq!(decode(cell), value, "value of {cell:?}");
    }

    #[track_caller]
    fn check_encode(value: &str, cell: &str) {
        assert_eq!(encode(value).as_deref(), Ok(cell), "cell for {value:?}");
        assert_eq!(decode(cell), value, "value of {cell:?}");
    }

    #[test]
    fn a_value_is_the_decoded_cell() {
        check_decode("  plain text ", "plain text");
        check_decode(r" a \| b ", "a | b");
        check_decode(r" \*not bold\* ", "*not bold*");
        check_decode(" **bold** and `code` ", "**bold** and `code`");
        check_decode(r" `a \| b` ", "`a | b`");
        check_decode(r" `a \* &amp; <br>` ", r"`a \* &amp; <br>`");
        check_decode(" one<br>two<BR/>three<br />four ", "one\ntwo\nthree\nfour");
        check_decode(" &amp;&lt;&gt;&quot;&apos;&nbsp;x&#33;&#x3F; ", "&<>\"'\u{A0}x!?");
        check_decode(" &unknown; &#; &#xFFFFFFF; &amp ", "&unknown; &#; &#xFFFFFFF; &amp");
        check_decode(" &#0; &#xD800; ", "\u{FFFD} \u{FFFD}");
        check_decode(r" C:\path ", r"C:\path");
        check_decode(r" \\| ", "|");
        check_decode(r" \`a` ", "`a`");
        check_decode(" `a <br> ", "`a \n");
        check_decode("", "");
    }

    #[test]
    fn a_value_is_written_with_the_fewest_escapes() {
        for plain in
            ["", "a & b", r"x \ y", r"C:\path", "<b>bold</b>", "`code`", "``", "a*b_c", "&copy", "1 < 2", "가나다"]
        {
            check_encode(plain, plain);
        }
        check_encode("a|b", r"a\|b");
        check_encode("a\nb", "a<br>b");
        check_encode("a\r\nb", "a&#13;<br>b");
        check_encode("<br>", "&lt;br>");
        check_encode("<BR />", "&lt;BR />");
        check_encode(" ", "&#32;");
        check_encode("  a  ", "&#32; a &#32;");
        check_encode("\ta", "&#9;a");
        check_encode("a\tb", "a\tb");
        check_encode("&amp;", "&amp;amp;");
        check_encode("&#32;", "&amp;#32;");
        check_encode(r"\*", r"\\*");
        check_encode(r"\|", r"\\\|");
        check_encode(r"a\", "a&#92;");
        check_encode(r"\\server", r"\\\server");
        check_encode("\\\n", r"\\<br>");
        check_encode("`a|b`", r"`a\|b`");
        check_encode("`a\nb`", r"\`a<br>b`");
        check_encode("\u{1b}[0m", "&#27;[0m");
        check_encode("\u{2028}", "&#8232;");
        check_encode("\\ ", r"\\&#32;");
    }

    #[test]
    fn a_nul_is_refused() {
        assert_eq!(encode("a\0"), Err(NulInValue { at: 2 }));
    }

    #[test]
    fn status_words_lose_their_decoration() {
        for (value, word) in
            [("**PENDING**", "PENDING"), ("`DONE`", "DONE"), (" _x_ ", "x"), ("***`A_B`***", "A_B"), ("", "")]
        {
            assert_eq!(status_word(value), word);
        }
    }
}
