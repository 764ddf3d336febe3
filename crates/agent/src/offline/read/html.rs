//! HTML, as far as statements go: headings, paragraphs, tables; scripts and styles are left out.

use super::{Block, Cell, Piece};

pub(super) fn blocks(text: &str) -> Vec<Block> {
    let mut reader = Reader { line: 1, ..Reader::default() };
    let mut rest = text;
    while !rest.is_empty() {
        rest = reader.take(rest);
    }
    reader.end_cell();
    reader.end_table();
    reader.end_block();
    reader.blocks
}

#[derive(Default)]
struct Reader {
    line: usize,
    blocks: Vec<Block>,
    pieces: Vec<Piece>,
    heading: Option<usize>,
    has_no_more_tags: bool,
    /// Whether a cell is open: its end may be left out.
    is_in_cell: bool,
    /// The line on which the open table begins, and its rows so far.
    table: Option<(usize, Rows)>,
}

type Rows = Vec<(Vec<Cell>, RowKind)>;

#[derive(Clone, Copy, PartialEq, Eq)]
enum RowKind {
    Heads,
    Data,
    /// A head, and behind it what it says of the page's subject.
    Record,
}

impl Reader {
    fn take<'a>(&mut self, text: &'a str) -> &'a str {
        let Some(open) = text.find('<') else {
            self.text(text);
            return "";
        };
        if open > 0 {
            self.text(&text[..open]);
            return &text[open..];
        }
        if text.starts_with("<!--") {
            return self.skip(text, "-->");
        }
        let is_tag = text[1..].starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '/' | '!' | '?'));
        let close = if is_tag && !self.has_no_more_tags { tag_end(text) } else { None };
        let Some(close) = close else {
            // Looked for once to the end, it need not be looked for again.
            self.has_no_more_tags |= is_tag;
            self.text("<");
            return &text[1..];
        };
        let inside = &text[1..close];
        let is_end = inside.starts_with('/');
        let name: String = inside
            .trim_start_matches('/')
            .chars()
            .take_while(char::is_ascii_alphanumeric)
            .collect::<String>()
            .to_lowercase();
        self.line += inside.matches('\n').count();
        let rest = &text[close + 1..];
        // What only helps to get about a site says nothing.
        if !is_end
            && matches!(
                name.as_str(),
                "script" | "style" | "noscript" | "template" | "svg" | "nav" | "footer" | "select" | "button"
            )
            && find_ignoring_case(rest, &format!("</{name}")).is_some()
        {
            let after = self.skip(rest, &format!("</{name}"));
            return self.skip(after, ">");
        }
        if is_end {
            self.end(&name);
        } else if name == "table" && is_layout(rest) {
            self.end_cell();
            self.end_block();
        } else {
            self.begin(&name);
        }
        rest
    }

    /// Leaves out everything up to and including a mark.
    fn skip<'a>(&mut self, text: &'a str, mark: &str) -> &'a str {
        let found = text.as_bytes().windows(mark.len()).position(|part| part.eq_ignore_ascii_case(mark.as_bytes()));
        let end = found.map_or(text.len(), |at| at + mark.len());
        self.line += text[..end].matches('\n').count();
        &text[end..]
    }

    fn text(&mut self, text: &str) {
        for (index, part) in text.split('\n').enumerate() {
            self.line += usize::from(index > 0);
            let decoded = decode_entities(part);
            if decoded.trim().is_empty() && self.pieces.is_empty() {
                continue;
            }
            match self.pieces.last_mut() {
                Some(last) if last.line == self.line => last.text.push_str(&decoded),
                _ => self.pieces.push(Piece { line: self.line, text: decoded }),
            }
        }
    }

    fn begin(&mut self, name: &str) {
        match name {
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "title" => {
                self.end_block();
                self.heading = Some(name[1..].parse().unwrap_or(1));
            }
            "table" => {
                self.end_cell();
                self.end_block();
                self.table = Some((self.line, Vec::new()));
            }
            "tr" | "td" | "th" if self.table.is_none() => self.end_block(),
            "tr" => {
                self.end_cell();
                if let Some((_, rows)) = &mut self.table {
                    rows.push((Vec::new(), RowKind::Heads));
                }
            }
            "td" | "th" => {
                self.end_cell();
                self.pieces.clear();
                self.is_in_cell = self.table.is_some();
                if let Some((_, rows)) = &mut self.table
                    && let Some((cells, kind)) = rows.last_mut()
                    && name == "td"
                {
                    let is_behind_head = *kind == RowKind::Heads && cells.len() == 1;
                    *kind = if is_behind_head { RowKind::Record } else { RowKind::Data };
                }
            }
            // A paragraph or the like behind a finished row that is not in a cell: the end of the table was left out.
            name if is_block(name) && self.table.is_some() && self.is_past_table(name) => {
                self.end_cell();
                self.end_table();
                self.end_block();
            }
            name if is_block(name) && self.table.is_none() => self.end_block(),
            name if is_block(name) => self.text(" "),
            _ => {}
        }
    }

    /// Whether something that no row holds begins: the table is over, though nothing says so.
    fn is_past_table(&self, name: &str) -> bool {
        !matches!(name, "tr" | "tbody" | "thead" | "caption" | "br") && !self.is_in_cell
    }

    fn end(&mut self, name: &str) {
        match name {
            "td" | "th" | "tr" => self.end_cell(),
            "table" => {
                self.end_cell();
                self.end_table();
            }
            // A misspelt end, as `</tabel>`, ends the table too: what follows is no cell.
            name if self.table.is_some() && name.starts_with("tab") => {
                self.end_cell();
                self.end_table();
            }
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "title" => self.end_block(),
            name if is_block(name) && self.table.is_none() => self.end_block(),
            _ => {}
        }
    }

    fn end_cell(&mut self) {
        if !std::mem::take(&mut self.is_in_cell) {
            return;
        }
        let text = self.pieces.iter().map(|piece| piece.text.trim()).collect::<Vec<_>>().join(" ");
        let line = self.pieces.first().map_or(self.line, |piece| piece.line);
        self.pieces.clear();
        if let Some((_, rows)) = &mut self.table
            && let Some((cells, _)) = rows.last_mut()
        {
            cells.push(Cell { line, text: text.trim().to_owned() });
        }
    }

    fn end_table(&mut self) {
        let Some((line, mut rows)) = self.table.take() else { return };
        self.pieces.clear();
        rows.retain(|(cells, _)| !cells.is_empty());
        if rows.is_empty() {
            return;
        }
        // The box beside an article: each row names something and says it.
        let is_box =
            |(cells, kind): &(Vec<Cell>, RowKind)| *kind == RowKind::Record && cells.len() == 2 || cells.len() == 1;
        if rows.iter().all(is_box) && rows.iter().any(|(cells, _)| cells.len() == 2) {
            let record = |cells: &[Cell]| match cells {
                [head, said] => (head.line, format!("{}: {}", head.text.trim_end_matches(':'), said.text)),
                cells => (cells[0].line, cells[0].text.clone()),
            };
            let pieces = rows.iter().map(|(cells, _)| record(cells)).map(|(line, text)| Piece { line, text });
            self.blocks.extend(pieces.map(|piece| Block::Prose(vec![piece])));
            return;
        }
        let is_number = |cell: &Cell| cell.text.starts_with(|c: char| c.is_ascii_digit() || "£€$-+".contains(c));
        let begins_with_names = rows.len() > 1
            && rows[0].0.iter().all(|cell| !is_number(cell) && !cell.text.is_empty())
            && rows[1..].iter().all(|(cells, _)| cells.iter().any(is_number));
        let header = if rows[0].1 == RowKind::Heads || begins_with_names {
            rows.remove(0).0.into_iter().map(|cell| cell.text).collect()
        } else {
            (1..=rows[0].0.len()).map(|number| format!("column {number}")).collect()
        };
        let rows = rows.into_iter().map(|(cells, _)| cells).collect();
        self.blocks.extend(super::table(line, header, rows).map(Block::Table));
    }

    fn end_block(&mut self) {
        let mut pieces = std::mem::take(&mut self.pieces);
        pieces.retain(|piece| !piece.text.trim().is_empty());
        let heading = self.heading.take();
        let Some(first) = pieces.first() else { return };
        match heading {
            Some(level) => {
                let text = pieces.iter().map(|piece| piece.text.trim()).collect::<Vec<_>>().join(" ");
                self.blocks.push(Block::Heading { line: first.line, level, text });
            }
            None => self.blocks.push(Block::Prose(pieces)),
        }
    }
}

