//! `multiverse run --protocol roadmap`: the tasks that fit are run: their sessions begin, or are joined.

use std::path::PathBuf;

use engine::AskedAgent;
use engine::roadmap::TaskFound;
use serde::Serialize;

use super::super::agents::Choice;
use super::super::carry::{Driving, Opened};
use super::super::exit::Exit;
use super::super::failure::{Failure, Kind};
use super::super::live;
use super::super::output::{Form, HINT, Output, PLACE, counted, listed};
use super::super::project::Start;
use super::super::visible;
use super::{say_problems, status};

/// How executors take part in a session.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct Session {
    /// With --protocol roadmap: end when there is nothing for this process while others work (exit code 5)
    #[arg(long, requires = "protocol")]
    no_wait: bool,

    /// With --protocol roadmap: what the executors of this process are called
    #[arg(long, value_name = "NAME", requires = "protocol")]
    name: Option<String>,
}

/// A session that this process takes part in.
#[derive(Debug, Serialize)]
struct Joined<'a> {
    run: &'a str,
    task: &'a str,
    task_file: &'a str,
    /// Whether it began just now.
    is_new: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Line<'a> {
    Session(&'a Joined<'a>),
}

impl Session {
    /// Runs the tasks that fit all filters.
    pub(crate) fn carry(
        &self,
        filters: &[String],
        driving: &Driving,
        start: &Start,
        output: &mut Output,
    ) -> Result<Exit, Failure> {
        let (mut opened, tasks) = self.open(filters, driving, start, output)?;
        say_problems(&tasks, output)?;
        let mut runs = Vec::new();
        for task in &tasks {
            runs.extend(join(&mut opened, task, &driving.choice, start, output)?);
        }
        if runs.is_empty() {
            let left = opened.close();
            left.show(output)?;
            return Ok(if left.trouble.is_some() { Exit::Error } else { Exit::NothingToDo });
        }
        opened.carry_on(&runs, driving, output)
    }

    /// Shows which tasks would be run, and what is odd in them; begins nothing.
    pub(crate) fn rehearse(
        &self,
        filters: &[String],
        driving: &Driving,
        start: &Start,
        output: &mut Output,
    ) -> Result<Exit, Failure> {
        let (opened, tasks) = self.open(filters, driving, start, output)?;
        let open: Vec<bool> = tasks.iter().map(|task| opened.service.open_roadmap(&task.path).is_some()).collect();
        let left = opened.close_without_trace();
        for task in &tasks {
            status::show_task(task, output.form(), output)?;
        }
        if output.form() == Form::Text {
            let joined = open.iter().filter(|is_open| **is_open).count();
            output.say(&format!(
                "nothing was begun: without --dry-run {} would be run{}",
                counted(tasks.len(), "task"),
                if joined > 0 { format!(", {joined} of them joined") } else { String::new() }
            ))?;
        }
        Ok(if left.trouble.is_some() { Exit::Error } else { Exit::Done })
    }

    /// The project with its agents, and the tasks that fit; there is one at least.
    fn open(
        &self,
        filters: &[String],
        driving: &Driving,
        start: &Start,
        output: &mut Output,
    ) -> Result<(Opened, Vec<TaskFound>), Failure> {
        let name = self.name()?;
        let change = |settings: &mut engine::Settings| {
            settings.roadmap.waits = !self.no_wait;
            if let Some(name) = &name {
                settings.roadmap.executor.clone_from(name);
            }
        };
        let mut opened = Opened::to_begin_with(start, &driving.choice, &[], &change, output)?;
        let tasks = opened.service.roadmap_tasks(filters)?;
        if tasks.is_empty() {
            let others = opened.service.roadmap_tasks(&[])?;
            let left = opened.close_without_trace();
            left.trouble.map_or(Ok(()), Err)?;
            return Err(no_task(filters, &others));
        }
        Ok((opened, tasks))
    }

    /// A name of executors stands in the log before a dash and a number: it is a word.
    fn name(&self) -> Result<Option<String>, Failure> {
        let is_word = |name: &String| {
            let is_fit = |letter: char| letter.is_alphanumeric() || matches!(letter, '-' | '_' | '.');
            !name.is_empty() && name.chars().count() <= 64 && name.chars().all(is_fit)
        };
        match &self.name {
            Some(name) if !is_word(name) => {
                Err(Failure::new(Kind::Usage, format!("--name {}: is no name of executors", visible::text(name)))
                    .hint("letters, digits, `-`, `_` and `.`, up to 64 of them"))
            }
            name => Ok(name.clone()),
        }
    }
}

fn no_task(filters: &[String], others: &[TaskFound]) -> Failure {
    if others.is_empty() {
        return Failure::new(Kind::Missing, "there is no task here: .jixo/ has no *.task.md")
            .hint("`multiverse init --protocol roadmap` makes a first one");
    }
    let names: Vec<String> = others.iter().map(|task| task.name.clone()).collect();
    Failure::new(Kind::Missing, format!("no task fits {}", listed(filters))).hint(format!(
        "the tasks are: {}; `har*` names all that begin so, `.jixo/docs/` those of a folder",
        listed(&names)
    ))
}

/// Joins the session of a task, or begins it; nothing if it is not due.
fn join(
    opened: &mut Opened,
    task: &TaskFound,
    choice: &Choice,
    start: &Start,
    output: &mut Output,
) -> Result<Option<String>, Failure> {
    let project = opened.service.project().to_path_buf();
    // Who works is settled before anything begins.
    let agents = agents_of(task, output)?;
    let casting = choice.recalled(&agents, start, &project, output)?.map(|(casting, _)| casting);
    let joined = opened.service.join_roadmap_with(&task.path, casting)?;
    if joined.is_new && !opened.is_open(&joined.run) {
        output.say(&format!(
            "{HINT}nothing to do{HINT:#}: all items of {} are done, and its goal is the same",
            visible::text(&task.name)
        ))?;
        return Ok(None);
    }
    let (run, name) = (visible::text(&joined.run), visible::text(&task.name));
    match output.form() {
        Form::Json => {
            let is_new = joined.is_new;
            output.json(&Line::Session(&Joined {
                run: &joined.run,
                task: &task.name,
                task_file: &task.path,
                is_new,
            }))?;
            output.finish()?;
        }
        Form::Text if joined.is_new && live::is_possible(output) => {}
        Form::Text => {
            let how = if joined.is_new { "began" } else { "is open: joined" };
            output.say(&format!("{PLACE}{run}{PLACE:#} {how} ({name})"))?;
        }
    }
    Ok(Some(joined.run))
}

/// Who a task names, as far as it is somebody that we know.
fn agents_of(task: &TaskFound, output: &mut Output) -> Result<Vec<AskedAgent>, Failure> {
    let model = task.model.iter().filter(|model| model.contains('/')).map(|model| format!("model:{model}"));
    if let Some(model) = task.model.iter().find(|model| !model.contains('/')) {
        output.say(&format!(
            "{HINT}note{HINT:#}: {} names the model `{}` without its provider, so it is not used; write PROVIDER/NAME",
            visible::path(&PathBuf::from(&task.path)),
            visible::text(model)
        ))?;
    }
    let mut known = Vec::new();
    for agent in task.agents.iter().cloned().chain(model) {
        match engine::agent::parse_kind(&agent) {
            Ok(_) => known.push(AskedAgent { agent, folder: String::new() }),
            Err(_) => output.say(&format!(
                "{HINT}note{HINT:#}: {} names `{}`, which is none of our agents; --agent names who works",
                visible::path(&PathBuf::from(&task.path)),
                visible::text(&agent)
            ))?,
        }
    }
    Ok(known)
}
