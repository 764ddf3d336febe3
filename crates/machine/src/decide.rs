//! What follows from an input: its own facts, and then, for the process that drives the run, whatever can go on. It
//! looks and changes nothing.

use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::advance::template_rows;
use crate::apply::{Board, apply, take};
use crate::budget::Measure;
use crate::edit;
use crate::fact::Fact;
use crate::hierarchy::{Hierarchy, PreludeTask};
use crate::index::{Index, family_of};
use crate::input::{Decision, Effect, Input, Refusal, Said, Verdict, World};
use crate::item::{Item, State, Target};
use crate::limits::Limits;
use crate::names::{in_run, state_of, valid_commands};
use crate::run::{Attempt, Cast, Course, Failure, Holder, Mode, Run, Status, Work};
use crate::view::View;

/// What a cancelled run failed of.
pub(crate) const CANCELLED: &str = "cancelled by the user";

/// What follows from an input to a run. For a process that does not drive the run these are the input's own facts.
pub fn decide(
    hierarchy: &Hierarchy,
    run: Option<&Run>,
    run_id: &str,
    input: &Input,
    world: &World<'_>,
    limits: &Limits,
) -> Result<Decision, Refusal> {
    let Some(run) = run else {
        return Err(Refusal::new(format!("there is no run {run_id}"), "`status` lists the runs there are"));
    };
    let made;
    let index = if run.index.fits(&run.items) {
        &run.index
    } else {
        made = Index::of(&run.items);
        &made
    };
    if let Input::Edited { items } = input {
        let edits = edit::compare(hierarchy, run, index, items, world, limits);
        let mut edited = Some(run.clone());
        edits.facts.iter().for_each(|fact| apply(hierarchy, &mut edited, run_id, fact));
        let mut edited = edited.unwrap_or_else(|| run.clone());
        edited.freshen();
        let mut step = Step::new(hierarchy, world, limits, View::of(&edited, &edited.index));
        step.decision.facts = edits.facts;
        step.decision.refused = edits.refused;
        step.advance();
        return Ok(step.decision);
    }
    let mut step = Step::new(hierarchy, world, limits, View::of(run, index));
    step.take_in(run, input)?;
    step.advance();
    Ok(step.decision)
}

/// What follows from a new request: a run begins, driven by this process.
pub fn start(
    hierarchy: &Hierarchy,
    run_id: &str,
    request: &str,
    mode: Mode,
    definition: &str,
    world: &World<'_>,
    limits: &Limits,
) -> Result<Decision, Refusal> {
    if request.trim().is_empty() {
        return Err(Refusal::new("the request is empty", "say what is to be done"));
    }
    if mode == Mode::SimpleTask {
        return Err(Refusal::new("a simple task has no run", "INITIAL_RUN and CONTINUOUS_RUN have one"));
    }
    let started = Fact::Started {
        protocol: hierarchy.protocol.into(),
        request: request.into(),
        mode,
        retry_of: None,
        definition: definition.into(),
        at: world.now.into(),
    };
    begin(hierarchy, run_id, started, None, world, limits)
}