/// Where a tag ends; a bracket inside a quoted value does not end it.
fn tag_end(text: &str) -> Option<usize> {
    const LONGEST: usize = 4_000;
    let mut quote = None;
    let mut last = ' ';
    for (at, c) in text.char_indices().take(LONGEST) {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (None, '"' | '\'') if last == '=' => quote = Some(c),
            (None, '>') => return Some(at),
            _ => {}
        }
        if !c.is_whitespace() {
            last = c;
        }
    }
    text.find('>')
}

fn is_block(name: &str) -> bool {
    matches!(
        name,
        "p" | "div"
            | "li"
            | "ul"
            | "ol"
            | "br"
            | "section"
            | "article"
            | "header"
            | "footer"
            | "main"
            | "nav"
            | "aside"
            | "blockquote"
            | "pre"
            | "dd"
            | "dt"
            | "dl"
            | "figure"
            | "figcaption"
            | "body"
            | "html"
            | "head"
            | "hr"
            | "form"
            | "caption"
            | "tr"
            | "tbody"
            | "thead"
    )
}

/// The signs that the commonest entities stand for; others stay as they are.
pub(super) fn decode_entities(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let end = rest.char_indices().take(12).find(|(_, c)| *c == ';').map(|(end, _)| end);
        match end.and_then(|end| entity(&rest[1..end]).map(|c| (c, end))) {
            Some((c, end)) => {
                out.push(c);
                rest = &rest[end + 1..];
            }
            None => {
                out.push('&');
                rest = &rest[1..];
            }
        }
    }
    out.push_str(rest);
    out
}

