//! YAML and JSON changed without loss: what each edit makes of a document, what it does not touch, and when there is none.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on says why")]

mod support;

use proptest::prelude::*;
use support::Dice;
use syntax::data::Value;
use syntax::data_edit::{DataRefusal, Edit, Format, Part, edit, revise_json};
use text::Text;

use Format::{Json, Yaml};

/// `gates[0].owner` as a path.
fn parts(path: &str) -> Vec<Part<'_>> {
    let words = path.split(['.', '[']).filter(|word| !word.is_empty());
    words
        .map(|word| match word.strip_suffix(']') {
            Some(index) => Part::Index(index.parse().unwrap()),
            None => Part::Key(word),
        })
        .collect()
}

fn edited(format: Format, source: &str, path: &str, what: Edit<'_>) -> Result<String, DataRefusal> {
    let change = edit(format, source.as_bytes(), &parts(path), what)?;
    assert!(change.splices().len() <= 1, "one place is changed");
    Ok(String::from_utf8(change.apply(&Text::from(source.to_owned())).unwrap().to_vec()).unwrap())
}

#[track_caller]
fn check(format: Format, source: &str, path: &str, what: Edit<'_>, expected: &str) {
    assert_eq!(edited(format, source, path, what).as_deref(), Ok(expected), "{what:?} at {path} of\n{source}");
}

#[track_caller]
fn check_refused(format: Format, source: &str, path: &str, what: Edit<'_>, words: &[&str]) {
    let refused = edited(format, source, path, what).unwrap_err().to_string();
    for word in words {
        assert!(refused.contains(word), "{word:?} is not in {refused:?}");
    }
}

fn text(text: &str) -> Value {
    Value::text(text)
}

fn list(items: &[&str]) -> Value {
    Value::List(items.iter().map(|item| text(item)).collect())
}

const PROFILE: &str = "\
# our flow
name: demo   # short
gates:
  # the last word
  - id: RELEASE
    owner: \"human\"
  - {id: MID, owner: lead}
phases: [plan, 'build']
notes: |
  several
  lines
empty:
";

#[test]
fn yaml_values_are_set_in_place() {
    let set = |path: &str, value: Value, old: &str, new: &str| {
        check(Yaml, PROFILE, path, Edit::Set(&value), &PROFILE.replacen(old, new, 1));
    };
    set("name", text("other"), "demo", "other");
    set("name", text("a: b # c"), "demo", "\"a: b # c\"");
    set("name", Value::count(3), "demo", "3");
    set("name", list(&["a", "b, c"]), "demo", "[a, \"b, c\"]");
    set("gates[0].owner", text("lead"), "\"human\"", "\"lead\"");
    set("gates[1].owner", text("a, b"), "owner: lead", "owner: \"a, b\"");
    set("phases[1]", text("it's"), "'build'", "'it''s'");
    set("phases[0]", text("draft"), "plan", "draft");
    set("empty", text("full"), "empty:", "empty: full");
    set("phases", list(&["x"]), "[plan, 'build']", "[x]");
    set("gates[0].id", text("RELEASE"), "", "");
    set("added", text("x"), "empty:\n", "empty:\nadded: x\n");
    set("gates[0].why", text("x"), "\"human\"\n", "\"human\"\n    why: x\n");
    set("gates[1].why", text("x"), "lead}", "lead, why: x}");
    set(
        "gates",
        Value::List(Vec::new()),
        "gates:\n  # the last word\n  - id: RELEASE\n    owner: \"human\"\n  - {id: MID, owner: lead}",
        "gates:\n  # the last word\n  []",
    );
    let step = Value::map([("id", text("s")), ("outputs", list(&["a", "b"])), ("none", Value::List(vec![]))]);
    set("step", step, "empty:\n", "empty:\nstep:\n  id: s\n  outputs:\n    - a\n    - b\n  none: []\n");
}

