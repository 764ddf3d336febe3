//! Owns what is reported about a document: the place (bytes, line, column), what is odd, and how to mend it.
//! Must not know any syntax: the codecs say what they found, this module says where that is.

use std::fmt;
use std::ops::Range;

use crate::limits::MAX_PROBLEMS;

/// Something odd in a document. The document is read all the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// What kind it is, for programs.
    pub code: Code,
    /// The bytes it is about.
    pub span: Range<usize>,
    /// Line of the first byte, from 1.
    pub line: usize,
    /// Column of the first byte in characters (Unicode scalar values), from 1.
    pub column: usize,
    /// What is odd, as a lower-case fragment.
    pub message: String,
    /// What to do about it.
    pub hint: String,
}

/// Kinds of problem. The name is stable: scripts may look for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Code {
    /// Bytes that are not UTF-8; the document is read-only.
    InvalidUtf8,
    /// A NUL byte, which no value may contain.
    NulByte,
    /// A carriage return without a line feed: other programs see a line break where this one sees none.
    LoneCarriageReturn,
    /// Front matter that is opened but never closed.
    FrontMatterUnclosed,
    /// A fenced block that is opened but never closed.
    FenceUnclosed,
    /// An HTML block (most often a comment) that is opened but never closed.
    HtmlUnclosed,
    /// Header and delimiter row have different numbers of cells, so this is no table.
    TableHeaderMismatch,
    /// The row below the header is not made of dashes, so this is no table.
    TableDelimiter,
    /// Rows of a table that Markdown reads as text of the list item or quote above.
    TableInParagraph,
    /// A row of dashes among the rows of a table: most likely two tables without a blank line between them.
    DelimiterInTable,
    /// A line that looks like a table row but belongs to no table.
    RowOutsideTable,
    /// A row with fewer cells than the header.
    RowTooShort,
    /// A row with more cells than the header.
    RowTooLong,
    /// Two columns of one table have the same name.
    ColumnDuplicate,
    /// Not valid YAML.
    YamlSyntax,
    /// A key occurs twice in one YAML mapping.
    YamlDuplicateKey,
    /// An alias that names no anchor.
    YamlUnknownAlias,
    /// Not valid JSON.
    JsonSyntax,
    /// A key occurs twice in one JSON object.
    JsonDuplicateKey,
    /// A comma with nothing after it.
    JsonTrailingComma,
    /// A comment, which JSON does not have.
    JsonComment,
    /// Nested deeper, or larger, than is read.
    TooLarge,
    /// More problems than are reported.
    TooManyProblems,
}

impl Code {
    /// The stable name, for example `row-too-short`.
    pub fn name(self) -> &'static str {
        match self {
            Code::InvalidUtf8 => "invalid-utf8",
            Code::NulByte => "nul-byte",
            Code::LoneCarriageReturn => "lone-carriage-return",
            Code::FrontMatterUnclosed => "front-matter-unclosed",
            Code::FenceUnclosed => "fence-unclosed",
            Code::HtmlUnclosed => "html-unclosed",
            Code::TableHeaderMismatch => "table-header-mismatch",
            Code::TableDelimiter => "table-delimiter",
            Code::DelimiterInTable => "delimiter-in-table",
            Code::TableInParagraph => "table-in-paragraph",
            Code::RowOutsideTable => "row-outside-table",
            Code::RowTooShort => "row-too-short",
            Code::RowTooLong => "row-too-long",
            Code::ColumnDuplicate => "column-duplicate",
            Code::YamlSyntax => "yaml-syntax",
            Code::YamlDuplicateKey => "yaml-duplicate-key",
            Code::YamlUnknownAlias => "yaml-unknown-alias",
            Code::JsonSyntax => "json-syntax",
            Code::JsonDuplicateKey => "json-duplicate-key",
            Code::JsonTrailingComma => "json-trailing-comma",
            Code::JsonComment => "json-comment",
            Code::TooLarge => "too-large",
            Code::TooManyProblems => "too-many-problems",
        }
    }
}

impl fmt::Display for Code {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}

/// Collects findings by byte span and turns them into problems with line and column.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    found: Vec<Finding>,
    dropped: bool,
}

#[derive(Debug, Clone)]
pub(crate) struct Finding {
    pub(crate) code: Code,
    pub(crate) span: Range<usize>,
    pub(crate) message: String,
    pub(crate) hint: String,
}

impl Findings {
    /// There are more than are kept; callers that scan much may stop.
    pub(crate) fn is_full(&self) -> bool {
        self.dropped
    }

