//! The workspace of a realization with real git: what a step may leave, what stops it, and what a crash in between costs
//! (PF-10). The roles are played by plain git commands, good and bad.
#![cfg(test)]

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use engine::realization::{Halt, Lent, ObjectId, Settled, StepDone, Taken, Workspace};
use tempfile::TempDir;

struct Stage {
    project: TempDir,
}

const FOLDER: &str = "implementations/idea-1";

impl Stage {
    fn new() -> Self {
        let stage = Self { project: tempfile::tempdir().unwrap() };
        stage.write(&format!("{FOLDER}/adapter/role_adapter.py"), "print('{}')\n");
        stage
    }

    fn at(&self, path: &str) -> PathBuf {
        self.project.path().canonicalize().unwrap().join(path)
    }

    fn write(&self, path: &str, content: &str) {
        let file = self.at(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, content).unwrap();
    }

    fn workspace(&self) -> Workspace {
        Workspace::open(&self.at(""), FOLDER, 1_700_000_000).unwrap()
    }

    /// A shell script in a folder, by somebody with a name of their own.
    #[track_caller]
    fn sh(&self, folder: &str, script: &str) -> String {
        let mut shell = Command::new("sh");
        shell
            .args(["-ec", script])
            .current_dir(self.at(folder))
            .env("HOME", self.at(""))
            .env("GIT_CONFIG_NOSYSTEM", "1");
        let ended = shell.output().unwrap();
        assert!(ended.status.success(), "{script}: {}", String::from_utf8_lossy(&ended.stderr));
        String::from_utf8_lossy(&ended.stdout).trim_end().to_owned()
    }

    fn lent(&self, workspace: &Workspace, known: &[String], role: &str) -> Lent {
        let from = workspace.ready(known).unwrap();
        workspace.lend(&self.at("scratch"), &from, role, &[]).unwrap()
    }
}

fn done<'a>(role: &'a str, others: &'a [String]) -> StepDone<'a> {
    StepDone { step: "s1", kind: "owner", role, others, summary: "the parser", outputs: &[], at: 1_700_000_100 }
}

/// A step that writes a file and does not commit.
fn step(stage: &Stage, workspace: &Workspace, known: &[String], file: &str, content: &str) -> Taken {
    let lent = stage.lent(workspace, known, "dev");
    stage.write(&format!("scratch/tree/{file}"), content);
    workspace.take(&lent, &done("dev", &[])).unwrap()
}

#[test]
fn a_workspace_is_made_once_with_what_is_in_its_folder() {
    let stage = Stage::new();
    let first = stage.workspace().ready(&[]).unwrap();
    assert_eq!(stage.workspace().ready(&[]).unwrap(), first);
    assert_eq!(
        stage.sh(FOLDER, "git ls-files; git log --format='%an %s'"),
        "adapter/role_adapter.py\norchestrator chore(orchestrator): the workspace"
    );
}

#[test]
fn a_step_is_one_commit_by_its_role_with_its_artifacts() {
    let stage = Stage::new();
    let workspace = stage.workspace();
    let lent = stage.lent(&workspace, &[], "dev");
    stage.write("scratch/tree/src/a.py", "1\n2\n");
    stage.write("scratch/tree/artifacts/design.md", "# Design\n");
    stage.write("scratch/tree/brief.json", "{}");
    let taken = workspace.take(&lent, &done("dev", &[])).unwrap();
    assert_eq!(taken.message, "feat(dev): the parser");
    assert_eq!((taken.lines, taken.files.len()), (3, 2));
    assert_eq!(taken.artifacts, [("design.md".to_owned(), b"# Design\n".to_vec())]);
    // Nothing has happened yet: the branch moves when the journal knows.
    assert!(!stage.at(&format!("{FOLDER}/src")).exists());
    assert_eq!(stage.sh(FOLDER, "git rev-list --count HEAD"), "1");
    let known = [taken.commit.to_string()];
    assert_eq!(workspace.settle(&known).unwrap(), Settled::Done);
    assert_eq!(workspace.settle(&known).unwrap(), Settled::Already);
    assert_eq!(
        stage.sh(FOLDER, "git status --porcelain; cat artifacts/design.md; git log -1 --format='%an %ae %ct'"),
        "# Design\ndev dev@multiverse.invalid 1700000100"
    );
    // The next step finds it, and adds its own.
    let review = {
        let lent = stage.lent(&workspace, &known, "qa");
        assert_eq!(fs::read_to_string(stage.at("scratch/tree/artifacts/design.md")).unwrap(), "# Design\n");
        stage.write("scratch/tree/artifacts/review.md", "good\n");
        let done = StepDone {
            step: "s2",
            kind: "reviewer",
            role: "qa",
            others: &[],
            summary: "",
            outputs: &[],
            at: 1_700_000_200,
        };
        workspace.take(&lent, &done).unwrap()
    };
    assert_eq!((review.message.as_str(), review.artifacts.len()), ("review(qa): s2", 1));
}

