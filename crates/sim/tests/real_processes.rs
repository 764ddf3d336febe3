//! QL-22: sixteen real processes in one project at once, and a lock whose holder was stopped. `MULTIVERSE_COMMITS`
//! says how many commits.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, reason = "tests only")]

mod real_examine;

use std::os::unix::fs::MetadataExt;
use std::process::Command;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use real_examine::{count, examine, is_token, start};

const PROCESSES: usize = 16;

/// QL-22: no lost update, no deadlock, and nobody below a quarter of their share.
#[test]
fn sixteen_processes_share_one_project() {
    let commits = count("MULTIVERSE_COMMITS", 1600);
    let folder = tempfile::tempdir().unwrap();
    let project = folder.path();
    let gate = project.join("gate");
    let shown = gate.display().to_string();
    let (tell, told) = mpsc::channel::<(usize, String)>();
    let mut processes = Vec::new();
    let mut readers = Vec::new();
    for number in 0..PROCESSES {
        let seed = number.to_string();
        let writer = start(project, &format!("p{number}"), &["--rows", "--seed", &seed, "--while", &shown]);
        processes.push(writer.process);
        let tell = tell.clone();
        let lines = writer.lines;
        readers.push(std::thread::spawn(move || {
            for line in lines {
                tell.send((number, line.unwrap())).unwrap();
            }
        }));
    }
    drop(tell);
    for _ in 0..PROCESSES {
        assert_eq!(told.recv().unwrap().1, "ready");
    }
    std::fs::write(&gate, "").unwrap();
    let begun = Instant::now();
    let mut shares = [0; PROCESSES];
    let mut acknowledged = Vec::new();
    let mut took = Duration::ZERO;
    for (number, line) in told {
        assert!(is_token(&line), "process {number} says: {line}");
        acknowledged.push(line);
        // What is finished after the gate was closed is checked, but no longer counted.
        if took == Duration::ZERO {
            shares[number] += 1;
        }
        if acknowledged.len() == commits {
            took = begun.elapsed();
            std::fs::remove_file(&gate).unwrap();
        }
    }
    for mut process in processes {
        assert!(process.wait().unwrap().success());
    }
    readers.into_iter().for_each(|reader| reader.join().unwrap());
    let (least, most) = (shares.iter().min().unwrap(), shares.iter().max().unwrap());
    let share = commits / PROCESSES;
    let rate = commits as f64 / took.as_secs_f64();
    println!(
        "{commits} commits by {PROCESSES} processes, {rate:.0} a second; each one's share is {share}, the least had {least}, the most {most}"
    );
    println!("{shares:?}");
    examine(project, &acknowledged, &[]);
    assert!(4 * least >= share, "a process had {least} of {share}");
}

/// QL-22: a lock held by a stopped process is named with its number and how to mend it; then all goes on.
#[test]
fn a_stopped_holder_of_the_lock_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let mut holder = start(folder.path(), "holder", &["--hold"]);
    let number = holder.process.id();
    let mut said: Vec<String> = Vec::new();
    while said.last().is_none_or(|line| line != "holding") {
        said.push(holder.lines.next().unwrap().unwrap());
    }
    let lock = || std::fs::metadata(folder.path().join(".multiverse/lock")).unwrap().ino();
    let before = lock();
    let mut waiting = start(folder.path(), "waiting", &["--count", "3", "--rows"]);
    let notice = waiting.lines.next().unwrap().unwrap();
    assert!(notice.starts_with(&format!("held by {number}: process {number} holds it and is stopped")), "{notice}");
    for mend in [format!("kill -CONT {number}"), format!("kill -KILL {number}")] {
        assert!(notice.contains(&mend), "{notice}");
    }
    assert!(Command::new("kill").args(["-CONT", &number.to_string()]).status().unwrap().success());
    said.extend(holder.lines.map(Result::unwrap));
    said.extend(waiting.lines.map(Result::unwrap));
    assert!(holder.process.wait().unwrap().success());
    assert!(waiting.process.wait().unwrap().success());
    assert_eq!(lock(), before, "a lock file is never unlinked");
    said.retain(|line| is_token(line));
    assert_eq!(said.len(), 4);
    examine(folder.path(), &said, &[]);
}
