//! What a fact changes. It decides nothing, refuses nothing and never panics: what makes no sense is ignored, so that
//! a replay of any journal ends in a state. The same code changes a run and the view of a run that a decision is made on.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::fact::Fact;
use crate::hierarchy::{Hierarchy, Placing, PreludeTask};
use crate::index::Index;
use crate::input::Verdict;
use crate::item::{Action, Item, Planned, State, Target, Timing};
use crate::run::{Attempt, Cast, Course, Rest, Run, Status};

/// Takes a fact into a run. Nothing but `Started` makes a run, and nothing changes one that is over.
pub fn apply(hierarchy: &Hierarchy, run: &mut Option<Run>, run_id: &str, fact: &Fact) {
    match (run.as_mut(), fact) {
        (None, Fact::Started { .. }) => *run = begin(run_id, fact),
        (None, _) => {}
        (Some(run), fact) => apply_to(hierarchy, run, fact),
    }
}

/// The same for a run that has begun.
pub fn apply_to(hierarchy: &Hierarchy, run: &mut Run, fact: &Fact) {
    match fact {
        Fact::Started { .. } => {}
        _ if run.course == Course::Over => {}
        Fact::Edited { item } => run.put(hierarchy, item),
        Fact::Removed { item } => run.take_out(item),
        fact => {
            run.freshen();
            take(hierarchy, run, fact);
        }
    }
}

/// What facts are applied to: a run, or the view of one.
pub(crate) trait Board {
    /// Everything but the items.
    fn head(&self) -> &Run;
    fn head_mut(&mut self) -> &mut Run;
    fn find(&self, id: &str) -> Option<usize>;
    fn at(&self, at: usize) -> Option<&Item>;
    /// Changes what no order and no lookup rests on.
    fn mark(&mut self, at: usize, mark: impl FnOnce(&mut Item));
    /// Gives a pending item its last state.
    fn settle(&mut self, at: usize, state: State);
    fn add(&mut self, items: Vec<Item>);
    fn has_outermost(&self) -> bool;

    fn item(&self, id: &str) -> Option<&Item> {
        self.at(self.find(id)?)
    }
}

impl Board for Run {
    fn head(&self) -> &Run {
        self
    }

    fn head_mut(&mut self) -> &mut Run {
        self
    }

    fn find(&self, id: &str) -> Option<usize> {
        self.index.find(&self.items, id)
    }

    fn at(&self, at: usize) -> Option<&Item> {
        self.items.get(at)
    }

    fn mark(&mut self, at: usize, mark: impl FnOnce(&mut Item)) {
        if let Some(item) = self.items.get_mut(at) {
            mark(item);
        }
    }

    fn settle(&mut self, at: usize, state: State) {
        if let Some(item) = self.items.get_mut(at)
            && item.state == State::Pending
        {
            item.state = state;
            self.index.settled(&self.items, at);
        }
    }

    fn add(&mut self, items: Vec<Item>) {
        self.items.extend(items);
        self.index.add(&self.items);
    }

    fn has_outermost(&self) -> bool {
        self.index.family("").is_some()
    }
}

impl Run {
    /// Makes the index anew if it does not belong to the items.
    pub(crate) fn freshen(&mut self) {
        if !self.index.fits(&self.items) {
            self.index = Index::of(&self.items);
        }
    }

    fn put(&mut self, hierarchy: &Hierarchy, item: &Item) {
        if item.level >= hierarchy.levels.len() {
            return;
        }
        match self.find(&item.id) {
            Some(at) => {
                if let Some(there) = self.items.get_mut(at) {
                    there.clone_from(item);
                }
                self.index.outdate();
            }
            // Siblings that were ready may have to wait for the new one, so the index is made anew.
            None => {
                self.items.push(item.clone());
                self.index.outdate();
            }
        }
    }

    fn take_out(&mut self, id: &str) {
        if let Some(at) = self.find(id) {
            self.items.remove(at);
            self.index.outdate();
        }
    }
}

