//! Whether what a plan wants changed can be: every problem is named, and nothing counts while there is one. What passes
//! is resolved: keys, places, dependencies as they will be. Looks at what the plan touches and at what depends on that.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::changes::{ChangeItem, NewItem, PlanChanges};
use super::claims;
use super::item::{Group, Item, Spot};
use super::keys::{bare_number, is_number, key_of, next_number};
use super::limits::Limits;
use super::pool::Pool;
use super::state::Session;
use super::words::Status;
use crate::plan::cycles;

/// What a plan comes to.
#[derive(Debug, Default)]
pub(super) struct Resolved {
    pub(super) groups: Vec<Group>,
    pub(super) add: Vec<(Item, Spot)>,
    /// What is different, dependents of what is cancelled included.
    pub(super) change: Vec<ChangeItem>,
    pub(super) cancel: Vec<(String, String)>,
    /// The items that the plan itself names for a change.
    pub(super) named: BTreeSet<String>,
}

/// What is wrong with changes as a session stands; nothing if they can be made. `own` is the item whose executor wants
/// them, if one does.
pub fn problems_of(session: &Session, changes: &PlanChanges, own: Option<&str>, limits: &Limits) -> Vec<String> {
    resolve(session, changes, own, limits).err().unwrap_or_default()
}

pub(super) fn resolve(
    session: &Session,
    changes: &PlanChanges,
    own: Option<&str>,
    limits: &Limits,
) -> Result<Resolved, Vec<String>> {
    let added = changes.add.len() + changes.groups.len();
    if added > limits.added {
        return Err(alloc::vec![format!(
            "the plan adds {added} items and groups, and at most {} are taken at once: plan the next ones first",
            limits.added
        )]);
    }
    if session.pool.len() + changes.add.len() > limits.items {
        return Err(alloc::vec![format!("the roadmap would have more than {} items", limits.items)]);
    }
    let mut draft = Draft::new(&session.pool, own, limits);
    draft.take_groups(changes);
    draft.number(&changes.add);
    draft.take_cancelled(changes);
    draft.take_changes(&changes.change);
    draft.place(&changes.add);
    draft.rewire(changes);
    draft.check_dependencies();
    draft.check_circles();
    if draft.problems.is_empty() { Ok(draft.resolved) } else { Err(draft.problems) }
}

struct Draft<'a> {
    pool: &'a Pool,
    own: Option<&'a str>,
    limits: &'a Limits,
    resolved: Resolved,
    /// New groups, by what the plan calls them.
    groups: BTreeMap<String, String>,
    /// The keys of new items, in order; empty for one that cannot be.
    keys: Vec<String>,
    /// The last item of each group as the plan goes on.
    last: BTreeMap<String, String>,
    /// The newest number.
    newest: Option<String>,
    cancelled: BTreeSet<String>,
    /// Dependencies that are new, by item: as the plan wants them.
    depends_on: BTreeMap<String, Vec<String>>,
    problems: Vec<String>,
}

impl<'a> Draft<'a> {
    fn new(pool: &'a Pool, own: Option<&'a str>, limits: &'a Limits) -> Self {
        Self {
            pool,
            own,
            limits,
            resolved: Resolved::default(),
            groups: BTreeMap::new(),
            keys: Vec::new(),
            last: BTreeMap::new(),
            newest: None,
            cancelled: BTreeSet::new(),
            depends_on: BTreeMap::new(),
            problems: Vec::new(),
        }
    }

    fn problem(&mut self, problem: String) {
        self.problems.push(problem);
    }

    fn take_groups(&mut self, changes: &PlanChanges) {
        for group in &changes.groups {
            let name = if group.key.trim().is_empty() { group.title.trim() } else { group.key.trim() };
            if let Some(problem) = self.wrong_title(&group.title) {
                self.problem(format!("group `{name}`: its title {problem}"));
                continue;
            }
            if self.groups.contains_key(name) || self.pool.group(name).is_some() {
                self.problem(format!("group `{name}` is there already: items can name it"));
                continue;
            }
            let parent = match group.parent.as_deref().map(|parent| self.group_named(parent)) {
                None => None,
                Some(Some(parent)) => Some(parent),
                Some(None) => {
                    let parent = group.parent.as_deref().unwrap_or_default();
                    self.problem(format!("group `{name}`: there is no group `{parent}` that it could stand in"));
                    continue;
                }
            };
            if self.depth_of(parent.as_deref()) + 1 > self.limits.depth {
                self.problem(format!("group `{name}` stands in more than {} others", self.limits.depth));
                continue;
            }
            let key = key_of("", &group.title, |key| self.is_taken(key));
            self.groups.insert(name.to_string(), key.clone());
            self.resolved.groups.push(Group { key, title: group.title.trim().into(), parent });
        }
    }

