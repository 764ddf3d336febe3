//! Runs as a table that fits the terminal: the request takes what room is left.

use engine::RunView;
use unicode_width::UnicodeWidthStr as _;

use super::super::output::{BAD, GOOD, HINT, PLACE};
use super::super::visible;

const HEADER: [&str; 5] = ["run", "status", "at", "tasks", "request"];
/// Between two columns.
const GAP: usize = 2;
/// The least room for the request, however narrow the terminal is.
const LEAST_REQUEST: usize = 20;
/// The room for it where no terminal breaks lines.
const MOST_REQUEST: usize = 120;

pub(super) fn rendered(views: &[RunView], columns: Option<usize>) -> String {
    let rows: Vec<[String; 4]> = views.iter().map(cells).collect();
    let mut widths = [0; 4];
    for (index, width) in widths.iter_mut().enumerate() {
        *width = rows.iter().map(|row| row[index].width()).chain([HEADER[index].width()]).max().unwrap_or_default();
    }
    let used: usize = widths.iter().map(|width| width + GAP).sum();
    let room = columns.map_or(MOST_REQUEST, |columns| columns.saturating_sub(used).max(LEAST_REQUEST));
    let pad = |text: &str, width: usize| format!("{text}{:1$}", "", width + GAP - text.width());
    let mut shown = format!("{PLACE}");
    HEADER.iter().zip(widths).for_each(|(name, width)| shown.push_str(&pad(name, width)));
    shown.push_str(&format!("{}{PLACE:#}\n", HEADER[4]));
    for (view, row) in views.iter().zip(&rows) {
        let style = match view.status {
            "COMPLETED" => GOOD,
            "FAILED" => BAD,
            _ if !view.waits.is_empty() => HINT,
            _ => PLACE,
        };
        for (index, (cell, width)) in row.iter().zip(widths).enumerate() {
            match index {
                1 => shown.push_str(&format!("{style}{}{style:#}", pad(cell, width))),
                _ => shown.push_str(&pad(cell, width)),
            }
        }
        shown.push_str(visible::short(&view.request, room).trim_end());
        shown.push('\n');
    }
    shown
}

fn cells(view: &RunView) -> [String; 4] {
    let place: Vec<&str> = [&view.phase, &view.stage, &view.tasks].into_iter().map(String::as_str).collect();
    let place = place.into_iter().filter(|name| !name.is_empty()).collect::<Vec<_>>().join(" ");
    let place = if place.is_empty() { "–".into() } else { visible::short(&place, 24) };
    let status = match &view.paused {
        Some(_) => format!("{} (paused)", view.status),
        None => view.status.to_string(),
    };
    let tasks = match view.planned {
        0 => "–".into(),
        planned => format!("{}/{planned}", view.done),
    };
    [visible::text(&view.run), status, place, tasks]
}