fn begin(run_id: &str, fact: &Fact) -> Option<Run> {
    let Fact::Started { protocol, request, mode, retry_of, definition, at } = fact else { return None };
    Some(Run {
        id: run_id.into(),
        protocol: protocol.clone(),
        request: request.clone(),
        mode: *mode,
        status: Status::Pending,
        course: Course::Planning,
        driver: None,
        cast: Cast::default(),
        paused: None,
        items: Vec::new(),
        attempts: Default::default(),
        fence: 0,
        tries: Default::default(),
        worked: Default::default(),
        proposal: None,
        wishes: Vec::new(),
        questions: Default::default(),
        rests: Default::default(),
        budget: Default::default(),
        used: Default::default(),
        exhausted: None,
        failure: None,
        formats: Vec::new(),
        retry_of: retry_of.clone(),
        learned: Vec::new(),
        definition: definition.clone(),
        started: at.clone(),
        index: Index::default(),
    })
}

/// The table: one arm for each fact.
// tidy: transition table
pub(crate) fn take(hierarchy: &Hierarchy, board: &mut impl Board, fact: &Fact) {
    match fact {
        Fact::Started { .. } | Fact::Edited { .. } | Fact::Removed { .. } => {}
        Fact::TakenOver { items, worked, formats, .. } => {
            take_over(board, items);
            let head = board.head_mut();
            head.worked.clone_from(worked);
            head.formats.clone_from(formats);
            if !items.is_empty() {
                move_on(hierarchy, board);
            }
        }
        Fact::Learned { past } => board.head_mut().learned.clone_from(past),
        Fact::Driven { by, cast } => {
            let head = board.head_mut();
            head.driver.clone_from(by);
            // Whoever lets go of a run leaves word of who worked on it.
            if by.is_some() {
                head.cast.clone_from(cast);
            }
        }
        Fact::Assigned(attempt) => assign(board.head_mut(), attempt),
        Fact::SentBack { fence, problems } => {
            let head = board.head_mut();
            if let Some(attempt) = head.attempts.remove(fence) {
                let tries = head.tries.entry(attempt.work.key()).or_default();
                tries.sent_back = tries.sent_back.saturating_add(1);
                tries.problems.clone_from(problems);
            }
        }
        Fact::Lost { fence, .. } => {
            let head = board.head_mut();
            if let Some(attempt) = head.attempts.remove(fence) {
                let tries = head.tries.entry(attempt.work.key()).or_default();
                tries.lost = tries.lost.saturating_add(1);
            }
        }
        Fact::Rested { fence, rest } => put_off(board.head_mut(), *fence, rest),
        Fact::Budgeted { budget, .. } => {
            let head = board.head_mut();
            head.budget = *budget;
            head.exhausted = None;
        }
        Fact::Spent { used, .. } => board.head_mut().used.add(used),
        Fact::Exhausted { measure } => board.head_mut().exhausted = Some(*measure),
        Fact::Woke { fence } => drop(board.head_mut().rests.remove(fence)),
        Fact::Planned { fence, target, rows } => {
            close_attempt(board.head_mut(), *fence);
            plan(hierarchy, board, target, rows);
        }
        Fact::Proposed { fence, proposal } => {
            let head = board.head_mut();
            close_attempt(head, *fence);
            head.proposal = Some(proposal.clone());
            head.status = Status::AwaitingConfirmation;
            head.course = Course::Gate;
        }
        Fact::Answered { verdict, .. } => answer(hierarchy, board, verdict),
        Fact::Constituted { .. } => {
            let head = board.head_mut();
            head.formats = head.proposal.take().map(|proposal| proposal.formats).unwrap_or_default();
        }
        Fact::Catalogued { fence, .. } => close_attempt(board.head_mut(), *fence),
        Fact::Worked { fence, item, files } => {
            close_attempt(board.head_mut(), *fence);
            if let Some(at) = board.find(item) {
                board.mark(at, |item| item.core_done = true);
                board.head_mut().worked.insert(item.clone(), files.clone());
            }
        }
        Fact::Completed { item, .. } => {
            board.head_mut().worked.remove(item);
            if let Some(at) = board.find(item) {
                board.settle(at, State::Completed);
                move_on(hierarchy, board);
            }
        }
        Fact::Asked { fence, question } => {
            let head = board.head_mut();
            head.attempts.remove(fence);
            head.questions.insert(*fence, question.clone());
        }
        Fact::Told { fence, answer, .. } => {
            let head = board.head_mut();
            if let Some(question) = head.questions.remove(fence) {
                let tries = head.tries.entry(question.work.key()).or_default();
                tries.answers.push((question.text, answer.clone()));
            }
        }
        Fact::Paused { reason } => board.head_mut().paused = Some(reason.clone()),
        Fact::Resumed => {
            let head = board.head_mut();
            head.paused = None;
            // Whoever has it go on wants it to go on now.
            head.rests.clear();
            head.tries.values_mut().for_each(|tries| tries.rests = 0);
        }
        Fact::Failed(failure) => {
            for at in failure.items.iter().filter_map(|id| board.find(id)).collect::<Vec<_>>() {
                board.settle(at, State::Failed);
            }
            let head = board.head_mut();
            end(head, Status::Failed);
            head.failure = Some(failure.clone());
        }
        Fact::Finished => end(board.head_mut(), Status::Completed),
    }
}

