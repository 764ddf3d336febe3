//! A problem as a person sees it: its place, the line itself with a marker under the span, and a hint.
//! Wide characters and tabs stay aligned, long lines are shown in part, nothing foreign reaches the terminal raw.
//! Knows no document format.

use std::fmt::Write as _;
use std::ops::Range;

use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use super::output::{BAD, FRAME, HINT, PLACE};
use super::visible;

/// The most columns of a line that are shown.
const LINE_COLUMNS: usize = 100;
/// Of a line that is shown in part: how much stands before the marker.
const LEAD_COLUMNS: usize = 40;
/// How far around the span a line is looked at at all. A character and its marks take few bytes; this is plenty.
const LOOK_BYTES: usize = 8 * LINE_COLUMNS;

/// Something odd in a document, ready to be shown.
#[derive(Debug, Clone)]
pub(crate) struct ProblemView<'a> {
    pub(crate) path: &'a str,
    pub(crate) line: usize,
    pub(crate) column: usize,
    pub(crate) message: &'a str,
    pub(crate) hint: Option<&'a str>,
    /// The whole document, and where in it the problem lies, in bytes.
    pub(crate) document: &'a [u8],
    pub(crate) span: Range<usize>,
}

/// The problem with its line, styles included.
pub(crate) fn render(problem: &ProblemView<'_>) -> String {
    let marked = MarkedLine::new(problem.document, problem.span.clone());
    let number = problem.line.to_string();
    let gutter = " ".repeat(number.len());
    let mut shown = String::new();
    let mut row = |text: String| {
        let _ = writeln!(shown, "{}", text.trim_end());
    };
    row(format!(
        "{PLACE}{}:{}:{}{PLACE:#}: {}",
        visible::text(problem.path),
        problem.line,
        problem.column,
        visible::text(problem.message)
    ));
    row(format!("{FRAME}{gutter} |{FRAME:#}"));
    row(format!("{FRAME}{number} |{FRAME:#} {}", marked.text));
    let marker = "^".repeat(marked.marker_columns);
    row(format!("{FRAME}{gutter} |{FRAME:#} {}{BAD}{marker}{BAD:#}", " ".repeat(marked.marker_from)));
    if let Some(hint) = problem.hint {
        row(format!("{FRAME}{gutter} ={FRAME:#} {HINT}hint{HINT:#}: {}", visible::text(hint)));
    }
    shown
}

/// The word at a place that is known by line and column alone, both from 1.
pub(crate) fn word_at(document: &[u8], line: usize, column: usize) -> Range<usize> {
    let lines = document.split_inclusive(|byte| *byte == b'\n');
    let start: usize = lines.take(line.saturating_sub(1)).map(<[u8]>::len).sum();
    let end = document[start..].iter().position(|byte| *byte == b'\n').map_or(document.len(), |length| start + length);
    let text = String::from_utf8_lossy(&document[start..end]);
    let before: usize = text.chars().take(column.saturating_sub(1)).map(char::len_utf8).sum();
    let ends = |letter: char| letter.is_whitespace() || ",]}".contains(letter);
    let word = text[before..].find(ends).unwrap_or(text.len() - before);
    let from = (start + before).min(end);
    from..(from + word).min(end)
}

/// A line in visible form and the columns of it that are marked.
#[derive(Debug, PartialEq, Eq)]
struct MarkedLine {
    text: String,
    marker_from: usize,
    marker_columns: usize,
}

impl MarkedLine {
    fn new(document: &[u8], span: Range<usize>) -> Self {
        let start = span.start.min(document.len());
        let (from, front) = line_start(document, start);
        let (to, back) = line_end(document, from, start);
        // A span may begin in the line break, which is not shown.
        let start = start.min(to);
        let end = span.end.clamp(start, to);
        let mut text = String::new();
        visible::push_bytes(&mut text, &document[from..start]);
        let marker_start = text.len();
        visible::push_bytes(&mut text, &document[start..end]);
        let marker_end = text.len();
        visible::push_bytes(&mut text, &document[end..to]);
        Parts { text: &text, marker: marker_start..marker_end }.fit(front, back)
    }
}

