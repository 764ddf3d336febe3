//! A task file, `.jixo/<name>.task.md` (RM-01): what its front matter says, the goal, and the questions below it. Reading
//! never fails. Must not know logs.

use machine::roadmap::Period;
use syntax::markdown::fields::readable;

use super::front::{Form, Matter, Value};
use super::language::Language;
use super::problem::{self, Deviation, Weight, deviation};
use super::question::{self, Question};
use super::words;
use crate::cycle::shown;

/// A task file, read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskFile {
    /// By what the task is known: `name` of the front matter, else the file's.
    pub name: String,
    /// Folders that belong to it, from the project's root; none means the whole project.
    pub dirs: Vec<String>,
    /// Who is to work on it, as it says.
    pub agents: Vec<String>,
    /// The model that it names.
    pub model: Option<String>,
    /// The log that it shares with others.
    pub use_log: Option<String>,
    /// How often it is due.
    pub period: Option<Period>,
    /// How many steps an executor has for one item.
    pub quota: Option<u32>,
    /// What is to be reached, without the questions.
    pub goal: String,
    /// The language of the goal.
    pub language: Language,
    /// Questions that were asked, in order.
    pub questions: Vec<Question>,
    /// What is odd.
    pub problems: Vec<Deviation>,
}

/// The ending of task files.
pub const TASK_ENDING: &str = ".task.md";
/// The ending of logs.
pub const LOG_ENDING: &str = ".log.md";
/// The folder of both.
pub const FOLDER: &str = ".jixo";

impl TaskFile {
    /// Reads a task file; without a name of its own it is known by that of the file.
    pub fn read(path: &str, bytes: &[u8]) -> Self {
        let text = readable(bytes);
        let mut problems = Vec::new();
        super::log::tell_encoding(bytes, &text, &mut problems);
        let matter = Matter::read(&text, &mut problems);
        let body = matter.span.end;
        let questions = question::read(&text, body, &mut problems);
        let mut goal = String::new();
        let mut at = body;
        for question in &questions {
            goal.push_str(text.get(at..question.span.start.max(at)).unwrap_or_default());
            at = at.max(question.span.end);
        }
        goal.push_str(text.get(at..).unwrap_or_default());
        let goal = tidy(&goal);
        if goal.is_empty() {
            let (reason, mend) = ("there is no goal", "write below the front matter what is to be reached");
            problems.push(deviation(body..body, Weight::Unclear, reason.into(), mend.into()));
        }
        let mut keys = Keys { matter: &matter, problems: &mut problems };
        let stem = path.rsplit('/').next().unwrap_or(path);
        let stem = stem.strip_suffix(TASK_ENDING).or_else(|| stem.strip_suffix(".md")).unwrap_or(stem);
        let name = keys.name(&["name"]).unwrap_or_else(|| if stem.is_empty() { "task".into() } else { stem.into() });
        let task = Self {
            name,
            dirs: keys.dirs(),
            agents: keys.agents(),
            model: keys.text(&["model"]),
            use_log: keys.name(&["uselog", "log"]),
            period: keys.period(),
            quota: keys.quota(),
            language: Language::of(&goal),
            goal,
            questions,
            problems: Vec::new(),
        };
        keys.others();
        Self { problems: problem::place(&text, problems), ..task }
    }

    /// Where its log is.
    pub fn log_path(&self) -> String {
        format!("{FOLDER}/{}{LOG_ENDING}", self.use_log.as_ref().unwrap_or(&self.name))
    }

    /// What the digest of the goal is made of: the goal, whatever its line endings and the blanks around it.
    pub fn goal_source(&self) -> &str {
        &self.goal
    }
}

/// The first task file of a project.
pub fn initial_task(goal: &str) -> String {
    let goal = if goal.trim().is_empty() {
        "Say here what is to be reached, and how one can tell that it is."
    } else {
        goal.trim()
    };
    format!("---\ndirs:\n  - .\n---\n\n{goal}\n")
}

/// Lines without blanks at their ends, and without blank lines around them.
fn tidy(text: &str) -> String {
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    lines.join("\n").trim_matches('\n').trim_start_matches('\u{FEFF}').to_owned()
}

struct Keys<'a> {
    matter: &'a Matter,
    problems: &'a mut Vec<Deviation>,
}

