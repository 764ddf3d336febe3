//! Servers that are programs: what they are shown as, and what becomes of those that are silent, flood or die.

use crate::*;

#[test]
fn tools_are_namespaced_called_and_bounded_by_17() {
    let stage = Stage::new();
    let mut plain = pretender("plain", &["good"]);
    plain.tools.deny = vec!["wa*".into()];
    let mut few = pretender("few", &["good"]);
    few.tools = ToolFilter { allow: vec!["e*".into()], deny: vec!["error".into()] };
    let mcp = start(&stage, &[plain, few], McpLimits::default());
    assert_eq!(mcp.problems(), Vec::<String>::new());
    let expected = ["count", "die", "echo", "error", "fail", "large", "picture", "say", "try", "variable"];
    let expected: Vec<String> = expected.iter().map(|name| format!("mcp__plain__{name}")).collect();
    assert_eq!(names(&mcp), [expected, vec!["mcp__few__echo".into()]].concat());
    assert_eq!(mcp.tools()[0].parameters, json!({"type": "object", "properties": {}}));
    assert_says(&call(&mcp, "mcp__plain__echo", json!({"a": 1})), Went::Well, &["{\"a\":1}"]);
    assert_says(&call(&mcp, "mcp__plain__echo", Value::Null), Went::Well, &["{}"]);
    assert_says(&call(&mcp, "mcp__plain__fail", json!({})), Went::Wrong, &["it did not work"]);
    assert_says(
        &call(&mcp, "mcp__plain__error", json!({})),
        Went::Wrong,
        &["\"error\" of the MCP server \"plain\" failed: wrong arguments"],
    );
    assert_says(
        &call(&mcp, "mcp__plain__picture", json!({})),
        Went::Well,
        &["[an image of image/png, 3 bytes: not shown]"],
    );
    let large = call(&mcp, "mcp__plain__large", json!({}));
    assert_says(&large, Went::Well, &["[cut here: of 10485760 bytes, 32000 are shown"]);
    assert!(large.text.len() < 33_000);
    assert_says(&call(&mcp, "mcp__plain__say", json!({})), Went::Well, &["said"]);
    assert_says(
        &call(&mcp, "mcp__plain__wait", json!({})),
        Went::Wrong,
        &["there is no tool", "valid: mcp__plain__count, "],
    );
    assert_says(&call(&mcp, "mcp__plain__echo", json!([1])), Went::Wrong, &["the arguments are no object"]);
    drop(mcp);
    stage.assert_nothing_left();
}

/// QL-30, QL-35: a server is confined like any program, and gets what it was given and nothing else.
#[test]
fn a_server_is_confined_ql_30() {
    let stage = Stage::new();
    let mcp = start(&stage, &[pretender("s", &["good"])], McpLimits::default());
    let written = |path: &Path| call(&mcp, "mcp__s__try", json!({"path": path})).text;
    assert_eq!(written(&stage.scratch().join("inside")), "written");
    let outside = stage.outside().join("file");
    assert_ne!(written(&outside), "written");
    assert_eq!(std::fs::read_to_string(outside).unwrap(), "untouched");
    let variable = |name: &str| call(&mcp, "mcp__s__variable", json!({"name": name})).text;
    assert_eq!(variable("KEY"), "[hidden]", "it has its key, and nobody else gets to see it");
    assert_eq!(variable("CARGO_MANIFEST_DIR"), "unset");
    assert!(!format!("{mcp:?}").contains("key-12345"));
}

/// QL-32: each of these is named, bounded, and keeps nobody from using the others.
#[test]
fn servers_that_cannot_be_used_are_named_ql_32() {
    let stage = Stage::new();
    let servers = [
        pretender("silent", &["silent"]),
        pretender("garbage", &["garbage"]),
        pretender("chatter", &["chatter"]),
        pretender("long", &["long-line"]),
        pretender("exit", &["exit"]),
        pretender("refuse", &["refuse"]),
        pretender("noisy", &["noisy"]),
        stdio("missing", "no-such-program", &[]),
        stdio("folder", stage.scratch(), &[]),
        by_http("wrong", "http://127.0.0.1:1/mcp"),
    ];
    let limits = McpLimits { initialize: Duration::from_secs(5), ..McpLimits::default() };
    let mcp = start(&stage, &servers, limits);
    let parts = [
        ("silent", "it does not answer within 5 seconds"),
        ("garbage", "it floods: it prints what is no message, without end"),
        ("chatter", "it floods: it sends messages that nobody asked for, without end"),
        ("long", "it floods: it says more at once than is taken in"),
        ("exit", "it ended before it answered; it ended with status 3; it logged: no license found for key [hidden]"),
        ("refuse", "it refuses the greeting: not today"),
        ("missing", "there is no program \"no-such-program\" on PATH"),
        ("folder", "it is a folder"),
        ("wrong", "the greeting failed"),
    ];
    assert_eq!(mcp.problems().len(), parts.len(), "{:#?}", mcp.problems());
    for (problem, (name, part)) in mcp.problems().iter().zip(parts) {
        let expected = format!("the MCP server {name:?} cannot be used: ");
        assert!(problem.starts_with(&expected) && problem.contains(part), "{problem:?} does not say {part:?}");
        assert!(problem.len() < 1_200 && !problem.contains("key-12345"), "{problem}");
    }
    assert_says(&call(&mcp, "mcp__noisy__echo", json!({})), Went::Well, &["{}"]);
    drop(mcp);
    stage.assert_nothing_left();
}