/// A role that commits itself is taken at its word, if the word is its own; the commit is the engine's all the same.
#[test]
fn a_role_that_commits_itself_keeps_its_message() {
    let stage = Stage::new();
    let workspace = stage.workspace();
    let lent = stage.lent(&workspace, &[], "dev");
    stage.sh(
        "scratch/tree",
        "echo 1 > a; git add -A; git commit -qm 'fix(dev): a

with more words'; echo later > artifacts/note.md",
    );
    let taken = workspace.take(&lent, &done("dev", &["qa".into()])).unwrap();
    assert_eq!(taken.message, "fix(dev): a\n\nwith more words");
    assert_eq!(taken.artifacts.len(), 1, "artifacts that were written after the commit belong to the step");
    let again = workspace.take(&lent, &done("dev", &["qa".into()])).unwrap();
    assert_eq!(again, taken, "the same values give the same commit");
}

/// Every bad adapter of the list, by what is said of it; none of them reaches the workspace.
#[test]
fn what_a_step_may_not_leave_stops_it() {
    let check = |deed: &str, expected: &[&str]| {
        let stage = Stage::new();
        let workspace = stage.workspace();
        let before = workspace.ready(&[]).unwrap();
        let lent = stage.lent(&workspace, &[], "dev");
        stage.sh("scratch/tree", deed);
        let halt = workspace.take(&lent, &done("dev", &["qa".into(), "Tech Lead".into()])).unwrap_err();
        for part in expected {
            assert!(halt.to_string().contains(part), "{deed}: {halt}");
        }
        assert!(halt.is_the_steps_own(), "{halt}");
        assert_eq!(stage.workspace().ready(&[]).unwrap(), before);
    };
    check("true", &["s1", "dev", "changed nothing"]);
    check("git commit -q --allow-empty -m 'feat(dev): nothing'", &["changed nothing"]);
    check("echo 1 > a; git add a; git commit -qm 'feat(qa): a'", &["names the role `qa`", "is of `dev`"]);
    check("echo 1 > a; git add a; git commit -qm 'done'", &["not of the form `<type>(<role>): <what>`"]);
    check(
        "echo 1 > a; git add a; git -c user.name=qa -c user.email=x@y commit -qm 'feat(dev): a'",
        &["a commit by qa <x@y>, who is `qa`"],
    );
    check("echo 1 > a; git add a; git -c user.email=tech-lead@y commit -qm 'feat(dev): a'", &["who is `Tech Lead`"]);
    check("echo 1 > a; git add a; git commit -qm 'feat(dev): a'; echo 2 > b", &["does not hold (b)"]);
    check(
        "echo 1 > a; git add a; git commit -qm 'feat(dev): a'; echo 2 > b; git add b; git commit -qm 'feat(dev): b'",
        &["2 commits", "one commit"],
    );
    check("echo 1 > a; git add a; git commit -q --amend -m 'feat(dev): all'", &["rewrites nothing"]);
    check("git checkout -q --orphan x; git commit -qm 'feat(dev): x'", &["rewrites nothing"]);
    check(
        "git checkout -q -b other; echo 1 > a; git add a; git commit -qm 'feat(dev): a'",
        &["references of its own", "other"],
    );
    check("git tag v1; echo 1 > a", &["references of its own", "refs/tags/v1"]);
}

