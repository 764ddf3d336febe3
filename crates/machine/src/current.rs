//! What others ask of a run: its items by id, their layer, and where it stands (`current_*`). It changes nothing.

use alloc::vec::Vec;

use crate::apply::Board;
use crate::hierarchy::{Hierarchy, PreludeBy, Source};
use crate::index::{Place, family_of};
use crate::item::{Item, Target};
use crate::names::layer_in_path;
use crate::run::{Course, Run, Status, Work};

/// Where a run stands, for the `current_*` columns.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Current<'r> {
    /// The outermost item.
    pub phase: Option<&'r str>,
    /// The one below it.
    pub stage: Option<&'r str>,
    /// All that hold the tasks, outermost first: these two, and more where a protocol has more levels.
    pub holders: Vec<&'r str>,
    /// The tasks that somebody is at, in plan order, each followed by its tool task if that is what is being done.
    pub tasks: Vec<&'r str>,
}

impl Run {
    /// The item of an id.
    pub fn item(&self, id: &str) -> Option<&Item> {
        Board::item(self, id)
    }

    /// The items below one, in order; of nothing (`""`), the outermost.
    pub fn children<'r>(&'r self, parent: &'r str) -> Vec<&'r Item> {
        if self.index.fits(&self.items) {
            let places = self.index.family(parent).into_iter().flat_map(|family| &family.all);
            return places.filter_map(|place| self.items.get(place.at)).collect();
        }
        let below = self.items.iter().enumerate().filter(|(_, item)| family_of(item) == parent);
        let mut places: Vec<Place> = below.map(|(at, item)| Place::of(item, at)).collect();
        places.sort_unstable();
        places.iter().filter_map(|place| self.items.get(place.at)).collect()
    }

    /// All items in the order of the plan: each followed by those below it, the preparation first.
    pub fn in_plan_order(&self, hierarchy: &Hierarchy) -> Vec<&Item> {
        let mut all = Vec::with_capacity(self.items.len());
        let mut stack: Vec<(&Item, usize)> = Vec::new();
        let outermost = self.children("").into_iter().filter(|item| item.level == 0);
        stack.extend(outermost.rev_order());
        stack.extend(self.children(hierarchy.prelude_parent).into_iter().rev_order());
        while let Some((item, level)) = stack.pop() {
            all.push(item);
            let below = self.children(&item.id).into_iter().filter(|child| child.level > level);
            stack.extend(below.rev_order());
        }
        all
    }

    /// The layer that an item belongs to: the name of its outermost ancestor; of a task of the preparation, the folder
    /// of its output.
    pub fn layer_of(&self, id: &str) -> Option<&str> {
        let mut item = self.item(id)?;
        while let Some(parent) = item.parent.as_deref().and_then(|parent| self.item(parent))
            && parent.level < item.level
        {
            item = parent;
        }
        let layer = if item.level == 0 { item.name.as_str() } else { layer_in_path(&item.output) };
        (!layer.is_empty()).then_some(layer)
    }

    /// The outermost item that an item belongs to.
    pub fn outermost_of(&self, id: &str) -> Option<&Item> {
        let mut item = self.item(id)?;
        while let Some(parent) = item.parent.as_deref().and_then(|parent| self.item(parent))
            && parent.level < item.level
        {
            item = parent;
        }
        Some(item).filter(|item| item.level == 0)
    }

