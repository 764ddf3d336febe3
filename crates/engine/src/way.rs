//! What agents of the protocol `lineage` are told of it (LN-07, LN-20): where in the plan they are, how to work, and where
//! the files are that the tables name.

use agent::Brief;
use machine::{Hierarchy, Run, Target, Work};
use serde_json::{Map, Value, json};

use crate::settings::Settings;

/// What an executor is told, whatever it is to do.
const EXECUTOR: &str = "You carry out one task and nothing else: no planning, no look at the whole. \
The files given as `input` are the material; those given as `guideline` say how to work with it and are never material themselves. \
Work from task_reason and task_purpose. [Add] makes a file that is not there; [Modify] changes the one that is, and keeps what \
it has no reason to change; [Delete] leaves a short note in its place: what it was, and why it went. \
Leave exactly the file that is asked for. You change nothing in settings/, guidelines/ and data/.";

/// What a planner is told.
const PLANNER: &str = "Plan what the item above needs, in its own words and no more. A task does one thing to one file: its task_purpose begins \
with [Add], [Modify] or [Delete]. [Modify] and [Delete] name an existing file in output_path; [Add] leaves output_path empty, or names a new \
file in output_folder. output_folder is the phase's own folder for what it is to leave, else the run's workspace. related_references are the \
material, related_guidelines the way to work; both exist, or an earlier task makes them. A task with an mcp_id is done by tool tasks that \
follow the procedure's steps, the last of which leaves the task's file.";

const CONTEXT: &str = "lineage: a project that lives on. Runs add to and change the same outputs/; every file keeps its family. Paths in \
tables are relative to the project's root; absolute_paths gives the same files as absolute ones.";

/// Adds it to a brief.
pub(crate) fn tell(brief: &mut Brief, hierarchy: &Hierarchy, settings: &Settings, run: &Run, work: &Work) {
    let Value::Object(context) = &mut brief.context else { return };
    context.insert("protocol_context".into(), json!(CONTEXT));
    context.insert("run_id".into(), json!(run.id));
    let (id, way) = match work {
        Work::Execute(id) => (Some(id), EXECUTOR),
        Work::Plan(Target::Children(id) | Target::Tools(id, _)) => (Some(id), PLANNER),
        Work::Plan(_) | Work::SetUp(_) | Work::Catalog(_) => (None, PLANNER),
    };
    context.insert("way_of_working".into(), json!(way));
    // What stands here of another task is not this one's.
    for level in hierarchy.levels {
        context.remove(level.columns.id);
    }
    let mut next = id.and_then(|id| run.item(id));
    let folder = id.and_then(|id| run.outermost_of(id)).map(|phase| format!("{}/", phase.folder));
    while let Some(item) = next {
        if let Some(level) = hierarchy.levels.get(item.level) {
            context.insert(level.columns.id.into(), json!(hierarchy.short_id(&item.id)));
        }
        next = item.parent.as_deref().and_then(|parent| run.item(parent));
    }
    let names = |parent: &str| -> Vec<String> {
        run.children(parent).into_iter().filter(|item| item.level < 2).map(|item| item.name.clone()).collect()
    };
    context.insert("phases".into(), json!(names("")));
    if let Some(phase) = id.and_then(|id| run.outermost_of(id)) {
        context.insert("stages".into(), json!(names(&phase.id)));
    }
    if let Some(folder) = folder {
        context.insert("output_folders".into(), json!([folder, format!("runs/{}/workspace/", run.id)]));
    }
    let absolute = |path: &str| json!(settings.project.join(path).display().to_string());
    let files = brief.files.iter().map(|file| file.path.as_str());
    let outputs = brief.expects.outputs.iter().map(String::as_str);
    let paths: Map<String, Value> = files.chain(outputs).map(|path| (path.to_string(), absolute(path))).collect();
    context.insert("absolute_paths".into(), Value::Object(paths));
}
