//! QL-21: a run is killed with SIGKILL at random moments, again and again, and resumed until it is done. What is left is
//! what an undisturbed run leaves. `MULTIVERSE_KILLS` says how often; the seed is printed.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test ends where it fails")]

mod cycles;
mod realized;
mod roadmaps;
mod takeovers;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const REQUEST: &str = "Make a report of what these documents say about the boats. Write it as Markdown and HTML.";

/// Where the kills fall; any numbers will do, as long as they can be told and used again.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound.max(1)
    }
}

fn project() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let assets = folder.path().join("assets");
    std::fs::create_dir_all(&assets).unwrap();
    std::fs::write(assets.join("north.md"), "# North\n\nIn 2025 the north yard built 40 boats. They cost 3 million.\n")
        .unwrap();
    std::fs::write(assets.join("south.md"), "# South\n\nIn 2025 the north yard built 44 boats. Nobody knows why.\n")
        .unwrap();
    std::fs::write(assets.join("sales.csv"), "month,boats\nJan,3\nFeb,4\nMar,9\n").unwrap();
    folder
}

fn multiverse(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_multiverse"));
    command.arg("-C").arg(folder).args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    // Nobody's keys and agents are used here, and what stands in the folder is the test's own.
    command.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default()).env("MULTIVERSE_TRUST", "all");
    command
}

/// Every document of the project, the run's id left out.
fn left(folder: &Path) -> BTreeMap<String, String> {
    let runs: Vec<String> = std::fs::read_dir(folder.join("runs"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    let [run] = runs.as_slice() else { panic!("one run, not {runs:?}") };
    let mut found = BTreeMap::new();
    let mut folders: Vec<_> = ["db", "runs", "outputs"].iter().map(|name| folder.join(name)).collect();
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let name = path.strip_prefix(folder).unwrap().to_str().unwrap().replace(run, "RUN");
            found.insert(name, std::fs::read_to_string(&path).unwrap().replace(run, "RUN"));
        }
    }
    found
}

/// A project of the protocol `lineage` with settings of one phase, so that three runs are over soon.
fn lineage_project() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let write = |path: &str, text: &str| {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/harbour-spec");
    for name in ["data/crane.md", "data/survey-2025.md", "guidelines/plain-words.md"] {
        write(name, &std::fs::read_to_string(example.join(name)).unwrap());
    }
    let phases = "| phase_name | phase_purpose | output | output_location_rule |\n|---|---|---|---|\n";
    write("settings/set_phases.md", &format!("{phases}| Document | write it | a document |  |\n"));
    let stages = "| stage_name | stage_reason | stage_purpose | analogy |\n|---|---|---|---|\n";
    write(
        "settings/set_stages.md",
        &format!("{stages}| ANALYZING | r | p | a |\n| DRAFTING | r | p | a |\n| GENERATING_OUTPUT | r | p | a |\n"),
    );
    folder
}

/// The requests of three runs that build on one another.
const REQUESTS: [&str; 3] = [
    "Write a specification of the crane on pier 3. Write it as Markdown.",
    "Update the specification of the crane on pier 3. Write it as Markdown.",
    "Write an inspection plan of the crane from its specification. Write it as Markdown.",
];

/// Every document of a project, the times at which runs began left out.
fn left_by_lineage(folder: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut folders: Vec<_> = ["db", "runs", "outputs", "data"].iter().map(|name| folder.join(name)).collect();
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let name = path.strip_prefix(folder).unwrap().to_str().unwrap().to_owned();
            let mut text = std::fs::read_to_string(&path).unwrap();
            if name == "db/process_runs.md" {
                let timeless = |line: &str| {
                    line.split('|')
                        .enumerate()
                        .filter(|(at, _)| *at != 2)
                        .map(|(_, cell)| cell.to_owned())
                        .collect::<Vec<_>>()
                        .join("|")
                };
                text = text.lines().map(timeless).collect::<Vec<_>>().join("\n");
            }
            found.insert(name, text);
        }
    }
    found
}

