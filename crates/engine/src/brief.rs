//! What an agent is given: chosen by what its work needs, never all there is (MV-31). The same choice is written into
//! the record that begins the attempt.

use std::collections::HashMap;
use std::sync::Arc;

use agent::prompt::{Form, Prompts, Tools};
use agent::{Access, Answered, Brief, BriefFile, BriefLimits, Expects, Pace};
use dialect::Field;
use machine::{Attempt, Course, Hierarchy, Item, Placing, Role, Run, Target, Timing, Work};
use serde_json::{Map, Value, json};
use store::{Fs, Store};
use text::Text;

use crate::body::Prompted;
use crate::files::beginning;
use crate::inputs;
use crate::learning;
use crate::settings::Settings;
use crate::step::State;
use crate::way;

/// The most inputs that the first analysis is given.
const INPUTS: usize = 200;
/// The most ACTIVE instructions that a brief tells, the newest first to be kept.
const INSTRUCTIONS: usize = 50;
/// The most catalog rows that a brief tells.
const CATALOG_ROWS: usize = 1000;
/// The longest procedure list that a brief tells, in bytes.
const PROCEDURES_BYTES: u64 = 64 * 1024;

/// The files that an agent is given for its work, and why.
pub(crate) fn files(state: &State, hierarchy: &Hierarchy, run: &Run, work: &Work) -> Vec<BriefFile> {
    let mut files = Vec::new();
    match work {
        Work::SetUp(_) | Work::Catalog(_) => return files,
        Work::Execute(id) => {
            if let Some(item) = run.item(id) {
                inputs_of(hierarchy, run, item, &mut files);
                // The first analysis is of all there is.
                if item.parent.as_deref() == Some(hierarchy.prelude_parent) {
                    let inputs = state.inputs.values().filter(|note| note.asset_type == "ORIGINAL_INPUT");
                    files.extend(inputs.take(INPUTS).map(|note| readable(&note.path, "input".into())));
                }
            }
        }
        Work::Plan(Target::Tools(id, _)) => {
            if let Some(item) = run.item(id) {
                files.extend(item.inputs.iter().map(|path| readable(path, format!("input of {id}"))));
            }
        }
        Work::Plan(_) => {}
    }
    let is_planner = work.role() == Role::Planner;
    match (work, hierarchy.placing) {
        // Each task names its own.
        (Work::Execute(id), Placing::ByFolder) => {
            let task = run.item(id).filter(|item| item.level == hierarchy.tool_level());
            let task = task.and_then(|tool| run.item(tool.parent.as_deref()?)).or_else(|| run.item(id));
            let own = task.into_iter().flat_map(|task| &task.guidelines);
            files.extend(own.map(|path| readable(path, "guideline".into())));
        }
        _ => {
            let guidelines = state.inputs.values().filter(|note| note.asset_type == "GUIDELINE_DOC");
            for note in guidelines.filter(|note| is_planner || note.path != state.protocol.procedures.path) {
                files.push(readable(&note.path, "guideline".into()));
            }
        }
    }
    files.push(readable(state.protocol.instructions.path, "ACTIVE instructions".into()));
    if is_planner {
        let has_one = !state.protocol.has_catalogs() || state.files.get(&run.id).is_some_and(|files| !files.is_empty());
        let own = has_one.then(|| readable(&state.protocol.catalog_path(&run.id), "catalog".into()));
        files.extend(own);
        let inputs = state.protocol.inputs.iter().filter_map(|input| input.catalog.as_ref());
        files.extend(inputs.map(|catalog| readable(catalog.path, "catalog of inputs".into())));
    }
    files.extend(learning::files(run, work));
    without_repeats(files)
}

/// Each file once, for the first of its reasons.
fn without_repeats(mut files: Vec<BriefFile>) -> Vec<BriefFile> {
    // So few are compared at once; a table of them would cost more.
    const FEW: usize = 16;
    if files.len() <= FEW {
        let mut kept = 0;
        for at in 0..files.len() {
            if files[..kept].iter().all(|known| known.path != files[at].path) {
                files.swap(kept, at);
                kept += 1;
            }
        }
        files.truncate(kept);
    } else {
        let mut seen = std::collections::HashSet::new();
        files.retain(|file| seen.insert(file.path.clone()));
    }
    files
}

