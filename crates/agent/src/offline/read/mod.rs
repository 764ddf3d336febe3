//! Turns the bytes of a source into blocks with line numbers: headings, paragraphs, tables.
//!
//! Owns the forms that can be read (Markdown, text, CSV, JSON, HTML). It must not know what is done with the blocks,
//! and it opens no file.

mod delimited;
mod encoding;
mod html;
mod json;
mod markdown;
mod plain;

use super::figures::Decimal;
use super::limits;
use super::words::{self, Language};

pub(crate) use plain::is_record;

/// A line of a paragraph, without its markup.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    pub(crate) line: usize,
    pub(crate) text: String,
}

/// A cell of a table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Cell {
    pub(crate) line: usize,
    pub(crate) text: String,
}

/// A table; every row has as many cells as the header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Table {
    pub(crate) line: usize,
    /// What stands above it in a file that has nothing but it.
    pub(crate) title: String,
    pub(crate) header: Vec<String>,
    pub(crate) rows: Vec<Vec<Cell>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Block {
    Heading { line: usize, level: usize, text: String },
    Prose(Vec<Piece>),
    Table(Table),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Markdown,
    Text,
    Csv,
    Json,
    Html,
}

impl Form {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Markdown => "Markdown",
            Self::Text => "text",
            Self::Csv => "CSV",
            Self::Json => "JSON",
            Self::Html => "HTML",
        }
    }

    /// The form that a path's ending stands for; nothing for endings of files that are not text.
    pub(crate) fn of(path: &str) -> Option<Self> {
        let name = path.rsplit('/').next().unwrap_or(path);
        let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending).to_lowercase();
        match ending.as_str() {
            "md" | "markdown" | "mdown" => Some(Self::Markdown),
            "csv" | "tsv" => Some(Self::Csv),
            "json" | "jsonl" | "ndjson" => Some(Self::Json),
            "html" | "htm" | "xhtml" => Some(Self::Html),
            "txt" | "text" | "log" | "rst" | "org" | "adoc" | "yaml" | "yml" | "toml" | "tex" | "" => Some(Self::Text),
            _ => None,
        }
    }
}

/// What of a file was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    Whole,
    Beginning,
}

/// A source that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Document {
    pub(crate) path: String,
    pub(crate) form: Form,
    pub(crate) extent: Extent,
    pub(crate) lines: usize,
    /// The language of the whole, which a part of it would tell less surely.
    pub(crate) language: Language,
    /// How its bytes were read, where they are not UTF-8.
    pub(crate) encoding: Option<&'static str>,
    pub(crate) blocks: Vec<Block>,
}

/// Reads a source; the error says why it is none.
pub(crate) fn document(path: &str, bytes: &[u8], extent: Extent) -> Result<Document, String> {
    let Some(form) = Form::of(path) else {
        return Err("not a form that can be read (Markdown, text, CSV, JSON and HTML can)".to_owned());
    };
    let (text, encoding) = encoding::decode(bytes)?;
    // A lone carriage return ended lines once; every other program counts lines by line feeds.
    let text = if text.contains('\n') { text } else { text.replace('\r', "\n") };
    let text = text.as_str();
    let blocks = match form {
        Form::Markdown => markdown::blocks(text),
        Form::Text => plain::blocks(text),
        Form::Csv => delimited::blocks(text),
        Form::Json => json::blocks(text, extent).unwrap_or_else(|| plain::blocks(text)),
        Form::Html => html::blocks(text),
    };
    let blocks = without_references(blocks);
    let mut document = Document {
        path: path.to_owned(),
        form,
        extent,
        lines: text.lines().count(),
        language: Language::Unknown,
        encoding,
        blocks,
    };
    document.language = words::language(&document.sample());
    Ok(document)
}

