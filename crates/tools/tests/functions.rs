//! The functions of the seed on a real project (MV-28, MV-32, MV-36, QL-30, BY-17): what they show, what they write, and
//! that no path, link or pipe leads them out or holds them up.
#![cfg(test)]
#![cfg(target_os = "linux")]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};
use tempfile::TempDir;
use tools::{Desk, Functions, ShellRules, Stop, ToolAnswer, ToolCall, Toolbox, Went, Writable, launch_through};

/// A project with two runs; the desk is that of the first one.
struct Place {
    folder: TempDir,
    functions: Functions,
}

impl Place {
    fn new() -> Self {
        launch_through(env!("CARGO_BIN_EXE_confined"));
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        for (path, content) in [
            ("p/assets/notes.md", "one\ntwo\nthree\n"),
            ("p/assets/deep/data.csv", "a,b\n1,2\n"),
            ("p/assets/picture.png", "\u{0}\u{1}png"),
            ("p/guidelines/style.md", "be brief\n"),
            ("p/guidelines/mcp_list.md", "procedures\n"),
            ("p/db/process_runs.md", "| secret |\n"),
            ("p/runs/R1/workspace/plan.md", "the plan\n"),
            ("p/runs/R2/workspace/other.md", "secret\n"),
            ("p/outputs/R2/result.md", "secret\n"),
            ("p/.multiverse/journal/1", "secret\n"),
            ("outside/secret", "secret\n"),
        ] {
            let path = root.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
        }
        let (project, workdir) = (root.join("p"), root.join("p/.multiverse/scratch/R1/1"));
        fs::create_dir_all(&workdir).unwrap();
        let readable = ["assets", "guidelines/style.md", "runs/R1"].map(|path| project.join(path)).into();
        let functions = Functions::new(Desk {
            project,
            workdir,
            readable,
            writable: Writable::Usual,
            shell: ShellRules::default(),
        })
        .unwrap();
        Self { folder, functions }
    }

    fn project(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join("p")
    }

    fn workdir(&self) -> PathBuf {
        self.project().join(".multiverse/scratch/R1/1")
    }

    fn call(&self, name: &str, arguments: Value) -> ToolAnswer {
        let call = ToolCall { id: "1".into(), name: name.into(), arguments };
        self.functions.call(&call, &Stop::new())
    }

    #[track_caller]
    fn well(&self, name: &str, arguments: Value) -> String {
        let shown = arguments.to_string();
        let answer = self.call(name, arguments);
        assert_eq!(answer.went, Went::Well, "{name} {shown}: {}", answer.text);
        answer.text
    }

    #[track_caller]
    fn wrong(&self, name: &str, arguments: Value, part: &str) {
        let shown = arguments.to_string();
        let answer = self.call(name, arguments);
        assert_eq!(answer.went, Went::Wrong, "{name} {shown}: {}", answer.text);
        assert!(answer.text.contains(part), "{name} {shown}: {}", answer.text);
        assert!(!answer.text.contains("secret\n"), "{name} {shown}: {}", answer.text);
    }

    /// What the engine would find in the attempt's folder.
    fn written(&self, path: &str) -> String {
        fs::read_to_string(self.workdir().join(path)).unwrap()
    }
}

/// MV-28: the nine functions that are ours, each with a schema of an object; web_fetch and google_web_search are a box of
/// their own.
#[test]
fn every_function_has_a_schema() {
    let place = Place::new();
    let tools = place.functions.tools();
    let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(
        names,
        [
            "list_directory",
            "read_file",
            "read_many_files",
            "write_file",
            "glob",
            "search_file_content",
            "replace",
            "create_directory",
            "run_shell_command",
        ]
    );
    for tool in &tools {
        assert_eq!(tool.parameters["type"], "object", "{}", tool.name);
        for required in tool.parameters["required"].as_array().unwrap() {
            assert!(tool.parameters["properties"][required.as_str().unwrap()].is_object(), "{}", tool.name);
        }
        assert!(!tool.description.is_empty());
        place.wrong(&tool.name, json!({"nonsense": 1}), "`nonsense` is no argument of it");
        place.wrong(&tool.name, json!([]), &format!("wrong arguments for {}: expected an object", tool.name));
    }
    place.wrong("no_such_tool", json!({}), "there are: list_directory, read_file");
}

