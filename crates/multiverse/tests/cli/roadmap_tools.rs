//! The tools of a roadmap's log (RM-09): through an MCP server that our own client talks to, and for a confined agent that
//! finds the server's command in its environment. With real processes on a real project.

use std::fs;
use std::path::PathBuf;
use std::process::{Child, Stdio};

use serde_json::{Value, json};
use tools::mcp::{Mcp, McpServer, McpSettings, McpTransport, ToolFilter};
use tools::{Network, Stop, ToolAnswer, ToolCall, Toolbox, Went};

use crate::place::{Place, Ran};
use crate::roadmaps::{items, log, place, status, until};

const ITEMS: &str = "## A\n- Do the first\n- Do the second (after 1.1)\n";

/// An executor that works until a file appears, so that its attempt stays open.
fn waiting(place: &Place) -> Child {
    let agent = "#!/bin/sh\nread brief\nwhile [ ! -e \"$MULTIVERSE_PROJECT/go\" ]; do :; done\necho '{\"status\": \"done\", \"summary\": \"done\"}'\n";
    fs::write(place.path("agent.sh"), agent).unwrap();
    let mut command = place.command(&["run", "--protocol", "roadmap", "--agent", "executor=command:sh agent.sh"]);
    let child = command.env("PATH", "/usr/bin:/bin").stderr(Stdio::null()).stdout(Stdio::null()).spawn().unwrap();
    until("an executor is at work", || {
        place.run(&["roadmap", "status", "--json"]).stdout.contains("\"role\":\"executor\"")
    });
    child
}

fn client(place: &Place) -> Mcp {
    tools::launch_through(env!("CARGO_BIN_EXE_multiverse"));
    let project = place.path("").canonicalize().unwrap();
    let program = PathBuf::from(env!("CARGO_BIN_EXE_multiverse"));
    let transport = McpTransport::Stdio {
        command: program.display().to_string(),
        args: ["-C", project.to_str().unwrap(), "mcp"].map(String::from).to_vec(),
        env: Vec::new(),
        network: Network::Closed,
        read: Vec::new(),
        write: vec![project],
    };
    let server = McpServer { name: "log".into(), transport, tools: ToolFilter::default(), roles: Vec::new() };
    let scratch = place.path("scratch");
    fs::create_dir_all(&scratch).unwrap();
    let mut settings = McpSettings::new(scratch, vec![("PATH".into(), "/usr/bin:/bin".into())]);
    settings.confinement.execute.push(program.parent().unwrap().into());
    Mcp::start(&[server], settings, &Stop::new()).unwrap()
}

fn call(mcp: &Mcp, name: &str, arguments: Value) -> ToolAnswer {
    mcp.call(&ToolCall { id: "1".into(), name: format!("mcp__log__{name}"), arguments }, &Stop::new())
}

fn edit(place: &str, old: &str, new: &str) -> Value {
    json!({"path": place, "edits": [{"oldText": old, "newText": new}]})
}

/// RM-09: locked, the log is given as it is and edited if the edit is valid; nonsense is refused whole; what is not allowed
/// is said.
#[test]
fn rm09_an_mcp_client_uses_the_tools_of_the_log() {
    let place = place(ITEMS);
    let mut executor = waiting(&place);
    let mcp = client(&place);
    assert_eq!(mcp.problems(), Vec::<String>::new());
    let names: Vec<String> = mcp.tools().into_iter().map(|tool| tool.name).collect();
    assert_eq!(names.len(), 6, "{names:?}");
    let file = ".jixo/harbour.log.md";
    let check = |name: &str, arguments: Value, went: Went, says: &str| {
        let answer = call(&mcp, name, arguments);
        assert!(answer.went == went && answer.text.contains(says), "{name}: {answer:?}");
        answer.text
    };
    check("edit_file", edit(file, "Do the second", "Do something else"), Went::Wrong, "jixo_log_lock");
    let text = check("jixo_log_lock", json!({}), Went::Well, "1.2. Do the second");
    assert_eq!(text.trim_end(), log(&place).trim_end(), "the newest content");
    check("edit_file", edit(file, "1.2. Do the second", "1.2. Do it otherwise"), Went::Well, "taken");
    assert!(log(&place).contains("1.2. Do it otherwise"), "{}", log(&place));
    let before = log(&place);
    check("edit_file", edit(file, "status: Pending", "status: Completed"), Went::Wrong, "");
    check(
        "edit_file",
        edit(file, "## Roadmap", "no roadmap any more"),
        Went::Wrong,
        "the heading `## Roadmap` is gone",
    );
    check("edit_file", edit(file, "**Result**: Succeeded", "**Result**: Failed"), Went::Wrong, "log 1 is another");
    check("edit_file", edit(file, "title: \"harbour\"", "title: \"mine\""), Went::Wrong, "nothing of the edit counts");
    check("edit_file", edit(file, "words that are not there", "x"), Went::Wrong, "");
    assert_eq!(log(&place), before, "what is not valid changes nothing");
    check("jixo_log_unlock", json!({}), Went::Well, "free");
    check("edit_file", edit(file, "otherwise", "again"), Went::Wrong, "jixo_log_lock");
    check("jixo_task_exit", json!({"reason": "I am tired"}), Went::Wrong, "");
    check("get_jixo_skill", json!({"name": "none"}), Went::Wrong, "there is no skill `none`");
    check("append_to_file", json!({"filepath": ".jixo/other.task.md", "content": "x"}), Went::Wrong, "");
    assert!(!place.path(".jixo/other.task.md").exists());
    drop(mcp);
    fs::write(place.path("go"), "").unwrap();
    assert_eq!(executor.wait().unwrap().code(), Some(0), "{}", log(&place));
    assert_eq!(items(&status(&place)), ["1.1 Completed", "1.2 Completed"]);
}

