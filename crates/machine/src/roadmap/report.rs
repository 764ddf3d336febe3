//! How an attempt ends: what its outcome makes true. One arm for each kind of work and outcome. State, metadata and entry
//! of the work log are facts of one decision, made on the newest state (RM-07).

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;

use super::apply::cut;
use super::changes::PlanChanges;
use super::check::{Resolved, resolve};
use super::decide::{About, Step};
use super::fact::{Ended, Fact};
use super::input::{Effect, Outcome, Told};
use super::item::{Item, Rest};
use super::moves::Move;
use super::state::{Attempt, Check, Integration, Question};
use super::words::{Ground, Part, Status, Verdict, Why, Work};
use crate::moment::later;

impl Step<'_> {
    /// The table of work and outcome.
    pub(super) fn settle(&mut self, attempt: &Attempt, outcome: &Outcome) {
        match (&attempt.work, outcome) {
            (_, Outcome::Lost(reason)) => {
                self.release(attempt, Ended::Lost(reason.clone()));
                self.mind_lost(attempt, reason);
            }
            (_, Outcome::Later { seconds, reason }) => self.put_off(attempt, *seconds, reason),
            (_, Outcome::Paused(reason)) => {
                self.release(attempt, Ended::Lost(format!("the agent asked for a pause: {reason}")));
                self.hold(reason.clone());
            }
            (_, Outcome::Broken(problems)) => self.send_back(attempt, problems.clone()),
            (Work::Plan(why), Outcome::Planned { changes, summary }) => self.planned(attempt, why, changes, summary),
            (Work::Plan(why), Outcome::Failed { summary }) => self.plan_failed(attempt, why, summary, Verdict::Failed),
            (Work::Plan(why), Outcome::Pending { summary, .. }) => {
                self.plan_failed(attempt, why, summary, Verdict::Pending);
            }
            (Work::Plan(why), Outcome::Asked { question, default, summary, .. }) => {
                self.planner_asks(attempt, why, question, default, summary);
            }
            (Work::Do(item), Outcome::Done { summary, commit, files }) => {
                self.done(attempt, item, summary, commit.as_deref(), files);
            }
            (Work::Do(item), Outcome::Failed { summary }) => self.failed(attempt, item, summary),
            (Work::Do(item), Outcome::Pending { summary, is_blocker, partial }) => {
                self.pending(attempt, item, summary, *is_blocker, partial.as_deref());
            }
            (Work::Do(item), Outcome::Asked { question, default, summary, partial }) => {
                self.asked(attempt, item, (question, default, summary), partial.as_deref());
            }
            (Work::Do(item), Outcome::Clashed { files, with, kept, summary }) => {
                let other = if with.is_empty() { "what changed meanwhile" } else { with };
                self.conflict(attempt, item, &Sides { with: "", other, files, kept, summary });
            }
            (Work::Integrate(item), Outcome::Integrated { commit, checks }) => {
                self.integrated(attempt, item, commit, checks);
            }
            (Work::Integrate(item), Outcome::Conflicted { with, item: other, files, kept }) => {
                let summary = self.session.integration().map(|one| one.summary.clone()).unwrap_or_default();
                let other =
                    other.as_ref().map_or_else(|| format!("commit {with}"), |item| format!("{item} (commit {with})"));
                self.conflict(attempt, item, &Sides { with, other: &other, files, kept, summary: &summary });
            }
            (Work::Integrate(item), Outcome::Failed { summary }) => self.integration_failed(attempt, item, summary),
            (work, _) => {
                let problem = format!("`{}` was asked for, and something else came", work.action());
                self.send_back(attempt, vec![problem]);
            }
        }
    }

    fn by(attempt: &Attempt) -> (&str, &str, Part) {
        (&attempt.name, &attempt.since, attempt.work.part().unwrap_or(Part::Executor))
    }

    fn item(&self, key: &str) -> Option<Item> {
        self.session.pool.item(key).cloned()
    }

    /// With a repository the work is integrated first; the item is completed when it is there.
    fn done(&mut self, attempt: &Attempt, key: &str, summary: &str, commit: Option<&str>, files: &[String]) {
        self.end(attempt.fence, Ended::Reported);
        if let (Ground::Repository, Some(commit)) = (self.session.ground, commit) {
            return self.fact(Fact::Queued(Integration {
                item: key.into(),
                fence: attempt.fence,
                name: attempt.name.clone(),
                since: attempt.since.clone(),
                commit: commit.into(),
                files: files.to_vec(),
                summary: cut(summary, self.limits.summary_bytes).into(),
                tries: super::item::Tries::default(),
                rest: None,
            }));
        }
        self.move_item(key, Move::Complete);
        if let Some(item) = self.item(key) {
            self.log(Self::by(attempt), About::Item(&item), Verdict::Succeeded, summary);
        }
    }

    fn integrated(&mut self, attempt: &Attempt, key: &str, commit: &str, checks: &[Check]) {
        let Some(integration) = self.session.integration().cloned() else { return };
        self.end(attempt.fence, Ended::Reported);
        self.fact(Fact::Integrated { item: key.into(), commit: commit.into(), checks: checks.to_vec() });
        self.move_item(key, Move::Complete);
        if let Some(item) = self.item(key) {
            let by = (integration.name.as_str(), integration.since.as_str(), Part::Executor);
            self.log(by, About::Item(&item), Verdict::Succeeded, &integration.summary);
        }
    }

    /// What could not be integrated for another reason than a conflict: the commit is kept for whoever goes on.
    fn integration_failed(&mut self, attempt: &Attempt, key: &str, summary: &str) {
        let Some(integration) = self.session.integration().cloned() else { return };
        self.end(attempt.fence, Ended::Faltered(summary.into()));
        self.fact(Fact::Kept { item: key.into(), partial: integration.commit });
        self.move_item(key, Move::Fail);
        if let Some(item) = self.item(key) {
            let by = (integration.name.as_str(), integration.since.as_str(), Part::Executor);
            let words = format!("{}\n\nIt could not be integrated: {summary}", integration.summary);
            self.log(by, About::Item(&item), Verdict::Failed, words.trim());
        }
    }

    fn failed(&mut self, attempt: &Attempt, key: &str, summary: &str) {
        self.end(attempt.fence, Ended::Faltered(cut(summary, self.limits.summary_bytes).into()));
        self.fail_item(attempt, key, summary);
    }

    /// The attempt is over, and its item could not be done: the next step plans around it.
    fn fail_item(&mut self, attempt: &Attempt, key: &str, summary: &str) {
        // An attempt that was lost gave its item back; it is taken once more to say that it failed.
        if self.item(key).is_some_and(|item| item.status == Status::Pending) {
            self.move_item(key, Move::Lock);
        }
        self.move_item(key, Move::Fail);
        if let Some(item) = self.item(key) {
            self.log(Self::by(attempt), About::Item(&item), Verdict::Failed, summary);
        }
    }

    /// A pause goes on with what is kept; something in the way is planned around (RM-06).
    fn pending(&mut self, attempt: &Attempt, key: &str, summary: &str, is_blocker: bool, partial: Option<&str>) {
        self.end(attempt.fence, Ended::Reported);
        if let Some(partial) = partial {
            self.fact(Fact::Kept { item: key.into(), partial: partial.into() });
        }
        self.move_item(key, Move::Release);
        let Some(item) = self.item(key) else { return };
        let is_too_often = item.tries.pauses >= self.limits.pauses;
        let about = if is_blocker || is_too_often { About::Blocked(&item) } else { About::Item(&item) };
        let summary = match is_too_often && !is_blocker {
            true => format!("{summary}\n\nIt ran out of steps {} times: it is too large", item.tries.pauses + 1),
            false => summary.to_string(),
        };
        self.log(Self::by(attempt), about, Verdict::Pending, summary.trim());
    }

    /// A question with a default that is planned already (RM-08). The item goes on with it.
    fn asked(&mut self, attempt: &Attempt, key: &str, said: (&str, &PlanChanges, &str), partial: Option<&str>) {
        let (question, default, summary) = said;
        let Some(item) = self.item(key) else { return };
        let mut problems = Vec::new();
        if item.asked >= self.limits.asked {
            problems.push(format!("item {key} asked {} times already: go on with the default path", item.asked));
        }
        if question.trim().is_empty() {
            problems.push("the question is empty".into());
        }
        let resolved = match resolve(&self.session, default, Some(key), self.limits) {
            Ok(resolved) if problems.is_empty() => resolved,
            Ok(_) => return self.send_back(attempt, problems),
            Err(more) => {
                problems.extend(more.into_iter().map(|problem| format!("the default path: {problem}")));
                return self.send_back(attempt, problems);
            }
        };
        self.end(attempt.fence, Ended::Reported);
        if let Some(partial) = partial {
            self.fact(Fact::Kept { item: key.into(), partial: partial.into() });
        }
        self.move_item(key, Move::Release);
        self.log(Self::by(attempt), About::Item(&item), Verdict::Pending, summary);
        self.change_roadmap(attempt, resolved, None, None);
        self.ask(attempt, Some(key), question, summary);
    }

    fn ask(&mut self, attempt: &Attempt, item: Option<&str>, question: &str, default: &str) {
        let id = format!("q-{}", (self.world.uuid)(&attempt.opening, attempt.fence));
        let cut = |text: &str| cut(text.trim(), self.limits.summary_bytes).to_string();
        self.fact(Fact::Asked(Question {
            id: id.clone(),
            item: item.map(String::from),
            question: cut(question),
            default: cut(default),
            since: self.world.now.into(),
            answer: None,
            by: String::new(),
            reply: None,
        }));
        self.effect(Effect::Tell(Told::Question(id)));
    }

    fn planned(&mut self, attempt: &Attempt, why: &Why, changes: &PlanChanges, summary: &str) {
        match self.resolved_plan(changes) {
            Ok(resolved) => self.take_plan(attempt, why, resolved, summary),
            Err(problems) => self.send_back(attempt, problems),
        }
    }

    fn planner_asks(&mut self, attempt: &Attempt, why: &Why, question: &str, default: &PlanChanges, summary: &str) {
        match self.resolved_plan(default) {
            Ok(_) if question.trim().is_empty() => self.send_back(attempt, vec!["the question is empty".into()]),
            Ok(_) if self.asked_too_often(why.item()) => {
                self.send_back(attempt, vec!["the item asked too often already: go on with the default path".into()]);
            }
            Ok(resolved) => {
                self.take_plan(attempt, why, resolved, summary);
                self.ask(attempt, why.item(), question, summary);
            }
            Err(problems) => self.send_back(attempt, problems),
        }
    }

    fn asked_too_often(&self, item: Option<&str>) -> bool {
        item.and_then(|item| self.session.pool.item(item)).is_some_and(|item| item.asked >= self.limits.asked)
    }

    fn resolved_plan(&self, changes: &PlanChanges) -> Result<Resolved, Vec<String>> {
        let resolved = resolve(&self.session, changes, None, self.limits)?;
        if self.session.pool.is_empty() && resolved.add.is_empty() {
            return Err(vec!["there is no roadmap yet, and the plan adds no item: add at least one".into()]);
        }
        Ok(resolved)
    }

    /// The plan counts: its changes, and what it was made for.
    fn take_plan(&mut self, attempt: &Attempt, why: &Why, resolved: Resolved, summary: &str) {
        self.end(attempt.fence, Ended::Reported);
        let around = why.item().and_then(|key| self.item(key));
        let is_named = around.as_ref().is_some_and(|item| resolved.named.contains(&item.key));
        self.change_roadmap(attempt, resolved, around.as_ref(), why.item());
        let about = match &around {
            // The newest entry of the item says that it is not blocked any more.
            Some(item) if is_named => About::Item(item),
            _ => About::Plan(self.objective_of(why)),
        };
        self.log(Self::by(attempt), about, Verdict::Succeeded, summary);
        match why {
            Why::Blocked(_) | Why::Failed(_) => self.count_plan(why),
            Why::Reply(question) => {
                // An answer that was changed meanwhile is taken up anew.
                let is_same =
                    self.session.questions.get(question).is_some_and(|one| one.answer.as_ref() == Some(&attempt.basis));
                if is_same {
                    let reason = "the roadmap has the answer".into();
                    self.fact(Fact::Settled { question: question.clone(), reason });
                }
            }
            Why::Misaligned => self.fact(Fact::Aligned { goal: attempt.basis.clone() }),
        }
    }

    fn objective_of(&self, why: &Why) -> String {
        match why {
            Why::Blocked(item) | Why::Failed(item) => {
                let objective = self.session.pool.item(item).map_or_else(|| item.clone(), Item::objective);
                format!("Plan around {objective}")
            }
            Why::Reply(question) => format!("Plan with the answer to {question}"),
            Why::Misaligned if self.session.planned.is_empty() => "Plan the roadmap for the goal".into(),
            Why::Misaligned => "Bring the roadmap in line with the goal".into(),
        }
    }

    /// One more plan around an item.
    fn count_plan(&mut self, why: &Why) {
        let Some(item) = why.item().and_then(|key| self.item(key)) else { return };
        if item.status != Status::Cancelled {
            self.fact(Fact::Replanned { count: item.replanned.saturating_add(1), item: item.key });
        }
    }

    /// All changes of a plan that was found good, made around an item, if it is. An item that is not blocked any more by it
    /// gets an entry that says so, but for one of which the plan's own entry does.
    pub(super) fn change_roadmap(
        &mut self,
        attempt: &Attempt,
        resolved: Resolved,
        around: Option<&Item>,
        told: Option<&str>,
    ) {
        for group in resolved.groups {
            self.fact(Fact::Grouped(group));
        }
        for (mut item, spot) in resolved.add {
            // What a plan puts in an item's place was planned around as often as that one.
            item.replanned = around.map_or(0, |around| around.replanned.saturating_add(1));
            self.fact(Fact::Added { item, spot });
        }
        for change in resolved.change {
            let is_named = resolved.named.contains(&change.item);
            let before = self.item(&change.item);
            self.fact(Fact::Changed {
                item: change.item.clone(),
                title: change.title,
                depends_on: change.depends_on,
                claims: change.claims,
            });
            let Some(before) = before.filter(|_| is_named) else { continue };
            self.move_item(&change.item, Move::Reopen);
            if before.is_blocked() && told != Some(before.key.as_str()) {
                let by = (attempt.name.as_str(), attempt.since.as_str(), Part::Planner);
                self.log(by, About::Item(&before), Verdict::Succeeded, "planned anew: nothing is in its way any more");
            }
        }
        for (key, reason) in resolved.cancel {
            let reason = if reason.is_empty() { "the plan has no use for it any more".into() } else { reason };
            self.cancel_item(&key, (&attempt.name, &attempt.since), &reason, "a plan cancelled its item");
        }
    }

    /// Takes an item out, with its entry (RM-18); whoever has it stops.
    pub(super) fn cancel_item(&mut self, key: &str, by: (&str, &str), reason: &str, why: &str) {
        if let Some(holder) = self.holder_of(key) {
            self.end(holder.fence, Ended::TakenOver(why.into()));
            self.effect(Effect::Stop(holder.fence));
        }
        self.move_item(key, Move::Cancel);
        if let Some(item) = self.item(key) {
            self.log((by.0, by.1, Part::Planner), About::Item(&item), Verdict::Cancelled, reason);
        }
    }

    /// A planner that fails is tried again; one for an item counts for that item, any other keeps all from going on.
    fn plan_failed(&mut self, attempt: &Attempt, why: &Why, summary: &str, result: Verdict) {
        let words = if summary.trim().is_empty() { "it failed without a word" } else { summary.trim() };
        self.end(attempt.fence, Ended::Faltered(cut(words, self.limits.summary_bytes).into()));
        self.log(Self::by(attempt), About::Plan(self.objective_of(why)), result, words);
        match why {
            Why::Blocked(_) | Why::Failed(_) => self.count_plan(why),
            Why::Reply(_) | Why::Misaligned => {
                if self.session.planning.failed > self.limits.failed {
                    self.hold(format!("{why} failed {} times: {words}", self.session.planning.failed));
                }
            }
        }
    }

    /// The report goes back with its problems; after the last time it counts as a failure.
    fn send_back(&mut self, attempt: &Attempt, mut problems: Vec<String>) {
        if problems.is_empty() {
            problems.push("the report breaks the contract".into());
        }
        let tries = match &attempt.work {
            Work::Plan(_) => Some(&self.session.planning),
            Work::Do(item) => self.session.pool.item(item).map(|item| &item.tries),
            Work::Integrate(_) => self.session.integration().map(|one| &one.tries),
        };
        if tries.is_none_or(|tries| tries.sent_back < self.limits.sent_back) {
            return self.release(attempt, Ended::SentBack(problems));
        }
        let words = format!("its report was sent back too often: {}", problems.join("; "));
        match &attempt.work {
            Work::Plan(why) => self.plan_failed(attempt, why, &words, Verdict::Failed),
            Work::Do(item) => self.failed(attempt, item, &words),
            Work::Integrate(item) => self.integration_failed(attempt, item, &words),
        }
    }

    /// Not now: the work waits for its time, others go on (BY-09).
    fn put_off(&mut self, attempt: &Attempt, seconds: u64, reason: &str) {
        let rests = match &attempt.work {
            Work::Plan(_) => self.session.planning.rests,
            Work::Do(item) => self.session.pool.item(item).map_or(0, |item| item.tries.rests),
            Work::Integrate(_) => self.session.integration().map_or(0, |one| one.tries.rests),
        };
        if rests >= self.limits.rests {
            self.release(attempt, Ended::Lost(reason.into()));
            return self.hold(format!("{} was put off {} times: {reason}", attempt.work, rests.saturating_add(1)));
        }
        let now = self.world.now;
        let until = later(now, seconds.clamp(1, self.limits.rest_seconds));
        let rest = Rest { since: now.into(), until, reason: cut(reason, self.limits.summary_bytes).into() };
        self.release(attempt, Ended::Rested(rest));
    }

    /// What is lost again and again is for a person to look at; an item that takes its executors with it has failed.
    pub(super) fn mind_lost(&mut self, attempt: &Attempt, reason: &str) {
        let lost = match &attempt.work {
            Work::Plan(_) => self.session.planning.lost,
            Work::Do(item) => self.session.pool.item(item).map_or(0, |item| item.tries.lost),
            Work::Integrate(_) => self.session.integration().map_or(0, |one| one.tries.lost),
        };
        if lost <= self.limits.lost {
            return;
        }
        let words = format!("{} was lost {lost} times: {reason}", attempt.work);
        match &attempt.work {
            Work::Do(item) => self.fail_item(attempt, item, &words),
            Work::Plan(_) | Work::Integrate(_) => self.hold(words),
        }
    }

    /// What cannot be brought together with what others did becomes an item that names both sides (RM-11): it takes the
    /// place of the one it comes from, for those that depend on that, too.
    fn conflict(&mut self, attempt: &Attempt, key: &str, sides: &Sides<'_>) {
        let Some(item) = self.item(key) else { return };
        let (name, since) = match self.session.integration().filter(|one| one.item == key) {
            Some(integration) => (integration.name.clone(), integration.since.clone()),
            None => (attempt.name.clone(), attempt.since.clone()),
        };
        self.end(attempt.fence, Ended::Reported);
        let new = self.both_sides(&item, sides);
        let (by, place) = (new.key.clone(), super::item::Spot::After(key.into()));
        self.fact(Fact::Added { item: new, spot: place });
        let dependents: Vec<Item> = self.session.pool.dependents(key).cloned().collect();
        for dependent in dependents.into_iter().filter(|one| one.status != Status::Completed && one.key != by) {
            let depends_on = dependent.depends_on.iter().map(|on| if on == key { by.clone() } else { on.clone() });
            let depends_on = Some(depends_on.collect());
            self.fact(Fact::Changed { item: dependent.key, title: None, depends_on, claims: None });
        }
        self.fact(Fact::Conflicted {
            item: key.into(),
            by: by.clone(),
            with: sides.with.into(),
            files: sides.files.to_vec(),
            kept: sides.kept.into(),
        });
        self.move_item(key, Move::Cancel);
        let words = format!(
            "{}\n\nIt conflicts with {} in {}. The work is kept as {}; {by} brings both sides together",
            sides.summary,
            sides.other,
            sides.files.join(", "),
            sides.kept
        );
        self.log((&name, &since, Part::Executor), About::Item(&item), Verdict::Cancelled, words.trim());
    }

    fn both_sides(&self, item: &Item, sides: &Sides<'_>) -> Item {
        let pool = &self.session.pool;
        let is_taken = |key: &str| pool.item(key).is_some() || pool.group(key).is_some();
        let mut numbers = (1_u32..).map(|count| format!("{}.{count}", item.key));
        let key = numbers.find(|key| !is_taken(key)).unwrap_or_default();
        let files = sides.files.join(", ");
        let title = format!("Bring together {} ({}) and {} in {files}", item.key, sides.kept, sides.other);
        let mut claims = item.claims.clone();
        for file in sides.files.iter().take(self.limits.named) {
            if !claims.contains(file) {
                claims.push(file.clone());
            }
        }
        Item {
            number: if item.number.is_empty() { String::new() } else { key.clone() },
            group: item.group.clone(),
            depends_on: item.depends_on.clone(),
            claims,
            replanned: item.replanned,
            partial: Some(sides.kept.into()),
            ..Item::new(&key, cut(&title, self.limits.title_bytes))
        }
    }
}

/// Two pieces of work that cannot be brought together by code.
struct Sides<'s> {
    /// The commit on the other side; empty without one.
    with: &'s str,
    /// The other side, in words.
    other: &'s str,
    files: &'s [String],
    kept: &'s str,
    summary: &'s str,
}
