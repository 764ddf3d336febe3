//! JSON with line numbers: lists of objects become tables, objects become one-row tables, long strings paragraphs.

use super::{Block, Cell, Extent, Piece};
use crate::offline::limits;

#[derive(Debug)]
enum Node {
    Scalar(String),
    Text(String),
    List(Vec<(usize, Node)>),
    Object(Fields),
}

/// Names with the lines they stand on, and their values.
type Fields = Vec<(String, usize, Node)>;

/// The blocks of a JSON text, or of one with a JSON value a line; nothing if it is neither.
///
/// Of a text that was cut off, what stands before the cut.
pub(super) fn blocks(text: &str, extent: Extent) -> Option<Vec<Block>> {
    let mut scanner = Scanner { chars: text.chars().collect(), at: 0, line: 1, is_cut: extent == Extent::Beginning };
    let mut values = Vec::new();
    scanner.skip_space();
    while scanner.at < scanner.chars.len() {
        values.push((scanner.line, scanner.value(0)?));
        scanner.skip_space();
    }
    let root = if values.len() == 1 { values.pop()?.1 } else { Node::List(values) };
    let mut blocks = Vec::new();
    show(&root, 1, &mut Vec::new(), &mut blocks);
    Some(blocks)
}

/// Writes a value as blocks; the names that lead to it become a heading.
fn show(node: &Node, line: usize, names: &mut Vec<String>, blocks: &mut Vec<Block>) {
    match node {
        Node::Scalar(text) | Node::Text(text) => blocks.push(Block::Prose(vec![Piece { line, text: text.clone() }])),
        Node::Object(fields) => {
            heading(line, names, blocks);
            if let Some(rows) = keyed(fields) {
                let key = names.last().cloned().unwrap_or_else(|| "name".to_owned());
                let rows: Vec<(usize, Flat)> = rows
                    .into_iter()
                    .map(|(name, line, mut row)| {
                        row.insert(0, (key.clone(), line, name));
                        (line, row)
                    })
                    .collect();
                record(line, &rows, blocks);
                return;
            }
            record(line, &[(line, flat(fields))], blocks);
            inner(fields, names, blocks);
        }
        Node::List(items) => {
            let objects: Vec<(usize, &Fields)> = items
                .iter()
                .filter_map(|(line, item)| if let Node::Object(fields) = item { Some((*line, fields)) } else { None })
                .collect();
            heading(line, names, blocks);
            if !objects.is_empty() {
                let rows: Vec<(usize, Flat)> = objects.iter().map(|(line, fields)| (*line, flat(fields))).collect();
                record(line, &rows, blocks);
            }
            for (line, item) in items {
                match item {
                    Node::Object(fields) => inner(fields, names, blocks),
                    other => show(other, *line, names, blocks),
                }
            }
        }
    }
}

fn heading(line: usize, names: &[String], blocks: &mut Vec<Block>) {
    if !names.is_empty() {
        blocks.push(Block::Heading { line, level: names.len().min(6), text: names.join(" ") });
    }
}

/// What an object says in one row: names, lines, and short values.
type Flat = Vec<(String, usize, String)>;

/// The short fields of an object, and those of the plain objects and lists in it.
fn flat(fields: &Fields) -> Flat {
    let mut row = Vec::new();
    for (name, line, value) in fields {
        match value {
            Node::Object(inside) if is_plain(value) => {
                row.extend(inside.iter().filter_map(|(field, line, value)| {
                    Some((format!("{name} {field}"), *line, short(value)?.to_owned()))
                }));
            }
            _ => row.extend(listed(value).map(|text| (name.clone(), *line, text))),
        }
    }
    row
}

/// Whether an object has nothing but short values.
fn is_plain(node: &Node) -> bool {
    matches!(node, Node::Object(fields) if !fields.is_empty() && fields.iter().all(|(_, _, value)| short(value).is_some()))
}

/// A short value, or a list of a few.
fn listed(node: &Node) -> Option<String> {
    match node {
        Node::List(items) => {
            let texts: Vec<&str> = items.iter().map(|(_, item)| short(item)).collect::<Option<_>>()?;
            let text = texts.join(", ");
            (text.chars().count() <= 60).then_some(text)
        }
        _ => short(node).map(str::to_owned),
    }
}