/// What follows when a failed run is taken up again: a new run takes over everything that was planned and done, and
/// goes on with what had failed. Its folders are made anew.
pub fn retry(
    hierarchy: &Hierarchy,
    run_id: &str,
    old: &Run,
    world: &World<'_>,
    limits: &Limits,
) -> Result<Decision, Refusal> {
    if old.status != Status::Failed {
        let reason = format!("run {} is {}: only a FAILED run can be retried", old.id, state_of(old));
        return Err(Refusal::new(reason, valid_commands(old)));
    }
    let started = Fact::Started {
        protocol: hierarchy.protocol.into(),
        request: old.request.clone(),
        mode: old.mode,
        retry_of: Some(old.id.clone()),
        definition: old.definition.clone(),
        at: world.now.into(),
    };
    let moved = |path: &String| in_run(path, &old.id, run_id);
    let index = Index::of(&old.items);
    let items = old.items.iter().map(|item| {
        let mut item = item.clone();
        item.inputs = item.inputs.iter().map(moved).collect();
        item.output = moved(&item.output);
        let is_set_up = matches!(hierarchy.prelude_task(&item.id), Some(PreludeTask::SetUp(_)));
        if item.state == State::Failed {
            // What failed although all below it is done needs more below it.
            if item.level < hierarchy.task_level()
                && index.family(&item.id).is_none_or(|below| below.pending.is_empty())
            {
                let below = index.family(&item.id).into_iter().flat_map(|family| &family.all);
                if below.into_iter().all(|place| old.items.get(place.at).is_some_and(is_completed)) {
                    item.planned.clear();
                }
            }
            item.state = State::Pending;
        } else if is_set_up {
            item.state = State::Pending;
            item.core_done = false;
        }
        item
    });
    let items: Vec<Item> = items.collect();
    let worked = old.worked.iter().map(|(id, files)| {
        let files = files.iter().map(|file| crate::FileNote { path: moved(&file.path), ..file.clone() });
        (id.clone(), files.collect())
    });
    let taken = Fact::TakenOver { from: old.id.clone(), worked: worked.collect(), formats: old.formats.clone(), items };
    let taken = (!old.items.is_empty()).then_some(taken);
    begin(hierarchy, run_id, started, taken, world, limits)
}

/// What follows when a run is taken up of which only the documents are left: it goes on under its own id with what they
/// say. What was being worked on begins again.
pub fn adopt(hierarchy: &Hierarchy, old: &Run, world: &World<'_>, limits: &Limits) -> Result<Decision, Refusal> {
    let started = Fact::Started {
        protocol: hierarchy.protocol.into(),
        request: old.request.clone(),
        mode: old.mode,
        retry_of: None,
        definition: old.definition.clone(),
        at: world.now.into(),
    };
    let items: Vec<Item> = old
        .items
        .iter()
        .map(|item| {
            let mut item = item.clone();
            if item.state == State::Failed {
                item.state = State::Pending;
            }
            item
        })
        .collect();
    let (worked, formats) = (old.worked.clone(), old.formats.clone());
    let taken = (!items.is_empty()).then(|| Fact::TakenOver { from: old.id.clone(), items, worked, formats });
    begin(hierarchy, &old.id, started, taken, world, limits)
}

fn is_completed(item: &Item) -> bool {
    item.state == State::Completed
}

fn begin(
    hierarchy: &Hierarchy,
    run_id: &str,
    started: Fact,
    taken: Option<Fact>,
    world: &World<'_>,
    limits: &Limits,
) -> Result<Decision, Refusal> {
    template_rows(hierarchy, world).map_err(|difference| {
        Refusal::new(
            difference,
            "put the template back as it was; a run's own phases cannot be chosen in this protocol",
        )
    })?;
    let mut run = None;
    apply(hierarchy, &mut run, run_id, &started);
    let Some(run) = run else { return Ok(Decision::default()) };
    let mut step = Step::new(hierarchy, world, limits, View::of(&run, &run.index));
    step.decision.facts.push(started);
    step.fact(Fact::Driven { by: Some(world.me.into()), cast: world.cast.clone() });
    if !world.budget.is_empty() {
        step.fact(Fact::Budgeted { budget: world.budget, by: None });
    }
    taken.into_iter().for_each(|taken| step.fact(taken));
    step.learn(&[]);
    step.advance();
    Ok(step.decision)
}

/// A decision in the making.
#[derive(Debug)]
pub(crate) struct Step<'a> {
    pub(crate) hierarchy: &'a Hierarchy,
    pub(crate) world: &'a World<'a>,
    pub(crate) limits: &'a Limits,
    pub(crate) view: View<'a>,
    pub(crate) decision: Decision,
    /// How many more agents may be started.
    pub(crate) free: usize,
}

impl<'a> Step<'a> {
    fn new(hierarchy: &'a Hierarchy, world: &'a World<'a>, limits: &'a Limits, view: View<'a>) -> Self {
        Self { hierarchy, world, limits, view, decision: Decision::default(), free: world.free }
    }