/// A visible line that may be too wide.
struct Parts<'a> {
    text: &'a str,
    marker: Range<usize>,
}

/// Whether an end of the line was left out before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Whole,
    Cut,
}

impl Parts<'_> {
    /// Cuts the line to what is shown, with an ellipsis for what is left out.
    fn fit(&self, front: Side, back: Side) -> MarkedLine {
        let before = &self.text[..self.marker.start];
        let is_cut = front == Side::Cut || before.width() >= LINE_COLUMNS;
        let first = if is_cut { tail_start(before, LEAD_COLUMNS) } else { 0 };
        let mut text = String::from(if is_cut { "…" } else { "" });
        let last = first + head_end(&self.text[first..], LINE_COLUMNS - text.width());
        let marker_from = text.width() + self.text[first..self.marker.start].width();
        let marked = &self.text[self.marker.start..self.marker.end.min(last)];
        text.push_str(&self.text[first..last]);
        if last < self.text.len() || back == Side::Cut {
            text.push('…');
        }
        MarkedLine { text, marker_from, marker_columns: marked.width().max(1) }
    }
}

/// Where the last columns of a text begin.
fn tail_start(text: &str, columns: usize) -> usize {
    let mut used = 0;
    let kept = text.char_indices().rev().take_while(|(_, character)| {
        used += character.width().unwrap_or(0);
        used <= columns
    });
    kept.last().map_or(text.len(), |(at, _)| at)
}

/// Where the first columns of a text end.
fn head_end(text: &str, columns: usize) -> usize {
    let mut used = 0;
    let over = text.char_indices().find(|(_, character)| {
        used += character.width().unwrap_or(0);
        used > columns
    });
    over.map_or(text.len(), |(at, _)| at)
}

/// Where the line begins that a byte lies in, as far as it is looked at.
fn line_start(document: &[u8], at: usize) -> (usize, Side) {
    let limit = character_start(document, at.saturating_sub(LOOK_BYTES)).min(at);
    match document[limit..at].iter().rposition(|byte| *byte == b'\n') {
        Some(before) => (limit + before + 1, Side::Whole),
        None if limit == 0 || document[limit - 1] == b'\n' => (limit, Side::Whole),
        None => (limit, Side::Cut),
    }
}

/// Where the line ends, without its line break, as far as it is looked at.
fn line_end(document: &[u8], from: usize, at: usize) -> (usize, Side) {
    let limit = character_start(document, at.saturating_add(LOOK_BYTES));
    match document[at..limit].iter().position(|byte| *byte == b'\n') {
        Some(length) if document[from..at + length].ends_with(b"\r") => (at + length - 1, Side::Whole),
        Some(length) => (at + length, Side::Whole),
        None if limit == document.len() => (limit, Side::Whole),
        None => (limit, Side::Cut),
    }
}

