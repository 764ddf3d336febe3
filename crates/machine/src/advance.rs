//! What can go on by itself: work is handed out, what is done is completed, up to the run. The loop of the protocol,
//! over as many levels as there are. It is only for the process that drives the run.

use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::apply::Board;
use crate::budget::{Measure, Used};
use crate::decide::Step;
use crate::fact::Fact;
use crate::hierarchy::{Hierarchy, Level, Placing, PreludeBy, PreludeTask, Source, file_name};
use crate::input::{Effect, Said, World};
use crate::item::{Item, Planned, State, Target, Timing};
use crate::names::{extension_of, outputs_of};
use crate::plan::prelude_rows;
use crate::run::{Attempt, Course, Holder, Role, Tries, Work};

/// Whether something was completed, so that more may follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Progress {
    Again,
    Rest,
}

impl Step<'_> {
    /// Goes on until nothing more follows. Each round completes an item or moves the course, so it ends.
    pub(crate) fn advance(&mut self) {
        for _ in 0..=self.limits.run_items.saturating_add(self.hierarchy.levels.len()) {
            if self.advance_once() == Progress::Rest {
                return;
            }
        }
    }

    fn advance_once(&mut self) -> Progress {
        let head = self.view.head();
        if head.driver.as_deref() != Some(self.world.me) || head.paused.is_some() || head.exhausted.is_some() {
            return Progress::Rest;
        }
        match head.course {
            Course::Gate | Course::Over => Progress::Rest,
            Course::Planning if self.hierarchy.prelude_by == PreludeBy::Code => self.plan_preparation(),
            Course::Planning => self.assign(Work::Plan(Target::Prelude)),
            Course::SettingUp if self.hierarchy.prelude_by == PreludeBy::Code && self.needs_template() => {
                self.plan_from_template()
            }
            Course::SettingUp | Course::Preparing => self.prepare(),
            Course::Proposing if self.needs_template() => self.plan_from_template(),
            Course::Proposing => self.assign(Work::Plan(Target::Proposal)),
            Course::Working if self.needs_template() => self.plan_from_template(),
            Course::Working => self.work(),
        }
    }

    /// The tasks of the preparation, one after the other.
    fn prepare(&mut self) -> Progress {
        let hierarchy = self.hierarchy;
        let is_pending =
            |task: &&PreludeTask| self.view.item(task.id()).is_some_and(|item| item.state == State::Pending);
        match hierarchy.prelude.iter().find(is_pending) {
            None => Progress::Rest,
            Some(PreludeTask::SetUp(id)) => self.assign(Work::SetUp((*id).into())),
            Some(PreludeTask::Catalog(id)) => self.assign(Work::Catalog((*id).into())),
            Some(PreludeTask::Analyse(id, _)) => self.assign(Work::Execute((*id).into())),
            Some(PreludeTask::Constitute(id)) => {
                let head = self.view.head();
                let count = head.proposal.as_ref().map_or(0, |proposal| proposal.instructions.len());
                let ids: Vec<String> = (1..=count).map(|number| format!("I-{}-{number:02}", head.id)).collect();
                self.fact(Fact::Constituted { item: (*id).into(), ids });
                self.fact(Fact::Completed { item: (*id).into(), files: Vec::new() });
                Progress::Again
            }
        }
    }

    /// The rows of the preparation are fixed: nobody need be asked.
    fn plan_preparation(&mut self) -> Progress {
        let rows = prelude_rows(self.hierarchy, &self.view.head().id);
        self.fact(Fact::Planned { fence: 0, target: Target::Prelude, rows });
        Progress::Again
    }

    fn needs_template(&self) -> bool {
        let is_from_template = self.hierarchy.levels.first().is_some_and(|level| level.source == Source::Template);
        is_from_template && !self.view.has_outermost()
    }

    fn plan_from_template(&mut self) -> Progress {
        let target = Target::Children(String::new());
        match template_rows(self.hierarchy, self.world) {
            Ok(rows) if !rows.is_empty() => {
                let ids: Vec<String> = rows.iter().filter_map(|row| row.id.clone()).collect();
                self.fact(Fact::Planned { fence: 0, target, rows });
                ids.into_iter().for_each(|id| self.plan_below(id));
            }
            Ok(_) => self.fail(&Work::Plan(target), None, "the template has no rows".into()),
            Err(difference) => self.fail(&Work::Plan(target), None, difference),
        }
        Progress::Again
    }

    /// What the template has for the level below, the same for each outermost item.
    fn plan_below(&mut self, parent: String) {
        let Some(level) = self.hierarchy.levels.get(1).filter(|level| level.source == Source::Template) else { return };
        let phase = self.view.item(&parent).map(|item| item.name.clone()).unwrap_or_default();
        let fitting = self.world.template_below.iter().filter(|row| row.is_for(&phase)).cloned();
        let rows = numbered(self.hierarchy, level, Some(&parent), &fitting.collect::<Vec<_>>());
        self.fact(Fact::Planned { fence: 0, target: Target::Children(parent), rows });
    }

    /// The loop over levels: the first that is not done, down to the tasks; a level without a plan is planned; one
    /// with nothing left is completed.
    fn work(&mut self) -> Progress {
        let task_level = self.hierarchy.task_level();
        let mut parent = String::new();
        for level in 0..=task_level {
            let is_planned = match self.view.item(&parent) {
                Some(holder) => holder.is_planned("children"),
                None => self.view.has_outermost(),
            };
            if !is_planned {
                return self.assign(Work::Plan(Target::Children(parent)));
            }
            let Some(at) = self.view.first_pending(&parent) else { return self.complete(&parent) };
            if level < task_level {
                parent = self.view.at(at).map(|item| item.id.clone()).unwrap_or_default();
            }
        }
        self.work_on_tasks(&parent)
    }

    fn complete(&mut self, parent: &str) -> Progress {
        match self.view.item(parent) {
            None => {
                self.fact(Fact::Finished);
                self.effect(Effect::Say(Said::Completion));
            }
            Some(item) => match self.unpublished(item) {
                Some(error) => self.fail(&Work::Plan(Target::Children(parent.into())), None, error),
                None => self.fact(Fact::Completed { item: parent.into(), files: Vec::new() }),
            },
        }
        Progress::Again
    }

    /// What the last layer should have left in `outputs/` and did not.
    fn unpublished(&self, phase: &Item) -> Option<String> {
        if phase.level != 0 || !self.hierarchy.is_last_layer(&phase.name) {
            return None;
        }
        let folder = outputs_of(&self.view.head().id);
        let made = self.view.items().filter(|item| item.state == State::Completed).map(|item| item.output.as_str());
        let brought = self.decision.facts.iter().flat_map(|fact| match fact {
            Fact::Worked { files, .. } | Fact::Completed { files, .. } => files.as_slice(),
            _ => &[],
        });
        let known = self.world.published.iter().map(String::as_str);
        let all = made.chain(brought.map(|file| file.path.as_str())).chain(known);
        let files: BTreeSet<&str> = all.filter(|path| path.starts_with(&folder)).collect();
        let (id, name) = (&phase.id, &phase.name);
        if files.is_empty() {
            return Some(format!("{id} {name} left no file in {folder}: a task of it must have its output_path there"));
        }
        let has = |format: &str| files.iter().any(|file| extension_of(file).eq_ignore_ascii_case(format));
        let formats = self.view.head().formats.iter().map(|format| format.trim().trim_start_matches('.'));
        let missing: Vec<String> =
            formats.filter(|format| !format.is_empty() && !has(format)).map(|format| format!(".{format}")).collect();
        (!missing.is_empty()).then(|| {
            let missing = missing.join(", ");
            let there = files.into_iter().collect::<Vec<_>>().join(", ");
            format!("{id} {name} left no {missing} in {folder}, which was agreed; there are: {there}")
        })
    }

    /// Hands out what is ready below one holder, the first ones first.
    fn work_on_tasks(&mut self, parent: &str) -> Progress {
        // People take no agent's place, so where they work all that is ready counts.
        let most = if self.world.people.is_empty() { self.free } else { usize::MAX };
        if most == 0 {
            return Progress::Rest;
        }
        let busy = self.busy_tasks();
        let mut progress = Progress::Rest;
        for at in self.view.ready(parent, most, &busy) {
            let Some(id) = self.view.at(at).map(|item| item.id.clone()) else { continue };
            match self.next_of(at) {
                Some(work) => drop(self.assign(work)),
                None => {
                    self.close(&id);
                    progress = Progress::Again;
                }
            }
        }
        progress
    }

    /// What a task needs next; nothing if all of it is done.
    fn next_of(&self, at: usize) -> Option<Work> {
        let task = self.view.at(at)?;
        let tool = |timing: Timing| {
            let place = self.view.first_pending_where(&task.id, |tool| tool.timing == Some(timing))?;
            Some(Work::Execute(self.view.at(place)?.id.clone()))
        };
        let plan = |timing: Timing, is_wanted: bool| {
            let is_wanted = is_wanted || (timing == Timing::Pre && task.by_tools);
            let is_due = is_wanted && !task.is_planned(timing.word());
            is_due.then(|| Work::Plan(Target::Tools(task.id.clone(), timing)))
        };
        if !task.core_done {
            let before = plan(Timing::Pre, task.pre).or_else(|| tool(Timing::Pre));
            return before.or_else(|| Some(Work::Execute(task.id.clone())));
        }
        plan(Timing::Post, task.post).or_else(|| tool(Timing::Post)).or_else(|| tool(Timing::Pre))
    }

    /// The tasks that somebody is at, or that wait for an answer.
    fn busy_tasks(&self) -> BTreeSet<String> {
        let head = self.view.head();
        let attempts = head.attempts.values().map(|attempt| &attempt.work);
        let works = attempts.chain(head.questions.values().map(|question| &question.work));
        let task_of = |work: &Work| match work {
            Work::Plan(Target::Tools(id, _)) => Some(id.clone()),
            Work::Execute(id) => {
                let item = self.view.item(id)?;
                let is_tool = item.level == self.hierarchy.tool_level();
                if is_tool { item.parent.clone() } else { Some(id.clone()) }
            }
            Work::Plan(_) | Work::SetUp(_) | Work::Catalog(_) => None,
        };
        works.filter_map(task_of).collect()
    }

    /// Hands out work, unless somebody has it, an answer to it is waited for, or there is no room.
    fn assign(&mut self, work: Work) -> Progress {
        let head = self.view.head();
        let is_taken = head.attempts.values().any(|attempt| attempt.work == work);
        if is_taken || head.questions.values().any(|question| question.work == work) {
            return Progress::Rest;
        }
        let role = match &work {
            Work::Plan(_) => Some(Role::Planner),
            Work::Execute(_) => Some(Role::Executor),
            // The engine itself does these.
            Work::SetUp(_) | Work::Catalog(_) => None,
        };
        let mut reserved = Used::default();
        let holder = if role.is_some_and(|role| self.world.people.contains(&role)) {
            Holder::Person
        } else if role.is_some() && head.rests.values().any(|rest| Some(rest.work.role()) == role) {
            // What holds one of them back would hold back the others.
            return Progress::Rest;
        } else {
            if role.is_some() {
                match head.reservation(&self.most()) {
                    Ok(enough) => reserved = enough,
                    Err(measure) => return self.exhaust(measure),
                }
            }
            let Some(free) = self.free.checked_sub(1) else { return Progress::Rest };
            self.free = free;
            Holder::Process(self.world.me.into())
        };
        let Tries { attempts, problems, answers, .. } = head.tries.get(&work.key()).cloned().unwrap_or_default();
        let fence = head.fence.saturating_add(1);
        let number = attempts.saturating_add(1);
        let since = self.world.now.to_string();
        self.fact(Fact::Assigned(Attempt { fence, work, number, holder, since, problems, answers, reserved }));
        self.effect(Effect::Start(fence));
        Progress::Rest
    }
}

