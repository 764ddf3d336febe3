//! Workflows and the files around them, as people and other programs leave them: a status edited by hand, evidence that is
//! gone, a project without its journal, files that are in the way, trees of others (PF-03, PF-04, PF-13, PF-17, QL-23).

use serde_json::Value;

use crate::place::{Place, Ran};

const STATUS: &str = "agent_runtime/status.json";
const FOLDER: &str = "agent_runtime/artifacts/a_parser";
const IDEA: &[u8] =
    b"# A parser\n\nowner: ada\n\n## Acceptance criteria\n\n- It reads 10 MB in a second\n- No byte is lost\n";

fn project() -> Place {
    let place = Place::with(&[("ideas/parser.md", IDEA)]);
    assert_eq!(place.run(&["init", "--protocol", "profile"]).code, 0);
    place
}

/// One that waits at its last gate.
fn waiting() -> Place {
    let place = project();
    assert_eq!(place.run(&["run", "--profile", "default_fallback_profile"]).code, 3);
    place
}

fn status(place: &Place) -> Value {
    serde_json::from_str(&std::fs::read_to_string(place.path(STATUS)).unwrap()).unwrap()
}

fn edit(place: &Place, change: impl FnOnce(&mut Value)) {
    let mut edited = status(place);
    change(&mut edited);
    std::fs::write(place.path(STATUS), serde_json::to_string_pretty(&edited).unwrap()).unwrap();
}

fn assert_says(ran: &Ran, code: i32, words: &[&str]) {
    assert_eq!(ran.code, code, "{}", ran.shown());
    for word in words {
        assert!(ran.stderr.contains(word) || ran.stdout.contains(word), "{word:?} in {}", ran.shown());
    }
}

/// PF-07: a bot that writes its client's reply into the status is heard by the next command, whichever it is.
#[test]
fn a_reply_that_stands_in_the_status_is_heard() {
    let approve = |edited: &mut Value| {
        for gate in edited["governance_gates"].as_array_mut().unwrap() {
            if gate["id"] == "RELEASE_APPROVAL" {
                (gate["status"], gate["reason"]) = ("approved".into(), "the client said yes".into());
            }
        }
    };
    let answer = |word: &'static str| {
        move |edited: &mut Value| {
            let question = edited["questions"][0]["id"].clone();
            let answer =
                serde_json::json!({"question_id": question, "answer": word, "source": "bot", "answered_at": "now"});
            edited["answers"].as_array_mut().unwrap().push(answer);
        }
    };
    let place = waiting();
    edit(&place, approve);
    assert_says(&place.run(&["resume", "last"]), 0, &["done: run-default_fallback_profile"]);
    assert_eq!(status(&place)["phase_status"], "completed");
    let record = std::fs::read_to_string(place.path(format!("{FOLDER}/release_approval.md"))).unwrap();
    assert!(record.contains("> the client said yes"), "{record}");
    let place = waiting();
    edit(&place, answer("no"));
    assert_says(&place.run(&["resume", "last"]), 3, &["was rejected"]);
    assert_eq!(status(&place)["phase_status"], "blocked");
    let place = waiting();
    edit(&place, answer("yes please"));
    let odd = place.run(&["resume", "last"]);
    assert_says(&odd, 3, &["put back", "neither yes nor no", "agent_runtime/status.json:"]);
    assert_eq!(status(&place)["answers"], serde_json::json!([]), "nothing was taken");
    assert_eq!(status(&place)["pending_human_gate_id"], "RELEASE_APPROVAL");
}

/// QL-23, PF-04 rule 3, PF-08: what follows from the run is put back, never silently.
#[test]
fn what_is_put_back_is_said() {
    let check = |change: &dyn Fn(&mut Value), words: &[&str], field: &str| {
        let place = waiting();
        let before = status(&place)[field].clone();
        edit(&place, |edited| change(edited));
        assert_says(&place.run(&["resume", "last"]), 3, words);
        assert_eq!(status(&place)[field], before, "{field}");
    };
    let cycles = |edited: &mut Value| edited["review_cycles"]["architecture"] = 77.into();
    check(&cycles, &["put back: review_cycles.architecture", "status.json:"], "review_cycles");
    let index = |edited: &mut Value| edited["current_step_index"] = 2.into();
    check(&index, &["put back: current_step_index", "a run moves only by its steps"], "current_step_index");
    let done = |edited: &mut Value| edited["phase_status"] = "completed".into();
    check(&done, &["put back: phase_status"], "phase_status");
    let other = |edited: &mut Value| edited["active_run_id"] = "run-of-others".into();
    check(&other, &["put back: active_run_id"], "active_run_id");
}