/// Objects of the same shape under names, as years under their numbers: one row for each.
fn keyed(fields: &Fields) -> Option<Vec<(String, usize, Flat)>> {
    let mut rows: Vec<(String, usize, Flat)> = Vec::new();
    for (name, line, value) in fields {
        let Node::Object(inside) = value else { return None };
        let row = if is_plain(value) { flat(inside) } else { return None };
        rows.push((name.clone(), *line, row));
    }
    let shape = |row: &Flat| row.iter().map(|(name, _, _)| name.clone()).collect::<std::collections::BTreeSet<_>>();
    let first = shape(&rows.first()?.2);
    let is_same = rows.len() > 1 && rows.iter().all(|(_, _, row)| shape(row).intersection(&first).next().is_some());
    is_same.then_some(rows)
}

/// Rows as one table.
fn record(line: usize, objects: &[(usize, Flat)], blocks: &mut Vec<Block>) {
    let mut header: Vec<String> = Vec::new();
    for (name, _, _) in objects.iter().flat_map(|(_, row)| row) {
        if !header.contains(name) && header.len() < limits::COLUMNS {
            header.push(name.clone());
        }
    }
    let rows = objects
        .iter()
        .map(|(line, row)| {
            let cell = |name: &String| {
                let field = row.iter().find(|(field, _, _)| field == name);
                Cell {
                    line: field.map_or(*line, |(_, line, _)| *line),
                    text: field.map(|(_, _, text)| text.clone()).unwrap_or_default(),
                }
            };
            header.iter().map(cell).collect()
        })
        .collect();
    blocks.extend(super::table(line, header, rows).map(Block::Table));
}

/// What a table does not hold: long strings, and values with an inside.
fn inner(fields: &[(String, usize, Node)], names: &mut Vec<String>, blocks: &mut Vec<Block>) {
    // What an object is called is said of everything inside it.
    let label = fields.iter().find_map(|(_, _, value)| match value {
        Node::Text(text) if short(value).is_some() && text.chars().any(char::is_alphabetic) => Some(text.as_str()),
        _ => None,
    });
    for (name, line, value) in fields {
        if listed(value).is_none() && !is_plain(value) {
            names.push(label.map_or_else(|| name.clone(), |label| format!("{label} {name}")));
            show(value, *line, names, blocks);
            names.pop();
        }
    }
}

fn short(node: &Node) -> Option<&str> {
    match node {
        Node::Scalar(text) => Some(text),
        Node::Text(text) if text.chars().count() <= 60 => Some(text),
        _ => None,
    }
}

struct Scanner {
    chars: Vec<char>,
    at: usize,
    line: usize,
    /// Whether the text ends where it was cut, so that lists and objects need no end.
    is_cut: bool,
}

impl Scanner {
    /// Whether the cut was met: what was read so far is all there is.
    fn is_over(&self) -> bool {
        self.is_cut && self.at >= self.chars.len()
    }

    fn skip_space(&mut self) {
        while let Some(c) = self.chars.get(self.at).filter(|c| c.is_whitespace()) {
            self.line += usize::from(*c == '\n');
            self.at += 1;
        }
    }

    fn value(&mut self, depth: usize) -> Option<Node> {
        if depth > limits::JSON_DEPTH {
            return None;
        }
        self.skip_space();
        match self.chars.get(self.at)? {
            '{' => self.object(depth),
            '[' => self.list(depth),
            '"' => self.string().map(Node::Text),
            _ => self.scalar(),
        }
    }

    fn object(&mut self, depth: usize) -> Option<Node> {
        let mut fields = Vec::new();
        self.at += 1;
        loop {
            self.skip_space();
            if self.is_over() {
                return Some(Node::Object(fields));
            }
            match self.chars.get(self.at)? {
                '}' => {
                    self.at += 1;
                    return Some(Node::Object(fields));
                }
                ',' => self.at += 1,
                '"' => {
                    let line = self.line;
                    let name = self.string()?;
                    self.skip_space();
                    if self.chars.get(self.at) != Some(&':') {
                        return None;
                    }
                    self.at += 1;
                    match self.value(depth + 1) {
                        Some(value) => fields.push((name, line, value)),
                        None if self.is_over() => return Some(Node::Object(fields)),
                        None => return None,
                    }
                }
                _ => return None,
            }
        }
    }

