//! Which repository a folder belongs to, and what is said where none can be used.

use std::fs;

use tools::git::{Changes, GitFault, Head, Repository};

use crate::stage::{Stage, head_of, stamp};

#[track_caller]
fn check(stage: &Stage, folder: &str, expected: &[&str]) {
    let fault = Repository::open(&stage.at(folder)).unwrap_err().to_string();
    for part in expected {
        assert!(fault.contains(part), "{folder}: {fault}");
    }
}

#[test]
fn folders_that_are_no_repository_to_work_in_are_told_apart() {
    let stage = Stage::new();
    stage.write("nothing/file", "");
    check(&stage, "nothing", &["is not in a repository", "git init"]);
    check(&stage, "missing", &["missing", "No such file"]);
    stage.git("", ["init", "-q", "--bare", "bare"]);
    check(&stage, "bare", &["without a working tree", "clone it"]);
    stage.repository("good", &[("a", "1\n")]);
    check(&stage, "good/.git", &["without a working tree"]);
    stage.repository("broken", &[("a", "1\n")]);
    stage.write("broken/.git/config", "[core\nnonsense");
    check(&stage, "broken", &["cannot be read", "config"]);
    stage.repository("newer", &[("a", "1\n")]);
    stage.write("newer/.git/config", "[core]\nrepositoryformatversion = 99\n");
    check(&stage, "newer", &["cannot be read", "99"]);
    fs::create_dir_all(stage.at("dangling")).unwrap();
    stage.write("dangling/.git", "gitdir: /nowhere/at/all\n");
    check(&stage, "dangling", &["is not in a repository"]);
}

/// The folder that is named is not believed: a repository elsewhere could lead every write there.
#[test]
fn a_repository_whose_files_are_said_to_be_elsewhere_is_refused() {
    let stage = Stage::new();
    stage.repository("a", &[("a", "1\n")]);
    stage.write("victim/precious", "1");
    stage.git("a", ["config", "core.worktree", stage.at("victim").to_str().unwrap()]);
    check(&stage, "a", &["core.worktree"]);
    assert_eq!(fs::read_dir(stage.at("victim")).unwrap().count(), 1);
}

#[test]
fn a_repository_of_another_user_is_refused_with_the_way_out() {
    let stage = Stage::new();
    stage.repository("a", &[("a", "1\n")]);
    for path in ["a", "a/.git"] {
        if std::os::unix::fs::chown(stage.at(path), Some(12_345), Some(12_345)).is_err() {
            return;
        }
    }
    check(&stage, "a", &["belongs to another user", "chown", "safe.directory"]);
}

#[test]
fn heads_are_a_branch_none_yet_or_a_commit_itself() {
    let stage = Stage::new();
    fs::create_dir_all(stage.at("a")).unwrap();
    stage.git("a", ["init", "-q", "-b", "trunk"]);
    let unborn = Repository::open(&stage.at("a")).unwrap();
    assert_eq!(unborn.head().unwrap(), Head::Unborn { branch: "trunk".into() });
    assert!(matches!(unborn.branch(), Err(GitFault::Unborn { .. })));
    stage.write("a/deep/er/file", "1\n");
    let commit = stage.commit_all("a", "one");
    let below = Repository::open(&stage.at("a/deep/er")).unwrap();
    assert_eq!(below.work_tree(), stage.at("a"));
    assert_eq!(below.head().unwrap(), Head::Branch { branch: "trunk".into(), commit: commit.clone() });
    stage.git("a", ["checkout", "-q", "--detach"]);
    assert_eq!(below.head().unwrap(), Head::Detached { commit });
    let fault = below.branch().unwrap_err().to_string();
    assert!(fault.contains("is on no branch") && fault.contains("git switch"), "{fault}");
}

