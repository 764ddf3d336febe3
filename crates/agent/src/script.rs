//! Owns the backend that replays a file of reports, for tests and demonstrations: which entry answers which brief, and
//! that the answer does not depend on who asks first. Must not judge: what an entry says goes the way of any agent's
//! words. The file's format is in `docs/formats/script.md`.

mod file;
mod fill;

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use tools::{How, Stop};

use crate::backend::{Backend, Ending, Job, Pace};
use crate::contract::Brief;
use crate::judge::{Left, judge};
use crate::limits::{CommandLimits, MAX_SCRIPT};

pub use file::Format;
use file::{Entry, Says};

/// How often a waiting entry looks whether it is to stop.
const LOOK: Duration = Duration::from_millis(5);

/// Replays reports.
#[derive(Debug)]
pub struct Script {
    name: String,
    entries: Vec<Entry>,
    /// How often each brief came, by what it is about; and the same by attempt.
    calls: Mutex<HashMap<Key, usize>>,
}

/// What a brief is about.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Key {
    run_id: String,
    role: String,
    action: String,
    plan_target: Option<String>,
    item: Option<String>,
    attempt: Option<u32>,
}

impl Script {
    /// Reads a script file; what is wrong with it is said entry by entry.
    pub fn open(path: &Path) -> Result<Self, Vec<String>> {
        let fault = |reason: &dyn std::fmt::Display| vec![format!("{}: {reason}", path.display())];
        let about = std::fs::metadata(path).map_err(|reason| fault(&reason))?;
        if !about.is_file() {
            return Err(fault(&"is no ordinary file"));
        }
        if about.len() > MAX_SCRIPT as u64 {
            return Err(fault(&format!("is larger than {MAX_SCRIPT} bytes")));
        }
        let bytes = std::fs::read(path).map_err(|reason| fault(&reason))?;
        let name = path.display().to_string();
        Self::parse(&name, Format::of(path), &bytes)
            .map_err(|problems| problems.into_iter().map(|problem| format!("{name}: {problem}")).collect())
    }

    /// Reads a script.
    pub fn parse(name: &str, format: Format, bytes: &[u8]) -> Result<Self, Vec<String>> {
        Ok(Self { name: name.into(), entries: file::entries(format, bytes)?, calls: Mutex::default() })
    }

    /// The entry for a brief: of those that fit, the most particular; of several, one after another, the last for ever.
    ///
    /// The place in that order follows from the attempt's number and from how often this very brief came before, never
    /// from other briefs: so it is the same whatever runs at the same time, and after a restart.
    fn entry(&self, brief: &Brief) -> Option<&Entry> {
        let fitting = || self.entries.iter().filter(|entry| entry.fits(brief));
        let most = fitting().map(Entry::particularity).max()?;
        let candidates: Vec<&Entry> = fitting().filter(|entry| entry.particularity() == most).collect();
        let key = |attempt| Key {
            run_id: brief.run_id.clone(),
            role: brief.role.clone(),
            action: brief.action.clone(),
            plan_target: brief.plan_target.clone(),
            item: brief.item_id().map(String::from),
            attempt,
        };
        let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        let mut count = |attempt| {
            let count = calls.entry(key(attempt)).or_default();
            *count += 1;
            *count - 1
        };
        let (in_all, in_attempt) = (count(None), count(Some(brief.attempt)));
        let place = if candidates.iter().any(|entry| entry.attempt.is_some()) {
            in_attempt
        } else {
            in_all.max(usize::try_from(brief.attempt.saturating_sub(1)).unwrap_or(usize::MAX))
        };
        candidates.get(place).or(candidates.last()).copied()
    }
}

impl Backend for Script {
    fn name(&self) -> String {
        format!("script:{}", self.name)
    }

    fn pace(&self) -> Pace {
        if self.entries.iter().any(|entry| !entry.delay.is_zero()) { Pace::Slow } else { Pace::Instant }
    }

    fn is_guided(&self) -> bool {
        false
    }

    fn work(&self, job: &Job, stop: &Stop, _say: &dyn Fn(&str)) -> Ending {
        let brief = &job.brief;
        let Some(entry) = self.entry(brief) else {
            let error = format!("{} has no entry for {}", self.name, about(brief));
            return Ending::Failed { error, log: String::new() };
        };
        let limits = CommandLimits::default();
        let time = match brief.limits.seconds {
            0 => limits.time,
            seconds => Duration::from_secs(seconds),
        };
        let left = |how, output| Left { how, output, log: entry.log.clone(), time, output_bytes: limits.output_bytes };
        if wait(entry.delay.min(time), stop) == Waited::Stopped {
            return Ending::Stopped;
        }
        if entry.delay >= time {
            return judge(brief, left(How::TimedOut, Vec::new()));
        }
        let output = match &entry.says {
            Says::Nothing => Vec::new(),
            Says::Raw(text) => fill::text(text, brief).into_bytes(),
            Says::Later { seconds, reason } => {
                return Ending::Later { seconds: *seconds, reason: fill::text(reason, brief) };
            }
            Says::Report(report) => fill::value(report, brief).to_string().into_bytes(),
        };
        judge(brief, left(entry.how, output))
    }
}

#[derive(PartialEq, Eq)]
enum Waited {
    Enough,
    Stopped,
}

fn wait(time: Duration, stop: &Stop) -> Waited {
    let start = Instant::now();
    loop {
        if stop.is_stopped() {
            return Waited::Stopped;
        }
        match time.saturating_sub(start.elapsed()) {
            Duration::ZERO => return Waited::Enough,
            left => std::thread::sleep(left.min(LOOK)),
        }
    }
}

/// A brief in a message, with all that an entry can ask for.
fn about(brief: &Brief) -> String {
    let mut words = format!("role {}, action {}", brief.role, brief.action);
    for (name, value) in [("plan_target", brief.plan_target.as_deref()), ("item", brief.item_id())] {
        if let Some(value) = value {
            words.push_str(&format!(", {name} {value}"));
        }
    }
    words.push_str(&format!(", attempt {}", brief.attempt));
    crate::words::quote(&words, 400)
}

#[cfg(test)]
mod tests;
