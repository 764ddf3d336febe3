//! Owns one function per codec that takes any bytes and fails only by panicking (QL-25). The seeded mutation loop of
//! the tests and fuzzing engines call the same functions. Must not be used by anything else.
#![allow(clippy::panic, reason = "what is fuzzed fails by panicking")]

use crate::data::{Kind, Node, Parsed, Value};
use crate::data_edit::{self, Edit, Format, Part};
use crate::markdown::{cells, fields, lists, paths};
use crate::{Document, Problem, TableId, json, yaml};

/// Reads a Markdown document, looks at all of it, and edits it in every way.
pub fn fuzz_markdown(bytes: &[u8]) {
    let document = Document::parse(bytes);
    assert_eq!(document.to_bytes(), bytes, "the same bytes come out");
    check_problems(&document.problems(), bytes);
    let mut at = 0;
    for table in document.tables() {
        assert_eq!(table.columns().len(), table.column_count());
        assert!(table.span().start >= at && table.span().end <= bytes.len(), "tables follow each other");
        at = table.span().end;
        table.headings();
        for row in table.rows() {
            for column in 0..row.cell_count() {
                assert!(row.cell(column).is_some_and(|cell| cell.span.end <= bytes.len()));
            }
        }
    }
    for section in document.sections() {
        assert!(section.span.end <= bytes.len() && section.body.end <= section.span.end, "{section:?}");
    }
    document.fences();
    document.front_matter();
    edit(&document);
    follow(&document);
}

/// Reads a cell, and writes its value and the cell's own text.
pub fn fuzz_cell(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    for value in [cells::decode(&text), text.into_owned()] {
        if let Ok(cell) = cells::encode(&value) {
            assert_eq!(cells::decode(&cell), value, "written as {cell:?}");
            assert!(!cell.contains(['\n', '\r']), "a cell is one line: {cell:?}");
        }
        cells::status_word(&value);
        paths::read_paths(&value);
    }
}

/// Reads every line as fields, gives each of them another value, and adds text at the end.
pub fn fuzz_fields(bytes: &[u8]) {
    const LINES: usize = 40;
    let document = Document::parse(bytes);
    let known = |key: &str| key.len() % 2 == 1;
    for line in 1..=document.text().line_count().min(LINES) {
        for (number, field) in document.fields(line, &known).iter().enumerate() {
            assert!(!field.key.is_empty() && field.key_span.end <= field.value_span.start, "{field:?}");
            for value in ["", "x", "a | b: c", "`", "# \\", "**y**"] {
                let mut edited = document.clone();
                let Ok(change) = edited.set_field(line, &field.key, value, &known) else { continue };
                let fresh = Document::parse(edited.to_bytes());
                assert!(edited.has_same_tree(&fresh), "{edited:?}\nfresh {fresh:?}\n{edited}");
                let read = fresh.fields(line, &known);
                let first = read.iter().find(|other| other.key.to_lowercase() == field.key.to_lowercase());
                assert_eq!(first.map(|field| field.value.as_str()), Some(value), "field {number} in\n{edited}");
                assert!(edited.apply(&change.inverse()).is_ok() && edited.to_bytes() == bytes, "{change:?}");
            }
        }
    }
    let text = fields::readable(bytes);
    assert_eq!(text.len(), bytes.len(), "a text of the same length");
    let breaks = text.lines().filter(|line| fields::is_break(line));
    breaks.for_each(|line| assert!(fields::read_line(line, &known).is_empty(), "a break holds no field: {line:?}"));
    let mut edited = document.clone();
    if edited.append_text("- Agent: x\n").is_ok() {
        let ending = edited.to_bytes().split_off(bytes.len());
        let added = String::from_utf8_lossy(&ending).replace('\r', "");
        assert!(edited.to_bytes().starts_with(bytes) && added.trim_start() == "- Agent: x\n", "{edited}");
        assert_eq!(edited.fields(edited.text().line_count(), &known).len(), 1, "{edited}");
    }
}

