//! Owns the view of a document's headings, the sections below them, and its fenced blocks.
//! Must not know how text is added (`edit_text`).

use std::ops::Range;

use super::blocks::{Block, Kind};
use super::{Document, line};

/// A heading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heading {
    /// From 1 to 6.
    pub level: u8,
    /// The title as it is written, without the marks of the heading.
    pub title: String,
    /// Its bytes with the line ending.
    pub span: Range<usize>,
    /// Its line, from 1.
    pub line: usize,
}

/// A heading and everything up to the next heading of its level or above.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// Its heading.
    pub heading: Heading,
    /// All bytes, from the heading to the end of the last subsection.
    pub span: Range<usize>,
    /// The bytes below the heading, up to the first subsection.
    pub body: Range<usize>,
}

/// A fenced block of code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fence {
    /// What follows the opening marks, for example `json`.
    pub info: String,
    /// All bytes with the marks.
    pub span: Range<usize>,
    /// The bytes between the marks.
    pub content: Range<usize>,
    /// Whether there are closing marks.
    pub closed: bool,
}

impl Document {
    /// The headings in the order of the document.
    pub fn headings(&self) -> Vec<Heading> {
        self.heading_blocks().map(|(_, block, level)| self.heading(block, level)).collect()
    }

    /// The sections in the order of their headings; a section holds its subsections.
    pub fn sections(&self) -> Vec<Section> {
        self.heading_blocks().map(|(index, _, _)| index).filter_map(|index| self.section_at(index)).collect()
    }

    /// The first section whose heading has this title; emphasis and case do not count.
    pub fn section(&self, title: &str) -> Option<Section> {
        let (index, ..) = self.heading_blocks().find(|(_, block, _)| same_title(&self.title(block), title))?;
        self.section_at(index)
    }

    /// The fenced blocks in the order of the document.
    pub fn fences(&self) -> Vec<Fence> {
        let fences = self.tree.blocks.iter().filter_map(|block| match block.kind {
            Kind::Fence { closed } => Some((block, closed)),
            _ => None,
        });
        fences.map(|(block, closed)| self.fence(block, closed)).collect()
    }

    pub(super) fn heading_blocks(&self) -> impl Iterator<Item = (usize, &Block, u8)> {
        self.tree.blocks.iter().enumerate().filter_map(|(index, block)| match block.kind {
            Kind::Heading { level, .. } => Some((index, block, level)),
            _ => None,
        })
    }

    pub(super) fn title(&self, block: &Block) -> String {
        let titles = match block.kind {
            Kind::Heading { underlined: true, .. } => block.lines.start..block.lines.end - 1,
            _ => block.lines.clone(),
        };
        let lines: Vec<String> = titles
            .map(|number| {
                let (_, content) = self.content(number);
                let skipped = content.iter().take_while(|byte| line::is_blank_byte(**byte)).count();
                let rest = &content[skipped..];
                let title = match block.kind {
                    Kind::Heading { underlined: false, .. } => &rest[line::heading_title(rest)],
                    _ => rest,
                };
                String::from_utf8_lossy(title).trim().to_owned()
            })
            .collect();
        lines.join(" ")
    }

    fn heading(&self, block: &Block, level: u8) -> Heading {
        Heading { level, title: self.title(block), span: self.span(&block.lines), line: block.lines.start + 1 }
    }

    fn section_at(&self, index: usize) -> Option<Section> {
        let block = self.tree.blocks.get(index)?;
        let Kind::Heading { level, .. } = block.kind else { return None };
        let below = |most: u8| {
            let headings = self.tree.blocks[index + 1..].iter().filter_map(|block| match block.kind {
                Kind::Heading { level, .. } if level <= most => Some(block.lines.start),
                _ => None,
            });
            headings.into_iter().next().unwrap_or(self.text.line_count())
        };
        let heading = self.heading(block, level);
        let body = self.span(&(block.lines.end..below(6)));
        let span = heading.span.start..self.span(&(block.lines.start..below(level))).end;
        let body = if body.start < heading.span.end || body.start > span.end { span.end..span.end } else { body };
        Some(Section { heading, span, body })
    }

    fn fence(&self, block: &Block, closed: bool) -> Fence {
        let (_, first) = self.content(block.lines.start);
        let marks: &[u8] = b"`~ \t";
        let skipped = first.iter().take_while(|byte| marks.contains(byte)).count();
        let info = String::from_utf8_lossy(&first[skipped..]).trim().to_owned();
        let last = if closed { block.lines.end - 1 } else { block.lines.end };
        let span = self.span(&block.lines);
        let inner = block.lines.start + 1..last;
        let content = match inner.is_empty() {
            true => self.text.line(block.lines.start).end..self.text.line(block.lines.start).end,
            false => self.span(&inner),
        };
        Fence { info, span, content, closed }
    }
}

/// Whether two titles are the same but for emphasis, backticks, case and blanks.
pub(super) fn same_title(one: &str, other: &str) -> bool {
    plain_title(one).eq(plain_title(other))
}

fn plain_title(title: &str) -> impl Iterator<Item = char> + '_ {
    let kept = |character: &char| !matches!(character, '*' | '`' | '_') && !character.is_whitespace();
    title.chars().filter(kept).flat_map(char::to_lowercase)
}
