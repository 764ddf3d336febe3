//! Further working trees of a repository, each with a branch of its own.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use super::{GitFault, ObjectId, Repository};

/// A working tree of a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Worktree {
    pub folder: PathBuf,
    /// Nothing while there is no commit.
    pub commit: Option<ObjectId>,
    /// Nothing if it is on none.
    pub branch: Option<String>,
    /// Whether its folder is gone.
    pub is_gone: bool,
}

impl Repository {
    /// All working trees, the main one first.
    pub fn worktrees(&self) -> Result<Vec<Worktree>, GitFault> {
        let answer = self.git(["worktree", "list", "--porcelain", "-z"]).answer()?;
        let mut trees: Vec<Worktree> = Vec::new();
        for line in answer.split(|byte| *byte == 0).filter(|line| !line.is_empty()) {
            let end = line.iter().position(|byte| *byte == b' ').unwrap_or(line.len());
            let (word, value) = (&line[..end], line.get(end + 1..).unwrap_or_default());
            let text = String::from_utf8_lossy(value);
            match (word, trees.last_mut()) {
                (b"worktree", _) => {
                    let folder = PathBuf::from(OsString::from_vec(value.to_vec()));
                    trees.push(Worktree { folder, commit: None, branch: None, is_gone: false });
                }
                (b"HEAD", Some(tree)) => {
                    let is_nothing = text.bytes().all(|byte| byte == b'0');
                    tree.commit = ObjectId::read(&text).filter(|_| !is_nothing);
                }
                (b"branch", Some(tree)) => tree.branch = Some(text.trim_start_matches("refs/heads/").into()),
                (b"prunable", Some(tree)) => tree.is_gone = true,
                _ => {}
            }
        }
        Ok(trees)
    }

    /// The main working tree's folder: in a worktree beside it, that is the project.
    pub fn main_work_tree(&self) -> Result<PathBuf, GitFault> {
        let first = self.worktrees()?.into_iter().next();
        Ok(first.map_or_else(|| self.work_tree.clone(), |tree| tree.folder))
    }

    /// A working tree of its own for a branch that is there. One that is there for it already is fine.
    pub fn add_worktree(&self, folder: &Path, branch: &str) -> Result<Self, GitFault> {
        if self.branch_at(branch)?.is_none() {
            return Err(GitFault::NoSuch { folder: self.work_tree.clone(), what: format!("branch {branch}") });
        }
        let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.into());
        let trees = self.worktrees()?;
        let own = trees.iter().find(|tree| real(&tree.folder) == real(folder));
        if own.is_none_or(|tree| tree.is_gone || tree.branch.as_deref() != Some(branch)) {
            let mut arguments: Vec<OsString> = ["worktree", "add", "-q"].map(OsString::from).into();
            // A folder that is gone was nobody's loss.
            arguments.extend(own.filter(|tree| tree.is_gone).map(|_| "-f".into()));
            arguments.extend(["--".into(), folder.into(), branch.into()]);
            self.git(arguments).answer()?;
        }
        Self::open(folder)
    }

    /// Removes a working tree; one with changes stays, unless they are thrown away by word.
    pub fn remove_worktree(&self, folder: &Path, changes: Changes) -> Result<(), GitFault> {
        let mut arguments: Vec<OsString> = ["worktree", "remove"].map(OsString::from).into();
        if changes == Changes::ThrownAway {
            arguments.push("--force".into());
        }
        arguments.extend(["--".into(), folder.into()]);
        match self.git(arguments).answer() {
            Err(_) if !folder.exists() => self.git(["worktree", "prune"]).answer().map(drop),
            done => done.map(drop),
        }
    }
}

/// What becomes of changes in a working tree that goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Changes {
    /// The working tree stays then.
    Kept,
    ThrownAway,
}
