//! One commit, many files: all or nothing, through kill -9 and power loss.
//! The store knows paths and bytes; what a document means and what a record says is not its business.

#[doc(hidden)]
pub mod fuzz;
pub mod limits;

mod alive;
mod aside;
mod batch;
mod blobs;
mod by_path;
mod checkpoint;
mod commit;
mod documents;
mod edits;
mod fault;
mod files;
mod fs;
mod history;
mod journal;
mod lock;
mod notice;
mod pace;
mod path;
mod place;
mod real_fs;
mod record;
mod recover;
mod scribe;
mod segment;
mod shared;
mod store;
mod upkeep;
mod verify;
mod walk;

pub use alive::Liveness;
pub use batch::Batch;
pub use commit::{Commit, CommitError, Need, What};
pub use edits::Look;
pub use fault::{Fault, FaultKind};
pub use fs::{Errand, Fs, Mode, Now, ProcessState, Stamp};
pub use history::{HistoryError, Walked, document_at, records, versions};
pub use journal::Head;
pub use notice::Notice;
pub use path::{OWN, PathRefusal, ProjectPath};
pub use place::Due;
pub use real_fs::{FileSystem, Reach, RealFile, RealFs, since_boot};
pub use record::{DocumentRecord, Edit, Found, Kind, NotASum, Piece, Presence, Record, Sum};
pub use recover::Missing;
pub use shared::Shared;
pub use store::{Listener, Store};
pub use verify::{Verification, verify};
pub use walk::Problem;
