//! The documents of the protocol `profile`: what is read, what is refused and how it is said, what a run writes.
#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on says why")]

mod choosing;
mod over;
mod reading;
mod writing;
