//! Everything that a model or a provider can do wrong (QL-32), and what is made of it.

use std::time::Duration;

use agent::Ending;
use serde_json::{Value, json};
use tools::Stop;

use crate::scene::{KEY, OUTPUT, Played, Scene, chat, chat_of, filed};
use crate::server::Reply;
use crate::tools_at_work::with_tools;

/// What a file's executor comes to after these replies: `file CONTENT`, `failed ERROR`, `broken PROBLEM` or `later REASON`.
fn check(replies: Vec<Reply>, expected: &str) -> Played {
    let played = Scene::new("openai", replies).for_a_file().play();
    let found = shown(&played.ending);
    assert!(found.starts_with(expected), "{found}\n{}", played.log());
    assert!(!played.everything().contains(KEY), "nobody sees the key");
    played
}

fn shown(ending: &Ending) -> String {
    match ending {
        Ending::Report { report, .. } => match (&report.error, report.outputs.first()) {
            (Some(error), _) => format!("failed {error}"),
            (None, Some(output)) => format!("file {}", output.content.as_deref().unwrap_or_default()),
            (None, None) => format!("done {}", report.summary),
        },
        Ending::Broken { problems, .. } => format!("broken {}", problems.join("; ")),
        Ending::Failed { error, .. } => format!("failed {error}"),
        Ending::Later { seconds, reason } => format!("later {seconds} {reason}"),
        other => format!("{other:?}"),
    }
}

fn call(name: &str, arguments: &str) -> Reply {
    let call = json!({"id": "c", "type": "function", "function": {"name": name, "arguments": arguments}});
    chat_of(json!({"role": "assistant", "content": "", "tool_calls": [call]}), "tool_calls")
}

/// The last message that the model was sent in a call, by its number from 0.
fn told(played: &Played, number: usize) -> String {
    let messages = played.asked[number].body["messages"].as_array().unwrap();
    messages.last().unwrap()["content"].as_str().unwrap().into()
}

#[test]
fn prose_and_half_an_object_are_sent_back_with_the_exact_problem() {
    let played =
        check(vec![chat("All done, boss!"), chat("{\"status\": \"done\""), chat(&filed("# A\n"))], "file # A\n");
    assert!(
        told(&played, 1)
            .contains("there is no JSON in the answer, expected the report; it begins with `All done, boss!`")
    );
    assert!(told(&played, 2).contains(OUTPUT), "{}", told(&played, 2));
    let text = "A table is a flat surface on legs, and always was.";
    check(vec![chat(text)], &format!("file {text}"));
    check(vec![chat("no"), chat("no"), chat("no"), chat("no")], "broken the answer has 2 characters");
    check(vec![chat(""), chat(&filed("# A\n"))], "file # A\n");
    check(vec![chat(&format!("Sure!\n```json\n{}\n```\nBye.", filed("# A\n")))], "file # A\n");
    check(vec![chat("{\"status\": 3}"), chat("[1, 2]"), chat(&filed("# A\n"))], "file # A\n");
    check(vec![chat("{\"status\": \"failed\", \"error\": \"no data\"}")], "failed no data");
}

#[test]
fn calls_of_what_is_not_there_or_with_wrong_arguments_are_answered() {
    let replies = vec![
        call("fly", "{}"),
        call("read_file", "{\"path\": 3}"),
        call("read_file", "{\"path\": "),
        call("read_file", "[]"),
        chat(&filed("# A\n")),
    ];
    let (scene, made) = with_tools(Scene::new("openai", replies).for_a_file());
    let played = scene.play();
    assert_eq!(shown(&played.ending), "file # A\n");
    assert!(made.lock().unwrap().is_empty(), "nothing was called");
    assert_eq!(told(&played, 1), "there is no tool `fly`; there are: read_file, meet");
    assert_eq!(told(&played, 2), "the arguments of read_file are wrong: /path: found the number 3, expected string");
    assert!(told(&played, 3).starts_with("the arguments are not JSON: "), "{}", told(&played, 3));
    assert!(told(&played, 4).starts_with("the arguments are no JSON object"), "{}", told(&played, 4));
}

