//! `multiverse.toml`: what a project sets. Owns its keys and what is wrong with it, with the place; knows no agent and
//! no engine.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

use serde::Serialize;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::failure::{Failure, Kind};
use super::output::{Form, Output, counted};
use super::snippet::{self, ProblemView};

/// The name of the file, in the project's folder.
pub(crate) const FILE: &str = "multiverse.toml";

/// A larger file is not read.
const FILE_BYTES: usize = 1024 * 1024;

/// The keys at the top, below `[agents]`, `[sandbox]` and `[learning]`.
const KEYS: [&str; 5] = ["agents", "jobs", "learning", "sandbox", "seconds"];
const AGENT_KEYS: [&str; 4] = ["communicator", "default", "executor", "planner"];
const SANDBOX_KEYS: [&str; 1] = ["read"];
const LEARNING_KEYS: [&str; 2] = ["least", "most"];

/// The most agents at the same time that can be asked for.
pub(crate) const MOST_JOBS: u32 = 1000;
/// The longest time for one attempt: a week.
const MOST_SECONDS: u64 = 7 * 24 * 60 * 60;
/// The most past runs that a run can learn from.
const MOST_PAST: i64 = 100;

/// What the project sets; all of it may be left out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Configuration {
    /// How many agents work at the same time.
    pub(crate) jobs: Option<u32>,
    /// How long one attempt may take.
    pub(crate) seconds: Option<u64>,
    /// Who plays which role, as it is written; with where, for messages. `default` is every role that is not named.
    pub(crate) agents: BTreeMap<String, Setting>,
    /// The least score of a past run that is learned from, in thousandths.
    pub(crate) least: Option<u16>,
    /// How many past runs are learned from.
    pub(crate) most: Option<usize>,
    /// Whether `[sandbox] read` is set. It is reserved: nothing follows from it yet.
    pub(crate) has_sandbox: bool,
}

/// A text with its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Setting {
    pub(crate) text: String,
    pub(crate) span: Range<usize>,
}

/// Something wrong in the file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Problem {
    path: &'static str,
    line: usize,
    column: usize,
    message: String,
    hint: String,
    #[serde(skip)]
    span: Range<usize>,
}

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Line<'a> {
    Problem(&'a Problem),
}

/// The file as it is, and what it sets.
#[derive(Debug, Clone, Default)]
pub(crate) struct Read {
    pub(crate) text: String,
    pub(crate) set: Configuration,
    pub(crate) problems: Vec<Problem>,
}

impl Read {
    /// Reads the file of a project; one that is not there sets nothing.
    pub(crate) fn of(project: &Path) -> Result<Self, Failure> {
        let place = project.join(FILE);
        let bytes = match std::fs::read(&place) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Self::default()),
            Err(error) => return Err(Failure::reading(Path::new(FILE), &error)),
            Ok(bytes) => bytes,
        };
        if bytes.len() > FILE_BYTES {
            return Err(Failure::new(Kind::Configuration, format!("{FILE} is larger than 1 MiB")).at(&place));
        }
        let text = String::from_utf8(bytes).map_err(|_| {
            Failure::new(Kind::Configuration, format!("{FILE} is not UTF-8")).at(&place).hint("save it as UTF-8")
        })?;
        Ok(parse(&text))
    }

    /// Something that is wrong with a setting and that others found out.
    pub(crate) fn problem(&mut self, span: Range<usize>, message: impl Into<String>, hint: impl Into<String>) {
        let (line, column) = place_of(&self.text, span.start);
        let (message, hint) = (message.into(), hint.into());
        self.problems.push(Problem { path: FILE, line, column, message, hint, span });
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
        let words = self
            .problems
            .iter()
            .map(|problem| format!("{}:{}:{}: {}", problem.path, problem.line, problem.column, problem.message));
        (!self.problems.is_empty()).then(|| words.collect::<Vec<_>>().join("; "))
    }

    fn rendered(&self, problem: &Problem) -> String {
        snippet::render(&ProblemView {
            path: problem.path,
            line: problem.line,
            column: problem.column,
            message: &problem.message,
            hint: (!problem.hint.is_empty()).then_some(problem.hint.as_str()),
            document: self.text.as_bytes(),
            span: problem.span.clone(),
        })
    }
}

