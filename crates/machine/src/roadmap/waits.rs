//! What an item waits for, in words that a person can act on. For those who look: nothing is decided by it.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use super::item::Item;
use super::limits::Limits;
use super::state::Session;
use super::words::Status;

/// One thing that an item waits for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wait {
    /// Somebody has it.
    Executor(String),
    /// It is done, and is brought where everybody's work is.
    Integration,
    /// Another item that is not completed, and how that stands.
    Item(String, Status),
    /// An item that does not exist.
    Missing(String),
    /// An item that was taken out.
    Cancelled(String),
    /// Itself.
    Itself,
    /// Items that wait for each other: from it back to it.
    Circle(Vec<String>),
    /// A file that somebody has.
    Claim(String),
    /// A moment.
    Until(String, String),
    /// A plan around what is in its way.
    Plan(String),
    /// A person: it was planned around as often as may be.
    Person(String),
    /// A plan for an answer or for the goal comes first.
    Planner,
    /// The session is paused.
    Paused(String),
}

/// How many items a search for a circle looks at: enough for every roadmap that a person can read.
const CIRCLE_ITEMS: usize = 10_000;

impl Session {
    /// What an item waits for; nothing if it is over or can be taken.
    pub fn waits_for(&self, key: &str, limits: &Limits) -> Vec<Wait> {
        let Some(item) = self.pool.item(key) else { return Vec::new() };
        match item.status {
            Status::Completed | Status::Cancelled => Vec::new(),
            Status::Locked if item.queued.is_some() => Vec::from([Wait::Integration]),
            Status::Locked => Vec::from([Wait::Executor(item.executor.clone())]),
            Status::Failed => Vec::from([troubled(item, limits)]),
            Status::Pending => self.pending(item, limits),
        }
    }

    /// Every effective item that is not completed, with what it waits for, in order. Looks at all items.
    pub fn waiting(&self, limits: &Limits) -> Vec<(&Item, Vec<Wait>)> {
        let open = self.pool.items().filter(|item| !matches!(item.status, Status::Completed | Status::Cancelled));
        open.map(|item| (item, self.waits_for(&item.key, limits))).collect()
    }

    fn pending(&self, item: &Item, limits: &Limits) -> Vec<Wait> {
        let mut waits: Vec<Wait> = item.depends_on.iter().filter_map(|on| self.dependency(item, on)).collect();
        if waits.iter().any(|wait| matches!(wait, Wait::Item(..)))
            && let Some(circle) = self.circle(item)
        {
            waits.retain(|wait| !matches!(wait, Wait::Item(on, _) if circle.get(1) == Some(on)));
            waits.push(Wait::Circle(circle));
        }
        if item.is_blocked() {
            waits.push(troubled(item, limits));
        }
        if let Some(rest) = &item.rest {
            waits.push(Wait::Until(rest.until.clone(), rest.reason.clone()));
        }
        if waits.is_empty()
            && let Some(claim) = self.pool.clash_of(&item.key)
        {
            waits.push(Wait::Claim(claim.to_string()));
        }
        if let Some(reason) = &self.paused {
            waits.push(Wait::Paused(reason.clone()));
        } else if waits.is_empty() && (self.reply().is_some() || self.is_misaligned()) {
            waits.push(Wait::Planner);
        }
        waits
    }

    fn dependency(&self, item: &Item, on: &str) -> Option<Wait> {
        if on == item.key {
            return Some(Wait::Itself);
        }
        match self.pool.item(on).map(|other| other.status) {
            None => Some(Wait::Missing(on.into())),
            Some(Status::Cancelled) => Some(Wait::Cancelled(on.into())),
            Some(Status::Completed) => None,
            Some(status) => Some(Wait::Item(on.into(), status)),
        }
    }

    /// A way from an item along what is not completed back to it.
    fn circle(&self, item: &Item) -> Option<Vec<String>> {
        let mut came_from: BTreeMap<&str, &str> = BTreeMap::new();
        let mut next: Vec<&Item> = Vec::from([item]);
        while let Some(here) = next.pop() {
            for on in &here.depends_on {
                let Some(other) = self.pool.item(on).filter(|other| is_open(other)) else { continue };
                if other.key == item.key && here.key != item.key {
                    let mut circle = Vec::from([item.key.clone()]);
                    let mut at = here.key.as_str();
                    while at != item.key {
                        circle.push(at.into());
                        at = came_from.get(at).copied().unwrap_or(&item.key);
                    }
                    circle.push(item.key.clone());
                    circle.reverse();
                    return Some(circle);
                }
                if other.key != item.key
                    && !came_from.contains_key(other.key.as_str())
                    && came_from.len() < CIRCLE_ITEMS
                {
                    came_from.insert(&other.key, &here.key);
                    next.push(other);
                }
            }
        }
        None
    }
}

fn is_open(item: &Item) -> bool {
    !matches!(item.status, Status::Completed | Status::Cancelled)
}

fn troubled(item: &Item, limits: &Limits) -> Wait {
    let summary = item.last.as_ref().map(|last| first_line(&last.summary)).unwrap_or_default();
    let what = if item.status == Status::Failed { "it failed" } else { "it is blocked" };
    let words = if summary.is_empty() { what.to_string() } else { format!("{what}: {summary}") };
    if item.replanned >= limits.replanned {
        let times = item.replanned;
        return Wait::Person(format!("{words}; it was planned around {times} times, and is left to you"));
    }
    Wait::Plan(words)
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default().trim()
}

impl fmt::Display for Wait {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Executor(executor) => write!(out, "{executor} has it"),
            Self::Integration => write!(out, "it is being integrated"),
            Self::Item(item, status) => write!(out, "waits for {item}, which is {status}"),
            Self::Missing(item) => write!(out, "waits for {item}, which does not exist"),
            Self::Cancelled(item) => write!(out, "waits for {item}, which is Cancelled"),
            Self::Itself => write!(out, "waits for itself"),
            Self::Circle(items) => write!(out, "waits in a circle: {}", items.join(" → ")),
            Self::Claim(path) => {
                write!(out, "somebody has {}", if path.is_empty() { "the whole project" } else { path })
            }
            Self::Until(moment, reason) => write!(out, "waits until {moment} ({reason})"),
            Self::Plan(words) => write!(out, "is to be planned around: {words}"),
            Self::Person(words) => write!(out, "{words}"),
            Self::Planner => write!(out, "waits for the planner"),
            Self::Paused(reason) => write!(out, "the session is paused ({reason})"),
        }
    }
}
