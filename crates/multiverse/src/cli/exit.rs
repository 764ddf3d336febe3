//! How the program ends. Other programs build on these numbers: they do not change.

use std::process::ExitCode;

/// The end of a command, as its exit code tells it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// 0: it was done.
    Done,
    /// 1: it was not, or problems were found.
    Error,
    /// 2: the command line was not understood, and nothing was begun.
    Usage,
    /// 3: it waits for a person.
    Waiting,
    /// 4: the run failed.
    Failed,
    /// 5: there was nothing to do.
    NothingToDo,
}

impl Exit {
    /// The number that the system is told.
    pub(crate) fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Error => 1,
            Self::Usage => 2,
            Self::Waiting => 3,
            Self::Failed => 4,
            Self::NothingToDo => 5,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}