    /// Where it stands. After a failure that is the place of the failure; after completion it is nowhere.
    pub fn current(&self, hierarchy: &Hierarchy) -> Current<'_> {
        let task_level = hierarchy.task_level();
        let (holders, tasks) = match (self.status, &self.failure) {
            (Status::Completed, _) => return Current::default(),
            (Status::Failed, Some(failure)) if !failure.items.is_empty() => {
                let failed: Vec<&Item> = failure.items.iter().rev().filter_map(|id| self.item(id)).collect();
                let ids = |is_wanted: &dyn Fn(usize) -> bool| {
                    failed.iter().filter(|item| is_wanted(item.level)).map(|item| item.id.as_str()).collect()
                };
                (ids(&|level| level < task_level), ids(&|level| level >= task_level))
            }
            _ => (self.open_holders(hierarchy), self.open_tasks(hierarchy)),
        };
        Current { phase: holders.first().copied(), stage: holders.get(1).copied(), holders, tasks }
    }

    fn open_holders(&self, hierarchy: &Hierarchy) -> Vec<&str> {
        let task_level = hierarchy.task_level();
        // The innermost level that comes from the template is there before anything is begun.
        let from_template = hierarchy.levels.iter().take_while(|level| level.source == Source::Template).count();
        let innermost = from_template.saturating_sub(1);
        let mut holders = Vec::new();
        let is_begun = match self.course {
            Course::Working => true,
            Course::Over => self.items.iter().any(|item| item.level == innermost && !item.planned.is_empty()),
            Course::Planning | Course::SettingUp | Course::Proposing | Course::Gate | Course::Preparing => false,
        };
        let mut parent = "";
        while is_begun
            && holders.len() < task_level
            && let Some(item) = self.first_pending(parent)
        {
            holders.push(item.id.as_str());
            parent = &item.id;
        }
        holders
    }

    fn first_pending(&self, parent: &str) -> Option<&Item> {
        if self.index.fits(&self.items) {
            let place = self.index.family(parent)?.pending.first()?;
            return self.items.get(place.at);
        }
        let children = self.items.iter().enumerate().filter(|(_, item)| family_of(item) == parent);
        let pending = children.filter(|(_, item)| item.state == crate::State::Pending);
        pending.min_by_key(|(at, item)| Place::of(item, *at)).map(|(_, item)| item)
    }

    fn open_tasks(&self, hierarchy: &Hierarchy) -> Vec<&str> {
        let works = self.attempts.values().map(|attempt| &attempt.work);
        let works = works.chain(self.questions.values().map(|question| &question.work));
        // What is put off keeps its place.
        let works = works.chain(self.rests.values().map(|rest| &rest.work));
        let mut found: Vec<(usize, Option<usize>)> = Vec::new();
        for work in works {
            let (Work::Plan(Target::Tools(id, _)) | Work::Execute(id) | Work::SetUp(id) | Work::Catalog(id)) = work
            else {
                continue;
            };
            let Some(at) = Board::find(self, id) else { continue };
            let item = self.items.get(at);
            // A preparation without rows is no task that anybody could look up.
            let is_hidden = hierarchy.prelude_by == PreludeBy::Code && hierarchy.prelude_task(id).is_some();
            if is_hidden {
                continue;
            }
            let parent =
                item.filter(|item| item.level == hierarchy.tool_level()).and_then(|item| item.parent.as_deref());
            found.push(match parent.and_then(|parent| Board::find(self, parent)) {
                Some(task) => (task, Some(at)),
                None => (at, None),
            });
        }
        // Mostly there is one.
        if found.len() > 1 {
            let place = |at: usize| self.items.get(at).map(|item| Place::of(item, at));
            found.sort_by_cached_key(|(task, tool)| (place(*task), tool.and_then(place)));
            found.dedup();
        }
        let ids = found.into_iter().flat_map(|(task, tool)| [Some(task), tool]).flatten();
        ids.filter_map(|at| self.items.get(at)).map(|item| item.id.as_str()).collect()
    }
}

/// For a stack: the last first, each with its level.
trait Reversed<'r> {
    fn rev_order(self) -> Vec<(&'r Item, usize)>;
}

impl<'r, I: Iterator<Item = &'r Item>> Reversed<'r> for I {
    fn rev_order(self) -> Vec<(&'r Item, usize)> {
        let mut items: Vec<_> = self.map(|item| (item, item.level)).collect();
        items.reverse();
        items
    }
}
