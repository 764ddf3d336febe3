//! Markdown, as far as statements go: headings, paragraphs, list items, tables. Code is no statement and is left out.

use super::{Block, Cell, Piece, plain::list_item};

pub(super) fn blocks(text: &str) -> Vec<Block> {
    let lines: Vec<&str> = text.lines().collect();
    let mut reader = Reader { blocks: Vec::new(), paragraph: Vec::new() };
    let mut at = after_front_matter(&lines);
    while at < lines.len() {
        at = reader.take(&lines, at);
    }
    reader.end_paragraph();
    reader.blocks
}

fn after_front_matter(lines: &[&str]) -> usize {
    if lines.first().map(|line| line.trim_end()) != Some("---") {
        return 0;
    }
    lines.iter().skip(1).position(|line| matches!(line.trim_end(), "---" | "...")).map_or(0, |end| end + 2)
}

struct Reader {
    blocks: Vec<Block>,
    paragraph: Vec<Piece>,
}

impl Reader {
    /// Takes what begins at a line, and says where the next thing begins.
    fn take(&mut self, lines: &[&str], at: usize) -> usize {
        let mut line = lines[at].trim();
        while let Some(quoted) = line.strip_prefix('>') {
            line = quoted.trim_start();
        }
        if let Some(fence) = fence(line) {
            self.end_paragraph();
            return after_fence(lines, at + 1, fence);
        }
        if line.starts_with("<!--") {
            self.end_paragraph();
            return lines[at..].iter().position(|line| line.contains("-->")).map_or(lines.len(), |end| at + end + 1);
        }
        if let Some((level, heading)) = heading(line) {
            self.end_paragraph();
            self.blocks.push(Block::Heading { line: at + 1, level, text: plain_inline(heading) });
            return at + 1;
        }
        if line.contains('|') && lines.get(at + 1).is_some_and(|next| is_delimiter_row(next)) {
            self.end_paragraph();
            return self.take_table(lines, at);
        }
        if !self.paragraph.is_empty() && line.len() > 1 && is_underline(line) {
            self.end_as_heading(if line.starts_with('=') { 1 } else { 2 });
            return at + 1;
        }
        let item = list_item(line);
        if line.is_empty() || item.is_some() || is_rule(line) {
            self.end_paragraph();
        }
        let text = plain_inline(item.unwrap_or(line));
        if !text.trim().is_empty() && !is_rule(line) && !is_reference(line) {
            self.paragraph.push(Piece { line: at + 1, text });
        }
        at + 1
    }

    fn take_table(&mut self, lines: &[&str], at: usize) -> usize {
        let header = cells(lines[at]);
        let mut rows = Vec::new();
        let mut next = at + 2;
        while next < lines.len() && lines[next].contains('|') {
            rows.push(cells(lines[next]).into_iter().map(|text| Cell { line: next + 1, text }).collect());
            next += 1;
        }
        self.blocks.extend(super::table(at + 1, header, rows).map(Block::Table));
        next
    }

    fn end_as_heading(&mut self, level: usize) {
        let pieces = std::mem::take(&mut self.paragraph);
        if let Some(first) = pieces.first() {
            let text = pieces.iter().map(|piece| piece.text.as_str()).collect::<Vec<_>>().join(" ");
            self.blocks.push(Block::Heading { line: first.line, level, text });
        }
    }

    fn end_paragraph(&mut self) {
        if !self.paragraph.is_empty() {
            self.blocks.push(Block::Prose(std::mem::take(&mut self.paragraph)));
        }
    }
}

fn fence(line: &str) -> Option<&'static str> {
    ["```", "~~~"].into_iter().find(|fence| line.starts_with(fence))
}

fn after_fence(lines: &[&str], from: usize, fence: &str) -> usize {
    lines[from..].iter().position(|line| line.trim().starts_with(fence)).map_or(lines.len(), |end| from + end + 1)
}

fn heading(line: &str) -> Option<(usize, &str)> {
    let level = line.chars().take_while(|c| *c == '#').count();
    let rest = &line[level..];
    ((1..=6).contains(&level) && (rest.is_empty() || rest.starts_with([' ', '\t'])))
        .then(|| (level, rest.trim().trim_end_matches('#').trim_end()))
}

fn is_underline(line: &str) -> bool {
    line.chars().all(|c| c == '=') || line.chars().all(|c| c == '-')
}

fn is_rule(line: &str) -> bool {
    let signs: Vec<char> = line.chars().filter(|c| !c.is_whitespace()).collect();
    signs.len() >= 3 && matches!(signs[0], '-' | '*' | '_') && signs.iter().all(|c| *c == signs[0])
}

/// A link's definition: `[name]: address`.
fn is_reference(line: &str) -> bool {
    line.starts_with('[') && line.split_once("]:").is_some_and(|(name, _)| !name.contains(' '))
}

fn is_delimiter_row(line: &str) -> bool {
    let line = line.trim();
    line.contains('-') && line.chars().all(|c| matches!(c, '|' | '-' | ':' | ' ' | '\t'))
}

fn cells(line: &str) -> Vec<String> {
    let line = line.trim();
    let line = line.strip_prefix('|').unwrap_or(line);
    let mut cells = vec![String::new()];
    let mut escaped = false;
    for c in line.chars() {
        if c == '|' && !escaped {
            cells.push(String::new());
        } else if let Some(cell) = cells.last_mut() {
            cell.push(c);
        }
        escaped = c == '\\' && !escaped;
    }
    if cells.len() > 1 && cells.last().is_some_and(|cell| cell.trim().is_empty()) {
        cells.pop();
    }
    cells.iter().map(|cell| plain_inline(cell.trim())).collect()
}

