//! What agents were asked and said, kept beside the journal for people who look for a reason: one file an attempt in
//! `.multiverse/logs/<run>/`. Nothing is decided by it, so nothing waits for it to be durable.

use std::path::{Path, PathBuf};

use agent::{Brief, Ending};
use serde_json::json;

/// The most of an agent's log that is kept, in bytes.
const LOG_BYTES: usize = 1024 * 1024;

/// Where a run's logs are.
pub fn folder(project: &Path, run: &str) -> PathBuf {
    project.join(store::OWN).join("logs").join(run)
}

/// Keeps what was asked and said in an attempt.
pub(crate) fn keep(project: &Path, fence: u64, brief: &Brief, ending: &Ending) {
    let (how, said, log) = match ending {
        Ending::Report { report, log } => ("report", json!(report), log.as_str()),
        Ending::Broken { problems, said, log } => ("broken", json!({"problems": problems, "said": said}), log.as_str()),
        Ending::Failed { error, log } => ("failed", json!({"error": error}), log.as_str()),
        Ending::Later { seconds, reason } => ("later", json!({"seconds": seconds, "reason": reason}), ""),
        Ending::Waiting => return,
        Ending::Stopped => ("stopped", json!(null), ""),
    };
    let mut end = log.len().min(LOG_BYTES);
    while !log.is_char_boundary(end) {
        end -= 1;
    }
    let kept = json!({"attempt": fence, "brief": brief, "ending": how, "said": said, "log": &log[..end]});
    let folder = folder(project, &brief.run_id);
    // A log that cannot be kept is no reason to stop.
    let _ = std::fs::create_dir_all(&folder)
        .and_then(|()| std::fs::write(folder.join(format!("{fence:06}.json")), format!("{kept:#}\n")));
}