/// Never fails: what is wrong is among the problems, and the rest counts.
fn parse(text: &str) -> Read {
    let mut read = Read { text: text.into(), ..Read::default() };
    let (table, errors) = DeTable::parse_recoverable(text);
    for error in errors {
        read.problem(error.span().unwrap_or_default(), error.message(), "this is no TOML");
    }
    if !read.problems.is_empty() {
        // What stands around a mistake may be read as something else than was meant.
        return read;
    }
    for (key, value) in table.into_inner() {
        let name = key.get_ref().to_string();
        match name.as_str() {
            "jobs" => {
                read.set.jobs = number(&mut read, "jobs", &value, MOST_JOBS.into()).and_then(|n| n.try_into().ok());
            }
            "seconds" => read.set.seconds = number(&mut read, "seconds", &value, MOST_SECONDS),
            "agents" => agents(&mut read, &value),
            "sandbox" => sandbox(&mut read, &value),
            "learning" => learning(&mut read, &value),
            _ => unknown(&mut read, &key.span(), &name, "", &KEYS),
        }
    }
    read
}

fn number(read: &mut Read, name: &str, value: &Spanned<DeValue<'_>>, most: u64) -> Option<u64> {
    let found = match value.get_ref() {
        DeValue::Integer(number) => u64::from_str_radix(&number.as_str().replace('_', ""), number.radix()).ok(),
        _ => None,
    };
    match found.filter(|number| (1..=most).contains(number)) {
        Some(number) => Some(number),
        None => {
            let message = format!("{name} must be a whole number from 1 to {most}");
            read.problem(
                value.span(),
                message,
                format!("for example: {name} = {}", if name == "jobs" { 4 } else { 1800 }),
            );
            None
        }
    }
}

fn agents(read: &mut Read, value: &Spanned<DeValue<'_>>) {
    let DeValue::Table(table) = value.get_ref() else {
        return read.problem(
            value.span(),
            "agents must be a table",
            "for example: [agents], and below it: default = \"offline\"",
        );
    };
    for (key, value) in table {
        let name = key.get_ref().to_string();
        if !AGENT_KEYS.contains(&name.as_str()) {
            unknown(read, &key.span(), &name, "[agents] ", &AGENT_KEYS);
        } else if let Some(text) = value.get_ref().as_str() {
            read.set.agents.insert(name, Setting { text: text.into(), span: value.span() });
        } else {
            read.problem(
                value.span(),
                format!("{name} must be a text: KIND or KIND:ARG"),
                format!("for example: {name} = \"offline\""),
            );
        }
    }
}

fn sandbox(read: &mut Read, value: &Spanned<DeValue<'_>>) {
    let DeValue::Table(table) = value.get_ref() else {
        return read.problem(
            value.span(),
            "sandbox must be a table",
            "for example: [sandbox], and below it: read = []",
        );
    };
    for (key, value) in table {
        let name = key.get_ref().to_string();
        let is_list = |value: &DeValue<'_>| {
            value.as_array().is_some_and(|list| list.iter().all(|entry| entry.get_ref().as_str().is_some()))
        };
        if !SANDBOX_KEYS.contains(&name.as_str()) {
            unknown(read, &key.span(), &name, "[sandbox] ", &SANDBOX_KEYS);
        } else if is_list(value.get_ref()) {
            read.set.has_sandbox = true;
        } else {
            read.problem(value.span(), "read must be a list of paths", "for example: read = [\"/opt/models\"]");
        }
    }
}

fn learning(read: &mut Read, value: &Spanned<DeValue<'_>>) {
    let DeValue::Table(table) = value.get_ref() else {
        let hint = "for example: [learning], and below it: least = 0.2";
        return read.problem(value.span(), "learning must be a table", hint);
    };
    for (key, value) in table {
        let name = key.get_ref().to_string();
        let number: Option<f64> = match value.get_ref() {
            DeValue::Float(number) => number.as_str().replace('_', "").parse().ok(),
            DeValue::Integer(number) => {
                i64::from_str_radix(&number.as_str().replace('_', ""), number.radix()).ok().map(|number| number as f64)
            }
            _ => None,
        };
        let is_whole = matches!(value.get_ref(), DeValue::Integer(_));
        match (name.as_str(), number) {
            ("least", Some(number)) if (0.0..=1.0).contains(&number) => {
                read.set.least = Some((number * 1000.0).round() as u16);
            }
            ("most", Some(number)) if is_whole && (0.0..=MOST_PAST as f64).contains(&number) => {
                read.set.most = Some(number as usize);
            }
            ("least", _) => {
                let hint = "for example: least = 0.2; 1 is the same request, 0 has no word in common";
                read.problem(value.span(), "least must be a number from 0 to 1", hint);
            }
            ("most", _) => {
                let message = format!("most must be a whole number from 0 to {MOST_PAST}");
                read.problem(value.span(), message, "for example: most = 5; with 0 runs learn from none");
            }
            _ => unknown(read, &key.span(), &name, "[learning] ", &LEARNING_KEYS),
        }
    }
}

