//! The machine of profiles as a specification: each test stands for the requirements that it names.
#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "what serves the tests may fail as they do")]

mod arrows;
mod driver;
mod people;
mod random;
mod rules;
