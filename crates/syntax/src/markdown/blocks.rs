//! Owns the block structure of a Markdown document: which lines are front matter, headings, tables and fences.
//! Follows CommonMark's way with containers, so that what looks like a table in a quote, a fence or a comment is not
//! taken for one. Must not know cells or values, and keeps line numbers only: the rope knows the bytes.
//!
//! Two decisions go beyond the specification's letter. As on GitHub, a table may begin directly below text, with or
//! without a pipe in front of its header. And it ends a list item or quote whose text is not indented or marked on in
//! header and delimiter row; strictly these would be text of the item, which nobody means. `check` points it out.

use std::ops::Range;

use super::line::{self, Cursor, Fence, HtmlEnd, Place};
use super::row;
use crate::limits::MAX_NESTING;

/// The byte order mark, which is no part of the first line.
pub(crate) const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// A stretch of lines that means something to us. Lines between blocks are text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Block {
    pub(crate) lines: Range<usize>,
    pub(crate) kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// With both marker lines.
    FrontMatter,
    /// A first line `---` that looks like front matter but is never closed.
    OpenFrontMatter,
    /// ATX: one line. Underlined: the title's lines and the underline.
    Heading { level: u8, underlined: bool },
    /// Header, delimiter row, rows.
    Table { columns: usize },
    /// With its marker lines.
    Fence { closed: bool },
    /// An HTML block that needed an end mark and has none.
    OpenHtml,
    /// Lines that look like a table and are none, or not for everybody.
    NearTable(NearTable),
}

/// What is wrong with something that looks like a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NearTable {
    /// Header and delimiter row differ in their number of cells.
    Mismatch { header: usize, delimiter: usize },
    /// A cell of the delimiter row is not made of dashes.
    Delimiter,
    /// The rows continue the text of a list item or quote.
    InContainer,
    /// It is a table for us, and text of the list item or quote above for others.
    BelowContainer,
    /// Rows that a blank line cuts off from the table above.
    CutOff,
}

/// Scans a whole document, in time proportional to its length.
pub(crate) fn scan(bytes: &[u8]) -> Vec<Block> {
    let start = if bytes.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() } else { 0 };
    let mut scanner = Scanner::new(Lines { bytes, at: start, number: 0 });
    scanner.front_matter();
    scanner.run()
}

/// Scans a part of a document that begins with a heading, which is line `first`: nothing above matters to it.
pub(crate) fn scan_below_heading(bytes: &[u8], first: usize) -> Vec<Block> {
    Scanner::new(Lines { bytes, at: 0, number: first }).run()
}

/// One line: its number, where it begins, and its content without the line ending.
#[derive(Clone, Copy)]
struct Line<'a> {
    number: usize,
    start: usize,
    content: &'a [u8],
}

#[derive(Clone, Copy)]
struct Lines<'a> {
    bytes: &'a [u8],
    at: usize,
    number: usize,
}

impl<'a> Lines<'a> {
    fn next(&mut self) -> Option<Line<'a>> {
        let rest = &self.bytes[self.at..];
        if rest.is_empty() {
            return None;
        }
        let length = memchr::memchr(b'\n', rest).map_or(rest.len(), |end| end + 1);
        let whole = &rest[..length];
        let line = Line { number: self.number, start: self.at, content: &whole[..line::content_length(whole)] };
        self.at += length;
        self.number += 1;
        Some(line)
    }

    fn peek(&self) -> Option<Line<'a>> {
        let mut ahead = *self;
        ahead.next()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Container {
    Quote,
    Item { indent: usize },
}

#[derive(Debug, Clone, Copy)]
enum Leaf {
    None,
    Paragraph { first: usize },
    Indented,
    Fence { fence: Fence, first: usize },
    Html { end: HtmlEnd, first: usize },
    Table { columns: usize, first: usize, is_shown: bool },
}

struct Scanner<'a> {
    lines: Lines<'a>,
    containers: Vec<Container>,
    leaf: Leaf,
    /// The innermost item was opened by a marker with nothing behind it: a blank line now ends it.
    fresh_item: bool,
    blocks: Vec<Block>,
    /// Only blank lines since the last table of the document.
    table_above: bool,
}

impl<'a> Scanner<'a> {
    fn new(lines: Lines<'a>) -> Self {
        let (containers, blocks) = (Vec::new(), Vec::new());
        Scanner { lines, containers, leaf: Leaf::None, fresh_item: false, blocks, table_above: false }
    }

    fn run(mut self) -> Vec<Block> {
        while let Some(line) = self.lines.next() {
            self.line(line);
        }
        self.close_leaf(self.lines.number);
        self.blocks
    }

    fn line(&mut self, line: Line<'a>) {
        let mut cursor = Cursor::new(line.content);
        let matched = Self::match_containers(&self.containers, &mut cursor);
        if matched == self.containers.len() {
            if self.continues_leaf(cursor, line) {
                return;
            }
        } else if let Leaf::Paragraph { first } = self.leaf
            && self.continues_paragraph(cursor, line, first, matched)
        {
            return;
        }
        self.close_leaf(line.number);
        self.containers.truncate(matched);
        self.open(cursor, line);
    }

