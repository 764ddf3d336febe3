//! Owns lists as people write them: nested entries with check boxes, and the headings between them. What is deeper by two
//! columns is a child, whatever the marker, so that lists indented by two, four or a tab are all read as they are meant;
//! fenced blocks and comments hide what they hold, if they end where they began. Must not know what an entry is about:
//! keys and values in one are read by `fields`.
//!
//! An entry is the same whether it is read in its document or alone: whoever keeps an index of entries reads again only
//! those that changed.

use std::ops::Range;

use super::line::{self, Cursor, Fence, Place};
use crate::limits::MAX_NESTING;

/// Headings and list entries of a text, in its order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lists {
    /// The nodes.
    pub nodes: Vec<Node>,
    /// The first line that begins a fence or a comment that is never closed, by where it begins. It hides nothing.
    pub unclosed: Option<usize>,
}

/// A heading or an entry of a list. Spans are bytes of the text that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// Which of the two.
    pub kind: Kind,
    /// Its line, from 0.
    pub line: usize,
    /// Where its first line begins.
    pub start: usize,
    /// What it says on its first line: without marker, box and blanks.
    pub content: Range<usize>,
    /// Behind its first line, and for an underlined heading behind the underline.
    pub head_end: usize,
    /// Behind the last line of the paragraph that its first line begins.
    pub text_end: usize,
    /// Behind the last line that belongs to it; of a heading: where the next one of its level or above begins.
    pub end: usize,
    /// The entry or the heading that holds it, by its place among the nodes.
    pub parent: Option<usize>,
}

/// What a node is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// A heading of the document.
    Heading {
        /// From 1 to 6.
        level: u8,
    },
    /// An entry of a list.
    Entry {
        /// Columns of blanks in front of the marker.
        indent: usize,
        /// Its marker.
        marker: Range<usize>,
        /// Its check box.
        check: Option<Check>,
    },
}

/// The check box of an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    /// What stands between the brackets.
    pub span: Range<usize>,
    /// What that means.
    pub tick: Tick,
}

/// What a check box shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tick {
    /// `[ ]`.
    Open,
    /// `[x]`, or another sign for it.
    Done,
    /// Any other character, as some put there.
    Other(char),
}

impl Node {
    /// The same in a text that begins at a place, a line and a node of this one.
    #[doc(hidden)]
    pub fn moved(&self, start: usize, line: usize, node: usize) -> Self {
        let span = |span: &Range<usize>| span.start - start..span.end - start;
        let kind = match &self.kind {
            Kind::Heading { level } => Kind::Heading { level: *level },
            Kind::Entry { indent, marker, check } => Kind::Entry {
                indent: *indent,
                marker: span(marker),
                check: check.as_ref().map(|check| Check { span: span(&check.span), tick: check.tick }),
            },
        };
        Self {
            kind,
            line: self.line - line,
            start: self.start - start,
            content: span(&self.content),
            head_end: self.head_end - start,
            text_end: self.text_end - start,
            end: self.end - start,
            parent: self.parent.and_then(|parent| parent.checked_sub(node)),
        }
    }

    /// The indent of an entry.
    pub fn indent(&self) -> Option<usize> {
        match self.kind {
            Kind::Heading { .. } => None,
            Kind::Entry { indent, .. } => Some(indent),
        }
    }

    /// The level of a heading.
    pub fn level(&self) -> Option<u8> {
        match self.kind {
            Kind::Heading { level } => Some(level),
            Kind::Entry { .. } => None,
        }
    }

    /// The check box of an entry.
    pub fn check(&self) -> Option<&Check> {
        match &self.kind {
            Kind::Heading { .. } => None,
            Kind::Entry { check, .. } => check.as_ref(),
        }
    }
}

/// Reads a text, or a part of one that begins at the start of a line. This never fails.
pub fn read(text: &str) -> Lists {
    let lines = lines(text);
    let mut reader = Reader {
        lines: &lines,
        nodes: Vec::new(),
        headings: Vec::new(),
        open: Vec::new(),
        paragraph: Paragraph::None,
        hopeless: Vec::new(),
        unclosed: None,
    };
    let mut at = 0;
    while at < lines.len() {
        at = reader.line(at);
    }
    reader.close_headings(0, text.len());
    Lists { nodes: reader.nodes, unclosed: reader.unclosed }
}