#[test]
fn a_copy_that_cannot_be_committed_is_told() {
    let check = |deed: &str, expected: &str| {
        let stage = Stage::new();
        let workspace = stage.workspace();
        let lent = stage.lent(&workspace, &[], "dev");
        stage.sh("scratch/tree", deed);
        let halt = workspace.take(&lent, &done("dev", &[])).unwrap_err().to_string();
        assert!(halt.contains(expected), "{deed}: {halt}");
    };
    check("rm -rf .git", "the copy is no repository any more");
    check(
        "git init -q inner; cd inner; echo 1 > a; git add a; git -c user.name=x -c user.email=x@y commit -qm x",
        "holds a repository of its own",
    );
    check("ln -s /etc/passwd artifacts/secret", "an artifact is a plain file");
}

/// What others do to the workspace stops the next step, and stays as it is.
#[test]
fn a_workspace_that_others_changed_stops_the_step() {
    let check = |deed: &str, expected: &[&str]| {
        let stage = Stage::new();
        let workspace = stage.workspace();
        let taken = step(&stage, &workspace, &[], "a", "1\n");
        let known = [taken.commit.to_string()];
        workspace.settle(&known).unwrap();
        stage.sh(
            FOLDER,
            &format!(
                "export GIT_AUTHOR_NAME=Eve GIT_AUTHOR_EMAIL=e@x GIT_COMMITTER_NAME=Eve GIT_COMMITTER_EMAIL=e@x; {deed}"
            ),
        );
        let before = stage.sh(FOLDER, "git status --porcelain; git rev-parse HEAD; git stash list");
        let halt = Workspace::open(&stage.at(""), FOLDER, 0).and_then(|workspace| workspace.ready(&known)).unwrap_err();
        for part in expected {
            assert!(halt.to_string().contains(part), "{deed}: {halt}");
        }
        assert!(!halt.is_the_steps_own(), "{halt}");
        assert_eq!(stage.sh(FOLDER, "git status --porcelain; git rev-parse HEAD; git stash list"), before);
    };
    check("echo 2 > a", &["changes that no commit holds (a)", "commit or stash"]);
    check("echo 2 > new", &["changes that no commit holds (new)"]);
    check("git commit -q --allow-empty -m mine", &["1 foreign", "by Eve: mine", "git reset --hard"]);
    check(
        "git reset -q --hard HEAD~1; echo 3 > b; git add b; git commit -qm other",
        &["was rewritten", "git reset --hard"],
    );
    check("git checkout -q --detach", &["is on no branch", "git switch"]);
    check(
        "git checkout -q -b elsewhere; git commit -q --allow-empty -m mine",
        &["is on the branch elsewhere", "git switch main"],
    );
    check(
        "git checkout -q -b side HEAD~1; git commit -q --allow-empty -m s; git checkout -q main; git merge -q --no-commit --no-ff side; true",
        &["a merge is under way"],
    );
    check(
        "mv .git ../old; git init -q -b main; git add -A; git commit -qm new",
        &["has no commit", "put the old one back"],
    );
}

/// PF-10: a hook that fails is not run on the engine's commits, neither in the workspace nor in a copy of it.
#[test]
fn hooks_do_not_run() {
    let stage = Stage::new();
    let workspace = stage.workspace();
    for hook in ["pre-commit", "commit-msg", "reference-transaction", "post-checkout", "post-index-change"] {
        stage.write(&format!("{FOLDER}/.git/hooks/{hook}"), "#!/bin/sh\ntouch ../../sprung\nexit 1\n");
        stage.sh(FOLDER, &format!("chmod +x .git/hooks/{hook}"));
    }
    let taken = step(&stage, &workspace, &[], "a", "1\n");
    assert_eq!(workspace.settle(&[taken.commit.to_string()]).unwrap(), Settled::Done);
    assert!(!stage.at("sprung").exists());
}

