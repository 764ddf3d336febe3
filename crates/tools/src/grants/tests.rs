//! What the rules say to calls, with the tricks that are played on them (QL-30).

use std::sync::Mutex;

use serde_json::{Value, json};

use super::*;
use crate::{Stop, Tool, ToolAnswer, Toolbox, Went};

fn call(name: &str, arguments: Value) -> ToolCall {
    ToolCall { id: "1".into(), name: name.into(), arguments }
}

fn rules(lines: &[&str]) -> Grants {
    let rule = |line: &&str| {
        let (effect, pattern) = line.split_once(' ').unwrap();
        let all = [Effect::Allow, Effect::Ask, Effect::Deny];
        Rule::new(all.into_iter().find(|one| one.word() == effect).unwrap(), pattern)
    };
    Grants::new(lines.iter().map(rule).collect(), Effect::Deny).unwrap()
}

fn check(grants: &Grants, name: &str, arguments: &Value, expected: Effect) {
    let decision = grants.decide(&call(name, arguments.clone()), Some(Path::new("/project")));
    assert_eq!(decision.effect, expected, "{name} {arguments}: {decision:?}");
}

/// Lines that hold an allowed command and something else, or only look like one.
const TRICKS: [&str; 41] = [
    "rm x",
    "git status; rm x",
    "git status && rm x",
    "git status || rm x",
    "git status | sh",
    "git status & rm x",
    "git status\nrm x",
    "git status $(rm x)",
    "git status `rm x`",
    "git status \"$(rm x)\"",
    "git status > x",
    "git log >> ../../x",
    "git status 2> x",
    "git $x",
    "(git status)",
    "{ git status; }",
    "git status <(rm x)",
    "A=1 git status",
    "PATH=. git status",
    "gitx status",
    "git",
    "/tmp/git status",
    "ls -l",
    "ls\u{a0}x",
    "if git status; then ls; fi",
    "git 'status",
    "git status; eval ls",
    "sort < x > y",
    "sort < x >> y",
    "sort < x < y",
    "sh -c 'git status'",
    "git ${x:-status}",
    "cat <<E\ngit status\nE",
    "git push origin main",
    "git status; git push",
    "env git push",
    "/usr/bin/git push",
    "sh -c 'ls; git push'",
    "git 'push'",
    "xargs git push",
    "",
];

/// QL-30: an allowed command is not a door for another one.
#[test]
fn commands_are_allowed_one_by_one() {
    let grants = rules(&[
        "deny run_shell_command: git push*",
        "ask run_shell_command: cargo publish*",
        "allow run_shell_command: git *",
        "allow run_shell_command: ls",
        "allow run_shell_command: cargo test*",
        "allow run_shell_command: sort < *",
    ]);
    let check = |command: &str, expected| check(&grants, "run_shell_command", &json!({"command": command}), expected);
    for allowed in [
        "git status",
        "git log --oneline | git stripspace",
        "ls; git status && ls",
        "g'i't status",
        "git\tdiff",
        "git log # | rm x",
        "sort < notes.md",
        "cargo test --all -- --nocapture",
        "git log -S ';'",
    ] {
        check(allowed, Effect::Allow);
    }
    for denied in TRICKS {
        check(denied, Effect::Deny);
    }
    check("ls ", Effect::Allow);
    check("cargo publish", Effect::Ask);
    check("git status; cargo publish --dry-run", Effect::Ask);
    check("git push; cargo publish", Effect::Deny);
}

/// What a rule writes out, it means.
#[test]
fn rules_that_name_more_match_more() {
    let grants = rules(&[
        "allow run_shell_command: echo * > notes.md",
        "allow run_shell_command: echo $HOME",
        "allow run_shell_command: echo $(date)",
    ]);
    let check = |command: &str, expected| check(&grants, "run_shell_command", &json!({"command": command}), expected);
    check("echo hello > notes.md", Effect::Allow);
    check("echo hello > other.md", Effect::Deny);
    check("echo hello > other.md > notes.md", Effect::Deny);
    check("echo hello >> notes.md", Effect::Deny);
    check("echo $HOME", Effect::Allow);
    check("echo $PATH", Effect::Deny);
    check("echo $(date)", Effect::Deny);
    let all = rules(&["allow run_shell_command"]);
    for command in ["rm x > y; (z)", "for a in b; do c; done"] {
        super::tests::check(&all, "run_shell_command", &json!({"command": command}), Effect::Allow);
    }
}

