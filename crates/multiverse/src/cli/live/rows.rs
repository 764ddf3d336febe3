//! Which rows of the tree are shown: all of them where there is room, else what is finished is folded first, then what
//! is to come; who is at work is shown to the last. Counts and chooses; what a row looks like is not decided here.

use super::model::{Item, Level, PREPARATION, RunModel, State, Working};

/// One row below the head of a run.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Row<'a> {
    /// An item, so deep.
    Item { item: &'a Item, depth: usize, open: Open },
    /// Somebody at work on what is no row of its own: a plan, a proposal.
    Work { working: &'a Working, depth: usize },
    /// What somebody at work said last.
    Line { text: &'a str, depth: usize },
    /// So many that are done.
    Done { count: usize, depth: usize },
    /// So many that are to come.
    ToCome { count: usize, depth: usize },
    /// So many more at work.
    More { count: usize },
}

/// Whether what an item holds is shown below it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Open {
    Shown,
    Folded,
}

/// How much is folded; each folds what the one before does, too.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Fold {
    Nothing,
    /// What agents say on the way.
    Lines,
    DonePhases,
    DoneStages,
    DoneTasks,
    TasksToCome,
    PhasesToCome,
    /// All but what is under way.
    Others,
    /// All but who is at work.
    Quiet,
}

const FOLDS: [Fold; 9] = [
    Fold::Nothing,
    Fold::Lines,
    Fold::DonePhases,
    Fold::DoneStages,
    Fold::DoneTasks,
    Fold::TasksToCome,
    Fold::PhasesToCome,
    Fold::Others,
    Fold::Quiet,
];

/// The rows of a run, no more than so many.
pub(crate) fn rows(run: &RunModel, most: usize, least_fold: Fold) -> Vec<Row<'_>> {
    for fold in FOLDS.into_iter().filter(|fold| *fold >= least_fold) {
        let mut rows = Rows { run, fold, most, found: Vec::new() };
        rows.of_run();
        if rows.found.len() <= most {
            return rows.found;
        }
    }
    let mut found: Vec<Row<'_>> =
        run.works.values().take(most.saturating_sub(1)).map(|working| Row::Work { working, depth: 0 }).collect();
    let left = run.works.len() - found.len();
    if left > 0 && most > 0 {
        found.push(Row::More { count: left });
    }
    found
}

struct Rows<'a> {
    run: &'a RunModel,
    fold: Fold,
    most: usize,
    found: Vec<Row<'a>>,
}

impl<'a> Rows<'a> {
    fn of_run(&mut self) {
        let run = self.run;
        if self.fold == Fold::Quiet {
            self.found.extend(run.works.values().map(|working| Row::Work { working, depth: 0 }));
            return;
        }
        if !run.items.contains_key(PREPARATION) {
            self.works_of(None, 0);
        }
        self.items(&run.roots, 0);
    }

    fn item(&mut self, item: &'a Item, depth: usize) {
        // What does not fit anyway need not be looked at.
        let is_under_way = item.state == State::Failed || (item.state == State::Pending && item.began.is_some());
        if self.found.len() > self.most || (self.fold >= Fold::Others && !is_under_way) {
            return;
        }
        let is_done = item.state == State::Done;
        let folds = match (item.level, depth) {
            (Level::Group, 0) => is_done && self.fold >= Fold::DonePhases,
            (Level::Group, _) => is_done && self.fold >= Fold::DoneStages,
            // What a finished task needed on the way is nobody's concern any more.
            _ => is_done,
        };
        let open = if folds || item.children.is_empty() { Open::Folded } else { Open::Shown };
        self.found.push(Row::Item { item, depth, open });
        if item.level == Level::Group {
            let id = if item.id == PREPARATION { None } else { Some(item.id.as_str()) };
            self.works_of(id, depth + 1);
        } else if self.fold < Fold::Lines {
            let works = self.run.works.values().filter(|working| working.item.as_deref() == Some(item.id.as_str()));
            let lines = works.filter(|working| !working.line.is_empty());
            self.found.extend(lines.map(|working| Row::Line { text: &working.line, depth: depth + 1 }));
        }
        if open == Open::Shown {
            self.items(&item.children, depth + 1);
        }
    }

    /// Who is at work on an item that holds others: a planner.
    fn works_of(&mut self, id: Option<&str>, depth: usize) {
        let works = self.run.works.values().filter(|working| working.item.as_deref() == id);
        self.found.extend(works.map(|working| Row::Work { working, depth }));
    }

    /// Items that stand beside each other, as far as they are not folded.
    fn items(&mut self, ids: &'a [String], depth: usize) {
        let run = self.run;
        let (mut done, mut coming) = (0, 0);
        for child in ids.iter().filter_map(|id| run.items.get(id)) {
            let is_at_work = child.began.is_some();
            let is_task = child.level != Level::Group;
            let folds_coming = match is_task {
                true => self.fold >= Fold::TasksToCome,
                false => depth == 0 && self.fold >= Fold::PhasesToCome,
            };
            match child.state {
                State::Done if is_task && self.fold >= Fold::DoneTasks => done += 1,
                State::Pending if !is_at_work && folds_coming => coming += 1,
                _ => {
                    let count = std::mem::take(&mut done);
                    if count > 0 && self.fold < Fold::Others {
                        self.found.push(Row::Done { count, depth });
                    }
                    self.item(child, depth);
                }
            }
        }
        if self.fold >= Fold::Others {
            return;
        }
        if done > 0 {
            self.found.push(Row::Done { count: done, depth });
        }
        if coming > 0 {
            self.found.push(Row::ToCome { count: coming, depth });
        }
    }
}
