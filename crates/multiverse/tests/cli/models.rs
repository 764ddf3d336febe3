//! Models as agents of whole runs: what they may do is asked of a person, and whatever a provider does wrong is told in
//! words, without a key in them, and changes nothing.

use std::fs;

use serde_json::{Value, json};

use crate::place::{Place, Ran};
use crate::scripted::{REQUEST, last, place, records, status};
use crate::served::{Served, calls, http, says};

/// What an executor does that wants to run a command for one task, and says what came of it.
fn curious(body: &Value, _: usize) -> Vec<u8> {
    let told = body["messages"].to_string();
    let mut answers = body["messages"].as_array().into_iter().flatten().filter(|message| message["role"] == "tool");
    match answers.next_back().and_then(|answer| answer["content"].as_str()) {
        Some(answer) => says(&format!("# What I saw\n\nThe command said: {answer}\n")),
        None if told.contains("list the figures of the sales") => {
            calls("run_shell_command", &json!({"command": "echo made; echo by hand > made"}))
        }
        None => says("# Some words\n\nNothing to run.\n"),
    }
}

const ASKING: &str = "[[grants]]\nrole = \"executor\"\nrule = \"ask\"\npattern = \"run_shell_command: echo *\"\n";
const QUESTION: &str = r#"May I use "run_shell_command: echo made; echo by hand > made"? Say yes, or no and why."#;

/// A project whose grants ask, and a run in it that waits with the question.
fn asked(served: &Served) -> (Place, String, Ran) {
    let place = place("");
    fs::write(place.path("multiverse.toml"), ASKING).unwrap();
    let agent = format!("executor={}", served.agent());
    let ran = place.run(&["run", REQUEST, "--yes", "--agent", "script:script.yaml", "--agent", &agent]);
    assert_eq!(ran.code, 3, "{}", ran.shown());
    let run = last(&place);
    (place, run, ran)
}

fn told(served: &Served) -> String {
    served.asked().last().map(|body| body["messages"].to_string()).unwrap_or_default()
}

/// QL-36, MV-28: what a rule asks about is a question in the inbox, with the command that answers it; the answer is a fact of
/// the run, the attempt is made again, and the call is made or is not. Each command here is a process of its own.
#[test]
fn a_person_is_asked_before_a_call_is_made() {
    let served = Served::with(curious);
    let (place, run, ran) = asked(&served);
    for part in [QUESTION, &format!("multiverse answer {run} ")] {
        assert!(ran.stderr.contains(part), "{part}: {}", ran.shown());
    }
    let inbox = place.run(&["inbox", "--json"]);
    let waiting = &inbox.json()[0]["waiting"];
    assert_eq!((&waiting["kind"], &waiting["run"]), (&json!("question"), &json!(run)));
    assert!(waiting["text"].as_str().unwrap().ends_with(QUESTION), "{waiting}");
    assert!(place.run(&["inbox"]).stdout.contains(QUESTION));
    // Whoever takes it up without an answer is asked again, and nothing was done meanwhile.
    assert_eq!(place.run(&["resume", &run]).code, 3);
    assert!(!served.asked().iter().any(|body| body["messages"].to_string().contains("\"role\":\"tool\"")));
    let answered = place.run(&["answer", &run, "yes"]);
    assert_eq!(answered.code, 0, "{}", answered.shown());
    assert_eq!(status(&place, &run), "COMPLETED");
    let facts = fs::read_to_string(place.path(format!("runs/{run}/workspace/ANALYZING/facts.md"))).unwrap();
    assert!(facts.contains("exit code 0") && facts.contains("made"), "{facts}");
    assert!(place.run(&["logs", &run]).stdout.contains("May I use"));
}

/// QL-36: a no is told to the model in the person's words, and the command is not run.
#[test]
fn a_call_that_a_person_does_not_want_is_not_made() {
    let served = Served::with(curious);
    let (place, run, _) = asked(&served);
    let answered = place.run(&["answer", &run, "no,", "not on a Friday"]);
    assert_eq!(answered.code, 0, "{}", answered.shown());
    let facts = fs::read_to_string(place.path(format!("runs/{run}/workspace/ANALYZING/facts.md"))).unwrap();
    assert!(facts.contains("a person was asked, and said: no, not on a Friday"), "{facts}");
    assert!(!facts.contains("exit code"), "{facts}");
}