#[test]
fn yaml_items_come_and_go() {
    check(Yaml, "a:\n- x\n- y # why\nb: 1\n", "a", Edit::Append(&text("z")), "a:\n- x\n- y # why\n- z\nb: 1\n");
    check(Yaml, "a:\n  - x", "a", Edit::Append(&text("z")), "a:\n  - x\n  - z");
    check(Yaml, "a:\r\n  - x\r\n", "a", Edit::Append(&text("z")), "a:\r\n  - x\r\n  - z\r\n");
    check(Yaml, "a: []\n", "a", Edit::Append(&text("z")), "a: [z]\n");
    check(Yaml, "a: [x]\n", "a", Edit::Append(&text("z")), "a: [x, z]\n");
    let entry = Value::map([("k", text("v")), ("l", text("w"))]);
    check(
        Yaml,
        "a:\n  - k: 1\n    l: |\n      x\nb: 2\n",
        "a",
        Edit::Append(&entry),
        "a:\n  - k: 1\n    l: |\n      x\n  - k: v\n    l: w\nb: 2\n",
    );
    check(Yaml, "a:\n  - x\n  - y\n", "a[1]", Edit::Insert(&text("z")), "a:\n  - x\n  - z\n  - y\n");
    check(Yaml, "a:\n  - x\n", "a[1]", Edit::Insert(&text("z")), "a:\n  - x\n  - z\n");
    check(Yaml, "- x\n- y\n", "[0]", Edit::Insert(&text("z")), "- z\n- x\n- y\n");
    check(Yaml, "a:\n  - x\n  - y # y\n  - z\n", "a[1]", Edit::Remove, "a:\n  - x\n  - z\n");
    check(Yaml, "a:\n  - x\nb: 1\n", "a[0]", Edit::Remove, "a:\n  []\nb: 1\n");
    check(Yaml, "a: [x, y]\n", "a[0]", Edit::Remove, "a: [y]\n");
    check(Yaml, "a: [x, y]\n", "a[1]", Edit::Remove, "a: [x]\n");
    check(Yaml, "a: 1\nb: 2 # two\nc: 3\n", "b", Edit::Remove, "a: 1\nc: 3\n");
    check(Yaml, "a: 1\nb:\n  c: 2", "b", Edit::Remove, "a: 1");
    check(Yaml, "- a: 1\n  b: 2\n", "[0].a", Edit::Remove, "- b: 2\n");
    check(Yaml, "a: 1\n", "a", Edit::Remove, "{}\n");
    check(Yaml, "# nothing\n", "a", Edit::Set(&text("x")), "# nothing\na: x\n");
    check(Yaml, "", "a", Edit::Set(&text("x")), "a: x\n");
}

#[test]
fn json_values_come_and_go() {
    let source = "{\n  \"a\": 1,\n  \"list\": [],\n  \"deep\": {\n    \"b\": \"x\"\n  }\n}\n";
    let set = |path: &str, value: Value, old: &str, new: &str| {
        check(Json, source, path, Edit::Set(&value), &source.replacen(old, new, 1));
    };
    set("a", Value::count(2), "1", "2");
    set("a", text("\"\n"), "1", "\"\\\"\\n\"");
    set("a", list(&["x"]), "1", "[\n    \"x\"\n  ]");
    set("deep.c", Value::Bool(true), "\"x\"", "\"x\",\n    \"c\": true");
    set("deep.b", Value::Null, "\"x\"", "null");
    check(Json, source, "list", Edit::Append(&text("x")), &source.replacen("[]", "[\n    \"x\"\n  ]", 1));
    check(Json, source, "a", Edit::Remove, &source.replacen("\"a\": 1,\n  ", "", 1));
    check(Json, source, "deep.b", Edit::Remove, &source.replacen("{\n    \"b\": \"x\"\n  }", "{}", 1));
    check(Json, source, "deep", Edit::Remove, &source.replacen(",\n  \"deep\": {\n    \"b\": \"x\"\n  }", "", 1));
    check(Json, "{\"a\":[1,2]}", "a", Edit::Append(&Value::count(3)), "{\"a\":[1,2,3]}");
    check(Json, "{\"a\":[1,2]}", "a[0]", Edit::Insert(&Value::count(3)), "{\"a\":[3,1,2]}");
    check(Json, "{\"a\":1}", "b", Edit::Set(&Value::count(3)), "{\"a\":1,\"b\":3}");
    check(Json, "{}", "b", Edit::Set(&Value::count(3)), "{\n  \"b\": 3\n}");
    check(
        Json,
        "{\r\n\t\"a\": {}\r\n}",
        "a.b",
        Edit::Set(&Value::count(3)),
        "{\r\n\t\"a\": {\r\n\t\t\"b\": 3\r\n\t}\r\n}",
    );
    check(Json, "[1]", "", Edit::Set(&Value::Map(vec![])), "{}");
}

