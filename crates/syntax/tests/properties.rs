//! Properties over arbitrary values and documents: what is written is read back, one cell stays one cell for any
//! GFM reader, an edit changes its span and nothing else, and the tree after an edit is that of a fresh reading.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test that cannot go on says why")]

use proptest::prelude::*;
use pulldown_cmark::{Event, Options, Parser, Tag};
use syntax::markdown::{cells, paths};
use syntax::{Document, Scalar, TableId};

/// Values made of everything that could go wrong in a cell.
fn ugly_value() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("|"),
        Just("\\"),
        Just("`"),
        Just("``"),
        Just("\n"),
        Just("\r"),
        Just("\r\n"),
        Just("\t"),
        Just(" "),
        Just("<br>"),
        Just("<BR/>"),
        Just("<br"),
        Just(">"),
        Just("&"),
        Just("&amp;"),
        Just("&#32;"),
        Just("&#x7C;"),
        Just(";"),
        Just("#"),
        Just("-"),
        Just("*"),
        Just("_"),
        Just("a"),
        Just("가"),
        Just("🚀"),
        Just("\u{A0}"),
        Just("\u{1b}"),
        Just("\u{7f}"),
        Just("\u{85}"),
        Just("\u{2028}"),
        Just("\u{FEFF}"),
        Just("[x]"),
        Just("```"),
        Just("---"),
        Just("1. "),
        Just("<!--"),
        Just("\u{B}"),
        Just("\u{200B}"),
    ];
    prop_oneof![
        4 => prop::collection::vec(piece, 0..10).prop_map(|pieces| pieces.concat()),
        1 => any::<String>().prop_map(|text| text.replace('\0', "")),
    ]
}

/// Tables in every style, with text around them.
fn ugly_table() -> impl Strategy<Value = String> {
    let row = prop_oneof![
        Just("| 1 | 2 | 3 |"),
        Just("1 | 2 | 3"),
        Just("|1|2|3|"),
        Just("| 1 |"),
        Just("||"),
        Just("| | | |"),
        Just("| 1 | 2 | 3 | 4 | 5 |"),
        Just("text"),
        Just("  | `a \\| b` | x | y |  "),
        Just("| a \\\\| b | c"),
        Just("      deep | row"),
        Just("\\"),
        Just("x | \\"),
    ];
    let header = prop_oneof![
        Just("| a | b | c |\n|---|---|---|"),
        Just("a | b | c\n--|:-:|--"),
        Just("|a|b|c|\n|-|-|-|"),
        Just("   | a | b | c\n | - | - | - "),
    ];
    let before = prop_oneof![Just(""), Just("# T\n\n"), Just("text\n\n"), Just("\u{FEFF}"), Just("---\nk: v\n---\n")];
    let after = prop_oneof![
        Just(""),
        Just("\n"),
        Just("\n\ntext"),
        Just("\n# next\n\n| x |\n|---|\n| 1 |\n"),
        Just("\n> q\n"),
        Just("\n\n| cut | off |\n"),
        Just("\n|\n"),
        Just("\n```\n| a |\n"),
    ];
    (before, header, prop::collection::vec(row, 0..5), after, any::<bool>()).prop_map(
        |(before, header, rows, after, crlf)| {
            let rows: String = rows.iter().map(|row| format!("\n{row}")).collect();
            let text = format!("{before}{header}{rows}{after}");
            if crlf { text.replace('\n', "\r\n") } else { text }
        },
    )
}

/// The cells of the first row that an independent reader finds.
fn cells_of_first_row(source: &str) -> Vec<String> {
    let mut rows = 0;
    let mut found = Vec::new();
    for (event, range) in Parser::new_ext(source, Options::ENABLE_TABLES).into_offset_iter() {
        match event {
            Event::Start(Tag::TableRow) => rows += 1,
            Event::Start(Tag::TableCell) if rows == 1 => found.push(source[range].to_owned()),
            _ => {}
        }
    }
    found
}

