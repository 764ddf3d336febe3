//! The words of agents to their log (RM-09): what `jixo_log_lock` and its like do. Each attempt's desk opens the project like any
//! other process and commits like one. The log's lock is for agents among themselves, with a time limit; an edit is read,
//! compared and decided like a person's, against the newest content, and refused whole where it is not valid.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use agent::Guidance;
use dialect::roadmap::{Log, LogEntry, TaskFile, compare};
use dialect::{Edit, Revision};
use machine::roadmap::{Editor, Input as Told, Noted, Session};
use store::Missing;
use text::{Change, Text};
use tools::{LogKeeper, Stop};

use super::lease::Lease;
use super::{Carried, read_task};
use crate::fault::EngineError;
use crate::hosted::{Followed, World};
use crate::service::Service;
use crate::settings::Settings;
use crate::step::Order;

/// How long an agent holds the log at most; and how long one waits for it.
const HELD: Duration = Duration::from_secs(60);
const WAITED: Duration = Duration::from_secs(120);
/// Between two tries.
const PAUSE: Duration = Duration::from_millis(20);
/// The most that one call may add to the task file.
const APPENDED: usize = 64 * 1024;

/// What one attempt may say of its log.
pub struct Desk {
    service: Mutex<Service>,
    project: PathBuf,
    run: String,
    fence: u64,
    guidance: Arc<Guidance>,
    files: (String, String),
}

impl std::fmt::Debug for Desk {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Desk").field("run", &self.run).field("fence", &self.fence).finish_non_exhaustive()
    }
}

impl Desk {
    /// The desk of an attempt that is under way.
    pub fn open(project: &Path, run: &str, fence: u64, guidance: Arc<Guidance>) -> Result<Self, EngineError> {
        let service = Service::open(Settings::new(project.into()), Missing::Refuse, Arc::new(|_| {}))?;
        let session = service.session(run)?;
        attempt_of(session, fence)?;
        let files = (session.task_file.clone(), session.log_file.clone());
        let (project, run) = (project.to_path_buf(), run.to_string());
        Ok(Self { service: Mutex::new(service), project, run, fence, guidance, files })
    }

    fn service(&self) -> MutexGuard<'_, Service> {
        self.service.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lease(&self) -> Lease {
        Lease::new(&self.project, &self.run, self.fence, HELD)
    }

    /// A document as it is now, with all that others committed.
    fn newest(&self, path: &str) -> Result<Text, String> {
        let mut service = self.service();
        service.engine.store.catch_up().map_err(|fault| fault.to_string())?;
        service.engine.follow().map_err(|error| error.to_string())?;
        attempt_of(service.session(&self.run).map_err(in_words)?, self.fence).map_err(in_words)?;
        service.engine.read(path).cloned().ok_or_else(|| format!("{path} is gone"))
    }

    /// Whether an attempt is not under way any more: what it held is free.
    fn is_over(&self, fence: u64) -> bool {
        let mut service = self.service();
        if service.engine.store.has_news() && service.engine.store.catch_up().is_ok() {
            // Where it cannot be followed, the lock's own time counts.
            let _ = service.engine.follow();
        }
        service.session(&self.run).is_ok_and(|session| !session.attempts.contains(&fence))
    }

    fn say(&self, word: Word) -> Result<(), String> {
        let mut service = self.service();
        service.send_order(Order::Own { run: self.run.clone(), word: Box::new(word) }).map_err(in_words)?;
        // Whoever looks at the files after the answer finds it there.
        service.engine.store.finish().map_err(|fault| fault.to_string())
    }
}

impl LogKeeper for Desk {
    fn files(&self) -> (String, String) {
        self.files.clone()
    }

    fn lock(&self, stop: &Stop) -> Result<String, String> {
        let mut waited = Duration::ZERO;
        while !self.lease().take(&|fence| self.is_over(fence))? {
            if stop.is_stopped() {
                return Err("stopped".into());
            }
            if waited >= WAITED {
                return Err(
                    "another agent holds the log: go on without it, and say in your report what is to change".into()
                );
            }
            std::thread::sleep(PAUSE);
            waited += PAUSE;
        }
        let text = self.newest(&self.files.1)?;
        Ok(String::from_utf8_lossy(&text.to_vec()).into_owned())
    }

    fn unlock(&self) -> Result<String, String> {
        match self.lease().give_up()? {
            true => Ok("the log is free".into()),
            false => Ok("you did not hold the log any more".into()),
        }
    }

