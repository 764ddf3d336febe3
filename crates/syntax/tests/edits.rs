//! Edits of Markdown documents as data: what stands there, what is done, what stands there then. After every edit the
//! change that was handed back turns the old bytes into the new ones, and the tree is that of a fresh reading.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test that cannot go on says why")]

use syntax::{Document, Refusal, RowIndex, Scalar, TableId, Wanted};
use text::{Change, Text};

const FIRST: TableId = TableId(0);

#[track_caller]
fn check(before: &str, edit: impl FnOnce(&mut Document) -> Result<Change, Refusal>, after: &str) {
    let mut document = Document::parse(before);
    let change = edit(&mut document).unwrap_or_else(|refusal| panic!("{refusal}\n{before}"));
    assert_eq!(document.to_string(), after, "before: {before:?}");
    assert_eq!(change.apply(&Text::from(before)), Ok(Text::from(after)), "the change that was handed back");
    assert!(document.has_same_tree(&Document::parse(after)), "{document:?}");
}

#[track_caller]
fn check_refused(before: &[u8], edit: impl FnOnce(&mut Document) -> Result<Change, Refusal>, message: &str) {
    let mut document = Document::parse(before);
    let refusal = edit(&mut document).expect_err("a refusal");
    assert!(refusal.to_string().contains(message), "{refusal}");
    assert_eq!(document.to_bytes(), before, "the document is as it was");
}

#[test]
fn a_cell_is_replaced_and_nothing_else_moves() {
    let set =
        |row, column, value: &'static str| move |document: &mut Document| document.set_cell(FIRST, row, column, value);
    for (row_before, column, value, row_after) in [
        ("| 1 | 2 |", 0, "x", "| x | 2 |"),
        ("| 1 | 2 |", 1, "a|b", r"| 1 | a\|b |"),
        ("|  1   |2|", 0, "x", "|  x   |2|"),
        ("|1|2|", 1, "x", "|1|x|"),
        ("| | |", 0, "x", "| x | |"),
        ("| | |", 1, "x", "| | x |"),
        ("||2|", 0, "x", "| x |2|"),
        ("|      | 2 |", 0, "x", "| x | 2 |"),
        ("| 1 | 2 |", 0, "", "|  | 2 |"),
        ("|1|2|", 0, "", "||2|"),
        ("1 | 2", 0, "x", "x | 2"),
        ("1 | 2", 1, "x", "1 | x"),
        ("1 | 2", 0, "", "|  | 2"),
        ("1 | 2", 1, "", "1 | |"),
        ("1 | 2", 0, "- x", "| - x | 2"),
        ("1 | 2", 0, "# x", "| # x | 2"),
        ("1 | 2", 0, "| x", "\\| x | 2"),
        ("  1 | 2", 0, "> x", "  | > x | 2"),
        ("| 1 |", 1, "x", "| 1 | x |"),
        ("| 1", 1, "x", "| 1 | x"),
        ("1", 1, "x", "1 | x"),
        ("| 1 |  ", 1, "x", "| 1 | x |  "),
        ("| 1 |", 1, "", "| 1 |"),
        ("| 1 | 2 | 3 |", 1, "x", "| 1 | x | 3 |"),
        ("| 1 | 2 |\t", 1, "x\ny", "| 1 | x<br>y |\t"),
        ("|1|2|", 1, "C:\\", "|1|C:&#92;|"),
        ("| `a \\| b` | 2 |", 1, "x", "| `a \\| b` | x |"),
    ] {
        for ending in ["\n", "\r\n"] {
            let around = |row: &str| {
                ["text", "", "| a | b |", "|---|---|", "| 0 | 0 |", row, "| 9 | 9 |", "", "# end"].join(ending)
            };
            check(&around(row_before), set(1, column, value), &around(row_after));
            // As the last line of the document, without a line ending.
            let last = |row: &str| ["| a | b |", "|---|---|", row].join(ending);
            check(&last(row_before), set(0, column, value), &last(row_after));
        }
    }
}

