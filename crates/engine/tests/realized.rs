//! Realization in the engine, with real git: one commit by its role for each step that is not a gate, in the evidence, in the
//! ledger and in the repository alike; what others did to the workspace stops it with words; killed processes cost nothing
//! and double nothing (PF-10, PF-19).
#![cfg(test)]

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};

use engine::workflows::{PROFILE_SCHEMA, SHIPPED, STATUS_SCHEMA, Schema, read_profile, read_status};
use engine::{IdeaText, Input, Interrupt, Notice, ProfileStart, Service, Settings};
use serde_json::Value;
use store::Missing;
use tempfile::TempDir;

const WORKSPACE: &str = "implementations/parser";
const LEDGER: &str = "agent_runtime/artifacts/a_parser/10_commit_ledger.md";

/// By this a process of these tests is told which project it is to carry.
const CARRY: &str = "CARRY_THIS_PROJECT";

struct Project {
    folder: TempDir,
    notices: Arc<Mutex<Vec<Notice>>>,
}

impl Project {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("ideas")).unwrap();
        let idea = "# A parser\n\nPeople lose their notes.\n\n## Acceptance criteria\n\n- No byte is lost\n";
        fs::write(folder.path().join("ideas/parser.md"), idea).unwrap();
        Self { folder, notices: Arc::default() }
    }

    fn at(&self, path: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(path)
    }

    fn open(&self) -> Service {
        let notices = self.notices.clone();
        open(&self.at(""), move |notice| notices.lock().unwrap().push(notice))
    }

    fn told(&self) -> String {
        format!("{:?}", self.notices.lock().unwrap())
    }

    fn status(&self) -> Value {
        let text = fs::read_to_string(self.at("agent_runtime/status.json")).unwrap();
        let complaints = read_status(text.as_bytes(), &Schema::read(STATUS_SCHEMA).unwrap()).complaints;
        assert!(complaints.is_empty(), "PF-03: {complaints:?}");
        serde_json::from_str(&text).unwrap()
    }

    #[track_caller]
    fn sh(&self, script: &str) -> String {
        let mut shell = Command::new("sh");
        shell.args(["-ec", script]).current_dir(self.at(WORKSPACE)).env("HOME", self.at(""));
        let ended = shell.output().unwrap();
        assert!(ended.status.success(), "{script}: {}", String::from_utf8_lossy(&ended.stderr));
        String::from_utf8_lossy(&ended.stdout).trim_end().to_owned()
    }

    /// Evidence, ledger and repository tell of the same commits, in the same order, each by its step's role.
    #[track_caller]
    fn assert_one_history(&self) -> usize {
        let status = self.status();
        let evidence = status["commit_evidence"].as_array().unwrap();
        let of = |name: &str| -> Vec<String> {
            evidence.iter().map(|commit| commit[name].as_str().unwrap().to_owned()).collect()
        };
        let log = self.sh("git log --reverse --format='%H %an' main | tail -n +2");
        let expected: Vec<String> =
            of("commit_sha").iter().zip(of("role")).map(|(sha, role)| format!("{sha} {role}")).collect();
        assert_eq!(log.lines().collect::<Vec<_>>(), expected);
        let ledger = fs::read_to_string(self.at(LEDGER)).unwrap();
        let rows: Vec<&str> = ledger.lines().filter(|line| line.starts_with("| 2")).collect();
        assert_eq!(rows.len(), evidence.len(), "{ledger}");
        for (row, sha) in rows.iter().zip(of("commit_sha")) {
            assert!(row.contains(&sha), "{row}: {sha}");
        }
        for pair in of("commit_sha").windows(2) {
            let changed = self.sh(&format!("git diff --name-only {} {}", pair[0], pair[1]));
            assert!(!changed.is_empty(), "an empty commit: {}", pair[1]);
        }
        assert_eq!(self.sh("git status --porcelain"), "", "the tree is clean between steps");
        evidence.len()
    }
}

fn open(project: &Path, listen: impl Fn(Notice) + Send + Sync + 'static) -> Service {
    Service::open(Settings::new(project.into()), Missing::Create, Arc::new(listen)).unwrap()
}

fn start() -> ProfileStart {
    let (_, text) = SHIPPED.iter().find(|(file, _)| file.starts_with("default_realization")).unwrap();
    let profile = read_profile(text.as_bytes(), &Schema::read(PROFILE_SCHEMA).unwrap()).profile.unwrap();
    let idea = IdeaText {
        id: "parser".into(),
        headline: "A parser".into(),
        owner: "somebody".into(),
        path: "ideas/parser.md".into(),
    };
    ProfileStart { profile, definition: String::new(), idea, human_gates: BTreeSet::new(), seed: 7 }
}

fn drive(service: &mut Service, run: &str) {
    service.drive(&[run.to_string()], &Interrupt::new()).unwrap();
}

