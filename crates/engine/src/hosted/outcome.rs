//! What came of each attempt of a hosted run, beside the recordings of agents: with it every step can be decided again
//! (BY-19). Written before the step is decided, whole or not at all; nothing is decided by it.

use std::path::Path;

use agent::Report;
use machine::Metered;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use store::ProjectPath;
use text::Text;

use super::Came;
use crate::calls;
use crate::step::Output;

/// The version of what is kept.
const FORMAT: u32 = 1;
/// The largest that is read, in bytes.
const MOST_BYTES: u64 = 64 << 20;

/// What came of an attempt.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Outcome {
    format: u32,
    /// The newest record when it came.
    pub(super) after: u64,
    came: Told,
    #[serde(default)]
    tokens: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    micro_dollars: Option<u64>,
}

/// The same as [`Came`], its files by their paths: what is in them the journal has.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Told {
    Report { report: Box<Report>, outputs: Vec<ProjectPath> },
    Done(Value),
    Question(String),
    Paused(String),
    Later { seconds: u64, reason: String },
    Broken { problems: Vec<String>, said: String },
    Failed { error: String, said: String },
    Lost(String),
}

fn name(fence: u64) -> String {
    format!("{fence:06}.came")
}

impl Outcome {
    pub(super) fn of(came: &Came, used: Metered, after: u64) -> Self {
        let came = match came.clone() {
            Came::Report { report, outputs } => {
                Told::Report { report, outputs: outputs.into_iter().map(|output| output.path).collect() }
            }
            Came::Done(value) => Told::Done(value),
            Came::Question(question) => Told::Question(question),
            Came::Paused(reason) => Told::Paused(reason),
            Came::Later { seconds, reason } => Told::Later { seconds, reason },
            Came::Broken { problems, said } => Told::Broken { problems, said },
            Came::Failed { error, said } => Told::Failed { error, said },
            Came::Lost(reason) => Told::Lost(reason),
        };
        Self { format: FORMAT, after, came, tokens: used.tokens, micro_dollars: used.micro_dollars }
    }

    /// Keeps it. That it could not be kept is no reason to stop: the run does not rest on it.
    pub(super) fn keep(&self, project: &Path, run: &str, fence: u64) {
        // A project that is not on this disk keeps nothing there.
        if !project.join(store::OWN).is_dir() {
            return;
        }
        if let Ok(mut text) = serde_json::to_vec(self) {
            text.push(b'\n');
            let _ = calls::write(&calls::folder(project, run), &name(fence), &text);
        }
    }

    /// What was kept of an attempt, if it was.
    pub(super) fn read(project: &Path, run: &str, fence: u64) -> Result<Option<Self>, String> {
        let path = calls::folder(project, run).join(name(fence));
        let fault = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
        let about = match std::fs::metadata(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            about => about.map_err(|error| fault(&error))?,
        };
        if !about.is_file() || about.len() > MOST_BYTES {
            return Err(fault(&"is nothing that was kept: too large, or no ordinary file"));
        }
        let bytes = std::fs::read(&path).map_err(|error| fault(&error))?;
        let kept: Self = serde_json::from_slice(&bytes).map_err(|error| fault(&error))?;
        match kept.format > FORMAT {
            true => Err(fault(&format!("has format {}; this program reads {FORMAT}", kept.format))),
            false => Ok(Some(kept)),
        }
    }

    /// What came, with the files as the journal has them.
    pub(super) fn came(&self, content: &dyn Fn(&ProjectPath) -> Option<Text>) -> Came {
        match &self.came {
            Told::Report { report, outputs } => {
                let output = |path: &ProjectPath| Output {
                    path: path.clone(),
                    content: content(path).unwrap_or_default().to_vec().into(),
                };
                Came::Report { report: report.clone(), outputs: outputs.iter().map(output).collect() }
            }
            Told::Done(value) => Came::Done(value.clone()),
            Told::Question(question) => Came::Question(question.clone()),
            Told::Paused(reason) => Came::Paused(reason.clone()),
            Told::Later { seconds, reason } => Came::Later { seconds: *seconds, reason: reason.clone() },
            Told::Broken { problems, said } => Came::Broken { problems: problems.clone(), said: said.clone() },
            Told::Failed { error, said } => Came::Failed { error: error.clone(), said: said.clone() },
            Told::Lost(reason) => Came::Lost(reason.clone()),
        }
    }

    pub(super) fn used(&self) -> Metered {
        Metered { tokens: self.tokens, micro_dollars: self.micro_dollars }
    }

    /// Whether somebody ended it, and nothing came.
    pub(super) fn is_lost(&self) -> bool {
        matches!(self.came, Told::Lost(_))
    }
}
