//! Commits as objects, references moved from a known place, working trees taken along or left alone.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use tools::git::{Brought, Change, GitFault, Moved};

use crate::stage::{Stage, commit_of, everything, head_of};

fn put(path: &str, content: &str) -> Change {
    Change::Put { path: path.into(), content: content.into() }
}

#[test]
fn a_commit_is_an_object_and_touches_nothing() {
    let stage = Stage::new();
    let repository = stage.repository("a", &[("kept", "1\n"), ("gone", "1\n")]);
    let head = head_of(&repository);
    // What a person has under way stays exactly as it is.
    stage.write("a/kept", "a person's\n");
    stage.write("a/untracked", "a person's\n");
    stage.git("a", ["add", "kept"]);
    let before = everything(&stage.at("a"));
    let changes = [put("new/file", "2\n"), Change::Remove { path: "gone".into() }];
    let tree = repository.tree_with(Some(&head), &changes).unwrap();
    let commit = commit_of(&repository, tree.clone(), &head, "feat(role): more");
    assert_eq!(everything(&stage.at("a")), before);
    assert_eq!(stage.git("a", ["ls-tree", "-r", "--name-only", commit.as_str()]), "kept\nnew/file");
    assert_eq!(
        stage.git("a", ["show", "-s", "--format=%an <%ae> %at %cn %ct %s", commit.as_str()]),
        "role <role@x> 1700000000 role 1700000000 feat(role): more"
    );
    // Made again, it is the same object: what a crash interrupted is repeated without a second commit.
    assert_eq!(repository.tree_with(Some(&head), &changes).unwrap(), tree);
    assert_eq!(commit_of(&repository, tree, &head, "feat(role): more"), commit);
}

#[test]
fn a_file_keeps_whether_it_may_be_executed() {
    let stage = Stage::new();
    stage.repository("a", &[("plain", "1\n")]);
    stage.executable("a/tool", "#!/bin/sh\n");
    let head = stage.commit_all("a", "tool");
    let repository = tools::git::Repository::open(&stage.at("a")).unwrap();
    let tree = repository.tree_with(Some(&head), &[put("tool", "#!/bin/sh\ntrue\n"), put("plain", "2\n")]).unwrap();
    let modes = stage.git("a", ["ls-tree", "--format=%(objectmode) %(path)", tree.as_str()]);
    assert_eq!(modes, "100644 plain\n100755 tool");
}

#[test]
fn a_reference_is_moved_from_where_it_was_known_to_stand() {
    let stage = Stage::new();
    let repository = stage.repository("a", &[("a", "1\n")]);
    let one = head_of(&repository);
    let two = commit_of(&repository, repository.tree_at(&one).unwrap(), &one, "two");
    let three = commit_of(&repository, repository.tree_at(&one).unwrap(), &one, "three");
    let mut steps = Vec::new();
    let mut check = |old: Option<&_>, new: Option<&_>, expected: Moved| {
        let moved = repository.move_branch("goal", old, new, "test").unwrap();
        assert_eq!(moved, expected, "{steps:?}");
        steps.push(moved);
    };
    check(None, Some(&one), Moved::Done);
    check(None, Some(&one), Moved::Already);
    check(None, Some(&two), Moved::Elsewhere(Some(one.clone())));
    check(Some(&one), Some(&two), Moved::Done);
    check(Some(&one), Some(&two), Moved::Already);
    check(Some(&one), Some(&three), Moved::Elsewhere(Some(two.clone())));
    check(Some(&two), None, Moved::Done);
    check(Some(&two), None, Moved::Already);
    check(Some(&two), Some(&three), Moved::Elsewhere(None));
    for name in ["-d", "a b", "a..b", "../../config"] {
        let fault = repository.move_branch(name, None, Some(&one), "test").unwrap_err();
        assert!(matches!(fault, GitFault::BadName { .. }), "{name}: {fault}");
    }
}

