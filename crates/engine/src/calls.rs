//! Recordings of agent calls, one an attempt, in `.multiverse/calls/<run>/`: enough to have the run carried out again
//! without any agent (BY-19). Written before the report is taken, whole or not at all; nothing is decided by them.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use agent::model::Kept;
use agent::replay::{RECORDING, Recording, digests, recording_name, wire_name};
use agent::{Brief, Ending, Job, Meter, OutputLimits, Report, ReportOutput, ReportStatus};

use crate::fault::EngineError;

/// The most of an agent's log that is kept, in bytes.
const LOG_BYTES: usize = 256 * 1024;
/// A file up to this size stands in the report itself, if it did.
const INLINE_BYTES: usize = 64 * 1024;

/// How the recording of a message to the user ends.
const MESSAGE: &str = "message";

/// Where the recordings of a run are.
pub fn folder(project: &Path, run: &str) -> PathBuf {
    project.join(store::OWN).join("calls").join(run)
}

/// Which recorded run is meant by a prefix of its id, or `last`.
pub fn find(project: &Path, name: &str) -> Result<String, EngineError> {
    let all = std::fs::read_dir(project.join(store::OWN).join("calls")).into_iter().flatten().flatten();
    // Ids of different protocols do not tell which is newer.
    let kept = |entry: &std::fs::DirEntry| entry.metadata().and_then(|about| about.modified()).ok();
    let mut runs: Vec<_> =
        all.filter_map(|entry| Some((kept(&entry), entry.file_name().into_string().ok()?))).collect();
    runs.sort();
    let mut runs: Vec<String> = runs.into_iter().map(|(_, run)| run).collect();
    if name == "last" {
        let none = || EngineError::refused("no run was recorded here yet", "`multiverse run \"…\"` begins one");
        return runs.pop().ok_or_else(none);
    }
    let fitting: Vec<&String> = runs.iter().filter(|run| run.starts_with(name)).collect();
    match fitting.as_slice() {
        [one] => Ok((*one).clone()),
        [] => {
            let known = runs.iter().rev().take(5).cloned().collect::<Vec<_>>().join(", ");
            Err(EngineError::refused(format!("no run {name:?} was recorded"), format!("the newest are: {known}")))
        }
        several => {
            let shown = several.iter().take(5).map(|run| run.as_str()).collect::<Vec<_>>().join(", ");
            let reason = format!("{name:?} can be {} recorded runs: {shown}", several.len());
            Err(EngineError::refused(reason, "give more of the id"))
        }
    }
}

/// What is kept of a call.
pub(crate) struct Call<'a> {
    pub project: &'a Path,
    pub workdir: &'a Path,
    pub fence: u64,
    pub agent: String,
    pub brief: &'a Brief,
    pub ending: &'a Ending,
    pub meter: &'a Meter,
}

/// Keeps a call. That it could not be kept is no reason to stop: the run does not rest on it.
pub(crate) fn keep(call: &Call<'_>) {
    let _ = try_to_keep(call, &recording_name(call.fence));
}

/// Keeps what a communicator was given to say and said: it has no attempt of its own. It is not replayed.
pub(crate) fn keep_message(call: &Call<'_>) {
    let kind = call.brief.context["kind"].as_str().unwrap_or("message");
    let folder = folder(call.project, &call.brief.run_id);
    let mut names = (1..1000).map(|number| format!("{kind}-{number}.{MESSAGE}"));
    if let Some(name) = names.find(|name| !folder.join(name).exists()) {
        let _ = try_to_keep(call, &name);
    }
}

fn try_to_keep(call: &Call<'_>, name: &str) -> std::io::Result<()> {
    let mut ending = call.ending.clone();
    if matches!(ending, Ending::Later { .. } | Ending::Waiting | Ending::Stopped) {
        // They say nothing of the agent.
        return Ok(());
    }
    let folder = folder(call.project, &call.brief.run_id);
    let mut outputs = BTreeMap::new();
    let mut usage = call.meter.reading();
    match &mut ending {
        Ending::Later { .. } | Ending::Waiting | Ending::Stopped => {}
        Ending::Report { report, log } => {
            usage = report.usage.unwrap_or(usage);
            if report.status == ReportStatus::Done
                && !call.workdir.as_os_str().is_empty()
                && !is_told(call.brief, report)
            {
                let collected = agent::collect_outputs(call.brief, call.workdir, report, &OutputLimits::default())
                    .unwrap_or_default();
                for (number, file) in collected.into_iter().enumerate() {
                    let told = report.outputs.iter_mut().find(|output| output.path == file.path);
                    if told.as_ref().is_some_and(|told| is_inline(told)) {
                        continue;
                    }
                    let name = format!("{:06}.{number}", call.fence);
                    write(&folder, &name, &file.content)?;
                    told.into_iter().for_each(|told| told.content = None);
                    outputs.insert(file.path, name);
                }
            }
            cut(log);
        }
        Ending::Broken { said, log, .. } => {
            cut(said);
            cut(log);
        }
        Ending::Failed { log, .. } => cut(log),
    }
    // Who works at once has no folder and reads no file: what lies there may not be in place yet.
    let files = match call.workdir.as_os_str().is_empty() {
        true => BTreeMap::new(),
        false => digests(call.brief, call.project),
    };
    let recording = Recording {
        format: RECORDING,
        fence: call.fence,
        agent: call.agent.clone(),
        prompt: blake3::hash(call.brief.prompt.as_bytes()).to_hex()[..32].to_string(),
        brief: Brief { workdir: String::new(), ..call.brief.clone() },
        files,
        ending,
        outputs,
        usage,
    };
    let mut text = serde_json::to_vec(&recording)?;
    text.push(b'\n');
    write(&folder, name, &text)
}

/// Whether a file stands in the report itself, and is kept there.
fn is_inline(output: &ReportOutput) -> bool {
    output.content.as_ref().is_some_and(|text| text.len() <= INLINE_BYTES)
}

/// Whether all files do, so that none need be looked for in the folder.
fn is_told(brief: &Brief, report: &Report) -> bool {
    let is_named = |path: &String| report.outputs.iter().any(|output| output.path == *path);
    report.outputs.iter().all(is_inline) && brief.expects.outputs.iter().all(is_named)
}

/// Keeps a line of what a model and its provider said, beside the recording of the attempt, in order. What is asked outside of
/// a run is not kept.
pub fn keep_line(job: &Job, kept: &Kept) {
    let fence = job.workdir.file_name().and_then(|name| name.to_str()).and_then(|name| name.parse::<u64>().ok());
    let (Some(fence), true) = (fence, job.brief.run_id.starts_with("run-")) else { return };
    let _ = try_to_keep_line(&folder(&job.project, &job.brief.run_id), fence, kept);
}

fn try_to_keep_line(folder: &Path, fence: u64, kept: &Kept) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    let mut file = std::fs::File::options().create(true).append(true).open(folder.join(wire_name(fence)))?;
    file.write_all(format!("{}\n", kept.line()).as_bytes())
}

/// Whole or not at all.
pub(crate) fn write(folder: &Path, name: &str, content: &[u8]) -> std::io::Result<()> {
    let part = folder.join(format!(".{name}.part"));
    match std::fs::write(&part, content) {
        // The first of a run.
        Err(fault) if fault.kind() == std::io::ErrorKind::NotFound => {
            std::fs::create_dir_all(folder)?;
            std::fs::write(&part, content)?;
        }
        written => written?,
    }
    std::fs::rename(&part, folder.join(name))
}

fn cut(text: &mut String) {
    let mut end = text.len().min(LOG_BYTES);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.truncate(end);
}