/// Columns of blanks in front of a line; a tab reaches to the next multiple of four.
pub fn indent_of(line: &str) -> usize {
    let mut cursor = Cursor::new(line.as_bytes());
    cursor.take_blanks(line.len().saturating_mul(4))
}

struct Line<'a> {
    start: usize,
    /// Behind its line ending.
    end: usize,
    indent: usize,
    /// Where what follows the blanks begins.
    at: usize,
    /// What follows the blanks, without the line ending and the blanks before it.
    rest: &'a str,
}

fn lines(text: &str) -> Vec<Line<'_>> {
    let mut start = 0;
    let all = text.split_inclusive('\n').map(|whole| {
        let content = &whole[..line::content_length(whole.as_bytes())];
        let rest = content.trim_start_matches([' ', '\t']);
        let at = start + content.len() - rest.len();
        let rest = rest.trim_end_matches([' ', '\t']);
        let line = Line { start, end: start + whole.len(), indent: indent_of(content), at, rest };
        start = line.end;
        line
    });
    all.collect()
}

/// What a line of text directly above is a part of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Paragraph {
    None,
    /// Text of no list, which began on this line.
    Free(usize),
    /// The first paragraph of an entry.
    Head(usize),
    /// A later paragraph of an entry.
    Inner,
}

/// Something that hides lines until it is closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Hiding {
    Fence(Fence),
    Comment,
}

impl Hiding {
    /// What a line begins, if it does not end on the same line.
    fn begun_by(rest: &str) -> Option<Self> {
        match rest.strip_prefix("<!--") {
            Some(comment) => (!comment.contains("-->")).then_some(Self::Comment),
            None => line::fence(rest.as_bytes(), 0).map(Self::Fence),
        }
    }

    fn is_closed_by(self, rest: &str) -> bool {
        match self {
            Self::Fence(fence) => line::closes_fence(rest.as_bytes(), fence),
            Self::Comment => rest.contains("-->"),
        }
    }

    /// Whether all that closes this one closes the other one, too.
    fn is_closed_no_later_than(self, other: Self) -> bool {
        match (self, other) {
            (Self::Comment, Self::Comment) => true,
            (Self::Fence(one), Self::Fence(other)) => one.mark == other.mark && one.length <= other.length,
            _ => false,
        }
    }
}

struct Reader<'a> {
    lines: &'a [Line<'a>],
    nodes: Vec<Node>,
    /// Headings that hold what comes, outermost first.
    headings: Vec<usize>,
    /// Entries that may hold what comes, outermost first.
    open: Vec<usize>,
    paragraph: Paragraph,
    /// What was begun and never closed, and up to which line its end was looked for: it is not looked for again.
    hopeless: Vec<(Hiding, usize)>,
    unclosed: Option<usize>,
}

impl<'a> Reader<'a> {
    /// Reads a line, and what it hides; gives the next one.
    fn line(&mut self, at: usize) -> usize {
        let line = &self.lines[at];
        if line.rest.is_empty() {
            self.paragraph = Paragraph::None;
            return at + 1;
        }
        let is_outside = self.open.first().is_none_or(|first| self.indent(*first) >= line.indent);
        if is_outside && self.heading(at) {
            return at + 1;
        }
        let is_break = line::is_thematic_break(line.rest.as_bytes());
        if let Some((width, after)) = marker(line.rest).filter(|_| !is_break) {
            let content = self.entry(at, width, after);
            return self.hidden_behind(at, content);
        }
        if line.rest.starts_with("<!--") {
            return self.comment(at);
        }
        if self.interrupts(at) {
            self.settle(line.indent);
            self.paragraph = Paragraph::None;
            let next = self.hidden_behind(at, line.rest);
            if next > at + 1 {
                return next;
            }
        }
        if is_outside && is_break {
            self.open.clear();
            self.paragraph = Paragraph::None;
        } else {
            self.text(at);
        }
        at + 1
    }