#[test]
fn what_cannot_be_edited_is_said_with_its_line() {
    let x = text("x");
    let set = Edit::Set(&x);
    check_refused(Yaml, "a: 1\na: 2\n", "a", set, &["`a`", "twice", "lines 1 and 2"]);
    check_refused(Yaml, "a:\n\tb: 1\n", "a", set, &["line 2, column 1", "tabs"]);
    check_refused(Yaml, "a: &x {k: 1}\nb: *x\n", "b.k", set, &["alias", "line 2"]);
    check_refused(Yaml, "a: &x {k: 1}\nb: *x\n", "a.k", set, &["anchor", "line 1"]);
    check_refused(Yaml, "a: &x 1\nb: *x\n", "a", Edit::Remove, &["anchor"]);
    check_refused(Yaml, "a: 1\n", "b.c", set, &["no `b`", "line 1", "the keys a"]);
    check_refused(Yaml, "a: [1]\n", "a[3]", Edit::Remove, &["a list of 1 items"]);
    check_refused(Yaml, "a: 1\n", "a", Edit::Append(&x), &["a single value"]);
    check_refused(Json, "{\"a\": 1,}", "a", set, &["line 1, column 8", "comma"]);
    check_refused(Json, "{\"a\": 1, // c\n\"b\": 2}", "a", set, &["comment"]);
    check_refused(Json, "{\"a\": 1, \"b\": {\"c\": 1, \"c\": 2}}", "b.c", set, &["twice"]);
    check(
        Json,
        "{\"a\": 1, \"b\": {\"c\": 1, \"c\": 2}}",
        "a",
        Edit::Set(&Value::Null),
        "{\"a\": null, \"b\": {\"c\": 1, \"c\": 2}}",
    );
    check_refused(Json, "", "a", set, &["line 1"]);
    check_refused(Json, "{\"a\": 1", "a", set, &["never closed"]);
    check_refused(Json, "{\"a\": 1}", "a", Edit::Set(&Value::Number("01".into())), &["cannot be edited"]);
}

/// QL-25: anchors that would grow a thousandfold are read and edited at the document's own size.
#[test]
fn exploding_anchors_stay_small() {
    let mut source = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x]\n");
    for level in 1..40 {
        let above = format!("*a{}, ", level - 1).repeat(9);
        source.push_str(&format!("a{level}: &a{level} [{}]\n", above.trim_end_matches(", ")));
    }
    source.push_str("name: old\n");
    check(Yaml, &source, "name", Edit::Set(&text("new")), &source.replace("old", "new"));
    check_refused(Yaml, &source, "a3[0]", Edit::Set(&text("new")), &["anchor"]);
}

#[track_caller]
fn check_revised(source: &str, wanted: &Value, expected: &str) {
    let change = revise_json(source.as_bytes(), wanted).unwrap();
    let after = change.apply(&Text::from(source.to_owned())).unwrap();
    assert_eq!(String::from_utf8_lossy(&after.to_vec()), expected);
    let again = revise_json(expected.as_bytes(), wanted).unwrap();
    assert!(again.is_empty(), "what is said already changes nothing: {again:?}");
}

