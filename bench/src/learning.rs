//! MV-05: what it costs to begin a run that learns from 10,000 others, beside one that learns from none.

use std::error::Error;
use std::path::Path;
use std::time::{Duration, Instant};

use ::engine::{Mode, Service};

use crate::engine::Bench;
use crate::noop::Shape;
use crate::times::{Line, median, micros, ratio};

const PAST: usize = 10_000;
const STARTS: usize = 50;
const REQUEST: &str = "Make a report on the prices of boats in Gdansk, with what the yards say of 2024.";

pub(crate) fn begin(folder: &Path) -> Result<Vec<Line>, Box<dyn Error>> {
    let project = folder.join("learning");
    let shape = || Shape { tasks: 1, chains: 1, pause: None };
    let mut service = Bench::new(&project, shape(), 1)?.service;
    service.init()?;
    service.close()?;
    let table = project.join("db/process_runs.md");
    let rows: String = (0..PAST).map(row).collect();
    std::fs::write(&table, std::fs::read_to_string(&table)? + &rows)?;
    let mut service = Bench::new(&project, shape(), 1)?.service;
    // The first one takes the edit over.
    started(&mut service, Mode::InitialRun)?;
    let alone = (0..STARTS).map(|_| started(&mut service, Mode::InitialRun)).collect::<Result<Vec<_>, _>>()?;
    let first = started(&mut service, Mode::ContinuousRun)?;
    let later = (0..STARTS).map(|_| started(&mut service, Mode::ContinuousRun)).collect::<Result<Vec<_>, _>>()?;
    let alone = median(&alone);
    let line = |what: &str, time: Duration| Line {
        id: "MV-05",
        what: format!("{what} with {PAST} past runs"),
        measured: micros(time),
        against: format!("one that learns from none: {}", micros(alone)),
        ratio: ratio(time, alone),
        bar: "",
    };
    let what = format!("further runs of the process, median of {STARTS},");
    Ok(vec![line("the first run of a process that learns", first), line(&what, median(&later))])
}

fn started(service: &mut Service, mode: Mode) -> Result<Duration, Box<dyn Error>> {
    let start = Instant::now();
    service.start(REQUEST, Some(mode))?;
    Ok(start.elapsed())
}

/// A run that is over: eight words of 40, so that each is in many requests.
fn row(number: usize) -> String {
    const WORDS: &str = "yards boats prices sales quarter regions staff training costs harbour engines paint steel survey \
        customers suppliers contracts delivery delays weather crews safety audit budget forecast salmon pond fish licence \
        export taxes Gdansk Szczecin Hamburg Rotterdam Oslo winter summer docks cranes";
    let words: Vec<&str> = WORDS.split_whitespace().collect();
    let word = |place: usize| words[(number * 7 + place * (number % 13 + 1) * 5) % words.len()];
    let said = (0..8).map(word).collect::<Vec<_>>().join(" ");
    format!(
        "| run-20250101-000000-{number:05} | Make a report on {said} of {} | COMPLETED | | | |\n",
        2000 + number % 25
    )
}
