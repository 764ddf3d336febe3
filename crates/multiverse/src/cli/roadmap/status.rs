//! `multiverse roadmap status`: a session for whoever looks: who works on what since when, what is open and why.

use std::path::Path;

use engine::roadmap::{ExecutorView, RoadmapItemView, RoadmapView, TaskFound};
use serde::Serialize;

use super::super::carry::Opened;
use super::super::exit::Exit;
use super::super::failure::{Failure, Kind};
use super::super::output::{BAD, FRAME, Form, GOOD, HINT, Output, PLACE};
use super::super::progress::Shown;
use super::super::project::Start;
use super::super::{visible, watch};
use super::session;

/// Which items are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Items {
    Open,
    All,
}

/// The most items that are shown; `--json` has them all.
const MOST: usize = 200;
/// The most columns of a title where no terminal says.
const WIDE: usize = 100;

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Line<'a> {
    Task(&'a TaskView<'a>),
}

/// A task without a session.
#[derive(Debug, Serialize)]
struct TaskView<'a> {
    name: &'a str,
    path: &'a str,
    problems: &'a [String],
}

/// A session as it goes.
pub(super) fn watch(
    named: Option<&str>,
    given: Option<&Path>,
    start: &Start,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let opened = Opened::to_look(start, output, Shown::Oddities)?;
    let run = super::open_session(&opened, named)?;
    if let Some(trouble) = opened.close().trouble {
        return Err(trouble);
    }
    watch::Arguments::of(Some(run)).run(given, output)
}

pub(super) fn show(named: Option<&str>, shown: Items, start: &Start, output: &mut Output) -> Result<Exit, Failure> {
    let mut opened = Opened::to_look(start, output, Shown::Oddities)?;
    let run = session(&opened, named)?;
    let view = run.map(|run| opened.service.roadmap_status(&run)).transpose()?;
    let filters: Vec<String> = named.map(String::from).into_iter().collect();
    let others = if view.is_none() { opened.service.roadmap_tasks(&[])? } else { Vec::new() };
    let tasks = if view.is_none() { opened.service.roadmap_tasks(&filters)? } else { Vec::new() };
    if let Some(trouble) = opened.close().trouble {
        return Err(trouble);
    }
    match (view, output.form()) {
        (Some(view), Form::Json) => output.json(&view)?,
        (Some(view), Form::Text) => {
            let columns = output.columns();
            output.data(&told(&view, shown, columns))?;
        }
        (None, _) if tasks.is_empty() && !others.is_empty() => {
            let names = others.iter().map(|task| visible::text(&task.name)).collect::<Vec<_>>().join(", ");
            let name = visible::text(named.unwrap_or_default());
            return Err(Failure::new(Kind::Missing, format!("there is no session and no task `{name}`"))
                .hint(format!("the tasks are: {names}")));
        }
        (None, _) if tasks.is_empty() => {
            output.say("there is no task here; `multiverse init --protocol roadmap` makes a first one")?;
            return Ok(Exit::NothingToDo);
        }
        (None, form) => tasks.iter().try_for_each(|task| show_task(task, form, output))?,
    }
    Ok(Exit::Done)
}

pub(super) fn show_task(task: &TaskFound, form: Form, output: &mut Output) -> Result<(), Failure> {
    match form {
        Form::Json => {
            let view = TaskView { name: &task.name, path: &task.path, problems: &task.problems };
            output.json(&Line::Task(&view))?;
        }
        Form::Text => {
            let (name, path) = (visible::text(&task.name), visible::text(&task.path));
            output.data(&format!("{PLACE}{name}{PLACE:#}  {path}\n"))?;
            let odd = task.problems.iter().map(|problem| format!("  {HINT}{}{HINT:#}\n", visible::text(problem)));
            output.data(&odd.collect::<String>())?;
        }
    }
    Ok(())
}

