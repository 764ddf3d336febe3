//! `multiverse roadmap add|move|cancel`: what a person changes while executors work. Each is one word to the session.

#![allow(clippy::redundant_closure, reason = "the function alone is not general enough")]

use engine::roadmap::NewItem;
use serde::Serialize;

use super::super::carry::Opened;
use super::super::exit::Exit;
use super::super::failure::{Failure, Kind};
use super::super::output::{Form, Output, PLACE};
use super::super::progress::Shown;
use super::super::project::Start;
use super::super::request::user;
use super::super::{completions, visible};
use super::open_session;

/// An item to add.
#[derive(Debug, Clone, clap::Args)]
pub(super) struct Add {
    /// What is to be done
    #[arg(value_name = "TITLE", required = true)]
    title: Vec<String>,

    /// Its number; without one the next of its group
    #[arg(long, value_name = "N")]
    number: Option<String>,

    /// The group it goes into, by its title or number; without one the group of the item it comes after, else that
    /// of the last item
    #[arg(long, value_name = "GROUP")]
    group: Option<String>,

    /// The item it comes after
    #[arg(long, value_name = "ITEM")]
    after: Option<String>,

    /// An item that must be completed first; may be given several times
    #[arg(long, value_name = "ITEM")]
    needs: Vec<String>,

    /// A file that it changes; may be given several times
    #[arg(long, value_name = "FILE")]
    claims: Vec<String>,

    #[command(flatten)]
    of: Of,
}

/// An item to move.
#[derive(Debug, Clone, clap::Args)]
pub(super) struct Move {
    /// Which
    #[arg(value_name = "ITEM")]
    item: String,

    /// Behind this item, into its group
    #[arg(long, value_name = "ITEM", required_unless_present_any = ["first", "group"])]
    after: Option<String>,

    /// To the first place
    #[arg(long, conflicts_with = "after")]
    first: bool,

    /// Into this group, by its title or number
    #[arg(long, value_name = "GROUP")]
    group: Option<String>,

    #[command(flatten)]
    of: Of,
}

/// An item to take out.
#[derive(Debug, Clone, clap::Args)]
pub(super) struct Cancel {
    /// Which
    #[arg(value_name = "ITEM")]
    item: String,

    /// Why: it stands in the work log
    #[arg(long, value_name = "WORDS", default_value = "not wanted any more")]
    reason: String,

    #[command(flatten)]
    of: Of,
}

/// Whose roadmap.
#[derive(Debug, Clone, clap::Args)]
struct Of {
    /// Of which task, by its name or its run; else the one that is open
    #[arg(long, value_name = "TASK", add = completions::runs())]
    task: Option<String>,
}

/// What was done.
#[derive(Debug, Serialize)]
struct Done<'a> {
    run: &'a str,
    item: &'a str,
    head: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Line<'a> {
    Added(Done<'a>),
    Moved(Done<'a>),
    Cancelled(Done<'a>),
}

impl Add {
    pub(super) fn run(&self, start: &Start, output: &mut Output) -> Result<Exit, Failure> {
        let title = self.title.join(" ");
        if title.trim().is_empty() {
            return Err(Failure::new(Kind::Usage, "the title is empty").hint("say what is to be done"));
        }
        let (mut opened, run) = self.of.open(start, output)?;
        let group = self.group.as_deref().map(|name| group_key(&opened, &run, name)).transpose()?;
        let group = match (group, &self.after) {
            (Some(group), _) => Some(group),
            (None, after) => usual_group(&opened, &run, after.as_deref())?,
        };
        let item = NewItem {
            number: self.number.clone(),
            title,
            group,
            after: self.after.clone(),
            depends_on: self.needs.clone(),
            claims: self.claims.clone(),
        };
        let key = opened.service.roadmap_add(&run, item, &user())?;
        end(opened, &run, &key, "is added", |done| Line::Added(done), output)
    }
}

impl Move {
    pub(super) fn run(&self, start: &Start, output: &mut Output) -> Result<Exit, Failure> {
        let (mut opened, run) = self.of.open(start, output)?;
        let group = self.group.as_deref().map(|name| group_key(&opened, &run, name)).transpose()?;
        opened.service.roadmap_move(&run, &self.item, self.after.as_deref(), group.as_deref(), &user())?;
        end(opened, &run, &self.item, "is moved", |done| Line::Moved(done), output)
    }
}

impl Cancel {
    pub(super) fn run(&self, start: &Start, output: &mut Output) -> Result<Exit, Failure> {
        let (mut opened, run) = self.of.open(start, output)?;
        opened.service.roadmap_cancel(&run, &self.item, &self.reason, &user())?;
        end(opened, &run, &self.item, "is cancelled", |done| Line::Cancelled(done), output)
    }
}

impl Of {
    fn open(&self, start: &Start, output: &mut Output) -> Result<(Opened, String), Failure> {
        let opened = Opened::to_tell(start, output, Shown::Oddities)?;
        let run = open_session(&opened, self.task.as_deref())?;
        Ok((opened, run))
    }
}

/// A group by its key, its title, or the beginning of one that no other has.
fn group_key(opened: &Opened, run: &str, name: &str) -> Result<String, Failure> {
    let groups = opened.service.roadmap_status(run)?.groups;
    let wanted = name.trim().to_lowercase();
    let title = |title: &str| title.replace("**", "").trim().to_lowercase();
    let exact = groups.iter().find(|group| group.key == name || title(&group.title) == wanted);
    let mut starting = groups.iter().filter(|group| title(&group.title).starts_with(&wanted));
    let only = starting.next().filter(|_| starting.next().is_none());
    exact.or(only).map(|group| group.key.clone()).ok_or_else(|| {
        let titles: Vec<String> = groups.iter().map(|group| visible::text(&group.title)).collect();
        let hint =
            if titles.is_empty() { "there are none".into() } else { format!("there are: {}", titles.join("; ")) };
        Failure::new(Kind::Refused, format!("there is no group `{}`, or several begin so", visible::text(name)))
            .hint(hint)
    })
}

/// Where an item goes that nobody says: beside the one it comes after, else beside the last.
fn usual_group(opened: &Opened, run: &str, after: Option<&str>) -> Result<Option<String>, Failure> {
    let items = opened.service.roadmap_status(run)?.items;
    let beside = match after {
        Some(key) => items.iter().find(|item| item.key == key),
        None => items.last(),
    };
    Ok(beside.and_then(|item| item.group.clone()))
}

fn end<'a>(
    opened: Opened,
    run: &'a str,
    item: &'a str,
    how: &str,
    line: impl FnOnce(Done<'_>) -> Line<'_>,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let left = opened.close();
    match output.form() {
        Form::Json => output.json(&line(Done { run, item, head: &left.head }))?,
        Form::Text => {
            output.say(&format!("{PLACE}{}{PLACE:#} {how} ({})", visible::text(item), visible::text(run)))?;
        }
    }
    left.show(output)?;
    Ok(if left.trouble.is_some() { Exit::Error } else { Exit::Done })
}
