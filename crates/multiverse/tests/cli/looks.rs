//! Commands that only look: watch, explain, catalog; and what shells and manuals are given.

use std::io::{BufRead as _, BufReader};
use std::process::Stdio;

use serde_json::Value;

use crate::place::Place;
use crate::scripted::{REQUEST, place, scripted, waiting};

fn explained(place: &Place, arguments: &[&str]) -> Value {
    let ran = place.run(&[&["explain", "--json"], arguments].concat());
    assert_eq!(ran.code, 0, "{}", ran.shown());
    serde_json::from_str::<Value>(&ran.stdout).unwrap()["explanation"].clone()
}

/// What a run or item is said to be, and the commands that are offered.
fn check(place: &Place, arguments: &[&str], state: &str, reason: &str, command: &str) {
    let why = explained(place, arguments);
    assert_eq!(why["state"], state, "{why:#}");
    assert!(why.to_string().contains(reason), "{reason} is not in {why:#}");
    let can = why["can"].as_array().unwrap();
    let is_offered = can.iter().any(|one| one["command"].as_str().unwrap().contains(command));
    assert!(is_offered, "{command} is not among {can:#?}");
    let shown = place.run(&[&["explain"], arguments].concat());
    assert!(shown.stdout.contains("what can be done"), "{}", shown.shown());
}

#[test]
fn a_run_that_waits_for_an_answer_is_explained() {
    let place = place("");
    let run = waiting(&place);
    check(&place, &["last"], "confirmation", "feedback_for_user.md", &format!("multiverse confirm {run}"));
    check(&place, &["P01"], "blocked", "the preparation comes first, and T02", "multiverse confirm");
    check(&place, &["last", "T03"], "blocked", "T02 Final Constitution Amendment comes first", "multiverse confirm");
    check(&place, &["t00"], "done", "the program itself did it", "multiverse logs");
    check(&place, &["P04"], "blocked", "P01 ANALYZING comes first", "multiverse modify");
}

/// MV-26
#[test]
fn a_failed_run_is_explained_with_its_evidence() {
    let place = place("- {action: execute, item: T06, report: {status: failed, error: \"no way \\e[31mforward\"}}\n");
    assert_eq!(scripted(&place, &["run", REQUEST, "--yes"]).code, 4);
    check(&place, &["last"], "failed", "no way ", "multiverse retry");
    check(&place, &["T06"], "failed", "failure_report.md", "multiverse logs");
    check(&place, &["T05"], "done", "workspace/ANALYZING/facts.md", "multiverse logs");
    check(&place, &["P03"], "failed", "not begun", "multiverse retry");
    let shown = place.run(&["explain", "last"]).stdout;
    assert!(shown.contains("no way ␛[31mforward") && !shown.contains('\u{1b}'), "QL-34: {shown}");
}

#[test]
fn cancelled_paused_and_finished_runs_are_explained() {
    let place = place("");
    waiting(&place);
    assert_eq!(place.run(&["pause", "last"]).code, 0);
    check(&place, &["last"], "paused", "paused", "multiverse resume");
    assert_eq!(place.run(&["cancel", "last"]).code, 0);
    check(&place, &["last"], "cancelled", "over for good", "multiverse retry");
    assert_eq!(scripted(&place, &["run", REQUEST, "--yes"]).code, 0);
    check(&place, &["last"], "done", "report.md", "multiverse catalog --run");
    check(&place, &["S01"], "done", "all that belongs to it", "multiverse logs");
}

#[test]
fn questions_and_work_of_people_are_explained() {
    let place =
        place("- {action: execute, item: T06, attempt: 1, report: {status: question, question: \"which way?\"}}\n");
    assert_eq!(scripted(&place, &["run", REQUEST, "--yes"]).code, 3);
    check(&place, &["last"], "question", "which way?", "multiverse answer");
    check(&place, &["T06"], "question", "which way?", "multiverse answer");
    let yours = self::place("");
    let agents = ["--agent", "script:script.yaml", "--agent", "executor=person"];
    assert_eq!(yours.run(&[&["run", REQUEST, "--yes"], &agents[..]].concat()).code, 3);
    check(&yours, &["last"], "work", "is yours to do", "--file");
    check(&yours, &["T04"], "work", "is yours to do", "multiverse inbox");
}