/// A simple task has no inbox: it says what to do instead.
#[test]
fn a_simple_task_says_that_it_cannot_ask() {
    let served = Served::with(|_, _| calls("run_shell_command", &json!({"command": "echo x"})));
    let place = place("");
    fs::write(place.path("multiverse.toml"), ASKING).unwrap();
    let ran = place.run(&["do", "What does echo say?", "--agent", &served.agent()]);
    assert_eq!(ran.code, 1, "{}", ran.shown());
    assert!(ran.stderr.contains("May I use") && ran.stderr.contains("begin a run"), "{}", ran.shown());
}

const KEY: &str = "sk-open-sesame-0123456789";

/// Has one simple task done by a model that behaves so; gives what was said, with exit code 1, nothing changed and no key.
#[track_caller]
fn refused(reply: impl Fn(&Value, usize) -> Vec<u8> + Send + 'static) -> (String, usize) {
    let served = Served::with(reply);
    let place = place("");
    assert_eq!(place.run(&["init"]).code, 0);
    let before = records(&place);
    let settings = format!(
        "[models.bad]\nmodel = \"compatible/large@http://{}/v1\"\nkey = \"env:BAD_KEY\"\nmax_output_tokens = 200\n",
        served.address()
    );
    fs::write(place.path("multiverse.toml"), settings).unwrap();
    let mut command = place.command(&["do", "What do the sales add up to?", "--agent", "model:bad"]);
    let ran = Ran::of(command.env("BAD_KEY", KEY).env("MULTIVERSE_SECONDS", "60").output().unwrap());
    assert_eq!(ran.code, 1, "{}", ran.shown());
    assert!(!ran.shown().contains("sesame"), "{}", ran.shown());
    assert_eq!(records(&place), before, "{}", ran.shown());
    (ran.stderr, served.asked().len())
}

/// QL-32, QL-35: models and providers that misbehave, by the running program.
#[test]
fn whatever_a_provider_does_wrong_is_told() {
    let check = |reply: fn(&Value, usize) -> Vec<u8>, parts: &[&str]| {
        let (said, _) = refused(reply);
        for part in parts {
            assert!(said.contains(part), "{part}: {said}");
        }
    };
    check(|_, _| http(401, "", &json!({"error": {"message": format!("bad key {KEY}")}}).to_string()), &["401", "key"]);
    check(|_, _| http(429, "retry-after: 3600\r\n", "slow down"), &["not now", "429", "try again in 3600 s"]);
    check(|_, _| http(302, "location: http://elsewhere.example/v1\r\n", ""), &["elsewhere.example"]);
    check(|_, _| http(200, "content-type: application/json\r\n", &"x".repeat(10 << 20)), &["longer than", "its limit"]);
    check(
        |_, _| calls("list_directory", &json!({"path": "assets"})),
        &["the model makes the same call again and again: list_directory"],
    );
    check(|_, _| http(404, "", "no such model"), &["404"]);
    check(|_, _| says("{\"status\": \"failed\", \"error\": \"I cannot add\"}"), &["I cannot add"]);
}

/// QL-32: prose, half a report and another language come back with the exact problem, three times; then it is said.
#[test]
fn an_answer_that_is_no_report_is_sent_back_and_then_told() {
    for (text, problem) in [
        ("Sure! Let me think about it.", "JSON"),
        ("{\"status\": \"done\", \"outputs\": [", "/result: found null, expected object"),
        ("销售总额是七。", "JSON"),
    ] {
        let served = Served::with(move |_, _| says(text));
        let place = place("");
        let agent = format!("planner=model:compatible/large@http://{}/v1", served.address());
        let ran = place.run(&["run", REQUEST, "--yes", "--agent", "script:script.yaml", "--agent", &agent]);
        assert_eq!(ran.code, 4, "{text}: {}", ran.shown());
        assert!(ran.stderr.contains(problem), "{text}: {}", ran.shown());
        let asked = served.asked();
        assert!(asked[1]["messages"].to_string().contains("This cannot be taken"), "{text}");
        assert_eq!(status(&place, &last(&place)), "FAILED");
        assert_eq!(fs::read_dir(place.path("outputs")).map_or(0, Iterator::count), 0, "{text}");
    }
}

