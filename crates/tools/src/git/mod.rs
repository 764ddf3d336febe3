//! A repository, through the user's own git: looked at, and changed in steps that are safe to repeat.
//!
//! - `open`: which repository a folder belongs to, and making one; `invoke`: how git is started, and what it gets
//! - `state`: head, status, references, ancestry; `measure`: what lies between two commits
//! - `commit`: a commit as an object, from files or from a folder, without touching index, head or working tree
//! - `moving`: a reference from one commit to another; `along`: the working tree after it
//! - `merge`: two commits into a tree; `lend`: a copy of a repository for somebody who is not trusted; `worktrees`
//!
//! **A repository is hostile until proven otherwise.** Git runs what a repository's own settings name: hooks, filters,
//! drivers that compare and merge, a monitor of files, a remote that is asked for what is missing. None of it is run:
//! the environment is made anew, hooks lead nowhere, and whatever else names a program is overruled by settings that
//! stand above those of the repository. Settings of the user and of the system are not read, but for one: which folders
//! of others the user trusts.
//!
//! **Git is not confined** as agents' programs are: it writes the user's working tree with the user's own file modes,
//! and when this process is killed it ends its step by itself, so no lock is left behind. It is bounded in time and in
//! what it says. Must not know what a run, a role or a loop is.

mod along;
mod commit;
mod fault;
mod invoke;
mod lend;
mod measure;
mod merge;
mod moving;
mod name;
mod open;
mod state;
mod worktrees;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

pub use along::Brought;
pub use commit::{Change, Known, NewCommit, Stamp};
pub use fault::GitFault;
pub use invoke::GitLimits;
pub use lend::{Examined, Lent};
pub use measure::{Measure, MeasuredFile};
pub use merge::{Clash, Merged};
pub use moving::Moved;
pub use name::{ObjectId, branch_problem};
pub use state::{Head, Logged, Status};
pub use worktrees::{Changes, Worktree};

/// A repository with a working tree.
#[derive(Debug, Clone)]
pub struct Repository {
    /// Of this working tree: `.git`, or the main one's `.git/worktrees/NAME`.
    git_dir: PathBuf,
    /// Of all working trees.
    common_dir: PathBuf,
    work_tree: PathBuf,
    /// Settings above those of the repository, beside those that always stand there.
    overruled: Vec<(OsString, OsString)>,
    limits: GitLimits,
}

impl Repository {
    /// The folder of the files, without links in its path.
    pub fn work_tree(&self) -> &Path {
        &self.work_tree
    }

    /// Where git keeps what belongs to this working tree.
    pub fn git_dir(&self) -> &Path {
        &self.git_dir
    }

    /// Where git keeps what belongs to all working trees.
    pub fn common_dir(&self) -> &Path {
        &self.common_dir
    }

    /// Whether it is a worktree beside the main one.
    pub fn is_linked(&self) -> bool {
        self.git_dir != self.common_dir
    }

    /// The same with other limits.
    pub fn with_limits(mut self, limits: GitLimits) -> Self {
        self.limits = limits;
        self
    }
}
