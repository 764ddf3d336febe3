//! Owns the block structure of a Markdown document: which lines are front matter, headings, tables and fences.
//! Follows CommonMark's way with containers, so that what looks like a table in a quote, a fence or a comment is not
//! taken for one. Must not know cells or values, and keeps line numbers only: the rope knows the bytes.
//!
//! Three decisions go beyond the specification's letter. As on GitHub, a table may begin directly below text, with or
//! without a pipe in front of its header; and behind a delimiter row that does not fit its header, the rest of the
//! paragraph is text. And a table ends a list item or quote whose text is not indented or marked on in
//! header and delimiter row; strictly these would be text of the item, which nobody means. `check` points it out.

use std::ops::Range;

use super::line::{self, Cursor, Fence, HtmlEnd, Place};
use super::near::{self, Above, Continuation, NearTable, Watch};
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

/// One line: its number, and its content without the line ending.
#[derive(Clone, Copy)]
struct Line<'a> {
    number: usize,
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
        let line = Line { number: self.number, content: &whole[..line::content_length(whole)] };
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
    /// What stands above, blank lines left out; only what stands in no container.
    above: Above,
    /// The lines of the open paragraph, or of the last one.
    watch: Watch<'a>,
}

impl<'a> Scanner<'a> {
    fn new(lines: Lines<'a>) -> Self {
        Scanner {
            lines,
            containers: Vec::new(),
            leaf: Leaf::None,
            fresh_item: false,
            blocks: Vec::new(),
            above: Above::Nothing,
            watch: Watch::default(),
        }
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
            Leaf::Table { columns, is_shown, .. } => {
                // Further in, the line would begin a block of code, which ends a table like any other block.
                let is_row = cursor.clone().take_blanks(4) < 4 && row::is_row(cursor.rest());
                if is_row && !is_shown {
                    self.note_row(cursor.rest(), line, columns);
                }
                is_row
            }
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
            if may_be_header && !self.watch.is_mismatched && self.is_table_header(rest, &self.containers[..matched]) {
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
        let how = if place == Place::Paragraph { Continuation::Marked } else { Continuation::Lazy };
        if let Some((found, first)) = self.watch.next(cursor.rest(), line.number, how) {
            self.blocks.push(Block { lines: first..line.number + 1, kind: Kind::NearTable(found) });
        }
        true
    }

    fn open(&mut self, mut cursor: Cursor<'a>, line: Line<'a>) {
        while self.containers.len() < MAX_NESTING {
            let saved = cursor;
            let outer = cursor.take_blanks(4);
            if outer < 4 {
                if let Some(indent) = cursor.take_list_marker(outer) {
                    self.containers.push(Container::Item { indent });
                    self.above = Above::Nothing;
                    self.fresh_item = cursor.is_blank();
                    if self.fresh_item {
                        return;
                    }
                    continue;
                }
                if cursor.take_quote() {
                    self.containers.push(Container::Quote);
                    self.above = Above::Nothing;
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
        let above = std::mem::take(&mut self.above);
        let indent = cursor.take_blanks(4);
        if indent == 4 {
            self.leaf = Leaf::Indented;
            let after = line::without_blanks(cursor.rest());
            if above == (Above::Table { end: line.number }) && after.first() == Some(&b'|') && row::count(after) > 1 {
                self.record(line.number..line.number + 1, Kind::NearTable(NearTable::Indented));
                self.above = Above::CutOffRow;
            }
            return;
        }
        let rest = cursor.rest();
        let first = line.number;
        if let Some(end) = line::html_start(rest).or_else(|| line::is_lone_tag(rest).then_some(HtmlEnd::BlankLine)) {
            if !matches!(end, HtmlEnd::Mark(mark) if line::ends_html(rest, mark)) {
                self.leaf = Leaf::Html { end, first };
            }
            let next_is_row = self.lines.peek().is_some_and(|next| near::is_full_row(next.content));
            if above == (Above::Table { end: first }) && next_is_row {
                self.record(first..first + 1, Kind::NearTable(NearTable::Tag));
                self.above = Above::CutOffRow;
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
            let next = self.lines.peek().map_or(&b""[..], |next| next.content);
            if let Some(found) = self.watch.first(rest, first, above, next) {
                self.blocks.push(Block { lines: first..first + 1, kind: Kind::NearTable(found) });
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

    /// Remembers a row of a table that is not shown, so that `check` can say that its cells do not fit.
    fn note_row(&mut self, rest: &[u8], line: Line<'a>, columns: usize) {
        let cells = row::count(rest);
        if cells == columns {
            return;
        }
        let extra = row::split(rest).cells.get(columns).map_or(0, |cell| row::trimmed(rest, cell.clone()).start);
        let at = line.content.len() - rest.len() + extra;
        let kind = Kind::NearTable(NearTable::Row { cells, columns, at });
        self.blocks.push(Block { lines: line.number..line.number + 1, kind });
    }

    fn close_leaf(&mut self, end: usize) {
        match std::mem::replace(&mut self.leaf, Leaf::None) {
            Leaf::Table { columns, first, is_shown } => {
                if is_shown {
                    self.blocks.push(Block { lines: first..end, kind: Kind::Table { columns } });
                }
                if self.containers.is_empty() {
                    self.above = Above::Table { end };
                }
            }
            Leaf::Paragraph { .. } if self.containers.is_empty() && self.watch.ends_with_row() => {
                self.above = Above::Row;
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

/// An odd number of backslashes at the end makes a hard line break, and the line is no header then.
fn ends_in_hard_break(rest: &[u8]) -> bool {
    rest.iter().rev().take_while(|byte| **byte == b'\\').count() % 2 == 1
}
