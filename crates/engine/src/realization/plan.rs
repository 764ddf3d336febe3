//! What is to be done about a branch, given what the journal knows and what was seen. Pure: one table, every row a test.

/// How the branch's head relates to the last commit that the journal knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Relation {
    /// It is that commit.
    Same,
    /// It is the commit before it: the branch was not moved yet.
    Before,
    /// That commit is in its past: others have committed on top.
    Ahead,
    /// None of these.
    Apart,
    /// That commit is no object of the repository.
    Unknown,
}

/// What is to be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Next {
    /// All is as it should be.
    Nothing,
    /// The branch moves to the last commit that the journal knows.
    Move,
    /// A person must look.
    Foreign,
    Rewritten,
    Gone,
}

/// The table. Nothing known means that the run has made no commit: whatever is there is its beginning.
pub(super) fn next(relation: Option<Relation>) -> Next {
    match relation {
        None | Some(Relation::Same) => Next::Nothing,
        Some(Relation::Before) => Next::Move,
        Some(Relation::Ahead) => Next::Foreign,
        Some(Relation::Apart) => Next::Rewritten,
        Some(Relation::Unknown) => Next::Gone,
    }
}
