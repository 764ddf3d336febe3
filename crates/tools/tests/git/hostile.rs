//! A repository that names a program wherever git would run one. Plain git runs it; ours never does (QL-30).

use std::fs;
use std::process::Command;
use std::time::Duration;

use tools::git::{GitFault, GitLimits, Repository};

use crate::stage::{Stage, commit_of, head_of, stamp};

const HOOKS: [&str; 8] = [
    "post-index-change",
    "reference-transaction",
    "pre-commit",
    "commit-msg",
    "post-commit",
    "post-checkout",
    "post-merge",
    "pre-auto-gc",
];

/// A repository with a trap in every place that we know of. Each trap leaves its name in `sprung`.
fn trapped(stage: &Stage) -> Repository {
    stage.repository(
        "a",
        &[("a.txt", "1\n"), ("b.txt", "1\n"), (".gitattributes", "*.txt filter=trap diff=trap merge=trap\n")],
    );
    let trap = |name: &str| {
        let script = format!("#!/bin/sh\necho {name} >> '{}'\ncat\n", stage.at("sprung").display());
        stage.executable(&format!("traps/{name}"), &script).to_str().unwrap().to_owned()
    };
    for hook in HOOKS {
        let script = format!("#!/bin/sh\necho hook-{hook} >> '{}'\nexit 1\n", stage.at("sprung").display());
        stage.executable(&format!("a/.git/hooks/{hook}"), &script);
    }
    let mut config = stage.read("a/.git/config");
    for (section, key) in [
        ("core", "fsmonitor"),
        ("core", "sshCommand"),
        ("core", "pager"),
        ("core", "editor"),
        ("core", "askPass"),
        ("core", "gitProxy"),
        ("core", "alternateRefsCommand"),
        ("credential", "helper"),
        ("diff", "external"),
        ("filter \"trap\"", "clean"),
        ("filter \"trap\"", "smudge"),
        ("diff \"trap\"", "textconv"),
        ("diff \"trap\"", "command"),
        ("merge \"trap\"", "driver"),
        ("gpg", "program"),
        ("alias", "status"),
    ] {
        let name = format!("{}-{key}", section.replace([' ', '"'], ""));
        config += &format!("[{section}]\n\t{key} = \"{}\"\n", trap(&name));
    }
    config += "[commit]\n\tgpgSign = true\n[log]\n\tshowSignature = true\n[filter \"trap\"]\n\trequired = true\n";
    config += &format!("[include]\n\tpath = {}\n", stage.at("more").display());
    stage.write("more", format!("[filter \"More.\"]\n\tprocess = {}\n", trap("included-process")));
    stage.write("a/.git/config", config);
    stage.write("a/.git/info/attributes", "*.md filter=More.\n");
    Repository::open(&stage.at("a")).unwrap()
}

fn sprung(stage: &Stage) -> Vec<String> {
    let text = fs::read_to_string(stage.at("sprung")).unwrap_or_default();
    let mut names: Vec<String> = text.lines().map(str::to_owned).collect();
    names.sort();
    names.dedup();
    names
}

#[test]
fn nothing_that_a_repository_names_is_run() {
    let stage = Stage::new();
    let repository = trapped(&stage);
    let one = head_of(&repository);
    stage.write("a/a.txt", "2\n");
    stage.write("a/b.md", "2\n");
    let _ = repository.status().unwrap();
    assert!(repository.tree_of(&stage.at("a"), Some(&one), None).is_err(), "files behind filters are refused");
    let put = |path: &str, content: &str| tools::git::Change::Put { path: path.into(), content: content.into() };
    let side = |content: &str| {
        let tree = repository.tree_with(Some(&one), &[put("a.txt", content)]).unwrap();
        commit_of(&repository, tree, &one, content)
    };
    let (ours, theirs) = (side("ours\n"), side("theirs\n"));
    repository.measure(&ours, &theirs).unwrap();
    repository.patch(&ours, &theirs, 10_000).unwrap();
    repository.log(None, &ours).unwrap();
    // A driver would have merged it; without one it is a conflict, not one side's file.
    assert!(matches!(repository.merge(&ours, &theirs).unwrap(), tools::git::Merged::Clashes(_)));
    stage.write("a/a.txt", "1\n");
    fs::remove_file(stage.at("a/b.md")).unwrap();
    repository.advance("main", &one, &ours, "test").unwrap();
    assert_eq!(stage.read("a/a.txt"), "ours\n");
    repository.move_branch("side", None, Some(&theirs), "test").unwrap();
    repository.add_worktree(&stage.at("side"), "side").unwrap();
    let lent =
        repository.lend_without(&stage.at("place"), ("work", &theirs), &stamp("actor"), &["/brief.json"]).unwrap();
    // Whoever has a copy may set the same traps in it.
    fs::copy(stage.at("a/.git/config"), stage.at("place/tree/.git/config")).unwrap();
    stage.executable("place/tree/.git/hooks/post-index-change", &stage.read("a/.git/hooks/post-index-change"));
    stage.write("place/tree/new", "1\n");
    repository.examine(&lent).unwrap();
    repository.keep("x", &ours).unwrap();
    assert_eq!(sprung(&stage), Vec::<String>::new());
}