impl Keys<'_> {
    fn tell(&mut self, span: &std::ops::Range<usize>, reason: String, mend: &str) {
        self.problems.push(deviation(span.clone(), Weight::Form, reason, mend.into()));
    }

    fn text(&self, keys: &[&str]) -> Option<String> {
        let entry = self.matter.find(keys)?;
        Some(entry.value.text().trim().to_owned()).filter(|text| !text.is_empty())
    }

    /// A name that a file can have.
    fn name(&mut self, keys: &[&str]) -> Option<String> {
        let name = self.text(keys)?;
        let bare = name.strip_suffix(LOG_ENDING).or_else(|| name.strip_suffix(TASK_ENDING)).unwrap_or(&name).trim();
        let bare = bare.strip_prefix(".jixo/").unwrap_or(bare).to_owned();
        let is_safe = !bare.is_empty()
            && !bare.starts_with('.')
            && bare.len() <= 120
            && !bare.contains(|letter: char| letter.is_control() || matches!(letter, '/' | '\\' | ':' | '\0'));
        if is_safe {
            return Some(bare);
        }
        let span = self.matter.find(keys)?.span.clone();
        self.tell(
            &span,
            format!("`{}` cannot be the name of a file", shown(&name)),
            "use letters, digits, `-` and `_`",
        );
        None
    }

    fn dirs(&mut self) -> Vec<String> {
        let Some(entry) = self.matter.find(&["dirs", "dir", "directories", "folders"]) else { return Vec::new() };
        let named = match &entry.value {
            Value::Text(text) => vec![text.clone()],
            Value::List(items) => items.clone(),
        };
        let span = entry.span.clone();
        let mut dirs: Vec<String> = Vec::new();
        for dir in named.iter().map(|dir| dir.trim()).filter(|dir| !dir.is_empty()) {
            match folder(dir) {
                Some(dir) if dir.is_empty() => dirs.push(".".into()),
                Some(dir) if dirs.contains(&dir) => {}
                Some(dir) => dirs.push(dir),
                None => {
                    let reason = format!("`{}` leads out of the project, and is left out", shown(dir));
                    self.tell(&span, reason, "name folders by their path from the project's root");
                }
            }
        }
        if dirs.iter().any(|dir| dir == ".") { Vec::new() } else { dirs }
    }

    fn agents(&self) -> Vec<String> {
        let Some(entry) = self.matter.find(&["agents", "agent"]) else { return Vec::new() };
        match &entry.value {
            Value::Text(text) => {
                text.split([' ', ',', '\t']).filter(|agent| !agent.is_empty()).map(str::to_owned).collect()
            }
            Value::List(items) => items.clone(),
        }
    }

    fn period(&mut self) -> Option<Period> {
        let entry = self.matter.find(&["period", "schedule", "every", "repeat", "periodic"])?;
        let (raw, span) = (entry.value.text(), entry.span.clone());
        let found = words::period(&raw);
        if found.is_none() && !matches!(words::squeezed(&raw).as_str(), "" | "no" | "none" | "never" | "once" | "false")
        {
            self.tell(&span, format!("`{}` is no period", shown(&raw)), "write `daily` or `hourly`");
        }
        found
    }

    fn quota(&mut self) -> Option<u32> {
        let keys = ["quota", "maxsteps", "steps", "maxturns", "currenttaskmaxstepsquota"];
        let entry = self.matter.find(&keys)?;
        let (raw, span) = (entry.value.text(), entry.span.clone());
        match raw.trim().parse::<u32>() {
            Ok(quota) if quota > 0 => Some(quota),
            _ => {
                let reason = format!("`{}` is no quota: no number of steps", shown(&raw));
                self.tell(&span, reason, "write a whole number above 0");
                None
            }
        }
    }

    /// What the front matter as a whole tells.
    fn others(&mut self) {
        if self.matter.form == Form::Missing {
            let start = self.matter.span.start;
            let reason =
                "there is no front matter: the task has the name of its file, and the whole project".to_owned();
            self.tell(&(start..start), reason, "begin the file with `---`, `name: …`, `dirs: [ … ]`, `---`");
        }
    }
}

/// A folder by its path from the project's root, empty for that itself; nothing if it leads out.
pub(crate) fn folder(path: &str) -> Option<String> {
    if path.starts_with(['/', '\\', '~']) || path.contains(['\0', '\\']) || path.get(1..2) == Some(":") {
        return None;
    }
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}
