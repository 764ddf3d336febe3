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
fn problems_of_yaml() {
    for (source, expected) in [
        ("", &[][..]),
        ("a: 1\nb: [x, y]\nc: |\n  text\n", &[]),
        ("a: 1\nb: 2\na: 3\n", &[("yaml-duplicate-key", 3, 1)]),
        ("a: *x\n", &[("yaml-unknown-alias", 1, 4)]),
        ("a: &x 1\nb: *x\n", &[]),
        ("a: [1, 2\n", &[("yaml-syntax", 1, 4)]),
        ("a: \"x\n", &[("yaml-syntax", 2, 1)]),
    ] {
        check(source, &yaml::parse(source.as_bytes()).problems, expected);
    }
    let problems = yaml::parse(b"a:\n\tb: 1\n").problems;
    assert!(problems.iter().any(|problem| problem.line == 2 && problem.hint.contains("tabs")), "{problems:?}");
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
