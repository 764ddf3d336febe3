//! A session as decisions see it: one task, one log, open until all of it is done. Copying one is cheap however many
//! items it has: versions share what they have in common.

use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use super::fact::Noted;
use super::item::{Rest, Tries};
use super::pool::Pool;
use super::tree::Tree;
use super::words::{Ground, Over, Period, Why, Work};
use crate::run::{AskedAgent, Cast, Holder};

/// One task carried on by any number of openings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Session {
    /// The run's id.
    pub id: String,
    /// The task's name.
    pub name: String,
    /// Its file.
    pub task_file: String,
    /// Its log.
    pub log_file: String,
    /// Folders that belong to it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dirs: Vec<String>,
    /// What the work stands on.
    pub ground: Ground,
    /// How many steps an executor has for one item.
    pub quota: u32,
    /// How often the task is due.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub period: Option<Period>,
    /// The period whose work this is; empty without one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub period_key: String,
    /// Entries of the work log up to this number are of periods before.
    #[serde(default)]
    pub period_log: u64,
    /// When it began.
    pub since: String,
    /// The digest of the configuration it began with (QL-27).
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub definition: String,
    /// The digest of the goal as it is now.
    pub goal: String,
    /// The digest of the goal that the roadmap was planned for; empty if it never was.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub planned: String,
    /// Items and groups, with what follows from them.
    pub pool: Pool,
    /// Who takes work, by opening.
    #[serde(default, skip_serializing_if = "Tree::is_empty")]
    pub members: Tree<String, Member>,
    /// Which agents were last asked for by name: whoever takes the session up again finds them there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub asked: Vec<AskedAgent>,
    /// Who is at work, by fence.
    #[serde(default, skip_serializing_if = "Tree::is_empty")]
    pub attempts: Tree<u64, Attempt>,
    /// The newest attempts that were taken over: what a late report is held against.
    #[serde(default, skip_serializing_if = "Tree::is_empty")]
    pub outdated: Tree<u64, Outdated>,
    /// What waits for its integration, in the order of reports.
    #[serde(default, skip_serializing_if = "Tree::is_empty")]
    pub integrations: Tree<u64, Integration>,
    /// Questions that are not done with, by id.
    #[serde(default, skip_serializing_if = "Tree::is_empty")]
    pub questions: Tree<String, Question>,
    /// Those whose answers are to be taken up, in the order in which these came.
    #[serde(default, skip_serializing_if = "Tree::is_empty")]
    pub replies: Tree<u64, String>,
    /// How planning went since it last succeeded.
    #[serde(default, skip_serializing_if = "Tries::is_empty")]
    pub planning: Tries,
    /// Planning waits for a time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub planning_rest: Option<Rest>,
    /// The number of the newest entry of the work log.
    pub log_number: u64,
    /// The newest fence.
    pub fence: u64,
    /// Why it was paused, if it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paused: Option<String>,
    /// How it ended, if it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub over: Option<Over>,
}

/// The most attempts that were taken over that are kept in mind; older ones are in the journal.
pub(super) const OUTDATED: usize = 1024;

/// An opening that takes work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Member {
    /// The name of its executors (`Executor_Name`).
    pub name: String,
    /// When it joined.
    pub since: String,
    /// Who works for it.
    #[serde(default, skip_serializing_if = "Cast::is_empty")]
    pub cast: Cast,
    /// Whether it only finishes what it has: an agent ended it for want of work.
    #[serde(default, skip_serializing_if = "is_false")]
    pub is_leaving: bool,
}

/// One executor's life on one piece of work: an execution step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attempt {
    /// The number that outdates every older holder.
    pub fence: u64,
    /// What it is about.
    pub work: Work,
    /// Who has it.
    pub holder: Holder,
    /// The opening that it was given by.
    pub opening: String,
    /// `Executor_Identity`, new for every step: `<name>-<uuid>`.
    pub executor: String,
    /// The name alone.
    pub name: String,
    /// When it began.
    pub since: String,
    /// The how-many-eth attempt at this work it is, from 1.
    pub number: u32,
    /// What was wrong with the report before, if it was sent back.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<String>,
    /// What planning rests on: the goal's digest, or the answer.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub basis: String,
    /// What it wrote into the log of its own item.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub noted: Option<Noted>,
}