#[test]
fn a_json_document_is_revised_in_the_places_that_differ() {
    let source =
        "{ \"a\" : 1,\n  \"own\": [ 1,2 ],\n  \"list\": [\n    {\"x\": 1, \"own\": true},\n    {\"x\": 2}\n  ]\n}\n";
    let item = |x: u64| Value::map([("x", Value::count(x))]);
    let wanted = Value::map([("a", Value::count(1)), ("list", Value::List(vec![item(1), item(2)]))]);
    check_revised(source, &wanted, source);
    let wanted = Value::map([
        ("a", Value::count(5)),
        ("list", Value::List(vec![item(9), item(2), item(3)])),
        ("new", Value::Null),
    ]);
    check_revised(
        source,
        &wanted,
        "{ \"a\" : 5,\n  \"own\": [ 1,2 ],\n  \"list\": [\n    {\"x\": 9, \"own\": true},\n    {\"x\": 2},\n    {\n      \"x\": 3\n    }\n  ],\n  \"new\": null\n}\n",
    );
    check_revised("{\"list\":[1,2,3]}", &Value::map([("list", Value::List(vec![Value::count(1)]))]), "{\"list\":[1]}");
    check_revised("{\"list\":[1,2,3]}", &Value::map([("list", Value::List(vec![]))]), "{\"list\":[]}");
    check_revised("{\"x\": {}}", &Value::map([("x", item(1))]), "{\"x\": {\"x\": 1}}");
    let twice = revise_json(b"{\"a\": 1, \"a\": 2}", &Value::map([("a", Value::Null)])).unwrap_err();
    assert!(twice.to_string().contains("twice"), "{twice}");
}

/// A document of any shape, in a style that the dice choose.
fn written(dice: &mut Dice, format: Format, depth: usize, indent: usize, out: &mut String) {
    const SCALARS: [&str; 9] = ["1", "-2.5", "true", "null", "\"a b\"", "\"x: y # z\"", "\"\"", "\"가\\n\"", "\"'\""];
    let pad = " ".repeat(indent);
    let is_flow = format == Json || dice.roll(4) == 0;
    match dice.roll(if depth == 0 { 1 } else { 4 }) {
        2 | 3 => {
            let length = 1 + dice.roll(3);
            if is_flow {
                out.push('{');
                for number in 0..length {
                    out.push_str(if number > 0 { ", " } else { "" });
                    out.push_str(&format!("\"k{number}\": "));
                    written(dice, Json, depth - 1, 0, out);
                }
                out.push('}');
                return;
            }
            for number in 0..length {
                out.push_str(&format!("\n{pad}k{number}: "));
                written(dice, format, depth - 1, indent + 2, out);
                out.push_str(["", " # why", ""][dice.roll(3)]);
            }
        }
        1 => {
            let length = 1 + dice.roll(3);
            if is_flow {
                out.push('[');
                for number in 0..length {
                    out.push_str(if number > 0 { "," } else { "" });
                    written(dice, Json, depth - 1, 0, out);
                }
                out.push(']');
                return;
            }
            for _ in 0..length {
                out.push_str(&format!("\n{pad}- "));
                written(dice, format, depth - 1, indent + 2, out);
            }
        }
        _ => out.push_str(SCALARS[dice.roll(SCALARS.len())]),
    }
}

/// Every value of a document with its path.
fn all_paths<'a>(node: &'a syntax::data::Node, path: &[Part<'a>], paths: &mut Vec<Vec<Part<'a>>>) {
    paths.push(path.to_vec());
    match &node.kind {
        syntax::data::Kind::List(items) => {
            for (number, item) in items.iter().enumerate() {
                all_paths(item, &[path, &[Part::Index(number)]].concat(), paths);
            }
        }
        syntax::data::Kind::Map(entries) => {
            for entry in entries {
                all_paths(&entry.value, &[path, &[Part::Key(&entry.key)]].concat(), paths);
            }
        }
        _ => {}
    }
}

