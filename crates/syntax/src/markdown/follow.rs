//! Owns what becomes of a document's tree when its text changes: only the lines around the change are read again.
//! Rows of a table are looked at one by one; other changes are read from the heading above to the heading below, where
//! nothing above or below can matter. Must not know what a change is for.

use std::ops::Range;
use std::sync::Arc;

use text::{Change, Mismatch, Splice, Text};

use super::blocks::{self, Block, Kind};
use super::{Document, Edit, Tree, line, row};

impl Document {
    /// Takes over a change that somebody else made to the same text.
    pub fn apply(&mut self, change: &Change) -> Result<(), Mismatch> {
        let text = change.apply(&self.text)?;
        if !change.is_empty() {
            let (after, edit) = self.after(change, text);
            self.text = after.text;
            self.tree = after.tree;
            self.invalid_at = after.invalid_at;
            self.edits.remember(edit);
        }
        Ok(())
    }

    /// The document that a change leads to.
    pub(super) fn changed(&self, change: &Change) -> Document {
        self.after(change, self.changed_text(change)).0
    }

    fn after(&self, change: &Change, text: Text) -> (Document, Edit) {
        let (Some(first), Some(last)) = (change.splices().first(), change.splices().last()) else {
            return (Document { text, ..self.clone() }, Edit::Other);
        };
        let followed = match self.invalid_at {
            Some(_) => None,
            None if change.splices().len() == 1 => self.after_rows(first, &text),
            None => None,
        };
        if let Some((tree, edit)) = followed {
            return (Document { text, tree: Arc::new(tree), ..self.clone() }, edit);
        }
        match self.after_text(first.at, last.end(), &text) {
            Some(tree) => (Document { text, tree: Arc::new(tree), ..self.clone() }, Edit::Other),
            None => (Document::parse(text), Edit::Other),
        }
    }

    /// The tree after a change within the rows of one table that leaves rows there.
    fn after_rows(&self, splice: &Splice, text: &Text) -> Option<(Tree, Edit)> {
        let old = self.touched_lines(splice);
        let number = self.tree.tables.partition_point(|index| self.tree.blocks[*index].lines.end < old.start);
        let index = *self.tree.tables.get(number)?;
        let table = &self.tree.blocks[index].lines;
        if old.start < table.start + 2 || old.end > table.end {
            return None;
        }
        let new_end = (old.end + text.line_count()).checked_sub(self.text.line_count())?;
        let header = self.content(table.start).1;
        let indent = &header[..header.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count()];
        let is_row = |number: usize| {
            let whole = text.slice(text.line(number));
            let content = &whole[..line::content_length(&whole)];
            // Indented like the header: further in it might be code.
            let cells = content.strip_prefix(indent).filter(|cells| !matches!(cells.first(), Some(b' ' | b'\t')));
            cells.is_some_and(row::is_row) && std::str::from_utf8(content).is_ok()
        };
        if new_end < old.start || !(old.start..new_end).all(is_row) {
            return None;
        }
        let edit = match (old.len(), new_end - old.start) {
            (1, 1) => Edit::Row { table: number, row: old.start - table.start - 2 },
            (0, 1) => Edit::RowInserted { table: number, row: old.start - table.start - 2 },
            (1, 0) => Edit::RowRemoved { table: number, row: old.start - table.start - 2 },
            _ => Edit::Other,
        };
        let mut tree = Tree::clone(&self.tree);
        tree.blocks[index].lines.end = tree.blocks[index].lines.end + new_end - old.end;
        for block in &mut tree.blocks[index + 1..] {
            moved(&mut block.lines, old.end, new_end);
        }
        Some((tree, edit))
    }

    /// The lines of the old text that a splice touches. Whole lines that come and go leave the next line alone.
    fn touched_lines(&self, splice: &Splice) -> Range<usize> {
        let first = self.text.line_at(splice.at);
        let last = self.text.line_at(splice.end());
        let begins_line = self.text.line(first).start == splice.at;
        let ends_line = self.text.line(last).start == splice.end();
        match begins_line && ends_line && (splice.put.is_empty() || splice.put.ends_with(b"\n")) {
            true => first..last,
            false => first..(last + 1).min(self.text.line_count()),
        }
    }

    /// The tree after a change of the bytes from `start` to `end`, read from the heading above to the heading below.
    /// Nothing if the whole document has to be read.
    fn after_text(&self, start: usize, end: usize, text: &Text) -> Option<Tree> {
        if self.invalid_at.is_some() || self.begins_with_open_marker() {
            return None;
        }
        let (first, last) = (self.text.line_at(start), self.text.line_at(end));
        let blocks = &self.tree.blocks;
        // The first line may have a byte order mark or be a part of front matter, so it is no place to begin behind.
        let is_above = |block: &Block| is_anchor(block) && (1..first).contains(&block.lines.start);
        let above = blocks.iter().rposition(is_above);
        let below = blocks.iter().position(|block| is_anchor(block) && block.lines.start > last);
        let from = above.map_or(0, |index| blocks[index].lines.start);
        let (old_below, new_below) = match below {
            None => (self.text.line_count(), text.line_count()),
            Some(index) => {
                let old = blocks[index].lines.start;
                (old, (old + text.line_count()).checked_sub(self.text.line_count())?)
            }
        };
        // The heading below is read too: only if it is still one, nothing below has changed.
        let to = if below.is_some() { text.line(new_below).end } else { text.len() };
        let bytes = text.slice(text.line(from).start..to);
        std::str::from_utf8(&bytes).ok()?;
        let mut scanned = match above {
            Some(_) => blocks::scan_below_heading(&bytes, from),
            None => blocks::scan(&bytes),
        };
        if above.is_none() && !has_closed_front_matter(&scanned) && begins_with_marker(&bytes) {
            return None;
        }
        let mut all = blocks[..above.unwrap_or(0)].to_vec();
        if let Some(below) = below {
            let heading = scanned.pop()?;
            let same = heading.kind == blocks[below].kind && heading.lines == (new_below..new_below + 1);
            if !same {
                return None;
            }
            all.append(&mut scanned);
            all.extend(blocks[below..].iter().cloned().map(|mut block| {
                moved(&mut block.lines, old_below, new_below);
                block
            }));
        } else {
            all.append(&mut scanned);
        }
        Some(Tree::new(all))
    }

    /// A first line that may become the beginning of front matter by a change anywhere below.
    fn begins_with_open_marker(&self) -> bool {
        !has_closed_front_matter(&self.tree.blocks)
            && self.text.line_count() > 0
            && blocks::is_marker(&self.content(0).1, b"---")
    }
}

/// A heading in one line: the scanner is in the same state behind each of them.
fn is_anchor(block: &Block) -> bool {
    matches!(block.kind, Kind::Heading { underlined: false, .. })
}

fn has_closed_front_matter(blocks: &[Block]) -> bool {
    blocks.first().is_some_and(|block| block.kind == Kind::FrontMatter)
}

fn begins_with_marker(bytes: &[u8]) -> bool {
    let bytes = bytes.strip_prefix(blocks::BYTE_ORDER_MARK).unwrap_or(bytes);
    bytes.starts_with(b"---")
}

fn moved(lines: &mut Range<usize>, old: usize, new: usize) {
    *lines = lines.start + new - old..lines.end + new - old;
}
