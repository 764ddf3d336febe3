//! `multiverse roadmap`: a roadmap looked at and changed by a person while executors work on it. Shows and passes on; what
//! may be changed the machine says.

mod begin;
mod change;
mod status;

use std::path::Path;

use engine::roadmap::TaskFound;

use super::carry::Opened;
use super::completions;
use super::exit::Exit;
use super::failure::{Failure, Kind};
use super::output::Output;
use super::project::Start;
use super::visible;

pub(crate) use begin::Session;

/// Look at a roadmap, and change it
///
/// A task in .jixo/NAME.task.md has a roadmap and a work log in .jixo/NAME.log.md. Any number
/// of executors work on it, in one process or many, each on one item at a time. `multiverse
/// run --protocol roadmap` starts them; here you see who works on what, and add, move or cancel
/// items meanwhile. You may as well edit the log itself: what you change is taken over.
///
/// Examples:
///   multiverse roadmap status
///   multiverse roadmap status harbour --all
///   multiverse roadmap add "Check that docs/a.md exists"
///   multiverse roadmap move 1.2 --first
///   multiverse roadmap cancel 1.2 --reason "not needed any more"
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// Show who works on what since when, what is blocked and by what
    ///
    /// The task's progress, its executors with the item of each, the items that are open with
    /// what they wait for, the questions that wait for you. Without a session the tasks that
    /// could be run are listed.
    ///
    /// With --json, one object a line: {"run", "task", "progress", "executors", "items", …} for
    /// a session, {"task": …} for a task without one.
    ///
    /// Exit codes: 0 done, 1 error, 2 usage, 5 there is neither a session nor a task; with --watch
    /// those of `multiverse watch`
    #[command(verbatim_doc_comment)]
    Status {
        /// Which: the task's name, or any unique beginning of its run; else the one that is open
        #[arg(value_name = "TASK", add = completions::runs())]
        task: Option<String>,

        /// Also the items that are completed or cancelled
        #[arg(long)]
        all: bool,

        /// Show it as it goes, as `multiverse watch` does: who is at work on what, until it ends or waits for you
        #[arg(long, conflicts_with = "all")]
        watch: bool,
    },

    /// Add an item
    ///
    /// It is Pending, and taken up by whoever is free. Its number is the next of its group,
    /// unless you give one.
    ///
    /// With --json, one object: {"added": …}.
    ///
    /// Exit codes: 0 done, 1 error or refused, 2 usage
    #[command(verbatim_doc_comment)]
    Add(change::Add),

    /// Move an item to another place, or into another group
    ///
    /// With --json, one object: {"moved": …}.
    ///
    /// Exit codes: 0 done, 1 error or refused, 2 usage
    #[command(verbatim_doc_comment)]
    Move(change::Move),

    /// Take an item out
    ///
    /// It becomes Cancelled, with an entry in the work log. Whoever is at work on it is told
    /// to stop. What depends on it waits until you say what it shall depend on instead.
    ///
    /// With --json, one object: {"cancelled": …}.
    ///
    /// Exit codes: 0 done, 1 error or refused, 2 usage
    #[command(verbatim_doc_comment)]
    Cancel(change::Cancel),
}

impl Arguments {
    pub(crate) fn run(&self, given: Option<&Path>, output: &mut Output) -> Result<Exit, Failure> {
        let start = Start::of_process(given)?;
        match &self.what {
            What::Status { task, watch: true, .. } => status::watch(task.as_deref(), given, &start, output),
            What::Status { task, all, .. } => {
                let shown = if *all { status::Items::All } else { status::Items::Open };
                status::show(task.as_deref(), shown, &start, output)
            }
            What::Add(item) => item.run(&start, output),
            What::Move(item) => item.run(&start, output),
            What::Cancel(item) => item.run(&start, output),
        }
    }
}

/// The session that is meant: by the name of its task, by its run, else the one that is open, else the newest.
fn session(opened: &Opened, named: Option<&str>) -> Result<Option<String>, Failure> {
    let all = opened.service.roadmaps();
    let Some(name) = named else {
        let open: Vec<&String> = all.iter().filter(|(_, _, is_open)| *is_open).map(|(run, _, _)| run).collect();
        return match open.as_slice() {
            [] => Ok(all.last().map(|(run, _, _)| run.clone())),
            [only] => Ok(Some((*only).clone())),
            many => {
                let names: Vec<String> = many.iter().map(|run| visible::text(run)).collect();
                Err(Failure::new(Kind::Usage, format!("{} sessions are open: {}", many.len(), names.join(", ")))
                    .hint("name the task, or the run"))
            }
        };
    };
    let of_task = |(_, task_file, _): &&(String, String, bool)| task_name(task_file) == name || task_file == name;
    let mut matching: Vec<&(String, String, bool)> = all.iter().filter(of_task).collect();
    // The one that is open comes before those that are over.
    matching.sort_by_key(|(_, _, is_open)| *is_open);
    if let Some((run, _, _)) = matching.last() {
        return Ok(Some(run.clone()));
    }
    let by_run = opened.run(name);
    match by_run {
        Ok(run) => Ok(Some(run)),
        Err(_) if named.is_some_and(|name| !all.iter().any(|(run, _, _)| run.starts_with(name))) => Ok(None),
        Err(failure) => Err(failure),
    }
}

/// The session that is meant, which must be there to be changed.
fn open_session(opened: &Opened, named: Option<&str>) -> Result<String, Failure> {
    session(opened, named)?.ok_or_else(|| {
        let what = named.map_or_else(
            || "there is no session".to_string(),
            |name| format!("there is no session of `{}`", visible::text(name)),
        );
        Failure::new(Kind::Missing, what)
            .hint("`multiverse run --protocol roadmap` starts one; `multiverse roadmap status` lists the tasks")
    })
}

/// The name of a task by its file.
fn task_name(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.strip_suffix(".task.md").unwrap_or(name)
}

/// What is odd in a task file, said before it is run.
fn say_problems(tasks: &[TaskFound], output: &mut Output) -> Result<(), Failure> {
    for problem in tasks.iter().flat_map(|task| &task.problems) {
        output.warn(&format!("{}note{:#}: {}", super::output::HINT, super::output::HINT, visible::text(problem)))?;
    }
    Ok(())
}
