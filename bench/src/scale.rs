//! QL-03 and QL-06 with the whole engine where there is much: a hundred thousand finished runs, a thousand open ones.

use std::fmt::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

use ::engine::{Interrupt, Mode};

use crate::engine::{Bench, Fallible, steps_of_one};
use crate::noop::Shape;
use crate::times::{Line, median, micros, millis, ratio};

const FINISHED: usize = 100_000;
const OPEN: usize = 1000;
/// How often both projects are measured, in turn.
const ROUNDS: usize = 3;

/// QL-03: a step in a project with many finished runs against one in an empty project.
pub(crate) fn finished_runs(folder: &Path) -> Fallible<Vec<Line>> {
    let (mut empty, mut full) = (Vec::new(), Vec::new());
    for round in 0..ROUNDS {
        empty.push(median(&steps_of_one(&folder.join(format!("empty-{round}")))?.0));
        let project = folder.join(format!("full-{round}"));
        fill(&project.join("engine-one"))?;
        full.push(median(&steps_of_one(&project)?.0));
    }
    let (empty, full) = (median(&empty), median(&full));
    Ok(vec![Line {
        id: "QL-03",
        what: format!("whole engine: step with {FINISHED} finished runs, median of 199, {ROUNDS} rounds"),
        measured: micros(full),
        against: format!("in an empty project: {}", micros(empty)),
        ratio: ratio(full, empty),
        bar: "≤ 1.2",
    }])
}

/// Documents as many runs would have left them, before there is a journal.
fn fill(project: &Path) -> Fallible<()> {
    let model = project.with_extension("model");
    let mut bench = Bench::new(&model, Shape { tasks: 1, chains: 1, pause: None }, 1)?;
    bench.service.init()?;
    bench.service.close()?;
    std::fs::create_dir_all(project.join("db"))?;
    for name in ["process_runs.md", "knowledge_base_catalog.md"] {
        let mut text = std::fs::read_to_string(model.join("db").join(name))?;
        let header = text.lines().find(|line| line.starts_with('|')).ok_or("no table")?.to_owned();
        let columns: Vec<&str> = header.trim_matches('|').split('|').map(str::trim).collect();
        let columns: Vec<&str> =
            columns.iter().map(|column| column.split([' ', '(']).next().unwrap_or_default()).collect();
        for run in 0..FINISHED {
            let cells: Vec<String> = columns.iter().map(|column| cell(name, column, run)).collect();
            writeln!(text, "| {} |", cells.join(" | "))?;
        }
        std::fs::write(project.join("db").join(name), text)?;
    }
    Ok(())
}

/// What stands in a table for a finished run.
fn cell(table: &str, column: &str, run: usize) -> String {
    let id = format!("run-2025{:02}{:02}-{run:06}-001", 1 + run / 28 % 12, 1 + run % 28);
    match (table, column) {
        (_, "run_id") => id,
        ("process_runs.md", "user_request") => "Do nothing, in a report.".into(),
        ("process_runs.md", "status") => "COMPLETED".into(),
        (_, "file_path") => format!("outputs/{id}/report.md"),
        (_, "asset_type") => "FINAL_OUTPUT".into(),
        (_, "summary") => "nothing, as asked".into(),
        _ => String::new(),
    }
}

/// QL-06: from the opening until each of many open runs has gone on by a step.
pub(crate) fn open_runs(folder: &Path) -> Fallible<Vec<Line>> {
    let project = folder.join("engine-again");
    let shape = Shape { tasks: 1, chains: 1, pause: None };
    let mut bench = Bench::new(&project, shape, OPEN)?;
    let mut runs = Vec::new();
    for _ in 0..OPEN {
        runs.push(bench.service.start("Do nothing, in a report.", Some(Mode::InitialRun))?.run);
    }
    // Ends without closing anything, as a process that is killed.
    drop(bench);
    let start = Instant::now();
    let mut bench = Bench::new(&project, shape, OPEN)?;
    bench.service.drive(&runs, &Interrupt::new())?;
    let asked = bench.asked();
    let all = asked.get(OPEN - 1).ok_or("not all runs went on")?.duration_since(start);
    let first = asked[0].duration_since(start);
    Ok(vec![Line {
        id: "QL-06",
        what: format!(
            "{OPEN} open runs, from the opening until each has gone on by a step (the first: {})",
            millis(first)
        ),
        measured: millis(all),
        against: "1 s".into(),
        ratio: ratio(all, Duration::from_secs(1)),
        bar: "≤ 1",
    }])
}
