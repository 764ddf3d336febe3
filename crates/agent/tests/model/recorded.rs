//! BY-19: attempts as they were recorded with a real model (Qwen2.5-Coder of 1.5 billion parameters behind llama.cpp, on
//! loopback): the same replies on the wire come to the same end, and what is asked has the same form.

use std::fs;
use std::path::{Path, PathBuf};

use agent::Ending;
use agent::replay::Recording;
use serde_json::Value;

use crate::scene::Scene;
use crate::server::Reply;

/// The recordings beside this file: `NAME.json`, and `NAME.wire.jsonl` with all that went over the wire.
fn recordings() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/model/recorded");
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut found: Vec<PathBuf> = files.filter(|path| path.extension().is_some_and(|end| end == "json")).collect();
    found.sort();
    found
}

fn lines(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// A recorded reply as the server gave it.
fn reply(exchange: &Value) -> Reply {
    let body = exchange["reply"].as_str().unwrap();
    let kind = if body.trim_start().starts_with('{') { "application/json" } else { "text/event-stream" };
    let status = exchange["status"].as_u64().unwrap().try_into().unwrap();
    Reply::Http(status, vec![("content-type".into(), kind.into())], body.as_bytes().to_vec())
}

/// What of a request does not depend on the words of the prompt, nor on the model's name.
fn form(request: &Value) -> Value {
    let mut form = request.clone();
    form["model"] = Value::Null;
    for message in form["messages"].as_array_mut().unwrap() {
        message["content"] = Value::Null;
    }
    form
}

#[test]
fn a_recorded_attempt_comes_to_the_same() {
    let found = recordings();
    assert!(found.len() >= 3, "{found:?}");
    for path in found {
        let recording: Recording = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        let exchanges = lines(&path.with_extension("wire.jsonl"));
        let mut scene = Scene::new("llamacpp", exchanges.iter().map(reply).collect()).simple();
        scene.settings.price = Some(agent::model::Price::NOTHING);
        scene.brief = recording.brief.clone();
        for output in &scene.brief.expects.outputs {
            fs::create_dir_all(scene.folder.path().join(output).parent().unwrap()).unwrap();
        }
        let played = scene.play();
        let asked: Vec<Value> = played.asked.iter().map(|one| form(&one.body)).collect();
        let then: Vec<Value> = exchanges.iter().map(|exchange| form(&exchange["request"])).collect();
        assert_eq!(asked, then, "{}", path.display());
        match (&played.ending, &recording.ending) {
            (Ending::Report { report: now, .. }, Ending::Report { report: then, .. }) => {
                assert_eq!(now, then, "{}", path.display());
            }
            (Ending::Broken { problems: now, .. }, Ending::Broken { problems: then, .. }) => {
                assert_eq!(now, then, "{}", path.display());
            }
            other => panic!("{}: {other:?}", path.display()),
        }
    }
}
