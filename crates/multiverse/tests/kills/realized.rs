//! QL-21, PF-10: a realization on a real repository, its roles played by an adapter of the workspace, that is killed again
//! and again: one commit for each step in the history, the ledger and the evidence tell of the same ones, and the end is
//! that of an undisturbed run.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::{Dice, kills, multiverse, or_killed};

const PROFILE: &str = "\
name: site
version: 1
friendly_name: A site
description: Written, reviewed, made and tried.
execution_mode: realization
strict_mode: true
gates:
  - {id: PLAN_APPROVAL, phase: plan, owner: boss, required: true}
  - {id: RELEASE_APPROVAL, phase: release, owner: boss, required: true}
phases:
  - id: plan
    description: What it is to be.
    roles:
      - {id: write, role: author, step_type: owner, required_outputs: [plan.md]}
      - {id: review, role: reader, step_type: reviewer, review_of: author, required_outputs: [review.md]}
      - {id: agree, role: boss, step_type: gate, gate: PLAN_APPROVAL, required_outputs: [agreed.md]}
  - id: make
    description: Making it.
    roles:
      - {id: code, role: maker, step_type: owner, required_outputs: [made.md]}
      - {id: try, role: tester, step_type: validator, required_outputs: [tried.md]}
  - id: release
    description: Letting it out.
    roles:
      - {id: release, role: boss, step_type: gate, gate: RELEASE_APPROVAL, required_outputs: []}
";

/// The first plan is sent back, the first code fails; what is done depends on what is in the repository and on nothing else.
/// The maker commits itself, the others leave it to the engine.
const ADAPTER: &str = "\
import argparse, json, pathlib, subprocess
p = argparse.ArgumentParser()
r = p.add_subparsers(dest='command').add_parser('run-step')
for name in ('role', 'phase', 'step-id', 'step-type', 'profile', 'artifacts-dir'):
    r.add_argument('--' + name, required=True)
a = p.parse_args()
there = pathlib.Path(a.artifacts_dir)
def read(path):
    return path.read_text() if path.exists() else ''
def more(path, word):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(read(path) + word + '\\n')
said = {}
if a.step_id == 'write':
    more(there / 'plan.md', 'draft')
elif a.step_id == 'review':
    good = read(there / 'plan.md').count('draft') > 1
    more(there / 'review.md', 'good' if good else 'too short')
    said = {'review_status': 'approved'} if good else {'review_status': 'changes_requested', 'remarks': ['too short']}
elif a.step_id == 'code':
    assert read(there / 'agreed.md'), 'what the gate left is there to be read'
    more(pathlib.Path('src/site.html'), '<p>')
    more(there / 'made.md', 'made')
    subprocess.check_call(['git', 'add', '-A'])
    subprocess.check_call(['git', 'commit', '-q', '-m', 'feat(maker): a paragraph'])
else:
    good = read(pathlib.Path('src/site.html')).count('<p>') > 1
    more(there / 'tried.md', 'passed' if good else 'failed')
    said = {'integration_loop_status': 'passed'} if good else {
        'integration_loop_status': 'failed', 'integration_failure_target': 'maker', 'error': 'one paragraph is too few'}
print(json.dumps(said))
";

