//! `multiverse run --protocol cycle` on the ground of others: dirty trees, agents that do what they must not, commands that are
//! forbidden, checkpoints that are gone back to, pull requests, pictures, and models (CY-03 to CY-17).

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};

use crate::cycles::{answer, begin, git, repository, status};
use crate::place::{Place, Ran};
use crate::served::{Served, calls, says};

pub(crate) const PLAN: &str = r#""result":"PLAN_CREATED","change":"c","win_state":"w","locations":["docs/a.md"]"#;
pub(crate) const MET: &str = r#""result":"PASS","superordinate":"SUFFICIENT","subordinate":"met""#;
pub(crate) const NOT_MET: &str = r#""result":"INSUFFICIENT","superordinate":"PROGRESSING","subordinate":"no","discrepancy":"d","main_source":"m","recommended":"r""#;

/// A repository with an agent that plans so, does this in a shell, and judges so.
pub(crate) fn place_of(plan: &str, act: &str, judge: &str, settings: &str) -> Place {
    let place = repository();
    let script = format!(
        "#!/bin/sh\nin=$(cat)\ncase \"$in\" in\n*'\"action\":\"act\"'*) {act}\n  r='\"result\":\"SUCCESS\"';;\n\
         *'\"action\":\"judge\"'*) r='{judge}';;\n*) r='{plan}';;\nesac\n\
         printf '{{\"status\":\"done\",\"summary\":\"said\",\"confidence\":9,\"result\":{{%s}}}}\\n' \"$r\"\n"
    );
    fs::write(place.path("agent"), script).unwrap();
    fs::set_permissions(place.path("agent"), fs::Permissions::from_mode(0o755)).unwrap();
    fs::write(place.path("multiverse.toml"), settings).unwrap();
    place
}

pub(crate) fn run(place: &Place) -> Ran {
    place.run(&["run", "--protocol", "cycle", "Make it so.", "--agent", "command:./agent"])
}

