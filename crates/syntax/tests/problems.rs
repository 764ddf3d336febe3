//! What `check` says, as data: the kind of each problem, its line and column.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test that cannot go on says why")]

use syntax::{Document, Problem, json, yaml};

#[track_caller]
fn check(source: &str, problems: &[Problem], expected: &[(&str, usize, usize)]) {
    let found: Vec<(&str, usize, usize)> =
        problems.iter().map(|problem| (problem.code.name(), problem.line, problem.column)).collect();
    assert_eq!(found, expected, "{source}\n{problems:#?}");
    for problem in problems {
        assert!(!problem.message.is_empty() && !problem.hint.is_empty(), "{problem:?}");
        assert!(!problem.message.ends_with('.') && !problem.hint.ends_with('.'), "{problem:?}");
    }
}

#[track_caller]
fn check_hint(source: &str, problems: &[Problem], code: &str, line: usize, hint: &str) {
    let [problem] = problems else { panic!("one problem is expected in\n{source}\n{problems:#?}") };
    assert_eq!((problem.code.name(), problem.line), (code, line), "{source}\n{problem:#?}");
    assert!(problem.hint.contains(hint), "{source}\n{problem:#?}");
}

/// What each problem marks, and a part of what it advises.
#[track_caller]
fn check_marks(source: &str, problems: &[Problem], expected: &[(&str, &str)]) {
    let marked: Vec<&str> = problems.iter().map(|problem| &source[problem.span.clone()]).collect();
    let wanted: Vec<&str> = expected.iter().map(|(mark, _)| *mark).collect();
    assert_eq!(marked, wanted, "{source}\n{problems:#?}");
    for (problem, (_, hint)) in problems.iter().zip(expected) {
        assert!(problem.hint.contains(hint), "{source}\n{problem:#?}");
    }
}

#[test]
fn problems_of_markdown() {
    for (source, expected) in [
        ("", &[][..]),
        ("# fine\n\n| a | b |\n|---|---|\n| 1 | 2 |\n", &[]),
        ("| a | b |\n|---|---|\n| 1 |\n", &[("row-too-short", 3, 1)]),
        ("| a | b |\n|---|---|\n| 가 | 2 | 3 |\n", &[("row-too-long", 3, 11)]),
        ("| a | b |\n|---|---|\n| `x | y` | 3 |\ntext\n", &[("row-too-long", 3, 13), ("row-too-short", 4, 1)]),
        ("| a | A (x) |\n|---|---|\n", &[("column-duplicate", 1, 7)]),
        ("| a | b |\n|---|\n| 1 | 2 |\n", &[("table-header-mismatch", 1, 1)]),
        ("| a | b |\n|---| |\n| 1 | 2 |\n", &[("table-delimiter", 1, 1)]),
        ("| a |\n|---|\n| b |\n|---|\n", &[("delimiter-in-table", 4, 1)]),
        ("- | a | b |\n|---|---|\n", &[("table-in-paragraph", 1, 1)]),
        ("| a | b | c |\n|---|---|\n", &[("table-header-mismatch", 1, 1)]),
        ("text\na | b\n---|---\n", &[]),
        ("- **Schema:**\n| a | b |\n| :- | :- |\n| | |\n", &[("table-in-paragraph", 2, 1)]),
        ("| a | b |\n|---|---|\n\n| 1 | 2 |\n", &[("row-outside-table", 4, 1)]),
        ("```\nx\n", &[("fence-unclosed", 1, 1)]),
        ("x\n\n<!-- y\n", &[("html-unclosed", 3, 1)]),
        ("---\nk: v\n", &[("front-matter-unclosed", 1, 1)]),
        ("---\nk: v\nk: w\n---\n", &[("yaml-duplicate-key", 3, 1)]),
        ("---\nk: \"v\n---\n", &[("yaml-syntax", 3, 1)]),
        ("a\rb\n", &[("lone-carriage-return", 1, 2)]),
        ("a\0b\n", &[("nul-byte", 1, 2)]),
    ] {
        check(source, &Document::parse(source).problems(), expected);
    }
    let invalid = Document::parse(&b"a\n\xE9t\xE9\n"[..]);
    check("invalid", &invalid.problems(), &[("invalid-utf8", 2, 1)]);
    assert!(invalid.is_read_only());
}