/// Blocks without the lists of references, which say what others wrote and not what is so.
fn without_references(blocks: Vec<Block>) -> Vec<Block> {
    const TITLES: [&str; 24] = [
        "references",
        "bibliography",
        "external links",
        "see also",
        "footnotes",
        "further reading",
        "literatur",
        "einzelnachweise",
        "weblinks",
        "quellenverzeichnis",
        "références",
        "bibliographie",
        "liens externes",
        "referencias",
        "bibliografía",
        "bibliografia",
        "note e riferimenti",
        "przypisy",
        "kaynakça",
        "примечания",
        "литература",
        "脚注",
        "参考文献",
        "각주",
    ];
    let mut level = None;
    let mut kept = Vec::with_capacity(blocks.len());
    for block in blocks {
        if let Block::Heading { level: own, text, .. } = &block {
            if level.is_some_and(|outer| *own <= outer) {
                level = None;
            }
            if level.is_none() && TITLES.contains(&text.trim().to_lowercase().as_str()) {
                level = Some(*own);
            }
        }
        if level.is_none() {
            kept.push(block);
        }
    }
    kept
}

impl Document {
    /// Which sign stands before the decimals in the language of the document.
    pub(crate) fn decimal(&self) -> Decimal {
        if self.language.has_decimal_comma() { Decimal::Comma } else { Decimal::Point }
    }

    /// The running text of the document, for telling its language.
    fn sample(&self) -> String {
        let mut text = String::new();
        for block in &self.blocks {
            if text.len() > 20_000 {
                break;
            }
            match block {
                Block::Heading { text: heading, .. } => text.push_str(heading),
                Block::Prose(pieces) => pieces.iter().filter(|piece| !is_record(&piece.text)).for_each(|piece| {
                    text.push_str(&piece.text);
                    text.push(' ');
                }),
                Block::Table(table) => text.push_str(&table.header.join(" ")),
            }
            text.push('\n');
        }
        text
    }
}

impl Table {
    /// Which sign stands before the decimals, as far as the cells themselves say it.
    pub(crate) fn decimal(&self, otherwise: Decimal) -> Decimal {
        let (mut comma, mut point) = (0_usize, 0_usize);
        for cell in self.rows.iter().flatten().take(10_000) {
            match decisive(&cell.text) {
                Some(Decimal::Comma) => comma += 1,
                Some(Decimal::Point) => point += 1,
                None => {}
            }
        }
        match comma.cmp(&point) {
            std::cmp::Ordering::Greater => Decimal::Comma,
            std::cmp::Ordering::Less => Decimal::Point,
            std::cmp::Ordering::Equal => otherwise,
        }
    }
}

/// `4,25` and `1.234,5` can be read in one way only, `1,234` in two.
fn decisive(text: &str) -> Option<Decimal> {
    let text = text.trim();
    let number: String = text.chars().filter(|c| c.is_ascii_digit() || matches!(c, '.' | ',')).collect();
    if text.chars().filter(|c| c.is_alphabetic()).count() > 4 || !number.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let last = number.rfind(['.', ','])?;
    let sign = number.as_bytes()[last];
    let is_alone = number.matches(['.', ',']).count() == 1;
    let places = number.len() - last - 1;
    if places == 0
        || (is_alone && places == 3 && !number.starts_with('0'))
        || number.matches(char::from(sign)).count() > 1
    {
        return None;
    }
    Some(if sign == b',' { Decimal::Comma } else { Decimal::Point })
}

/// Makes every row as long as the header, and drops rows without content.
fn table(line: usize, header: Vec<String>, rows: Vec<Vec<Cell>>) -> Option<Table> {
    let mut rows: Vec<Vec<Cell>> =
        rows.into_iter().filter(|row| row.iter().any(|cell| !cell.text.is_empty())).collect();
    let width = rows.iter().map(Vec::len).max().unwrap_or(0).max(header.len()).min(limits::COLUMNS);
    let mut header = header;
    header.resize(width, String::new());
    for row in &mut rows {
        let line = row.first().map_or(line, |cell| cell.line);
        row.resize(width, Cell { line, text: String::new() });
    }
    (width > 0 && !rows.is_empty()).then_some(Table { line, title: String::new(), header, rows })
}