    pub(crate) fn add(&mut self, code: Code, span: Range<usize>, message: impl Into<String>, hint: impl Into<String>) {
        if self.found.len() >= MAX_PROBLEMS {
            self.dropped = true;
            return;
        }
        self.found.push(Finding { code, span, message: message.into(), hint: hint.into() });
    }

    /// Takes over findings of an embedded document that begins at `offset`.
    pub(crate) fn take_over(&mut self, other: Findings, offset: usize) {
        self.dropped |= other.dropped;
        for finding in other.found {
            let span = finding.span.start + offset..finding.span.end + offset;
            self.add(finding.code, span, finding.message, finding.hint);
        }
    }

    /// The message of the first finding of one of these kinds.
    pub(crate) fn first_of(&self, codes: &[Code]) -> Option<&str> {
        self.found.iter().find(|finding| codes.contains(&finding.code)).map(|finding| finding.message.as_str())
    }

    /// Places every finding in `bytes`, in the order of the document.
    pub(crate) fn place(mut self, bytes: &[u8]) -> Vec<Problem> {
        self.found.sort_by_key(|finding| (finding.span.start, finding.code));
        if self.dropped {
            // Where the last one stands: the end of the document may be on no line that anybody sees.
            let span = self.found.last().map_or(0..0, |last| last.span.clone());
            self.found.push(Finding {
                code: Code::TooManyProblems,
                span,
                message: format!("there are more than these {MAX_PROBLEMS} problems, the rest is not shown"),
                hint: "mend the first ones and check again".to_owned(),
            });
        }
        let mut locator = Locator::new(bytes);
        self.found
            .into_iter()
            .map(|finding| {
                let (line, column) = locator.locate(finding.span.start);
                Problem {
                    code: finding.code,
                    span: finding.span,
                    line,
                    column,
                    message: finding.message,
                    hint: finding.hint,
                }
            })
            .collect()
    }
}

/// Line and column of a byte, both from 1, the column in characters.
pub fn line_and_column(bytes: &[u8], offset: usize) -> (usize, usize) {
    Locator::new(bytes).locate(offset)
}

/// Turns rising byte offsets into lines and columns in one pass over the bytes.
struct Locator<'a> {
    bytes: &'a [u8],
    at: usize,
    line: usize,
    column: usize,
}

impl<'a> Locator<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        Locator { bytes, at: 0, line: 1, column: 1 }
    }

    fn locate(&mut self, offset: usize) -> (usize, usize) {
        let offset = offset.min(self.bytes.len());
        if offset < self.at {
            *self = Locator::new(self.bytes);
        }
        let passed = &self.bytes[self.at..offset];
        let breaks = memchr::memchr_iter(b'\n', passed).count();
        let tail = match memchr::memrchr(b'\n', passed) {
            Some(last) => {
                self.line += breaks;
                self.column = 1;
                &passed[last + 1..]
            }
            None => passed,
        };
        // Continuation bytes of UTF-8 do not begin a character.
        self.column += tail.iter().filter(|byte| **byte & 0xC0 != 0x80).count();
        self.at = offset;
        (self.line, self.column)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, offset: usize, expected: (usize, usize)) {
        assert_eq!(Locator::new(text.as_bytes()).locate(offset), expected, "{text:?} at {offset}");
    }

    #[test]
    fn lines_and_columns_count_from_one_in_characters() {
        check("", 0, (1, 1));
        check("ab", 1, (1, 2));
        check("a\nb", 2, (2, 1));
        check("가나 x", 7, (1, 4));
        check("\u{FEFF}x", 3, (1, 2));
        check("a\r\nb", 3, (2, 1));
        check("a", 99, (1, 2));
    }

    #[test]
    fn an_earlier_offset_starts_again() {
        let mut locator = Locator::new(b"a\nb\nc");
        assert_eq!(locator.locate(4), (3, 1));
        assert_eq!(locator.locate(0), (1, 1));
    }

    #[test]
    fn the_number_of_problems_is_bounded() {
        for (found, expected, told) in [
            (MAX_PROBLEMS - 1, MAX_PROBLEMS - 1, false),
            (MAX_PROBLEMS, MAX_PROBLEMS, false),
            (MAX_PROBLEMS + 1, MAX_PROBLEMS + 1, true),
            (MAX_PROBLEMS * 2, MAX_PROBLEMS + 1, true),
        ] {
            let mut findings = Findings::default();
            for at in 0..found {
                findings.add(Code::NulByte, at..at + 1, "x", "y");
            }
            let problems = findings.place(&b"\n".repeat(found));
            assert_eq!(problems.len(), expected, "{found} found");
            let notice = problems.last().filter(|problem| problem.code == Code::TooManyProblems);
            assert_eq!(notice.map(|notice| notice.line), told.then_some(MAX_PROBLEMS), "{found} found");
        }
    }
}