/// Ordinary tables have headers that begin with the same word; columns that programs look for do not.
#[test]
fn columns_are_duplicates_if_they_are_meant_to_be_the_same() {
    for (header, expected) in [
        ("Start date | Start time", None),
        ("Q1 2024 | Q1 2025", None),
        ("CPU user | CPU sys", None),
        ("The first | The second", None),
        ("# of users | # of bugs", None),
        ("![](a.png) | ![](b.png)", None),
        ("Cost (USD) | Cost (EUR)", None),
        ("user_id | user_name", None),
        (" | ", None),
        ("Name | **name**", Some(10)),
        ("Start  date | `Start date`", Some(17)),
        ("run_id (PK) | run_id (FK)", Some(17)),
        ("run_id first | run_id second", Some(18)),
        ("status (ACTIVE, SUPERSEDED) | status", Some(33)),
        ("Status | status (A, B)", Some(12)),
    ] {
        let source = format!("| {header} |\n|---|---|\n");
        let expected: Vec<_> = expected.map(|column| ("column-duplicate", 1, column)).into_iter().collect();
        check(&source, &Document::parse(source.as_str()).problems(), &expected);
    }
}

/// One problem each for what is meant as a table and is none, with a hint that says what to write.
#[test]
fn what_looks_like_a_table_is_pointed_out() {
    for (source, code, line, hint) in [
        ("| a | b |\n| 1 | 2 |\n| 3 | 4 |\n", "table-delimiter", 1, "`|---|---|` below the first row"),
        ("text\n| a | b | c |\n| 1 | 2 | 3 |\n", "table-delimiter", 2, "`|---|---|---|`"),
        ("| a |\n| b |\n", "table-delimiter", 1, "`|---|`"),
        ("> | a | b |\n> | 1 | 2 |\n", "table-delimiter", 1, "`|---|---|`"),
        ("| a | b |\n|——|——|\n| 1 | 2 |\n", "table-delimiter", 1, "`|---|---|`"),
        ("| a | b |\n|===|===|\n| 1 | 2 |\n", "table-delimiter", 1, "`|---|---|`"),
        ("| a | b |\n|___|___|\n| 1 | 2 |\n", "table-delimiter", 1, "`|---|---|`"),
        ("| a | b |\n|...|...|\n| 1 | 2 |\n", "table-delimiter", 1, "`|---|---|`"),
        ("a | b\n---+---\n1 | 2\n", "table-delimiter", 1, "`|---|---|`"),
        ("| a | b |\n|---+---|\n| 1 | 2 |\n", "table-delimiter", 1, "`|---|---|`"),
        ("| a | b |\n|\u{A0}---|---|\n| 1 | 2 |\n", "table-delimiter", 1, "U+00A0"),
        ("| a | b |\n    |---|---|\n| 1 | 2 |\n", "table-delimiter", 1, "less than four blanks"),
        ("| a | b |\n\n|---|---|\n| 1 | 2 |\n", "table-delimiter", 3, "remove the blank line"),
        ("|---|---|\n| a | b |\n| 1 | 2 |\n", "table-delimiter", 1, "header"),
        ("+---+---+\n| a | b |\n+---+---+\n| 1 | 2 |\n", "table-delimiter", 1, "header"),
        ("| a | b |\n|---|---|\n\n| 1 | 2\n| 3 | 4\n", "row-outside-table", 4, "blank line"),
        ("| a | b |\n|---|---|\n    | 1 | 2 |\n| 3 | 4 |\n| 5 | 6 |\n", "row-outside-table", 3, "indent"),
        ("| a | b |\n|---|---|\n<!-- x -->\n| 1 | 2 |\n| 3 | 4 |\n", "row-outside-table", 3, "last row"),
        ("| a | b |\n|---|\n| c |\n|---|\n| 1 |\n", "table-header-mismatch", 1, "same number"),
        ("> | a | b |\n> |---|---|\n> | 1 | 2 | 3 |\n", "row-too-long", 3, "`\\|`"),
        ("> | a | b |\n> |---|---|\n> | 1 |\n", "row-too-short", 3, "missing cells"),
        ("- | a | b |\n  |---|---|\n  | 1 |\n", "row-too-short", 3, "missing cells"),
        ("x\n\n<!--\n", "html-unclosed", 3, "`-->`"),
        ("<pre>\nx\n", "html-unclosed", 1, "`</pre>`"),
        ("  <STYLE>\nx\n", "html-unclosed", 1, "`</style>`"),
        ("<?php\nx\n", "html-unclosed", 1, "`?>`"),
        ("<![CDATA[\nx\n", "html-unclosed", 1, "`]]>`"),
    ] {
        check_hint(source, &Document::parse(source).problems(), code, line, hint);
    }
}