/// QL-32: a tool that does not exist and arguments of the wrong type are answered to the model, which goes on; a stream that
/// is cut, and a limit that is soon over, are tried again.
#[test]
fn what_can_be_mended_is_no_failure() {
    let served = Served::with(|_, before| match before {
        0 => calls("read_minds", &json!({"of": "ada"})),
        1 => calls("read_file", &json!({"absolute_path": 7})),
        2 => http(
            200,
            "content-type: text/event-stream\r\n",
            "data: {\"choices\": [{\"index\": 0, \"delta\": {\"content\": \"Sev",
        ),
        3 => http(429, "retry-after: 1\r\n", "slow down"),
        _ => says("Seven."),
    });
    let place = place("");
    let ran = place.run(&["do", "What do the sales add up to?", "--agent", &served.agent()]);
    assert_eq!((ran.code, ran.stdout.trim()), (0, "Seven."), "{}", ran.shown());
    let told = told(&served);
    assert!(told.contains("there is no tool `read_minds`; there are: "), "{told}");
    assert!(told.contains("the arguments of read_file are wrong"), "{told}");
    assert!(ran.stderr.contains("waiting until") || served.asked().len() == 5, "{}", ran.shown());
}

/// QL-32: agents that cannot be used are told before anything begins.
#[test]
fn an_agent_that_is_not_there_is_told_at_once() {
    let place = place("");
    assert_eq!(place.run(&["init"]).code, 0);
    let before = records(&place);
    for (agent, part) in [
        ("claude", "install it: "),
        ("codex:gpt", "install it: "),
        ("acp:no-such-agent", "no-such-agent"),
        ("command:./no-such-agent", "no-such-agent"),
        ("model:openai/gpt-5", "OPENAI_API_KEY is not set"),
        ("model:nobody/x", "valid: "),
        ("model:mine", "[models.mine]"),
    ] {
        let ran = place.run(&["run", REQUEST, "--yes", "--agent", agent]);
        assert!(ran.code == 1 || ran.code == 2, "{agent}: {}", ran.shown());
        assert!(ran.stderr.contains(part), "{agent}: {}", ran.shown());
        assert_eq!(records(&place), before, "{agent}");
    }
}

/// QL-32: MCP servers that are not there, end at once or talk nonsense are named, and the tools of others stay.
#[test]
fn a_server_that_cannot_be_used_is_named() {
    for (command, args) in [("no-such-server", "[]"), ("/bin/sh", "[\"-c\", \"echo hello; echo world; exit 3\"]")] {
        let served = Served::with(|_, _| says("Seven."));
        let place = place("");
        let settings = format!("[mcp.odd]\ncommand = \"{command}\"\nargs = {args}\n");
        fs::write(place.path("multiverse.toml"), settings).unwrap();
        let ran = place.run(&["do", "What do the sales add up to?", "--agent", &served.agent(), "-v"]);
        assert_eq!(ran.code, 0, "{command}: {}", ran.shown());
        assert!(ran.stderr.contains("the MCP server \"odd\" cannot be used: "), "{command}: {}", ran.shown());
        assert!(served.asked()[0]["tools"].to_string().contains("read_file"), "{command}");
    }
}

