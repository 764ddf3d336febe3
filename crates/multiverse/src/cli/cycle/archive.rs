//! `multiverse cycle archive`: the goals that are over, by their records.

use engine::cycle::{ARCHIVE, ArchiveName, Ending, read, read_archive_name};
use serde::Serialize;

use super::super::documents;
use super::super::exit::Exit;
use super::super::failure::Failure;
use super::super::output::{BAD, Form, GOOD, Output, counted};
use super::super::project::Start;
use super::super::visible;

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Line {
    Archived(Archived),
}

#[derive(Serialize)]
struct Archived {
    path: String,
    ending: &'static str,
    cycle: Option<String>,
    goal: String,
    blocks: usize,
}

pub(super) fn list(start: &Start, output: &mut Output) -> Result<Exit, Failure> {
    let folder = start.project_of_runs().unwrap_or_else(|_| start.project_or_new()).join(ARCHIVE);
    let mut found = Vec::new();
    for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let Some(named) = read_archive_name(&name) else { continue };
        let reading = read(&documents::read(&entry.path())?);
        let ending = match named {
            ArchiveName::Time { ending, .. } | ArchiveName::PullRequest { ending, .. } => ending,
            ArchiveName::Cycle { .. } => Ending::Complete,
        };
        found.push(Archived {
            path: format!("{ARCHIVE}/{name}"),
            ending: match ending {
                Ending::Complete => "complete",
                Ending::Incomplete => "incomplete",
                Ending::Failed => "failed",
            },
            cycle: reading.header.cycle_id.clone(),
            goal: reading.header.goal.clone(),
            blocks: reading.blocks.len(),
        });
    }
    if found.is_empty() {
        output.say("no goal is over yet; a record goes to the archive when its cycle ends")?;
        return Ok(Exit::NothingToDo);
    }
    found.sort_by(|one, other| one.path.cmp(&other.path));
    for one in found {
        if output.form() == Form::Json {
            output.json(&Line::Archived(one))?;
            continue;
        }
        let style = if one.ending == "complete" { GOOD } else { BAD };
        let goal = visible::short(&one.goal, 60);
        let blocks = counted(one.blocks, "block");
        output.data(&format!(
            "{style}{:<10}{style:#} {goal}\n           {} ({blocks})\n",
            one.ending,
            visible::text(&one.path)
        ))?;
    }
    Ok(Exit::Done)
}
