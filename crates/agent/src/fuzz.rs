//! Owns one function per thing that comes from outside (QL-25): it takes any bytes and fails only by panicking. The
//! seeded mutation loop of the tests and fuzzing engines call the same functions. Must not be used by anything else.

use serde_json::{Value, json};

use crate::contract::{Brief, Report};
use crate::limits::MAX_PROBLEMS;
use crate::{
    Backend, Ending, Format, Job, Meter, Script, Which, check_report, parse_kind, path_problem, schema, validate,
};

/// Reads a brief; what can be read is written the same way twice.
pub fn fuzz_brief(bytes: &[u8]) {
    let Ok(value) = serde_json::from_slice::<Value>(bytes) else { return };
    assert!(validate(&schema(Which::Brief), &value).len() <= MAX_PROBLEMS);
    // Any value may stand where a schema is expected: briefs carry one.
    assert!(validate(&value, &value).len() <= MAX_PROBLEMS);
    if let Ok(brief) = serde_json::from_value::<Brief>(value) {
        let written = serde_json::to_vec(&brief).unwrap_or_default();
        let again: Option<Brief> = serde_json::from_slice(&written).ok();
        assert_eq!(again.as_ref(), Some(&brief), "read, written, read");
        let _ = check_report(&brief, b"{\"status\": \"done\", \"result\": {\"tasks\": [1, {}]}}");
    }
}

/// Finds a report, and checks it against a demanding brief.
pub fn fuzz_report(bytes: &[u8]) {
    let mut brief = Brief::new("run-1", "multiverse", "executor", "execute");
    check(&brief, bytes);
    brief.expects.outputs = vec!["runs/run-1/a.md".into()];
    brief.expects.result = json!({"type": "object", "required": ["tasks"], "properties": {"tasks": {
        "type": "array", "minItems": 1, "items": {"type": "object", "additionalProperties": false}}}})
    .into();
    check(&brief, bytes);
}

/// Reads a script both ways, and plays it.
pub fn fuzz_script(bytes: &[u8]) {
    for format in [Format::Json, Format::Yaml] {
        match Script::parse("s", format, bytes) {
            Err(problems) => assert!(!problems.is_empty()),
            // Entries that wait would hold up the loop, and nothing else.
            Ok(script) if script.pace() == crate::Pace::Slow => {}
            Ok(script) => {
                let mut brief = Brief::new("run-1", "multiverse", "executor", "execute");
                brief.item.insert("task_id".into(), "T1".into());
                let job = Job {
                    brief,
                    project: "/p".into(),
                    workdir: "/p/w".into(),
                    readable: Vec::new(),
                    meter: Meter::default(),
                };
                let ending = script.work(&job, &tools::Stop::new(), &|_| {});
                assert!(!matches!(ending, Ending::Waiting | Ending::Stopped), "{ending:?}");
            }
        }
    }
}

/// Reads what stands after `--agent`.
pub fn fuzz_kind(bytes: &[u8]) {
    let _ = parse_kind(&String::from_utf8_lossy(bytes));
}

fn check(brief: &Brief, bytes: &[u8]) {
    match check_report(brief, bytes) {
        Err(problems) => assert!((1..=MAX_PROBLEMS).contains(&problems.len()), "{problems:?}"),
        Ok(report) => {
            for output in &report.outputs {
                assert_eq!(path_problem(&output.path), None);
            }
            let written = serde_json::to_vec(&report).unwrap_or_default();
            assert_eq!(serde_json::from_slice::<Report>(&written).ok(), Some(report), "read, written, read");
        }
    }
}
