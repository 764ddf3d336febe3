//! `multiverse explain`: why a run or an item is where it is, and what can be done. Shows what the engine says.

use std::path::Path;

use engine::Why;
use serde::Serialize;
use unicode_width::UnicodeWidthStr as _;

use super::carry::Opened;
use super::exit::Exit;
use super::failure::{Failure, Kind};
use super::output::{BAD, FRAME, Form, GOOD, HINT, Output, PLACE};
use super::progress::Shown;
use super::project::Start;
use super::{completions, prose, visible};

/// The room for a line where no terminal breaks it.
const USUAL_COLUMNS: usize = 100;

/// Say why a run or an item is where it is, or what an error means
///
/// For a run: whether it is at work, waits for you, is paused, stopped, failed or done,
/// since when and why, and the commands that do something about it. With ITEM (a phase,
/// stage, task or tool task, like T05), the same for that: who is at work on it, what it
/// waits for, what its agent said, which file it left. An item alone is one of the last
/// run. The code of an error (no_project, refused, …) gets the page that says what it
/// means and how to mend it.
///
/// With --json, one object: {"explanation": …}, or {"page": {"code", "text"}}.
///
/// Exit codes: 0 done, 1 error, 2 usage
///
/// Examples:
///   multiverse explain last
///   multiverse explain last T00
///   multiverse explain P01
///   multiverse explain no_project
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    /// The run, an item of the last one, or the code of an error
    #[arg(value_name = "RUN|ITEM|CODE", add = completions::runs_and_items())]
    name: String,

    /// An item of the run
    #[arg(value_name = "ITEM", add = completions::items())]
    item: Option<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Line<'a> {
    Explanation(&'a Why),
    Page { code: &'a str, text: &'a str },
}

impl Arguments {
    pub(crate) fn run(&self, given: Option<&Path>, output: &mut Output) -> Result<Exit, Failure> {
        if let (Some(kind), None) = (Kind::ALL.into_iter().find(|kind| kind.code() == self.name), &self.item) {
            return page_of(kind, output);
        }
        let mut opened = Opened::to_look(&Start::of_process(given)?, output, Shown::Oddities)?;
        let (run, item) = self.meant(&opened)?;
        let why = opened.service.why(&run, item.as_deref())?;
        let view = opened.full_view(&run);
        if let Some(trouble) = opened.close().trouble {
            return Err(trouble);
        }
        let name = view.into_iter().flat_map(|view| view.items).find(|one| Some(&one.id) == item.as_ref());
        match output.form() {
            Form::Json => output.json(&Line::Explanation(&why))?,
            Form::Text => {
                let columns = output.columns().unwrap_or(USUAL_COLUMNS);
                output.data(&rendered(&why, name.map(|one| one.name).unwrap_or_default().as_str(), columns))?;
            }
        }
        Ok(Exit::Done)
    }

    /// The run and the item that are meant.
    fn meant(&self, opened: &Opened) -> Result<(String, Option<String>), Failure> {
        let found = opened.run(&self.name);
        if let (None, Err(_), Ok(last)) = (&self.item, &found, opened.run("last")) {
            let items = opened.full_view(&last).map(|view| view.items).unwrap_or_default();
            let item = items.into_iter().find(|item| item.id.eq_ignore_ascii_case(&self.name));
            if let Some(item) = item {
                return Ok((last, Some(item.id)));
            }
        }
        match (found, &self.item) {
            (Err(_), None) if self.name != "last" && !self.name.is_empty() => {
                let name = visible::short(&self.name, 40);
                let message = format!("{name} is no run, no item of the last run, and no code of an error");
                let codes = Kind::ALL.map(Kind::code).join(", ");
                let hint = format!(
                    "`multiverse status --all` lists the runs, `multiverse status last` the items; codes: {codes}"
                );
                Err(Failure::new(Kind::Missing, message).hint(hint))
            }
            (found, item) => Ok((found?, item.clone())),
        }
    }
}

/// What an error code means.
fn page_of(kind: Kind, output: &mut Output) -> Result<Exit, Failure> {
    match output.form() {
        Form::Json => output.json(&Line::Page { code: kind.code(), text: kind.page() })?,
        Form::Text => {
            let columns = output.columns().unwrap_or(USUAL_COLUMNS).min(USUAL_COLUMNS);
            output.data(&format!("{}\n", prose::shown(kind.page(), columns).join("\n")))?;
        }
    }
    Ok(Exit::Done)
}

fn rendered(why: &Why, name: &str, columns: usize) -> String {
    let style = match why.state {
        "done" => GOOD,
        "failed" | "cancelled" => BAD,
        _ => HINT,
    };
    let item =
        why.item.as_ref().map_or_else(String::new, |item| format!("  {} {}", visible::text(item), visible::text(name)));
    let mut lines = vec![format!("{PLACE}{}{}{PLACE:#}", visible::text(&why.run), item.trim_end())];
    let since = if why.since.is_empty() { String::new() } else { format!(", since {}", moment(&why.since)) };
    let first = visible::wrapped(&format!("{}{since}", visible::text(&why.what)), columns);
    lines.extend(first.into_iter().map(|line| format!("{style}{line}{style:#}")));
    for reason in &why.because {
        lines.extend(visible::wrapped(&format!("- {}", visible::text(reason)), columns));
    }
    let said = why.evidence.iter().flat_map(|line| visible::wrapped(&visible::text(line), columns.saturating_sub(2)));
    lines.extend(said.map(|line| format!("{FRAME}│{FRAME:#} {line}")));
    lines.extend(why.files.iter().map(|file| format!("  {}", visible::text(file))));
    if !why.can.is_empty() {
        lines.push(format!("{PLACE}what can be done{PLACE:#}"));
    }
    let widest = why.can.iter().map(|can| can.command.width()).max().unwrap_or_default();
    for can in &why.can {
        let command = visible::text(&can.command);
        // What does not fit beside the command stands below it.
        if widest + can.does.width() + 4 <= columns {
            let gap = widest - can.command.width() + 2;
            lines.push(format!("  {HINT}{command}{HINT:#}{:gap$}{}", "", can.does));
        } else {
            lines.push(format!("  {HINT}{command}{HINT:#}"));
            lines.push(format!("    {}", can.does));
        }
    }
    lines.join("\n") + "\n"
}

/// `2026-11-16T07:13:31.123Z` as people read it.
fn moment(text: &str) -> String {
    let (date, time) = text.split_once('T').unwrap_or((text, ""));
    let time = time.trim_end_matches('Z').split('.').next().unwrap_or_default();
    visible::text(format!("{date} {time} UTC").trim())
}
