//! The diagram of an item's states: every pair of state and move, and what comes of it (RM-03).

use super::words::Status;

/// What moves an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Move {
    /// An executor takes it.
    Lock,
    /// Its work is done, and where everybody's work is.
    Complete,
    /// It could not be done.
    Fail,
    /// Its executor is gone, paused, or asks.
    Release,
    /// A plan, or a person, takes it out.
    Cancel,
    /// A plan, or a person, has it tried again.
    Reopen,
}

impl Move {
    /// All there are.
    pub const ALL: [Self; 6] = [Self::Lock, Self::Complete, Self::Fail, Self::Release, Self::Cancel, Self::Reopen];
}

/// The transition table. Nothing: that is refused.
pub fn moved(from: Status, by: Move) -> Option<Status> {
    match (from, by) {
        (Status::Pending, Move::Lock) => Some(Status::Locked),
        (Status::Pending, Move::Complete) => None,
        (Status::Pending, Move::Fail) => None,
        (Status::Pending, Move::Release) => None,
        (Status::Pending, Move::Cancel) => Some(Status::Cancelled),
        (Status::Pending, Move::Reopen) => None,

        (Status::Locked, Move::Lock) => None,
        (Status::Locked, Move::Complete) => Some(Status::Completed),
        (Status::Locked, Move::Fail) => Some(Status::Failed),
        (Status::Locked, Move::Release) => Some(Status::Pending),
        (Status::Locked, Move::Cancel) => Some(Status::Cancelled),
        (Status::Locked, Move::Reopen) => None,

        (Status::Failed, Move::Lock) => None,
        (Status::Failed, Move::Complete) => None,
        (Status::Failed, Move::Fail) => None,
        (Status::Failed, Move::Release) => None,
        (Status::Failed, Move::Cancel) => Some(Status::Cancelled),
        (Status::Failed, Move::Reopen) => Some(Status::Pending),

        (Status::Completed, Move::Lock) => None,
        (Status::Completed, Move::Complete) => None,
        (Status::Completed, Move::Fail) => None,
        (Status::Completed, Move::Release) => None,
        (Status::Completed, Move::Cancel) => None,
        (Status::Completed, Move::Reopen) => None,

        (Status::Cancelled, Move::Lock) => None,
        (Status::Cancelled, Move::Complete) => None,
        (Status::Cancelled, Move::Fail) => None,
        (Status::Cancelled, Move::Release) => None,
        (Status::Cancelled, Move::Cancel) => None,
        (Status::Cancelled, Move::Reopen) => None,
    }
}

/// The move that leads from one state to another, if one does.
pub fn move_between(from: Status, to: Status) -> Option<Move> {
    Move::ALL.into_iter().find(|by| moved(from, *by) == Some(to))
}
