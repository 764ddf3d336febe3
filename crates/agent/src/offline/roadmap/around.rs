//! What a Planner without a model makes of an item that failed or is blocked, and of an answer: it waits for whoever makes
//! what is missing, it is taken apart, or it is left, with the reason. Must not look at files.

use super::deed::{Deed, several};
use super::paths::paths;
use crate::roadmap::{Cancelled, Changed, Context, Item, NewItem, Plan};

/// Words with which a person gives something up.
const NO: [&str; 12] = [
    "cancel",
    "skip",
    "drop",
    "leave it",
    "not needed",
    "never mind",
    "forget it",
    "abbrechen",
    "weglassen",
    "annuler",
    "cancelar",
    "取消",
];
/// Words with which a person has it tried again.
const AGAIN: [&str; 6] = ["again", "retry", "try it", "nochmal", "encore", "重试"];

/// A plan around an item that did not come to its end, and a summary.
pub(super) fn around(context: &Context, key: &str, reason: &str) -> (Plan, String) {
    let Some(item) = context.items.iter().find(|item| item.key == key) else {
        return (Plan::default(), format!("{key} is not in the roadmap any more: nothing to plan"));
    };
    if let Some(planned) = waiting(context, item, reason) {
        return planned;
    }
    if let Some(parts) = several(&item.title) {
        return taken_apart(context, item, &parts);
    }
    let reason = reason.trim().trim_end_matches('.');
    (
        Plan::default(),
        format!("no rule knows a way around {}: {reason} (planned by rule, without a model)", item.number),
    )
}

/// Whoever lacks a file waits for the item that makes it.
fn waiting(context: &Context, item: &Item, reason: &str) -> Option<(Plan, String)> {
    let missing = paths(reason);
    let is_maker = |other: &&Item| {
        other.key != item.key && other.status != "Cancelled" && other.claims.iter().any(|path| missing.contains(path))
    };
    let makers: Vec<&Item> = context.items.iter().filter(is_maker).collect();
    // Whoever waits for this one cannot be waited for.
    let makers: Vec<&Item> = makers.into_iter().filter(|maker| !rests_on(context, &maker.key, &item.key)).collect();
    let open: Vec<String> =
        makers.iter().filter(|maker| !item.depends_on.contains(&maker.key)).map(|maker| maker.key.clone()).collect();
    let is_made = makers.iter().any(|maker| maker.status == "Completed");
    if open.is_empty() || makers.iter().all(|maker| maker.status == "Failed") && !is_made {
        return None;
    }
    let depends_on: Vec<String> = item.depends_on.iter().cloned().chain(open.iter().cloned()).collect();
    let change = Changed { item: item.key.clone(), depends_on: Some(depends_on), ..Changed::default() };
    let summary = format!(
        "{} is tried again after {}, which makes what it lacked (planned by rule, without a model)",
        item.number,
        open.join(", ")
    );
    Some((Plan { change: vec![change], ..Plan::default() }, summary))
}

/// Whether one item waits for another, over any number of steps.
fn rests_on(context: &Context, key: &str, on: &str) -> bool {
    let (mut looked, mut next) = (Vec::new(), vec![key.to_string()]);
    while let Some(key) = next.pop() {
        if key == on {
            return true;
        }
        if looked.contains(&key) {
            continue;
        }
        let depends = context.items.iter().find(|item| item.key == key).map(|item| item.depends_on.clone());
        next.extend(depends.unwrap_or_default());
        looked.push(key);
    }
    false
}

/// Every part becomes an item that waits for the one before; whoever waited for the whole waits for the last.
fn taken_apart(context: &Context, item: &Item, parts: &[String]) -> (Plan, String) {
    let mut plan = Plan::default();
    let mut before = item.depends_on.clone();
    for (part, count) in parts.iter().zip(1..) {
        let number = free(context, &item.number, count);
        let claims = Deed::read(part).map_or_else(|| paths(part), |deed| deed.changes());
        let group = item.group.clone();
        let after = if count == 1 { item.key.clone() } else { free(context, &item.number, count - 1) };
        plan.add.push(NewItem {
            number: number.clone(),
            title: part.clone(),
            group,
            after,
            depends_on: before,
            claims,
        });
        before = vec![number];
    }
    let numbers: Vec<&str> = plan.add.iter().map(|one| one.number.as_str()).collect();
    let reason = format!("taken apart into {}", numbers.join(", "));
    plan.cancel.push(Cancelled { item: item.key.clone(), reason, instead: before });
    let summary =
        format!("{} asked for several things and is taken apart (planned by rule, without a model)", item.number);
    (plan, summary)
}

/// A number below another one that nobody has.
fn free(context: &Context, number: &str, count: usize) -> String {
    let is_taken = |own: &str| context.items.iter().any(|item| item.number == own || item.key == own);
    let mut left = count;
    let mut candidates = (1..).map(|last: usize| format!("{number}.{last}")).filter(|own| !is_taken(own));
    let mut found = String::new();
    while left > 0 {
        found = candidates.next().unwrap_or_default();
        left -= 1;
    }
    found
}

