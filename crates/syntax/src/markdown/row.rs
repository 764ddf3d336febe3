//! Owns the cells of one table row: where they begin and end, and which line is a row at all.
//! Must not know values (`cells`) or which lines form a table (`blocks`).

use std::ops::Range;

use super::line::{self, Cursor, Place};

/// The cells of a row, and how it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Row {
    /// Bytes between the pipes, blanks included.
    pub(crate) cells: Vec<Range<usize>>,
    pub(crate) leading_pipe: bool,
    pub(crate) trailing_pipe: bool,
    /// Where a further cell would go: behind the last pipe or the last cell.
    pub(crate) end: usize,
}

/// Cuts a line's content (without its line ending) into cells.
pub(crate) fn split(content: &[u8]) -> Row {
    // Room for the widest of our own tables at once.
    let mut row = Row { cells: Vec::with_capacity(16), leading_pipe: false, trailing_pipe: false, end: 0 };
    let mut at = content.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    if content.get(at) == Some(&b'|') {
        row.leading_pipe = true;
        at += 1;
    }
    row.end = at;
    let first = at;
    let mut pipes = memchr::memchr_iter(b'|', &content[first..]).map(|pipe| pipe + first);
    loop {
        if content[at..].iter().all(|byte| line::is_blank_byte(*byte)) {
            row.trailing_pipe = !row.cells.is_empty();
            return row;
        }
        let pipe = pipes.find(|pipe| *pipe == 0 || content[pipe - 1] != b'\\');
        match pipe {
            Some(pipe) => {
                row.cells.push(at..pipe);
                at = pipe + 1;
                row.end = at;
            }
            None => {
                row.cells.push(at..content.len());
                row.end = content.len();
                return row;
            }
        }
    }
}

/// Number of cells, without allocating.
pub(crate) fn count(content: &[u8]) -> usize {
    let start = content.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    let content = &content[start..];
    let mut cells = 1;
    let mut last = None;
    for pipe in memchr::memchr_iter(b'|', content) {
        if pipe == 0 || content[pipe - 1] != b'\\' {
            cells += usize::from(pipe > 0);
            last = Some(pipe);
        }
    }
    let tail = last.map_or(0, |pipe| pipe + 1);
    cells - usize::from(content[tail..].iter().all(|byte| line::is_blank_byte(*byte)))
}

/// Whether there is a pipe that separates cells.
pub(crate) fn has_pipe(content: &[u8]) -> bool {
    memchr::memchr_iter(b'|', content).any(|pipe| pipe == 0 || content[pipe - 1] != b'\\')
}

/// Whether a line continues the table above it.
pub(crate) fn is_row(content: &[u8]) -> bool {
    let mut cursor = Cursor::new(content);
    cursor.take_all_blanks();
    let rest = cursor.rest();
    match rest.first() {
        None => false,
        Some(b'|') => rest[1..].iter().any(|byte| !line::is_blank_byte(*byte)),
        Some(_) => !line::interrupts(rest, Place::Table),
    }
}

/// The trimmed part of a cell.
pub(crate) fn trimmed(content: &[u8], cell: Range<usize>) -> Range<usize> {
    let bytes = &content[cell.clone()];
    let front = bytes.iter().take_while(|byte| line::is_blank_byte(**byte)).count();
    let back = bytes[front..].iter().rev().take_while(|byte| line::is_blank_byte(**byte)).count();
    cell.start + front..cell.end - back
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(content: &str, expected: &[&str]) {
        let row = split(content.as_bytes());
        let cells: Vec<&str> = row.cells.iter().map(|cell| &content[cell.clone()]).collect();
        assert_eq!(cells, expected, "{content:?}");
        assert_eq!(count(content.as_bytes()), expected.len(), "count of {content:?}");
    }

    #[test]
    fn cells_lie_between_pipes_that_no_backslash_precedes() {
        check("| a | b |", &[" a ", " b "]);
        check("a | b", &["a ", " b"]);
        check("  | a | b |  ", &[" a ", " b "]);
        check("|a|b", &["a", "b"]);
        check("| | |", &[" ", " "]);
        check("||", &[""]);
        check("|", &[]);
        check("", &[]);
        check("x", &["x"]);
        check(r"| a \| b | c |", &[r" a \| b ", " c "]);
        check(r"| a \\| b |", &[r" a \\| b "]);
        check("| `a \\| b` | c |", &[" `a \\| b` ", " c "]);
        check("| `a | b` |", &[" `a ", " b` "]);
        check("\\| a |", &["\\| a "]);
        check("| 가 | 나 |", &[" 가 ", " 나 "]);
        check("a | b | ", &["a ", " b "]);
    }
}
