//! RM-05, RM-07, RM-10, RM-11, QL-21, QL-22: many real processes carry one roadmap on while they are killed and stopped at random.
//! Every item is done exactly once and none is lost, the log is valid at every moment it is read, and the end is that of one
//! process. `MULTIVERSE_ROADMAP=16x400` has so many processes do so many items; the seed is printed.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Child;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::{Dice, multiverse};

const TASK: &str = ".jixo/many.task.md";
const LOG: &str = ".jixo/many.log.md";

/// An agent that leaves a roadmap as it is; and takes a moment for an item, writes the file that it is about, and says so. It
/// reads nothing but its brief.
const AGENT: &str = r#"#!/bin/sh
if grep -q '"role" *: *"planner"' brief.json; then
  echo '{"status": "done", "summary": "it is as it should be", "result": {}}'
  exit
fi
title=$(tr ',' '\n' < brief.json | sed -n 's/.*"title" *: *"Make out.\([0-9]*\).*/\1/p' | head -n 1)
sleep 0.03
mkdir -p out
echo "this is $title" > "out/$title.txt"
printf '{"status": "done", "summary": "made out/%s.txt", "result": {}}\n' "$title"
"#;

fn project(items: usize) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(folder.path().join(".jixo")).unwrap();
    // The roadmap is there already.
    std::fs::write(folder.path().join(TASK), "---\nname: many\ndirs: [out]\n---\n\nMake them all.\n").unwrap();
    let mut log = "---\ntitle: \"many\"\nprogress: \"0%\"\n---\n\n## Roadmap\n\n".to_string();
    for number in 1..=items {
        log.push_str(&format!("- [ ] {number}. Make out/{number}.txt\n  - status: Pending\n"));
        if number > 10 && number % 7 == 0 {
            log.push_str(&format!("  - dependsOn: {}\n", number - 10));
        }
    }
    log.push_str("\n## Work Log\n");
    std::fs::write(folder.path().join(LOG), log).unwrap();
    let agent = folder.path().join("agent.sh");
    std::fs::write(&agent, AGENT).unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(agent, mode).unwrap();
    folder
}

fn start(folder: &Path) -> Child {
    let mut command =
        multiverse(folder, &["run", "--protocol", "roadmap", "--jobs", "1", "--agent", "command:./agent.sh"]);
    command.stderr(std::process::Stdio::null()).spawn().unwrap()
}

/// What a log says of its items, and that it is whole.
#[derive(Debug, Default, PartialEq, Eq)]
struct Read {
    /// The state of each item.
    items: BTreeMap<usize, String>,
    /// How often each was done.
    done: BTreeMap<usize, usize>,
    progress: usize,
}

/// Reads a log strictly: whatever moment it is, it is one that a person would call right.
fn read(log: &str, items: usize) -> Result<Read, String> {
    let wrong = |what: String| Err(format!("{what}\n{log}"));
    let (front, body) =
        log.strip_prefix("---\n").and_then(|rest| rest.split_once("\n---\n")).ok_or("no front matter")?;
    let progress = front.lines().find_map(|line| line.strip_prefix("progress: ")).ok_or("no progress")?;
    let progress: usize = progress.trim_matches(['"', '%', ' ']).parse().map_err(|_| format!("progress {progress}"))?;
    let (roadmap, entries) = body.split_once("\n## Work Log").ok_or("no work log")?;
    let mut found = Read { progress, ..Read::default() };
    let mut at = None;
    let (mut is_ticked, mut has_executor) = (false, false);
    for line in roadmap.lines() {
        if let Some(rest) = line.strip_prefix("- [") {
            let (mark, rest) = rest.split_at(1);
            let number = rest.trim_start_matches("] ").split('.').next().and_then(|number| number.parse().ok());
            at = number;
            (is_ticked, has_executor) = (mark == "x", false);
            if at.is_none() {
                return wrong(format!("no number in {line:?}"));
            }
        } else if let (Some(status), Some(number)) = (line.trim().strip_prefix("- status: "), at) {
            if is_ticked != (status == "Completed") {
                return wrong(format!("the box of {number} contradicts {status}"));
            }
            if found.items.insert(number, status.to_string()).is_some() {
                return wrong(format!("{number} has two states"));
            }
        } else if line.trim().starts_with("- executor: ") {
            has_executor = true;
        }
        if has_executor && at.and_then(|number| found.items.get(&number)).is_some_and(|status| status != "Locked") {
            return wrong(format!("{at:?} has an executor and is not Locked"));
        }
    }
    if found.items.keys().copied().collect::<Vec<_>>() != (1..=items).collect::<Vec<_>>() {
        return wrong(format!("{} items instead of {items}", found.items.len()));
    }
    let mut newest = u64::MAX;
    for entry in entries.split("\n### Log ").skip(1) {
        let number: u64 =
            entry.split(' ').next().and_then(|word| word.parse().ok()).ok_or("an entry without a number")?;
        if number >= newest {
            return wrong(format!("entry {number} stands below {newest}"));
        }
        newest = number;
        let field = |name: &str| entry.lines().find_map(|line| line.strip_prefix(&format!("- **{name}**: ")));
        let (Some(role), Some(objective), Some(result)) = (field("Role"), field("Objective"), field("Result")) else {
            return wrong(format!("entry {number} is not whole"));
        };
        let item = objective.split('.').next().and_then(|number| number.parse::<usize>().ok());
        if let (Some(item), "Executor", "Succeeded") = (item, role, result) {
            *found.done.entry(item).or_default() += 1;
        }
    }
    let completed = found.items.values().filter(|status| *status == "Completed").count();
    for (number, status) in &found.items {
        let times = found.done.get(number).copied().unwrap_or_default();
        if times != usize::from(status == "Completed") {
            return wrong(format!("{number} is {status} and was done {times} times"));
        }
    }
    if progress != completed * 100 / items {
        return wrong(format!("progress {progress}% with {completed} of {items} done"));
    }
    Ok(found)
}

