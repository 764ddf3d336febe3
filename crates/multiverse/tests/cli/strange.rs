//! Coding CLIs and MCP servers that misbehave, by the running program: what is wrong is told, nothing outside an attempt's
//! folder changes, and nothing waits for ever.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::json;

use crate::place::{Place, Ran};
use crate::scripted::{REQUEST, last, place, status};
use crate::served::{Served, http, says};

/// A CLI that writes the file it is asked for, whose name is its last word.
const WRITES: &str = "for last; do :; done; echo '# Some words' > \"$last\"; echo 'Tokens: 12 sent, 7 received.'";

/// A project, and in it a CLI that is a shell script; it is on the `PATH` of whoever works there.
fn with_cli(version: &str, script: &str) -> (Place, String) {
    let place = place("");
    fs::create_dir_all(place.path("bin")).unwrap();
    let text = format!("#!/bin/sh\n[ \"$1\" = --version ] && {{ echo aider {version}; exit; }}\n{script}\n");
    fs::write(place.path("bin/aider"), text).unwrap();
    fs::set_permissions(place.path("bin/aider"), fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:/usr/bin:/bin", place.path("bin").display());
    (place, path)
}

fn ran(version: &str, script: &str) -> (Place, Ran) {
    let (place, path) = with_cli(version, script);
    let words = ["run", REQUEST, "--yes", "--agent", "script:script.yaml", "--agent", "executor=aider:openai/mock"];
    let mut command = place.command(&words);
    let command = command.env("PATH", path).env("OPENAI_API_KEY", "sk-sesame").env("MULTIVERSE_SECONDS", "20");
    let ran = Ran::of(command.output().unwrap());
    assert!(!ran.shown().contains("sesame"), "QL-35: {}", ran.shown());
    (place, ran)
}

/// QL-32: one that is too old, asks for a login, or waits for somebody at a terminal.
#[test]
fn clis_that_cannot_work_are_named() {
    for (version, script, code, parts) in [
        ("0.1.0", WRITES, 4, ["0.1.0 is too old", "update it"]),
        (
            "0.86.2",
            "echo 'No LLM model was specified and no API keys were provided. Please log in' >&2; exit 1",
            4,
            ["aider", "exit code 1"],
        ),
        ("0.86.2", "echo 'Create a repository? (Y)es/(N)o'; exec sleep 1000", 4, ["aider", "did not end within"]),
    ] {
        let (place, ran) = ran(version, script);
        assert_eq!(ran.code, code, "{script}: {}", ran.shown());
        let logs = place.run(&["logs", "last", "-v"]).stdout;
        for part in parts {
            assert!(ran.stderr.contains(part) || logs.contains(part), "{script}: {part}: {}\n{logs}", ran.shown());
        }
    }
}

/// QL-30, QL-32: one that updates itself, or writes where it must not, does its work and changes nothing else.
#[test]
fn clis_that_write_elsewhere_change_nothing() {
    for mischief in [
        "echo 'Updating to 9.9.9 …'; echo '#!/bin/sh' > \"$0\"; rm -f \"$0\"; cp /bin/true \"$0.new\" && mv \"$0.new\" \"$0\"",
        "echo x > \"$MULTIVERSE_PROJECT/assets/sales.csv\"; echo x > \"$MULTIVERSE_PROJECT/outputs/x\"; echo x > /tmp/mv-strange-x",
        "ln -s \"$MULTIVERSE_PROJECT/assets/sales.csv\" link; echo x > link; rm -rf \"$MULTIVERSE_PROJECT/db\" \"$MULTIVERSE_PROJECT/bin\"",
    ] {
        let (place, ran) = ran("0.86.2", &format!("{mischief}\n{WRITES}"));
        assert_eq!((ran.code, status(&place, &last(&place))), (0, "COMPLETED".into()), "{mischief}: {}", ran.shown());
        assert!(fs::read_to_string(place.path("bin/aider")).unwrap().contains(mischief), "{mischief}");
        assert_eq!(fs::read_dir(place.path("bin")).unwrap().count(), 1, "{mischief}");
        assert_eq!(fs::read(place.path("assets/sales.csv")).unwrap(), b"month,units\nJan,3\nFeb,4\n", "{mischief}");
        assert!(place.path("db/process_runs.md").is_file() && !place.path("outputs/x").exists(), "{mischief}");
        assert!(!std::path::Path::new("/tmp/mv-strange-x").exists());
    }
}

/// A server that speaks MCP in a few lines of shell, and says of itself what `tools` says.
fn server(tools: &str) -> String {
    let script = r#"while IFS= read -r line; do
        id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
        case "$line" in
        *'"initialize"'*) echo "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{\"tools\":{}},\"serverInfo\":{\"name\":\"s\",\"version\":\"1\"}}}" ;;
        *'"tools/list"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"tools":[' "$id"; TOOLS; echo ']}}' ;;
        esac
    done"#;
    script.replace("TOOLS", tools)
}