/// PF-13, PF-19: a run is not done while its evidence is gone, says what is missing, and is done when it is back.
#[test]
fn pf13_a_run_is_not_done_without_its_evidence() {
    let place = waiting();
    let (gone, empty) = (format!("{FOLDER}/01_requirements.md"), format!("{FOLDER}/04_architecture.md"));
    let kept = std::fs::read(place.path(&gone)).unwrap();
    std::fs::remove_file(place.path(&gone)).unwrap();
    std::fs::write(place.path(&empty), "").unwrap();
    let approved = place.run(&["gate", "approve", "RELEASE_APPROVAL"]);
    assert_says(&approved, 3, &["evidence is missing", "01_requirements.md", "04_architecture.md"]);
    assert_eq!(status(&place)["phase_status"], "blocked");
    assert_eq!(status(&place)["blocking_reasons"].as_array().unwrap().len(), 2);
    let words = ["evidence is missing", "step write_requirements has not left 01_requirements.md", "multiverse resume"];
    assert_says(&place.run(&["explain", "last"]), 0, &words);
    std::fs::write(place.path(&gone), kept).unwrap();
    std::fs::write(place.path(&empty), "# Made again by hand\n").unwrap();
    assert_says(&place.run(&["resume", "last"]), 0, &["done: "]);
    assert_eq!(status(&place)["evidence"]["missing"], serde_json::json!([]));
}

/// PF-03: a project that came without its journal goes on from its status; commands that cannot say so.
#[test]
fn pf03_a_clone_goes_on_from_its_status() {
    let place = waiting();
    let run = status(&place)["active_run_id"].as_str().unwrap().to_owned();
    std::fs::remove_dir_all(place.path(".multiverse")).unwrap();
    assert_says(&place.run(&["status"]), 5, &[&run, "multiverse resume"]);
    let early = place.run(&["gate", "approve", "RELEASE_APPROVAL"]);
    assert_says(&early, 1, &["the journal does not know it", "multiverse resume"]);
    let mut odd = status(&place);
    odd["current_role"] = "developer".into();
    let good = std::fs::read(place.path(STATUS)).unwrap();
    std::fs::write(place.path(STATUS), serde_json::to_string_pretty(&odd).unwrap()).unwrap();
    assert_says(&place.run(&["resume"]), 1, &["current_role: `developer` does not match step 10", "`product_owner`"]);
    std::fs::write(place.path(STATUS), good).unwrap();
    assert_says(&place.run(&["resume"]), 3, &["from its status", "multiverse gate approve RELEASE_APPROVAL"]);
    assert_eq!(status(&place)["active_run_id"], run.as_str());
    assert_says(&place.run(&["gate", "approve", "RELEASE_APPROVAL"]), 0, &["done: "]);
    assert_eq!(place.run(&["verify"]).code, 0);
    // What is over stays so, whatever is known of it.
    std::fs::remove_dir_all(place.path(".multiverse")).unwrap();
    assert_says(&place.run(&["resume"]), 5, &["no run is open"]);
}

/// Files that are where a gate leaves its record are no reason to stop: what they held is kept in the journal.
#[test]
fn a_file_that_is_in_the_way_is_taken_under_the_journal() {
    let place = project();
    std::fs::create_dir_all(place.path(FOLDER)).unwrap();
    let path = format!("{FOLDER}/requirements_approval.md");
    std::fs::write(place.path(&path), "mine\n").unwrap();
    assert_says(&place.run(&["run", "--profile", "default_fallback_profile"]), 3, &["gate approve RELEASE_APPROVAL"]);
    assert!(std::fs::read_to_string(place.path(&path)).unwrap().contains("approved"));
    assert!(place.run(&["history", &path]).stdout.lines().count() >= 2, "what was there is in the history");
}

/// PF-09: a simulation with gates of the engine's own leaves the same bytes twice.
#[test]
fn pf09_the_records_of_gates_are_the_same_twice() {
    let one = || {
        let place = waiting();
        ["requirements_approval.md", "architecture_approval.md", "09_release_notes.md"]
            .map(|name| std::fs::read_to_string(place.path(format!("{FOLDER}/{name}"))).unwrap())
    };
    let first = one();
    assert_eq!(first, one());
    assert!(!first[0].contains("20") || first[0].contains("as soon as"), "{}", first[0]);
}