/// QL-30, MV-32: a path is what it means, however it is written.
#[test]
fn paths_are_what_they_mean() {
    let grants = rules(&[
        "deny write_file: assets/*",
        "deny read_many_files: secrets/*",
        "allow write_file: runs/*",
        "allow read_many_files: *",
        "allow read_file: assets/*",
        "allow list_directory",
    ]);
    let write =
        |path: &str, expected| check(&grants, "write_file", &json!({"file_path": path, "content": "x"}), expected);
    for path in ["runs/r/x.md", "./runs/r/x.md", "/project/runs/x", "runs/a/../b"] {
        write(path, Effect::Allow);
    }
    for path in [
        "assets/x",
        // Whoever goes by a denied folder is denied, wherever it leads.
        "assets/../runs/x",
        "runs/../assets/x",
        "./assets/x",
        "/project/assets/x",
        "runs/r/../../assets/x",
        "/etc/passwd",
        "../runs/x",
        "runs/../../x",
        "assets",
        "/project/runs/../../etc/x",
        "",
    ] {
        write(path, Effect::Deny);
    }
    check(&grants, "write_file", &json!({"path": "runs/x"}), Effect::Allow);
    check(&grants, "write_file", &json!("{\"file_path\": \"assets/x\"}"), Effect::Deny);
    check(&grants, "write_file", &json!({"file_path": "runs/x", "absolute_path": "assets/x"}), Effect::Deny);
    check(&grants, "read_many_files", &json!({"paths": ["a", "b/c"]}), Effect::Allow);
    check(&grants, "read_many_files", &json!({"paths": ["a", "b/../secrets/c"]}), Effect::Deny);
    check(&grants, "read_file", &json!({"file_path": "assets/../db/x"}), Effect::Deny);
    check(&grants, "list_directory", &json!({}), Effect::Allow);
    check(&grants, "glob", &json!({"pattern": "*"}), Effect::Deny);
}

/// QL-33: an address that only looks like an allowed one is not.
#[test]
fn addresses_are_not_deceptive() {
    let grants = rules(&[
        "deny web_fetch: *://docs.example.org/private*",
        "allow web_fetch: https://docs.example.org/*",
        "allow web_fetch: https://open.example.org*",
    ]);
    let check = |text: &str, expected| check(&grants, "web_fetch", &json!({"prompt": text}), expected);
    check("https://docs.example.org/a", Effect::Allow);
    check("sum up https://docs.example.org/a and <https://docs.example.org/b>", Effect::Allow);
    for denied in [
        "https://evil.example.com/https://docs.example.org/",
        "http://docs.example.org/a",
        "https://docs.example.org.evil.com/",
        "https://docs.example.org@evil.com/",
        "https://open.example.org@evil.com/",
        "https://open.example.org\\@evil.com/",
        "https://docs.example.org/a https://evil.com/",
        "no address at all",
        "https://docs.example.org/private/x",
        "HTTPS://DOCS.EXAMPLE.ORG/PRIVATE",
        "https:/docs.example.org/a",
    ] {
        check(denied, Effect::Deny);
    }
}

#[test]
fn other_tools_go_by_their_names() {
    let grants = rules(&["deny mcp__files__delete*", "allow mcp__files__*", "ask mcp__mail__send: *boss*"]);
    check(&grants, "mcp__files__read", &json!({"x": 1}), Effect::Allow);
    check(&grants, "mcp__files__delete_all", &json!({}), Effect::Deny);
    check(&grants, "mcp__mail__send", &json!({"to": "the boss"}), Effect::Ask);
    check(&grants, "mcp__mail__send", &json!({"to": "me"}), Effect::Deny);
    check(&grants, "mcp__other__read", &json!({}), Effect::Deny);
    check(&Grants::everything(), "anything", &json!({}), Effect::Allow);
    for (tool, offered) in
        [("mcp__files__read", true), ("mcp__files__delete", false), ("mcp__mail__send", true), ("other", false)]
    {
        assert_eq!(grants.offers(tool), offered, "{tool}");
    }
}

