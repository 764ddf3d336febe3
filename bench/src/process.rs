//! QL-04 to QL-06 with the real program: how long it takes to start, to show, to go on after kill -9; and how much memory
//! many runs take.

use std::error::Error;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use ::engine::{Interrupt, Mode};

use crate::engine::Bench;
use crate::noop::Shape;
use crate::times::{Line, median, millis, ratio};

type Fallible<T> = Result<T, Box<dyn Error>>;

/// The program, built beside this one.
fn program() -> Fallible<PathBuf> {
    let path = std::env::current_exe()?.with_file_name("multiverse");
    match path.exists() {
        true => Ok(path),
        false => Err("build the program first: cargo build --profile dist -p multiverse".into()),
    }
}

fn times(count: usize, mut command: impl FnMut() -> Command) -> Fallible<Vec<Duration>> {
    let mut times = Vec::with_capacity(count);
    for _ in 0..count {
        let mut command = command();
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let start = Instant::now();
        command.status()?;
        times.push(start.elapsed());
    }
    Ok(times)
}

/// QL-04: starting, and `status` in a project with 10,000 runs that are over.
pub(crate) fn cold_start(folder: &Path) -> Fallible<Vec<Line>> {
    let program = program()?;
    let project = folder.join("cold");
    let bench = Bench::new(&project, Shape { tasks: 1, chains: 1, pause: None }, 1)?;
    let mut service = bench.service;
    service.init()?;
    service.close()?;
    let table = project.join("db/process_runs.md");
    let mut rows = std::fs::read_to_string(&table)?;
    for number in 0..10_000 {
        rows += &format!("| run-20250101-000000-{number:05} | a report from a pile of documents | COMPLETED | | | |\n");
    }
    std::fs::write(&table, rows)?;
    // The edit is taken over once, by the first command that changes something.
    Command::new(&program).arg("-C").arg(&project).args(["init", "-q"]).status()?;
    let nothing = median(&times(50, || Command::new("/bin/true"))?);
    let version = median(&times(50, || {
        let mut command = Command::new(&program);
        command.arg("--version");
        command
    })?);
    let status = median(&times(30, || {
        let mut command = Command::new(&program);
        command.arg("-C").arg(&project).arg("status");
        command
    })?);
    let line = |what: &str, time: Duration, bar| Line {
        id: "QL-04",
        what: what.into(),
        measured: millis(time),
        against: format!("/bin/true: {}", millis(nothing)),
        ratio: ratio(time, nothing),
        bar,
    };
    Ok(vec![
        line("`multiverse --version`", version, "≤ 3"),
        line("`multiverse status` with 10,000 runs", status, "≤ 10"),
    ])
}

/// QL-05: memory of many runs that wait for their user.
pub(crate) fn memory(folder: &Path) -> Fallible<Vec<Line>> {
    let mut lines = Vec::new();
    for (runs, bound) in [(100, 64.0), (10_000, 1000.0)] {
        let shape = Shape { tasks: 20, chains: 1, pause: None };
        let mut bench = Bench::new(&folder.join(format!("memory-{runs}")), shape, runs)?;
        let mut begun = Vec::new();
        for _ in 0..runs {
            begun.push(bench.service.start("Do nothing, in a report.", Some(Mode::InitialRun))?.run);
        }
        bench.service.drive(&begun, &Interrupt::new())?;
        let used = resident()?;
        lines.push(Line {
            id: "QL-05",
            what: format!("{runs} open runs, resident"),
            measured: format!("{used:.0} MB"),
            against: format!("{bound:.0} MB"),
            ratio: used / bound,
            bar: "≤ 1",
        });
    }
    Ok(lines)
}

fn resident() -> Fallible<f64> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).ok_or("no VmRSS")?;
    let kilobytes: f64 = line.split_whitespace().nth(1).ok_or("no figure")?.parse()?;
    Ok(kilobytes / 1000.0)
}

/// QL-06: after kill -9, from the start of the process to the first new step.
pub(crate) fn resume(folder: &Path) -> Fallible<Vec<Line>> {
    let program = program()?;
    let project = folder.join("resume");
    std::fs::create_dir_all(project.join("assets"))?;
    std::fs::write(project.join("assets/a.md"), "# A\n\nOne sentence.\n")?;
    let slow = "- {plan_target: \"phase:0\", report: {status: done, result: {tasks: []}}}\n- {plan_target: proposal, delay_ms: 600000, report: {status: done, result: {instructions: [\"x\"]}}}\n";
    std::fs::write(project.join("slow.yaml"), slow)?;
    let project = project.canonicalize()?;
    let mut found = Vec::new();
    for _ in 0..15 {
        let mut resumed = Command::new(&program);
        resumed.arg("-C").arg(&project).args(["--json", "-v", "resume", "--all", "--agent"]);
        resumed.arg(format!("script:{}", project.join("slow.yaml").display()));
        if found.is_empty() {
            resumed = Command::new(&program);
            resumed.arg("-C").arg(&project).args(["--json", "-v", "run", "Make a report of it.", "--agent"]);
            resumed.arg(format!("script:{}", project.join("slow.yaml").display()));
        }
        let start = Instant::now();
        let mut child = resumed.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        let output = BufReader::new(child.stdout.take().ok_or("no output")?);
        // The attempt that was lost with the process is taken up again: that is a committed step.
        let is_taken_up = |line: &Result<String, _>| line.as_ref().is_ok_and(|line| line.contains("proposal"));
        if !output.lines().any(|line| is_taken_up(&line)) {
            return Err("the run was not taken up".into());
        }
        found.push(start.elapsed());
        child.kill()?;
        child.wait()?;
    }
    let time = median(&found[1..]);
    Ok(vec![Line {
        id: "QL-06",
        what: "from the start of `resume` after kill -9 to the first new step, median of 14".into(),
        measured: millis(time),
        against: "50 ms".into(),
        ratio: time.as_secs_f64() / 0.05,
        bar: "≤ 1",
    }])
}
