//! RM-10, BY-04: what a process had that goes on no more is done by another: at once if it is gone, also if it was stopped; what a
//! stopped one says later is refused and kept aside. One that lives keeps what it has, however slow it is. With real processes.

use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::multiverse;

const TASK: &str = "---\nname: work\n---\n- Make first.txt\n- Make second.txt\n- Make third.txt\n";

/// Makes the file of its item; the slow one does so when it is told to go on.
const AGENT: &str = r#"read brief
mkdir -p .tmp && : > .tmp/begun
if [ "$1" = slow ]; then while [ ! -e "$MULTIVERSE_PROJECT/go" ]; do sleep 0.02; done; fi
for name in first second third; do
  case "$brief" in *"\"title\":\"Make $name.txt\"}"*) echo "$1" > "$name.txt";; esac
done
printf '{"status": "done", "summary": "made by the %s one"}\n' "$1"
"#;

/// Whether the work goes through a repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ground {
    Files,
    Repository,
}

fn project(ground: Ground) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(folder.path().join(".jixo")).unwrap();
    std::fs::write(folder.path().join(".jixo/work.task.md"), TASK).unwrap();
    std::fs::write(folder.path().join("agent.sh"), AGENT).unwrap();
    if ground == Ground::Repository {
        for arguments in [&["init", "-q", "-b", "main", "."][..], &["add", "-A"], &["commit", "-q", "-m", "first"]] {
            let mut git = std::process::Command::new("git");
            git.args(["-c", "user.name=ada", "-c", "user.email=ada@example.org"]).args(arguments);
            assert!(git.current_dir(folder.path()).status().unwrap().success());
        }
    }
    folder
}

/// A process that takes part; it ends with the test, also if it was stopped.
struct Member(Child);

impl Drop for Member {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Member {
    fn start(folder: &Path, name: &str, pace: &str) -> Self {
        let agent = format!("executor=command:sh agent.sh {pace}");
        let arguments = ["run", "--protocol", "roadmap", "--jobs", "1", "--name", name, "--agent", &agent];
        Self(multiverse(folder, &arguments).stderr(Stdio::null()).spawn().unwrap())
    }

    /// A slow one whose agent has begun with the first item; gives the run and the attempt, too.
    fn at_work(folder: &Path, name: &str) -> (Self, String, u64) {
        let member = Self::start(folder, name, "slow");
        until("somebody is at work", || at_work(folder) == ["1 working"]);
        let view = status(folder);
        let run = view["run"].as_str().unwrap().to_string();
        let fence = view["executors"][0]["fence"].as_u64().unwrap();
        until("its agent has begun", || folder.join(copy_of(&run, fence)).join(".tmp/begun").exists());
        (member, run, fence)
    }

    fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.0), signal).unwrap();
    }

    fn ends_well(mut self) {
        let status = self.0.wait().unwrap();
        assert!(status.success() || status.code() == Some(5), "{status}");
    }
}

/// Where an attempt works.
fn copy_of(run: &str, fence: u64) -> String {
    format!(".multiverse/scratch/{run}/{fence}/tree")
}

fn told(folder: &Path, arguments: &[&str]) -> String {
    let output = multiverse(folder, arguments).stdout(Stdio::piped()).output().unwrap();
    String::from_utf8(output.stdout).unwrap()
}

fn status(folder: &Path) -> Value {
    serde_json::from_str(&told(folder, &["roadmap", "status", "--json"])).unwrap_or_default()
}

/// Who works on what.
fn at_work(folder: &Path) -> Vec<String> {
    let view = status(folder);
    let executors = view["executors"].as_array().cloned().unwrap_or_default();
    let word = |one: &Value, name: &str| one[name].as_str().unwrap_or_default().to_string();
    let items = executors.iter().filter(|one| word(one, "role") == "executor");
    items.map(|one| format!("{} {}", word(one, "item"), word(one, "state"))).collect()
}

fn until(what: &str, is_so: impl Fn() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < Duration::from_secs(120), "{what}: it did not become so");
        std::thread::yield_now();
    }
}

