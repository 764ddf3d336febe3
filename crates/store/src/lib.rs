//! One commit, many files: all or nothing, through kill -9 and power loss.
//! The store knows paths and bytes; what a document means and what a record says is not its business.

pub mod limits;

mod fault;
mod fs;
mod path;

pub use fault::{Fault, FaultKind};
pub use fs::{Fs, Mode, Now, Stamp};
pub use path::{OWN, PathRefusal, ProjectPath};