/// Of many who move one reference at once, one does, and the others are told.
#[test]
fn of_many_who_move_a_reference_one_does() {
    let stage = Stage::new();
    let repository = stage.repository("a", &[("a", "1\n")]);
    let one = head_of(&repository);
    let tree = repository.tree_at(&one).unwrap();
    let commits: Vec<_> = (0..6).map(|n| commit_of(&repository, tree.clone(), &one, &format!("n {n}"))).collect();
    repository.move_branch("goal", None, Some(&one), "test").unwrap();
    let done = std::thread::scope(|scope| {
        let racers: Vec<_> = commits
            .iter()
            .map(|new| scope.spawn(|| repository.move_branch("goal", Some(&one), Some(new), "race").unwrap()))
            .collect();
        racers.into_iter().map(|racer| racer.join().unwrap()).filter(|moved| *moved == Moved::Done).count()
    });
    assert_eq!(done, 1);
}

#[test]
fn commits_are_kept_under_names_of_our_own() {
    let stage = Stage::new();
    let repository = stage.repository("a", &[("a", "1\n")]);
    let one = head_of(&repository);
    let two = commit_of(&repository, repository.tree_at(&one).unwrap(), &one, "two");
    assert_eq!(repository.kept("run/loop-1").unwrap(), None);
    repository.keep("run/loop-1", &one).unwrap();
    repository.keep("run/loop-1", &two).unwrap();
    assert_eq!(repository.kept("run/loop-1").unwrap(), Some(two.clone()));
    stage.git("a", ["gc", "-q", "--prune=now"]);
    assert!(repository.has(&two).unwrap(), "cleaned away though it was kept");
    assert_eq!(stage.git("a", ["branch", "--list"]), "* main");
    repository.let_go("run/loop-1").unwrap();
    repository.let_go("run/loop-1").unwrap();
    assert_eq!(repository.kept("run/loop-1").unwrap(), None);
}

/// A person's working tree is never touched: then only the branch moves.
#[test]
fn a_working_tree_is_taken_along_only_where_it_was_clean() {
    let check = |prepare: &dyn Fn(&Stage), left: Option<&str>| {
        let stage = Stage::new();
        let repository = stage.repository("a", &[("changed", "1\n"), ("other", "1\n"), ("gone", "1\n")]);
        let old = head_of(&repository);
        let changes = [put("changed", "2\n"), put("new", "2\n"), Change::Remove { path: "gone".into() }];
        let new = commit_of(&repository, repository.tree_with(Some(&old), &changes).unwrap(), &old, "new");
        prepare(&stage);
        let before = everything(&stage.at("a")).into_iter().filter(|(path, _)| !path.starts_with(stage.at("a/.git")));
        let before: Vec<_> = before.collect();
        let (moved, trees) = repository.advance("main", &old, &new, "test").unwrap();
        assert_eq!(moved, Moved::Done);
        assert_eq!(head_of(&repository), new);
        let after = everything(&stage.at("a")).into_iter().filter(|(path, _)| !path.starts_with(stage.at("a/.git")));
        let after: Vec<_> = after.collect();
        match (left, &trees[0].1) {
            (None, Brought::Done) => {
                assert_eq!(stage.read("a/changed"), "2\n");
                assert!(repository.status().unwrap().changed.is_empty());
                assert!(!stage.at("a/gone").exists());
                let (moved, trees) = repository.advance("main", &old, &new, "again").unwrap();
                assert_eq!((moved, &trees[0].1), (Moved::Already, &Brought::Already));
            }
            (Some(part), Brought::Left(why)) => {
                assert!(why.contains(part), "{why}");
                assert_eq!(after, before);
            }
            (left, brought) => panic!("{left:?}: {brought:?}"),
        }
    };
    check(&|_| {}, None);
    check(&|stage| drop(stage.write("a/beside", "a person's\n")), None);
    check(&|stage| drop(stage.write("a/changed", "a person's\n")), Some("changes of its own (changed)"));
    check(&|stage| drop(stage.write("a/other", "a person's\n")), Some("changes of its own (other)"));
    check(&|stage| drop(stage.write("a/new", "a person's\n")), Some("new"));
    check(
        &|stage| {
            stage.write("a/other", "staged\n");
            stage.git("a", ["add", "other"]);
        },
        Some("its index has changes of its own"),
    );
    // A lock that somebody left: told, not removed.
    check(&|stage| drop(stage.write("a/.git/index.lock", "")), Some("index.lock is there"));
    // Ended in the middle by a power failure: some files are new already, none is a person's.
    check(&|stage| drop(stage.write("a/changed", "2\n")), None);
    check(&|stage| drop(stage.write("a/new", "2\n")), None);
    check(
        &|stage| {
            stage.write("a/changed", "2\n");
            fs::remove_file(stage.at("a/gone")).unwrap();
        },
        None,
    );
    check(
        &|stage| {
            stage.write("a/changed", "2\n");
            stage.write("a/new", "a person's\n");
        },
        Some("(new)"),
    );
}