    /// The key of a group that is there, or is new; groups may be named by their titles, too.
    fn group_named(&self, name: &str) -> Option<String> {
        let name = name.trim();
        if self.pool.group(name).is_some() {
            return Some(name.into());
        }
        let new = self.resolved.groups.iter().find(|group| group.title == name || group.key == name);
        self.groups.get(name).cloned().or_else(|| new.map(|group| group.key.clone()))
    }

    fn depth_of(&self, group: Option<&str>) -> usize {
        let Some(group) = group else { return 0 };
        match self.resolved.groups.iter().find(|new| new.key == group) {
            Some(new) => 1 + self.depth_of(new.parent.as_deref()),
            None => self.pool.ancestors(Some(group)).count(),
        }
    }

    fn is_taken(&self, key: &str) -> bool {
        self.pool.item(key).is_some()
            || self.pool.group(key).is_some()
            || self.keys.iter().any(|new| new == key)
            || self.resolved.groups.iter().any(|group| group.key == key)
    }

    /// Numbers that the plan gives come first, so that none that is made up is in their way.
    fn number(&mut self, add: &[NewItem]) {
        self.keys = alloc::vec![String::new(); add.len()];
        let mut taken = BTreeSet::new();
        for (index, item) in add.iter().enumerate() {
            let Some(number) = item.number.as_deref().map(bare_number).filter(|number| !number.is_empty()) else {
                continue;
            };
            let title = item.title.trim();
            if !is_number(number) {
                self.problem(format!("item `{title}`: `{number}` is no number; write 3 or 3.1, or leave it out"));
            } else if !taken.insert(number) {
                self.problem(format!("number {number} comes twice in the plan"));
            } else if self.is_taken(number) {
                self.problem(format!("number {number} is taken already: give another, or leave it out"));
            } else {
                self.keys[index] = number.into();
            }
        }
    }

    fn take_cancelled(&mut self, changes: &PlanChanges) {
        for cancel in &changes.cancel {
            let key = bare_number(&cancel.item).to_string();
            let Some(item) = self.pool.item(&key) else {
                self.problem(format!("there is no item {key} to cancel"));
                continue;
            };
            match item.status {
                Status::Completed | Status::Cancelled => {
                    self.problem(format!("item {key} cannot be cancelled: it is {}", item.status));
                }
                Status::Locked if item.queued.is_some() => {
                    self.problem(format!("item {key} cannot be cancelled: it is done, and being integrated"));
                }
                Status::Pending | Status::Locked | Status::Failed => {
                    if self.cancelled.insert(key.clone()) {
                        self.resolved.cancel.push((key, cancel.reason.trim().into()));
                    } else {
                        self.problem(format!("item {key} is cancelled twice"));
                    }
                }
            }
        }
    }

    fn take_changes(&mut self, changes: &[ChangeItem]) {
        for change in changes {
            let key = bare_number(&change.item).to_string();
            let Some(item) = self.pool.item(&key) else {
                self.problem(format!("there is no item {key} to change"));
                continue;
            };
            let is_open = matches!(item.status, Status::Pending | Status::Failed) || self.own == Some(key.as_str());
            if !is_open {
                self.problem(format!("item {key} cannot be changed: it is {}", item.status));
            } else if self.cancelled.contains(&key) {
                self.problem(format!("item {key} is changed and cancelled"));
            } else if !self.resolved.named.insert(key.clone()) {
                self.problem(format!("item {key} is changed twice"));
            } else {
                self.take_change(key, change);
            }
        }
    }

    fn take_change(&mut self, key: String, change: &ChangeItem) {
        if let Some(problem) = change.title.as_deref().and_then(|title| self.wrong_title(title)) {
            self.problem(format!("item {key}: its title {problem}"));
        }
        if let Some(claims) = &change.claims {
            self.check_claims(&key, claims);
        }
        let depends_on = change.depends_on.as_deref().map(Self::named_keys);
        if let Some(depends_on) = &depends_on {
            self.depends_on.insert(key.clone(), depends_on.clone());
        }
        self.resolved.change.push(ChangeItem {
            item: key,
            title: change.title.as_deref().map(|title| title.trim().to_string()),
            depends_on,
            claims: change.claims.clone(),
        });
    }

