//! Owns what one line of Markdown can be on its own: thematic break, heading, fence, list marker, HTML start,
//! delimiter row. Must not know the lines around it: `blocks` decides what a line is in its place.

/// Bytes that separate words within a line.
pub(crate) fn is_blank_byte(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | 0x0B | 0x0C)
}

/// A line without content.
pub(crate) fn is_blank(line: &[u8]) -> bool {
    line.iter().all(|byte| matches!(byte, b' ' | b'\t'))
}

/// What follows the blanks in front.
pub(crate) fn without_blanks(line: &[u8]) -> &[u8] {
    skip(line, is_blank_byte)
}

/// Length of the line's content: without line feed and the carriage return before it.
pub(crate) fn content_length(line: &[u8]) -> usize {
    match line {
        [content @ .., b'\r', b'\n'] => content.len(),
        [content @ .., b'\n'] => content.len(),
        content => content.len(),
    }
}

/// A place in a line that knows how wide the blanks before it are: a tab reaches to the next multiple of four.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cursor<'a> {
    line: &'a [u8],
    at: usize,
    column: usize,
    /// Columns of a tab that was entered but not used up.
    spare: usize,
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(line: &'a [u8]) -> Self {
        Cursor { line, at: 0, column: 0, spare: 0 }
    }

    pub(crate) fn rest(&self) -> &'a [u8] {
        &self.line[self.at..]
    }

    pub(crate) fn is_blank(&self) -> bool {
        is_blank(self.rest())
    }

    /// Takes up to `most` columns of blanks, and says how many there were.
    pub(crate) fn take_blanks(&mut self, most: usize) -> usize {
        let mut taken = self.spare.min(most);
        self.spare -= taken;
        while taken < most {
            match self.line.get(self.at) {
                Some(b' ') => {
                    self.at += 1;
                    self.column += 1;
                    taken += 1;
                }
                Some(b'\t') => {
                    let width = 4 - self.column % 4;
                    self.at += 1;
                    self.column += width;
                    let used = width.min(most - taken);
                    taken += used;
                    self.spare = width - used;
                }
                _ => break,
            }
        }
        taken
    }

    pub(crate) fn take_all_blanks(&mut self) {
        self.spare = 0;
        while matches!(self.line.get(self.at), Some(b' ' | b'\t')) {
            self.at += 1;
            self.column += 1;
        }
    }

    /// Takes the marker of a quote and the blank that belongs to it.
    pub(crate) fn take_quote(&mut self) -> bool {
        if self.line.get(self.at) != Some(&b'>') {
            return false;
        }
        self.at += 1;
        self.column += 1;
        self.take_blanks(1);
        true
    }

    /// Takes a list marker that stands after `outer` columns of blanks; gives the indent of the item's content.
    pub(crate) fn take_list_marker(&mut self, outer: usize) -> Option<usize> {
        let saved = *self;
        let width = match list_marker(self.rest()) {
            Some(marker) if !is_thematic_break(self.rest()) => marker.width,
            _ => return None,
        };
        self.at += width;
        self.column += width;
        if self.take_blanks(1) == 0 && self.at < self.line.len() {
            *self = saved;
            return None;
        }
        let indent = outer + width + 1;
        if self.is_blank() {
            return Some(indent);
        }
        // More than four blanks begin indented code after a marker of normal width.
        let after_marker = *self;
        match self.take_blanks(4) {
            4 => {
                *self = after_marker;
                Some(indent)
            }
            more => Some(indent + more),
        }
    }
}

pub(crate) struct ListMarker {
    pub(crate) width: usize,
    pub(crate) number: Option<u32>,
}

/// The list marker at the start of `rest`, without regard to what follows it.
fn list_marker(rest: &[u8]) -> Option<ListMarker> {
    match rest.first()? {
        b'-' | b'+' | b'*' => Some(ListMarker { width: 1, number: None }),
        b'0'..=b'9' => {
            let digits = rest.iter().take(9).take_while(|byte| byte.is_ascii_digit()).count();
            let number = rest[..digits].iter().fold(0u32, |sum, digit| sum * 10 + u32::from(digit - b'0'));
            matches!(rest.get(digits), Some(b'.' | b')'))
                .then_some(ListMarker { width: digits + 1, number: Some(number) })
        }
        _ => None,
    }
}

/// A list item as it may interrupt a paragraph or end a table: marker, then a blank or nothing.
pub(crate) fn list_item(rest: &[u8]) -> Option<(ListMarker, &[u8])> {
    let marker = list_marker(rest)?;
    let after = &rest[marker.width..];
    matches!(after.first(), None | Some(b' ' | b'\t')).then_some((marker, after))
}

