//! `multiverse mcp`: the tools of a roadmap's log as a server of the Model Context Protocol, on standard input and output.

use std::io::{self, BufReader};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use engine::agent::Guidance;
use engine::roadmap::Desk;
use tools::mcp::{About, carry, serve};
use tools::{Functions, LogTools};

use super::exit::Exit;
use super::failure::{Failure, Kind};
use super::output::Output;
use super::project::Start;
use super::{completions, toolboxes, visible};

/// Serve the tools of a roadmap's log to an agent (MCP)
///
/// A server of the Model Context Protocol on standard input and output, with the tools
/// jixo_log_lock, jixo_log_unlock, edit_file, append_to_file, jixo_task_exit and
/// get_jixo_skill, for one attempt that is under way. Agents that are programs get its
/// command in their brief, and in MULTIVERSE_TOOLS; an agent that you start yourself, for
/// work that was left to you, is given the run and the attempt that `multiverse inbox` shows.
///
/// Standard output carries the protocol and nothing else. The server ends with its input.
///
/// Exit codes: 0 its input ended, 1 error, 2 usage
///
/// Examples:
///   multiverse mcp --list
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    /// The run of the session; else MULTIVERSE_RUN, else the only one that is open
    #[arg(long, value_name = "RUN", add = completions::runs())]
    run: Option<String>,

    /// The number of the attempt; else MULTIVERSE_ATTEMPT, else the only one that is under way
    #[arg(long, value_name = "N")]
    attempt: Option<u64>,

    /// Carry lines between here and this socket, behind which the tools are: what an agent is given that is confined
    #[arg(long, value_name = "PATH", conflicts_with_all = ["run", "attempt", "list"])]
    socket: Option<PathBuf>,

    /// Show the tools with their arguments, and serve nothing
    #[arg(long, conflicts_with_all = ["run", "attempt"])]
    list: bool,
}

/// Who serves, as clients are told.
pub(crate) fn about() -> About {
    About {
        name: "multiverse".into(),
        version: env!("CARGO_PKG_VERSION").into(),
        instructions: "The log of a roadmap: lock it, edit it, unlock it. Your report is written into it without that: use these \
            tools only to look at the newest log, to change the roadmap itself, to ask the user something, or to take up a skill."
            .into(),
    }
}

impl Arguments {
    pub(crate) fn run(&self, given: Option<&Path>, output: &mut Output) -> Result<Exit, Failure> {
        if self.list {
            for tool in LogTools::offered() {
                output.json(&tool)?;
            }
            return Ok(Exit::Done);
        }
        if let Some(socket) = &self.socket {
            return match carry(socket, io::stdin(), io::stdout()) {
                Ok(()) => Ok(Exit::Done),
                Err(error) => Err(Failure::new(
                    Kind::Missing,
                    format!("cannot reach the tools at {}: {error}", visible::path(socket)),
                )
                .hint("they are there while the agent works that was given this command")),
            };
        }
        let start = Start::of_process(given)?;
        let project = start.project_of_runs()?;
        let desk = self.desk(&project)?;
        let tools = LogTools::new(Arc::new(desk.0));
        let tools = match desk.1 {
            Some(files) => tools.with_files(Arc::new(files)),
            None => tools,
        };
        output.finish()?;
        serve(&tools, &about(), BufReader::new(io::stdin()), io::stdout())?;
        Ok(Exit::Done)
    }

    /// The desk of the attempt that is meant, and the files of its working folder if it has one.
    fn desk(&self, project: &Path) -> Result<(Desk, Option<Functions>), Failure> {
        let variable = |name: &str| std::env::var(name).ok().filter(|text| !text.is_empty());
        if !project.join(store::OWN).join("journal").is_dir() {
            return Err(none_meant(0));
        }
        let service = engine::Service::open_to_look(&engine::Settings::new(project.into()), &(Arc::new(|_| {}) as _))?;
        let open: Vec<String> =
            service.roadmaps().into_iter().filter(|(_, _, is_open)| *is_open).map(|(run, _, _)| run).collect();
        let run = match (self.run.clone().or_else(|| variable("MULTIVERSE_RUN")), open.as_slice()) {
            (Some(name), _) => service.find_run(&name)?,
            (None, [only]) => only.clone(),
            (None, open) => return Err(none_meant(open.len())),
        };
        let executors = service.roadmap_status(&run)?.executors;
        let told = variable("MULTIVERSE_ATTEMPT").and_then(|text| text.parse().ok());
        let attempt = match (self.attempt.or(told), executors.as_slice()) {
            (Some(attempt), _) => attempt,
            (None, [only]) => only.fence,
            (None, many) => {
                let fences: Vec<String> = many.iter().map(|one| one.fence.to_string()).collect();
                let hint = if fences.is_empty() {
                    "nobody is at work".into()
                } else {
                    format!("there are: {}", fences.join(", "))
                };
                return Err(
                    Failure::new(Kind::Usage, "which attempt is meant is not said; name it with --attempt").hint(hint)
                );
            }
        };
        drop(service);
        let desk = Desk::open(project, &run, attempt, Arc::new(Guidance::find(project)))?;
        let folder = project.join(store::OWN).join("scratch").join(&run).join(attempt.to_string()).join("tree");
        let files = folder.is_dir().then(|| toolboxes::files_of(project, &folder, Vec::new()));
        Ok((desk, files.transpose().unwrap_or_default()))
    }
}

/// Nobody says which session is meant, and there is not just one.
fn none_meant(open: usize) -> Failure {
    let hint = match open {
        0 => "`multiverse run --protocol roadmap` begins one; the tools are there while somebody works in it",
        _ => "name one with --run; `multiverse roadmap status` shows them",
    };
    Failure::new(Kind::Usage, format!("{open} sessions are open")).hint(hint)
}