#[test]
fn prose_with_pipes_is_no_table() {
    for source in [
        "|x| is abs\n",
        "| a | b |\n|---|---|\n\n|x| is abs\n",
        "|x| and |y|\n|a| are\n",
        "|x|\n|y|\n",
        "a | b\nc | d\n",
        ":-|\n",
        "x\n:-|\n",
        "| a | b |\n",
        "| a | b |\n\ntext\n",
        "text\n...\n",
        "`a | b`\n+ one\n+ two\n",
        "```\n| a | b |\n| 1 | 2 |\n```\n",
        "    | a | b |\n    | 1 | 2 |\n",
    ] {
        check(source, &Document::parse(source).problems(), &[]);
    }
}

/// The specification of GFM, example by example, where readers differ.
#[test]
fn tables_end_where_another_block_begins() {
    for (below, rows) in [
        ("| 1 | 2 |", 1),
        ("   | 1 | 2 |", 1),
        ("    | 1 | 2 |", 0),
        ("\t| 1 | 2 |", 0),
        ("</pre>", 1),
        ("<pre>", 0),
        ("</div>", 0),
        ("<b>", 0),
        ("<b> x", 1),
        ("> x", 0),
        ("- x", 0),
        ("x", 1),
    ] {
        let source = format!("| a | b |\n|---|---|\n{below}\n");
        let document = Document::parse(source.as_str());
        assert_eq!(document.tables().map(|table| table.row_count()).collect::<Vec<_>>(), [rows], "{source}");
    }
    let mismatched = "| a | b |\n|---|\n| c |\n|---|\n| 1 |\n\n| d |\n|---|\n";
    assert_eq!(Document::parse(mismatched).tables().map(|table| table.line()).collect::<Vec<_>>(), [7]);
}

