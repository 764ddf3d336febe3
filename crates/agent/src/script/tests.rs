//! The script backend as its format's page describes it.

use std::cell::RefCell;

use serde_json::json;

use super::*;

fn script(entries: &serde_json::Value) -> Script {
    Script::parse("s.json", Format::Json, entries.to_string().as_bytes()).unwrap()
}

fn job(action: &str, task: &str, attempt: u32) -> Job {
    let mut brief = Brief::new("run-1", "multiverse", "executor", action);
    brief.item.insert("task_id".into(), task.into());
    brief.item.insert("stage_id".into(), "S01".into());
    brief.attempt = attempt;
    brief.expects.outputs = vec![format!("runs/run-1/{task}.md")];
    Job { brief, project: "/p".into(), workdir: "/p/w".into(), readable: Vec::new(), meter: crate::Meter::default() }
}

fn work(script: &Script, job: &Job) -> Ending {
    let said = RefCell::new(Vec::new());
    script.work(job, &Stop::new(), &|line| said.borrow_mut().push(line.to_string()))
}

fn summary(script: &Script, job: &Job) -> String {
    match work(script, job) {
        Ending::Report { report, .. } => report.summary,
        other => format!("{other:?}"),
    }
}

fn done(summary: &str) -> serde_json::Value {
    json!({"status": "done", "summary": summary})
}

/// MV-33: the most particular entry answers; of several, one after another; the last for ever.
#[test]
fn entries_are_matched_by_what_they_ask_for() {
    let script = script(&json!([
        {"action": "execute", "report": done("any")},
        {"action": "execute", "item": "T2", "report": done("first")},
        {"action": "execute", "item": "T2", "report": done("second")},
        {"action": "execute", "item": {"task_id": "T3", "stage_id": "S01"}, "report": done("by fields")},
        {"action": "execute", "item": "T4", "attempt": 2, "report": done("again")},
        {"report": done("whatever")},
    ]));
    assert_eq!(summary(&script, &job("execute", "T1", 1)), "any");
    assert_eq!(summary(&script, &job("execute", "T2", 1)), "first");
    assert_eq!(summary(&script, &job("execute", "T2", 1)), "second");
    assert_eq!(summary(&script, &job("execute", "T2", 2)), "second");
    assert_eq!(summary(&script, &job("execute", "T3", 1)), "by fields");
    assert_eq!(summary(&script, &job("execute", "T4", 1)), "any");
    assert_eq!(summary(&script, &job("execute", "T4", 2)), "again");
    assert_eq!(summary(&script, &job("judge", "T1", 1)), "whatever");
}

/// MV-33: what a brief is answered depends neither on the order of the others nor on a restart.
#[test]
fn answers_do_not_depend_on_who_asks_first() {
    let entries = json!([{"action": "execute", "report": done("one")}, {"action": "execute", "report": done("two")}]);
    let orders: [[(&str, u32); 4]; 3] = [
        [("T1", 1), ("T2", 1), ("T1", 2), ("T2", 2)],
        [("T2", 1), ("T2", 2), ("T1", 1), ("T1", 2)],
        [("T1", 1), ("T1", 2), ("T2", 1), ("T2", 2)],
    ];
    for order in orders {
        let script = script(&entries);
        for (task, attempt) in order {
            let expected = if attempt == 1 { "one" } else { "two" };
            assert_eq!(summary(&script, &job("execute", task, attempt)), expected, "{order:?}");
        }
    }
    assert_eq!(summary(&script(&entries), &job("execute", "T1", 2)), "two", "in a new process");
}

/// A report that names the run, its item and its outputs.
#[test]
fn places_in_a_script_are_filled() {
    let script = script(&json!([{"report": {"status": "done",
        "summary": "{run_id} {item} {item.stage_id} {action} {attempt} {output.0} {plan_target} {item.none} {{x}} {",
        "outputs": [{"path": "{output}", "content": "{\"a\": {item}}"}]}}]));
    let Ending::Report { report, .. } = work(&script, &job("execute", "T1", 3)) else { panic!("no report") };
    assert_eq!(report.summary, "run-1 T1 S01 execute 3 runs/run-1/T1.md {plan_target} {item.none} {{x}} {");
    assert_eq!(report.outputs[0].path, "runs/run-1/T1.md");
    assert_eq!(report.outputs[0].content.as_deref(), Some("{\"a\": T1}"));
}

