//! `multiverse.toml`: what a project sets, and what the environment sets over it. Owns where each setting comes from and
//! what is wrong with it, with the place; knows no agent and no engine.

mod keys;
mod outline;
mod secret;
mod typed;
mod walk;

use std::ops::Range;
use std::path::Path;

use serde::Serialize;
use serde_json::{Value, json};

pub(crate) use keys::{Form as KeyForm, KEYS, Key, MOST_JOBS};
pub(crate) use outline::{commented, schema};
pub(crate) use secret::reveal;
pub(crate) use typed::{CheckSet, Configuration, Grant, Namer, Setting, denying};

use super::failure::{Failure, Kind};
use super::output::{Form, Output, counted};
use super::snippet::{self, ProblemView};

/// The name of the file, in the project's folder.
pub(crate) const FILE: &str = "multiverse.toml";

/// A larger file is not read.
const FILE_BYTES: usize = 1024 * 1024;

/// What a variable that sets something begins with.
const PREFIX: &str = "MULTIVERSE_";

/// Something wrong in the file or the environment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Problem {
    /// The file, or the variable.
    path: String,
    line: usize,
    column: usize,
    message: String,
    hint: String,
    #[serde(skip)]
    span: Range<usize>,
    #[serde(skip)]
    shown: bool,
}

/// One setting, and who set it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Entry {
    /// `agents.planner`, `models.small.key`, `grants.0.tool`.
    pub(crate) path: String,
    pub(crate) value: Value,
    pub(crate) origin: Origin,
}

/// Who set something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Origin {
    /// The file, at this place.
    File(Range<usize>),
    /// A variable of the environment.
    Variable(String),
}

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Line<'a> {
    Problem(&'a Problem),
}

/// The file as it is, and what is set.
#[derive(Debug, Clone, Default)]
pub(crate) struct Read {
    pub(crate) text: String,
    pub(crate) entries: Vec<Entry>,
    pub(crate) set: Configuration,
    pub(crate) problems: Vec<Problem>,
}

impl Read {
    /// Reads the file of a project and the environment; a file that is not there sets nothing.
    pub(crate) fn of(project: &Path) -> Result<Self, Failure> {
        Ok(read(&text_of(project)?, &|name| std::env::var(name).ok()))
    }

    /// Something that is wrong with a setting and that others found out.
    pub(crate) fn problem(&mut self, span: Range<usize>, message: impl Into<String>, hint: impl Into<String>) {
        let (line, column) = place_of(&self.text, span.start);
        let (message, hint) = (message.into(), hint.into());
        let problem = Problem { path: FILE.into(), line, column, message, hint, span, shown: true };
        // Several agents may find the same.
        if !self.problems.contains(&problem) {
            self.problems.push(problem);
        }
    }

    /// Shows all problems; with any, the file cannot be used.
    pub(crate) fn refuse_problems(&self, output: &mut Output) -> Result<(), Failure> {
        if self.problems.is_empty() {
            return Ok(());
        }
        for problem in &self.problems {
            match output.form() {
                Form::Json => output.json(&Line::Problem(problem))?,
                Form::Text => output.warn(self.rendered(problem).trim_end())?,
            }
        }
        let message = format!("{FILE} cannot be used: {}", counted(self.problems.len(), "problem"));
        Err(Failure::new(Kind::Configuration, message).at(Path::new(FILE)))
    }

    /// The problems in a line, for the doctor.
    pub(crate) fn problems_in_words(&self) -> Option<String> {
        let words = self.problems.iter().map(|problem| format!("{}: {}", problem.place(), problem.message));
        (!self.problems.is_empty()).then(|| words.collect::<Vec<_>>().join("; "))
    }

    fn rendered(&self, problem: &Problem) -> String {
        if !problem.shown {
            return format!("{}: {}\n  = hint: {}\n", problem.place(), problem.message, problem.hint);
        }
        snippet::render(&ProblemView {
            path: &problem.path,
            line: problem.line,
            column: problem.column,
            message: &problem.message,
            hint: (!problem.hint.is_empty()).then_some(problem.hint.as_str()),
            document: self.text.as_bytes(),
            span: problem.span.clone(),
        })
    }