/// MV-36: a listing shows what may be read and what was written, and the way there; no other run.
#[test]
fn listing_shows_what_is_open() {
    let place = Place::new();
    place.well("write_file", json!({"file_path": "runs/R1/workspace/new.md", "content": "x"}));
    place.well("write_file", json!({"file_path": "assets-not/x.md", "content": "x"}));
    let check = |path: &str, expected: &str| assert_eq!(place.well("list_directory", json!({"path": path})), expected);
    check(".", "assets/\nassets-not/\nguidelines/\nruns/\n");
    check("", "assets/\nassets-not/\nguidelines/\nruns/\n");
    check("runs", "R1/\n");
    check("guidelines", "style.md (9 bytes)\n");
    check("runs/R1/workspace", "new.md (1 bytes)\nplan.md (9 bytes)\n");
    check(place.project().join("assets").to_str().unwrap(), "deep/\nnotes.md (14 bytes)\npicture.png (5 bytes)\n");
    for closed in ["runs/R2", "db", ".multiverse", ".multiverse/journal", "outputs", "outputs/R2", "none"] {
        place.wrong("list_directory", json!({"path": closed}), "is not there or not open to you");
    }
    place.wrong("list_directory", json!({"path": "assets/notes.md"}), "is a file: read_file reads it");
    let shown = place.well("list_directory", json!({"path": "assets", "ignore": ["*.png", "deep"]}));
    assert_eq!(shown, "notes.md (14 bytes)\n");
    fs::write(place.workdir().join(".hidden"), "").unwrap();
    let shown = place.well("list_directory", json!({"path": "."}));
    assert!(shown.ends_with("(1 names that begin with a dot are left out; `hidden` shows them)\n"), "{shown}");
}

/// QL-30, MV-36: whatever the path is called, nothing outside is read.
#[test]
fn reading_stays_inside() {
    let place = Place::new();
    let outside = place.project().parent().unwrap().join("outside/secret");
    symlink(&outside, place.workdir().join("link")).unwrap();
    symlink("../../../../../outside/secret", place.workdir().join("relative")).unwrap();
    symlink("../../../../db", place.workdir().join("folder")).unwrap();
    symlink(place.project().join("runs/R2"), place.project().join("assets/shortcut")).unwrap();
    symlink("../db/process_runs.md", place.project().join("assets/inside.md")).unwrap();
    let absolute = outside.to_str().unwrap();
    for path in [
        "../outside/secret",
        "assets/../../outside/secret",
        absolute,
        "/etc/passwd",
        "/proc/self/environ",
        "link",
        "relative",
        "folder/process_runs.md",
        "assets/shortcut/workspace/other.md",
        "assets/inside.md",
        "db/process_runs.md",
        "runs/R2/workspace/other.md",
        "runs/R1/../R2/workspace/other.md",
        "outputs/R2/result.md",
        ".multiverse/journal/1",
        "guidelines/mcp_list.md",
        "assets/notes.md/../../db/process_runs.md",
        "a\u{0}b",
    ] {
        place.wrong("read_file", json!({"file_path": path}), "");
        assert_ne!(place.call("read_many_files", json!({"paths": [path]})).went, Went::Well, "{path}");
    }
    let found = place.well("search_file_content", json!({"pattern": "secret|procedures"}));
    assert!(found.starts_with("(no line matches"), "{found}");
    let found = place.well("glob", json!({"pattern": "**/*"}));
    for hidden in ["R2", "db/", "mcp_list", "journal", "secret"] {
        assert!(!found.contains(hidden), "{hidden} in {found}");
    }
    // A link that stays is followed.
    fs::write(place.workdir().join("own.md"), "mine\n").unwrap();
    symlink("own.md", place.workdir().join("again.md")).unwrap();
    assert_eq!(place.well("read_file", json!({"file_path": "again.md"})), "mine\n");
    // A link of the scratch to a file that is open means that file.
    symlink(place.project().join("assets"), place.workdir().join("assets")).unwrap();
    assert_eq!(place.well("read_file", json!({"file_path": "assets/notes.md"})), "one\ntwo\nthree\n");
}