#[test]
fn a_run_that_nobody_carries_on_is_explained_and_not_watched() {
    let place = place("");
    waiting(&place);
    assert_eq!(place.run(&["confirm", "last", "--no-run"]).code, 0);
    check(&place, &["last"], "stopped", "nothing is lost", "multiverse resume");
    check(&place, &["T02"], "stopped", "of the run", "multiverse resume");
    let ran = place.run(&["watch"]);
    assert_eq!(ran.code, 1, "{}", ran.shown());
    assert!(ran.stderr.contains("multiverse resume"), "{}", ran.shown());
}

#[test]
fn what_is_not_there_is_named() {
    let place = place("");
    waiting(&place);
    for (arguments, message) in [
        (&["explain", "last", "T99"][..], "has no item \"T99\""),
        (&["explain", "T99"], "T99"),
        (&["watch", "nowhere"], "nowhere"),
    ] {
        let ran = place.run(arguments);
        assert_eq!(ran.code, 1, "{}", ran.shown());
        assert!(ran.stderr.contains(message), "{}", ran.shown());
    }
}

#[test]
fn watching_ends_as_the_run_does() {
    let place = place("");
    let run = waiting(&place);
    let ran = place.run(&["watch"]);
    assert_eq!(ran.code, 3, "{}", ran.shown());
    assert!(ran.stderr.contains(&format!("multiverse confirm {run}")), "{}", ran.shown());
    assert_eq!(scripted(&place, &["confirm", "last"]).code, 0);
    let ran = place.run(&["watch", "last", "--json"]);
    assert_eq!(ran.code, 0, "{}", ran.shown());
    let lines: Vec<Value> = ran.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.first().unwrap()["status"], "COMPLETED");
    assert_eq!(lines.last().unwrap()["outputs"].as_array().unwrap().len(), 1);
}

/// While another process carries a run on, who watches sees what happens and how it ends.
#[test]
fn a_run_of_another_process_is_watched_to_its_end() {
    let place = place("");
    std::fs::write(place.path("agent.py"), SLOW).unwrap();
    let agents = ["--agent", "script:script.yaml", "--agent", "executor=command:python3 agent.py"];
    let mut carrying = place.command(&[&["run", REQUEST, "--yes", "--json"], &agents[..]].concat());
    let mut carrying = carrying.env("PATH", "/usr/bin:/bin").stdout(Stdio::piped()).spawn().unwrap();
    let mut told = BufReader::new(carrying.stdout.take().unwrap()).lines();
    told.find(|line| line.as_ref().unwrap().contains("command:python3")).unwrap().unwrap();
    check(&place, &["last"], "running", "the executor", "multiverse watch");
    check(&place, &["T04"], "running", "is at T04", "multiverse pause");
    let mut watching = place.command(&["watch", "--json"]).stdout(Stdio::piped()).spawn().unwrap();
    let mut seen = BufReader::new(watching.stdout.take().unwrap()).lines();
    let first: Value = serde_json::from_str(&seen.next().unwrap().unwrap()).unwrap();
    assert_eq!(first["attempts"][0]["item"], "T04");
    std::fs::write(place.path("assets/go"), "go").unwrap();
    told.for_each(drop);
    let lines: Vec<Value> = seen.map(|line| serde_json::from_str(&line.unwrap()).unwrap()).collect();
    assert!(carrying.wait().unwrap().success());
    assert!(watching.wait().unwrap().success(), "{lines:#?}");
    let done = lines.iter().filter(|line| line["notice"]["kind"] == "completed");
    assert!(done.map(|line| &line["notice"]["item"]).any(|item| item == "T05"), "{lines:#?}");
    assert_eq!(lines.last().unwrap()["status"], "COMPLETED");
}

/// An executor that works until the file `go` is there.
const SLOW: &str = r#"
import json, os, sys, time
brief = json.load(sys.stdin)
while not os.path.exists(os.path.join(os.environ["MULTIVERSE_PROJECT"], "assets", "go")):
    time.sleep(0.02)
outputs = [{"path": path, "content": "words\n"} for path in brief["expects"]["outputs"]]
print(json.dumps({"status": "done", "summary": "did it", "outputs": outputs}))
"#;

