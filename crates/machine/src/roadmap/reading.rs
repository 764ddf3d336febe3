//! A log that somebody edited, compared with what is known (RM-12). What a person adds, renames, removes or reorders is
//! taken as it is; a change of state along the diagram is taken, any other is put back with a problem. What an agent wrote
//! is checked like a plan, and refused whole where it is not valid.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::changes::{CancelItem, ChangeItem, NewGroup, NewItem, PlanChanges};
use super::check::resolve;
use super::decide::{Step, unknown};
use super::fact::{Ended, Fact, Noted};
use super::input::{Editor, Effect, ReadItem, Reading};
use super::item::{Group, Item, Last, Spot};
use super::moves::{Move, move_between};
use super::pool::Pool;
use super::state::Attempt;
use super::words::{Status, Work};
use crate::input::Refusal;

/// What in a log belongs to what is known.
pub(super) struct Matched {
    /// For each item of the log, the key by which it is known.
    known: Vec<Option<String>>,
    /// Known items that are not in the log.
    gone: Vec<String>,
    /// The keys by which the log's groups are known; those that are not in here are new.
    groups: BTreeMap<String, String>,
}

impl Step<'_> {
    pub(super) fn edited(&mut self, reading: &Reading, by: &Editor) -> Result<(), Refusal> {
        let matched = match_up(&self.session.pool, reading);
        match by {
            Editor::Person => {
                self.take_edit(reading, &matched);
                Ok(())
            }
            Editor::Agent { fence, noted } => match self.session.attempts.get(fence).cloned() {
                Some(attempt) => self.take_agents_edit(&attempt, reading, &matched, noted.as_ref()),
                None => Err(unknown(&self.session, *fence)),
            },
        }
    }

    fn take_edit(&mut self, reading: &Reading, matched: &Matched) {
        if reading.log_number > self.session.log_number {
            self.fact(Fact::Numbered { log_number: reading.log_number });
        }
        for key in &matched.gone {
            self.drop_by_hand(key);
        }
        let renumbered = self.renumbered(reading, matched);
        if !renumbered.is_empty() {
            self.fact(Fact::Renumbered { items: renumbered.clone() });
        }
        self.take_groups(reading, matched);
        self.take_order(reading, matched);
        let kept: BTreeSet<&str> = renumbered.iter().map(|(_, new, _)| new.as_str()).collect();
        for (read, known) in reading.items.iter().zip(&matched.known) {
            if known.is_some() {
                self.take_words(read);
                self.take_status(read);
                if !kept.contains(read.key.as_str()) {
                    self.take_last(read, reading);
                }
            }
        }
        self.drop_groups(reading, matched);
    }

    fn drop_by_hand(&mut self, key: &str) {
        if let Some(attempt) = self.holder_of(key) {
            self.end(attempt.fence, Ended::TakenOver("a person removed its item".into()));
            self.effect(Effect::Stop(attempt.fence));
        }
        self.fact(Fact::Dropped { item: key.into() });
    }

    fn renumbered(&self, reading: &Reading, matched: &Matched) -> Vec<(String, String, String)> {
        let pairs = reading.items.iter().zip(&matched.known).filter_map(|(read, known)| Some((read, known.as_ref()?)));
        let changed = pairs.filter(|(read, known)| {
            let number = self.session.pool.item(known).map(|item| item.number.as_str());
            read.key != **known || number != Some(read.number.as_str())
        });
        changed.map(|(read, known)| (known.clone(), read.key.clone(), read.number.clone())).collect()
    }

    /// Groups that are new or say something else. Those that are gone go last, when nothing stands in them.
    fn take_groups(&mut self, reading: &Reading, matched: &Matched) {
        for read in &reading.groups {
            let group = Group {
                key: matched.group(&read.key).into(),
                title: read.title.clone(),
                parent: read.parent.as_deref().map(|parent| matched.group(parent).into()),
            };
            if self.session.pool.group(&group.key) != Some(&group) {
                self.fact(Fact::Grouped(group));
            }
        }
    }

    fn drop_groups(&mut self, reading: &Reading, matched: &Matched) {
        let there: BTreeSet<&str> = reading.groups.iter().map(|group| matched.group(&group.key)).collect();
        let all = self.session.pool.groups().map(|group| group.key.as_str());
        let gone: Vec<String> = all.filter(|key| !there.contains(key)).map(String::from).collect();
        for group in gone {
            self.fact(Fact::Ungrouped { group });
        }
    }

    /// New items, and as few moves as lead from the order as it was to that of the log.
    fn take_order(&mut self, reading: &Reading, matched: &Matched) {
        let places: BTreeMap<String, usize> =
            self.session.pool.items().enumerate().map(|(place, item)| (item.key.clone(), place)).collect();
        let old: Vec<Option<usize>> = reading
            .items
            .iter()
            .zip(&matched.known)
            .map(|(read, known)| known.as_ref().and_then(|_| places.get(&read.key).copied()))
            .collect();
        let stays = longest_rise(&old);
        let mut before: Option<&str> = None;
        for (index, read) in reading.items.iter().enumerate() {
            let spot = before.map_or(Spot::First, |before| Spot::After(before.into()));
            let group = read.group.as_deref().map(|group| matched.group(group).to_string());
            match self.session.pool.item(&read.key).filter(|_| matched.known[index].is_some()) {
                None => self.add_read(read, group, spot),
                Some(known) if known.group != group || !stays[index] => {
                    self.fact(Fact::Reordered { item: read.key.clone(), spot, group });
                }
                Some(_) => {}
            }
            before = Some(&read.key);
        }
    }

    fn add_read(&mut self, read: &ReadItem, group: Option<String>, spot: Spot) {
        let status = match read.status {
            None => Status::Pending,
            Some(Status::Locked) => {
                self.put_back(&read.key, "it was Locked by nobody who is at work; whoever takes it locks it");
                Status::Pending
            }
            Some(status) => status,
        };
        let item = Item {
            number: read.number.clone(),
            group,
            depends_on: read.depends_on.clone(),
            claims: read.claims.clone(),
            status,
            last: read.last.clone().filter(|last| self.is_new(last)),
            ..Item::new(&read.key, &read.title)
        };
        self.fact(Fact::Added { item, spot });
    }

    /// Whether an entry is one that a person added: nobody here wrote it, and it is not of a period before.
    fn is_new(&self, last: &Last) -> bool {
        last.log > self.log_before
    }

    fn take_words(&mut self, read: &ReadItem) {
        let Some(item) = self.session.pool.item(&read.key) else { return };
        let title = (item.title != read.title).then(|| read.title.clone());
        let depends_on = (item.depends_on != read.depends_on).then(|| read.depends_on.clone());
        let claims = (item.claims != read.claims).then(|| read.claims.clone());
        if title.is_some() || depends_on.is_some() || claims.is_some() {
            self.fact(Fact::Changed { item: read.key.clone(), title, depends_on, claims });
        }
    }

    fn put_back(&mut self, key: &str, problem: &str) {
        let problem = format!("item {key}: {problem}");
        self.tell(problem.clone());
        self.fact(Fact::PutBack { item: key.into(), problem });
    }

    fn take_status(&mut self, read: &ReadItem) {
        let Some(item) = self.session.pool.item(&read.key).cloned() else { return };
        let key = item.key.as_str();
        match (item.status, read.status) {
            (_, None) => self.put_back(key, "its state cannot be told; write Pending, Completed, Failed or Cancelled"),
            (from, Some(to)) if from == to => {
                if from == Status::Locked && read.executor != item.executor {
                    self.put_back(key, "its executor is whoever took it, and is not changed by hand");
                }
            }
            (_, Some(Status::Locked)) => {
                self.put_back(key, "nobody who is at work has it; whoever takes it locks it");
            }
            (Status::Locked, Some(_)) if item.queued.is_some() => {
                self.put_back(key, "it is done and being integrated; wait until it is Completed");
            }
            // Whoever did it without saying so first took it, and then ended it.
            (Status::Pending, Some(to @ (Status::Completed | Status::Failed))) => {
                self.move_item(key, Move::Lock);
                self.move_item(key, if to == Status::Completed { Move::Complete } else { Move::Fail });
            }
            (from, Some(to)) => match move_between(from, to) {
                Some(by) => self.move_by_hand(&item, by),
                None => {
                    let problem = format!("{from} cannot become {to}; add an item for what is to be done again");
                    self.put_back(key, &problem);
                }
            },
        }
    }

    fn move_by_hand(&mut self, item: &Item, by: Move) {
        if let Some(attempt) = self.holder_of(&item.key) {
            self.end(attempt.fence, Ended::TakenOver("a person changed the state of its item".into()));
            self.effect(Effect::Stop(attempt.fence));
        }
        self.move_item(&item.key, by);
        if by == Move::Reopen && item.replanned > 0 {
            self.fact(Fact::Replanned { item: item.key.clone(), count: 0 });
        }
    }

    /// The newest entry of an item: changed by hand, removed, or a new one.
    fn take_last(&mut self, read: &ReadItem, reading: &Reading) {
        let Some(item) = self.session.pool.item(&read.key) else { return };
        if let Some(new) = read.last.as_ref().filter(|new| self.is_new(new)) {
            return self.fact(Fact::Recalled { item: read.key.clone(), last: Some(new.clone()) });
        }
        let Some(last) = item.last.clone().filter(|_| !reading.entries.is_empty()) else { return };
        match reading.entries.iter().find(|entry| entry.number == last.log) {
            None => self.fact(Fact::Recalled { item: read.key.clone(), last: None }),
            Some(entry) if entry.result != last.verdict || entry.is_blocker != last.is_blocker => {
                let last = Last { verdict: entry.result, is_blocker: entry.is_blocker, ..last };
                self.fact(Fact::Recalled { item: read.key.clone(), last: Some(last) });
            }
            Some(_) => {}
        }
    }

    /// An agent's edit counts whole or not at all. What it says of its own item waits for its report.
    fn take_agents_edit(
        &mut self,
        attempt: &Attempt,
        reading: &Reading,
        matched: &Matched,
        noted: Option<&Noted>,
    ) -> Result<(), Refusal> {
        let mut wanted = Wanted::of(&self.session.pool, attempt, reading, matched);
        let own = wanted.own;
        let resolved = match resolve(&self.session, &wanted.changes, own, self.limits) {
            Ok(resolved) if wanted.problems.is_empty() => resolved,
            Ok(_) => return Err(invalid(&wanted.problems)),
            Err(more) => {
                wanted.problems.extend(more);
                return Err(invalid(&wanted.problems));
            }
        };
        let said = wanted.said;
        let around = match &attempt.work {
            Work::Plan(why) => why.item().and_then(|key| self.session.pool.item(key)).cloned(),
            Work::Do(_) | Work::Integrate(_) => None,
        };
        self.change_roadmap(attempt, resolved, around.as_ref(), None);
        if let Some(status) = said {
            let said = noted.cloned().map(|noted| Noted { status, ..noted });
            let said = said.unwrap_or(Noted { status, result: None, is_blocker: false, summary: String::new() });
            self.fact(Fact::Noted { fence: attempt.fence, said });
        } else if let Some(said) = noted {
            self.fact(Fact::Noted { fence: attempt.fence, said: said.clone() });
        }
        Ok(())
    }
}