#[test]
fn the_same_call_for_ever_is_told_and_ended() {
    let (scene, made) = with_tools(Scene::new("openai", vec![call("read_file", "{\"path\": \"a\"}")]).for_a_file());
    let played = scene.play();
    assert_eq!(shown(&played.ending), "failed the model makes the same call again and again: read_file a");
    assert_eq!(made.lock().unwrap().len(), 6);
    assert!(told(&played, 3).starts_with("You have made this same call 3 times"), "{}", told(&played, 3));
    assert_eq!(played.report().usage.unwrap().input_tokens, 600, "what it cost counts although it failed");
}

#[test]
fn turns_and_tokens_have_an_end() {
    let (mut scene, made) = with_tools(
        Scene::new("openai", vec![call("read_file", "{\"path\": \"a\"}"), chat(&filed("# A\n"))]).for_a_file(),
    );
    scene.brief.limits.steps = 2;
    let played = scene.play();
    assert_eq!(shown(&played.ending), "file # A\n");
    assert_eq!(made.lock().unwrap().len(), 1);
    assert!(played.asked[1].body.get("tools").is_none(), "the last turn has no tools");
    assert_eq!(told(&played, 1), "No more calls can be made. Give your report now.");

    let (mut scene, _) = with_tools(Scene::new("openai", vec![call("read_file", "{\"path\": \"a\"}")]).for_a_file());
    scene.brief.limits.tokens = 300;
    assert_eq!(shown(&scene.play().ending), "failed the model used 330 tokens of 300 without a report");
}

/// QL-25: ten megabytes are not read to their end.
#[test]
fn ten_megabytes_of_text_are_too_many() {
    check(vec![chat(&"so it goes ".repeat(1_000_000))], "failed the reply of http://127.0.0.1");
    let piece = format!("data: {}\n\n", json!({"choices": [{"delta": {"content": "so it goes ".repeat(1000)}}]}));
    let played = check(vec![Reply::stream(piece.repeat(1000))], "failed the reply of http://127.0.0.1");
    assert!(played.error().ends_with("is longer than 8388608 bytes, its limit"), "{}", played.error());
}

/// A stream that ends in the middle is no answer, however good its beginning looks.
#[test]
fn a_cut_stream_is_asked_for_again() {
    let half = format!("data: {}\n\n", json!({"choices": [{"delta": {"content": filed("# Half\n")}}]}));
    let played = check(vec![Reply::stream(half.clone()), chat(&filed("# A\n"))], "file # A\n");
    assert!(played.log().contains("was cut in the middle of its stream"), "{}", played.log());
    check(vec![Reply::stream(half)], "later ");
    check(vec![Reply::stream("data: {\"choices\"\n\n"), chat(&filed("# A\n"))], "file # A\n");
    check(vec![Reply::stream("data: [3]\n\ndata: \"x\"\n\ndata: [DONE]\n\n"), chat(&filed("# A\n"))], "file # A\n");
    for service in ["anthropic", "gemini", "openai-responses"] {
        let odd = "event: message_start\ndata: {\"message\": 3}\n\nevent: message_delta\ndata: []\n\nevent: response.completed\ndata: 7\n\ndata: [1]\n\n";
        let scene = Scene::new(service, vec![Reply::stream(odd)]).for_a_file();
        assert!(shown(&scene.play().ending).starts_with("later "), "{service}");
    }
}