/// Wherever a process is ended, the history has one commit for each step that the journal knows, and no other.
#[test]
fn a_crash_between_work_and_commit_costs_nothing_and_doubles_nothing() {
    let stage = Stage::new();
    let workspace = stage.workspace();
    let mut known: Vec<String> = Vec::new();
    for number in 0..4 {
        // Ended after the commit object was made and before the journal knew: the step is done again.
        let lost = step(&stage, &stage.workspace(), &known, "a", &format!("lost {number}\n"));
        // Ended after the journal knew and before the branch moved: the next one moves it.
        let taken = step(&stage, &stage.workspace(), &known, "a", &format!("{number}\n"));
        assert_ne!(lost.commit, taken.commit);
        known.push(taken.commit.to_string());
        if number % 2 == 0 {
            workspace.settle(&known).unwrap();
        }
    }
    // Ended after the branch moved and before the files followed.
    let last = step(&stage, &stage.workspace(), &known, "a", "last\n");
    known.push(last.commit.to_string());
    stage.sh(FOLDER, &format!("git update-ref refs/heads/main {}", last.commit));
    assert_eq!(stage.workspace().ready(&known).unwrap(), last.commit);
    assert_eq!(fs::read_to_string(stage.at(&format!("{FOLDER}/a"))).unwrap(), "last\n");
    let log: Vec<String> = stage.sh(FOLDER, "git rev-list --reverse HEAD").lines().skip(1).map(str::to_owned).collect();
    assert_eq!(log, known);
    assert_eq!(stage.sh(FOLDER, "git status --porcelain"), "");
}

/// A person's change in the workspace at the moment of settling stays; only the branch moves, and the next step waits.
#[test]
fn a_persons_change_is_never_touched() {
    let stage = Stage::new();
    let workspace = stage.workspace();
    let taken = step(&stage, &workspace, &[], "a", "1\n");
    stage.write(&format!("{FOLDER}/adapter/role_adapter.py"), "a person's\n");
    let known = [taken.commit.to_string()];
    let settled = workspace.settle(&known).unwrap();
    assert!(matches!(&settled, Settled::BranchOnly(why) if why.contains("role_adapter.py")), "{settled:?}");
    assert_eq!(fs::read_to_string(stage.at(&format!("{FOLDER}/adapter/role_adapter.py"))).unwrap(), "a person's\n");
    assert_eq!(ObjectId::read(&stage.sh(FOLDER, "git rev-parse main")).unwrap(), taken.commit);
    assert!(matches!(workspace.ready(&known), Err(Halt::Dirty { .. })));
}

/// What cannot be a workspace is told before anything is made of it, and stays as it is.
#[test]
fn what_cannot_be_a_workspace_is_told() {
    let check = |prepare: &str, expected: &[&str]| {
        let stage = Stage { project: tempfile::tempdir().unwrap() };
        stage.sh("", prepare);
        let halt = Workspace::open(&stage.at(""), FOLDER, 0).unwrap_err();
        for part in expected {
            assert!(halt.to_string().contains(part), "{prepare}: {halt}");
        }
        assert!(!halt.is_the_steps_own(), "{halt}");
        assert_eq!(stage.sh("", "find . -name .git"), "", "{prepare}");
    };
    check("mkdir implementations; echo 1 > implementations/idea-1", &["idea-1: it is a file", "move it away"]);
    check("echo 1 > implementations", &["implementations: it is a file"]);
    check("mkdir implementations elsewhere; ln -s ../elsewhere implementations/idea-1", &["idea-1: it is a link"]);
    check("mkdir elsewhere; ln -s elsewhere implementations", &["implementations: it is a link"]);
    check("mkdir implementations; git init -q --bare implementations/idea-1", &["(bare)", "clone it"]);
}