/// Examples are checked when rules are read; a wrong one names the rule and itself.
#[test]
fn examples_are_checked() {
    let with = |effect, pattern: &str, matches: &[&str], misses: &[&str]| {
        let texts = |list: &[&str]| list.iter().map(|text| (*text).to_string()).collect();
        let rule = Rule { matches: texts(matches), misses: texts(misses), ..Rule::new(effect, pattern) };
        Grants::new(vec![Rule::new(Effect::Deny, "x"), rule], Effect::Deny)
            .map(drop)
            .map_err(|problem| problem.to_string())
    };
    let git = "run_shell_command: git status*";
    assert_eq!(
        with(Effect::Allow, git, &["git status", "git status -s; git status"], &["git push", "git status; rm x"]),
        Ok(())
    );
    assert_eq!(with(Effect::Deny, git, &["git status; rm x", "run_shell_command: git status"], &["git push"]), Ok(()));
    assert_eq!(
        with(Effect::Allow, "mcp__files__*", &["mcp__files__read", "mcp__files__read: x"], &["mcp__mail__send"]),
        Ok(())
    );
    assert_eq!(
        with(Effect::Allow, "web_fetch: https://a.org/*", &["https://a.org/x"], &["https://a.org.evil.com/"]),
        Ok(())
    );
    let wrong = with(Effect::Allow, git, &["git push"], &[]).unwrap_err();
    assert_eq!(
        wrong,
        "rule 2, allow `run_shell_command: git status*`: its example `git push` should match, but does not: \
                       mend the pattern or the example"
    );
    let wrong = with(Effect::Deny, git, &[], &["env git status"]).unwrap_err();
    assert!(wrong.contains("its example `env git status` should not match, but does"), "{wrong}");
    for pattern in ["", ": x", "a b", "run_shell_command:", "tool:  "] {
        assert!(with(Effect::Allow, pattern, &[], &[]).unwrap_err().starts_with("rule 2, allow `"), "{pattern}");
    }
}

/// Says what it was called with.
struct Probe(Mutex<Vec<String>>);

impl Toolbox for &Probe {
    fn tools(&self) -> Vec<Tool> {
        let tool = |name: &str| Tool { name: name.into(), description: String::new(), parameters: json!({}) };
        ["run_shell_command", "write_file"].map(tool).into()
    }

    fn call(&self, call: &ToolCall, _: &Stop) -> ToolAnswer {
        self.0.lock().unwrap().push(call.arguments["command"].to_string());
        ToolAnswer::well("done")
    }
}

/// QL-36: what is not granted is not tried, and without anybody to ask nobody waits; the answer names the setting.
#[test]
fn what_is_not_granted_is_not_tried() {
    let grants =
        || rules(&["allow run_shell_command: ls", "ask run_shell_command: git *", "deny run_shell_command: rm *"]);
    let probe = Probe(Mutex::default());
    let check = |granted: &Granted<&Probe>, command: &str, went: Went, part: &str| {
        let answer = granted.call(&call("run_shell_command", json!({"command": command})), &Stop::new());
        assert_eq!(answer.went, went, "{command}: {}", answer.text);
        assert!(answer.text.contains(part), "{command}: {}", answer.text);
    };
    let headless = Granted::new(grants(), &probe).set_in("grants.executor in multiverse.toml");
    check(&headless, "ls", Went::Well, "done");
    check(
        &headless,
        "git log",
        Went::Denied,
        "`run_shell_command: git log` is not granted (rule 2, ask `run_shell_command: git *`): \
        a person would have to be asked, and nobody is there; nothing was done; a person can change that: grants.executor in multiverse.toml",
    );
    check(&headless, "rm x", Went::Denied, "(rule 3, deny `run_shell_command: rm *`)");
    check(&headless, "make", Went::Denied, "(no rule allows it)");
    let shell = |command: &str| call("run_shell_command", json!({"command": command}));
    let said = |command: &str, answer: &str| {
        let whole = crate::written_out(&shell(command), Path::new("")).unwrap();
        (crate::question(&[whole]), answer.to_string())
    };
    let answers = vec![said("git log", "yes"), said("git push", "no, not today")];
    let asked = Granted::new(grants(), &probe).with_answers(answers, "");
    check(&asked, "git log", Went::Well, "done");
    check(&asked, "git push", Went::Denied, ": a person was asked, and said: no, not today;");
    check(&asked, "git fetch", Went::Denied, ": a person must be asked first;");
    check(&asked, &format!("git {}", "x".repeat(5000)), Went::Denied, "too long to be read;");
    check(&asked, "rm x", Went::Denied, "deny");
    let asks = |granted: &Granted<&Probe>, command: &str| granted.asks(&shell(command));
    assert_eq!(asks(&asked, "git fetch").as_deref(), Some("\"run_shell_command: git fetch\""));
    for command in ["git log", "git push", "ls", "rm x"] {
        assert_eq!(asks(&asked, command), None, "{command}");
    }
    assert_eq!(asks(&headless, "git fetch"), None, "there is nobody to ask");
    assert_eq!(*probe.0.lock().unwrap(), ["\"ls\"", "\"git log\""]);
    let names: Vec<String> = headless.tools().into_iter().map(|tool| tool.name).collect();
    assert_eq!(names, ["run_shell_command"], "what can never be used is not offered");
}