/// PF-01, PF-02: two files that give the same name are told, and neither is run by it.
#[test]
fn pf02_two_profiles_of_one_name_are_told() {
    let place = project();
    let profile = "agent_runtime/workflow_profiles/default_fallback_profile.yaml";
    std::fs::copy(place.path(profile), place.path("agent_runtime/workflow_profiles/zz.yaml")).unwrap();
    for arguments in
        [&["profile", "list"][..], &["profile", "validate"], &["run", "--profile", "default_fallback_profile"]]
    {
        assert_says(&place.run(arguments), 1, &["are called `default_fallback_profile`", "zz.yaml"]);
    }
}

/// The newest run is `last`, also where several began within one second; the tree may stand under `Version2/`, with `.env`
/// beside it or above it.
#[test]
fn last_is_the_newest_run_and_trees_are_found() {
    let place = project();
    let text = "name: aa\nversion: 1\ndescription: d\nfriendly_name: f\nexecution_mode: simulation\nstrict_mode: true\n\
                gates: []\nphases: [{id: a, description: d, roles: [{id: s, role: r, step_type: owner, required_outputs: [a.md]}]}]\n";
    for name in ["zz", "aa"] {
        let path = format!("agent_runtime/workflow_profiles/{name}.yaml");
        std::fs::write(place.path(&path), text.replace("name: aa", &format!("name: {name}"))).unwrap();
        assert_eq!(place.run(&["run", "--profile", name]).code, 0);
        assert_says(&place.run(&["status", "last"]), 0, &[&format!("run-{name}-")]);
    }
    let below = Place::with(&[
        ("Version2/ideas/parser.md", IDEA),
        (".env", b"ORCHESTRATOR_MIDFLOW_HUMAN_GATES=ARCHITECTURE_APPROVAL\n"),
    ]);
    std::fs::create_dir_all(below.path("Version2/agent_runtime/workflow_profiles")).unwrap();
    let shipped = place.path("agent_runtime/workflow_profiles/default_fallback_profile.yaml");
    std::fs::copy(shipped, below.path("Version2/agent_runtime/workflow_profiles/d.yaml")).unwrap();
    let ran = below.run(&["run", "/orchestrator @default_fallback_profile"]);
    assert_says(&ran, 3, &["gate approve ARCHITECTURE_APPROVAL"]);
}

/// QL-27: a workflow that was changed since its run began is noticed, and the run keeps the one it began with.
#[test]
fn ql27_a_changed_workflow_is_noticed() {
    let place = waiting();
    let path = place.path("agent_runtime/workflow_profiles/default_fallback_profile.yaml");
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(!place.run(&["resume", "last"]).stderr.contains("was changed since"), "it is as it was");
    std::fs::write(&path, text.replace("id: approve_release", "id: approve_it_all")).unwrap();
    assert_says(&place.run(&["resume", "last"]), 3, &["default_fallback_profile was changed since this run began"]);
    assert_eq!(status(&place)["phase_plan"][10]["step_id"], "approve_release");
}

/// PF-02: what looks like a trigger and is none starts nothing.
#[test]
fn pf02_a_trigger_with_more_behind_it_starts_nothing() {
    let place = project();
    for words in ["/orchestrator now", "/orchestrator @default_fallback_profile please", "/orchestrators"] {
        assert_says(&place.run(&["run", words]), 2, &["no way to start a workflow", "profile list"]);
    }
    assert_eq!(status(&place)["active_run_id"], Value::Null);
}

/// PF-03, PF-17: a schema of the project's own that no run could satisfy is told before one begins, and nothing is touched.
#[test]
fn pf17_a_schema_that_refuses_every_run_is_told() {
    let place = project();
    let path = place.path("agent_runtime/schemas/status.schema.json");
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.replacen("\"minLength\": 1", "\"maxLength\": 30, \"pattern\": \"^[a-z_]*$\"", 1))
        .unwrap();
    assert_eq!(place.run(&["run", "--profile", "default_fallback_profile"]).code, 3, "one that holds is no matter");
    let place = project();
    let path = place.path("agent_runtime/schemas/status.schema.json");
    std::fs::write(&path, text.replacen("\"active_run_id\": {", "\"active_run_id\": {\"maxLength\": 3,", 1)).unwrap();
    let before = status(&place);
    let ran = place.run(&["run", "--profile", "default_fallback_profile"]);
    assert_says(&ran, 1, &["status.schema.json", "active_run_id", "3 at most", "multiverse schema status"]);
    assert_eq!(status(&place), before);
}