fn unknown(read: &mut Read, span: &Range<usize>, name: &str, below: &str, valid: &[&str]) {
    let message = format!(
        "there is no key `{name}`{}",
        if below.is_empty() { String::new() } else { format!(" below {}", below.trim_end()) }
    );
    read.problem(span.clone(), message, format!("valid keys: {}", valid.join(", ")));
}

/// Line and column of a byte, both from 1; columns in characters.
fn place_of(text: &str, at: usize) -> (usize, usize) {
    let before = text.get(..at).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |end| end + 1);
    (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(text: &str) -> Vec<String> {
        let read = parse(text);
        read.problems.iter().map(|one| format!("{}:{} {} ({})", one.line, one.column, one.message, one.hint)).collect()
    }

    #[test]
    fn all_keys_are_read() {
        let read = parse(
            "jobs = 8\nseconds = 1_000\n[agents]\ndefault = \"offline\"\nplanner = 'command:./plan'\n[sandbox]\nread = ['/opt']\n",
        );
        assert_eq!(read.problems, []);
        assert_eq!((read.set.jobs, read.set.seconds, read.set.has_sandbox), (Some(8), Some(1000), true));
        let agents: Vec<(&str, &str)> =
            read.set.agents.iter().map(|(role, set)| (role.as_str(), set.text.as_str())).collect();
        assert_eq!(agents, [("default", "offline"), ("planner", "command:./plan")]);
        assert_eq!(parse("").set, Configuration::default());
        let learning = |text: &str| (parse(text).set.least, parse(text).set.most, parse(text).problems.len());
        assert_eq!(learning("[learning]\nleast = 0.35\nmost = 0x0a\n"), (Some(350), Some(10), 0));
        assert_eq!(learning("[learning]\nleast = 1\nmost = 0\n"), (Some(1000), Some(0), 0));
    }

    #[test]
    fn what_is_wrong_has_a_place_and_the_valid_options() {
        let keys = "valid keys: agents, jobs, learning, sandbox, seconds";
        let check = |text: &str, expected: &[&str]| assert_eq!(problems(text), expected, "{text}");
        check("job = 3\n", &[&format!("1:1 there is no key `job` ({keys})")]);
        check("# 보고\n\"보\" = 1", &[&format!("2:1 there is no key `보` ({keys})")]);
        check("jobs = 0", &["1:8 jobs must be a whole number from 1 to 1000 (for example: jobs = 4)"]);
        check("jobs = \"4\"", &["1:8 jobs must be a whole number from 1 to 1000 (for example: jobs = 4)"]);
        check("seconds = -1", &["1:11 seconds must be a whole number from 1 to 604800 (for example: seconds = 1800)"]);
        check(
            "[agents]\nplaner = 'offline'\ndefault = 3",
            &[
                "3:11 default must be a text: KIND or KIND:ARG (for example: default = \"offline\")",
                "2:1 there is no key `planer` below [agents] (valid keys: communicator, default, executor, planner)",
            ],
        );
        check(
            "agents = 1",
            &["1:10 agents must be a table (for example: [agents], and below it: default = \"offline\")"],
        );
        check("[sandbox]\nread = [1]", &["2:8 read must be a list of paths (for example: read = [\"/opt/models\"])"]);
        check("learning = 1", &["1:12 learning must be a table (for example: [learning], and below it: least = 0.2)"]);
        let least = "least must be a number from 0 to 1 (for example: least = 0.2; 1 is the same request, 0 has no word in common)";
        let most = "most must be a whole number from 0 to 100 (for example: most = 5; with 0 runs learn from none)";
        check("[learning]\nleast = 1.1", &[&format!("2:9 {least}")]);
        check("[learning]\nleast = nan\nmost = 1.0", &[&format!("2:9 {least}"), &format!("3:8 {most}")]);
        check("[learning]\nmost = -1", &[&format!("2:8 {most}")]);
        check("[learning]\nmore = 1", &["2:1 there is no key `more` below [learning] (valid keys: least, most)"]);
        assert_eq!(problems("jobs = \nseconds = 3\n").len(), 1);
    }

    /// QL-25: no bytes break the reader.
    #[test]
    fn any_text_is_read_without_a_panic() {
        let whole = "jobs = 8\n[agents]\ndefault = \"off\\u00e9\"\n[[sandbox]]\nread = ['''x''', { a = 1 }]\n";
        for from in 0..whole.len() {
            for to in from..whole.len() {
                let read = parse(&format!("{}{}", &whole[..from], &whole[to..]));
                for problem in &read.problems {
                    assert!(read.rendered(problem).contains(FILE));
                }
            }
        }
    }
}
