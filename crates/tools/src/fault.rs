//! What can keep a program from being started or ended, each with the path and how to mend it.

use std::path::PathBuf;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LaunchFault {
    #[error("there is no program {program:?} {searched}: install it, or give its path")]
    ProgramNotFound { program: PathBuf, searched: String },

    #[error("{} cannot be executed: {why}", path.display())]
    NotExecutable { path: PathBuf, why: String },

    #[error(
        "{} cannot be started confined: {why}; nothing was started, since without confinement it could change any file",
        path.display()
    )]
    CannotConfine { path: PathBuf, why: String },

    #[error("{} cannot be started: {why}", path.display())]
    CannotSpawn { path: PathBuf, why: String },

    /// The process between us and the program ended without a word, and what it watched over may still run.
    #[error(
        "the launcher of {} ended without an answer ({why}): either somebody killed it, or {} does not begin its main \
         with `be_launcher_if_asked`; look for processes that it left",
        path.display(), launcher.display()
    )]
    LauncherLost { path: PathBuf, launcher: PathBuf, why: String },

    /// Some processes did not go away though they were killed, as when a disk does not answer.
    #[error("{} left {left} processes that do not end although they were killed: see what they wait for (ps, dmesg)", path.display())]
    NotEnded { path: PathBuf, left: usize },
}