/// PF-10, PF-12, PF-18: a person plays a role of a realization: what is handed in is a commit by the role, and is held to the
/// idea like anybody's work, with words for whoever is to mend it.
#[test]
fn pf10_a_person_plays_a_role_of_a_realization() {
    let place = project();
    let odd = place.run(&["run", "/orchestrator", "--agent", "business_analist=person"]);
    assert_says(&odd, 2, &["`business_analist` is no role", "business_analyst, architect"]);
    let ran = place.run(&["run", "/orchestrator", "--agent", "business_analyst=person"]);
    assert_says(&ran, 3, &["write_requirements of business_analyst is yours to do; it leaves requirements.md"]);
    std::fs::write(place.path("mine.md"), "# Requirements\n\nMine: it reads 10 MB in a second.\n").unwrap();
    let handed = place.run(&["answer", "last", "--file", "mine.md"]);
    let words = "it came back: requirements.md: AC-2 is covered by nobody: No byte is lost";
    assert_says(&handed, 3, &["is yours to do", words]);
    std::fs::write(place.path("mine.md"), "# Requirements\n\nIt reads 10 MB in a second, and no byte is lost.\n")
        .unwrap();
    let handed = place.run(&["answer", "last", "--file", "mine.md"]);
    assert_says(&handed, 3, &["gate approve RELEASE_APPROVAL"]);
    let commit = &status(&place)["commit_evidence"][0];
    assert_eq!((&commit["role"], &commit["step_id"]), (&"business_analyst".into(), &"write_requirements".into()));
    let kept = std::fs::read_to_string(place.path("implementations/parser/artifacts/requirements.md")).unwrap();
    assert_eq!(kept, "# Requirements\n\nIt reads 10 MB in a second, and no byte is lost.\n");
}

/// PF-18: a question that a role asks beside its work holds up nothing, waits in the inbox, and its answer is recorded word by
/// word; what the run itself waits for is answered without naming it.
#[test]
fn pf18_a_role_asks_beside_its_work() {
    let place = project();
    let path = format!("{FOLDER}/01_requirements.md");
    let script = serde_json::json!([{"report": {"status": "done", "question": "Which colour?",
        "outputs": [{"path": path, "content": "It reads 10 MB in a second, and no byte is lost.\n"}]}}]);
    std::fs::write(place.path("script.json"), script.to_string()).unwrap();
    let run = ["run", "--profile", "default_fallback_profile", "--agent", "business_analyst=script:script.json"];
    assert_says(&place.run(&run), 3, &["gate approve RELEASE_APPROVAL", "nothing waits for it: Which colour?"]);
    let seen = status(&place);
    let question = &seen["questions"][0];
    assert_eq!((&question["required"], &question["status"]), (&false.into(), &"pending_delivery".into()), "{question}");
    let gate = seen["questions"][1]["id"].as_str().unwrap();
    assert_eq!(seen["pending_human_question_id"], gate, "only what is required is waited for");
    let id = question["id"].as_str().unwrap();
    assert_says(&place.run(&["inbox"]), 0, &[&format!("--question {id}"), "business_analyst asks"]);
    assert!(!place.run(&["explain", "last"]).stdout.contains("colour"), "the run does not wait for it");
    assert_says(&place.run(&["answer", "last", "--question", id, "blue, *please*"]), 3, &["RELEASE_APPROVAL"]);
    let answer = &status(&place)["answers"][0];
    assert_eq!((&answer["question_id"], &answer["answer"]), (&id.into(), &"blue, *please*".into()));
    assert_says(&place.run(&["answer", "last", "yes"]), 0, &["done: "]);
}

/// PF-03, QL-23: a status that was cut off is not touched and not put together with older ones; put back, the run goes on.
#[test]
fn pf03_a_status_that_was_cut_off_is_mended_by_putting_it_back() {
    for length in [900, 20, 4000] {
        let place = waiting();
        let whole = std::fs::read(place.path(STATUS)).unwrap();
        std::fs::write(place.path(STATUS), &whole[..length]).unwrap();
        let resumed = place.run(&["resume", "last"]);
        assert_says(&resumed, 1, &["agent_runtime/status.json:", "multiverse restore agent_runtime/status.json --at"]);
        assert!(!resumed.stderr.contains("merged with"), "{}", resumed.shown());
        assert_eq!(std::fs::read(place.path(STATUS)).unwrap(), whole[..length], "not touched");
        std::fs::write(place.path(STATUS), &whole).unwrap();
        assert_says(&place.run(&["resume", "last"]), 3, &["gate approve RELEASE_APPROVAL"]);
        assert_eq!(std::fs::read(place.path(STATUS)).unwrap(), whole);
    }
}
