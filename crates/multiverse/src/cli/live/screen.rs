//! What must be sent to a terminal so that it shows other lines than before: only lines that differ, in one piece, so
//! that nothing flickers. Pure: gives text, writes nothing.

use unicode_width::UnicodeWidthStr as _;

/// Begins a picture that is shown at once, where the terminal can do that; lines that are too wide are cut. The cursor is
/// hidden only while a picture is sent, in one piece: nobody who is killed leaves it hidden.
const BEGIN: &str = "\x1b[?2026h\x1b[?25l\x1b[?7l";
const END: &str = "\x1b[?7h\x1b[?25h\x1b[?2026l";
const WRAP: &str = "\x1b[?7h";
const NO_WRAP: &str = "\x1b[?7l";
const CLEAR_LINE: &str = "\x1b[K";
const CLEAR_BELOW: &str = "\x1b[J";

/// The lines at the bottom of a terminal that are drawn again and again; the cursor stands behind the last.
#[derive(Debug, Default)]
pub(crate) struct Screen {
    drawn: Vec<String>,
    columns: usize,
}

impl Screen {
    /// What changes the picture to these lines, with `above` put where it stays. Nothing if nothing changes.
    pub(crate) fn change(&mut self, above: &[String], lines: Vec<String>, columns: usize) -> String {
        let is_resized = columns != self.columns;
        if above.is_empty() && lines == self.drawn && !is_resized {
            return String::new();
        }
        let mut sent = format!("{BEGIN}{}", self.to_top(columns));
        let is_new = !above.is_empty() || is_resized;
        if is_new {
            sent.push_str(CLEAR_BELOW);
        }
        if !above.is_empty() {
            sent.push_str(WRAP);
            above.iter().for_each(|line| sent.push_str(&format!("{line}\r\n")));
            sent.push_str(NO_WRAP);
        }
        for (index, line) in lines.iter().enumerate() {
            if index > 0 {
                sent.push_str("\r\n");
            }
            if is_new || self.drawn.get(index) != Some(line) || index + 1 == lines.len() {
                sent.push_str(&format!("\r{line}{CLEAR_LINE}"));
            }
        }
        if !is_new && lines.len() < self.drawn.len() {
            sent.push_str(CLEAR_BELOW);
        }
        sent.push_str(END);
        (self.drawn, self.columns) = (lines, columns);
        sent
    }

    /// What takes the picture away and leaves these lines instead, the cursor below them.
    pub(crate) fn leave(&mut self, above: &[String], lines: &[String], columns: usize) -> String {
        let mut sent = format!("{BEGIN}{}{CLEAR_BELOW}{WRAP}", self.to_top(columns));
        above.iter().chain(lines).for_each(|line| sent.push_str(&format!("{line}\r\n")));
        sent.push_str(END);
        *self = Self::default();
        sent
    }

    /// From behind the last line to the beginning of the first. A terminal that became narrower has broken the lines.
    fn to_top(&self, columns: usize) -> String {
        let width = |line: &String| anstream::adapter::strip_str(line).to_string().width();
        let rows = |line: &String| width(line).div_ceil(columns.max(1)).max(1);
        match self.drawn.iter().map(rows).sum::<usize>() {
            0 | 1 => "\r".into(),
            rows => format!("\r\x1b[{}A", rows - 1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<String> {
        text.split('|').map(String::from).collect()
    }

    #[test]
    fn only_lines_that_differ_are_sent() {
        let mut screen = Screen::default();
        let first = screen.change(&[], lines("a|b|c"), 80);
        assert!(first.contains("\ra\x1b[K\r\n\rb\x1b[K\r\n\rc\x1b[K"), "{first:?}");
        assert_eq!(screen.change(&[], lines("a|b|c"), 80), "");
        let second = screen.change(&[], lines("a|B|c"), 80);
        assert_eq!(second, format!("{BEGIN}\r\x1b[2A\r\n\rB\x1b[K\r\n\rc\x1b[K{END}"));
        let shorter = screen.change(&[], lines("a"), 80);
        assert_eq!(shorter, format!("{BEGIN}\r\x1b[2A\ra\x1b[K\x1b[J{END}"));
    }

    #[test]
    fn what_is_said_stays_above() {
        let mut screen = Screen::default();
        drop(screen.change(&[], lines("a|b"), 80));
        let sent = screen.change(&["said".into()], lines("a|b"), 80);
        assert_eq!(sent, format!("{BEGIN}\r\x1b[1A\x1b[J{WRAP}said\r\n{NO_WRAP}\ra\x1b[K\r\n\rb\x1b[K{END}"));
        let left = screen.leave(&[], &["done".into()], 80);
        assert_eq!(left, format!("{BEGIN}\r\x1b[1A{CLEAR_BELOW}{WRAP}done\r\n{END}"));
    }

    #[test]
    fn a_terminal_that_became_narrower_has_more_rows_to_clear() {
        let mut screen = Screen::default();
        drop(screen.change(&[], vec!["한".repeat(20), "x".into()], 80));
        // 40 columns broken at 30 are two rows.
        assert!(screen.change(&[], lines("a|b"), 30).contains("\r\x1b[2A\x1b[J"));
    }
}
