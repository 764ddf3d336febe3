//! What a terminal shows of the bytes that are sent to it: as much of one as the program uses. Knows nothing of programs.

use unicode_width::UnicodeWidthChar as _;

/// A terminal's screen, with what scrolled off it.
#[derive(Debug, Clone)]
pub(crate) struct Screen {
    columns: usize,
    lines: usize,
    /// All lines since the beginning; the last `lines` of them are the screen.
    rows: Vec<Vec<char>>,
    row: usize,
    column: usize,
    rest: Vec<u8>,
    pub(crate) shows_cursor: bool,
    pub(crate) wraps: bool,
    pub(crate) marks_pasted: bool,
}

impl Screen {
    pub(crate) fn new(columns: usize, lines: usize) -> Self {
        Self {
            columns,
            lines,
            rows: vec![Vec::new()],
            row: 0,
            column: 0,
            rest: Vec::new(),
            shows_cursor: true,
            wraps: true,
            marks_pasted: false,
        }
    }

    /// All that was shown, what scrolled off included.
    pub(crate) fn text(&self) -> String {
        let lines: Vec<String> = self.rows.iter().map(|row| plain(row)).collect();
        lines.join("\n").trim_end().to_string()
    }

    /// What is on the screen just now.
    pub(crate) fn visible(&self) -> Vec<String> {
        let first = self.rows.len().saturating_sub(self.lines);
        self.rows[first..].iter().map(|row| plain(row)).collect()
    }

    /// The line with the cursor, up to the cursor.
    pub(crate) fn before_cursor(&self) -> String {
        plain(&self.rows[self.row][..self.column.min(self.rows[self.row].len())])
    }

    /// Lines that become too wide are broken.
    pub(crate) fn resize(&mut self, columns: usize, lines: usize) {
        (self.columns, self.lines) = (columns, lines);
        let (mut rows, mut row) = (Vec::new(), 0);
        for (index, old) in self.rows.iter().enumerate() {
            if index == self.row {
                row = rows.len() + self.column.min(old.len()) / columns;
            }
            rows.push(old[..columns.min(old.len())].to_vec());
            rows.extend(old.chunks(columns).skip(1).map(<[char]>::to_vec));
        }
        (self.row, self.column) = (row.min(rows.len() - 1), self.column % columns);
        self.rows = rows;
    }

    pub(crate) fn show(&mut self, bytes: &[u8]) {
        self.rest.extend_from_slice(bytes);
        let all = std::mem::take(&mut self.rest);
        let whole = std::str::from_utf8(&all).map_or_else(|error| error.valid_up_to(), str::len);
        let text = std::str::from_utf8(&all[..whole]).unwrap();
        let mut at = 0;
        while let Some(letter) = text[at..].chars().next() {
            if letter != '\u{1b}' {
                self.put(letter);
                at += letter.len_utf8();
                continue;
            }
            // What is not whole yet comes with the next bytes.
            let Some(length) = sequence(&text[at..]) else { break };
            self.act(&text[at..at + length]);
            at += length;
        }
        self.rest = all[at..].to_vec();
    }

    fn put(&mut self, letter: char) {
        match letter {
            '\r' => self.column = 0,
            '\n' => self.down(),
            '\u{8}' => self.column = self.column.saturating_sub(1),
            '\u{7}' => {}
            letter => {
                let width = letter.width().unwrap_or(0);
                if self.column + width > self.columns {
                    if !self.wraps {
                        return;
                    }
                    self.column = 0;
                    self.down();
                }
                let (row, column) = (self.row, self.column);
                let wide = self.rows[row].len().max(column + width);
                self.rows[row].resize(wide, ' ');
                for (place, cell) in self.rows[row][column..column + width].iter_mut().enumerate() {
                    *cell = if place == 0 { letter } else { '\0' };
                }
                self.column += width;
            }
        }
    }

    fn down(&mut self) {
        self.row += 1;
        if self.row == self.rows.len() {
            self.rows.push(Vec::new());
        }
    }

    fn act(&mut self, sequence: &str) {
        let inside = &sequence[2.min(sequence.len())..sequence.len() - 1];
        let number = || inside.parse::<usize>().unwrap_or(1).max(1);
        match (sequence.as_bytes().last(), inside) {
            (Some(b'A'), _) => {
                // Nobody moves above the screen.
                let top = self.rows.len().saturating_sub(self.lines);
                self.row = self.row.saturating_sub(number()).max(top.min(self.row));
            }
            (Some(b'K'), "") => self.rows[self.row].truncate(self.column),
            (Some(b'J'), "") => {
                self.rows[self.row].truncate(self.column);
                self.rows.truncate(self.row + 1);
            }
            (Some(b'm'), _) => {}
            (Some(ending @ (b'h' | b'l')), mode) => {
                let is_on = *ending == b'h';
                match mode {
                    "?25" => self.shows_cursor = is_on,
                    "?7" => self.wraps = is_on,
                    "?2004" => self.marks_pasted = is_on,
                    _ => {}
                }
            }
            _ => {}
        }
    }
}

fn plain(row: &[char]) -> String {
    row.iter().filter(|letter| **letter != '\0').collect::<String>().trim_end().to_string()
}

/// The length of the sequence that the text begins with, if it is whole.
fn sequence(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    match bytes.get(1)? {
        b'[' => bytes[2..].iter().position(|byte| (0x40..0x7f).contains(byte)).map(|end| end + 3),
        b']' => text.find('\u{7}').map(|end| end + 1),
        _ => Some(2),
    }
}

#[test]
fn a_screen_shows_what_a_terminal_would() {
    let check = |bytes: &str, expected: &str| {
        let mut screen = Screen::new(10, 4);
        for byte in bytes.as_bytes().chunks(1) {
            screen.show(byte);
        }
        assert_eq!(screen.text(), expected, "{bytes:?}");
    };
    check("a\r\nb\x1b[1A\rc", "c\nb");
    check("one\r\ntwo\r\n\x1b[2A\x1b[Jnew", "new");
    check("0123456789ab", "0123456789\nab");
    check("\x1b[?7l0123456789ab", "0123456789");
    check("한국어\rab", "ab국어");
    check("a\x1b[31mb\x1b[0m", "ab");
    check("1\r\n2\r\n3\r\n4\r\n5\x1b[9A\rx", "1\nx\n3\n4\n5");
}
