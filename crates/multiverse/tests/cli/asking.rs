//! A person is asked, and the program is killed with SIGKILL meanwhile: before the question is written down, while it waits,
//! when the answer has just come, and while what was allowed is done. The question is asked again or its answer is taken, and
//! the run ends as one that nobody disturbed.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};

use crate::place::Place;
use crate::scripted::{REQUEST, last, place, status};
use crate::served::{Served, calls, says};

const ASKING: &str = "[[grants]]\nrole = \"executor\"\nrule = \"ask\"\npattern = \"run_shell_command\"\n";

/// Which program is to be killed, and at which request.
type Deadly = Arc<Mutex<Option<(u32, fn(&Value) -> bool)>>>;

/// What a tool answered last in a conversation.
fn answered(body: &Value) -> Option<&str> {
    let mut tools = body["messages"].as_array()?.iter().filter(|message| message["role"] == "tool");
    tools.next_back()?["content"].as_str()
}

/// A model that runs a command for one task, and says what came of it.
fn curious(body: &Value) -> Vec<u8> {
    match answered(body) {
        Some(answer) => {
            says(&format!("# What I saw\n\nThe command said: {}\n", answer.lines().next().unwrap_or_default()))
        }
        None if is_curious(body) => calls("run_shell_command", &json!({"command": "echo made"})),
        None => says("# Some words\n\nNothing to run.\n"),
    }
}

fn is_curious(body: &Value) -> bool {
    body["messages"].to_string().contains("list the figures of the sales")
}

fn served(deadly: &Deadly) -> Served {
    let deadly = deadly.clone();
    Served::with(move |body, _| {
        let mut deadly = deadly.lock().unwrap();
        if let Some((victim, is_now)) = *deadly
            && is_now(body)
        {
            *deadly = None;
            assert!(Command::new("kill").args(["-9", &victim.to_string()]).status().unwrap().success());
        }
        curious(body)
    })
}

fn spawned(place: &Place, arguments: &[&str]) -> Child {
    place.command(arguments).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Runs the program until a request comes at which it is killed.
#[track_caller]
fn killed_at(place: &Place, arguments: &[&str], deadly: &Deadly, is_now: fn(&Value) -> bool) {
    let mut held = deadly.lock().unwrap();
    let child = spawned(place, arguments);
    *held = Some((child.id(), is_now));
    drop(held);
    let ended = child.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), None, "{arguments:?}: {}", String::from_utf8_lossy(&ended.stderr));
}

fn questions(place: &Place) -> Vec<String> {
    let inbox = place.run(&["inbox", "--json"]).json();
    inbox.iter().filter_map(|one| one["waiting"]["text"].as_str().map(String::from)).collect()
}

/// What a run left, its name left out.
fn left(place: &Place, run: &str) -> BTreeMap<String, String> {
    let (mut found, mut open) = (BTreeMap::new(), vec![place.path(format!("runs/{run}")), place.path("outputs")]);
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap().flatten() {
            let path = entry.path();
            if path.is_dir() {
                open.push(path);
                continue;
            }
            let name = path.strip_prefix(place.path("")).unwrap().display().to_string().replace(run, "RUN");
            found.insert(name, fs::read_to_string(&path).unwrap().replace(run, "RUN"));
        }
    }
    found
}

/// QL-21, QL-36: killed before the question is written down, after the answer, and while the call is made.
#[test]
fn whoever_is_killed_while_asking_asks_again() {
    let deadly = Deadly::default();
    let served = served(&deadly);
    let place = place("");
    fs::write(place.path("multiverse.toml"), ASKING).unwrap();
    let agent = format!("executor={}", served.agent());
    let run = ["run", REQUEST, "--yes", "--agent", "script:script.yaml", "--agent", &agent];
    killed_at(&place, &run, &deadly, is_curious);
    let id = last(&place);
    assert_eq!(questions(&place), Vec::<String>::new(), "it was killed before it could ask");
    let asked = place.run(&["resume", &id]);
    assert_eq!(asked.code, 3, "{}", asked.shown());
    assert_eq!(questions(&place).len(), 1);
    assert!(!served.asked().iter().any(|body| answered(body).is_some()), "nothing was done before the answer");
    // The answer is written down; what it allows has not begun.
    killed_at(&place, &["answer", &id, "yes"], &deadly, is_curious);
    assert_eq!(questions(&place), Vec::<String>::new(), "the answer is taken");
    // The command was run, and the model was about to hear of it.
    killed_at(&place, &["resume", &id], &deadly, |body| answered(body).is_some());
    let done = place.run(&["resume", &id]);
    assert_eq!((done.code, status(&place, &id)), (0, "COMPLETED".into()), "{}", done.shown());
    let facts = fs::read_to_string(place.path(format!("runs/{id}/workspace/ANALYZING/facts.md"))).unwrap();
    assert_eq!(facts, "# What I saw\n\nThe command said: exit code 0\n");

    let told = place.run(&["logs", &id]).stdout;
    let count = |what: &str| told.lines().filter(|line| line.contains("question ") && line.contains(what)).count();
    assert_eq!(count(" answered ("), 1, "{told}");
}

