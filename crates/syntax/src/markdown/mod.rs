//! Owns a Markdown document: its bytes as a rope, its blocks as line numbers, and the way from one to the other.
//!
//! - `line`: what one line can be; `blocks`: what it is in its place; `row`: the cells of one line
//! - `near`: what looks like a table and is none
//! - `fields`: keys and values on lines of text; `edit_fields`: another value for one; `lists`: nested entries
//! - `cells`, `paths`: from the text of a cell to its value and back
//! - `tables`, `sections`, `front_matter`: views of a document
//! - `edit_rows`, `edit_text`: changes to a document; `follow`: what they leave of its blocks
//! - `row_index`: rows found by key
//! - `report`: what is odd about a document
//!
//! Must not know what the documents are about.
//!
//! Headings and fences are those of the document itself, not those of quotes and list items. Tables are those of the
//! document and of its list items; a table in a quote, or one that begins on the line of a list marker, is text, of which
//! only the problems of its rows are told.

mod blocks;
pub mod cells;
mod edit_fields;
mod edit_rows;
mod edit_text;
pub mod fields;
mod follow;
mod front_matter;
mod line;
pub mod lists;
mod near;
pub mod paths;
mod refusal;
mod report;
mod row;
mod row_index;
mod sections;
mod tables;

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use text::{Change, Text};

use crate::limits::MAX_REMEMBERED_EDITS;
use blocks::{BYTE_ORDER_MARK, Block, Kind};
pub use front_matter::{FrontMatter, Scalar};
pub use refusal::Refusal;
pub use row_index::RowIndex;
pub use sections::{Fence, Heading, Section};
pub use tables::{Cell, Column, Row, Table, TableId, Wanted};

/// A Markdown document. Any bytes are one; cloning it copies nothing.
#[derive(Clone)]
pub struct Document {
    text: Text,
    tree: Arc<Tree>,
    /// The first byte that is not UTF-8.
    invalid_at: Option<usize>,
    edits: Edits,
}

#[derive(Debug, Default, Clone, PartialEq, Eq)]
struct Tree {
    blocks: Vec<Block>,
    /// Which blocks are tables.
    tables: Vec<usize>,
}

impl Tree {
    fn new(blocks: Vec<Block>) -> Self {
        let is_table = |block: &Block| matches!(block.kind, Kind::Table { .. });
        let tables = (0..blocks.len()).filter(|index| is_table(&blocks[*index])).collect();
        Tree { blocks, tables }
    }
}

impl Document {
    /// Reads a document. This never fails; what is odd is in [`Document::problems`].
    pub fn parse(text: impl Into<Text>) -> Self {
        let text = text.into();
        let bytes = text.slice(0..text.len());
        let tree = Arc::new(Tree::new(blocks::scan(&bytes)));
        let invalid_at = std::str::from_utf8(&bytes).err().map(|error| error.valid_up_to());
        drop(bytes);
        Document { text, tree, invalid_at, edits: Edits::default() }
    }

    /// The bytes as they are now.
    pub fn text(&self) -> &Text {
        &self.text
    }