/// What an answer means for the roadmap: it is given up, it is done with the answer, or it is as it was.
pub(super) fn replied(context: &Context, key: &str, question: &str, response: &str) -> (Plan, String) {
    // In a project that came without its journal only the title says who asked.
    let asks =
        |item: &&Item| matches!(Deed::read(&item.title), Some(Deed::Ask { question: own, .. }) if own == question);
    let item = context.items.iter().find(|item| item.key == key).or_else(|| context.items.iter().find(asks));
    let lower = response.trim().to_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| lower.starts_with(word));
    let Some(item) = item else {
        return (Plan::default(), format!("the answer \"{}\" concerns no item", response.trim()));
    };
    let is_over = matches!(item.status.as_str(), "Completed" | "Cancelled");
    if says(&NO) && !is_over {
        let reason = format!("the user says: {}", response.trim());
        let plan =
            Plan { cancel: vec![Cancelled { item: item.key.clone(), reason, instead: Vec::new() }], ..Plan::default() };
        return (plan, format!("{} is given up, as the user says", item.number));
    }
    if is_over && let Some(Deed::Ask { to: Some(file), .. }) = Deed::read(&item.title) {
        let answer = response.trim().replace('"', "'");
        let number = free(context, &item.number, 1);
        let title = format!("Write \"{answer}\" to {file}");
        let (group, after, claims) = (item.group.clone(), item.key.clone(), vec![file.clone()]);
        let add = vec![NewItem { number: number.clone(), title, group, after, depends_on: Vec::new(), claims }];
        return (Plan { add, ..Plan::default() }, format!("{number} writes what the user answers to \"{question}\""));
    }
    if says(&AGAIN) && matches!(item.status.as_str(), "Failed" | "Pending") {
        let change = vec![Changed { item: item.key.clone(), ..Changed::default() }];
        return (Plan { change, ..Plan::default() }, format!("{} is tried again, as the user says", item.number));
    }
    (Plan::default(), format!("{} goes on with the answer: {}", item.number, response.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn context() -> Context {
        let item = |key: &str, title: &str, status: &str, depends_on: &[&str], claims: &[&str]| Item {
            key: key.into(),
            number: key.into(),
            title: title.into(),
            group: "A".into(),
            status: status.into(),
            depends_on: depends_on.iter().map(|one| (*one).to_string()).collect(),
            claims: claims.iter().map(|one| (*one).to_string()).collect(),
            ..Item::default()
        };
        Context {
            items: vec![
                item("1.1", "Join docs/a.md and docs/b.md into docs/c.md", "Failed", &[], &["docs/c.md"]),
                item("1.2", "Copy data/b.md to docs/b.md", "Pending", &[], &["docs/b.md"]),
                item("1.3", "Copy x.md to y.md; copy y.md to z.md", "Failed", &["1.2"], &[]),
                item("1.4", "Check that z.md exists", "Pending", &["1.3"], &[]),
                item("1.5", "Ask \"Which?\" and write the answer to docs/w.md", "Completed", &[], &["docs/w.md"]),
            ],
            ..Context::default()
        }
    }

    /// A blocked item is planned around: it waits for whoever makes what it lacks.
    #[test]
    fn whoever_lacks_a_file_waits_for_it() {
        let (plan, summary) = around(&context(), "1.1", "`docs/b.md` is not there");
        assert_eq!(
            plan.change[0],
            Changed { item: "1.1".into(), depends_on: Some(vec!["1.2".into()]), ..Changed::default() }
        );
        assert!(summary.starts_with("1.1 is tried again after 1.2"), "{summary}");
        let (plan, summary) = around(&context(), "1.1", "`docs/nobody.md` is not there");
        assert_eq!(plan, Plan::default());
        assert!(summary.contains("no rule knows a way around 1.1: `docs/nobody.md` is not there"), "{summary}");
    }

    #[test]
    fn an_item_of_several_parts_is_taken_apart() {
        let (plan, _) = around(&context(), "1.3", "`x.md` is not there");
        let told: Vec<String> = plan
            .add
            .iter()
            .map(|one| format!("{} {} <{}> {}", one.number, one.title, one.after, one.depends_on.join(",")))
            .collect();
        assert_eq!(told, ["1.3.1 Copy x.md to y.md <1.3> 1.2", "1.3.2 copy y.md to z.md <1.3.1> 1.3.1"]);
        assert_eq!((plan.cancel[0].item.as_str(), &plan.cancel[0].instead), ("1.3", &vec!["1.3.2".to_string()]));
    }

    /// RM-08: an answer is taken up: given up, written down, or gone on with.
    #[test]
    fn rm08_answers_change_the_roadmap() {
        let (plan, _) = replied(&context(), "1.2", "Which?", "Skip it, please");
        assert_eq!(plan.cancel[0].item, "1.2");
        let (plan, _) = replied(&context(), "1.5", "Which?", " the \"red\" one ");
        assert_eq!(
            (plan.add[0].title.as_str(), plan.add[0].number.as_str()),
            ("Write \"the 'red' one\" to docs/w.md", "1.5.1")
        );
        assert_eq!(replied(&context(), "1.2", "Which?", "blue").0, Plan::default());
        assert_eq!(replied(&context(), "", "Which?", "blue").0.add[0].number, "1.5.1", "by its title");
        assert_eq!(replied(&context(), "9", "What?", "blue").0, Plan::default());
        assert_eq!(replied(&context(), "1.1", "Which?", "Try it now").0.change[0].item, "1.1");
    }
}
