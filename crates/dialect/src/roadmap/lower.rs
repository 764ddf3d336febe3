//! What facts change in the documents: splices of the log, which shows what the session knows, and of the task file, where
//! questions stand. What the log shows already is left alone, so that a person's edit stays as it was written. Must not
//! decide anything.

use std::collections::BTreeSet;

use machine::roadmap::{Fact, Item, Session, Spot};
use text::{Change, Text};

use super::language::Language;
use super::log::{FrontChange, Log};
use super::question::{append_question, remove_question, write_response};
use super::task::TaskFile;
use crate::desk::Edit;
use crate::sheet::Revision;
use crate::trouble::Trouble;

/// One step, to be written down.
#[derive(Debug, Clone, Copy)]
pub struct Step<'a> {
    /// The session, facts included.
    pub after: &'a Session,
    /// What became true.
    pub facts: &'a [Fact],
    /// When.
    pub now: &'a str,
}

/// What a step changes. `read` gives a document as it is. The log shows it from now on: [`Log::accept`] when it is
/// committed, [`Log::take_back`] when it is not. When there is trouble, the log is as it was.
pub fn lower(
    log: &mut Log,
    read: &dyn Fn(&str) -> Option<Text>,
    step: &Step<'_>,
) -> Result<Vec<(String, Edit)>, Trouble> {
    let mut writer = Writer { log, step, touched: BTreeSet::new(), groups: BTreeSet::new(), is_changed: false };
    if let Err(trouble) = writer.write() {
        writer.log.take_back();
        return Err(trouble);
    }
    let task = task_edit(read, step);
    let mut edits = Vec::new();
    match (log.is_new, log.revision()) {
        (true, _) => edits.push((log.path().to_owned(), Edit::Create(text_of(log.text())))),
        (false, Some(revision)) => edits.push((log.path().to_owned(), Edit::Change(revision))),
        (false, None) => {}
    }
    match task {
        Ok(edit) => edits.extend(edit.map(|edit| (step.after.task_file.clone(), edit))),
        Err(trouble) => {
            log.take_back();
            return Err(trouble);
        }
    }
    edits.sort_by(|one, other| one.0.cmp(&other.0));
    Ok(edits)
}

fn text_of(text: &Text) -> String {
    String::from_utf8_lossy(&text.to_vec()).into_owned()
}

struct Writer<'a> {
    log: &'a mut Log,
    step: &'a Step<'a>,
    /// Items that stand elsewhere.
    touched: BTreeSet<String>,
    /// Groups whose boxes may show something else.
    groups: BTreeSet<String>,
    is_changed: bool,
}