/// QL-32: every fault of an agent can be played.
#[test]
fn faults_can_be_played() {
    let script = script(&json!([
        {"action": "raw", "raw": "not JSON"},
        {"action": "exit", "exit": 3, "log": "no disk"},
        {"action": "crash", "crash": true},
        {"action": "bad", "report": {"status": "finished"}},
        {"action": "slow", "delay_ms": 3_600_000, "report": done("late")},
    ]));
    let failed = |error: &str, log: &str| Ending::Failed { error: error.into(), log: log.into() };
    let broken = |problem: &str, said: &str| Ending::Broken {
        problems: vec![problem.into()],
        said: said.into(),
        log: String::new(),
    };
    let said = "there is no JSON object in what was printed; it begins with `not JSON`";
    assert_eq!(work(&script, &job("raw", "T1", 1)), broken(said, "not JSON"));
    let ended = failed("the agent ended with exit code 3 and no report: no disk", "no disk");
    assert_eq!(work(&script, &job("exit", "T1", 1)), ended);
    assert_eq!(work(&script, &job("crash", "T1", 1)), failed("the agent was ended by signal 9", ""));
    let word = "/status: found the string `finished`, expected one of `done`, `failed`, `paused`, `question`";
    assert_eq!(work(&script, &job("bad", "T1", 1)), broken(word, "{\"status\":\"finished\"}"));
    let stop = Stop::new();
    stop.stop();
    assert_eq!(script.work(&job("slow", "T1", 1), &stop, &|_| {}), Ending::Stopped);
    let mut late = job("slow", "T1", 1);
    late.brief.limits.seconds = 1;
    assert_eq!(work(&script, &late), failed("the agent did not end within 1 s, its limit", ""));
    assert_eq!(script.pace(), Pace::Slow);
    let none = failed("s.json has no entry for role executor, action judge, item T9, attempt 1", "");
    assert_eq!(work(&script, &job("judge", "T9", 1)), none);
}

fn check_file(format: Format, text: &str, expected: Result<usize, &[&str]>) {
    let found = Script::parse("s", format, text.as_bytes()).map(|script| script.entries.len());
    let expected = expected.map_err(|problems| problems.iter().map(ToString::to_string).collect::<Vec<_>>());
    assert_eq!(found, expected, "{text}");
}

#[test]
fn scripts_are_json_lines_or_yaml() {
    let (json, yaml) = (Format::Json, Format::Yaml);
    check_file(json, "[{\"exit\": 1}, {\"crash\": true}]", Ok(2));
    check_file(json, "{\"exit\": 1}\n\n{\"exit\": 2}\r\n", Ok(2));
    check_file(json, "{\n\"exit\": 1}\n", Ok(1));
    check_file(yaml, "- exit: 1\n- item: T1\n  report:\n    status: done\n    confidence: 7\n", Ok(2));
    check_file(yaml, "exit: 1\n", Ok(1));
    assert_eq!(Format::of(Path::new("a/b.yml")), yaml);
    assert_eq!(Format::of(Path::new("a/b.jsonl")), json);
}

#[test]
fn problems_of_a_script_name_entry_and_place() {
    let none: &[&str] = &["there are no entries: expected a list of them"];
    let fields = "role, action, plan_target, item, attempt, delay_ms, report, raw, later, exit, crash, log";
    check_file(Format::Json, "[]", Err(none));
    check_file(Format::Json, "", Err(none));
    check_file(Format::Yaml, "", Err(none));
    check_file(
        Format::Json,
        "[{\"exit\": 1}, 3, {\"reports\": {}}, {\"action\": \"a\"}]",
        Err(&[
            "entry 2: the whole: found the number 3, expected object",
            &format!("entry 3: /reports: is not known here, expected only {fields}"),
            "entry 4: says nothing, expected `report`, `raw`, `later`, `exit` or `crash`",
        ]),
    );
    check_file(
        Format::Json,
        "[{\"exit\": 256, \"attempt\": 0}]",
        Err(&["entry 1: /exit: found 256, expected 255 or less", "entry 1: /attempt: found 0, expected 1 or more"]),
    );
    check_file(Format::Json, "{\"exit\": 1}\n{\"exit\": }", Err(&["line 2 column 10: not JSON: expected value"]));
    check_file(Format::Json, "[{\"exit\": 1},\n]", Err(&["not JSON: trailing comma at line 2 column 1"]));
    check_file(
        Format::Json,
        "[{\"raw\": \"\", \"report\": {}}]",
        Err(&["entry 1: has `report` and `raw`, expected one of them"]),
    );
    check_file(
        Format::Yaml,
        "- &a\n  exit: 1\n- *a\n",
        Err(&["byte 17: an alias, which is not expanded: write it out"]),
    );
}

/// The page that describes the format shows a script that can be played.
#[test]
fn the_example_of_the_page_is_a_script() {
    let page = include_str!("../../../../docs/formats/script.md");
    let example = page.split("```yaml\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let script = Script::parse("page", Format::Yaml, example.as_bytes()).unwrap();
    assert_eq!(summary(&script, &job("execute", "T1", 1)), "did T1");
    assert!(matches!(work(&script, &job("execute", "T06", 1)), Ending::Broken { .. }));
    let Ending::Report { report, .. } = work(&script, &job("execute", "T06", 1)) else { panic!("no report") };
    assert_eq!(
        report.outputs,
        [crate::ReportOutput { path: "runs/run-1/T06.md".into(), content: Some("at last\n".into()) }]
    );
}
