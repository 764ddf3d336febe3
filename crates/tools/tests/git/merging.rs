//! Merges among objects: a tree that holds both sides, or the files on which they do not agree, with both.

use std::fs;

use tools::git::{Merged, ObjectId, Repository};

use crate::stage::{Stage, everything, head_of};

/// A repository with two sides: `main` after `ours`, and the commit after `theirs`.
fn sides(stage: &Stage, ours: &dyn Fn(), theirs: &dyn Fn()) -> (Repository, ObjectId, ObjectId) {
    let repository = stage.repository("a", &[("a", "1\n2\n3\n4\n5\n"), ("b", "1\n"), ("c", "1\n")]);
    stage.git("a", ["checkout", "-q", "-b", "side"]);
    theirs();
    let theirs = stage.commit_all("a", "theirs");
    stage.git("a", ["checkout", "-q", "main"]);
    ours();
    stage.commit_all("a", "ours");
    let ours = head_of(&repository);
    (repository, ours, theirs)
}

#[test]
fn what_both_sides_did_to_different_places_comes_together() {
    let stage = Stage::new();
    let ours = || drop(stage.write("a/a", "one\n2\n3\n4\n5\n"));
    let theirs = || drop(stage.write("a/a", "1\n2\n3\n4\nfive\n"));
    let (repository, ours, theirs) = sides(&stage, &ours, &theirs);
    let before = everything(&stage.at("a"));
    let Merged::Tree(tree) = repository.merge(&ours, &theirs).unwrap() else { panic!("clashes") };
    assert_eq!(stage.git("a", ["show", &format!("{tree}:a")]), "one\n2\n3\n4\nfive");
    assert_eq!(everything(&stage.at("a")), before, "a merge is made of objects alone");
    assert!(repository.base_of(&ours, &theirs).unwrap().is_some());
}

#[test]
fn a_clash_names_the_file_and_both_sides() {
    let stage = Stage::new();
    let ours = || {
        stage.write("a/a", "ours\n");
        fs::remove_file(stage.at("a/b")).unwrap();
    };
    let theirs = || {
        stage.write("a/a", "theirs\n");
        stage.write("a/b", "theirs\n");
    };
    let (repository, ours, theirs) = sides(&stage, &ours, &theirs);
    let Merged::Clashes(clashes) = repository.merge(&ours, &theirs).unwrap() else { panic!("no clash") };
    let shown: Vec<_> = clashes
        .iter()
        .map(|clash| format!("{} {} {}", clash.path.display(), clash.ours.is_some(), clash.theirs.is_some()))
        .collect();
    assert_eq!(shown, ["a true true", "b false true"]);
    // Whoever is to bring them together finds both in the file.
    let (tree, marked) = repository.merge_marked(&ours, &theirs).unwrap();
    assert_eq!(marked, clashes);
    let text = stage.git("a", ["show", &format!("{tree}:a")]);
    assert!(text.contains("<<<<<<< ") && text.contains("ours\n") && text.contains("theirs\n"), "{text}");
    assert!(clashes[0].why.contains("Merge conflict in a"), "{}", clashes[0].why);
    assert!(clashes[1].why.contains("deleted"), "{}", clashes[1].why);
}

#[test]
fn histories_without_a_common_commit_cannot_be_merged() {
    let stage = Stage::new();
    let (repository, ours, _) = sides(&stage, &|| {}, &|| {});
    stage.git("a", ["checkout", "-q", "--orphan", "alone"]);
    let alone = stage.commit_all("a", "alone");
    assert_eq!(repository.base_of(&ours, &alone).unwrap(), None);
    let fault = repository.merge(&ours, &alone).unwrap_err().to_string();
    assert!(fault.contains("unrelated histories"), "{fault}");
}
