//! What was done before and is like what is asked now. Owns similarity: words of any script, weighed and compared, with
//! the reason. Pure functions over texts that are handed in: no I/O, no clock, no chance, and no way to change a run.

mod index;
mod plain_words;
mod terms;

pub use index::{Choice, Index, Past, Ranked, Score, rank, with_context};
pub use terms::{TEXT_BYTES, Term, terms};
