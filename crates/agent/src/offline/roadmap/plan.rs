//! The Planner's part without a model: from what a goal asks for to items with numbers, groups, dependencies and files, next
//! to those that are there. Must not look at files, nor know how a plan is written into a log.

use std::collections::{BTreeMap, BTreeSet};

use super::super::text_goal::Goal;
use super::deed::{Deed, is_doable};
use super::outline::{Outline, Wish, folded, outline};
use super::paths::paths;
use crate::roadmap::{Changed, Context, Item, NewItem, Plan, WITHIN};

/// The longest title, in characters.
const TITLE: usize = 400;
/// The most items and groups of one plan.
const MOST: usize = 500;
/// How many titles a summary names.
const NAMED: usize = 5;

/// The plan for a goal, and a summary of it; or why there is none.
pub(super) fn plan(context: &Context) -> Result<(Plan, String), String> {
    let goal = context.task.goal.as_str();
    let Outline { mut wishes, mut notes } = outline(goal);
    if wishes.is_empty() {
        wishes = of_prose(goal);
    }
    if wishes.is_empty() {
        return Err("the goal is empty: write into the task file what is to be done, best as a list".into());
    }
    if let Some(circle) = circle(&wishes) {
        return Err(format!("these wait for each other, so that none can begin: {circle}; mend the goal"));
    }
    let mut numbers = Numbers::of(context);
    numbers.reserved = wishes.iter().map(|wish| wish.number.clone()).collect();
    let there: BTreeMap<String, &Item> = context
        .items
        .iter()
        .filter(|item| item.status != "Cancelled")
        .map(|item| (folded(&item.title), item))
        .collect();
    let (mut plan, mut known): (Plan, Vec<Option<String>>) = (Plan::default(), Vec::new());
    let mut told: BTreeSet<&str> = BTreeSet::new();
    for wish in &wishes {
        let item = there.get(&folded(&wish.title));
        known.push(match item {
            Some(item) => {
                told.insert(&item.key);
                Some(item.key.clone())
            }
            None if wish.is_done => None,
            None => Some(numbers.take(wish)),
        });
    }
    for (wish, number) in wishes.iter().zip(&known) {
        let Some(number) = number else { continue };
        let depends_on: Vec<String> = wish.after.iter().filter_map(|at| known[*at].clone()).collect();
        match there.get(&folded(&wish.title)) {
            Some(item) => plan.change.extend(changed(item, &depends_on)),
            None => plan.add.push(added(wish, number, depends_on)),
        }
    }
    let plan = plan.settled(&context.groups);
    let many = plan.add.len() + plan.groups.len();
    if many > MOST {
        return Err(format!(
            "the goal asks for {many} new items and groups; a plan adds up to {MOST}: name some of them later"
        ));
    }
    let gone = |item: &&Item| item.status == "Pending" && !told.contains(item.key.as_str());
    let gone: Vec<&Item> = context.items.iter().filter(gone).collect();
    if !gone.is_empty() && !told.is_empty() {
        let titles: Vec<String> =
            gone.iter().take(NAMED).map(|item| format!("{} {}", item.number, item.title)).collect();
        let more = gone.len().saturating_sub(NAMED);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        notes.push(format!("no longer in the goal, and left as they are: {}{more}", titles.join("; ")));
    }
    Ok((plan.clone(), summary(&plan, &wishes, &notes)))
}

fn added(wish: &Wish, number: &str, depends_on: Vec<String>) -> NewItem {
    let mut claims = wish.claims.clone();
    if claims.is_empty() {
        claims = match Deed::read(&wish.title) {
            Some(deed) => deed.changes(),
            None => paths(&wish.title),
        };
    }
    claims.sort();
    claims.dedup();
    let title: String = wish.title.chars().take(TITLE).collect();
    NewItem { number: number.into(), title, group: wish.groups.join(WITHIN), after: String::new(), depends_on, claims }
}

/// An item that is there may have got something more to wait for.
fn changed(item: &Item, depends_on: &[String]) -> Option<Changed> {
    let is_more = item.status == "Pending" && depends_on.iter().any(|key| !item.depends_on.contains(key));
    let all: BTreeSet<String> = item.depends_on.iter().chain(depends_on).cloned().collect();
    is_more.then(|| Changed {
        item: item.key.clone(),
        depends_on: Some(all.into_iter().collect()),
        ..Changed::default()
    })
}

