//! Adapters of workspaces as they are found: real python programs in a copy of a real repository, good and bad (PF-10).
#![cfg(test)]
#![cfg(target_os = "linux")]

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use agent::{Adapter, Backend, Brief, CommandLimits, Ending, Job, Meter};
use tempfile::TempDir;
use tools::Stop;
use tools::git::{Examined, Lent, Repository, Stamp};

struct Stage {
    folder: TempDir,
    repository: Repository,
    lent: Lent,
}

impl Stage {
    /// A workspace with this adapter, and a copy of it.
    fn new(adapter: &str) -> Self {
        tools::launch_through(env!("CARGO_BIN_EXE_agent-launcher"));
        let folder = tempfile::tempdir().unwrap();
        let workspace = folder.path().join("project/implementations/idea");
        fs::create_dir_all(workspace.join("adapter")).unwrap();
        fs::write(workspace.join(Adapter::PATH), adapter).unwrap();
        fs::write(workspace.join("adapter/words.py"), "WORD = 'imported'\n").unwrap();
        let stamp = Stamp { name: "dev".into(), email: "dev@x".into(), seconds: 1_700_000_000 };
        let (repository, first) = Repository::init(&workspace, "main", &stamp, "chore(dev): begin").unwrap();
        let place = folder.path().join("project/.multiverse/scratch/run/1");
        fs::create_dir_all(&place).unwrap();
        let lent =
            repository.lend_without(&place, ("main", &first), &stamp, &["/brief.json", "/.home/", "/.tmp/"]).unwrap();
        Self { folder, repository, lent }
    }

    fn work(&self, seconds: u64) -> Ending {
        let mut brief = Brief::new("run", "profile", "dev", "produce");
        for (name, value) in [("phase", "build"), ("step_id", "s1"), ("step_type", "owner"), ("profile", "p")] {
            brief.item.insert(name.into(), value.into());
        }
        brief.limits.seconds = seconds;
        let project: PathBuf = self.folder.path().canonicalize().unwrap().join("project");
        let workdir = self.lent.folder().canonicalize().unwrap();
        let job = Job { brief, project, workdir, readable: Vec::new(), meter: Meter::default() };
        let limits = CommandLimits { grace: Duration::from_millis(200), ..CommandLimits::default() };
        Adapter::with_limits(limits).work(&job, &Stop::new(), &|_| {})
    }

    fn examined(&self) -> Examined {
        self.repository.examine(&self.lent).unwrap()
    }
}

/// An adapter as somebody may have written it: it finds its workspace by its own place, works, commits, and says how it went.
const WORKING: &str = r#"
import argparse, json, pathlib, subprocess, sys
import words
parser = argparse.ArgumentParser()
commands = parser.add_subparsers(dest="command")
step = commands.add_parser("run-step")
for name in ["role", "phase", "step-id", "step-type", "profile", "artifacts-dir"]:
    step.add_argument("--" + name, required=True)
given = parser.parse_args()
workspace = pathlib.Path(__file__).resolve().parents[1]
(workspace / "src").mkdir()
(workspace / "src" / "a.py").write_text(words.WORD + "\n")
pathlib.Path(given.artifacts_dir, "notes.md").write_text(given.phase + "\n")
subprocess.run(["git", "add", "-A"], check=True, cwd=workspace)
message = "feat(%s): %s" % (given.role, given.step_id)
subprocess.run(["git", "commit", "-q", "-m", message], check=True, cwd=workspace)
print("done with", given.step_type)
print(json.dumps({"review_status": "not_started", "integration_loop_status": "passed"}))
"#;

#[test]
fn an_adapter_works_and_commits_in_its_copy() {
    let stage = Stage::new(WORKING);
    let ending = stage.work(60);
    let Ending::Report { report, .. } = ending else { panic!("{ending:?}") };
    assert_eq!(report.result, serde_json::json!({"integration_loop_status": "passed"}));
    let seen = stage.examined();
    assert_eq!(seen.commits.len(), 1);
    assert_eq!((seen.commits[0].message.as_str(), seen.commits[0].author.as_str()), ("feat(dev): s1", "dev"));
    assert!(seen.status.is_clean() && seen.strayed.is_empty(), "{seen:?}");
    let measure = stage.repository.measure(&stage.lent.commit, &seen.tree).unwrap();
    let files: Vec<String> = measure.files.iter().map(|file| file.path.display().to_string()).collect();
    assert_eq!(files, ["artifacts/notes.md", "src/a.py"], "and nothing that python keeps for itself");
    assert!(!stage.repository.work_tree().join("src").exists(), "the workspace is as it was");
}

#[test]
fn every_bad_adapter_has_its_words() {
    let check = |adapter: &str, seconds: u64, expected: &str| {
        let found = match Stage::new(adapter).work(seconds) {
            Ending::Report { report, .. } => format!("result {}", report.result),
            Ending::Broken { problems, .. } => format!("broken {}", problems.join("; ")),
            Ending::Failed { error, .. } => format!("failed {error}"),
            other => format!("{other:?}"),
        };
        assert!(found.starts_with(expected), "{adapter}: {found}");
    };
    check(
        "import sys; print('no compiler'); sys.exit(1)",
        60,
        "failed the agent ended with exit code 1 and no report: no compiler",
    );
    check("print('fine')", 60, "broken no line of the adapter's output is a JSON object");
    check("print('{\"error\": \"a\"}'); print('{\"error\": \"b\"}')", 60, "result {\"error\":\"b\"}");
    check("import time\nwhile True: time.sleep(10)", 1, "failed the agent did not end within 1 s");
    check("while True: print('x' * 100000)", 60, "failed the agent printed more than");
    check("this is no python", 60, "failed the agent ended with exit code 1");
    check("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", 60, "failed the agent was ended by signal 9");
    // What is not its own it cannot reach.
    let reach = "import pathlib; pathlib.Path(__file__).resolve().parents[6].joinpath('implementations/idea/x').write_text('x')";
    check(reach, 60, "failed the agent ended with exit code 1");
}

#[test]
fn a_workspace_without_an_adapter_says_so() {
    let stage = Stage::new("");
    fs::remove_file(stage.lent.folder().join(Adapter::PATH)).unwrap();
    let Ending::Failed { error, .. } = stage.work(60) else { panic!("it worked") };
    assert!(error.contains("there is no adapter") && error.contains("commit one"), "{error}");
}
