//! Projects of somebody else: what their files name is used when the user has said so. Somebody at a terminal is asked; where
//! nobody is, it is used and told, unless a variable says what is trusted, or a key would go to an address that only
//! the project names (QL-30, QL-35, QL-36).

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use crate::place::{Place, Ran};
use crate::pty::Terminal;
use crate::scripted::{REQUEST, last, place, records};
use crate::served::{Served, http, says};

const DO: [&str; 2] = ["do", "What do the sales add up to?"];

/// The program for a user who has a home, and trusts nothing but what was trusted before.
fn command(place: &Place, home: &Place, arguments: &[&str]) -> Command {
    let mut command = place.command(arguments);
    command.env("MULTIVERSE_TRUST", "").env("HOME", home.path(""));
    command
}

/// The same for a user who has said nothing of trust at all.
fn unsaid(place: &Place, home: &Place, arguments: &[&str]) -> Command {
    let mut command = command(place, home, arguments);
    command.env_remove("MULTIVERSE_TRUST");
    command
}

fn run(place: &Place, home: &Place, arguments: &[&str]) -> Ran {
    Ran::of(command(place, home, arguments).output().unwrap())
}

fn home() -> Place {
    Place::with(&[])
}

fn settings(place: &Place, text: &str) {
    fs::write(place.path("multiverse.toml"), text).unwrap();
}

