//! `run --replay`: a run that was recorded is carried out again, without its agents, their keys and their network.

use std::collections::BTreeMap;
use std::fs;

use serde_json::{Value, json};

use crate::place::{Place, Ran};
use crate::scripted::{REQUEST, last, place, status};
use crate::served::{Served, calls, says};

const KEY: &str = "sk-open-sesame-0123456789";
const ALLOWED: &str = "[[grants]]\nrole = \"executor\"\nrule = \"allow\"\npattern = \"*\"\n";

/// What an executor does that runs a command for each task, and repeats what it was told, with its own key.
fn busy(body: &Value, _: usize) -> Vec<u8> {
    let mut answers = body["messages"].as_array().into_iter().flatten().filter(|message| message["role"] == "tool");
    match answers.next_back().and_then(|answer| answer["content"].as_str()) {
        Some(answer) => says(&format!("# What I saw\n\nThe command said: {answer}\nMy key is {KEY}.\n")),
        None => calls("run_shell_command", &json!({"command": "date +%N"})),
    }
}

/// A run by a script and a model that is over, and its id. Its server is gone.
fn recorded() -> (Place, String) {
    let served = Served::with(busy);
    let place = place("");
    let model =
        format!("[models.m]\nmodel = \"compatible/small-1b@http://{}/v1\"\nkey = \"env:M_KEY\"\n", served.address());
    fs::write(place.path("multiverse.toml"), format!("{model}{ALLOWED}")).unwrap();
    let arguments = ["run", REQUEST, "--yes", "--agent", "script:script.yaml", "--agent", "executor=model:m"];
    let ran = Ran::of(place.command(&arguments).env("M_KEY", KEY).output().unwrap());
    assert_eq!(ran.code, 0, "{}", ran.shown());
    let run = last(&place);
    (place, run)
}

/// What a run left, its name left out.
fn left(place: &Place, run: &str) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut open = vec![place.path(format!("runs/{run}")), place.path(format!("outputs/{run}"))];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap().flatten() {
            if entry.file_type().unwrap().is_dir() {
                open.push(entry.path());
                continue;
            }
            let name = entry.path().display().to_string().replace(run, "RUN");
            let content = String::from_utf8(fs::read(entry.path()).unwrap()).unwrap();
            found.insert(name, content.replace(run, "RUN").into_bytes());
        }
    }
    found
}

/// BY-19, QL-35: without a key and without its server a run leaves the same, byte for byte; a key is nowhere.
#[test]
fn a_run_is_replayed_without_its_model() {
    let (place, run) = recorded();
    let ran = place.run(&["run", "--replay", &run]);
    assert_eq!(ran.code, 0, "{}", ran.shown());
    assert!(ran.stderr.contains("agents would have been told the same"), "{}", ran.shown());
    let again = last(&place);
    assert_eq!(status(&place, &again), "COMPLETED");
    let first = left(&place, &run);
    assert!(first.len() > 5, "{:?}", first.keys());
    assert_eq!(first, left(&place, &again));
    let found = std::process::Command::new("grep").args(["-rl", "sesame"]).arg(place.path("")).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&found.stdout), "", "nobody has written down a key");
}

/// BY-19: words that have changed since are told by the request that would be another, as the provider would see it.
#[test]
fn a_changed_prompt_is_told() {
    let (place, run) = recorded();
    fs::create_dir_all(place.path("prompts")).unwrap();
    let words = "You write poems.\n---\n{{#if simple}}\nShort ones.\n{{/if}}\n{{request}}\n";
    fs::write(place.path("prompts/executor.execute.md"), words).unwrap();
    let ran = place.run(&["run", "--replay", &run]);
    assert_eq!(ran.code, 0, "{}", ran.shown());
    let told = "other than recorded: T05: request 1, messages.0.content: \"You write poems.";
    assert!(ran.stderr.contains(told), "{}", ran.shown());
    let strict = place.run(&["run", "--replay", &run, "--replay-strict"]);
    assert_eq!(strict.code, 4, "{}", strict.shown());
}

/// BY-19: a run of a protocol that cannot be begun again on the ground of then is refused, and nothing begins in its place.
#[test]
fn a_run_of_another_machine_is_refused() {
    let place = crate::cycles::repository();
    assert_eq!(crate::cycles::begin(&place).code, 3);
    let before = crate::scripted::records(&place);
    let ran = place.run(&["run", "--replay", "last"]);
    assert_eq!(ran.code, 1, "{}", ran.shown());
    assert!(ran.stderr.contains("is a run of cycle, which cannot be replayed"), "{}", ran.shown());
    assert_eq!(crate::scripted::records(&place), before);
}