#[test]
fn a_worktree_beside_the_main_one_leads_to_it() {
    let stage = Stage::new();
    let main = stage.repository("main", &[("a", "1\n")]);
    let head = head_of(&main);
    main.move_branch("side", None, Some(&head), "made").unwrap();
    let side = main.add_worktree(&stage.at("side"), "side").unwrap();
    assert!(side.is_linked() && !main.is_linked());
    assert_eq!(side.main_work_tree().unwrap(), stage.at("main"));
    assert_eq!(side.branch().unwrap().0, "side");
    // Made again, it is the same one.
    assert_eq!(main.add_worktree(&stage.at("side"), "side").unwrap().work_tree(), side.work_tree());
    assert_eq!(main.worktrees().unwrap().len(), 2);
    let fault = main.move_branch("side", Some(&head), None, "gone").unwrap_err().to_string();
    assert!(fault.contains("a working tree is on it"), "{fault}");
    stage.write("side/a", "changed\n");
    assert!(main.remove_worktree(&stage.at("side"), Changes::Kept).is_err());
    main.remove_worktree(&stage.at("side"), Changes::ThrownAway).unwrap();
    assert_eq!(main.worktrees().unwrap().len(), 1);
    // A folder that somebody removed by hand is no obstacle, neither to making nor to removing.
    main.add_worktree(&stage.at("side"), "side").unwrap();
    fs::remove_dir_all(stage.at("side")).unwrap();
    main.add_worktree(&stage.at("side"), "side").unwrap();
    fs::remove_dir_all(stage.at("side")).unwrap();
    main.remove_worktree(&stage.at("side"), Changes::Kept).unwrap();
}

#[test]
fn a_repository_is_made_once_with_what_is_there() {
    let stage = Stage::new();
    stage.write("new/file", "1\n");
    stage.write("new/.gitignore", "ignored\n");
    stage.write("new/ignored", "1\n");
    let (made, first) = Repository::init(&stage.at("new"), "main", &stamp("maker"), "chore: begin").unwrap();
    assert!(made.status().unwrap().is_clean());
    assert_eq!(stage.git("new", ["log", "--format=%an %s"]), "maker chore: begin");
    assert_eq!(stage.git("new", ["ls-files"]), ".gitignore\nfile");
    let (_, again) = Repository::init(&stage.at("new"), "main", &stamp("maker"), "chore: begin").unwrap();
    assert_eq!(again, first);
    // Ended after `git init` and before the commit, it is taken up.
    stage.write("half/file", "1\n");
    stage.git("half", ["init", "-q", "-b", "main"]);
    let (half, _) = Repository::init(&stage.at("half"), "main", &stamp("maker"), "chore: begin").unwrap();
    assert!(half.status().unwrap().is_clean());
    // Inside another repository it is one of its own.
    let (inner, _) = Repository::init(&stage.at("new/inner"), "main", &stamp("maker"), "chore: begin").unwrap();
    assert_eq!(inner.work_tree(), stage.at("new/inner"));
    // An empty folder has an empty first commit.
    assert_eq!(stage.git("new/inner", ["rev-list", "--count", "HEAD"]), "1");
}

#[test]
fn a_status_lists_what_is_not_in_the_head() {
    let stage = Stage::new();
    let repository = stage.repository("a", &[("kept", "1\n"), ("gone", "1\n"), ("staged", "1\n")]);
    assert!(repository.status().unwrap().is_clean());
    fs::remove_file(stage.at("a/gone")).unwrap();
    stage.write("a/staged", "2\n");
    stage.git("a", ["add", "staged"]);
    stage.write("a/folder/new", "");
    let status = repository.status().unwrap();
    let names = |paths: &[std::path::PathBuf]| paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>();
    assert_eq!(names(&status.changed), ["gone", "staged"]);
    assert_eq!(names(&status.untracked), ["folder/"]);
    stage.git("a", ["stash", "-q", "-u"]);
    stage.git("a", ["checkout", "-q", "-b", "other"]);
    stage.write("a/kept", "theirs\n");
    stage.commit_all("a", "theirs");
    stage.git("a", ["checkout", "-q", "main"]);
    stage.write("a/kept", "ours\n");
    stage.commit_all("a", "ours");
    stage.plain("a", ["merge", "other"]);
    let status = repository.status().unwrap();
    assert_eq!(names(&status.unmerged), ["kept"]);
    assert_eq!(status.under_way, Some("merge"));
}
