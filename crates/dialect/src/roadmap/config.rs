//! `jixo.config.json` (RM-01): where tasks are. Read leniently; keys that are not known are left alone. Must not look into
//! folders: whoever reads files asks which tasks there are.

use syntax::data::{Kind, Node};
use syntax::json;
use syntax::markdown::fields::readable;

use super::problem::{self, Deviation, Weight, deviation};
use super::task::{FOLDER, TASK_ENDING, folder};
use crate::cycle::shown;

/// The name of the file.
pub const CONFIG: &str = "jixo.config.json";

/// The configuration, read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    /// Where tasks are, in order.
    pub sources: Vec<Source>,
    /// What is odd.
    pub problems: Vec<Deviation>,
}

/// Where a task is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// All `*.task.md` below a folder.
    Folder(String),
    /// One file.
    File {
        /// Its path.
        path: String,
        /// By what the task is known, if that is not the file's name.
        name: Option<String>,
    },
    /// A task that stands in the configuration itself.
    Prompt {
        /// The text of a task file.
        content: String,
        /// By what it is known.
        name: String,
    },
}

impl Default for Config {
    fn default() -> Self {
        Self { sources: vec![Source::Folder(FOLDER.into())], problems: Vec::new() }
    }
}

impl Config {
    /// Reads the file. What it does not say is as if there were none: tasks are in `.jixo`.
    pub fn read(bytes: &[u8]) -> Self {
        let parsed = json::parse(bytes);
        let text = readable(bytes);
        let mut problems: Vec<Deviation> = parsed
            .problems
            .into_iter()
            .map(|one| {
                deviation(
                    one.span,
                    Weight::Form,
                    one.message,
                    if one.hint.is_empty() { "mend it".into() } else { one.hint },
                )
            })
            .collect();
        let mut sources = Vec::new();
        match parsed.root.as_ref().and_then(|root| root.value("tasks")) {
            None => {}
            Some(tasks) => match &tasks.kind {
                Kind::List(items) => {
                    items.iter().for_each(|item| sources.extend(source(item, sources.len(), &mut problems)));
                }
                _ => sources.extend(source(tasks, 0, &mut problems)),
            },
        }
        if sources.is_empty() {
            sources = Self::default().sources;
        }
        Self { sources, problems: problem::place(&text, problems) }
    }
}

fn source(node: &Node, number: usize, problems: &mut Vec<Deviation>) -> Option<Source> {
    let value = |key: &str| node.value(key).and_then(Node::as_text).map(str::to_owned);
    let mut tell =
        |reason: String, mend: &str| problems.push(deviation(node.span.clone(), Weight::Form, reason, mend.into()));
    if let Kind::Text(content) = &node.kind {
        // A path is said so by many; anything else is a task in words.
        if content.ends_with(TASK_ENDING) || !content.contains([' ', '\n']) {
            return path(content, &mut tell).map(|path| match path.ends_with(".md") {
                true => Source::File { path, name: None },
                false => Source::Folder(path),
            });
        }
        return Some(Source::Prompt { content: content.clone(), name: (number + 1).to_string() });
    }
    let kind = value("type").unwrap_or_default().to_lowercase();
    let name = value("name").filter(|name| !name.trim().is_empty());
    let dirname = value("dirname").or_else(|| value("dir"));
    let filename = value("filename").or_else(|| value("file")).or_else(|| value("path"));
    let content = value("content").or_else(|| value("prompt"));
    match (kind.as_str(), dirname, filename, content) {
        ("dir" | "", Some(dirname), _, _) => path(&dirname, &mut tell).map(Source::Folder),
        ("file" | "", _, Some(filename), _) => path(&filename, &mut tell).map(|path| Source::File { path, name }),
        ("prompt" | "", _, _, Some(content)) => {
            Some(Source::Prompt { content, name: name.unwrap_or_else(|| (number + 1).to_string()) })
        }
        _ => {
            let reason = format!("this is no source of tasks: type `{}`", shown(&kind));
            tell(reason, "write {\"type\": \"dir\", \"dirname\": \".jixo\"}, or a file or a prompt");
            None
        }
    }
}

fn path(raw: &str, tell: &mut dyn FnMut(String, &str)) -> Option<String> {
    let found = folder(raw.trim()).filter(|path| !path.is_empty() || raw.trim() == ".");
    if found.is_none() {
        tell(
            format!("`{}` leads out of the project, and is left out", shown(raw)),
            "name it by its path from the project's root",
        );
    }
    found
}

/// The configuration of a new project.
pub fn initial_config() -> &'static str {
    "{\n  \"tasks\": { \"type\": \"dir\", \"dirname\": \".jixo\" }\n}\n"
}

/// Whether a task is meant by filters, as `run --protocol roadmap [filter…]` has them: by name (with `*` for anything), or
/// by the folder or file where it is (`./…`). No filter means every task.
pub fn is_wanted(filters: &[String], name: &str, file: &str) -> bool {
    filters.is_empty() || filters.iter().any(|filter| is_meant(filter, name, file))
}

fn is_meant(filter: &str, name: &str, file: &str) -> bool {
    if filter.starts_with('.') || filter.contains('/') {
        let Some(wanted) = folder(filter) else { return false };
        return wanted.is_empty() || file == wanted || file.starts_with(&format!("{wanted}/"));
    }
    let filter = filter.strip_suffix(TASK_ENDING).unwrap_or(filter);
    let parts: Vec<&str> = filter.split('*').collect();
    let [first, .., last] = parts.as_slice() else { return filter == name };
    let Some(rest) = name.strip_prefix(first).and_then(|rest| rest.strip_suffix(last)) else { return false };
    let inner = &parts[1..parts.len() - 1];
    inner.iter().try_fold(rest, |rest, part| rest.find(part).map(|at| &rest[at + part.len()..])).is_some()
}
