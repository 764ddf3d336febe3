//! The processes that descend from this one, and ending them all (QL-31). Knows no program and no limit of time but
//! its own bound.
//!
//! Only direct children are ever signalled: nobody but this process can reap them, so their numbers cannot come to mean
//! somebody else. What they leave becomes a direct child in turn, since this process is the subreaper. So the sweep is
//! repeated until there is no child; then there is no descendant either. With each child goes its process group, which
//! the kernel ends in one stroke: a program that forks faster than we look loses there.

use std::collections::BTreeSet;
use std::fs;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitOptions, WaitStatus, getpgid, getpgrp, kill_process, kill_process_group, wait};

/// The longest that killed processes may take to be gone; what remains waits for a disk, or was made faster than it
/// could be ended.
pub(crate) const END_BOUND: Duration = Duration::from_secs(5);

/// Between two sweeps that found the same processes: they are dying.
const BREATH: Duration = Duration::from_millis(1);

/// Takes leave of the children that ended. Gives the status of `main` if it was among them, and whether any is left.
pub(crate) fn reap(main: Pid, status: &mut Option<WaitStatus>) -> Left {
    loop {
        match wait(WaitOptions::NOHANG) {
            Ok(Some((pid, ended))) if pid == main => *status = Some(ended),
            Ok(Some(_)) => {}
            Ok(None) => return Left::Some,
            Err(rustix::io::Errno::INTR) => {}
            Err(_) => return Left::None,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Left {
    None,
    Some,
}

/// Asks the program's process group to end.
pub(crate) fn ask(main: Pid) {
    let _ = kill_process_group(main, Signal::TERM);
    // Whoever was stopped cannot answer.
    let _ = kill_process_group(main, Signal::CONT);
}

/// Ends all descendants, and gives how many could not be ended within the bound.
pub(crate) fn end_all(main: Pid, status: &mut Option<WaitStatus>) -> usize {
    let begun = Instant::now();
    let mut before = BTreeSet::new();
    loop {
        if reap(main, status) == Left::None {
            return 0;
        }
        let children = children(main);
        for child in &children {
            end(*child);
        }
        if begun.elapsed() > END_BOUND {
            return children.len().max(1);
        }
        let found: BTreeSet<i32> = children.iter().map(|pid| pid.as_raw_pid()).collect();
        if found == before {
            std::thread::sleep(BREATH);
        }
        before = found;
    }
}

/// A child with its group. The group can hold descendants alone: the program began a session of its own.
fn end(child: Pid) {
    if let Ok(group) = getpgid(Some(child))
        && group != getpgrp()
        && !group.is_init()
    {
        let _ = kill_process_group(group, Signal::KILL);
    }
    let _ = kill_process(child, Signal::KILL);
}

#[cfg(target_os = "linux")]
fn children(_: Pid) -> Vec<Pid> {
    children_of(None)
}

/// The direct children of a process, or of this one.
#[cfg(target_os = "linux")]
pub(crate) fn children_of(process: Option<Pid>) -> Vec<Pid> {
    let place = process.map_or("self".into(), |pid| pid.as_raw_pid().to_string());
    let threads = fs::read_dir(format!("/proc/{place}/task")).into_iter().flatten().flatten();
    let mut found = Vec::new();
    for thread in threads {
        match fs::read_to_string(thread.path().join("children")) {
            Ok(list) => found.extend(list.split_ascii_whitespace().filter_map(|pid| Pid::from_raw(pid.parse().ok()?))),
            // A kernel without these lists, or a thread that has just ended.
            Err(_) => return children_by_parent(process),
        }
    }
    found
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn children_of(_: Option<Pid>) -> Vec<Pid> {
    Vec::new()
}

/// The program alone: elsewhere, what left its group is not found.
#[cfg(not(target_os = "linux"))]
fn children(main: Pid) -> Vec<Pid> {
    vec![main]
}

/// Every process that names that one, or this one, as its parent.
#[cfg(target_os = "linux")]
fn children_by_parent(process: Option<Pid>) -> Vec<Pid> {
    let own = process.unwrap_or_else(rustix::process::getpid).as_raw_pid();
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let processes = entries.filter_map(|entry| {
        let pid: i32 = entry.file_name().to_str()?.parse().ok()?;
        let line = fs::read_to_string(entry.path().join("stat")).ok()?;
        // The program's name stands in brackets and may hold anything; state and parent follow the last one.
        let parent: i32 = line.rsplit_once(')')?.1.split_ascii_whitespace().nth(1)?.parse().ok()?;
        (parent == own).then(|| Pid::from_raw(pid)).flatten()
    });
    processes.collect()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    /// QL-31: both ways to find children agree; the kernel need not offer the first.
    #[test]
    fn children_are_found_with_and_without_lists() {
        let mut child = Command::new("cat").stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
        let pid = Pid::from_child(&child);
        assert!(children(pid).contains(&pid), "in the lists of the threads");
        assert!(children_by_parent(None).contains(&pid), "among all processes");
        drop(child.stdin.take());
        child.wait().unwrap();
        assert!(!children(pid).contains(&pid));
        assert!(!children_by_parent(None).contains(&pid));
    }
}