/// QL-30, QL-32: what waits for somebody, or is no file at all, is named and holds nobody up.
#[test]
fn pipes_and_devices_hold_nobody_up() {
    let place = Place::new();
    let made = Command::new("mkfifo").arg(place.workdir().join("pipe")).status().unwrap();
    assert!(made.success());
    let _socket = std::os::unix::net::UnixListener::bind(place.workdir().join("socket")).unwrap();
    for name in ["pipe", "socket"] {
        place.wrong("read_file", json!({"file_path": name}), "is a pipe, a socket or a device, which is not read");
    }
    place.wrong("read_file", json!({"file_path": "assets"}), "is a folder");
    place.wrong("read_file", json!({"file_path": "assets/picture.png"}), "is not text (5 bytes)");
    assert!(place.well("glob", json!({"pattern": "pipe"})).starts_with("(no file matches"));
    place.well("search_file_content", json!({"pattern": "x"}));
    place.well("write_file", json!({"file_path": "pipe", "content": "now a file"}));
    assert_eq!(place.written("pipe"), "now a file");
}

/// MV-28, BY-17: files come in pages, and a page says where the next one begins.
#[test]
fn long_files_come_in_pages() {
    let place = Place::new();
    let lines: Vec<String> = (0..5000).map(|number| format!("line number {number}")).collect();
    place.well("write_file", json!({"file_path": "long.md", "content": lines.join("\n")}));
    let read = |arguments: Value| place.well("read_file", arguments);
    let first = read(json!({"file_path": "long.md"}));
    assert!(first.len() < 40_000, "{}", first.len());
    let note = first.lines().last().unwrap();
    let next: usize = note.rsplit(' ').next().unwrap().trim_end_matches(')').parse().unwrap();
    assert_eq!(note, format!("({next} of 5000 lines, from offset 0; read on with offset {next})"));
    assert!(read(json!({"file_path": "long.md", "offset": next})).starts_with(&format!("line number {next}\n")));
    assert_eq!(
        read(json!({"file_path": "long.md", "offset": 4998, "limit": 1})),
        "line number 4998\n(1 of 5000 lines, from offset 4998; read on with offset 4999)\n"
    );
    assert!(read(json!({"absolute_path": "long.md", "offset": 4999})).contains("the end of the file"));
    place.wrong(
        "read_file",
        json!({"file_path": "long.md", "offset": 5000}),
        "has 5000 lines, so the last offset is 4999",
    );
    place.well("write_file", json!({"file_path": "wide.md", "content": "x".repeat(1_000_000)}));
    let wide = read(json!({"file_path": "wide.md"}));
    assert!(wide.len() < 3000 && wide.contains("more letters in this line"), "{}", wide.len());
    place.well("write_file", json!({"file_path": "empty.md", "content": ""}));
    assert_eq!(read(json!({"file_path": "empty.md"})), "`empty.md` is empty\n");
}