/// The same with what the project keeps for agents in general, for those that read it. What is both is no input then.
pub(crate) fn guided(settings: &Settings, run: &Run, work: &Work, mut files: Vec<BriefFile>) -> Vec<BriefFile> {
    let role = work.role();
    let reads = || settings.casting_of(&run.id).crew.get(&role).is_some_and(|backend| backend.is_guided());
    if settings.guidance.is_empty() || !settings.guided.contains(&role) || !reads() {
        return files;
    }
    let guidance = settings.guidance.for_files(&files);
    files.retain(|file| guidance.iter().all(|one| one.path != file.path));
    files.extend(guidance);
    files
}

pub(crate) fn inputs_of(hierarchy: &Hierarchy, run: &Run, item: &Item, files: &mut Vec<BriefFile>) {
    files.extend(item.inputs.iter().map(|path| readable(path, "input".into())));
    let is_tool = item.level + 1 == hierarchy.levels.len();
    let parent = item.parent.as_deref().and_then(|id| run.item(id)).filter(|_| is_tool);
    match (parent, item.timing) {
        (Some(parent), Some(Timing::Post)) => {
            files.push(readable(&parent.output, format!("output of {}", parent.id)));
        }
        (Some(parent), _) => {
            files.extend(parent.inputs.iter().map(|path| readable(path, format!("input of {}", parent.id))));
        }
        (None, _) => {
            let before = run
                .children(&item.id)
                .into_iter()
                .filter(|tool| tool.timing == Some(Timing::Pre) && !tool.output.is_empty());
            files.extend(before.map(|tool| readable(&tool.output, format!("output of {}", tool.id))));
        }
    }
}

pub(crate) fn readable(path: &str, why: String) -> BriefFile {
    BriefFile { path: path.into(), why, access: Access::Read }
}

/// The brief of an attempt.
pub(crate) fn build<F: Fs>(
    state: &mut State,
    store: &Store<F>,
    hierarchy: &Hierarchy,
    settings: &Settings,
    run: &Run,
    attempt: &Attempt,
) -> Brief {
    let role = attempt.work.role();
    let mut brief = Brief::new(&run.id, hierarchy.protocol, role_word(role), attempt.work.action(hierarchy, run));
    brief.attempt = attempt.number;
    brief.problems.clone_from(&attempt.problems);
    brief.answers = attempt
        .answers
        .iter()
        .map(|(question, answer)| Answered { question: question.clone(), answer: answer.clone() })
        .collect();
    let seconds = match attempt.reserved.seconds {
        0 => settings.seconds,
        reserved => settings.seconds.min(reserved),
    };
    // Nothing set aside means no bound of the run's.
    brief.limits = BriefLimits { steps: 100, tokens: attempt.reserved.tokens, seconds };
    brief.files = guided(settings, run, &attempt.work, files(state, hierarchy, run, &attempt.work));
    let read = |path: &str| store.read(&store::ProjectPath::any(path).ok()?).cloned();
    match &attempt.work {
        Work::Plan(target) => {
            brief.plan_target = Some(target.spelled(hierarchy, run));
            brief.expects = Expects { result: state.protocol.result_schema(target).into(), outputs: Vec::new() };
            if let Target::Children(id) | Target::Tools(id, _) = target {
                brief.item = row(state, &read, run, id);
            }
        }
        Work::Execute(id) | Work::SetUp(id) | Work::Catalog(id) => {
            brief.item = row(state, &read, run, id);
            let output = run.item(id).map(|item| item.output.clone()).filter(|output| !output.is_empty());
            brief.expects = Expects { result: Arc::default(), outputs: output.into_iter().collect() };
        }
    }
    let known = state.contexts.remove(&run.id).filter(|(parent, _)| stage_of(run, &attempt.work) == Some(parent));
    brief.context = match known {
        Some((_, context)) => context,
        None => context(state, store, hierarchy, settings, run, &attempt.work),
    };
    if hierarchy.placing == Placing::ByFolder {
        way::tell(&mut brief, hierarchy, settings, run, &attempt.work);
    }
    brief
}

/// What an executor is told besides its task is the same for all tasks below one item.
pub(crate) fn stage_of<'r>(run: &'r Run, work: &Work) -> Option<&'r String> {
    match work {
        Work::Execute(id) => run.item(id)?.parent.as_ref(),
        Work::Plan(_) | Work::SetUp(_) | Work::Catalog(_) => None,
    }
}