/// The traps are real: plain git springs them. Otherwise the test above could not fail.
#[test]
fn plain_git_runs_what_the_repository_names() {
    let stage = Stage::new();
    trapped(&stage);
    stage.write("a/a.txt", "2\n");
    for arguments in
        [&["status"][..], &["diff"], &["add", "a.txt"], &["update-ref", "refs/heads/x", "HEAD"], &["log", "-p", "-1"]]
    {
        stage.plain("a", arguments);
    }
    let sprung = sprung(&stage);
    for name in ["core-fsmonitor", "filtertrap-clean", "hook-reference-transaction", "difftrap-command"] {
        assert!(sprung.iter().any(|sprung| sprung == name), "{name} is no trap: {sprung:?}");
    }
}

/// A repository in the repository has settings of its own, which nobody overrules: it is not looked into.
#[test]
fn submodules_are_not_looked_into() {
    let stage = Stage::new();
    let repository = stage.repository("a", &[("a", "1\n")]);
    stage.repository("a/sub", &[("b", "1\n")]);
    let inner = stage.git("a/sub", ["rev-parse", "HEAD"]);
    stage.git("a", ["update-index", "--add", "--cacheinfo", &format!("160000,{inner},sub")]);
    stage.write("a/.gitmodules", "[submodule \"sub\"]\n\tpath = sub\n\turl = ext::sh -c 'touch x'\n");
    stage.git("a", ["add", ".gitmodules"]);
    stage.git("a", ["commit", "-q", "-m", "sub"]);
    let trap = format!("#!/bin/sh\necho sub >> '{}'\n", stage.at("sprung").display());
    let trap = stage.executable("trap", &trap);
    stage.git("a/sub", ["config", "core.fsmonitor", trap.to_str().unwrap()]);
    stage.write("a/sub/b", "2\n");
    assert!(repository.status().unwrap().is_clean());
    let head = head_of(&repository);
    stage.write("a/a", "2\n");
    let tree = repository.tree_of(&stage.at("a"), Some(&head), None).unwrap();
    assert_eq!(repository.measure(&head, &tree).unwrap().files.len(), 1);
    assert_eq!(sprung(&stage), Vec::<String>::new());
}

/// What is missing in a partial clone is not fetched: that would run what the remote's settings name.
#[test]
fn a_missing_object_is_not_fetched() {
    let stage = Stage::new();
    let repository = stage.repository("a", &[("a", "1\n")]);
    let trap = format!("#!/bin/sh\necho fetched >> '{}'\n", stage.at("sprung").display());
    let trap = stage.executable("trap", &trap);
    let head = head_of(&repository);
    let blob = stage.git("a", ["rev-parse", "HEAD:a"]);
    fs::remove_file(stage.at("a/.git/objects").join(&blob[..2]).join(&blob[2..])).unwrap();
    for (key, value) in [
        ("core.repositoryformatversion", "1"),
        ("extensions.partialClone", "origin"),
        ("remote.origin.url", "ssh://nowhere/x"),
        ("remote.origin.promisor", "true"),
        ("core.sshCommand", trap.to_str().unwrap()),
    ] {
        stage.git("a", ["config", key, value]);
    }
    let repository = Repository::open(&stage.at("a")).unwrap();
    let fault =
        repository.lend_without(&stage.at("place"), ("work", &head), &stamp("actor"), &["/brief.json"]).unwrap_err();
    assert!(!fault.to_string().is_empty());
    assert_eq!(repository.file_at(&head, "a".as_ref()).unwrap(), None);
    assert_eq!(sprung(&stage), Vec::<String>::new());
}

#[test]
fn git_is_bounded_in_time_and_in_what_it_says() {
    let stage = Stage::new();
    let repository = stage.repository("a", &[("a", "1\n")]);
    let head = head_of(&repository);
    for number in 0..200 {
        stage.write(&format!("a/{number}-{}", "x".repeat(100)), "");
    }
    let small = GitLimits { output_bytes: 1000, ..GitLimits::default() };
    let fault = repository.clone().with_limits(small).status().unwrap_err();
    assert!(matches!(fault, GitFault::Flooded { .. }), "{fault}");
    // A file that never ends to be read: git waits for it, and is ended.
    let made = Command::new("mkfifo").arg(stage.at("pipe")).status().unwrap();
    assert!(made.success());
    stage.write("a/.git/info/exclude", "");
    fs::remove_file(stage.at("a/.git/info/exclude")).unwrap();
    std::os::unix::fs::symlink(stage.at("pipe"), stage.at("a/.git/info/exclude")).unwrap();
    let short = GitLimits { time: Duration::from_millis(300), ..GitLimits::default() };
    let fault = repository.clone().with_limits(short).status().unwrap_err();
    assert!(matches!(fault, GitFault::TimedOut { .. }), "{fault}");
    assert!(repository.has(&head).unwrap());
}

/// A large file is a file: it is neither read into memory nor counted line by line for ever.
#[test]
fn a_large_file_is_committed_and_measured() {
    let stage = Stage::new();
    let repository = stage.repository("a", &[("a", "1\n")]);
    let head = head_of(&repository);
    fs::File::create(stage.at("a/large")).unwrap().set_len(200 << 20).unwrap();
    let tree = repository.tree_of(&stage.at("a"), Some(&head), None).unwrap();
    let measure = repository.measure(&head, &tree).unwrap();
    assert_eq!((measure.files.len(), measure.lines()), (1, 1));
}