/// Reads lists, and each entry alone: it is the same as in its document.
pub fn fuzz_lists(bytes: &[u8]) {
    const ALONE: usize = 40;
    const DEEPEST: usize = 40;
    let text = fields::readable(bytes);
    let nodes = lists::read(&text).nodes;
    let mut depths: Vec<usize> = Vec::with_capacity(nodes.len());
    for (number, node) in nodes.iter().enumerate() {
        let places =
            [node.start, node.content.start, node.content.end, node.head_end, node.text_end, node.end, text.len()];
        assert!(places.is_sorted(), "{node:?}");
        let _ = &text[node.content.clone()];
        let holder = node.parent.map(|parent| &nodes[parent]);
        assert!(node.parent.is_none_or(|parent| parent < number), "{node:?}");
        assert!(
            holder.is_none_or(|holder| holder.start < node.start && node.end <= holder.end),
            "{node:?} in {holder:?}"
        );
        depths.push(node.parent.map_or(0, |parent| depths[parent] + 1));
    }
    let stride = (nodes.len() / ALONE).max(1);
    for (number, node) in nodes.iter().enumerate().step_by(stride).take(ALONE) {
        let inner = nodes[number..].iter().take_while(|inner| inner.start < node.end).count();
        if node.level().is_some() || depths[number..number + inner].iter().any(|depth| *depth > DEEPEST) {
            continue;
        }
        let alone = lists::read(&text[node.start..node.end]).nodes;
        let moved = |node: &lists::Node| node.moved(nodes[number].start, nodes[number].line, number);
        let expected: Vec<lists::Node> = nodes[number..number + inner].iter().map(moved).collect();
        assert_eq!(alone, expected, "entry {number} alone, of {text:?}");
    }
}

/// Reads YAML, and edits it in every way.
pub fn fuzz_yaml(bytes: &[u8]) {
    check_problems(&yaml::parse(bytes).problems, bytes);
    check_problems(&yaml::parse_expanded(bytes).problems, bytes);
    edit_data(Format::Yaml, bytes);
}

/// Reads JSON, and edits it in every way.
pub fn fuzz_json(bytes: &[u8]) {
    check_problems(&json::parse(bytes).problems, bytes);
    edit_data(Format::Json, bytes);
}

/// Each edit is one splice that fits, is read back, leaves every other value as it was, and can be taken back.
fn edit_data(format: Format, bytes: &[u8]) {
    const PLACES: usize = 6;
    let before = format.parse(bytes);
    let Some(root) = &before.root else { return };
    let mut paths = vec![Vec::new()];
    collect_paths(root, &mut Vec::new(), &mut paths);
    let stride = (paths.len() / PLACES).max(1);
    let list = Value::List(vec![Value::Text("- a: #".into()), Value::Map(vec![("k".into(), Value::Null)])]);
    for path in paths.iter().step_by(stride).take(PLACES) {
        let fresh = [path.as_slice(), &[Part::Key("fuzz: 'key")]].concat();
        let first = [path.as_slice(), &[Part::Index(0)]].concat();
        for (path, edit) in [
            (path, Edit::Set(&list)),
            (path, Edit::Append(&list)),
            (path, Edit::Remove),
            (&fresh, Edit::Set(&Value::Bool(true))),
            (&first, Edit::Insert(&list)),
        ] {
            let Ok(change) = data_edit::edit(format, bytes, path, edit) else { continue };
            assert!(change.splices().len() <= 1, "one place: {change:?}");
            let text = text::Text::from(bytes.to_vec());
            let Ok(edited) = change.apply(&text) else { panic!("{change:?} does not fit") };
            let after = format.parse(&edited.to_vec());
            match edit {
                Edit::Set(value) => assert_eq!(node_at(&after, path).and_then(Node::to_value).as_ref(), Some(value)),
                Edit::Append(value) => {
                    let last = node_at(&after, path).and_then(|node| match &node.kind {
                        Kind::List(items) => items.last()?.to_value(),
                        _ => None,
                    });
                    assert_eq!(last.as_ref(), Some(value));
                }
                Edit::Insert(value) => assert_eq!(node_at(&after, path).and_then(Node::to_value).as_ref(), Some(value)),
                Edit::Remove => assert!(count(after.root.as_ref()) < count(Some(root)), "{edit:?} at {path:?}"),
            }
            assert!(change.inverse().apply(&edited).is_ok_and(|back| back.to_vec() == bytes), "{change:?}");
        }
    }
}

fn collect_paths<'a>(node: &'a Node, path: &mut Vec<Part<'a>>, paths: &mut Vec<Vec<Part<'a>>>) {
    const MOST: usize = 200;
    let parts: Vec<(Part<'a>, &'a Node)> = match &node.kind {
        Kind::Map(entries) => entries.iter().map(|entry| (Part::Key(entry.key.as_str()), &entry.value)).collect(),
        Kind::List(items) => items.iter().enumerate().map(|(index, item)| (Part::Index(index), item)).collect(),
        _ => Vec::new(),
    };
    for (part, child) in parts {
        if paths.len() >= MOST {
            return;
        }
        path.push(part);
        paths.push(path.clone());
        collect_paths(child, path, paths);
        path.pop();
    }
}

