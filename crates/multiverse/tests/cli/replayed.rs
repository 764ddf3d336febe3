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

/// BY-19: the instructions that a run replaced count as that run found them, however often it is carried out again.
#[test]
fn a_run_that_replaced_instructions_is_replayed() {
    let place = place("");
    fs::create_dir_all(place.path("assets")).unwrap();
    fs::write(
        place.path("assets/yards.md"),
        "# Yards\n\nThe yard of Brekka has 40 workers. It built 12 boats in 2024.\n",
    )
    .unwrap();
    for words in ["in German, as Markdown", "in English, as HTML"] {
        let request = format!("Write a report about the yards {words}.");
        let ran = place.run(&["run", &request, "--yes", "--agent", "offline"]);
        assert_eq!(ran.code, 0, "{}", ran.shown());
    }
    let run = last(&place);
    let replaced = || fs::read_to_string(place.path("db/user_instructions.md")).unwrap();
    let by_it = format!("| SUPERSEDED | I-{run}-");
    let count = replaced().matches(&by_it).count();
    assert!(count > 0, "{}", replaced());
    for _ in 0..2 {
        let ran = place.run(&["run", "--replay", &run, "--replay-strict"]);
        assert_eq!(ran.code, 0, "{}", ran.shown());
        assert!(ran.stderr.contains("agents would have been told the same"), "{}", ran.shown());
        assert_eq!(replaced().matches(&by_it).count(), count, "{}", replaced());
    }
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

/// A run of a machine of its own, carried out again step by step: nothing begins, nothing is changed, nobody is asked.
fn again(place: &Place, arguments: &[&str]) -> Ran {
    let before = crate::scripted::records(place);
    let ran = place.run(&[&["run", "--replay", "last"], arguments].concat());
    assert_eq!(crate::scripted::records(place), before, "{}", ran.shown());
    ran
}

fn check_same(place: &Place, briefs: usize) {
    let ran = again(place, &["--replay-strict"]);
    assert_eq!(ran.code, 0, "{}", ran.shown());
    assert!(ran.stderr.contains("agents would have been told the same"), "{}", ran.shown());
    let decided = ran.stderr.lines().find(|line| line.contains("decided again, ")).unwrap_or_default();
    assert!(!decided.starts_with("0 steps"), "{}", ran.shown());
    let made = format!("{briefs} brief");
    assert!(decided.contains(&made), "{made}: {decided}");
}

/// What is kept of what came of an attempt, the first that has these words; other words in their place.
fn falsify(place: &Place, words: &str, others: &str) {
    let mut open = vec![place.path(".multiverse/calls")];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap().flatten() {
            if entry.file_type().unwrap().is_dir() {
                open.push(entry.path());
                continue;
            }
            let text = fs::read_to_string(entry.path()).unwrap_or_default();
            if entry.path().extension().is_some_and(|one| one == "came") && text.contains(words) {
                fs::write(entry.path(), text.replacen(words, others, 1)).unwrap();
                return;
            }
        }
    }
    panic!("nothing is kept with {words}");
}

/// BY-19: a goal in loops, from its beginning to the archive: every step is decided again as it was, with its record byte for
/// byte, though its files were changed and merged since. What somebody would be told otherwise is told.
#[test]
fn a_cycle_is_carried_out_again() {
    let place = crate::cycles::repository();
    assert_eq!(crate::cycles::begin(&place).code, 3);
    check_same(&place, 6);
    for words in ["APPROVED", "MERGE_APPROVED", "DELETE_APPROVED"] {
        crate::cycles::answer(&place, words);
    }
    check_same(&place, 9);
    let told = again(&place, &["--json"]).json().into_iter().find_map(|line| line.get("replayed").cloned()).unwrap();
    assert_eq!((&told["briefs"], &told["differences"]), (&json!(9), &json!([])), "{told:#}");
    fs::write(place.path("multiverse.toml"), "[cycle]\nlines = 7\n").unwrap();
    let ran = again(&place, &[]);
    assert_eq!(ran.code, 0, "{}", ran.shown());
    assert!(
        ran.stderr.contains("other than recorded: 1:1:1: brief context.limits.lines: 7, recorded"),
        "{}",
        ran.shown()
    );
    assert_eq!(again(&place, &["--replay-strict"]).code, 4);
    fs::remove_file(place.path("multiverse.toml")).unwrap();
    falsify(&place, "PASS", "FAIL");
    let ran = again(&place, &[]);
    assert!(ran.stderr.contains("other than recorded: record "), "{}", ran.shown());
}

