//! A text as its lines, each with a number that equal lines share.

use std::collections::HashMap;

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