#[test]
fn several_missing_cells_are_added_at_once() {
    let set = |document: &mut Document| document.set_cell(FIRST, 0, 3, "x");
    let table = |row: &str| format!("| a | b | c | d |\n|---|---|---|---|\n{row}\n");
    check(&table("| 1 |"), set, &table("| 1 | | | x |"));
    check(&table("| 1"), set, &table("| 1 | | | x"));
    check(&table("||"), set, &table("|| | | x |"));
}

#[test]
fn a_row_follows_the_style_of_its_table() {
    for (before, values, after) in [
        ("| a | b |\n|---|---|\n", &["1", "2"][..], "| a | b |\n|---|---|\n| 1 | 2 |\n"),
        ("| a | b |\n|---|---|", &["1", "2"], "| a | b |\n|---|---|\n| 1 | 2 |"),
        ("| a | b |\r\n|---|---|\r\n| 1 | 2 |", &["3"], "| a | b |\r\n|---|---|\r\n| 1 | 2 |\r\n| 3 | |"),
        ("|a|b|\n|-|-|\n|1|2|\n", &["3", "4"], "|a|b|\n|-|-|\n|1|2|\n|3|4|\n"),
        ("a | b\n--|--\n1 | 2\n", &["3", "4"], "a | b\n--|--\n1 | 2\n3 | 4\n"),
        ("a | b\n--|--\n1 | 2\n", &["", ""], "a | b\n--|--\n1 | 2\n| | |\n"),
        ("a | b\n--|--\n1 | 2\n", &["- x", "y"], "a | b\n--|--\n1 | 2\n| - x | y |\n"),
        ("a | b\n--|--\n1 | 2\n", &["x", ""], "a | b\n--|--\n1 | 2\n| x | |\n"),
        ("  | a | b |\n  |---|---|\n", &["1"], "  | a | b |\n  |---|---|\n  | 1 | |\n"),
        ("| a |\n|---|\n\n# next\n", &["1"], "| a |\n|---|\n| 1 |\n\n# next\n"),
        ("| a |\n|---|\n| 1 |\n# next\n| b |\n|---|\n", &["2"], "| a |\n|---|\n| 1 |\n| 2 |\n# next\n| b |\n|---|\n"),
        ("| a | b |\n|---|---|\n| | |\n", &["x|y", "1\n2"], "| a | b |\n|---|---|\n| | |\n| x\\|y | 1<br>2 |\n"),
    ] {
        check(before, |document| document.append_row(FIRST, values), after);
    }
}

#[test]
fn tables_in_list_items_and_below_them_are_edited_too() {
    let item = "- item\n\n  | a | b |\n  |---|---|\n  | 1 | 2 |\n\n- next\n";
    check(item, |document| document.set_cell(FIRST, 0, 1, "x"), &item.replace('2', "x"));
    check(item, |document| document.append_row(FIRST, &["3"]), &item.replace("2 |\n", "2 |\n  | 3 | |\n"));
    check(item, |document| document.remove_row(FIRST, 0), &item.replace("  | 1 | 2 |\n", ""));
    // The form of the seed's appendix: the table ends the list item.
    let schema = "- **Schema:**\n| run_id | status |\n| :--- | :--- |\n| | |\n";
    check(schema, |document| document.set_cell(FIRST, 0, 1, "PENDING"), &schema.replace("| | |", "| | PENDING |"));
    check(schema, |document| document.append_row(FIRST, &["r"]), &format!("{schema}| r | |\n"));
    let light = "Text:\na | b\n---|---\n1 | 2\n";
    check(light, |document| document.set_cell(FIRST, 0, 0, "x"), &light.replace('1', "x"));
    assert_eq!(Document::parse("> | a | b |\n> |---|---|\n").tables().count(), 0);
}