#[test]
fn problems_of_json() {
    for (source, expected) in [
        ("{}", &[][..]),
        (r#"{"a": [1, -2.5e+3, true, false, null, "x\n\u00e9\ud83d\ude80"]}"#, &[]),
        ("", &[("json-syntax", 1, 1)]),
        ("[1,]", &[("json-trailing-comma", 1, 3)]),
        ("{\"a\": 1,}", &[("json-trailing-comma", 1, 8)]),
        ("{\"a\": 1, \"a\": 2}", &[("json-duplicate-key", 1, 10)]),
        ("{\"a\": 1 \"b\": 2}", &[("json-syntax", 1, 9)]),
        ("[1 2]", &[("json-syntax", 1, 4)]),
        ("// x\n[1] # y", &[("json-comment", 1, 1), ("json-comment", 2, 5)]),
        ("{a: 'b'}", &[("json-syntax", 1, 2), ("json-syntax", 1, 5)]),
        ("[True, NaN]", &[("json-syntax", 1, 2), ("json-syntax", 1, 8)]),
        (
            "[01, +1, .5, 1., 1e]",
            &[
                ("json-syntax", 1, 2),
                ("json-syntax", 1, 6),
                ("json-syntax", 1, 10),
                ("json-syntax", 1, 14),
                ("json-syntax", 1, 18),
            ],
        ),
        ("[\"a\n\"]", &[("json-syntax", 1, 2)]),
        ("[\"가\tb\"]", &[("json-syntax", 1, 4)]),
        (r#"["\x", "\ud800"]"#, &[("json-syntax", 1, 3), ("json-syntax", 1, 9)]),
        ("{\"a\": }", &[("json-syntax", 1, 7)]),
        ("[1", &[("json-syntax", 1, 1)]),
        ("[1}", &[("json-syntax", 1, 3)]),
        ("{} {}", &[("json-syntax", 1, 4)]),
        ("{\"a\" 1}", &[("json-syntax", 1, 2)]),
    ] {
        check(source, &json::parse(source.as_bytes()).problems, expected);
    }
    let deep = "[".repeat(1000);
    check("deep", &json::parse(deep.as_bytes()).problems, &[("too-large", 1, 130)]);
}

#[test]
fn hints_of_json_say_what_to_write() {
    for (source, expected) in [
        ("{“a”: 1}", &[("“a”", "curly quotes by `\"`")][..]),
        ("{\"a\": “it’s”, \"b\": 1}", &[("“it’s”", "curly quotes by `\"`")]),
        ("[“a\", ‘b’]", &[("“a\"", "curly quotes"), ("‘b’", "curly quotes")]),
        ("{\"a”: 1}", &[("\"a”: 1}", "curly quotes")]),
        ("[\"it’s]", &[("\"it’s]", "closing quote")]),
        ("{\u{A0}\"a\":\u{A0}1,\n\u{A0}\"b\": true\u{A0}}", &[("\u{A0}", "plain blank")]),
        ("[\u{200B}1, \u{3000}2]", &[("\u{200B}", "plain blank"), ("\u{3000}", "plain blank")]),
        ("[\"a\u{A0}b\"]", &[]),
        (r#"["\u12"]"#, &[(r"\u12", "four hexadecimal digits")]),
        (r#"["\u12g4"]"#, &[(r"\u12", "four hexadecimal digits")]),
        (r#"{"\ud800":1,"\udfff":2}"#, &[(r"\ud800", "both halves"), (r"\udfff", "both halves")]),
        (r#"["\ud800\u0041"]"#, &[(r"\ud800", "both halves")]),
    ] {
        check_marks(source, &json::parse(source.as_bytes()).problems, expected);
    }
    let parsed = json::parse("{\u{A0}“a”: 1}".as_bytes());
    assert!(parsed.problems[0].message.contains("U+00A0"), "{parsed:?}");
    assert!(parsed.root.is_some_and(|root| root.value("a").is_some()), "it is read all the same");
}

#[test]
fn hints_of_yaml_say_what_to_write() {
    let long_key = format!("{}: 1\n", "k".repeat(2000));
    let deep = format!("a: {}", "[".repeat(300));
    for (source, expected) in [
        ("a: 'it's'\n", &[("s", "double a `'`")][..]),
        ("a: \"x\" y\n", &[("y", "as `\\\"`")]),
        ("a: \"C:\\Users\"\n", &[("\\U", "backslash as `\\\\`")]),
        ("a: \"ok \\n \\x41 \\ud83d\\ude80 \\d\"\n", &[("\\d", "backslash as `\\\\`")]),
        ("a: \"\\ud800\"\n", &[("\"", "both halves")]),
        ("title: foo: bar\n", &[(":", "between quotes")]),
        ("a: 1\n  b: 2\n", &[(":", "like the key above")]),
        ("a:\n\tb: 1\n", &[("\t", "tabs")]),
        ("a:\n  b: 1\n\tc: 2\n", &[("\t", "tabs")]),
        ("x:\n  - a\ny: 1\n- z\n", &[("-", "below a key")]),
        ("a:\n  b: 1\n c: 2\n", &[("c", "indent the line")]),
        ("a: - b\n", &[("-", "below its key")]),
        ("a: @x\n", &[("@", "between quotes")]),
        ("a: [1, 2\nb: 3\n", &[(":", "close the `[`")]),
        (&long_key, &[(&long_key[..2000], "shorter key")]),
        (&deep, &[("[", "nest less")]),
    ] {
        check_marks(source, &yaml::parse(source.as_bytes()).problems, expected);
    }
}

#[test]
fn problems_of_yaml() {
    for (source, expected) in [
        ("", &[][..]),
        ("a: 1\nb: [x, y]\nc: |\n  text\n", &[]),
        ("a: 1\nb: 2\na: 3\n", &[("yaml-duplicate-key", 3, 1)]),
        ("a: *x\n", &[("yaml-unknown-alias", 1, 4)]),
        ("a: &x 1\nb: *x\n", &[]),
        ("a: [1, 2\n", &[("yaml-syntax", 1, 4)]),
        ("a: \"x\n", &[("yaml-syntax", 2, 1)]),
        ("a:\n\tb: 1\n", &[("yaml-syntax", 2, 1)]),
        ("a: 1\nb: 2\nc: 3\nd: 4\n- z\n", &[("yaml-syntax", 5, 1)]),
    ] {
        check(source, &yaml::parse(source.as_bytes()).problems, expected);
    }
    assert_eq!(yaml::parse("[".repeat(5000).as_bytes()).problems.len(), 1);
}

#[test]
fn pointers_lead_to_spans() {
    for (source, pointer, expected) in [
        (r#"{"a": [1, {"b/c": "x"}]}"#, "/a/1/b~1c", "\"x\""),
        (r#"{"a": [1, 2]}"#, "/a", "[1, 2]"),
        (r#"{"a": [1, 2]}"#, "", r#"{"a": [1, 2]}"#),
    ] {
        for parsed in [json::parse(source.as_bytes()), yaml::parse(source.as_bytes())] {
            let node = parsed.root.as_ref().and_then(|root| root.pointer(pointer)).unwrap();
            assert_eq!(&source[node.span.clone()], expected);
        }
    }
    let source = "a:\n  - b: 가나\n    c: 'd'\ne: f\n";
    let parsed = yaml::parse(source.as_bytes());
    for (pointer, expected) in [("/a/0/b", "가나"), ("/a/0/c", "'d'"), ("/a/0", "b: 가나\n    c: 'd'"), ("/e", "f")]
    {
        let node = parsed.root.as_ref().and_then(|root| root.pointer(pointer)).unwrap();
        assert_eq!(&source[node.span.clone()], expected, "{pointer}");
    }
}
