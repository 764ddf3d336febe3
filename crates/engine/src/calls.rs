//! Recordings of agent calls, one an attempt, in `.multiverse/calls/<run>/`: enough to have the run carried out again
//! without any agent (BY-19). Written before the report is taken, whole or not at all; nothing is decided by them.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use agent::model::Exchange;
use agent::replay::{RECORDING, Recording, digests, recording_name};
use agent::{Brief, Ending, Job, Meter, OutputLimits, ReportStatus};

use crate::fault::EngineError;

/// The most of an agent's log that is kept, in bytes.
const LOG_BYTES: usize = 256 * 1024;
/// A file up to this size stands in the report itself, if it did.
const INLINE_BYTES: usize = 64 * 1024;

/// Where the recordings of a run are.
pub fn folder(project: &Path, run: &str) -> PathBuf {
    project.join(store::OWN).join("calls").join(run)
}

/// Which recorded run is meant by a prefix of its id, or `last`.
pub fn find(project: &Path, name: &str) -> Result<String, EngineError> {
    let all = std::fs::read_dir(project.join(store::OWN).join("calls")).into_iter().flatten().flatten();
    let mut runs: Vec<String> = all.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    runs.sort();
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
    let _ = try_to_keep(call);
}

fn try_to_keep(call: &Call<'_>) -> std::io::Result<()> {
    let mut ending = call.ending.clone();
    if matches!(ending, Ending::Later { .. } | Ending::Waiting | Ending::Stopped) {
        // They say nothing of the agent.
        return Ok(());
    }
    let folder = folder(call.project, &call.brief.run_id);
    std::fs::create_dir_all(&folder)?;
    let mut outputs = std::collections::BTreeMap::new();
    let mut usage = call.meter.reading();
    match &mut ending {
        Ending::Later { .. } | Ending::Waiting | Ending::Stopped => {}
        Ending::Report { report, log } => {
            usage = report.usage.unwrap_or(usage);
            if report.status == ReportStatus::Done && !call.workdir.as_os_str().is_empty() {
                let collected = agent::collect_outputs(call.brief, call.workdir, report, &OutputLimits::default())
                    .unwrap_or_default();
                for (number, file) in collected.into_iter().enumerate() {
                    let told = report.outputs.iter_mut().find(|output| output.path == file.path);
                    if told
                        .as_ref()
                        .is_some_and(|told| told.content.as_ref().is_some_and(|text| text.len() <= INLINE_BYTES))
                    {
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
    let recording = Recording {
        format: RECORDING,
        fence: call.fence,
        agent: call.agent.clone(),
        prompt: blake3::hash(call.brief.prompt.as_bytes()).to_hex()[..32].to_string(),
        brief: Brief { workdir: String::new(), ..call.brief.clone() },
        files: digests(call.brief, call.project),
        ending,
        outputs,
        usage,
    };
    let mut text = serde_json::to_vec(&recording)?;
    text.push(b'\n');
    write(&folder, &recording_name(call.fence), &text)
}

/// Keeps one exchange of a model with its provider, beside the recording of the attempt: a line each, in order. What is
/// asked outside of a run is not kept.
pub fn keep_exchange(job: &Job, exchange: &Exchange) {
    let fence = job.workdir.file_name().and_then(|name| name.to_str()).and_then(|name| name.parse::<u64>().ok());
    let (Some(fence), true) = (fence, job.brief.run_id.starts_with("run-")) else { return };
    let _ = try_to_keep_exchange(&folder(&job.project, &job.brief.run_id), fence, exchange);
}

fn try_to_keep_exchange(folder: &Path, fence: u64, exchange: &Exchange) -> std::io::Result<()> {
    let request: serde_json::Value = serde_json::from_slice(&exchange.request).unwrap_or_default();
    let reply = String::from_utf8_lossy(&exchange.reply);
    let line = serde_json::json!({"url": exchange.url, "status": exchange.status, "request": request, "reply": reply});
    std::fs::create_dir_all(folder)?;
    let mut file = std::fs::File::options().create(true).append(true).open(folder.join(wire_name(fence)))?;
    file.write_all(format!("{line}\n").as_bytes())
}

/// The name of what a model and its provider said.
fn wire_name(fence: u64) -> String {
    format!("{fence:06}.wire.jsonl")
}

/// Whole or not at all.
fn write(folder: &Path, name: &str, content: &[u8]) -> std::io::Result<()> {
    let part = folder.join(format!(".{name}.part"));
    std::fs::write(&part, content)?;
    std::fs::rename(&part, folder.join(name))
}

fn cut(text: &mut String) {
    let mut end = text.len().min(LOG_BYTES);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.truncate(end);
}