/// BY-19: a roadmap with several executors at once.
#[test]
fn a_roadmap_is_carried_out_again() {
    let place = crate::roadmaps::place(crate::roadmaps::TASK);
    let ran = crate::roadmaps::run(&place, &["--jobs", "3"]);
    assert_eq!(ran.code, 0, "{}", ran.shown());
    check_same(&place, 5);
    // Where it was copied to, it is the same.
    let copy = Place::with(&[]);
    let copied = std::process::Command::new("cp").arg("-a").arg(place.path(".")).arg(copy.path("")).status().unwrap();
    assert!(copied.success());
    check_same(&copy, 5);
    fs::write(place.path("multiverse.toml"), "seconds = 77\n").unwrap();
    let ran = again(&place, &[]);
    assert!(ran.stderr.contains("brief limits.seconds: 77, recorded 1800"), "{}", ran.shown());
}

/// BY-19: a workflow that code plays, and one in which an agent has a role; gates are people's words, and taken as they were.
#[test]
fn a_workflow_is_carried_out_again() {
    let idea = b"# A parser\n\nowner: ada\n\n## Acceptance criteria\n\n- No byte is lost\n";
    let path = "agent_runtime/artifacts/a_parser/01_requirements.md";
    let report = json!({"status": "done", "summary": "written", "result": {},
        "outputs": [{"path": path, "content": "# Requirements\n\nIt reads.\n"}]});
    let script = json!([{"role": "business_analyst", "report": report}]).to_string();
    for (agents, briefs) in [(&[][..], 0), (&["--agent", "business_analyst=script:script.json"][..], 4)] {
        let place = Place::with(&[("ideas/parser.md", idea), ("script.json", script.as_bytes())]);
        assert_eq!(place.run(&["init", "--protocol", "profile"]).code, 0);
        let ran = place.run(&[&["run", "--profile", "default_fallback_profile"], agents].concat());
        assert_eq!(ran.code, 3, "{}", ran.shown());
        if briefs == 0 {
            assert_eq!(place.run(&["gate", "approve", "RELEASE_APPROVAL"]).code, 0);
        }
        check_same(&place, briefs);
    }
}

/// BY-19, BY-08: a run that was bounded and had its own time for an attempt is carried out within the same bounds, and they
/// are raised as they were then.
#[test]
fn bounds_of_a_run_are_kept() {
    let used = r#"
- {action: execute, item: T05, report: {status: done, summary: "did {item}", usage: {input_tokens: 50, output_tokens: 5}, outputs: [{path: "{output}", content: "Words.\n"}]}}
"#;
    let place = place(used);
    fs::write(place.path("multiverse.toml"), "seconds = 700\n").unwrap();
    let ran = crate::scripted::scripted(&place, &["run", REQUEST, "--yes", "--budget", "50", "--budget", "60m"]);
    assert_eq!(ran.code, 3, "{}", ran.shown());
    let ran = crate::scripted::scripted(&place, &["answer", "last", "90k"]);
    assert_eq!(ran.code, 0, "{}", ran.shown());
    let ran = place.run(&["run", "--replay", "last", "--replay-strict"]);
    assert_eq!(ran.code, 0, "{}", ran.shown());
    assert!(ran.stderr.contains("agents would have been told the same"), "{}", ran.shown());
}

/// BY-19, QL-21: an attempt that ended with its process was not recorded; that it is not made again is no difference. Whoever
/// took the run up was told of the same tools as before.
#[test]
fn what_was_lost_is_no_difference() {
    let place = place("- {action: execute, item: T05, attempt: 1, delay_ms: 600000, report: {status: done}}\n");
    let arguments = ["run", REQUEST, "--yes", "--agent", "script:script.yaml"];
    let mut child = place.command(&arguments).stderr(std::process::Stdio::null()).spawn().unwrap();
    crate::roadmaps::until("T05 begins", || place.run(&["status", "--json"]).stdout.contains(r#""item":"T05""#));
    child.kill().unwrap();
    child.wait().unwrap();
    let ran = place.run(&["resume", "last"]);
    assert_eq!(ran.code, 0, "{}", ran.shown());
    let ran = place.run(&["run", "--replay", "last", "--replay-strict"]);
    assert_eq!(ran.code, 0, "{}", ran.shown());
}