fn invalid(problems: &[String]) -> Refusal {
    Refusal::new(
        format!("the edit of the log is not valid: {}", problems.join("; ")),
        "nothing was changed; edit it again",
    )
}

impl Matched {
    fn group<'k>(&'k self, key: &'k str) -> &'k str {
        self.groups.get(key).map_or(key, String::as_str)
    }
}

/// Items by key and title, then by title alone where it is one of a kind, then by key: an item that got another number, or
/// another title, is the same.
fn match_up(pool: &Pool, reading: &Reading) -> Matched {
    let mut known: Vec<Option<String>> = alloc::vec![None; reading.items.len()];
    let mut free: BTreeSet<&str> = pool.items().map(|item| item.key.as_str()).collect();
    for (read, known) in reading.items.iter().zip(&mut known) {
        if pool.item(&read.key).is_some_and(|item| item.title == read.title) && free.remove(read.key.as_str()) {
            *known = Some(read.key.clone());
        }
    }
    let mut titles: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for item in pool.items().filter(|item| free.contains(item.key.as_str())) {
        titles.entry(&item.title).or_default().push(&item.key);
    }
    let mut wanted: BTreeMap<&str, usize> = BTreeMap::new();
    for (read, _) in reading.items.iter().zip(&known).filter(|(_, known)| known.is_none()) {
        *wanted.entry(&read.title).or_default() += 1;
    }
    for (read, known) in reading.items.iter().zip(&mut known).filter(|(_, known)| known.is_none()) {
        if let (Some([key]), Some(1)) =
            (titles.get(read.title.as_str()).map(Vec::as_slice), wanted.get(read.title.as_str()))
        {
            free.remove(key);
            *known = Some((*key).into());
        }
    }
    for (read, known) in reading.items.iter().zip(&mut known).filter(|(_, known)| known.is_none()) {
        if free.remove(read.key.as_str()) {
            *known = Some(read.key.clone());
        }
    }
    let gone = free.into_iter().map(String::from).collect();
    Matched { known, gone, groups: match_groups(pool, reading) }
}