    /// Moves the cursor behind the markers of the open containers, as far as this line continues them.
    fn match_containers(containers: &[Container], cursor: &mut Cursor<'a>) -> usize {
        for (matched, container) in containers.iter().enumerate() {
            let saved = *cursor;
            let continues = match container {
                Container::Quote => {
                    cursor.take_blanks(3);
                    cursor.take_quote()
                }
                Container::Item { indent } => cursor.take_blanks(*indent) == *indent || cursor.is_blank(),
            };
            if !continues {
                *cursor = saved;
                return matched;
            }
        }
        containers.len()
    }

    /// Whether the line belongs to the open leaf, all containers being matched.
    fn continues_leaf(&mut self, cursor: Cursor<'a>, line: Line<'a>) -> bool {
        match self.leaf {
            Leaf::None => false,
            Leaf::Paragraph { first } => self.continues_paragraph(cursor, line, first, self.containers.len()),
            Leaf::Indented => {
                let mut ahead = cursor;
                cursor.is_blank() || ahead.take_blanks(4) == 4
            }
            Leaf::Fence { fence, first } => {
                let mut ahead = cursor;
                ahead.take_blanks(fence.indent);
                if ahead.take_blanks(4 - fence.indent) < 4 - fence.indent && line::closes_fence(ahead.rest(), fence) {
                    self.leaf = Leaf::None;
                    self.record(first..line.number + 1, Kind::Fence { closed: true });
                }
                true
            }
            Leaf::Html { end: HtmlEnd::BlankLine, .. } => !cursor.is_blank(),
            Leaf::Html { end: HtmlEnd::Mark(mark), .. } => {
                if line::ends_html(cursor.rest(), mark) {
                    self.leaf = Leaf::None;
                }
                true
            }
            Leaf::Table { .. } => row::is_row(cursor.rest()),
        }
    }

    /// Whether the line belongs to the open paragraph, although it may continue only some of its containers.
    fn continues_paragraph(&mut self, cursor: Cursor<'a>, line: Line<'a>, first: usize, matched: usize) -> bool {
        let place = if matched == self.containers.len() { Place::Paragraph } else { Place::LazyParagraph };
        let mut ahead = cursor;
        if ahead.take_blanks(4) < 4 {
            let rest = ahead.rest();
            if place == Place::Paragraph
                && let Some(level) = line::underline_level(rest)
            {
                self.leaf = Leaf::None;
                self.record(first..line.number + 1, Kind::Heading { level, underlined: true });
                return true;
            }
            if line::interrupts(rest, place) {
                return false;
            }
            let may_be_header = place == Place::Paragraph || rest.first() == Some(&b'|');
            if may_be_header && self.is_table_header(rest, &self.containers[..matched]) {
                if place == Place::LazyParagraph {
                    let lines = line.number..line.number + 2;
                    self.blocks.push(Block { lines, kind: Kind::NearTable(NearTable::BelowContainer) });
                }
                return false;
            }
        }
        if cursor.is_blank() {
            return false;
        }
        self.note_near_table(line, first);
        true
    }

    fn open(&mut self, mut cursor: Cursor<'a>, line: Line<'a>) {
        while self.containers.len() < MAX_NESTING {
            let saved = cursor;
            let outer = cursor.take_blanks(4);
            if outer < 4 {
                if let Some(indent) = cursor.take_list_marker(outer) {
                    self.containers.push(Container::Item { indent });
                    self.table_above = false;
                    self.fresh_item = cursor.is_blank();
                    if self.fresh_item {
                        return;
                    }
                    continue;
                }
                if cursor.take_quote() {
                    self.containers.push(Container::Quote);
                    self.table_above = false;
                    self.fresh_item = false;
                    continue;
                }
            }
            cursor = saved;
            break;
        }
        let fresh_item = std::mem::take(&mut self.fresh_item);
        if cursor.is_blank() {
            if fresh_item {
                self.containers.pop();
            }
            return;
        }
        self.open_leaf(cursor, line);
    }

    fn open_leaf(&mut self, mut cursor: Cursor<'a>, line: Line<'a>) {
        let table_above = std::mem::take(&mut self.table_above);
        let indent = cursor.take_blanks(4);
        if indent == 4 {
            self.leaf = Leaf::Indented;
            return;
        }
        let rest = cursor.rest();
        let first = line.number;
        if let Some(end) = line::html_start(rest).or_else(|| line::is_lone_tag(rest).then_some(HtmlEnd::BlankLine)) {
            if !matches!(end, HtmlEnd::Mark(mark) if line::ends_html(rest, mark)) {
                self.leaf = Leaf::Html { end, first };
            }
        } else if line::is_thematic_break(rest) {
            // Nothing to keep.
        } else if let Some(level) = line::heading_level(rest) {
            self.record(first..first + 1, Kind::Heading { level, underlined: false });
        } else if let Some(fence) = line::fence(rest, indent) {
            self.leaf = Leaf::Fence { fence, first };
        } else if self.is_table_header(rest, &self.containers) {
            self.lines.next();
            // Lines of a quote begin with its mark, and so may the first one of an item: these are no rows by
            // themselves. In the other lines of an item the row stands behind blanks only.
            let is_shown = line::is_blank(&line.content[..line.content.len() - rest.len()]);
            self.leaf = Leaf::Table { columns: row::count(rest), first, is_shown };
        } else {
            self.leaf = Leaf::Paragraph { first };
            let next_is_delimiter = self.lines.peek().is_some_and(|next| looks_like_delimiter(next.content));
            if table_above && rest.first() == Some(&b'|') && row::count(rest) > 1 && !next_is_delimiter {
                self.record(first..first + 1, Kind::NearTable(NearTable::CutOff));
            }
        }
    }

