//! `multiverse check`: documents found, problems shown, errors told.

use std::os::unix::fs::{PermissionsExt as _, symlink};

use crate::place::Place;
use crate::scripted::last;

const BROKEN: &[u8] = b"# Plan\n\n| id | title | status |\n|---|---|---|\n| 1 | write | DONE |\n| 2 | read |\n";

#[test]
fn a_problem_is_shown_with_its_line() {
    let place = Place::with(&[("plan.md", BROKEN), ("a.yaml", b"a: [1, 2\n"), ("b.json", b"{\"a\": 1,}\n")]);
    insta::assert_snapshot!(place.run(&["check", "plan.md"]).shown(), @"
    exit code 1
    --- stdout
    plan.md:6:1: 2 cells where the table has 3 columns
      |
    6 | | 2 | read |
      | ^^^^^^^^^^^^
      = hint: add the missing cells; a line of text directly below a table is read as a row, so put a blank line between them
    --- stderr
    1 problem in 1 document
    ");
    insta::assert_snapshot!(place.run(&["check", "a.yaml"]).shown(), @"
    exit code 1
    --- stdout
    a.yaml:1:4: not valid YAML: unclosed bracket '['
      |
    1 | a: [1, 2
      |    ^
      = hint: check the indentation, colons and quotes of this line and the one above
    --- stderr
    1 problem in 1 document
    ");
    insta::assert_snapshot!(place.run(&["check", "b.json"]).shown(), @r#"
    exit code 1
    --- stdout
    b.json:1:8: nothing follows this comma
      |
    1 | {"a": 1,}
      |        ^
      = hint: remove the comma
    --- stderr
    1 problem in 1 document
    "#);
}

#[test]
fn a_problem_is_an_object() {
    let place = Place::with(&[("plan.md", BROKEN), ("good.md", b"# Good\n")]);
    insta::assert_snapshot!(place.run(&["check", "--json", "plan.md", "good.md", "gone.md"]).shown(), @r#"
    exit code 1
    --- stdout
    {"problem":{"path":"plan.md","line":6,"column":1,"start":67,"end":79,"code":"row-too-short","message":"2 cells where the table has 3 columns","hint":"add the missing cells; a line of text directly below a table is read as a row, so put a blank line between them"}}
    {"error":{"kind":"missing","message":"cannot read gone.md: there is no such file","hint":"look at the spelling, and at the folder you are in","path":"gone.md"}}
    {"summary":{"documents":2,"problems":1,"errors":1}}
    "#);
}

/// MV-35: the tables of a project are looked at as the engine does, before it does; nothing is changed by it.
#[test]
fn a_table_of_a_project_is_checked_by_its_protocol() {
    let place = Place::with(&[("assets/a.md", b"The north yard built 40 boats in 2025.\n")]);
    let begun = place.run(&["run", "Make a report of the yards.", "--agent", "offline"]);
    assert_eq!(begun.code, 3, "{}", begun.shown());
    let tasks = format!("runs/{}/db/tasks.md", last(&place));
    assert_eq!(place.run(&["check", "db", "runs"]).code, 0);

    let text = std::fs::read_to_string(place.path(&tasks)).unwrap();
    let row = text.lines().last().unwrap();
    let edited = format!("{}| T04 |{}\n", text.replacen("COMPLETED", "finished", 1), &row["| T04 |".len()..]);
    std::fs::write(place.path(&tasks), &edited).unwrap();
    let told = place.run(&["check", &tasks]);
    assert_eq!(told.code, 1);
    let lines: Vec<&str> = told.stdout.lines().filter(|line| line.contains(&tasks) || line.contains("hint")).collect();
    let status = lines[0].strip_prefix(&format!("{tasks}:7:")).unwrap_or_default();
    assert!(status.ends_with("`finished` is no status"), "{}", told.shown());
    assert_eq!(lines[1].trim_start(), "= hint: use PENDING, COMPLETED or FAILED");
    assert_eq!(lines[2], format!("{tasks}:11:3: `T04` is there twice in a run, and the first one counts"));
    assert_eq!(lines[3].trim_start(), "= hint: remove this row, or give it an id of its own");
    assert!(told.stdout.contains("^^^"), "{}", told.shown());
    assert_eq!(std::fs::read_to_string(place.path(&tasks)).unwrap(), edited);
}

#[test]
fn folders_are_walked_by_name() {
    let place = Place::with(&[
        ("d/b.md", b"# B\n"),
        ("d/a/c.yml", b"a: 1\n"),
        ("d/a/d.JSON", b"{}\n"),
        ("d/e.markdown", b"# E\n"),
        ("d/other.txt", b"x"),
        ("d/.git/x.md", BROKEN),
        ("d/.multiverse/x.md", BROKEN),
        ("d/target/x.md", BROKEN),
        ("empty/x.txt", b"x"),
    ]);
    symlink(place.path("d"), place.path("d/loop")).unwrap();
    let ran = place.run(&["check", "-v", "d"]);
    assert_eq!(ran.code, 0, "{}", ran.shown());
    let said: Vec<&str> = ran.stderr.lines().map(|line| line.split(':').next().unwrap()).collect();
    assert_eq!(said, ["d/a/c.yml", "d/a/d.JSON", "d/b.md", "d/e.markdown", "no problems in 4 documents"]);
    insta::assert_snapshot!(place.run(&["check", "empty"]).shown(), @"
    exit code 1
    --- stderr
    error: empty holds no documents
    hint: documents are .md, .markdown, .yaml, .yml, .json
    ");
}

#[test]
fn files_that_are_no_documents_are_told() {
    let place = Place::with(&[
        ("a.txt", b"x"),
        ("noending", b"x"),
        ("picture.md", b"\x89PNG\r\n\x1a\n\0\0\0\xff"),
        ("good.md", b"# Good\n"),
    ]);
    insta::assert_snapshot!(place.run(&["check", "gone.md", "a.txt", "noending", "picture.md", "good.md"]).shown(), @"
    exit code 1
    --- stderr
    error: cannot read gone.md: there is no such file
    hint: look at the spelling, and at the folder you are in
    error: cannot check a.txt: .txt is not the ending of a document
    hint: documents are .md, .markdown, .yaml, .yml, .json; or say what it is with `--as md`, `yaml` or `json`
    error: cannot check noending: its name has no ending
    hint: documents are .md, .markdown, .yaml, .yml, .json; or say what it is with `--as md`, `yaml` or `json`
    error: cannot check picture.md: it is binary, or text in UTF-16
    hint: save it as UTF-8
    no problems in 1 document
    ");
    // A device never ends, a pipe waits for a writer.
    let ran = place.run(&["check", "--as", "md", "/dev/zero"]);
    assert_eq!(ran.code, 1);
    assert!(ran.stderr.contains("it is a pipe or device, not a file"), "{}", ran.shown());
}

/// QL-24: no permission is a clear error.
#[test]
fn an_unreadable_file_is_told() {
    let place = Place::with(&[("secret.md", b"# S\n")]);
    let mut permissions = std::fs::metadata(place.path("secret.md")).unwrap().permissions();
    permissions.set_mode(0o000);
    std::fs::set_permissions(place.path("secret.md"), permissions).unwrap();
    if std::fs::read(place.path("secret.md")).is_ok() {
        // The superuser may read everything; a folder in the place of a parent is what it cannot read.
        let ran = place.run(&["check", "secret.md/x.md"]);
        assert!(ran.code == 1 && ran.stderr.contains("not a directory"), "{}", ran.shown());
        return;
    }
    insta::assert_snapshot!(place.run(&["check", "secret.md"]).shown(), @r"
    exit code 1
    --- stderr
    error: cannot read secret.md: permission denied
    hint: change its owner or permissions, then try again
    no problems in 0 documents
    ");
}

#[test]
fn stdin_is_a_document_when_its_format_is_given() {
    let place = Place::with(&[]);
    let ran = place.run_with_input(&["check", "-", "--as", "md"], BROKEN);
    assert_eq!(ran.code, 1);
    assert!(ran.stdout.starts_with("<stdin>:6:1: "), "{}", ran.shown());
    assert_eq!(place.run_with_input(&["check", "--as=json", "-"], b"{}").code, 0);
    insta::assert_snapshot!(place.run_with_input(&["check", "-"], b"{}").shown(), @"
    exit code 2
    --- stderr
    error: stdin has no ending that says what it is
    hint: add `--as md`, `--as yaml` or `--as json`
    ");
}

#[test]
fn the_format_given_counts_more_than_the_ending() {
    let place = Place::with(&[("notes.txt", b"a: [1\n"), ("a.md", b"{}\n")]);
    for (arguments, code) in [
        (&["check", "notes.txt"][..], 1),
        (&["check", "notes.txt", "--as", "yaml"], 1),
        (&["check", "notes.txt", "--as", "md"], 0),
        (&["check", "a.md", "--as", "json"], 0),
        (&["check", "a.md", "--as", "toml"], 2),
    ] {
        let ran = place.run(arguments);
        assert_eq!(ran.code, code, "{arguments:?}\n{}", ran.shown());
    }
}

#[test]
fn paths_are_taken_from_the_folder_that_is_given() {
    let place = Place::with(&[("there/a.md", b"# A\n")]);
    assert_eq!(place.run(&["check", "a.md"]).code, 1);
    assert_eq!(place.run(&["check", "-C", "there", "a.md"]).code, 0);
    assert_eq!(place.run(&["--project", "there", "check", "a.md"]).code, 0);
}

/// QL-34: what stands in a file is shown, not sent.
#[test]
fn escape_sequences_in_documents_are_shown_not_sent() {
    let name = "a\u{1b}]0;x\u{7}.md";
    let document = "| a | b |\n|---|---|\n| \u{1b}[2J\u{9b}31m\u{202e} |\n";
    let place = Place::with(&[(name, document.as_bytes())]);
    for arguments in [&["check", "."][..], &["check", "--json", "."], &["check", "-v", name]] {
        let ran = place.run(arguments);
        assert_eq!(ran.code, 1, "{}", ran.shown());
        let all = format!("{}{}", ran.stdout, ran.stderr);
        let raw: Vec<char> =
            all.chars().filter(|one| (one.is_control() && *one != '\n') || *one == '\u{202e}').collect();
        assert_eq!(raw, Vec::<char>::new(), "{arguments:?}");
    }
    assert_eq!(place.run(&["check", "--json", "."]).json()[0]["problem"]["path"], format!("./{name}"));
}

#[test]
fn the_documents_of_this_repository_have_no_problems() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let names = std::fs::read_dir(root).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let documents: Vec<String> = names.filter(|name| name.ends_with(".md") || name == "docs").collect();
    assert!(documents.len() > 1);
    let mut arguments = vec!["-C", root, "check"];
    arguments.extend(documents.iter().map(String::as_str));
    let ran = Place::with(&[]).run(&arguments);
    assert_eq!(ran.code, 0, "{}", ran.shown());
}