    /// What a variable of the environment sets, over the file.
    fn variable(&mut self, key: &Key, path: &str, name: String, text: &str) {
        match value_of(key.form, text) {
            Some(value) => {
                self.entries.retain(|entry| entry.path != path);
                self.entries.push(Entry { path: path.into(), value, origin: Origin::Variable(name) });
            }
            None => {
                let message = format!("must be {}", walk::in_words(key.form));
                let hint = format!("for example: {name}={}", key.example.trim_matches('"'));
                self.problems.push(Problem { path: name, line: 0, column: 0, message, hint, span: 0..0, shown: false });
            }
        }
    }

    /// Where a setting stands: `multiverse.toml:3:8`, or the variable.
    pub(crate) fn place(&self, origin: &Origin) -> String {
        match origin {
            Origin::Variable(name) => name.clone(),
            Origin::File(span) => {
                let (line, column) = place_of(&self.text, span.start);
                format!("{FILE}:{line}:{column}")
            }
        }
    }
}

impl Problem {
    fn place(&self) -> String {
        match self.line {
            0 => self.path.clone(),
            line => format!("{}:{line}:{}", self.path, self.column),
        }
    }
}

fn text_of(project: &Path) -> Result<String, Failure> {
    let place = project.join(FILE);
    let bytes = match std::fs::read(&place) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(String::new()),
        Err(error) => return Err(Failure::reading(Path::new(FILE), &error)),
        Ok(bytes) => bytes,
    };
    if bytes.len() > FILE_BYTES {
        return Err(Failure::new(Kind::Configuration, format!("{FILE} is larger than 1 MiB")).at(&place));
    }
    String::from_utf8(bytes).map_err(|_| {
        Failure::new(Kind::Configuration, format!("{FILE} is not UTF-8")).at(&place).hint("save it as UTF-8")
    })
}

/// Never fails: what is wrong is among the problems, and the rest counts.
fn read(text: &str, variable: &dyn Fn(&str) -> Option<String>) -> Read {
    let walk = walk::walk(text);
    let mut read = Read { text: text.into(), ..Read::default() };
    for found in walk.found {
        read.entries.push(Entry { path: found.path, value: found.value, origin: Origin::File(found.span) });
    }
    for wrong in walk.wrong {
        read.problem(wrong.span, wrong.message, wrong.hint);
        if let (false, Some(last)) = (wrong.shown, read.problems.last_mut()) {
            last.shown = false;
        }
    }
    for (path, key) in plain_keys() {
        let name = variable_of(&path);
        if let Some(text) = variable(&name).filter(|text| !text.trim().is_empty()) {
            read.variable(key, &path, name, text.trim());
        }
    }
    read.set = Configuration::of(&read.entries);
    typed::check(&mut read);
    read
}

/// The settings that stand at one fixed place, with their paths: a variable can set them.
pub(crate) fn plain_keys() -> Vec<(String, &'static Key)> {
    KEYS.iter()
        .flat_map(|key| match key.form {
            KeyForm::Table(keys) => keys.iter().map(|below| (format!("{}.{}", key.name, below.name), below)).collect(),
            KeyForm::Named(_) | KeyForm::Rows(_) => Vec::new(),
            _ => vec![(key.name.to_string(), key)],
        })
        .collect()
}

/// The variable that sets what stands at a path: `MULTIVERSE_BUDGET_TOKENS`.
pub(crate) fn variable_of(path: &str) -> String {
    format!("{PREFIX}{}", path.replace('.', "_").to_uppercase())
}

/// A text of the environment as a value of the form.
fn value_of(form: KeyForm, text: &str) -> Option<Value> {
    let value = match form {
        KeyForm::Whole { .. } => json!(text.parse::<u64>().ok()?),
        KeyForm::Number { .. } => json!(text.parse::<f64>().ok().filter(|number| number.is_finite())?),
        KeyForm::Flag => json!(text.parse::<bool>().ok()?),
        KeyForm::Texts => json!(text.split(',').map(str::trim).collect::<Vec<_>>()),
        KeyForm::Text | KeyForm::Word(_) | KeyForm::Secret => json!(text),
        KeyForm::Map | KeyForm::Table(_) | KeyForm::Named(_) | KeyForm::Rows(_) => return None,
    };
    walk::in_bounds(form, &value)
}

/// Line and column of a byte, both from 1; columns in characters.
fn place_of(text: &str, at: usize) -> (usize, usize) {
    let before = text.get(..at).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |end| end + 1);
    (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
}

#[cfg(test)]
mod tests;