fn context<F: Fs>(
    state: &mut State,
    store: &Store<F>,
    hierarchy: &Hierarchy,
    settings: &Settings,
    run: &Run,
    work: &Work,
) -> Value {
    let read = |path: &str| store.read(&store::ProjectPath::any(path).ok()?).cloned();
    let mut context = Map::new();
    context.insert("request".into(), json!(run.request));
    context.insert("mode".into(), json!(run.mode));
    context.insert("instructions".into(), instructions(state, &read, run));
    for (name, id) in places_of(hierarchy, run, work) {
        context.insert(name.replace('-', "_"), Value::Object(row(state, &read, run, &id)));
    }
    if work.role() == Role::Planner {
        if !run.wishes.is_empty() {
            context.insert("wishes".into(), json!(run.wishes));
        }
        context.insert("catalog".into(), catalog(state, store, run, work));
        if !run.learned.is_empty() {
            context.insert("past_runs".into(), learning::told(state, store, run));
        }
        context.insert("tool_types".into(), json!(settings.tools_of(&run.id)));
        if let Some(list) = procedures(store, state.protocol.procedures.path) {
            context.insert("procedures".into(), json!(list));
        }
    }
    Value::Object(context)
}

/// The ACTIVE instructions that a brief tells: the newest ones, the run's own among them. While a run works they are the
/// ones it began to work with, so that what its agents are told does not depend on what other runs do meanwhile.
fn instructions(state: &mut State, read: &dyn Fn(&str) -> Option<Text>, run: &Run) -> Value {
    if let Some(known) = state.instructions.get(&run.id) {
        return known.clone();
    }
    let path = state.protocol.instructions.path;
    let Some(text) = read(path) else { return Value::Array(Vec::new()) };
    let mut told = Vec::new();
    let repeats = state.repeats.clone();
    if let Ok(sheet) = state.sheets.sheet(path, &text) {
        // Once its own constitution is written, what that replaces is replaced for it, too.
        let repeats = repeats.filter(|_| sheet.find(&format!("I-{}-01", run.id)).is_none());
        for row in (0..sheet.row_count()).rev() {
            if told.len() >= INSTRUCTIONS {
                break;
            }
            let is_active =
                sheet.value(row, Field::Status).trim_matches(['*', '_', '`']).eq_ignore_ascii_case("ACTIVE");
            if is_active || is_replaced_by(repeats.as_deref(), &sheet.value(row, Field::SupersededBy)) {
                let mut cell = |field| sheet.value(row, field);
                let (id, run, content) = (cell(Field::Id), cell(Field::Run), cell(Field::Content));
                told.push(json!({"instruction_id": id, "run_id": run, "content": content}));
            }
        }
    }
    told.reverse();
    let told = Value::Array(told);
    if matches!(run.course, Course::Preparing | Course::Working) {
        state.instructions.insert(run.id.clone(), told.clone());
    }
    told
}