impl Writer<'_> {
    fn write(&mut self) -> Result<(), Trouble> {
        // What a person did to keys and groups, the session may know by other names.
        let is_edit = self.step.facts.iter().any(|fact| {
            matches!(
                fact,
                Fact::Renumbered { .. }
                    | Fact::Grouped(_)
                    | Fact::Ungrouped { .. }
                    | Fact::Reordered { .. }
                    | Fact::PutBack { .. }
            )
        });
        if is_edit {
            self.log.align(self.step.after);
        }
        let mut front = FrontChange::default();
        for fact in self.step.facts {
            self.fact(fact, &mut front)?;
        }
        for key in std::mem::take(&mut self.touched) {
            self.show(&key)?;
        }
        for group in std::mem::take(&mut self.groups) {
            if self.log.has(&group) {
                let is_ticked = self.step.after.pool.is_ticked(&group);
                self.log.tick_group(&group, is_ticked)?;
            }
        }
        if self.is_changed || front != FrontChange::default() {
            front.progress = Some(self.step.after.progress());
            front.update_time = Some(self.step.now.to_owned());
            self.log.set_front(&front)?;
        }
        Ok(())
    }

    fn fact(&mut self, fact: &Fact, front: &mut FrontChange) -> Result<(), Trouble> {
        match fact {
            Fact::Assigned(attempt) => self.touched.extend(attempt.work.item().map(str::to_owned)),
            Fact::Moved { item, .. } | Fact::PutBack { item, .. } => drop(self.touched.insert(item.clone())),
            // What a log without a period says is of the one in which its task is first run.
            Fact::Started { period_key, .. } if !period_key.is_empty() && *period_key != self.log.front().period => {
                front.period = Some(period_key.clone());
            }
            Fact::Renewed { period } => {
                front.period = Some(period.clone());
                self.touched.extend(self.step.after.pool.items().map(|item| item.key.clone()));
            }
            Fact::Logged(entry) => {
                self.log.add_entry(entry)?;
                self.is_changed = true;
            }
            Fact::Aligned { goal } => front.goal = Some(goal.clone()),
            Fact::Added { item, spot } => self.add(item, spot)?,
            Fact::Dropped { item } => {
                self.note_groups(item);
                self.is_changed |= self.log.has(item);
                self.log.drop_item(item)?;
                self.touched.remove(item);
            }
            Fact::Ungrouped { group } => self.log.drop_item(group)?,
            Fact::Grouped(group) if self.log.has(&group.key) => self.log.rename(&group.key, &group.title)?,
            Fact::Changed { item, title, depends_on, claims } if self.log.has(item) => {
                title.iter().try_for_each(|title| self.log.rename(item, title))?;
                depends_on.iter().try_for_each(|depends_on| self.log.set_depends_on(item, depends_on))?;
                claims.iter().try_for_each(|claims| self.log.set_claims(item, claims))?;
                self.is_changed = true;
            }
            Fact::Reordered { item, spot, group } if self.log.has(item) => {
                self.note_groups(item);
                self.log.move_item(item, group.as_deref(), spot)?;
                self.touched.insert(item.clone());
            }
            Fact::Renumbered { items } => {
                self.log.renumber(items)?;
                for (old, new, _) in items {
                    if self.touched.remove(old) {
                        self.touched.insert(new.clone());
                    }
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// The groups that an item stands in count anew.
    fn note_groups(&mut self, item: &str) {
        let group = self.log.item(item).and_then(|item| item.group);
        let pool = &self.step.after.pool;
        self.groups.extend(pool.ancestors(group.as_deref()).map(|group| group.key.clone()));
    }

    /// A new item, and the groups it stands in that are not there yet: a group is one by what stands in it.
    fn add(&mut self, item: &Item, spot: &Spot) -> Result<(), Trouble> {
        let pool = &self.step.after.pool;
        let mut groups: Vec<_> = pool.ancestors(item.group.as_deref()).collect();
        if groups.iter().any(|group| !self.log.has(&group.key)) {
            self.log.align(self.step.after);
        }
        groups.reverse();
        for group in groups {
            self.log.add_group(group, spot)?;
        }
        self.is_changed |= !self.log.has(&item.key);
        self.log.add_item(item, spot)?;
        self.touched.insert(item.key.clone());
        Ok(())
    }

    /// Lets the log show an item as it is known.
    fn show(&mut self, key: &str) -> Result<(), Trouble> {
        let Some(item) = self.step.after.pool.item(key) else { return Ok(()) };
        if !self.log.has(key) {
            self.log.align(self.step.after);
        }
        self.log.set_item(key, item.status, &item.executor)?;
        self.groups.extend(self.step.after.pool.ancestors(item.group.as_deref()).map(|group| group.key.clone()));
        self.is_changed = true;
        Ok(())
    }
}

/// What becomes of the task file: questions come, are answered and go.
fn task_edit(read: &dyn Fn(&str) -> Option<Text>, step: &Step<'_>) -> Result<Option<Edit>, Trouble> {
    let is_about = |fact: &&Fact| matches!(fact, Fact::Asked(_) | Fact::Settled { .. } | Fact::Replied { .. });
    let facts: Vec<&Fact> = step.facts.iter().filter(is_about).collect();
    if facts.is_empty() {
        return Ok(None);
    }
    let path = &step.after.task_file;
    let Some(before) = read(path) else {
        let is_asking = facts.iter().any(|fact| matches!(fact, Fact::Asked(_)));
        return match is_asking {
            false => Ok(None),
            true => Err(Trouble {
                path: path.clone(),
                line: 0,
                reason: "the task file is gone, and a question is to be written into it".into(),
                hint: format!("bring it back with `multiverse restore {path}`"),
            }),
        };
    };
    let (mut text, mut changes) = (before.clone(), Vec::new());
    for fact in facts {
        let change = match fact {
            Fact::Asked(question) => {
                let task = TaskFile::read(path, &text.to_vec());
                // One that a session before asked stands there already.
                let is_there = task.questions.iter().any(|known| known.id == question.id);
                let language: Language = task.language;
                (!is_there).then(|| append_question(&text, &question.id, &question.question, language))
            }
            // An answer that came another way is shown until the question is done with.
            Fact::Replied { question, answer, by, .. } if !by.is_empty() => write_response(&text, question, answer),
            Fact::Settled { question, .. } => remove_question(&text, question),
            _ => None,
        };
        if let Some(change) = change
            && let Ok(after) = change.apply(&text)
        {
            text = after;
            changes.push(change);
        }
    }
    let change = Change::in_a_row(changes);
    if change.is_empty() {
        return Ok(None);
    }
    Ok(Some(Edit::Change(Revision { change, before, after: text })))
}