/// RM-11: files that the program itself changes all the time keep nothing from following, and are not touched.
#[test]
fn a_working_tree_follows_beside_files_that_change_all_the_time() {
    let log: PathBuf = "log".into();
    let check = |prepare: &dyn Fn(&Stage), left: Option<&str>| {
        let stage = Stage::new();
        let repository = stage.repository("a", &[("changed", "1\n"), ("log", "1\n"), ("gone", "1\n"), ("kept", "1\n")]);
        let old = head_of(&repository);
        let changes = [put("changed", "2\n"), put("new", "2\n"), Change::Remove { path: "gone".into() }];
        let new = commit_of(&repository, repository.tree_with(Some(&old), &changes).unwrap(), &old, "new");
        stage.write("a/log", "newest\n");
        prepare(&stage);
        let (_, trees) = repository.advance_beside("main", (&old, &new), "test", std::slice::from_ref(&log)).unwrap();
        assert_eq!(stage.read("a/log"), "newest\n");
        match (left, &trees[0].1) {
            (None, Brought::Done) => {
                assert_eq!((stage.read("a/changed"), stage.read("a/new")), ("2\n".into(), "2\n".into()));
                assert!(!stage.at("a/gone").exists());
                assert_eq!(repository.status().unwrap().changed, std::slice::from_ref(&log));
                let again = repository.advance_beside("main", (&old, &new), "again", std::slice::from_ref(&log));
                assert_eq!(again.unwrap().1[0].1, Brought::Already);
            }
            (Some(part), Brought::Left(why)) => assert!(why.contains(part), "{why}"),
            (left, brought) => panic!("{left:?}: {brought:?}"),
        }
    };
    check(&|_| {}, None);
    check(&|stage| drop(stage.write("a/kept", "a person's\n")), Some("changes of its own (kept)"));
    // Ended in the middle.
    check(&|stage| drop(stage.write("a/changed", "2\n")), None);
    check(
        &|stage| {
            stage.write("a/new", "2\n");
            fs::remove_file(stage.at("a/gone")).unwrap();
        },
        None,
    );
    check(
        &|stage| {
            stage.write("a/changed", "2\n");
            stage.write("a/new", "a person's\n");
        },
        Some("(new)"),
    );
}

#[test]
fn what_lies_between_two_commits_is_counted() {
    let stage = Stage::new();
    let repository = stage.repository("a", &[("a", "1\n2\n3\n"), ("moved", "x\ny\n"), ("gone", "1\n")]);
    let old = head_of(&repository);
    stage.write("a/a", "1\ntwo\n3\n4\n");
    fs::rename(stage.at("a/moved"), stage.at("a/elsewhere")).unwrap();
    fs::remove_file(stage.at("a/gone")).unwrap();
    stage.write("a/picture", [0, 159, 146, 150]);
    stage.write("a/no end", "1\n2");
    let new = stage.commit_all("a", "second");
    let measure = repository.measure(&old, &new).unwrap();
    let files: Vec<_> = measure
        .files
        .iter()
        .map(|file| format!("{} {:?} {:?}", file.path.display(), file.added, file.removed))
        .collect();
    assert_eq!(
        files,
        [
            "a Some(2) Some(1)",
            "elsewhere Some(2) Some(0)",
            "gone Some(0) Some(1)",
            "moved Some(0) Some(2)",
            "no end Some(2) Some(0)",
            "picture None None",
        ]
    );
    assert_eq!(measure.lines(), 3 + 2 + 1 + 2 + 2 + 1);
    assert_eq!(repository.measure(&new, &new).unwrap().lines(), 0);
    let patch = repository.patch(&old, &new, 120).unwrap();
    assert!(patch.contains("more bytes of the difference are not shown"), "{patch}");
}

