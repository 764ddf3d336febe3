//! The functions of the seed (A.4) as a box of tools (MV-28): files through a handle that leads nowhere else, commands in
//! the sandbox. The two that reach the web are boxes of their own.
//!
//! Reads go to what the attempt may read, writes to its own folder alone; paths are those of the project either way
//! (see [`view`]). Every answer is bounded and says what was left out. Must not know who calls, nor what for.

mod arguments;
mod beneath;
mod bounded;
mod find;
mod pattern;
mod read;
mod shell;
mod view;
mod write;

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Value, json};

pub(crate) use self::arguments::Arguments;
use self::bounded::ANSWER_TOKENS;
use self::view::View;
pub use self::view::Writable;
use crate::{Bounds, Network, Stop, Tool, ToolAnswer, ToolCall, Toolbox};

/// What an attempt has before it.
#[derive(Debug, Clone)]
pub struct Desk {
    /// The project's folder.
    pub project: PathBuf,
    /// The attempt's own folder, the only one that is written.
    pub workdir: PathBuf,
    /// What may be read of the project, files or folders (MV-36); what lies outside the project is left out.
    pub readable: Vec<PathBuf>,
    pub writable: Writable,
    pub shell: ShellRules,
}

/// How far commands may go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShellRules {
    pub network: Network,
    pub bounds: Bounds,
    /// The most that one command may take; a call can ask for less.
    pub time: Duration,
}

impl Default for ShellRules {
    fn default() -> Self {
        let bounds = Bounds { memory_bytes: 2 << 30, processes: 256, file_bytes: 1 << 30, disk_bytes: 4 << 30 };
        Self { network: Network::Closed, bounds, time: Duration::from_secs(120) }
    }
}

/// The nine functions that work on files and run commands.
#[derive(Debug)]
pub struct Functions {
    view: View,
    shell: ShellRules,
    answer_tokens: usize,
}

impl Functions {
    /// Both folders must exist.
    pub fn new(desk: Desk) -> io::Result<Self> {
        let Desk { project, workdir, readable, writable, shell } = desk;
        let view = View::new(&project, &workdir, &readable)?.with_writable(writable);
        Ok(Self { view, shell, answer_tokens: ANSWER_TOKENS })
    }

    /// The path from the project that is meant by what a call gives.
    pub(crate) fn path(&self, given: &str) -> Result<String, String> {
        self.view.path(given)
    }

    /// Puts texts into a file in the place of others, each of which must mean one place; all or none.
    pub(crate) fn edit(&self, path: &str, edits: &[(String, String)]) -> Result<String, String> {
        write::edit(self, path, edits)
    }

    /// Adds a text to the end of a file, which is made if it is not there.
    pub(crate) fn append(&self, path: &str, content: &str) -> Result<String, String> {
        write::append(self, path, content)
    }

    /// The same with answers of another size, in tokens.
    pub fn with_answer_tokens(mut self, tokens: usize) -> Self {
        self.answer_tokens = tokens;
        self
    }
}

/// One function: what a model is told of it, and what it does.
struct Function {
    name: &'static str,
    description: &'static str,
    parameters: fn() -> Value,
    call: fn(&Functions, Arguments, &Tool, &Stop) -> Result<String, String>,
}

const FUNCTIONS: [Function; 9] = [
    find::LIST_DIRECTORY,
    read::READ_FILE,
    read::READ_MANY_FILES,
    write::WRITE_FILE,
    find::GLOB,
    find::SEARCH_FILE_CONTENT,
    write::REPLACE,
    write::CREATE_DIRECTORY,
    shell::RUN_SHELL_COMMAND,
];

impl Function {
    fn tool(&self) -> Tool {
        Tool { name: self.name.into(), description: self.description.into(), parameters: (self.parameters)() }
    }
}

impl Toolbox for Functions {
    fn tools(&self) -> Vec<Tool> {
        FUNCTIONS.iter().map(Function::tool).collect()
    }

    fn call(&self, call: &ToolCall, stop: &Stop) -> ToolAnswer {
        let Some(function) = FUNCTIONS.iter().find(|function| function.name == call.name) else {
            let names: Vec<&str> = FUNCTIONS.iter().map(|function| function.name).collect();
            return ToolAnswer::wrong(format!(
                "there is no tool `{}`; there are: {}",
                view::shown(&call.name),
                names.join(", ")
            ));
        };
        let tool = function.tool();
        match (function.call)(self, Arguments::new(&call.arguments), &tool, stop) {
            Ok(text) => ToolAnswer::well(text),
            Err(problem) => ToolAnswer::wrong(problem),
        }
    }
}

/// The schema of an object with these properties, of which those are required.
fn object(properties: &Value, required: &[&str]) -> Value {
    json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
}

fn text(description: &str) -> Value {
    json!({ "type": "string", "description": description })
}

fn texts(description: &str) -> Value {
    json!({ "type": "array", "items": { "type": "string" }, "description": description })
}

fn number(description: &str) -> Value {
    json!({ "type": "integer", "minimum": 0, "description": description })
}

fn yes(description: &str) -> Value {
    json!({ "type": "boolean", "description": description })
}
