//! What can be wrong with a repository, or go wrong with git: what, where, why, and the way out.

use std::path::PathBuf;

/// Why something could not be done with a repository. Nothing was changed, unless the message says so.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GitFault {
    #[error("git cannot be started: {why}; install git {needed} or newer")]
    NotInstalled { why: String, needed: &'static str },

    #[error("git is too old: {found} is installed, {needed} is needed; install a newer one")]
    TooOld { found: String, needed: &'static str },

    #[error("{} is not in a repository: make one with `git init`, and commit once", folder.display())]
    NotARepository { folder: PathBuf },

    #[error("{} is a repository without a working tree (bare): clone it, and work in the clone", folder.display())]
    Bare { folder: PathBuf },

    #[error(
        "the repository {} belongs to another user, and git trusts only one's own: take it over (chown), or trust it \
         with `git config --global --add safe.directory {}`",
        folder.display(), folder.display()
    )]
    NotOurs { folder: PathBuf },

    #[error(
        "the repository {} says that its files are in {} (core.worktree): work where its files are, or take that setting \
         out of its configuration",
        git_dir.display(), work_tree.display()
    )]
    Elsewhere { git_dir: PathBuf, work_tree: PathBuf },

    #[error("the repository {} cannot be read: {why}; look at it with `git fsck` and `git config --list`", folder.display())]
    Damaged { folder: PathBuf, why: String },

    #[error("there is no commit yet on the branch {branch} of {}: commit once", folder.display())]
    Unborn { folder: PathBuf, branch: String },

    #[error(
        "{} is on no branch: its head is at {commit} itself; take a branch with `git switch NAME`, or make one with \
         `git switch -c NAME`",
        folder.display()
    )]
    Detached { folder: PathBuf, commit: String },

    #[error("{} is there: git works in this repository, or was ended in the middle; if no git runs, remove it", path.display())]
    Locked { path: PathBuf },

    #[error("there is no {what} in {}", folder.display())]
    NoSuch { folder: PathBuf, what: String },

    #[error("`{name}` cannot be used: {why}")]
    BadName { name: String, why: String },

    #[error("{} holds a repository of its own, whose files would not be in the commit: move it away, or ignore it", path.display())]
    Nested { path: PathBuf },

    #[error(
        "{} is stored through the filter `{filter}`, which is not run here: commit it yourself, or leave it unchanged",
        path.display()
    )]
    Filtered { path: PathBuf, filter: String },

    #[error("`git {command}` in {} took longer than {seconds} s and was ended", folder.display())]
    TimedOut { command: String, folder: PathBuf, seconds: u64 },

    #[error("`git {command}` in {} said more than {most} bytes and was ended", folder.display())]
    Flooded { command: String, folder: PathBuf, most: usize },

    #[error("`git {command}` in {} failed: {said}", folder.display())]
    Failed { command: String, folder: PathBuf, said: String },

    #[error("`git {command}` in {} gave an answer that cannot be read: {said:?}", folder.display())]
    Odd { command: String, folder: PathBuf, said: String },

    #[error("{}: {why}", path.display())]
    File { path: PathBuf, why: String },
}