    /// Makes something true, and sees the run with it from here on. An attempt of this process that ends leaves its
    /// place to another.
    pub(crate) fn fact(&mut self, fact: Fact) {
        let ended = fact.ended().and_then(|fence| self.view.head().attempts.get(&fence));
        if ended.is_some_and(|attempt| matches!(&attempt.holder, Holder::Process(name) if name == self.world.me)) {
            self.free = self.free.saturating_add(1);
        }
        take(self.hierarchy, &mut self.view, &fact);
        self.decision.facts.push(fact);
    }

    pub(crate) fn effect(&mut self, effect: Effect) {
        self.decision.effects.push(effect);
    }

    /// The table of inputs: the facts of the input itself.
    fn take_in(&mut self, run: &Run, input: &Input) -> Result<(), Refusal> {
        use Course::{Gate, Over, Planning, Preparing, Proposing, SettingUp, Working};
        match (run.course, input) {
            (Over, Input::Wake | Input::Release | Input::Edited { .. }) => Ok(()),
            (Over, Input::Report { fence, .. }) => Err(outdated(run, *fence)),
            (
                Over,
                Input::Claim
                | Input::Answer { .. }
                | Input::Tell { .. }
                | Input::Pause { .. }
                | Input::Resume
                | Input::Cancel { .. },
            ) => Err(not_now(run, "is over")),
            // Edits are compared with the whole run, apart from this table.
            (_, Input::Edited { .. }) => Ok(()),
            (_, Input::Wake) => {
                self.wake();
                Ok(())
            }
            (_, Input::Claim) => self.claim(run),
            (_, Input::Release) => self.release(run),
            (_, Input::Report { fence, outcome }) => match run.attempts.get(fence) {
                Some(attempt) => {
                    self.settle(run, attempt, outcome);
                    Ok(())
                }
                None => Err(outdated(run, *fence)),
            },
            (Gate, Input::Answer { verdict, by }) => self.answer(run, verdict, by),
            (Planning | SettingUp | Proposing | Preparing | Working, Input::Answer { .. }) => {
                Err(not_now(run, "does not wait for an answer to a proposal"))
            }
            (_, Input::Tell { fence, answer, by }) => self.tell(run, *fence, answer, by),
            (_, Input::Pause { reason }) => match &run.paused {
                Some(_) => Err(not_now(run, "is paused already")),
                None => {
                    self.fact(Fact::Paused { reason: reason.clone() });
                    Ok(())
                }
            },
            (_, Input::Resume) => match &run.paused {
                Some(_) => {
                    self.fact(Fact::Resumed);
                    Ok(())
                }
                None => Err(not_now(run, "is not paused")),
            },
            (Gate, Input::Cancel { by }) => self.answer(run, &Verdict::Cancel, by),
            (Planning | SettingUp | Proposing | Preparing | Working, Input::Cancel { .. }) => {
                self.cancel();
                Ok(())
            }
        }
    }

    fn claim(&mut self, run: &Run) -> Result<(), Refusal> {
        match run.driver.as_deref() {
            Some(driver) if driver == self.world.me => {}
            Some(driver) if self.world.alive.contains(driver) => {
                // The name of an opening begins with the number that people know a process by.
                let driver = driver.split('.').next().unwrap_or(driver);
                let reason = format!("run {} is driven by process {driver}", run.id);
                return Err(Refusal::new(reason, format!("end process {driver}, or let it go on; it can be watched")));
            }
            _ => {
                let mut cast = self.world.cast.clone();
                if cast.asked.is_empty() {
                    cast.asked.clone_from(&run.cast.asked);
                }
                self.fact(Fact::Driven { by: Some(self.world.me.into()), cast });
                // Whoever drove it before may have died before it said so: who takes it up is told what waits.
                if run.course == Course::Gate {
                    self.effect(Effect::Say(Said::Proposal));
                }
                if !run.questions.is_empty() {
                    self.effect(Effect::Say(Said::Question));
                }
            }
        }
        self.wake();
        Ok(())
    }

