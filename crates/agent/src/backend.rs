//! Owns what every backend is: a job comes in, an ending comes out. Must not know any one of them, nor the engine.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use crate::contract::{Brief, Report, Usage};

/// Something that works on briefs. It never writes the project: what it makes is in its report or in its workdir.
pub trait Backend: Send + Sync {
    /// As it is given with `--agent`: `offline`, `script:FILE`, `command:PROGRAM`, `person`.
    fn name(&self) -> String;

    /// Whether it may be called where others wait.
    fn pace(&self) -> Pace {
        Pace::Slow
    }

    /// Whether it reads what a project keeps for agents in general: `AGENTS.md` and skills.
    fn is_guided(&self) -> bool {
        true
    }

    /// Whether its calls are recorded, so that the run can be replayed (BY-19). Who has nothing to say that is worth it says no.
    fn is_recorded(&self) -> bool {
        true
    }

    /// Works on one brief until it is done, or `stop` says so. Lines given to `say` tell people how far it is.
    fn work(&self, job: &Job, stop: &tools::Stop, say: &dyn Fn(&str)) -> Ending;
}

/// How long a backend may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pace {
    /// At once: it may be called on the engine's own thread.
    Instant,
    /// It waits for something: it needs a thread of its own.
    Slow,
}

/// One attempt, as a backend gets it.
#[derive(Debug, Clone)]
pub struct Job {
    /// What is asked for.
    pub brief: Brief,
    /// The project's folder, absolute.
    pub project: PathBuf,
    /// The attempt's own folder, absolute. It exists and is empty but for what the scratch placed.
    pub workdir: PathBuf,
    /// What may be read of the project (MV-36), absolute.
    pub readable: Vec<PathBuf>,
    /// What the attempt has used so far: a backend adds to it as it goes, so that it counts however the attempt ends.
    /// The usage in a report is the whole of it, and counts if it is more.
    pub meter: Meter,
}

/// What an attempt has used so far, shared by whoever works on it and whoever pays for it (BY-08).
#[derive(Debug, Clone, Default)]
pub struct Meter(Arc<Mutex<Usage>>);

impl Meter {
    /// Counts what was used just now.
    pub fn add(&self, more: &Usage) {
        let mut sum = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        sum.input_tokens = sum.input_tokens.saturating_add(more.input_tokens);
        sum.output_tokens = sum.output_tokens.saturating_add(more.output_tokens);
        sum.cached_tokens = sum.cached_tokens.saturating_add(more.cached_tokens);
        sum.cost_usd = match (sum.cost_usd, more.cost_usd) {
            (Some(sum), Some(more)) => Some(sum + more),
            (known, None) | (None, known) => known,
        };
    }

    /// What was used so far.
    pub fn reading(&self) -> Usage {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How an attempt ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// With a report that keeps the contract.
    Report {
        /// What the agent reports.
        report: Report,
        /// What it said besides.
        log: String,
    },
    /// With a report that breaks the contract: it can be sent back.
    Broken {
        /// What is wrong, exactly.
        problems: Vec<String>,
        /// What it gave as its report.
        said: String,
        /// What it said besides.
        log: String,
    },
    /// Without a report.
    Failed {
        /// What went wrong.
        error: String,
        /// What it said besides.
        log: String,
    },
    /// Not now: a rate limit or a quota. It is asked again when the time is over, and does not count as an attempt.
    Later {
        /// How long to wait.
        seconds: u64,
        /// Why, as people are told: `rate limit of NAME`.
        reason: String,
    },
    /// Not yet: a person has it.
    Waiting,
    /// It was told to stop, and did.
    Stopped,
}