/// QL-32, BY-17: servers with thousands of tools, with the name of one of ours, with talk before they answer, and one that
/// never greets.
#[test]
fn servers_that_overdo_it_are_bounded() {
    const TOOL: &str = r#"{"name":"%s","description":"d","inputSchema":{"type":"object"}}"#;
    let many =
        format!("i=0; while [ $i -lt 5000 ]; do [ $i -gt 0 ] && printf ,; printf '{TOOL}' t$i; i=$((i+1)); done");
    let same = format!("printf '{TOOL}' read_file");
    for (script, told, offered) in [
        (server(&many), "offers 5000 tools, of which 64 are shown", "mcp__odd__t0"),
        (server(&same), "", "mcp__odd__read_file"),
        (format!("echo 'Listening …'; echo '{{half'; echo '[1]'\n{}", server(&same)), "", "mcp__odd__read_file"),
        ("exec sleep 1000".to_string(), "the MCP server \"odd\" cannot be used: ", "read_file"),
    ] {
        let served = Served::with(|_, _| says("Seven."));
        let place = place("");
        fs::write(place.path("server.sh"), &script).unwrap();
        let file = json!({"mcpServers": {"odd": {"command": "/bin/sh", "args": [place.path("server.sh")], "read": [place.path("server.sh")]}}});
        fs::write(place.path(".mcp.json"), file.to_string()).unwrap();
        let ran = place.run(&["do", "What do the sales add up to?", "--agent", &served.agent(), "-v"]);
        assert_eq!(ran.code, 0, "{}", ran.shown());
        assert!(ran.stderr.contains(told), "{told}: {}", ran.shown());
        let names: Vec<String> = served.asked()[0]["tools"]
            .as_array()
            .unwrap()
            .iter()
            .map(|tool| tool["function"]["name"].as_str().unwrap().to_string())
            .collect();
        assert!(names.len() < 100 && names.iter().any(|name| name == offered), "{offered}: {names:?}");
        assert_eq!(names.iter().filter(|name| *name == "read_file").count(), 1, "ours is ours: {names:?}");
    }
}

/// QL-32, BY-09: a limit without a word of how long, and a server that is not there, are a rest: it can be stopped and goes on.
#[test]
fn no_network_and_a_limit_are_a_rest() {
    let served = Served::with(|_, before| if before < 2 { http(429, "", "slow down") } else { says("Seven.") });
    let place = place("");
    let ran = place.run(&["do", "What do the sales add up to?", "--agent", &served.agent()]);
    assert_eq!((ran.code, ran.stdout.trim()), (0, "Seven."), "{}", ran.shown());
    let nobody = { std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap() };
    let agent = format!("model:compatible/small-1b@http://{nobody}/v1");
    let ran = place.run(&["do", "What do the sales add up to?", "--agent", &agent]);
    assert_eq!(ran.code, 1, "{}", ran.shown());
    assert!(ran.stderr.contains(&format!("cannot reach http://{nobody}/v1")), "{}", ran.shown());
}

/// BY-08: whoever is ended because the time of its run is used up has not failed the run: a person is asked, and may give more.
#[test]
fn time_that_is_used_up_is_a_question() {
    let place = place("");
    let write = |script: &str| {
        fs::write(place.path("agent.sh"), format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(place.path("agent.sh"), fs::Permissions::from_mode(0o755)).unwrap();
    };
    write("exec sleep 1000");
    let executor = "executor=command:./agent.sh";
    let ran =
        place.run(&["run", REQUEST, "--yes", "--agent", "script:script.yaml", "--agent", executor, "--budget", "2s"]);
    assert_eq!(ran.code, 3, "{}", ran.shown());
    // How long it takes to end an agent is the machine's business.
    let told = ran.stderr.split("the budget of 2 s is used up: ").nth(1).unwrap_or_default();
    let used: Option<u64> = told.split(" s used").next().and_then(|used| used.parse().ok());
    assert!(used.is_some_and(|used| used >= 2), "{}", ran.shown());
    let run = last(&place);
    assert_eq!(status(&place, &run), "PENDING");
    write(
        r##"path=$(tr -d ' \n' < brief.json | sed -n 's/.*"outputs":\["\([^"]*\)".*/\1/p'); echo '# Made' > "$path"
        echo '{"status":"done","summary":"made"}'"##,
    );
    let ran = place.run(&["answer", &run, "10"]);
    assert_eq!((ran.code, status(&place, &run)), (0, "COMPLETED".into()), "{}", ran.shown());
}
