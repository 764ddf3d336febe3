//! The commands on runs, as a user meets them: begun, agreed, carried out, asked about, stopped and taken up again.

use std::fs;

use crate::place::{Place, Ran};
use crate::scripted::{REQUEST, last, place, records, scripted, status, waiting, without_id};

fn ok(ran: &Ran) {
    assert_eq!(ran.code, 0, "{}", ran.shown());
}

/// MV-01
#[test]
fn init_makes_a_project_once() {
    let place = Place::with(&[]);
    let first = place.run(&["init"]);
    ok(&first);
    for path in
        ["db/process_runs.md", "db/knowledge_base_catalog.md", "db/user_instructions.md", "assets", "guidelines"]
    {
        assert!(place.path(path).exists(), "{path}");
    }
    assert!(first.stderr.contains("made db/process_runs.md\n"), "{}", first.shown());
    let before = records(&place);
    let second = place.run(&["init"]);
    ok(&second);
    assert!(second.stderr.starts_with("nothing was to do: "), "{}", second.shown());
    assert_eq!(records(&place), before);
}

/// MV-09, QL-36: without a terminal nobody is asked; the run waits, and the commands that answer it are printed.
#[test]
fn a_run_waits_durably_for_its_answer() {
    let place = place("");
    let ran = scripted(&place, &["run", REQUEST]);
    let run = last(&place);
    insta::assert_snapshot!(without_id(&ran, &run), @r#"
    exit code 3
    --- stderr
    RUN began
    INITIAL_RUN: it names a deliverable, "report"; no earlier run
    preparation planned (4 tasks)
        T00 Environment Setup … done
    4 phases planned
    │ # Proposal for RUN
    │
    │ ## Your request
    │
    │ > Make a report of the sales in assets.
    │
    │ ## Proposed instructions
    │
    │ 1. Count every sale once.
    │ 2. Write in plain words.
    │
    │ ## Formats
    │
    │ md
    │
    │ ## How to answer
    │
    │ - `multiverse confirm RUN`: it shall be so
    │ - `multiverse modify RUN "…"`: otherwise, in your own words; a new draft follows
    │ - `multiverse cancel RUN`: the run ends
    │ - `multiverse answer RUN new-request "…"`: something else altogether; a new draft follows
    waits for you: RUN
      the proposal in runs/RUN/feedback_for_user.md waits for your answer
        multiverse confirm RUN
        multiverse modify RUN "what to change"
        multiverse cancel RUN
    head DIGEST
    "#);
    assert_eq!(status(&place, &run), "AWAITING_CONFIRMATION");
}

/// MV-10, MV-27: once confirmed, every step is a line, and the files are data.
#[test]
fn a_confirmed_run_is_carried_out() {
    let place = place("");
    let run = waiting(&place);
    let confirmed = scripted(&place, &["confirm", &run]);
    insta::assert_snapshot!(without_id(&confirmed, &run), @"
    exit code 0
    --- stdout
    outputs/RUN/report.md
    --- stderr
    answered CONFIRM (ada)
        T02 Final Constitution Amendment … done
    inputs catalogued: 1 new or changed, 0 gone
        T03 Initial Knowledge Catalog Construction … done
        T04 Initial Analysis and Assetization … done (1 file)
    P01 planned (1 stage)
      S01 planned (1 task)
        T05 read the sales … done (1 file)
      S01 look closely … done
    P01 ANALYZING … done
    P02 planned (1 stage)
      S02 planned (1 task)
        T06 choose a way … done (1 file)
      S02 look closely … done
    P02 STRATEGIZING … done
    P03 planned (1 stage)
      S03 planned (1 task)
        T07 write it out … done (1 file)
      S03 look closely … done
    P03 REFINING_CONTENT … done
    P04 planned (1 stage)
      S04 planned (2 tasks)
        T08 plan the parts … done (1 file)
        T09 publish the report … done (1 file)
      S04 look closely … done
    P04 GENERATING_OUTPUT … done
    │ [Job Completed] Your requested job (Run: RUN) has been successfully completed.
    │
    │ - You can find the final results at the following path:
    │   outputs/RUN/
    done: RUN
    head DIGEST
    ");
    assert_eq!(status(&place, &run), "COMPLETED");
}

/// MV-02, MV-27: `--yes` confirms, and it is recorded by whom; the files are data, and so is each notice with --json.
#[test]
fn a_bare_request_with_yes_runs_to_its_end() {
    let place = place("");
    let ran = scripted(&place, &[REQUEST, "--yes"]);
    ok(&ran);
    let run = last(&place);
    assert_eq!(ran.stdout, format!("outputs/{run}/report.md\n"));
    assert!(
        ran.stderr.contains("INITIAL_RUN: it names a deliverable, \"report\"; no earlier run\n"),
        "{}",
        ran.shown()
    );
    assert!(ran.stderr.contains("answered CONFIRM (by --yes, "), "{}", ran.shown());
    assert!(ran.stderr.contains("[Job Completed]"), "{}", ran.shown());
    let again = scripted(&place, &["run", REQUEST, "--yes", "--json"]);
    ok(&again);
    let lines = again.json();
    let end = lines.last().unwrap();
    assert_eq!(end["status"], "COMPLETED");
    assert_eq!(lines[0]["notice"]["kind"], "started");
    assert!(lines.iter().any(|line| line["mode"]["mode"] == "CONTINUOUS_RUN"), "{lines:?}");
    assert_eq!(end["outputs"][0], format!("outputs/{}/report.md", end["run"].as_str().unwrap()));
    assert!(
        lines.iter().any(|line| line["notice"]["kind"] == "completed" && line["notice"]["item"] == "P04"),
        "{lines:?}"
    );
    assert!(lines.iter().any(|line| line["notice"]["kind"] == "message" && line["notice"]["about"] == "completion"));
    assert_eq!(again.stderr, "");
}

/// MV-03: at once, and nothing of it in any table.
#[test]
fn a_simple_task_is_answered_at_once() {
    let place = place("");
    ok(&place.run(&["init"]));
    let before = fs::read(place.path("db/process_runs.md")).unwrap();
    let script =
        "[{\"action\": \"execute\", \"report\": {\"status\": \"done\", \"summary\": \"seven\\u001b[2J units\"}}]";
    fs::write(place.path("simple.json"), script).unwrap();
    for arguments in
        [&["do", "count the units"][..], &["run", "count the units"], &["run", REQUEST, "--mode", "simple"]]
    {
        let ran = place.run(&[arguments, &["--agent", "script:simple.json"]].concat());
        assert_eq!((ran.code, ran.stdout.as_str()), (0, "seven␛[2J units\n"), "{}", ran.shown());
    }
    assert_eq!(fs::read(place.path("db/process_runs.md")).unwrap(), before);
    assert_eq!(fs::read_dir(place.path("runs")).unwrap().count(), 0);
}

/// MV-10: any number of rounds, and an answer that is none changes nothing.
#[test]
fn a_proposal_is_answered_in_words() {
    let place = place("");
    let run = waiting(&place);
    let before = records(&place);
    let ran = scripted(&place, &["answer", &run, "yes please"]);
    insta::assert_snapshot!(without_id(&ran, &run), @r#"
    exit code 1
    --- stderr
    error: "yes please" is no answer to a proposal
    hint: valid answers: CONFIRM, MODIFY with what to change, CANCEL, NEW_REQUEST with the request
    "#);
    assert_eq!(records(&place), before);
    assert_eq!(scripted(&place, &["modify", &run, "Only", "February."]).code, 3);
    assert_eq!(scripted(&place, &["answer", &run, "NEW_REQUEST", "Make a report of January."]).code, 3);
    assert!(fs::read_to_string(place.path("db/process_runs.md")).unwrap().contains("Make a report of January."));
    let cancelled = place.run(&["cancel", &run]);
    ok(&cancelled);
    assert_eq!(status(&place, &run), "FAILED");
    insta::assert_snapshot!(without_id(&place.run(&["cancel", &run]), &run), @"
    exit code 1
    --- stderr
    error: RUN is FAILED and cannot be changed again
    hint: `multiverse retry RUN` starts a new run that goes on from there
    ");
}

/// MV-10: one answer counts, whoever gives it first.
#[test]
fn of_two_that_confirm_at_once_one_wins() {
    let place = place("");
    let run = waiting(&place);
    let confirm = || place.command(&["confirm", &run, "--no-run"]).output();
    let (one, other) = std::thread::scope(|scope| {
        let one = scope.spawn(confirm);
        let other = confirm();
        (Ran::of(one.join().unwrap().unwrap()), Ran::of(other.unwrap()))
    });
    let mut codes = [one.code, other.code];
    codes.sort_unstable();
    assert_eq!(codes, [0, 1], "{}\n{}", one.shown(), other.shown());
    let refused = if one.code == 1 { one } else { other };
    assert!(refused.stderr.contains("does not wait for an answer"), "{}", refused.shown());
    ok(&scripted(&place, &["resume", &run]));
}

/// MV-25, MV-26: the report is shown, and says what and why; `retry` goes on from there.
#[test]
fn a_failed_run_shows_its_report_and_can_be_retried() {
    let place = place("- {action: execute, item: T06, report: {status: failed, error: \"no way \\e[31mforward\"}}\n");
    let ran = scripted(&place, &["run", REQUEST, "--yes"]);
    let run = last(&place);
    assert_eq!(ran.code, 4, "{}", ran.shown());
    assert!(ran.stderr.contains("no way ␛[31mforward"), "{}", ran.shown());
    assert!(ran.stderr.contains(&format!("hint: `multiverse retry {run}`")), "{}", ran.shown());
    assert!(!ran.stderr.contains('\u{1b}'), "QL-34");
    let shown = place.run(&["status", &run]);
    assert!(shown.stdout.contains("FAILED"), "{}", shown.shown());
    for command in ["confirm", "pause", "cancel", "resume"] {
        let before = records(&place);
        let refused = place.run(&[command, &run]);
        assert_eq!(refused.code, 1, "{}", refused.shown());
        assert!(refused.stderr.contains("FAILED"), "{}", refused.shown());
        assert_eq!(records(&place), before, "{command}");
    }
    let script = fs::read_to_string(place.path("script.yaml")).unwrap();
    fs::write(
        place.path("script.yaml"),
        script.lines().filter(|line| !line.contains("failed")).collect::<Vec<_>>().join("\n"),
    )
    .unwrap();
    let retried = scripted(&place, &["retry", &run]);
    ok(&retried);
    let new = last(&place);
    assert_ne!(new, run);
    assert_eq!(status(&place, &new), "COMPLETED");
    let refused = scripted(&place, &["retry", &new]);
    assert_eq!(refused.code, 1, "{}", refused.shown());
    assert!(refused.stderr.contains("only a FAILED run can be retried"), "{}", refused.shown());
}

/// QL-36: a question waits, and is answered by a command.
#[test]
fn a_question_waits_in_the_inbox() {
    let asks = "- {action: execute, item: T05, attempt: 1, report: {status: question, question: \"Which year?\"}}\n";
    let place = place(asks);
    let ran = scripted(&place, &["run", REQUEST, "--yes"]);
    let run = last(&place);
    assert_eq!(ran.code, 3, "{}", ran.shown());
    insta::assert_snapshot!(without_id(&place.run(&["inbox"]), &run), @r#"
    exit code 0
    --- stdout
    RUN                      question
      T05 read the sales: Which year?
        multiverse answer RUN "your answer"
    "#);
    let answered = scripted(&place, &["answer", &run, "The", "last", "one."]);
    ok(&answered);
    assert_eq!(place.run(&["inbox"]).code, 5);
    let log = place.run(&["logs", &run, "T05"]);
    assert!(log.stdout.contains("Which year?") && log.stdout.contains("The last one."), "{}", log.shown());
}

/// A person plays a role: the brief is in the inbox, the work is handed in as a file or a report.
#[test]
fn a_person_hands_in_work() {
    let place = place("");
    let arguments = ["run", REQUEST, "--yes", "--agent", "script:script.yaml", "--agent", "executor=person"];
    let ran = place.run(&arguments);
    let run = last(&place);
    assert_eq!(ran.code, 3, "{}", ran.shown());
    let inbox = place.run(&["inbox", &run]);
    assert!(inbox.stdout.contains("is yours to do"), "{}", inbox.shown());
    let before = records(&place);
    for (arguments, expected) in [
        (&["answer", "last", "it is done"][..], "waits for work, not for words"),
        (&["answer", "last", "--report", "script.yaml"], "refused"),
        (&["answer", "last", "--attempt", "999", "--file", "script.yaml"], "attempt 999"),
        (&["answer", "last", "--file", "gone.md"], "cannot read gone.md"),
    ] {
        let refused = place.run(arguments);
        assert_eq!(refused.code, 1, "{}", refused.shown());
        assert!(refused.stderr.contains(expected), "{}", refused.shown());
    }
    assert_eq!(records(&place), before);
    fs::write(place.path("mine.md"), "# By hand\n").unwrap();
    let person = ["--agent", "script:script.yaml", "--agent", "executor=person"];
    let mut rounds = 0;
    while status(&place, &run) == "PENDING" {
        let ran = place.run(&[&["answer", &run, "--file", "mine.md"], &person[..]].concat());
        assert!([0, 3].contains(&ran.code), "{}", ran.shown());
        rounds += 1;
        assert!(rounds < 20);
    }
    assert_eq!(status(&place, &run), "COMPLETED");
    assert_eq!(fs::read_to_string(place.path(format!("outputs/{run}/report.md"))).unwrap(), "# By hand\n");
}

#[test]
fn a_run_is_paused_and_goes_on() {
    let place = place("");
    let run = waiting(&place);
    ok(&place.run(&["pause", &run]));
    let again = place.run(&["pause", &run]);
    assert_eq!(again.code, 1, "{}", again.shown());
    assert!(place.run(&["status"]).stdout.contains("  paused  "));
    ok(&scripted(&place, &["resume", "--yes"]));
    assert_eq!(status(&place, &run), "COMPLETED");
    let over = scripted(&place, &["resume", &run]);
    assert_eq!(over.code, 1);
    assert!(over.stderr.contains("COMPLETED and cannot be changed again"), "{}", over.shown());
    assert_eq!(scripted(&place, &["resume"]).code, 5);
    assert_eq!(scripted(&place, &["resume", "--all"]).code, 5);
}

/// The table of runs fits, whatever was asked for.
#[test]
fn status_lists_runs_and_shows_one() {
    let place = place("");
    let nothing = place.run(&["init"]);
    ok(&nothing);
    let empty = place.run(&["status"]);
    assert_eq!((empty.code, empty.stdout.as_str()), (5, ""), "{}", empty.shown());
    let run = waiting(&place);
    insta::assert_snapshot!(without_id(&place.run(&["status"]), &run), @"
    exit code 0
    --- stdout
    run                      state          tasks  request
    RUN                      waits for you  1/4    Make a report of the sales in assets.
    ");
    ok(&scripted(&place, &["confirm", "run-"]));
    insta::assert_snapshot!(without_id(&place.run(&["status", "last"]), &run), @"
    exit code 0
    --- stdout
    RUN                      done  COMPLETED  INITIAL_RUN  9/9 tasks done
    │ Make a report of the sales in assets.
    T00 Environment Setup                                                                             COMPLETED
    T02 Final Constitution Amendment                                                                  COMPLETED
    T03 Initial Knowledge Catalog Construction                                                        COMPLETED
    T04 Initial Analysis and Assetization                                                             COMPLETED
    P01 ANALYZING                                                                                     COMPLETED
      S01 look closely                                                                                COMPLETED
        T05 read the sales                                                                            COMPLETED
    P02 STRATEGIZING                                                                                  COMPLETED
      S02 look closely                                                                                COMPLETED
        T06 choose a way                                                                              COMPLETED
    P03 REFINING_CONTENT                                                                              COMPLETED
      S03 look closely                                                                                COMPLETED
        T07 write it out                                                                              COMPLETED
    P04 GENERATING_OUTPUT                                                                             COMPLETED
      S04 look closely                                                                                COMPLETED
        T08 plan the parts                                                                            COMPLETED
        T09 publish the report                                                                        COMPLETED
    ");
    assert_eq!(place.run(&["status"]).code, 5);
    ok(&place.run(&["status", "--all"]));
}

/// What happened, in words; nothing of it depends on the clock but the times.
#[test]
fn logs_tell_the_story_of_a_run() {
    let place = place("");
    ok(&scripted(&place, &["run", REQUEST, "--yes"]));
    let ran = place.run(&["logs", "last"]);
    ok(&ran);
    for words in [
        "began as INITIAL_RUN",
        "proposal: waits for an answer",
        "answered CONFIRM (by --yes",
        "given assets/sales.csv (input)",
        "T05 read the sales: done",
        "  done\n",
    ] {
        assert!(ran.stdout.contains(words), "{words}\n{}", ran.shown());
    }
    let item = place.run(&["logs", "last", "T05"]);
    assert!(
        item.stdout.lines().count() < ran.stdout.lines().count() && item.stdout.contains("T05"),
        "{}",
        item.shown()
    );
    let gone = place.run(&["logs", "last", "T99"]);
    assert_eq!(gone.code, 1, "{}", gone.shown());
    assert!(place.run(&["logs", "last", "--json"]).json().iter().any(|line| line["event"]["text"] == "done"));
}

/// `--dry-run` shows what would be proposed, and begins nothing.
#[test]
fn a_rehearsal_begins_nothing() {
    let place = place("");
    ok(&place.run(&["init"]));
    let before = records(&place);
    let ran = scripted(&place, &["run", REQUEST, "--dry-run"]);
    ok(&ran);
    assert!(ran.stdout.contains("Count every sale once."), "{}", ran.shown());
    assert_eq!(records(&place), before);
    assert_eq!(place.run(&["status", "--all"]).code, 5);
}

/// QL-40: with nothing configured the offline agent works, and it is said in one line.
#[test]
fn with_nothing_configured_offline_works() {
    let place = Place::with(&[("assets/sales.csv", b"month,units\nJan,3\nFeb,4\n")]);
    let ran = place.run(&["run", REQUEST, "--yes"]);
    ok(&ran);
    assert!(ran.stderr.starts_with("no agent is configured: offline works"), "{}", ran.shown());
    assert!(ran.stdout.starts_with("outputs/run-"), "{}", ran.shown());
}

/// A process whose agent works on T05 and takes long, with what it says and has said.
fn at_work() -> (Place, std::process::Child, std::io::BufReader<std::process::ChildStderr>, String) {
    let place = place("- {action: execute, item: T05, attempt: 1, delay_ms: 30000, report: {status: done}}\n");
    let mut command = place.command(&["run", REQUEST, "--yes", "-v", "--agent", "script:script.yaml"]);
    let mut child = command.stderr(std::process::Stdio::piped()).stdout(std::process::Stdio::null()).spawn().unwrap();
    let mut said = std::io::BufReader::new(child.stderr.take().unwrap());
    let mut all = String::new();
    while !all.contains("T05 read the sales … script:") {
        assert_ne!(std::io::BufRead::read_line(&mut said, &mut all).unwrap(), 0, "{all}");
    }
    (place, child, said, all)
}

/// SIGINT: the agents are asked to end, the run can be taken up again, and nothing is lost.
#[test]
fn an_interrupted_run_can_be_resumed() {
    let (place, mut child, mut said, mut all) = at_work();
    rustix::process::kill_process(rustix::process::Pid::from_child(&child), rustix::process::Signal::INT).unwrap();
    std::io::Read::read_to_string(&mut said, &mut all).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(1), "{all}");
    let run = last(&place);
    assert!(all.contains(&format!("`multiverse resume {run}` goes on with it")), "{all}");
    // Who was asked for at its beginning is kept with it.
    let resumed = place.run(&["resume", &run]);
    ok(&resumed);
    let said = "with the agents it began with: ";
    assert!(resumed.stderr.contains(said) && resumed.stderr.contains("script:script.yaml"), "{}", resumed.shown());
    assert_eq!(status(&place, &run), "COMPLETED");
}

/// The agents that a run began with work on it whoever takes it up, from any folder, unless others are asked for; what
/// may be a secret is not written down (QL-35).
#[test]
fn a_run_keeps_the_agents_it_began_with() {
    let failing = "- {action: execute, item: T06, attempt: 1, report: {status: failed, error: \"no way forward\"}}\n";
    let place = place(failing);
    ok(&place.run(&["init"]));
    fs::create_dir(place.path("below")).unwrap();
    let agents = ["--agent", "script:../script.yaml", "--agent", "communicator=command:/bin/false --token hush"];
    let ran = place.run(&[&["-C", "below", "run", REQUEST][..], &agents].concat());
    assert_eq!(ran.code, 3, "{}", ran.shown());
    assert!(ran.stderr.contains("may hold a secret, so it is not kept"), "{}", ran.shown());
    let run = last(&place);
    let asked = place.run(&["status", &run, "--json"]).json()[0]["asked"].clone();
    assert_eq!(asked, serde_json::json!([{"agent": "script:../script.yaml", "folder": "below"}]));
    for file in fs::read_dir(place.path(".multiverse/journal")).unwrap() {
        let journal = String::from_utf8_lossy(&fs::read(file.unwrap().path()).unwrap()).into_owned();
        assert!(!journal.contains("hush") && !journal.contains(&place.path("").display().to_string()), "{journal}");
    }
    let confirmed = place.run(&["confirm", &run]);
    assert_eq!(confirmed.code, 4, "{}", confirmed.shown());
    let said = |ran: &Ran| ran.stderr.contains("began with: script:../script.yaml");
    assert!(said(&confirmed), "{}", confirmed.shown());
    fs::write(place.path("script.yaml"), fs::read_to_string(place.path("script.yaml")).unwrap().replace(failing, ""))
        .unwrap();
    let retried = place.run(&["retry", &run, "--yes"]);
    ok(&retried);
    assert!(said(&retried), "{}", retried.shown());
    let asked = place.run(&["status", "last", "--json"]).json()[0]["asked"].clone();
    assert_eq!(asked[0]["folder"], "below");
}

/// What another live process drives is left to it, and it is said which.
#[test]
fn a_run_that_another_process_drives_is_left_to_it() {
    let (place, mut child, mut said, mut all) = at_work();
    let refused = scripted(&place, &["resume", "last"]);
    assert_eq!(refused.code, 1, "{}", refused.shown());
    assert!(refused.stderr.contains(&format!("driven by process {}", child.id())), "{}", refused.shown());
    // It is cancelled from here, and the process that drives it notices.
    ok(&place.run(&["cancel", "last"]));
    std::io::Read::read_to_string(&mut said, &mut all).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(4), "{all}");
}

#[test]
fn schemas_are_json() {
    let place = Place::with(&[]);
    for which in ["brief", "report"] {
        let ran = place.run(&["schema", which]);
        ok(&ran);
        let schema: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
        assert_eq!(schema["title"], which);
        assert_eq!(place.run(&["schema", which, "--json"]).json()[0], schema);
    }
}

/// The settings of a project, and what is wrong with them, with the place.
#[test]
fn a_project_is_configured_in_its_file() {
    let place = place("");
    let toml = "jobs = 2\n[agents]\ndefault = \"script:script.yaml\"\n";
    fs::write(place.path("multiverse.toml"), toml).unwrap();
    ok(&place.run(&["run", REQUEST, "--yes"]));
    let doctor = place.run(&["doctor"]);
    assert!(doctor.stdout.contains("well  agents: default = script:script.yaml\n"), "{}", doctor.shown());
    fs::write(place.path("multiverse.toml"), "jobs = 0\n[agents]\nplaner = \"offline\"\nplanner = \"codex:\"\n")
        .unwrap();
    let before = records(&place);
    let ran = place.run(&["run", REQUEST, "--yes"]);
    insta::assert_snapshot!(ran.shown(), @r#"
    exit code 1
    --- stderr
    multiverse.toml:3:1: there is no key `planer` below [agents]
      |
    3 | planer = "offline"
      | ^^^^^^
      = hint: valid keys: communicator, default, executor, planner
    multiverse.toml:1:8: jobs must be a whole number from 1 to 1000
      |
    1 | jobs = 0
      |        ^
      = hint: for example: jobs = 4
    multiverse.toml:4:11: `codex:`: no model stands after the colon: codex or codex:MODEL
      |
    4 | planner = "codex:"
      |           ^^^^^^^^
    error: multiverse.toml cannot be used: 3 problems
    "#);
    assert_eq!(records(&place), before);
    assert_eq!(place.run(&["doctor"]).code, 1);
    fs::write(place.path("multiverse.toml"), "[agents]\nexecutor = \"command:gone-from-here\"\n").unwrap();
    assert!(place.run(&["doctor"]).stdout.contains("there is no program \"gone-from-here\""));
}

/// Whoever begins beside documents that lie elsewhere is told where they are looked for.
#[test]
fn documents_beside_assets_are_told_of() {
    let place = Place::with(&[("letter.md", b"# Letter\n\nThe mill has 40 workers.\n"), ("sales.csv", b"a,b\n1,2\n")]);
    let ran = place.run(&["run", "Make a report of these documents.", "--yes"]);
    let hint = "agents read what is in assets/, and nothing is there; for the 2 documents that lie beside it: \
                `mkdir -p assets && cp *.csv *.md assets/`";
    assert!(ran.stderr.contains(hint), "{}", ran.shown());
    let place = Place::with(&[("letter.md", b"x\n"), ("assets/letter.md", b"The mill has 40 workers.\n")]);
    let ran = place.run(&["run", "Make a report of these documents.", "--yes"]);
    assert!(!ran.stderr.contains("lie beside"), "{}", ran.shown());
}
