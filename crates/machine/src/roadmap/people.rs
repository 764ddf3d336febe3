//! What people say to a session, and what an agent may ask for: items added, moved, taken out; answers; the task file; an
//! end before the end.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;

use super::changes::{NewItem, PlanChanges};
use super::check::resolve;
use super::decide::{Step, not_now, unknown};
use super::fact::{Exit, Fact};
use super::input::TaskReading;
use super::item::Spot;
use super::keys::bare_number;
use super::words::{Status, Work};
use crate::input::Refusal;

impl Step<'_> {
    pub(super) fn add_by(&mut self, item: &NewItem, _by: &str) -> Result<(), Refusal> {
        let changes = PlanChanges { add: vec![item.clone()], ..PlanChanges::default() };
        let resolved = resolve(&self.session, &changes, None, self.limits).map_err(|problems| {
            Refusal::new(problems.join("; "), "`roadmap status` lists items and groups; nothing was changed")
        })?;
        for (item, spot) in resolved.add {
            self.fact(Fact::Added { item, spot });
        }
        Ok(())
    }

    pub(super) fn move_by(&mut self, item: &str, after: Option<&str>, group: Option<&str>) -> Result<(), Refusal> {
        let key = bare_number(item);
        let known = self.known(key)?.clone();
        let first = self.session.pool.items().next().cloned();
        let (spot, stands_in) = match (after.map(bare_number), group) {
            (Some(after), _) if after == key => {
                return Err(Refusal::new(format!("item {key} cannot come after itself"), "name another item"));
            }
            (Some(after), _) => (Spot::After(after.into()), self.known(after)?.group.clone()),
            (None, Some(group)) => {
                let last = self.session.pool.last_of(group).map(|last| last.key.clone());
                (last.map_or(Spot::Last, Spot::After), Some(group.to_string()))
            }
            // Before all others: in the group of the first, if it is its own.
            (None, None) => {
                (Spot::First, first.and_then(|first| first.group).filter(|one| known.group.as_ref() == Some(one)))
            }
        };
        if let Some(group) = group
            && (self.session.pool.group(group).is_none() || stands_in.as_deref() != Some(group))
        {
            let reason = format!("item {key} cannot stand in group `{group}` there");
            return Err(Refusal::new(reason, "`roadmap status` lists groups, and the items in them"));
        }
        if spot == Spot::After(key.into()) {
            return Ok(());
        }
        self.fact(Fact::Reordered { item: key.into(), spot, group: stands_in });
        Ok(())
    }

    fn known(&self, key: &str) -> Result<&super::item::Item, Refusal> {
        self.session.pool.item(key).ok_or_else(|| {
            let reason = format!("session {} has no item {key}", self.session.id);
            Refusal::new(reason, "`roadmap status` lists the items")
        })
    }

    pub(super) fn cancel_by(&mut self, item: &str, reason: &str, by: &str) -> Result<(), Refusal> {
        let key = bare_number(item);
        let known = self.known(key)?;
        if matches!(known.status, Status::Completed | Status::Cancelled) || known.queued.is_some() {
            let what =
                if known.queued.is_some() { "done, and being integrated".into() } else { known.status.to_string() };
            return Err(Refusal::new(
                format!("item {key} cannot be cancelled: it is {what}"),
                "what is Pending, Locked or Failed can be",
            ));
        }
        let reason = if reason.trim().is_empty() { format!("cancelled by {by}") } else { reason.trim().into() };
        self.cancel_item(key, (by, self.world.now), &reason, "a person cancelled its item");
        let open = self
            .session
            .pool
            .dependents(key)
            .filter(|one| !matches!(one.status, Status::Completed | Status::Cancelled));
        let waiting: Vec<&str> = open.map(|one| one.key.as_str()).take(8).collect();
        if !waiting.is_empty() {
            let words =
                format!("{} waited for {key}, and will never be free: change what they depend on", waiting.join(", "));
            self.tell(words);
        }
        Ok(())
    }

    pub(super) fn answer(&mut self, question: Option<&str>, answer: &str, by: &str) -> Result<(), Refusal> {
        if answer.trim().is_empty() {
            return Err(Refusal::new("the answer is empty", "say something"));
        }
        let ids: Vec<&String> = self.session.questions.iter().map(|(id, _)| id).collect();
        let id = match (question, ids.as_slice()) {
            (Some(id), _) => ids.iter().find(|known| known.as_str() == id).map(|id| (*id).clone()),
            (None, [only]) => Some((*only).clone()),
            (None, []) => return Err(not_now(&self.session, "has no open question")),
            (None, _) => None,
        };
        let Some(id) = id else {
            let names: Vec<&str> = ids.iter().map(|id| id.as_str()).collect();
            let names = if names.is_empty() { "none".into() } else { names.join(", ") };
            let reason = match question {
                Some(question) => format!("session {} has no open question {question}", self.session.id),
                None => format!("session {} has {} open questions", self.session.id, ids.len()),
            };
            return Err(Refusal::new(reason, format!("open questions: {names}")));
        };
        self.reply(&id, "", answer, by);
        Ok(())
    }

    fn reply(&mut self, id: &str, asked: &str, answer: &str, by: &str) {
        self.fact(Fact::Replied {
            question: id.into(),
            asked: asked.into(),
            answer: super::apply::cut(answer.trim(), self.limits.summary_bytes).into(),
            by: by.into(),
            at: self.world.now.into(),
        });
    }

    /// The task file as it is now: another goal, answers, questions that somebody took out.
    pub(super) fn read_task(&mut self, task: &TaskReading) {
        if task.goal != self.session.goal {
            self.fact(Fact::GoalChanged { goal: task.goal.clone() });
        }
        for read in &task.questions {
            let Some(answer) = read.answer.as_deref().map(str::trim).filter(|answer| !answer.is_empty()) else {
                continue;
            };
            let known = self.session.questions.get(&read.id);
            if known.is_none_or(|known| known.answer.as_deref() != Some(answer)) {
                let asked = if known.is_some() { String::new() } else { read.question.clone() };
                self.reply(&read.id, &asked, answer, "");
            }
        }
        let is_there = |id: &str| task.questions.iter().any(|read| read.id == id);
        let gone: Vec<String> =
            self.session.questions.iter().map(|(id, _)| id).filter(|id| !is_there(id)).cloned().collect();
        for question in gone {
            self.fact(Fact::Settled { question, reason: "it is not in the task file any more".into() });
        }
    }

    /// `jixo_task_exit`, in the three authorised cases only (RM-09). Want of work ends the executor that asks; the session
    /// ends by itself when all is done.
    pub(super) fn exit(&mut self, fence: u64, reason: &str) -> Result<(), Refusal> {
        let Some(attempt) = self.session.attempts.get(&fence).cloned() else {
            return Err(unknown(&self.session, fence));
        };
        let own = attempt.work.item().filter(|_| matches!(attempt.work, Work::Do(_)));
        // An item that its executor calls completed in the log counts for it: its report is on the way.
        let is_noted = attempt.noted.as_ref().is_some_and(|said| said.status == Status::Completed);
        let counts = self.session.pool.counts();
        let completed = counts.completed + usize::from(own.is_some() && is_noted);
        let case = if counts.all() > 0 && completed == counts.effective() {
            if self.session.period.is_some() { Exit::PeriodComplete } else { Exit::Complete }
        } else if own.is_none_or(|_| is_noted) && self.session.pool.selected(self.limits.looked_at).is_none() {
            Exit::NothingParallel
        } else {
            let own = own.map(|item| format!("item {item} is yours; ")).unwrap_or_default();
            let reason = format!(
                "the session does not end here: {own}{} of {} effective items are completed",
                counts.completed,
                counts.effective()
            );
            return Err(Refusal::new(
                reason,
                "an exit is for when all items are Completed, when there is no item to take beside those of others, or when \
                 the work of the period is done; to end a step, give your report",
            ));
        };
        self.fact(Fact::Exited { fence, case, reason: super::apply::cut(reason, self.limits.summary_bytes).into() });
        Ok(())
    }
}
