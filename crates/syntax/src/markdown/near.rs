//! Owns what looks like a table to a person and is none, or not quite one, to Markdown: how such lines are told from
//! prose, and what is remembered of a paragraph to do so. Must not know what is said about it (`report`).

use super::{line, row};

/// What is wrong with something that looks like a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NearTable {
    /// Header and delimiter row differ in their number of cells.
    Mismatch { header: usize, delimiter: usize },
    /// The row below the header is meant as the delimiter row, but is not made of dashes, or is indented too far.
    Delimiter { columns: usize },
    /// Rows one below the other, and no delimiter row.
    NoDelimiter { columns: usize },
    /// A delimiter row with nothing above it.
    NoHeader,
    /// A delimiter row that a blank line cuts off from its header.
    HeaderCutOff,
    /// The rows continue the text of a list item or quote.
    InContainer,
    /// It is a table for us, and text of the list item or quote above for others.
    BelowContainer,
    /// Rows that a blank line cuts off from the table above.
    CutOff,
    /// A row directly below a table that is indented so far that it is code.
    Indented,
    /// A tag that ends the table above it, with what looks like further rows below.
    Tag,
    /// A row of a table that is only read, with too many or too few cells; `at` is the byte of its line it is about.
    Row { cells: usize, columns: usize, at: usize },
}

/// What stands above a line, blank lines left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Above {
    #[default]
    Nothing,
    /// A table of the document; the line behind its last row.
    Table { end: usize },
    /// Text that ends with what looks like a row.
    Row,
    /// Rows that were cut off from their table, which is said already.
    CutOffRow,
}

/// What is remembered of the lines of a paragraph. Of each paragraph one problem is told: mending it may change what
/// the rest is.
#[derive(Debug, Default)]
pub(crate) struct Watch<'a> {
    /// The line before, without the markers of containers.
    previous: &'a [u8],
    /// Rows one below the other with as many cells: their first line and the number of cells.
    run: Option<(usize, usize)>,
    is_told: bool,
    /// A delimiter row did not fit its header: as on GitHub, the rest of the paragraph is text.
    pub(crate) is_mismatched: bool,
}

/// Whether the lines of a paragraph belong to its innermost container by their markers, or continue its text only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Continuation {
    Marked,
    Lazy,
}

impl<'a> Watch<'a> {
    /// Begins with the first line of a paragraph, and says what is odd about it.
    pub(crate) fn first(&mut self, rest: &'a [u8], number: usize, above: Above, next: &[u8]) -> Option<NearTable> {
        let is_row = is_full_row(rest);
        *self = Watch { previous: rest, run: is_row.then(|| (number, row::count(rest))), ..Watch::default() };
        let found = if stands_for_delimiter(rest) {
            Some(if above == Above::Row { NearTable::HeaderCutOff } else { NearTable::NoHeader })
        } else {
            let is_cut_off =
                (is_row || rest.starts_with(b"| ")) && row::count(rest) > 1 && !is_meant_as_delimiter(next);
            match above {
                Above::Table { .. } if is_cut_off => Some(NearTable::CutOff),
                Above::CutOffRow => {
                    self.is_told = true;
                    None
                }
                _ => None,
            }
        };
        self.is_told |= found.is_some();
        found
    }

    /// Takes a further line of the paragraph; says what is odd and in which line that begins.
    pub(crate) fn next(&mut self, rest: &'a [u8], number: usize, how: Continuation) -> Option<(NearTable, usize)> {
        let previous = std::mem::replace(&mut self.previous, rest);
        let found = match is_meant_as_delimiter(rest) {
            true => self.delimiter(previous, rest, how).map(|found| (found, number.saturating_sub(1))),
            false => None,
        };
        let found = found.or_else(|| self.row(rest, number));
        if self.is_told {
            return None;
        }
        self.is_told = found.is_some();
        found
    }

    /// Whether the paragraph ends with what may be the header of a table.
    pub(crate) fn ends_with_row(&self) -> bool {
        !self.is_told && is_full_row(self.previous)
    }