fn assign(head: &mut Run, attempt: &Attempt) {
    head.fence = head.fence.max(attempt.fence);
    let tries = head.tries.entry(attempt.work.key()).or_default();
    tries.attempts = tries.attempts.max(attempt.number);
    head.attempts.insert(attempt.fence, attempt.clone());
}

/// Ends an attempt that could not begin to work: it counts as none.
fn put_off(head: &mut Run, fence: u64, rest: &Rest) {
    if let Some(attempt) = head.attempts.remove(&fence) {
        let tries = head.tries.entry(attempt.work.key()).or_default();
        tries.attempts = tries.attempts.min(attempt.number.saturating_sub(1));
        tries.rests = tries.rests.saturating_add(1);
        head.rests.insert(fence, rest.clone());
    }
}

/// Ends an attempt that succeeded: what had gone wrong before no longer matters.
fn close_attempt(head: &mut Run, fence: u64) {
    if let Some(attempt) = head.attempts.remove(&fence) {
        head.tries.remove(&attempt.work.key());
    }
}

/// Nobody drives a run that is over, and nothing waits in it.
fn end(head: &mut Run, status: Status) {
    head.status = status;
    head.course = Course::Over;
    head.driver = None;
    head.paused = None;
    head.attempts.clear();
    head.questions.clear();
    head.rests.clear();
    head.exhausted = None;
    head.tries.clear();
}

fn answer(hierarchy: &Hierarchy, board: &mut impl Board, verdict: &Verdict) {
    let head = board.head_mut();
    if head.course != Course::Gate {
        return;
    }
    match verdict {
        Verdict::Confirm => {
            head.status = Status::Pending;
            head.course = Course::Preparing;
            move_on(hierarchy, board);
        }
        Verdict::Modify(words) => {
            head.status = Status::Pending;
            head.course = Course::Proposing;
            head.wishes.push(words.clone());
        }
        Verdict::NewRequest(request) => {
            head.status = Status::Pending;
            head.course = Course::Proposing;
            head.request.clone_from(request);
            head.wishes.clear();
            head.proposal = None;
        }
        // The failure that ends the run is a fact of its own.
        Verdict::Cancel => {}
    }
}

/// The course follows from the tasks of the preparation that are still pending.
fn move_on(hierarchy: &Hierarchy, board: &mut impl Board) {
    let is_pending = |task: &&PreludeTask| board.item(task.id()).is_some_and(|item| item.state == State::Pending);
    let mut pending = hierarchy.prelude.iter().filter(is_pending);
    let next = match (board.head().course, pending.next()) {
        (Course::Planning | Course::SettingUp, Some(PreludeTask::SetUp(_))) => Course::SettingUp,
        (Course::Planning | Course::SettingUp, Some(first)) => {
            let is_law = |task: &PreludeTask| matches!(task, PreludeTask::Constitute(_));
            let asks = pending.any(is_law);
            match first {
                first if is_law(first) => Course::Proposing,
                // What is catalogued before the proposal.
                PreludeTask::Catalog(_) if asks => Course::SettingUp,
                _ if asks => Course::Proposing,
                _ => Course::Preparing,
            }
        }
        (Course::Planning | Course::SettingUp | Course::Preparing, None) => Course::Working,
        (course, _) => course,
    };
    board.head_mut().course = next;
}

