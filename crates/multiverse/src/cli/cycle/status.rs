//! `multiverse cycle status`: where the goal stands: the loop, who is on, what was said last, and what is asked.

use std::path::Path;

use engine::RunView;
use engine::cycle::{ASSETS, is_asset_name};
use serde_json::Value;

use super::super::carry::Opened;
use super::super::exit::Exit;
use super::super::failure::Failure;
use super::super::output::{BAD, Form, HINT, Output, PLACE};
use super::super::progress::Shown;
use super::super::project::Start;
use super::super::visible;

/// Of what a check printed, so many columns are shown.
const PRINTED: usize = 60;

pub(super) fn show(start: &Start, output: &mut Output) -> Result<Exit, Failure> {
    let Ok(project) = start.project_of_runs() else { return none(output) };
    let opened = Opened::to_look(start, output, Shown::Oddities)?;
    let runs = opened.service.all_runs();
    let cycle = runs.into_iter().rfind(|run| run.protocol == Some("cycle"));
    if let Some(trouble) = opened.close().trouble {
        return Err(trouble);
    }
    let Some(cycle) = cycle else { return none(output) };
    match output.form() {
        Form::Json => output.json(&cycle)?,
        Form::Text => output.data(&format!("{}{}", told(&cycle), misnamed(&project)))?,
    }
    Ok(Exit::Done)
}

fn none(output: &mut Output) -> Result<Exit, Failure> {
    output.say("there is no cycle here; `multiverse run --protocol cycle \"the goal\"` sets one")?;
    Ok(Exit::NothingToDo)
}

fn told(cycle: &RunView) -> String {
    let details = cycle.details.clone().unwrap_or_default();
    let text = |name: &str| details.get(name).and_then(Value::as_str).map(visible::text).unwrap_or_default();
    let number = |name: &str| details.get(name).and_then(Value::as_u64).unwrap_or_default();
    let mut told = format!("{PLACE}{}{PLACE:#}  goal {}\n", visible::text(&cycle.run), number("goal_number"));
    told.push_str(&format!("{}\n", visible::lines(&cycle.request)));
    // What waits for the Human is told below, with what answers it.
    if cycle.waits.is_empty() {
        told.push_str(&format!("{HINT}{}{HINT:#}\n", visible::text(&cycle.state_in_words)));
    }
    let (loops, allowed) = (number("loop"), number("loops_allowed"));
    let streak = match number("insufficient_in_a_row") {
        0 => String::new(),
        times => format!(", {BAD}INSUFFICIENT {times} times in a row{BAD:#}"),
    };
    told.push_str(&format!("loop {loops} of {allowed} at most{streak}\n"));
    if !text("branch").is_empty() {
        told.push_str(&format!("on {}, which goes back into {}\n", text("branch"), text("base")));
    }
    for item in &cycle.items {
        let indent = "  ".repeat(item.depth);
        let words = visible::text(&item.name);
        let mark = if item.running { " …" } else { "" };
        told.push_str(format!("{indent}{:<8} {words}{mark}", visible::text(&item.id)).trim_end());
        told.push('\n');
    }
    for check in details.get("checks").and_then(Value::as_array).into_iter().flatten() {
        let of = |key: &str| check.get(key).and_then(Value::as_str).unwrap_or_default();
        let last = of("tail").lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
        let last = if last.is_empty() { String::new() } else { format!(" ({})", visible::short(last, PRINTED)) };
        told.push_str(&format!("check {}: {}{last}\n", visible::text(of("name")), visible::text(of("told"))));
    }
    for waiting in &cycle.waits {
        told.push_str(&format!("{HINT}waits for you{HINT:#}: {}\n", visible::text(&waiting.text)));
        for command in &waiting.commands {
            told.push_str(&format!("  {}\n", visible::text(command)));
        }
    }
    let trouble = details.get("trouble").and_then(Value::as_str).unwrap_or_default();
    // A question that comes of it says it already.
    if !trouble.is_empty() && !cycle.waits.iter().any(|waiting| waiting.text.contains(trouble)) {
        told.push_str(&format!("{BAD}went wrong{BAD:#}: {}\n", visible::lines(trouble).replace('\n', "\n  ")));
    }
    let checkpoints = details.get("checkpoints").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let loops: Vec<String> =
        checkpoints.iter().filter_map(|one| Some(one.get("loop")?.as_u64()?.to_string())).collect();
    let may_revise = cycle.waits.iter().flat_map(|waiting| &waiting.commands).any(|one| one.contains("REVISION_"));
    if may_revise && !text("branch").is_empty() {
        let loops = loops.join(", ");
        told.push_str(&format!(
            "\"REVISION_REQUESTED: back to loop N, your words\" goes back to what stood before it: {loops}\n"
        ));
    }
    let record = if text("archive").is_empty() { text("record") } else { text("archive") };
    told.push_str(&format!("record: {record}\n"));
    told
}

/// Pictures of the record that are not named as they should be (CY-14).
fn misnamed(project: &Path) -> String {
    let names = std::fs::read_dir(project.join(ASSETS)).into_iter().flatten().flatten();
    let names = names.filter_map(|entry| entry.file_name().into_string().ok());
    let mut wrong: Vec<String> = names.filter(|name| name != "README.md" && !is_asset_name(name)).collect();
    wrong.sort();
    let line = |name: &String| {
        let name = visible::text(name);
        format!("{ASSETS}/{name} is not named YYYY-MM-DD_HH-MM-SS_description.ext\n")
    };
    wrong.iter().map(line).collect()
}