/// A lock that somebody left is named as what it is; once it is away, the files follow, and nothing is lost.
#[test]
fn a_lock_of_the_index_is_named() {
    let stage = Stage::new();
    let workspace = stage.workspace();
    let taken = step(&stage, &workspace, &[], "a", "1\n");
    let known = [taken.commit.to_string()];
    stage.write(&format!("{FOLDER}/.git/index.lock"), "");
    workspace.settle(&known).unwrap();
    let halt = workspace.ready(&known).unwrap_err().to_string();
    assert!(halt.contains("index.lock is there") && halt.contains("remove it"), "{halt}");
    fs::remove_file(stage.at(&format!("{FOLDER}/.git/index.lock"))).unwrap();
    assert_eq!(workspace.ready(&known).unwrap(), taken.commit);
    assert_eq!(stage.sh(FOLDER, "git status --porcelain; cat a"), "1");
}

/// What a step must leave is in its commit, also where the repository ignores the folder of artifacts.
#[test]
fn artifacts_that_are_ignored_are_committed_all_the_same() {
    let stage = Stage::new();
    stage.write(&format!("{FOLDER}/.gitignore"), "artifacts/\n*.log\n");
    let workspace = stage.workspace();
    let lent = stage.lent(&workspace, &[], "dev");
    stage.write("scratch/tree/artifacts/design.md", "# Design\n");
    stage.write("scratch/tree/artifacts/noise.log", "noise\n");
    let outputs = ["design.md".to_owned()];
    let taken = workspace.take(&lent, &StepDone { outputs: &outputs, ..done("dev", &[]) }).unwrap();
    assert_eq!(taken.artifacts, [("design.md".to_owned(), b"# Design\n".to_vec())]);
    let known = [taken.commit.to_string()];
    workspace.settle(&known).unwrap();
    assert_eq!(stage.sh(FOLDER, "git status --porcelain; git ls-files artifacts"), "artifacts/design.md");
    // The same again is nothing new.
    let lent = stage.lent(&workspace, &known, "dev");
    let nothing = workspace.take(&lent, &StepDone { outputs: &outputs, ..done("dev", &[]) }).unwrap_err();
    assert!(nothing.to_string().contains("changed nothing"), "{nothing}");
}

/// What a gate left lies in the copy to be read, and is nobody's change, whatever it is called.
#[test]
fn what_gates_left_can_be_read_and_is_in_no_commit() {
    let stage = Stage::new();
    let workspace = stage.workspace();
    let from = workspace.ready(&[]).unwrap();
    let names = ["agreed.md", "odd/!a [b]*.md", "# c .md"];
    let shown = names.map(|name| (name.to_owned(), b"yes\n".to_vec()));
    let lent = workspace.lend(&stage.at("scratch"), &from, "dev", &shown).unwrap();
    for name in names {
        assert_eq!(fs::read_to_string(stage.at("scratch/tree/artifacts").join(name)).unwrap(), "yes\n");
    }
    let nothing = workspace.take(&lent, &done("dev", &[])).unwrap_err();
    assert!(nothing.to_string().contains("changed nothing"), "{nothing}");
    stage.sh("scratch/tree", "echo 1 > a; git add -A; git commit -qm 'feat(dev): a'");
    let taken = workspace.take(&lent, &done("dev", &[])).unwrap();
    assert_eq!(taken.files, [PathBuf::from("a")]);
}

/// A role that does not commit itself may still say the whole message.
#[test]
fn a_message_that_is_said_is_taken() {
    let stage = Stage::new();
    let workspace = stage.workspace();
    let lent = stage.lent(&workspace, &[], "dev");
    stage.write("scratch/tree/a", "1\n");
    let message = |summary: &str| workspace.take(&lent, &StepDone { summary, ..done("dev", &[]) }).unwrap().message;
    assert_eq!(message("fix(dev): the parser"), "fix(dev): the parser");
    assert_eq!(message("fix(qa): the parser"), "feat(dev): fix(qa): the parser");
}
