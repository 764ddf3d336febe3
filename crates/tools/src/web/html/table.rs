//! A table while it is read, and as Markdown. One that only lays out a page is no table.

/// More columns than this are left out: no page means them to be read.
const MOST_COLUMNS: usize = 64;

#[derive(Debug, Default)]
pub(crate) struct Table {
    rows: Vec<Row>,
    /// How many columns the open cell spans; none is open if there is none.
    open: Option<usize>,
    /// What it takes in memory, about.
    size: usize,
}

#[derive(Debug, Default)]
struct Row {
    cells: Vec<String>,
}

impl Table {
    pub(crate) fn size(&self) -> usize {
        self.size
    }

    pub(crate) fn open_row(&mut self) {
        self.open = None;
        self.size += size_of::<Row>();
        self.rows.push(Row::default());
    }

    /// Begins a cell; what is said until it is closed is its text.
    pub(crate) fn open_cell(&mut self, span: usize) {
        if self.rows.is_empty() {
            self.open_row();
        }
        self.open = Some(span.clamp(1, MOST_COLUMNS));
    }

    pub(crate) fn has_open_cell(&self) -> bool {
        self.open.is_some()
    }

    pub(crate) fn close_cell(&mut self, text: &str) {
        let Some(span) = self.open.take() else { return };
        let Some(row) = self.rows.last_mut() else { return };
        if row.cells.len() + span <= MOST_COLUMNS {
            self.size += span * size_of::<String>() + text.len();
            row.cells.push(text.replace('|', "\\|"));
            row.cells.extend(std::iter::repeat_n(String::new(), span - 1));
        }
    }

    /// The lines of the table, or of what it lays out; no more of them than there is room for.
    pub(crate) fn lines(mut self, room: usize) -> Vec<String> {
        self.rows.retain(|row| row.cells.iter().any(|cell| !cell.is_empty()));
        let width = self.rows.iter().map(|row| row.cells.len()).max().unwrap_or_default();
        if width <= 1 {
            let cells = self.rows.into_iter().flat_map(|row| row.cells);
            return cells.map(|cell| cell.replace("\\|", "|")).collect();
        }
        let line = |row: &Row| {
            let mut line = String::from("|");
            for column in 0..width {
                let cell = row.cells.get(column).map_or("", String::as_str);
                line.push_str(if cell.is_empty() { " " } else { "" });
                if !cell.is_empty() {
                    line.push(' ');
                    line.push_str(cell);
                    line.push(' ');
                }
                line.push('|');
            }
            line
        };
        let mut left = room;
        let fits = |line: &String| {
            let before = left;
            left = left.saturating_sub(line.len());
            before > 0
        };
        let mut lines: Vec<String> = self.rows.iter().map(line).take_while(fits).collect();
        lines.insert(1.min(lines.len()), format!("|{}", "---|".repeat(width)));
        lines
    }
}