/// MV-12
#[test]
fn the_catalog_is_listed_and_searched() {
    let place = place("");
    assert_eq!(place.run(&["catalog"]).code, 1, "there is no project yet");
    assert_eq!(scripted(&place, &["run", REQUEST, "--yes"]).code, 0);
    let all = place.run(&["catalog"]);
    assert!(all.stdout.contains("assets/sales.csv  ORIGINAL_INPUT"), "{}", all.shown());
    let found = place.run(&["catalog", "SALES", "csv", "--json"]);
    assert_eq!(found.stdout.lines().count(), 1, "{}", found.shown());
    let file: Value = serde_json::from_str(&found.stdout).unwrap();
    assert_eq!(file["file"]["path"], "assets/sales.csv");
    let of_run = place.run(&["catalog", "--run", "last", "facts"]);
    assert!(of_run.stdout.contains("workspace/ANALYZING/facts.md"), "{}", of_run.shown());
    let none = place.run(&["catalog", "xyzzy"]);
    assert_eq!(none.code, 5, "{}", none.shown());
    assert!(none.stderr.contains("no file of the catalog fits"), "{}", none.shown());
}

#[test]
fn shells_complete_commands_and_runs() {
    let place = place("");
    let run = waiting(&place);
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let ran = place.run(&["completions", shell]);
        assert!(ran.code == 0 && ran.stdout.contains("MULTIVERSE_COMPLETE"), "{}", ran.shown());
    }
    let asked = |words: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_multiverse"));
        command.current_dir(place.path("")).arg("--").arg("multiverse").args(words);
        command.env("MULTIVERSE_COMPLETE", "bash").env("_CLAP_IFS", "\n");
        command.env("_CLAP_COMPLETE_INDEX", words.len().to_string());
        String::from_utf8(command.output().unwrap().stdout).unwrap()
    };
    assert!(asked(&["wa"]).contains("watch"));
    let runs = asked(&["status", ""]);
    assert!(runs.contains(&run) && runs.contains("last"), "{runs}");
    let items = asked(&["explain", "last", ""]);
    assert!(items.contains("P01") && items.contains("T00"), "{items}");
    let agents = asked(&["run", "--agent", "executor="]);
    assert!(agents.contains("executor=offline") && !agents.contains("planner="), "{agents}");
    let told = place.run(&["completions", "bash", "--json"]).json();
    assert_eq!(told[0]["script"]["shell"], "bash");
}

/// The shell itself, with what it is given.
#[test]
fn bash_completes_runs() {
    let place = place("");
    let run = waiting(&place);
    let program = env!("CARGO_BIN_EXE_multiverse");
    let script = format!(
        "multiverse() {{ '{program}' \"$@\"; }}; export -f multiverse; eval \"$(multiverse completions bash)\"
         function=$(complete -p multiverse | sed 's/.*-F \\([^ ]*\\).*/\\1/')
         COMP_WORDS=(multiverse status run-) COMP_CWORD=2 COMP_LINE='multiverse status run-' COMP_POINT=23 COMP_TYPE=9
         \"$function\" multiverse run- status; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    );
    let mut bash = std::process::Command::new("bash");
    bash.args(["--norc", "-c", &script]).current_dir(place.path(""));
    let said = bash.output().unwrap();
    let shown = String::from_utf8_lossy(&said.stdout);
    assert_eq!(shown.trim(), run, "{}", String::from_utf8_lossy(&said.stderr));
}

#[test]
fn every_command_has_a_manual_page() {
    let place = place("");
    let ran = place.run(&["man", "pages/man1"]);
    assert_eq!(ran.code, 0, "{}", ran.shown());
    let page = std::fs::read_to_string(place.path("pages/man1/multiverse-explain.1")).unwrap();
    assert!(page.contains(".SH EXAMPLES") && page.contains("multiverse explain last"), "{page}");
    let main = place.run(&["man"]).stdout;
    assert!(main.contains(".TH multiverse 1"), "{main}");
    assert_eq!(main, std::fs::read_to_string(place.path("pages/man1/multiverse.1")).unwrap());
    assert_eq!(place.run(&["man", "--json"]).json()[0]["page"]["text"], main);
    let told = place.run(&["man", "pages/man1", "--json"]).json();
    assert!(told[0]["pages"]["names"].as_array().unwrap().contains(&"multiverse-run".into()), "{told:?}");
}

/// QL-42: an error's code leads to its page.
#[test]
fn the_code_of_an_error_is_explained() {
    let place = Place::with(&[]);
    let ran = place.run(&["status", "--json"]);
    let code = ran.json()[0]["error"]["kind"].as_str().unwrap().to_string();
    let page = place.run(&["explain", &code]);
    assert!(page.code == 0 && page.stdout.contains("multiverse init"), "{}", page.shown());
    assert_eq!(place.run(&["explain", &code, "--json"]).json()[0]["page"]["code"], code.as_str());
}
