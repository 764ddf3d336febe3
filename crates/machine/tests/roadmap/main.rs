//! What follows in the pool machine: the diagram, Protocol 0, outcomes, fences, plans, questions, hand edits, ends, and
//! schedules of chance.
#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on says why")]

mod agents_edits;
mod driver;
mod ends;
mod fences;
mod hand_edits;
mod moves;
mod outcomes;
mod people;
mod plans;
mod protocol0;
mod questions;
mod random;