    fn delimiter(&mut self, previous: &[u8], rest: &[u8], how: Continuation) -> Option<NearTable> {
        let header = row::count(previous);
        let columns = line::delimiter_columns(rest);
        self.is_mismatched |= how == Continuation::Marked && columns.is_some_and(|columns| columns != header);
        if header < 2 && !is_full_row(previous) {
            return None;
        }
        match columns {
            None => Some(NearTable::Delimiter { columns: header }),
            Some(_) if how == Continuation::Lazy => Some(NearTable::InContainer),
            Some(delimiter) if delimiter == header => None,
            Some(delimiter) => Some(NearTable::Mismatch { header, delimiter }),
        }
    }

    fn row(&mut self, rest: &[u8], number: usize) -> Option<(NearTable, usize)> {
        let cells = row::count(rest);
        let before = self.run.take();
        if !is_full_row(rest) {
            return None;
        }
        match before {
            Some((first, columns)) if columns == cells => {
                self.run = before;
                Some((NearTable::NoDelimiter { columns }, first))
            }
            _ => {
                self.run = Some((number, cells));
                None
            }
        }
    }
}

/// A line between pipes. One cell alone needs a blank in front, so that `|x|` is what it is to a mathematician.
pub(crate) fn is_full_row(rest: &[u8]) -> bool {
    let rest = trimmed(rest);
    let inner = match rest {
        [b'|', inner @ .., b'|'] if inner.last() != Some(&b'\\') => inner,
        _ => return false,
    };
    row::count(rest) > 1 || inner.first() == Some(&b' ')
}

/// A line of dashes, or of what people take for dashes, with pipes or plus signs.
pub(crate) fn is_meant_as_delimiter(content: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(content) else { return false };
    let is_separator = |character: char| matches!(character, '|' | '+');
    let is_mark = |character: char| matches!(character, '-' | '=' | '_' | '.') || is_long_dash(character);
    let is_between = |character: char| matches!(character, ':' | ' ' | '\t') || is_odd_blank(character);
    text.contains(is_separator)
        && text.contains(is_mark)
        && text.chars().all(|character| is_separator(character) || is_mark(character) || is_between(character))
}

/// Dashes of other scripts and typewriters.
fn is_long_dash(character: char) -> bool {
    matches!(character, '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{2500}' | '\u{2501}' | '\u{FF0D}')
}

/// Blanks that Markdown does not take for blanks.
pub(crate) fn is_odd_blank(character: char) -> bool {
    character.is_whitespace() && !character.is_ascii()
}

/// Whether a line without anything above it can only be a delimiter row: `:-|` and a row of dots are not.
fn stands_for_delimiter(rest: &[u8]) -> bool {
    let rest = trimmed(rest);
    let is_framed = matches!(rest, [b'|' | b'+', .., b'|' | b'+']);
    let has_line = ["--", "==", "__", "\u{2014}", "\u{2013}", "\u{2500}", "\u{2501}"]
        .iter()
        .any(|line| memchr::memmem::find(rest, line.as_bytes()).is_some());
    is_meant_as_delimiter(rest) && !rest.contains(&b'.') && has_line && (is_framed || row::count(rest) > 1)
}

fn trimmed(rest: &[u8]) -> &[u8] {
    &rest[row::trimmed(rest, 0..rest.len())]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delimiter_rows_are_known_by_what_people_write() {
        for (line, is_meant, stands) in [
            ("|---|---|", true, true),
            ("---|---", true, true),
            ("| :-: | --- |", true, true),
            ("|——|——|", true, true),
            ("|===|===|", true, true),
            ("|___|___|", true, true),
            ("|...|...|", true, false),
            ("---+---", true, false),
            ("+---+---+", true, true),
            ("|\u{A0}---\u{A0}|---|", true, true),
            (":-|", true, false),
            ("|-|", true, false),
            ("|x|", false, false),
            ("a | b", false, false),
            ("---", false, false),
            ("||", false, false),
            ("1+1", false, false),
        ] {
            assert_eq!(is_meant_as_delimiter(line.as_bytes()), is_meant, "{line:?}");
            assert_eq!(stands_for_delimiter(line.as_bytes()), stands, "{line:?} standing alone");
        }
    }
}
