//! Runs as a table that fits the terminal: the request takes what room is left. Where there is little, each run has a
//! few lines of its own.

use anstyle::Style;
use engine::RunView;
use unicode_width::UnicodeWidthStr as _;

use super::super::output::{FRAME, PLACE};
use super::super::visible;
use super::standing::{Driver, standing};

const HEADER: [&str; 4] = ["run", "state", "tasks", "request"];
/// Between two columns.
const GAP: usize = 2;
/// The least room for the request in a table.
const LEAST_REQUEST: usize = 24;
/// The room for it where no terminal breaks lines.
const MOST_REQUEST: usize = 120;

/// A run, made ready to be shown.
struct Row<'a> {
    run: String,
    style: Style,
    state: String,
    tasks: String,
    request: &'a str,
}

pub(super) fn rendered(views: &[(RunView, Driver)], columns: Option<usize>) -> String {
    let rows: Vec<Row<'_>> = views.iter().map(|(view, driver)| row(view, *driver)).collect();
    let widest = |of: for<'r> fn(&'r Row<'_>) -> &'r str, name: &str| {
        rows.iter().map(|row| of(row).width()).chain([name.width()]).max().unwrap_or_default()
    };
    let widths =
        [widest(|row| &row.run, HEADER[0]), widest(|row| &row.state, HEADER[1]), widest(|row| &row.tasks, HEADER[2])];
    let used: usize = widths.iter().map(|width| width + GAP).sum();
    match columns {
        Some(columns) if columns < used + LEAST_REQUEST => rows.iter().map(|row| block(row, columns)).collect(),
        _ => table(&rows, widths, columns.map_or(MOST_REQUEST, |columns| columns - used)),
    }
}

fn table(rows: &[Row<'_>], widths: [usize; 3], room: usize) -> String {
    let pad = |text: &str, width: usize| format!("{text}{:1$}", "", width + GAP - text.width());
    let mut shown = format!("{PLACE}");
    HEADER.iter().zip(widths).for_each(|(name, width)| shown.push_str(&pad(name, width)));
    shown.push_str(&format!("{}{PLACE:#}\n", HEADER[3]));
    for row in rows {
        let Row { style, state, .. } = row;
        shown.push_str(&pad(&row.run, widths[0]));
        shown.push_str(&format!("{style}{}{style:#}", pad(state, widths[1])));
        shown.push_str(&pad(&row.tasks, widths[2]));
        shown.push_str(visible::short(row.request, room).trim_end());
        shown.push('\n');
    }
    shown
}

/// A run in lines of its own, none wider than so many columns.
fn block(row: &Row<'_>, columns: usize) -> String {
    let Row { style, state, .. } = row;
    let mut shown = format!("{PLACE}{}{PLACE:#}\n", visible::short(&row.run, columns));
    let state = visible::short(state, columns.saturating_sub(row.tasks.width() + 10));
    shown.push_str(&format!("  {style}{state}{style:#}"));
    if row.tasks != NONE {
        shown.push_str(&format!("  {} tasks", row.tasks));
    }
    shown.push_str(&format!("\n  {FRAME}{}{FRAME:#}\n", visible::short(row.request, columns.saturating_sub(2))));
    shown
}

/// What stands where nothing is known.
const NONE: &str = "–";

fn row(view: &RunView, driver: Driver) -> Row<'_> {
    let (style, state) = standing(view, driver);
    let tasks = match view.planned {
        0 => NONE.into(),
        planned => format!("{}/{planned}", view.done),
    };
    Row { run: visible::text(&view.run), style, state, tasks, request: &view.request }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(columns: Option<usize>) -> String {
        let view = |run: &str, status, request: &str, planned| {
            let (run, request) = (run.into(), request.into());
            (RunView { run, status, request, planned, done: planned / 2, ..RunView::default() }, Driver::Alive)
        };
        let views = [
            view("run-20261117-004514-001", "COMPLETED", "보고서를 만들어 주세요 📈, 분기별 가격을 비교해서", 0),
            view(
                "run-20261117-004514-002",
                "PENDING",
                "Make a report of what these documents say about the yards.",
                18,
            ),
        ];
        let plain = anstream::adapter::strip_str(&rendered(&views, columns)).to_string();
        let fits = |line: &str| columns.is_none_or(|columns| line.width() <= columns);
        assert!(plain.lines().all(fits), "{columns:?}:\n{plain}");
        plain
    }

    #[test]
    fn runs_fit_any_terminal() {
        (40..200).for_each(|columns| drop(shown(Some(columns))));
        insta::assert_snapshot!(shown(Some(80)), @"
        run                      state    tasks  request
        run-20261117-004514-001  done     –      보고서를 만들어 주세요 📈, 분기별 가격…
        run-20261117-004514-002  working  9/18   Make a report of what these documents …
        ");
        insta::assert_snapshot!(shown(Some(40)), @"
        run-20261117-004514-001
          done
          보고서를 만들어 주세요 📈, 분기별 가…
        run-20261117-004514-002
          working  9/18 tasks
          Make a report of what these documents…
        ");
    }
}
