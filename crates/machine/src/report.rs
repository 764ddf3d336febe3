//! How an attempt ends: what its outcome makes true. One arm for each kind of work and outcome.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::apply::Board;
use crate::assets::asset_type;
use crate::budget::{Metered, Used};
use crate::decide::Step;
use crate::fact::{Fact, FileNote};
use crate::input::{Effect, Outcome, Said};
use crate::item::{State, Target, Timing};
use crate::moment::{later, seconds_between};
use crate::plan::{check_plan, check_proposal};
use crate::run::{Attempt, Holder, Question, Rest, Run, Work};

impl Step<'_> {
    /// The table of work and outcome.
    pub(crate) fn settle(&mut self, run: &Run, attempt: &Attempt, outcome: &Outcome) {
        let fence = attempt.fence;
        let used = self.charge(run, attempt);
        let cut = used.cut_short(&attempt.reserved, &self.most());
        match (&attempt.work, outcome) {
            (_, Outcome::Lost(reason)) => self.lose(attempt, reason),
            (_, Outcome::Failed(error)) if let Some(measure) = cut => {
                // BY-08: the run did not fail, it has too little; whoever hands out its work next asks.
                let share = measure.in_words(attempt.reserved.of(measure));
                self.fact(Fact::Lost {
                    fence,
                    reason: format!("its share of the budget, {share}, is used up: {error}"),
                });
            }
            (_, Outcome::Failed(error)) => {
                let error = if error.trim().is_empty() { "it failed without a word" } else { error };
                self.fail(&attempt.work, Some(fence), error.into());
            }
            (_, Outcome::Broken(problems)) => self.send_back(attempt, problems.clone()),
            (_, Outcome::Paused(reason)) => {
                self.fact(Fact::Lost { fence, reason: format!("the agent asked for a pause: {reason}") });
                if self.view.head().paused.is_none() {
                    self.fact(Fact::Paused { reason: reason.clone() });
                }
            }
            (_, Outcome::Later { seconds, reason }) => self.put_off(attempt, *seconds, reason),
            (Work::Plan(_) | Work::Execute(_), Outcome::Question(text)) if !text.trim().is_empty() => {
                let question = Question { work: attempt.work.clone(), text: text.clone() };
                self.fact(Fact::Asked { fence, question });
                self.effect(Effect::Say(Said::Question));
            }
            (Work::Plan(Target::Proposal), Outcome::Proposal(proposal)) => {
                match check_proposal(proposal, self.world, self.limits) {
                    Ok(()) => {
                        self.fact(Fact::Proposed { fence, proposal: proposal.clone() });
                        self.effect(Effect::Say(Said::Proposal));
                    }
                    Err(complaints) => self.send_back(attempt, spelled(&complaints)),
                }
            }
            (Work::Plan(target), Outcome::Plan(rows)) if *target != Target::Proposal => {
                match check_plan(self.hierarchy, run, target, rows, self.world, self.limits) {
                    Ok(rows) => self.fact(Fact::Planned { fence, target: target.clone(), rows }),
                    Err(complaints) => self.send_back(attempt, spelled(&complaints)),
                }
            }
            (Work::Execute(id), Outcome::Done { files }) => self.done(attempt, id, files),
            (Work::SetUp(id), Outcome::Done { .. }) => {
                self.fact(Fact::Worked { fence, item: id.clone(), files: Vec::new() });
                self.fact(Fact::Completed { item: id.clone(), files: Vec::new() });
            }
            (Work::Catalog(id), Outcome::Catalog { files, gone }) => {
                self.fact(Fact::Catalogued { fence, files: files.clone(), gone: gone.clone() });
                self.fact(Fact::Completed { item: id.clone(), files: Vec::new() });
            }
            (
                Work::Plan(_) | Work::Execute(_) | Work::SetUp(_) | Work::Catalog(_),
                Outcome::Plan(_)
                | Outcome::Proposal(_)
                | Outcome::Done { .. }
                | Outcome::Catalog { .. }
                | Outcome::Question(_),
            ) => self.send_back(attempt, [mismatch(&attempt.work, outcome)].into()),
        }
    }

    /// What an attempt used counts, however it ended. A price that nobody knows is taken to be what was set aside.
    fn charge(&mut self, run: &Run, attempt: &Attempt) -> Used {
        let Metered { tokens, micro_dollars } = self.world.used;
        let micro_dollars = micro_dollars.unwrap_or(if tokens > 0 { attempt.reserved.micro_dollars } else { 0 });
        let seconds = seconds_between(&attempt.since, self.world.now);
        let is_timed = run.budget.seconds.is_some() && matches!(attempt.holder, Holder::Process(_));
        let used = Used { tokens, micro_dollars, seconds: if is_timed || tokens > 0 { seconds } else { 0 } };
        if !used.is_nothing() {
            self.fact(Fact::Spent { fence: attempt.fence, used });
        }
        used
    }

    /// The report goes back with its problems; after the last time it is a failure.
    fn send_back(&mut self, attempt: &Attempt, mut problems: Vec<String>) {
        if problems.is_empty() {
            problems.push("the report breaks the contract".into());
        }
        let error = problems.join("\n");
        self.fact(Fact::SentBack { fence: attempt.fence, problems });
        let sent_back = self.view.head().tries.get(&attempt.work.key()).map_or(0, |tries| tries.sent_back);
        if sent_back > self.limits.sent_back {
            self.fail(&attempt.work, Some(attempt.fence), error);
        }
    }

    /// The work keeps its place and goes on by itself; after the last time a person is to look at it.
    fn put_off(&mut self, attempt: &Attempt, seconds: u64, reason: &str) {
        let since = self.world.now.to_string();
        let until = later(&since, seconds.clamp(1, self.limits.rest_seconds.max(1)));
        let reason = if reason.trim().is_empty() { "it gave no reason" } else { reason };
        let rest = Rest { work: attempt.work.clone(), since, until, reason: reason.into() };
        self.fact(Fact::Rested { fence: attempt.fence, rest });
        let head = self.view.head();
        let rests = head.tries.get(&attempt.work.key()).map_or(0, |tries| tries.rests);
        if rests > self.limits.rests && head.paused.is_none() {
            let reason = format!("{} was put off {rests} times, the last time: {reason}", attempt.work.key());
            self.fact(Fact::Paused { reason });
        }
    }

    fn done(&mut self, attempt: &Attempt, id: &str, files: &[FileNote]) {
        let Some(item) = self.view.item(id) else {
            let reason = format!("{id} is no longer in the plan");
            self.fact(Fact::Lost { fence: attempt.fence, reason });
            return;
        };
        if !item.output.is_empty() && !files.iter().any(|file| file.path == item.output) {
            let problem = format!("row {id}, column output_path: the file {} is not among those reported", item.output);
            self.send_back(attempt, [problem].into());
            return;
        }
        // What was used, and not made, bears its own type.
        let typed = files.iter().map(|file| match file.asset_type.as_str() {
            USED => file.clone(),
            _ => {
                FileNote { asset_type: asset_type(self.hierarchy, &self.view, item, &file.path).into(), ..file.clone() }
            }
        });
        let files: Vec<FileNote> = typed.collect();
        self.fact(Fact::Worked { fence: attempt.fence, item: id.into(), files });
        self.close(id);
    }

    /// Completes a task or tool task that has nothing more to come, and with the last tool task the task.
    pub(crate) fn close(&mut self, id: &str) {
        let Some(item) = self.view.item(id) else { return };
        if item.state != State::Pending || !item.core_done {
            return;
        }
        let (is_tool, parent) = (item.level == self.hierarchy.tool_level(), item.parent.clone());
        if !is_tool {
            let is_planned = !item.post || item.is_planned(Timing::Post.word());
            if !is_planned || self.view.first_pending(id).is_some() {
                return;
            }
        }
        let files = self.view.head().worked.get(id).cloned().unwrap_or_default();
        self.fact(Fact::Completed { item: id.into(), files: files.clone() });
        if let (true, Some(task)) = (is_tool, parent) {
            self.yield_to(&task, files);
            self.close(&task);
        }
    }
}