    fn release(&mut self, run: &Run) -> Result<(), Refusal> {
        if run.driver.as_deref() != Some(self.world.me) {
            let driver = run.driver.as_deref().unwrap_or("nobody");
            let reason = format!("run {} is driven by {driver}, not by this process", run.id);
            return Err(Refusal::new(reason, "only the process that drives a run can let go of it"));
        }
        let me = Holder::Process(self.world.me.into());
        for fence in run.attempts.values().filter(|attempt| attempt.holder == me).map(|attempt| attempt.fence) {
            self.fact(Fact::Lost { fence, reason: "the process let go".into() });
            self.effect(Effect::Stop(fence));
        }
        self.fact(Fact::Driven { by: None, cast: Cast::default() });
        Ok(())
    }

    /// The attempts of processes that are gone are lost; what was put off goes on when its time has come. Only who drives the run says so.
    fn wake(&mut self) {
        if self.view.head().driver.as_deref() != Some(self.world.me) {
            return;
        }
        let is_gone = |attempt: &&Attempt| match &attempt.holder {
            Holder::Process(name) => name != self.world.me && !self.world.alive.contains(name),
            Holder::Person => false,
        };
        let gone: Vec<Attempt> = self.view.head().attempts.values().filter(is_gone).cloned().collect();
        for attempt in gone {
            if self.view.head().course != Course::Over {
                let reason = match &attempt.holder {
                    // The name of an opening begins with the number that people know a process by.
                    Holder::Process(name) => format!("process {} is gone", name.split('.').next().unwrap_or(name)),
                    Holder::Person => String::new(),
                };
                self.lose(&attempt, &reason);
            }
        }
        let rests = self.view.head().rests.iter().filter(|(_, rest)| rest.is_over(self.world.now));
        for fence in rests.map(|(fence, _)| *fence).collect::<Vec<_>>() {
            self.fact(Fact::Woke { fence });
        }
    }

    fn answer(&mut self, run: &Run, verdict: &Verdict, by: &str) -> Result<(), Refusal> {
        let empty = match verdict {
            Verdict::Modify(words) if words.trim().is_empty() => Some("MODIFY"),
            Verdict::NewRequest(words) if words.trim().is_empty() => Some("NEW_REQUEST"),
            Verdict::Confirm | Verdict::Cancel | Verdict::Modify(_) | Verdict::NewRequest(_) => None,
        };
        if let Some(word) = empty {
            let reason = format!("{word} for run {} came without words", run.id);
            return Err(Refusal::new(reason, "say what shall be otherwise; or answer CONFIRM or CANCEL"));
        }
        let at = self.world.now.to_string();
        self.fact(Fact::Answered { verdict: verdict.clone(), by: by.into(), at });
        match verdict {
            Verdict::Cancel => self.cancel(),
            Verdict::NewRequest(_) => self.learn(&run.learned),
            Verdict::Confirm | Verdict::Modify(_) => {}
        }
        Ok(())
    }

    /// A budget that is used up is raised to what a person says (BY-08).
    fn raise(&mut self, run: &Run, measure: Measure, answer: &str, by: &str) -> Result<(), Refusal> {
        let hint = "a number, such as 400000, 400k, $2.50, 90m; or `cancel`";
        let Some((measure, bound)) = measure.read(answer) else {
            return Err(Refusal::new(format!("{answer:?} is no budget"), hint));
        };
        let used = run.used.of(measure);
        if bound <= used {
            let (bound, used) = (measure.in_words(bound), measure.in_words(used));
            return Err(Refusal::new(format!("{bound} is no more than the {used} that are used already"), hint));
        }
        self.fact(Fact::Budgeted { budget: run.budget.with(measure, bound), by: Some(by.into()) });
        Ok(())
    }