/// The plain value after an edit, made without looking at any text.
fn oracle(value: &mut Value, path: &[Part<'_>], what: Edit<'_>) {
    let Some((part, rest)) = path.split_first() else {
        match (what, value) {
            (Edit::Set(new), value) => *value = new.clone(),
            (Edit::Append(new), Value::List(items)) => items.push(new.clone()),
            (what, value) => panic!("{what:?} of {value:?}"),
        }
        return;
    };
    match (part, value) {
        (Part::Index(number), Value::List(items)) => match (what, rest.is_empty()) {
            (Edit::Remove, true) => drop(items.remove(*number)),
            (Edit::Insert(new), true) => items.insert(*number, new.clone()),
            _ => oracle(&mut items[*number], rest, what),
        },
        (Part::Key(key), Value::Map(entries)) => match (what, rest.is_empty()) {
            (Edit::Remove, true) => entries.retain(|(other, _)| other != key),
            _ => match entries.iter_mut().find(|(other, _)| other == key) {
                Some((_, value)) => oracle(value, rest, what),
                None => entries.push(((*key).to_owned(), Value::Null)),
            },
        },
        (part, value) => panic!("{part:?} of {value:?}"),
    }
}

/// An edit reads back, says nothing else, and is not refused where the document is an ordinary one.
#[test]
fn edits_of_random_documents_read_back() {
    let (mut made, mut refused) = (0_u32, Vec::new());
    for seed in 0..1500 {
        let mut dice = Dice::new(seed);
        let format = if seed % 3 == 0 { Json } else { Yaml };
        let mut source = String::new();
        written(&mut dice, format, 4, 0, &mut source);
        source = source.replace(": \n", ":\n").replace("- \n", "-\n").trim_start().to_owned() + "\n";
        if seed % 5 == 0 {
            source = source.replace('\n', "\r\n");
        }
        let parsed = format.parse(source.as_bytes());
        assert!(parsed.problems.is_empty(), "seed {seed}: {:?}\n{source}", parsed.problems);
        let root = parsed.root.unwrap();
        let mut paths = Vec::new();
        all_paths(&root, &[], &mut paths);
        let path = paths[dice.roll(paths.len())].clone();
        let new =
            [text("a, b: c"), list(&["x"]), Value::Bool(false), Value::map([("n", text("-"))])][dice.roll(4)].clone();
        let is_list = node_is_list(&root, &path);
        let what = match (dice.roll(4), path.last()) {
            (0, Some(_)) => Edit::Remove,
            (1, Some(Part::Index(_))) => Edit::Insert(&new),
            (_, _) if is_list && dice.roll(2) == 0 => Edit::Append(&new),
            _ => Edit::Set(&new),
        };
        let change = match edit(format, source.as_bytes(), &path, what) {
            Ok(change) => change,
            Err(refusal) => {
                refused.push(format!("seed {seed}: {refusal}: {what:?} at {path:?} of\n{source}"));
                continue;
            }
        };
        made += 1;
        let after = change.apply(&Text::from(source.clone())).unwrap().to_vec();
        let mut expected = root.to_value().unwrap();
        oracle(&mut expected, &path, what);
        let read = format.parse(&after);
        assert_eq!(
            read.root.and_then(|root| root.to_value()),
            Some(expected),
            "seed {seed}\n{source}\n{what:?} {path:?}\n{}",
            String::from_utf8_lossy(&after)
        );
        assert!(read.problems.is_empty(), "seed {seed}");
    }
    assert!(refused.len() < 15, "{made} made, {} refused:\n{}", refused.len(), refused.join("\n---\n"));
}

fn node_is_list(root: &syntax::data::Node, path: &[Part<'_>]) -> bool {
    let mut node = root;
    for part in path {
        node = match (part, &node.kind) {
            (Part::Key(key), _) => node.value(key).unwrap(),
            (Part::Index(number), syntax::data::Kind::List(items)) => &items[*number],
            (part, kind) => panic!("{part:?} of {kind:?}"),
        };
    }
    matches!(node.kind, syntax::data::Kind::List(_))
}

proptest! {
    /// QL-25: any bytes are edited as they should be, or not at all; nothing panics.
    #[test]
    fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        syntax::fuzz::fuzz_yaml(&bytes);
        syntax::fuzz::fuzz_json(&bytes);
    }

    /// Any text is written into either syntax and read back.
    #[test]
    fn any_text(value in any::<String>()) {
        let value = text(&value);
        for (format, source) in [(Json, "{\"a\": [1]}"), (Yaml, "a: [1]\n"), (Yaml, "a:\n  - 1\n")] {
            let after = edited(format, source, "a[0]", Edit::Set(&value)).unwrap();
            let read = format.parse(after.as_bytes()).root.unwrap();
            prop_assert_eq!(read.pointer("/a/0").unwrap().to_value().unwrap(), value.clone());
        }
    }
}