/// MV-28, BY-17: many files at once, by path, folder or pattern; what did not fit is named.
#[test]
fn many_files_are_read_within_a_bound() {
    let place = Place::new();
    let many = place.well("read_many_files", json!({"paths": ["assets/notes.md", "**/*.csv", "guidelines"]}));
    assert_eq!(
        many,
        "--- assets/notes.md ---\none\ntwo\nthree\n--- assets/deep/data.csv ---\na,b\n1,2\n--- guidelines/style.md ---\nbe brief\n"
    );
    let many = place.well("read_many_files", json!({"paths": ["assets"], "exclude": ["*.csv"]}));
    assert!(many.contains("(`assets/picture.png` is not text (5 bytes), so it is not shown)"), "{many}");
    assert!(!many.contains("data.csv"), "{many}");
    for number in 0..40 {
        let path = format!("big/{number:02}.md");
        place.well("write_file", json!({"file_path": path, "content": "word\n".repeat(1000)}));
    }
    let many = place.well("read_many_files", json!({"paths": ["big/*.md"]}));
    assert!(many.len() < 45_000, "{}", many.len());
    assert!(many.contains("files did not fit and were not read: big/"), "{}", &many[many.len() - 500..]);
    place.wrong("read_many_files", json!({"paths": ["none/*.md"]}), "no file matches");
    place.wrong("read_many_files", json!({}), "`paths` is missing");
}

/// MV-28: absolute paths, newest first.
#[test]
fn glob_gives_the_newest_first() {
    let place = Place::new();
    for (age, name) in [(300, "old.md"), (100, "new.md"), (200, "middle.md")] {
        place.well("write_file", json!({"file_path": format!("out/{name}"), "content": "x"}));
        let file = fs::File::options().write(true).open(place.workdir().join("out").join(name)).unwrap();
        file.set_modified(SystemTime::now() + Duration::from_secs(1000 - age)).unwrap();
    }
    let found = place.well("glob", json!({"pattern": "*.md"}));
    let newest: Vec<&str> = found.lines().take(3).collect();
    let expected =
        ["new.md", "middle.md", "old.md"].map(|name| place.project().join("out").join(name).display().to_string());
    assert_eq!(newest, expected);
    assert_eq!(found.lines().count(), 6, "{found}");
    assert_eq!(place.well("read_file", json!({"file_path": newest[0]})), "x\n");
    assert_eq!(place.well("glob", json!({"pattern": "*.MD", "path": "out"})).lines().count(), 3);
    let strict = place.well("glob", json!({"pattern": "*.MD", "case_sensitive": true}));
    assert_eq!(strict, "(no file matches `*.MD`)\n");
    place.wrong("glob", json!({"pattern": "[x"}), "opens a bracket");
    place.wrong("glob", json!({"pattern": "*", "path": "../"}), "leads out of the project");
}

/// MV-28, BY-17: lines by a regular expression, with their places, in pages; an expression cannot take for ever.
#[test]
fn search_finds_lines() {
    let place = Place::new();
    place.well("write_file", json!({"file_path": "runs/R1/workspace/two.md", "content": "Two\n  two times two\n"}));
    let search = |arguments: Value| place.well("search_file_content", arguments);
    assert_eq!(
        search(json!({"pattern": "t.o"})),
        "assets/notes.md:2: two\nruns/R1/workspace/two.md:2:   two times two\n(1 files are not text or larger than 4194304 bytes, and were not searched)\n"
    );
    assert_eq!(
        search(json!({"pattern": "(?i)^two$", "include": "*.md", "path": "runs"})),
        "runs/R1/workspace/two.md:1: Two\n"
    );
    assert_eq!(
        search(json!({"pattern": "plan", "path": "runs/R1/workspace/plan.md"})),
        "runs/R1/workspace/plan.md:1: the plan\n"
    );
    place.wrong("search_file_content", json!({"pattern": "("}), "is no valid regular expression");
    place.wrong("search_file_content", json!({"pattern": "x{1000}{1000}{1000}"}), "is no valid regular expression");
    place.well("write_file", json!({"file_path": "many.txt", "content": "hit hit hit\n".repeat(9000)}));
    let many = search(json!({"pattern": "hit", "path": "many.txt"}));
    assert!(many.len() < 40_000 && many.contains("of 9000 matches; go on with offset"), "{}", many.len());
    place.well("write_file", json!({"file_path": "slow.txt", "content": "a".repeat(100_000)}));
    search(json!({"pattern": "(a+)+b", "path": "slow.txt"}));
}

