//! The kernel itself holds a tree to its bounds, also between two looks of the launcher (QL-31): fork bombs and memory hogs
//! that are faster than any look, as root and as anybody else.
#![cfg(test)]
#![cfg(target_os = "linux")]

mod stage;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use stage::{Stage, assert_exit, has_namespaces, skip, text};
use tools::{Bound, Bounds, How, Network, gaps};

const HOSTILE: &str = env!("CARGO_BIN_EXE_hostile");
const CONFINED: &str = env!("CARGO_BIN_EXE_confined");

/// Those of `confined --small`.
const SMALL: Bounds = Bounds { memory_bytes: 256 << 20, processes: 64, file_bytes: 8 << 20, disk_bytes: 64 << 20 };

fn most_counted(list: &Path) -> u32 {
    let list = fs::read_to_string(list).unwrap();
    list.lines().filter_map(|line| line.parse().ok()).max().unwrap()
}

/// Where this process may make control groups, and those of ours that are there.
fn groups() -> Vec<PathBuf> {
    let own = fs::read_to_string("/proc/self/cgroup").unwrap();
    let own = own.lines().filter_map(|line| line.splitn(3, ':').nth(2));
    let mut found = Vec::new();
    for group in own {
        for hierarchy in ["/sys/fs/cgroup", "/sys/fs/cgroup/memory", "/sys/fs/cgroup/pids"] {
            let place = Path::new(hierarchy).join(group.trim_start_matches('/'));
            let places = place.ancestors().take_while(|path| path.starts_with(hierarchy));
            let entries = places.filter_map(|place| fs::read_dir(place).ok()).flatten().flatten();
            let ours = entries.filter(|entry| entry.file_name().to_string_lossy().starts_with("multiverse-"));
            found.extend(ours.map(|entry| entry.path()));
        }
    }
    found.sort();
    found.dedup();
    found
}

/// Only ever those of one process, which is in the name: tests run at the same time.
fn groups_of(launchers: &[u32]) -> Vec<PathBuf> {
    let is_theirs = |path: &PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy();
        launchers.iter().any(|launcher| name.starts_with(&format!("multiverse-{launcher}-")))
    };
    groups().into_iter().filter(is_theirs).collect()
}

/// What this machine cannot hold a tree to, in the words of `doctor`.
fn is_missing(what: &str) -> bool {
    Stage::new();
    gaps().iter().any(|gap| gap.contains(what))
}

/// The processes that one started, itself first.
fn below(process: u32) -> Vec<u32> {
    let threads = fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
    let children = threads.map(|thread| fs::read_to_string(thread.path().join("children")).unwrap_or_default());
    let children: Vec<u32> = children
        .flat_map(|list| list.split_whitespace().filter_map(|child| child.parse().ok()).collect::<Vec<_>>())
        .collect();
    std::iter::once(process).chain(children.into_iter().flat_map(below)).collect()
}

fn wait_until(what: &str, holds: impl Fn() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < Duration::from_secs(30), "{what}");
        std::thread::yield_now();
    }
}

/// QL-31: never one process more than the bound, however fast they are made; and the tree is ended for it.
#[test]
fn ql31_no_tree_outforks_its_bound() {
    if is_missing("more processes than allowed") {
        return skip("a hard bound of processes: this machine has none");
    }
    let stage = Stage::new();
    for processes in [1, 2, 64, 200] {
        let mut launched = stage.program(HOSTILE, &["flood", "processes-counted"]);
        launched.network = Network::Closed;
        launched.bounds = Bounds { processes, ..SMALL };
        let ended = stage.ended(&launched);
        assert_eq!(ended.how, How::Outgrew(Bound::Processes), "{processes}");
        let list = stage.scratch().join("counted");
        if processes > 1 {
            assert_eq!(most_counted(&list), processes);
        }
        fs::remove_file(list).unwrap();
    }
}

