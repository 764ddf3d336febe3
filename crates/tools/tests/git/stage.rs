//! What the tests of git share: a folder with repositories, made and looked at with plain git.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;
use tools::git::{NewCommit, ObjectId, Repository, Stamp};

pub(crate) struct Stage {
    folder: TempDir,
}

impl Stage {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self { folder }
    }

    /// A folder of the stage, without links in its path.
    pub(crate) fn at(&self, path: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(path)
    }

    pub(crate) fn write(&self, path: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let file = self.at(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, content).unwrap();
        file
    }

    pub(crate) fn read(&self, path: &str) -> String {
        fs::read_to_string(self.at(path)).unwrap()
    }

    pub(crate) fn executable(&self, path: &str, content: &str) -> PathBuf {
        let file = self.write(path, content);
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
        file
    }

    /// Plain git, with nobody's settings but the repository's.
    pub(crate) fn plain<I: AsRef<OsStr>>(&self, folder: &str, arguments: impl IntoIterator<Item = I>) -> Output {
        let mut git = Command::new("git");
        git.current_dir(self.at(folder)).args(arguments).env("GIT_CONFIG_NOSYSTEM", "1").env("HOME", self.at(""));
        for (name, value) in [
            ("GIT_AUTHOR_NAME", "A"),
            ("GIT_AUTHOR_EMAIL", "a@x"),
            ("GIT_COMMITTER_NAME", "A"),
            ("GIT_COMMITTER_EMAIL", "a@x"),
        ] {
            git.env(name, value);
        }
        git.output().unwrap()
    }

    /// The same, which must succeed; gives its output.
    #[track_caller]
    pub(crate) fn git<I: AsRef<OsStr>>(&self, folder: &str, arguments: impl IntoIterator<Item = I>) -> String {
        let output = self.plain(folder, arguments);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).trim_end().to_owned()
    }

    /// A repository with one commit of these files.
    #[track_caller]
    pub(crate) fn repository(&self, folder: &str, files: &[(&str, &str)]) -> Repository {
        fs::create_dir_all(self.at(folder)).unwrap();
        self.git(folder, ["init", "-q", "-b", "main"]);
        for (path, content) in files {
            self.write(&format!("{folder}/{path}"), content);
        }
        self.commit_all(folder, "first");
        Repository::open(&self.at(folder)).unwrap()
    }

    pub(crate) fn commit_all(&self, folder: &str, message: &str) -> ObjectId {
        self.git(folder, ["add", "-A"]);
        self.git(folder, ["commit", "-q", "--allow-empty", "--no-verify", "-m", message]);
        ObjectId::read(&self.git(folder, ["rev-parse", "HEAD"])).unwrap()
    }
}

pub(crate) fn stamp(name: &str) -> Stamp {
    Stamp { name: name.into(), email: format!("{name}@x"), seconds: 1_700_000_000 }
}

pub(crate) fn commit_of(repository: &Repository, tree: ObjectId, parent: &ObjectId, message: &str) -> ObjectId {
    let stamp = stamp("role");
    let new = NewCommit { tree, parents: vec![parent.clone()], author: &stamp, committer: &stamp, message };
    repository.commit(&new).unwrap()
}

pub(crate) fn head_of(repository: &Repository) -> ObjectId {
    repository.branch().unwrap().1
}

/// Everything in a folder, with its content, for "nothing was touched".
pub(crate) fn everything(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    let mut waiting = vec![folder.to_path_buf()];
    while let Some(folder) = waiting.pop() {
        for entry in fs::read_dir(&folder).unwrap().flatten() {
            let path = entry.path();
            if path.file_name().is_some_and(|name| name == "objects" || name == "multiverse") {
                continue;
            }
            if entry.file_type().unwrap().is_dir() {
                waiting.push(path);
            } else {
                let content = fs::read(&path).unwrap_or_default();
                found.push((path, content));
            }
        }
    }
    found.sort();
    found
}
