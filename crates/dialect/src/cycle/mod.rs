//! The documents of the protocol `cycle`: `current_cycle.md` with its SIGNAL BLOCKs, the archive, and what a project
//! begins with.
//!
//! - `read`: any file into blocks; `lines`: which lines can hold one; `forms`: lines with many fields; `collect`: which
//!   lines make one; `block`: what one block says; `values`: what the words in it mean; `sequence`: how blocks follow each
//!   other; `compare`: what was changed after the fact
//! - `lower`: what facts change in the documents; `write`: the one strict form; `header`: the goal and what belongs to it
//! - `names`: ids of cycles, names of archives and assets; `start`: a new project
//!
//! Reading never fails and loses no byte: nothing is rendered anew, and every span is one of the file. Who is next is the
//! machine's table, not decided here.

mod block;
mod collect;
mod compare;
mod forms;
mod header;
mod lines;
mod lower;
mod names;
mod read;
mod sequence;
mod start;
mod values;
mod write;

pub use block::{Block, Deviation, Form, Meaning, Weight};
pub use compare::{Tampering, compare, restated};
pub use header::Header;
pub use lower::{Step, lower};
pub use names::{ArchiveName, Archived, archive_name, asset_name, cycle_id, is_asset_name, read_archive_name, slug};
pub use read::{Order, Reading, read};
pub use start::{ARCHIVE, ASSETS, CONTEXT, CURRENT, folders, initial_documents};
pub(crate) use values::{nearest, shown};
pub(crate) use write::one_line;
pub use write::{block_text, header_text, turn_text};
