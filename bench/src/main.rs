//! What a step, a batch and a parse cost, as ratios against what the disk itself takes in the same run.
//! `cargo run --profile dist -p bench [FOLDER [one|many|full|long|codec|engine|engine-one|engine-many|engine-lasting|engine-long|engine-full|engine-again|engine-makespan|roadmap|roadmap-long|roadmap-makespan|learning|catalog|process|process-start|process-resume|process-memory|peers]…]`; the folder decides which disk is measured.
#![allow(clippy::print_stdout, reason = "a benchmark prints its table")]

#[path = "../../crates/multiverse/src/allocator.rs"]
mod allocator;
mod catalog;
mod codec;
mod engine;
mod flat;
mod floor;
mod learning;
mod noop;
mod peers;
mod process;
mod project;
mod roadmap;
mod scale;
mod step;
mod times;

use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::Duration;

use project::Output;
use times::Line;

/// As the program has it.
#[global_allocator]
static ALLOCATOR: allocator::Allocator = allocator::Allocator;

/// One measurement: the lines that come of it.
type Part = fn(&Path) -> Result<Vec<Line>, Box<dyn Error>>;

/// What is measured with the whole engine and the real program, alone or by the first word of its name.
const PARTS: [(&str, Part); 14] = [
    ("engine-one", engine::one_run),
    ("engine-many", engine::many_runs),
    ("engine-lasting", engine::lasting),
    ("engine-long", engine::long_run),
    ("engine-full", scale::finished_runs),
    ("engine-again", scale::open_runs),
    ("engine-makespan", engine::makespan),
    ("roadmap-long", roadmap::long_log),
    ("roadmap-makespan", roadmap::makespan),
    ("learning", learning::begin),
    ("catalog", catalog::search),
    ("process-start", process::cold_start),
    ("process-resume", process::resume),
    ("process-memory", process::memory),
];

/// How long what a run left is kept. A file system that looks at every inode that was deleted in the last minutes before it
/// makes a file would be measured by what is removed, not by what is made.
const KEPT: Duration = Duration::from_secs(10 * 60);

fn remove_old(folder: &Path) -> Result<(), Box<dyn Error>> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        if entry.metadata()?.modified()?.elapsed().unwrap_or_default() > KEPT {
            std::fs::remove_dir_all(entry.path())?;
        }
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    if let Some(done) = roadmap::child() {
        return done;
    }
    let mut words = std::env::args().skip(1);
    let folder = words.next().map_or_else(|| PathBuf::from("target/bench"), PathBuf::from);
    let chosen: Vec<String> = words.collect();
    let wanted = |name: &str| chosen.is_empty() || chosen.iter().any(|chosen| chosen == name);
    let project = folder.join(format!("run-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&project);
    std::fs::create_dir_all(&project)?;
    let (all, folder) = (folder, project);
    let mut lines: Vec<Line> = Vec::new();
    for output in [Output::None, Output::File] {
        if wanted("one") {
            lines.extend(step::one_run(&folder, output)?);
        }
        if wanted("many") {
            lines.extend(step::many_runs(&folder, output, 20)?);
        }
    }
    if wanted("many") {
        // Long enough that placing comes into it, again and again.
        lines.extend(step::many_runs(&folder, Output::None, 200)?);
    }
    if wanted("full") {
        lines.extend(flat::finished_runs(&folder)?);
    }
    if wanted("long") {
        lines.extend(flat::long_run(&folder)?);
    }
    if wanted("codec") {
        lines.extend(codec::parse_and_edit());
    }
    for (name, part) in PARTS {
        let group = name.split('-').next().unwrap_or_default();
        if wanted(group) || wanted(name) {
            lines.extend(part(&folder)?);
        }
    }
    // Only where it is named: it fetches programs of others.
    if chosen.iter().any(|chosen| chosen == "peers") {
        lines.extend(peers::all(&folder)?);
    }
    remove_old(&all)?;
    println!("| id | what | measured | against | ratio | bar |\n|---|---|---|---|---|---|");
    for line in lines {
        println!("{line}");
    }
    Ok(())
}