/// PF-10, PF-19: the shipped workflow to its last gate, approved, done.
#[test]
fn every_step_is_one_commit_by_its_role() {
    let project = Project::new();
    let mut service = project.open();
    let run = service.start_profile(start()).unwrap();
    drive(&mut service, &run);
    let status = project.status();
    assert_eq!(status["pending_human_gate_id"], "RELEASE_APPROVAL", "{}", project.told());
    assert_eq!((&status["workspace_dir"], &status["workspace_git_initialized"]), (&WORKSPACE.into(), &true.into()));
    let steps = start().profile.phases.iter().flat_map(|phase| &phase.steps).filter(|step| step.gate.is_none()).count();
    assert!(project.assert_one_history() >= steps, "{steps} steps");
    // The artifact folder is mirrored in the repository: a reviewer's artifact is its commit.
    for artifact in ["requirements.md", "architecture_review.md", "implementation.md"] {
        let ours = fs::read(project.at(&format!("agent_runtime/artifacts/a_parser/{artifact}"))).unwrap();
        assert_eq!(ours, fs::read(project.at(&format!("{WORKSPACE}/artifacts/{artifact}"))).unwrap(), "{artifact}");
    }
    service.reply_at_gate(&run, None, "approve", "good", "a test").unwrap();
    service.drive(&[], &Interrupt::new()).unwrap();
    assert_eq!(project.status()["phase_status"], "completed", "{}", project.told());
}

/// PF-10: whatever others did to the workspace stops the step with what, why and the way out, and stays; mended, it goes on.
#[test]
fn a_workspace_that_others_changed_pauses_the_run_until_it_is_mended() {
    let check = |deed: &str, expected: &[&str], mended: &str| {
        let project = Project::new();
        fs::create_dir_all(project.at(WORKSPACE)).unwrap();
        project
            .sh("git init -q -b main; echo 1 > own; git add own; git -c user.name=P -c user.email=p@x commit -qm own");
        project.sh(deed);
        let mut service = project.open();
        let run = service.start_profile(start()).unwrap();
        drive(&mut service, &run);
        let paused = format!("{:?}", service.view(&run).unwrap());
        for part in expected {
            assert!(paused.contains(part), "{deed}: {paused}");
        }
        assert_eq!(project.status()["commit_evidence"].as_array().unwrap().len(), 0);
        project.sh(mended);
        service.send(&run, Input::Resume).unwrap();
        service.drive(&[], &Interrupt::new()).unwrap();
        assert_eq!(project.status()["pending_human_gate_id"], "RELEASE_APPROVAL", "{deed}: {}", project.told());
    };
    check("echo 2 > own", &["changes that no commit holds (own)"], "git checkout -q own");
    check("git checkout -q --detach", &["is on no branch", "git switch"], "git switch -q main");
    check(
        "git rev-parse HEAD > ../bad; printf '[core' > .git/config",
        &["cannot be read", "config"],
        "printf '[core]\nbare = false\n' > .git/config",
    );
}

/// Carries the run of a project that it is told of, until it is killed; told of none, there is nothing to carry.
#[test]
fn carried_by_a_process_of_its_own() {
    let Some(project) = std::env::var_os(CARRY) else { return };
    let mut service = open(Path::new(&project), |_| println!("something happened"));
    let runs: Vec<String> = service.open_runs().into_iter().map(|view| view.run).collect();
    service.drive(&runs, &Interrupt::new()).unwrap();
}

/// Killed at any moment, again and again: one commit for each step, none twice, none empty, and the end is that of an
/// undisturbed run.
#[test]
fn killed_at_random_the_history_is_that_of_an_undisturbed_run() {
    let project = Project::new();
    let run = {
        let mut service = project.open();
        service.start_profile(start()).unwrap()
    };
    let carry = || {
        let mut child = Command::new(std::env::current_exe().unwrap());
        child.args(["carried_by_a_process_of_its_own", "--exact", "--nocapture"]).env(CARRY, project.at(""));
        child.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap()
    };
    let mut number = 0x2545_F491_4F6C_DD1D_u64;
    for _ in 0..12 {
        number ^= number << 13;
        number ^= number >> 7;
        number ^= number << 17;
        let mut child = carry();
        // Killed after so many things have happened, or when it is over: what is left behind must be good either way.
        let happened = usize::try_from(number % 16).unwrap();
        let heard = BufReader::new(child.stdout.take().unwrap()).lines().take(happened + 3).count();
        assert!(heard > 0);
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let mut service = project.open();
    drive(&mut service, &run);
    assert_eq!(project.status()["pending_human_gate_id"], "RELEASE_APPROVAL", "{}", project.told());
    let killed = project.assert_one_history();
    let whole = Project::new();
    let mut service = whole.open();
    let run = service.start_profile(start()).unwrap();
    drive(&mut service, &run);
    assert_eq!(killed, whole.assert_one_history());
    let steps = |project: &Project| -> Vec<String> {
        let evidence = project.status()["commit_evidence"].as_array().unwrap().clone();
        evidence.iter().map(|commit| commit["step_id"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(steps(&project), steps(&whole));
}