/// Bytes before and after an edit differ only within the splices that were handed back.
fn check_edit(before: &str, document: &Document, change: &text::Change) -> Result<(), TestCaseError> {
    let after = document.to_bytes();
    prop_assert_eq!(change.apply(&text::Text::from(before)).map(|text| text.to_vec()), Ok(after.clone()));
    let fresh = Document::parse(after);
    prop_assert!(document.has_same_tree(&fresh), "{:?}\nfresh {:?}\n{}", document, fresh, document);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1024, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_value_but_nul_is_read_back_from_its_cell(value in ugly_value()) {
        let cell = cells::encode(&value).unwrap();
        prop_assert_eq!(cells::decode(&cell), value.as_str());
        prop_assert_eq!(cells::decode(&format!("  {cell}\t")), cells::decode(&cell));
    }

    #[test]
    fn an_encoded_cell_is_one_cell_for_another_reader(value in ugly_value()) {
        let cell = cells::encode(&value).unwrap().into_owned();
        for (row, first) in [(format!("| {cell} | x |"), format!(" {cell} ")), (format!("|{cell}|x|"), cell.clone())] {
            let source = format!("| a | b |\n|---|---|\n{row}\n");
            let found = cells_of_first_row(&source);
            prop_assert_eq!(found.len(), 2, "{}", source);
            prop_assert_eq!(found[0].trim_matches([' ', '\t']), first.trim_matches([' ', '\t']), "{}", source);
            prop_assert_eq!(found[1].trim(), "x", "{}", source);
        }
    }

    #[test]
    fn any_bytes_come_out_as_they_went_in(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let document = Document::parse(&bytes[..]);
        prop_assert_eq!(document.to_bytes(), bytes);
        document.problems();
    }

    #[test]
    fn a_set_cell_is_read_back_and_nothing_else_moves(
        source in ugly_table(), value in ugly_value(), row in 0usize..5, column in 0usize..3,
    ) {
        let mut document = Document::parse(source.as_str());
        let others = |document: &Document| -> Vec<Vec<String>> {
            let table = document.table(TableId(0)).unwrap();
            let values = |row: syntax::Row<'_>| (0..3).map(|column| row.value(column)).collect();
            table.rows().map(values).collect()
        };
        if document.tables().next().is_none_or(|table| row >= table.row_count()) {
            return Ok(());
        }
        let mut expected = others(&document);
        expected[row][column].clone_from(&value);
        let change = document.set_cell(TableId(0), row, column, &value).unwrap();
        prop_assert_eq!(others(&document), expected, "{}", document);
        check_edit(&source, &document, &change)?;
    }

    #[test]
    fn rows_come_and_go_and_leave_no_trace(
        source in ugly_table(), values in prop::collection::vec(ugly_value(), 3), row in 0usize..5,
    ) {
        let mut document = Document::parse(source.as_str());
        if document.tables().next().is_none_or(|table| row > table.row_count()) {
            return Ok(());
        }
        let change = document.insert_row(TableId(0), row, &values).unwrap();
        let read: Vec<String> = {
            let table = document.table(TableId(0)).unwrap();
            let row = table.row(row).unwrap();
            (0..3).map(|column| row.value(column)).collect()
        };
        prop_assert_eq!(read, values, "{}", document);
        check_edit(&source, &document, &change)?;
        let inserted = document.to_string();
        let change = document.remove_row(TableId(0), row).unwrap();
        check_edit(&inserted, &document, &change)?;
        prop_assert_eq!(document.to_string(), source);
    }

    #[test]
    fn a_front_matter_value_is_read_back(source in ugly_table(), value in ugly_value()) {
        let mut document = Document::parse(source.as_str());
        let change = document.set_front_matter("key", Scalar::Text(&value)).unwrap();
        check_edit(&source, &document, &change)?;
        let matter = document.front_matter().unwrap();
        prop_assert_eq!(matter.value("key"), Some(value.as_str()));
    }

    /// CY-02: another value for a field is read back, and nothing but its bytes changes.
    #[test]
    fn a_set_field_is_read_back_and_nothing_else_moves(value in ugly_value(), line in 1usize..8, crlf in any::<bool>()) {
        let source = "- Agent: Actor\n**Result:** PASS\nAgent = x | Next = y\n- **Next**:\n| Next | z |\n__Next__:a\n  * Next : b\\\n";
        let source = if crlf { source.replace('\n', "\r\n") } else { source.to_owned() };
        let known = |key: &str| matches!(key, "Agent" | "Result" | "Next");
        let mut document = Document::parse(source.as_str());
        let fields = document.fields(line, &known);
        let key = fields.last().unwrap().key.clone();
        if let Ok(change) = document.set_field(line, &key, &value, &known) {
            let read = document.fields(line, &known);
            prop_assert_eq!(read.last().map(|field| field.value.as_str()), Some(value.trim()));
            check_edit(&source, &document, &change)?;
        } else {
            prop_assert_eq!(document.to_string(), source);
            let is_plain = value.chars().all(|character| character.is_alphanumeric() || character == ' ');
            prop_assert!(!is_plain, "a plain value is taken: {value:?}");
        }
    }

    #[test]
    fn a_list_of_paths_is_read_back(paths in prop::collection::vec(ugly_value(), 0..4)) {
        let cell = cells::encode(&paths::write_paths(&paths)).unwrap().into_owned();
        let read: Vec<String> = paths::read_paths(&cells::decode(&cell)).into_iter().map(|entry| entry.path).collect();
        prop_assert_eq!(read, paths);
    }
}