    fn edit(&self, edits: &[(String, String)]) -> Result<String, String> {
        if !self.lease().is_held()? {
            return Err(format!(
                "you do not hold the log: call jixo_log_lock first (it is yours for {} s)",
                HELD.as_secs()
            ));
        }
        self.newest(&self.files.1)?;
        self.say(Word::Edit { fence: self.fence, edits: edits.to_vec() })?;
        Ok("taken; the log is written from what was decided".into())
    }

    fn append(&self, text: &str) -> Result<String, String> {
        if text.len() > APPENDED {
            return Err(format!("{} bytes are too many for a question; {APPENDED} is the most", text.len()));
        }
        self.newest(&self.files.0)?;
        self.say(Word::Append { fence: self.fence, text: text.into() })?;
        Ok("asked; go on with the default that you planned".into())
    }

    fn exit(&self, reason: &str) -> Result<String, String> {
        self.newest(&self.files.1)?;
        let told = Told::ExitAsked { fence: self.fence, reason: reason.into() };
        let mut service = self.service();
        service.send_order(Order::Own { run: self.run.clone(), word: Box::new(told) }).map_err(in_words)?;
        Ok("noted: give your final report now".into())
    }

    fn skill(&self, name: &str) -> Result<String, String> {
        self.guidance.skill(&self.project, name)
    }
}

#[allow(clippy::needless_pass_by_value, reason = "it is handed to map_err")]
fn in_words(error: EngineError) -> String {
    match error {
        EngineError::Refused { reason, hint } if !hint.is_empty() => format!("{reason}; {hint}"),
        other => other.to_string(),
    }
}

fn attempt_of(session: &Session, fence: u64) -> Result<(), EngineError> {
    match session.attempts.contains(&fence) && session.over.is_none() {
        true => Ok(()),
        false => Err(EngineError::refused(
            format!("attempt {fence} of {} is not under way any more", session.id),
            "what is said now changes nothing: end",
        )),
    }
}

/// A word of an agent that needs the newest text to be understood.
#[derive(Debug)]
pub(super) enum Word {
    /// Texts of the log in the place of others.
    Edit { fence: u64, edits: Vec<(String, String)> },
    /// A text at the end of the task file.
    Append { fence: u64, text: String },
}

impl Word {
    /// What follows from it, on the newest text.
    pub(super) fn follow(&self, carried: &Carried, world: &World<'_>) -> Result<Followed, EngineError> {
        match self {
            Self::Edit { fence, edits } => edit(carried, *fence, edits, world),
            Self::Append { fence, text } => append(carried, *fence, text, world),
        }
    }
}

fn gone(path: &str) -> EngineError {
    EngineError::refused(format!("{path} is gone"), "say in your report what is to change")
}

fn edit(carried: &Carried, fence: u64, edits: &[(String, String)], world: &World<'_>) -> Result<Followed, EngineError> {
    let session = &carried.session;
    attempt_of(session, fence)?;
    let text = (world.read)(&session.log_file).ok_or_else(|| gone(&session.log_file))?;
    let mut content = String::from_utf8_lossy(&text.to_vec()).into_owned();
    for (number, (old, new)) in (1..).zip(edits) {
        let count = if old.is_empty() { 0 } else { content.matches(old.as_str()).count() };
        if count != 1 {
            let reason = format!("edit {number}: its old text stands {count} times in {}", session.log_file);
            return Err(EngineError::refused(reason, "name a text that stands there once; nothing was changed"));
        }
        content = content.replacen(old.as_str(), new, 1);
    }
    let lost = lost_headings(&text.to_vec(), &content);
    let (mut was, mut is) = (Log::read(&session.log_file, text), Log::read(&session.log_file, Text::from(content)));
    let altered = altered_entries(&was, &is);
    if !lost.is_empty() || !altered.is_empty() {
        let reason = format!("the edit of the log is not valid: {}", [lost, altered].concat().join("; "));
        return Err(EngineError::refused(reason, "nothing was changed; edit it again"));
    }
    let reading = compare(&mut is, session);
    // What it says of its own item counts with its report.
    let noted = attempt_item(session, fence).and_then(|item| noted(&mut was, &mut is, item));
    let told = Told::Edited { reading, by: Editor::Agent { fence, noted } };
    let followed = carried.decide(std::slice::from_ref(&told), world)?;
    if followed.facts.is_empty() {
        let hint = "items with their titles, dependencies and claims can be added and changed, and what is said of your own \
                    item; all else is written by code";
        return Err(EngineError::refused("nothing of the edit counts, and nothing was changed", hint));
    }
    Ok(followed)
}