/// LN-11: a task that is all tools.
impl Step<'_> {
    /// What the last tool task left is the work of its task, where that has no other.
    fn yield_to(&mut self, task: &str, files: Vec<FileNote>) {
        let Some(item) = self.view.item(task) else { return };
        let is_left = files.iter().any(|file| file.path == item.output);
        if !item.by_tools || item.core_done || !is_left || self.view.first_pending(task).is_some() {
            return;
        }
        let typed = files.into_iter().filter(|file| file.path == item.output).map(|file| FileNote {
            asset_type: asset_type(self.hierarchy, &self.view, item, &file.path).into(),
            ..file
        });
        let files = typed.collect();
        self.fact(Fact::Worked { fence: 0, item: task.into(), files });
    }
}

/// The type of a file that was used, and that no run has made.
const USED: &str = "ORIGINAL_INPUT";

fn spelled(complaints: &[crate::Complaint]) -> Vec<String> {
    complaints.iter().map(ToString::to_string).collect()
}

fn mismatch(work: &Work, outcome: &Outcome) -> String {
    let asked = match work {
        Work::Plan(Target::Proposal) => "a proposal",
        Work::Plan(_) => "a plan",
        Work::Execute(_) | Work::SetUp(_) => "work",
        Work::Catalog(_) => "a catalog",
    };
    let came = match outcome {
        Outcome::Plan(_) => "a plan",
        Outcome::Proposal(_) => "a proposal",
        Outcome::Done { .. } => "work",
        Outcome::Catalog { .. } => "a catalog",
        Outcome::Question(_) => "a question without words, or where nobody can be asked,",
        Outcome::Paused(_) | Outcome::Later { .. } | Outcome::Broken(_) | Outcome::Failed(_) | Outcome::Lost(_) => {
            "something else"
        }
    };
    format!("{asked} was asked for, and {came} came")
}