#[test]
fn rows_are_inserted_and_removed_where_they_stand() {
    let table = "| a |\n|---|\n| 1 |\n| 2 |\n\n# next\n\n| b |\n|---|\n| 3 |";
    check(table, |document| document.insert_row(FIRST, 0, &["0"]), &table.replace("| 1 |", "| 0 |\n| 1 |"));
    check(table, |document| document.insert_row(FIRST, 1, &["x"]), &table.replace("| 2 |", "| x |\n| 2 |"));
    check(table, |document| document.remove_row(FIRST, 0), &table.replace("| 1 |\n", ""));
    check(table, |document| document.remove_row(FIRST, 1), &table.replace("| 2 |\n", ""));
    check(table, |document| document.remove_row(TableId(1), 0), &table.replace("\n| 3 |", ""));
    check(table, |document| document.set_cell(TableId(1), 0, 0, "4"), &table.replace('3', "4"));
}

#[test]
fn front_matter_keys_are_set_one_by_one() {
    let matter = "---\n# note\ntitle: \"a\"   # kept\nprogress: 40%\nold: 'x'\nempty:\n---\n\ntext\n";
    let text = |key: &'static str, value: &'static str| {
        move |document: &mut Document| document.set_front_matter(key, Scalar::Text(value))
    };
    check(matter, text("title", "b \"c\""), &matter.replace("\"a\"", r#""b \"c\"""#));
    check(matter, text("progress", "100%"), &matter.replace("40%", "100%"));
    check(matter, text("progress", "true"), &matter.replace("40%", "\"true\""));
    check(matter, text("progress", "a: b # c"), &matter.replace("40%", "\"a: b # c\""));
    check(matter, text("progress", "two\nlines"), &matter.replace("40%", r#""two\nlines""#));
    check(matter, text("old", "it's"), &matter.replace("'x'", "'it''s'"));
    check(matter, text("empty", "full"), &matter.replace("empty:", "empty: full"));
    check(matter, text("new", "가"), &matter.replace("empty:\n", "empty:\nnew: 가\n"));
    check(
        matter,
        |document| document.set_front_matter("count", Scalar::Literal("5")),
        &matter.replace("empty:\n", "empty:\ncount: 5\n"),
    );
    check("", text("a", "b"), "---\na: b\n---\n");
    check("# T\r\n", text("a", "b"), "---\r\na: b\r\n---\r\n\r\n# T\r\n");
    check("\u{FEFF}# T\n", text("a", "b"), "\u{FEFF}---\na: b\n---\n\n# T\n");
    check("---\n---\n", text("a", "b"), "---\na: b\n---\n");
    check("---\n\n---\n", text("a", "b"), "---\na: b\n---\n\n---\n\n---\n");
    check("---\n  a: 1\n---\n", text("b", "c"), "---\n  a: 1\n  b: c\n---\n");
}

#[test]
fn front_matter_that_cannot_be_edited_is_left_alone() {
    let set = |document: &mut Document| document.set_front_matter("k", Scalar::Text("v"));
    check_refused(b"---\nk: [1]\n---\n", set, "holds a list");
    check_refused(b"---\nk:\n  a: 1\n---\n", set, "holds a list");
    check_refused(b"---\nk: |\n  a\n---\n", set, "several lines");
    check_refused(b"---\nk: 1\nk: 2\n---\n", set, "occurs twice");
    check_refused(b"---\n{a: 1}\n---\n", set, "in braces");
    check_refused(b"---\n- a\n---\n", set, "not a list of keys");
    check_refused(b"---\na: \"x\n---\n", set, "not valid YAML");
    check_refused(b"---\na: 1\n", set, "never closed");
    check_refused(b"", |document| document.set_front_matter("", Scalar::Text("v")), "at least one character");
    check_refused(b"", |document| document.set_front_matter("k", Scalar::Literal("v")), "not a number");
}

#[test]
fn sections_are_added_and_grow() {
    let append = |document: &mut Document| document.append_section(2, "New", "text");
    check("", append, "## New\n\ntext\n");
    check("# T", append, "# T\n\n## New\n\ntext\n");
    check("# T\r\n", append, "# T\r\n\r\n## New\r\n\r\ntext\r\n");
    check("# T\n\n", append, "# T\n\n## New\n\ntext\n");
    check("| a |\n|---|\n| 1 |", append, "| a |\n|---|\n| 1 |\n\n## New\n\ntext\n");
    check("# T\n", |document| document.append_section(6, "A *b* `c`", ""), "# T\n\n###### A *b* `c`\n");
    let log = "# Log\n\n## A\n\none\n\n\n## B\ntwo\n";
    let grow = |title: &'static str| move |document: &mut Document| document.append_to_section(title, "more\n");
    check(log, grow("a"), "# Log\n\n## A\n\none\n\nmore\n\n\n## B\ntwo\n");
    check(log, grow("B"), "# Log\n\n## A\n\none\n\n\n## B\ntwo\n\nmore\n");
    check(log, grow("Log"), "# Log\n\n## A\n\none\n\n\n## B\ntwo\n\nmore\n");
    check(log, |document| document.prepend_to_section("B", "zero"), "# Log\n\n## A\n\none\n\n\n## B\n\nzero\n\ntwo\n");
    check(log, |document| document.prepend_to_section("A", "zero"), "# Log\n\n## A\n\nzero\n\none\n\n\n## B\ntwo\n");
}

#[test]
fn what_would_be_read_differently_is_refused() {
    let append = |document: &mut Document| document.append_section(2, "New", "text");
    check_refused(b"```\ncode", append, "line 1 is never closed");
    check_refused(b"# T\n<!-- x", append, "line 2 is never closed");
    check_refused(b"# T\n", |document| document.append_section(7, "x", ""), "from 1 to 6");
    check_refused(b"# T\n", |document| document.append_section(1, "x #", ""), "would be read as `x`");
    check_refused(b"# T\n", |document| document.append_section(1, "x\ny", ""), "would be read as `x`");
    check_refused(b"# T\n", |document| document.append_to_section("U", "x"), "its sections are `T`");
    check_refused(b"# T\n\n# U\n", |document| document.append_to_section("T", "```\nx"), "from line 2 on");
}

#[test]
fn edits_that_have_no_place_are_refused() {
    let table = b"| a | b |\n|---|---|\n| 1 | 2 |\n";
    check_refused(table, |document| document.set_cell(TableId(1), 0, 0, "x"), "no table 1, it has 1");
    check_refused(table, |document| document.set_cell(FIRST, 1, 0, "x"), "no row 1, it has 1");
    check_refused(table, |document| document.set_cell(FIRST, 0, 2, "x"), "no column 2, it has 2");
    check_refused(table, |document| document.set_cell(FIRST, 0, 0, "\0"), "NUL");
    check_refused(table, |document| document.insert_row(FIRST, 2, &["x"]), "no row 2");
    check_refused(table, |document| document.append_row(FIRST, &["1", "2", "3"]), "3 values do not fit");
    check_refused(table, |document| document.remove_row(FIRST, 1), "no row 1");
    check_refused(b"| a |\n|---|\n| \xFF |\n", |document| document.set_cell(FIRST, 0, 0, "x"), "line 3, byte 14");
}

#[test]
fn tables_are_told_apart_by_heading_and_columns() {
    let document = Document::parse(
        "# A\n\n## One\n\n| x | y |\n|---|---|\n\n## **Two**\n\n| x (PK) | y |\n|---|---|\n| 1 | 2 |\n",
    );
    let find = |heading, columns: &[&str]| document.find_table(&Wanted { columns, heading }).map(|table| table.id().0);
    assert_eq!(find(None, &["x"]), Some(0));
    assert_eq!(find(Some("two"), &["y", "X"]), Some(1));
    assert_eq!(find(Some("A"), &["x"]), Some(0));
    assert_eq!(find(Some("B"), &["x"]), None);
    assert_eq!(find(None, &["z"]), None);
    let table = document.table(TableId(1)).unwrap();
    assert_eq!(table.headings(), ["A", "**Two**"]);
}

#[test]
fn a_row_index_follows_edits() {
    let mut source = String::from("| id | v |\n|---|---|\n");
    for number in 0..200 {
        source.push_str(&format!("| r{number} | x |\n"));
    }
    let mut document = Document::parse(source);
    let mut index = RowIndex::new(&document, FIRST, 0);
    assert_eq!(index.find(&document, "r150"), Some(150));
    assert_eq!(index.find(&document, "none"), None);
    document.append_row(FIRST, &["new", "y"]).unwrap();
    document.append_row(FIRST, &["newer", "y"]).unwrap();
    document.set_cell(FIRST, 3, 1, "z").unwrap();
    assert_eq!(index.find(&document, "newer"), Some(201));
    document.set_cell(FIRST, 3, 0, "renamed").unwrap();
    assert_eq!((index.find(&document, "r3"), index.find(&document, "renamed")), (None, Some(3)));
    document.remove_row(FIRST, 0).unwrap();
    assert_eq!((index.find(&document, "r0"), index.find(&document, "r150")), (None, Some(149)));
    document.insert_row(FIRST, 0, &["r0"]).unwrap();
    document.append_section(1, "More", "").unwrap();
    assert_eq!((index.find(&document, "r0"), index.find(&document, "r150")), (Some(0), Some(150)));
    let other = Document::parse("| id |\n|---|\n| r150 |\n");
    assert_eq!((index.find(&other, "r150"), index.find(&other, "r1")), (Some(0), None));
}

/// QL-08: one changed cell of a large table leaves the rest of the bytes where they are in memory.
#[test]
fn ql08_a_changed_cell_copies_nothing_of_the_rest() {
    let mut source = String::from("| id | status |\n|---|---|\n");
    for number in 0..100_000 {
        source.push_str(&format!("| run-{number} | PENDING |\n"));
    }
    let mut document = Document::parse(source);
    let places = |text: &Text| text.chunks().map(<[u8]>::as_ptr).collect::<std::collections::HashSet<_>>();
    let before = document.text().clone();
    document.set_cell(FIRST, 50_000, 1, "COMPLETED").unwrap();
    let (old, new) = (places(&before), places(document.text()));
    let copied = new.difference(&old).count();
    assert!(copied <= 4 && new.len() > 100, "{copied} of {} pieces are new", new.len());
    assert_eq!(document.table(FIRST).unwrap().row(50_000).unwrap().value(1), "COMPLETED");
}

#[test]
fn changes_of_others_are_followed() {
    let mut document =
        Document::parse("# T\n\n| id | v |\n|---|---|\n| a | 1 |\n| b | 2 |\n\n# U\n\n| x |\n|---|\n| y |\n");
    let mut other = document.clone();
    let mut index = RowIndex::new(&document, FIRST, 0);
    let changes = [
        other.set_cell(FIRST, 1, 0, "c").unwrap(),
        other.append_row(FIRST, &["d"]).unwrap(),
        other.set_cell(TableId(1), 0, 0, "z").unwrap(),
        other.append_to_section("T", "text").unwrap(),
        other.set_front_matter("k", Scalar::Text("v")).unwrap(),
    ];
    for change in &changes {
        document.apply(change).unwrap();
        assert!(document.has_same_tree(&Document::parse(document.to_bytes())), "{document}");
        assert_eq!((index.find(&document, "b"), index.find(&document, "c")), (None, Some(1)));
    }
    assert_eq!(document.to_string(), other.to_string());
    assert_eq!(index.find(&document, "d"), Some(2));
    assert!(document.apply(&changes[0]).is_err(), "a change for another text is not taken");
    assert_eq!(document.to_string(), other.to_string());
}

#[test]
fn documents_and_indexes_go_from_thread_to_thread() {
    fn check<T: Send + Sync>() {}
    check::<Document>();
    check::<RowIndex>();
}