pub(crate) fn is_thematic_break(rest: &[u8]) -> bool {
    let Some(mark @ (b'*' | b'-' | b'_')) = rest.first() else { return false };
    let mut marks = 0;
    for byte in rest {
        match byte {
            byte if byte == mark => marks += 1,
            b' ' | b'\t' => {}
            _ => return false,
        }
    }
    marks >= 3
}

/// Level of an ATX heading.
pub(crate) fn heading_level(rest: &[u8]) -> Option<u8> {
    let marks = rest.iter().take(7).take_while(|byte| **byte == b'#').count();
    let level = u8::try_from(marks).ok().filter(|level| (1..=6).contains(level))?;
    rest.get(marks).is_none_or(|byte| is_blank_byte(*byte)).then_some(level)
}

/// Level of the heading whose underline this is.
pub(crate) fn underline_level(rest: &[u8]) -> Option<u8> {
    let mark = *rest.first()?;
    let level = match mark {
        b'=' => 1,
        b'-' => 2,
        _ => return None,
    };
    let marks = rest.iter().take_while(|byte| **byte == mark).count();
    rest[marks..].iter().all(|byte| is_blank_byte(*byte)).then_some(level)
}

/// The bytes of an ATX heading's title within `rest`.
pub(crate) fn heading_title(rest: &[u8]) -> std::ops::Range<usize> {
    let marks = rest.iter().take_while(|byte| **byte == b'#').count();
    let start = marks + rest[marks..].iter().take_while(|byte| is_blank_byte(**byte)).count();
    let trimmed = |end: usize| end - rest[start..end].iter().rev().take_while(|byte| is_blank_byte(**byte)).count();
    let end = trimmed(rest.len());
    let closing = end - rest[start..end].iter().rev().take_while(|byte| **byte == b'#').count();
    if closing == start {
        return start..start;
    }
    match closing < end && is_blank_byte(rest[closing - 1]) {
        true => start..trimmed(closing),
        false => start..end,
    }
}

/// An opening fence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Fence {
    pub(crate) mark: u8,
    pub(crate) length: usize,
    pub(crate) indent: usize,
}

pub(crate) fn fence(rest: &[u8], indent: usize) -> Option<Fence> {
    let mark = *rest.first().filter(|byte| matches!(byte, b'`' | b'~'))?;
    let length = rest.iter().take_while(|byte| **byte == mark).count();
    let info_is_plain = mark == b'~' || memchr::memchr(b'`', &rest[length..]).is_none();
    (length >= 3 && info_is_plain).then_some(Fence { mark, length, indent })
}

pub(crate) fn closes_fence(rest: &[u8], open: Fence) -> bool {
    let length = rest.iter().take_while(|byte| **byte == open.mark).count();
    length >= open.length && is_blank(&rest[length..])
}

/// What ends an HTML block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HtmlEnd {
    /// The line that holds these bytes, in any case.
    Mark(&'static str),
    BlankLine,
}

/// An HTML block that may interrupt a paragraph (kinds 1 to 6 of the specification).
pub(crate) fn html_start(rest: &[u8]) -> Option<HtmlEnd> {
    let after = rest.strip_prefix(b"<")?;
    for (name, end) in RAW_TAGS {
        let is_name = after.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name.as_bytes()));
        if is_name && after.get(name.len()).is_none_or(|byte| *byte == b'>' || byte.is_ascii_whitespace()) {
            return Some(HtmlEnd::Mark(end));
        }
    }
    for (start, end) in [("!--", "-->"), ("?", "?>"), ("![CDATA[", "]]>")] {
        if after.starts_with(start.as_bytes()) {
            return Some(HtmlEnd::Mark(end));
        }
    }
    if after.first() == Some(&b'!') && after.get(1).is_some_and(u8::is_ascii_alphabetic) {
        return Some(HtmlEnd::Mark(">"));
    }
    let name = after.strip_prefix(b"/").unwrap_or(after);
    let length = name.iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
    let ended = match &name[length..] {
        [] | [b' ' | b'\t' | b'>', ..] => true,
        next => next.starts_with(b"/>"),
    };
    (ended && is_block_tag(&name[..length])).then_some(HtmlEnd::BlankLine)
}

pub(crate) fn ends_html(line: &[u8], mark: &str) -> bool {
    line.windows(mark.len()).any(|window| window.eq_ignore_ascii_case(mark.as_bytes()))
}

/// A line that holds one complete tag and nothing else (kind 7), which may not interrupt a paragraph. The tags of
/// kind 1 are left out, also where they close: the specification says so, though readers do not care.
pub(crate) fn is_lone_tag(rest: &[u8]) -> bool {
    lone_tag(rest).is_some_and(|after| after.iter().all(|byte| is_blank_byte(*byte)))
}

