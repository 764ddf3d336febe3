//! Bytes that are shared, spliced, rebased and merged without copying the rest.
//!
//! Owns the persistent [`Text`], the [`Change`] between two texts and the arithmetic on changes: apply, invert,
//! rebase, find by difference. Knows lines and nothing else of what the bytes mean; does no I/O.

mod change;
mod closest;
mod compose;
mod diff;
mod lines;
mod rebase;
mod repeat;
mod rope;

pub use change::{Change, Mismatch, Splice};
pub use closest::Closest;
pub use diff::{additions, diff};
pub use rebase::Overlap;
pub use rope::Text;
