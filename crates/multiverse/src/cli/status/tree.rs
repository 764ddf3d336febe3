//! One run: where it stands, its items in their order, who is at work, what it waits for.

use std::fmt::Write as _;

use anstyle::Style;
use engine::{ItemView, RunView};
use unicode_width::UnicodeWidthStr as _;

use super::super::carry::{process, waiting_lines};
use super::super::live::model::who;
use super::super::output::{BAD, FRAME, GOOD, HINT, PLACE};
use super::super::visible;
use super::derived;
use super::mode_word;
use super::standing::{Driver, standing};

/// The room for a name where no terminal breaks lines.
const MOST_COLUMNS: usize = 110;
/// The least room for a name.
const LEAST_COLUMNS: usize = 40;
/// The room for the state behind a name.
const STATE_COLUMNS: usize = 12;
/// Of a request so many lines are shown.
const REQUEST_LINES: usize = 8;

pub(super) fn rendered(view: &RunView, driver: Driver, columns: Option<usize>) -> String {
    let columns = columns.unwrap_or(MOST_COLUMNS).clamp(LEAST_COLUMNS, MOST_COLUMNS);
    let mut shown = head(view, driver, columns);
    for line in view.request.lines().take(REQUEST_LINES) {
        let _ = writeln!(shown, "{FRAME}│{FRAME:#} {}", visible::short(line, columns - 2));
    }
    if view.request.lines().nth(REQUEST_LINES).is_some() {
        let _ = writeln!(shown, "{FRAME}│{FRAME:#} …");
    }
    if let Some(name) = view.driver.as_deref().filter(|_| !matches!(view.status, "COMPLETED" | "FAILED")) {
        let gone = if driver == Driver::Gone { ", which is gone" } else { "" };
        let _ = writeln!(shown, "driven by process {}{gone}", visible::text(process(name)));
    }
    for past in &view.learned {
        let _ = writeln!(shown, "learns from {}", visible::short(&past.in_words(), columns - 12));
    }
    for item in &view.items {
        item_line(item, columns, &mut shown);
    }
    for attempt in &view.attempts {
        let number = if attempt.attempt > 1 { format!(", attempt {}", attempt.attempt) } else { String::new() };
        let what = visible::short(&attempt.what, columns);
        let who = visible::text(&who(attempt));
        let line = format!("at work: {what} ({who}{number}, since {})", engine::clock(&attempt.since));
        visible::wrapped(&line, columns).iter().for_each(|line| {
            let _ = writeln!(shown, "{line}");
        });
    }
    if let Some(usage) = &view.usage {
        let _ = writeln!(shown, "{}", usage.in_words());
    }
    if let Some(details) = &view.details {
        derived::lines(details).iter().for_each(|line| {
            let _ = writeln!(shown, "{line}");
        });
    }
    for rest in &view.resting {
        let words = visible::short(&format!("{}: {}", rest.what, rest.in_words()), columns);
        let _ = writeln!(shown, "{HINT}resting{HINT:#}: {words}");
    }
    if let Some(reason) = &view.paused {
        let _ = writeln!(shown, "{HINT}paused{HINT:#}: {}", visible::text(reason));
    }
    if !view.waits.is_empty() {
        let _ = writeln!(shown, "{HINT}waits for you{HINT:#}:");
    }
    for waiting in &view.waits {
        let _ = writeln!(shown, "{}", waiting_lines(waiting));
    }
    shown
}

/// What it is, where it stands, and how far it is; in two lines where one is too short.
fn head(view: &RunView, driver: Driver, columns: usize) -> String {
    let (style, state) = standing(view, driver);
    let mut pieces = vec![view.status.to_string()];
    pieces.extend(view.mode.map(|mode| mode_word(mode).to_string()));
    if view.planned > 0 {
        pieces.push(format!("{}/{} tasks done", view.done, view.planned));
    }
    let (run, rest) = (visible::text(&view.run), pieces.join("  "));
    let is_short = run.width() + state.width() + rest.width() + 4 <= columns;
    let gap = if is_short { "  " } else { "\n  " };
    format!("{PLACE}{run}{PLACE:#}  {style}{state}{style:#}{gap}{FRAME}{rest}{FRAME:#}\n")
}

fn item_line(item: &ItemView, columns: usize, shown: &mut String) {
    let indent = "  ".repeat(item.depth);
    let state = if item.running { "at work" } else { item.status };
    let style = if item.running { HINT } else { style_of(item.status) };
    // A group is known by what it says.
    let id = if item.level == "group" { String::new() } else { format!("{} ", visible::text(&item.id)) };
    let name = visible::short(&item.name, columns.saturating_sub(indent.len() + id.width() + 1 + STATE_COLUMNS));
    let front = format!("{indent}{id}{name}");
    let gap = columns.saturating_sub(STATE_COLUMNS + front.width()).max(1);
    let _ = writeln!(shown, "{}", format!("{front}{:gap$}{style}{state}{style:#}", "").trim_end());
}

fn style_of(status: &str) -> Style {
    match status {
        "COMPLETED" => GOOD,
        "FAILED" => BAD,
        "AWAITING_CONFIRMATION" => HINT,
        _ => Style::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(id: &str, depth: usize, name: &str, status: &'static str, running: bool) -> ItemView {
        ItemView { id: id.into(), level: "task", depth, name: name.into(), status, running, output: String::new() }
    }

    #[test]
    fn a_run_is_a_tree_of_items() {
        let view = RunView {
            run: "run-1".into(),
            request: "Make a report.\n\u{1b}[2J".into(),
            status: "PENDING",
            mode: Some(engine::Mode::InitialRun),
            phase: "P01".into(),
            stage: "S01".into(),
            tasks: "T05".into(),
            done: 1,
            planned: 2,
            driver: Some("77.ab".into()),
            items: vec![
                item("P01", 0, "ANALYZING", "PENDING", false),
                item("S01", 1, "a stage whose name is so long that it does not fit at all", "PENDING", false),
                item("T05", 2, "read the sales", "PENDING", true),
            ],
            ..RunView::default()
        };
        let plain = anstream::adapter::strip_str(&rendered(&view, Driver::Alive, Some(50))).to_string();
        insta::assert_snapshot!(plain, @"
        run-1  working
          PENDING  INITIAL_RUN  1/2 tasks done
        │ Make a report.
        │ ␛[2J
        driven by process 77
        P01 ANALYZING                         PENDING
          S01 a stage whose name is so long … PENDING
            T05 read the sales                at work
        ");
    }
}
