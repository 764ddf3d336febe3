//! BY-19: an attempt that was recorded is carried out again without its provider and without its tools: the same is asked,
//! byte for byte, and the same comes of it; what would be asked otherwise today is said by field.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use agent::model::{Kept, Recorded, rehearse};
use agent::replay::Recording;
use agent::{Ending, Job, Meter, Prompts};
use serde_json::json;

use crate::scene::{KEY, OUTPUT, Played, Scene, chat, chat_of, filed};
use crate::server::Reply;
use crate::tools_at_work::with_tools;

fn calls(path: &str) -> Reply {
    let function = json!({"name": "read_file", "arguments": json!({"path": path}).to_string()});
    chat_of(
        json!({"role": "assistant", "tool_calls": [{"id": "c1", "type": "function", "function": function}]}),
        "tool_calls",
    )
}

/// An attempt with a call, prose, a server that is busy for a moment, and a report; its lines as they are written.
fn recorded() -> (Scene, Played, Vec<Kept>) {
    let busy = Reply::Http(503, Vec::new(), b"busy".to_vec());
    let replies = vec![busy, calls("a.md"), calls("b.md"), chat("Let me think."), chat(&filed("Tables."))];
    let (mut scene, _) = with_tools(Scene::new("openai", replies).for_a_file());
    scene.brief.context["request"] = json!(format!("My key is {KEY}."));
    let played = scene.play();
    assert_eq!(played.report().outputs[0].path, OUTPUT);
    let lines: Vec<String> = played.kept.iter().map(|line| line.line().to_string()).collect();
    assert!(!lines.concat().contains(KEY), "{lines:#?}");
    let kept = lines.iter().map(|line| Kept::of_line(line).unwrap()).collect();
    (scene, played, kept)
}

fn rehearsed(scene: &Scene, kept: Vec<Kept>, ending: &Ending, prompts: Arc<Prompts>) -> Option<Vec<String>> {
    let workdir = scene.folder.path().to_path_buf();
    // What is told of a key is not recorded; the brief of a recording has none.
    let mut brief = scene.brief.clone();
    brief.context["request"] = json!("My key is [hidden].");
    let job = Job { brief, project: workdir.clone(), workdir, readable: Vec::new(), meter: Meter::default() };
    rehearse(Recorded { agent: "model:openai/gpt-5-mini", kept, ending, left: Vec::new() }, &job, prompts)
}

#[test]
fn a_rehearsed_attempt_asks_the_same() {
    let (scene, played, kept) = recorded();
    assert_eq!(rehearsed(&scene, kept, &played.ending, Prompts::built_in()), Some(Vec::new()));
}

#[test]
fn what_would_be_asked_otherwise_is_said() {
    let (scene, played, kept) = recorded();
    let own = [("executor.execute.md".to_string(), "You write poems.\n---\n{{request}}".to_string())];
    let prompts = Arc::new(Prompts::load(&own).unwrap());
    let found = rehearsed(&scene, kept.clone(), &played.ending, prompts).unwrap();
    assert!(found[0].starts_with("request 1, messages.0.content: \"You write poems.\", recorded"), "{found:#?}");
    assert!(found.iter().all(|one| one.starts_with("request 1, ")), "what follows from it is told once: {found:#?}");

    // One that ended in another way then.
    let other = Ending::Failed { error: "no luck".into(), log: String::new() };
    let found = rehearsed(&scene, kept.clone(), &other, Prompts::built_in()).unwrap();
    assert!(found.concat().starts_with("report.error: null, recorded \"no luck\""), "{found:#?}");

    // A tape that is cut, and one of a version that kept less.
    let cut = rehearsed(&scene, kept[..3].to_vec(), &played.ending, Prompts::built_in()).unwrap();
    assert!(cut.iter().any(|one| one.contains("there was none") || one.contains("was not made then")), "{cut:#?}");
    assert_eq!(rehearsed(&scene, kept[1..].to_vec(), &played.ending, Prompts::built_in()), None);
}

/// An attempt of a real model (Qwen2.5-Coder of 1.5 billion parameters behind llama.cpp) that read a file and wrote its own with
/// tools, both calls written as text: but for the words of its prompt all is as it was, down to the file.
#[test]
fn a_real_attempt_with_tools_comes_to_the_same() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/model/taped");
    let recording: Recording = serde_json::from_slice(&fs::read(folder.join("by_tools.json")).unwrap()).unwrap();
    let lines = fs::read_to_string(folder.join("by_tools.wire.jsonl")).unwrap();
    let kept: Vec<Kept> = lines.lines().map(|line| Kept::of_line(line).unwrap()).collect();
    assert_eq!(kept.iter().filter(|line| matches!(line, Kept::Called(_))).count(), 2);
    let place = tempfile::tempdir().unwrap();
    let (project, workdir) = (place.path().join("project"), place.path().join("project/work"));
    let output = &recording.brief.expects.outputs[0];
    fs::create_dir_all(workdir.join(output).parent().unwrap()).unwrap();
    for assets in [project.join("assets"), workdir.join("assets")] {
        fs::create_dir_all(assets).unwrap();
    }
    fs::copy(folder.join("wishes.md"), project.join("assets/wishes.md")).unwrap();
    std::os::unix::fs::symlink(project.join("assets/wishes.md"), workdir.join("assets/wishes.md")).unwrap();
    let left = vec![(PathBuf::from(output), folder.join("by_tools.0"))];
    let (brief, readable, meter) = (recording.brief.clone(), Vec::new(), Meter::default());
    let job = Job { brief, project, workdir: workdir.clone(), readable, meter };
    let recorded = Recorded { agent: &recording.agent, kept, ending: &recording.ending, left };
    let mut found = rehearse(recorded, &job, Prompts::built_in()).unwrap();
    found.retain(|difference| !difference.contains(", messages."));
    assert_eq!(found, Vec::<String>::new());
    assert!(fs::read_to_string(workdir.join(output)).unwrap().contains("two apple trees"));
}