/// MV-32, QL-30: writes land in the attempt's folder, whatever lies in the way there; the project stays as it is.
#[test]
fn writing_stays_in_the_workdir() {
    let place = Place::new();
    let outside = place.project().parent().unwrap().join("outside");
    symlink(&outside, place.workdir().join("away")).unwrap();
    symlink(outside.join("secret"), place.workdir().join("link.md")).unwrap();
    symlink(place.project().join("runs/R1"), place.workdir().join("runs")).unwrap();
    fs::hard_link(outside.join("secret"), place.workdir().join("hard.md")).unwrap();
    let write = |path: &str| place.well("write_file", json!({"file_path": path, "content": "mine"}));
    assert_eq!(write("runs/R1/workspace/deep/new.md"), "created `runs/R1/workspace/deep/new.md`: 4 bytes, 1 lines\n");
    assert!(write("runs/R1/workspace/plan.md").starts_with("overwrote"));
    write("away/secret");
    write("link.md");
    write("hard.md");
    write(place.project().join("outputs/R1/x.md").to_str().unwrap());
    write(place.workdir().join("y.md").to_str().unwrap());
    for path in [
        "runs/R1/workspace/deep/new.md",
        "runs/R1/workspace/plan.md",
        "away/secret",
        "link.md",
        "hard.md",
        "outputs/R1/x.md",
        "y.md",
    ] {
        assert_eq!(place.written(path), "mine", "{path}");
    }
    assert_eq!(fs::read_to_string(outside.join("secret")).unwrap(), "secret\n");
    assert_eq!(fs::read_to_string(place.project().join("runs/R1/workspace/plan.md")).unwrap(), "the plan\n");
    assert!(!place.project().join("outputs/R1").exists());
    for path in ["assets/x.md", "guidelines/x.md", "db/x.md", ".multiverse/journal/1", "runs/../assets/x.md"] {
        place.wrong("write_file", json!({"file_path": path, "content": "mine"}), "is read-only");
        place.wrong("create_directory", json!({"path": path}), "is read-only");
        place.wrong("replace", json!({"file_path": path, "old_string": "a", "new_string": "b"}), "is read-only");
    }
    for path in ["../x.md", "/etc/x.md", "/tmp/x.md", "a/../../x.md"] {
        place.wrong("write_file", json!({"file_path": path, "content": "mine"}), "the project");
    }
    place.wrong("write_file", json!({"file_path": "y.md/z.md", "content": ""}), "a part of the path is a file");
    place.wrong("write_file", json!({"file_path": "outputs/R1", "content": ""}), "is a folder");
    place.wrong("write_file", json!({"file_path": "", "content": ""}), "name a file in it");
    place.well("create_directory", json!({"path": "made/by/me"}));
    assert!(place.workdir().join("made/by/me").is_dir());
    place.well("create_directory", json!({"path": "made/by/me"}));
}

