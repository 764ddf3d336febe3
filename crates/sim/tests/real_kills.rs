//! QL-21: real writer processes, killed with SIGKILL at random moments and started again, while a person edits the
//! documents: nothing acknowledged is lost, nothing is half there. `MULTIVERSE_KILLS` says how many kills,
//! `MULTIVERSE_SEED` where chance begins.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, reason = "tests only")]

mod real_examine;

use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use real_examine::{DOCUMENTS, count, examine, is_token, start};
use sim::Random;
use store::{Fs, RealFs};

/// How many writers work at once, in turn.
const CROWDS: [usize; 3] = [1, 2, 4];

/// QL-21, QL-23
#[test]
fn killed_writers_lose_nothing() {
    let kills = count("MULTIVERSE_KILLS", 60);
    let seed = count("MULTIVERSE_SEED", 1) as u64;
    for (turn, writers) in CROWDS.into_iter().enumerate() {
        let share = kills * writers / CROWDS.iter().sum::<usize>();
        check(seed + turn as u64, writers, share.div_ceil(writers));
    }
}

/// Writers in one project, each killed so many times; afterwards every promise is looked for.
fn check(seed: u64, writers: usize, kills: usize) {
    let folder = tempfile::tempdir().unwrap();
    let project = folder.path();
    println!("seed {seed}: {writers} writers, {kills} kills each");
    let over = AtomicBool::new(false);
    let (acknowledged, saved) = std::thread::scope(|scope| {
        let person = scope.spawn(|| edit(project, seed, &over));
        let crowd: Vec<_> = (0..writers)
            .map(|writer| scope.spawn(move || write_and_die(project, seed ^ (writer as u64 + 1) << 32, writer, kills)))
            .collect();
        let all: Vec<_> = crowd.into_iter().map(std::thread::ScopedJoinHandle::join).collect();
        over.store(true, Ordering::Relaxed);
        let saved = person.join().unwrap();
        (all.into_iter().flat_map(Result::unwrap).collect::<Vec<_>>(), saved)
    });
    println!("  {} commits acknowledged, {} saves by hand", acknowledged.len(), saved.len());
    assert!(acknowledged.len() > kills && !saved.is_empty(), "nothing was tried");
    examine(project, &acknowledged, &saved);
}

/// One writer after another, each killed when it has said so many tokens, or after some time; gives what they said.
fn write_and_die(project: &Path, seed: u64, writer: usize, kills: usize) -> Vec<String> {
    let mut random = Random::new(seed);
    let fs = RealFs::open(project).unwrap();
    let mut said = Vec::new();
    for life in 0..kills {
        let seed = random.number().to_string();
        let mut this = start(project, &format!("w{writer}k{life}"), &["--seed", &seed]);
        if random.one_in(2) {
            fs.pause(Duration::from_micros(random.below(80_000) as u64));
        } else {
            let enough = random.below(40);
            let tokens = this.lines.by_ref().map(Result::unwrap).filter(|line| is_token(line));
            said.extend(tokens.take(enough));
            fs.pause(Duration::from_micros(random.below(2000) as u64));
        }
        this.process.kill().unwrap();
        said.extend(this.lines.map(Result::unwrap).filter(|line| is_token(line)));
        let status = this.process.wait().unwrap();
        assert_eq!(status.signal(), Some(9), "writer {writer}, life {life} ended by itself: {status}");
    }
    said
}

/// A person who saves a line of their own now and then, in the ways that editors save; gives the lines.
fn edit(project: &Path, seed: u64, over: &AtomicBool) -> Vec<(String, String)> {
    let mut random = Random::new(seed ^ 0xed17);
    let fs = RealFs::open(project).unwrap();
    let mut saved = Vec::new();
    while !over.load(Ordering::Relaxed) {
        fs.pause(Duration::from_millis(random.below(120) as u64));
        let (_, name) = DOCUMENTS[random.below(DOCUMENTS.len())];
        let file = project.join(name);
        let Ok(text) = std::fs::read_to_string(&file) else { continue };
        fs.pause(Duration::from_millis([0, 1, 60][random.below(3)]));
        let line = format!("| me-{}; | NOTE | |\n", saved.len());
        let at =
            if random.one_in(2) { text.len() } else { text.match_indices('\n').nth(1).map_or(0, |(at, _)| at + 1) };
        let edited = format!("{}{line}{}", &text[..at], &text[at..]);
        match random.below(3) {
            0 => {
                let beside = file.with_extension("swp");
                std::fs::write(&beside, &edited).unwrap();
                std::fs::rename(&beside, &file).unwrap();
            }
            1 => std::fs::write(&file, &edited).unwrap(),
            _ => {
                use std::io::Write;
                let mut open = std::fs::File::create(&file).unwrap();
                let (one, other) = edited.as_bytes().split_at(edited.len() / 2);
                open.write_all(one).unwrap();
                fs.pause(Duration::from_millis(random.below(100) as u64));
                open.write_all(other).unwrap();
            }
        }
        saved.push((name.to_owned(), line));
    }
    saved
}