/// Waits until all have ended by themselves.
fn wait_for(children: &mut [Child], seed: u64) {
    let begun = Instant::now();
    for child in children {
        let status = loop {
            match child.try_wait().unwrap() {
                Some(status) => break status,
                None if begun.elapsed() > Duration::from_secs(300) => {
                    panic!("seed {seed}: process {} hangs", child.id())
                }
                None => std::thread::yield_now(),
            }
        };
        assert!(status.success() || status.code() == Some(5), "seed {seed}: {status}");
    }
}

fn files(folder: &Path, items: usize) -> Vec<String> {
    (1..=items).map(|number| std::fs::read_to_string(folder.join(format!("out/{number}.txt"))).unwrap()).collect()
}

/// Somebody who reads the log all the while.
struct Reader {
    ends: Arc<AtomicBool>,
    progress: Arc<AtomicU64>,
    thread: std::thread::JoinHandle<Result<usize, String>>,
}

impl Reader {
    fn begin(folder: &Path, items: usize) -> Self {
        let (ends, progress) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
        let (path, end, shown) = (folder.join(LOG), ends.clone(), progress.clone());
        let thread = std::thread::spawn(move || {
            let mut looks = 0;
            while !end.load(Ordering::SeqCst) {
                let text =
                    std::fs::read_to_string(&path).map_err(|error| format!("the log cannot be read: {error}"))?;
                // As it was before the first step it has no entries and no states of ours, and is right, too.
                let found = read(&text, items)?;
                shown.store(found.progress as u64, Ordering::SeqCst);
                looks += 1;
                std::thread::park_timeout(Duration::from_millis(3));
            }
            Ok(looks)
        });
        Self { ends, progress, thread }
    }

    fn end(self) -> Result<usize, String> {
        self.ends.store(true, Ordering::SeqCst);
        self.thread.join().unwrap()
    }
}

fn size() -> (usize, usize) {
    let told = std::env::var("MULTIVERSE_ROADMAP").unwrap_or_default();
    let read = told.split_once('x').and_then(|(one, other)| Some((one.parse().ok()?, other.parse().ok()?)));
    read.unwrap_or((6, 48))
}

#[test]
fn a_roadmap_whose_processes_are_killed_and_stopped_at_random() {
    let seed = std::env::var("MULTIVERSE_SEED").ok().and_then(|seed| seed.parse().ok());
    let seed: u64 = seed.unwrap_or_else(|| u64::from(std::process::id()));
    let (processes, items) = size();
    let alone = project(items);
    wait_for(&mut [start(alone.path())], seed);
    let expected = read(&std::fs::read_to_string(alone.path().join(LOG)).unwrap(), items).unwrap();
    assert_eq!(expected.progress, 100);

    let disturbed = project(items);
    let reader = Reader::begin(disturbed.path(), items);
    let mut dice = Dice(seed);
    let mut children: Vec<Child> = (0..processes).map(|_| start(disturbed.path())).collect();
    let (mut killed, mut stopped) = (0, 0);
    let begun = Instant::now();
    while reader.progress.load(Ordering::SeqCst) < 90 && !reader.thread.is_finished() {
        assert!(begun.elapsed() < Duration::from_secs(600), "seed {seed}: it never ends");
        std::thread::park_timeout(Duration::from_millis(5 + dice.below(120)));
        let one = usize::try_from(dice.below(processes as u64)).unwrap();
        if dice.below(3) == 0 {
            let process = Pid::from_child(&children[one]);
            // It may be over by now.
            if kill_process(process, Signal::STOP).is_ok() {
                stopped += 1;
                std::thread::park_timeout(Duration::from_millis(dice.below(900)));
                let _ = kill_process(process, Signal::CONT);
            }
        } else {
            let _ = children[one].kill();
            children[one].wait().unwrap();
            killed += 1;
            children[one] = start(disturbed.path());
        }
    }
    wait_for(&mut children, seed);
    let looks = reader.end().unwrap_or_else(|wrong| panic!("seed {seed}: {wrong}"));
    let found = read(&std::fs::read_to_string(disturbed.path().join(LOG)).unwrap(), items).unwrap();
    assert_eq!(found, expected, "seed {seed}");
    assert_eq!(files(disturbed.path(), items), files(alone.path(), items), "seed {seed}");
    let verified = multiverse(disturbed.path(), &["verify"]).output().unwrap();
    assert!(verified.status.success(), "seed {seed}: {}", String::from_utf8_lossy(&verified.stderr));
    assert!(killed + stopped > 0 && looks > 0);
    eprintln!("seed {seed}: {processes} processes, {items} items, {killed} killed, {stopped} stopped, {looks} looks");
}
