//! Text without markup: paragraphs between empty lines.

use super::{Block, Piece};

pub(super) fn blocks(text: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut paragraph: Vec<Piece> = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let trimmed = line.trim();
        let item = list_item(trimmed);
        if (trimmed.is_empty() || item.is_some()) && !paragraph.is_empty() {
            blocks.push(Block::Prose(std::mem::take(&mut paragraph)));
        }
        let text = item.unwrap_or(trimmed);
        if !text.is_empty() {
            paragraph.push(Piece { line: index + 1, text: text.to_owned() });
        }
    }
    if !paragraph.is_empty() {
        blocks.push(Block::Prose(paragraph));
    }
    blocks
}

/// What a line of a list says, without its bullet or number.
pub(super) fn list_item(line: &str) -> Option<&str> {
    for bullet in ["- ", "* ", "+ ", "• "] {
        if let Some(rest) = line.strip_prefix(bullet) {
            return Some(rest.trim_start());
        }
    }
    let digits = line.chars().take_while(char::is_ascii_digit).count();
    if (1..=3).contains(&digits) {
        let rest = &line[digits..];
        return rest.strip_prefix(". ").or_else(|| rest.strip_prefix(") ")).map(str::trim_start);
    }
    None
}