/// QL-31: the same for a user without powers.
#[test]
fn ql31_an_ordinary_user_outforks_nothing() {
    const NOBODY: u32 = 65534;
    let stage = Stage::new();
    if !rustix::process::getuid().is_root() || !has_namespaces() {
        return;
    }
    std::os::unix::fs::chown(stage.scratch(), Some(NOBODY), Some(NOBODY)).unwrap();
    let top = stage.scratch().parent().unwrap().to_path_buf();
    fs::set_permissions(&top, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    fs::copy(HOSTILE, stage.scratch().join("hostile")).unwrap();
    let user = NOBODY.to_string();
    let mut command = Command::new("setpriv");
    command.args(["--reuid", &user, "--regid", &user, "--clear-groups", CONFINED, "--small", "--closed"]);
    command.arg(stage.scratch()).args(["./hostile", "flood", "processes-counted"]);
    let done = command.env("HOME", &top).current_dir("/").output().unwrap();
    assert_eq!(text(&done.stderr).lines().last(), Some("ended: Outgrew(Processes)"));
    assert_eq!(most_counted(&stage.scratch().join("counted")), SMALL.processes);
}

/// QL-31: many processes that take their memory in one moment never have more than the bound together.
#[test]
fn ql31_many_processes_do_not_outgrow_their_memory_together() {
    if is_missing("no control group") {
        return skip("a hard bound of memory: no control group can be made here");
    }
    let stage = Stage::new();
    let mut launched = stage.program(HOSTILE, &["flood", "memory-at-once"]);
    launched.network = Network::Closed;
    launched.bounds = SMALL;
    let is_over = AtomicBool::new(false);
    let (ended, most) = std::thread::scope(|scope| {
        let watching = scope.spawn(|| {
            let mut most = 0;
            while !is_over.load(Ordering::SeqCst) {
                let own = below(std::process::id());
                for group in groups_of(&own) {
                    for file in ["memory.max_usage_in_bytes", "memory.peak", "memory.current"] {
                        let read = fs::read_to_string(group.join(file)).unwrap_or_default();
                        most = most.max(read.trim().parse::<u64>().unwrap_or(0));
                    }
                }
            }
            most
        });
        let ended = stage.ended(&launched);
        is_over.store(true, Ordering::SeqCst);
        (ended, watching.join().unwrap())
    });
    assert_eq!(ended.how, How::Outgrew(Bound::Memory));
    assert!(most > 100 << 20, "the hog was in the group: {most}");
    assert!(most <= SMALL.memory_bytes, "{most} bytes at once");
}

/// QL-31: no group stays: not of a program that has ended, not when the engine was killed, and if the launcher itself was, not
/// longer than to the next start.
#[test]
fn ql31_no_group_is_left() {
    if is_missing("no control group") {
        return skip("removing control groups: none can be made here");
    }
    let stage = Stage::new();
    let started = || {
        let folder = stage.scratch().display().to_string();
        let mut command = Command::new(CONFINED);
        command.args(["--small", &folder, "sleep", "1000"]).stdout(Stdio::null()).stderr(Stdio::null());
        let engine = command.spawn().unwrap();
        wait_until("a program in its group", || {
            let groups = groups_of(&below(engine.id()));
            let has_member = |group: &PathBuf| {
                fs::read_to_string(group.join("cgroup.procs")).is_ok_and(|list| !list.trim().is_empty())
            };
            !groups.is_empty() && groups.iter().all(has_member)
        });
        let launcher = below(engine.id())[1];
        (engine, launcher)
    };
    let (mut engine, launcher) = started();
    engine.kill().unwrap();
    engine.wait().unwrap();
    wait_until("the launcher removes its group when the engine is gone", || groups_of(&[launcher]).is_empty());

    let (mut engine, launcher) = started();
    let kill = Command::new("kill").args(["-KILL", &launcher.to_string()]).status().unwrap();
    assert!(kill.success());
    engine.wait().unwrap();
    // A start of another test may have been the next.
    assert_exit(&stage.ended(&stage.sh("true")), 0);
    wait_until("the next one removes it", || {
        assert_exit(&stage.ended(&stage.sh("true")), 0);
        groups_of(&[launcher]).is_empty()
    });
}
