//! Any file into its header and its blocks. Reading never fails: what is odd is told with its place. Must not know which
//! lines make a block (`collect`), what it means (`block`), nor how blocks follow each other (`sequence`).

use std::ops::Range;

use syntax::markdown::fields::readable;

use super::block::{Block, Deviation, Weight, read_block};
use super::collect::sources;
use super::header::{self, Header};
use super::lines::{Line, lines};
use super::sequence;

/// The most blocks and deviations that are told; a file with more is no record of a cycle.
const MOST_BLOCKS: usize = 20_000;

/// A file, read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading {
    /// The goal and what belongs to it.
    pub header: Header,
    /// The blocks in the order of their turns.
    pub blocks: Vec<Block>,
    /// In which order the file has them.
    pub order: Order,
    /// What is odd about the file as a whole; each block has its own.
    pub deviations: Vec<Deviation>,
}

/// In which order a file has its blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// As it should be.
    OldestFirst,
    /// The other way round.
    NewestFirst,
}

impl Reading {
    /// Every deviation, in the order of the file.
    pub fn all_deviations(&self) -> Vec<&Deviation> {
        let own = self.blocks.iter().flat_map(|block| &block.deviations);
        let mut all: Vec<&Deviation> = self.deviations.iter().chain(own).collect();
        all.sort_by_key(|one| (one.line, one.column));
        all
    }

    /// How many INSUFFICIENT in a row the record ends with.
    pub fn insufficient_in_a_row(&self) -> usize {
        sequence::insufficient_in_a_row(&self.blocks)
    }
}

/// Reads a file.
pub fn read(bytes: &[u8]) -> Reading {
    let text = readable(bytes);
    let lines = lines(&text);
    let mut deviations = Vec::new();
    if std::str::from_utf8(bytes).is_err() {
        let at = text.find('\u{1A}').unwrap_or(0);
        let line = lines.iter().rev().find(|line| line.start <= at).map_or(1, |line| line.number);
        let reason = "the file is not UTF-8".into();
        deviations.push(deviation(line, at..at + 1, Weight::Form, reason, "save it as UTF-8".into()));
    }
    let sources = sources(&lines, &mut deviations);
    let header = header::read_header(&lines, sources.first().map(|source| source.first_line), &mut deviations);
    let mut blocks: Vec<Block> = sources.iter().take(MOST_BLOCKS).map(read_block).collect();
    if sources.len() > MOST_BLOCKS {
        let reason = format!("there are more than {MOST_BLOCKS} blocks, the rest is not told");
        deviations.push(deviation(1, 0..0, Weight::Rule, reason, "archive cycles that are over".into()));
    }
    let order = sequence::put_in_order(&mut blocks, &mut deviations);
    sequence::check(&mut blocks);
    let mut place = |one: &mut Deviation| one.column = column(&text, &lines, one);
    deviations.iter_mut().for_each(&mut place);
    blocks.iter_mut().flat_map(|block| &mut block.deviations).for_each(&mut place);
    Reading { header, blocks, order, deviations }
}

pub(super) fn deviation(line: usize, span: Range<usize>, weight: Weight, reason: String, mend: String) -> Deviation {
    Deviation { span, line, column: 0, weight, reason, mend }
}

fn column(text: &str, lines: &[Line<'_>], one: &Deviation) -> usize {
    let Some(line) = lines.get(one.line.saturating_sub(1)) else { return 1 };
    text.get(line.start..one.span.start).map_or(1, |before| before.chars().count() + 1)
}