fn entity(name: &str) -> Option<char> {
    if let Some(number) = name.strip_prefix('#') {
        let code = match number.strip_prefix(['x', 'X']) {
            Some(hex) => u32::from_str_radix(hex, 16).ok()?,
            None => number.parse().ok()?,
        };
        return char::from_u32(code).filter(|c| !c.is_control());
    }
    const NAMED: &str = "amp & lt < gt > quot \" apos ' euro € pound £ yen ¥ cent ¢ ndash – mdash — hellip … rsquo ’ lsquo ‘ rdquo ” \
        ldquo “ bdquo „ laquo « raquo » auml ä ouml ö uuml ü Auml Ä Ouml Ö Uuml Ü szlig ß eacute é egrave è ecirc ê euml ë agrave à \
        acirc â aacute á atilde ã aring å aelig æ ccedil ç igrave ì iacute í icirc î iuml ï ntilde ñ ograve ò oacute ó ocirc ô otilde õ \
        oslash ø ugrave ù uacute ú ucirc û yacute ý Eacute É Egrave È Agrave À Aacute Á Ccedil Ç Ntilde Ñ Oslash Ø Aring Å oelig œ \
        times × divide ÷ plusmn ± minus − deg ° sup2 ² sup3 ³ frac12 ½ micro µ para ¶ sect § copy © reg ® trade ™ bull • middot · \
        rarr → larr ← le ≤ ge ≥ ne ≠ iquest ¿ iexcl ¡ ordm º ordf ª permil ‰ prime ′ infin ∞";
    if matches!(name, "nbsp" | "ensp" | "emsp" | "thinsp") {
        return Some('\u{a0}');
    }
    let mut words = NAMED.split_ascii_whitespace();
    while let (Some(known), Some(sign)) = (words.next(), words.next()) {
        if known == name {
            return sign.chars().next();
        }
    }
    None
}

/// Whether a table, given from behind its first tag, only arranges a page: one cell a row, or other tables in it.
fn is_layout(rest: &str) -> bool {
    const FAR: usize = 20_000;
    let end = find_ignoring_case(rest, "</table").unwrap_or(rest.len());
    let inside = rest[..end].to_ascii_lowercase();
    if inside.contains("<table") {
        return true;
    }
    let cells = |row: &str| row.matches("<td").count() + row.matches("<th").count() - row.matches("<thead").count();
    inside.len() <= FAR && inside.contains("<p") && inside.split("<tr").skip(1).all(|row| cells(row) <= 1)
}

fn find_ignoring_case(text: &str, mark: &str) -> Option<usize> {
    text.as_bytes().windows(mark.len()).position(|part| part.eq_ignore_ascii_case(mark.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_may_be_left_open_and_values_hold_brackets() {
        let found = blocks(
            "<p title=\"a > b\">Caf&eacute;<table><tr><th>a<th>b\n<tr><td>1<td>2&nbsp;000\n<tr><td>3<td>4</table><p>end",
        );
        let Some(Block::Table(table)) = found.get(1) else { panic!("{found:?}") };
        assert_eq!(table.header, ["a", "b"]);
        let rows: Vec<Vec<(usize, &str)>> =
            table.rows.iter().map(|row| row.iter().map(|cell| (cell.line, cell.text.as_str())).collect()).collect();
        assert_eq!(rows, [[(2, "1"), (2, "2\u{a0}000")], [(3, "3"), (3, "4")]]);
        assert_eq!(found[0], Block::Prose(vec![Piece { line: 1, text: "Café".into() }]));
    }

    #[test]
    fn a_table_whose_end_is_missing_or_misspelt_is_a_table() {
        for end in ["</tabel>\n<p>See the door.</p>", "</tr>\n<p>See the door.</p>", "</tabel>\nSee the door."] {
            let found = blocks(&format!("<table>\n<tr><th>Branch<th>Sales\n<tr><td>Quay<td>58,075\n{end}"));
            let [Block::Table(table), Block::Prose(prose)] = found.as_slice() else { panic!("{found:?}") };
            assert_eq!(table.rows[0][1], Cell { line: 3, text: "58,075".into() });
            assert_eq!(prose[0].text.trim(), "See the door.", "{end}");
        }
    }

    #[test]
    fn blocks_of_a_page() {
        let found = blocks(
            "<html><head><title>T</title><style>p{}</style></head>\n<body><h2>Head</h2>\n<p>One &amp; <b>two</b>\nthree</p>\n<script>var x = '<p>no</p>';</script>\n<table><tr><th>a</th></tr>\n<tr><td>1</td></tr></table></body></html>",
        );
        let piece = |line, text: &str| Piece { line, text: text.to_owned() };
        assert_eq!(
            found,
            vec![
                Block::Heading { line: 1, level: 1, text: "T".into() },
                Block::Heading { line: 2, level: 2, text: "Head".into() },
                Block::Prose(vec![piece(3, "One & two"), piece(4, "three")]),
                Block::Table(super::super::Table {
                    line: 6,
                    title: String::new(),
                    header: vec!["a".into()],
                    rows: vec![vec![Cell { line: 7, text: "1".into() }]],
                }),
            ]
        );
    }
}