/// BY-09: a rate limit is waited for where that is short, and is a state with a time to wake where it is long.
#[test]
fn rate_limits_are_waited_for() {
    let busy = |headers: &[(&str, &str)]| Reply::status(429, headers, r#"{"error": {"message": "slow down"}}"#);
    let played = check(vec![busy(&[]), busy(&[("retry-after", "0")]), chat(&filed("# A\n"))], "file # A\n");
    let waits: Vec<&String> = played.said.iter().filter(|line| line.starts_with("waiting until ")).collect();
    assert_eq!(waits.len(), 2, "{:?}", played.said);
    assert!(waits[0].contains(" UTC: http://127.0.0.1") && waits[0].ends_with("HTTP 429: slow down"), "{}", waits[0]);
    check(vec![busy(&[("retry-after-ms", "1")]), chat(&filed("# A\n"))], "file # A\n");
    check(vec![busy(&[("retry-after", "Wed, 21 Oct 2015 07:28:00 GMT")]), chat(&filed("# A\n"))], "file # A\n");
    let played = check(vec![busy(&[("retry-after", "3600")])], "later 3600 http://127.0.0.1");
    assert_eq!(played.asked.len(), 1, "nobody waits an hour");
    let played = check(vec![busy(&[])], "later ");
    assert_eq!(played.asked.len(), 3, "once, and twice again");
    check(vec![Reply::status(503, &[], "busy"), Reply::status(529, &[], ""), chat(&filed("# A\n"))], "file # A\n");
}

/// QL-35: a wrong key is named as such, and not shown, although the provider repeats it.
#[test]
fn a_wrong_key_is_clear_and_not_shown() {
    let body = json!({"error": {"message": format!("Incorrect API key provided: {KEY}."), "code": "invalid_api_key"}});
    let played =
        check(vec![Reply::status(401, &[], &body.to_string())], "failed the key was not accepted; http://127.0.0.1");
    assert_eq!(played.asked.len(), 1, "it is not tried again");
    assert!(String::from_utf8_lossy(&played.recorded[0].reply).contains("Incorrect API key provided: [hidden]."));
    let echo = chat(&json!({"status": "failed", "error": "x"}).to_string());
    check(vec![Reply::status(500, &[], &format!("<p>{KEY}</p>")), echo], "failed x");
}

#[test]
fn no_network_is_a_state_not_an_error() {
    let mut scene = Scene::new("openai", vec![]).for_a_file();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    scene.settings.base_url = format!("http://{}/v1", listener.local_addr().unwrap());
    drop(listener);
    let played = scene.play();
    let found = shown(&played.ending);
    assert!(found.starts_with("later ") && found.contains("cannot reach http://127.0.0.1"), "{found}");
    assert!(found.to_lowercase().contains("refused"), "{found}");
}

/// A base URL that leads elsewhere is named, and nothing is sent there.
#[test]
fn redirects_elsewhere_are_not_followed() {
    let other = crate::server::Server::new(vec![chat(&filed("# A\n"))]);
    let elsewhere = format!("{}/v1/chat/completions", other.url());
    let played = check(vec![Reply::status(307, &[("location", &elsewhere)], "")], "failed http://127.0.0.1");
    assert!(played.error().contains(&format!("redirects to {elsewhere}, which is not followed")), "{}", played.error());
    assert!(other.asked().is_empty(), "the key went nowhere else");
    let same = Reply::status(308, &[("location", "/v2/chat/completions")], "");
    let played = check(vec![same, chat(&filed("# A\n"))], "file # A\n");
    assert_eq!(played.asked[1].path, "/v2/chat/completions");
    check(vec![Reply::status(308, &[("location", "/v1/chat/completions")], "")], "failed http://127.0.0.1");
}

/// What a provider does not know is not asked for again.
#[test]
fn providers_without_schemas_or_tools_are_asked_without() {
    let no_schema = Reply::status(400, &[], r#"{"error": {"message": "response_format is not supported"}}"#);
    let no_choice = Reply::status(400, &[], r#"{"error": {"message": "tool_choice is not supported"}}"#);
    let played = check(vec![no_schema.clone(), no_choice, chat(&filed("# A\n"))], "file # A\n");
    assert_eq!(played.asked[1].body["tool_choice"]["function"]["name"], "report");
    assert!(played.asked[2].body.get("tools").is_none() && played.asked[2].body.get("response_format").is_none());
    let handed_in = call("report", &filed("# B\n"));
    check(vec![no_schema, handed_in], "file # B\n");
    let too_long = Reply::json(
        std::fs::read_to_string(format!("{}/tests/model/golden/too_long.json", env!("CARGO_MANIFEST_DIR"))).unwrap(),
    );
    let Reply::Http(_, headers, body) = too_long else { panic!() };
    let too_long = Reply::Http(400, headers, body);
    let played = check(vec![too_long.clone(), chat(&filed("# A\n"))], "file # A\n");
    assert!(played.log().contains("asked again with half of the files"), "{}", played.log());
    check(vec![too_long], "failed http://127.0.0.1");
}

/// An error that is sent with a good status is the error that it says it is.
#[test]
fn errors_in_good_replies_are_errors() {
    let error = |code: Value| Reply::json(json!({"error": {"message": "the cat sat on it", "code": code}}));
    let played = check(vec![error(json!(404))], "failed look at the model's name");
    assert!(shown(&played.ending).contains("HTTP 404: the cat sat on it"), "{}", shown(&played.ending));
    check(vec![error(json!(529)), error(json!("overloaded")), chat(&filed("# A\n"))], "file # A\n");
    check(vec![error(json!(7))], "later ");
}

#[test]
fn refusals_and_cut_answers_are_named() {
    let refused = chat_of(json!({"role": "assistant", "content": null, "refusal": "I will not."}), "stop");
    check(vec![refused], "failed gpt-5-mini refused: I will not.");
    let cut = chat_of(json!({"role": "assistant", "content": filed("# Half\n")}), "length");
    let played = check(vec![cut, chat(&filed("# A\n"))], "file # A\n");
    assert!(told(&played, 1).contains("the answer was cut after 8192 tokens: answer in at most 2730 words"));
}

/// A stop ends the request that is under way, at once.
#[test]
fn a_stop_cuts_the_request_off() {
    let scene = Scene::new("openai", vec![Reply::Silence]).for_a_file();
    let stop = Stop::new();
    std::thread::scope(|scope| {
        let server = &scene.server;
        let stopper = stop.clone();
        scope.spawn(move || {
            while server.asked().is_empty() {
                std::thread::yield_now();
            }
            stopper.stop();
        });
        assert_eq!(scene.play_with(&stop, &|_| {}).ending, Ending::Stopped);
    });
    let already = Stop::new();
    already.stop();
    assert_eq!(scene.play_with(&already, &|_| {}).ending, Ending::Stopped);
    // Also one that waits for its next try.
    let mut scene = Scene::new("openai", vec![Reply::status(429, &[("retry-after", "50")], "")]).for_a_file();
    scene.settings.retries.longest_wait = Duration::from_secs(60);
    let stop = Stop::new();
    let hear = |line: &str| {
        if line.starts_with("waiting until") {
            stop.stop();
        }
    };
    assert_eq!(scene.play_with(&stop, &hear).ending, Ending::Stopped);
}

#[test]
fn silence_and_the_end_of_time_are_named() {
    let mut scene = Scene::new("openai", vec![Reply::Silence]).for_a_file();
    scene.settings.timeouts.first = Duration::from_millis(50);
    scene.settings.retries.most = 0;
    assert!(shown(&scene.play().ending).contains("was silent for 0 s"), "{}", shown(&scene.play().ending));
    let mut scene = Scene::new("openai", vec![Reply::Silence]).for_a_file();
    scene.settings.timeouts.whole = Duration::from_millis(50);
    assert_eq!(shown(&scene.play().ending), "failed the model did not end within the time of its brief");
}

/// QL-32: whatever JSON a provider answers with, nothing breaks down.
#[test]
fn odd_replies_break_nothing() {
    let odd: [Value; 9] = [
        json!(null),
        json!([]),
        json!({"choices": 3}),
        json!({"choices": [{"message": {"content": ["a"], "tool_calls": {"a": 1}}}]}),
        json!({"choices": [{"message": {"tool_calls": [3, {"function": 4}]}}]}),
        json!({"content": [3, {"type": "tool_use", "input": 5}], "usage": "much"}),
        json!({"output": [[], {"type": "message", "content": "x"}, {"type": "function_call"}]}),
        json!({"candidates": [{"content": {"parts": {"a": 1}}, "finishReason": 3}]}),
        json!({"promptFeedback": {"blockReason": "SAFETY"}}),
    ];
    for service in ["openai", "openai-responses", "anthropic", "gemini"] {
        for reply in &odd {
            let played = Scene::new(service, vec![Reply::json(reply)]).for_a_file().play();
            let found = shown(&played.ending);
            let named = ["failed ", "later ", "broken "].iter().any(|word| found.starts_with(word));
            assert!(named, "{service} {reply}: {found}");
        }
    }
}
