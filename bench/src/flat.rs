//! QL-03: a step costs the same in a project with a long past, and late in a long run.

use std::error::Error;
use std::path::Path;
use std::time::{Duration, Instant};

use store::Due;

use crate::floor;
use crate::project::{Output, Project};
use crate::times::{Line, mean, median, micros, ratio};

/// A step in a project with 100,000 finished runs, against one in an empty project; the two take turns.
pub(crate) fn finished_runs(folder: &Path) -> Result<Vec<Line>, Box<dyn Error>> {
    const FINISHED: usize = 100_000;
    const STEPS: usize = 1000;
    let mut full = Project::new(&folder.join("full"), FINISHED, 1, STEPS, Output::None)?;
    let mut empty = Project::new(&folder.join("empty"), 0, 1, STEPS, Output::None)?;
    let (mut slow, mut quick) = (Vec::new(), Vec::new());
    for task in 0..STEPS {
        slow.push(step(&mut full, task)?);
        quick.push(step(&mut empty, task)?);
    }
    let line = |what: String, one: Duration, other: Duration| Line {
        id: "QL-03",
        what,
        measured: micros(one),
        against: format!("in an empty project: {}", micros(other)),
        ratio: ratio(one, other),
        bar: "≤ 1.2",
    };
    Ok(vec![
        line(format!("step with {FINISHED} finished runs, median of {STEPS}"), median(&slow), median(&quick)),
        line("the same, mean, placing of 10 MB tables included".into(), mean(&slow), mean(&quick)),
    ])
}

/// The 2,000th task of a run against its 10th.
pub(crate) fn long_run(folder: &Path) -> Result<Vec<Line>, Box<dyn Error>> {
    const TASKS: usize = 2100;
    let mut project = Project::new(&folder.join("long"), 0, 1, TASKS, Output::None)?;
    let (mut times, mut appends) = (Vec::with_capacity(TASKS), Vec::with_capacity(TASKS));
    for task in 0..TASKS {
        times.push(step(&mut project, task)?);
        appends.extend(floor::synced_appends(folder, 200, 1)?);
    }
    // The disk's mood changes within the run, so each end is held against the appends beside it.
    let of = |part: std::ops::Range<usize>| (median(&times[part.clone()]), median(&appends[part]));
    let (early, late) = (of(10..210), of(TASKS - 200..TASKS));
    let (early_ratio, late_ratio) = (ratio(early.0, early.1), ratio(late.0, late.1));
    Ok(vec![Line {
        id: "QL-03",
        what: "a run's tasks 1,900 to 2,100, median, over appends beside them".into(),
        measured: format!("{} / {} = {late_ratio:.2}", micros(late.0), micros(late.1)),
        against: format!("its tasks 10 to 210: {} / {} = {early_ratio:.2}", micros(early.0), micros(early.1)),
        ratio: late_ratio / early_ratio,
        bar: "≤ 1.2",
    }])
}

fn step(project: &mut Project, task: usize) -> Result<Duration, Box<dyn Error>> {
    let start = Instant::now();
    project.step(0, task)?;
    project.store.place(Due::Now)?;
    Ok(start.elapsed())
}