/// Names with line ends, quotes, bytes that are no letters, and those that look like options or patterns.
#[test]
fn odd_names_are_names() {
    let stage = Stage::new();
    let repository = stage.repository("a", &[("a", "1\n")]);
    let old = head_of(&repository);
    let names: [&[u8]; 7] = [b"line\nend", b"\"quoted\"", b"tab\there", b"\xff\xfe", b"-rf", b"*", b":(top)x"];
    for name in names {
        fs::write(stage.at("a").join(OsStr::from_bytes(name)), "1\n").unwrap();
    }
    let status = repository.status().unwrap();
    assert_eq!(status.untracked.len(), names.len());
    let tree = repository.tree_of(&stage.at("a"), Some(&old), None).unwrap();
    let new = commit_of(&repository, tree, &old, "odd");
    let measured: Vec<PathBuf> =
        repository.measure(&old, &new).unwrap().files.into_iter().map(|file| file.path).collect();
    let mut expected: Vec<PathBuf> = names.iter().map(|name| PathBuf::from(OsStr::from_bytes(name))).collect();
    expected.sort_by(|a, b| a.as_os_str().as_bytes().cmp(b.as_os_str().as_bytes()));
    assert_eq!(measured, expected);
    let put: Vec<Change> =
        expected.iter().map(|path| Change::Put { path: path.clone(), content: b"2\n".to_vec() }).collect();
    let tree = repository.tree_with(Some(&new), &put).unwrap();
    let newer = commit_of(&repository, tree, &new, "odd again");
    assert_eq!(repository.measure(&new, &newer).unwrap().files.len(), names.len());
}

#[test]
fn a_folder_with_what_a_commit_cannot_hold_is_refused() {
    let stage = Stage::new();
    let repository = stage.repository("a", &[("a", "1\n")]);
    let head = head_of(&repository);
    stage.repository("a/inner", &[("b", "1\n")]);
    let fault = repository.tree_of(&stage.at("a"), Some(&head), None).unwrap_err().to_string();
    assert!(fault.contains("inner holds a repository of its own"), "{fault}");
    fs::remove_dir_all(stage.at("a/inner")).unwrap();
    stage.write("a/.gitattributes", "*.bin filter=lfs\n");
    stage.write("a/large.bin", "1\n");
    let fault = repository.tree_of(&stage.at("a"), Some(&head), None).unwrap_err().to_string();
    assert!(fault.contains("large.bin is stored through the filter `lfs`"), "{fault}");
}

#[test]
fn a_history_is_read_with_its_authors_and_says_if_it_was_rewritten() {
    let stage = Stage::new();
    let repository = stage.repository("a", &[("a", "1\n")]);
    let one = head_of(&repository);
    stage.write("a/a", "2\n");
    stage.git("a", ["commit", "-qa", "--author", "B <b@x>", "-m", "second\n\nwith \"words\"\n"]);
    let two = head_of(&repository);
    let log = repository.log(Some(&one), &two).unwrap();
    assert_eq!(log.len(), 1);
    assert_eq!((log[0].author.as_str(), log[0].committer.as_str()), ("B", "A"));
    assert_eq!((log[0].message.as_str(), &log[0].parents), ("second\n\nwith \"words\"", &vec![one.clone()]));
    assert_eq!(repository.log(None, &two).unwrap().len(), 2);
    assert_eq!(repository.logged(&two).unwrap(), log[0]);
    assert!(repository.is_ancestor(&one, &two).unwrap());
    stage.git("a", ["commit", "-q", "--amend", "-m", "other"]);
    assert!(!repository.is_ancestor(&two, &head_of(&repository)).unwrap());
    assert_eq!(repository.file_at(&two, "a".as_ref()).unwrap(), Some(b"2\n".to_vec()));
    assert_eq!(repository.file_at(&two, "none".as_ref()).unwrap(), None);
}