/// Text without emphasis, code marks, links and tags: only what a reader would see.
fn plain_inline(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let mut out = String::new();
    let mut at = 0;
    while at < chars.len() {
        match chars[at] {
            '\\' if chars.get(at + 1).is_some_and(char::is_ascii_punctuation) => {
                out.push(chars[at + 1]);
                at += 2;
            }
            '`' => at += 1,
            '*' | '_' | '~' => {
                let run = chars[at..].iter().take_while(|c| **c == chars[at]).count();
                if !is_emphasis(&chars, at, run) {
                    out.extend(&chars[at..at + run]);
                }
                at += run;
            }
            '!' if chars.get(at + 1) == Some(&'[') => at += 1,
            '[' if chars.get(at + 1) == Some(&'[') && wiki_link(&chars, at).is_some() => {
                let (label, end) = wiki_link(&chars, at).unwrap_or_default();
                out.push_str(&label);
                at = end;
            }
            '[' => match link(&chars, at) {
                Some((label, end)) => {
                    out.push_str(&plain_inline(&label));
                    at = end;
                }
                None => {
                    out.push('[');
                    at += 1;
                }
            },
            '<' => match tag(&chars, at) {
                Some(end) => at = end,
                None => {
                    out.push('<');
                    at += 1;
                }
            },
            c => {
                out.push(c);
                at += 1;
            }
        }
    }
    super::html::decode_entities(&out)
}

/// Emphasis touches a word on one side only, or is at least two signs long; a sign with spaces around is a sign.
fn is_emphasis(chars: &[char], at: usize, run: usize) -> bool {
    let before = at.checked_sub(1).map(|index| chars[index]);
    let after = chars.get(at + run).copied();
    let inside = |side: Option<char>| side.is_some_and(char::is_alphanumeric);
    let open = |side: Option<char>| side.is_none_or(char::is_whitespace);
    if open(before) && open(after) {
        return false;
    }
    match chars[at] {
        '*' => true,
        '_' => !(inside(before) && inside(after)),
        _ => run >= 2,
    }
}

/// Characters that a link's label, its address or a tag may have.
const LINK_CHARS: usize = 500;

/// The label of a link that begins at `at`, and where the link ends.
fn link(chars: &[char], at: usize) -> Option<(String, usize)> {
    let mut depth = 0;
    let close = (at..chars.len().min(at + LINK_CHARS)).find(|index| {
        match chars[*index] {
            '[' => depth += 1,
            ']' => depth -= 1,
            _ => {}
        }
        depth == 0
    })?;
    let label: String = chars[at + 1..close].iter().collect();
    let closing = match chars.get(close + 1)? {
        '(' => ')',
        '[' => ']',
        _ => return None,
    };
    let end = (close + 2..chars.len().min(close + LINK_CHARS)).find(|index| chars[*index] == closing)?;
    Some((label, end + 1))
}

/// What a link of a wiki shows, `[[page|words]]`, and where it ends; a category is shown to nobody.
fn wiki_link(chars: &[char], at: usize) -> Option<(String, usize)> {
    let close = (at + 2..chars.len().min(at + LINK_CHARS)).find(|index| chars[*index..].starts_with(&[']', ']']))?;
    let inside: String = chars[at + 2..close].iter().collect();
    let shown = inside.rsplit('|').next().unwrap_or(&inside).to_owned();
    Some((if inside.contains(':') && !inside.contains('|') { String::new() } else { shown }, close + 2))
}

/// Where an HTML tag or an address in angle brackets that begins at `at` ends.
fn tag(chars: &[char], at: usize) -> Option<usize> {
    let next = *chars.get(at + 1)?;
    if !(next.is_ascii_alphabetic() || matches!(next, '/' | '!')) {
        return None;
    }
    (at + 1..chars.len().min(at + LINK_CHARS)).find(|index| chars[*index] == '>').map(|end| end + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_is_taken_off() {
        for (text, expected) in [
            ("**Revenue** was *4* [EUR](http://x) `code`", "Revenue was 4 EUR code"),
            ("a * b, snake_case, 2 \\* 3", "a * b, snake_case, 2 * 3"),
            ("in [[Tarnwick]] and [[Olm Island|Olm]][[Category:Towns]]", "in Tarnwick and Olm"),
            ("![chart](a.png) see <b>here</b> &amp; 3 < 4", "chart see here & 3 < 4"),
        ] {
            assert_eq!(plain_inline(text), expected);
        }
    }

    #[test]
    fn blocks_have_the_lines_they_stand_on() {
        let found = blocks(
            "---\na: b\n---\n# Title\n\ntext\nmore\n\n```\ncode\n```\n| a | b |\n|---|---|\n| 1 | 2\\|3 |\n\nUnder\n-----\n- one\n- two\n",
        );
        let cell = |text: &str| Cell { line: 14, text: text.to_owned() };
        let piece = |line, text: &str| Piece { line, text: text.to_owned() };
        assert_eq!(
            found,
            vec![
                Block::Heading { line: 4, level: 1, text: "Title".into() },
                Block::Prose(vec![piece(6, "text"), piece(7, "more")]),
                Block::Table(super::super::Table {
                    line: 12,
                    title: String::new(),
                    header: vec!["a".into(), "b".into()],
                    rows: vec![vec![cell("1"), cell("2|3")]],
                }),
                Block::Heading { line: 16, level: 2, text: "Under".into() },
                Block::Prose(vec![piece(18, "one")]),
                Block::Prose(vec![piece(19, "two")]),
            ]
        );
    }
}
