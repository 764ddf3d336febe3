//! What a project knows: which files there are and what is in them, found by words of any script; where each came from
//! and what follows from it; and what was done before and is like what is asked now. Pure functions over texts that are
//! handed in: no I/O, no clock, no chance, and no way to change a run.

mod entry;
mod index;
mod library;
mod lineage;
mod natural;
mod packed;
mod place;
mod plain_words;
mod search;
mod shelf;
mod stale;
mod terms;

pub use entry::Entry;
pub use index::{Choice, Index, Past, Ranked, Score, rank, with_context};
pub use library::{Broken, Library, Link, Note, Renewed, Rows};
pub use lineage::{Direction, Lineage, LineageBuilder, Node, NodeId, Step};
pub use natural::{Natural, natural};
pub use place::{Field, Match};
pub use search::{Found, Hit, Query};
pub use stale::{Cause, Judged, Standing, Standings};
pub use terms::{TEXT_BYTES, Term, terms};