fn plan(hierarchy: &Hierarchy, board: &mut impl Board, target: &Target, rows: &[Planned]) {
    let task_level = hierarchy.task_level();
    match target {
        Target::Proposal => {}
        Target::Prelude => {
            if board.head().course == Course::Planning {
                add_rows(hierarchy, board, rows, task_level, Some(hierarchy.prelude_parent), None);
                move_on(hierarchy, board);
            }
        }
        Target::Children(parent) if parent.is_empty() => {
            if !board.has_outermost() && task_level > 0 {
                add_rows(hierarchy, board, rows, 0, None, None);
            }
        }
        Target::Children(parent) => {
            let Some(at) = board.find(parent) else { return };
            let Some(level) = board.at(at).map(|item| item.level + 1) else { return };
            if level <= task_level && mark_planned(board, at, "children") {
                add_rows(hierarchy, board, rows, level, Some(parent), None);
            }
        }
        Target::Tools(parent, timing) => {
            let Some(at) = board.find(parent) else { return };
            let is_task = board.at(at).is_some_and(|item| item.level == task_level);
            if is_task && mark_planned(board, at, timing.word()) {
                add_rows(hierarchy, board, rows, hierarchy.tool_level(), Some(parent), Some(*timing));
            }
        }
    }
}

/// Whether it was not planned before.
fn mark_planned(board: &mut impl Board, at: usize, what: &str) -> bool {
    let is_new = board.at(at).is_some_and(|item| !item.is_planned(what));
    if is_new {
        board.mark(at, |item| item.planned.push(what.into()));
    }
    is_new
}

fn add_rows(
    hierarchy: &Hierarchy,
    board: &mut impl Board,
    rows: &[Planned],
    level: usize,
    parent: Option<&str>,
    timing: Option<Timing>,
) {
    let acts = hierarchy.placing == Placing::ByFolder && level == hierarchy.task_level();
    let mut items: Vec<Item> = Vec::with_capacity(rows.len());
    let mut taken = alloc::collections::BTreeSet::new();
    for (number, row) in rows.iter().enumerate() {
        let Some(id) = row.id.as_deref() else { continue };
        if board.find(id).is_some() || !taken.insert(id) {
            continue;
        }
        items.push(Item {
            id: id.into(),
            level,
            parent: parent.map(String::from),
            order: row.order.unwrap_or_else(|| u32::try_from(number + 1).unwrap_or(u32::MAX)),
            name: row.name.clone(),
            inputs: row.inputs.clone(),
            output: row.output.clone(),
            guidelines: row.guidelines.clone(),
            folder: row.folder.clone(),
            action: if acts { Action::split(&row.purpose).0 } else { None },
            by_tools: !row.procedure.trim().is_empty(),
            pre: !row.pre.trim().is_empty(),
            post: !row.post.trim().is_empty(),
            timing,
            state: State::Pending,
            core_done: false,
            planned: Vec::new(),
        });
    }
    board.add(items);
}

fn take_over(board: &mut impl Board, items: &[Item]) {
    let mut taken = alloc::collections::BTreeSet::new();
    let fresh = items.iter().filter(|item| taken.insert(item.id.to_string()) && board.find(&item.id).is_none());
    let fresh: Vec<Item> = fresh.cloned().collect();
    board.add(fresh);
}

impl Item {
    /// Whether its children, or its tool tasks of a timing, were planned.
    pub fn is_planned(&self, what: &str) -> bool {
        self.planned.iter().any(|planned| planned == what)
    }
}

impl Timing {
    /// How `Item::planned` spells it.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Pre => "pre",
            Self::Post => "post",
        }
    }
}
