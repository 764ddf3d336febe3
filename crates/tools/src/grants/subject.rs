//! Owns what of a call the rules are held against: the command, the path, the address. Must not know what is allowed.

use std::path::{Component, Path, PathBuf};

use serde_json::Value;

use super::commands::{Simple, simple_commands};
use crate::ToolCall;

/// One thing that a call asks for. A call is allowed if all of its subjects are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Subject {
    Command(Simple),
    /// The path as it is meant and as it was given.
    Path {
        meant: String,
        given: String,
    },
    Address(String),
    /// Everything else: its arguments, as they are.
    Text(String),
}

impl Subject {
    /// As messages show it.
    pub(crate) fn text(&self) -> String {
        match self {
            Self::Command(simple) => simple.text(),
            Self::Path { meant, .. } => meant.clone(),
            Self::Address(text) | Self::Text(text) => text.clone(),
        }
    }

    /// As it was given.
    pub(crate) fn given(&self) -> String {
        match self {
            Self::Path { given, .. } => given.clone(),
            other => other.text(),
        }
    }
}

pub(crate) const SHELL: &str = "run_shell_command";
pub(crate) const SEARCH: &str = "google_web_search";
pub(crate) const FETCH: &str = "web_fetch";

/// The tools whose argument is a path, or several.
pub(crate) const OF_PATHS: [&str; 8] = [
    "create_directory",
    "glob",
    "list_directory",
    "read_file",
    "read_many_files",
    "replace",
    "search_file_content",
    "write_file",
];

/// The names by which a path may come, with the one that is ours first.
const PATH_NAMES: [&str; 7] = ["file_path", "absolute_path", "path", "dir_path", "directory", "paths", "include"];

/// The most subjects of one call.
const SUBJECTS: usize = 1_000;

/// What a call asks for.
pub(crate) fn subjects(call: &ToolCall, project: Option<&Path>) -> Vec<Subject> {
    let arguments = object(&call.arguments);
    match call.name.as_str() {
        SHELL => of_text(SHELL, arguments["command"].as_str().unwrap_or_default(), project),
        SEARCH => of_text(SEARCH, arguments["query"].as_str().unwrap_or_default(), project),
        FETCH => of_text(FETCH, &texts(&arguments).join("\n"), project),
        name if OF_PATHS.contains(&name) => {
            let named = PATH_NAMES.iter().flat_map(|name| texts(&arguments[*name]));
            let paths: Vec<Subject> = named.take(SUBJECTS).map(|given| path(given, project)).collect();
            if paths.is_empty() { vec![path(String::new(), project)] } else { paths }
        }
        _ => vec![Subject::Text(arguments.to_string())],
    }
}

/// The same for an argument that is given as text, as in the examples of a rule.
pub(crate) fn of_text(tool: &str, text: &str, project: Option<&Path>) -> Vec<Subject> {
    let found: Vec<Subject> = match tool {
        SHELL => simple_commands(text).into_iter().take(SUBJECTS).map(Subject::Command).collect(),
        FETCH => addresses(text).into_iter().take(SUBJECTS).map(Subject::Address).collect(),
        name if OF_PATHS.contains(&name) => vec![path(text.into(), project)],
        _ => Vec::new(),
    };
    if found.is_empty() { vec![Subject::Text(text.into())] } else { found }
}

/// Some models give the object as text.
pub(crate) fn object(arguments: &Value) -> Value {
    match arguments.as_str().and_then(|text| serde_json::from_str(text).ok()) {
        Some(parsed) => parsed,
        None => arguments.clone(),
    }
}

/// All texts in a value, however deep.
fn texts(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => vec![text.clone()],
        Value::Array(values) => values.iter().flat_map(texts).collect(),
        Value::Object(values) => values.values().flat_map(texts).collect(),
        _ => Vec::new(),
    }
}

fn path(given: String, project: Option<&Path>) -> Subject {
    let real = project.and_then(|project| project.canonicalize().ok());
    let whole = Path::new(&given);
    let bases = project.into_iter().map(PathBuf::from).chain(real);
    let inside = bases.into_iter().find_map(|base| whole.strip_prefix(base).ok().map(PathBuf::from));
    let mut parts: Vec<&str> = Vec::new();
    let relative = inside.as_deref().unwrap_or(whole);
    for component in relative.components() {
        match component {
            Component::RootDir => parts.push(""),
            Component::ParentDir if parts.last().is_some_and(|part| *part != "..") => {
                parts.pop();
            }
            Component::ParentDir => parts.push(".."),
            Component::Normal(part) => parts.push(part.to_str().unwrap_or_default()),
            Component::CurDir | Component::Prefix(_) => {}
        }
    }
    let meant = if parts.is_empty() { ".".into() } else { parts.join("/") };
    Subject::Path { meant, given }
}

/// The addresses in a text, each to the next space or quotation mark.
fn addresses(text: &str) -> Vec<String> {
    let is_end = |letter: char| letter.is_whitespace() || matches!(letter, '"' | '\'' | '<' | '>' | '`');
    let mut found = Vec::new();
    for word in text.split(is_end) {
        let lower = word.to_ascii_lowercase();
        if let Some(at) = ["http:", "https:"].iter().filter_map(|scheme| lower.find(scheme)).min() {
            found.push(word[at..].to_string());
        }
    }
    found
}

/// Whether an address could mean another host than it seems to.
pub(crate) fn is_deceptive(address: &str) -> bool {
    let rest = address.split_once("//").map_or(address, |(_, rest)| rest);
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let odd = |letter: char| letter == '\\' || letter.is_control() || letter.is_whitespace();
    host.contains('@') || address.chars().any(odd) || !host.is_ascii()
}
