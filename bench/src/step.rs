//! QL-01 and QL-02: what one durable step costs, and how many are done in a second when many runs share a sync.

use std::error::Error;
use std::path::Path;
use std::time::{Duration, Instant};

use store::Due;

use crate::floor;
use crate::project::{Output, Project};
use crate::times::{Line, at_work, micros, step_lines};

const STEPS: usize = 200;

/// QL-01: one run, one step after the other, each durable before the next; documents placed as they are due.
pub(crate) fn one_run(folder: &Path, output: Output) -> Result<Vec<Line>, Box<dyn Error>> {
    let mut project = Project::new(&folder.join(format!("one-{output:?}")), 0, 1, STEPS, output)?;
    let mut steps = Vec::new();
    let mut appends = Vec::new();
    for task in 0..STEPS {
        let start = Instant::now();
        project.step(0, task)?;
        project.store.place(Due::Now)?;
        steps.push(start.elapsed());
        // Beside each step, so that both meet the same mood of the disk.
        appends.extend(floor::synced_appends(folder, 200, 1)?);
    }
    project.store.finish()?;
    let what = format!("durable step, {}, median of {STEPS}", changed(output));
    Ok(step_lines(what, &steps, "", &appends))
}

const RUNS: usize = 100;

/// What the steps of many runs took, and what the thread had worked by then.
pub(crate) struct Many {
    /// Until all were committed.
    pub committed: Duration,
    /// Until all documents were in place.
    placed: Duration,
    idle: Option<Duration>,
    worked: Option<Duration>,
    finished: Option<Duration>,
}

/// 100 runs at once, some steps each; the steps of a round share one append and one sync.
pub(crate) fn many(folder: &Path, output: Output, rounds: usize) -> Result<Many, Box<dyn Error>> {
    let mut project = Project::new(&folder.join(named(output, rounds)), 0, RUNS, rounds, output)?;
    let (start, idle) = (Instant::now(), at_work());
    for task in 0..rounds {
        project.round(RUNS, task)?;
        project.store.sync()?;
        if project.store.placing_is_due() {
            project.store.place(Due::Now)?;
        }
    }
    let (committed, worked) = (start.elapsed(), at_work());
    project.store.finish()?;
    let (placed, finished) = (start.elapsed(), at_work());
    Ok(Many { committed, placed, idle, worked, finished })
}

fn named(output: Output, rounds: usize) -> String {
    format!("many-{output:?}-{rounds}")
}

/// QL-02: the same, beside the same number of bytes appended.
pub(crate) fn many_runs(folder: &Path, output: Output, rounds: usize) -> Result<Vec<Line>, Box<dyn Error>> {
    let Many { committed, placed, idle, worked, finished } = many(folder, output, rounds)?;
    let folder = folder.join(named(output, rounds));
    let journal = folder.join(".multiverse/journal/00000002.jsonl");
    let content = std::fs::read(journal)?;
    let lines: Vec<&[u8]> = content.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).collect();
    let size = lines.iter().map(|line| line.len() + 1).sum::<usize>() / lines.len().max(1);
    let same_bytes = floor::grouped_appends(&folder, size, RUNS, RUNS * rounds)?;
    let per_second = |time: Duration| (RUNS * rounds) as f64 / time.as_secs_f64();
    let told = |time: Duration, worked: Option<Duration>| {
        let steps = u32::try_from(RUNS * rounds).unwrap_or(u32::MAX);
        let each = worked.zip(idle).map(|(worked, idle)| worked.saturating_sub(idle) / steps);
        let work = each.map(|each| format!(", {} of a processor each", micros(each))).unwrap_or_default();
        format!("{:.0} steps/s{work}", per_second(time))
    };
    Ok(vec![
        Line {
            id: "QL-02",
            what: format!("{RUNS} runs at once × {rounds} steps, {}, {size} bytes a record", changed(output)),
            measured: told(committed, worked),
            against: format!("the same bytes, one fdatasync per {RUNS}: {:.0}/s", per_second(same_bytes)),
            ratio: per_second(committed) / per_second(same_bytes),
            bar: "≥ 10 × the fastest peer (about 28,000/s); aim 0.5",
        },
        Line {
            id: "QL-02",
            what: "the same until all documents are in place".into(),
            measured: told(placed, finished),
            against: String::new(),
            ratio: per_second(placed) / per_second(same_bytes),
            bar: "",
        },
    ])
}

fn changed(output: Output) -> &'static str {
    match output {
        Output::None => "3 tables",
        Output::File => "3 tables and a new file",
    }
}