/// RM-09, RM-14: a confined agent reaches the tools through the command that its environment names: it takes up a skill, adds
/// an item to the roadmap, asks the user something; and another executor does what it added.
#[test]
fn rm09_a_confined_agent_uses_the_tools_of_the_log() {
    let place = place("## A\n- 1.1. Do the first\n");
    fs::create_dir_all(place.path(".jixo/skills")).unwrap();
    fs::write(place.path(".jixo/skills/knots.md"), "# How to tie knots\n").unwrap();
    let agent = r####"#!/bin/sh
read brief
mkdir -p docs
say() { printf '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"%s","arguments":%s}}\n' "$1" "$2" | $MULTIVERSE_TOOLS >> docs/said.jsonl; }
case "$brief" in
  *'"item":{"id":"1.1"'*)
      say get_jixo_skill '{"name":"knots"}'
      say jixo_log_lock '{}'
      say edit_file '{"path":".jixo/harbour.log.md","edits":[{"oldText":"## Work Log","newText":"  - [ ] 1.2. Do what was found\n    - status: Pending\n\n## Work Log"}]}'
      say jixo_log_unlock '{}'
      say edit_file '{"path":"docs/said.jsonl","edits":[{"oldText":"no such words","newText":"x"}]}'
      say append_to_file '{"filepath":"docs/note.md","content":"noted\n"}';;
esac
echo '{"status": "done", "summary": "did it"}'
"####;
    fs::write(place.path("agent.sh"), agent).unwrap();
    let mut command = place.command(&["run", "--protocol", "roadmap", "--agent", "executor=command:sh agent.sh"]);
    let ran = Ran::of(command.env("PATH", "/usr/bin:/bin").output().unwrap());
    assert_eq!(ran.code, 0, "{}\n{}", ran.shown(), log(&place));
    let said = fs::read_to_string(place.path("docs/said.jsonl")).unwrap_or_default();
    let answers: Vec<(String, bool)> = said
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap_or_else(|_| panic!("{said}")))
        .map(|answer| {
            let text = answer["result"]["content"][0]["text"].as_str().unwrap_or_default().to_string();
            (text, answer["result"]["isError"].as_bool().unwrap_or(true))
        })
        .collect();
    assert_eq!(answers.len(), 6, "{said}");
    assert_eq!(answers[0], ("# How to tie knots\n".to_string(), false), "{said}");
    assert!(answers[1].0.contains("## Roadmap") && !answers[1].1, "{said}");
    assert!(!answers[2].1 && !answers[3].1 && answers[4].1 && !answers[5].1, "{said}");
    assert_eq!(items(&status(&place)), ["1.1 Completed", "1.2 Completed"], "{}", log(&place));
    assert_eq!(fs::read_to_string(place.path("docs/note.md")).unwrap(), "noted\n");
}

/// A server without an attempt, or with one that is over, says what is missing.
#[test]
fn a_server_for_nobody_says_so() {
    let place = place(ITEMS);
    let none = place.run(&["mcp"]);
    assert_eq!(none.code, 2, "{}", none.shown());
    assert!(none.stderr.contains("0 sessions are open"), "{}", none.shown());
    let gone = place.run(&["mcp", "--socket", "nowhere.sock"]);
    assert_eq!(gone.code, 1, "{}", gone.shown());
    let listed = place.run(&["mcp", "--list"]);
    assert!(listed.code == 0 && listed.json().len() == 6, "{}", listed.shown());
}
