//! Rules for commands against real shells (QL-30): lines made of tricks, thousands of them. Those that a rule for `git`
//! allows are run, with a `git` that does nothing and other programs that leave a mark. No mark may be left, no file made.
#![cfg(test)]
#![cfg(target_os = "linux")]

mod stage;

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::json;
use stage::{Stage, assert_exit, text};
use tools::{Effect, Grants, Network, Rule, ToolCall};

const PIECES: [&str; 52] = [
    "git",
    "git status",
    "git log -1",
    "rm",
    "rm x",
    "id",
    " ",
    " ",
    " ",
    "\t",
    "\n",
    ";",
    "&",
    "&&",
    "||",
    "|",
    "|&",
    "(",
    ")",
    "{",
    "}",
    "{ ",
    "; }",
    "$(",
    "$((",
    "`",
    "'",
    "\"",
    "\\",
    "#",
    " #",
    ">",
    ">>",
    "<",
    "<<E",
    "<<<",
    "<(",
    ">(",
    "2>",
    "&>",
    "$x",
    "${x:-",
    "${IFS}",
    "$'",
    "!",
    "if ",
    "; then ",
    "; fi",
    "case x in x)",
    "x=",
    "E",
    "\\\n",
];

const LINES: u64 = 6000;

/// The same seed, the same lines.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % sides
    }
}

fn line(seed: u64) -> String {
    let mut dice = Dice(seed);
    dice.roll(1);
    let begin = if dice.roll(2) == 0 { "git status" } else { "" };
    let rest = (0..=dice.roll(9)).map(|_| PIECES[dice.roll(PIECES.len())]);
    std::iter::once(begin).chain(rest).collect()
}

#[test]
fn no_allowed_line_runs_another_program() {
    let grants = Grants::new(vec![Rule::new(Effect::Allow, "run_shell_command: git *")], Effect::Deny).unwrap();
    let is_allowed = |line: &String| {
        let call = ToolCall { id: "1".into(), name: "run_shell_command".into(), arguments: json!({"command": line}) };
        grants.decide(&call, None).effect == Effect::Allow
    };
    let allowed: Vec<String> = (0..LINES).map(line).filter(is_allowed).collect();
    assert!(allowed.len() > 100, "only {} lines are allowed: nothing is tested", allowed.len());
    assert!(allowed.iter().any(|line| line.contains(';')) && allowed.iter().any(|line| line.contains('\'')));
    let stage = Stage::new();
    for folder in ["lines", "box", "programs"] {
        fs::create_dir(stage.scratch().join(folder)).unwrap();
    }
    let mark = stage.scratch().join("mark");
    for (name, does) in [
        ("git", "exit 0".to_string()),
        ("rm", format!(": > {}", mark.display())),
        ("id", format!(": > {}", mark.display())),
    ] {
        let file = stage.scratch().join("programs").join(name);
        fs::write(&file, format!("#!/bin/sh\n{does}\n")).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    }
    for (number, line) in allowed.iter().enumerate() {
        fs::write(stage.scratch().join("lines").join(number.to_string()), line).unwrap();
    }
    let script = "for file in lines/*; do line=$(<$file)\n\
                  for shell in /bin/sh /bin/bash; do\n\
                  (cd box; PATH=$PWD/../programs $shell -c \"$line\" < /dev/null > /dev/null 2>&1)\n\
                  if [ -e mark ]; then echo \"$shell ran another program: $file\"; PATH=/bin:/usr/bin rm mark; fi\n\
                  for made in box/*; do if [ -e \"$made\" ]; then echo \"$shell made $made: $file\"; exit; fi; done\n\
                  done; done";
    let mut launched = stage.program("/bin/bash", &["-c", script]);
    launched.network = Network::Closed;
    let ended = stage.ended(&launched);
    assert_exit(&ended, 0);
    let found = text(&ended.output);
    let shown: Vec<&String> =
        found.lines().filter_map(|line| allowed.get(line.rsplit('/').next()?.parse::<usize>().ok()?)).collect();
    assert_eq!(found, "", "{shown:#?}");
}
