//! What happened between two views of a run, as notices: who only looks is told the same as who carries on.

use std::collections::BTreeMap;

use engine::{ItemView, Notice, RunView};

use super::super::live::model::who;

/// What happened between two views.
pub(super) fn notices(before: &RunView, after: &RunView) -> Vec<Notice> {
    let run = || after.run.clone();
    let mut notices = Vec::new();
    for attempt in after.attempts.iter().filter(|one| before.attempts.iter().all(|old| old.fence != one.fence)) {
        notices.push(Notice::Assigned {
            run: run(),
            fence: attempt.fence,
            role: attempt.role.clone(),
            what: attempt.what.clone(),
            item: attempt.item.clone(),
            attempt: attempt.attempt,
            agent: who(attempt),
        });
    }
    let known: BTreeMap<&str, &ItemView> = before.items.iter().map(|item| (item.id.as_str(), item)).collect();
    // What belongs to something is told before it.
    for item in after.items.iter().rev().filter(|item| item.level != "group") {
        let was_done = known.get(item.id.as_str()).is_some_and(|old| old.status == "COMPLETED");
        if item.status == "COMPLETED" && !was_done {
            let files = Some(item.output.clone()).filter(|output| !output.is_empty()).into_iter().collect();
            let (name, level) = (item.name.clone(), item.level);
            notices.push(Notice::Completed { run: run(), item: item.id.clone(), level, name, files });
        }
    }
    match (&before.paused, &after.paused) {
        (None, Some(reason)) => notices.push(Notice::Paused { run: run(), reason: reason.clone() }),
        (Some(_), None) => notices.push(Notice::Resumed { run: run() }),
        _ => {}
    }
    if before.status != after.status && after.status == "COMPLETED" {
        notices.push(Notice::Finished { run: run() });
    }
    notices
}

#[cfg(test)]
mod tests {
    use super::*;

    fn view(status: &'static str, items: &[(&str, &'static str)]) -> RunView {
        let item = |(id, status): &(&str, &'static str)| ItemView {
            id: (*id).into(),
            level: "task",
            depth: 0,
            name: "a task".into(),
            status,
            running: false,
            output: String::new(),
        };
        RunView {
            run: "run-1".into(),
            request: String::new(),
            status,
            items: items.iter().map(item).collect(),
            ..RunView::default()
        }
    }

    #[test]
    fn what_became_done_is_told_once() {
        let before = view("PENDING", &[("S01", "PENDING"), ("T05", "COMPLETED"), ("T06", "PENDING")]);
        let after = view("COMPLETED", &[("S01", "COMPLETED"), ("T05", "COMPLETED"), ("T06", "COMPLETED")]);
        let told: Vec<String> = notices(&before, &after)
            .into_iter()
            .map(|notice| match notice {
                Notice::Completed { item, .. } => item,
                other => format!("{other:?}"),
            })
            .collect();
        assert_eq!(told, ["T06", "S01", "Finished { run: \"run-1\" }"]);
        assert!(notices(&after, &after).is_empty());
    }
}