/// The nearest place at or behind a byte where no character is cut in two.
fn character_start(document: &[u8], at: usize) -> usize {
    let at = at.min(document.len());
    let is_inside = |byte: &&u8| **byte & 0b1100_0000 == 0b1000_0000;
    at + document[at..].iter().take(3).take_while(is_inside).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The marked line under itself; the span is given by the text that it covers.
    fn shown(document: &str, covered: &str) -> String {
        let start = document.find(covered).unwrap();
        let marked = MarkedLine::new(document.as_bytes(), start..start + covered.len());
        format!("{}\n{}{}", marked.text, " ".repeat(marked.marker_from), "^".repeat(marked.marker_columns))
    }

    #[test]
    fn the_marker_stands_under_the_span() {
        for (document, covered, expected) in [
            ("one two\n", "two", "one two\n    ^^^"),
            ("first\r\none two\r\nlast", "two", "one two\n    ^^^"),
            ("보고서 x y", "x", "보고서 x y\n       ^"),
            ("a 보고 b", "보고", "a 보고 b\n  ^^^^"),
            ("a\tb c", "b", "a   b c\n    ^"),
            ("\t\tb", "b", "        b\n        ^"),
            ("e\u{301} 👩\u{200d}🔬 x", "x", "e\u{301} 👩\u{200d}🔬 x\n     ^"),
            ("a\u{1b}[2Jb c", "c", "a␛[2Jb c\n       ^"),
            ("", "", "\n^"),
            ("a b\nc", "b\nc", "a b\n  ^"),
        ] {
            assert_eq!(shown(document, covered), expected, "{document:?}");
        }
    }

    #[test]
    fn a_span_at_the_end_or_behind_it_has_a_marker() {
        for (document, span) in [("ab\n", 2..2), ("ab", 2..2), ("ab", 5..9), ("ab\n", 3..3)] {
            let marked = MarkedLine::new(document.as_bytes(), span.clone());
            assert_eq!(marked.marker_columns, 1, "{document:?} {span:?}");
        }
    }

    #[test]
    fn no_span_of_any_bytes_is_out_of_reach() {
        let document = b"a\r\n\xff\xed\x95\t\x1b\r\n\n\xed\x95\x9c \r";
        for start in 0..document.len() + 3 {
            for end in start..document.len() + 3 {
                let marked = MarkedLine::new(document, start..end);
                assert!(marked.marker_columns >= 1 && !marked.text.contains(['\n', '\r']), "{start}..{end} {marked:?}");
            }
        }
    }

    #[test]
    fn long_lines_are_shown_in_part() {
        let line = |before: usize, covered: &str, after: usize| {
            shown(&format!("{}{covered}{}", "a".repeat(before), "b".repeat(after)), covered)
        };
        let a = |count: usize| "a".repeat(count);
        let b = |count: usize| "b".repeat(count);
        assert_eq!(line(0, "X", 99), format!("X{}\n^", b(99)));
        assert_eq!(line(0, "X", 100), format!("X{}…\n^", b(99)));
        assert_eq!(line(60, "X", 60), format!("{}X{}…\n{}^", a(60), b(39), " ".repeat(60)));
        assert_eq!(line(100, "X", 0), format!("…{}X\n{}^", a(40), " ".repeat(41)));
        assert_eq!(line(500, "X", 500), format!("…{}X{}…\n{}^", a(40), b(58), " ".repeat(41)));
        assert_eq!(line(9000, "X", 9000), format!("…{}X{}…\n{}^", a(40), b(58), " ".repeat(41)));
        let long_span = "X".repeat(300);
        let marked = line(500, &long_span, 5);
        assert_eq!(marked, format!("…{}{}…\n{}{}", a(40), "X".repeat(59), " ".repeat(41), "^".repeat(59)));
    }

    #[test]
    fn wide_characters_are_never_cut_in_two() {
        let document = "한".repeat(3000);
        for at in (0..document.len()).step_by(3) {
            let marked = MarkedLine::new(document.as_bytes(), at..at + 3);
            assert!(marked.text.width() <= LINE_COLUMNS + 1, "{marked:?}");
            assert!(!marked.text.contains("\\x"), "{marked:?}");
            assert_eq!(marked.marker_columns, 2);
        }
    }

    #[test]
    fn a_problem_is_shown_with_place_line_and_hint() {
        let document = b"| a | b |\n|---|---|\n| 1 |\n";
        let problem = ProblemView {
            path: "plan\u{1b}.md",
            line: 3,
            column: 1,
            message: "the row has 1 cell, the header has 2",
            hint: Some("add the missing cell"),
            document,
            span: 20..25,
        };
        let plain = anstream::adapter::strip_str(&render(&problem)).to_string();
        insta::assert_snapshot!(plain, @r"
        plan␛.md:3:1: the row has 1 cell, the header has 2
          |
        3 | | 1 |
          | ^^^^^
          = hint: add the missing cell
        ");
    }
}
