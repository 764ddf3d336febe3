//! How an attempt ended, before any machine has looked at it: what was reported, and the files that came with it. An agent's
//! word counts only as far as it can be seen to be true.

use std::path::Path;

use agent::{Brief, Ending, Meter, Report, ReportStatus};
use machine::Metered;
use serde_json::Value;

use super::Workplace;
use crate::arrive::{collected, cut, metered, with_log};
use crate::step::Output;

/// How an attempt ended.
#[derive(Debug, Clone)]
pub(crate) enum Came {
    /// With a report, and the files that were asked for.
    Report { report: Box<Report>, outputs: Vec<Output> },
    /// Code did it: what it has to say, by its own rules.
    Done(Value),
    /// A person is asked.
    Question(String),
    /// The agent asks for a pause.
    Paused(String),
    /// Not now: a rate limit or a quota.
    Later { seconds: u64, reason: String },
    /// What was reported breaks the contract: exactly how, and what was said.
    Broken { problems: Vec<String>, said: String },
    /// It did not succeed, in the original words.
    Failed { error: String, said: String },
    /// Its process is gone, or it was told to stop.
    Lost(String),
}

/// An attempt that ended.
#[derive(Debug)]
pub(crate) struct Ended {
    pub run: String,
    pub fence: u64,
    pub came: Came,
    pub used: Metered,
}

impl Came {
    /// What became of an agent's work; nothing while a person has it.
    pub(crate) fn of(brief: &Brief, workdir: &Path, ending: Ending) -> Option<Self> {
        Some(match ending {
            Ending::Waiting => return None,
            Ending::Stopped => Self::Lost("stopped".into()),
            Ending::Later { seconds, reason } => Self::Later { seconds, reason: cut(&reason) },
            Ending::Failed { error, log } => Self::Failed { error: with_log(&cut(&error), &log), said: cut(&log) },
            Ending::Broken { problems, said, log } => {
                Self::Broken { problems, said: cut(format!("{said}\n{log}").trim()) }
            }
            Ending::Report { report, log } => match report.status {
                ReportStatus::Failed => {
                    let error = report.error.as_deref().unwrap_or("the agent gave no reason");
                    Self::Failed { error: with_log(&cut(error), &log), said: spelled(&report) }
                }
                ReportStatus::Question => Self::Question(report.question.unwrap_or_default()),
                ReportStatus::Paused => Self::Paused(report.summary),
                ReportStatus::Done => match collected(brief, workdir, &report) {
                    Ok(outputs) => Self::Report { report: Box::new(report), outputs },
                    Err(problems) => Self::Broken { problems, said: spelled(&report) },
                },
            },
        })
    }

    /// Whether nothing of it is worth keeping when the process ends.
    pub(crate) fn is_wasted(&self) -> bool {
        matches!(self, Self::Lost(_) | Self::Failed { .. })
    }

    /// What was said, for a report that is not taken.
    pub(crate) fn said(&self) -> Option<String> {
        match self {
            Self::Report { report, .. } => Some(spelled(report)),
            Self::Broken { said, .. } | Self::Failed { said, .. } => Some(said.clone()).filter(|said| !said.is_empty()),
            _ => None,
        }
    }
}

impl Ended {
    /// What became of an attempt; nothing while a person has it.
    pub(crate) fn of(
        run: &str,
        fence: u64,
        brief: &Brief,
        workdir: &Path,
        (ending, meter): (Ending, &Meter),
    ) -> Option<Self> {
        let used = metered(&ending, meter);
        Some(Self { run: run.into(), fence, came: Came::of(brief, workdir, ending)?, used })
    }

    /// The same for one that worked in a place of its own.
    pub(crate) fn at(
        run: &str,
        fence: u64,
        (brief, folder): (&Brief, &Path),
        (ending, meter): (Ending, &Meter),
        place: &mut dyn Workplace,
    ) -> Option<Self> {
        let used = metered(&ending, meter);
        Some(Self { run: run.into(), fence, came: place.came(folder, brief, ending)?, used })
    }
}

fn spelled(report: &Report) -> String {
    cut(&serde_json::to_string(report).unwrap_or_default())
}