fn lone_tag(rest: &[u8]) -> Option<&[u8]> {
    let mut rest = rest.strip_prefix(b"<")?;
    let closing = rest.first() == Some(&b'/');
    if closing {
        rest = &rest[1..];
    }
    rest.first().filter(|byte| byte.is_ascii_alphabetic())?;
    let name = rest;
    rest = skip(rest, |byte| byte.is_ascii_alphanumeric() || byte == b'-');
    let name = &name[..name.len() - rest.len()];
    if RAW_TAGS.iter().any(|(raw, _)| raw.as_bytes().eq_ignore_ascii_case(name)) {
        return None;
    }
    if !closing {
        loop {
            let after = skip(rest, is_blank_byte);
            match after.first()? {
                b'/' | b'>' => break,
                _ if after.len() == rest.len() => return None,
                _ => rest = attribute(after)?,
            }
        }
    }
    rest = skip(rest, is_blank_byte);
    if !closing {
        rest = rest.strip_prefix(b"/").unwrap_or(rest);
    }
    rest.strip_prefix(b">")
}

fn attribute(rest: &[u8]) -> Option<&[u8]> {
    rest.first().filter(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b':'))?;
    let after_name = skip(rest, |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b':' | b'-'));
    let Some(value) = skip(after_name, is_blank_byte).strip_prefix(b"=") else { return Some(after_name) };
    let value = skip(value, is_blank_byte);
    match value.first()? {
        quote @ (b'"' | b'\'') => memchr::memchr(*quote, &value[1..]).map(|end| &value[end + 2..]),
        b'=' | b'>' | b'<' | b'`' => None,
        _ => Some(skip(value, |byte| !is_blank_byte(byte) && !b"'\"=><`".contains(&byte))),
    }
}

fn skip(bytes: &[u8], wanted: impl Fn(u8) -> bool) -> &[u8] {
    let length = bytes.iter().take_while(|byte| wanted(**byte)).count();
    &bytes[length..]
}

/// Number of columns of a delimiter row as the GFM specification writes it; nothing if the line is not one.
/// A row without any pipe is not taken: it would be an underline or a list.
pub(crate) fn delimiter_columns(line: &[u8]) -> Option<usize> {
    let mut cursor = Cursor::new(line);
    if cursor.take_blanks(4) > 3 {
        return None;
    }
    let mut rest = cursor.rest();
    let mut pipes = usize::from(rest.first() == Some(&b'|'));
    rest = &rest[pipes..];
    let mut columns = 0;
    loop {
        rest = skip(rest, is_blank_byte);
        if rest.is_empty() && columns > 0 {
            break;
        }
        let cell = rest.strip_prefix(b":").unwrap_or(rest);
        let after = skip(cell, |byte| byte == b'-');
        if after.len() == cell.len() {
            return None;
        }
        columns += 1;
        rest = skip(after.strip_prefix(b":").unwrap_or(after), is_blank_byte);
        match rest.split_first() {
            None => break,
            Some((b'|', after)) => {
                pipes += 1;
                rest = after;
            }
            Some(_) => return None,
        }
    }
    (pipes > 0).then_some(columns)
}

/// Anything but a table that ends a paragraph or a table without a blank line before it.
pub(crate) fn interrupts(rest: &[u8], place: Place) -> bool {
    let Some(first) = rest.first() else { return true };
    match first {
        b'#' => heading_level(rest).is_some(),
        b'`' | b'~' => fence(rest, 0).is_some(),
        b'>' => true,
        // A lone tag may not interrupt a paragraph, but a table is none.
        b'<' => html_start(rest).is_some() || (place == Place::Table && is_lone_tag(rest)),
        b'_' => is_thematic_break(rest),
        b'-' | b'*' | b'+' | b'0'..=b'9' => {
            is_thematic_break(rest)
                || list_item(rest).is_some_and(|(marker, after)| {
                    place != Place::Paragraph || (marker.number.is_none_or(|number| number == 1) && !is_blank(after))
                })
        }
        _ => false,
    }
}

/// Where a line stands that might interrupt something: a paragraph of its own container is the hardest to interrupt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    Paragraph,
    LazyParagraph,
    Table,
}

fn is_block_tag(name: &[u8]) -> bool {
    name.len() <= 10 && BLOCK_TAGS.split_ascii_whitespace().any(|tag| tag.as_bytes().eq_ignore_ascii_case(name))
}

/// Tags that begin an HTML block of kind 1, and what ends it.
const RAW_TAGS: [(&str, &str); 4] =
    [("pre", "</pre>"), ("style", "</style>"), ("script", "</script>"), ("textarea", "</textarea>")];

/// Tags that begin an HTML block of kind 6.
const BLOCK_TAGS: &str = "address article aside base basefont blockquote body caption center col colgroup dd details \
     dialog dir div dl dt fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hr html \
     iframe legend li link main menu menuitem nav noframes ol optgroup option p param search section summary table \
     tbody td tfoot th thead title tr track ul";