/// MV-28: exact replacing; more or fewer places than expected change nothing.
#[test]
fn replace_is_exact() {
    let place = Place::new();
    let replace = |old: &str, new: &str, expected: Value| json!({"file_path": "x.md", "old_string": old, "new_string": new, "expected_replacements": expected});
    place.well("replace", replace("", "one\ntwo\ntwo\nend\n", json!(null)));
    place.wrong("replace", replace("", "again", json!(null)), "is there already");
    assert_eq!(place.well("replace", replace("one\n", "ONE\n", json!(null))), "replaced once in `x.md`, line 1\n");
    place.wrong(
        "replace",
        replace("two", "2", json!(null)),
        "occurs 2 times in `x.md`, expected once, so nothing was changed (lines 2, 3); give more lines",
    );
    place.wrong("replace", replace("two", "2", json!(3)), "expected 3 times");
    place.wrong(
        "replace",
        replace("four", "4", json!(null)),
        "does not occur in `x.md`, so nothing was changed; read_file shows",
    );
    place.wrong("replace", replace("two\n  end", "4", json!(null)), "its first line is there in line 2");
    place.wrong("replace", replace("end", "end", json!(null)), "are the same");
    place.wrong("replace", replace("end", "x", json!(0)), "expected 1 or more");
    assert_eq!(place.written("x.md"), "ONE\ntwo\ntwo\nend\n");
    assert_eq!(place.well("replace", replace("two", "$1", json!("2"))), "replaced 2 times in `x.md`, lines 2, 3\n");
    assert_eq!(place.written("x.md"), "ONE\n$1\n$1\nend\n");
    fs::write(place.workdir().join("windows.md"), "a\r\nb\r\nc\r\n").unwrap();
    place.well("replace", json!({"file_path": "windows.md", "old_string": "a\nb", "new_string": "a\nB"}));
    assert_eq!(place.written("windows.md"), "a\r\nB\r\nc\r\n");
    let plan = json!({"file_path": "runs/R1/workspace/plan.md", "old_string": "the plan", "new_string": "a plan"});
    place.well("replace", plan);
    assert_eq!(place.written("runs/R1/workspace/plan.md"), "a plan\n");
    assert_eq!(fs::read_to_string(place.project().join("runs/R1/workspace/plan.md")).unwrap(), "the plan\n");
}

/// MV-28, QL-30, QL-31: commands run in the attempt's folder, confined, without network, bounded in time and words.
#[test]
fn commands_are_confined() {
    let place = Place::new();
    symlink(place.project().join("assets"), place.workdir().join("assets")).unwrap();
    let run = |command: &str| place.call("run_shell_command", json!({"command": command}));
    assert_eq!(run("cat assets/notes.md | head -1; echo x > made").text, "exit code 0\n--- output ---\none\n");
    assert_eq!(place.written("made"), "x\n");
    let answer = run("echo out; echo err >&2; exit 3");
    assert_eq!(
        (answer.went, answer.text.as_str()),
        (Went::Wrong, "exit code 3\n--- output ---\nout\n--- errors ---\nerr\n")
    );
    for command in [
        "cat ../../../../db/process_runs.md",
        "cat ../../../../runs/R2/workspace/other.md",
        "ls ../../../../runs",
        "echo x > assets/notes.md",
        "echo x > ../../../../runs/R1/workspace/plan.md",
        "echo x > ../../../journal/1",
        "cat /etc/passwd",
    ] {
        let answer = run(command);
        assert_eq!(answer.went, Went::Wrong, "{command}: {}", answer.text);
        let refused = answer.text.contains("denied") || answer.text.contains("Read-only");
        assert!(!answer.text.contains("secret |") && refused, "{command}: {}", answer.text);
    }
    let answer =
        run("exec 3<>/dev/tcp/127.0.0.1/9 || python3 -c 'import socket; socket.create_connection((\"127.0.0.1\", 9))'");
    assert_eq!(answer.went, Went::Wrong, "{}", answer.text);
    let flood = run("yes | head -c 3000000");
    assert!(
        flood.text.len() < 40_000 && flood.text.contains("lines in the middle are left out"),
        "{}",
        flood.text.len()
    );
    let slow = place.call("run_shell_command", json!({"command": "sleep 1000", "timeout": 1}));
    assert!(slow.text.starts_with("ended after 1 s, its limit of time"), "{}", slow.text);
    assert_eq!(
        run("env | cut -d= -f1 | sort | tr '\\n' ' '").text,
        "exit code 0\n--- output ---\nHOME LANG PATH PWD TERM TMPDIR\n"
    );
    let placed = place.call("run_shell_command", json!({"command": "pwd", "directory": "sub/folder"}));
    assert!(placed.text.trim_end().ends_with("/sub/folder"), "{}", placed.text);
    place.wrong("run_shell_command", json!({"command": " "}), "expected a command line");
    place.wrong("run_shell_command", json!({"command": "ls", "directory": "../.."}), "leads out");
}