fn git(folder: &Path, arguments: &[&str]) -> String {
    let output = Command::new("git").args(arguments).current_dir(folder).output().unwrap();
    assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn project() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let write = |path: &str, text: &str| {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    write("ideas/site.md", "# A site\n\n- it has two paragraphs\n");
    write("agent_runtime/workflow_profiles/site.yaml", PROFILE);
    write("implementations/site/adapter/role_adapter.py", ADAPTER);
    assert!(multiverse(folder.path(), &["init", "--protocol", "profile"]).status().unwrap().success());
    folder
}

/// What is left, without times and the ids of commits, after it was seen that history, evidence and ledger are one.
fn left(folder: &Path) -> String {
    let workspace = folder.join("implementations/site");
    let artifacts = folder.join("agent_runtime/artifacts/a_site");
    let read =
        |path: &Path| std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let status: Value = serde_json::from_str(&read(&folder.join("agent_runtime/status.json"))).unwrap();
    let evidence = status["commit_evidence"].as_array().unwrap();
    let listed: String = evidence
        .iter()
        .map(|one| {
            format!(
                "{} {} {}\n",
                one["commit_sha"].as_str().unwrap(),
                one["role"].as_str().unwrap(),
                one["message"].as_str().unwrap()
            )
        })
        .collect();
    let history = git(&workspace, &["log", "--reverse", "--format=%H %an %s", "main"]);
    let (_, history) = history.split_once('\n').unwrap();
    assert_eq!(history, listed, "the history is the evidence, in its order");
    let ledger = read(&artifacts.join("10_commit_ledger.md"));
    let rows: Vec<&str> = ledger.lines().filter(|line| line.starts_with("| 2")).collect();
    assert_eq!(rows.len(), evidence.len(), "{ledger}");
    for (row, one) in rows.iter().zip(evidence) {
        assert!(row.contains(one["commit_sha"].as_str().unwrap()), "{row} {one}");
    }
    assert_eq!(git(&workspace, &["status", "--porcelain"]), "", "the tree is clean");
    // The trees of the commits are the same bytes, whatever was killed.
    let mut found = git(&workspace, &["log", "--reverse", "--format=%T %an %s", "main"]);
    let trace = read(&artifacts.join("03_transition_trace.csv"));
    found.extend(trace.lines().map(|line| format!("{}\n", line.split_once(',').map_or("", |(_, rest)| rest))));
    for name in ["plan.md", "review.md", "made.md", "tried.md"] {
        found.push_str(&read(&artifacts.join(name)));
    }
    for field in
        ["current_step_index", "phase_status", "review_cycles", "integration_loop_status", "pending_human_gate_id"]
    {
        found.push_str(&format!("{field}: {}\n", status[field]));
    }
    found
}

#[test]
fn a_realization_that_is_killed_again_and_again() {
    const RUN: &[&str] = &["run", "/orchestrator @site"];
    let seed = std::env::var("MULTIVERSE_SEED").ok().and_then(|seed| seed.parse().ok());
    let seed: u64 = seed.unwrap_or_else(|| u64::from(std::process::id()));
    let undisturbed = project();
    let begun = Instant::now();
    let output = multiverse(undisturbed.path(), RUN).output().unwrap();
    assert_eq!(output.status.code(), Some(3), "{}", String::from_utf8_lossy(&output.stderr));
    let whole = u64::try_from(begun.elapsed().as_millis()).unwrap();
    let expected = left(undisturbed.path());
    assert_eq!(expected.matches("(maker): a paragraph\n").count(), 2, "the loop was gone through: {expected}");
    let (mut dice, mut killed) = (Dice(seed), 0);
    while killed < kills() {
        let disturbed = project();
        for round in 0.. {
            assert!(round < 1000, "seed {seed}: it never ends");
            let told = multiverse(disturbed.path(), &["status", "--all"])
                .stdout(std::process::Stdio::piped())
                .output()
                .unwrap();
            let has_run = String::from_utf8_lossy(&told.stdout).contains("run-site");
            let words = if has_run { &["resume", "--all"][..] } else { RUN };
            // A step is long beside the rest: a kill now and then lets enough of them come to an end.
            let time =
                if killed >= kills() { Duration::from_secs(120) } else { Duration::from_millis(dice.below(whole)) };
            let Some((status, told)) = or_killed(multiverse(disturbed.path(), words).spawn().unwrap(), time) else {
                killed += 1;
                continue;
            };
            assert_eq!(status.code(), Some(3), "seed {seed}: {words:?}\n{told}");
            break;
        }
        assert_eq!(left(disturbed.path()), expected, "seed {seed}");
    }
    eprintln!("seed {seed}: {killed} kills, a whole run takes {whole} ms");
}