/// MV-31: AGENTS.md and skills are told to the models that play the roles which are to have them, and `doctor` lists them.
#[test]
fn what_the_project_keeps_for_agents_is_given_to_them() {
    let check = |settings: &str, is_given: bool| {
        let served = Served::with(|_, _| says("Some words.\n"));
        let place = place("");
        let skill = "---\nname: sums\ndescription: Adds up columns.\n---\nAdd them up.\n";
        for (path, text) in [
            ("AGENTS.md", "Write sums in euros."),
            ("assets/AGENTS.md", "These are of last year."),
            ("skills/sums/SKILL.md", skill),
            ("multiverse.toml", settings),
        ] {
            fs::create_dir_all(place.path(path).parent().unwrap()).unwrap();
            fs::write(place.path(path), text).unwrap();
        }
        let agent = format!("executor=model:compatible/large@http://{}/v1", served.address());
        place.run(&["run", REQUEST, "--yes", "--agent", "script:script.yaml", "--agent", &agent]);
        let system = served.asked()[0]["messages"][0]["content"].to_string();
        for part in ["Write sums in euros.", "These are of last year.", "sums: Adds up columns. (skills/sums/SKILL.md)"]
        {
            assert_eq!(system.contains(part), is_given, "{settings}: {part}: {system}");
        }
        let journal = fs::read_dir(place.path(".multiverse/journal")).unwrap().flatten();
        let given: String = journal.map(|file| fs::read_to_string(file.path()).unwrap_or_default()).collect();
        assert_eq!(given.contains("skills/sums/SKILL.md"), is_given, "{settings}");
        place.run(&["doctor"]).stdout
    };
    let told = check("", true);
    let line = "guidance for agents: AGENTS.md, assets/AGENTS.md, skill sums (skills/sums/SKILL.md); given to planner and executor";
    assert!(told.contains(line), "{told}");
    assert!(check("[guidance]\nroles = [\"planner\"]\n", false).contains("; given to planner\n"));
    check("[guidance]\nroles = []\n", false);
}

/// BY-19: what a model is asked and says is recorded, without its key.
#[test]
fn exchanges_with_a_model_are_recorded() {
    let served = Served::with(|body, before| match before {
        0 => http(401, "", &json!({"error": {"message": format!("bad key {KEY}")}}).to_string()),
        _ => curious(body, before),
    });
    let place = place("");
    let settings =
        format!("[models.m]\nmodel = \"compatible/small-1b@http://{}/v1\"\nkey = \"env:M_KEY\"\n", served.address());
    fs::write(place.path("multiverse.toml"), settings).unwrap();
    let arguments = ["run", REQUEST, "--yes", "--agent", "script:script.yaml", "--agent", "executor=model:m"];
    for _ in 0..2 {
        place.command(&arguments).env("M_KEY", KEY).output().unwrap();
    }
    let run = last(&place);
    let mut exchanges = String::new();
    for run in fs::read_dir(place.path(".multiverse/calls")).unwrap().flatten() {
        for file in fs::read_dir(run.path()).unwrap().flatten() {
            let text = fs::read_to_string(file.path()).unwrap();
            assert!(!text.contains("sesame"), "{}: {text}", file.path().display());
            if file.file_name().to_string_lossy().ends_with(".wire.jsonl") {
                exchanges.push_str(&text);
            }
        }
    }
    let lines = exchanges.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let lines: Vec<Value> = lines.filter(|line| line.get("url").is_some()).collect();
    assert_eq!(lines.len(), served.asked().len(), "{run}");
    assert!(lines.iter().any(|line| line["status"] == 401 && line["reply"].as_str().unwrap().contains("[hidden]")));
    let call = lines.iter().find(|line| line["reply"].as_str().unwrap().contains("run_shell_command")).unwrap();
    assert!(call["url"].as_str().unwrap().ends_with("/chat/completions"));
    assert_eq!(call["request"]["model"], "small-1b");
}

/// QL-35: the key in a provider's variable goes to the provider, or to an address that whoever runs the program named; never
/// to one that a project's file names, unless that says which key is meant; and never to a server that needs none.
#[test]
fn a_projects_file_sends_nobodys_key_elsewhere() {
    let check = |agent: &str, file: &str, variable: &str, is_sent: bool| {
        let served = Served::with(|_, _| http(401, "", "who are you?"));
        let at = |text: &str| text.replace("URL", &format!("http://{}/v1", served.address()));
        let place = place("");
        fs::write(place.path("multiverse.toml"), at(file)).unwrap();
        let mut command = place.command(&["do", "What do the sales add up to?"]);
        if !agent.is_empty() {
            command.args(["--agent", &at(agent)]);
        }
        if !variable.is_empty() {
            command.env("MULTIVERSE_AGENTS_DEFAULT", at(variable));
        }
        let ran = Ran::of(command.env("OPENAI_API_KEY", KEY).output().unwrap());
        assert_eq!(ran.code, 1, "{}", ran.shown());
        let expected = is_sent.then(|| format!("Bearer {KEY}"));
        assert!(!served.keys().is_empty(), "{}", ran.shown());
        assert!(served.keys().iter().all(|key| *key == expected), "{agent} {file}: {:?}", served.keys());
        let told = if is_sent { "the key was not accepted" } else { "no key was sent: [models.NAME] key = " };
        assert!(ran.stderr.contains(told) && !ran.shown().contains("sesame"), "{}", ran.shown());
    };
    let large = "model:openai/large@URL";
    check(large, "", "", true);
    check("", "", large, true);
    check("", "[agents]\ndefault = \"model:openai/large@URL\"\n", "", false);
    check("model:m", "[models.m]\nmodel = \"openai/large@URL\"\n", "", false);
    check("model:m", "[models.m]\nmodel = \"openai/large@URL\"\nkey = \"env:OPENAI_API_KEY\"\n", "", true);
    check("model:compatible/large@URL", "", "", false);
    check("model:ollama/large@URL", "", "", false);
}

