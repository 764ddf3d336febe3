//! Owns changes to the text of a document: a new section, text at the top or the end of one. The result is read,
//! and what would change the rest of the document is refused. Must not touch bytes outside its span.

use std::ops::Range;

use text::Change;

use super::blocks::{Block, Kind};
use super::{Document, Refusal, line, sections};

impl Document {
    /// Adds a section at the end of the document.
    pub fn append_section(&mut self, level: u8, title: &str, body: &str) -> Result<Change, Refusal> {
        self.check_editable()?;
        if !(1..=6).contains(&level) {
            return Err(Refusal::Level { level });
        }
        if title.contains(['\n', '\r']) {
            return Err(Refusal::Title {
                title: title.to_owned(),
                read: title.lines().next().unwrap_or("").to_owned(),
            });
        }
        self.check_closed()?;
        let ending = String::from_utf8_lossy(self.line_ending(0)).into_owned();
        let mut put = self.gap_above(self.text.line_count(), &ending);
        put.push_str(&format!("{} {title}{ending}", "#".repeat(usize::from(level))));
        if !body.is_empty() {
            put.push_str(&ending);
            put.push_str(&with_ending(body, &ending));
        }
        let change = Change::one(self.text.len(), Vec::new(), put);
        let parsed = self.changed(&change);
        let known = self.tree.blocks.len();
        let heading = match parsed.tree.blocks.get(known) {
            Some(block) if parsed.tree.blocks[..known] == self.tree.blocks => block,
            _ => return Err(Refusal::Swallows { line: self.text.line_count() }),
        };
        let read = parsed.title(heading);
        if heading.kind != (Kind::Heading { level, underlined: false }) || read != title.trim() {
            return Err(Refusal::Title { title: title.to_owned(), read });
        }
        self.commit(parsed);
        Ok(change)
    }

    /// Adds text at the end of a section, below its subsections.
    pub fn append_to_section(&mut self, title: &str, text: &str) -> Result<Change, Refusal> {
        self.check_editable()?;
        let lines = self.section_lines(title)?;
        let is_blank = |number: &usize| line::is_blank(&self.content(*number).1);
        let last = lines.clone().rev().find(|number| !is_blank(number)).unwrap_or(lines.start);
        self.insert_text(last + 1, text)
    }

    /// Adds text directly below the heading of a section, above all that stands there.
    pub fn prepend_to_section(&mut self, title: &str, text: &str) -> Result<Change, Refusal> {
        self.check_editable()?;
        let heading = self.section_heading(title)?.lines.end;
        self.insert_text(heading, text)
    }

    /// Adds text above a line, with a blank line on each side where there is none.
    pub(super) fn insert_text(&mut self, line: usize, text: &str) -> Result<Change, Refusal> {
        if text.is_empty() {
            return Ok(Change::default());
        }
        if line >= self.text.line_count() {
            self.check_closed()?;
        }
        let ending = String::from_utf8_lossy(self.line_ending(line.saturating_sub(1))).into_owned();
        let mut put = self.gap_above(line, &ending);
        put.push_str(&with_ending(text, &ending));
        if line < self.text.line_count() && !line::is_blank(&self.content(line).1) {
            put.push_str(&ending);
        }
        let at = if line < self.text.line_count() { self.text.line(line).start } else { self.text.len() };
        let change = Change::one(at, Vec::new(), put);
        let parsed = self.changed(&change);
        let moved = parsed.text.line_count() - self.text.line_count();
        if !keeps_blocks(&self.tree.blocks, &parsed.tree.blocks, line, moved) {
            return Err(Refusal::Swallows { line: line + 1 });
        }
        self.commit(parsed);
        Ok(change)
    }

    /// What must stand between the lines above and new text: the line's own end, and a blank line.
    fn gap_above(&self, line: usize, ending: &str) -> String {
        if line == 0 {
            return String::new();
        }
        let mut gap = String::new();
        if !self.text.slice(self.text.line(line - 1)).ends_with(b"\n") {
            gap.push_str(ending);
        }
        if !line::is_blank(&self.content(line - 1).1) {
            gap.push_str(ending);
        }
        gap
    }

    /// Refuses to add below a block that goes on to the end of the document.
    fn check_closed(&self) -> Result<(), Refusal> {
        match self.tree.blocks.last() {
            Some(Block { kind: Kind::Fence { closed: false } | Kind::OpenHtml, lines }) => {
                Err(Refusal::OpenBlock { line: lines.start + 1 })
            }
            _ => Ok(()),
        }
    }

    fn section_heading(&self, title: &str) -> Result<&Block, Refusal> {
        let mut headings = self.heading_blocks();
        let found = headings.find(|(_, block, _)| sections::same_title(&self.title(block), title));
        found.map(|(_, block, _)| block).ok_or_else(|| {
            let known: Vec<String> = self.headings().iter().map(|heading| format!("`{}`", heading.title)).collect();
            let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
            Refusal::NoSuchSection { title: title.to_owned(), known }
        })
    }

    fn section_lines(&self, title: &str) -> Result<Range<usize>, Refusal> {
        let heading = self.section_heading(title)?;
        let Kind::Heading { level: own, .. } = heading.kind else { return Ok(heading.lines.clone()) };
        let next = self
            .heading_blocks()
            .find(|(_, block, level)| block.lines.start > heading.lines.start && *level <= own)
            .map_or(self.text.line_count(), |(_, block, _)| block.lines.start);
        Ok(heading.lines.start..next)
    }
}

/// Text with the document's line endings, and one at its end.
fn with_ending(text: &str, ending: &str) -> String {
    let mut text = match ending {
        "\r\n" => text.replace("\r\n", "\n").replace('\n', "\r\n"),
        _ => text.to_owned(),
    };
    if !text.ends_with('\n') {
        text.push_str(ending);
    }
    text
}

/// Whether all blocks above a line are the same, and those from it on the same but for having moved.
fn keeps_blocks(before: &[Block], after: &[Block], line: usize, moved: usize) -> bool {
    let above = before.iter().take_while(|block| block.lines.start < line).count();
    let below = before.len() - above;
    if after.len() < before.len() || after[..above] != before[..above] {
        return false;
    }
    let same = |(old, new): (&Block, &Block)| {
        old.kind == new.kind && old.lines.start + moved == new.lines.start && old.lines.end + moved == new.lines.end
    };
    before[above..].iter().zip(&after[after.len() - below..]).all(same)
}