pub(crate) fn archived(place: &Place) -> Vec<String> {
    let entries = fs::read_dir(place.path("docs/context/archive")).unwrap().flatten();
    let mut names: Vec<String> = entries.map(|entry| entry.file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// CY-09: a merge into a working tree with changes of its own: where they clash nothing is moved, and that is said; where
/// they do not, the tree follows and the changes stay.
#[test]
fn cy09_a_merge_into_a_dirty_tree() {
    let place = repository();
    fs::write(place.path("notes.txt"), "one\n").unwrap();
    git(&place, &["add", "notes.txt"]);
    git(&place, &["commit", "-q", "-m", "notes"]);
    assert_eq!(begin(&place).code, 3);
    assert_eq!(answer(&place, "APPROVED").code, 3);
    let head = git(&place, &["rev-parse", "main"]);
    fs::write(place.path("docs/a.md"), "# Mine\n").unwrap();
    let clashed = answer(&place, "MERGE_APPROVED");
    assert!(
        clashed.code == 3 && clashed.stderr.contains("where the merge would write (docs/a.md)"),
        "{}",
        clashed.shown()
    );
    assert_eq!(git(&place, &["rev-parse", "main"]), head, "nothing is moved");
    assert_eq!(fs::read_to_string(place.path("docs/a.md")).unwrap(), "# Mine\n");
    git(&place, &["checkout", "-q", "docs/a.md"]);
    fs::write(place.path("notes.txt"), "mine\n").unwrap();
    git(&place, &["add", "notes.txt"]);
    let staged = place.run(&["resume", "last"]);
    assert!(staged.code == 3 && staged.stderr.contains("staged changes (notes.txt)"), "{}", staged.shown());
    git(&place, &["reset", "-q"]);
    let merged = place.run(&["resume", "last"]);
    assert!(merged.code == 3 && merged.stderr.contains("may it be deleted"), "{}", merged.shown());
    assert_eq!(git(&place, &["status", "--short", "-uno"]), " M notes.txt\n", "the tree follows beside it");
    assert_eq!(fs::read_to_string(place.path("notes.txt")).unwrap(), "mine\n");
    assert!(fs::read_to_string(place.path("docs/a.md")).unwrap().contains("The harbour guide"));
}

/// CY-04: a dirty tree at the start is told, and left alone.
#[test]
fn cy04_a_dirty_tree_at_the_start() {
    let place = repository();
    fs::write(place.path("docs/b.md"), "# Mine And Not Committed\n").unwrap();
    fs::write(place.path("new.md"), "# New\n").unwrap();
    let began = begin(&place);
    assert!(began.stderr.contains("in no commit (docs/b.md, new.md): agents do not see them"), "{}", began.shown());
    assert_eq!(fs::read_to_string(place.path("docs/b.md")).unwrap(), "# Mine And Not Committed\n");
}

/// CY-04, CY-08: the Human goes back to what stood before a loop; what came after it is kept, and is no part of the branch.
#[test]
fn cy04_back_to_what_stood_before_a_loop() {
    let place = place_of(PLAN, "echo line >> docs/a.md", NOT_MET, "[cycle]\ninsufficient = 2\n");
    assert_eq!(run(&place).code, 3);
    let branch = status(&place)["details"]["branch"].as_str().unwrap().to_string();
    let commits = |place: &Place| git(place, &["log", "--format=%h", &format!("main..{branch}")]).lines().count();
    assert_eq!(commits(&place), 2);
    let left = git(&place, &["rev-parse", &branch]);
    let unknown = answer(&place, "REVISION_REQUESTED: back to loop 7");
    assert!(unknown.code == 1 && unknown.stderr.contains("1, 2"), "{}", unknown.shown());
    let told = place.run(&["cycle", "status"]);
    assert!(told.stdout.contains("back to loop N"), "{}", told.shown());
    let back = answer(&place, "REVISION_REQUESTED: back to loop 2, and more slowly");
    assert_eq!(back.code, 3, "{}", back.shown());
    assert_eq!(commits(&place), 3, "one of before, and those of two loops");
    let run = status(&place)["run"].as_str().unwrap().to_string();
    assert_eq!(git(&place, &["rev-parse", &format!("refs/multiverse/{run}/left-before-loop-3")]), left);
    let record = fs::read_to_string(place.path("docs/context/current_cycle.md")).unwrap();
    assert!(record.contains("back to loop 2, and more slowly"), "{record}");
}

/// CY-12: forbidden commands do not run, the try is told; a check that would run one is refused before anything begins.
#[test]
fn cy12_forbidden_commands() {
    let settings = "[cycle]\nloops = 1\nforbidden = [\"git push\"]\n";
    let place = place_of(PLAN, "git push origin main; echo line >> docs/a.md", MET, settings);
    let ran = run(&place);
    assert!(ran.stderr.contains("`git push origin main` was tried, and is forbidden"), "{}", ran.shown());
    let record = fs::read_to_string(place.path("docs/context/current_cycle.md")).unwrap();
    assert!(record.contains("- Result: FAIL"), "{record}");
    assert_eq!(git(&place, &["log", "--format=%s", "--all", "--not", "main"]), "", "nothing of it is kept");
    let checks = format!("{settings}\n[checks.deploy]\ncommand = \"make && git push origin main\"\n");
    let refused = place_of(PLAN, "true", MET, &checks);
    let ran = run(&refused);
    assert!(ran.code == 1 && ran.stderr.contains("[checks.deploy] runs what [cycle] forbids"), "{}", ran.shown());
    assert!(!refused.path("docs/context").exists(), "nothing was begun");
}

/// CY-05: a Judge that passes against the checks is not followed, and the Human is asked.
#[test]
fn cy05_a_judge_that_passes_without_checks() {
    let checks = "[checks.tests]\ncommand = \"echo broken; exit 7\"\n";
    let place = place_of(PLAN, "echo line >> docs/a.md", MET, checks);
    let ran = run(&place);
    assert!(ran.code == 3 && ran.stderr.contains("`tests` failed with code 7"), "{}", ran.shown());
    let view = status(&place);
    assert!(view["waits"][0]["text"].as_str().unwrap().contains("the Judge cannot be followed"), "{view:#}");
    let record = fs::read_to_string(place.path("docs/context/current_cycle.md")).unwrap();
    assert!(!record.contains("- Result: PASS"), "{record}");
}

/// CY-09, CY-10: a pull request is asked for where the project says how; the archive has its number.
#[test]
fn cy09_a_pull_request() {
    let command =
        "test \"$MULTIVERSE_BASE\" = main && test -f \"$MULTIVERSE_RECORD\" && echo opened https://example.org/pull/42";
    let settings = format!("[cycle]\npull_request = '{command}'\n");
    let place = place_of(PLAN, "echo line >> docs/a.md", MET, &settings);
    assert_eq!(run(&place).code, 3);
    let asked = answer(&place, "APPROVED");
    assert!(asked.stderr.contains("pull request 42: opened https://example.org/pull/42"), "{}", asked.shown());
    assert_eq!(answer(&place, "MERGE_APPROVED").code, 3);
    assert_eq!(answer(&place, "DELETE_APPROVED").code, 0);
    assert_eq!(archived(&place), ["42_make-it-so.md"]);
    let broken = place_of(PLAN, "echo line >> docs/a.md", MET, "[cycle]\npull_request = \"echo no key; exit 3\"\n");
    assert_eq!(run(&broken).code, 3);
    let asked = answer(&broken, "APPROVED");
    assert!(
        asked.stderr.contains("there is no pull request: the command ended with code 3: no key"),
        "{}",
        asked.shown()
    );
}

/// CY-14: pictures of the record, under their right names.
#[test]
fn cy14_pictures_of_the_record() {
    let assets = "mkdir -p docs/context/assets; echo x > docs/context/assets";
    let wrong = place_of(PLAN, &format!("{assets}/Login.PNG"), MET, "[cycle]\nloops = 1\n");
    let ran = run(&wrong);
    assert!(ran.stderr.contains("_login.png") && ran.stderr.contains("pictures of the record"), "{}", ran.shown());
    let right = place_of(PLAN, &format!("{assets}/2026-01-31_14-05-30_login.png"), MET, "");
    assert_eq!(run(&right).code, 3);
    assert_eq!(
        status(&right)["details"]["changed"]["files"],
        json!(["docs/context/assets/2026-01-31_14-05-30_login.png"])
    );
    fs::write(right.path("docs/context/assets/x.png"), "x").unwrap();
    let told = right.run(&["cycle", "status"]);
    assert!(told.stdout.contains("assets/x.png is not named"), "{}", told.shown());
}

/// CY-08: a critical error ends the cycle as failed, and the record says what it was.
#[test]
fn cy08_a_critical_error_is_told() {
    let place = repository();
    let ran = place.run(&["run", "--protocol", "cycle", "Paint the boat in blue."]);
    assert_eq!(ran.code, 4, "{}", ran.shown());
    assert!(!ran.stderr.contains("retry"), "there is nothing to retry: {}", ran.shown());
    let names = archived(&place);
    assert!(names.len() == 1 && names[0].ends_with("_failed.md"), "{names:?}");
    let path = format!("docs/context/archive/{}", names[0]);
    let record = fs::read_to_string(place.path(&path)).unwrap();
    assert!(
        record.contains("A critical error ended the cycle") && record.contains("only goals over text files"),
        "{record}"
    );
    assert_eq!(place.run(&["cycle", "check", &path]).code, 0, "what is written is strict");
    let why = place.run(&["explain", "last"]);
    assert!(why.stdout.contains("only goals over text files"), "{}", why.shown());
    let next = begin(&place);
    assert!(next.code == 3 && next.stderr.contains("2:1:1"), "the next goal has the next number: {}", next.shown());
}

/// CY-08: a cycle that is cancelled has its record in the archive at once, and another goal may begin.
#[test]
fn cy08_a_cancelled_cycle_is_archived() {
    let place = repository();
    assert_eq!(begin(&place).code, 3);
    assert_eq!(place.run(&["cancel", "last"]).code, 0);
    assert!(archived(&place)[0].ends_with("_incomplete.md"), "{:?}", archived(&place));
    assert_eq!(begin(&place).code, 3);
}

/// CY-03: a question of the Planner is shown in all its words, and the answer goes back to it, word for word.
#[test]
fn cy03_a_question_and_its_answer() {
    let ask = r#""result":"CLARIFICATION_NEEDED","question":"Which list?\nThe old one, or the new one?""#;
    let place = place_of(ask, "true", MET, "");
    let asked = run(&place);
    assert!(asked.code == 3 && asked.stderr.contains("The old one, or the new one?"), "{}", asked.shown());
    let words = "the *old* one, line by line | exactly";
    assert_eq!(answer(&place, words).code, 3);
    let calls = place.path(".multiverse/calls");
    let told = fs::read_dir(fs::read_dir(calls).unwrap().next().unwrap().unwrap().path()).unwrap().flatten();
    let told: Vec<String> = told.map(|entry| fs::read_to_string(entry.path()).unwrap()).collect();
    assert!(told.iter().any(|call| call.contains(&format!(r#""human_said":["{words}"]"#))), "{told:#?}");
}

/// CY-17: documents are written with mode 644 whatever the umask is; a file that is there keeps its mode.
#[test]
fn cy17_documents_can_be_read_by_all() {
    let place = place_of(PLAN, "echo y > docs/a.md", MET, "");
    fs::remove_file(place.path("multiverse.toml")).unwrap();
    let strictly = |arguments: &[&str]| {
        let program = place.command(&[]).get_program().to_owned();
        let mut shell = std::process::Command::new("/bin/sh");
        shell.args(["-c", r#"umask 077; exec "$0" "$@""#]).arg(program).args(arguments);
        shell.current_dir(place.path("")).env_clear().envs(std::env::vars().filter(|(name, _)| name == "PATH"));
        shell.env("USER", "ada").env("MULTIVERSE_TRUST", "all").output().unwrap()
    };
    let mode = |path: &str| fs::metadata(place.path(path)).unwrap().permissions().mode() & 0o777;
    assert_eq!(strictly(&["init", "--protocol", "cycle"]).status.code(), Some(0));
    for path in ["multiverse.toml", "docs/context/README.md", "docs/context/assets/README.md"] {
        assert_eq!(mode(path), 0o644, "{path}");
    }
    let record = "docs/context/current_cycle.md";
    let begun = strictly(&["run", "--protocol", "cycle", "Make it so.", "--agent", "command:./agent"]);
    assert_eq!((begun.status.code(), mode(record)), (Some(3), 0o644));
    fs::set_permissions(place.path(record), fs::Permissions::from_mode(0o664)).unwrap();
    assert_eq!(strictly(&["answer", "last", "APPROVED"]).status.code(), Some(3));
    assert_eq!(mode(record), 0o664);
}

/// CY-17: the settings of a new project; one that has some keeps them.
#[test]
fn cy17_settings_of_a_new_project() {
    let place = Place::with(&[]);
    assert_eq!(place.run(&["init", "--protocol", "cycle"]).code, 0);
    let shown = place.run(&["config", "show", "cycle"]);
    assert!(
        shown.code == 0 && shown.stdout.contains("cycle.lines") && shown.stdout.contains("150"),
        "{}",
        shown.shown()
    );
    let text = fs::read_to_string(place.path("multiverse.toml")).unwrap();
    let bare = text.replace("\n# [", "\n[").replace("\n# command", "\ncommand").replace("\n# seconds", "\nseconds");
    let bare = bare
        .replace("\n# required", "\nrequired")
        .replace("\n# answer", "\nanswer")
        .replace("\n# silence", "\nsilence");
    fs::write(
        place.path("multiverse.toml"),
        bare.replace("\n# forbidden", "\nforbidden").replace("\n# pull", "\npull"),
    )
    .unwrap();
    let all = place.run(&["config", "show", "checks"]);
    assert!(all.code == 0 && all.stdout.contains("make audit"), "what is commented out can be set: {}", all.shown());
    let own = Place::with(&[("multiverse.toml", b"jobs = 2\n")]);
    let made = own.run(&["init", "--protocol", "cycle"]);
    assert!(made.stderr.contains("is there already"), "{}", made.shown());
    assert_eq!(fs::read_to_string(own.path("multiverse.toml")).unwrap(), "jobs = 2\n");
}

/// What a model says that plays all three parts.
fn modelled(body: &Value, _: usize) -> Vec<u8> {
    let told = body["messages"].to_string();
    let wrote = body["messages"].as_array().into_iter().flatten().any(|message| message["role"] == "tool");
    let done =
        |result: &str| says(&format!(r#"{{"status":"done","summary":"said","result":{{{result},"confidence":8}}}}"#));
    match () {
        () if told.contains("You are the Judge") => done(MET),
        () if told.contains("You are the Actor") && !wrote && !told.contains("closing steps") => {
            calls("write_file", &json!({"file_path": "data/list.md", "content": "# The list\n"}))
        }
        () if told.contains("You are the Actor") => done(r#""result":"SUCCESS","what_changed":"a list""#),
        () => done(&PLAN.replace("docs/a.md", "data/list.md")),
    }
}

/// CY-03, CY-04, CY-05, CY-11: a model is told the goal and its part, changes files with its tools, and is heard.
#[test]
fn cy03_a_model_plays_all_parts() {
    let served = Served::with(modelled);
    let place = repository();
    let goal = "There is a list in data/.";
    let ran = place.run(&["run", "--protocol", "cycle", goal, "--agent", &served.agent()]);
    assert_eq!(ran.code, 3, "{}", ran.shown());
    let view = status(&place);
    assert_eq!(view["details"]["changed"]["files"], json!(["data/list.md"]), "{view:#}");
    let asked = served.asked();
    assert!(asked.iter().all(|body| body["messages"].to_string().contains(goal)), "everybody knows the goal");
    let judged = asked.iter().map(|body| body["messages"].to_string()).find(|told| told.contains("You are the Judge"));
    assert!(judged.unwrap().contains("1 lines were changed, in data/list.md"), "and what was measured");
    assert_eq!(answer(&place, "APPROVED").code, 3);
    assert_eq!(answer(&place, "MERGE_APPROVED").code, 3);
    assert_eq!(answer(&place, "DELETE_APPROVED").code, 0);
    assert_eq!(fs::read_to_string(place.path("data/list.md")).unwrap(), "# The list\n");
}
