//! What a run wants of a person besides a yes: answers to its agents, and work that is a person's. Asked for at the
//! terminal, one after the other; what is left for later waits as ever.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use engine::agent::Brief;
use engine::{HandedIn, Input, Service, Waiting};

use super::super::ask::{self, Asked, SoFar};
use super::super::failure::Failure;
use super::super::live::Live;
use super::super::live::keys::Keys;
use super::super::live::words::Words;
use super::super::output::{GOOD, Output};
use super::super::progress::Progress;
use super::super::request::{bytes_of, user};
use super::super::visible;
use super::Opened;

/// What stands before the name of a file that is handed in.
const FILE: char = '@';
/// Of an answer so much is shown again.
const ECHO_COLUMNS: usize = 70;
/// How often it is looked at what is typed while agents work.
const TYPING: Duration = Duration::from_millis(30);

/// Something that is wanted and was shown, with what was typed so far.
pub(super) struct Open {
    waiting: Waiting,
    work: Option<Work>,
    words: Words,
    keys: Keys,
}

impl Open {
    /// Shows what is wanted.
    fn begin(
        service: &mut Service,
        run: &str,
        waiting: Waiting,
        progress: &Progress,
        output: &mut Output,
    ) -> Result<Self, Failure> {
        let fence = waiting.fence.unwrap_or_default();
        let work = (waiting.kind == "work").then(|| Work::of(service, run, fence));
        let text = match &work {
            Some(work) if !work.told.is_empty() => format!("{}\n\n{}", waiting.text, work.told.trim()),
            _ => waiting.text.clone(),
        };
        output.warn(&progress.message(waiting.kind, &text))?;
        let question = work.as_ref().map_or_else(|| "Your answer?".to_string(), Work::question);
        Ok(Self { waiting, work, words: Words::new(&question), keys: Keys::default() })
    }

    fn is_wanted(&self, service: &Service, run: &str) -> bool {
        is_wanted(service, run, &self.waiting)
    }

    fn give(&self, service: &mut Service, run: &str, text: String) -> Result<(), Failure> {
        let fence = self.waiting.fence.unwrap_or_default();
        match (&self.work, &self.waiting.question) {
            (None, Some(question)) => {
                service.answer_question(run, Some(question), &text, &user())?;
            }
            (None, None) => {
                service.send(run, Input::Tell { fence: Some(fence), answer: text, by: user() })?;
            }
            (Some(work), _) => {
                let handed = work.handed_in(&text, service.project())?;
                service.hand_in(run, Some(fence), handed)?;
            }
        }
        Ok(())
    }
}

impl Opened {
    /// Asks for all that a run wants of a person; says whether anything was answered.
    pub(super) fn ask_for_words(&mut self, run: &str, output: &mut Output) -> Result<bool, Failure> {
        let mut is_answered = false;
        loop {
            // What was asked while others worked is asked on, with what was typed.
            let known = self.open.take().filter(|open| open.is_wanted(&self.service, run));
            let so_far = if known.is_some() { SoFar::Shown } else { SoFar::New };
            let mut open = match (known, next_wanted(&self.service, run, &self.put_off)) {
                (Some(open), _) => open,
                (None, Some(wanted)) => Open::begin(&mut self.service, run, wanted, &self.progress, output)?,
                (None, None) => return Ok(is_answered),
            };
            let waiting = open.waiting.clone();
            let is_open = |service: &Service| is_wanted(service, run, &waiting);
            let asked = ask::words(&mut self.service, self.live.as_ref(), &mut open.words, so_far, is_open, output)?;
            let mut taken = Taken { service: &mut self.service, run, put_off: &mut self.put_off };
            is_answered |= taken.take(&open, asked, self.live.is_some(), output)?;
        }
    }
}

/// Asks at the terminal while agents work: looks at what is typed whenever the loop would wait for them, and never waits
/// itself.
pub(super) struct WhileWorking<'a> {
    pub(super) run: &'a str,
    pub(super) live: Option<&'a Live>,
    pub(super) progress: &'a Progress,
    pub(super) put_off: &'a mut BTreeSet<String>,
    pub(super) open: &'a mut Option<Open>,
    pub(super) output: &'a mut Output,
    /// What kept it from asking; nobody is asked any more then.
    pub(super) trouble: Option<Failure>,
}

impl WhileWorking<'_> {
    /// One look; says how soon the next should be.
    pub(super) fn look(&mut self, service: &mut Service) -> Option<Duration> {
        // Other processes do their part of a roadmap: what they did nobody tells here.
        if let (Some(live), Some(view)) = (self.live, service.view(self.run))
            && view.protocol == Some("roadmap")
        {
            live.seed(&view);
        }
        if self.trouble.is_some() {
            return None;
        }
        if let Err(failure) = self.ask(service) {
            self.trouble = Some(failure);
        }
        self.open.as_ref().map(|_| TYPING)
    }

    fn ask(&mut self, service: &mut Service) -> Result<(), Failure> {
        if self.open.is_none() {
            let Some(wanted) = next_wanted(service, self.run, self.put_off) else { return Ok(()) };
            let mut open = Open::begin(service, self.run, wanted, self.progress, self.output)?;
            ask::begin_words(self.live, &mut open.words, self.output)?;
            *self.open = Some(open);
        }
        let Some(mut open) = self.open.take() else { return Ok(()) };
        let asked = match open.is_wanted(service, self.run) {
            true => ask::words_so_far(self.live, &mut open.words, &mut open.keys, self.output)?,
            false => Some(Asked::Elsewhere),
        };
        match asked {
            None => *self.open = Some(open),
            Some(asked) => {
                if let Some(live) = self.live {
                    live.ask(None);
                }
                let mut taken = Taken { service, run: self.run, put_off: self.put_off };
                taken.take(&open, asked, self.live.is_some(), self.output)?;
            }
        }
        Ok(())
    }
}

/// Whoever takes what was answered.
struct Taken<'a> {
    service: &'a mut Service,
    run: &'a str,
    put_off: &'a mut BTreeSet<String>,
}

impl Taken<'_> {
    /// Takes an answer; says whether the run may go on with it.
    fn take(&mut self, open: &Open, asked: Asked<String>, is_live: bool, output: &mut Output) -> Result<bool, Failure> {
        match asked {
            Asked::Later => {
                self.put_off.extend(key_of(&open.waiting));
                return Ok(false);
            }
            Asked::Elsewhere => output.say("answered elsewhere")?,
            Asked::Answer(text) => match open.give(self.service, self.run, text.clone()) {
                // What is typed in the view goes with it.
                Ok(()) if is_live => {
                    output.say(&format!("{GOOD}you{GOOD:#}: {}", visible::short(&text, ECHO_COLUMNS)))?;
                }
                Ok(()) => {}
                // It can be mended, so it is asked for again.
                Err(failure) => {
                    output.failure(&failure)?;
                    return Ok(false);
                }
            },
        }
        Ok(true)
    }
}

fn is_wanted(service: &Service, run: &str, waiting: &Waiting) -> bool {
    service.view(run).is_some_and(|view| view.waits.iter().any(|one| key_of(one) == key_of(waiting)))
}

/// The first thing that is wanted, and was not put off.
fn next_wanted(service: &Service, run: &str, put_off: &BTreeSet<String>) -> Option<Waiting> {
    let view = service.view(run).filter(|view| view.paused.is_none())?;
    let is_asked = |waiting: &Waiting| matches!(waiting.kind, "question" | "work" | "gate" | "decision");
    let mut asked = view.waits.into_iter().filter(is_asked);
    asked.find(|waiting| key_of(waiting).is_some_and(|key| !put_off.contains(&key)))
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
