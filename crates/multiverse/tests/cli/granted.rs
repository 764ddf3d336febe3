//! What settings grant holds in every protocol, whatever a role is called there: a judge is held to the rules of the planner,
//! whoever works to those of the executor (QL-30); and where a rule asks, a person is asked (QL-36).

use std::fs;

use serde_json::{Value, json};

use crate::cycles::{answer, git, repository, status};
use crate::place::Place;
use crate::served::{Served, calls, says};

const PLAN: &str = r#""result":"PLAN_CREATED","change":"c","win_state":"w","locations":["data/list.md"]"#;
const MET: &str = r#""result":"PASS","superordinate":"SUFFICIENT","subordinate":"met""#;
const TOUCH: &str = "touch data-made";

/// What the tools answered so far in a conversation.
fn answers(body: &Value) -> Vec<&str> {
    let messages = body["messages"].as_array().into_iter().flatten();
    messages.filter(|message| message["role"] == "tool").filter_map(|message| message["content"].as_str()).collect()
}

fn part(body: &Value) -> &'static str {
    let told = body["messages"][0]["content"].to_string();
    ["Judge", "Actor", "Planner"].into_iter().find(|part| told.contains(&format!("You are the {part}"))).unwrap_or("")
}

/// A model that tries in each part what is not for it, and then does its part.
fn tries(body: &Value, _: usize) -> Vec<u8> {
    let told = body["messages"].to_string();
    let done =
        |result: &str| says(&format!(r#"{{"status":"done","summary":"said","result":{{{result},"confidence":8}}}}"#));
    let touch = || calls("run_shell_command", &json!({"command": TOUCH}));
    let read = || calls("read_file", &json!({"file_path": "docs/a.md"}));
    match (part(body), answers(body).len()) {
        ("Judge", 0) | ("Actor", 1) => read(),
        ("Judge", 1) => touch(),
        ("Judge", _) => done(MET),
        ("Actor", 0) => touch(),
        ("Actor", 2) if !told.contains("closing steps") => {
            calls("write_file", &json!({"file_path": "data/list.md", "content": "# The list\n"}))
        }
        ("Actor", _) => done(r#""result":"SUCCESS","what_changed":"a list""#),
        (_, 0) => calls("write_file", &json!({"file_path": "data/mine.md", "content": "x"})),
        _ => done(PLAN),
    }
}

fn agent(served: &Served) -> String {
    format!("model:compatible/large@http://{}/v1", served.address())
}

/// The longest conversation of a part: all that its tools answered.
fn heard(served: &Served, which: &str) -> Vec<String> {
    let asked = served.asked();
    let all = asked.iter().filter(|body| part(body) == which).map(answers);
    let longest = all.max_by_key(Vec::len).unwrap_or_default();
    longest.into_iter().map(String::from).collect()
}

fn begin(place: &Place, served: &Served, settings: &str) -> crate::place::Ran {
    fs::write(place.path("multiverse.toml"), settings).unwrap();
    place.run(&["run", "--protocol", "cycle", "There is a list in data/.", "--agent", &agent(served)])
}

/// The files that differ on the branch of a cycle.
fn changed(place: &Place) -> String {
    let view = status(place);
    git(place, &["diff", "--name-only", "main", view["details"]["branch"].as_str().unwrap()])
}

fn rule(role: &str, rule: &str, pattern: &str) -> String {
    format!("[[grants]]\nrole = \"{role}\"\nrule = \"{rule}\"\npattern = \"{pattern}\"\n")
}

/// QL-30, CY-04: in a cycle. Rules of the executor bind the Actor and nobody else, those of the planner the Judge, too; and
/// neither Planner nor Judge changes anything.
#[test]
fn grants_hold_in_a_cycle() {
    let served = Served::with(tries);
    let place = repository();
    let settings =
        rule("executor", "deny", "run_shell_command: touch *") + &rule("planner", "deny", "read_file: docs/*");
    let ran = begin(&place, &served, &settings);
    assert_eq!(ran.code, 3, "{}", ran.shown());
    let actor = heard(&served, "Actor");
    assert!(actor[0].contains("`run_shell_command: touch data-made` is not granted"), "{actor:#?}");
    assert!(actor[1].contains("Harbour Guide"), "rules of the planner do not bind it: {actor:#?}");
    let judge = heard(&served, "Judge");
    assert!(judge[0].contains("is not granted") && !judge[0].contains("Harbour"), "{judge:#?}");
    assert!(judge[1].contains("there is no tool `run_shell_command`"), "{judge:#?}");
    let planner = heard(&served, "Planner");
    assert!(planner[0].contains("there is no tool `write_file`"), "{planner:#?}");
    assert_eq!(changed(&place).trim(), "data/list.md");
}

/// QL-36: where a rule asks, the Actor of a cycle is blocked, the Human is asked, and its answer is heard by the next one. The
/// Judge has nobody to ask: it is denied, and judges all the same.
#[test]
fn whoever_must_ask_in_a_cycle_asks_the_human() {
    for (word, is_made) in [("ANSWERED: yes", true), ("APPROVED", true), ("ANSWERED: no, never", false)] {
        let served = Served::with(tries);
        let place = repository();
        let settings =
            rule("executor", "ask", "run_shell_command: touch *") + &rule("planner", "ask", "read_file: docs/*");
        let ran = begin(&place, &served, &settings);
        assert_eq!(ran.code, 3, "{}", ran.shown());
        let question = r#"May I use "run_shell_command: touch data-made"? Say yes, or no and why."#;
        assert!(place.run(&["inbox"]).stdout.contains(question), "{}", ran.shown());
        let answered = answer(&place, word);
        assert_eq!(answered.code, 3, "{word}: {}", answered.shown());
        let actor = heard(&served, "Actor");
        let expected = if is_made { "exit code 0" } else { "said: no, never" };
        assert!(actor[0].contains(expected), "{word}: {actor:#?}");
        let judge = heard(&served, "Judge");
        assert!(judge[0].contains("nobody is there"), "{word}: {judge:#?}");
        assert_eq!(changed(&place).contains("data-made"), is_made, "{word}: {}", changed(&place));
    }
}

/// QL-30, QL-36: in a workflow, whose roles have names of their own.
#[test]
fn grants_hold_in_a_workflow() {
    let path = "agent_runtime/artifacts/a_parser/01_requirements.md";
    let idea = b"# A parser\n\nowner: ada\n\n## Acceptance criteria\n\n- No byte is lost\n";
    let check = |effect: &str, word: Option<&str>, expected: &str| {
        let served = Served::with(move |body, _| match answers(body).last() {
            None => calls("run_shell_command", &json!({"command": TOUCH})),
            Some(_) => {
                let output = json!({"path": path, "content": "# Requirements\n\nIt reads.\n"});
                says(&json!({"status": "done", "summary": "written", "result": {}, "outputs": [output]}).to_string())
            }
        });
        let place = Place::with(&[("ideas/parser.md", idea)]);
        assert_eq!(place.run(&["init", "--protocol", "profile"]).code, 0);
        fs::write(place.path("multiverse.toml"), rule("executor", effect, "run_shell_command: touch *")).unwrap();
        let role = format!("business_analyst={}", agent(&served));
        let ran = place.run(&["run", "--profile", "default_fallback_profile", "--agent", &role]);
        assert_eq!(ran.code, 3, "{}", ran.shown());
        if let Some(word) = word {
            assert!(ran.stderr.contains(r#"May I use "run_shell_command: touch data-made"?"#), "{}", ran.shown());
            let answered = place.run(&["answer", "last", word]);
            assert_eq!(answered.code, 3, "{}", answered.shown());
        }
        let last = served.asked().iter().rev().find_map(|body| Some(answers(body).last()?.to_string()));
        assert!(last.as_ref().is_some_and(|last| last.contains(expected)), "{effect} {word:?}: {last:?}");
        assert!(place.path(path).is_file(), "{}", ran.shown());
    };
    check("deny", None, "is not granted");
    check("ask", Some("yes"), "exit code 0");
    check("ask", Some("no, not here"), "said: no, not here");
}

/// QL-36, RM-08: the work of a roadmap waits for nobody: where a rule asks, the call is not made, and that is said.
#[test]
fn nobody_is_asked_in_the_middle_of_a_roadmap() {
    let task = "---\nname: harbour\ndirs: [docs]\n---\n\n# The harbour\n\n- Write a note to docs/note.md\n";
    let served = Served::with(|body, _| match answers(body).len() {
        0 => calls("run_shell_command", &json!({"command": TOUCH})),
        1 => calls("write_file", &json!({"file_path": "docs/note.md", "content": "# Note\n"})),
        _ => says(r#"{"status":"done","summary":"written","result":{}}"#),
    });
    let place = Place::with(&[(".jixo/harbour.task.md", task.as_bytes()), ("docs/a.md", b"# A\n")]);
    fs::write(place.path("multiverse.toml"), rule("executor", "ask", "run_shell_command: touch *")).unwrap();
    let executor = format!("executor={}", agent(&served));
    let ran = place.run(&["run", "--protocol", "roadmap", "--agent", "planner=offline", "--agent", &executor]);
    assert_eq!(ran.code, 0, "{}", ran.shown());
    let answered = served.asked().iter().find_map(|body| Some(answers(body).first()?.to_string())).unwrap();
    assert!(answered.contains("nobody is there"), "{answered}");
    assert!(place.path("docs/note.md").is_file() && !place.path("data-made").exists());
}