/// Carries a run through kills at ever later moments, with a yes to every question; gives its id and how often it was killed.
fn through_kills(place: &Place, run: &[&str]) -> (String, usize) {
    let (mut time, mut killed) = (Duration::from_millis(2), 0);
    loop {
        let id = place
            .run(&["status", "--all", "--json"])
            .json()
            .first()
            .and_then(|one| Some(one["run"].as_str()?.to_string()));
        let words: Vec<&str> = match &id {
            None => run.to_vec(),
            Some(id) if !questions(place).is_empty() => vec!["answer", id, "yes"],
            Some(id) if status(place, id) == "COMPLETED" => return (id.clone(), killed),
            Some(id) => vec!["resume", id],
        };
        let mut child = spawned(place, &words);
        let (told, ended) = channel();
        let mut stderr = child.stderr.take().unwrap();
        let reader = std::thread::spawn(move || {
            let said = std::io::read_to_string(&mut stderr).unwrap_or_default();
            let _ = told.send(());
            said
        });
        if ended.recv_timeout(time).is_err() {
            child.kill().unwrap();
            killed += 1;
        }
        let status = child.wait().unwrap();
        let said = reader.join().unwrap();
        assert!(matches!(status.code(), None | Some(0 | 3 | 5)), "{words:?}: {status} {said}");
        time = time.mul_f32(1.4);
    }
}

/// QL-21, QL-36: killed again and again, at any moment, with a model that asks for a command.
#[test]
fn a_run_that_asks_survives_kills_at_any_moment() {
    let served = served(&Deadly::default());
    let agent = format!("executor={}", served.agent());
    survives(&["run", REQUEST, "--yes", "--agent", "script:script.yaml", "--agent", &agent], |_| {});
}

/// An agent that speaks the Agent Client Protocol, in as few words as can be: it asks whether it may run something, and
/// leaves a file that says what it was told.
const ACP: &str = r##"#!/bin/sh
say() { printf '{"jsonrpc":"2.0",%s}\n' "$1"; }
end() { say "\"id\":$prompt,\"result\":{\"stopReason\":\"$1\"}"; }
while IFS= read -r line; do
    id=$(printf '%s' "$line" | sed -n 's/.*"id":\("[^"]*"\|[0-9]*\).*/\1/p')
    case "$line" in
        *'"method":"initialize"'*) say "\"id\":$id,\"result\":{\"protocolVersion\":1,\"agentCapabilities\":{},\"authMethods\":[]}" ;;
        *'"method":"session/new"'*) say "\"id\":$id,\"result\":{\"sessionId\":\"s1\"}" ;;
        *'"method":"session/prompt"'*)
            prompt=$id
            say '"id":"p1","method":"session/request_permission","params":{"sessionId":"s1","toolCall":{"toolCallId":"t1","title":"count","kind":"execute","rawInput":{"command":"echo made"}},"options":[{"optionId":"once","name":"Yes","kind":"allow_once"},{"optionId":"no","name":"No","kind":"reject_once"}]}' ;;
        *'"method":"session/cancel"'*) end cancelled ;;
        *'"optionId":"once"'*)
            path=$(tr -d ' \n' < brief.json | sed -n 's/.*"outputs":\["\([^"]*\)".*/\1/p')
            echo "It may be done." > "$path"
            say '"method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"{\"status\":\"done\",\"summary\":\"made\"}"}}}'
            end end_turn ;;
        *'"result"'*) end end_turn ;;
    esac
done
"##;

/// QL-21, QL-36: the same with an agent over the Agent Client Protocol that asks for permission.
#[test]
fn a_run_whose_acp_agent_asks_survives_kills_at_any_moment() {
    let run = ["run", REQUEST, "--yes", "--agent", "script:script.yaml", "--agent", "executor=acp:./agent.sh"];
    survives(&run, |place| {
        fs::write(place.path("agent.sh"), ACP).unwrap();
        fs::set_permissions(place.path("agent.sh"), fs::Permissions::from_mode(0o755)).unwrap();
    });
}

/// Carries a run through kills and one without, and compares what they leave.
fn survives(run: &[&str], prepare: fn(&Place)) {
    let made = || {
        let place = place("");
        fs::write(place.path("multiverse.toml"), ASKING).unwrap();
        prepare(&place);
        place
    };
    let calm = made();
    let mut ran = calm.run(run);
    while ran.code == 3 {
        ran = calm.run(&["answer", &last(&calm), "yes"]);
    }
    assert_eq!(ran.code, 0, "{}", ran.shown());
    let disturbed = made();
    let (id, killed) = through_kills(&disturbed, run);
    assert!(killed > 3, "killed {killed} times");
    assert_eq!(left(&disturbed, &id), left(&calm, &last(&calm)));
    assert_eq!(questions(&disturbed), Vec::<String>::new());
}