/// An attempt that was taken over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outdated {
    /// What it was about.
    pub work: Work,
    /// Who worked.
    pub executor: String,
    /// Its opening.
    pub opening: String,
    /// Why it was taken over.
    pub reason: String,
}

/// Work that waits for its integration, or is being integrated.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Integration {
    /// The item.
    pub item: String,
    /// The attempt that did it.
    pub fence: u64,
    /// The name of its executor.
    pub name: String,
    /// When that attempt began.
    pub since: String,
    /// The commit: an object that no branch has yet.
    pub commit: String,
    /// The files that it changes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// What the executor says.
    pub summary: String,
    /// How often integrating it was begun and came to no end.
    #[serde(default)]
    pub tries: Tries,
    /// It may not be tried before this moment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rest: Option<Rest>,
}

/// A question to whoever keeps the task file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Question {
    /// Its id, unique in the task file.
    pub id: String,
    /// The item whose executor asks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub item: Option<String>,
    /// What is asked.
    pub question: String,
    /// What is done meanwhile, in words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub default: String,
    /// When it was asked.
    pub since: String,
    /// The answer that is to be taken up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
    /// Who answered; empty for somebody who wrote into the task file.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub by: String,
    /// The place of the answer among those that are to be taken up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply: Option<u64>,
}

/// A check that ran on what was integrated.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Check {
    /// Its name.
    pub name: String,
    /// The exit code; nothing where it came to none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit: Option<i32>,
    /// The end of what it said.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub tail: String,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde hands out references")]
fn is_false(flag: &bool) -> bool {
    !*flag
}

impl Session {
    /// The planner that is at work, and why.
    pub fn planner(&self) -> Option<(&Attempt, &Why)> {
        self.attempts.iter().find_map(|(_, attempt)| match &attempt.work {
            Work::Plan(why) => Some((attempt, why)),
            Work::Do(_) | Work::Integrate(_) => None,
        })
    }

    /// Whether there is no roadmap, or one for another goal.
    pub fn is_misaligned(&self) -> bool {
        self.pool.is_empty() || self.goal != self.planned
    }

    /// The first question whose answer is to be taken up.
    pub fn reply(&self) -> Option<&Question> {
        self.questions.get(self.replies.first()?.1)
    }

    /// The newest question that an item asked and that is not done with: what its next executor is told, with the default.
    pub fn question_of(&self, item: &str) -> Option<&Question> {
        self.questions.get(self.pool.item(item)?.questions.last()?)
    }

    /// Attempts of an opening.
    pub fn held_by(&self, opening: &str) -> usize {
        self.attempts.iter().filter(|(_, one)| one.holder == Holder::Process(opening.into())).count()
    }

    /// What is to be integrated next.
    pub fn integration(&self) -> Option<&Integration> {
        self.integrations.first().map(|(_, one)| one)
    }

    /// `Active_Executor_List`: the identities of all that are at work (RM-16).
    pub fn active_executors(&self) -> Vec<&str> {
        self.attempts.iter().map(|(_, attempt)| attempt.executor.as_str()).collect()
    }

    /// How far it is, from 0 to 100: computed from effective items, and 100 only when all of them are completed.
    pub fn progress(&self) -> u8 {
        self.pool.counts().progress()
    }

    /// The moment at which the first of what rests may go on, and since when it rests.
    pub fn rest(&self) -> Option<(&str, &str)> {
        let integration = self.integration().and_then(|one| one.rest.as_ref());
        let rests = [self.planning_rest.as_ref(), integration, self.pool.first_rest()];
        let first = rests.into_iter().flatten().min_by(|a, b| a.until.cmp(&b.until))?;
        Some((first.since.as_str(), first.until.as_str()))
    }
}