    /// Whether the next line is the delimiter row that makes `rest` a table's header within these containers.
    fn is_table_header(&self, rest: &[u8], containers: &[Container]) -> bool {
        if memchr::memchr(b'|', rest).is_none() {
            return false;
        }
        let Some(next) = self.lines.peek() else { return false };
        let mut cursor = Cursor::new(next.content);
        Self::match_containers(containers, &mut cursor) == containers.len()
            && line::delimiter_columns(cursor.rest()) == Some(row::count(rest))
            && row::has_pipe(rest)
            && !ends_in_hard_break(rest)
    }

    /// Remembers a delimiter row in the middle of text, so that `check` can say why there is no table.
    fn note_near_table(&mut self, line: Line<'a>, first: usize) {
        if !looks_like_delimiter(line.content) {
            return;
        }
        let header = row::count(self.line_before(line));
        if header < 2 {
            return;
        }
        let reason = match line::delimiter_columns(line.content) {
            None => NearTable::Delimiter,
            Some(_) if !self.containers.is_empty() => NearTable::InContainer,
            Some(delimiter) if delimiter == header => return,
            Some(delimiter) => NearTable::Mismatch { header, delimiter },
        };
        let start = line.number.saturating_sub(1).max(first);
        self.blocks.push(Block { lines: start..line.number + 1, kind: Kind::NearTable(reason) });
    }

    /// Content of the line before `line`.
    fn line_before(&self, line: Line<'a>) -> &'a [u8] {
        let bytes = self.lines.bytes;
        let end = line.start;
        let start = memchr::memrchr(b'\n', &bytes[..end.saturating_sub(1)]).map_or(0, |feed| feed + 1);
        &bytes[start..start + line::content_length(&bytes[start..end])]
    }

    fn close_leaf(&mut self, end: usize) {
        match std::mem::replace(&mut self.leaf, Leaf::None) {
            Leaf::Table { columns, first, is_shown } => {
                if is_shown {
                    self.blocks.push(Block { lines: first..end, kind: Kind::Table { columns } });
                }
                self.table_above = self.containers.is_empty();
            }
            Leaf::Fence { first, .. } => self.record(first..end, Kind::Fence { closed: false }),
            Leaf::Html { end: HtmlEnd::Mark(_), first } => self.record(first..end, Kind::OpenHtml),
            Leaf::None | Leaf::Paragraph { .. } | Leaf::Indented | Leaf::Html { .. } => {}
        }
    }

    /// Keeps a block if it stands in no container.
    fn record(&mut self, lines: Range<usize>, kind: Kind) {
        if self.containers.is_empty() {
            self.blocks.push(Block { lines, kind });
        }
    }

    /// Front matter stands at the very beginning, between `---` and `---` (or `...`), and does not begin with a blank
    /// line: a document that begins with a thematic break is more likely then.
    fn front_matter(&mut self) {
        let mut lines = self.lines;
        let Some(first) = lines.next() else { return };
        if !is_marker(first.content, b"---") {
            return;
        }
        let Some(second) = lines.peek() else { return };
        if line::is_blank(second.content) {
            return;
        }
        while let Some(line) = lines.next() {
            if is_marker(line.content, b"---") || is_marker(line.content, b"...") {
                self.lines = lines;
                self.record(0..line.number + 1, Kind::FrontMatter);
                return;
            }
        }
        if looks_like_key(second.content) {
            self.record(0..1, Kind::OpenFrontMatter);
        }
    }
}

pub(crate) fn is_marker(content: &[u8], marker: &[u8]) -> bool {
    content.strip_prefix(marker).is_some_and(line::is_blank)
}

fn looks_like_key(content: &[u8]) -> bool {
    let name = content.iter().take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')).count();
    name > 0 && content.get(name) == Some(&b':')
}

/// A line of dashes, colons and pipes.
fn looks_like_delimiter(content: &[u8]) -> bool {
    content.iter().all(|byte| matches!(byte, b'|' | b'-' | b':') || line::is_blank_byte(*byte))
        && content.contains(&b'|')
        && content.contains(&b'-')
}

/// An odd number of backslashes at the end makes a hard line break, and the line is no header then.
fn ends_in_hard_break(rest: &[u8]) -> bool {
    rest.iter().rev().take_while(|byte| **byte == b'\\').count() % 2 == 1
}
