//! What a run wants of a person besides a yes: answers to its agents, and work that is a person's. Asked for at the
//! terminal, one after the other; what is left for later waits as ever.

use std::path::{Path, PathBuf};

use engine::agent::Brief;
use engine::{HandedIn, Input, Service, Waiting};

use super::super::ask::{self, Asked};
use super::super::failure::Failure;
use super::super::live::words::Words;
use super::super::output::{GOOD, Output};
use super::super::request::{bytes_of, user};
use super::super::visible;
use super::Opened;

/// What stands before the name of a file that is handed in.
const FILE: char = '@';
/// Of an answer so much is shown again.
const ECHO_COLUMNS: usize = 70;

impl Opened {
    /// Asks for all that a run wants of a person; says whether anything was answered.
    pub(super) fn ask_for_words(&mut self, run: &str, output: &mut Output) -> Result<bool, Failure> {
        let mut is_answered = false;
        while let Some(waiting) = self.next_wanted(run) {
            let fence = waiting.fence.unwrap_or_default();
            let work = (waiting.kind == "work").then(|| Work::of(&mut self.service, run, fence));
            self.show_wanted(&waiting, work.as_ref(), output)?;
            let question = match &work {
                None => "Your answer?".to_string(),
                Some(work) => work.question(),
            };
            let is_open = |service: &Service| {
                service.view(run).is_some_and(|view| view.waits.iter().any(|one| key_of(one) == key_of(&waiting)))
            };
            let live = self.live.as_ref();
            match ask::words(&mut self.service, live, Words::new(&question), is_open, output)? {
                Asked::Later => {
                    self.put_off.extend(key_of(&waiting));
                }
                Asked::Elsewhere => {
                    output.say("answered elsewhere")?;
                    is_answered = true;
                }
                Asked::Answer(text) => match self.give(run, &waiting, work.as_ref(), text.clone()) {
                    Ok(()) => {
                        // What is typed in the view goes with it.
                        if self.live.is_some() {
                            output.say(&format!("{GOOD}you{GOOD:#}: {}", visible::short(&text, ECHO_COLUMNS)))?;
                        }
                        is_answered = true;
                    }
                    // It can be mended, so it is asked for again.
                    Err(failure) => output.failure(&failure)?,
                },
            }
        }
        Ok(is_answered)
    }

    /// The first thing that is wanted, and was not put off.
    fn next_wanted(&self, run: &str) -> Option<Waiting> {
        let view = self.service.view(run).filter(|view| view.paused.is_none())?;
        let is_asked = |waiting: &Waiting| matches!(waiting.kind, "question" | "work" | "gate" | "decision");
        let mut asked = view.waits.into_iter().filter(is_asked);
        asked.find(|waiting| key_of(waiting).is_some_and(|key| !self.put_off.contains(&key)))
    }

    fn show_wanted(&self, waiting: &Waiting, work: Option<&Work>, output: &mut Output) -> Result<(), Failure> {
        let text = match work {
            Some(work) if !work.told.is_empty() => format!("{}\n\n{}", waiting.text, work.told.trim()),
            _ => waiting.text.clone(),
        };
        Ok(output.warn(&self.progress.message(waiting.kind, &text))?)
    }

    fn give(&mut self, run: &str, waiting: &Waiting, work: Option<&Work>, text: String) -> Result<(), Failure> {
        let fence = waiting.fence.unwrap_or_default();
        match (work, &waiting.question) {
            (None, Some(question)) => {
                self.service.answer_question(run, Some(question), &text, &user())?;
            }
            (None, None) => {
                self.service.send(run, Input::Tell { fence: Some(fence), answer: text, by: user() })?;
            }
            (Some(work), _) => {
                let handed = work.handed_in(&text, self.service.project())?;
                self.service.hand_in(run, Some(fence), handed)?;
            }
        }
        Ok(())
    }
}

/// By what it is known whether something was put off: the question, else the attempt.
fn key_of(waiting: &Waiting) -> Option<String> {
    waiting.question.clone().or_else(|| waiting.fence.map(|fence| fence.to_string()))
}

/// Work that is a person's.
struct Work {
    /// What is to be done, in words.
    told: String,
    /// The file that it leaves, if it is one.
    file: Option<String>,
}

impl Work {
    fn of(service: &mut Service, run: &str, fence: u64) -> Self {
        let Some(brief) = service.brief_of(run, fence) else { return Self { told: String::new(), file: None } };
        let file = match brief.expects.outputs.as_slice() {
            [one] => Some(one.clone()),
            _ => None,
        };
        // A plan has a form of its own, which only the whole brief tells; for the rest, a person wants to know less.
        let told = if file.is_some() { in_words(&brief) } else { brief.prompt };
        Self { told, file }
    }

    fn question(&self) -> String {
        match &self.file {
            Some(file) => {
                format!("What belongs into {}? Type it, or {FILE} and the name of a file.", visible::text(file))
            }
            None => format!(
                "Your report? {FILE} and the name of a file, or JSON; `multiverse schema report` shows what it is."
            ),
        }
    }

    /// Words are the file itself, or the report where no file is wanted; a name stands for what is in that file.
    fn handed_in(&self, text: &str, project: &Path) -> Result<HandedIn, Failure> {
        let content = match text.strip_prefix(FILE).filter(|name| !name.contains('\n')) {
            Some(name) => bytes_of(Path::new(name.trim()), &place_of(name.trim(), project))?,
            None => format!("{text}\n").into_bytes(),
        };
        Ok(match self.file {
            Some(_) => HandedIn { report: None, file: Some(content) },
            None => HandedIn { report: Some(content), file: None },
        })
    }
}

/// A task as a person wants to know it: what for, and what there is to read.
fn in_words(brief: &Brief) -> String {
    let purpose = brief.item.get("task_purpose").and_then(|purpose| purpose.as_str()).unwrap_or_default();
    let mut told = vec![purpose.to_string()];
    if !brief.files.is_empty() {
        told.extend([String::new(), "To read:".into()]);
        told.extend(brief.files.iter().map(|file| format!("- {} ({})", file.path, file.why)));
    }
    told.join("\n")
}

/// A file beside the person, or else one of the project.
fn place_of(name: &str, project: &Path) -> PathBuf {
    let here = PathBuf::from(name);
    if here.exists() { here } else { project.join(name) }
}
