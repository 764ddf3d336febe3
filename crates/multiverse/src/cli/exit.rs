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
    /// 5: there was nothing to do.
    NothingToDo,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(match exit {
            Exit::Done => 0,
            Exit::Error => 1,
            Exit::Usage => 2,
            Exit::NothingToDo => 5,
        })
    }
}