    fn place(&mut self, add: &[NewItem]) {
        for (index, new) in add.iter().enumerate() {
            let title = new.title.trim();
            if let Some(problem) = self.wrong_title(title) {
                self.problem(format!("item {}: its title {problem}", index + 1));
                continue;
            }
            let Some((group, spot)) = self.spot_of(new) else { continue };
            let is_given = new.number.as_deref().is_some_and(|number| !bare_number(number).is_empty());
            if self.keys[index].is_empty() && is_given {
                continue;
            }
            if self.keys[index].is_empty() {
                self.keys[index] = self.made_up(group.as_deref());
            }
            let key = self.keys[index].clone();
            self.check_claims(&key, &new.claims);
            let depends_on = Self::named_keys(&new.depends_on);
            self.depends_on.insert(key.clone(), depends_on.clone());
            self.newest = Some(key.clone());
            let mut within = group.clone();
            while let Some(group) = within {
                within = self.parent_of(&group);
                self.last.insert(group, key.clone());
            }
            let item = Item {
                number: key.clone(),
                group,
                depends_on,
                claims: new.claims.iter().map(|claim| claim.trim().to_string()).collect(),
                ..Item::new(&key, title)
            };
            self.resolved.add.push((item, spot));
        }
    }

    /// The group and the place of a new item: after the one it names, else behind all others of its group.
    fn spot_of(&mut self, new: &NewItem) -> Option<(Option<String>, Spot)> {
        let title = new.title.trim();
        let group = match new.group.as_deref().filter(|group| !group.trim().is_empty()) {
            None => None,
            Some(name) => match self.group_named(name) {
                Some(group) => Some(group),
                None if self.pool.item(name.trim()).is_some() => {
                    self.problem(format!(
                        "item `{title}`: {name} is an item, not a group; cancel it, and add its parts beside it"
                    ));
                    return None;
                }
                None => {
                    self.problem(format!("item `{title}`: there is no group `{name}`; add it to `groups`"));
                    return None;
                }
            },
        };
        let Some(after) = new.after.as_deref().map(bare_number).filter(|after| !after.is_empty()) else {
            let spot = self.last_spot(group.as_deref());
            return Some((group, spot));
        };
        let Some(stands_in) = self.group_of(after) else {
            self.problem(format!("item `{title}`: there is no item {after} that it could come after"));
            return None;
        };
        if group.is_some() && group != stands_in {
            let group = group.unwrap_or_default();
            self.problem(format!("item `{title}`: item {after} does not stand in group `{group}`"));
            return None;
        }
        Some((stands_in, Spot::After(after.into())))
    }

    /// The group of an item that is there, or was added before; nothing if there is no such item.
    fn group_of(&self, key: &str) -> Option<Option<String>> {
        if let Some(item) = self.pool.item(key) {
            return Some(item.group.clone());
        }
        self.resolved.add.iter().find(|(item, _)| item.key == key).map(|(item, _)| item.group.clone())
    }

    fn last_spot(&self, group: Option<&str>) -> Spot {
        let Some(group) = group else { return Spot::Last };
        if let Some(last) = self.last.get(group) {
            return Spot::After(last.clone());
        }
        match self.pool.last_of(group) {
            Some(last) => Spot::After(last.key.clone()),
            None => self.last_spot(self.parent_of(group).as_deref()),
        }
    }

    fn parent_of(&self, group: &str) -> Option<String> {
        let new = self.resolved.groups.iter().find(|new| new.key == group);
        new.or_else(|| self.pool.group(group)).and_then(|group| group.parent.clone())
    }

    /// The number after that of the last item of the group; a group without one goes on where the roadmap ends.
    fn made_up(&self, group: Option<&str>) -> String {
        let number_of = |item: &'a Item| bare_number(&item.number);
        let last = group.and_then(|group| match self.last.get(group) {
            Some(last) => Some(last.as_str()),
            None => self.pool.last_of(group).map(number_of),
        });
        let overall = self.newest.as_deref().or_else(|| self.pool.last().map(number_of));
        let number = match (last, overall) {
            (Some(last), _) => next_number(last),
            // A group of its own begins with a number of its own.
            (None, Some(overall)) if group.is_some() && overall.contains('.') => {
                overall.split('.').next().and_then(next_number).map(|first| format!("{first}.1"))
            }
            (None, overall) => overall.and_then(next_number),
        };
        let mut number = number.unwrap_or_else(|| format!("{}", self.pool.len() + 1));
        while self.is_taken(&number) {
            number = next_number(&number).unwrap_or_else(|| format!("{number}.1"));
        }
        number
    }

