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