/// QL-32: a server that dies is started again once; then it is reported, and its tools say so.
#[test]
fn a_server_that_dies_is_started_again_once_ql_32() {
    let stage = Stage::new();
    let deaths = stage.scratch().join("deaths");
    let mcp = start(&stage, &[pretender("s", &["good", deaths.to_str().unwrap()])], McpLimits::default());
    let count = || call(&mcp, "mcp__s__count", json!({}));
    assert_eq!((count().text.as_str(), count().text.as_str()), ("1", "2"));
    let died = call(&mcp, "mcp__s__die", json!({}));
    assert_says(
        &died,
        Went::Wrong,
        &["it died during the call (it ended with status 7)", "it was started again: repeat the call"],
    );
    assert_eq!(count().text, "1", "another process counts from the beginning");
    assert_says(&call(&mcp, "mcp__s__die", json!({})), Went::Wrong, &["it died twice and is not started again"]);
    assert_says(&count(), Went::Wrong, &["cannot be used: it died twice"]);
    let noted = std::fs::read_to_string(deaths).unwrap();
    assert_eq!(noted, "died\ndied\n", "no call was done twice");
    drop(mcp);
    stage.assert_nothing_left();
}

/// QL-32: one that is killed between two calls is found dead before the next, and that one is done.
#[test]
fn a_server_that_was_killed_is_started_again_before_the_call_ql_32() {
    let stage = Stage::new();
    let mcp = start(&stage, &[pretender("s", &["good"])], McpLimits::default());
    let launcher = stage.launcher();
    let killed = std::process::Command::new("kill").args(["-9", &launcher]).status().unwrap();
    assert!(killed.success());
    // Its death is seen sooner or later; until then a call fails, and at most one does.
    let answer = call(&mcp, "mcp__s__echo", json!({}));
    let answer = if answer.went == Went::Well { answer } else { call(&mcp, "mcp__s__echo", json!({})) };
    assert_says(&answer, Went::Well, &["{}"]);
}

#[test]
fn calls_end_in_time_and_when_stopped_ql_32() {
    let stage = Stage::new();
    let mcp = start(&stage, &[pretender("s", &["good"])], McpLimits { initialize: Duration::from_secs(30), ..quick() });
    assert_says(&call(&mcp, "mcp__s__wait", json!({})), Went::Wrong, &["it took longer than"]);
    assert_says(&call(&mcp, "mcp__s__echo", json!({})), Went::Well, &["{}"]);
    let patient = start(&stage, &[pretender("s", &["good"])], McpLimits::default());
    let stop = Stop::new();
    let waiting = ToolCall { id: "1".into(), name: "mcp__s__wait".into(), arguments: json!({}) };
    let answer = std::thread::scope(|scope| {
        let called = scope.spawn(|| patient.call(&waiting, &stop));
        // Calls at the same time do not wait for each other.
        assert_says(&call(&patient, "mcp__s__echo", json!({})), Went::Well, &["{}"]);
        stop.stop();
        called.join().unwrap()
    });
    assert_says(&answer, Went::Wrong, &["stopped before it was done"]);
    let stopped = Stop::new();
    stopped.stop();
    let none = Mcp::start(&[pretender("s", &["good"])], settings(&stage), &stopped).unwrap();
    assert!(none.tools().is_empty() && none.problems()[0].contains("stopped"), "{:?}", none.problems());
}

/// BY-17: five thousand tools, tools without end, and tools with odd names or the names of ours.
#[test]
fn what_is_shown_of_a_server_is_bounded_by_17() {
    let stage = Stage::new();
    let servers = [pretender("many", &["many"]), pretender("endless", &["endless"]), pretender("odd", &["odd"])];
    let mcp = start(&stage, &servers, McpLimits::default());
    let names = names(&mcp);
    assert_eq!(names.len(), 128, "{names:?}");
    assert_eq!((names[0].as_str(), names[63].as_str()), ("mcp__many__tool-00000", "mcp__many__tool-00063"));
    let problems = mcp.problems().join("\n");
    assert!(problems.contains("\"many\" offers 5000 tools, of which 64 are shown"), "{problems}");
    assert!(problems.contains("\"endless\" offers 200 or more tools, of which 64 are shown"), "{problems}");
    assert!(
        problems.contains("\"odd\" offers 7 tools, of which 0 are shown: name those that are needed under `tools`"),
        "{problems}"
    );
    let mut one = pretender("many", &["many"]);
    one.tools.allow = vec!["tool-04999".into()];
    let mcp = start(&stage, &[one, pretender("odd", &["odd"])], McpLimits::default());
    assert_eq!(mcp.problems(), Vec::<String>::new());
    let long = format!("mcp__odd__{}", "long".repeat(50)).chars().take(64).collect::<String>();
    let expected = [
        "mcp__many__tool-04999",
        "mcp__odd__",
        "mcp__odd__a_b",
        "mcp__odd__a_b_2",
        "mcp__odd__a_b_3",
        &long,
        "mcp__odd__schema",
        "mcp__odd__web_fetch",
    ];
    assert_eq!(crate::names(&mcp), expected);
    assert_eq!(mcp.tools()[6].parameters, json!({"type": "object", "properties": {"p": {"type": "integer"}}}));
}

/// The newest revision of the protocol knows no greeting.
#[test]
fn servers_of_the_newest_revision_are_spoken_to() {
    let stage = Stage::new();
    let mcp = start(&stage, &[pretender("new", &["modern"])], McpLimits::default());
    assert_eq!(mcp.problems(), Vec::<String>::new());
    assert_says(&call(&mcp, "mcp__new__echo", json!({"a": 1})), Went::Well, &["{\"a\":1}"]);
}
