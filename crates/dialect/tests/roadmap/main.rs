//! The documents of the protocol `roadmap`: what is read of files of others, what is odd in them, and what is written.
#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on says why")]

mod corpus;
mod editing;
mod shown;