/// BY-08: what work may use.
impl Step<'_> {
    /// What an attempt uses at most.
    pub(crate) fn most(&self) -> Used {
        let limits = self.limits;
        Used {
            tokens: limits.attempt_tokens,
            micro_dollars: limits.attempt_micro_dollars,
            seconds: limits.attempt_seconds,
        }
    }

    /// Nothing is left to set aside: those at work may leave something; if there are none, a person is asked.
    fn exhaust(&mut self, measure: Measure) -> Progress {
        let is_set_aside = |attempt: &Attempt| attempt.reserved.of(measure) > 0;
        if !self.view.head().attempts.values().any(is_set_aside) {
            self.fact(Fact::Exhausted { measure });
            self.effect(Effect::Say(Said::Question));
        }
        Progress::Rest
    }
}

/// The outermost items as the template has them, with ids and order; or how it differs from the protocol's.
pub(crate) fn template_rows(hierarchy: &Hierarchy, world: &World<'_>) -> Result<Vec<Planned>, String> {
    let Some(level) = hierarchy.levels.first().filter(|level| level.source == Source::Template) else {
        return Ok(Vec::new());
    };
    let names: Vec<&str> = world.template.iter().map(|row| row.name.trim()).collect();
    if !hierarchy.layers.is_empty() && names != hierarchy.layers {
        let (there, expected) = (names.join(", "), hierarchy.layers.join(", "));
        return Err(format!("the template of the {}s has {there}; the protocol has {expected}", level.name));
    }
    Ok(numbered(hierarchy, level, None, world.template))
}

fn numbered(hierarchy: &Hierarchy, level: &Level, parent: Option<&str>, rows: &[Planned]) -> Vec<Planned> {
    let rows = rows.iter().zip(1_u32..).map(|(row, number)| {
        let id = hierarchy.full_id(parent, &level.id_of(number.into()));
        let folder = match (hierarchy.placing, parent) {
            (Placing::ByFolder, None) => folder_of(&row.folder, &id, &row.name),
            _ => String::new(),
        };
        Planned { id: Some(id), order: Some(number), folder, ..row.clone() }
    });
    rows.collect()
}

/// Where a phase leaves its final outputs: as its rule says, else in a folder of its own (LN-16).
pub fn folder_of(rule: &str, id: &str, name: &str) -> String {
    let rule = if rule.trim().is_empty() { "outputs/{phase_id}_{phase_name}" } else { rule.trim() };
    let folder = rule.replace("{phase_id}", id).replace("{phase_name}", &file_name(name));
    folder.trim_end_matches('/').into()
}