/// A session in lines.
fn told(view: &RoadmapView, shown: Items, columns: Option<usize>) -> String {
    let style = match view.state {
        "done" => GOOD,
        "failed" => BAD,
        _ => HINT,
    };
    let counts = view.counts;
    let mut text = format!(
        "{PLACE}{}{PLACE:#}  {}%  {style}{}{style:#}\n",
        visible::text(&view.task),
        view.progress,
        visible::text(&view.state_in_words)
    );
    let numbers = [
        (counts.completed, "completed"),
        (counts.locked, "at work"),
        (counts.pending, "pending"),
        (counts.failed, "failed"),
        (counts.cancelled, "cancelled"),
    ];
    let numbers: Vec<String> =
        numbers.iter().filter(|(count, _)| *count > 0).map(|(count, word)| format!("{count} {word}")).collect();
    let numbers = if numbers.is_empty() { "no items yet".into() } else { numbers.join(", ") };
    text.push_str(&format!("{}, {numbers}; log {}\n", visible::text(&view.run), visible::text(&view.log_file)));
    let room = columns.unwrap_or(WIDE + 24);
    if !view.executors.is_empty() {
        text.push_str(&format!("\n{FRAME}at work{FRAME:#}\n"));
        view.executors.iter().for_each(|one| text.push_str(&executor(one, room)));
    }
    // Of a session that is over everybody is gone.
    let is_open = !matches!(view.state, "done" | "failed");
    let idle = view.members.iter().filter(|member| is_open && member.state != "alive");
    for member in idle {
        let pid = member.pid.map(|pid| format!(", process {pid}")).unwrap_or_default();
        text.push_str(&format!("{HINT}{} is {}{pid}{HINT:#}\n", visible::text(&member.name), member.state));
    }
    text.push_str(&items(view, shown, room));
    for question in view.questions.iter().filter(|question| question.answer.is_none()) {
        text.push_str(&format!(
            "\n{HINT}asked{HINT:#} {}: {}\n  until you answer: {}\n  {}\n",
            visible::text(&question.id),
            visible::text(&question.question),
            visible::text(&question.default),
            visible::text(&question.how),
        ));
    }
    text
}

fn executor(one: &ExecutorView, room: usize) -> String {
    let process = one.pid.map(|pid| format!(", process {pid}")).unwrap_or_default();
    let state = if one.state == "working" { String::new() } else { format!(" {BAD}{}{BAD:#}", one.state) };
    let since = engine::clock(&one.since);
    let what = visible::short(&one.what, room.saturating_sub(4));
    format!("  {what}{state}\n    {FRAME}{} since {since}{process}{FRAME:#}\n", visible::text(&one.identity))
}

/// The items, below the titles of their groups.
fn items(view: &RoadmapView, shown: Items, room: usize) -> String {
    let is_shown =
        |item: &&RoadmapItemView| shown == Items::All || !matches!(item.status, "Completed" | "Cancelled" | "Locked");
    let all: Vec<&RoadmapItemView> = view.items.iter().filter(is_shown).collect();
    let (mut text, mut group) = (String::new(), None);
    if !all.is_empty() {
        text.push_str(&format!("\n{FRAME}{}{FRAME:#}\n", if shown == Items::All { "items" } else { "to come" }));
    }
    for item in all.iter().take(MOST) {
        if item.group != group {
            group.clone_from(&item.group);
            let title = view.groups.iter().find(|known| Some(&known.key) == group.as_ref()).map(|known| &known.title);
            text.push_str(
                &title.map(|title| format!("  {PLACE}{}{PLACE:#}\n", visible::text(title))).unwrap_or_default(),
            );
        }
        let style = match item.status {
            "Completed" => GOOD,
            "Failed" => BAD,
            _ => HINT,
        };
        let title = visible::short(&item.title, room.saturating_sub(item.number.len() + 18));
        text.push_str(&format!("  {:>6} {style}{:<9}{style:#} {title}\n", visible::text(&item.number), item.status));
        if !item.waits_for.is_empty() {
            let waits = visible::short(&item.waits_for.join("; "), room.saturating_sub(30));
            text.push_str(&format!("{:18}{FRAME}waits for {waits}{FRAME:#}\n", ""));
        }
        if item.status == "Failed" && !item.summary.is_empty() {
            text.push_str(&format!(
                "{:18}{FRAME}{}{FRAME:#}\n",
                "",
                visible::short(&item.summary, room.saturating_sub(20))
            ));
        }
    }
    let more = all.len().saturating_sub(MOST);
    if more > 0 {
        text.push_str(&format!("  and {more} more; --json shows all\n"));
    }
    text
}