    /// Whether the line is a block of its own that ends a paragraph above it.
    fn interrupts(&self, at: usize) -> bool {
        line::interrupts(self.lines[at].rest.as_bytes(), Place::LazyParagraph)
    }

    fn indent(&self, node: usize) -> usize {
        self.nodes[node].indent().unwrap_or_default()
    }

    /// Lets go of entries that a line of this indent does not belong to.
    fn settle(&mut self, indent: usize) {
        while self.open.last().is_some_and(|last| self.indent(*last) >= indent) {
            self.open.pop();
        }
    }

    /// Takes everything up to a place into the entries that are open.
    fn extend(&mut self, end: usize) {
        for node in &self.open {
            self.nodes[*node].end = end;
        }
    }

    /// Whether the line is a heading, or makes one of the line above.
    fn heading(&mut self, at: usize) -> bool {
        let line = &self.lines[at];
        let bytes = line.rest.as_bytes();
        if line.indent >= 4 {
            return false;
        }
        if let Some(level) = line::heading_level(bytes) {
            let title = line::heading_title(bytes);
            self.push_heading(level, at, line.at + title.start..line.at + title.end, at);
            return true;
        }
        let (Paragraph::Free(first), Some(level)) = (self.paragraph, line::underline_level(bytes)) else {
            return false;
        };
        if first + 1 != at {
            return false;
        }
        let title = &self.lines[first];
        self.push_heading(level, first, title.at..title.at + title.rest.len(), at);
        true
    }

    fn push_heading(&mut self, level: u8, first: usize, content: Range<usize>, last: usize) {
        let (start, end) = (self.lines[first].start, self.lines[last].end);
        self.close_headings(level, start);
        self.open.clear();
        self.paragraph = Paragraph::None;
        let parent = self.headings.last().copied();
        self.headings.push(self.nodes.len());
        self.nodes.push(Node {
            kind: Kind::Heading { level },
            line: first,
            start,
            content,
            head_end: end,
            text_end: end,
            end,
            parent,
        });
    }

    /// Ends headings of this level and below.
    fn close_headings(&mut self, level: u8, end: usize) {
        while let Some(last) = self.headings.last().copied().filter(|last| self.nodes[*last].level() >= Some(level)) {
            self.nodes[last].end = end;
            self.headings.pop();
        }
    }

