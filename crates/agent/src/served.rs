//! Owns the agent that is a program with tools of ours beside it: while it works, a socket in its folder leads to them, and its
//! brief says with which command it reaches them (RM-09). Must not know what the tools do, nor which program it is.

use std::ffi::OsStr;
use std::path::PathBuf;
use std::sync::Arc;

use serde_json::json;
use tools::mcp::{About, Relay};
use tools::{Stop, Toolbox};

use crate::backend::{Backend, Ending, Job, Pace};
use crate::beneath::Folder;
use crate::roadmap;
use crate::scratch::TEMPORARY;

/// The socket's name, in the folder for what is temporary.
const SOCKET: &str = "tools.sock";

/// Gives the tools for a job; nothing where it has none of its own.
pub type OwnTools = Arc<dyn Fn(&Job) -> Option<Result<Arc<dyn Toolbox>, String>> + Send + Sync>;

/// A program with tools beside it.
pub struct Served {
    inner: Arc<dyn Backend>,
    tools: OwnTools,
    /// The program that carries lines between its own input and output and the socket that is its last argument.
    carrier: PathBuf,
    arguments: Vec<String>,
    about: About,
}

impl Served {
    /// An agent, its tools, and the command that leads to a socket.
    pub fn new(inner: Arc<dyn Backend>, tools: OwnTools, carrier: PathBuf, arguments: &[&str], about: About) -> Self {
        let arguments = arguments.iter().map(|argument| (*argument).to_string()).collect();
        Self { inner, tools, carrier, arguments, about }
    }

    /// Opens the socket, and says in a copy of the job how it is reached.
    fn opened(&self, job: &Job, toolbox: Arc<dyn Toolbox>) -> Result<(Relay, Job), String> {
        let in_words = |error: std::io::Error| format!("the tools of the log cannot be reached: {error}");
        let top = Folder::open(&job.workdir).map_err(in_words)?;
        top.made_folder(OsStr::new(TEMPORARY)).map_err(in_words)?;
        let folder = job.workdir.join(TEMPORARY);
        // What an earlier try of the agent left there must not lead elsewhere.
        let real = folder.canonicalize().map_err(in_words)?;
        if job.workdir.canonicalize().map_err(in_words)?.join(TEMPORARY) != real {
            return Err(format!("{TEMPORARY} leads elsewhere"));
        }
        let relay = Relay::open(&folder, SOCKET, toolbox, self.about.clone()).map_err(in_words)?;
        let socket = relay.path().display().to_string();
        let carrier = self.carrier.display().to_string();
        let command: Vec<String> =
            std::iter::once(carrier).chain(self.arguments.iter().cloned()).chain([socket]).collect();
        let mut job = job.clone();
        if !job.brief.prompt.is_empty() {
            let words = format!(
                "\n\nThe tools of the log (jixo_log_lock and others) are in an MCP server that you can start: {}\n",
                command.join(" ")
            );
            job.brief.prompt.push_str(&words);
        }
        if let Some(context) = job.brief.context.as_object_mut() {
            context.insert(roadmap::TOOLS_COMMAND.into(), json!(command));
        }
        Ok((relay, job))
    }
}

impl std::fmt::Debug for Served {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Served").field("inner", &self.inner.name()).finish_non_exhaustive()
    }
}

impl Backend for Served {
    fn name(&self) -> String {
        self.inner.name()
    }

    fn pace(&self) -> Pace {
        self.inner.pace()
    }

    fn is_guided(&self) -> bool {
        self.inner.is_guided()
    }

    fn is_recorded(&self) -> bool {
        self.inner.is_recorded()
    }

    fn work(&self, job: &Job, stop: &Stop, say: &dyn Fn(&str)) -> Ending {
        let opened = match (self.tools)(job) {
            None => return self.inner.work(job, stop, say),
            Some(tools) => tools.and_then(|toolbox| self.opened(job, toolbox)),
        };
        match opened {
            Ok((_relay, job)) => self.inner.work(&job, stop, say),
            Err(problem) => {
                // It can do its work without them.
                say(&problem);
                self.inner.work(job, stop, say)
            }
        }
    }
}
