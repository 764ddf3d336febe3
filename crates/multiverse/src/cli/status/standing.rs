//! Where a run stands, in a few words that say what is really going on. The protocol's own word is in the tables.

use anstyle::Style;
use engine::RunView;

use super::super::output::{BAD, GOOD, HINT};
use super::super::visible;

/// Whether the process that took a run up lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Driver {
    Alive,
    Gone,
}

/// The words, and how they look.
pub(super) fn standing(view: &RunView, driver: Driver) -> (Style, String) {
    let at_work = view.attempts.iter().filter(|attempt| attempt.holder != "a person").count();
    match view.status {
        "COMPLETED" => return (GOOD, "done".into()),
        "FAILED" => return (BAD, "failed".into()),
        _ => {}
    }
    let is_at_work = at_work > 0 && driver == Driver::Alive;
    if view.paused.is_some() {
        return (HINT, if is_at_work { "paused, some finish" } else { "paused" }.into());
    }
    if is_at_work {
        let too = if view.waits.is_empty() { "" } else { ", waits for you" };
        return (Style::new(), format!("working ({}){too}", works(view, at_work)));
    }
    if !view.waits.is_empty() {
        return (HINT, "waits for you".into());
    }
    match (view.resting.first(), driver) {
        (_, Driver::Gone) => (HINT, "stopped".into()),
        (Some(rest), Driver::Alive) => (HINT, format!("resting until {}", engine::clock(&rest.until))),
        (None, Driver::Alive) => (Style::new(), "working".into()),
    }
}

/// `T05, 2 agents`; without an item it is a plan or a proposal.
fn works(view: &RunView, count: usize) -> String {
    let first = view.attempts.iter().find(|attempt| attempt.holder != "a person").and_then(|one| one.item.as_deref());
    let agents = if count == 1 { "1 agent".into() } else { format!("{count} agents") };
    match first {
        Some(item) => format!("{}, {agents}", visible::text(item)),
        None => agents,
    }
}

#[cfg(test)]
mod tests {
    use engine::{AttemptView, RestView, Waiting};

    use super::*;

    fn attempt(item: Option<&str>, holder: &str) -> AttemptView {
        AttemptView {
            fence: 1,
            role: "executor".into(),
            what: String::new(),
            item: item.map(String::from),
            attempt: 1,
            holder: holder.into(),
            agent: String::new(),
            since: String::new(),
        }
    }

    #[test]
    fn words_say_what_is_going_on() {
        let open = || RunView { status: "PENDING", ..RunView::default() };
        let wait = || Waiting {
            run: "r".into(),
            kind: "question",
            fence: None,
            question: None,
            text: String::new(),
            commands: Vec::new(),
        };
        let rest =
            RestView { fence: 1, what: String::new(), item: None, until: "some day".into(), reason: String::new() };
        let check = |view: RunView, driver: Driver, expected: &str| assert_eq!(standing(&view, driver).1, expected);
        use Driver::{Alive, Gone};
        check(RunView { status: "COMPLETED", ..open() }, Gone, "done");
        check(RunView { status: "FAILED", ..open() }, Gone, "failed");
        let two = vec![attempt(Some("T05"), "process 1"), attempt(Some("T06"), "process 1")];
        check(RunView { attempts: two.clone(), ..open() }, Alive, "working (T05, 2 agents)");
        check(
            RunView { attempts: two.clone(), waits: vec![wait()], ..open() },
            Alive,
            "working (T05, 2 agents), waits for you",
        );
        check(RunView { attempts: two.clone(), ..open() }, Gone, "stopped");
        check(RunView { attempts: two, paused: Some("why".into()), ..open() }, Alive, "paused, some finish");
        check(RunView { attempts: vec![attempt(None, "process 1")], ..open() }, Alive, "working (1 agent)");
        let mine = vec![attempt(Some("T05"), "a person")];
        check(RunView { attempts: mine, waits: vec![wait()], ..open() }, Alive, "waits for you");
        check(RunView { resting: vec![rest], ..open() }, Alive, "resting until some day");
        check(RunView { paused: Some("why".into()), ..open() }, Gone, "paused");
        check(open(), Alive, "working");
    }
}
