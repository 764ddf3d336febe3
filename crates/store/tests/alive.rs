//! Who lives, who was stopped, who is gone: of real processes, and of one that cannot be seen (BY-04, RM-10).
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test that cannot go on has failed")]

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, WaitOptions};
use store::{Fs, Liveness, Missing, RealFs, Store, limits};

/// Set in a process that a test starts from its own binary: the folder to work in.
const CHILD: &str = "ALIVE_CHILD";

fn open(folder: &Path) -> Store<RealFs> {
    Store::open(RealFs::open(folder).unwrap(), Missing::Create, Box::new(|_| {})).unwrap()
}

/// A process that has the project open, and the name of its opening.
fn another(folder: &Path) -> (Child, String) {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "a_process_is_seen_to_live_to_be_stopped_and_to_be_gone", "--nocapture"])
        .env(CHILD, folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let told = lines.find_map(|line| line.unwrap().strip_prefix(CHILD).map(|name| name.trim().to_string()));
    (child, told.unwrap())
}

/// BY-04: a process that exists and was not stopped lives, whatever it was last heard to say; one that was stopped is told
/// from it, and one that was killed is gone at once.
#[test]
fn a_process_is_seen_to_live_to_be_stopped_and_to_be_gone() {
    if let Ok(folder) = std::env::var(CHILD) {
        let store = open(Path::new(&folder));
        println!("\n{CHILD} {}", store.opening());
        // Until the parent closes its end, which it never does.
        let _ = std::io::stdin().lock().read_line(&mut String::new());
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let (mut child, opening) = another(folder.path());
    assert_eq!(store.liveness(store.opening()), Ok(Liveness::Alive));
    assert_eq!(store.liveness(&opening), Ok(Liveness::Alive));
    let card = folder.path().join(".multiverse/executors").join(&opening);
    let said = std::fs::read_to_string(&card).unwrap();
    assert!(said.starts_with(&format!("pid {} start ", child.id())), "{said}");
    // However slow it is: it can be seen to live.
    let heard = said.split_whitespace().last().unwrap();
    std::fs::write(&card, said.replace(heard, "1")).unwrap();
    assert_eq!(store.liveness(&opening), Ok(Liveness::Alive));

    let process = Pid::from_child(&child);
    rustix::process::kill_process(process, Signal::STOP).unwrap();
    rustix::process::waitpid(Some(process), WaitOptions::UNTRACED).unwrap();
    assert_eq!(store.liveness(&opening), Ok(Liveness::Stopped));
    rustix::process::kill_process(process, Signal::CONT).unwrap();
    // The signal is under way for a moment.
    while store.liveness(&opening) != Ok(Liveness::Alive) {
        std::thread::yield_now();
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(store.liveness(&opening), Ok(Liveness::Gone));
    assert_eq!(store.liveness("1.2"), Ok(Liveness::Gone));
}

/// Of a process in another container nothing is seen but what it says: three lease times without a word are silence.
#[test]
fn one_that_cannot_be_seen_is_believed_for_three_lease_times() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = open(folder.path());
    let other = open(folder.path());
    let card = folder.path().join(".multiverse/executors").join(other.opening());
    let fs = RealFs::open(folder.path()).unwrap();
    let now = fs.now().steady;
    let boot = fs.host().split('/').next().unwrap().to_string();
    let say = |host: &str, heard: Duration| {
        std::fs::write(&card, format!("pid 1 start 1 host {host} heard {}\n", heard.as_nanos())).unwrap();
        store.liveness(other.opening()).unwrap()
    };
    let silence = limits::LEASE * limits::LEASES_OF_SILENCE;
    assert_eq!(say(&format!("{boot}/1"), now), Liveness::Alive);
    assert_eq!(say(&format!("{boot}/1"), now.saturating_sub(silence + limits::LEASE)), Liveness::Stopped);
    // The clock of another machine counts from another beginning.
    assert_eq!(say("another-boot/1", Duration::ZERO), Liveness::Alive);
    std::fs::write(&card, "").unwrap();
    assert_eq!(store.liveness(other.opening()), Ok(Liveness::Alive), "it holds its lock and says nothing");

    let own = folder.path().join(".multiverse/executors").join(store.opening());
    let said = std::fs::read_to_string(&own).unwrap();
    store.be_heard();
    assert_eq!(std::fs::read_to_string(&own).unwrap(), said, "others were told a moment ago");
}

/// Whoever asks after it wanted to be told misses no commit; and its own are no news.
#[test]
fn commits_of_others_are_noticed_without_the_lock() {
    let folder = tempfile::tempdir().unwrap();
    let (mut store, mut other) = (open(folder.path()), open(folder.path()));
    store.catch_up().unwrap();
    assert!(!store.has_news());
    let path = store::ProjectPath::document("a.md").unwrap();
    let create = store::What::Create("text\n".into());
    other.commit(store::Commit::new("one", 0, vec![(path, create)])).unwrap();
    assert!(store.has_news());
    assert!(!other.has_news());
    store.catch_up().unwrap();
    assert!(!store.has_news());
}
