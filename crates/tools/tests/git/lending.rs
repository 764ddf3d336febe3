//! Copies for those who are not trusted: what they do to a copy is seen, and reaches nothing else.

use std::fs;

use tools::git::{Examined, GitFault, Lent, Repository};

use crate::stage::{Stage, everything, head_of, stamp};

fn lent(stage: &Stage) -> (Repository, Lent) {
    let repository = stage.repository("a", &[("a", "1\n"), ("deep/b", "1\n"), (".gitignore", "*.o\n")]);
    for number in 0..3 {
        stage.write("a/a", format!("{number}\n"));
        stage.commit_all("a", "more");
    }
    let repository = Repository::open(repository.work_tree()).unwrap();
    let head = head_of(&repository);
    let lent = repository.lend_without(&stage.at("place"), ("work", &head), &stamp("actor"), &["/brief.json"]).unwrap();
    (repository, lent)
}

#[test]
fn a_copy_has_the_files_the_past_and_a_name_to_commit_under() {
    let stage = Stage::new();
    let (repository, lent) = lent(&stage);
    assert_eq!(lent.folder(), stage.at("place/tree"));
    assert_eq!(stage.read("place/tree/deep/b"), "1\n");
    assert_eq!(stage.git("place/tree", ["status", "--porcelain", "--branch"]), "## work");
    assert_eq!(stage.git("place/tree", ["rev-list", "--count", "HEAD"]), "4");
    assert_eq!(stage.git("place/tree", ["config", "user.name"]), "actor");
    stage.git("place/tree", ["fsck", "--strict"]);
    let seen = repository.examine(&lent).unwrap();
    assert_eq!(seen.tree, repository.tree_at(&lent.commit).unwrap());
    assert!(seen.commits.is_empty() && seen.strayed.is_empty() && !seen.is_rewritten && seen.status.is_clean());
    // Lent again in the same place, it is as new.
    stage.write("place/tree/left", "behind\n");
    repository.lend_without(&stage.at("place"), ("work", &lent.commit), &stamp("actor"), &["/brief.json"]).unwrap();
    assert!(!stage.at("place/tree/left").exists());
}

/// A long past is cut, and the copy still is a sound repository.
#[test]
fn a_long_past_is_cut() {
    let stage = Stage::new();
    let repository = stage.repository("a", &[("a", "1\n")]);
    let one = |n: u32| {
        let from = if n == 0 { "from refs/heads/main^0\n" } else { "" };
        format!(
            "commit refs/heads/main\ncommitter A <a@x> {n} +0000\ndata 1\nx\n{from}M 644 inline a\ndata 4\n{n:03}\n\n"
        )
    };
    let feed: String = (0..150).map(one).collect();
    stage.write("feed", feed);
    let script = format!("git fast-import --quiet --force < '{}'", stage.at("feed").display());
    let made = std::process::Command::new("sh").args(["-c", &script]).current_dir(stage.at("a")).status().unwrap();
    assert!(made.success());
    let head = head_of(&repository);
    repository.lend_without(&stage.at("place"), ("work", &head), &stamp("actor"), &["/brief.json"]).unwrap();
    assert_eq!(stage.git("place/tree", ["rev-list", "--count", "HEAD"]), "100");
    stage.git("place/tree", ["fsck", "--strict"]);
}

#[test]
fn what_was_done_to_a_copy_is_seen() {
    let check = |deed: &dyn Fn(&Stage), look: &dyn Fn(&Examined)| {
        let stage = Stage::new();
        let (repository, lent) = lent(&stage);
        let before = everything(&stage.at("a"));
        deed(&stage);
        look(&repository.examine(&lent).unwrap());
        assert_eq!(everything(&stage.at("a")), before, "a copy reaches nothing else");
    };
    let git = |stage: &Stage, arguments: &[&str]| drop(stage.git("place/tree", arguments));
    check(&|stage| drop(stage.write("place/tree/a", "new\n")), &|seen| {
        assert_eq!(seen.status.changed.len(), 1);
        assert!(seen.commits.is_empty());
    });
    check(
        &|stage| {
            stage.write("place/tree/a", "new\n");
            stage.write("place/tree/x.o", "ignored\n");
            stage.commit_all("place/tree", "feat(actor): new");
        },
        &|seen| {
            assert_eq!(seen.commits.len(), 1);
            assert_eq!(seen.commits[0].tree, seen.tree);
            assert!(seen.status.is_clean());
        },
    );
    check(&|stage| git(stage, &["commit", "-q", "--allow-empty", "--amend", "-m", "other"]), &|seen| {
        assert!(seen.is_rewritten);
    });
    check(&|stage| git(stage, &["reset", "-q", "--hard", "HEAD~2"]), &|seen| assert!(seen.is_rewritten));
    check(&|stage| git(stage, &["branch", "elsewhere"]), &|seen| assert_eq!(seen.strayed, ["refs/heads/elsewhere"]));
    check(&|stage| git(stage, &["tag", "mine"]), &|seen| assert_eq!(seen.strayed, ["refs/tags/mine"]));
    check(&|stage| git(stage, &["switch", "-q", "-c", "other"]), &|seen| {
        assert_eq!(seen.strayed, ["HEAD (now on other)", "refs/heads/other"]);
    });
    check(&|stage| git(stage, &["switch", "-q", "--detach"]), &|seen| {
        assert_eq!(seen.strayed, ["HEAD (now on no branch)"]);
    });
    // What the borrower's tools put there is nobody's work.
    check(&|stage| drop(stage.write("place/tree/brief.json", "{}")), &|seen| assert!(seen.status.is_clean()));
    // Hiding a change from git's own index does not hide it.
    check(
        &|stage| {
            git(stage, &["update-index", "--assume-unchanged", "a"]);
            stage.write("place/tree/a", "hidden\n");
        },
        &|seen| assert!(seen.status.is_clean()),
    );
}

#[test]
fn a_change_that_is_hidden_from_the_copys_index_is_in_the_tree() {
    let stage = Stage::new();
    let (repository, lent) = lent(&stage);
    stage.git("place/tree", ["update-index", "--assume-unchanged", "a"]);
    stage.write("place/tree/a", "hidden\n");
    let seen = repository.examine(&lent).unwrap();
    assert_eq!(stage.git("a", ["show", &format!("{}:a", seen.tree)]), "hidden");
}

#[test]
fn a_copy_that_is_no_repository_any_more_is_told() {
    let check = |deed: &dyn Fn(&Stage)| {
        let stage = Stage::new();
        // The copy lies in the repository that it came from, as it does in a project.
        let repository = stage.repository("a", &[("a", "1\n")]);
        let head = head_of(&repository);
        let lent =
            repository.lend_without(&stage.at("a/place"), ("work", &head), &stamp("actor"), &["/brief.json"]).unwrap();
        deed(&stage);
        let fault = repository.examine(&lent).unwrap_err();
        assert!(matches!(fault, GitFault::Damaged { .. }), "{fault}");
        assert!(fault.to_string().contains("any more"), "{fault}");
    };
    check(&|stage| fs::remove_dir_all(stage.at("a/place/tree/.git")).unwrap());
    check(&|stage| {
        fs::remove_dir_all(stage.at("a/place/tree/.git")).unwrap();
        stage.write("a/place/tree/.git", format!("gitdir: {}\n", stage.at("a/.git").display()));
    });
    check(&|stage| drop(stage.write("a/place/tree/.git/config", "[core\n")));
    check(&|stage| fs::remove_dir_all(stage.at("a/place/tree")).unwrap());
}