/// A program that leaves a trace when it is started.
fn traced(place: &Place, name: &str, script: &str) {
    fs::write(place.path(name), format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(place.path(name), fs::Permissions::from_mode(0o755)).unwrap();
}

#[track_caller]
fn refused(ran: &Ran, parts: &[&str]) {
    assert_eq!(ran.code, 1, "{}", ran.shown());
    for part in parts {
        assert!(ran.stderr.contains(part), "{part}: {}", ran.shown());
    }
}

/// Where nobody can be asked and nothing was said, a file is used as it stands, and one line tells what it names; a key
/// alone does not go to an address that only the file names.
#[test]
fn without_a_terminal_it_is_used_and_told() {
    let (place, home) = (place(""), home());
    traced(&place, "agent", "echo '{\"status\":\"done\",\"summary\":\"It is made.\"}'");
    settings(&place, "[agents]\ndefault = \"command:./agent\"\n");
    let run = |arguments: &[&str]| Ran::of(unsaid(&place, &home, arguments).output().unwrap());
    let ran = run(&DO);
    assert_eq!((ran.code, ran.stdout.trim()), (0, "It is made."), "{}", ran.shown());
    assert!(ran.stderr.contains("used as it stands: agents.default; `multiverse config trust`"), "{}", ran.shown());
    assert_eq!(run(&["config", "trust"]).code, 0);
    assert!(!run(&DO).stderr.contains("used as it stands"), "what is trusted is not told of");

    let model = |address: &str| format!("[models.m]\nmodel = \"compatible/x@{address}\"\nkey = \"file:key\"\n");
    let agent = "[agents]\ndefault = \"command:./agent\"\n";
    settings(&place, &format!("{}{agent}", model("http://localhost:9/v1")));
    assert_eq!(run(&DO).code, 0, "this machine may have a key");
    settings(&place, &format!("{}{agent}", model("https://models.example.org/v1")));
    refused(&run(&DO), &["models.m.key", "multiverse config trust"]);
}

/// Where a variable says what is trusted it is refused, with the command that trusts it; then it is used, until what it
/// names changes.
#[test]
fn a_foreign_file_is_used_when_it_is_trusted() {
    let (place, home) = (place(""), home());
    let served = Served::with(|_, _| says("Seven."));
    traced(&place, "key.sh", "touch \"$(dirname \"$0\")/fetched\"; echo k");
    let text = |more: &str| {
        let model = format!("[models.m]\nmodel = \"compatible/small-1b@http://{}/v1\"\n", served.address());
        format!("{more}{model}key = \"cmd:./key.sh\"\n[agents]\ndefault = \"model:m\"\n")
    };
    settings(&place, &text(""));
    let ran = run(&place, &home, &DO);
    refused(&ran, &["multiverse.toml reaches beyond the project", "models.m.key", "multiverse config trust"]);
    assert!(ran.stderr.contains("agents.default = \"model:m\"    (multiverse.toml:5:11)"), "{}", ran.shown());
    let json = run(&place, &home, &[&DO[..], &["--json"]].concat());
    assert_eq!(json.json()[0]["error"]["kind"], "untrusted", "{}", json.shown());
    let told = run(&place, &home, &["doctor"]).stdout;
    assert!(told.contains("multiverse.toml is not trusted yet"), "{told}");
    assert!(!place.path("fetched").exists() && served.asked().is_empty(), "nothing was touched");
    assert!(!place.path(".multiverse").exists(), "and nothing was begun");

    let trusted = run(&place, &home, &["config", "trust"]);
    assert!(trusted.code == 0 && trusted.stdout.contains("models.m.key = \"cmd:./key.sh\""), "{}", trusted.shown());
    let ran = run(&place, &home, &DO);
    assert_eq!((ran.code, ran.stdout.trim()), (0, "Seven."), "{}", ran.shown());
    settings(&place, &text("jobs = 2\n"));
    assert_eq!(run(&place, &home, &DO).code, 0, "what reaches nowhere may change");
    settings(&place, &text("").replace("key.sh", "key.sh other"));
    refused(&run(&place, &home, &DO), &["key.sh other"]);
    settings(&place, &text(""));
    assert_eq!(run(&place, &home, &DO).code, 0, "as it was trusted");
    refused(&run(&place, &Place::with(&[]), &DO), &["models.m.key"]);
    assert_eq!(run(&place, &home, &["config", "trust", "--forget"]).code, 0);
    refused(&run(&place, &home, &DO), &["models.m.key"]);
}

/// It counts for one folder: the same file elsewhere may name another program.
#[test]
fn trust_is_for_one_folder() {
    let (one, other, home) = (place(""), place(""), home());
    for place in [&one, &other] {
        traced(place, "agent", "echo '{\"status\":\"done\",\"summary\":\"made\"}'");
        settings(place, "[agents]\ndefault = \"command:./agent\"\n");
    }
    let trusted = run(&one, &home, &["config", "trust", "--json"]);
    assert_eq!(run(&one, &home, &DO).code, 0);
    refused(&run(&other, &home, &DO), &["command:./agent"]);
    // Whoever has no home can name the digest.
    let digest = trusted.json()[0]["trusted"]["digest"].as_str().unwrap().to_string();
    let mut command = other.command(&DO);
    let ran = Ran::of(command.env("MULTIVERSE_TRUST", format!("0000, {digest}")).output().unwrap());
    assert_eq!(ran.code, 0, "{}", ran.shown());
    refused(&Ran::of(other.command(&DO).env("MULTIVERSE_TRUST", "0000").output().unwrap()), &["command:./agent"]);
    let homeless = Ran::of(other.command(&["config", "trust"]).env_remove("MULTIVERSE_TRUST").output().unwrap());
    refused(&homeless, &["neither XDG_STATE_HOME nor HOME is set", "MULTIVERSE_TRUST"]);
}

/// Which settings reach beyond a project, and which do not.
#[test]
fn only_what_reaches_beyond_the_project_is_asked_about() {
    let home = home();
    let check = |text: &str, reaching: &[&str]| {
        let place = place("");
        settings(&place, text);
        let ran = run(&place, &home, &[&DO[..], &["--agent", "script:script.yaml"]].concat());
        let is_refused = ran.stderr.contains("you have not said that you trust it");
        assert_eq!(is_refused, !reaching.is_empty(), "{text}: {}", ran.shown());
        for name in reaching {
            assert!(ran.stderr.contains(name), "{text}: {}", ran.shown());
        }
    };
    check("[agents]\nplanner = \"codex\"\n", &["agents.planner"]);
    check("[agents]\nplanner = \"auto\"\n", &["agents.planner"]);
    check("[agents]\nplanner = \"model:ollama/x\"\n", &["agents.planner"]);
    check("[models.m]\nmodel = \"openai/x@https://example.org/v1\"\n", &["models.m.model"]);
    check("[checks.t]\ncommand = \"make\"\n", &["checks.t.command"]);
    check("[cycle]\npull_request = \"gh pr create\"\n", &["cycle.pull_request"]);
    check("[sandbox]\nread = [\"/home\"]\nnetwork = true\n", &["sandbox.read", "sandbox.network"]);
    check(
        "[web]\nsearch = \"brave\"\nkey = \"env:K\"\nallow = [\"localhost\"]\n",
        &["web.search", "web.key", "web.allow"],
    );
    check("[notify]\ncommand = \"cat\"\nurl = \"https://example.org\"\n", &["notify.command", "notify.url"]);
    check("[mcp.s]\ncommand = \"server\"\nenv = { A = \"$HOME\" }\n", &["mcp.s.command", "mcp.s.env"]);
    check("[[grants]]\nrule = \"allow\"\npattern = \"run_shell_command\"\n", &["grants.0.pattern"]);
    check("[[grants]]\nrule = \"deny\"\npattern = \"web_fetch\"\n[[grants]]\nrule = \"ask\"\npattern = \"*\"\n", &[]);
    check("jobs = 3\nseconds = 9\n[budget]\ntokens = 9\n[learning]\nmost = 1\n[sandbox]\nmemory_mb = 64\n", &[]);
    check("[agents]\ndefault = \"offline\"\nexecutor = \"person\"\nplanner = \"script:script.yaml\"\n", &[]);
}

/// Rules hold together: one that is taken away makes the others mean more.
#[test]
fn a_rule_that_is_gone_is_a_change() {
    let (place, home) = (place(""), home());
    let ask = "[[grants]]\nrule = \"ask\"\npattern = \"run_shell_command: rm *\"\n";
    let allow = "[[grants]]\nrule = \"allow\"\npattern = \"run_shell_command\"\n";
    let words = ["run", REQUEST, "--agent", "script:script.yaml"];
    settings(&place, &format!("{ask}{allow}"));
    assert_eq!(run(&place, &home, &["config", "trust"]).code, 0);
    assert_eq!(run(&place, &home, &words).code, 3);
    settings(&place, allow);
    refused(&run(&place, &home, &words), &["grants.0.rule"]);
}

/// Servers of `.mcp.json` are asked about where they would be used: other programs have that file, too.
#[test]
fn servers_are_asked_about_where_a_model_works() {
    let (place, home) = (place(""), home());
    let served = Served::with(|_, _| says("Seven."));
    traced(&place, "server.sh", "touch \"$(dirname \"$0\")/started\"");
    let file = r#"{"mcpServers": {"odd": {"command": "./server.sh", "args": ["--all"]}}}"#;
    fs::write(place.path(".mcp.json"), file).unwrap();
    assert_eq!(run(&place, &home, &[&DO[..], &["--agent", "offline"]].concat()).code, 0);
    let agent = served.agent();
    let words = [&DO[..], &["--agent", &agent]].concat();
    refused(&run(&place, &home, &words), &[".mcp.json reaches beyond the project", "odd = ./server.sh --all"]);
    assert!(served.asked().is_empty() && !place.path("started").exists());
    assert_eq!(run(&place, &home, &["config", "trust"]).code, 0);
    assert_eq!(run(&place, &home, &words).code, 0);
}

/// At a terminal the user is asked, once.
#[test]
fn at_a_terminal_it_is_asked() {
    let (place, home) = (place(""), home());
    traced(
        &place,
        "agent",
        "touch \"$MULTIVERSE_PROJECT/started\"; echo '{\"status\":\"done\",\"summary\":\"It is made.\"}'",
    );
    settings(&place, "[agents]\ndefault = \"command:./agent\"\n");
    let begin = || Terminal::of(&unsaid(&place, &home, &DO), "xterm-256color", 100, 30);
    for (typed, code, shown) in
        [("n\r", 1, "you have not said that you trust it"), ("\r", 1, "not said"), ("y\r", 0, "It is made.")]
    {
        let terminal = begin();
        let asked = terminal.until_shown("Do you trust it?");
        assert!(asked.contains("agents.default = \"command:./agent\""), "{asked}");
        terminal.types(typed);
        let (ended, screen) = terminal.end();
        assert_eq!(ended, code, "{}", screen.text());
        assert!(screen.text().contains(shown), "{shown}: {}", screen.text());
    }
    let (code, screen) = begin().end();
    assert_eq!(code, 0, "{}", screen.text());
    assert!(!screen.text().contains("Do you trust it?"), "{}", screen.text());
}

/// QL-35: a project that was sent with a run in it keeps agents that somebody else named, and no key goes to their address.
#[test]
fn a_run_that_came_along_brings_no_agents() {
    let (theirs, mine, thief) = (place(""), Place::with(&[]), Served::with(|_, _| http(401, "", "thanks")));
    let agent = format!("executor=model:openai/large@http://{}/v1", thief.address());
    let began = ["run", REQUEST, "--agent", "script:script.yaml", "--agent", &agent];
    assert_eq!(run(&theirs, &home(), &began).code, 3);
    let id = last(&theirs);
    let sent = Command::new("cp").arg("-a").arg(theirs.path(".")).arg(mine.path("")).status().unwrap();
    assert!(sent.success());
    let (home, before) = (home(), records(&mine));
    let confirm = |arguments: &[&str]| {
        let mut command = unsaid(&mine, &home, arguments);
        Ran::of(command.env("OPENAI_API_KEY", "sk-sesame").output().unwrap())
    };
    let ran = confirm(&["confirm", &id]);
    refused(&ran, &["agents that you have not named here: executor=model:openai/large@http://", "--agent"]);
    assert_eq!((records(&mine), thief.asked().len()), (before, 0), "{}", ran.shown());
    let ran = confirm(&["confirm", &id, "--agent", "script:script.yaml"]);
    assert_eq!((ran.code, thief.asked().len()), (0, 0), "{}", ran.shown());
}

/// Whoever named an agent goes on with it, in the folder where it was named.
#[test]
fn a_run_of_ones_own_goes_on_with_its_agents() {
    let (place, home) = (place(""), home());
    traced(
        &place,
        "agent",
        r##"path=$(tr -d ' \n' < brief.json | sed -n 's/.*"outputs":\["\([^"]*\)".*/\1/p'); echo '# Made' > "$path"
        echo '{"status":"done","summary":"made"}'"##,
    );
    let began =
        run(&place, &home, &["run", REQUEST, "--agent", "script:script.yaml", "--agent", "executor=command:./agent"]);
    assert_eq!(began.code, 3, "{}", began.shown());
    let ran = run(&place, &home, &["confirm", "last"]);
    assert_eq!(ran.code, 0, "{}", ran.shown());
    assert!(ran.stderr.contains("with the agents it began with"), "{}", ran.shown());
}

/// RM-01: the task of a roadmap may name who works; somebody else's task names nobody without a word of the user's.
#[test]
fn a_task_that_names_an_agent_is_asked_about() {
    let task =
        "---\nname: harbour\nagents: [\"command:./agent\"]\n---\n\n# The harbour\n\n- Copy data/a.md to docs/a.md\n";
    let place = Place::with(&[(".jixo/harbour.task.md", task.as_bytes()), ("data/a.md", b"# A\n")]);
    let home = home();
    traced(&place, "agent", "touch \"$MULTIVERSE_PROJECT/started\"");
    let words = ["run", "--protocol", "roadmap"];
    refused(&run(&place, &home, &words), &["command:./agent", "config trust AGENT"]);
    assert!(!place.path("started").exists() && !place.path(".jixo/harbour.log.md").exists(), "nothing was begun");
    assert_eq!(run(&place, &home, &["config", "trust", "command:./agent"]).code, 0);
    let ran = run(&place, &home, &words);
    assert!(!ran.stderr.contains("have not named"), "{}", ran.shown());
}