/// A goal without a list: the sentences that code can do, else the whole as one item.
fn of_prose(goal: &str) -> Vec<Wish> {
    let sentences = super::super::request::goals(goal);
    let wish = |title: &str| Wish { title: title.trim().trim_end_matches('.').to_string(), ..Wish::default() };
    let sentences: Vec<&String> = sentences.iter().filter(|text| !text.trim_start().starts_with('#')).collect();
    let doable: Vec<Wish> = sentences.iter().filter(|text| is_doable(text)).map(|text| wish(text)).collect();
    if !doable.is_empty() {
        return doable;
    }
    let whole: Vec<&str> = sentences.iter().map(|text| text.as_str()).collect();
    match (Goal::read(goal), whole.first()) {
        (Some(_), _) => vec![wish(&whole.join(" "))],
        (None, Some(first)) => vec![wish(first)],
        (None, None) => Vec::new(),
    }
}

/// Those that wait for each other, in a circle.
fn circle(wishes: &[Wish]) -> Option<String> {
    let mut open: Vec<usize> = wishes.iter().map(|wish| wish.after.len()).collect();
    let mut free: Vec<usize> = (0..wishes.len()).filter(|at| open[*at] == 0).collect();
    let mut followers: Vec<Vec<usize>> = vec![Vec::new(); wishes.len()];
    for (at, wish) in wishes.iter().enumerate() {
        wish.after.iter().for_each(|before| followers[*before].push(at));
    }
    while let Some(at) = free.pop() {
        for next in &followers[at] {
            open[*next] -= 1;
            if open[*next] == 0 {
                free.push(*next);
            }
        }
    }
    let stuck: Vec<String> = wishes
        .iter()
        .zip(&open)
        .filter(|(_, open)| **open > 0)
        .take(NAMED)
        .map(|(wish, _)| format!("`{}`", wish.title))
        .collect();
    (!stuck.is_empty()).then(|| stuck.join(", "))
}

fn summary(plan: &Plan, wishes: &[Wish], notes: &[String]) -> String {
    let groups: BTreeSet<&str> =
        plan.add.iter().map(|item| item.group.as_str()).filter(|group| !group.is_empty()).collect();
    let waiting = plan.add.iter().filter(|item| !item.depends_on.is_empty()).count();
    let done = wishes.iter().filter(|wish| wish.is_done).count();
    let mut parts = vec![match plan.add.len() {
        0 => "nothing to add: the roadmap has all that the goal asks for".to_string(),
        count => format!("{count} items added in {} groups, {waiting} of them wait for others", groups.len()),
    }];
    if !plan.change.is_empty() {
        parts.push(format!("{} items wait for more than before", plan.change.len()));
    }
    if done > 0 {
        parts.push(format!("{done} entries are ticked in the goal and left out"));
    }
    parts.extend(notes.iter().cloned());
    format!("{} (planned by rule, without a model)", parts.join("; "))
}

/// The numbers that are taken, and the next ones.
#[derive(Debug, Default)]
struct Numbers {
    taken: BTreeSet<String>,
    /// Those that the goal itself gives out.
    reserved: BTreeSet<String>,
    /// The number of a group, by the title of the outermost.
    groups: BTreeMap<String, u32>,
    /// The highest second part, by the first.
    last: BTreeMap<u32, u32>,
}

impl Numbers {
    fn of(context: &Context) -> Self {
        let mut numbers = Self::default();
        for item in &context.items {
            numbers.note(&item.number);
            numbers.taken.insert(item.key.clone());
            let outer = context.titles(&item.group).first().copied().unwrap_or_default();
            if let Some(first) = leading(&item.number).filter(|_| !outer.is_empty() && item.number.contains('.')) {
                numbers.groups.entry(outer.to_string()).or_insert(first);
            }
        }
        numbers
    }

    fn note(&mut self, number: &str) {
        self.taken.insert(number.to_string());
        let mut parts = number.split('.').map(|part| part.parse::<u32>().ok());
        if let (Some(Some(first)), second) = (parts.next(), parts.next()) {
            let last = self.last.entry(first).or_insert(0);
            *last = (*last).max(second.flatten().unwrap_or(0));
        }
    }

    /// The number of a new item: its own, if it is free; else the next of its group.
    fn take(&mut self, wish: &Wish) -> String {
        if !wish.number.is_empty() && !self.taken.contains(&wish.number) {
            let own = wish.number.clone();
            if let (Some(outer), Some(first)) = (wish.groups.first(), leading(&own)) {
                self.groups.entry(outer.clone()).or_insert(first);
            }
            self.note(&own);
            return own;
        }
        let number = match wish.groups.first() {
            None => (1..).map(|first: u32| first.to_string()).find(|number| self.is_free(number)),
            Some(outer) => {
                let first = self.group(outer);
                let from = self.last.get(&first).copied().unwrap_or(0) + 1;
                (from..)
                    .map(|second| format!("{first}.{second}"))
                    .find(|number| !self.taken.contains(number) && !self.reserved.contains(number))
            }
        };
        let number = number.unwrap_or_default();
        self.note(&number);
        number
    }

