//! The one form in which logs are written. What agents say stays on its line. Must not decide what is written.

use machine::roadmap::{Entry, Item, Verdict};
use syntax::markdown::paths;

use super::words::{EntryKey, Key};
use crate::cycle::one_line;

/// A log that nothing was done in yet.
pub fn initial_log(title: &str, now: &str) -> String {
    let quoted = |text: &str| one_line(text).replace('\\', "\\\\").replace('"', "\\\"");
    let (title, now) = (quoted(title), quoted(now));
    format!(
        "---\ntitle: \"{title}\"\nprogress: \"0%\"\ncreateTime: \"{now}\"\nupdateTime: \"{now}\"\n---\n\n## Roadmap\n\n## Work Log\n"
    )
}

/// An entry of the work log (RM-18), with a heading of a level.
pub(crate) fn entry_text(entry: &Entry, level: u8) -> String {
    let name = one_line(&entry.executor_name).replace(['(', ')'], " ");
    let name = if name.trim().is_empty() { "unknown" } else { name.trim() };
    let at = one_line(&entry.at).replace(['(', ')'], " ");
    let at = if at.trim().is_empty() { "unknown" } else { at.trim() };
    let mut text = format!("{} Log {} @{name} ({at})\n\n", "#".repeat(usize::from(level)), entry.number);
    let mut line = |key: EntryKey, value: &str| {
        let value = harmless(&one_line(value));
        let value = if value.is_empty() { "none".to_owned() } else { value };
        text.push_str(&format!("- **{}**: {value}\n", key.name()));
    };
    line(EntryKey::Role, entry.role.word());
    line(EntryKey::Objective, &entry.objective);
    line(EntryKey::Result, entry.result.word());
    if entry.result == Verdict::Pending {
        line(EntryKey::Blocker, if entry.is_blocker { "yes" } else { "no" });
    }
    line(EntryKey::Summary, &entry.summary);
    text
}

/// How lines of a list are indented and marked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Style {
    /// The blanks in front of the entry.
    pub(crate) indent: String,
    /// `-`, `*` or `+`.
    pub(crate) bullet: char,
    /// What lines below it are further indented by.
    pub(crate) step: String,
    /// The line ending.
    pub(crate) ending: &'static str,
}

impl Style {
    /// The lines of an item.
    pub(crate) fn item(&self, item: &Item) -> String {
        let Self { indent, bullet, ending, .. } = self;
        let number = item.number.trim().trim_end_matches('.');
        let number = if number.is_empty() { String::new() } else { format!("{number}. ") };
        let mark = if item.status == machine::roadmap::Status::Completed { 'x' } else { ' ' };
        let mut text = format!("{indent}{bullet} [{mark}] {number}{}{ending}", title_text(&item.title));
        text.push_str(&self.line(Key::Status, item.status.word()));
        if item.status == machine::roadmap::Status::Locked && !item.executor.is_empty() {
            text.push_str(&self.line(Key::Executor, &item.executor));
        }
        if !item.depends_on.is_empty() {
            text.push_str(&self.line(Key::DependsOn, &depends_text(&item.depends_on)));
        }
        if !item.claims.is_empty() {
            text.push_str(&self.line(Key::Claims, &claims_text(&item.claims)));
        }
        text
    }

    /// The line of a group.
    pub(crate) fn group(&self, title: &str) -> String {
        let title = title_text(title).replace("**", "");
        format!("{}{} [ ] **{title}**{}", self.indent, self.bullet, self.ending)
    }

    /// A line below an item.
    pub(crate) fn line(&self, key: Key, value: &str) -> String {
        let Self { indent, bullet, step, ending } = self;
        format!("{indent}{step}{bullet} {}: {}{ending}", key.name(), plain_line(value))
    }
}

pub(crate) fn depends_text(depends_on: &[String]) -> String {
    depends_on.join(", ")
}

/// Paths, in the form that every name can have.
pub(crate) fn claims_text(claims: &[String]) -> String {
    let is_plain = |path: &String| !path.contains([',', '[', ']', '`', '"', '\'', '|', '\\']) && path.trim() == path;
    match claims.iter().all(is_plain) {
        true => claims.join(", "),
        false => paths::write_paths(claims),
    }
}

/// A title on one line.
pub(crate) fn title_text(title: &str) -> String {
    let words: Vec<&str> = title.split(char::is_whitespace).filter(|word| !word.is_empty()).collect();
    let line = words.join(" ");
    let line: String = line.chars().filter(|letter| !letter.is_control()).collect();
    let line = line.trim_end_matches('\\').trim();
    if line.is_empty() { "untitled".to_owned() } else { harmless(line) }
}

/// A value on one line.
pub(crate) fn plain_line(value: &str) -> String {
    let lines: Vec<&str> = value.split(['\n', '\r']).map(str::trim).filter(|line| !line.is_empty()).collect();
    let line: String = lines.join("; ").chars().filter(|letter| !letter.is_control()).collect();
    harmless(line.trim_end_matches('\\').trim())
}

/// Text that ends no comment: one that somebody left open above would end there, and hide what is between.
fn harmless(text: &str) -> String {
    text.replace("-->", "--\\>")
}