/// Whether an instruction was replaced by one that a run brought.
pub(crate) fn is_replaced_by(run: Option<&str>, superseded_by: &str) -> bool {
    let number = run.and_then(|run| superseded_by.strip_prefix("I-")?.strip_prefix(run)?.strip_prefix('-'));
    number.is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// An item's row as an object; a document that cannot be read has none, and that is told when it is next changed.
fn row(state: &mut State, read: &dyn Fn(&str) -> Option<Text>, run: &Run, id: &str) -> Map<String, Value> {
    dialect::item_object(&mut state.sheets, read, run, id).ok().flatten().unwrap_or_default()
}

/// The phase and stage that work belongs to.
fn places_of(hierarchy: &Hierarchy, run: &Run, work: &Work) -> Vec<(&'static str, String)> {
    let start = match work {
        Work::Execute(id) | Work::Plan(Target::Children(id) | Target::Tools(id, _)) => Some(id.clone()),
        _ => None,
    };
    let mut places = Vec::new();
    let mut next = start;
    while let Some(item) = next.and_then(|id| run.item(&id)) {
        if item.level + 2 < hierarchy.levels.len() {
            places.push((hierarchy.levels[item.level].name, item.id.clone()));
        }
        next = item.parent.clone();
    }
    places
}

/// What the Planner may build on: the inputs and what this run has made so far.
fn catalog<F: Fs>(state: &State, store: &Store<F>, run: &Run, work: &Work) -> Value {
    let row = |path: &str, run: &str, asset_type: &str, task: &str, summary: &str| json!({"file_path": path, "run_id": run, "asset_type": asset_type, "source_task_id": task, "summary": summary});
    let mut rows: Vec<Value> = Vec::new();
    let procedures = state.protocol.procedures.path;
    // The task of the preparation that catalogues, where it is one that can be looked up.
    let archivist = if state.protocol.has_catalogs() { "" } else { "T03" };
    if *work == Work::Plan(Target::Proposal) {
        // The catalog is made anew after the proposal: what was renamed or is gone since the last one is not proposed.
        let names = inputs::names(store.fs(), state.protocol).into_iter().filter(|(path, _)| path != procedures);
        rows.extend(names.map(|(path, asset_type)| match state.inputs.get(&path) {
            Some(note) => row(&path, "", asset_type, archivist, &note.summary),
            None => row(&path, "", asset_type, "", ""),
        }));
    } else {
        let inputs = state.inputs.values().filter(|note| note.path != procedures);
        rows.extend(inputs.map(|note| row(&note.path, "", &note.asset_type, archivist, &note.summary)));
    }
    // What earlier runs left, and this one may change.
    let others = state.owners.iter().filter(|(_, owner)| owner.run != run.id);
    rows.extend(others.map(|(path, owner)| row(path, &owner.run, &owner.asset_type, "", &owner.summary)));
    let made = run.items.iter().enumerate().filter(|(_, item)| !item.output.is_empty()).rev();
    let made: HashMap<&str, usize> = made.map(|(at, item)| (item.output.as_str(), at)).collect();
    let own = state.files.get(&run.id).into_iter().flatten().filter(|note| note.asset_type != "ORIGINAL_INPUT");
    let mut own: Vec<_> = own.map(|note| (made.get(note.path.as_str()).copied(), note)).collect();
    own.sort_by_key(|(at, _)| *at);
    let room = CATALOG_ROWS.saturating_sub(rows.len());
    rows.extend(own.into_iter().take(room).map(|(at, note)| {
        let task = at.and_then(|at| run.items.get(at)).map_or("", |item| item.id.as_str());
        row(&note.path, &run.id, &note.asset_type, task, &note.summary)
    }));
    rows.truncate(CATALOG_ROWS);
    Value::Array(rows)
}

fn procedures<F: Fs>(store: &Store<F>, path: &str) -> Option<String> {
    let path = store::ProjectPath::any(path).ok()?;
    let content = beginning(store.fs(), &path, PROCEDURES_BYTES).ok()??;
    Some(String::from_utf8_lossy(&content).into_owned())
}

/// The same in words, for agents that read. Those that answer at once do not: nobody waits for words then (QL-01).
pub(crate) fn put_into_words(brief: &mut Brief, prompts: &Prompts) {
    brief.prompt = prompts.render(brief, Form::Report, Tools::None).text();
}

/// In which words an attempt is asked, for the record that begins it; nothing for agents that answer at once.
pub(crate) fn prompted(
    hierarchy: &Hierarchy,
    settings: &Settings,
    run: &Run,
    attempt: &Attempt,
) -> Option<(u64, Prompted)> {
    let role = attempt.work.role();
    let is_read = settings.casting_of(&run.id).crew.get(&role).is_some_and(|backend| backend.pace() == Pace::Slow);
    if !is_read || matches!(attempt.work, Work::SetUp(_) | Work::Catalog(_)) {
        return None;
    }
    let prompts = settings.prompts();
    let is_tool = |id: &str| run.item(id).is_some_and(|item| item.level == hierarchy.tool_level());
    let target = match &attempt.work {
        Work::Plan(target) => Some(target.spelled(hierarchy, run)),
        // Which tool it is stands in a document that is not looked at here: the digest of all is right for each.
        Work::Execute(id) if is_tool(id) => {
            let all = Prompted { template: "*".into(), digest: prompts.digest_of_all().into() };
            return Some((attempt.fence, all));
        }
        Work::Execute(_) | Work::SetUp(_) | Work::Catalog(_) => None,
    };
    let action = attempt.work.action(hierarchy, run);
    let (template, digest) = prompts.digest_for(role_word(role), action, target.as_deref());
    Some((attempt.fence, Prompted { template: template.into(), digest: digest.into() }))
}

/// A role's word in the contract.
pub(crate) fn role_word(role: Role) -> &'static str {
    match role {
        Role::Planner => "planner",
        Role::Executor => "executor",
        Role::Communicator => "communicator",
    }
}