/// MV-29: with a search service, a tool task of the type WebSearch leaves a report with its sources, without any model;
/// without one, no plan has it.
#[test]
fn the_web_is_searched_without_a_model() {
    let web = Served::with(|_, _| {
        // Both the search service and the page: whoever asks for JSON gets the list.
        http(
            200,
            "content-type: text/html\r\n",
            "<title>Boats</title><main><p>Forty boats were sold in Hamburg in the summer of 2025.</p></main>",
        )
    });
    let page = format!("http://{}/boats", web.address());
    let found = json!({"results": [{"title": "Boats", "url": page, "content": "boats"}]}).to_string();
    let engine = Served::with(move |_, _| http(200, "content-type: application/json\r\n", &found));
    let place = place("");
    let settings = format!(
        "[web]\nsearch = \"searxng\"\nbase_url = \"http://{}\"\nallow = [\"{}\"]\n",
        engine.address(),
        web.address()
    );
    fs::write(place.path("multiverse.toml"), settings).unwrap();
    let request = "Search the web for boats that were sold in Hamburg and make a report.";
    let ran = place.run(&["run", request, "--yes", "--agent", "offline"]);
    assert_eq!(ran.code, 0, "{}", ran.shown());
    let run = last(&place);
    let folder = place.path(format!("runs/{run}/workspace/ANALYZING"));
    let report = fs::read_dir(folder)
        .unwrap()
        .flatten()
        .find(|file| file.file_name().to_string_lossy().ends_with("_websearch.md"));
    let report = fs::read_to_string(report.unwrap().path()).unwrap();
    assert!(report.starts_with("# Web search: "), "{report}");
    for part in [
        "# Web search: boats that were sold in hamburg\n",
        "> Forty boats were sold in Hamburg in the summer of 2025.",
        "## Sources",
        &page,
    ] {
        assert!(report.contains(part), "{part}: {report}");
    }
    fs::remove_file(place.path("multiverse.toml")).unwrap();
    let ran = place.run(&["run", request, "--yes", "--agent", "offline"]);
    assert_eq!(ran.code, 0, "{}", ran.shown());
    assert!(!ran.stderr.contains("WebSearch"), "{}", ran.shown());
}

/// QL-30: a program reads outside the project what `[sandbox] read` names, and nothing else.
#[test]
fn programs_read_what_the_settings_open() {
    use std::os::unix::fs::PermissionsExt;
    let outside = Place::with(&[("open/word", b"sesame\n"), ("closed/word", b"sesame\n")]);
    let place = place("");
    let script = format!(
        "#!/bin/sh\nread -r word < {}/$1/word 2>/dev/null || word=closed\nprintf '{{\"status\":\"done\",\"summary\":\"%s\"}}' \"$word\"\n",
        outside.path("").display()
    );
    fs::write(place.path("agent.sh"), script).unwrap();
    fs::set_permissions(place.path("agent.sh"), fs::Permissions::from_mode(0o755)).unwrap();
    let settings = format!("[sandbox]\nread = [\"{}\"]\n", outside.path("open").display());
    fs::write(place.path("multiverse.toml"), settings).unwrap();
    for (folder, expected) in [("open", "sesame"), ("closed", "closed")] {
        let agent = format!("command:./agent.sh {folder}");
        let ran = place.run(&["do", "What is the word?", "--agent", &agent]);
        assert_eq!((ran.code, ran.stdout.trim()), (0, expected), "{folder}: {}", ran.shown());
    }
}