/// Headings of the log that are gone: its parts stay what they are.
fn lost_headings(before: &[u8], after: &str) -> Vec<String> {
    let is_part = |line: &&str| line.starts_with("# ") || line.starts_with("## ");
    let before = String::from_utf8_lossy(before);
    let is_lost = |line: &&str| !after.lines().any(|other| other == *line);
    before.lines().filter(is_part).filter(is_lost).map(|line| format!("the heading `{line}` is gone")).collect()
}

/// Entries of the work log that are gone, or say something else: what was done is not changed.
fn altered_entries(was: &Log, is: &Log) -> Vec<String> {
    let after = is.entries();
    let is_same = |one: &LogEntry, other: &LogEntry| {
        (&one.role, &one.objective, one.result, &one.summary)
            == (&other.role, &other.objective, other.result, &other.summary)
    };
    let altered = was.entries().into_iter().filter(|entry| !after.iter().any(|other| is_same(entry, other)));
    let told = altered.map(|entry| match entry.number {
        Some(number) => format!("log {number} is another: what was done stays as it was written"),
        None => format!("an entry in line {} is another: what was done stays as it was written", entry.line),
    });
    told.collect()
}

/// What an agent wrote of its own item: its state, and its newest entry if there is a new one; nothing if it wrote nothing of it.
fn noted(was: &mut Log, is: &mut Log, item: &str) -> Option<Noted> {
    let entries = |log: &Log| -> Vec<LogEntry> {
        log.entries().into_iter().filter(|entry| entry.item.as_deref() == Some(item)).collect()
    };
    let (before, after) = (entries(was).len(), entries(is));
    let new = Some(after).filter(|after| after.len() > before).and_then(|after| after.into_iter().next());
    let status = is.item(item)?.status?;
    if new.is_none() && was.item(item).and_then(|item| item.status) == Some(status) {
        return None;
    }
    Some(Noted {
        status,
        result: new.as_ref().and_then(|entry| entry.result),
        is_blocker: new.as_ref().is_some_and(|entry| entry.is_blocker),
        summary: new.map(|entry| entry.summary).unwrap_or_default(),
    })
}

fn attempt_item(session: &Session, fence: u64) -> Option<&str> {
    session.attempts.get(&fence)?.work.item()
}

/// Only questions are added to a task file, and only whole ones with an id of their own (RM-08).
fn append(carried: &Carried, fence: u64, added: &str, world: &World<'_>) -> Result<Followed, EngineError> {
    let session = &carried.session;
    attempt_of(session, fence)?;
    let path = &session.task_file;
    let text = (world.read)(path).ok_or_else(|| gone(path))?;
    let before = TaskFile::read(path, &text.to_vec());
    let gap = if text.is_empty() || text.slice(text.len() - 1..text.len()).as_ref() == b"\n" { "" } else { "\n" };
    let change = Change::one(text.len(), "", format!("{gap}{added}"));
    let after = change.apply(&text).map_err(|found| EngineError::refused(format!("cannot append: {found:?}"), ""))?;
    let task = TaskFile::read(path, &after.to_vec());
    let refused = |reason: String| {
        let hint = "append one block as the template has it: `### JIXO: CLARIFICATION REQUEST`, `**ID**: …`, `**Question**:`, `**Response**:`";
        Err(EngineError::refused(reason, hint))
    };
    if task.goal_source() != before.goal_source() {
        return refused(format!("this would change the goal in {path}, which is the user's"));
    }
    let new: Vec<_> = task.questions.iter().skip(before.questions.len()).collect();
    if new.is_empty() || task.questions.len() < before.questions.len() {
        return refused("there is no clarification request in it".into());
    }
    for question in &new {
        let is_taken = before.questions.iter().any(|known| known.id == question.id);
        if question.id.is_empty() || is_taken || question.question.trim().is_empty() {
            return refused(format!("the request has no id of its own, or no question: {:?}", question.id));
        }
        if question.response.is_some() {
            return refused("the request answers itself: leave the placeholder in".into());
        }
    }
    let told = Told::TaskEdited(read_task(&task));
    let mut followed = carried.decide(std::slice::from_ref(&told), world)?;
    followed.edits.retain(|(edited, _)| edited != path);
    followed.edits.push((path.clone(), Edit::Change(Revision { change, before: text, after })));
    followed.cause = format!("a question of attempt {fence}");
    Ok(followed)
}