fn match_groups(pool: &Pool, reading: &Reading) -> BTreeMap<String, String> {
    let there: BTreeSet<&str> = reading.groups.iter().map(|group| group.key.as_str()).collect();
    let mut titles: BTreeMap<&str, Option<&str>> = BTreeMap::new();
    for group in pool.groups().filter(|group| !there.contains(group.key.as_str())) {
        titles.entry(&group.title).and_modify(|one| *one = None).or_insert(Some(&group.key));
    }
    let others = reading.groups.iter().filter(|read| pool.group(&read.key).is_none());
    let same = others.filter_map(|read| Some((read.key.clone(), titles.remove(read.title.as_str())??.to_string())));
    same.collect()
}

/// Which places of a list belong to a longest row of them that rises.
fn longest_rise(places: &[Option<usize>]) -> Vec<bool> {
    // The last index of the best row of each length, and what comes before each index in its row.
    let (mut ends, mut before): (Vec<usize>, Vec<Option<usize>>) = (Vec::new(), alloc::vec![None; places.len()]);
    for (index, place) in places.iter().enumerate() {
        let Some(place) = place else { continue };
        let length = ends.partition_point(|end| places[*end] < Some(*place));
        before[index] = length.checked_sub(1).map(|shorter| ends[shorter]);
        match ends.get_mut(length) {
            Some(end) => *end = index,
            None => ends.push(index),
        }
    }
    let mut stays = alloc::vec![false; places.len()];
    let mut next = ends.last().copied();
    while let Some(index) = next {
        stays[index] = true;
        next = before[index];
    }
    stays
}