fn read(folder: &Path, path: &str) -> String {
    std::fs::read_to_string(folder.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Every item is done once, by whoever it is said to be.
fn done_by(folder: &Path, paces: [&str; 3]) {
    let view = status(folder);
    assert_eq!(view["progress"], 100, "{view:#}");
    let log = read(folder, ".jixo/work.log.md");
    for (number, (name, pace)) in ["first", "second", "third"].into_iter().zip(paces).enumerate() {
        assert_eq!(read(folder, &format!("{name}.txt")), format!("{pace}\n"), "{log}");
        let objective = format!("- **Objective**: {}. Make {name}.txt\n- **Result**: Succeeded\n", number + 1);
        assert_eq!(log.matches(&objective).count(), 1, "once: {log}");
    }
    let verified = multiverse(folder, &["verify"]).output().unwrap();
    assert!(verified.status.success(), "{}", String::from_utf8_lossy(&verified.stderr));
}

/// RM-10: what a killed process had is done by one that is at work already, and that is recorded.
#[test]
fn rm10_what_a_killed_process_had_is_taken_over() {
    for ground in [Ground::Files, Ground::Repository] {
        let folder = project(ground);
        let folder = folder.path();
        let (dead, ..) = Member::at_work(folder, "ann");
        let other = Member::start(folder, "bob", "quick");
        until("the other waits", || status(folder)["counts"]["completed"] == 2);
        assert_eq!(at_work(folder), ["1 working"], "one that lives is not robbed");
        drop(dead);
        other.ends_well();
        done_by(folder, ["quick"; 3]);
        let story = told(folder, &["logs", "last"]);
        assert_eq!(story.matches("is taken over: its process is gone").count(), 1, "{story}");
    }
}

/// RM-10: one that lives keeps its item, however long others have waited for it.
#[test]
fn rm10_a_slow_process_is_not_robbed() {
    let folder = project(Ground::Files);
    let folder = folder.path();
    let (slow, ..) = Member::at_work(folder, "ann");
    let other = Member::start(folder, "bob", "quick");
    until("the other waits", || status(folder)["counts"]["completed"] == 2);
    // Whoever joins now looks at all the others, finds nothing free, and leaves.
    for _ in 0..3 {
        let late = ["run", "--protocol", "roadmap", "--no-wait", "--agent", "executor=command:sh agent.sh quick"];
        assert_eq!(multiverse(folder, &late).output().unwrap().status.code(), Some(5));
        assert_eq!(at_work(folder), ["1 working"]);
    }
    std::fs::write(folder.join("go"), "").unwrap();
    slow.ends_well();
    other.ends_well();
    done_by(folder, ["slow", "quick", "quick"]);
    let story = told(folder, &["logs", "last"]);
    assert!(!story.contains("taken over"), "{story}");
}

/// RM-10, BY-04: one that is stopped loses its item; whether its agent ended meanwhile or works on until it is woken, what it
/// says is refused by its fence, recorded, and its files are kept for a person.
#[test]
fn rm10_a_stopped_process_is_taken_over_and_its_work_kept() {
    for (ground, is_done_meanwhile) in
        [(Ground::Files, true), (Ground::Files, false), (Ground::Repository, true), (Ground::Repository, false)]
    {
        let folder = project(ground);
        let folder = folder.path();
        let (stopped, run, fence) = Member::at_work(folder, "ann");
        stopped.signal(Signal::STOP);
        until("it is seen to be stopped", || at_work(folder) == ["1 stopped"]);
        Member::start(folder, "bob", "quick").ends_well();
        if is_done_meanwhile {
            std::fs::write(folder.join("go"), "").unwrap();
            let made = folder.join(copy_of(&run, fence)).join("first.txt");
            until("its agent has worked on", || std::fs::read_to_string(&made).is_ok_and(|text| text == "slow\n"));
        }
        stopped.signal(Signal::CONT);
        stopped.ends_well();
        done_by(folder, ["quick"; 3]);
        let story = told(folder, &["logs", "last"]);
        assert!(story.contains("is taken over: its process is stopped"), "{ground:?}: {story}");
        // One that has changed nothing yet has nothing to say.
        if !is_done_meanwhile {
            continue;
        }
        assert_eq!(story.matches("came too late").count(), 1, "{ground:?}: {story}");
        let about: Value =
            serde_json::from_str(&read(folder, &format!(".multiverse/aside/{run}/{fence}/about.json"))).unwrap();
        assert_eq!(about["item"], "1", "{about:#}");
        let kept = match ground {
            Ground::Files => read(folder, &format!(".multiverse/aside/{run}/{fence}/files/first.txt")),
            Ground::Repository => {
                let place = format!("{}:first.txt", about["commit"].as_str().unwrap());
                let mut git = std::process::Command::new("git");
                let output = git.args(["show", &place]).current_dir(folder).output().unwrap();
                String::from_utf8(output.stdout).unwrap()
            }
        };
        assert_eq!(kept, "slow\n", "{ground:?}");
    }
}