    /// Begins an entry; gives what it says on this line.
    fn entry(&mut self, at: usize, width: usize, after: &'a str) -> &'a str {
        let line = &self.lines[at];
        while self.open.last().is_some_and(|last| self.indent(*last) + 2 > line.indent) {
            self.open.pop();
        }
        if self.open.len() >= MAX_NESTING {
            self.open.pop();
        }
        let end = line.at + line.rest.len();
        let (check, content) = check_box(after, end);
        let parent = self.open.last().or(self.headings.last()).copied();
        self.open.push(self.nodes.len());
        self.paragraph = Paragraph::Head(self.nodes.len());
        self.nodes.push(Node {
            kind: Kind::Entry { indent: line.indent, marker: line.at..line.at + width, check },
            line: at,
            start: line.start,
            content: end - content.len()..end,
            head_end: line.end,
            text_end: line.end,
            end: line.end,
            parent,
        });
        self.extend(line.end);
        content
    }

    /// The line behind those that are hidden by what stands on this one.
    fn hidden_behind(&mut self, at: usize, content: &str) -> usize {
        let Some(hiding) = Hiding::begun_by(content) else { return at + 1 };
        let Some(last) = self.end_of(hiding, at) else { return at + 1 };
        self.extend(self.lines[last].end);
        self.paragraph = Paragraph::None;
        last + 1
    }

    /// A comment stands wherever somebody likes: it ends no list, and belongs to those entries that it is indented for.
    fn comment(&mut self, at: usize) -> usize {
        let line = &self.lines[at];
        let last = match Hiding::begun_by(line.rest) {
            Some(hiding) => self.end_of(hiding, at).unwrap_or(at),
            None => at,
        };
        self.paragraph = Paragraph::None;
        for node in &self.open {
            let node = &mut self.nodes[*node];
            if node.indent().is_some_and(|indent| indent < line.indent) {
                node.end = self.lines[last].end;
            }
        }
        last + 1
    }

    /// The line that closes what a line begins, if that is before the entry ends that holds it.
    fn end_of(&mut self, hiding: Hiding, at: usize) -> Option<usize> {
        let line = &self.lines[at];
        let is_hopeless =
            self.hopeless.iter().any(|(other, until)| at < *until && other.is_closed_no_later_than(hiding));
        let last = if is_hopeless { None } else { self.look_for_end(hiding, at) };
        if last.is_none() {
            self.unclosed = self.unclosed.or(Some(line.start));
        }
        last
    }

    fn look_for_end(&mut self, hiding: Hiding, at: usize) -> Option<usize> {
        let line = &self.lines[at];
        let begins_entry = self.open.last().is_some_and(|last| self.nodes[*last].line == at);
        let mut holders = self.open.iter().rev().map(|node| self.indent(*node));
        let holder = if begins_entry { holders.next() } else { holders.find(|indent| *indent < line.indent) };
        for (number, below) in self.lines.iter().enumerate().skip(at + 1) {
            let is_within = below.rest.is_empty() || holder.is_none_or(|holder| below.indent > holder);
            if !is_within {
                self.give_up(hiding, number);
                return None;
            }
            if hiding.is_closed_by(below.rest) {
                return Some(number);
            }
        }
        self.give_up(hiding, self.lines.len());
        None
    }

    fn give_up(&mut self, hiding: Hiding, until: usize) {
        self.hopeless.retain(|(other, end)| *end > until && !hiding.is_closed_no_later_than(*other));
        self.hopeless.push((hiding, until));
    }

    fn text(&mut self, at: usize) {
        let line = &self.lines[at];
        // Text goes on with the paragraph above it, however it is indented.
        if !matches!(self.paragraph, Paragraph::Head(_) | Paragraph::Inner) {
            self.settle(line.indent);
        }
        self.extend(line.end);
        match self.paragraph {
            Paragraph::Head(node) => self.nodes[node].text_end = line.end,
            Paragraph::Inner | Paragraph::Free(_) => {}
            Paragraph::None if self.open.is_empty() => self.paragraph = Paragraph::Free(at),
            Paragraph::None => self.paragraph = Paragraph::Inner,
        }
    }
}

/// The marker of an entry: how wide it is, and what follows it.
fn marker(rest: &str) -> Option<(usize, &str)> {
    if let Some((marker, _)) = line::list_item(rest.as_bytes()) {
        return Some((marker.width, rest[marker.width..].trim_start_matches([' ', '\t'])));
    }
    let sign = rest.chars().next().filter(|sign| matches!(sign, '•' | '◦' | '▪' | '‣'))?;
    let after = &rest[sign.len_utf8()..];
    after.starts_with([' ', '\t']).then(|| (sign.len_utf8(), after.trim_start_matches([' ', '\t'])))
}

/// The check box that text begins with, which ends at a place; and what follows it.
fn check_box(text: &str, end: usize) -> (Option<Check>, &str) {
    let found = text.strip_prefix('[').and_then(|inner| {
        let (mark, after) = inner.split_once(']')?;
        let mut signs = mark.trim().chars();
        let (sign, more) = (signs.next(), signs.next());
        let tick = match sign {
            _ if more.is_some_and(|more| more != '\u{FE0F}') || mark.len() > 8 => return None,
            None => Tick::Open,
            Some('x' | 'X' | '✓' | '✔' | '✅' | '☑' | '×' | '✗') => Tick::Done,
            Some(other) => Tick::Other(other),
        };
        // `[1](address)` is a link, and `[a]` without a blank behind it a word in brackets.
        let is_apart = after.is_empty() || after.starts_with([' ', '\t']);
        let is_plain = matches!(tick, Tick::Open | Tick::Done) && !after.starts_with(['(', '[', ':']);
        (is_apart || is_plain).then(|| {
            let start = end - text.len() + 1;
            (Check { span: start..start + mark.len(), tick }, after.trim_start_matches([' ', '\t']))
        })
    });
    match found {
        Some((check, after)) => (Some(check), after),
        None => (None, text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One line for each node: how deep it stands, its box, its text, and what else belongs to it.
    fn shown(text: &str) -> String {
        let lists = read(text);
        let mut out = String::new();
        for node in &lists.nodes {
            let mut depth = 0;
            let mut parent = node.parent;
            while let Some(holder) = parent {
                depth += 1;
                parent = lists.nodes[holder].parent;
            }
            let mark = match (&node.kind, node.check()) {
                (Kind::Heading { level }, _) => "#".repeat(usize::from(*level)),
                (_, None) => "-".into(),
                (_, Some(Check { tick: Tick::Open, .. })) => "[ ]".into(),
                (_, Some(Check { tick: Tick::Done, .. })) => "[x]".into(),
                (_, Some(Check { tick: Tick::Other(sign), .. })) => format!("[{sign}]"),
            };
            let more = text[node.start..node.end].lines().count();
            out.push_str(&format!("{}{mark} {} ({more})\n", "  ".repeat(depth), &text[node.content.clone()]));
        }
        if let Some(at) = lists.unclosed {
            out.push_str(&format!("unclosed at {at}\n"));
        }
        out
    }

    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(shown(text), expected, "{text}");
    }

    #[test]
    fn lists_nest_by_their_indent() {
        let nested = "[ ] a (4)\n  - status: x (1)\n  [x] b (2)\n    - c (1)\n";
        check("- [ ] a\n  - status: x\n  - [x] b\n    - c\n", nested);
        check("* [ ] a\n    * status: x\n    * [x] b\n        * c\n", nested);
        check("+ [ ] a\n\t+ status: x\n\t+ [X] b\n\t\t+ c\n", nested);
        check("1. [ ] a\n  - status: x\n  2) [✓] b\n     • c\n", nested);
        check("- a\n - b\n  - c\n   - d\n", "- a (1)\n- b (1)\n- c (1)\n- d (1)\n");
        check("   - a\n- b\n", "- a (1)\n- b (1)\n");
    }

    #[test]
    fn boxes() {
        check(
            "- [-] a\n- [] b\n- [x]c\n- [x](d)\n- [ab] e\n- [~] f\n- [1](g)\n- []\n- [x]\n",
            "[-] a (1)\n[ ] b (1)\n[x] c (1)\n- [x](d) (1)\n- [ab] e (1)\n[~] f (1)\n- [1](g) (1)\n[ ]  (1)\n[x]  (1)\n",
        );
    }

    #[test]
    fn text_belongs_to_its_entry() {
        check("- a\nlazy\n\n  more\n\nend\n- b\n", "- a (4)\n- b (1)\n");
        check("- a\n  - b\n\n  of a\n    - c\n", "- a (5)\n  - b (1)\n  - c (1)\n");
        check("- a\n> quote\n- b\n", "- a (1)\n- b (1)\n");
        check("text\n---\n- a\n\n---\n- b\n", "## text (6)\n  - a (1)\n  - b (1)\n");
        check("# x\n- a\n## y\n- b\n# z\n", "# x (4)\n  - a (1)\n  ## y (2)\n    - b (1)\n# z (1)\n");
        check("- - -\n* * *\n", "");
    }

    #[test]
    fn fences_and_comments_hide_what_they_hold() {
        check("- a\n  ```\n- x\n  ```\n- b\n", "- a (2)\n- x (2)\n- b (1)\nunclosed at 4\n");
        check("- a\n  ```\n  - x\n  ```\n- b\n", "- a (4)\n- b (1)\n");
        check("- a\n  ```\n  - x\n- b\n", "- a (3)\n  - x (1)\n- b (1)\nunclosed at 4\n");
        check("```\n- x\n# y\n```\n- b\n", "- b (1)\n");
        check("- a\n<!--\n- x\n-->\n  - b\n", "- a (5)\n  - b (1)\n");
        check("- a\n<!-- x -->\n  - b\n", "- a (3)\n  - b (1)\n");
        check("<!--\n- a\n", "- a (1)\nunclosed at 0\n");
        check("- ```\n  - x\n  ```\n- b\n", "- ``` (3)\n- b (1)\n");
    }
}