/// What an agent's edit comes to: a plan, and what it says of its own item.
struct Wanted<'w> {
    changes: PlanChanges,
    own: Option<&'w str>,
    said: Option<Status>,
    problems: Vec<String>,
}

impl<'w> Wanted<'w> {
    fn of(pool: &Pool, attempt: &'w Attempt, reading: &Reading, matched: &Matched) -> Self {
        let own = match &attempt.work {
            Work::Do(item) => Some(item.as_str()),
            Work::Plan(_) | Work::Integrate(_) => None,
        };
        let mut wanted = Self { changes: PlanChanges::default(), own, said: None, problems: Vec::new() };
        for key in &matched.gone {
            wanted.problem(format!("item {key} is gone; cancel what is not wanted, and leave it in the roadmap"));
        }
        for group in &reading.groups {
            if pool.group(matched.group(&group.key)).is_none() {
                let (key, parent) =
                    (group.key.clone(), group.parent.as_deref().map(|parent| matched.group(parent).into()));
                wanted.changes.groups.push(NewGroup { key, title: group.title.clone(), parent });
            }
        }
        let places: BTreeMap<&str, usize> =
            pool.items().enumerate().map(|(at, item)| (item.key.as_str(), at)).collect();
        let old = matched.known.iter().map(|known| places.get(known.as_deref()?).copied());
        let stays = longest_rise(&old.collect::<Vec<_>>());
        let moved = matched.known.iter().zip(stays).find(|(known, stays)| known.is_some() && !stays);
        if let Some((Some(key), _)) = moved {
            wanted.problem(format!("item {key} stands elsewhere in the order: items stay where they are"));
        }
        let mut before: Option<&ReadItem> = None;
        for (read, known) in reading.items.iter().zip(&matched.known) {
            match known {
                None => wanted.add(read, before, matched),
                Some(known) if *known != read.key => {
                    wanted.problem(format!("item {known} cannot become {}: numbers stay", read.key));
                }
                Some(known) => {
                    if let Some(item) = pool.item(known) {
                        wanted.compare(item, read, matched);
                    }
                }
            }
            before = Some(read);
        }
        wanted
    }

