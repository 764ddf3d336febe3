//! The loop with tools, on every wire: calls go out, answers come back, signatures stay as they were.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use agent::model::{Kept, Style};
use serde_json::{Value, json};
use tools::{Stop, Tool, ToolAnswer, ToolCall, Toolbox};

use crate::scene::{OUTPUT, Played, Scene, chat, chat_of, filed};
use crate::server::Reply;

/// A box with a tool that reads and one that waits for another call of it.
pub struct Box2 {
    pub made: Arc<Mutex<Vec<ToolCall>>>,
    door: Mutex<Vec<(Sender<()>, Receiver<()>)>>,
}

impl Toolbox for Box2 {
    fn tools(&self) -> Vec<Tool> {
        let path = json!({"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]});
        let tool = |name: &str| Tool { name: name.into(), description: "Reads.".into(), parameters: path.clone() };
        vec![tool("read_file"), tool("meet")]
    }

    fn call(&self, call: &ToolCall, _: &Stop) -> ToolAnswer {
        self.made.lock().unwrap().push(call.clone());
        if call.name == "meet" {
            let (there, here) = self.door.lock().unwrap().pop().unwrap();
            there.send(()).unwrap();
            return match here.recv_timeout(Duration::from_secs(60)) {
                Ok(()) => ToolAnswer::well("met"),
                Err(_) => ToolAnswer::wrong("nobody came"),
            };
        }
        ToolAnswer::well(format!("content of {}", call.arguments["path"].as_str().unwrap()))
    }
}

/// The same scene with tools, and the calls that are made.
pub fn with_tools(mut scene: Scene) -> (Scene, Arc<Mutex<Vec<ToolCall>>>) {
    let made = Arc::new(Mutex::new(Vec::new()));
    let kept = made.clone();
    scene.toolboxes = Arc::new(move |_| {
        let ((one, other), (there, here)) = (channel(), channel());
        Ok(Box::new(Box2 { made: kept.clone(), door: Mutex::new(vec![(one, here), (there, other)]) }))
    });
    (scene, made)
}

fn sse(events: &[(&str, Value)]) -> Reply {
    let text: String = events
        .iter()
        .map(|(name, data)| match *name {
            "" => format!("data: {data}\n\n"),
            name => format!("event: {name}\ndata: {data}\n\n"),
        })
        .collect();
    Reply::stream(text)
}

fn played(service: &str, replies: Vec<Reply>) -> (Played, Vec<ToolCall>) {
    let (scene, made) = with_tools(Scene::new(service, replies).for_a_file());
    let played = scene.play();
    assert_eq!(played.report().outputs[0].path, OUTPUT, "{service}: {}", played.log());
    let made = made.lock().unwrap().clone();
    (played, made)
}

fn paths(made: &[ToolCall]) -> Vec<&str> {
    made.iter().map(|call| call.arguments["path"].as_str().unwrap()).collect()
}

/// Two calls whose pieces come mixed; both are made, each is answered under its id.
#[test]
fn openai_chat_joins_parallel_calls_by_their_index() {
    let delta = |calls: Value| ("", json!({"choices": [{"index": 0, "delta": {"tool_calls": calls}}]}));
    let stream = [
        delta(json!([{"index": 0, "id": "c1", "function": {"name": "read_file", "arguments": ""}}])),
        delta(json!([{"index": 1, "id": "c2", "function": {"name": "read_file", "arguments": "{\"pa"}}])),
        delta(json!([{"index": 0, "function": {"arguments": "{\"path\": \"a"}}])),
        delta(
            json!([{"index": 1, "function": {"arguments": "th\": \"b.md\"}"}}, {"index": 0, "function": {"arguments": ".md\"}"}}]),
        ),
        ("", json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]})),
        ("", json!({"choices": [], "usage": {"prompt_tokens": 5, "completion_tokens": 7}})),
    ];
    let (played, made) = played("openai", vec![sse(&stream), chat(&filed("x y z"))]);
    let mut read = paths(&made);
    read.sort_unstable();
    assert_eq!(read, ["a.md", "b.md"]);
    let messages = played.asked[1].body["messages"].as_array().unwrap();
    let [.., spoken, first, second] = &messages[..] else { panic!() };
    assert_eq!(spoken["tool_calls"][1]["function"]["arguments"], "{\"path\":\"b.md\"}");
    assert_eq!((&first["tool_call_id"], &first["content"]), (&json!("c1"), &json!("content of a.md")));
    assert_eq!((&second["tool_call_id"], &second["content"]), (&json!("c2"), &json!("content of b.md")));
    assert!(played.said.iter().any(|line| line == "calls read_file a.md"), "{:?}", played.said);
    assert_eq!(played.report().usage.unwrap().input_tokens, 105);
}

