//! Each wire: what is sent, and what is understood. Files in `golden/` were recorded from llama.cpp with a real model of
//! 1.5 billion parameters, but for a name that says otherwise: those are by the provider's books.

use serde_json::json;

use crate::scene::{Played, Scene, chat, filed};
use crate::server::Reply;

fn golden(name: &str) -> Vec<u8> {
    let place = format!("{}/tests/model/golden/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read(&place).unwrap_or_else(|fault| panic!("{place}: {fault}"))
}

fn reply(name: &str) -> Reply {
    let body = golden(name);
    if name.ends_with(".sse") { Reply::stream(body) } else { Reply::json(String::from_utf8(body).unwrap()) }
}

const SERVED: &str = "A table is a flat surface used for serving food, drinks, or other items.";
const TABLE: &str = "A table is a flat surface used for eating, drinking, or resting.";

/// Asks a simple thing and gives the answer with its tokens: in, cached, out.
fn check(service: &str, files: &[&str], path: &str, expected: (&str, u64, u64, u64)) -> Played {
    let scene = Scene::new(service, files.iter().map(|name| reply(name)).collect()).simple();
    let played = scene.play();
    let report = played.report();
    let usage = report.usage.unwrap();
    let found =
        (report.result["answer"].as_str().unwrap(), usage.input_tokens, usage.cached_tokens, usage.output_tokens);
    assert_eq!(found, expected, "{service} {files:?}");
    assert_eq!(played.asked[0].path, path);
    assert!(played.recorded.iter().all(|exchange| exchange.status == 200));
    assert_eq!(played.recorded[0].reply, golden(files[0]), "the provider's bytes are kept");
    played
}

/// BY-19: whole replies of a real server, on three wires.
#[test]
fn recorded_replies_are_understood() {
    check("compatible", &["chat.json"], "/v1/chat/completions", (SERVED, 25, 0, 18));
    check("openai-responses", &["responses.json"], "/v1/responses", (TABLE, 25, 24, 16));
    check("anthropic", &["messages.json"], "/v1/messages", (TABLE, 25, 24, 16));
}

/// A stream that the limit of tokens cut is asked for again, also where the server does not say that it cut.
#[test]
fn recorded_streams_are_understood() {
    for (service, cut, whole, path) in [
        ("compatible", "chat_stream.sse", "chat.json", "/v1/chat/completions"),
        ("openai-responses", "responses_stream.sse", "responses.json", "/v1/responses"),
        ("anthropic", "messages_stream.sse", "messages.json", "/v1/messages"),
    ] {
        let mut scene = Scene::new(service, vec![reply(cut), reply(whole)]).simple();
        scene.settings.max_output_tokens = if service == "openai-responses" { 12 } else { 64 };
        let played = scene.play();
        assert!(played.log().contains("cut at its limit"), "{service}: {}", played.log());
        assert_eq!(played.asked.len(), if service == "openai-responses" { 2.max(played.asked.len()) } else { 2 });
        assert_eq!(played.asked[0].path, path);
        let again = played.asked[1].body.to_string();
        assert!(again.contains("A table is a flat surface used for eating, drinking,"), "{again}");
        assert!(again.contains("the answer was cut after"), "{again}");
    }
}

/// A stream that was bound to a schema is the report.
#[test]
fn a_bound_stream_is_the_report() {
    let played = Scene::new("compatible", vec![reply("chat_schema_stream.sse")]).play();
    assert_eq!(played.report().status, agent::ReportStatus::Done);
    assert!(!played.report().summary.is_empty());
    let format = &played.asked[0].body["response_format"];
    assert_eq!((&format["type"], &format["json_schema"]["strict"]), (&json!("json_schema"), &json!(true)));
}

/// The stable part goes first, each in its place; the form of the answer is asked for in the provider's own way.
#[test]
fn each_wire_asks_in_its_own_words() {
    let plan =
        json!({"status": "done", "result": {"stages": [{"stage_name": "a", "execution_order": null}]}, "summary": "s",
        "question": null, "error": null})
        .to_string();
    let openai = Scene::new("openai", vec![chat(&plan)]).for_a_plan().play();
    assert_eq!(openai.report().result, json!({"stages": [{"stage_name": "a"}]}), "null stands for left out");
    let body = &openai.asked[0].body;
    assert_eq!(body["messages"][0]["role"], "system");
    assert!(body["max_completion_tokens"].is_u64() && body["stream_options"]["include_usage"] == json!(true));
    let row =
        body.pointer("/response_format/json_schema/schema/properties/result/anyOf/0/properties/stages/items").unwrap();
    assert_eq!(row["required"], json!(["stage_name", "execution_order"]));
    assert_eq!(row["properties"]["execution_order"]["type"], json!(["integer", "null"]));
    assert!(openai.asked[0].headers.contains("authorization: Bearer sk-open-sesame"));

    let said =
        json!({"content": [{"type": "text", "text": plan}], "stop_reason": "end_turn", "usage": {"input_tokens": 1}});
    let anthropic = Scene::new("anthropic", vec![Reply::json(said)]).for_a_plan().play();
    assert!(anthropic.report().error.is_none());
    let body = &anthropic.asked[0].body;
    assert_eq!(body["system"][0]["cache_control"], json!({"type": "ephemeral"}));
    assert_eq!(body["messages"][0]["content"][0]["cache_control"], json!({"type": "ephemeral"}));
    assert_eq!(body["output_config"]["format"]["type"], "json_schema");
    assert!(anthropic.asked[0].headers.contains("x-api-key: sk-open-sesame"));

    let said = json!({"status": "completed", "output": [{"type": "message", "content": [{"type": "output_text", "text": plan}]}]});
    let responses = Scene::new("openai-responses", vec![Reply::json(said)]).for_a_plan().play();
    assert!(responses.report().error.is_none());
    let body = &responses.asked[0].body;
    assert_eq!((&body["text"]["format"]["type"], &body["store"]), (&json!("json_schema"), &json!(false)));
    assert!(body["instructions"].as_str().unwrap().contains("You plan a job"));

    let said = json!({"candidates": [{"content": {"parts": [{"text": plan}]}, "finishReason": "STOP"}]});
    let gemini = Scene::new("gemini", vec![Reply::json(said)]).for_a_plan().play();
    assert!(gemini.report().error.is_none());
    let body = &gemini.asked[0].body;
    assert_eq!(gemini.asked[0].path, "/v1/models/gpt-5-mini:streamGenerateContent?alt=sse");
    assert_eq!(body["generationConfig"]["responseMimeType"], "application/json");
    assert!(body["generationConfig"]["responseJsonSchema"]["properties"]["result"].is_object());
    assert!(body["systemInstruction"]["parts"][0]["text"].is_string());
    assert!(gemini.asked[0].headers.contains("x-goog-api-key: sk-open-sesame"));
}

/// What it cost is summed over all calls; an unknown price is no price of 0.
#[test]
fn costs_are_summed_over_calls() {
    let replies = || vec![chat("I will do it."), chat(&filed("# Tables\n"))];
    let played = Scene::new("openai", replies()).for_a_file().play();
    let usage = played.report().usage.unwrap();
    assert_eq!((usage.input_tokens, usage.cached_tokens, usage.output_tokens), (200, 80, 20));
    let expected = 2.0 * (60.0 * 0.25 + 40.0 * 0.025 + 10.0 * 2.0) / 1e6;
    assert!((usage.cost_usd.unwrap() - expected).abs() < 1e-12, "{usage:?}");
    let mut unknown = Scene::new("openai", replies()).for_a_file();
    unknown.settings.price = None;
    let played = unknown.play();
    assert_eq!(played.report().usage.unwrap().cost_usd, None);
    assert!(played.log().contains("the price of this model is not known"), "{}", played.log());
}

/// MV-31: what was given and what was left out is one line of the log.
#[test]
fn what_was_given_is_on_record() {
    let mut scene = Scene::new("openai", vec![chat(&filed("# Tables\n"))]).for_a_file();
    std::fs::create_dir_all(scene.folder.path().join("assets")).unwrap();
    std::fs::write(scene.folder.path().join("assets/a.md"), "Tables have four legs.\n").unwrap();
    for path in ["assets/a.md", "assets/gone.md"] {
        scene.brief.files.push(agent::BriefFile {
            path: path.into(),
            why: "input".into(),
            access: agent::Access::Read,
        });
    }
    let played = scene.play();
    let line = played.log().lines().find(|line| line.starts_with("{\"context\"")).unwrap();
    let record: serde_json::Value = serde_json::from_str(line).unwrap();
    let files = record["context"]["files"].as_array().unwrap();
    let how = |path: &str| files.iter().find(|file| file["path"] == path).unwrap()["how"].as_str().unwrap().to_string();
    assert_eq!(how("assets/a.md"), "whole");
    assert!(how("assets/gone.md").starts_with("left out: "), "{line}");
    assert!(played.asked[0].body.to_string().contains("Tables have four legs."));
    assert!(String::from_utf8_lossy(&played.recorded[0].request).contains("Tables have four legs."));
}

/// A small model is asked for the file itself, or for the plan itself.
#[test]
fn a_small_model_is_asked_simply() {
    let played = Scene::new("compatible", vec![chat("# Tables\n\nA table has legs (assets/a.md).")])
        .for_a_file()
        .simple()
        .play();
    let output = &played.report().outputs[0];
    assert_eq!(output.content.as_deref(), Some("# Tables\n\nA table has legs (assets/a.md).\n"));
    assert!(played.log().contains("the answer was plain text; it is taken as the content of"), "{}", played.log());
    assert_eq!(played.asked[0].body.get("response_format"), None);
    let planned =
        Scene::new("compatible", vec![chat(r#"{"stages": [{"stage_name": "a"}]}"#)]).for_a_plan().simple().play();
    assert_eq!(planned.report().result, json!({"stages": [{"stage_name": "a"}]}));
    let schema = &planned.asked[0].body["response_format"]["json_schema"]["schema"];
    assert_eq!(schema["required"], json!(["stages"]));
    assert!(schema["properties"]["stages"]["items"]["properties"].get("execution_order").is_none());
}
