//! A text as its lines, each with a number that equal lines share.

use std::collections::HashMap;

/// A line without what formatters and editors change: its line break, blanks at its end, blanks around table cells.
pub(crate) fn normal(line: &[u8]) -> Vec<u8> {
    let line = line.trim_ascii_end();
    match line.contains(&b'|') {
        true => line.split(|byte| *byte == b'|').map(<[u8]>::trim_ascii).collect::<Vec<_>>().join(&b'|'),
        false => line.to_vec(),
    }
}

/// What a line is known by: a row by its first cell, any other line by what it says.
pub(crate) fn key(line: &[u8]) -> Vec<u8> {
    first_cell(line).filter(|cell| !cell.is_empty()).map_or_else(|| normal(line), <[u8]>::to_vec)
}

/// The first cell of a row; nothing for a line that is none.
pub(crate) fn first_cell(line: &[u8]) -> Option<&[u8]> {
    let mut cells = line.split(|byte| *byte == b'|');
    let before = cells.next()?.trim_ascii();
    let first = cells.next()?.trim_ascii();
    Some(if before.is_empty() { first } else { before })
}

pub(crate) fn split_lines(bytes: &[u8]) -> Vec<&[u8]> {
    bytes.split_inclusive(|byte| *byte == b'\n').collect()
}

/// The lines of some texts, numbered by content.
#[derive(Debug, Default)]
pub(crate) struct Names {
    numbers: HashMap<Vec<u8>, u32>,
}

impl Names {
    /// The number of a line's content.
    pub(crate) fn of(&mut self, line: &[u8]) -> u32 {
        if let Some(number) = self.numbers.get(line) {
            return *number;
        }
        let number = u32::try_from(self.numbers.len()).unwrap_or(u32::MAX);
        self.numbers.insert(line.to_vec(), number);
        number
    }
}