    /// A copy of the bytes as they are now.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.text.to_vec()
    }

    /// Whether edits are refused, because the bytes are not UTF-8.
    pub fn is_read_only(&self) -> bool {
        self.invalid_at.is_some()
    }

    /// Whether both documents have the same blocks in the same lines.
    #[doc(hidden)]
    pub fn has_same_tree(&self, other: &Document) -> bool {
        self.tree == other.tree && self.invalid_at == other.invalid_at
    }

    /// Content of a line without its line ending, and where it begins.
    fn content(&self, line: usize) -> (usize, Cow<'_, [u8]>) {
        let (start, mut content) = self.text.line_bytes(line);
        let length = line::content_length(&content);
        let skipped = if start == 0 && content.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() } else { 0 };
        content = match content {
            Cow::Borrowed(bytes) => Cow::Borrowed(&bytes[skipped..length]),
            Cow::Owned(bytes) => Cow::Owned(bytes[skipped..length].to_vec()),
        };
        (start + skipped, content)
    }

    /// Bytes of some lines, line endings included.
    fn span(&self, lines: &Range<usize>) -> Range<usize> {
        if lines.start >= lines.end {
            return self.text.len()..self.text.len();
        }
        self.text.line(lines.start).start..self.text.line(lines.end - 1).end
    }

    /// The line ending of a line, or that of the document if this line has none.
    fn line_ending(&self, line: usize) -> &'static [u8] {
        for line in [line, 0] {
            if line < self.text.line_count() {
                let bytes = self.text.slice(self.text.line(line));
                match &bytes[..] {
                    [.., b'\r', b'\n'] => return b"\r\n",
                    [.., b'\n'] => return b"\n",
                    _ => {}
                }
            }
        }
        b"\n"
    }

    fn check_editable(&self) -> Result<(), Refusal> {
        match self.invalid_at {
            None => Ok(()),
            Some(at) => Err(Refusal::ReadOnly { line: self.text.line_at(at) + 1, at }),
        }
    }

    /// The text after a change that was made for it.
    fn changed_text(&self, change: &Change) -> Text {
        let mut text = self.text.clone();
        // From the end, so that earlier places keep their numbers.
        for splice in change.splices().iter().rev() {
            text.splice(splice.range(), &splice.put);
        }
        text
    }

    /// Takes over a change that leaves every block where it is.
    fn commit_in_place(&mut self, change: &Change, edit: Edit) {
        self.text = self.changed_text(change);
        self.edits.remember(edit);
    }

    /// Takes over a document that a change led to.
    fn commit(&mut self, parsed: Document) {
        self.text = parsed.text;
        self.tree = parsed.tree;
        self.edits.remember(Edit::Other);
    }
}

impl fmt::Display for Document {
    /// The bytes as they are; where they are not UTF-8, with replacement characters (see [`Document::to_bytes`]).
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&String::from_utf8_lossy(&self.text.slice(0..self.text.len())))
    }
}

impl fmt::Debug for Document {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Document").field("bytes", &self.text.len()).field("blocks", &self.tree.blocks).finish()
    }
}

/// The last edits of a document, so that an index of rows can follow without reading the table again.
/// A list that clones of the document share: cloning costs nothing.
#[derive(Debug, Clone)]
struct Edits {
    last: Arc<Link>,
}

#[derive(Debug)]
struct Link {
    /// Who the document is. A stamp is never used twice, so two documents with one stamp have the same bytes.
    stamp: Arc<()>,
    /// The state before, and the edit that led from it to this one.
    before: Option<(Arc<Link>, Edit)>,
    /// How many states before this one are remembered.
    length: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Edit {
    Cell { table: usize, row: usize, column: usize },
    Row { table: usize, row: usize },
    RowInserted { table: usize, row: usize },
    RowRemoved { table: usize, row: usize },
    Other,
}

impl Default for Edits {
    fn default() -> Self {
        Edits { last: Arc::new(Link { stamp: Arc::new(()), before: None, length: 0 }) }
    }
}

impl Edits {
    fn stamp(&self) -> Arc<()> {
        Arc::clone(&self.last.stamp)
    }

    fn remember(&mut self, edit: Edit) {
        if self.last.length >= MAX_REMEMBERED_EDITS {
            self.last = forget_half(&self.last);
        }
        let length = self.last.length + 1;
        let before = Some((Arc::clone(&self.last), edit));
        self.last = Arc::new(Link { stamp: Arc::new(()), before, length });
    }

    /// The edits since a stamp, the first one first; nothing if it is not known any more.
    fn since(&self, stamp: &Arc<()>) -> Option<Vec<Edit>> {
        let mut edits = Vec::new();
        let mut link = &self.last;
        while !Arc::ptr_eq(&link.stamp, stamp) {
            let (before, edit) = link.before.as_ref()?;
            edits.push(*edit);
            link = before;
        }
        edits.reverse();
        Some(edits)
    }
}

/// The same states with the same stamps, but only the later half of them.
fn forget_half(last: &Arc<Link>) -> Arc<Link> {
    let mut kept = Vec::new();
    let mut link = last;
    while let Some((before, edit)) = link.before.as_ref().filter(|_| kept.len() < MAX_REMEMBERED_EDITS / 2) {
        kept.push((Arc::clone(&link.stamp), *edit));
        link = before;
    }
    let mut rebuilt = Arc::new(Link { stamp: Arc::clone(&link.stamp), before: None, length: 0 });
    for (stamp, edit) in kept.into_iter().rev() {
        let length = rebuilt.length + 1;
        rebuilt = Arc::new(Link { stamp, before: Some((rebuilt, edit)), length });
    }
    rebuilt
}