    fn is_free(&self, number: &str) -> bool {
        let is_group = number
            .parse::<u32>()
            .is_ok_and(|first| self.last.contains_key(&first) || self.groups.values().any(|own| *own == first));
        !self.taken.contains(number) && !self.reserved.contains(number) && !is_group
    }

    fn group(&mut self, outer: &str) -> u32 {
        if let Some(first) = self.groups.get(outer) {
            return *first;
        }
        let used: BTreeSet<u32> = self.last.keys().chain(self.groups.values()).copied().collect();
        let named = outer.split_whitespace().find_map(leading).filter(|first| !used.contains(first));
        let first = named.unwrap_or_else(|| used.last().copied().unwrap_or(0) + 1);
        self.groups.insert(outer.to_string(), first);
        first
    }
}

/// The first part of a number: 2 of `2.1`, `2:` and `2`.
fn leading(text: &str) -> Option<u32> {
    let digits: String = text.chars().take_while(char::is_ascii_digit).collect();
    let rest = &text[digits.len()..];
    let is_number = !digits.is_empty() && digits.len() < 6 && (rest.is_empty() || rest.starts_with(['.', ':', ')']));
    is_number.then(|| digits.parse().ok()).flatten().filter(|first| *first > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn context(goal: &str, items: &[(&str, &str, &str, &str)]) -> Context {
        let mut context = Context::default();
        context.task.goal = goal.into();
        context.groups = vec![crate::roadmap::Group { key: "A".into(), title: "A".into(), parent: None }];
        context.items = items
            .iter()
            .map(|(number, title, group, status)| Item {
                key: (*number).into(),
                number: (*number).into(),
                title: (*title).into(),
                group: (*group).into(),
                status: (*status).into(),
                ..Item::default()
            })
            .collect();
        context
    }

    fn told(context: &Context) -> Vec<String> {
        let (plan, _) = plan(context).unwrap();
        let added = plan.add.iter().map(|item| {
            format!(
                "{} {} |{}|{}|{}",
                item.number,
                item.title,
                item.group,
                item.depends_on.join(","),
                item.claims.join(",")
            )
        });
        let changed = plan
            .change
            .iter()
            .map(|one| format!("{} waits for {}", one.item, one.depends_on.clone().unwrap().join(",")));
        added.chain(changed).collect()
    }

    #[test]
    fn a_goal_becomes_items_with_groups_numbers_dependencies_and_files() {
        let goal = "# T\n## Phase 1: Notes\n- Summarise data/a.md in docs/a.md\n- Summarise data/b.md in docs/b.md\n## Phase 2\n- Join docs/a.md and docs/b.md into docs/all.md (after Phase 1)\n- 2.7. Look at docs/x.md\n- Done with it (needs 2.7)\n";
        assert_eq!(
            told(&context(goal, &[])),
            [
                "1.1 Summarise data/a.md in docs/a.md |Phase 1: Notes||docs/a.md",
                "1.2 Summarise data/b.md in docs/b.md |Phase 1: Notes||docs/b.md",
                "2.1 Join docs/a.md and docs/b.md into docs/all.md |Phase 2|1.1,1.2|docs/all.md",
                "2.7 Look at docs/x.md |Phase 2||docs/x.md",
                "2.8 Done with it |Phase 2|2.7|",
            ]
        );
    }

    #[test]
    fn a_changed_goal_adds_what_is_missing_and_says_what_is_gone() {
        let goal = "## A\n- one thing\n- new thing\n- two things (after new thing)";
        let there = [
            ("1.1", "One thing.", "A", "Completed"),
            ("1.2", "two things", "A", "Pending"),
            ("1.3", "old thing", "A", "Pending"),
        ];
        let context = context(goal, &there);
        assert_eq!(told(&context), ["1.4 new thing |A||", "1.2 waits for 1.4"]);
        assert!(plan(&context).unwrap().1.contains("left as they are: 1.3 old thing"));
    }

    #[test]
    fn goals_without_a_list_and_goals_that_cannot_be() {
        assert_eq!(
            told(&context("Write \"x\" to docs/a.md. It is nice.", &[])),
            ["1 Write \"x\" to docs/a.md |||docs/a.md"]
        );
        assert_eq!(told(&context("Think about it.", &[])), ["1 Think about it |||"]);
        assert!(plan(&context("  ", &[])).unwrap_err().contains("the goal is empty"));
        let circle = plan(&context("- ask a (after buy b)\n- buy b (after ask a)", &[])).unwrap_err();
        assert!(circle.contains("wait for each other, so that none can begin: `ask a`, `buy b`"), "{circle}");
    }
}
