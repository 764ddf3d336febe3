//! Text without markup: paragraphs between empty lines.

use super::{Block, Piece};

/// The lines of a log are records: each says what it says by itself, and none goes on in the next.
pub(super) fn records(text: &str) -> Vec<Block> {
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines.map(|(index, line)| Block::Prose(vec![Piece { line: index + 1, text: line.trim().to_owned() }])).collect()
}

/// Whether most lines begin with a day or a time, or have a level, as those of a log do.
pub(super) fn is_log(text: &str) -> bool {
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).take(200).collect();
    lines.len() >= 3 && lines.iter().filter(|line| is_record(line)).count() * 10 >= lines.len() * 7
}

/// Whether a line is one of a log.
pub(crate) fn is_record(line: &str) -> bool {
    const LEVELS: [&str; 10] =
        ["INFO", "WARN", "WARNING", "ERROR", "DEBUG", "TRACE", "FATAL", "NOTICE", "CRITICAL", "[info]"];
    let first = line.trim_start_matches(['[', '(', '<']).split([' ', ']', ')', '>', ',']).next().unwrap_or_default();
    let signs = first.matches([':', '-', '/', '.']).count();
    let is_time = first.starts_with(|c: char| c.is_ascii_digit())
        && signs >= 2
        && first.chars().all(|c| c.is_ascii_digit() || matches!(c, ':' | '-' | '/' | '.' | 'T' | 'Z' | '+'));
    let has_level = line.split_whitespace().take(4).any(|word| LEVELS.contains(&word.trim_matches(['[', ']', ':'])));
    (is_time && !first.ends_with('.')) || has_level
}

pub(super) fn blocks(text: &str) -> Vec<Block> {
    if is_log(text) {
        return records(text);
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_line_of_a_log_is_a_record_of_its_own() {
        let found = blocks(
            "2023-11-28 10:00:01 INFO req=1 ms=334\n2023-11-28 10:00:02 INFO req=2 ms=12\n2023-11-28 10:00:09 WARN slow\n",
        );
        assert_eq!(found.len(), 3);
        assert_eq!(
            found[1],
            Block::Prose(vec![Piece { line: 2, text: "2023-11-28 10:00:02 INFO req=2 ms=12".into() }])
        );
        assert_eq!(blocks("The shop opened\nin 2023 and\nclosed in May.").len(), 1);
    }
}