/// Lets a program go on for so long at most; gives how it ended, and what it said, unless it was killed.
fn or_killed(mut child: std::process::Child, time: Duration) -> Option<(std::process::ExitStatus, String)> {
    let mut told = child.stderr.take().unwrap();
    let (sender, ended) = std::sync::mpsc::channel();
    let reader = std::thread::spawn(move || {
        let told = std::io::read_to_string(&mut told).unwrap();
        let _ = sender.send(());
        told
    });
    if ended.recv_timeout(time).is_ok() {
        return Some((child.wait().unwrap(), reader.join().unwrap()));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    None
}

/// QL-21, LN-09, LN-12: three runs of `lineage` that are killed again and again leave what undisturbed ones do.
#[test]
fn lineage_that_is_killed_again_and_again() {
    let seed = std::env::var("MULTIVERSE_SEED").ok().and_then(|seed| seed.parse().ok());
    let seed: u64 = seed.unwrap_or_else(|| u64::from(std::process::id()));
    let undisturbed = lineage_project();
    assert!(multiverse(undisturbed.path(), &["init", "--protocol", "lineage"]).status().unwrap().success());
    let begun = Instant::now();
    for request in REQUESTS {
        let output = multiverse(undisturbed.path(), &["run", request, "--agent", "offline", "--yes"]).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    let whole = begun.elapsed() / 3;
    let expected = left_by_lineage(undisturbed.path());
    let (mut dice, mut killed, mut projects) = (Dice(seed), 0, 0);
    while killed < kills() {
        let disturbed = lineage_project();
        projects += 1;
        assert!(multiverse(disturbed.path(), &["init", "--protocol", "lineage"]).status().unwrap().success());
        for (number, request) in REQUESTS.iter().enumerate() {
            let id = format!("run-{:03}", number + 1);
            for round in 0.. {
                assert!(round < 1000, "seed {seed}: it never ends");
                let told = multiverse(disturbed.path(), &["status", "--all"]).stdout(Stdio::piped()).output().unwrap();
                let words: &[&str] = match String::from_utf8_lossy(&told.stdout).contains(&id) {
                    false => &["run", request, "--agent", "offline", "--yes"],
                    true => &["resume", "--all", "--agent", "offline", "--yes"],
                };
                let bound = if dice.below(4) == 0 { 8 } else { u64::try_from(whole.as_millis()).unwrap() };
                let time = Duration::from_micros(dice.below(bound.max(1) * 1000));
                let Some((status, told)) = or_killed(multiverse(disturbed.path(), words).spawn().unwrap(), time) else {
                    killed += 1;
                    continue;
                };
                assert!(status.success() || status.code() == Some(5), "seed {seed}: {status} {words:?}\n{told}");
                break;
            }
        }
        let found = left_by_lineage(disturbed.path());
        assert_eq!(found.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>(), "seed {seed}");
        for (name, content) in &expected {
            assert_eq!(found.get(name), Some(content), "seed {seed}: {name}");
        }
    }
    eprintln!("seed {seed}: {killed} kills in {projects} projects of three runs");
}

fn kills() -> u64 {
    std::env::var("MULTIVERSE_KILLS").ok().and_then(|count| count.parse().ok()).unwrap_or(10)
}

/// What a workflow leaves: artifacts whole, the trace and the status without times, ids and counts of attempts.
fn left_by_workflow(folder: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(folder.join("agent_runtime/artifacts/a_parser")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        let text = std::fs::read_to_string(&path).unwrap();
        let without_times = |line: &str| match name.ends_with(".csv") {
            true => line.split_once(',').map_or(String::new(), |(_, rest)| rest.to_owned()),
            false => {
                if line.starts_with("- At: ") {
                    String::new()
                } else {
                    line.to_owned()
                }
            }
        };
        found.insert(name.clone(), text.lines().map(without_times).collect::<Vec<_>>().join("\n"));
    }
    let status = std::fs::read_to_string(folder.join("agent_runtime/status.json")).unwrap();
    let status: serde_json::Value = serde_json::from_str(&status).unwrap();
    for field in [
        "current_step_index",
        "phase_status",
        "role_status",
        "review_status",
        "pending_human_gate_id",
        "review_cycles",
        "integration_loop_status",
        "blocking_reasons",
        "handoff_packet",
    ] {
        found.insert(field.into(), status[field].to_string());
    }
    let outputs = status["evidence"]["outputs"].as_array().unwrap();
    let digests = outputs.iter().filter(|one| !one["output"].as_str().unwrap().ends_with("approval.md"));
    found.insert("digests".into(), digests.map(ToString::to_string).collect::<Vec<_>>().join("\n"));
    found
}

/// QL-21, PF-09: a simulation that is killed again and again comes to its gate as one that never was.
#[test]
fn a_workflow_that_is_killed_again_and_again() {
    const RUN: &[&str] = &["run", "--profile", "default_fallback_profile", "--seed", "9"];
    let seed = std::env::var("MULTIVERSE_SEED").ok().and_then(|seed| seed.parse().ok());
    let seed: u64 = seed.unwrap_or_else(|| u64::from(std::process::id()));
    let project = || {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("ideas")).unwrap();
        let idea = "# A parser\n\n## Acceptance criteria\n\n- It reads 10 MB in a second\n- No byte is lost\n- It must be easy\n";
        std::fs::write(folder.path().join("ideas/parser.md"), idea).unwrap();
        assert!(multiverse(folder.path(), &["init", "--protocol", "profile"]).status().unwrap().success());
        folder
    };
    let undisturbed = project();
    let begun = Instant::now();
    let output = multiverse(undisturbed.path(), RUN).output().unwrap();
    assert_eq!(output.status.code(), Some(3), "{}", String::from_utf8_lossy(&output.stderr));
    let whole = begun.elapsed();
    let expected = left_by_workflow(undisturbed.path());
    let (mut dice, mut killed, mut projects) = (Dice(seed), 0, 0);
    while killed < kills() {
        let disturbed = project();
        projects += 1;
        for round in 0.. {
            assert!(round < 1000, "seed {seed}: it never ends");
            let told = multiverse(disturbed.path(), &["status", "--all"]).stdout(Stdio::piped()).output().unwrap();
            let has_run = String::from_utf8_lossy(&told.stdout).contains("run-default");
            let words = if has_run { &["resume", "--all"][..] } else { RUN };
            let bound = if dice.below(4) == 0 { 8 } else { u64::try_from(whole.as_millis()).unwrap() };
            let time = Duration::from_micros(dice.below(bound.max(1) * 1000));
            let Some((status, told)) = or_killed(multiverse(disturbed.path(), words).spawn().unwrap(), time) else {
                killed += 1;
                continue;
            };
            // 3: it waits at its gate.
            assert_eq!(status.code(), Some(3), "seed {seed}: {words:?}\n{told}");
            break;
        }
        assert_eq!(left_by_workflow(disturbed.path()), expected, "seed {seed}");
    }
    eprintln!("seed {seed}: {killed} kills in {projects} projects, a whole run takes {whole:?}");
}

/// QL-21, MV-23, MV-33: whatever moment it is killed at, the run goes on from what was committed, and nothing is done
/// twice or lost.
#[test]
fn a_run_that_is_killed_again_and_again_ends_as_one_that_never_was() {
    let seed = std::env::var("MULTIVERSE_SEED").ok().and_then(|seed| seed.parse().ok());
    let seed: u64 = seed.unwrap_or_else(|| u64::from(std::process::id()));
    let undisturbed = project();
    let begun = Instant::now();
    let output = multiverse(undisturbed.path(), &["run", REQUEST, "--agent", "offline", "--yes"]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let whole = begun.elapsed();
    let expected = left(undisturbed.path());

    let mut dice = Dice(seed);
    let mut killed = 0;
    let mut projects = 0;
    while killed < kills() {
        let disturbed = project();
        projects += 1;
        let mut rounds = 0;
        loop {
            rounds += 1;
            assert!(rounds < 1000, "seed {seed}: it never ends");
            // The journal knows of a run before the table does.
            let told = multiverse(disturbed.path(), &["status", "--all"]).stdout(Stdio::piped()).output().unwrap();
            let has_run = String::from_utf8_lossy(&told.stdout).contains("run-");
            let words: &[&str] = match has_run {
                false => &["run", REQUEST, "--agent", "offline", "--yes"],
                true => &["resume", "--all", "--agent", "offline", "--yes"],
            };
            let mut child = multiverse(disturbed.path(), words).spawn().unwrap();
            // Most of the time in the middle, now and then at the very beginning.
            let bound = if dice.below(4) == 0 { 8 } else { u64::try_from(whole.as_millis()).unwrap() };
            let time = Duration::from_micros(dice.below(bound.max(1) * 1000));
            let mut told = child.stderr.take().unwrap();
            let (sender, ended) = std::sync::mpsc::channel();
            let reader = std::thread::spawn(move || {
                let told = std::io::read_to_string(&mut told).unwrap();
                let _ = sender.send(());
                told
            });
            // It ends, or its time does.
            let ended = ended.recv_timeout(time).ok().map(|()| child.wait().unwrap());
            match ended {
                None => {
                    child.kill().unwrap();
                    child.wait().unwrap();
                    killed += 1;
                    let verified = multiverse(disturbed.path(), &["verify"]).output().unwrap();
                    let told = String::from_utf8_lossy(&verified.stderr).into_owned();
                    let no_project = told.contains("no project here") || told.contains("no journal");
                    assert!(verified.status.success() || no_project, "seed {seed}: {told}");
                }
                Some(status) => {
                    let told = reader.join().unwrap();
                    // 5: the run was over before it could be resumed.
                    assert!(status.success() || status.code() == Some(5), "seed {seed}: {status} {words:?}\n{told}");
                    break;
                }
            }
        }
        let found = left(disturbed.path());
        for (name, content) in &expected {
            assert_eq!(found.get(name), Some(content), "seed {seed}: {name}");
        }
        let more: Vec<&String> = found.keys().filter(|name| !expected.contains_key(*name)).collect();
        assert!(more.is_empty(), "seed {seed}: also there: {more:?}");
    }
    eprintln!("seed {seed}: {killed} kills in {projects} projects, a whole run takes {whole:?}");
}