/// Calls of one turn are made at the same time: each of these two waits for the other.
#[test]
fn calls_of_one_turn_run_at_the_same_time() {
    let call = |id: &str| json!({"id": id, "type": "function", "function": {"name": "meet", "arguments": "{\"path\": \"x\"}"}});
    let both =
        chat_of(json!({"role": "assistant", "content": null, "tool_calls": [call("1"), call("2")]}), "tool_calls");
    let (played, _) = played("openai", vec![both, chat(&filed("x y z"))]);
    assert_eq!(played.asked[1].body.to_string().matches("\"content\":\"met\"").count(), 2);
}

/// Thoughts go back with the signature they came with.
#[test]
fn anthropic_gets_its_signed_thoughts_back() {
    let stream = [
        (
            "message_start",
            json!({"message": {"role": "assistant", "content": [], "usage": {"input_tokens": 3, "cache_read_input_tokens": 7, "cache_creation_input_tokens": 2, "output_tokens": 1}}}),
        ),
        (
            "content_block_start",
            json!({"index": 0, "content_block": {"type": "thinking", "thinking": "", "signature": ""}}),
        ),
        ("content_block_delta", json!({"index": 0, "delta": {"type": "thinking_delta", "thinking": "hm"}})),
        ("content_block_delta", json!({"index": 0, "delta": {"type": "signature_delta", "signature": "s1gn"}})),
        ("content_block_stop", json!({"index": 0})),
        ("ping", json!({})),
        (
            "content_block_start",
            json!({"index": 1, "content_block": {"type": "tool_use", "id": "tu_1", "name": "read_file", "input": {}}}),
        ),
        (
            "content_block_delta",
            json!({"index": 1, "delta": {"type": "input_json_delta", "partial_json": "{\"path\": \"a"}}),
        ),
        ("content_block_delta", json!({"index": 1, "delta": {"type": "input_json_delta", "partial_json": ".md\"}"}})),
        ("message_delta", json!({"delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 30}})),
        ("message_stop", json!({})),
    ];
    let last = json!({"content": [{"type": "text", "text": filed("x y z")}], "stop_reason": "end_turn", "usage": {"input_tokens": 1, "output_tokens": 1}});
    let (played, made) = played("anthropic", vec![sse(&stream), Reply::json(last)]);
    assert_eq!(paths(&made), ["a.md"]);
    let messages = &played.asked[1].body["messages"];
    assert_eq!(messages[1]["content"][0], json!({"type": "thinking", "thinking": "hm", "signature": "s1gn"}));
    assert_eq!(messages[1]["content"][1]["input"], json!({"path": "a.md"}));
    let answer = json!({"type": "tool_result", "tool_use_id": "tu_1", "content": "content of a.md", "is_error": false});
    assert_eq!(messages[2]["content"][0], answer);
    let usage = played.report().usage.unwrap();
    assert_eq!(
        (usage.input_tokens, usage.cached_tokens, usage.output_tokens),
        (13, 7, 31),
        "what was cached counts, too"
    );
}

#[test]
fn gemini_gets_its_parts_back_and_is_bound_only_without_tools() {
    let chunk = |parts: Value, more: Value| {
        let mut chunk = json!({"candidates": [{"content": {"role": "model", "parts": parts}}]});
        if let Some(more) = more.as_object() {
            chunk["candidates"][0].as_object_mut().unwrap().extend(more.clone());
        }
        ("", chunk)
    };
    let stream = [
        chunk(json!([{"text": "hm", "thought": true}]), json!({})),
        chunk(
            json!([{"functionCall": {"name": "read_file", "args": {"path": "a.md"}}, "thoughtSignature": "s1gn"}]),
            json!({}),
        ),
        chunk(
            json!([{"functionCall": {"name": "read_file", "args": {"path": "b.md"}}}]),
            json!({"finishReason": "STOP"}),
        ),
        (
            "",
            json!({"usageMetadata": {"promptTokenCount": 9, "candidatesTokenCount": 4, "thoughtsTokenCount": 2, "cachedContentTokenCount": 3}}),
        ),
    ];
    let last = json!({"candidates": [{"content": {"parts": [{"text": filed("x y z")}]}, "finishReason": "STOP"}]});
    let (played, made) = played("gemini", vec![sse(&stream), Reply::json(last)]);
    assert_eq!(made.len(), 2);
    let body = &played.asked[1].body;
    assert_eq!(body["contents"][1]["parts"][1]["thoughtSignature"], "s1gn");
    assert_eq!(
        body["contents"][2]["parts"][1]["functionResponse"],
        json!({"name": "read_file", "response": {"result": "content of b.md"}})
    );
    assert!(body["generationConfig"].get("responseJsonSchema").is_none(), "not beside tools");
    assert_eq!(body["tools"][0]["functionDeclarations"][0]["name"], "read_file");
    let usage = played.report().usage.unwrap();
    assert_eq!((usage.input_tokens, usage.cached_tokens, usage.output_tokens), (9, 3, 6));
}

#[test]
fn responses_get_their_items_back() {
    let call = json!({"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "read_file", "arguments": "{\"path\":\"a.md\"}"});
    let thought = json!({"type": "reasoning", "id": "rs_1", "encrypted_content": "sealed"});
    let whole = json!({"status": "completed", "output": [thought, {"type": "reasoning", "id": "rs_2"}, call], "usage": {"input_tokens": 2, "output_tokens": 3}});
    let stream = [
        ("response.created", json!({"response": {"status": "in_progress"}})),
        ("response.function_call_arguments.delta", json!({"delta": "{\"path"})),
        ("response.completed", json!({"response": whole})),
    ];
    let last = json!({"status": "completed", "output": [{"type": "message", "content": [{"type": "output_text", "text": filed("x y z")}]}]});
    let (played, made) = played("openai-responses", vec![sse(&stream), Reply::json(last)]);
    assert_eq!(paths(&made), ["a.md"]);
    let input = played.asked[1].body["input"].as_array().unwrap();
    assert_eq!(
        input[1..],
        [thought, call, json!({"type": "function_call_output", "call_id": "call_1", "output": "content of a.md"})]
    );
}

/// A model that can only write its calls as text is understood, as a real one of 1.5 billion parameters wrote it.
#[test]
fn a_call_that_is_written_as_text_is_made() {
    let golden =
        std::fs::read_to_string(format!("{}/tests/model/golden/chat_tool.json", env!("CARGO_MANIFEST_DIR"))).unwrap();
    let (played, made) = played("compatible", vec![Reply::json(golden), chat(&filed("x y z"))]);
    assert_eq!(paths(&made), ["a.md"]);
    let last = played.asked[1].body["messages"].as_array().unwrap().last().unwrap().clone();
    assert_eq!(last, json!({"role": "user", "content": "Answer of read_file:\ncontent of a.md"}));
}

/// A small model that makes the same call for ever is left without tools, and writes its file.
#[test]
fn a_small_model_that_turns_in_a_circle_is_helped_out() {
    let call =
        json!({"id": "c", "type": "function", "function": {"name": "read_file", "arguments": "{\"path\": \"a\"}"}});
    let again = || chat_of(json!({"role": "assistant", "content": null, "tool_calls": [call]}), "tool_calls");
    let as_text = chat("{\"name\": \"read_file\", \"arguments\": {\"path\": \"a\"}}");
    let written = chat("# Tables\n\nA table has rows and columns.\n");
    let replies = vec![again(), again(), as_text, written];
    let (scene, made) = with_tools(Scene::new("compatible", replies).for_a_file().simple());
    let played = scene.play();
    assert_eq!(made.lock().unwrap().len(), 2);
    assert!(played.asked[1].body["tools"].is_array() && played.asked[2].body["tools"].is_null());
    let told = played.asked[3].body["messages"].to_string();
    assert!(told.contains("this is a call, and there are no tools"), "{told}");
    let content = played.report().outputs[0].content.as_deref().unwrap();
    assert!(content.starts_with("# Tables"), "{content}");
}

/// One that was left without tools and knows no other way to hand its file in, as a real one did, is understood.
#[test]
fn a_call_that_would_write_the_file_is_the_file() {
    let reading = || chat(&json!({"name": "read_file", "arguments": {"path": "a"}}).to_string());
    let writing = |path: &str| {
        let arguments = json!({"path": path, "content": "# Tables\n\nA table has rows.\n"});
        chat(&format!("```json\n{}\n```", json!({"name": "read_file", "arguments": arguments})))
    };
    let replies = vec![reading(), reading(), writing("elsewhere.md"), writing("assets/x.md")];
    let (scene, _) = with_tools(Scene::new("compatible", replies).for_a_file().simple());
    let played = scene.play();
    assert_eq!(
        played.report().outputs[0].content.as_deref(),
        Some("# Tables\n\nA table has rows.\n"),
        "{}",
        played.log()
    );
    assert_eq!(played.asked.len(), 4, "one that names another file is sent back");
}

/// One that was told so and names the same wrong file again, as a real one did whose plan had named it, has said what is in
/// the file all the same; what is of another kind, or has no text, is none.
#[test]
fn a_call_that_stays_with_a_wrong_name_is_the_file() {
    let writing =
        |arguments: Value| chat(&format!("```json\n{}\n```", json!({"name": "write_file", "arguments": arguments})));
    let text = "# Tables\n\nA table has rows.\n";
    let report = || writing(json!({"file_path": "assets/report.md", "content": text}));
    let others = [json!({"file_path": "assets/report.py", "content": text}), json!({"path": "assets/report.md"})];
    for other in others {
        let replies = vec![report(), writing(other), report()];
        let played = Scene::new("compatible", replies).for_a_file().simple().play();
        assert_eq!(played.report().outputs[0].content.as_deref(), Some(text), "{}", played.log());
        assert_eq!(played.asked.len(), 3);
    }
}

/// A llama.cpp server that is still loading is waited for: how large its model is decides how it is asked.
#[test]
fn a_server_that_is_loading_is_waited_for() {
    let loading = Reply::status(503, &[], r#"{"error": {"message": "Loading model", "code": 503}}"#);
    let about = Reply::json(json!({"data": [{"id": "x", "meta": {"n_params": 1.5e9, "n_ctx": 4096}}]}));
    let written = chat("# Tables\n\nA table has rows and columns.\n");
    let mut scene = Scene::new("llamacpp", vec![loading, about, written]).for_a_file();
    scene.settings.style = Style::Auto;
    let played = scene.play();
    let Some(Kept::Began(began)) = played.kept.first() else { panic!("{:?}", played.kept) };
    assert_eq!((began.simple, began.served_tokens), (true, Some(4096)));
    assert!(played.report().outputs[0].content.as_deref().unwrap().starts_with("# Tables"), "{}", played.log());
}

/// A call of a tool that is not there is no text for a file, with tools and without: a real one left such a file.
#[test]
fn a_call_of_what_is_not_there_is_no_file() {
    let listing = || chat("{\"name\": \"list_directory\", \"arguments\": {\"path\": \"assets\"}}");
    let written = || chat("# Tables\n\nA table has rows and columns.\n");
    let (scene, made) = with_tools(Scene::new("compatible", vec![listing(), written()]).for_a_file().simple());
    let played = scene.play();
    assert!(played.asked[1].body["messages"].to_string().contains("there is no tool `list_directory`"));
    assert_eq!((made.lock().unwrap().len(), played.asked.len()), (0, 2));
    let bare = Scene::new("compatible", vec![listing(), written()]).for_a_file().simple().play();
    assert!(bare.asked[1].body["messages"].to_string().contains("this is a call, and there are no tools"));
    for played in [played, bare] {
        assert!(played.report().outputs[0].content.as_deref().unwrap().starts_with("# Tables"));
    }
}

/// A box whose one tool writes.
struct Pen(std::path::PathBuf);

impl Toolbox for Pen {
    fn tools(&self) -> Vec<Tool> {
        let parameters =
            json!({"type": "object", "properties": {"file_path": {"type": "string"}, "content": {"type": "string"}}});
        vec![Tool { name: "write_file".into(), description: "Writes.".into(), parameters }]
    }

    fn call(&self, call: &ToolCall, _: &Stop) -> ToolAnswer {
        let of = |name: &str| call.arguments[name].as_str().unwrap_or_default().to_string();
        std::fs::write(self.0.join(of("file_path")), of("content")).unwrap();
        ToolAnswer::well("written")
    }
}

/// QL-32: a small model that has written its file with a tool, as one was seen to do over and over again, is done; one that
/// wrote something else goes on.
#[test]
fn a_small_model_that_has_written_its_file_is_done() {
    let writes = |path: &str, content: &str| {
        chat(&json!({"name": "write_file", "arguments": {"file_path": path, "content": content}}).to_string())
    };
    let replies =
        vec![writes("note.md", "x"), writes(OUTPUT, ""), writes(OUTPUT, "# Tables\n\nFour legs."), chat("never")];
    let mut scene = Scene::new("openai", replies).for_a_file().simple();
    let folder = scene.folder.path().to_path_buf();
    scene.toolboxes = Arc::new(move |_| Ok(Box::new(Pen(folder.clone()))));
    let played = scene.play();
    assert_eq!(played.report().summary, "Tables", "{}", played.log());
    assert_eq!(played.asked.len(), 3);
    assert!(played.log().contains("written by a tool"), "{}", played.log());
}