    fn list(&mut self, depth: usize) -> Option<Node> {
        let mut items = Vec::new();
        self.at += 1;
        loop {
            self.skip_space();
            if self.is_over() {
                return Some(Node::List(items));
            }
            match self.chars.get(self.at)? {
                ']' => {
                    self.at += 1;
                    return Some(Node::List(items));
                }
                ',' => self.at += 1,
                _ => {
                    let line = self.line;
                    match self.value(depth + 1) {
                        Some(value) => items.push((line, value)),
                        None if self.is_over() => return Some(Node::List(items)),
                        None => return None,
                    }
                }
            }
        }
    }

    fn string(&mut self) -> Option<String> {
        let start = self.at;
        self.at += 1;
        while *self.chars.get(self.at)? != '"' {
            self.at += if self.chars[self.at] == '\\' { 2 } else { 1 };
        }
        self.at += 1;
        let raw: String = self.chars[start..self.at].iter().collect();
        serde_json::from_str(&raw).ok()
    }

    fn scalar(&mut self) -> Option<Node> {
        let start = self.at;
        while self.chars.get(self.at).is_some_and(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.')) {
            self.at += 1;
        }
        let word: String = self.chars[start..self.at].iter().collect();
        match word.as_str() {
            "null" => Some(Node::Scalar(String::new())),
            "true" | "false" => Some(Node::Scalar(word)),
            _ => word.parse::<f64>().is_ok().then_some(Node::Scalar(word)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_become_tables_with_lines() {
        let found = blocks(
            "{\n \"name\": \"Acme\",\n \"years\": [\n  {\"year\": 2023,\n   \"revenue\": 4.2}\n ]\n}",
            Extent::Whole,
        )
        .unwrap();
        type Shown = (Vec<String>, Vec<(usize, String)>);
        let tables: Vec<Shown> = found
            .iter()
            .filter_map(|block| if let Block::Table(table) = block { Some(table) } else { None })
            .map(|table| {
                (table.header.clone(), table.rows[0].iter().map(|cell| (cell.line, cell.text.clone())).collect())
            })
            .collect();
        assert_eq!(
            tables,
            vec![
                (vec!["name".to_owned()], vec![(2, "Acme".to_owned())]),
                (vec!["year".to_owned(), "revenue".to_owned()], vec![(4, "2023".to_owned()), (5, "4.2".to_owned())]),
            ]
        );
    }

    #[test]
    fn what_is_nested_stands_in_the_row_it_belongs_to() {
        let found = blocks("{\"years\": {\n \"2022\": {\"sales\": 309800},\n \"2023\": {\"sales\": 336825}},\n \"branches\": [\n {\"name\": \"Quay\", \"costs\": {\"rent\": null, \"wages\": 33900}, \"tags\": [\"pier\", \"cafe\"]}]}", Extent::Whole)
        .unwrap();
        let tables: Vec<String> = found
            .iter()
            .filter_map(|block| if let Block::Table(table) = block { Some(table) } else { None })
            .map(|table| {
                let rows = table.rows.iter().map(|row| {
                    row.iter().map(|cell| format!("{}@{}", cell.text, cell.line)).collect::<Vec<_>>().join(" ")
                });
                format!("{}: {}", table.header.join(","), rows.collect::<Vec<_>>().join("; "))
            })
            .collect();
        assert_eq!(
            tables,
            [
                "years,sales: 2022@2 309800@2; 2023@3 336825@3",
                "name,costs rent,costs wages,tags: Quay@5 @5 33900@5 pier, cafe@5",
            ]
        );
    }

    #[test]
    fn what_is_no_json_is_refused() {
        assert!(blocks("{\"a\": }", Extent::Whole).is_none());
        assert!(blocks(&"[".repeat(100), Extent::Whole).is_none());
    }

    #[test]
    fn a_text_that_was_cut_off_is_read_up_to_the_cut() {
        let text = "[\n {\"a\": 1},\n {\"a\": 2},\n {\"a\": ";
        assert!(blocks(text, Extent::Whole).is_none());
        let found = blocks(text, Extent::Beginning).unwrap();
        let Some(Block::Table(table)) = found.first() else { panic!("{found:?}") };
        assert_eq!(table.rows.len(), 2);
    }
}
