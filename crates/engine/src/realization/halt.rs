//! What stops a step of a realization: for the person who is to look at it.

use tools::git::GitFault;

/// Why a step cannot begin, or its work cannot be taken. The workspace is as it was.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Halt {
    /// Git itself, or the repository.
    #[error(transparent)]
    Git(#[from] GitFault),

    /// Somebody has work of their own in the workspace.
    #[error("the workspace {workspace} has changes that no commit holds ({paths}): commit or stash them, then resume")]
    Dirty { workspace: String, paths: String },

    /// Somebody committed who was not asked.
    #[error(
        "the workspace {workspace} stands at {found}, and the last commit of the run is {expected}: {count} foreign \
         ({commits}); take them away with `git reset --hard {expected}`, or start a new run from them"
    )]
    Foreign { workspace: String, expected: String, found: String, count: usize, commits: String },

    /// The run's commits are no longer in the history.
    #[error(
        "the history of {workspace} was rewritten: the run's last commit {expected} is not in the history of {found}; bring \
         it back with `git reset --hard {expected}`"
    )]
    Rewritten { workspace: String, expected: String, found: String },

    /// The run's commits are not even objects of the repository.
    #[error(
        "the repository of {workspace} has no commit {expected}, which the run made: it is another repository, or was cleaned; \
         put the old one back"
    )]
    Gone { workspace: String, expected: String },

    /// The branch that the run works on is not the one that is checked out.
    #[error(
        "the workspace {workspace} is on the branch {found}, and the run's commits are on {expected}: `git switch {expected}`"
    )]
    OtherBranch { workspace: String, expected: String, found: String },

    /// What was done to the copy is not what a step may do.
    #[error("the step {step} of {role} left {what}: {way_out}")]
    Misdeed { step: String, role: String, what: String, way_out: String },

    /// Nothing was done.
    #[error(
        "the step {step} of {role} changed nothing: a commit carries the role's own change, so there is none to make"
    )]
    Nothing { step: String, role: String },
}

impl Halt {
    /// Whether another attempt at the step could do better; else a person must do something first.
    pub fn is_the_steps_own(&self) -> bool {
        matches!(self, Self::Misdeed { .. } | Self::Nothing { .. })
    }
}