    /// What depended on what is cancelled depends on what comes instead; where nothing does, the plan must say so.
    fn rewire(&mut self, changes: &PlanChanges) {
        for cancel in &changes.cancel {
            let key = bare_number(&cancel.item);
            if !self.cancelled.contains(key) {
                continue;
            }
            let instead = Self::named_keys(&cancel.instead);
            let pool = self.pool;
            for dependent in pool.dependents(key) {
                let is_open = !matches!(dependent.status, Status::Completed | Status::Cancelled);
                let is_said = self.depends_on.get(&dependent.key).is_some_and(|on| !on.iter().any(|on| on == key));
                if !is_open || is_said || dependent.key == key || self.cancelled.contains(&dependent.key) {
                    continue;
                }
                if instead.is_empty() {
                    self.problem(format!(
                        "item {} depends on {key}, which the plan cancels: change its depends_on, or say what comes instead",
                        dependent.key
                    ));
                    continue;
                }
                let old = self.depends_on.get(&dependent.key).unwrap_or(&dependent.depends_on);
                let mut new: Vec<String> = Vec::new();
                for on in old.iter().filter(|on| *on != key).chain(&instead) {
                    if !new.contains(on) && *on != dependent.key {
                        new.push(on.clone());
                    }
                }
                self.depends_on.insert(dependent.key.clone(), new.clone());
                match self.resolved.change.iter_mut().find(|change| change.item == dependent.key) {
                    Some(change) => change.depends_on = Some(new),
                    None => self.resolved.change.push(ChangeItem {
                        item: dependent.key.clone(),
                        depends_on: Some(new),
                        ..ChangeItem::default()
                    }),
                }
            }
        }
    }

    fn check_dependencies(&mut self) {
        let all = core::mem::take(&mut self.depends_on);
        for (key, depends_on) in &all {
            if depends_on.len() > self.limits.named {
                self.problem(format!("item {key} depends on more than {} items", self.limits.named));
            }
            for on in depends_on {
                if on == key {
                    self.problem(format!("item {key} depends on itself"));
                } else if self.cancelled.contains(on) {
                    self.problem(format!("item {key} depends on {on}, which the plan cancels"));
                } else if self.keys.contains(on) {
                    // A new one.
                } else {
                    match self.pool.item(on).map(|item| item.status) {
                        None => self.problem(format!("item {key} depends on {on}, which does not exist")),
                        Some(Status::Cancelled) => {
                            self.problem(format!("item {key} depends on {on}, which is Cancelled"));
                        }
                        Some(Status::Pending | Status::Locked | Status::Completed | Status::Failed) => {}
                    }
                }
            }
        }
        self.depends_on = all;
    }

    /// A circle that a plan makes goes through an item whose dependencies it sets: only what depends on these is looked at.
    fn check_circles(&mut self) {
        let mut nodes: Vec<&str> = self.depends_on.keys().map(String::as_str).collect();
        let touched = nodes.len();
        let mut places: BTreeMap<&str, usize> = nodes.iter().enumerate().map(|(at, key)| (*key, at)).collect();
        let mut next = 0;
        while let Some(key) = nodes.get(next).copied() {
            next += 1;
            let old = self.pool.dependents(key).filter(|item| self.is_edge(item)).map(|item| item.key.as_str());
            for dependent in old {
                if !places.contains_key(dependent) {
                    places.insert(dependent, nodes.len());
                    nodes.push(dependent);
                }
            }
        }
        let edges_of = |key: &str| -> Vec<usize> {
            let new = self.depends_on.get(key);
            let depends_on = new.or_else(|| self.pool.item(key).map(|item| &item.depends_on));
            depends_on.into_iter().flatten().filter_map(|on| places.get(on.as_str()).copied()).collect()
        };
        let edges: Vec<Vec<usize>> = nodes.iter().map(|key| edges_of(key)).collect();
        let circles = cycles(&edges).into_iter().filter(|circle| circle.len() > 1);
        let new = circles.filter(|circle| circle.iter().any(|node| *node < touched));
        let told: Vec<String> = new
            .map(|circle| {
                let names: Vec<&str> = circle.iter().chain(circle.first()).map(|node| nodes[*node]).collect();
                format!("items wait for each other: {}", names.join(" → "))
            })
            .collect();
        self.problems.extend(told);
    }

    /// Whether what an item depends on still matters.
    fn is_edge(&self, item: &Item) -> bool {
        !matches!(item.status, Status::Completed | Status::Cancelled) && !self.cancelled.contains(&item.key)
    }

    /// Dependencies as keys, none twice.
    fn named_keys(names: &[String]) -> Vec<String> {
        let mut keys: Vec<String> = Vec::new();
        for name in names.iter().map(|name| bare_number(name)).filter(|name| !name.is_empty()) {
            if !keys.iter().any(|key| key == name) {
                keys.push(name.into());
            }
        }
        keys
    }

    fn wrong_title(&self, title: &str) -> Option<String> {
        let title = title.trim();
        if title.is_empty() {
            return Some("is empty".into());
        }
        if title.contains(['\n', '\r']) {
            return Some("has more than one line".into());
        }
        let most = self.limits.title_bytes;
        (title.len() > most).then(|| format!("has {} bytes, more than {most}", title.len()))
    }

    fn check_claims(&mut self, key: &str, claims: &[String]) {
        if claims.len() > self.limits.named {
            self.problem(format!("item {key} claims more than {} files", self.limits.named));
        }
        for claim in claims {
            if let Err(reason) = claims::normal(claim) {
                self.problem(format!("item {key}: its claim `{claim}` {reason}"));
            }
        }
    }
}
