//! How large the tree of a program has grown, and whether that is too large (QL-31). Looks and decides; ends nothing.
//!
//! The kernel itself holds a tree to its processes (see `namespaces` and `cage`) and its memory (see `group`) where it can.
//! It refuses more, and the tree could go on asking for ever; and not everywhere it can. So the launcher looks, too, often
//! when the tree is large and seldom when it is small, and a tree that has reached its bound is ended. Where the kernel
//! holds it to nothing, it can outgrow a bound by what it does between two looks.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::fs::statvfs;
use rustix::process::Pid;

use crate::tree;
use crate::{Bound, Bounds};

/// The shortest and the longest time between two looks.
const SOON: Duration = Duration::from_millis(10);
const LATER: Duration = Duration::from_millis(250);

/// A tree that fills this part of a bound is looked at often.
const LARGE: u64 = 4;

/// The most entries that are counted when the disk has become full.
const COUNTED: usize = 500_000;

/// What `stat` counts in.
const BLOCK: u64 = 512;

/// Which processes belong to the tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Members {
    /// All that descend from this one.
    Descendants,
    /// All that there are in this namespace.
    Everybody,
}

#[derive(Debug)]
pub(crate) struct Growth {
    bounds: Bounds,
    members: Members,
    /// The folders that may be written, and how much room their disk had.
    written: Vec<(PathBuf, u64)>,
    pause: Duration,
    due: Instant,
}

impl Growth {
    pub(crate) fn new(bounds: Bounds, members: Members, write: &[PathBuf]) -> Self {
        let folders = write.iter().filter(|path| path.is_dir());
        let written = folders.filter_map(|path| Some((path.clone(), room(path)?))).collect();
        Self { bounds, members, written, pause: SOON, due: Instant::now() + SOON }
    }

    /// When to look next.
    pub(crate) fn due(&self) -> Instant {
        self.due
    }

    /// Looks, if it is time to, and gives the bound that was outgrown.
    pub(crate) fn look(&mut self) -> Option<Bound> {
        if Instant::now() < self.due {
            return None;
        }
        let tree = self.tree();
        let bound = self.outgrown(&tree);
        let is_large =
            tree.threads * LARGE > self.bounds.processes.into() || tree.memory * LARGE > self.bounds.memory_bytes;
        self.pause = if is_large { SOON } else { (self.pause * 2).min(LATER) };
        self.due = Instant::now() + self.pause;
        bound
    }

    fn outgrown(&mut self, tree: &Tree) -> Option<Bound> {
        // Where the kernel makes no more, there are never more to be seen.
        if tree.threads >= self.bounds.processes.into() {
            return Some(Bound::Processes);
        }
        // What a child shares with its parent was counted for both: then it is counted exactly, which takes longer.
        if tree.memory > self.bounds.memory_bytes && shared_once(&tree.processes) > self.bounds.memory_bytes {
            return Some(Bound::Memory);
        }
        self.disk_is_outgrown(tree).then_some(Bound::Disk)
    }

    /// All files are counted only if the disk lost as much room since the last time. It may have been somebody else.
    fn disk_is_outgrown(&mut self, tree: &Tree) -> bool {
        let mut lost = false;
        for (path, before) in &mut self.written {
            let now = room(path).unwrap_or(*before);
            lost |= before.saturating_sub(now) > self.bounds.disk_bytes;
            // What was freed and taken again counts as well.
            *before = now.max(*before);
        }
        if !lost {
            return false;
        }
        let named: u64 = self.written.iter().map(|(path, _)| size_of(path)).sum();
        if named + without_name(&tree.processes) > self.bounds.disk_bytes {
            return true;
        }
        for (path, before) in &mut self.written {
            *before = room(path).unwrap_or(*before);
        }
        false
    }

    fn tree(&self) -> Tree {
        let processes = match self.members {
            Members::Everybody => everybody(),
            Members::Descendants => descendants(),
        };
        let mut tree = Tree { processes, threads: 0, memory: 0 };
        for process in &tree.processes {
            let status = fs::read_to_string(process.join("status")).unwrap_or_default();
            tree.threads += field(&status, "Threads:").unwrap_or(0);
            tree.memory += (field(&status, "RssAnon:").unwrap_or(0) + field(&status, "RssShmem:").unwrap_or(0)) << 10;
        }
        tree
    }
}

struct Tree {
    /// Their folders in `/proc`.
    processes: Vec<PathBuf>,
    threads: u64,
    memory: u64,
}

fn everybody() -> Vec<PathBuf> {
    let own = rustix::process::getpid().as_raw_pid().to_string();
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let processes = entries.filter(|entry| {
        let name = entry.file_name();
        name.as_encoded_bytes().iter().all(u8::is_ascii_digit) && name.to_str() != Some(&own)
    });
    processes.map(|entry| entry.path()).collect()
}

fn descendants() -> Vec<PathBuf> {
    let place = |pid: Pid| Path::new("/proc").join(pid.as_raw_pid().to_string());
    let mut found: Vec<Pid> = Vec::new();
    let mut seen = BTreeSet::new();
    let mut waiting = tree::children_of(None);
    while let Some(pid) = waiting.pop() {
        if seen.insert(pid.as_raw_pid()) {
            waiting.extend(tree::children_of(Some(pid)));
            found.push(pid);
        }
    }
    found.into_iter().map(place).collect()
}

/// Memory with what is shared counted once; what cannot be looked at so closely counts in full.
fn shared_once(processes: &[PathBuf]) -> u64 {
    let one = |process: &PathBuf| {
        let rollup = fs::read_to_string(process.join("smaps_rollup")).unwrap_or_default();
        match field(&rollup, "Pss_Anon:").zip(field(&rollup, "Pss_Shmem:")) {
            Some((anonymous, shared)) => anonymous + shared,
            None => {
                let status = fs::read_to_string(process.join("status")).unwrap_or_default();
                field(&status, "RssAnon:").unwrap_or(0) + field(&status, "RssShmem:").unwrap_or(0)
            }
        }
    };
    processes.iter().map(one).sum::<u64>() << 10
}

/// Files that are open but have no name any more, each once.
fn without_name(processes: &[PathBuf]) -> u64 {
    let mut seen = BTreeSet::new();
    let mut bytes = 0;
    for process in processes {
        for entry in fs::read_dir(process.join("fd")).into_iter().flatten().flatten() {
            if let Ok(found) = fs::metadata(entry.path())
                && found.is_file()
                && found.nlink() == 0
                && seen.insert((found.dev(), found.ino()))
            {
                bytes += found.blocks() * BLOCK;
            }
        }
    }
    bytes
}

/// What the files in a folder take on the disk. Links are not followed.
fn size_of(folder: &Path) -> u64 {
    let mut waiting = vec![folder.to_path_buf()];
    let (mut bytes, mut counted) = (0, 0);
    while let Some(folder) = waiting.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            counted += 1;
            let Ok(found) = entry.metadata() else { continue };
            bytes += found.blocks() * BLOCK;
            if found.is_dir() {
                waiting.push(entry.path());
            }
        }
        if counted > COUNTED {
            break;
        }
    }
    bytes
}

fn room(path: &Path) -> Option<u64> {
    statvfs(path).ok().map(|found| found.f_bfree.saturating_mul(found.f_frsize))
}

/// The number after a name in one of the kernel's lists.
fn field(list: &str, name: &str) -> Option<u64> {
    let line = list.lines().find(|line| line.starts_with(name))?;
    line[name.len()..].split_ascii_whitespace().next()?.parse().ok()
}