    fn tell(&mut self, run: &Run, fence: Option<u64>, answer: &str, by: &str) -> Result<(), Refusal> {
        match (run.exhausted, fence) {
            (Some(measure), Some(0)) => return self.raise(run, measure, answer, by),
            (Some(measure), None) if run.questions.is_empty() => return self.raise(run, measure, answer, by),
            _ => {}
        }
        let budget = run.exhausted.map(|_| "0 (the budget)".to_string());
        let waiting = run.questions.keys().map(|fence| format!("{fence}")).chain(budget);
        let waiting = waiting.collect::<Vec<_>>().join(", ");
        let fence = match (fence, run.questions.first_key_value()) {
            (_, None) => return Err(not_now(run, "has no question that waits for an answer")),
            (Some(fence), _) if run.questions.contains_key(&fence) => fence,
            (None, Some((only, _))) if run.questions.len() == 1 && run.exhausted.is_none() => *only,
            (Some(fence), _) => {
                let reason = format!("run {} has no question {fence} that waits for an answer", run.id);
                return Err(Refusal::new(reason, format!("these wait: {waiting}")));
            }
            (None, _) => {
                let reason = format!("run {} has several questions that wait for an answer", run.id);
                return Err(Refusal::new(reason, format!("say which: {waiting}")));
            }
        };
        if answer.trim().is_empty() {
            return Err(Refusal::new(format!("the answer to question {fence} is empty"), "give it some words"));
        }
        self.fact(Fact::Told { fence, answer: answer.into(), by: by.into() });
        Ok(())
    }

    fn cancel(&mut self) {
        self.end_in_failure(None, Failure { items: Vec::new(), doing: String::new(), error: CANCELLED.into() });
    }

    /// Counts an attempt as lost; the work is handed out again unless that happened too often.
    pub(crate) fn lose(&mut self, attempt: &Attempt, reason: &str) {
        self.fact(Fact::Lost { fence: attempt.fence, reason: reason.into() });
        let lost = self.view.head().tries.get(&attempt.work.key()).map_or(0, |tries| tries.lost);
        if lost > self.limits.lost {
            self.fail(&attempt.work, Some(attempt.fence), format!("lost {lost} times, the last time because {reason}"));
        }
    }

    /// Fail-fast: the item, all that it belongs to and the run fail in one fact.
    pub(crate) fn fail(&mut self, work: &Work, fence: Option<u64>, error: String) {
        let innermost = match work {
            Work::Plan(Target::Prelude | Target::Proposal) => None,
            Work::Plan(Target::Children(id) | Target::Tools(id, _))
            | Work::Execute(id)
            | Work::SetUp(id)
            | Work::Catalog(id) => Some(id.as_str()),
        };
        let doing = match work {
            Work::Plan(target) => target.spelled_with(self.hierarchy, |id| self.view.item(id).map(|item| item.level)),
            Work::Execute(id) | Work::SetUp(id) | Work::Catalog(id) => id.clone(),
        };
        let mut items = Vec::new();
        let mut seen = BTreeSet::new();
        let mut next = innermost.and_then(|id| self.view.item(id));
        while let Some(item) = next
            && seen.insert(item.id.as_str())
        {
            items.push(item.id.clone());
            next = self.view.item(family_of(item));
        }
        self.end_in_failure(fence, Failure { items, doing, error });
    }

    /// All attempts but the one that brought the failure are stopped.
    fn end_in_failure(&mut self, fence: Option<u64>, failure: Failure) {
        let others: Vec<u64> =
            self.view.head().attempts.keys().copied().filter(|other| Some(*other) != fence).collect();
        let reason = if failure.error == CANCELLED { "the run was cancelled" } else { "the run failed" };
        for other in others {
            self.fact(Fact::Lost { fence: other, reason: reason.into() });
            self.effect(Effect::Stop(other));
        }
        self.fact(Fact::Failed(failure));
        self.effect(Effect::Say(Said::Failure));
    }
}

impl Refusal {
    pub(crate) fn new(reason: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { reason: reason.into(), hint: hint.into() }
    }
}

fn not_now(run: &Run, what: &str) -> Refusal {
    Refusal::new(format!("run {} {what}: it is {}", run.id, state_of(run)), valid_commands(run))
}

fn outdated(run: &Run, fence: u64) -> Refusal {
    let reason = if fence == 0 || fence > run.fence {
        format!("run {} knows no attempt {fence}", run.id)
    } else {
        format!("attempt {fence} of run {} is outdated: it has ended, or another has its work", run.id)
    };
    Refusal::new(reason, "nothing is to be done: the report is not needed")
}