fn node_at<'a>(parsed: &'a Parsed, path: &[Part<'_>]) -> Option<&'a Node> {
    path.iter().try_fold(parsed.root.as_ref()?, |node, part| match (part, &node.kind) {
        (Part::Key(key), _) => node.value(key),
        (Part::Index(index), Kind::List(items)) => items.get(*index),
        (Part::Index(_), _) => None,
    })
}

fn count(node: Option<&Node>) -> usize {
    match node.map(|node| &node.kind) {
        Some(Kind::Map(entries)) => 1 + entries.iter().map(|entry| count(Some(&entry.value))).sum::<usize>(),
        Some(Kind::List(items)) => 1 + items.iter().map(|item| count(Some(item))).sum::<usize>(),
        Some(_) => 1,
        None => 0,
    }
}

fn check_problems(problems: &[Problem], bytes: &[u8]) {
    for problem in problems {
        assert!(problem.line >= 1 && problem.column >= 1, "{problem:?}");
        assert!(problem.span.start <= problem.span.end && problem.span.end <= bytes.len(), "{problem:?}");
    }
}

/// A change that somebody else made, anywhere and of any kind, leads to the tree of a fresh reading.
fn follow(document: &Document) {
    const PUTS: [&str; 14] =
        ["", "\n", "|", "```\n", "---\n", "# x\n", "| 1 | 2 |\n", "\n| 3 | 4 |", "<!--", "\n\n", "- ", "x", "가", "> "];
    let length = document.text().len();
    let starts: Vec<usize> =
        document.tables().flat_map(|table| [table.span().start, table.span().end]).take(8).collect();
    for (number, put) in PUTS.into_iter().enumerate() {
        // Places that depend on the document, spread over all of it, and the edges of its tables.
        let spread = (number * 2 + 1) * length / (PUTS.len() * 2);
        for at in starts.iter().copied().chain([spread, length]) {
            for cut in [0, 1 + number % 3] {
                let range = at.min(length)..(at + cut).min(length);
                let change = text::Change::replace(document.text(), range, put.as_bytes().to_vec());
                let mut changed = document.clone();
                assert_eq!(changed.apply(&change), Ok(()));
                let fresh = Document::parse(changed.to_bytes());
                assert!(changed.has_same_tree(&fresh), "{change:?}\n{changed:?}\nfresh {fresh:?}\n{changed}");
            }
        }
    }
}

/// After each edit the document is the same as if it had been read anew.
fn edit(document: &Document) {
    const TABLES: usize = 3;
    let tables: Vec<TableId> = document.tables().take(TABLES).map(|table| table.id()).collect();
    let same = |edited: &Document| {
        let fresh = Document::parse(edited.to_bytes());
        assert!(edited.has_same_tree(&fresh), "{edited:?}\nfresh {fresh:?}\n{edited}");
    };
    for table in tables {
        let (columns, rows) =
            document.table(table).map(|table| (table.columns().len(), table.row_count())).unwrap_or_default();
        for value in ["", "x", "# |\n`", "- \\"] {
            for (row, column) in [(0, 0), (rows / 2, columns / 2), (rows.saturating_sub(1), columns.saturating_sub(1))]
            {
                let mut edited = document.clone();
                if edited.set_cell(table, row, column, value).is_ok() {
                    let read = edited.table(table).ok().and_then(|table| table.row(row)).map(|row| row.value(column));
                    assert_eq!(read.as_deref(), Some(value), "row {row}, column {column} in\n{edited}");
                    same(&edited);
                }
            }
            let mut edited = document.clone();
            if edited.append_row(table, &[value]).is_ok() {
                same(&edited);
                let removed = edited.remove_row(table, rows);
                assert!(removed.is_ok() && edited.to_bytes() == document.to_bytes(), "{removed:?}");
                same(&edited);
            }
        }
        let mut edited = document.clone();
        if edited.remove_row(table, rows / 2).is_ok() {
            same(&edited);
        }
    }
    let mut edited = document.clone();
    if edited.set_front_matter("fuzz", crate::Scalar::Text("a: b")).is_ok() {
        same(&edited);
        assert_eq!(
            edited.front_matter().and_then(|matter| matter.value("fuzz").map(str::to_owned)).as_deref(),
            Some("a: b")
        );
    }
    let mut edited = document.clone();
    if edited.append_section(2, "Fuzz", "text").is_ok() {
        same(&edited);
        assert!(edited.section("Fuzz").is_some());
    }
    let mut edited = document.clone();
    if let Some(heading) = document.headings().first()
        && edited.append_to_section(&heading.title, "text").is_ok()
    {
        same(&edited);
    }
}