    fn problem(&mut self, problem: String) {
        self.problems.push(problem);
    }

    fn add(&mut self, read: &ReadItem, before: Option<&ReadItem>, matched: &Matched) {
        if !matches!(read.status, None | Some(Status::Pending)) {
            self.problem(format!("item {} is new, and can only be Pending", read.key));
        }
        let group = read.group.as_deref().map(|group| matched.group(group).to_string());
        let after = before.filter(|before| before.group == read.group).map(|before| before.key.clone());
        self.changes.add.push(NewItem {
            number: (!read.number.is_empty()).then(|| read.number.clone()),
            title: read.title.clone(),
            group: group.filter(|_| after.is_none()),
            after,
            depends_on: read.depends_on.clone(),
            claims: read.claims.clone(),
        });
    }

    fn compare(&mut self, item: &Item, read: &ReadItem, matched: &Matched) {
        let key = item.key.as_str();
        if item.group.as_deref() != read.group.as_deref().map(|group| matched.group(group)) {
            self.problem(format!("item {key} stands in another group: items stay where they are"));
        }
        let change = ChangeItem {
            item: key.into(),
            title: (item.title != read.title).then(|| read.title.clone()),
            depends_on: (item.depends_on != read.depends_on).then(|| read.depends_on.clone()),
            claims: (item.claims != read.claims).then(|| read.claims.clone()),
        };
        let is_changed = change.title.is_some() || change.depends_on.is_some() || change.claims.is_some();
        match (item.status, read.status) {
            (from, to) if to == Some(from) => {
                if is_changed {
                    self.changes.change.push(change);
                }
            }
            (Status::Locked, Some(to)) if self.own == Some(key) => {
                self.said = Some(to);
                if is_changed {
                    self.changes.change.push(change);
                }
            }
            (Status::Failed, Some(Status::Pending)) => self.changes.change.push(change),
            (Status::Pending | Status::Locked | Status::Failed, Some(Status::Cancelled)) => {
                self.changes.cancel.push(CancelItem { item: key.into(), ..CancelItem::default() });
            }
            (from, Some(to)) => {
                let whose = if self.own.is_some() { "; its own item is what an executor reports on" } else { "" };
                self.problem(format!("item {key} cannot go from {from} to {to} by an edit{whose}"));
            }
            (_, None) => self.problem(format!("the state of item {key} cannot be told")),
        }
    }
}
