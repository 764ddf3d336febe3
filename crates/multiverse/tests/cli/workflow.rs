//! Workflows on the command line: a project of the protocol `profile`, runs of profiles, gates, questions and bad input
//! (PF-01 to PF-20).

use serde_json::Value;

use crate::place::Place;

const IDEA: &[u8] = b"# A parser\n\nowner: ada\n\nPeople lose their notes.\n\n## Acceptance criteria\n\n- It reads 10 MB in a second\n- No byte is lost\n";
const STATUS: &str = "agent_runtime/status.json";

fn project() -> Place {
    let place = Place::with(&[("ideas/parser.md", IDEA)]);
    assert_eq!(place.run(&["init", "--protocol", "profile"]).code, 0);
    place
}

fn read(place: &Place, path: &str) -> String {
    std::fs::read_to_string(place.path(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn status(place: &Place) -> Value {
    serde_json::from_str(&read(place, STATUS)).unwrap()
}

/// PF-17: what `init` makes; a second time nothing is to do, and after a run the old status is archived whole.
#[test]
fn pf17_a_project_is_made_and_its_old_status_archived() {
    let place = project();
    for path in [
        STATUS,
        "agent_runtime/workflow_profiles/default_fallback_profile.yaml",
        "agent_runtime/schemas/workflow_profile.schema.json",
        "agent_runtime/schemas/status.schema.json",
        "tools/README.md",
    ] {
        assert!(place.path(path).is_file(), "{path}");
    }
    assert!(place.path("agent_runtime/artifacts").is_dir());
    let again = place.run(&["init", "--protocol", "profile"]);
    assert!(again.code == 0 && again.stderr.contains("nothing was to do"), "{}", again.shown());
    assert_eq!(place.run(&["run", "--profile", "default_fallback_profile"]).code, 3);
    let open = place.run(&["init", "--protocol", "profile"]);
    assert!(open.code == 1 && open.stderr.contains("is not over"), "{}", open.shown());
    assert_eq!(place.run(&["gate", "approve", "RELEASE_APPROVAL"]).code, 0);
    let done = read(&place, STATUS);
    assert_eq!(place.run(&["init", "--protocol", "profile"]).code, 0);
    assert_eq!(status(&place)["active_run_id"], Value::Null);
    let archived: Vec<_> = std::fs::read_dir(place.path("agent_runtime/archive")).unwrap().flatten().collect();
    let texts: Vec<String> =
        archived.iter().map(|folder| std::fs::read_to_string(folder.path().join("status.json")).unwrap()).collect();
    assert!(texts.contains(&done), "whole: {archived:?}");
}

/// PF-02, PF-06, PF-07, PF-08, PF-13, PF-16, PF-19: a run from the seed's own words to its end.
#[test]
fn pf02_a_workflow_runs_to_its_gate_and_is_approved() {
    let place = project();
    std::fs::write(place.path(".env"), "ORCHESTRATOR_MIDFLOW_HUMAN_GATES=ARCHITECTURE_APPROVAL\n").unwrap();
    let ran = place.run(&["run", "/orchestrator @default_fallback_profile"]);
    assert_eq!(ran.code, 3, "{}", ran.shown());
    assert!(ran.stderr.contains("multiverse gate approve ARCHITECTURE_APPROVAL"), "{}", ran.shown());
    let seen = status(&place);
    assert_eq!(seen["pending_human_gate_id"], "ARCHITECTURE_APPROVAL");
    assert_eq!(seen["questions"][0]["status"], "pending_delivery");
    assert_eq!((&seen["active_idea"]["id"], &seen["active_idea"]["owner"]), (&"parser".into(), &"ada".into()));
    assert_eq!(seen["active_idea_headline"], "A parser");
    assert_eq!(place.run(&["inbox"]).code, 0);
    assert_eq!(status(&place)["questions"][0]["status"], "delivered");
    let shown = place.run(&["status", "last"]).stdout;
    for words in [
        "blocked: gate ARCHITECTURE_APPROVAL waits",
        "missing (until it is done): 6 of 11 steps: approve_design, implement, review_implementation, verify, prepare_release and 1 more\n",
        "evidence: ",
    ] {
        assert!(shown.contains(words), "{words}\n{shown}");
    }
    let json: Value = serde_json::from_str(&place.run(&["status", "last", "--json"]).stdout).unwrap();
    assert_eq!(json["details"]["is_blocked"], true, "{json}");
    assert_eq!(json["details"]["missing"][0], "step approve_design is not completed", "{json}");
    let why = place.run(&["explain", "last"]).stdout;
    assert!(why.contains("it waits at gate ARCHITECTURE_APPROVAL") && why.contains("is not approved"), "{why}");
    let odd = place.run(&["answer", "last", "yes please"]);
    assert!(odd.code == 1 && odd.stderr.contains("neither yes nor no"), "{}", odd.shown());
    let rejected = place.run(&["gate", "reject", "ARCHITECTURE_APPROVAL", "--reason", "too large"]);
    assert_eq!(rejected.code, 3, "{}", rejected.shown());
    assert_eq!(status(&place)["phase_status"], "blocked");
    let twice = place.run(&["gate", "reject", "ARCHITECTURE_APPROVAL"]);
    assert!(twice.code == 1 && twice.stderr.contains("is rejected already"), "{}", twice.shown());
    assert_eq!(place.run(&["gate", "reopen", "ARCHITECTURE_APPROVAL"]).code, 1, "not without a reason");
    assert_eq!(place.run(&["gate", "reopen", "ARCHITECTURE_APPROVAL", "--reason", "smaller now"]).code, 3);
    let approved = place.run(&["answer", "last", "approve"]);
    assert!(approved.code == 3 && approved.stderr.contains("RELEASE_APPROVAL"), "{}", approved.shown());
    let done = place.run(&["gate", "approve", "RELEASE_APPROVAL", "--reason", "good"]);
    assert_eq!(done.code, 0, "{}", done.shown());
    assert!(done.stdout.contains("agent_runtime/artifacts/a_parser/01_requirements.md"), "{}", done.shown());
    let over = place.run(&["gate", "approve", "RELEASE_APPROVAL"]);
    assert!(over.code == 1 && over.stderr.contains("cannot be changed again"), "{}", over.shown());
    assert!(place.run(&["logs", "last"]).stdout.contains("RELEASE_APPROVAL was approved"), "the story is told");
    assert_eq!(place.run(&["verify"]).code, 0);
}

/// PF-01, PF-02, PF-16: what is refused before anything begins, each with a way out.
#[test]
fn pf02_bad_input_is_refused_before_anything_begins() {
    let check = |prepare: &dyn Fn(&Place), arguments: &[&str], code: i32, words: &[&str]| {
        let place = project();
        prepare(&place);
        let before = read(&place, STATUS);
        let ran = place.run(arguments);
        assert_eq!(ran.code, code, "{arguments:?}\n{}", ran.shown());
        for word in words {
            assert!(ran.stderr.contains(word), "{word:?} in {}", ran.shown());
        }
        assert_eq!(read(&place, STATUS), before, "nothing is touched");
    };
    let profile = |text: &str| {
        let text = text.to_string();
        move |place: &Place| {
            std::fs::write(place.path("agent_runtime/workflow_profiles/mine.yaml"), &text).unwrap();
        }
    };
    let good = include_str!("../../../dialect/src/profile/files/default_fallback_profile.yaml")
        .replace("name: default_fallback_profile", "name: mine");
    let mine = ["run", "--profile", "mine"];
    check(&|_| {}, &["run", "/orchestrator @nobody"], 1, &["there is no profile `nobody`", "default_fallback_profile"]);
    check(&|_| {}, &["run", "--idea", "x", "Make a report of it."], 2, &["--idea and --seed belong"]);
    check(&|_| {}, &["run", "--profile", "default_fallback_profile", "--idea", "gone"], 1, &["no idea", "parser"]);
    check(&profile("name: mine\n\tversion: 1\n"), &mine, 1, &["mine.yaml:2", "tab"]);
    check(&profile(&good.replacen("version: 1", "version: 1\nversion: 2", 1)), &mine, 1, &["mine.yaml:4"]);
    check(&profile(&good.replacen("version: 1", "version: 1\nsurprise: 2", 1)), &mine, 1, &["surprise"]);
    check(
        &profile(&good.replacen("gate: RELEASE_APPROVAL", "gate: RELEASE_APROVAL", 1)),
        &mine,
        1,
        &["RELEASE_APROVAL", "did you mean"],
    );
    check(
        &profile(&good.replacen("review_of: business_analyst", "review_of: developer", 1)),
        &mine,
        1,
        &["comes later"],
    );
    let write_status = |text: &'static str| move |place: &Place| std::fs::write(place.path(STATUS), text).unwrap();
    let default = ["run", "--profile", "default_fallback_profile"];
    check(&write_status("{\"active_profile\": \"x\""), &default, 1, &["agent_runtime/status.json:1"]);
    check(&write_status("{\"active_profile\": 7}"), &default, 1, &["phase_plan"]);
    check(&write_status("[]"), &default, 1, &["agent_runtime/status.json"]);
    let two = |place: &Place| std::fs::write(place.path("ideas/other.md"), "# Other\n").unwrap();
    check(&two, &default, 1, &["nothing says which", "other, parser"]);
    check(&|place| std::fs::remove_file(place.path("ideas/parser.md")).unwrap(), &default, 1, &["there is no idea"]);
}

/// PF-16: a context file chooses the idea; words become one.
#[test]
fn pf16_ideas_are_chosen() {
    let place = project();
    std::fs::write(place.path("ideas/other.md"), "# Other\n\n- it must be blue\n").unwrap();
    let context = r#"{"active_idea_id": "other", "active_idea_headline": "The blue one", "owner": "bob"}"#;
    std::fs::write(place.path("ideas/context.json"), context).unwrap();
    assert_eq!(place.run(&["run", "--profile", "default_fallback_profile"]).code, 3);
    let seen = status(&place);
    assert_eq!((&seen["active_idea_headline"], &seen["active_idea"]["owner"]), (&"The blue one".into(), &"bob".into()));
    assert!(place.path("agent_runtime/artifacts/the_blue_one/01_requirements.md").is_file(), "PF-11");
    let second = place.run(&["run", "--profile", "default_fallback_profile"]);
    assert!(second.code == 1 && second.stderr.contains("is not over"), "{}", second.shown());
    assert_eq!(place.run(&["cancel", "last"]).code, 0);
    let words = place.run(&["run", "--profile", "default_fallback_profile", "A clock that must show the tides."]);
    assert_eq!(words.code, 3, "{}", words.shown());
    assert!(read(&place, "ideas/a_clock_that_must_show_the_tides.md").contains("tides"));
}

/// A profile of so many steps, three outputs a phase.
fn long_profile(steps: usize) -> String {
    let mut text = String::from(
        "name: long\nversion: 1\ndescription: many steps\nexecution_mode: simulation\nstrict_mode: true\nfriendly_name: Long\ngates: []\nphases:\n",
    );
    for phase in 0..steps / 4 {
        text.push_str(&format!("  - id: phase_{phase}\n    description: part {phase}\n    roles:\n"));
        for step in 0..4 {
            let (role, kind) = if step == 3 { ("checker", "reviewer") } else { ("maker", "owner") };
            let review = if step == 3 { "        review_of: maker\n" } else { "" };
            text.push_str(&format!(
                "      - id: s_{phase}_{step}\n        role: {role}_{phase}\n        step_type: {kind}\n        required_outputs: [{phase}_{step}.md]\n{}",
                review.replace("maker", &format!("maker_{phase}"))
            ));
        }
    }
    text
}

/// PF-09, PF-15: a profile of 200 steps is checked and run, twice, with the same bytes.
#[test]
fn pf09_two_hundred_steps_twice() {
    let one = || {
        let place = project();
        std::fs::write(place.path("agent_runtime/workflow_profiles/long.yaml"), long_profile(200)).unwrap();
        let checked = place.run(&["profile", "validate", "agent_runtime/workflow_profiles/long.yaml"]);
        assert_eq!(checked.code, 0, "{}", checked.shown());
        let ran = place.run(&["run", "--profile", "long", "--seed", "5"]);
        assert_eq!(ran.code, 0, "{}", ran.shown());
        let folder = place.path("agent_runtime/artifacts/a_parser");
        let files = std::fs::read_dir(folder).unwrap().flatten().map(|entry| entry.path());
        let files = files.filter(|path| path.extension().is_some_and(|ending| ending == "md"));
        files
            .map(|path| (path.file_name().unwrap().to_owned(), std::fs::read(&path).unwrap()))
            .collect::<std::collections::BTreeMap<_, _>>()
    };
    let first = one();
    assert_eq!(first.len(), 200);
    assert_eq!(first, one());
}

/// A waiting gate is told by a command; roles can be people's.
#[test]
fn pf07_a_waiting_gate_is_told() {
    let place = project();
    std::fs::write(place.path("multiverse.toml"), "[notify]\ncommand = \"cat > told.json\"\n").unwrap();
    let ran = place.run(&["run", "--profile", "default_fallback_profile"]);
    assert_eq!(ran.code, 3, "{}", ran.shown());
    let told: Value = serde_json::from_str(&read(&place, "told.json")).unwrap();
    assert_eq!(told["waits"][0]["kind"], "gate", "{told}");
}

/// PF-18: work of a role is a person's, and handed in.
#[test]
fn pf18_a_person_plays_a_role() {
    let place = project();
    let ran = place.run(&["run", "--profile", "default_fallback_profile", "--agent", "person"]);
    assert!(ran.code == 3 && ran.stderr.contains("is yours to do"), "{}", ran.shown());
    std::fs::write(place.path("mine.md"), "# Requirements\n\nMine.\n").unwrap();
    let handed = place.run(&["answer", "last", "--file", "mine.md"]);
    assert!(handed.code == 3 && handed.stderr.contains("review_requirements"), "{}", handed.shown());
    assert_eq!(read(&place, "agent_runtime/artifacts/a_parser/01_requirements.md"), "# Requirements\n\nMine.\n");
    std::fs::write(place.path("review.json"), r#"{"status": "done", "result": {"review_status": "maybe"}}"#).unwrap();
    let odd = place.run(&["answer", "last", "--report", "review.json"]);
    assert!(odd.code == 1 && odd.stderr.contains("review_status"), "{}", odd.shown());
}

/// Two processes answer one gate: one of them decides it, the other is told.
#[test]
fn pf07_a_gate_is_decided_once() {
    let place = project();
    assert_eq!(place.run(&["run", "--profile", "default_fallback_profile"]).code, 3);
    let codes: Vec<i32> = std::thread::scope(|scope| {
        let answer = |word: &'static str| {
            let place = &place;
            scope.spawn(move || place.run(&["gate", word, "RELEASE_APPROVAL", "--reason", "so"]).code)
        };
        let threads = [answer("approve"), answer("approve")];
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let mut sorted = codes.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, [0, 1], "{codes:?}");
    assert_eq!(status(&place)["answers"].as_array().unwrap().len(), 1);
}

/// PF-04: a count that somebody wrote into the status is put back to what was counted; `last` is the newest run.
#[test]
fn pf04_review_cycles_are_counted_not_written() {
    let place = project();
    assert_eq!(place.run(&["run", "/orchestrator @default_realization_profile"]).code, 3);
    assert_eq!(place.run(&["gate", "approve", "RELEASE_APPROVAL"]).code, 0);
    assert_eq!(place.run(&["run", "/orchestrator @default_fallback_profile"]).code, 3);
    let mut edited = status(&place);
    edited["review_cycles"]["nowhere"] = 99.into();
    std::fs::write(place.path(STATUS), serde_json::to_string_pretty(&edited).unwrap()).unwrap();
    let resumed = place.run(&["resume", "last"]);
    assert!(resumed.code == 3 && resumed.stderr.contains("default_fallback_profile"), "{}", resumed.shown());
    assert_eq!(status(&place)["review_cycles"]["nowhere"], 0, "{}", read(&place, STATUS));
}

/// PF-10: an adapter as others have it works through the whole engine, one commit by the role for each step.
#[test]
fn pf10_an_adapter_of_others_works_unchanged() {
    let place = project();
    let adapter = "import argparse, json, pathlib\n\
        p = argparse.ArgumentParser(); r = p.add_subparsers(dest='c').add_parser('run-step')\n\
        for o in ('role', 'phase', 'step-id', 'step-type', 'profile', 'artifacts-dir'): r.add_argument('--' + o)\n\
        a = p.parse_args(); d = pathlib.Path(a.artifacts_dir); d.mkdir(parents=True, exist_ok=True)\n\
        n = {'write_requirements': 'requirements', 'design': 'architecture', 'review_design': 'architecture_review',\n\
             'implement': 'implementation', 'review_implementation': 'implementation_review', 'integrate': 'integration_report'}\n\
        (d / (n[a.step_id] + '.md')).write_text('by ' + a.role + '\\n')\n\
        print('talk'); print(json.dumps({'reviewer': {'review_status': 'approved'},\n\
             'validator': {'integration_loop_status': 'passed'}}.get(a.step_type, {})))\n";
    let folder = place.path("implementations/parser");
    std::fs::create_dir_all(folder.join("adapter")).unwrap();
    std::fs::write(folder.join("adapter/role_adapter.py"), adapter).unwrap();
    let git = |arguments: &[&str]| {
        let mut command = std::process::Command::new("git");
        command.args(["-c", "user.name=ada", "-c", "user.email=ada@example.org"]).args(arguments);
        let output = command.current_dir(&folder).output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    git(&["init", "-q", "-b", "main", "."]);
    git(&["add", "-A"]);
    git(&["commit", "-q", "-m", "first"]);
    let mut command = place.command(&["run", "/orchestrator"]);
    let ran =
        crate::place::Ran::of(command.env("PATH", std::env::var_os("PATH").unwrap_or_default()).output().unwrap());
    assert_eq!(ran.code, 3, "{}", ran.shown());
    let authors = git(&["log", "--reverse", "--format=%an"]);
    let roles = "ada\nbusiness_analyst\narchitect\narchitecture_reviewer\ndeveloper\ncode_reviewer\ntester\n";
    assert_eq!(authors, roles, "{}", ran.shown());
    assert_eq!(git(&["status", "--short"]), "", "the tree is clean between steps");
    assert_eq!(status(&place)["commit_evidence"].as_array().map(Vec::len), Some(6));
}

/// The example of the documentation: a team of roles makes a tool, sends it back twice, and leaves one commit for each step.
#[test]
fn the_example_of_the_tide_clock_works() {
    let example = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/tide-clock/run.sh");
    let place = Place::with(&[]);
    let mut run = std::process::Command::new("bash");
    run.arg(example).arg(place.path("p")).env("MULTIVERSE", env!("CARGO_BIN_EXE_multiverse"));
    let ran = crate::place::Ran::of(run.stdin(std::process::Stdio::null()).output().unwrap());
    assert_eq!(ran.code, 0, "{}", ran.shown());
    let log = "orchestrator: chore(orchestrator): the workspace\nclerk: docs(clerk): what the clock is to do\n\
        maker: feat(maker): the clock, 720 minutes from tide to tide\nreader: review(reader): read\n\
        maker: fix(maker): the clock, 720 minutes from tide to tide\nreader: review(reader): read\npilot: test(pilot): try\n\
        maker: fix(maker): the clock, 745 minutes from tide to tide\nreader: review(reader): read\npilot: test(pilot): try\n\
        18:35 07:00 19:25\n";
    assert!(ran.stdout.contains(log), "{}", ran.shown());
}
